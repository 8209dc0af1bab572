"""A match looked back upon: year by year as its seat's old reports told it or, when it has ended,
turn by turn as it was, with everything open (rules 7.4)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, convert, structs

from adjudicator.core.lookback import Shown, Step, first_shown
from adjudicator.core.message import Words
from adjudicator.core.record import Refused, Transcript, transcripts
from adjudicator.games.spies.page.news import grouped, sentence
from adjudicator.games.spies.record.replay import plain_event, retell
from adjudicator.games.spies.rules.apply import apply
from adjudicator.games.spies.rules.atlas import atlas
from adjudicator.games.spies.rules.control import police_in
from adjudicator.games.spies.rules.events import AnyEvent, Turned
from adjudicator.games.spies.rules.state import State

# All moments in a page, with their markup, beside what else is long in it. Of a match that goes on
# the oldest years fall away first; the last page tells all of it.
MOST_BYTES = 24_000
BESIDE_COMPOSER = 4_000
LAST_BYTES = 130_000
_WHOLE_MAP = 1_200  # the first moment tells where everything is, the others what changed

LOOKING_BACK = ("shared/history.js", "spies/history.js")  # the scripts that step through it

Position = dict[str, str]  # spies, secrets and, behind @, cities with police


class OldSpy(Struct, frozen=True):
    spy: str
    city: str | None
    carries: str | None


class OldSecret(Struct, frozen=True):
    secret: str
    city: str | None
    spy: str | None
    gone: str | None


class OldPolice(Struct, frozen=True):
    city: str
    pieces: int


class OldReport(Struct, frozen=True):
    """What a page needs of its seat's old report; nothing else of it is read."""

    placed: bool
    spies: tuple[OldSpy, ...]
    secrets: tuple[OldSecret, ...]
    police: tuple[OldPolice, ...]
    news: tuple[dict[str, Any], ...]


class Moment(Struct, frozen=True):
    """How things stood when something had happened; `ways` are those that spies went."""

    label: str
    position: Position
    ways: tuple[str, ...]
    steps: tuple[Step, ...]


def history(
    report: Mapping[str, Any], past: Sequence[OldReport], words: Words
) -> dict[str, Any] | None:
    """The rows of a page that looks back; None where there is nothing to look back upon."""
    record = report["game_record"]
    moments = list(_retold(record, words) if record else _told(report, past, words))
    if len(moments) < 2:
        return None
    rows = list(_rows(moments))
    first = first_shown(rows, _room(report), _WHOLE_MAP)
    if first:
        rows[first] = structs.replace(rows[first], changes=_changes({}, moments[first]))
    return {
        "moments": rows[first:],
        "complete": first == 0,
        "record": None,  # too long to stand in the page twice: a script makes the link
        "file": f"{report['match']}.spies",
        "points": [],
    }


def _room(report: Mapping[str, Any]) -> int | None:
    """Bytes for moments; None, for as many as it takes, where the page is nobody's letter."""
    if not report["seat"]:
        return None
    if report["game_record"]:
        return LAST_BYTES
    return BESIDE_COMPOSER if report["template"] else MOST_BYTES


def _rows(moments: Sequence[Moment]) -> Iterator[Shown]:
    before: Position = {}
    for number, moment in enumerate(moments):
        yield Shown(
            f"moment-{number}", moment.label, _changes(before, moment), "", moment.steps, ()
        )
        before = moment.position


def _changes(before: Position, moment: Moment) -> str:
    """What stands elsewhere than before, as `G-A=PRA+N4`, and the ways, as `>G BER PRA`."""
    now = moment.position
    moved = [f"{what}={where}" for what, where in now.items() if before.get(what) != where]
    gone = [f"{what}=" for what in before if what not in now]
    return ";".join((*moved, *gone, *moment.ways))


def _told(report: Mapping[str, Any], past: Sequence[OldReport], words: Words) -> Iterator[Moment]:
    """A moment a report, with those of its news that no report before it had: a seat that was
    silent is told again what it missed."""
    met: set[str] = set()
    for old in (*past, convert(report, OldReport)):
        if not old.placed:
            continue
        parts = [
            (words(heading), entries)
            for heading, entries in grouped(old.news)
            if words(heading) not in met
        ]
        met |= {heading for heading, _ in parts}
        if parts:
            years = sorted({heading.rsplit(" ", 1)[-1] for heading, _ in parts})
            entries = [entry for _, part in parts for entry in part]
            steps = [
                (heading, "moved", told)
                for heading, part in parts
                if (told := _sentences(part, words))
            ]
            yield Moment(", ".join(years), _seen(old), tuple(_ways(entries)), tuple(steps))


def _sentences(entries: Iterable[Mapping[str, Any]], words: Words) -> str:
    return " ".join(filter(None, (sentence(entry, words) for entry in entries)))


def _seen(old: OldReport) -> Position:
    spies = {
        spy.spy: spy.city + (f"+{_short(spy.carries)}" if spy.carries else "")
        for spy in old.spies
        if spy.city
    }
    lying = {secret.secret: secret.city for secret in old.secrets if secret.city and not secret.spy}
    return {**spies, **lying, **{f"@{p.city}": str(p.pieces) for p in old.police}}


def _short(code: str) -> str:
    return code.replace("-", "")


def _ways(entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for entry in entries:
        if entry["type"] == "go":
            yield f">{entry['spy'][0]} {entry['from']} {entry['to']}"
        elif entry["type"] == "search" and entry["to"]:
            yield f">{entry['spy'][0]} {entry['city']} {entry['to']}"


def _retold(record: str, words: Words) -> Iterator[Moment]:
    """Every power's turn from the record, all private parts among what is told."""
    found = next(transcripts(record.splitlines()), None)
    if not isinstance(found, Transcript):
        return
    for ply in retell(found):
        if isinstance(ply, Refused):  # a record of the program's own never is
            return
        state = ply.before
        turn: list[AnyEvent] = []
        for event in ply.events:
            if isinstance(event, Turned) and turn:
                yield from _moment(turn, state, words)
                turn = []
            turn.append(event)
            state = apply(state, event)
        yield from _moment(turn, state, words)


def _moment(turn: Sequence[AnyEvent], state: State, words: Words) -> Iterator[Moment]:
    news = [_open(plain) for event in turn if (plain := plain_event(event))]
    for heading, entries in grouped(news)[:1]:
        steps = [("", "moved", told)] if (told := _sentences(entries, words)) else []
        yield Moment(words(heading), _standing(state), tuple(_ways(entries)), tuple(steps))


def _open(told: Mapping[str, Any]) -> dict[str, Any]:
    """An event with all that anybody was told of it."""
    known: dict[str, Any] = {}
    for part in told.get("private", {}).values():
        known |= part
    return {**told, "known": known} if known else dict(told)


def _standing(state: State) -> Position:
    spies = {
        code: spy.city + (f"+{_short(spy.carries)}" if spy.carries else "")
        for code, spy in state.spies.items()
        if spy.city
    }
    lying = {
        code: secret.city
        for code, secret in state.secrets.items()
        if secret.city and not secret.spy
    }
    police = {
        f"@{city}": str(number)
        for city in atlas().cities
        if (host := atlas().owner(city)) and (number := len(police_in(state, host, city)))
    }
    return {**spies, **lying, **police}
