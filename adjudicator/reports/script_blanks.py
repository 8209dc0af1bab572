"""Leave out of a script its comments, its indents and all blanks that mean nothing."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from adjudicator.reports.script_tokens import Token

# After these signs, and before those, the line may go on: no semicolon is put in there.
_OPEN = frozenset("{;,([=&|?:+*")
_SHUT = frozenset("})].?:&|")


def without_blanks(found: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens of a script that does the same; between two of them there is one blank or
    line end at most, and only where one must be."""
    last = ""
    for n, token in enumerate(found):
        if token.kind == "space":
            after = found[n + 1].text[0] if n + 1 < len(found) else ""
            token = replace(token, text=_joint(last, after, "\n" in token.text))
        if token.text:
            yield token
            last = token.text[-1]


def _joint(before: str, after: str, line_ends: bool) -> str:
    """Return what must stand between two signs that had blanks between them."""
    if before == after and before in ("+", "-"):  # joined they would be another sign
        return " "
    if not before or not after or before in _OPEN or after in _SHUT:
        return ""
    if line_ends:
        return "\n"
    return " " if _is_word(before) and _is_word(after) else ""


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign in "_$"
