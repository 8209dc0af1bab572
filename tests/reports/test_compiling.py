"""Templates that are compiled with the words of their language print what they say."""

from gettext import NullTranslations

import pytest
from jinja2 import DictLoader, UndefinedError
from markupsafe import Markup

from adjudicator.reports.compiling import QuickEnvironment, escaped, printed_once
from adjudicator.reports.render import fresh_environment

SIGNS = "<b>&\"'"


class Swedish(NullTranslations):
    """A catalogue of what these tests say."""

    def gettext(self, message: str) -> str:
        told = {
            "Turn": "Runda",
            "{who} <i>%(a)s</i>": "<i>%(b)s</i>, 100 %%, %(a)s",
            "%(a)s and %(b)s": "%(b)s & %(a)s",
        }
        return told.get(message, message)


def printed(text: str, name: str = "it.html.j2", **rows: object) -> str:
    like = fresh_environment("en", "")
    environment = QuickEnvironment(
        loader=DictLoader({name: text}),
        autoescape=like.autoescape,
        undefined=like.undefined,
        extensions=["jinja2.ext.i18n"],
    )
    environment.install(Swedish())
    return environment.get_template(name).render(**rows)


def test_words_are_translated_and_their_values_escaped():
    assert printed('{{ _("Turn") }} {{ _("none") }}') == "Runda none"
    said = '{{ _("%(a)s and %(b)s", a=a, b=b) }}'
    assert printed(said, a=SIGNS, b=Markup("<p>")) == "<p> & &lt;b&gt;&amp;&#34;&#39;"
    assert printed(said, "it.txt.j2", a=SIGNS, b=5) == f"5 & {SIGNS}"


def test_words_inside_an_expression_are_escaped_in_the_same_way():
    said = '{{ _("%(a)s and %(b)s", a=a, b=1) | upper }}'
    assert printed(said, a="<") == "1 & &LT;"
    assert printed(said, "it.txt.j2", a="<") == "1 & <"


def test_a_translation_may_turn_and_leave_out_values_and_have_percents():
    said = '{{ _("{who} <i>%(a)s</i>", a=a, b=b) }}'
    assert printed(said, a="<", b=">") == "<i>&gt;</i>, 100 %, &lt;"


def test_a_choice_prints_one_of_both_escaped_or_nothing():
    said = '{{ a if n else _("Turn") }}|{{ a if n }}|{{ _("Turn") if n else (b if m else 7) }}'
    assert printed(said, n=True, a="<", b=">", m=True) == "&lt;|&lt;|Runda"
    assert printed(said, n=False, a="<", b=">", m=True) == "Runda||&gt;"
    assert printed(said, n=False, a="<", b=">", m=False) == "Runda||7"


@pytest.mark.parametrize("said", ["{{ nothing }}", '{{ _("%(a)s and %(b)s", a=nothing, b=1) }}'])
def test_what_is_not_there_is_a_fault(said: str):
    with pytest.raises(UndefinedError):
        printed(said)


@pytest.mark.parametrize("value", [SIGNS, "a<", "", "plain", "two words", 5, -1, 0.5, True, None])
def test_a_value_is_escaped_as_jinja_does_it(value: object):
    assert escaped(value) == str(Markup.escape(value))
    assert escaped(Markup(SIGNS)) == SIGNS


def test_parts_that_are_printed_once_are_known_by_name():
    tree = fresh_environment("en", "").parse('{{ once("x/y.svg.j2", page.rows) }}{{ other(1) }}')
    assert [*printed_once(tree)] == ["x/y.svg.j2"]
