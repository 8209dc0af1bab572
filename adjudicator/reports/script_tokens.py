"""Take a script apart into tokens that know what they stand in and beside."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

KEYWORDS = re.compile(
    "arguments|async|await|break|case|catch|class|const|continue|default|delete|do|else|export"
    "|extends|false|finally|for|function|if|import|in|instanceof|let|new|null|of|return|static"
    "|super|switch|this|throw|true|try|typeof|undefined|var|void|while|with|yield"
)
_TOKEN = re.compile(
    r"(?P<string>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')"
    r"|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<number>\d[\w.]*)"
    r"|(?P<space>(?:\s|//[^\n]*|/\*.*?\*/)+)"
    r"|(?P<sign>=>|\.\.\.|\?\.(?!\d)|.)",
    re.DOTALL,
)
_REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\[\n])+/[a-z]*")
_LITERAL = re.compile(r"(?:\\.|\$(?!\{)|[^\\`$])*(?P<end>`|\$\{)", re.DOTALL)
_PIECES = {"``": "string", "`${": "open", "}${": "between", "}`": "shut"}  # of a template literal
_BEFORE_REGEX = frozenset(("", *"(,=:[!&|?{};", "=>", "return"))
_BEFORE_BLOCK = frozenset(("", *");{}", "=>", "else", "do", "try", "finally", "catch"))
_SHUT = {")": "(", "]": "[", "}": "{"}
_COMMENTS = ("//", "/*")


class Token(Struct):
    """A token; blanks and comments in a row are one, of the kind `space`.

    `inside` is the bracket in which it stands, `{}` for a block's, and `deep` says in how many;
    `before` and `after` are the texts of its neighbours, blanks apart.
    """

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
        return self.kind == "name" and not KEYWORDS.fullmatch(self.text) and not is_property

    @property
    def is_shorthand(self) -> bool:
        """Return whether it is a variable and the name of a property in one."""
        return self.inside == "{" and self.before in ("{", ",") and self.after in (",", "}", "=")


def tokens(script: str) -> Sequence[Token]:
    """Return all tokens of a script, blanks too, each with what it stands in and beside."""
    found = [*_tokens(script)]
    _look_around(found)
    return found


def _tokens(script: str) -> Iterator[Token]:
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


def _token(script: str, at: int, before: str, *, ends_hole: bool) -> Token:
    sign = script[at]
    if sign == "`" or (sign == "}" and ends_hole):
        found = _LITERAL.match(script, at + 1)
        assert found, script[at : at + 40]
        return Token(script[at : found.end()], _PIECES[sign + found["end"]])
    if sign == "/" and before in _BEFORE_REGEX and not script.startswith(_COMMENTS, at):
        found = _REGEX.match(script, at)
        assert found, script[at : at + 40]
        return Token(found[0], "string")
    found = _TOKEN.match(script, at)
    assert found is not None
    assert found.lastgroup is not None
    return Token(found[0], found.lastgroup)


def _look_around(tokens: Sequence[Token]) -> None:
    """Write into each token what it stands in and beside."""
    brackets: list[str] = []
    last = Token("", "")
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
