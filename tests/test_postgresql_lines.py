"""The lines of the manual for PostgreSQL make a database that asks for no password."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from adjudicator import config
from tests import postgresql

SERVER = (Path(__file__).parents[1] / "docs/server.md").read_text("utf-8")
(CHAPTER,) = re.findall(r"(?ms)^## PostgreSQL$.*?^### ", SERVER)
SOMEBODY = "games"  # a user of every Debian; here adjud is called so


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_the_lines_work_as_they_are_printed() -> None:
    binaries = postgresql.programs()
    if binaries is None:
        pytest.skip(postgresql.MISSING)
    made = re.findall(r'(?m)^    su - postgres -c "(.*)"$', CHAPTER)
    (url,) = re.findall(r"(?m)^    runuser -u adjud -- adjud .* db copy (\S+)$", CHAPTER)
    assert f'`database = "{url}"`' in CHAPTER
    assert config.read(f'database = "{url}"'.encode(), Path("adjud.toml")).settings.database == url
    with postgresql.cluster(binaries, "peer") as there:
        Path(there.environment["PGHOST"]).chmod(0o755)
        store = f"psql --quiet -c 'CREATE TABLE x ()' {url}"
        for user, line in (*(("postgres", line) for line in made), (SOMEBODY, store)):
            done = subprocess.run(
                ["runuser", "-u", user, "--", "sh", "-c", re.sub(r"\badjud\b", SOMEBODY, line)],
                env=there.environment,
                cwd="/",
                capture_output=True,
                text=True,
            )
            assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), line
