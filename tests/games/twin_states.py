"""Two states that one seat cannot tell apart; `tests/test_secrecy.py` says what for."""

from collections.abc import Mapping
from typing import Generic, TypeVar

from msgspec import Struct

from adjudicator.core.match import Seat

S = TypeVar("S")


class Twins(Struct, Generic[S], frozen=True):
    """`seat` must get the same from `left` and from `right`, in a match with these options of its
    game."""

    seat: Seat
    left: S
    right: S
    options: Mapping[str, str] = {}
