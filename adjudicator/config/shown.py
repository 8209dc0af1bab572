"""What settings are in force, and where each one comes from; no password is shown."""

import os
import re
from collections.abc import Iterator

from msgspec import Struct

from adjudicator import config
from adjudicator.config import LoadedSettings
from adjudicator.config.settings import KEYS, TEMPLATES, value_of


class UsedSetting(Struct, frozen=True):
    """A setting as it is used, and where it was set."""

    key: str
    value: str | int
    origin: str


def in_force(loaded: LoadedSettings, database: str | None) -> Iterator[UsedSetting]:
    """Yield every setting; `database` is the URL of the command line."""
    settings, sources = loaded.settings, loaded.sources
    own: dict[str, str] = {
        "folder": str(config.club_folder(settings)),
        "database": config.database_url(settings),
        "mail.key": str(config.key_file(settings)),
        "mail.spool": str(config.spool_folder(settings)),
        "mail.fetch_password_file": settings.mail.fetch_password_file
        or settings.mail.password_file,
    }
    origins: dict[str, str] = {}
    if os.environ.get("ADJUD_SPOOL"):
        origins["mail.spool"] = "ADJUD_SPOOL"
    if named := database or os.environ.get("ADJUD_DATABASE"):
        own["database"] = named
        origins["database"] = "--database" if database else "ADJUD_DATABASE"
    for key in KEYS:
        value = own.get(key) or value_of(settings, key)
        is_set = key in sources.environment or key in sources.lines
        origin = str(sources.place(key)) if is_set else "default"
        yield UsedSetting(
            key,
            hide_passwords(value) if isinstance(value, str) else value,
            origins.get(key, origin),
        )
    for name, template in settings.match.items():
        for option, text in template.items():
            key = f"{TEMPLATES}.{name}.{option}"
            yield UsedSetting(key, hide_passwords(text), str(sources.place(key)))


def hide_passwords(value: str) -> str:
    """Hide the passwords of URLs in a text."""
    value = re.sub(r"://([^:@/\s]*):\S*@", r"://\1:***@", value)
    return re.sub(r"(?i)\b(password|passwd|token|secret)=[^&\s]+", r"\1=***", value)
