"""Bring the catalogues up to date with the messages in the code and the templates.

    python tests/reports/catalogues.py

New messages come in, gone ones go. A message that another catalogue of the language translates has
that translation, and from which one it was taken is printed: a word may mean something else in
another game. What is still empty is printed, to be filled in. With `--check` nothing is
written, what a reader of the language could not read is printed, and the exit status is then 1.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from io import BytesIO
from itertools import product
from pathlib import Path
from string import Formatter
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parents[2]
LANGUAGES = ("nb", "sv")
# The games that do not come with the program, and have catalogues.
ELSEWHERE = {
    "skeleton": ROOT / "tests/games/skeleton/game",
    "battleships": ROOT / "examples/games/battleships/adjud_battleships",
}
# What an audit finds is told with its text and its values.
FINDINGS = dict.fromkeys(("contradicts", "asks", "leaves_open", "remark"))
KEYWORDS: Any = {
    "say": None,
    "count": (1, 2),
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
    **FINDINGS,
}
TEMPLATE_OPTIONS = {"trimmed": "true", "trim_blocks": "true", "lstrip_blocks": "true"}
# Catalogues carry no time of extraction: it would change with every run.
WRITTEN = datetime(2026, 11, 21, tzinfo=UTC)


def games() -> list[str]:
    return sorted(p.parent.name for p in (ROOT / "adjudicator/games").glob("*/__init__.py"))


def catalogues() -> list[str]:
    """Return the names of the catalogues: `adjud` holds what is shared, each game has its own."""
    return ["adjud", *games(), *ELSEWHERE]


def place(name: str, language: str) -> Path:
    package = ROOT / "adjudicator"
    home = {"adjud": package, **ELSEWHERE}.get(name, package / "games" / name)
    return home / "locale" / language / "LC_MESSAGES" / f"{name}.po"


def sources(name: str) -> list[Path]:
    """Return the files whose messages a catalogue translates."""
    if name in ELSEWHERE:
        return _texts(ELSEWHERE[name])
    if name != "adjud":
        folders = (ROOT / "adjudicator/games" / name, ROOT / "templates" / name)
        return [path for folder in folders for path in _texts(folder)]
    theirs = {path for game in games() for path in sources(game)}
    everything = [*_texts(ROOT / "adjudicator"), *_texts(ROOT / "templates")]
    return [path for path in everything if path not in theirs]


def _texts(folder: Path) -> list[Path]:
    return sorted((*folder.rglob("*.py"), *folder.rglob("*.j2")))


@cache
def extracted(name: str) -> Catalog:
    """Return what there is to translate now."""
    catalog = Catalog(project="adjudicator", creation_date=WRITTEN, fuzzy=False)
    for path in sources(name):
        for messages in _messages(path):
            catalog.add(messages, locations=[(str(path.relative_to(ROOT)), 0)])
    return catalog


def _messages(path: Path) -> Iterator[str | tuple[str, str]]:
    if path.suffix != ".j2":
        yield from _said(path)
        return
    for _, messages, _, _ in extract_from_file(
        "jinja2.ext:babel_extract", path, KEYWORDS, options=TEMPLATE_OPTIONS
    ):
        if messages and (isinstance(messages, str) or len(messages) == 2):
            yield messages


def _said(path: Path) -> Iterator[str | tuple[str, str]]:
    """Yield the messages of a module. Babel's own extractor takes half a minute for all of them,
    and warns of each `text.count(f"...")`."""
    text = path.read_text("utf-8")
    if not any(f"{word}(" in text for word in KEYWORDS):
        return
    calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        word = call.func.id if isinstance(call.func, ast.Name) else name if name in FINDINGS else ""
        forms = KEYWORDS.get(word, ()) if word in KEYWORDS else ()
        told = [
            one.value
            for one in call.args[: len(forms or (1,))]
            if isinstance(one, ast.Constant) and isinstance(one.value, str)
        ]
        if word in KEYWORDS and len(told) == len(forms or (1,)):
            yield (told[0], told[1]) if forms else told[0]


def read(name: str, language: str) -> Catalog:
    path = place(name, language)
    if not path.is_file():
        return Catalog(locale=language, creation_date=WRITTEN, fuzzy=False)
    return read_po(BytesIO(path.read_bytes()), locale=language)


def update(name: str, language: str) -> Iterator[str]:
    """Write the messages of today into a catalogue; say what was taken from another one."""
    catalog = read(name, language)
    catalog.update(extracted(name), no_fuzzy_matching=True, update_creation_date=False)
    catalog.obsolete.clear()
    catalog.revision_date = WRITTEN
    catalog.project, catalog.version = "adjud", ""
    catalog.msgid_bugs_address, catalog.last_translator = "", "the players of adjud"
    catalog.header_comment = f"# {catalog.locale.english_name} messages of {name}."
    for message in empty(catalog):
        if found := _translated_elsewhere(message, name, language):
            other, message.string = found
            yield f"{message.id!r} is {message.string!r}, as in {other}; look whether that is right"
    write(name, language, catalog)


def empty(catalog: Catalog) -> list[Message]:
    """Return the messages that have no translation, or not one for each form of a plural."""
    return [message for message in catalog if message.id and not _filled(message)]


def _filled(message: Message) -> bool:
    return bool(message.string) and (not message.pluralizable or all(message.string))


def _translated_elsewhere(message: Message, name: str, language: str) -> tuple[str, Any] | None:
    """Return the first other catalogue that has the message, and its translation; None if none has
    it."""
    for other in catalogues():
        found = None if other == name else read(other, language).get(message.id)
        if found and found.id == message.id and not found.fuzzy and _filled(found):
            return other, found.string
    return None


def write(name: str, language: str, catalog: Catalog) -> None:
    path = place(name, language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalog, width=100, include_lineno=False, sort_output=True)


def holes(text: str) -> set[str]:
    """Return what is to be filled in: `{name}` in messages, `%(name)s` in templates."""
    named = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
    return named | set(re.findall(r"%\(\w+\)s", text))


def troubles(name: str, language: str) -> Iterator[str]:
    """Yield everything that keeps a reader of the language from reading a message."""
    translated = read(name, language)
    wanted = extracted(name)
    for message in wanted:
        if message.id:
            found = translated.get(message.id)
            yield from (f"{message.id!r} {trouble}" for trouble in _wrong(message, found))
    for message in translated:
        if message.id and wanted.get(message.id) is None:
            yield f"{message.id!r} is no longer said anywhere"
    for message, errors in translated.check():
        yield from (f"{message.id!r}: {error}" for error in errors)


def _wrong(message: Message, found: Message | None) -> Iterator[str]:
    if found is None or not _filled(found):
        yield "is not translated"
        return
    if found.fuzzy:
        yield "is fuzzy"
    ids = (message.id,) if isinstance(message.id, str) else message.id
    strings = (found.string,) if isinstance(found.string, str) else found.string
    wanted = set().union(*map(holes, ids))
    for string in strings:
        given = holes(string)
        # The singular may leave out the number.
        if not given <= wanted or not wanted - {"n"} <= given:
            yield f"has holes {sorted(wanted)}, its translation {sorted(given)}"


def told(lines: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield for each language how many lines there are, and these."""
    for language, found in lines.items():
        yield f"{language}: {len(found)}"
        yield from (f"  {line}" for line in found)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, say what is wrong")
    found: dict[str, list[str]] = {language: [] for language in LANGUAGES}
    check = parser.parse_args(arguments).check
    for name, language in product(catalogues(), LANGUAGES):
        taken = [] if check else [*update(name, language)]
        wrong = (
            troubles(name, language)
            if check
            else (
                *taken,
                *(f"{message.id!r} is not translated" for message in empty(read(name, language))),
            )
        )
        found[language] += (f"{place(name, language).relative_to(ROOT)}: {one}" for one in wrong)
    print(*told(found), sep="\n")
    return int(check and any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
