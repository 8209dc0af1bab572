"""Who may take a seat, and what follows when he does or it was the last one free; and who leaves
one, so that others may take it: the match waits for that."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import combinations

from msgspec import Struct

from adjudicator.core import chain
from adjudicator.core.acts import (
    Act,
    DeadlineMoved,
    ForfeitAnnounced,
    GivenToSubstitute,
    MatchBegun,
    MatchBegunUntil,
    OfferEnded,
    Plays,
    PlaysNow,
    SeatLeft,
    WarningsEnded,
    continuation,
    message_for_acts,
    sentence,
)
from adjudicator.core.game import AnyGame
from adjudicator.core.match import HIDDEN, Seat
from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.core.text import folded_address
from adjudicator.mail.write import subjects
from adjudicator.service.base import deadlines
from adjudicator.service.base.context import OpenClub, Refusal, Session
from adjudicator.service.base.deadlines import announced_forfeits
from adjudicator.service.base.loaded_match import (
    Loaded,
    Seated,
    Unreadable,
    find,
    find_player,
    load,
    load_going,
    load_open,
    load_seats,
    person,
    refuse_unopened,
    seat_of,
)
from adjudicator.service.base.options import terms
from adjudicator.service.matches import append_ply, results, substituting, unopened
from adjudicator.service.matches.append_ply import tell_all
from adjudicator.service.matches.results import note_opening, note_seat_change
from adjudicator.service.outbox import queue
from adjudicator.service.reports import building
from adjudicator.service.reports.standing import report_context_of
from adjudicator.store import (
    clubs,
    matches,
    pending,
    personal,
    players,
    rulings,
    submissions,
    turns,
)
from adjudicator.store.database import Store, Tx
from adjudicator.store.matches import Holder, Match
from adjudicator.store.rulings import StoredHolderChange


def keep_apart_in(tx: Tx, match: Match, new: object) -> None:
    """Refuse what `keep_apart` does of the `new` player of a match; where names are hidden, nobody
    else is named. Raises Refusal."""
    is_secret = results.hides_names(match)
    keep_apart(tx, matches.people_of(tx, match.id), alone=new if is_secret else None)


def keep_apart(tx: Tx, ids: Iterable[int], *, alone: object = None) -> None:
    """Refuse a player two seats of a match, and two players one mailbox; `ids` are its players, of
    whom one `alone` may be named and judged.

    One could read his opponent's reports there. Raises Refusal.
    """
    people = [players.one(tx, player_id) for player_id in ids]
    for one, other in combinations(sorted(people, key=lambda one: one.id != alone), 2):
        if alone is not None and one.id != alone:
            return
        if one.id == other.id:
            raise Refusal(say("{player} cannot play two seats in one match", player=one.name))
        if folded_address(one.address) == folded_address(other.address):
            raise Refusal(
                say(
                    "{player} and {other} share one address: in a match each would get the "
                    "other's reports",
                    player=one.name,
                    other=other.name if alone is None else say("another player"),
                )
            )


def has_seen_another(tx: Tx, loaded: Seated, seat: Seat, player_id: int) -> bool:
    """Return whether a player had another seat of the match, and so knows what that has seen."""
    return bool(set(matches.seats_once_held(tx, loaded.match.id, player_id)) - {seat})


def unconfirmed_players(store: Store, match: str) -> list[str]:
    """Return the players of a match whose addresses are not confirmed."""
    with store.reading() as tx:
        found = load_seats(tx, find(tx, match).name)
        holders = [found.holders[seat] for seat in found.seats]
        return [one.shown_name for one in holders if _waits(one)]


def _waits(holder: Holder) -> bool:
    return bool(holder.player_name) and not holder.confirmed and not holder.hidden


def start_when_full(tx: Tx, loaded: Loaded, now: datetime) -> Loaded:
    """Start an open match, which begins to count its time when its last seat is taken."""
    match = loaded.match
    if match.status == "open" and all(h.shown_name for h in loaded.holders.values()):
        people = deadlines.people_of(loaded, loaded.awaited)
        deadline = deadlines.fresh(tx, match.options, people, now)
        matches.update(tx, match.id, status="playing", deadline_at=deadline)
        clubs.begin_clock(tx, now)
        started = load_open(tx, match.name)
        note_opening(tx, started, now)
        return started
    return loaded


# Decide which seats a new match has and who plays them, from texts `SEAT=PLAYER`.


OPEN = "open"


def seats_of(
    game: AnyGame, variant: str, board: str, texts: Sequence[str], *, leave_open: bool
) -> Mapping[str, str | None]:
    """Return the player of each seat; None for a seat that is left to be joined.

    Raises Refusal if nobody could play so; it names the seats that are right.
    """
    given = _holders_given(game, texts)
    seating = game.seating(variant, board)
    if not seating:
        return _any_seats(game, given, leave_open)
    fitting = [taken for taken in seating.values() if set(taken) >= set(given)]
    if leave_open and fitting:
        return {seat: given.get(seat) for seat in max(fitting, key=len)}
    if given and set(seating.get(len(given), ())) == set(given):
        return given
    if len(given) in seating:
        raise Refusal(_not_these(game, seating[len(given)], given))
    if not fitting:
        numbers = ", ".join(map(str, seating))
        raise Refusal(say("this board is for {numbers} players", numbers=numbers), *_takes(seating))
    missing = [seat for seat in min(fitting, key=len) if seat not in given]
    raise Refusal(_player_of(missing), *_takes(seating))


def _holders_given(game: AnyGame, texts: Iterable[str]) -> dict[str, str | None]:
    seats: dict[str, str | None] = {}
    for text in texts:
        word, equals, player = text.partition("=")
        if not equals or not player.strip():
            raise Refusal(say("'{seen}': write a seat as SEAT=PLAYER", seen=shown(text)))
        seat = seat_of(game, word.strip())
        if seat in seats:
            raise Refusal(say("the seat {seat} is named twice", seat=seat))
        seats[seat] = None if player.strip().lower() == OPEN else player.strip()
    return seats


def _any_seats(
    game: AnyGame, given: Mapping[str, str | None], leave_open: bool
) -> Mapping[str, str | None]:
    """Return the seats for a game in which any may be taken, as many as can play."""
    missing = [seat for seat in game.seats if seat not in given]
    if leave_open:
        return {**given, **dict.fromkeys(missing)}
    if len(given) not in game.players:
        raise Refusal(_player_of(missing))
    return given


def _player_of(missing: Sequence[str]) -> Message:
    return say(
        "who plays {seats}? add --seat {first}=PLAYER (a name, or computer), or --open",
        seats=", ".join(missing),
        first=missing[0],
    )


def _not_these(game: AnyGame, right: Sequence[Seat], given: Collection[str]) -> Message:
    return say(
        "{n} players take the seats {right}, not {seen}",
        n=len(given),
        right=", ".join(right),
        seen=", ".join(seat for seat in game.seats if seat in given),
    )


def _takes(seating: Mapping[int, Sequence[Seat]]) -> Iterator[Message]:
    for n, seats in seating.items():
        yield say("{n} players take the seats {seats}", n=n, seats=", ".join(seats))


# Forfeits that the game master announces: a seat has until then to send orders.


def announce_forfeit_at(tx: Tx, loaded: Loaded, seat: Seat, at: datetime) -> Act:
    """Announce a forfeit; return what everybody is told. It replaces an earlier announcement."""
    matches.update_seats(tx, loaded.match.id, [seat], forfeit_at=at, forfeit_ply=loaded.coming)
    return ForfeitAnnounced(loaded.game.seat_titles[seat], at)


def move_forfeits(tx: Tx, loaded: Loaded, moved: Callable[[datetime], datetime]) -> list[Act]:
    """Move the announced times together with the time of the match.

    Return what is told of it beside the new deadline.
    """
    times = {seat: moved(at) for seat, at in announced_forfeits(loaded).items() if moved(at) != at}
    for seat, at in times.items():
        matches.update_seats(tx, loaded.match.id, [seat], forfeit_at=at)
    titles = loaded.game.seat_titles
    return [ForfeitAnnounced(titles[Seat(seat)], at) for seat, at in times.items()]


# Hand a seat over: what of its holder's ends with him, and what the new one is given.


def end_tenure(
    s: Session,
    loaded: Loaded,
    seat: Seat,
    reason: str,
    *,
    opens: bool = False,
    left: bool = False,
    told: Message | None = None,
) -> None:
    """End all that the holder of a seat has sent; he is told whether the seat `opens` or is
    another's, or `told` instead. With `left` it counts as if he had left the match (club, 6.1).

    His orders and offers were his, and what waits for him goes to nobody.
    """
    match_id, holder = loaded.match.id, loaded.holders[seat]
    if holder.player_id is not None:
        results.count_tenure(s.tx, loaded.match, holder, left=left, now=s.now)
        matches.end_tenure(s.tx, match_id, seat, holder.tenure, holder.player_id, s.now)
    submissions.withdraw_all(s.tx, match_id, seat)
    submissions.forget_verdicts(s.tx, match_id, seat)
    declared = [entry.id for entry in loaded.declarations if entry.seat == seat]
    rulings.settle(s.tx, declared, "withdrawn")
    pending.void(s.tx, match_id, seat)
    matches.update_seats(
        s.tx,
        match_id,
        [seat],
        tenure=max(holder.tenure, holder.above) + 1,
        since_ply=loaded.match.ply,
        not_ready_ply=None,
        missed=0,
        silent=0,
        forfeit_at=None,
        forfeit_ply=None,
    )
    substituting.end_of_seat(s.tx, loaded, seat, s.now)
    raise_bank(s.tx, loaded.match, holder)
    end_arrangements(s.tx, loaded, seat)
    queue.queue_farewell(s, loaded, holder, reason, opens=opens, told=told)


def raise_bank(tx: Tx, match: Match, holder: Holder) -> None:
    """Let a seat that is given away have at least half of what seats begin with (club, 5.2)."""
    bank = terms(match.options).bank
    if bank is not None and (holder.bank or 0) < bank.half:
        matches.update_seats(tx, match.id, [holder.seat], bank=bank.half)


def end_arrangements(tx: Tx, loaded: Loaded, seat: Seat) -> None:
    """End in the game, too, what the seat's former holder arranged for later turns."""
    append_ply.extend(tx, loaded, loaded.game.rules.succeed(loaded.state, seat))


def log_holder(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> None:
    """Keep for the log who has just taken a seat over, or that nobody has it now, and the deadline
    that is in force now."""
    refuse_unopened(loaded)
    match, holder = loaded.match, loaded.holders[seat]
    note_seat_change(tx, match, seat, now)
    change = StoredHolderChange(
        ply=match.ply,
        seat=seat,
        kind=holder.computer or (chain.PERSON if holder.player_name else chain.OPEN),
        at=now,
        due_at=match.deadline_at,
    )
    rulings.insert_holder_change(tx, match.id, change)


def give_time(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Loaded:
    """Give a new holder whose orders are awaited at least half of the usual time.

    If less is left, the deadline becomes that of a turn that opens now. In a held match the time
    left is what was left when it was held.
    """
    match = loaded.match
    deadline = match.deadline_at
    if deadline is None or seat not in loaded.awaited:
        return loaded
    held_from = deadlines.start_of_hold(loaded, now)
    left = deadline - held_from
    if left >= (deadline - loaded.since) / 2:
        return loaded
    people = deadlines.people_of(loaded, loaded.awaited)
    later = deadlines.fresh(tx, match.options, people, now, loaded.game.rules.pace(loaded.state))
    if later is None or later <= deadline:
        return loaded
    if match.held_at is not None:
        move_forfeits(tx, loaded, lambda at: at + (now - held_from))
        matches.update(tx, match.id, held_at=now)
    else:
        matches.update(tx, match.id, trouble=None)
    matches.update(tx, match.id, deadline_at=later, reminded_ply=None, alerted_ply=None)
    return load_open(tx, match.name)


def welcome(s: Session, loaded: Loaded, seat: Seat) -> None:
    """Make the seat's present page for its new holder, and queue the email with it."""
    since = _make_anew(s.tx, loaded, seat)
    queue.queue_welcome(s, loaded, seat, since)


class NewHolder(Struct, frozen=True):
    """What is said of a seat's new holder: in emails, where he is `named`, and in the log."""

    named: Sequence[Act]
    logged: Sequence[Act]


def take_open_seat(
    tx: Tx, before: Loaded, seat: Seat, *, now: datetime
) -> tuple[Loaded, NewHolder]:
    """Start the match if an open seat that was just taken was its last.

    Return the match, and what the others are told.
    """
    loaded = start_when_full(tx, load_open(tx, before.match.name), now)
    log_holder(tx, loaded, seat, now)
    begins = loaded.match.status != before.match.status
    if begins:
        mend_reports(tx, loaded, loaded.seats)
    named = _who_plays(loaded, seat, _name(loaded, seat), begins=begins)
    somebody = say("A player") if loaded.holders[seat].player_name else _name(loaded, seat)
    return loaded, NewHolder(named, _who_plays(loaded, seat, somebody, begins=begins))


def mend_reports(tx: Tx, loaded: Loaded, seats: Iterable[Seat]) -> None:
    """Rewrite the last reports to seats, where nobody has had them yet, as things stand now: who
    plays, until when, and what is in force."""
    for seat in seats:
        if not turns.was_tried(tx, loaded.match.id, loaded.match.ply, seat):
            since = _make_anew(tx, loaded, seat)
            turns.change_span(tx, loaded.match.id, loaded.match.ply, seat, since)


def _make_anew(tx: Tx, loaded: Loaded, seat: Seat) -> int:
    """Write the seat's last report anew; return the first ply of which it tells."""
    at = report_context_of(tx, loaded)
    body = building.write(loaded.game, building.present(tx, loaded, seat, at))
    turns.put_report_anew(tx, loaded.match.id, loaded.match.ply, seat, body)
    return at.since[seat]


def _who_plays(loaded: Loaded, seat: Seat, who: Message | str, *, begins: bool) -> list[Act]:
    told: list[Act] = [Plays(who, _title(loaded, seat))]
    deadline = loaded.match.deadline_at
    if begins and loaded.has_begun:  # a player had left
        told.append(continuation(deadline))
    elif begins:
        told.append(MatchBegun() if deadline is None else MatchBegunUntil(deadline))
    return told


def who_plays_now(
    before: Loaded, loaded: Loaded, seat: Seat, *, substitute: bool = False
) -> NewHolder:
    """Return what the others are told of a seat that was another player's `before`; whether it went
    to a `substitute`.

    This includes what they were told then and is no longer true.
    """
    who = _name(loaded, seat)
    other = say("Another player") if loaded.holders[seat].player_name else who
    if loaded.holders[seat].hidden:
        who = other
    named, logged = (_who_plays_now(before, loaded, seat, one) for one in (who, other))
    if substitute:
        named, logged = [*named, GivenToSubstitute()], [*logged, GivenToSubstitute()]
    return NewHolder(named, logged)


def _who_plays_now(before: Loaded, loaded: Loaded, seat: Seat, who: Message | str) -> list[Act]:
    told: list[Act] = [PlaysNow(who, _title(loaded, seat))]
    if ("DRAW", "standing", seat) in {(d.kind, d.status, d.seat) for d in before.declarations}:
        told.append(OfferEnded())
    deadline = loaded.match.deadline_at
    if deadline is not None and deadline != before.match.deadline_at:
        told.append(DeadlineMoved(deadline))
    return told


def who_plays(found: Seated, seat: Seat, *, new: bool) -> Message:
    """Return what the others are told of a seat in a match without a position; `new` if it was
    another player's."""
    name, title = _name(found, seat), _title(found, seat)
    return sentence(PlaysNow(name, title) if new else Plays(name, title))


def _name(loaded: Seated, seat: Seat) -> Message | str:
    if loaded.holders[seat].shown_name == HIDDEN:
        return say("A player")
    return loaded.holders[seat].player_name or say("The computer")


def _title(loaded: Seated, seat: Seat) -> Message:
    return loaded.game.seat_titles[seat]


def take_seat(s: Session, loaded: Loaded, seat: Seat, player_id: int) -> Seated:
    """Give an open seat to a player: he is welcomed, the others are told, and the match begins, or
    begins to wait for its public number, if it was its last."""
    matches.update_seats(s.tx, loaded.match.id, [seat], player_id=player_id, computer=None)
    if not loaded.is_opened:
        told = who_plays(unopened.waiting(s.tx, loaded.match.name), seat, new=False)
        return unopened.take_seat(s, loaded, seat, told)
    loaded, news = take_open_seat(s.tx, loaded, seat, now=s.now)
    welcome(s, loaded, seat)
    others = [reader for reader in loaded.seats if reader != seat]
    subject = subjects.plays_now(loaded.match.name, person(loaded, seat))
    body = {"told": message_for_acts(news.named), "subject": subject}
    queue.queue_notices(s, loaded, others, body)
    return deadlines.reload_and_reschedule(s.tx, loaded, s.now)


def seats_of_player(store: Store, name: str) -> list[tuple[str, Seat]]:
    """Return (match, seat) of every seat that a player can leave. Raises Refusal if there is none.

    A seat that has left its match, which goes on without it, is not among them.
    """
    with store.reading() as tx:
        player = find_player(tx, name)
        found = seats_held(tx, player.id)
        if not found:
            raise Refusal(say("{name} plays in no match that continues", name=player.name))
        return found


def seats_held(tx: Tx, player_id: int) -> list[tuple[str, Seat]]:
    """Return (match, seat) of what a player holds in matches that continue, without the seats that
    have left their match."""
    held = [one for one in personal.holdings(tx, player_id) if one.until is None]
    going = [(one.match, Seat(one.seat)) for one in held if not one.is_over]
    return [(match, seat) for match, seat in going if not _is_gone(tx, match, seat)]


def _is_gone(tx: Tx, match: str, seat: Seat) -> bool:
    try:
        return seat in load(tx, match).gone
    except Unreadable:
        return False


def open_seat(club: OpenClub, name: str, seat: Seat, *, reason: str) -> Message:
    """End the tenure of a seat's holder as `gm replace` does, and give the seat to nobody yet."""
    with club.session() as s:
        before = load_going(s.tx, name)
        _refuse_if_none(before, seat)
        if not before.is_opened:
            return _open_early(s, before, seat, reason)
        if seat in before.gone:
            raise Refusal(say("{seat} has left this match", seat=seat))
        match = before.match
        if match.status == "held":
            raise Refusal(
                say(
                    "{match} is on hold, and an open seat would end that; resume it first, or name "
                    "the player who takes the seat",
                    match=match.name,
                )
            )
        told = _told_to_others(before, seat)
        end_tenure(s, before, seat, reason, opens=True)
        matches.update_seats(s.tx, match.id, [seat], player_id=None, computer=None)
        matches.update_seats(s.tx, match.id, before.seats, forfeit_at=None, forfeit_ply=None)
        matches.update(
            s.tx,
            match.id,
            status="open",
            deadline_at=None,
            reminded_ply=None,
            alerted_ply=None,
            hurried_ply=None,
            trouble=None,
        )
        loaded = load_going(s.tx, name)
        log_holder(s.tx, loaded, seat, club.now)
        tell_all(s, loaded, "leave", told, reason)
        return _message_of_open_seat(loaded, seat)


def _open_early(s: Session, found: Loaded, seat: Seat, reason: str) -> Message:
    """Open a seat of a match without a position, unless all know already which number decides."""
    if found.match.full_at is not None:
        raise Refusal(
            say(
                "all players of {match} know which number decides, so none of its seats can be "
                "open; name the player who takes it",
                match=found.match.name,
            )
        )
    unopened.end_tenure(s, found, seat, reason, opens=True)
    matches.update_seats(s.tx, found.match.id, [seat], player_id=None, computer=None)
    note_seat_change(s.tx, found.match, seat, s.now)
    found = unopened.waiting(s.tx, found.match.name)
    subject = subjects.ruling(found.match.name, "leave")
    told = sentence(SeatLeft(found.game.seat_titles[seat]))
    unopened.tell(s, found, told, reason, subject=subject)
    return _message_of_open_seat(found, seat)


def _refuse_if_none(found: Seated, seat: Seat) -> None:
    if found.holders[seat].player_id is None:
        title = found.game.seat_titles[seat]
        raise Refusal(say("nobody plays {seat} in {match}", seat=title, match=found.match.name))


def _told_to_others(before: Loaded, seat: Seat) -> list[Act]:
    """Return what the others are told, with what they were told before and is no longer true."""
    told: list[Act] = [SeatLeft(before.game.seat_titles[seat])]
    if seat in before.draw_offers:
        told.append(OfferEnded())
    if announced_forfeits(before):
        told.append(WarningsEnded())
    return told


def _message_of_open_seat(found: Seated, seat: Seat) -> Message:
    return say("{match}: {seat} is open", match=found.match.name, seat=seat)
