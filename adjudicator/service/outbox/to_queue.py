"""Queue the letters of each kind: who gets what, each key once. Nothing is sent here."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec.json import decode

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.visible import plain
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Loaded, Seated
from adjudicator.service.outbox import digests
from adjudicator.store import outbox
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder, Match
from adjudicator.store.outbox import Letter
from adjudicator.store.players import Player


def queue_reports(
    tx: Tx,
    loaded: Loaded,
    since: Mapping[Seat, int],
    ahead: Collection[str],
    *,
    now: datetime,
    means: Means,
) -> None:
    """Queue the report of the last ply for every seat that a person holds and that is to have it.

    `since` is the first ply of which each seat's report tells; `ahead` are the seats whose orders
    for this ply were sent in advance.
    """
    letters = []
    for holder in _people(loaded, loaded.seats):
        is_to_have = not means.way_out or _is_to_have(loaded, holder)
        if is_to_have or holder.seat in ahead:
            body = None if is_to_have else decode(outbox.FOR_ADVANCE)
            first = since[Seat(holder.seat)]
            letter = _letter(loaded, holder, "report", loaded.match.ply, body, since=first)
            letters.append(letter)
    outbox.put(tx, letters, now, way_out=means.way_out)


def _is_to_have(loaded: Loaded, holder: Holder) -> bool:
    """Return whether a seat is sent the report of the last ply (letters, section 6), whatever it
    has sent in advance.

    All of it is known to the seat, so a letter tells nothing by coming: never whether somebody else
    has sent.
    """
    over = loaded.match.status == "over"
    wishes = holder.reports == "all"
    return over or wishes or holder.seat in loaded.awaited


def queue_asides(
    tx: Tx,
    loaded: Loaded,
    asides: Mapping[Seat, Sequence[Any]],
    *,
    now: datetime,
    means: Means,
) -> None:
    """Queue what the reports of the last ply tell once only."""
    letters = [
        _letter(
            loaded, holder, "aside", loaded.match.ply, {"news": plain(asides[Seat(holder.seat)])}
        )
        for holder in _people(loaded, asides)
    ]
    outbox.put(tx, letters, now, way_out=means.way_out)


def queue_reminders(
    tx: Tx, loaded: Loaded, seats: Collection[str], *, now: datetime, means: Means
) -> None:
    """Queue reminders that orders for the coming ply are due.

    A reminder is not sent if its player has ordered by then.
    """
    coming = loaded.match.ply + 1
    people = _people(loaded, seats)
    daily = {h.player_id: h for h in people if h.reminders == "daily" and h.player_id is not None}
    letters = [_reminder(tx, loaded, h, coming) for h in people if h.reminders != "daily"]
    if daily:
        letters += digests.to_queue(tx, daily, now)
    outbox.put(tx, letters, now, way_out=means.way_out)


def queue_welcome(
    tx: Tx, loaded: Loaded, seat: str, since: int, *, now: datetime, means: Means
) -> None:
    """Queue the present report, which tells of the plies from `since` on, for a seat's new
    holder."""
    name = f"report/{loaded.holders[seat].tenure}"
    people = _people(loaded, [seat])
    letters = [_letter(loaded, holder, name, loaded.match.ply, since=since) for holder in people]
    outbox.put(tx, letters, now, way_out=means.way_out)


def queue_farewell(
    tx: Tx, loaded: Loaded, former: Holder, reason: str, *, now: datetime, means: Means
) -> None:
    """Queue a letter to somebody who no longer holds a seat, and drop all else that waits for him.

    It is for him and not for the seat, so no address of the seat is in it.
    """
    outbox.drop_to_seat(tx, loaded.match.id, former.seat)
    if former.player_id is None:
        return
    told = say(
        "The game master has given your seat, {seat} in {match}, to another player. You no longer "
        "play it: nothing that you sent for the coming turn is used, and letters to the seat's "
        "address are not read any more.",
        seat=loaded.game.seat_titles[Seat(former.seat)],
        match=loaded.match.name,
    )
    letter = Letter(
        key=f"{loaded.match.name}/replaced/{former.seat}/{former.tenure}",
        kind="notice",
        match_id=loaded.match.id,
        player_id=former.player_id,
        confirmed=former.confirmed,
        body={"told": told, "reason": reason},
    )
    outbox.put(tx, [letter], now, way_out=means.way_out)


def queue_notices(
    tx: Tx,
    loaded: Seated,
    seats: Collection[str],
    body: Mapping[str, Any],
    *,
    now: datetime,
    means: Means,
) -> None:
    """Queue something that is told outside a report.

    It is numbered by seat, so that no seat's numbers say anything of another's letters.
    """
    letters = [_numbered(tx, loaded, holder, body) for holder in _people(loaded, seats)]
    outbox.put(tx, letters, now, way_out=means.way_out)


def queue_press(
    tx: Tx, loaded: Loaded, seat: str, body: Mapping[str, Any], *, now: datetime, means: Means
) -> None:
    """Queue what another seat wrote to this one."""
    people = _people(loaded, [seat])
    letters = [_numbered(tx, loaded, holder, body, "press") for holder in people]
    outbox.put(tx, letters, now, way_out=means.way_out)


def queue_to_person(
    tx: Tx,
    player: Player,
    key: str,
    subject: Message,
    told: Message,
    *,
    answers: str | None = None,
    now: datetime,
    means: Means,
) -> None:
    """Queue a letter to a player and not to his seat, once; nothing of a match is needed to write
    it."""
    letter = Letter(
        key=key,
        kind="notice",
        player_id=player.id,
        confirmed=player.confirmed_at is not None,
        body={"told": told, "subject": subject, "answers": answers},
    )
    outbox.put_once(tx, letter, now, way_out=means.way_out)


def queue_alert(
    tx: Tx, match: Match, body: Mapping[str, Any], *, now: datetime, means: Means
) -> None:
    """Queue a letter to the operator: a match needs him."""
    coming = match.ply + 1
    prefix = f"{match.name}/{coming}/operator/alert"
    letter = Letter(
        key=f"{prefix}/{outbox.count(tx, prefix) + 1}",
        kind="alert",
        match_id=match.id,
        ply=coming,
        body=body,
    )
    outbox.put(tx, [letter], now, way_out=means.way_out)


def queue_alert_once(
    tx: Tx, match: Match, about: str, body: Mapping[str, Any], *, now: datetime, means: Means
) -> None:
    """Queue a letter to the operator about that letter of ours, unless one was queued before."""
    letter = Letter(
        key=f"operator/alert/{about}",
        kind="alert",
        match_id=match.id,
        ply=match.ply + 1,
        body=body,
    )
    outbox.put_once(tx, letter, now, way_out=means.way_out)


def queue_reminder_of_match(
    tx: Tx, match: Match, about: str, told: Message, *, now: datetime, means: Means
) -> bool:
    """Queue a letter to the operator about a match that needs him, once; return whether this was
    the first time."""
    coming = match.ply + 1
    letter = Letter(
        key=f"{match.name}/{coming}/operator/waits/{about}",
        kind="alert",
        match_id=match.id,
        ply=coming,
        body={"told": told},
    )
    return outbox.put_once(tx, letter, now, way_out=means.way_out)


def queue_warning(tx: Tx, told: Message, *, now: datetime, means: Means) -> None:
    """Queue a letter to the operator: the whole club needs him."""
    prefix = "operator/alert/"
    letter = Letter(
        key=f"{prefix}{outbox.count(tx, prefix) + 1}", kind="alert", body={"told": told}
    )
    outbox.put(tx, [letter], now, way_out=means.way_out)


def queue_warning_of_day(tx: Tx, about: str, told: Message, *, now: datetime, means: Means) -> bool:
    """Queue a letter to the operator, once a day however often it happens.

    Return whether this was the first time.
    """
    return queue_warning_once(tx, f"{about}/{now:%Y-%m-%d}", told, now=now, means=means)


def queue_warning_once(tx: Tx, about: str, told: Message, *, now: datetime, means: Means) -> bool:
    """Queue a letter to the operator, once however often it happens; return whether this was the
    first time."""

    """Queue a letter to the operator, once; return whether this was the first time."""
    letter = Letter(key=f"operator/alert/{about}", kind="alert", body={"told": told})
    return outbox.put_once(tx, letter, now, way_out=means.way_out)


def _people(loaded: Seated, seats: Collection[str]) -> Sequence[Holder]:
    holders = (loaded.holders[seat] for seat in loaded.seats if seat in seats)
    return [holder for holder in holders if holder.player_id is not None]


def _reminder(tx: Tx, loaded: Loaded, holder: Holder, coming: int) -> Letter:
    """Make a reminder.

    It is numbered from the second one on, which comes if the game master gave more time.
    """
    before = outbox.count(tx, f"{loaded.match.name}/{coming}/{holder.seat}/reminder")
    name = f"reminder/{before + 1}" if before else "reminder"
    return _letter(loaded, holder, name, coming)


def _numbered(
    tx: Tx, loaded: Seated, holder: Holder, body: Mapping[str, Any], kind: str = "notice"
) -> Letter:
    prefix = f"{loaded.match.name}/{loaded.match.ply}/{holder.seat}/{kind}/"
    number = outbox.count(tx, prefix) + 1
    return _letter(loaded, holder, f"{kind}/{number}", loaded.match.ply, body)


def _letter(
    loaded: Seated,
    holder: Holder,
    name: str,
    ply: int,
    body: Any = None,
    *,
    since: int | None = None,
) -> Letter:
    """Make a letter. `name` is its kind, with a number if a seat may get several."""
    return Letter(
        key=f"{loaded.match.name}/{ply}/{holder.seat}/{name}",
        kind=name.partition("/")[0],
        match_id=loaded.match.id,
        ply=ply,
        seat=holder.seat,
        tenure=holder.tenure,
        player_id=holder.player_id,
        confirmed=holder.confirmed,
        body=body,
        since=since,
    )
