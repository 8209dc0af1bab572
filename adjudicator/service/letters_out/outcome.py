"""Tell in a receipt what came of its orders, if they were adjudicated before it is handed over."""

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.service.base.loaded_match import Seated
from adjudicator.service.report import printed_report, report_body
from adjudicator.service.report.standing import read_log
from adjudicator.store import used_sheets
from adjudicator.store.database import Tx
from adjudicator.store.handing_over import Waiting


class Outcome(Struct, frozen=True):
    """The ply that adjudicated a letter's orders, and what their seat saw of it; nothing, if other
    seats' orders were adjudicated with them, for then the next report tells of all of them."""

    ply: int
    turn: int
    revision: int
    told: str


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
    if len(used) > 1:
        return Outcome(ply, ours.turn, ours.revision, "")
    log = read_log(tx, loaded.match.id, loaded.game, ply, ply)
    seen = (loaded.game.sight.witness(event, seat) for _, event in log)
    report = report_body.read(loaded.game, stored.body)
    report = replace(report, news=tuple(sight for sight in seen if sight is not None))
    if not loaded.game.sight.retells:  # what is told once only stays for the report
        report = loaded.game.sight.lasting(report)
    told = printed_report.what_came(report, loaded.holders[seat])
    return Outcome(ply, ours.turn, ours.revision, told)


def _letter_answered(letter: Waiting) -> int | None:
    """Return the number of the letter that a receipt answers, and no other."""
    name = letter.key.split("/")[4:]
    return int(name[0]) if name and name[0].isdecimal() and name[1:] in ([], ["again"]) else None
