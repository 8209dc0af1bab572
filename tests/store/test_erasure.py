"""Every text that is stored is one of which somebody has said whether a person's name may be in
it."""

import sqlalchemy as sa
from sqlalchemy.types import LargeBinary, Text

from adjudicator.store import erasure
from adjudicator.store.metadata import metadata
from adjudicator.store.types import Packed

# Emptied or replaced as a whole, or cleaned by a function of their own.
IN_HIS_ROWS = {
    "player": {"name", "name_key", "address", "language", "zone", "token", *erasure.CHOICES},
    "absence": {"first_day", "last_day", "kind"},
    "joining": {"address", "name", "language", "match", "seat", "code", "status"},
    "letter": {"sender", "message_id", "raw"},
    "letter_part": {"match", "text", "reply"},
    "outbox": {"address", "raw"},
    "report": {"body"},
    "ruling": {"told", "reason"},
}
# They were hashed, or a match is verified by them; what is found there is told.
HASHED = {
    "match": {"name", "options", "log_key", "seed"},
    "turn": {"line", "head", "snapshot", "cause"},
    "event": {"body"},
    "submission": {"orders"},
    "commitment": {"what", "text", "salt"},
}
# Words of the program: seats, states, keys, codes, addresses of the club.
OURS = {
    "club": {"domain", "fingerprints", "mark", "epoch"},
    "trial": {"tag", "claims"},
    "match": {"game", "variant", "status", "board", "public_value", "label", "logged_by"}
    | {"result"},
    "seat": {"name", "computer"},
    "submission": {"seat", "channel", "status", "verdict"},
    "declaration": {"seat", "kind", "status"},
    "said": {"seat", "word"},
    "holder_change": {"seat", "kind"},
    "report": {"seat"},
    "commitment": {"seat"},
    "ruling": {"action"},
    "outbox": {"key", "kind", "seat", "status", "bounce_tag", "name", "epoch"},
    "letter": {"spool_name", "sha256", "recipient", "channel", "status", "seat"},
    "parked": {"seat", "code", "status"},
    "parked_letter": {"code", "status"},
    "letter_part": {"status", "seat"},
    "substitute_search": {"seat", "cause", "status"},
    "ladder": {"name", "game", "variant", "options", "status"},
    "challenge": {"seat", "ending", "silent"},
    # The address goes with the answer, or with the asker.
    "guest": {"planned", "door", "status", "address", "name", "language", "code", "mark"},
    # A digest of an address, which is nobody's name, and which the club must not forget.
    "written_to": {"mark"},
    "offer": {"kind", "seat", "about", "details", "code", "status"},
    "past_epoch": {"epoch"},
    "tenure": {"seat"},
    "jotting": {"seat", "place"},
    "press": {"seat", "readers"},
    "press_copy": {"seat", "key"},
    "happening": {"body", "reason"},
    "charge": {"seat"},
    "tournament": {"name", "kind", "game", "variant", "options", "format", "status", "seed"},
    "entry": {"status"},
    "pairing": {"kind", "ending", "ruling"},
    "conduct": {"seat", "day", "kind"},
    "conduct_day": {"day"},
}


def is_text(column: sa.Column[object]) -> bool:
    return type(column.type) in (Text, Packed, LargeBinary)


def test_no_text_is_forgotten_when_a_player_is_erased() -> None:
    cleaned = {f"{one.table.name}.{one.name}" for one in (*erasure.WORDS, *erasure.JSON)}
    named = {
        f"{table}.{column}"
        for known in (IN_HIS_ROWS, HASHED, OURS)
        for table, columns in known.items()
        for column in columns
    }
    there = {
        f"{table.name}.{column.name}"
        for table in metadata.sorted_tables
        for column in table.c
        if is_text(column)
    }
    assert there == cleaned | named
