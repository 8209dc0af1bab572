"""Show a seat what it may know of how things stand: `observe` builds its view (rules 5.5)."""

from collections.abc import Mapping

from adjudicator.core.game import Link
from adjudicator.core.match import Seat
from adjudicator.games.spion.orders.values import canonical
from adjudicator.games.spion.rules.board import Board
from adjudicator.games.spion.rules.movement import ambushes, ends
from adjudicator.games.spion.rules.ply_in_progress import position
from adjudicator.games.spion.rules.position import Position, eligible
from adjudicator.games.spion.rules.state import Place, Roll, State, X, chain
from adjudicator.games.spion.rules.turns import phase
from adjudicator.games.spion.sight.view import (
    SeenBoard,
    SeenEmbassy,
    SeenNote,
    SeenPending,
    SeenRoll,
    SeenSeat,
    View,
)


def observe(state: State, seat: Seat) -> View:
    """Return what `seat` sees. At the end every card is shown."""
    settings, here = state.settings, position(state)
    own = None if state.pending or state.outcome else state.rolls.get(seat)
    return View(
        variant=settings.variant,
        phase=phase(state),
        seat=seat,
        mode=settings.mode,
        memory=settings.memory,
        turn=state.turn,
        round=state.round,
        to_move=state.to_move,
        board=_board(state, here.board),
        seats=tuple(_seat(state, here, other, seat) for other in state.seats),
        types=state.types,
        dice=tuple(_roll(state, other) for other in state.seats if _shows(state, other, seat)),
        reach=tuple(ends(here, seat, own.total).paths) if own else (),
        targets=eligible(here, seat) if seat in here.seats else (),
        ambushes=_ambushes(here, seat, own),
        standing=tuple(canonical(order) for order in state.standing.get(seat, ())),
        pending=_pending(state),
        dossier=_dossier(state) if settings.memory == "open" else None,
        open_doors=settings.open_doors,
        roll_when_blocked=settings.roll_when_blocked,
        result=state.outcome,
    )


def _board(state: State, board: Board) -> SeenBoard:
    over = state.outcome is not None
    return SeenBoard(
        id=board.id,
        own=state.settings.own_board,
        title=board.title,
        grid=board.grid,
        embassies=tuple(
            SeenEmbassy(
                code=entry.code,
                name=entry.name,
                cell=entry.cell,
                door=entry.door,
                arrow=entry.arrow,
                card=entry.code in state.embassies,
                type=state.embassies.get(entry.code) if over else None,
            )
            for entry in board.embassies.values()
        ),
        wells=board.wells,
        tunnel_cost=board.params.tunnel_cost,
    )


def _seat(state: State, here: Position, seat: Seat, viewer: Seat) -> SeenSeat:
    open_ = seat == viewer or state.outcome is not None
    return SeenSeat(
        seat=seat,
        spy=state.spies[seat],
        bodyguard=state.bodyguards[seat],
        start=here.board.starts[seat],
        home=here.board.homes[seat],
        filled=here.filled[seat],
        cards=state.holders[seat] if open_ else None,
        left=state.left.get(seat),
    )


def _shows(state: State, seat: Seat, viewer: Seat) -> bool:
    """Return whether a seat's dice of a coming turn are shown: all see them in mode `turns`, in
    `rounds` only the owner (5.1). When all is over there are none."""
    if state.outcome:
        return False
    return seat in state.rolls and (seat == viewer or state.settings.mode == "turns")


def _roll(state: State, seat: Seat) -> SeenRoll:
    roll = state.rolls[seat]
    return SeenRoll(seat=seat, dice=roll.dice, number=roll.number, key=roll.key)


def _ambushes(here: Position, seat: Seat, own: Roll | None) -> Mapping[str, tuple[Place, ...]]:
    """Return the ambushes that can be laid: only while no card lies in any embassy (R7.1); on a
    double whoever could be waylaid can be challenged, and somebody must be (R2)."""
    if here.out or own is None or own.double:
        return {}
    found = {who: tuple(ambushes(here, seat, who, own.total)) for who in eligible(here, seat)}
    return {who: places for who, places in found.items() if places}


def _pending(state: State) -> SeenPending | None:
    waits = state.pending
    if waits is None:
        return None
    return SeenPending(challenger=waits.challenger, defender=waits.defender, place=waits.place)


def _dossier(state: State) -> tuple[SeenNote, ...]:
    return tuple(
        SeenNote(turn=n.turn, card=n.card, seat=n.seat, place=n.place, moved=n.moved)
        for n in state.dossier
    )


def links(state: State, seat: Seat) -> tuple[Link, ...]:
    """Return the anchor of each chain, and of the dice to be used the key that their owner may see
    (6.5). The keys of used dice stand in the news of their turn."""
    anchors = [Link(chain(other), other, 1, opened=False) for other in state.seats]
    opened = [
        Link(chain(other), other, state.rolls[other].number)
        for other in state.seats
        if _shows(state, other, seat)
    ]
    return (*anchors, Link(X, None, 1, opened=False), *opened)
