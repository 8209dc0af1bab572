"""The words that the guides of the two translations rule out, and English ones that were left.

The Norwegian and the Swedish have one word for each thing: an email is `e-post` and `mejl`, never a
`brev`; the program is never `vi`, and a player never `han`. Only these are checked here; what reads
well is for people to say.
"""

import re
from collections.abc import Iterator

import pytest

from tests.reports import catalogues

NEVER = {
    "nb": r"brev(?:et|ene|ets)?|post|skritt(?:et|ene)?|ark(?:et|ene)?|dommer(?:en|ens)?"
    r"|vi|oss|vår[et]?|våre|han|ham|hans|hun|man(?!\.)|§",
    "sv": r"brev(?:et|en|ens)?|e-post\w*|blad(?:et|en)?|utelämna\w*|av sig själv\w*|öppnad akt"
    r"|kommer hem|oavgjort|vi|oss|vår[at]?|våra|han|hans|honom|hen"
    # What is Norwegian, and came with the name of the wrong language.
    r"|ikke|hva|hvem|hvor|spiller|trekk|slutt|skjedd|forrige|mellom|\w*[æø]\w*",
}
QUOTES = re.compile(r"’")
# In Norwegian chance is never a `tilfelle`: that is a case of conditional orders in Espionage.
CASES = {"nb": re.compile(r"\btilfelle\w*", re.I)}
# Titles by which `adjud audit` finds proofs in papers of older matches, and the name of a tile.
KEPT = {
    "Draw {n} of the adjudicator",
    "Draw {n} of the adjudicator, opened",
    "draw {n} of the adjudicator is not what was shown",
    "First link of the adjudicator's dice",
    "Consul's letters",
}

# What is no word of a language: what is to be typed, filled in, or found in a file.
CODE = re.compile(
    r"`[^`]*`|\{\w*\}|%\(\w+\)s|<[^>]*>|\[\w+\]|\S*[/_=@.]\w\S*|--?\w+|\b[A-ZÆØÅÄÖ][A-ZÆØÅÄÖ0-9]+\b"
)
# Words that are English, too: in the language itself, of the settings, or names.
ENGLISH_TOO = {
    "nb": "adjud all alt always area ask audit auth auto bank chance chmod computer cron cur data "
    "database day days deadline debug disk double drand draw error espionage every for "
    "form full honour hooks hours info install key mail max mbox memory min minutes mode "
    "names never new none off once open operator original over per person pip plan png port "
    "program quicknet rating resvg ring root round seed send sendmail server side skip spies spion "
    "sqlite standard start status swiss terminal test tick tips token touch tunnel turns type "
    "under value variant versions void warning years",
    "sv": "adjud all alt always ask audit auth auto bank chance chmod computer cron cur data day "
    "days deadline deadlines debug disk double drand draw error espionage every form full "
    "hand honour hooks hours info install key mail max mbox memory min mode names never "
    "new none normal off once open operator orange order original over per person pip plan "
    "png port process program quicknet rating resvg ring root round seed sendmail server session "
    "skip spies spion spool sqlite standard start status swiss terminal test text tick tips token "
    "touch tunnel turns under value variant version versions void warning years",
}


def translated(language: str) -> Iterator[tuple[str, str, str]]:
    """Yield catalogue, message and translation, of a plural each form."""
    for name in catalogues.catalogues():
        for message in catalogues.read(name, language):
            ids = (message.id,) if isinstance(message.id, str) else message.id
            texts = (message.string,) if isinstance(message.string, str) else message.string
            if message.id:
                yield from ((name, ids[-1], text) for text in texts)


def plain(text: str) -> str:
    return CODE.sub(" ", text)


@pytest.mark.parametrize("language", catalogues.LANGUAGES)
def test_no_translation_has_a_word_that_its_guide_rules_out(language: str) -> None:
    never = re.compile(rf"(?<![\w-])(?:{NEVER[language]})(?![\w-])", re.IGNORECASE)
    found = [
        (text, word)
        for name, message, text in translated(language)
        if message not in KEPT
        for word in (
            *never.findall(plain(text)),
            *QUOTES.findall(text),
            *(CASES[language].findall(text) if language in CASES and name != "espionage" else ()),
        )
    ]
    assert found == []


@pytest.mark.parametrize("language", catalogues.LANGUAGES)
def test_no_english_word_is_left_in_a_translation(language: str) -> None:
    known = frozenset(ENGLISH_TOO[language].split())
    found = {
        (word, text)
        for _, message, text in translated(language)
        for word in set(re.findall(r"\b[a-z]{3,}\b", plain(text)))
        & set(re.findall(r"\b[a-z]{3,}\b", plain(message)))
        if word not in known
    }
    assert sorted(found) == []


def test_the_words_are_found() -> None:
    for language, text in (("nb", "Brevet ditt"), ("sv", "E-posten till han")):
        never = re.compile(rf"(?<![\w-])(?:{NEVER[language]})(?![\w-])", re.IGNORECASE)
        assert never.search(plain(text))
    assert not re.search(rf"(?<![\w-])(?:{NEVER['nb']})(?![\w-])", plain("VALG BREV: e-post man."))
