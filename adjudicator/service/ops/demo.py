"""Play a whole match between built-in players, as a real one is played: sheets in, ticks, reports
out.
"""

from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from datetime import datetime, timedelta
from pathlib import Path

from msgspec import Struct

from adjudicator.core.game import AnyGame
from adjudicator.core.lookback import History
from adjudicator.core.match import Seat
from adjudicator.core.message import say
from adjudicator.core.report import AnyReport
from adjudicator.reports.club import Contents, View, contents
from adjudicator.reports.words import moment_in_words, words
from adjudicator.service.base import files
from adjudicator.service.base.context import Context, OpenClub, Refusal
from adjudicator.service.base.loaded_match import game_of, load
from adjudicator.service.club import people
from adjudicator.service.matches import creation, sheet_storing
from adjudicator.service.matches.adjudication import orders_of, remembered_events
from adjudicator.service.matches.overview import export
from adjudicator.service.matches.sheet_parsing import Source
from adjudicator.service.ops import tick
from adjudicator.service.outbound.writing import club_lines
from adjudicator.service.reports import printing
from adjudicator.store.database import Store, open_store
from adjudicator.store.schema import create

MATCH = "demo"
SEED = (7).to_bytes(32)  # of the match that a demo shows
SEEDS: Mapping[str, bytes] = {"espionage": (2).to_bytes(32)}  # 29 turns


class DemoMatch(Struct, frozen=True):
    """Tell what a demo leaves behind."""

    folder: Path
    turns: int
    result: str


def play(
    slug: str,
    folder: Path,
    *,
    variant: str | None,
    seed: bytes | None,
    now: datetime,
    progress: Callable[[int], None],
    zone: str = "UTC",
) -> DemoMatch:
    """Play a match in a new folder, one ply for each minute of the two hours up to `now`.

    Its pages show times in `zone`. Without a seed it is the same match each time. `progress` is
    called with the number of plies so far. If the match cannot be played to its end, nothing is
    left of it.
    """
    game = game_of(slug)
    seed = seed or SEEDS.get(slug, SEED)
    is_new = not folder.exists()
    if not is_new and any(folder.iterdir()):
        raise Refusal(say("{path} is not empty; choose another --folder", path=str(folder)))
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as undo:
        if is_new:
            undo.callback(_remove_if_empty, folder)
        with files.folder_aside(folder) as unfinished:
            begun = now - timedelta(hours=2)
            turns, result = _play(game, unfinished, variant, seed, begun, progress, zone)
            for made in sorted(unfinished.iterdir()):
                made.rename(folder / made.name)
        undo.pop_all()
    return DemoMatch(folder, turns, result)


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):  # somebody has put something there
        folder.rmdir()


def _play(
    game: AnyGame,
    folder: Path,
    variant: str | None,
    seed: bytes,
    now: datetime,
    progress: Callable[[int], None],
    zone: str,
) -> tuple[int, str]:
    """Return the number of turns and the result."""
    url = f"sqlite:///{folder / 'adjud.db'}"
    create(url)
    store = open_store(url)
    try:
        _open(store, game, variant, seed, now, zone)
        plies = 0
        while _ply(store, game, folder, now + timedelta(minutes=plies)):
            plies += 1
            progress(plies)
        return _leave(store, game, folder, now + timedelta(minutes=plies), zone)
    finally:
        store.close()


def _player(game: AnyGame, seat: Seat) -> str:
    return f"Player {game.seats.index(seat) + 1}"


def _seats(game: AnyGame, variant: str | None) -> tuple[Seat, ...]:
    """Return as many seats as can play."""
    seating = game.seating(variant or game.variants[0], "")
    return seating[max(seating)] if seating else game.seats


def _open(
    store: Store, game: AnyGame, variant: str | None, seed: bytes, now: datetime, zone: str
) -> None:
    seats = _seats(game, variant)
    for seat in seats:
        people.add(
            store,
            _player(game, seat),
            f"{seat}@example.org",
            language="en",
            zone=zone,
            confirmed=True,
            now=now,
            sends_mail=False,
        )
    wanted = creation.NewMatch(
        game=game.slug,
        variant=variant,
        name=MATCH,
        seats=[f"{seat}={_player(game, seat)}" for seat in seats],
        options=[],
        seed=None,
        fresh_seed=seed,
    )
    creation.create(OpenClub(store, now, Context()), wanted)


def _ply(store: Store, game: AnyGame, folder: Path, now: datetime) -> bool:
    """Write the report of each awaited seat, then its sheet; hand it in and tick.

    Return False if the match is over.
    """
    with store.reading() as tx:
        loaded = load(tx, MATCH)
        log = remembered_events(tx, loaded)
    for seat in loaded.awaited:
        _write(folder, printing.live(store, MATCH, seat, now=now), now)
        head = f"ORDERS {MATCH} {seat} turn {loaded.match.turn}"
        sheet = "\n".join((head, *orders_of(loaded, seat, "computer", log), "END", ""))
        name = f"{MATCH}-{seat}-{loaded.match.turn:03}.txt"
        files.write_private(folder / "orders" / name, sheet)
        _hand_in(store, sheet, now)
    return bool(list(tick.run_due(OpenClub(store, now, Context()))))


def _hand_in(store: Store, sheet: str, now: datetime) -> None:
    for receipt in sheet_storing.submit(store, sheet, Source(), now=now):
        if not receipt.accepted:
            raise RuntimeError("a built-in player wrote a sheet that is refused")


def _write(folder: Path, printable: printing.Printable, now: datetime) -> None:
    told = printable.report
    name = f"{told.seat}-{told.turn:03}"
    for form, suffix in (("text", "txt"), ("html", "html")):
        _keep(folder, f"{name}.{suffix}", printable, form)
    _keep_value(folder, name, printable, now)


def _turns_written(folder: Path, seat: str) -> list[str]:
    """Return the turns of which the seat's report was written, as they are in the file names."""
    numbered = (folder / "reports").glob(f"{seat}-[0-9]*.html")
    return sorted(path.stem.removeprefix(f"{seat}-") for path in numbered)


def _leave(store: Store, game: AnyGame, folder: Path, now: datetime, zone: str) -> tuple[int, str]:
    last = printing.newest(store, MATCH, now=now)
    for printable in last:
        for form, suffix in printing.SUFFIXES.items():
            _keep(folder, f"{printable.report.seat}-final.{suffix}", printable, form)
        _keep_value(folder, f"{printable.report.seat}-final", printable, now)
    record = f"{MATCH}.{game.record.suffix}"
    files.write_private(folder / record, export(store, MATCH))
    report = last[0].report
    assert report.result is not None
    sentence = game.page.rows(report, words("en", game.slug)).result or report.result.reason
    said = Contents(
        title=f"{game.title}: {MATCH}",
        made=moment_in_words(now.isoformat(), "en", zone),
        result=sentence,
        turns=report.turn,
        record=record,
        views=[
            *(
                _with_its_eyes(store, game, folder, seen, now)
                for seen in printing.reports_of_all_seats(store, MATCH, now=now)
            ),
            _all_open(game, folder, last[0]),
        ],
        moments=_moments(game, last[0]),
        commands=_commands(game, report),
        seats=[
            (str(game.seat_titles[seat]), seat, _turns_written(folder, seat))
            for seat in (printable.report.seat for printable in last)
        ],
    )
    files.write_private(folder / "index.html", contents(said))
    return report.turn, sentence


def _keep(folder: Path, name: str, printable: printing.Printable, form: str) -> str:
    """Write a report in one form and return its place in the folder."""
    place = f"reports/{name}"
    files.write_private(folder / place, printing.render(printable, form))
    return place


def _keep_value(folder: Path, name: str, printable: printing.Printable, now: datetime) -> None:
    """Write what an email with the report would say, which an audit compares."""
    value = printing.as_value(printable, club_lines(Context()), now)
    files.write_private(folder / "reports" / f"{name}.adjud.json", value)


def _with_its_eyes(
    store: Store, game: AnyGame, folder: Path, seen: printing.Printable, now: datetime
) -> View:
    """Write the page that plays the match as a seat saw it, and the board at half of it."""
    seat, half = seen.report.seat, (seen.report.turn + 1) // 2
    then = printing.sent_report(store, MATCH, seat, half, now=now)
    return View(
        title=f"with {game.seat_titles[seat]}'s eyes",
        page=_from_its_beginning(game, seen, _keep(folder, f"{seat}-eyes.html", seen, "html")),
        picture=_keep(folder, f"{seat}-eyes.svg", then, "svg"),
    )


def _all_open(game: AnyGame, folder: Path, last: printing.Printable) -> View:
    page = f"reports/{last.report.seat}-final.html"
    return View(
        title="with everything open",
        page=_from_its_beginning(game, last, page),
        picture=_keep(folder, "open.svg", last, "svg"),
    )


def _history(game: AnyGame, printable: printing.Printable) -> History | None:
    return game.page.back(printable.report, words("en", game.slug), printable.past, None)


def _from_its_beginning(game: AnyGame, printable: printing.Printable, page: str) -> str:
    """Return a link to the first moment that a page has, if it has any."""
    back = _history(game, printable)
    return f"{page}#{back.moments[0].place}" if back else page


def _moments(game: AnyGame, last: printing.Printable) -> list[tuple[str, str, str]]:
    """Return the turning points with everything open, as (link, moment, what happened).

    A game that knows none has its turns instead, with nothing told of them.
    """
    back = _history(game, last)
    if back is None:
        return []
    points = [point for point in back.points if point[0]] or [
        (row.place, row.place.replace("-", " ").capitalize(), "")
        for row in back.moments
        if row.place.count("-") == 1  # the first moment of the turn
    ]
    page = f"reports/{last.report.seat}-final.html"
    return [(f"{page}#{place}", label, told) for place, label, told in points]


def _commands(game: AnyGame, report: AnyReport) -> list[str]:
    """Return the command lines that begin such a match against built-in players."""
    first, *others = report.players
    seats = " ".join((f"--seat {first}=Anna", *(f"--seat {seat}=computer" for seat in others)))
    return [
        "adjud init club && cd club",
        "adjud player add Anna anna@example.org --confirmed",
        f"adjud new {game.slug} --variant {report.variant} {seats}",
    ]
