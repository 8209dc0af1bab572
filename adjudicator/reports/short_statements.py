"""Write the statements of a minified script with fewer signs: constants as variables, truth values
as what equals them, declarations that follow each other as one, no semicolon before a brace, no
brackets around a single parameter."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from adjudicator.reports.script_tokens import Token

_SHORT = {"const": "let", "true": "!0", "false": "!1"}  # nothing is assigned to a constant
_GOING_ON = frozenset(";,).")  # no statement begins with these


def tightened(found: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens of a minified script that does the same with fewer signs."""
    begun: dict[int, bool] = {}  # by depth, whether the statement there declares
    starts, skipped = True, frozenset[int]()
    for n, token in enumerate(found):
        if token.kind == "space" and n not in skipped:
            starts = starts or "\n" in token.text
        elif starts:
            if token.text not in _GOING_ON:
                begun[token.deep] = _declares(token.text)
            starts = False
        if n in skipped:
            continue
        if token.text == ";" and token.kind == "sign":
            if token.after == "}" and not _is_empty(found, n):
                continue
            if _declares(token.after) and begun.get(token.deep):
                skipped = frozenset((n + 1, n + 2) if found[n + 2].kind == "space" else (n + 1,))
                yield Token(",", "sign")
                continue
        if token.text == "(" and _is_one_parameter(found, n):
            skipped = frozenset((n + 2,))
            if found[n - 1].kind == "name":
                yield Token(" ", "space")
            continue
        starts = starts or (token.kind == "sign" and token.text in ("{", "}", ";"))
        yield _shorter(token)


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


def _is_one_parameter(found: Sequence[Token], n: int) -> bool:
    four = [token.text for token in found[n + 2 : n + 4]]
    return four == [")", "=>"] and found[n + 1].kind == "name"
