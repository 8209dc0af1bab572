"""After a restore: what players know of a future that is gone does no harm, and they are told."""

import re
from datetime import timedelta
from email import policy
from email.message import EmailMessage
from itertools import count

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from tests.audits import audit, read_papers, summary
from tests.club import MONDAY, Changes, NewMatch, Refusal, Source, computer_orders, restore
from tests.database import epoch, last_restore, open_store, tables
from tests.inside import schema, sheet_storing
from tests.service.installed import installed
from tests.service.mailclub import MailClub, text_of

HOUR = timedelta(hours=1)
SEATS = {"anna@example.org": "white", "bob@example.org": "black"}
EPOCHS = ("hjkmn", "pqrst", "vwxzb")


def sheet_in(email: EmailMessage) -> list[str]:
    """Return the sheet to fill in at the end of a report."""
    return re.search(r"(?ms)^ORDERS .*?^END$", text_of(email))[0].split("\n")


class Lost(MailClub):
    """A club that is backed up, goes on, and is restored; its clock goes on through all of it."""

    def __init__(self, store, folder) -> None:
        super().__init__(store, folder / "spool")
        self.at = installed(folder)
        self.root, self.hours, self.numbers = folder, count(1), count(1)
        self.restores = iter(EPOCHS)
        self.all: list[EmailMessage] = []
        self.options = ("deadline=none", "settle=0 minutes")

    @property
    def now(self):
        return MONDAY + next(self.hours) * HOUR

    def go(self):
        """Run a tick; return what was sent in it."""
        emails = list(self.run_tick(self.now))
        self.all += emails
        return emails

    def begun(self):
        def begin():
            self.add("Anna", "Bob")
            self.new(*self.options)
            self.go()
            for seat in ("white", "black"):
                self.write(seat, f"ORDERS m {seat}", "SETUP RANDOM", "END")
            self.go()
            return next(self.hours), tuple(self.raws), tuple(self.all)

        hour, raws, emails = self.brought(f"lost {self.options}", begin)
        self.hours, self.raws, self.all = count(hour), [*raws], [*emails]
        return self

    def legal(self, match="m") -> tuple[str, tuple[str, ...]]:
        """Return the seat that is to move, and some orders for it."""
        loaded = self.loaded(match)
        (seat,) = loaded.awaited
        return seat, computer_orders(loaded, seat, "computer:random")

    def move(self, turns=1):
        for _ in range(turns):
            seat, lines = self.legal()
            self.write(seat, f"ORDERS m {seat}", *lines, "END", at=self.now)
            self.go()

    def newest(self, seat):
        """Return the newest report to a seat that asks for orders."""
        return [
            one
            for one in self.all
            if SEATS[one["To"].addresses[0].addr_spec] == seat and "your move" in one["Subject"]
        ][-1]

    def saved(self):
        archive = self.root / f"b{next(self.numbers)}.tar.gz"
        self.back_up(archive, self.at)
        return archive

    def restored(self, archive):
        self.store.close()
        place = self.root / f"restored{next(self.numbers)}.db"
        url = f"sqlite:///{place}"
        restore(archive, url, self.at, now=self.now, drawn=lambda: next(self.restores))
        self.store = open_store(url)

    def answer(self, email, lines, *, replies=True, seat="white"):
        headers = {"In_Reply_To": email["Message-ID"]} if replies else {}
        self.write(seat, *lines, at=self.now, **headers)
        return self.go()

    def kept(self, match="m"):
        """Return what counts in the match now, whatever it is for."""
        loaded = self.loaded(match)
        return loaded.sheets, loaded.kept, loaded.declarations


@pytest.fixture
def club(store, tmp_path):
    made = Lost(store, tmp_path).begun()
    yield made
    made.store.close()


@pytest.fixture
def lost(club):
    """A club that was restored to its first turn, and whose players know of its fourth."""
    archive = club.saved()
    club.move(6)
    club.undone = club.newest("white")
    assert "Turn 4: your move" in club.undone["Subject"]
    club.restored(archive)
    return club


def filled(email, lines):
    head, *_, end = sheet_in(email)
    return [head, *lines, end]


def test_a_player_who_gets_daily_emails_is_told_of_a_restore_at_once(club):
    """Until then other emails to him would be of an epoch that he does not know."""
    archive = club.saved()
    club.move(2)
    club.restored(archive)
    club.change("Anna", Changes(letters="daily"), now=club.now, sends_mail=True)
    told = [one for one in club.go() if "anna@example.org" in one["To"]]
    assert "was restored from its backup" in " ".join(text_of(told[0]).split())
    assert told[0]["X-Adjud"] == "notice"


def test_an_answer_to_an_undone_email_to_the_player_alone_orders_nothing(club):
    """To his own address, in which only the email that he answers shows it (club, 4)."""

    def asked(*lines, **headers):
        club.say("Anna", "MATCH m", *lines, at=club.now, **headers)
        return next(one for one in club.go() if one["Reply-To"] == club.own("Anna"))

    known = asked("STATUS")
    archive = club.saved()
    undone = asked("STATUS")
    club.restored(archive)
    _, lines = club.legal()
    for email, counts in ((undone, False), (known, True)):
        before = club.loaded().match.ply
        told = " ".join(text_of(asked(*lines, In_Reply_To=email["Message-ID"])).split())
        assert ("before the club was restored" in told) is not counts
        assert (club.loaded().match.ply > before) is counts


# --- answers to what is undone -----------------------------------------------------------------


@pytest.mark.parametrize("replies", [True, False], ids=["reply", "mailto"])
def test_the_sheet_of_an_undone_report_is_not_carried_out(lost, replies):
    """Begun by `mailto:`, an email refers to nothing; its sheet names its report."""
    lost.go()
    (answer,) = lost.answer(lost.undone, filled(lost.undone, ["a3-a4"]), replies=replies)
    assert lost.kept() == ({}, {}, [])
    assert (
        answer["Subject"] == ("[m] Turn 1: orders NOT accepted, none in force")
        or "NOT accepted" in (answer["Subject"])
    )
    told = " ".join(text_of(answer).split())
    assert "replies to a report from before the club was restored from a backup" in told
    assert sheet_in(answer)[0] == "ORDERS m white turn 1 epoch hjkmn1"  # of the present page


UNDONE_WORDS = {
    "bare orders": ["a3-a4"],
    "by hand": ["ORDERS m white turn 4", "a3-a4", "END"],
    "without a turn": ["ORDERS m white", "a3-a4", "END"],
    "resigns": ["RESIGN"],
    "offers a draw": ["DRAW"],
    "withdraws": ["CLEAR"],
    "marks": ["MARK a8 5?"],
    "quoted": ["> ORDERS m white turn 4", "> a3-a4", "> END"],
}


@pytest.mark.parametrize("words", UNDONE_WORDS.values(), ids=list(UNDONE_WORDS))
def test_a_reply_to_an_undone_report_is_not_carried_out(lost, words):
    lost.go()
    _, lines = lost.legal()
    lost.write("white", "ORDERS m white", *lines, "END")
    lost.go()
    before = lost.kept()
    (answer,) = lost.answer(lost.undone, words)
    assert lost.kept() == before
    assert "no longer valid" in " ".join(text_of(answer).split())
    assert not lost.report("white")["notes"]
    assert all(piece.get("mark") is None for piece in lost.report("white")["pieces"])


def test_what_a_reply_to_an_undone_report_asks_for_is_answered(lost):
    lost.go()
    (answer,) = lost.answer(lost.undone, ["STATUS"])
    assert "no longer valid" not in text_of(answer)
    emails = lost.answer(lost.undone, ["What has happened here, please?"])
    assert "no longer valid" not in "".join(map(text_of, emails))
    (answer,) = lost.answer(lost.undone, ["LANGUAGE sv", "a3-a4"])
    assert lost.kept() == ({}, {}, [])
    assert lost.loaded().holders["white"].language == "sv"


def test_an_answer_to_a_report_of_before_the_backup_is_carried_out(club):
    report = club.newest("white")
    archive = club.saved()
    club.move(2)
    club.restored(archive)
    club.go()
    _, lines = club.legal()
    (answer,) = [
        one
        for one in club.answer(report, filled(report, lines))
        if "orders" in one["Subject"] and one["To"].addresses[0].addr_spec == "anna@example.org"
    ]
    assert "orders were carried out" in answer["Subject"] or "in force" in answer["Subject"]
    assert club.loaded().match.ply == 2


def test_orders_in_advance_that_were_made_with_a_report_of_before_the_backup_are_kept(club):
    report = club.newest("white")
    archive = club.saved()
    club.move(2)
    club.restored(archive)
    club.go()
    head = sheet_in(report)[0].replace("turn 1", "turn 3")
    club.answer(report, [head, "ELSE: b3-b4, c3-c4", "END"])
    assert [one.turn for one in club.loaded().kept["white"]] == [3]


def test_the_second_move_of_a_turn_is_known_as_undone(club):
    """The turn is the restored club's, but Black was asked for it by a report that is gone."""
    archive = club.saved()
    club.move(1)
    report = club.newest("black")
    assert "Turn 1" in report["Subject"]
    club.restored(archive)
    club.go()
    club.answer(report, filled(report, ["ELSE: a8-a7"]), replies=False, seat="black")
    assert club.kept() == ({}, {}, [])


def test_what_comes_from_elsewhere_and_answers_an_undone_report_waits_for_no_code(lost):
    lost.go()
    lost.write(
        "white",
        *filled(lost.undone, ["a3-a4"]),
        sender="anna@work.example",
        In_Reply_To=lost.undone["Message-ID"],
    )
    (answer,) = lost.go()
    assert answer["To"].addresses[0].addr_spec == "anna@example.org"
    assert "CONFIRM" not in text_of(answer)
    assert "no longer valid" in " ".join(text_of(answer).split())


def test_a_file_with_such_a_sheet_is_refused(lost):
    text = "\n".join(filled(lost.undone, ["a3-a4"]))
    for asked in (sheet_storing.check, sheet_storing.submit):
        (receipt,) = asked(lost.store, text, Source(), now=MONDAY)
        assert not receipt.accepted
        assert "before the club was restored" in str(receipt.problems[0].message)


def test_heads_that_are_written_by_hand_are_read_as_before(lost):
    lost.go()
    _, lines = lost.legal()
    lost.write("white", "ORDERS m white turn 1", *lines, "END", at=lost.now)
    lost.go()
    assert lost.loaded().match.ply == 2


def test_a_message_id_of_before_there_were_epochs_finds_its_seat(club):
    report = club.newest("white")
    assert len(report["Message-ID"].split(".")) == 3 + len(["play", "example", "org"]) - 1
    _, lines = club.legal()
    club.answer(report, lines)
    assert club.loaded().match.ply == 2


# --- numbers -----------------------------------------------------------------------------------


def digests(emails):
    """Return the digest that each receipt tells, by what it is the digest of."""
    found = {}
    for email in emails:
        text = re.sub(r"\s+", " ", text_of(email))
        for what, digest in re.findall(r"(ADJUD3\|[^:]*):? ?([0-9a-f]{64})", text):
            found.setdefault(what.split(" ")[0], set()).add(digest)
    return found


def test_no_revision_and_no_message_id_is_given_twice(club):
    """Also where the same backup is restored twice, and in later turns."""
    _, lines = club.legal()
    archive = club.saved()
    for squares in (lines[:1], lines, lines[1:]):
        for _ in range(2):
            club.write("white", "ORDERS m white", "NOTREADY", *squares, "END", at=club.now)
            club.go()
        club.move(4)
        club.restored(archive)
        club.go()
    ids = [one["Message-ID"] for one in club.all]
    assert len(ids) == len(set(ids))
    told = digests(club.all)
    assert len(told) > 6
    assert {what: len(found) for what, found in told.items() if len(found) > 1} == {}


def test_what_is_kept_for_a_later_turn_is_used_under_a_revision_of_its_own(club):
    club.write("white", "ORDERS m white turn 2", "ELSE: b3-b4, c3-c4", "END")
    club.go()
    archive = club.saved()
    before = club.loaded().kept["white"][0].revision
    club.restored(archive)
    assert club.loaded().kept["white"][0].revision > before + 999


def test_an_address_that_was_told_in_the_lost_time_is_nobodys(club):
    club.add("Carl", "Dora")
    archive = club.saved()
    club.replace("m", "white", "Carl", now=club.now)
    (welcome,) = [one for one in club.go() if one["To"].addresses[0].addr_spec.startswith("carl")]
    club.restored(archive)
    club.go()
    club.replace("m", "white", "Dora", now=club.now)
    (other,) = [one for one in club.go() if one["To"].addresses[0].addr_spec.startswith("dora")]
    assert other["Reply-To"] != welcome["Reply-To"]


def test_a_match_that_opens_after_the_restore_has_no_name_or_address_of_a_lost_one(club):
    archive = club.saved()
    lost_name = club.new(name=None)
    club.new(name="garden")
    emails = club.go()
    club.restored(archive)
    club.go()
    assert club.new(name=None) != lost_name
    club.new(name="garden")
    again = club.go()
    assert not {one["Reply-To"] for one in again} & {one["Reply-To"] for one in emails}


def test_a_ply_that_may_have_been_told_after_the_backup_is_not_taken_back(club):
    _, lines = club.legal()
    club.write("white", "ORDERS m white", *lines, "END", at=club.now)
    for _ in club.read_emails(now=club.now):
        pass
    club.tick(club.now)  # its emails wait
    archive = club.saved()
    club.go()
    club.restored(archive)
    with pytest.raises(Refusal):
        club.undo("m", now=club.now)


# --- with_words -----------------------------------------------------------------------------------


def notices(emails):
    return [
        one for one in emails if "was restored from its backup" in " ".join(text_of(one).split())
    ]


def test_each_player_of_a_match_is_told_once(lost):
    told = notices(lost.go())
    assert [one["To"].addresses[0].addr_spec for one in told] == list(SEATS)
    said = " ".join(text_of(told[0]).split())
    assert "The match continues from turn 1" in said
    assert "Epoch bcdfg ends with ply 1, epoch hjkmn begins." in said
    assert notices(lost.go()) == []
    lost.move(1)
    assert "was restored from its backup" in " ".join(text_of(lost.newest("black")).split())
    assert lost.verify("m") == []


def test_the_notice_goes_before_anything_else_is_done(lost):
    """Also where the tick that was to tell it was killed."""
    _, lines = lost.legal()
    lost.write("white", "ORDERS m white", *lines, "END", at=lost.now)
    lost.go()
    loaded = lost.loaded()
    assert loaded.match.ply == 2
    report = text_of(lost.newest("black")).replace("| ", " ")
    assert "Epoch bcdfg ends with ply 1" in " ".join(report.split())


def test_nobody_is_told_of_a_match_that_is_over(club):
    club.cancel("m", now=club.now)
    club.go()
    club.restored(club.saved())
    assert notices(club.go()) == []


# --- audit -------------------------------------------------------------------------------------


def audited(club, seat):
    address = {seat: address for address, seat in SEATS.items()}[seat]
    for number, email in enumerate(club.all):
        if email["To"].addresses[0].addr_spec == address:
            path = club.root / "mails" / f"{number:03}.eml"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(email.as_bytes(policy=policy.SMTP))
    read, unread, _ = read_papers(club.root / "mails")
    assert not unread
    (found,) = audit(read)
    return found


def ended(club):
    club.move(2)
    club.cancel("m", now=club.now)
    club.go()


@pytest.mark.parametrize("seat", ["white", "black"])
def test_an_honest_club_is_not_blamed_for_a_restore(lost, seat):
    lost.go()
    ended(lost)
    found = audited(lost, seat)
    assert [str(one) for one in found.wrong] == []
    assert any("restore" in str(one) for one in found.restored)


@pytest.mark.parametrize("seat", ["white", "black"])
def test_nor_while_the_match_goes_on(lost, seat):
    lost.go()
    lost.move(3)
    found = audited(lost, seat)
    assert [str(one) for one in found.wrong] == []
    assert any("restore" in str(one) for one in found.restored)


def test_in_every_language_a_restore_is_known(club):
    for name, language in (("Anna", "nb"), ("Bob", "sv")):
        wanted = Changes(language=language)
        club.change(name, wanted, now=club.now, sends_mail=True)
    archive = club.saved()
    club.move(4)
    club.restored(archive)
    club.go()
    ended(club)
    for seat in ("white", "black"):
        found = audited(club, seat)
        assert [str(one) for one in found.wrong] == []
        assert "after ply 1 of epoch bcdfg" in str(found.restored[0])


def test_a_backup_that_was_restored_twice_is_no_disagreement(club):
    archive = club.saved()
    for _ in range(2):
        club.move(4)
        club.restored(archive)
        club.go()
    for end in (lambda: club.move(1), lambda: ended(club)):
        end()
        found = audited(club, "white")
        assert [str(one) for one in found.wrong] == []


def test_emails_between_two_restores_of_a_backup_contradict_no_outage(store, tmp_path):
    """The log knows nothing of the first restore: to it the club was out of order until the second
    one."""
    club = Lost(store, tmp_path)
    club.context = replace(club.context, max_gap=timedelta(days=2))
    club.options = ("deadline=every 1 day", "absence=forfeit")
    club.begun()
    archive = club.saved()
    for hours in (72, 6):
        club.hours = count(next(club.hours) + hours)
        club.restored(archive)
        club.go()
    assert club.loaded().match.status == "held"
    club.resume("m", extend=timedelta(days=1), now=club.now)
    ended(club)
    for seat in ("white", "black"):
        assert [str(one) for one in audited(club, seat).wrong] == []
    club.store.close()


def test_a_restore_of_which_the_log_says_nothing_is_a_disagreement(lost):
    """A club that told its players of a restore cannot hide it, nor have one that it never told."""
    lost.go()
    with lost.store.transaction() as tx:
        tx.execute(sa.delete(tables.ruling))
    ended(lost)
    found = audited(lost, "white")
    assert "the full log does not" in " ".join(map(str, found.wrong))
    assert any("the log fingerprint" in str(one) for one in found.wrong)


def test_a_restore_is_told_in_front_of_all_that_agrees(lost):
    lost.go()
    ended(lost)
    first, second, third, *_ = summary(audited(lost, "black"))
    assert first == "m: everything that can be compared agrees"
    assert second.startswith("  the club was restored from a backup: after ply 1 of epoch bcdfg ")
    assert "from before the restore, from a part that it undid" in third


# --- what begins no epoch, and other games -----------------------------------------------------


def epoch_of(url):
    store = open_store(url)
    with store.reading() as tx:
        told = epoch(tx), last_restore(tx)
    store.close()
    return told


def test_a_copy_to_another_database_begins_no_epoch(club, tmp_path):
    with club.store.reading() as tx:
        before = epoch(tx), last_restore(tx)
    moved = f"sqlite:///{tmp_path}/moved.db"
    schema.move(club.store, moved)
    assert epoch_of(moved) == before


def test_the_name_of_an_epoch_is_drawn_by_lot(club, tmp_path):
    archive = club.saved()
    names = set()
    for number in range(3):
        url = f"sqlite:///{tmp_path}/drawn{number}.db"
        restore(archive, url, club.at, now=club.now)
        names.add(epoch_of(url)[0])
    assert len(names) == 3
    assert all(re.fullmatch("[b-z]{5}", name) for name in names)


@pytest.mark.parametrize(
    ("game", "seats", "ply"),
    [
        ("spion", ["blue=Anna", "yellow=Bob"], 1),
        (
            "spies",
            [f"{seat}=computer" for seat in ("italy", "france", "britain")]
            + ["germany=Anna", "russia=Bob"],
            0,
        ),
    ],
)
def test_in_every_game_an_undone_sheet_is_known(club, game, seats, ply):
    wanted = NewMatch(
        game=game, variant=None, name="other", seats=seats, options=["deadline=none"], seed=None,
        fresh_seed=bytes(32),
    )  # fmt: skip
    archive = club.saved()
    club.create(wanted, now=club.now)
    emails = [one for one in club.go() if "\nORDERS other " in text_of(one)]
    club.restored(archive)
    club.go()
    club.create(wanted, now=club.now)
    again = [one for one in club.go() if "\nORDERS other " in text_of(one)]
    assert re.search(rf"^ORDERS other \w+ turn \d epoch bcdfg{ply}$", text_of(emails[0]), re.M)
    for report, is_ours in ((emails[0], False), (again[0], True)):
        text = "\n".join(sheet_in(report))
        receipts = club.check(text)
        said = " ".join(str(one.message) for one in receipts[0].problems)
        assert ("before the club was restored" not in said) == is_ours
