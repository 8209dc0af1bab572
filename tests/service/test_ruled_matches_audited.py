"""An audit of all that a match told agrees, whatever the game master did in it."""

from pathlib import Path
from random import Random

import pytest

from adjudicator.core.game import AnyGame
from adjudicator.core.message import tell
from adjudicator.games import GAMES
from tests.audits import Audit, audits_of
from tests.nightly import mostly_nightly
from tests.scale import scaled
from tests.service.ruled_match import Match

pytestmark = pytest.mark.slow


def audited(folder: Path) -> Audit:
    (found,) = audits_of(folder)
    return found


@pytest.mark.parametrize("number", mostly_nightly(range(scaled(2)), every_day=(1,)))
@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_all_that_a_match_told_agrees_with_its_log(
    game: AnyGame, number: int, tmp_path: Path
) -> None:
    is_ruled = number % 2 > 0
    by_file = 0.3 if is_ruled else 0
    match = Match(tmp_path, game, Random(f"{game.slug} {number}"), first=number, by_file=by_file)
    match.play(is_ruled=is_ruled)
    for name in match.people.values():
        found = audited(match.papers_of(name))
        assert [tell(one) for one in found.wrong] == []
        # Orders by file have a confirmation in the shell, and none by email.
        asked = [tell(one) for one in found.asks]
        assert [one for one in asked if not (by_file and "no confirmation of it" in one)] == []
        assert any("replayed by the rules" in tell(one) for one in found.checked)


@pytest.mark.parametrize("number", mostly_nightly(range(scaled(2)), every_day=(1,)))
@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_all_that_was_printed_in_a_club_without_emails_agrees(
    game: AnyGame, number: int, tmp_path: Path
) -> None:
    match = Match(tmp_path, game, Random(f"{game.slug} {number} by file"), by_mail=False)
    match.play(is_ruled=number % 2 > 0)
    for name in (*match.people.values(), *match.gone):
        for found in audits_of(match.papers_of(name)):
            assert [tell(one) for one in found.wrong] == []
