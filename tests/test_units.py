"""The units for systemd that the README installs: systemd understands every line of them."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

UNITS = Path(__file__).parents[1] / "examples" / "server"


@pytest.mark.real
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not on this machine")
    for unit in UNITS.iterdir():
        text = unit.read_text("utf-8").replace("/opt/adjud/bin/adjud", sys.executable)
        (tmp_path / unit.name).write_text(text.replace("User=adjud\n", ""))
    units = sorted(str(path) for path in tmp_path.iterdir())
    assert len(units) == 3
    done = subprocess.run([analyze, "verify", *units], capture_output=True, text=True)
    ours = [line for line in done.stderr.splitlines() if "adjud-tick" in line]
    assert (done.returncode, ours) == (0, [])


def test_a_letter_in_the_spool_of_the_manual_starts_a_tick() -> None:
    path = (UNITS / "adjud-tick.path").read_text("utf-8").splitlines()
    book = (UNITS.parents[1] / "docs" / "server.md").read_text("utf-8")
    spool = re.findall(r'^ *spool = "(.*)"', book, flags=re.MULTILINE)
    assert [f"DirectoryNotEmpty={folder}/new" for folder in spool] == [
        line for line in path if "=/" in line
    ]
    # Else a letter that stays there would make systemd give up both.
    service = (UNITS / "adjud-tick.service").read_text("utf-8").splitlines()
    assert "ExecStopPost=/usr/bin/sleep 5" in service


def test_the_service_may_change_nothing_but_the_clubs_folder() -> None:
    lines = set((UNITS / "adjud-tick.service").read_text("utf-8").splitlines())
    assert {"NoNewPrivileges=yes", "ProtectSystem=strict", "TimeoutStartSec=30min"} <= lines
    assert "ReadWritePaths=/var/lib/adjud" in lines
