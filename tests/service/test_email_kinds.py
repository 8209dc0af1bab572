"""Each kind of outgoing email is a row, and nothing else in the program lists kinds."""

import ast
from pathlib import Path

import pytest

import adjudicator
from adjudicator.core.email_kinds import KINDS, OF_SECRET_OFFER
from tests.inside import rendering

SOURCES = sorted(Path(adjudicator.__file__).parent.rglob("*.py"))
MOST_NAMED = 2  # together: a question about the emails of one turn names two


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_what_answers_goes_at_once_and_tells_of_its_seat(kind):
    assert not kind.answers or (kind.tells_of_seat and not kind.can_wait)
    assert not kind.depends_on_orders or kind.tells_of_seat
    assert not kind.is_auto_reply or kind.answers


def test_each_kind_has_a_writer():
    others = {
        "daily",
        "test",
        OF_SECRET_OFFER,
    }  # `outbound/daily`, `mail test`, and emails with a text
    assert {*rendering.TO_SEATS, *rendering.TO_OTHERS, *others} == KINDS.keys()


def test_no_other_module_has_a_list_of_kinds():
    found = [
        f"{path.name}:{node.lineno}"
        for path in SOURCES
        if path.name != "email_kinds.py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Tuple | ast.Set | ast.List)
        and len(node.elts) > MOST_NAMED
        and all(isinstance(one, ast.Constant) and one.value in KINDS for one in node.elts)
    ]
    assert found == []
