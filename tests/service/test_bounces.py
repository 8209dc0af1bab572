"""Emails of ours that came back, and emails from people who hold no seat or named two."""

from base64 import b64encode
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path

import pytest
import sqlalchemy as sa

from adjudicator.mail.address import bounce_address
from adjudicator.mail.transport.errors import Permanent
from tests.club import MONDAY, Changes, Refusal, shown_id, which_email
from tests.database import tables
from tests.service.mailclub import POST, MailClub

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SHEET = ("ORDERS m white", "SETUP RANDOM", "END")


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    return club


def begin(club, *options):
    club.new("deadline=every 3 days", *options)
    club.run_tick()


def report_of_mail_system(action="failed", status="5.1.1"):
    return (
        "From: MAILER-DAEMON@mx.example.org\r\n"
        "To: somebody@play.example.org\r\n"
        "Subject: Undelivered\r\n"
        "MIME-Version: 1.0\r\n"
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
        "--b\r\nContent-Type: text/plain\r\n\r\nSorry.\r\n"
        "--b\r\nContent-Type: message/delivery-status\r\n\r\n"
        "Reporting-MTA: dns; mx.example.org\r\n\r\n"
        "Final-Recipient: rfc822; anna@example.org\r\n"
        f"Action: {action}\r\nStatus: {status}\r\n\r\n--b--\r\n"
    ).encode()


def bounce(club, key="m/0/white/report", **said):
    club.post(report_of_mail_system(**said), bounce_address(POST, key))


def row(club, key="m/0/white/report"):
    with club.store.reading() as tx:
        wanted = sa.select(tables.outbox).where(tables.outbox.c.key == key)
        return tx.execute(wanted).mappings().one()


def letters_in(club):
    with club.store.reading() as tx:
        wanted = sa.select(tables.email.c.status, tables.email.c.reason)
        return [tuple(found) for found in tx.execute(wanted.order_by(tables.email.c.id))]


def kinds(emails):
    return [email["X-Adjud"] for email in emails]


def test_every_email_that_can_come_back_is_known_by_its_tag(club):
    begin(club)
    club.write("white", *SHEET)
    club.run_tick()
    assert row(club)["bounce_tag"]
    assert club.way.letters[0][0] == f"adjud+bounce.{row(club)['bounce_tag']}@play.example.org"
    assert row(club, "m/0/white/receipt/1")["bounce_tag"] is None


def test_a_report_that_comes_back_is_sent_once_more_with_the_same_bytes(club):
    begin(club)
    bounce(club)
    assert club.run_tick() == []
    assert (row(club)["status"], row(club)["bounces"]) == ("waiting", 1)
    assert row(club)["reason"] == "came back: failed 5.1.1"
    bounce(club)  # two servers may tell of one email
    assert club.run_tick(MONDAY + HOUR / 2) == []
    assert kinds(club.run_tick(MONDAY + HOUR)) == ["report"]
    assert club.way.letters[0] == club.way.letters[-1]
    assert letters_in(club) == [("junk", "a bounce")] * 2


def test_a_report_that_comes_back_twice_is_told_to_the_game_master(club):
    begin(club)
    bounce(club)
    club.run_tick()
    club.run_tick(MONDAY + HOUR)
    bounce(club)
    (alert,) = club.run_tick(MONDAY + 2 * HOUR)
    assert alert["To"] == "gm@example.org"
    assert "A report to White came back twice" in alert.get_body(("plain",)).get_content()
    assert row(club)["status"] == "bounced"
    (match,) = club.status(None)["matches"]
    assert match["trouble"] == "a report came back twice; is the address right?"
    assert match["status"] == "playing"
    bounce(club)
    assert club.run_tick(MONDAY + 3 * HOUR) == []


def test_a_match_may_be_held_when_a_report_cannot_be_delivered(club):
    begin(club, "hold_on_bounce=yes")
    bounce(club)
    club.run_tick()
    club.run_tick(MONDAY + HOUR)
    bounce(club)
    emails = club.run_tick(MONDAY + 2 * HOUR)
    assert kinds(emails) == ["alert", "notice", "notice"]
    assert club.loaded().match.status == "held"
    club.resume("m", reason="x", extend=DAY, now=MONDAY + DAY)
    assert club.loaded().match.status == "playing"


def test_a_bounced_email_goes_out_again_when_the_operator_says_so(club):

    begin(club)
    for hour in (0, 1):
        bounce(club)
        club.run_tick(MONDAY + hour * HOUR)
        club.run_tick(MONDAY + (hour + 1) * HOUR)
    (bounced,) = club.queue(["bounced"])
    assert bounced.key == "m/0/white/report"
    wanted = Changes(address="new@example.org", confirmed=True)
    club.change("Anna", wanted, sends_mail=True)
    club.retry(which_email(shown_id(bounced)))
    (report,) = club.run_tick(MONDAY + 3 * HOUR)
    assert club.way.letters[-1][1] == "new@example.org"
    assert report["X-Adjud"] == "report"


@pytest.mark.parametrize(
    ("action", "status"), [("delayed", "4.4.1"), ("delivered", "2.0.0"), ("relayed", "2.0.0")]
)
def test_a_bounce_that_is_not_the_last_word_is_noted_only(club, action, status):
    begin(club)
    bounce(club, action=action, status=status)
    assert club.run_tick() == []
    assert (row(club)["status"], row(club)["bounces"]) == ("sent", 0)
    assert row(club)["reason"] == f"came back: {action} {status}"


def test_a_server_that_gave_up_has_failed_whatever_the_class_of_its_status(club):
    begin(club, "hold_on_bounce=yes")
    bounce(club, action="failed", status="4.4.1")
    assert club.run_tick() == []
    assert (row(club)["status"], row(club)["bounces"]) == ("waiting", 1)
    assert row(club)["reason"] == "came back: failed 4.4.1"
    assert kinds(club.run_tick(MONDAY + HOUR)) == ["report"]
    bounce(club, action="failed", status="4.2.2 (mailbox full)")
    assert kinds(club.run_tick(MONDAY + 2 * HOUR)) == ["alert", "notice", "notice"]
    assert club.loaded().match.status == "held"


def dsn(*fields, around="report", type_="message/delivery-status", encoding=""):
    """Return a bounce with these groups of lines about recipients."""
    said = "\r\n\r\n".join(["Reporting-MTA: dns; mx.example.org", *fields])
    if encoding:
        said = b64encode(said.encode()).decode()
    return (
        "From: MAILER-DAEMON@mx.example.org\r\n"
        "MIME-Version: 1.0\r\n"
        f'Content-Type: multipart/{around}; boundary="b"\r\n\r\n'
        "--b\r\nContent-Type: text/plain\r\n\r\nSorry.\r\n"
        f"--b\r\nContent-Type: {type_}\r\n{encoding}\r\n{said}\r\n\r\n--b--\r\n"
    )


def words(*lines, sender="MAILER-DAEMON@mx.example.org", subject="", type_="plain", **headers):
    """Return an email of such words from a mail system."""
    head = [f"From: {sender}", f"Subject: {subject}", f"Content-Type: text/{type_}; charset=utf-8"]
    head += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*head, "", *lines, ""])


FOR_ANNA = "Final-Recipient: rfc822; anna@example.org"
QMAIL = (
    "Hi. This is the qmail-send program at mx.example.org.",
    "I'm afraid I wasn't able to deliver your message to the following addresses.",
    "This is a permanent error; I've given up. Sorry it didn't work out.",
    "",
    "<anna@example.org>:",
)
EXIM = (
    "This message was created automatically by mail delivery software.",
    "",
    "A message that you sent could not be delivered to one or more of its",
    "recipients. This is a permanent error. The following address(es) failed:",
    "",
    "  anna@example.org",
)
FAILED = {
    "another MIME type": dsn(f"{FOR_ANNA}\r\nAction: failed\r\nStatus: 5.1.1", around="mixed"),
    "of internationalised mail": dsn(
        f"{FOR_ANNA}\r\nAction: failed\r\nStatus: 4.4.1",
        type_="message/global-delivery-status",
        encoding="Content-Transfer-Encoding: base64\r\n",
    ),
    "folded and in capitals": dsn(
        f"{FOR_ANNA}\r\nACTION:\r\n FAILED (for good)\r\nstatus:\r\n\t4.4.7 (timeout)"
    ),
    "no action": dsn(f"{FOR_ANNA}\r\nStatus: 5.2.2 (mailbox full)"),
    "a status alone": dsn("Status: 5.2.2"),
    "an unknown action": dsn(f"{FOR_ANNA}\r\nAction: rejected\r\nStatus: 5.7.1"),
    "the second recipient": dsn(
        "Final-Recipient: rfc822; list@example.org\r\nAction: expanded\r\nStatus: 2.0.0",
        f"{FOR_ANNA}\r\nAction: failed\r\nStatus: 4.0.0",
    ),
    "a report without a word": dsn(""),
    "Exim's header": words("Sorry.", X_Failed_Recipients="anna@example.org"),
    "Exim's words": words(*EXIM, sender="Mail Delivery System <Mailer-Daemon@mx.example.org>"),
    "qmail": words(*QMAIL, "Sorry, no mailbox here by that name. (#5.1.1)"),
    "qmail, who gave up": words(
        *QMAIL,
        "Connected to 192.0.2.1 but connection died. (#4.4.2)",
        "I'm not going to try again; this message has been in the queue too long.",
        "",
        "--- Below this line is a copy of the message.",
        "",
        "Your report: it will be retried, no action is required.",
    ),
    "qmail, in the name of somebody": words(*QMAIL, "Sorry. (#5.1.1)", sender="mail@example.org"),
    "words of a postmaster": words("No such user here.", sender="Postmaster <postmaster@e.org>"),
    "words of any language": words("Viestiä ei voitu toimittaa: 受信者不明."),
    "words without a sender": words("Adresát neexistuje.", sender="a@b.cz", Return_Path="<>"),
    "an automatic word of a postmaster": words(
        "User unknown", sender="postmaster@example.org", Auto_Submitted="auto-replied"
    ),
    "words of a relay with a sender": words("550 5.1.1 User unknown", sender="relay@example.org"),
    "HTML": words("<p>Your message <b>could not be delivered</b></p>", type_="html"),
    "Exchange's words": words(
        "Your message did not reach some or all of the intended recipients.",
        sender="System Administrator <admin@example.org>",
    ),
    "too long tried": words("4.4.7 Delivery time expired after having been delayed"),
}
NOT_FAILED = {
    "two that wait": dsn(
        "Final-Recipient: rfc822; b@example.org\r\nAction: relayed\r\nStatus: 2.0.0",
        f"{FOR_ANNA}\r\nAction: Delayed (tries on)\r\nStatus: 4.4.1",
    ),
    "no action": dsn(f"{FOR_ANNA}\r\nStatus: 4.4.1"),
    "expanded": dsn(f"{FOR_ANNA}\r\nAction: expanded\r\nStatus: 2.0.0"),
    "a delay with a hard word": dsn(f"{FOR_ANNA}\r\nAction: delayed\r\nStatus: 5.4.1"),
    "read": dsn(
        "Disposition: manual-action/MDN-sent-manually; displayed",
        type_="message/disposition-notification",
    ),
    "sendmail's warning": words(
        "** THIS IS A WARNING MESSAGE ONLY **",
        "** YOU DO NOT NEED TO RESEND YOUR MESSAGE **",
        "451 4.4.1 anna@example.org... Connection timed out",
        "Message could not be delivered for 4 hours",
        "Message will be retried for 5 more days",
        subject="Warning: could not send message for past 4 hours",
    ),
    "Exim's warning": words(
        "A message that you sent has not yet been delivered to one or more of its",
        "recipients after more than 24 hours on the queue on mx.example.org.",
        "No action is required on your part. Delivery attempts will continue for",
        "some time, and this warning may be repeated at intervals.",
        subject="Warning: message 1abc delayed 24 hours",
    ),
    "a delay in German": words("Die Zustellung Ihrer Nachricht ist verzögert."),
    "away": words(
        "I am on holiday.",
        sender="anna@example.org",
        Return_Path="<>",
        Auto_Submitted="auto-replied",
    ),
    "away, from another address": words(
        "I am on holiday.", sender="a.berg@work.example", Auto_Submitted="auto-replied (vacation)"
    ),
    "away, by the subject": words(
        "Ich bin im Urlaub.",
        sender="a@work.example",
        Return_Path="<>",
        subject="Automatische Antwort: [m] Turn 1",
    ),
    "taken": words(
        "Your message was successfully delivered to <anna@example.org>.",
        subject="Successful Mail Delivery Report",
    ),
}


def comes_back(club, email, key="m/0/white/report"):
    club.post(email.encode(), bounce_address(POST, key), "mail@server.example.org")


@pytest.mark.parametrize("email", FAILED.values(), ids=FAILED)
def test_a_bounce_counts_whatever_its_shape(club, email):
    begin(club)
    comes_back(club, email)
    assert club.run_tick() == []
    assert (row(club)["status"], row(club)["bounces"]) == ("waiting", 1)
    assert kinds(club.run_tick(MONDAY + HOUR)) == ["report"]
    comes_back(club, email.replace("Sorry", "sorry"))
    assert kinds(club.run_tick(MONDAY + 2 * HOUR)) == ["alert"]
    assert row(club)["status"] == "bounced"


@pytest.mark.parametrize("email", NOT_FAILED.values(), ids=NOT_FAILED)
def test_an_email_that_waits_or_arrived_has_not_failed(club, email):
    begin(club)
    comes_back(club, email)
    assert club.run_tick() == []
    assert (row(club)["status"], row(club)["bounces"]) == ("sent", 0)


UNCLEAR = {
    "a stranger's words": words("Bitte best\u00e4tigen Sie.", sender="filter@example.net"),
    "away, or not there": words(
        "This address does not exist.", sender="a@work.example", Auto_Submitted="auto-replied"
    ),
    "tried again, and given up": words("Your message was delayed.", "We have given up."),
}


@pytest.mark.parametrize("email", UNCLEAR.values(), ids=UNCLEAR)
def test_what_came_back_and_says_neither_is_told_to_the_game_master_once(club, email):
    begin(club)
    secret = "\r\n-- \r\nc6 is your General"
    comes_back(club, email + secret)
    (alert,) = club.run_tick()
    assert (alert["To"], alert["Subject"]) == (
        "gm@example.org",
        "[m] This match needs your attention",
    )
    text = " ".join(alert.get_content().split())
    assert text.startswith("Something came back to the return address of an email to White.")
    assert "General" not in text
    assert (row(club)["status"], row(club)["bounces"]) == ("sent", 0)
    comes_back(club, email)
    assert club.run_tick(MONDAY + DAY) == []
    comes_back(club, email, "m/0/black/report")
    assert kinds(club.run_tick(MONDAY + DAY)) == ["alert"]


def test_nothing_is_told_of_what_came_back_of_a_reminder(club):
    """The operator may play; a reminder says that its seat has not sent orders."""
    begin(club)
    assert {"reminder"} <= set(kinds(club.run_tick(MONDAY + 2.5 * DAY)))
    comes_back(club, UNCLEAR["a stranger's words"], "m/1/white/reminder")
    assert club.run_tick(MONDAY + 2.5 * DAY) == []
    assert row(club, "m/1/white/reminder")["reason"] == "came back: no word"


def test_a_report_that_a_server_refuses_is_tried_once_more_and_then_told(club):
    club.new("deadline=every 3 days", "hold_on_bounce=yes")
    club.way.trouble = Permanent("550 no such user")
    assert club.run_tick() == []
    assert (row(club)["status"], row(club)["bounces"]) == ("waiting", 1)
    assert "m/0/white/report was refused and will be tried once more: 550 no such user" in club.told
    assert club.run_tick(MONDAY + HOUR / 2) == []
    assert club.run_tick(MONDAY + HOUR) == []
    assert "m/0/black/report was refused again: 550 no such user" in club.told
    assert row(club)["status"] == "bounced"
    assert club.loaded().match.status == "held"
    club.way.trouble = None
    emails = club.run_tick(MONDAY + 2 * HOUR)
    assert sorted(kinds(emails)) == ["alert", "alert", "notice", "notice"]


def test_a_report_that_came_back_and_is_then_refused_is_told(club):
    begin(club)
    bounce(club)
    club.run_tick()
    club.way.trouble = Permanent("550 no such user")
    club.run_tick(MONDAY + HOUR)
    assert row(club)["status"] == "bounced"
    assert club.loaded().match.trouble == "a report came back twice; is the address right?"


def test_other_emails_that_come_back_are_not_tried_again(club):
    begin(club)
    club.announce("m", "Hello.")
    club.run_tick()
    bounce(club, "m/0/white/notice/1")
    assert club.run_tick() == []
    assert row(club, "m/0/white/notice/1")["status"] == "bounced"
    assert club.loaded().match.trouble is None


def test_a_bounce_of_no_email_of_ours_changes_nothing(club):
    begin(club)
    bounce(club, "m/7/white/report")
    bounce(club)
    assert club.run_tick(MONDAY + 61 * DAY) is not None
    assert {reason for _, reason in letters_in(club)} == {"a bounce of no email of ours"}
    assert row(club)["bounces"] == 0


def test_a_player_who_writes_orders_where_bounces_come_home_is_told_so(club):
    begin(club)
    home = bounce_address(POST, "m/0/white/report")
    club.write("white", *SHEET, to=home)
    (answer,) = club.run_tick()
    assert answer["Subject"] == "[adjud] Your orders were NOT read"
    assert answer["To"] == "anna@example.org"
    assert letters_in(club) == [("junk", "to the address for bounces, but none")]
    assert club.loaded().sheets == {}
    club.write("white", *SHEET, to=home, Auto_Submitted="auto-replied")
    club.write("white", *SHEET, to=home, Return_Path="<>")
    club.write("white", "I am away until Monday.", to=home)
    club.write("white", *SHEET, to=home, sender="mallory@evil.example")
    assert club.run_tick() == []
    assert row(club)["status"] == "sent"


def test_hold_on_bounce_is_yes_or_no(club):
    with pytest.raises(Refusal, match="hold_on_bounce cannot be 'perhaps'"):
        club.new("hold_on_bounce=perhaps")


# People who hold no seat any more, or named two.


def replaced(club):
    begin(club)
    club.add("Carl")
    club.replace("m", "white", "Carl")
    club.run_tick()


def test_the_former_holder_of_a_seat_is_told_once_and_at_his_address_on_file(club):
    replaced(club)
    club.write("white", *SHEET, sender="mallory@evil.example")
    (answer,) = club.run_tick()
    assert club.way.letters[-1][1] == "anna@example.org"
    assert answer["Subject"] == "[m] Notice for White"
    text = answer.get_body(("plain",)).get_content()
    assert "You no longer have this seat: White in m." in text
    club.write("white", *SHEET)
    assert club.run_tick() == []
    assert club.loaded().sheets == {}


def test_what_a_former_holder_is_told_holds_no_address_of_a_seat(club):
    replaced(club)
    club.write("white", *SHEET)
    club.run_tick()
    raw = club.way.letters[-1][2].decode()
    assert club.address("white", tenure=2) not in raw.replace("=\r\n", "")
    assert "m.white" not in raw
    assert message_from_bytes(raw.encode(), policy=policy.default)["Reply-To"] is None


def test_a_robot_at_the_address_of_a_former_holder_is_not_answered(club):
    replaced(club)
    club.write("white", "I am away", Auto_Submitted="auto-replied")
    assert club.run_tick() == []
    club.write("white", *SHEET)
    assert len(club.run_tick()) == 1


def test_a_former_holder_cannot_be_removed(club):
    replaced(club)
    with pytest.raises(Refusal, match="Anna is in the records of finished matches"):
        club.remove("Anna")


def test_every_tenure_is_told_by_itself(club):
    replaced(club)
    club.replace("m", "white", "Anna")
    club.replace("m", "white", "Carl")
    club.run_tick()
    to = []
    for tenure in (1, 2, 3):
        club.write("white", *SHEET, to=club.address("white", tenure=tenure))
        club.run_tick()
        to.append(club.way.letters[-1][1])
    assert to == ["anna@example.org", "carl@example.org", "anna@example.org"]


def torn(club, sender="anna@example.org"):
    both = f"{club.address('white')}, {club.address('black')}"
    club.write("white", *SHEET, to=both, sender=sender)


def test_who_named_two_seats_is_told_so_and_nothing_else_is_done(club):
    begin(club)
    torn(club, sender="Anna <ANNA@example.org>")
    (answer,) = club.run_tick()
    assert club.way.letters[-1][1] == "anna@example.org"
    assert answer["Subject"] == "[adjud] Your email named two seats"
    assert answer["Reply-To"] is None
    text = answer.get_body(("plain",)).get_content()
    assert text.startswith("Your email named two seats")
    assert "SETUP" not in text
    assert club.loaded().sheets == {}


def test_a_stranger_who_names_two_seats_gets_nothing(club):
    begin(club)
    torn(club, sender="mallory@evil.example")
    assert club.run_tick() == []


def test_emails_that_name_two_seats_are_answered_a_few_times_a_day(club):
    begin(club)
    answers = 0
    for _ in range(6):
        torn(club)
        answers += len(club.run_tick())
    assert answers == 3
    torn(club)
    assert len(club.run_tick(MONDAY + DAY)) == 1


@pytest.mark.parametrize(
    ("name", "failed"),
    [("gave_up", True), ("unknown", True), ("delayed", False), ("of_qmail", True)],
)
def test_a_bounce_from_the_field_is_read(club, name, failed):
    begin(club, "hold_on_bounce=true")
    raw = (Path(__file__).parent / "field/others" / f"bounce_{name}.eml").read_bytes()
    club.post(raw, bounce_address(POST, "m/0/white/report"))
    club.run_tick()
    assert kinds(club.run_tick(MONDAY + HOUR)) == ["report"] * failed
    club.post(raw.replace(b"<case", b"<again"), bounce_address(POST, "m/0/white/report"))
    club.run_tick(MONDAY + 2 * HOUR)
    assert club.loaded().match.status == ("held" if failed else "playing")
