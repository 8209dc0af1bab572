"""`adjud report --format value` prints what an email with the report would say, for those who get
files and no emails."""

import json
from pathlib import Path

from tests import values
from tests.program import Adjud

LATER = "2026-11-21 13:00:00"


def saved(club: Adjud, name: str, *words: str, at: str = LATER) -> str:
    said = club.does("report", "espionage-1", "white", "--format", "value", *words, at=at)
    return club.write(name, said)


def test_adjud_write_writes_the_email_that_has_the_report(playing: Adjud) -> None:
    file = saved(playing, "white.adjud.json")
    told = json.loads(playing.does("report", "espionage-1", "white", "--format", "json", at=LATER))
    value = values.read(Path(file).read_bytes())
    assert (value.n, value.kind, value.at) == (None, "report", "2026-11-21T13:00:00Z")
    assert value.report is not None
    assert {key: value.report[key] for key in ("ply", "pieces", "log", "template")} == {
        key: told[key] for key in ("ply", "pieces", "log", "template")
    }
    shown = playing.does("report", "espionage-1", "white", at=LATER)
    text = playing.does("write", file, "--form", "text")
    board = shown.partition("The board\n")[2].partition("\n\n")[0]
    assert board
    assert board in text
    assert text.startswith(shown.partition("\n")[0])
    assert "[espionage-1]" in playing.does("write", file, "--form", "subject")
    assert "<table" in playing.does("write", file, "--form", "html")
    page = playing.does("write", file, "--form", "page")
    assert f'id="adjud-value">{Path(file).read_text("utf-8")}</script>' in page


def test_an_audit_of_such_files_agrees(playing: Adjud) -> None:
    folder = playing.folder / "papers"
    folder.mkdir()
    saved(playing, "papers/first.adjud.json")
    playing.does("gm", "say", "espionage-1", "It snows.", at="2026-11-21 14:00:00")
    saved(playing, "papers/second.adjud.json", at="2026-11-21 15:00:00")
    playing.does("gm", "cancel", "espionage-1", "--reason", "x", at="2026-11-21 16:00:00")
    saved(playing, "papers/older.adjud.json", "--turn", "1", at="2026-11-21 17:00:00")
    saved(playing, "papers/last.adjud.json", at="2026-11-21 18:00:00")
    answer = playing("audit", str(folder))
    assert (answer.code, answer.err) == (0, ""), answer
    assert "replayed by the rules" in answer.out
    told = (playing.folder / "papers" / "second.adjud.json").read_text("utf-8")
    (playing.folder / "papers" / "second.adjud.json").write_text(
        told.replace("It snows.", "It rains."), "utf-8"
    )
    assert playing("audit", str(folder)).code == 1
