"""Which of Spion's news are told once, and to whom, and what may be read again (Spion rules 5.5,
5.6)."""

import json
from datetime import timedelta
from email import message_from_bytes
from importlib.resources import files
from io import StringIO

import pytest

from adjudicator.mail.transport.errors import Temporary
from tests.club import MONDAY, Club, NewMatch, Refusal, replay_files, shown_id, which_email
from tests.database import EMAILS_OUT
from tests.rows import rows_of
from tests.service.spionclub import SpionClub, duel

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
WRONG = "CHALLENGE yellow 1 ATOM"
TYPES = ("card", "guess", "given", "kept")  # what an entry of the news may name a type as


@pytest.fixture
def club(store, tmp_path):
    return SpionClub(store, tmp_path / "spool")


def wrong_guess(club, *options):
    """Let all see that Yellow's place 1 is KEMI; Yellow takes Blue's ATOM, which only they know."""
    duel(club, *options)
    club.send("blue", WRONG)
    club.run_tick()


def answered(club):
    club.send("yellow", "ANSWER blue: TAKE 1", "KEEP ATOM: PLACE 3")
    club.run_tick()


def types_in(report):
    return [entry[key] for entry in report["news"] for key in TYPES if key in entry]


def cards_in(report):
    return [entry["cards"] for entry in report["seats"]]


# memory=once


@pytest.mark.slow
def test_types_go_in_an_email_of_their_own_and_in_no_report(club):
    wrong_guess(club, "memory=once")
    for seat in ("blue", "yellow"):
        (told,) = club.to(seat, "aside")
        assert "is CHEMISTRY" in told
        assert types_in(club.report(seat)) == []
    answered(club)
    assert all("ATOM" in club.to(seat, "aside")[-1] for seat in ("blue", "yellow"))
    assert club.verify("m") != []  # the position was laid out by hand


def test_the_email_is_forgotten_when_it_is_handed_over(club):
    wrong_guess(club, "memory=once")
    with club.store.reading() as tx:
        kept = tx.exec_driver_sql(
            "SELECT status, body, raw FROM outbox WHERE kind = 'aside'"
        ).fetchall()
    assert [tuple(row) for row in kept] == [("sent", "null", None)] * 2


def test_nothing_but_the_log_of_events_knows_the_type_afterwards(club):
    """It is nowhere else in the whole database, the truth for the adjudicator apart."""
    wrong_guess(club, "memory=once")
    truth = {"event", "turn", "submission", "inbox"}
    rows = {table: rows for table, rows in rows_of(club.store).items() if table not in truth}
    shown = json.dumps(rows, default=lambda value: value.decode("latin-1") if value else "")
    assert '\\"event\\":\\"shown\\"' in shown
    assert '\\"card\\":\\"KEMI\\"' not in shown
    assert "is CHEMISTRY" not in shown


def test_the_email_is_kept_while_it_cannot_be_handed_over(club):
    duel(club, "memory=once")
    club.send("blue", WRONG)
    club.way.trouble = Temporary("later")
    club.run_tick()
    assert club.to("yellow", "aside") == []
    club.way.trouble = None
    club.run_tick(MONDAY + HOUR)
    assert "is CHEMISTRY" in club.to("yellow", "aside")[0]
    assert club.run_tick(MONDAY + 2 * HOUR) == []
    assert len(club.to("yellow", "aside")) == 1


@pytest.mark.parametrize("status", ["sent", "bounced"])
def test_the_email_never_goes_out_again(club, status):
    wrong_guess(club, "memory=once")
    with club.store.transaction() as tx:
        tx.exec_driver_sql(f"UPDATE outbox SET status = '{status}' WHERE kind = 'aside'")
        asides = [email for email in EMAILS_OUT.emails(tx) if email.kind == "aside"]
    wanted = which_email(shown_id(asides[-1]))
    with pytest.raises(Refusal, match="there is no email"):
        club.retry(wanted)
    assert club.run_tick(MONDAY + HOUR) == []


def test_the_report_email_names_no_type_that_was_shown(club):
    """It is not in the bytes that go out, nor in the page or the picture's text."""
    wrong_guess(club, "memory=once")
    reports = [raw for _, _, raw in club.way.letters if b"X-Adjud: report" in raw]
    last = message_from_bytes(reports[-1])
    for part in last.walk():
        content = (part.get_payload(decode=True) or b"").decode("latin-1")
        assert "is CHEMISTRY" not in content
        assert '"card":"KEMI"' not in content.replace(" ", "")


@pytest.mark.slow
def test_who_sees_a_type_alone_is_told_it_alone(club):
    """Only its taker gets an email about a card from an embassy."""
    club.begin("memory=once", players=4)
    for _ in range(6):
        club.all_send()
        club.run_tick()
        taken = [e["seat"] for e in club.report("blue")["news"] if e["event"] == "took"]
        loud = [e for e in club.report("blue")["news"] if e["event"] in ("shown", "guessed-right")]
        if taken and not loud:
            break
    with club.store.reading() as tx:
        keys = tx.exec_driver_sql("SELECT key FROM outbox WHERE kind = 'aside'").scalars().all()
    ply = club.loaded().match.ply
    assert sorted(key for key in keys if f"/{ply}/" in key) == sorted(
        f"m/{ply}/{seat}/aside" for seat in set(taken)
    )


def test_where_no_emails_go_out_a_report_tells_types_once(store):
    club = SpionClub(store, None)
    club.context = Club(store).context
    duel(club, "memory=once")
    club.send("blue", WRONG)
    club.tick()
    assert "KEMI" in types_in(club.report("yellow"))
    assert types_in(club.report("yellow")) == []
    assert "KEMI" in types_in(club.report("blue"))  # each its own
    assert types_in(club.sent_report("m", "blue", 1).body) == []


def test_an_email_that_waits_when_a_seat_changes_hands_goes_to_nobody(club):
    duel(club, "memory=once")
    club.send("blue", WRONG)
    club.tick()
    club.add("Dora")
    club.replace("m", "yellow", "Dora")
    club.run_tick()
    assert club.to("yellow", "aside") == []  # Carl
    assert club.to("red", "aside") == []  # Dora
    assert club.to("red", "report")


# memory=honour


@pytest.mark.slow
def test_the_last_report_names_types_and_an_old_one_does_not(club):
    wrong_guess(club)
    assert "KEMI" in types_in(club.report("yellow"))
    assert "KEMI" in types_in(club.sent_report("m", "yellow", 1).body)
    answered(club)
    club.order("yellow")
    club.run_tick()
    old = club.sent_report("m", "yellow", 1).body
    assert old["news"]
    assert types_in(old) == []
    assert cards_in(old) == [None, None]
    (present,) = filter(None, cards_in(club.report("yellow")))
    assert present[:3] == ["KEMI", "RYMD", "ATOM"]


@pytest.mark.slow
def test_report_by_mail_is_the_last_with_types_and_an_old_one_without(club):
    wrong_guess(club)
    (answer,) = club.answered("yellow", "REPORT")
    assert "is CHEMISTRY" in answer
    answered(club)
    club.order("yellow")
    club.run_tick()
    (answer,) = club.answered("yellow", "REPORT 1")
    assert "Turn 1" in answer
    news = answer.partition("Turn 1")[2]
    assert "is CHEMISTRY" not in news
    assert "takes ATOM" not in news


def test_when_all_is_over_old_reports_are_whole_again(club):
    wrong_guess(club)
    answered(club)
    club.cancel("m")
    assert "ATOM" in types_in(club.sent_report("m", "blue", 1).body)


# memory=open


@pytest.mark.slow
def test_the_open_dossier_keeps_what_all_saw(club):
    wrong_guess(club, "memory=open")
    for seat in ("blue", "yellow"):
        (note,) = club.report(seat)["dossier"]
        assert (note["card"], note["seat"], note["place"], note["moved"]) == (
            "KEMI",
            "yellow",
            "1",
            False,
        )
    answered(club)
    club.order("yellow")
    club.run_tick()
    assert "ATOM" in types_in(club.sent_report("m", "blue", 1).body)
    assert club.report("blue")["dossier"][0]["card"] == "KEMI"


# Another player in the seat.


@pytest.mark.parametrize("memory", ["honour", "once"])
def test_a_new_player_gets_the_present_cards_and_no_past_reveals(club, memory):
    wrong_guess(club, f"memory={memory}")
    club.add("Dora")
    club.replace("m", "yellow", "Dora")
    report = club.report("yellow")
    assert types_in(report) == []
    assert ["KEMI", "RYMD", None, None] in cards_in(report)
    assert types_in(club.sent_report("m", "yellow", 1).body) == []
    club.run_tick()
    assert all("is CHEMISTRY" not in text for text in club.to("red"))


@pytest.mark.slow
def test_a_new_player_cannot_read_the_reports_of_the_one_before_him(club):
    wrong_guess(club)
    answered(club)
    before = club.turn
    club.add("Dora")
    club.replace("m", "yellow", "Dora")
    club.run_tick()
    for turn in range(before):
        with pytest.raises(Refusal, match=f"There is no report for turn {turn}"):
            club.sent_report("m", "yellow", turn)
    answer = asked(club, "REPORT 1")
    assert "There is no report for turn 1." in answer
    assert "is CHEMISTRY" not in answer
    club.all_send()
    club.run_tick()
    present = club.sent_report("m", "yellow", club.turn)
    assert present.report.turn == club.turn
    assert club.sent_report("m", "blue", 1).report.turn == 1


def asked(club, line):
    """Return what Dora is answered, who holds Yellow's seat now."""
    club.write("yellow", line, sender="dora@example.org", to=club.address("yellow", tenure=2))
    (email,) = club.run_tick()
    return email.get_body(("plain",)).get_content()


def test_what_waits_for_one_player_is_not_printed_for_the_next(store):
    club = SpionClub(store, None)
    club.context = Club(store).context
    duel(club, "memory=once")
    club.send("blue", WRONG)
    club.tick()
    club.add("Dora")
    club.replace("m", "yellow", "Dora")
    assert types_in(club.report("yellow")) == []
    assert "KEMI" in types_in(club.report("blue"))


def test_news_that_were_not_printed_yet_are_told_with_the_next(store):
    """By file two plies may pass in one tick: nothing of the first is lost, nor told twice."""
    club = SpionClub(store, None)
    club.context = Club(store).context
    duel(club)
    club.send("blue", WRONG)
    club.tick()
    club.send("yellow", "ANSWER blue: TAKE 1")
    club.tick()
    for _ in range(2):
        assert {"KEMI", "ATOM"} <= set(types_in(club.report("blue")))
    club.order("yellow")
    club.tick()
    assert [e for e in club.report("blue")["news"] if e["event"] == "shown"] == []


def test_who_let_deadlines_pass_is_told_what_happened_meanwhile(store):
    """Orders that the rules provide for are no orders of his own (interface, section 3)."""
    club = SpionClub(store, None)
    club.context = Club(store).context
    # With this seed nobody learns a type in turn 1, which would be told once with the next news.
    agreed = ("deadline=every 2 days", "absence=forfeit", "memory=once")
    club.begin(*agreed, players=3, seed="07" * 32)
    club.report("yellow")
    for _ in range(2):
        at = club.loaded().since
        club.all_send(at, but=["yellow"])
        club.tick(at + 2 * DAY)
    turns = {e["turn"] for e in club.report("yellow")["news"] if e["event"] == "turn-opened"}
    assert turns == {1, 2}
    turns = {e["turn"] for e in club.report("blue")["news"] if e["event"] == "turn-opened"}
    assert turns == {2}


# Secrets in mode `rounds`.


@pytest.mark.slow
def test_nobody_gets_dice_before_their_turn_is_executed_but_who_rolled_them(club):
    """Emails, reports, queue: the key and the dice that it opens stand nowhere else."""
    club.begin(players=4)
    for _ in range(3):
        keys = {seat: roll.key for seat, roll in club.state.rolls.items()}
        for seat in club.state.seats:
            mine = str(club.report(seat)) + "".join(club.to(seat)) + str(raws(club, seat))
            assert keys[seat] in mine
            assert [key for other, key in keys.items() if other != seat and key in mine] == []
        told = str(club.queue((), gm=True))
        assert not any(key in told for key in keys.values())
        club.all_send()
        club.run_tick()
        for seat in club.state.seats:
            told = str(raws(club, seat))
            assert all(key in told for key in keys.values())


def raws(club, seat):
    found = []
    for _, to, raw in club.way.letters:
        if to == club.mailbox(seat):
            for part in message_from_bytes(raw).walk():
                found.append((part.get_payload(decode=True) or b"").decode("latin-1"))
    return found


# Boards of one's own.


def own_board(club, text):
    club.add("Anna", "Bob")
    wanted = NewMatch(
        game="spion",
        variant=None,
        name="m",
        seats=["blue=Anna", "yellow=Bob"],
        options=["max_rounds=3"],
        seed=None,
        fresh_seed=bytes(32),
        board=text,
    )
    return club.create(wanted)


def test_a_board_of_ones_own_is_stored_played_verified_and_replayed(club):
    text = json.dumps({**json.loads(standard_text("quick")), "id": "mine"})
    own_board(club, text)
    assert "mine" in club.loaded().match.board
    club.all_send()
    club.tick()
    while club.loaded().match.status != "over":
        club.all_send()
        club.tick()
    assert club.verify("m") == []
    made = club.export("m")
    assert "[Board " in made
    (replayed,) = replay_files([("m", StringIO(made))])
    assert club.report("blue")["result"] == {
        **replayed.data["result"],
        "winners": list(replayed.data["result"]["winners"]),
    }


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "this is not a board"),
        ("{}", "this is not a board: .*`id`"),
        ('{"id": "x"', "this is not a board"),
    ],
)
def test_a_bad_board_is_refused_with_what_is_wrong(club, text, sentence):
    with pytest.raises(Refusal, match=sentence):
        own_board(club, text)
    with pytest.raises(Refusal, match="there is no match"):
        club.loaded()


def standard_text(variant):
    return (
        files("adjudicator.games.spion.rules").joinpath(f"boards/{variant}.json").read_text("utf-8")
    )
