"""Write the statements of a minified script with fewer signs: declarations that follow each other
as one, no semicolon before a brace, no brackets around a single parameter."""

from collections.abc import Iterator, Sequence

from adjudicator.reports.script_tokens import Token

_DECLARING = frozenset(("const", "let"))
_GOING_ON = frozenset(";,).")  # no statement begins with these


def tightened(found: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens of a minified script that does the same with fewer signs."""
    begun: dict[int, str] = {}  # by depth, how the statement there began
    starts, skipped = True, frozenset[int]()
    for n, token in enumerate(found):
        if token.kind == "space" and n not in skipped:
            starts = starts or "\n" in token.text
        elif starts:
            if token.text not in _GOING_ON:
                begun[token.deep] = token.text if token.text in _DECLARING else ""
            starts = False
        if n in skipped:
            continue
        if token.text == ";" and token.kind == "sign":
            if token.after == "}" and not _is_empty(found, n):
                continue
            if token.after in _DECLARING and token.after == begun.get(token.deep):
                skipped = frozenset((n + 1, n + 2) if found[n + 2].kind == "space" else (n + 1,))
                yield Token(",", "sign")
                continue
        if token.text == "(" and _is_one_parameter(found, n):
            skipped = frozenset((n + 2,))
            if found[n - 1].kind == "name":
                yield Token(" ", "space")
            continue
        starts = starts or (token.kind == "sign" and token.text in ("{", "}", ";"))
        yield token


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
