"""Find and replace the names and addresses of people in texts."""

import re
from functools import cache


def is_named(name: str, text: str) -> bool:
    """Return whether a name stands in a text, as a word of its own and spelt like this."""
    return name in text and _word(name).search(text) is not None


@cache
def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
