"""A tournament as its rows are: entries, pairings, and what follows from them (club, 7)."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from adjudicator.core.game import AnyGame
from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.core.pairing import fixed, points, table
from adjudicator.core.pairing.history import Pairing
from adjudicator.core.pairing.table import TableLine
from adjudicator.games import GAMES
from adjudicator.service.base.context import Refusal, unknown
from adjudicator.service.matches.templates import seats_for
from adjudicator.store import tournaments
from adjudicator.store.database import Store, Tx
from adjudicator.store.tournaments import EntryRow, Format, PairingRow, TournamentRow

KINDS: Mapping[str, Message] = {
    "round-robin": say("round robin"),
    "swiss": say("Swiss"),
    "knockout": say("knock-out"),
}
BYE_OF_PODS = points.WHOLE // 2  # the mean of a match, for there may be several byes (club, 7.6.2)


class EntryLimits(Struct, frozen=True):
    """How many can enter a kind of tournament."""

    least: int
    most: int


def limits(kind: str, form: Format) -> EntryLimits:
    """Return how many can enter (club, 7.1)."""
    match kind:
        case "round-robin":
            return EntryLimits(3, 9 if form.twice else 16)
        case "knockout":
            return EntryLimits(3, 64)
        case _:
            return EntryLimits(max(4, form.least), 128)


class Tournament(Struct, frozen=True, dict=True):
    """A tournament with its rows, at one moment."""

    row: TournamentRow
    entries: Sequence[EntryRow]
    pairings: Sequence[PairingRow]

    @property
    def game(self) -> AnyGame:
        """Return the game; raise Refusal if this version of the program has it no more."""
        if not is_played(self.row):
            text = say("{game} is not in this version of adjud", game=self.row.game)
            raise Refusal(text)
        return GAMES[self.row.game]

    @cached_property
    def numbers(self) -> Mapping[int, int]:
        """Return the number of each entry by its id; none has one before the start."""
        return {one.id: one.number for one in self.entries if one.number is not None}

    @cached_property
    def by_number(self) -> Mapping[int, EntryRow]:
        numbered = ((one.number, one) for one in self.entries if one.number is not None)
        return dict(sorted(numbered, key=lambda pair: pair[0]))

    @property
    def rounds(self) -> int:
        """Return how many rounds the tournament has, once it has started."""
        count, form = len(self.numbers), self.row.format
        match self.row.kind:
            case "round-robin":
                return len(fixed.berger(count, twice=form.twice))
            case "knockout":
                return fixed.rounds_of_bracket(count)
            case _:
                return form.rounds

    @cached_property
    def history(self) -> Sequence[Pairing]:
        return [self.played(row) for row in self.pairings]

    def played(self, row: PairingRow) -> Pairing:
        """Return a pairing as a value that knows its entries by their numbers."""
        known = [one for one in row.points if one is not None]
        return Pairing(
            round=row.round,
            board=row.board,
            again=row.again,
            entries=tuple(self.numbers[id_] for id_ in row.entries),
            points=tuple(known) if len(known) == len(row.points) else None,
            kind=row.kind,  # type: ignore[arg-type]  # the column has these values alone
            ending=row.ending,  # type: ignore[arg-type]
        )

    # Whose entry was withdrawn (club, 7.8).

    def has_withdrawn(self, entry: EntryRow) -> bool:
        """Return whether an entry has withdrawn, as everybody may know."""
        return entry.status == "withdrawn" and self.hidden_since(entry) is None

    @cached_property
    def withdrawn(self) -> Sequence[int]:
        return [number for number, one in self.by_number.items() if self.has_withdrawn(one)]

    @cached_property
    def uncounted(self) -> frozenset[int]:
        """Return the ids of the entries of a round robin that left it too early to count."""
        if self.row.kind != "round-robin":
            return frozenset()
        early = table.left_too_early(
            self.history, self.withdrawn, len(self.numbers), twice=self.row.format.twice
        )
        return frozenset(self.by_number[number].id for number in early)

    @cached_property
    def counted(self) -> Mapping[tuple[int, int, int], Pairing]:
        """Return what the table of a round robin counts, by the keys of the pairings. A match that
        is still played gives nothing yet, also if its entry has withdrawn and a substitute plays
        it."""
        done = [self.played(row) for row in self.pairings if row.done_at is not None]
        counted = table.counted_in_round_robin(
            done, self.withdrawn, len(self.numbers), twice=self.row.format.twice
        )
        return {(one.round, one.board, one.again): one for one in counted}

    def as_counted(self, pairing: PairingRow) -> Pairing:
        """Return a pairing as the table counts it."""
        own = self.played(pairing)
        return self.counted.get(pairing.key, own) if self.row.kind == "round-robin" else own

    def counts(self, pairing: PairingRow) -> bool:
        """Return whether a pairing counts for the table."""
        return not self.uncounted & {*pairing.entries}

    # Hidden names (club, 6.4): of a match that is not over nobody may find out who plays it.

    def hides(self, pairing: PairingRow) -> bool:
        """Return whether who meets in a pairing is not shown yet."""
        return (
            self.row.options.get("names") == "hidden"
            and pairing.kind == "match"
            and pairing.done_at is None
            and pairing.match_status != "over"
        )

    @cached_property
    def hides_numbers(self) -> bool:
        """Return whether numbers and lots are not shown yet, because pairings follow from them."""
        if self.row.options.get("names") != "hidden":
            return False
        going = self.row.status not in ("over", "cancelled")
        return going or any(self.hides(one) and one.match for one in self.pairings)

    def hidden_since(self, entry: EntryRow) -> int | None:
        """Return the first round in which an entry plays a match that hides it; None if it plays
        none now. What happens to an entry from then on would tell its seat."""
        rounds = (one.round for one in self.pairings if entry.id in one.entries and self.hides(one))
        return min(rounds, default=None)

    def players_of(self, entry: EntryRow) -> list[str]:
        """Return who has played for an entry, in their order, as everybody may know."""
        since = self.hidden_since(entry)
        if since is not None:
            later = [one.player for one in entry.before if one.until >= since]
            if later:
                earlier = [one.player for one in entry.before if one.until < since]
                return [*earlier, later[0]]
        return [*(one.player for one in entry.before), entry.player]

    def shown_name(self, entry: EntryRow) -> str:
        """Return who plays for an entry; where it changed hands, who did before stands first."""
        first, *later = self.players_of(entry)
        return ", ".join([first, *(f"then {name}" for name in later)])

    def of_round(self, round_: int) -> list[PairingRow]:
        return [row for row in self.pairings if row.round == round_]

    def is_done(self, round_: int) -> bool:
        """Return whether all pairings up to that round are done, without those that do not count:
        a substitute may still play a match of an entry that has withdrawn."""
        return all(
            row.done_at or not self.counts(row) for row in self.pairings if row.round <= round_
        )

    @cached_property
    def whole_rounds(self) -> int:
        """Return how many rounds are over: a bye or a quick win counts no earlier than the other
        matches of its round."""
        rounds = range(1, self.row.round + 1)
        return next((n - 1 for n in rounds if not self.is_done(n)), self.row.round)


def is_played(row: TournamentRow) -> bool:
    """Return whether this version of the program has the game of a tournament."""
    return row.game in GAMES


def load(tx: Tx, row: TournamentRow) -> Tournament:
    return Tournament(row, tournaments.entries(tx, row.id), tournaments.pairings(tx, row.id))


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
    """Return the table as it is now, or as the rounds before one give it (club, 7.7). In a Swiss
    and a knock-out only whole rounds count."""
    numbers = sorted(tournament.by_number)
    if tournament.row.kind == "round-robin":
        return _round_robin(tournament, numbers, before)
    last = tournament.whole_rounds if before is None else before - 1
    if tournament.row.kind == "knockout":
        return table.knock_out(_rounds_survived(tournament, last), tournament.history)
    return table.swiss(numbers, [one for one in tournament.history if one.round <= last])


def _round_robin(
    tournament: Tournament, numbers: Sequence[int], before: int | None
) -> list[TableLine]:
    counted = [one for one in tournament.counted.values() if before is None or one.round < before]
    uncounted = {tournament.numbers[id_] for id_ in tournament.uncounted}
    return table.round_robin(numbers, counted, uncounted)


def _rounds_survived(tournament: Tournament, last: int) -> dict[int, int]:
    survived = dict.fromkeys(tournament.by_number, 0)
    for round_ in range(1, last + 1):
        for board in sorted({row.board for row in tournament.of_round(round_)}):
            winner = winner_of(tournament, round_, board)
            if winner is not None:
                survived[winner] = round_
    return survived


def winner_of(tournament: Tournament, round_: int, board: int) -> int | None:
    """Return the number of the entry that goes on from a board of a knock-out (club, 7.5.4); None
    if nobody does, or it is not done."""
    played = [one for one in tournament.history if (one.round, one.board) == (round_, board)]
    if not played or not played[-1].is_done:
        return None
    last = played[-1]
    if last.kind != "match":
        return last.entries[0] if last.entries else None
    assert last.points is not None
    if not any(last.points):
        return None
    if len(set(last.points)) == 1:  # drawn: the lower number goes on after the replay
        return min(last.entries) if last.again else None
    return last.entries[last.points.index(max(last.points))]


def goes_on(tournament: Tournament, entry: EntryRow) -> bool:
    """Return whether an entry may still play: it has not withdrawn, is not knocked out, and its
    last match is not over."""
    row = tournament.row
    if row.status not in ("open", "playing", "held") or entry.status == "withdrawn":
        return False
    own = [one for one in tournament.pairings if entry.id in one.entries]
    if not own or any(one.done_at is None for one in own):
        return True
    if row.kind != "knockout":
        return row.round < tournament.rounds
    number = tournament.numbers[entry.id]
    last = own[-1]
    is_drawn = len({*last.points}) == 1 and any(last.points) and not last.again
    return is_drawn or winner_of(tournament, last.round, last.board) == number


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
