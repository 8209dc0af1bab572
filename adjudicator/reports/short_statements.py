"""Write the statements of a minified script with fewer signs: constants as variables, truth values
as what equals them, declarations that follow each other as one, no semicolon before a brace, no
brackets around a single parameter."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from adjudicator.reports.script_tokens import Token

_SHORT = {"const": "let", "true": "!0", "false": "!1"}  # nothing is assigned to a constant
_GOING_ON = frozenset(";,).}")  # no statement begins with these


def tightened(found: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens of a minified script that does the same with fewer signs."""
    for shorter in (_without_idle_semicolons, _declared_together, _with_bare_parameters):
        found = [*shorter(found)]
    return map(_shorter, found)


def _without_idle_semicolons(found: Sequence[Token]) -> Iterator[Token]:
    """Yield all but the semicolons between a statement and the brace that ends its block."""
    for n, token in enumerate(found):
        if not _is_semicolon(token) or token.after != "}" or _is_empty(found, n):
            yield token


def _declared_together(found: Sequence[Token]) -> Iterator[Token]:
    """Yield one declaration for those that follow each other, with commas between them."""
    begun: dict[int, bool] = {}  # by depth, whether the statement there declares
    starts, at = True, 0
    for n, token in enumerate(found):
        if n < at:
            continue
        if starts and token.kind != "space" and token.text not in _GOING_ON:
            begun[token.deep] = _declares(token.text)
        if _is_semicolon(token) and _declares(token.after) and begun.get(token.deep):
            at = n + 2 + (found[n + 2].kind == "space")  # behind the word and its blank
            starts = False
            yield Token(",", "sign")
            continue
        if token.kind == "space":
            starts = starts or "\n" in token.text
        else:
            starts = token.kind == "sign" and token.text in ("{", "}", ";")
        yield token


def _with_bare_parameters(found: Sequence[Token]) -> Iterator[Token]:
    """Yield all but the brackets around the single parameter of a function."""
    for n, token in enumerate(found):
        if _is_one_parameter(found, n):
            if n and found[n - 1].kind == "name":
                yield Token(" ", "space")
        elif n < 2 or not _is_one_parameter(found, n - 2):
            yield token


def _shorter(token: Token) -> Token:
    is_word = token.kind == "name" and token.before not in (".", "?.") and token.after != ":"
    return replace(token, text=_SHORT.get(token.text, token.text)) if is_word else token


def _declares(word: str) -> bool:
    return word in ("const", "let")


def _is_empty(found: Sequence[Token], n: int) -> bool:
    """Return whether a semicolon may be a statement by itself."""
    if found[n].before != ")":
        return found[n].before in ("else", ";")
    opened = n - 2
    while found[opened].deep != found[n].deep or found[opened].text != "(":
        opened -= 1
    return found[opened].before in ("for", "while", "if")


def _is_semicolon(token: Token) -> bool:
    return token.kind == "sign" and token.text == ";"


def _is_one_parameter(found: Sequence[Token], n: int) -> bool:
    """Return whether a bracket with one name in it begins there, before an arrow."""
    texts = [token.text for token in found[n : n + 4]]
    return texts[:1] + texts[2:] == ["(", ")", "=>"] and found[n + 1].kind == "name"
