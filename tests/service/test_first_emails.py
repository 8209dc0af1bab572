"""The first email of a match, and the thread in which all emails to a seat stand (emails,
section 6)."""

import re
from email import message_from_bytes, policy
from html import unescape

import pytest
from msgspec.structs import replace

from adjudicator.core.orders import number_lines
from adjudicator.core.public_chance import SEED, source_sentences
from adjudicator.reports.words import words
from tests.club import computer_orders
from tests.games.samples import of_games, seats_of
from tests.service.mailclub import MailClub

WON = of_games("emails", "WON")
HELP = {"en": "line HELP", "nb": "linjen HJELP", "sv": "raden HJÄLP"}


def opened(game, store, folder, language, *options):
    return of_games("emails", "opened")[game](store, folder, language, *options)


def parts(email):
    """Return the text and the HTML of an email, each on one line."""
    found = (email.get_body((kind,)) for kind in ("plain", "html"))
    return [" ".join(part.get_content().split()) for part in found]


def to(emails, name):
    return [one for one in emails if name in one["To"]]


@pytest.mark.parametrize("language", ["en", "nb", "sv"])
@pytest.mark.parametrize("game", WON)
def test_the_first_email_says_what_game_it_is_and_names_help(store, tmp_path, game, language):
    club = opened(game, store, tmp_path / "spool", language)
    (first,) = to(club.run_tick(), "anna")
    for said in parts(first):
        assert WON[game][language] in said.replace("&#39;", "'")
        assert HELP[language] in said


# In an email to a new player: the board, the game, the rules of moving, the example, help, orders.
ORDER = {
    "en": ("The easy way", "What happens next", "Questions", "ORDERS m", "Proofs"),
    "nb": ("Den enkle måten", "Hva som skjer nå", "Slik spør du", "ORDRE m", "Bevis"),
    "sv": ("Det enkla sättet", "Vad som händer sedan", "Så frågar du", "ORDER m", "Bevis"),
}
ABOUT = {"en": "What it is about", "nb": "Hva det går ut på", "sv": "Vad det går ut på"}
BOARD = of_games("emails", "BOARD")


@pytest.mark.parametrize("language", ["en", "nb", "sv"])
@pytest.mark.parametrize("game", WON)
def test_the_first_email_has_its_parts_in_their_order(store, tmp_path, game, language):
    club = opened(game, store, tmp_path / "spool", language)
    (first,) = to(club.run_tick(), "anna")
    text, html = parts(first)
    at = 0
    advised = game != "spion"  # in a match of people only the set-up has orders to send
    for part in (ABOUT[language], BOARD[game], *ORDER[language][not advised :]):
        at = text.index(part, at)
    places = [html.index(part) for part in ORDER[language][1:4]]
    assert places == sorted(places)
    assert not re.search(r"sha256sum|[0-9a-f]{64}", text)
    (file,) = re.findall(r"\bm-[a-z]+-1\.adjud\.json\b", text[at:])
    assert file in [one.get_filename() for one in first.iter_attachments()]


# A word has a letter or a digit. What is for other days or for an audit is not counted: the sheet
# to be filled in, and the proofs.
MOST = of_games("emails", "MOST")
PROOFS = {"en": "Proofs", "nb": "Bevis", "sv": "Bevis"}


def counted(text):
    return sum(bool(re.search(r"[^\W_]", word)) for word in text.split())


@pytest.mark.parametrize("language", ["en", "nb", "sv"])
@pytest.mark.parametrize("game", WON)
def test_the_first_email_is_short(store, tmp_path, game, language):
    """What to know for this turn, and where the rest is."""
    club = opened(game, store, tmp_path / "spool", language, "deadline=every 3 days")
    club.context = replace(club.context, club="The Friday Club", game_master="Gerda")
    (first,) = to(club.run_tick(), "anna")
    text = str(first.get_body(("plain",)).get_content()).replace("\r\n", "\n")
    said, _, rest = text.partition(f"\n{PROOFS[language]}\n-----")
    said = re.sub(r"(?ms)^(?:ORDERS|ORDRE|ORDER) m.*?^(?:END|SLUTT|SLUT)$", "", said)
    assert counted(said) + counted(rest.partition("\n\n")[2]) <= MOST[game]
    html = str(first.get_body(("html",)).get_content())
    html = re.sub(r"(?s)<(head|pre)\b.*?</\1>", "", html)
    chance = " ".join(map(words(language, ""), source_sentences(SEED, first=True)))
    html = re.sub(r"</?(?:b|u|span|a)\b[^>]*>", "", html)
    shown = unescape(re.sub(r"<[^>]*>", " ", html)).replace(chance, "")
    assert counted(shown) <= MOST[game]


@pytest.mark.parametrize("game", WON)
def test_the_example_is_legal_wherever_a_player_comes_in(store, tmp_path, game):
    """Its lines must be legal for each seat in each position of a match of built-in players."""
    club = opened(game, store, tmp_path / "spool", "en")
    found = 0
    for _ in range(12):
        loaded = club.loaded()
        orders = loaded.game.orders
        for seat in loaded.awaited:
            view = loaded.game.sight.observe(loaded.state, seat)
            lines = orders.example(view)
            sheet = orders.parse(number_lines(lines))
            assert not sheet.problems
            assert not orders.check(view, sheet)
            found += bool(lines)
            lines = computer_orders(loaded, seat, "computer:random")
            assert club.send(seat, *lines).accepted
        club.tick()
    assert found > 8


@pytest.mark.parametrize("quoted", ["> ", ""])
@pytest.mark.parametrize("game", WON)
def test_the_example_in_a_first_email_that_is_sent_back_orders_nothing(
    store, tmp_path, game, quoted
):
    club = opened(game, store, tmp_path / "spool", "en")
    (first,) = to(club.run_tick(), "anna")
    text = first.get_body(("plain",)).get_content().splitlines()
    club.write(
        seats_of(game)[0],
        "Thanks, this looks fun!",
        "",
        f"On 23 Nov 2026, adjud <{first['Reply-To']}> wrote:",
        *(f"{quoted}{line}" for line in text),
        sender="anna@example.org",
        to=str(first["Reply-To"]),
    )
    club.run_tick()
    assert club.loaded().sheets == {}


def test_no_later_email_says_it_again(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new()
    club.run_tick()
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    (report,) = club.run_tick()
    assert "What happens next" not in parts(report)[0]


def test_who_takes_a_seat_over_reads_it_and_begins_a_thread(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob", "Carl")
    club.new()
    club.run_tick()
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.run_tick()
    club.replace("m", "white", "Carl")
    (first,) = to(club.run_tick(), "carl")
    assert "You win by capturing" in parts(first)[0]
    assert (first["In-Reply-To"], first["References"]) == (None, None)
    club.announce("m", "Hello.")
    (notice,) = to(club.run_tick(), "carl")
    assert notice["References"] == first["Message-ID"]
    assert notice["Thread-Index"] == first["Thread-Index"]


def test_emails_to_two_seats_are_two_threads(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new()
    club.run_tick()
    told = [message_from_bytes(raw, policy=policy.default) for _, _, raw in club.way.letters]
    assert len({one["Thread-Index"] for one in told}) == 2


def test_if_the_first_report_is_told_by_a_newer_one_that_welcomes(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new()
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.tick()
    (report,) = to(club.run_tick(), "anna")
    assert "Turn 1" in report["Subject"]
    assert "You win by capturing" in parts(report)[0]


def test_the_unsubscribe_link_stops_reminders_and_no_report(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new()
    (first,) = to(club.run_tick(), "anna")
    assert "body=PREFS%20REMINDERS%20OFF" in first["List-Unsubscribe"]
    club.write("white", "PREFS REMINDERS OFF", Subject="PREFS")
    club.run_tick()
    assert club.loaded().holders["white"].reminders == "off"
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    assert [one["X-Adjud"] for one in to(club.run_tick(), "anna")] == ["report"]
