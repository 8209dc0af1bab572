"""Turn a report into a page or a text. Only this package knows Jinja2."""

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from textwrap import TextWrapper
from typing import Any

from jinja2 import (
    BaseLoader,
    Environment,
    StrictUndefined,
    Template,
    TemplateNotFound,
    TemplateSyntaxError,
    select_autoescape,
)
from jinja2.meta import find_referenced_templates

from adjudicator.core.game import AnyGame, AnyReport
from adjudicator.core.message import Words, say
from adjudicator.reports import minified
from adjudicator.reports.frame import Reply, frame
from adjudicator.reports.scripts import script
from adjudicator.reports.words import catalogue, spoken, words
from adjudicator.resources import Incomplete, template

WIDTH = 78

# The forms of a report: `letter` is the HTML part of a letter, `aside` its news by themselves in a
# letter that is forgotten, `news` the same in a receipt.
_TEMPLATES = {
    "txt": "report.txt.j2",
    "html": "report.html.j2",
    "svg": "report.svg.j2",
    "letter": "letter.html.j2",
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
    reply: Reply | None = None,
) -> str:
    """Return the report as `txt`, as `html`, as the `letter` that carries it, or, if the game draws
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
    reply: Reply | None = None,
) -> tuple[str, ...]:
    """Return the report in several forms, with its rows made once.

    The page steps through `past`. Templates get rows of strings and numbers only, nothing that
    would lead them to anything else.
    """
    language = spoken(language)
    speak = words(language, game.slug)
    page = game.page.rows(report, speak, past if "html" in suffixes else None)
    templates = environment(language, game.slug)
    first = templates.get_template(f"{game.slug}/first.txt.j2").render() if _is_first(reply) else ""
    paragraphs = [line for line in first.split("\n") if line]
    rows = frame(report, page, speak, language, zone, game.proof, reply, paragraphs)
    print_ = partial(_printed, frame=rows, page=page, words=speak)
    return tuple(
        print_(templates.get_template(f"{game.slug}/{_TEMPLATES[suffix]}"), suffix)
        for suffix in suffixes
    )


def _is_first(reply: Reply | None) -> bool:
    return reply is not None and reply.first


def _printed(
    template: Template, suffix: str, *, frame: Mapping[str, Any], page: Any, words: Words
) -> str:
    """Print a template, or its block of news alone."""
    if suffix != "news":
        return template.render(frame=frame, page=page, told_as="")
    heading = words(say("What came of your orders"))
    context = template.new_context({"frame": frame, "page": page, "told_as": heading})
    return "".join(template.blocks["news"](context))


class _Shipped(BaseLoader):
    """Load the templates that come with the program or with a game; raise Incomplete for one that
    cannot be used."""

    def load(
        self, environment: Environment, name: str, globals: MutableMapping[str, Any] | None = None
    ) -> Template:
        with _usable(name):
            return super().load(environment, name, globals)

    def get_source(self, environment: Environment, name: str) -> tuple[str, str, None]:
        path = template(name)
        text = path.read_text("utf-8")
        return minified.style(text) if name.endswith(".css.j2") else text, str(path), None


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
        loader=_Shipped(),
        autoescape=select_autoescape(["html", "html.j2", "svg", "svg.j2"], default=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        extensions=["jinja2.ext.i18n"],
    )
    environment.install_gettext_translations(  # type: ignore[attr-defined]  # the extension's
        catalogue(language, game), newstyle=True
    )
    environment.policies["json.dumps_kwargs"] = {"sort_keys": True, "separators": (",", ":")}
    environment.filters["wrap"] = wrap
    environment.globals["script"] = script
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "ensure_ascii": False}
    return environment


def referred_to(environment: Environment, name: str) -> Sequence[str]:
    """Return the templates that one extends, includes or imports.

    Raises Incomplete if it cannot be used itself.
    """
    assert environment.loader is not None
    with _usable(name):
        source, _, _ = environment.loader.get_source(environment, name)
        found = [*find_referenced_templates(environment.parse(source, name))]
    # None stands for a template whose name is known only when it is rendered.
    return [one for one in found if one is not None]


def wrap(text: str, first: str = "", rest: str | None = None) -> str:
    """Wrap a paragraph into lines of at most 78 columns.

    `first` is put before the first line and `rest`, by default as many blanks, before the others.
    """
    if len(first) + len(text) <= WIDTH:
        return (first + text).rstrip()
    rest = " " * len(first) if rest is None else rest
    return TextWrapper(
        width=WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    ).fill(text)
