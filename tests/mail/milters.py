"""Milters that check who sent an email, by the lines of docs/server.md, each in its own folder."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.mail.mtas import daemon, written
from tests.mail.servers import free_port

OPENDKIM, OPENDMARC = Path("/usr/sbin/opendkim"), Path("/usr/sbin/opendmarc")
RSPAMD = Path("/usr/bin/rspamd")
PACKAGES = "opendkim opendmarc rspamd"
SIGNED, SELECTOR = "players.test.invalid", "t"  # the domain whose emails from here are signed


def missing() -> str | None:
    absent = [path.name for path in (OPENDKIM, OPENDMARC, RSPAMD) if not path.exists()]
    if absent:
        return f"no {', '.join(absent)}: apt-get install --no-install-recommends {PACKAGES}"
    return None


def postfix_lines(*ports: int) -> str:
    """Return the manual's lines of `main.cf` for milters at these ports."""
    milters = ", ".join(f"inet:127.0.0.1:{port}" for port in ports)
    return re.sub("(?m)^smtpd_milters = .*", f"smtpd_milters = {milters}", written("Milters of"))


DKIM = """
UserID opendkim
Syslog no
Background no
DNSTimeout 1
RequireSafeKeys no
Domain {domain}
Selector {selector}
KeyFile {base}/key.pem
Canonicalization relaxed/relaxed
TestDNSData file:{base}/dns
"""


@contextmanager
def opendkim(base: Path) -> Iterator[int]:
    """Start OpenDKIM: it signs one domain's emails from this machine and knows its key without
    DNS."""
    port = _made(base)
    _key(base)
    lines = _moved(written("OpenDKIM"), "8891", port)
    lines += DKIM.format(base=base, domain=SIGNED, selector=SELECTOR)
    (base / "opendkim.conf").write_text(lines)
    with daemon([OPENDKIM, "-f", "-x", base / "opendkim.conf"], port, base):
        yield port


def _key(base: Path) -> None:
    private = base / "key.pem"
    subprocess.run(["openssl", "genrsa", "-out", private, "2048"], check=True, capture_output=True)
    shutil.chown(private, "opendkim", "opendkim")
    private.chmod(0o600)
    shown = subprocess.run(
        ["openssl", "rsa", "-in", private, "-pubout"], check=True, capture_output=True, text=True
    )
    public = "".join(line for line in shown.stdout.splitlines() if not line.startswith("-"))
    record = f"{SELECTOR}._domainkey.{SIGNED} v=DKIM1; k=rsa; p={public}\n"
    (base / "dns").write_text(record)


DMARC = """
UserID opendmarc
Syslog no
Background no
DNSTimeout 1
"""


@contextmanager
def opendmarc(base: Path) -> Iterator[int]:
    port = _made(base)
    lines = _moved(written("OpenDMARC"), "8893", port)
    (base / "opendmarc.conf").write_text(lines + DMARC)
    with daemon([OPENDMARC, "-f", "-c", base / "opendmarc.conf"], port, base):
        yield port


# Otherwise it would first load the suffixes of all domains, for minutes on a busy machine.
OPTIONS = """
url_tld = "{base}/suffixes";
dns {{ nameserver = ["127.0.0.1:1"]; timeout = 0.2s; retransmits = 1; }}
"""


@contextmanager
def rspamd(base: Path) -> Iterator[int]:
    """Start rspamd as a milter alone, which asks nobody."""
    port = _made(base)
    local = base / "local.d"
    local.mkdir()
    (base / "suffixes").write_text("org\ninvalid\n")
    for name in ("db", "logs", "run"):
        (base / name).mkdir()
        shutil.chown(base / name, "_rspamd", "_rspamd")
    proxy = f'bind_socket = "127.0.0.1:{port}";\nupstream "local" {{ self_scan = yes; }}\n'
    for name, text in (
        ("milter_headers.conf", written("rspamd")),
        ("worker-proxy.inc", proxy),
        ("worker-normal.inc", "enabled = false;\n"),
        ("worker-controller.inc", "enabled = false;\n"),
        ("options.inc", OPTIONS.format(base=base)),
        ("logging.inc", 'type = "console";\n'),
    ):
        (local / name).write_text(text)
    places = {"LOCAL_CONFDIR": base, "DBDIR": base / "db", "RUNDIR": base / "run"}
    named = [word for name, path in places.items() for word in ("--var", f"{name}={path}")]
    command = [RSPAMD, "-f", "-u", "_rspamd", "-g", "_rspamd", *named]
    with daemon([*command, "-c", "/etc/rspamd/rspamd.conf"], port, base, 120):
        yield port


def _made(base: Path) -> int:
    base.mkdir()
    base.chmod(0o755)
    return free_port()


def _moved(lines: str, theirs: str, ours: int) -> str:
    assert lines.count(theirs) == 1
    return lines.replace(theirs, str(ours))
