"""Every email, of every kind and in every language, is written from its value: another process
makes the same of its JSON. In no value a sentence of ours is finished."""

from email import message_from_bytes
from itertools import product

import pytest

from adjudicator.core.message import LANGUAGES
from tests import values
from tests.service.every_email import CLUBS, MADE, Written, noted, sent
from tests.service.mailclub import MailClub, value_in
from tests.service.test_email_values import CARD, OWN, are_of_ours, by_another_process


@pytest.fixture(params=product(CLUBS, LANGUAGES), ids="-".join)
def emails(request, store, tmp_path, monkeypatch) -> list[Written]:
    """Return the emails of a club to people who read a language."""
    made = noted(monkeypatch)
    which, language = request.param
    CLUBS[which](MailClub(store, tmp_path / "spool"), language)
    kinds = {one.value.kind for one in made}
    assert kinds == MADE if which == "matches" else kinds >= {"report", "notice", "receipt"}
    return made


def test_another_process_writes_the_same_email_of_every_kind(emails):
    assert {bool(one.value.to.match) for one in emails} == {True, False}
    for one, (text, *forms) in zip(emails, by_another_process(emails), strict=True):
        assert text == values.to_json(one.value)
        assert forms == [one.forms.subject, one.forms.text, one.forms.html, one.forms.page]


def test_no_sentence_of_ours_is_finished_in_an_email_of_any_kind(emails):
    assert are_of_ours(emails, "espionage", OWN, CARD) == ([], [])


def test_what_somebody_is_sent_who_does_not_play_here_has_no_file(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    sent(club, "en")
    files: dict[str, set[bool]] = {}
    for _, to, raw in club.way.letters:
        found = value_in(raw)
        files.setdefault(to, set()).add(bool(found))
        if found:
            assert values.to_json(values.read(found)).encode() == found
            name = message_from_bytes(raw)["X-Adjud"]
            assert values.read(found).kind == name
    assert files.pop("anna@example.org") == {True}
    assert files.pop("bob@example.org") == {True}
    assert {"carl@example.org", "dora@example.net"} <= files.keys()
    assert set().union(*files.values()) == {False}
