"""A digit or a word that was spoiled in an email is found. `spoil.py` does it hundreds of times."""

from pathlib import Path

import pytest

from tests.nightly import mostly_nightly
from tests.scale import scaled
from tests.service.cheats.scene import GAMES_PLAYED
from tests.service.cheats.spoil import emails_of, spoilings

pytestmark = pytest.mark.slow


# The lines above a report are a confirmation, in words that no log has; so are these.
NOT_REPORTS = ("(head)", "Your last orders")


@pytest.mark.parametrize("game", mostly_nightly(GAMES_PLAYED, every_day=["spion"]))
def test_most_of_what_is_spoiled_in_reports_is_found(tmp_path: Path, game: str) -> None:
    emails = emails_of(game, tmp_path)
    found = [
        is_found
        for what, is_found in spoilings(emails, scaled(12), f"sample {game}")
        if what.form.startswith("report") and what.section not in NOT_REPORTS
    ]
    assert found
    assert sum(found) >= 0.9 * len(found)
