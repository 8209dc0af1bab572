"""Enter the public number for which a match waits, typed or fetched with a command, and open the
match with it.

Both are one transaction: a number is never entered without the match that it opens, and after a
kill either both are there or the match still waits. The number is written once, in the row of the
match; no later command changes it, and no undo goes back behind it.
"""

import os
import re
import selectors
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from time import monotonic
from typing import Any

from msgspec.json import encode

from adjudicator import __version__
from adjudicator.core import beacon, public_chance, seat_lots
from adjudicator.core.acts import BEFORE_OPENING, NumberKnown, Restored
from adjudicator.core.beacon import NoLibrary
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import Message, say
from adjudicator.games import GAMES
from adjudicator.service.base import deadlines, lots_of_match
from adjudicator.service.base.calendar import in_zone
from adjudicator.service.base.context import OpenClub, Progress, Refusal, Session
from adjudicator.service.base.deadlines import default_of
from adjudicator.service.base.jobs import DueItem, Tick, Told
from adjudicator.service.base.loaded_match import (
    Loaded,
    MatchSession,
    Seated,
    chance_of,
    load_open,
)
from adjudicator.service.base.public_number import (
    is_too_early,
    number_due,
    number_named,
    which_number,
)
from adjudicator.service.matches import adjudication, append_ply, unopened
from adjudicator.service.matches.append_ply import log_for_all
from adjudicator.service.matches.results import note_seat_change
from adjudicator.service.matches.seating import start_when_full
from adjudicator.service.reports.standing import report_context_of
from adjudicator.store import clubs, ladders, matches, outbox, submissions, turns
from adjudicator.store.database import Tx
from adjudicator.store.turns import Ply

SECONDS = 10.0
MOST = 4096  # bytes of what the command prints
_AGO = 20  # rounds, of three seconds: the club's clock may be a little ahead
_SIGNATURE = re.compile(r'(?:"signature"\s*:\s*")?\b([0-9a-f]{96})\b')


def enter_value(club: OpenClub, name: str, value: str, *, zone: str) -> Message:
    """Enter the number that a match waits for, and open the match. Raises Refusal."""
    with club.session() as s:
        return _enter(s, name, value, zone)


def _enter(s: Session, name: str, value: str, zone: str) -> Message:
    found = unopened.waiting(s.tx, name)
    _check(found, value, zone, s.now)
    loaded = _open_with_number(s, found, value)
    return say(
        "{match} has opened with {value}", match=loaded.match.name, value=loaded.match.public_value
    )


def _check(found: Seated, value: str, zone: str, now: datetime) -> None:
    match, due = found.match, number_due(found.match)
    if match.full_at is None or due is None:
        raise Refusal(say("{match} still waits for players", match=match.name))
    if is_too_early(match):
        raise Refusal(
            say(
                "the draw of {match} comes too soon; name a later one with `adjud gm chance`",
                match=match.name,
            )
        )
    name = which_number(match)
    if public_chance.round_of(name) is None and now < due:
        raise Refusal(
            say(
                "{match}: these numbers are drawn {when}", match=match.name, when=in_zone(due, zone)
            )
        )
    try:
        fault = public_chance.fault(name, value)
    except NoLibrary as missing:
        raise Refusal(missing.message) from None
    if fault is not None:
        raise Refusal(fault)


def _open_with_number(s: Session, found: Seated, value: str) -> Loaded:
    """Write ply 0 with what the number makes of the seed, and the first reports."""
    game, name = found.game, found.match.name
    matches.update(s.tx, found.match.id, public_value=value)
    match = unopened.waiting(s.tx, name).match
    setting = Setting.of(game.options, match.variant, match.options, found.seats, match.board)
    chance = chance_of(match, game)
    if match.lots == lots_of_match.PENDING:
        _draw_seats(s, found, chance.seed)
    state = game.rules.set_up(setting, chance)
    turn = game.rules.turn(state)
    opened = {"ply": 0, "turn": turn, "status": "open", "created_at": s.now, "wake_at": None}
    by = {"logged_by": __version__, "package": GAMES.package(match.game)}  # which the log will name
    matches.update(s.tx, match.id, **opened, **by)
    turns.append(s.tx, match.id, ply_0(game, state, s.now), [])
    start_when_full(s.tx, load_open(s.tx, name), s.now)
    loaded = write_first_line(s, name)
    known = NumberKnown(number_named(which_number(loaded.match)), loaded.match.public_value)
    log_for_all(s.tx, loaded, "chance", [known], "", s.now)
    # In the epochs that have ended the match may have opened, too: all of that is undone.
    if undone := [
        Restored(one.saved_at, turn, one.epoch, BEFORE_OPENING, loaded.match.epoch)
        for one in clubs.past_epochs(s.tx, match.id)
    ]:
        log_for_all(s.tx, loaded, "restore", undone, "", s.now)
    if game.rules.opens_at_once:
        return play_first_ply(s, loaded)
    append_ply.publish(s, report_context_of(s.tx, loaded), everyone=True)
    session = MatchSession(s.tx, loaded, s.now)
    deadlines.reschedule(session)
    return session.loaded


def _draw_seats(s: Session, found: Seated, seed: bytes) -> None:
    """Draw who has which seat, now that the number is known. Whoever gets another one is a new
    holder of it: what was sent to the seat before was another's."""
    match, lots = found.match, seat_lots.draw(seed, found.seats)
    matches.update(s.tx, match.id, lots=lots_of_match.as_row(lots))
    holders = [found.holders[seat] for seat in found.seats]
    moved: dict[int, tuple[str, int]] = {}
    for one in lots:
        drawn, before = holders[one.number - 1], found.holders[Seat(one.seat)]
        if drawn.seat == one.seat:
            continue
        if before.player_id is not None:
            matches.end_tenure(s.tx, match.id, one.seat, before.tenure, before.player_id, s.now)
        changes = {"player_id": drawn.player_id, "computer": drawn.computer}
        tenure = max(before.tenure, before.above) + 1
        matches.update_seats(s.tx, match.id, [Seat(one.seat)], tenure=tenure, **changes)
        note_seat_change(s.tx, match, one.seat, s.now)
        if drawn.player_id is not None:
            moved[drawn.player_id] = one.seat, tenure
    outbox.readdress(s.tx, match.id, moved)
    ladders.note_seat(s.tx, match.id, lots[0].seat)


# Fetch the signature of a round with the command of the configuration.


def due(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return the matches whose round is published, with its number."""
    found = []
    for match in matches.waiting_for_number(tx) if tick.context.fetcher else ():
        number, at = public_chance.round_of(which_number(match)), number_due(match)
        is_due = number is not None and at is not None and at <= tick.now
        if is_due and tick.match in (None, match.name):
            found.append(DueItem((match.name, number), match.name))
    return found


def fetch(key: tuple[str, int], tick: Tick) -> tuple[str, str] | None:
    """Run the command for a round; return the match and what was printed, None if that is no
    signature."""
    name, number = key
    value = signature_of(number, tick.context.fetcher)
    return None if value is None else (name, value)


def enter(s: Session, key: tuple[str, str]) -> Told:
    """Open a match with the number that was fetched."""
    name, value = key
    _enter(s, name, value, "UTC")
    return Progress(say("its public number was fetched, and it has opened"), name)


def pass_over(s: Session, item: DueItem, fault: Exception) -> None:
    """Pass over a wrong signature; the next tick tries it again, and the operator is reminded."""
    if not isinstance(fault, Refusal):  # else somebody was quicker, perhaps
        raise fault


def ply_0(game: AnyGame, state: Any, now: datetime) -> Ply:
    """Return ply 0 of a match, without its line, which also tells who plays and until when."""
    return Ply(
        ply=0,
        turn=game.rules.turn(state),
        cause="opening",
        adjudicated_at=now,
        snapshot=encode(state).decode(),
    )


def play_first_ply(s: Session, loaded: Loaded) -> Loaded:
    """Adjudicate ply 1 of a match that has just been opened and whose first turn nobody orders,
    and tell all who play (Spion rule 6.2)."""
    for seat in loaded.awaited:
        lines = default_of(loaded, seat)
        assert lines is not None
        adjudication.put_in_force(s.tx, loaded, seat, lines, submissions.DEFAULT, s.now)
    ready = load_open(s.tx, loaded.match.name)
    return adjudication.adjudicate(s, ready, everyone=True)


def write_first_line(s: Session, name: str) -> Loaded:
    """Write the first line of the log of a match that has just been opened; return the match."""
    loaded = load_open(s.tx, name)
    turns.link(s.tx, loaded.match.id, 0, *append_ply.opening_line(loaded, s.context.max_gap))
    return load_open(s.tx, name)


# Fetch the signature of a round of drand with a command, and try whether that works.


def why_not_fetched(command: Sequence[str], now: datetime) -> Message | None:
    """Return why the command does not fetch a round that was published lately; None if it does."""
    number = beacon.round_at(int(now.timestamp())) - _AGO
    value = signature_of(number, command)
    if value is None:
        return say(
            "`{command}` printed no signature of drand for the round number {number}",
            command=" ".join(command),
            number=number,
        )
    try:
        return beacon.fault(number, value)
    except NoLibrary as missing:
        return missing.message


def signature_of(number: int, command: Sequence[str]) -> str | None:
    """Return what the command prints as the signature of a round, alone or as drand's servers write
    it; None if it prints none. It is not checked."""
    words = [word.replace("{round}", str(number)) for word in command]
    try:
        running = subprocess.Popen(  # noqa: S603  # no shell; the operator names the command
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None
    try:
        said = _read(running)
    finally:
        _end(running)
    found = None if said is None else _SIGNATURE.search(said.decode("ascii", "replace"))
    return found[1] if found else None


def _read(running: "subprocess.Popen[bytes]") -> bytes | None:
    """Return what a command prints until it ends; None if that is too much or takes too long."""
    assert running.stdout is not None
    until, said = monotonic() + SECONDS, b""
    with selectors.DefaultSelector() as ready:
        ready.register(running.stdout, selectors.EVENT_READ)
        while len(said) <= MOST and ready.select(max(0.0, until - monotonic())):
            some = os.read(running.stdout.fileno(), MOST + 1 - len(said))
            if not some:
                return said
            said += some
    return None


def _end(running: "subprocess.Popen[bytes]") -> None:
    """End a command with all that it has begun: it is the leader of a session of its own."""
    with suppress(ProcessLookupError):
        os.killpg(running.pid, signal.SIGKILL)
    assert running.stdout is not None
    running.stdout.close()
    running.wait()
