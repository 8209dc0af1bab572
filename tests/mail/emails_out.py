"""Make one email of each kind, as a player or the operator would get it."""

import struct
import zlib
from datetime import UTC, date, datetime
from typing import Any

from adjudicator.core.message import Message, say
from adjudicator.mail.address import Key, MailDomain, message_id, public_address, seat_address
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import Outgoing, picture_id

POST = MailDomain(domain="play.example.org", keys=(Key(id="a", secret=b"k" * 32),))
MATCH, SEAT = "espionage-17", "white"
NOW = datetime(2026, 11, 21, 18, tzinfo=UTC)
DUE = "Fri 14 Aug 2026, 18:00 UTC"
SUBJECTS: dict[str, Message] = {
    "report": subjects.orders_due(MATCH, 12, due=DUE)[0],
    "aside": subjects.aside(MATCH, 12, "White"),
    "receipt": subjects.receipt(MATCH, 12, 3),
    "refusal": subjects.correct(MATCH, 12, 2),
    "reminder": subjects.reminder(MATCH, 12, due=DUE)[0],
    "notice": subjects.notice(MATCH, "White"),
    "confirm": subjects.confirm(),
    "leave": subjects.day_of_absence(date(2026, 11, 21)),
    "daily": subjects.daily(1, 2, DUE)[0],
    "substitute": subjects.no_substitute(MATCH),
    "alert": subjects.alert(MATCH),
    "press": subjects.press(MATCH, say("{who} (White)", who="Anna")),
    "test": subjects.trial(),
}
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>espionage-17</title>
<style>p { color: #26241f; }</style>
</head>
<body>
<p>Turn 12 – it is White’s.</p>
</body>
</html>
"""
TEXT = """Espionage espionage-17, Turn 12
===============================
Æra være: « 5 S  Spy: b2, f2 »

From now on your orders are awaited.
.
ORDERS espionage-17 white turn 12
END
"""


def png() -> bytes:
    """Return a picture of one grey point."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    body = zlib.compress(b"\x00\x80", 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def outgoing(kind: str, **other: Any) -> Outgoing:
    """Return the email, with some of its fields replaced."""
    key = f"{MATCH}/12/{SEAT}/{kind}/4711"
    own = message_id(POST, key, MATCH, SEAT, 1)
    html = f'<!DOCTYPE html>\n<p>Turn 12</p>\n<img src="cid:{picture_id(own)}" alt="The board">\n'
    full: dict[str, Any] = {"html": html, "png": png(), "page": PAGE} if kind == "report" else {}
    fields: dict[str, Any] = {
        "kind": kind,
        "sender": public_address(POST),
        "to": "anna@example.org",
        "to_name": "Anna",
        "subject": str(SUBJECTS[kind]),
        "text": TEXT,
        "date": NOW,
        "message_id": own,
        "reply_to": seat_address(POST, MATCH, SEAT, 1),
        "in_reply_to": "<CAF+b=x@mail.example>",
        "references": [
            message_id(POST, f"{MATCH}/{n}/{SEAT}/report", MATCH, SEAT, 1) for n in (1, 2)
        ],
        "list_id": f"{MATCH}.{POST.domain}",
        "page_name": "espionage-17-turn-12-white.html",
        **full,
        **other,
    }
    return Outgoing(**fields)
