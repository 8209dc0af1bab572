"""Decoders of what is stored: one for each kind, because to make one costs more than to use it."""

from functools import cache
from typing import Any

from msgspec.json import Decoder


@cache
def decoder(kind: Any) -> Decoder[Any]:
    """Return the decoder of JSON to a kind of values: a type that the program names."""
    return Decoder(kind)
