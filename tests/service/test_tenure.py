"""A seat changes hands: what was written for one holder never goes to another.

Nor does it go to him who left, whatever waited and wherever it waited.
"""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from adjudicator.mail.address import bounce_address
from adjudicator.mail.transport.errors import Permanent, Temporary
from tests.club import MONDAY, Changes, Refusal, shown_id, which_email
from tests.database import tables
from tests.service.mailclub import POST, MailClub
from tests.service.test_bounces import report_of_mail_system

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ANNA, CARL = "anna@example.org", "carl@example.org"


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.add("Carl", language="nb")
    club.new("deadline=every 5 days", "level=token")
    club.run_tick()
    return club


def text(email):
    return " ".join(email.get_body(("plain",)).get_content().split())


def change(club, name, **changes):
    club.change(name, Changes(**changes), sends_mail=True)


def replace(club, player="Carl", now=MONDAY, reason=""):
    club.replace("m", "white", player, reason=reason, now=now)


def sent_to(club, address, since=0):
    return [raw.decode() for _, to, raw in club.way.letters[since:] if to == address]


def statuses(club):
    return {email.key: email.status for email in club.emails_out()}


def say_something(club):
    club.announce("m", "Easter is near.")


def extend(club):
    club.extend("m", DAY, reason="Easter")


def adjudicate(club):
    """Adjudicate the turn and kill the program before it sends the reports."""
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    assert club.tick() == ["m: adjudicated; turn 1 is waiting for white"]


def write_press(club):
    club.write("black", "PRESS TO white", "Good luck, Anna!", "ENDPRESS")
    club.read_emails()


def ask(club):
    club.write("white", "STATUS")
    club.read_emails()


def remind(club):
    assert club.tick(MONDAY + 4 * DAY) == ["m: reminders were queued"]


def remind_daily(club):
    change(club, "Anna", reminders="daily")
    remind(club)


WHAT = [say_something, extend, adjudicate, write_press, ask, remind, remind_daily]


@pytest.mark.parametrize("what", WHAT, ids=lambda what: what.__name__)
@pytest.mark.parametrize("server", ["up", "down"])
def test_what_waits_when_a_seat_changes_hands_goes_to_nobody(club, what, server):
    """With the server down the emails have been made already, for the old holder."""
    what(club)
    later = MONDAY + 4 * DAY
    if server == "down":
        club.way.trouble = Temporary("451 later")
        club.deliver(now=later)
        club.way.trouble = None
    before = len(club.way.letters)
    replace(club, now=later)
    for hours in (0, 1, 30):
        club.deliver(now=later + hours * HOUR)
    (farewell,) = sent_to(club, ANNA, before)
    assert "Subject: [m] You no longer play" in farewell
    assert "m.white" not in farewell
    mine = sent_to(club, CARL, before)
    assert all(club.address("white", tenure=2) in raw.replace("\r\n ", " ") for raw in mine)
    assert not any("Anna!" in raw for raw in mine)


def test_a_replaced_player_is_told_so_in_his_language_and_why(club):
    change(club, "Anna", language="sv")
    replace(club, reason="Spelaren har flyttat.")
    emails = club.run_tick()
    (told,) = [email for email in emails if email["To"] == ANNA]
    assert told["Subject"] == "[m] Du spelar inte längre"
    assert told["Reply-To"] is None
    assert "Vit" in text(told)
    assert text(told).endswith("Spelaren har flyttat.")


def test_who_was_replaced_cannot_order_by_anything_that_he_got(club):
    say_something(club)
    replace(club)
    club.run_tick()
    addresses = {club.address("white", tenure=n) for n in (1, 2)}
    got = "".join(sent_to(club, ANNA)).replace("=\r\n", "").replace("\r\n ", " ")
    assert {one for one in addresses if one in got} == {club.address("white", tenure=1)}
    club.write("white", "ORDERS m white", "SETUP RANDOM", "END", sender=ANNA)
    club.run_tick()
    assert club.loaded().sheets == {}


def test_an_email_that_waits_for_an_address_to_be_confirmed_is_not_sent_afterwards(club):
    change(club, "Anna", address="anna@new.example")
    say_something(club)
    replace(club)
    before = len(club.way.letters)
    change(club, "Anna", confirmed=True)
    club.run_tick()
    (farewell,) = sent_to(club, "anna@new.example", before)[-1:]
    assert "You no longer play" in farewell
    assert statuses(club)["m/0/white/notice/1"] == "dropped"


def test_nothing_is_made_for_another_holder_however_an_email_comes_to_wait(club):
    """It may be one that an older program, or a hand in the database, has left waiting."""
    say_something(club)
    replace(club)
    with club.store.transaction() as tx:
        waiting = sa.update(tables.outbox).where(tables.outbox.c.key == "m/0/white/notice/1")
        tx.execute(waiting.values(status="waiting", next_at=MONDAY))
    club.run_tick()
    assert statuses(club)["m/0/white/notice/1"] == "dropped"
    assert not any("Easter" in raw for raw in sent_to(club, ANNA))


def test_the_operator_cannot_send_it_again_either(club):
    say_something(club)
    replace(club)
    (dropped,) = club.queue(["dropped"])
    wanted = which_email(shown_id(dropped))
    with pytest.raises(Refusal, match="no longer has the seat; it is not sent again"):
        club.retry(wanted)


@pytest.mark.parametrize("trouble", [Temporary("451 later"), Permanent("550 no"), KeyError("x")])
def test_a_seat_that_changes_hands_while_an_email_is_handed_over_does_not_call_it_back(
    club, trouble
):
    from msgspec import structs

    club.context = structs.replace(club.context, raise_faults=False)
    say_something(club)

    class Way(type(club.way)):
        def deliver(self, *email):
            if club.loaded().holders["white"].player_name == "Anna":
                replace(club)
                raise trouble
            super().deliver(*email)

    club.way = Way()
    club.run_tick()
    club.run_tick(MONDAY + 2 * HOUR)
    assert statuses(club)["m/0/white/notice/1"] == "dropped"


def test_a_report_to_a_former_holder_that_comes_back_is_nobodys_trouble(club):
    club.new("hold_on_bounce=yes", name="n")
    club.run_tick()
    club.replace("n", "white", "Carl")
    before = len(club.way.letters)
    for hour in range(3):
        club.post(report_of_mail_system(), bounce_address(POST, "n/0/white/report"))
        club.run_tick(MONDAY + hour * HOUR)
    assert statuses(club)["n/0/white/report"] == "bounced"
    assert club.loaded("n").match.status == "playing"
    assert sent_to(club, "gm@example.org") == []
    assert len(sent_to(club, ANNA, before)) == 1


def test_a_report_that_came_back_before_its_seat_changed_hands_is_not_tried_again(club):
    club.post(report_of_mail_system(), bounce_address(POST, "m/0/white/report"))
    club.run_tick()
    replace(club)
    club.run_tick()
    before = len(club.way.letters)
    club.run_tick(MONDAY + 2 * HOUR)
    assert sent_to(club, ANNA, before) == []


def test_who_comes_back_gets_nothing_that_was_written_for_him_before(club):
    say_something(club)
    replace(club)
    replace(club, "Anna")
    emails = [email for email in club.run_tick() if ANNA in str(email["To"])]
    assert statuses(club)["m/0/white/notice/1"] == "dropped"
    assert [email["X-Adjud"] for email in emails] == ["notice", "report"]
    assert emails[0]["Subject"] == "[m] You no longer play"
    assert emails[1]["Reply-To"] == club.address("white", tenure=3)
