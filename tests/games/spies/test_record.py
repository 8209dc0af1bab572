"""A record holds the seed and every sheet; all else follows (rules 10.1 to 10.3)."""

import json
from random import Random
from typing import Any

import pytest

from adjudicator.core.match import Seat
from adjudicator.core.record import Chronicle, Refused, Replayed, transcripts
from adjudicator.games.spies.record import plain_event, position, replay, result, write
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.events import AnyEvent
from adjudicator.games.spies.rules.state import State
from adjudicator.reports.render import wrap
from tests.games.spies.matches import (
    CHANCE,
    MATCH,
    Ply,
    digest_of,
    fold,
    played,
    random_match,
    setting,
)
from tests.scale import scaled


def recorded(plies: list[Ply], last: tuple[AnyEvent, ...] = ()) -> tuple[str, State]:
    """Return the record of a match, and its last state; `last` ended it."""
    state = fold(plies[-1].after, last)
    events = [event for ply in plies for event in ply.events] + list(last)
    names = {seat: f'Player "{seat}"' for seat in state.seats}
    chance = plies[0].chance
    chronicle = Chronicle(names, "2026.11.22", state.outcome, chance.match, chance.seed.hex())
    return write(chronicle, state, events), state


def replayed(text: str) -> Replayed | Refused:
    (transcript,) = transcripts(text.split("\n"))
    return transcript if isinstance(transcript, Refused) else replay(transcript)


def data_of(text: str) -> Any:
    found = replayed(text)
    assert isinstance(found, Replayed), str(found.message)
    return json.loads(json.dumps(found.data))


@pytest.mark.parametrize("seed", range(scaled(15)))
@pytest.mark.slow
def test_a_record_is_played_again_position_by_position(seed: int):
    plies = list(random_match(Random(seed), leaving=0.06))
    text, state = recorded(plies)
    data = data_of(text)
    assert data["result"] == json.loads(json.dumps(result(state)))
    ordered = [ply for ply in plies if ply.sheets]
    for told, ply in zip(data["plies"], ordered, strict=False):
        assert told["ply"] == ply.after.ply
        assert told["year"] == ply.before.year
        assert told["position"] == json.loads(json.dumps(position(ply.after)))
    assert len(data["plies"]) - len(ordered) in (0, 1)
    happened = [event for ply in plies for event in ply.events if plain_event(event)]
    ended = sum(len(told["events"]) for told in data["plies"])
    assert ended == len(happened)


def test_a_remark_begins_at_a_line_or_behind_a_blank():
    """Within a plan `;` joins its steps (9.1)."""
    plies = list(random_match(Random(2), leaving=0))
    text, _ = recorded(plies)
    assert "; " in text
    lines = text.rstrip().split("\n")
    noted = [f"; a remark\n{line} {{another}}; and one more" for line in lines]
    assert data_of("\n".join(noted)) == data_of(text)


def test_the_head_of_a_record_is_that_of_the_book():
    """Rule 10.1."""
    (ply,) = list(random_match(Random(3), setting(5), leaving=0))[:1]
    text, _ = recorded([ply])
    tags = [line.split()[0].strip("[") for line in text.split("\n") if line.startswith("[")]
    seats = ("Germany", "Italy", "Russia", "France", "Britain")
    assert tags == [
        *("Game", "Match", "Players", "Mode", "Order", "Assassination"),
        *(*seats, "Date", "Seed", "Result"),
    ]
    assert '[Result "*"]' in text
    assert data_of(text)["result"] is None


SHORT = f"""\
[Game "Spies"]
[Match "{MATCH}"]
[Players "5"]
[Mode "years"]
[Order "rotating"]
[Assassination "false"]
[Germany "Anna"]
[Date "2026.11.22"]
[Seed "{CHANCE.seed.hex()}"]
[Result "*"]

1. germany:
1. italy: SETUP RANDOM
1. russia:
1. france: SETUP RANDOM | ANSWER NONE
1. britain:
"""


def test_a_record_by_hand_gives_the_position_of_the_vector():
    """Rule 10.3, and the digest of spies_view.json."""
    (ply,) = data_of(SHORT)["plies"]
    assert (ply["ply"], ply["year"], ply["events"]) == (1, 1932, [])
    digest = "e1aaeeeb24e88328d351399c91b7e17f25df1d42e35f5f1764091855415c17ca"
    assert digest_of(ply["position"]) == digest
    assert list(ply["position"]) == [
        *("year", "to_move", "powers", "record", "spies", "police", "secrets", "result")
    ]


@pytest.mark.slow
def test_every_event_but_turn_and_guard_has_its_private_parts_by_seat():
    """Rules 7.3, 10.3."""
    kinds: dict[str, set[bool]] = {}
    for seed in range(6):
        text, _ = recorded(list(random_match(Random(f"parts {seed}"))))
        for ply in data_of(text)["plies"]:
            for event in ply["events"]:
                kinds.setdefault(event["type"], set()).add("private" in event)
    assert {kind for kind, has in kinds.items() if has == {False}} == {"turn", "guard"}
    assert all(len(has) == 1 for has in kinds.values())


@pytest.mark.parametrize("seed", range(3))
def test_a_record_whose_long_lines_a_report_has_broken_is_the_same(seed: int):
    text, _ = recorded(list(random_match(Random(seed))))
    broken = "\n".join(wrap(line, "", "  ") for line in text.split("\n"))
    assert broken != text
    assert data_of(broken) == data_of(text)


def test_turns_that_a_leaving_sets_off_stand_with_the_next_ply():
    """Rules 5.1, 10.2, 10.3."""
    text = SHORT.replace('"years"', '"turns"')
    text += "2. germany:\nleft italy: resignation\n3. russia:\n"
    plies = data_of(text)["plies"]
    assert [ply["ply"] for ply in plies] == [1, 2, 3]
    turns = [[e["power"] for e in ply["events"] if e["type"] == "turn"] for ply in plies]
    assert turns == [[], ["germany"], ["italy", "russia"]]
    assert plies[-1]["position"]["to_move"] == "france"


def test_the_last_turns_that_a_leaving_sets_off_stand_by_themselves():
    state = match.set_up(setting(2, "turns"), CHANCE)
    events: list[AnyEvent] = []
    while not (state.year == 1939 and state.to_move == "britain"):
        more, state = played(state, {})
        events += more
    last = list(match.leave(state, [Seat("germany")], "forfeit"))
    state = fold(state, last)
    assert state.outcome  # the last seat left wins at once
    text = write(
        Chronicle({}, "2026.11.22", state.outcome, CHANCE.match, CHANCE.seed.hex()),
        state,
        [*events, *last],
    )
    assert data_of(text)["result"]["winner"] == "russia"


def test_agreement_and_cancelling_are_the_records_word():
    for reason in ("agreement", "cancelled"):
        data = data_of(SHORT.replace('"*"', f'"none {reason}"'))
        assert data["result"]["reason"] == reason
        assert data["result"]["winners"] == []


@pytest.mark.parametrize(
    ("before", "after", "line", "message"),
    [
        ("[Seed", "[Sead", 1, "the tag Seed is missing"),
        ('[Players "5"]', '[Players "6"]', 3, "Players cannot be '6'"),
        ('[Mode "years"]', '[Mode "months"]', 4, "Mode cannot be 'months'"),
        ('[Order "rotating"]', '[Order "any"]', 5, "Order cannot be 'any'"),
        ('[Assassination "false"]', '[Assassination "no"]', 6, "Assassination cannot be"),
        ('[Seed "00', '[Seed "zz', 9, "a seed must be 64 hex digits"),
        ('[Result "*"]', '[Result "italy points"]', 10, "Result says italy points, but it was *"),
        ("1. germany:", "one. germany:", 12, "I do not understand"),
        ("1. germany:", "1. atlantis:", 12, "nobody plays atlantis"),
        ("1. germany:\n", "", 12, "these are not the seats that were due to order"),
        ("1. germany:", "1. germany:\n1. germany:", 12, "these are not the seats"),
        ("1. germany:", "2. germany:", 12, "expected ply 1 here, not 2"),
        ("1. italy: SETUP RANDOM", "1. italy: SETUP", 13, "no place yet"),
        ("1. italy: SETUP RANDOM", "1. italy: SETUP RONDOM", 13, "did you mean"),
        ("1. italy: SETUP RANDOM", "1. italy: SPY A: GO ROM", 13, "nobody moves yet"),
        ("1. britain:\n", "1. britain:\n2. germany:\n", 17, "these are not the seats"),
        (
            "1. britain:\n",
            "1. britain:\nleft italy: forfeit\nleft italy: forfeit\n",
            18,
            "this seat has already left",
        ),
        (
            "1. britain:\n",
            "1. britain:\nleft germany, italy, russia, france: forfeit\n2. britain:\n",
            18,
            "the match is over before this line",
        ),
    ],
)
def test_what_is_wrong_with_a_record_is_told_with_its_line(
    before: str, after: str, line: int, message: str
):
    """Rule 10.2."""
    assert before in SHORT
    found = replayed(SHORT.replace(before, after, 1))
    assert isinstance(found, Refused)
    assert message in str(found.message)
    assert found.line == line


def test_a_sheet_that_was_changed_in_play_is_found():
    text, _ = recorded(list(random_match(Random(8), setting(5), leaving=0)))
    number = next(n for n, x in enumerate(text.split("\n"), 1) if " | SPY I-" in x)
    lines = text.split("\n")
    lines[number - 1] = lines[number - 1].replace("SPY I-", "SPY G-", 1)
    found = replayed("\n".join(lines))
    assert isinstance(found, Refused)
    assert found.line == number


def test_another_seed_gives_another_deal():
    other = data_of(SHORT.replace('[Seed "00', '[Seed "01'))
    assert other["plies"][0]["position"] != data_of(SHORT)["plies"][0]["position"]
