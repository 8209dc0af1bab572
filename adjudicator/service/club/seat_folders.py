"""Where a seat's own pages are in the site: under a name that only the key can make."""

from base64 import b32encode
from datetime import datetime
from hashlib import sha256
from hmac import digest

from adjudicator.core.message import say
from adjudicator.mail.address import Key
from adjudicator.service.base import looks
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.loaded_match import load_with_position, seat_of
from adjudicator.store.database import Store

SEATS = "seats"  # the folder of the seats' folders


def link(store: Store, key: Key, name: str, word: str, *, noted_at: datetime | None = None) -> str:
    """Return where in the site the pages of a seat's present holder are.

    With `noted_at` it is noted for all players that the game master looked it up then.
    """
    with store.transaction() if noted_at else store.reading() as tx:
        loaded = load_with_position(tx, name)
        seat = seat_of(loaded.game, word)
        holder = loaded.holders.get(seat)
        if holder is None or holder.player_id is None:
            match = loaded.match.name
            raise Refusal(say("{seat} in {match} has no human player", seat=seat, match=match))
        if noted_at:
            looks.at_link(tx, loaded, seat, noted_at)
    return place(key, loaded.match.name, seat, holder.tenure)


def place(key: Key, match: str, seat: str, tenure: int) -> str:
    """Return the place in the site of the pages of a seat's holder."""
    return f"{SEATS}/{folder_of(key, match, seat, tenure)}/"


def folder_of(key: Key, match: str, seat: str, tenure: int) -> str:
    """Return the name of a seat's folder: 130 bits that only the key can make.

    A new holder of the seat gets another one.
    """
    signed = digest(key.secret, f"site|v1|{match}|{seat}|{tenure}".encode(), sha256)
    return b32encode(signed)[:26].decode("ascii").lower()
