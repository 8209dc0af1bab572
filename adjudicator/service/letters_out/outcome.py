"""Tell in a receipt what came of its orders, if they were adjudicated before it is delivered."""

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.service.base.loaded_match import Seated
from adjudicator.service.report import printed_report, report_body
from adjudicator.service.report.standing import read_log
from adjudicator.store import reports_told, used_sheets
from adjudicator.store.database import Tx
from adjudicator.store.handing_over import Waiting
from adjudicator.store.turns import StoredReport


class Outcome(Struct, frozen=True):
    """The ply that adjudicated a letter's orders, and what their seat saw of it; nothing, if other
    seats' orders were adjudicated with them, for then a report tells of all of them.

    `is_reported` says that this report has gone out by now.
    """

    ply: int
    turn: int
    revision: int
    told: str
    is_reported: bool


def outcome(tx: Tx, letter: Waiting, loaded: Seated) -> Outcome | None:
    """Return what came of the orders to which a receipt answers; None if they still wait."""
    answered = _letter_answered(letter)
    if letter.kind != "receipt" or letter.ply is None or answered is None:
        return None
    ply, seat = letter.ply + 1, Seat(str(letter.seat))
    stored = letter.told
    if stored is None or stored.tenure != loaded.holders[seat].tenure:
        return None
    used = used_sheets.used(tx, loaded.match.id, ply)
    ours = next((one for one in used if one.letter_id == answered), None)
    if ours is None:
        return None
    told = _told(tx, loaded, seat, stored) if len(used) == 1 else ""
    is_reported = not told and _is_reported(tx, loaded, seat, ply)
    return Outcome(ply, ours.turn, ours.revision, told, is_reported)


def _told(tx: Tx, loaded: Seated, seat: Seat, stored: StoredReport) -> str:
    """Return what the seat saw of a ply, by the report of that ply."""
    log = read_log(tx, loaded.match, loaded.game, stored.ply, stored.ply)
    seen = (loaded.game.sight.witness(event, seat) for _, event in log)
    report = report_body.read(loaded.game, stored.body)
    report = replace(report, news=tuple(sight for sight in seen if sight is not None))
    if not loaded.game.sight.retells:  # what is told once only stays for the report
        report = loaded.game.sight.lasting(report)
    return printed_report.what_came(report, loaded.holders[seat])


def _is_reported(tx: Tx, loaded: Seated, seat: Seat, ply: int) -> bool:
    """Return whether a report that was delivered to the seat's holder tells of a ply: the answer
    to a letter that came again is written when that may have been."""
    reach = reports_told.told_by_reports(tx, loaded.match.id)
    told = reach.get((seat, loaded.holders[seat].tenure))
    return told is not None and told.until is not None and told.until >= ply


def _letter_answered(letter: Waiting) -> int | None:
    """Return the number of the letter that a receipt answers, and no other."""
    name = letter.key.split("/")[4:]
    return int(name[0]) if name and name[0].isdecimal() and name[1:] in ([], ["again"]) else None
