"""Settings of an installation: a TOML file, the environment, the command line."""

import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from adjudicator.core.message import Message, say
from adjudicator.core.orders import nearest, shown


class ConfigTrouble(Exception):
    """The configuration cannot be used; says which key or line and what would be right."""

    def __init__(self, message: Message) -> None:
        super().__init__(str(message))
        self.message = message


class Mail(Struct, frozen=True):
    """`out` is the way out for letters; `none` keeps them in the queue and sends nothing."""

    out: str = "none"


class Settings(Struct, frozen=True):
    """`operator` is the address that alerts go to; `timezone` the operator's."""

    database: str = ""
    timezone: str = "UTC"
    operator: str = ""
    mail: Mail = field(default_factory=Mail)


SAMPLE = """\
# Settings of adjud. A line that begins with # is a comment and shows the default.

# Where matches are kept: an SQLite file, or postgresql://user@host/name.
# database = "{database}"

# The zone in which times are shown to you.
# timezone = "UTC"

# Your address: alerts about matches that need you go there.
# operator = "games@example.org"

[mail]
# The way out for letters. "none" keeps every letter in the queue and sends nothing.
# out = "none"
"""


def load(given: str | None) -> Settings:
    """From `--config`, else ADJUD_CONFIG, ./adjud.toml, the user's configuration folder."""
    path = config_file(given)
    if path is None:
        return Settings()
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ConfigTrouble(say("there is no configuration file {path}", path=str(path))) from None
    except OSError as trouble:
        why = trouble.strerror or str(trouble)
        raise ConfigTrouble(say("{path} cannot be read: {why}", path=str(path), why=why)) from None
    except tomllib.TOMLDecodeError as trouble:
        raise ConfigTrouble(say("{path}: {why}", path=str(path), why=str(trouble))) from None
    except UnicodeDecodeError:
        raise ConfigTrouble(say("{path} is not text in UTF-8", path=str(path))) from None
    _check_keys(path, table, Settings, "")
    try:
        settings = msgspec.convert(table, Settings)
    except msgspec.ValidationError as trouble:
        raise ConfigTrouble(say("{path}: {why}", path=str(path), why=str(trouble))) from None
    _check_zone(path, settings.timezone)
    if settings.mail.out != "none":
        raise ConfigTrouble(
            say("{path}: mail.out can only be none in this version", path=str(path))
        )
    return settings


def config_file(given: str | None) -> Path | None:
    """The file that is read, None where there is none. One that was named must exist."""
    named = given or os.environ.get("ADJUD_CONFIG")
    if named:
        return Path(named)
    return next((path for path in (Path("adjud.toml"), user_config()) if path.is_file()), None)


def user_config() -> Path:
    from platformdirs import user_config_path

    return user_config_path("adjud") / "adjud.toml"


def wanted_file(given: str | None) -> Path:
    """Where `init` puts the file if there is none."""
    return config_file(given) or user_config()


def sample() -> str:
    return SAMPLE.format(database=_user_database())


def database_url(settings: Settings) -> str:
    return settings.database or _user_database()


def _user_database() -> str:
    from platformdirs import user_data_path

    return f"sqlite:///{user_data_path('adjud') / 'adjud.db'}"


def _check_keys(path: Path, table: Mapping[str, Any], kind: type[Struct], where: str) -> None:
    known = {entry.name: entry.type for entry in msgspec.structs.fields(kind)}
    for key, value in table.items():
        if key not in known:
            raise ConfigTrouble(_unknown(path, where, key, known))
        inner = known[key]
        if isinstance(inner, type) and issubclass(inner, Struct):
            if not isinstance(value, Mapping):
                raise ConfigTrouble(
                    say("{path}: {key} is a part of its own: [{key}]", path=str(path), key=key)
                )
            _check_keys(path, value, inner, f"{where}{key}.")
        elif inner is str and not isinstance(value, str):
            raise ConfigTrouble(
                say(
                    '{path}: {key} is a text in quotes, as in {key} = "..."',
                    path=str(path),
                    key=f"{where}{key}",
                )
            )


def _check_zone(path: Path, name: str) -> None:
    from zoneinfo import available_timezones

    if name != "UTC" and name not in available_timezones():
        raise ConfigTrouble(
            say(
                "{path}: '{seen}' is no time zone; write one as Europe/Oslo",
                path=str(path),
                seen=shown(name),
            )
        )


def _unknown(path: Path, where: str, key: str, known: Iterable[str]) -> Message:
    meant = nearest(key, list(known))
    if meant:
        return say(
            "{path}: there is no setting '{key}'; did you mean {meant}?",
            path=str(path),
            key=f"{where}{shown(key)}",
            meant=f"{where}{meant}",
        )
    return say(
        "{path}: there is no setting '{key}'; there is {known}",
        path=str(path),
        key=f"{where}{shown(key)}",
        known=", ".join(f"{where}{name}" for name in known),
    )
