"""Fingerprints of a club's keys and the mark in its spool, by which it knows them as its own.

Also a count of letters to seats by addresses that no key of the club has signed, and the letters by
which it tries whether its letters come home.
"""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("fingerprints", "mark"):
        op.add_column("club", sa.Column(name, sa.Text(), server_default="", nullable=False))
    mark = sa.table("club", sa.column("mark", sa.Text()))
    op.execute(mark.update().values(mark=secrets.token_hex(8)))
    op.add_column("club", sa.Column("unsigned", sa.Integer(), server_default="0", nullable=False))
    op.create_table(
        "trial",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("claims", sa.Text(), nullable=False),
        sa.Column("sent_at", sa.Text(), nullable=False),
        sa.Column("home_at", sa.Text(), nullable=True),
        sa.Column("found", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trial")),
        sa.UniqueConstraint("tag", name=op.f("uq_trial_tag")),
        sqlite_strict=True,
    )


def downgrade() -> None:
    op.drop_table("trial")
    with op.batch_alter_table("club") as batch:
        batch.drop_column("unsigned")
        batch.drop_column("mark")
        batch.drop_column("fingerprints")
