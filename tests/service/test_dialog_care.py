"""A player is told what he may have meant by a letter; it is neither guessed nor passed over.

There are orders in the wrong place, two sheets, a part that cannot be read, an answer to an old
report.
"""

from datetime import timedelta
from email.message import EmailMessage
from io import BytesIO

import pytest
from freezegun import freeze_time

from adjudicator.service.base import files
from adjudicator.service.letters_in import fetching, letter_life
from adjudicator.service.match import game_master
from tests.service.club import MONDAY
from tests.service.mailclub import MailClub

HOUR = timedelta(hours=1)
SHEET = ("ORDERS m white", "SETUP RANDOM", "END")
MISPLACED = "this reads as an order but stands in a signature, a quoted letter or HTML"


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days")
    club.night()
    return club


@pytest.fixture
def playing(club):
    """Play a match to White's first turn."""
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.night()
    return club


def said(letter):
    """Return the text of a letter as one line."""
    return " ".join(letter.get_body(("plain",)).get_content().split())


def ask(club, *lines, now=MONDAY, **more):
    club.write("white", *lines, at=now, **more)
    answer, *_ = club.night(now)
    return answer


def ask_with(club, letter, *, recipient=None):
    letter["From"], letter["Message-ID"] = "anna@example.org", f"<{len(club.raws)}@x.example>"
    letter["To"] = club.address("white")
    club.post(letter.as_bytes(), recipient or club.address("white"))
    (answer,) = club.night()
    return answer


def report_id(club, number):
    """Return the Message-ID of a letter that was sent."""
    raw = club.way.letters[number][2]
    line = next(line for line in raw.split(b"\r\n") if line.startswith(b"Message-ID: "))
    return line.partition(b": ")[2].decode()


# Orders where none are looked for.


def test_the_steps_that_a_quoted_report_tells_are_not_taken_for_orders(playing):
    """A reply above the whole report is how most people write."""
    for seat in ("white", "black"):
        playing.order(seat)
        letters = playing.night()
    quoted = [f"> {line}" for line in letters[0].get_body(("plain",)).get_content().splitlines()]
    made = [line for line in quoted if "-" in line and len(line.split()) == 2]
    assert made  # the news tell steps by themselves
    answer = ask(playing, *SHEET[:1], "d3-d4", "END", "", "Anna wrote:", *quoted, "> h1-h8")
    assert said(answer).count(MISPLACED) == 1


@pytest.mark.parametrize(
    "behind",
    [
        ("-- ", "Anna", "d3-d4"),
        ("_____", "d3-d4"),
        ("On Mon, 23 Nov 2026, adjud wrote:", "> d3-d4"),
        ("-----Original Message-----", "From: adjud", "d3-d4"),
    ],
)
def test_an_order_in_a_signature_or_a_quote_is_a_warning_that_quotes_it(playing, behind):
    told = said(ask(playing, "ORDERS m white turn 1", "c3-c4", "f3-f4", "END", *behind))
    assert f"d3-d4: {MISPLACED}, and was left out" in told
    assert told.count("note:") == 1


def test_orders_that_are_in_force_may_be_quoted_without_a_warning(playing):
    sheet = ("ORDERS m white turn 1", "c3-c4", "f3-f4", "NOTREADY", "END")
    assert "accepted" in said(ask(playing, *sheet))
    quoted = ("On Mon, 23 Nov 2026, adjud wrote:", "> c3-c4", "> f3-f4")
    assert "note:" not in said(ask(playing, "STATUS", *quoted))


def test_the_other_seats_orders_change_no_warning(playing):
    """Otherwise a quoted line would tell whether it is among them."""
    answers = []
    for lines in (("d8-d7",), ("d8-d7", "f8-f7")):
        with playing.store.transaction() as tx:
            from adjudicator.store import submissions

            match = playing.loaded().match
            submissions.store(
                tx, match.id, 2, "black", lines=lines, text="", channel="test", now=MONDAY
            )
        answers.append(said(ask(playing, "PING", "-- ", "f8-f7")))
    assert answers[0] == answers[1]
    assert MISPLACED in answers[0]


def test_what_stands_beside_commands_is_named(playing):
    told = said(ask(playing, "STATUS", "Hello", "d3-d4"))
    assert "line 3: d3-d4: this reads as an order but stands outside ORDERS ... END" in told
    assert "ignored line 2: Hello" in told
    assert "ignored line 3" not in told


def test_a_bare_order_in_html_is_named(playing):
    letter = EmailMessage()
    letter.set_content("<p>d3-d4</p><p>f3-f4</p>", subtype="html")
    told = said(ask_with(playing, letter))
    assert "There are no orders in your letter." in told
    assert told.count(MISPLACED) == 2


# Two sheets.


def test_bare_orders_above_a_quoted_sheet_are_not_passed_over(playing):
    quoted = ("> ORDERS m white turn 1", "> c3-c4", "> f3-f4", "> END")
    wrote = ("On Mon, 23 Nov 2026, Anna wrote:",)
    answer = ask(playing, "d3-d4", "a3-a4", *wrote, *quoted)
    assert answer["X-Adjud"] == "refusal"
    assert "orders in your own lines and a sheet in the letter that you quote" in said(answer)
    assert playing.loaded().sheets == {}
    assert "accepted, revision 1" in said(ask(playing, "Here it is.", *wrote, *quoted))


def test_a_command_beside_an_attached_sheet_is_obeyed(club):
    letter = EmailMessage()
    letter.set_content("CHECK\n")
    letter.add_attachment("\n".join(SHEET), filename="orders.txt")
    assert "would be accepted" in said(ask_with(club, letter))
    assert club.loaded().sheets == {}


# What cannot be read.


def test_a_document_is_told_where_no_orders_are_elsewhere(club):
    cases = (
        ("See the file.", "orders.odt", "its attachment cannot be read"),
        ("See the file.", "orders.docx", "the Word file attached to it cannot be read"),
        (SHEET, "orders.docx", "revision 1"),
    )
    for text, name, wanted in cases:
        letter = EmailMessage()
        letter.set_content(text if isinstance(text, str) else "\n".join(text))
        letter.add_attachment(b"PK", "application", "zip", filename=name)
        assert wanted in said(ask_with(club, letter))


@pytest.mark.parametrize("kind", ["pkcs7-mime", "pgp-encrypted"])
def test_an_encrypted_letter_is_told(club, kind):
    letter = EmailMessage()
    letter.set_content(b"0", "application", kind)
    answer = ask_with(club, letter)
    assert answer["X-Adjud"] == "refusal"
    assert "Your letter is encrypted" in said(answer)


def test_a_letter_of_too_many_parts_or_levels_is_told(club):
    letter = EmailMessage()
    letter.set_content("\n".join(SHEET))
    for _ in range(60):
        letter.add_attachment("x")
    assert "too many parts" in said(ask_with(club, letter))
    inner = EmailMessage()
    inner.set_content("\n".join(SHEET))
    for _ in range(12):
        outer = EmailMessage()
        outer.make_mixed()
        outer.attach(inner)
        inner = outer
    assert "too deep to be read" in said(ask_with(club, inner))
    assert club.loaded().sheets == {}


# Whose letter it is.


def test_a_player_may_live_in_our_own_domain(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", address="anna@play.example.org")
    club.add("Bob")
    club.new()
    club.night()
    assert "accepted" in said(ask(club, *SHEET, sender="anna@play.example.org"))
    club.write("white", *SHEET, sender="adjud@play.example.org")
    assert club.night() == []


def test_a_letter_with_an_empty_envelope_sender_is_nobodys(club):
    club.write("white", *SHEET)
    club.post(club.raws[-1].replace(b"<0.", b"<1."), club.address("white"), "MAILER-DAEMON")
    assert len(club.night()) == 1
    assert club.loaded().sheets["white"].revision == 1


# Which turn is meant.


def later(playing):
    """Let White and Black order, so that it is turn 2."""
    for seat in ("white", "black"):
        assert playing.order(seat).accepted
        playing.night()
    assert playing.loaded().match.turn == 2
    return playing


@pytest.mark.parametrize("lines", [("ORDERS m white", "c3-c4", "f3-f4", "END"), ("c3-c4", "f3-f4")])
def test_a_late_answer_never_orders_for_a_turn_that_its_writer_has_not_seen(playing, lines):
    before = report_id(playing, 2)
    later(playing)
    answer = ask(playing, *lines, In_Reply_To=before)
    assert answer["X-Adjud"] == "refusal"
    assert "your letter answers the report of turn 1, and turn 2 is to be ordered" in said(answer)
    assert playing.loaded().sheets == {}


def test_an_answer_to_the_newest_letter_of_a_thread_counts(playing):
    first, now_ = report_id(playing, 0), report_id(later(playing), -2)
    lines = [*playing.report("white")["template"]]
    head = lines[0].removesuffix(" turn 2")
    loaded = playing.loaded()
    from adjudicator.service.match.advance import orders_of

    orders = orders_of(loaded, "white", "computer:random")
    thread = {"In_Reply_To": now_, "References": f"{first} {now_}"}
    assert "accepted" in said(ask(playing, head, *orders, "END", **thread))


def test_a_turn_that_is_named_stands_over_what_the_letter_answers(playing):
    before = report_id(playing, 2)
    later(playing)
    sheet = ("ORDERS m white turn 2", "a1-a9", "END")
    told = said(ask(playing, *sheet, In_Reply_To=before))
    assert "your letter answers" not in told
    assert "a1-a9" in told


def test_what_waited_to_be_confirmed_is_meant_for_the_turn_in_which_it_came(playing):
    asked = ask(playing, "c3-c4", "f3-f4", sender="anna@elsewhere.example")
    code = said(asked).split("CONFIRM ")[1].split()[0]
    later(playing)
    assert "was for an earlier turn" in said(ask(playing, f"CONFIRM {code}"))
    assert playing.loaded().sheets == {}


# Nothing lost.


def test_the_one_answer_to_many_letters_outlives_a_kill(club):
    """The tick is killed after each letter over the limit was read, and before anything else."""
    for _ in range(33):
        club.write("white", *SHEET)
    from adjudicator.service.letters_in import collecting

    assert not list(collecting.collect(club.store, club.folder, now=MONDAY, means=club.means))
    for _ in range(33):
        next(letter_life.read_all(club.store, now=MONDAY, means=club.means))
    letters = club.night()
    assert len(letters) == 31
    assert "3 more of your letters were read" in said(letters[-1])


@pytest.mark.parametrize(
    ("before", "answered"), [(HOUR, "accepted, revision 2"), (-HOUR, "the deadline has passed")]
)
def test_a_letter_that_was_in_the_mailbox_before_the_deadline_is_in_time(
    club, tmp_path, before, answered
):
    """It is fetched after the deadline; the server that keeps the mailbox says when it came."""
    deadline = club.loaded().match.deadline_at
    assert "accepted" in said(ask(club, *SHEET))
    mailbox = tmp_path / "Maildir"
    for name in ("tmp", "new", "cur"):
        (mailbox / name).mkdir(parents=True)
    came = f"{deadline - before:%a, %d %b %Y %H:%M:%S +0000}"
    head = f"Received: from x by our.example; {came}\nDelivered-To: {club.address('white')}\n"
    raw = club.raws[-1].replace(b"<0.", b"<1.")
    (mailbox / "new" / "1").write_bytes(head.encode() + raw)
    with freeze_time(deadline + 2 * HOUR):
        assert fetching.fetch(f"maildir:{mailbox}", club.folder, None) == 1
        letters = club.night(deadline + 2 * HOUR)
    answer = next(letter for letter in letters if letter["X-Adjud"] in ("receipt", "refusal"))
    assert answered in said(answer)


def test_what_the_game_master_says_at_length_is_broken_into_lines(club):
    game_master.announce(club.store, "m", "word " * 90, now=MONDAY, means=club.means)
    for letter in club.night():
        lines = letter.get_body(("plain",)).get_content().splitlines()
        assert len(lines) > 5
        assert max(map(len, lines)) <= 78


def test_a_file_of_marks_that_pile_up_is_bounded(tmp_path):
    path = tmp_path / "orders.txt"
    path.write_text("a" + "\u0301\u0316" * 50_000, encoding="utf-8")
    assert len(files.read_orders(str(path), BytesIO())) == 31
