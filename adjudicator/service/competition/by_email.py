"""What players ask of tournaments by email: to enter, to leave, to see the table (club, 7.3).

Ladders have the same commands (club, 8.1).

The first email of a match says something of its tournament, too (club, 7.7).
"""

from collections.abc import Iterator, Sequence

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, both, count, say
from adjudicator.core.orders import shown
from adjudicator.core.pairing.points import shown_points
from adjudicator.service.base.context import Refusal, Session, unknown
from adjudicator.service.base.loaded_match import Seated
from adjudicator.service.base.lots_of_match import message_for_seat, number_of
from adjudicator.service.competition import entering, ladder_tables, showing
from adjudicator.service.competition import ladders as of_club
from adjudicator.service.competition.ending import messages_for_rulings
from adjudicator.service.competition.kinds.kind import Tournament
from adjudicator.service.competition.tournament import (
    all_readable,
    find,
    head_of_log,
    is_played,
    table_of,
    take,
)
from adjudicator.service.emails.paragraphs import Paragraphs
from adjudicator.store import ladders, players, rows, tournaments
from adjudicator.store.database import Tx
from adjudicator.store.ladders import LadderRow

MOST_BOARDS = 200  # in the answer to TABLE


def is_open(tx: Tx, name: str) -> bool:
    """Return whether everybody may enter the tournament or the ladder of that name by email."""
    ladder = rows.first(tx, LadderRow, name=name.lower())
    if ladder is not None:
        return ladder.status == "open"
    row = tournaments.find(tx, name.lower())
    return row is not None and row.is_public and row.status == "open"


def open_tournaments(tx: Tx) -> Iterator[Message]:
    """Yield a line for each tournament that everybody may enter."""
    for tournament in all_readable(tx)[0]:
        row = tournament.row
        if row.status == "open" and row.is_public and is_played(row):
            yield say(
                "Tournament {name}: {game}, {kind}. Write JOIN {name} to take part.",
                name=row.name,
                game=say(tournament.game.title),
                kind=tournament.kind.title,
            )


def join(s: Session, name: str, player_id: int) -> Message:
    """Enter a player who asked for it, and say so. Raises Refusal."""
    if ladder := rows.first(s.tx, LadderRow, name=name.lower()):
        place = of_club.join(s.tx, ladder, players.one(s.tx, player_id), now=s.now)
        told = say("You are in place {place} on {name}.", name=ladder.name, place=place)
        return both(told, of_club.message_for_entry(s.tx, ladder, player_id))
    tournament = take(s.tx, name)
    entering.enter_player(s.tx, tournament, player_id, now=s.now)
    entering.tell_entrants(s, find(s.tx, tournament.row.name))
    return say("You take part in the tournament {name}.", name=tournament.row.name)


def refuse_rival(tx: Tx, match: Seated, seat: Seat, player_id: int) -> None:
    """Refuse an open seat of a tournament's match to another entrant, who would play for a rival
    (club, 6.3). Raises Refusal."""
    here = tournaments.of_match(tx, match.match.id)
    if here is None:
        return
    tournament = find(tx, here.tournament)
    (pairing,) = (one for one in tournament.pairings if one.match_id == match.match.id)
    own = pairing.entries[list(match.seats).index(seat)]
    if any(one.player_id == player_id and one.id != own for one in tournament.entries):
        raise Refusal(
            say(
                "You take part in the tournament {name}, so you cannot take a seat of another "
                "player in it.",
                name=here.tournament,
            )
        )


def has_begun(tx: Tx, name: str, player_id: int) -> bool:
    """Return whether a tournament in which the player takes part has begun. Raises Refusal."""
    tournament = find(tx, name)
    one = entering.entry_of_player(tournament, player_id)
    if one is None or one.status == "withdrawn":
        raise Refusal(say("You do not take part in {name}.", name=tournament.row.name))
    return tournament.row.status != "open"


def withdraw(s: Session, name: str, player_id: int) -> Message:
    """Take a player out who asked for it. Raises Refusal."""
    tournament = take(s.tx, name)
    one = entering.entry_of_player(tournament, player_id)
    if one is None:
        raise Refusal(say("You do not take part in {name}.", name=tournament.row.name))
    entering.withdraw_entry(s, tournament, one)
    return say("You no longer take part in the tournament {name}.", name=tournament.row.name)


def table(tx: Tx, name: str) -> Paragraphs:
    """Return the table of a tournament, with its rounds, or of a ladder. Raises Refusal."""
    ladder = rows.first(tx, LadderRow, name=name.lower())
    if ladder is not None:
        return ladder_tables.as_paragraphs(ladder_tables.table(tx, ladder))
    row = tournaments.find(tx, name.lower())
    if row is None:
        text = say("there is no tournament or ladder {name}", name=shown(name))
        raise unknown(text, name.lower(), names_of_tables(tx))
    return showing.as_paragraphs(find(tx, name), MOST_BOARDS)


def names_of_tables(tx: Tx) -> list[str]:
    """Return the tournaments and ladders that the club's site shows, the newest first, tournaments
    before ladders."""
    cups = [one.row.name for one in all_readable(tx)[0]]
    lists = [one.row.name for one in ladder_tables.all_readable(tx)[0]]
    return [*reversed(cups), *reversed(lists)]


def first_email_of_match(tx: Tx, match: Seated, seat: str) -> Sequence[Message]:
    """Return the round and the board, the seat's place after the rounds before, and what the game
    master has decided since; of a match of a ladder its log; nothing of another match."""
    here = tournaments.of_match(tx, match.match.id)
    if here is None:
        return [*_of_lots(match, seat), *_of_ladder(tx, match, seat)]
    tournament = find(tx, here.tournament)
    told = say(
        "Tournament {name}: round {round}, board {board}.",
        name=here.tournament,
        round=here.round,
        board=here.board,
    )
    decided = messages_for_rulings(tx, tournament, here.round - 1)
    pairing = next(
        row for row in tournament.pairings if row.key == (here.round, here.board, here.again)
    )
    number = tournament.numbers[pairing.entries[list(match.seats).index(Seat(seat))]]
    found = [told, *_place(tournament, here.round, number), *decided]
    if tournament.shown_log is not None:
        found += [head_of_log(tournament), say("You are number {n} in it.", n=number)]
    return found


def _of_lots(match: Seated, seat: str) -> Iterator[Message]:
    number = number_of(match.match, seat, match.seats)
    if number is not None:
        yield message_for_seat(number)


def _of_ladder(tx: Tx, match: Seated, seat: str) -> Sequence[Message]:
    one = ladders.challenge_of_match(tx, match.match.id)
    player_id = match.holders[Seat(seat)].player_id
    if one is None or player_id not in (one.challenger_id, one.asked_id):
        return []
    row = rows.one(tx, LadderRow, one.ladder_id)
    return [
        say("This match is on the ladder {name}.", name=row.name),
        of_club.message_for_entry(tx, row, player_id),
    ]


def _place(tournament: Tournament, round_: int, number: int) -> Sequence[Message]:
    """Say what the rounds before gave; nothing where they are not all over."""
    if round_ == 1 or tournament.kind.knocks_out or not tournament.is_done(round_ - 1):
        return []
    line = next(one for one in table_of(tournament, before=round_) if one.number == number)
    return [
        count(
            "After {n} round you are number {place} of {entrants}; points: {points}.",
            "After {n} rounds you are number {place} of {entrants}; points: {points}.",
            round_ - 1,
            place=line.place,
            entrants=len(tournament.entries),
            points=shown_points(line.points),
        )
    ]
