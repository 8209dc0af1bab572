"""What a monitoring system asks: numbers about the club, none of which depends on an open turn."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from adjudicator import SCHEMA, __version__
from adjudicator.core.message import say
from adjudicator.service.base import files
from adjudicator.service.base.context import BREAKDOWNS, Paths, Refusal, saved_mark
from adjudicator.service.ops.doctor import records, table
from adjudicator.service.ops.doctor.checking import Installation
from adjudicator.store import clubs, happenings, listings, offers, tournaments, upkeep
from adjudicator.store.database import StoreTrouble, Tx

Labels = Mapping[str, str]


class Gauge(Struct, frozen=True):
    """A number with a name, once for each set of labels."""

    name: str
    about: str
    samples: Sequence[tuple[Labels, float]]


def measure(
    url: str, at: Paths, *, acknowledged: Collection[str] = (), now: datetime
) -> Iterator[Gauge]:
    """Return all numbers. What cannot be read is left out, and `adjud_up` is then 0.

    Faults are those of the doctor's checks that take no time and ask no server; acknowledged ones
    are none.
    """
    build = {"version": __version__, "schema": SCHEMA}
    yield Gauge("adjud_build", "The version of adjud and of its schema.", [(build, 1)])
    installation = Installation(url, at, now)
    try:
        with installation.store.reading() as tx:
            found = [*_of_database(tx, installation)]
    except (StoreTrouble, Refusal, *BREAKDOWNS):
        found = []
    finally:
        installation.close()
    yield _one("adjud_up", "Whether the club's database can be read.", bool(found))
    yield from found
    yield from _of_backup(at.key)
    faults = dict.fromkeys(sorted(table.QUICK), 0)
    for result in table.examine(url, at, now=now, only=table.QUICK, acknowledged=acknowledged):
        faults[result.name] += result.state == "bad"
    yield Gauge(
        "adjud_faults",
        "Faults that adjud doctor finds, by its checks, without those that were acknowledged.",
        [({"check": name}, n) for name, n in faults.items()],
    )


def _one(name: str, about: str, value: float) -> Gauge:
    return Gauge(name, about, [({}, value)])


def _of_database(tx: Tx, installation: Installation) -> Iterator[Gauge]:
    since = records.due_since(tx, installation.at, installation.now)
    age = (installation.now - min(since)).total_seconds() if since else 0
    yield _one(
        "adjud_due_match_age_seconds",
        "For how long the oldest match has been due for a tick, as all its players can know.",
        age,
    )
    yield Gauge(
        "adjud_matches",
        "Matches by their state.",
        [({"state": state}, n) for state, n in upkeep.matches_by_state(tx).items()],
    )
    yield Gauge(
        "adjud_tournaments",
        "Tournaments by their state.",
        [({"state": state}, n) for state, n in tournaments.by_state(tx).items()],
    )
    out = {**dict.fromkeys(("stuck", "bounced"), 0), **listings.outgoing_counts(tx)}
    came = {"stuck": 0, **listings.failed_emails(tx)}
    waiting = {"waiting": listings.number_waiting(tx)}
    yield Gauge(
        "adjud_emails",
        "Emails by their state, without those that would show who has sent orders.",
        [
            *(({"direction": "out", "state": state}, n) for state, n in (out | waiting).items()),
            *(({"direction": "in", "state": state}, n) for state, n in came.items()),
        ],
    )
    # Substitutes are looked for while a turn is open, and that tells who is silent.
    yield _one(
        "adjud_offers",
        "Offers to players that are open, without those to substitutes.",
        offers.number_open(tx),
    )
    events = happenings.count_waiting(tx)
    yield Gauge(
        "adjud_events",
        "Events that the hooks have not got: waiting, or given up.",
        [({"state": "waiting"}, events.waiting), ({"state": "given_up"}, events.given_up)],
    )
    due = listings.longest_due(tx)
    late = max((installation.now - due).total_seconds(), 0) if due else 0
    yield _one(
        "adjud_due_email_age_seconds",
        "For how long the oldest of the waiting emails should have been sent.",
        late,
    )
    last = clubs.last_tick(tx)
    if last is not None:
        yield _one(
            "adjud_last_tick_timestamp_seconds",
            "When a tick last looked at all matches; it is noted once an hour.",
            last.timestamp(),
        )


def _of_backup(key: Path) -> Iterator[Gauge]:
    try:
        saved = saved_mark(key).stat().st_mtime
    except OSError:
        return
    yield _one("adjud_last_backup_timestamp_seconds", "When the club was last backed up.", saved)


# As text: https://prometheus.io/docs/specs/om/open_metrics_spec/. Only gauges are used, so that
# node_exporter, which knows the older format, reads it, too.


def text(gauges: Sequence[Gauge]) -> str:
    """Write numbers as OpenMetrics."""
    lines = [line for gauge in gauges for line in _lines(gauge)]
    return "".join(f"{line}\n" for line in (*lines, "# EOF"))


def _lines(gauge: Gauge) -> Iterator[str]:
    yield f"# HELP {gauge.name} {gauge.about}"
    yield f"# TYPE {gauge.name} gauge"
    for labels, value in gauge.samples:
        named = ",".join(f'{name}="{_escape(of)}"' for name, of in labels.items())
        yield f"{gauge.name}{{{named}}} {value:.15g}" if named else f"{gauge.name} {value:.15g}"


def _escape(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


NAME = "adjud.prom"
_BEGINS = "# HELP adjud_build "


def write(folder: Path, gauges: Sequence[Gauge]) -> Path:
    """Write the text into a folder of node_exporter's, as a whole or not at all.

    Another user reads it. A file of that name that is not from here is not written over. Raises
    Refusal.
    """
    path = folder / NAME
    if not folder.is_dir():
        raise Refusal(say("there is no folder {path}", path=str(folder)))
    if not _is_ours(path):
        raise Refusal(say("{path} is not a file of adjud's; move it away first", path=str(path)))
    with files.aside(path) as unfinished:
        with files.durable(unfinished) as file:
            file.write(text(gauges).encode())
        unfinished.chmod(0o644)
        unfinished.replace(path)
    return path


def _is_ours(path: Path) -> bool:
    if path.is_symlink():
        return False
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(len(_BEGINS)) == _BEGINS
    except FileNotFoundError:
        return True
    except OSError:
        return False
