"""Make the package of a new game: an example under another name, to be changed rule by rule."""

import keyword
import re
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from adjudicator.core.message import say
from adjudicator.core.orders import shown
from adjudicator.games import GAMES
from adjudicator.resources import folder as shipped
from adjudicator.service.base.context import Refusal
from adjudicator.service.game_check.sample import PREFIX

# The examples in `examples/new_game/`, and what they are called there.
BY_TURNS, AT_ONCE = "by_turns", "at_once"
_SLUGS: Mapping[str, str] = {BY_TURNS: "byturns", AT_ONCE: "atonce"}
_SUFFIXES = (".py", ".toml", ".md")
_OURS = ("default", "shared")  # folders of templates that are no game's


def begin(slug: str, place: Path, kind: str) -> list[Path]:
    """Write the files of a new package into an empty folder, which is made if there is none, and
    return them. Raises Refusal."""
    _refuse_slug(slug)
    if place.is_symlink() or (place.exists() and not place.is_dir()):
        raise Refusal(say("{path} is not a folder", path=str(place)))
    if place.is_dir() and any(place.iterdir()):
        raise Refusal(say("{path} is not empty; choose another --folder", path=str(place)))
    written = []
    for path, text in _files(slug, kind):
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text, "utf-8")
        written.append(place / path)
    return written


def _refuse_slug(slug: str) -> None:
    if not re.fullmatch(r"[a-z]{2,20}", slug) or keyword.iskeyword(slug) or slug in _OURS:
        raise Refusal(
            say("'{slug}': a game is called by one word of 2 to 20 small letters", slug=shown(slug))
        )
    if slug in GAMES or GAMES.why_missing(slug) or find_spec(f"{PREFIX}{slug}"):
        raise Refusal(say("there is a game called {slug} already", slug=slug))


def _files(slug: str, kind: str) -> Iterator[tuple[Path, str]]:
    """Yield the files of the example and what stands in them, under the new name."""
    root = shipped("examples") / "new_game" / kind
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.suffix in _SUFFIXES:
            place = Path(_renamed(path.relative_to(root).as_posix(), slug, kind))
            yield place, _renamed(path.read_text("utf-8"), slug, kind)


def _renamed(text: str, slug: str, kind: str) -> str:
    example = _SLUGS[kind]
    return text.replace(example, slug).replace(example.title(), slug.title())
