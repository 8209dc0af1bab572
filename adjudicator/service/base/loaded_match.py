"""Load a match for the use cases: its rows become the game's own values."""

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cache
from typing import Any

from msgspec import Struct
from msgspec.json import Decoder
from msgspec.structs import replace

from adjudicator.core.dice import Chance
from adjudicator.core.game import AnyGame
from adjudicator.core.match import HIDDEN, Seat, Setting
from adjudicator.core.message import Message, listed, say
from adjudicator.core.orders import shown
from adjudicator.games import GAMES
from adjudicator.service.base.context import BREAKDOWNS, Refusal, unknown
from adjudicator.service.base.options import shows_names, terms
from adjudicator.service.base.public_number import which_number, why_unopened
from adjudicator.store import matches, offers, players, rulings, whole_match
from adjudicator.store.database import FAULTS, StoreTrouble, Tx
from adjudicator.store.matches import Holder, Match
from adjudicator.store.offers import Search
from adjudicator.store.players import Absence
from adjudicator.store.rulings import Declaration, Ruling
from adjudicator.store.submissions import KeptSheet, Submission
from adjudicator.store.whole_match import MatchRows

# Decoders of what is stored: one for each kind, because to make one costs more than to use it.


@cache
def decoder(kind: Any) -> Decoder[Any]:
    """Return the decoder of JSON to a kind of values: a type that the program names."""
    return Decoder(kind)


class Unreadable(Exception):
    """The rows of a match cannot be read, or this version does not know its game.

    The message is for the operator. It tells the kind of the fault and never its text, which might
    hold what he may not know.
    """

    def __init__(self, match: Match, why: Message) -> None:
        self.match = match
        self.why = why
        if match.status == "over":
            self.message = say("{match} cannot be read: {why}", match=match.name, why=why)
        else:
            self.message = say(
                "{match} cannot be read: {why}. `adjud gm cancel {match} --unread --reason TEXT` "
                "ends it",
                match=match.name,
                why=why,
            )
        super().__init__(str(self.message))


@contextmanager
def readable(match: Match) -> Iterator[None]:
    """Raise Unreadable where what is done with the rows of a match fails, unless the database or
    the machine is at fault."""
    try:
        yield
    except (Unreadable, Refusal, StoreTrouble, *FAULTS, *BREAKDOWNS, MemoryError):
        raise
    except Exception as fault:
        kind = type(fault).__name__
        why = say("a fault in its rows ({kind})", kind=kind)
        if match.game not in GAMES:
            why = _why_no_game(match)
        elif match.package not in ("", here := GAMES.package(match.game)):
            why = say(
                "it was played with {before}, and {now} cannot read it ({kind}); install {before} "
                "again",
                before=match.package,
                now=here or say("this version"),
                kind=kind,
            )
        raise Unreadable(match, why) from fault


def _why_no_game(match: Match) -> Message:
    """Return why the game of a match is not there, and what to do."""
    if (why := GAMES.why_missing(match.game)) is not None:
        return why
    if match.package:
        return say(
            "it was played with the game '{name}' of the package {package}, which is not "
            "installed; install it",
            name=shown(match.game),
            package=match.package,
        )
    return say("this version does not know the game '{name}'", name=shown(match.game))


class Seated(Struct, frozen=True, kw_only=True):
    """A match and who holds its seats: what an email needs beside what it carries."""

    match: Match
    game: AnyGame
    holders: Mapping[str, Holder]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.match!r})"  # never the state, nor sheets

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Return the seats of this match in the rule book's order."""
        return tuple(seat for seat in self.game.seats if seat in self.holders)

    @property
    def is_for_practice(self) -> bool:
        """Return whether the match is never counted for ratings, because a computer plays in it:
        only there orders are suggested."""
        return any(holder.computer for holder in self.holders.values())

    @property
    def has_begun(self) -> bool:
        """Return whether there was a ply beside those of the opening."""
        return self.match.ply > int(self.game.rules.opens_at_once)


class Loaded(Seated, frozen=True, kw_only=True):
    """One match, as one transaction sees it. `sheets` are those in force for the coming ply, `kept`
    those for later ones, the next first. `head` is that of the log's chain, None if there is none;
    `added` counts the events since.

    A match whose chance takes a public number has no `position` before that number is known. Until
    then it has no ply and no head of its log, it waits for no orders, and what needs its `state` is
    refused.
    """

    position: Any  # None if there is none
    since: datetime
    sheets: Mapping[str, Submission] = {}
    declarations: Sequence[Declaration] = ()
    kept: Mapping[str, tuple[KeptSheet, ...]] = {}
    head: str | None = None
    added: int = 0
    # The days on which a seat's player is away, where a reserve stops on them (club, 5.2).
    away: Mapping[str, Sequence[Absence]] = {}
    # The searches for substitutes of silent seats of the coming ply (club, 6.3).
    searches: Sequence[Search] = ()

    @property
    def is_opened(self) -> bool:
        """Return whether the match has a position."""
        return self.position is not None

    @property
    def state(self) -> Any:
        """Return the position. Raises Refusal if there is none."""
        refuse_unopened(self)
        return self.position

    @property
    def coming(self) -> int:
        """Return the ply that is open for orders. Raises Refusal if there is no position."""
        refuse_unopened(self)
        return self.match.ply + 1

    @property
    def awaited(self) -> tuple[Seat, ...]:
        """Return the seats whose orders the coming ply waits for, in the rule book's order."""
        if not self.is_opened:
            return ()
        awaited = self.game.rules.awaiting(self.state)
        return tuple(seat for seat in self.seats if seat in awaited)

    @property
    def gone(self) -> frozenset[Seat]:
        """Return the seats that have left the match, though it goes on."""
        return frozenset(self.game.rules.gone(self.state)) if self.is_opened else frozenset()

    @property
    def setting(self) -> Setting:
        """Return what was agreed when the match opened."""
        match = self.match
        options = self.game.options
        return Setting.of(options, match.variant, match.options, self.seats, match.board)

    @property
    def chance(self) -> Chance:
        return chance_of(self.match, self.game, self.game.proof.phrases(self.state))

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


def refuse_unopened(loaded: Loaded) -> None:
    """Raise Refusal if a match has no position yet, or was cancelled before it had one."""
    if not loaded.is_opened:
        match = loaded.match
        raise Refusal(
            say("{match} has not opened: {why}", match=match.name, why=why_unopened(match))
        )


def chance_of(match: Match, game: AnyGame, phrases: tuple[str, ...] = ()) -> Chance:
    """Return the chance of a match, whose public number, if it has one, is known."""
    if not match.public_value:
        return Chance(match.seed, match.name, game.proof.label, phrases)
    number = which_number(match), match.public_value
    return Chance.of_number(match.seed, match.name, *number, game.proof.label, phrases)


def load(tx: Tx, name: str) -> Loaded:
    """Load a match by its name, whether it has a position or not.

    Raises Refusal with the nearest name if there is no such match, and Unreadable.
    """
    return gather(tx, find(tx, name))


def find(tx: Tx, name: str) -> Match:
    """Return the row of a match, whether the match can be read or not. Raises Refusal with the
    nearest name if there is none."""
    match = matches.find(tx, name)
    if match is None:
        text = say("there is no match '{name}'", name=shown(name))
        raise unknown(text, name.lower(), matches.names(tx))
    return match


def load_open(tx: Tx, name: str) -> Loaded:
    """Load a match that has a position and is not over, for the game master's tools."""
    loaded = load_with_position(tx, name)
    _refuse_over(loaded)
    return loaded


def load_with_position(tx: Tx, name: str) -> Loaded:
    """Load a match that has a position."""
    loaded = load(tx, name)
    refuse_unopened(loaded)
    return loaded


def load_going(tx: Tx, name: str) -> Loaded:
    """Load a match that is not over, whether it has a position or not."""
    loaded = load(tx, name)
    _refuse_over(loaded)
    return loaded


def _refuse_over(loaded: Loaded) -> None:
    if loaded.match.status == "over":
        raise Refusal(say("{match} is over and stays over", match=loaded.match.name))


def load_seats(tx: Tx, name: str) -> Seated:
    """Load a match, which must exist, without what the game holds. Raises Unreadable."""
    match = matches.find(tx, name)
    assert match is not None
    with readable(match):
        return _seated(match, matches.holders(tx, match.id))


def public_holders(match: Match, holders: Mapping[str, Holder]) -> Mapping[str, Holder]:
    """Return the holders of a match as everybody may know them: without names, if it hides them
    until its end (club, 6.4)."""
    if shows_names(match.status, match.options):
        return holders
    return {seat: replace(holder, hidden=True) for seat, holder in holders.items()}


def with_holders(tx: Tx, found: Collection[Match]) -> dict[str, Seated]:
    """Return matches by their names, without what their games hold; those that cannot be read are
    left out."""
    try:
        holders = matches.holders_of(tx, [match.id for match in found])
    except ValueError:  # in a row of one of them
        holders = None
    seated_in = {}
    for match in found:
        with suppress(Unreadable), readable(match):
            held = matches.holders(tx, match.id) if holders is None else holders[match.id]
            seated_in[match.name] = _seated(match, held)
    return seated_in


def _seated(match: Match, holders: Mapping[str, Holder]) -> Seated:
    _check(match)
    return Seated(match=match, game=GAMES[match.game], holders=public_holders(match, holders))


def _check(match: Match) -> None:
    """Raise some error if the row of a match is not what any version of ours has written."""
    is_played = match.status in ("playing", "held")
    if match.is_spoilt or match.variant not in GAMES[match.game].variants:
        raise ValueError
    if is_played and not match.is_opened:
        raise ValueError
    try:
        terms(match.options)
    except Refusal:
        raise ValueError from None


def gather(tx: Tx, match: Match) -> Loaded:
    """Load a match whose row is known, whether it has a position or not. Raises Unreadable."""
    with readable(match):
        _check(match)
        if not match.is_opened:
            return Loaded(
                match=match,
                game=GAMES[match.game],
                position=None,
                since=match.created_at,
                holders=public_holders(match, matches.holders(tx, match.id)),
            )
        stored = whole_match.of_match(tx, match.id, match.ply)
        away = _days_away(tx, [(match, stored.holders)])
        return _loaded(match, stored, away, _searches(tx, [match]).get(match.id, ()))


def gather_some(tx: Tx, found: Iterable[Match]) -> Iterator[Loaded]:
    """Load matches one after the other, with statements that are as many for one. Left out are
    those that are not opened or cannot be read; all, if a row of one is not what a column holds."""
    opened = [one for one in found if one.is_opened]
    try:
        rows = whole_match.of_matches(tx, [one.id for one in opened])
        opened = [one for one in opened if one.id in rows]
        away = _days_away(tx, [(one, rows[one.id].holders) for one in opened])
        searches = _searches(tx, opened)
    except ValueError:
        return
    for match in opened:
        loaded = None
        with suppress(Unreadable), readable(match):
            _check(match)
            of_match = searches.get(match.id, ())
            loaded = _loaded(match, rows[match.id].read(), away, of_match)
        if loaded:
            yield loaded


def _loaded(
    match: Match, stored: MatchRows, away: Sequence[Absence], searches: Sequence[Search]
) -> Loaded:
    game = GAMES[match.game]
    loaded = Loaded(
        match=match,
        game=game,
        position=decoder(game.rules.state).decode(stored.snapshot),  # type: ignore[arg-type]  # is hashable
        since=stored.since,
        holders=public_holders(match, stored.holders),
        sheets=stored.sheets,
        declarations=stored.declarations,
        kept=stored.kept,
        head=stored.head,
        added=stored.added,
        away=_away(match, stored.holders, away),
        searches=searches,
    )
    game.rules.awaiting(loaded.state)  # fails for a state that is none
    return loaded


def _stops_reserves(match: Match) -> bool:
    """Return whether reserves of the match stop on days on which their players are away; False if
    what was agreed cannot be read."""
    try:
        agreed = terms(match.options)
    except (Refusal, ValueError):
        return False
    return agreed.has_reserve and agreed.leave != "none"


def _days_away(tx: Tx, found: Iterable[tuple[Match, Mapping[str, Holder]]]) -> Sequence[Absence]:
    """Return the days on which the players of matches are away, if reserves stop on them."""
    holders = (one for match, held in found if _stops_reserves(match) for one in held.values())
    ids = sorted({one.player_id for one in holders if one.player_id is not None})
    return players.days_away(tx, ids) if ids else ()


def _away(
    match: Match, holders: Mapping[str, Holder], found: Sequence[Absence]
) -> Mapping[str, Sequence[Absence]]:
    """Return the days of each seat on which no reserve runs; none in a match without one."""
    if not _stops_reserves(match):
        return {}
    return {
        seat: tuple(one for one in found if one.player_id == holder.player_id)
        for seat, holder in holders.items()
    }


def _searches(tx: Tx, found: Iterable[Match]) -> Mapping[int, Sequence[Search]]:
    """Return the searches for substitutes of the coming plies; none in matches without them."""
    theirs = [one.id for one in found if one.options.get("substitutes", "off") != "off"]
    return offers.searches_of_coming_plies(tx, theirs) if theirs else {}


def rulings_since(tx: Tx, match: Match, ply: int) -> list[Ruling]:
    """Return the rulings that were made while that ply or a later one was the last. Raises
    Unreadable."""
    with readable(match):
        return rulings.since(tx, match.id, ply)


def game_of(slug: str) -> AnyGame:
    """Return a game that somebody names. Raises Refusal with the nearest name."""
    if slug not in GAMES:
        if (why := GAMES.why_missing(slug)) is not None:
            raise Refusal(why)
        raise unknown(say("there is no game '{name}'", name=shown(slug)), slug, GAMES)
    return GAMES[slug]


def game_of_club(slug: str) -> AnyGame:
    """Return the game of a tournament or a ladder. Raises Refusal if it is not here any more."""
    if slug not in GAMES:
        missing = say(
            "the game '{game}' is not here any more; install its package again", game=shown(slug)
        )
        raise Refusal(GAMES.why_missing(slug) or missing)
    return GAMES[slug]


def titles(loaded: Loaded, seats: Iterable[str]) -> Message:
    """Name the seats as each reader calls them."""
    return listed(loaded.game.seat_titles[Seat(seat)] for seat in seats)


def person(loaded: Seated, seat: str) -> Message:
    """Name who plays a seat, as in "Anna (White)"; by the seat alone if names are hidden."""
    if loaded.holders[seat].shown_name == HIDDEN:
        return loaded.game.seat_titles[Seat(seat)]
    return say(
        "{name} ({seat})",
        name=loaded.holders[seat].player_name or say("The computer"),
        seat=loaded.game.seat_titles[Seat(seat)],
    )


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


# One use case on one match: its transaction, the time, and the match as its rows are.


class MatchSession:
    """The match is loaded once, and once more after its rows have changed, when it is next asked
    for. So nothing is changed in memory beside the database: whoever writes calls `changed`.

    `now` is the time at which what is done counts.
    """

    def __init__(self, tx: Tx, loaded: Loaded, now: datetime) -> None:
        self.tx, self.now = tx, now
        self.name = loaded.match.name
        self._loaded: Loaded | None = loaded

    @property
    def loaded(self) -> Loaded:
        if self._loaded is None:
            self._loaded = load(self.tx, self.name)
        return self._loaded

    def mark_changed(self) -> None:
        """Note that rows of the match have changed."""
        self._loaded = None

    def change_seat(self, seat: Seat, **columns: Any) -> None:
        matches.update_seats(self.tx, self.loaded.match.id, [seat], **columns)
        self.mark_changed()


# Find players by their names, as a command or an option gives them.


def spelt_name(text: str) -> str:
    """Return a name as it is stored, however its blanks and its accents were typed."""
    return unicodedata.normalize("NFC", " ".join(text.split()))


def find_player(tx: Tx, text: str) -> players.Player:
    """Return the player of that name. Raises Refusal with the nearest name."""
    name = spelt_name(text)
    player = players.find(tx, name)
    if player is None:
        known = [entry.name for entry in players.all_players(tx)]
        raise unknown(say("there is no player '{name}'", name=shown(name)), name, known)
    if player.erased_at is not None:
        raise Refusal(say("{player} was erased and plays no more", player=player.name))
    return player
