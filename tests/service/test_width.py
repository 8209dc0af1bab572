"""Emails are at most 70 wide: with a mark before it, a line fits into 72 columns, at which programs
break what they quote (emails, section 6.1)."""

import re

import pytest

from adjudicator.core.message import LANGUAGES
from tests.nightly import each_once
from tests.service.sent_back import Correspondence, text_of

WIDTH = 70


def is_excepted(line, inside):
    """Return whether a line may be wider: an order, a digest, what has no blanks to break it at."""
    return inside or " " not in line.strip() or re.search("[0-9a-f]{64}", line)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "language"), each_once(["espionage", "spion", "spies"], LANGUAGES)
)
def test_no_email_is_wider_than_70(store, tmp_path, game, language):
    table = Correspondence(store, tmp_path / "spool", game, language)
    heads, ends = ("ORDERS ", "ORDRE ", "ORDER "), ("END", "SLUTT", "SLUT")
    wide = []
    for email in table.letters():
        inside = False
        for line in text_of(email):
            inside = inside or line.startswith(heads)
            if len(line) > WIDTH and not is_excepted(line, inside):
                wide.append((len(line), email["Subject"], line))
            inside = inside and line not in ends
    assert wide == []
