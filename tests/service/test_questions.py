"""Questions of a person are passed on to the game master, and to nobody who plays."""

import re
import sqlite3
from contextlib import closing
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import partial

import pytest
from msgspec import structs

from adjudicator.core.message import LANGUAGES
from tests.club import MONDAY, Changes
from tests.service.mailclub import MailClub, said
from tests.service.sent_back import PROGRAMS, text_of
from tests.service.test_daily_email import wants

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
HOW = "How do I move two pieces?"


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool").opened("deadline=every 9 days")
    club.context = structs.replace(
        club.context, club="The Friday Club", game_master="Gerda", contact="gerda@example.org"
    )
    return club


def asked(club, *lines, seat="white", now=MONDAY, **more):
    """Return the answer to words, and what went to the game master by then."""
    club.write(seat, *(lines or (HOW,)), at=now, **more)
    emails = club.run_tick(now)
    answers = [one for one in emails if one["X-Adjud"] != "alert"]
    return said(answers[0]), [said(one) for one in emails if one["X-Adjud"] == "alert"]


def test_a_question_goes_to_the_contact_and_its_writer_learns_who_that_is(club):
    club.write("white", "Hello,", HOW, "Anna")
    answer, question = club.run_tick()
    assert question["To"] == "gerda@example.org"
    assert question["Reply-To"] == "anna@example.org"
    assert f"Anna <anna@example.org>, White in m: | Hello, | {HOW} | Anna" in said(question)
    told = "Your email was passed on to the game master. The game master is Gerda; write to gerda@"
    assert told in said(answer)
    assert answer["To"] == "Anna <anna@example.org>"


def test_questions_of_a_day_gather_into_one_email(club):
    _, first = asked(club)
    assert len(first) == 1
    for hour, seat in ((1, "white"), (2, "black")):
        assert asked(club, f"And how {seat}?", seat=seat, now=MONDAY + hour * HOUR)[1] == []
    assert club.run_tick(MONDAY + DAY - HOUR) == []
    (second,) = club.run_tick(MONDAY + DAY)
    assert "White in m: | And how white?" in said(second)
    assert "Black in m: | And how black?" in said(second)
    assert second["Reply-To"] is None
    assert "a reply to this email reaches nobody" in said(second)
    assert club.run_tick(MONDAY + 2 * DAY) == []


def test_so_many_questions_go_on_in_a_day_and_no_more(club):
    asked(club)
    answers = [asked(club, f"Question {n}?", now=MONDAY + HOUR)[0] for n in range(21)]
    assert "was passed on" in answers[19]
    assert "was NOT passed on to the game master, because you have asked so much" in answers[20]
    assert "was passed on" in asked(club, seat="black", now=MONDAY + HOUR)[0]


def test_long_questions_of_a_day_stand_in_several_emails_and_none_is_lost(club):
    asked(club)
    much = [f"{n}. " + "I have one more thing to ask you. " * 11 for n in range(39)]
    for n in range(5):
        assert "was passed on" in asked(club, f"Question {n}?", *much, now=MONDAY + HOUR)[0]
    emails = club.run_tick(MONDAY + DAY)
    assert 1 < len(emails) < 5
    assert max(len(one.as_bytes()) for one in emails) < 64 * 1024
    told = [line for one in emails for line in re.findall(r"Question \d", said(one))]
    assert told == [f"Question {n}" for n in range(5)]
    assert club.run_tick(MONDAY + 2 * DAY) == []


@pytest.mark.parametrize("where", ["contact", "operator"])
@pytest.mark.parametrize("address", ["bob@example.org", "BOB@example.org", "bob+club@example.org"])
def test_a_game_master_who_plays_learns_nothing(club, where, address):
    club.context = structs.replace(club.context, **{where: address})
    answer, alerts = asked(club)
    assert alerts == []
    assert "was NOT passed on, because the game master plays in this match" in answer
    assert club.run_tick(MONDAY + 2 * DAY) == []


def test_he_is_passed_on_what_is_asked_in_other_matches(club):
    club.add("Gerda")
    club.new(white="Gerda", name="other")
    club.run_tick()
    assert len(asked(club)[1]) == 1


def test_a_game_master_who_takes_a_seat_meanwhile_gets_none_of_its_questions(club):
    asked(club)
    asked(club, "Who is Bob?", now=MONDAY + HOUR)
    wanted = Changes(address="gerda@example.org", confirmed=True)
    club.change("Bob", wanted, sends_mail=True)
    (digest,) = [one for one in club.run_tick(MONDAY + DAY) if one["X-Adjud"] == "alert"]
    assert "Who is Bob?" not in said(digest)
    assert "in matches that you play yourself are not shown" in said(digest)


def test_where_any_sender_may_order_words_from_elsewhere_are_not_passed_on(club):
    club.new("level=token", name="open")
    club.run_tick()
    club.write("white", HOW, to=club.address("white", "open"), sender="eve@evil.example")
    (answer,) = club.run_tick()
    assert answer["To"] == "Anna <anna@example.org>"
    assert "passed on" not in said(answer)


def test_without_a_contact_the_operator_is_asked_and_nobody_told_his_address(club):
    club.context = structs.replace(club.context, contact="", game_master="")
    club.write("white", HOW)
    answer, question = club.run_tick()
    assert question["To"] == "gm@example.org"
    assert "was passed on to the game master." in said(answer)
    assert "gm@example.org" not in answer.as_string()


def test_without_any_address_nothing_is_said_of_passing_on(club):
    club.context = structs.replace(club.context, contact="", operator="")
    answer, alerts = asked(club)
    assert alerts == []
    assert "passed on" not in answer
    assert "The game master is Gerda." in answer


def test_the_same_email_again_is_no_second_question(club):
    asked(club)
    club.post(club.raws[-1], club.address("white"), "anna@example.org")
    club.run_tick()
    assert [one for one in club.run_tick(MONDAY + 2 * DAY) if one["X-Adjud"] == "alert"] == []


def test_a_stranger_is_told_the_clubs_name_and_its_game_master(club):
    club.write(
        "white", "I would like to play.", sender="c@example.net", to="adjud@play.example.org"
    )
    (answer,) = club.run_tick()
    assert "This is the email address of The Friday Club, a club that plays" in said(answer)
    assert "The game master is Gerda; write to gerda@example.org." in said(answer)


@pytest.mark.parametrize("language", ["nb", "sv"])
def test_a_person_is_answered_in_his_language(store, tmp_path, language):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob", language=language)
    club.new()
    club.run_tick()
    club.write("white", HOW)
    answer, question = club.run_tick()
    assert said(answer).startswith(("Hei! Dette er adjud", "Hej! Det här är adjud"))
    assert "Players of your club wrote this" in said(question)


# A question about squares and pieces.


@pytest.fixture
def playing(club):
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.run_tick()
    return club


@pytest.mark.parametrize(
    "lines",
    [
        ("Can my piece on c3 go to c4?",),
        ("Hi,", "", "my piece on c3 was captured by d4.", "How can that be?", "", "Anna"),
        ("Why was c3-c4 refused?", "", "> c3-c4", "> g3-g4"),
    ],
)
def test_a_question_about_a_square_is_answered_as_one(playing, lines):
    playing.write("white", *lines)
    answer, question = playing.run_tick()
    assert answer["Subject"] == "[m] Your question went to Gerda"
    assert "It found no orders and no command in your email" in said(answer)
    assert "was passed on to the game master" in said(answer)
    assert "c3" in said(question)
    assert playing.loaded().sheets == {}


def test_a_question_in_html_or_beside_a_picture_is_one(playing):
    email = EmailMessage()
    email["From"], email["To"] = "anna@example.org", playing.address("white")
    email.set_content("<p>Is <b>c3-c4</b> allowed?</p>", subtype="html")
    email.add_attachment(bytes(60_000), maintype="image", subtype="png", filename="board.png")
    playing.post(email.as_bytes(), playing.address("white"), "anna@example.org")
    answer, question = playing.run_tick()
    assert "pictures cannot be read: 'board.png'" in said(answer)
    assert "| Is c3-c4 allowed?" in said(question)


@pytest.mark.parametrize("lines", [("c3-c44", "Is that right?"), ("move c3 to c4?",)])
def test_a_mistyped_order_with_a_question_mark_is_refused(playing, lines):
    playing.write("white", *lines)
    (answer,) = playing.run_tick()
    assert answer["Subject"] == "[m] Turn 1: please correct line 1"


def test_a_question_to_the_personal_address_goes_on_too(club):
    club.say("Anna", "Can I play two matches with Bob?")
    answer, question = club.run_tick()
    assert "was passed on to the game master." in said(answer)
    assert "Anna <anna@example.org>: | Can I play two matches with Bob?" in said(question)
    club.say("Anna", "Who wins?", sender="eve@evil.example", at=MONDAY + DAY)
    (answer,) = club.run_tick(MONDAY + DAY)
    assert "passed on" not in said(answer)


@pytest.mark.parametrize("hidden", [False, True])
def test_it_is_kept_from_a_game_master_who_may_play_with_its_writer(club, hidden):
    if hidden:
        club.new("names=hidden", name="secret")
    else:
        club.context = structs.replace(club.context, contact="bob@example.org")
    club.run_tick()
    club.say("Anna", "Is my piece on c3 safe?")
    (answer,) = club.run_tick()
    assert "was NOT passed on to the game master, who may play in one of your matches" in said(
        answer
    )


def report_to_anna(club):
    raws = [raw for _, to, raw in club.way.letters if to == "anna@example.org"]
    emails = (message_from_bytes(raw, policy=policy.default) for raw in raws)
    return [one for one in emails if one["X-Adjud"] == "report"][-1]


SECRET = re.compile(r"\d of \d|[:\s]d2\b|3\W*S\W*M\W*4")
CUT = "on was passed on, because that line may be part of an email from adjud to you"


@pytest.mark.parametrize("address", ["a seat", "her own", "her own, with two matches"])
@pytest.mark.parametrize("program", ["nothing", "HTML, cells apart", "HTML, a cell a line"])
def test_a_board_below_a_question_is_not_passed_on(playing, address, program):
    report = PROGRAMS[program](report_to_anna(playing))
    if address.endswith("matches"):
        playing.new(name="another")
        playing.run_tick()
    write = partial(playing.write, "white") if address == "a seat" else partial(playing.say, "Anna")
    write("Is my Headquarters safe there?", "", *report)
    answer, question = playing.run_tick()
    assert "| Is my Headquarters safe there?" in said(question)
    assert not SECRET.search(said(question))
    assert (CUT in said(answer)) == program.startswith("HTML")


@pytest.mark.parametrize("program", ["nothing", "HTML, cells apart"])
def test_pieces_pasted_below_a_question_are_not_passed_on(playing, program):
    report = PROGRAMS[program](report_to_anna(playing))
    playing.say("Anna", "Is that right?", "", *report[report.index("Your pieces") :])
    answer, question = playing.run_tick()
    assert "| Is that right?" in said(question)
    assert not SECRET.search(said(question))
    assert CUT in said(answer)


def test_of_a_match_that_cannot_be_read_nobody_knows_what_is_ours(playing):
    with closing(sqlite3.connect(str(playing.store.engine.url.database))) as rows, rows:
        rows.execute("UPDATE match SET variant = 'huge'")
    playing.say("Anna", "Is that right?")
    (answer,) = [one for one in playing.run_tick() if "anna" in one["To"]]
    assert "passed on" not in said(answer)
    assert "gerda@example.org" in said(answer)


def test_nothing_is_passed_on_of_an_email_that_is_all_ours(playing):
    report = text_of(report_to_anna(playing))
    playing.say("Anna", *report[report.index("Your pieces") : report.index("Black's pieces")])
    (answer,) = playing.run_tick()
    assert "passed on" not in said(answer)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_above_our_table_of_matches_is_answered(club, language):
    club.run_tick()
    wants(club, "Anna", language=language)
    club.say("Anna", "STATUS")
    (told,) = club.run_tick()
    wants(club, "Anna", letters="daily")
    club.new(name="m2")
    club.run_tick()
    morning = MONDAY + DAY
    (daily,) = (one for one in club.run_tick(morning) if one["X-Adjud"] == "daily")
    for number, email in enumerate((told, daily)):
        now = morning + number * DAY
        club.say("Anna", "When does m end?", "", *text_of(email), at=now)
        found = [one for one in club.run_tick(now) if one["X-Adjud"] in ("alert", "refusal")]
        (question,) = (said(one) for one in found if one["X-Adjud"] == "alert")
        (answer,) = (said(one) for one in found if one["X-Adjud"] == "refusal")
        assert "| When does m end?" in question
        assert "Espionage" not in question
        assert "MATCH m" not in answer
