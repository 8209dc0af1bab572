"""What an installation consists of beside its database."""

from pathlib import Path

from msgspec import Struct


class Premises(Struct, frozen=True, kw_only=True):
    """Paths and names from the settings. Without a `domain` nobody orders by mail."""

    config: Path | None
    key: Path
    spool: Path
    operator: str = ""
    domain: str = ""
    out: str = "none"
    fetch: str = ""
    password_files: tuple[Path, ...] = ()


def saved_mark(key: Path) -> Path:
    """The file beside the key whose time is that of its last backup."""
    return key.with_name(f"{key.name}.saved")
