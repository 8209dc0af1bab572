"""Make a player's text fit to be shown."""

import unicodedata


def one_line(text: str) -> str:
    """Return the text on one line, without control signs, direction marks and other unseen
    signs."""
    return " ".join(_all_seen(text).split())


def printable_lines(text: str) -> list[str]:
    """Split the text into lines, each without control signs, direction marks and other unseen
    signs."""
    return [_all_seen(line).rstrip() for line in text.splitlines()]


def _all_seen(text: str) -> str:
    return text if text.isprintable() else "".join(map(_seen, text))


def _seen(sign: str) -> str:
    return sign if sign.isprintable() else "" if unicodedata.category(sign) == "Cf" else " "
