"""Everything that Spies says is said in three languages."""

import pytest

from adjudicator.core.message import say
from adjudicator.games.spies.orders.words import TITLES
from adjudicator.games.spies.rules.atlas import atlas
from adjudicator.reports.words import words


@pytest.mark.parametrize(("language", "names"), [("en", "en"), ("nb", "nb"), ("sv", "sv")])
def test_powers_have_the_names_of_the_map(language: str, names: str):
    speak = words(language, "spies")
    for power, title in TITLES.items():
        assert speak(title) == atlas().powers[power].names[names]


def test_a_complaint_is_told_in_its_readers_language():
    told = say("{piece} is not yours", piece="I-A")
    assert words("nb", "spies")(told) == "I-A er ikke din"
    assert words("sv", "spies")(told) == "I-A är inte din"
