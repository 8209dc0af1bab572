"""Find letters of other alphabets, which a keyboard puts in where they look like Latin ones."""

import unicodedata
from collections.abc import Iterable

from adjudicator.core.message import Message, say
from adjudicator.core.orders import Line, clean, shown

_ALIKE = dict(
    zip(
        "аеорсухіјѕһԁԛԝкмтАВЕКМНОРСТХУІЈЅԌαονρικυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "aeopcyxijshdqwkmtABEKMHOPCTXYIJSGaovpikuxABEZHIKMNOPTYX",
        strict=True,
    )
)
_ANY = "a"  # stands for a letter that looks like no Latin one


class _Latin(dict[int, str]):
    """Latin letters by others, each looked up once."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        self[code] = _ALIKE.get(sign, _ANY) if _is_strange(sign) else sign
        return self[code]


_LATIN = _Latin()


def as_latin(text: str) -> str:
    """Return a text with Latin letters in place of others, the same where they look alike."""
    return text if text.isascii() else text.translate(_LATIN)


def strange_letter(text: str) -> str:
    """Return the first letter of a line that is not Latin; empty if all are, remarks aside."""
    if text.isascii():
        return ""
    return next((sign for sign in clean(text) if _is_strange(sign)), "")


def told_strange(text: str) -> Message | None:
    """Say which letter of a line is not Latin; None if all are."""
    sign = strange_letter(text)
    if not sign:
        return None
    seen = shown(clean(text))
    if meant := _ALIKE.get(sign):
        return say(
            "the {sign} in '{seen}' is not the Latin letter {meant} but one of another alphabet "
            "that looks the same; write {meant} with a Latin keyboard",
            sign=sign,
            seen=seen,
            meant=meant,
        )
    return say(
        "the {sign} in '{seen}' is not a Latin letter; orders are written in Latin letters",
        sign=sign,
        seen=seen,
    )


def first_strange(lines: Iterable[Line]) -> Message | None:
    """Say which letter of the first line that has one is not Latin."""
    return next(filter(None, (told_strange(line.text) for line in lines)), None)


def _is_strange(sign: str) -> bool:
    return not sign.isascii() and sign.isalpha() and "LATIN" not in unicodedata.name(sign, "")
