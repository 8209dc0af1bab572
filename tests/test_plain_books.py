"""The books for people keep out the words that a reader stumbles over."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BOOKS = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]

# A word that goes, and what is said instead.
FORBIDDEN = {
    r"\bawait(?:ed|s)\b": "to move, waiting for",
    r"\bto be had\b": "open, possible",
    r"\bbarred\b": "not allowed this turn",
    r"\bof (?:yours|mine|ours)\b": "your, our",
    r"\blikewise\b": "too, in the same way",
    r"\b(?:where|there|here)(?:of|upon)\b": "of it",
    r"\bhence\b": "so",
    r"\bin vain\b": "without effect",
    r"\bso much as\b": "even",
    r"\b(?:begin|write) a letter\b": "write an email",
    r"\bwaylay": "ambush",
    r"(?<!\bthere )\b(?:is|are) no (?!longer\b|more\b)\w": "is not a",
    r"\bin force\b": "current, in use",
    r"\b(?:he|his|him|himself)\b": "they, their, them",
    r"\bwhoever\b": "a player who",
}
# What stays, and why.
EXCEPTIONS = {
    'nobody passes a piece "but his own"': "the leaflet's words",
    'the winner "may declare himself"': "the leaflet's words",
}


def prose(book: Path) -> str:
    """Return the text without blocks of code and without code in a line; spaces are folded."""
    text = re.sub(r"(?ms)^ *```.*?^ *```$", "", book.read_text("utf-8"))
    text = re.sub(r"(?m)^    .*$", "", text)
    return re.sub(r"\s+", " ", re.sub(r"`[^`]*`", "`", text))


def stumbles(text: str) -> list[str]:
    """Return each forbidden word with the words around it, and what to say instead."""
    for kept in EXCEPTIONS:
        text = text.replace(kept, "")
    return [
        f"…{text[max(0, found.start() - 40) : found.end() + 20]}… say: {better}"
        for word, better in FORBIDDEN.items()
        for found in re.finditer(word, text, re.IGNORECASE)
    ]


@pytest.mark.parametrize("book", BOOKS, ids=lambda path: path.stem)
def test_a_book_is_in_plain_english(book: Path) -> None:
    assert not stumbles(prose(book))


def test_a_word_that_goes_is_found() -> None:
    assert len(stumbles("e9 is no square. Your orders are awaited, and his are in force.")) == 4


@pytest.mark.parametrize("kept", EXCEPTIONS)
def test_an_exception_is_still_needed(kept: str) -> None:
    assert any(kept in prose(book) for book in BOOKS)
