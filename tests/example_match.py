"""What stands in examples/espionage, made by the program: the answers to the order files and the
match in `match/`, from its sheets. Nothing here is left to chance or to the clock.

`python -m pytest tests/test_examples.py --bless` writes all of it anew.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from adjudicator.core.message import tell
from adjudicator.service import (
    creation,
    files,
    intake,
    pages,
    people,
    receipts,
    records,
    rulings,
    tick,
)
from adjudicator.service.means import Means
from adjudicator.store.database import Store

EXAMPLES = Path(__file__).parents[1] / "examples" / "espionage"
SHEETS = EXAMPLES / "match" / "sheets"

SEED = "e5" * 32
MEANS = Means(committer=lambda: "5a17" * 16)
START = datetime(2026, 10, 2, 8, tzinfo=UTC)
BETWEEN = timedelta(hours=7)

Files = dict[str, str]


def add_players(store: Store) -> None:
    for name, language, zone in (
        ("Anna", "en", "Europe/London"),
        ("Björn", "sv", "Europe/Stockholm"),
    ):
        people.add(
            store,
            name,
            f"{name.lower().replace('ö', 'o')}@example.org",
            language=language,
            zone=zone,
            confirmed=True,
            now=START,
            way_out=False,
        )


def create(store: Store, name: str, variant: str, *options: str) -> None:
    wanted = creation.Wanted(
        game="espionage",
        variant=variant,
        name=name,
        seats=["white=Anna", "black=Björn"],
        options=options,
        seed=SEED,
        fresh_seed=b"",
    )
    creation.create(store, wanted, now=START, means=MEANS)


def hand_in(store: Store, path: Path, now: datetime) -> str:
    """The receipts of an order file, as `adjud submit` prints them."""
    text = files.decoded(path.read_bytes())
    found = intake.submit(store, text, intake.Given(), now=now)
    return "".join(receipts.as_text(receipt, tell) + "\n" for receipt in found)


def answers(store: Store) -> Files:
    """What `adjud check` says to each order file: espionage-17 stands at turn 1, in espionage-18
    the armies are being placed."""
    add_players(store)
    create(store, "espionage-17", "standard")
    create(store, "espionage-18", "standard")
    for name in ("setup-white.txt", "setup-black.txt"):
        sheet = (EXAMPLES / name).read_text("utf-8").replace("espionage-18", "espionage-17")
        (receipt,) = intake.submit(store, sheet, intake.Given(), now=START)
        assert receipt.accepted, receipt.problems
    list(tick.tick(store, now=START, means=MEANS))
    return {f"{path.stem}.answer.txt": check(store, path) for path in order_files()}


def order_files() -> list[Path]:
    return sorted(path for path in EXAMPLES.glob("*.txt") if not path.stem.endswith(".answer"))


def check(store: Store, path: Path) -> str:
    text = files.decoded(path.read_bytes())
    found = intake.check(store, text, intake.Given(), now=START)
    return "".join(receipts.as_text(receipt, tell) + "\n" for receipt in found)


def match(store: Store) -> Files:
    """The files of `match/` but its sheets: a receipt for each sheet, each seat's report after
    each ply, the last reports as pages, and the record."""
    add_players(store)
    create(store, "garden", "small-fast", "deadline=every 5 days", "timezone=Europe/Stockholm")
    made = dict(_reports(store, START))
    now = START
    for path in sheets():
        now += BETWEEN
        made[f"receipts/{path.name}"] = hand_in(store, path, now)
        if not list(tick.tick(store, now=now, means=MEANS)):
            continue
        if path.name == "05-black.txt":
            reason, more = "Anna is on a journey.", timedelta(days=2)
            rulings.extend(store, "garden", more, reason=reason, now=now, means=MEANS)
        made |= _reports(store, now)
    for report in pages.newest(store, "garden", now=now):
        made[f"reports/{report.seat}-final.html"] = pages.printed(report, "html") + "\n"
        made[f"reports/{report.seat}-final.json"] = pages.printed(report, "json") + "\n"
    made["garden.esp"] = records.export(store, "garden")
    return made


def sheets() -> list[Path]:
    """In the order in which they came: a turn is White's, then Black's."""
    return sorted(
        SHEETS.glob("*.txt"), key=lambda path: (path.name[:2], "white" not in path.name, path.name)
    )


def _reports(store: Store, now: datetime) -> Iterator[tuple[str, str]]:
    for report in pages.newest(store, "garden", now=now):
        name = f"reports/ply-{report.body['ply']:02}-{report.seat}.txt"
        yield name, pages.printed(report, "text") + "\n"
