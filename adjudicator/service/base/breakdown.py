"""Breakdowns of the machine under the program: they are never the fault of a letter or a match."""

from pathlib import Path

from adjudicator.core.message import Message, say
from adjudicator.resources import PACKAGE, Incomplete

BREAKDOWNS = (Incomplete, OSError)


def why(trouble: Incomplete | OSError) -> Message:
    """Return what broke down, in one sentence."""
    if isinstance(trouble, Incomplete):
        return trouble.message
    what = trouble.strerror or str(trouble)
    if trouble.filename:
        return say("{path}: {why}", path=str(trouble.filename), why=what)
    return Message(what)


def of_program(fault: Exception) -> Incomplete | None:
    """Return the file of the program that is missing, if that is the fault; else None.

    No letter can cause this fault, while a letter may perhaps cause another OSError.
    """
    if isinstance(fault, Incomplete):
        return fault
    if isinstance(fault, OSError) and fault.filename:
        path = Path(str(fault.filename))
        return Incomplete(path) if path.is_relative_to(PACKAGE) else None
    return None
