"""Whatever changes that the club's pages show is on them after the next build, also within the same
second; so a build that takes what it has is told of every such change.

A command that changes what the site shows belongs into `CHANGES`. What a seat sends must change
nothing: `test_unseen.py`.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.cli.test_site import tree
from tests.program import Adjud

LATER = "2026-11-25 12:00:00"  # after the deadline of a turn that began at noon


def gm(*words: str) -> Callable[[Adjud], object]:
    command, *rest = words
    reason = () if command in ("say", "adjudicate") else ("--reason", "Easter.")
    return lambda club: club.does("gm", command, "espionage-1", *rest, *reason)


def player(*words: str) -> Callable[[Adjud], object]:
    return lambda club: club.does("player", "set", "Anna", *words)


def goes_on(club: Adjud) -> None:
    gm("hold")(club)
    club.does("site", "build", "www")
    gm("resume")(club)


def order(club: Adjud) -> None:
    club.does("submit", "-", stdin="ORDERS espionage-1 white turn 1\nd3-d4\nf3-f4\nEND\n")


def play(club: Adjud) -> None:
    order(club)
    club.does("tick")


def play_and_undo(club: Adjud) -> None:
    """The site was not built in between; else the ply could not be taken back."""
    play(club)
    gm("undo")(club)


def miss(club: Adjud) -> None:
    club("tick", at=LATER)


def hear(*lines: str) -> Callable[[Adjud], object]:
    def came(club: Adjud) -> None:
        club.came("white", *lines)
        club.does("tick")

    return came


def restore(club: Adjud) -> None:
    club.does("backup", "b.tar.gz")
    for path in club.folder.glob("adjud.db*"):
        path.unlink()
    club.does("backup", "--restore", "b.tar.gz")


CHANGES: Mapping[str, Callable[[Adjud], object]] = {
    "a ply": play,
    "a ply that is taken back": play_and_undo,
    "a deadline that nobody kept": miss,
    "gm say": gm("say", "Hello."),
    "gm extend": gm("extend", "2 days"),
    "gm deadline": gm("deadline", "2026-12-24 12:00"),
    "gm hold": gm("hold"),
    "gm resume": goes_on,
    "gm forfeit": gm("forfeit", "white"),
    "gm forfeit later": gm("forfeit", "white", "--by", "2 days"),
    "gm replace by a player": gm("replace", "black", "Cecilia"),
    "gm replace by a computer": gm("replace", "black", "computer"),
    "gm cancel": gm("cancel"),
    "player set --name": player("--name", "Annika"),
    "player set --language": player("--language", "sv"),
    "player set --timezone": player("--timezone", "Asia/Tokyo"),
    "new": lambda club: club.match("espionage-2"),
    "a restore": restore,
}
BY_MAIL: Mapping[str, Callable[[Adjud], object]] = {
    "LANGUAGE": hear("LANGUAGE sv"),
    "PREFS TIPS": hear("PREFS TIPS OFF"),
}


@pytest.fixture
def built(playing: Adjud) -> Adjud:
    playing.does("player", "add", "Cecilia", "cecilia@example.org", "--confirmed")
    playing.does("site", "build", "www")
    return playing


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_what_changes_is_on_the_site_after_the_next_build(
    built: Adjud, change: Callable[[Adjud], object]
) -> None:
    is_on_the_site(built, change)


@pytest.mark.parametrize("change", BY_MAIL.values(), ids=list(BY_MAIL))
def test_what_an_email_changes_is_on_the_site_after_the_next_build(
    by_mail: Adjud, change: Callable[[Adjud], object]
) -> None:
    by_mail.does("site", "build", "www")
    is_on_the_site(by_mail, change)


def is_on_the_site(club: Adjud, change: Callable[[Adjud], object]) -> None:
    before = pages(club.folder / "www")
    change(club)
    club.does("site", "build", "www")
    club.does("site", "build", "first")
    assert pages(club.folder / "www") != before
    assert pages(club.folder / "www") == pages(club.folder / "first")


def pages(www: Path) -> Mapping[str, bytes]:
    """Return the pages of matches and seats; the others are made anew each time."""
    return {path: page for path, page in tree(www).items() if path.count("/")}
