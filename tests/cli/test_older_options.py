"""A match that an older program opened lacks the options that came later: they have their
defaults, whatever is done with it."""

import json
import re
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from adjudicator.core.dice import Chance
from adjudicator.core.match import Option, Setting
from adjudicator.games import GAMES
from tests.club import DEFAULTS
from tests.database import Tx, insert_match
from tests.games.samples import seats_of
from tests.inside import matches
from tests.nightly import NIGHT
from tests.program import Adjud

ALL = "all of them"
# By day all options are lacking together, by night each by itself.
LACKING = [
    *((slug, ALL) for slug in GAMES),
    *(
        pytest.param(slug, lacking, marks=NIGHT)
        for slug, game in GAMES.items()
        for lacking in (*game.options, *DEFAULTS)
    ),
]


def without(lacking: str) -> Callable[[Tx, Mapping[str, Any]], int]:
    """Return what makes the row of a match as if there was no option of this name yet."""
    insert = insert_match

    def insert_lacking(tx: Tx, made: Mapping[str, Any]) -> int:
        options = {
            key: value for key, value in made["options"].items() if lacking not in (key, ALL)
        }
        return insert(tx, {**made, "options": options})

    return insert_lacking


def options_of(adjud: Adjud) -> dict[str, str]:
    with closing(sqlite3.connect(adjud.file)) as connection:
        ((stored,),) = connection.execute("SELECT options FROM match").fetchall()
    return dict(json.loads(stored))


@pytest.mark.parametrize(("slug", "lacking"), LACKING)
def test_an_option_that_an_older_match_lacks_has_its_default(
    club: Adjud, slug: str, lacking: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(matches, "insert", without(lacking))
        begin(club, slug)
    assert lacking not in options_of(club)
    assert (lacking == ALL) == (options_of(club) == {})
    club.does("tick")
    if lacking in ("level", ALL):
        assert "error inside" not in club("doctor").out
    it_plays_on(club, slug)


def begin(club: Adjud, slug: str, match: str = "m", *options: str) -> None:
    first, second = seats_of(slug)
    seats = (f"--seat={first}=Anna", f"--seat={second}=computer:random")
    club.does("new", slug, "--match", match, *seats, "--option", "deadline=every 3 days", *options)


def it_plays_on(club: Adjud, slug: str) -> None:
    """Play the match to its end, replay its record, and verify and audit it."""
    first, second = seats_of(slug)
    club.does("verify")
    club.does("status")
    club.does("report", "m", first)
    club.does("submit", "-", stdin=f"ORDERS m {first}\nRESIGN\nEND\n")
    club.does("tick")
    assert "m: the log, its snapshots and proofs agree" in club.does("verify")
    record = club.does("record", "export", "m")
    if GAMES[slug].record.replay:
        club.does("record", "replay", "-", stdin=record)
    pages = [
        club.write(f"{seat}.{form}", club.does("report", "m", seat, "--format", form))
        for seat in (first, second)
        for form in ("html", "json")
    ]
    told = club.does("audit", *pages)
    assert "cannot be replayed" not in told
    assert "replayed by the rules" in told


@pytest.mark.parametrize("slug", GAMES)
def test_an_option_that_a_game_has_now_breaks_no_match_that_began_without_it(
    club: Adjud, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(club, slug)
    club.does("tick")
    game, agreed = GAMES[slug], list[str]()

    def set_up(setting: Setting, chance: Chance) -> Any:
        agreed.append(setting.options["later"])
        return game.rules.set_up(setting, chance)

    changed = replace(
        game,
        options={**game.options, "later": Option(("off", "on"))},
        rules=replace(game.rules, set_up=set_up),
    )
    monkeypatch.setitem(GAMES, slug, changed)
    it_plays_on(club, slug)
    assert agreed
    assert {*agreed} == {"off"}
    begin(club, slug, "new", "--option", "later=on")
    assert agreed[-1] == "on"


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
    seats = [f"--seat={seat}=computer:random" for seat in seats_of(slug)]
    limit = ["--option", "max_rounds=3"] if slug == "spion" else []
    club.does("new", slug, "--match", "m", *seats, *limit)
    club.does("tick")
    record = club.does("record", "export", "m")
    # As if it went on without a limit, which is the default.
    record = re.sub('"[a-z,]+ max-rounds"', '"*"', record.replace('Rounds "3"', 'Rounds "0"'))
    lines = record.splitlines(keepends=True)
    replayed = club.does("record", "replay", "-", stdin=record)
    for tag in tags:
        assert any(line.startswith(f"[{tag} ") for line in lines)
        shorter = "".join(line for line in lines if not line.startswith(f"[{tag} "))
        assert club.does("record", "replay", "-", stdin=shorter) == replayed
