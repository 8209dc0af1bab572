"""The same sort of mistake ends every command with the same exit code."""

import pytest

from tests.program import Adjud

# What the disk does not have, or has otherwise: refused with 1, and never taken for bad usage.
ON_DISK = {
    "a missing file": [
        "submit gone", "check gone", "record replay gone", "audit gone", "drill gone",
        "backup --restore --key-only gone", "--config gone status",
    ],
    "a folder where a file is meant": [
        "submit folder", "check folder", "record replay folder", "drill folder", "backup folder",
        "backup --restore folder", "match archive m folder", "--config folder status",
    ],
    "a file where a folder is meant": [
        "demo --folder file", "tick --folder file", "report m --all --folder file", "init file",
        "site build file", "metrics --folder file", "drill file --folder file",
        "db copy sqlite:///file/x.db",
    ],
    "a folder that is not there": [
        "backup gone/x.tar.gz", "drill file --folder gone", "metrics --folder gone",
        "db copy sqlite:///gone/x.db",
    ],
    "words of no known form": [
        "demo --seed zz", "new espionage --seat white=Anna --seat black=Bob --seed zz",
        "gm extend m soon", "gm deadline m soon", "report m red",
        "player set Anna --timezone Mars", "doctor --ignore zz",
    ],
}  # fmt: skip


@pytest.mark.parametrize("mistake", ON_DISK)
def test_what_cannot_be_found_or_followed_ends_with_1(setting_up: Adjud, mistake: str) -> None:
    setting_up.write("file", "x")
    (setting_up.folder / "folder").mkdir()
    before = setting_up.dump(), sorted(setting_up.folder.rglob("*"))
    for command in ON_DISK[mistake]:
        if "--config" in command:
            setting_up.env["ADJUD_CONFIG"] = None
        words = ["espionage-1" if word == "m" else word for word in command.split()]
        answer = setting_up(*words)
        assert (answer.code, answer.out) == (1, ""), (command, answer)
        assert answer.err.startswith("adjud: "), (command, answer)
    assert (setting_up.dump(), sorted(setting_up.folder.rglob("*"))) == before


def test_files_that_are_there_are_checked_beside_one_that_is_missing(setting_up: Adjud) -> None:
    page = setting_up.does("report", "espionage-1", "white", "--format", "html")
    setting_up.write("white.html", page)
    answer = setting_up("audit", "white.html", "gone.eml")
    assert answer.code == 1
    assert "espionage-1" in answer.out
    assert answer.err == "adjud: gone.eml cannot be read: No such file or directory\n"


@pytest.mark.parametrize("command", ["status --page x", "tick --folder", "gm hold m", "nothing"])
def test_what_is_written_wrongly_ends_with_2(club: Adjud, command: str) -> None:
    assert club(*command.split()).code == 2
