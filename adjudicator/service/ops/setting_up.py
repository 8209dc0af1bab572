"""Set up a club on a server: its configuration, its folder, and the lines for its mail server.

The lines and units are those of the manual and of the examples, which come with the program, with
this club's own paths in them: what is tested there is what is told here.
"""

import contextlib
import os
import pwd
import re
import shutil
import socket
from collections.abc import Iterator, Mapping, Sequence
from json import dumps
from pathlib import Path

from msgspec import Struct

from adjudicator.config.page import as_toml
from adjudicator.core.beacon import CHAIN
from adjudicator.core.message import Message, say
from adjudicator.places import naming, user_data
from adjudicator.resources import folder
from adjudicator.service.base.context import Refusal


class ClubPaths(Struct, frozen=True):
    """Where the club is, and who it is on this machine."""

    program: str
    config: Path
    folder: Path
    user: str


# The configuration.


def fill_in(sample: str, answers: Mapping[str, str]) -> str:
    """Return the sample with the settings that were answered, as `section.key`.

    Empty answers leave the comment that shows the default.
    """
    open_answers = {key: value for key, value in answers.items() if value}
    section, lines = "", []
    for line in sample.splitlines():
        if found := re.fullmatch(r"\[([\w.]+)\]", line):
            section = f"{found[1]}."
        shown = re.match(r"# (\w+) = ", line)
        if shown and (answer := open_answers.pop(f"{section}{shown[1]}", "")):
            line = f"{shown[1]} = {dumps(answer, ensure_ascii=False)}"
        lines.append(line)
    assert not open_answers, open_answers
    return "\n".join([*lines, ""])


def write_new(path: Path, text: str, *, mode: int = 0o644) -> None:
    """Write a file where none is. Raises Refusal if there is one, or its folder is missing."""
    try:
        # Not through a link that leads nowhere.
        with naming(path), path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise Refusal(say("{path} already exists; nothing was written", path=str(path))) from None
    except FileNotFoundError:
        raise Refusal(say("there is no folder {path}", path=str(path.parent))) from None
    path.chmod(mode)


def make_folder(club: ClubPaths) -> bool:
    """Make the club's folder for its user alone; return whether it was made.

    Raises Refusal if it is somebody else's.
    """
    path, user = club.folder, pwd.getpwnam(club.user)
    if path.is_dir():
        if (owner := path.stat().st_uid) != user.pw_uid:
            raise Refusal(
                say(
                    "{path} belongs to {owner}, not to {user}; name another folder, or its user",
                    path=str(path),
                    owner=_name_of(owner),
                    user=club.user,
                )
            )
        return False
    try:
        path.mkdir(mode=0o700, parents=path == user_data())  # no fresh home has one
    except FileNotFoundError:
        raise Refusal(say("there is no folder {path}", path=str(path.parent))) from None
    except FileExistsError:
        raise Refusal(say("{path} is not a folder", path=str(path))) from None
    if os.geteuid() == 0:
        os.chown(path, user.pw_uid, user.pw_gid)
    return True


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


# The mail server.


class MailServer(Struct, frozen=True):
    """A mail server: how it greets, its program, and its lines in the manual.

    `lines` has, for each file of it, how the manual's sentence above the lines begins.
    """

    name: str
    greeting: str
    program: str
    lines: Mapping[str, str]
    reload: str


SERVERS: Sequence[MailServer] = (
    MailServer(
        "Postfix",
        "Postfix",
        "postfix",
        {
            "/etc/postfix/master.cf": "Postfix, `master.cf`",
            "/etc/postfix/main.cf": "Postfix, `main.cf`",
        },
        "postfix reload",
    ),
    MailServer(
        "Exim",
        "Exim",
        "exim4",
        {"the configuration of Exim": "Exim, a router"},
        "systemctl restart exim4",
    ),
    MailServer(
        "OpenSMTPD",
        "OpenSMTPD",
        "smtpd",
        {"/etc/smtpd.conf": "OpenSMTPD"},
        "systemctl restart opensmtpd",
    ),
    MailServer("sendmail", "Sendmail", "sendmail", {}, ""),
)
NAMES = (*(server.name for server in SERVERS), "none")
_SMTP = ("localhost", 25)


def greeting() -> str:
    """Return what this machine's mail server says when one connects; empty if none listens."""
    try:
        with socket.create_connection(_SMTP, timeout=3) as line:
            line.settimeout(3)
            return line.recv(512).decode("ascii", "replace")
    except OSError:
        return ""


def find_server(greeted: str) -> MailServer | None:
    """Return this machine's mail server: the one that answers, else the first that is installed."""
    for server in SERVERS:
        if server.greeting in greeted:
            return server
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
    return next((one for one in SERVERS if shutil.which(one.program, path=path)), None)


def parse_server(server: str) -> MailServer | None:
    return next((one for one in SERVERS if one.name == server), None)


def way_out(greeted: str) -> str:
    """Return the way out that this machine offers. A server with lines of its own listens on the
    loopback, once it runs, and the units let nobody use `sendmail`."""
    server = find_server(greeted)
    if greeted.startswith("220") or (server is not None and server.lines):
        return "smtp://localhost:25"
    return "sendmail" if shutil.which("sendmail", path="/usr/sbin:/usr/lib") else "none"


def lines_for(server: MailServer, domain: str, club: ClubPaths) -> Iterator[tuple[str, str]]:
    """Yield each file of the server and the lines for it, as the manual has them."""
    manual = (folder("docs") / "server.md").read_text("utf-8")
    _, _, chapter = manual.partition("## Mail servers\n")
    for file, whose in server.lines.items():
        (found,) = re.findall(
            rf"^{re.escape(whose)}.*:\n\n((?:    .*\n|\n)+)", chapter, re.MULTILINE
        )
        yield file, _ours(re.sub(r"(?m)^    ", "", found).strip("\n"), domain, club)


def _ours(text: str, domain: str, club: ClubPaths) -> str:
    for theirs, ours in (
        ("play.example.org", domain),
        ("/opt/adjud/bin/adjud", club.program),
        ("/etc/adjud.toml", str(club.config)),
        ("/var/lib/adjud", str(club.folder)),
        ("user=adjud", f"user={club.user}"),
        ("user = adjud", f"user = {club.user}"),
        ("User=adjud", f"User={club.user}"),
        ("= adjud }", f"= {club.user} }}"),
    ):
        text = text.replace(theirs, ours)
    return text


def without_lines(server: MailServer | None, domain: str, club: ClubPaths) -> Message:
    """Say what to do where the manual has no lines for the mail server."""
    if server is None:
        return say(
            "no mail server was found on this machine: set mail.fetch in {config} to the mailbox "
            "of {domain} that a tick should empty, or see docs/server.md",
            config=str(club.config),
            domain=domain,
        )
    return say(
        "{server} has no tested lines: let it put the emails to {domain} into a mailbox of its "
        'own, such as with that domain in /etc/mail/local-host-names, and write `fetch = "mbox:'
        '/var/mail/{user}"` below [mail] in {config}',
        server=server.name,
        domain=domain,
        user=club.user,
        config=str(club.config),
    )


# Chance that nobody can choose.

FETCH = f"curl -sf https://api.drand.sh/{CHAIN}/public/{{round}}"  # as docs/server.md has it


def message_for_drand(config: Path) -> Message:
    """Say that a round of drand was fetched, and what the lines below are for."""
    return say(
        "a round of drand was fetched. If new matches use one, nobody can choose what is random in "
        "them, and they begin an hour after their last seat is taken. To make that the default, "
        "write these lines into {config}; where a section is there already, put the line below its "
        "name:",
        config=str(config),
    )


def drand_lines(command: str) -> str:
    """Return the lines of the configuration that make rounds of drand the default."""
    return f'[club]\nchance = "drand"\n\n[chance]\ncommand = {as_toml(command)}'


# The units of systemd, and the link by which a shell finds the program.

UNITS = Path("/etc/systemd/system")
LINK = Path("/usr/local/bin/adjud")
BOOTED = Path("/run/systemd/system")  # sd_booted(3)


def units_for(club: ClubPaths) -> dict[str, str]:
    """Return the units for ticks, doctor and backups, by the names of their files."""
    source = folder("examples") / "server"
    return {
        path.name: _ours(path.read_text("utf-8"), "", club)
        for kind in ("adjud-tick.*", "adjud-doctor.*", "adjud-backup.*", "tell-root@.service")
        for path in sorted(source.glob(kind))
    }


def enabled_units(units: Mapping[str, str]) -> list[str]:
    """Return those of the units that are started with the machine."""
    return [name for name, text in units.items() if "[Install]" in text]


def make_link(program: str) -> bool:
    """Let a shell find the program, unless it finds one there already."""
    if os.path.lexists(LINK) or not LINK.parent.is_dir() or program == str(LINK):
        return False
    with contextlib.suppress(FileExistsError):
        LINK.symlink_to(program)
        return True
    return False
