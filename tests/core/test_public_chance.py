"""The option `chance`, the number that it names, and the seed that comes of both."""

import hmac
from hashlib import sha256

import pytest

from adjudicator.core.dice import LABEL, Chance, mixed_seed
from adjudicator.core.public_chance import (
    Draw,
    draw_of,
    fault,
    possible_rounds,
    read_draw,
    round_of,
    which,
)
from tests.core.test_beacon import PUBLISHED

LOTTO = "numbers: 6 of Lotto 6aus49 at 2026-12-05T19:00Z"


def test_a_draw_is_read_and_written():
    draw = Draw(6, "Lotto 6aus49", "2026-12-05T19:00Z")
    assert read_draw(LOTTO) == read_draw("6  of  Lotto  6aus49 at 2026-12-05T19:00Z") == draw
    assert str(draw) == LOTTO
    assert draw_of(LOTTO) == draw


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("numbers", "write which numbers of which draw"),
        ("numbers: of Lotto at 2026-12-05T19:00Z", "write which numbers of which draw"),
        ("numbers: 4 of Lotto at 2026-12-05T19:00Z", "a draw needs 5 to 20 numbers"),
        ("numbers: 21 of Lotto at 2026-12-05T19:00Z", "a draw needs 5 to 20 numbers"),
        ("numbers: 6 of a|b at 2026-12-05T19:00Z", "without | and"),
        (f"numbers: 6 of {'x' * 61} at 2026-12-05T19:00Z", "at most 60 characters"),
    ],
)
def test_a_draw_that_is_none_is_refused(text: str, told: str):
    assert told in str(read_draw(text))


def test_only_a_draw_with_its_time_written_out_is_agreed():
    assert draw_of("numbers: 6 of Lotto at Saturday") is None
    assert draw_of("drand") is None


def test_which_number_decides_follows_from_the_option_and_the_time():
    published = 1_692_806_364
    assert which({}, 0) == which({"chance": "seed"}, 0) == ""
    assert which({"chance": LOTTO}, 0) == LOTTO
    drand = {"chance": "drand"}
    assert which(drand, published - 86_400) == "drand quicknet 1000"  # from before the option
    for after, seconds in (("1 day", 86_400), ("1 hour", 3_600)):
        options = {**drand, "drand_after": after}
        assert which(options, published - seconds) == "drand quicknet 1000"
        assert which(options, published - seconds + 1) == "drand quicknet 1001"
        assert 1000 in possible_rounds(published - seconds)
    assert round_of("drand quicknet 1000") == 1000
    assert round_of(LOTTO) is None


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("1 7 15 23 38", "6 numbers decide, not 5"),
        ("1 7 15 38 23 44", "in ascending order"),
        ("1 7 15 15 23 44", "in ascending order"),
        ("01 7 15 23 38 44", "without leading zeros"),
        ("1  7 15 23 38 44", "with one blank between"),
        ("1 7 15 23 38 44 ", "with one blank between"),
        ("1,7,15,23,38,44", "with one blank between"),
        ("1 7 15 23 38 ٤٤", "without leading zeros"),
        ("", "with one blank between"),
    ],
)
def test_numbers_have_one_spelling(value: str, told: str):
    assert told in str(fault(LOTTO, value))


def test_the_numbers_of_a_draw_are_taken_as_they_are():
    assert fault(LOTTO, "1 7 15 23 38 44") is None
    assert fault("drand quicknet 1000", PUBLISHED[1000]) is None
    assert fault("drand quicknet 1000", PUBLISHED[1001]) is not None


def test_the_seed_comes_of_both_and_the_commitment_is_that_of_the_first():
    secret = bytes(range(32))
    text = f"ADJUD2|espionage-1|public|drand quicknet 1000|{PUBLISHED[1000]}"
    seed = mixed_seed(secret, "espionage-1", "drand quicknet 1000", PUBLISHED[1000])
    assert seed == hmac.new(secret, text.encode(), sha256).digest()
    chance = Chance(seed, "espionage-1", committed=secret, label=LABEL)
    assert chance.commitment == Chance(secret, "espionage-1", label=LABEL).commitment
    assert chance.key("X", 0) == Chance(seed, "espionage-1", label=LABEL).key("X", 0)
    assert repr(chance) == "Chance(match='espionage-1')"
