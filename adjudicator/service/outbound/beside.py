"""What an email has beside its report, as its club knows it."""

from adjudicator.core.message import Message
from adjudicator.core.report import AnyReport
from adjudicator.service.base.loaded_match import Seated
from adjudicator.service.base.options import shows_names
from adjudicator.service.competition import standings
from adjudicator.service.emails.value import Beside, ReadersPage
from adjudicator.service.reports import building
from adjudicator.store.database import Tx
from adjudicator.store.outgoing import DueEmail


def beside(
    tx: Tx,
    email: DueEmail,
    loaded: Seated,
    report: AnyReport,
    *,
    page: ReadersPage,
    picture: str | None,
    reply_to: str | None,
    told: tuple[Message, ...],
) -> Beside:
    """Return what changes an email's sentences beside its report."""
    tips = building.wants_tips(tx, loaded, report)
    over = report.result is not None
    return Beside(
        first=email.is_first_report,
        tips=tips,
        advised=tips and is_for_practice(loaded),
        rematch=over and building.can_rematch(loaded),
        thanks=_only_other(loaded, report) if over else "",
        page=page,
        picture=picture,
        reply_to=reply_to,
        told=told,
        rating=rating_after(tx, loaded, report) if over else None,
    )


def rating_after(tx: Tx, loaded: Seated, report: AnyReport) -> tuple[int, int] | None:
    """Return the reader's rating before and after a match that has ended, if it counts."""
    reader, match = loaded.holders[report.seat].player_name, loaded.match
    if reader is None:
        return None
    hidden = not shows_names("playing", match.options)
    named = [name for name in report.players.values() if name] if hidden else None
    return standings.change(tx, match.game, match.name, reader, named)


def is_for_practice(loaded: Seated) -> bool:
    """Return whether a match is never counted for ratings, because a computer plays in it: only
    there orders are suggested."""
    return any(holder.computer for holder in loaded.holders.values())


def _people(loaded: Seated) -> set[int]:
    return {one.player_id for one in loaded.holders.values() if one.player_id is not None}


def _only_other(loaded: Seated, report: AnyReport) -> str:
    """Return the seat of the only other player, if that is a person who may be written to."""
    others = [holder for seat, holder in loaded.holders.items() if seat != report.seat]
    if len(others) != 1 or others[0].player_id is None or len(_people(loaded)) < 2:
        return ""
    return others[0].seat if loaded.match.options.get("press") != "off" else ""
