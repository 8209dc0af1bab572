"""A new holder of a seat begins anew.

Nothing of the old one's is his, and he and all others read how things stand now.
"""

from datetime import timedelta

import pytest
from msgspec import structs

from tests.club import MONDAY, Refusal
from tests.service.mailclub import MailClub
from tests.service.spionclub import SpionClub

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob", "Carl")
    return club


def begin(club, *options, **more):
    club.new("deadline=every 4 days", *options, **more)
    club.run_tick()


def at_white(club, *options):
    """Play a match to White's first turn."""
    begin(club, *options)
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.run_tick()


def replace(club, player="Carl", seat="white", now=MONDAY, **more):
    told = club.replace("m", seat, player, now=now, **more)
    return str(told)


def text(email):
    return " ".join(email.get_body(("plain",)).get_content().split())


def to(emails, name):
    return [email for email in emails if f"{name.lower()}@" in str(email["To"])]


def notice_of(emails, name):
    (email,) = [one for one in to(emails, name) if one["X-Adjud"] == "notice"]
    return text(email)


# What the old holder had sent.


def test_the_set_up_of_who_left_is_not_his_successors(club):
    """This is so even if all set-ups were in and only the tick had not come yet."""
    begin(club)
    club.send("white", "SETUP RANDOM")
    club.send("black", "SETUP RANDOM")
    replace(club)
    assert club.tick() == []
    assert club.loaded().sheets.keys() == {"black"}
    assert club.send("white", "SETUP RANDOM").accepted
    assert club.tick() == ["m: adjudicated; turn 1 is waiting for white"]


def test_nor_are_his_orders(club):
    at_white(club)
    club.order("white")
    replace(club)
    assert club.tick() == []
    assert club.report("white")["orders"] is None
    assert club.order("white").accepted
    assert club.tick() == ["m: adjudicated; turn 1 is waiting for black"]
    assert club.verify("m") == []


@pytest.mark.parametrize("computer", ["computer", "computer:random"])
def test_a_computer_orders_for_itself(club, computer):
    begin(club)
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    replace(club, computer)
    assert club.loaded().sheets.keys() == {"black"}
    assert club.tick()[0] == "m: adjudicated; turn 1 is waiting for white"
    assert club.loaded().awaited == ("black",)


def test_what_a_computer_has_ordered_is_not_the_orders_of_who_takes_over(club):
    begin(club, white="computer")
    club.tick()
    assert club.loaded().sheets.keys() == {"white"}
    replace(club)
    club.send("black", "SETUP RANDOM")
    assert club.tick() == []
    assert club.loaded().sheets.keys() == {"black"}


@pytest.mark.parametrize("told", [True, False])
def test_an_offer_of_a_draw_ends_with_who_made_it(club, told):
    at_white(club)
    club.send("white", "DRAW")
    if told:
        club.tick()
        assert club.report("black")["draw_offer"] == "white"
    replace(club)
    club.send("black", "DRAW")
    club.tick()
    assert club.loaded().match.status == "playing"
    assert club.loaded().draw_offer == "black"


def test_the_others_are_told_that_an_offer_has_ended_if_they_were_told_of_it(club):
    at_white(club)
    club.send("white", "DRAW")
    club.run_tick()
    replace(club)
    told = notice_of(club.run_tick(), "Bob")
    assert told == "Carl now plays White. The draw offer from that seat has ended."


def test_an_offer_that_nobody_was_told_of_ends_in_silence(club):
    at_white(club)
    club.send("white", "DRAW")
    replace(club)
    assert notice_of(club.run_tick(), "Bob") == "Carl now plays White."


def test_the_other_seats_offer_stands(club):
    at_white(club)
    club.send("black", "DRAW")
    club.tick()
    replace(club)
    assert club.report("white")["draw_offer"] == "black"


def test_nobody_resigns_for_his_successor(club):
    at_white(club)
    club.send("white", "RESIGN")
    replace(club)
    assert club.tick() == []


def test_nor_keeps_him_waiting(club):
    at_white(club)
    club.send("white", "NOTREADY")
    replace(club)
    club.order("white")
    assert club.tick() == ["m: adjudicated; turn 1 is waiting for black"]


def test_what_waited_to_be_confirmed_waits_no_longer(club):
    """Otherwise wrong codes of the one would tell the other that something of his was void."""
    at_white(club)
    club.write("white", "DRAW", sender="anna@work.example")
    club.run_tick()
    replace(club)
    club.run_tick()
    for n in range(6):
        lines = f"CONFIRM 22222{n + 2}"
        club.write("white", lines, sender="carl@example.org", to=club.address("white", tenure=2))
        for email in club.run_tick():
            assert email["X-Adjud"] == "refusal"


def test_excused_misses_are_those_of_who_missed(club):
    begin(club, "excused=1")
    club.send("black", "SETUP RANDOM")
    club.tick(MONDAY + 5 * DAY)
    assert club.loaded().holders["white"].missed == 1
    replace(club, now=MONDAY + 5 * DAY)
    assert club.loaded().holders["white"].missed == 0


def test_an_undo_brings_back_nothing_of_who_has_left(club):
    begin(club)
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.send("white", "DRAW")
    club.tick()
    replace(club)
    club.undo("m")
    loaded = club.loaded()
    assert loaded.sheets.keys() == {"black"}
    assert {d.seat for d in loaded.declarations} <= {"black"}
    emails = club.run_tick()
    (first,) = to(emails, "Carl")
    assert first["X-Adjud"] == "report"
    assert "Anna" not in text(first)
    assert club.loaded().match.ply == 0


def test_a_seat_that_has_left_the_match_is_given_to_nobody(store, tmp_path):
    club = SpionClub(store, tmp_path)
    club.begin(players=4)
    club.send("red", "RESIGN")
    club.tick()
    club.add("Eva")
    with pytest.raises(Refusal, match="red has left this match"):
        club.replace("m", "red", "Eva")


# What the new one and the others read.


def test_his_first_email_is_the_seats_present_page_made_for_him(club):
    at_white(club)
    late = MONDAY + 3 * DAY
    replace(club, now=late)
    (first,) = to(club.run_tick(late), "Carl")
    assert first["X-Adjud"] == "report"
    assert first["Subject"] == "[m] Turn 1: your move, due Mon 30 Nov 12:00"
    assert first["Reply-To"] == club.address("white", tenure=2)
    told = text(first)
    assert "White: Carl (you)" in told
    assert "Anna" not in told
    assert "Mon 30 Nov 2026, 12:00 UTC" in told


def test_it_is_so_though_the_match_went_on_before_it_was_sent(club):
    at_white(club)
    replace(club)
    club.order("white")
    club.tick()
    reports = [email for email in to(club.run_tick(), "Carl") if email["X-Adjud"] == "report"]
    assert all("Carl (you)" in text(email) for email in reports)
    assert not any("Anna" in text(email) for email in reports)


def test_the_report_of_the_turn_is_his_when_it_is_printed_or_asked_for(club):
    at_white(club)
    replace(club)
    club.run_tick()
    printed = club.sent_report("m", "white", 1).body
    assert printed["players"] == {"white": "Carl", "black": "Bob"}
    address = club.address("white", tenure=2)
    club.write("white", "REPORT 1", sender="carl@example.org", to=address)
    (answer,) = club.run_tick()
    assert "Carl (you)" in text(answer)
    assert "Anna" not in text(answer)


def test_the_others_read_who_plays_now_in_their_language(club):
    begin(club)
    replace(club)
    assert notice_of(club.run_tick(), "Bob") == "Carl now plays White."
    replace(club, "computer:random")
    assert notice_of(club.run_tick(), "Bob") == "The computer now plays White."
    # No name stands in the log of a match, so none stands in the notices that quote it.
    said = [entry["text"] for entry in club.report("black")["notices"]]
    assert "Another player now plays White." in said


def test_an_open_seat_that_the_game_master_fills_is_told_as_one_that_is_joined(club):
    begin(club, white="open")
    replace(club)
    emails = club.run_tick()
    (first,) = to(emails, "Carl")
    assert "White: Carl (you)" in text(first)
    assert first["Subject"] == "[m] Turn 0: your set-up, due Fri 27 Nov 12:00"
    told = "Carl plays White. The match begins; orders are due Fri 27 Nov 2026, 12:00 UTC."
    assert notice_of(emails, "Bob") == told


# How long he has.


def test_who_takes_over_early_has_the_time_that_is_left(club):
    at_white(club)
    assert replace(club, now=MONDAY + 2 * DAY) == "m: Carl plays white"
    assert club.loaded().match.deadline_at == MONDAY + 4 * DAY


def test_who_takes_over_late_has_as_long_as_for_a_turn_that_opens_now(club):
    at_white(club)
    late = MONDAY + 2 * DAY + HOUR
    told = replace(club, now=late, zone="Europe/Oslo")
    assert told == (
        "m: Carl plays white; the deadline is now "
        "2026-11-29 14:00 Europe/Oslo (2026-11-29 13:00 UTC)"
    )
    assert club.loaded().match.deadline_at == late + 4 * DAY
    told = notice_of(club.run_tick(late), "Bob")
    assert told == "Carl now plays White. The deadline is now Sun 29 Nov 2026, 13:00 UTC."


def test_a_turn_whose_deadline_has_passed_is_open_again(club):
    at_white(club)
    late = MONDAY + 6 * DAY
    assert club.tick(late) == ["m: the deadline has passed; the match waits for you"]
    replace(club, now=late)
    match = club.loaded().match
    assert (match.deadline_at, match.trouble) == (late + 4 * DAY, None)
    assert club.tick(late + 3.5 * DAY) == ["m: reminders were queued"]
    assert club.tick(late + 5 * DAY) == ["m: the deadline has passed; the match waits for you"]


def test_a_seat_that_is_not_awaited_needs_no_time(club):
    at_white(club)
    replace(club, seat="black", now=MONDAY + 3 * DAY)
    assert club.loaded().match.deadline_at == MONDAY + 4 * DAY


def test_the_deadline_is_never_moved_forward(club):
    at_white(club)
    club.extend("m", 20 * DAY)
    replace(club, now=MONDAY + 13 * DAY)
    assert club.loaded().match.deadline_at == MONDAY + 24 * DAY


def test_in_a_match_that_is_held_the_time_counts_from_when_it_goes_on(club):
    at_white(club)
    held, replaced, resumed = (MONDAY + n * DAY for n in (3, 10, 12))
    club.hold("m", reason="x", now=held)
    replace(club, now=replaced)
    assert club.loaded().match.status == "held"
    club.resume("m", reason="y", extend=timedelta(), now=resumed)
    assert club.loaded().match.deadline_at == resumed + 4 * DAY


def test_how_long_he_has_does_not_depend_on_who_has_sent(club):
    """Nothing that the game master reads depends on it either; he may play against him."""
    found = []
    for name in ("m", "n", "o"):
        club.new("deadline=every 4 days", name=name)
        if name != "m":
            club.send("white", "SETUP RANDOM", match=name)
        if name == "o":
            club.send("black", "SETUP RANDOM", match=name)
        club.run_tick()
        late = MONDAY + 3 * DAY
        told = club.replace(name, "white", "Carl", now=late)
        found.append((str(told).removeprefix(name), club.loaded(name).match.deadline_at))
    assert found[0] == found[1] == found[2]


def test_a_seat_may_change_hands_twice_before_anything_is_sent(club):
    at_white(club)
    club.add("Dora")
    replace(club)
    replace(club, "Dora")
    emails = club.run_tick()
    assert [one["X-Adjud"] for one in to(emails, "Dora")] == ["report"]
    assert [str(one["Subject"]) for one in to(emails, "Carl")] == ["[m] You no longer play"]


def test_without_a_way_out_it_is_the_same_in_print(club):
    club.context = structs.replace(club.context, sends_mail=False)
    begin(club)
    club.submit("ORDERS m white\nSETUP RANDOM\nEND")
    replace(club)
    report = club.report("white")
    assert report["players"]["white"] == "Carl"
    assert report["orders"] is None
    assert club.way.letters == []
