"""Ways on which servers and mail programs write honest emails anew."""

import mailbox
from collections.abc import Callable
from contextlib import suppress
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from random import Random

FOOTER = "\n-- \nThis email was scanned. https://scan.example.net/\n"


def _encoded(raw: bytes, rng: Random) -> bytes:
    from tests.service.test_audit import carried

    try:
        return carried(raw, "utf-8", rng.choice(["base64", "quoted-printable"]), "\r\n")
    except AssertionError:  # an email without a text part
        return raw


def _parsed(raw: bytes) -> EmailMessage:
    return message_from_bytes(raw, policy=policy.SMTP)


def _with_text(raw: bytes, change: Callable[[str], str]) -> bytes:
    email = _parsed(raw)
    part = email.get_body(("plain",))
    if part is not None:
        part.set_content(change(part.get_content()))
    return email.as_bytes()


def _footed(raw: bytes, rng: Random) -> bytes:
    return _with_text(raw, lambda text: text + FOOTER)


def _sometimes_footed(raw: bytes, rng: Random) -> bytes:
    return _footed(raw, rng) if rng.random() < 0.3 else raw


def _wrapped(raw: bytes, rng: Random) -> bytes:
    """Break long lines at blanks, as a server does that knows no longer ones."""

    def wrap(text: str) -> str:
        lines = []
        for line in text.split("\n"):
            while len(line) > 60 and " " in line[20:60]:
                at = line.rindex(" ", 20, 60)
                lines.append(line[:at])
                line = line[at + 1 :]
            lines.append(line)
        return "\n".join(lines)

    return _with_text(raw, wrap)


def _text_alone(raw: bytes, rng: Random) -> bytes:
    email, kept = _parsed(raw), EmailMessage(policy=policy.SMTP)
    part = email.get_body(("plain",))
    if part is None:
        return raw
    for name, value in email.items():
        if not name.lower().startswith(("content-", "mime-")):
            with suppress(ValueError):
                kept[name] = value
    kept.set_content(part.get_content())
    return kept.as_bytes()


def _without(ending: str) -> Callable[[bytes, Random], bytes]:
    def change(raw: bytes, rng: Random) -> bytes:
        email = message_from_bytes(raw)
        parts = email.get_payload()
        if isinstance(parts, list):
            email.set_payload(
                [one for one in parts if not str(one.get_filename()).endswith(ending)]
            )  # type: ignore[union-attr]
        return email.as_bytes()

    return change


def _forwarded(raw: bytes, rng: Random) -> bytes:
    email = EmailMessage(policy=policy.SMTP)
    email["From"], email["To"], email["Subject"] = "me@example.org", "me@example.org", "Fwd"
    email.set_content("see below\n")
    email.add_attachment(message_from_bytes(raw, policy=policy.SMTP))
    return email.as_bytes()


def _linked(raw: bytes, rng: Random) -> bytes:
    """Lead links of the text and the HTML through a server, and those of no attached file."""
    email = _parsed(raw)
    for kind in ("plain", "html"):
        part = email.get_body((kind,))
        if part is not None:
            told = part.get_content().replace("https://club.", "https://safe.example.net/?u=club.")
            part.set_content(told, subtype=kind)
    return email.as_bytes()


def _same(raw: bytes, rng: Random) -> bytes:
    return raw


WAYS: dict[str, Callable[[bytes, Random], bytes]] = {
    "encoded": _encoded,
    "footed": _footed,
    "sometimes footed": _sometimes_footed,
    "wrapped": _wrapped,
    "text alone": _text_alone,
    "no json": _without(".adjud.json"),
    "no page": _without(".html"),
    "forwarded": _forwarded,
    "linked": _linked,
    "mbox": _same,
}


def carried_by(way: str, place: Path, rng: Random) -> None:
    """Write the emails of a folder anew, as this way does."""
    if not way:
        return
    paths = sorted(place.glob("*.eml"))
    for path in paths:
        path.write_bytes(WAYS[way](path.read_bytes(), rng))
    if way == "mbox":
        box = mailbox.mbox(place / "all.mbox")
        for path in paths:
            box.add(message_from_bytes(path.read_bytes()))
            path.unlink()
        box.close()
