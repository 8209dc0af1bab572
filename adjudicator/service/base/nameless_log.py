"""The log of a match is hashed, so nobody can take anything out of it: it holds no names."""

from adjudicator.core.message import say, tell
from adjudicator.core.names import is_named
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.store import players
from adjudicator.store.database import Tx


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
