import os
import subprocess
import sys
from base64 import b64decode
from datetime import datetime, timedelta, timezone
from email import policy
from email.headerregistry import AddressHeader
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicator.core.email_kinds import KINDS
from adjudicator.core.message import LANGUAGES, tell
from adjudicator.mail.address import bounce_address
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import compose, envelope_from, thread_index
from adjudicator.reports.words import short, words
from tests.mail.emails_out import MATCH, NOW, PAGE, POST, SUBJECTS, TEXT, outgoing, png

GOLDEN = Path(__file__).parent / "golden"
HOSTILE = "Eve\r\nBcc: eve@evil.example\r\n\r\nbody\x00\u2028X: y\u202e\x1b[31m"


def parsed(raw: bytes) -> EmailMessage:
    return BytesParser(policy=policy.default).parsebytes(raw)


def read(raw: bytes) -> EmailMessage:
    """Parse the bytes with the stdlib, which must find nothing wrong in them."""
    email = parsed(raw)
    assert not [part.defects for part in email.walk() if part.defects]
    assert not [value.defects for value in email.values() if value.defects]
    return email


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_as_it_was_read_and_kept(kind: str, request: pytest.FixtureRequest) -> None:
    raw, golden = compose(outgoing(kind)), GOLDEN / f"{kind}.eml"
    if request.config.getoption("--bless"):
        golden.write_bytes(raw)
    assert raw == golden.read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_an_email_comes_back_whole(kind: str) -> None:
    email = read(compose(outgoing(kind)))
    assert email["Subject"] == str(SUBJECTS[kind])
    assert email["Date"].datetime == NOW
    body = email.get_body(("plain",))
    assert body is not None
    assert body.get_content().replace("\r\n", "\n") == TEXT


@pytest.mark.parametrize("kind", KINDS)
def test_an_email_has_one_recipient_and_comes_home_to_its_seat(kind: str) -> None:
    email = read(compose(outgoing(kind)))
    assert email.get_all("To") == ["Anna <anna@example.org>"]
    assert not set(email.keys()) & {"Cc", "Bcc", "Sender", "Return-Path"}
    reply_to: AddressHeader = email["Reply-To"]
    assert [one.addr_spec for one in reply_to.addresses] == [outgoing(kind).reply_to]
    assert sorted(email.keys()) == sorted(set(email.keys()))


@pytest.mark.parametrize("kind", KINDS)
def test_robots_are_told_not_to_answer(kind: str) -> None:
    email = read(compose(outgoing(kind)))
    replied = "auto-replied" if kind in {"receipt", "refusal"} else "auto-generated"
    assert email["Auto-Submitted"] == replied
    assert email["X-Auto-Response-Suppress"] == "All"
    assert email["X-Adjud"] == kind
    assert email["List-Id"] == "<espionage-17.play.example.org>"


def test_nobody_answers_a_receipt_and_bounces_of_the_others_find_their_email() -> None:
    senders = {kind: envelope_from(POST, kind, "espionage-17/12/white/x") for kind in KINDS}
    assert senders.pop("receipt") == senders.pop("refusal") == ""
    assert set(senders.values()) == {bounce_address(POST, "espionage-17/12/white/x")}


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_email_is_the_same_bytes_in_another_process(kind: str) -> None:
    raw = compose(outgoing(kind))
    assert compose(outgoing(kind)) == raw
    code = (
        "import sys; from tests.mail.emails_out import outgoing;"
        "from adjudicator.mail.write.compose import compose;"
        f"sys.stdout.buffer.write(compose(outgoing({kind!r})))"
    )
    path = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[2])])
    env = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
    assert done.stdout == raw


def test_an_emails_parts_are_told_apart_by_nothing_that_counts_emails() -> None:
    raw = compose(outgoing("report"))
    assert b"4711" not in raw


def test_a_report_is_text_then_html_with_its_picture_and_the_whole_page() -> None:
    email = read(compose(outgoing("report")))
    kinds = [part.get_content_type() for part in email.walk()]
    assert kinds == [
        "multipart/mixed", "multipart/alternative", "text/plain",
        "multipart/related", "text/html", "image/png", "application/octet-stream",
    ]  # fmt: skip
    parts = [part for part in email.walk() if isinstance(part, EmailMessage)]
    related, html, picture, page = parts[3:]
    assert related.get_param("type") == "text/html"
    assert f'src="cid:{picture["Content-ID"].strip("<>")}"' in html.get_content()
    assert picture.get_content() == png()
    assert page.get_filename() == "espionage-17-turn-12-white.html"
    assert page.get_content().decode().replace("\r\n", "\n") == PAGE


def test_html_that_would_be_cut_off_is_left_to_the_page() -> None:
    long = PAGE.replace("</p>", f"{'x' * 100_000}</p>")
    email = read(compose(outgoing("report", html=long, page=long)))
    kinds = [part.get_content_type() for part in email.iter_parts()]
    assert kinds == ["text/plain", "application/octet-stream"]


def test_an_email_without_html_is_one_part() -> None:
    email = read(compose(outgoing("receipt")))
    assert email.get_content_type() == "text/plain"


@pytest.mark.parametrize("kind", KINDS)
def test_lines_are_short_and_ascii_and_end_in_crlf(kind: str) -> None:
    raw = compose(outgoing(kind))
    raw.decode("ascii")
    assert raw.count(b"\n") == raw.count(b"\r") == raw.count(b"\r\n")
    assert raw.endswith(b"\r\n")
    links = (b"List-Help: <", b"List-Unsubscribe: <")  # a link is never cut (RFC 2369)
    lines = [line for line in raw.split(b"\r\n") if not line.startswith(links)]
    assert max(map(len, lines)) <= 78


def test_an_id_is_never_cut_even_where_the_line_gets_long() -> None:
    """The stdlib makes encoded words of a long id, which no mail program can match."""
    long = f"<{'a' * 60}.{'b' * 60}@play.example.org>"
    raw = compose(outgoing("report", message_id=long, in_reply_to=long, references=[long] * 3))
    assert f"Message-ID: {long}\r\n".encode() in raw
    assert f"In-Reply-To: {long}\r\n".encode() in raw
    assert f"References: {long}\r\n {long}\r\n {long}\r\n".encode() in raw
    assert max(map(len, raw.split(b"\r\n"))) <= 998


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=400))
def test_any_text_makes_an_email_with_the_same_headers(name: str, subject: str, text: str) -> None:
    raw = compose(outgoing("notice", to_name=name, subject=subject, text=text))
    raw.decode("ascii")
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    email = parsed(raw)
    usual = parsed(compose(outgoing("notice"))).keys()
    assert set(email.keys()) | {"Subject"} == set(usual)
    assert [one.addr_spec for one in email["To"].addresses] == ["anna@example.org"]


def test_a_line_break_in_a_name_starts_no_header() -> None:
    hostile = outgoing(
        "report", to_name=HOSTILE, sender_name=HOSTILE, subject=HOSTILE, text=HOSTILE,
        list_id=HOSTILE, page_name=f"../{HOSTILE}", in_reply_to=HOSTILE, references=[HOSTILE],
    )  # fmt: skip
    email = parsed(compose(hostile))
    assert not set(email.keys()) & {"Bcc", "X", "In-Reply-To", "References"}
    assert email["Subject"] == "Eve Bcc: eve@evil.example body X: y [31m"
    assert [one.addr_spec for one in email["To"].addresses] == ["anna@example.org"]
    names = [part.get_filename() for part in email.walk() if part.get_filename()]
    assert names == ["board.png", "Eve-Bcc-eve-evil.example-body-X-y-31m"]


def test_an_encoded_word_in_a_name_stays_what_it_is() -> None:
    name = "=?utf-8?q?=0D=0ABcc=3A_eve?="
    email = parsed(compose(outgoing("notice", to_name=name, subject=name)))
    assert email["Subject"] == name
    assert email["To"].addresses[0].display_name == name


@pytest.mark.parametrize(
    "name", ['A "quoted" \\ name', "Åse, den lange; <x@y>", "O'Neill (c)", "山"]
)
def test_a_name_of_any_kind_comes_back(name: str) -> None:
    email = read(compose(outgoing("notice", to_name=name, subject=name)))
    assert email["To"].addresses[0].display_name == name
    assert email["Subject"] == name


@pytest.mark.parametrize("address", [
    "a@b.example, c@d.example", "a@b.example\r\nBcc: c@d.example", "", "a", "<a@b.example>",
    "a b@c.example", "å@b.example", "a@b.example c", "@b.example", "a@", f"{'a' * 65}@b.example",
])  # fmt: skip
def test_what_is_not_one_mailbox_is_written_to_by_nobody(address: str) -> None:
    for field in ("to", "sender", "reply_to"):
        if address or field != "reply_to":
            with pytest.raises(ValueError, match="not the address of one mailbox"):
                compose(outgoing("notice", **{field: address}))


def test_ids_of_players_that_are_none_thread_nothing() -> None:
    ids = ["<a b@c>", "a@b", "<>", "<[x].1c69@[y]>", "<ä@b>", "<a>b>", "<" + "a" * 300 + "@b>"]
    email = parsed(compose(outgoing("receipt", references=ids, in_reply_to=ids[0])))
    assert email["In-Reply-To"] is None
    assert email["References"] == "<[x].1c69@[y]>"


def test_a_long_thread_keeps_its_first_and_its_last_emails() -> None:
    email = read(compose(outgoing("report", references=[f"<{n}@x>" for n in range(50)])))
    kept = email["References"].split()
    assert kept == ["<0@x>", *(f"<{n}@x>" for n in range(31, 50))]


def test_a_date_is_the_same_moment_in_utc() -> None:
    oslo = NOW.astimezone(timezone(timedelta(hours=1)))
    assert compose(outgoing("notice", date=oslo)) == compose(outgoing("notice"))
    with pytest.raises(ValueError, match="has a zone"):
        compose(outgoing("notice", date=datetime(2026, 11, 21)))  # noqa: DTZ001


def test_control_characters_do_not_stand_in_a_body() -> None:
    email = read(compose(outgoing("press", text="a\x00b\x1b[31m\x7f\u202ec\rd\r\ne\tf\ud800g")))
    assert email.get_content().replace("\r\n", "\n") == "ab[31mc\nd\ne\tfg\n"


def test_subjects_are_as_the_dialog_has_them() -> None:
    told = [tell(subject) for subject in (
        subjects.orders_due(MATCH, 12, due="Fri 14 Aug 18:00")[0],
        subjects.orders_due(MATCH, 12)[0],
        subjects.orders_due(MATCH, 0, set_up=True)[0],
        subjects.report(MATCH, 12),
        subjects.report(MATCH, 40, over=True),
        subjects.receipt(MATCH, 12, 3),
        subjects.receipt(MATCH, 12, None),
        subjects.receipt(MATCH, 12, 1),
        subjects.correct(MATCH, 12, 2),
        subjects.no_orders(MATCH, 12),
        subjects.of_command("HELP", MATCH),
        subjects.question(MATCH),
        subjects.to_game_master(MATCH, "Gerda", asks=True),
        subjects.message_sent(MATCH, "White"),
        subjects.resign(MATCH),
        subjects.match_end(MATCH, 21, wins=True),
        subjects.match_end(MATCH, 1, wins=False),
        subjects.asks_for_rematch("Tom"),
        subjects.invites("Anna", "Spion"),
        subjects.begins("Spion", "Anna"),
        subjects.offer_declined(),
        subjects.away("8 Dec"),
        subjects.of_command("PREFS"),
        subjects.confirm(),
        subjects.confirm(MATCH),
        subjects.alert(),
    )]  # fmt: skip
    assert told == [
        "[espionage-17] Turn 12: your move, due Fri 14 Aug 18:00",
        "[espionage-17] Turn 12: your move",
        "[espionage-17] Turn 0: your set-up",
        "[espionage-17] Turn 12: report",
        "[espionage-17] Turn 40: final report",
        "[espionage-17] Turn 12: your orders are in, changed",
        "[espionage-17] Turn 12: no current orders",
        "[espionage-17] Turn 12: your orders are in",
        "[espionage-17] Turn 12: please correct line 2",
        "[espionage-17] Turn 12: no orders understood",
        "[espionage-17] How to write orders",
        "[espionage-17] Your question",
        "[espionage-17] Your question went to Gerda",
        "[espionage-17] Your message to White was sent",
        "[espionage-17] Really resign? Please confirm",
        "[espionage-17] You win, in 21 turns",
        "[espionage-17] The match is over, after 1 turn",
        "Tom asks for a rematch",
        "Anna invites you to play Spion",
        "Welcome: Spion with Anna begins",
        "[adjud] You said no",
        "[adjud] Away until 8 Dec",
        "[adjud] Your settings",
        "[adjud] Was it you? Please confirm your address",
        "[espionage-17] Please confirm",
        "[adjud] Something needs your attention",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("turn", [0, 7, 999])
def test_a_subject_that_wants_something_says_so_and_until_when_in_78_characters(
    language: str, turn: int
) -> None:
    name = "x" * 24  # the longest name of a match
    latest = max(
        (
            short(f"2026-{month:02}-{day}T18:00:00Z", language, "UTC")
            for month in range(1, 13)
            for day in range(20, 27)
        ),
        key=len,
    )
    due = subjects.orders_due(name, turn, set_up=turn == 0, due=latest)
    told = subjects.fit(words(language, ""), *due)
    assert len(told) <= 78
    assert told.endswith(latest)
    assert "2026" not in told
    assert "UTC" not in told


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_other_subject_has_78_characters_at_most(language: str) -> None:
    name = "x" * 24
    due = "Fri 14 Aug 18:00"
    for told in (
        subjects.orders_due(name, 999, set_up=True, due=due),
        subjects.reminder(name, 999, set_up=True, due=due),
        [subjects.receipt(name, 999, 9)],
        [subjects.correct(name, 999, 999)],
        [subjects.resign(name)],
        [subjects.match_end(name, 999, wins=False)],
        [subjects.partly(name, 999, 99)],
        [subjects.orders_saved_in_part(name, 999)],
        [subjects.adjudication(name, 999, 99)],
        [subjects.aside(name, 999, "Great Britain")],
    ):
        assert len(subjects.fit(words(language, ""), *told)) <= 78


def test_the_emails_of_a_seat_are_one_thread_for_outlook_too() -> None:
    its = thread_index("<first@play.example.org>", NOW)
    topic = "[espionage-17] white"
    told = read(compose(outgoing("report", thread_topic=topic, thread_index=its)))
    assert told["Thread-Topic"] == topic
    index = b64decode(str(told["Thread-Index"]))
    assert len(index) == 22
    assert index[0] == 1  # the first byte of the time, until 2057


def test_an_email_to_a_seat_says_how_to_ask_for_help_and_to_be_reminded_of_nothing() -> None:
    told = read(compose(outgoing("report")))
    mailbox = str(told["Reply-To"])
    assert str(told["List-Help"]) == f"<mailto:{mailbox}?subject=HELP&body=HELP%0D%0A>"
    assert str(told["List-Unsubscribe"]) == (
        f"<mailto:{mailbox}?subject=PREFS&body=PREFS%20REMINDERS%20OFF%0D%0A>"
    )
