"""Rounds of drand's quicknet: which one a match uses, and which signatures are true.

The signatures were published by the network itself.
"""

import sys

import pytest

from adjudicator.core import beacon

PUBLISHED = {
    1000: (
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125"
        "e342b73a8dd2bacbe47e4b6b63ed5e39"
    ),
    1001: (
        "b33bf3667cbd5a82de3a24b4e0e9fe5513cc1a0e840368c6e31f5fcfa79bea03"
        "f73896b25883abf2853d10337fb8fa41"
    ),
    657413: (
        "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be"
        "41076862b98fad56e91a6b85b89cd97b"
    ),
}
INFINITY = "c0" + "00" * 47
# On the curve, but in no subgroup that counts: x = 4, which RFC 9380's cofactor would clear.
OUTSIDE = "80" + "00" * 46 + "04"


@pytest.mark.parametrize(("number", "signature"), PUBLISHED.items())
def test_a_published_signature_is_that_of_its_round(number: int, signature: str):
    assert beacon.fault(number, signature) is None


@pytest.mark.parametrize(
    "signature",
    [PUBLISHED[1000], PUBLISHED[1001][:-1] + "0", INFINITY, OUTSIDE, "ff" * 48, "00" * 48],
)
def test_no_other_point_is(signature: str):
    assert str(beacon.fault(1001, signature)) == "this is not the signature of round number 1001"


@pytest.mark.parametrize(
    "spelling",
    [
        PUBLISHED[1000].upper(),
        PUBLISHED[1000] + "00",
        PUBLISHED[1000][:-2],
        f" {PUBLISHED[1000]}",
        f"{PUBLISHED[1000]}\n",
        "",
    ],
)
def test_a_signature_has_one_spelling(spelling: str):
    told = "the signature of a round is 96 hex digits in lower case, and nothing else"
    assert str(beacon.fault(1000, spelling)) == told


def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch):
    beacon._is_signed.cache_clear()
    monkeypatch.setitem(sys.modules, "py_ecc.bls.g2_primitives", None)
    with pytest.raises(beacon.NoLibrary):
        beacon.fault(1000, PUBLISHED[1000])
    assert "pip install '.[beacon]'" in str(beacon.NoLibrary.message)


def test_the_library_changes_nothing_else():
    """It lets Python recurse so deeply that nested JSON would end the program."""
    beacon._is_signed.cache_clear()
    for name in [name for name in sys.modules if name.startswith("py_ecc")]:
        del sys.modules[name]
    limit = sys.getrecursionlimit()
    assert beacon.fault(1000, PUBLISHED[1000]) is None
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize(("later", "number"), [(0, 1000), (1, 1001), (-2, 1000), (-3, 999)])
def test_a_round_is_the_first_that_is_published_at_a_time_or_later(later: int, number: int):
    assert beacon.round_at(beacon.time_of(1000) + later) == number


def test_the_first_round_is_the_earliest_there_is():
    assert beacon.round_at(0) == 1
    assert beacon.time_of(1) == 1_692_803_367
