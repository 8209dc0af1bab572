"""Keep which faults of ours stopped a job of a tick (club, 6.3)."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "job_fault",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("match_id", sa.Integer()),
        sa.Column("times", sa.Integer(), server_default="1", nullable=False),
        sa.Column("first_at", sa.Text(), nullable=False),
        sa.Column("last_at", sa.Text(), nullable=False),
        sa.Column("told_at", sa.Text()),
        sa.ForeignKeyConstraint(
            ["match_id"], ["match.id"], name=op.f("fk_job_fault_match_id_match")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job_fault")),
        sa.UniqueConstraint("job", "key", "kind", name=op.f("uq_job_fault_job_key_kind")),
        sqlite_strict=True,
    )


def downgrade() -> None:
    op.drop_table("job_fault")
