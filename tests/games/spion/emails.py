"""Clubs that play Spion, whose emails are read, and what stands in the first of them."""

from pathlib import Path

from tests.database import Store
from tests.service.spionclub import SpionClub

WON = {
    "en": "four cards of one type",
    "nb": "fire kort av",
    "sv": "fyra kort av samma typ",
}  # how the first email says who wins
BOARD = "a b c d e f g h"  # a line of its board
MOST = 450  # words of it


def opened(store: Store, folder: Path, language: str, *options: str) -> SpionClub:
    """Open a match of Anna and others, with her language."""
    club = SpionClub(store, folder)
    club.open(*options, languages={"Anna": language})
    return club


def begun(store: Store, folder: Path, language: str, other: str, *options: str) -> SpionClub:
    """Open a match of Anna against Bob, or against the computer on all other seats."""
    club = SpionClub(store, folder)
    held = {"green": other, "yellow": other, "red": other} if other == "computer" else {}
    club.open(*options, languages={"Anna": language}, players=4, holders=held)
    return club


def corresponding(store: Store, folder: Path, language: str) -> SpionClub:
    """Open a match of Anna and an enemy who read the same language."""
    club = SpionClub(store, folder)
    club.open("deadline=none", players=2, languages={"Anna": language, "Carl": language})
    return club
