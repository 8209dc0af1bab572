"""Enter a tournament, leave it, hand an entry over, and start it (club, 7.2 to 7.4 and 7.8)."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import structs

from adjudicator.core import public_chance
from adjudicator.core.acts import LeftTournament, LostInTournament
from adjudicator.core.contest_log import (
    DecidedLine,
    EnteredLine,
    ResultLine,
    StartedLine,
    WithdrawnLine,
)
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Value, both, say
from adjudicator.core.pairing import history
from adjudicator.core.pairing.points import points_of
from adjudicator.core.text import folded_address
from adjudicator.mail.write import subjects
from adjudicator.service.base import looks
from adjudicator.service.base.calendar import when
from adjudicator.service.base.context import Context, OpenClub, Refusal, Session
from adjudicator.service.base.loaded_match import find_player, load_going
from adjudicator.service.base.options import deadlines, terms
from adjudicator.service.base.public_number import number_named
from adjudicator.service.base.reliability import Reliability, refuse_unreliable, reliability
from adjudicator.service.competition import log, standings
from adjudicator.service.competition.kinds.kind import Tournament, in_order_of_numbers
from adjudicator.service.competition.tournament import (
    find,
    head_of_log,
    seats_of,
    take,
)
from adjudicator.service.emails.paragraphs import Lines, Paragraphs, each, paragraph
from adjudicator.service.matches import append_ply, game_master
from adjudicator.service.matches.append_ply import log_for_all
from adjudicator.service.outbox import queue
from adjudicator.service.outbox.queue import own_address
from adjudicator.store import players, tournaments
from adjudicator.store.database import Tx
from adjudicator.store.happenings import note_event
from adjudicator.store.players import Player
from adjudicator.store.tournaments import EntryRow, PairingRow

# Enter.


def enter(club: OpenClub, name: str, player: str) -> Message:
    """Enter a player; everybody who has entered got an email then. Raises Refusal."""
    with club.session() as s:
        tournament, known = take(s.tx, name), find_player(s.tx, player)
        enter_player(s.tx, tournament, known.id, now=club.now)
        tell_entrants(s, find(s.tx, tournament.row.name))
        return say("{name}: {player} has entered", name=tournament.row.name, player=known.name)


def enter_player(tx: Tx, tournament: Tournament, player_id: int, *, now: datetime) -> None:
    """Enter a player into a tournament that the transaction has locked. Raises Refusal."""
    row, known = tournament.row, players.one(tx, player_id)
    if row.status != "open":
        raise Refusal(say("{name} has begun; nobody can enter any more", name=row.name))
    if any(one.player_id == player_id for one in tournament.entries):
        raise Refusal(say("{player} is in {name} already", player=known.name, name=row.name))
    refuse_unreliable(tx, row.options, player_id, now=now)
    most = tournament.kind.limits(row.format).most
    if len(tournament.entries) >= (row.format.size or most):
        raise Refusal(say("{name} is full", name=row.name))
    if tournament.kind.surely_meet:
        for one in tournament.entries:
            refuse_one_address(one, known)
    earlier = log.entries_so_far(tx, row)
    serial = None if earlier is None else earlier + 1
    tournaments.enter(tx, row.id, player_id, now, serial=serial)
    if serial is not None:
        log.note(tx, row, EnteredLine(entry=serial), now)
    is_full = len(tournament.entries) + 1 == row.format.size
    tournaments.update(tx, row.id, **({"wake_at": now} if is_full else {}))


def refuse_one_address(one: EntryRow, other: Player) -> None:
    """Refuse two who would have to meet, and share an address."""
    if folded_address(one.address) == folded_address(other.address):
        raise Refusal(
            say(
                "{one} and {other} have one address and could not meet",
                one=one.player,
                other=other.name,
            )
        )


def tell_entrants(s: Session, tournament: Tournament) -> None:
    """Queue the email of each entry that has had none."""
    if tournament.row.status != "open" or s.context.post is None:
        return
    ratings = ratings_of(s.tx, tournament)
    reliable = reliability(s.tx, s.now, [one.player_id for one in tournament.entries])
    for one in tournament.entries:
        player = players.one(s.tx, one.player_id)
        entrants = [
            _entrant(n, entry, ratings, reliable) for n, entry in enumerate(tournament.entries, 1)
        ]
        told = _entry_email(tournament, player, entrants, s.context)
        about = f"tournament/{tournament.row.id}/entry/{one.id}"
        subject = subjects.tournament_entry(tournament.row.name)
        queue.queue_from_personal_address(s, player, about, subject, told)


def _entry_email(
    tournament: Tournament, player: Player, entrants: Sequence[Message], context: Context
) -> Paragraphs:
    row, game = tournament.row, tournament.game
    assert context.post is not None
    address = own_address(context.post, player)
    rated = any("known" in one.values for one in entrants)
    head = say("Entrants so far, with their ratings:") if rated else say("Entrants so far:")
    taken = say(
        "You take part in the tournament {name}: {game}, {kind}.",
        name=row.name,
        game=say(game.title),
        kind=tournament.kind.title,
    )
    to_leave = say(
        "To leave the tournament, send the line WITHDRAW {name} to {address}",
        name=row.name,
        address=address,
    )
    drawn = say(
        "All draws come from a secret number, which is shown when the tournament ends. "
        "Its SHA-256 is {digest}",
        digest=history.commitment(row.seed),
    )
    if row.chance != public_chance.SEED:
        drawn = say(
            "All draws come from a public number, which nobody can know before the tournament has "
            "begun, and from a secret one, which is shown when it ends. Its SHA-256 is {digest}",
            digest=history.commitment(row.seed),
        )
    starts = (*facts_of_start(tournament), deadlines(terms(row.options)))
    return (
        *paragraph(taken, game=row.game),
        *paragraph(*starts, game=row.game),
        *paragraph(head, *entrants),
        *each((to_leave, drawn, *_log_told(tournament, player.id))),
    )


def _log_told(tournament: Tournament, player_id: int) -> list[Message]:
    """Say which entry of the log a player is; nothing in a tournament without a log."""
    one = entry_of_player(tournament, player_id)
    if one is None or one.serial is None:
        return []
    told = [head_of_log(tournament), say("You are entry {n} in it.", n=one.serial)]
    if tournament.row.chance != public_chance.SEED:
        return told
    foreseen = say("The club drew the number before anybody entered, so it can foresee the draws.")
    return [foreseen, *told]


def _entrant(
    n: int, one: EntryRow, ratings: Mapping[str, int], reliable: Mapping[int, Reliability]
) -> Message:
    """Return an entrant with what is known: the rating, and how many turns were on time."""
    values: dict[str, Value] = {"n": n, "name": one.player}
    known = list[Message]()
    if one.player in ratings:
        known.append(Message("{rating}", {"rating": ratings[one.player]}))
    if one.player_id in reliable:
        known.append(reliable[one.player_id].told)
    if not known:
        return Message("  {n}  {name}", values)
    first, *more = known
    told = Message("{first}; {next}", {"first": first, "next": more[0]}) if more else first
    return Message("  {n}  {name} ({known})", {**values, "known": told})


def facts_of_start(tournament: Tournament) -> list[Message]:
    """Say what everybody may know of a tournament that is open: what it waits for, and who will
    meet whom."""
    if tournament.kind.teams == 1:
        return [starts(tournament)]
    teams = say("The first half of the entrants is one team, the second half the other.")
    return [starts(tournament), teams]


def starts(tournament: Tournament) -> Message:
    """Say what a tournament that is open waits for."""
    row = tournament.row
    if row.format.size and row.starts_at:
        return say(
            "It starts when {n} have entered, at the latest {when}.",
            n=row.format.size,
            when=when(row.starts_at),
        )
    if row.format.size:
        return say("It starts when {n} have entered.", n=row.format.size)
    if row.starts_at:
        return say("It starts {when}.", when=when(row.starts_at))
    return say("The game master starts it.")


def ratings_of(tx: Tx, tournament: Tournament) -> Mapping[str, int]:
    """Return the ratings of those who have played the game, by their names."""
    table = standings.standings(standings.counting(tx), tournament.row.game)
    return {one.player: one.rating for one in table}


# Start.


def start(club: OpenClub, name: str) -> Message:
    """Start a tournament; the next tick makes its matches. Raises Refusal."""
    with club.session() as s:
        tournament = take(s.tx, name)
        begin(s, tournament)
        row = tournament.row
        if row.chance != public_chance.SEED:
            return say("{name} has begun, and waits for its public number", name=row.name)
        return say("{name} has begun; the next tick makes its matches", name=row.name)


def begin(s: Session, tournament: Tournament) -> None:
    """Number the entrants, and let the first round be due; or let it wait for the public number
    that decides. Raises Refusal with what is missing."""
    row = tournament.row
    if row.status != "open":
        raise Refusal(say("{name} is {status}", name=row.name, status=row.status))
    allowed = tournament.kind.limits(row.format)
    if len(tournament.entries) < allowed.least:
        raise Refusal(
            say(
                "{name} has {n} entrants and needs at least {least}",
                name=row.name,
                n=len(tournament.entries),
                least=allowed.least,
            )
        )
    rated = ratings_of(s.tx, tournament)
    ratings = {one.id: rated[one.player] for one in tournament.entries if one.player in rated}
    if row.chance != public_chance.SEED:
        _begin_to_wait(s, tournament, ratings)
    else:
        ids = number_entrants(s.tx, tournament, ratings)
        log.note(s.tx, row, _line_of_start(tournament, ratings, ids), s.now)
        tournaments.update(s.tx, row.id, started_at=s.now)
        let_play(s, tournament)
    note_event(s.tx, "tournament.started", at=s.now, tournament=row.name)


def number_entrants(tx: Tx, tournament: Tournament, ratings: Mapping[int, int]) -> Sequence[int]:
    """Give the entries their numbers; return their ids in that order."""
    ids = _by_number(tournament, ratings)
    for number, id_ in enumerate(ids, 1):
        tournaments.update_entry(tx, id_, number=number)
    return ids


def let_play(s: Session, tournament: Tournament) -> None:
    """Let the first round of a tournament be due, whose entries have their numbers."""
    row = tournament.row
    form = tournament.kind.at_start(row.format, len(tournament.entries))
    changes = {"status": "playing", "wake_at": s.now, "format": form, "trouble": None}
    tournaments.update(s.tx, row.id, **changes)


def _begin_to_wait(s: Session, tournament: Tournament, ratings: Mapping[int, int]) -> None:
    """Tell all entrants which public number decides, before anybody knows it. Raises Refusal if its
    draw comes too soon."""
    row = tournament.row
    started = s.now.replace(microsecond=0)  # the round follows from it, and lines tell seconds
    which = structs.replace(row, started_at=started).which
    due = public_chance.publication_time(which)
    assert due is not None
    if public_chance.is_too_early(which, started):
        raise Refusal(
            say(
                "the draw of {name} comes too soon: it must start a day or more before {when}",
                name=row.name,
                when=when(due),
            )
        )
    log.note(s.tx, row, _line_of_start(tournament, ratings, (), which), s.now)
    changes = {"status": "waiting", "started_at": started, "wake_at": due, "trouble": None}
    tournaments.update(s.tx, row.id, **changes)
    waits = find(s.tx, row.name)
    told = say(
        "The tournament {name} has begun. Its draws come from {number}, published {when}, and from "
        "the secret number. Nobody knows this public number yet. Keep this email to check it "
        "later. The SHA-256 of the secret number is {digest}",
        name=row.name,
        number=number_named(which),
        when=when(due),
        digest=history.commitment(row.seed),
    )
    tell_all_entrants(s, waits, "waits", [told, head_of_log(waits)])


def _by_number(tournament: Tournament, ratings: Mapping[int, int]) -> list[int]:
    """Return the ids of the entries in the order of their numbers. In a tournament that began
    without a log, lots are drawn by names."""
    came = [one.id for one in tournament.entries]
    lots = {one.id: str(one.serial or one.player) for one in tournament.entries}
    return in_order_of_numbers(tournament.kind, tournament.row.lot_seed, came, lots, ratings)


def _line_of_start(
    tournament: Tournament, ratings: Mapping[int, int], ids: Sequence[int], which: str = ""
) -> StartedLine:
    serials = {one.id: one.serial or 0 for one in tournament.entries}
    rated = tuple((serial, ratings.get(id_)) for id_, serial in serials.items())
    numbers = tuple(serials[id_] for id_ in ids)
    return StartedLine(ratings=rated, numbers=numbers, which=which)


# Leave, and hand an entry over.


def withdraw(club: OpenClub, name: str, player: str, *, reason: str) -> Message:
    """Take a player out of a tournament, as the game master. Raises Refusal."""
    with club.session() as s:
        tournament = take(s.tx, name)
        one = _entry_of(tournament, find_player(s.tx, player).id)
        told = withdraw_entry(s, tournament, one, why="decided", reason=reason)
        if tournament.row.status != "open":
            decided = say("{player} has left the tournament.", player=one.player)
            tournaments.rule(
                s.tx, tournament.row.id, tournament.row.round, decided, reason, club.now
            )
        return told


def _entry_of(tournament: Tournament, player_id: int) -> EntryRow:
    for one in tournament.entries:
        if one.player_id == player_id:
            return one
    names = ", ".join(one.player for one in tournament.entries)
    raise Refusal(
        say(
            "that player is not in {name}; in it are {names}", name=tournament.row.name, names=names
        )
    )


def entry_of_player(tournament: Tournament, player_id: int) -> EntryRow | None:
    return next((one for one in tournament.entries if one.player_id == player_id), None)


def withdraw_entry(
    s: Session, tournament: Tournament, one: EntryRow, *, why: str = "player", reason: str = ""
) -> Message:
    """Take an entry away before the start; later its matches are resigned, and it is paired no
    more (club, 7.8). `why` is what the log says."""
    row = tournament.row
    gone = WithdrawnLine(entry=one.serial or 0, why=why)
    if row.status == "open":
        tournaments.take_away(s.tx, one.id)
        log.note(s.tx, row, gone, s.now)
        tournaments.update(s.tx, row.id)
        return say("{name}: {player} is no longer entered", name=row.name, player=one.player)
    if row.status not in ("waiting", "playing", "held"):
        raise Refusal(say("{name} has ended", name=row.name))
    if one.status == "withdrawn":
        raise Refusal(say("{player} has left {name} already", player=one.player, name=row.name))
    tournaments.update_entry(s.tx, one.id, status="withdrawn")
    log.note(s.tx, row, gone, s.now)
    for pairing in tournament.pairings:
        if one.id in pairing.entries and pairing.done_at is None:
            _lose(s, tournament, pairing, one, reason)
    tournaments.update(s.tx, row.id, wake_at=s.now)
    return say("{name}: {player} has left the tournament", name=row.name, player=one.player)


def _lose(
    s: Session, tournament: Tournament, pairing: PairingRow, one: EntryRow, reason: str
) -> None:
    """Let an entry that leaves lose the match of a pairing; one that was not made yet is not made,
    and one that a substitute plays for it goes on (club, 6.3).

    The log calls it a ruling: an audit asks the player for the receipt of each RESIGN. What a round
    robin gives for a match that was not made, its table decides. Where names are hidden, nobody is
    told that this seat's player has left the tournament, for that would name him (club, 6.4).
    """
    row = tournament.row
    if _is_substituted(s.tx, tournament, pairing, one):
        return
    if pairing.match_status == "over":
        return  # a tick counts it as it ended
    tournaments.update_pairing(s.tx, row.id, pairing.key, ending="withdrawn")
    if pairing.match is None:
        _lose_unplayed(s.tx, tournament, pairing, one, s.now)
        return
    loaded = load_going(s.tx, pairing.match)
    if not loaded.is_opened:
        game_master.cancel_in(s, pairing.match, reason=reason)
        _lose_unplayed(s.tx, tournament, pairing, one, s.now)
        return
    own = [
        Seat(seat)
        for seat, place in zip(loaded.seats, pairing.entries, strict=True)
        if place == one.id and seat not in loaded.gone
    ]
    if not own:
        return
    title = loaded.game.seat_titles[own[0]]
    told = LostInTournament(title) if tournament.hides(pairing) else LeftTournament(title, row.name)
    log_for_all(s.tx, loaded, "forfeit", [told], reason, s.now)
    events = loaded.game.rules.leave(loaded.state, own, "forfeit")
    append_ply.append(s, loaded, events, cause="forfeit", leaving=own)


def _lose_unplayed(
    tx: Tx, tournament: Tournament, pairing: PairingRow, one: EntryRow, now: datetime
) -> None:
    """Let an entry lose a match that has no position. What a round robin gives for it, its table
    decides."""
    row = tournament.row
    tournaments.update_pairing(tx, row.id, pairing.key, done_at=now)
    points = points_without_match(tournament, pairing.entries, one.id)
    tournaments.set_points(tx, row.id, pairing.key, points)
    line = ResultLine(
        round=pairing.round,
        board=pairing.board,
        again=pairing.again,
        ending="withdrawn",
        points=tuple(points),
    )
    log.note(tx, row, line, now)


def points_without_match(
    tournament: Tournament, entries: Sequence[int], loser: int
) -> Sequence[int]:
    """Return what a pairing gives of which an entry left before it could be played; nothing where
    the table decides that."""
    if tournament.kind.counts_at_once:
        return []
    given = points_of([[str(id_) for id_ in entries if id_ != loser], [str(loser)]])
    return [given[str(id_)] for id_ in entries]


def replace(club: OpenClub, name: str, old: str, new: str, *, reason: str) -> Message:
    """Hand an entry over with its points and its seats in matches that go on (club, 7.8)."""
    asked: list[str] = []
    look = looks.at_refusal(club.store, asked, club.now if club.context.sends_mail else None)
    with look, club.session() as s:
        tournament = take(s.tx, name)
        row = tournament.row
        if row.status not in ("open", "waiting", "playing", "held"):
            raise Refusal(say("{name} has ended", name=row.name))
        one, known = _entry_of(tournament, find_player(s.tx, old).id), find_player(s.tx, new)
        if any(other.player_id == known.id for other in tournament.entries):
            raise Refusal(say("{player} is in {name} already", player=known.name, name=row.name))
        if tournament.kind.surely_meet:
            for other in tournament.entries:
                if other.id != one.id:
                    refuse_one_address(other, known)
        if one.status == "withdrawn":
            raise Refusal(say("{player} has left {name} already", player=one.player, name=row.name))
        tournaments.hand_over(s.tx, one.id, row.round, one.player_id, known.id)
        log.note(s.tx, row, DecidedLine(act="replace", entry=one.serial or 0), club.now)
        for pairing in tournament.pairings:
            going = pairing.match and pairing.match_status != "over"
            if not going or one.id not in pairing.entries:
                continue
            if not _is_substituted(s.tx, tournament, pairing, one):
                _hand_seat_over(s, tournament, pairing, one, known, reason, asked)
        decided = say("{new} takes over from {old}.", new=known.name, old=one.player)
        hidden = tournament.first_hidden_round(one) is not None
        is_known = hidden and tournament.kind.is_drawn_at_start  # who meets in later rounds
        told_after = tournament.rounds if is_known else row.round
        tournaments.rule(s.tx, row.id, told_after, decided, reason, club.now)
        tournaments.update(s.tx, row.id, wake_at=club.now)
        if hidden:  # the others read at this moment which seat has another player
            return _handed_over(row.name, known.name, one.player)
        about = f"replace/{one.id}/{known.id}/{row.round}"
        news = decided if not reason else both(decided, say("Reason: {reason}", reason=reason))
        tell_all_entrants(s, find(s.tx, row.name), about, [news])
        return _handed_over(row.name, known.name, one.player)


def _handed_over(name: str, new: str, old: str) -> Message:
    return say("{name}: {new} takes over from {old}", name=name, new=new, old=old)


def _is_substituted(tx: Tx, tournament: Tournament, pairing: PairingRow, one: EntryRow) -> bool:
    """Return whether another player has the seat of an entry in a match that goes on; a seat that
    is open is nobody else's."""
    if pairing.match_id is None or pairing.match_status == "over":
        return False
    holder = tournaments.holders(tx, pairing.match_id).get(_seat_of(tournament, pairing, one))
    return holder not in (None, one.player_id)


def _seat_of(tournament: Tournament, pairing: PairingRow, one: EntryRow) -> Seat:
    seats = seats_of(tournament.game, tournament.row.variant, len(pairing.entries))
    return Seat(seats[pairing.entries.index(one.id)])


def _hand_seat_over(
    s: Session,
    tournament: Tournament,
    pairing: PairingRow,
    one: EntryRow,
    new: Player,
    reason: str,
    asked: list[str],
) -> None:
    """Give a new player the seat of an entry in a match that is not over, unless it has left the
    match."""
    assert pairing.match is not None
    seat = _seat_of(tournament, pairing, one)
    if seat in load_going(s.tx, pairing.match).gone:
        return
    game_master.replace_in(s, pairing.match, seat, new.name, sure=True, reason=reason, asked=asked)


def tell_all_entrants(
    s: Session,
    tournament: Tournament,
    about: str,
    news: list[Message],
    *,
    some: Sequence[EntryRow] | None = None,
) -> None:
    """Queue an email to every entrant, or to some, from their personal addresses, once."""
    for one in tournament.entries if some is None else some:
        player = players.one(s.tx, one.player_id)
        if s.context.post is None or player.erased_at is not None:
            continue
        queue.queue_from_personal_address(
            s,
            player,
            f"tournament/{tournament.row.id}/{about}",
            subjects.of_tournament(tournament.row.name),
            tuple(Lines((one,), tournament.row.game) for one in news),
        )
