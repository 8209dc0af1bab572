"""The tables of 0.2.28, the oldest version that can be upgraded; later migrations go on from here.

This file is never changed, whatever becomes of the tables: a new club and one that 0.2.28 made
are to be the same. So the columns stand in the order in which 0.2.28 and its forerunners added
them.
"""

import secrets
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = None
branch_labels = None
depends_on = None

TEXT, INTEGER, BYTES = sa.Text(), sa.Integer(), sa.LargeBinary()
# Keys sort by their signs everywhere, as SQLite compares all text.
KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

_EPOCH_LETTERS = "bcdfghjkmnpqrstvwxz"
_TABLES = sa.MetaData(
    naming_convention={
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def upgrade() -> None:
    _TABLES.create_all(op.get_bind(), checkfirst=False)
    epoch = "".join(secrets.choice(_EPOCH_LETTERS) for _ in range(5))
    club = {"id": 1, "domain": "", "mark": secrets.token_hex(8), "epoch": epoch}
    op.bulk_insert(_TABLES.tables["club"], [club])
    op.bulk_insert(_TABLES.tables["clock"], [{"id": 1}])


def downgrade() -> None:
    _TABLES.drop_all(op.get_bind(), checkfirst=False)


def _table(name: str, *parts: sa.schema.SchemaItem) -> None:
    sa.Table(name, _TABLES, *parts, sqlite_strict=True)


def _required(kind: Any, *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False) for name in names]


def _optional(kind: Any, *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind) for name in names]


def _where(condition: str) -> dict[str, Any]:
    """Return what makes an index partial on both databases."""
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


_table(
    "player",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("name", TEXT, nullable=False),
    sa.Column("name_key", TEXT, nullable=False, unique=True),
    *_required(TEXT, "address", "language", "zone"),
    sa.Column("confirmed_at", TEXT),
    sa.Column("created_at", TEXT, nullable=False),
    sa.Column("reminders", TEXT, nullable=False, server_default="on"),
    sa.Column("board", TEXT, nullable=False, server_default="table"),
    sa.Column("page", TEXT, nullable=False, server_default="attached"),
    sa.Column("receipts", TEXT, nullable=False, server_default="full"),
    sa.Column("reports", TEXT, nullable=False, server_default="few"),
    *_optional(TEXT, "asked_at", "remind_at"),
    sa.Column("changes", INTEGER, nullable=False, server_default="0"),
    sa.Column("tips", TEXT, nullable=False, server_default="first"),
    *_optional(TEXT, "erased_at", "muted_at"),
    sa.Column("token", TEXT, nullable=False, server_default=""),
    sa.Column("number", INTEGER, nullable=False, server_default="1"),
    sa.Column("letters", TEXT, nullable=False, server_default="each"),
    sa.Column("substitute", TEXT, nullable=False, server_default="off"),
    sa.Index("ix_player_remind_at", "remind_at", **_where("remind_at IS NOT NULL")),
    sa.Index("ix_player_token", "token", unique=True),
)
_table(
    "absence",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("player_id", INTEGER, sa.ForeignKey("player.id"), nullable=False),
    *_required(TEXT, "first_day", "last_day", "created_at"),
    sa.Column("kind", TEXT, nullable=False, server_default="announced"),
    sa.Index("ix_absence_player_id", "player_id"),
    sa.Index(
        "uq_absence_player_id_first_day",
        "player_id",
        "first_day",
        unique=True,
        **_where("kind = 'auto'"),
    ),
)
_table(
    "clock",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("last_tick_at", TEXT),
)
_table(
    "club",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("domain", TEXT, nullable=False),
    sa.Column("fingerprints", TEXT, nullable=False, server_default=""),
    sa.Column("mark", TEXT, nullable=False, server_default=""),
    sa.Column("unsigned", INTEGER, nullable=False, server_default="0"),
    *_optional(TEXT, "site_at", "saved_at", "restored_at"),
    sa.Column("epoch", TEXT, nullable=False, server_default=""),
    sa.Column("above", INTEGER, nullable=False, server_default="0"),
    sa.Column("unfilled_since", INTEGER),
)
_table(
    "trial",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("tag", TEXT, nullable=False, unique=True),
    *_required(TEXT, "claims", "sent_at"),
    sa.Column("home_at", TEXT),
    sa.Column("found", TEXT, nullable=False, server_default=""),
)
_table(
    "match",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("name", TEXT, nullable=False, unique=True),
    *_required(TEXT, "game", "variant", "options"),
    sa.Column("seed", BYTES, nullable=False),
    sa.Column("seed_given", INTEGER, nullable=False),
    sa.Column("status", TEXT, nullable=False),
    *_required(INTEGER, "ply", "turn"),
    sa.Column("created_at", TEXT, nullable=False),
    *_optional(TEXT, "deadline_at", "wake_at", "held_at", "trouble"),
    *_optional(INTEGER, "reminded_ply", "alerted_ply"),
    sa.Column("board", TEXT, nullable=False, server_default=""),
    sa.Column("hurried_ply", INTEGER),
    sa.Column("log_key", BYTES),
    sa.Column("changes", INTEGER, nullable=False, server_default="0"),
    sa.Column("label", TEXT, nullable=False, server_default="ADJUD1"),
    sa.Column("logged_by", TEXT, nullable=False, server_default=""),
    sa.Column("full_at", TEXT),
    sa.Column("public_value", TEXT, nullable=False, server_default=""),
    *_optional(TEXT, "archived_at", "result", "ended_at", "overdue_at", "alerted_at"),
    sa.Index("ix_match_wake_at", "wake_at", **_where("wake_at IS NOT NULL")),
)
_table(
    "seat",
    sa.Column("match_id", INTEGER, sa.ForeignKey("match.id"), primary_key=True),
    sa.Column("name", TEXT, primary_key=True),
    sa.Column("player_id", INTEGER, sa.ForeignKey("player.id")),
    sa.Column("computer", TEXT),
    *_required(INTEGER, "tenure", "ordered_ply"),
    sa.Column("not_ready_ply", INTEGER),
    sa.Column("missed", INTEGER, nullable=False, server_default="0"),
    sa.Column("silent", INTEGER, nullable=False, server_default="0"),
    sa.Column("forfeit_ply", INTEGER),
    sa.Column("forfeit_at", TEXT),
    sa.Column("above", INTEGER, nullable=False, server_default="0"),
    sa.Column("since_ply", INTEGER, nullable=False, server_default="0"),
    sa.Column("bank", INTEGER),
    sa.Column("turns", INTEGER, nullable=False, server_default="0"),
    sa.Column("kept", INTEGER, nullable=False, server_default="0"),
    sa.Index("ix_seat_player_id", "player_id"),
)
_table(
    "charge",
    sa.Column("match_id", INTEGER, primary_key=True),
    sa.Column("ply", INTEGER, primary_key=True),
    sa.Column("seat", TEXT, primary_key=True),
    sa.Column("bank", INTEGER),
    sa.Column("turns", INTEGER, nullable=False),
    sa.ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
)
_table(
    "submission",
    sa.Column("id", INTEGER, primary_key=True),
    *_required(INTEGER, "match_id", "ply"),
    sa.Column("seat", TEXT, nullable=False),
    sa.Column("revision", INTEGER, nullable=False),
    *_required(TEXT, "received_at", "channel", "text", "orders", "status"),
    *_optional(INTEGER, "letter_id", "turn"),
    sa.Column("verdict", TEXT),
    sa.ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sa.UniqueConstraint("match_id", "ply", "seat", "revision"),
)
_table(
    "declaration",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("match_id", INTEGER, nullable=False),
    *_required(TEXT, "seat", "kind", "received_at", "status"),
    sa.Column("settled_ply", INTEGER),
    sa.ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sa.Index("ix_declaration_match_id", "match_id"),
)
_table(
    "said",
    sa.Column("id", INTEGER, primary_key=True),
    *_required(INTEGER, "match_id", "ply"),
    *_required(TEXT, "seat", "word", "at"),
    sa.ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sa.Index("ix_said_match_id_ply", "match_id", "ply"),
)
_table(
    "holder_change",
    sa.Column("id", INTEGER, primary_key=True),
    *_required(INTEGER, "match_id", "ply"),
    *_required(TEXT, "seat", "kind", "at"),
    sa.Column("due_at", TEXT),
    sa.ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sa.Index("ix_holder_change_match_id_ply", "match_id", "ply"),
)
_table(
    "turn",
    sa.Column("match_id", INTEGER, sa.ForeignKey("match.id"), primary_key=True),
    sa.Column("ply", INTEGER, primary_key=True),
    sa.Column("turn", INTEGER, nullable=False),
    *_required(TEXT, "cause", "adjudicated_at", "snapshot"),
    *_optional(TEXT, "line", "head"),
    sa.Column("added", INTEGER, nullable=False, server_default="0"),
)
_table(
    "event",
    sa.Column("match_id", INTEGER, primary_key=True),
    sa.Column("ply", INTEGER, primary_key=True),
    sa.Column("seq", INTEGER, primary_key=True),
    sa.Column("body", TEXT, nullable=False),
    sa.ForeignKeyConstraint(["match_id", "ply"], ["turn.match_id", "turn.ply"]),
)
_table(
    "report",
    sa.Column("match_id", INTEGER, primary_key=True),
    sa.Column("ply", INTEGER, primary_key=True),
    sa.Column("seat", TEXT, primary_key=True),
    *_required(INTEGER, "turn", "tenure"),
    sa.Column("body", TEXT, nullable=False),
    sa.Column("shown_at", TEXT),
    sa.ForeignKeyConstraint(["match_id", "ply"], ["turn.match_id", "turn.ply"]),
    sa.ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
)
_table(
    "commitment",
    sa.Column("match_id", INTEGER, primary_key=True),
    sa.Column("what", TEXT, primary_key=True),
    sa.Column("seat", TEXT, primary_key=True),
    sa.Column("ply", INTEGER, nullable=False),
    *_required(TEXT, "text", "salt"),
    sa.ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
)
_table(
    "ruling",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("match_id", INTEGER, sa.ForeignKey("match.id"), nullable=False),
    sa.Column("ply", INTEGER, nullable=False),
    *_required(TEXT, "at", "action", "told", "reason"),
    sa.Column("due_at", TEXT),
    sa.Index("ix_ruling_match_id", "match_id"),
)
_table(
    "outbox",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("key", KEY, nullable=False, unique=True),
    sa.Column("kind", TEXT, nullable=False),
    sa.Column("match_id", INTEGER, sa.ForeignKey("match.id")),
    sa.Column("ply", INTEGER),
    sa.Column("seat", TEXT),
    sa.Column("player_id", INTEGER, sa.ForeignKey("player.id")),
    *_required(TEXT, "body", "created_at", "status"),
    sa.Column("tries", INTEGER, nullable=False),
    *_optional(TEXT, "next_at", "sent_at"),
    sa.Column("raw", BYTES),
    *_optional(TEXT, "reason", "bounce_tag"),
    sa.Column("bounces", INTEGER, nullable=False, server_default="0"),
    sa.Column("name", TEXT, nullable=False),
    sa.Column("tenure", INTEGER),
    sa.Column("address", TEXT),
    sa.Column("since", INTEGER),
    sa.Column("epoch", TEXT),
    sa.Column("carrier_id", INTEGER),
    sa.Index("ix_outbox_bounce_tag", "bounce_tag", **_where("bounce_tag IS NOT NULL")),
    sa.Index("ix_outbox_carrier_id", "carrier_id", **_where("carrier_id IS NOT NULL")),
    sa.Index("ix_outbox_created_at", "created_at"),
    sa.Index("ix_outbox_match_id_seat_ply", "match_id", "seat", "ply"),
    sa.Index("ix_outbox_next_at", "next_at", **_where("status = 'waiting'")),
)
_table(
    "letter",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("spool_name", TEXT, nullable=False, unique=True),
    sa.Column("sha256", TEXT, nullable=False),
    sa.Column("message_id", TEXT),
    *_required(TEXT, "received_at", "sender", "recipient", "channel"),
    sa.Column("length", INTEGER, nullable=False),
    sa.Column("raw", BYTES, nullable=False),
    sa.Column("status", TEXT, nullable=False),
    sa.Column("reason", TEXT),
    sa.Column("tries", INTEGER, nullable=False),
    sa.Column("match_id", INTEGER, sa.ForeignKey("match.id")),
    *_optional(TEXT, "seat", "dated_at"),
    sa.Column("ply", INTEGER),
    sa.Column("faults", INTEGER, nullable=False, server_default="0"),
    sa.Column("again_at", TEXT),
    sa.Column("player_id", INTEGER),
    sa.Index("ix_letter_match_id_seat", "match_id", "seat"),
    sa.Index("ix_letter_message_id", "message_id", sqlite_where=sa.text("message_id IS NOT NULL")),
    sa.Index("ix_letter_player_id", "player_id", **_where("player_id IS NOT NULL")),
    sa.Index("ix_letter_received_at", "received_at", **_where("length(raw) > 0")),
    sa.Index("ix_letter_status", "status", **_where("status = 'received'")),
)
_table(
    "parked",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("match_id", INTEGER, nullable=False),
    sa.Column("seat", TEXT, nullable=False),
    sa.Column("tenure", INTEGER, nullable=False),
    sa.Column("letter_id", INTEGER, sa.ForeignKey("letter.id"), nullable=False),
    *_required(TEXT, "code", "text", "created_at", "status"),
    sa.Column("tries", INTEGER, nullable=False, server_default="0"),
    sa.Column("on_file", INTEGER, nullable=False, server_default="0"),
    sa.Column("ply", INTEGER),
    sa.ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sa.Index("ix_parked_match_id_seat", "match_id", "seat"),
)
_table(
    "past_epoch",
    sa.Column("epoch", TEXT, primary_key=True),
    sa.Column(
        "match_id",
        INTEGER,
        sa.ForeignKey("match.id", name="fk_past_epoch_match_id_match"),
        primary_key=True,
    ),
    sa.Column("ply", INTEGER, nullable=False),
    *_required(TEXT, "saved_at", "ended_at"),
    sa.Column("told_at", TEXT),
    sa.Index("ix_past_epoch_told_at", "told_at"),
)
_table(
    "tenure",
    sa.Column("match_id", INTEGER, primary_key=True),
    sa.Column("seat", TEXT, primary_key=True),
    sa.Column("number", INTEGER, primary_key=True),
    sa.Column("player_id", INTEGER, sa.ForeignKey("player.id"), nullable=False),
    sa.Column("ended_at", TEXT, nullable=False),
    sa.Column("told_at", TEXT),
    sa.Column("since_ply", INTEGER, nullable=False, server_default="0"),
    sa.Column("until_ply", INTEGER, nullable=False, server_default="0"),
    sa.ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sa.Index("ix_tenure_player_id", "player_id"),
)
_table(
    "joining",
    sa.Column("id", INTEGER, primary_key=True),
    *_required(TEXT, "address", "name", "language", "match"),
    sa.Column("seat", TEXT),
    *_required(TEXT, "code", "created_at", "status"),
    sa.Column("tries", INTEGER, nullable=False),
    sa.Column("remind_at", TEXT),
    sa.Index("ix_joining_address", "address"),
    sa.Index("ix_joining_remind_at", "remind_at", **_where("remind_at IS NOT NULL")),
)
_table(
    "jotting",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("match_id", INTEGER, nullable=False),
    sa.Column("seat", TEXT, nullable=False),
    sa.Column("tenure", INTEGER, nullable=False),
    sa.Column("ply", INTEGER),
    sa.Column("place", TEXT),
    sa.Column("text", TEXT, nullable=False),
    sa.ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sa.Index("ix_jotting_match_id", "match_id"),
)
_table(
    "press",
    sa.Column("id", INTEGER, primary_key=True),
    *_required(INTEGER, "match_id", "ply"),
    sa.Column("seat", TEXT, nullable=False),
    sa.Column("letter_id", INTEGER, sa.ForeignKey("letter.id"), nullable=False),
    sa.Column("sent_at", TEXT, nullable=False),
    sa.Column("tenure", INTEGER),
    *_optional(TEXT, "readers", "body"),
    sa.Column("unsigned", INTEGER, nullable=False, server_default="0"),
    sa.Column("told_at", TEXT),
    sa.ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sa.Index("ix_press_match_id_seat", "match_id", "seat"),
)
_table(
    "press_copy",
    sa.Column("match_id", INTEGER, primary_key=True),
    sa.Column("seat", TEXT, primary_key=True),
    sa.Column("tenure", INTEGER, primary_key=True),
    sa.Column("number", INTEGER, primary_key=True),
    sa.Column(
        "press_id",
        INTEGER,
        sa.ForeignKey("press.id", name="fk_press_copy_press_id_press"),
        nullable=False,
    ),
    sa.Column("ply", INTEGER, nullable=False),
    sa.Column("at", TEXT, nullable=False),
    sa.Column("key", TEXT),
    sa.ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sa.Index("ix_press_copy_press_id", "press_id"),
)
_table(
    "muted",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column(
        "player_id",
        INTEGER,
        sa.ForeignKey("player.id", name="fk_muted_player_id_player"),
        nullable=False,
    ),
    sa.Column(
        "match_id",
        INTEGER,
        sa.ForeignKey("match.id", name="fk_muted_match_id_match"),
        nullable=False,
    ),
    sa.Column("other_id", INTEGER, sa.ForeignKey("player.id", name="fk_muted_other_id_player")),
    sa.Index("ix_muted_player_id", "player_id"),
)
_table(
    "parked_letter",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("player_id", INTEGER, sa.ForeignKey("player.id"), nullable=False),
    sa.Column("letter_id", INTEGER, sa.ForeignKey("letter.id"), nullable=False),
    *_required(TEXT, "code", "text", "created_at", "status"),
    sa.Column("tries", INTEGER, nullable=False, server_default="0"),
    sa.Index("ix_parked_letter_player_id", "player_id"),
)
_table(
    "letter_part",
    sa.Column("letter_id", INTEGER, sa.ForeignKey("letter.id"), primary_key=True),
    sa.Column("number", INTEGER, primary_key=True),
    *_required(TEXT, "match", "text", "status"),
    sa.Column("match_id", INTEGER, sa.ForeignKey("match.id")),
    sa.Column("seat", TEXT),
    *_optional(INTEGER, "ply", "revision", "parked_id"),
    sa.Column("reply", TEXT),
    sa.Index("ix_letter_part_match_id", "match_id"),
)
_table(
    "offer",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("kind", TEXT, nullable=False),
    sa.Column("player_id", INTEGER, sa.ForeignKey("player.id"), nullable=False),
    sa.Column("asker_id", INTEGER, sa.ForeignKey("player.id")),
    sa.Column("match_id", INTEGER, sa.ForeignKey("match.id")),
    sa.Column("seat", TEXT),
    *_required(TEXT, "about", "details", "code"),
    sa.Column("tries", INTEGER, nullable=False, server_default="0"),
    sa.Column("created_at", TEXT, nullable=False),
    sa.Column("expires_at", TEXT),
    sa.Column("status", TEXT, nullable=False),
    sa.Column("ended_at", TEXT),
    sa.Index("ix_offer_about", "about"),
    sa.Index("ix_offer_asker_id", "asker_id"),
    sa.Index("ix_offer_expires_at", "expires_at", **_where("expires_at IS NOT NULL")),
    sa.Index("ix_offer_match_id", "match_id"),
    sa.Index("ix_offer_player_id", "player_id"),
)
_table(
    "happening",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("body", TEXT, nullable=False),
    *_required(INTEGER, "wanted", "tries"),
    *_optional(TEXT, "next_at", "reason"),
    sa.Index("ix_happening_next_at", "next_at", sqlite_where=sa.text("next_at IS NOT NULL")),
)
_table(
    "conduct",
    sa.Column(
        "match_id",
        INTEGER,
        sa.ForeignKey("match.id", name="fk_conduct_match_id_match"),
        primary_key=True,
    ),
    sa.Column("seat", TEXT, primary_key=True),
    sa.Column("ply", INTEGER, primary_key=True),
    sa.Column("kind", TEXT, primary_key=True),
    sa.Column(
        "player_id",
        INTEGER,
        sa.ForeignKey("player.id", name="fk_conduct_player_id_player"),
        nullable=False,
    ),
    sa.Column("day", TEXT, nullable=False),
    sa.Column("hidden", INTEGER, nullable=False, server_default="0"),
    sa.Index("ix_conduct_player_id", "player_id"),
)
_table(
    "conduct_day",
    sa.Column(
        "player_id",
        INTEGER,
        sa.ForeignKey("player.id", name="fk_conduct_day_player_id_player"),
        primary_key=True,
    ),
    sa.Column("day", TEXT, primary_key=True),
    *_required(INTEGER, "on_time", "missed", "left", "ended"),
)
_table(
    "substitute_search",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("match_id", INTEGER, nullable=False),
    sa.Column("seat", TEXT, nullable=False),
    *_required(INTEGER, "tenure", "ply"),
    sa.Column("cause", TEXT, nullable=False),
    sa.Column("due_at", TEXT),
    sa.Column("begun_at", TEXT, nullable=False),
    sa.Column("next_at", TEXT),
    *_required(TEXT, "ends_at", "status"),
    sa.ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sa.Index("ix_substitute_search_match_id", "match_id"),
    sa.Index("ix_substitute_search_next_at", "next_at", **_where("next_at IS NOT NULL")),
)
_table(
    "ladder",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("name", TEXT, nullable=False, unique=True),
    *_required(TEXT, "game", "variant", "options", "status", "created_at"),
    sa.Column("changes", INTEGER, nullable=False, server_default="0"),
)
_table(
    "rung",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("ladder_id", INTEGER, sa.ForeignKey("ladder.id"), nullable=False),
    sa.Column("player_id", INTEGER, sa.ForeignKey("player.id"), nullable=False),
    sa.Column("place", INTEGER),
    sa.Column("joined_at", TEXT, nullable=False),
    sa.Column("left_at", TEXT),
    sa.Index("ix_rung_ladder_id", "ladder_id"),
    sa.Index("ix_rung_player_id", "player_id"),
)
_table(
    "challenge",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("ladder_id", INTEGER, sa.ForeignKey("ladder.id"), nullable=False),
    sa.Column("challenger_id", INTEGER, sa.ForeignKey("player.id"), nullable=False),
    sa.Column("asked_id", INTEGER, sa.ForeignKey("player.id"), nullable=False),
    sa.Column("match_id", INTEGER, sa.ForeignKey("match.id")),
    sa.Column("seat", TEXT),
    sa.Column("created_at", TEXT, nullable=False),
    *_optional(TEXT, "done_at", "ending"),
    sa.Column("silent", TEXT, nullable=False, server_default=""),
    sa.Index("ix_challenge_ladder_id", "ladder_id"),
    sa.Index("ix_challenge_match_id", "match_id", **_where("done_at IS NULL")),
)
_table(
    "tournament",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("name", TEXT, nullable=False, unique=True),
    *_required(TEXT, "kind", "game", "variant", "options", "format"),
    sa.Column("seed", BYTES, nullable=False),
    sa.Column("status", TEXT, nullable=False),
    sa.Column("round", INTEGER, nullable=False, server_default="0"),
    sa.Column("is_public", INTEGER, nullable=False),
    sa.Column("starts_at", TEXT),
    sa.Column("created_at", TEXT, nullable=False),
    *_optional(TEXT, "started_at", "ended_at", "wake_at", "trouble"),
    sa.Column("changes", INTEGER, nullable=False, server_default="0"),
    sa.Index("ix_tournament_wake_at", "wake_at", **_where("wake_at IS NOT NULL")),
)
_table(
    "entry",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("tournament_id", INTEGER, sa.ForeignKey("tournament.id"), nullable=False),
    sa.Column("player_id", INTEGER, sa.ForeignKey("player.id"), nullable=False),
    sa.Column("number", INTEGER),
    sa.Column("status", TEXT, nullable=False),
    sa.Column("silent_forfeits", INTEGER, nullable=False, server_default="0"),
    sa.Column("silent_at", TEXT),
    sa.Column("entered_at", TEXT, nullable=False),
    sa.Index("ix_entry_player_id", "player_id"),
    sa.Index("ix_entry_tournament_id", "tournament_id"),
)
_table(
    "entry_holder",
    sa.Column("entry_id", INTEGER, sa.ForeignKey("entry.id"), primary_key=True),
    sa.Column("since_round", INTEGER, primary_key=True),
    sa.Column("player_id", INTEGER, sa.ForeignKey("player.id"), primary_key=True),
)
_table(
    "pairing",
    sa.Column("tournament_id", INTEGER, sa.ForeignKey("tournament.id"), primary_key=True),
    sa.Column("round", INTEGER, primary_key=True),
    sa.Column("board", INTEGER, primary_key=True),
    sa.Column("again", INTEGER, primary_key=True),
    sa.Column("kind", TEXT, nullable=False),
    sa.Column("match_id", INTEGER, sa.ForeignKey("match.id"), unique=True),
    sa.Column("ending", TEXT, nullable=False, server_default=""),
    sa.Column("made_at", TEXT, nullable=False),
    *_optional(TEXT, "done_at", "ruling"),
    sa.Index("ix_pairing_made_at", "made_at", **_where("done_at IS NULL")),
)
_table(
    "paired",
    sa.Column("tournament_id", INTEGER, primary_key=True),
    sa.Column("round", INTEGER, primary_key=True),
    sa.Column("board", INTEGER, primary_key=True),
    sa.Column("again", INTEGER, primary_key=True),
    sa.Column("place", INTEGER, primary_key=True),
    sa.Column("entry_id", INTEGER, sa.ForeignKey("entry.id"), nullable=False),
    sa.Column("points", INTEGER),
    sa.ForeignKeyConstraint(
        ["tournament_id", "round", "board", "again"],
        ["pairing.tournament_id", "pairing.round", "pairing.board", "pairing.again"],
        name="fk_paired_tournament_id",
    ),
    sa.Index("ix_paired_entry_id", "entry_id"),
)
_table(
    "tournament_ruling",
    sa.Column("id", INTEGER, primary_key=True),
    sa.Column("tournament_id", INTEGER, sa.ForeignKey("tournament.id"), nullable=False),
    sa.Column("round", INTEGER, nullable=False),
    *_required(TEXT, "made_at", "told", "reason"),
    sa.Index("ix_tournament_ruling_tournament_id", "tournament_id"),
)
