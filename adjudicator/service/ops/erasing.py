"""Erase a person from a club: his name and address, what was written to him and what he wrote.

Theory of operation. First the list beside the key notes his names and addresses; then one
transaction takes them out of his own rows. All other texts follow, some rows at a time, then the
spool, the site, and at last the pages of the database that are free. Only then does the list
forget his names. So a second try after a kill finds in the list what is still to be taken out, and
what was done stays done.

What is hashed stays: the lines of a log, and what a match is verified by. Since logs have no names,
only those of older matches do, and these are named. There the notices in reports stay, too, because
they quote the log.

The list beside the key is in no database: a backup that is restored has erased players again, and
the doctor says so.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import DecodeError
from msgspec.json import decode, encode
from msgspec.structs import replace

from adjudicator.core.message import Message, say
from adjudicator.core.names import Forgotten
from adjudicator.core.text import folded_address
from adjudicator.games import GAMES
from adjudicator.mail.read import mime
from adjudicator.mail.read.email import read
from adjudicator.mail.read.whole import read_all
from adjudicator.mail.transport import spool
from adjudicator.service.base.calendar import in_zone
from adjudicator.service.base.context import OpenClub, Paths, Refusal, is_spool_anothers
from adjudicator.service.base.loaded_match import Unreadable, find_player, readable, spelt_name
from adjudicator.service.club.offers import answering, guests
from adjudicator.service.club.people import HIDDEN, takes_part
from adjudicator.service.competition import ladders, tournament
from adjudicator.service.matches import seating
from adjudicator.service.ops import erased, pages, tick
from adjudicator.service.ops.erased import Erased
from adjudicator.store import erasure, matches, personal, players, rows, upkeep
from adjudicator.store.database import Store, Tx
from adjudicator.store.players import Player

# Keys of reports under which words of people stand; a record names the players.
_IN_REPORTS = ("players", "notes", "own", *sorted({game.record.key for game in GAMES.values()}))
_QUOTING = "notices"  # they quote the log


def erase(club: OpenClub, name: str, *, at: Paths) -> Iterator[Message]:
    """Erase a player; tell what was done, and what is left. Raises Refusal while he holds a seat in
    a match that goes on.

    The emails that wait are read first, as by a tick. So what is told never depends on whether
    there are any.
    """
    _entry(club.store, name, at.key, club.now)
    with upkeep.hold(club.store):
        for done in tick.read_emails(club):
            yield done.text
    entry, player = _entry(club.store, name, at.key, club.now)
    erased.note(at.key, entry)
    with club.session() as s:
        players.hold(s.tx, [player.id])
        _refuse_holder(s.tx, player)
        held = personal.holdings(s.tx, player.id)
        ladders.leave_all(s, player)
        answering.void_of_player(s, player.id)
        guests.void_of_player(s, player)
        archived = erasure.matches_with_archives(s.tx, held)
        called = _former_name(s.tx, player)
        gone = _forgotten(s.tx, entry, player, called)
        for one in held:
            erasure.forget_press(s.tx, one, lambda body: any(name in body for name in gone.names))
        erasure.forget_emails(s.tx, player.id, held, gone.addresses)
        erasure.forget(s.tx, player.id, gone.addresses, name=called, now=entry.at)
    _clean_texts(club.store, gone)
    left = list(_clean_matches(club.store, gone))
    _clean_spool(club.store, at.spool, gone)
    yield from pages.rebuild(club)
    yield from left
    for match in archived:
        yield say("{match}: the name stays in the file in which it was archived", match=match)
    upkeep.forget_free_pages(club.store)
    erased.note(at.key, Erased(id=entry.id, added=entry.added, at=entry.at))
    yield say("{player} is erased and is now called {called}", player=entry.names[0], called=called)


def _entry(store: Store, name: str, key: Path, now: datetime) -> tuple[Erased, Player]:
    """Return what is to be erased: of a player, or what a killed run has left of one."""
    listed = erased.read(key)
    wanted = spelt_name(name).casefold()
    with store.reading() as tx:
        for entry in listed:
            player = rows.first(tx, Player, id=entry.id)
            called = {one.casefold() for one in entry.names}
            if player is None or not entry.is_of(player):
                continue
            if wanted in called and (player.erased_at or player.name_key == wanted):
                return _more(tx, entry, player), player
            if wanted == player.name_key and player.erased_at and entry.is_finished:
                raise Refusal(
                    say(
                        "{player} was erased on {when}",
                        player=player.name,
                        when=in_zone(entry.at, "UTC"),
                    )
                )
            if wanted == player.name_key and player.erased_at:
                return entry, player
        player = find_player(tx, name)
        _refuse_holder(tx, player)
        return _more(tx, Erased(id=player.id, added=player.created_at, at=now), player), player


def _more(tx: Tx, entry: Erased, player: Player) -> Erased:
    """Return an entry with all names and addresses by which the rows still know the player."""
    if player.erased_at is not None:
        return entry
    held = personal.holdings(tx, player.id)
    names = (player.name, *entry.names, *erasure.names(tx, held))
    addresses = (player.address, *entry.addresses, *erasure.addresses(tx, player.id))
    return replace(
        entry, names=tuple(dict.fromkeys(names)), addresses=tuple(dict.fromkeys(addresses))
    )


def _refuse_holder(tx: Tx, player: Player) -> None:
    """Refuse a player who still has a part in something that goes on. Raises Refusal."""
    held = seating.seats_held(tx, player.id)
    if held:
        hidden = matches.hiding_names(tx)
        raise Refusal(
            say(
                "{name} plays in {matches}; end that first: `adjud gm replace` gives a seat to "
                "another player",
                name=player.name,
                matches=", ".join([one for one, _ in held if one not in hidden] or [HIDDEN]),
            )
        )
    if entered := tournament.playing_in(tx, player.id):
        raise Refusal(takes_part(player.name, entered))


def _former_name(tx: Tx, player: Player) -> str:
    if player.erased_at is not None:
        return player.name
    name = f"Former player {player.id}"
    while players.find(tx, name) is not None:
        name += "+"
    return name


def _forgotten(tx: Tx, entry: Erased, player: Player, called: str) -> Forgotten:
    """Return who is taken out of texts, without what is another player's name or address today."""
    others = erasure.others(tx, player.id)
    taken = {name.casefold() for name, _ in others}
    shared = {folded_address(address) for _, address in others}
    names = tuple(one for one in entry.names if one.casefold() not in taken)
    meant = {
        str(word).casefold()
        for game in GAMES.values()
        for word in (*game.seats, *game.seat_words, *map(str, game.seat_titles.values()))
    }
    return Forgotten(
        names=names,
        addresses=tuple(one for one in entry.addresses if folded_address(one) not in shared),
        instead=called,
        common=tuple(one for one in names if len(one) < 2 or one.casefold() in meant),
    )


def _clean_texts(store: Store, gone: Forgotten) -> None:
    """Take him out of texts, and forget the bytes of emails that hold him."""
    for column in erasure.WORDS:
        erasure.clean_words(store, column, gone.needles, gone.text)
    for column in erasure.JSON:
        erasure.clean_words(store, column, gone.needles, lambda body: _json(gone, body))
    for column in erasure.BYTES:
        erasure.clean_bytes(store, column, lambda raw: _is_in_email(gone, raw))


def _json(gone: Forgotten, body: str) -> str:
    """Return JSON without him, and without the questions that he asked."""
    said = decode(body)
    if isinstance(said, dict) and "questions" in said:
        his = {folded_address(one) for one in gone.addresses}
        for one in said["questions"]:
            if folded_address(one["address"]) in his:
                one["lines"] = []
    cleaned = gone.value(said)
    return body if cleaned == decode(body) else encode(cleaned).decode()


def _is_in_email(gone: Forgotten, raw: bytes) -> bool:
    """Return whether an email names him, whatever servers have made of its encodings."""
    headers, texts = read_all(raw)
    head = "\n".join(mime.words(value, len(value)) for _, value in headers.fields)
    plain = raw.decode("utf-8", "replace")
    return any(gone.is_in(text) for text in (head, plain, *texts))


def _clean_matches(store: Store, gone: Forgotten) -> Iterator[Message]:
    """Take him out of the reports and rulings of each match; tell of the matches that keep his
    name, because it was hashed or because nobody can read them."""
    with store.reading() as tx:
        named = [*erasure.matches_named(tx, gone.is_in)]
        holding = erasure.matches_holding(tx, gone.needles)
        found = [one for one in matches.all_matches(tx) if one.id in holding or one.name in named]
    for match in found:
        try:
            with store.transaction() as tx, readable(match):
                quoted = erasure.hashed_in(tx, match.id, lambda text: _is_in_line(gone, text))
                keys = _IN_REPORTS if quoted else (*_IN_REPORTS, _QUOTING)
                erasure.clean_reports(tx, match.id, partial(_report, gone, keys))
                if not quoted:
                    clean = partial(_json, gone)
                    erasure.clean_rulings(tx, match.id, clean, gone.text)
        except Unreadable:
            yield say("{match} cannot be read, so the name may stay in it", match=match.name)
            continue
        if quoted or match.name in named:
            yield say("{match}: the name stays in its log, which is hashed", match=match.name)


def _is_in_line(gone: Forgotten, line: str) -> bool:
    """Return whether a line names him; it is JSON in ASCII, or the commitments of an old match."""
    return gone.is_in(line) or gone.is_in(_respell(line))


def _respell(line: str) -> str:
    try:
        return encode(decode(line)).decode()
    except DecodeError:
        return line


def _report(gone: Forgotten, keys: Sequence[str], body: str) -> str:
    if not any(one.lower() in body.lower() for one in gone.needles):
        return body
    told: dict[str, Any] = decode(body)
    cleaned = gone.parts(told, keys)
    return body if cleaned == told else encode(cleaned).decode()


def _clean_spool(store: Store, folder: Path, gone: Forgotten) -> None:
    """Remove what could not be read, if it is his or names him, from a spool of this club; what
    others wrote and a tick will read stays."""
    with store.reading() as tx:
        if is_spool_anothers(tx, folder):
            return
    his = {folded_address(one) for one in gone.addresses}
    for name in spool.names(folder):
        try:
            found = spool.read(folder, name)
        except (spool.NoEmail, OSError):
            continue  # the tick puts it aside or says that it cannot be read
        if found is not None:
            senders = {found.envelope.sender, read(found.raw).sender or ""}
            if {folded_address(one) for one in senders} & his:
                spool.remove(folder, name)
    for path in sorted((folder / "bad").iterdir()) if (folder / "bad").is_dir() else ():
        if path.is_file() and not path.is_symlink() and _is_in_email(gone, path.read_bytes()):
            path.unlink()
