"""Clubs that play Espionage, whose emails are read, and what stands in the first of them."""

from pathlib import Path

from tests.database import Store
from tests.service.mailclub import MailClub

WON = {
    "en": "You win by capturing the enemy's Headquarters",
    "nb": "Du vinner når du tar fiendens hovedkvarter",
    "sv": "Du vinner när du tar fiendens högkvarter",
}  # how the first email says who wins
BOARD = "a b c d e f g h"  # a line of its board
MOST = 450  # words of it


def opened(store: Store, folder: Path, language: str, *options: str) -> MailClub:
    """Open a match of Anna and others, with her language."""
    club = MailClub(store, folder)
    club.add("Anna", language=language)
    club.add("Bob")
    club.new(*options)
    return club


def begun(store: Store, folder: Path, language: str, other: str, *options: str) -> MailClub:
    """Open a match of Anna against Bob, or against the computer on all other seats."""
    club = MailClub(store, folder)
    club.add("Anna", language=language)
    if other != "computer":
        club.add(other)
    club.new(*options, white="Anna", black=other)
    return club


def corresponding(store: Store, folder: Path, language: str) -> MailClub:
    """Open a match of Anna and an enemy who read the same language."""
    club = MailClub(store, folder)
    club.add("Anna", "Bob", language=language)
    club.new("deadline=none", variant="standard")
    return club
