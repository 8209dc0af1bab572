"""Let all databases share the statements that SQLAlchemy has compiled."""

from functools import cache
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine


class Compiled(dict[tuple[Any, ...], object]):
    """Statements that SQLAlchemy has compiled, for all databases of a kind.

    Its own store of them ends with the engine, which each test and each command opens anew; and to
    compile a statement takes longer than to execute it. The first part of its keys is an engine's
    dialect.
    """

    def get(self, key: tuple[Any, ...], default: object = None) -> object:
        return super().get((key[0].name, *key[1:]), default)

    def __setitem__(self, key: tuple[Any, ...], compiled: object) -> None:
        super().__setitem__((key[0].name, *key[1:]), compiled)


@cache  # one listener is enough
def share_compiled() -> None:
    compiled = Compiled()

    @event.listens_for(Engine, "engine_connect")
    def share(connection: Connection) -> None:
        connection.execution_options(compiled_cache=compiled)
