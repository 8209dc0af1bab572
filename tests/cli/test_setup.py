"""`adjud setup`: questions or options, a file that was not there, the mail server's lines."""

import getpass
import os
import re
from importlib import import_module
from pathlib import Path

import pytest

from adjudicator import config, resources
from adjudicator.cli import master
from adjudicator.config.page import sample
from adjudicator.core import beacon
from adjudicator.core.beacon import NoLibrary
from tests.core.test_beacon import PUBLISHED
from tests.inside import setting_up
from tests.mail import mtas
from tests.program import Adjud, Answer

ME = getpass.getuser()
GREETED = "220 mx.example.org ESMTP Postfix (Debian/GNU)\r\n"
ANSWERS = {
    "club.name": 'The "Friday" Club',
    "club.game_master": "Åse",
    "operator": "gm@example.org",
    "club.contact": "",
    "timezone": "Europe/Oslo",
    "mail.domain": "play.example.net",
    "mail.out": "smtp://localhost:25",
    "folder": "/srv/club",
}


@pytest.fixture
def fresh(adjud: Adjud, monkeypatch: pytest.MonkeyPatch) -> Adjud:
    """Return a machine with a Postfix, and with nothing of ours."""
    monkeypatch.setattr(setting_up, "greeting", lambda: GREETED)
    monkeypatch.setattr(setting_up, "FETCH", "false {round}")
    adjud.env["ADJUD_DATABASE"] = None
    return adjud


def setup(adjud: Adjud, *words: str, stdin: str = "") -> Answer:
    given = ("--user", ME, "--no-services", "--folder", str(adjud.folder / "club"))
    return adjud("setup", *given, *words, stdin=stdin)


def test_a_machine_that_reaches_drand_is_told_how_it_becomes_the_default(
    fresh: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = f"echo {PUBLISHED[1000]} {{round}}"
    monkeypatch.setattr(setting_up, "FETCH", command)
    now = "2023-08-23 16:00:24"  # 20 rounds after number 1000
    given = ("setup", "--user", ME, "--no-services", "--folder", str(fresh.folder / "club"))
    told = fresh(*given, at=now)
    assert told.code == 0, told
    lines = f'    [club]\n    chance = "drand"\n\n    [chance]\n    command = "{command}"\n'
    assert told.out.endswith(lines)
    file = fresh.folder / "adjud.toml"
    commented = file.read_text()
    for line in ("chance", "command"):  # as the sentence says, below the names of the sections
        section = {"chance": "[club]", "command": "[chance]"}[line]
        (wanted,) = (one.strip() for one in lines.splitlines() if one.strip().startswith(line))
        commented = commented.replace(f"{section}\n", f"{section}\n{wanted}\n")
    file.write_text(commented)
    assert fresh(*given, at=now).out.count("drand") == 0
    settings = config.read(file.read_bytes(), file).settings
    assert (settings.club.chance, settings.chance.command) == ("drand", command)
    wrong = f"echo {PUBLISHED[1001]} {{round}}"
    monkeypatch.setattr(setting_up, "FETCH", wrong)
    file.unlink()
    assert "drand" not in fresh(*given, at=now).out


def test_a_machine_without_the_extra_is_told_of_it(
    fresh: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(number: int, signature: bytes) -> bool:
        raise NoLibrary

    monkeypatch.setattr(setting_up, "FETCH", f"echo {PUBLISHED[1000]} {{round}}")
    monkeypatch.setattr(beacon, "_is_signed", missing)
    told = setup(fresh)
    assert told.code == 0, told
    assert "    command = " in told.out
    assert told.out.endswith("an extra: pip install '.[beacon]' in adjud's checkout\n")


def test_answers_become_settings_and_all_else_stays_a_comment() -> None:
    text = setting_up.fill_in(sample(), ANSWERS)
    settings = config.read(text.encode(), Path("adjud.toml")).settings
    assert (settings.club.name, settings.club.game_master) == ('The "Friday" Club', "Åse")
    assert (settings.operator, settings.timezone) == ("gm@example.org", "Europe/Oslo")
    assert (settings.mail.domain, settings.mail.out) == ("play.example.net", "smtp://localhost:25")
    assert settings.folder == "/srv/club"
    changed = set(text.splitlines()) - set(sample().splitlines())
    assert len(changed) == len([answer for answer in ANSWERS.values() if answer])


@pytest.mark.slow
def test_a_script_sets_a_club_up(fresh: Adjud) -> None:
    answer = setup(fresh, "--name", "The Club", "--domain", "play.example.net")
    assert answer.code == 0, answer
    folder, file = fresh.folder / "club", fresh.folder / "adjud.toml"
    assert answer.out.splitlines()[:4] == [
        f"{folder}: made, for {ME} alone",
        f"{file}: made; every other setting is in it as a comment",
        f"{folder}/adjud.key: made; it signs the addresses of seats, keep a copy of it",
        f"sqlite:///{folder}/adjud.db: made",
    ]
    assert folder.stat().st_mode & 0o777 == 0o700
    assert f"--config {file} mail receive\n" in answer.out
    assert "transport_maps = inline:{ { play.example.net = adjud: } }\n" in answer.out
    assert f"user={ME} null_sender=" in answer.out
    assert answer.out.endswith("\nthen `postfix reload`\n")
    assert [line.partition("`")[2].split()[3] for line in answer.err.splitlines()] == [
        "player",
        "new",
    ]
    before = file.read_text()
    again = setup(fresh, "--name", "The Club", "--server", "none")
    assert again.code == 0
    assert f"{file}: there already, left alone\n" in again.out
    assert "no mail server was found on this machine" in again.out
    for words in (
        ("--name", "Another"),
        ("--timezone", "Europe/Oslo", "--domain", "play.example.com"),
        ("--folder", str(fresh.folder / "elsewhere")),
    ):
        refused = setup(fresh, *words)
        assert (refused.code, refused.out) == (1, ""), words
        assert [line.partition(" cannot be")[0] for line in refused.err.splitlines()] == [
            f"adjud: {option}" for option in words[::2]
        ]
        assert f"cannot be followed: {file} is there already; change " in refused.err
    refused = setup(fresh, stdin="Another\n")
    assert (refused.code, refused.out) == (1, "")
    assert "so nothing is asked; change it yourself" in refused.err
    assert file.read_text() == before
    assert fresh("player", "add", "Anna", "anna@example.org").code == 0


PIPED = ["The Club", "Gerda", "gm@example.org", "", "Europe/Oslo", "play.example.net", ""]


@pytest.mark.slow
def test_answers_may_be_piped(fresh: Adjud) -> None:
    answer = setup(fresh, stdin="\n".join([*PIPED, ""]))
    assert answer.code == 0, answer
    settings = config.load(str(fresh.folder / "adjud.toml")).settings
    assert (settings.club.name, settings.club.game_master) == ("The Club", "Gerda")
    assert (settings.operator, settings.timezone) == ("gm@example.org", "Europe/Oslo")
    assert (settings.mail.domain, settings.mail.out) == ("play.example.net", "smtp://localhost:25")


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (PIPED[:5], "ends before the question 'The domain of the club's emails"),
        ([*PIPED, "more"], "standard input has more lines than questions: 'more'"),
        (["", "", "gm", "", "", "", ""], "operator = 'gm' is not valid"),
    ],
)
def test_piped_answers_that_do_not_fit_are_refused(
    fresh: Adjud, lines: list[str], why: str
) -> None:
    answer = setup(fresh, stdin="\n".join([*lines, ""]))
    assert (answer.code, answer.out) == (1, "")
    assert why in answer.err
    assert not (fresh.folder / "club").exists()
    assert not (fresh.folder / "adjud.toml").exists()


def test_ones_own_club_is_set_up_in_a_home_that_has_nothing(
    fresh: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 4711)  # else it would be the machine's
    monkeypatch.setattr(import_module("adjudicator.cli.setup"), "_check_user", lambda name: None)
    monkeypatch.setattr(import_module("adjudicator.cli.setup"), "_check_program", lambda name: None)
    answer = fresh("setup", "--user", ME, "--no-services", "--name", "The Club")
    assert f"{fresh.folder}/data/adjud: made, for {ME} alone\n" in answer.out


@pytest.mark.slow
def test_a_person_is_asked_again_after_a_wrong_answer(
    fresh: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(master, "at_terminal", lambda: True)
    answers = ["The Club", "Gerda", "gm", "gm@example.org", "", "Mars", "Europe/Oslo", ""]
    answer = setup(fresh, stdin="\n".join([*answers, ""]))
    assert answer.code == 0, answer
    said = [line for line in answer.err.splitlines() if "adjud.toml, line " in line]
    assert len(said) == 2
    assert "operator = 'gm' is not valid" in said[0]
    assert "'Mars' is not a time zone" in said[1]
    settings = config.load(str(fresh.folder / "adjud.toml")).settings
    assert (settings.club.game_master, settings.timezone) == ("Gerda", "Europe/Oslo")
    assert (settings.mail.domain, settings.mail.out) == ("", "none")
    assert "Add these lines" not in answer.out  # without a domain no email comes


@pytest.mark.slow
def test_what_cannot_be_is_refused_before_anything_is_made(fresh: Adjud) -> None:
    nobody = "there is no user nobody-of-that-name on this machine: `useradd --system"
    for words, why in (
        (("--user", "nobody-of-that-name"), nobody),
        (("--operator", "gm"), "operator = 'gm' is not valid"),
        (("--out", "smtp://localhost:25"), "email can only be sent from a domain; set mail.domain"),
        (("--out", "carrier pigeon"), "mail.out = 'carrier pigeon' is not valid"),
        (("--folder", "club"), "folder = 'club' is not valid; write a path that begins with /"),
        (("--folder", "/nowhere/at/all"), "there is no folder /nowhere/at"),
        (("--server", "Exim"), "--server cannot be followed: the club has no domain"),
        (("--test",), "--test cannot be followed: the club sends no email"),
    ):
        answer = setup(fresh, *words)
        assert (answer.code, answer.out) == (1, ""), words
        assert why in answer.err
        assert not (fresh.folder / "club").exists()
        assert not (fresh.folder / "adjud.toml").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
@pytest.mark.slow
def test_a_folder_of_somebody_else_is_not_used(fresh: Adjud) -> None:
    folder = fresh.folder / "club"
    folder.mkdir()
    os.chown(folder, 12345, 12345)
    answer = setup(fresh)
    assert (answer.code, answer.out) == (1, "")
    assert f"{folder} belongs to 12345, not to {ME}; name another folder, or its user" in answer.err
    assert not (fresh.folder / "adjud.toml").exists()


CLUB = setting_up.ClubPaths(
    "/opt/adjud/bin/adjud", Path("/etc/adjud.toml"), Path("/var/lib/adjud"), "adjud"
)


def test_the_lines_are_those_that_the_tests_of_mail_servers_use() -> None:
    for server in setting_up.SERVERS:
        told = list(setting_up.lines_for(server, "play.example.org", CLUB))
        tested = [mtas.written(whose).strip("\n") for whose in server.lines.values()]
        assert [lines for _, lines in told] == tested
    elsewhere = setting_up.ClubPaths("/srv/adjud", Path("/srv/a.toml"), Path("/srv/club"), "games")
    for server in setting_up.SERVERS:
        for _, lines in setting_up.lines_for(server, "b.example", elsewhere):
            assert not any(old in lines for old in ("/opt/", "/etc/adjud", "play.example.org"))
            assert "games" in lines or "transport_maps" in lines


@pytest.mark.parametrize(
    ("greeted", "name"),
    [
        (GREETED, "Postfix"),
        ("220 x ESMTP Exim 4.96 Thu\r\n", "Exim"),
        ("220 x ESMTP OpenSMTPD\r\n", "OpenSMTPD"),
        ("220 x ESMTP Sendmail 8.17\r\n", "sendmail"),
    ],
)
def test_the_server_that_answers_is_the_machines(greeted: str, name: str) -> None:
    found = setting_up.find_server(greeted)
    assert found is not None
    assert found.name == name
    assert setting_up.way_out(greeted) == "smtp://localhost:25"


def test_a_server_that_is_not_started_yet_is_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"postfix": "/usr/sbin/postfix", "sendmail": "/usr/sbin/sendmail"}
    monkeypatch.setattr(setting_up.shutil, "which", lambda name, **_: found.get(name))
    assert setting_up.way_out("") == "smtp://localhost:25"
    del found["postfix"]
    assert setting_up.way_out("") == "sendmail"


def test_a_machine_without_a_server_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setting_up.shutil, "which", lambda *_, **__: None)
    assert setting_up.find_server("") is None
    assert setting_up.way_out("") == "none"
    for server in (None, setting_up.parse_server("sendmail")):
        told = str(setting_up.without_lines(server, "play.example.org", CLUB))
        assert "fetch" in told
        assert "/etc/adjud.toml" in told


STARTED = ["adjud-backup.timer", "adjud-doctor.timer", "adjud-tick.path", "adjud-tick.timer"]


def test_the_units_are_the_examples_with_the_clubs_own_paths() -> None:
    shipped = resources.folder("examples") / "server"
    own = re.compile(r"adjud-(?:tick|doctor|backup)\.|tell-root@")
    assert setting_up.units_for(CLUB) == {
        path.name: path.read_text() for path in shipped.iterdir() if own.match(path.name)
    }
    units = setting_up.units_for(
        setting_up.ClubPaths("/p/adjud", Path("/p/a.toml"), Path("/p/club"), "games")
    )
    service = units["adjud-tick.service"].splitlines()
    assert {"User=games", "ReadWritePaths=/p/club"} <= set(service)
    assert "ExecStart=/p/adjud --config /p/a.toml tick --quiet" in service
    assert sorted(setting_up.enabled_units(units)) == STARTED
    assert not [name for name, text in units.items() if "/var/lib/adjud" in text]


def test_units_and_link_are_made_only_where_none_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = import_module("adjudicator.cli.setup")
    called: list[tuple[str, ...]] = []
    monkeypatch.setattr(command, "_systemctl", lambda *words: called.append(words))
    for name in ("UNITS", "LINK", "BOOTED"):
        monkeypatch.setattr(setting_up, name, tmp_path / name)
    (tmp_path / "UNITS").mkdir()
    command._install(CLUB)
    assert "systemd does not run here" in capsys.readouterr().out
    assert (tmp_path / "LINK").readlink() == Path(CLUB.program)
    (tmp_path / "BOOTED").mkdir()
    (tmp_path / "UNITS/adjud-tick.timer").write_text("mine")
    command._install(CLUB)
    assert "adjud-tick.timer: there already, left alone" in capsys.readouterr().out
    assert (tmp_path / "UNITS/adjud-tick.timer").read_text() == "mine"
    assert "ExecStart=" in (tmp_path / "UNITS/adjud-tick.service").read_text()
    assert called == [
        ("daemon-reload",),
        ("enable", "--now", *setting_up.enabled_units(setting_up.units_for(CLUB))),
    ]


def test_the_command_that_is_tried_is_that_of_the_manual() -> None:
    manual = (resources.folder("docs") / "server.md").read_text("utf-8")
    assert f'    command = "{setting_up.FETCH}"\n' in manual
