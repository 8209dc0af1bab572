"""Commands that answer with facts answer programs, too: `--format json`."""

import json
from typing import Any

import click

from adjudicator.cli import main
from adjudicator.cli.man_pages import OBJECTS
from tests.cli.test_help import EVERY
from tests.program import Adjud


def objects(adjud: Adjud, *words: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in adjud(*words, "--format", "json").out.splitlines()]


def test_a_match_that_was_opened_is_named(club: Adjud) -> None:
    seats = ("--seat", "white=Anna", "--seat", "black=Bob")
    assert objects(club, "new", "espionage", *seats) == [{"match": "espionage-1"}]


def test_a_tick_tells_each_thing_that_it_did(setting_up: Adjud) -> None:
    for seat in ("white", "black"):
        setting_up.does("submit", "-", stdin=f"ORDERS espionage-1 {seat}\nSETUP RANDOM\nEND\n")
    text = "adjudicated; turn 1 is waiting for white"
    played = {"match": "espionage-1", "text": text, "urgent": False, "failed": False}
    assert objects(setting_up, "tick") == [played]
    assert objects(setting_up, "tick") == []
    assert objects(setting_up, "tick", "--quiet") == []


def test_what_cannot_be_done_is_an_object_and_a_message(by_mail: Adjud) -> None:
    config = by_mail.folder / "adjud.toml"
    config.write_text(config.read_text() + 'fetch = "maildir:/nowhere"\n')
    answer = by_mail("tick", "--format", "json")
    (told,) = [one for one in map(json.loads, answer.out.splitlines()) if one["failed"]]
    assert told["match"] is None
    assert answer.err == f"adjud: {told['text']}\n"


def test_verify_tells_of_each_match(playing: Adjud) -> None:
    agrees = {"match": "espionage-1", "agrees": True, "faults": []}
    assert objects(playing, "verify") == [agrees]


def test_an_email_of_the_queue_is_an_object(by_mail: Adjud) -> None:
    listed = objects(by_mail, "mail", "queue", "list", "--gm")
    shown = objects(by_mail, "mail", "queue", "show", listed[0]["id"], "--gm")
    assert shown == [{**listed[0], "says": shown[0]["says"]}]
    as_text = by_mail.does("mail", "queue", "show", listed[0]["id"], "--gm")
    assert as_text.endswith(f"\n{shown[0]['says']}\n")


def test_pages_and_their_links_are_told(playing: Adjud) -> None:
    folder = str(playing.folder / "pages")
    assert objects(playing, "site", "build", folder) == [
        {"folder": folder, "playing": 1, "ended": 0}
    ]
    words = ("site", "link", "espionage-1", "white", "--gm")
    assert objects(playing, *words) == [{"link": playing.does(*words).strip()}]


def test_the_schemas_before_and_after_an_upgrade_are_told(club: Adjud) -> None:
    (told,) = objects(club, "db", "upgrade")
    assert told["before"] == told["after"]


def test_what_each_such_command_prints_is_told() -> None:
    assert sorted(OBJECTS) == sorted(" ".join(path) for path in EVERY if _answers_so(path))


def _answers_so(path: tuple[str, ...]) -> bool:
    command: click.Command = main
    for name in path:
        assert isinstance(command, click.Group)
        command = command.commands[name]
    return any("--format" in parameter.opts for parameter in command.params)
