"""The button of an email with a report, and what stands around it: its headline, what else its
reader can do, and the line that an inbox shows.

All of it follows from the report and from what `ReplyForm` says that the email has, so that an
audit makes it again.
"""

from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from msgspec import Struct, structs

from adjudicator.core.game import Suggestion
from adjudicator.core.message import Message, Value, Words, count, say
from adjudicator.core.report import AnyReport
from adjudicator.core.text import Spelling

W = TypeVar("W", Message, str)  # a sentence, before it is told in somebody's language and then


class Way(Struct, Generic[W], frozen=True):
    """Something that a reader can open: what it is called, and where it leads."""

    label: W
    href: str

    def in_words(self: "Way[Message]", words: Words) -> "Way[str]":
        return Way(words(self.label), self.href)


class Action(Struct, Generic[W], frozen=True, kw_only=True):
    """What an email asks its reader to do. `preview` is what an inbox shows of it; `button` does
    the one thing, `told` are sentences below that, `ways` lead elsewhere and `easy` says in the
    text what the button sends."""

    preview: W
    button: Way[W] | None = None
    told: Sequence[W] = ()
    ways: Sequence[Way[W]] = ()
    easy: Sequence[W] = ()

    def in_words(self: "Action[Message]", words: Words) -> "Action[str]":
        return Action(
            preview=words(self.preview),
            button=self.button.in_words(words) if self.button else None,
            told=[*map(words, self.told)],
            ways=[one.in_words(words) for one in self.ways],
            easy=[*map(words, self.easy)],
        )


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


def action_of(
    report: AnyReport,
    links: Links,
    suggestion: Suggestion | None,
    *,
    spelled: Spelling,
    page: str | None,
    attached: bool,
    due: Value,
) -> Action[Message]:
    """Return what an email with a report asks of its reader. `page` is where his page is, `due` the
    report's deadline, empty without one."""
    if report.result is not None:
        return _of_end(report, links, page)
    turn = say("Set-up") if report.phase == "setup" else say("Turn {turn}", turn=report.turn)
    preview = say("{turn}, due {when}", turn=turn, when=due) if due else turn
    asks = report.seat in report.awaited and not report.orders
    draw = [Way(say("Accept the draw"), links.draw)] if links.draw else []
    if suggestion and links.orders and asks:
        made = _of_suggestion(suggestion, links.orders, spelled, page, preview, attached=attached)
        return structs.replace(made, ways=[*made.ways, *draw])
    told: list[Message] = []
    if asks and not page and attached:
        told.append(say("To move, open the attached page in a browser, or reply with your orders."))
    elif asks:
        told.append(say("Or reply with your orders, as shown below."))
    return Action(
        preview=preview,
        button=Way(say("Open your board"), page) if page else None,
        told=told,
        ways=draw,
    )


def headline(report: AnyReport, due: str, awaited: str | None, words: Words) -> str:
    """Return the largest line of an email with a report; `awaited` says for whom the match
    waits."""
    what = _headline(report, due, awaited or "")
    return words(what) if isinstance(what, Message) else what


def _headline(report: AnyReport, due: str, awaited: str) -> Message | str:
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


def _of_end(report: AnyReport, links: Links, page: str | None) -> Action[Message]:
    again = say("It begins when everyone else has said yes, too.")
    return Action(
        preview=say("Turn {turn}: the end", turn=report.turn),
        button=Way(say("Rematch"), links.rematch) if links.rematch else None,
        told=[again] if links.rematch else [],
        ways=[*_ways_at_end(report, links, page)],
    )


def _ways_at_end(report: AnyReport, links: Links, page: str | None) -> Iterator[Way[Message]]:
    if links.thanks:
        others = [name for seat, name in report.players.items() if seat != report.seat and name]
        yield Way(say("Thank {name}", name=", ".join(others)), links.thanks)
    if page:
        yield Way(say("Replay"), page)
    if links.site:
        yield Way(say("Open seats"), links.site)


def _of_suggestion(
    suggestion: Suggestion,
    link: str,
    spelled: Spelling,
    page: str | None,
    preview: Message,
    *,
    attached: bool,
) -> Action[Message]:
    lines = spelled.all(suggestion.lines)
    quoted = ", ".join(f'"{line}"' for line in lines)
    told: list[Message] = [suggestion.why] if suggestion.why else []
    if not page and attached:
        told.append(say("To choose yourself, open the attached page in a browser."))
    opens = say("The button opens an email that says {orders}. Just send it.", orders=quoted)
    label = suggestion.label or say("Send {orders}", orders=", ".join(lines))
    return Action(
        preview=preview,
        button=Way(label, link),
        told=[opens, *told],
        ways=[Way(say("Choose yourself: open your board"), page)] if page else [],
        easy=(say("The easy way: reply with {orders}.", orders=quoted), *told),
    )
