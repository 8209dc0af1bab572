"""The pictures beside the matches of the club's site: never what a seat sees.

A match that onlookers may watch has a picture of what they see, and one that has ended of its end.
Every other has that of its variant as it begins, one for all of them. It is made of no match, so
nothing of any match can be in it.
"""

from collections.abc import Iterator

from adjudicator.core.dice import Chance
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat, Setting
from adjudicator.core.report import AnyReport
from adjudicator.core.seat_report import MatchFacts, public_report
from adjudicator.games import GAMES
from adjudicator.reports.render import render

_ONLOOKER = Seat("")
_SEED = bytes(32)  # everybody may know where its volcanoes are


def place(game: str, variant: str) -> str | None:
    """Return the place of the picture of a variant; None for a game of another program."""
    known = game in GAMES and variant in GAMES[game].variants
    return f"games/{game}-{variant}.svg" if known else None


def place_of_match(match: str) -> str:
    return f"boards/{match}.svg"


def pictures(language: str) -> Iterator[tuple[str, str]]:
    """Yield the place and the picture of every variant."""
    for game in GAMES.values():
        for variant in game.variants:
            yield f"games/{game.slug}-{variant}.svg", of_variant(game, variant, language)


def of_variant(game: AnyGame, variant: str, language: str) -> str:
    """Return the picture of a variant as it begins."""
    return render(game, _beginning(game, variant), "svg", language)


def _beginning(game: AnyGame, variant: str) -> AnyReport:
    """Return how a match of the variant begins, for somebody who has no seat in it."""
    seating = game.seating(variant, "")
    seats = seating[max(seating)] if seating else game.seats
    setting = Setting.of(game.options, variant, {}, seats)
    chance = Chance(_SEED, "m", label=game.proof.label)
    state = game.rules.set_up(setting, chance)
    facts = MatchFacts(
        game=game,
        match="m",
        variant=variant,
        options=setting.options,
        players=dict.fromkeys(seats, ""),
        epoch="",
        chance=chance,
        state=state,
        ply=0,
        adjudicated=None,
        opened="",
        deadline=None,
        bank=None,
        draw_offers=(),
        log=(),
        secrets=(),
        head=None,
    )
    view = game.sight.observe(state, _ONLOOKER)
    return public_report(facts, _ONLOOKER, view)
