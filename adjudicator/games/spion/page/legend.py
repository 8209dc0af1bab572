"""The signs of the drawn board in words: of those that come and go, what stands in it alone."""

from collections.abc import Iterator

from adjudicator.core.message import Message, Words, say
from adjudicator.games.spion.page.drawing import LETTERS, Shapes

Row = tuple[str, str, str]  # a sign, how it looks, what it says


def legend(shapes: Shapes, reader: str | None, words: Words) -> list[Row]:
    """Explain the signs of a drawing. `shapes` are its rows; without a `reader` nothing in it is
    his."""
    seat = reader or str(shapes.spies[0][0])
    return [(sign, style, words(told)) for sign, style, told in _signs(shapes, reader, seat)]


def _signs(shapes: Shapes, reader: str | None, seat: str) -> Iterator[tuple[str, str, Message]]:
    yield LETTERS[seat], f"spy {seat}", say("a spy")
    yield LETTERS[seat], f"guard {seat}", say("a bodyguard")
    if reader:
        yield LETTERS[seat], f"spy own {seat}", say("with a ring: yours")
    cards = {bool(embassy.card) for embassy in shapes.embassies}
    if True in cards:
        yield "=", "card", say("dark: an embassy with a card")
    if False in cards:
        yield "", "bare", say("an embassy without a card")
    yield "\N{BLACK UP-POINTING TRIANGLE}", "door", say("the door of an embassy")
    yield from _ground(shapes)
    yield from _lines(shapes)


def _ground(shapes: Shapes) -> Iterator[tuple[str, str, Message]]:
    ground = shapes.ground
    for kind, tiles, told in (
        ("well", ground.well, say("a well")),
        ("forbidden", ground.forbidden, say("forbidden area")),
        ("wire", ground.wire, say("barbed wire")),
    ):
        if tiles:
            yield "\N{MULTIPLICATION X}" if kind == "wire" else "", kind, told
    if shapes.goals or shapes.cards:
        yield "", "goal", say("you can reach it")


def _lines(shapes: Shapes) -> Iterator[tuple[str, str, Message]]:
    """Lines have the colours of those whose pieces went."""
    if shapes.ways:
        yield "\N{RIGHTWARDS ARROW}", "line", say("where a spy went")
    if any(tunnel for _, _, tunnel, _ in shapes.ways):
        yield "\N{RIGHTWARDS DASHED ARROW}", "line", say("through a tunnel")
    if shapes.sent:
        yield "\N{MIDLINE HORIZONTAL ELLIPSIS}", "line", say("sent home, or put there")
