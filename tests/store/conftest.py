"""Every test of the store runs on SQLite and, where there is a server, on PostgreSQL."""

import pytest


@pytest.fixture(params=["sqlite_url", pytest.param("postgres_url", marks=pytest.mark.real)])
def database(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))
