"""Twins of a match in which a substitute is looked for (club, 6.3): they differ in which seat is
silent, or has asked. The operator, the site, and those who are asked are told the same until the
ply."""

import re
from collections.abc import Callable

import pytest

from tests.cli.test_reserve_unseen import COMMANDS, MADE, MATCH, SETUP
from tests.cli.test_unseen import siblings, site_of, twins
from tests.program import Adjud

HELPERS = ("cleo", "dag", "eva", "finn")
EARLY = "2026-11-20 18:00:00"
DUE = "2026-11-21 12:01:00"
BANK_IS_OUT = "2026-11-21 14:00:01"
NEXT_DAY = "2026-11-22 15:00:00"
ASKED = "2026-11-22 15:10:00"
SETUP_OF = {
    seat: tuple(line.replace("white", seat) for line in SETUP) for seat in ("white", "black")
}
MORE = (
    *(words for words in COMMANDS if words[0] != "report"),  # it is the seat's own
    ("player", "show", "Cleo"),
)


def begun(club: Adjud, *options: str) -> Adjud:
    with (club.folder / "adjud.toml").open("a", encoding="utf-8") as settings:
        settings.write('[clock]\nmax_gap = "0"\n')
    club.does("gm", "cancel", "espionage-1", "--reason", "x", at=MADE)
    for name in HELPERS:
        club.does("player", "add", name.title(), f"{name}@example.org", "--confirmed", at=MADE)
        club.does("player", "set", name.title(), "--substitute", "on", at=MADE)
    given = ("deadline=every 1 day", "absence=forfeit", *options)
    club.match(MATCH, *(word for one in given for word in ("--option", one)), at=MADE)
    club.does("tick", at=MADE)
    club.does("site", "build", "www", at=MADE)
    club.does("tick", at=MADE)
    return club


def ordered(seat: str) -> Callable[[Adjud], None]:
    """Let one seat alone send its set-up."""

    def step(club: Adjud) -> None:
        club.came(seat, *SETUP_OF[seat], match=MATCH)
        assert club.does("tick", at=EARLY) == ""

    return step


def commands(club: Adjud, at: str) -> list[str]:
    found = []
    for words in MORE:
        answer = club(*words, at=at)
        out = "\n".join(line for line in answer.out.splitlines() if "MiB free" not in line)
        told = re.sub(r"\bout-\w{8}\b", "out", f"{out}\n{answer.err}")  # names are drawn
        found.append(f"{words} {answer.code}\n{told}")
    return found


def look(*before: str, at: str) -> Callable[[Adjud], list[str]]:
    """Return all that the operator and the helpers are told at a time, after ticks at others."""

    def seen(club: Adjud) -> list[str]:
        found = [repr(club("tick", at=moment)) for moment in before]
        told = commands(club, at)
        return [*found, *told, *site_of(club), *emails_to(club, *HELPERS)]

    return seen


def emails_to(club: Adjud, *readers: str) -> list[str]:
    """Return emails without the codes in them, which are drawn."""
    emails = (one.read_text("utf-8", "replace") for one in (club.folder / "out").iterdir())
    texts = (re.sub("=\r?\n", "", text) for text in emails)  # lines were broken
    mine = (text for text in texts if any(f"To: {name}" in text for name in readers))
    coded = re.compile(r'(ACCEPT|DECLINE)(?:%20| )\w+|("code":)"\w+"')
    drawn = re.compile(r"(?m)^(?:Message-ID|Return-Path|X-Envelope.*):.*$|=_[0-9a-f]{32}")
    return sorted(drawn.sub("", coded.sub(r"\1\2", text)) for text in mine)


@pytest.mark.parametrize(
    "options", [(), ("bank=2 hours",), ("names=hidden",)], ids=["plain", "bank", "hidden"]
)
def test_which_seat_is_silent_is_told_to_nobody_before_the_ply(
    idle: Adjud, options: tuple[str, ...]
) -> None:
    club = begun(idle, "substitutes=on", *options)
    seen = look(DUE, BANK_IS_OUT, NEXT_DAY, at=ASKED)
    left, right = twins(club, ordered("white"), ordered("black"), seen)
    for one, other in zip(left, right, strict=True):
        assert one == other
    shown = [one for one in left if "substitutes are looked for until Tue 24 Nov 2026" in one]
    assert len(shown) == 3  # `status` of all and of the match, and `late`
    assert sum("ACCEPT" in one for one in left) == len(HELPERS)


def test_the_twins_are_not_the_same(idle: Adjud) -> None:
    """After the ply all are told who was silent."""
    club = begun(idle, "substitutes=on")
    seen = look(DUE, at="2026-11-24 13:00:00")
    left, right = twins(club, ordered("white"), ordered("black"), seen)
    assert left != right


def test_who_has_asked_is_told_to_no_operator(idle: Adjud) -> None:
    def asks(seat: str, *lines: str) -> Callable[[Adjud], None]:
        def step(club: Adjud) -> None:
            club.came(seat, *lines, match=MATCH)
            assert club.does("tick", at=EARLY) == ""

        return step

    def silent(club: Adjud) -> None:
        assert club.does("tick", at=EARLY) == ""

    def seen(club: Adjud) -> list[str]:
        told = [
            repr(club("tick", at="2026-11-21 10:00:00")),
            *commands(club, "2026-11-21 10:10:00"),
        ]
        return [*told, *site_of(club)]

    asking = (("SUBSTITUTE",), ("SUBSTITUTE", "SUBSTITUTE OFF"))
    steps = [asks(seat, *lines) for seat in ("white", "black") for lines in asking]
    told, *others = siblings(begun(idle), [silent, *steps], seen)
    for other in others:
        assert other == told
