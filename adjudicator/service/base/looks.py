"""Note what the game master looked at that only a seat may know; all who play are told of it.

He may be a player himself. A look is a ruling of its own kind (`store/rulings`). It is told with
the next ply and not before, for a note between two plies could tell who has sent: it stands in the
reports of that ply and in its line of the log's chain. It is stored before anything is shown, in
the transaction that reads it or in one before: a kill may leave a look noted that nobody had, and
none that is not noted.

Only a person's seat has something to hide, and only until the match is over. Where no emails go
out the game master enters every sheet himself, and nothing is noted.
What the game master writes into the log has no names, for nobody could take them out again.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

from adjudicator.core.acts import (
    Act,
    BoardSeen,
    ClubEmailSeen,
    EmailSeen,
    LinkSeen,
    PlayersSeen,
    SendersSeen,
    WholeBoardSeen,
)
from adjudicator.core.match import Seat
from adjudicator.core.message import say, tell
from adjudicator.core.names import is_named
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.loaded_match import (
    Loaded,
    Seated,
    Unreadable,
    load_seats,
    rulings_since,
)
from adjudicator.service.base.options import shows_names
from adjudicator.store import matches, players, rulings
from adjudicator.store.database import Store, Tx
from adjudicator.store.rulings import LOOK


def is_hidden(loaded: Seated, seat: Seat) -> bool:
    """Return whether the seat is a person's in a match that is not over."""
    return loaded.match.status != "over" and loaded.holders[seat].player_id is not None


def at_seats(tx: Tx, loaded: Seated, seats: Iterable[Seat], now: datetime) -> None:
    """Note a look at what these seats see, or at what one of their sheets is answered."""
    for seat in seats:
        if is_hidden(loaded, seat):
            _note(tx, loaded, BoardSeen(loaded.game.seat_titles[seat], _day(now)), now)


def at_board(tx: Tx, loaded: Seated, now: datetime) -> None:
    _note_if_any_is_hidden(tx, loaded, WholeBoardSeen(_day(now)), now)


def at_link(tx: Tx, loaded: Seated, seat: Seat, now: datetime) -> None:
    """Note that he was told where the seat's pages are."""
    if is_hidden(loaded, seat):
        _note(tx, loaded, LinkSeen(loaded.game.seat_titles[seat], _day(now)), now)


def at_senders(tx: Tx, loaded: Seated, now: datetime) -> None:
    _note_if_any_is_hidden(tx, loaded, SendersSeen(_day(now)), now)


def at_email(tx: Tx, loaded: Seated, seat: Seat, now: datetime) -> None:
    """Note a look at an email from or to the seat."""
    if is_hidden(loaded, seat):
        _note(tx, loaded, EmailSeen(loaded.game.seat_titles[seat], _day(now)), now)


def at_email_of_all(store: Store, now: datetime) -> None:
    """Note, in every match that is not over, a look at the emails of the club."""
    with store.reading() as tx:
        names = matches.names_going(tx)
    for name in names:
        with suppress(Unreadable), store.transaction() as tx:
            _note_if_any_is_hidden(tx, load_seats(tx, name), ClubEmailSeen(_day(now)), now)


@contextmanager
def at_refusal(store: Store, asked: Iterable[str], noted_at: datetime | None) -> Iterator[None]:
    """Note a look at who plays in the matches that were `asked` when what is done here is refused,
    if they hide it: the refusal tells it. What was done is taken back by then.

    So nothing of this may be asked before what everybody may know is refused.
    """
    try:
        yield
    except Refusal:
        if noted_at is None:
            raise
        for name in asked:
            with suppress(Unreadable), store.transaction() as tx:
                found = load_seats(tx, name)
                if not shows_names(found.match.status, found.match.options):
                    _note_if_any_is_hidden(tx, found, PlayersSeen(_day(noted_at)), noted_at)
        raise


def _note_if_any_is_hidden(tx: Tx, loaded: Seated, seen: Act, now: datetime) -> None:
    if any(is_hidden(loaded, seat) for seat in loaded.seats):
        _note(tx, loaded, seen, now)


def _note(tx: Tx, loaded: Seated, seen: Act, now: datetime) -> None:
    """Note a look, once a day and ply."""
    match = loaded.match
    made = rulings.of_acts([seen], ply=match.ply, at=now, action=LOOK)
    known = rulings_since(tx, match, match.ply)
    if not any(one.action == LOOK and one.message == made.message for one in known):
        rulings.insert(tx, match.id, made)


def _day(now: datetime) -> str:
    return now.astimezone(UTC).date().isoformat()


def refuse_names(tx: Tx, loaded: Loaded, text: str) -> None:
    """Refuse the name of a player in what will stand in the log: nobody could ever take it out
    again. Raises Refusal.

    A name that also means a seat is none here, and neither is a single email.
    """
    match, game = loaded.match, loaded.game
    if match.log_key is None or match.status == "over":
        return
    seats = {*game.seats, *game.seat_words, *(tell(title) for title in game.seat_titles.values())}
    meant = {word.casefold() for word in seats}
    for name in players.names(tx) if text else ():
        if len(name) > 1 and name.casefold() not in meant and is_named(name, text):
            raise Refusal(
                say(
                    "the text names {player}, but the log of a match has no names, because "
                    "nobody can delete them later; write the seat instead of the name",
                    player=name,
                )
            )
