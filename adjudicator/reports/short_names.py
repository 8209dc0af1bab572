"""Give the local names of a minified script one or two letters each.

A name is local if the script declares it inside a block or as a parameter. It is renamed everywhere
in the script, in all scopes to the same new name, which is nowhere else in it; so what meant the
same before means the same afterwards. Names of properties stay, and those at the top, which other
scripts of the page may use.

No library does this: of those that pip installs, rjsmin and minify-html 0.18 shorten no names, and
tdewolff-minify 2.24 saves another tenth but moves a constant that is taken out of an object before
the constants that its value needs, so our pages broke.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, product
from string import ascii_letters

from msgspec import Struct

_KEYWORDS = re.compile(
    "arguments|async|await|break|case|catch|class|const|continue|default|delete|do|else|export"
    "|extends|false|finally|for|function|if|import|in|instanceof|let|new|null|of|return|static"
    "|super|switch|this|throw|true|try|typeof|undefined|var|void|while|with|yield"
)
_TOKEN = re.compile(
    r"(?P<string>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')"
    r"|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<number>\d[\w.]*)"
    r"|(?P<space>\s+)"
    r"|(?P<sign>=>|\.\.\.|\?\.(?!\d)|.)",
    re.DOTALL,
)
_REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\[\n])+/[a-z]*")
_LITERAL = re.compile(r"(?:\\.|\$(?!\{)|[^\\`$])*(?P<end>`|\$\{)", re.DOTALL)
_PIECES = {"``": "string", "`${": "open", "}${": "between", "}`": "shut"}  # of a template literal
_BEFORE_REGEX = frozenset(("", *"(,=:[!&|?{};", "=>", "return"))
_BEFORE_BLOCK = frozenset(("", *");{}", "=>", "else", "do", "try", "finally", "catch"))
_SHUT = {")": "(", "]": "[", "}": "{"}
_PATTERN = frozenset((*"(,{[:", "..."))


class _Token(Struct):
    """A token. `inside` is the bracket in which it stands, `{}` for a block's, and `deep` says in
    how many; `before` and `after` are the texts of its neighbours, blanks apart."""

    text: str
    kind: str
    inside: str = ""
    deep: int = 0
    before: str = ""
    after: str = ""

    @property
    def is_variable(self) -> bool:
        is_key = self.inside == "{" and self.before in ("{", ",") and self.after in (":", "(")
        is_property = self.before in (".", "?.") or is_key
        return self.kind == "name" and not _KEYWORDS.fullmatch(self.text) and not is_property

    @property
    def is_shorthand(self) -> bool:
        """Return whether it is a variable and the name of a property in one."""
        return self.inside == "{" and self.before in ("{", ",") and self.after in (",", "}", "=")


def shortened(script: str) -> str:
    """Return a minified script that does the same with short local names."""
    tokens = [*_tokens(script)]
    _look_around(tokens)
    local = _local([token for token in tokens if token.kind != "space"])
    used = Counter(token.text for token in tokens if token.is_variable and token.text in local)
    kept = {token.text for token in tokens if token.kind == "name"} - used.keys()
    fresh = (n for n in _names() if n not in kept and not _KEYWORDS.fullmatch(n))
    new = {name: next(fresh) for name, _ in used.most_common()}
    return "".join(_renamed(token, new) for token in tokens)


def _renamed(token: _Token, new: dict[str, str]) -> str:
    if not token.is_variable or token.text not in new:
        return token.text
    name = new[token.text]
    return f"{token.text}:{name}" if token.is_shorthand else name


def _names() -> Iterator[str]:
    for length in count(1):
        for letters in product(ascii_letters, repeat=length):
            yield "".join(letters)


def _tokens(script: str) -> Iterator[_Token]:
    """Yield all tokens; a template literal comes in pieces, with what its holes hold between."""
    at, before = 0, ""
    holes: list[int] = []  # of each template that is open, how many braces are open in its hole
    while at < len(script):
        token = _token(script, at, before, ends_hole=bool(holes) and holes[-1] == 0)
        at += len(token.text)
        if token.kind in ("between", "shut"):
            holes.pop()
        if token.kind in ("open", "between"):
            holes.append(0)
        elif holes and token.kind == "sign":
            holes[-1] += {"{": 1, "}": -1}.get(token.text, 0)
        before = before if token.kind == "space" else token.text
        yield token


def _token(script: str, at: int, before: str, *, ends_hole: bool) -> _Token:
    sign = script[at]
    if sign == "`" or (sign == "}" and ends_hole):
        found = _LITERAL.match(script, at + 1)
        assert found, script[at : at + 40]
        return _Token(script[at : found.end()], _PIECES[sign + found["end"]])
    if sign == "/" and before in _BEFORE_REGEX:
        found = _REGEX.match(script, at)
        assert found, script[at : at + 40]
        return _Token(found[0], "string")
    found = _TOKEN.match(script, at)
    assert found is not None
    assert found.lastgroup is not None
    return _Token(found[0], found.lastgroup)


def _look_around(tokens: Sequence[_Token]) -> None:
    """Write into each token what it stands in and beside."""
    brackets: list[str] = []
    last = _Token("", "")
    for token in tokens:
        if token.kind == "space":
            continue
        if token.kind in ("between", "shut") or (token.kind == "sign" and token.text in _SHUT):
            brackets.pop()
        token.inside, token.deep = (brackets[-1] if brackets else ""), len(brackets)
        token.before, last.after = last.text, token.text
        if token.kind in ("open", "between"):
            brackets.append("`")
        elif token.kind == "sign" and token.text in ("(", "[", "{"):
            is_block = token.text == "{" and token.before in _BEFORE_BLOCK
            brackets.append("{}" if is_block else token.text)
        last = token


def _local(tokens: Sequence[_Token]) -> set[str]:
    """Return the names that are declared somewhere and not at the top."""
    local: set[str] = set()
    top: set[str] = set()
    for n, token in enumerate(tokens):
        if token.kind == "name" and token.text in ("const", "let", "var", "function", "catch"):
            (local if token.deep else top).update(_pattern(tokens, n + 1))
            if token.text == "function" and token.after != "(":
                local.update(_pattern(tokens, n + 2))
        elif token.text == "=>":
            first = n - 1
            while tokens[n - 1].text == ")" and not (
                tokens[first].text == "(" and tokens[first].deep == token.deep
            ):
                first -= 1
            local.update(_pattern(tokens, first))
    return local - top


def _pattern(tokens: Sequence[_Token], first: int) -> Iterator[str]:
    """Yield the names that are declared from there on: one, or those of a bracket."""
    start = tokens[first]
    if start.is_variable:
        yield start.text
    elif start.text in ("(", "[", "{"):
        for token in tokens[first + 1 :]:
            if token.deep == start.deep:
                return
            if token.is_variable and token.before in _PATTERN:
                yield token.text
