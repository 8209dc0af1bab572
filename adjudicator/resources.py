"""Find what comes with the program: migrations, templates, the world's time zones.

Our own files are inside the wheel, or beside the package in a checkout.
"""

from functools import cache
from importlib.resources import files
from pathlib import Path

from adjudicator.core.message import Message, say

PACKAGE = Path(str(files("adjudicator")))


class Incomplete(Exception):
    """A file that comes with the program is missing or damaged. Nothing else is at fault."""

    def __init__(self, path: Path) -> None:
        self.message: Message = say(
            "{path}: this part of the program is missing or damaged; install adjud again",
            path=str(path),
        )
        super().__init__(str(self.message))


def folder(name: str) -> Path:
    """Return the folder `migrations` or `templates`, wherever this program is installed."""
    installed = PACKAGE / f"_{name}"
    # An editable install may leave copies in site-packages; the checkout's own folder wins there
    # because this looks beside the imported package.
    if installed.is_dir():
        return installed
    checkout = PACKAGE.parent
    # Without this test another package's site-packages/templates might be taken for ours.
    if (checkout / "pyproject.toml").is_file():
        return checkout / name
    raise Incomplete(installed)


@cache
def time_zones() -> frozenset[str]:
    """Return the names of the IANA database; to read them takes longer than most commands."""
    from zoneinfo import available_timezones

    return frozenset(available_timezones())
