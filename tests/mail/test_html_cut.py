"""Letters of HTML that a parser would work very long on are cut, and no others."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from adjudicator.mail.read.html_cut import MOST_REOPENED, MOST_TAGS
from adjudicator.mail.read.html_text import to_lines
from adjudicator.mail.read.letter import read
from tests.worst_letters import html

FONTS = "".join(f"<font a={n}>" for n in range(1_000))
END = "</font>" * 1_000

# Each of them leaves a thousand elements open, however it hides that, and then begins many blocks.
BOMBS = {
    "paragraphs": f"<p>{FONTS}" + "<p>x" * 2_000,
    "divisions": f"<div>{FONTS}" + "</div><div>x" * 1_500,
    "rows": f"<table>{FONTS}" + "<tr>x" * 2_000,
    "spans": "<span>" * 2_000 + FONTS + "</span>x" * 2_000,
    "formats": "<i>" * 2_000 + FONTS + "</i>x" * 2_000,
    "ends in a comment": f"<p>{FONTS}<!--{END}-->" + "<p>x" * 2_000,
    "ends in declarations": f"<p>{FONTS}" + "<!x </font>" * 1_000 + "<p>x" * 2_000,
    "ends in a field": f"<p>{FONTS}<textarea>{END}</textarea>" + "<p>x" * 2_000,
    "ends in a table": f"<p>{FONTS}<table>{END}</table>" + "<p>x" * 2_000,
    "ends in a cell": f"<p>{FONTS}<table><td>{END}</table>" + "<p>x" * 2_000,
    "ends in an attribute": f'<p>{FONTS}<x a="{END}">' + "<p>x" * 2_000,
    "begun in an attribute": f'<p><textarea><x a="</textarea>{FONTS}">' + "<p>x" * 2_000,
    "ends of others": f"<p>{FONTS}" + "</b>" * 1_000 + "<p>x" * 2_000,
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_letter_whose_elements_are_opened_anew_again_and_again_is_cut(bomb, monkeypatch):
    parsed = []

    class Parser(LexborHTMLParser):
        def __init__(self, text):
            super().__init__(text)
            parsed.append(sum(1 for _ in self.root.traverse(include_text=False)))

    monkeypatch.setattr("selectolax.lexbor.LexborHTMLParser", Parser)
    _, is_cut = to_lines(BOMBS[bomb])
    assert is_cut
    assert parsed[0] < MOST_TAGS + 2 * MOST_REOPENED
    assert "body too long" in read(html(BOMBS[bomb])).defects


LETTERS = {
    "well nested": "<div><b>a</b> <i>b <u>c</u></i> <a href=x>d</a></div>" * 500,
    "in two fonts": f"<font a=1><font a=2>{'<div>x</div>' * 2_500}</font></font>",
    "in tables": "<table><tr><td><p><b><font size=2>x</font></b></table>" * 500,
    "never closed": "<p><b><font color=red>x" * 1_000,
    "closed crosswise": "<p><b><i>x</b></i></p>" * 800,
    "anchors never closed": "<p><a name=x>x" * 1_500,
    "with comments": "<!--[if mso]><b><![endif]--><p><b>x</b></p>" * 800,
    "lists": f"<ul>{'<li><b>x</b>' * 1_000}</ul>",
}


@pytest.mark.parametrize("letter", LETTERS)
def test_no_letter_that_people_write_is_cut(letter):
    text, is_cut = to_lines(LETTERS[letter])
    assert not is_cut
    assert text.count("x") >= 500 or text.count("a") == 500
