"""The rows that Espionage's templates print, made from a report alone.

Whatever is told here stands in the report: this module sees no state.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.game import Rows
from adjudicator.core.lookback import History
from adjudicator.core.match import Outcome, Seat
from adjudicator.core.message import Message, Words, count, say
from adjudicator.core.report import Report
from adjudicator.core.squares import Squares
from adjudicator.games.espionage.lexicon import SIDE_TITLES, spelled
from adjudicator.games.espionage.orders.parse import TITLES
from adjudicator.games.espionage.orders.refusals import because
from adjudicator.games.espionage.page import composer_data, drawing, live_page
from adjudicator.games.espionage.page.dossiers import Dossier, dossiers
from adjudicator.games.espionage.page.fights_told import fights_told, removed_ranks
from adjudicator.games.espionage.page.history import history
from adjudicator.games.espionage.page.jotted import jotted
from adjudicator.games.espionage.page.losses import Row as Losses
from adjudicator.games.espionage.page.losses import losses
from adjudicator.games.espionage.page.news import Row, orders_made, whose
from adjudicator.games.espionage.page.old_reports import OldReport
from adjudicator.games.espionage.page.squares import squares
from adjudicator.games.espionage.rules.board import BOARDS, FILES
from adjudicator.games.espionage.rules.combat import TAKES, wins
from adjudicator.games.espionage.rules.pieces import (
    ARMIES,
    BLACK,
    ENEMY,
    LETTERS,
    SIDES,
    WHITE,
    Rank,
)
from adjudicator.games.espionage.rules.state import VARIANTS
from adjudicator.games.espionage.sight.observe import SeenPiece, SeenStep, View

Entry = tuple[str, str, int | str, str]  # letter, name, how many, where

_FIGHTS: Mapping[str, Message] = {
    "hidden": say("a fight reveals no rank"),
    "captured": say("the rank of a removed piece is told to both"),
    "both": say("both ranks in a fight are told, and a survivor stays visible"),
}
# How `side` has lost, in words that are true for every reader.
_DEFEATS: Mapping[str, Message] = {
    "no-legal-move": say("{side} has no legal move"),
    "resignation": say("{side} resigned"),
    "forfeit": say("{side} forfeits the match"),
}
_DRAWS: Mapping[str, Message] = {
    "agreement": say("the players agreed"),
    "no-progress": say("too many turns without a fight"),
}


class Army(Struct, frozen=True, kw_only=True):
    """A side's pieces as the reader knows them."""

    side: Seat
    shape: str
    title: str
    summary: str
    entries: Sequence[Entry]
    marks: Sequence[str]


class Page(Rows, frozen=True, kw_only=True):
    """Sentences, tables and drawings, each in the order in which the reader meets it. `board` is
    drawn for monospace, `squares` are the same as a table, `legend` has sign, style and meaning;
    `army` is what is to be placed; `fights` has squares with what is known of the piece there, and
    `dossiers` tell more of all enemy pieces; `losses` are what is taken and what is left;
    `jotted` are the reader's own marks and notes; `beats` has for each rank its letter, its name
    and the letters of what it takes (3.2); `ahead` is a sheet of a seat that is not awaited, to be
    filled in.
    The drawing has no `mark`, for it is the only one."""

    news: Sequence[tuple[str, Sequence[Row]]]
    board: Sequence[str]
    squares: Squares
    shapes: drawing.Shapes
    mark: str = ""
    below: Seat
    picture: str
    legend: Sequence[tuple[str, str, str]]
    armies: Sequence[Army]
    army: Sequence[Entry]
    fights: Sequence[tuple[str, str]]
    dossiers: Iterator[Dossier]
    losses: Sequence[Losses]
    jotted: Sequence[str]
    facts: Sequence[str]
    beats: Sequence[tuple[str, str, str]]
    setups: Sequence[tuple[str, Sequence[str]]]
    ahead: Sequence[str]


def looking_back(
    report: Report[View, SeenStep], words: Words, past: Sequence[OldReport]
) -> History | None:
    back = history(report, past, words, _ending(report.view, words))
    return replace(back, dossiers=dossiers(report, past, words)) if back else None


def page(report: Report[View, SeenStep], words: Words, back: History | None = None) -> Page:
    view = report.view
    own = drawing.below(view)
    drawn = drawing.shapes(view, report.news)
    return Page(
        title=words(say("Espionage")),
        seats={side: words(SIDE_TITLES[side]) for side in SIDES},
        spelling=spelled(words),
        rules=_opening("; ".join(words(message) for message in _rules(report))) + ".",
        result=_ending(view, words),
        news=orders_made(report.news, view.pieces, view.seat, words),
        board=drawing.lines(view),
        squares=squares(view, report.news, words),
        shapes=drawn,
        below=own,
        picture=words(_picture(view)),
        legend=[(sign, style, words(told)) for sign, style, told in _legend(drawn, own, view.seat)],
        armies=_armies(view, words, own) if view.pieces else [],
        army=_army(view, words) if view.phase == "setup" else [],
        fights=fights_told(view, words),
        dossiers=dossiers(report, (), words),
        losses=losses(report, words),
        jotted=jotted(view, report.notes or (), words),
        facts=[words(message) for message in _facts(view)],
        beats=[
            (LETTERS[rank], _opening(words(TITLES[rank])), " ".join(_taken(rank))) for rank in Rank
        ],
        setups=_setups(view, words),
        how=[words(message) for message in _how(view, own)],
        scripts=composer_data.scripts(report),
        spare=["espionage/beats.js"],
        data=composer_data.data(report, words),
        live_scripts=live_page.scripts(report),
        live_data=live_page.data(report, words),
        ahead=live_page.sheet(report, words),
    )


def _opening(sentence: str) -> str:
    """Begin a sentence with a capital letter. `capitalize` would lower all others."""
    return sentence[:1].upper() + sentence[1:]


def _rules(report: Report[View, SeenStep]) -> Iterator[Message]:
    variant = VARIANTS[report.variant]
    yield say("a board of {n} by {n} squares", n=variant.size)
    yield count("{n} piece moves in a turn", "{n} pieces move in a turn", variant.pieces_moved)
    if variant.open_ranks:
        yield say("all ranks are visible to both")
        return
    options = report.options
    yield _FIGHTS[options.get("fights", "hidden")]
    if options.get("unmask_notice") == "true":
        yield say("you are told which of your pieces the enemy knows")
    if options.get("aids") == "off":
        yield say("you are not told what an unknown piece can be")


def _ending(view: View, words: Words) -> str | None:
    return words(_result(view.result)) if view.result else None


def _result(result: Outcome) -> Message:
    if result.reason == "cancelled":
        return say("The match is cancelled and nobody wins.")
    if not result.winner:
        return say("A draw: {reason}.", reason=_DRAWS[result.reason])
    reason = _defeat(ENEMY[result.winner], result.reason)
    return say("{side} wins: {reason}.", side=SIDE_TITLES[result.winner], reason=reason)


def _defeat(loser: Seat, reason: str) -> Message:
    if reason == "headquarters":
        return say("{piece} is taken", piece=whose(loser, Rank.HEADQUARTERS))
    return because(_DEFEATS[reason], side=SIDE_TITLES[loser])


def _picture(view: View) -> Message:
    """Say what the drawing shows, for those who do not see it."""
    volcanoes = ", ".join(view.board.volcanoes)
    if not view.pieces:
        return say("The empty board. Volcanoes: {squares}.", squares=volcanoes)
    held = Counter(piece.side for piece in view.pieces)
    return say(
        "The board with {white} white and {black} black pieces, listed below."
        " Volcanoes: {squares}.",
        white=held[WHITE],
        black=held[BLACK],
        squares=volcanoes,
    )


def _legend(drawn: drawing.Shapes, own: Seat, seat: Seat) -> Iterator[tuple[str, str, Message]]:
    """Yield the signs that stand in the drawing, no others: sign, how it looks, what it says."""
    other = ENEMY[own]
    enemy = f"enemy {other}"
    pieces = [(shape, *row) for _, shape, rows in drawn.pieces for row in rows]
    if not pieces:
        return
    yield "1", f"own {own}", say("your piece") if seat else whose(own, None)
    if any(letter == "?" for _, _, _, letter, _, _ in pieces):
        yield "?", enemy, say("the enemy's, of unknown rank")
    else:
        yield "1", enemy, say("the enemy's piece") if seat else whose(other, None)
    known = {shape for shape, _, _, _, ring, _ in pieces if ring}
    if "enemy" in known:
        yield "1", f"{enemy} ring", say("its rank is known to you")
    if "own" in known:
        yield "1", f"own {own} ring", say("its rank is known to the enemy")
    if any(dash for *_, dash in pieces):
        yield "1", f"own {own} dash", say("has moved")
    ordered = {arrow[0] for arrow in drawn.arrows}
    if "mine" in ordered:
        yield "→", "step mine", say("your last order")
    if "theirs" in ordered:
        yield "⇢", "step theirs", say("the enemy's last order")
    if drawn.fights:
        yield "✸", "fight", say("a fight")
    if drawn.barred:
        yield "⊖", "barred", say("barred in your next order")


def _armies(view: View, words: Words, own: Seat) -> list[Army]:
    """Return the reader's army and the enemy's: heading, one sentence, entries, marks."""
    mine = [piece for piece in view.pieces if piece.side == own]
    theirs = [piece for piece in view.pieces if piece.side != own]
    dated = not VARIANTS[view.variant].open_ranks
    return [
        Army(
            side=side,
            shape="own" if side == own else "enemy",
            title=words(_army_title(side, view.seat)),
            summary=words(_summary(pieces, view.lost[side])),
            entries=list(_entries(pieces, words, dated, _whole_army(view, side))),
            marks=[
                words(message)
                for message in (*_army_marks(pieces, dated), *_removed(view, side, dated))
            ],
        )
        for side, pieces in ((own, mine), (ENEMY[own], theirs))
    ]


def _army_title(side: Seat, seat: Seat) -> Message:
    if side == seat:
        return say("Your pieces")
    return say("White's pieces") if side == WHITE else say("Black's pieces")


def _summary(pieces: Sequence[SeenPiece], lost: int) -> Message:
    """Say what remains of an army, as rule 5.1 has it: ranks that are told stand in the entries,
    the rest is a number."""
    unknown = sum(piece.rank is None for piece in pieces)
    values = {"on_board": len(pieces), "lost": lost, "unknown": unknown}
    if unknown:
        return say("{on_board} on the board, {unknown} of unknown rank; {lost} removed.", **values)
    return say("{on_board} on the board; {lost} removed.", **values)


def _whole_army(view: View, side: Seat) -> Mapping[Rank, int]:
    """Return how many of each rank a side began with, if the reader knows all its ranks: his own,
    or every one when they are open or the match has ended; else nothing."""
    variant = VARIANTS[view.variant]
    open_ = variant.open_ranks or view.phase == "over"
    return ARMIES[variant.size] if open_ or side == view.seat else {}


def _entries(
    pieces: Sequence[SeenPiece], words: Words, dated: bool, army: Mapping[Rank, int]
) -> Iterator[Entry]:
    """Yield a row for each rank, and then for the pieces of unknown rank. Ranks of which none is
    left have a row if the `army` is known. If all ranks are open from the first turn, it says
    nothing since when one is known (`dated`)."""
    for rank in Rank:
        held = [piece for piece in pieces if piece.rank == rank]
        if held or rank in army:
            where = ", ".join(_where(piece, words, dated) for piece in held) or "-"
            number = words(say("{n} of {all}", n=len(held), all=army[rank])) if army else len(held)
            yield LETTERS[rank], _opening(words(TITLES[rank])), number, where
    unknown = [piece for piece in pieces if piece.rank is None]
    for message, moved in (
        (say("Unknown, has moved"), True),
        (say("Unknown, has not moved"), False),
    ):
        held = [piece for piece in unknown if piece.moved == moved]
        if held:
            yield "?", words(message), len(held), _squares(held)


def _where(piece: SeenPiece, words: Words, dated: bool) -> str:
    square, since = piece.square, piece.known_since
    if since is None or not dated:
        return square
    return words(say("{square} (known since turn {turn})", square=square, turn=since))


def _squares(pieces: Sequence[SeenPiece]) -> str:
    return ", ".join(piece.square for piece in pieces)


def _army_marks(pieces: Sequence[SeenPiece], hidden: bool) -> Iterator[Message]:
    """Say which pieces of known rank have moved and, if ranks are `hidden`, which of them the enemy
    knows (4.4)."""
    moved = [piece for piece in pieces if piece.moved and piece.rank]
    if moved:
        yield say("Have moved: {squares}.", squares=_squares(moved))
    known = [piece for piece in pieces if piece.known_to_enemy is True]
    if known and hidden:
        yield say("The enemy knows: {squares}.", squares=_squares(known))


def _removed(view: View, side: Seat, hidden: bool) -> Iterator[Message]:
    """Say which ranks of the enemy's removed pieces are told (9.4); where all ranks are known, his
    army's list says it."""
    if hidden and side == ENEMY.get(view.seat) and view.phase != "over":
        told = removed_ranks(view.lost_known or ())
        if told:
            yield told


def _army(view: View, words: Words) -> list[Entry]:
    """Return the pieces that are to be placed (1.2, 1.3)."""
    army = ARMIES[view.board.size]
    return [(LETTERS[rank], _opening(words(TITLES[rank])), n, "") for rank, n in army.items()]


def _facts(view: View) -> Iterator[Message]:
    """Say what bears on the order to be written."""
    if barred := view.barred:
        steps = ", ".join(str(step) for step in barred)
        yield say(
            "Barred in your next order, as no piece goes straight back: {steps}.", steps=steps
        )
    left = view.no_progress_left
    if left is not None and view.phase != "over":
        yield count(
            "Without a fight the match is drawn after {n} more full turn.",
            "Without a fight the match is drawn after {n} more full turns.",
            left,
        )


def _taken(attacker: Rank) -> Iterator[str]:
    """Yield the letters of what a rank takes; none, if it never attacks."""
    return (LETTERS[met] for met in Rank if attacker in TAKES and wins(attacker, met))


def _setups(view: View, words: Words) -> list[tuple[str, list[str]]]:
    """Return both set-ups with White below, as the record has them; nothing before the end
    (5.4)."""
    setups = view.setups or {}
    return [(words(SIDE_TITLES[side]), setups[side].split("/")) for side in SIDES if setups]


def _how(view: View, own: Seat) -> Iterator[Message]:
    """Say how the sheet below is filled in."""
    size = view.board.size
    if view.phase == "over":
        return
    if view.phase == "setup":
        front, _, back = BOARDS[size].home_rows(own)
        yield say(
            "Place your army on rows {front} to {back}: under SETUP write three lines of {n}"
            " letters, the front row first, each from your left to your right ({left} to"
            " {right}). SETUP RANDOM lets the adjudicator draw.",
            front=front,
            back=back,
            n=size,
            left=FILES[0] if own == WHITE else FILES[size - 1],
            right=FILES[size - 1] if own == WHITE else FILES[0],
        )
    else:
        yield say("Write each step as d3-d4 in place of the dots.")
    yield say("Send the sheet from ORDERS to END; a later one replaces it.")
