"""Scripts that stand in a page, and the hashes by which the page's policy lets them run.

The rows of a game's page name them in the order in which they run, by their place under
`templates`, and give what they read:

    scripts=["shared/composing.js", "espionage/composer_march.js"],
    data={"composer-data": {...}},  # by the id of its element; plain values only

The frame does the rest: the scripts become one inline element whose hash stands in the policy, so
nothing else runs, and each value a `<script type="application/json">`. On the club's site the
element becomes a file that pages share (`club.apart`). Top-level names of all
scripts of a page share one scope. Scripts hold no words for people: those come with the data, in
the reader's language.
"""

from base64 import b64encode
from functools import cache
from hashlib import sha256

from markupsafe import Markup
from msgspec import Struct

from adjudicator.resources import Incomplete, template

_STRICT = '"use strict";'  # each of them begins with it


class Script(Struct, frozen=True):
    """A script: `text` as it is in the page, `source` as a policy names it (CSP 2, hash-source)."""

    text: Markup
    source: Markup


@cache
def joined(*names: str) -> Script:
    """Return the scripts of those places under `templates` as one."""
    text = _STRICT + "\n".join(map(script, names))
    digest = b64encode(sha256(text.encode()).digest()).decode()
    return Script(Markup(text), Markup(f"'sha256-{digest}'"))  # noqa: S704  # files of ours


@cache
def script(name: str) -> str:
    """Return the script of that place under `templates`, without its first words."""
    path = template(name)
    try:
        return path.read_text("utf-8").removeprefix(_STRICT)
    except (OSError, UnicodeDecodeError) as trouble:
        raise Incomplete(path) from trouble
