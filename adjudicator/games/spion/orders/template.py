"""The body of an order sheet: ready to edit, as it stands at the end of every report, and as an
example that is legal at once; and where what a question names can go."""

from collections.abc import Iterator, Sequence

from adjudicator.core.message import Message, say
from adjudicator.games.spion.sight.view import View, blocking, doubled


def template(view: View) -> Sequence[str]:
    """Return the lines between head and END; dots stand where the player writes. A template sent
    back as it is must be refused, never played."""
    if view.phase == "setup":
        return ("PHRASE ...",)
    if view.pending:
        return (f"ANSWER {view.pending.challenger}: TAKE ...", *_standing(view))
    return (*_turn(view), *_standing(view))


def _turn(view: View) -> Iterator[str]:
    """Yield the lines for which the dice ask; in mode `rounds` things may change before the turn
    comes."""
    if doubled(view) and view.targets:
        yield f"CHALLENGE {view.targets[0]} ... ..."
        if view.mode == "turns":
            return
    if view.ambushes:
        yield f"AMBUSH {next(iter(view.ambushes))} ... ..."
    yield "SWAP ..." if blocking(view) else "MOVE ..."


def _standing(view: View) -> Iterator[str]:
    """Repeat what stays in force unless it is replaced, as remarks."""
    for line in view.standing:
        yield f"# {line}"


def example(view: View) -> Sequence[str]:
    """Return the line of an order that is legal now, to an embassy with a card if there is one in
    reach; none where a challenge or an answer is due."""
    if view.phase == "setup":
        return ("PHRASE a fair wind",)
    challenged = doubled(view) and view.targets
    if view.pending or challenged or blocking(view) or not view.reach:
        return ()
    full = {one.code for one in view.board.embassies if one.card}
    goal = next((place for place in view.reach if place in full), view.reach[0])
    return (f"MOVE {goal}",)


_MOST = 40  # places


def reach(view: View, question: str) -> Iterator[Message]:
    """Yield a sentence with the places; the dice of a seat say where its spy can go."""
    if view.phase != "play" or not view.reach:
        return
    goals = " ".join(view.reach[:_MOST])
    if view.reach[_MOST:]:
        goals = f"{goals} ..."
    yield say("With your dice your spy can go to: {goals}", goals=goals)
