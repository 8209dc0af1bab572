"""Chance that players can check: chains, dice, deals, sealed texts.

The numbers of the first part are the test vectors of the Spion rule book, section 6.
"""

import hmac
from collections import Counter
from hashlib import sha256
from itertools import count, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicator.core.dice import CHAIN_LENGTH, LABEL, Chance, Stream, digest, seal
from tests.scale import examples, scaled

VECTORS = Chance(
    seed=bytes(range(32)),
    match="S-0001",
    phrases=("blå: hej", "grön: tjena", "gul: god dag"),
    label="SPION1",
)
OURS = Chance(seed=bytes(32), match="espionage-17", label=LABEL)


def test_the_commitment_is_that_of_the_rule_book():
    assert VECTORS.commitment == "152124e09bbe41f78ee47fe1a2379896f1feaaa4587a220e8d23432e00a5a276"


def test_a_traceback_shows_no_seed():
    assert repr(VECTORS) == "Chance(match='S-0001')"


def test_the_digest_of_the_phrases_is_that_of_the_rule_book():
    assert (
        VECTORS.phrase_digest == "7da79135106a6ce1222a853d2d2ee46e0f1323f1277670347d7b30c3f469fcb8"
    )


@pytest.mark.parametrize(
    ("who", "number", "key"),
    [
        ("1", 0, "6a0200ff78a9fdd7a0df8f7bc0d7a8442b28f1ff5a961b99774edb64bdb090af"),
        ("X", 0, "f67eec356b740a6cf636b783902c3b4ec9298ccf03644e33140852ffebe251a7"),
        ("1", 1, "47a006cef125b7fefc5ada8857339f2d8fb51ed8b2be4c329d2ad9ec44e7eb8f"),
        ("1", 2, "b9cc81eca1aee619c7ab0bad404f66e471b445fe4e21e56094f571ed08198ad4"),
        ("1", 3, "463a0655b8a3d5de8e0abceee1698700561c27fc1df4c8883d54317c2e9b4875"),
    ],
)
def test_anchors_and_keys_are_those_of_the_rule_book(who: str, number: int, key: str):
    assert VECTORS.key(who, number).hex() == key


@pytest.mark.parametrize(("number", "dice"), [(1, (2, 4)), (2, (2, 4)), (3, (3, 3))])
def test_dice_are_those_of_the_rule_book(number: int, dice: tuple[int, int]):
    stream = VECTORS.public("1", number)
    assert (stream.die(), stream.die()) == dice


def test_the_deal_is_that_of_the_rule_book():
    cards = [kind for kind in ("ATOM", "FYSIK", "KEMI", "RYMD") for _ in range(4)]
    VECTORS.deal().shuffle(cards)
    dealt = "ATOM KEMI RYMD ATOM RYMD ATOM FYSIK RYMD KEMI KEMI FYSIK RYMD FYSIK ATOM FYSIK KEMI"
    assert " ".join(cards) == dealt


def test_every_key_is_checked_by_hashing_it_to_the_one_before():
    keys = [OURS.key("white", number) for number in range(CHAIN_LENGTH + 1)]
    assert all(sha256(later).digest() == earlier for earlier, later in pairwise(keys))
    assert len(set(keys)) == CHAIN_LENGTH + 1


@pytest.mark.parametrize("number", [-1, CHAIN_LENGTH + 1])
def test_a_chain_has_no_links_beyond_its_ends(number: int):
    with pytest.raises(ValueError, match="links 0 to 1000"):
        OURS.key("white", number)


def _first(stream: Stream) -> list[int]:
    return [stream.below(256) for _ in range(80)]


def test_the_same_draw_gives_the_same_bytes_again():
    assert _first(OURS.public("X", 1)) == _first(OURS.public("X", 1))
    assert _first(OURS.private("white", "setup")) == _first(OURS.private("white", "setup"))


def test_no_two_draws_share_their_bytes():
    other = Chance(seed=bytes([1]) * 32, match="espionage-17", label=LABEL)
    elsewhere = Chance(seed=bytes(32), match="espionage-18", label=LABEL)
    phrased = Chance(seed=bytes(32), match="espionage-17", phrases=("hello",), label=LABEL)
    streams = [
        *(OURS.public("X", number) for number in (1, 2)),
        OURS.public("white", 1),
        *(OURS.private(seat, use) for seat in ("white", "black") for use in ("setup", "1")),
        OURS.deal(),
        other.public("X", 1),
        elsewhere.public("X", 1),
        phrased.public("X", 1),
    ]
    drawn = [tuple(_first(stream)) for stream in streams]
    assert len(set(drawn)) == len(drawn)


def test_phrases_of_players_leave_the_anchors_and_hidden_draws_alone():
    """Anchors are published before the phrases are in."""
    phrased = Chance(seed=bytes(32), match="espionage-17", phrases=("hello", "world"), label=LABEL)
    assert phrased.key("X", 0) == OURS.key("X", 0)
    assert phrased.commitment == OURS.commitment
    assert _first(phrased.private("white", "setup")) == _first(OURS.private("white", "setup"))


@given(st.binary(min_size=32, max_size=32), st.integers(1, 256))
@examples(100)
def test_a_draw_stays_below_its_bound(seed: bytes, n: int):
    stream = Chance(seed, "m", label=LABEL).private("white", "x")
    assert all(0 <= stream.below(n) < n for _ in range(20))


@pytest.mark.parametrize("n", [0, -1, 257])
def test_a_draw_has_a_bound_from_1_to_256(n: int):
    with pytest.raises(ValueError, match="1 to 256"):
        OURS.deal().below(n)


def test_bytes_that_would_favour_some_numbers_are_skipped():
    """A byte below 200 is taken as it is, the others are passed over."""
    raw = _first(OURS.deal())
    stream = OURS.deal()
    kept = [byte for byte in raw if byte < 200]
    assert max(raw) >= 200
    assert [stream.below(200) for _ in kept] == kept


def _beginning(first: int) -> Stream:
    """Return a stream whose first byte is this one."""
    uses = (str(number) for number in count())
    use = next(use for use in uses if OURS.private("X", use).below(256) == first)
    return OURS.private("X", use)


@pytest.mark.parametrize(
    ("first", "n", "taken"),
    [
        (251, 6, True),
        (252, 6, False),
        (255, 6, False),
        (199, 200, True),
        (200, 200, False),
        (254, 3, True),
        (255, 3, False),
        (255, 256, True),
        (255, 128, True),
        (255, 1, True),
        (0, 6, True),
    ],
)
def test_a_byte_is_skipped_from_the_last_multiple_of_the_range_on(first: int, n: int, taken: bool):
    """As the books of Spion (section 6) and Spies (section 2) say."""
    stream, raw = _beginning(first), _beginning(first)
    bytes_ = [raw.below(256) for _ in range(40)]
    used = next(at for at, byte in enumerate(bytes_) if byte < n * (256 // n))
    assert (used == 0) is taken
    assert stream.below(n) == bytes_[used] % n
    assert stream.below(256) == bytes_[used + 1]


def test_a_stream_has_the_bytes_of_block_after_block_counted_from_0():
    stream = Stream(b"key", "text")
    blocks = (hmac.digest(b"key", f"text|{number}".encode(), "sha256") for number in range(4))
    assert [stream.below(256) for _ in range(4 * 32)] == list(b"".join(blocks))


def test_a_draw_from_one_thing_takes_a_byte_too():
    """How many bytes are used must not depend on how many things there are."""
    stream, raw = OURS.deal(), _first(OURS.deal())
    assert stream.choice(["it"]) == "it"
    assert stream.below(256) == raw[1]


def test_a_shuffle_draws_from_the_last_place_down_to_the_second():
    """Fisher and Yates's, as the books have it; one thing, or none, draws nothing."""
    numbers, things = OURS.deal(), list("abcde")
    for last in (4, 3, 2, 1):
        other = numbers.below(last + 1)
        things[last], things[other] = things[other], things[last]
    stream = OURS.deal()
    assert stream.shuffled("abcde") == things
    assert stream.below(256) == numbers.below(256)
    assert OURS.deal().shuffled("a") == ["a"]
    alone = OURS.deal()
    alone.shuffle(["a"])
    assert alone.below(256) == _first(OURS.deal())[0]


def test_faces_of_the_die_fall_equally_often():
    rolls = scaled(30_000)
    stream = OURS.private("white", "dice")
    faces = Counter(stream.die() for _ in range(rolls))
    assert set(faces) == set(range(1, 7))
    # Six standard deviations are exceeded by one key in many millions, and this key is fixed.
    assert all(abs(n - rolls / 6) < 6 * (rolls * 5 / 36) ** 0.5 for n in faces.values())


def test_every_order_of_a_shuffle_is_equally_likely():
    shuffles = scaled(12_000)
    stream = OURS.private("white", "shuffle")
    seen: Counter[str] = Counter()
    for _ in range(shuffles):
        things = list("abcd")
        stream.shuffle(things)
        seen["".join(things)] += 1
    assert len(seen) == 24
    assert all(abs(n - shuffles / 24) < 6 * (shuffles / 24) ** 0.5 for n in seen.values())


def test_a_choice_is_one_of_the_things_and_can_be_any():
    stream = OURS.private("white", "choice")
    assert {stream.choice("abc") for _ in range(100)} == set("abc")


def test_a_sealed_text_is_what_a_player_hashes_himself():
    sealed = seal("espionage-17", "setup", "white", "1S25/1122/M1H3", "00" * 32)
    assert sealed == f"ADJUD1|espionage-17|setup|white|1S25/1122/M1H3|{'00' * 32}"
    assert digest(sealed) == sha256(sealed.encode()).hexdigest()


def test_two_salts_give_two_commitments():
    first, second = (seal("m", "setup", "white", "rows", salt) for salt in ("a", "b"))
    assert digest(first) != digest(second)
