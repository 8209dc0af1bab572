"""HTML that a parser would work very long on is not read, and all that people write is."""

from itertools import count
from random import Random

import pytest
from selectolax.lexbor import LexborHTMLParser

from adjudicator.mail.read.html_text import (
    _TAG,
    MOST_ATTRIBUTES,
    MOST_REOPENED,
    MOST_TAGS,
    to_lines,
)

FONTS = "".join(f"<font a={n}>" for n in range(1_000))
END = "</font>" * 1_000
STRUCK = "".join(f"<s a={n}>" for n in range(1_000))
MANY = " ".join(f"a{n}=1" for n in range(199))
LONG = "x " * 10_000
BLOCKS = "<p>x" * 2_000

# Most of them leave hundreds of elements open, however they hide that, and then begin many blocks.
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
    "in capitals": f"<p>{FONTS.upper()}" + "<p>x" * 2_000,
    "with slashes": f"<p>{FONTS.replace(' ', '/')}" + "<p>x" * 2_000,
    "struck out": f"<p>x{STRUCK}" + "<p>x" * 2_000,
    "anchors": "<p>" + "".join(f"<a a={n}><div>x" for n in range(1_500)) + "</p>",
    "ends in a choice": f"<p>{FONTS}<select>{END}</select>" + "<p>x" * 2_000,
    "ends in a value": "".join(f'<font a={n}><i b=">{END[:7]}">' for n in range(1_000)) + BLOCKS,
    "ends in a value of two": f"<p>{FONTS}<i x\" y=\"a>{END}\">{BLOCKS}",
    "ends in a script": f"<p>{FONTS}<script><!--<script></script>{END}--></script>{BLOCKS}",
    "ends below many blocks": "".join(f"<b a={n}>{'<div>' * 9}</b>" for n in range(250)) + BLOCKS,
    "alike but for what is hidden": "".join(f'<b b=">" a={n}>' for n in range(1_000)) + BLOCKS,
    "a long attribute": f'<p><a title="{LONG}"></p>' + BLOCKS,
    "a long attribute with a sign": f'<p><a b=">" title="{LONG}"></p>' + BLOCKS,
    "two attributes without a blank": f'<p><a b="1"title="{LONG}"></p>' + BLOCKS,
    "a long style": f'<p><font style="{LONG}"></p>' + BLOCKS,
    "many that hide": "<p>" + "".join(f"<i hidden a={n}>" for n in range(300)) + BLOCKS,
    "too many tags": "<p>x" * (MOST_TAGS + 1),
    "deep": "<div>" * 50_000,
    "attributes": f"<x {' '.join(f'a{n}' for n in range(40_000))}>",
    "attributes with slashes": f"<x/{'/'.join(f'a{n}' for n in range(40_000))}>",
    "attributes with values": "<x " + "".join(f'a{n}=""' for n in range(40_000)) + ">",
    "attributes behind a sign": f"<x a='>' {' '.join(f'a{n}' for n in range(40_000))}>",
    "attributes behind a quote": f"<x a=\">'\" {' '.join(f'a{n}' for n in range(40_000))}>",
    "attributes of bodies": "".join(f"<body {MANY.replace('a', f'a{n}')}>" for n in range(200)),
}  # fmt: skip


@pytest.mark.parametrize("bomb", BOMBS)
def test_what_a_parser_may_work_long_on_is_not_read(bomb):
    assert to_lines(BOMBS[bomb]) is None


PIECES = (
    *("<p>", "</p>", "<div>", "</div>", "<table>", "<td>", "</td>", "</table>", "<select>", "<li>"),
    *("<b>", "</b>", "<i>", "</i>", "<a>", "</a>", "<b a=#>", "<i a=#>", "<a a=#>", "<font a='#'>"),
    *("<!--", "-->", "<textarea>", "</textarea>", "<svg>", "</svg>", "<style>", "</style>", "<hr"),
    *("<span>", "</span>", "<x a='", "'>", '<b b=">" a=#>', "<b/a=#>", "x", "<br>", "<script>"),
    "</font>",
)  # fmt: skip


@pytest.mark.parametrize("number", range(60))
def test_of_what_is_read_no_parser_makes_many_elements(number):
    """Letters are drawn from the worst that may stand in them, a few kinds of it in each."""
    draw = Random(number)
    made = count()
    some = draw.sample(PIECES, draw.randint(2, 8))
    weights = [draw.random() ** 2 for _ in some]
    for size in (300, 1_000, 3_000, MOST_TAGS):
        drawn = draw.choices(some, weights, k=size)
        html = "".join(piece.replace("#", str(next(made))) for piece in drawn)
        if to_lines(html) is not None:
            elements = sum(1 for _ in LexborHTMLParser(html).root.traverse(include_text=False))
            assert elements <= 2 * MOST_REOPENED + 2 * MOST_TAGS


def test_as_much_as_may_be_is_read():
    attributes = " ".join(f"a{n}" for n in range(MOST_ATTRIBUTES - 1))
    assert to_lines(f"<x {attributes}>x") == "x"
    assert to_lines("<p>x" * MOST_TAGS) == "\n".join("x" * MOST_TAGS)


def test_the_style_of_the_body_counts():
    text = '<html><body style="white-space: pre-wrap">d3-d4\ne3-e4</body></html>'
    assert to_lines(text) == "d3-d4\ne3-e4"


@pytest.mark.parametrize("tag", ["s", "strike", "S class=x", "del"])
def test_what_is_struck_out_does_not_count(tag):
    end = tag.split()[0]
    assert to_lines(f"<p>d3-d4<{tag}> e3-e4</{end}> d5-d6</p>") == "d3-d4 d5-d6"


# Each with the names that are found in it; "" is a tag whose end is not certain, or another one.
TAGS = {
    "<b>x</b> <i>y</i>" * 3: ["b", "/b", "i", "/i"] * 3,
    "<b a=1 b='2' c=\"3\" d / e = f>x</b >": ["b", "/b"],
    "<FONT a='1'b=\"2\"><span/><img src=x>": ["FONT", "span", "img"],
    "<b a='>'><i a=<b><p><!-- <big a=1 a": ["", "", "b", "", "", ""],
    "<strike><strong><small><s><tt><u><nobr><big>": (
        ["strike", "strong", "small", "s", "tt", "u", "nobr", "big"]
    ),
    "<b a=1 b=2 c=3 d=4 e='5' <i a>": ["", "i"],
    "<bb><ab a>": ["", ""],
}  # fmt: skip


@pytest.mark.parametrize("html", TAGS)
def test_a_tag_that_formats_is_known_by_its_name(html):
    found = [f"{tag['slash'] or ''}{tag['name'] or ''}" for tag in _TAG.finditer(html)]
    assert found == TAGS[html]


HIDDEN = "style='display: none'"
STRUCK_OUT = "style='text-decoration: line-through'"
# Each says `d3-d4` and no more, as browsers show it.
MENDED = {
    "struck out, with bold inside that nobody ends": f"<span {STRUCK_OUT}>a<b>b</span> d3-d4",
    "hidden above, with a font inside that nobody ends": f"<div {HIDDEN}><font>x</div>d3-d4",
    "hidden above, in a span": f"<span {HIDDEN}><b>x</span><div>d3-d4</div>",
    "hidden font around a paragraph": f"<font {HIDDEN}><p>x</font></p><p>d3-d4</p>",
    "hidden font around a division": f"<p>d3-d4 <font {HIDDEN}><div>x</div></font></p>",
    "struck out beyond a paragraph": f"<p>d3-d4 <font {STRUCK_OUT}>x<p>y</font></p>",
    "hidden in bold, and bold": f"<b>d3<b {HIDDEN}>x<p>y</p></b>-d4</b>",
    "two names that hide": f"<p>d3-d4<b {HIDDEN}>x<p>y</b><p><i hidden>x<p>y</i>",
    "one anchor ends another": "<a hidden name=x>x<a name=y>d3-d4</a>",
    "a name for both": "<p>d3-d4<strike>x<s>y</strike>z<p>a</s>",
    "another name ends nothing that hides": "d3-d4<p><i hidden></a>x</i></p><a hidden></a>",
    "an anchor ends a hidden one": f"<font {HIDDEN}>x</font><a {HIDDEN}>x<a href=y>d3-d4</a>",
    "struck out in bold that has ended": "<b><li><del>x</b>d3-d4",
    "struck out in an anchor that has ended": "<a name=x><del>x<a href=y>d3-d4</a>",
    "bold ends a drawing": "<svg><b>d3-d4",
    "hidden form in code": f"d3-d4<em><tt></em><form {HIDDEN}>w1</form>",
}


@pytest.mark.parametrize("email", MENDED)
def test_what_is_hidden_ends_where_browsers_end_it(email):
    assert "".join(to_lines(MENDED[email]).split()) == "d3-d4"


# What looks like a tag inside something else is none.
NO_TAGS = {
    "in a comment": "<!-- <s -->d3-d4<!-- </s> -->",
    "in a comment of Outlook": "<!--[if mso]><body hidden><s><![endif]--><body>d3-d4",
    "in a short comment": "<!-->d3-d4<!-- <s -->",
    "in a comment ended otherwise": "<!-- <s --!>d3-d4",
    "in a value": '<img alt="a <s b" src=x>d3-d4<img alt="c">',
    "in a value without quotes": "<a href=x<s>d3-d4</a>",
    "a sign in a value": '<s title="a > b">x</s>d3-d4<body title="a > b">',
    "a sign in a value of the page": '<html lang="a > b"><body title="> c">d3-d4',
    "in a title": "<title>a <s b</title>d3-d4",
    "in a style": "<style>p > b {} <!-- <s </style>d3-d4",
    "in a script": "<script>if (a <s && b) '<!--'</script>d3-d4",
    "in a frame": "<iframe><s ></iframe>d3-d4",
    "in a script that a script names": "<script><!--<script></script>x--></script>d3-d4",
    "behind a comment in a script": "<script><!-- <script> --></script>d3-d4",
    "in a style that has a slash": "<style/><!-- </style>d3-d4",
    "in a style with no s": "<style></\u017ftyle><!-- </style>d3-d4",
    "in a frame with no k": "<p><stri\u212ae>d3-d4</p>",
    "a drawing": "<svg><style/><title/><path/></svg>d3-d4<svg/>",
}


@pytest.mark.parametrize("email", NO_TAGS)
def test_what_looks_like_a_tag_is_none(email):
    assert to_lines(NO_TAGS[email]) == "d3-d4"


def test_a_field_shows_its_text():
    assert to_lines("<textarea>a <b>\nd3-d4 &lt;</textarea>") == "a <b>\nd3-d4 <"


def test_an_example_shows_its_signs():
    assert to_lines("<xmp><!-- a &lt; <b> </xmp>d3-d4").split() == [
        "<!--",
        "a",
        "&lt;",
        "<b>",
        "d3-d4",
    ]


def test_the_style_of_a_later_body_counts_where_the_first_has_none():
    text = '<!-- <body> --><div>x</div><body style="white-space: pre-wrap">d3-d4\ne3-e4'
    assert to_lines(text) == "x\nd3-d4\ne3-e4"


def test_nor_does_it_in_the_next_paragraph():
    assert to_lines("<p>a<s><p>b</s>c</p>") == "a\nc"


def test_a_sign_before_a_letter_that_begins_no_tag_is_text():
    assert to_lines("<p>d3-d4 <\u00e5</p><p>e3-e4</p>") == "d3-d4 <\u00e5\ne3-e4"


EMAILS = {
    "well nested": "<div><b>a</b> <i>b <u>c</u></i> <a href=x>d</a></div>" * 500,
    "in two fonts": f"<font a=1><font a=2>{'<div>x</div>' * 2_500}</font></font>",
    "in tables": "<table><tr><td><p><b><font size=2>x</font></b></table>" * 500,
    "never closed": "<p><b><font color=red>x" * 1_000,
    "closed crosswise": "<p><b><i>x</b></i></p>" * 800,
    "anchors never closed": "<p><a name=x>x" * 1_500,
    "with comments": "<!--[if mso]><b><![endif]--><p><b>x</b></p>" * 800,
    "lists": f"<ul>{'<li><b>x</b>' * 1_000}</ul>",
}


@pytest.mark.parametrize("email", EMAILS)
def test_what_people_write_is_read(email):
    text = to_lines(EMAILS[email])
    assert text.count("x") >= 500 or text.count("a") == 500
