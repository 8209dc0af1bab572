"""What stands between a ply and what a player is told of it makes no audit blame an honest club."""

import json
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy

import pytest
from msgspec.structs import replace

from adjudicator.core.message import tell
from tests.audits import audited
from tests.club import MONDAY, SEED, Changes, NewMatch, computer_orders, show
from tests.core.test_beacon import PUBLISHED
from tests.inside import outbound_daily as daily
from tests.service.mailclub import MailClub
from tests.service.test_audit import changed
from tests.service.test_public_chance import LATER, Waiting

pytestmark = pytest.mark.slow
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Match:
    """One match of a club, its time, and what each player got."""

    def __init__(self, store, folder, now=MONDAY):
        self.club, self.folder, self.now = MailClub(store, folder / "spool"), folder, now
        self.papers = {}

    def open(self, game, *options, seats, language="en", letters="each", zone="UTC"):
        self.seats = seats
        for name in seats.values():
            if not name.startswith("computer"):
                self.club.add(name, language=language, now=self.now)
                wish = Changes(letters=letters, zone=zone)
                self.club.change(name, wish, now=self.now, sends_mail=True)
        wanted = NewMatch(
            game=game,
            variant=None,
            name="m",
            seats=[f"{seat}={name}" for seat, name in seats.items()],
            options=options,
            seed=None,
            fresh_seed=bytes.fromhex(SEED),
        )
        self.club.create(wanted, now=self.now)
        self.wait(0)

    def wait(self, hours):
        """Let hours pass, with a tick in each."""
        for _ in range(hours):
            self.now += HOUR
            self.club.run_tick(self.now)
        self.club.run_tick(self.now)

    def order(self, *silent):
        for seat in self.club.loaded().awaited:
            name = self.seats[seat]
            if not name.startswith("computer") and seat not in silent:
                lines = computer_orders(self.club.loaded(), seat, "computer")
                sender = f"{name.lower()}@example.org"
                to = self.club.address(seat)
                sheet = (f"ORDERS m {seat}", *lines, "END")
                self.club.write(seat, *sheet, sender=sender, to=to, at=self.now)
        self.wait(0)

    def print(self, seat, *, noting=False):
        report = self.club.live_report("m", seat, now=self.now, noting=noting)
        if not noting:
            self.club.note_delivery(report, now=self.now)
            kept = self.papers.setdefault(self.seats[seat], {})
            for form, ending in (("text", "txt"), ("html", "html"), ("json", "json")):
                kept[f"{len(kept)}.{ending}"] = show(report, form).encode()

    def end(self):
        more = {"now": self.now}
        self.club.cancel("m", reason="x", **more)
        self.wait(30)

    def blamed(self, name, spoil=None):
        """Return what an audit of all that a player got contradicts; `spoil` changes his texts."""
        place = self.folder / name
        place.mkdir(exist_ok=True)
        for number, (_, to, raw) in enumerate(self.club.way.letters):
            if to == f"{name.lower()}@example.org":
                known = changed(raw, spoil) if spoil else raw
                (place / f"{number:03}.eml").write_bytes(known)
        for file, raw in self.papers.get(name, {}).items():
            known = spoil(raw.decode()).encode() if spoil else raw
            (place / file).write_bytes(known)
        found = audited(place)
        return " / ".join(tell(one) for one in (*found.wrong, *found.asks))


ESPIONAGE = {"white": "Anna", "black": "Bob"}


@pytest.fixture
def played(store, tmp_path):
    return Match(store, tmp_path)


@pytest.mark.parametrize(
    ("language", "game", "seats"),
    [
        ("nb", "espionage", ESPIONAGE),
        ("sv", "spion", {"blue": "Anna", "yellow": "computer"}),
        ("en", "spies", {"germany": "Anna", "russia": "Bob"}),
    ],
)
def test_the_last_report_in_a_daily_email_may_have_no_orders(played, language, game, seats):
    """Nobody orders anything, so that no other part of the email says whose the report is."""
    more = {"language": language, "letters": "daily", "zone": "Europe/Oslo"}
    played.open(game, "deadline=every 9 days", seats=seats, **more)
    played.wait(30)
    played.end()
    kinds = [raw for _, _, raw in played.club.way.letters if b"X-Adjud: daily" in raw]
    assert len(kinds) >= 2
    assert played.blamed("Anna") == ""


POWERS = ("Germany", "Italy", "Russia", "France", "Britain")


def test_seats_that_are_not_in_the_order_of_letters_keep_their_players(played):
    """The value of an email has sorted keys, and an audit reads names at the head of a report."""
    people = ("Anna", "Bob", "Carl", "Dora", "Erik")
    named = dict(zip(POWERS, people, strict=True))
    played.open("spies", seats={seat.lower(): name for seat, name in named.items()})
    played.order()
    played.print("britain")
    played.end()
    heads = [f"{seat}: {name}" for seat, name in named.items()]
    for _, _, raw in played.club.way.letters:
        text = message_from_bytes(raw, policy=policy.default).get_body(("plain",)).get_content()
        if text.startswith("Spies m"):
            assert [one.removesuffix(" (you)") for one in text.splitlines()[2:7]] == heads
    assert [played.blamed(name) for name in people] == [""] * 5


def test_a_new_holder_is_not_asked_about_an_offer_of_the_former_one(played):
    played.open("spies", seats={"germany": "Anna", "italy": "Bob", "russia": "Carl"})
    played.order()
    played.club.add("Fred", now=played.now)
    played.club.write("germany", "DRAW", sender="anna@example.org", at=played.now)
    played.wait(1)
    more = {"now": played.now}
    played.club.replace("m", "germany", "Fred", reason="x", **more)
    played.wait(1)
    played.seats["germany"] = "Fred"
    for seat in played.club.loaded().awaited:
        to = played.club.address(seat, tenure=played.club.loaded().holders[seat].tenure)
        lines = computer_orders(played.club.loaded(), seat, "computer")
        sheet = (f"ORDERS m {seat}", *lines, "END")
        sender = f"{played.seats[seat].lower()}@example.org"
        played.club.write(seat, *sheet, sender=sender, to=to, at=played.now)
    played.wait(1)
    played.end()
    assert played.club.loaded().match.ply > 1
    assert [played.blamed(name) for name in ("Anna", "Bob", "Fred")] == [""] * 3


def test_a_look_of_the_game_master_moves_no_deadline(played):
    terms = ("deadline=every 2 days", "bank=4 days", "absence=gm", "leave=none")
    played.open("espionage", *terms, seats=ESPIONAGE)
    played.order()
    played.wait(50)
    played.print("black", noting=True)
    played.wait(1)
    played.print("white")
    played.order()
    assert played.club.loaded().match.ply == 2
    played.print("white")
    played.end()
    assert played.blamed("Anna") == ""
    assert played.blamed("Bob") == ""


def test_orders_that_came_by_a_clock_which_was_set_back_have_another_time_in_the_log(played):
    played.club.context = replace(played.club.context, max_gap=2 * DAY)
    played.open("espionage", "deadline=every 9 days", seats=ESPIONAGE)
    right, played.now = played.now, played.now + 3 * DAY
    played.order("black")
    played.now = right + HOUR
    played.wait(1)
    if played.club.loaded().match.status == "held":
        more = {"sure": True, "reason": "x", "now": played.now}
        played.club.resume("m", extend=timedelta(), **more)
    played.order("white")
    played.wait(1)
    assert played.club.loaded().match.ply == 1
    played.end()
    assert played.blamed("Anna") == played.blamed("Bob") == ""


def test_what_is_said_when_the_match_is_over_is_in_no_log(played):
    played.open("espionage", seats=ESPIONAGE)
    played.order()
    played.club.send("black", "RESIGN", now=played.now)
    played.wait(1)
    more = {"now": played.now}
    played.club.announce("m", "It snows.", **more)
    played.print("white")
    assert played.blamed("Anna") == ""

    def spoil(text):  # all else is still compared
        is_printed = text.startswith("{") and not text.startswith('{"adjud"')
        return json.dumps(json.loads(text) | {"turn": 77}) if is_printed else text

    assert any(b"It snows" in one for one in played.papers["Anna"].values())
    assert played.blamed("Anna", spoil) != ""


def test_a_preference_may_be_changed_while_the_daily_email_waits(played):
    played.open("espionage", "deadline=every 9 days", seats=ESPIONAGE, letters="daily")
    played.order()
    wish = Changes(language="sv")
    played.club.change("Anna", wish, now=played.now, sends_mail=True)
    played.wait(30)
    played.end()
    assert played.blamed("Anna") == ""


def test_what_was_said_in_a_ply_that_was_taken_back_is_told_in_its_order(played):
    """A line of the log has it that comes after that with the undo."""
    played.open("espionage", "deadline=every 9 days", seats=ESPIONAGE, letters="daily")
    played.order()
    played.club.announce("m", "It snows.", now=played.now)
    played.now += HOUR / 60
    played.club.undo("m", reason="x", now=played.now)
    played.wait(30)
    assert played.club.loaded().match.ply == 1
    played.order()
    played.wait(30)
    played.end()
    assert [played.blamed(name) for name in ("Anna", "Bob")] == [""] * 2


@pytest.mark.parametrize(("word", "before"), [("RESIGN", ""), ("CLEAR", "DRAW")])
def test_a_word_that_was_taken_back_with_its_turn_is_in_no_line(played, word, before):
    seats = {"germany": "Anna", "italy": "Bob", "russia": "Carl"}
    played.open("spies", "deadline=every 9 days", seats=seats, letters="daily")
    for _ in range(2):
        played.order()
    for said in filter(None, (before, word)):
        played.club.write(
            "germany",
            said,
            sender="anna@example.org",
            to=played.club.address("germany"),
            at=played.now,
        )
        played.wait(1)
    played.order()
    ply = played.club.loaded().match.ply
    played.club.undo("m", reason="x", now=played.now + HOUR / 60)
    assert played.club.loaded().match.ply == ply - 1
    played.wait(1)
    for _ in range(2):
        played.order()
    played.wait(30)
    played.end()
    assert [played.blamed(name) for name in seats.values()] == [""] * 3


# The night of Sunday, 25 October 2026: its day has 25 hours in Oslo.
EVE = datetime(2026, 10, 24, 5, 30, tzinfo=UTC)
NUMBER = "chance=numbers: 6 of Lotto 6aus49 at 2026-10-25T05:45Z"


def number_entered(played, until=lambda: None):
    played.now = EVE
    played.open("espionage", NUMBER, seats=ESPIONAGE, letters="daily", zone="Europe/Oslo")
    first = [raw for _, to, raw in played.club.way.letters if to == "anna@example.org"]
    played.wait(25)
    until()
    more = {"zone": "UTC", "now": played.now}
    played.club.enter_value("m", "3 11 17 29 41 48", **more)
    played.wait(1)
    played.end()
    return first


def test_the_email_that_names_a_public_number_waits_for_no_daily_one(played):
    (first,) = number_entered(played)
    assert b"X-Adjud: notice" in first
    assert played.blamed("Anna") == ""


def test_a_number_in_a_daily_email_of_an_older_club_is_no_fault(played, monkeypatch):
    """Until 0.2.28 the email that names the number waited for the daily one."""
    of_today = daily.can_wait

    def waits(kind, key, body):
        return kind == "notice" or of_today(kind, key, body)

    monkeypatch.setattr(daily, "can_wait", waits)
    assert number_entered(played, monkeypatch.undo) == []
    assert played.blamed("Anna") == ""


@pytest.mark.parametrize("honest", [True, False])
def test_what_is_ruled_while_the_match_waits_for_its_number_is_in_no_line(played, honest):
    """It opens with the options that were told last."""

    def until():
        agreed = options()
        more = {"now": played.now, "reason": "x"}
        played.club.change_options("m", ["deadline=every 5 days", "absence=forfeit"], **more)
        played.club.change_options("m", ["absence=gm"], **more)
        played.club.announce("m", "It snows.", now=played.now)
        played.wait(1)
        if not honest:
            with played.club.store.transaction() as tx:
                tx.exec_driver_sql("UPDATE match SET options = ?", (agreed,))

    def options():
        with played.club.store.reading() as tx:
            return tx.exec_driver_sql("SELECT options FROM match").scalar()

    number_entered(played, until)
    for name in ("Anna", "Bob"):
        blamed = played.blamed(name)
        assert blamed == "" if honest else "deadline is now 'every 5 days'" in blamed


def test_a_player_who_comes_while_the_match_waits_gets_the_number_late(store, tmp_path):
    club = Waiting(store, tmp_path / "spool")
    club.open(game="espionage")
    club.run_tick()
    more = {"now": LATER}
    club.replace("m", "white", "Carl", **more)
    club.run_tick(LATER)
    club.value(PUBLISHED[1000], LATER)
    club.cancel("m", reason="x", **more)
    club.run_tick(LATER)
    played = Match.__new__(Match)
    played.club, played.folder, played.papers = club, tmp_path, {}
    assert played.blamed("Carl") == ""
