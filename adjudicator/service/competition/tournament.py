"""A tournament as its rows are: entries, pairings, and what follows from them (club, 7)."""

from collections.abc import Sequence

from adjudicator.core import contest_log
from adjudicator.core.game import AnyGame
from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.core.pairing.table import TableLine
from adjudicator.games import GAMES
from adjudicator.service.base.context import Refusal, unknown
from adjudicator.service.competition.kinds import KINDS, knockout
from adjudicator.service.competition.kinds.kind import Tournament
from adjudicator.service.matches.creation import seats_for
from adjudicator.store import tournaments
from adjudicator.store.database import Store, Tx
from adjudicator.store.tournaments import EntryRow, TournamentRow


def is_played(row: TournamentRow) -> bool:
    """Return whether this version of the program has the game of a tournament."""
    return row.game in GAMES


def load(tx: Tx, row: TournamentRow) -> Tournament:
    entries, pairings = tournaments.entries(tx, row.id), tournaments.pairings(tx, row.id)
    last = tournaments.last_log_line(tx, row.id)
    return Tournament(row, entries, pairings, KINDS.get(row.kind), last)


def find(tx: Tx, name: str) -> Tournament:
    """Return the tournament of that name. Raises Refusal with the nearest one."""
    row = tournaments.find(tx, name.lower())
    if row is None:
        raise _unknown(tx, name)
    return load(tx, row)


def take(tx: Tx, name: str) -> Tournament:
    """Lock a tournament and return it; raises Refusal with the nearest name."""
    row = tournaments.take(tx, name.lower())
    if row is None:
        raise _unknown(tx, name)
    return load(tx, row)


def one_of_club(store: Store, name: str) -> Tournament:
    """Return a tournament to show it. Raises Refusal."""
    with store.reading() as tx:
        return find(tx, name)


def all_of_club(store: Store) -> list[Tournament]:
    with store.reading() as tx:
        return all_readable(tx)[0]


def all_readable(tx: Tx) -> tuple[list[Tournament], list[str]]:
    """Return the tournaments, the oldest first, and the names of those that cannot be read, which
    keep no other from being shown."""
    found, spoilt = list[Tournament](), list[str]()
    for name in tournaments.names(tx):
        try:
            one = find(tx, name)
            _check(one)
        except (ValueError, LookupError):
            spoilt.append(name)
        else:
            found.append(one)
    return found, spoilt


def _check(tournament: Tournament) -> None:
    """Raise ValueError if rows of a tournament are not what any version of ours has written."""
    known = {one.id for one in tournament.entries}
    paired = {id_ for one in tournament.pairings for id_ in one.entries}
    if tournament.row.kind not in KINDS or not paired <= known:
        raise ValueError(tournament.row.name)


def _unknown(tx: Tx, name: str) -> Refusal:
    text = say("there is no tournament {name}", name=shown(name))
    return unknown(text, name.lower(), tournaments.names(tx))


def table_of(tournament: Tournament, before: int | None = None) -> list[TableLine]:
    """Return the table as it is now, or as the rounds before one give it (club, 7.7)."""
    return tournament.kind.table(tournament, before)


def head_of_log(tournament: Tournament) -> Message:
    """Say the head of the last line of the log, or why there is none to be seen."""
    last = tournament.shown_log
    if last is not None:
        label = contest_log.head_label(tournament.row.name, last.n)
        return say("Log fingerprint {label}: {digest}", label=label, digest=last.head)
    if tournament.logged is not None:
        return say("The log is shown at the end, because the names of the players are hidden.")
    return say("The tournament began before tournaments had logs.")


def goes_on(tournament: Tournament, entry: EntryRow) -> bool:
    """Return whether an entry may still play: it has not withdrawn, is not knocked out, and its
    last match is not over."""
    row = tournament.row
    if row.status not in ("open", "waiting", "playing", "held") or entry.status == "withdrawn":
        return False
    own = [one for one in tournament.pairings if entry.id in one.entries]
    if not own or any(one.done_at is None for one in own):
        return True
    if not tournament.kind.knocks_out:
        return row.round < tournament.rounds
    number = tournament.numbers[entry.id]
    last = own[-1]
    is_drawn = len({*last.points}) == 1 and any(last.points) and not last.again
    return is_drawn or knockout.winner_of(tournament, last.round, last.board) == number


def playing_in(tx: Tx, player_id: int) -> list[str]:
    """Return the tournaments in which a player may still play."""
    found = [load(tx, row) for row in tournaments.of_person(tx, player_id)]
    return [
        one.row.name
        for one in found
        for entry in one.entries
        if entry.player_id == player_id and goes_on(one, entry)
    ]


def seats_of(game: AnyGame, variant: str, count: int) -> Sequence[str]:
    """Return the seats that so many players take, in their order; empty if they cannot play."""
    try:
        return seats_for(game, variant, count)
    except Refusal:
        return ()
