"""What a tick does in tournaments: start them, count matches that have ended, make rounds, and make
their matches (club, 7.2, 7.5 and 7.6).

Each step is a transaction that locks the row of the tournament and finds from its rows what is
due. A round is made as a whole; each of its matches is made in a transaction of its own, which
claims the pairing. So whatever is killed is done by the next tick, and no board twice.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import structs

from adjudicator.core.contest_log import RoundLine
from adjudicator.core.message import Message, say
from adjudicator.core.pairing.points import points_of_match
from adjudicator.core.result import CANCELLED, UNREAD, MatchResult, read
from adjudicator.service.base.bank import NONE
from adjudicator.service.base.context import Progress, Refusal, Session
from adjudicator.service.base.jobs import DueItem, Tick, Told
from adjudicator.service.base.options import options_for_new_match
from adjudicator.service.competition import ending, entering, log, numbers
from adjudicator.service.competition.kinds.kind import Tournament, drawn_boards, too_few_left
from adjudicator.service.competition.tournament import (
    load,
    seats_of,
)
from adjudicator.service.matches import creation, doubt
from adjudicator.service.outbox.queue import alert
from adjudicator.store import matches, tournaments
from adjudicator.store.database import Clash, Twice, Tx
from adjudicator.store.happenings import note_event
from adjudicator.store.tournaments import PairingRow

# A tournament from before days of absence had an end for each match goes on without one.
_FROM_BEFORE = {"leave_days": NONE}
_SILENT_FORFEITS = 2  # after so many an entry is withdrawn (club, 7.8)


def due(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return the tournaments in which something may be due; on the first tick of a day, all that go
    on."""
    names = tournaments.going(tx) if tick.is_first_of_day else tournaments.due(tx, tick.now)
    return [DueItem(name, name) for name in names]


def advance(s: Session, name: str) -> Told:
    """Do the first thing that is due in a tournament, and tell it."""
    row = tournaments.take_free(s.tx, name)
    if row is None or row.status not in ("open", "waiting", "playing", "held"):
        return None
    done = _step(s, load(s.tx, row))
    return None if done is None else Progress(done, name)


def waiting(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return the tournaments whose time has come, and that do not go on, for the clock is in
    doubt."""
    if not doubt.stops_club(tx, tick.context):
        return []
    return [DueItem(name, name) for name in tournaments.awake(tx, tick.now)]


def tell_of_waiting(s: Session, name: str) -> Told:
    what = say("the tournament {name}", name=name)
    return doubt.tell_of_waiting(s, what)


def _step(s: Session, tournament: Tournament) -> Message | None:
    """Do the first thing that is due, and say it; None if nothing is."""
    if tournament.row.status == "open":
        return _begin(s, tournament)
    if tournament.row.status == "waiting":
        numbers.remind(s, tournament)
        return None
    changed = [_settle(s, tournament, pairing) for pairing in tournament.pairings]
    if any(changed):
        tournaments.update(s.tx, tournament.row.id)
        return say("the results of ended matches were counted")
    _warn_of_slow_matches(s, tournament)
    return _go_on(s, tournament)


# Start.


def _begin(s: Session, tournament: Tournament) -> Message | None:
    row = tournament.row
    is_full = row.format.size > 0 and len(tournament.entries) >= row.format.size
    is_time = row.starts_at is not None and row.starts_at <= s.now
    if not is_full and not is_time:
        return None
    try:
        entering.begin(s, tournament)
    except Refusal as refusal:
        why = say("{name} could not start: {why}", name=row.name, why=refusal.messages[0])
        alert(s, why, f"tournament/{row.id}/start", once="ever")
        if row.wake_at is not None or row.trouble != refusal.messages[0]:
            tournaments.update(s.tx, row.id, wake_at=None, trouble=refusal.messages[0])
        return None
    return say("the tournament has begun")


# Count what matches gave.


def _settle(s: Session, tournament: Tournament, pairing: PairingRow) -> bool:
    """Count a match that has ended; return whether anything changed."""
    if pairing.match is None or pairing.done_at is not None or pairing.match_status != "over":
        return False
    if pairing.result is None:
        return False
    result = read(pairing.result)
    if result.reason in (CANCELLED, UNREAD):
        return _ask_for_ruling(s, tournament, pairing)
    seats = _seats(tournament, result)
    silent = _silent(result)
    given = points_of_match(result.places, silent, seats=len(seats))
    points = [given[seat] for seat in seats]
    ending = pairing.ending or ("forfeit" if _is_forfeit(result) else "played")
    tournaments.set_points(s.tx, tournament.row.id, pairing.key, points)
    tournaments.update_pairing(s.tx, tournament.row.id, pairing.key, done_at=s.now, ending=ending)
    line = log.result(s.tx, tournament, pairing, seats, result)
    line = structs.replace(line, ending=ending, points=tuple(points))
    log.note(s.tx, tournament.row, line, s.now)
    returned = {one.seat for one in result.departures if one.bounced}
    for seat, entry_id in zip(seats, pairing.entries, strict=True):
        if seat in silent and _was_its_players(s.tx, tournament, pairing, seat, entry_id):
            count = 0 if seat in returned else 1
            note_silence(s, tournament, entry_id, count)
    return True


def _was_its_players(
    tx: Tx, tournament: Tournament, pairing: PairingRow, seat: str, entry_id: int
) -> bool:
    """Return whether the player of an entry had its seat at the end of a match, and not a
    substitute, whose silence is not his (club, 6.3)."""
    assert pairing.match_id is not None
    one = next(entry for entry in tournament.entries if entry.id == entry_id)
    return tournaments.holders(tx, pairing.match_id).get(seat) == one.player_id


def _seats(tournament: Tournament, result: MatchResult) -> Sequence[str]:
    """Return the seats of a match in the order of the game's."""
    there = {seat for group in result.places for seat in group}
    return [seat for seat in tournament.game.seats if seat in there]


def _silent(result: MatchResult) -> set[str]:
    left = {one.seat for one in result.departures if one.how == "silence"}
    return left | set(result.dormant)


def _is_forfeit(result: MatchResult) -> bool:
    return bool(result.dormant) or any(one.how != "resigned" for one in result.departures)


def note_silence(s: Session, tournament: Tournament, entry_id: int, count: int) -> None:
    """Pair an entry no more until its player writes; after the second time never (club, 7.8). One
    whose last report had come back counts as none of the two."""
    one = next(entry for entry in tournament.entries if entry.id == entry_id)
    if one.status not in ("in", "silent"):
        return
    forfeits = one.silent_forfeits + count
    tournaments.update_entry(
        s.tx, entry_id, status="silent", silent_forfeits=forfeits, silent_at=s.now
    )
    if forfeits >= _SILENT_FORFEITS:
        entering.withdraw_entry(s, tournament, one, why="silence")


def _ask_for_ruling(s: Session, tournament: Tournament, pairing: PairingRow) -> bool:
    """Tell the operator once that a cancelled match needs his decision."""
    told = say(
        "{match} of the tournament {name} was cancelled; `adjud tournament result {name} {match} "
        "SEAT|draw|void` decides what it gives",
        match=pairing.match or "",
        name=tournament.row.name,
    )
    about = f"tournament/{tournament.row.id}/void/{pairing.match}"
    return alert(s, told, about, once="ever")


# Go on: a replay, the next rounds, or the end.


def _go_on(s: Session, tournament: Tournament) -> Message | None:
    row = tournament.row
    if tournament.kind.knocks_out and _make_replays(s.tx, tournament, s.now):
        return say("a drawn match is played again")
    next_round = row.round + 1
    is_last = next_round > tournament.rounds or too_few_left(tournament)
    if tournament.is_done(row.round) and is_last:
        ending.end(s, tournament)
        return say("the tournament has ended")
    if next_round > tournament.rounds or not tournament.kind.is_due(tournament, next_round):
        _sleep(s.tx, tournament, s.now)
        return None
    tournaments.wake_silent(s.tx, row.id)
    tournament = load(s.tx, row)
    made = tournament.kind.pairs(tournament, next_round)
    if made is None:
        return _hold(s, tournament, next_round)
    by_number = tournament.by_number
    for board, new in enumerate(made, 1):
        ids = [by_number[number].id for number in new.numbers]
        key = (next_round, board, 0)
        tournaments.pair(s.tx, row.id, key, new.kind, ids, s.now, points=new.points)
        if new.kind == "match" and any(by_number[n].status == "withdrawn" for n in new.numbers):
            tournaments.update_pairing(s.tx, row.id, key, ending="withdrawn", done_at=s.now)
    tournaments.update(
        s.tx, row.id, round=next_round, status="playing", trouble=None, wake_at=s.now
    )
    apart = log.addresses_apart(tournament, next_round, made)
    line = RoundLine(round=next_round, boards=log.boards(made), apart=apart)
    log.note(s.tx, row, line, s.now)
    note_event(s.tx, "tournament.round", at=s.now, tournament=row.name, round=next_round)
    _tell_left_out(s, load(s.tx, row), next_round)
    return say("round {n} was paired", n=next_round)


def _tell_left_out(s: Session, tournament: Tournament, round_: int) -> None:
    """Tell the silent how they come back (club, 7.8)."""
    ids = {
        id_ for one in tournament.of_round(round_) if one.kind == "left_out" for id_ in one.entries
    }
    told = say(
        "You were not paired in round {n} of {name}, because you sent no orders in your last "
        "match, or emails to you came back. Send any email to this address to be paired again.",
        n=round_,
        name=tournament.row.name,
    )
    some = [one for one in tournament.entries if one.id in ids]
    entering.tell_all_entrants(s, tournament, f"left-out/{round_}", [told], some=some)


def _hold(s: Session, tournament: Tournament, round_: int) -> Message | None:
    told = say(
        "round {n} of {name} cannot be paired: players who share an address would have to meet. "
        "`adjud tournament withdraw {name} PLAYER` or `adjud player set` helps",
        n=round_,
        name=tournament.row.name,
    )
    about = f"tournament/{tournament.row.id}/unpaired/{round_}"
    if tournament.row.status == "held":
        return None
    alert(s, told, about, once="ever")
    tournaments.update(s.tx, tournament.row.id, status="held", trouble=told)
    return told


def _make_replays(tx: Tx, tournament: Tournament, now: datetime) -> bool:
    """Let a drawn match of a knock-out be played again, once, with seats changed."""
    drawn = drawn_boards(tournament)
    for pairing in drawn:
        key = (pairing.round, pairing.board, pairing.again + 1)
        tournaments.pair(tx, tournament.row.id, key, "match", pairing.entries[::-1], now)
    if drawn:
        log.note(tx, tournament.row, log.replays(tournament, drawn), now)
        tournaments.update(tx, tournament.row.id, wake_at=now)
    return bool(drawn)


def _warn_of_slow_matches(s: Session, tournament: Tournament) -> None:
    """Tell the operator once when a round takes longer than was agreed."""
    if not tournament.row.format.round_limit:
        return
    for pairing in tournament.pairings:
        if pairing.done_at is None and pairing.match and slow_since(tournament, pairing) <= s.now:
            told = say(
                "{match} of the tournament {name} is not over yet, and the time of round {n} is",
                match=pairing.match,
                name=tournament.row.name,
                n=pairing.round,
            )
            about = f"tournament/{tournament.row.id}/slow/{pairing.match}"
            if alert(s, told, about, once="ever"):
                tournaments.update(s.tx, tournament.row.id)


def slow_since(tournament: Tournament, pairing: PairingRow) -> datetime:
    """Return when the time of a pairing's round is over; it has one."""
    return pairing.made_at + timedelta(seconds=tournament.row.format.round_limit)


def _sleep(tx: Tx, tournament: Tournament, now: datetime) -> None:
    """Note when a tick must look again, beside the ends of matches."""
    at = None
    if tournament.row.format.round_limit:
        limits = (slow_since(tournament, one) for one in tournament.pairings if one.done_at is None)
        at = min((one for one in limits if one > now), default=None)
    if tournament.row.wake_at != at:
        tournaments.update(tx, tournament.row.id, wake_at=at)


# Make the matches of pairings.


def _unmade(tournament: Tournament) -> list[PairingRow]:
    return [
        one
        for one in tournament.pairings
        if one.kind == "match" and one.match is None and one.done_at is None
    ]


def matches_to_make(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return the pairings whose matches are to be made."""
    return [DueItem((name, key), name) for name, key in tournaments.pairings_to_make(tx)]


def make_match(s: Session, pairing: tuple[str, tuple[int, int, int]]) -> Told:
    """Make the match of a pairing, unless somebody has."""
    name, key = pairing
    made = _make_match(s, name, key)
    return Progress(say("it was opened for {name}", name=name), made) if made else None


def match_name(tournament: Tournament, pairing: PairingRow) -> str:
    """Return the name of a pairing's match (club, 7.1)."""
    replay = "b" if pairing.again else ""
    return f"{tournament.row.name}-{pairing.round}-{pairing.board}{replay}"


def _make_match(s: Session, name: str, key: tuple[int, int, int]) -> str | None:
    """Make the match of a pairing, unless somebody has; return its name."""
    row = tournaments.take(s.tx, name)
    assert row is not None
    tournament = load(s.tx, row)
    due = next((one for one in _unmade(tournament) if one.key == key), None)
    if due is None or row.status != "playing":
        return None
    who = {one.id: one for one in tournament.entries}
    seats = seats_of(tournament.game, row.variant, len(due.entries))
    wanted = creation.NewMatch(
        game=row.game,
        variant=row.variant,
        name=match_name(tournament, due),
        seats=[f"{seat}={who[id_].player}" for seat, id_ in zip(seats, due.entries, strict=True)],
        options=options_for_new_match({**_FROM_BEFORE, **row.options}),
        seed=None,
        fresh_seed=secrets.token_bytes(32),
        for_tournament=True,
    )
    made = creation.create_in(s, wanted)
    match = matches.find(s.tx, made)
    assert match is not None
    if not tournaments.claim(s.tx, row.id, due.key, match.id):
        raise Clash(say("another worker made {match}", match=made))
    tournaments.update(s.tx, row.id)
    return made


def put_on_hold(s: Session, item: DueItem, fault: Exception) -> Progress | None:
    """Put a tournament on hold whose match cannot be made, and tell the operator why."""
    if isinstance(fault, Twice):
        return None  # another worker was quicker
    if not isinstance(fault, Refusal):
        raise fault
    name, key = item.key
    row = tournaments.take(s.tx, name)
    assert row is not None
    tournament = load(s.tx, row)
    pairing = next(one for one in tournament.pairings if one.key == key)
    match = match_name(tournament, pairing)
    # A reason may name who would meet.
    hidden = row.options.get("names") == "hidden"
    reason = say("two of its players cannot meet now") if hidden else fault.messages[0]
    why = say("{match} cannot be made: {why}", match=match, why=reason)
    if row.trouble == why:
        return None
    tournaments.update(s.tx, row.id, trouble=why)
    about = f"tournament/{row.id}/unmade/{match}"
    alert(s, why, about, once="ever")
    return Progress(why, name, urgent=True)
