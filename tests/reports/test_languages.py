import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from catalogues import LANGUAGES, catalogues, extracted, holes, place, read, troubles
from msgspec.structs import replace
from samples import played, report

from adjudicator.core.commands import read_commands
from adjudicator.core.message import Message, count, say
from adjudicator.core.orders import split_lines
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.orders.words import NAMES, TITLES
from adjudicator.reports import words as module
from adjudicator.reports.words import load_catalogue, supported_language, words
from adjudicator.resources import rewordings
from tests.reports.printing import render


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", catalogues())
@pytest.mark.slow
def test_every_message_is_translated(name: str, language: str) -> None:
    found = list(troubles(name, language))
    assert not found, (
        "run `python tests/reports/catalogues.py`, then translate in"
        f" {place(name, language)}:\n" + "\n".join(found)
    )


@pytest.mark.parametrize("name", catalogues())
@pytest.mark.slow
def test_english_can_be_filled_in(name: str) -> None:
    """`str.format_map` takes every message, and its plural has the same holes."""
    for message in extracted(name):
        if isinstance(message.id, tuple):
            one, many = map(holes, message.id)
            assert one | {"n"} == many | {"n"}


NAMES_OF_TIMES = {  # what a turn and a round of turns are called, wherever they are told
    "nb": {"turn": r"\brunde", "round": r"\bomgang", "revision": r"\bversjon"},
    "sv": {"turn": r"\bomgång", "round": r"\b(varv|rond)", "revision": r"\bversion"},
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", catalogues())
def test_a_thing_has_one_name(name: str, language: str) -> None:
    numbered = {
        rf"\b{thing} (?:\{{|%\()|\{{n\}} (?:\w+ )?{thing}s?\b": own
        for thing, own in NAMES_OF_TIMES[language].items()
    }
    for message in read(name, language):
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        strings = message.string if isinstance(message.string, tuple) else (message.string,)
        for one, string in zip(ids, strings, strict=True):
            for english, own in numbered.items():
                if re.search(english, one, re.IGNORECASE):
                    assert re.search(own, string, re.IGNORECASE), (one, string)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", catalogues())
def test_words_are_quoted_as_in_the_language(name: str, language: str) -> None:
    for message in read(name, language):
        strings = message.string if isinstance(message.string, tuple) else (message.string,)
        assert not [string for string in strings if "'{" in string]


@pytest.mark.parametrize(("asked", "served"), [
    ("no", "nb"), ("nb_NO", "nb"), ("nn", "nb"), ("NB-no", "nb"), ("sv_SE", "sv"), ("sv-FI", "sv"),
    ("en_GB", "en"), ("de", "en"), ("", "en"), ("svx", "en"),
])  # fmt: skip
def test_a_near_language_serves(asked: str, served: str) -> None:
    assert supported_language(asked) == served


@pytest.mark.parametrize(("language", "index"), [("en", 0), ("nb", 1), ("sv", -1)])
def test_ranks_have_the_names_of_the_rule_book(language: str, index: int) -> None:
    speak = words(language, "espionage")
    for rank, names in NAMES.items():
        expected = names[-1] if len(names) == 2 and index else names[min(index, len(names) - 1)]
        if rank in ("mine",):
            expected = ("mine", "mine", "mina")[index]
        assert speak(TITLES[rank]).casefold() == expected


def test_holes_and_plurals_are_filled() -> None:
    speak = words("nb", "espionage")
    message = count("{n} piece moves each turn", "{n} pieces move each turn", 2)
    assert speak(message) == "2 brikker flytter i en runde"
    rank = say("White's {rank}", rank=say("Spy"))
    assert speak(rank) == "Hvits spion"
    assert speak(say("Your orders")) == "Ordrene dine"  # from the shared catalogue
    assert speak(say("nobody translated {this}", this="x")) == "nobody translated x"


def test_english_is_the_message_itself() -> None:
    for language in ("en", "fi"):
        assert words(language, "espionage")(say("Your orders")) == "Your orders"


def test_english_words_import_nothing_heavy() -> None:
    code = (
        "import sys; from adjudicator.reports.words import words;"
        "words('en', 'espionage'); print({'babel', 'jinja2'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_catalogue_is_read_compiled_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import write_po

    folder = tmp_path / "locale/sv/LC_MESSAGES"
    folder.mkdir(parents=True)
    catalog = Catalog(locale="sv", fuzzy=False)
    catalog.add("you", "du")
    monkeypatch.setattr(module, "PACKAGE", tmp_path)
    with (folder / "adjud.po").open("wb") as file:
        write_po(file, catalog)
    # Not by `words`: it would keep these words for all tests that come after.
    assert load_catalogue("sv", "").gettext("you") == "du"
    with (folder / "adjud.mo").open("wb") as file:
        write_mo(file, catalog)
    (folder / "adjud.po").unlink()
    assert load_catalogue("sv", "").gettext("you") == "du"


def phrases(language: str) -> set[str]:
    """Return English messages of several words that have another form in the language."""
    messages = [message for name in catalogues() for message in read(name, language)]
    plain = {str(m.id): str(m.string) for m in messages if isinstance(m.id, str)}
    return {one for one, other in plain.items() if " " in one and "{" not in one and one != other}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("suffix", ["txt", "html"])
@pytest.mark.parametrize("most", [0, 40, 2000])
@pytest.mark.slow
def test_no_english_is_left_on_a_page(most: int, suffix: str, language: str) -> None:
    told = report(*list(played(variant="small-fast", most=most))[-1], "white", record=None)
    page = unescape(render(ESPIONAGE, told, suffix, language))
    page = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)  # nobody reads its comments
    body = " ".join(page[page.find("</style>") :].split() if suffix == "html" else page.split())
    assert [phrase for phrase in phrases(language) if phrase in body] == []
    assert not re.search(r"\b(?:White|Black|Turn|Spy|Sapper)\b", body)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_stored_in_the_words_of_an_older_version_is_translated(language: str) -> None:
    older = say("[{match}] Turn {turn}: orders now in force, version {revision}")
    today = say("[{match}] Turn {turn}: your orders are in")
    values = {"match": "m", "turn": 3, "revision": 1}
    read_by = words(language, "espionage")
    assert read_by(replace(older, values=values)) == read_by(replace(today, values=values))
    days = count("{n} day of an older version", "{n} days of an older version", 2)
    assert read_by(days) == "2 days of an older version"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_code_below_words_of_our_own_confirms_nothing(language: str) -> None:
    """A program that answers by itself sends back what we wrote."""
    texts = [one.id for one in extracted("adjud") if isinstance(one.id, str)]
    told = [text for text in texts if "\n\nCONFIRM {code}" in text]
    told += [text for text in texts if text.endswith("with the line")]
    told.append(say("Waiting for you to confirm:").text)
    assert len(told) >= 10
    for text in told:
        above = words(language, "")(Message(text=text)).partition("\n\n")[0]
        sent_back = split_lines(f"{above}\n\nCONFIRM bcdfg\n")
        assert read_commands(sent_back)[0] == (), above


def test_every_reworded_message_leads_to_one_of_today() -> None:
    """No row leads to another one, or the words of an old club would be shown untranslated."""
    today = {
        text
        for name in catalogues()
        for message in extracted(name)
        if message.id
        for text in ([message.id] if isinstance(message.id, str) else message.id)
    }
    assert not set(rewordings().values()) - today
    assert not set(rewordings()) & today
