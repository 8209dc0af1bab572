"""Few emails (emails, section 6): who is sent which report, and that nobody misses a step."""

import random
import re
from collections import Counter
from datetime import timedelta

import pytest
import sqlalchemy as sa
from msgspec.json import decode

from adjudicator.mail.address import bounce_address
from adjudicator.mail.transport.errors import Permanent, Temporary
from adjudicator.reports import render
from adjudicator.reports.words import words
from tests.club import MONDAY, Refusal, computer_orders, shown_id, which_email
from tests.database import emails_due, report_of_ply, tables
from tests.inside import delivery
from tests.printed import read_log, read_report
from tests.scale import scaled
from tests.service.mailclub import POST, MailClub, text_of, value_in
from tests.service.spiesclub import SpiesClub
from tests.service.spionclub import SpionClub

HOUR = timedelta(hours=1)
FAILED = (
    b"From: MAILER-DAEMON@mx.example.org\r\nTo: x@play.example.org\r\nMIME-Version: 1.0\r\n"
    b'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
    b"--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.org\r\n"
    b"\r\nFinal-Recipient: rfc822; bob@example.org\r\nAction: failed\r\n"
    b"Status: 5.1.1\r\n\r\n--b--\r\n"
)


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool").opened()


def kinds(emails):
    return Counter(f"{one['X-Adjud']} to {one['To'].addresses[0].display_name}" for one in emails)


def set_up(club):
    for seat in ("white", "black"):
        club.write(seat, "SETUP RANDOM")
    return club.run_tick()


def move(club, seat, now=MONDAY):
    lines = computer_orders(club.loaded(), seat, "computer:random")
    club.write(seat, f"ORDERS m {seat}", *lines, "END", at=now)
    return club.run_tick(now)


def orders_told(receipt):
    """Return the lines under what came of the orders."""
    return re.findall(
        r"^  (?:\d  )?([a-h]\d-[a-h]\d)", text_of(receipt).partition("What came")[2], re.M
    )


def code_in(text):
    return re.search(r"CONFIRM (\w+)", text)[1]


def came_back(club, key, for_good=False):
    """Let a report bounce that was delivered."""
    for n in range(2 if for_good else 1):
        club.post(FAILED, bounce_address(POST, key))
        club.run_tick(MONDAY + 2 * n * HOUR)
        club.run_tick(MONDAY + 2 * n * HOUR)
        if for_good:
            club.run_tick(MONDAY + 2 * (n + 1) * HOUR)


# A player never misses a step.


class Watched:
    """A club whose emails are followed: which report was delivered, and what news it told."""

    def __init__(self, club, chance):
        self.club, self.chance, self.now = club, chance, MONDAY
        self.told = {}  # by seat: (tenure, ply) and the news of each report that was delivered
        self.seen = set()

    def run_tick(self):
        """Let some time pass, in which the server may be down or refuse a report for good."""
        self.now += self.chance.choice([HOUR, 3 * HOUR, 9 * HOUR])
        trouble = self.chance.choice([None, None, None, Temporary("4"), Permanent("5")])
        self.club.way.trouble = trouble
        self.club.run_tick(self.now)
        self._look()

    def _look(self):
        with self.club.store.reading() as tx:
            c = tables.outbox.c
            sent = sa.select(c.id, c.ply, c.seat, c.tenure)
            for row in tx.execute(sent.where(c.kind == "report", c.status == "sent")):
                if row.id in self.seen:
                    continue
                self.seen.add(row.id)
                loaded = self.club.loaded()
                stored = report_of_ply(tx, loaded.match.id, row.ply, row.seat)
                news = read_report(loaded.game, stored.body).news
                self.told.setdefault(row.seat, []).append((row.ply, len(news), news))

    def all_is_told(self):
        """Look whether each seat's emails, joined, tell all that it could see until the last."""
        loaded = self.club.loaded()
        with self.club.store.reading() as tx:
            log = read_log(tx, loaded.match, loaded.game)
        for seat in (s for s in loaded.seats if loaded.holders[s].player_id):
            seen = [
                (ply, sight)
                for ply, event in log
                if (sight := loaded.game.sight.witness(event, seat)) is not None
            ]
            newest = max(ply for ply, _, _ in self.told[seat])
            told = set()
            for ply, number, news in self.told[seat]:
                until = sum(at <= ply for at, _ in seen)
                assert tuple(sight for _, sight in seen[until - number : until]) == news
                told |= set(range(until - number, until))
            missed = [n for n, (ply, _) in enumerate(seen) if ply <= newest and n not in told]
            assert not missed, (seat, missed, self.told[seat])
            if seat in loaded.awaited or loaded.match.status == "over":
                assert newest == loaded.match.ply


def order_somehow(watched, seat):
    """Send orders for a seat, now or for its next turn, or an offer, or nothing."""
    club, chance, now = watched.club, watched.chance, watched.now
    what = chance.random()
    loaded = club.loaded()
    if what < 0.1:
        club.send(seat, "DRAW", now=now)
    elif what < 0.7 and seat in loaded.awaited:
        lines = computer_orders(loaded, seat, "computer:random")
        assert club.send(seat, *lines, now=now).accepted
    elif what < 0.9 and loaded.match.game == "espionage" and loaded.match.ply > 1:
        turn = loaded.match.turn + (seat == "white")
        lines = computer_orders(loaded, seat, "computer:random")
        text = "\n".join((f"ORDERS m {seat} turn {turn}", *lines, "END"))
        club.submit(text, now=now)


def played(watched, plies):
    """Play until so many plies are adjudicated, then let all emails arrive."""
    for _ in range(20 * plies):
        loaded = watched.club.loaded()
        if loaded.match.ply >= plies or loaded.match.status == "over":
            break
        for seat in (s for s in loaded.seats if loaded.holders[s].player_id):
            order_somehow(watched, seat)
        if watched.chance.random() < 0.05:
            watched.club.announce("m", "Hello.", now=watched.now)
        watched.run_tick()
    watched.club.way.trouble = None
    for _ in range(3):
        watched.now += timedelta(days=2)
        watched.club.run_tick(watched.now)
        watched._look()
    watched.all_is_told()


def espionage(store, folder, chance):
    club = MailClub(store, folder)
    club.add("Anna", "Bob")
    options = chance.choice([(), ("settle=2 hours",)])
    black = chance.choice(["Bob", "Bob", "computer:random"])
    club.new("deadline=none", *options, black=black, variant="small-fast")
    return club


def spion(store, folder, chance):
    club = SpionClub(store, folder)
    club.open("deadline=none", "memory=honour", players=chance.choice([2, 3]))
    return club


def spies(store, folder, chance):
    club = SpiesClub(store, folder)
    club.open("deadline=none", players=2)
    return club


@pytest.mark.slow
@pytest.mark.parametrize("game", [espionage, spion, spies])
@pytest.mark.parametrize("number", range(scaled(1)))
def test_a_player_never_misses_a_step(store, tmp_path, game, number):
    """Whatever happens to the emails, those that arrive tell every step that a seat could see."""
    chance = random.Random(f"{game.__name__} {number}")
    watched = Watched(game(store, tmp_path / "spool", chance), chance)
    if chance.random() < 0.3:
        with store.transaction() as tx:
            tx.execute(sa.update(tables.player).values(reports="all"))
    played(watched, 14 if game is espionage else 6)


# Two emails a turn, or one.


def test_a_turn_costs_each_player_a_receipt_and_a_report(club):
    assert kinds(set_up(club)) == {"receipt to Bob": 1, "report to Anna": 1}
    for seat, mover, other in (("white", "Anna", "Bob"), ("black", "Bob", "Anna")) * 2:
        assert kinds(move(club, seat)) == {f"receipt to {mover}": 1, f"report to {other}": 1}


def test_a_receipt_tells_what_came_of_orders_that_were_adjudicated(club):
    set_up(club)
    emails = move(club, "white")
    lines = orders_told(emails[0])
    assert emails[0]["Subject"] == "[m] Turn 1: your orders were carried out, version 1"
    assert len(lines) == 2
    assert "Your current orders" not in text_of(emails[0])


def test_a_receipt_says_what_is_in_force_while_the_orders_may_be_replaced(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new("settle=2 hours")
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.run_tick(MONDAY + 2 * HOUR)
    now = MONDAY + 3 * HOUR
    (receipt,) = move(club, "white", now)
    assert receipt["Subject"] == "[m] Turn 1: your orders are in"
    assert "What came" not in text_of(receipt)
    assert kinds(club.run_tick(now + 2 * HOUR)) == {"report to Bob": 1}
    news = text_of(move(club, "black", now + 2 * HOUR)[0])
    assert "What came" not in news
    emails = club.run_tick(now + 4 * HOUR)
    assert kinds(emails) == {"report to Anna": 1}
    assert "Turn 1, White" in text_of(emails[0])
    assert "Turn 1, Black" in text_of(emails[0])


def test_a_receipt_in_a_turn_of_several_seats_leaves_the_telling_to_the_report(store, tmp_path):
    club = SpionClub(store, tmp_path / "spool")
    club.begin(players=3)
    club.all_send(but=["blue"])
    lines = computer_orders(club.loaded(), "blue", "computer")
    told = next(one for one in club.answered("blue", *lines) if "accepted" in one)
    assert "What came" not in told
    assert len(club.to("blue", "report")) == 2  # of the deal and of this turn


def test_who_wishes_it_gets_each_report(club):
    club.write("black", "PREFS REPORTS ALL")
    set_up(club)
    assert kinds(move(club, "white")) == {"receipt to Anna": 1, "report to Bob": 1}
    emails = move(club, "black")
    assert kinds(emails) == {"report to Anna": 1, "report to Bob": 1}
    club.write("black", "PREFS REPORTS AWAITED")
    club.run_tick()
    move(club, "white")
    assert kinds(move(club, "black")) == {"receipt to Bob": 1, "report to Anna": 1}


def test_each_report_comes_to_who_wishes_it_though_several_turns_pass_at_once(club):
    set_up(club)
    with club.store.transaction() as tx:
        tx.execute(sa.update(tables.player).values(reports="all"))
    for seat in ("white", "black", "white"):
        club.send(seat, *computer_orders(club.loaded(), seat, "computer:random"))
        club.tick()
    assert kinds(club.run_tick()) == {"report to Anna": 3, "report to Bob": 3}


def test_reports_that_wait_are_one_email_that_tells_all_of_them(club):
    set_up(club)
    for seat in ("white", "black", "white", "black"):
        club.send(seat, *computer_orders(club.loaded(), seat, "computer:random"))
        club.tick()
    emails = club.run_tick()
    assert kinds(emails) == {"report to Anna": 1, "report to Bob": 1}
    to_anna = next(text_of(one) for one in emails if "anna" in one["To"])
    for told in ("Turn 1, White", "Turn 1, Black", "Turn 2, White", "Turn 2, Black"):
        assert told in to_anna


def test_both_are_told_of_the_end_and_who_has_left_of_that_alone(store, tmp_path):
    club = SpionClub(store, tmp_path / "spool")
    club.begin(players=3)
    club.answered("blue", "RESIGN")
    club.answered("blue", f"CONFIRM {code_in(club.to('blue', 'confirm')[-1])}")
    before = len(club.to("blue", "report"))
    for _ in range(2):
        club.all_send()
        club.run_tick()
    assert club.loaded().match.status == "playing"
    assert len(club.to("blue", "report")) == before
    club.cancel("m")
    club.run_tick()
    assert len(club.to("blue", "report")) == before + 1


def test_an_offer_that_a_report_tells_gets_no_email_of_its_own(club):
    set_up(club)
    lines = computer_orders(club.loaded(), "white", "computer:random")
    club.write("white", "DRAW", "ORDERS m white", *lines, "END")
    emails = club.run_tick()
    assert kinds(emails) == {"receipt to Anna": 1, "report to Bob": 1}
    assert "Anna (White) offers a draw." in text_of(emails[1])


def test_an_offer_that_no_report_tells_gets_an_email(club):
    set_up(club)
    club.write("black", "DRAW")
    assert kinds(club.run_tick()) == {"receipt to Bob": 1, "notice to Anna": 1}
    lines = computer_orders(club.loaded(), "white", "computer:random")
    club.write("black", "DRAW")
    club.write("white", "ORDERS m white", *lines, "END")
    assert "notice to Anna" not in kinds(club.run_tick())  # it was told before


def test_a_ruling_that_a_report_tells_gets_no_email_of_its_own(store, tmp_path):
    club = SpionClub(store, tmp_path / "spool")
    club.begin("deadline=every 3 days", "absence=forfeit", players=3)
    club.all_send(but=["red", "yellow"])
    emails = club.run_tick(MONDAY + timedelta(days=3))
    assert Counter(one["X-Adjud"] for one in emails) == {"report": 3}
    assert all("The deadline has passed without orders" in text_of(one) for one in emails)


# What an email tells by coming.


def test_no_email_tells_that_the_other_seat_has_sent(store, tmp_path):
    """In the set-up both order at once: what Anna gets is the same whatever Bob has sent."""

    def told(*lines):
        club = MailClub(store, tmp_path / f"spool{len(lines)}")
        name = f"m{len(lines)}"
        club.new(name=name)
        club.run_tick()
        if lines:
            club.send("black", *lines, match=name)
        return [text_of(one).replace(name, "m") for one in club.run_tick() if "anna" in one["To"]]

    MailClub(store, tmp_path).add("Anna", "Bob")
    assert told() == told("SETUP RANDOM") == []


# What came back, was taken back, or waited.


def test_a_report_that_came_back_goes_again_though_a_newer_one_was_handed_over(club):
    set_up(club)
    move(club, "white")
    came_back(club, "m/2/black/report")
    again = MONDAY + 2 * HOUR
    emails = move(club, "black")
    assert "report to Bob" not in kinds(emails)
    assert kinds(club.run_tick(again)) == {"report to Bob": 1}


def test_a_report_that_came_back_goes_again_though_a_newer_one_was_waiting_then(club):
    """The newer one was made when all before it seemed to be told."""
    set_up(club)
    move(club, "white")
    for seat in ("black", "white"):
        club.send(seat, *computer_orders(club.loaded(), seat, "computer:random"))
        club.tick()
    came_back(club, "m/2/black/report")
    assert kinds(club.run_tick(MONDAY + 2 * HOUR)) == {"report to Bob": 1}


def ahead(club, plies):
    """Let another match of the club be some plies further on."""
    club.new(name="n")
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", match="n")
    club.run_tick()
    for _ in range(plies // 2):
        for seat in ("white", "black"):
            lines = computer_orders(club.loaded("n"), seat, "computer:random")
            club.send(seat, *lines, match="n")
            club.run_tick()


def test_what_others_were_told_keeps_no_report_that_came_back_from_going_again(club):
    """Its news are in no newer report, however far another match or seat has come."""
    ahead(club, 6)
    set_up(club)
    move(club, "white")
    move(club, "black")
    move(club, "white")
    came_back(club, "m/2/black/report")
    sent = kinds(club.run_tick(MONDAY + 2 * HOUR))
    assert sent == {"report to Bob": 1}


def test_a_report_that_the_operator_sends_again_is_not_lost_beside_other_matches(club):
    ahead(club, 6)
    set_up(club)
    move(club, "white")
    came_back(club, "m/2/black/report")
    club.run_tick(MONDAY + 2 * HOUR)
    for seat in ("black", "white"):
        move(club, seat, MONDAY + 2 * HOUR)
    club.post(FAILED, bounce_address(POST, "m/2/black/report"))
    club.run_tick(MONDAY + 3 * HOUR)
    email = next(one for one in club.emails_out() if one.key == "m/2/black/report")
    assert email.status == "bounced"
    wanted = which_email(shown_id(email))
    club.retry(wanted, now=MONDAY + 4 * HOUR)
    emails = [*club.run_tick(MONDAY + 4 * HOUR)]
    for seat in ("black", "white") * 2:
        emails += move(club, seat, MONDAY + 5 * HOUR)
    assert "Turn 1, White" in "".join(text_of(one) for one in emails if "bob" in one["To"])


def test_what_a_report_that_came_back_told_is_told_by_the_next_one(club):
    set_up(club)
    move(club, "white")
    move(club, "black")
    move(club, "white")
    came_back(club, "m/2/black/report", for_good=True)
    move(club, "black")
    emails = move(club, "white")
    to_bob = next(text_of(one) for one in emails if "bob" in one["To"])
    for told in ("Turn 1, White", "Turn 1, Black", "Turn 2, White", "Turn 3, White"):
        assert told in to_bob
    move(club, "black")
    to_bob = text_of(move(club, "white")[1])
    assert "Turn 1, White" not in to_bob


def test_a_ply_of_which_a_receipt_told_is_not_taken_back(club):
    set_up(club)
    club.way.trouble = Temporary("4")
    move(club, "white")
    with club.store.transaction() as tx:  # only the receipt was delivered
        c = tables.outbox.c
        tx.execute(sa.update(tables.outbox).where(c.kind == "report", c.ply == 2).values(raw=None))
    with pytest.raises(Refusal, match="was already sent"):
        club.undo("m")


def test_a_newer_report_that_is_taken_back_supersedes_nothing(club):
    set_up(club)
    club.send("white", *computer_orders(club.loaded(), "white", "computer:random"))
    club.tick()
    club.send("black", *computer_orders(club.loaded(), "black", "computer:random"))
    club.tick()
    club.send("white", *computer_orders(club.loaded(), "white", "computer:random"))
    club.tick()
    club.undo("m")
    club.hold("m")
    emails = club.run_tick()
    reports = [text_of(one) for one in emails if one["X-Adjud"] == "report"]
    assert len(reports) == 2
    assert not any("Turn 2, White" in one for one in reports)


# A receipt in a report.


@pytest.fixture
def alone(store, tmp_path):
    """Return a club in which Anna plays against a computer and is to move."""
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna")
    club.new(black="computer:random")
    club.run_tick()
    club.write("white", "SETUP RANDOM")
    club.run_tick()
    return club


def statuses(club):
    with club.store.reading() as tx:
        c = tables.outbox.c
        rows = tx.execute(sa.select(c.kind, c.status, c.reason).order_by(c.id)).all()
    return [tuple(row) for row in rows]


def carried(emails):
    """Return the turns of which emails confirm orders, and look that each has its digest, once;
    a report may have those of older orders, too."""
    found = []
    for one in emails:
        text = text_of(one)
        confirmed = re.findall(r"^m, white, turn (\d+): accepted", text, re.M)
        told = decode(value_in(one.as_bytes())).get("report")
        digests = re.findall(r"ADJUD3\|m\|white\|(\d+)\|1\|", text)
        if told:  # a report's are in its JSON
            assert not digests
            digests = [str(sheet["turn"]) for sheet in told["ordered"] or ()]
        assert len(set(digests)) == len(digests)
        assert set(confirmed) <= set(digests)
        found += map(int, confirmed)
    return found


def test_who_is_to_move_again_at_once_gets_one_email_a_turn(alone):
    emails = move(alone, "white")
    assert kinds(emails) == {"report to Anna": 1}
    (report,) = emails
    assert report["In-Reply-To"] == f"<{len(alone.raws) - 1}.white@example.org>"
    assert report["References"].split()[-1] == report["In-Reply-To"]
    assert carried(emails) == [1]
    text, html = text_of(report), report.get_body(("html",)).get_content()
    assert text.index("Since your last order") < text.index("Your last orders")
    assert text.index("Your last orders") < text.index("The board")
    assert text.index("ORDERS m white turn 2") < text.index("Proofs")
    assert "ADJUD3" not in text
    assert html.index("Since your last order") < html.index("m, white, turn 1: accepted")
    assert html.index("<table aria-label") < html.index("Since your last order")
    assert "ADJUD3" not in html
    assert ("receipt", "dropped", "it stands in m/3/white/report") in statuses(alone)


def test_a_sheet_that_must_wait_is_confirmed_at_once(store, tmp_path):
    club = SpionClub(store, tmp_path / "spool")
    club.begin(players=3)
    lines = computer_orders(club.loaded(), "blue", "computer")
    (told,) = club.answered("blue", *lines)
    assert "Your current orders: version 1." in told


@pytest.mark.parametrize("killed_after", ["reading", "adjudication", "the bytes were made"])
def test_a_receipt_is_neither_lost_nor_told_twice_when_a_tick_is_killed(alone, killed_after):
    """Whatever the last thing was that a killed tick did, the next one confirms the orders once."""
    lines = computer_orders(alone.loaded(), "white", "computer:random")
    alone.write("white", *lines)
    alone.read_emails()
    if killed_after != "reading":
        alone.run_due()
    if killed_after == "the bytes were made":
        with alone.store.reading() as tx:
            batch = delivery.Batch(emails_due(tx, MONDAY))
        delivery.make_ready(alone.opened_at(MONDAY), batch, 16)
        assert alone.run_tick(MONDAY) == []  # they are leased
    emails = [*alone.run_tick(MONDAY + HOUR), *alone.run_tick(MONDAY + 2 * HOUR)]
    assert kinds(emails) == {"report to Anna": 1}
    assert carried(emails) == [1]


@pytest.mark.parametrize("trouble", [Temporary("4"), Permanent("5")])
def test_a_receipt_goes_with_its_report_however_often_that_is_tried(alone, trouble):
    alone.way.trouble = trouble
    move(alone, "white")
    alone.way.trouble = None
    emails = [*alone.run_tick(MONDAY + HOUR), *alone.run_tick(MONDAY + 3 * HOUR)]
    assert kinds(emails) == {"report to Anna": 1}
    assert carried(emails) == [1]


def test_a_report_that_came_back_confirms_again_what_it_confirmed(alone):
    move(alone, "white")
    came_back(alone, "m/3/white/report")
    emails = alone.run_tick(MONDAY + 2 * HOUR)
    assert kinds(emails) == {"report to Anna": 1}
    assert carried(emails) == [1]


def test_the_receipt_in_a_report_that_a_newer_one_replaces_is_not_lost(alone):
    """The server refuses both reports at first; the bytes of the newer are made by then."""
    alone.way.trouble = Temporary("4")
    move(alone, "white")
    move(alone, "white", MONDAY + HOUR / 60)
    alone.way.trouble = None
    emails = alone.run_tick(MONDAY + 3 * HOUR)
    assert kinds(emails) == {"report to Anna": 1}
    assert "Turn 1, White" in text_of(emails[0])
    later = alone.run_tick(MONDAY + 4 * HOUR)
    assert kinds(later) == {"receipt to Anna": 1}
    assert carried([*emails, *later]) == [2, 1]


def test_receipts_that_wait_stand_in_one_report(alone):
    for _ in range(2):
        alone.write("white", *computer_orders(alone.loaded(), "white", "computer:random"))
        alone.read_emails()
        alone.run_due()
    emails = alone.run_tick()
    assert kinds(emails) == {"report to Anna": 1}
    assert carried(emails) == [1, 2]


def test_a_receipt_goes_by_itself_where_its_report_was_taken_back(club):
    """Bob's set-up is the last of two, so the report of it goes to Anna; hers is not delivered."""
    club.write("black", "SETUP RANDOM")
    club.run_tick()
    club.write("white", "SETUP RANDOM")
    club.read_emails()
    club.run_due()
    club.undo("m")
    club.hold("m")
    emails = [one for one in club.run_tick() if "anna" in one["To"]]
    assert "receipt to Anna" in kinds(emails)
    assert carried(emails) == [0]


def test_a_receipt_whose_report_cannot_be_written_goes_by_itself(alone):
    lines = computer_orders(alone.loaded(), "white", "computer:random")
    alone.write("white", *lines)
    alone.read_emails()
    alone.run_due()
    with alone.store.transaction() as tx:
        c = tables.outbox.c
        waits = sa.and_(c.kind == "report", c.status == "waiting")
        tx.execute(sa.update(tables.outbox).where(waits).values(status="stuck", next_at=None))
    emails = alone.run_tick()
    assert kinds(emails) == {"receipt to Anna": 1}
    assert carried(emails) == [1]


# What came of one's own orders is the first of the news.


def headings(email):
    """Return the headings below the news of an email, as its text has them."""
    told = text_of(email).replace("\r", "").partition("What happened\n")[2].partition("\n\n")[0]
    return [line for line in told.splitlines()[1:] if not line.startswith(" ")]


@pytest.mark.parametrize(
    ("made", "options", "seat", "player", "own"),
    [
        (SpiesClub, (), "italy", "bob", "Italy"),
        (SpionClub, ("mode=rounds",), "green", "bob", "Gre"),
    ],
)
def test_the_news_begin_with_the_readers_own_turn(
    store, tmp_path, made, options, seat, player, own
):
    club = made(store, tmp_path / "spool")
    club.open(*options, players=4)
    for _ in range(3):
        for each in club.loaded().awaited:
            lines = computer_orders(club.loaded(), each, "computer:random")
            assert club.send(each, *lines).accepted
        emails = club.run_tick()
    for one in emails:
        assert not re.search(r"sha256sum|[0-9a-f]{64}", text_of(one))
    told = headings(next(one for one in emails if player in one["To"]))
    places = [n for n, heading in enumerate(told) if own in heading]
    assert len(told) > len(places) >= 1
    assert places == [*range(len(places))]
    loaded = club.loaded()
    with store.reading() as tx:
        stored = report_of_ply(tx, loaded.match.id, loaded.match.ply, seat)
    report = read_report(loaded.game, stored.body)
    anew = render.news(loaded.game, report, "en", words("en", loaded.match.game))
    assert len(anew) == 2  # an older program told it in the order in which it happened
    assert sorted(anew[0].split()) == sorted(anew[1].split())
