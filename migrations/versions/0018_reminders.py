"""The operator is reminded of matches that wait for him and of addresses that nobody confirms."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("player") as player:
        player.add_column(sa.Column("asked_at", sa.Text(), nullable=True))
        player.add_column(sa.Column("remind_at", sa.Text(), nullable=True))
    with op.batch_alter_table("joining") as joining:
        joining.add_column(sa.Column("remind_at", sa.Text(), nullable=True))
    for table in ("player", "joining"):
        some = sa.text("remind_at IS NOT NULL")
        op.create_index(
            f"ix_{table}_remind_at",
            table,
            ["remind_at"],
            sqlite_where=some,
            postgresql_where=some,
        )
    # The next tick looks at what waits already, and notes when it is reminded of.
    op.execute("UPDATE player SET remind_at = created_at WHERE confirmed_at IS NULL")
    op.execute(
        "UPDATE \"match\" SET wake_at = held_at WHERE status = 'held' AND held_at IS NOT NULL"
    )
    op.execute(
        'UPDATE "match" SET wake_at = deadline_at '
        "WHERE status = 'playing' AND wake_at IS NULL AND alerted_ply = ply + 1"
    )


def downgrade() -> None:
    op.execute("UPDATE \"match\" SET wake_at = NULL WHERE status = 'held'")
    for table in ("player", "joining"):
        op.drop_index(f"ix_{table}_remind_at", table)
    with op.batch_alter_table("joining") as joining:
        joining.drop_column("remind_at")
    with op.batch_alter_table("player") as player:
        player.drop_column("remind_at")
        player.drop_column("asked_at")
