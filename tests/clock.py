"""Set the clock that the program reads."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from unittest.mock import patch

from adjudicator.cli import shell


@contextmanager
def clock_at(moment: datetime | str) -> Iterator[None]:
    """Let it be that moment, in UTC, for a command and for the mail server that fills the spool.

    These two read the clock (`tests/test_architecture.py` holds the first to it); whatever else
    takes time goes on. freezegun does the same for all modules, but walks over them each time,
    which takes 15 ms; here commands are run by the thousand.
    """
    now = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    now = now.replace(tzinfo=UTC)

    class Stopped(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            return now

    with patch.object(shell, "datetime", Stopped), patch.object(time, "time", now.timestamp):
        yield
