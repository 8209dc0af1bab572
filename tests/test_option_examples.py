"""Every example of an option in the books is one that the program takes."""

import re
from pathlib import Path

import pytest

from adjudicator.games import GAMES
from tests.club import Refusal
from tests.inside import calendar, options

ROOT = Path(__file__).parents[1]
BOOKS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# What is no option of a match: a duration, or a table of what may stand in a place.
TABLE = re.compile(r"(?m)^\| `(?P<key>\w+)` \| (?P<values>`[^|]*) \|")
DAYS = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
DEADLINE = re.compile(rf"`((?:every \d+ \w+|(?:{DAYS})(?:,(?:{DAYS}))+ \d[^`]*))`")
GIVEN = re.compile(r'--option (?:"([^"]+)"|(\w+=)"([^"]+)"|([^\s`"]+))')
FORMS = {"KEY=VALUE", "…"}


def takes(key, value):
    """Return whether some game takes an option with that value."""
    for game in GAMES.values():
        try:
            options.parse_each(game, [f"{key}={value}"], len(game.seats))
        except Refusal:
            continue
        return True
    return False


def in_table():
    text = (ROOT / "docs/reference/options.md").read_text(encoding="utf-8").partition("\n## ")[0]
    for row in TABLE.finditer(text):
        for value in re.findall(r"`([^`]*)`", row["values"]):
            yield row["key"], value


@pytest.mark.parametrize(("key", "value"), list(in_table()))
def test_each_value_in_the_table_of_options_is_taken(key, value):
    assert takes(key, value.replace("N of WHAT at TIME", "6 of Lotto 6aus49 at 2026-12-05T19:00Z"))


@pytest.mark.parametrize("book", BOOKS, ids=lambda path: path.name)
def test_each_deadline_in_a_book_can_be_read(book):
    for example in DEADLINE.findall(book.read_text(encoding="utf-8")):
        calendar.parse_deadline(example)


def test_the_books_show_deadlines_of_both_kinds():
    shown = {one for book in BOOKS for one in DEADLINE.findall(book.read_text(encoding="utf-8"))}
    assert {"every 3 days", "Tue,Fri 18:00"} <= shown


@pytest.mark.parametrize("book", BOOKS, ids=lambda path: path.name)
def test_each_option_that_a_book_gives_is_taken(book):
    found = ("".join(one) for one in GIVEN.findall(book.read_text(encoding="utf-8")))
    given = [one.rstrip("\\").strip() for one in found if one not in FORMS and "=" in one]
    assert [one for one in given if not takes(*one.split("=", 1))] == []
