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


def action_of(
    report: AnyReport,
    links: Links,
    suggestion: Suggestion | None,
    reader: Reader,
    awaited: str | None,
) -> Action:
    """Return what an email with a report asks of its reader. `awaited` says for whom the match
    waits."""
    words = reader.words
    due = short(report.deadline, reader.language, reader.zone) if report.deadline else ""
    headline = _in_words(_headline(report, due, awaited or ""), words)
    turn = say("Set-up") if report.phase == "setup" else say("Turn {turn}", turn=report.turn)
    preview = words(say("{turn}, due {when}", turn=turn, when=due) if due else turn)
    if report.result is not None:
        return _of_end(report, links, reader, headline)
    asks = report.seat in report.awaited and not report.orders
    draw = [Way(words(say("Accept the draw")), links.draw)] if links.draw else []
    if suggestion and links.orders and asks:
        made = _of_suggestion(suggestion, links.orders, reader, headline, preview)
        return structs.replace(made, ways=[*made.ways, *draw])
    told: list[Message] = []
    if asks and not reader.page and reader.attached:
        told.append(say("To move, open the attached page in a browser, or reply with your orders."))
    elif asks:
        told.append(say("Or reply with your orders, as shown below."))
    return Action(
        headline=headline,
        preview=preview,
        button=Way(words(say("Open your board")), reader.page) if reader.page else None,
        told=[*map(words, told)],
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


def _of_end(report: AnyReport, links: Links, reader: Reader, headline: str) -> Action:
    words = reader.words
    again = say("It begins when everyone else has said yes, too.")
    return Action(
        headline=headline,
        preview=words(say("Turn {turn}: the end", turn=report.turn)),
        button=Way(words(say("Rematch")), links.rematch) if links.rematch else None,
        told=[words(again)] if links.rematch else [],
        ways=[*_ways_at_end(report, links, reader)],
    )


def _ways_at_end(report: AnyReport, links: Links, reader: Reader) -> Iterator[Way]:
    words = reader.words
    if links.thanks:
        others = [name for seat, name in report.players.items() if seat != report.seat and name]
        yield Way(words(say("Thank {name}", name=", ".join(others))), links.thanks)
    if reader.page:
        yield Way(words(say("Replay")), reader.page)
    if links.site:
        yield Way(words(say("Open seats")), links.site)


def _of_suggestion(
    suggestion: Suggestion, link: str, reader: Reader, headline: str, preview: str
) -> Action:
    words, lines = reader.words, reader.spelled.all(suggestion.lines)
    quoted = ", ".join(f'"{line}"' for line in lines)
    told: list[Message] = [suggestion.why] if suggestion.why else []
    if not reader.page and reader.attached:
        told.append(say("To choose yourself, open the attached page in a browser."))
    elsewhere = words(say("Choose yourself: open your board"))
    opens = say("The button opens an email that says {orders}. Just send it.", orders=quoted)
    label = suggestion.label or say("Send {orders}", orders=", ".join(lines))
    return Action(
        headline=headline,
        preview=preview,
        button=Way(words(label), link),
        told=[words(opens), *map(words, told)],
        ways=[Way(elsewhere, reader.page)] if reader.page else [],
        easy=" ".join(
            words(one) for one in (say("The easy way: reply with {orders}.", orders=quoted), *told)
        ),
    )
