"""Twins of an overdue match with a reserve that differ in what White has sent (club, 5.2):
the operator, the site, and Black, who is silent, are told the same until the ply."""

from collections.abc import Callable, Sequence

import pytest

from tests.cli.test_unseen import site_of, twins
from tests.program import Adjud

MATCH = "espionage-2"
MADE = "2026-11-20 12:00:00"
OVERDUE = "2026-11-21 12:01:00"
SENT = "2026-11-21 13:00:00"
ASKED = "2026-11-21 13:10:00"
NEXT_DAY = "2026-11-22 13:00:00"
BANK_IS_OUT = "2026-11-21 14:00:00"
SETUP = (f"ORDERS {MATCH} white turn 0", "SETUP RANDOM", "END")

COMMANDS: Sequence[Sequence[str]] = (
    ("tick",),
    ("status",),
    ("status", MATCH),
    ("status", "--all", "--format", "json"),
    ("status", "--waiting-for-me", "--player", "Anna", "--format", "json"),
    ("late",),
    ("late", "--within", "9 days", "--format", "json"),
    ("player", "list"),
    ("player", "list", "--format", "json"),
    ("player", "show", "Anna"),
    ("player", "show", "Bob"),
    ("player", "show", "Anna", "--format", "json"),
    ("player", "absence", "Anna", "2026-12-10", "2026-12-11"),
    ("mail", "queue", "list"),
    ("mail", "queue", "list", "--format", "json"),
    ("metrics",),
    ("doctor",),
    ("verify", MATCH),
    ("report", MATCH, "black", "--format", "json"),
    ("report", MATCH, "black", "--format", "text"),
    ("site", "build", "www"),
    ("gm", "option", MATCH, "bank=1 day", "--reason", "x"),
    ("gm", "extend", MATCH, "2 days", "--reason", "x"),
)


def overdue(club: Adjud, *options: str) -> Adjud:
    """Open a match whose set-up becomes overdue, with a site; nobody's silence is doubted."""
    with (club.folder / "adjud.toml").open("a", encoding="utf-8") as settings:
        settings.write('[clock]\nmax_gap = "0"\n')
    club.does("gm", "cancel", "espionage-1", "--reason", "x", at=MADE)
    given = ("deadline=every 1 day", *options)
    words = [word for one in given for word in ("--option", one)]
    club.match(MATCH, *words, at=MADE)
    club.does("tick", at=MADE)
    club.does("site", "build", "www", at=MADE)
    club.does("tick", at=OVERDUE)
    return club


def sent(club: Adjud) -> None:
    """Let White send a set-up after the deadline, and a tick read it."""
    club.came("white", *SETUP, match=MATCH)
    assert club.does("tick", at=SENT) == ""


def silent(club: Adjud) -> None:
    assert club.does("tick", at=SENT) == ""


def seen(at: str, *before: str) -> Callable[[Adjud], list[str]]:
    """Return all that the operator and Black are told at a time, after ticks at others."""

    def look(club: Adjud) -> list[str]:
        found = [repr(club("tick", at=moment)) for moment in before]
        for words in COMMANDS:
            answer = club(*words, at=at)
            out = "\n".join(line for line in answer.out.splitlines() if "MiB free" not in line)
            found.append(f"{words} {answer.code}\n{out}\n{answer.err}")
        return [*found, *site_of(club), emails_to_black(club)]

    return look


def emails_to_black(club: Adjud) -> str:
    emails = sorted((club.folder / "out").iterdir())
    texts = (one.read_text("utf-8", "replace") for one in emails)
    return "\n".join(text for text in texts if "bob@example.org" in text.partition("\n\n")[0])


@pytest.mark.parametrize(
    ("options", "at", "before"),
    [
        (("bank=10 days",), ASKED, ()),
        (("bank=2 hours", "leave=auto", "absence=forfeit"), NEXT_DAY, (BANK_IS_OUT,)),
    ],
    ids=["bank", "leave"],
)
def test_who_has_sent_is_told_to_nobody_before_the_ply(
    idle: Adjud, options: tuple[str, ...], at: str, before: tuple[str, ...]
) -> None:
    left, right = twins(overdue(idle, *options), silent, sent, seen(at, *before))
    for one, other in zip(left, right, strict=True):
        assert one == other
    assert any("Overdue since Sat 21 Nov 12:00" in page for page in left)
