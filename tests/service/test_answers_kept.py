"""What each kind of email is answered, kept as it is read in three languages.

A case is an email or two, one after the other, to the club below. What is kept of each answer is
its key and kind, to whom it goes, its subject and its text; and how the email itself ended.
`--bless` writes the files anew. An answer is put down without a finished sentence of ours, and
written when it goes out.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import parseaddr
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec import Struct, structs
from msgspec.json import decode

from adjudicator import __version__
from adjudicator.reports.words import load_catalogue
from tests.club import MONDAY, computer_orders
from tests.database import tables
from tests.inside import answers as outbound_answers
from tests.service.mailclub import MailClub, text_of
from tests.values import EmailBody, EmailValue, read, to_json, write

_SHORT = re.compile(r"\b(?:[0-9a-f]{4}-){4}[0-9a-f]{4}\b")  # a fingerprint, for the phone
KEPT = Path(__file__).parent / "answers_kept"
NOW = MONDAY + timedelta(hours=3)  # once the set-ups have settled
STRANGE = "mallory@example.net"
PUBLIC = "adjud@play.example.org"
GUEST = "guest@example.net"
SHEET = ("ORDERS m white", "{orders}", "END")
FAULTY = ("ORDERS m white", "MOVE Z9 Z8", "END")
LATER = ("ORDERS m white turn 3", "{orders}", "END")

# The lines of each email of a case; one after the first may have the code of an answer as {code}.
Said = tuple[str, ...]
SEAT: dict[str, Sequence[Said]] = {
    "accepted": [SHEET],
    "accepted bare": [("{orders}",)],
    "accepted twice": [SHEET, (*SHEET, "Regards")],
    "tried out": [("CHECK", *SHEET)],
    "refused": [FAULTY],
    "refused without a frame": [("MOVE Z9 Z8", "Thanks for the game")],
    "two sheets for one turn": [(*SHEET, *FAULTY)],
    "for a later turn": [LATER],
    "for a later turn, and refused": [(*LATER, *FAULTY)],
    "withdrawn": [SHEET, ("CLEAR",)],
    "a question beside orders": [(*SHEET, "When is the deadline?")],
    "orders and a message": [("PRESS TO black", "Hi", "ENDPRESS", *SHEET)],
    "orders and what they show": [(*SHEET, "STATUS", "REPORT 99")],
    "orders for another match": [("ORDERS n black", "SETUP RANDOM", "END")],
    "resignation": [("RESIGN",)],
    "resignation confirmed": [("RESIGN",), ("CONFIRM {code}",)],
    "resignation, and orders since": [("RESIGN",), SHEET, ("CONFIRM {code}",)],
    "orders and a resignation": [(*SHEET, "RESIGN")],
    "a code that nobody was sent": [("CONFIRM 7K3QXY",)],
    "a code that nobody was sent, and orders": [("CONFIRM 7K3QXY", *SHEET)],
    "two codes": [("CONFIRM 7K3QXY", "CONFIRM 8K3QXY")],
    "draw": [("DRAW",)],
    "draw twice": [("DRAW", "DRAW")],
    "not ready, and status": [("NOTREADY", "STATUS")],
    "nothing but words": [("I think I will win this one",)],
    "a question": [("Why was my spy caught?",)],
    "thanks": [("Thanks!",)],
    "nothing": [("=====",)],
    "a slip": [("STATSU",)],
    "two slips and a command": [("STATSU", "PREF REMINDERS", "PING")],
    "help": [("HELP",)],
    "status": [("STATUS",)],
    "template": [("TEMPLATE",)],
    "report": [("REPORT",)],
    "ping": [("PING",)],
    "settings": [("PREFS REMINDERS OFF", "ZONE Europe/Oslo")],
    "setting that there is not": [("PREFS REMINDERS SELDOM", "ZONE Europe/Atlantis")],
    "away": [("ABSENCE 2026-12-20 TO 2026-12-24",)],
    "games": [("GAMES",)],
    "join": [("JOIN other",)],
    "join, confirmed": [("JOIN other",), ("CONFIRM {code}",)],
    "join nowhere": [("JOIN nowhere",)],
    "rematch": [("REMATCH",)],
    "substitute": [("SUBSTITUTE",)],
    "message": [("PRESS TO black", "Hi", "ENDPRESS")],
    "message to oneself": [("PRESS TO white", "Hi", "ENDPRESS")],
    "message without an end": [("PRESS TO black", "Hi")],
    "mute and complain": [("MUTE black", "COMPLAIN 1")],
    "a note": [("NOTE Bob is bold",)],
    "tried out commands": [("CHECK", "ZONE UTC", "STATUS", "CONFIRM 7K3QXY")],
    "of the player's own": [("TABLE cup", "ACCEPT 7K3Q", "INVITE Nobody TO espionage")],
    "all at once": [("STATUS", "ZONE UTC", "REPORT 99", "PRESS TO black", "Hi", "ENDPRESS")],
    "several matches": [(*SHEET, "MATCH n", "READY")],
}
FROM_ELSEWHERE: dict[str, Sequence[Said]] = {
    "orders": [SHEET],
    "orders, confirmed": [SHEET, ("CONFIRM {code}",)],
    "orders, confirmed beside others": [SHEET, ("CONFIRM {code}", *SHEET)],
    "refused": [FAULTY],
    "words": [("Hello there",)],
    "a command": [("STATUS", "ZONE UTC")],
    "resignation": [("RESIGN",)],
    "a wrong code": [("CONFIRM 7K3QXY",)],
    "several matches": [("MATCH n", "READY")],
}
PERSON: dict[str, Sequence[Said]] = {
    "help": [("HELP",)],
    "status": [("STATUS", "GAMES")],
    "ping": [("PING",)],
    "settings": [("PREFS", "ZONE Europe/Oslo")],
    "refused": [("ZONE Europe/Atlantis",)],
    "join": [("JOIN other",)],
    "join nowhere, and away": [("JOIN nowhere", "ABSENCE 2026-12-20 TO 2026-12-24")],
    "offers": [("ACCEPT 7K3Q", "DECLINE 7K3Q")],
    "invite": [("INVITE Bob TO spion",)],
    "invite and withdraw": [("INVITE Nobody TO espionage", "WITHDRAW cup", "TABLE cup")],
    "of a seat": [("READY", "TEMPLATE")],
    "a slip": [("STATSU",)],
    "orders without a match": [("ORDERS", "{orders}", "END")],
    "words": [("I would like to know more",)],
    "a question": [("Who is the game master?",)],
    "thanks": [("Thanks!",)],
    "a wrong code": [("CONFIRM 7K3QXY",)],
    "a wrong code, and a command": [("CONFIRM 7K3QXY", "CONFIRM 8K3QXY", "PING")],
    "tried out": [("CHECK", "ZONE UTC", "STATUS", "CONFIRM 7K3QXY")],
    "one match": [SHEET],
    "one match and a setting": [("ZONE UTC", *SHEET)],
    "one match, faulty": [FAULTY],
    "one match, no seat": [("MATCH other", "STATUS")],
    "several matches": [(*SHEET, "MATCH n", "READY", "MATCH nowhere", "STATUS")],
    "several matches, some to confirm": [("STATUS", "MATCH m", "RESIGN", "MATCH n", "DRAW")],
    "a slip in MATCH": [("MATHC n", "READY", "MATCH m", "STATUS")],
}
PERSON_FROM_ELSEWHERE: dict[str, Sequence[Said]] = {
    "a setting": [("ZONE Europe/Oslo",)],
    "a setting, confirmed": [("ZONE Europe/Oslo", "PING"), ("CONFIRM {code}",)],
    "matches, confirmed": [(*SHEET, "MATCH n", "READY"), ("CONFIRM {code}",)],
    "words": [("Hello there",)],
    "a wrong code": [("CONFIRM 7K3QXY",)],
}
ANYBODY: dict[str, Sequence[Said]] = {
    "help": [("HELP",)],
    "all that is shown": [("PING", "GAMES", "TABLE cup")],
    "join": [("JOIN other",)],
    "join, confirmed": [("JOIN other",), ("CONFIRM {code}", "LANGUAGE nb", "ZONE Europe/Mars")],
    "join, a wrong code": [("JOIN other",), ("CONFIRM 7K3QXY",)],
    "join, and words": [("JOIN other",), ("Hello, I did",)],
    "join nowhere": [("JOIN nowhere",)],
    "a code": [("CONFIRM 7K3QXY",)],
    "words about playing": [("I would like to play a game", "How do I join?")],
    "words": [("What a nice day",)],
    "orders": [SHEET],
    "a seat's": [("PING", "READY")],
    "a player's": [("WITHDRAW cup", "STATUS")],
}
ROOMS = {
    "to a seat": (SEAT, "anna@example.org", ""),
    "to a seat, from elsewhere": (FROM_ELSEWHERE, STRANGE, ""),
    "to a personal address": (PERSON, "anna@example.org", "own"),
    "to a personal address, from elsewhere": (PERSON_FROM_ELSEWHERE, STRANGE, "own"),
    "to the public address": (ANYBODY, GUEST, PUBLIC),
    "to the public address, from a player": (ANYBODY, "anna@example.org", PUBLIC),
}


def answers_in(language: str, club: MailClub) -> str:
    """Return what is answered to all cases."""
    codes = (f"K{number:03}QX" for number in range(1000))
    club.context = structs.replace(
        club.context, coder=lambda: next(codes), contact="gm@example.org", game_master="Gro"
    )

    def begin() -> str:
        club.add("Anna", language=language)
        club.add("Bob", "Cleo")
        club.new("deadline=every 3 days", "settle=2 hours")
        club.new(name="n")
        club.new(white="Cleo", black="open", name="other")
        club.run_tick()
        for seat in ("white", "black"):
            club.send(seat, "SETUP RANDOM")
        club.run_tick(NOW)
        return "\n".join(computer_orders(club.loaded(), "white", "computer:random"))

    told, seen = list[str](), set[str]()
    for room, (cases, sender, to) in ROOMS.items():
        for case, emails in cases.items():
            orders = club.brought(f"answers in {language}", begin)
            address = club.own("Anna") if to == "own" else to or club.address("white")
            told.append(f"{'=' * 20} {room}: {case}\n")
            told += _answered(club, emails, sender, address, orders, seen)
    return "\n".join(told)


def _answered(
    club: MailClub, emails: Sequence[Said], sender: str, to: str, orders: str, seen: set[str]
) -> list[str]:
    told, code = list[str](), ""
    for lines in emails:
        said = (line.format(orders=orders, code=code) for line in lines)
        club.write("white", *said, sender=sender, to=to, at=NOW)
        (before,) = _rows(club, "SELECT coalesce(max(id), 0) FROM outbox")
        told += [_said(one, sender, seen) for one in club.run_tick(NOW)]
        (status,) = _rows(club, "SELECT status FROM letter ORDER BY id DESC LIMIT 1")
        kinds = _rows(club, f"SELECT kind || ' ' || key FROM outbox WHERE id > {before}")
        told.append("\n".join((f"-- read as {status}", *(f"-- {one}" for one in kinds), "")))
        code = code or next((one for one in "".join(told).split() if _is_code(one)), "")
    return told


def _said(email: EmailMessage, sender: str, seen: set[str]) -> str:
    """Return an answer; of a part that many have, such as a page, the first line after the first
    time. Of other emails it is kept that they went."""
    head = f"To: {email['To']}\nSubject: {email['Subject']}\n"
    if not {"anna@example.org", sender} & {parseaddr(str(email["To"]))[1]}:
        return head
    parts = [head]
    for part in _of_no_version(text_of(email)).split("\n\n"):
        first, *others = part.strip("\n").split("\n")
        parts.append(f"{first} (as before)" if part in seen and len(others) > 1 else part)
        seen.add(part)
    return "\n\n".join(parts).replace("\n\n\n", "\n\n")


def _of_no_version(text: str) -> str:
    """Return a text without what the version of adjud decides: its number, and a log's fingerprint,
    for the log tells the number."""
    text = text.replace(__version__, "VERSION")
    for short in _SHORT.findall(text):
        whole = f"{short.replace('-', '')}[0-9a-f]*"
        text = re.sub(whole, "FINGERPRINT", text).replace(short, "FINGERPRINT")
    return text


def _is_code(word: str) -> bool:
    return len(word) == 6 and word.startswith("K") and word.endswith("QX")


def _rows(club: MailClub, asked: str) -> Sequence[str]:
    with club.store.reading() as tx:
        return [str(one) for one in tx.exec_driver_sql(asked).scalars().all()]


def rows(club: MailClub) -> dict[str, Any]:
    with club.store.reading() as tx:
        found = tx.execute(sa.select(tables.outbox.c.key, tables.outbox.c.body)).all()
    return {key: decode(body) for key, body in found}


class Watched(MailClub):
    """A club of which all is kept that ever stood in its outbox."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.bodies: dict[str, Any] = {}

    def run_tick(self, now: datetime = MONDAY, *, sure: bool = False) -> Sequence[EmailMessage]:
        sent = super().run_tick(now, sure=sure)
        self.bodies |= {f"{len(self.bodies)} {key}": body for key, body in rows(self).items()}
        return sent


class Answered(Struct):
    """What is answered to all cases, what ever stood in the outbox, and the values of answers."""

    text: str
    bodies: Sequence[Any]
    made: Sequence[EmailValue]


_ANSWERED: dict[str, Answered] = {}


SWEDISH = pytest.param("sv", marks=pytest.mark.slow)


@pytest.fixture(params=["en", "nb", SWEDISH])
def language(request, store, tmp_path, monkeypatch) -> str:
    """Return a language in which all cases are answered once."""
    if request.param not in _ANSWERED:
        made: list[EmailValue] = []

        def noted(value: EmailValue, **envelope: Any) -> EmailBody:
            made.append(value)
            return EmailBody(value=value, **envelope)

        monkeypatch.setattr(outbound_answers, "EmailBody", noted)
        club = Watched(store, tmp_path / "spool")
        text = answers_in(request.param, club)
        _ANSWERED[request.param] = Answered(text, [*club.bodies.values()], made)
    return str(request.param)


def test_what_is_answered(language, pytestconfig):
    made = _ANSWERED[language].text
    kept = KEPT / f"{language}.txt"
    if pytestconfig.getoption("--bless"):
        KEPT.mkdir(exist_ok=True)
        kept.write_text(made, encoding="utf-8")
    assert made == kept.read_text(encoding="utf-8"), f"{kept.name} changed; read it, then --bless"


def strings(value: Any) -> Iterator[str]:
    """Yield all strings of a row but the English of its messages."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)
    elif isinstance(value, dict):
        is_message = value.keys() >= {"text", "values"}
        for key, one in value.items():
            if not (is_message and key in ("text", "plural")):
                yield from strings(one)


def test_the_strings_of_a_row_are_found():
    white = {"text": "White", "values": {"n": "x"}, "plural": None}
    message = {"text": "Yours", "values": {"seat": white}, "plural": None}
    assert [*strings({"says": [message, "e2-e4"], "text": "A"})] == ["x", "e2-e4", "A"]


def said_by_us(language: str) -> set[str]:
    """Return the longest words in a row of each of our sentences without values, English and
    translated; short ones could be a person's."""
    sentences = {
        sentence
        for game in ("", "espionage")
        for sentence in load_catalogue(language, game).sentences()  # type: ignore[attr-defined]
    }
    longest = (max(re.split(r"\{\w+\}|\n", one), key=len).strip() for one in sentences if one)
    return {part for part in longest if len(part) > 15 and part.count(" ") > 1}


@pytest.mark.parametrize("language", ["nb"], indirect=True)
def test_an_answer_to_a_seat_is_written_again_from_its_value(language):
    """The value is read from its JSON; the same in another process is looked at for all kinds."""
    made = _ANSWERED[language].made
    assert len(made) > 40
    kinds = {one.kind for one in made}
    assert kinds == {"receipt", "refusal", "confirm", "press", "notice"}
    assert {bool(one.to.match) for one in made} == {True, False}
    assert {one.to.player is None for one in made if not one.to.match} == {True, False}
    for value in made:
        text = to_json(value)
        assert to_json(read(text.encode())) == text
        assert write(read(text.encode())) == write(value)
    said = [one.said for one in made if one.said is not None]
    taken = [receipt for one in said for receipt in one.contents.receipts]
    assert {receipt.accepted for receipt in taken} == {True, False}
    assert all(receipt.revision for receipt in taken if receipt.stored and receipt.orders)
    assert any(one.asked for one in said)


@pytest.mark.parametrize("language", ["nb", SWEDISH], indirect=True)  # a message has its English
def test_no_sentence_of_ours_is_finished_in_an_answer(language):
    kept = [body for body in _ANSWERED[language].bodies if body and "says" in body]
    assert len(kept) > 100
    whole = "\n".join({one for body in kept for one in strings(body)})
    known = said_by_us(language)
    read = (KEPT / f"{language}.txt").read_text(encoding="utf-8")  # the same, as they went out
    assert sum(part in read for part in known) > 50
    assert [part for part in known if part in whole] == []
