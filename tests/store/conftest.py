"""Run every test of the store on SQLite and, if there is a server, on PostgreSQL."""

import pytest


@pytest.fixture(params=["sqlite_url", pytest.param("postgres_url", marks=pytest.mark.real)])
def database(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))
