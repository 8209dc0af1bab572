"""Recognise letters that a program wrote; they are set aside and never answered (letters, section
5.2)."""

import re

from adjudicator.mail.read.headers import Headers

OWN = "our own letter"

_BULK = frozenset({"bulk", "junk", "list", "auto_reply"})
_AUTOREPLY = ("x-autoreply", "x-auto-reply", "x-autorespond")
_DAEMON = re.compile(r"(?:.*<)?\s*mailer-daemon\s*(?:@.*|>.*|\(.*)?", re.IGNORECASE | re.DOTALL)


def automatic(headers: Headers, type_: str) -> str | None:
    """Return why a program must have written the letter; None if a person may have.

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
