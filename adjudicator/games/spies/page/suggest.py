"""Orders that an email to a new player of Spies can send as they are, from his view alone: home
with a secret, or to the nearest one that no enemy police guard."""

from adjudicator.core.game import Suggestion
from adjudicator.core.message import Words, say
from adjudicator.games.spies.page.names import CHITS, city_name
from adjudicator.games.spies.page.tips import TIPS, Table, table
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
    return _home(here) or _secret(here)


def _home(table: Table) -> Suggestion | None:
    """A foreign secret that can be cashed this year (4.6)."""
    why = TIPS["bring_home"].message_for(table)
    if why is None:
        return None
    spy, secret = why.values["spy"], why.values["secret"]
    label = say("Send spy {spy} home with {secret}", spy=spy, secret=secret)
    return Suggestion(lines=(f"SPY {spy}: GO HOME",), label=label, why=why)


def _secret(table: Table) -> Suggestion | None:
    """The nearest secret without enemy police, for a spy that can pay for it."""
    near = table.near_secrets()
    if not near:
        return None
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
    return Suggestion(lines=(f"SPY {spy}: {'; '.join(steps)}",), label=label, why=why)
