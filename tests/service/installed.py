"""The parts of an installed club beside its database: its key, its spool, its settings."""

from io import BytesIO
from pathlib import Path

from adjudicator.mail.transport import spool
from tests.club import Paths, create_keys, saved_mark


def installed(folder: Path, **settings: str) -> Paths:
    """Make a key and note a backup of it; the spool is not made yet."""
    key = folder / "adjud.key"
    create_keys(key)
    saved_mark(key).touch()
    return Paths(
        config=None, key=key, spool=folder / "spool", domain="play.example.org", **settings
    )


def put(at: Paths, raw: bytes = b"Subject: x\r\n\r\nhello\r\n") -> str:
    """Put an email into the spool, and return its name."""
    return spool.put(at.spool, BytesIO(raw), sender="", recipient="", channel="test")
