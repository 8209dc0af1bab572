"""Find what comes with the program: migrations, templates, the world's time zones.

Our own files are inside the wheel, or beside the package in a checkout. A game that does not come
with the program brings its own in one folder, which `ELSEWHERE` knows.
"""

from functools import cache
from importlib.resources import files
from pathlib import Path

from adjudicator.core.message import Message, say

PACKAGE = Path(str(files("adjudicator")))
# The folders of games that do not come with the program, by slug; `templates/` and `locale/` stand
# in each. Such a game must be put into `adjudicator.games.GAMES`, too.
ELSEWHERE: dict[str, Path] = {}


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


def template(name: str) -> Path:
    """Return the place of a template or script, which is called `<game>/…` or `shared/…`."""
    game, _, file = name.partition("/")
    return ELSEWHERE[game] / "templates" / file if game in ELSEWHERE else folder("templates") / name


def locale(game: str) -> Path:
    """Return the folder with a game's catalogues."""
    return ELSEWHERE.get(game, PACKAGE / "games" / game) / "locale"
