"""Clubs that play Spies, whose emails are read, and what stands in the first of them."""

from pathlib import Path

from tests.database import Store
from tests.service.spiesclub import SpiesClub

WON = {
    "en": "The player with the most points at",
    "nb": "flest poeng",
    "sv": "flest poäng",
}  # how the first email says who wins
BOARD = ""  # a line of its board
MOST = 700  # words of it


def opened(store: Store, folder: Path, language: str, *options: str) -> SpiesClub:
    """Open a match of Anna and others, with her language."""
    club = SpiesClub(store, folder)
    club.open(*options, languages={"Anna": language})
    return club


def begun(store: Store, folder: Path, language: str, other: str, *options: str) -> SpiesClub:
    """Open a match of Anna against Bob, or against the computer on all other seats."""
    club = SpiesClub(store, folder)
    held = dict.fromkeys(("italy", "russia", "france", "britain"), other)
    held = held if other == "computer" else {}
    club.open(*options, languages={"Anna": language}, holders=held)
    return club


def corresponding(store: Store, folder: Path, language: str) -> SpiesClub:
    """Open a match of Anna and an enemy who read the same language."""
    club = SpiesClub(store, folder)
    club.open(
        "deadline=none",
        players=3,
        holders={"italy": "computer"},
        languages={"Anna": language, "Bob": language},
    )
    return club
