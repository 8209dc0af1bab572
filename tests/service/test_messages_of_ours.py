"""A message to another player never carries what an email of adjud's told its writer, however a
program has quoted that; and what is quoted is no order (emails, sections 4.3 and 4.7)."""

import random
from datetime import timedelta

import pytest

from adjudicator.core.message import LANGUAGES
from tests.club import MONDAY
from tests.inside import own_words
from tests.nightly import NIGHTLY, each_once
from tests.scale import scaled
from tests.service.mailclub import MailClub
from tests.service.sent_back import PLACES, PROGRAMS, Correspondence, around, text_of

DAY = timedelta(days=1)
FIRST, LAST = "Hello Bob, this is a nice match!", "See you on the other side."


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool").at_first_turn()


def answers(club, who="anna", now=MONDAY):
    """Run a tick; return the answers to somebody in one line each, and the messages to Bob."""
    emails = club.run_tick(now)
    told = [
        " ".join("\n".join(text_of(one)).split())
        for one in emails
        if who in str(one["To"]) and one["X-Adjud"] in ("receipt", "refusal", "confirm")
    ]
    return told, [text_of(one) for one in emails if one["X-Adjud"] == "press"]


def quoted(club, kind="report"):
    """Return the lines of the newest email of a kind to Anna."""
    from email import message_from_bytes, policy

    for _, to, raw in reversed(club.way.letters):
        one = message_from_bytes(raw, policy=policy.default)
        if to == "anna@example.org" and one["X-Adjud"] == kind:
            return one
    raise AssertionError(kind)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "language"), each_once(["espionage", "spion", "spies"], LANGUAGES)
)
def test_of_many_quotes_nothing_goes_out_and_nothing_is_an_order(store, tmp_path, game, language):
    """16 emails for a game and language, each also without PRESS, and by night ten times more."""
    rounds = scaled(2)
    chance = random.Random(f"{game} {language}")
    table = Correspondence(store, tmp_path / "spool", game, language)
    emails, club = table.letters(), table.club
    before = club.loaded()
    for _ in range(rounds):
        for _ in range(8):
            program, place = chance.choice([*PROGRAMS]), chance.choice([*PLACES])
            body = PLACES[place](FIRST, PROGRAMS[program](chance.choice(emails)), LAST)
            table.send(f"PRESS TO {table.other}", *body, "ENDPRESS")
            table.send(*body)
        table.tick(DAY)
    passed = table.pressed()
    assert {line for lines in passed for line in lines if line} == {FIRST, LAST}
    assert len(passed) > rounds  # quotes with whole marks are left out, and the rest is sent
    after = club.loaded()
    assert (after.sheets, after.kept, after.match.ply) == (
        before.sheets,
        before.kept,
        before.match.ply,
    )
    assert (after.resigned, after.match.status) == (before.resigned, "playing")


# A few of them by hand.


@pytest.mark.parametrize("program", ["tabs", "plus", "nothing", "marks, broken at 60", "initials"])
def test_a_report_around_which_a_message_is_written_is_not_passed_on(club, program):
    body = around(FIRST, PROGRAMS[program](quoted(club)), LAST)
    club.write("white", "PRESS TO black", *body, "ENDPRESS")
    (told,), passed = answers(club)
    assert not passed
    assert "Your message was NOT sent: '" in told
    assert "may be part of an email from adjud to you" in told
    assert f"This is what you wrote: | {FIRST}" in told


def test_whole_marks_are_left_out_and_the_rest_goes_out(club):
    body = around(FIRST, PROGRAMS["marks"](quoted(club)), LAST)
    club.write("white", "PRESS TO black", *body, "ENDPRESS")
    _, (passed,) = answers(club)
    assert [line for line in passed if line.startswith("|")] == [f"| {FIRST}", "|", f"| {LAST}"]


def test_rests_of_broken_quotes_are_not_passed_on(club):
    """A program broke quoted lines that became too long; what fell over has no mark."""
    lines = (
        "On Mon, 23 Nov 2026, adjud wrote:",
        "> 22 ?  Unknown, has not moved: a1, a2, a3, b1, b2, b3, c1, c2, d1, d2,",
        "d3, e1,",
        ">       e2, e3, f1, f2, f3, g1, g2, h1, h2, h3",
        ">",
        "> | Tip: The enemy piece on a3 may be only 3 steps from your",
        "Headquarters on a6.",
        ">",
        "",
        LAST,
    )
    club.write("white", "PRESS TO black", *lines, "ENDPRESS")
    (told,), passed = answers(club)
    assert not passed
    assert "NOT sent: 'd3, e1,' may be part of an email from adjud" in told
    assert "| Headquarters on a6." in told


@pytest.mark.parametrize("word", ["MASTER", "black"])
def test_an_address_of_a_seat_is_not_passed_on(club, word):
    line = f"Write to <{club.address('white')}> if you like."
    club.write("white", f"PRESS TO {word}", line, "ENDPRESS")
    (told,), passed = answers(club)
    assert not passed
    assert "Your message was NOT sent" in told


HONEST = (
    "I'll attack from a6 and then go to d4. You have no current chance!",
    "Well played: c3-c4 was strong. I played c3-c4, d3-d4 and g3-g4 before that.",
    "Is it your turn or mine? I have sent my orders, and you can change yours until Friday.",
    "Shall we agree on a draw? Write DRAW, as I did.",
    "My General is on e4, or is it a Spy? Guess!",
    "The deadline is Thursday, 12:00 UTC. Please send your orders before that.",
    "Do you want to play another match with me when this one is over?",
    "Jeg tror at du har hovedkvarteret på h6. Skal vi bli enige om remis?",
    "Du kan endre ordrene dine til i morgen. Lykke til, og takk for et fint parti!",
    "Jag anfaller från a6. Kan du vänta till fredag? Det är din tur nu.",
    "Tack för ett bra parti, och skicka dina order i tid nästa gång!",
    "Turn 5 was bad for me: my Captain was captured on d5 by your Colonel.",
    "If you send READY now, the turn is played at once.",
    "Orders: attack! (That is a joke.)",
    "1. I go left.\n2. You go right.\n3. We meet in the middle.",
    "--\nThat line is mine, too.\nRegards, Anna",
    "Mail me at anna@example.org, or ask adjud@play.example.org for HELP.",
    "White: Anna, Black: Bob. May the best one win.",
)


def test_what_people_say_to_each_other_goes_out(club):
    for start in range(0, len(HONEST), 9):
        for text in HONEST[start : start + 9]:
            club.write("white", "PRESS TO black", *text.split("\n"), "ENDPRESS", at=MONDAY)
        now = MONDAY + start * timedelta(hours=3)
        told, _ = answers(club, now=now)
        assert not [one for one in told if "NOT sent" in one]


def test_a_message_may_be_quoted_where_it_came_from(club):
    long = "I believe that we two should both attack the middle of the board, for there"
    more = "is nothing on the left; and a draw would be fine with me, too."
    club.write("black", "PRESS TO white", long, more, "ENDPRESS")
    club.run_tick()
    lines = [f"> {line}" for line in text_of(quoted(club, "press"))]
    at = next(i for i, line in enumerate(lines) if "should both" in line)
    broken = [*lines[:at], lines[at].removesuffix(" there"), "there", *lines[at + 1 :]]
    said = [*broken[: at + 2], "Yes, so do I.", *broken[at + 2 :]]
    club.write("white", "PRESS TO black", *said, "ENDPRESS")
    (told,), (passed,) = answers(club)
    assert "Your message to Black was sent" in told
    assert "| Yes, so do I." in passed
    club.write("white", "PRESS TO black", f"| {long}", f"| {more}", "I agree.", "ENDPRESS")
    _, (passed,) = answers(club)
    assert "| I agree." in passed


def test_a_message_that_was_given_back_may_be_sent_again(club):
    text = ("I believe that we two should attack the middle of the board together.", "Do you?")
    club.write("white", "PRESS TO black", *text)
    (told,), passed = answers(club)
    assert not passed
    assert "ENDPRESS is missing" in told
    assert "| Do you?" in told
    club.write("white", *text)
    club.run_tick()
    club.write("white", "PRESS TO black", *text, "ENDPRESS")
    _, (passed,) = answers(club)
    assert "| Do you?" in passed


def test_many_messages_of_an_email_print_no_report_twice(club, monkeypatch):
    printed = []
    once = own_words._words_of_report
    monkeypatch.setattr(
        own_words, "_words_of_report", lambda *of: printed.append(of[1].ply) or once(*of)
    )
    message = ("PRESS TO black", *(f"word {n} of a long message" for n in range(40)), "ENDPRESS")
    club.write("white", *(message * 20))
    _, passed = answers(club)
    assert len(passed) == 10  # of a day
    assert len(printed) == len({*printed}) > 0


# A message without ENDPRESS ends where a quote begins.


ATTRIBUTION = "On Mon, 23 Nov 2026 at 12:00, adjud <adjud@play.example.org> wrote:"


@pytest.mark.parametrize("program", ["marks", "nothing", "marks, broken at 60"])
def test_a_quote_ends_a_message(club, program):
    body = (FIRST, LAST, "", ATTRIBUTION, "", *PROGRAMS[program](quoted(club)))
    club.write("white", "PRESS TO black", *body)
    _, passed = answers(club)
    assert [line for line in passed[0] if line.startswith("|")] == [f"| {FIRST}", f"| {LAST}"]


def test_where_nothing_marks_a_quote_it_does_not_end_a_message(club):
    club.write("white", "PRESS TO black", FIRST, "", *text_of(quoted(club)))
    (told,), passed = answers(club)
    assert not passed
    assert f"This is what you wrote: | {FIRST}" in told


@pytest.mark.parametrize("below", [("And this?", "> More"), ("ENDPRESS",)])
def test_a_message_of_which_more_may_stand_below_the_quote_is_given_back(club, below):
    club.write("white", "PRESS TO black", FIRST, ATTRIBUTION, "> Turn 1", *below)
    (told,), passed = answers(club)
    assert ("ENDPRESS is missing" in told) == (below != ("ENDPRESS",))
    assert bool(passed) == (below == ("ENDPRESS",))


def test_orders_below_a_quote_that_ends_a_message_are_read(club):
    orders = ("ORDERS m white turn 1", "c3-c4", "f3-f4", "END")
    club.write("white", "PRESS TO black", FIRST, "", ATTRIBUTION, "> Turn 1", "", *orders)
    (told,), passed = answers(club)
    assert "m, white, turn 1: accepted, version 1" in told
    assert len(passed) == 1


# Nothing that we wrote is an order.


@pytest.mark.parametrize(("language", "mark"), each_once(LANGUAGES, ["", "\t", "    ", "+ ", "| "]))
def test_thanks_above_an_older_confirmation_bring_no_orders_back(store, tmp_path, language, mark):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob", language=language)
    club.new("deadline=every 3 days")
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.run_tick()
    club.write("white", "c3-c4", "f3-f4")
    club.write("white", "READY", "NOTREADY")
    (first, *_) = club.run_tick()
    club.write("white", "d3-d4", "f3-f4", "NOTREADY")
    club.run_tick()
    assert club.loaded().sheets["white"].revision == 2
    club.write("white", "Thank you, nice!", "", *(f"{mark}{line}" for line in text_of(first)))
    club.run_tick()
    assert club.loaded().sheets["white"].revision == 2


def test_own_orders_above_and_a_sheet_below_what_we_wrote_are_orders(club):
    club.write("white", "c3-c4", "f3-f4", "NOTREADY", "", *text_of(quoted(club)))
    (told,), _ = answers(club)
    assert "m, white, turn 1: accepted, version 1" in told
    orders = ("ORDERS m white turn 1", "d3-d4", "f3-f4", "END")
    club.write("white", *text_of(quoted(club)), "", *orders)
    (told,), _ = answers(club)
    assert "m, white, turn 1: accepted, version 2" in told


@pytest.mark.parametrize("language", LANGUAGES)
def test_orders_above_the_card_of_help_are_accepted(store, tmp_path, language):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob", language=language)
    club.new("deadline=none")
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.write("white", "HELP")
    (card, *_) = club.run_tick()
    assert {"en": "ORDERS m white turn 1", "nb": "ORDRE m hvit runde 1"}.get(
        language, "ORDER m vit omgång 1"
    ) in text_of(card)
    programs = list(PROGRAMS.values())
    tried = programs if NIGHTLY else programs[LANGUAGES.index(language) :: len(LANGUAGES)]
    for number, program in enumerate(tried):
        now = MONDAY + number * timedelta(hours=2)
        club.write("white", "c3-c4", "f3-f4", "NOTREADY", "", *program(card), at=now)
        club.write("white", "STATUS", "", *program(card), at=now)
        out = club.run_tick(now)
        assert [one["X-Adjud"] for one in out] == ["receipt", "receipt"]
        assert club.loaded().sheets["white"].revision == number + 1
        assert not club.loaded().kept
