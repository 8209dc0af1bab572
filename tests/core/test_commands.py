"""Press is cut out of a text before anything else is read of it."""

from adjudicator.core.commands import read_press


def test_a_sentence_is_no_press() -> None:
    assert read_press("Press to continue\nd3-d4") == ((), "Press to continue\nd3-d4")


def test_line_numbers_stay_behind_press() -> None:
    presses, rest = read_press("PRESS TO white, black\na\nENDPRESS\nd3-d4")
    assert presses[0].to == ("white", "black")
    assert rest == "\n\n\nd3-d4"
