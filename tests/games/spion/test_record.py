"""A record holds the seed, the phrases and every sheet; all else follows (rules 6.7)."""

from random import Random

import msgspec
import pytest

from adjudicator.core.dice import Chance
from adjudicator.core.game import Chronicle, Setting
from adjudicator.core.record import Refused, Replayed, transcripts
from adjudicator.core.turn import fold
from adjudicator.games.spion import SPION
from adjudicator.games.spion.replay import replay
from adjudicator.reports.render import wrap
from tests.games.playouts import playout


def recorded(seed, *, leave=False):
    """(record, last state) of a random match, ended by the rules, by leaving or by agreement."""
    plies = list(playout(SPION, Random(seed), 60))
    events = [event for ply in plies for event in ply.events]
    state = plies[-1].after
    if state.outcome is None:
        last = SPION.leave(state, state.seats[:-1], "resignation") if leave else ()
        last = tuple(last) or tuple(SPION.close(state, "agreement"))
        state, events = fold(SPION, state, last), [*events, *last]
    chance = plies[0].chance
    names = {seat: f'Player "{seat}"' for seat in state.seats}
    chronicle = Chronicle(names, "2026.11.21", state.outcome, chance.match, chance.seed.hex())
    return SPION.record(chronicle, state, events), state


def replayed(text):
    (transcript,) = transcripts(text.split("\n"))
    return replay(transcript)


@pytest.mark.parametrize("seed", range(20))
def test_a_record_is_played_again_to_the_same_end(seed):
    text, state = recorded(seed, leave=seed % 2 == 1)
    found = replayed(text)
    assert isinstance(found, Replayed), str(found.message)
    assert found.data["holders"] == msgspec.to_builtins(state.holders)
    assert found.data["embassies"] == msgspec.to_builtins(state.embassies)


@pytest.mark.parametrize("seed", range(3))
def test_a_record_whose_long_lines_a_report_has_broken_is_the_same(seed):
    text, _ = recorded(seed)
    broken = "\n".join(wrap(line, "", "  ") for line in text.split("\n"))
    assert broken != text
    assert replayed(broken).data == replayed(text).data


def test_a_sheet_that_was_changed_is_found():
    text, _ = recorded(3)
    changed = text.replace("MOVE", "MOVE zz9,", 1)
    assert isinstance(replayed(changed), Refused)


def test_seats_that_left_one_after_the_other_for_reasons_of_their_own_stay_apart():
    setting = Setting(
        "original",
        {key: option.default for key, option in SPION.options.items()},
        SPION.seating("original", "")[3],
    )
    chance = Chance(bytes(32), "m", label="SPION1")
    state = SPION.set_up(setting, chance)
    events = []
    for seat, reason in (("blue", "resignation"), ("green", "forfeit")):
        left = tuple(SPION.leave(state, [seat], reason))
        state, events = fold(SPION, state, left), [*events, *left]
    chronicle = Chronicle({}, "2026.11.21", state.outcome, chance.match, chance.seed.hex())
    text = SPION.record(chronicle, state, events)
    assert "left blue: resignation\nleft green: forfeit" in text
    assert isinstance(replayed(text), Replayed)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("[Seed", "[Sead", "the tag Seed is missing"),
        ('[Variant "', '[Variant "no', "the variant is one of: original, quick"),
        ('[Mode "', '[Mode "x', "Mode cannot be"),
        ("1. ", "one. ", "I do not understand"),
        ("\n1. ", "\n1. purple: \n1. ", "nobody plays purple"),
    ],
)
def test_what_is_wrong_with_a_record_is_told(before, after, message):
    text, _ = recorded(1)
    found = replayed(text.replace(before, after, 1))
    assert isinstance(found, Refused)
    assert message in str(found.message)


def test_another_seed_gives_another_deal():
    text, _ = recorded(5)
    at = text.index("[Seed ") + 7
    other = "0" if text[at] != "0" else "1"
    found = replayed(text[:at] + other + text[at + 1 :])
    same = replayed(text)
    assert isinstance(found, Refused) or found.data["holders"] != same.data["holders"]
