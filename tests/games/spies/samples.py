"""Spies' examples, and kinds of matches to look at in a browser."""

from adjudicator.core.message import tell
from adjudicator.games.spies.page.names import place
from adjudicator.games.spies.rules.atlas import atlas
from tests.games.samples import Example, Kind, Opened, Samples, TipSamples

SAMPLES = Samples(
    wrong="SPY A: GO XXX",
    options={
        "mode": ("years", "turns"),
        "order": ("rotating", "fixed"),
        "assassination": ("false", "true"),
    },
    typed=frozenset({"AND", "DAGGER", "MONEY", "RANDOM"}),
    tips=TipSamples(
        matches=8,
        public=frozenset(place(city, tell) for city in atlas().cities),
        followed={
            "discover_here": "SPY {spy}: DISCOVER {secret}",
            "near_secret": "SPY {spy}: DISCOVER {secret}",
            "bring_back": "SPY {spy}: ESCAPE",
            "tile_for_you": "PLAY {tile}",
            "last_chance_of_a_tile": "PLAY {tile}",
        },
    ),
)

EXAMPLE = Example(
    game="spies",
    seed="19" * 32,
    asked=(
        Opened(
            "spies-17",
            "standard",
            (
                "germany=Anna",
                "italy=computer",
                "russia=Björn",
                "france=computer:cautious",
                "britain=computer",
            ),
        ),
    ),
    sent=(
        "ORDERS spies-17 germany\nSETUP RANDOM\nEND\n",
        "ORDERS spies-17 russia\nSETUP RANDOM\nEND\n",
    ),
    alike="spies-17, germany, turn 1: would be accepted; nothing was saved",
    played=Opened(
        "locarno",
        "standard",
        ("germany=Anna", "russia=Björn"),
        ("deadline=every 5 days", "mode=years"),
    ),
    result={
        "winner": "russia",
        "winners": ("russia",),
        "reason": "points",
        "points": {"germany": 61, "russia": 88},
    },
)

_FIVE = ("germany", "italy", "russia", "france", "britain")

# Everything that a report can tell is told in one of these.
KINDS = {
    "years": Kind("spies", "standard", _FIVE, ("deadline=every 3 days",)),
    "pairs": Kind("spies", "standard", ("germany", "russia")),
    "daggers": Kind("spies", "standard", _FIVE, ("order=fixed", "assassination=true")),
}
# The match of tests/service/cheats.
CHEATED = Kind("spies", "standard", ("germany", "italy", "russia"))
# The kind of matches that are the shortest.
SHORTEST = "daggers"
# A line of a first sheet, and what `adjud new` says of a match without players.
FIRST_LINE = "SETUP RANDOM"
NOBODY = ("germany, russia", ["3 players take the seats", "5 players take the seats"])
