"""The public address: HELP, PING, GAMES and JOIN for anybody, and hardly a word more."""

import re
from datetime import timedelta

import pytest

from adjudicator.service.club import people
from adjudicator.service.match import creation
from adjudicator.store import inbox, players
from tests.service.club import MONDAY, SEED
from tests.service.mailclub import MailClub

PUBLIC = "adjud@play.example.org"
DAY = timedelta(days=1)


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna")
    open_match(club)
    club.night()
    return club


def open_match(club, *seats, name="m", options=("deadline=every 3 days",)):
    wanted = creation.Wanted(
        game="espionage",
        variant="small",
        name=name,
        seats=seats,
        options=options,
        seed=None,
        fresh_seed=bytes.fromhex(SEED),
        leave_open=True,
    )
    creation.create(club.store, wanted, now=MONDAY, means=club.means)


def ask(club, *lines, sender="Carl Cox <carl@example.net>", now=MONDAY, **headers):
    club.write("white", *lines, sender=sender, to=PUBLIC, **headers)
    return club.night(now)


def text(letter):
    return letter.get_body(("plain",)).get_content()


def code(letter):
    return re.split("CONFIRM |BEKREFT ", text(letter))[1].split()[0]


def holders(club, match="m"):
    return {seat: holder.shown_name for seat, holder in club.loaded(match).holders.items()}


def person(club, name):
    with club.store.reading() as tx:
        return players.find(tx, name)


@pytest.mark.parametrize("word", ["HELP", "PING", "GAMES", "HJELP", "SPEL"])
def test_anybody_gets_one_short_answer(club, word):
    (letter,) = ask(club, "Hello", word, "my secret")
    assert letter["To"] == "carl@example.net"
    assert letter["Auto-Submitted"] == "auto-replied"
    assert letter["In-Reply-To"] == "<0.white@example.org>"
    assert club.way.letters[-1][0] == ""
    assert "secret" not in text(letter)
    assert len(text(letter)) < 600


def lines(letter):
    return text(letter).replace("\r\n", "\n").splitlines()


def test_games_lists_what_is_to_be_had_and_who_sits_there(club):
    open_match(club, "white=Anna", name="n")
    club.night()
    (letter,) = ask(club, "GAMES")
    assert lines(letter) == [
        "Games: Espionage, Spion, Spies.",
        "Seats to be had:",
        "",
        "m: Espionage small, every 3 days UTC",
        "  White: open seat, JOIN m white",
        "  Black: open seat, JOIN m black",
        "",
        "n: Espionage small, every 3 days UTC",
        "  White: Anna",
        "  Black: open seat, JOIN n black",
    ]


@pytest.mark.parametrize(
    ("deadline", "pace"),
    [
        ("none", "no deadline"),
        ("every day", "every day Europe/Oslo"),
        ("every 36 hours", "every 36 hours Europe/Oslo"),
        ("Fri,Tue 18:00", "Tue, Fri 18:00 Europe/Oslo"),
    ],
)
def test_games_tells_the_pace_of_a_match(club, deadline, pace):
    open_match(club, name="n", options=[f"deadline={deadline}", "timezone=Europe/Oslo"])
    club.night()
    assert f"n: Espionage small, {pace}" in lines(ask(club, "GAMES")[0])


def test_games_lists_the_oldest_of_many(club):
    for number in range(21):
        open_match(club, name=f"n{number}")
    club.night()
    told = text(ask(club, "GAMES")[0])
    assert told.count("Espionage small") == 20
    assert "and 2 more matches" in told


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (
            "SPILL",
            "Ledige plasser:/m: Spionasje liten, hver 3. dag UTC/  Hvit: Anna/"
            "  Svart: ledig plass, BLI MED m svart",
        ),
        (
            "SPEL",
            "Lediga platser:/m: Spionage liten, med 3 dagars mellanrum UTC/  Vit: Anna/"
            "  Svart: ledig plats, GÅ MED m svart",
        ),
    ],
)
def test_games_is_told_in_one_language(club, word, expected):
    (asked,) = ask(club, "JOIN m white", sender="anna@example.org")
    ask(club, f"CONFIRM {code(asked)}", sender="anna@example.org")
    told = lines(ask(club, word)[0])
    assert [line for line in told[1:] if line] == expected.split("/")


def test_a_language_that_is_wished_is_the_answers(club):
    assert "Ledige plasser:" in text(ask(club, "GAMES", "LANGUAGE no")[0])


def test_a_letter_that_asks_nothing_is_not_answered(club):
    assert ask(club, "Buy our watches") == []
    assert ask(club, "ORDERS m white", "SETUP RANDOM", "END") == []


SHEET = ("ORDERS n black turn 0", "SETUP RANDOM", "END")


@pytest.mark.parametrize("lines", [SHEET, ("SETUP RANDOM",), tuple(f"> {line}" for line in SHEET)])
def test_a_players_orders_to_the_public_address_are_not_lost_without_a_word(club, lines):
    (letter,) = ask(club, *lines, sender="Anna <ANNA@example.org>")
    assert letter["To"] == "anna@example.org"
    assert letter["Subject"] == "[adjud] Your orders were NOT read"
    assert letter["X-Adjud"] == "refusal"
    assert "SETUP" not in text(letter)
    assert "the address that your reports come with" in " ".join(text(letter).split())
    with club.store.reading() as tx:
        assert inbox.counts(tx) == {"refused": 1}


def test_a_players_orders_are_not_called_arrived(club):
    told = text(ask(club, "PING", *SHEET, sender="anna@example.org")[0])
    assert "they were NOT read" in told


def test_a_players_orders_to_the_public_address_are_told_three_times_a_day(club):
    sent = [len(ask(club, *SHEET, sender="anna@example.org")) for _ in range(4)]
    assert sent == [1, 1, 1, 0]
    assert ask(club, *SHEET, sender="anna@example.org", Auto_Submitted="auto-replied") == []


# The last way to find a seat: the last part of its address in the sheet's head.


@pytest.fixture
def keyed(club):
    """Let Anna play Black in the match n, with a mail server that loses sub-addresses."""
    open_match(club, "white=computer", "black=Anna", name="n")
    club.night()
    return club


def key(club, seat="black"):
    return club.address(seat, "n").partition("@")[0].rpartition(".")[2]


@pytest.mark.parametrize(
    "head",
    [
        "ORDERS n black turn 0 key {}",
        "ORDRE n svart runde 0 nøkkel {}",
        "ORDER n omgång 0 nyckel {}",
    ],
)
def test_a_key_in_the_head_brings_a_sheet_home_in_any_language(keyed, head):
    letters = ask(keyed, head.format(key(keyed)), *SHEET[1:], sender="anna@example.org")
    assert letters[0]["Subject"] == "[n] Turn 0: orders in force, revision 1"
    assert letters[0]["Reply-To"] == keyed.address("black", "n")


@pytest.mark.parametrize("head", ["ORDERS n svart key {}", "ORDERS n key {}", "ORDERS x key {}"])
def test_a_wrong_key_brings_nothing_home(keyed, head):
    wrong = head.format("a" * 16)
    assert ask(keyed, wrong, *SHEET[1:], sender="mallory@evil.example") == []
    (letter,) = ask(keyed, wrong, *SHEET[1:], sender="anna@example.org")
    assert letter["Subject"] == "[adjud] Your orders were NOT read"
    assert "black" not in keyed.loaded("n").sheets


def test_a_key_with_another_seats_name_brings_nothing_home(keyed):
    assert ask(keyed, f"ORDERS n white key {key(keyed)}", *SHEET[1:], sender="x@evil.example") == []


def test_automatic_mail_and_nobody_are_not_answered(club):
    assert ask(club, "HELP", Auto_Submitted="auto-replied") == []
    assert ask(club, "HELP", sender="a@example.org, b@example.org") == []


def test_the_same_letter_is_answered_once(club):
    assert len(ask(club, "PING")) == 1
    club.post(b"Received: by way of\n" + club.raws[-1], PUBLIC)
    assert club.night() == []


def test_three_answers_a_day_and_address(club):
    assert [len(ask(club, "PING")) for _ in range(4)] == [1, 1, 1, 0]
    assert ask(club, "PING", sender="CARL@example.net") == []
    assert len(ask(club, "PING", sender="dora@example.net")) == 1
    assert len(ask(club, "PING", now=MONDAY + DAY)) == 1


def test_a_hundred_answers_a_day_in_all(club):
    for n in range(101):
        club.write("white", "PING", sender=f"p{n}@example.net", to=PUBLIC)
    assert len(club.night()) == 100


def test_a_stranger_joins_once_he_has_confirmed_his_address(club):
    (asked,) = ask(club, "JOIN m black")
    assert asked["To"] == "carl@example.net"
    assert asked["X-Adjud"] == "confirm"
    assert "black" not in text(asked)
    assert holders(club) == {"white": "", "black": ""}
    letters = ask(club, f"CONFIRM {code(asked)}")
    assert holders(club) == {"white": "", "black": "Carl Cox"}
    assert [letter["X-Adjud"] for letter in letters] == ["report"]
    assert letters[0]["To"] == "Carl Cox <carl@example.net>"
    assert letters[0]["Reply-To"] == club.address("black")
    assert person(club, "carl cox").confirmed_at == MONDAY


def test_a_match_starts_when_it_is_full_and_everybody_is_told(club):
    for sender in ("Carl <carl@example.net>", "Dora <dora@example.net>"):
        (asked,) = ask(club, "JOIN espionage", sender=sender)
        assert club.loaded().match.status == "open"
        letters = ask(club, f"CONFIRM {code(asked)}", sender=sender)
    assert club.loaded().match.status == "playing"
    assert club.loaded().match.deadline_at == MONDAY + 3 * DAY
    notice, first = letters
    assert notice["To"] == "Carl <carl@example.net>"
    told = " ".join(text(notice).split())
    assert "Dora plays Black. The match begins; orders are due Thu 26 Nov" in told
    assert first["To"] == "Dora <dora@example.net>"
    assert str(first["Subject"]).endswith("orders due Thu 26 Nov 2026, 12:00 UTC")


def test_the_first_report_of_who_joins_names_him_and_the_deadline(club):
    """When the match was made, the seat was open and there was no deadline."""
    open_match(club, "white=Anna", name="n")
    club.night()
    (asked,) = ask(club, "JOIN n")
    letters = ask(club, f"CONFIRM {code(asked)}")
    (report,) = [letter for letter in letters if letter["X-Adjud"] == "report"]
    told = " ".join(text(report).split())
    assert "Carl Cox (you)" in told
    assert "open seat" not in told
    assert "There is no deadline" not in told
    assert "Thu 26 Nov 2026, 12:00 UTC" in told
    assert "Anna" in told


def test_a_first_report_that_nobody_has_had_yet_knows_that_the_match_began(club):
    """Both join before the letters to the first of them have gone out."""
    codes = {}
    for sender in ("Carl <carl@example.net>", "Dora <dora@example.net>"):
        (asked,) = ask(club, "JOIN m", sender=sender)
        codes[sender] = code(asked)
    for sender, word in codes.items():
        club.write("white", f"CONFIRM {word}", sender=sender, to=PUBLIC)
    for letter in club.night():
        if letter["X-Adjud"] == "report":
            assert "orders due Thu 26 Nov" in str(letter["Subject"])
            assert "open seat" not in text(letter)


def test_a_code_counts_only_from_its_address_and_once(club):
    (asked,) = ask(club, "JOIN m")
    assert ask(club, f"CONFIRM {code(asked)}", sender="eve@evil.example") == []
    assert holders(club) == {"white": "", "black": ""}
    ask(club, f"CONFIRM {code(asked)}")
    assert holders(club) == {"white": "Carl Cox", "black": ""}
    assert ask(club, f"CONFIRM {code(asked)}") == []
    assert holders(club) == {"white": "Carl Cox", "black": ""}


def test_codes_cannot_be_guessed_for_long(club):
    (asked,) = ask(club, "JOIN m")
    for n in range(5):
        ask(club, f"CONFIRM 22222{n + 2}")
    ask(club, f"CONFIRM {code(asked)}")
    assert holders(club) == {"white": "", "black": ""}


def test_a_code_is_good_for_a_week(club):
    (asked,) = ask(club, "JOIN m")
    ask(club, f"CONFIRM {code(asked)}", now=MONDAY + 7 * DAY)
    assert holders(club) == {"white": "", "black": ""}


def test_the_second_of_two_is_told_that_the_seat_is_taken(club):
    asked = {
        sender: ask(club, "JOIN m black", sender=sender)[0]
        for sender in ("carl@example.net", "dora@example.net")
    }
    ask(club, f"CONFIRM {code(asked['carl@example.net'])}", sender="carl@example.net")
    (letter,) = ask(club, f"CONFIRM {code(asked['dora@example.net'])}", sender="dora@example.net")
    assert "taken before you" in text(letter)
    assert holders(club) == {"white": "", "black": "carl"}
    assert "  White: open seat, JOIN m white" in lines(letter)
    assert person(club, "dora").confirmed_at == MONDAY


def test_who_comes_too_late_reads_of_it_in_his_own_language(club):
    asked = {
        sender: ask(club, "BLI MED m svart", sender=sender)[0]
        for sender in ("carl@example.net", "dora@example.net")
    }
    for sender in asked:
        letters = ask(club, f"CONFIRM {code(asked[sender])}", sender=sender)
    assert lines(letters[-1])[0] == (
        "Den plassen ble tatt før deg. Adressen din er bekreftet og registrert."
    )
    assert "  Hvit: ledig plass, BLI MED m hvit" in lines(letters[-1])


def test_nobody_on_his_way_to_a_seat_runs_into_silence(club):
    """Codes, and what is told to somebody who has confirmed one, are not counted."""
    carl = "carl@example.net"
    assert len(ask(club, "GAMES", sender=carl)) == 1
    for seat in ("white", "black"):
        (asked,) = ask(club, f"JOIN m {seat}", sender=carl)
        quicker = f"quicker-{seat}@example.net"
        (other,) = ask(club, f"JOIN m {seat}", sender=quicker)
        ask(club, f"CONFIRM {code(other)}", sender=quicker)
        (told,) = ask(club, f"CONFIRM {code(asked)}", sender=carl)
        assert "taken before you" in text(told)
    assert [len(ask(club, "GAMES", sender=carl)) for _ in range(3)] == [1, 1, 0]


def test_codes_to_one_address_have_an_end(club):
    assert [len(ask(club, "JOIN m")) for _ in range(12)] == [1] * 10 + [0] * 2
    assert len(ask(club, "GAMES")) == 1


def test_a_code_that_is_not_sent_makes_none_void(club):
    asked = [ask(club, "JOIN m black") for _ in range(11)]
    ask(club, f"CONFIRM {code(asked[9][0])}")
    assert holders(club) == {"white": "", "black": "Carl Cox"}


def test_language_and_zone_beside_a_code_are_obeyed(club):
    (asked,) = ask(club, "JOIN m black")
    assert "LANGUAGE nb and ZONE Europe/Oslo" in " ".join(text(asked).split())
    open_match(club, "white=Anna", name="n")
    (asked,) = [one for one in ask(club, "JOIN n") if one["X-Adjud"] == "confirm"]
    letters = ask(club, f"CONFIRM {code(asked)}", "LANGUAGE sv", "ZONE Europe/Stockholm")
    assert (person(club, "Carl Cox").language, person(club, "Carl Cox").zone) == (
        "sv",
        "Europe/Stockholm",
    )
    mine = [letter for letter in letters if "carl" in str(letter["To"])]
    assert [letter["X-Adjud"] for letter in mine] == ["report"]
    assert "26 nov. 2026, 13:00 Europe/Stockholm" in " ".join(text(mine[0]).split())


def test_a_zone_that_does_not_exist_is_told_without_an_echo(club):
    (asked,) = ask(club, "JOIN m")
    letters = ask(club, f"CONFIRM {code(asked)}", "ZONE Europe/Osol")
    (told,) = [text(letter) for letter in letters if letter["X-Adjud"] == "receipt"]
    assert "There is no such time zone, so times are told in UTC." in told
    assert "Osol" not in told


def test_language_and_zone_without_the_right_code_change_nothing(club):
    ask(club, "JOIN m", sender="anna@example.org")
    ask(club, "CONFIRM AAAAAA", "LANGUAGE sv", "ZONE Europe/Oslo", sender="anna@example.org")
    assert (person(club, "Anna").language, person(club, "Anna").zone) == ("en", "UTC")


def test_who_holds_a_seat_gets_no_second_one(club):
    for expected in ("carl", "carl"):
        (asked,) = ask(club, "JOIN m", sender="carl@example.net")
        ask(club, f"CONFIRM {code(asked)}", sender="carl@example.net")
        assert holders(club) == {"white": expected, "black": ""}


def test_a_player_joins_under_his_own_name_by_the_same_code(club):
    (asked,) = ask(club, "JOIN m", sender="Somebody <ANNA@example.org>")
    ask(club, f"CONFIRM {code(asked)}", sender="anna@example.org")
    assert holders(club) == {"white": "Anna", "black": ""}


def test_a_player_joins_from_the_address_of_a_seat(club):
    open_match(club, "white=Anna", "black=computer:random", name="n")
    club.night()
    club.write("white", "JOIN m black", to=club.address("white", "n"))
    (asked,) = club.night()
    club.write("white", f"CONFIRM {code(asked)}", to=club.address("white", "n"))
    club.night()
    assert holders(club) == {"white": "", "black": "Anna"}


@pytest.mark.parametrize(
    ("sender", "name"),
    [
        ("carl+games@example.net", "carl"),
        ('"Anna" <carl@example.net>', "Anna 2"),
        ('"Cox, \\"The\\" Carl" <carl@example.net>', 'Cox, "The" Carl'),
        ("=?utf-8?q?K=C3=A5re?= <kare@example.net>", "Kåre"),
        ('"computer:random" <carl@example.net>', "carl"),
        ('"boss@club" <carl@example.net>', "carl"),
        (f"{'x' * 90} <carl@example.net>", "x" * 40),
    ],
)
def test_a_newcomer_is_called_what_he_calls_himself(club, sender, name):
    (asked,) = ask(club, "JOIN m", sender=sender)
    ask(club, f"CONFIRM {code(asked)}", sender=sender)
    assert holders(club)["white"] == name


def test_what_cannot_be_joined_is_answered_without_an_echo(club):
    (letter,) = ask(club, "JOIN chess-9")
    assert letter["X-Adjud"] == "receipt"
    assert "chess" not in text(letter)
    assert "JOIN m" in text(letter)


def test_a_newcomer_is_spoken_to_in_the_language_of_his_words(club):
    (asked,) = ask(club, "BLI MED m", sender="Kari <kari@example.no>")
    ask(club, f"BEKREFT {code(asked)}", sender="Kari <kari@example.no>")
    assert person(club, "Kari").language == "nb"


# An address that somebody entered.


def unconfirmed(club, address="dora@example.org"):
    """Let the operator enter Dora, who plays White; return what was sent so far."""
    people.add(
        club.store,
        "Dora",
        address,
        language="en",
        zone="UTC",
        confirmed=False,
        now=MONDAY,
        way_out=True,
    )
    open_match(club, "white=Dora", "black=computer", name="n")
    return club.night()


def test_an_address_is_confirmed_by_mail_and_then_gets_what_waited(club):
    (asked,) = unconfirmed(club)
    assert asked["To"] == "Dora <dora@example.org>" or asked["To"] == "dora@example.org"
    assert max(map(len, text(asked).splitlines())) <= 78
    letters = ask(club, f"CONFIRM {code(asked).lower()}", sender="Dora <dora@example.org>")
    assert person(club, "dora").confirmed_at == MONDAY
    assert [letter["X-Adjud"] for letter in letters] == ["receipt", "report"]
    assert "Your address is confirmed." in text(letters[0])


def test_a_code_confirms_no_other_address(club):
    (asked,) = unconfirmed(club)
    assert ask(club, f"CONFIRM {code(asked)}", sender="eve@evil.example") == []
    assert ask(club, "CONFIRM AAAAAA", sender="dora@example.org") == []
    people.change(
        club.store, "Dora", new_name=None, address="d@example.org", language=None, zone=None,
        confirmed=False, now=MONDAY, way_out=True,
    )  # fmt: skip
    club.night()
    assert ask(club, f"CONFIRM {code(asked)}", sender="dora@example.org") == []
    assert ask(club, f"CONFIRM {code(asked)}", sender="d@example.org") == []
    assert person(club, "dora").confirmed_at is None


def test_what_waited_goes_when_the_operator_confirms_an_address(club):
    unconfirmed(club)
    people.change(
        club.store, "Dora", new_name=None, address=None, language=None, zone=None,
        confirmed=True, now=MONDAY, way_out=True,
    )  # fmt: skip
    assert [letter["X-Adjud"] for letter in club.night()] == ["report"]


def test_the_deadline_is_told_in_each_readers_language_and_zone(club):
    people.change(
        club.store, "Anna", new_name=None, address=None, language="nb", zone="Europe/Oslo",
        confirmed=False, now=MONDAY, way_out=True,
    )  # fmt: skip
    open_match(club, "white=Anna", name="n")
    club.night()
    (asked,) = ask(club, "JOIN n")
    letters = ask(club, f"CONFIRM {code(asked)}")
    told = {letter["To"]: " ".join(text(letter).split()) for letter in letters[-2:]}
    assert "tor. 26 nov. 2026, 13:00 Europe/Oslo (12:00 UTC)" in told["Anna <anna@example.org>"]
    assert "Thu 26 Nov 2026, 12:00 UTC" in told["Carl Cox <carl@example.net>"]
