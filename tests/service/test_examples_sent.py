"""A line that adjud shows as an example is carried out when somebody sends it, alone or below words
of their own (emails, section 4.3)."""

import re
from collections.abc import Iterable, Iterator

import pytest
from babel.messages.pofile import read_po

from adjudicator.core.game import spelling_of
from adjudicator.core.message import LANGUAGES
from adjudicator.core.sheets import read_sheets
from adjudicator.games import GAMES
from adjudicator.mail.read.own_text import find
from adjudicator.reports.render import card
from adjudicator.reports.words import words
from adjudicator.resources import PACKAGE, locale
from tests.club import content_of, known_words, would_read_as_orders
from tests.nightly import NIGHTLY, each_once
from tests.service.mailclub import MailClub
from tests.service.sent_back import CLUBS, Correspondence, text_of

ABOVE = (
    "I am out of the office next week.",
    "Jeg er bortreist hele neste uke, så her er ordrene mine.",
    "Jag är bortrest hela nästa vecka och skriver därför redan nu.",
    "Thank you for the match, this is what I would like to do now:",
)


def read(*lines: str):
    return find("\n".join(lines), [], html_only=False, known=known_words())


def _parts(text: str) -> Iterator[str]:
    """Yield what of a text may be meant as a line to send: whole lines, their columns, and what
    stands on either side of an `or`."""
    for line in text.split("\n"):
        columns = re.split(r"\s{2,}", line.strip())
        halves = re.split(r" (?:or|eller) ", columns[0])
        yield from (part.strip(" .:,;`>") for part in (line, *columns, *halves))


def _is_read(line: str) -> bool:
    content = content_of(line)
    if content.commands or content.jottings or content.presses:
        return True
    return any(would_read_as_orders(content.reading.ignored, GAMES.values()))


def examples(texts: Iterable[str]) -> list[str]:
    return sorted({part for text in texts for part in _parts(text) if part and _is_read(part)})


def cards() -> Iterator[str]:
    for game, language in ((game, language) for game in GAMES for language in LANGUAGES):
        spelled = spelling_of(GAMES[game], words(language, game))
        yield card(GAMES[game], language, spelled)


HOMES = [(PACKAGE / "locale", "adjud"), *((locale(game), game) for game in GAMES)]


def said() -> Iterator[str]:
    """Yield all that adjud says, in English and in the other languages."""
    for home, name in HOMES:
        for language in LANGUAGES[1:]:
            with (home / language / "LC_MESSAGES" / f"{name}.po").open("rb") as file:
                for one in read_po(file):
                    for told in (one.id, one.string):
                        yield from [told] if isinstance(told, str) else told


def check(lines: list[str]) -> None:
    """Read each line alone, and below words of its sender: by day below one of them."""
    for number, line in enumerate(lines):
        words_above = ABOVE if NIGHTLY else (ABOVE[number % len(ABOVE)],)
        for above in ((), *((one, "") for one in words_above)):
            texts = read(*above, line)
            assert line in texts.bare.split("\n"), (above, line)
            assert not texts.left_out, (above, line)


@pytest.mark.slow
def test_every_example_of_a_card_is_the_senders_own():
    lines = examples(cards())
    assert len(lines) > 130
    assert "ABSENCE 2026-12-24 TO 2026-12-31" in lines
    check(lines)


def test_so_is_every_whole_sheet_of_a_card():
    sheets = [sheet for text in cards() for sheet in read_sheets(text).sheets]
    assert len(sheets) > 3
    for sheet in sheets:
        for above in ABOVE:
            texts = read(above, "", sheet.line.text, *(line.text for line in sheet.body), "END")
            assert [one.body for one in texts.reading.sheets]
            assert not texts.quoted


@pytest.mark.slow
def test_every_line_to_type_in_a_sentence_is_the_senders_own():
    lines = examples(said())
    assert len(lines) > 180
    check(lines)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "language"), each_once([*CLUBS], LANGUAGES))
def test_every_line_to_type_in_an_email_is_the_senders_own(store, tmp_path, game, language):
    table = Correspondence(store, tmp_path / "spool", game, language)
    lines = examples("\n".join(text_of(email)) for email in table.letters())
    assert lines
    check(lines)


# What comes of a few of them.


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool").at_first_turn()


@pytest.mark.parametrize("above", [(), *((one, "") for one in ABOVE)])
def test_an_absence_with_the_dates_of_help_is_entered(club, above):
    club.write("white", "HELP")
    club.run_tick()
    club.write("white", *above, "ABSENCE 2026-12-24 TO 2026-12-31")
    (answer,) = club.run_tick()
    assert answer["X-Adjud"] == "receipt"
    assert "2026-12-24" in "".join(text_of(answer))
    club.write("white", "ABSENCE 2026-12-24 TO 2026-12-31", "", *text_of(answer))
    (again,) = club.run_tick()
    assert again["X-Adjud"] == "receipt"


def test_orders_that_equal_the_example_of_a_card_are_the_players(club):
    club.write("white", "HELP")
    (email,) = club.run_tick()
    lines = [line.strip() for line in text_of(email)]
    head = lines.index("ORDERS m white turn 1")
    sheet = lines[head : lines.index("END", head) + 1]
    for number, above in enumerate(ABOVE, start=1):
        club.write("white", above, "", *sheet, "NOTREADY")
        told = club.run_tick()
        assert len(told) == 1
        text = " ".join(text_of(told[0]))
        assert f"m, white, turn 1: accepted, version {number}" in text or "NOT accepted" in text
