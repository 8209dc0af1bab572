"""Matches that hide who plays them until their end (docs/club.md, 6.4)."""

import json
import re
from contextlib import suppress
from datetime import timedelta
from email import message_from_bytes, policy
from functools import partial

import pytest
from msgspec.structs import replace

from adjudicator.core.message import LANGUAGES
from adjudicator.mail.transport.errors import Permanent, Temporary
from tests.audits import audited
from tests.club import (
    MONDAY,
    Changes,
    Refusal,
    Which,
    computer_orders,
    find_player,
    plain,
    show,
    shown_id,
)
from tests.database import FILE, open_store, update_player
from tests.inside import operators_queue
from tests.nightly import mostly_nightly
from tests.service.mailclub import MailClub, Taken
from tests.service.test_site import everybodys, files

DAY = timedelta(days=1)
OPTIONS = ("names=hidden", "deadline=every 3 days", "level=token", "onlookers=0")


@pytest.fixture
def club_of(new_sqlite, tmp_path):
    made = []

    def make(name):
        made.append(open_store(new_sqlite(name)))
        club = MailClub(made[-1], tmp_path / f"{name}-spool")
        club.context = replace(club.context, hooks_file=tmp_path / f"{name}-events")
        club.listen(FILE)
        return club

    yield make
    for store in made:
        store.close()


def entered(club, language="en"):
    """Enter people whose names are in no word of the program."""
    club.add("Qvist", "Xaver", language=language)
    club.add("Zyzzy", language=language)
    return club


def text(raw):
    """Return what an email says, its head and all its parts."""
    email = message_from_bytes(raw, policy=policy.default)
    head = "\n".join(f"{name}: {value}" for name, value in email.items())
    parts = [part.get_content() for part in email.walk() if not part.is_multipart()]
    texts = (one if isinstance(one, str) else one.decode("utf-8", "replace") for one in parts)
    return "\n".join((head, *texts))


def to(club, who):
    return [text(raw) for _, to, raw in club.way.letters if to == f"{who.lower()}@example.org"]


def all_order(club, at=MONDAY):
    for seat in club.loaded().awaited:
        lines = computer_orders(club.loaded(), seat, "computer")
        club.write(seat, f"ORDERS m {seat}", *lines, "END", sender="x@example.org", at=at)
    club.run_tick(at)


def life(club, white="Qvist", black="Xaver"):
    """Play a match in which much happens, up to its last turn but one."""
    club.new(*OPTIONS, white=white, black=black)
    club.run_tick()
    all_order(club)
    club.write("white", "PRESS TO black", "hello there", "ENDPRESS", "DRAW", sender="x@example.org")
    club.run_tick()
    all_order(club)
    club.write("black", "STATUS", "GAMES", "REPORT", "HELP", sender="x@example.org")
    club.run_tick()


def operators(club):
    """Return all that the operator is shown without asking for names."""
    told = [json.dumps(club.status("m"), default=str)]
    newest, _ = club.newest_in_queue((), 1)
    for listed in (club.queue(()), newest):
        told += [json.dumps(plain(one), default=str) for one in listed]
    return "\n".join([*told, *club.told])


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_name_of_the_other_player_is_anywhere_before_the_end(club_of, language):
    club = entered(club_of("one"), language)
    life(club)
    club.replace("m", "white", "Zyzzy")
    club.run_tick(MONDAY)
    club.extend("m", DAY, reason="Easter")
    club.run_tick()
    others = ("Qvist", "Zyzzy")
    read = to(club, "Xaver")
    assert len(read) >= 8
    assert any("hello there" in one for one in read)
    for one in (*read, operators(club), *_events(club)):
        assert not [name for name in others if name.lower() in one.lower()]
    for path, content in files(club, language).items():
        if not path.startswith("shared/"):
            assert not [name for name in (*others, "Xaver") if name in content.decode()], path
    club.add("Next")
    shown = club.profile("Xaver")
    assert [one["seat"] for one in shown["seats"]] == [None]
    club.write("black", "RESIGN", sender="x@example.org")
    before = len(club.way.letters)
    with suppress(Refusal):
        club.forfeit("m", "black", reason="x")
    club.run_tick()
    last = [text(raw) for _, who, raw in club.way.letters[before:] if who == "xaver@example.org"]
    assert any("Zyzzy" in one for one in last)
    found = everybodys(files(club, language))
    assert "Zyzzy" in found["index.html"].decode()
    assert "Zyzzy" in found["matches/m.html"].decode()
    assert "Zyzzy" in operators(club)


def _events(club):
    club.hand_over()
    return club.context.hooks_file.read_text().splitlines()


def test_the_names_in_a_report_are_empty_and_the_game_master_sees_them(club_of):
    club = entered(club_of("one"))
    life(club)
    assert club.report("black")["players"] == {"white": "", "black": ""}
    (told,) = club.status("m")["matches"]
    assert told["players"] == {"white": "hidden", "black": "hidden"}
    (told,) = club.status("m", gm=True)["matches"]
    assert told["players"] == {"white": "Qvist", "black": "Xaver"}
    found = list(club.queue((), gm=True))
    assert "Xaver" in {getattr(one, "to", None) for one in found}
    live = club.live_report("m", "black")
    assert "White: name hidden\nBlack: name hidden (you)" in show(live, "text")


def test_twins_whoever_else_plays(club_of):
    """Two clubs in which other people hold the seats: a third gets the same bytes."""
    read, shown, listed = [], [], []
    for name, white in (("one", "Qvist"), ("two", "Zyzzy")):
        club = club_of(name)
        club.brought("hidden names", lambda club=club: entered(club) and None)
        life(club, white=white)
        read.append([raw for _, to, raw in club.way.letters if to == "xaver@example.org"])
        shown.append(everybodys(files(club)))
        listed.append(re.sub(r'"out-\w+"', "", operators(club)))  # ids are drawn at random
    assert read[0] == read[1]
    assert shown[0] == shown[1]
    assert listed[0] == listed[1]


# Both clubs say the same in whatever language if they do in one.
@pytest.mark.slow
@pytest.mark.parametrize("language", mostly_nightly(LANGUAGES, every_day=["en"]))
def test_nobody_is_told_whether_the_game_master_plays(club_of, language):
    """Two clubs: in one of them the other player is the game master."""
    read, told = [], []
    operator = "qvist@example.org"
    for name, white in (("one", "Qvist"), ("two", "Zyzzy")):
        club = club_of(name)
        club.brought(f"hidden names {language}", lambda club=club: entered(club, language) and None)
        club.context = replace(club.context, operator=operator, contact=operator)
        life(club, white=white)
        sent = len(club.way.letters)
        asked = (
            ("COMPLAIN 1",),
            ("COMPLAIN 9",),
            ("PRESS TO MASTER", "please look", "ENDPRESS"),
            ("CHECK", "PRESS TO MASTER", "please look", "ENDPRESS"),
            ("Why does my deadline not move?",),
        )
        for lines in asked:
            club.write("black", *lines, sender="xaver@example.org")
            club.run_tick()
        # The limit of a day: the eleventh message is refused in either club.
        for hour in range(11):
            at = MONDAY + hour * timedelta(hours=1)
            club.write("black", "PRESS TO MASTER", "again", "ENDPRESS", sender="x@y.org", at=at)
            club.run_tick(at)
        club.say("Xaver", "Is anybody there?", at=MONDAY + DAY)
        club.run_tick(MONDAY + DAY)
        read.append([raw for _, to, raw in club.way.letters if to == "xaver@example.org"])
        told.append([text(raw) for _, to, raw in club.way.letters[sent:] if to == operator])
    assert read[0] == read[1]
    everything = "\n".join(told[0])
    assert "please look" not in everything
    assert "my deadline" not in everything
    everything = "\n".join(told[1])
    assert "please look" in everything
    assert "| Why does my deadline not move?" in everything
    assert "hello there" in everything


def watched(club):
    """Return all that the operator sees of emails, without the ids, which are drawn at random."""
    found = []
    for statuses in ((), *((one,) for one in operators_queue.OUT)):
        for each in (
            club.queue(statuses),
            club.newest_in_queue(statuses, 1)[0],
        ):
            lines = (json.dumps(plain(one)) for one in each)
            found.append([re.sub(r'"out-\w+"', "", line) for line in lines])
    for one in club.queue(()):
        for act in (operators_queue.drop, partial(operators_queue.retry, now=MONDAY)):
            with pytest.raises(Refusal) as refused:
                act(club.store, Which(shown_id(one).partition("-")[2]))
            found.append(re.sub(r"out-\w+", "", str(refused.value.messages[0])))
    return [*found, *club.told]


@pytest.mark.parametrize("trouble", ["daily", "unconfirmed", "put off"])
def test_no_list_tells_who_reads_a_seats_emails(club_of, trouble):
    """Twins whose seats have changed hands: Qvist reads daily, or has an address that fails."""
    told = []
    for name, seats in (("one", ("Qvist", "Xaver")), ("two", ("Xaver", "Qvist"))):
        club = entered(club_of(name))
        if trouble == "daily":
            daily = Changes(letters="daily")
            club.change("Qvist", daily, sends_mail=True)
        if trouble == "unconfirmed":
            with club.store.transaction() as tx:
                update_player(tx, find_player(tx, "Qvist").id, confirmed_at=None)
        if trouble == "put off":
            club.way = Unwilling("qvist@example.org", Temporary)
        club.new(*OPTIONS, white=seats[0], black=seats[1])
        club.run_tick()
        told.append(watched(club))
    assert told[0] == told[1]
    assert not [one for one in told[0] if "qvist" in str(one).lower()]


class Unwilling(Taken):
    """A way out that does not take what goes to one address, and names that."""

    def __init__(self, address, trouble):
        super().__init__()
        self.address, self.kind = address, trouble

    def deliver(self, envelope_from, to, raw):
        if to == self.address:
            raise self.kind(f"<{to}> does not want it")
        super().deliver(envelope_from, to, raw)


def test_what_a_server_answers_names_nobody(club_of):
    club = entered(club_of("one"))
    club.way = Unwilling("qvist@example.org", Permanent)
    club.new(*OPTIONS, white="Qvist", black="Xaver")
    told = []
    for day in range(3):
        club.run_tick(MONDAY + day * DAY)
        told += club.told
    assert any("was refused" in one for one in told)
    assert not [one for one in (*told, operators(club)) if "qvist" in one.lower()]


def test_a_computer_is_called_one(club_of):
    club = entered(club_of("one"))
    club.new(*OPTIONS, white="Qvist", black="computer")
    assert club.report("white")["players"] == {"white": "", "black": "computer"}


def test_the_option_stays_as_it_was_agreed(club_of):
    club = entered(club_of("one"))
    club.new(*OPTIONS, white="Qvist", black="Xaver")
    with pytest.raises(Refusal, match="names stays as it was agreed"):
        club.change_options("m", ["names=open"])
    with pytest.raises(Refusal, match="names cannot be 'secret'"):
        club.new("names=secret", name="n")


@pytest.mark.parametrize("language", mostly_nightly(LANGUAGES, every_day=["nb"]))
def test_an_audit_of_such_a_match_finds_nothing_wrong(club_of, tmp_path, language):
    club = entered(club_of("one"), language)
    life(club)
    club.cancel("m", reason="x")
    club.run_tick()
    folder = tmp_path / "papers"
    folder.mkdir()
    papers = [raw for _, to, raw in club.way.letters if to == "xaver@example.org"]
    for number, raw in enumerate(papers):
        (folder / f"{number:02}.eml").write_bytes(raw)
    found = audited(folder)
    assert [str(one) for one in (*found.wrong, *found.missing, *found.notes)] == []


def test_no_list_of_the_operators_joins_a_player_to_such_a_match(club_of):
    club = entered(club_of("one"))
    club.new(*OPTIONS, white="Qvist", black="Xaver")
    assert club.waiting_for("Qvist", "gm@example.org") == []
    found = club.waiting_for("Qvist", "qvist@example.org")
    assert [one["match"] for one in found] == ["m"]
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE player SET confirmed_at = NULL WHERE name = 'Xaver'")
    (one,) = club.unconfirmed_addresses()
    assert (one["player"], one["matches"]) == ("Xaver", ["(hidden)"])
