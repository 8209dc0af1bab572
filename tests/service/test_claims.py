"""What an audit takes out of papers that have no value: texts, and what the shell has printed."""

import json
from pathlib import Path
from typing import Any

import pytest

from adjudicator.core.message import say
from adjudicator.reports.words import words
from adjudicator.service.audit import documents
from adjudicator.service.audit.claims import confirmations_in, of_text
from adjudicator.service.audit.papers import Document

DIGEST = "a" * 64
HASHED = "ADJUD3|m|white|3|2|"


@pytest.mark.parametrize("language", ["en", "nb", "sv"])
def test_what_a_report_says_of_orders_that_it_used_is_no_confirmation(language: str) -> None:
    moment = "Mon 30 Nov 2026, 12:00 UTC"
    told = words(language, "espionage")(
        say(
            "Received for turn {turn}, version {revision}: {moment}",
            turn=3,
            revision=2,
            moment=moment,
        )
    )
    (claimed,) = confirmations_in(f"Proofs\n\n{told}\n  {HASHED}: {DIGEST}\n", "x").receipts
    assert claimed.claimed
    (confirmed,) = confirmations_in(f"  d3-d4\n\n  {HASHED}: {DIGEST}\n", "x").receipts
    assert not confirmed.claimed


@pytest.mark.parametrize("said", [{}, {"revision": 2}, {"revision": 2, "withdrawn": 4}])
def test_a_confirmation_of_the_shell_that_does_not_say_what_is_hashed_is_of_before(
    tmp_path: Path, said: dict[str, Any]
) -> None:
    file = tmp_path / "receipt.json"
    file.write_text(
        json.dumps({"match": "m", "seat": "white", "turn": 3, "digest": DIGEST, **said}), "utf-8"
    )
    ((paper,), unread, unused) = documents.read([file])
    assert (unread, unused) == ([], [])
    assert isinstance(paper, Document)
    (receipt,) = paper.receipts
    assert (receipt.match, receipt.seat, receipt.turn) == ("m", "white", 3)
    assert (receipt.label, receipt.digest) == ("ADJUD1", DIGEST)


FIRST = '{"adjud":"1.0.0","label":"ADJUD3"}'
KEY = f"Key of the log\n  {DIGEST}\n"


@pytest.mark.parametrize(
    ("text", "is_opened"),
    [(KEY, False), (FIRST, False), (f'{KEY}\n{FIRST}\n{{"ply":1,}}\n', True)],
    ids=["the key alone", "the first line alone", "both"],
)
def test_a_log_is_opened_by_its_key_and_its_lines(text: str, is_opened: bool) -> None:
    found = of_text(f"Log of m, ply 1\n  {DIGEST}\n\n{text}", "x")
    assert found is not None
    assert found.head == (1, DIGEST)
    assert (found.log is not None) == is_opened
    if found.log is not None:
        assert found.log.lines == (FIRST, '{"ply":1,}')


@pytest.mark.parametrize(
    ("command", "opened"),
    [
        ("printf '%s' 'it'\\''s secret' | sha256sum", b"it's secret"),
        ("printf '%s' 00ff '10' | xxd -r -p | sha256sum", b"\x10"),
        ("(printf '%s' 'SEED|m|'; printf '%s' '00ff' | xxd -r -p) | sha256sum", b"SEED|m|\0\xff"),
    ],
)
def test_what_a_command_hashes_is_what_is_opened(command: str, opened: bytes) -> None:
    found = of_text(f"Log of m, ply 1\n  {DIGEST}\n\nThe secret\n  {DIGEST}\n  {command}\n", "x")
    assert found is not None
    (promise,) = found.promises
    assert (promise.title, promise.opened) == ("The secret", opened)
