"""The email to an address that is new to the club, and the lines below all emails."""

import pytest
from msgspec import structs

from tests.club import Changes
from tests.service.mailclub import MailClub, text_of

NAMED = {
    "club": "The Friday Club",
    "game_master": "Gerda",
    "welcome": "Games by email since 1987.",
    "contact": "gerda@example.org",
    "site_url": "https://club.example.org/",
}
FOOTER = (
    "\n\n-- \nThe Friday Club\nThe game master is Gerda; write to gerda@example.org.\n"
    "https://club.example.org/\n"
)


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.context = structs.replace(club.context, **NAMED)
    return club


def nameless(club):
    club.context = structs.replace(club.context, **dict.fromkeys(NAMED, ""))


def invited(club, *options, language="en"):
    """Return the email to Anna, who is to play Bob."""
    club.add("Bob")
    club.add_player(
        "Anna", "anna@example.org", language=language, zone="UTC", confirmed=False, sends_mail=True
    )
    club.new(*options)
    (email,) = [one for one in club.run_tick() if one["To"].endswith("<anna@example.org>")
                 or one["To"] == "anna@example.org"]  # fmt: skip
    return email


def code(email) -> str:
    return text_of(email).partition("CONFIRM ")[2][:6]


def test_an_invitation_says_who_asks_whom_to_what(club):
    email = invited(club, "deadline=every 3 days")
    assert email["Subject"] == "Gerda invites you to play Espionage by email"
    assert email["From"] == "The Friday Club <adjud@play.example.org>"
    assert text_of(email) == (
        "Hello Anna,\n\n"
        "Games by email since 1987.\n\n"
        "Gerda of The Friday Club invites you to a match of Espionage by email.\n"
        "You play against Bob.\n\n"
        "In Espionage two armies face each other, and you cannot see what the\n"
        "enemy's pieces are. You win by capturing the enemy Headquarters, or\n"
        "when your opponent has no legal move. A match has about 60 turns of a\n"
        "few minutes each. Orders are due every 3 days.\n\n"
        "If you would like to play, reply to this email with the line\n\n"
        f"CONFIRM {code(email)}\n\n"
        "You then get the first email of the match, with the board and what to\n"
        "write.\n\n"
        "It costs nothing and there is nothing to install: you play by replying\n"
        "to emails. Nobody asks you for a password.\n\n"
        "If you would rather not play, or do not know what this is about, do\n"
        "nothing. No other email is sent to you then, and the game master can\n"
        f"ask someone else.{FOOTER}"
    )


def test_it_is_read_in_the_language_of_whoever_is_invited(club):
    email = invited(club, language="nb")
    assert email["Subject"] == "Gerda inviterer deg til å spille Spionasje per e-post"
    assert "Gerda i The Friday Club inviterer deg til et parti Spionasje" in text_of(email)
    assert "Det er ingen frister." in " ".join(text_of(email).split())


def test_a_club_without_names_has_no_names_in_it_and_nothing_below(club):
    nameless(club)
    email = invited(club)
    assert email["Subject"] == "An invitation to play Espionage by email"
    assert email["From"] == "adjud <adjud@play.example.org>"
    text = " ".join(text_of(email).split())
    assert "The game master of a club that plays by email invites you to a match of" in text
    assert "\n-- \n" not in text_of(email)


def test_who_has_no_match_yet_is_invited_to_the_club(club):
    club.add_player(
        "Dora", "dora@example.org", language="en", zone="UTC", confirmed=False, sends_mail=True
    )
    (email,) = club.run_tick()
    assert email["Subject"] == "Gerda invites you to play board games by email"
    text = " ".join(text_of(email).split())
    assert "invites you to play board games by email: Espionage, Spion and Spies." in text
    assert "When a match begins for you, you get its first email" in text


def test_who_replies_is_in_and_gets_the_first_email(club):
    email = invited(club)
    club.write("white", f"CONFIRM {code(email)}", to="adjud@play.example.org")
    subjects = [one["Subject"] for one in club.run_tick() if "anna" in one["To"]]
    assert "[m] Turn 0: your set-up" in subjects


def test_who_sends_it_back_as_it_is_has_confirmed_nothing(club):
    email = invited(club)
    club.write("white", text_of(email), to="adjud@play.example.org")
    (answer,) = [one for one in club.run_tick() if "anna" in one["To"]]
    assert "Nothing is confirmed yet" in text_of(answer)


def test_a_new_address_is_no_invitation(club):
    club.add("Anna", "Bob")
    club.new()
    club.run_tick()
    wanted = Changes(address="anna@new.example")
    club.change("Anna", wanted, sends_mail=True)
    (email,) = club.run_tick()
    assert email["Subject"] == "[adjud] Was it you? Please confirm your address"
    assert text_of(email) == (
        "Hello Anna,\n\n"
        "This is now your email address at The Friday Club.\n\n"
        "To confirm it, reply to this email with the line\n\n"
        f"CONFIRM {code(email)}\n\n"
        "Until then nothing else is sent here, and what is sent to you waits.\n"
        f"If you do not know what this is about, do nothing.{FOOTER}"
    )


def test_the_footer_is_below_every_email_to_a_player_and_in_its_html(club):
    club.add("Anna", "Bob")
    club.new()
    report, _ = club.run_tick()
    club.write("white", "STATUS")
    (answer,) = club.run_tick()
    for email in (report, answer):
        assert text_of(email).endswith(FOOTER)
    html = report.get_body(("html",)).get_content()
    assert "The Friday Club<br>The game master is Gerda; write to gerda@example.org.<br>" in html


def test_it_is_the_same_for_all_readers(club):
    """It tells nothing of a match, and nothing of who reads it."""
    club.add("Anna", "Bob")
    club.new()
    club.new(name="n")
    assert {text_of(email).partition("\n-- \n")[2] for email in club.run_tick()} == {
        FOOTER.partition("\n-- \n")[2]
    }


def test_a_footer_that_comes_back_is_not_read(club):
    club.add("Anna", "Bob")
    club.new()
    report, _ = club.run_tick()
    club.write("white", "STATUS", *text_of(report).splitlines())
    (answer,) = club.run_tick()
    assert "Friday" not in text_of(answer).partition("\n-- \n")[0]


def test_emails_to_the_operator_have_none(club):
    club.add("Anna", "Bob")
    club.new()
    club.run_tick()
    club.write("white", "How do I play this?")
    emails = [one for one in club.run_tick() if one["To"] == "gerda@example.org"]
    assert len(emails) == 1
    assert "\n-- \n" not in text_of(emails[0])
