"""A row of a table that a tick reads is damaged: the turn of another match is played in that tick,
its emails go, the operator reads of it and of no secret, and all goes on when it is mended."""

import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from msgspec import structs

from tests.club import MONDAY, Club, NewLadder, Store
from tests.database import all_matches, create, open_store
from tests.nightly import mostly_nightly
from tests.service.cups import Cup
from tests.service.mailclub import MailClub, text_of
from tests.service.test_jobs import to_operator
from tests.service.test_substitutes import OPTIONS

pytestmark = pytest.mark.slow

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
LATER = MONDAY + 3 * DAY
ACCEPT = re.compile(r"^ACCEPT (\w+)$", re.MULTILINE)
GONE = "US/Pacific-New"
REPORT = "[good] Turn 1: your move"

EXPIRED = "expires_at = '2026-11-26T11:00:00.000000Z'"
PART = "stopped a part of its work"

# What is damaged, and words of what the operator reads of it, at the latest in the tick after that;
# none if the row is not read then, or its fault is told to its player.
DAMAGES: dict[str, str] = {
    "player SET zone = 'US/Pacific-New' WHERE name = 'Cleo'": f"Cleo: the time zone '{GONE}'",
    "player SET zone = '/etc/passwd' WHERE name = 'Dag'": "Dag: the time zone '/etc/passwd'",
    "player SET language = 'xx' WHERE name = 'Anna'": "Anna: the language 'xx'",
    "player SET confirmed_at = 'garbage' WHERE name = 'Anna'": "m cannot be read",
    "player SET reminders = 'x', board = 'x', page = 'x', tips = 'x', letters = 'x'"
    " WHERE name = 'Bob'": "",
    "match SET options = 'garbage' WHERE name = 'p'": "p cannot be read",
    "match SET options = json_set(options, '$.timezone', 'US/Pacific-New') WHERE name = 'p'": (
        f"p: the time zone '{GONE}'"
    ),
    "match SET options = json_set(options, '$.strange', 'x') WHERE name = 'p'": (
        "p: the option 'strange=x' is not known"
    ),
    "match SET options = json_set(options, '$.deadline', 'soon') WHERE name = 'p'": (
        "p cannot be read"
    ),
    "match SET options = json_set(options, '$.absence', 'x', '$.level', 'x', '$.press', 'x',"
    " '$.leave', 'x', '$.names', 'x') WHERE name = 'm'": "m: the option 'leave=x' is not known",
    "match SET variant = 'huge' WHERE name = 'm'": "m cannot be read",
    "match SET result = 'garbage' WHERE name = 'spring-1'": "",
    "turn SET snapshot = 'garbage' WHERE match_id = 3": "p cannot be read",
    "event SET body = 'garbage' WHERE match_id = 3": "p cannot be read",
    "ruling SET told = 'garbage' WHERE match_id = 3": "p cannot be read",
    "report SET body = 'garbage' WHERE match_id = 3": "",
    "submission SET orders = 'garbage' WHERE match_id = 2": "m cannot be read",
    "seat SET player_id = 999 WHERE match_id = 3 AND name = 'white'": "p cannot be read",
    "seat SET player_id = NULL, computer = 'computer:gone' WHERE match_id = 3 AND"
    " name = 'white'": "",
    "substitute_search SET match_id = 999": PART,
    "substitute_search SET cause = 'strange'": "",
    f"offer SET details = 'garbage', {EXPIRED} WHERE kind = 'substitute'": PART,
    "offer SET kind = 'strange' WHERE kind = 'substitute'": "",
    f"offer SET player_id = 999, {EXPIRED} WHERE kind = 'substitute'": PART,
    f"offer SET details = 'garbage', {EXPIRED} WHERE kind = 'invite'": "keeps invite from going on",
    "offer SET match_id = 999": "",
    "outbox SET body = 'garbage' WHERE match_id = 3": "",
    "outbox SET kind = 'strange' WHERE match_id = 3": "",
    "outbox SET player_id = 999 WHERE match_id = 3": "",
    "letter SET match_id = 999": "",
    "letter SET player_id = 999": "",
    "parked_letter SET letter_id = 999": "",
    "absence SET player_id = 999": "",
    "tournament SET options = 'garbage'": "keeps cup from going on",
    "tournament SET format = 'garbage'": "keeps cup from going on",
    "tournament SET kind = 'strange'": "",
    "entry SET player_id = 999": "",
    "pairing SET match_id = 999 WHERE board = 1": "cup-1-",
    "ladder SET options = 'garbage'": "spring cannot be read",
    "challenge SET match_id = 999": "",
    "challenge SET challenger_id = 999": "",
    "rung SET player_id = 999 WHERE place = 1": "",
    "past_epoch SET match_id = 999": "",
    "joining SET match = 'nowhere', language = 'xx'": "",
    "press SET readers = 'garbage', body = 'garbage'": "",
    "declaration SET kind = 'strange'": "",
    "tenure SET player_id = 999": "",
    "conduct SET player_id = 999": "",
    "conduct_day SET day = 'garbage'": "",
    f"guest SET asker_id = 999, planned = 'garbage', {EXPIRED}": "",
    "guest SET status = 'strange', expires_at = 'garbage'": "",
    "club SET site_at = 'garbage'": "",
    "clock SET last_tick_at = 'garbage'": "",
}

# Of each table what is told and what is not, every day.
EACH_TABLE = {
    (statement.partition(" ")[0], told == ""): statement
    for statement, told in reversed(DAMAGES.items())
}


def begin(club: MailClub) -> None:
    """Let something of each kind be due on Thursday; the orders of the match `good` are in."""
    store, context = club.store, club.context
    club.add("Gina", "Gus", "Anna", "Bob", "Cleo", "Dag", "Eva", "Finn")
    club.new("deadline=every 9 days", name="good", white="Gina", black="Gus")
    club.new(*OPTIONS, name="m")
    club.new("deadline=every 5 days", name="p")
    club.new("chance=drand", name="w")
    for name in ("Cleo", "Dag", "Eva", "Finn"):
        club.say(name, "PREFS SUBSTITUTE ON")
    club.say("Dag", "PREFS LETTERS DAILY")
    club.say("Anna", "ABSENCE 2026-12-01 2026-12-03")
    club.run_tick()
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", match="p")
    club.send("white", "SETUP RANDOM", match="m")
    Cup(club, 4, "swiss")
    Club(store, context).start_tournament("cup")
    wanted = NewLadder(name="spring", game="espionage", variant="small")
    Club(store, context).create_ladder(wanted)
    for name in ("Anna", "Bob", "Cleo"):
        Club(store, context).enter_ladder("spring", name)
    club.say("Bob", "INVITE Anna TO spring")
    emails = club.run_tick()
    (code,) = (one for email in emails for one in ACCEPT.findall(text_of(email)))
    club.say("Anna", f"ACCEPT {code}")
    club.say("Cleo", "INVITE Bob TO spring")
    club.say("Eva", "INVITE Finn TO espionage")
    club.say("Gus", "INVITE FRIEND TO espionage")
    club.new(name="l", white="Dag", black="Eva")
    club.new(name="free", white="Anna", black="open")
    club.run_tick()
    p = {"to": club.address("white", "p")}
    club.write("white", "PRESS TO black", "hello", "ENDPRESS", "DRAW", "NOTE he is brave", **p)
    club.write("white", "JOIN free", to="adjud@play.example.org", sender="zed@example.org")
    club.say("Anna", "MATCH p", "NOTE x", sender="other@example.org")
    club.run_tick(MONDAY + HOUR)
    club.run_tick(MONDAY + DAY)  # Black is silent in `m`
    Club(store, context).replace("l", "black", "Finn", now=MONDAY + DAY)
    more = {"language": "en", "zone": "UTC", "confirmed": False, "sends_mail": True}
    Club(store).add_player("Ulla", "ulla@example.org", **more)
    Club(store, context).cancel("spring-1", now=MONDAY + DAY)
    Club(store, context).announce("p", "Easter.", now=LATER)
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", match="good", now=LATER)
    with store.transaction() as tx:
        tx.exec_driver_sql(
            "INSERT INTO past_epoch (epoch, match_id, ply, ended_at, saved_at)"
            " SELECT 'bbbbb', id, 0, '2026-11-25T11:00:00.000000Z', '2026-11-24T11:00:00.000000Z'"
            " FROM match WHERE name = 'l'"
        )


def prepared(store: Store, folder: Path) -> MailClub:
    club = MailClub(store, folder / "spool")
    codes = (f"CDE{n}" for n in range(200, 999))
    club.context = structs.replace(
        club.context, coder=lambda: next(codes), max_silent=None, hooks_file=folder / "events"
    )
    return club


def tick(club: MailClub, at: datetime) -> list[EmailMessage]:
    emails = [*club.run_tick(at)]
    assert not [one for one in to_operator(emails) if "inside adjud" in one and SECRET(one)]
    return emails


SECRET = re.compile(r"(?i)substitut|search|offer|white|black|silent").search


def damage(path: str, statement: str) -> Mapping[tuple[int, str], object]:
    """Damage rows, as somebody does who knows no rules; return what was in them."""
    table, _, _ = statement.partition(" ")
    with closing(sqlite3.connect(path)) as database, database:
        before, after = (
            cells(database, table, statement if done else None) for done in (False, True)
        )
    found = {key: value for key, value in before.items() if after[key] != value}
    assert found
    return found


def cells(
    database: sqlite3.Connection, table: str, first: str | None
) -> dict[tuple[int, str], object]:
    if first is not None:
        database.execute(f"UPDATE {first}")
    rows = database.execute(f"SELECT rowid AS number, * FROM {table}")
    names = [column[0] for column in rows.description]
    return {(row[0], name): value for row in rows for name, value in zip(names, row, strict=True)}


def mend(path: str, statement: str, was: Mapping[tuple[int, str], object]) -> None:
    table, _, _ = statement.partition(" ")
    with closing(sqlite3.connect(path)) as database, database:
        for (number, column), value in was.items():
            database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (value, number))


@pytest.mark.parametrize(
    "statement", mostly_nightly(DAMAGES, every_day=EACH_TABLE.values()), ids=str
)
def test_another_match_is_played_and_all_goes_on_when_it_is_mended(
    store: Store, tmp_path: Path, statement: str
) -> None:
    club = prepared(store, tmp_path)
    club.brought("damaged rows", lambda: begin(club))
    club.say("Eva", "MATCH l", "STATUS", "MATCH p", "STATUS", at=LATER)
    club.context = structs.replace(club.context, raise_faults=False)
    path = str(store.engine.url.database)
    was = damage(path, statement)

    emails = tick(club, LATER)
    assert club.loaded("good").match.ply == 1
    (told,) = [one for one in emails if one["Subject"].startswith(REPORT)]
    assert told["To"] == "Gina <gina@example.org>"
    emails += tick(club, LATER + HOUR)
    assert DAMAGES[statement] in " ".join(to_operator(emails))

    mend(path, statement, was)
    for hours in (2, 26):
        tick(club, LATER + hours * HOUR)
        told_late = "was a secret until the match was over"
        assert not [one for one in club.told if "inside adjud" in one and told_late not in one]
    with store.reading() as tx:
        going = [one.name for one in all_matches(tx) if one.status not in ("over", "waiting")]
    for name in going:
        assert club.loaded(name).match.ply >= 0


@pytest.mark.real
def test_a_server_takes_back_what_a_damaged_row_began(postgres_url: str, tmp_path: Path) -> None:
    create(postgres_url)
    with closing(open_store(postgres_url)) as store:
        club = prepared(store, tmp_path)
        begin(club)
        club.context = structs.replace(club.context, raise_faults=False)
        with store.transaction() as tx:
            for one in (
                "offer SET details = 'garbage'",
                "substitute_search SET cause = 'strange'",
                "tournament SET format = 'garbage'",
                "turn SET snapshot = 'garbage' WHERE match_id = 3",
                "player SET zone = 'US/Pacific-New' WHERE name = 'Cleo'",
            ):
                assert tx.exec_driver_sql(f"UPDATE {one}").rowcount > 0
        emails = [*tick(club, LATER), *tick(club, LATER + HOUR)]
        assert club.loaded("good").match.ply == 1
        assert [one for one in emails if one["Subject"].startswith(REPORT)]
        told = " ".join(to_operator(emails))
        for words in (
            "keeps cup from going on",
            "p cannot be read",
            f"Cleo: the time zone '{GONE}'",
        ):
            assert words in told
