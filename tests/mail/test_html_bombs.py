"""Letters of HTML that a parser would work very long on are read like others, and soon."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from adjudicator.mail.read.html_text import MOST_ATTRIBUTES, MOST_TAGS, to_lines

FONTS = "".join(f"<font a={n}>" for n in range(1_000))
END = "</font>" * 1_000
STRUCK = "".join(f"<s a={n}>" for n in range(1_000))
MANY = " ".join(f"a{n}=1" for n in range(MOST_ATTRIBUTES - 1))

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
    "with nulls": "<p>" + FONTS.replace("fo", "fo\0") + "<p>x" * 2_000,
    "in capitals": f"<p>{FONTS.upper()}" + "<p>x" * 2_000,
    "with slashes": f"<p>{FONTS.replace(' ', '/')}" + "<p>x" * 2_000,
    "struck out": f"<p>x{STRUCK}" + "<p>x" * 2_000,
    "anchors": "".join(f"<a a={n}><div>x" for n in range(1_500)),
}  # fmt: skip


@pytest.fixture
def parsed(monkeypatch):
    """The pages that were parsed."""
    pages = []

    class Parser(LexborHTMLParser):
        def __init__(self, text):
            super().__init__(text)
            pages.append(self.root)

    monkeypatch.setattr("selectolax.lexbor.LexborHTMLParser", Parser)
    return pages


@pytest.mark.parametrize("bomb", BOMBS)
def test_no_element_is_opened_anew_again_and_again(bomb, parsed):
    text, is_cut = to_lines(BOMBS[bomb])
    assert not is_cut
    assert text.count("x") >= (1 if bomb == "struck out" else 1_500)
    (root,) = parsed
    assert sum(1 for _ in root.traverse(include_text=False)) < 4 * MOST_TAGS


@pytest.mark.parametrize("tag", ["html", "body", "BODY"])
def test_a_page_does_not_gather_the_attributes_of_many_tags(tag, parsed):
    many = (MANY.replace("a", f"a{n}") for n in range(100))
    text, is_cut = to_lines("".join(f"<{tag} {some}>" for some in many) + "x")
    assert (text, is_cut) == ("x", False)
    (root,) = parsed
    for name in ("html", "body"):
        assert len(root.parser.css_first(name).attributes) <= MOST_ATTRIBUTES


def test_the_style_of_the_body_counts():
    text = '<html><body style="white-space: pre-wrap">d3-d4\ne3-e4</body></html>'
    assert to_lines(text) == ("d3-d4\ne3-e4", False)


@pytest.mark.parametrize("tag", ["s", "strike", "S class=x", "del"])
def test_what_is_struck_out_does_not_count(tag):
    end = tag.split()[0]
    assert to_lines(f"<p>d3-d4<{tag}> e3-e4</{end}> d5-d6</p>") == ("d3-d4 d5-d6", False)


def test_nor_does_it_in_the_next_paragraph():
    assert to_lines("<p>a<s><p>b</s>c</p>") == ("a\nc", False)


def test_a_sign_before_a_letter_that_begins_no_tag_is_text():
    assert to_lines("<p>d3-d4 <\u00e5</p><p>e3-e4</p>") == ("d3-d4 <\u00e5\ne3-e4", False)


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
