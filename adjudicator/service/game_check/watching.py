"""Notice calls of clocks and of chance that is not given, while functions of a game run."""

import os
import random
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any

from msgspec import Struct

_WATCHED: tuple[tuple[Any, str], ...] = (
    (random.Random, "random"),
    (random.Random, "getrandbits"),
    (random.SystemRandom, "random"),
    (random.SystemRandom, "getrandbits"),
    (random, "random"),
    (random, "getrandbits"),
    (os, "urandom"),
    (secrets, "token_bytes"),
    (time, "time"),
    (time, "time_ns"),
    (time, "monotonic"),
    (time, "monotonic_ns"),
    (time, "perf_counter"),
    (time, "perf_counter_ns"),
)
_PASSED = (random.__file__, secrets.__file__, __file__)


class Call(Struct, frozen=True):
    """A function that a game called, and the file and line of the call."""

    name: str
    where: str


@contextmanager
def watching() -> Iterator[list[Call]]:
    """Note every call, from this thread, of a clock or of the chance of the machine."""
    calls, thread = list[Call](), get_ident()
    originals = [(owner, name, vars(owner).get(name)) for owner, name in _WATCHED]
    for owner, name, _ in originals:
        setattr(
            owner, name, _noting(getattr(owner, name), f"{owner.__name__}.{name}", calls, thread)
        )
    try:
        yield calls
    finally:
        for owner, name, original in originals:
            if original is None:
                delattr(owner, name)
            else:
                setattr(owner, name, original)


def _noting(function: Any, name: str, calls: list[Call], thread: int) -> Callable[..., Any]:
    def noted(*given: Any, **named: Any) -> Any:
        if get_ident() == thread:
            frame = sys._getframe(1)
            while frame.f_code.co_filename in _PASSED and frame.f_back:
                frame = frame.f_back
            calls.append(Call(name, f"{frame.f_code.co_filename}, line {frame.f_lineno}"))
        return function(*given, **named)

    return noted
