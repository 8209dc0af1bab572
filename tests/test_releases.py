"""The list of released versions says what this one prints and plays with, once it is in it."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from adjudicator import __version__, releases
from adjudicator.releases import CLOCK, FILE, ReleaseState, state_of

CHECKOUT = Path(__file__).parents[1]
PACKAGE = CHECKOUT / "adjudicator"
OURS = ("espionage", "spion", "spies")
# What a reader of an email sees follows from these, and from its value.
PRINTS = (
    "templates",
    "adjudicator/reports",
    "adjudicator/service/emails",
    "adjudicator/mail/write",
)
# Beside its own folder a game plays with these.
SHARED = ("core/dice.py", "core/conditions.py", "core/simple")
DECIDES = (
    "core/clock.py",
    "service/base/bank.py",
    "service/base/calendar.py",
    "service/base/deadlines.py",
    "service/base/options.py",
)


def sources(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        yield from [place] if place.is_file() else sorted(place.rglob("*"))


def digest(files: Iterable[Path]) -> str:
    """Return a digest of files and their names, whatever is compiled beside them."""
    whole = sha256()
    for file in files:
        if file.is_file() and file.suffix not in (".pyc", ".mo"):
            whole.update(f"{file.relative_to(CHECKOUT).as_posix()}\0".encode())
            whole.update(file.read_bytes() + b"\0")
    return whole.hexdigest()[:16]


def of_this_version() -> dict[str, object]:
    games = [PACKAGE / "games" / slug for slug in OURS]
    catalogues = sorted(PACKAGE.rglob("locale"))
    pages = [game / "page" for game in games]
    rules = {
        game.name: digest(
            file
            for file in sources([game, *(PACKAGE / one for one in SHARED)])
            if not {"page", "locale"} & {*file.relative_to(PACKAGE).parts}
        )
        for game in games
    }
    rules[CLOCK] = digest(sources(PACKAGE / one for one in DECIDES))
    printed = digest(sources([*(CHECKOUT / one for one in PRINTS), *catalogues, *pages]))
    return {"print": printed, "rules": rules}


def test_a_version_that_was_released_stays_as_it_was(request: pytest.FixtureRequest) -> None:
    kept = json.loads(FILE.read_text("utf-8"))
    made = of_this_version()
    if request.config.getoption("--bless"):
        before = kept.get(__version__, {})
        kept[__version__] = {"date": before.get("date") or f"{datetime.now(UTC):%Y-%m-%d}", **made}
        FILE.write_text(json.dumps(kept, indent=2) + "\n", "utf-8")
    if __version__ in kept:
        said = {key: kept[__version__][key] for key in made}
        assert said == made, (
            f"adjud {__version__} is in {FILE}, and prints or plays otherwise now. If it was "
            "released, raise the version in adjudicator/__init__.py; if it was not, --bless"
        )


def test_what_a_version_is_made_of_is_there() -> None:
    assert [one for one in PRINTS if not (CHECKOUT / one).is_dir()] == []
    assert [one for one in (*SHARED, *DECIDES) if not (PACKAGE / one).exists()] == []


def test_the_list_can_be_read() -> None:
    for version, release in releases.release_list().items():
        assert state_of(version) is ReleaseState.KNOWN
        assert datetime.fromisoformat(release.date)
        assert {*OURS, CLOCK} <= release.rules.keys()


@pytest.mark.parametrize(
    ("version", "known"),
    [
        (__version__, ReleaseState.KNOWN),
        ("0.2.1", ReleaseState.OLDER),
        ("99.0.0", ReleaseState.NEWER),
        ("tomorrow", ReleaseState.NONE),
        (f"{__version__}x", ReleaseState.NONE),
    ],
)
def test_each_version_has_its_standing(version: str, known: ReleaseState) -> None:
    assert state_of(version) is known
