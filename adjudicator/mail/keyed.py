"""Keyed digests, in signs that an address can hold."""

from base64 import b32encode
from hmac import digest


def tagged(key: bytes, text: str) -> str:
    """Return sixteen letters and digits that only the key can make of this text."""
    return b32encode(digest(key, text.encode(), "sha256")[:10]).decode().lower()


def fingerprint(key: bytes) -> str:
    """Return a text by which a key is recognised; it gives nothing of the key away."""
    return tagged(key, "fingerprint|v1")
