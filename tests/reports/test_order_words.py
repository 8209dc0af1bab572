"""Whoever plays in Norwegian or Swedish is told his own order words, and they are read."""

import re
from collections.abc import Iterator

import pytest
from catalogues import LANGUAGES, catalogues, read

from adjudicator.core.command_table import TABLE, WORDS
from adjudicator.core.commands import read_commands, read_press
from adjudicator.core.game import spelling_of
from adjudicator.core.message import say
from adjudicator.core.orders import Line, split_lines
from adjudicator.core.sheets import read_sheets
from adjudicator.core.text import COMMANDS, Spelling
from adjudicator.games import GAMES
from adjudicator.reports.words import words

PRESS = ("PRESS", "TO", "ALL", "ENDPRESS", "REMINDERS", "ON", "OFF", "DAILY", "FROM")
each_language = pytest.mark.parametrize("language", LANGUAGES)


def spelled(slug: str, language: str) -> Spelling:
    return spelling_of(GAMES[slug], words(language, slug))


def english_words(language: str) -> set[str]:
    """Return words in capitals, of any game, that a reader of the language writes in another
    way."""
    tell = words(language, "")
    written: dict[str, str] = {word: tell(message) for word, message in WORDS.items()}
    for slug in GAMES:
        written |= spelled(slug, language).words
    own = set(written.values())
    return {*PRESS, *(word for word in written if word.isupper() and word not in own)}


def translations(language: str) -> Iterator[tuple[str, str]]:
    for name in catalogues():
        if name != "adjud" and name not in GAMES:
            continue  # of a game that cannot be played yet
        for message in read(name, language):
            ids = message.id if isinstance(message.id, tuple) else (message.id,)
            strings = message.string if isinstance(message.string, tuple) else (message.string,)
            yield from zip(ids, strings, strict=True)


@each_language
def test_no_english_order_word_stands_in_a_translation(language: str) -> None:
    """In backticks stands what is typed into a shell or a database, and that is no order."""
    english = re.compile(rf"(?<![\w-])(?:{'|'.join(english_words(language))})(?![\w-])")
    typed = re.compile(r"`[^`]*`")
    assert {
        string: found
        for _, string in translations(language)
        if (found := english.findall(typed.sub("", string)))
    } == {}


@each_language
def test_squares_stay_as_they_are_written(language: str) -> None:
    square = re.compile(r"\b[a-j]\d+-[a-j]\d+\b")
    for english, string in translations(language):
        assert sorted(square.findall(english)) == sorted(square.findall(string))


@pytest.mark.parametrize("slug", GAMES)
@each_language
def test_a_sheet_is_read_as_the_english_one(language: str, slug: str) -> None:
    for seat in GAMES[slug].seats:
        lines = [f"ORDERS m-turn {seat} turn 7", *COMMANDS, "END"]
        english, own = (
            read_sheets("\n".join(text)) for text in (lines, spelled(slug, language).all(lines))
        )
        assert own.ignored == english.ignored == ()
        (told,), (meant) = own.sheets, english.sheets[0]
        assert told.problems == meant.problems == ()
        assert [one.word for one in told.commands] == [one.word for one in meant.commands]
        assert told.head
        assert meant.head
        assert (told.head.match, told.head.turn) == (meant.head.match, meant.head.turn)
        known = {**{s: s for s in GAMES[slug].seats}, **GAMES[slug].seat_words}
        assert told.head.seat
        assert known[told.head.seat] == seat


@each_language
@pytest.mark.parametrize("word", sorted(TABLE.keys() - {"PRESS TO"}))
def test_a_command_is_read_as_the_english_one(language: str, word: str) -> None:
    tell = words(language, "")
    for form in TABLE[word].forms:
        english, own = (read_commands([Line(1, text)])[0] for text in (str(form), tell(form)))
        assert [one.word for one in english] == [one.word for one in own] == [word], tell(form)


@each_language
@pytest.mark.slow
def test_an_example_of_an_order_means_the_same(language: str) -> None:
    examples = 0
    for slug, game in GAMES.items():
        for english, own in translations(language):
            meant = game.orders.parse([Line(1, english)])
            if not meant.written or meant.problems or not english[:4].isupper():
                continue
            told = game.orders.parse(split_lines(own))
            assert not told.problems, own
            if "PHRASE" not in english:
                assert told.orders == meant.orders, (slug, own)
            examples += 1
    assert examples > 10


@pytest.mark.parametrize(("language", "meant"), [("en", "north"), ("nb", "nord"), ("sv", "norr")])
def test_a_direction_is_guessed_in_the_readers_language(language: str, meant: str) -> None:
    (problem,) = GAMES["espionage"].orders.parse([Line(1, "d3 nor")]).problems
    assert f"{meant}?" in words(language, "espionage")(problem.message)


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("nb", ("MELDING TIL hvit", "Hei", "SLUTT MELDING")),
        ("sv", ("MEDDELANDE TILL alla", "Hej", "SLUT MEDDELANDE")),
    ],
)
def test_press_is_written_as_the_card_says(language: str, lines: tuple[str, ...]) -> None:
    (press,), rest = read_press("\n".join(lines))
    assert press.ended
    assert not rest.strip()
    told = " ".join(string for _, string in translations(language))
    head = " ".join(lines[0].split()[:2])
    assert words(language, "")(TABLE["PRESS TO"].word) == head
    assert f"{head} {{seat}}" in told
    assert lines[-1] in words(language, "")(TABLE["PRESS TO"].help)


def test_what_a_player_writes_of_his_own_stays() -> None:
    mine = spelled("spion", "nb")
    assert mine("PHRASE MOVE TO red OUT") == "FRASE MOVE TO red OUT"
    assert mine("ANSWER red FINAL: TAKE 3,1") == "SVAR rød ENDELIG: TA 3,1"
    assert mine("# KEEP ATOM: OUT 2 TO ITA") == "# BEHOLD ATOM: UT 2 TIL ITA"
    assert mine("ORDERS red-1 red turn 3") == "ORDRE red-1 rød runde 3"
    assert spelled("espionage", "sv")("SETUP RANDOM") == "UPPSTÄLLNING SLUMP"
    assert spelled("espionage", "nb")("SETUP AUTO") == "OPPSTILLING AUTO"
    assert spelled("spion", "en").words == {}
    assert str(say("SETUP")) == "SETUP"


@pytest.mark.parametrize(
    ("slug", "line", "told"),
    [
        ("espionage", "löjtnnt d3-d4", "”löjtnnt” är ingen pjäs; menade du löjtnant?"),
        ("espionage", "oberts d3-d4", "”oberts” är ingen pjäs; menade du överste?"),
        ("espionage", "flyta d3-d4", "”flyta” är ingen pjäs; menade du FLYTTA?"),
        ("espionage", "min d3-d4", "”min” kan betyda minröjare, mina; skriv mer av ordet"),
        ("espionage", "UPSTÄLLNING", "menade du ”UPPSTÄLLNING”?"),
        ("espionage", "d3 västr", "”västr” är ingen riktning; menade du väster?"),
        ("spies", "SPION A: GÅ Belgad", "”Belgad”? Menade du Belgrad (BEL)?"),
        ("spies", "SPION A: GÅ Wasrzawa", "”Wasrzawa”? Menade du Warszawa (WAR)?"),
    ],
)
def test_a_guess_is_written_in_the_readers_language(slug: str, line: str, told: str) -> None:
    (problem,) = GAMES[slug].orders.parse([Line(1, line)]).problems
    assert words("sv", slug)(problem.message).endswith(told)
