"""The tables of what surrounds single matches (club, section 15), as the code expects them."""

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
)

from adjudicator.store.rows import GOES, HASHED, OURS, SHOWN, UtcDateTime, metadata, person, words

# An email to a personal address that waits for a code (club, 2).
parked_email = Table(
    "parked_letter",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("player_id", ForeignKey("player.id"), nullable=False, info=person("deleted")),
    Column("letter_id", ForeignKey("letter.id"), nullable=False),
    Column("code", Text, nullable=False, info=OURS),
    # what waits to be confirmed
    Column("text", Text, nullable=False, info=words(clean="text", export=True, empty="")),
    Column("created_at", UtcDateTime, nullable=False, info=SHOWN),
    Column("status", Text, nullable=False, info=SHOWN),  # waiting, confirmed, fallen, void
    Column("tries", Integer, nullable=False, server_default="0"),  # wrong codes while it waited
    sqlite_strict=True,
)
Index("ix_parked_letter_player_id", parked_email.c.player_id)

# What an email to a personal address says of one match (club, 4.2). Each part is carried out in a
# transaction of its own; the answer is written from all of them, which then lose text and reply.
email_part = Table(
    "letter_part",
    metadata,
    Column("letter_id", ForeignKey("letter.id"), primary_key=True),
    Column("number", Integer, primary_key=True),  # in the order of the email
    # its name, as the player wrote it
    Column("match", Text, nullable=False, info=words(export=True, empty="")),
    # waiting, then accepted, refused, parked or, if its match cannot be read, stuck
    Column("status", Text, nullable=False, info=SHOWN),
    Column("match_id", ForeignKey("match.id")),  # null: the player holds no seat in it
    Column("seat", Text, info=OURS),
    Column("ply", Integer),  # the ply that was awaited when it was read
    Column("revision", Integer, info=SHOWN),  # of the orders in force then
    Column("text", Text, nullable=False, info=words(export=True, empty="")),
    Column("parked_id", Integer),  # the email in which it waited for a code; null: in none
    Column("reply", Text, info=words(empty=None)),  # JSON
    sqlite_strict=True,
)
Index("ix_letter_part_match_id", email_part.c.match_id)

# An offer asks one player for a yes (club, 3).
offer = Table(
    "offer",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", Text, nullable=False, info=OURS),  # service/club/offers/answering.py
    # who is asked
    Column("player_id", ForeignKey("player.id"), nullable=False, info=person("deleted")),
    Column("asker_id", ForeignKey("player.id"), info=person("deleted")),  # null: the club
    Column("match_id", ForeignKey("match.id")),
    Column("seat", Text, info=OURS),
    Column("about", Text, nullable=False, info=OURS),  # the same in all offers of one thing
    Column("details", Text, nullable=False, info=OURS),  # JSON; each kind knows what
    Column("code", Text, nullable=False, info=OURS),
    Column("tries", Integer, nullable=False, server_default="0"),  # wrong codes while it was open
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime),  # when a tick must look; null: it has ended
    # open, then accepted, declined, expired, withdrawn or void
    Column("status", Text, nullable=False, info=OURS),
    Column("ended_at", UtcDateTime),
    sqlite_strict=True,
)
Index("ix_offer_player_id", offer.c.player_id)
Index("ix_offer_asker_id", offer.c.asker_id)
Index("ix_offer_match_id", offer.c.match_id)
Index("ix_offer_about", offer.c.about)
Index("ix_offer_expires_at", offer.c.expires_at, sqlite_where=offer.c.expires_at.is_not(None))

# Somebody who is not a member and whom a player would like to play with (club, 6.2).
#
# `mark` is the digest of the address if the club is to write there, or did: never the address.
guest = Table(
    "guest",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("asker_id", ForeignKey("player.id"), nullable=False, info=person("emptied")),
    Column("planned", Text, nullable=False, info=OURS),  # JSON: the match
    Column("door", Text, nullable=False, info=OURS),  # the secret in the address that is handed on
    # open: handed to the asker; wished: the game master is asked; asked: the club has written, to
    # somebody who wrote or by itself, and waits for a yes. Then accepted, declined, expired or void
    Column("status", Text, nullable=False, info=OURS),
    Column("address", Text, info=GOES),  # only while it is wished or asked
    Column("name", Text, nullable=False, info=GOES),  # a new player would get it
    Column("language", Text, nullable=False, info=OURS),
    Column("code", Text, nullable=False, info=OURS),  # by which the guest confirms
    Column("tries", Integer, nullable=False, server_default="0"),  # wrong codes
    Column("created_at", UtcDateTime, nullable=False, info=SHOWN),
    Column("expires_at", UtcDateTime),  # when a tick must look; null: it has ended
    Column("ended_at", UtcDateTime),
    Column("mark", Text, info=OURS),  # null: the club writes to nobody by itself
    sqlite_strict=True,
)
Index("ix_guest_asker_id", guest.c.asker_id)
Index("ix_guest_door", guest.c.door, unique=True)
Index("ix_guest_expires_at", guest.c.expires_at, sqlite_where=guest.c.expires_at.is_not(None))

# An address to which the club wrote by itself, as a digest that only its key can make.
written_to = Table(
    "written_to",
    metadata,
    Column("mark", Text, primary_key=True, info=OURS),
    Column("written_at", UtcDateTime, nullable=False),  # the last time
    Column("refused_at", UtcDateTime),  # said no or came back: the club never writes again
    sqlite_strict=True,
)

# An event that the club's hooks have not all got yet (club, 12.1). Nobody's name is in it.
happening = Table(
    "happening",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("body", Text, nullable=False, info=OURS),  # JSON, as it is handed over
    Column("wanted", Integer, nullable=False),  # 1: the file, 2: the command, 3: both
    Column("tries", Integer, nullable=False),  # of the command
    Column("next_at", UtcDateTime),  # of the command; null: given up
    Column("reason", Text, info=OURS),
    sqlite_strict=True,
)
Index("ix_happening_next_at", happening.c.next_at, sqlite_where=happening.c.next_at.is_not(None))

# How players kept their deadlines (club, 6.1): by ply, and by day once a match is over.
conduct = Table(
    "conduct",
    metadata,
    Column("match_id", ForeignKey("match.id"), primary_key=True),
    Column("seat", Text, primary_key=True, info=OURS),
    Column("ply", Integer, primary_key=True),  # below 0: of no ply, but of a tenure
    Column("kind", Text, primary_key=True, info=OURS),  # on_time, missed, left, ended
    Column("player_id", ForeignKey("player.id"), nullable=False, info=person("deleted")),
    Column("day", Text, nullable=False, info=OURS),  # in UTC
    # 1: names are hidden in the match, so it is shown only once that has ended (club, 6.4)
    Column("hidden", Integer, nullable=False, server_default="0"),
    sqlite_strict=True,
)
Index("ix_conduct_player_id", conduct.c.player_id)

conduct_day = Table(
    "conduct_day",
    metadata,
    Column("player_id", ForeignKey("player.id"), primary_key=True, info=person("deleted")),
    Column("day", Text, primary_key=True, info=OURS),
    Column("on_time", Integer, nullable=False),
    Column("missed", Integer, nullable=False),
    Column("left", Integer, nullable=False),
    Column("ended", Integer, nullable=False),
    sqlite_strict=True,
)

# A seat for which a substitute is looked for (club, 6.3), or was.
substitute_search = Table(
    "substitute_search",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", Integer, nullable=False),
    Column("seat", Text, nullable=False, info=OURS),
    Column("tenure", Integer, nullable=False),  # of the holder whose place is to be taken
    Column("ply", Integer, nullable=False),  # the ply that was awaited when it began
    Column("cause", Text, nullable=False, info=OURS),  # asked, silent
    Column("due_at", UtcDateTime),  # the deadline that a silent seat has missed
    Column("begun_at", UtcDateTime, nullable=False),
    Column("next_at", UtcDateTime),  # when a tick must look; null: ended, or another row leads
    Column("ends_at", UtcDateTime, nullable=False),
    Column("status", Text, nullable=False, info=OURS),  # open, found, ended
    ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sqlite_strict=True,
)
Index("ix_substitute_search_match_id", substitute_search.c.match_id)
Index(
    "ix_substitute_search_next_at",
    substitute_search.c.next_at,
    sqlite_where=substitute_search.c.next_at.is_not(None),
)

# An email that the club sent to itself, to see whether it comes home.
trial = Table(
    "trial",
    metadata,
    Column("id", Integer, primary_key=True),
    # part of the address to which it goes
    Column("tag", Text, nullable=False, unique=True, info=OURS),
    # the server in whose name a verdict is forged, or ""
    Column("claims", Text, nullable=False, info=OURS),
    Column("sent_at", UtcDateTime, nullable=False),
    Column("home_at", UtcDateTime),  # null: it is on its way, or lost
    # a forged verdict, or why it failed
    Column("found", Text, nullable=False, server_default="", info=words(clean="text")),
    sqlite_strict=True,
)

# A fault of ours that stopped a job of a tick, or one thing that was due there.
job_fault = Table(
    "job_fault",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("job", Text, nullable=False, info=OURS),  # its name in service/ops/jobs.py, or ""
    # what the operator calls the thing, or the number of its row if it is secret; "": the whole job
    Column("key", Text, nullable=False, info=OURS),
    Column("kind", Text, nullable=False, info=OURS),  # the class of the error, never its text
    Column("match_id", ForeignKey("match.id")),  # after whose end it is told; null: of no match
    Column("times", Integer, nullable=False, server_default="1"),
    Column("first_at", UtcDateTime, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
    Column("told_at", UtcDateTime),  # when the operator was told what it stopped
    UniqueConstraint("job", "key", "kind"),
    sqlite_strict=True,
)

ladder = Table(
    "ladder",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True, info=OURS),
    Column("game", Text, nullable=False, info=OURS),
    Column("variant", Text, nullable=False, info=OURS),
    Column("options", Text, nullable=False, info=OURS),  # JSON: KEY=VALUE texts
    Column("status", Text, nullable=False, info=OURS),  # open, closed
    Column("created_at", UtcDateTime, nullable=False),
    Column("changes", Integer, nullable=False, server_default="0"),  # of what its page shows
    sqlite_strict=True,
)

rung = Table(
    "rung",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("ladder_id", ForeignKey("ladder.id"), nullable=False, info=SHOWN),
    Column("player_id", ForeignKey("player.id"), nullable=False, info=person("stays")),
    Column("place", Integer, info=SHOWN),  # from 1 without gaps; null: he has left
    # the number in the log, the same for all rows of a player; null: from before it had one
    Column("entry", Integer),
    Column("joined_at", UtcDateTime, nullable=False, info=SHOWN),
    Column("left_at", UtcDateTime, info=SHOWN),
    sqlite_strict=True,
)
Index("ix_rung_ladder_id", rung.c.ladder_id)
Index("ix_rung_player_id", rung.c.player_id)

challenge = Table(
    "challenge",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("ladder_id", ForeignKey("ladder.id"), nullable=False),
    Column("challenger_id", ForeignKey("player.id"), nullable=False, info=person("stays")),
    Column("asked_id", ForeignKey("player.id"), nullable=False, info=person("stays")),
    Column("number", Integer),  # in the log, from 1; null: from before it had one
    Column("match_id", ForeignKey("match.id")),  # null: not accepted
    Column("seat", Text, info=OURS),  # of the challenger
    Column("created_at", UtcDateTime, nullable=False),
    Column("done_at", UtcDateTime),  # null: it goes on
    # won, lost or drawn by the challenger; declined, expired, void
    Column("ending", Text, info=OURS),
    Column("silent", Text, nullable=False, server_default="", info=OURS),  # challenger, asked, both
    sqlite_strict=True,
)
Index("ix_challenge_ladder_id", challenge.c.ladder_id)
Index("ix_challenge_match_id", challenge.c.match_id, sqlite_where=challenge.c.done_at.is_(None))

# The log of a ladder (core/ladder_log.py). It names nobody.
ladder_log = Table(
    "ladder_log",
    metadata,
    Column("ladder_id", ForeignKey("ladder.id"), primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("line", Text, nullable=False, info=HASHED),
    Column("head", Text, nullable=False, info=HASHED),
    Column("epoch", Text, nullable=False, info=OURS),  # the club's when it was written
    sqlite_strict=True,
)

tournament = Table(
    "tournament",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True, info=OURS),
    Column("kind", Text, nullable=False, info=OURS),  # a key of `kinds.KINDS`
    Column("game", Text, nullable=False, info=OURS),
    Column("variant", Text, nullable=False, info=OURS),
    Column("options", Text, nullable=False, info=OURS),  # JSON, of its matches
    Column("format", Text, nullable=False, info=OURS),  # JSON: seats, rounds, at once
    Column("seed", LargeBinary, nullable=False, info=OURS),
    # what decides with the seed (core/public_chance.py), and its value once that is known
    Column("chance", Text, nullable=False, server_default="seed", info=OURS),
    Column("public_value", Text, nullable=False, server_default="", info=OURS),
    # open, waiting (for its public number), playing, held, over, cancelled
    Column("status", Text, nullable=False, info=OURS),
    Column("round", Integer, nullable=False, server_default="0"),  # the last that was made
    Column("is_public", Integer, nullable=False),  # everybody may enter by email
    Column("starts_at", UtcDateTime),
    Column("created_at", UtcDateTime, nullable=False),
    Column("started_at", UtcDateTime),
    Column("ended_at", UtcDateTime),
    Column("wake_at", UtcDateTime),  # when `tick` must look next, beside the ends of its matches
    # JSON: what the operator must know; null when all is well
    Column("trouble", Text, info=words(clean="json")),
    Column("changes", Integer, nullable=False, server_default="0"),  # as in `match`
    sqlite_strict=True,
)
Index(
    "ix_tournament_wake_at",
    tournament.c.wake_at,
    sqlite_where=tournament.c.wake_at.is_not(None),
)

entry = Table(
    "entry",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("tournament_id", ForeignKey("tournament.id"), nullable=False),
    # who plays for it now
    Column("player_id", ForeignKey("player.id"), nullable=False, info=person("stays")),
    # from 1, as they came in this tournament; never given again, null in one without a log
    Column("serial", Integer),
    Column("number", Integer),  # from the start on
    Column("status", Text, nullable=False, info=OURS),  # in, silent, withdrawn, out
    Column("silent_forfeits", Integer, nullable=False, server_default="0"),
    Column("silent_at", UtcDateTime),  # the last of them
    Column("entered_at", UtcDateTime, nullable=False),
    sqlite_strict=True,
)
Index("ix_entry_tournament_id", entry.c.tournament_id)
Index("ix_entry_player_id", entry.c.player_id)

# Who played for an entry, if it changed hands.
entry_holder = Table(
    "entry_holder",
    metadata,
    Column("entry_id", ForeignKey("entry.id"), primary_key=True),
    Column("since_round", Integer, primary_key=True),
    Column("player_id", ForeignKey("player.id"), primary_key=True, info=person("stays")),
    sqlite_strict=True,
)

pairing = Table(
    "pairing",
    metadata,
    Column("tournament_id", ForeignKey("tournament.id"), primary_key=True),
    Column("round", Integer, primary_key=True),
    Column("board", Integer, primary_key=True),
    Column("again", Integer, primary_key=True),  # a replay of a knock-out
    Column("kind", Text, nullable=False, info=OURS),  # match, bye, left_out
    Column("match_id", ForeignKey("match.id"), unique=True),  # null until its match is made
    # core/pairing/history.Ending
    Column("ending", Text, nullable=False, server_default="", info=OURS),
    Column("made_at", UtcDateTime, nullable=False),
    Column("done_at", UtcDateTime),
    Column("ruling", Text, info=OURS),  # the game master's result: a seat, draw or void
    sqlite_strict=True,
)

Index("ix_pairing_made_at", pairing.c.made_at, sqlite_where=pairing.c.done_at.is_(None))

# Who meets in a pairing, in the order of the game's seats.
paired = Table(
    "paired",
    metadata,
    Column("tournament_id", Integer, primary_key=True),
    Column("round", Integer, primary_key=True),
    Column("board", Integer, primary_key=True),
    Column("again", Integer, primary_key=True),
    Column("place", Integer, primary_key=True),  # 0 for the first seat
    Column("entry_id", ForeignKey("entry.id"), nullable=False),
    Column("points", Integer),  # 24ths; null while it is not done
    ForeignKeyConstraint(
        ["tournament_id", "round", "board", "again"],
        ["pairing.tournament_id", "pairing.round", "pairing.board", "pairing.again"],
    ),
    sqlite_strict=True,
)
Index("ix_paired_entry_id", paired.c.entry_id)

# What the game master decided; the entrants are told in their next emails.
tournament_ruling = Table(
    "tournament_ruling",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("tournament_id", ForeignKey("tournament.id"), nullable=False),
    Column("round", Integer, nullable=False),  # told with the first emails of the next one
    Column("made_at", UtcDateTime, nullable=False),
    Column("told", Text, nullable=False, info=words(clean="json")),  # JSON of a message
    Column("reason", Text, nullable=False, info=words(clean="text")),
    sqlite_strict=True,
)
Index("ix_tournament_ruling_tournament_id", tournament_ruling.c.tournament_id)

# The log of a tournament (core/contest_log.py). It names nobody.
tournament_log = Table(
    "tournament_log",
    metadata,
    Column("tournament_id", ForeignKey("tournament.id"), primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("line", Text, nullable=False, info=HASHED),
    Column("head", Text, nullable=False, info=HASHED),
    Column("epoch", Text, nullable=False, info=OURS),  # the club's when it was written
    sqlite_strict=True,
)

# The numbers that the values of emails to a seat's holder have.
email_number = Table(
    "email_number",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", ForeignKey("match.id"), nullable=False),
    Column("seat", Text, nullable=False, info=OURS),
    Column("tenure", Integer, nullable=False),
    Column("n", Integer, nullable=False),
    Column("outbox_id", Integer, nullable=False),  # the email; it may be gone
    Column("digest", Text, nullable=False, info=HASHED),  # SHA-256 of the value
    Column("sent", Integer, nullable=False, server_default="0"),
    UniqueConstraint("match_id", "seat", "tenure", "n"),
    sqlite_strict=True,
)
Index("ix_email_number_outbox_id", email_number.c.outbox_id)

# The numbers that the values of emails to a player and to no seat have.
personal_number = Table(
    "personal_number",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("player_id", ForeignKey("player.id"), nullable=False, info=person("deleted")),
    Column("n", Integer, nullable=False),
    Column("outbox_id", Integer, nullable=False),  # the email; it may be gone
    Column("digest", Text, nullable=False, info=HASHED),  # SHA-256 of the value
    Column("sent", Integer, nullable=False, server_default="0"),
    UniqueConstraint("player_id", "n"),
    sqlite_strict=True,
)
Index("ix_personal_number_outbox_id", personal_number.c.outbox_id)
