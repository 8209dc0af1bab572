"""A report page printed from ready rows, as the program and its peer in `email_road` print it."""

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup
from msgspec import structs

from adjudicator.games.espionage import ESPIONAGE
from adjudicator.reports.frame import frame
from adjudicator.reports.render import environment, looking_back, rows_with_tales
from adjudicator.reports.words import words

LANGUAGE, GAME = "nb", "espionage"

Rows = Mapping[str, Any]


def by_templates(ready: Rows) -> str:
    """Print a page as the program does."""
    templates = environment(LANGUAGE, GAME)
    history = templates.get_template(f"{GAME}/history.html.j2").render(ready)
    page = templates.get_template(f"{GAME}/report.html.j2")
    return page.render(ready, looking_back=Markup(history))  # it is HTML


def ready_rows(report: Any) -> Rows:
    speak = words(LANGUAGE, GAME)
    made = rows_with_tales(ESPIONAGE, report.report, speak)
    back = ESPIONAGE.page.back(report.report, speak, report.past, None)
    assert back is not None
    made = looking_back(ESPIONAGE, made, back)
    framed = frame(report.report, made, speak, LANGUAGE, "Europe/Oslo", ESPIONAGE.proof)
    as_attached = structs.replace(framed, attached=True)
    return {"frame": as_attached, "page": made}
