"""Breakdowns of the machine under the program: never the fault of a letter or of a match."""

from adjudicator.core.message import Message, say

BREAKDOWNS = (OSError,)


def why(trouble: OSError) -> Message:
    """What broke down, in one sentence."""
    what = trouble.strerror or str(trouble)
    if trouble.filename:
        return say("{path}: {why}", path=str(trouble.filename), why=what)
    return Message(what)
