"""Nothing leaves the core but what is declared visible."""

import json
from enum import StrEnum
from types import MappingProxyType

import msgspec
import pytest

from adjudicator.core.visible import Visible, plain


class Colour(StrEnum):
    RED = "red"


class Seen(Visible, frozen=True, kw_only=True, rename={"start": "from"}):
    start: str
    colour: Colour | None = None
    note: str | msgspec.UnsetType = msgspec.UNSET
    more: object = None


class Secret(msgspec.Struct, frozen=True):
    rank: str


def test_a_visible_value_becomes_dicts_lists_and_strings():
    seen = Seen(start="d3", colour=Colour.RED, more=(Seen(start="d4"), {1: [True, None, 2]}))
    made = plain(seen)
    assert made == {
        "from": "d3",
        "colour": "red",
        "more": [{"from": "d4", "colour": None, "more": None}, {"1": [True, None, 2]}],
    }
    assert type(made["colour"]) is str
    assert json.loads(json.dumps(made)) == made


def test_what_is_unset_is_absent():
    assert "note" not in plain(Seen(start="d3"))
    assert plain(Seen(start="d3", note="x"))["note"] == "x"


def test_a_tagged_value_is_told_with_its_tag():
    class Went(Visible, frozen=True, kw_only=True, tag_field="type", tag="went"):
        city: str

    assert plain((Went(city="PRA"),)) == [{"type": "went", "city": "PRA"}]


def test_any_mapping_becomes_a_dict():
    assert plain(MappingProxyType({"white": 1})) == {"white": 1}


@pytest.mark.parametrize(
    "hidden",
    [
        Secret("mine"),
        {"white": Secret("mine")},
        [1, (Secret("mine"),)],
        Seen(start="d3", more=Secret("mine")),
        Seen(start="d3", more=(Seen(start="d4", more=Secret("mine")),)),
        object(),
        {"mine"},
        frozenset({"mine"}),
        b"mine",
        1.5,
    ],
)
def test_what_is_not_declared_visible_is_refused_wherever_it_stands(hidden: object):
    with pytest.raises(TypeError, match="is not visible to players"):
        plain(hidden)


def test_the_refusal_does_not_tell_the_secret():
    with pytest.raises(TypeError) as caught:
        plain(Secret("mine"))
    assert "mine" not in str(caught.value)
