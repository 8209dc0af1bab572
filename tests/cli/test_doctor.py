"""Run `adjud doctor` on a set-up without a fault, and on every way in which one can be broken."""

import json
import os
import re
import shutil
import socket
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path

import dns.resolver
import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session

from adjudicator.mail.transport import spool
from tests.database import Store, parse_url
from tests.inside import checking, database, mail_setup
from tests.mail.nameserver import asking, nameserver
from tests.mail.servers import Receiver, free_port, smtp_server
from tests.processes import at_once
from tests.program import Adjud

Break = Callable[[Adjud], object]

MAIL = """operator = "games@example.org"
[mail]
domain = "play.example.org"
out = "folder:{out}/out"
"""
NEVER_SAVED = (
    "key: it was never backed up, and without it no seat's address works; run `adjud backup "
    "FILE`, or keep a copy and touch {}.saved"
)


def bad(adjud: Adjud, *words: str, at: str | None = "2026-11-21 12:00:00") -> list[str]:
    """Return what the doctor finds wrong; the exit code says the same."""
    answer = adjud("doctor", *words, at=at)
    assert answer.err == ""
    found = [line for line in answer.out.splitlines() if line.startswith("BAD ")]
    assert answer.code == (1 if found else 0)
    return [line.removeprefix("BAD ") for line in found]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a club that plays by mail, made once."""
    club = Adjud(tmp_path_factory.mktemp("kept"))
    club.club()
    club.write("adjud.toml", MAIL.format(out=club.folder))
    club.match("espionage-1", "--option", "deadline=every 3 days")
    club.came("white", "hello")
    club.does("tick")
    club.does("backup", str(club.folder / "b.tar.gz"))
    return club.folder


ZONE = {
    "play.example.org MX": ["10 mx.example.org."],
    "play.example.org TXT": ['"some other word"', '"v=spf1 mx " "-all"'],
    "mail._domainkey.play.example.org TXT": ['"v=DKIM1; k=rsa; p=MIGfMA0"'],
}


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, list[str]]]:
    """Return what the DNS knows, to be changed; nobody asks the real one."""
    known = dict(ZONE)
    with nameserver(known) as resolver:
        monkeypatch.setattr(dns.resolver, "default_resolver", resolver)
        yield known


@pytest.fixture
def well(adjud: Adjud, kept: Path, zone: object) -> Adjud:
    """Return a club in which nothing is wrong."""
    shutil.copytree(kept, adjud.folder, dirs_exist_ok=True)
    adjud.write("adjud.toml", MAIL.format(out=adjud.folder))
    return adjud


def test_of_a_well_club_nothing_is_wrong(well: Adjud) -> None:
    assert bad(well) == []
    assert well.does("doctor", "--quiet") == ""


def spool_of(adjud: Adjud) -> Path:
    return adjud.folder / "data/adjud/spool"


def damage_a_page(adjud: Adjud) -> None:
    """Overwrite a page of the table of reports, as a bad disk would."""
    with sqlite3.connect(adjud.file) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'report'"
        ).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    with adjud.file.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(os.urandom(size))


def test_a_damaged_page_is_a_line_and_the_rest_is_looked_at_all_the_same(well: Adjud) -> None:
    damage_a_page(well)
    well.write("adjud.toml", (well.folder / "adjud.toml").read_text() + 'fetch = "mbox:/no"\n')
    told = bad(well)
    assert any(line.startswith("database: ") or "is damaged" in line for line in told), told
    assert [line for line in told if line.startswith("mail.fetch: there is no mailbox /no")]
    assert len(told) == len(set(told))
    assert len(told) < 8


def test_a_database_that_is_gone_does_not_hide_what_else_is_wrong(well: Adjud) -> None:
    for path in well.folder.glob("adjud.db*"):
        path.unlink()
    spool_of(well).chmod(0o755)
    assert bad(well) == [
        f"there is no database at {well.file}; `adjud init` makes an empty one, "
        "`adjud backup --restore FILE` restores a club's",
        f"{spool_of(well)}: mode 0755, others can read emails; chmod 700",
    ]


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_what_belongs_to_root_is_named_and_the_rest_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`adjud init` was run by root, and so was the first email; cron runs as another user."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        monkeypatch.chdir(folder)
        club = Adjud(Path(folder))
        club.club()
        club.write("adjud.toml", MAIL.format(out=folder))
        club.came("white", "hello")
        bad(club)  # imports what the other user may not be able to reach
        for path in (club.folder, *club.folder.rglob("*")):
            os.chown(path, 12345, 12345)
        emails, key = spool_of(club), club.folder / "data/adjud/adjud.key"
        os.chown(emails, 0, 0)
        taken_by_root = [*(emails / "new").iterdir()]

        def look(_: int) -> None:
            os.setgid(12345)
            os.setuid(12345)
            assert bad(club) == [
                f"{emails}: this user cannot write there",
                f"{emails}: it belongs to another user (number 0)",
                NEVER_SAVED.format(key),
            ]

        def look_again(_: int) -> None:
            os.setgid(12345)
            os.setuid(12345)
            assert bad(club) == [
                f"spool: 1 in {emails}/new cannot be read by this user; the mail server must run "
                "the pipe as the user that runs the tick",
                NEVER_SAVED.format(key),
            ]

        at_once(1, look)
        os.chown(emails, 12345, 12345)
        for email in taken_by_root:
            os.chown(email, 0, 0)
        at_once(1, look_again)


def test_the_doctor_as_json(well: Adjud) -> None:
    def found(*words: str) -> list[dict[str, object]]:
        answer = well("doctor", "--format", "json", *words)
        assert answer.code == 1
        return [json.loads(line) for line in answer.out.splitlines()]

    spool_of(well).chmod(0o755)
    text = f"{spool_of(well)}: mode 0755, others can read emails; chmod 700"
    assert found("--quiet") == [
        {
            "check": "spool",
            "name": "spool.folder",
            "state": "bad",
            "text": text,
            "acknowledged": False,
        }
    ]
    everything = found()
    (clock,) = [each for each in everything if each["name"] == "clock"]
    assert (clock["check"], clock["state"], clock["text"]) == ("clock", "ok", "clock: plausible")
    assert [each["text"] for each in everything if each["state"] == "bad"] == [text]


# --- one thing broken at a time ------------------------------------------------------------------


def settings(adjud: Adjud, *replaced: tuple[str, str]) -> None:
    """Change the configuration."""
    text = (adjud.folder / "adjud.toml").read_text("utf-8")
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    adjud.write("adjud.toml", text)


def sql(*statements: str) -> Break:
    """Change the database by hand."""

    def change(adjud: Adjud) -> None:
        with sqlite3.connect(adjud.file) as connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()

    return change


def setting(line: str) -> Break:
    """Add a line to the section [mail]."""
    return lambda adjud: settings(adjud, ("[mail]", f"[mail]\n{line}"))


def key_of(adjud: Adjud) -> Path:
    return adjud.folder / "data/adjud/adjud.key"


def with_an_open_password(adjud: Adjud) -> None:
    adjud.write("password", "hemmelig")
    (adjud.folder / "password").chmod(0o644)
    setting(f'password_file = "{adjud.folder}/password"')(adjud)


def with_something_put_aside(adjud: Adjud) -> None:
    adjud.came("white", "hello")
    (email,) = (spool_of(adjud) / "new").iterdir()
    spool.put_aside(spool_of(adjud), email.name)


# Each fault: its name, how it is made, and what the doctor finds. `{here}` is the club's folder.
BROKEN: dict[str, tuple[Break, str]] = {
    "the database is of an older program": (
        sql("UPDATE alembic_version SET version_num = '0029'"),
        "the database is from an older adjud; `adjud db upgrade` brings it up to date",
    ),
    "the database is of a newer program": (
        sql("UPDATE alembic_version SET version_num = '9999'"),
        "the database is from a newer adjud than this one; install that one instead, or restore "
        "the backup from before `adjud db upgrade`",
    ),
    "the database has not all that its version should have": (
        sql("ALTER TABLE match DROP COLUMN hurried_ply"),
        "the database lacks match.hurried_ply, which its version should have; restore a backup "
        "from before `adjud db upgrade`, with the adjud of that time",
    ),
    "the database is none": (
        lambda adjud: adjud.file.write_text("a list of what to buy"),
        "{here}/adjud.db is not an adjud database, or it is damaged",
    ),
    "a row of the database refers to nothing": (
        sql(
            "INSERT INTO turn (match_id, ply, turn, cause, adjudicated_at, snapshot)"
            " VALUES (7, 0, 1, 'opening', '2026-11-21T11:00:00.000000Z', '{}')"
        ),
        "database: a row of turn refers to nothing",
    ),
    "others can read the database": (
        lambda adjud: adjud.file.chmod(0o644),
        "{here}/adjud.db: mode 0644, others can read every secret; chmod 600",
    ),
    "the clock stands before the last adjudication": (
        sql(
            "UPDATE turn SET adjudicated_at = '2027-01-01T12:00:00.000000Z'",
            "UPDATE clock SET last_tick_at = '2027-01-01T12:00:00.000000Z'",
        ),
        "clock: it is behind the last adjudication; set it right before the next tick",
    ),
    "nobody ticks": (
        sql("UPDATE match SET wake_at = '2026-11-21T10:00:00.000000Z'"),
        "tick: a match has been due for more than an hour; does cron call `adjud tick`?",
    ),
    "nobody sends": (
        sql(
            "UPDATE outbox SET status = 'waiting', next_at = '2026-11-21T10:00:00.000000Z' "
            "WHERE kind = 'report'"
        ),
        "emails: some have been due for more than an hour; does cron call `adjud tick`?",
    ),
    "a letter is stuck": (
        sql("UPDATE outbox SET status = 'stuck' WHERE id = 1"),
        "emails: 1 stuck; see `adjud mail queue list --status stuck`",
    ),
    "the configuration is another club's": (
        lambda adjud: adjud.write("adjud.toml", ""),
        "this club's email is sent from play.example.org, which this configuration does not "
        "know; use the club's own configuration, with --config",
    ),
    "others can read the spool": (
        lambda adjud: (spool_of(adjud) / "new").chmod(0o755),
        "{here}/data/adjud/spool/new: mode 0755, others can read emails; chmod 700",
    ),
    "nobody reads the spool": (
        lambda adjud: (spool_of(adjud) / "new" / "1763700000000000000.1.a").write_text("x"),
        "spool: an email has waited for more than an hour; does cron call `adjud tick`?",
    ),
    "something in the spool is no letter": (
        with_something_put_aside,
        "spool: 1 in {here}/data/adjud/spool/bad could not be read as email; move any that are "
        "back to {here}/data/adjud/spool/new",
    ),
    "the key is gone": (
        lambda adjud: key_of(adjud).unlink(),
        "there is no key at {here}/data/adjud/adjud.key, and without the club's own key no "
        "seat's address works: restore it from a backup, with `adjud backup --restore FILE "
        "--key-only`",
    ),
    "the key is none": (
        lambda adjud: key_of(adjud).write_text("k1 zz"),
        "{here}/data/adjud/adjud.key, line 1: a key must be a name and hex digits",
    ),
    "others can read the key": (
        lambda adjud: key_of(adjud).chmod(0o640),
        "{here}/data/adjud/adjud.key: mode 0640, others can read the secret; chmod 600",
    ),
    "the key was never backed up": (
        lambda adjud: Path(f"{key_of(adjud)}.saved").unlink(),
        NEVER_SAVED.format("{here}/data/adjud/adjud.key"),
    ),
    "there is no file with the password": (
        setting('password_file = "/no/such/file"'),
        "/no/such/file: this file does not exist or cannot be reached",
    ),
    "others can read the password": (
        with_an_open_password,
        "{here}/password: mode 0644, others can read the secret; chmod 600",
    ),
    "letters get no answer": (
        lambda adjud: settings(adjud, (f'out = "folder:{adjud.folder}/out"', "")),
        "mail: players can write to the club but get no reply; set mail.out",
    ),
    "there is no sendmail": (
        lambda adjud: settings(adjud, (f"folder:{adjud.folder}/out", "sendmail:/no/such")),
        "mail.out: there is no command /no/such",
    ),
    "there is no Maildir": (
        setting('fetch = "maildir:/no/such"'),
        "mail.fetch: /no/such is not a Maildir; a Maildir has the folders new and cur",
    ),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_each_broken_set_up_is_found(well: Adjud, broken: str) -> None:
    spoil, told = BROKEN[broken]
    spoil(well)
    assert told.replace("{here}", str(well.folder)) in bad(well)


def test_a_spool_that_is_a_file(well: Adjud) -> None:
    """The mail server is told to try again, until it sends the emails back."""
    file = well.write("letters", "x")
    settings(well, ("[mail]\n", f'[mail]\nspool = "{file}"\n'))
    assert f"spool: {file} is not a folder, so no email can be received" in bad(well)


@pytest.mark.parametrize("out", ["letters", "letters/below"])
def test_a_folder_for_emails_that_cannot_be_written(well: Adjud, out: str) -> None:
    well.write("letters", "x")
    config = (well.folder / "adjud.toml").read_text()
    way = re.search('out = "(.*)"', config)
    assert way is not None
    path = well.folder / out
    settings(well, (way[0], f'out = "folder:{path}"'))
    assert f"mail.out: cannot write into {path}" in bad(well)


def test_a_disk_that_is_nearly_full(well: Adjud, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(well.folder)._replace(free=99 * 2**20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    assert bad(well) == ["disk: 99 MiB free"]


def test_a_disk_so_full_that_not_even_the_database_can_be_opened(
    well: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite needs a small file beside it, and says no more than `disk I/O error`."""

    def unopened(url: str) -> Store:
        with database.sentences(parse_url(url)):
            raise sqlite3.OperationalError("disk I/O error")

    usage = shutil.disk_usage(well.folder)._replace(free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    monkeypatch.setattr(checking, "open_store", unopened)
    full = f"{well.file}: the disk cannot be read or written, or is full; nothing was stored. `"
    told, free = bad(well)[:2]
    assert told.startswith(full)
    assert free == "disk: 0 MiB free"


def test_questions_go_to_a_contact_that_is_not_the_clubs_own(well: Adjud) -> None:
    settings(well, ("[mail]", '[club]\ncontact = "Gerda <gerda@example.org>"\n[mail]'))
    assert bad(well) == []
    assert "club: questions of players go to gerda@example.org" in well("doctor").out
    settings(well, ("Gerda <gerda@example.org>", "adjud@play.example.org"))
    told = "club: questions of players would go to adjud@play.example.org, which is an address"
    assert any(line.startswith(told) for line in bad(well))


def test_without_an_operator_nobody_is_told_of_trouble(well: Adjud) -> None:
    settings(well, ('operator = "games@example.org"', ""))
    assert bad(well) == [
        "operator: no address is set, so nobody hears about a match that needs you; set operator"
    ]
    settings(well, (f'out = "folder:{well.folder}/out"', ""), ('domain = "play.example.org"', ""))
    assert not [line for line in bad(well) if line.startswith("operator")]


@pytest.mark.slow
def test_emails_that_are_refused_for_hours_are_told_with_the_servers_words(well: Adjud) -> None:
    receiver = Receiver()
    receiver.refuses["anna@example.org"] = "451 4.7.1 greylisted, for ever"
    out = f'out = "smtp://127.0.0.1:{receiver.port}"'
    settings(well, (f'out = "folder:{well.folder}/out"', out))
    with smtp_server(receiver):
        well.does("gm", "say", "espionage-1", "Hello")
        for moment in ("12:00:00", "12:06:00", "12:37:00"):
            well("tick", at=f"2026-11-21 {moment}")
        assert bad(well, at="2026-11-21 13:50:00") == []
        assert bad(well, at="2026-11-21 14:10:00") == [
            "emails: 1 has been refused for 2 hours: 451 4.7.1 greylisted, for ever"
        ]
    told = well("doctor", "--quiet", "--format", "json", at="2026-11-21 14:10:00").out
    assert "letters" in [json.loads(line)["check"] for line in told.splitlines()]


@pytest.mark.slow
def test_an_answer_that_waits_does_not_tell_who_has_sent(well: Adjud) -> None:
    """The game master may play against the seat whose receipt cannot go out."""
    send_by(well, free_port())
    silent = bad(well, at="2026-11-22 18:00:00")
    well.came("black", "ORDERS espionage-1 black", "SETUP RANDOM", "END")
    well.does("tick")
    (waiting,) = well.does("mail", "queue", "list", "--gm", "--status", "waiting").splitlines()
    assert "/black/receipt" in waiting
    assert bad(well, at="2026-11-22 18:00:00") == silent


class Picky(Receiver):
    """An SMTP server that refuses addresses with any of these texts in them."""

    def __init__(self, *refused: str, code: str = "550 5.1.1 no such user") -> None:
        super().__init__()
        self.refused, self.code = refused, code

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if any(part in address for part in self.refused):
            return self.code
        return await super().handle_RCPT(server, session, envelope, address, options)


def send_by(adjud: Adjud, port: int, host: str = "127.0.0.1", more: str = "") -> None:
    """Let emails go out by a server on this machine."""
    way = f'out = "smtp://{more}{host}:{port}"'
    settings(adjud, (f'out = "folder:{adjud.folder}/out"', way))


def test_a_server_that_takes_our_emails_gets_none_from_the_doctor(well: Adjud) -> None:
    with smtp_server(receiver := Receiver()):
        send_by(well, receiver.port)
        told = "accepts email to adjud+bounce.aaaaaaaaaaaaaaaa@play.example.org\n"
        assert f"ok  mail.out: the server answers and {told}" in well.does("doctor")
    assert receiver.connections == 1
    assert receiver.letters == []


def test_nothing_listens_on_the_way_out(well: Adjud) -> None:
    send_by(well, port := free_port())
    refused = f"mail.out: smtp://127.0.0.1:{port}: [Errno 111] Connection refused"
    assert bad(well) == [refused]


@pytest.mark.slow
def test_a_server_that_never_says_a_word_does_not_hang_the_doctor(
    well: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_setup, "SILENCE", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        send_by(well, port)
        (told,) = bad(well)
        assert told.startswith(f"mail.out: smtp://127.0.0.1:{port}: ")
        assert told.endswith("timed out")


@pytest.mark.slow
def test_a_resolver_that_hangs_does_not_hang_the_doctor(
    well: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = threading.Event()
    monkeypatch.setattr(mail_setup, "TIMEOUT_OF_SERVER", 0.3)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: asked.wait(20))
    send_by(well, 25, host="smtp.example.org")
    assert bad(well) == ["mail.out: no answer within 0.3 seconds"]
    asked.set()


def test_a_server_that_is_not_known_by_its_name(
    well: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    def getaddrinfo(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    send_by(well, 25, host="smtp.example.org")
    assert bad(well) == [
        "mail.out: smtp://smtp.example.org:25: [Errno -2] Name or service not known"
    ]


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
def test_a_server_that_refuses_our_password(well: Adjud) -> None:
    receiver = Receiver()
    well.write("password", "wrong")
    (well.folder / "password").chmod(0o600)
    settings(well, ("[mail]", f'[mail]\npassword_file = "{well.folder}/password"'))
    login = {"authenticator": receiver.login, "auth_required": True, "auth_require_tls": False}
    with smtp_server(receiver, **login):
        send_by(well, receiver.port, more="games@")
        (told,) = bad(well)
        assert told.startswith(f"mail.out: smtp://127.0.0.1:{receiver.port}: 535 5.7.8 ")
        well.write("password", "hemmelig")
        assert bad(well) == []


def test_a_server_that_takes_nothing_from_us(well: Adjud) -> None:
    receiver = Receiver()
    receiver.mail = "553 5.7.1 not your address"
    with smtp_server(receiver):
        send_by(well, receiver.port)
        (told,) = bad(well)
        assert told.endswith("@play.example.org: 553 5.7.1 not your address")


def test_a_server_that_does_not_know_our_domain(well: Adjud) -> None:
    with smtp_server(receiver := Picky("@play.example.org", code="554 5.7.1 relay denied")):
        send_by(well, receiver.port)
        assert bad(well) == [
            "mail: the server refuses email to adjud@play.example.org: 554 5.7.1 relay denied"
        ]


def test_sub_addresses_with_another_delimiter_at_the_server(well: Adjud) -> None:
    with smtp_server(receiver := Picky("adjud+")):
        send_by(well, receiver.port)
        assert bad(well) == [
            "mail.delimiter: the server accepts email to adjud@play.example.org but refuses it "
            "to adjud+bounce.aaaaaaaaaaaaaaaa@play.example.org: 550 5.1.1 no such user. Let it "
            "accept sub-addresses that begin with '+', or set mail.delimiter to the one it uses"
        ]
        settings(well, ('domain = "', 'delimiter = "-"\ndomain = "'))
        assert not [line for line in bad(well) if "the server" in line]


def test_a_server_that_cannot_say_now_is_no_fault(well: Adjud) -> None:
    with smtp_server(receiver := Picky("adjud+", code="450 4.7.1 come back later")):
        send_by(well, receiver.port)
        told = "??  mail.out: the server answers, but says not now: 450 4.7.1 come back later\n"
        assert told in well.does("doctor")
        assert well.does("doctor", "--quiet") == ""


def test_a_mailbox_at_which_nobody_answers(well: Adjud) -> None:
    port = free_port()
    settings(well, ("[mail]", f'[mail]\nfetch = "imap://adjud@127.0.0.1:{port}/INBOX"'))
    (told,) = bad(well)
    assert told.startswith(f"mail.fetch: imap://127.0.0.1:{port}/INBOX: [Errno 111]")


def test_emails_to_sub_addresses_of_an_older_configuration(well: Adjud) -> None:
    well.came("black", "hello")
    settings(well, ('domain = "', 'delimiter = "-"\ndomain = "'))
    well("tick")
    assert bad(well) == [
        "mail.delimiter: players' emails to adjud+… are not read, because the delimiter is '-'"
    ]
    settings(well, ('delimiter = "-"', 'delimiter = "+"'))
    assert bad(well) == []


def test_a_strangers_sub_address_says_nothing_of_the_delimiter(well: Adjud) -> None:
    email = b"From: x@example.net\r\nTo: adjud-list@play.example.org\r\n\r\nBuy!\r\n"
    to = "adjud-espionage-1.white.aaaaaaaaaaaaaaaa@play.example.org"
    spool.put(spool_of(well), BytesIO(email), sender="", recipient=to, channel="pipe")
    well("tick")
    assert bad(well) == []


# --- names ---------------------------------------------------------------------------------------


@pytest.fixture
def sending(well: Adjud) -> Iterator[Adjud]:
    """Return a club whose emails go out to the world, by a server."""
    with smtp_server(receiver := Receiver()):
        send_by(well, receiver.port)
        yield well


def dns_lines(adjud: Adjud) -> list[str]:
    return [line for line in adjud("doctor").out.splitlines() if " DNS: " in line]


def test_a_domain_whose_emails_come_home_and_are_believed(sending: Adjud) -> None:
    assert dns_lines(sending) == [
        "ok  DNS: email to play.example.org goes to mx.example.org",
        "ok  DNS: SPF of play.example.org: v=spf1 mx -all",
        "??  DNS: whether there is a DKIM key cannot be asked: set mail.dkim_selector to the "
        "selector of your server's key",
    ]


NO_SPF = (
    "DNS: play.example.org has no SPF record to name the servers that send its email; add a TXT "
    "record such as v=spf1 mx -all"
)
NO_KEY = (
    "DNS: there is no DKIM key at {}_domainkey.play.example.org: replies to players have no "
    "envelope sender, so only a signature can vouch for them; set mail.dkim_selector to the "
    "selector of your server's key"
)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (
            {"play.example.org MX": []},
            ["DNS: play.example.org has no MX record, so email to it goes nowhere"],
        ),
        ({"play.example.org MX": [], "play.example.org A": ["192.0.2.1"]}, []),
        (
            {"play.example.org MX": ["0 ."]},
            ["DNS: the MX record of play.example.org says that it accepts no email"],
        ),
        ({"play.example.org TXT": ['"some other word"']}, [NO_SPF]),
        ({"play.example.org TXT": ['"v=spf10 mx"']}, [NO_SPF]),
        (
            {"play.example.org TXT": ['"v=spf1 mx -all"', '"V=SPF1 a"']},
            ["DNS: play.example.org has 2 SPF records, so none of them is used"],
        ),
        (
            {"play.example.org TXT": ['"v=spf1 -all"']},
            ["DNS: the SPF record of play.example.org lets no server send its email"],
        ),
        (
            dict.fromkeys(ZONE),
            [
                "DNS: play.example.org has no MX record, so email to it goes nowhere",
                NO_SPF,
            ],
        ),
    ],
)
def test_a_domain_that_lacks_a_record(
    sending: Adjud,
    zone: dict[str, list[str]],
    changed: dict[str, list[str] | None],
    told: list[str],
) -> None:
    for name, records in changed.items():
        zone.pop(name, None)
        if records is not None:
            zone[name] = records
    assert bad(sending) == told


def test_the_key_of_the_selector_that_is_set(sending: Adjud, zone: dict[str, list[str]]) -> None:
    settings(sending, ("[mail]", '[mail]\ndkim_selector = "mail"'))
    key = "mail._domainkey.play.example.org"
    assert f"ok  DNS: there is a DKIM key at {key}" in dns_lines(sending)
    zone[f"{key} TXT"] = ['"v=DKIM1; p="']  # taken back
    assert bad(sending) == [NO_KEY.format("mail.")]
    settings(sending, ('dkim_selector = "mail"', 'dkim_selector = "other"'))
    assert bad(sending) == [NO_KEY.format("other.")]


@pytest.mark.slow
def test_without_a_network_the_doctor_says_that_it_could_not_ask(
    sending: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        monkeypatch.setattr(dns.resolver, "default_resolver", asking(silent.getsockname()[1]))
        monkeypatch.setattr(mail_setup, "TIMEOUT_OF_DNS", 0.3)
        why = "play.example.org could not be looked up: no answer within 0.3 seconds"
        assert dns_lines(sending) == [f"??  DNS: {why}"]
        assert sending.does("doctor", "--quiet") == ""


def test_a_name_that_is_not_public_is_not_asked_for(sending: Adjud) -> None:
    settings(sending, ("play.example.org", "games.local"))
    assert dns_lines(sending) == ["ok  DNS: games.local is not a public name"]


def test_nobody_is_asked_where_emails_never_leave_the_machine(well: Adjud) -> None:
    assert dns_lines(well) == []


# --- pictures ------------------------------------------------------------------------------------


@pytest.fixture
def without_png(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the extra `png`, as if it were not installed."""
    monkeypatch.setitem(sys.modules, "resvg_py", None)


WANTED = "pictures: emails should have them; this needs an extra: pip install '.[png]' in adjud's"


@pytest.mark.usefixtures("without_png")
def test_pictures_that_are_wanted_and_cannot_be_drawn(well: Adjud) -> None:
    told = "ok  pictures: emails have none; the extra png would draw the board\n"
    assert told in well.does("doctor")
    settings(well, ("[mail]", '[mail]\npictures = "always"'))
    assert bad(well) == [f"{WANTED} checkout"]
    settings(well, ('pictures = "always"', 'pictures = "never"'))
    assert bad(well) == []


def test_pictures_that_can_be_drawn_are_told(well: Adjud) -> None:
    told = "ok  pictures: players who want it get the board as a picture\n"
    assert told in well.does("doctor")


def test_emails_carry_a_picture_to_who_wishes_it_unless_the_club_has_none(well: Adjud) -> None:
    def pictures() -> list[bool]:
        sent = sorted((well.folder / "out").glob("*.eml"), key=lambda path: path.stat().st_mtime)
        return [b"image/png" in path.read_bytes() for path in sent]

    settings(well, ("[mail]", '[mail]\npictures = "never"'))
    well.match("espionage-2")
    shutil.rmtree(well.folder / "out", ignore_errors=True)
    well.does("tick")
    assert pictures() == [False, False]
    settings(well, ('pictures = "never"', 'pictures = "auto"'))
    with closing(sqlite3.connect(next(well.folder.rglob("adjud.db")))) as db, db:
        db.execute("UPDATE player SET board = 'picture' WHERE name = 'Anna'")
    well.match("espionage-3")
    well.does("tick")
    assert sum(pictures()) == 1
