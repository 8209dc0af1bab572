"""Run `adjud mail test`: do emails come home, and does a forged verdict come through?

What a real mail server makes of it is in tests/mail/test_milters.py.
"""

import re
import sys
from email import message_from_string
from email.message import Message
from io import BytesIO

import pytest

from adjudicator.mail.transport import spool
from tests.program import Adjud

OURS = "mx.play.example.org"
SOON, LATER = "2026-11-21 12:05:00", "2026-11-21 12:30:00"
BOUNCE = """\
From: MAILER-DAEMON@mx.play.example.org
To: {to}
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.play.example.org

Final-Recipient: rfc822; {to}
Action: failed
Status: 5.1.1

--b--
"""


@pytest.fixture
def house(by_mail: Adjud) -> Adjud:
    """Return a club whose way out is a command that keeps each email, with its envelope before
    it."""
    out = by_mail.folder / "sent"
    out.mkdir()
    command = by_mail.folder / "sendmail"
    command.write_text(f'#!/bin/sh\n{{ echo "$3 $5"; cat; }} > {out}/$(ls {out} | wc -l)\n')
    command.chmod(0o755)
    configure(by_mail)
    by_mail.does("mail", "send")
    return by_mail


def configure(house: Adjud, **more: str) -> None:
    settings = {"domain": "play.example.org", "out": f"sendmail:{house.folder}/sendmail", **more}
    lines = [f'{name} = "{value}"' for name, value in settings.items()]
    house.write("adjud.toml", "\n".join(['operator = "gm@example.org"', "[mail]", *lines, ""]))


def sent(house: Adjud) -> list[tuple[str, str, str]]:
    """Return envelope sender, recipient and email, in the order in which they went out."""
    found = []
    for path in sorted((house.folder / "sent").iterdir(), key=lambda path: int(path.name)):
        head, _, email = path.read_text().partition("\n")
        sender, to = head.split()
        found.append((sender, to, email))
    return found


def trials_of(house: Adjud) -> list[tuple[str, str, str]]:
    return [one for one in sent(house) if "\nX-Adjud: test\n" in one[2]]


def comes(house: Adjud, to: str, email: str) -> None:
    folder = house.folder / "data/adjud/spool"
    raw = email.replace("\n", "\r\n").encode()
    spool.put(folder, BytesIO(raw), sender="", recipient=to, channel="pipe")


def doctor(house: Adjud, check: str, at: str = SOON) -> list[str]:
    return [
        line
        for line in house("doctor", at=at).out.splitlines()
        if line[4:].startswith(f"{check}: ")
    ]


def at_level(house: Adjud) -> None:
    """Open a match that believes a server's word."""
    house.match("careful", "--option", "level=token+auth")


def body(email: str) -> str:
    parsed = message_from_string(email)
    assert isinstance(parsed, Message)
    return parsed.get_payload(decode=True).decode()


@pytest.mark.slow
def test_an_email_that_comes_home_is_told_by_the_doctor(house: Adjud) -> None:
    never = "??  test: incoming email has never been tested; `adjud mail test` tests it"
    assert doctor(house, "test") == [never]
    told = house.does("mail", "test")
    ((sender, to, email),) = trials_of(house)
    assert re.fullmatch(r"adjud\+test\.[a-z2-7]{16}@play\.example\.org", to)
    assert sender == to  # what bounces comes there, too
    assert told == (
        f"an email to {to} was sent\n"
        "once a tick has read what arrived, `adjud doctor` shows the result\n"
    )
    assert doctor(house, "test") == ["??  test: the email of 2026-11-21 12:00 UTC is on its way"]
    assert doctor(house, "test", LATER) == [
        "BAD test: the email of 2026-11-21 12:00 UTC has not arrived; does the server of "
        "adjud@play.example.org accept sub-addresses, and pass their email on to `adjud mail "
        "receive`?"
    ]
    comes(house, to, email)
    assert house.does("tick") == "an email: a test email that arrived\n"
    home = ["ok  test: the email of 2026-11-21 12:00 UTC arrived"]
    assert doctor(house, "test") == doctor(house, "test", LATER) == home
    assert len(sent(house)) == 1  # it was not answered


def test_an_email_that_comes_back_is_told(house: Adjud) -> None:
    house.does("mail", "test")
    ((_, to, _),) = trials_of(house)
    comes(house, to, BOUNCE.format(to=to))
    assert house.does("tick") == "an email: a test email that came back\n"
    assert doctor(house, "test") == ["BAD test: the email of 2026-11-21 12:00 UTC bounced: 5.1.1"]


def test_what_a_stranger_sends_to_such_an_address_counts_for_nothing(house: Adjud) -> None:
    house.does("mail", "test")
    ((_, to, email),) = trials_of(house)
    comes(house, "adjud+test.aaaaaaaaaaaaaaaa@play.example.org", email.replace(to, "x@y.example"))
    comes(house, to, "From: anna@example.org\nSubject: x\n\nhello\n")
    house.does("tick")
    assert doctor(house, "test")[0].endswith("is on its way")


@pytest.mark.slow
def test_the_last_try_counts(house: Adjud) -> None:
    house.does("mail", "test")
    ((_, first, email),) = trials_of(house)
    house.does("mail", "test", at=SOON)
    comes(house, first, email)
    house.does("tick")
    assert doctor(house, "test", LATER)[0].startswith("BAD test: the email of 2026-11-21 12:05")


@pytest.mark.slow
def test_a_forged_verdict_that_comes_through_is_told_where_one_is_believed(house: Adjud) -> None:
    configure(house, authserv_id=OURS)
    at_level(house)
    assert doctor(house, "token+auth") == [
        "??  token+auth: a forged Authentication-Results has never been tested; `adjud mail "
        "test` tests it"
    ]
    told = house.does("mail", "test")
    plain, forged = trials_of(house)
    assert f"an email to {forged[1]} was sent with a forged Authentication-Results\n" in told
    assert "Authentication-Results" not in plain[2]
    values = message_from_string(forged[2]).get_all("Authentication-Results")
    assert values is not None
    assert [value.partition(";")[0] for value in values] == [OURS, f"(x) {OURS.upper()} 1"]
    assert all("; dmarc=pass header.from=" in value for value in values)
    comes(house, plain[1], plain[2])
    away = "the email of 2026-11-21 12:00 UTC with a forged Authentication-Results has not arrived"
    assert doctor(house, "token+auth") == [f"??  token+auth: {away}"]
    taken_out = re.sub("(?m)^Authentication-Results: .*\n", "", forged[2])
    for email, line in (
        (forged[2], THROUGH),
        (forged[2].replace(f"Authentication-Results: {OURS}; ", "X-Old: "), THROUGH),
        (f"Authentication-Results: {OURS}; dmarc=fail header.from=x.example\n{forged[2]}", THROUGH),
        (taken_out, TAKEN_OUT),
        (f"Authentication-Results: {OURS}; none\n{taken_out}", TAKEN_OUT),
    ):
        comes(house, forged[1], email)
        house.does("tick")
        assert doctor(house, "token+auth") == [line]
    assert doctor(house, "test") == ["ok  test: the email of 2026-11-21 12:00 UTC arrived"]


def test_a_server_that_refuses_a_forged_verdict_is_well(house: Adjud) -> None:
    configure(house, authserv_id=OURS)
    at_level(house)
    house.does("mail", "test")
    to = trials_of(house)[1][1]
    comes(house, to, BOUNCE.format(to=to))
    house.does("tick")
    assert doctor(house, "token+auth") == [
        "ok  token+auth: the server refuses an email with a forged Authentication-Results"
    ]


THROUGH = (
    f"BAD token+auth: a forged Authentication-Results of {OURS} gets through, so anyone can "
    "send orders for others; let the server remove it, as docs/server.md says"
)
TAKEN_OUT = "ok  token+auth: the server removes a forged Authentication-Results from an email"


def test_a_server_without_a_name_is_forged_without_one(house: Adjud) -> None:
    configure(house, authserv_id="none", authserv_hosts="outlook.com")
    house.does("mail", "test")
    _, forged = trials_of(house)
    assert forged[2].startswith("Authentication-Results: dmarc=pass header.from=")


def test_a_match_that_believes_nobodys_word_is_told(house: Adjud) -> None:
    assert doctor(house, "token+auth") == []
    at_level(house)
    assert doctor(house, "token+auth") == [
        "BAD token+auth: no server is trusted, so all orders wait for confirmation; set "
        "mail.authserv_id"
    ]
    house.does("mail", "test")
    configure(house, authserv_id=OURS)  # of which no email of before can tell
    assert doctor(house, "token+auth")[0].startswith("??  token+auth: a forged")


def test_an_email_to_a_person_says_where_to_look_in_his_language(house: Adjud) -> None:
    told = house.does("mail", "test", "eve@example.net")
    assert told == "a test email to eve@example.net was sent; it says what to look for\n"
    sender, to, email = trials_of(house)[-1]
    assert to == "eve@example.net"
    assert sender.startswith("adjud+bounce.")
    for line in ("spf=pass ", "dkim=pass   with header.d=play.example.org", "dmarc=pass "):
        assert f"\n  {line}" in body(email)
    house.does("player", "set", "Anna", "--language", "nb")
    house.does("mail", "test", "Anna@example.org")
    assert "Dette er en test-e-post" in body(trials_of(house)[-1][2])
    assert doctor(house, "test")[0].startswith("??  test: incoming email has never")


@pytest.mark.parametrize(
    ("more", "words", "why"),
    [
        ({"out": "none"}, (), "no outgoing mail is set up; set mail.out"),
        ({"out": "sendmail:/nowhere"}, (), "the test email was not accepted: "),
        ({}, ("anna",), "'anna' is not an email address; write one like anna@example.org"),
    ],
)
def test_what_cannot_be_sent_is_said_at_once(
    house: Adjud, more: dict[str, str], words: tuple[str, ...], why: str
) -> None:
    configure(house, **more)
    answer = house("mail", "test", *words)
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith(f"adjud: {why}")
    assert trials_of(house) == []
    configure(house)
    assert doctor(house, "test")[0].startswith("??  test: incoming email has never")


def test_a_club_without_a_domain_has_nothing_to_try(playing: Adjud) -> None:
    answer = playing("mail", "test")
    told = "adjud: there is no address for incoming email; set mail.domain\n"
    assert answer == (1, "", told)
    assert doctor(playing, "test") == []


@pytest.mark.slow
def test_it_waits_for_the_email_if_it_is_asked_to(house: Adjud) -> None:
    """The way out here leads home at once, and then nowhere."""
    command, spool_folder = house.folder / "sendmail", house.folder / "data/adjud/spool/new"
    spool_folder.mkdir(parents=True, exist_ok=True)
    kept = command.read_text()
    told = "the test email has not arrived within 1 seconds; does the mail server accept"
    answer = house("mail", "test", "--wait", "1")
    assert answer.code == 1
    assert f"adjud: {told}" in answer.err
    spool_line = f'RECIPIENT="$5" SENDER="$3" {PROGRAM} mail receive --spool {spool_folder.parent}'
    command.write_text(f"{kept.splitlines()[0]}\n{spool_line}\n")
    assert house.does("mail", "test", "--wait", "20").endswith("\nthe test email arrived\n")
    answer = house("mail", "test", "anna@example.org", "--wait", "1")
    assert (answer.code, answer.out) == (2, "")


PROGRAM = f"{sys.executable} -m adjudicator"
