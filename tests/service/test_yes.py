"""A yes above a quoted invitation is a yes, a question about it goes to the game master, and no
stranger is told what is false (emails, 1.3; club, 3)."""

import html
from email.message import EmailMessage

import pytest
from msgspec import structs

from tests.club import MONDAY, SEED, NewMatch
from tests.database import player_named
from tests.service.mailclub import MailClub

PUBLIC = "adjud@play.example.org"
DORA = "dora@example.org"


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.context = structs.replace(
        club.context, club="The Friday Club", game_master="Gerda", contact="gerda@example.org"
    )
    return club


def text(email):
    return email.get_body(("plain",)).get_content().replace("\r\n", "\n")


def said(email):
    return " ".join(text(email).split())


def invited(club, language="en", **options):
    """Let the operator enter Dora, who is to play White; return her invitation."""
    club.add_player("Dora", DORA, language=language, zone="UTC", confirmed=False, sends_mail=True)
    open_match(club, "white=Dora", "black=computer", name="n", **options)
    (email,) = club.run_tick()
    return text(email)


def open_match(club, *seats, name, options=("deadline=every 3 days",)):
    wanted = NewMatch(
        game="espionage", variant="small", name=name, seats=seats, options=options, seed=None,
        fresh_seed=bytes.fromhex(SEED), leave_open=True,
    )  # fmt: skip
    club.create(wanted)


def marked(lines):
    return [f"> {line}".rstrip() for line in lines.splitlines()]


def gmail(words, quoted):
    head = "On Mon, 23 Nov 2026 at 13:00, The Friday Club <adjud@play.example.org> wrote:"
    return [words, "", head, "", *marked(quoted)]


def iphone(words, quoted):
    head = "> On 23 Nov 2026, at 13:00, The Friday Club <adjud@play.example.org> wrote:"
    return [words, "", "Sent from my iPhone", "", head, "> ", *marked(quoted)]


def outlook(words, quoted):
    head = (
        "From: The Friday Club <adjud@play.example.org>",
        "Sent: Monday, 23 November 2026 13:00",
        "To: dora@example.org",
        "Subject: Gerda invites you to play Espionage by email",
    )
    return [words, "", "_" * 32, *head, "", *quoted.splitlines()]


def mutt(words, quoted):
    head = "On Mon, Nov 23, 2026 at 01:00:00PM +0100, The Friday Club wrote:"
    return [head, *marked(quoted), "", words, "", "-- ", "Dora"]


def unmarked(words, quoted):
    return [words, "", *quoted.splitlines()]


PROGRAMS = (gmail, iphone, outlook, mutt, unmarked)


def confirmed(club):
    with club.store.reading() as tx:
        return player_named(tx, "Dora").confirmed_at is not None


def answer(club, lines, sender=DORA, now=MONDAY):
    club.write("white", *lines, sender=sender, to=PUBLIC, at=now)
    return club.run_tick(now)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "Yes!"), ("en", "Sure, count me in"), ("nb", "Ja takk!"), ("sv", "Ja tack")],
)
def test_a_yes_above_a_quoted_invitation_is_one(club, program, language, words):
    quoted = invited(club, language)
    confirmation, report = answer(club, program(words, quoted))
    assert confirmed(club)
    assert report["X-Adjud"] == "report"
    assert "you asked for" not in confirmation["Subject"]


def test_in_html_too(club):
    quoted = html.escape(invited(club)).replace("\n", "<br>")
    email = EmailMessage()
    email["From"], email["To"] = DORA, PUBLIC
    page = f'<div>Yes please!</div><div class="gmail_quote"><blockquote>{quoted}</blockquote></div>'
    email.set_content(page, subtype="html")
    club.post(email.as_bytes(), PUBLIC, DORA)
    club.run_tick()
    assert confirmed(club)


@pytest.mark.parametrize(
    "words", ["Yes?", "Yes, but only in January", "I am away until Monday.", "", "What is this?"]
)
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_no_clear_yes_confirms_nothing(club, program, words):
    quoted = invited(club)
    answer(club, program(words, quoted))
    assert not confirmed(club)


def test_nor_does_a_yes_from_elsewhere_or_without_the_invitation(club):
    quoted = invited(club)
    assert answer(club, gmail("Yes!", quoted), sender="eve@evil.example") == []
    (told,) = answer(club, ["I'd love to play!"])
    assert "write YES above the quoted email" in said(told)
    assert "already play" not in said(told)
    assert not confirmed(club)
    answer(club, gmail("Yes!", quoted))
    assert confirmed(club)


def test_a_question_about_the_invitation_goes_to_the_game_master(club):
    quoted = invited(club)
    question, told = answer(club, gmail("Who else plays? And what does it cost?", quoted))
    assert question["To"] == "gerda@example.org"
    assert "Dora <dora@example.org>: | Who else plays? And what does it cost?" in said(question)
    assert "Espionage" not in said(question)
    assert "Your email was passed on to the game master." in said(told)
    assert told["Subject"] == "[adjud] An answer to your email"
    again = answer(club, gmail("And when does it begin?", quoted))
    assert again == []  # one answer a day; the question waits for the next email to her


def test_but_to_none_who_plays_with_its_writer(club):
    club.context = structs.replace(club.context, contact="bob@example.org")
    club.add("Bob")
    club.add_player("Dora", DORA, language="en", zone="UTC", confirmed=False, sends_mail=True)
    club.new(white="Dora", name="n")
    (quoted,) = [text(one) for one in club.run_tick() if "dora" in str(one["To"])]
    (told,) = answer(club, gmail("Is Bob any good?", quoted))
    assert "was NOT passed on" in said(told)


def test_a_clear_no_is_thanked_for_and_told_to_the_game_master(club):
    quoted = invited(club)
    question, told = answer(club, gmail("No thanks", quoted))
    assert "Nothing else is sent to this address." in said(told)
    assert "CONFIRM" not in said(told)
    assert "| No thanks" in said(question)
    assert not confirmed(club)


def test_a_yes_to_a_code_of_join_is_one(club):
    open_match(club, name="open-1")
    carl = "Carl Cox <carl@example.net>"
    answer(club, ["Hello, how do I play?"], sender=carl)
    (asked,) = answer(club, ["Hi!", "", "I'd like to join open-1.", "", "Carl"], sender=carl)
    assert "Someone asked to join open-1 with this address." in said(asked)
    (report,) = answer(club, gmail("Yes, that's me!", text(asked)), sender=carl)
    assert report["X-Adjud"] == "report"


@pytest.mark.parametrize(
    "words", ["I'd like to join open-7", "I don't want to join open-1", "Who plays in open-1?"]
)
def test_what_asks_for_nothing_that_is_open_brings_no_code(club, words):
    open_match(club, name="open-1")
    assert not any("CONFIRM" in text(one) for one in answer(club, [words], sender="c@example.net"))


def test_a_player_without_a_match_is_not_told_that_he_plays(club):
    club.add("Anna")
    open_match(club, name="open-1")
    club.run_tick()
    (told,) = answer(club, ["Hello there!"], sender="anna@example.org")
    assert "You play in no match here now." in said(told)
    assert "write JOIN open-1 white" in said(told)


@pytest.mark.parametrize(
    ("words", "done"), [("Yes please!", "accepted"), ("No thanks.", "declined")]
)
@pytest.mark.parametrize("program", PROGRAMS)
def test_an_offer_takes_a_yes_and_a_no(club, program, words, done):
    club.add("Anna", "Bob")
    club.say("Anna", "INVITE Bob TO espionage")
    (quoted,) = [text(one) for one in club.run_tick() if "bob" in str(one["To"])]
    club.say("Bob", *program("Who are you?", quoted))
    club.run_tick()
    club.say("Bob", *program(words, quoted))
    told = " ".join(said(one) for one in club.run_tick())
    assert f"Bob has {done}" in told
