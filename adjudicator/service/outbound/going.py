"""Decide at delivery whether a letter still goes: it must be true, and not told by another."""

from typing import Any

from msgspec.json import decode

from adjudicator.core.email_kinds import KINDS
from adjudicator.core.match import Seat
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.loaded_match import Loaded, Unreadable, load
from adjudicator.service.outbox import queue
from adjudicator.service.reports import building
from adjudicator.store import outgoing, players, turns
from adjudicator.store.database import Tx
from adjudicator.store.outbox import OF_PERSONS
from adjudicator.store.outgoing import DueLetter


def may_go(letter: DueLetter) -> bool:
    """Return whether the letter's player has confirmed his present address.

    It may be another than when the letter was queued. A letter that asks him to confirm goes there
    before.
    """
    if letter.player_id is None or _asks_to_confirm(letter):
        return True
    return letter.confirmed


def _asks_to_confirm(letter: DueLetter) -> bool:
    """Return whether it has the code with which a player confirms his address; other codes are a
    seat's, or confirm a letter to his personal address."""
    to_person = letter.match_id is None and letter.player_id is not None
    return letter.kind == "confirm" and to_person and not letter.key.startswith(OF_PERSONS)


def _asks_in_vain(tx: Tx, letter: DueLetter) -> bool:
    """Return whether the address has been confirmed or changed meanwhile."""
    assert letter.player_id is not None
    player = players.one(tx, letter.player_id)
    return player.confirmed_at is not None or player.address != decode(letter.body)["address"]


def is_superseded(tx: Tx, letter: DueLetter) -> bool:
    """Return whether a letter is no longer true or needed.

    It may be for somebody who no longer holds its seat, have a code that confirms nothing any more,
    or be a reminder for a player who has ordered or wants none, or of a ply that is past. Or it is
    a report or a notice, and a newer report tells it, too.
    """
    if letter.is_to_former:
        return True
    if _asks_to_confirm(letter):
        return _asks_in_vain(tx, letter)
    if KINDS[letter.kind].is_told_in_reports:
        return _is_told_by_newer(tx, letter)
    if letter.kind != "reminder":
        return False
    if letter.match is None:
        assert letter.player_id is not None
        return not queue.awaited(tx, letter.player_id)
    try:
        loaded = load(tx, letter.match)
    except Unreadable:
        return True  # the match is held
    return (
        letter.ply != loaded.match.ply + 1
        or letter.seat in loaded.sheets
        or letter.seat not in loaded.awaited
        or loaded.holders[str(letter.seat)].reminders == "off"
        or _is_of_other_deadline(loaded, decode(letter.body))
    )


def _is_of_other_deadline(loaded: Loaded, body: Any) -> bool:
    """Return whether a reminder of a reserve is of a deadline that was moved meanwhile."""
    return bool(body) and body["overdue"] != rfc3339(loaded.match.deadline_at)


def _is_told_by_newer(tx: Tx, letter: DueLetter) -> bool:
    """Return whether a newer report that still stands tells all that this letter tells."""
    if letter.ply is None or letter.player_id is None:
        return False
    if letter.kind == "notice":
        return _is_in_report(tx, letter)
    # It was made before this one was delivered, so it reaches back behind it.
    return letter.is_told_by_newer and letter.reports != "all"


def _is_in_report(tx: Tx, letter: DueLetter) -> bool:
    """Return whether a report that was made after a notice tells what was ruled, that the offer
    stands, or that the match has ended."""
    assert letter.ply is not None
    body = decode(letter.body)
    if "at" in body:  # a ruling
        return letter.is_told_by_newer
    newest = outgoing.newest_standing_report(tx, letter.id)
    if letter.match is None or newest is None or newest <= letter.ply or "offers" not in body:
        return False
    loaded = load(tx, letter.match)
    stored = turns.report_of(tx, loaded.match.id, newest, Seat(str(letter.seat)))
    if stored is None:
        return False
    report = building.read(loaded.game, stored.body)
    return report.result is not None or body["offers"] in (report.draw_offers or ())
