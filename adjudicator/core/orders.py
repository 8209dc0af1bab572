"""The values that every order parser returns, and the cleaning of a line before it is read."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import lru_cache
from html import unescape
from itertools import count
from typing import Generic, TypeVar

from msgspec import Struct

from adjudicator.core.message import Message
from adjudicator.core.visible import Visible

MOST_ORDERS = 200  # lines of one sheet that say something, and orders on them

O_co = TypeVar("O_co", covariant=True)


class Line(Visible, frozen=True, kw_only=False):
    """One line as it was written; `number` counts from 1 in the file or email."""

    number: int
    text: str


class Problem(Visible, frozen=True, kw_only=False):
    """A fault in a line, and what would be right. Line 0 means the sheet as a whole."""

    line: int
    text: str
    message: Message


class WrittenOrder(Struct, Generic[O_co], frozen=True):
    """An order and the line on which it was written."""

    order: O_co
    line: Line


class Sheet(Struct, Generic[O_co], frozen=True):
    """The orders and problems found in what one seat sends for one turn."""

    written: tuple[WrittenOrder[O_co], ...]
    problems: tuple[Problem, ...]

    @property
    def orders(self) -> tuple[O_co, ...]:
        return tuple(entry.order for entry in self.written)


def problem(line: Line, message: Message) -> Problem:
    return Problem(line.number, line.text, message)


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Return problems from top to bottom, and last those of the sheet as a whole."""
    return sorted(problems, key=lambda one: (one.line == 0, one.line))


# The signs that programs and phones put in place of plain ones, or around what somebody wrote. This
# is the one table of them. Unicode's NFKC takes care of full-width forms and no-break spaces.
_NEXT = "→➔➙➛➜➝➞➟➠➡➢➣➤➥➦➧➨⇒⇛⇝⇢⇨⇾⟶⟹⟼⟾↝↠↣↦↪⭢⮕🠖🠚🡂🡆🡒🡢🢂►▶▸▹❯👉"  # noqa: RUF001
# As the fonts Wingdings and Symbol write them, in Unicode's area for private use: bullets, arrows.
_SYMBOL_BULLETS = "\uf06c\uf06e\uf06f\uf071\uf075\uf076\uf0a7\uf0a8\uf0b7\uf0d8\uf0fc\uf0fe"
_SYMBOL_NEXT = "\uf0ae\uf0de\uf0e0\uf0e8\uf0f0"
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−⁃﹘﹣－\uf02d", "-"),  # noqa: RUF001
        **dict.fromkeys(_NEXT + _SYMBOL_NEXT, ">"),
        **dict.fromkeys("‘’‚‛′", "'"),  # noqa: RUF001
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f", None),
        **dict.fromkeys("\u034f\u061c\u180e\ufe0e\ufe0f\ufffc", None),  # the last: a picture
        **dict.fromkeys("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", None),
        "\t": " ",
    }
)
# Signs that cannot be seen, and blanks that are no plain ones.
_HIDDEN: dict[int, str | None] = {sign: None for sign, plain in _PLAIN.items() if plain is None}
_UNSEEN = _HIDDEN | str.maketrans(
    dict.fromkeys("\t\u00a0\u1680\u2007\u202f\u205f\u3000", " ")
    | {chr(sign): " " for sign in range(0x2000, 0x200B)}
)
# What a player is shown of his own line, in which signs of fonts stand as they look.
_SEEN: dict[int, str | None] = {
    **_UNSEEN,
    **{ord(sign): "→" for sign in _SYMBOL_NEXT},
    **{ord(sign): "•" for sign in _SYMBOL_BULLETS},
    **{0xF0DF: "←", 0xF0B4: "×", 0xF04A: "☺"},  # noqa: RUF001
}
# Pictures and numbers in circles; not those that deny what stands behind them.
_PICTURE = (
    "(?![✕✖✗✘❌❎❓❔⛔☒🚫👎🗑])[\u2190-\u21ff\u2460-\u2473\u24ea-\u24ff\u25a0-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\uf04a-\uf04c\U0001f000-\U0001faff]"
)
# What stands before a line of a list. `o`, `Ø`, `à` and the like are bullets and arrows of a font
# that a program has lost; `o d3-d4` is an Överste's step, so letters need more than one blank.
_LETTER = re.compile(r"\s*[onquv](?:[\t\u00a0]| {3})\s*(?=\S)")
_SIGN = re.compile(
    rf"\s*(?:(?:{_PICTURE}|[·•∙⋅‣◦§¤※{_SYMBOL_BULLETS}{_SYMBOL_NEXT}]|\d{{1,2}}\u20e3|[Øüàè](?=\s))\s*)+"
    rf"(?=\S)"
)
_BULLET = re.compile(r"(?:[-*+]|[-=]+>)\s+(?=\S)")
_BOX = re.compile(r"\[[ xX]\]\s+(?=\S)")  # of a list of tasks
_LIST_NUMBER = re.compile(r"(?:\d+(?:\.\)|[.)\]])|[(\[]\d+[)\]])(?=\s|$|[^\W\d_])")
# The end of a line that says nothing: pictures, but no arrow.
_END_PICTURES = re.compile(rf"(?:\s*(?![{_NEXT}\u2190-\u21ff\u2798-\u27be]){_PICTURE})+\s*\Z")
# What may stand between two squares: arrows whose font is lost, quotes as arrows, and crosses.
_LOST_NEXT = re.compile(
    r"((?<![^\W_])[A-Za-z]\d{1,3}\s*)"
    # A letter of the Norwegian alphabet begins words, too: `d3 ØST`.
    r"(?:[àèðÞ®\uf0d8](?=\s*[A-Za-z])|[Ø»›](?=\s*[A-Za-z]\d))"  # noqa: RUF001
)
_CROSS = re.compile(r"(?<=\d)(\s*)[×✕✖✗✘⨯╳\uf0b4](\s*)(?=[A-Za-z]\d)")  # noqa: RUF001
_ESCAPED = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});")
_BACKSLASH = re.compile(r"\\(?=[-*_.>#`()\[\]+!~])")  # as Markdown writes a plain sign
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})\s*\w*\s*")
_CODE = re.compile(r"`+([^`]*)`+")
_EMPHASIS = (
    re.compile(
        r"(?<![^\W_])(?<!\*)(\*{1,3})(?=[^\W_]|_)([^*]*(?:[^\W_]|[_.,;:!?]))\1(?!\*)(?![^\W_])"
    ),
    re.compile(r"(?<!\w)(_{1,3})(?=[^\W_])([^_]*[^\s_])\1(?!\w)"),
)
# Around a whole line, as mail programs write bold in plain text, and people quote.
_AROUND = re.compile(
    r"(\*{1,3}|_{1,3}|[\"'])(?![\s*_])((?:(?!\1).|(?<![\w*])\*(?![\w*]))+)(?<![\s*_])\1"
)
_COMMENT = re.compile(r"#.*|//.*")
# A link that a program has found in a text or made of it: `c3-c4 <tel:3-4>`, `[c3-c4](tel:3-4)`.
_SCHEME = (
    r"(?:tel|sms|callto|skype|facetime|geo|maps?|mailto|webcals?|calshow|cid|https?|file"
    r"|x-apple-[a-z-]+|about|applewebdata):"
)
_LINK = re.compile(
    rf"[ \t]*(?:<{_SCHEME}[^<>]*>|\({_SCHEME}[^()]*\)|\[{_SCHEME}[^\[\]]*\])", re.IGNORECASE
)
_LINKED = re.compile(rf"\[([^\[\]]*)\](?=\({_SCHEME}[^()\s]*\))", re.IGNORECASE)

# Unicode's normal forms can make a text 18 times as long, and no order is as long as this.
_LONGEST_NORMAL = 4000
_LONGEST_SIGN = 4  # of the signs that people write, such as a fraction; an Arabic one becomes 18
# An email is looked through several times, for press, for commands, for sheets: each of its lines
# is made plain once.
_MOST_KEPT, _LONGEST_KEPT = 16_384, 500


def clean(text: str) -> str:
    """Return a line with plain signs, without comment, bold, bullet, list number and outer
    blanks."""
    return _kept_clean(text) if len(text) <= _LONGEST_KEPT else _clean(text)


def lookup_form(text: str) -> str:
    """Return a line in the form in which words are looked up: clean, folded, one blank between
    words."""
    return _kept_said(text) if len(text) <= _LONGEST_KEPT else _fold_words(text)


def _clean(text: str) -> str:
    words = _plain(text)
    if ":" in words and ("<" in words or "(" in words or "[" in words):
        words = _LINK.sub("", _LINKED.sub(r"\1", words))
    if "`" in words or "~~~" in words:
        words = "" if _FENCE.fullmatch(words) else _CODE.sub(r"\1", words)
    if "\\" in words:
        words = _BACKSLASH.sub("", words)
    if "#" in words or "//" in words:
        words = _COMMENT.sub("", words)
    if "*" in words or "_" in words:
        for emphasis in _EMPHASIS:
            words = emphasis.sub(r"\2", words)
    return _undecorated(words)


def _undecorated(words: str) -> str:
    """Return a line without quotes or bold around it, bullet, list number and outer blanks.

    Most lines begin with a letter and have none of these.
    """
    words = words.strip()
    if not words or (words[0].isalpha() and (len(words) < 2 or words[1] != " ")):
        return words
    words = _alone(words)
    for before in (_BULLET, _BOX, _LIST_NUMBER):
        if found := before.match(words):
            words = words[found.end() :].lstrip()
    return _alone(words)


def _alone(words: str) -> str:
    """Return a line without what stands around all of it."""
    found = _AROUND.fullmatch(words)
    return found[2].strip() if found else words


def without_decoration(text: str) -> str:
    """Return a line as it was written, remarks and typographic signs included, but for what cannot
    be seen, bold, bullet, list number and outer blanks."""
    if found := _LETTER.match(text):
        text = text[found.end() :]
    if text.isascii():
        return _undecorated(text.replace("\t", " "))
    seen = text.translate(_UNSEEN)
    if found := _SIGN.match(seen):
        seen = seen[found.end() :]
    return _undecorated(unicodedata.normalize("NFC", seen))


def _plain(text: str) -> str:
    if "&" in text:
        text = _ESCAPED.sub(_unescaped, text)
    if found := _LETTER.match(text):
        text = text[found.end() :]
    if text.isascii():
        return text.replace("\t", " ")
    text = text.translate(_HIDDEN)
    if found := _SIGN.match(text):
        text = text[found.end() :]
    text = _CROSS.sub(r"\1x\2", _LOST_NEXT.sub(r"\1>", text)).translate(_PLAIN)
    if len(text) > _LONGEST_NORMAL or text.isascii() or _swells(text):
        return text
    return unicodedata.normalize("NFKC", text).translate(_PLAIN)


def _unescaped(found: re.Match[str]) -> str:
    sign = unescape(found[0])
    return " " if sign.isspace() else sign


def _swells(text: str) -> bool:
    """Return whether a line far longer than an order has a sign that is a whole phrase."""
    if len(text) <= _LONGEST_KEPT or text.isascii():
        return False
    return any(len(unicodedata.normalize("NFKC", sign)) > _LONGEST_SIGN for sign in set(text))


def _fold_words(text: str) -> str:
    words = clean(text)
    return " ".join((folded(words) if len(words) <= _LONGEST_NORMAL else words.lower()).split())


_kept_clean = lru_cache(_MOST_KEPT)(_clean)
_kept_said = lru_cache(_MOST_KEPT)(_fold_words)


def split_lines(text: str) -> tuple[Line, ...]:
    """Split a text into lines; only LF, CR LF and CR end a line."""
    return number_lines(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def number_lines(texts: Iterable[str], first: int = 1) -> tuple[Line, ...]:
    """Return these texts as lines, one below the other."""
    return tuple(map(Line, count(first), texts))


def cleaned(lines: Iterable[Line]) -> Iterator[tuple[Line, str]]:
    """Yield each line that says something, with its cleaned text."""
    for line in lines:
        if line.text and (text := clean(line.text)):
            yield line, text


_STOP = re.compile(r"(?<=[^\W_])\.$")
_MOST_PICTURES = 20  # at the end of a line, blanks among them


def unstopped(text: str) -> str:
    """Return a cleaned line without the full stop at its end that telephones write for two blanks,
    and without pictures there; the dots of a template stay."""
    if not text.isascii():
        text = text[:-_MOST_PICTURES] + _END_PICTURES.sub("", text[-_MOST_PICTURES:])
    return _STOP.sub("", text)


def folded(word: str) -> str:
    """Return a word in the form in which it is looked up: no case, no accents. `LOYTNANT` finds
    `løytnant`."""
    if word.isascii():
        return word.lower()
    plain = word.casefold().replace("ø", "o").replace("æ", "ae")
    if _swells(plain):
        return plain
    decomposed = unicodedata.normalize("NFKD", plain)
    if decomposed.isascii() or not any(map(unicodedata.combining, set(decomposed))):
        return decomposed
    return "".join(c for c in decomposed if not unicodedata.combining(c))


_LONGEST_WORD = 60  # a longer word is no slip of a known one


def shown(text: str, limit: int = 40) -> str:
    """Make a player's own text fit to be quoted to him: one line, printable, not too long."""
    seen = text if text.isascii() else text.translate(_SEEN)
    printable = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in seen.strip())
    return printable if len(printable) <= limit else printable[: limit - 1] + "…"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that was probably meant."""
    if len(word) > _LONGEST_WORD:
        return None
    close = get_close_matches(folded(word), {folded(k): k for k in known}, n=1, cutoff=0.6)
    return next((k for k in known if close and folded(k) == close[0]), None)
