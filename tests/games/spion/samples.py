"""Spion's examples, and kinds of matches to look at in a browser."""

from tests.games.samples import Example, Kind, Opened, Reports, Samples, TipSamples

_SPIES = ("blue=Anna", "green=computer", "yellow=Björn", "red=computer")

SAMPLES = Samples(
    wrong="MOVE XXX",
    options={
        "mode": ("turns", "rounds"),
        "memory": ("honour", "once", "open"),
        "open_doors": ("false", "true"),
        "max_rounds": ("0", "0", "9"),
        "roll_when_blocked": ("true", "false"),
    },
    tips=TipSamples(
        matches=3,
        followed={
            "card_in_reach": "MOVE {code}",
            "shelter": "MOVE {code}",
            "well_in_reach": "MOVE {place}",
        },
    ),
)

EXAMPLE = Example(
    game="spion",
    seed="0012" * 16,
    asked=(Opened("spion-17", "original", _SPIES),),
    sent=(),
    alike="spion-17, blue, turn 1: would be accepted; nothing was saved",
    played=Opened(
        "canal", "quick", ("blue=Anna", "yellow=Björn"), ("deadline=every 5 days", "max_rounds=3")
    ),
    result={"winner": "yellow", "winners": ("yellow",), "reason": "max-rounds"},
)


def _asks(reports: Reports) -> bool:
    return any(report.body["pending"] for report in reports.values())


def _doubles(reports: Reports) -> bool:
    """Return whether the seat to move must challenge."""
    bodies = [report.body for report in reports.values() if report.body["template"]]
    return any(
        body["targets"] and roll["seat"] == body["seat"] and len(set(roll["dice"])) == 1
        for body in bodies
        for roll in body["dice"]
        if not body["pending"]
    )


# Everything that a report can tell is told in one of these.
KINDS = {
    "turns": Kind(
        "spion",
        "original",
        ("blue", "yellow"),
        ("memory=once", "max_rounds=30"),
        seed=2,
        rare={"asked": _asks, "double": _doubles},
    ),
    "rounds": Kind(
        "spion",
        "original",
        ("blue", "green", "yellow", "red"),
        ("memory=open", "max_rounds=16", "deadline=every 2 days"),
    ),
    "quick": Kind("spion", "quick", ("blue", "yellow"), ("mode=rounds", "open_doors=true")),
}
# The match of tests/service/cheats.
CHEATED = Kind("spion", "original", ("blue", "green", "yellow"))
# The kind of matches that are the shortest.
SHORTEST = "rounds"
# A line of a first sheet, and what `adjud new` says of a match without players.
FIRST_LINE = "FIFTH *: REFUSE TO DAN"
NOBODY = (
    "blue, yellow",
    ["2 players take the seats blue, yellow", "3 players take the seats blue, green, yellow"],
)
