"""Who plays, as a report's reader may know it (club, 6.4)."""

from adjudicator.core.match import HIDDEN, holder_read
from adjudicator.core.message import Words, say
from adjudicator.core.report import AnyReport


def hides_names(report: AnyReport) -> bool:
    """Return whether the match hides who plays it until its end (club, 6.4)."""
    return report.phase != "over" and report.options.get("names") == "hidden"


def holder_told(report: AnyReport, seat: str, words: Words) -> str:
    """Return who plays a seat, as its reader may know it."""
    name = report.players.get(seat, "")
    if hides_names(report) and not name.startswith("computer"):
        name = HIDDEN
    return holder_read(name, words) or words(say("open seat"))
