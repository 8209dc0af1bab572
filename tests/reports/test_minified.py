"""Scripts and styles lose what no browser reads, and nothing else."""

import re

import pytest

from adjudicator.reports.minified import script, style
from adjudicator.resources import folder

SCRIPTS = sorted(folder("templates").rglob("*.js"))
STYLES = sorted(folder("templates").rglob("*.css.j2"))
STRINGS = re.compile(r"\"(?:\\.|[^\"\\\n])*\"")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("const a = 1; // one\nconst b = a / 2;\n", "const a=1;const b=a/2;"),
        ("f();\n\n/* two\n lines */ g()\nh()", "f();g()\nh()"),
        ('say("a  //  b");', 'say("a  //  b");'),
        ("x.replace(/[/ ]  \\//g, ' ');", "x.replace(/[/ ]  \\//g,' ');"),
        ("`a  ${ b ? `${c}  }` : '`' }  // d` + e", "`a  ${ b ? `${c}  }` : '`' }  // d`+e"),
        ("a + +b - -c", "a+ +b- -c"),
        ("a\n  .b()\n  .c();", "a.b().c();"),
        ("if (a) {\n  b();\n}\nreturn c;", "if(a){b();}\nreturn c;"),
        ("return\na", "return\na"),
        ("let a = b\n[c].d()", "let a=b\n[c].d()"),
    ],
)
def test_a_script_does_the_same_with_fewer_bytes(text: str, made: str) -> None:
    assert script(text) == made


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_our_scripts_keep_their_words_and_lose_a_fifth(path) -> None:
    text = path.read_text("utf-8")
    made = script(text)
    code = re.sub(r"// [^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    assert re.findall(r"[\w$]+", made) == re.findall(r"[\w$]+", code)
    assert len(made) < 0.8 * len(text)
    assert script(made) == made


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("a:hover , b  { color: red; margin: 0  1px; }\n", "a:hover,b{color:red;margin:0 1px}\n"),
        ("@media (max-width: 3rem) { .a :is(b) { c: calc(1px + 2px); } }",
         "@media (max-width: 3rem){.a :is(b){c:calc(1px + 2px)}}\n"),
        ("/* no */ a { b: c }", "a{b:c}\n"),
    ],
)  # fmt: skip
def test_a_style_says_the_same_with_fewer_bytes(text: str, made: str) -> None:
    assert style(text) == made


@pytest.mark.parametrize("path", STYLES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_our_styles_keep_their_words(path) -> None:
    text = path.read_text("utf-8")
    assert re.findall(r"[\w#.%-]+", style(text)) == re.findall(r"[\w#.%-]+", text)
    assert len(style(text)) < 0.92 * len(text)
