"""The units for systemd: it understands every line of them, they may do little, and yet enough."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.nightly import mostly_nightly
from tests.program import Adjud

UNITS = Path(__file__).parents[1] / "examples" / "server"
SERVICES = sorted(UNITS.glob("adjud-*.service"))
LEAST_EXPOSED = 3.0  # systemd's own measure, from 0 to 10


def text_of(name: str) -> str:
    return (UNITS / name).read_text("utf-8")


def analyze(*words: str) -> "subprocess.CompletedProcess[str]":
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not on this machine")
    return subprocess.run([program, *words], capture_output=True, text=True)


@pytest.mark.real
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    for unit in UNITS.iterdir():
        text = unit.read_text("utf-8").replace("/opt/adjud/bin/adjud", sys.executable)
        (tmp_path / unit.name).write_text(text.replace("User=adjud\n", ""))
    units = sorted(str(path) for path in tmp_path.iterdir())
    assert len(units) == 12
    done = analyze("verify", *units)
    ours = [line for line in done.stderr.splitlines() if "adjud" in line or "tell-root" in line]
    assert (done.returncode, ours) == (0, [])


@pytest.mark.real
@pytest.mark.parametrize("unit", SERVICES, ids=lambda path: path.stem)
def test_a_service_may_do_little(unit: Path) -> None:
    done = analyze("security", "--offline=true", "--no-pager", str(unit))
    if "--offline" in done.stderr:
        pytest.skip("this systemd-analyze is too old")
    (found,) = re.findall(r"exposure level for \S+: ([0-9.]+)", done.stdout)
    assert float(found) <= LEAST_EXPOSED


def test_all_services_may_do_the_same_but_for_a_folder() -> None:
    for unit in SERVICES:
        lines = unit.read_text("utf-8").partition("# What it may do")[2].splitlines()
        writes = [line for line in lines if line.startswith("ReadWritePaths=")]
        assert writes[0].startswith("ReadWritePaths=/var/lib/adjud"), unit
        assert [line for line in lines if line not in writes] == [
            line for line in hardening() if not line.startswith("ReadWritePaths=")
        ]
        assert "OnFailure=tell-root@%n.service\n" in unit.read_text("utf-8")
    assert "ReadWritePaths=/var/lib/adjud" in hardening()
    assert {"NoNewPrivileges=yes", "ProtectSystem=strict"} <= {*hardening()}


def hardening() -> list[str]:
    return text_of("adjud-tick.service").partition("# What it may do")[2].splitlines()


@pytest.fixture(scope="module")
def playing(tmp_path_factory: pytest.TempPathFactory) -> Adjud:
    adjud = Adjud(tmp_path_factory.mktemp("club"))
    adjud.club()
    adjud.match()
    return adjud


@pytest.mark.real
@pytest.mark.parametrize(
    "words",
    mostly_nightly(
        ["tick", "doctor", "backup b.tar.gz", "metrics", "site build p"],
        every_day=["tick", "backup b.tar.gz"],
    ),
)
def test_what_a_service_may_call_is_all_that_it_calls(playing: Adjud, words: str) -> None:
    """strace lists the system calls, and systemd those that the filter lets through."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not on this machine")
    allowed = calls("@system-service") - calls("@privileged") - calls("@resources")
    listed = playing.folder / "calls"
    subprocess.run(
        [strace, "-f", "-qq", "-o", listed, sys.executable, "-m", "adjudicator", *words.split()],
        env={key: value for key, value in playing.env.items() if value is not None},
        cwd=playing.folder,
        check=words != "doctor",
        capture_output=True,
    )
    called = set(re.findall(r"^\d+ +([a-z0-9_]+)\(", listed.read_text("utf-8"), re.MULTILINE))
    assert len(called) > 20
    as_root = {"chown", "fchown", "lchown"}  # by SQLite, and only if root runs it
    assert called - allowed - as_root == set()


def calls(group: str) -> set[str]:
    found: set[str] = set()
    for line in analyze("syscall-filter", group).stdout.splitlines():
        name = line.strip()
        if name.startswith("@") and name != group:
            found |= calls(name)
        elif name and not name.startswith(("#", "@")):
            found.add(name)
    return found


# What makes systemd set NoNewPrivileges for a service of a user (systemd.exec(5)), so that postdrop
# does not get its group, and what keeps it from its queue.
FOR_SENDMAIL = {
    "NoNewPrivileges": "no",
    "LockPersonality": "no",
    "MemoryDenyWriteExecute": "no",
    "PrivateDevices": "no",
    "ProtectClock": "no",
    "ProtectHostname": "no",
    "ProtectKernelLogs": "no",
    "ProtectKernelModules": "no",
    "ProtectKernelTunables": "no",
    "RestrictAddressFamilies": "",
    "RestrictNamespaces": "no",
    "RestrictRealtime": "no",
    "RestrictSUIDSGID": "no",
    "SystemCallArchitectures": "",
    "SystemCallFilter": "",
    "ReadWritePaths": "/var/spool/postfix/maildrop",
}


def test_the_manual_takes_back_all_that_keeps_sendmail_from_its_group() -> None:
    book = (UNITS.parents[1] / "docs/server.md").read_text("utf-8")
    block = book.partition("sendmail.conf <<'EOF'\n")[2].partition("    EOF\n")[0]
    lines = [line.strip() for line in block.splitlines()]
    assert lines[0] == "[Service]"
    assert dict(line.split("=", 1) for line in lines[1:]) == FOR_SENDMAIL
    harmless = {"UMask", "CapabilityBoundingSet", "ProtectSystem", "ProtectHome", "PrivateTmp"}
    harmless |= {"ProtectControlGroups", "ProtectProc", "RemoveIPC", "SystemCallErrorNumber"}
    ours = {line.partition("=")[0] for line in hardening() if re.match("[A-Z][A-Za-z]+=", line)}
    assert ours - FOR_SENDMAIL.keys() == harmless


def test_an_email_in_the_spool_of_the_manual_starts_a_tick() -> None:
    path = text_of("adjud-tick.path").splitlines()
    book = (UNITS.parents[1] / "docs" / "server.md").read_text("utf-8")
    spool = re.findall(r'^ *spool = "(.*)"', book, flags=re.MULTILINE)
    assert [f"DirectoryNotEmpty={folder}/new" for folder in spool] == [
        line for line in path if "=/" in line
    ]
    service = text_of("adjud-tick.service").splitlines()
    assert "TimeoutStartSec=30min" in service
    assert "StartLimitIntervalSec=0" in service  # else systemd would give up both


@pytest.mark.parametrize(("age", "pauses"), [(None, ["1"]), (30, ["1"]), (150, ["4", "1"])])
def test_an_email_that_comes_after_a_tick_waits_a_second(
    tmp_path: Path, age: float | None, pauses: list[str]
) -> None:
    """Only one that a tick could not take makes the next tick wait for five."""
    (line,) = [one for one in text_of("adjud-tick.service").splitlines() if "ExecStopPost=" in one]
    (script,) = re.findall(r"ExecStopPost=/bin/sh -c '(.*)'$", line)
    new = tmp_path / "new"
    new.mkdir()
    if age is not None:
        (new / "email").touch()
        os.utime(new / "email", (time.time() - age,) * 2)
    (tmp_path / "sleep").write_text('#!/bin/sh\necho "$1"\n')
    (tmp_path / "sleep").chmod(0o755)
    assert script.count("/var/lib/adjud/spool/new") == 1
    told = subprocess.run(
        ["sh", "-c", script.replace("/var/lib/adjud/spool/new", str(new))],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (told.stdout.split(), told.stderr) == (pauses, "")


def test_what_is_due_at_a_time_is_done_within_a_minute() -> None:
    timer = text_of("adjud-tick.timer").splitlines()
    assert {"OnCalendar=*:*:00", "AccuracySec=1s"} <= {*timer}  # a minute is systemd's own accuracy
    for book in (
        "README.md",
        "docs/server.md",
        "adjudicator/cli/setup.py",
        "adjudicator/cli/match.py",
    ):
        text = (UNITS.parents[1] / book).read_text("utf-8")
        minutes = re.findall(r"(\S+) \* \* \* \* .* tick --quiet", text)
        assert [one.lstrip('"f') for one in minutes] == ["*"], book


def test_a_failure_is_told_once_in_a_while(tmp_path: Path) -> None:
    (line,) = [one for one in text_of("tell-root@.service").splitlines() if "ExecStart=" in one]
    (script,) = re.findall(r"'(.*)' sh %i$", line)
    script = script.replace("$$", "$").replace("%%", "%").replace("\\\\", "\\")
    for name in ("systemctl", "sendmail"):
        (tmp_path / name).write_text(f'#!/bin/sh\necho "{name} $*"; cat\n')
        (tmp_path / name).chmod(0o755)
    told = subprocess.run(
        ["sh", "-c", script.replace("/usr/sbin/sendmail", "sendmail"), "sh", "adjud-tick.service"],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.splitlines() == [
        "sendmail -i root",
        "To: root",
        "Subject: adjud-tick.service failed",
        "",
        "systemctl status --no-pager --full --lines=30 adjud-tick.service",
    ]


def test_the_last_ten_backups_are_kept_whatever_the_clock_says(tmp_path: Path) -> None:
    """A clock that ran ahead makes all others old, and deletes one."""
    (line,) = re.findall(r"ExecStartPost=/bin/sh -c '(.*)'", text_of("adjud-backup.service"))
    for day in range(1, 13):
        made = tmp_path / f"adjud-2026-11-{day:02}-0547.tar.gz"
        made.touch()
        os.utime(made, (1e9 + day * 86400,) * 2)
    (tmp_path / "adjud-2031-01-01-0000.tar.gz").touch()
    (tmp_path / "before-adjud.tar.gz").touch()
    done = subprocess.run(
        ["/bin/sh", "-c", line.replace("/var/lib/adjud", str(tmp_path))], capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    left = sorted(path.name for path in tmp_path.iterdir())
    days = [f"adjud-2026-11-{day:02}-0547.tar.gz" for day in range(4, 13)]
    assert left == [*days, "adjud-2031-01-01-0000.tar.gz", "before-adjud.tar.gz"]
