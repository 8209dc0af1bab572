"""Numbers for a monitoring system, and log lines for the journal."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.program import Adjud

SHEET = ("ORDERS espionage-1 white", "SETUP RANDOM", "END")


def numbers(adjud: Adjud, at: str = "2026-11-21 12:00:00") -> dict[str, float]:
    lines = adjud.does("metrics", at=at).splitlines()
    assert lines[-1] == "# EOF"
    told = (line.rpartition(" ") for line in lines if not line.startswith("#"))
    return {name: float(value) for name, _, value in told}


def test_numbers_tell_of_matches_emails_ticks_and_faults(by_mail: Adjud) -> None:
    by_mail.does("tick")
    found = numbers(by_mail)
    assert found["adjud_up"] == 1
    assert found['adjud_matches{state="playing"}'] == 1
    assert found['adjud_matches{state="held"}'] == 0
    assert found['adjud_tournaments{state="playing"}'] == 0
    assert found['adjud_emails{direction="out",state="stuck"}'] == 0
    assert found['adjud_faults{check="operator"}'] == 1
    assert found["adjud_due_match_age_seconds"] == 0
    assert found["adjud_last_tick_timestamp_seconds"] == 1795262400  # 2026-11-21 12:00 UTC
    late = numbers(by_mail, at="2026-11-26 12:00:00")  # the deadline was two days ago
    assert late["adjud_due_match_age_seconds"] == 2 * 24 * 3600
    assert late['adjud_faults{check="tick"}'] == 1
    config = by_mail.folder / "adjud.toml"
    config.write_text('[doctor]\nskip = "operator"\n' + config.read_text())
    assert numbers(by_mail)['adjud_faults{check="operator"}'] == 0


def test_no_number_depends_on_who_has_sent(by_mail: Adjud) -> None:
    by_mail.does("tick")
    before = by_mail.does("metrics", at="2026-11-21 13:00:00")
    by_mail.came("white", *SHEET)
    assert by_mail.does("metrics", at="2026-11-21 13:00:00") == before
    by_mail.does("tick")
    assert by_mail.does("metrics", at="2026-11-21 13:00:00") == before


def test_numbers_are_only_read_while_another_program_writes(by_mail: Adjud) -> None:
    """They come each minute: they neither wait for SQLite's lock nor take it from a tick."""
    by_mail.does("tick")
    before = numbers(by_mail)
    assert 'adjud_faults{check="database.writing"}' not in before
    with closing(sqlite3.connect(by_mail.file, isolation_level=None)) as another:
        another.execute("BEGIN IMMEDIATE")
        another.execute("UPDATE clock SET last_tick_at = last_tick_at")
        assert numbers(by_mail) == before
        another.execute("COMMIT")


def test_they_need_no_migrations_no_dns_and_no_templates(by_mail: Adjud) -> None:
    """To import these takes longer than to count."""
    seen = "import sys; from adjudicator.service.ops import metrics; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", seen], capture_output=True, check=True).stdout
    assert not {b"alembic", b"dns", b"jinja2"} & {*loaded.split()}


NUMBERS = """\
# Numbers

What `adjud metrics` prints, all of them gauges. None of them depends on an open turn. If `adjud_up`
is 0, those that are counted in the database are missing.
[server.md](../server.md#numbers-for-a-monitoring-system) says what to watch.

Made from the program (`pytest tests/cli/test_metrics.py --bless`).

| name | labels | what it tells |
| --- | --- | --- |
"""


def test_the_page_of_the_numbers_is_of_this_program(
    by_mail: Adjud, request: pytest.FixtureRequest
) -> None:
    by_mail.does("tick")
    by_mail.does("backup", "b.tar.gz")
    text, whole = by_mail.does("metrics"), NUMBERS
    for name, about in re.findall(r"^# HELP (\S+) (.*)$", text, re.MULTILINE):
        found: dict[str, list[str]] = {}
        for labels in re.findall(rf"^{name}\{{(.*)\}} ", text, re.MULTILINE):
            for label, value in re.findall(r'(\w+)="([^"]*)"', labels):
                found.setdefault(label, []).append(f"`{value}`")
        if name in ("adjud_build", "adjud_faults"):  # others in each version
            found = {label: [] for label in found}
        told = [
            f"`{label}`" + (f": {', '.join(dict.fromkeys(of))}" if of else "")
            for label, of in found.items()
        ]
        whole += f"| `{name}` | {'; '.join(told)} | {about} |\n"
    path = Path(__file__).parents[2] / "docs/reference/numbers.md"
    if request.config.getoption("--bless"):
        path.write_text(whole, "utf-8")
    assert path.read_text("utf-8") == whole, f"run it again with --bless, and read {path}"


def test_a_database_that_cannot_be_read_is_a_number_too(by_mail: Adjud) -> None:
    by_mail.file.write_bytes(b"damaged")
    found = numbers(by_mail)
    assert found["adjud_up"] == 0
    assert sum(value for name, value in found.items() if name.startswith("adjud_faults")) > 0


def test_the_text_is_openmetrics(by_mail: Adjud) -> None:
    reader = pytest.importorskip("prometheus_client.openmetrics.parser")
    text = by_mail.does("metrics")
    families = {one.name: one for one in reader.text_string_to_metric_families(text)}
    assert families["adjud_matches"].type == "gauge"
    assert len(families["adjud_matches"].samples) == 5
    older = pytest.importorskip("prometheus_client.parser")  # as node_exporter reads it
    assert {one.name for one in older.text_string_to_metric_families(text)} == families.keys()


def test_node_exporter_gets_a_whole_file_and_nobody_loses_one(by_mail: Adjud) -> None:
    folder = by_mail.folder / "node"
    told = f"adjud: there is no folder {folder}\n"
    assert by_mail("metrics", "--folder", str(folder)) == (1, "", told)
    folder.mkdir()
    for _ in range(2):
        assert by_mail.does("metrics", "--folder", str(folder)) == ""
        (path,) = folder.iterdir()
        assert (path.name, path.stat().st_mode & 0o777) == ("adjud.prom", 0o644)
        assert path.read_text() == by_mail.does("metrics")
    path.write_text("anna 1\n")
    told = f"adjud: {path} is not a file of adjud's; move it away first\n"
    assert by_mail("metrics", "--folder", str(folder)) == (1, "", told)
    assert path.read_text() == "anna 1\n"
    path.unlink()
    elsewhere = by_mail.folder / "elsewhere"
    elsewhere.write_text("# HELP adjud_build \n")
    path.symlink_to(elsewhere)
    assert by_mail("metrics", "--folder", str(folder)) == (1, "", told)
    assert elsewhere.read_text() == "# HELP adjud_build \n"


# --- what is acknowledged -------------------------------------------------------------------------


def test_a_fault_that_is_known_is_a_warning(by_mail: Adjud) -> None:
    bad = [line for line in by_mail("doctor").out.splitlines() if line.startswith("BAD ")]
    assert len(bad) == 2
    answer = by_mail("doctor", "--ignore", "key.backup", "--ignore", "operator")
    assert answer.code == 0
    for line in bad:
        assert f"!! {line[3:]} (acknowledged)\n" in answer.out
    assert by_mail.does("doctor", "--quiet", "--ignore", "key", "--ignore", "operator") == ""
    config = by_mail.folder / "adjud.toml"
    config.write_text(config.read_text() + '[doctor]\nskip = "key, operator"\n')
    told = [json.loads(line) for line in by_mail.does("doctor", "--format", "json").splitlines()]
    known = {one["name"]: one for one in told if one["acknowledged"]}
    assert known.keys() == {"key.backup", "operator"}
    assert {one["state"] for one in known.values()} == {"warn"}
    assert known["key.backup"]["check"] == "key"
    (by_mail.folder / "data/adjud/adjud.key").chmod(0o644)  # is of the check key, too
    assert by_mail("doctor").code == 0
    config.write_text(config.read_text().replace("key,", "key.backup,"))
    assert by_mail("doctor").code == 1


def test_a_check_that_there_is_not_is_refused(by_mail: Adjud) -> None:
    told = "there is no check 'oeprator'; did you mean operator?\n"
    assert by_mail("doctor", "--ignore", "oeprator") == (1, "", f"adjud: --ignore: {told}")
    config = by_mail.folder / "adjud.toml"
    text = config.read_text()
    config.write_text(f'{text}[doctor]\nskip = "oeprator"\n')
    line = text.count("\n") + 2
    assert by_mail("doctor") == (1, "", f"adjud: {config}, line {line}: {told}")


# --- the journal ----------------------------------------------------------------------------------


def run(adjud: Adjud, *words: str, journal: bool) -> "subprocess.CompletedProcess[str]":
    """Run a command whose standard error is a file that is, or is not, the journal's."""
    path = adjud.folder / "journal"
    with path.open("w+") as file:
        found = os.fstat(file.fileno())
        named = f"{found.st_dev}:{found.st_ino if journal else 1}"
        done = subprocess.run(
            [sys.executable, "-m", "adjudicator", *words],
            env={
                **{key: value for key, value in adjud.env.items() if value is not None},
                "JOURNAL_STREAM": named,
            },
            stdout=subprocess.PIPE,
            stderr=file,
            text=True,
        )
        file.seek(0)
        done.stderr = file.read()
    return done


@pytest.mark.slow
def test_the_journal_gets_each_line_with_its_priority(by_mail: Adjud) -> None:
    config = by_mail.folder / "adjud.toml"
    text = config.read_text()
    config.write_text(f'{text}fetch = "maildir:/nowhere"\n')
    why = "emails cannot be fetched: /nowhere is not a Maildir; "
    plain = run(by_mail, "tick", journal=False)
    assert plain.stderr.startswith(f"adjud: {why}")
    assert run(by_mail, "tick", journal=True).stderr.startswith(f"<3>{why}")
    doctor = run(by_mail, "doctor", journal=True)
    assert doctor.stdout == ""
    assert {line[:3] for line in doctor.stderr.splitlines()} == {"<3>", "<6>"}
    config.write_text("mail = [")
    told = run(by_mail, "tick", journal=True).stderr
    assert told.startswith(f"<3>{config}, line 1: mail: ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "told"),
    [
        ("error", ""),
        ("warning", ""),
        ("info", "<6>m: adjudicated; turn 1 is waiting for white\n"),
        ("debug", "<6>m: adjudicated; turn 1 is waiting for white\n<7>the tick is done\n"),
    ],
)
def test_the_level_says_how_much_a_tick_tells(club: Adjud, level: str, told: str) -> None:
    seats = ("--seat", "white=Anna", "--seat", "black=Bob")
    club.does("new", "espionage", "--match", "m", *seats)
    for seat in ("white", "black"):
        club.does("submit", "-", stdin=f"ORDERS m {seat}\nSETUP RANDOM\nEND\n")
    club.write("adjud.toml", f'[log]\nlevel = "{level}"\n')
    done = run(club, "tick", "--match", "m", journal=True)
    assert done.stdout == ""
    assert done.stderr == told


def test_a_level_that_there_is_not(club: Adjud) -> None:
    path = Path(club.write("adjud.toml", '[log]\nlevel = "loud"\n'))
    answer = club("tick")
    right = "log.level = 'loud' is not valid; write error, warning, info or debug\n"
    assert answer == (1, "", f"adjud: {path}, line 2: {right}")
