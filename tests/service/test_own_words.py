"""Players who read Norwegian or Swedish meet their own order words in every email.

What they are told can be sent back.
"""

import re

import pytest

from tests.club import NewMatch
from tests.service.mailclub import MailClub
from tests.service.spionclub import SpionClub, duel, text_of

ENGLISH = re.compile(
    r"(?<![\w-])(?:ORDERS|END|SETUP|RANDOM|turn|white|black|CONFIRM|HELP|DRAW|MOVE|CHALLENGE|"
    r"ANSWER|KEEP|FIFTH|TO|OUT|TAKE|PLACE|red|blue|green|yellow|JOIN|GAMES|CLEAR)(?![\w-])"
)
SHEETS = {
    "nb": ("ORDRE m hvit runde 0 epoke bcdfg0", "OPPSTILLING", "SLUTT", "OPPSTILLING TILFELDIG"),
    "sv": ("ORDER m vit omgång 0 epok bcdfg0", "UPPSTÄLLNING", "SLUT", "UPPSTÄLLNING SLUMP"),
}
each_language = pytest.mark.parametrize("language", SHEETS)


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool")


def begin(club, language):
    """Return the email with Anna's first report."""
    club.add("Anna", "Bob", language=language)
    club.new(variant="small-fast")
    return next(one for one in club.run_tick() if "anna" in str(one["To"]))


def said(*emails):
    return "\n".join(text_of(one) for one in emails).replace("\r\n", "\n")


def ask(club, *lines):
    """Return what Anna is answered, without what she wrote herself."""
    club.write("white", *lines)
    return re.sub(
        "«.*?»|”.*?”|(?<=linje \\d): .*?(?=:)|(?<=rad \\d): .*?(?=:)", "", said(*club.run_tick())
    )


@each_language
def test_a_report_ends_with_a_sheet_that_is_accepted(club, language):
    report = said(begin(club, language))
    head, setup, end, random = SHEETS[language]
    assert f"\n{head}\n{setup}\n........\n........\n........\n{end}\n" in report
    assert ENGLISH.findall(report) == []
    told = ask(club, head, random, end)
    assert club.loaded().sheets["white"].lines == ("SETUP RANDOM",)
    assert f"\n  {random}\n" in told
    # What is digested is the same in every language.
    assert ENGLISH.findall(re.sub(r"ADJUD3\S+", "", told)) == []


ASKED = (
    ("HELP",), ("TEMPLATE",), ("STATUS",), ("SETUP", "1S2X"), ("ORDERS m", "SETUP"), ("hello",),
    ("CHECK", "READY", "DRAW"), ("GAMES",), ("JOIN m",), ("CONFIRM ABCDEF",), ("CONFIRM",),
    ("PREFS reminders never",), ("ABSENCE",), ("d3-d4",), ("RESIGN",), ("PRESS TO black", "hi"),
    ("ORDERS m purple", "d3-d4", "END"), ("ORDERS m white turn 7", "d3-d4", "END"),
    ("PRESS TO black", "hi", "ENDPRESS"),
)  # fmt: skip


@each_language
def test_every_answer_is_in_the_readers_words(club, language):
    begin(club, language)
    answers = {lines: ask(club, *lines) for lines in ASKED}
    assert all(answers.values())
    # The rows of a refused set-up come back as they were written.
    written = re.compile(r"(?m)^SETUP(?=$| )")
    assert {
        lines: found
        for lines, told in answers.items()
        if (found := ENGLISH.findall(written.sub("", told)))
    } == {}


@each_language
def test_a_link_begins_an_email_in_the_readers_words(club, language):
    html = begin(club, language).get_body(("html",)).get_content()
    assert "&amp;body=ORDERS%20m" in html  # in ASCII; what is read is in the reader's words
    assert f">{SHEETS[language][0].split()[0]} m" in html
    assert ENGLISH.findall(re.sub("<[^>]*>", "", html.partition("<body")[2])) == []


@pytest.mark.parametrize(("language", "challenge"), [("nb", "UTFORDRE gul"), ("sv", "UTMANA gul")])
def test_lines_of_spion_are_in_the_readers_words(store, tmp_path, language, challenge):
    club = SpionClub(store, tmp_path / "spool")
    duel(club, languages={"Anna": language, "Carl": language})

    def answered(*lines):
        return f"\n{club.answered('blue', *lines)[-1]}".replace("\r\n", "\n")

    assert f"\n{challenge} ... ...\n" in answered("TEMPLATE")
    refused = answered("ORDERS m blue", "CHALLENGE green 1 KEMI", "CHALENGE", "END")
    assert ENGLISH.findall(re.sub("CHAL\\w+( green 1 KEMI)?", "", refused)) == []
    lines = ("ANSWER *: TAKE 1", "CHALLENGE yellow 1 KEMI")
    told = answered("CHECK", "ORDERS m blue", *lines, "END")
    assert f"\n  {challenge} 1 KEMI\n" in told
    assert ENGLISH.findall(told) == []


@pytest.mark.parametrize(
    ("language", "machine", "game"),
    [
        ("nb", "datamaskinen", "Spionasje liten og rask"),
        ("sv", "datorn", "Spionage liten och snabb"),
    ],
)
def test_a_built_in_player_and_a_variant_have_names_in_each_language(club, language, machine, game):
    club.add("Anna", language=language)
    club.new(black="computer", variant="small-fast")
    report = said(*club.run_tick())
    assert f"Svart: {machine}\n" in report
    wanted = NewMatch(
        game="espionage",
        variant="small-fast",
        name="n",
        seats=["white=computer"],
        options=(),
        seed=None,
        fresh_seed=bytes(32),
        leave_open=True,
    )
    club.create(wanted)
    told = ask(club, "STATUS", "GAMES")
    assert told.count(f": {machine}\n") == 2
    assert f"\nn: {game}, " in told
    assert "computer" not in report + told
