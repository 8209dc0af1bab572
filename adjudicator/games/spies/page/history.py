"""A match looked back upon: year by year as its seat's old reports told it or, when it has ended,
turn by turn as it was, with everything open (rules 7.4)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from adjudicator.core.lookback import History, PastMoment, Step, look_back
from adjudicator.core.message import Words
from adjudicator.core.record import Refused, transcript_of
from adjudicator.core.report import Report
from adjudicator.games.spies.page.news import group_by_turn, lines
from adjudicator.games.spies.record import Ply, retell
from adjudicator.games.spies.rules.apply import apply
from adjudicator.games.spies.rules.atlas import City, Code, atlas
from adjudicator.games.spies.rules.events import AnyEvent, Turned
from adjudicator.games.spies.rules.state import Secret, Spy, State
from adjudicator.games.spies.sight.sightings import News, SawGo, SawSearch, SawTurn
from adjudicator.games.spies.sight.view import SeenPolice, SeenSecret, SeenSpy, View
from adjudicator.games.spies.sight.witness import unveil

STEPPING = ("shared/history.js", "spies/history.js")  # the scripts that step through it

Position = dict[str, str]  # spies, secrets and, behind @, cities with police


class OldReport(Struct, frozen=True, kw_only=True):
    """The part of its seat's old report that a page needs; nothing else of it is read."""

    placed: bool
    spies: tuple[SeenSpy, ...]
    secrets: tuple[SeenSecret, ...]
    police: tuple[SeenPolice, ...]
    news: tuple[News, ...]


def history(
    report: Report[View, News], past: Sequence[OldReport], words: Words, room: int | None = None
) -> History | None:
    """Make the rows of a page that looks back, as many as have room; None if nothing has happened
    yet."""
    moments = _retold(report.record, words) if report.record else _told(report, past, words)
    return look_back(
        History,
        list(moments),
        _changes,
        room,
        nothing={},
        whole=bool(report.record) or len(past) >= report.ply,
        file=f"{report.match}.spies",
    )


def _changes(before: Position, moment: PastMoment[Position]) -> str:
    """Write what stands elsewhere than before, as `G-A,G-B=PRA`, with what it carries, as
    `G-C=PRA+N4`, and the ways, as `>G BER PRA`."""
    now = moment.position
    moved: dict[str, list[str]] = {}
    for what, where in now.items():
        if before.get(what) != where:
            moved.setdefault(where, []).append(what)
    if gone := [what for what in before if what not in now]:
        moved[""] = gone
    return ";".join((*(f"{','.join(all_)}={where}" for where, all_ in moved.items()), *moment.ways))


def _told(
    report: Report[View, News], past: Sequence[OldReport], words: Words
) -> Iterator[PastMoment[Position]]:
    """Yield a moment for each report, with those of its news that no report before it had: a seat
    that was silent is told again what it missed."""
    met: set[str] = set()
    for old in (*past, _as_old(report)):
        if not old.placed:
            continue
        parts = [
            (words(heading), entries)
            for heading, entries in group_by_turn(old.news)
            if words(heading) not in met
        ]
        met |= {heading for heading, _ in parts}
        if parts:
            years = sorted({heading.rsplit(" ", 1)[-1] for heading, _ in parts})
            entries = [entry for _, part in parts for entry in part]
            ways = tuple(dict.fromkeys(_ways(entries)))
            steps = () if report.template else tuple(_steps(parts, words))
            yield PastMoment(f"year-{years[0]}", ", ".join(years), _seen(old), ways, steps)


def _steps(parts: Iterable[tuple[str, Sequence[News]]], words: Words) -> Iterator[Step]:
    """Yield what happened under each heading. Beside a composer there is no room for it; the words
    of the newest stand in the page as its news."""
    for heading, entries in parts:
        if told := _in_one(entries, words):
            yield heading, "moved", told


def _in_one(news: Sequence[News], words: Words) -> str:
    return ". ".join(line.rstrip(".") for line in lines(news, words))


def _as_old(report: Report[View, News]) -> OldReport:
    view = report.view
    return OldReport(
        placed=view.placed,
        spies=view.spies,
        secrets=view.secrets,
        police=view.police,
        news=report.news,
    )


def _seen(old: OldReport) -> Position:
    spies = {spy.spy: spy for spy in old.spies}
    secrets = {secret.secret: secret for secret in old.secrets}
    return _position(spies, secrets, {police.city: police.pieces for police in old.police})


def _position(
    spies: Mapping[Code, SeenSpy | Spy],
    secrets: Mapping[Code, SeenSecret | Secret],
    police: Mapping[City, int],
) -> Position:
    at = {
        code: spy.city + (f"+{_short(spy.carries)}" if spy.carries else "")
        for code, spy in spies.items()
        if spy.city
    }
    lying = {code: one.city for code, one in secrets.items() if one.city and not one.spy}
    return {**at, **lying, **{f"@{city}": str(n) for city, n in police.items() if n}}


def _short(code: str) -> str:
    return code.replace("-", "")


def _ways(news: Sequence[News]) -> Iterator[str]:
    for entry in news:
        match entry:
            case SawGo():
                yield f">{entry.spy[0]} {entry.start} {entry.to}"
            case SawSearch(to=str(to)):
                yield f">{entry.spy[0]} {entry.city} {to}"


def _retold(record: str, words: Words) -> Iterator[PastMoment[Position]]:
    """Yield every power's turn from the record, and tell all that anybody was told of it."""
    for ply in _played(record):
        state = ply.before
        turn: list[AnyEvent] = []
        for event in ply.events:
            if isinstance(event, Turned) and turn:
                yield from _moment(turn, state, words)
                turn = []
            turn.append(event)
            state = apply(state, event)
        yield from _moment(turn, state, words)


@lru_cache(maxsize=1)
def _played(record: str) -> tuple[Ply, ...]:
    """Play a match again from its record. All its seats look back on the same one, for at the end
    everything is open to all."""
    found = transcript_of(record)
    if found is None:
        return ()
    # A record of the program's own is never refused.
    return tuple(ply for ply in retell(found) if not isinstance(ply, Refused))


def _moment(turn: Sequence[AnyEvent], state: State, words: Words) -> Iterator[PastMoment[Position]]:
    news = [entry for event in turn if (entry := unveil(event))]
    year = next((str(entry.year) for entry in news if isinstance(entry, SawTurn)), "")
    for heading, entries in group_by_turn(news)[:1]:
        told = _in_one(entries, words)
        steps = (("", "moved", told),) if told else ()
        yield PastMoment(
            f"year-{year}", words(heading), _standing(state), tuple(_ways(entries)), steps
        )


def _standing(state: State) -> Position:
    standing = Counter(piece.city for piece in state.police.values())
    police = {city: standing[city] for city in atlas().cities}
    return _position(state.spies, state.secrets, police)
