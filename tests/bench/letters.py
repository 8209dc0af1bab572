"""Letters: the pipe, a burst of them, and turns that are adjudicated, rendered and queued."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from adjudicator.mail.address import Key, MailDomain, seat_address
from adjudicator.mail.transport import spool
from adjudicator.service.base.context import Context
from adjudicator.service.base.loaded_match import load
from adjudicator.service.ops import tick
from adjudicator.service.outbound import rendering
from adjudicator.service.reports import building, printing
from adjudicator.store import outgoing, turns
from adjudicator.store.database import Store
from tests.bench.matches import begin, open_club, open_match, submit
from tests.bench.measuring import Row, beside, milliseconds, per_second, scaled, timed
from tests.rows import letters_in

POST = MailDomain(domain="play.example.org", keys=(Key(id="k1", secret=bytes(32)),))
PADDING = "x" * 3600  # makes a letter of 4 kB


def rows(scale: float) -> Iterator[Row]:
    with TemporaryDirectory() as made:
        yield from _pipe(Path(made), scaled(40, scale))
        yield from _burst(Path(made), scaled(1000, scale, least=4))
    with TemporaryDirectory() as made:
        yield from _reports(Path(made), scaled(300, scale, least=2))


def letter(match: str, seat: str) -> tuple[str, bytes]:
    """Return (recipient, 4 kB of letter)."""
    to = seat_address(POST, match, seat, 1)
    head = f"From: {'anna' if seat == 'white' else 'bob'}@example.org\nTo: {to}\n"
    body = f"ORDERS {match} {seat}\nSETUP RANDOM\nEND\n-- \n{PADDING}\n"
    return to, f"{head}Message-ID: <{match}.{seat}@example.org>\n\n{body}".encode()


def _pipe(folder: Path, rounds: int) -> Iterator[Row]:
    to, raw = letter("m", "white")
    env = {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "PATH": "/usr/bin:/bin"}
    env["PYTHONPATH"] = str(Path(__file__).parents[2])
    spool_option = ["--spool", str(folder / "pipe")]
    lines = ('operator = "gm@example.org" # of the club', "[mail]", f'spool = "{folder / "pipe"}"')
    (folder / "adjud.toml").write_text("\n".join(lines), "utf-8")
    config_option = ["--config", str(folder / "adjud.toml")]
    above = f"Return-Path: <a@x.org>\nDelivered-To: {to}\n".encode() + raw
    for name, options, envelope, given in (
        ("mail receive, a letter of 4 kB (python -c pass)", spool_option, ["a@x.org", to], raw),
        ("  with the spool that a configuration file names", config_option, ["a@x.org", to], raw),
        ("  and the envelope above the letter", config_option, [], above),
    ):
        receive = [sys.executable, "-m", "adjudicator", *options, "mail", "receive", *envelope]
        take = partial(subprocess.run, receive, env=env, input=given, check=True)
        take()  # modules are compiled once
        own, other, ratio = beside(take, rounds)
        yield Row(
            name=name, ours=milliseconds(own), theirs=milliseconds(other), ratio=ratio, most=8
        )


def _burst(folder: Path, number: int) -> Iterator[Row]:
    """Spool letters by four processes at once, one letter for each seat, and read them."""
    _, store = open_club(folder)
    with closing(store):
        matches = [f"m{n}" for n in range(number // 2)]
        for match in matches:
            open_match(store, match)
        shares = [[(m, str(folder / "spool")) for m in matches[n::4]] for n in range(4)]
        with ProcessPoolExecutor(4) as workers:
            spooling = timed(lambda: list(workers.map(_spool, shares)))
        context = Context(post=POST, spool=folder / "spool", sends_mail=True)
        now = datetime.now(UTC)
        reading = timed(lambda: list(tick.read_letters(store, now=now, context=context)))
        with store.reading() as tx:
            assert letters_in(tx) == {"accepted": 2 * len(matches)}
    n = 2 * len(matches)
    yield Row(name=f"{n:,} letters spooled by four processes", ours=per_second(n, spooling, ""))
    yield Row(
        name="  read, checked, stored and answered by one tick (200 a second)",
        ours=per_second(n, reading, "letters"),
        theirs="200 /s",
        ratio=n / reading / 200,
        least=1,
    )


def _spool(share: list[tuple[str, str]]) -> None:
    for match, folder in share:
        for seat in ("white", "black"):
            to, raw = letter(match, seat)
            spool.put(Path(folder), BytesIO(raw), sender="", recipient=to, channel="bench")


def _reports(folder: Path, number: int) -> Iterator[Row]:
    """Adjudicate White's first order of so many matches in one tick, and render both reports."""
    _, store = open_club(folder)
    with closing(store):
        names = [f"m{n}" for n in range(number)]
        for name in names:
            begin(store, name)
            submit(store, name)
        context = Context(post=POST, sends_mail=True)
        now = datetime.now(UTC) + timedelta(seconds=1)
        whole = timed(lambda: _tick_and_render(store, names, now, context))
        yield Row(
            name="turns adjudicated, rendered as text and HTML, queued (150 a second)",
            ours=per_second(number, whole, "turns"),
            theirs="150 /s",
            ratio=number / whole / 150,
            least=1,
        )
        with store.transaction() as tx:
            waiting = outgoing.take(tx, outgoing.due(tx, now)[-10:], now).values()
            made = timed(
                lambda: [rendering.write(tx, row, "anna@example.org", context) for row in waiting]
            )
        yield Row(name="  the bytes of one letter, with its picture", ours=milliseconds(made / 10))


def _tick_and_render(store: Store, names: list[str], now: datetime, context: Context) -> None:
    assert len(list(tick.run_due(store, now=now, context=context))) == len(names)
    with store.reading() as tx:
        for name in names:
            loaded = load(tx, name)
            for seat, holder in loaded.holders.items():
                stored = turns.report_of(tx, loaded.match.id, loaded.match.ply, seat)
                assert stored
                report = building.read(loaded.game, stored.body)
                printing.as_pages(report, holder, "text")
                printing.prints_of(report, holder, post=None, letter=printing.NOT_MAILED).page(())
