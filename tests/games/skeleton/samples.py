"""The skeleton's examples, and kinds of matches to look at in a browser.

No examples/ are kept of the skeleton; a game of the program has its order files and sheets there.
"""

from tests.games.samples import Example, Kind, Opened, Samples

_SEATS = ("cross=Anna", "nought=Björn")

SAMPLES = Samples(wrong="CLAIM b4")

EXAMPLE = Example(
    game="skeleton",
    seed="5e" * 32,
    asked=(Opened("skeleton-17", "standard", _SEATS),),
    sent=(),
    alike="skeleton-17, cross, turn 1: would be accepted; nothing was saved",
    played=Opened("slate", "standard", _SEATS),
    result={"winner": "cross", "reason": "three-in-a-row"},
)

# Everything that a report can tell is told in one of these.
KINDS = {"hidden": Kind("skeleton", "standard", ("cross", "nought"), ("deadline=every 2 days",))}
