"""Keep for the log of a match what took effect in it beside orders: who said what, who took a seat
over, which deadline each ruling left. Matches that began before keep the label of their logs."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("match") as batch:
        batch.add_column(sa.Column("label", sa.Text(), nullable=False, server_default="ADJUD1"))
        batch.add_column(sa.Column("logged_by", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("ruling") as batch:
        batch.add_column(sa.Column("due_at", sa.Text(), nullable=True))
    for name, column in (("said", "word"), ("holder_change", "kind")):
        op.create_table(
            name,
            sa.Column("id", sa.Integer(), nullable=False),
            sa.Column("match_id", sa.Integer(), nullable=False),
            sa.Column("ply", sa.Integer(), nullable=False),
            sa.Column("seat", sa.Text(), nullable=False),
            sa.Column(column, sa.Text(), nullable=False),
            sa.Column("at", sa.Text(), nullable=False),
            *([sa.Column("due_at", sa.Text(), nullable=True)] if name == "holder_change" else []),
            sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{name}")),
            sa.ForeignKeyConstraint(
                ["match_id", "seat"],
                ["seat.match_id", "seat.name"],
                name=op.f(f"fk_{name}_match_id_seat"),
            ),
            sqlite_strict=True,
        )
        op.create_index(f"ix_{name}_match_id_ply", name, ["match_id", "ply"])


def downgrade() -> None:
    for name in ("holder_change", "said"):
        op.drop_index(f"ix_{name}_match_id_ply", name)
        op.drop_table(name)
    with op.batch_alter_table("ruling") as batch:
        batch.drop_column("due_at")
    with op.batch_alter_table("match") as batch:
        batch.drop_column("logged_by")
        batch.drop_column("label")
