"""Orders in advance (Espionage section 8), on the whole road: sheets kept, told, used, dropped and
withdrawn."""

import json
from contextlib import closing
from datetime import timedelta
from email.message import EmailMessage

import pytest

from adjudicator.core.message import LANGUAGES, tell
from tests.club import (
    MONDAY,
    Club,
    Printable,
    forms,
    plain,
    receipt_as_json,
    receipt_as_text,
    receipt_digest,
    show,
)
from tests.database import ply_of, tables, update_match
from tests.service.mailclub import MailClub
from tests.service.spiesclub import SpiesClub
from tests.service.spionclub import SpionClub

HOUR = timedelta(hours=1)
ARMY = ("SETUP", "1S25PS14", "1122SP3S", "MHMM543P")  # a3 is 1, b3 is S, ...; h6 is 1, g6 is S, ...
WHITE = {1: ("b3-b4", "c3-c4"), 2: ("d3-d4", "e3-e4"), 3: ("f3-f4", "g3-g4")}
BLACK = {1: ("b6-b5", "c6-c5"), 2: ("d6-d5", "e6-e5"), 3: ("f6-f5", "g6-g5")}


@pytest.fixture
def club(store, tmp_path):
    return begun(store, tmp_path)


def begun(store, folder, *options):
    club = MailClub(store, folder / "spool")

    def begin():
        club.add("Anna", "Bob")
        club.new(*options)
        for seat in ("white", "black"):
            club.send(seat, *ARMY)
        club.run_tick()

    club.brought(f"two known armies {options}", begin)
    return club


def keep(club, seat, turn, *lines, now=MONDAY):
    """Send a sheet that names its turn."""
    text = "\n".join((f"ORDERS m {seat} turn {turn}", *lines, "END"))
    (receipt,) = club.submit(text, now=now)
    return receipt


def text_of(receipt):
    return receipt_as_text(receipt, tell)


def said(email):
    """Return the text of an email on one line, without the bars before a player's words."""
    return " ".join(email.get_body(("plain",)).get_content().replace("|", " ").split())


def ask(club, seat, *lines, **headers):
    """Write an email and return its answer, once nothing else is due."""
    club.write(seat, *lines, **headers)
    emails = club.run_tick()
    return next(one for one in emails if one["X-Adjud"] in ("receipt", "refusal", "confirm"))


# What is kept, and what the receipt says (8.1-8.3).


def test_a_sheet_for_a_later_turn_is_kept(club):
    receipt = keep(club, "white", 2, *WHITE[2])
    assert text_of(receipt).splitlines() == [
        "m, white, turn 2: saved for turn 2, version 1",
        "  d3-d4",
        "  e3-e4",
        "  SHA-256 of ADJUD3|m|white|2|1|kept| with the orders:",
        f"    {receipt_digest('m', 'white', 2, 1, WHITE[2], kept=True)}",
        "  turn 1 is still waiting for your orders",
    ]
    told = receipt_as_json(receipt, tell)
    assert (told["turn"], told["accepted"], told["kept"]) == (2, True, True)
    assert (told["revision"], told["in_force"]) == (1, None)
    assert club.loaded().sheets == {}


def test_the_receipt_says_what_holds_for_the_present_turn(club):
    club.send("white", *WHITE[1])
    club.send("white", *WHITE[1])
    receipt = keep(club, "white", 2, *WHITE[2])
    assert "  turn 1: current orders, version 2" in text_of(receipt).splitlines()
    assert receipt_as_json(receipt, tell)["in_force"] == 2
    assert "  waiting for White" in text_of(keep(club, "black", 1, *BLACK[1])).splitlines()


def test_a_later_sheet_for_the_same_turn_replaces_it(club):
    keep(club, "white", 2, *WHITE[2])
    assert keep(club, "white", 2, "a3-a4", "e3-e4").accepted is False  # a4 is a volcano
    assert keep(club, "white", 2, "h3-h4", "e3-e4").revision == 2
    assert club.report("white")["advance"] == [{"turn": 2, "lines": ["h3-h4", "e3-e4"]}]


def test_five_sheets_are_kept(club):
    for turn in range(2, 7):
        assert keep(club, "white", turn, *WHITE[2]).accepted
    receipt = keep(club, "white", 7, *WHITE[2])
    assert not receipt.accepted
    assert "you already have orders saved for 5 later turns: 2, 3, 4, 5, 6" in text_of(receipt)
    assert keep(club, "white", 6, *WHITE[3]).accepted  # in place of another


def test_clear_advance_makes_room_for_the_sheet_that_it_stands_in(club):
    for turn in range(2, 7):
        keep(club, "white", turn, *WHITE[2])
    receipt = keep(club, "white", 8, "CLEAR ADVANCE", *WHITE[2])
    assert "your orders for later turns are withdrawn: 2, 3, 4, 5, 6" in text_of(receipt)
    assert [sheet.turn for sheet in club.loaded().kept["white"]] == [8]


def test_a_sheet_that_names_no_turn_is_not_kept(club):
    receipt = club.send("black", *BLACK[1])
    assert not receipt.accepted
    assert "for your next turn, write ORDERS m turn 1" in text_of(receipt)
    club.send("white", *WHITE[1])
    club.run_tick()
    assert "for your next turn, write ORDERS m turn 2" in text_of(club.send("white", *WHITE[2]))


def test_none_is_kept_in_the_set_up_or_before_the_match_begins(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new()
    receipt = keep(club, "white", 1, *WHITE[1])
    assert not receipt.accepted
    assert "be saved once the match and its first turn have begun" in text_of(receipt)


@pytest.mark.parametrize("word", ["RESIGN", "DRAW", "READY", "NOTREADY"])
def test_words_about_the_present_are_problems_in_such_a_sheet(club, word):
    receipt = keep(club, "white", 2, *WHITE[2], word)
    assert not receipt.accepted
    assert f"{word} does not belong in orders for a later turn" in text_of(receipt)
    assert not any(club.loaded().kept.values())


def test_what_no_position_allows_is_refused_at_once_and_one_step_is_a_warning(club):
    assert "a4 is a volcano" in text_of(keep(club, "white", 2, "a5-a4", "b3-b4"))
    assert "a set-up cannot be sent in advance" in text_of(keep(club, "white", 2, *ARMY))
    assert "there is no step here" in text_of(keep(club, "white", 2))
    assert "note: line 2: b3-b4: only one step" in text_of(keep(club, "white", 2, "b3-b4"))


def test_sheets_for_several_turns_may_stand_in_one_text_and_two_for_one_turn_not(club):
    text = sheets("white", ("", WHITE[1]), (" turn 2", WHITE[2]), (" turn 3", WHITE[3]))
    found = club.submit(text)
    assert [(one.turn, one.kept, one.accepted) for one in found] == [
        (1, False, True),
        (2, True, True),
        (3, True, True),
    ]
    for twice in (
        sheets("white", ("", WHITE[1]), (" turn 1", WHITE[1])),
        sheets("white", (" turn 2", WHITE[1]), (" turn 2", WHITE[1])),
    ):
        found = club.submit(twice)
        assert not any(one.accepted for one in found)


def sheets(seat, *pairs):
    """Return a text of sheets: what the head of each has behind the seat, and its lines."""
    return "\n".join(
        line for head, lines in pairs for line in (f"ORDERS m {seat}{head}", *lines, "END")
    )


@pytest.mark.parametrize("seat", ["white", "black"])
def test_an_offer_and_its_withdrawal_go_in_one_text_with_sheets_of_who_waits(club, seat):
    first = 2 if seat == "white" else 1  # which has the number of the turn that White orders now
    if seat == "white":
        club.send("white", *WHITE[1])
        club.run_tick()
    orders = {"white": WHITE, "black": BLACK}[seat]
    kept = [(f" turn {turn}", orders[turn]) for turn in (first, first + 1)]
    for lines, standing in ((["DRAW"], [seat]), (["CLEAR"], [])):
        found = club.submit(sheets(seat, ("", lines), *kept))
        assert [(one.accepted, one.kept) for one in found] == [
            (True, False),
            (True, True),
            (True, True),
        ]
        assert [one.seat for one in club.loaded().declarations] == standing
        assert [one.turn for one in club.loaded().kept[seat]] == [first, first + 1]


@pytest.mark.parametrize("word", ["DRAW", "RESIGN"])
def test_a_word_that_needs_no_turn_is_no_second_sheet_where_its_email_comes_late(club, word):
    club.send("white", *WHITE[1])
    club.run_tick()
    text = sheets("black", ("", [word]), (" turn 1", ["IF b3-b4: b6-b5, c6-c5"]))
    found = club.submit(text)
    assert [one.accepted for one in found] == [True, True]
    assert club.loaded().sheets["black"].lines == BLACK[1]
    assert [one.kind for one in club.loaded().declarations] == [word]


@pytest.mark.parametrize("more", [[], ["DRAW"]])
@pytest.mark.parametrize("head", ["", " turn 1"])
def test_clear_withdraws_what_was_before_and_no_orders_below_it(club, head, more):
    """Its email comes late: Black waited when it was written, and now it is his turn."""
    club.send("white", *WHITE[1])
    club.run_tick()
    club.send("black", "DRAW")
    assert club.send("black", "b6-b5", "d6-d5").accepted
    text = sheets("black", (head, ["CLEAR", *more]), (" turn 1", BLACK[1]))
    found = club.submit(text)
    assert [one.accepted for one in found] == [True, True]
    assert club.loaded().sheets["black"].lines == BLACK[1]
    assert [one.kind for one in club.loaded().declarations] == more


@pytest.mark.parametrize("head", ["", " turn 1"])
def test_clear_below_orders_for_its_turn_is_refused_with_them_and_told_why(club, head):
    club.send("white", *WHITE[1])
    club.run_tick()
    text = sheets("black", (" turn 1", BLACK[1]), (head, ["CLEAR"]))
    found = club.submit(text)
    assert [one.accepted for one in found] == [False, False]
    assert all("CLEAR is below the orders" in text_of(one) for one in found)
    clear, orders = ("", ["CLEAR"]), (" turn 1", BLACK[1])
    text = sheets("black", clear, orders, orders)
    found = club.submit(text)
    assert [one.accepted for one in found] == [False, False, False]
    assert all("there are two order sheets" in text_of(one) for one in found)


def test_an_email_takes_an_offer_and_a_sheet_in_advance(club):
    answer = ask(club, "black", sheets("black", ("", ["DRAW"]), (" turn 1", BLACK[1])))
    assert answer["X-Adjud"] == "receipt"
    assert [one.turn for one in club.loaded().kept["black"]] == [1]
    assert [one.kind for one in club.loaded().declarations] == ["DRAW"]


def test_an_email_that_resigns_keeps_its_sheet_in_advance_and_asks(club):
    answer = ask(club, "black", sheets("black", ("", ["RESIGN"]), (" turn 1", BLACK[1])))
    assert answer["X-Adjud"] == "confirm"
    assert [one.turn for one in club.loaded().kept["black"]] == [1]
    assert club.loaded().declarations == []


def test_check_keeps_nothing(club):
    text = "\n".join(("ORDERS m white turn 2", *WHITE[2], "END"))
    (receipt,) = club.check(text)
    assert "would be saved for turn 2; nothing was saved" in text_of(receipt)
    assert not any(club.loaded().kept.values())


def test_a_match_that_does_not_take_them_refuses_them_and_conditions(store, tmp_path):
    club = begun(store, tmp_path, "advance=off")
    assert "but the current turn is 1" in text_of(keep(club, "white", 2, *WHITE[2]))
    assert not club.send("white", "ELSE: b3-b4, c3-c4").accepted
    assert "your next turn" not in text_of(club.send("black", *BLACK[1]))
    assert "advance" not in club.report("white")


def test_a_match_of_before_takes_them(club):
    with club.store.transaction() as tx:
        match = club.loaded().match
        options = {key: value for key, value in match.options.items() if key != "advance"}
        update_match(tx, match.id, options=json.dumps(options))
    assert keep(club, "white", 2, *WHITE[2]).accepted


# Conditions whose turn has come already (8.5).


def test_a_sheet_with_conditions_for_the_present_turn_is_judged_at_once(club):
    receipt = club.send("white", "IF FIGHT: a3-b3", "ELSE: b3-b4, c3-c4")
    assert receipt.accepted
    assert receipt.orders == ["b3-b4", "c3-c4"]
    assert "line 3 was used: ELSE: b3-b4, c3-c4" in text_of(receipt)
    assert club.loaded().sheets["white"].lines == ("b3-b4", "c3-c4")


def test_if_no_line_can_be_used_the_sheet_is_refused_line_by_line(club):
    receipt = club.send("white", "IF FIGHT: b3-b4, c3-c4", "IF b3 OWN: a2-a3, b3-b4")
    assert [(one.line, tell(one.message)) for one in receipt.problems] == [
        (2, "not true: FIGHT"),
        (3, "your own piece is on a3"),
    ]
    assert club.loaded().sheets == {}


@pytest.mark.parametrize(
    ("order", "told"),
    [
        ("b3-b5, c3-c4", "b3 to b5 is too far"),
        ("a3-a4, b3-b4", "a4 is a volcano"),
        ("b3-b4, b4-b5", "b4: two different pieces must move"),
        ("b3-b4, c3-c4, d3-d4", "too many steps"),
    ],
)
def test_what_no_position_allows_is_refused_in_a_sheet_for_the_present_turn_too(club, order, told):
    """A slip of the pen in one line is not passed over for the next one (8.2)."""
    receipt = club.send("white", f"IF b3 OWN: {order}", "ELSE: b3-b4, c3-c4")
    assert not receipt.accepted
    assert [one.line for one in receipt.problems] == [2]
    assert told in text_of(receipt)
    assert club.loaded().sheets == {}


# Its turn has come (8.4).


def test_several_turns_pass_in_one_tick_and_each_player_gets_one_email_that_tells_all(club):
    for turn in (2, 3):
        keep(club, "white", turn, *WHITE[turn])
    for turn in (1, 2):
        keep(club, "black", turn, *BLACK[turn])
    club.send("white", *WHITE[1])
    emails = club.run_tick()
    assert (club.loaded().match.turn, club.loaded().awaited) == (3, ("black",))
    assert sorted(email["To"] for email in emails) == [
        "Anna <anna@example.org>",
        "Bob <bob@example.org>",
    ]
    for seat, email in zip(("white", "black"), emails, strict=True):
        for first, _ in (*WHITE.values(), *list(BLACK.values())[:2]):
            start, target = first.split("-")
            assert start in said(email), (seat, first)
            assert target in said(email), (seat, first)
    printed = club.sent_report("m", "white", 3)
    made = [(step["turn"], step["from"]) for step in printed.body["news"]]
    assert made[0] == (1, "b3")
    assert made[-1] == (3, "g3")
    assert len(made) == 10
    with club.store.reading() as tx:
        assert ply_of(tx, club.loaded().match.id, club.loaded().match.ply).turn == 3


def test_a_report_that_waits_is_sent_unless_a_newer_one_tells_all_of_it(club):
    """No email goes out in these ticks, as when one is killed; meanwhile both order as ever."""
    club.send("white", *WHITE[1])
    club.tick()
    club.send("black", *BLACK[1])
    club.tick()
    keep(club, "black", 2, *BLACK[2])
    club.send("white", *WHITE[2])
    club.tick()
    assert club.loaded().match.turn == 3
    emails = club.run_tick()
    for name in ("anna", "bob"):
        told = " ".join(said(one) for one in emails if name in one["To"])
        for step in (*WHITE[1], *BLACK[1], *WHITE[2], *BLACK[2]):
            assert step in told, (name, step)


def test_each_tick_that_uses_sheets_in_advance_brings_one_email(club):
    """No email says of orders that were used in the same tick that they can still be changed."""
    for turn in (1, 2, 3):
        keep(club, "black", turn, *BLACK[turn])
    for turn in (1, 2, 3):
        club.send("white", *WHITE[turn])
        emails = club.run_tick()
        assert [email["To"] for email in emails].count("Bob <bob@example.org>") == 1
        told = said(next(email for email in emails if "bob" in email["To"]))
        assert all(step in told for step in (*WHITE[turn], *BLACK[turn]))
        assert "can still change" not in told


def test_the_next_email_tells_only_what_is_new(club):
    keep(club, "black", 1, *BLACK[1])
    club.send("white", *WHITE[1])
    assert len(club.run_tick()) == 2
    club.send("white", *WHITE[2])
    club.run_tick()
    assert {step["turn"] for step in club.report("white")["news"]} == {2}


def test_a_used_sheet_is_the_seats_order_in_every_respect(club):
    keep(club, "black", 1, "IF FIGHT: a6-a5", "ELSE: b6-b5, c6-c5")
    club.send("white", *WHITE[1])
    club.run_tick()
    report = club.report("black")
    told = {"turn": 1, "line": 3, "text": "ELSE: b6-b5, c6-c5", "revision": 1}
    digest = receipt_digest("m", "black", 1, 1, BLACK[1])
    assert report["used"] == [told | {"digest": digest, "hashed": "ADJUD3|m|black|1|1|"}]
    assert report["dropped"] == []
    assert report["advance"] == []
    assert club.loaded().holders["black"].ordered_ply == club.loaded().match.ply
    (printed,) = [one for one in club.newest_reports("m") if one.report.seat == "black"]
    assert "Turn 1, line 3, was used: ELSE: b6-b5, c6-c5" in " ".join(
        show(printed, "text").replace("|", " ").split()
    )


def test_a_sheet_that_gives_no_legal_order_is_dropped_and_the_report_says_why(club):
    keep(club, "black", 1, "IF b3-b4 AND FIGHT: b6-b5, c6-c5", "IF c3-c4: a1-a2, b6-b5")
    club.send("white", *WHITE[1])
    emails = club.run_tick()
    assert club.loaded().awaited == ("black",)
    assert club.loaded().sheets == {}
    report = club.report("black")
    assert report["dropped"] == [
        {
            "turn": 1,
            "line": 2,
            "text": "IF b3-b4 AND FIGHT: b6-b5, c6-c5",
            "message": "not true: FIGHT",
        },
        {
            "turn": 1,
            "line": 3,
            "text": "IF c3-c4: a1-a2, b6-b5",
            "message": "the piece on a1 is not yours",
        },
    ]
    assert report["used"] == []
    told = said(next(one for one in emails if "bob" in one["To"]))
    assert "Turn 1, line 2, was not used" in told
    assert "not true: FIGHT" in told
    club.send("black", *BLACK[1])
    club.run_tick()
    assert {one["turn"] for one in club.report("black")["dropped"]} == {1}  # until it has ordered
    club.send("white", *WHITE[2])
    club.run_tick()
    club.send("black", *BLACK[2])
    club.run_tick()
    assert club.report("black")["dropped"] == []


def test_a_report_quotes_little_of_a_long_line_and_nothing_that_a_terminal_obeys(club):
    strange = "# " + "\x1b[31m red " * 20_000
    keep(club, "black", 1, f"IF FIGHT: a6-a5 {strange}", f"ELSE: b6-b5, c6-c5 {strange}")
    keep(club, "black", 2, f"IF FIGHT: d6-d5, e6-e5 {strange}")
    club.send("white", *WHITE[1])
    club.run_tick()
    club.send("white", *WHITE[2])
    club.run_tick()
    report = club.report("black")
    assert [one["text"] for one in report["used"]] == ["ELSE: b6-b5, c6-c5"]
    (dropped,) = report["dropped"]
    assert dropped["text"].startswith("IF FIGHT: d6-d5, e6-e5 #")
    assert len(dropped["text"]) == 100
    for one in club.newest_reports("m"):
        assert "\x1b" not in show(one, "text")


def test_all_of_it_is_told_in_three_languages_as_text_and_page(club):
    keep(club, "black", 1, "IF FIGHT: b6-b5, c6-c5")
    keep(club, "black", 2, "IF NOT d3-d4 AND e6 OWN: d6-d5, e6-e5", "ELSE: f6-f5, g6-g5")
    club.send("white", *WHITE[1])
    club.run_tick()
    (report,) = [one.report for one in club.newest_reports("m") if one.report.seat == "black"]
    conditions = {
        "en": "IF NOT d3-d4 AND e6 OWN: d6-d5, e6-e5",
        "nb": "HVIS IKKE d3-d4 OG e6 EGEN: d6-d5, e6-e5",
        "sv": "OM INTE d3-d4 OCH e6 EGEN: d6-d5, e6-e5",
    }
    heads = {
        "en": "Saved for later turns",
        "nb": "Lagret til senere runder",
        "sv": "Sparat till senare omgångar",
    }
    for language in LANGUAGES:
        for form in ("text", "html"):
            printable = Printable(report, language, "UTC")
            text = " ".join(show(printable, form).replace("|", " ").split())
            assert conditions[language] in text
            assert heads[language] in text


def test_no_sheet_is_used_while_the_other_seats_offer_of_a_draw_stands(club):
    keep(club, "black", 1, *BLACK[1])
    club.send("white", "DRAW", *WHITE[1])
    club.run_tick()
    assert club.loaded().awaited == ("black",)
    assert club.loaded().sheets == {}
    report = club.report("black")
    assert report["draw_offer"] == "white"
    (dropped,) = report["dropped"]
    assert dropped["text"] == "b6-b5, c6-c5"
    assert "White offers a draw, so this was not used" in dropped["message"]


def test_settling_runs_from_the_moment_in_which_its_turn_comes(store, tmp_path):
    club = begun(store, tmp_path, "settle=2 hours")
    club.run_tick(MONDAY + 3 * HOUR)
    keep(club, "black", 1, *BLACK[1], now=MONDAY + 3 * HOUR)
    club.send("white", *WHITE[1], now=MONDAY + 3 * HOUR)
    club.run_tick(MONDAY + 5 * HOUR)
    assert club.loaded().awaited == ("black",)
    assert club.loaded().sheets["black"].received_at == MONDAY + 5 * HOUR
    assert club.report("black", MONDAY + 5 * HOUR)["orders"] == {
        "revision": 1,
        "lines": list(BLACK[1]),
    }
    club.run_tick(MONDAY + 6 * HOUR)
    assert club.loaded().awaited == ("black",)
    club.run_tick(MONDAY + 7 * HOUR)
    assert club.loaded().awaited == ("white",)


def test_an_order_in_advance_may_still_be_replaced_while_it_settles(store, tmp_path):
    club = begun(store, tmp_path, "settle=2 hours")
    later = MONDAY + 3 * HOUR
    club.run_tick(later)
    keep(club, "black", 1, *BLACK[1], now=later)
    club.send("white", *WHITE[1], now=later)
    club.run_tick(later + 2 * HOUR)
    assert club.send("black", *BLACK[2], now=later + 2 * HOUR).revision == 2
    assert club.report("black", later + 2 * HOUR)["used"] == []


def test_a_seat_with_an_order_in_advance_misses_no_deadline(store, tmp_path):
    """Two days for each turn; nothing settles before, so each is adjudicated at its deadline."""
    club = begun(store, tmp_path, "deadline=every 2 days", "settle=9 days", "absence=forfeit")
    second = MONDAY + timedelta(days=2)
    club.run_tick(second)
    keep(club, "black", 1, *BLACK[1], now=second)
    club.send("white", *WHITE[1], now=second)
    club.run_tick(second + timedelta(days=2))
    assert club.loaded().awaited == ("black",)
    hours = range(48, 97, 6)
    emails = [one for hour in hours for one in club.run_tick(second + hour * HOUR)]
    assert (club.loaded().match.turn, club.loaded().awaited) == (2, ("white",))
    assert not [one for one in emails if one["X-Adjud"] == "reminder"]


def test_notready_holds_the_turn_in_which_it_was_said_and_no_later_one(club):
    club.send("white", *WHITE[1], "NOTREADY")
    keep(club, "white", 2, *WHITE[2])
    keep(club, "black", 1, *BLACK[1])
    club.run_tick()
    assert club.loaded().awaited == ("white",)
    club.send("white", "READY")
    club.run_tick()
    assert (club.loaded().match.turn, club.loaded().awaited) == (2, ("black",))


def test_the_record_and_the_log_hold_the_order_that_was_used(club):
    keep(club, "black", 1, "IF FIGHT: a6-a5", "ELSE: b6-b5, c6-c5")
    club.send("white", *WHITE[1])
    club.run_tick()
    club.send("white", "RESIGN")
    club.run_tick()
    record = club.report("white")["record"]
    assert "1. b3-b4 c3-c4 / b6-b5 c6-c5" in record
    assert "ELSE" not in record
    assert club.verify("m") == []


# Withdrawn (8.2, 8.7).


def test_clear_withdraws_the_present_turn_and_lists_what_is_kept(club):
    club.send("white", *WHITE[1])
    keep(club, "white", 2, *WHITE[2])
    keep(club, "white", 3, *WHITE[3])
    told = text_of(club.send("white", "CLEAR"))
    assert "still saved for later turns: 2, 3" in told
    assert club.loaded().sheets == {}


def test_clear_in_a_sheet_for_a_later_turn_withdraws_that_one_alone(club):
    keep(club, "white", 2, *WHITE[2])
    keep(club, "white", 3, *WHITE[3])
    club.send("white", *WHITE[1])
    assert "your saved orders for turn 2 are withdrawn" in text_of(keep(club, "white", 2, "CLEAR"))
    assert [sheet.turn for sheet in club.loaded().kept["white"]] == [3]
    assert "white" in club.loaded().sheets
    assert "nothing is saved for turn 2" in text_of(keep(club, "white", 2, "CLEAR"))


@pytest.mark.parametrize("words", ["CLEAR ADVANCE", "slett forhånd", "Rensa förväg"])
def test_clear_advance_withdraws_all_that_waits(club, words):
    club.send("white", *WHITE[1])
    keep(club, "white", 2, *WHITE[2])
    keep(club, "white", 3, *WHITE[3])
    told = text_of(club.send("white", words))
    assert "your orders for later turns are withdrawn: 2, 3" in told
    assert not any(club.loaded().kept.values())
    assert "white" in club.loaded().sheets
    club.run_tick()
    assert club.loaded().awaited == ("black",)


def test_no_deadline_binds_them(store, tmp_path):
    club = begun(store, tmp_path, "deadline=every 2 days")
    club.send("white", *WHITE[1])
    late = MONDAY + timedelta(days=3)
    assert keep(club, "white", 2, *WHITE[2], now=late).accepted
    assert keep(club, "white", 2, "CLEAR", now=late).accepted


def statuses(club):
    with club.store.reading() as tx:
        return [
            (row.seat, row.ply, row.status)
            for row in tx.execute(
                tables.submission.select().where(tables.submission.c.turn.is_not(None))
            )
        ]


def test_the_end_withdraws_all_that_waits(club):
    keep(club, "white", 2, *WHITE[2])
    keep(club, "black", 1, *BLACK[1])
    club.send("white", "RESIGN")
    club.run_tick()
    assert {status for _, _, status in statuses(club)} == {"withdrawn"}
    assert "m is over" in text_of(keep(club, "white", 2, *WHITE[2]))


def test_a_replacement_withdraws_that_seats_and_the_successor_reads_nothing_of_it(club):
    keep(club, "black", 1, "IF FIGHT: b6-b5, c6-c5")
    keep(club, "black", 2, *BLACK[2])
    keep(club, "white", 2, *WHITE[2])
    club.send("white", *WHITE[1])
    club.run_tick()
    assert club.report("black")["dropped"]
    club.add("Carl")
    club.replace("m", "black", "Carl")
    emails = club.run_tick()
    assert [sheet.seat for sheets in club.loaded().kept.values() for sheet in sheets] == ["white"]
    report = club.report("black")
    assert report["advance"] == []
    assert not any("not true" in said(one) for one in emails if "carl" in one["To"])


def test_a_successor_reads_old_reports_without_what_they_told_of_sheets_in_advance(club):
    keep(club, "black", 1, "IF FIGHT: b6-b5, c6-c5")
    keep(club, "black", 3, *BLACK[3])
    club.send("white", *WHITE[1])
    club.run_tick()
    club.send("black", *BLACK[1])
    club.run_tick()
    before = club.sent_report("m", "black", 1).body
    assert before["dropped"]
    assert before["advance"]
    club.add("Carl")
    club.replace("m", "black", "Carl")
    after = club.sent_report("m", "black", 1).body
    assert (before["ordered"] != [], after["ordered"]) == (True, [])
    told = {"advance", "used", "dropped", "ordered", "made"}
    assert [{k: v for k, v in one.items() if k not in told} for one in (before, after)] == [
        {key: after[key] for key in after if key not in told}
    ] * 2


def test_an_undo_withdraws_every_seats_and_says_so_to_all_alike(store, tmp_path):
    club = begun(store, tmp_path, "settle=1 hour")
    later = MONDAY + 2 * HOUR
    club.run_tick(later)
    keep(club, "black", 1, *BLACK[1], now=later)
    keep(club, "black", 2, *BLACK[2], now=later)
    keep(club, "white", 3, *WHITE[3], now=later)
    club.send("white", *WHITE[1], now=later)
    club.tick(later + HOUR)
    club.tick(later + 2 * HOUR)
    assert club.loaded().awaited == ("white",)
    club.undo("m", reason="A slip.", now=later + 2 * HOUR)
    loaded = club.loaded()
    assert loaded.awaited == ("black",)
    assert loaded.sheets == {}
    assert not any(loaded.kept.values())
    for seat in ("white", "black"):
        (notice,) = club.report(seat, later + 2 * HOUR)["notices"]
        assert "Your orders sent in advance are withdrawn." in notice["text"]


def test_an_email_that_waits_while_its_successor_is_undone_tells_of_nothing_withdrawn(club):
    """Several turns have passed in a tick from which no email has gone out yet."""
    for turn in (1, 2, 3):
        keep(club, "black", turn, *BLACK[turn])
    keep(club, "white", 2, *WHITE[2])
    club.send("white", *WHITE[1])
    club.tick()
    club.undo("m", reason="A slip.")
    assert club.loaded().awaited == ("black",)
    (told,) = [
        said(one) for one in club.run_tick() if one["X-Adjud"] == "report" and "bob" in one["To"]
    ]
    assert "It's your turn" in told
    assert "Your orders are in" not in told
    assert "Saved for later turns" not in told
    assert "d3-d4" in told
    assert "b3-b4" in told


def test_an_undo_sends_no_report_of_long_ago_that_a_newer_one_has_told(club):
    keep(club, "black", 1, *BLACK[1])
    club.send("white", *WHITE[1])
    club.run_tick()
    club.send("white", *WHITE[2])
    club.run_tick()
    club.send("black", *BLACK[2])
    club.run_tick()
    club.send("white", *WHITE[3])
    club.tick()
    assert len(list(club.queue(["dropped"], gm=True))) == 2
    club.undo("m", reason="A slip.")
    assert len(list(club.queue(["dropped"], gm=True))) == 2
    assert not [one["Subject"] for one in club.run_tick() if "Turn 1" in one["Subject"]]


# Nobody else is told (8.7).


def world(store, folder, sheets):
    """Play a little with these sheets of Black's kept for turns that do not come."""
    club = begun(store, folder)
    club.send("white", *WHITE[1])
    club.run_tick()
    club.send("black", *BLACK[1])
    for turn, lines in sheets:
        assert keep(club, "black", turn, *lines).accepted
    keep(club, "white", 3, *WHITE[3])
    emails = club.run_tick()
    told = [email.as_bytes() for email in emails if "anna" in email["To"]]
    for language in LANGUAGES:
        report = club.live_report("m", "white").report
        printable = Printable(report, language, "UTC")
        told += [text.encode() for _, text in forms(printable)]
    told.append(json.dumps(club.status(None)).encode())
    told.append("\n".join(club.told).encode())
    told.append(repr(club.letters()).encode())
    return told


@pytest.mark.slow
def test_worlds_that_differ_in_the_other_seats_kept_sheets_alone_look_the_same(
    sqlite_url, tmp_path
):
    import shutil

    from tests.database import open_store

    found = []
    empty = tmp_path / "adjud.db"
    for number, sheets in enumerate(
        (
            (),
            ((3, BLACK[3]), (4, ("IF FIGHT: a6-a5", "ELSE: f6-f5"))),
            tuple((turn, BLACK[2]) for turn in range(3, 8)),
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        shutil.copyfile(empty, folder / "adjud.db")
        store = open_store(f"sqlite:///{folder / 'adjud.db'}")
        found.append(world(store, folder, sheets))
        store.close()
    assert found[0] == found[1] == found[2]


def queue_of(club):
    emails = map(plain, club.queue(()))
    return [{**one, "id": ""} for one in emails]


@pytest.mark.slow
def test_no_turn_that_passes_lists_an_email_with_orders_in_advance_nor_its_answer(
    sqlite_url, tmp_path
):
    """The operator may play; an email to a seat that was not awaited would tell him of a sheet."""
    import shutil

    from tests.database import open_store

    found, open_ = [], []
    for sheets in ((), (3, 4, 3)):
        folder = tmp_path / str(len(found))
        folder.mkdir()
        shutil.copyfile(tmp_path / "adjud.db", folder / "adjud.db")
        with closing(open_store(f"sqlite:///{folder / 'adjud.db'}")) as store:
            club = begun(store, folder)
            for turn in sheets:
                ask(club, "black", f"ORDERS m black turn {turn}", *BLACK[3], "END")
            for turn in (1, 2):
                club.send("white", *WHITE[turn])
                club.run_tick()
                club.send("black", *BLACK[turn])
                club.run_tick()
            club.send("white", *WHITE[3])
            found.append((queue_of(club), Club(store).status(None)))
            club.run_tick()  # now one is used, if it was sent
            club.send("white", *WHITE[1])
            club.run_tick()
            shown = queue_of(club)
            assert not [one for one in shown if one.get("kind") == "receipt"]
            club.send("white", "RESIGN")
            club.run_tick()
            open_.append(len(queue_of(club)) - len(shown))
    assert found[0] == found[1]
    # At the end: three emails, their answers, and the report of the turn that used one.
    assert open_[1] - open_[0] == 7


def test_the_other_seats_report_is_the_same_whether_an_order_came_in_advance(club):
    keep(club, "black", 1, *BLACK[1])
    club.send("white", *WHITE[1])
    club.run_tick()
    report = club.report("white")
    assert (report["advance"], report["used"], report["dropped"]) == ([], [], [])
    assert "IF" not in json.dumps(report["news"])


# By email.


def test_bare_lines_may_have_conditions_and_are_named_where_they_stand_wrong(club):
    answer = ask(club, "white", "IF FIGHT: a3-b3", "ELSE: b3-b4, c3-c4")
    assert "line 2 was used: ELSE: b3-b4, c3-c4" in said(answer)
    answer = ask(club, "black", "ORDERS m black turn 1", *BLACK[1], "END", "ELSE: d6-d5, e6-e5")
    assert "line 5: ELSE: d6-d5, e6-e5: this looks like an order, but it is outside" in said(answer)


def test_an_email_is_told_that_its_sheet_is_kept(club):
    answer = ask(club, "white", "ORDERS m white turn 2", *WHITE[2], "END")
    assert answer["Subject"] == "[m] Turn 2: orders saved"
    assert "m, white, turn 2: saved for turn 2, version 1" in said(answer)
    assert "turn 1 is still waiting for your orders" in said(answer)
    told, proofs = said(answer).split(" Proofs ")
    assert told.endswith("Saved for later turns: 2.")
    assert receipt_digest("m", "white", 2, 1, WHITE[2], kept=True) in proofs


def test_the_subject_says_that_one_sheet_is_kept_where_another_was_refused(club):
    sheets = ("ORDERS m {0} turn 1", "{1}", "{2}", "END", "ORDERS m {0} turn 2", "a1-a9", "END")
    answer = ask(club, "black", *(line.format("black", *BLACK[1]) for line in sheets))
    assert answer["X-Adjud"] == "refusal"
    assert answer["Subject"] == "[m] Turn 1: orders saved, but NOT everything was accepted"
    sheets = ("ORDERS m white turn 1", "a1-a9", "END", "ORDERS m white turn 2", *WHITE[2], "END")
    answer = ask(club, "white", *sheets)
    assert answer["Subject"] == "[m] Turn 1: orders NOT accepted"
    assert [sheet.turn for sheet in club.loaded().kept["white"]] == [2]


def test_check_in_an_email_keeps_nothing(club):
    answer = ask(club, "white", "CHECK", "ORDERS m white turn 2", *WHITE[2], "END")
    assert "would be saved for turn 2" in said(answer)
    assert not any(club.loaded().kept.values())


def test_clear_advance_may_stand_in_an_email_by_itself(club):
    keep(club, "white", 2, *WHITE[2])
    answer = ask(club, "white", "CLEAR ADVANCE")
    assert "your orders for later turns are withdrawn: 2" in said(answer)
    assert not any(club.loaded().kept.values())


def test_an_old_date_is_compared_with_the_sheet_of_the_same_turn(club):
    new, old = "Mon, 23 Nov 2026 12:00:00 +0000", "Mon, 23 Nov 2026 11:00:00 +0000"
    ask(club, "white", "ORDERS m white turn 2", *WHITE[2], "END", Date=new)
    answer = ask(club, "white", "ORDERS m white turn 3", *WHITE[3], "END", Date=old)
    assert answer["Subject"] == "[m] Turn 3: orders saved"
    answer = ask(club, "white", "ORDERS m white turn 2", *WHITE[3], "END", Date=old)
    assert answer["X-Adjud"] == "confirm"
    assert club.loaded().kept["white"][0].lines == WHITE[2]


def test_an_old_email_withdraws_no_newer_sheet_unasked(store, tmp_path):
    club = begun(store, tmp_path, "deadline=every 2 days")
    new, old = "Mon, 23 Nov 2026 12:00:00 +0000", "Mon, 23 Nov 2026 11:00:00 +0000"
    sheet = ("ORDERS m white turn 3", *WHITE[3], "END")
    ask(club, "white", "ORDERS m white turn 1", *WHITE[1], "NOTREADY", "END", Date=new)
    assert ask(club, "white", "CLEAR", *sheet, Date=old)["X-Adjud"] == "confirm"
    assert ask(club, "white", "CLEAR ADVANCE", Date=old)["X-Adjud"] == "receipt"  # none is kept
    ask(club, "white", "ORDERS m white turn 2", *WHITE[2], "END", Date=new)
    assert ask(club, "white", "CLEAR ADVANCE", Date=old)["X-Adjud"] == "confirm"
    assert [sheet.turn for sheet in club.loaded().kept["white"]] == [2]
    assert "white" in club.loaded().sheets


def code_in(answer: EmailMessage) -> str:
    return said(answer).split("CONFIRM ")[1].split()[0]


def test_a_parked_sheet_can_be_confirmed_until_its_turn_is_adjudicated(club):
    sheet = ("ORDERS m white turn 2", *WHITE[2], "END")
    first = code_in(ask(club, "white", *sheet, sender="anna@work.example"))
    second = code_in(ask(club, "white", *sheet, sender="anna@work.example"))
    club.send("white", *WHITE[1])
    club.run_tick()
    answer = ask(club, "white", f"CONFIRM {first}")
    assert "saved for turn 2, version 1" in said(answer)
    club.send("black", *BLACK[1])
    club.run_tick()
    assert club.loaded().match.turn == 2
    assert club.loaded().awaited == ("black",)
    answer = ask(club, "white", f"CONFIRM {second}")
    assert "was for an earlier turn" in said(answer)


def test_of_a_parked_email_the_sheets_whose_turns_are_past_are_refused_alone(club):
    sheets = [
        line for turn in (1, 2) for line in (f"ORDERS m black turn {turn}", *BLACK[turn], "END")
    ]
    code = code_in(ask(club, "black", *sheets, sender="bob@work.example"))
    club.send("white", *WHITE[1])
    club.run_tick()
    club.send("black", *BLACK[3])
    club.run_tick()
    answer = ask(club, "black", f"CONFIRM {code}")
    assert answer["Subject"] == "[m] Turn 2: orders saved, but NOT everything was accepted"
    assert "it's not your turn: turn 2 is waiting for White" in said(answer)
    assert [sheet.lines for sheet in club.loaded().kept["black"]] == [BLACK[2]]
    assert club.loaded().sheets == {}


# Other games.


@pytest.mark.parametrize("club_of", [SpiesClub, SpionClub])
@pytest.mark.slow
def test_other_games_refuse_later_turns_and_keep_their_own_ways(store, tmp_path, club_of):
    club = club_of(store, tmp_path / "spool")
    if isinstance(club, SpiesClub):
        club.start()
    else:
        club.begin()
    loaded = club.loaded()
    seat, turn = loaded.awaited[0], loaded.match.turn
    receipt = keep(club, seat, turn + 1, "MOVE e2")
    assert not receipt.accepted
    told = f"these orders are for turn {turn + 1}, but the current turn is {turn}"
    assert told in text_of(receipt)
    assert "kept" not in receipt_as_json(receipt, tell)
    assert not {"advance", "used", "dropped"} & club.report(seat).keys()
    assert "CLEAR ADVANCE" not in text_of(club.send(seat, "CLEAR ADVANCE"))
