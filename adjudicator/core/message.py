"""Sentences for people: written in English, translated only where somebody reads them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TypeAlias

from adjudicator.core.visible import Visible

LANGUAGES = ("en", "nb", "sv")  # players may choose them; messages are written in the first

Value: TypeAlias = "str | int | Message"


class Message(Visible, frozen=True, kw_only=False):
    """An English sentence with `{named}` holes and what stands in them.

    `text` is the key into the gettext catalogues; `plural` is given where `n` in `values` decides.
    """

    text: str
    values: Mapping[str, Value] = {}
    plural: str | None = None

    def __str__(self) -> str:
        return tell(self)


Words: TypeAlias = "Callable[[Message], str]"  # `tell` in somebody's language
Translate: TypeAlias = Callable[[str], str]
TranslatePlural: TypeAlias = Callable[[str, str, int], str]
Clock: TypeAlias = Callable[[str], str]  # a moment, RFC 3339, where and as its reader reads it

_MOMENT, _SHORT = "{moment}", "{short}"


def say(text: str, /, **values: Value) -> Message:
    """Make a sentence for people. The catalogues' extractor looks for calls of `say`."""
    return Message(text, values)


_LANGUAGE = say("en")  # its translation into a language is the name of that


def language_of(words: Words) -> str:
    """Return the code of the language into which words are told."""
    return words(_LANGUAGE)


def name_in(names: Mapping[str, str], words: Words) -> str:
    """Return a name from a table by language in the reader's, else in English."""
    return names.get(language_of(words)) or names["en"]


def both(told: Message, more: Value) -> Message:
    """Put one sentence after another, or somebody's own words."""
    return say("{told} {more}", told=told, more=more)


def sentences(message: Message) -> Iterator[Message]:
    """Yield a message and those in it, in their order."""
    yield message
    for value in message.values.values():
        if isinstance(value, Message):
            yield from sentences(value)


def count(one: str, many: str, n: int, /, **values: Value) -> Message:
    """Make a sentence that depends on the number `n`, which may stand in it as `{n}`."""
    return Message(one, {"n": n, **values}, many)


def at(moment: str) -> Message:
    """Put a moment (RFC 3339) into a sentence; each reader sees it in his own time zone."""
    return Message(_MOMENT, {"moment": moment})


def shortly(moment: str) -> Message:
    """Put a moment into a line that has little room, such as a subject: in the reader's time zone
    alone and without the year."""
    return Message(_SHORT, {"short": moment})


def listed(parts: Iterable[Message]) -> Message:
    """Join several messages into one, with commas between them; there must be at least one."""
    return reduce(lambda first, next_: say("{first}, {next}", first=first, next=next_), parts)


def together(names: Sequence[str]) -> str:
    """List names, at least one, as an English sentence does: `a`, `a and b`, `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _english(text: str) -> str:
    return text


def _english_plural(one: str, many: str, n: int) -> str:
    return one if n == 1 else many


def tell(
    message: Message,
    gettext: Translate = _english,
    ngettext: TranslatePlural = _english_plural,
    clock: Clock = _english,
    short: Clock = _english,
) -> str:
    """Return the sentence in the language of `gettext`, with all holes filled, nested messages
    too."""
    if message.text == _MOMENT:
        return clock(str(message.values["moment"]))
    if message.text == _SHORT:
        return short(str(message.values["short"]))
    if message.plural is None:
        text = gettext(message.text)
    else:
        n = message.values["n"]
        text = ngettext(message.text, message.plural, n if isinstance(n, int) else 0)
    values = message.values
    if not values:
        return text
    for value in values.values():
        if isinstance(value, Message):
            break
    else:  # most messages hold no others
        return text.format_map(values)
    return text.format_map(
        {
            name: tell(value, gettext, ngettext, clock, short)
            if isinstance(value, Message)
            else value
            for name, value in values.items()
        }
    )
