"""In the value of an email a report leaves out what is so where nothing is said. Versions before
1.0.0 left nothing out."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from adjudicator.core.report import Committed
from adjudicator.core.visible import Visible, _defaults
from adjudicator.games.espionage.sight.observe import SeenPiece
from adjudicator.games.spies.sight.view import SeenSecret
from adjudicator.service.emails import value as values
from tests.club import Store
from tests.service.cheats.forms import spelled
from tests.service.mailclub import value_in
from tests.service.spiesclub import SpiesClub
from tests.values import EmailValue, UnreadableValue, write


@pytest.fixture
def text(store: Store, tmp_path: Path) -> bytes:
    """Return the value of the newest report of a seat of Spies."""
    club = SpiesClub(store, tmp_path / "spool")
    club.start(players=2)
    raw = [raw for _, to, raw in club.way.letters if to == "anna@example.org"][-1]
    return value_in(raw)


def as_before(text: bytes) -> EmailValue:
    return replace(values.read(text), adjud="0.3.1")


def bare(said: Any) -> Any:
    """Return JSON without what is null, false or empty."""
    if isinstance(said, list):
        return [*map(bare, said)]
    if isinstance(said, dict):
        return {key: bare(one) for key, one in said.items() if one not in (None, False, [], {}, "")}
    return said


def test_a_report_in_a_value_has_the_keys_of_json_reports_that_say_something(text: bytes) -> None:
    value = values.read(text)
    said, whole = json.loads(text)["report"], values.report_value(value.told)
    assert value.report == whole
    assert bare(said) == bare(whole)
    assert len(spelled(said)) < 0.8 * len(spelled(whole))
    assert {"secret", "origin", "city"} in [one.keys() for one in said["secrets"]]


def test_what_older_versions_wrote_leaves_nothing_out_and_is_read(text: bytes) -> None:
    value = as_before(text)
    whole = values.to_json(value).encode()
    assert json.loads(whole)["report"] == values.read(text).report
    with patch("adjudicator.service.emails.value.prints_alike", return_value=True):
        assert values.read(whole) == value
    assert write(value) == write(replace(values.read(text), adjud=value.adjud))


@pytest.mark.parametrize("key", ["orders", "notices"])
def test_there_is_one_way_to_write_it(text: bytes, key: str) -> None:
    said = json.loads(text)
    assert key not in said["report"]
    said["report"][key] = None
    with pytest.raises(UnreadableValue) as raised:
        values.read(spelled(said).encode())
    assert raised.value.false
    short = values.to_json(values.read(text)).replace(values.read(text).adjud, "0.3.1")
    with (
        patch("adjudicator.service.emails.value.prints_alike", return_value=True),
        pytest.raises(UnreadableValue),
    ):
        values.read(short.encode())


def kinds(kind: type[Visible] = Visible) -> Iterator[type[Visible]]:
    """Yield all kinds of values that may be shown."""
    yield kind
    for one in kind.__subclasses__():
        yield from kinds(one)


def test_what_is_left_out_says_nothing() -> None:
    places = ("adjudicator.core.report", "adjudicator.core.match", "adjudicator.games")
    of_reports = [one for one in kinds() if one.__module__.startswith(places)]
    assert {Committed, SeenSecret, SeenPiece} < {*of_reports}
    for kind in of_reports:
        told = [*_defaults(kind).values()]
        assert all(one is None or one is UNSET or not one for one in told), kind
        assert not any(isinstance(one, int) and one is not False for one in told), kind
