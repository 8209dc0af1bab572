"""Let players invite people who are no members (club, 6.2)."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _guests()


def downgrade() -> None:
    _drop_guests()


def _guests() -> None:
    """Keep whom players would like to play with who is not a member, and for how long."""
    op.create_table(
        "guest",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("asker_id", sa.Integer(), nullable=False),
        sa.Column("planned", sa.Text(), nullable=False),
        sa.Column("door", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("address", sa.Text()),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.Text()),
        sa.Column("ended_at", sa.Text()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_guest")),
        sa.ForeignKeyConstraint(["asker_id"], ["player.id"], name=op.f("fk_guest_asker_id")),
        sqlite_strict=True,
    )
    op.create_index("ix_guest_asker_id", "guest", ["asker_id"])
    op.create_index("ix_guest_door", "guest", ["door"], unique=True)
    op.create_index(
        "ix_guest_expires_at",
        "guest",
        ["expires_at"],
        sqlite_where=sa.text("expires_at IS NOT NULL"),
    )


def _drop_guests() -> None:
    op.drop_table("guest")
