"""Open a new match: as it is wished, or like a template. Those are in the configuration, and each
game's name is one (club, 6.2)."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NoReturn

from msgspec import Struct, structs

from adjudicator import __version__
from adjudicator.core import chain, public_chance, seat_lots
from adjudicator.core.dice import Chance
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import LANGUAGES, Message, say
from adjudicator.core.orders import folded, shown
from adjudicator.core.sheets import KEYWORDS
from adjudicator.games import GAMES
from adjudicator.mail.address import PERSONS
from adjudicator.reports.words import words
from adjudicator.service.base import deadlines, loaded_match, lots_of_match
from adjudicator.service.base.bank import A_SECOND
from adjudicator.service.base.context import (
    Context,
    MatchTemplate,
    OpenClub,
    Refusal,
    Session,
    unknown,
)
from adjudicator.service.base.loaded_match import MatchSession, game_of, load_open
from adjudicator.service.base.options import agree, refuse_unsigned, terms
from adjudicator.service.matches import append_ply, entering, unopened
from adjudicator.service.matches.seating import keep_apart, seats_of, start_when_full
from adjudicator.service.reports.standing import report_context_of
from adjudicator.store import clubs, ladders, matches, tournaments, turns
from adjudicator.store.database import Twice, Tx

TRIES = 5  # at a name of our own, which others may take meanwhile
_NAME = re.compile(r"[a-z][a-z0-9-]{0,23}")
GAME_NAMES = frozenset(GAMES)
# Of a game whose name is taken as a template, and of the matches of a tournament.
OPTIONS = ("deadline=every 3 days", "bank=5 days", "absence=forfeit", "leave=auto")


class NewMatch(Struct, frozen=True, kw_only=True):
    """A match as the game master asks for it.

    `seats` are texts `SEAT=PLAYER`; the player `open` leaves the seat to be joined.
    """

    game: str
    variant: str | None
    name: str | None
    seats: Sequence[str]
    options: Sequence[str]
    seed: str | None
    fresh_seed: bytes
    leave_open: bool = False
    board: str | None = None  # the text of a file
    by_lot: bool = False  # who has which seat is drawn; `seats` are in the order of their numbers
    for_tournament: bool = False  # its name is that of a tournament's round and board


def create(
    club: OpenClub, wanted: NewMatch, *, then: Callable[[Tx, str], object] = lambda tx, name: None
) -> str:
    """Open the match with its ply 0 and the first reports; return its name. What comes `then` is
    done in the same transaction."""
    for _ in range(TRIES):
        try:
            with club.session() as s:
                name = create_in(s, wanted)
                then(s.tx, name)
                return name
        except Twice as clash:  # somebody else took the name between our look and our writing
            last = clash
    raise last


class _Agreed(Struct, frozen=True):
    """What a new match is made with, once all of it is known to be right."""

    game: AnyGame
    variant: str
    board: str
    seats: Mapping[str, str | None]
    options: Mapping[str, str]
    seed: bytes
    lots: str | None = None


def create_in(s: Session, wanted: NewMatch) -> str:
    """Open a match as a part of something else; return its name. Raises Refusal."""
    game = game_of(wanted.game)
    variant = variant_of(game, wanted.variant)
    board = _board(game, wanted.board)
    seats = seats_of(game, variant, board, wanted.seats, leave_open=wanted.leave_open)
    options = agree(game, (f"chance={s.context.chance}", *wanted.options), len(seats))
    people = [one for one in seats.values() if (one or "").lower() not in game.computers]
    refuse_unsigned(options, len(people))
    seed = wanted.fresh_seed if wanted.seed is None else parse_seed(wanted.seed)
    agreed = _Agreed(game, variant, board, seats, options, seed)
    if wanted.by_lot:
        agreed = _by_lot(agreed)
    if options["chance"] != public_chance.SEED:
        return _create_unopened(s, wanted, agreed)
    name = _name(s.tx, game, wanted)
    taken = tuple(seat for seat in game.seats if seat in seats)
    setting = Setting.of(game.options, variant, options, taken, board)
    chance = Chance(agreed.seed, name, label=game.proof.label)
    state = game.rules.set_up(setting, chance)
    position = {"ply": 0, "turn": game.rules.turn(state)}
    match_id = _insert(s, name, wanted, agreed, position)
    turns.append(s.tx, match_id, entering.ply_0(game, state, s.now), [])
    keep_apart(s.tx, matches.people_of(s.tx, match_id))
    start_when_full(s.tx, load_open(s.tx, name), s.now)
    opened = entering.write_first_line(s, name)
    if game.rules.opens_at_once:
        entering.play_first_ply(s, opened)
        return name
    append_ply.publish(s, report_context_of(s.tx, opened))
    deadlines.reschedule(MatchSession(s.tx, opened, s.now))
    return name


def _by_lot(agreed: _Agreed) -> _Agreed:
    """Draw who has which seat, unless a public number has to be known for that."""
    if agreed.options["chance"] != public_chance.SEED:
        return structs.replace(agreed, lots=lots_of_match.PENDING)
    taken = [seat for seat in agreed.game.seats if seat in agreed.seats]
    lots = seat_lots.draw(agreed.seed, taken)
    players = [agreed.seats[seat] for seat in taken]
    seats = {one.seat: players[one.number - 1] for one in lots}
    return structs.replace(agreed, seats=seats, lots=lots_of_match.as_row(lots))


def _create_unopened(s: Session, wanted: NewMatch, agreed: _Agreed) -> str:
    """Make the rows of a match whose chance takes a public number: its seed, and no position."""
    name = _name(s.tx, agreed.game, wanted)
    match_id = _insert(s, name, wanted, agreed, {"ply": -1, "turn": 0})
    keep_apart(s.tx, matches.people_of(s.tx, match_id))
    unopened.refuse_too_early(unopened.waiting(s.tx, name).match, "UTC", s.now)
    unopened.begin_to_wait(s, name)
    return name


def _insert(
    s: Session, name: str, wanted: NewMatch, agreed: _Agreed, position: Mapping[str, int]
) -> int:
    """Insert the rows of a match and its seats; return its id."""
    match_id = matches.insert(
        s.tx,
        {
            "name": name,
            "game": agreed.game.slug,
            "variant": agreed.variant,
            "options": agreed.options,
            "board": agreed.board,
            "seed": agreed.seed,
            "seed_given": wanted.seed is not None,
            "lots": agreed.lots,
            "status": "open",
            **position,
            "created_at": s.now,
            "log_key": bytes.fromhex(s.context.committer()),
            "label": chain.LABEL,
            "logged_by": __version__,
            "package": GAMES.package(agreed.game.slug),
        },
    )
    taken = (seat for seat in agreed.game.seats if seat in agreed.seats)
    bank = terms(agreed.options).bank
    row = {"match_id": match_id, "bank": None if bank is None else bank.start // A_SECOND}
    rows = [{**row, **_holder(s.tx, agreed.game, agreed.seats, seat)} for seat in taken]
    matches.insert_seats(s.tx, rows)
    return match_id


def variant_of(game: AnyGame, wanted: str | None) -> str:
    """Return the variant of that name, or the game's first. Raises Refusal."""
    if wanted is None:
        return game.variants[0]
    if wanted.lower() not in game.variants:
        text = say("{game} has no variant '{seen}'", game=game.title, seen=shown(wanted))
        raise unknown(text, wanted.lower(), game.variants)
    return wanted.lower()


def _board(game: AnyGame, text: str | None) -> str:
    """Return the board of a file as the game keeps it; empty for the variant's own."""
    if text is None:
        return ""
    if game.board is None:
        raise Refusal(say("{game} is always played on its own boards", game=game.title))
    board = game.board(text)
    if isinstance(board, Message):
        raise Refusal(board)
    return board


def refuse_phrases(game: AnyGame) -> NoReturn:
    """Say why the players' phrases are not wanted, as they were in Spion until 0.2.28."""
    if game.rules.opens_at_once:
        raise Refusal(
            say("no phrases are used any more: the cards are dealt when the match is made")
        )
    raise Refusal(say("{game} does not use phrases", game=game.title))


def parse_seed(text: str) -> bytes:
    if not re.fullmatch(r"[0-9a-fA-F]{64}", text):
        raise Refusal(say("a seed must be 64 hex digits, not '{seen}'", seen=shown(text)))
    return bytes.fromhex(text)


def _name(tx: Tx, game: AnyGame, wanted: NewMatch) -> str:
    """Return a name that cannot be mistaken in a sheet's head, whatever the game."""
    if wanted.name is None:
        number, prefix = matches.count_of(tx, game.slug) + 1, _prefix(tx, game)
        taken = tournaments.names(tx)
        while matches.find(tx, f"{prefix}{number}") or f"{prefix}{number}" in taken:
            number += 1
        return f"{prefix}{number}"
    name = wanted.name.lower()
    if not _NAME.fullmatch(name):
        raise Refusal(
            say(
                "'{seen}' cannot name a match; write a letter, then up to 23 letters, digits or -",
                seen=shown(wanted.name),
            )
        )
    if not wanted.for_tournament:
        for one in tournaments.names(tx):
            if name == one or is_of_tournament(name, [one]):
                raise Refusal(
                    say(
                        "'{seen}' is a name of the tournament {name}; choose another name",
                        seen=name,
                        name=one,
                    )
                )
    refuse_name(tx, name)
    return name


def is_of_tournament(name: str, tournaments: Iterable[str]) -> bool:
    """Return whether a match could be one of these tournaments, by its name NAME-ROUND-BOARD."""
    return any(re.fullmatch(rf"{re.escape(one)}-\d+-\d+b?", name) for one in tournaments)


def refuse_name(tx: Tx, name: str) -> None:
    """Refuse a name of a match, a tournament or a ladder that means something else, or is taken by
    a match or a ladder."""
    if name == PERSONS:
        raise Refusal(
            say("'{seen}' means a player in email addresses; choose another name", seen=name)
        )
    if folded(name) in KEYWORDS or any(folded(name) in _words_of(g) for g in GAMES.values()):
        raise Refusal(say("'{seen}' is a word used in orders; choose another name", seen=name))
    if matches.find(tx, name):
        raise Refusal(say("there is already a match {name}", name=name))
    if name in ladders.names(tx):
        raise Refusal(say("there is already a ladder {name}", name=name))


def _prefix(tx: Tx, game: AnyGame) -> str:
    """Return how names begin that we choose. A restored club may have had matches of which it does
    not know, so its epoch is in them."""
    restored = clubs.last_restore(tx) is not None
    return f"{game.slug}-{clubs.epoch(tx)}-" if restored else f"{game.slug}-"


def _words_of(game: AnyGame) -> set[str]:
    """Return the words of the game's order lines, its seats among them, in all languages."""
    tells = [words(language, game.slug) for language in LANGUAGES]
    orders = (tell(word) for tell in tells for word in game.orders.lexicon.words.values())
    return {folded(word) for word in (*game.seats, *game.seat_words, *orders)}


def _holder(tx: Tx, game: AnyGame, seats: Mapping[str, str | None], seat: str) -> dict[str, object]:
    player = seats[seat]
    nobody: dict[str, object] = {"computer": None, "player_id": None}
    return {
        "name": seat,
        "tenure": clubs.first_tenure(tx),
        "ordered_ply": 0,
        "not_ready_ply": None,
        **(nobody if player is None else holder_of(tx, game, player)),
    }


def holder_of(tx: Tx, game: AnyGame, player: str) -> dict[str, object]:
    """Return the columns that say who holds a seat: a built-in player or a person."""
    word = player.lower()
    if word in game.computers:
        return {"computer": word, "player_id": None}
    if word.startswith("computer"):
        text = say("there is no built-in player '{name}'", name=shown(player))
        raise unknown(text, word, game.computers)
    return {"computer": None, "player_id": loaded_match.find_player(tx, player).id}


# Templates of matches.


def all_templates(context: Context) -> Mapping[str, MatchTemplate]:
    """Return all templates by their names; those of the configuration win."""
    games = {slug: MatchTemplate(slug, options=OPTIONS) for slug in GAMES}
    return {**games, **context.templates}


def find_template(context: Context, name: str, game: str | None = None) -> MatchTemplate:
    """Return a template, for this game if one is named.

    Raises Refusal if there is none, with the nearest name, or if it names no game or another one.
    """
    known = all_templates(context)
    found = known.get(name.lower())
    if found is None and (why := GAMES.why_missing(name.lower())) is not None:
        raise Refusal(why)
    if found is None:
        raise unknown(say("there is no template '{name}'", name=shown(name)), name.lower(), known)
    if (why := GAMES.why_missing(found.game)) is not None:
        raise Refusal(why)
    if found.game not in GAMES:
        text = say(
            "the template {name} names no game ('{seen}')", name=name, seen=shown(found.game)
        )
        raise unknown(text, found.game, GAMES)
    if game is not None and game.lower() != found.game:
        raise Refusal(
            say(
                "the template {name} is for {game}, not for {seen}; leave the game out",
                name=name,
                game=found.game,
                seen=shown(game),
            )
        )
    return found


def seats_for(game: AnyGame, variant: str, players: int) -> Sequence[Seat]:
    """Return the seats that so many players take. Raises Refusal if they cannot play."""
    seating = game.seating(variant, "")
    if seating:
        if players in seating:
            return seating[players]
        numbers = ", ".join(map(str, seating))
    else:
        if players in game.players:
            return game.seats[:players]
        least, most = game.players[0], game.players[-1]
        numbers = str(least) if least == most else f"{least}-{most}"
    raise Refusal(
        say(
            "{game} is for {numbers} players, not for {n}",
            game=say(game.title),
            numbers=numbers,
            n=players,
        )
    )
