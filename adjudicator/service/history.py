"""What a seat's page looks back upon: the reports that the seat was sent before."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from msgspec.json import Decoder

from adjudicator.service.loading import Loaded
from adjudicator.store import turns
from adjudicator.store.database import Tx

_MOST = 400  # reports; about as many moments as a page has room for


def looking_back(tx: Tx, loaded: Loaded, body: Mapping[str, Any]) -> Sequence[Any]:
    """The seat's reports before this one, read as far as its game's pages need them. A last
    report holds the record, which tells more."""
    game = loaded.game
    if game.past is None or body["record"]:
        return ()
    tenure = 0 if game.retold else loaded.holders[body["seat"]].tenure
    told = turns.told_before(
        tx, loaded.match.id, body["seat"], body["ply"], since_tenure=tenure, most=_MOST
    )
    reader = _reader(game.past)
    return [reader.decode(old) for old in told]


@cache
def _reader(kind: Any) -> Decoder[Any]:
    return Decoder(kind)
