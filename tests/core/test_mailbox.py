"""Which addresses are the same mailbox; a forger's must never be taken for another's."""

import pytest

from adjudicator.core.text import folded_address


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna@Example.ORG", "anna@example.org"),
        ("anna@straße.example", "anna@xn--strae-oqa.example"),
        ("anna@ÄRGER.example", "anna@xn--rger-koa.example"),
        ("anna@STRAẞE.example", "anna@straße.example"),
        ("jörg@example.org.", "jörg@example.org"),
        ("anna@BLÅ.example", "anna@bla\u030a.example"),
    ],
)
def test_an_address_is_the_same_however_it_is_written(one, other):
    assert folded_address(one) == folded_address(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("anna@straße.example", "anna@strasse.example"),
        ("straße@example.org", "strasse@example.org"),
        ("\u212aim@example.org", "kim@example.org"),
        ("anna@xn--strasse-.example", "anna@strasse.example"),
        ("anna@a\u0131.example", "anna@ai.example"),
        ("anna@\uff45xample.org", "anna@example.org"),
        ("anna@\u212aite.example", "anna@kite.example"),
        ("anna@\u212alä.example", "anna@klä.example"),
        ("anna@example\u3002org", "anna@example.org"),
        ("anna@blå\uff61example", "anna@blå.example"),
        ("anna@\u0435xample.org", "anna@example.org"),
        ("anna@no_such_ä.example", "anna@no_such_a.example"),
        ("anna", "anna@"),
    ],
)
def test_two_domains_that_look_alike_are_two(one, other):
    assert folded_address(one) != folded_address(other)


@pytest.mark.parametrize("odd", ["", "@", "a@..", "a@\udcff.x", "a@" + "ä" * 300, "\0@\0"])
def test_any_text_has_a_form(odd):
    folded_address(odd)
