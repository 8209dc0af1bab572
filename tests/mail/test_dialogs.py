"""Whole matches by mail, with each email in and out as a file that can be read.

They show other languages, a change of the clocks, and what goes wrong on the way: refused, parked,
confirmed, repeated and late emails, reminders, offers of a draw, a missed deadline. What a page
looks like is tested elsewhere: of HTML only a digest is kept here, of a picture its size. `--bless`
writes the emails anew.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from hashlib import sha256
from itertools import count
from pathlib import Path

import pytest
from msgspec import structs

from tests.clock import clock_at
from tests.club import Club, Store, computer_orders
from tests.service.mailclub import MailClub

DIALOGS = Path(__file__).parent / "dialogs"
MOST = 300_000
BEGIN = datetime(2026, 10, 23, 16, tzinfo=UTC)  # the clocks of Europe go back on the 25th
HOUR = timedelta(hours=1)


class Dialog:
    """A match by mail between Anna (White) and Bob (Black), as files: `name` to text."""

    def __init__(self, store: Store, folder: Path, language: str, *options: str) -> None:
        self.club = MailClub(store, folder)
        codes = (f"ADJ{n:03}" for n in count(222))
        self.club.context = structs.replace(
            self.club.context, coder=lambda: next(codes), pictures=True
        )
        self.now = BEGIN
        self.files: dict[str, str] = {}
        zone = {"nb": "Europe/Oslo", "sv": "Europe/Stockholm"}.get(language, "UTC")
        for name in ("Anna", "Bob"):
            Club(store).add_player(
                name,
                f"{name.lower()}@example.org",
                language=language,
                zone=zone,
                confirmed=True,
                now=BEGIN,
                sends_mail=False,
            )
        self.club.new("timezone=Europe/Oslo", *options, variant="small-fast", now=BEGIN)
        self.tick()

    def write(self, seat: str, *lines: str, late: timedelta = timedelta(), **more: str) -> None:
        """Receive an email, a minute after the last; `late` is how long it was on its way."""
        self.now += timedelta(minutes=1)
        dated = f"{self.now - late:%a, %d %b %Y %H:%M:%S +0000}"
        with clock_at(self.now):
            self.club.write(seat, *lines, at=self.now, Date=dated, **more)
        self._keep(f"in-{seat}", self.club.raws[-1])

    def again(self, seat: str) -> None:
        """Receive the last email a second time."""
        self.now += timedelta(minutes=1)
        raw = self.club.raws[-1]
        self.club.post(raw, self.club.address(seat), at=self.now)
        self._keep(f"in-{seat}-again", raw)

    def tick(self, later: timedelta = timedelta(minutes=1)) -> str:
        """Let time pass and do what is due; return the text of the last email sent."""
        self.now += later
        before = len(self.club.way.letters)
        with clock_at(self.now):
            self.club.run_tick(self.now)
        sent = self.club.way.letters[before:]
        for _, to, raw in sent:
            kind = message_from_bytes(raw)["X-Adjud"]
            self._keep(f"out-{to.partition('@')[0]}-{kind}", raw)
        return "\n".join(_texts(raw) for _, _, raw in sent)

    def confirm(self, seat: str, asked: str, word: str = "CONFIRM") -> str:
        code = asked.split(f"{word} ")[1].split()[0]
        self.write(seat, f"{word} {code}")
        return self.tick()

    def turn(self, head: str = "ORDERS", end: str = "END") -> str:
        """Send some legal orders for the seat whose turn it is."""
        loaded = self.club.loaded()
        seat = loaded.awaited[0]
        lines = computer_orders(loaded, seat, "computer:random")
        self.write(seat, f"{head} m {seat}", *lines, end)
        return self.tick()

    def _keep(self, name: str, raw: bytes) -> None:
        self.files[f"{len(self.files) + 1:03}-{name}.txt"] = _shown(raw)


def _texts(raw: bytes) -> str:
    body = message_from_bytes(raw, policy=policy.default).get_body(("plain",))
    return body.get_content().replace("\r\n", "\n") if body else ""


def _shown(raw: bytes) -> str:
    """Return an email for people: its head, its text parts decoded, and what its other parts
    are."""
    head = raw.replace(b"\r\n", b"\n").partition(b"\n\n")[0].decode("ascii")
    email = message_from_bytes(raw, policy=policy.default)
    return "\n".join([head, "", *_parts(email)]).rstrip("\n") + "\n"


def _parts(email: EmailMessage) -> Iterator[str]:
    for part in email.walk():
        content = part.get_payload(decode=True)
        if part.get_content_type() == "text/plain":
            yield part.get_content().replace("\r\n", "\n")
        elif part.get_content_type() == "image/png":
            width, height = (int.from_bytes(content[at : at + 4]) for at in (16, 20))
            yield f"[image/png, {width} x {height}]"
        elif isinstance(content, bytes):
            kind, name = part.get_content_type(), part.get_filename() or ""
            value = f" {name}" if name.endswith(".adjud.json") else ""
            digest = sha256(content.replace(bytes([13]), b"")).hexdigest()
            yield f"[{kind}{value}, sha256 {digest}]"


def set_up(dialog: Dialog, head: str, setup: str, end: str) -> None:
    dialog.write("white", f"{head} m white", setup, end)
    dialog.write("black", f"{head} m black", setup, end)
    dialog.tick()


def drawn_in_english(store: Store, folder: Path) -> Dialog:
    """Play a match that is drawn.

    There are refused, repeated and late emails, press, a reminder, and two offers of a draw, of
    which one is declined.
    """
    dialog = Dialog(store, folder, "en", "deadline=every 2 days")
    dialog.write("white", "Hello,", "ORDERS m white", "SETUP", "1S2X", "END")
    dialog.tick()
    dialog.write("white", "ORDERS m white", "SETUP RANDOM", "END", "-- ", "Anna")
    dialog.tick()
    dialog.again("white")
    dialog.tick()
    dialog.write("white", "ORDERS m white", "SETUP RANDOM", "END", late=3 * HOUR)
    dialog.confirm("white", dialog.tick())
    dialog.tick(41 * HOUR)  # Bob is reminded
    dialog.write("black", "SETUP RANDOM", "", "PRESS TO white", "Good luck!", "END", "ENDPRESS")
    dialog.tick()
    dialog.write("white", "DRAW")
    dialog.tick()
    for _ in range(2):
        dialog.turn()
    dialog.write("white", "DRAW")
    dialog.write("black", "HELP", "DRAW")
    dialog.tick()
    return dialog


def resigned_in_norwegian(store: Store, folder: Path) -> Dialog:
    """Play a match over the end of summer time that ends by resignation.

    There are an email from elsewhere, one after the deadline, and commands; the resignation is
    confirmed.
    """
    dialog = Dialog(store, folder, "nb", "deadline=every 3 days")
    dialog.write(
        "black", "ORDRE m black", "OPPSTILLING TILFELDIG", "SLUTT", sender="bob@work.example"
    )
    dialog.confirm("black", dialog.tick(), "BEKREFT")
    set_up(dialog, "ORDRE", "SETUP RANDOM", "SLUTT")
    dialog.turn("ORDRE", "SLUTT")
    dialog.write("black", "IKKE KLAR", "STATUS", "MAL")
    dialog.tick()
    loaded = dialog.club.loaded()
    lines = computer_orders(loaded, loaded.awaited[0], "computer:random")
    dialog.write("black", "ORDRE m black", *lines, "SLUTT")
    dialog.tick()
    dialog.now += timedelta(days=3, hours=2)  # the day on which the clocks go back is longer
    dialog.write("black", "ORDRE m black", *lines, "SLUTT")
    dialog.tick()
    dialog.write("white", "GI OPP")
    dialog.confirm("white", dialog.tick(), "BEKREFT")
    return dialog


def forfeited_in_swedish(store: Store, folder: Path) -> Dialog:
    """Play a match in which every sheet is confirmed; a player is reminded, silent, and then
    forfeited."""
    options = ("deadline=Tue,Fri 18:00", "level=confirm", "absence=forfeit", "grace=6 hours")
    dialog = Dialog(store, folder, "sv", *options)
    for seat in ("white", "black"):
        dialog.write(seat, f"ORDER m {seat}", "SETUP RANDOM", "SLUT")
        dialog.confirm(seat, dialog.tick(), "BEKRÄFTA")
    dialog.confirm("white", dialog.turn("ORDER", "SLUT"), "BEKRÄFTA")
    dialog.write("black", "STATUS", "RAPPORT", "ZON Europe/Helsinki")
    dialog.tick()
    for _ in range(60):
        if dialog.club.loaded().match.status == "over":
            break
        dialog.tick(3 * HOUR)
    return dialog


PLAYED: list[Callable[[Store, Path], Dialog]] = [
    drawn_in_english,
    resigned_in_norwegian,
    forfeited_in_swedish,
]


@pytest.mark.slow
@pytest.mark.parametrize("play", PLAYED, ids=lambda play: play.__name__)
def test_a_match_by_mail_is_told_email_by_email_as_before(
    play: Callable[[Store, Path], Dialog], store: Store, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    dialog = play(store, tmp_path / "spool")
    assert dialog.club.loaded().match.status == "over"
    folder = DIALOGS / play.__name__
    if pytestconfig.getoption("--bless"):
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.txt"):
            old.unlink()
        for name, text in dialog.files.items():
            (folder / name).write_bytes(text.encode())
    kept = {path.name: path.read_bytes().decode() for path in sorted(folder.glob("*.txt"))}
    assert list(dialog.files) == list(kept)
    for name, text in dialog.files.items():
        assert text == kept[name], f"{name} changed; read it, then run again with --bless"
    assert sum(len(text.encode()) for text in kept.values()) < MOST
