"""Draw the pictures of the boards again, with the extra `png`, and compare them with those that
came."""

from collections.abc import Iterator, Sequence

from adjudicator.core.message import Message, count, say
from adjudicator.mail.write.compose import png
from adjudicator.reports.render import render
from adjudicator.service.audit.papers import Document
from adjudicator.service.audit.verdicts import AuditFinding, asks, leaves_open
from adjudicator.service.emails.value import EmailValue


def findings(papers: Sequence[Document]) -> Iterator[AuditFinding]:
    """Ask about each picture that is another one than its report gives, and say how many could not
    be drawn here."""
    not_drawn = 0
    for paper in papers:
        if paper.picture is None or paper.value is None:
            continue
        drawn = _drawn(paper.value.told)
        not_drawn += drawn is None
        if drawn is not None and drawn != paper.picture:
            yield asks(
                say(
                    "same/picture: {paper}: the picture of the board is not the one that its "
                    "report gives here. Another version of resvg draws otherwise, too: compare it "
                    "with the board in the text or on the page",
                    paper=paper.name,
                )
            )
    if not_drawn:
        yield leaves_open(_not_drawn(not_drawn))


def _drawn(told: EmailValue) -> bytes | None:
    """Return the picture that a report gives; None if nothing draws it here."""
    try:
        return png(render(told.game, told.told, "svg", told.language, told.zone))
    except Exception:  # whatever somebody may have made up; what is written of it says so
        return None


def _not_drawn(number: int) -> Message:
    return count(
        "{n} picture of the board: the extra `png` draws it again (pip install '.[png]')",
        "{n} pictures of the board: the extra `png` draws them again (pip install '.[png]')",
        number,
    )
