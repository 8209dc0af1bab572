"""What a kind of tournament is (club, 7.1), and a tournament as its rows are.

Theory of operation. A kind is a value, as a game is: what it takes, its rounds, their pairings, its
table. Whoever runs or shows a tournament asks it, and never for its name. There is no default.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

from msgspec import Struct

from adjudicator.core.game import AnyGame
from adjudicator.core.message import Message, say
from adjudicator.core.pairing import table
from adjudicator.core.pairing.history import Pairing, lot
from adjudicator.core.pairing.table import TableLine
from adjudicator.core.text import folded_address
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.loaded_match import game_of_club
from adjudicator.store.contest_logs import LoggedLine
from adjudicator.store.tournaments import (
    EntryRow,
    Format,
    PairingRow,
    TournamentRow,
)


class EntryLimits(Struct, frozen=True):
    """How many can enter a kind of tournament."""

    least: int
    most: int


class NewPairing(Struct, frozen=True):
    """A pairing of a round that is made: the numbers of who meets, in the order of seats. One that
    is no match gives `points` at once."""

    kind: str
    numbers: tuple[int, ...]
    points: Sequence[int] | None = None


def as_it_is(form: Format, entrants: int) -> Format:
    return form


class Kind(Struct, frozen=True, kw_only=True):
    slug: str
    title: Message
    spellings: frozenset[str] = frozenset()  # beside the slug
    takes: frozenset[str]  # of the options `--twice`, `--at-once`, `--rounds`, `--seats`
    limits: Callable[[Format], EntryLimits]
    # How few and how many play in a match, of the numbers that the variant of a game allows, if
    # `--seats` says that text. Raises Refusal.
    seats: Callable[[AnyGame, Sequence[int], str | None], tuple[int, int]]
    # Raises Refusal if so many entrants cannot play it so.
    check: Callable[[Format, int], None] = lambda form, entrants: None
    at_start: Callable[[Format, int], Format] = as_it_is  # the format when so many begin
    rounds: Callable[["Tournament"], int]
    is_due: Callable[["Tournament", int], bool]
    # Return None if the round cannot be paired.
    pairs: Callable[["Tournament", int], Sequence[NewPairing] | None]
    least_left: Callable[[Format], int] = lambda form: 2  # with fewer it ends
    table: Callable[["Tournament", int | None], list[TableLine]]
    compared: Message  # heads the column of what decides between equal points
    surely_meet: bool  # any two may have to meet, so they cannot share an address
    # All pairings follow from the numbers, which are drawn by lot: else the best get the lowest.
    is_drawn_at_start: bool = False
    # All rounds, where they follow from how many entries there are. Then a match counts as soon as
    # it is over, and an entry that leaves too early counts for nothing (club, 7.8). Else rounds
    # count when they are over.
    schedule: Callable[[int, Format], Sequence[Sequence[tuple[int, int]]]] | None = None
    # So many, in the order in which the entries came; the numbers are drawn within each.
    teams: int = 1
    # A drawn match is played again, and who wins goes on (club, 7.5.4). Else points decide.
    knocks_out: bool = False

    @property
    def counts_at_once(self) -> bool:
        return self.schedule is not None


class Tournament(Struct, frozen=True, dict=True):
    """A tournament with its rows, at one moment."""

    row: TournamentRow
    entries: Sequence[EntryRow]
    pairings: Sequence[PairingRow]
    known_kind: "Kind | None" = None
    logged: LoggedLine | None = None  # the last line of its log; None if it has none

    @property
    def kind(self) -> "Kind":
        """Return what kind it is; raise ValueError if its row names none that we know."""
        if self.known_kind is None:
            raise ValueError(self.row.name)
        return self.known_kind

    @property
    def game(self) -> AnyGame:
        """Return the game. Raises Refusal if it is not here any more."""
        return game_of_club(self.row.game)

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
        return self.kind.rounds(self)

    @cached_property
    def history(self) -> Sequence[Pairing]:
        return [self.as_pairing(row) for row in self.pairings]

    def as_pairing(self, row: PairingRow) -> Pairing:
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

    # The log (club, 7.9).

    @property
    def shown_log(self) -> LoggedLine | None:
        """Return the last line of the log, as everybody may know it: none while names are hidden,
        because lines say who meets whom."""
        return None if self.hides_numbers else self.logged

    # Whose entry was withdrawn (club, 7.8).

    def has_withdrawn(self, entry: EntryRow) -> bool:
        """Return whether an entry has withdrawn, as everybody may know."""
        return entry.status == "withdrawn" and self.first_hidden_round(entry) is None

    @cached_property
    def withdrawn(self) -> Sequence[int]:
        return [number for number, one in self.by_number.items() if self.has_withdrawn(one)]

    @cached_property
    def schedule(self) -> Sequence[Sequence[tuple[int, int]]]:
        """Return all rounds as pairs of numbers, of a kind that knows them from the start."""
        assert self.kind.schedule is not None
        return self.kind.schedule(len(self.numbers), self.row.format)

    @property
    def matches_each(self) -> Mapping[int, int]:
        return Counter(number for pairs in self.schedule for pair in pairs for number in pair)

    @property
    def uncounted_numbers(self) -> frozenset[int]:
        return frozenset(self.numbers[id_] for id_ in self.uncounted)

    @cached_property
    def uncounted(self) -> frozenset[int]:
        """Return the ids of the entries that left too early to count, where such do not."""
        if not self.kind.counts_at_once:
            return frozenset()
        early = table.early_leavers(self.history, self.withdrawn, self.matches_each)
        return frozenset(self.by_number[number].id for number in early)

    @cached_property
    def counted(self) -> Mapping[tuple[int, int, int], Pairing]:
        """Return what a table counts that counts each match as soon as it is over, by the keys of
        the pairings. A match that is still played gives nothing yet, also if its entry has
        withdrawn and a substitute plays it."""
        if not self.kind.counts_at_once:
            return {}
        done = [self.as_pairing(row) for row in self.pairings if row.done_at is not None]
        counted = table.pairings_that_count(done, self.withdrawn, self.matches_each)
        return {(one.round, one.board, one.again): one for one in counted}

    def pairings_before(self, round_: int | None) -> Sequence[Pairing]:
        """Return what counts of the rounds before one, or of all, where a match counts at once."""
        return [one for one in self.counted.values() if round_ is None or one.round < round_]

    def as_in_table(self, pairing: PairingRow) -> Pairing:
        """Return a pairing as the table counts it."""
        own = self.as_pairing(pairing)
        return self.counted.get(pairing.key, own)

    def counts(self, pairing: PairingRow) -> bool:
        """Return whether a pairing counts for the table."""
        return not self.uncounted & {*pairing.entries}

    @property
    def shared_addresses(self) -> tuple[tuple[int, ...], ...]:
        """Return the numbers of entries that share an address, and could meet."""
        found: dict[str, list[int]] = {}
        for number, one in self.by_number.items():
            if one.status != "withdrawn":
                found.setdefault(folded_address(one.address), []).append(number)
        return tuple(tuple(numbers) for numbers in found.values() if len(numbers) > 1)

    # Teams (club, 7.4).

    @cached_property
    def teams(self) -> Sequence[Sequence[EntryRow]]:
        """Return the entries of each team, as they came; one team where the kind has none."""
        return in_teams(self.entries, self.kind.teams)

    @cached_property
    def team_of(self) -> Mapping[int, int]:
        """Return the team of each number, counted from 1, in the order of the numbers."""
        team = {one.id: n for n, entries in enumerate(self.teams, 1) for one in entries}
        return {number: team[one.id] for number, one in self.by_number.items()}

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

    def first_hidden_round(self, entry: EntryRow) -> int | None:
        """Return the first round in which an entry plays a match that hides it; None if it plays
        none now. What happens to an entry from then on would tell its seat."""
        rounds = (one.round for one in self.pairings if entry.id in one.entries and self.hides(one))
        return min(rounds, default=None)

    def players_of(self, entry: EntryRow) -> list[str]:
        """Return who has played for an entry, in their order, as everybody may know."""
        since = self.first_hidden_round(entry)
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


T = TypeVar("T")


def in_teams(entries: Sequence[T], teams: int) -> list[Sequence[T]]:
    """Return the entries cut into teams as they came; the first ones are the larger."""
    least, larger = divmod(len(entries), teams)
    ends = [n * least + min(n, larger) for n in range(teams + 1)]
    return [entries[first:last] for first, last in pairwise(ends)]


def in_order_of_numbers(
    kind: Kind,
    seed: bytes,
    came: Sequence[int],
    lots: Mapping[int, str],
    ratings: Mapping[int, int],
) -> list[int]:
    """Return the ids of entries in the order of their numbers (club, 7.4). They are given as they
    `came`; `lots` are the names by which they are drawn."""

    def by_lot(ids: Sequence[int]) -> list[int]:
        return sorted(ids, key=lambda id_: lot(seed, f"number|{lots[id_]}"))

    if kind.is_drawn_at_start:
        return [id_ for team in in_teams(came, kind.teams) for id_ in by_lot(team)]
    return sorted(by_lot(came), key=lambda id_: (id_ not in ratings, -ratings.get(id_, 0)))


def drawn_boards(tournament: "Tournament") -> list[PairingRow]:
    """Return the drawn matches of the last round of a knock-out that are to be played again
    (club, 7.5.4)."""
    last = tournament.of_round(tournament.row.round)
    replayed = {one.board for one in last if one.again}
    found = []
    for one in last:
        points = tournament.as_pairing(one).points or ()
        is_draw = len(set(points)) == 1 and any(points)
        if one.kind == "match" and is_draw and one.board not in replayed:
            found.append(one)
    return found


def too_few_left(tournament: "Tournament") -> bool:
    left = sum(one.status in ("in", "silent") for one in tournament.entries)
    return tournament.row.round > 0 and left < tournament.kind.least_left(tournament.row.format)


def pairs_of_schedule(tournament: Tournament, round_: int) -> Sequence[NewPairing]:
    return [NewPairing("match", pair) for pair in tournament.schedule[round_ - 1]]


def is_due_at_once(tournament: Tournament, round_: int) -> bool:
    """Return whether a round is due of those that are all known: all of them, or with `--at-once N`
    when those up to the Nth before it are over."""
    at_once = tournament.row.format.at_once
    return not at_once or tournament.is_done(round_ - at_once)


def of_two(title: Message) -> Callable[[AnyGame, Sequence[int], str | None], tuple[int, int]]:
    """Return what refuses games whose matches are larger."""

    def seats(game: AnyGame, possible: Sequence[int], text: str | None) -> tuple[int, int]:
        if 2 not in possible:
            raise Refusal(
                say(
                    "a {kind} is for matches of two, and {game} is for {least} or more; use "
                    "--kind swiss",
                    kind=title,
                    game=game.title,
                    least=min(possible),
                )
            )
        return 2, 2

    return seats
