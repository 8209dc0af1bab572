"""Events for the club's hooks (docs/club.md, 12.1 and 12.2)."""

import json
import os
import sys
from datetime import timedelta
from random import Random

import pytest
from msgspec.structs import replace

from adjudicator.service.ops import hooks, metrics
from adjudicator.store import happenings
from adjudicator.store.happenings import note_event
from tests.club import MONDAY, Club, Paths, examine
from tests.database import COMMAND, FILE, open_store
from tests.service.cups import Cup
from tests.service.mailclub import MailClub

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
KEYS = {
    "match.opened": set(),
    "match.turn": {"turn", "awaited", "deadline"},
    "match.over": {"result", "places"},
    "match.held": set(),
    "match.resumed": set(),
    "seat.changed": {"seat"},
    "tournament.started": set(),
    "tournament.round": {"round"},
    "tournament.over": set(),
}


@pytest.fixture
def club(store, tmp_path):
    club = Club(store)
    club.context = replace(club.context, hooks_file=tmp_path / "events.jsonl")
    club.listen(FILE)
    return club


def hand_over(club, now=MONDAY):
    return [str(one) for one in club.hand_over(now=now)]


def events(club):
    hand_over(club)
    path = club.context.hooks_file
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def seen(club):
    return [one["event"] for one in events(club)]


def test_a_match_tells_its_events_in_order_and_nothing_else(club):
    club.add("Anna", "Bob", "Carl")
    club.new("deadline=every 3 days")
    club.send("white", "SETUP RANDOM")
    club.send("black", "SETUP RANDOM")
    club.tick()
    club.hold("m", reason="x")
    club.resume("m", reason="x", extend=DAY)
    club.replace("m", "black", "Carl", reason="x")
    club.send("white", "RESIGN")
    club.tick()
    found = events(club)
    assert [one["event"] for one in found] == [
        "match.opened", "match.turn", "match.turn", "match.held", "match.resumed",
        "seat.changed", "match.over",
    ]  # fmt: skip
    for one in found:
        assert set(one) == {"id", "at", "event", "match", *KEYS[one["event"]]}
        assert one["at"] == "2026-11-23T12:00:00Z"
    assert len({one["id"] for one in found}) == len(found)
    turn = found[2]
    assert (turn["turn"], turn["awaited"], turn["deadline"]) == (
        1, ["white"], "2026-11-26T12:00:00Z",
    )  # fmt: skip
    assert found[-1]["result"] == {"winners": ["black"], "reason": "resignation"}
    assert found[-1]["places"] == [["black"], ["white"]]
    text = club.context.hooks_file.read_text()
    assert not any(name in text for name in ("Anna", "Bob", "Carl"))


def test_what_a_seat_sends_is_no_event(club):
    club.add("Anna", "Bob")
    club.new()
    before = seen(club)
    club.send("white", "SETUP RANDOM")
    club.send("white", "NOTREADY")
    club.tick()
    assert seen(club) == before


def test_an_undo_tells_the_turn_again(club):
    club.begin()
    club.context = replace(club.context, sends_mail=False)
    club.undo("m", reason="x")
    assert [one["turn"] for one in events(club) if one["event"] == "match.turn"] == [0, 1, 0]


def test_without_hooks_nothing_is_written(store, tmp_path):
    club = Club(store)
    club.begin()
    with store.reading() as tx:
        assert happenings.waiting(tx, FILE, 5) == []


def test_a_fact_that_is_not_committed_is_no_event(club):
    def fails():
        with club.store.transaction() as tx:
            note_event(tx, "ladder.changed", at=MONDAY, ladder="l")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert events(club) == []


def note(club, n, at=MONDAY):
    with club.store.transaction() as tx:
        note_event(tx, "tournament.round", at=at, tournament="cup", round=n)


class Killed(BaseException):
    pass


@pytest.mark.parametrize("at", ["write", "fsync", "transaction"])
def test_after_kills_each_id_is_there_once_or_the_same_bytes_again(club, monkeypatch, at):
    path = club.context.hooks_file
    for n in range(20):
        note(club, n)
        with monkeypatch.context() as patch:
            if at == "write":  # in the middle of a line
                patch.setattr(hooks.os, "write", lambda file, text: die(file, text[:30]))
            elif at == "fsync":
                patch.setattr(hooks.os, "fsync", lambda file: die())
            else:
                patch.setattr(happenings, "hand_over", lambda *args: die())
            with pytest.raises(Killed):
                hand_over(club)
    hand_over(club)
    assert hand_over(club) == []
    lines = path.read_bytes().split(b"\n")
    assert lines.pop() == b""
    ids = [json.loads(line)["id"] for line in lines]
    assert len(set(ids)) == 20
    assert len(set(lines)) == 20  # what is there twice is the same
    if at == "write":
        assert len(lines) == 20
    assert [json.loads(line)["round"] for line in dict.fromkeys(lines)] == list(range(20))


WRITE = os.write


def die(*half):
    if half:
        WRITE(*half)
    raise Killed


def test_a_file_of_somebody_elses_keeps_its_last_line(club):
    path = club.context.hooks_file
    path.write_text("mine")
    note(club, 1)
    hand_over(club)
    assert path.read_text().startswith('mine\n{"id":')


def test_a_file_that_cannot_be_written_loses_nothing(club, tmp_path):
    right = club.context
    note(club, 1)
    club.context = replace(right, hooks_file=tmp_path / "no" / "events.jsonl")
    (told,) = club.hand_over()
    assert told.failed
    assert "events cannot be written to" in str(told)
    club.context = right
    assert seen(club) == ["tournament.round"]


SCRIPT = """\
import sys, pathlib
here = pathlib.Path({folder!r})
if (here / "broken").exists():
    sys.exit(3)
with open(here / "got", "a") as file:
    file.write(sys.stdin.read())
print("nobody reads this")
"""


@pytest.fixture
def commanded(store, tmp_path):
    script = tmp_path / "on_event.py"
    script.write_text(SCRIPT.format(folder=str(tmp_path)))
    club = Club(store)
    club.context = replace(club.context, hooks_command=(sys.executable, str(script)))
    club.listen(COMMAND)
    return club


def got(tmp_path):
    path = tmp_path / "got"
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line)["round"] for line in lines]


def test_a_command_gets_each_event_and_is_tried_again_in_order(commanded, tmp_path):
    broken = tmp_path / "broken"
    note(commanded, 1)
    hand_over(commanded)
    broken.touch()
    note(commanded, 2)
    note(commanded, 3)
    assert hand_over(commanded) == ["the command for events failed: exit 3"]
    broken.unlink()
    assert hand_over(commanded, MONDAY + MINUTE) == []  # not yet
    assert got(tmp_path) == [1]
    hand_over(commanded, MONDAY + 5 * MINUTE)
    assert got(tmp_path) == [1, 2, 3]


def findings(club, tmp_path, *, given=True):
    at = Paths(
        config=None,
        key=tmp_path / "key",
        spool=tmp_path / "spool",
        hooks_file=club.context.hooks_file,
        hooks_command=club.context.hooks_command if given else (),
    )
    url = str(club.store.engine.url)
    found = examine(url, at, now=MONDAY, only={"hooks"}, debug=True)
    numbers = metrics.text(list(metrics.measure(url, at, now=MONDAY)))
    return [(one.state, str(one.text)) for one in found], numbers


def test_an_event_is_given_up_after_100_tries_and_the_doctor_says_so(commanded, tmp_path):
    (tmp_path / "broken").touch()
    note(commanded, 1)
    note(commanded, 2)
    hand_over(commanded)
    told, numbers = findings(commanded, tmp_path)
    assert told == [("bad", "hooks: 2 events wait, because the command failed: exit 3")]
    assert 'adjud_events{state="waiting"} 2' in numbers
    with commanded.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE happening SET tries = 99 WHERE body LIKE '%\"round\":1%'")
    now = MONDAY + DAY
    (given_up, failed) = commanded.hand_over(now=now)
    assert given_up.urgent
    assert str(given_up) == "an event was given up after 100 tries: exit 3"
    assert str(failed) == "the command for events failed: exit 3"
    told, numbers = findings(commanded, tmp_path)
    assert told == [("bad", "hooks: 1 event was given up after 100 tries: exit 3")]
    assert 'adjud_events{state="given_up"} 1' in numbers
    (tmp_path / "broken").unlink()
    hand_over(commanded, now + DAY)
    assert got(tmp_path) == [2]


def test_a_command_that_is_not_there_or_does_not_end_has_failed(commanded, monkeypatch):
    note(commanded, 1)
    commanded.context = replace(commanded.context, hooks_command=("/nowhere/on-event",))
    assert hand_over(commanded) == ["the command for events failed: No such file or directory"]
    monkeypatch.setattr(hooks, "SECONDS", 0.2)
    commanded.context = replace(commanded.context, hooks_command=("sleep", "60"))
    (told,) = hand_over(commanded, MONDAY + DAY)
    assert told == "the command for events failed: no end after 0 seconds"


def test_two_workers_do_not_give_an_event_twice(commanded, tmp_path):
    note(commanded, 1)
    with commanded.store.transaction() as tx:
        one = happenings.claim(tx, MONDAY, MONDAY + hooks.LEASE)
    assert one is not None
    hand_over(commanded)
    assert got(tmp_path) == []
    hand_over(commanded, MONDAY + hooks.LEASE)  # that worker was killed
    assert got(tmp_path) == [1]


def test_events_for_a_hook_that_is_no_more_are_forgotten(commanded, tmp_path):
    note(commanded, 1)
    commanded.context = replace(commanded.context, hooks_command=())
    hand_over(commanded)
    with commanded.store.reading() as tx:
        assert happenings.waiting(tx, COMMAND, 5) == []
    assert findings(commanded, tmp_path, given=False)[0] == []


def test_both_hooks_get_each_event(commanded, tmp_path):
    commanded.listen(FILE | COMMAND)
    commanded.context = replace(commanded.context, hooks_file=tmp_path / "events.jsonl")
    note(commanded, 1)
    hand_over(commanded)
    assert got(tmp_path) == [1]
    assert (tmp_path / "events.jsonl").read_text() == (tmp_path / "got").read_text()
    with commanded.store.reading() as tx:
        assert happenings.count_waiting(tx).waiting == 0


def test_the_file_is_the_same_whichever_seats_have_sent(new_sqlite, tmp_path):
    """Twins: but for the random ids."""
    told = []
    for name in ("one", "two"):
        store = open_store(new_sqlite(name))
        Club(store).listen(FILE)
        club = MailClub(store, tmp_path / f"{name}-spool")
        club.context = replace(club.context, hooks_file=tmp_path / name)
        club.add("Anna", "Bob")
        club.new("deadline=every 3 days")
        club.run_tick()
        if name == "two":
            club.write("white", "SETUP RANDOM")
        club.run_tick()
        club.run_tick(MONDAY + 4 * DAY)
        lines = (tmp_path / name).read_text().splitlines()
        told.append([{**json.loads(line), "id": ""} for line in lines])
        store.close()
    assert told[0] == told[1]


def test_a_tournament_of_four_with_twenty_kills(store, tmp_path, monkeypatch):
    """Each id is there once, or with the same bytes again; no key is beyond those of the book."""
    Club(store).listen(FILE)
    club = MailClub(store, tmp_path / "spool")
    path = tmp_path / "events.jsonl"
    club.context = replace(club.context, hooks_file=path)
    draw = Random(17)
    kills = 0

    def hand_over_and_be_killed():
        nonlocal kills
        with monkeypatch.context() as patch:
            name = draw.choice(("write", "fsync", "rows"))
            if name == "rows":
                patch.setattr(happenings, "hand_over", lambda *args: die())
            elif name == "fsync":
                patch.setattr(hooks.os, "fsync", lambda file: die())
            else:
                cut = draw.randrange(1, 200)
                patch.setattr(hooks.os, "write", lambda file, text: die(file, text[:cut]))
            try:
                hand_over(club)
            except Killed:
                kills += 1

    cup = Cup(club, 4, "round-robin")
    cup.start()
    while cup.now.row.status != "over" or kills < 20:
        hand_over_and_be_killed()
        if cup.now.row.status != "over":
            going = [
                match
                for round_ in (1, 2, 3)
                for match in cup.boards(round_)
                if club.loaded(match).match.status != "over"
            ]
            players = {who for n in (1, 2, 3) for who in cup.boards(n).get(going[0], ())}
            cup.resign(going[0], min(players))
            cup.tick()
        else:
            note(club, kills)
    hand_over(club)
    assert hand_over(club) == []
    lines = path.read_text().splitlines()
    found = [json.loads(line) for line in dict.fromkeys(lines)]
    assert len({one["id"] for one in found}) == len(found)
    for one in found:
        about = {"match", "tournament"} & set(one)
        assert len(about) == 1
        assert set(one) == {"id", "at", "event", *about, *KEYS[one["event"]]}
    told = [one["event"] for one in found if one.get("round", 1) < 4]
    assert told.count("match.opened") == told.count("match.over") == 6
    assert told.count("tournament.started") == told.count("tournament.over") == 1
    assert [one["round"] for one in found if one["event"] == "tournament.round"][:3] == [1, 2, 3]
    assert not any(name in path.read_text() for name in cup.names)
