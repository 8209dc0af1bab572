"""Make a new game: the skeleton under another name, to be changed rule by rule.

    python -m tests.games.new SLUG

The skeleton's `game/` becomes `adjudicator/games/SLUG/`, its templates `templates/SLUG/`, its
example `examples/SLUG/`, its rules `docs/rules/SLUG.md`, and the rest `tests/games/SLUG/`.
"""

import keyword
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from adjudicator import __version__

ROOT = Path(__file__).parents[2]
SKELETON = ROOT / "tests/games/skeleton"
GAMES = Path("adjudicator/games/__init__.py")
PROJECT = Path("pyproject.toml")
ELSEWHERE = Path("__init__.py")  # it says where the skeleton's templates are
MADE = {".pyc", ".mo"}
NEEDS_NO_FIXTURE = """# A game of the program needs no fixture.
pytestmark = pytest.mark.usefixtures("skeleton")
"""


def renamed(text: str, slug: str) -> str:
    """Return a text of the skeleton as one of the game."""
    for old, new in (
        (NEEDS_NO_FIXTURE, ""),
        ("tests.games.skeleton.game", f"adjudicator.games.{slug}"),
        ("tests/games/skeleton/game/templates", f"templates/{slug}"),
        ("tests/games/skeleton/game", f"adjudicator/games/{slug}"),
        ("SKELETON", slug.upper()),
        ("Skeleton", slug.title()),
        ("Skjelett", slug.title()),
        ("Skelett", slug.title()),
        ("skeleton", slug),
    ):
        text = text.replace(old, new)
    return text


def place(path: Path, slug: str) -> Path:
    """Return where a file of the skeleton goes, from the checkout on."""
    name = Path(renamed(path.as_posix(), slug))
    match name.parts:
        case ("game", "templates", *rest):
            return Path("templates", slug, *rest)
        case ("game", *rest):
            return Path("adjudicator/games", slug, *rest)
        case ("examples", *rest):
            return Path("examples", slug, *rest)
    return Path("tests/games", slug, name)


def files(slug: str) -> Iterator[tuple[Path, str]]:
    """Yield the files of the game and what stands in them."""
    for path in sorted(SKELETON.rglob("*")):
        within = path.relative_to(SKELETON)
        if path.is_file() and path.suffix not in MADE and within != ELSEWHERE:
            yield place(within, slug), renamed(path.read_text("utf-8"), slug)
    yield Path("tests/games", slug, "__init__.py"), ""
    yield Path("docs/rules", f"{slug}.md"), rule_book(slug)


def rule_book(slug: str) -> str:
    """Return the numbered rules, which stand in the docstring of the skeleton's package."""
    told = (SKELETON / "game/__init__.py").read_text("utf-8").split('"""')[1]
    rules = re.findall(r"^\d\.\d .*(?:\n    .*)*", told, re.MULTILINE)
    return "\n\n".join((f"# {slug.title()}", "## 1. The match", *rules)) + "\n"


def named(games: str, slug: str) -> str:
    """Return the list of the games with one more."""
    return re.sub(r"(?m)^(NAMES = \(.*)\)", rf'\1, "{slug}")', games)


def with_entry_point(project: str, slug: str) -> str:
    """Return the project's file with one more entry point."""
    head, rest = project.split('[project.entry-points."adjud.games"]', 1)
    entries, *others = rest.split("\n\n", 1)
    entries += f'\n{slug} = "adjudicator.games.{slug}:{slug.upper()}"'
    return f'{head}[project.entry-points."adjud.games"]' + "\n\n".join([entries, *others])


def new(slug: str, root: Path = ROOT) -> list[Path]:
    """Write the game's files and return them. Raises ValueError if there can be no such game."""
    if not re.fullmatch(r"[a-z]+", slug) or keyword.iskeyword(slug):
        raise ValueError(f"{slug!r}: a game is called by one word of small letters")
    if any((root / folder / slug).exists() for folder in ("adjudicator/games", "tests/games")):
        raise ValueError(f"there is a {slug} already")
    written = []
    for path, text in files(slug):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
        written.append(path)
    games = root / GAMES
    games.write_text(named(games.read_text("utf-8"), slug), "utf-8")
    project = root / PROJECT
    project.write_text(with_entry_point(project.read_text("utf-8"), slug), "utf-8")
    return [*written, GAMES, PROJECT]


def main(slug: str) -> None:
    for path in new(slug):
        print(path)
    folders = [f"adjudicator/games/{slug}", f"tests/games/{slug}"]
    for command in (
        ["ruff", "check", "--quiet", "--fix", *folders],
        ["ruff", "format", "--quiet", *folders],
        ["pytest", "--quiet", "--bless", "-k", slug, "tests/test_examples.py"],
        ["tests.games.test_logs", __version__, slug],
        ["tests.games.test_reports", __version__, slug],
    ):
        subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=True)
    print(f"Change it rule by rule; `pytest -m '' -k {slug}` says what it lacks (docs/games.md).")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("python -m tests.games.new SLUG")
    main(sys.argv[1])
