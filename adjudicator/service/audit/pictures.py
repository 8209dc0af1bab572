"""Draw the pictures of the boards again, with the extra `png`, and compare them with those that
came."""

from collections.abc import Iterator, Sequence

from adjudicator.core.message import count
from adjudicator.mail.write.compose import png
from adjudicator.reports.render import render
from adjudicator.service.audit.papers import Document
from adjudicator.service.audit.verdicts import AuditFinding, asks, leaves_open
from adjudicator.service.emails.value import EmailValue


def findings(papers: Sequence[Document]) -> Iterator[AuditFinding]:
    """Ask about pictures that are others than their reports give, and say how many could not be
    drawn here."""
    drawn = [(one, _drawn(one.value.told)) for one in papers if one.picture and one.value]
    others = [paper.name for paper, right in drawn if right not in (None, paper.picture)]
    if others:
        yield asks(
            count(
                "same/picture: {n} picture of the board is not the one that its report gives here: "
                "{names}. Another version of resvg draws otherwise, too: compare it with the board "
                "in the text or on the page",
                "same/picture: {n} pictures of the board are not those that their reports give "
                "here: {names}. Another version of resvg draws otherwise, too: compare them with "
                "the boards in the texts or on the pages",
                len(others),
                names="; ".join(others[:5]),
            )
        )
    if not_drawn := sum(right is None for _, right in drawn):
        yield leaves_open(
            count(
                "{n} picture of the board: the extra `png` draws it again (pip install '.[png]')",
                "{n} pictures of the board: the extra `png` draws them again (pip install "
                "'.[png]')",
                not_drawn,
            )
        )


def _drawn(told: EmailValue) -> bytes | None:
    """Return the picture that a report gives; None if nothing draws it here."""
    try:
        return png(render(told.game, told.told, "svg", told.language, told.zone))
    except Exception:  # whatever somebody may have made up; what is written of it says so
        return None
