"""What surrounds single matches: results of ended ones (club, section 15)."""

import secrets
from base64 import b32encode

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _results()
    _personal_addresses()
    _press()
    _reserves()
    _conduct()
    _offers()
    _tournaments()
    _happenings()
    _ladders()


def downgrade() -> None:
    _drop_ladders()
    _drop_happenings()
    _drop_tournaments()
    _drop_offers()
    _drop_conduct()
    _drop_reserves()
    _drop_press()
    _drop_personal_addresses()
    _drop_results()


def _results() -> None:
    """Keep how matches ended (club, 7.6 and 15); ticks fill that in for those that have."""
    with op.batch_alter_table("match") as match:
        match.add_column(sa.Column("result", sa.Text()))
        match.add_column(sa.Column("ended_at", sa.Text()))
    with op.batch_alter_table("club") as club:
        club.add_column(sa.Column("unfilled_since", sa.Integer()))
    op.execute(
        "UPDATE club SET unfilled_since = 0"
        " WHERE EXISTS (SELECT 1 FROM match WHERE status = 'over')"
    )
    # How long a seat was held, in plies: a loss is rated by who held it longer.
    with op.batch_alter_table("seat") as seat:
        seat.add_column(sa.Column("since_ply", sa.Integer(), nullable=False, server_default="0"))
    with op.batch_alter_table("tenure") as tenure:
        tenure.add_column(sa.Column("since_ply", sa.Integer(), nullable=False, server_default="0"))
        tenure.add_column(sa.Column("until_ply", sa.Integer(), nullable=False, server_default="0"))
    op.execute(
        "UPDATE tenure SET until_ply = COALESCE((SELECT MAX(turn.ply) FROM turn"
        " WHERE turn.match_id = tenure.match_id AND turn.adjudicated_at <= tenure.ended_at), 0)"
    )
    op.execute(
        "UPDATE tenure SET since_ply = COALESCE((SELECT MAX(earlier.until_ply) FROM tenure earlier"
        " WHERE earlier.match_id = tenure.match_id AND earlier.seat = tenure.seat"
        " AND earlier.number < tenure.number), 0)"
    )
    op.execute(
        "UPDATE seat SET since_ply = COALESCE((SELECT MAX(tenure.until_ply) FROM tenure"
        " WHERE tenure.match_id = seat.match_id AND tenure.seat = seat.name), 0)"
    )


def _drop_results() -> None:
    with op.batch_alter_table("tenure") as tenure:
        tenure.drop_column("until_ply")
        tenure.drop_column("since_ply")
    with op.batch_alter_table("seat") as seat:
        seat.drop_column("since_ply")
    with op.batch_alter_table("club") as club:
        club.drop_column("unfilled_since")
    with op.batch_alter_table("match") as match:
        match.drop_column("ended_at")
        match.drop_column("result")


def _personal_addresses() -> None:
    """Give each player the token of his personal address (club, 2)."""
    with op.batch_alter_table("player") as player:
        player.add_column(sa.Column("token", sa.Text(), server_default="", nullable=False))
        player.add_column(sa.Column("number", sa.Integer(), server_default="1", nullable=False))
    rows = op.get_bind()
    for (number,) in rows.execute(sa.text("SELECT id FROM player")).all():
        token = b32encode(secrets.token_bytes(7)).decode().lower()[:10]
        given = sa.text("UPDATE player SET token = :token WHERE id = :id")
        rows.execute(given, {"token": token, "id": number})
    op.create_index("ix_player_token", "player", ["token"], unique=True)
    with op.batch_alter_table("letter") as letter:
        letter.add_column(sa.Column("player_id", sa.Integer()))
    op.create_index(
        "ix_letter_player_id",
        "letter",
        ["player_id"],
        sqlite_where=sa.text("player_id IS NOT NULL"),
        postgresql_where=sa.text("player_id IS NOT NULL"),
    )
    op.create_table(
        "parked_letter",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("letter_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_parked_letter_player_id")
        ),
        sa.ForeignKeyConstraint(
            ["letter_id"], ["letter.id"], name=op.f("fk_parked_letter_letter_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_parked_letter")),
        sqlite_strict=True,
    )
    op.create_index("ix_parked_letter_player_id", "parked_letter", ["player_id"])


def _drop_personal_addresses() -> None:
    op.drop_table("parked_letter")
    op.drop_index("ix_letter_player_id", "letter")
    op.drop_index("ix_player_token", "player")
    with op.batch_alter_table("letter") as letter:
        letter.drop_column("player_id")
    with op.batch_alter_table("player") as player:
        player.drop_column("number")
        player.drop_column("token")


def _press() -> None:
    """Keep what seats wrote to each other, who got it, and who wants none of it (club, 10)."""
    with op.batch_alter_table("press") as press:
        press.add_column(sa.Column("tenure", sa.Integer()))
        press.add_column(sa.Column("readers", sa.Text()))
        press.add_column(sa.Column("body", sa.Text()))
        press.add_column(sa.Column("unsigned", sa.Integer(), nullable=False, server_default="0"))
        press.add_column(sa.Column("told_at", sa.Text()))
    op.create_table(
        "press_copy",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Text(), nullable=False),
        sa.Column("tenure", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("press_id", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("key", sa.Text()),
        sa.PrimaryKeyConstraint("match_id", "seat", "tenure", "number", name=op.f("pk_press_copy")),
        sa.ForeignKeyConstraint(
            ["match_id", "seat"],
            ["seat.match_id", "seat.name"],
            name=op.f("fk_press_copy_match_id_seat"),
        ),
        sa.ForeignKeyConstraint(
            ["press_id"], ["press.id"], name=op.f("fk_press_copy_press_id_press")
        ),
        sqlite_strict=True,
    )
    op.create_index("ix_press_copy_press_id", "press_copy", ["press_id"])
    op.create_table(
        "muted",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("other_id", sa.Integer()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_muted")),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_muted_player_id_player")
        ),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_muted_match_id_match")),
        sa.ForeignKeyConstraint(["other_id"], ["player.id"], name=op.f("fk_muted_other_id_player")),
        sqlite_strict=True,
    )
    op.create_index("ix_muted_player_id", "muted", ["player_id"])


def _drop_press() -> None:
    op.drop_index("ix_muted_player_id", "muted")
    op.drop_table("muted")
    op.drop_index("ix_press_copy_press_id", "press_copy")
    op.drop_table("press_copy")
    with op.batch_alter_table("press") as press:
        press.drop_column("told_at")
        press.drop_column("unsigned")
        press.drop_column("body")
        press.drop_column("readers")
        press.drop_column("tenure")


def _reserves() -> None:
    """Give seats a reserve of time, and absences a kind (club, 5)."""
    with op.batch_alter_table("match") as match:
        match.add_column(sa.Column("overdue_at", sa.Text()))
        match.add_column(sa.Column("alerted_at", sa.Text()))
    with op.batch_alter_table("seat") as seat:
        seat.add_column(sa.Column("bank", sa.Integer()))
        seat.add_column(sa.Column("turns", sa.Integer(), nullable=False, server_default="0"))
    with op.batch_alter_table("absence") as absence:
        absence.add_column(sa.Column("kind", sa.Text(), nullable=False, server_default="announced"))
    op.create_index(
        "uq_absence_player_id_first_day",
        "absence",
        ["player_id", "first_day"],
        unique=True,
        sqlite_where=sa.text("kind = 'auto'"),
        postgresql_where=sa.text("kind = 'auto'"),
    )
    op.create_table(
        "charge",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Text(), nullable=False),
        sa.Column("bank", sa.Integer()),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "ply", "seat", name="pk_charge"),
        sa.ForeignKeyConstraint(
            ["match_id", "seat"], ["seat.match_id", "seat.name"], name="fk_charge_match_id_seat"
        ),
        sqlite_strict=True,
    )


def _drop_reserves() -> None:
    op.drop_table("charge")
    op.drop_index("uq_absence_player_id_first_day", "absence")
    op.execute("DELETE FROM absence WHERE kind = 'auto'")
    with op.batch_alter_table("absence") as absence:
        absence.drop_column("kind")
    with op.batch_alter_table("seat") as seat:
        seat.drop_column("turns")
        seat.drop_column("bank")
    with op.batch_alter_table("match") as match:
        match.drop_column("alerted_at")
        match.drop_column("overdue_at")


def _offers() -> None:
    """Make the table of offers, and mark seats that are kept for somebody (club, 3)."""
    with op.batch_alter_table("seat") as seat:
        seat.add_column(sa.Column("kept", sa.Integer(), server_default="0", nullable=False))
    op.create_table(
        "offer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("asker_id", sa.Integer()),
        sa.Column("match_id", sa.Integer()),
        sa.Column("seat", sa.Text()),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.Text()),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Text()),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_offer_player_id")),
        sa.ForeignKeyConstraint(["asker_id"], ["player.id"], name=op.f("fk_offer_asker_id")),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_offer_match_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_offer")),
        sqlite_strict=True,
    )
    for column in ("player_id", "asker_id", "match_id", "about"):
        op.create_index(f"ix_offer_{column}", "offer", [column])
    op.create_index(
        "ix_offer_expires_at",
        "offer",
        ["expires_at"],
        sqlite_where=sa.text("expires_at IS NOT NULL"),
        postgresql_where=sa.text("expires_at IS NOT NULL"),
    )


def _drop_offers() -> None:
    op.drop_table("offer")
    with op.batch_alter_table("seat") as seat:
        seat.drop_column("kept")


def _tournaments() -> None:
    """Make the tables of tournaments (club, 7)."""
    op.create_table(
        "tournament",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("round", sa.Integer(), server_default="0", nullable=False),
        sa.Column("is_public", sa.Integer(), nullable=False),
        sa.Column("starts_at", sa.Text()),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Text()),
        sa.Column("ended_at", sa.Text()),
        sa.Column("wake_at", sa.Text()),
        sa.Column("trouble", sa.Text()),
        sa.Column("changes", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tournament")),
        sa.UniqueConstraint("name", name=op.f("uq_tournament_name")),
        sqlite_strict=True,
    )
    op.create_index(
        "ix_tournament_wake_at",
        "tournament",
        ["wake_at"],
        sqlite_where=sa.text("wake_at IS NOT NULL"),
        postgresql_where=sa.text("wake_at IS NOT NULL"),
    )
    op.create_table(
        "entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer()),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("silent_forfeits", sa.Integer(), server_default="0", nullable=False),
        sa.Column("silent_at", sa.Text()),
        sa.Column("entered_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournament.id"], name=op.f("fk_entry_tournament_id")
        ),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_entry_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entry")),
        sqlite_strict=True,
    )
    op.create_index("ix_entry_tournament_id", "entry", ["tournament_id"])
    op.create_index("ix_entry_player_id", "entry", ["player_id"])
    op.create_table(
        "entry_holder",
        sa.Column("entry_id", sa.Integer(), nullable=False),
        sa.Column("since_round", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["entry_id"], ["entry.id"], name=op.f("fk_entry_holder_entry_id")),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_entry_holder_player_id")
        ),
        sa.PrimaryKeyConstraint(
            "entry_id", "since_round", "player_id", name=op.f("pk_entry_holder")
        ),
        sqlite_strict=True,
    )
    op.create_table(
        "pairing",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("board", sa.Integer(), nullable=False),
        sa.Column("again", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("match_id", sa.Integer()),
        sa.Column("ending", sa.Text(), server_default="", nullable=False),
        sa.Column("made_at", sa.Text(), nullable=False),
        sa.Column("done_at", sa.Text()),
        sa.Column("ruling", sa.Text()),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournament.id"], name=op.f("fk_pairing_tournament_id")
        ),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_pairing_match_id")),
        sa.PrimaryKeyConstraint(
            "tournament_id", "round", "board", "again", name=op.f("pk_pairing")
        ),
        sa.UniqueConstraint("match_id", name=op.f("uq_pairing_match_id")),
        sqlite_strict=True,
    )
    op.create_index(
        "ix_pairing_made_at",
        "pairing",
        ["made_at"],
        sqlite_where=sa.text("done_at IS NULL"),
        postgresql_where=sa.text("done_at IS NULL"),
    )
    op.create_table(
        "paired",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("board", sa.Integer(), nullable=False),
        sa.Column("again", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("entry_id", sa.Integer(), nullable=False),
        sa.Column("points", sa.Integer()),
        sa.ForeignKeyConstraint(
            ["tournament_id", "round", "board", "again"],
            ["pairing.tournament_id", "pairing.round", "pairing.board", "pairing.again"],
            name=op.f("fk_paired_tournament_id"),
        ),
        sa.ForeignKeyConstraint(["entry_id"], ["entry.id"], name=op.f("fk_paired_entry_id")),
        sa.PrimaryKeyConstraint(
            "tournament_id", "round", "board", "again", "place", name=op.f("pk_paired")
        ),
        sqlite_strict=True,
    )
    op.create_index("ix_paired_entry_id", "paired", ["entry_id"])
    op.create_table(
        "tournament_ruling",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.Text(), nullable=False),
        sa.Column("told", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournament.id"], name=op.f("fk_tournament_ruling_tournament_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tournament_ruling")),
        sqlite_strict=True,
    )
    op.create_index("ix_tournament_ruling_tournament_id", "tournament_ruling", ["tournament_id"])


_TOURNAMENTS = ("tournament_ruling", "paired", "pairing", "entry_holder", "entry", "tournament")


def _drop_tournaments() -> None:
    for table in _TOURNAMENTS:
        op.drop_table(table)


def _happenings() -> None:
    """Keep events until the club's hooks have them (club, 12.1)."""
    op.create_table(
        "happening",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.Text()),
        sa.Column("reason", sa.Text()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_happening")),
        sqlite_strict=True,
    )
    op.create_index(
        "ix_happening_next_at",
        "happening",
        ["next_at"],
        sqlite_where=sa.text("next_at IS NOT NULL"),
    )


def _drop_happenings() -> None:
    op.drop_index("ix_happening_next_at", "happening")
    op.drop_table("happening")


def _conduct() -> None:
    """Keep how players kept their deadlines (club, 6.1)."""
    op.create_table(
        "conduct",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Text(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("hidden", sa.Integer(), nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("match_id", "seat", "ply", "kind", name=op.f("pk_conduct")),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_conduct_player_id_player")
        ),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_conduct_match_id_match")),
        sqlite_strict=True,
    )
    op.create_index("ix_conduct_player_id", "conduct", ["player_id"])
    op.create_table(
        "conduct_day",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("on_time", sa.Integer(), nullable=False),
        sa.Column("missed", sa.Integer(), nullable=False),
        sa.Column("left", sa.Integer(), nullable=False),
        sa.Column("ended", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "day", name=op.f("pk_conduct_day")),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_conduct_day_player_id_player")
        ),
        sqlite_strict=True,
    )


def _drop_conduct() -> None:
    op.drop_table("conduct_day")
    op.drop_table("conduct")


def _ladders() -> None:
    """Make the tables of ladders (club, 8)."""
    op.create_table(
        "ladder",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("changes", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ladder")),
        sa.UniqueConstraint("name", name=op.f("uq_ladder_name")),
        sqlite_strict=True,
    )
    op.create_table(
        "rung",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("ladder_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer()),
        sa.Column("joined_at", sa.Text(), nullable=False),
        sa.Column("left_at", sa.Text()),
        sa.ForeignKeyConstraint(["ladder_id"], ["ladder.id"], name=op.f("fk_rung_ladder_id")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_rung_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rung")),
        sqlite_strict=True,
    )
    op.create_index("ix_rung_ladder_id", "rung", ["ladder_id"])
    op.create_index("ix_rung_player_id", "rung", ["player_id"])
    op.create_table(
        "challenge",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("ladder_id", sa.Integer(), nullable=False),
        sa.Column("challenger_id", sa.Integer(), nullable=False),
        sa.Column("asked_id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer()),
        sa.Column("seat", sa.Text()),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("done_at", sa.Text()),
        sa.Column("ending", sa.Text()),
        sa.Column("silent", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["ladder_id"], ["ladder.id"], name=op.f("fk_challenge_ladder_id")),
        sa.ForeignKeyConstraint(
            ["challenger_id"], ["player.id"], name=op.f("fk_challenge_challenger_id")
        ),
        sa.ForeignKeyConstraint(["asked_id"], ["player.id"], name=op.f("fk_challenge_asked_id")),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_challenge_match_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_challenge")),
        sqlite_strict=True,
    )
    op.create_index("ix_challenge_ladder_id", "challenge", ["ladder_id"])
    op.create_index(
        "ix_challenge_match_id",
        "challenge",
        ["match_id"],
        sqlite_where=sa.text("done_at IS NULL"),
        postgresql_where=sa.text("done_at IS NULL"),
    )


def _drop_ladders() -> None:
    for table in ("challenge", "rung", "ladder"):
        op.drop_table(table)
