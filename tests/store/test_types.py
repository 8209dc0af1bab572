"""Moments come back from the database as they were given."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import StatementError

from adjudicator.store import rows
from adjudicator.store.players import Player
from adjudicator.store.rows import UtcDateTime
from adjudicator.store.tables import player
from tests.database import Store, player_named
from tests.scale import examples

OSLO = ZoneInfo("Europe/Oslo")
TYPE = UtcDateTime()
DIALECT = sa.create_engine("sqlite://").dialect
FIRST, LAST = datetime(1970, 1, 2), datetime(9998, 12, 30)  # noqa: DTZ001  # Hypothesis adds zones
instants = st.datetimes(min_value=FIRST, max_value=LAST, timezones=st.timezones())


def written(value: datetime) -> str:
    text = TYPE.process_bind_param(value, DIALECT)
    assert text is not None
    return text


def add(store: Store, at: datetime) -> int:
    with store.transaction() as tx:
        made = rows.add(
            tx,
            Player,
            name="Anna",
            name_key="anna",
            address="anna@example.org",
            language="en",
            zone="UTC",
            confirmed_at=None,
            created_at=at,
        )
        return made.id


def test_an_instant_comes_back_in_utc(store: Store) -> None:
    add(store, datetime(2026, 11, 21, 18, tzinfo=OSLO))
    with store.reading() as tx:
        found = player_named(tx, "ANNA")
    assert found is not None
    assert found.created_at == datetime(2026, 11, 21, 17, tzinfo=UTC)
    assert found.created_at.tzinfo is UTC
    assert found.confirmed_at is None


def test_a_time_without_a_zone_is_refused(store: Store) -> None:
    with pytest.raises(StatementError, match="has no zone"):
        add(store, datetime(2026, 11, 21, 18))  # noqa: DTZ001  # that is the point


def test_instants_are_compared_in_the_database_whatever_zone_they_were_given_in(
    store: Store,
) -> None:
    add(store, datetime(2026, 11, 21, 18, tzinfo=OSLO))
    later = datetime(2026, 11, 21, 18, tzinfo=UTC)
    earlier = datetime(2026, 11, 22, 1, tzinfo=timezone(timedelta(hours=10)))
    with store.reading() as tx:
        counted = sa.select(sa.func.count()).select_from(player)
        assert tx.execute(counted.where(player.c.created_at < later)).scalar() == 1
        assert tx.execute(counted.where(player.c.created_at > earlier)).scalar() == 1


@examples(200)
@given(instants)
@pytest.mark.slow
def test_every_instant_survives_to_the_microsecond(value: datetime) -> None:
    assert TYPE.process_result_value(written(value), DIALECT) == value.astimezone(UTC)


@examples(200)
@given(instants, instants)
@pytest.mark.slow
def test_the_order_of_texts_is_the_order_of_times(one: datetime, other: datetime) -> None:
    # By instant: two values of one zone with a fold would be compared by their wall time.
    before = one.astimezone(UTC) < other.astimezone(UTC)
    assert (written(one) < written(other)) == before
    assert len(written(one)) == len(written(other))
