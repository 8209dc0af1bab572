"""Choose the matches that one command of the game master's is for."""

from collections.abc import Callable, Mapping, Sequence
from itertools import count

from msgspec import Struct

from adjudicator.core.message import say
from adjudicator.core.orders import shown
from adjudicator.service.base.context import Refusal, unknown
from adjudicator.service.base.loaded_match import find, game_of
from adjudicator.store import matches, tournaments
from adjudicator.store.database import Store, Tx
from adjudicator.store.matches import Match

_AT_ONCE = 100  # matches that are read at a time

# To which of the matches that are not over a tool applies if none is named. It never depends on
# what was sent: only on what `adjud status` shows.
APPLIES: Mapping[str, Callable[[Match], bool]] = {
    "extend": lambda match: match.status in ("playing", "held") and match.deadline_at is not None,
    "hold": lambda match: match.status == "playing",
    "resume": lambda match: match.status == "held",
    "option": lambda match: True,
    "say": lambda match: True,
}


class Selection(Struct, frozen=True, kw_only=True):
    """Which matches are meant: those that are named, or all that go on, perhaps of one game or one
    tournament."""

    names: Sequence[str] = ()
    game: str | None = None
    tournament: str | None = None


def selected(store: Store, wanted: Selection, tool: str) -> list[str]:
    """Return the names of the matches, each once.

    Raises Refusal if one of those that are named does not exist, or if there are none.
    """
    with store.reading() as tx:
        if wanted.names:
            return list(dict.fromkeys(find(tx, name).name for name in wanted.names))
        game = game_of(wanted.game.lower()).slug if wanted.game else None
        found = _going(tx, game, APPLIES[tool])
        if wanted.tournament:
            own = _of_tournament(tx, wanted.tournament)
            found = [name for name in found if name in own]
    if not found and game:
        raise Refusal(say("there is no match of {game} to which this applies", game=game))
    if not found:
        raise Refusal(say("there is no match to which this applies"))
    return found


def _of_tournament(tx: Tx, name: str) -> set[str]:
    row = tournaments.find(tx, name.lower())
    if row is None:
        text = say("there is no tournament {name}", name=shown(name))
        raise unknown(text, name.lower(), tournaments.names(tx))
    return {one.match for one in tournaments.pairings(tx, row.id) if one.match}


def _going(tx: Tx, game: str | None, applies: Callable[[Match], bool]) -> list[str]:
    names: list[str] = []
    for page in count():
        some = matches.some(tx, page * _AT_ONCE, _AT_ONCE, every=False)
        names += [one.name for one in some if game in (None, one.game) and applies(one)]
        if len(some) < _AT_ONCE:
            return names
    raise AssertionError
