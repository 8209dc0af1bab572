"""Take out of scripts and styles what browsers do not read: comments, indents, needless blanks.

Letters carry a page each, so every byte goes out with every report. No name is changed, and nothing
is packed: filters take packed pages for smuggling.
"""

import re

# After these signs, and before those, the line may go on: no semicolon is put in there.
_OPEN = frozenset("{;,([=&|?:+*")
_SHUT = frozenset("})].?:&|")
_BEFORE_REGEX = frozenset("(,=:[!&|?{};")  # after any other sign a slash divides

_STRING = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\[\n])+/[a-z]*")
_PLAIN = re.compile(r"[^\s\"'`/]+")


def script(text: str) -> str:
    """Return a script that does the same with fewer bytes."""
    made, at = "", 0
    while at < len(text):
        if found := _BLANK.match(text, at):
            made += _joint(made[-1:], text[found.end() : found.end() + 1], "\n" in found[0])
            at = found.end()
            continue
        end = _token_end(text, at, made[-1:])
        made += text[at:end]
        at = end
    return made


def style(text: str) -> str:
    """Return a style sheet that says the same with fewer bytes."""
    plain = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    plain = re.sub(r"\s+", " ", plain)
    plain = re.sub(r" ?([{};,]) ?", r"\1", plain)
    plain = re.sub(r"(?<=[\w)-]): (?=[^{}]*[;}])", ":", plain)
    return plain.replace(";}", "}").strip() + "\n"


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


def _token_end(text: str, at: int, before: str) -> int:
    """Return where the token ends that begins at a place."""
    if text[at] == "`":
        return _template_end(text, at)
    if found := _STRING.match(text, at):
        return found.end()
    if text[at] == "/":
        found = _REGEX.match(text, at) if not before or before in _BEFORE_REGEX else None
        return found.end() if found else at + 1
    found = _PLAIN.match(text, at)
    assert found, text[at : at + 40]
    return found.end()


def _template_end(text: str, at: int) -> int:
    """Return where a template literal ends; in its holes there may be others."""
    at += 1
    while text[at] != "`":
        if text[at] == "\\":
            at += 2
        elif text.startswith("${", at):
            at = _hole_end(text, at + 2)
        else:
            at += 1
    return at + 1


def _hole_end(text: str, at: int) -> int:
    deep = 1
    while deep:
        if text[at] == "`":
            at = _template_end(text, at)
        elif found := _STRING.match(text, at):
            at = found.end()
        else:
            deep += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
    return at
