"""The pipe ends with 0 when an email is safe and with 75 for everything else, and imports
little."""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest

from adjudicator.mail.transport import receive, spool

EMAIL = b"From: anna@example.org\r\n\r\nd3-d4\r\n"


def received(folder: Path) -> list[spool.Spooled]:
    found = (spool.read(folder, name) for name in spool.names(folder))
    return [email for email in found if email]


def run(folder: Path, *words: str, email: bytes = EMAIL, **environment: str) -> int:
    arguments = ["mail", "receive", "--spool", str(folder), *words]
    return receive.main(arguments, environment, BytesIO(email))


def test_an_email_is_stored_with_its_envelope_and_its_very_bytes(tmp_path):
    assert run(tmp_path, "anna@example.org", "adjud+x@play.example.org") == 0
    (email,) = received(tmp_path)
    assert email.raw == EMAIL
    assert email.envelope.sender == "anna@example.org"
    assert email.envelope.recipient == "adjud+x@play.example.org"
    assert email.envelope.length == len(EMAIL)


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        (("--sender", "a@x.org", "--recipient", "b@y.org"), {}),
        (("--sender=a@x.org", "--recipient=b@y.org"), {}),
        ((), {"SENDER": "a@x.org", "ORIGINAL_RECIPIENT": "b@y.org", "RECIPIENT": "c@y.org"}),
        ((), {"SENDER": "a@x.org", "RECIPIENT": "b@y.org"}),
    ],
)
def test_the_envelope_comes_from_options_or_the_environment(tmp_path, words, environment):
    assert run(tmp_path, *words, **environment) == 0
    (email,) = received(tmp_path)
    assert (email.envelope.sender, email.envelope.recipient) == ("a@x.org", "b@y.org")


ABOVE = b"Return-Path: <a@x.org>\nX-Original-To: b@y.org\nDelivered-To: c@y.org\n"


@pytest.mark.parametrize(
    "above",
    [
        ABOVE,
        ABOVE.replace(b"\n", b"\r\n"),
        b"From a@x.org  Sat Nov 21 18:00:00 2026\n" + ABOVE,
        b"return-path: <a@x.org>\nenvelope-to: b@y.org\n",
        b"Delivered-To: b@y.org\nReturn-Path: <a@x.org>\n",
    ],
)
def test_the_envelope_may_stand_above_the_email(tmp_path, above):
    """Postfix' pipe has no other way but words, which everybody on its machine can read."""
    email = above + b"Received: from x by y; Sat, 21 Nov 2026 18:00:00 +0000\r\n" + EMAIL
    assert run(tmp_path, email=email) == 0
    (found,) = received(tmp_path)
    assert found.raw == email
    assert (found.envelope.sender, found.envelope.recipient) == ("a@x.org", "b@y.org")


@pytest.mark.parametrize(
    "email",
    [
        b"Received: from x by y\r\n" + ABOVE + EMAIL,
        EMAIL + ABOVE,
        b"\r\n" + ABOVE,
        b"From: x\r\nX-Original-To: evil@y.org\r\n\r\n",
        b"",
        b"\0" * 100,
    ],
)
def test_what_came_with_an_email_is_not_its_envelope(tmp_path, email):
    assert run(tmp_path, email=email) == 0
    (found,) = received(tmp_path)
    assert found.raw == email
    assert (found.envelope.sender, found.envelope.recipient) == ("", "")


def test_words_and_the_environment_go_before_what_stands_above(tmp_path):
    email = ABOVE + EMAIL
    assert run(tmp_path, "", "d@y.org", email=email) == 0
    assert run(tmp_path, email=email, SENDER="e@x.org", RECIPIENT="f@y.org") == 0
    envelopes = [(one.envelope.sender, one.envelope.recipient) for one in received(tmp_path)]
    assert envelopes == [("", "d@y.org"), ("e@x.org", "f@y.org")]


def test_the_empty_sender_that_stands_above_a_bounce_stays_empty(tmp_path):
    email = b"Return-Path: <>\nX-Original-To: b@y.org\n" + EMAIL
    assert run(tmp_path, email=email, SENDER="") == 0
    (found,) = received(tmp_path)
    assert (found.envelope.sender, found.envelope.recipient) == ("", "b@y.org")


@pytest.mark.parametrize("size", [16 * 1024 - 1, 16 * 1024, 300 * 1024])
def test_a_long_email_is_kept_whole_below_its_envelope(tmp_path, size):
    email = ABOVE + EMAIL + b"x" * size
    assert run(tmp_path, email=email) == 0
    (found,) = received(tmp_path)
    assert found.raw == email[: spool.MOST_KEPT]
    assert found.envelope.length == len(email)
    assert found.envelope.recipient == "b@y.org"


def test_the_empty_sender_of_a_bounce_stays_empty(tmp_path):
    run(tmp_path, "", "adjud+bounce.x@play.example.org")
    (email,) = received(tmp_path)
    assert email.envelope.sender == ""
    assert email.envelope.recipient == "adjud+bounce.x@play.example.org"


def test_an_address_may_begin_with_a_dash(tmp_path):
    run(tmp_path, "-x@example.org", "adjud+x@play.example.org")
    (email,) = received(tmp_path)
    assert (email.envelope.sender, email.envelope.recipient) == (
        "-x@example.org",
        "adjud+x@play.example.org",
    )


@pytest.mark.parametrize("dashes", [(), ("--",)])
@pytest.mark.parametrize(
    "sender",
    ["--spool={}/x@evil.example", "--config={}/x@evil.example", "--database={}/x@evil.example"],
)
def test_no_sender_can_choose_where_emails_are_kept(tmp_path, sender, dashes):
    """RFC 5321 allows all of it before the @, and a mail server hands it on as a word."""
    sender, home = sender.format(tmp_path / "elsewhere"), tmp_path / "spool"
    arguments = ["--spool", str(home), "mail", "receive", *dashes, sender, "adjud@y.org"]
    assert receive.is_meant(arguments)
    assert receive.main(arguments, {}, BytesIO(EMAIL)) == 0
    (email,) = received(home)
    assert (email.envelope.sender, email.envelope.recipient) == (sender, "adjud@y.org")
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("anna@x.org", "--sender=bob@x.org"),
        ("anna@x.org", "--recipient=bob@x.org"),
        ("anna@x.org", "--spool=/nowhere"),
        ("anna@x.org", "--help"),
        ("--", "--sender=bob@x.org", "adjud@y.org"),
        ("--", "--recipient=bob@x.org", "--help"),
        ("--", "--help", "--"),
    ],
)
def test_behind_a_word_or_two_dashes_everything_is_a_word(tmp_path, words):
    assert receive.is_meant(["mail", "receive", *words])
    assert run(tmp_path, *words) == 0
    (email,) = received(tmp_path)
    assert (email.envelope.sender, email.envelope.recipient) == words[-2:]


def test_a_sender_that_looks_like_the_option_for_it_does_not_push_the_recipient_away(tmp_path):
    assert run(tmp_path, "--sender=x@evil.example", "adjud@y.org") == 0
    (email,) = received(tmp_path)
    assert (email.envelope.sender, email.envelope.recipient) == ("x@evil.example", "adjud@y.org")


@pytest.mark.parametrize(
    "words",
    [
        ("--sender=", "--recipient=adjud@y.org"),
        ("--sender", "", "--recipient", "adjud@y.org"),
        ("--sender=", "adjud@y.org"),
        ("", "adjud@y.org"),
        ("--", "", "adjud@y.org"),
        ("adjud@y.org",),  # a shell lets an empty word vanish
    ],
)
def test_an_empty_sender_is_not_looked_for_elsewhere(tmp_path, words):
    assert run(tmp_path, *words, RECIPIENT="other@y.org") == 0
    (email,) = received(tmp_path)
    assert (email.envelope.sender, email.envelope.recipient) == ("", "adjud@y.org")


def test_help_is_asked_for_by_itself():
    assert not receive.is_meant(["mail", "receive", "--help"])
    assert not receive.is_meant(["--config", "adjud.toml", "mail", "receive", "-h"])
    assert receive.is_meant(["mail", "receive", "--help", "adjud@y.org"])


def test_wrong_usage_loses_no_email(tmp_path):
    assert run(tmp_path, "--wrong", "a@x.org", "b@y.org", "too", "many") == 0
    assert len(received(tmp_path)) == 1


def test_what_cannot_be_stored_is_left_to_the_mail_server(tmp_path, capsys):
    (tmp_path / "file").write_text("no folder")
    assert run(tmp_path / "file") == 75
    assert "not stored" in capsys.readouterr().err
    assert "Traceback" not in capsys.readouterr().err


def test_a_broken_configuration_is_tried_again_later(tmp_path):
    config = tmp_path / "adjud.toml"
    config.write_text("mail = [")
    assert receive.main(["--config", str(config), "mail", "receive"], {}, BytesIO(EMAIL)) == 75


def test_a_configuration_that_can_be_read_once_only_names_the_spool(tmp_path):
    """A shell gives it as `--config <(…)`."""
    spooled = tmp_path / "spool"
    config = f'[mail]\nspool = "{spooled}"\n'
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as pipe:
        pipe.write(config)
    done = subprocess.run(
        [sys.executable, "-m", "adjudicator", "--config", f"/dev/fd/{reading}", "mail", "receive"],
        input=EMAIL,
        pass_fds=[reading],
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")},
        check=False,
    )
    os.close(reading)
    assert done.returncode == 0
    assert len(received(spooled)) == 1


def test_of_a_large_email_the_beginning_and_the_length_are_kept(tmp_path):
    large = EMAIL + b"x" * 10_000_000
    assert run(tmp_path, email=large) == 0
    (email,) = received(tmp_path)
    assert email.raw == large[: spool.MOST_KEPT]
    assert email.envelope.length == len(large)


def test_no_email_is_readable_by_others(tmp_path):
    run(tmp_path / "spool")
    (path,) = (tmp_path / "spool" / "new").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "spool" / "new").stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_root_takes_belongs_to_the_owner_of_the_folder(tmp_path):
    """He ticks, and could read and remove nothing else."""
    club = tmp_path / "club"
    club.mkdir()
    os.chown(club, 12345, 12346)
    assert run(club / "spool", "anna@example.org", "adjud+x@play.example.org") == 0
    spool.give_to(club / "spool", "mark")
    (email,) = received(club / "spool")
    spool.put_aside(club / "spool", email.name)
    assert run(club / "spool", "anna@example.org", "adjud+x@play.example.org") == 0
    made = [*(club / "spool").rglob("*"), club / "spool"]
    assert len(made) == 7
    assert {(path.stat().st_uid, path.stat().st_gid) for path in made} == {(12345, 12346)}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_folders_above_the_spool_that_root_makes_belong_to_the_owner_too(tmp_path):
    club = tmp_path / "club"
    club.mkdir()
    os.chown(club, 12345, 12346)
    assert run(club / "mail" / "spool", "anna@example.org", "adjud+x@play.example.org") == 0
    made = list(club.rglob("*"))
    assert len(made) == 5
    assert {(path.stat().st_uid, path.stat().st_gid) for path in made} == {(12345, 12346)}
    assert all(path.stat().st_mode & 0o077 == 0 for path in made)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_root_takes_an_email_where_nothing_can_be_given_away(tmp_path, monkeypatch):
    """As on a network's disk, or in a container without that right."""

    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    club = tmp_path / "club"
    club.mkdir()
    os.chown(club, 12345, 12346)
    monkeypatch.setattr(os, "fchown", refuse)
    spool.put(club / "spool", BytesIO(EMAIL), sender="a", recipient="b", channel="pipe")
    assert len(received(club / "spool")) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_root_gives_away_no_folder_that_the_owner_puts_in_place_of_the_spools(
    tmp_path, monkeypatch
):
    """He moves his spool away at the worst moment, and has a link to another's folder there."""
    club, other = tmp_path / "club", tmp_path / "other"
    (other / "tmp").mkdir(parents=True)
    (club / "spool").mkdir(parents=True)
    for mine in (club, club / "spool"):
        os.chown(mine, 12345, 12346)
    mkdir, swapped = os.mkdir, []

    def swap(path, *args, **kwargs):
        mkdir(path, *args, **kwargs)
        (club / "spool").rename(club / "away")
        (club / "spool").symlink_to(other)
        swapped.append(path)

    def back_again():
        if (club / "away").exists():
            (club / "spool").unlink()
            (club / "away").rename(club / "spool")
        return 0

    with monkeypatch.context() as patched:
        patched.setattr(os, "mkdir", swap)
        patched.setattr(os, "geteuid", back_again)
        spool.make(club / "spool" / "tmp")
    assert swapped
    assert (other / "tmp").stat().st_uid == 0
    assert (club / "spool" / "tmp").stat().st_uid == 12345


def test_the_pipe_imports_nothing_of_the_program_but_its_own_few_modules(tmp_path):
    config = tmp_path / "adjud.toml"
    config.write_text(f'[mail]\nspool = "{tmp_path}"\n', "utf-8")
    listing = (
        "import sys\n"
        "from adjudicator.__main__ import main\n"
        f"sys.argv = ['adjud', '--config', {str(config)!r}, 'mail', 'receive']\n"
        "try: main()\n"
        "except SystemExit as end: assert end.code == 0\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", listing], input=ABOVE + EMAIL, capture_output=True, check=True
    )
    loaded = set(done.stdout.decode().split())
    assert not loaded & {"click", "sqlalchemy", "jinja2", "platformdirs"}
    assert {name for name in loaded if name.startswith("adjudicator")} == {
        "adjudicator",
        "adjudicator.__main__",
        "adjudicator.mail",
        "adjudicator.mail.read",
        "adjudicator.mail.read.charset",
        "adjudicator.mail.read.mime",
        "adjudicator.mail.transport",
        "adjudicator.mail.transport.receive",
        "adjudicator.mail.transport.spool",
        "adjudicator.places",
    }
    assert len(received(tmp_path)) == 1


@pytest.mark.parametrize(
    "address",
    [
        "",
        'quo"ted\\@x.org',
        'a", "recipient": "b@y.org',
        "line\nbreak\r\n{}\x00\x1b\x7f@x.org",
        "bl\u00e5b\u00e6r@\U0001f363.example",
        "not \udce9 text \ud83d",
    ],
)
def test_an_envelope_is_one_line_of_json_whatever_the_address(tmp_path, address):
    assert run(tmp_path, f"--sender={address}", f"--recipient={address}") == 0
    (path,) = (tmp_path / "new").iterdir()
    head, _, raw = path.read_bytes().partition(b"\n")
    assert raw == EMAIL
    envelope = json.loads(head)
    assert (envelope["sender"], envelope["recipient"]) == (address, address)
    assert head.isascii()
    assert b"\n" not in head


def test_an_email_is_on_the_disk_before_it_has_its_name_and_the_name_before_we_say_so(
    tmp_path, monkeypatch
):
    done = []

    def noted(name, act):
        def note(*arguments):
            done.append(name)
            return act(*arguments)

        return note

    assert run(tmp_path) == 0  # this makes the folders
    for name in ("open", "fsync", "rename"):
        monkeypatch.setattr(os, name, noted(name, getattr(os, name)))
    assert run(tmp_path) == 0
    assert done == ["open", "fsync", "rename", "open", "fsync"]


def test_the_program_itself_answers_the_pipe(tmp_path):
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "adjudicator",
            "mail",
            "receive",
            "--spool",
            str(tmp_path),
            "a",
            "b",
        ],
        input=EMAIL,
        capture_output=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(received(tmp_path)) == 1


def test_emails_are_read_in_the_order_in_which_they_came_and_removed_one_by_one(tmp_path):
    for n in range(3):
        run(tmp_path, email=b"%d" % n)
    assert [email.raw for email in received(tmp_path)] == [b"0", b"1", b"2"]
    spool.remove(tmp_path, received(tmp_path)[0].name)
    assert [email.raw for email in received(tmp_path)] == [b"1", b"2"]


# --- whatever happens: 0 or 75 ----------------------------------------------------------------

ADJUD = [sys.executable, "-m", "adjudicator"]


def piped(script: str, folder: Path, **more: str) -> int:
    """Return the exit code of a shell's line, in which `$adjud` is the program and `$email` an
    email.

    `$here` is no folder: nothing can be kept there.
    """
    (folder / "letter").write_bytes(EMAIL)
    (folder / "here").write_text("no folder")
    env = {**os.environ, "adjud": " ".join(ADJUD), "letter": str(folder / "letter")}
    env |= {"spool": str(folder / "spool"), "here": str(folder / "here"), **more}
    return subprocess.run(["bash", "-c", script], env=env, timeout=60).returncode


STREAMS = [
    "",
    ">&-",
    "2>&-",
    ">&- 2>&-",
    ">/dev/full 2>/dev/full",
    "> >(exec true) 2> >(exec true)",
]


@pytest.mark.parametrize("streams", STREAMS)
def test_an_email_is_safe_whatever_becomes_of_what_we_say(tmp_path, streams):
    line = f"$adjud mail receive --spool $spool a@x.org b@y.org <$letter {streams}"
    assert piped(line, tmp_path) == 0
    assert len(received(tmp_path / "spool")) == 1


@pytest.mark.parametrize("streams", STREAMS)
def test_what_cannot_be_stored_is_left_to_the_server_whatever_becomes_of_what_we_say(
    tmp_path, streams
):
    line = f"$adjud mail receive --spool $here a@x.org b@y.org <$letter {streams}"
    assert piped(line, tmp_path) == 75


def test_a_full_disk_is_left_to_the_server_though_the_log_lies_on_it_too(tmp_path):
    """To simulate a full disk no file may grow, and the log is as long as a file may be."""
    (tmp_path / "log").write_bytes(b"x" * 1024)
    limit = "ulimit -f 1; export PYTHONDONTWRITEBYTECODE=1"  # else torn bytecode is kept
    line = f"{limit}; $adjud mail receive --spool $spool a b <$letter 2>>$log"
    (tmp_path / "long").write_bytes(EMAIL * 100)
    log, long = str(tmp_path / "log"), str(tmp_path / "long")
    assert piped(line.replace("$letter", long), tmp_path, log=log) == 75
    assert received(tmp_path / "spool") == []
    assert (tmp_path / "log").stat().st_size == 1024


@pytest.mark.parametrize("streams", ["<&-", "<&- >&- 2>&-", "0>$letter"])
def test_where_no_email_can_be_read_the_server_keeps_it(tmp_path, streams):
    assert piped(f"$adjud mail receive --spool $spool a b {streams}", tmp_path) == 75
    assert not (tmp_path / "spool" / "new").exists() or not received(tmp_path / "spool")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("--wrong mail receive", 0),
        ("--wrong value mail receive", 75),
        ("--database mail receive", 75),
        ("--spool mail receive", 75),
        ("mail --wrong receive", 0),
        ("mail --wrong value receive", 75),
        ("mail receive --wrong", 0),
    ],
)
def test_a_slip_in_the_command_bounces_no_email(tmp_path, words, code):
    home = {"ADJUD_SPOOL": str(tmp_path / "spool")}
    assert piped(f"cd $(dirname $letter) && $adjud {words} <$letter", tmp_path, **home) == code
    assert len(received(tmp_path / "spool")) == (code == 0)
    assert not (tmp_path / "mail").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("tick",),
        ("gm", "say", "m", "mail receive"),
        ("submit", "mail", "receive"),
        ("mail", "send"),
    ],
)
def test_other_commands_are_not_taken_for_the_pipe(words):
    assert not receive.is_meant(words)


def test_a_folder_that_is_called_mail_is_no_command(tmp_path):
    arguments = ["--spool", "mail", "mail", "receive", "a@x.org", "b@y.org"]
    assert receive.is_meant(arguments)
    line = "cd $(dirname $letter) && $adjud --spool mail mail receive a b <$letter"
    assert piped(line, tmp_path) == 0
    assert len(received(tmp_path / "mail")) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_pipe_that_is_stopped_leaves_its_email_to_the_server(tmp_path, number):
    command = [*ADJUD, "mail", "receive", "--spool", str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin
        process.stdin.write(b"x" * 300_000)  # more than a pipe holds: it is reading
        process.stdin.flush()
        # Python heeds a signal between two of its own steps: one that comes just before a read
        # waits until the server sends more, ends, or asks again.
        for _ in range(60):
            process.send_signal(number)
            with suppress(subprocess.TimeoutExpired):
                process.wait(1)
                break
        assert process.returncode == 75
    assert received(tmp_path) == []


def test_a_program_that_is_just_being_replaced_leaves_emails_to_the_server(tmp_path):
    package = Path(receive.__file__).parents[2]
    for part in ("__init__.py", "__main__.py", "mail/__init__.py", "mail/transport/__init__.py"):
        (tmp_path / "adjudicator" / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(package / part, tmp_path / "adjudicator" / part)
    assert piped("cd $(dirname $letter) && $adjud mail receive a b <$letter", tmp_path) == 75


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("mail = [", "Invalid value (at end of document)"),
        ("mail = 5", "line 1: mail must be a section of its own: [mail]"),
        (
            "[mail]\nspool = 5",
            'line 2: mail.spool must be text in quotes, as in mail.spool = "..."',
        ),
        ("folder = 5", 'line 1: folder must be text in quotes, as in folder = "..."'),
        ('[mail]\nspol = "/srv/spool"', "line 2: there is no setting 'mail.spol'"),
        ('foldre = "."', "line 1: there is no setting 'foldre'"),
        (b"\xff", "this is not text in UTF-8"),
        (None, None),
    ],
)
def test_where_the_settings_leave_a_doubt_the_server_keeps_the_email(
    tmp_path, capsys, monkeypatch, content, told
):
    """When they are mended, no tick would look for it in the folder that is used without them."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    config = tmp_path / "adjud.toml"
    if content is not None:
        config.write_bytes(content if isinstance(content, bytes) else content.encode())
    words = ["--config", str(config), "mail", "receive"]
    assert receive.main(words, {}, BytesIO(EMAIL)) == 75
    between = ", " if told and told.startswith("line ") else ": "
    why = f"{config}{between}{told}" if told else f"there is no configuration file {config}"
    assert capsys.readouterr().err == f"adjud: not stored: {why}\n"
    assert not (tmp_path / "data").exists()


def test_a_setting_that_is_unknown_stops_no_email_whose_spool_is_named(tmp_path):
    config = tmp_path / "adjud.toml"
    config.write_text(f'timezoen = "UTC"\n[mail]\nspool = "{tmp_path}/spool"\n')
    words = ["--config", str(config), "mail", "receive"]
    assert receive.main(words, {}, BytesIO(EMAIL)) == 0
    assert len(received(tmp_path / "spool")) == 1


def test_the_environment_names_the_spool_or_its_folder(tmp_path):
    config = tmp_path / "adjud.toml"
    config.write_text(f'folder = "."\n[mail]\nspool = "{tmp_path}/elsewhere"\n')
    words = ["--config", str(config), "mail", "receive"]
    named = {"ADJUD__MAIL__SPOOL": str(tmp_path / "spool"), "ADJUD__FOLDER": str(tmp_path / "no")}
    assert receive.main(words, named, BytesIO(EMAIL)) == 0
    assert len(received(tmp_path / "spool")) == 1
    config.write_text('folder = "."\n')
    above = {"ADJUD__FOLDER": str(tmp_path / "club")}
    assert receive.main(words, above, BytesIO(EMAIL)) == 0
    assert len(received(tmp_path / "club" / "spool")) == 1
