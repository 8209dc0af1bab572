"""How several processes divide the tests among them: file by file, those that take longest first.

A process makes for itself what many files share. Where that is dear (a mail server, a browser and
the matches that it shows), one process runs all files that want it.
"""

from collections.abc import Mapping
from functools import cache

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.times import ROOT, file_of

BROWSER = "tests/browser/"
MAIL = "tests/mail/"


@cache
def share_of(file: str) -> str:
    """Return what a process takes at once: a file, or all that share something dear."""
    if file.startswith(BROWSER):
        return BROWSER
    if file.startswith(MAIL) and "real: Real" in (ROOT / file).read_text("utf-8"):
        return MAIL
    return file


def sort(items: list[pytest.Item], taken: Mapping[str, float]) -> None:
    """Let what takes longest come first, so that no process waits for another one at last."""
    shares: dict[str, float] = {}
    for file in {file_of(item) for item in items}:
        share = share_of(file)
        shares[share] = shares.get(share, 0) + taken.get(file, 0)
    items.sort(key=lambda item: (-shares[share_of(file_of(item))], share_of(file_of(item))))


class ByShare(LoadScopeScheduling):
    def _split_scope(self, nodeid: str) -> str:
        return share_of(nodeid.partition("::")[0])
