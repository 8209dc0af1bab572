"""Run the console blocks of the README and of docs/, in order; they print what is written there.

The first, which installs the program, is run by tests/test_packaging.py.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from adjudicator import config

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
BOOKS = {path.stem: path.read_text("utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))}
SERVER = BOOKS["server"]


def blocks(text: str) -> list[str]:
    return re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL)


INSTALL, *WALK = blocks(README)
BLOCKS = [*blocks(README), *(block for book in BOOKS.values() for block in blocks(book))]


def commands(block: str) -> list[tuple[str, str]]:
    """Return (command, output) pairs.

    `$ ` begins a command, which goes on as long as a shell would wait for more of it.
    """
    found: list[tuple[list[str], list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(([line[2:]], []))
        else:
            typed, printed = found[-1]
            (printed if printed or _is_whole(typed) else typed).append(line)
    return [("\n".join(typed), "\n".join(printed)) for typed, printed in found]


def _is_whole(typed: list[str]) -> bool:
    begun = re.search(r"<<'(\w+)'", typed[0])
    if begun:
        return typed[-1] == begun[1] and len(typed) > 1
    return not typed[-1].endswith(("\\", "|", "&&"))


def test_what_a_newcomer_types_holds_no_prompt_of_a_shell():
    """A line that goes on would be copied with it, and a sheet would hold it."""
    for block in BLOCKS:
        for typed, _ in commands(block):
            assert not re.search(r"(?m)^(?:>|\$) ", typed)
    typed = {command.partition("\n")[0] for command, _ in commands("\n".join(BLOCKS))}
    assert {"cat > army.txt <<'EOF'", "cat > orders.txt <<'EOF'"} <= typed


def matches(expected: str, printed: str) -> bool:
    """Return whether the output is the expected one; `...` stands for anything."""
    parts = (re.escape(part) for part in expected.strip().split("..."))
    return re.fullmatch(r"[\s\S]*?".join(parts), printed.strip()) is not None


def run_line(command: str, folder: Path, **environment: str) -> str:
    made = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "COLUMNS": "80", **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=540,
        check=False,
    )
    return made.stdout


@pytest.mark.slow
def test_the_walk_prints_what_the_readme_says(tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    clean = {"ADJUD_DATABASE": "", "ADJUD_CONFIG": "", "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": ""}
    for text in (WALK, *map(blocks, BOOKS.values())):
        folder = tmp_path  # who begins with a book is in the checkout
        for command, expected in (each for block in text for each in commands(block)):
            if command.startswith("cd "):
                folder /= command.removeprefix("cd ")
                continue
            printed = run_line(command, folder, PATH=path, **clean)
            assert matches(expected, printed), f"$ {command}\n{printed}\ninstead of\n{expected}"
    assert not (tmp_path / ".local").exists()
    assert not (tmp_path / ".config").exists()


INDENTED = re.findall(r"^    (.*)$", README + BOOKS["gamemaster"] + SERVER, flags=re.MULTILINE)


def here(name: str) -> str:
    """Write the file that the administrator's chapter writes."""
    (found,) = re.findall(rf"(?ms)^    cat > {re.escape(name)} <<'EOF'\n(.*?)^    EOF$", SERVER)
    return re.sub(r"(?m)^    ", "", found)


def test_every_line_that_a_server_runs_names_its_configuration():
    """Without it the program would look into another database, and leave emails unread."""
    runs = [line for line in INDENTED if re.search(r"/opt/adjud/bin/adjud (?!/)|runuser", line)]
    assert len(runs) > 10
    for line in runs:
        assert "adjud --config /etc/adjud.toml " in line, line
    timed = [line for line in INDENTED if re.match(r"[*\d]\S* \S+ \* \* \*", line)]
    assert len(timed) == 6
    assert set(timed) <= set(runs)


def test_the_sample_configuration_leaves_nothing_to_the_folders_of_whoever_runs_it(tmp_path):
    settings = config.read(here("/etc/adjud.toml").encode(), Path("/etc/adjud.toml")).settings
    assert settings.database == "sqlite:////var/lib/adjud/adjud.db"
    for path in (config.key_file(settings), config.spool_folder(settings)):
        assert path.is_relative_to("/var/lib/adjud")
    assert settings.mail.domain
    assert settings.mail.out != "none"


def test_ci_calls_the_readmes_test_command_for_all_tests_and_with_debians_python():
    (test_command,) = re.findall(
        r"^    (python3 -m venv .*-m pytest.*)$", README, flags=re.MULTILINE
    )
    *lines, called = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    assert called == f'{test_command} -m ""'
    with_debians = test_command.replace(".venv/", '"$venv"/').replace(" .venv", ' "$venv"')
    assert f"    /usr/bin/{with_debians} || exit" in lines
