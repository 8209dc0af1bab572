"""A page is read for all that it says, also for what is hidden in it."""

from pathlib import Path

import pytest

from adjudicator.core.message import tell
from adjudicator.mail.read.html_page import is_cut, read_page
from tests.audits import Document, Unused, read_file

EXAMPLES = Path(__file__).parents[2] / "examples"
PAGES = sorted(EXAMPLES.glob("*/match/reports/*-final.html"))


def test_blocks_are_lines_and_scripts_say_nothing() -> None:
    page = read_page(
        "<style>p { }</style><h2>One</h2><p hidden>two <b>three</b></p><script>four</script>"
        "<textarea>five\nsix</textarea>seven<br>&eight;&lt;"
    )
    assert page.text == "\nOne\ntwo three\nfive\nsix\nseven\n&eight;<"


def test_what_was_agreed_is_told() -> None:
    page = read_page("<p data-setting='1'><p data-setting='{&quot;x&quot;}'><p data-setting>")
    assert page.setting == '{"x"}'
    assert read_page("<p>x").setting == ""


def test_a_page_without_its_end_is_cut() -> None:
    assert is_cut("<!DOCTYPE html><html><p>x")
    assert not is_cut("<html><p>x</HTML>")
    assert not is_cut("<p>x")


def test_a_page_of_many_levels_is_read() -> None:
    assert "x" in read_page("<div>" * 50_000 + "x").text


def test_a_page_on_which_a_parser_would_work_too_long_is_not_read(tmp_path: Path) -> None:
    """A browser's parser makes a million elements of it."""
    page = tmp_path / "page.html"
    formats = "".join(f'<b title="{number}">' for number in range(1000))
    page.write_text(f"<html>{formats}{'<p>x' * 1000}</html>")
    (unused,) = read_file(page)
    assert isinstance(unused, Unused)
    assert tell(unused.why) == "too much formatting"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parts[-4]}-{path.stem}")
def test_the_last_page_opens_its_log(path: Path) -> None:
    (paper,) = read_file(path)
    assert isinstance(paper, Document)
    assert paper.log is not None
    assert paper.setting is not None
