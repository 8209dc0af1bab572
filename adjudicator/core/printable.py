"""What a player wrote, made fit to be shown."""

import unicodedata


def one_line(text: str) -> str:
    """As one line without control, direction and other unseen signs."""
    return " ".join("".join(map(_seen, text)).split())


def printable_lines(text: str) -> list[str]:
    """Line by line, each without control, direction and other unseen signs."""
    return ["".join(map(_seen, line)).rstrip() for line in text.splitlines()]


def _seen(sign: str) -> str:
    return sign if sign.isprintable() else "" if unicodedata.category(sign) == "Cf" else " "
