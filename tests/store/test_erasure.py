"""Every column that may hold something of a person says what becomes of it (`store/rows`)."""

import sqlalchemy as sa
from sqlalchemy.types import LargeBinary, Text

from adjudicator.store import rows
from adjudicator.store.rows import OURS, SHOWN, Packed, Whose
from adjudicator.store.tables import player
from tests.database import metadata

COLUMNS = {
    f"{column.table.name}.{column.name}": column
    for table in metadata.sorted_tables
    for column in table.c
}


def is_text(column: sa.Column[object]) -> bool:
    return type(column.type) in (Text, Packed, LargeBinary)


def names_a_player(column: sa.Column[object]) -> bool:
    return any(key.references(player) for key in column.foreign_keys)


def test_every_text_and_everything_that_names_a_player_says_what_becomes_of_it() -> None:
    silent = {
        name
        for name, column in COLUMNS.items()
        if (is_text(column) or names_a_player(column)) and rows.whose(column) is None
    }
    assert silent == set()
    unsaid = {
        name
        for name, column in COLUMNS.items()
        if names_a_player(column) and getattr(rows.whose(column), "row", "") == ""
    }
    assert unsaid == set()


def test_what_is_said_can_be_done() -> None:
    for name, column in COLUMNS.items():
        said = rows.whose(column) or Whose()
        assert said.clean in ("", "text", "json", "bytes"), name
        assert said.of_match in ("", "hashed", "cleaned"), name
        assert said.row in ("", "deleted", "emptied", "stays"), name
        assert not said.clean or column.table.c.keys()[0] == "id", name  # cleaned row by row
        assert not said.of_match or "match_id" in column.table.c, name
        assert said.empty is not None or column.nullable, name
        assert not (said.is_hashed or said.of_match == "hashed") or not said.clean, name


def test_words_of_people_are_none_of_ours() -> None:
    """What a person writes, and by what he is known, is cleaned, emptied, deleted or hashed."""
    written = {
        *("player.name", "player.address", "joining.address", "guest.address", "letter.sender"),
        *("letter.raw", "outbox.raw", "outbox.body", "outbox.address", "press.body"),
        *("submission.text", "parked.text", "parked_letter.text", "letter_part.text"),
        *("jotting.text", "ruling.reason", "report.body", "tournament_ruling.reason"),
    }
    ours = {f"{one.table.name}.{one.name}" for one in COLUMNS.values() if one.info in (OURS, SHOWN)}
    assert written <= COLUMNS.keys() - ours


# A key more may tell the operator, who prints an export and may play, what he may not know.
EXPORTED = {
    "absence": "first_day last_day created_at",
    "charge": "ply bank turns",
    "guest": "created_at",
    "joining": "match seat name language created_at status",
    "jotting": "ply place text",
    "letter": "received_at sender recipient length raw status reason ply",
    "letter_part": "match status revision text",
    "outbox": "kind match_id ply seat address body created_at sent_at status reason",
    "parked_letter": "text created_at status",
    "player": "reminders board page receipts reports tips letters substitute",
    "report": "ply turn body",
    "rung": "ladder_id place joined_at left_at",
    "said": "word at",
    "submission": "turn ply revision received_at channel text orders status",
}


def test_an_export_shows_these_columns_and_no_more() -> None:
    shown = {
        table.name: " ".join(one.name for one in rows.export_columns(table))
        for table in metadata.sorted_tables
    }
    assert {name: columns for name, columns in shown.items() if columns} == EXPORTED
