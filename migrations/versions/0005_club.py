"""The domain from which a club's letters go out."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    club = op.create_table(
        "club",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_club")),
        sqlite_strict=True,
    )
    op.bulk_insert(club, [{"id": 1, "domain": ""}])


def downgrade() -> None:
    op.drop_table("club")
