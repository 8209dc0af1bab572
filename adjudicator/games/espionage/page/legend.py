"""The legend of the drawing: the signs that stand in it, and what they say."""

from collections.abc import Iterator

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.games.espionage.page.drawing import Shapes
from adjudicator.games.espionage.page.news import whose
from adjudicator.games.espionage.rules.pieces import ENEMY


def legend(drawn: Shapes, own: Seat, seat: Seat) -> Iterator[tuple[str, str, Message]]:
    """Yield the signs that stand in the drawing, no others: sign, how it looks, what it says."""
    other = ENEMY[own]
    enemy = f"enemy {other}"
    pieces = [(shape, *row) for _, shape, rows in drawn.pieces for row in rows]
    if not pieces:
        return
    yield "1", f"own {own}", say("your piece") if seat else whose(own, None)
    if any(letter == "?" for _, _, _, letter, _, _ in pieces):
        yield "?", enemy, say("an unknown enemy piece")
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
        yield "⊖", "barred", say("not allowed in your next order")
