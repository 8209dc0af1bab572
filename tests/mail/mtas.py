"""Mail servers that hand emails to our program by the lines of docs/server.md.

The lines are read out of it, so what is written there is what was tried. Each server has a folder
of its own and high ports.
"""

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.mail.servers import USER, free_port, wait_for

BOOK = Path(__file__).parents[2] / "docs" / "server.md"
EXIM, OPENSMTPD = Path("/usr/sbin/exim4"), Path("/usr/sbin/smtpd")
QUEUE = Path("/var/spool/smtpd")  # OpenSMTPD knows no other
# Installing their packages would remove Postfix, so .ci/run takes only what is needed from them.
UNPACKED: Mapping[str, Sequence[Path]] = {
    "Exim": (EXIM,),
    "OpenSMTPD": (OPENSMTPD, Path("/usr/libexec/opensmtpd"), QUEUE),
}
OTHERS = Path("/etc/smtpd.conf")  # of an OpenSMTPD that was installed, whose queue that is


def cannot_run(name: str) -> str | None:
    """Return why none of these servers can run here."""
    absent = [str(path) for path in UNPACKED[name] if not path.exists()]
    if absent:
        return f"no {', '.join(absent)}: .ci/run takes them out of their packages"
    if name == "OpenSMTPD" and OTHERS.exists():
        return "there is an OpenSMTPD on this machine already"
    return None


def written(whose: str) -> str:
    """Return the indented lines under the sentence of the administrator's book that begins so."""
    _, _, chapter = BOOK.read_text("utf-8").partition("## Mail servers\n")
    (found,) = re.findall(rf"^{re.escape(whose)}.*:\n\n((?:    .*\n|\n)+)", chapter, re.MULTILINE)
    return re.sub(r"(?m)^    ", "", found)


def lines(whose: str, program: Path, config: Path) -> str:
    """Return the book's lines with our paths and our user instead of its own."""
    text = written(whose)
    for theirs, ours in (
        ("/opt/adjud/bin/adjud", str(program)),
        ("/etc/adjud.toml", str(config)),
        ("user=adjud", f"user={USER}"),
        ("user = adjud", f"user = {USER}"),
        ("= adjud }", f"= {USER} }}"),
    ):
        text = text.replace(theirs, ours)
    assert "/opt/" not in text
    assert "/etc/adjud" not in text
    return text


MAIN = """
compatibility_level = 3.6
queue_directory = {base}/spool
data_directory = {base}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
maillog_file = {base}/log/mail.log
maillog_file_prefixes = /tmp
inet_interfaces = loopback-only
inet_protocols = ipv4
myhostname = mx.test.invalid
mydestination =
alias_maps =
alias_database =
mynetworks = 127.0.0.0/8
default_transport = error:no outside mail
smtpd_recipient_restrictions = permit_mynetworks, reject_unauth_destination
# Not one second: the queue manager would come back while the pipe still holds the letter's file,
# say "skipped, still being delivered", and leave it for a minute.
minimal_backoff_time = 3s
maximal_backoff_time = 4s
queue_run_delay = 1s
# A server of one that could not be reached is tried again at once, not after a while.
destination_concurrency_failed_cohort_limit = 0
procmail_destination_recipient_limit = 1
maildrop_destination_recipient_limit = 1
smtpd_tls_cert_file = {base}/cert.pem
smtpd_tls_key_file = {base}/key.pem
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:{passwords}
"""

MASTER = """
127.0.0.1:{port} inet n - n - - smtpd
127.0.0.1:{starttls} inet n - n - - smtpd
  -o smtpd_tls_security_level=encrypt {login}
127.0.0.1:{smtps} inet n - n - - smtpd
  -o smtpd_tls_wrappermode=yes {login}
pickup  unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr    unix n - n 5 1 qmgr
tlsmgr  unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce  unix - - n - 0 bounce
defer   unix - - n - 0 bounce
trace   unix - - n - 0 bounce
verify  unix - - n - 1 verify
flush   unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
showq   unix n - n - - showq
error   unix - - n - - error
retry   unix - - n - - error
lmtp    unix - - n - - lmtp
anvil   unix - - n - 1 anvil
scache  unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
procmail unix - n n - 2 pipe flags=DORX user={user} null_sender=
  argv=/usr/bin/procmail -t {base}/etc/procmailrc
maildrop unix - n n - 2 pipe flags=DORX user={user} null_sender=
  argv=/usr/bin/maildrop {base}/etc/maildroprc
"""
LOGIN = (
    "-o smtpd_sasl_auth_enable=yes -o smtpd_recipient_restrictions=permit_sasl_authenticated,reject"
)


class Postfix:
    """A Postfix with queue, log and configuration in a folder of its own."""

    def __init__(
        self, base: Path, transports: Mapping[str, str], main: str, master: str, passwords: int
    ) -> None:
        """Write the configuration.

        `main` and `master` are the manual's lines, for one domain; `transports` are for more.
        `passwords` is the port of the Dovecot that knows them.
        """
        self.base = base
        self.port, self.starttls, self.smtps = (free_port() for _ in range(3))
        for name in ("etc", "spool", "data", "log"):
            (base / name).mkdir(parents=True, mode=0o755)
        shutil.chown(base / "data", "postfix")
        more = "".join(f", {{ {domain} = {way} }}" for domain, way in transports.items())
        routed = main.replace("adjud: }", f"adjud: }}{more}")
        domains = "".join(f"\n  {domain}" for domain in transports)
        routed = re.sub(r"(?m)^relay_domains = .*", rf"\g<0>{domains}", routed)
        assert routed.count("{") == len(transports) + 2
        start = MAIN.format(base=base, passwords=passwords)
        (base / "etc" / "main.cf").write_text(start + routed)
        ports = {"port": self.port, "starttls": self.starttls, "smtps": self.smtps}
        services = MASTER.format(**ports, login=LOGIN, user=USER, base=base)
        (base / "etc" / "master.cf").write_text(services + master)

    def adds(self, main: str) -> None:
        """Add lines to `main.cf`, before the server is started."""
        with (self.base / "etc" / "main.cf").open("a") as file:
            file.write(f"\n{main}\n")

    def start(self) -> None:
        self.control("start")
        wait_for(self.port)

    def stop(self) -> None:
        self.control("stop")

    def control(self, word: str) -> None:
        """Run a command of Postfix. Its output is a file, because the daemons keep the output that
        they started with."""
        with (self.base / "start.log").open("ab") as log:
            command = ["postfix", "-c", self.base / "etc", word]
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    @property
    def log(self) -> str:
        return _text(self.base / "log" / "mail.log")


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.exists() else ""


# As an unprivileged user it delivers as nobody but itself, and needs no file of the system.
EXIM_MAIN = """
spool_directory = {base}/spool
log_file_path = {base}/%slog
pid_file_path = {base}/exim.pid
primary_hostname = mx.test.invalid
local_interfaces = 127.0.0.1
daemon_smtp_ports = {port}
tls_advertise_hosts =
exim_user = {user}
exim_group = {user}
never_users =
keep_environment =
deliver_drop_privilege
acl_smtp_rcpt = to_us
begin acl
to_us:
  accept domains = play.example.org
begin retry
* * F,1h,1s
"""


@contextmanager
def exim(base: Path, configuration: str) -> Iterator[tuple[int, Path]]:
    """Start an Exim with these routers and transports; return its port and its log."""
    port = free_port()
    file = base / "exim.conf"
    file.write_text(EXIM_MAIN.format(base=base, port=port, user=USER) + configuration)
    command = [EXIM, "-C", file, "-bdf", "-q1s", "-oX", f"127.0.0.1.{port}"]
    with daemon(command, port, base, user=USER, group=USER, extra_groups=[]):
        yield port, base / "mainlog"


@contextmanager
def opensmtpd(base: Path, configuration: str) -> Iterator[tuple[int, Path]]:
    """Start an OpenSMTPD with these actions; return its port and its log."""
    port = free_port()
    file = base / "smtpd.conf"
    file.write_text(f"listen on 127.0.0.1 port {port}\n{configuration}")
    _empty(QUEUE)
    with daemon([OPENSMTPD, "-d", "-f", file], port, base):
        yield port, base / "log"
    _empty(QUEUE)


def _empty(folder: Path) -> None:
    for inside in folder.iterdir():
        shutil.rmtree(inside)


@contextmanager
def daemon(
    command: Sequence[Path | str], port: int, base: Path, patience: float = 20, **who: object
) -> Iterator[None]:
    """Run a server in the foreground, so that it ends with us, and without a pipe, which it would
    keep open."""
    with (base / "log").open("wb") as log:
        server = subprocess.Popen(  # type: ignore[call-overload]
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=base, **who
        )
    try:
        wait_for(port, patience)
        yield
    finally:
        server.terminate()
        server.wait(20)
