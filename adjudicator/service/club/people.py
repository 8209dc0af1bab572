"""Players: people with a name and an address."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

from msgspec import Struct
from msgspec.json import decode
from msgspec.structs import replace

from adjudicator.core.message import LANGUAGES, Message, count, say
from adjudicator.core.orders import shown
from adjudicator.mail.recipient import in_ascii, is_mailbox
from adjudicator.reports.words import spoken
from adjudicator.service.base import player_names
from adjudicator.service.base.calendar import parse_zone
from adjudicator.service.base.environment import fresh_code
from adjudicator.service.base.refusal import Refusal, unknown
from adjudicator.service.base.reminding import OF_ADDRESS
from adjudicator.service.match.chosen_seats import OPEN
from adjudicator.service.match.seating import keep_apart
from adjudicator.store import absences, matches, outbox, players
from adjudicator.store.database import Store, Twice, Tx
from adjudicator.store.players import Player

REMINDERS = ("on", "off", "daily")
# How the names of languages begin, in each of them; English ones begin with its code everywhere.
_NAMED = {"nb": ("norsk", "norweg", "bokm", "nynorsk"), "sv": ("svensk", "swed")}
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


def add(
    store: Store,
    name: str,
    address: str,
    *,
    language: str,
    zone: str,
    confirmed: bool,
    now: datetime,
    way_out: bool,
) -> None:
    """Add a player. Without `confirmed` the address gets a code, and no content until it is
    confirmed."""
    name, address = name_of(name), address_of(address)
    parse_zone(zone)
    with _only_one(store, name), store.transaction() as tx:
        if there := players.find(tx, name):
            raise Refusal(
                say(
                    "there is a player {name} already; `adjud player set` changes one",
                    name=there.name,
                )
            )
        player_id = players.insert(
            tx,
            name=name,
            name_key=name.casefold(),
            address=address,
            language=language,
            zone=zone,
            confirmed_at=now if confirmed else None,
            created_at=now,
            **_asked_of(now, confirmed=confirmed),
        )
        if not confirmed:
            _ask_to_confirm(tx, player_id, address, now, way_out)


def _there_is(name: str) -> Refusal:
    return Refusal(say("there is a player {name} already", name=name))


@contextmanager
def _only_one(store: Store, name: str | None) -> Iterator[None]:
    """Refuse a name, even if somebody else takes it between our look and our writing."""
    try:
        yield
    except Twice:
        with store.reading() as tx:
            there = players.find(tx, name) if name else None
        if there is None:
            raise
        raise _there_is(there.name) from None


class Changes(Struct, frozen=True, kw_only=True):
    """A wish to change a player; None leaves a thing as it is. `confirmed` says that his address is
    known, the new one if one is given."""

    name: str | None = None
    address: str | None = None
    language: str | None = None
    zone: str | None = None
    reminders: str | None = None
    confirmed: bool = False


def change(store: Store, name: str, wanted: Changes, *, now: datetime, way_out: bool) -> str:
    """Change what is given and return the name. A new address must be confirmed again."""
    if wanted.name is not None:
        wanted = replace(wanted, name=name_of(wanted.name))
    with _only_one(store, wanted.name), store.transaction() as tx:
        player = player_names.find(tx, name)
        changes = _columns(tx, player, wanted, now)
        if not changes:
            raise Refusal(say("nothing to change: give --address, --language or another option"))
        players.update(tx, player.id, **changes)
        if wanted.address is not None:
            for match_id in matches.seats_of_player(tx, player.id):
                keep_apart(tx, matches.people_of(tx, match_id))
        if changes.get("confirmed_at"):
            outbox.release(tx, player.id, now)
        if changes.get("confirmed_at", now) is None:
            _ask_to_confirm(tx, player.id, address_of(str(wanted.address)), now, way_out)
        return str(changes.get("name", player.name))


def _columns(tx: Tx, player: Player, wanted: Changes, now: datetime) -> dict[str, object]:
    """Return the columns to be changed, or refuse what cannot be."""
    changes: dict[str, object] = {}
    if wanted.name is not None:
        changes |= {"name": wanted.name, "name_key": wanted.name.casefold()}
        other = players.find(tx, wanted.name)
        if other and other.id != player.id:
            raise _there_is(other.name)
    if wanted.zone is not None:
        parse_zone(wanted.zone)
        changes["zone"] = wanted.zone
    if wanted.language is not None:
        changes["language"] = wanted.language
    if wanted.reminders is not None:
        changes["reminders"] = reminders_of(wanted.reminders)
    if wanted.address is not None:
        changes |= {"address": address_of(wanted.address), "confirmed_at": None}
        changes |= _asked_of(now, confirmed=False)
    if wanted.confirmed:
        changes |= {"confirmed_at": now, **_asked_of(now, confirmed=True)}
    return changes


def _asked_of(now: datetime, *, confirmed: bool) -> Mapping[str, datetime | None]:
    """Return since when a player is asked to confirm his address, and when the operator hears that
    he has not."""
    if confirmed:
        return {"asked_at": None, "remind_at": None}
    return {"asked_at": now, "remind_at": OF_ADDRESS.after(now, now)}


def shared(store: Store, name: str) -> Message | None:
    """Return a sentence that names the other players with that player's address; None if there are
    none."""
    with store.reading() as tx:
        player = player_names.find(tx, name)
        others = [one.name for one in players.all_at(tx, player.address) if one.id != player.id]
    if not others:
        return None
    return count(
        "{names} has this address, too; who share one cannot play in the same match",
        "{names} have this address, too; who share one cannot play in the same match",
        len(others),
        names=", ".join(others),
    )


def confirm(tx: Tx, address: str, code: str, *, now: datetime) -> Player | None:
    """Confirm a player whose address sent back the code of the last letter to it.

    Return him, or None if the code is another.
    """
    player, asked = asked_to_confirm(tx, address)
    if player is None or not asked or asked != code.upper():
        return None
    let_in(tx, player.id, now)
    return player


def let_in(tx: Tx, player_id: int, now: datetime) -> None:
    """Note that a player has confirmed his address; the letters that waited for it go out."""
    players.update(tx, player_id, confirmed_at=now, **_asked_of(now, confirmed=True))
    outbox.release(tx, player_id, now)


def asked_to_confirm(tx: Tx, address: str) -> tuple[Player | None, str]:
    """Return the player whose address is not confirmed, if there is one, and the code that confirms
    it; an empty one if none was sent there."""
    player = players.unconfirmed_at(tx, address)
    if player is None:
        return None, ""
    asked = decode(outbox.newest_body(tx, _asked(player.id)) or "null")
    if asked is None or asked["address"] != player.address:
        return player, ""
    return player, asked["code"]


def remove(store: Store, name: str) -> str:
    """Forget a player who holds no seat and never held one; return the name."""
    with store.transaction() as tx:
        player = player_names.find(tx, name)
        held = matches.seats_of_player(tx, player.id)
        if held:
            raise Refusal(
                say(
                    "{name} plays in {matches}; `adjud gm replace` gives a seat to another",
                    name=player.name,
                    matches=", ".join(held.values()),
                )
            )
        if players.is_remembered(tx, player.id):
            raise Refusal(
                say(
                    "{name} stands in the record of matches that are over and stays",
                    name=player.name,
                )
            )
        absences.forget(tx, player.id)
        outbox.forget_player(tx, player.id)
        players.delete(tx, player.id)
        return player.name


def reminders_of(text: str) -> str:
    """Read how a player wants to be reminded. Raises Refusal."""
    plain = text.strip().lower()
    if plain not in REMINDERS:
        text_ = say("reminders cannot be '{seen}'", seen=shown(text))
        raise unknown(text_, plain, REMINDERS)
    return plain


def language_of(text: str) -> str:
    """Return the language of ours that somebody asks for. Raises Refusal."""
    said = text.lower()
    named = (code for code, names in _NAMED.items() if said.startswith(names))
    language = next(named, spoken(text))
    if language == "en" and not said.startswith("en"):
        raise Refusal(say("The languages are {known}.", known=", ".join(LANGUAGES)))
    return language


def name_of(text: str) -> str:
    """Return a player's name, checked (interface, Names). Raises Refusal."""
    name = player_names.spelt(text)
    if not 1 <= len(name) <= 40:
        raise Refusal(say("a player's name has 1 to 40 characters"))
    plain = name.isprintable() and not set(name) & {*"@<>", *_BIDI}
    taken = name.casefold().startswith("computer") or name.casefold() == OPEN
    if taken or not plain:
        raise Refusal(
            say(
                "'{name}' cannot be a player's name: no @ < > in it, neither computer nor open",
                name=shown(name),
            )
        )
    return name


def address_of(text: str) -> str:
    """Return a mail address, checked as far as a slip of the finger can be seen. Raises Refusal."""
    address = text.strip()
    local, at, domain = address.rpartition("@")
    strange = [c for c in address if c.isspace() or not c.isprintable() or c in '<>(),;:"\\[]']
    if not (local and at and "." in domain.strip(".")) or strange or "@" in local:
        raise Refusal(
            say("'{seen}' is no mail address; write one as anna@example.org", seen=shown(text))
        )
    if len(address) > 254 or ".." in address or domain.startswith((".", "-")):
        raise Refusal(say("'{seen}' is no mail address: look at its domain", seen=shown(text)))
    if not is_mailbox(in_ascii(address)):
        raise Refusal(
            say(
                "'{seen}' is an address to which some servers take no letters; give another one",
                seen=shown(text),
            )
        )
    return in_ascii(address)


def _ask_to_confirm(tx: Tx, player_id: int, address: str, now: datetime, way_out: bool) -> None:
    """Queue a letter with a code and no content."""
    key = _asked(player_id)
    letter = outbox.Letter(
        key=f"{key}{outbox.count(tx, key) + 1}",
        kind="confirm",
        player_id=player_id,
        body={"address": address, "code": fresh_code()},
    )
    outbox.put(tx, [letter], now, way_out=way_out)


def _asked(player_id: int) -> str:
    """Return the beginning of the keys of letters that ask a player to confirm his address."""
    return f"player/{player_id}/confirm/"
