"""Records of simple games: the seed and every sheet, from which all else follows."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from msgspec import Struct, to_builtins

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.game import Orders, Records, Rules
from adjudicator.core.match import Option, Seat, Setting
from adjudicator.core.message import count, say
from adjudicator.core.record import (
    Chronicle,
    OptionTags,
    RecordEntry,
    Refused,
    Replayed,
    Transcript,
    closed_by,
    entries,
    options_told,
    plies,
    record_of_sheets,
    result_fault,
    sheet_line,
    tag_faults,
    written,
)
from adjudicator.core.simple.state import Left, Position, SheetPlayed

_BEGUN = re.compile(r"[0-9]+\. [a-z]+:|left ")

Observe = Callable[[Any, Seat], Any]


class PlyReplayed(Struct, frozen=True):
    """The events of a ply, or of a leaving, in which nobody ordered."""

    orders: Mapping[Seat, tuple[str, ...]]
    events: tuple[Any, ...]
    after: Any


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
            lines = written(events, Left, _line)
            return record_of_sheets(title, chronicle, state.seats, lines, about=about)

        return Records(write=write, replay=self.replay)

    def replay(self, transcript: Transcript) -> Replayed | Refused:
        """Play the match again; return the first thing in it that the rules do not allow, if there
        is one."""
        if fault := next(self._tag_faults(transcript), None):
            return fault
        told: list[PlyReplayed] = []
        for ply in self.retold(transcript):
            if isinstance(ply, Refused):
                return ply
            told.append(ply)
        return self._finished(transcript, told)

    def _tag_faults(self, transcript: Transcript) -> Iterator[Refused]:
        yield from tag_faults(transcript, ("Match", "Variant", "Seats"), self._tags)
        values = transcript.values
        for tag, known in (("Variant", self._variants), ("Seats", self._seats)):
            for seen in values[tag].split(","):
                if seen not in known:
                    wrong = say("{tag} cannot be '{seen}'", tag=tag, seen=seen)
                    yield transcript.refused(tag, wrong)

    def begun(self, values: Mapping[str, str]) -> tuple[Any, Chance]:
        """Return the first state of a record whose tags are sound, and its chance."""
        seats = tuple(map(Seat, values["Seats"].split(",")))
        agreed = options_told(values, self._tags)
        setting = Setting.of(self._options, values["Variant"], agreed, seats)
        chance = Chance(bytes.fromhex(values["Seed"]), values["Match"], label=LABEL)
        return self._rules.set_up(setting, chance), chance

    def retold(self, transcript: Transcript) -> Iterator[PlyReplayed | Refused]:
        """Yield ply by ply, up to the first thing that the rules do not allow. The tags are
        sound."""
        found = entries(transcript.body, _BEGUN, self._orders.parse)
        if isinstance(found, Refused):
            yield found
            return
        state, chance = self.begun(transcript.values)
        for together in plies(found):
            made = self._fault(state, together) or self._played(state, together, chance)
            yield made
            if isinstance(made, Refused):
                return
            state = made.after

    def _fault(self, state: Any, together: Sequence[RecordEntry[Any]]) -> Refused | None:
        first, outcome = together[0], self._rules.outcome(state)
        number = first.line.number
        if outcome:
            return Refused(number, say("the match is over before this line"))
        named = [seat for entry in together for seat in entry.seats]
        for seat in named:
            if seat not in state.playing:
                return Refused(number, say("nobody plays {seat}", seat=seat))
        if first.ply is None:
            return None
        if first.ply != state.ply + 1:
            told = say("expected ply {n} here, not {seen}", n=state.ply + 1, seen=first.ply)
            return Refused(number, told)
        if sorted(named) != sorted(self._rules.awaiting(state)):
            return Refused(number, say("these are not the seats that were due to order"))
        for entry in together:
            view = self._observe(state, entry.seats[0])
            for problem in self._orders.check(view, entry.sheet):
                return Refused(entry.line.number, problem.message)
        return None

    def _played(
        self, state: Any, together: Sequence[RecordEntry[Any]], chance: Chance
    ) -> PlyReplayed:
        first = together[0]
        if first.ply is None:
            events = tuple(self._rules.leave(state, first.seats, first.reason))
            lines: dict[Seat, tuple[str, ...]] = {}
        else:
            orders = {entry.seats[0]: entry.sheet.orders for entry in together}
            events = tuple(self._rules.adjudicate(state, orders, chance))
            lines = {seat: tuple(self._orders.lines(given)) for seat, given in orders.items()}
        return PlyReplayed(lines, events, reduce(self._rules.apply, events, state))

    def _finished(self, transcript: Transcript, told: Sequence[PlyReplayed]) -> Replayed | Refused:
        state = told[-1].after if told else self.begun(transcript.values)[0]
        if reason := closed_by(transcript, self._rules.outcome(state)):
            state = reduce(self._rules.apply, self._rules.close(state, reason), state)
        outcome = self._rules.outcome(state)
        if fault := result_fault(transcript, outcome):
            return fault
        summary = count(
            "{match}: {n} ply, {result}",
            "{match}: {n} plies, {result}",
            state.ply,
            match=transcript.values["Match"],
            result=transcript.values["Result"],
        )
        data = {
            "plies": [to_builtins([*filter(_happened, ply.events)]) for ply in told],
            "result": to_builtins(outcome),
        }
        return Replayed(transcript.line, transcript.values, summary, data)


def _happened(event: Any) -> bool:
    return not isinstance(event, SheetPlayed)


def _line(event: Any) -> str | None:
    return (
        sheet_line(event.ply, event.seat, event.lines) if isinstance(event, SheetPlayed) else None
    )
