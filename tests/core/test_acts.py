"""Acts: an act's sentence and its effect are two functions of one value, and a ruling's sentences
give the acts again."""

from datetime import UTC, datetime, timedelta
from string import Formatter
from typing import Any, get_type_hints

import msgspec
import pytest
from msgspec import UNSET

from adjudicator.core import acts
from adjudicator.core.acts import KINDS, Act, Effect, effect_of, message_for_acts, sentence
from adjudicator.core.message import LANGUAGES, Message, say, tell
from adjudicator.core.worded_acts import acts_in
from adjudicator.reports.words import words

WHEN = datetime(2026, 11, 24, 18, 5, 7, 250, tzinfo=UTC)
WHITE = say("White")
UNSAID = {"names"}  # values that no sentence has


def sample(kind: type[Act]) -> Any:
    """Return an act of a kind, with a value in each field."""
    hints = get_type_hints(kind)
    values: dict[Any, Any] = {Message: WHITE, str: "white", datetime: WHEN, int: 7}
    return kind(
        **{
            name: next(value for one, value in values.items() if one in _types(hints[name]))
            for name in kind.__struct_fields__
        }
    )


def _types(hint: Any) -> tuple[Any, ...]:
    return getattr(hint, "__args__", (hint,))


every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def test_every_kind_is_in_the_table_once() -> None:
    assert {*KINDS} == {*Act.__subclasses__()}
    assert len({kind.words.text for kind in KINDS}) == len(KINDS)


@every_kind
def test_the_fields_of_an_act_are_the_holes_of_its_sentence(kind: type[Act]) -> None:
    holes = {name for _, name, _, _ in Formatter().parse(kind.words.text) if name}
    assert {*kind.__struct_fields__} - UNSAID == holes


@every_kind
def test_an_act_is_found_again_in_its_sentence_with_the_same_effect(kind: type[Act]) -> None:
    act = sample(kind)
    # As a row or a line of the log has it.
    stored = msgspec.json.decode(msgspec.json.encode(sentence(act)), type=Message)
    assert [*acts_in(stored)] == [act]
    assert effect_of(acts_in(stored)) == act.effect()


@every_kind
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_act_is_told_in_every_language(kind: type[Act], language: str) -> None:
    act = sample(kind)
    told = words(language, "")(sentence(act))
    assert "{" not in told
    assert (told == words("en", "")(sentence(act))) is (language == "en")
    for name in kind.__struct_fields__:
        value = getattr(act, name)
        assert name in UNSAID or not isinstance(value, str | int) or str(value) in told


def test_several_acts_are_told_one_after_another_and_the_last_decides() -> None:
    later = WHEN + timedelta(days=1)
    made = [
        acts.OptionChanged("grace", "1 day", "0"),
        acts.OptionChanged("settle", "0", "1 hour"),
        acts.DeadlineMoved(WHEN),
        acts.ForfeitAnnounced(WHITE, WHEN),
        acts.WaitingEnded(3),
        acts.DeadlineMoved(later),
    ]
    told = message_for_acts(made)
    assert tell(told).count(". ") == 5
    assert [*acts_in(told)] == made
    assert effect_of(made) == Effect(
        due=later,
        options={"grace": "1 day", "settle": "0"},
        forfeits=((WHITE, WHEN),),
        ends_waiting=True,
    )


def test_what_the_game_master_says_has_no_effect_whatever_he_says() -> None:
    words_of_another = tell(sentence(acts.DeadlineMoved(WHEN)))
    assert effect_of(acts_in(sentence(acts.SaidToAll(words_of_another)))) == Effect()
    assert effect_of([]).due is UNSET


def test_a_sentence_of_which_no_act_can_be_made_has_no_effect() -> None:
    """So the row of a ruling that was changed does not stop an audit."""
    for wrong in ({}, {"when": "soon"}, {"when": 5}, {"when": say("{moment}", moment="soon")}):
        assert [*acts_in(Message(acts.DeadlineMoved.words.text, wrong))] == []


@every_kind
def test_an_act_is_the_same_once_it_was_kept_as_json(kind: type[Act]) -> None:
    act = sample(kind)
    stored = msgspec.json.encode((act,))
    assert msgspec.json.decode(stored, type=tuple[acts.AnyAct, ...]) == (act,)


def test_an_act_with_a_value_that_is_not_its_own_is_none() -> None:
    for wrong in (
        '{"act":"deadline-moved","when":"soon"}',
        '{"act":"deadline-moved","when":"2026-11-24T18:05:07Z","options":{}}',
        '{"act":"deadline-moved"}',
        '{"act":"undo","turn":3}',
    ):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(wrong, type=acts.AnyAct)
