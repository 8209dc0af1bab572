"""The parts of an installation beside its database."""

from pathlib import Path

from msgspec import Struct

from adjudicator.mail.read.charset import decode


class Premises(Struct, frozen=True, kw_only=True):
    """Paths and names from the settings. Without a `domain` nobody orders by mail."""

    config: Path | None
    key: Path
    spool: Path
    operator: str = ""
    contact: str = ""
    domain: str = ""
    user: str = "adjud"
    delimiter: str = "+"
    out: str = "none"
    password_file: Path | None = None
    fetch: str = ""
    fetch_password_file: Path | None = None
    pictures: str = "auto"
    dkim_selector: str = ""
    authserv_id: str = ""


def password_in(path: Path | None) -> str | None:
    """Return the password that is in a file."""
    return decode(path.read_bytes()).strip() if path else None


def saved_mark(key: Path) -> Path:
    """Return the file beside the key whose time is that of the last backup."""
    return key.with_name(f"{key.name}.saved")


def restored_mark(key: Path) -> Path:
    """Return the file beside the key that keeps when an older database was saved and
    restored, and where that is, until its upgrade."""
    return key.with_name(f"{key.name}.restored")
