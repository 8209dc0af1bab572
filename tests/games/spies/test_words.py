"""Everything that Spies says is said in three languages."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from adjudicator.core.message import say
from adjudicator.games.spies.orders.parse import USAGE
from adjudicator.games.spies.orders.words import TITLES
from adjudicator.games.spies.rules.atlas import atlas
from adjudicator.reports.words import words

REPORTS = Path(__file__).parents[2] / "reports"


@pytest.fixture
def catalogues(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(REPORTS))
    import catalogues

    yield catalogues
    sys.modules.pop("catalogues", None)


@pytest.mark.parametrize(("language", "names"), [("en", "en"), ("nb", "nb"), ("sv", "sv")])
def test_powers_have_the_names_of_the_map(language: str, names: str):
    speak = words(language, "spies")
    for power, title in TITLES.items():
        assert speak(title) == atlas().powers[power].names[names]


@pytest.mark.parametrize("language", ["nb", "sv"])
def test_words_of_the_order_language_stay_as_they_are(catalogues: ModuleType, language: str):
    """They are understood in every language, and English ones are what a receipt shows."""
    own = {word for word in USAGE if word.isupper()} | {"VALUE", "CARRYING", "POLICE", "MONEY"}
    for message in catalogues.read("spies", language):
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        strings = message.string if isinstance(message.string, tuple) else (message.string,)
        for one, other in zip(ids, strings, strict=True):
            said = [word for word in one.replace(",", " ").replace(";", " ").split() if word in own]
            assert sorted(said) == sorted(
                word for word in other.replace(",", " ").replace(";", " ").split() if word in own
            )


def test_a_complaint_is_told_in_its_readers_language():
    told = say("{piece} is not yours", piece="I-A")
    assert words("nb", "spies")(told) == "I-A er ikke din"
    assert words("sv", "spies")(told) == "I-A är inte din"
