"""What an author gives to `simple_game` that would fail later, and where nobody looks for it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from adjudicator.core.match import Option
from adjudicator.core.message import Message
from adjudicator.core.orders import folded
from adjudicator.core.simple.orders import SimpleOrders
from adjudicator.core.simple.page import Look

_NAME = re.compile(r"[a-z]{1,20}")
_OPTION = re.compile(r"[a-z][a-z_]{0,30}")


def faults(
    *,
    title: object,
    sentences: Mapping[str, object],
    seats: Mapping[Any, object],
    variants: Mapping[str, object],
    options: Mapping[str, object],
    orders: SimpleOrders[Any, Any],
    look: Look[Any, Any, Any],
) -> Iterator[str]:
    """Yield what is wrong with the values that need no match to be looked at."""
    if not isinstance(title, str) or not title.strip() or "\n" in title:
        yield f"`title` is {title!r}; give a text of one line"
    yield from _not_said(sentences.items())
    for what, titles in (("seat", seats), ("variant", variants)):
        for name in titles:
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                yield f"the {what} {name!r} is not one word of small letters from a to z"
        yield from _not_said((f"the title of {what} {name}", one) for name, one in titles.items())
    for name, option in options.items():
        if not isinstance(name, str) or not _OPTION.fullmatch(name):
            yield f"the option {name!r} is not a word of small letters from a to z, and of _"
        if not isinstance(option, Option):
            yield f"the option {name} is {_kind(option)}; give an Option"
        elif not all(
            isinstance(value, str) and value.split() == [value] for value in option.values
        ):
            yield f"the option {name} has values {option.values!r}; each is one word as text"
    yield from _of_orders(orders)
    yield from _not_said((f"`look.how` {n}", one) for n, one in enumerate(look.how, 1))
    yield from _not_said((f"`look.rules` {n}", one) for n, one in enumerate(look.rules, 1))
    yield from _not_said((f"`look.reasons` {key!r}", one) for key, one in look.reasons.items())


def _not_said(sentences: Iterable[tuple[str, object]]) -> Iterator[str]:
    for what, sentence in sentences:
        if not isinstance(sentence, Message):
            yield f"{what} is {_kind(sentence)}; give a sentence, as `say(…)` makes it"


def _of_orders(orders: SimpleOrders[Any, Any]) -> Iterator[str]:
    if not orders.words:
        yield "`orders.words` has no word with which an order begins"
    met: dict[str, str] = {}
    for word, kind in orders.words.items():
        if not isinstance(word, str) or word.split() != [word]:
            yield f"the word {word!r} of orders is not one word"
            continue
        if (other := met.setdefault(folded(word), word)) != word:
            yield f"the words {other} and {word} of orders are read as the same"
        if not (isinstance(kind, type) and issubclass(kind, Struct)):
            yield f"the word {word} of orders is for {kind!r}; give a type of msgspec's Struct"
    kinds = [*orders.words.values()]
    if len(kinds) != len({id(kind) for kind in kinds}):
        yield "a type of orders is under two words; what they have in other languages is `also`"
    for word, english in orders.also.items():
        if english not in orders.words:
            yield f"`orders.also` reads {word!r} as {english!r}, which is not a word of orders"
        elif word != folded(word) or word.split() != [word]:
            yield f"`orders.also` has {word!r}, which is never met; write {folded(word)!r}"
    if isinstance(orders.examples, str) or not orders.examples:
        yield f"`orders.examples` are {orders.examples!r}; give at least one line, in a tuple"


def _kind(value: object) -> str:
    return f"a {type(value).__name__}"
