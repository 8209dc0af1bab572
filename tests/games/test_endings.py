"""Every way in which the shell ends a match can be read to the end, in every game and language:
a game that lacks a sentence for one of them would leave its players without their last report."""

from collections.abc import Iterator

import pytest

from adjudicator.core.game import AnyGame, spelling_of
from adjudicator.core.match import Seat
from adjudicator.core.message import LANGUAGES
from adjudicator.reports.render import card
from adjudicator.reports.words import words
from tests.club import MONDAY as NOW
from tests.club import Club, Context, Loaded, NewMatch, Store, computer_orders, forms, show
from tests.games.under_contract import each_game
from tests.nightly import mostly_nightly

NAMES = ("Anna", "Bob", "Carl", "Dora", "Emil")
MEANS = Context(committer=lambda: "5a" * 32, raise_faults=True)


class Table:
    """A match between people of all languages, played for some turns and then ended."""

    def __init__(self, store: Store, game: AnyGame) -> None:
        self.store = store
        club = Club(store)
        for number, name in enumerate(NAMES):
            club.add(name, language=LANGUAGES[number % len(LANGUAGES)], now=NOW)
        Club(store, MEANS).create(
            NewMatch(
                game=game.slug,
                variant=None,
                name="m",
                seats=[f"{seat}={name}" for seat, name in zip(_seats(game), NAMES, strict=False)],
                options=[],
                seed=None,
                fresh_seed=bytes(32),
            ),
            now=NOW,
        )

    @property
    def loaded(self) -> Loaded:
        return Club(self.store).loaded("m")

    def send(self, seat: Seat, *lines: str) -> None:
        text = "\n".join((f"ORDERS m {seat}", *lines, "END"))
        (receipt,) = Club(self.store).submit(text, now=NOW)
        assert receipt.accepted, receipt

    def tick(self) -> None:
        for done in Club(self.store, MEANS).run_due(now=NOW):
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
            Club(self.store, MEANS).forfeit("m", seat, now=NOW)
            self.tick()

    def cancel(self) -> None:
        Club(self.store, MEANS).cancel("m", reason="the club closes", now=NOW)


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
    club = Club(table.store)
    for report in club.newest_reports("m", now=NOW):
        for _, text in forms(report):
            yield text
        yield show(report, "svg")
    yield str(club.whole_state("m"))


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
    assert Club(store).export("m").strip()


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
