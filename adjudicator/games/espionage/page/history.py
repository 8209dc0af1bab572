"""A match looked back upon: as its seat's old reports told it or, when it has ended, as it was.

A page made here holds no more than the reports that its reader was sent: each moment is made
from one of them alone. At the end the record, which the last report gives, tells the rest, with
everything revealed (rule 5.4).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from msgspec.structs import replace

from adjudicator.core import lookback
from adjudicator.core.lookback import PastMoment, look_back
from adjudicator.core.message import Message, Words, say
from adjudicator.core.record import transcript_of
from adjudicator.core.report import Report
from adjudicator.games.espionage.page.dossiers import Dossier
from adjudicator.games.espionage.page.news import (
    OldReport,
    Row,
    fight,
    fresh_steps,
    order_groups,
    order_label,
    order_place,
    whose,
)
from adjudicator.games.espionage.record.replay import retell
from adjudicator.games.espionage.record.tags import ended_in_set_up
from adjudicator.games.espionage.rules.board import BOARDS, Square, in_order
from adjudicator.games.espionage.rules.pieces import ENEMY, LETTERS, SOLDIERS, Piece, Rank
from adjudicator.games.espionage.rules.state import VARIANTS, Event, Reveal, State, Stepped
from adjudicator.games.espionage.sight.observe import SeenPiece, SeenStep, View

Position: TypeAlias = Mapping[Square, SeenPiece] | Mapping[Square, Piece]

_LONG_RECORD = 3_000  # stands in the page once, and a script makes the link

STEPPING = ("shared/history.js", "espionage/history.js")  # the scripts that step through it
SPARE_STEPPING = ("espionage/other_side.js",)


class History(lookback.History, frozen=True, kw_only=True):
    """The rows of a page that looks back, on a board of `size` by `size` squares; `dossiers` tell
    of the enemy's pieces."""

    size: int
    dossiers: Sequence[Dossier] = ()


def history(
    report: Report[View, SeenStep],
    past: Sequence[OldReport],
    words: Words,
    ending: str | None,
    room: int | None = None,
) -> History | None:
    """Make the rows that look back, as many as have room; None before the armies stand. `ending`
    is the result in words."""
    view = report.view
    moments = list(
        _retold(report.record, words, ending or "")
        if report.record
        else _told((*past, OldReport(view.seat, view.pieces, report.news)), words)
    )
    return look_back(
        History,
        moments,
        partial(_changes, hidden=not VARIANTS[view.variant].open_ranks),
        room,
        nothing={},
        whole=bool(moments) and not moments[0].steps,
        size=view.board.size,
        record=report.record if _is_linked(report.record) else None,
        file=f"{report.match}.esp",
    )


def _is_linked(record: str | None) -> bool:
    """Return whether the record stands in a link too, in which blanks and brackets take three
    bytes."""
    return bool(record) and len(record or "") <= _LONG_RECORD


def _told(reports: Iterable[OldReport], words: Words) -> Iterator[PastMoment[Position]]:
    """Yield a moment for each report, with what was news in it."""
    first = True
    for old, news in fresh_steps(reports):
        if old.pieces and (news or first):
            yield _moment(old, news, words)
        first = first and not news


def _moment(old: OldReport, news: Sequence[SeenStep], words: Words) -> PastMoment[Position]:
    position = {piece.square: piece for piece in old.pieces}
    if not news:
        return PastMoment("turn-0", words(say("Set-up")), position)
    # The oldest report at hand may tell two orders; the board is the one after the second.
    label, steps = order_groups(news, old.pieces, old.seat, words)[-1]
    place = order_place(news[-1].turn, news[-1].side)
    return PastMoment(place, label, position, steps=_joined(steps))


def _joined(steps: Sequence[Row]) -> list[Row]:
    """Join plain steps that follow each other, without a fight or a word between them, to be
    printed as one."""
    joined: list[Row] = []
    for step, outcome, told in steps:
        before, *how = joined[-1] if joined else ("", "", "")
        if before and step and outcome == "moved" and how == ["moved", ""]:
            joined[-1] = (f"{before} {step}", outcome, told)
        else:
            joined.append((step, outcome, told))
    return joined


# How a moment differs from the one before it.


def _changes(before: Position, moment: PastMoment[Position], *, hidden: bool) -> str:
    """Write the squares where something else stands than what the steps have brought there, each
    with what it is, if anything. If no rank is `hidden` from the first turn on, it says nothing
    since when one is known."""
    brought = _after(moment.steps, before)
    # What a fight told of a piece changes it, and does not show here.
    signs = {
        square: shown
        for square, piece in moment.position.items()
        if (old := brought.get(square)) != piece
        and (shown := _sign(piece, hidden)) != (_sign(old, hidden) if old else "")
    }
    signs |= {square: "" for square in brought if square not in moment.position}
    return " ".join(f"{square}{signs[square]}" for square in in_order(signs))


def _after(steps: Sequence[Row], before: Position) -> Mapping[Square, SeenPiece | Piece]:
    """Return the position after steps, as the page's script makes it: it knows nothing of them but
    how they are printed and ended."""
    made: dict[Square, SeenPiece | Piece] = {**before}
    ended = ((step, outcome) for printed, outcome, _ in steps for step in printed.split())
    for step, outcome in ended:
        start, target = map(Square, step.split("-"))
        piece = made.pop(start, None)
        if piece and outcome != "lost":
            made[target] = replace(piece, moved=True)
    return made


def _sign(piece: SeenPiece | Piece, hidden: bool) -> str:
    """Write a piece in a few letters: `b?` one of Black's, `wSm12` a Spy of White's that has moved
    and that the other side knows since turn 12; `k` if it knows it, but not since when."""
    shown = f"{piece.side[0]}{LETTERS[piece.rank] if piece.rank else '?'}{'m' * piece.moved}"
    if not hidden:
        return shown
    known = isinstance(piece, SeenPiece) and piece.known_to_enemy is True
    return f"{shown}{'k' * known}{'' if piece.known_since is None else piece.known_since}"


# A match that has ended, from its record.


def _retold(record: str, words: Words, ending: str) -> Iterator[PastMoment[Position]]:
    """Yield both set-ups, every order and the end; nothing of a match that ended in its set-up."""
    found = transcript_of(record)
    if found is None or ended_in_set_up(found):
        return
    begin, *orders = retell(found)
    yield PastMoment("turn-0", words(say("Set-up")), begin[-1][1].pieces)
    for facts in orders:
        yield _order(facts, words)
    yield PastMoment(
        "end",
        words(say("The end")),
        (orders[-1] if orders else begin)[-1][1].pieces,
        steps=[("", "moved", ending)],
        points=[ending],
    )


def _order(facts: Sequence[tuple[Event, State]], words: Words) -> PastMoment[Position]:
    steps = [(event, state) for event, state in facts if isinstance(event, Stepped)]
    first = steps[0][0]
    return PastMoment(
        order_place(first.turn, first.side),
        words(order_label(first.turn, first.side)),
        facts[-1][1].pieces,
        steps=_joined([_row(event, state, words) for event, state in steps]),
        points=[words(point) for event, state in steps for point in _turning_points(event, state)],
    )


def _row(event: Stepped, after: State, words: Words) -> Row:
    told = [*fight(event.side, event.outcome, event.rank, event.met)]
    if event.met:
        told.append(because(event.rank, event.met))
    for reveal in event.revealed:
        told += _unmasking(reveal, after)
    return f"{event.start}-{event.target}", event.outcome, " ".join(map(words, told))


def because(attacker: Rank, defender: Rank) -> Message:
    """Say by which rule a fight ends as it does (3.1-3.3)."""
    match attacker, defender:
        case _, Rank.HEADQUARTERS:
            return say("Any piece that reaches the Headquarters takes it.")
        case Rank.SAPPER, Rank.MINE:
            return say("A Sapper removes a Mine.")
        case _, Rank.MINE:
            return say("Only a Sapper survives a Mine.")
        case Rank.SAPPER, Rank.GENERAL:
            return say("A Sapper takes a General.")
    return _among_soldiers(attacker, defender)


def _among_soldiers(attacker: Rank, defender: Rank) -> Message:
    if attacker == defender:
        return say("Between equal ranks the attacker wins.")
    if attacker in SOLDIERS and defender in SOLDIERS:
        return say("The higher rank wins.")
    if attacker in SOLDIERS:
        return say("Every soldier takes Spies and Sappers.")
    if attacker == Rank.SPY and defender in SOLDIERS:
        return say("A Spy cannot take a soldier.")
    if defender in SOLDIERS:
        return say("A Sapper takes no soldier except a General.")
    return say("Between Spies and Sappers the attacker wins.")


# The turning points of such a match: where a reader may want to look first.

# The ranks that do what no other can (rules 3.2, 4.1).
_LAST: Mapping[tuple[str, Rank], Message] = {
    ("white", Rank.SAPPER): say("White has lost its last Sapper."),
    ("black", Rank.SAPPER): say("Black has lost its last Sapper."),
    ("white", Rank.SPY): say("White has lost its last Spy."),
    ("black", Rank.SPY): say("Black has lost its last Spy."),
}


def _turning_points(event: Stepped, after: State) -> Iterator[Message]:
    """Yield what a step changed for good: a General lost, a Headquarters seen, the last of a
    kind."""
    lost = _removed(event)
    if lost and lost.rank == Rank.GENERAL:
        yield from fight(event.side, event.outcome, event.rank, event.met)
    for reveal in event.revealed:
        if reveal.rank == Rank.HEADQUARTERS:
            yield from _unmasking(reveal, after)
    if lost and (lost.side, lost.rank) in _LAST and not _left(lost, after):
        yield _LAST[lost.side, lost.rank]


def _removed(event: Stepped) -> Piece | None:
    if event.outcome == "won" and event.met:
        return Piece(ENEMY[event.side], event.met)
    return Piece(event.side, event.rank) if event.outcome == "lost" else None


def _left(lost: Piece, after: State) -> bool:
    return any((p.side, p.rank) == (lost.side, lost.rank) for p in after.pieces.values())


def _unmasking(reveal: Reveal, after: State) -> Iterator[Message]:
    """Say which Spy saw it (4.1); nothing if the fight itself has told the rank (3.4)."""
    spy = _spy_beside(reveal, after)
    if spy:
        yield say(
            "{spy} on {place} sees {piece} on {square}.",
            spy=whose(ENEMY[reveal.side], Rank.SPY),
            place=spy,
            piece=whose(reveal.side, reveal.rank),
            square=reveal.square,
        )


def _spy_beside(reveal: Reveal, after: State) -> Square | None:
    around = BOARDS[after.settings.rules.size].around[reveal.square]
    spy = Piece(ENEMY[reveal.side], Rank.SPY)
    standing = ((square, after.pieces.get(square)) for square in around)
    return next((sq for sq, p in standing if p and (p.side, p.rank) == (spy.side, spy.rank)), None)
