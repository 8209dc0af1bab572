"""Databases and their rows, as tests ask for them. What takes a `tx` is done in a transaction."""

from adjudicator.store import tables, tables_club
from adjudicator.store.clubs import begin_epoch, count_unsigned, epoch, last_restore
from adjudicator.store.database import (
    Clash,
    Store,
    StoreTrouble,
    Tx,
    head,
    make_engine,
    oldest,
    open_store,
    parse_url,
)
from adjudicator.store.happenings import COMMAND, FILE
from adjudicator.store.inbox import update as update_email_in
from adjudicator.store.listings import EMAILS_IN, EMAILS_OUT, Arrived, outgoing_counts
from adjudicator.store.matches import all_matches, names_going, update_seats
from adjudicator.store.matches import find as match_named
from adjudicator.store.matches import insert as insert_match
from adjudicator.store.matches import names as match_names
from adjudicator.store.matches import update as update_match
from adjudicator.store.offers import open_to as offers_open_to
from adjudicator.store.outbox import release as release_emails
from adjudicator.store.outgoing import due as emails_due
from adjudicator.store.players import absences_of, all_players, days_away, spend_day
from adjudicator.store.players import at as player_at
from adjudicator.store.players import find as player_named
from adjudicator.store.players import one as player_of_id
from adjudicator.store.players import update as update_player
from adjudicator.store.press import jottings_of_match, messages_of, mute
from adjudicator.store.rows import metadata, unpack
from adjudicator.store.rulings import since as rulings_since
from adjudicator.store.schema import create
from adjudicator.store.tournaments import log as lines_of_tournament
from adjudicator.store.turns import append as append_ply
from adjudicator.store.turns import events_since, mark_shown, plies, told_heads, was_shown
from adjudicator.store.turns import lines as log_lines
from adjudicator.store.turns import one as ply_of
from adjudicator.store.turns import report_of as report_of_ply
from adjudicator.store.turns import reports as stored_reports

__all__ = [
    "COMMAND",
    "EMAILS_IN",
    "EMAILS_OUT",
    "FILE",
    "Arrived",
    "Clash",
    "Store",
    "StoreTrouble",
    "Tx",
    "absences_of",
    "all_matches",
    "all_players",
    "append_ply",
    "begin_epoch",
    "count_unsigned",
    "create",
    "days_away",
    "emails_due",
    "epoch",
    "events_since",
    "head",
    "insert_match",
    "jottings_of_match",
    "last_restore",
    "lines_of_tournament",
    "log_lines",
    "make_engine",
    "mark_shown",
    "match_named",
    "match_names",
    "messages_of",
    "metadata",
    "mute",
    "names_going",
    "offers_open_to",
    "oldest",
    "open_store",
    "outgoing_counts",
    "parse_url",
    "player_at",
    "player_named",
    "player_of_id",
    "plies",
    "ply_of",
    "release_emails",
    "report_of_ply",
    "rulings_since",
    "spend_day",
    "stored_reports",
    "tables",
    "tables_club",
    "told_heads",
    "unpack",
    "update_email_in",
    "update_match",
    "update_player",
    "update_seats",
    "was_shown",
]
