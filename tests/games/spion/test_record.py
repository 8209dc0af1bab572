"""A record holds the seed, the phrases and every sheet; all else follows (rules 6.7)."""

import re
from random import Random

import msgspec
import pytest
from msgspec import structs

from adjudicator.core.dice import Chance
from adjudicator.core.game import fold
from adjudicator.core.match import Setting
from adjudicator.core.record import Chronicle, Refused, Replayed, chance_of, transcripts
from adjudicator.games.spion import SPION
from adjudicator.games.spion.record import LABEL, _setting, replay, retell
from adjudicator.reports.render import wrap
from tests.games.one_turn import play_turn
from tests.games.playouts import playout


def recorded(seed, *, leave=False):
    """Return the record and the last state of a random match, ended by the rules, by leaving or by
    agreement."""
    plies = list(playout(SPION, Random(seed), 60))
    events = [event for ply in plies for event in ply.events]
    state = plies[-1].after
    if state.outcome is None:
        last = SPION.rules.leave(state, state.seats[:-1], "resignation") if leave else ()
        last = tuple(last) or tuple(SPION.rules.close(state, "agreement"))
        state, events = fold(SPION, state, last), [*events, *last]
    chance = plies[0].chance
    names = {seat: f'Player "{seat}"' for seat in state.seats}
    chronicle = Chronicle(names, "2026.11.21", state.outcome, chance.match, chance.seed.hex())
    return SPION.record.write(chronicle, state, events), state


def replayed(text):
    (transcript,) = transcripts(text.split("\n"))
    return replay(transcript)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_record_is_played_again_to_the_same_end(seed):
    text, state = recorded(seed, leave=seed % 2 == 1)
    found = replayed(text)
    assert isinstance(found, Replayed), str(found.message)
    assert found.data["holders"] == msgspec.to_builtins(state.holders)
    assert found.data["embassies"] == msgspec.to_builtins(state.embassies)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_record_whose_long_lines_a_report_has_broken_is_the_same(seed):
    text, _ = recorded(seed)
    broken = "\n".join(wrap(line, "", "  ") for line in text.split("\n"))
    assert broken != text
    assert replayed(broken).data == replayed(text).data


def test_a_new_holder_of_a_seat_stands_in_the_record_and_has_no_standing_orders():
    """Without the line the record would be of another match."""
    plies = list(playout(SPION, Random(2), 60))
    before = next(ply.after for ply in plies if len(ply.after.standing) > 1)
    (at,) = [number for number, ply in enumerate(plies, start=1) if ply.after == before]
    seat, other = list(before.standing)[:2]
    events = [event for ply in plies[:at] for event in ply.events]
    state = fold(SPION, before, SPION.rules.succeed(before, seat))
    assert seat not in state.standing
    assert state.standing[other] == before.standing[other]
    ended = fold(SPION, state, SPION.rules.close(state, "agreement"))
    events += [*SPION.rules.succeed(before, seat), *SPION.rules.close(state, "agreement")]
    chronicle = Chronicle({}, "2026.11.21", ended.outcome, "match-1", plies[0].chance.seed.hex())
    text = SPION.record.write(chronicle, ended, events)
    assert text.endswith(f"\nreplaced {seat}\n")
    found = replayed(text)
    assert isinstance(found, Replayed), str(found.message)
    assert found.data["plies"][-1]["events"] == [{"event": "replaced", "seat": seat}]
    (transcript,) = transcripts(text.split("\n"))
    assert retell(transcript)[-1][-1][1].standing == state.standing
    strange = replayed(text.replace(f"replaced {seat}", "replaced purple"))
    assert str(strange.message) == "nobody plays purple"


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
    state = SPION.rules.set_up(setting, chance)
    events = []
    for seat, reason in (("blue", "resignation"), ("green", "forfeit")):
        left = tuple(SPION.rules.leave(state, [seat], reason))
        state, events = fold(SPION, state, left), [*events, *left]
    chronicle = Chronicle({}, "2026.11.21", state.outcome, chance.match, chance.seed.hex())
    text = SPION.record.write(chronicle, state, events)
    assert "left blue: resignation\nleft green: forfeit" in text
    assert isinstance(replayed(text), Replayed)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("[Seed", "[Sead", "the tag Seed is missing"),
        ('[Variant "', '[Variant "no', "the variant must be one of: original, quick"),
        ('[Mode "', '[Mode "x', "Mode cannot be"),
        ("1. ", "one. ", "I do not understand"),
        ("\n1. ", "\n1. purple: \n1. ", "nobody plays purple"),
        ("\n1. blue:", "\n1. blue:\n1. blue:", "blue has two order sheets with the number 1"),
        ("\n1. blue:", "\n1. blue: PHRASE other", "the tag BluePhrase has another phrase"),
        ("\n2. ", "\n3. ", "expected orders with the number 2 here, not 3"),
        ("\n4. ", "\n2. ", "expected orders with the number 4 here, not 2"),
        ("\n1. ", "\n2. ", "expected orders with the number 1 here, not 2"),
        ('[MaxRounds "', '[MaxRounds "901"]\n[Max "', "MaxRounds cannot be '901'"),
        ("\n2. ", "\nleft blue, blue: forfeit\n2. ", "blue has already left"),
        ('[Result "', '[Result "\a', "Result says \N{REPLACEMENT CHARACTER}"),
    ],
)
def test_what_is_wrong_with_a_record_is_told(before, after, message):
    text, _ = recorded(3)
    found = replayed(text.replace(before, after, 1))
    assert isinstance(found, Refused)
    assert message in str(found.message)


def test_a_record_in_which_tables_alone_were_an_answer_is_played():
    """Version 0.1 took such a sheet (9.4)."""
    for seed in range(60):
        text, _ = recorded(seed)
        if found := re.search(r": (ANSWER [^|\n]* \| (?:KEEP|FIFTH)[^\n]*)", text):
            break
    _, rest = found[1].split(" | ", 1)
    made = replayed(text.replace(found[1], rest, 1))
    assert not isinstance(made, Refused) or "you are asked" not in str(made.message)


def test_a_ply_that_is_left_out_or_torn_apart_is_missed():
    text, _ = recorded(3)
    lines = text.splitlines()
    (second,) = [n for n, line in enumerate(lines) if line.startswith("2. ")]
    missing = replayed("\n".join(line for line in lines if not line.startswith("3. ")))
    assert isinstance(missing, Refused)
    assert (missing.line, str(missing.message)) == (
        second + 2,
        "expected orders with the number 3 here, not 4",
    )


def test_a_phrase_in_its_ply_that_is_the_tags_does_no_harm():
    text, _ = recorded(3)
    phrase = re.search('BluePhrase "(.*)"', text)[1]
    found = replayed(text.replace("\n1. blue:", f"\n1. blue: PHRASE {phrase}", 1))
    assert isinstance(found, Replayed), str(found.message)


@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize("players", [2, 3])
def test_the_turns_that_were_played_are_counted(rounds, players):
    """No turn was opened after the last round, and none before the deal."""
    setting = Setting(
        "original",
        {
            **{key: option.default for key, option in SPION.options.items()},
            "mode": "turns",
            "max_rounds": str(rounds),
        },
        SPION.seating("original", "")[players],
    )
    chance = Chance(bytes(32), "m", label="SPION1")
    state, events, turns = SPION.rules.set_up(setting, chance), [], []
    while state.outcome is None:
        chance = structs.replace(chance, phrases=SPION.proof.phrases(state))
        orders = dict.fromkeys(SPION.rules.awaiting(state), ())
        happened, state = play_turn(SPION, state, orders, chance)
        events += happened
        chronicle = Chronicle({}, "2026.11.21", state.outcome, chance.match, chance.seed.hex())
        turns.append(replayed(SPION.record.write(chronicle, state, events)).data["turns"])
    assert turns == [*range(rounds * players + 1)]
    assert state.turn == rounds * players


def test_a_replay_tells_what_happened_and_where_the_pieces_stood():
    text, state = recorded(8)
    data = replayed(text).data
    assert [told["ply"] for told in data["plies"] if told["ply"]] == [*range(1, state.ply + 1)]
    assert data["spies"] == data["plies"][-1]["spies"] == state.spies
    assert data["bodyguards"] == data["plies"][-1]["bodyguards"] == state.bodyguards
    spies = dict(SPION.rules.set_up(*setting_in(text)).spies)
    held: dict[str, list[str]] = {seat: [] for seat in spies}
    for told in data["plies"]:
        for event in told["events"]:
            match event["event"]:
                case "dealt":
                    embassies = dict(event["cards"])
                case "moved":
                    assert spies[event["seat"]] == event["start"]
                    spies[event["seat"]] = event["goal"]
                case "challenged":
                    spies[event["target"]] = event["spy_to"]
                case "took":
                    assert embassies.pop(event["embassy"]) == event["card"]
                    held[event["seat"]].append(event["card"])
        assert told["spies"] == spies
    assert any(held.values())


def setting_in(text):
    (transcript,) = transcripts(text.split("\n"))
    return _setting(transcript.values), chance_of(transcript.values, LABEL)


@pytest.mark.slow
def test_another_seed_gives_another_deal():
    text, _ = recorded(5)
    at = text.index("[Seed ") + 7
    other = "0" if text[at] != "0" else "1"
    found = replayed(text[:at] + other + text[at + 1 :])
    same = replayed(text)
    assert isinstance(found, Refused) or found.data["holders"] != same.data["holders"]
