"""Read a configuration in which every setting is plainly right.

`config` knows all that may stand there and says what is wrong. This module takes a part of it that
needs no knowledge of time zones, addresses and networks, and leaves the rest to `config`.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from typing import Any, TypeAlias

Plain: TypeAlias = Mapping[str, str]


class Doubt(Exception):
    """This is not certain without the whole program."""


_LABEL = "[a-z0-9]{1,30}(?:-[a-z0-9]{1,30})?"
_NAME = rf"{_LABEL}(?:\.{_LABEL}){{0,3}}"

# The settings that are texts: which values are plain, and the value of a setting that is left out.
_TEXTS: Mapping[str, tuple[str, str]] = {
    "database": (r"[^\0]*", ""),
    "timezone": ("UTC|[A-Z][a-z]+/[A-Z][A-Za-z_]+", "UTC"),
    "operator": (rf"(?:[a-z0-9]{{1,30}}@{_NAME})?", ""),
    "clock.max_gap": ("2 days", "2 days"),
    "mail.domain": (rf"(?:{_NAME})?", ""),
    "mail.user": ("[a-z0-9]{1,15}", "adjud"),
    "mail.delimiter": ("[-+._=]", "+"),
    "mail.key": (r"[^\0]*", ""),
    "mail.spool": (r"[^\0]*", ""),
    "mail.out": (r"none|sendmail|smtps?://[!-~]+|folder:[!-~]+", "none"),
    "mail.password_file": (r"[^\0]*", ""),
    "mail.fetch": ("", ""),
    "mail.fetch_password_file": (r"[^\0]*", ""),
    "mail.pictures": ("auto|always|never", "auto"),
    "mail.dkim_selector": (rf"(?:{_NAME})?", ""),
    "mail.authserv_id": (r"[^\0]*", ""),
    "mail.authserv_hosts": ("", ""),
    "club.name": ("[ !-;=?A-~]{0,60}", ""),
    "club.game_master": ("[ !-;=?A-~]{0,60}", ""),
    "club.contact": (rf"(?:[a-z0-9]{{1,30}}@{_NAME})?", ""),
    "site.url": (r"(?:https?://[!-;=?-~]{1,200})?", ""),
}
_NUMBERS = {"absence_days", "clock.max_silent"}
_PARTS = {"clock", "mail", "club", "site"}
_ZONES = "/usr/share/zoneinfo"


def load(path: "str | os.PathLike[str] | None") -> Plain:
    """Return the settings that are texts. Raises Doubt, OSError or ValueError if any is not
    plain."""
    if path is None:
        return read("")
    with open(path, "rb") as file:
        return read(file.read().decode("utf-8-sig"))


def read(text: str) -> Plain:
    found = {key: default for key, (_, default) in _TEXTS.items()}
    for key, value in _flat(tomllib.loads(text)).items():
        if key in _NUMBERS:
            if type(value) is not int or value < 0:
                raise Doubt
        elif type(value) is str and re.fullmatch(_TEXTS[key][0], value):
            found[key] = value
        else:
            raise Doubt
    if found["mail.out"] != "none" and not found["mail.domain"]:
        raise Doubt
    if not _is_zone(found["timezone"]):
        raise Doubt
    return found


def _flat(table: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return all settings by their whole names. Raises Doubt for one that is unknown."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if key in _PARTS and type(value) is dict:
            flat |= {f"{key}.{inner}": of_part for inner, of_part in value.items()}
        else:
            flat[key] = value
    if flat.keys() - _TEXTS.keys() - _NUMBERS or any("." in key for key in table):
        raise Doubt
    return flat


def _is_zone(name: str) -> bool:
    """Return whether the machine has this zone, where Python looks for zones unless it is told
    otherwise."""
    at_usual_place = "PYTHONTZPATH" not in os.environ and os.path.isfile(f"{_ZONES}/{name}")
    return name == "UTC" or at_usual_place
