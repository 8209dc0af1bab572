"""Count the statements that the database gets."""

from typing import Any

import sqlalchemy as sa


class Counted:
    """Count the statements that reach the database, and the transactions that wrote.

    What begins one is left out, for it goes past SQLAlchemy: BEGIN, and the question whether the
    club was moved away.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self.statements = self.commits = 0
        sa.event.listen(engine, "before_cursor_execute", self._statement)
        sa.event.listen(engine, "commit", self._commit)

    def _statement(self, *_asked: Any) -> None:
        self.statements += 1

    def _commit(self, _connection: Any) -> None:
        self.commits += 1
