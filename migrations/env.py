"""Alembic's entry: given a connection by adjudicator.store.schema, or a developer's shell."""

import os

import sqlalchemy as sa
from alembic import context

from adjudicator.store import tables


def run(connection: sa.Connection) -> None:
    context.configure(
        connection=connection, target_metadata=tables.player.metadata, render_as_batch=True
    )
    with context.begin_transaction():
        context.run_migrations()


if given := context.config.attributes.get("connection"):
    run(given)
else:
    with sa.create_engine(os.environ.get("ADJUD_DATABASE", "sqlite://")).connect() as made:
        run(made)
