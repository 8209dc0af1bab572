"""Make what a seat is told, as one value, from values alone (interface, section 3).

A club takes them from its database, and an audit from an opened log: both make the same report of
them, and put in what its seat has sent and what is told to it alone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from adjudicator.core.dice import Chance
from adjudicator.core.game import AnyGame, MarkEnd
from adjudicator.core.match import Outcome, Seat
from adjudicator.core.message import say
from adjudicator.core.record import Chronicle
from adjudicator.core.report import (
    AnyReport,
    Committed,
    Log,
    Report,
)
from adjudicator.core.sheets import Origin, sheet_head

SEED_GIVEN = say("The seed of this match was set by hand, so its random results are not secret.")


class MatchFacts(Struct, frozen=True, kw_only=True):
    """How a match stands after a ply: what its reports to all seats are made from.

    `players` are the names of the holders by seat, for all seats of the match in the rule book's
    order; `opened` is the date as a record has it, `bank` what the reserve of each seat holds.
    `log` holds (ply, event), from the earliest ply of anybody's news on, or the whole match once it
    is over or if its views remember what was seen. `secrets` are those of the seats, all opened, in
    the order in which reports tell them.
    """

    game: AnyGame
    match: str
    variant: str
    options: Mapping[str, str]
    players: Mapping[Seat, str]
    epoch: str
    chance: Chance
    state: Any
    ply: int
    adjudicated: str | None
    opened: str
    deadline: str | None
    bank: Mapping[str, int] | None
    draw_offers: tuple[str, ...]
    log: Sequence[tuple[int, Any]]
    secrets: Sequence[Committed]
    head: Log | None

    @property
    def awaited(self) -> tuple[Seat, ...]:
        """Return the seats whose orders the coming ply waits for, in the rule book's order."""
        awaited = self.game.rules.awaiting(self.state)
        return tuple(seat for seat in self.players if seat in awaited)

    @property
    def outcome(self) -> Outcome | None:
        return self.game.rules.outcome(self.state)


class MarkMade(Struct, frozen=True, kw_only=True):
    """A mark as it was made: its place is meant as in the report after that ply."""

    ply: int
    place: str
    text: str


def report_of(
    match: MatchFacts, seat: Seat, since: int, marks: Sequence[MarkMade] | None
) -> AnyReport:
    """Return what a seat is told of the match: what is the case now, and what happened from the
    ply `since` on. `marks` are its own, None where the game takes none. What the seat has sent
    itself, and what is told to it alone, is put in by those who know it."""
    events = [event for _, event in match.log]
    view = view_of(match.game, match.state, seat, events, match.options)
    if marks is not None:
        view = view_with_marks(match.game, match.state, seat, view, marks, match.log)
    return replace(
        public_report(match, seat, view),
        awaited=match.awaited,
        deadline=match.deadline,
        bank=UNSET if match.bank is None else match.bank,
        news=news_of(match, seat, since),
        draw_offer=next(iter(match.draw_offers), None),
        draw_offers=match.draw_offers,
        commitments=tuple(commitments(match, seat)),
        template=template_of(match, seat, view),
        log=match.head,
        record=record_of(match, events) if match.outcome is not None else None,
    )


def public_report(match: MatchFacts, seat: Seat, view: Any) -> AnyReport:
    """Return how a match stands, with a seat's view: nothing that was sent, said or done."""
    return Report(
        view=view,
        match=match.match,
        game=match.game.slug,
        variant=match.variant,
        options=dict(sorted(match.options.items())),
        players={str(one): name for one, name in match.players.items()},
        phase=match.game.rules.phase(match.state),
        seat=seat,
        ply=match.ply,
        epoch=match.epoch or UNSET,
        turn=match.game.rules.turn(match.state),
        adjudicated=match.adjudicated,
        as_of=None,
        result=match.outcome,
        draw_offers=(),
    )


def view_of(
    game: AnyGame, state: Any, seat: Seat, events: Iterable[Any], options: Mapping[str, str]
) -> Any:
    """Return what a seat that is played sees now, with what it remembers of the match's events."""
    sight = game.sight
    view = sight.observe(state, seat)
    if sight.remember is None:
        return view
    seen = (sight.witness(event, seat) for event in events)
    remembered = [sighting for sighting in seen if sighting is not None]
    return sight.remember(view, remembered, options)


def news_of(match: MatchFacts, seat: Seat, since: int) -> tuple[Any, ...]:
    """Return what a seat saw from a ply on."""
    witness = match.game.sight.witness
    seen = (witness(event, seat) for ply, event in match.log if ply >= since)
    return tuple(sight for sight in seen if sight is not None)


def commitments(match: MatchFacts, seat: Seat) -> Iterator[Committed]:
    """Yield the proofs of a seat's report, revealed if the match is over."""
    chance, over = match.chance, match.outcome is not None
    yield Committed(
        what="seed",
        seat=None,
        number=None,
        digest=chance.commitment,
        opened=chance.secret.hex() if over else None,
    )
    for link in match.game.proof.links(match.state, seat):
        yield Committed(
            what="key" if link.opened else "anchor",
            seat=link.seat,
            number=link.number,
            digest=chance.key(link.chain, link.number - 1).hex(),
            opened=chance.key(link.chain, link.number).hex() if link.opened else None,
        )
    for secret in match.secrets:
        yield secret if over else replace(secret, opened=None)


def template_of(match: MatchFacts, seat: Seat, view: Any) -> tuple[str, ...]:
    """Return a sheet ready to edit; empty for a seat that is not awaited."""
    if seat not in match.awaited:
        return ()
    turn = match.game.rules.turn(match.state)
    head = sheet_head(match.match, seat, turn, Origin.of(match.epoch, match.ply))
    return (head, *match.game.orders.template(view), "END")


def record_of(match: MatchFacts, events: Sequence[Any]) -> str:
    """Return the game record of a match, from its whole log."""
    chronicle = Chronicle(
        names=match.players,
        date=match.opened,
        outcome=match.outcome,
        match=match.match,
        seed=match.chance.seed.hex(),
        committed=match.chance.committed.hex(),
        which=match.chance.which,
        value=match.chance.value,
    )
    return match.game.record.write(chronicle, match.state, events)


# Show a seat's report its own marks and notes (Espionage rule 9.3).
#
# A mark is stored with the place and the ply in which it was made. Where its piece stands now is
# followed anew whenever a report is made, along what the seat itself saw since. So nothing has to
# be changed when a piece moves or an adjudication is taken back, and a mark tells its seat nothing.


class SeenEvent(Struct, frozen=True):
    """An event of the log and what a seat saw of it."""

    ply: int
    event: Any
    sighting: Any


class MarkNow(Struct, frozen=True):
    """The place where a mark stands now, or how it ended and with which event."""

    place: str
    end: MarkEnd | None = None
    event: Any = None


def events_of_seat(game: AnyGame, seat: Seat, log: Iterable[tuple[int, Any]]) -> list[SeenEvent]:
    """Return what a seat has seen of the (ply, event) of a log."""
    found = ((ply, event, game.sight.witness(event, seat)) for ply, event in log)
    return [SeenEvent(*one) for one in found if one[2] is not None]


def follow(game: AnyGame, seen: Iterable[SeenEvent], ply: int, place: str) -> MarkNow:
    """Follow what stood on a place after that ply through all that was seen since."""
    assert game.marks is not None
    for one in seen:
        if one.ply > ply:
            then = game.marks.follow(one.sighting, place)
            if isinstance(then, MarkEnd):
                return MarkNow(place, then, one.event)
            place = then
    return MarkNow(place)


def view_with_marks(
    game: AnyGame,
    state: Any,
    seat: Seat,
    view: Any,
    marks: Sequence[MarkMade],
    log: Iterable[tuple[int, Any]],
) -> Any:
    """Return the seat's view with its marks on it."""
    assert game.marks is not None
    seen = events_of_seat(game, seat, log) if marks else ()
    standing: dict[str, str] = {}
    lost: list[tuple[Any, str]] = []
    for mark in marks:
        now = follow(game, seen, mark.ply, mark.place)
        if now.end is None:
            standing[now.place] = mark.text
        elif now.end is MarkEnd.REMOVED:
            lost.append((now.event, mark.text))
    view = game.marks.shown(view, standing)
    if game.rules.outcome(state) is None:
        return view
    return game.marks.shown_lost(view, _in_order(lost, seen))


def _in_order(lost: Sequence[tuple[Any, str]], seen: Sequence[SeenEvent]) -> list[tuple[str, Any]]:
    return [(text, one.event) for one in seen for event, text in lost if event is one.event]
