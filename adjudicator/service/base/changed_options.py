"""Options that the game master may change while a match is played: what does not alter its rules.

A change is a ruling of the action `option`. Its message names the option and its new value, so who
has the first line of a log and its rulings knows what was agreed at any time: the club itself
(`adjud verify`) and a player (`adjud audit`).
"""

from collections.abc import Iterable, Mapping

from adjudicator.core.game import AnyGame
from adjudicator.core.message import Message, say, sentences
from adjudicator.service.base.bank import NONE
from adjudicator.service.base.calendar import parse_duration
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.options import DEFAULTS, UNCHOSEN, parsed

CHANGEABLE = tuple(key for key in (*DEFAULTS, *UNCHOSEN) if key not in ("chance", "names"))


def change_told(key: str, value: str, before: str) -> Message:
    """Return what all players are told of a changed option."""
    return say(
        "The game master changed an option of the match: {key} is now '{value}', before it was "
        "'{before}'.",
        key=key,
        value=value,
        before=before,
    )


_TOLD = change_told("", "", "").text


def options_after(options: Mapping[str, str], told: Iterable[Message]) -> dict[str, str]:
    """Return a match's options after rulings, of which these messages were told."""
    agreed = dict(options)
    for message in told:
        for sentence in sentences(message):
            if sentence.text == _TOLD:
                agreed[str(sentence.values.get("key"))] = str(sentence.values.get("value"))
    return agreed


def changes_of(game: AnyGame, texts: Iterable[str]) -> dict[str, str]:
    """Return the new values of `KEY=VALUE` texts.

    Raises Refusal for the first that is unknown, has no such value or cannot be changed.
    """
    changes: dict[str, str] = {}
    for text in texts:
        key = text.partition("=")[0].strip().replace("-", "_")
        if key in changes:
            raise Refusal(say("{key} is given twice", key=key))
        agreed = parsed(game, [text], 2)
        if key not in CHANGEABLE:
            raise _unchangeable(game, key)
        changes[key] = agreed[key]
    return changes


def _unchangeable(game: AnyGame, key: str) -> Refusal:
    if key == "names":
        return Refusal(say("names stays as it was agreed: what is hidden stays so until the end"))
    if key == "chance":
        return Refusal(
            say("chance stays as it was agreed; `adjud gm chance` names a later draw for a match")
        )
    return Refusal(
        say(
            "{key} is a rule of {game} and stays as it was agreed; these can be changed: {keys}",
            key=key,
            game=game.title,
            keys=", ".join(CHANGEABLE),
        )
    )


def is_harsher(key: str, value: str, before: str) -> bool:
    """Return whether a new value costs a seat that is silent more than the one before."""
    match key:
        case "absence":
            return value == "forfeit"
        case "excused":
            return int(value) < int(before)
        case "grace":
            return parse_duration(value) < parse_duration(before)
        case "bank":
            return before != NONE
        case "double":
            return value != NONE
        case "leave":
            return before == "auto" or value == "none"
        case "leave_days":
            return value != NONE and (before == NONE or int(value) < int(before))
        case "substitutes":
            return value == "off"
        case _:
            return False
