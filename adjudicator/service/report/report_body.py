"""What a seat is told, as one plain value (interface, section 3)."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.json import decode, encode

from adjudicator.core.dice import digest, seal
from adjudicator.core.game import AnyGame, Chronicle, Seat
from adjudicator.core.message import Words, say
from adjudicator.core.report import plain
from adjudicator.reports.words import words
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.store import rulings, turns
from adjudicator.store.database import Tx
from adjudicator.store.rulings import Ruling
from adjudicator.store.turns import Commitment


class Standing(Struct, frozen=True):
    """All from which reports of one ply are made.

    `since` is the first ply of each seat's news. `log` holds (ply, event) from the earliest of them
    on, or the whole match once it is over.
    """

    loaded: Loaded
    ply: int
    since: Mapping[Seat, int]
    log: Sequence[tuple[int, Any]]
    commitments: Sequence[Commitment]
    rulings: Sequence[Ruling]


def standing(tx: Tx, loaded: Loaded) -> Standing:
    """Return what reports of the match are made from now."""
    over = loaded.game.outcome(loaded.state) is not None
    since = {seat: _since(tx, loaded, seat) for seat in loaded.seats}
    earliest = 0 if over else min(since.values())
    return Standing(
        loaded=loaded,
        ply=loaded.match.ply,
        since=since,
        log=read_log(tx, loaded.match.id, loaded.game, earliest),
        commitments=turns.commitments(tx, loaded.match.id),
        rulings=rulings.since(tx, loaded.match.id, earliest - 1),
    )


def read_log(tx: Tx, match_id: int, game: AnyGame, since: int = 0) -> list[tuple[int, Any]]:
    """Return (ply, event) of the match's log from that ply on."""
    rows = turns.events_since(tx, match_id, since)
    return [(ply, decode(body, type=game.event)) for ply, body in rows]


class Told(Struct, frozen=True):
    """A report in two parts: what is kept of it, and what is told once only and then forgotten."""

    kept: Mapping[str, Any]
    once: Mapping[str, Any] | None


def told(at: Standing, seat: Seat) -> Told:
    """Return the report of `seat`, in the parts in which it is stored."""
    whole = body(at, seat)
    if not at.loaded.game.tells_once(whole):
        return Told(whole, None)
    return Told(forgetful(at.loaded.game, whole), {"news": whole["news"]})


def present(tx: Tx, loaded: Loaded, seat: Seat) -> dict[str, Any]:
    """Return what is the case now, without what is told once only."""
    kept = told(standing(tx, loaded), seat).kept
    stored = turns.report_of(tx, loaded.match.id, loaded.match.ply, seat)
    assert stored is not None
    if stored.tenure != loaded.holders[seat].tenure:  # its news were told to another
        kept = forgetful(loaded.game, kept)
    body: dict[str, Any] = decode(encode(kept))
    return body


def forgetful(game: AnyGame, report: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a present report in which only those news are left that may be told again."""
    return {**report, "news": game.lasting(report)["news"]}


def body(at: Standing, seat: Seat) -> dict[str, Any]:
    """Return the report of `seat`: what is the case now, and what happened since its own last
    orders."""
    loaded, match, game = at.loaded, at.loaded.match, at.loaded.game
    view = game.observe(loaded.state, seat)
    since = at.since[seat]
    own = loaded.sheets.get(seat)
    common = {
        "match": match.name,
        "game": match.game,
        "variant": match.variant,
        "options": dict(sorted(match.options.items())),
        "players": {name: loaded.holders[name].shown_name for name in loaded.seats},
        "phase": game.phase(loaded.state),
        "seat": seat,
        "ply": at.ply,
        "turn": game.turn(loaded.state),
        "adjudicated": rfc3339(loaded.since),
        "as_of": None,
        "awaited": list(loaded.awaited),
        "deadline": rfc3339(match.deadline_at),
        "orders": {"revision": own.revision, "lines": list(own.lines)} if own else None,
        "result": plain(game.outcome(loaded.state)),
        "news": _news(at, seat, since),
        "draw_offer": loaded.draw_offer,
        "draw_offers": list(loaded.draw_offers),
        "commitments": _commitments(at, seat),
        "notices": _notices(at, seat, since),
        "template": order_template(loaded, seat, view),
        game.record_key: record(loaded, [event for _, event in at.log]) if _over(loaded) else None,
    }
    return {**plain(view), **common}


def _since(tx: Tx, loaded: Loaded, seat: Seat) -> int:
    """Return the first ply of which the seat's report tells.

    It is that of its own last orders, or the one after the last that it has been told of. A seat
    that has left orders no more.
    """
    holder, since = loaded.holders[seat], loaded.match.ply
    if loaded.game.retells and seat not in loaded.gone:
        return holder.ordered_ply
    untold = turns.untold(tx, loaded.match.id, seat, holder.tenure)
    while since - 1 in untold and since > holder.ordered_ply:
        since -= 1
    return since


def _over(loaded: Loaded) -> bool:
    return loaded.game.outcome(loaded.state) is not None


def _news(at: Standing, seat: Seat, since: int) -> list[Any]:
    seen = (at.loaded.game.witness(event, seat) for ply, event in at.log if ply >= since)
    return [plain(sight) for sight in seen if sight is not None]


def order_template(loaded: Loaded, seat: Seat, view: Any) -> list[str]:
    """Return a sheet ready to edit; empty for a seat that is not awaited."""
    if seat not in loaded.awaited:
        return []
    turn = loaded.game.turn(loaded.state)
    head = f"ORDERS {loaded.match.name} {seat} turn {turn}"
    return [head, *loaded.game.template(view), "END"]


def _commitments(at: Standing, seat: Seat) -> list[dict[str, Any]]:
    """Return what was committed to and, once it is opened, the text or key that hashes to it."""
    loaded = at.loaded
    chance, over = loaded.chance, _over(loaded)
    listed: list[dict[str, Any]] = [
        {
            "what": "seed",
            "seat": None,
            "number": None,
            "digest": chance.commitment,
            "opened": chance.seed.hex() if over else None,
        }
    ]
    for link in loaded.game.links(loaded.state, seat):
        listed.append(
            {
                "what": "key" if link.opened else "anchor",
                "seat": link.seat,
                "number": link.number,
                "digest": chance.key(link.chain, link.number - 1).hex(),
                "opened": chance.key(link.chain, link.number).hex() if link.opened else None,
            }
        )
    for entry in sorted(at.commitments, key=lambda one: (one.ply, loaded.seats.index(one.seat))):
        sealed = seal(loaded.match.name, entry.what, entry.seat, entry.text, entry.salt)
        listed.append(
            {
                "what": entry.what,
                "seat": entry.seat,
                "number": None,
                "digest": digest(sealed),
                "opened": sealed if over else None,
            }
        )
    return listed


def _notices(at: Standing, seat: Seat, since: int) -> list[dict[str, Any]]:
    holder = at.loaded.holders[seat]
    tell = words(holder.language, at.loaded.match.game, holder.zone)
    notices = [
        {"at": rfc3339(entry.at), "text": notice_text(entry, tell)}
        for entry in at.rulings
        if entry.ply + 1 >= since  # made while the ply of this seat's last orders was awaited
    ]
    if at.loaded.match.seed_given:
        notices.append(
            {
                "at": rfc3339(at.loaded.match.created_at),
                "text": tell(
                    say("The seed of this match was given by hand; its chance is no secret.")
                ),
            }
        )
    return notices


def notice_text(entry: Ruling, tell: Words) -> str:
    """Return what players read of a ruling: what was done, and the game master's reason."""
    return tell(entry.told) + (f" {entry.reason}" if entry.reason else "")


def record(loaded: Loaded, events: Sequence[Any]) -> str:
    """Return the game record of a match, from its whole log."""
    names: Mapping[Seat, str] = {s: loaded.holders[s].shown_name for s in loaded.seats}
    chronicle = Chronicle(
        names=names,
        date=loaded.match.created_at.strftime("%Y.%m.%d"),
        outcome=loaded.game.outcome(loaded.state),
        match=loaded.match.name,
        seed=loaded.match.seed.hex(),
    )
    return loaded.game.record(chronicle, loaded.state, events)
