"""The ids by which an operator names letters, those that came in and those that go out."""

import re
from base64 import b32encode
from hashlib import sha256

from msgspec import Struct

from adjudicator.store.database import Tx
from adjudicator.store.inbox_shown import LETTERS_IN, Arrived
from adjudicator.store.outbox_shown import Queued

Entry = Queued | Arrived
_CODE = re.compile(r"(?:(in|out)-)?([a-z2-7]{8})")


class Which(Struct, frozen=True):
    """The id of a letter: `in-k3f5qw2m`, `out-7c6d2mzt`; without either word, one that goes out.

    It is not a number, nor does it follow from one, because that would tell of letters that are not
    listed.
    """

    code: str
    came_in: bool = False

    def __str__(self) -> str:
        return f"{'in' if self.came_in else 'out'}-{self.code}"


def which(word: str) -> Which | None:
    """Return the letter that a word means; None if it is no id."""
    found = _CODE.fullmatch(word.strip().lower())
    return Which(found[2], found[1] == "in") if found else None


def id_of(letter: Entry) -> str:
    if isinstance(letter, Queued):
        return str(Which(letter.name))
    digest = sha256(letter.spool_name.encode()).digest()  # the name is drawn by lot
    return str(Which(b32encode(digest[:5]).decode().lower(), came_in=True))


def id_of_arrived(tx: Tx, letter_id: int) -> str:
    (letter,) = LETTERS_IN.listed(tx, letter_id=letter_id)
    return id_of(letter)
