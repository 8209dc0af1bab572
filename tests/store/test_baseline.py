"""A club of 0.2.28 and a new one have the same tables, on both databases.

`0028-postgresql.sql` is what `pg_dump` says of an empty database that 0.2.28 made by its 28
migrations.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from adjudicator.store import schema
from tests import postgresql
from tests.club import Club, Store
from tests.database import head, make_engine, open_store, parse_url
from tests.older_club import database_of_0_2_28

OLD = Path(__file__).parent / "0028-postgresql.sql"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.real)])
def old_and_new(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Yield the URLs of a club of 0.2.28 and of a new one."""
    old = database_of_0_2_28(tmp_path / "old.db")
    if request.param == "sqlite":
        yield old, request.getfixturevalue("sqlite_url")
        return
    new = request.getfixturevalue("postgres_url")
    with postgresql.database(request.getfixturevalue("postgres_server")) as url:
        empty = Store(make_engine(url))
        with empty.transaction() as tx:
            tx.exec_driver_sql(OLD.read_text("utf-8"))
        empty.close()
        of_a_file = Store(make_engine(parse_url(old)))
        schema.copy(of_a_file, postgresql.as_text(url))
        of_a_file.close()
        yield postgresql.as_text(url), new


def tables_of(store: Store) -> set[str]:
    """Return a line for each column, key, index and constraint."""
    found = sa.inspect(store.engine)
    lines = set()
    for table in found.get_table_names():
        for column in found.get_columns(table):
            column["type"] = repr(column["type"])
            lines.add(f"{table}: column {column}")
        lines.add(f"{table}: primary key {found.get_pk_constraint(table)}")
        lines |= {f"{table}: foreign key {one}" for one in found.get_foreign_keys(table)}
        lines |= {f"{table}: unique {one}" for one in found.get_unique_constraints(table)}
        lines |= {f"{table}: check {one}" for one in found.get_check_constraints(table)}
        for index in found.get_indexes(table):
            where = index.pop("dialect_options", {})
            index["where"] = {key: str(value) for key, value in where.items()}
            lines.add(f"{table}: index {index}")
    return lines


@pytest.mark.slow
def test_an_upgraded_club_has_the_tables_of_a_new_one(old_and_new: tuple[str, str]) -> None:
    old, new = old_and_new
    assert schema.bring_up_to_date(old) == ("0028", head())
    upgraded, fresh = open_store(old), open_store(new)
    assert tables_of(upgraded) == tables_of(fresh)
    assert len(tables_of(fresh)) > 500
    names = Club(upgraded).match_names()
    assert "esp" in names
    assert [Club(upgraded).verify(name) for name in names] == [[] for _ in names]
    upgraded.close()
    fresh.close()
