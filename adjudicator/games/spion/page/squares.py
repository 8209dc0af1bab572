"""The board as a table, for letters. Rows and columns that are empty but for the homes in their
corners carry the heads; who is at home there stands beside the board."""

from collections.abc import Iterator, Mapping, Sequence

from adjudicator.core.message import Words, say
from adjudicator.core.visible import Square, Squares, Thing
from adjudicator.games.spion.lexicon import SEAT_TITLES, card_title
from adjudicator.games.spion.page.drawing import LETTERS, movements, reachable_places
from adjudicator.games.spion.page.names import embassy_names
from adjudicator.games.spion.page.plan import inner
from adjudicator.games.spion.rules.board import SIGNS, Board
from adjudicator.games.spion.rules.board_file import COLUMNS, square
from adjudicator.games.spion.rules.state import Place
from adjudicator.games.spion.sight.sightings import SawMoved, Seen
from adjudicator.games.spion.sight.view import SeenEmbassy, View, board_in

_SIGNED = ("well", "forbidden", "wire")


def squares(view: View, news: Sequence[Seen], words: Words) -> Squares:
    board = board_in(view)
    rows, columns = inner(board)
    grounds, things = _grounds(view, board), _things(view, news, board, words)
    return Squares(
        columns=[COLUMNS[col] for col in columns],
        rows=[
            (
                str(row + 1),
                [
                    Square(grounds.get(cell, "void"), things.get(cell, ()))
                    for cell in (square(row, col) for col in columns)
                ],
            )
            for row in rows
        ],
    )


def _grounds(view: View, board: Board) -> dict[Place, str]:
    """How each square looks: its kind, whether the reader's spy can go there, and doors."""
    can = reachable_places(view)
    grounds = {
        cell: kind + (" goal" if cell in can else "")
        for cell, kind in board.kinds.items()
        if kind not in ("embassy", "start")
    }
    for entry in view.board.embassies:
        looks = "full" if entry.card else "bare"
        goal = " goal" if entry.code in can else ""
        grounds[board.embassies[entry.code].cell] = f"{looks}{goal} {entry.arrow}"
    for seat in view.seats:
        grounds[seat.start] = f"start {seat.seat}"
    return grounds


def _things(
    view: View, news: Sequence[Seen], board: Board, words: Words
) -> Mapping[Place, Sequence[Thing]]:
    things: dict[Place, list[Thing]] = {}

    def put(place: Place, thing: Thing) -> None:
        known = board.embassies.get(place)
        things.setdefault(known.cell if known else place, []).append(thing)

    names = embassy_names(view, words)
    for entry in view.board.embassies:
        put(entry.code, _embassy(entry, names[entry.code], words))
    for place, thing in _pieces(view, words):
        put(place, thing)
    taken = set(things)
    for place, thing in _went(news, words):
        if place not in taken and place not in board.embassies:
            things[place] = [thing]
    for cell, kind in board.kinds.items():
        if kind in _SIGNED and cell not in things:
            things[cell] = [Thing(SIGNS[kind], "", "")]
    return things


def _embassy(entry: SeenEmbassy, name: str, words: Words) -> Thing:
    """An embassy and whether a card lies in it; at the end also which one."""
    if not entry.card:
        return Thing(entry.code.lower(), "code", name)
    told = say("{embassy}, with a card", embassy=name)
    if entry.type:
        told = say("{embassy}, with the card {card}", embassy=name, card=card_title(entry.type))
    return Thing(entry.code, "code", words(told))


def _pieces(view: View, words: Words) -> Iterator[tuple[Place, Thing]]:
    for seat in view.seats:
        letter, title = LETTERS[seat.seat], SEAT_TITLES[seat.seat]
        own = " own" if seat.seat == view.seat else ""
        guard = words(say("bodyguard of {seat}", seat=title))
        yield seat.bodyguard, Thing(letter, f"guard {seat.seat}{own}", guard)
        spy = words(say("spy of {seat}", seat=title))
        yield seat.spy, Thing(letter, f"spy {seat.seat}{own}", spy)


def _went(news: Sequence[Seen], words: Words) -> Iterator[tuple[Place, Thing]]:
    """Yield where pieces went and from where they were sent away, later ones last."""
    for step in news:
        if isinstance(step, SawMoved):
            way = words(say("{seat} went here", seat=SEAT_TITLES[step.seat]))
            for place in (step.start, *step.path[:-1]):
                yield place, Thing("•", f"way {step.seat}", way)
        for seat, start, _ in movements(step):
            gone = words(say("sent away from here: {seat}", seat=SEAT_TITLES[seat]))
            yield start, Thing("✕", f"way {seat}", gone)
