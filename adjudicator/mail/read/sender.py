"""Find who sent an email: the one mailbox of exactly one From, by a rule stricter than RFC 5322.

The stdlib takes `alice@example.org <bob@evil.example>` for alice. A sender who is not understood
here counts as nobody: his email is parked, never lost.
"""

import re

from adjudicator.core.text import folded_address
from adjudicator.mail.read.headers import MOST_VALUE, Headers, words

_TOKEN = re.compile(
    r'(?P<quoted>"(?:[^"\\]|\\.)*")'
    r"|(?P<comment>\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\))"  # one within another at most
    r"|(?P<angle><[^<>]*>)|(?P<text>[^\"()<>]+)|(?P<bad>.)",
    re.DOTALL,
)
_ENCODED = re.compile(r"=\?[^?\s]*\?[^?\s]*\?[^?\s]*\?=")  # a word as in RFC 2047
_SEVERAL = re.compile("[,;:]")  # a list, or a group
_MAILBOX = re.compile(
    r"[^\s\"(),:;<>@\[\]\\]{1,64}@[^\s\"(),:;<>@\[\]\\.]+(?:\.[^\s\"(),:;<>@\[\]\\.]+)*"
)


def sender(headers: Headers) -> tuple[str | None, str | None]:
    """Return the sender's address, or None and the reason why there is none."""
    found = headers.all("from")
    if headers.broken:
        return None, "broken header"
    if len(found) != 1:
        return None, "several From headers" if found else "no From header"
    if len(found[0]) > MOST_VALUE:
        return None, "From too long"
    return _mailbox(found[0])


def display_name(headers: Headers) -> str:
    """Return what the sender calls himself, on one line; empty if there is none or it is not
    understood.

    Like everything in an email, a stranger chose it.
    """
    found = headers.all("from")
    if sender(headers)[0] is None:
        return ""
    name = words(found[0], MOST_VALUE).rpartition("<")[0].strip()
    if len(name) > 1 and name[0] == name[-1] == '"':
        name = re.sub(r"\\(.)", r"\1", name[1:-1])
    return name.strip()


def _mailbox(value: str) -> tuple[str | None, str | None]:
    tokens = [(match.lastgroup, match[0]) for match in _TOKEN.finditer(value)]
    if any(kind == "bad" for kind, _ in tokens):
        return None, "From not understood"
    angles = [text[1:-1].strip() for kind, text in tokens if kind == "angle"]
    texts = [text for kind, text in tokens if kind == "text" and text.strip()]
    outside = "".join(texts).strip()
    if len(angles) > 1 or _SEVERAL.search(_ENCODED.sub("", outside)):
        return None, "several addresses in From"
    if not angles:
        # A comment within the address is legal (RFC 5322, section 4.4), but no program writes one.
        whole = len(texts) == 1 and not any(kind == "quoted" for kind, _ in tokens)
        return _address(outside) if whole else (None, "From not understood")
    if not _follows(tokens):
        return None, "From not understood"
    address, defect = _address(angles[0])
    if "@" in outside and folded_address(outside.strip("'")) != folded_address(address or ""):
        return None, "several addresses in From"
    return address, defect


def _follows(tokens: list[tuple[str | None, str]]) -> bool:
    """Return whether only comments follow the angle brackets."""
    kinds = [kind for kind, text in tokens if text.strip()]
    return not {"text", "quoted"} & set(kinds[kinds.index("angle") :])


def _address(text: str) -> tuple[str | None, str | None]:
    if not _MAILBOX.fullmatch(text) or not text.isprintable() or len(text) > 254:
        return None, "From not understood"
    local, _, domain = text.rpartition("@")
    return f"{local}@{domain.lower()}", None


# Recognise emails that a program wrote; they are set aside and never answered (emails, section
# 5.2).


OWN = "our own email"

_BULK = frozenset({"bulk", "junk", "list", "auto_reply"})
_AUTOREPLY = ("x-autoreply", "x-auto-reply", "x-autorespond")
_DAEMON = re.compile(r"(?:.*<)?\s*mailer-daemon\s*(?:@.*|>.*|\(.*)?", re.IGNORECASE | re.DOTALL)


def automatic(headers: Headers, type_: str) -> str | None:
    """Return why a program must have written the email; None if a person may have.

    The caller must find out by himself whether it came from an address of ours, and who the
    envelope's sender is if no Return-Path was written.
    """
    if headers.all("x-adjud"):
        return OWN
    if type_ == "multipart/report":
        return "report of a mail system"
    if any(_word(value) not in {"", "no"} for value in headers.all("auto-submitted")):
        return "auto-submitted"  # RFC 3834, section 5
    if any(_word(value) in _BULK for value in headers.all("precedence")):
        return "bulk mail"
    if headers.all("list-id"):
        return "mailing list"
    if any(_word(headers.first(name)) not in {"", "no"} for name in _AUTOREPLY):
        return "auto-reply"
    if headers.first("return-path") == "<>":
        return "no envelope sender"
    if headers.all("x-failed-recipients") or _DAEMON.fullmatch(headers.first("from")[:400]):
        return "mailer-daemon"
    return None


def _word(value: str) -> str:
    """Return the keyword of a value, without parameters and comments."""
    found = re.match(r"[\s\"]*([^\s;(\"]*)", value[:200])
    return found[1].lower() if found else ""
