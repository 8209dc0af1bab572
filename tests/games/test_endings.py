"""Every way in which the shell ends a match can be read to the end, in every game and language:
a game that lacks a sentence for one of them would leave its players without their last report."""

from collections.abc import Iterator

import pytest

from adjudicator.core.game import AnyGame, spelling_of
from adjudicator.core.match import Seat
from adjudicator.core.message import LANGUAGES
from adjudicator.reports.render import card
from adjudicator.reports.words import words
from adjudicator.service.base.context import Context, OpenClub
from adjudicator.service.base.loaded_match import Loaded, load
from adjudicator.service.matches import creation, full_board, game_master, overview, sheet_storing
from adjudicator.service.matches.sheet_parsing import Source
from adjudicator.service.ops import tick
from adjudicator.service.reports import printing
from adjudicator.store.database import Store
from tests.club import computer_orders
from tests.games.under_contract import each_game
from tests.nightly import mostly_nightly
from tests.service.club import MONDAY as NOW
from tests.service.club import Club

NAMES = ("Anna", "Bob", "Carl", "Dora", "Emil")
MEANS = Context(committer=lambda: "5a" * 32, raise_faults=True)


class Table:
    """A match between people of all languages, played for some turns and then ended."""

    def __init__(self, store: Store, game: AnyGame) -> None:
        self.store = store
        club = Club(store)
        for number, name in enumerate(NAMES):
            club.add(name, language=LANGUAGES[number % len(LANGUAGES)], now=NOW)
        creation.create(
            OpenClub(store, NOW, MEANS),
            creation.NewMatch(
                game=game.slug,
                variant=None,
                name="m",
                seats=[f"{seat}={name}" for seat, name in zip(_seats(game), NAMES, strict=False)],
                options=[],
                seed=None,
                fresh_seed=bytes(32),
            ),
        )

    @property
    def loaded(self) -> Loaded:
        with self.store.reading() as tx:
            return load(tx, "m")

    def send(self, seat: Seat, *lines: str) -> None:
        text = "\n".join((f"ORDERS m {seat}", *lines, "END"))
        (receipt,) = sheet_storing.submit(self.store, text, Source(), now=NOW)
        assert receipt.accepted, receipt

    def tick(self) -> None:
        for done in tick.run_due(OpenClub(self.store, NOW, MEANS)):
            assert not done.urgent, done

    def play(self, plies: int) -> None:
        for _ in range(plies):
            loaded = self.loaded
            for seat in loaded.awaited:
                self.send(Seat(seat), *computer_orders(loaded, seat, "computer"))
            self.tick()

    def everybody(self, order: str) -> None:
        for seat in self.loaded.seats:
            self.send(seat, order)
        self.tick()

    def all_but_one(self, order: str) -> None:
        for seat in self.loaded.seats[1:]:
            self.send(seat, order)
            self.tick()

    def all_but_one_forfeit(self) -> None:
        for seat in self.loaded.seats[1:]:
            game_master.forfeit(OpenClub(self.store, NOW, MEANS), "m", seat, reason="")
            self.tick()

    def cancel(self) -> None:
        game_master.cancel(OpenClub(self.store, NOW, MEANS), "m", reason="the club closes")


ENDINGS = {
    "resignation": lambda table: table.all_but_one("RESIGN"),
    "forfeit": lambda table: table.all_but_one_forfeit(),
    "agreement": lambda table: table.everybody("DRAW"),
    "cancelled": lambda table: table.cancel(),
}
pytestmark = pytest.mark.usefixtures("skeleton")


def _seats(game: AnyGame) -> tuple[Seat, ...]:
    most = max(game.players)
    return game.seating(game.variants[0], "").get(most) or game.seats[:most]


def _everything(table: Table) -> Iterator[str]:
    """Yield all that can be printed of a match, for each seat in its player's language."""
    for report in printing.newest(table.store, "m", now=NOW):
        for _, text in printing.forms(report):
            yield text
        yield printing.render(report, "svg")
    yield str(full_board.whole_state(table.store, "m"))


@pytest.mark.slow
@each_game
@pytest.mark.parametrize(
    ("reason", "plies"),
    [
        *((reason, 3) for reason in ENDINGS),  # in play
        *mostly_nightly(((reason, 0) for reason in ENDINGS), every_day=[("resignation", 0)]),
    ],
)
def test_the_last_page_tells_how_it_ended(
    store: Store, game: AnyGame, reason: str, plies: int
) -> None:
    table = Table(store, game)
    table.play(plies)
    ENDINGS[reason](table)
    loaded = table.loaded
    outcome = game.rules.outcome(loaded.state)
    assert outcome
    assert outcome.reason == reason
    assert loaded.match.status == "over"
    assert all(_everything(table))
    assert overview.export(store, "m").strip()


@pytest.mark.slow
@each_game
def test_every_page_of_a_running_match_can_be_read(store: Store, game: AnyGame) -> None:
    table = Table(store, game)
    for _ in range(4):
        assert all(_everything(table))
        table.play(1)


@each_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_help_brings_a_card(game: AnyGame, language: str) -> None:
    spelled = spelling_of(game, words(language, game.slug))
    assert len(card(game, language, spelled).splitlines()) > 5
