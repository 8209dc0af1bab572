"""What the version before has put down of its answers goes out as that version meant it."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from msgspec.json import decode, encode

from adjudicator.mail.transport.errors import Temporary
from tests.club import MONDAY
from tests.database import tables
from tests.service.mailclub import MailClub, text_of
from tests.service.test_answers_kept import rows

OF_BEFORE = Path(__file__).parent / "answers_of_before.json"  # rows of 0.2.32, by their keys
HOUR = timedelta(hours=1)


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
