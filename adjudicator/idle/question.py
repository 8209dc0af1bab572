"""Ask an SQLite file whether anything in it is due, with Python's own module alone."""

import os
import re
import sqlite3
import time
from contextlib import closing
from typing import NamedTuple

from adjudicator.idle.plain_settings import Doubt

# These stand for the same in the modules that a tick imports; tests/cli/test_idle.py compares them.
PRECISION = 3600  # seconds: match/outage_valve
SLACK = 600
REMEMBERED = 60 * 86400  # letters_in/collecting
FAR = 2 * 86400  # store/clock

_SECOND = 1  # what is due within it counts as due, because moments are compared to the second

# Each condition is one of a tick's own statements, or asks for more: a letter that was put off is
# left to the tick as well. The literals are those of the partial indexes.
_DUE = """
    EXISTS (SELECT 1 FROM match WHERE wake_at <= :soon)
    OR EXISTS (SELECT 1 FROM player WHERE remind_at <= :soon)
    OR EXISTS (SELECT 1 FROM joining WHERE remind_at <= :soon)
    OR EXISTS (SELECT 1 FROM clock WHERE substr(last_tick_at, 1, 10) <> :day)
    OR EXISTS (SELECT 1 FROM letter WHERE status = 'received')
    OR EXISTS (SELECT 1 FROM past_epoch WHERE told_at IS NULL)
    OR EXISTS (SELECT 1 FROM outbox WHERE status = 'waiting' AND next_at <= :soon)
    OR EXISTS (SELECT 1 FROM outbox WHERE status = 'waiting' AND next_at > :far)
    OR EXISTS (
        SELECT 1 FROM letter WHERE length(raw) > 0 AND received_at < :old
        AND status NOT IN ('received', 'stuck', 'parked')
    )
    OR (
        EXISTS (SELECT 1 FROM match WHERE wake_at IS NOT NULL)
        AND NOT EXISTS (
            SELECT 1 FROM clock WHERE last_tick_at > :noted AND last_tick_at <= :ahead
        )
    )
"""
_QUESTION = f"""
    SELECT version_num, domain, fingerprints, mark, unsigned, {_DUE} FROM alembic_version, club
"""  # noqa: S608  # of two constants


class Answer(NamedTuple):
    """A database says this of its club; `due` is whether it has anything for a tick to do."""

    version: str
    domain: str
    fingerprints: str
    mark: str
    unsigned: int
    due: int


def ask(url: str, now: float) -> Answer:
    """Ask the database at a URL, in one statement, so that all is of one moment.

    Raises Doubt if it is not plainly one of our SQLite files, and sqlite3.Error for any fault, also
    if it is locked: this never waits.
    """
    plain = re.fullmatch(r"sqlite:///(/?[\w.-][\w./-]*)", url, re.ASCII)
    if plain is None or not os.path.isfile(plain[1]):
        raise Doubt
    # As the tick itself opens it, so that what a crash has left beside the file is dealt with.
    with closing(sqlite3.connect(f"file:{plain[1]}?mode=rw", timeout=0, uri=True)) as database:
        (row,) = database.execute(
            _QUESTION,
            {
                "soon": _moment(now + _SECOND),
                "day": _moment(now)[:10],
                "old": _moment(now - REMEMBERED + _SECOND),
                "noted": _moment(now - PRECISION + _SECOND),
                "ahead": _moment(now + SLACK),
                "far": _moment(now + FAR - _SECOND),
            },
        ).fetchall()
    return Answer(*row)


def _moment(seconds: float) -> str:
    """Write a moment as the database does (store/types.UtcDateTime), but for parts of a second."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime(seconds))
