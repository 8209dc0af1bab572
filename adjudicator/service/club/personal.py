"""Print all that a club keeps of one person (docs/security.md).

The operator prints it, who may play himself. What is said of a match that goes on is the same
whatever has been sent for its open turn (`store/personal`). What the person's own seats saw there
is hidden from the operator, so it is a look, which all players are told of.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from msgspec.json import decode
from msgspec.structs import asdict

from adjudicator import __version__
from adjudicator.core.match import Seat
from adjudicator.service.base import looks
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.loaded_match import Unreadable, find_player, load_seats
from adjudicator.service.competition.kinds.kind import Tournament
from adjudicator.service.competition.tournament import load
from adjudicator.store import ladders, matches, offers, personal, press, results, rows, tournaments
from adjudicator.store.database import Store, Tx
from adjudicator.store.offers import Offer, Search
from adjudicator.store.personal import HeldSeat
from adjudicator.store.players import Player
from adjudicator.store.tournaments import PairingRow

WITHHELD = (
    "Of a match that continues there is nothing of its current turn, and no marks and notes: they "
    "would show who has sent orders. While one continues, emails that belong to no match are left "
    "out, too."
)
_OUR_OWN = ("match_id", "ply", "ended_at", "result")  # or told in another form


def export(store: Store, name: str, *, now: datetime, noting: bool) -> Mapping[str, Any]:
    """Return all that is kept of a player, for JSON.

    With `noting` all players are told of it in each match that goes on, as of any look at his
    board. Where they cannot be, because the match cannot be read, nothing of it is shown.
    """
    with store.transaction() as tx:
        player = find_player(tx, name)
        held = personal.holdings(tx, player.id)
        going = [one for one in held if not one.is_over]
        for one in going if noting else ():
            try:
                looks.at_seats(tx, load_seats(tx, one.match), [Seat(one.seat)], now)
            except Unreadable:
                held.remove(one)
    with store.reading() as tx:
        told = _export(tx, player, held, now, playing=bool(going))
        return {key: _plain(value) for key, value in told.items()}


def _export(
    tx: Tx, player: Player, held: Iterable[HeldSeat], now: datetime, *, playing: bool
) -> Mapping[str, Any]:
    # What is read and written of a secret offer tells of an open turn, as would what is withheld.
    before = None if playing else offers.secret_since(tx, player.id)
    return {
        "adjud": __version__,
        "exported": now,
        **({"withheld": WITHHELD} if playing else {}),
        "player": _row(player),
        "absences": personal.absences(tx, player.id, playing=playing),
        "conduct": list(results.conduct_of_player(tx, player.id)),
        "requests": personal.joinings(tx, player.address),
        "offers": [
            _offer(player, one)
            for one in offers.of_person(tx, player.id)
            if not (one.is_secret and offers.is_going(tx, one))
        ],
        "guests": personal.guests(tx, player.id),
        "tournaments": list(_tournaments(tx, player)),
        "ladders": ladders.rungs_of_person(tx, player.id),
        "challenges": list(_challenges(tx, player)),
        "muted_players": _mutings(tx, player),
        "to_confirm": [] if playing else personal.waiting_words(tx, player.id, before),
        "parts_of_emails": [] if playing else personal.parts(tx, player.id),
        "seats": [_seat(tx, one) for one in held],
        "emails_to": [
            _words_of_email(row)
            for row in personal.emails_out(tx, player.id, before, playing=playing)
        ],
        "emails_from": []
        if playing
        else [
            _came(row) for row in personal.emails_to_the_club(tx, player.id, player.address, before)
        ],
    }


def _row(player: Player) -> Mapping[str, Any]:
    return {
        "name": player.name,
        "address": player.address,
        "language": player.language,
        "timezone": player.zone,
        "created": player.created_at,
        "confirmed": player.confirmed_at,
        "asked_to_confirm": player.asked_at,
        "muted": player.muted_at,
        **{choice: getattr(player, choice) for choice in personal.CHOICES},
    }


def _offer(player: Player, one: Offer) -> Mapping[str, Any]:
    """Return an offer to a player or of his, without its code: whoever has it speaks for him."""
    return {
        "kind": one.kind,
        "asked": one.player_id == player.id,
        "match": one.details.get("match"),
        "ladder": one.details.get("name") if one.details.get("ladder") else None,
        "seat": one.seat,
        "created": one.created_at,
        "expires": one.expires_at,
        "status": one.status,
        "ended": one.ended_at,
    }


def _tournaments(tx: Tx, player: Player) -> Iterator[Mapping[str, Any]]:
    """Yield his entries, as everybody may know them: never whether one is silent (club, 7.8)."""
    for row in tournaments.of_person(tx, player.id):
        found = load(tx, row)
        for one in found.entries:
            until = [former.until for former in one.before if former.player_id == player.id]
            if one.player_id != player.id and not until:
                continue
            hidden = found.first_hidden_round(one) is not None
            yield {
                "tournament": row.name,
                "game": row.game,
                "status": row.status,
                "entered": one.entered_at,
                "number": None if found.hides_numbers else one.number,
                "plays": one.player_id == player.id,
                "handed_over_in_round": until[-1] if until else None,
                "withdrawn": one.status == "withdrawn" and not hidden,
                "rounds": [_round(one.id, played) for played in _played_pairings(found, one.id)],
            }


def _played_pairings(found: Tournament, entry_id: int) -> Iterator[PairingRow]:
    return (one for one in found.pairings if entry_id in one.entries and one.done_at)


def _round(entry_id: int, played: PairingRow) -> Mapping[str, Any]:
    return {
        "round": played.round,
        "match": played.match,
        "kind": played.kind,
        "points": played.points[played.entries.index(entry_id)],
        "ending": played.ending or None,
    }


def _challenges(tx: Tx, player: Player) -> Iterator[Mapping[str, Any]]:
    for name, one in ladders.challenges_of_person(tx, player.id):
        made = one.challenger_id == player.id
        yield {
            "ladder": name,
            "made": made,
            "other": one.asked if made else one.challenger,
            "match": one.match,
            "created": one.created_at,
            "ended": one.done_at,
            "ending": one.ending,
            "silent": one.silent or None,
        }


def _mutings(tx: Tx, player: Player) -> list[Mapping[str, Any]]:
    """Return whose messages he does not want; in a match that hides its names not whose."""
    hidden = matches.hiding_names(tx)
    return [
        {**one, "player": "(hidden)"} if one["player"] and one["match"] in hidden else one
        for one in personal.mutings(tx, player.id)
    ]


def _seat(tx: Tx, held: HeldSeat) -> Mapping[str, Any]:
    return {
        **{key: value for key, value in asdict(held).items() if key not in _OUR_OWN},
        "ended": held.ended_at,
        "result": decode(held.result) if held.result else None,
        "orders": [{**row, "orders": decode(row["orders"])} for row in personal.orders(tx, held)],
        "said": personal.words(tx, held),
        "reserve_before": personal.reserve(tx, held),
        "marks_and_notes": personal.jottings(tx, held),
        "messages": list(_messages(tx, held)),
        "searches": _searches(tx, held),
        "reports": [_report(held, row) for row in personal.reports(tx, held)],
        "emails_from": [_came(row) for row in personal.letters_in(tx, held)],
    }


def _searches(tx: Tx, held: HeldSeat) -> list[Mapping[str, Any]]:
    """Return the searches for a substitute for him in a match that is over."""
    if not held.is_over:
        return []
    return [
        {"cause": one.cause, "begun": one.begun_at, "ends": one.ends_at, "status": one.status}
        for one in rows.find(tx, Search, match_id=held.match_id, seat=held.seat, tenure=held.tenure)
    ]


def _messages(tx: Tx, held: HeldSeat) -> Iterator[Mapping[str, Any]]:
    """Yield what he wrote to others and got from them in a match that is over."""
    if not held.is_over:
        return
    its = (held.match_id, held.seat, held.tenure)
    for sent in press.messages_of(tx, *its):
        yield {"at": sent.sent_at, "to": sorted(sent.readers), "lines": sent.lines}
    for one in press.copies(tx, *its):
        by = None if one.sent.unsigned else one.sent.seat
        yield {"at": one.at, "number": one.number, "from": by, "lines": one.sent.lines}


def _report(held: HeldSeat, row: personal.Row) -> Mapping[str, Any]:
    """Return a report as it was stored; that of an open turn without what he sent for it."""
    told = decode(row["body"])
    if not held.is_over and row["ply"] == held.ply:
        told = {key: value for key, value in told.items() if key not in ("orders", "advance")}
    return {"ply": row["ply"], "turn": row["turn"], "report": told}


def _words_of_email(row: personal.Row) -> Mapping[str, Any]:
    """Return what an email to him says, but for a code: whoever has it speaks for him."""
    body = decode(row["body"])
    if isinstance(body, dict):
        body = {key: value for key, value in body.items() if key != "code"}
    return {**row, "body": body}


def _came(row: personal.Row) -> Mapping[str, Any]:
    raw = bytes(row["raw"])
    told = {key: value for key, value in row.items() if key != "raw"}
    try:
        return {**told, "text": raw.decode()}
    except UnicodeDecodeError:
        return {**told, "base64": b64encode(raw).decode()}


def _plain(value: Any) -> Any:
    """Return a value with its times as the interface has them."""
    if isinstance(value, datetime):
        return rfc3339(value)
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
