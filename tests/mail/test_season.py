"""A short season (tests/season.py): eight commands to the first match, then every command once."""

import pytest

from tests import season
from tests.mail.realmail import Real


@pytest.mark.nightly
def test_a_club_is_set_up_by_the_manual_and_run_for_some_days(real: Real) -> None:
    figures = season.run(days=2, matches=2, people=3, program=real.program)
    assert figures.commands <= 8
    assert figures.absent == []
    assert figures.came > 3  # beside the three confirmations
    assert figures.megabytes_pruned is not None
    assert figures.megabytes_pruned < figures.megabytes
    assert len(figures.refused) == len(season.WRONG.strip().splitlines())
    assert "\n".join(season.shown(figures)).startswith(
        "commands from useradd to the first match: 8"
    )


def test_the_commands_of_the_season_are_those_of_the_manual() -> None:
    """Each line of the README is one of the eight that it counts."""
    readme = (season.ROOT / "README.md").read_text("utf-8")
    chapter = readme.partition("## For the administrator")[2].partition("Anna gets an invitation")[
        0
    ]
    lines = [line.split() for line in chapter.splitlines() if line.startswith("    ")]
    begun = [" ".join(line[:4] if line[0] == "runuser" else line[:1]) for line in lines]
    assert begun == [
        "useradd", "python3", "/opt/adjud-1/bin/pip", "ln", "/opt/adjud/bin/adjud", "postfix",
        "runuser -u adjud --", "runuser -u adjud --",
    ]  # fmt: skip
