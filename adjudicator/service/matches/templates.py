"""Templates of matches: those of the configuration, and the name of each game (club, 6.2)."""

from collections.abc import Mapping, Sequence

from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat
from adjudicator.core.message import say
from adjudicator.core.orders import shown
from adjudicator.games import GAMES
from adjudicator.service.base.context import Context, MatchTemplate, Refusal, unknown

GAME_NAMES = frozenset(GAMES)
# Of a game whose name is taken as a template, and of the matches of a tournament.
OPTIONS = ("deadline=every 3 days", "bank=5 days", "absence=forfeit", "leave=auto")


def all_of(context: Context) -> Mapping[str, MatchTemplate]:
    """Return all templates by their names; those of the configuration win."""
    games = {slug: MatchTemplate(slug, options=OPTIONS) for slug in GAMES}
    return {**games, **context.templates}


def find(context: Context, name: str, game: str | None = None) -> MatchTemplate:
    """Return a template, for this game if one is named.

    Raises Refusal if there is none, with the nearest name, or if it names no game or another one.
    """
    known = all_of(context)
    found = known.get(name.lower())
    if found is None and (why := GAMES.why_missing(name.lower())) is not None:
        raise Refusal(why)
    if found is None:
        raise unknown(say("there is no template '{name}'", name=shown(name)), name.lower(), known)
    if (why := GAMES.why_missing(found.game)) is not None:
        raise Refusal(why)
    if found.game not in GAMES:
        text = say(
            "the template {name} names no game ('{seen}')", name=name, seen=shown(found.game)
        )
        raise unknown(text, found.game, GAMES)
    if game is not None and game.lower() != found.game:
        raise Refusal(
            say(
                "the template {name} is for {game}, not for {seen}; leave the game out",
                name=name,
                game=found.game,
                seen=shown(game),
            )
        )
    return found


def seats_for(game: AnyGame, variant: str, players: int) -> Sequence[Seat]:
    """Return the seats that so many players take. Raises Refusal if they cannot play."""
    seating = game.seating(variant, "")
    if seating:
        if players in seating:
            return seating[players]
        numbers = ", ".join(map(str, seating))
    else:
        if players in game.players:
            return game.seats[:players]
        least, most = game.players[0], game.players[-1]
        numbers = str(least) if least == most else f"{least}-{most}"
    raise Refusal(
        say(
            "{game} is for {numbers} players, not for {n}",
            game=say(game.title),
            numbers=numbers,
            n=players,
        )
    )
