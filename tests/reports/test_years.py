"""Test that a game whose turns are years is spoken of by them."""

import pytest

from adjudicator.core.message import LANGUAGES, count, say
from adjudicator.games.spies.rules.atlas import FIRST_YEAR
from adjudicator.mail.write import subjects
from adjudicator.reports.words import words
from adjudicator.resources import year_of_set_up
from tests.reports.catalogues import holes, read


def test_the_year_of_the_set_up_is_that_before_the_first():
    assert year_of_set_up("spies") == FIRST_YEAR - 1
    assert year_of_set_up("spion") is None
    assert year_of_set_up("") is None


@pytest.mark.parametrize(
    ("language", "subject", "title", "first"),
    [
        ("en", "[m] 1936: report", "Set-up", "[m] Set-up: report"),
        ("nb", "[m] 1936: rapport", "Oppstilling", "[m] Oppstilling: rapport"),
        ("sv", "[m] 1936: rapport", "Uppställning", "[m] Uppställning: rapport"),
    ],
)
def test_subjects_and_titles_name_the_year(language: str, subject: str, title: str, first: str):
    tell = words(language, "spies")
    assert tell(subjects.report("m", 4)) == subject
    assert tell(say("Turn {turn}", turn=4)) == "1936"
    assert tell(say("Set-up, turn {turn}", turn=0)) == title
    assert tell(subjects.report("m", 0)) == first
    assert "1936" not in words(language, "spion")(subjects.report("m", 4))


def test_a_message_within_another_is_told_so_too():
    told = say(
        "{told} {more}", told=say("Turn {turn}", turn=1), more=say("and turn {turn}", turn=0)
    )
    assert words("en", "spies")(told) == "1933 and the set-up"
    many = count("{n} line", "{n} lines", 2)
    assert words("sv", "spies")(many) == words("sv", "spion")(many)


def test_what_is_typed_keeps_its_number():
    asked = say("for your next turn, write ORDERS {match} turn {turn}", match="m", turn=4)
    assert words("en", "spies")(asked) == "for your next turn, write ORDERS m turn 4"


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_no_translation_of_a_turn_escapes(language: str):
    """Each message that names a turn names it in the translation by the words that are looked
    for."""
    for message in read("adjud", language):
        if isinstance(message.id, str) and "urn {turn}" in message.id:
            values = {**dict.fromkeys(holes(message.id), "x"), "turn": 4}
            english, own = (
                words(one, "spies")(say(message.id, **values)) for one in ("en", language)
            )
            assert ("1936" in english) == ("1936" in own), message.id
            assert "omgång 1936" not in own.casefold()
            assert "runde 1936" not in own.casefold()
