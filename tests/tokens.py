"""The tokens of players in tests: known ones, so that the emails with them can be compared."""

from base64 import b32encode

from tests.database import tables

DRAWN = tables.fresh_token  # as the program draws them


class Tokens:
    """Give aaaaaaaaab, aaaaaaaaac and so on, in each test from the beginning."""

    def __init__(self) -> None:
        self.given = 0

    def fresh(self) -> str:
        self.given += 1
        return b32encode((self.given << 6).to_bytes(7, "big")).decode().lower()[:10]


TOKENS = Tokens()
