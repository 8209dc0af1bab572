"""Reports of a match as it stands, made and printed: for tests that need no database."""

from adjudicator.core.match import Seat
from adjudicator.core.report import AnyReport
from adjudicator.service.base.loaded_match import Loaded, decoder
from adjudicator.service.matches.adjudication import orders_of
from adjudicator.service.reports import building, printing
from adjudicator.service.reports.building import present as present_report
from adjudicator.service.reports.building import read as read_report
from adjudicator.service.reports.building import view_of
from adjudicator.service.reports.building import write as write_report
from adjudicator.service.reports.printing import Printable, forms
from adjudicator.service.reports.standing import ReportContext, looking_back, read_log

__all__ = [
    "AnyReport",
    "Printable",
    "ReportContext",
    "computer_orders",
    "decoder",
    "forms",
    "looking_back",
    "present_report",
    "public_report",
    "read_log",
    "read_report",
    "report_of",
    "show",
    "view_of",
    "write_report",
]


def report_of(at: ReportContext, seat: Seat) -> AnyReport:
    """Return what a seat is told of a match as it stands."""
    return building.report(at, seat)


def public_report(loaded: Loaded, seat: Seat) -> AnyReport:
    """Return what everybody may know of a match, and what a seat sees of it, without any log."""
    return building.public(loaded, seat)


def show(shown: AnyReport | Printable, form: str, language: str = "en") -> str:
    """Return a report as `text`, `html` or `json`; one that is no page of somebody's in UTC."""
    if not isinstance(shown, Printable):
        shown = Printable(shown, language, "UTC")
    return printing.render(shown, form)


def computer_orders(loaded: Loaded, seat: str, player: str = "computer:random") -> list[str]:
    """Return the order lines that a built-in player writes for a seat as the match stands."""
    return orders_of(loaded, Seat(seat), player)
