"""Placing an army (rules 1.2-1.4, 7.3): rows as a player writes them and as a record keeps them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from adjudicator.core.dice import Stream
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, count
from adjudicator.games.espionage.orders.refusals import NOT_AT_HOME, NOT_THE_ARMY, because
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.rules.board import FILES, Board, Square, at
from adjudicator.games.espionage.rules.pieces import ARMIES, BY_LETTER, LETTERS, WHITE, Piece, Rank


def record_rows(side: Seat, letters: str, board: Board) -> str:
    """Write rows as in a record's tag (White below, top row first, files a to j) from the letters
    of a player's sheet, whose board has his own side below: Black's is turned by half."""
    seen = letters if side == WHITE else letters[::-1]
    return "/".join(seen[i : i + board.size] for i in range(0, len(seen), board.size))


def squares_of_rows(side: Seat, board: Board) -> tuple[Square, ...]:
    """Return the squares of a record's rows, in the order of their letters."""
    ranks = sorted(board.home_rows(side), reverse=True)
    return tuple(at(file, rank) for rank in ranks for file in range(board.size))


def army_on(side: Seat, rows: str, board: Board, known_since: int | None) -> dict[Square, Piece]:
    letters = rows.replace("/", "")
    return {
        square: Piece(side, BY_LETTER[letter], known_since=known_since)
        for square, letter in zip(squares_of_rows(side, board), letters, strict=True)
    }


def rows_of_places(side: Seat, places: Sequence[tuple[Rank, Square]], board: Board) -> str:
    by_square = {square: LETTERS[rank] for rank, square in places}
    letters = "".join(by_square[square] for square in squares_of_rows(side, board))
    return "/".join(letters[i : i + board.size] for i in range(0, len(letters), board.size))


def shuffled_rows(side: Seat, board: Board, chance: Stream) -> str:
    """Draw an army for `SETUP RANDOM`: every order of it is equally likely (rule 1.4)."""
    letters = [LETTERS[rank] for rank, n in ARMIES[board.size].items() for _ in range(n)]
    chance.shuffle(letters)
    return record_rows(side, "".join(letters), board)


def _army_problems(ranks: Sequence[Rank], board: Board) -> Iterator[Message]:
    """Say where a set-up differs from the army, one sentence for each rank."""
    placed = Counter(ranks)
    for rank, n in ARMIES[board.size].items():
        title = TITLES[rank]
        if placed[rank] != n:
            yield because(NOT_THE_ARMY, title=title, seen=placed[rank], n=n)


def row_problems(rows: Sequence[str], board: Board, complete: bool = True) -> Iterator[Message]:
    """Say what is wrong with the letters of a set-up by rows. Rows are not `complete` if a letter
    was not understood; then their length is unknown, and if none was, there is no army. Nor does
    anybody know where it is among too many rows, such as those with a name below."""
    if complete:
        yield from _length_problems(rows, board)
    elif not 0 < len(rows) <= len(board.home_rows(WHITE)):
        return
    yield from _army_problems([BY_LETTER[letter] for row in rows for letter in row], board)


def row_length_problem(number: int, row: str, board: Board) -> Message | None:
    """Say whether row `number` (from 1) is too short or too long."""
    if len(row) == board.size:
        return None
    return count(
        "row {row} has {n} letter; it needs {size}",
        "row {row} has {n} letters; it needs {size}",
        len(row),
        row=number,
        size=board.size,
    )


def _length_problems(rows: Sequence[str], board: Board) -> Iterator[Message]:
    """Check the lengths of rows. If the number of letters is right, the lines may be broken
    anywhere (7.3)."""
    army = sum(ARMIES[board.size].values())
    total = sum(len(row) for row in rows)
    if total == army:
        return
    if len(rows) == 3:
        for number, row in enumerate(rows, start=1):
            if trouble := row_length_problem(number, row, board):
                yield trouble
    yield count(
        "the set-up has {n} piece; the army has {army}",
        "the set-up has {n} pieces; the army has {army}",
        total,
        army=army,
    )


def home_bounds(side: Seat, board: Board) -> Mapping[str, int | str]:
    """Return what the sentence about the home rows names: the rows and the last file."""
    rows = board.home_rows(side)
    return {"low": min(rows), "high": max(rows), "last": FILES[board.size - 1]}


def place_problems(
    side: Seat, places: Sequence[tuple[Rank, Square]], board: Board, complete: bool
) -> Iterator[Message]:
    """Say what is wrong with a set-up by square. It is not `complete` if a place was not
    understood; then nobody can count the army."""
    home = squares_of_rows(side, board)
    times = Counter(square for _, square in places)
    for square, n in times.items():
        if square not in home:
            yield because(NOT_AT_HOME, square=square, **home_bounds(side, board))
        elif n > 1:
            yield count(
                "{square} is given {n} time", "{square} is given {n} times", n, square=square
            )
    if complete:
        yield from _army_problems([rank for rank, _ in places], board)
