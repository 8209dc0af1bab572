"""Make what is in examples/ with the program: answers to the order files, and the match in
`match/`.

This is done for every game, the match from its sheets: what they are stands in
`tests/games/<game>/samples.py`. Nothing here is left to chance or to the
clock. `python -m pytest tests/test_examples.py --bless` writes all of it anew.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path

from adjudicator.core.message import tell
from adjudicator.games import GAMES
from adjudicator.mail.read.charset import decode_text
from tests.club import Club, Context, NewMatch, Store, receipt_as_text, show
from tests.games.samples import Example, Opened

MEANS = Context(committer=lambda: "5a17" * 16)
START = datetime(2026, 10, 2, 8, tzinfo=UTC)
BETWEEN = timedelta(hours=7)

Files = dict[str, str]
ALL: Sequence[Example] = [import_module(f"tests.games.{game}.samples").EXAMPLE for game in GAMES]


def add_players(store: Store) -> None:
    for name, language, zone in (
        ("Anna", "en", "Europe/London"),
        ("Björn", "sv", "Europe/Stockholm"),
    ):
        Club(store).add_player(
            name,
            f"{name.lower().replace('ö', 'o')}@example.org",
            language=language,
            zone=zone,
            confirmed=True,
            now=START,
            sends_mail=False,
        )


def create(store: Store, of: Example, match: Opened) -> None:
    wanted = NewMatch(
        game=of.game,
        variant=match.variant,
        name=match.name,
        seats=match.seats,
        options=match.options,
        seed=of.seed,
        fresh_seed=b"",
    )
    Club(store, MEANS).create(wanted, now=START)


def hand_in(store: Store, path: Path, now: datetime) -> str:
    """Return the receipts of an order file, as `adjud submit` prints them."""
    text = decode_text(path.read_bytes())
    found = Club(store).submit(text, now=now)
    return "".join(receipt_as_text(receipt, tell) + "\n" for receipt in found)


def answers(store: Store, of: Example) -> Files:
    """Return what `adjud check` says to each order file."""
    add_players(store)
    for match in of.asked:
        create(store, of, match)
    for sheet in of.sent:
        (receipt,) = Club(store).submit(sheet, now=START)
        assert receipt.accepted, receipt.problems
    Club(store, MEANS).run_due(now=START)
    return {f"{path.stem}.answer.txt": check(store, path) for path in order_files(of)}


def order_files(of: Example) -> list[Path]:
    return sorted(path for path in of.folder.glob("*.txt") if not path.stem.endswith(".answer"))


def check(store: Store, path: Path) -> str:
    text = decode_text(path.read_bytes())
    found = Club(store).check(text, now=START)
    return "".join(receipt_as_text(receipt, tell) + "\n" for receipt in found)


def match(store: Store, of: Example) -> Files:
    """Return the files of `match/`, without its sheets.

    They are a receipt for each sheet, each seat's report after each adjudication, the last reports
    as pages, and the record.
    """
    name = of.played.name
    add_players(store)
    create(store, of, of.played)
    made = dict(_reports(store, name, START))
    now = START
    for path in sheets(of):
        now += BETWEEN
        made[f"receipts/{path.name}"] = hand_in(store, path, now)
        if not Club(store, MEANS).run_due(now=now):
            continue
        if more := of.extended.get(path.name):
            reason = "White is on a journey."
            Club(store, MEANS).extend(name, more, reason=reason, now=now)
        made |= _reports(store, name, now)
    for report in Club(store).newest_reports(name, now=now):
        last = f"reports/{report.report.seat}-final"
        made[f"{last}.html"] = show(report, "html") + "\n"
        made[f"{last}.json"] = show(report, "json") + "\n"
    made[of.record.name] = Club(store).export(name)
    return made


def sheets(of: Example) -> list[Path]:
    """Return the sheets in the order in which they came: by number, then in the order of the
    seats."""
    seats = GAMES[of.game].seats

    def came(path: Path) -> tuple[str, int, str]:
        number, seat = path.stem.split("-")[:2]
        return number, [str(one) for one in seats].index(seat), path.name

    return sorted((of.folder / "match" / "sheets").glob("*.txt"), key=came)


def _reports(store: Store, name: str, now: datetime) -> Iterator[tuple[str, str]]:
    for report in Club(store).newest_reports(name, now=now):
        file = f"reports/{report.report.ply:02}-turn-{report.report.turn}-{report.report.seat}.txt"
        yield file, show(report, "text") + "\n"
        Club(store).note_delivery(report, now=now)
