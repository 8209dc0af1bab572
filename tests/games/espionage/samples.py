"""Espionage's examples, and kinds of matches to look at in a browser."""

from datetime import timedelta

from adjudicator.games.espionage.rules.board import BOARDS, FILES
from tests.games.samples import EXAMPLES, Example, Kind, Opened, Samples, TipSamples

_ARMIES = ("white=Anna", "black=Björn")


_ABOUT_A_STEP = (
    "can_take",
    "general_attacks",
    "sure_attack",
    "spy_looks",
    "cheap_attack",
    "equals",
)

SAMPLES = Samples(
    wrong="c3-c9",
    options={
        "fights": ("hidden", "captured", "both"),
        "unmask_notice": ("false", "true"),
        "no_progress": ("0", "0", "7"),
        "advance": ("on", "off"),
        "aids": ("on", "off"),
    },
    typed=frozenset({"RANDOM"}),
    tips=TipSamples(
        matches=4,
        public=frozenset(map(str, BOARDS[10].squares)) | frozenset(FILES),
        followed=dict.fromkeys(_ABOUT_A_STEP, "{start}-{goal}"),
    ),
)


def _army(name: str) -> str:
    text = (EXAMPLES / "espionage" / name).read_text("utf-8")
    return text.replace("espionage-18", "espionage-17")


EXAMPLE = Example(
    game="espionage",
    seed="e5" * 32,
    asked=(
        Opened("espionage-17", "standard", _ARMIES),
        Opened("espionage-18", "standard", _ARMIES),
    ),
    sent=(_army("setup-white.txt"), _army("setup-black.txt")),
    alike="espionage-17, white, turn 1: would be accepted; nothing was saved",
    played=Opened(
        "garden", "small-fast", _ARMIES, ("deadline=every 5 days", "timezone=Europe/Stockholm")
    ),
    extended={"05-black.txt": timedelta(days=2)},
    result={"winner": "white", "reason": "headquarters"},
)


def _kind(
    variant: str, *options: str, extended: bool = False, drawing: bool = False, seed: int = 0
) -> Kind:
    return Kind("espionage", variant, ("white", "black"), options, extended, drawing, seed)


# Everything that a report can tell is told in one of these.
KINDS = {
    "standard": _kind(
        "standard",
        "unmask_notice=true",
        "no_progress=40",
        "deadline=every 3 days",
        extended=True,
    ),
    "fast": _kind("fast", "fights=both", seed=4),
    "small": _kind(
        "small",
        "fights=captured",
        "deadline=Tue,Fri 18:00",
        "timezone=Europe/Prague",
        drawing=True,
    ),
    "small-fast": _kind("small-fast", "unmask_notice=true", "fights=both", "deadline=every 2 days"),
    "open-fast": _kind("open-fast", "no_progress=5"),
}
# The match of tests/service/cheats.
CHEATED = Kind("espionage", "small", ("white", "black"), ("fights=both",))
# The kind of matches that are the shortest.
SHORTEST = "open-fast"
# A line of a first sheet, and what `adjud new` says of a match without players.
FIRST_LINE = "SETUP RANDOM"
NOBODY = ("white, black", [])
