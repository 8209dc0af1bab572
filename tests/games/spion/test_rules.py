"""Set-up, dice, rounds, leaving and what else no board position shows. Scenes are in `cases/`."""

import hmac
from collections import Counter
from functools import reduce
from hashlib import sha256
from random import Random

import pytest
from msgspec.structs import replace

from adjudicator.core.dice import Chance
from adjudicator.core.match import Seat
from adjudicator.games.spion.orders.values import (
    Answer,
    Challenge,
    Fifth,
    Goal,
    Keep,
    Move,
    Out,
    Pass,
    Phrase,
    Refuse,
)
from adjudicator.games.spion.rules import turns
from adjudicator.games.spion.rules.cards import deal
from adjudicator.games.spion.rules.effects import apply
from adjudicator.games.spion.rules.standing_orders import merge
from adjudicator.games.spion.rules.state import (
    EMPTY,
    SEATS,
    Begun,
    Blocked,
    Challenged,
    Dealt,
    Drew,
    Ended,
    Event,
    GuessedRight,
    Instructed,
    Kept,
    Left,
    Noted,
    OpeningRolled,
    Phrased,
    Refused,
    Roll,
    Rolled,
    Shown,
    State,
    Swapped,
    TakenInAnswer,
    Took,
    TurnOpened,
    chain,
)
from adjudicator.games.spion.rules.variants import standard
from tests.games.spion.matches import adjudicated, chance_of, random_match, setting

BLUE, GREEN, YELLOW, RED = SEATS
VECTORS = Chance(
    seed=bytes(range(32)),
    match="S-0001",
    phrases=("blå: hej", "grön: tjena", "gul: god dag"),
    label="SPION1",
)
CHANCE = chance_of(bytes(range(32)))


def opened(players: int = 2, variant: str = "original", **options: str) -> State:
    """Return a match after its set-up, with empty phrases."""
    return adjudicated(
        turns.set_up(setting(variant, players, **options), CHANCE), {}, CHANCE
    ).states[-1]


def after(state: State, orders: dict[Seat, tuple[object, ...]]) -> State:
    return adjudicated(state, orders, CHANCE).states[-1]  # type: ignore[arg-type]


def test_pieces_stand_at_their_starts_and_cards_wait_for_the_phrases():
    """R1.2, A11: the spy on its start, the bodyguard on its home behind it."""
    state = turns.set_up(setting(players=4), CHANCE)
    assert state.spies == {BLUE: "b2", GREEN: "n2", YELLOW: "n14", RED: "b14"}
    assert state.bodyguards == {BLUE: "a1", GREEN: "o1", YELLOW: "o15", RED: "a15"}
    assert set(state.holders.values()) == {EMPTY}
    assert (state.embassies, turns.phase(state), state.turn) == ({}, "setup", 0)
    assert turns.awaiting(state) == set(SEATS)
    assert turns.provides(state)


def test_the_deal_is_that_of_the_rule_book():
    """Section 6.3 and its test vectors, embassies in the board's order."""
    dealt = deal(standard("original"), 4, VECTORS.deal())
    assert list(dealt) == list(standard("original").embassies)
    assert " ".join(dealt.values()) == (
        "ATOM KEMI RYMD ATOM RYMD ATOM FYSIK RYMD KEMI KEMI FYSIK RYMD FYSIK ATOM FYSIK KEMI"
    )


def test_the_phrases_given_in_the_set_up_are_in_its_deal_and_dice():
    """6.2: one ply gathers the phrases and deals; the chance given to it knows none of them."""
    bare = replace(VECTORS, phrases=())
    start = turns.set_up(setting(players=3, mode="rounds"), bare)
    orders = dict(zip(start.seats, ((Phrase(text),) for text in VECTORS.phrases), strict=True))
    ply = adjudicated(start, orders, bare)
    assert turns.phrases(ply.states[-1]) == VECTORS.phrases
    dealt = next(event for event in ply.events if isinstance(event, Dealt))
    assert dealt.cards == deal(standard("original"), 3, VECTORS.deal())
    rolls = [e for e in ply.events if isinstance(e, OpeningRolled | Rolled) and e.seat == BLUE]
    assert [(e.number, e.dice) for e in rolls][:2] == [(1, (2, 4)), (2, (2, 4))]
    assert rolls[0].key == "47a006cef125b7fefc5ada8857339f2d8fb51ed8b2be4c329d2ad9ec44e7eb8f"


def test_a_silent_seat_has_an_empty_phrase():
    """6.2"""
    start = turns.set_up(setting(players=2), CHANCE)
    assert turns.phrases(after(start, {YELLOW: (Phrase("hei"),)})) == ("", "hei")


def test_three_players_have_no_fysik_and_four_empty_embassies():
    """R1.1, A33"""
    state = opened(3)
    assert state.types == ("ATOM", "KEMI", "RYMD")
    assert not {"HOL", "FIN", "OST", "TYS"} & set(state.embassies)
    assert Counter(state.embassies.values()) == {"ATOM": 4, "KEMI": 4, "RYMD": 4}


@pytest.mark.parametrize("seed", range(40))
def test_the_highest_opening_roll_begins_and_ties_roll_again(seed: int):
    """R1.3, A32"""
    chance = chance_of(Random(seed).randbytes(32))
    ply = adjudicated(turns.set_up(setting(players=4), chance), {}, chance)
    rolled = [event for event in ply.events if isinstance(event, OpeningRolled)]
    rivals, rest = list(SEATS), rolled
    while len(rivals) > 1:
        throw, rest = rest[: len(rivals)], rest[len(rivals) :]
        assert [event.seat for event in throw] == rivals
        best = max(sum(event.dice) for event in throw)
        rivals = [event.seat for event in throw if sum(event.dice) == best]
    assert rest == []
    assert Begun(rivals[0]) in ply.events


def test_the_opening_roll_is_not_used_for_moving():
    """R1.3: the first turn has the next link of the chain."""
    state = opened(2)
    assert state.to_move
    assert state.rolls[state.to_move].number == state.links[chain(state.to_move)] > 1


def test_in_turns_only_the_seat_to_move_has_dice_and_all_know_them():
    """5.1"""
    ply = adjudicated(turns.set_up(setting(players=2), CHANCE), {}, CHANCE)
    rolled = [event for event in ply.events if isinstance(event, Rolled)]
    assert [event.seat for event in rolled] == [ply.states[-1].to_move]
    assert all(event.public for event in rolled)


def test_in_rounds_each_seat_has_dice_of_its_own_after_the_orders_are_locked():
    """5.1: they are rolled when the round before is over, in one go."""
    start = turns.set_up(setting(players=4, mode="rounds"), CHANCE)
    ply = adjudicated(start, {}, CHANCE)
    for _ in range(3):
        rolled = [event for event in ply.events if isinstance(event, Rolled)]
        assert [event.seat for event in rolled] == list(SEATS)
        assert not any(event.public for event in rolled)
        assert turns.awaiting(ply.states[-1]) == set(SEATS)
        before = ply.states[-1].rolls
        ply = adjudicated(ply.states[-1], {}, CHANCE)
        opened_with = {e.seat: e.roll for e in ply.events if isinstance(e, TurnOpened)}
        assert opened_with == before


def test_turns_count_seats_in_turns_and_rounds_in_rounds():
    state = opened(4, mode="turns")
    for number in range(1, 9):
        assert (state.turn, state.round) == (number, (number + 3) // 4)
        state = after(state, {})
    state = opened(4, mode="rounds")
    assert after(after(state, {}), {}).turn == 3


def test_a_table_line_replaces_all_for_the_same_type_and_no_others():
    """5.2: standing orders stay in force until replaced."""
    old = (
        Fifth("ATOM", Refuse(("NOR",))),
        Fifth("ATOM", Refuse(("POL",))),
        Fifth("*", Refuse(("NOR",))),
        Keep("ATOM", Refuse(("NOR",))),
        Answer("red", (1,)),
    )
    new = (Fifth("ATOM", Out(1, ("DAN",))), Move(()), Answer("*", (2,)))
    assert merge(old, new) == (*old[2:], new[0], new[2])


def test_standing_orders_are_told_only_when_they_change():
    state = opened(2)
    seat = state.to_move
    assert seat
    line = Fifth("*", Refuse(("NOR",)))
    first = adjudicated(state, {seat: (line,)}, CHANCE)
    assert Instructed(seat, (line,)) in first.events
    again = adjudicated(after(first.states[-1], {}), {seat: (line,)}, CHANCE)
    assert not any(isinstance(event, Instructed) for event in again.events)
    assert again.states[-1].standing[seat] == (line,)


def full(card: str, standing: tuple[Fifth, ...]) -> State:
    """Return a position in which Blue, with a full holder, is five steps from an embassy with
    `card`."""
    state = opened(2)
    state = replace(
        state,
        to_move=BLUE,
        rolls={BLUE: Roll(2, (1, 4), "")},
        holders={**state.holders, BLUE: ("ATOM", "ATOM", "KEMI", "KEMI")},
        standing={BLUE: standing},
    )
    others = {code: held for code, held in state.embassies.items() if code not in ("DAN", "POR")}
    return replace(state, embassies={**others, "BRI": card})


def test_how_many_links_are_used_tells_nothing_of_hidden_cards_and_tables():
    """5.4 and 6.6: with a line for the card, without one, and with the card among the rarest."""
    table = (Fifth("ATOM", Out("KEMI", ("DAN",))),)
    orders = {BLUE: (Move((Goal("BRI"),)),)}
    used = []
    for card, standing in (("ATOM", table), ("RYMD", table), ("ATOM", ()), ("RYMD", ())):
        ply = adjudicated(full(card, standing), orders, CHANCE)
        used.append([event for event in ply.events if isinstance(event, Drew)])
    assert len(used[0]) == 1
    assert all(draws == used[0] for draws in used)


def test_one_link_serves_all_defaults_of_a_turn():
    """6.6: X in order of use, one link a turn."""
    seen = 0
    for ply in random_match(Random("one link"), setting(players=4, mode="rounds", max_rounds="30")):
        drawn: set[int] = set()
        for event in ply.events:
            if isinstance(event, TurnOpened):
                drawn = set()
            elif isinstance(event, Drew):
                drawn.add(event.number)
                seen += 1
            assert len(drawn) <= 1
    assert seen


def test_a_chain_that_runs_out_ends_the_match_by_cards():
    """A38; ten links stay unused."""
    state = opened(2)
    assert state.to_move
    on = replace(state, links={**state.links, "X": 989})
    off = replace(state, links={**state.links, "X": 991})
    assert after(on, {}).outcome is None
    ended = after(off, {}).outcome
    assert ended
    assert ended.reason == "max-rounds"


@pytest.mark.parametrize(("played", "over"), [(989, False), (990, True)])
def test_without_max_rounds_round_990_is_the_last(played: int, over: bool):
    """9.13: a link for the opening roll and one for each round."""
    state = opened(2, mode="rounds")
    links = dict.fromkeys(state.links, played + 1)
    outcome = after(replace(state, round=played, links=links), {}).outcome
    assert (outcome is not None) == over
    assert outcome is None or outcome.reason == "max-rounds"


def test_a_challenge_by_default_takes_a_byte_for_the_place_even_if_one_is_filled():
    """9.14: then one for the type; counted in the bytes of the link, as README has it."""
    state = opened(2)
    seat = state.to_move
    assert seat
    (other,) = (one for one in state.seats if one != seat)
    holders = {seat: ("ATOM", None, None, None), other: ("KEMI", None, None, None)}
    roll = Roll(2, (1, 1), "00" * 32)
    ready = replace(state, holders=holders, rolls={seat: roll}, spies={seat: "d5", other: "j5"})
    ply = adjudicated(ready, {seat: ()}, CHANCE)
    drew = next(event for event in ply.events if isinstance(event, Drew))
    challenged = next(event for event in ply.events if isinstance(event, Challenged))
    phrases = sha256("\n".join(ready.phrases.values()).encode()).hexdigest()
    text = f"SPION1|{CHANCE.match}|{phrases}|dice|X|{drew.number}|0".encode()
    _, second, *_ = hmac.digest(bytes.fromhex(drew.key), text, "sha256")
    assert challenged.place == 1
    assert challenged.guess == state.types[second % len(state.types)]


@pytest.mark.parametrize(("option", "rolls"), [("true", 1), ("false", 0)])
def test_dice_are_not_rolled_for_a_spy_that_is_stuck_if_so_agreed(option: str, rolls: int):
    """A26, the other reading: the challenge walls the target in on its start."""
    state = replace(
        opened(2, roll_when_blocked=option),
        to_move=YELLOW,
        first=YELLOW,
        rolls={YELLOW: Roll(2, (3, 3), "")},
        spies={BLUE: "b3", YELLOW: "c2"},
        holders={BLUE: ("KEMI", None, None, None), YELLOW: ("RYMD", None, None, None)},
    )
    ply = adjudicated(state, {YELLOW: (Challenge(BLUE, 1, "KEMI"),)}, CHANCE)
    assert sum(isinstance(event, Rolled) for event in ply.events) == rolls
    assert (BLUE in ply.states[-1].rolls) == bool(rolls)
    opening = adjudicated(ply.states[-1], {}, CHANCE).events[0]
    assert isinstance(opening, TurnOpened)
    assert (opening.roll is not None) == bool(rolls)


def test_in_rounds_dice_are_rolled_also_for_a_spy_that_is_stuck():
    """9.11: they are told and used up, whatever was agreed."""
    state = opened(4, mode="rounds", roll_when_blocked="false")
    guards = {**state.bodyguards, GREEN: "c2", RED: "b3"}
    rolls = {seat: Roll(2, (1, 2), "") for seat in state.seats}
    state = replace(state, bodyguards=guards, rolls=rolls)
    ply = adjudicated(state, {BLUE: (Pass(),)}, CHANCE)
    assert [event.seat for event in ply.events if isinstance(event, Blocked)] == [BLUE]
    assert sum(isinstance(event, Rolled) for event in ply.events) == 4
    assert set(ply.states[-1].rolls) == set(state.seats)


# Leaving (5.4)


def test_who_leaves_in_the_set_up_is_dealt_in_with_an_empty_phrase():
    start = turns.set_up(setting(players=3), CHANCE)
    left = reduce(apply, turns.leave(start, [GREEN], "resignation"), start)
    assert turns.awaiting(left) == {BLUE, YELLOW}
    ply = adjudicated(left, {BLUE: (Phrase("hi"),), YELLOW: ()}, CHANCE)
    assert Phrased(GREEN, "") in ply.events
    assert turns.awaiting(ply.states[-1]) <= {BLUE, YELLOW}


def test_a_seat_that_leaves_in_its_own_turn_is_played_without_a_sheet():
    state = opened(4, mode="turns")
    seat = state.to_move
    assert seat
    left = reduce(apply, turns.leave(state, [seat], "forfeit"), state)
    assert turns.awaiting(left) == {seat} == set(turns.seats_that_left(left))
    ply = adjudicated(left, {}, CHANCE)
    assert ply.events[0] == TurnOpened(seat, 1, state.rolls[seat])
    assert turns.awaiting(ply.states[-1]) & set(turns.seats_that_left(left)) == set()


def test_who_leaves_twice_leaves_once():
    state = opened(3)
    left = reduce(apply, turns.leave(state, [GREEN], "forfeit"), state)
    assert list(turns.leave(left, [GREEN], "forfeit")) == []
    assert [type(event) for event in turns.leave(left, [GREEN, BLUE], "forfeit")] == [Left, Ended]


def test_an_answer_has_half_the_time_and_silence_is_provided_for():
    """5.3"""
    state = opened(2)
    seat = state.to_move
    assert seat
    other = BLUE if seat == YELLOW else YELLOW
    state = replace(
        state,
        rolls={seat: Roll(2, (3, 3), "")},
        spies={**state.spies, other: "g2"},
        holders={seat: ("KEMI", None, None, None), other: ("RYMD", None, None, None)},
    )
    assert (turns.pace(state), turns.provides(state)) == (1.0, False)
    asked = after(state, {seat: (Challenge(other, 1, "ATOM"),)})
    assert turns.awaiting(asked) == {other}
    assert (turns.pace(asked), turns.provides(asked)) == (0.5, True)
    answered = after(asked, {other: (Answer("*", (1,)),)})
    assert answered.holders[other] == ("RYMD", "KEMI", None, None)
    assert (turns.awaiting(answered), answered.pending) == ({other}, None)


# The open dossier (5.6)

HELD = {BLUE: ("ATOM", "KEMI", None, None), YELLOW: ("RYMD", "ATOM", None, None)}


def dossier(*events: Event, memory: str = "open") -> list[str]:
    """Write the entries as `ATOM yellow 2`; one that is struck out ends with `moved`."""
    state = replace(opened(2, memory=memory), holders=HELD)
    notes: tuple[Noted, ...] = reduce(apply, events, state).dossier
    return [
        " ".join([note.card, *([note.seat] if note.seat else []), note.place])
        + (" moved" if note.moved else "")
        for note in notes
    ]


def test_the_dossier_has_a_card_that_was_shown_until_it_moves():
    shown = Shown(YELLOW, 2, "ATOM")
    assert dossier(shown) == ["ATOM yellow 2"]
    assert dossier(shown, Swapped(YELLOW, 2, "NOR", "ATOM", "KEMI")) == ["ATOM yellow 2 moved"]
    assert dossier(shown, TakenInAnswer(BLUE, YELLOW, 2, "ATOM")) == ["ATOM yellow 2 moved"]
    assert dossier(shown, TakenInAnswer(BLUE, YELLOW, 1, "RYMD")) == ["ATOM yellow 2"]
    assert dossier(shown, shown) == ["ATOM yellow 2"]
    other = Shown(YELLOW, 1, "RYMD")
    assert dossier(shown, other, other) == ["ATOM yellow 2", "RYMD yellow 1"]
    moved = (shown, TakenInAnswer(BLUE, YELLOW, 2, "ATOM"), Kept(BLUE, 3, "ATOM"))
    assert dossier(*moved, Shown(YELLOW, 2, "KEMI")) == ["ATOM yellow 2 moved", "KEMI yellow 2"]


def test_the_dossier_follows_a_card_that_was_guessed_right():
    assert dossier(GuessedRight(BLUE, YELLOW, 2, "ATOM", 3)) == ["ATOM blue 3"]
    unplaced = GuessedRight(BLUE, YELLOW, 2, "ATOM", None)
    assert dossier(unplaced, Refused(BLUE, "NOR", "ATOM", known=True)) == ["ATOM NOR"]
    assert dossier(unplaced, Swapped(BLUE, 2, "POL", "KEMI", "ATOM")) == ["ATOM blue 2"]
    out = (unplaced, Refused(BLUE, "NOR", "ATOM", known=True), Took(YELLOW, "NOR", "ATOM", 2))
    assert dossier(*out) == ["ATOM NOR moved"]


def test_a_card_that_nobody_else_saw_is_not_in_the_dossier():
    unseen = (Took(BLUE, "NOR", "ATOM", None), Refused(BLUE, "POL", "ATOM"))
    assert dossier(*unseen) == []
    assert dossier(TakenInAnswer(YELLOW, BLUE, 1, "ATOM"), Kept(YELLOW, 3, "ATOM")) == []


@pytest.mark.parametrize("memory", ["honour", "once"])
def test_without_open_memory_there_is_no_dossier(memory: str):
    assert dossier(Shown(YELLOW, 2, "ATOM"), memory=memory) == []
