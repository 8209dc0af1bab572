"""Make a player's text fit to be shown."""

import unicodedata


def one_line(text: str) -> str:
    """Return the text on one line, without control signs, direction marks and other unseen
    signs."""
    return " ".join("".join(map(_seen, text)).split())


def printable_lines(text: str) -> list[str]:
    """Split the text into lines, each without control signs, direction marks and other unseen
    signs."""
    return ["".join(map(_seen, line)).rstrip() for line in text.splitlines()]


def _seen(sign: str) -> str:
    return sign if sign.isprintable() else "" if unicodedata.category(sign) == "Cf" else " "
