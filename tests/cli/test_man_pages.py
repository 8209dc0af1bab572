"""`man adjud`: one page for the program and one for each command, which groff understands."""

import shutil
import subprocess

import pytest

from adjudicator.cli import main
from adjudicator.cli.man_pages import pages
from tests.cli.test_help import EVERY

PAGES = pages(main)


def test_every_command_has_a_page() -> None:
    assert set(PAGES) == {"-".join(("adjud", *path)) + ".1" for path in EVERY}


def test_no_line_of_a_text_is_taken_for_a_command_of_roff() -> None:
    known = {".TH", ".SH", ".TP", ".PP", ".B", ".BR", ".I", ".IR", ".nf", ".fi"}
    for name, text in PAGES.items():
        begun = {line.split()[0] for line in text.splitlines() if line[:1] in (".", "'")}
        assert begun <= known, name
        assert "\n\n" not in text  # an empty line is a paragraph that nobody wanted


def test_a_page_says_what_the_help_says() -> None:
    page = PAGES["adjud-mail-send.1"]
    assert (
        "\nadjud\\-mail\\-send \\- Send the emails that are due; \\fBtick\\fR does this, too\n"
        in page
    )
    assert "\n    adjud mail send\n" in page
    assert "\n.BR adjud\\-mail (1)\n" in page
    assert "\n.B \\-\\-quiet\n" in PAGES["adjud-tick.1"]


@pytest.mark.real
def test_groff_understands_every_page() -> None:
    if shutil.which("groff") is None:
        pytest.skip("no groff: apt-get install groff-base")
    whole = "\n".join(PAGES.values())
    command = ["groff", "-man", "-Tutf8", "-Kutf8", "-ww"]
    done = subprocess.run(command, input=whole, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Do everything that is due" in done.stdout
    assert "\\" not in done.stdout.replace("\\\n", "")  # a shell's, at the end of a line
