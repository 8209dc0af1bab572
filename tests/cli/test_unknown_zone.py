"""An upgrade takes the name of a time zone away: no command fails by it."""

import sqlite3
from contextlib import closing

from tests.program import Adjud

GONE = "US/Pacific-New"


def test_no_command_fails_by_a_zone_that_is_not_known_any_more(adjud: Adjud) -> None:
    adjud.club()
    adjud.match("m", "--option", "deadline=Tue,Fri 18:00", "--option", "timezone=Europe/Oslo")
    with closing(sqlite3.connect(adjud.file)) as database, database:
        gone = f"UPDATE match SET options = replace(options, 'Europe/Oslo', '{GONE}')"
        assert database.execute(gone).rowcount == 1
        database.execute(f"UPDATE player SET zone = '{GONE}', language = 'xx'")
    adjud.does("tick")
    for words in (
        ("status",), ("status", "m"), ("report", "m", "white"), ("late",), ("player", "list"),
        ("player", "show", "Anna"), ("player", "export", "Anna"), ("metrics",),
        ("site", "build", "www"), ("mail", "queue", "list"), ("board", "m", "--gm"),
    ):  # fmt: skip
        adjud.does(*words)
    assert f"m: the time zone '{GONE}' is not known any more" in adjud("doctor").out
    adjud.does("gm", "option", "m", "timezone=America/Los_Angeles", "--reason", "it is gone")
    adjud.does("player", "set", "Anna", "--timezone", "Europe/Oslo", "--language", "sv")
    adjud.does("player", "set", "Bob", "--timezone", "Europe/Oslo", "--language", "nb")
    assert GONE not in adjud("doctor").out
