"""Read every email of emails, section 9, and compare what must become of it; nothing raises."""

import base64
import json
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicator.core.orders import clean
from adjudicator.core.sheets import RawSheet, read_sheets
from adjudicator.mail.read.email import DEFAULT, Email, Limits, passes, read
from tests.scale import examples

EMAILS = Path(__file__).parent / "emails"
NAMES = sorted(path.stem for path in EMAILS.glob("*.eml"))
CLUB = "adjud@play.example.org"
SERVER = "mx.play.example.org"
BOUND = 5.0  # seconds of processor time, on a slow machine

HEAD = b"From: bob@example.net\nSubject: x\nContent-Type: text/plain; charset=utf-8\n"
FRAME = "ORDERS espionage-17 white turn 12\nd3-d4\nf3-f4\nEND\n"
SHEET = ["ORDERS espionage-17 white turn 12", "d3-d4", "f3-f4"]


def raw(name: str) -> bytes:
    return (EMAILS / f"{name}.eml").read_bytes()


def wanted(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((EMAILS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def said(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def sheet(email: Email) -> list[str] | None:
    """Return the lines of the frames, as the order parser gets them."""
    if email.texts.sheet is None:
        return None
    found = []
    for one in read_sheets(email.texts.sheet).sheets:
        lines = [one.line, *one.body, *(command.line for command in one.commands)]
        found += [text for line in lines if (text := clean(line.text))]
    return found


SAID: dict[str, Callable[[Email], Any]] = {
    "sheet": sheet,
    "problems": lambda email: sum(
        len(one.problems) for one in read_sheets(email.texts.sheet or "").sheets
    ),
    "bare": lambda email: said(email.texts.bare),
    "left_out": lambda email: said(email.texts.left_out),
    "quoted": lambda email: email.texts.quoted,
    "attached": lambda email: email.texts.attached,
    "ambiguous": lambda email: email.texts.ambiguous,
    "html_only": lambda email: email.texts.html_only,
    "files": lambda email: [one.name for one in email.files],
    "date": lambda email: email.date and email.date.isoformat().replace("+00:00", "Z"),
    "bounce": lambda email: msgspec.to_builtins(email.bounce),
    "hard": lambda email: email.bounce is not None and email.bounce.is_hard,
    "passes": lambda email: passes(email, SERVER),
}


def shown(email: Email, key: str) -> Any:
    own = SAID.get(key)
    return own(email) if own else json.loads(msgspec.json.encode(getattr(email, key)))


def stored_and_as_sent() -> Iterator[tuple[str, str]]:
    """Yield each email as it is stored and, unless its line ends are the point, with CR LF."""
    for name in NAMES:
        yield name, "as stored"
        if not wanted(name).get("as_stored"):
            yield name, "CR LF"


@pytest.mark.parametrize(("name", "line_end"), list(stored_and_as_sent()))
def test_an_email_becomes_what_it_must(name: str, line_end: str) -> None:
    want = wanted(name)
    octets = raw(name)
    if line_end == "CR LF":
        octets = octets.replace(b"\n", b"\r\n")
    email = read(octets)
    want.pop("as_stored", None)
    assert {key: shown(email, key) for key in want} == want


def test_every_email_says_what_must_become_of_it() -> None:
    assert {path.stem for path in EMAILS.glob("*.json")} == set(NAMES)
    assert len(NAMES) > 150


MICROSOFT = (
    "Authentication-Results: spf=pass smtp.mailfrom=example.net; dkim=pass header.d=example.net;"
    "dmarc=pass header.from=example.net"
)
OURS, BORDER = "Received: by ours.prod.outlook.com; x", "Received: from x by mx.outlook.com; x"
THEIRS = "Received: from a by mx.evil.example (by mx.outlook.com); x"
NAMED = "Authentication-Results: mx.evil.example; dmarc=pass header.from=example.net"
FAILED = "Authentication-Results: spf=fail smtp.mailfrom=example.net"


def nameless(*head: str, hosts: str = "outlook.com") -> bool:
    octets = "\n".join([*head, "From: bob@example.net", "", "x"]).encode()
    return passes(read(octets), "none", hosts)


@pytest.mark.parametrize(
    "head", [(MICROSOFT, BORDER), (OURS, MICROSOFT, BORDER), (OURS, OURS, MICROSOFT), (MICROSOFT,)]
)
def test_a_server_without_a_name_is_believed_below_its_own_received(head: tuple[str, ...]) -> None:
    assert nameless(*head)
    assert nameless(*head, hosts="") == (head[0] == MICROSOFT)
    assert not passes(read("\n".join([*head, "From: bob@example.net", "", "x"]).encode()), "")


@pytest.mark.parametrize(
    "head",
    [
        (OURS, THEIRS, MICROSOFT),
        (OURS, FAILED, BORDER, MICROSOFT),
        (FAILED, MICROSOFT),
        (OURS, NAMED, MICROSOFT),
        (OURS, NAMED),
        ("Received: from by.outlook.com; x", MICROSOFT),
        ("Received: by mx.notoutlook.com; x", MICROSOFT),
        ("Received: by outlook.com.evil.example; x", MICROSOFT),
        ("Received: (by mx.outlook.com) by mx.evil.example; x", MICROSOFT),
        (OURS, "Authentication-Results: none", MICROSOFT),
    ],
)
def test_a_forger_cannot_speak_for_a_server_without_a_name(head: tuple[str, ...]) -> None:
    assert not nameless(*head)


def test_a_sheet_keeps_the_line_numbers_of_the_body() -> None:
    email = read(raw("reply_thunderbird_bottom_frame"))
    body = raw("reply_thunderbird_bottom_frame").decode().partition("\n\n")[2].split("\n")
    (one,) = read_sheets(email.texts.sheet or "").sheets
    assert body[one.line.number - 1] == one.line.text


def test_a_bare_line_beside_a_quoted_sheet_is_named_among_the_ignored() -> None:
    email = read(raw("reply_bare_and_quoted_frame"))
    assert [line.text for line in read_sheets(email.texts.sheet or "").ignored] == ["d3-d5"]


def test_no_server_without_a_name_vouches() -> None:
    assert not passes(read(raw("auth_microsoft")), "")
    assert not passes(read(raw("auth_dmarc")), "")


# Emails too big to be kept as files: (octets, lines of the sheet, defects).


def _nested(depth: int) -> bytes:
    opening = b"".join(
        b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (i, i) for i in range(depth)
    )
    return b"From: bob@example.net\n" + opening + b"Content-Type: text/plain\n\n" + FRAME.encode()


def _many(parts: int) -> bytes:
    one = b"--b\nContent-Type: text/plain\n\n" + b"x\n"
    return HEAD.replace(b"text/plain", b"multipart/mixed; boundary=b") + b"\n" + one * parts


BIG: dict[str, tuple[bytes, list[str] | None, list[str] | None]] = {
    "10 MB": (
        HEAD + b"\n" + FRAME.encode() + b"x" * 10_000_000,
        SHEET,
        ["truncated", "body too long"],
    ),
    "10 MB in base64": (
        HEAD
        + b"Content-Transfer-Encoding: base64\n\n"
        + base64.encodebytes(FRAME.encode() + b"\n" * 10_000_000),
        SHEET,
        ["truncated", "body too long"],
    ),
    "10 MB of head": (HEAD + b"X: " + b"y" * 10_000_000, None, ["truncated"]),
    "2,000 nested parts": (_nested(2_000), None, ["too deep"]),
    "nine nested parts": (_nested(9), SHEET, []),
    "2,000 parts": (_many(2_000), None, ["too many parts"]),
    "a 100,000-octet line": (
        HEAD + b"\n" + FRAME.encode() + b"a" * 100_000,
        SHEET,
        ["body too long"],
    ),
    "a 50,000-octet line": (HEAD + b"\n" + b"On 1 " * 10_000 + b"\n" + FRAME.encode(), SHEET, []),
    "20,000 newlines": (HEAD + b"\n" + b"\n" * 20_000 + FRAME.encode(), SHEET, []),
    "20,000 newlines and bare lines": (HEAD + b"\n" + b"\n" * 20_000 + b"d3-d4\n", None, []),
    "8,000 On": (HEAD + b"\n" + b"On 1\n" * 8_000, None, []),
    "9,000 On wrote": (HEAD + b"\n" + b"On 1 wrote " * 5_000, None, []),
    "30,000 From": (HEAD + b"\n" + b"From: a\n" * 8_000, None, []),
    "10,000 heads": (HEAD + b"\n" + b"ORDERS a\n" * 7_000, None, []),
    "flowed without end": (
        HEAD.replace(b"utf-8", b"utf-8; format=flowed") + b"\n" + b"a \n" * 80_000,
        None,
        ["body too long"],
    ),
    "nested HTML": (
        HEAD.replace(b"plain", b"html") + b"\n" + b"<div>" * 50_000,
        None,
        ["too much formatting"],
    ),
    "comments in HTML": (HEAD.replace(b"plain", b"html") + b"\n" + b"<!--" * 50_000, None, None),
    "blockquotes": (
        HEAD.replace(b"plain", b"html") + b"\n" + b"<blockquote>a" * 9_000,
        None,
        ["too much formatting"],
    ),
    "attributes": (
        HEAD.replace(b"plain", b"html")
        + b"\n<p "
        + b" ".join(b"a%d" % n for n in range(35_000))
        + b">x",
        None,
        ["too much formatting"],
    ),
    "attributes behind a quote that is none": (
        HEAD.replace(b"plain", b"html")
        + b'\n<p b=c=" '
        + b" ".join(b"a%d" % n for n in range(35_000))
        + b'">x',
        None,
        ["too much formatting"],
    ),
    "recipients without an at": (b"To: " + b"a" * 3_990 + b"\n", None, None),
    "many recipients without an at": ((b"To: " + b"a" * 3_990 + b"\n") * 60 + HEAD, None, []),
    "11,000 lines": (HEAD + b"\n" + b"hello\n" * 10_900, None, ["body too long"]),
    "attachments that are too long together": (
        HEAD.replace(b"text/plain", b"multipart/mixed; boundary=b")
        + b"\n"
        + b"--b\nContent-Disposition: attachment\n\nORDERS a\n%s\n" % (b"a" * 30_000) * 3,
        None,
        ["body too long"],
    ),
    "parameters of parts": (
        HEAD.replace(b"text/plain", b"multipart/mixed; boundary=b")
        + b"\n"
        + b"--b\nContent-Type: text/plain%s\n\n" % (b";" * 4_000) * 49,
        None,
        [],
    ),
    "40,000 headers": (b"X: y\n" * 40_000 + HEAD + b"\n" + FRAME.encode(), SHEET, []),
    "semicolons": (
        HEAD.replace(b"utf-8", b'"' + b";" * 100_000) + b"\n" + FRAME.encode(),
        SHEET,
        [],
    ),
    "encoded words": (b"Subject: " + b"=?a?q?x " * 10_000 + b"\n" + HEAD + b"\n", None, []),
    "brackets": (b"To: " + b"(" * 100_000 + b"\n" + HEAD + b"\n", None, []),
    "ids": (b"References: " + b"<a@b> " * 40_000 + b"\n" + HEAD + b"\n", None, []),
    "many addresses of ours": (HEAD + b"\n" + f"a {CLUB}:\n".encode() * 1_800, None, []),
    "heads of ours": (HEAD + b"\n" + f"a: {CLUB}\n".encode() * 1_800, None, []),
    "rules above an address of ours": (
        HEAD + b"\n" + b"--- a ---\n" * 6_000 + CLUB.encode(),
        None,
        [],
    ),
    "heads with signs": (HEAD + b"\n" + b"ORDERS: m, white, turn #1,\n" * 1_900, None, []),
    "one head with signs": (HEAD + b"\nORDERS " + b"turn #1, " * 6_000, None, []),
    "stars": (HEAD + b"\n" + b"*a" * 30_000, None, []),
    "arrows": (HEAD + b"\n" + "a1 » ".encode() * 10_000, None, []),
    "pictures": (HEAD + b"\n" + "👍".encode() * 40_000, None, []),
    "fonts": (
        HEAD.replace(b"plain", b"html") + b"\n<p style='" + b"font:1pt\"," * 15_000 + b"'>x",
        None,
        [],
    ),
    "signed and signed": (
        b"Content-Type: application/pkcs7-mime\n\n" + b"\x30\x80" * 100_000,
        None,
        ["encrypted"],
    ),
    "a text beside HTML": (
        HEAD.replace(b"text/plain", b"multipart/alternative; boundary=b")
        + b"\n--b\n\n"
        + b"hello\n" * 5_000
        + b"--b\nContent-Type: text/html\n\n"
        + b"<p>d3-d4" * 2_900,
        None,
        [],
    ),
    "combining marks": (
        HEAD + b"\n" + ("a" + "\u0316\u0300" * 30_000 + "\n" + FRAME).encode(),
        SHEET,
        [],
    ),
    "angles": (b"References: " + b"<" * 200_000 + b"\n" + HEAD + b"\n", None, []),
    "boundaries": (
        HEAD.replace(b"text/plain", b"multipart/mixed; boundary=-") + b"\n" + b"-" * 200_000,
        None,
        None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BIG)
@pytest.mark.slow
def test_a_big_email_is_bounded(name: str) -> None:
    octets, frames, defects = BIG[name]
    begun = time.process_time()
    email = read(octets, ours=CLUB)
    assert time.process_time() - begun < BOUND
    if frames is not None:
        assert sheet(email) == frames
    if defects is not None:
        assert sorted(email.defects) == sorted(defects)
    assert_bounded(email)


def assert_bounded(email: Email, limits: Limits = DEFAULT) -> None:
    assert len(msgspec.json.encode(email)) < 40 * limits.octets
    assert len(email.subject) <= 200
    assert email.subject.isprintable()
    assert max(len(email.references), len(email.addressed)) <= 50
    assert email.sender is None or email.sender.count("@") == 1
    assert (email.sender is None) == (email.sender_defect is not None)
    assert email.date is None or email.date.utcoffset() == datetime.resolution * 0
    for text in (email.texts.sheet or "", email.texts.bare):
        assert len(text) <= 2 * limits.text
        assert "\0" not in text


def assert_read_as_its_text(email: Email) -> None:
    """The sheets handed on are those that would be read in the text that is kept."""
    again = read_sheets(email.texts.sheet or "")
    handed_on = email.texts.reading
    assert [told(one) for one in handed_on.sheets] == [told(one) for one in again.sheets]
    assert [line.text for line in handed_on.ignored] == [line.text for line in again.ignored]
    if not email.texts.attached:
        assert [one.line for one in handed_on.sheets] == [one.line for one in again.sheets]
        assert handed_on.ignored == again.ignored


def told(sheet: RawSheet) -> tuple[object, ...]:
    lines = [line.text for line in sheet.body if clean(line.text)]
    commands = [one.word for one in sheet.commands]
    return sheet.head, lines, commands, [one.message for one in sheet.problems]


REPORT = "Espionage m, Turn 1\n\nORDERS m white turn 1\n..-..\n..-..\nEND\n"


@pytest.mark.parametrize(
    "below",
    [
        "Sent with Proton Mail secure email.",
        "Sent from Gmail Mobile",
        "Sent via Spark",
        "Sendt fra E-post for Windows",
        "Sendt fra Yahoo Mail på Android",
        "Skickat från E-post för Windows 10",
        "Skickat från Yahoo Mail på Android",
        "Gesendet mit der GMX Mail App",
        "Skaff deg Outlook for iOS<https://aka.ms/o0ukef>",
        "Få Outlook til iOS<https://aka.ms/o0ukef>",
        "Get BlueMail for Android",
        "Virus-free.www.avast.com",
        "Virusfritt.www.avast.com",
        f"  On Mon, Nov 23, 2026 at 15:00, adjud<a@play.example.org> wrote:   {REPORT}",
        f"    Den mån, nov. 23, 2026 på 15:00, adjud<a@play.example.org> skrev:   {REPORT}",
    ],
)
def test_what_a_program_writes_below_is_not_the_senders(below: str) -> None:
    email = read(HEAD + f"\nd3-d4\nf3-f4\n\n{below}\n".encode())
    assert said(email.texts.bare) == ["d3-d4", "f3-f4"]
    assert sheet(email) is None


@pytest.mark.parametrize("name", NAMES)
def test_a_sheet_is_handed_on_as_it_would_be_read_again(name: str) -> None:
    assert_read_as_its_text(read(raw(name)))


CUTS = st.tuples(st.integers(0, 5_000), st.integers(0, 40), st.binary(max_size=20))
TROUBLE = st.sampled_from(
    [b"\n", b"\r", b"\0", b"\xff", b'"', b"<", b"(", b"=?", b"?=", b"\n\n", b"> ", b"\nFrom: a@b",
     b"--b1\n", b"\nContent-Type: text/html", b"charset=utf-7", b"ORDERS", b"\n--- a ---\n",
     b" <adjud@play.example.org>:\n", b"\nVon: adjud@play.example.org\nDato: 1.1.2026 10:00\n",
     b": turn #1,", b"\nEND.\n", b"\nEND\n", b"@", b";"]
)  # fmt: skip


@pytest.mark.slow
@examples(400)
@given(name=st.sampled_from(NAMES), cuts=st.lists(CUTS, max_size=6), trouble=st.lists(TROUBLE))
def test_a_mutated_email_raises_nothing(
    name: str, cuts: list[tuple[int, int, bytes]], trouble: list[bytes]
) -> None:
    octets = raw(name)
    pieces = [*trouble, *(new for *_, new in cuts)]
    for (at, length, new), piece in zip(cuts, pieces, strict=False):
        at %= len(octets) + 1
        octets = octets[:at] + new + piece + octets[at + length :]
    email = read(octets, ours=CLUB)
    passes(email, SERVER)
    assert_bounded(email)
    assert (email.texts.sheet is None) == (not email.texts.reading.sheets)
    assert_read_as_its_text(email)


@pytest.mark.slow
@examples(200)
@given(st.binary(max_size=2_000))
def test_any_octets_are_an_email(octets: bytes) -> None:
    assert_bounded(read(octets))


@examples(200)
@given(
    name=st.sampled_from(["From", "To", "Subject", "Date", "Message-ID", "Content-Type", "Received",
                          "Content-Disposition", "Authentication-Results", "Auto-Submitted"]),
    value=st.text(alphabet='"<>()[]@,;:=?\\/*\'. \t%a1qbé\u202e\ud800\0', max_size=60),
)  # fmt: skip
def test_any_header_is_read(name: str, value: str) -> None:
    octets = f"{name}: {value}\n\n{FRAME}".encode("utf-8", "surrogatepass")
    email = read(octets, ours=CLUB)
    passes(email, SERVER)
    assert_bounded(email)


@examples(200)
@given(st.lists(st.sampled_from(
    ["d3-d4", "- a1 a3", "From: b2 TO b4", "To: b5", "On b2 to b4", "1. d3-d4", "b2 wrote b4",
     "general d3-d4", "--d3-d4", "*d3-d4", "_d3-d4_", "Den d3-d4"]
), min_size=1, max_size=12))  # fmt: skip
def test_no_line_that_may_be_an_order_is_lost(lines: list[str]) -> None:
    """Whatever follows what, it is read, in a frame or bare, with a signature and a quote behind
    it."""
    if {"From: b2 TO b4", "To: b5"} <= set(lines):
        lines = [line for line in lines if line != "To: b5"]
    quote = "\n-- \nBob\n\nOn Fri, 14 Aug 2026, adjud wrote:\n> d9-d8\n"
    bare = read(HEAD + b"\n" + ("\n".join(lines) + quote).encode())
    assert said(bare.texts.bare) == lines
    framed = read(HEAD + b"\n" + ("ORDERS x\n" + "\n".join(lines) + "\nEND\n" + quote).encode())
    assert sheet(framed) == ["ORDERS x", *map(clean, lines)]
