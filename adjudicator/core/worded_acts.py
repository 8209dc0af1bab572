"""Find acts again in the sentences that tell them: those of matches with the label ADJUD2, of rows
of before 0.3.0, and of emails."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache

import msgspec

from adjudicator.core.acts import KINDS, AnyAct
from adjudicator.core.message import Message, Value, at, sentences


def acts_in(message: Message) -> Iterator[AnyAct]:
    """Yield the acts of a ruling whose sentences are given. Sentences of none are left out: those
    of an older program, which have no effect here."""
    for one in sentences(message):
        if kind := _kinds().get(one.text):
            try:
                values = {name: _read(value) for name, value in one.values.items()}
                yield msgspec.convert(values, kind)
            except (msgspec.ValidationError, ValueError):
                continue


def _read(value: Value) -> object:
    if isinstance(value, Message) and value.text == at("").text:
        return datetime.fromisoformat(str(value.values.get("moment", "")))
    return value


@cache
def _kinds() -> Mapping[str, type[AnyAct]]:
    return {kind.words.text: kind for kind in KINDS}
