"""What players check in their own emails and files, as tests ask for it."""

from pathlib import Path
from typing import Any

from adjudicator.core.message import Message
from adjudicator.service.audit.checks import Audit, audit, summary
from adjudicator.service.audit.documents import read, read_file
from adjudicator.service.audit.inputs import Thinking
from adjudicator.service.audit.papers import (
    Document,
    OpenedLog,
    ReceiptPaper,
    Restore,
    SaidPaper,
    ToldReport,
    Unused,
    ValuePaper,
)

__all__ = [
    "Audit",
    "Document",
    "OpenedLog",
    "ReceiptPaper",
    "Restore",
    "SaidPaper",
    "Thinking",
    "ToldReport",
    "Unused",
    "ValuePaper",
    "audit",
    "audited",
    "audits_of",
    "read_file",
    "summary",
]


def read_papers(*paths: Path) -> tuple[list[Document], list[Message], list[Unused]]:
    """Return what files and folders hold, what could not be read, and what is of no use."""
    return read(paths)


def audits_of(*paths: Path, **how: Any) -> list[Audit]:
    """Audit what files and folders hold, match by match."""
    papers, _, _ = read(paths)
    return audit(papers, **how)


def audited(*paths: Path, **how: Any) -> Audit:
    """Audit what files and folders hold of one match."""
    (found,) = audits_of(*paths, **how)
    return found
