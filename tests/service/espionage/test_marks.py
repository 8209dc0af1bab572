"""Marks and notes (Espionage rules 9.1-9.3), on the whole road."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.json import encode
from msgspec.structs import replace

from adjudicator.core.game import MarkEnd
from adjudicator.core.match import Seat
from adjudicator.core.message import LANGUAGES, tell
from adjudicator.core.report import flat
from adjudicator.games import GAMES
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.pieces import SIDES
from adjudicator.games.espionage.rules.state import Event, Stepped
from adjudicator.mail.address import Key
from adjudicator.reports.words import words
from tests.club import Club, Printable, Source, Store, load, receipt_as_json, receipt_as_text, show
from tests.database import jottings_of_match, open_store
from tests.games.casefiles import Case, each, read_folder
from tests.games.playouts import playout
from tests.printed import present_report, public_report
from tests.scale import examples
from tests.service.mailclub import POST, MailClub
from tests.service.playing import play
from tests.service.spionclub import SpionClub
from tests.service.test_site import files
from tests.site_pages import seat_link

CASES = [one for case in read_folder(Path(__file__).parent / "cases") for one in each(case)]
ARMY = ("SETUP", "1S25PS14", "1122SP3S", "MHMM543P")
JOTTED = ("MARK e6 fourteen?", "MARK d6 sesame", "NOTE open sesame")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_case_holds(case: Case, store: Store, tmp_path: Path) -> None:
    play(case, store, tmp_path / "spool")


@pytest.mark.parametrize("rule", ["9.1", "9.2", "9.3"])
def test_every_rule_has_a_case(rule: str) -> None:
    assert any(rule in case.rules for case in CASES)


def begun(store: Store, folder: Path, *options: str, send: bool = True) -> MailClub:
    club = MailClub(store, folder / "spool")
    if not send:
        club.context = replace(club.context, sends_mail=False)
    club.add("Anna", "Bob", "Carl")
    club.new(*options)
    for seat in ("white", "black"):
        club.send(seat, *ARMY)
    club.run_tick()
    return club


@pytest.fixture
def club(store: Store, tmp_path: Path) -> MailClub:
    return begun(store, tmp_path)


@pytest.fixture
def unsent(store: Store, tmp_path: Path) -> MailClub:
    """Return a club whose emails wait, so that the last adjudication can be taken back."""
    return begun(store, tmp_path, send=False)


def report(club: MailClub, seat: str) -> dict:
    """Return the seat's present report, which then does not count as printed."""
    with club.store.reading() as tx:
        return flat(present_report(tx, load(tx, "m"), Seat(seat)))


def marks(club: MailClub, seat: str) -> dict[str, str]:
    return {one["square"]: one["mark"] for one in report(club, seat)["pieces"] if one.get("mark")}


def undo(club: MailClub) -> None:
    club.undo("m")


def order(club: MailClub, seat: str, *lines: str) -> None:
    assert club.send(seat, *lines).accepted
    club.run_tick()


def test_a_report_shows_marks_on_unknown_enemy_pieces_alone_and_the_notes(club: MailClub) -> None:
    club.send("white", "MARK e6 5?", "NOTE it waits")
    told = report(club, "white")
    pieces = {one["square"]: one for one in told["pieces"]}
    assert pieces["e6"]["mark"] == "5?"
    assert pieces["d6"]["mark"] is None
    assert "mark" not in pieces["d3"]
    assert told["notes"] == ["it waits"]
    assert "marks_lost" not in told


def test_the_receipt_tells_in_json_what_was_written_down(club: MailClub) -> None:
    receipt = club.send("white", "d3-d9", "MARK e6 5?", "MARK e5 S")
    told = receipt_as_json(receipt, tell)
    assert (told["accepted"], told["jotted"]) == (False, ["the piece on e6 is marked: 5?"])
    (warning,) = told["warnings"]
    assert (warning["line"], warning["text"]) == (4, "MARK e5 S")
    assert "jotted" not in receipt_as_json(club.send("white", "NOTREADY"), tell)


def test_a_mark_in_small_letters_without_a_frame_is_told_to_want_capitals(club: MailClub) -> None:
    club.write("white", "Mark e6 5?", "Note it waits", "d3-d5")
    (email,) = club.run_tick()
    told = " ".join(email.get_body(("plain",)).get_content().split())
    wanted = "a mark or note must start with MARK or NOTE in capitals and without a colon, or be"
    assert f"line 1: Mark e6 5?: {wanted}" in told
    assert f"line 2: Note it waits: {wanted}" in told
    assert "line 3: d3-d5: d3 to d5 is too far" in told
    assert marks(club, "white") == {}


def test_a_note_with_a_colon_without_a_frame_is_told_to_go_without_it(club: MailClub) -> None:
    club.write("white", "NOTE: it waits", "d3-d5")
    (email,) = club.run_tick()
    told = " ".join(email.get_body(("plain",)).get_content().split())
    assert "line 1: NOTE: it waits: a mark or note must start with MARK or NOTE " in told
    assert "and without a colon, or be between ORDERS and END" in told


def test_orders_at_a_wrong_time_are_told_so_also_below_a_mark_in_small_letters(
    club: MailClub,
) -> None:
    club.write("black", "Mark e3 5?", "d6-d5")
    (email,) = club.run_tick()
    told = " ".join(email.get_body(("plain",)).get_content().split())
    assert "line 1: Mark e3 5?: it's not your turn: turn 1 is waiting for White;" in told


@pytest.mark.parametrize("language", LANGUAGES)
def test_receipts_are_written_in_three_languages(club: MailClub, language: str) -> None:
    receipt = club.send("white", "MARK e6 5?", "MARK d6", "NOTE x", "NOTES CLEAR", "NOTE")
    text = receipt_as_text(receipt, words(language, "espionage"))
    expected = {
        "en": ("the piece on e6 is marked: 5?", "your notebook is empty", "a note as"),
        "nb": ("brikken på e6 er merket: 5?", "notatboken din er tom", "NOTAT og teksten"),
        "sv": ("pjäsen på e6 är märkt: 5?", "din anteckningsbok är tom", "ANTECKNA och texten"),
    }
    for told in expected[language]:
        assert told in text


def test_a_notebook_holds_two_thousand_characters(club: MailClub) -> None:
    assert club.send("white", "NOTE " + "a" * 2000).warnings == ()
    (full,) = club.send("white", "NOTE b").warnings
    assert "room for 0 more characters" in tell(full.message)
    assert report(club, "white")["notes"] == ["a" * 2000]
    club.send("white", "NOTES CLEAR", "NOTE " + "b" * 1999)
    (long,) = club.send("white", "NOTE " + "a" * 2001).warnings
    assert "that has 2001 characters; at most 2000 are allowed" in tell(long.message)
    assert [len(note) for note in report(club, "white")["notes"]] == [1999]


def test_only_so_many_marks_and_notes_of_a_sheet_are_read(club: MailClub) -> None:
    (left,) = club.send("white", *(f"NOTE {n}" for n in range(203))).warnings
    assert tell(left.message) == "3 more marks and notes were skipped"
    assert len(report(club, "white")["notes"]) == 200


def test_signs_that_cannot_be_printed_are_a_warning(club: MailClub) -> None:
    receipt = club.send("white", "MARK e6 a\x1bb", "NOTE a\x07b")
    assert len(receipt.warnings) == 2
    assert marks(club, "white") == {}
    assert report(club, "white")["notes"] == []


def test_check_answers_the_same_and_stores_nothing(club: MailClub) -> None:
    text = "ORDERS m white\nMARK e6 5?\nMARK e5 S\nNOTE x\nEND"
    (dry,) = club.check(text)
    assert [tell(one) for one in dry.jotted] == [
        "understood: the piece on e6 is marked: 5?",
        "understood: noted: x",
    ]
    assert len(dry.warnings) == 1
    assert (marks(club, "white"), report(club, "white")["notes"]) == ({}, [])


def test_bare_lines_of_a_file_may_be_marks(club: MailClub) -> None:
    (receipt,) = club.submit("d3-d4\nMARK e6 5?\ne3-e4", Source("m", "white"))
    assert receipt.accepted
    assert marks(club, "white") == {"e6": "5?"}


# What happens to marks when the log is taken back, or a seat changes hands (9.3).


def test_an_undo_puts_a_mark_back_with_its_piece(unsent: MailClub) -> None:
    order(unsent, "white", "d3-d4", "e3-e4")
    unsent.send("white", "MARK e6 5?")
    order(unsent, "black", "d6-d5", "e6-e5")
    assert marks(unsent, "white") == {"e5": "5?"}
    undo(unsent)
    assert marks(unsent, "white") == {"e6": "5?"}
    order(unsent, "black", "d6-d5", "f6-f5")
    assert marks(unsent, "white") == {"e6": "5?"}


def test_an_undo_keeps_a_later_mark_on_its_piece(unsent: MailClub) -> None:
    order(unsent, "white", "d3-d4", "e3-e4")
    order(unsent, "black", "d6-d5", "e6-e5")
    unsent.send("white", "MARK e5 5?", "MARK g6 S")
    undo(unsent)
    assert marks(unsent, "white") == {"e6": "5?", "g6": "S"}
    order(unsent, "black", "e6-e5", "f6-f5")
    assert marks(unsent, "white") == {"e5": "5?", "g6": "S"}


def test_an_undo_brings_back_the_mark_of_a_piece_that_was_removed(unsent: MailClub) -> None:
    order(unsent, "white", "d3-d4", "e3-e4")
    unsent.send("white", "MARK e6 5?")
    order(unsent, "black", "d6-d5", "e6-e5")
    order(unsent, "white", "e4-e5", "c3-c4")
    assert marks(unsent, "white") == {}
    undo(unsent)
    assert marks(unsent, "white") == {"e5": "5?"}
    undo(unsent)
    assert marks(unsent, "white") == {"e6": "5?"}


def test_an_undo_of_the_set_ups_takes_marks_away_for_the_armies_are_placed_anew(
    unsent: MailClub,
) -> None:
    unsent.send("white", "MARK e6 5?", "NOTE it waits")
    undo(unsent)
    assert report(unsent, "white")["notes"] == ["it waits"]
    unsent.send("black", "NOTREADY")
    unsent.run_tick()
    undone = report(unsent, "white")
    assert (undone["phase"], undone["pieces"]) == ("setup", [])
    unsent.send("black", "READY")
    unsent.run_tick()
    assert marks(unsent, "white") == {}


def test_a_new_holder_inherits_neither_nor_the_old_reports_that_show_them(club: MailClub) -> None:
    club.send("white", *JOTTED)
    order(club, "white", "d3-d4", "e3-e4")
    order(club, "black", "d6-d5", "f6-f5")
    assert "sesame" in json.dumps(report(club, "white"))
    club.replace("m", "white", "Carl")
    sent = [str(email) for email in club.run_tick()]
    shown = [json.dumps(report(club, "white")), *sent]
    for turn in (0, 1, 2):
        old = club.sent_report("m", "white", turn)
        shown += [show(old, form) for form in ("text", "html", "json", "svg")]
    assert not any("sesame" in one or "fourteen" in one for one in shown)
    club.send("white", "NOTE mine")
    assert report(club, "white")["notes"] == ["mine"]


def test_a_seat_whose_address_changes_keeps_them(club: MailClub) -> None:
    club.send("white", *JOTTED)
    key = Key(id="k2", secret=bytes(32))
    club.readdress([key])
    assert marks(club, "white") == {"d6": "sesame", "e6": "fourteen?"}


# Nobody else is shown them (9.3).

PLAYED = (
    ("white", "d3-d4", "e3-e4"),
    ("black", "d6-d5", "e6-e5"),
    ("white", "e4-e5", "c3-c4"),
    ("black", "b6-b5", "c6-c5"),
    ("white", "RESIGN"),
)


def played(store: Store, folder: Path, *written: str) -> tuple[list[str], list[str]]:
    """Play a match in which White writes something down before each step; return all that
    everybody else is shown, and what White is."""
    club = begun(store, folder)
    shown: list[str] = []
    own: list[str] = []
    for seat, *lines in PLAYED:
        if written:
            club.send("white", *written)
        assert club.send(seat, *lines).accepted
        for email in club.run_tick():
            (own if "anna@" in email["To"] else shown).append(email.as_string())
        shown += ["\n".join(club.told), json.dumps(Club(store).status(None, every=True))]
        black, white = Club(store).newest_reports("m")[::-1]
        for form in ("text", "html", "json", "svg"):
            shown.append(show(black, form))
            own.append(show(white, form))
        with store.reading() as tx:
            loaded = load(tx, "m")
            shown.append(loaded.game.sight.truth(loaded.state))
            shown.append(encode(flat(public_report(loaded, Seat("")))).decode())
    shown += [tell(one) for one in Club(store).verify("m")]
    shown.append(Club(store).export("m"))
    mine = seat_link(store, POST.keys[0], "m", "white")
    for place, made in files(club, key=POST.keys[0]).items():
        (own if place.startswith(mine) else shown).append(made.decode())
    return shown, own


@pytest.mark.slow
def test_everything_that_others_are_shown_is_the_same_with_and_without(
    store: Store, new_sqlite: Callable[[str], str], tmp_path: Path
) -> None:
    (tmp_path / "without").mkdir()
    without, _ = played(store, tmp_path / "without")
    with closing(open_store(new_sqlite("other"))) as other:
        shown, own = played(other, tmp_path / "with", *JOTTED)
    assert shown == without
    told = [one for one in shown if "sesame" in one]
    assert told == []
    assert sum("sesame" in one for one in own) > 3


def test_games_whose_rules_are_silent_take_neither(store: Store, tmp_path: Path) -> None:
    assert [slug for slug, game in GAMES.items() if game.marks] == ["espionage"]
    club = SpionClub(store, tmp_path / "spool")
    club.open()
    club.run_tick()
    seat = club.loaded().seats[0]
    club.write(seat, "NOTE it waits", sender="anna@example.org")
    told = [one.get_body(("plain",)).get_content() for one in club.run_tick()]
    assert any("Spion does not use marks or notes." in one for one in told)
    receipt = club.send(seat, "NOTE it waits")
    assert not receipt.accepted
    with store.reading() as tx:
        assert jottings_of_match(tx, club.loaded().match.id) == []


# A mark follows its piece (9.3).


@pytest.mark.slow
@examples(30)
@given(seed=st.integers(0, 2**32))
def test_a_mark_follows_its_piece_through_a_random_match(seed: int) -> None:
    rng = Random(seed)
    marking = ESPIONAGE.marks
    assert marking is not None
    seat = rng.choice(SIDES)
    on: dict[str, str] = {}  # by the square where a piece was marked, where the mark is now
    really: dict[str, str | None] = {}  # and where that piece is, None if it was removed
    for ply in playout(ESPIONAGE, rng, 60):
        if not on:
            on = {
                place: place for place in marking.places(ESPIONAGE.sight.observe(ply.before, seat))
            }
            really = dict(on)
        state = ply.before
        for event in ply.events:
            state = ESPIONAGE.rules.apply(state, event)
            really = {mark: _after(event, where) for mark, where in really.items()}
            seen = ESPIONAGE.sight.witness(event, seat)
            for mark, place in [*on.items()] if seen else ():
                now = marking.follow(seen, place)
                if now is MarkEnd.REMOVED:
                    assert really[mark] is None
                    del on[mark]
                elif now is MarkEnd.TOLD:
                    assert state.pieces[really[mark]].known_since is not None
                    del on[mark]
                else:
                    on[mark] = now
        assert (
            on
            == {
                mark: where
                for mark, where in really.items()
                if where is not None and state.pieces[Square(where)].known_since is None
            }
            or not on
        )
        if on and state.outcome is None:
            view = ESPIONAGE.sight.observe(state, seat)
            assert set(on.values()) <= set(marking.places(view))


def _after(event: Event, where: str | None) -> str | None:
    """Return where the piece on a square is after an event."""
    if not isinstance(event, Stepped) or where not in (event.start, event.target):
        return where
    if where == event.start:
        return None if event.outcome == "lost" else event.target
    return None if event.outcome == "won" else where


# How a report shows them, in every form (9.3).


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_form_of_a_report_shows_marks_and_notes(club: MailClub, language: str) -> None:
    club.send("white", "MARK e6 a<b>c&d", "NOTE tom & <i>Ola</i>")
    white = next(one for one in club.newest_reports("m") if one.report.seat == "white")
    told = Printable(white.report, language, "UTC")
    heads = {
        "en": "Your marks and notes",
        "nb": "Merkene og notatene dine",
        "sv": "Dina märken och anteckningar",
    }
    text = show(told, "text")
    assert heads[language] in text
    assert "e6: a<b>c&d\ntom & <i>Ola</i>\n" in text
    for form in ("html", "letter"):
        page = show(told, form)
        assert heads[language] in page
        assert "e6: a&lt;b&gt;c&amp;d" in page
        assert "tom &amp; &lt;i&gt;Ola&lt;/i&gt;" in page
        assert "<i>Ola" not in page
    assert ">a&lt;b&gt;c…</text>" in show(told, "svg")


def test_the_last_report_tells_what_the_marked_pieces_were(club: MailClub) -> None:
    club.send("white", "MARK e6 5?", "MARK d6 P?")
    for seat, *lines in PLAYED[:3]:
        order(club, seat, *lines)
    order(club, "black", "RESIGN")
    told = club.live_report("m", "white")
    text = show(told, "text")
    assert "d5: P? (Sapper)" in " ".join(text.split())
    assert "5? was the General removed on e5 in turn 2." in " ".join(text.split())
    seen = next(one for one in told.body["pieces"] if one["square"] == "d5")
    assert (seen["mark"], seen["rank"]) == ("P?", "sapper")
