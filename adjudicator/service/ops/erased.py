"""The list of players whose data was erased. It lies beside the key and in no database: a backup
that is restored has them again, and the doctor says so."""

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.service.base import files
from adjudicator.service.base.calendar import in_zone
from adjudicator.service.base.context import Refusal, erased_list
from adjudicator.store import rows
from adjudicator.store.database import Tx
from adjudicator.store.players import Player


class Erased(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A player who was erased at that time, by his number and when he was added. While it is not
    finished, `names` and `addresses` say what is still to be taken out."""

    id: int
    added: datetime
    at: datetime
    names: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()

    @property
    def is_finished(self) -> bool:
        return not self.names

    def is_of(self, player: Player) -> bool:
        """Return whether it is this player, not another who got his number after a restore."""
        return (self.id, self.added) == (player.id, player.created_at)


def read(key: Path) -> list[Erased]:
    """Return the list. Raises Refusal if it cannot be read."""
    path = erased_list(key)
    if not path.exists():
        return []
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Erased])
    except msgspec.DecodeError:
        raise Refusal(
            say(
                "{path} is not a list of erased players as `adjud player erase` writes it; move it "
                "away",
                path=str(path),
            )
        ) from None


def note(key: Path, entry: Erased) -> None:
    """Add an entry, or put it in the place of the one that the player has."""
    others = [one for one in read(key) if (one.id, one.added) != (entry.id, entry.added)]
    path = erased_list(key)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    content = msgspec.json.format(msgspec.json.encode([*others, entry]), indent=1)
    files.write_private(path, content.decode() + "\n")
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.chown(path, owner.st_uid, owner.st_gid)


def faults(tx: Tx, listed: Sequence[Erased]) -> list[Message]:
    """Say which erased players are in the database again, and what was not finished."""
    found = []
    for one in listed:
        player = rows.first(tx, Player, id=one.id)
        if player is None or not one.is_of(player):
            continue
        if player.erased_at is None:
            found.append(
                say(
                    "erased: {player} was erased on {when}, and is in the database again, as after "
                    'the restore of an older backup; run `adjud player erase "{player}" --confirm`',
                    player=player.name,
                    when=in_zone(one.at, "UTC"),
                )
            )
        elif not one.is_finished:
            found.append(
                say(
                    "erased: {player} is not erased everywhere, because the command was stopped; "
                    'run `adjud player erase "{player}" --confirm` again',
                    player=player.name,
                )
            )
    return found
