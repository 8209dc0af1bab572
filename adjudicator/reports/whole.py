"""Check that all templates and catalogues are there and can be used."""

from collections.abc import Iterator, Sequence

from adjudicator.core.game import AnyGame
from adjudicator.core.message import LANGUAGES
from adjudicator.reports.render import fresh_environment, references_of
from adjudicator.reports.words import load_catalogue
from adjudicator.resources import Incomplete, folder

_SHARED = (
    "shared/daily.html.j2",
    "shared/index.html.j2",
    "shared/note.html.j2",
    "shared/site/index.html.j2",
)
_PAGES = "shared/site"  # a folder of the club's pages
_OF_EVERY_GAME = (
    "report.txt.j2",
    "report.html.j2",
    "report.svg.j2",
    "email.html.j2",
    "card.txt.j2",
    "first.txt.j2",
)


def of_game(game: AnyGame) -> Iterator[str]:
    """Yield the templates that the program asks for by name in a match of the game."""
    yield from _OF_EVERY_GAME
    if game.page.past:
        yield "history.html.j2"
    if game.page.rules:
        yield "rules.html.j2"
    if game.sight.tells_once:
        yield "aside.txt.j2"


def faults(games: Sequence[AnyGame]) -> Iterator[Incomplete]:
    """Return everything at which some report, email or page would fail."""
    yield from catalogues(games)
    yield from templates(games)


def catalogues(games: Sequence[AnyGame]) -> Iterator[Incomplete]:
    """Yield the catalogues that are missing or damaged; a shared one comes once for each game."""
    for language in LANGUAGES:
        for game in games:
            try:
                load_catalogue(language, game.slug)
            except Incomplete as fault:
                yield fault


def templates(games: Sequence[AnyGame]) -> Iterator[Incomplete]:
    """Yield the templates that are missing or damaged."""
    return (fault for _, fault in check_templates(games) if fault is not None)


def check_templates(games: Sequence[AnyGame]) -> Iterator[tuple[str, Incomplete | None]]:
    """Yield every template that is known by its name or because another refers to it, and its
    fault."""
    environment = fresh_environment("en", "")
    pages = folder("templates").joinpath(_PAGES).glob("*.html.j2")
    wanted = [*_SHARED, *(f"{_PAGES}/{page.name}" for page in pages)]
    wanted += (f"default/{name}" for name in (*_OF_EVERY_GAME, "history.html.j2"))
    wanted += [f"{game.slug}/{name}" for game in games for name in of_game(game)]
    seen: set[str] = set()
    while wanted:
        name = wanted.pop()
        if name in seen:
            continue
        seen.add(name)
        try:
            wanted += references_of(environment, name)
        except Incomplete as fault:
            yield name, fault
        else:
            yield name, None
