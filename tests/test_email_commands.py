"""The table of email commands is whole: each command has what carries it out, a line of help in
three languages, a row in the book and a case. `--bless` writes the table of the book anew."""

import re
from pathlib import Path

import pytest

from adjudicator.core.command_table import ACTING, ANSWERED, OWN, TABLE, CommandRow, help_lines
from adjudicator.core.commands import read_commands
from adjudicator.core.game import spelling_of
from adjudicator.core.message import LANGUAGES
from adjudicator.core.orders import folded, split_lines
from adjudicator.games import GAMES
from adjudicator.reports.render import card
from adjudicator.reports.words import words
from tests.inside import commands, sheet_storing

ROOT = Path(__file__).parents[1]
CASES = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").glob("**/cases/*.txt"))
DOES = {
    "shows": "shows something",
    "changes": "changes something about you",
    "acts": "acts in the match; also in an order sheet",
    "letter": "says how the email is taken",
}
PUBLIC = {"no": "", "answered": "yes", "beside": "beside `JOIN` or `CONFIRM`"}
each_command = pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
each_language = pytest.mark.parametrize("language", LANGUAGES)


def test_each_command_is_carried_out_somewhere() -> None:
    """A command that counts for a whole email is looked for where an email is taken apart."""
    assert commands.HANDLERS.keys() == ANSWERED
    assert {word for word, row in commands.HANDLERS.items() if row.seat} == ANSWERED - OWN
    own = {word for word in ANSWERED if TABLE[word].where != "seat"}
    assert {word for word, row in commands.HANDLERS.items() if row.person} == own
    assert set(sheet_storing.HANDLERS) == ACTING
    whole = {word for word, row in TABLE.items() if row.does == "letter"}
    assert whole == {"CHECK", "CONFIRM", "MATCH", "PRESS TO"}


def test_each_command_to_the_public_address_is_answered() -> None:
    answered = {word for word, row in TABLE.items() if row.public == "answered"}
    assert {*(word for word, row in commands.HANDLERS.items() if row.anyone), "CONFIRM"} == answered
    assert {word for word, row in TABLE.items() if row.public == "beside"} == {"LANGUAGE", "ZONE"}


@each_command
def test_a_command_is_played_in_a_case(row: CommandRow) -> None:
    assert re.search(rf"^(?:LETTER |  ).*\b{row.name}\b", CASES, re.MULTILINE)


@each_language
@each_command
def test_a_command_is_read_in_the_words_of_its_reader(row: CommandRow, language: str) -> None:
    assert folded(words(language, "")(row.word)) in row.phrases


def test_no_two_commands_are_written_alike() -> None:
    told = [phrase for row in TABLE.values() for phrase in row.phrases]
    others = [folded(phrase) for row in TABLE.values() for phrase in row.others.split(", ")]
    alike = [one for one in others if one and others.count(one) > 1]
    assert len({*told}) == len(told)
    assert not alike
    assert not {*told} & {*others} - {""}


@each_language
@pytest.mark.parametrize("slug", GAMES)
def test_no_command_is_a_word_of_a_games_orders(slug: str, language: str) -> None:
    """But for those that act in the match: they may stand in a sheet."""
    tell = words(language, slug)
    game = GAMES[slug]
    ours = {folded(tell(word)) for word in game.orders.lexicon.words.values()}
    ours |= {folded(word) for word in (*game.seats, *game.seat_words)}
    told = {phrase for row in TABLE.values() if row.does != "acts" for phrase in row.phrases}
    # In Norwegian GAMES is older than Spies, where SPILL is never alone in a line.
    assert told & ours <= {"spill"}


@each_language
@pytest.mark.parametrize("slug", GAMES)
def test_a_card_shows_all_commands_and_holds_none(slug: str, language: str) -> None:
    """Some programs send an email back without a mark that it is quoted."""
    tell = words(language, slug)
    told = card(GAMES[slug], language, spelling_of(GAMES[slug], tell))
    listed = list(help_lines((row for row in TABLE.values() if row.where != "own"), tell))
    assert "\n".join(listed) in told
    assert max(map(len, told.splitlines())) <= 70
    assert read_commands(split_lines("\n".join(listed)))[0] == ()


@each_language
def test_the_card_of_a_personal_address_holds_no_command(language: str) -> None:
    tell = words(language, "")
    listed = list(help_lines((row for row in TABLE.values() if row.where != "seat"), tell))
    assert read_commands(split_lines("\n".join(listed)))[0] == ()
    invited = split_lines("  INVITE  Bob TO espionage")  # an indented one is an invitation
    assert read_commands(split_lines("  INVITE Bob TO espionage"))[0]
    assert not read_commands(invited)[0]


def table(rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def in_letters(row: CommandRow) -> list[str]:
    form = " or ".join(f"`{form}`" for form in row.forms)
    return [form, str(row.help), DOES[row.does], PUBLIC[row.public]]


HEAD = ["command", "help", "what it does", "to the public address"]


def test_the_book_lists_the_commands(request: pytest.FixtureRequest) -> None:
    path = ROOT / "docs/reference/email-commands.md"
    made = table([HEAD, ["---"] * 4, *map(in_letters, TABLE.values())])
    if request.config.getoption("--bless"):
        text = path.read_text("utf-8")
        (found,) = re.findall(rf"^{re.escape(table([HEAD]))}\n(?:\|.*\n)*", text, re.MULTILINE)
        path.write_text(text.replace(found, f"{made}\n"), "utf-8")
    assert made in path.read_text("utf-8"), "run it again with --bless, and read the book"
