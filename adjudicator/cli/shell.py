"""What every command shares: settings, the clock, and faults told in one sentence."""

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from adjudicator.config import Settings
    from adjudicator.service.means import Means
    from adjudicator.store.database import Store


class Session:
    """One run of the program: where its configuration and database are, and what time it is."""

    def __init__(self, config: str | None, database: str | None) -> None:
        self.config = config
        self.database = database
        self.now = datetime.now(UTC)  # taken once a run

    @cached_property
    def settings(self) -> "Settings":
        from adjudicator import config

        return config.load(self.config)

    @property
    def url(self) -> str:
        """`--database`, else ADJUD_DATABASE, the configuration, an SQLite file of the user."""
        from adjudicator import config

        if named := self.database or os.environ.get("ADJUD_DATABASE"):
            return named
        return config.database_url(self.settings)

    @property
    def means(self) -> "Means":
        from adjudicator.service.means import Means

        return Means(
            way_out=self.settings.mail.out != "none",
            raise_faults=bool(os.environ.get("ADJUD_DEBUG")),
        )

    @contextlib.contextmanager
    def store(self) -> Iterator["Store"]:
        from adjudicator.store.database import open_store

        self.settings  # noqa: B018  # a fault in the configuration is told before anything is done
        store = open_store(self.url)
        try:
            yield store
        finally:
            store.close()

    def shown(self, moment: datetime | str | None) -> str:
        """A time in the operator's zone, beside UTC."""
        from adjudicator.service.calendar import shown_time

        if moment is None:
            return "-"
        if isinstance(moment, str):
            moment = datetime.fromisoformat(moment)
        return shown_time(moment, self.settings.timezone)


class Program(click.Group):
    """The `adjud` group: whatever goes wrong, a user reads a sentence and never a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may lack a letter
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:
            sys.stderr.close()  # the reader of our output has seen enough
            ctx.exit(0)
        except Exception as trouble:
            if os.environ.get("ADJUD_DEBUG"):
                raise
            for line in _sentences(trouble):
                click.echo(f"adjud: {line}", err=True)
            ctx.exit(1)


def _sentences(trouble: Exception) -> list[str]:
    from adjudicator.config import ConfigTrouble
    from adjudicator.service.refusal import Refusal
    from adjudicator.store.database import StoreTrouble

    if isinstance(trouble, Refusal):
        return [str(message) for message in trouble.messages]
    if isinstance(trouble, ConfigTrouble | StoreTrouble):
        return [str(trouble.message)]
    if isinstance(trouble, OSError):
        where = f"{trouble.filename}: " if trouble.filename else ""
        return [f"{where}{trouble.strerror or trouble}"]
    # The kind of the fault only: its text might hold what nobody at this terminal may know.
    kind = type(trouble).__name__
    return [
        f"a fault inside adjud ({kind}); nothing of the step it was at was stored. "
        "ADJUD_DEBUG=1 shows where"
    ]


def rows(table: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Lines of a table, columns padded."""
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))] if table else []
    for row in table:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def as_json(value: object) -> str:
    from msgspec.json import encode

    return encode(value).decode()


FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
