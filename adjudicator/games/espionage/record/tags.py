"""The tags of a record: what they must say before the first order can be read."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import get_args

from adjudicator.core.match import Outcome, Seat
from adjudicator.core.message import Message, say
from adjudicator.core.orders import nearest, shown
from adjudicator.core.record import Refused, Transcript
from adjudicator.games.espionage.orders.refusals import strange_signs
from adjudicator.games.espionage.rules.board import Board, rank_of, volcano_count
from adjudicator.games.espionage.rules.pieces import BLACK, BY_LETTER, SIDES, WHITE
from adjudicator.games.espionage.rules.setup import row_length_problem, row_problems
from adjudicator.games.espionage.rules.state import VARIANTS, Fights, Settings

SETUP_TAGS: Mapping[Seat, str] = {WHITE: "WhiteSetup", BLACK: "BlackSetup"}

# Rule 6.4. What the board decides can be checked; the rest must be believed.
BY_THE_BOARD = frozenset({"headquarters", "no-legal-move", "no-progress"})


def result(outcome: Outcome | None) -> str:
    """Return the value of the Result tag (rule 6.4)."""
    if outcome is None:
        return "*"
    if outcome.winner:
        return f"{outcome.winner} {outcome.reason}"
    return "none cancelled" if outcome.reason == "cancelled" else f"draw {outcome.reason}"


def _outcomes() -> Iterator[Outcome | None]:
    for reason in ("headquarters", "no-legal-move", "resignation", "forfeit"):
        for side in SIDES:
            yield Outcome(winner=side, winners=(side,), reason=reason)
    for reason in ("agreement", "no-progress", "cancelled"):
        yield Outcome(winner=None, winners=(), reason=reason)
    yield None


RESULTS: Mapping[str, Outcome | None] = {result(outcome): outcome for outcome in _outcomes()}


def settings(transcript: Transcript) -> Settings:
    """Return the settings of a record without faults in its tags."""
    values = transcript.values
    return Settings(
        variant=values["Variant"],
        fights=values.get("Fights", "hidden"),  # type: ignore[arg-type]  # one of Fights
        no_progress=int(values.get("NoProgress", "0")),
    )


def ended_in_set_up(transcript: Transcript) -> bool:
    """Return whether the match ended before both armies stood; then it shows no set-up (5.4)."""
    if any(name in transcript.tags for name in SETUP_TAGS.values()) or transcript.body:
        return False
    outcome = RESULTS[transcript.tags["Result"].value]
    return outcome is not None and outcome.reason not in BY_THE_BOARD


def tag_faults(transcript: Transcript) -> Iterator[Refused]:
    """Yield what is wrong with the tags. Only the first fault is ever asked for, so each check may
    rely on those before it."""
    yield from transcript.missing(("Variant", "Volcanoes", "Result"))
    for name, message in _setting_faults(transcript.values):
        yield transcript.refusal(name, message)
    board = settings(transcript).board
    for message in _volcano_faults(transcript.tags["Volcanoes"].value.split(), board):
        yield transcript.refusal("Volcanoes", message)
    if not ended_in_set_up(transcript):
        yield from transcript.missing(SETUP_TAGS.values())
        for name in SETUP_TAGS.values():
            for message in _set_up_faults(transcript.tags[name].value.split("/"), board):
                yield transcript.refusal(name, say("{tag}: {fault}", tag=name, fault=message))


def _setting_faults(values: Mapping[str, str]) -> Iterator[tuple[str, Message]]:
    """Yield the names of tags and what is wrong with them."""
    variant, fights = values["Variant"], values.get("Fights", "hidden")
    if variant not in VARIANTS:
        meant = nearest(variant, VARIANTS)
        hint = say("did you mean {meant}?", meant=meant) if meant else _one_of(VARIANTS)
        yield "Variant", say("there is no variant '{seen}'; {hint}", seen=shown(variant), hint=hint)
    if fights not in get_args(Fights):
        hint = _one_of(get_args(Fights))
        yield "Fights", say("'Fights' cannot be '{seen}'; {hint}", seen=shown(fights), hint=hint)
    if not re.fullmatch("[0-9]{1,6}", values.get("NoProgress", "0")):
        seen = shown(values["NoProgress"])
        yield (
            "NoProgress",
            say("'NoProgress' must be a number of full turns, not '{seen}'", seen=seen),
        )
    if values["Result"] not in RESULTS:
        seen, hint = shown(values["Result"]), _one_of(RESULTS)
        yield "Result", say("there is no Result '{seen}'; {hint}", seen=seen, hint=hint)


def _one_of(words: Iterable[str]) -> Message:
    return say("use one of: {words}", words=", ".join(words))


def _volcano_faults(squares: Sequence[str], board: Board) -> Iterator[Message]:
    """Check the number and the rows of the volcanoes (1.5), not where in the rows they lie."""
    low, high = board.middle_rows()
    for square in squares:
        if square not in board.beside:
            yield say("there is no square '{square}' for a volcano", square=shown(square))
        if rank_of(square) not in (low, high):
            yield say(
                "a volcano cannot be on {square}, only in rows {low} and {high}",
                square=square,
                low=low,
                high=high,
            )
    due = volcano_count(board)
    if len(squares) != due or len(set(squares)) != due:
        yield say(
            "the board has {due} volcanoes on different squares, not '{seen}'",
            due=due,
            seen=shown(" ".join(squares)),
        )


def _set_up_faults(rows: Sequence[str], board: Board) -> Iterator[Message]:
    if len(rows) != 3:
        yield say("a set-up has three rows with / between them, not {n}", n=len(rows))
    for number, row in enumerate(rows, start=1):
        if trouble := row_length_problem(number, row, board):
            yield trouble
        if strange := [sign for sign in dict.fromkeys(row) if sign not in BY_LETTER]:
            yield strange_signs(number, strange)
    yield from row_problems(rows, board)
