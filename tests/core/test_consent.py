"""A clear yes or no in a person's words, and what is neither."""

import pytest

from adjudicator.core.consent import consent
from adjudicator.core.orders import clean, number_lines

YES = (
    "Yes!", "yes please", "YES PLEASE!!", "Ja!", "Ja tack", "Ja takk, gjerne!", "Gärna!",
    "sure, count me in", "I’d love to play!", "Count me in", "ok, let's play", "Of course.",
    "Hi Gerda,\n\nYes, I would love to play with Bob!\n\nBest regards\nDora", "Why not!",
    "Hei,\nJa, det vil jeg gjerne.\nHilsen Dora", "Jag är med!", "Jeg blir med", "Absolutt",
    "Yes please! When do we start?", "Ja tack! När börjar vi?", "No problem, count me in",
    "Thanks for the invitation! Yes, count me in.", "Yes, thank you\n\nThanks\nDora",
)  # fmt: skip
NO = (
    "No thanks", "No, thank you.", "Nei takk", "Nej tack!", "I'm not interested, sorry.", "Nope",
    "Hi,\nno thanks.\nDora", "I don't want to play", "Jeg vil ikke", "Inte intresserad",
)  # fmt: skip
NEITHER = (
    "Yes?", "Yes, but only from January", "Maybe", "Ja, men hvem er du?", "Who else plays?",
    "What is this?", "If I say yes, what then?", "Yes I got your email. Who are you?", "Not sure",
    "I am away until Monday.", "Thanks!", "👍", "No idea who you are. Who is this?", "yes or no?",
    "Jag är inte säker", "Hva koster det?", "I am on vacation and will answer when I am back.",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        *((one, "yes") for one in YES),
        *((one, "no") for one in NO),
        *((one, None) for one in NEITHER),
    ],
)
def test_what_words_answer_to_an_invitation(text, answers):
    assert said(*text.split("\n")) == answers


def said(*lines):
    return consent([line for line in number_lines(lines) if clean(line.text)])


@pytest.mark.parametrize(("lines", "told"), [(20, "yes"), (21, None)])
def test_who_writes_many_lines_says_more_than_yes(lines, told):
    assert said("Yes, gladly.", *["Good luck!"] * (lines - 1)) == told


@pytest.mark.parametrize(("words", "told"), [(80, "yes"), (81, None)])
def test_who_writes_many_words_says_more_than_yes(words, told):
    assert said(f"Yes{' good' * (words - 1)}") == told
