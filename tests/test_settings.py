"""Settings: where they come from, what is said of a wrong one, and the page that names them all."""

import tomllib
from pathlib import Path

import pytest

from adjudicator import config, places
from adjudicator.config import page
from adjudicator.config.settings import KEYS, TEMPLATES
from adjudicator.config.sources import variable
from tests.program import Adjud

BOOK = Path(__file__).parents[1] / "docs" / "reference" / "settings.md"
MAIL = "[mail]\ndomain = 'a.org'\n"
BEGINS = "(`pytest tests/test_settings.py --bless`).\n"


@pytest.fixture
def adjud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Adjud:
    """Return the program before anything has been done."""
    monkeypatch.chdir(tmp_path)
    return Adjud(tmp_path)


def test_the_page_of_the_settings_is_of_this_program(request: pytest.FixtureRequest) -> None:
    head, begins, _ = BOOK.read_text("utf-8").partition(BEGINS)
    assert begins
    whole = head + begins + page.tables()
    if request.config.getoption("--bless"):
        BOOK.write_text(whole, "utf-8")
    assert BOOK.read_text("utf-8") == whole, f"run it again with --bless, and read {BOOK}"


def test_the_commented_configuration_has_every_setting_as_it_could_be_written() -> None:
    sample = page.sample(Path("/srv/club"))
    assert max(map(len, sample.splitlines())) <= 100
    settings = [line.removeprefix("# ") for line in sample.splitlines() if _is_setting(line)]
    whole = "\n".join(settings)
    loaded = config.read(whole.encode(), Path("/srv/club/adjud.toml"))
    sections = {key.partition(".")[0] for key in KEYS if "." in key}
    assert loaded.sources.lines.keys() - sections == KEYS.keys()
    assert tomllib.loads(sample)["folder"] == "."
    assert loaded.settings.database == "sqlite:////srv/club/adjud.db"


def _is_setting(line: str) -> bool:
    return line.startswith("[") or line.removeprefix("# ").partition(" = ")[0].isidentifier()


def test_the_mail_servers_pipe_knows_the_names_of_the_settings() -> None:
    assert {key.partition(".")[0] for key in KEYS} | {TEMPLATES} == places.AT_TOP
    assert {key[5:] for key in KEYS if key.startswith("mail.")} == places.OF_MAIL


def test_what_is_in_force_is_shown_with_its_origin_and_without_passwords(
    adjud: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = adjud.write(
        "adjud.toml",
        '# ours\ntimezone = "Europe/Oslo"\n\n[mail]\ndomain = "play.example.org"\n'
        'out = "smtps://adjud:pass:w@rd@mail.example.org"\n',
    )
    monkeypatch.setenv("ADJUD__MAIL__USER", "games")
    monkeypatch.setenv("ADJUD__CLOCK__MAX_SILENT", "9")
    monkeypatch.setenv("ADJUD__CLUB__NAME", "")  # sets nothing
    shown = adjud.does("config", "show", "--origin")
    assert shown.startswith(f"# configuration: {path}\n")
    assert f'timezone = "Europe/Oslo"  # {path}, line 2\n' in shown
    assert f'mail.out = "smtps://adjud:***@mail.example.org"  # {path}, line 6\n' in shown
    assert 'mail.user = "games"  # ADJUD__MAIL__USER\n' in shown
    assert "clock.max_silent = 9  # ADJUD__CLOCK__MAX_SILENT\n" in shown
    assert 'club.name = ""  # default\n' in shown
    assert f'database = "sqlite:///{adjud.file}"  # ADJUD_DATABASE\n' in shown
    assert "w@rd" not in shown + adjud.does("config", "show", "--format", "json")
    plain = adjud.does("--database", "postgresql://u:se@cret@h/x", "config", "show")
    assert 'database = "postgresql://u:***@h/x"\n' in plain
    assert tomllib.loads(plain)["mail"]["user"] == "games"


@pytest.mark.parametrize("key", KEYS)
def test_each_setting_can_be_given_in_the_environment(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = str(KEYS[key].default or KEYS[key].about.example or "/some/path")
    monkeypatch.setenv(variable("mail.domain"), "play.example.org")
    monkeypatch.setenv(variable(key), given)
    monkeypatch.setenv("ADJUD_CONFIG", str(tmp_path / "adjud.toml"))
    (tmp_path / "adjud.toml").write_text('[mail]\nuser = "games"\n')
    assert config.load(None).sources.environment[key] == given


# Broken configurations beside those of tests/test_bad_input.py, and the sentences that name their
# lines and keys.
BROKEN = {
    "[mail]\n\noperator = 'a@b.org'": "{path}, line 3: there is no setting 'mail.operator'; "
    "operator belongs above the first section",
    "domain = 'a.org'": "{path}, line 1: there is no setting 'domain'; domain belongs in the "
    "section [mail]",
    "'mail.user' = 'x'": "{path}, line 1: there is no setting 'mail.user'; did you mean mail?",
    "\nabsence_days = -1": "{path}, line 2: absence_days must be 0 or more",
    "[mail]\nout = smtp://u:secret@h": "{path}, line 2: out: Invalid value; text needs quotes, as "
    'in out = "..."',
    "timezone": "{path}, line 1: Expected '=' after a key in a key/value pair; write a section as",
    "timezone = 'UTC'\ntimezone = 'UTC'": "{path}, line 2: timezone: Cannot overwrite a value",
    "[club]\nname = '''a\nb'''": "{path}, line 3: club.name = 'a",
    "mail = { out = 'sendmail' }": "{path}, line 1: email can only be sent from a domain",
    "database = '/var/lib/adjud.db'": "{path}, line 1: database = '/var/lib/adjud.db' is not valid"
    "; write a URL such as sqlite:////var/lib/adjud/adjud.db",
    "database = 'postgresql://u:secret@h:x/y'": "{path}, line 1: database has a host or a port",
    MAIL + "out = 'smtp://u:secret@h:99999'": "{path}, line 3: mail.out has a host or a port that "
    "cannot be; a port is a number from 1 to 65535",
    MAIL + "out = 'smtp://h:abc'": "{path}, line 3: mail.out has a host or a port",
    MAIL + "out = 'smtp://h:0'": "{path}, line 3: mail.out names no host, or port 0; write smtp:",
    MAIL + "out = 'smtp://[::1'": "{path}, line 3: mail.out has a host or a port",
    MAIL + "out = 'smtp://:25'": "{path}, line 3: mail.out names no host",
    MAIL + "out = 'smtp://'": "{path}, line 3: mail.out = 'smtp:…' is not valid",
    MAIL + "fetch = 'imaps://x:y:z'": "{path}, line 3: mail.fetch has a host or a port",
    '[chance]\ncommand = "it\'s"': "{path}, line 2: chance.command: No closing quotation",
    "[site]\nurl = 'club.org'": "{path}, line 2: site.url = 'club.org' is not valid; write an addr",
    b"timezone = 'UTC'\nx = '\xff'": "{path}, line 2: this is not text in UTF-8",
}


@pytest.mark.parametrize("content", BROKEN)
def test_an_error_names_the_file_the_line_and_the_key(adjud: Adjud, content: str | bytes) -> None:
    path = adjud.write("adjud.toml", content)
    answer = adjud("config", "show")
    assert answer.code == 1
    assert answer.err.startswith(f"adjud: {BROKEN[content].format(path=path)}")
    assert answer.err.count("\n") == 1
    assert "secret" not in answer.err


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        (
            "ADJUD__MAIL__DOMIAN",
            "x",
            "there is no setting 'mail.domian'; did you mean mail.domain?",
        ),
        ("ADJUD__ABSENCE_DAYS", "many", "absence_days must be a whole number"),
        ("ADJUD__TIMEZONE", "Oslo", "'Oslo' is not a time zone"),
        ("ADJUD__MAIL__OUT", "smtp://u:secret@h:x", "mail.out has a host or a port"),
    ],
)
def test_an_error_names_the_variable(
    adjud: Adjud, monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str
) -> None:
    adjud.write("adjud.toml", "")
    monkeypatch.setenv(name, value)
    answer = adjud("config", "show")
    assert (answer.code, answer.err.count("\n")) == (1, 1)
    assert answer.err.startswith(f"adjud: {name}: {told}")
    assert "secret" not in answer.err


def test_a_club_in_a_folder_is_not_made_where_the_environment_names_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adjud = Adjud(tmp_path)
    adjud.env |= {"ADJUD_CONFIG": None, "ADJUD_DATABASE": None}
    monkeypatch.setenv("ADJUD__MAIL__KEY", "/etc/key")
    told = "adjud: ADJUD__MAIL__KEY is set and names another club; unset it first\n"
    assert adjud("init", str(tmp_path / "club")) == (1, "", told)
