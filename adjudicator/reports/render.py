"""Turn a report into a page or a text. Only this package knows Jinja2.

What Jinja has compiled is kept for the next run: to compile it takes a quarter of a tick that does
little else.
"""

import os
import re
import secrets
import stat
from base64 import b64encode
from collections.abc import Hashable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from functools import cache, lru_cache, partial
from hashlib import sha256
from pathlib import Path
from textwrap import TextWrapper
from typing import Any

from jinja2 import (
    BaseLoader,
    Environment,
    StrictUndefined,
    Template,
    TemplateNotFound,
    TemplateSyntaxError,
    nodes,
    select_autoescape,
)
from jinja2.bccache import Bucket, BytecodeCache
from jinja2.meta import find_referenced_templates
from markupsafe import Markup
from msgspec import structs
from msgspec.json import encode

from adjudicator.core import public_chance
from adjudicator.core.command_table import TABLE, help_lines
from adjudicator.core.game import AnyGame, Rows
from adjudicator.core.lookback import History
from adjudicator.core.message import Message, Words, say
from adjudicator.core.report import AnyReport
from adjudicator.core.text import Spelling
from adjudicator.places import user_cache
from adjudicator.reports.frame import FirstPart, ReplyForm, frame
from adjudicator.reports.words import catalogue, supported_language, words
from adjudicator.resources import Incomplete, template

# Scripts that stand in a page, and the hashes by which the page's policy lets them run.
#
# The rows of a game's page name them in the order in which they run, by their place under
# `templates`, and give what they read:
#
#     scripts=["shared/bar.js", "espionage/composer_march.js"],
#     data={"composer-data": {...}},  # by the id of its element; plain values only
#
# The frame does the rest: the scripts become one inline element whose hash stands in the policy, so
# nothing else runs, and each value a `<script type="application/json">`. On the club's site the
# element becomes a file that pages share (`club.apart`). Top-level names of all
# scripts of a page share one scope. Scripts hold no words for people: those come with the data, in
# the reader's language.


_STRICT = '"use strict";'  # each of them begins with it
# Comments, empty lines, and what lines are moved in by: a page carries none of them.
_FOR_PEOPLE = re.compile(r"^ *//.*\n| +// .*$|^ */\*(?:[^*]|\*(?!/))*\*/\n|^\n|^ +", re.MULTILINE)


@cache
def join_scripts(*names: str) -> Markup:
    """Return the scripts of those places under `templates` as one."""
    return Markup(_STRICT + "\n".join(map(script, names)))  # noqa: S704  # files of ours


@cache
def source_of(text: str) -> Markup:
    """Return a script as the policy of a page names it (CSP 2, hash-source)."""
    digest = b64encode(sha256(text.encode()).digest()).decode()
    return Markup(f"'sha256-{digest}'")  # noqa: S704  # a digest


@cache
def script(name: str) -> str:
    """Return the script of that place under `templates`, without its first words and comments."""
    path = template(name)
    try:
        return _FOR_PEOPLE.sub("", path.read_text("utf-8").removeprefix(_STRICT))
    except (OSError, UnicodeDecodeError) as trouble:
        raise Incomplete(path) from trouble


WIDTH = 70  # with a mark before them, lines fit into 72 columns, at which programs break them
_WORD = 40  # signs that a word has at most, or it is cut where there is no room for it
_PLAIN = re.compile(rf"\S{{1,{_WORD}}}(?: \S{{1,{_WORD}}})*")
_TAG = re.compile(r'\[\w+ ".*"\]')  # of a record; it is read from one line
_NO_HTML = [(sign, f"\\u{ord(sign):04x}") for sign in "<>&'"]
_BLANKS = re.compile(r"\s*([{};])\s*|([:,])\s+")
_CODE = re.compile(r"\b([A-Z])-(?=P?[0-9A-Z]\b)")
# Where in a page stands what looks back. Words of a report are escaped, so they cannot say this.
_HISTORY = Markup("<slot></slot>")

# Bytes for what looks back in pages that are in no email, but for those that stay.
_RUNNING, _ENDED = 36_000, 200_000

# The forms of a report: `email` is the HTML part of an email, `aside` its news by themselves in a
# email that is forgotten, `news` the same in a receipt.
_TEMPLATES = {
    "txt": "report.txt.j2",
    "html": "report.html.j2",
    "svg": "report.svg.j2",
    "letter": "email.html.j2",
    "aside": "aside.txt.j2",
    "news": "report.txt.j2",
}


def render(
    game: AnyGame,
    report: AnyReport,
    suffix: str,
    language: str = "en",
    zone: str = "UTC",
    past: Sequence[Any] = (),
    reply: ReplyForm | None = None,
) -> str:
    """Return the report as `txt`, as `html`, as the `email` that carries it, or, if the game draws
    one, its board as `svg`."""
    (text,) = renders(game, report, (suffix,), language, zone, past, reply)
    return text


def renders(
    game: AnyGame,
    report: AnyReport,
    suffixes: Sequence[str],
    language: str = "en",
    zone: str = "UTC",
    past: Sequence[Any] = (),
    reply: ReplyForm | None = None,
) -> tuple[str, ...]:
    """Return the report in several forms, with its rows made once; the page steps through
    `past`."""
    prints = Prints(game, report, language, zone, reply)
    return tuple(
        prints.page(past) if suffix == "html" else prints.form(suffix) for suffix in suffixes
    )


WHAT_CAME = say("What came of your orders")  # the heading of news in a receipt


class Prints:
    """A report whose rows are made once, for all the forms in which it is printed.

    Templates get rows of strings and numbers only, nothing that would lead them to anything else.
    """

    def __init__(
        self,
        game: AnyGame,
        report: AnyReport,
        language: str = "en",
        zone: str = "UTC",
        reply: ReplyForm | None = None,
    ) -> None:
        self._game, self._report = game, report
        language = supported_language(language)
        self._words = words(language, game.slug)
        self._templates = environment(language, game.slug)
        self._page = page = rows_with_tales(game, report, self._words)
        first = list(self._first_parts()) if reply and reply.first else []
        self._around: str | None = None
        self._left_out: Mapping[str, bool] = {}
        tip = self._tip() if reply and reply.tips else None
        asked = reply and reply.links.orders
        suggestion = game.page.suggest(report.view, self._words) if asked else None
        self._frame = frame(
            report, page, self._words, language, zone, game.proof, reply, first, tip, suggestion
        )

    def form(self, suffix: str) -> str:
        """Return the report in any form but `html`."""
        template = self._template(_TEMPLATES[suffix])
        if suffix == "news":
            return _news(template, self._page, self._words(WHAT_CAME))
        return template.render(frame=self._frame, page=self._page, told_as="")

    def page(self, past: Sequence[Any] = ()) -> str:
        """Return the report as `html` that is no email's, which steps through `past`."""
        report = self._report
        room = None if report.in_no_letter else _ENDED if report.record else _RUNNING
        history = self.history(past, room)
        if history is None or len(history.moments) < 2:
            return self.page_without_history  # one moment alone is nothing to look back on
        return self.page_around(history)

    def history(self, past: Sequence[Any], room: int | None) -> History | None:
        """Return what looks back on `past`, or on the record of an ended match: as much as fits
        into so many bytes of an email, and at least the present."""
        return self._game.page.back(self._report, self._words, past, room)

    def page_around(self, history: History) -> str:
        """Return the report as `html` with what looks back, also on one moment alone.

        What is around it is printed once for all that it may be.
        """
        page = looking_back(self._game, self._page, history)
        if self._around is None:
            template = self._template(_TEMPLATES["html"])
            self._around = template.render(
                frame=self._frame, page=page, looking_back=_HISTORY, **self._left_out
            )
        text = self._template("history.html.j2").render(frame=self._frame, page=page)
        return self._around.replace(_HISTORY, text)

    @property
    def page_without_history(self) -> str:
        template = self._template(_TEMPLATES["html"])
        return template.render(frame=self._frame, page=self._page, **self._left_out)

    def without_log(self) -> "Prints":
        """Return the same for a page without record and log, which are in the email that brings
        it."""
        bare = copy(self)
        bare._left_out, bare._around = {"without_log": True}, None
        return bare

    def _tip(self) -> Message | None:
        report = self._report
        return self._game.page.tip(report.view, self._words) if report.result is None else None

    def _first_parts(self) -> Iterator[FirstPart]:
        """Yield what a first email says, as its template has it."""
        text = self._template("first.txt.j2").render(
            page=self._page, starting=self._report.phase == "setup"
        )
        for part in text.split("# ")[1:]:
            heading, *lines = filter(None, part.split("\n"))
            rows = (line.partition(" | ") for line in lines)
            yield FirstPart(heading, [(a, b) if b else ("", a) for a, _, b in rows])

    def _template(self, name: str) -> Template:
        return self._templates.get_template(f"{self._game.slug}/{name}")


def news(game: AnyGame, report: AnyReport, language: str, tell: Words) -> Sequence[str]:
    """Return what a report tells of what happened, as its text tells it in a language, with `tell`
    for its words: with the reader's own turns first, and in order, as older programs did. It is
    empty if nothing happened."""
    rows = game.page.rows(report, tell)
    template = environment(language, game.slug).get_template(f"{game.slug}/{_TEMPLATES['txt']}")
    inorder = structs.replace(rows, mine=())
    return [_news(template, one, "") for one in ((rows, inorder) if rows.mine else (rows,))]


def _news(template: Template, page: Rows, heading: str) -> str:
    """Print the part of a text report that tells what happened, under a heading or its own."""
    return "".join(
        template.blocks["news"](template.new_context({"page": page, "told_as": heading}))
    )


def rows_with_tales(game: AnyGame, report: AnyReport, words: Words) -> Rows:
    """Return all rows of a report, those of HTML included, and what was agreed of chance."""
    rows = game.page.rows(report, words)
    agreed = public_chance.message_for_option(report.options.get("chance", public_chance.SEED))
    rules = f"{rows.rules} {words(agreed)}" if agreed else rows.rules
    return structs.replace(rows, rules=rules, tales=game.page.tales(report, words))


def looking_back(game: AnyGame, page: Rows, back: History) -> Rows:
    """Return the rows of a page that looks back, with the scripts for it."""
    part = game.page
    return structs.replace(
        page,
        history=back,
        spare=[*part.spare_stepping, *page.spare],
        scripts=[*part.stepping, *page.scripts],
        live_scripts=[*part.stepping, *page.live_scripts] if page.live_scripts else [],
    )


class _TemplateLoader(BaseLoader):
    """Load the templates that come with the program or with a game; raise Incomplete for one that
    cannot be used."""

    def load(
        self, environment: Environment, name: str, globals: MutableMapping[str, Any] | None = None
    ) -> Template:
        with _usable(name):
            return super().load(environment, name, globals)

    def get_source(self, environment: Environment, name: str) -> tuple[str, str, None]:
        path = template(name)
        return path.read_text("utf-8"), str(path), None


@contextmanager
def _usable(name: str) -> Iterator[None]:
    """Raise Incomplete if a template inside the block is missing or damaged."""
    try:
        yield
    except (TemplateNotFound, TemplateSyntaxError, UnicodeDecodeError, OSError) as trouble:
        raise Incomplete(template(name)) from trouble


@cache
def environment(language: str, game: str) -> Environment:
    """Return the templates in a language, with the words of a game beside the shared ones."""
    return fresh_environment(language, game)


def fresh_environment(language: str, game: str) -> Environment:
    """Make an environment that has read no template yet."""
    environment = Environment(
        loader=_TemplateLoader(),
        autoescape=select_autoescape(["html", "html.j2", "svg", "svg.j2"], default=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        extensions=["jinja2.ext.i18n"],
        # The same for all languages: a sentence is translated when it is printed.
        bytecode_cache=cache_in(user_cache() / "templates", made_with=Path(__file__).read_bytes()),
    )
    environment.install_gettext_translations(  # type: ignore[attr-defined]  # the extension's
        catalogue(language, game), newstyle=True
    )
    environment.filters["wrap"] = wrap
    environment.filters["join"] = join
    environment.filters["unbroken"] = unbroken
    environment.filters["tight"] = tight
    environment.filters["before_others"] = before_others
    environment.filters["tojson"] = to_json
    environment.globals["joined"] = join_scripts
    environment.globals["source_of"] = source_of
    environment.globals["styles_of"] = Styles
    environment.globals["attributes_of"] = Attributes
    environment.globals["once"] = lru_cache(maxsize=64)(partial(_part, environment))
    return environment


def _part(environment: Environment, name: str, rows: Hashable) -> Markup:
    """Return a part of a page. `once` in a template prints the same rows once for many pages."""
    return Markup(environment.get_template(name).render(rows=rows))  # noqa: S704  # was escaped


def references_of(environment: Environment, name: str) -> Sequence[str]:
    """Return the templates that one extends, includes or imports.

    Raises Incomplete if it cannot be used itself.
    """
    assert environment.loader is not None
    with _usable(name):
        source, _, _ = environment.loader.get_source(environment, name)
        tree = environment.parse(source, name)
    found = [*find_referenced_templates(tree), *_printed_once(tree)]
    # None stands for a template whose name is known only when it is rendered.
    return [one for one in found if one is not None]


def _printed_once(tree: nodes.Template) -> Iterator[str]:
    """Yield the templates that another prints with `once("…", rows)`."""
    for call in tree.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name == "once":
            yield call.args[0].as_const()


def unbroken(html: Markup) -> Markup:
    """Write the hyphens of codes as `G-P4` so that they break no line. Orders with such hyphens are
    read, too."""
    return Markup(_CODE.sub("\\1\u2011", str(html)))  # noqa: S704  # was escaped


def tight(style: Markup) -> Markup:
    """Leave out the blanks of a style sheet, which are for people: a page has to be light."""
    return Markup(_tight(str(style)))  # noqa: S704  # a template of ours


@lru_cache(maxsize=64)  # most pages of a game have the same one
def _tight(style: str) -> str:
    return _BLANKS.sub(r"\1\2", style)


def before_others(groups: Sequence[Any], mine: Sequence[int]) -> list[Any]:
    """Return the parts of the news, those first that tell what came of the reader's own orders."""
    first = set(mine)
    others = (one for n, one in enumerate(groups) if n not in first)
    return [*(groups[n] for n in mine), *others]


def join(parts: Iterable[object], between: str = "") -> str:
    """Join what is printed as text; it is escaped afterwards."""
    return between.join(map(str, parts))


def to_json(value: object) -> Markup:
    """Write a value into a script element, in which no sign of HTML may stand."""
    text = encode(value).decode()
    for sign, code in _NO_HTML:
        text = text.replace(sign, code)
    return Markup(text)  # noqa: S704  # none is left


class Styles(dict[str, Markup]):
    """The styles of things in an email by their words; of several words what each of them says, in
    their order. Templates hold them, so they need not be escaped."""

    def __init__(self, styles: Mapping[str, str]) -> None:
        own = ((words, Markup(style)) for words, style in styles.items())  # noqa: S704  # a template's
        super().__init__(own)

    def __missing__(self, words: str) -> Markup:
        if " " not in words and words:
            raise KeyError(words)
        self[words] = Markup(";").join(filter(None, map(self.__getitem__, words.split())))
        return self[words]


class Attributes(dict[str, Markup]):
    """The same styles as attributes of elements, in quotes where they need some (HTML, 13.1.2.3).
    Where there is no style, there is no attribute."""

    def __init__(self, styles: Styles) -> None:
        super().__init__()
        self._styles = styles

    def __missing__(self, words: str) -> Markup:
        style = self._styles[words]
        written = ' style="{}"' if " " in style else " style={}"
        marked = Markup(written)  # noqa: S704  # one of these two
        self[words] = marked.format(style) if style else Markup("")
        return self[words]


def wrap(text: str, first: str = "", rest: str | None = None) -> str:
    """Wrap a paragraph into lines of at most 70 columns.

    `first` is put before the first line and `rest`, by default as many blanks, before the others.
    """
    if len(first) + len(text) <= WIDTH or _TAG.fullmatch(text):
        return (first + text).rstrip()
    rest = " " * len(first) if rest is None else rest
    if max(len(first), len(rest)) <= WIDTH - _WORD and _PLAIN.fullmatch(text):
        return "\n".join(_wrap_words(text, first, rest))
    return TextWrapper(
        width=WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    ).fill(text)


def _wrap_words(text: str, before: str, rest: str) -> Iterator[str]:
    """Yield the lines of words with single blanks between them, of which each fits into a line.

    The standard library does the same with any text, in ten times the time.
    """
    at = 0
    while len(text) - at > (room := WIDTH - len(before)):
        end = text.rindex(" ", at, at + room + 1)
        yield before + text[at:end]
        at, before = end + 1, rest
    yield before + text[at:]


# The card of a game's rules and orders, which HELP sends.


def card(
    game: AnyGame,
    language: str,
    spelled: Spelling,
    heads: Sequence[str] = ("ORDERS m", "ORDERS m"),
) -> str:
    """Return the card as text, in the reader's language and order words. `heads` are those of its
    two examples: for the present turn, and for a later one."""
    slug, tell = game.slug, words(language, game.slug)
    template = environment(supported_language(language), slug).get_template(f"{slug}/card.txt.j2")
    rows = (row for row in TABLE.values() if row.where != "own")
    commands = "\n".join(help_lines(rows, tell))
    return template.render(
        spelled=spelled, commands=commands, heads=heads, card=game.page.card(tell)
    )


class CompiledTemplates(BytecodeCache):
    """A folder of files that may be deleted at any time. What cannot be kept is compiled again.

    What is compiled depends on a template and on `made_with`. A file that Jinja finds to be of
    another template, or of another Python, it compiles anew.
    """

    def __init__(self, folder: Path, made_with: bytes) -> None:
        self._folder = folder
        self._made_with = sha256(made_with).hexdigest()[:16]

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError), self._path(bucket).open("rb") as file:
            bucket.load_bytecode(file)

    def dump_bytecode(self, bucket: Bucket) -> None:
        path = self._path(bucket)
        unfinished = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
        with suppress(OSError):
            try:
                unfinished.write_bytes(bucket.bytecode_to_string())
                unfinished.replace(path)
            finally:
                unfinished.unlink(missing_ok=True)

    def _path(self, bucket: Bucket) -> Path:
        return self._folder / f"{bucket.key}.{self._made_with}"


def cache_in(folder: Path, made_with: bytes) -> CompiledTemplates | None:
    """Return what is kept in a folder; None if it cannot be made, or is not this user's alone, for
    whoever writes there could run anything in his name."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError:
        return None
    if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o022:
        return None
    return CompiledTemplates(folder, made_with)
