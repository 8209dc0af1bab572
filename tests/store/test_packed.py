"""The rows of each turn are kept compressed, and those of an older program are read, too."""

from datetime import datetime

import sqlalchemy as sa

from adjudicator.store import turns
from adjudicator.store.turns import Ply
from tests.database import Store, tables
from tests.store.test_matches import made

STATE = '{"squares": "' + "abcdefgh" * 500 + '", "å": "Ø"}'


def test_a_snapshot_is_kept_small_and_read_as_it_was(store: Store, now: datetime) -> None:
    match_id = made(store)
    with store.transaction() as tx:
        ply = Ply(ply=1, turn=1, cause="orders", adjudicated_at=now, snapshot=STATE)
        turns.append(tx, match_id, ply, [])
        assert turns.one(tx, match_id, 1).snapshot == STATE
        kept = tx.exec_driver_sql("SELECT snapshot FROM turn WHERE ply = 1").scalar_one()
        assert len(kept) < len(STATE) / 10


def test_what_an_older_program_wrote_is_read_as_it_is(store: Store, now: datetime) -> None:
    match_id = made(store)
    with store.transaction() as tx:
        ply = Ply(ply=1, turn=1, cause="orders", adjudicated_at=now, snapshot="{}")
        turns.append(tx, match_id, ply, [])
        old = sa.text("UPDATE turn SET snapshot = :it WHERE ply = 1").bindparams(it=STATE)
        tx.execute(old)
        assert turns.one(tx, match_id, 1).snapshot == STATE
        assert (
            tx.execute(sa.select(tables.turn.c.snapshot).where(tables.turn.c.ply == 1)).scalar_one()
            == STATE
        )
