"""Names of letters by which nobody can count the others, and a count of wrong codes for parked
letters."""

import secrets
from base64 import b32encode

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("outbox") as outbox:
        outbox.add_column(sa.Column("name", sa.Text(), nullable=False, server_default=""))
    _name_all()
    with op.batch_alter_table("outbox") as outbox:
        outbox.alter_column("name", server_default=None)
    with op.batch_alter_table("parked") as parked:
        for name in ("tries", "on_file"):
            parked.add_column(sa.Column(name, sa.Integer(), nullable=False, server_default="0"))


def _name_all() -> None:
    outbox = sa.table("outbox", sa.column("id", sa.Integer), sa.column("name", sa.Text))
    connection = op.get_bind()
    for number in connection.execute(sa.select(outbox.c.id)).scalars().all():
        name = b32encode(secrets.token_bytes(5)).decode().lower()
        connection.execute(sa.update(outbox).where(outbox.c.id == number).values(name=name))


def downgrade() -> None:
    with op.batch_alter_table("parked") as parked:
        parked.drop_column("on_file")
        parked.drop_column("tries")
    with op.batch_alter_table("outbox") as outbox:
        outbox.drop_column("name")
