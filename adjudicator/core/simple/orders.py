"""Orders of one line each: a word, and the fields of a value behind it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from msgspec import Struct, ValidationError, convert, to_builtins
from msgspec.structs import asdict

from adjudicator.core.game import Orders
from adjudicator.core.likeness import Likeness
from adjudicator.core.message import Message, count, say
from adjudicator.core.orders import (
    Line,
    Problem,
    Sheet,
    WrittenOrder,
    cleaned,
    folded,
    problem,
    shown,
    unstopped,
)
from adjudicator.core.text import Lexicon
from adjudicator.core.visible import Visible

O = TypeVar("O", bound=Struct)  # noqa: E741
V = TypeVar("V", bound=Visible)

_OPEN = ".."  # in a template, where a player writes something
_MOST_TOLD = 20  # legal orders that a refusal names


@dataclass(frozen=True, kw_only=True)
class SimpleOrders(Generic[O, V]):
    """How orders are written, and which are legal.

    `words` are the types of orders by the word with which a line begins: behind it stand the fields
    of the value, as `BID 7` is `Bid(card=7)`. A type must not be under two words, and what it says
    of its fields is asked (`Annotated[int, Meta(ge=1)]`); a field of text is in small letters.
    `examples` are lines for the card and for sentences that say what would be right. `also` are the
    same words in other languages or misspelt, folded, with the English one.

    `legal` are the orders that a seat may give in its view, and `many` how many of them a sheet
    has; no order stands in it twice. Where there are too many to list, `legal` is None, and
    `refusal` alone says what is wrong with an order. With `legal` a game has choices on its page,
    an example in its emails, and a computer.
    """

    words: Mapping[str, type[O]]
    examples: Sequence[str]
    legal: Callable[[V], Sequence[O]] | None = None
    many: Callable[[V], int] = lambda view: 1
    refusal: Callable[[V, O], Message | None] = lambda view, order: None
    also: Mapping[str, str] = field(default_factory=dict)

    def canonical(self, order: O) -> str:
        word = next(word for word, kind in self.words.items() if type(order) is kind)
        values = (value for value in to_builtins(asdict(order)).values() if value is not None)
        return " ".join((word, *map(str, values)))

    def lines(self, orders: Iterable[O]) -> list[str]:
        return [self.canonical(order) for order in orders]

    def read(self, text: str) -> O | None:
        """Return the order of a cleaned line; None if it is none."""
        word, *values = folded(unstopped(text)).split() or [""]
        kind = self._kinds.get(word)
        if kind is None or _OPEN in values or len(values) > len(kind.__struct_fields__):
            return None
        try:
            told = dict(zip(kind.__struct_encode_fields__, values, strict=False))
            return convert(told, kind, strict=False)
        except ValidationError:
            return None

    @property
    def _kinds(self) -> dict[str, type[O]]:
        own = {folded(word): kind for word, kind in self.words.items()}
        return own | {word: own[folded(english)] for word, english in self.also.items()}

    def parse(self, lines: Sequence[Line]) -> Sheet[O]:
        written, problems = [], []
        for line, text in cleaned(lines):
            order = self.read(text)
            if order is None:
                told = say(
                    "I do not understand '{seen}'; write {example}",
                    seen=shown(text),
                    example=self._meant(text),
                )
                problems.append(problem(line, told))
            else:
                written.append(WrittenOrder(order, line))
        return Sheet(tuple(written), tuple(problems))

    def check(self, view: V, sheet: Sheet[O]) -> Sequence[Problem]:
        return tuple(self._problems(view, sheet))

    def _problems(self, view: V, sheet: Sheet[O]) -> Iterator[Problem]:
        many, given = self.many(view), len(sheet.written)
        if not given and not sheet.problems:
            example = self._legal_example(view)
            empty = say("your orders are empty; write {example}", example=example)
            yield Problem(0, "", empty)
        elif given < many and not sheet.problems:
            yield Problem(0, "", say("there are {given} orders here of {n}", given=given, n=many))
        for entry in sheet.written[many:]:
            yield problem(entry.line, count("one order is enough", "{n} orders are enough", many))
        legal = None if self.legal is None else self.lines(self.legal(view))
        met: set[str] = set()
        for entry in sheet.written:
            line = self.canonical(entry.order)
            if refused := self.refusal(view, entry.order):
                yield problem(entry.line, refused)
            elif legal is not None and line not in legal:
                yield problem(entry.line, _illegal(line, legal))
            elif line in met:
                yield problem(entry.line, say("{line} appears here twice", line=line))
            met.add(line)

    def template(self, view: V) -> Sequence[str]:
        """Return a line for each word that is legal now, with `..` for what is to be written, so
        that none of them is an order as it is; where only one word is, as many as a sheet has."""
        legal = {type(order) for order in self.legal(view)} if self.legal else set()
        lines = [
            " ".join((word, *(_OPEN for _ in kind.__struct_fields__ or (word,))))
            for word, kind in self.words.items()
            if kind in legal or not legal
        ]
        return lines if legal and len(lines) > 1 else lines[:1] * self.many(view)

    def example(self, view: V) -> Sequence[str]:
        return self.lines(self.legal(view)[: self.many(view)]) if self.legal else ()

    def lexicon(self) -> Lexicon:
        return Lexicon({word: Message(word) for word in self.words})

    def _meant(self, text: str) -> str:
        """Return examples for a line that is no order: those of its word, if it begins with one."""
        word, *_ = folded(unstopped(text)).split() or [""]
        kind = self._kinds.get(word)
        own = [line for line in self.examples if kind and kind is type(self.read(line))]
        return own[0] if own else " / ".join(self.one_each)

    @property
    def one_each(self) -> Sequence[str]:
        """Return the first example of each word."""
        first: dict[type[O] | None, str] = {}
        for line in self.examples:
            read = self.read(line)
            first.setdefault(None if read is None else type(read), line)
        return [*first.values()]

    def _legal_example(self, view: V) -> str:
        legal = self.legal(view) if self.legal else ()
        known = (line for line in self.examples if not legal or self.read(line) in legal)
        return next(known, "") or self.canonical(legal[0])

    def likeness(self) -> Likeness:
        begins = frozenset(self._kinds)
        return Likeness(code=re.compile(r"(?!)"), begins=begins)


def _illegal(line: str, legal: Sequence[str]) -> Message:
    told = ", ".join((*legal[:_MOST_TOLD], *("…" for _ in legal[_MOST_TOLD : _MOST_TOLD + 1])))
    if not legal:
        return say("you cannot order {line} now", line=line)
    return say("you cannot order {line} now; you can order {legal}", line=line, legal=told)


def orders(own: SimpleOrders[O, V]) -> Orders[Any, Any]:
    """Return the orders as the program asks for them."""
    return Orders(
        parse=own.parse,
        canonical=own.canonical,
        check=own.check,
        template=own.template,
        lexicon=own.lexicon(),
        likeness=own.likeness,
        example=own.example,
    )
