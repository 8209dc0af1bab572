"""Tell in rows of signs what each army has lost, and what is left of the enemy's, as far as the
reader knows it (rules 5.1, 9.4).

It goes with pages that are not sent by letter, which say the same in a sentence.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.core.message import Words, count, say
from adjudicator.core.report import Report
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.page.drawing import below
from adjudicator.games.espionage.rules.pieces import ARMIES, ENEMY, LETTERS, Rank
from adjudicator.games.espionage.rules.state import VARIANTS
from adjudicator.games.espionage.sight.observe import SeenStep, View

Sign = tuple[str, str, int]  # letter, name, how many


class Row(Struct, frozen=True):
    """Signs of one side's pieces in the look of that side, and a sentence that belongs to them."""

    title: str
    look: str
    signs: list[Sign]
    note: str = ""


def losses(report: Report[View, SeenStep], words: Words) -> list[Row]:
    """Return a row each for what is taken of either army, and one for the rest of the enemy's;
    nothing before the first turn and after the end, or for a reader who has no army."""
    view = report.view
    if view.phase != "play" or view.seat not in ENEMY:
        return []
    return list(_rows(view, words, report.options.get("aids", "on") == "on"))


def _rows(view: View, words: Words, aids: bool) -> Iterator[Row]:
    own, theirs = f"own {below(view)}", f"enemy {ENEMY[below(view)]}"
    army = Counter(ARMIES[view.board.size])
    lost = _known_lost(view)
    untold = view.lost[ENEMY[view.seat]] - sum(lost.values())
    taken = [
        *_signs(lost, words),
        *([("?", words(say("of unknown rank")), untold)] if untold else []),
    ]
    if taken:
        yield Row(words(say("Enemy losses")), theirs, taken)
    if mine := army - _standing(view, view.seat):
        yield Row(words(say("Your losses")), own, _signs(mine, words))
    if aids and taken:
        note = count(
            "{n} of these was removed; its rank was not shown.",
            "{n} of these were removed; their ranks were not shown.",
            untold,
        )
        rest = _signs(army - lost, words)
        yield Row(
            words(say("Left in the enemy's army")), theirs, rest, words(note) if untold else ""
        )


def _known_lost(view: View) -> Counter[Rank]:
    """Count the removed pieces of the enemy whose ranks the reader knows."""
    enemy = ENEMY[view.seat]
    if VARIANTS[view.variant].open_ranks:
        return Counter(ARMIES[view.board.size]) - _standing(view, enemy)
    return Counter(view.lost_known or ())


def _standing(view: View, side: Seat) -> Counter[Rank]:
    return Counter(piece.rank for piece in view.pieces if piece.side == side and piece.rank)


def _signs(ranks: Mapping[Rank, int], words: Words) -> list[Sign]:
    return [(LETTERS[rank], words(TITLES[rank]), ranks[rank]) for rank in Rank if ranks[rank]]
