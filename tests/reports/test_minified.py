"""Scripts and styles lose what no browser reads, and nothing else."""

import re
from collections.abc import Iterable

import pytest

from adjudicator.reports import line_ends
from adjudicator.reports.minified import page, style
from adjudicator.reports.script_blanks import without_blanks
from adjudicator.reports.script_tokens import Token, tokens
from adjudicator.reports.short_names import shortened
from adjudicator.reports.short_statements import tightened
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
        ("`a  ${ b ? `${c}  }` : '`' }  // d` + e", "`a  ${b?`${c}  }`:'`'}  // d`+e"),
        ("a = /* b */ /[/*]/; return /'/ // c", "a=/[/*]/;return/'/"),
        ("a + +b - -c", "a+ +b- -c"),
        ("a\n  .b()\n  .c();", "a.b().c();"),
        ("if (a) {\n  b();\n}\nreturn c;", "if(a){b();}\nreturn c;"),
        ("return\na", "return\na"),
        ("let a = b\n[c].d()", "let a=b\n[c].d()"),
    ],
)
def test_a_script_does_the_same_with_fewer_bytes(text: str, made: str) -> None:
    assert plain(text) == made


def plain(text: str) -> str:
    return written(without_blanks(tokens(text)))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_our_scripts_keep_their_words_and_lose_a_fifth(path) -> None:
    text = path.read_text("utf-8")
    made = plain(text)
    code = re.sub(r"// [^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    assert re.findall(r"[\w$]+", made) == re.findall(r"[\w$]+", code)
    assert len(made) < 0.8 * len(text)
    assert plain(made) == made


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


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ('<p class="a" id="b c">d="e"</p>', '<p class=a id="b c">d="e"</p>'),
        ('<path d="M1 2h3" x="1"/><a href="b/">c</a>', '<path d="M1 2h3" x=1 /><a href="b/">c</a>'),
        ('<g x="a"><use href="#b"/></g>', "<g x=a><use href=#b /></g>"),
        ('<i title="" data-n="1 &gt; 2">a = b</i>', '<i title data-n="1 > 2">a = b</i>'),
        ('<ul><li class="a">b</li>\n<li>c</li>\n</ul>', "<ul><li class=a>b\n<li>c\n</ul>"),
        ("<tr><th>a</th><td>b</td></tr>\n<tr></tr>", "<tr><th>a<td>b\n<tr></tr>"),
        ("<p>a</p>\n<p>b</p></a>", "<p>a\n<p>b</p></a>"),
        ('<script id="a">"<b c=\\"d\\">"</script>', '<script id=a>"<b c=\\"d\\">"</script>'),
        ('<pre class="a"><li>b="c"</li><li></pre>', '<pre class=a><li>b="c"</li><li></pre>'),
        (
            "<style>.a{b:c}.d .e{f:g}.h,p{i:j}@media x{.a,#k{l:m}.n{o:p}}</style><p class=a>d</p>",
            "<style>.a{b:c}p{i:j}@media x{.a{l:m}}</style><p class=a>d</p>",
        ),
        ("<style>.a:is(.b,.c){d:e}</style>", "<style>.a:is(.b,.c){d:e}</style>"),
        (
            "<style>pre{a:b}p[x=y]:hover::before,*,pre>p{c:d}"
            "@media e{@media f{pre p{g:h}}}tbody{j:k}</style><p>",
            "<style>p[x=y]:hover::before,*{c:d}tbody{j:k}</style><p>",
        ),
    ],
)
def test_a_page_is_the_same_with_fewer_bytes(text: str, made: str) -> None:
    assert page(text) == made
    assert page(made) == made


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("{const one=1;f(one,other.one);}", "{const a=1;f(a,other.one);}"),
        ("{const one=1;{const two=one;f(two)}}{const two=2;f(two)}",
         "{const b=1;{const a=b;f(a)}}{const a=2;f(a)}"),
        ("{(one,two)=>two;(three)=>three;}", "{(b,a)=>a;(a)=>a;}"),
        ("{(one)=>{one;two()};function two(){}}", "{(a)=>{a;b()};function b(){}}"),
        ("for(const one of x)for(const two of one)one.f(two);",
         "for(const a of x)for(const b of a)a.f(b);"),
        ("function*one({two},three){yield two;}", "function*one({two:a},b){yield a;}"),
        ("const one=1;{const two=one;two+two}", "const one=1;{const a=one;a+a}"),
        ("(first,[second])=>first+second", "(a,[b])=>a+b"),
        ("{const{one,two:three,four=5}=x;[one,three,four];}",
         "{const{one:a,two:b,four:c=5}=x;[a,b,c];}"),
        ("{let one;f({one,two:one,one:1,x(){}});}", "{let a;f({one:a,two:a,one:1,x(){}});}"),
        ("{let one;`${one}one${`${one}`}`;'one';/one/}", "{let a;`${a}one${`${a}`}`;'one';/one/}"),
        ("{let one;x?one:one;({x:x?one:2})}", "{let a;x?a:a;({x:x?a:2})}"),
        ("function one(two){return two[a]}", "function one(b){return b[a]}"),
        ("{for(const[key,value]of all)key(value);}", "{for(const[a,b]of all)a(b);}"),
        ("{try{f();}catch(found){found();}}", "{try{f();}catch(a){a();}}"),
    ],
)  # fmt: skip
def test_local_names_are_short_and_no_others(text: str, made: str) -> None:
    assert written(shortened(tokens(text))) == made


def written(found: Iterable[Token]) -> str:
    return "".join(token.text for token in found)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("const a=1;const b={c:1};const[d]=e;let f;", "let a=1,b={c:1},[d]=e,f;"),
        ("const a=()=>{const b=1;c();const d=2;};const e=1;",
         "let a=()=>{let b=1;c();let d=2},e=1;"),
        ("const a=1;if(b){c();}[d].e();const f=2;", "let a=1;if(b){c()}[d].e();let f=2;"),
        ("const a=1;\nb();const c=2;", "let a=1;\nb();let c=2;"),
        ("return true&&{true:false,a:b.true};", "return !0&&{true:!1,a:b.true};"),
        ("{if(a);}{for(;;);}{while(a(b));}{f(a);}", "{if(a);}{for(;;);}{while(a(b));}{f(a)}"),
        ("return(a)=>b((c)=>d,([e])=>f,(g,h)=>0);", "return a=>b(c=>d,([e])=>f,(g,h)=>0);"),
        ("(a);(b).c", "(a);(b).c"),
        ("(a)=>a", "a=>a"),
        ("const a=()=>{try{b()}catch{}};const c=1;", "let a=()=>{try{b()}catch{}},c=1;"),
    ],
)  # fmt: skip
def test_statements_have_fewer_signs(text: str, made: str) -> None:
    assert written(tightened(tokens(text))) == made


def test_lines_end_where_that_means_nothing() -> None:
    words = ";".join(f"const {letter * 30}='{letter * 30};'" for letter in "abc")
    text = f"{{{words};return `${{ {'d' * 80}, 1 }}`,/;{'e' * 80}/}}"
    made = line_ends.script(tokens(text))
    assert made.replace("\n", "") == text
    assert [line[-1] for line in made.splitlines()] == [*";;;,", "}"]
    style = f"a{{{'b:c;' * 30}d:url(data:x;{'e;' * 40})}}f{{content:'{'g' * 80}'}}"
    made = line_ends.style(style)
    assert made.replace("\n", "") == style
    assert f"url(data:x;{'e;' * 40})" in made
    made = line_ends.style(f"{{a:{'b ' * 50};{'c:d;' * 30}}}")
    assert [len(line) for line in made.splitlines()] == [1, 147, 72, 5]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_our_scripts_keep_all_but_their_local_names(path) -> None:
    source = path.read_text("utf-8")
    text = plain(source)
    short = shortened(tokens(text))
    made = line_ends.script(tightened(short))
    assert len(made) < 0.87 * len(text)
    for kept in (STRINGS, re.compile(r"(?<!\.)\.\w+")):
        assert kept.findall(made) == kept.findall(text)
    tops = re.findall(r"^(?:const|function) \w+", source, re.MULTILINE)
    assert all(top in written(short) for top in tops)
