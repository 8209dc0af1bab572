"""All that an email with a report says is one value: whoever has it writes the same email. So is
what is told only once, in an email of its own.

Matches of all games are played by email, with rulings, messages, confirmations, a reserve, hidden
names and news that are told once. Each value is then written and read as JSON by another process,
which has other hashes, another time zone and another locale, and no database.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from msgspec import Struct
from msgspec.json import encode

from adjudicator import __version__
from adjudicator.cli import main
from adjudicator.core.message import LANGUAGES
from adjudicator.core.visible import plain
from adjudicator.games import GAMES
from adjudicator.reports import words
from tests import values
from tests.club import MONDAY, SEED, NewMatch, computer_orders
from tests.database import open_store
from tests.inside import report_email
from tests.nightly import each_once
from tests.service.mailclub import MailClub, value_in
from tests.values import EmailBody, EmailValue, looking_back

pytestmark = pytest.mark.usefixtures("skeleton")
CHECKOUT = Path(__file__).parents[2]
HOUR = timedelta(hours=1)
PLIES = 7
BANK = ("deadline=every 3 days", "bank=10 days + 1 day max 10 days")
REPORTS = re.compile(rb"\r\nX-Adjud: (report|aside)\r\n")
PEOPLE = ("Qvist", "Xaver", "Zyzzy", "Wjelf", "Hjort")  # in no word of the program

# The game, what is agreed, and the language of its first seat; the others have the next ones.
CASES = {
    "espionage": ("espionage", ("names=hidden",), 0),
    "espionage with a reserve": ("espionage", BANK, 1),
    "spion": ("spion", ("names=hidden", *BANK), 2),
    "spion told once": ("spion", ("memory=once",), 0),
    "spies": ("spies", (), 1),
    "goofspiel": ("goofspiel", (), 2),
    "battleships": ("battleships", (), 0),
}

# What another process does with values: it has no database, and nothing of this one.
SCRIPT = """
import json, sys
from msgspec.json import decode
from adjudicator.core.visible import plain
from adjudicator.games import GAMES
from tests.games.examples import EXAMPLES
from adjudicator.service.emails import value, write
GAMES.update(EXAMPLES)
for line in sys.stdin:
    text, past = json.loads(line)
    told = value.read(text.encode())
    page = told.game.page if told.slug else None
    back = decode(past, type=list[page.past]) if page and page.past else []
    made = write.write(told, back)
    print(json.dumps([value.to_json(told), made.subject, made.text, made.html, made.page]))
assert not [name for name in sys.modules if name.startswith(("adjudicator.store", "sqlalchemy"))]
"""


class Sent(Struct, frozen=True):
    """A report that was sent: its value, what its page looks back on, and the email."""

    value: EmailValue
    past: Sequence[Any]
    raw: bytes

    @property
    def forms(self) -> list[str | None]:
        """Return the Subject, the text, the HTML and the page."""
        email = message_from_bytes(self.raw, policy=policy.default)
        parts = {part.get_filename() or part.get_content_type(): part for part in email.walk()}
        page = [part for name, part in parts.items() if name.endswith(".html")]
        found = (parts["text/plain"], parts.get("text/html"), *(page or [None]))
        return [str(email["Subject"]), *(part and content(part) for part in found)]


def content(part: EmailMessage) -> str | None:
    return ended(part.get_payload(decode=True).decode().replace("\r\n", "\n"))


def ended(form: str | None) -> str | None:
    """Return a form with the end of its last line, which every part of an email has."""
    return None if form is None else form.rstrip("\n") + "\n"


_PLAYED: dict[str, list[Sent]] = {}
_LETTERS: dict[str, list[tuple[str, str, bytes]]] = {}


def played(case: str, club: MailClub, monkeypatch: pytest.MonkeyPatch) -> list[Sent]:
    """Play a match by email and return its reports. It is played once for the tests of all files:
    later clubs get its emails alone."""
    if case in _PLAYED:
        club.way.letters += _LETTERS[case]
    else:
        with monkeypatch.context() as patch:
            _PLAYED[case] = _play(case, club, patch)
        _LETTERS[case] = [*club.way.letters]
    return _PLAYED[case]


def _play(case: str, club: MailClub, monkeypatch: pytest.MonkeyPatch) -> list[Sent]:
    slug, options, shift = CASES[case]
    game, collected = GAMES[slug], list[tuple[EmailValue, Sequence[Any]]]()

    def noted(value: EmailValue, past: Sequence[Any] = (), **envelope: Any) -> EmailBody:
        collected.append((value, past))
        return EmailBody(value=value, past=past, **envelope)

    monkeypatch.setattr(report_email, "EmailBody", noted)
    variant = game.variants[0]
    seatings = game.seating(variant, "")
    seats = seatings[min(seatings)] if seatings else game.seats[: min(game.players)]
    writers = dict(zip(seats, PEOPLE, strict=False))
    for number, name in enumerate(writers.values()):
        club.add(name, language=LANGUAGES[(number + shift) % len(LANGUAGES)])
    wanted = NewMatch(
        game=slug,
        variant=variant,
        name="m",
        seats=[f"{seat}={name}" for seat, name in writers.items()],
        options=list(options),
        seed=None,
        fresh_seed=bytes.fromhex(SEED),
    )
    club.create(wanted)
    club.run_tick()
    for name in writers.values():
        club.say(name, "PREFS REPORTS ALL", "PREFS ZONE Europe/Oslo")
    for number in range(PLIES):
        now = MONDAY + number * HOUR
        club.run_tick(now)
        loaded = club.loaded()
        if loaded.match.status == "over":
            break
        if number == 2:
            club.announce("m", "The hall is cold.", now=now)
            writer = loaded.awaited[0]
            others = [seat for seat in seats if seat != writer]
            said = (f"PRESS TO {others[0].upper()}", "The stove as well.", "ENDPRESS", "DRAW")
            send(club, writers, writer, *said, at=now)
        for seat in loaded.awaited:
            lines = computer_orders(loaded, seat, "computer:random")
            send(club, writers, seat, f"ORDERS m {seat}", *lines, "END", at=now)
    for seat in seats[1:]:
        club.send(seat, "RESIGN", now=MONDAY + PLIES * HOUR)
    club.run_tick(MONDAY + PLIES * HOUR)
    raws = [raw for _, _, raw in club.way.letters if REPORTS.search(raw)]
    assert len(raws) == len(collected)
    return [Sent(*one, raw) for one, raw in zip(collected, raws, strict=True)]


def send(club: MailClub, writers: Any, seat: str, *lines: str, at: Any) -> None:
    sender = f"{writers[seat].lower()}@example.org"
    club.write(seat, *lines, sender=sender, at=at)


@pytest.fixture(params=CASES)
def case(request, store, tmp_path, monkeypatch) -> str:
    """Return the name of a match that was played."""
    played(request.param, MailClub(store, tmp_path / "spool"), monkeypatch)
    return str(request.param)


@pytest.fixture
def all_cases(new_sqlite, tmp_path, monkeypatch) -> dict[str, list[Sent]]:
    for case in CASES:
        with closing(open_store(new_sqlite(case.replace(" ", "-")))) as store:
            played(case, MailClub(store, tmp_path / case), monkeypatch)
    return _PLAYED


_MESSAGE = {"text", "values", "plural"}  # the keys of a message


def strings(value: object, at: str = "") -> Iterator[tuple[str, str, bool]]:
    """Yield each string of a value, each key, where it stands, and whether it is the text of a
    message."""
    if isinstance(value, str):
        yield at, value, False
    elif isinstance(value, dict) and value.keys() == _MESSAGE:
        yield at, value["text"], True  # its plural is in a catalogue by this alone
        yield from strings(value["values"], f"{at}.values")
    elif isinstance(value, dict):
        for key, below in value.items():
            yield at, key, False
            yield from strings(below, f"{at}.{key}")
    elif isinstance(value, list):
        for below in value:
            yield from strings(below, at)


def are_of_ours(
    emails: Sequence[Sent], slug: str, *others: re.Pattern[str]
) -> tuple[list[str], list[str]]:
    """Return the messages that no catalogue has, and the parts of sentences of ours that stand
    elsewhere but at `others`; a name that stands there may stand anywhere. A message of holes
    alone joins what stands in them."""
    said, parts = sentences(slug)
    assert len(said) > 1000
    unknown, found, named = list[str](), set[str](), set[str]()
    for one in emails:
        for at, text, is_message in strings(plain(one.value)):
            if is_message:
                joins = not re.sub(r"\{\w+\}", "", text).strip(" ,:;()")
                unknown += [] if joins or text in said else [text]
            else:
                theirs = any(form.fullmatch(at) for form in others)
                (named if theirs else found).add(text)
    together = "\n".join(found)
    return unknown, [part for part in parts if part in together and part not in named]


def sentences(slug: str) -> tuple[set[str], list[str]]:
    """Return the messages of the shared catalogue and of a game's, and the parts between the holes
    of these and of their translations, if they have two words. Those with order words stand in
    orders."""
    said, parts = set[str](), set[str]()
    for language in LANGUAGES[1:]:
        found = words.load_catalogue(language, slug)
        while isinstance(found, words._Catalogue):
            said |= {key if isinstance(key, str) else key[0] for key in found._catalog}
            for sentence in found.sentences():
                parts |= {part.strip() for part in words._HOLE.split(sentence)}
            found = found._fallback
    return said, [part for part in parts if " " in part and not re.search("[A-Z]{2}", part)]


# Where somebody's own words stand.
OWN = re.compile(r"\.press\.messages\.lines|\.notices\.reason|\.report\.players\.\w+")
CARD = re.compile(r"\.report\.(secrets|news\.known)\.title")  # of Spies: a name, not a sentence
OF_NOTES = re.compile(r"\.said\.contents\.above\.lines")


def by_another_process(emails: Sequence[Sent]) -> list[list[str | None]]:
    """Return each value as it is written again, and the forms of its email."""
    given = [[values.to_json(one.value), encode(one.past).decode()] for one in emails]
    kept = {name: said for name, said in os.environ.items() if not name.startswith("LC_")}
    made = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input="\n".join(map(json.dumps, given)),
        env={**kept, "PYTHONHASHSEED": "4242", "TZ": "Asia/Tokyo", "LANG": "C", "LANGUAGE": "sv"},
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return [json.loads(line) for line in made.stdout.splitlines()]


@pytest.mark.slow
def test_another_process_writes_the_same_emails_from_their_values(all_cases):
    emails = [one for case in CASES for one in all_cases[case]]
    for one, (text, *forms) in zip(emails, by_another_process(emails), strict=True):
        assert text == values.to_json(one.value)
        subject, *others = forms
        assert [subject, *map(ended, others)] == one.forms


@pytest.mark.slow
def test_the_matches_have_emails_of_all_sorts(case):
    emails = _PLAYED[case]
    assert {one.value.kind for one in emails} == {"report", *(["aside"] if "once" in case else [])}
    assert {one.value.beside.first for one in emails} == {True, False}
    assert {one.value.report["phase"] for one in emails} >= {"play", "over"}
    assert len({one.value.language for one in emails}) > 1
    assert any(one.past for one in emails) == (GAMES[CASES[case][0]].page.past is not None)


@pytest.mark.slow
def test_what_a_page_looks_back_on_is_in_the_earlier_values_of_its_seat(case):
    emails = [one for one in _PLAYED[case] if one.value.beside.page.shown == "attached"]
    for number, one in enumerate(emails):
        earlier = [other.value for other in emails[:number]]
        assert list(looking_back(one.value, earlier)) == list(one.past)


@pytest.mark.slow
def test_no_value_has_a_sentence_of_ours_as_text(case):
    """A message has the sentence as the catalogues name it, and what stands in its holes."""
    slug = CASES[case][0]
    assert are_of_ours(_PLAYED[case], slug, OWN, CARD) == ([], [])


@pytest.mark.slow
def test_a_value_has_no_name_of_others_where_names_are_hidden(case):
    _, options, _ = CASES[case]
    for one in _PLAYED[case]:
        text = values.to_json(one.value)
        named = [name for name in PEOPLE if name in text]
        if "names=hidden" in options and one.value.report["phase"] != "over":
            assert named == []
        else:
            assert named


@pytest.mark.slow
def test_a_value_is_ascii_with_sorted_keys_and_can_be_written_in_one_way(case):
    text = values.to_json(_PLAYED[case][-1].value)
    assert text.isascii()
    told = json.loads(text)
    assert [*told] == sorted(told)
    others = [
        json.dumps(told, sort_keys=True),
        json.dumps(told, separators=(",", ":")) + " ",
        text.replace('"', ' "', 1),
        text.replace('{"acts"', '{"actions":[],"acts"'),
        *(text.replace(f'"at":"{told["at"]}"', f'"at":"{at}"') for at in ("soon", told["at"][:-1])),
        text.replace('"with":{', '"with":{"also":1,'),
        text.replace('"view"', '"viewed"').replace('"phase"', '"phases"'),
        text.replace('"report":{', '"report":{"also":1,'),
        text.replace('"advised":false', '"advised":false,"advised":false'),
        text[:-9],
        text[1:],
        "[" * 5000,
        "",
        "{}",
        "null",
    ]
    for other in others:
        assert other != text
        with pytest.raises(values.UnreadableValue):
            values.read(other.encode())
    assert values.to_json(values.read(text.encode())) == text


@pytest.fixture
def goofspiel(store, tmp_path, monkeypatch) -> list[Sent]:
    """Return the emails of a match of a game in a package."""
    return played("goofspiel", MailClub(store, tmp_path / "spool"), monkeypatch)


def saved(path: Path, value: EmailValue) -> Path:
    path.write_text(values.to_json(value))
    return path


def told_by(*args: object) -> tuple[int, str, str]:
    """Run `adjud write`; return its exit code, what it prints and what it refuses."""
    done = CliRunner().invoke(main, ["write", *map(str, args)])
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.slow
def test_adjud_write_prints_each_form_of_an_email(case, tmp_path):
    reports = [one for one in _PLAYED[case] if one.value.kind == "report"]
    last = reports[-1]
    seats = [one for one in reports if one.value.to.seat == last.value.to.seat]
    files = [saved(tmp_path / f"{n}.json", one.value) for n, one in enumerate(seats)]
    for one, file in ((seats[-1], files[-1]), (seats[2], files[2])):
        earlier = [part for path in files if path != file for part in ("--earlier", path)]
        subject, text, html, page = one.forms
        assert told_by(file) == (0, text, "")
        assert told_by(file, "--form", "html") == (0, html, "")
        assert told_by(file, "--form", "subject") == (0, f"{subject}\n", "")
        assert told_by(file, "--form", "page", *earlier) == (0, page, "")
    for one in [one for one in _PLAYED[case] if one.value.kind == "aside"][:1]:
        file = saved(tmp_path / "aside.json", one.value)
        assert told_by(file) == (0, one.forms[1], "")
        none = f"adjud: {file}: this email has no HTML\n"
        assert told_by(file, "--form", "html") == (1, "", none)


@pytest.mark.slow
def test_adjud_write_says_why_it_writes_nothing(goofspiel, tmp_path):
    whole = values.to_json(goofspiel[0].value)
    linked = msgspec.structs.replace(goofspiel[0].value.beside.page, shown="none")
    beside = msgspec.structs.replace(goofspiel[0].value.beside, page=linked)
    without_page = msgspec.structs.replace(goofspiel[0].value, beside=beside)
    json_of_none = "this is not the JSON of an adjud email"
    other = "adjud 9.9.9 wrote it, and this is adjud"
    changed = "it is not as adjud wrote it; something in it was changed"
    for text, why in (
        ("", json_of_none),
        ("hello", f"{json_of_none}: JSON is malformed"),
        ("{}", json_of_none),
        (whole[:500], f"{json_of_none}: Input data was truncated"),
        (whole.replace(__version__, "9.9.9"), f"{other} {__version__}, which may word it"),
        (whole.replace('"at"', '"as":0,"at"'), f"{json_of_none}: Object contains unknown field"),
        (whole.replace('"phase"', '"phases"'), f"{json_of_none}: Object contains unknown field"),
        (whole.replace("goofspiel", "chess"), "this adjud does not have its game"),
        (whole.replace(",", ", "), changed),
        (whole.replace('"turn":1', '"turn":1.0'), json_of_none),
        (" " * 1_000_001, "it is too large for an adjud email: at most 1000000 bytes"),
    ):
        file = tmp_path / "x.json"
        file.write_text(text)
        code, out, err = told_by(file)
        assert (code, out) == (1, ""), text[:80]
        assert err.startswith(f"adjud: {file}: {why}")
        assert "Traceback" not in err
    file = saved(tmp_path / "y.json", without_page)
    assert told_by(file, "--form", "page") == (1, "", f"adjud: {file}: this email has no page\n")
    gone = tmp_path / "gone.json"
    assert told_by(gone) == (1, "", f"adjud: {gone} cannot be read: No such file or directory\n")


def attached(raw: bytes) -> EmailValue | None:
    """Return the value that an email has."""
    text = value_in(raw)
    return values.read(text) if text else None


def of_notes(club: MailClub, language: str, zone: str) -> list[Sent]:
    """Return the emails of a match that are no reports: reminders of the deadline and of the
    reserve, notices, with a button and without, messages of others, and answers."""
    club.add("Anna", language=language)
    club.add("Bob")
    club.new(*BANK, "press_when=report")
    club.run_tick()
    club.say("Anna", f"PREFS ZONE {zone}")
    said = ("PRESS TO white", "Three goats.", "", "A long line " * 9, "ENDPRESS")
    club.write("black", *said, at=MONDAY + HOUR)
    for seat in ("white", "black"):
        club.write(seat, f"ORDERS m {seat}", "SETUP RANDOM", "END", at=MONDAY + HOUR)
    club.run_tick(MONDAY + HOUR)
    club.write("black", "DRAW", at=MONDAY + 2 * HOUR)
    club.run_tick(MONDAY + 2 * HOUR)
    club.announce("m", "The hall is cold.", now=MONDAY + 3 * HOUR)
    for hours in (3, 68, 76, 200):  # the deadline, and half of the reserve
        club.run_tick(MONDAY + hours * HOUR)
    found = [(attached(raw), raw) for _, _, raw in club.way.letters]
    return [Sent(one, (), raw) for one, raw in found if one and one.kind not in ("report", "aside")]


@pytest.mark.parametrize(("language", "zone"), each_once(LANGUAGES, ["Europe/Oslo", "UTC"]))
def test_another_process_writes_the_same_emails_that_are_no_reports(
    store, tmp_path, language: str, zone: str
) -> None:
    emails = of_notes(MailClub(store, tmp_path / "spool"), language, zone)
    assert {one.value.kind for one in emails} >= {"reminder", "notice", "press", "receipt"}
    assert {bool(one.value.said and one.value.said.asked) for one in emails} == {True, False}
    for one, (text, subject, *forms) in zip(emails, by_another_process(emails), strict=True):
        assert text == values.to_json(one.value)
        assert [subject, *map(ended, forms)] == one.forms


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_value_of_an_email_that_is_no_report_has_a_sentence_of_ours_as_text(
    store, tmp_path, language: str
) -> None:
    emails = of_notes(MailClub(store, tmp_path / "spool"), language, "UTC")
    assert are_of_ours(emails, "espionage", OF_NOTES) == ([], [])
