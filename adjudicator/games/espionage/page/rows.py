"""The rows that Espionage's templates print, made from a report alone.

Whatever is told here stands in the report: this module sees no state.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from adjudicator.core.game import Rows
from adjudicator.core.lookback import History
from adjudicator.core.match import Seat
from adjudicator.core.message import Words, say
from adjudicator.core.report import Report
from adjudicator.core.visible import Squares
from adjudicator.games.espionage.lexicon import SIDE_TITLES, spelled
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.page import drawing, live_page, sentences
from adjudicator.games.espionage.page.armies import Army, Entry, armies, to_place
from adjudicator.games.espionage.page.dossiers import Dossier, dossiers, fight_rows
from adjudicator.games.espionage.page.drawing import legend
from adjudicator.games.espionage.page.history import history
from adjudicator.games.espionage.page.losses import Row as Losses
from adjudicator.games.espionage.page.losses import losses
from adjudicator.games.espionage.page.news import OldReport, Row, Tale, order_groups, tales
from adjudicator.games.espionage.page.sentences import mark_lines, opening
from adjudicator.games.espionage.page.squares import squares
from adjudicator.games.espionage.rules.pieces import LETTERS, SIDES, TAKES, Rank, wins
from adjudicator.games.espionage.rules.state import VARIANTS
from adjudicator.games.espionage.sight.observe import SeenStep, View


class Page(Rows, frozen=True, kw_only=True):
    """Sentences, tables and drawings, each in the order in which the reader meets it. `board` is
    drawn for monospace, `squares` are the same as a table, `legend` has sign, style and meaning;
    `army` is what is to be placed; `fights` has squares with what is known of the piece there, and
    `dossiers` tell more of all enemy pieces; `losses` are what is taken and what is left, and
    `fallen` at the end how many pieces each side has lost; `jotted` are the reader's own marks and
    notes; `beats` has for each rank its letter, its name and the letters of what it takes (3.2);
    `moves` is how many pieces move in a turn; `ahead` is a sheet of a seat that is not awaited, to
    be filled in.
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
    dossiers: Sequence[Dossier]
    losses: Sequence[Losses]
    fallen: Sequence[tuple[str, int]]
    jotted: Sequence[str]
    facts: Sequence[str]
    beats: Sequence[tuple[str, str, str]]
    moves: int
    setups: Sequence[tuple[str, Sequence[str]]]
    ahead: Sequence[str]


def looking_back(
    report: Report[View, SeenStep], words: Words, past: Sequence[OldReport], room: int | None
) -> History | None:
    back = history(report, past, words, sentences.ending(report.view, words), room)
    return replace(back, dossiers=list(dossiers(report, past, words))) if back else None


def retold(report: Report[View, SeenStep], words: Words) -> list[tuple[str, str, list[Tale]]]:
    view = report.view
    return tales(report.news, view.pieces, view.seat, drawing.below(view), words)


def page(report: Report[View, SeenStep], words: Words, back: History | None = None) -> Page:
    view = report.view
    own = drawing.below(view)
    drawn = drawing.shapes(view, report.news)
    return Page(
        title=words(say("Espionage")),
        seats={side: words(SIDE_TITLES[side]) for side in SIDES},
        spelling=spelled(words),
        early=report.turn <= 1,
        rules=opening("; ".join(words(message) for message in sentences.option_messages(report)))
        + ".",
        result=sentences.ending(view, words),
        news=order_groups(report.news, view.pieces, view.seat, words),
        board=drawing.lines(view),
        squares=squares(view, report.news, words),
        shapes=drawn,
        below=own,
        picture=words(sentences.picture(view)),
        legend=[(sign, style, words(told)) for sign, style, told in legend(drawn, own, view.seat)],
        armies=armies(view, words, own) if view.pieces else [],
        army=to_place(view, words) if view.phase == "setup" else [],
        fights=fight_rows(view, words),
        dossiers=list(dossiers(report, (), words)),
        losses=losses(report, words),
        fallen=_fallen(view, words),
        jotted=mark_lines(view, report.notes or (), words),
        facts=[words(message) for message in sentences.facts(view)],
        beats=[
            (LETTERS[rank], opening(words(TITLES[rank])), " ".join(_taken(rank))) for rank in Rank
        ],
        moves=VARIANTS[report.variant].pieces_moved,
        setups=_setups(view, words),
        how=[words(message) for message in sentences.how(view, own)],
        scripts=live_page.scripts_by_letter(report),
        spare=["espionage/beats.js"],
        data=live_page.data_by_letter(report, words),
        live_scripts=live_page.scripts(report),
        live_data=live_page.data(report, words),
        ahead=live_page.sheet(report, words),
    )


def _taken(attacker: Rank) -> Iterator[str]:
    """Yield the letters of what a rank takes; none, if it never attacks."""
    return (LETTERS[met] for met in Rank if attacker in TAKES and wins(attacker, met))


def _fallen(view: View, words: Words) -> list[tuple[str, int]]:
    """Return how many pieces each side has lost in a match that was played to its end, the
    reader's own first."""
    if view.phase != "over" or not view.pieces:
        return []
    sides = sorted(SIDES, key=lambda side: side != view.seat)
    return [
        (words(say("You") if side == view.seat else SIDE_TITLES[side]), view.lost[side])
        for side in sides
    ]


def _setups(view: View, words: Words) -> list[tuple[str, list[str]]]:
    """Return both set-ups with White below, as the record has them; nothing before the end
    (5.4)."""
    setups = view.setups or {}
    return [(words(SIDE_TITLES[side]), setups[side].split("/")) for side in SIDES if setups]
