"""What a simple game's page looks back on: each moment is the board as text, and what the seat
learned."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import NODEFAULT, Struct, defstruct
from msgspec import field as with_default
from msgspec.structs import FieldInfo, fields

from adjudicator.core.lookback import History, PastMoment, Step, look_back
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words, say
from adjudicator.core.record import Refused, transcript_of
from adjudicator.core.report import Report
from adjudicator.core.simple.board import Board, text
from adjudicator.core.simple.record import Replaying
from adjudicator.core.simple.state import SheetPlayed
from adjudicator.core.text import Spelling

STEPPING = ("shared/history.js", "default/history.js")


def old_reports(view: type[Struct], sighting: Any) -> type[Struct]:
    """Return the struct with what is read of old reports: the fields of the view, and the news."""
    own = [(one.name, one.type, _default(one)) for one in fields(view)]
    news = ("news", tuple[sighting, ...], ())
    return defstruct("OldReport", [*own, news], frozen=True, kw_only=True)


def _default(info: FieldInfo) -> Any:
    if info.default_factory is not NODEFAULT:
        return with_default(default_factory=info.default_factory)
    return with_default() if info.default is NODEFAULT else info.default


class LookingBack:
    """The parts of a game with which its page looks back."""

    def __init__(
        self,
        view: type[Any],
        replaying: Replaying,
        observe: Callable[[Any, Seat], Any],
        witness: Callable[[Any, Seat], Any],
        board: Callable[[Any, Words], Board],
        told: Callable[[Any], Message],
        titles: Mapping[Seat, Message],
        spelled: Callable[[Words], Spelling],
    ) -> None:
        self._view, self._replaying = view, replaying
        self._observe, self._witness = observe, witness
        self._board, self._told, self._titles = board, told, titles
        self._spelled = spelled

    def history(
        self, report: Report[Any, Any], words: Words, past: Sequence[Any], room: int | None
    ) -> History | None:
        """Make the rows, as many as have room; None if nothing has happened yet."""
        moments = (
            self._retold(report.record, report.seat, words)
            if report.record
            else self._seen(report, past, words)
        )
        return look_back(
            History,
            list(moments),
            lambda before, moment: moment.position,
            room,
            nothing="",
            whole=bool(report.record) or len(past) >= report.ply,
            file=f"{report.match}.txt",
        )

    def _moment(self, view: Any, steps: Sequence[Step], words: Words, turn: int) -> PastMoment[str]:
        label = words(say("Turn {turn}", turn=turn) if turn else say("Set-up"))
        board = "\n".join(text(self._board(view, words)))
        return PastMoment(f"turn-{turn}", label, board, steps=steps)

    def _seen(
        self, report: Report[Any, Any], past: Sequence[Any], words: Words
    ) -> Iterator[PastMoment[str]]:
        """Yield a moment for each report in which something is told that the one before it had
        not: a seat that was silent is told again what it missed."""
        before: tuple[Any, ...] = ()
        for view, news in (*map(self._old, past), (report.view, tuple(report.news))):
            new = news[len(before) :] if news[: len(before)] == before else news
            before = news
            if new:
                yield self._moment(view, self._steps(new, words), words, view.turn)

    def _old(self, report: Any) -> tuple[Any, tuple[Any, ...]]:
        names = self._view.__struct_fields__
        return self._view(**{name: getattr(report, name) for name in names}), report.news

    def _steps(self, news: Sequence[Any], words: Words) -> Sequence[Step]:
        return [("", "moved", words(self._told(one))) for one in news]

    def _retold(self, record: str, seat: Seat, words: Words) -> Iterator[PastMoment[str]]:
        """Yield every ply of an ended match, with everybody's orders."""
        transcript = transcript_of(record)
        spelled = self._spelled(words)
        if transcript is None:
            return
        for ply in self._replaying.retold(transcript):
            if isinstance(ply, Refused):  # by rules that have changed since
                return
            given = {one.seat: one.lines for one in ply.events if isinstance(one, SheetPlayed)}
            orders = [
                (f"{words(self._titles[by])}: {'; '.join(spelled.all(lines))}.", "moved", "")
                for by, lines in given.items()
            ]
            seen = (self._witness(event, seat) for event in ply.events)
            news = self._steps([one for one in seen if one is not None], words)
            view = self._observe(ply.after, seat)
            yield self._moment(view, (*orders, *news), words, ply.before.turn)
