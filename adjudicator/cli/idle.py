"""The quick look of `adjud tick`: is there anything to do, before the program is imported.

Most of the ticks that cron runs find nothing, and importing the rest of the program takes far
longer than to see that. What a tick looks at is looked at here, too, and nothing is written. The
answer "nothing" is given only if it is certain: a fault of any kind is left to the whole tick,
which deals with it. Something new that each tick does must be asked here as well:
tests/cli/test_idle.py holds the statements of a tick that finds nothing.
"""

import os
import re
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from adjudicator import SCHEMA

if TYPE_CHECKING:
    from adjudicator.cli.shell import Session

# These are the same in the modules that a tick imports; tests/cli/test_idle.py compares them.
PRECISION = timedelta(hours=1)  # match/outage_valve
SLACK = timedelta(minutes=10)
REMEMBERED = timedelta(days=60)  # inbound/collecting
FAR = timedelta(days=2)  # store/clubs

_MOMENT = "%Y-%m-%dT%H:%M:%S.%fZ"  # as store/types.UtcDateTime

# Each condition is one of a tick's own statements, or asks for more: a letter that was put off is
# left to the tick as well. The literals are those of the partial indexes.
QUESTION = """
    SELECT version_num = :head AND domain = :domain AND unsigned = 0
    AND NOT EXISTS (SELECT 1 FROM match WHERE wake_at <= :now)
    AND NOT EXISTS (SELECT 1 FROM tournament WHERE wake_at <= :now)
    AND NOT EXISTS (
        SELECT 1 FROM pairing JOIN tournament ON tournament.id = tournament_id
        LEFT JOIN match ON match.id = match_id
        WHERE done_at IS NULL AND made_at > '' AND tournament.status = 'playing'
        AND (match_id IS NULL OR match.status = 'over')
    )
    AND NOT EXISTS (SELECT 1 FROM player WHERE remind_at <= :now)
    AND NOT EXISTS (SELECT 1 FROM joining WHERE remind_at <= :now)
    AND NOT EXISTS (SELECT 1 FROM offer WHERE expires_at <= :now)
    AND NOT EXISTS (SELECT 1 FROM guest WHERE expires_at <= :now)
    AND NOT EXISTS (SELECT 1 FROM substitute_search WHERE next_at <= :now)
    AND NOT EXISTS (SELECT 1 FROM happening WHERE next_at <= :now)
    AND NOT EXISTS (
        SELECT 1 FROM challenge JOIN match ON match.id = challenge.match_id
        WHERE challenge.match_id IS NOT NULL AND done_at IS NULL AND match.status = 'over'
    )
    AND NOT EXISTS (SELECT 1 FROM past_epoch WHERE told_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM letter WHERE status = 'received')
    AND NOT EXISTS (SELECT 1 FROM outbox WHERE status = 'waiting' AND next_at <= :now)
    AND NOT EXISTS (SELECT 1 FROM outbox WHERE status = 'waiting' AND next_at > :far)
    AND NOT EXISTS (
        SELECT 1 FROM letter WHERE length(raw) > 0 AND received_at < :old
        AND status NOT IN ('received', 'stuck', 'parked')
    )
    AND (last_tick_at IS NULL OR substr(last_tick_at, 1, 10) = substr(:now, 1, 10))
    AND (
        NOT EXISTS (SELECT 1 FROM match WHERE wake_at IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM tournament WHERE wake_at IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM offer WHERE expires_at IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM guest WHERE expires_at IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM substitute_search WHERE next_at IS NOT NULL)
        AND coalesce(leap, 0) = 0
        OR (last_tick_at > :noted AND last_tick_at <= :ahead)
    ),
    fingerprints, mark FROM alembic_version, club, clock
"""


def nothing_due(session: "Session") -> bool:
    """Return whether a tick would neither do nor say anything now."""
    from adjudicator.service.base.calendar import parse_duration

    mail = session.settings.mail
    plain = re.fullmatch(r"sqlite:///(/?[\w.-][\w./-]*)", session.url, re.ASCII)
    if plain is None or mail.fetch:
        return False
    gap = parse_duration(session.settings.clock.max_gap)
    times = {
        "now": timedelta(),
        "far": FAR,
        "old": -REMEMBERED,
        "noted": -min(PRECISION, gap / 4 or PRECISION),
        "ahead": SLACK,
    }
    values = {name: (session.now + of).strftime(_MOMENT) for name, of in times.items()}
    try:
        # As the tick itself opens it, so that what a crash has left beside the file is dealt with.
        # But this never waits for a lock.
        with closing(sqlite3.connect(f"file:{plain[1]}?mode=rw", timeout=0, uri=True)) as database:
            values |= {"head": SCHEMA, "domain": mail.domain}
            ((is_idle, fingerprints, mark),) = database.execute(QUESTION, values).fetchall()
        if not (is_idle and mail.domain):
            return bool(is_idle)
        return fingerprints == _fingerprints(session.key) and _is_empty(session.spool, mark)
    except (OSError, ValueError, sqlite3.Error):
        return False  # whatever it is, the whole tick meets it and says it


def _fingerprints(key: Path) -> str:
    """Return the fingerprints of the keys in a file, as the database keeps them."""
    from adjudicator.mail import keyed

    lines = (line.split() for line in key.read_text("ascii").split("\n"))
    return " ".join(keyed.fingerprint(bytes.fromhex(secret)) for _, secret in filter(None, lines))


def _is_empty(folder: Path, mark: str) -> bool:
    """Return whether no letter waits in the spool, and the spool is this club's."""
    from adjudicator.mail.transport import spool

    if spool.no_folder(folder) is not None:
        return False
    if not folder.exists():
        return True  # nothing has come yet
    # What lies in `tmp` may be left from a kill, and the tick sweeps it.
    return spool.club(folder) == mark and not (spool.names(folder) or os.listdir(folder / "tmp"))
