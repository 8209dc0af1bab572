"""Records of simple games: the seed and every sheet, from which all else follows."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import to_builtins

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.game import Orders, Records, Rules
from adjudicator.core.match import Option, Seat, Setting
from adjudicator.core.message import say
from adjudicator.core.record import (
    Chronicle,
    OptionTags,
    PlyReplayed,
    RecordEntry,
    Refused,
    Replayed,
    Transcript,
    all_sound,
    chance_of,
    entries,
    final_state,
    options_of_tags,
    plies_played,
    ply_fault,
    record_lines,
    record_of_sheets,
    replayed_plies,
    sheet_line,
    tag_faults,
)
from adjudicator.core.simple.state import Left, Position, SheetPlayed

_BEGUN = re.compile(r"[0-9]+\. [a-z]+:|left ")

Observe = Callable[[Any, Seat], Any]


def option_tags(options: Mapping[str, Option]) -> OptionTags:
    """Return the tags of a game's options."""
    return {
        name.title().replace("_", ""): (name, "|".join(option.values) or "[0-9]+")
        for name, option in options.items()
    }


class Replaying:
    """The parts of a game with which a record is read."""

    def __init__(
        self,
        rules: Rules[Any, Any, Any],
        orders: Orders[Any, Any],
        observe: Observe,
        options: Mapping[str, Option],
        variants: Sequence[str],
        seats: Sequence[Seat],
    ) -> None:
        self._rules, self._orders, self._observe = rules, orders, observe
        self._options, self._tags = options, option_tags(options)
        self._variants, self._seats = variants, seats

    def records(self, title: str) -> Records[Any, Any]:
        def write(chronicle: Chronicle, state: Position, events: Sequence[Any]) -> str:
            told = ((tag, state.options[name]) for tag, (name, _) in self._tags.items())
            about = {"Variant": state.variant, "Seats": ",".join(state.seats), **dict(told)}
            lines = record_lines(events, Left, _line)
            return record_of_sheets(title, chronicle, state.seats, lines, about=about)

        return Records(write=write, replay=self.replay)

    def replay(self, transcript: Transcript) -> Replayed | Refused:
        """Play the match again; return the first thing in it that the rules do not allow, if there
        is one."""
        if fault := next(self._tag_faults(transcript), None):
            return fault
        told = all_sound(self.retold(transcript))
        return told if isinstance(told, Refused) else self._finished(transcript, told)

    def _tag_faults(self, transcript: Transcript) -> Iterator[Refused]:
        yield from tag_faults(transcript, ("Match", "Variant", "Seats"), self._tags)
        values = transcript.values
        for tag, known in (("Variant", self._variants), ("Seats", self._seats)):
            for seen in values[tag].split(","):
                if seen not in known:
                    wrong = say("{tag} cannot be '{seen}'", tag=tag, seen=seen)
                    yield transcript.refusal(tag, wrong)

    def first_state(self, values: Mapping[str, str]) -> tuple[Any, Chance]:
        """Return the first state of a record whose tags are sound, and its chance."""
        seats = tuple(map(Seat, values["Seats"].split(",")))
        agreed = options_of_tags(values, self._tags)
        setting = Setting.of(self._options, values["Variant"], agreed, seats)
        chance = chance_of(values, LABEL)
        return self._rules.set_up(setting, chance), chance

    def retold(self, transcript: Transcript) -> Iterator[PlyReplayed[Any, Any] | Refused]:
        """Yield ply by ply, up to the first thing that the rules do not allow. The tags are
        sound."""
        state, chance = self.first_state(transcript.values)
        found = entries(transcript.body, _BEGUN, self._orders.parse)
        played = partial(self._played, chance=chance)
        return replayed_plies(found, state, played, self._rules.apply)

    def _played(
        self, state: Any, together: Sequence[RecordEntry[Any]], chance: Chance
    ) -> Iterable[Any] | Refused:
        first = together[0]
        if fault := ply_fault(
            together,
            outcome=self._rules.outcome(state),
            last=state.ply,
            seats=state.playing,
            awaited=self._rules.awaiting(state),
        ):
            return fault
        if first.ply is None:
            return self._rules.leave(state, first.seats, first.reason)
        for entry in together:
            for problem in self._orders.check(self._observe(state, entry.seats[0]), entry.sheet):
                return Refused(entry.line.number, problem.message)
        orders = {entry.seats[0]: entry.sheet.orders for entry in together}
        return self._rules.adjudicate(state, orders, chance)

    def _finished(
        self, transcript: Transcript, told: Sequence[PlyReplayed[Any, Any]]
    ) -> Replayed | Refused:
        rules = self._rules
        last = told[-1].after if told else self.first_state(transcript.values)[0]
        state = final_state(transcript, last, rules.outcome, rules.close, rules.apply)
        if isinstance(state, Refused):
            return state
        data = {
            "plies": [to_builtins([*filter(_happened, ply.events)]) for ply in told],
            "result": to_builtins(rules.outcome(state)),
        }
        summary = plies_played(transcript, state.ply)
        return Replayed(transcript.line, transcript.values, summary, data)


def _happened(event: Any) -> bool:
    return not isinstance(event, SheetPlayed)


def _line(event: Any) -> str | None:
    return (
        sheet_line(event.ply, event.seat, event.lines) if isinstance(event, SheetPlayed) else None
    )
