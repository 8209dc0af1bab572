"""What tests ask of the program, in verbs of theirs: only this file says where it is done.

A test of a module imports that module. Any other asks here, so that a move changes one file.
"""

from adjudicator.core.match import Seat
from adjudicator.core.report import AnyReport
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.matches.adjudication import orders_of
from adjudicator.service.reports import building, printing
from adjudicator.service.reports.standing import ReportContext


def report_of(at: ReportContext, seat: Seat) -> AnyReport:
    """Return what a seat is told of a match as it stands."""
    return building.report(at, seat)


def public_report(loaded: Loaded, seat: Seat) -> AnyReport:
    """Return what everybody may know of a match, and what a seat sees of it, without any log."""
    return building.public(loaded, seat)


def show(shown: AnyReport | printing.Printable, form: str, language: str = "en") -> str:
    """Return a report as `text`, `html` or `json`; one that is no page of somebody's in UTC."""
    if not isinstance(shown, printing.Printable):
        shown = printing.Printable(shown, language, "UTC")
    return printing.render(shown, form)


def computer_orders(loaded: Loaded, seat: str, player: str = "computer:random") -> list[str]:
    """Return the order lines that a built-in player writes for a seat as the match stands."""
    return orders_of(loaded, Seat(seat), player)
