"""Spies' examples, and kinds of matches to look at in a browser."""

from tests.games.samples import Example, Kind, Opened

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
