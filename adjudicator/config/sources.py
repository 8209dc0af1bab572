"""Where settings come from: the file and its lines, and the environment."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct

from adjudicator import places
from adjudicator.config.settings import KEYS, TEMPLATE_NAME, TEMPLATES, Settings
from adjudicator.core.message import Message, say
from adjudicator.core.orders import nearest, shown

PREFIX = "ADJUD__"


class ConfigTrouble(Exception):
    """The configuration cannot be used. The message says which key or line is wrong and what would
    be right."""

    def __init__(self, message: Message) -> None:
        super().__init__(str(message))
        self.message = message


class Sources(Struct, frozen=True, dict=True):
    """What was set, and where: in a file, whose `path` is its name in error messages, and in the
    environment, by the names of the settings."""

    path: Path | None = None
    content: str = ""
    table: Mapping[str, Any] = {}
    environment: Mapping[str, str] = {}

    @cached_property
    def lines(self) -> Mapping[str, int]:
        return lines_of(self.content)

    def place(self, key: str) -> Message:
        """Return where a setting or a section was set, or would be set."""
        if key in self.environment:
            return Message(variable(key))
        if self.path is None:
            return Message(places.NAME)
        line = self.lines.get(key)
        if line is None:
            return Message(str(self.path))
        return say("{path}, line {line}", path=str(self.path), line=line)


def variable(key: str) -> str:
    """Return the variable of the environment for a setting: `ADJUD__MAIL__OUT` for `mail.out`."""
    return PREFIX + key.replace(".", "__").upper()


def from_file(content: bytes, path: Path) -> Sources:
    """Read a file. Raises ConfigTrouble for one that is no TOML, or has unknown keys or values of a
    wrong kind."""
    try:
        text = content.decode("utf-8-sig")
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as trouble:
        raise ConfigTrouble(_no_toml(path, text, str(trouble))) from None
    except UnicodeDecodeError as trouble:
        line = content.count(b"\n", 0, trouble.start) + 1
        raise ConfigTrouble(
            say("{path}, line {line}: this is not text in UTF-8", path=str(path), line=line)
        ) from None
    found = Sources(path, text, table)
    _check_keys(found)
    return found


def with_environment(sources: Sources, environment: Mapping[str, str]) -> Sources:
    """Add what the environment sets. An empty variable sets nothing, as in a shell's `${X:-}`."""
    found: dict[str, str] = {}
    for name, value in environment.items():
        if name.startswith(PREFIX) and value:
            key = name.removeprefix(PREFIX).lower().replace("__", ".")
            if key not in KEYS:
                raise ConfigTrouble(_unknown(Message(name), "", key, KEYS))
            found[key] = value
    return Sources(sources.path, sources.content, sources.table, found)


def merge(sources: Sources) -> dict[str, Any]:
    """Return the table that `Settings` is made from."""
    whole = {
        key: dict(value) if isinstance(value, Mapping) else value
        for key, value in sources.table.items()
    }
    if TEMPLATES in whole:
        whole[TEMPLATES] = {
            name: {key: str(value) for key, value in table.items()}
            for name, table in whole[TEMPLATES].items()
        }
    for key, text in sources.environment.items():
        section, _, name = key.rpartition(".")
        inner = whole.setdefault(section, {}) if section else whole
        inner[name] = _number(sources, key, text) if KEYS[key].kind is int else text
    return whole


def _number(sources: Sources, key: str, text: str) -> int:
    if not re.fullmatch("-?[0-9]{1,9}", text):
        raise ConfigTrouble(_wrong_kind(sources.place(key), key, int))
    return int(text)


def lines_of(content: str) -> dict[str, int]:
    """Return the line on which each section and each value of a TOML text is complete.

    TOML has too many ways to write a key for a search, so its own parser reads longer and longer
    beginnings of the text. This is done for a fault only, and to show where a setting comes from.
    """
    found: dict[str, int] = {}
    whole = content.split("\n")
    for n, line in enumerate(whole, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                table = tomllib.loads("\n".join(whole[:n]))
            except tomllib.TOMLDecodeError:
                continue  # in the midst of a value of several lines
            for key in _flat(table, ""):
                found.setdefault(key, n)
    return found


def _flat(table: Mapping[str, Any], where: str) -> Iterator[str]:
    for key, value in table.items():
        yield f"{where}{key}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{where}{key}.")


_AT = re.compile(r"(?P<why>.*) \(at (?:line (?P<line>\d+), column \d+|end of document)\)", re.S)
_BEGINS = re.compile(r"\s*(?P<key>[\w.-]+)\s*=")


def _no_toml(path: Path, text: str, said: str) -> Message:
    """Name the line and the key, and not the value, which may be a secret."""
    found = _AT.fullmatch(said)
    if found is None:
        return say("{path}: {why}", path=str(path), why=said)
    written = text.split("\n")
    line = int(found["line"] or len(written))
    begins = _BEGINS.match(written[line - 1])
    if begins is None:
        return say(
            '{path}, line {line}: {why}; write a section as [mail] and a setting as key = "value"',
            path=str(path),
            line=line,
            why=found["why"],
        )
    return say(
        '{path}, line {line}: {key}: {why}; text needs quotes, as in {key} = "...", and a number '
        "has none",
        path=str(path),
        line=line,
        key=begins["key"],
        why=found["why"],
    )


def _check_keys(sources: Sources) -> None:
    """Check the keys of a file and the kinds of their values."""
    sections = {key.rpartition(".")[0] for key in KEYS if "." in key}
    for key, value in sources.table.items():
        if key == TEMPLATES:
            _check_templates(sources, value)
        elif key in sections:
            if not isinstance(value, Mapping):
                raise ConfigTrouble(
                    say(
                        "{path}: {key} must be a section of its own: [{key}]",
                        path=sources.place(key),
                        key=key,
                    )
                )
            for name, inner in value.items():
                _check_key(sources, f"{key}.", name, inner)
        else:
            _check_key(sources, "", key, value)


def _check_templates(sources: Sources, value: object) -> None:
    """Check the names of templates of matches, and the kinds of what they hold. Which games and
    options there are is known where a match is made."""
    if not isinstance(value, Mapping):
        raise ConfigTrouble(_no_template(sources, TEMPLATES, TEMPLATES))
    for name, table in value.items():
        key = f"{TEMPLATES}.{name}"
        if not isinstance(table, Mapping) or not TEMPLATE_NAME.fullmatch(name):
            raise ConfigTrouble(_no_template(sources, key, name))
        for option, given in table.items():
            if type(given) not in (str, int):
                place = sources.place(f"{key}.{option}")
                raise ConfigTrouble(_wrong_kind(place, f"{key}.{shown(option)}", str))


def _no_template(sources: Sources, key: str, name: str) -> Message:
    return say(
        "{path}: '{seen}' cannot be a template; write [match.NAME], where NAME has up to 24 of "
        "a-z, 0-9 and -, and begins with one of a-z",
        path=sources.place(key),
        seen=shown(name),
    )


def _check_key(sources: Sources, where: str, name: str, value: object) -> None:
    key = f"{where}{name}"
    if key not in KEYS or "." in name:
        known = [one.removeprefix(where) for one in KEYS if one.startswith(where)]
        if not where:
            known = list(Settings.__struct_fields__)
        raise ConfigTrouble(_unknown(sources.place(key), where, name, known))
    if type(value) is not KEYS[key].kind:
        raise ConfigTrouble(_wrong_kind(sources.place(key), key, KEYS[key].kind))


def _wrong_kind(place: Message, key: str, wanted: type) -> Message:
    if wanted is int:
        return say("{path}: {key} must be a whole number, as in {key} = 5", path=place, key=key)
    return say('{path}: {key} must be text in quotes, as in {key} = "..."', path=place, key=key)


def _unknown(
    place: Message, where: str, key: str, known: "list[str] | Mapping[str, object]"
) -> Message:
    elsewhere = next((one for one in KEYS if one.rpartition(".")[2] == key), None)
    meant = nearest(key, list(known))
    if elsewhere:  # all that follows [section] is in that section
        section, _, name = elsewhere.rpartition(".")
        return say(
            "{path}: there is no setting '{key}'; {name} belongs {where}",
            path=place,
            key=f"{where}{shown(key)}",
            name=name,
            where=say("in the section [{section}]", section=section)
            if section
            else say("above the first section"),
        )
    if meant:
        return say(
            "{path}: there is no setting '{key}'; did you mean {meant}?",
            path=place,
            key=f"{where}{shown(key)}",
            meant=f"{where}{meant}",
        )
    return say(
        "{path}: there is no setting '{key}'; the settings are {known}",
        path=place,
        key=f"{where}{shown(key)}",
        known=", ".join(f"{where}{name}" for name in known),
    )
