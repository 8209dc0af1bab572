"""Nothing leaves the core but what is declared visible."""

import json
from enum import StrEnum
from types import MappingProxyType

import msgspec
import pytest

from adjudicator.core.message import Message, say
from adjudicator.core.report import Dropped, Notice, Report, flat, flat_in_words, sentences_of_old
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


def report_with(**more: object) -> Report[Seen, Seen]:
    return Report(
        view=Seen(start="d3"),
        match="m",
        game="chess",
        variant="",
        options={},
        players={},
        phase="play",
        seat="white",
        ply=1,
        turn=1,
        result=None,
        **more,
    )


def in_capitals(message: Message) -> str:
    return str(message).upper()


def test_a_report_holds_its_sentences_as_messages_and_says_them_in_words_for_scripts():
    ruled = Notice(at="2026-08-14T16:00:00Z", told=say("{match} is on hold.", match="m"))
    fallen = Dropped(turn=2, line=3, text="a1-a2", why=say("not your piece"))
    report = report_with(
        notices=(ruled, msgspec.structs.replace(ruled, reason="Sorry.")), dropped=(fallen,)
    )
    assert "M IS ON HOLD" not in json.dumps(flat(report)).upper()
    told = flat_in_words(report, in_capitals)
    assert [one["text"] for one in told["notices"]] == ["M IS ON HOLD.", "M IS ON HOLD. Sorry."]
    assert told["dropped"] == [{"turn": 2, "line": 3, "text": "a1-a2", "message": "NOT YOUR PIECE"}]


def test_sentences_that_older_programs_stored_are_read_as_they_stand():
    old = flat_in_words(
        report_with(
            notices=(Notice(at="2026-08-14T16:00:00Z", told=say("{match} {{}}", match="m")),),
            dropped=(Dropped(turn=2, line=3, text="a1-a2", why=say("no")),),
        ),
        str,
    )
    told = sentences_of_old(old)
    assert told["notices"] == [{"at": "2026-08-14T16:00:00Z", "told": {"text": "m {}"}}]
    notice = msgspec.convert(told["notices"][0], Notice)
    assert notice.in_words(str) == "m {}"
    (fallen,) = msgspec.convert(told["dropped"], tuple[Dropped, ...])
    assert (fallen.text, str(fallen.why)) == ("a1-a2", "no")
    assert sentences_of_old(told) == told
    assert sentences_of_old({"match": "m"}) == {"match": "m"}
