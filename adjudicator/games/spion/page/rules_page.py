"""The rows of the page that tells Spion's rules. Its sentences stand in the template."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import Words, say
from adjudicator.games.spion.lexicon import card_read
from adjudicator.games.spion.page import drawing
from adjudicator.games.spion.page.drawing import legend
from adjudicator.games.spion.page.names import name_in_language
from adjudicator.games.spion.rules import turns
from adjudicator.games.spion.rules.rolls import LAST_ROUND
from adjudicator.games.spion.rules.state import OPTIONS, SEATS
from adjudicator.games.spion.rules.variants import standard
from adjudicator.games.spion.sight.observe import observe
from adjudicator.games.spion.sight.view import View


class Rules(Struct, frozen=True, kw_only=True):
    """The board as it lies at the start, and the names of its embassies."""

    shapes: drawing.Shapes
    legend: Sequence[tuple[str, str, str]]
    picture: str
    names: Sequence[tuple[str, str]]
    types: str
    last_round: int


def rules(words: Words) -> Rules:
    board = standard("original")
    shapes = drawing.shapes(_at_the_start(), ())
    return Rules(
        shapes=shapes,
        legend=legend(shapes, None, words),
        picture=words(say("The board at the start, with a card in each embassy.")),
        names=sorted(
            (code, name_in_language(e.name, words)) for code, e in board.embassies.items()
        ),
        types=", ".join(card_read(card, words) for card in board.types),
        last_round=LAST_ROUND,
    )


def _at_the_start() -> View:
    """Return what somebody sees who has no seat, with four players, when the cards are dealt."""
    state = turns.set_up(
        Setting.of(OPTIONS, "original", {}, SEATS), Chance(bytes(32), "rules", label=LABEL)
    )
    view = observe(state, Seat(""))
    embassies = tuple(replace(entry, card=True) for entry in view.board.embassies)
    return replace(view, board=replace(view.board, embassies=embassies))
