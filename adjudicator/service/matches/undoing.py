"""Take back the last ply, as long as nobody can have read of it."""

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from adjudicator.core.acts import Act, AdvanceWithdrawn, TakenBack, TakenBackUntil
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.service.base import deadlines
from adjudicator.service.base.calendar import in_zone
from adjudicator.service.base.context import OpenClub, Refusal
from adjudicator.service.base.deadlines import takes_advance
from adjudicator.service.base.loaded_match import Loaded, load, load_open, rulings_since
from adjudicator.service.matches import append_ply, marks, seating
from adjudicator.service.matches.append_ply import tell_all
from adjudicator.service.matches.results import note_turn
from adjudicator.service.reports import building
from adjudicator.store import matches, results, rulings, submissions, turns
from adjudicator.store.database import Store, Tx


def undo(club: OpenClub, name: str, *, zone: str = "UTC", reason: str) -> Message:
    """Put the match back to what it was before its last ply; the time for that begins anew.

    `zone` is that of the game master, who reads the answer.
    """
    with club.session() as s:
        loaded = load_open(s.tx, name)
        _check(s.tx, loaded)
        marks.keep_to_pieces(s.tx, loaded)
        charged = _excused_misses(s.tx, loaded)
        given_away = _given_away(s.tx, loaded)
        unsent = _take_back(s.tx, loaded, charged, given_away)
        for seat in given_away:
            seating.end_arrangements(s.tx, load(s.tx, name), seat)
        after = _begin_anew(s.tx, name, club.now)
        note_turn(s.tx, after, club.now)
        newcomers = _not_welcomed(after, unsent)
        told = _acts_of_undo(after)
        tell_all(s, after, "undo", told, reason, besides=newcomers)
        for seat in newcomers:
            seating.welcome(s, after, seat)
        seating.mend_reports(s.tx, after, _told_of_sheets(s.tx, after))
        return _answer(after, charged, zone)


def check(store: Store, name: str) -> Message:
    """Say that the last ply can be taken back now. Raises Refusal with the reason if it cannot."""
    with store.transaction() as tx:
        loaded = load_open(tx, name)
        _check(tx, loaded)
        before = turns.one(tx, loaded.match.id, loaded.match.ply - 1)
        return say(
            "{match}: the last ply can be undone now; turn {turn} would be open for orders again",
            match=loaded.match.name,
            turn=before.turn,
        )


def _check(tx: Tx, loaded: Loaded) -> None:
    match = loaded.match
    if match.ply == 0 or (match.ply == 1 and _is_opening(tx, loaded)):
        raise Refusal(say("{match}: nothing has been adjudicated yet", match=match.name))
    if turns.was_shown(tx, match.id, match.ply):
        raise Refusal(
            say(
                "{match}: a report of the last ply was already printed, or is on the club's site",
                match=match.name,
            )
        )
    if turns.has_told(tx, match.id, match.ply):
        raise Refusal(
            say("{match}: an email about the last ply was already sent", match=match.name)
        )


def _is_opening(tx: Tx, loaded: Loaded) -> bool:
    """Return whether ply 1 is part of the opening: nobody was to order it."""
    ordered = any(sheet.ply == 1 for _, sheet in submissions.own_since(tx, loaded.match.id, 1))
    return loaded.game.rules.opens_at_once and not ordered


def _take_back(
    tx: Tx, loaded: Loaded, charged: Mapping[str, int], given_away: Collection[str]
) -> Collection[str]:
    """Take the ply back; return the keys of the emails that will not go out now."""
    match, ply = loaded.match, loaded.match.ply
    unsent = turns.delete_of_ply(tx, match.id, ply)
    turns.revive_reports(tx, match.id)
    ordered = turns.one(tx, match.id, ply).cause == "orders"
    turns.delete(tx, match.id, ply)
    rulings.take_back(tx, match.id, ply)
    matches.take_back_plies(tx, match.id, ply - 1)
    rulings.take_back_inputs(tx, match.id, ply)
    if not ordered:  # the orders for it were carried on
        submissions.bring_back(tx, match.id, ply)
    submissions.reopen(tx, match.id, ply, but=given_away)
    rulings.reopen_declarations(tx, match.id, ply, but=given_away)
    for seat, holder in loaded.holders.items():
        changes: dict[str, Any] = {"forfeit_at": None, "forfeit_ply": None}
        if seat in charged:
            changes["missed"] = max(0, holder.missed - charged[seat])
        if holder.ordered_ply == ply:
            changes["ordered_ply"] = submissions.last_used_ply(tx, match.id, seat, ply)
        if holder.not_ready_ply == ply + 1:
            changes["not_ready_ply"] = None if ordered else ply
        matches.update_seats(tx, match.id, [seat], **changes)
    turns.take_back_balances(tx, match.id, ply)
    results.take_back_conduct(tx, match.id, ply)
    for seat, now_held in matches.holders(tx, match.id).items() if given_away else ():
        if seat in given_away:
            seating.raise_bank(tx, match, now_held)
    lines = turns.lines(tx, match.id)
    named = append_ply.packages_in(lines)
    matches.update(
        tx,
        match.id,
        ply=ply - 1,
        turn=turns.one(tx, match.id, ply - 1).turn,
        reminded_ply=None,
        alerted_ply=None,
        hurried_ply=None,
        trouble=match.trouble if match.held_at else None,
        logged_by=append_ply.version_of(lines),
        package=named[-1] if named else match.package,
    )
    return unsent


def _given_away(tx: Tx, loaded: Loaded) -> list[Seat]:
    """Return the seats that had other holders when the last ply was adjudicated.

    What those had sent has ended with them.
    """
    match, found = loaded.match, []
    changes = rulings.holder_changes_since(tx, match.id, match.ply)  # their order is the log's
    for seat in dict.fromkeys([*(Seat(one.seat) for one in changes), *loaded.seats]):
        stored = turns.report_of(tx, match.id, match.ply, seat)
        if stored is not None and stored.tenure != loaded.holders[seat].tenure:
            found.append(seat)
    return found


def _excused_misses(tx: Tx, loaded: Loaded) -> Mapping[str, int]:
    """Return how many misses of each seat were excused while the ply was the last one.

    Those were misses of a turn that is now not to be ordered. Misses of the turn before stay, for
    it is still the one that was missed. An undo in between has given back what was charged before
    it.
    """
    charged: Counter[str] = Counter()
    for made in rulings_since(tx, loaded.match, loaded.match.ply - 1):
        if made.action == "undo" and made.ply == loaded.match.ply - 1:
            charged.clear()
        elif made.action == "excuse" and made.ply == loaded.match.ply:
            charged.update(made.effect.excused)
    return charged


def _begin_anew(tx: Tx, name: str, now: datetime) -> Loaded:
    after = load(tx, name)
    people = deadlines.people_of(after, after.awaited)
    pace = after.game.rules.pace(after.state)
    deadline = None
    if after.match.status != "open":  # it waits for a player
        deadline = deadlines.fresh(tx, after.match.options, people, now, pace)
    # In a held match the time runs from when it goes on.
    held_at = after.match.held_at and now
    matches.update(tx, after.match.id, deadline_at=deadline, held_at=held_at)
    return load(tx, name)


def _not_welcomed(after: Loaded, unsent: Collection[str]) -> list[Seat]:
    """Return the seats whose new holders have had no page yet: it was one of what was taken
    back."""
    before = f"{after.match.name}/{after.match.ply + 1}"
    return [
        seat
        for seat in after.seats
        if f"{before}/{seat}/report/{after.holders[seat].tenure}" in unsent
    ]


def _told_of_sheets(tx: Tx, after: Loaded) -> list[Seat]:
    """Return the seats whose reports of the ply before tell of sheets in advance, which are
    withdrawn by now."""
    found = []
    for seat in after.seats if takes_advance(after) else ():
        stored = turns.report_of(tx, after.match.id, after.match.ply, seat)
        report = building.read(after.game, stored.body) if stored else None
        if report and (report.orders or report.advance):
            found.append(seat)
    return found


def _acts_of_undo(after: Loaded) -> list[Act]:
    """Return what was done, the same for every seat, whatever it had sent."""
    turn, deadline = after.match.turn, after.match.deadline_at
    taken = TakenBack(turn) if deadline is None else TakenBackUntil(turn, deadline)
    return [taken, AdvanceWithdrawn()] if takes_advance(after) else [taken]


def _answer(after: Loaded, charged: Mapping[str, int], zone: str) -> Message:
    """Return an answer that is the same whatever is in force for the turn: the game master may
    play."""
    match = after.match
    taken = say(
        "{match}: the last ply is undone; turn {turn} is open for orders again",
        match=match.name,
        turn=match.turn,
    )
    if match.deadline_at is not None:
        taken = say("{taken} until {when}", taken=taken, when=in_zone(match.deadline_at, zone))
    if charged:
        back = ", ".join(sorted(charged))
        taken = say(
            "{taken}; a missed deadline is removed from the record of {seats}",
            taken=taken,
            seats=back,
        )
    if match.status != "playing":
        return taken
    return say(
        "{taken}. If all orders for it are in, the next tick adjudicates it; `adjud gm hold` "
        "prevents that",
        taken=taken,
    )
