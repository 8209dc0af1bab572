"""Emails out and in over TLS, with a login, signed by our own authority.

A real Postfix takes submissions, a real Dovecot keeps the mailbox.
"""

import pytest

from tests.mail.person import until
from tests.mail.realmail import Installed, Real
from tests.mail.servers import ELSEWHERE

pytestmark = pytest.mark.real


def secret(club: Installed) -> str:
    """Write a file that holds everybody's password."""
    path = club.folder / "password"
    path.write_text("hemmelig\n")
    path.chmod(0o644)  # it is made by root and read by the club
    return str(path)


def trust(real: Real, club: Installed) -> None:
    club.surroundings["SSL_CERT_FILE"] = str(real.base / "cert.pem")


@pytest.mark.parametrize("scheme", ["smtps", "smtp"])
def test_a_report_goes_out_by_tls_to_a_server_that_wants_a_password(
    real: Real, scheme: str
) -> None:
    club, anna = real.club(f"{scheme}.test.invalid"), real.person("Anna")
    servers = {
        "smtps": f"smtps://adjud@127.0.0.1:{real.postfix.smtps}",
        "smtp": f"smtp://adjud@{ELSEWHERE}:{real.postfix.starttls}",
    }
    club.configure(out=servers[scheme], password_file=secret(club))
    club("player", "add", "Anna", anna.address, "--confirmed")
    anna.new_emails()
    seats = ("--seat", "white=Anna", "--seat", "black=computer:random")
    club("new", "espionage", "--variant", "small-fast", *seats)
    assert "CERTIFICATE_VERIFY_FAILED" in club("tick")
    trust(real, club)
    club.later += 6
    club("tick")
    (report,) = anna.gets("report")
    assert "with ESMTPSA id" in "".join(report.get_all("Received", []))
    assert "sasl_username=adjud" in real.postfix.log


def test_a_mailbox_is_emptied_over_tls(real: Real) -> None:
    club, master = real.club("imaps.test.invalid"), real.person("GM")
    source = f"imaps://adjud@127.0.0.1:{real.imaps}/INBOX"
    club.configure(fetch_password_file=secret(club))
    master.writes(f"adjud@{real.MAILBOX}", "PING")
    refused = club.run(club.clocked, "mail", "fetch", source)
    assert refused.returncode == 1
    assert "CERTIFICATE_VERIFY_FAILED" in refused.stderr
    trust(real, club)
    until(lambda: club("mail", "fetch", source) == "1 email fetched\n")
    (email,) = club.waiting()
    assert email.envelope.channel == "imaps"
    assert b"PING" in email.raw
