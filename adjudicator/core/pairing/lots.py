"""Chance in a tournament: every draw is a lot that follows from its seed (club, 7.4)."""

import hmac
from collections.abc import Iterable
from hashlib import sha256

LENGTH = 32  # bytes of a seed


def lot(seed: bytes, text: str) -> bytes:
    """Return the lot of a text; of several the lowest comes first, compared as bytes."""
    return hmac.digest(seed, f"lot|{text}".encode(), sha256)


def by_lot(seed: bytes, kind: str, names: Iterable[str]) -> list[str]:
    """Return names in the order of their lots `kind|NAME`."""
    return sorted(names, key=lambda name: lot(seed, f"{kind}|{name}"))


def commitment(seed: bytes) -> str:
    """Return what is told before the start, and proves the seed that is opened at the end."""
    return sha256(seed).hexdigest()
