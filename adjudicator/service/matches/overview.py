"""Show an operator, who may be a player too, matches, seats and times, but no outcomes;
and choose the matches that one command of the game master's is for."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from msgspec import Struct

from adjudicator.core.game import AnyGame
from adjudicator.core.match import HIDDEN
from adjudicator.core.message import Message, Value, say, tell
from adjudicator.core.orders import nearest, shown
from adjudicator.core.record import Refused, Replayed, Transcript, transcripts
from adjudicator.games import GAMES
from adjudicator.reports import frame
from adjudicator.service.base import looks
from adjudicator.service.base.calendar import later, rfc3339
from adjudicator.service.base.context import Refusal, unknown
from adjudicator.service.base.deadlines import announced_forfeits, end_of_search, silent_seats
from adjudicator.service.base.loaded_match import (
    Loaded,
    Unreadable,
    find,
    find_player,
    game_of,
    gather,
    load,
    load_seats,
    load_with_position,
    person,
    public_holders,
    readable,
    titles,
)
from adjudicator.service.base.public_number import (
    chance_option,
    is_too_early,
    number_due,
    number_named,
    which_number,
)
from adjudicator.service.reports import building
from adjudicator.service.reports.standing import read_log
from adjudicator.store import listings, matches, players, tournaments
from adjudicator.store.database import Store, Tx
from adjudicator.store.matches import Holder, Match

PAGE = 100  # matches that are shown at once


def status(
    store: Store, name: str | None, *, every: bool = False, gm: bool = False
) -> dict[str, Any]:
    """Return matches that are not over (or the one named, or `every` one), the queue, and trouble.

    Only with `gm` it says which awaited seats have not sent.
    """
    found = one(store, name, gm=gm) if name else entries(store, every=every, gm=gm)
    return {"matches": list(found), **queues(store)}


def one(store: Store, name: str, *, gm: bool = False) -> Iterator[Mapping[str, Any]]:
    """Yield the match of that name."""
    with store.reading() as tx:
        yield _entry(tx, find(tx, name), gm)


def page(
    store: Store, number: int, *, every: bool = False, gm: bool = False
) -> tuple[list[Mapping[str, Any]], bool]:
    """Return a page of matches, the pages counted from 1, and whether there is another one."""
    with store.reading() as tx:
        found = matches.some(tx, PAGE * (number - 1), PAGE + 1, every=every)
        return [_entry(tx, match, gm) for match in found[:PAGE]], len(found) > PAGE


def entries(store: Store, *, every: bool = False, gm: bool = False) -> Iterator[Mapping[str, Any]]:
    """Yield all matches, without holding all of them at once."""
    for number in count(1):
        found, more = page(store, number, every=every, gm=gm)
        yield from found
        if not more:
            return


def queues(store: Store) -> dict[str, Any]:
    """Return how many emails go out, and, if there are any, how many that came are stuck."""
    with store.reading() as tx:
        told: dict[str, Any] = {"letters": listings.outgoing_counts(tx)}
        stuck = listings.failed_emails(tx)
    return {**told, "letters_in": stuck} if stuck else told


def note(store: Store, name: str | None, *, now: datetime) -> None:
    """Note for all players of the match of that name, or of every match, that the game master is
    about to look up who has sent."""
    with store.reading() as tx:
        names = [find(tx, name).name] if name else matches.names_going(tx)
    for one_of in names:
        with suppress(Unreadable), store.transaction() as tx:
            looks.at_senders(tx, load_seats(tx, one_of), now)


def turn(loaded: Loaded) -> Message:
    """Name the turn to be ordered."""
    number = loaded.match.turn
    return say("Turn {turn}", turn=number) if number else say("Set-up, turn {turn}", turn=0)


def waits_for(loaded: Loaded) -> Message:
    """Say what a match waits for.

    It names all awaited seats, whoever has sent: nobody may learn that.
    """
    if loaded.match.status == "open" or not loaded.is_opened:
        return say("Waiting for players.")
    if loaded.match.status == "held":
        return say("On hold.")
    return say("Waiting for {seats}.", seats=titles(loaded, loaded.awaited))


def draw_offers(loaded: Loaded, seat: str) -> Iterator[Message]:
    """Yield what a seat reads of the offers that stand."""
    names: dict[str, Value] = {each: person(loaded, each) for each in loaded.seats}
    return frame.standing(loaded.draw_offers, seat, names)


def _entry(tx: Tx, match: Match, gm: bool) -> Mapping[str, Any]:
    """Return a match, or, if it cannot be read, what its own row says."""
    try:
        with readable(match):
            loaded = gather(tx, match)
            return _match(loaded, gm) if loaded.is_opened else _overview_of_unopened(loaded, gm)
    except Unreadable as unread:
        return {
            "match": match.name,
            "game": match.game,
            "variant": match.variant,
            "status": match.status,
            "turn": match.turn,
            "players": _holders(tx, match, gm),
            "awaited": [],
            "deadline": rfc3339(match.deadline_at),
            "trouble": str(unread),
            "unread": True,
        }


def _overview_of_unopened(loaded: Loaded, gm: bool) -> Mapping[str, Any]:
    """Return a match that has no position yet."""
    match = loaded.match
    return {
        "match": match.name,
        "game": match.game,
        "variant": match.variant,
        "status": match.status,
        "turn": match.turn,
        "players": {seat: _name(loaded.holders[seat], gm) for seat in loaded.seats},
        "awaited": [],
        "deadline": None,
        "trouble": match.trouble,
        "chance": {
            "option": chance_option(match),
            "which": which_number(match),
            "number": str(number_named(which)) if (which := which_number(match)) else "",
            "due": rfc3339(number_due(match)),
            "too_early": is_too_early(match),
        },
    }


def _name(holder: Holder, gm: bool) -> str:
    """Return who holds a seat; of a match that hides names only the game master sees them."""
    if gm and holder.player_name:
        return holder.player_name
    return "hidden" if holder.shown_name == HIDDEN else holder.shown_name


def _holders(tx: Tx, match: Match, gm: bool) -> Mapping[str, str]:
    """Return who holds the seats of a match that cannot be read; nobody if not even that can."""
    with suppress(Unreadable), readable(match):
        found = public_holders(match, matches.holders(tx, match.id))
        return {seat: _name(found[seat], gm) for seat in sorted(found)}
    return {}


def _match(loaded: Loaded, gm: bool) -> Mapping[str, Any]:
    match = loaded.match
    told: dict[str, Any] = {
        "match": match.name,
        "game": match.game,
        "variant": match.variant,
        "status": match.status,
        "turn": match.turn,
        "players": {seat: _name(loaded.holders[seat], gm) for seat in loaded.seats},
        "awaited": list(loaded.awaited),
        "deadline": rfc3339(match.deadline_at),
        "trouble": match.trouble,
    }
    if forfeits := {seat: rfc3339(at) for seat, at in announced_forfeits(loaded).items()}:
        told["forfeits"] = forfeits
    if match.status != "over" and (until := end_of_search(loaded)):  # all players were told
        told["substitutes_until"] = rfc3339(until)
    return {**told, "silent": list(silent_seats(loaded))} if gm else told


# Hint at what the operator may do next; the words are the same whoever has sent.


AFTER_SUBMIT = say("`adjud tick` adjudicates as soon as all orders are in")


def after_new(store: Store, name: str, *, sends_mail: bool) -> Message:
    """Say how a match goes on that has just been opened."""
    with store.reading() as tx:
        loaded = load(tx, name)
    if not loaded.is_opened:
        return _after_new_unopened(loaded.match)
    if loaded.match.status == "open" and any(one.kept for one in loaded.holders.values()):
        return say(
            "`adjud tick` sends the invitations; {match} begins when all have accepted", match=name
        )
    if loaded.match.status == "open":
        return say(
            "{match} begins when its open seats are filled, by JOIN in an email or `adjud gm "
            "replace`",
            match=name,
        )
    person = next((s for s in loaded.awaited if loaded.holders[s].player_id is not None), None)
    if person is None:
        return say("`adjud tick` plays it")
    if sends_mail:
        return say("`adjud tick` sends the first emails")
    return say(
        "`adjud report {match} {seat}` shows what to order, `adjud submit FILE` submits the "
        "orders, `adjud tick` adjudicates",
        match=name,
        seat=person,
    )


def _after_new_unopened(match: Match) -> Message:
    if match.full_at is None:
        return say(
            "{match} waits for players. When its last seat is taken, all players learn which "
            "public number decides; `adjud gm value` enters it",
            match=match.name,
        )
    return say(
        "{match} waits for {which}; `adjud gm value {match} VALUE` enters it and opens the match",
        match=match.name,
        which=number_named(which_number(match)),
    )


# Replay files of game records of any games, each game by its own rules.


def replay_files(files: Iterable[tuple[str, Iterable[str]]]) -> Iterator[Replayed | str]:
    """Yield every game of every file as it comes, or a sentence with file, line and reason."""
    for name, lines in files:
        for found in replay_lines(lines):
            if isinstance(found, Refused):
                yield tell(_place(name, found))
            else:
                yield found


def _place(name: str, refused: Refused) -> Message:
    return say(
        "{file}, line {line}: {reason}", file=name, line=refused.line, reason=refused.message
    )


def replay_lines(lines: Iterable[str]) -> Iterator[Replayed | Refused]:
    """Yield the games of one file, one at a time."""
    empty = True
    for transcript in transcripts(lines):
        empty = False
        yield transcript if isinstance(transcript, Refused) else _replay(transcript)
    if empty:
        yield Refused(1, say("there is no game in the file"))


def _replay(transcript: Transcript) -> Replayed | Refused:
    if "Game" not in transcript.tags:
        return transcript.refusal("Game", say("the tag {name} is missing", name="Game"))
    title = transcript.tags["Game"].value
    game = _game(title)
    if game is None:
        return transcript.refusal("Game", _unknown(title))
    if game.record.replay is None:
        return transcript.refusal(
            "Game", say("records of {game} cannot be replayed", game=game.title)
        )
    return game.record.replay(transcript)


def _game(title: str) -> AnyGame | None:
    return next((g for g in GAMES.values() if g.title.casefold() == title.casefold()), None)


def _unknown(title: str) -> Message:
    if (why := GAMES.why_missing(title.casefold())) is not None:  # mostly a game's slug, too
        return why
    titles = [game.title for game in GAMES.values()]
    if meant := nearest(title, titles):
        return say(
            "there is no game '{seen}'; did you mean {meant}?", seen=shown(title), meant=meant
        )
    return say(
        "there is no game '{seen}'; the games are {words}",
        seen=shown(title),
        words=", ".join(titles),
    )


def export(store: Store, name: str) -> str:
    """Return the record of a match that has ended.

    Raises Refusal for one that goes on: a record holds everything that its players may not know
    yet.
    """
    with store.reading() as tx:
        loaded = load_with_position(tx, name)
        if loaded.match.status != "over":
            raise Refusal(say("{match} has not ended; its record is secret until then", match=name))
        log = read_log(tx, loaded.match, loaded.game)
        return building.record(loaded, [event for _, event in log])


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


def select(store: Store, wanted: Selection, tool: str) -> list[str]:
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


# Which matches are late, or soon to be, and which wait for a player.
#
# None of it depends on what was sent for an open turn, unless the game master asks for that and all
# players are told (`service/base/looks`): a match is in these lists because of its deadline and of
# the seats that are to move by the rules.


def late(
    store: Store, within: timedelta, *, now: datetime, gm: bool = False, noting: bool = False
) -> list[Mapping[str, Any]]:
    """Return the matches whose deadline has passed or comes within so much time, the earliest
    first.

    A seat is named if it is the only one that is to move. With `gm` those that have not sent are
    named, and with `noting` that is a look, which is stored before.
    """
    with store.reading() as tx:
        due = matches.with_deadline(tx, until=later(now, within))
    if gm and noting:
        for match in due:
            with suppress(Unreadable), store.transaction() as tx:
                looks.at_senders(tx, load_seats(tx, match.name), now)
    with store.reading() as tx:
        return [_late(tx, match, now, gm=gm) for match in due]


def _late(tx: Tx, match: Match, now: datetime, *, gm: bool) -> Mapping[str, Any]:
    assert match.deadline_at is not None
    told: dict[str, Any] = {
        "match": match.name,
        "game": match.game,
        "turn": match.turn,
        "deadline": rfc3339(match.deadline_at),
        "late": match.deadline_at <= min(match.held_at or now, now),
        "held": match.status == "held",
        "alerted": match.alerted_ply == match.ply + 1,
        "seat": None,
        "trouble": match.trouble,
    }
    if here := tournaments.of_match(tx, match.id):
        told["tournament"] = here.tournament
    try:
        loaded = gather(tx, match)
    except Unreadable as unread:
        return {**told, "trouble": str(unread.message)}
    until = end_of_search(loaded)
    if until is not None and until > now:  # which all players were told
        told["substitutes_until"] = rfc3339(until)
    awaited = loaded.awaited
    told["seat"] = awaited[0] if len(awaited) == 1 else None
    return {**told, "silent": list(silent_seats(loaded))} if gm else told


def waiting_for(store: Store, name: str | None, operator: str) -> list[Mapping[str, Any]]:
    """Return the matches, as `status` shows them, in which a player is to move, those with the
    earliest deadline first: the player of that name, else who has the operator's address.

    Whether orders of theirs are here already is not asked. A match that hides names is there for
    the operator's own players alone. Raises Refusal if there is no such
    player.
    """
    with store.reading() as tx:
        people = _people(tx, name, operator)
        hidden = matches.hiding_names(tx)
        own = {one.id for one in players.all_at(tx, operator)} if hidden and operator else set()
        names = dict.fromkeys(
            match
            for one in people
            for match in matches.seats_of_player(tx, one).values()
            if one in own or match not in hidden
        )
        found = list(_waiting(tx, names, people))
    found.sort(key=lambda one: (one.match.deadline_at is None, one.match.deadline_at))
    return [entry for loaded in found for entry in one(store, loaded.match.name)]


def _people(tx: Tx, name: str | None, operator: str) -> list[int]:
    if name is not None:
        return [find_player(tx, name).id]
    if not operator:
        raise Refusal(say("the settings name no operator; say who you are with --player NAME"))
    found = [one.id for one in players.all_at(tx, operator)]
    if not found:
        raise Refusal(
            say(
                "no player has the operator's address, {address}; say who you are with --player "
                "NAME",
                address=operator,
            )
        )
    return found


def _waiting(tx: Tx, names: Iterable[str], people: Sequence[int]) -> Iterator[Loaded]:
    for name in names:
        with suppress(Unreadable):
            loaded = load(tx, name)
            mine = {seat for seat in loaded.seats if loaded.holders[seat].player_id in people}
            if loaded.match.status == "playing" and mine & set(loaded.awaited):
                yield loaded
