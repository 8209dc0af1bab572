import sys
from pathlib import Path

import pytest

from adjudicator.mail.write import compose
from adjudicator.mail.write.compose import png

FONT = Path(compose.__file__).parent / "fonts" / "board.ttf"
BOARD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"
 font-family="system-ui, sans-serif"><text x="4" y="30" font-size="24">{}</text></svg>"""


def test_the_same_board_is_the_same_picture() -> None:
    first = png(BOARD.format("S"), compose.WIDTH)
    assert first is not None
    assert first.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(first[16:20], "big") == compose.WIDTH
    assert png(BOARD.format("S"), compose.WIDTH) == first


def test_a_board_is_drawn_at_its_own_size_unless_another_is_wished() -> None:
    drawn = png(BOARD.format("S").replace("<svg ", '<svg width="40" '))
    assert drawn is not None
    assert int.from_bytes(drawn[16:20], "big") == 40


def test_letters_are_drawn_whatever_fonts_the_machine_has() -> None:
    pictures = {png(BOARD.format(email)) for email in "SÅØ?7♠→"}
    assert len(pictures) == 7
    assert png(BOARD.format("")) not in pictures


def test_a_drawing_that_would_open_a_file_is_not_drawn() -> None:
    with pytest.raises(ValueError, match="not ours"):
        png('<svg xmlns="http://www.w3.org/2000/svg"><image href="/etc/passwd"/></svg>')


def test_without_the_extra_there_is_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    assert png(BOARD) is None


def test_the_font_is_small_and_its_licence_lies_beside_it() -> None:
    assert FONT.stat().st_size < 45_000
    assert "Bitstream Vera" in FONT.with_name("LICENSE.txt").read_text("utf-8")
