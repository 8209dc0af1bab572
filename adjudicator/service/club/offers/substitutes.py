"""Ask players to take over a seat in the middle of a match (club, 6.3).

Three of those who wish to be asked get an offer each day, drawn by lots that follow from the
match's seed and the ply. The first to accept gets the seat. No offer says which seat it is, nor
why: that would tell who is silent. For the same reason the draw does not depend on the seat, and
whoever ever had a seat of the match is not asked. Nothing of all this is shown to the operator, who
may play himself: no line of a tick, no email in the queue, no number.
"""

import hmac
from collections.abc import Iterator, Sequence
from datetime import timedelta
from hashlib import sha256

from adjudicator.core.email_kinds import OF_SECRET_OFFER
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat, holder
from adjudicator.core.message import Message, say
from adjudicator.core.text import folded_address
from adjudicator.mail.write import subjects
from adjudicator.resources import zone_of
from adjudicator.service.base.context import Refusal, Session
from adjudicator.service.base.deadlines import days_of
from adjudicator.service.base.jobs import DueItem, Tick, Told
from adjudicator.service.base.loaded_match import Loaded, Seated, Unreadable, gather
from adjudicator.service.base.options import shows_names
from adjudicator.service.base.reliability import refuse_unreliable, reliability
from adjudicator.service.club.offers import making
from adjudicator.service.club.offers.making import NewOffer, OfferKind, OfferStep, OfferVoid
from adjudicator.service.club.offers.seats import describe_game, seat_line
from adjudicator.service.competition import rounds
from adjudicator.service.competition.tournament import load as load_tournament
from adjudicator.service.emails.paragraphs import Paragraphs, paragraph
from adjudicator.service.matches import doubt, game_master, substituting
from adjudicator.service.outbox import queue
from adjudicator.store import matches, offers, players, rows, tournaments
from adjudicator.store.database import Tx
from adjudicator.store.matches import Match
from adjudicator.store.offers import ASKED, SILENT, Offer, Search
from adjudicator.store.players import Player

KIND_NAME = "substitute"
AT_A_TIME = 3
A_DAY = timedelta(days=1)


# A tick: ask the next three, or end the search.


def due(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return the searches at which to look. They have no name: nothing of them is told, and of a
    fault not where it is."""
    found = offers.searches_due(tx, tick.now)
    return [DueItem(search_id, match_id=match_id) for search_id, match_id in found]


def advance(s: Session, search_id: int) -> Told:
    """Lock the offers of a search, then its match, and do what is still due by then. While the
    clock is in doubt only a search ends whose match has gone on."""
    found = rows.one(s.tx, Search, search_id)
    offers.hold(s.tx, found.about)
    match = matches.find(s.tx, offers.match_of_search(s.tx, found))
    assert match is not None
    leader = rows.one(s.tx, Search, found.id)
    if leader.next_at is None or leader.next_at > s.now:
        return None  # another worker was quicker
    if leader.status != "open" or match.status == "over":
        offers.end_searches(s.tx, offers.searches_led_by(s.tx, leader), "ended", s.now)
        making.withdraw(s.tx, leader.about, s.now)
        rows.change(s.tx, Search, leader.id, next_at=None)
        return ()
    loaded = _loaded(s.tx, match)
    is_current = loaded is None or substituting.is_current(loaded, leader)
    if is_current and doubt.stops_club(s.tx, s.context):
        return None
    if loaded is None:
        rows.change(s.tx, Search, leader.id, next_at=s.now + A_DAY)
    elif s.now >= leader.ends_at or not is_current:
        _end(s, loaded, leader)
    else:
        _ask(s, loaded, leader)
    return ()


def _loaded(tx: Tx, match: Match) -> Loaded | None:
    """Return a match as it stands; None if it has no position, or cannot be read now."""
    try:
        loaded = gather(tx, match)
    except Unreadable:
        return None
    return loaded if loaded.is_opened else None


def _ask(s: Session, loaded: Loaded, leader: Search) -> None:
    is_going = loaded.match.status in ("playing", "open")
    if is_going and substituting.open_searches(s.tx, loaded, leader, s.now):
        for player in _candidates(s, loaded, leader)[:AT_A_TIME]:
            _offer(s, loaded, leader, player)
    days = (s.now - leader.begun_at) // A_DAY + 1
    again = min(leader.begun_at + days * A_DAY, leader.ends_at)
    rows.change(s.tx, Search, leader.id, next_at=again)


def _end(s: Session, loaded: Loaded, leader: Search) -> None:
    """End a search in vain; tell a holder who asked for it. What was due to a silent seat the match
    itself does."""
    offers.end_searches(s.tx, offers.searches_led_by(s.tx, leader), "ended", s.now)
    making.withdraw(s.tx, leader.about, s.now)
    rows.change(s.tx, Search, leader.id, next_at=None)
    holder = loaded.holders[leader.seat]
    is_his = holder.tenure == leader.tenure and leader.seat not in loaded.gone
    is_his = is_his and loaded.match.status != "over"
    if leader.cause == SILENT or not is_his or holder.player_id is None:
        return
    player = players.one(s.tx, holder.player_id)
    told = say(
        "Nobody has taken over your seat in {match}. You still have it. The line SUBSTITUTE, sent "
        "to the address of that match, lets us look again.",
        match=loaded.match.name,
    )
    queue.queue_from_personal_address(
        s,
        player,
        f"substitute/{leader.id}/ended",
        subjects.no_substitute(loaded.match.name),
        paragraph(told),
        kind=OF_SECRET_OFFER,
    )


# Who is asked.


def _candidates(s: Session, loaded: Loaded, leader: Search) -> list[Player]:
    """Return who may still be asked, in the order of their lots."""
    again = s.now - substituting.WHEN_ASKED  # who asks anew, asks others
    asked = {
        one.player_id
        for one in rows.find(s.tx, Offer, match_id=loaded.match.id, kind=KIND_NAME)
        if one.about == leader.about
        or one.status == "open"
        or (leader.cause == ASKED and one.created_at > again)
    }
    barred = asked | offers.seats_ever_searched(s.tx, loaded.match.id)
    if cup := tournaments.of_match(s.tx, loaded.match.id):
        barred |= tournaments.entrants(s.tx, cup.tournament)
    people = matches.people_of(s.tx, loaded.match.id)
    taken = {folded_address(players.one(s.tx, one).address) for one in people}
    found = [
        one
        for one in players.all_players(s.tx)
        if one.substitute == "on" and one.confirmed_at is not None and one.id not in barred
        if folded_address(one.address) not in taken
        if _is_reliable(s, loaded, one) and not _is_away(s, one)
    ]
    return sorted(found, key=lambda one: _lot(loaded, f"{leader.ply}|{one.id}"))


def _is_reliable(s: Session, loaded: Loaded, player: Player) -> bool:
    try:
        refuse_unreliable(s.tx, loaded.match.options, player.id, now=s.now)
    except Refusal:
        return False
    return True


def _is_away(s: Session, player: Player) -> bool:
    today = s.now.astimezone(zone_of(player.zone)).date()
    return today in days_of(players.days_away(s.tx, [player.id]))


def _lot(loaded: Loaded, text: str) -> bytes:
    return hmac.new(loaded.match.seed, f"lot|substitute|{text}".encode(), sha256).digest()


# What they read.


def _offer(s: Session, loaded: Loaded, leader: Search, player: Player) -> None:
    match = loaded.match
    made = NewOffer(
        kind=KIND_NAME,
        what=_what(match.name),
        player=player,
        told=_match_in_words(s, loaded, player),
        match_id=match.id,
        about=leader.about,
        details={"match": match.name, "search": leader.id},
        until=leader.ends_at,
        is_secret=True,
    )
    making.make(s, made)


def _what(match: str) -> Message:
    return say("the offer to play on in {match} as a substitute", match=match)


def _what_of(tx: Tx, offer: Offer) -> Message:
    return _what(offer.details["match"])


def _match_in_words(s: Session, loaded: Loaded, player: Player) -> Paragraphs:
    """Return what an offer says of its match: as much as the club's first page does, and never
    which seat it is."""
    match, game = loaded.match, loaded.game
    needed = say(
        "A seat in {match} needs a new player, who plays it to the end. The match is now in "
        "turn {turn}. The first player who accepts gets the seat, and then reads which one it "
        "is, and the position.",
        match=match.name,
        turn=match.turn,
    )
    told = (
        *paragraph(say("Hello {name},", name=player.name)),
        *paragraph(needed),
        *describe_game(game, match.variant, match.options),
        *paragraph(*_seats(s, loaded), game=match.game),
    )
    if cup := tournaments.of_match(s.tx, match.id):
        told += paragraph(
            say(
                "It is a match of the tournament {name}. Its points count for the former "
                "player of the seat; you play in this match alone.",
                name=cup.tournament,
            )
        )
    return told


def _seats(s: Session, loaded: Seated) -> Iterator[Message]:
    """Yield a line for each seat, with who has it and how reliable they are."""
    may_name = shows_names(loaded.match.status, loaded.match.options)
    people = [one.player_id for one in loaded.holders.values() if one.player_id is not None]
    figures = reliability(s.tx, s.now, people) if may_name else {}
    for seat in loaded.seats:
        one = loaded.holders[seat]
        his = figures.get(one.player_id or 0)
        yield seat_line(loaded.game.seat_titles[seat], holder(one.shown_name), his)


# What ACCEPT does.


def _accept(step: OfferStep) -> Message:
    """Give the player the seat, or the first by lot of several silent ones."""
    tx, now = step.tx, step.now
    name = step.offer.details["match"]
    assert step.offer.match_id is not None
    cup = _take_tournament(tx, step.offer.match_id)
    match = matches.find(tx, name)
    assert match is not None
    if match.status == "over":
        raise OfferVoid(_needless(tx, step.offer))
    loaded, leader = _loaded(tx, match), rows.one(tx, Search, step.offer.details["search"])
    if loaded is None or (loaded.match.status == "held" and leader.status == "open"):
        raise Refusal(say("{match} is on hold, so nobody can join it now.", match=name))
    found = substituting.open_searches(tx, loaded, leader, now) if leader.status == "open" else []
    if not found:
        raise OfferVoid(_needless(tx, step.offer))
    _refuse(step, loaded)
    search = min(found, key=lambda one: _lot(loaded, f"{one.ply}|{one.seat}"))
    seat, is_silent = Seat(search.seat), leader.cause == SILENT
    game_master.hand_over(
        step,
        loaded,
        seat,
        {"player_id": step.asked.id, "computer": None},
        reason="",
        left=is_silent,
        farewell=_farewell(loaded.game, search, name),
    )
    if cup and is_silent:
        _note_silence(step, cup, loaded, seat)
    return say(
        "You now play {seat} in {match}. The next email shows the position; reply to that one with "
        "your orders.",
        seat=loaded.game.seat_titles[seat],
        match=name,
    )


def _take_tournament(tx: Tx, match_id: int) -> str | None:
    """Lock the tournament of a match, before the match; return its name."""
    here = tournaments.of_match(tx, match_id)
    if here is not None:
        tournaments.take(tx, here.tournament)
    return here.tournament if here else None


def _refuse(step: OfferStep, loaded: Loaded) -> None:
    """Refuse what cannot be, or can never be any more. Raises Refusal."""
    tx, player, name = step.tx, step.asked, loaded.match.name
    if player.confirmed_at is None:
        raise Refusal(say("Your address is not confirmed yet."))
    if player.id in offers.seats_ever_searched(tx, loaded.match.id):
        raise OfferVoid(say("You have or had a seat in {match} yourself.", match=name))
    people = matches.people_of(tx, loaded.match.id)
    if folded_address(player.address) in {
        folded_address(players.one(tx, one).address) for one in people
    }:
        raise Refusal(say("A player of {match} has the same address as you.", match=name))
    refuse_unreliable(tx, loaded.match.options, player.id, now=step.now)


def _farewell(game: AnyGame, search: Search, match: str) -> Message:
    title = game.seat_titles[Seat(search.seat)]
    if search.cause == ASKED:
        return say(
            "A substitute now plays your seat, {seat} in {match}, as you wished. Nothing you sent "
            "for the coming turn is used, and emails to its address are not read any more.",
            seat=title,
            match=match,
        )
    return say(
        "You sent no orders in time, so a substitute now plays your seat, {seat} in {match}. "
        "Emails to its address are not read any more.",
        seat=title,
        match=match,
    )


def _note_silence(s: Session, name: str, loaded: Loaded, seat: Seat) -> None:
    """Let the silence count for the entry, as a forfeit would (club, 7.8)."""
    row = tournaments.find(s.tx, name)
    if row is None or row.status not in ("playing", "held"):
        return
    tournament = load_tournament(s.tx, row)
    former = loaded.holders[seat].player_id
    for pairing in tournament.pairings:
        if pairing.match_id == loaded.match.id:
            entry_id = pairing.entries[loaded.seats.index(seat)]
            one = next(entry for entry in tournament.entries if entry.id == entry_id)
            if one.player_id == former:  # and not a substitute who fell silent, too
                rounds.note_silence(s, tournament, entry_id, 1)


def _needless(tx: Tx, offer: Offer) -> Message:
    return say("A substitute in {match} is no longer needed.", match=offer.details["match"])


def _after_end(step: OfferStep) -> None:
    """Nothing follows from a no: others are asked in any case."""


KIND = OfferKind(what=_what_of, accept=_accept, ended=_after_end, needless=_needless)
