"""A match that an older program opened lacks the options that came later: they have their
defaults, whatever is done with it."""

import json
import sqlite3
from contextlib import closing

import pytest

from adjudicator.games import GAMES
from adjudicator.service.base.options import DEFAULTS
from tests.program import Adjud

SEATS = {
    "espionage": ("white", "black"),
    "spion": ("blue", "yellow"),
    "spies": ("germany", "russia"),
}
ALL = "all of them"
LACKING = [
    *((slug, ALL) for slug in GAMES),
    *(
        pytest.param(slug, lacking, marks=pytest.mark.slow)
        for slug, game in GAMES.items()
        for lacking in (*game.options, *DEFAULTS)
    ),
]


def without(adjud: Adjud, lacking: str) -> dict[str, str]:
    """Take an option out of the row of the only match; return what is left."""
    with closing(sqlite3.connect(adjud.file)) as connection:
        ((stored,),) = connection.execute("SELECT options FROM match").fetchall()
        options = {
            key: value for key, value in json.loads(stored).items() if lacking not in (key, ALL)
        }
        connection.execute("UPDATE match SET options = ?", [json.dumps(options)])
        connection.commit()
    return options


@pytest.mark.parametrize(("slug", "lacking"), LACKING)
def test_an_option_that_an_older_match_lacks_has_its_default(
    club: Adjud, slug: str, lacking: str
) -> None:
    first, second = SEATS[slug]
    seats = (f"--seat={first}=Anna", f"--seat={second}=computer:random")
    club.does("new", slug, "--match", "m", *seats, "--option", "deadline=every 3 days")
    without(club, lacking)
    club.does("tick")
    if lacking in ("level", ALL):
        assert "fault inside" not in club("doctor").out
    club.does("verify")
    club.does("status")
    club.does("report", "m", first)
    club.does("submit", "-", stdin=f"ORDERS m {first}\nRESIGN\nEND\n")
    club.does("tick")
    assert "m: the log, its snapshots and commitments agree" in club.does("verify")
    record = club.does("record", "export", "m")
    club.does("record", "replay", "-", stdin=record)
    pages = [
        club.write(f"{seat}.{form}", club.does("report", "m", seat, "--format", form))
        for seat in (first, second)
        for form in ("html", "json")
    ]
    told = club.does("audit", *pages)
    assert "cannot be played again" not in told
    assert "played again by the rules" in told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("slug", "tags"),
    [
        ("spion", ("Mode", "Memory", "OpenDoors", "MaxRounds", "RollWhenBlocked")),
        ("spies", ("Mode", "Order", "Assassination")),
    ],
)
def test_a_record_that_does_not_tell_an_option_is_replayed_with_its_default(
    club: Adjud, slug: str, tags: tuple[str, ...]
) -> None:
    seats = [f"--seat={seat}=computer:random" for seat in SEATS[slug]]
    club.does("new", slug, "--match", "m", *seats)
    club.does("tick")
    club("gm", "cancel", "m", "--reason", "Test.")
    record = club.does("record", "export", "m")
    lines = record.splitlines(keepends=True)
    replayed = club.does("record", "replay", "-", stdin=record)
    for tag in tags:
        assert any(line.startswith(f"[{tag} ") for line in lines)
        shorter = "".join(line for line in lines if not line.startswith(f"[{tag} "))
        assert club.does("record", "replay", "-", stdin=shorter) == replayed
