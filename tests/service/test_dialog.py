"""Test of the email dialog what no case file tells: odd parts, kills, mailboxes, other games."""

from datetime import timedelta
from email.message import EmailMessage
from io import BytesIO

import pytest
from freezegun import freeze_time

from adjudicator.core.match import Seat
from adjudicator.mail.transport.errors import Temporary
from tests.club import MONDAY, computer_orders
from tests.inside import base_files as files
from tests.inside import collecting, reading, submissions
from tests.service.mailclub import MailClub, said
from tests.service.spiesclub import SpiesClub
from tests.service.spionclub import SpionClub

HOUR = timedelta(hours=1)
SHEET = ("ORDERS m white", "SETUP RANDOM", "END")
MISPLACED = "this looks like an order, but it is in a signature, quoted text or HTML"


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool").opened("deadline=every 3 days")


@pytest.fixture
def playing(club):
    """Play a match to White's first turn."""
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.run_tick()
    return club


def ask(club, *lines, now=MONDAY, **more):
    club.write("white", *lines, at=now, **more)
    answer, *_ = club.run_tick(now)
    return answer


def ask_with(club, email):
    email["From"], email["Message-ID"] = "anna@example.org", f"<{len(club.raws)}@x.example>"
    email["To"] = club.address("white")
    club.post(email.as_bytes(), club.address("white"))
    (answer,) = club.run_tick()
    return answer


def test_the_steps_that_a_quoted_report_tells_are_not_taken_for_orders(playing):
    """A reply above the whole report is how most people write."""
    for seat in ("white", "black"):
        playing.order(seat)
        emails = playing.run_tick()
    quoted = [f"> {line}" for line in emails[0].get_body(("plain",)).get_content().splitlines()]
    made = [line for line in quoted if "-" in line and len(line.split()) == 2]
    assert made  # the news tell steps by themselves
    answer = ask(playing, *SHEET[:1], "d3-d4", "END", "", "Anna wrote:", *quoted, "> h1-h8")
    assert said(answer).count(MISPLACED) == 1


def test_the_other_seats_orders_change_no_warning(playing):
    """Otherwise a quoted line would tell whether it is among them."""
    answers = []
    for lines in (("d8-d7",), ("d8-d7", "f8-f7")):
        with playing.store.transaction() as tx:
            match = playing.loaded().match
            submissions.store(
                tx,
                match.id,
                ply=2,
                seat="black",
                received_at=MONDAY,
                channel="test",
                lines=lines,
                text="",
            )
        answers.append(said(ask(playing, "PING", "-- ", "f8-f7")))
    assert answers[0] == answers[1]
    assert MISPLACED in answers[0]


def test_html_with_too_much_formatting_is_answered(club):
    email = EmailMessage()
    bold = "".join(f"<b class=c{n}>" for n in range(300))
    email.set_content(f"{bold}{'<p>x' * 300}<pre>{chr(10).join(SHEET)}</pre>", subtype="html")
    assert "too much formatting" in said(ask_with(club, email))


def test_an_email_of_too_many_parts_or_levels_is_told(club):
    email = EmailMessage()
    email.set_content("\n".join(SHEET))
    for _ in range(60):
        email.add_attachment("x")
    assert "too many parts" in said(ask_with(club, email))
    inner = EmailMessage()
    inner.set_content("\n".join(SHEET))
    for _ in range(12):
        outer = EmailMessage()
        outer.make_mixed()
        outer.attach(inner)
        inner = outer
    assert "too many emails nested inside each other to be read" in said(ask_with(club, inner))
    assert club.loaded().sheets == {}


def test_the_one_answer_to_many_emails_outlives_a_kill(club):
    """The tick is killed after each email over the limit was read, and before anything else."""
    for _ in range(33):
        club.write("white", *SHEET)
    assert not club.collect(club.folder)
    for _ in range(33):
        next(reading.read_all(club.opened_at(MONDAY)))
    emails = club.run_tick()
    assert len(emails) == 31
    assert "3 more of your emails were read" in said(emails[-1])


@pytest.mark.parametrize(
    ("before", "answered"), [(HOUR, "accepted, version 2"), (-HOUR, "the deadline has passed")]
)
def test_an_email_that_was_in_the_mailbox_before_the_deadline_is_in_time(
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
        assert collecting.fetch_mailbox(f"maildir:{mailbox}", club.folder, None) == 1
        emails = club.run_tick(deadline + 2 * HOUR)
    answer = next(email for email in emails if email["X-Adjud"] in ("receipt", "refusal"))
    assert answered in said(answer)


def test_what_the_game_master_says_at_length_is_broken_into_lines(club):
    club.announce("m", "word " * 90)
    for email in club.run_tick():
        lines = email.get_body(("plain",)).get_content().splitlines()
        assert len(lines) > 5
        assert max(map(len, lines)) <= 70


def test_a_file_of_marks_that_pile_up_is_bounded(tmp_path):
    path = tmp_path / "orders.txt"
    path.write_text("a" + "\u0301\u0316" * 50_000, encoding="utf-8")
    assert len(files.read_orders(str(path), BytesIO())) == 31


def test_unseen_signs_are_taken_out_of_press(club):
    club.write("white", "PRESS TO black", "a\u202eb\u2028END\x07", "ENDPRESS")
    press, _ = club.run_tick()
    assert "| ab | END " in said(press)


def test_an_offer_among_several_says_that_all_must_accept(store, tmp_path):
    club = SpionClub(store, tmp_path / "spool")
    club.begin(players=3)
    first, second, third = club.loaded().seats
    club.answered(first, "DRAW")
    (told,) = club.to(second, "notice")
    assert " ".join(told.split()) == (
        "Anna (Blue) offers a draw. Send DRAW to accept; the match is drawn when everyone has "
        "accepted. The offer is open until another player's next orders are played, or until it is "
        "withdrawn."
    )
    answer, *_ = club.answered(second, "DRAW")
    assert "your draw offer is open" in " ".join(answer.split())
    (told,) = club.answered(third, "STATUS")
    title = club.loaded().game.seat_titles[Seat(second)]
    assert "Anna (Blue) offers a draw." in told
    assert f"({title}) offers a draw." in told


@pytest.mark.parametrize(
    ("asked", "language"),
    [("Språk svenska", "sv"), ("Language Norwegian", "nb"), ("SPRÅK norsk", "nb")],
)
def test_a_language_may_be_asked_for_by_its_name(club, asked, language):
    club.write("white", asked)
    club.run_tick()
    assert club.loaded().holders["white"].language == language


def test_a_notice_tells_the_deadline_where_its_reader_lives(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", language="nb")
    club.add("Bob")
    club.new("deadline=every 3 days", "timezone=America/New_York")
    club.write("white", "ZONE Europe/Oslo")
    club.run_tick()
    club.extend("m", timedelta(days=1))
    to_anna, to_bob = club.run_tick()
    assert "fre. 27. nov. 2026, 13:00 Europe/Oslo (12:00 UTC)" in said(to_anna)
    assert "The deadline is now Fri 27 Nov 2026, 12:00 UTC." in said(to_bob)
    (notice,) = club.report("white")["notices"]
    assert notice["text"] in said(to_anna)


def test_who_writes_freely_is_told_where_that_has_room(club):
    lines = ("Hello,", "d3-d4", "and then", "f3-f4", "", "Anna")
    told = "Before ORDERS and after END you may write what you like"
    assert told in said(ask(club, *lines))
    assert told not in said(ask(club, "ORDERS m white", *lines, "END"))
    assert told not in said(ask(club, "SETUP RANDOM"))
    assert told not in said(ask(club, "SETUP", "SSSSSSSSSS"))  # understood, and wrong
    answer = said(ask(club, "Please send the last report again"))
    assert told not in answer
    assert "each on a line of its own above the quoted text" in answer


@pytest.mark.parametrize("mark", ["", "> "])
@pytest.mark.parametrize(
    ("wrong", "right"),
    [("MHMX543P", "MHMM543P"), ("MHMM5431", "MHMM543P")],
)
def test_a_refused_set_up_is_mended_in_what_comes_back(club, wrong, right, mark):
    answer = ask(club, "ORDERS m white", "SETUP", "1S25PS14", "1122SP3S", wrong, "END")
    text = answer.get_body(("plain",)).get_content().replace("\r\n", "\n")
    sheet = text[text.index("ORDERS m white turn 0") : text.index("\nEND\n") + 4]
    assert "#" in sheet
    assert max(map(len, sheet.splitlines())) <= 70
    sent = [f"{mark}{line}" for line in sheet.splitlines()]
    assert "NOT accepted" in said(ask(club, *sent))
    mended = [line.replace(wrong, right) for line in sent]
    assert "accepted, version 1" in said(ask(club, *mended))
    assert club.loaded().sheets["white"].lines[-1] == right


def test_a_set_up_that_was_refused_is_in_its_answer_also_if_that_goes_out_late(club):
    club.way.trouble = Temporary("not now")
    ask_nobody = ("ORDERS m white", "SETUP", "1S25PS14", "1122SP3S", "MHMX543P", "END")
    club.write("white", *ask_nobody)
    assert club.run_tick() == []
    club.way.trouble = None
    (answer,) = club.run_tick(MONDAY + 2 * HOUR)
    assert "MHMX543P # row 3: 'X' is not a piece END" in said(answer)


@pytest.mark.parametrize(
    "lines", [("Yes, I confirm it",), ("Yes, that's me!", "", "Anna"), ("I did not send {code}",)]
)
@pytest.mark.parametrize("html", [False, True])
def test_who_answers_a_code_in_his_own_words_is_told_the_line(club, lines, html):
    asked = said(ask(club, "RESIGN"))
    code = asked.partition("CONFIRM ")[2][:6]
    email = EmailMessage()
    text = "\n".join(lines).format(code=code)
    email.set_content(f"<p>{text}</p>", subtype="html") if html else email.set_content(text)
    assert f"Waiting for you to confirm: CONFIRM {code} " in said(ask_with(club, email))
    assert "CONFIRM" not in said(ask(club, "PING"))
    ask(club, f"CONFIRM {code}")
    assert club.loaded().match.status == "over"


@pytest.mark.parametrize("sender", ["anna(x)@(y)example.org", '"anna"@example.org'])
def test_orders_from_an_odd_form_of_the_address_on_file_are_confirmed(club, sender):
    head = f"From: {sender}\r\nTo: {club.address('white')}\r\nMessage-ID: <odd@example.org>\r\n\r\n"
    raw = f"{head}ORDERS m white\r\nSETUP RANDOM\r\nEND\r\n".encode()
    club.post(raw, club.address("white"), "anna@example.org")
    (answer,) = club.run_tick()
    assert (answer["To"], answer["X-Adjud"]) == ("Anna <anna@example.org>", "confirm")
    assert club.loaded().sheets == {}


def test_a_refused_set_up_of_spies_comes_back_with_its_places(store, tmp_path):
    club = SpiesClub(store, tmp_path / "spool")
    club.open()
    club.run_tick()
    places = computer_orders(club.loaded(), "germany", "computer:random")
    wrong = [line.replace("BER", "BRE") if line.startswith("G-") else line for line in places]
    head = ("ORDERS m germany", "SETUP", *(wrong[1:] or ("G-1 BRE", "G-2 HAM")), "END")
    club.write("germany", *head, sender="anna@example.org")
    (answer,) = club.run_tick()
    text = answer.get_body(("plain",)).get_content()
    mended = text[text.index("Your set-up with its faults marked") :]
    assert "..." not in mended.split("END")[0]
    assert "# " in mended
    for line in head[2:-1]:
        assert line in mended
