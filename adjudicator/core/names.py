"""Find the names and addresses of people in texts, and take them out."""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache, cached_property
from typing import Any

from msgspec import Struct

NO_ADDRESS = "(deleted address)"
_OF_PEOPLE = ("player", "name", "names", "players")  # keys of values that are names


def is_named(name: str, text: str) -> bool:
    """Return whether a name stands in a text, as a word of its own and spelt like this."""
    return name in text and _word(name).search(text) is not None


@cache
def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


class Forgotten(Struct, frozen=True, kw_only=True, dict=True):
    """Somebody who is taken out of texts: his names become `instead`, his addresses go.

    A name that is `common`, such as the word for a seat, is taken out only where a value is known
    to be a name.
    """

    names: tuple[str, ...]
    addresses: tuple[str, ...]
    instead: str
    common: tuple[str, ...] = ()

    @property
    def needles(self) -> Sequence[str]:
        """Return what a text must hold, in whatever case, if anything is to be taken out of it."""
        return [*self.names, *self.addresses]

    @cached_property
    def _named(self) -> re.Pattern[str] | None:
        words = [re.escape(name) for name in self.names if name not in self.common]
        return re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)") if words else None

    @cached_property
    def _addressed(self) -> re.Pattern[str] | None:
        words = [re.escape(one) for one in self.addresses]
        either = rf"(?<![\w.+-])(?:{'|'.join(words)})(?![\w-])"
        return re.compile(either, re.IGNORECASE) if words else None

    def text(self, text: str) -> str:
        """Return a text without him."""
        if self._addressed is not None:
            text = self._addressed.sub(NO_ADDRESS, text)
        return text if self._named is None else self._named.sub(self.instead, text)

    def is_in(self, text: str) -> bool:
        return self.text(text) != text

    def value(self, value: Any, key: str = "") -> Any:
        """Return a value of JSON without him. The text of a message is a key of the catalogues, so
        only its values change."""
        if isinstance(value, str):
            return self.instead if key in _OF_PEOPLE and value in self.names else self.text(value)
        if isinstance(value, Mapping):
            is_message = "text" in value and "values" in value
            return {
                inner: one
                if is_message and inner in ("text", "plural")
                else self.value(one, key if key == "players" else str(inner))
                for inner, one in value.items()
            }
        if isinstance(value, list):
            return [self.value(one, key) for one in value]
        return value

    def parts(self, value: Mapping[str, Any], keys: Collection[str]) -> dict[str, Any]:
        """Return an object in which only the values of some keys may have changed."""
        return {key: self.value(one, key) if key in keys else one for key, one in value.items()}
