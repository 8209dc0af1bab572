"""The settings of the hooks, by the command line alone (docs/club.md, 12.1)."""

import json

from tests.program import Adjud


def test_a_tick_hands_over_what_commands_did(playing: Adjud) -> None:
    playing.write("adjud.toml", '[hooks]\nfile = "events.jsonl"\n')
    playing.does("gm", "hold", "espionage-1", "--reason", "x")
    path = playing.folder / "events.jsonl"
    assert not path.exists()
    playing.does("tick")
    (held,) = map(json.loads, path.read_text().splitlines())
    assert held.pop("id")
    assert held.pop("at")
    assert held == {"event": "match.held", "match": "espionage-1"}
    assert playing.does("tick") == ""
    assert len(path.read_text().splitlines()) == 1
    assert "all events so far were handed over" in playing("doctor").out


def test_a_wrong_setting_is_told(playing: Adjud) -> None:
    playing.write("adjud.toml", '[hooks]\ncommand = "on-event \'x"\n')
    answer = playing("tick")
    assert answer.code != 0
    assert "hooks.command: No closing quotation" in answer.err
    playing.write("adjud.toml", '[hooks]\nfile = "no/such/folder/events"\n')
    playing.does("gm", "hold", "espionage-1", "--reason", "x")
    answer = playing("tick")
    assert answer.code == 1
    assert "events cannot be written to" in answer.out + answer.err
    assert (
        "events cannot be" in playing("doctor").out or "cannot be written" in playing("doctor").out
    )
