"""Find what comes with the program: migrations, templates, the world's time zones.

Our own files are inside the wheel, or beside the package in a checkout. A game that does not come
with the program brings its own in one folder, which `ELSEWHERE` knows.
"""

import sys
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import json

from adjudicator.core.message import Message, say

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

PACKAGE = Path(str(files("adjudicator")))
# The folders of games that do not come with the program, by slug; `templates/` and `locale/` may
# stand in each. `adjudicator.games.GAMES` puts in those of packages when it imports them.
ELSEWHERE: dict[str, Path] = {}


class Incomplete(Exception):
    """A file that comes with the program is missing or damaged. Nothing else is at fault."""

    def __init__(self, path: Path) -> None:
        self.message: Message = say(
            "{path}: this part of the program is missing or damaged; reinstall adjud",
            path=str(path),
        )
        super().__init__(str(self.message))


def folder(name: str) -> Path:
    """Return the folder `migrations`, `templates`, `docs` or `examples`, wherever the program is
    installed."""
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


def edition() -> str:
    """Return a digest of the program: its files, and the versions of all that it stands on."""
    from hashlib import sha256
    from importlib.metadata import distributions

    found = sha256(sys.version.encode())
    for name, version in sorted({(one.name, one.version) for one in distributions()}):
        found.update(f"{name} {version}\n".encode())
    for root in (PACKAGE, folder("templates"), *ELSEWHERE.values()):
        for path in sorted(root.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                found.update(f"{path.relative_to(root)}\n".encode() + path.read_bytes())
    return found.hexdigest()


@cache
def time_zones() -> frozenset[str]:
    """Return the names of the IANA database; to read them takes longer than most commands."""
    from zoneinfo import available_timezones

    return frozenset(available_timezones())


@cache
def zone_of(name: str) -> "ZoneInfo":
    """Return a time zone that somebody chose; UTC if this machine does not know it any more."""
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")


def is_time_zone(name: str) -> bool:
    """Return whether this is one of `time_zones`, of which only this one is read."""
    from zoneinfo import ZoneInfo

    if name.partition("/")[0] in ("posix", "right", "posixrules"):  # copies for other programs
        return False
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # KeyError: there is none
        return False
    return True


@cache
def rewordings() -> Mapping[str, str]:
    """Return what messages of older versions since 0.2.28 say today, by what they said then.

    Rows of a running club still have them: rulings, emails in the queue, orders in advance. No
    value is a key.
    """
    return json.decode((PACKAGE / "locale/reworded.json").read_bytes(), type=dict[str, str])


def folder_of_package(module: str) -> Path | None:
    """Return the folder of the package to which an imported module belongs, with its templates and
    catalogues; None of a module that is one file, beside which stand files of others."""
    package = sys.modules[module].__package__
    return Path(sys.modules[package].__path__[0]) if package else None


def template(name: str) -> Path:
    """Return the place of a template or script, which is called `<game>/…`, `shared/…` or
    `default/…`. Of a game that does not come with the program a template that is not in its folder
    is that of `default/`."""
    game, _, file = name.partition("/")
    if (ours := folder("templates") / game).is_dir():
        return ours / file
    own = ELSEWHERE[game] / "templates" / file if game in ELSEWHERE else None
    return own if own and own.is_file() else folder("templates") / "default" / file


def locale(game: str) -> Path:
    """Return the folder with a game's catalogues."""
    return ELSEWHERE.get(game, PACKAGE / "games" / game) / "locale"


def is_untranslated(game: str, language: str) -> bool:
    """Return whether a game that does not come with the program has no catalogue in a language, so
    that its own words are told in English."""
    if (PACKAGE / "games" / game).is_dir():
        return False
    home = locale(game) / language / "LC_MESSAGES"
    return not any((home / f"{game}{suffix}").is_file() for suffix in (".po", ".mo"))


@cache
def year_of_set_up(game: str) -> int | None:
    """Return the year that is turn 0 of a game whose turns are called by their years; None of
    others."""
    file = locale(game) / "years.json"
    return json.decode(file.read_bytes(), type=int) if game and file.is_file() else None
