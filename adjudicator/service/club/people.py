"""Players: people with a name and an address."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.json import decode
from msgspec.structs import replace

from adjudicator.core.message import LANGUAGES, Message, count, say
from adjudicator.core.orders import shown
from adjudicator.mail.address import Key, fingerprint, in_ascii, is_mailbox
from adjudicator.reports.words import supported_language
from adjudicator.service.base import keys, loaded_match, looks
from adjudicator.service.base.calendar import OF_ADDRESS, parse_zone, rfc3339, when
from adjudicator.service.base.context import (
    OpenClub,
    Progress,
    Refusal,
    Session,
    fresh_code,
    unknown,
)
from adjudicator.service.base.jobs import DueItem, Tick, Told
from adjudicator.service.base.loaded_match import with_holders
from adjudicator.service.club import names
from adjudicator.service.club.names import name_of
from adjudicator.service.competition import tournament
from adjudicator.service.matches.seating import keep_apart_in
from adjudicator.service.outbox import queue
from adjudicator.service.outbox.queue import alert
from adjudicator.store import (
    clubs,
    daily,
    erasure,
    matches,
    offers,
    outbox,
    players,
    rows,
)
from adjudicator.store.database import Store, Twice, Tx
from adjudicator.store.players import Joining, Player

REMINDERS = ("on", "off", "daily")
# How the names of languages begin, in each of them; English ones begin with its code everywhere.
_NAMED = {"nb": ("norsk", "norweg", "bokm", "nynorsk"), "sv": ("svensk", "swed")}


def add(
    store: Store,
    name: str,
    address: str,
    *,
    language: str,
    zone: str,
    confirmed: bool,
    now: datetime,
    sends_mail: bool,
    page: str = "attached",
) -> None:
    """Add a player. Without `confirmed` the address gets a code, and no content until it is
    confirmed. `page` is how reports bring the page until the player says otherwise."""
    name, address = name_of(name), address_of(address)
    parse_zone(zone)
    with _only_one(store, name), store.transaction() as tx:
        if there := players.find(tx, name):
            raise Refusal(
                say(
                    "there is already a player {name}; change them with `adjud player set`",
                    name=there.name,
                )
            )
        names.refuse_look_alike(tx, name)
        made = rows.add(
            tx,
            Player,
            name=name,
            name_key=name.casefold(),
            address=address,
            language=language,
            zone=zone,
            confirmed_at=now if confirmed else None,
            created_at=now,
            page=page,
            **_asked_of(now, confirmed=confirmed),
        )
        if not confirmed:
            _ask_to_confirm(tx, made.id, address, now, sends_mail, changed=False)


def first_page(site_url: str) -> str:
    """Return how a new player gets his page: by a link where the club's pages are served. A mail
    program's preview shows an attached one without its scripts."""
    return "link" if site_url else "attached"


def _there_is(name: str) -> Refusal:
    return Refusal(say("there is already a player {name}", name=name))


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
    substitute: str | None = None
    letters: str | None = None
    confirmed: bool = False


def change(store: Store, name: str, wanted: Changes, *, now: datetime, sends_mail: bool) -> str:
    """Change what is given and return the name. A new address must be confirmed again.

    To be told that another player of a match with hidden names has that address is a look.
    """
    if wanted.name is not None:
        wanted = replace(wanted, name=name_of(wanted.name))
    asked: list[str] = []
    look = looks.at_refusal(store, asked, now if sends_mail else None)
    with look, _only_one(store, wanted.name), store.transaction() as tx:
        player = loaded_match.find_player(tx, name)
        changes = _columns(tx, player, wanted, now)
        if not changes:
            raise Refusal(say("nothing to change: give --address, --language or another option"))
        players.update(tx, player.id, **changes)
        if wanted.address is not None:
            for match in matches.seats_of_player(tx, player.id).values():
                asked[:] = [match]
                keep_apart_in(tx, loaded_match.find(tx, match), player.id)
        if wanted.letters == "each":
            daily.release(tx, player.id, now)
        elif wanted.zone is not None:
            daily.look_again_for(tx, player.id)
        if changes.get("confirmed_at"):
            outbox.release(tx, player.id, now)
        if changes.get("confirmed_at", now) is None:
            address = address_of(str(wanted.address))
            _ask_to_confirm(tx, player.id, address, now, sends_mail, changed=True)
        return str(changes.get("name", player.name))


def _columns(tx: Tx, player: Player, wanted: Changes, now: datetime) -> dict[str, object]:
    """Return the columns to be changed, or refuse what cannot be."""
    changes: dict[str, object] = {}
    if wanted.name is not None:
        changes |= {"name": wanted.name, "name_key": wanted.name.casefold()}
        other = players.find(tx, wanted.name)
        if other and other.id != player.id:
            raise _there_is(other.name)
        names.refuse_look_alike(tx, wanted.name, but=player)
    if wanted.zone is not None:
        parse_zone(wanted.zone)
        changes["zone"] = wanted.zone
    if wanted.language is not None:
        changes["language"] = wanted.language
    if wanted.reminders is not None:
        changes["reminders"] = reminders_of(wanted.reminders)
    if wanted.substitute is not None:
        changes["substitute"] = wanted.substitute
    if wanted.letters is not None:
        changes["letters"] = wanted.letters
    if wanted.address is not None:
        address = address_of(wanted.address)
        changes |= {"address": address, "confirmed_at": None}
        if address != player.address:  # his personal address is another one from now on (club, 2)
            changes["number"] = player.number + 1
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


def message_for_shared_address(store: Store, name: str) -> Message | None:
    """Return a sentence that names the other players with that player's address; None if there are
    none."""
    with store.reading() as tx:
        player = loaded_match.find_player(tx, name)
        others = [one.name for one in players.all_at(tx, player.address) if one.id != player.id]
    if not others:
        return None
    return count(
        "{names} also has this address; players with the same address cannot play in one match",
        "{names} also have this address; players with the same address cannot play in one match",
        len(others),
        names=", ".join(others),
    )


def confirm(tx: Tx, address: str, code: str, *, now: datetime) -> Player | None:
    """Confirm a player whose address sent back the code of the last email to it.

    Return him, or None if the code is another.
    """
    player, asked = asked_to_confirm(tx, address)
    if player is None or not asked or asked != code.upper():
        return None
    let_in(tx, player.id, now)
    return player


def enter_newcomer(s: Session, name: str, address: str, language: str) -> int:
    """Make somebody a player who has proved that he reads an address; return his number."""
    free = _unused_name(s.tx, name)
    made = rows.add(
        s.tx,
        Player,
        name=free,
        name_key=free.casefold(),
        address=address,
        language=language,
        zone="UTC",
        confirmed_at=s.now,
        created_at=s.now,
        page=first_page(s.context.site_url),
    )
    return made.id


def _unused_name(tx: Tx, name: str) -> str:
    """Return a name that no player has, and that looks like nobody's: a stranger chooses it."""
    number, found = 1, name
    while names.like(tx, found):
        number += 1
        found = f"{name[:36].rstrip()} {number}"
    return found


def let_in(tx: Tx, player_id: int, now: datetime) -> None:
    """Note that a player has confirmed his address; the emails that waited for it go out."""
    players.update(tx, player_id, confirmed_at=now, **_asked_of(now, confirmed=True))
    outbox.release(tx, player_id, now)


def asked_to_confirm(tx: Tx, address: str) -> tuple[Player | None, str]:
    """Return the player whose address is not confirmed, if there is one, and the code that confirms
    it; an empty one if none was sent there."""
    player = players.unconfirmed_player_at(tx, address)
    if player is None:
        return None, ""
    asked = decode(outbox.newest_body(tx, _keys_of_confirmation(player.id)) or "null")
    if asked is None or asked["address"] != player.address:
        return player, ""
    return player, asked["code"]


HIDDEN = "(hidden)"  # stands for matches that do not tell who plays them


def takes_part(name: str, entered: Sequence[str]) -> Message:
    """Say what a player must leave first who is to be removed or erased."""
    return say(
        "{name} takes part in {tournaments}; end that first: `adjud tournament withdraw "
        "TOURNAMENT PLAYER` takes a player out",
        name=name,
        tournaments=", ".join(entered),
    )


def remove(store: Store, name: str) -> str:
    """Forget a player who holds no seat and never held one; return the name."""
    with store.transaction() as tx:
        player = loaded_match.find_player(tx, name)
        held = matches.seats_of_player(tx, player.id)
        if held:
            raise Refusal(
                say(
                    "{name} plays in {matches}; `adjud gm replace` gives a seat to another player",
                    name=player.name,
                    matches=", ".join(
                        _matches_with_names(held.values(), matches.hiding_names(tx)) or [HIDDEN]
                    ),
                )
            )
        if entered := tournament.playing_in(tx, player.id):
            raise Refusal(takes_part(player.name, entered))
        if erasure.is_remembered(tx, player.id):
            raise Refusal(
                say(
                    "{name} is in the records of finished matches and cannot be removed; `adjud "
                    "player erase` deletes their data",
                    name=player.name,
                )
            )
        for one in offers.open_to(tx, player.id):
            if one.match_id is not None and one.seat is not None:
                matches.update_seats(tx, one.match_id, [one.seat], kept=0)
        erasure.remove_rows(tx, player.id)
        rows.drop(tx, Player, id=player.id)
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
    language = next(named, supported_language(text))
    if language == "en" and not said.startswith("en"):
        raise Refusal(say("The languages are {known}.", known=", ".join(LANGUAGES)))
    return language


def address_of(text: str) -> str:
    """Return a mail address, checked as far as a slip of the finger can be seen. Raises Refusal."""
    address = text.strip()
    local, at, domain = address.rpartition("@")
    strange = [c for c in address if c.isspace() or not c.isprintable() or c in '<>(),;:"\\[]']
    if not (local and at and "." in domain.strip(".")) or strange or "@" in local:
        raise Refusal(
            say(
                "'{seen}' is not an email address; write one like anna@example.org",
                seen=shown(text),
            )
        )
    if len(address) > 254 or ".." in address or domain.startswith((".", "-")):
        raise Refusal(say("'{seen}' is not an email address; check its domain", seen=shown(text)))
    if not is_mailbox(in_ascii(address)):
        raise Refusal(
            say(
                "some mail servers accept no email for '{seen}'; give another address",
                seen=shown(text),
            )
        )
    return in_ascii(address)


def _ask_to_confirm(
    tx: Tx, player_id: int, address: str, now: datetime, sends_mail: bool, *, changed: bool
) -> None:
    """Queue an email with a code, which invites a new player, or asks one whose address was
    `changed`."""
    key = _keys_of_confirmation(player_id)
    email = outbox.OutgoingEmail(
        key=f"{key}{outbox.count(tx, key) + 1}",
        kind="confirm",
        player_id=player_id,
        body={"address": address, "code": fresh_code(), "changed": changed},
    )
    outbox.put(tx, [email], now, sends_mail=sends_mail)


def _keys_of_confirmation(player_id: int) -> str:
    """Return the beginning of the keys of emails that ask a player to confirm his address."""
    return f"player/{player_id}/confirm/"


# Addresses that nobody confirms: the operator hears of them, again and again.
#
# He is told players and times only, never whether anything came from there or waits to go there:
# that would tell who has sent orders.


_FEW = 5  # addresses that are named


def due_to_remind(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return the players of whose addresses the operator is to be reminded."""
    return [DueItem(player_id) for player_id in players.to_remind_of(tx, tick.now)]


def remind_of_address(s: Session, player_id: int) -> Told:
    """Tell the operator that an address has not been confirmed for some time."""
    player = players.take_to_remind(s.tx, player_id, s.now)
    if player is None:
        return None  # another worker was quicker
    since, sends_mail = player.unconfirmed_since, s.context.sends_mail
    following = OF_ADDRESS.after(since, s.now) if since and sends_mail else None
    players.update(s.tx, player.id, remind_at=following)
    if not since or not sends_mail:
        return ()
    told = _remind_of(s, player, since)
    return Progress(told, urgent=True) if told else ()


def joinings(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return one key if the operator is to hear of requests to join that nobody confirms."""
    return [DueItem("joinings")] if players.is_to_remind_of_joinings(tx, tick.now) else []


def remind_of_joinings(s: Session, _key: str) -> Told:
    asked = players.joinings_to_remind_of(s.tx, s.now)
    if not asked or not s.context.sends_mail:
        return ()
    told = _of_joinings(asked, matches.hiding_names(s.tx))
    is_new = alert(s, told, "joinings", once="day")
    return Progress(told, urgent=True) if is_new else ()


def _remind_of(s: Session, player: Player, since: datetime) -> Message | None:
    """Queue an email about a player's address; return what it says, None if it was queued before.

    Of a player who holds no seat the operator hears on the first days only.
    """
    number = OF_ADDRESS.due(since, s.now)
    seats = matches.seats_of_player(s.tx, player.id)
    if not number or not (seats or number <= len(OF_ADDRESS.days)):
        return None
    named = _matches_with_names(seats.values(), matches.hiding_names(s.tx))
    told = _of_player(player.name, since, ", ".join(named))
    about = f"unconfirmed/{player.id}/{since:%Y%m%dT%H%M%S}/{number}"
    queued = alert(s, told, about, once="ever")
    return told if queued else None


def _matches_with_names(names: Iterable[str], hidden: Collection[str]) -> list[str]:
    """Return the matches of a player that do not hide who plays them (club, 6.4)."""
    return [name for name in names if name not in hidden]


def _of_player(name: str, since: datetime, playing: str) -> Message:
    told = say(
        "The address of {player} has not been confirmed since {when}. Nothing but a code goes "
        "there. If you know that the address is right, `adjud player set NAME --confirmed` "
        "ends this.",
        player=name,
        when=when(since),
    )
    if not playing:
        return told
    return say(
        "{told} {player} plays in {matches} and gets no report until then.",
        told=told,
        player=name,
        matches=playing,
    )


def _of_joinings(asked: list[Joining], hidden: Collection[str]) -> Message:
    named = ", ".join(
        one.address if one.match in hidden else f"{one.address} ({one.match})"
        for one in asked[:_FEW]
    )
    return count(
        "{n} request for a seat by JOIN has not been confirmed for two days: {named}. The seat is "
        "still open.",
        "{n} requests for seats by JOIN have not been confirmed for two days: {named}. The seats "
        "are still open.",
        len(asked),
        named=named + (", …" if len(asked) > _FEW else ""),
    )


def unconfirmed_addresses(store: Store) -> list[dict[str, Any]]:
    """Return the players of running matches whose addresses are not confirmed, and since when."""
    with store.reading() as tx:
        hidden = matches.hiding_names(tx)
        found = [
            (player, [*matches.seats_of_player(tx, player.id).values()])
            for player in players.unconfirmed_players(tx)
        ]
    return [
        {
            "player": player.name,
            "since": rfc3339(player.unconfirmed_since),
            "matches": _matches_with_names(playing, hidden) or [HIDDEN],
        }
        for player, playing in found
        if playing
    ]


# Give a club another key because its own is lost for good; every seat then has another address.


def readdress(club: OpenClub, found: Sequence[Key]) -> int:
    """Take these for the club's keys, and return how many matches are concerned.

    The seats of all matches that are not over are told, by emails from their new addresses.
    """
    with club.session() as s:
        if keys.load_known_keys(s.tx).has(found):
            return 0  # done before
        clubs.know_keys(s.tx, tuple(map(fingerprint, found)))
        playing = [match for match in matches.all_matches(s.tx) if match.status != "over"]
        for seated in with_holders(s.tx, playing).values():
            body = {"told": _message_of_new_address(seated.match.name)}
            queue.queue_notices(s, seated, seated.seats, body)
    return len(playing)


def _message_of_new_address(match: str) -> Message:
    return say(
        "The key that signs this club's addresses was lost, so your seat in {match} has a new "
        "address: the reply address of this email. Reply to this email or a later one. Emails to "
        "the old address are not read.",
        match=match,
    )
