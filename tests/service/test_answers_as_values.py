"""An answer is put down without a finished sentence of ours, and written when it goes out."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.json import decode, encode

from adjudicator.mail.transport.errors import Temporary
from adjudicator.reports.words import load_catalogue
from adjudicator.service.emails.value import EmailValue, read, to_json
from adjudicator.service.emails.write import write
from adjudicator.service.outbound import answers as outbound_answers
from adjudicator.service.outbound import writing
from adjudicator.service.outbound.writing import EmailBody
from adjudicator.store import tables
from tests.service.club import MONDAY
from tests.service.mailclub import MailClub, text_of
from tests.service.test_answers_kept import KEPT, answers_in

OF_BEFORE = Path(__file__).parent / "answers_of_before.json"  # rows of 0.2.32, by their keys
HOUR = timedelta(hours=1)


def rows(club: MailClub) -> dict[str, Any]:
    with club.store.reading() as tx:
        found = tx.execute(sa.select(tables.outbox.c.key, tables.outbox.c.body)).all()
    return {key: decode(body) for key, body in found}


def put_down(club: MailClub, bodies: dict[str, Any]) -> None:
    """Let the emails wait that have these keys, not made yet, with these bodies."""
    with club.store.transaction() as tx:
        for key, body in bodies.items():
            changes = {"raw": None, "body": encode(body).decode()}
            tx.execute(sa.update(tables.outbox).where(tables.outbox.c.key == key).values(changes))


def answers(club: MailClub) -> list[tuple[str, str]]:
    club.way.trouble = None
    return [(str(one["Subject"]), text_of(one)) for one in club.run_tick(MONDAY + HOUR)]


def test_what_the_version_before_has_put_down_goes_out_as_it_stands(store, tmp_path):
    club, kept = MailClub(store, tmp_path / "spool"), decode(OF_BEFORE.read_bytes())

    def wait() -> None:
        club.opened("deadline=every 3 days")
        club.way.trouble = Temporary("connection refused")
        club.write("white", "ORDERS m white turn 0", "SETUP RANDOM", "END")
        club.write("white", "ORDERS m white turn 0", "SETUP NONSENSE", "END")
        club.say("Anna", "STATUS", "MATCH m", "STATUS", "MATCH nowhere", "READY")
        club.write("white", "GAMES", sender="carl@example.net", to="adjud@play.example.org")
        assert club.run_tick() == []

    club.brought("four answers wait", wait)
    put_down(club, {key: body for key, body in rows(club).items() if key in kept})
    now = answers(club)
    club.brought("four answers wait", wait)
    put_down(club, kept)
    assert kept.items() <= rows(club).items()
    # The digest of that version's orders has the label ADJUD2.
    digest = re.compile(r"ADJUD[23](\|\S+ with the orders:\s+)[0-9a-f]{64}")
    as_now, as_before = (
        [(subject, digest.sub(r"\1", text)) for subject, text in one]
        for one in (now, answers(club))
    )
    assert as_before == as_now
    assert len(now) == len(kept) == 4
    assert any("NOT accepted" in text for _, text in now)


class Watched(MailClub):
    """A club of which all is kept that ever stood in its outbox."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.bodies: dict[str, Any] = {}

    def run_tick(self, now: datetime = MONDAY, *, sure: bool = False) -> Sequence[EmailMessage]:
        sent = super().run_tick(now, sure=sure)
        self.bodies |= {f"{len(self.bodies)} {key}": body for key, body in rows(self).items()}
        return sent


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


def test_an_answer_to_a_seat_is_written_again_from_its_value(store, tmp_path, monkeypatch):
    """The value is read from its JSON; the same in another process is looked at for all kinds."""
    made: list[EmailValue] = []

    def body_of(value: EmailValue) -> EmailBody:
        made.append(value)
        return writing.body_of(value)

    monkeypatch.setattr(outbound_answers, "body_of", body_of)
    answers_in("nb", MailClub(store, tmp_path / "spool"))
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


@pytest.mark.parametrize("language", ["nb", pytest.param("sv", marks=pytest.mark.slow)])
def test_no_sentence_of_ours_is_finished_in_an_answer(language, store, tmp_path):
    club = Watched(store, tmp_path / "spool")
    answers_in(language, club)
    kept = [body for body in club.bodies.values() if body and "says" in body]
    assert len(kept) > 100
    whole = "\n".join({one for body in kept for one in strings(body)})
    known = said_by_us(language)
    read = (KEPT / f"{language}.txt").read_text(encoding="utf-8")  # the same, as they went out
    assert sum(part in read for part in known) > 50
    assert [part for part in known if part in whole] == []
