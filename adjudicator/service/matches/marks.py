"""Write down marks and notes for a seat alone (Espionage rules 9.1-9.3).

They are no orders: they are taken from every sheet of the seat, also from one that is refused, and
a fault in one refuses nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.json import decode

from adjudicator.core.commands import MOST_JOTTINGS, MOST_MARK, MOST_NOTES, Jotting
from adjudicator.core.game import MarkEnd
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, count, say
from adjudicator.core.orders import Problem, folded, problem, shown
from adjudicator.core.seat_report import MarkNow, SeenEvent, events_of_seat, follow
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.reports import standing
from adjudicator.service.reports.standing import read_log
from adjudicator.store import press, turns
from adjudicator.store.database import Tx
from adjudicator.store.press import Mark

_MOST_SHOWN = 60  # characters of a note that a receipt quotes


class MarksResult(Struct, frozen=True):
    """Tell what came of the marks and notes of a sheet: what was done, and warnings of the rest."""

    done: Sequence[Message]
    warnings: Sequence[Problem]


def jot(
    tx: Tx, loaded: Loaded, seat: Seat, jottings: Sequence[Jotting], ply: int, *, dry: bool
) -> MarksResult:
    """Write down what a sheet says, in its order. Places are meant as in the report after that
    ply. A dry run only says what would come of it."""
    return _Book(tx, loaded, seat, ply, dry).write(jottings)


class _Book:
    """All that a seat has written down, while more is added."""

    def __init__(self, tx: Tx, loaded: Loaded, seat: Seat, ply: int, dry: bool) -> None:
        game, match_id = loaded.game, loaded.match.id
        assert game.marks is not None
        self.tx, self.dry = tx, dry
        self.whose = (match_id, seat, loaded.holders[seat].tenure)
        self.marking, self.game, self.ply = game.marks, game, ply
        written = press.jottings_of_match(tx, match_id)
        marks, self.notes = standing.own_jottings(loaded, seat, written)
        self.seen: Sequence[SeenEvent] = ()
        first = min([ply, *(mark.ply for mark in marks)])
        if first < loaded.match.ply:
            log = read_log(tx, loaded.match, game, first + 1)
            self.seen = events_of_seat(game, seat, log)
        self.view = _view(tx, loaded, seat, ply)
        self.places = {folded(place): place for place in self.marking.places(self.view)}
        # The marks that stand, by the place where their piece is now.
        self.standing: dict[str, Mark | None] = {}
        for mark in marks:
            now = self._now(mark.ply, mark.place)
            if now.end is None:
                self.standing[now.place] = mark
        self.done: list[Message] = []
        self.warnings: list[Problem] = []

    def write(self, jottings: Sequence[Jotting]) -> MarksResult:
        for one in jottings[:MOST_JOTTINGS]:
            told = _WRITE[one.kind](self, one)
            if isinstance(told, Problem):
                self.warnings.append(told)
            else:
                self.done.append(told)
        if left_out := jottings[MOST_JOTTINGS:]:
            told = count(
                "{n} more mark or note was skipped",
                "{n} more marks and notes were skipped",
                len(left_out),
            )
            self.warnings.append(problem(left_out[0].line, told))
        return MarksResult(self.done, self.warnings)

    def _now(self, ply: int, place: str) -> MarkNow:
        return follow(self.game, self.seen, ply, place)

    def mark(self, one: Jotting) -> Message | Problem:
        word = folded(one.place)
        place = self.places.get(word)
        if place is None:
            return problem(one.line, self.marking.refusal(self.view, word))
        if wrong := _unfit(one.text, MOST_MARK):
            return problem(one.line, wrong)
        now = self._now(self.ply, place)
        if now.end is not None:
            return problem(one.line, _ENDED[now.end])
        before = self.standing.pop(now.place, None)
        if before is not None and not self.dry:
            press.remove_marks(self.tx, [before.id])
        if not one.text:
            return _taken_away(place, now.place)
        if not self.dry:
            self.standing[now.place] = press.put_mark(
                self.tx, *self.whose, ply=self.ply, place=place, text=one.text
            )
        return _message_of_moved_mark(place, now.place, one.text)

    def note(self, one: Jotting) -> Message | Problem:
        if not one.text:
            return problem(one.line, say("write a note as NOTE and its text"))
        if wrong := _unfit(one.text, MOST_NOTES):
            return problem(one.line, wrong)
        told = say("noted: {text}", text=shown(one.text, _MOST_SHOWN))
        if self.notes[-1:] == [one.text]:
            return told
        left = MOST_NOTES - sum(map(len, self.notes))
        if len(one.text) > left:
            full = say(
                "your notebook has room for {left} more characters; NOTES CLEAR empties it",
                left=left,
            )
            return problem(one.line, full)
        self.notes.append(one.text)
        if not self.dry:
            press.add_note(self.tx, *self.whose, one.text)
        return told

    def clear(self, one: Jotting) -> Message | Problem:
        self.notes.clear()
        if not self.dry:
            press.clear_notes(self.tx, *self.whose)
        return say("your notebook is empty")


_WRITE: Mapping[str, Any] = {"mark": _Book.mark, "note": _Book.note, "clear": _Book.clear}
_ENDED: Mapping[MarkEnd, Message] = {
    MarkEnd.REMOVED: say("the piece that was there has since been removed"),
    MarkEnd.TOLD: say("you already know the rank of the piece that was there"),
}


def _view(tx: Tx, loaded: Loaded, seat: Seat, ply: int) -> Any:
    """Return what the seat saw after that ply."""
    state = loaded.state
    if ply != loaded.match.ply:
        before = turns.one(tx, loaded.match.id, ply)
        state = decode(before.snapshot, type=loaded.game.rules.state)
    return loaded.game.sight.observe(state, seat)


def _unfit(text: str, most: int) -> Message | None:
    """Say why a text is not kept as it is."""
    if len(text) > most:
        return count(
            "that has {n} character; at most {most} are allowed",
            "that has {n} characters; at most {most} are allowed",
            len(text),
            most=most,
        )
    return None if text.isprintable() else say("that has characters that cannot be printed")


def _message_of_moved_mark(place: str, now: str, text: str) -> Message:
    if place == now:
        return say("the piece on {square} is marked: {text}", square=place, text=text)
    return say(
        "the piece that was on {before}, now on {square}, is marked: {text}",
        before=place,
        square=now,
        text=text,
    )


def _taken_away(place: str, now: str) -> Message:
    if place == now:
        return say("the piece on {square} has no mark", square=place)
    return say(
        "the piece that was on {before}, now on {square}, has no mark",
        before=place,
        square=now,
    )


def keep_to_pieces(tx: Tx, loaded: Loaded) -> None:
    """Move the marks that were made after the last ply to where their pieces stood before it, for
    it is about to be taken back."""
    game, match = loaded.game, loaded.match
    written = press.jottings_of_match(tx, match.id)
    made = [one for one in written if isinstance(one, Mark) and one.ply == match.ply]
    if game.marks is None or not made:
        return
    log = read_log(tx, match, game, match.ply)
    for seat in loaded.seats:
        seen = events_of_seat(game, seat, log)
        then = {
            place: follow(game, seen, match.ply - 1, place)
            for place in game.marks.places(_view(tx, loaded, seat, match.ply - 1))
        }
        before = {now.place: place for place, now in then.items() if now.end is None}
        for mark in made:
            if mark.seat != seat:
                continue
            if mark.place in before:
                press.move_mark(tx, mark, match.ply - 1, before[mark.place])
            else:  # the armies are placed anew
                press.remove_marks(tx, [mark.id])
