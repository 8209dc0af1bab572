"""The tables as the code expects them. Migrations make them.

The log only grows: a turn is inserted as a whole, with its events, snapshot, reports and outbox
rows, or not at all, and its primary key makes a second time impossible.

On PostgreSQL the migrations make the partial indexes partial too. This module does not say
`postgresql_where`, because that would import the whole dialect in every run on SQLite.
"""

import secrets
from base64 import b32encode

from sqlalchemy import (
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from adjudicator.store import tables_club as tables_club  # so that the metadata has all tables
from adjudicator.store.rows import (
    GOES,
    HASHED,
    OURS,
    SHOWN,
    LastTime,
    Packed,
    UtcDateTime,
    metadata,
    person,
    words,
)


def fresh_token() -> str:
    """Return ten letters and digits of base32; they name a player in his personal address."""
    return b32encode(secrets.token_bytes(7)).decode().lower()[:10]


def _choice(name: str, default: str) -> Column[str]:
    """Return the column of something that a player chooses; an erased one has chosen nothing."""
    info = words(export=True, is_choice=True, empty=default)
    return Column(name, Text, nullable=False, server_default=default, info=info)


player = Table(
    "player",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, info=GOES),
    Column("name_key", Text, nullable=False, unique=True, info=GOES),  # the name without case
    Column("address", Text, nullable=False, info=words(empty="")),
    Column("language", Text, nullable=False, info=words(empty="en")),
    Column("zone", Text, nullable=False, info=words(empty="UTC")),
    # null: no content goes to this address
    Column("confirmed_at", UtcDateTime, info=words(empty=None)),
    Column("created_at", UtcDateTime, nullable=False),
    _choice("reminders", "on"),  # on, off, daily
    _choice("board", "table"),  # table, picture
    _choice("page", "attached"),  # attached, link, none
    _choice("receipts", "full"),  # full, short
    _choice("reports", "few"),  # few, all
    _choice("tips", "first"),  # first (matches), on, off
    # null: messages to other players are passed on
    Column("muted_at", UtcDateTime, info=words(empty=None)),
    # to confirm the address; null: he need not, or is older
    Column("asked_at", UtcDateTime, info=words(empty=None)),
    # the operator, that the address is not confirmed
    Column("remind_at", UtcDateTime, info=words(empty=None)),
    Column("changes", Integer, nullable=False, server_default="0"),  # as in `match`
    Column("erased_at", UtcDateTime),  # his name and address are gone since then
    # Of his personal address (club, 2): given once, and the number of his address on file.
    Column(
        "token", Text, nullable=False, server_default="", default=lambda: fresh_token(), info=GOES
    ),
    Column("number", Integer, nullable=False, server_default="1"),
    _choice("letters", "each"),  # each, daily (club, 4.3)
    _choice("substitute", "off"),  # on: is asked (club, 6.3)
    sqlite_strict=True,
)
Index(
    "ix_player_remind_at",
    player.c.remind_at,
    sqlite_where=player.c.remind_at.is_not(None),
)
Index("ix_player_token", player.c.token, unique=True)

absence = Table(
    "absence",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("player_id", ForeignKey("player.id"), nullable=False, info=person("deleted")),
    Column("first_day", Text, nullable=False, info=SHOWN),  # a date where the player lives
    Column("last_day", Text, nullable=False, info=SHOWN),  # included
    Column("created_at", UtcDateTime, nullable=False, info=SHOWN),
    # or auto (club, 5.3)
    Column("kind", Text, nullable=False, server_default="announced", info=OURS),
    sqlite_strict=True,
)
Index("ix_absence_player_id", absence.c.player_id)
Index(  # a day is spent once
    "uq_absence_player_id_first_day",
    absence.c.player_id,
    absence.c.first_day,
    unique=True,
    sqlite_where=absence.c.kind == "auto",
)

clock = Table(
    "clock",
    metadata,
    Column("id", Integer, primary_key=True),  # one row, which the migration makes
    Column("last_tick_at", LastTime),  # looked at every match; exact to the hour
    # While the clock is in doubt: the last tick before that, the latest leap, and its seconds.
    Column("right_at", UtcDateTime),
    Column("doubted_at", UtcDateTime),
    Column("leap", Integer),
    sqlite_strict=True,
)

club = Table(
    "club",
    metadata,
    Column("id", Integer, primary_key=True),  # one row, which the migration makes
    # its emails come from there; empty before any go out
    Column("domain", Text, nullable=False, info=OURS),
    # its keys'; the first signs
    Column("fingerprints", Text, nullable=False, server_default="", info=OURS),
    Column("mark", Text, nullable=False, server_default="", info=OURS),  # its spool has the same
    Column("unsigned", Integer, nullable=False, server_default="0"),  # emails, not told yet
    Column("site_at", UtcDateTime),  # its pages were built then; null: never
    Column("saved_at", UtcDateTime),  # the backup from which it was restored; null: it never was
    Column("restored_at", UtcDateTime),
    # drawn anew with each restore
    Column("epoch", Text, nullable=False, server_default="", info=OURS),
    Column("above", Integer, nullable=False, server_default="0"),  # as in `seat`, of new matches
    sqlite_strict=True,
)

match = Table(
    "match",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True, info=HASHED),
    Column("game", Text, nullable=False, info=OURS),
    Column("variant", Text, nullable=False, info=OURS),
    Column("options", Text, nullable=False, info=HASHED),  # JSON
    Column("seed", LargeBinary, nullable=False, info=HASHED),
    Column("seed_given", Integer, nullable=False),
    # open, waiting (for a number), playing, held, over
    Column("status", Text, nullable=False, info=OURS),
    Column("ply", Integer, nullable=False),  # -1 until it opens
    Column("turn", Integer, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("deadline_at", UtcDateTime),
    Column("wake_at", UtcDateTime),  # when `tick` must look next; null: at no time
    Column("held_at", UtcDateTime),
    # what the operator must know, null when all is well
    Column("trouble", Text, info=words(clean="text")),
    Column("reminded_ply", Integer),
    Column("alerted_ply", Integer),
    Column("hurried_ply", Integer),  # adjudicated as soon as all its orders are in
    Column("board", Text, nullable=False, server_default="", info=OURS),  # empty: the variant's own
    Column("log_key", LargeBinary, info=HASHED),  # null: the match began before logs were chained
    # Of a match whose chance takes a public number (core/public_chance.py).
    Column("full_at", UtcDateTime),  # its last seat was taken then
    # empty: nobody knows it yet
    Column("public_value", Text, nullable=False, server_default="", info=OURS),
    Column("lots", Text, info=OURS),  # JSON (core/seat_lots.py); empty: not drawn yet, null: none
    # Of what the site shows of it, counted; never what a seat sends (store/matches.update).
    Column("changes", Integer, nullable=False, server_default="0"),
    Column("label", Text, nullable=False, server_default="ADJUD1", info=OURS),  # core/chain.py
    # the version in its last line
    Column("logged_by", Text, nullable=False, server_default="", info=OURS),
    # whose game its last ply was played with, and its version; empty: one of the program's own
    Column("package", Text, nullable=False, server_default="", info=OURS),
    Column("archived_at", UtcDateTime),  # its emails and all but the last reports are gone
    Column("result", Text, info=OURS),  # JSON; null: it goes on, or a tick has not filled it in yet
    Column("ended_at", UtcDateTime),
    # Of a match with a reserve (club, 5): the deadline of which is noted that it has passed, and
    # since when the game master has been waited for, if `alerted_ply` is the coming one.
    Column("overdue_at", UtcDateTime),
    Column("alerted_at", UtcDateTime),
    sqlite_strict=True,
)
Index(
    "ix_match_wake_at",
    match.c.wake_at,
    sqlite_where=match.c.wake_at.is_not(None),
)

seat = Table(
    "seat",
    metadata,
    Column("match_id", ForeignKey("match.id"), primary_key=True),
    Column("name", Text, primary_key=True, info=OURS),
    Column("player_id", ForeignKey("player.id"), info=person("stays")),
    Column("computer", Text, info=OURS),  # the built-in player that holds the seat
    Column("tenure", Integer, nullable=False),
    Column("ordered_ply", Integer, nullable=False),  # its last ply with orders of its own
    Column("not_ready_ply", Integer),  # NOTREADY was said for this ply
    Column("missed", Integer, nullable=False, server_default="0"),  # deadlines, all excused
    Column("silent", Integer, nullable=False, server_default="0"),  # in a row, played by default
    Column("forfeit_at", UtcDateTime),  # announced by the game master: if it is silent until then
    Column("forfeit_ply", Integer),  # the awaited ply when it was announced
    # Revisions and tenures are given above it: others may have been told before a restore.
    Column("above", Integer, nullable=False, server_default="0"),
    Column("since_ply", Integer, nullable=False, server_default="0"),  # the last when he took it
    Column("bank", Integer),  # seconds (club, 5.2); null: the match has no bank
    Column("turns", Integer, nullable=False, server_default="0"),  # adjudicated that awaited it
    Column("kept", Integer, nullable=False, server_default="0"),  # for somebody who was asked
    sqlite_strict=True,
)
Index("ix_seat_player_id", seat.c.player_id)

# What a seat had of both before a ply changed it, until the match is over: an undo gives it back.
charge = Table(
    "charge",
    metadata,
    Column("match_id", Integer, primary_key=True),
    Column("ply", Integer, primary_key=True, info=SHOWN),
    Column("seat", Text, primary_key=True, info=OURS),
    Column("bank", Integer, info=SHOWN),
    Column("turns", Integer, nullable=False, info=SHOWN),
    ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sqlite_strict=True,
)

submission = Table(
    "submission",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", Integer, nullable=False),
    Column("turn", Integer, info=SHOWN),  # of a sheet that was sent in advance
    Column("ply", Integer, nullable=False, info=SHOWN),
    Column("seat", Text, nullable=False, info=OURS),
    Column("revision", Integer, nullable=False, info=SHOWN),
    Column("received_at", UtcDateTime, nullable=False, info=SHOWN),
    Column("channel", Text, nullable=False, info=SHOWN),
    Column("text", Text, nullable=False, info=words(clean="text", export=True)),
    # JSON: canonical lines
    Column("orders", Text, nullable=False, info=words(of_match="hashed", export=True)),
    # kept (for a later turn), in force, replaced, withdrawn, used, unused, dropped
    Column("status", Text, nullable=False, info=SHOWN),
    Column("letter_id", Integer),  # the email that put it in force
    Column("verdict", Text, info=OURS),  # JSON: what became of one sent in advance
    ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    UniqueConstraint("match_id", "ply", "seat", "revision"),
    sqlite_strict=True,
)

declaration = Table(
    "declaration",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", Integer, nullable=False),
    Column("seat", Text, nullable=False, info=OURS),
    Column("kind", Text, nullable=False, info=OURS),  # RESIGN, DRAW
    Column("received_at", UtcDateTime, nullable=False),
    Column("status", Text, nullable=False, info=OURS),  # pending, standing, used, withdrawn, lapsed
    Column("settled_ply", Integer),  # the ply that used it or let it lapse
    ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sqlite_strict=True,
)
Index("ix_declaration_match_id", declaration.c.match_id)

# What took effect beside orders while `ply` was the last one; the line of the next ply names it.
said = Table(
    "said",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", Integer, nullable=False),
    Column("ply", Integer, nullable=False),
    Column("seat", Text, nullable=False, info=OURS),
    Column("word", Text, nullable=False, info=SHOWN),  # RESIGN, DRAW; CLEAR of a DRAW
    Column("at", UtcDateTime, nullable=False, info=SHOWN),  # when it came
    ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sqlite_strict=True,
)
Index("ix_said_match_id_ply", said.c.match_id, said.c.ply)

holder_change = Table(
    "holder_change",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", Integer, nullable=False),
    Column("ply", Integer, nullable=False),
    Column("seat", Text, nullable=False, info=OURS),
    Column("kind", Text, nullable=False, info=OURS),  # person, or the name of a built-in player
    Column("at", UtcDateTime, nullable=False),
    Column("due_at", UtcDateTime),  # the deadline in force afterwards
    ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sqlite_strict=True,
)
Index("ix_holder_change_match_id_ply", holder_change.c.match_id, holder_change.c.ply)

turn = Table(
    "turn",
    metadata,
    Column("match_id", ForeignKey("match.id"), primary_key=True),
    Column("ply", Integer, primary_key=True),
    Column("turn", Integer, nullable=False),  # the turn to be ordered after this ply
    Column("cause", Text, nullable=False, info=HASHED),
    Column("adjudicated_at", UtcDateTime, nullable=False),
    Column("snapshot", Packed, nullable=False, info=HASHED),  # JSON of the state after the ply
    # what the log's chain says of it; null: the match has no chain
    Column("line", Packed, info=words(of_match="hashed")),
    Column("head", Text, info=HASHED),  # of the chain
    Column("added", Integer, nullable=False, server_default="0"),  # events, since its line
    sqlite_strict=True,
)

event = Table(
    "event",
    metadata,
    Column("match_id", Integer, primary_key=True),
    Column("ply", Integer, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("body", Text, nullable=False, info=words(of_match="hashed")),  # JSON
    ForeignKeyConstraint(["match_id", "ply"], ["turn.match_id", "turn.ply"]),
    sqlite_strict=True,
)

report = Table(
    "report",
    metadata,
    Column("match_id", Integer, primary_key=True),
    Column("ply", Integer, primary_key=True, info=SHOWN),
    Column("seat", Text, primary_key=True, info=OURS),
    Column("turn", Integer, nullable=False, info=SHOWN),
    Column("tenure", Integer, nullable=False),
    # JSON: the value that every form is made from
    Column("body", Packed, nullable=False, info=words(of_match="cleaned", export=True)),
    Column("shown_at", UtcDateTime),  # first printed or delivered; such a ply stays
    ForeignKeyConstraint(["match_id", "ply"], ["turn.match_id", "turn.ply"]),
    ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sqlite_strict=True,
)

commitment = Table(
    "commitment",
    metadata,
    Column("match_id", Integer, primary_key=True),
    Column("what", Text, primary_key=True, info=HASHED),
    Column("seat", Text, primary_key=True, info=OURS),
    Column("ply", Integer, nullable=False),
    Column("text", Text, nullable=False, info=HASHED),
    Column("salt", Text, nullable=False, info=HASHED),
    ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sqlite_strict=True,
)

ruling = Table(
    "ruling",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", ForeignKey("match.id"), nullable=False),
    Column("ply", Integer, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("action", Text, nullable=False, info=OURS),
    Column("told", Text, nullable=False, info=words(of_match="cleaned")),
    Column("acts", Text, info=words(of_match="cleaned")),  # null before 0.3.0, whose `told` counts
    Column("reason", Text, nullable=False, info=words(of_match="cleaned")),
    Column("due_at", UtcDateTime),  # the deadline in force once it was made
    Column("number", Integer, nullable=False, server_default="0"),  # as its line of the log has it
    sqlite_strict=True,
)
Index("ix_ruling_match_id", ruling.c.match_id)

outbox = Table(
    "outbox",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", Text, nullable=False, unique=True, info=OURS),  # match/ply/seat/kind: queued once
    Column("kind", Text, nullable=False, info=SHOWN),
    Column("match_id", ForeignKey("match.id"), info=SHOWN),
    Column("ply", Integer, info=SHOWN),
    Column("seat", Text, info=SHOWN),
    Column("player_id", ForeignKey("player.id"), info=person("emptied")),  # null: the operator
    # the one for which the bytes were made
    Column("address", Text, info=words(export=True, empty=None)),
    # JSON of what the email says beside the report
    Column("body", Text, nullable=False, info=words(clean="json", export=True, empty="null")),
    Column("created_at", UtcDateTime, nullable=False, info=SHOWN),
    Column("sent_at", UtcDateTime, info=SHOWN),
    Column("status", Text, nullable=False, info=SHOWN),  # see service/outbound/operators_queue.py
    Column("tries", Integer, nullable=False),
    Column("next_at", UtcDateTime),
    # the finished bytes, from the first attempt until it succeeds
    Column("raw", LargeBinary, info=words(clean="bytes", empty=None)),
    # why it could not be delivered, or came back
    Column("reason", Text, info=words(clean="text", export=True, empty=None)),
    Column("bounce_tag", Text, info=OURS),  # part of the envelope sender
    Column("bounces", Integer, nullable=False, server_default="0"),  # hard ones
    # as the operator calls it
    Column("name", Text, nullable=False, info=OURS),
    Column("tenure", Integer),  # that of the holder for whom it was written
    Column("since", Integer),  # the first ply of which it tells; null: of none, or it is older
    # in which it was queued; null: before the club was ever restored
    Column("epoch", Text, info=OURS),
    Column("carrier_id", Integer),  # the daily email in which it goes or went (club, 4.4)
    sqlite_strict=True,
)
Index("ix_outbox_carrier_id", outbox.c.carrier_id, sqlite_where=outbox.c.carrier_id.is_not(None))
Index(
    "ix_outbox_bounce_tag",
    outbox.c.bounce_tag,
    sqlite_where=outbox.c.bounce_tag.is_not(None),
)
Index(
    "ix_outbox_next_at",
    outbox.c.next_at,
    sqlite_where=outbox.c.status == "waiting",
)

Index("ix_outbox_match_id_seat_ply", outbox.c.match_id, outbox.c.seat, outbox.c.ply)
Index("ix_outbox_created_at", outbox.c.created_at)

email = Table(
    "letter",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("spool_name", Text, nullable=False, unique=True, info=OURS),  # taken from the spool once
    Column("sha256", Text, nullable=False, info=OURS),
    Column("message_id", Text, info=words(empty=None)),
    Column("received_at", UtcDateTime, nullable=False, info=SHOWN),
    Column("sender", Text, nullable=False, info=words(export=True, empty="")),  # of the envelope
    Column("recipient", Text, nullable=False, info=SHOWN),  # of the envelope
    Column("channel", Text, nullable=False, info=OURS),
    Column("length", Integer, nullable=False, info=SHOWN),
    # empty once they are forgotten
    Column("raw", LargeBinary, nullable=False, info=words(clean="bytes", export=True, empty=b"")),
    Column("status", Text, nullable=False, info=SHOWN),
    Column("reason", Text, info=words(clean="text", export=True, empty=None)),
    Column("tries", Integer, nullable=False),
    Column("match_id", ForeignKey("match.id")),
    Column("seat", Text, info=OURS),
    Column("dated_at", UtcDateTime),  # by the sender's clock
    Column("ply", Integer, info=SHOWN),  # the ply that was awaited when it was read
    Column("faults", Integer, nullable=False, server_default="0"),  # tries that ended in a fault
    Column("again_at", UtcDateTime),  # not read before then, because of kills
    Column("player_id", Integer, info=person("emptied")),  # of an email to a personal address
    sqlite_strict=True,
)
Index("ix_letter_status", email.c.status, sqlite_where=email.c.status == "received")
Index("ix_letter_received_at", email.c.received_at, sqlite_where=text("length(raw) > 0"))
Index(
    "ix_letter_message_id",
    email.c.message_id,
    sqlite_where=email.c.message_id.is_not(None),
)
Index("ix_letter_match_id_seat", email.c.match_id, email.c.seat)
Index("ix_letter_player_id", email.c.player_id, sqlite_where=email.c.player_id.is_not(None))

parked = Table(
    "parked",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", Integer, nullable=False),
    Column("seat", Text, nullable=False, info=OURS),
    Column("tenure", Integer, nullable=False),
    Column("letter_id", ForeignKey("letter.id"), nullable=False),
    Column("code", Text, nullable=False, info=OURS),
    Column("text", Text, nullable=False, info=words(clean="text")),  # what waits to be confirmed
    Column("created_at", UtcDateTime, nullable=False),
    Column("status", Text, nullable=False, info=OURS),  # waiting, confirmed, fallen, void, ended
    Column("tries", Integer, nullable=False, server_default="0"),  # wrong codes while it waited
    Column("on_file", Integer, nullable=False, server_default="0"),  # from the address on file
    Column("ply", Integer),  # the ply that was awaited when it came
    ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sqlite_strict=True,
)
Index("ix_parked_match_id_seat", parked.c.match_id, parked.c.seat)

past_epoch = Table(
    "past_epoch",
    metadata,
    Column("epoch", Text, primary_key=True, info=OURS),
    Column("match_id", ForeignKey("match.id"), primary_key=True),
    Column("ply", Integer, nullable=False),  # the match's last one in that epoch
    Column("saved_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime, nullable=False),
    Column("told_at", UtcDateTime),  # when its players were told; null: not yet
    sqlite_strict=True,
)
Index("ix_past_epoch_told_at", past_epoch.c.told_at)

tenure = Table(
    "tenure",
    metadata,
    Column("match_id", Integer, primary_key=True),
    Column("seat", Text, primary_key=True, info=OURS),
    Column("number", Integer, primary_key=True),
    Column("player_id", ForeignKey("player.id"), nullable=False, info=person("stays")),
    Column("ended_at", UtcDateTime, nullable=False),
    Column("told_at", UtcDateTime),  # when he was told, because he wrote
    Column("since_ply", Integer, nullable=False, server_default="0"),  # as in `seat`
    Column("until_ply", Integer, nullable=False, server_default="0"),  # the last one when it ended
    ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sqlite_strict=True,
)
Index("ix_tenure_player_id", tenure.c.player_id)

joining = Table(
    "joining",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("address", Text, nullable=False, info=GOES),
    Column("match", Text, nullable=False, info=words(goes=True, export=True)),
    Column("seat", Text, info=words(goes=True, export=True)),  # null: the first that is open
    # a new player would get it
    Column("name", Text, nullable=False, info=words(goes=True, export=True)),
    Column("language", Text, nullable=False, info=words(goes=True, export=True)),
    Column("code", Text, nullable=False, info=GOES),
    Column("created_at", UtcDateTime, nullable=False, info=SHOWN),
    Column("status", Text, nullable=False, info=SHOWN),  # waiting, confirmed, replaced, refused
    Column("tries", Integer, nullable=False),  # wrong codes
    Column("remind_at", UtcDateTime),  # the operator, that it is not confirmed
    sqlite_strict=True,
)
Index("ix_joining_address", joining.c.address)
Index(
    "ix_joining_remind_at",
    joining.c.remind_at,
    sqlite_where=joining.c.remind_at.is_not(None),
)

jotting = Table(
    "jotting",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", Integer, nullable=False),
    Column("seat", Text, nullable=False, info=OURS),
    Column("tenure", Integer, nullable=False),  # nobody else is shown it
    Column("ply", Integer, info=SHOWN),  # of a mark: its place is meant after that ply
    Column("place", Text, info=SHOWN),  # of a mark; null: a line of the notebook
    Column("text", Text, nullable=False, info=words(clean="text", export=True)),
    ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sqlite_strict=True,
)
Index("ix_jotting_match_id", jotting.c.match_id)

press = Table(
    "press",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", Integer, nullable=False),
    Column("ply", Integer, nullable=False),
    Column("seat", Text, nullable=False, info=OURS),  # who wrote it
    Column("letter_id", ForeignKey("letter.id"), nullable=False),
    Column("sent_at", UtcDateTime, nullable=False),
    Column("tenure", Integer),  # of its writer; null: of before version 0.2.27
    Column("readers", Text, info=OURS),  # JSON: the tenure of each seat that it is for
    # JSON: its lines; null: older, or its writer was erased
    Column("body", Text, info=words(clean="json", empty=None)),
    Column("unsigned", Integer, nullable=False, server_default="0"),
    Column("told_at", UtcDateTime),  # null: older, or it waits for the next ply
    ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sqlite_strict=True,
)
Index("ix_press_match_id_seat", press.c.match_id, press.c.seat)

# A message as a seat's holder got it; he calls it by its number (club, section 10).
press_copy = Table(
    "press_copy",
    metadata,
    Column("match_id", Integer, primary_key=True),
    Column("seat", Text, primary_key=True, info=OURS),
    Column("tenure", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("press_id", ForeignKey("press.id"), nullable=False),
    Column("ply", Integer, nullable=False),  # the first whose report shows it
    Column("at", UtcDateTime, nullable=False),
    Column("key", Text, info=OURS),  # of the email that has its words in its own row
    ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sqlite_strict=True,
)
Index("ix_press_copy_press_id", press_copy.c.press_id)

# Whose messages and invitations a player does not want; without one: unsigned ones.
muted = Table(
    "muted",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("player_id", ForeignKey("player.id"), nullable=False, info=person("deleted")),
    Column("match_id", ForeignKey("match.id"), nullable=False),
    Column("other_id", ForeignKey("player.id"), info=person("deleted")),
    sqlite_strict=True,
)
Index("ix_muted_player_id", muted.c.player_id)
