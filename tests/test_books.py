"""Every citation of a book finds its number there, and what the books name exists."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
CODE = re.compile(r"`([a-z_]+/[a-z_/]+)(\.py|\.[A-Za-z_]+|/)?`")
GAMES = sorted({path.stem for path in (DOCS / "rules").glob("*.md")} - {"tournaments"})

_NUMBER = r"[RAI]?\d+(?:\.\d+)?"
_LIST = rf"{_NUMBER}(?:(?:, | and |, and |-| to ){_NUMBER})*"
IN_PARENTHESES = re.compile(rf"\(({_LIST})[).;]")  # "(2.4)", "(R6.1, A18)"
AS_RULE = re.compile(rf"\b(?:(\w+) )?[Rr]ules? (?:book, )?(?:sections? )?({_LIST})\b")
OF_BOOK = re.compile(rf"\b(interface|emails), sections? ({_LIST})\b")
_DEEP = r"\d+(?:\.\d+)*"
OF_CLUB = re.compile(
    rf"\bclub, (?:sections? )?({_DEEP}(?:(?:, | and ){_DEEP})*)"
)  # "(club, 6.3.3)"
CASE = re.compile(rf"^CASE ({_LIST}) ", re.MULTILINE)


def numbers(book: str) -> set[str]:
    """Return what can be cited of a book: its sections, and the numbered paragraphs and rows in
    them."""
    found, section = set(), ""
    for line in (DOCS / f"{book}.md").read_text("utf-8").splitlines():
        if heading := re.match(r"##+ ([RAI]?\d+(?:\.\d+)?)[. ]", line):
            section = heading[1].rstrip(".")
            found.add(section)
        elif paragraph := re.match(r"(\d+\.\d+) ", line):
            found.add(paragraph[1])
        elif item := re.match(r"(\d+)\. ", line):
            found.add(f"{section}.{item[1]}")
        elif row := re.match(r"(?:\| |\* \*\*)([AI]\d+|\d+\.\d+)\b", line):
            found.add(row[1])
    return found


def spread(cited: str) -> Iterator[str]:
    """Yield the single numbers of "2.2-2.6", "R10, 5.5", "I1 to I5"."""
    for part in re.split(r", and |, | and ", cited):
        first, _, last = (bit.strip() for bit in re.split(r"(-| to )", part + "-")[:3])
        yield first
        if last:
            yield last


def prose(path: Path) -> Iterator[str]:
    """Yield the comments and strings of a module, the whole of any other file; spaces are
    folded."""
    text = path.read_text("utf-8")
    if path.suffix != ".py":
        yield text
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            yield re.sub(r"\s*\n\s*(# )?", " ", token.string)


FILES = [
    path
    for folder in ("adjudicator", "tests", "templates", "migrations")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".py", ".j2"} or (path.suffix == ".txt" and path.parent.name == "cases")
    if path != Path(__file__)
]


def game_of(path: Path) -> str | None:
    return next((part for part in path.relative_to(ROOT).parts if part in GAMES), None)


def citations() -> Iterator[tuple[str, str, str]]:
    """Yield (file, book, number) of all that is cited."""
    for path in FILES:
        name, own = str(path.relative_to(ROOT)), game_of(path)
        for text in prose(path):
            for book, cited in OF_BOOK.findall(text):
                yield from ((name, book, number) for number in spread(cited))
            for cited in OF_CLUB.findall(text):
                yield from ((name, "club", number) for number in re.findall(_DEEP, cited))
            for before, cited in AS_RULE.findall(text):
                game = before.lower() if before.lower() in GAMES else own
                yield from ((name, f"rules/{game}", number) for number in spread(cited))
            if own:
                for cited in (*IN_PARENTHESES.findall(text), *CASE.findall(text)):
                    if re.search(r"\.\d|[RAI]", cited):  # "(3)" is a mere number
                        yield from ((name, f"rules/{own}", number) for number in spread(cited))


@pytest.mark.slow
def test_every_citation_is_found_in_its_book() -> None:
    books = {book: numbers(book) for book in ("interface", "emails")}
    books["club"] = numbers("club") | numbers("rules/tournaments")
    books |= {f"rules/{game}": numbers(f"rules/{game}") for game in GAMES}
    found = list(citations())
    assert len(found) > 400
    lost = [one for one in found if one[2] not in books.get(one[1], set())]
    assert not lost


@pytest.mark.parametrize("book", sorted(DOCS.rglob("*.md")), ids=lambda path: path.stem)
def test_links_of_the_books_lead_somewhere(book: Path) -> None:
    text = book.read_text("utf-8")
    for target in re.findall(r"\]\(([^)#:]+)", text):
        assert (book.parent / target).exists(), target
    for target, place in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", text):
        assert place in places(book.parent / target if target else book), (target, place)


def places(book: Path) -> set[str]:
    """Return the places of a book to which a link can lead, as GitHub calls them."""
    text = re.sub(r"(?ms)^```.*?^```", "", book.read_text("utf-8"))
    heads = re.findall(r"(?m)^#+ (.*)$", text)
    made = {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}
    return made | set(re.findall(r'<a id="([^"]+)"', text))


def test_what_the_architecture_names_is_there() -> None:
    text = "".join(
        (DOCS / f"{book}.md").read_text("utf-8") for book in ("architecture", "club", "games")
    )
    named = CODE.findall(text)
    assert len(named) > 30
    for place, rest in named:
        if (ROOT / place).exists() or (ROOT / f"{place}{rest}").exists():
            continue
        place = place.removeprefix("adjudicator/")
        module = ROOT / "adjudicator" / f"{place}.py"
        if rest in ("", ".py") and module.exists():
            continue
        if rest in ("", "/"):
            assert (ROOT / "adjudicator" / place).is_dir(), place
        else:
            names = {
                node.name
                for node in ast.walk(ast.parse(module.read_text("utf-8")))
                if isinstance(node, ast.FunctionDef | ast.ClassDef)
            }
            assert rest[1:] in names, (place, rest)
