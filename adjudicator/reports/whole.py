"""Whether all templates and catalogues are there and can be used."""

from collections.abc import Iterator, Sequence

from adjudicator.core.message import LANGUAGES
from adjudicator.reports.render import fresh_environment, referred_to
from adjudicator.reports.words import load_catalogue
from adjudicator.resources import Incomplete

_SHARED = ("shared/index.html.j2", "shared/site/index.html.j2", "shared/site/seats.html.j2")
_OF_A_GAME = ("report.txt.j2", "report.html.j2", "report.svg.j2", "card.txt.j2", "rules.html.j2")


def faults(games: Sequence[str]) -> Iterator[Incomplete]:
    """Everything that some report, letter or page would stumble over."""
    yield from catalogues(games)
    yield from templates(games)


def catalogues(games: Sequence[str]) -> Iterator[Incomplete]:
    """Those that are missing or damaged; a shared one is told once for each game."""
    for language in LANGUAGES:
        for game in games:
            try:
                load_catalogue(language, game)
            except Incomplete as fault:
                yield fault


def templates(games: Sequence[str]) -> Iterator[Incomplete]:
    """Those that are missing or damaged."""
    return (fault for _, fault in looked_at(games) if fault is not None)


def looked_at(games: Sequence[str]) -> Iterator[tuple[str, Incomplete | None]]:
    """Every template that is known by its name or because another one refers to it, and what is
    wrong with it."""
    environment = fresh_environment("en", "")
    wanted = [*_SHARED, *(f"{game}/{name}" for game in games for name in _OF_A_GAME)]
    seen: set[str] = set()
    while wanted:
        name = wanted.pop()
        if name in seen:
            continue
        seen.add(name)
        try:
            wanted += referred_to(environment, name)
        except Incomplete as fault:
            yield name, fault
        else:
            yield name, None
