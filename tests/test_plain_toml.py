"""The pipe's own reader of the configuration reads what Python's reads, or says that it does not
know."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicator.plain_toml import Doubt, text

PLAIN = [
    'spool = "/x"',
    "[mail]\nspool = '/x y'",
    '\ufeff# a remark with "signs" = \n\n [ mail ] # letters\r\n\tspool="/x"#here\r\n',
    'a = 1\nb = true\n[mail]\nc = ["x", "y]",]\nspool = "/å#"\n[site]\nspool = "/other"',
    "[mail]\nlist = []\nspool = ''",
    "",
]
UNSURE = [
    '[mail]\nspool = "/\\x41"',
    '[mail]\nspool = """/x"""',
    "[mail]\nspool = '''\n/x'''",
    'mail.spool = "/x"',
    'mail = { spool = "/x" }',
    '[mail]\n"spool" = "/x"',
    '[mail]\nspool = "/x"\nspool = "/y"',
    '[mail]\nspool = "/x"\n[mail]',
    '[mail]\nspool = "/x',
    '[mail]\nspool = "/x" "/y"',
    "[mail]\nspool = /x",
    "[mail]\nspool",
    '[[mail]]\nspool = "/x"',
    '[mail]\nlist = [\nspool = "/x"',
    '[mail]\nlist = [["a"]\nspool = "/x"',
    "[mail]\nlist = ['a', \"]\n",
    '[mail]\nspool = "/x"\nsince = 2026-11-24',
    '[mail]\nx = ["""a" ]\nspool = "/x"\n# """]',
    '[mail]\n# note\r[site]\nspool = "/x"',
    '[mail]\nspool = "/x\ty\x01"',
    '[mail]\nspool = "/x" # \x7f',
    '[mail]\nlist = ["a" "b"]\nspool = "/x"',
    '[mail]\nlist = [,]\nspool = "/x"',
    '[mail]\nlist = ["a",,]\nspool = "/x"',
    '[mail]\nn = 007\nspool = "/x"',
    'mail = 1\n[mail]\nspool = "/x"',
]
PIECES = st.sampled_from(
    [
        *"[]\"'#=\n\\,. \r\t\x01",
        *("mail", "spool", "[mail]\n", 'spool = "', "/x", "\n", "true", "1", "0", "\r\n", '"a"'),
    ]
)


def by_python(toml: str) -> object:
    found = tomllib.loads(toml.removeprefix("\ufeff")).get("mail", {})
    return found.get("spool", "") if isinstance(found, dict) else ""


@pytest.mark.parametrize("toml", PLAIN)
def test_plain_lines_are_read(toml):
    assert text(toml.encode(), "mail", "spool") == by_python(toml)


@pytest.mark.parametrize("toml", UNSURE)
def test_any_other_line_leaves_a_doubt(toml):
    with pytest.raises(Doubt):
        text(toml.encode(), "mail", "spool")


def test_bytes_that_are_no_text_are_an_error():
    with pytest.raises(UnicodeDecodeError):
        text(b'[mail]\nspool = "/\xe5"', "mail", "spool")


@given(st.lists(PIECES, max_size=30).map("".join))
def test_whatever_is_read_python_reads_as_well(toml):
    try:
        told = text(toml.encode(), "mail", "spool")
    except Doubt:
        return
    read = by_python(toml)
    assert told == (read if isinstance(read, str) else "")
