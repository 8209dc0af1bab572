"""Decide at delivery whether an email still goes: it must be true, and not told by another."""

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
from adjudicator.store.outgoing import DueEmail


def may_go(email: DueEmail) -> bool:
    """Return whether the email's player has confirmed his present address.

    It may be another than when the email was queued. An email that asks him to confirm goes there
    before.
    """
    if email.player_id is None or _asks_to_confirm(email):
        return True
    return email.confirmed


def _asks_to_confirm(email: DueEmail) -> bool:
    """Return whether it has the code with which a player confirms his address; other codes are a
    seat's, or confirm an email to his personal address."""
    to_person = email.match_id is None and email.player_id is not None
    return email.kind == "confirm" and to_person and not email.key.startswith(OF_PERSONS)


def _asks_in_vain(tx: Tx, email: DueEmail) -> bool:
    """Return whether the address has been confirmed or changed meanwhile."""
    assert email.player_id is not None
    player = players.one(tx, email.player_id)
    return player.confirmed_at is not None or player.address != decode(email.body)["address"]


def is_superseded(tx: Tx, email: DueEmail) -> bool:
    """Return whether an email is no longer true or needed.

    It may be for somebody who no longer holds its seat, have a code that confirms nothing any more,
    or be a reminder for a player who has ordered or wants none, or of a ply that is past. Or it is
    a report or a notice, and a newer report tells it, too.
    """
    if email.is_to_former:
        return True
    if _asks_to_confirm(email):
        return _asks_in_vain(tx, email)
    if KINDS[email.kind].is_told_in_reports:
        return _is_told_by_newer(tx, email)
    if email.kind != "reminder":
        return False
    if email.match is None:
        assert email.player_id is not None
        return not queue.awaited_seats(tx, email.player_id)
    try:
        loaded = load(tx, email.match)
    except Unreadable:
        return True  # the match is held
    return (
        email.ply != loaded.match.ply + 1
        or email.seat in loaded.sheets
        or email.seat not in loaded.awaited
        or loaded.holders[str(email.seat)].reminders == "off"
        or _is_of_other_deadline(loaded, decode(email.body))
    )


def _is_of_other_deadline(loaded: Loaded, body: Any) -> bool:
    """Return whether a reminder of a reserve is of a deadline that was moved meanwhile."""
    return bool(body) and body["overdue"] != rfc3339(loaded.match.deadline_at)


def _is_told_by_newer(tx: Tx, email: DueEmail) -> bool:
    """Return whether a newer report that still stands tells all that this email tells."""
    if email.ply is None or email.player_id is None:
        return False
    if email.kind == "notice":
        return _is_in_report(tx, email)
    # It was made before this one was delivered, so it reaches back behind it.
    return email.is_told_by_newer and email.reports != "all"


def _is_in_report(tx: Tx, email: DueEmail) -> bool:
    """Return whether a report that was made after a notice tells what was ruled, that the offer
    stands, or that the match has ended."""
    assert email.ply is not None
    body = decode(email.body)
    if "at" in body:  # a ruling
        return email.is_told_by_newer
    newest = outgoing.newest_standing_report(tx, email.id)
    if email.match is None or newest is None or newest <= email.ply or "offers" not in body:
        return False
    loaded = load(tx, email.match)
    stored = turns.report_of(tx, loaded.match.id, newest, Seat(str(email.seat)))
    if stored is None:
        return False
    report = building.read(loaded.game, stored.body)
    return report.result is not None or body["offers"] in (report.draw_offers or ())
