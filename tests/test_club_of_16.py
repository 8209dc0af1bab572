"""Sixteen people play four tournaments and a ladder to the end by email, with late players,
leavers, byes, draws and a restore in the middle."""

from pathlib import Path

import pytest

from tests import club_of_16

DAYS = 7  # until the club was restored and has played on for a day


@pytest.mark.slow
def test_a_club_of_sixteen_plays_on_after_a_restore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    club = club_of_16.run(tmp_path, seed=1, days=DAYS)

    assert club.counts["restored"] == 1
    assert club.counts["out"] > 100
    assert "Kim" in club.does("tournament", "show", "pods")


@pytest.mark.nightly
@pytest.mark.timeout(900)
def test_a_club_of_sixteen_plays_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    club = club_of_16.run(tmp_path, seed=1, days=200)

    club_of_16.check_end(club)
    assert club.counts["restored"] == 1
    assert club.counts["out"] > 500
    assert "Kim" in club.does("tournament", "show", "pods")
