"""Write a match by mail as a text for people: every email, and what the operator saw."""

import re
import shlex
from collections.abc import Iterator, Sequence
from email.message import EmailMessage
from itertools import groupby
from pathlib import Path

from tests.mail.person import kind_of, parsed

SHOWN = (
    "From", "To", "Reply-To", "Subject", "Date", "Message-ID", "In-Reply-To", "User-Agent",
    "Auto-Submitted", "X-Adjud",
)  # fmt: skip
QUOTED = 3  # lines of a quotation that are shown
WHOLE = 2  # reports that are shown whole
BOARD = re.compile(r"\n+Enemy pieces are in brackets")  # up to here the others are


class Transcript:
    """The text, collected while the match is played.

    Nothing in it is made up: times, ids and addresses are as they were, only long texts are cut
    short. `folder` is shown under the manual's name.
    """

    def __init__(self, preface: str, folder: Path) -> None:
        self._text = [preface.strip()]
        self._folder = str(folder)
        self._reports = 0
        self.brief = False  # of an email the Subject only

    def step(self, title: str, told: str = "") -> None:
        self._text.append(f"## {title}")
        if told:
            self._text.append(told)

    def says(self, told: str) -> None:
        self._text.append(told)

    def email(self, who: str, raw: bytes) -> None:
        email = parsed(raw)
        if self.brief:
            self._text.append(f"*{who}:* {email['Subject']}")
            return
        self._reports += kind_of(email) == "report"
        is_last = any(told in email["Subject"] for told in ("You win, in", "The match is over"))
        whole = self._reports <= WHOLE or is_last
        self._text.append(f"*{who}:*\n\n{_fenced(_shown(email, whole=whole))}")

    def screen(self, typed: Sequence[str], printed: str) -> None:
        self._text.append(_fenced(f"$ {shlex.join(typed)}\n{printed}", "console"))

    def log(self, lines: list[str]) -> None:
        """Add what the mail server wrote."""
        self._text.append(_fenced("\n".join(lines)))

    @property
    def text(self) -> str:
        return ("\n\n".join(self._text) + "\n").replace(self._folder, "/var/lib/adjud")


def steps(text: str) -> list[str]:
    """Return the headings of a transcript."""
    return re.findall(r"(?m)^## (.*)$", text)


def _fenced(text: str, kind: str = "text") -> str:
    return f"~~~{kind}\n{text.rstrip()}\n~~~"


def _shown(email: EmailMessage, *, whole: bool) -> str:
    head = [f"{name}: {email[name]}" for name in SHOWN if email[name]]
    body = email.get_body(("plain",))
    text = str(body.get_content()).replace("\r\n", "\n") if body else ""
    if not whole and (cut := BOARD.search(text)):
        left_out = text.count("\n", cut.end())
        text = f"{text[: cut.start()]}\n[{left_out} more lines]\n"
    return "\n".join([*head, "", *_shortened(text.splitlines()), "", *_others(email, body)])


def _shortened(lines: Sequence[str]) -> Iterator[str]:
    """Yield the first lines of each quotation, and a sheet that was filled in inside it."""
    for is_quoted, group in groupby(lines, lambda line: line.startswith(">")):
        run = list(group)
        if not is_quoted or len(run) <= QUOTED:
            yield from run
            continue
        yield from run[:QUOTED]
        sheet = _sheet(run)
        yield f"> [{len(run) - QUOTED - len(sheet)} more lines of the email that is answered]"
        yield from sheet


def _sheet(quoted: Sequence[str]) -> Sequence[str]:
    begin = next((n for n, line in enumerate(quoted) if line.startswith("> ORDERS")), None)
    is_filled = begin is not None and not any("> .." in line for line in quoted)
    return quoted[begin:] if is_filled else []


def _others(email: EmailMessage, body: object) -> Iterator[str]:
    """Yield a line for each other part."""
    for part in email.walk():
        content = part.get_payload(decode=True)
        if part is not body and isinstance(content, bytes):
            name = part.get_filename() or "shown in place of the text"
            yield f"[{part.get_content_type()}, {len(content)} octets: {name}]"
