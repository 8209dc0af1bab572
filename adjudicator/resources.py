"""What came with the program: migrations and templates, inside the wheel or beside the package in
a checkout."""

from importlib.resources import files
from pathlib import Path

from adjudicator.core.message import Message, say

PACKAGE = Path(str(files("adjudicator")))


class Incomplete(Exception):
    """A file that came with the program is missing or damaged. Nothing else is at fault."""

    def __init__(self, path: Path) -> None:
        self.message: Message = say(
            "{path}: this part of the program is missing or damaged; install adjud again",
            path=str(path),
        )
        super().__init__(str(self.message))


def folder(name: str) -> Path:
    """The folder `migrations` or `templates`, wherever this program was installed."""
    installed = PACKAGE / f"_{name}"
    # An editable install may leave copies in site-packages; the checkout's own folder wins there
    # because this looks beside the imported package.
    if installed.is_dir():
        return installed
    checkout = PACKAGE.parent
    # Without this test we might pick up somebody else's site-packages/templates.
    if (checkout / "pyproject.toml").is_file():
        return checkout / name
    raise Incomplete(installed)
