"""The buttons of emails (emails, section 6): each opens an email that is accepted as it is."""

import re
from datetime import timedelta
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from msgspec import structs

from adjudicator.core.match import Seat
from adjudicator.games import GAMES as KNOWN
from adjudicator.mail.write.compose import MOST, png
from tests.club import MONDAY, NewMatch, computer_orders
from tests.games.samples import of_games, seats_of
from tests.nightly import NIGHTLY, each_once
from tests.service.mailclub import MailClub
from tests.service.sent_back import PROGRAMS, above
from tests.site_pages import board_of_variant

LANGUAGES = ("en", "nb", "sv")
GAMES = ("espionage", "spion", "spies")
REFUSED = (
    *("NOT", "not accepted", "could not", "was ignored", "were ignored"),
    *("IKKE", "ble ikke", "INTE", "ignorert", "ignorera"),
)


def html_of(email):
    part = email.get_body(("html",))
    return "" if part is None else str(part.get_content())


def text_of(email):
    return str(email.get_body(("plain",)).get_content())


def links(email):
    """Return where the links of an email's HTML lead, by what they are called."""
    found = re.findall(r'<a href="([^"]*)"[^>]*>([^<]*)</a>', html_of(email))
    return {unescape(label): unescape(link) for link, label in found}


def opened(link):
    """Return the address, the subject and the lines of the email that a link opens."""
    parts = urlsplit(link)
    told = parse_qs(parts.query.replace("+", "%2B"))
    assert parts.scheme == "mailto"
    return parts.path, told["subject"][0], told["body"][0].splitlines()


def is_well_formed(link):
    _, subject, lines = opened(link)
    assert link.isascii()
    assert len(link) <= MOST
    assert not any("..." in line or "..-.." in line for line in lines)
    assert lines
    assert all(lines)
    assert not subject.startswith("Re:")


def post(club, link, sender="anna@example.org", now=MONDAY):
    """Send the email that a link opens as it is; return the answers."""
    is_well_formed(link)
    address, subject, lines = opened(link)
    club.write("", *lines, sender=sender, to=address, Subject=subject, at=now)
    return [one for one in club.run_tick(now) if sender in one["To"]]


def is_taken(answers):
    assert answers
    subject, text = str(answers[0]["Subject"]), text_of(answers[0])
    assert answers[0]["X-Adjud"] != "refusal", text
    assert not any(word in subject for word in REFUSED), (subject, text)


def to_anna(emails):
    return [one for one in emails if "anna" in one["To"]]


def begun(game, store, folder, language, *options, computer=True):
    """Open a match of Anna, and of computers or Bob; return the club and her first email."""
    made, other = of_games("emails", "begun")[game], "computer" if computer else "Bob"
    club = made(store, folder, language, other, "settle=1 hour", *options)
    return club, to_anna(club.run_tick())[0]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "language"), each_once(GAMES, LANGUAGES))
def test_every_button_of_a_match_is_accepted_as_it_is(store, tmp_path, game, language):
    """The suggested orders are played, too, so later ones come in many positions."""
    club, email = begun(game, store, tmp_path / "spool", language)
    seat, sent, now = seats_of(game)[0], 0, MONDAY
    for _ in range(8):
        for link in links(email).values():
            if link.startswith("mailto:"):
                is_taken(post(club, link, now=now))
                assert seat in club.loaded().sheets
                sent += 1
        loaded = club.loaded()
        if seat not in loaded.sheets:
            club.send(seat, *computer_orders(loaded, seat, "computer"), now=now)
        now += timedelta(hours=2)
        emails = [*to_anna(club.run_tick(now))]
        reports = [one for one in emails if one["X-Adjud"] == "report"]
        email = reports[-1]
    assert sent >= 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_buttons_of_the_end_are_accepted(store, tmp_path, language):
    club, _ = begun("espionage", store, tmp_path / "spool", language, computer=False)
    club.write("black", "RESIGN")
    (asked,) = (one for one in club.run_tick() if "bob" in one["To"])
    code = re.search(r"CONFIRM ([0-9A-Z]+)", text_of(asked))[1]
    assert "Resign m" in links(asked)
    assert code in links(asked)["Resign m"]
    is_well_formed(links(asked)["Resign m"])
    address, _, lines = opened(links(asked)["Resign m"])
    club.write("black", *lines, to=address)
    (ended,) = (one for one in to_anna(club.run_tick()) if one["X-Adjud"] == "report")
    mailtos = [link for link in links(ended).values() if link.startswith("mailto:")]
    assert [opened(link)[2][0] for link in mailtos] == ["REMATCH", "PRESS TO BLACK"]
    for link in mailtos:
        is_taken(post(club, link))
    asked = [raw for _, to, raw in club.way.letters if "bob" in to]
    assert any(b"X-Adjud: press" in raw for raw in asked)


@pytest.mark.parametrize("chosen", ["ACCEPT", "DECLINE"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_offer_has_a_button_for_yes_and_a_link_for_no(store, tmp_path, language, chosen):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", language=language)
    club.add("Bob")
    club.say("Bob", "INVITE Anna TO espionage")
    (asked,) = to_anna(club.run_tick())
    found = {opened(link)[2][0].split()[0]: link for link in links(asked).values()}
    assert [*found] == ["ACCEPT", "DECLINE"]
    is_taken(post(club, found[chosen]))


def newcomer_asked(store, folder, language, *, game="espionage"):
    """Return the club and the invitation of Anna, who is to play Bob and has no address on file
    yet."""
    club = MailClub(store, folder)
    club.context = structs.replace(club.context, contact="gerda@example.org", pictures=True)
    club.add("Bob")
    club.add_player(
        "Anna", "anna@example.org", language=language, zone="UTC", confirmed=False, sends_mail=True
    )
    named = zip(seats_of(game), ("Anna", "Bob"), strict=True)
    seats = [f"{seat}={name}" for seat, name in named]
    wanted = NewMatch(
        game=game, variant=None, name="m", seats=seats, options=(), seed=None, fresh_seed=bytes(32)
    )
    club.create(wanted)
    (asked,) = to_anna(club.run_tick())
    return club, asked


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_invitation_of_a_newcomer_has_a_button_that_confirms(store, tmp_path, language):
    club, asked = newcomer_asked(store, tmp_path / "spool", language)
    link, _ = links(asked).values()
    word, code = opened(link)[2][0].split()
    assert word == "CONFIRM"
    assert code in text_of(asked)
    answers = post(club, link)
    assert any(one["X-Adjud"] == "report" for one in answers)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_invitation_of_a_newcomer_is_declined_with_a_button(store, tmp_path, language):
    """The answer thanks and holds no code, the game master reads who said no, and nothing is
    confirmed; a later yes still counts."""
    club, asked = newcomer_asked(store, tmp_path / "spool", language)
    (_, yes), (told, no) = links(asked).items()
    code = opened(yes)[2][0].split()[1]
    assert opened(no)[2] == [f"DECLINE {code}"]
    is_well_formed(no)
    address, subject, lines = opened(no)
    club.write("", *lines, sender="anna@example.org", to=address, Subject=subject, at=MONDAY)
    answer, passed = sorted(club.run_tick(), key=lambda one: "gerda" in one["To"])
    is_taken([answer])
    assert code not in text_of(answer)
    assert told in text_of(passed)
    assert "Anna" in text_of(passed)
    assert code not in text_of(passed)
    assert post(club, no) == []  # one answer a day
    assert any(one["X-Adjud"] == "report" for one in post(club, yes))


def test_a_wrong_code_declines_no_invitation(store, tmp_path):
    club, asked = newcomer_asked(store, tmp_path / "spool", "en")
    _, no = links(asked).values()
    address, _, _ = opened(no)
    club.write("", "DECLINE 7K3Q", sender="anna@example.org", to=address)
    assert [one for one in club.run_tick() if "gerda" in one["To"]] == []
    club.write("", *opened(no)[2], sender="carl@example.org", to=address)
    assert club.run_tick() == []


@pytest.mark.parametrize(("game", "language"), each_once(GAMES, LANGUAGES))
def test_an_invitation_shows_the_empty_board_of_its_game(store, tmp_path, game, language):
    _, asked = newcomer_asked(store, tmp_path / "spool", language, game=game)
    shown = re.findall(r'<img src="cid:([^"]+)"', html_of(asked))
    pictures = [one for one in asked.walk() if one.get_content_type() == "image/png"]
    assert [f"<{one}>" for one in shown] == [one["Content-ID"] for one in pictures]
    assert len(shown) == 1
    drawn = board_of_variant(KNOWN[game], KNOWN[game].variants[0], language)
    assert pictures[0].get_content() == png(drawn, 180)
    assert len(asked.as_bytes()) < 90_000


def test_without_pictures_an_invitation_has_no_board(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.context = structs.replace(club.context, pictures=False)
    club.add("Bob")
    club.add_player(
        "Anna", "anna@example.org", language="en", zone="UTC", confirmed=False, sends_mail=True
    )
    club.new(white="Anna", black="Bob")
    (asked,) = to_anna(club.run_tick())
    assert "<img" not in html_of(asked)
    assert "image/png" not in [one.get_content_type() for one in asked.walk()]
    assert len(links(asked)) == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_offered_draw_is_accepted_with_a_button(store, tmp_path, language):
    club, _ = begun("espionage", store, tmp_path / "spool", language, computer=False)
    for seat in ("white", "black"):
        club.send(seat, "SETUP AUTO")
    club.run_tick(MONDAY + timedelta(hours=2))
    now = MONDAY + timedelta(hours=3)
    club.write("black", "DRAW", at=now)
    (told,) = to_anna(club.run_tick(now))
    (link,) = links(told).values()
    assert opened(link)[2][1:] == ["DRAW", "END"]
    post(club, link, now=now)
    assert club.loaded().match.status == "over"


@pytest.mark.parametrize(("game", "language"), each_once(GAMES, LANGUAGES))
def test_a_reminder_has_the_button_of_its_report(store, tmp_path, game, language):
    club, email = begun(game, store, tmp_path / "spool", language, "deadline=every 3 days")
    wanted = [opened(link) for link in links(email).values() if link.startswith("mailto:")]
    (told,) = to_anna(club.run_tick(MONDAY + timedelta(days=2, hours=12)))
    assert told["X-Adjud"] == "reminder"
    assert [opened(link) for link in links(told).values()] == wanted
    assert wanted


def test_no_orders_are_suggested_in_a_match_of_people(store, tmp_path):
    """Such a match counts for ratings. What everybody does in a set-up is no advice."""
    club, email = begun("espionage", store, tmp_path / "spool", "en", computer=False)
    assert [opened(link)[2][1:] for link in links(email).values()] == [["SETUP AUTO", "END"]]
    for seat in ("white", "black"):
        club.send(seat, "SETUP AUTO")
    (report,) = to_anna(club.run_tick(MONDAY + timedelta(hours=2)))
    assert links(report) == {}


@pytest.mark.slow
@pytest.mark.parametrize(("game", "language"), each_once(GAMES, LANGUAGES))
def test_what_a_button_says_orders_nothing_when_it_is_sent_back(store, tmp_path, game, language):
    """However a program quotes the email: with marks or none, its text or its HTML. By day each
    program quotes one of two emails."""
    club, email = begun(game, store, tmp_path / "spool", language)
    seat, now, programs = seats_of(game)[0], MONDAY, [*PROGRAMS.values()]
    for number in range(2):
        for program in programs if NIGHTLY else programs[number::2]:
            lines = above("Thanks, this looks fun!", program(email), "See you soon!")
            club.write("", *lines, sender="anna@example.org", to=str(email["Reply-To"]), at=now)
            club.run_tick(now)
            assert club.loaded().sheets.get(Seat(seat)) is None, "\n".join(lines)
        club.send(seat, *computer_orders(club.loaded(), seat, "computer"), now=now)
        now += timedelta(hours=2)
        email = [one for one in to_anna(club.run_tick(now)) if one["X-Adjud"] == "report"][-1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_parts_of_a_daily_email_have_their_buttons(store, tmp_path, language):
    """Each opens an email that names its match by its address and, in orders, in the head."""
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", language=language)
    club.add("Bob")
    club.say("Anna", "PREFS LETTERS DAILY")
    club.run_tick()
    for name in ("m1", "m2"):
        club.new("deadline=every 3 days", name=name)
    for seat in ("white", "black"):
        club.send(seat, "SETUP AUTO", match="m2")
    club.run_tick()
    club.write("black", "DRAW", to=club.address("black", "m2"))
    now = MONDAY + timedelta(hours=20)
    emails = [one for one in to_anna(club.run_tick(now)) if one["X-Adjud"] == "daily"]
    found = [
        unescape(link)
        for one in emails
        for link in re.findall(r'<a href="(mailto:[^"]*)"', html_of(one))
    ]
    sent = [opened(link)[2] for link in found]
    assert any(lines[1:] == ["SETUP AUTO", "END"] and " m1 " in lines[0] for lines in sent)
    assert any(lines[1:] == ["DRAW", "END"] and " m2 " in lines[0] for lines in sent)
    for link in found:
        post(club, link, now=now)
    assert Seat("white") in club.loaded("m1").sheets
    assert club.loaded("m2").match.status == "over"
