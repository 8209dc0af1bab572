"""Emails that went out, and whether they say what a case expects of them."""

import re
from collections.abc import Sequence
from email import message_from_bytes, policy
from email.message import EmailMessage

from msgspec import Struct

NARROW = 78  # columns of an email's text (emails, section 6)
MOST_SHOWN = 30  # lines of an email that is not as a case expects it
_HEAD = re.compile(
    r"(Subject|To|Reply-To|In-Reply-To|Auto-Submitted|X-Adjud|List-Id|Envelope): (.+)"
)
_PROOFS = re.compile(r" (?:Proofs|Bevis) -{5,6} ")  # they come last in every email
_COUNT = re.compile(r"(once|(\d+) times) (.+)")


class Sent(Struct, frozen=True):
    """An email as it was delivered: who its bounces go to, whom it goes to, what it is."""

    envelope: str
    to: str
    email: EmailMessage

    @property
    def kind(self) -> str:
        return str(self.email["X-Adjud"])

    @property
    def text(self) -> str:
        """Return the text in one line, as a reader takes it in."""
        return folded(self._part("plain"))

    @property
    def everything(self) -> str:
        """Return all that a reader can see, in one line."""
        return folded(f"{self.email['Subject']} {self._part('plain')} {self._part('html')}")

    def head(self, name: str) -> str:
        return f"<{self.envelope}>" if name == "Envelope" else str(self.email[name])

    def _part(self, kind: str) -> str:
        body = self.email.get_body((kind,))
        return str(body.get_content()) if body else ""

    def __str__(self) -> str:
        shown = self._part("plain").splitlines()[:MOST_SHOWN]
        return "\n".join((f"{self.kind} to {self.to}: {self.email['Subject']}", *shown))


def sent(envelope: str, to: str, raw: bytes) -> Sent:
    """Read an email that was delivered. It must be as every email is (emails, section 6)."""
    email = message_from_bytes(raw, policy=policy.default)
    assert isinstance(email, EmailMessage)
    one = Sent(envelope, to, email)
    addresses = [address.addr_spec for address in email["To"].addresses]
    assert addresses == [to], f"to {addresses}, handed over to {to}"
    assert email["Cc"] is None, one
    assert email["Bcc"] is None, one
    assert envelope == "" or envelope.startswith("adjud+bounce."), one
    assert email["Auto-Submitted"] in ("auto-generated", "auto-replied"), one
    assert email["X-Auto-Response-Suppress"] == "All", one
    body = email.get_body(("plain",))
    assert body is not None, one
    assert one.kind != "report" or email.get_body(("html",)) is not None, one
    # Only what is for a program is longer, and has no blank at which a mail program could break it.
    lines = [line for line in body.get_content().splitlines() if " " in line.strip()]
    assert max(map(len, lines)) <= NARROW, one
    return one


def folded(text: str) -> str:
    return " ".join(text.split())


def says(one: Sent, lines: Sequence[str], *, in_full: bool) -> None:
    """Compare an email with the lines of an ANSWER. Raises AssertionError if it says otherwise."""
    text, at = one.text, 0
    in_order: list[str] = []
    for number, line in enumerate(lines):
        if head := _HEAD.fullmatch(line):
            assert one.head(head[1]) == head[2], f"{head[1]} is {one.head(head[1])}\n{one}"
        elif line.startswith("not "):
            assert line[4:] not in one.everything, f"{line[4:]!r} stands in it\n{one}"
        elif counted := _COUNT.fullmatch(line):
            times = text.count(counted[3])
            assert times == int(counted[2] or 1), f"{counted[3]!r}: {times} times\n{one}"
        elif line.startswith("begins "):
            assert text.startswith(line[7:]), f"it does not begin {line[7:]!r}\n{one}"
        elif short := re.fullmatch(r"shorter than (\d+) signs", line):
            assert len(text) < int(short[1]), f"{len(text)} signs\n{one}"
        elif line.startswith("ends "):
            end = folded(" ".join(lines[number:]))[5:]
            said = _PROOFS.split(text)[0]
            assert said.endswith(end), f"it does not end {end!r}\n{one}"
            break
        else:
            in_order.append(folded(line))
            found = text.find(in_order[-1], at)
            assert found >= 0, f"{line!r} does not stand in it, or stands before\n{one}"
            at = found + len(in_order[-1])
    if in_full:
        assert text == " ".join(in_order), f"it says\n{text}"
