"""The settings written down for people: the commented configuration, and
`docs/reference/settings.md`."""

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from textwrap import wrap

from adjudicator import places
from adjudicator.config.settings import (
    ABOUT_TEMPLATES,
    KEYS,
    TEMPLATE_EXAMPLE,
    KnownSetting,
)
from adjudicator.config.sources import variable

_HEAD = """\
# Settings of adjud. A line that begins with # is a comment. It shows the default, or an example of
# a setting that has none. docs/reference/settings.md has all.
"""


def sample(folder: Path | None = None) -> str:
    """Return a configuration in which every setting is a comment, but for the folder if that is the
    club's own."""
    at = folder or places.user_data()
    own = {
        "database": places.database_in(at),
        "mail.key": str(places.key_in(at)),
        "mail.spool": str(places.spool_in(at)),
    }
    written = [_HEAD]
    for section, keys in _sections():
        if section:
            written.append(f"[{section}]\n")
        for key in keys:
            value = own.get(key) or KEYS[key].default or KEYS[key].about.example
            comment = wrap(
                _text_of_setting(KEYS[key]), 98, break_on_hyphens=False, break_long_words=False
            )
            written += [f"# {line}\n" for line in comment]
            mark = "" if folder and key == "folder" else "# "
            written.append(f"{mark}{key.rpartition('.')[2]} = {as_toml(value)}\n\n")
    comment = wrap(ABOUT_TEMPLATES.replace("`", ""), 98, break_on_hyphens=False)
    written += [f"# {line}\n" for line in (*comment, *(f"    {one}" for one in TEMPLATE_EXAMPLE))]
    written.append("\n")
    return "".join(written).replace(_HEAD, f"{_HEAD}\n", 1).removesuffix("\n")


def as_toml(value: str | int) -> str:
    """Write a value as TOML does. A string of JSON is one of TOML's, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _text_of_setting(known: KnownSetting) -> str:
    unset = known.about.unset.replace("`", "")
    return f"{known.about.text} Without it: {unset}." if unset else known.about.text


def tables() -> str:
    """Return what `docs/reference/settings.md` says of each setting."""
    return "".join(_page())


def _page() -> Iterator[str]:
    for section, keys in _sections():
        yield f"\n## {f'[{section}]' if section else 'At the top of the file'}\n"
        for key in keys:
            known, name = KEYS[key], key.rpartition(".")[2]
            text = wrap(f"**`{name}`**: {_as_code(known.about.text)}", 116, break_on_hyphens=False)
            yield "\n" + "\n".join(text) + "\n"
            unset = known.about.unset or "none"
            default = f"`{as_toml(known.default)}`" if known.default != "" else unset
            facts = {"Default": default}
            if known.about.example:
                facts["Example"] = f"`{name} = {as_toml(known.about.example)}`"
            facts["Environment"] = f"`{variable(key)}`"
            yield _bullets(facts)
    yield "\n## [match.NAME]\n\n"
    yield "\n".join(wrap(ABOUT_TEMPLATES, 116, break_on_hyphens=False))
    yield "\n\n```toml\n" + "\n".join(TEMPLATE_EXAMPLE) + "\n```\n"


def _as_code(text: str) -> str:
    """Let names with underscores be no emphasis in Markdown."""
    return " ".join(f"`{word}`" if _is_name(word) else word for word in text.split(" "))


def _is_name(word: str) -> bool:
    return word.rstrip(".,;:") == word and "_" in word and "`" not in word


def _bullets(facts: Mapping[str, str]) -> str:
    return "".join(f"\n- {what}: {fact}" for what, fact in facts.items()) + "\n"


def _sections() -> Iterator[tuple[str, Iterator[str]]]:
    return groupby(KEYS, lambda key: key.rpartition(".")[0])
