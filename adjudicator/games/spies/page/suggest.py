"""Orders that an email to a new player of Spies can send as they are, from his view alone: home
with a secret, or to the nearest one that no enemy police guard."""

from collections.abc import Iterator

from adjudicator.core.game import Suggestion
from adjudicator.core.message import Words, say
from adjudicator.games.spies.page import tips
from adjudicator.games.spies.page.names import CHITS, city_name
from adjudicator.games.spies.page.tips import Table, table
from adjudicator.games.spies.rules.atlas import atlas
from adjudicator.games.spies.sight.view import View


def suggest(view: View, words: Words) -> Suggestion | None:
    if view.phase == "setup":
        return Suggestion(
            lines=("SETUP AUTO",),
            label=say("Place everything for me"),
            why=say(
                "Then adjud places everything sensibly: police on your dearest secrets, spies near"
                " neutral ones."
            ),
            usual=True,
        )
    if view.phase != "play" or view.seat in view.left or not view.moving:
        return None
    here = table(view, words)
    return next((found for rule in (_home, _secret) for found in rule(here)), None)


def _home(table: Table) -> Iterator[Suggestion]:
    """A foreign secret that can be cashed this year (4.6)."""
    for spy in table.spies:
        if (
            not spy.carries
            or not spy.city
            or tips.origin_of(table, spy.carries) in table.view.powers
        ):
            continue
        capital = atlas().powers[spy.power].capital
        if 0 < atlas().distance(spy.city, capital) <= atlas().most_spaces:
            yield Suggestion(
                lines=(f"SPY {spy.spy}: GO HOME",),
                label=say("Send spy {spy} home with {secret}", spy=spy.spy, secret=spy.carries),
                why=tips.bring_home(table),
            )


def _secret(table: Table) -> Iterator[Suggestion]:
    """The nearest secret without enemy police, for a spy that can pay for it."""
    found = [
        (atlas().distance(spy.city, city), spy.spy, secret.secret, city, spy.power)
        for spy in table.spies
        if spy.city and tips.can_discover(table, spy)
        for secret, city in table.worth_a_try
        if not table.view.enemy_police.get(city)
    ]
    near = [one for one in found if one[0] <= atlas().most_spaces]
    if not near:
        return
    far, spy, secret, city, power = min(near)
    back = atlas().distance(city, atlas().powers[power].capital)
    home = "GO HOME" if far + back <= atlas().most_spaces else "GO NEAR HOME"
    steps = [*([f"GO {city}"] if far else []), f"DISCOVER {secret}", home]
    label = say(
        "Send spy {spy} to {city} for {secret}",
        spy=spy,
        city=city_name(city, table.words),
        secret=secret,
    )
    why = say(
        "{secret} is the nearest secret in a city without enemy police. To discover it costs a "
        "{chit} chit and {n} £.",
        secret=secret,
        chit=CHITS["discovery"],
        n=atlas().costs["discovery"],
    )
    yield Suggestion(lines=(f"SPY {spy}: {'; '.join(steps)}",), label=label, why=why)
