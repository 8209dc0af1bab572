"""Every test of the store runs on SQLite and, where there is a server, on PostgreSQL."""

import pytest


@pytest.fixture(params=["sqlite_url", "postgres_url"])
def database(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))
