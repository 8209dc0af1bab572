"""Load a match for the use cases: its rows become the game's own values."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from adjudicator.core.dice import Chance
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import Message, listed, say
from adjudicator.core.orders import shown
from adjudicator.games import GAMES
from adjudicator.service.base.decoders import decoder
from adjudicator.service.base.refusal import Refusal, unknown
from adjudicator.store import matches, whole_match
from adjudicator.store.database import Tx
from adjudicator.store.declarations import Declaration
from adjudicator.store.matches import Holder, Match
from adjudicator.store.submissions import KeptSheet, Submission


class Seated(Struct, frozen=True, kw_only=True):
    """A match and who holds its seats: what a letter needs beside what it carries."""

    match: Match
    game: AnyGame
    holders: Mapping[str, Holder]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.match!r})"  # never the state, nor sheets

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Return the seats of this match in the rule book's order."""
        return tuple(seat for seat in self.game.seats if seat in self.holders)


class Loaded(Seated, frozen=True, kw_only=True):
    """One match, as one transaction sees it. `sheets` are those in force for the coming ply, `kept`
    those for later ones, the next first. `head` is that of the log's chain, None if there is none;
    `added` counts the events since."""

    state: Any
    since: datetime
    sheets: Mapping[str, Submission]
    declarations: Sequence[Declaration]
    kept: Mapping[str, tuple[KeptSheet, ...]] = {}
    head: str | None = None
    added: int = 0

    @property
    def awaited(self) -> tuple[Seat, ...]:
        """Return the seats whose orders the coming ply waits for, in the rule book's order."""
        awaited = self.game.rules.awaiting(self.state)
        return tuple(seat for seat in self.seats if seat in awaited)

    @property
    def gone(self) -> frozenset[Seat]:
        """Return the seats that have left the match, though it goes on."""
        return frozenset(self.game.rules.gone(self.state))

    @property
    def setting(self) -> Setting:
        """Return what was agreed when the match opened."""
        match = self.match
        options = self.game.options
        return Setting.of(options, match.variant, match.options, self.seats, match.board)

    @property
    def chance(self) -> Chance:
        game, match = self.game, self.match
        return Chance(match.seed, match.name, game.proof.phrases(self.state), game.proof.label)

    @property
    def draw_offers(self) -> tuple[str, ...]:
        """Return the seats whose offers of a draw stand and were told."""
        if self.match.status == "over":
            return ()
        standing = [d for d in self.declarations if (d.kind, d.status) == ("DRAW", "standing")]
        return tuple(d.seat for d in standing)

    @property
    def draw_offer(self) -> str | None:
        """Return the first seat whose offer of a draw stands."""
        return next(iter(self.draw_offers), None)

    @property
    def resigned(self) -> frozenset[str]:
        """Return the seats whose resignations take effect at the next tick."""
        return frozenset(d.seat for d in self.declarations if d.kind == "RESIGN")


def load(tx: Tx, name: str) -> Loaded:
    """Load a match by its name. Raises Refusal with the nearest name if there is no such match."""
    match = matches.find(tx, name)
    if match is None:
        text = say("there is no match '{name}'", name=shown(name))
        raise unknown(text, name.lower(), matches.names(tx))
    return gather(tx, match)


def load_open(tx: Tx, name: str) -> Loaded:
    """Load a match that is not over, for the game master's tools."""
    loaded = load(tx, name)
    if loaded.match.status == "over":
        raise Refusal(say("{match} is over and stays so", match=loaded.match.name))
    return loaded


def seated(tx: Tx, name: str) -> Seated:
    """Load a match, which must exist, without what the game holds."""
    match = matches.find(tx, name)
    assert match is not None
    return with_holders(tx, [match])[match.name]


def with_holders(tx: Tx, found: Collection[Match]) -> dict[str, Seated]:
    """Return matches by their names, without what their games hold."""
    holders = matches.holders_of(tx, [match.id for match in found])
    return {
        match.name: Seated(match=match, game=game_of(match.game), holders=holders[match.id])
        for match in found
    }


def gather(tx: Tx, match: Match) -> Loaded:
    game = game_of(match.game)
    whole = whole_match.of_match(tx, match.id, match.ply)
    last, sheets = whole.last, whole.sheets
    return Loaded(
        match=match,
        game=game,
        state=decoder(game.rules.state).decode(last.snapshot),  # type: ignore[arg-type]  # is hashable
        since=last.adjudicated_at,
        holders=whole.holders,
        sheets=sheets.in_force,
        declarations=whole.declarations,
        kept=sheets.kept,
        head=last.head,
        added=last.added,
    )


def game_of(slug: str) -> AnyGame:
    if slug not in GAMES:
        raise unknown(say("there is no game '{name}'", name=shown(slug)), slug, GAMES)
    return GAMES[slug]


def titles(loaded: Loaded, seats: Iterable[str]) -> Message:
    """Name the seats as each reader calls them."""
    return listed(loaded.game.seat_titles[Seat(seat)] for seat in seats)


def seat_of(game: AnyGame, word: str) -> Seat:
    """Return the seat that a word in any of our languages means. Raises Refusal."""
    key = word.casefold()
    for seat in game.seats:
        if seat == key:
            return seat
    if key in game.seat_words:
        return game.seat_words[key]
    titles = listed(game.seat_titles[seat] for seat in game.seats)
    text = say("there is no seat '{seat}'", seat=shown(word))
    raise unknown(text, key, [*game.seats, *game.seat_words], titles)
