"""Follow the recipe for a new version while emails come: their command is never missing."""

import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adjudicator.mail.transport import spool

pytestmark = pytest.mark.real

ROOT = Path(__file__).parent.parent
NOT_OURS = shutil.ignore_patterns(".*", "*.mo", "__pycache__", "dist")
EMAIL = b"From: anna@example.org\r\n\r\nhello\r\n"


def recipe(book: str, after: str) -> list[str]:
    """Return the first indented lines after these words."""
    _, found, rest = (ROOT / book).read_text("utf-8").partition(after)
    assert found
    block = re.search(r"(?m)^    .*\n(?:    .*\n)*", rest)
    assert block
    return [line.removeprefix("    ") for line in block[0].splitlines()]


# The lines up to `adjud setup`, which makes the link for the shell, too.
INSTALL = recipe("README.md", "## For the administrator")[1:4]
LINK = "ln -s /opt/adjud/bin/adjud /usr/local/bin/adjud"
UPGRADE = recipe("docs/server.md", "## A new version")


class Machine:
    """A server's folders, in a folder; it has no systemd, and everybody is the same user."""

    def __init__(self, root: Path) -> None:
        self.root, self.source = root, root / "source"
        shutil.copytree(ROOT, self.source, ignore=NOT_OURS)
        for name in ("opt", "usr/local/bin", "var/lib/adjud", "etc"):
            (root / name).mkdir(parents=True)
        (root / "etc/adjud.toml").write_text(
            f'database = "sqlite:///{root}/var/lib/adjud/adjud.db"\n[mail]\n'
            f'spool = "{root}/spool"\nkey = "{root}/var/lib/adjud/adjud.key"\n'
        )

    def here(self, line: str) -> str:
        moved = re.sub(r"/(?=opt/|usr/local/|var/lib/adjud|etc/adjud)", f"{self.root}/", line)
        return re.sub(r"^(systemctl .*)", ": # \\1", moved).replace("runuser -u adjud -- ", "")

    def does(self, lines: list[str]) -> str:
        done = subprocess.run(
            ["bash", "-e", "-c", "\n".join(map(self.here, lines))],
            cwd=self.source,
            env={"PATH": f"{self.root}/usr/local/bin:/usr/bin:/bin", "HOME": str(self.root)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=540,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    def is_handed_email(self) -> int:
        """Hand in an email; return what the mail server's pipe ends with."""
        command = self.here("/opt/adjud/bin/adjud --config /etc/adjud.toml mail receive").split()
        try:
            return subprocess.run(command, input=EMAIL, env={}, timeout=60).returncode
        except FileNotFoundError:
            return 127

    @contextmanager
    def emails_come(self) -> Iterator[list[int]]:
        """Let emails come one after the other while the block runs; note how each was taken."""
        taken: list[int] = []
        over = threading.Event()

        def go_on() -> None:
            while not over.is_set():
                taken.append(self.is_handed_email())

        mail = threading.Thread(target=go_on)
        mail.start()
        try:
            yield taken
        finally:
            over.set()
            mail.join()


@pytest.mark.nightly
def test_while_a_new_version_is_put_in_no_email_finds_its_command_missing(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.does([*INSTALL, LINK, "adjud --config /etc/adjud.toml init"])
    first = (tmp_path / "opt/adjud").resolve()
    with machine.emails_come() as taken:
        told = machine.does(UPGRADE)
        second = (tmp_path / "opt/adjud").resolve()
        swap = [line for line in UPGRADE if line.startswith(("ln ", "mv "))]
        assert len(swap) == 2
        there_and_back = [f"new={first.name}", *swap, f"new={second.name}", *swap]
        machine.does([line for _ in range(150) for line in there_and_back])
    assert "before-adjud-" in told
    assert "the database is up to date" in told
    assert second != first
    assert set(taken) == {0}
    assert len(taken) > 20
    assert spool.count(tmp_path / "spool") == len(taken)
    assert not (tmp_path / "opt/adjud.new").exists()
