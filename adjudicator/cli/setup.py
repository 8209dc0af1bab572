"""The command `adjud setup`: from a fresh machine to a club that plays by email."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from adjudicator.cli.shell import Run, hint

if TYPE_CHECKING:
    from adjudicator.config import Settings
    from adjudicator.service.ops.setting_up import ClubPaths, MailServer


class SetupQuestion(NamedTuple):
    """One setting that is asked for: its key, its option, and the words of the question."""

    key: str
    option: str
    text: str
    help: str


QUESTIONS = (
    SetupQuestion("club.name", "name", "What is your club called?", "The club's name."),
    SetupQuestion(
        "club.game_master",
        "game-master",
        "What is its game master called?",
        "The game master's name.",
    ),
    SetupQuestion(
        "operator",
        "operator",
        "Your address, to which alerts go?",
        "The address to which alerts go.",
    ),
    SetupQuestion(
        "club.contact",
        "contact",
        "The address to which players may write (it is shown to them)?",
        "The address to which players may write.",
    ),
    SetupQuestion("timezone", "timezone", "Your time zone?", "The zone in which times are shown."),
    SetupQuestion(
        "mail.domain",
        "domain",
        "The domain of the club's emails, such as play.example.org (empty: no email)?",
        "The domain of the club's emails; without it nobody plays by email.",
    ),
    SetupQuestion("mail.out", "out", "How does email leave?", "How email leaves, as mail.out."),
    SetupQuestion(
        "folder",
        "folder",
        "The folder of database, key and incoming email?",
        "The folder of database, key and spool.",
    ),
)
WAIT = 60  # seconds for the test email


def _with_questions(command: click.Command) -> click.Command:
    """Give a command an option for each question."""
    for question in QUESTIONS:
        add = click.option(
            f"--{question.option}", question.option.replace("-", "_"), help=question.help
        )
        add(command)
    return command


@click.command()
@click.option("--user", metavar="USER", help="The user who runs the club.", show_default=False)
@click.option(
    "--server",
    type=click.Choice(["Postfix", "Exim", "OpenSMTPD", "sendmail", "none"], case_sensitive=False),
    help="The mail server, if it is not the one that is found.",
)
@click.option(
    "--services/--no-services",
    default=None,
    help="Let systemd run the club, and link /usr/local/bin/adjud; for root that is the default.",
)
@click.option("--test/--no-test", default=None, help="Test the way home; asked at a terminal.")
@click.pass_obj
def setup(
    run: Run,
    /,
    user: str | None,
    server: str | None,
    services: bool | None,
    test: bool | None,
    **given: str | None,
) -> None:
    """Ask eight questions, write the configuration and make the club.

    Each question has an option. Without a terminal the answers are lines of standard input; if it
    has none, what was not given is left at its default. Then you read the lines for your mail
    server, and the way home is tested. No file that is there is changed: with a configuration it
    asks nothing, and repeats the rest. An option that says something else than it is refused.

    \b
        adjud setup
        adjud setup --name "The Friday Club" --domain play.example.org --operator gm@example.org
    """
    from adjudicator import config
    from adjudicator.cli.master import at_terminal
    from adjudicator.service.ops import setting_up

    is_root = os.geteuid() == 0
    who = user or ("adjud" if is_root else _me())
    _check_user(who)
    _check_program(who)
    greeted = setting_up.greeting()
    path = Path(os.path.abspath(_config(run, is_root)))
    is_new = not path.exists()
    if is_new:
        text = _ask(path, _defaults(is_root, greeted), given, ask=at_terminal())
        settings = config.read(text.encode(), path).settings
        _refuse_without_email(settings, server, test=test)
        club = setting_up.ClubPaths(_program(), path, _folder(settings, who), who)
        if setting_up.make_folder(club):
            click.echo(f"{club.folder}: made, for {who} alone")
        path.parent.mkdir(parents=True, exist_ok=True)
        setting_up.write_new(path, text)
        click.echo(f"{path}: made; every other setting is in it as a comment")
    settings = config.load(str(path)).settings
    if not is_new:
        _refuse_other_answers(path, settings, given)
        _refuse_without_email(settings, server, test=test)
    club = setting_up.ClubPaths(_program(), path, _folder(settings, who), who)
    _run(club, "init", without=f"{path}: " if is_new else "")
    if services or (services is None and is_root):
        _install(club)
    if settings.mail.domain:
        found = setting_up.parse_server(server) if server else setting_up.find_server(greeted)
        _tell_lines(found, settings.mail.domain, club)
        if settings.mail.out != "none" and _is_wanted(test, found):
            _run(club, "mail", "test", "--wait", str(WAIT))
    _tell_chance(run, settings, club)
    _tell_next(club, sends=settings.mail.out != "none")


def _me() -> str:
    import pwd

    return pwd.getpwuid(os.geteuid()).pw_name


def _check_user(name: str) -> None:
    import pwd

    from adjudicator.core.message import say
    from adjudicator.service.base.context import Refusal

    try:
        uid = pwd.getpwnam(name).pw_uid
    except KeyError:
        raise Refusal(
            say(
                "there is no user {name} on this machine: `useradd --system --user-group "
                "--home-dir /var/lib/{name} --shell /usr/sbin/nologin {name}` makes one",
                name=name,
            )
        ) from None
    if os.geteuid() not in (0, uid):
        raise Refusal(say("only root can set up a club for {name}", name=name))


def _config(run: Run, is_root: bool) -> Path:
    from adjudicator import config, places

    if is_root and not (run.config or os.environ.get("ADJUD_CONFIG")):
        return places.MACHINE
    return config.wanted_file(run.config)


def _folder(settings: object, who: str) -> Path:
    """Return the club's folder that the settings name; it may be older than this command."""
    from adjudicator import config
    from adjudicator.config import Settings

    assert isinstance(settings, Settings)
    return Path(settings.folder) if settings.folder else config.key_file(settings).parent


def _program() -> str:
    """Return the program as it was called, so that a link to the newest version stays one."""
    called = Path(os.path.abspath(sys.argv[0]))
    return str(called if called.name == "adjud" else Path(sys.executable).with_name("adjud"))


def _defaults(is_root: bool, greeted: str) -> dict[str, str]:
    from adjudicator import places
    from adjudicator.cli.install import _own_zone
    from adjudicator.service.ops import setting_up

    return {
        "timezone": _own_zone(),
        "mail.out": setting_up.way_out(greeted),
        "folder": "/var/lib/adjud" if is_root else str(places.user_data()),
    }


def _refuse_other_answers(
    path: Path, settings: "Settings", given: Mapping[str, str | None]
) -> None:
    """Raise Refusal if there are answers to what is settled already, and that say otherwise."""
    from adjudicator import config
    from adjudicator.cli.master import at_terminal
    from adjudicator.config.page import sample
    from adjudicator.config.settings import value_of
    from adjudicator.core.message import say
    from adjudicator.service.base.context import Refusal
    from adjudicator.service.ops import setting_up

    there = {one.key: str(value_of(settings, one.key)) for one in QUESTIONS}
    named = {one.key: given[one.option.replace("-", "_")] for one in QUESTIONS}
    wanted = {key: answer.strip() for key, answer in named.items() if answer is not None}
    if wanted:
        text = setting_up.fill_in(sample(), {**there, **wanted})
        meant = config.read(text.encode(), path).settings
        refused = [
            say(
                "--{option} cannot be followed: {path} is there already; change {key} in it",
                option=one.option,
                path=str(path),
                key=one.key,
            )
            for one in QUESTIONS
            if one.key in wanted and value_of(meant, one.key) != value_of(settings, one.key)
        ]
        if refused:
            raise Refusal(*refused)
    if not at_terminal() and _is_something_there():
        raise Refusal(
            say("{path} is there already, so nothing is asked; change it yourself", path=str(path))
        )


def _refuse_without_email(settings: "Settings", server: str | None, *, test: bool | None) -> None:
    """Raise Refusal for options that are about emails in a club that has none."""
    from adjudicator.core.message import say
    from adjudicator.service.base.context import Refusal

    if server not in (None, "none") and not settings.mail.domain:
        raise Refusal(say("--server cannot be followed: the club has no domain (--domain)"))
    if test and (not settings.mail.domain or settings.mail.out == "none"):
        raise Refusal(say("--test cannot be followed: the club sends no email (--domain, --out)"))


def _is_something_there() -> bool:
    """Return whether something was piped to us, without waiting for it."""
    return _is_ready(0) and bool(sys.stdin.readline().strip())


def _is_ready(seconds: float) -> bool:
    """Return whether standard input has something, or has ended."""
    import select

    try:
        return bool(select.select([sys.stdin], [], [], seconds)[0])
    except (OSError, TypeError, ValueError):  # it is no file of the system's
        return True


def _piped_lines() -> list[str]:
    """Return the lines of standard input, of which there is one for each question; one more than
    there are questions, if there are more."""
    if not _is_ready(1):
        click.echo("adjud: waiting for answers on standard input; `</dev/null` has none", err=True)
    return [line.strip() for line in islice(sys.stdin or (), len(QUESTIONS) + 1)]


def _ask(path: Path, defaults: dict[str, str], given: dict[str, str | None], *, ask: bool) -> str:
    """Return the configuration that the answers make. A wrong answer is asked for again, if a
    person answers."""
    from adjudicator import config
    from adjudicator.config.page import sample
    from adjudicator.core.message import say
    from adjudicator.core.orders import shown
    from adjudicator.service.base.context import Refusal
    from adjudicator.service.ops import setting_up

    commented, answers, text = sample(), dict[str, str](), ""
    open_questions = [one for one in QUESTIONS if given[one.option.replace("-", "_")] is None]
    lines = _piped_lines() if open_questions and not ask else []
    is_piped = bool(lines)
    for question in QUESTIONS:
        is_without = question.key == "mail.out" and not answers.get("mail.domain")
        default = "" if is_without else defaults.get(question.key, "")
        answer = given[question.option.replace("-", "_")]
        is_asked = ask and answer is None and not is_without
        if is_piped and answer is None and not is_without:
            if not lines:
                raise Refusal(
                    say(
                        "standard input ends before the question '{question}'; nothing was made",
                        question=question.text,
                    )
                )
            answer = lines.pop(0) or None
        while True:
            if is_asked:
                answer = click.prompt(
                    question.text,
                    default=default,
                    show_default=bool(default),
                    prompt_suffix=" ",
                    err=True,
                )
            answers[question.key] = (default if answer is None else answer).strip()
            text = setting_up.fill_in(commented, answers)
            try:
                _check_folder(path, answers.get("folder", ""))
                config.read(text.encode(), path)
                break
            except config.ConfigTrouble as trouble:
                if not is_asked:
                    raise
                click.echo(f"adjud: {trouble.message}", err=True)
    if any(lines):
        raise Refusal(
            say(
                "standard input has more lines than questions: '{seen}'; nothing was made",
                seen=shown(next(filter(None, lines))),
            )
        )
    return text


def _check_folder(path: Path, folder: str) -> None:
    """Raise ConfigTrouble for a folder that would be seen from the configuration's own, which
    nobody means here."""
    from adjudicator.config import ConfigTrouble
    from adjudicator.core.message import say

    if folder and not folder.startswith("/"):
        raise ConfigTrouble(
            say(
                "{path}: {key} = '{seen}' is not valid; write {right}",
                path=str(path),
                key="folder",
                seen=folder,
                right=say("a path that begins with /, such as /var/lib/adjud"),
            )
        )


def _run(club: "ClubPaths", *words: str, without: str = "") -> None:
    """Run a command of ours as the club's user, and print what it says, but for lines that begin
    in one way. Its own sentence says what is wrong, if anything is."""
    done = _as_user(club.user, "--config", str(club.config), *words)
    for line in done.stdout.splitlines():
        if not (without and line.startswith(without)):
            click.echo(line)
    click.echo(done.stderr, nl=False, err=True)
    if done.returncode:
        raise click.exceptions.Exit(done.returncode)


def _as_user(name: str, *words: str) -> "subprocess.CompletedProcess[str]":
    import pwd

    user = pwd.getpwnam(name)
    is_other = user.pw_uid != os.geteuid()
    clean = {name: os.environ[name] for name in ("PATH", "LANG", "TZ") if name in os.environ}
    sys.stdout.flush()
    return subprocess.run(  # noqa: S603  # no shell; the program itself
        [sys.executable, "-m", "adjudicator", *words],
        cwd="/",
        env={**clean, "HOME": user.pw_dir},
        user=user.pw_uid if is_other else None,
        group=user.pw_gid if is_other else None,
        extra_groups=() if is_other else None,
        capture_output=True,
        text=True,
    )


def _check_program(user: str) -> None:
    """Raise Refusal if the club's user may not run the program: then nothing is made."""
    from adjudicator.core.message import say
    from adjudicator.service.base.context import Refusal

    try:
        ran = _as_user(user, "--version").returncode == 0
    except PermissionError:
        ran = False
    if not ran:
        raise Refusal(
            say(
                "{user} may not run {program}; install adjud where every user can, such as in "
                "/opt, with a python3 that every user may run",
                user=user,
                program=sys.executable,
            )
        )


def _install(club: "ClubPaths") -> None:
    """Put the units and the link where there are none, and start what is new."""
    from adjudicator.service.ops import setting_up

    if setting_up.make_link(club.program):
        click.echo(f"{setting_up.LINK}: made, a link to {club.program}")
    if not setting_up.BOOTED.is_dir():
        click.echo("systemd does not run here; let cron run the club, every minute:")
        click.echo(
            f"    * * * * *  {club.user}  {club.program} --config {club.config} tick --quiet"
        )
        return
    units = setting_up.units_for(club)
    for name, text in units.items():
        path = setting_up.UNITS / name
        if path.exists():
            click.echo(f"{path}: there already, left alone")
            continue
        setting_up.write_new(path, text)
        click.echo(f"{path}: made")
    _systemctl("daemon-reload")
    _systemctl("enable", "--now", *setting_up.enabled_units(units))


def _systemctl(*words: str) -> None:
    command = ["systemctl", *words]
    done = subprocess.run(command, capture_output=True, text=True)  # noqa: S603  # no shell
    if done.returncode:
        click.echo(f"adjud: `systemctl {' '.join(words)}` failed: {done.stderr.strip()}", err=True)


def _tell_lines(server: "MailServer | None", domain: str, club: "ClubPaths") -> None:
    from adjudicator.service.ops import setting_up

    if server is None or not server.lines:
        click.echo(str(setting_up.without_lines(server, domain, club)))
        return
    click.echo(
        f"{server.name} must pass the emails to {domain} on. Add these lines; if one of the "
        "settings is there already, add to it:"
    )
    for file, lines in setting_up.lines_for(server, domain, club):
        click.echo(f"\n{file}:\n")
        click.echo("\n".join(f"    {line}".rstrip() for line in lines.splitlines()))
    click.echo(f"\nthen `{server.reload}`")


def _is_wanted(test: bool | None, server: "MailServer | None") -> bool:
    """Return whether the way home is tested now; a person first puts the lines in place."""
    from adjudicator.cli.master import at_terminal

    if test is not None or server is None or not at_terminal():
        return bool(test)
    return click.confirm("Are they in place, to test the way home now?", default=True, err=True)


def _tell_chance(run: Run, settings: "Settings", club: "ClubPaths") -> None:
    """Say how nobody can choose the chance of new matches, if this machine reaches drand."""
    import shlex
    from textwrap import indent

    from adjudicator.core.beacon import NoLibrary
    from adjudicator.core.public_chance import DRAND
    from adjudicator.service.matches import entering
    from adjudicator.service.ops import setting_up

    if settings.club.chance == DRAND:
        return
    command = settings.chance.command or setting_up.FETCH
    why = entering.why_not_fetched(shlex.split(command), run.now)
    if why not in (None, NoLibrary.message):
        return
    click.echo(f"\n{setting_up.message_for_drand(club.config)}\n")
    click.echo(indent(setting_up.drand_lines(command), "    "))
    if why is not None:
        click.echo(f"\n{why}")


def _tell_next(club: "ClubPaths", *, sends: bool) -> None:
    from shutil import which

    from adjudicator.core.message import Message

    program = "adjud" if which("adjud") else club.program
    words: Sequence[str] = (program, "--config", str(club.config))
    if club.user != _me():
        words = ("runuser", "-u", club.user, "--", *words)
    adjud = " ".join(words)
    confirmed = "" if sends else " --confirmed"
    hint(Message(f"`{adjud} player add NAME ADDRESS{confirmed}`"))
    hint(Message(f"`{adjud} new GAME --seat SEAT=NAME --seat SEAT=computer`"))


_with_questions(setup)
