"""The button of an email with a report, and what stands around it: its headline, what else its
reader can do, and the line that an inbox shows.

All of it follows from the report and from what `ReplyForm` says that the email has, so that an
audit makes it again.
"""

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct, structs

from adjudicator.core.game import Suggestion
from adjudicator.core.message import Message, Value, Words, count, say
from adjudicator.core.report import AnyReport
from adjudicator.core.text import Spelling
from adjudicator.reports.words import short


class Way(Struct, frozen=True):
    """Something that a reader can open: what it is called, and where it leads."""

    label: str
    href: str


class Action(Struct, frozen=True, kw_only=True):
    """What an email asks its reader to do. `headline` is its largest line, `preview` what an inbox
    shows of it; `button` does the one thing, `told` are sentences below that, `ways` lead elsewhere
    and `easy` says in the text what the button sends."""

    headline: str
    preview: str
    button: Way | None = None
    told: Sequence[str] = ()
    ways: Sequence[Way] = ()
    easy: str = ""


class Links(Struct, frozen=True, kw_only=True):
    """What an email's links open beside its reader's page: an email with the suggested orders, one
    with REMATCH, one that thanks the only other player, one with DRAW, and the club's pages."""

    orders: str | None = None
    rematch: str | None = None
    thanks: str | None = None
    draw: str | None = None
    site: str | None = None

    @property
    def named(self) -> tuple[str, ...]:
        """Return which of them there are."""
        return tuple(name for name in self.__struct_fields__ if getattr(self, name))


def placeholders(names: Collection[str]) -> Links:
    """Return links that lead nowhere, with which an email is made again."""
    return Links(**{name: "mailto:" for name in Links.__struct_fields__ if name in names})


class Reader(Struct, frozen=True):
    """In which words and where an email is read, and what it has beside its report: the address of
    its reader's page, and whether the page is attached."""

    words: Words
    spelled: Spelling
    language: str
    zone: str
    page: str | None
    attached: bool


class Labelled(Struct, frozen=True):
    """The same as `Way`, before it is told in somebody's language."""

    label: Message
    href: str


class Asks(Struct, frozen=True, kw_only=True):
    """The same as `Action` without its headline, before it is told in somebody's language."""

    preview: Message
    button: Labelled | None = None
    told: Sequence[Message] = ()
    ways: Sequence[Labelled] = ()
    easy: Sequence[Message] = ()

    def in_words(self, headline: str, words: Words) -> Action:
        return Action(
            headline=headline,
            preview=words(self.preview),
            button=Way(words(self.button.label), self.button.href) if self.button else None,
            told=[*map(words, self.told)],
            ways=[Way(words(one.label), one.href) for one in self.ways],
            easy=" ".join(map(words, self.easy)),
        )


def action_of(
    report: AnyReport,
    links: Links,
    suggestion: Suggestion | None,
    reader: Reader,
    awaited: str | None,
) -> Action:
    """Return what an email with a report asks of its reader. `awaited` says for whom the match
    waits."""
    due = short(report.deadline, reader.language, reader.zone) if report.deadline else ""
    headline = _in_words(_headline(report, due, awaited or ""), reader.words)
    asks = asks_of(
        report,
        links,
        suggestion,
        spelled=reader.spelled,
        page=reader.page,
        attached=reader.attached,
        due=due,
    )
    return asks.in_words(headline, reader.words)


def asks_of(
    report: AnyReport,
    links: Links,
    suggestion: Suggestion | None,
    *,
    spelled: Spelling,
    page: str | None,
    attached: bool,
    due: Value,
) -> Asks:
    """Return the sentences and links with which an email asks its reader for what its report does;
    `due` is the report's deadline, empty without one."""
    if report.result is not None:
        return _of_end(report, links, page)
    turn = say("Set-up") if report.phase == "setup" else say("Turn {turn}", turn=report.turn)
    preview = say("{turn}, due {when}", turn=turn, when=due) if due else turn
    asks = report.seat in report.awaited and not report.orders
    draw = [Labelled(say("Accept the draw"), links.draw)] if links.draw else []
    if suggestion and links.orders and asks:
        made = _of_suggestion(suggestion, links.orders, spelled, page, preview, attached=attached)
        return structs.replace(made, ways=[*made.ways, *draw])
    told: list[Message] = []
    if asks and not page and attached:
        told.append(say("To move, open the attached page in a browser, or reply with your orders."))
    elif asks:
        told.append(say("Or reply with your orders, as shown below."))
    return Asks(
        preview=preview,
        button=Labelled(say("Open your board"), page) if page else None,
        told=told,
        ways=draw,
    )


def _in_words(what: Value, words: Words) -> str:
    return words(what) if isinstance(what, Message) else str(what)


def _headline(report: AnyReport, due: str, awaited: str) -> Value:
    if report.result is not None:
        return _end(report)
    if report.seat not in report.awaited:
        return awaited or say("Turn {turn}", turn=report.turn)
    if report.orders:
        return say("Your orders are in")
    if report.phase == "setup":
        return say("Your set-up, due {when}", when=due) if due else say("Your set-up")
    return say("Your move, due {when}", when=due) if due else say("Your move")


def _end(report: AnyReport) -> Message:
    assert report.result is not None
    winners, n = report.result.winners, report.turn
    if not report.seat or n < 1 or report.result.reason == "cancelled":
        return say("The end")
    if report.seat in winners:
        return count("You win, in {n} turn", "You win, in {n} turns", n)
    if winners:
        return count("You lose, in {n} turn", "You lose, in {n} turns", n)
    return count("Nobody wins, after {n} turn", "Nobody wins, after {n} turns", n)


def _of_end(report: AnyReport, links: Links, page: str | None) -> Asks:
    again = say("It begins when everyone else has said yes, too.")
    return Asks(
        preview=say("Turn {turn}: the end", turn=report.turn),
        button=Labelled(say("Rematch"), links.rematch) if links.rematch else None,
        told=[again] if links.rematch else [],
        ways=[*_ways_at_end(report, links, page)],
    )


def _ways_at_end(report: AnyReport, links: Links, page: str | None) -> Iterator[Labelled]:
    if links.thanks:
        others = [name for seat, name in report.players.items() if seat != report.seat and name]
        yield Labelled(say("Thank {name}", name=", ".join(others)), links.thanks)
    if page:
        yield Labelled(say("Replay"), page)
    if links.site:
        yield Labelled(say("Open seats"), links.site)


def _of_suggestion(
    suggestion: Suggestion,
    link: str,
    spelled: Spelling,
    page: str | None,
    preview: Message,
    *,
    attached: bool,
) -> Asks:
    lines = spelled.all(suggestion.lines)
    quoted = ", ".join(f'"{line}"' for line in lines)
    told: list[Message] = [suggestion.why] if suggestion.why else []
    if not page and attached:
        told.append(say("To choose yourself, open the attached page in a browser."))
    opens = say("The button opens an email that says {orders}. Just send it.", orders=quoted)
    label = suggestion.label or say("Send {orders}", orders=", ".join(lines))
    return Asks(
        preview=preview,
        button=Labelled(label, link),
        told=[opens, *told],
        ways=[Labelled(say("Choose yourself: open your board"), page)] if page else [],
        easy=(say("The easy way: reply with {orders}.", orders=quoted), *told),
    )
