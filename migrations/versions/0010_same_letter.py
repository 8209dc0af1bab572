"""An index by Message-ID, to find a letter that came before, however many have come since."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_letter_message_id",
        "letter",
        ["message_id"],
        sqlite_where=sa.text("message_id IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_letter_message_id", "letter")
