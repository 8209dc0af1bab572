"""Text files as Windows and older programs write them are read everywhere, whatever they hold."""

import codecs
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.program import SEED, Adjud

ROOT = Path(__file__).parents[2]
SHEET = "ORDERS espionage-1 white turn 1\r\nd3-d4  # à la carte\r\nf3-f4\r\nEND\r\n"
WAYS: dict[str, Callable[[str], bytes]] = {
    "UTF-8": lambda text: text.encode(),
    "UTF-8 with a mark (Notepad)": lambda text: codecs.BOM_UTF8 + text.encode(),
    "UTF-16 with a mark (PowerShell)": lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
    "UTF-16, big end first": lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
    "UTF-16 without a mark": lambda text: text.encode("utf-16-le"),
    "UTF-16, big end first, without a mark": lambda text: text.encode("utf-16-be"),
    "UTF-16 of which an octet is missing": lambda text: text.encode("utf-16")[:-1],
    "cp1252": lambda text: text.encode("cp1252", "replace"),
}
each_way = pytest.mark.parametrize("written", WAYS.values(), ids=WAYS)


@each_way
@pytest.mark.parametrize("by_name", [True, False])
@pytest.mark.parametrize("command", ["check", "submit"])
def test_orders_are_read(
    playing: Adjud, written: Callable[[str], bytes], by_name: bool, command: str
) -> None:
    raw = written(SHEET)
    name = playing.write("orders.txt", raw) if by_name else "-"
    out = playing.does(command, name, stdin=b"" if by_name else raw)
    assert "accepted" in out
    assert "d3-d4" in out


@each_way
@pytest.mark.parametrize("by_name", [True, False])
def test_a_record_is_replayed(adjud: Adjud, written: Callable[[str], bytes], by_name: bool) -> None:
    record = (ROOT / "examples/espionage/match/garden.esp").read_text("utf-8")
    record = record.replace('[White "', '[White "Ågot ')
    told = adjud.does("record", "replay", "-", stdin=record.encode())
    raw = written(record.replace("\n", "\r\n"))
    name = adjud.write("garden.esp", raw) if by_name else "-"
    assert adjud.does("record", "replay", name, stdin=b"" if by_name else raw) == told


@each_way
def test_a_long_record_is_replayed_whatever_stands_far_below(
    adjud: Adjud, written: Callable[[str], bytes]
) -> None:
    record = (ROOT / "examples/espionage/match/garden.esp").read_text("utf-8")
    games = "\n".join([record] * 20 + [record.replace('[White "', '[White "Ågot ')])
    name = adjud.write("games.esp", written(games))
    assert len(adjud.does("record", "replay", name).splitlines()) == 21


@each_way
@pytest.mark.parametrize("form", ["html", "json", "txt"])
def test_a_report_is_checked(adjud: Adjud, written: Callable[[str], bytes], form: str) -> None:
    """PowerShell writes so what `adjud report … > file` prints."""
    reports = ROOT / "examples/espionage/match/reports"
    path = reports / ("16-turn-8-white.txt" if form == "txt" else f"white-final.{form}")
    assert path.exists()
    told = adjud.does("audit", adjud.write(f"plain.{form}", path.read_bytes()))
    raw = written(path.read_text("utf-8").replace("\n", "\r\n"))
    assert adjud.does("audit", adjud.write(f"wide.{form}", raw)) == told


@each_way
def test_a_board_of_ones_own_is_read(club: Adjud, written: Callable[[str], bytes]) -> None:
    board = (ROOT / "adjudicator/games/spion/rules/boards/quick.json").read_text("utf-8")
    name = club.write("board.json", written(board))
    seats = ("--seat", "blue=Anna", "--seat", "yellow=Bob", "--seed", SEED)
    assert club.does("new", "spion", "--board", name, *seats) == "spion-1\n"


@each_way
def test_a_password_is_read(tmp_path: Path, written: Callable[[str], bytes]) -> None:
    from tests.club import password_in

    path = tmp_path / "password"
    path.write_bytes(written("secret-1234\r\n"))
    assert password_in(path, "mail.password_file") == "secret-1234"
