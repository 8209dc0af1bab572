"""Sentences for people, translated only where somebody reads them."""

import msgspec

from adjudicator.core.message import Message, at, count, say, tell, together
from adjudicator.reports.words import words

NORWEGIAN = {
    "you have no piece on {square}": "du har ingen brikke på {square}",
    "the piece on {square} is your {rank}": "brikken på {square} er din {rank}",
    "Mine": "Mine på norsk",
}


def _norwegian(text: str) -> str:
    return NORWEGIAN.get(text, text)


def _norwegian_plural(one: str, many: str, n: int) -> str:
    return "{n} trekk" if n != 1 else "ett trekk"


def test_a_sentence_is_told_in_english_with_its_holes_filled():
    assert str(say("you have no piece on {square}", square="d3")) == "you have no piece on d3"


def test_a_sentence_is_told_in_the_language_of_its_reader():
    message = say("you have no piece on {square}", square="d3")
    assert tell(message, _norwegian) == "du har ingen brikke på d3"


def test_a_sentence_within_a_sentence_is_translated_too():
    message = say("the piece on {square} is your {rank}", square="d3", rank=say("Mine"))
    assert str(message) == "the piece on d3 is your Mine"
    assert tell(message, _norwegian) == "brikken på d3 er din Mine på norsk"


def test_names_are_listed_as_in_a_sentence():
    assert together(["blue"]) == "blue"
    assert together(["blue", "red"]) == "blue and red"
    assert together(["blue", "green", "red"]) == "blue, green and red"


def test_a_number_decides_between_one_and_many():
    def steps(n: int) -> Message:
        return count("{n} step", "{n} steps", n)

    assert [str(steps(n)) for n in (0, 1, 2)] == ["0 steps", "1 step", "2 steps"]
    assert tell(steps(1), _norwegian, _norwegian_plural) == "ett trekk"
    assert tell(steps(3), _norwegian, _norwegian_plural) == "3 trekk"


def test_braces_that_a_player_wrote_are_left_as_they_are():
    assert str(say("I do not understand '{seen}'", seen="{square}")) == (
        "I do not understand '{square}'"
    )


def test_a_sentence_without_holes_may_hold_braces():
    assert str(say("write {d3}")) == "write {d3}"


def test_a_sentence_can_be_stored_and_told_later():
    message = count("{n} step by {who}", "{n} steps by {who}", 2, who=say("Mine"))
    stored = msgspec.json.decode(msgspec.json.encode(message), type=Message)
    assert stored == message
    assert str(stored) == "2 steps by Mine"


def test_a_moment_in_a_sentence_is_told_in_the_zone_and_language_of_its_reader():
    message = say("until {when}", when=at("2026-11-26T18:00:00Z"))
    stored = msgspec.json.decode(msgspec.json.encode(message), type=Message)
    assert str(stored) == "until 2026-11-26T18:00:00Z"
    assert words("en", "", "Europe/Oslo")(stored) == (
        "until Thu 26 Nov 2026, 19:00 Europe/Oslo (18:00 UTC)"
    )
    assert words("nb", "")(stored) == "until tor. 26. nov. 2026, 18:00 UTC"
