"""Run in a real shell each command that a report prints to check what was committed to."""

import re
import subprocess
from collections.abc import Iterator
from email import message_from_bytes, policy
from html import unescape
from pathlib import Path

import pytest

from adjudicator.core.game import AnyGame
from adjudicator.games import GAMES
from tests.games.samples import EXAMPLES
from tests.program import Adjud

_IN_TEXT = re.compile(
    r"^ *(?P<digest>[0-9a-f]{64})\n(?: +[^ '(].*\n){1,2}"
    r"(?P<command> +\(?printf(?:.*\n)*?.*sha256sum)$",
    re.MULTILINE,
)
_IN_PAGE = re.compile(
    r'<code class="digest">(?P<digest>[0-9a-f]{64})</code></p>\s*<p class="note">[^<]*</p>\s*'
    r'<pre tabindex="0">(?P<command>[^<]*sha256sum)</pre>'
)

# Not every machine has xxd.
_XXD = """command -v xxd >/dev/null || xxd() {
  python3 -c "import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))"
}
"""

Check = tuple[str, str]  # a command, and the digits that it must print


def checks(path: Path) -> Iterator[Check]:
    """Return the commands in a report, an email or a file of emails."""
    if path.suffix == ".eml":
        body = message_from_bytes(path.read_bytes(), policy=policy.default).get_body(("plain",))
        assert body
        text = str(body.get_content())
    else:
        # The last page's check of the whole match is tested in tests/browser/test_check.py.
        others = '<section class="check".*?</section>|<script>.*?</script>'
        text = re.sub(others, "", path.read_text("utf-8"), flags=re.DOTALL)
    written = list((_IN_PAGE if path.suffix == ".html" else _IN_TEXT).finditer(text))
    assert len(written) == text.count("sha256sum"), f"a command in {path} was not understood"
    for found in written:
        yield unescape(found["command"]), found["digest"]


def disagreeing(commands: dict[Check, Path]) -> list[str]:
    """Return the commands that print other digits, with the file in which they are."""
    wrong = []
    for (command, digest), path in commands.items():
        script = _XXD + command
        done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
        if (done.returncode, done.stdout, done.stderr) != (0, f"{digest}  -\n", ""):
            wrong.append(f"{path.name}: {command} prints {done.stdout}{done.stderr}, not {digest}")
    return wrong


def test_commands_in_the_examples_print_the_digits_that_stand_above_them() -> None:
    files = [path for kind in ("reports", "mail") for path in EXAMPLES.rglob(f"{kind}/*.*")]
    found = {check: path for path in files for check in checks(path)}
    assert {path.relative_to(EXAMPLES).parts[0] for path in found.values()} == set(GAMES)
    assert disagreeing(found) == []


@pytest.mark.parametrize("language", ["en", "nb", "sv"])
@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.slug)
@pytest.mark.slow
def test_commands_in_the_last_report_of_a_match_print_the_digits_that_stand_above_them(
    adjud: Adjud, game: AnyGame, language: str
) -> None:
    adjud.write("adjud.toml", "")
    adjud.does("init")
    variant = game.variants[-1]
    seating = game.seating(variant, "")
    seats = seating[min(seating)] if seating else game.seats
    given: list[str] = []
    for number, seat in enumerate(seats):
        name = f"O'Hara {number}"
        player = ("player", "add", name, f"p{number}@example.org", "--confirmed")
        adjud.does(*player, "--language", language)
        given += ["--seat", f"{seat}={name if number else 'computer'}"]
    name = adjud.does("new", game.slug, "--variant", variant, *given).strip()
    adjud.does("tick")
    adjud.does("gm", "cancel", name, "--reason", "The checks are to be opened.")
    folder = adjud.folder / "reports"
    adjud.does("report", name, "--all", "--folder", str(folder))
    found = {check: path for path in folder.glob("*.[th]*") for check in checks(path)}
    assert len({path for path in folder.glob("*.[th]*") if list(checks(path))}) == 2 * len(seats)
    assert disagreeing(found) == []
