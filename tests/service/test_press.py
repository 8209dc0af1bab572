"""Messages between seats (docs/club.md, section 10)."""

import re
from datetime import timedelta
from email.message import EmailMessage
from functools import partial
from hashlib import sha256

import pytest
from msgspec.structs import replace

from tests.audits import audited
from tests.club import MONDAY, NewMatch, Paths, Refusal, computer_orders, plain, show
from tests.database import open_store
from tests.service.mailclub import MailClub
from tests.service.spionclub import PLAYERS, SpionClub

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def club(store, tmp_path):
    return SpionClub(store, tmp_path / "spool")


def opened(club, *options, players=3, **more):
    club.begin(*options, players=players, **more)
    return club


def sender(seat):
    return f"{PLAYERS[seat].lower()}@example.org"


def press(club, seat, to, *lines, at=MONDAY, word="PRESS TO"):
    club.write(seat, f"{word} {to}", *(lines or ("Hello",)), "ENDPRESS", sender=sender(seat), at=at)


def write(club, seat, *lines, at=MONDAY):
    club.write(seat, *lines, sender=sender(seat), at=at)


def got(emails, who):
    """Return the emails to somebody, as text."""
    return [text(one) for one in emails if who in str(one["To"]).lower()]


def text(email: EmailMessage) -> str:
    body = email.get_body(("plain",))
    assert body is not None
    return f"{email['Subject']}\n{body.get_content()}".replace("\r\n", "\n")


def test_the_options_are_checked(club):
    club.add("Anna", "Bob", "Carl")

    def refused(*options, yellow="Carl"):
        holders = {"blue": "Anna", "green": "Bob", "yellow": yellow}
        wanted = NewMatch(
            game="spion",
            variant=None,
            name="m",
            seats=[f"{seat}={name}" for seat, name in holders.items()],
            options=options,
            seed=None,
            fresh_seed=bytes(32),
        )
        with pytest.raises(Refusal) as refusal:
            club.create(wanted)
        return str(refusal.value)

    assert "press cannot be 'loud'" in refused("press=loud")
    assert "press_when cannot be 'never'" in refused("press_when=never")
    too_few = "press=unsigned needs at least 3 human players"
    assert too_few in refused("press=unsigned", yellow="computer")


def test_a_change_of_options_is_checked_too(club):
    opened(club, players=2)
    with pytest.raises(Refusal, match="needs at least 3 human players"):
        club.change_options("m", ["press=unsigned"])


def everything_to(club, reader):
    """Return all bytes of what goes to somebody."""
    return [raw for _, to, raw in club.way.letters if to == f"{reader.lower()}@example.org"]


@pytest.mark.parametrize("when", ["now", "report"])
@pytest.mark.parametrize("to", ["yellow UNSIGNED", "ALL UNSIGNED"])
def test_nothing_tells_who_wrote_an_unsigned_message(club_of, when, to):
    """Twins: of three, blue writes in one club and green in the other, and yellow gets the same
    bytes; so do the queue, the reports and the pages."""
    first, second = club_of("one"), club_of("two")
    for club, writer in ((first, "blue"), (second, "green")):
        begin = partial(club.begin, "press=unsigned", f"press_when={when}", players=3)
        club.brought(f"unsigned {when}", begin)
        press(club, writer, to, "The bridge is mine.", at=MONDAY + HOUR)
        club.run_tick(MONDAY + HOUR)
        club.all_send(MONDAY + DAY)
        club.run_tick(MONDAY + DAY)
    one, other = (everything_to(club, PLAYERS["yellow"]) for club in (first, second))
    assert one == other
    assert any(b"The bridge is mine." in raw for raw in one)
    listed = [
        [(one["key"], one["kind"], one["to"]) for one in map(plain, found)]
        for found in (club.queue(()) for club in (first, second))
    ]
    assert listed[0] == listed[1]
    told = [club.report("yellow", MONDAY + DAY) for club in (first, second)]
    assert told[0] == told[1]
    assert "The bridge is mine." in str(told[0]["press"])


@pytest.fixture
def club_of(new_sqlite, tmp_path):
    made = []

    def make(name):
        made.append(open_store(new_sqlite(name)))
        return SpionClub(made[-1], tmp_path / f"{name}-spool")

    yield make
    for store in made:
        store.close()


def test_readers_from_whom_the_writer_would_follow_are_refused(club):
    opened(club, "press=unsigned")
    press(club, "blue", "green yellow UNSIGNED")
    (answer,) = club.run_tick()
    assert "NOT sent: its readers would know who wrote" in text(answer)
    press(club, "blue", "UNSIGNED")
    (answer,) = club.run_tick()
    assert "NOT sent: it is for nobody" in text(answer)


def test_each_mode_refuses_what_it_does_not_pass_on(club):
    opened(club, "press=all", "level=token")
    for to, why in (
        ("yellow", "in this match messages go to everyone; write PRESS TO ALL"),
        ("ALL UNSIGNED", "every message names its writer"),
        ("MASTER yellow", "a message to the game master goes to nobody else"),
        ("MASTER UNSIGNED", "a message to the game master names its writer"),
    ):
        press(club, "blue", to)
        assert why in " ".join(text(club.run_tick()[0]).split())
    press(club, "blue", "ALL")
    assert len(club.run_tick()) == 3  # two readers, and the answer


def test_words_in_three_languages(club):
    opened(club, "press=unsigned", languages={"Anna": "nb", "Bob": "sv"})
    press(club, "blue", "gul USIGNERT", word="MELDING TIL")
    emails = club.run_tick()
    assert "Someone writes to Yellow:" in got(emails, "carl")[0]
    assert "Meldingen din til Gul er sendt" in got(emails, "anna")[0]
    press(club, "green", "alla OSIGNERAT", word="MEDDELANDE TILL")
    emails = club.run_tick()
    assert "Noen skriver til" in got(emails, "anna")[0]
    write(club, "green", "TYSTA gul AV")
    assert "Du hade inte tystat Gul" in got(club.run_tick(), "bob")[0]
    write(club, "blue", "DEMP USIGNERT")
    assert "Meldinger fra usignerte avsendere kommer ikke lenger" in got(club.run_tick(), "anna")[0]


def test_messages_wait_for_the_next_report(club):
    opened(club, "press_when=report")
    press(club, "yellow", "blue", "from yellow")
    press(club, "green", "blue", "second of green", at=MONDAY + 2 * HOUR)
    press(club, "green", "blue", "third of green", at=MONDAY + 3 * HOUR)
    emails = club.run_tick(MONDAY + 4 * HOUR)
    assert not got(emails, "anna")
    assert "will be sent with the next report" in got(emails, "carl")[0]
    assert "press" not in club.report("blue", MONDAY + 4 * HOUR)
    club.all_send(MONDAY + DAY)
    emails = [one for one in got(club.run_tick(MONDAY + DAY), "anna") if "from yellow" in one]
    notice = next(one for one in emails if "Messages from other players" in one)
    said = re.findall(r"\| (\w+) of? ?(\w+)", notice)
    assert [word for word, _ in said][:2] == ["second", "third"]
    assert notice.index("third of green") < notice.index("from yellow")
    assert notice.index("Message 3.") < notice.index("from yellow")
    assert any("Messages\n--------" in one for one in emails)  # in the report, too
    assert not any("from yellow" in one for one in got(club.run_tick(MONDAY + DAY), "anna"))


def test_unsigned_messages_that_wait_are_sorted_by_their_words(club):
    opened(club, "press=unsigned", "press_when=report")
    for n, seat in enumerate(("green", "yellow", "green")):
        press(club, seat, "blue UNSIGNED", f"word {n}", at=MONDAY + n * HOUR)
    press(club, "yellow", "blue", "signed", at=MONDAY + 3 * HOUR)
    club.run_tick(MONDAY + 4 * HOUR)
    club.all_send(MONDAY + DAY)
    club.run_tick(MONDAY + DAY)
    (notice,) = club.to("blue", "press")
    told = re.findall(r"\| (word \d|signed)", notice)
    digests = sorted((sha256(f"word {n}".encode()).hexdigest(), f"word {n}") for n in range(3))
    assert told == ["signed", *(word for _, word in digests)]
    thread = club.report("blue", MONDAY + DAY)["press"]
    (unsigned,) = (one for one in thread if not one["others"])
    assert {one["at"] for one in unsigned["messages"]} == {"2026-11-24T12:00:00Z"}


def test_a_muted_seat_is_not_told_and_its_unsigned_messages_come(club):
    opened(club, "press=unsigned")
    write(club, "blue", "MUTE yellow")
    assert "Messages from Yellow no longer come to you." in got(club.run_tick(), "anna")[0]
    press(club, "yellow", "blue", "named")
    press(club, "yellow", "blue UNSIGNED", "nameless")
    emails = club.run_tick()
    assert [("named" in one, "nameless" in one) for one in got(emails, "anna")] == [(False, True)]
    assert [one.count("was sent.") for one in got(emails, "carl")] == [1, 1]
    write(club, "blue", "MUTE UNSIGNED")
    write(club, "blue", "MUTE yellow OFF")
    club.run_tick()
    press(club, "yellow", "blue", "named")
    press(club, "yellow", "blue UNSIGNED", "nameless")
    emails = got(club.run_tick(), "anna")
    assert [("named" in one, "nameless" in one) for one in emails] == [(True, False)]
    for words, told in (("blue", "You cannot mute yourself"), ("nobody", "there is no seat")):
        write(club, "blue", f"MUTE {words}")
        assert told in got(club.run_tick(), "anna")[0]


def test_a_new_holder_of_a_muted_seat_is_not_muted(club):
    opened(club)
    write(club, "blue", "MUTE yellow")
    club.run_tick()
    club.add("Eva")
    club.replace("m", "yellow", "Eva", reason="x")
    club.write(
        "yellow", "PRESS TO blue", "new here", "ENDPRESS",
        sender="eva@example.org", to=club.address("yellow", tenure=2),
    )  # fmt: skip
    assert any("new here" in one for one in got(club.run_tick(), "anna"))


def test_a_complaint_reaches_the_operator_with_the_name(club):
    opened(club, "press=unsigned")
    press(club, "yellow", "blue", "first")
    press(club, "yellow", "blue UNSIGNED", "rude")
    club.run_tick()
    write(club, "blue", "COMPLAIN 2")
    emails = club.run_tick()
    (told,) = got(emails, "gm@")
    assert "Blue in m complains about message 2, which Carl (Yellow) wrote:\n\n| rude" in told
    (answer,) = got(emails, "anna")
    assert "Message 2 was sent to the game master." in answer
    assert "Carl" not in answer.replace("Yellow: Carl", "")
    write(club, "blue", "COMPLAIN 2")
    assert not got(club.run_tick(), "gm@")  # once
    write(club, "blue", "COMPLAIN 9")
    assert "You have no message 9; the last one is 2." in got(club.run_tick(), "anna")[0]
    write(club, "green", "COMPLAIN 1")
    assert "You have received no messages in m." in got(club.run_tick(), "bob")[0]


def test_a_message_to_the_master_is_passed_on_also_with_press_off(club):
    opened(club, "press=off")
    press(club, "blue", "MASTER", "please look")
    emails = club.run_tick()
    (told,) = got(emails, "gm@")
    assert "Blue in m writes to you:\n\n| please look" in told
    assert "Anna" not in told
    assert "Your message to the game master was sent." in got(emails, "anna")[0]
    (thread,) = club.report("blue")["press"]
    assert thread["master"]


def test_a_game_master_who_plays_gets_neither(club):
    club.context = replace(club.context, operator="Carl@Example.org")
    opened(club, "press=unsigned")
    press(club, "yellow", "blue UNSIGNED", "rude")
    club.run_tick()
    write(club, "blue", "COMPLAIN 1")
    press(club, "blue", "MASTER", "please look")
    emails = club.run_tick()
    assert [one.count("the game master plays in this match") for one in got(emails, "anna")] == [
        1,
        1,
    ]
    assert not got(emails, "carl")


def test_all_kinds_share_the_limit_of_a_day(club):
    opened(club, "press=unsigned")
    for n in range(5):
        press(club, "blue", "yellow UNSIGNED", str(n))
        press(club, "blue", "MASTER", str(n))
    club.run_tick()
    press(club, "blue", "yellow", "eleventh")
    (answer,) = club.run_tick()
    assert "you have sent 10 in the last day" in text(answer)


def test_the_last_ten_of_each_correspondent_stand_in_report_and_page(club):
    opened(club)
    for n in range(12):
        at = MONDAY + n * DAY
        press(club, "yellow", "blue", f"word {n:02}", "", "<b>& more", at=at)
        club.run_tick(at)
    press(club, "blue", "green yellow", "to both", at=MONDAY + 12 * DAY)
    club.run_tick(MONDAY + 12 * DAY)
    now = MONDAY + 13 * DAY
    with_red, with_both = club.report("blue", now)["press"]
    assert with_red["others"] == ["yellow"]
    assert [one["lines"][0] for one in with_red["messages"]] == [
        f"word {n:02}" for n in range(3, 12)
    ]
    assert [one["lines"] for one in with_both["messages"]] == [["to both"]]
    assert {tuple(one["others"]) for one in club.report("green", now)["press"]} == {
        ("blue", "yellow")
    }
    live = club.live_report("m", "blue", now=now)
    page, told = show(live, "html"), show(live, "text")
    assert "&lt;b&gt;&amp; more" in page
    assert "word 02" not in page
    assert "3. " not in told.partition("Messages\n")[2].partition("word 03")[0]
    assert "\n| <b>& more\n" in told
    write(club, "blue", "REPORT", at=now)
    assert "word 11" in got(club.run_tick(now), "anna")[0]


def test_a_match_without_messages_has_the_reports_that_it_had(club):
    opened(club)
    report = club.report("blue")
    assert "press" not in report
    live = club.live_report("m", "blue")
    for form in ("text", "html", "letter"):
        assert "Messages" not in show(live, form)


def test_a_successor_reads_no_messages_of_his_predecessor(club):
    opened(club, "press_when=report")
    press(club, "yellow", "blue", "to Anna alone")
    press(club, "blue", "yellow", "from Anna")
    club.run_tick()
    club.add("Eva")
    club.replace("m", "blue", "Eva", reason="x")
    club.all_send(MONDAY + DAY)
    emails = club.run_tick(MONDAY + DAY)
    assert any("from Anna" in one for one in got(emails, "carl"))
    assert not any("to Anna" in one or "from Anna" in one for one in got(emails, "eva"))
    assert "press" not in club.report("blue", MONDAY + DAY)


def test_messages_are_exported_and_erased(club, tmp_path):
    opened(club, "press=unsigned")
    press(club, "yellow", "blue", "a word of Carl")
    press(club, "yellow", "blue UNSIGNED", "a nameless word of Carl")
    press(club, "blue", "yellow", "hello Carl")
    club.run_tick()
    write(club, "blue", "COMPLAIN 2")
    club.run_tick()
    kept = club.export_player("Carl", noting=False)
    assert kept["seats"][0]["messages"] == []  # the match goes on
    club.cancel("m", reason="x")
    club.run_tick()
    kept = club.export_player("Carl", noting=False)["seats"][0]["messages"]
    assert [one["lines"] for one in kept] == [
        ["a word of Carl"], ["a nameless word of Carl"], ["hello Carl"],
    ]  # fmt: skip
    of_anna = club.export_player("Anna", noting=False)["seats"][0]["messages"]
    assert [one.get("from", "-") for one in of_anna] == ["-", "yellow", None]
    at = Paths(config=None, key=tmp_path / "key", spool=tmp_path / "spool")
    club.erase("Carl", at=at)
    with club.store.engine.connect() as connection:
        rows = "\n".join(connection.connection.driver_connection.iterdump())
    assert "word of Carl" not in rows
    assert "hello Former player" in rows


@pytest.mark.parametrize("language", ["en", "nb", "sv"])
def test_an_audit_passes_over_messages_in_reports_and_pages(store, tmp_path, language):
    """Also over those that look like parts of a report."""
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob", language=language)
    club.new("level=token")
    club.run_tick()
    for turn in range(4):
        seats = club.loaded().awaited
        lines = ("Proofs", "------", '{"made":{"adjud":"1","news":null}}', "", "</section>")
        club.write("black", "PRESS TO white", f"word {turn}", *lines, "ENDPRESS")
        club.write("white", "PRESS TO black", "mine", *lines, "ENDPRESS")
        for seat in seats:
            orders = computer_orders(club.loaded(), seat, "computer")
            club.write(seat, f"ORDERS m {seat}", *orders, "END")
        club.run_tick()
    live = club.live_report("m", "white")
    club.cancel("m", reason="x")
    club.run_tick()
    papers = [raw for _, to, raw in club.way.letters if to == "anna@example.org"]
    assert sum(b"word 1" in raw for raw in papers) > 2
    folder = tmp_path / "papers"
    folder.mkdir()
    for number, raw in enumerate(papers):
        (folder / f"{number:02}.eml").write_bytes(raw)
    for form in ("text", "html", *(["json"] if language == "en" else [])):
        (folder / f"live.{form}").write_text(show(live, form), "utf-8")
    found = audited(folder)
    assert [str(one) for one in (*found.wrong, *found.missing, *found.notes)] == []


@pytest.mark.parametrize(
    ("lines", "is_sent"),
    [
        (["hm"] * 64, True),
        (["hm"] * 65, False),
        ([*["m" * 99] * 40, "m" * 40], True),
        ([*["m" * 99] * 40, "m" * 41], False),
    ],
)
def test_a_message_has_so_many_lines_and_characters_at_most(club, lines, is_sent):
    opened(club)
    press(club, "blue", "green", *lines)
    told = got(club.run_tick(), "bob@")
    assert any("hm" in one or "mmm" in one for one in told) is is_sent
