"""The board as a table, for letters; the reader's side lies below, as in the drawing."""

from collections.abc import Iterator, Mapping, Sequence

from adjudicator.core.message import Message, Words, listed, say
from adjudicator.core.visible import Square, Squares, Thing
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.page.drawing import below, cut, known, latest, letter
from adjudicator.games.espionage.page.news import whose
from adjudicator.games.espionage.rules.board import BOARDS, FILES
from adjudicator.games.espionage.rules.pieces import BLACK, WHITE
from adjudicator.games.espionage.rules.state import VARIANTS
from adjudicator.games.espionage.sight.observe import SeenPiece, SeenStep, View

_TAG = 3  # characters of a mark that a square has room for
# Where a step went, as it is seen with White below: full arrows are the reader's, dashed ones the
# enemy's.
_ARROWS: Mapping[tuple[bool, int, int], str] = {
    (True, 0, 1): "↑",
    (True, 0, -1): "↓",
    (True, -1, 0): "←",
    (True, 1, 0): "→",
    (False, 0, 1): "⇡",
    (False, 0, -1): "⇣",
    (False, -1, 0): "⇠",
    (False, 1, 0): "⇢",
}


def squares(view: View, news: Sequence[SeenStep], words: Words) -> Squares:
    size, own = view.board.size, below(view)
    files = FILES[:size] if own == WHITE else FILES[:size][::-1]
    ranks = range(size, 0, -1) if own == WHITE else range(1, size + 1)
    steps = latest(news)
    grounds = _grounds(view, steps)
    things = _things(view, steps, words)
    return Squares(
        columns=list(files),
        rows=[
            (
                str(rank),
                [
                    Square(
                        grounds.get(f"{file}{rank}") or _plain(file, rank),
                        things.get(f"{file}{rank}", ()),
                    )
                    for file in files
                ],
            )
            for rank in ranks
        ],
    )


def _plain(file: str, rank: int) -> str:
    return "light" if (FILES.index(file) + rank) % 2 else "dark"


def _grounds(view: View, steps: Sequence[SeenStep]) -> Mapping[str, str]:
    """The squares that are not plain ones: volcanoes, home rows, and where the last orders went."""
    own = below(view)
    grounds: dict[str, str] = dict.fromkeys(view.board.volcanoes, "volcano")
    if view.phase == "setup":
        rows = BOARDS[view.board.size].home_rows(own)
        grounds |= {f"{file}{rank}": "home" for rank in rows for file in FILES[: view.board.size]}
    for step in steps:
        whose_step = "mine" if step.side == own else "theirs"
        grounds |= dict.fromkeys((step.start, step.target), whose_step)
    return grounds | {step.target: "fight" for step in steps if step.outcome != "moved"}


def _things(view: View, steps: Sequence[SeenStep], words: Words) -> Mapping[str, Sequence[Thing]]:
    """Return what stands on each square: a piece, or else the marks of what happened there."""
    volcano = Thing("▲", "volcano", words(say("a volcano")))
    fight = Thing("✸", "fight", words(say("a fight")))
    barred = Thing("⊖", "barred", words(say("not allowed in your next order")))
    things: dict[str, list[Thing]] = {square: [volcano] for square in view.board.volcanoes}
    things |= {step.start: [_arrow(step, view, words)] for step in steps}
    for step in view.barred:
        things.setdefault(step.target, []).append(barred)
    fought = {step.target for step in steps if step.outcome != "moved"}
    things |= {square: [fight] for square in fought}
    for piece in view.pieces:
        things[piece.square] = [_piece(piece, view, words, fought=piece.square in fought)]
    return things


def _arrow(step: SeenStep, view: View, words: Words) -> Thing:
    own, turn = below(view), -1 if below(view) == BLACK else 1
    across = FILES.index(step.target[0]) - FILES.index(step.start[0])
    up = int(step.target[1:]) - int(step.start[1:])
    mine = step.side == own
    told = say("your last order") if mine else say("the enemy's last order")
    sign = _ARROWS[mine, across * turn, up * turn]
    return Thing(sign, f"step {'mine' if mine else 'theirs'}", words(told))


def _piece(piece: SeenPiece, view: View, words: Words, *, fought: bool) -> Thing:
    own = piece.side == below(view)
    ring = not VARIANTS[view.variant].open_ranks and known(piece)
    told = ", ".join(map(words, _said(piece, own=own, ring=ring, fought=fought)))
    sign = letter(piece) if own else f"({letter(piece)})"
    if piece.mark and not piece.rank:
        sign = cut(piece.mark, _TAG)
    marks = (" ring" if ring else "") + (" dash" if piece.moved else "")
    marks += " tag" if piece.mark and not piece.rank else ""
    return Thing(sign, f"{'own' if own else 'enemy'} {piece.side}{marks}", told)


def _said(piece: SeenPiece, *, own: bool, ring: bool, fought: bool) -> Iterator[Message]:
    yield whose(piece.side, piece.rank)
    if ring and own:
        yield say("its rank is known to the enemy")
    if piece.mark and not piece.rank:
        yield say("your mark: {mark}", mark=piece.mark)
    if piece.fights and piece.could_be:  # of all others it would weigh much and tell little
        yield say("it can still be {ranks}", ranks=listed(TITLES[rank] for rank in piece.could_be))
    if piece.moved:
        yield say("has moved")
    if fought:
        yield say("a fight")
