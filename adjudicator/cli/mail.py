"""The commands `adjud mail`: emails in and out, and their queue."""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from adjudicator.cli import shell
from adjudicator.cli.shell import FORMAT, Commands, Run, as_json, rows

if TYPE_CHECKING:
    from adjudicator.service.base.keys import Entry, Which
    from adjudicator.store.database import Store


class EmailId(click.ParamType["Which"]):
    """The id of an email as `mail queue list` shows it: `in-k3f5qw2m`, `out-7c6d2mzt`."""

    name = "email"

    def convert(self, value: object, param: object, ctx: object) -> "Which":
        from adjudicator.service.base.keys import which_email

        found = which_email(str(value))
        if found is None:
            self.fail(
                f"{value!r} is not an email; write one like in-k3f5qw2m, as `queue list` shows it"
            )
        return found


ID = EmailId()


@click.group(cls=Commands)
def mail() -> None:
    """Receive, send and look after email.

    \b
        adjud mail queue list
    """


@mail.command()
@click.argument("words", nargs=-1, metavar="[SENDER RECIPIENT]")
@click.option("--sender", metavar="ADDRESS", help="The envelope's sender.")
@click.option("--recipient", metavar="ADDRESS", help="The envelope's recipient.")
@click.option("--spool", metavar="DIR", help="Folder for email until the next tick [ADJUD_SPOOL].")
def receive(words: tuple[str, ...], sender: str, recipient: str, spool: str) -> None:
    """Put one email from standard input into the spool.

    It is for a mail server's pipe. Exit 0 means that the email is safe, 75 that the server should
    keep it and try again. Sender and recipient come as SENDER and RECIPIENT from the environment,
    or from Return-Path and X-Original-To, if the server has written them above the email. On the
    command line everyone on the machine could see them while the command runs.

    \b
        adjud mail receive < email.eml
    """
    raise RuntimeError("__main__ dispatches this before Click is imported")


@mail.command()
@click.pass_obj
def send(run: Run) -> None:
    """Send the emails that are due; `tick` does this, too.

    \b
        adjud mail send
    """
    from adjudicator.service.outbound import delivery

    with run.club() as store:
        for sent in delivery.deliver(run.open_club(store)):
            click.echo(str(sent))


@mail.command()
@click.argument("address", required=False)
@click.option(
    "--wait",
    default=0,
    type=click.IntRange(0, 3600),
    metavar="SECONDS",
    help="Wait until the email has arrived; exit 1 if it has not.",
)
@click.pass_obj
def test(run: Run, address: str | None, wait: int) -> None:
    """Send an email to the club's own address, to test the way home.

    `adjud doctor` says whether it arrived. If mail.authserv_id is set, a second email has a forged
    verdict, which the mail server should remove. An email to ADDRESS shows its reader where to find
    SPF, DKIM and DMARC.

    \b
        adjud mail test
        adjud mail test --wait 60
        adjud mail test anna@example.org
    """
    from adjudicator.service.inbound import bounces

    if address is not None and wait:
        raise click.UsageError("--wait goes with the club's own address, not with an ADDRESS")

    with run.club() as store:
        if address is not None:
            told = bounces.test_to_somebody(run.open_club(store), address)
            click.echo(told)
            return
        for told in bounces.test_to_ourselves(run.open_club(store)):
            click.echo(told)
        if wait:
            _wait_for_test(run, store, wait)


def _wait_for_test(run: Run, store: "Store", seconds: int) -> None:
    """Read what arrives until the test email does. Another tick may read it as well."""
    from time import monotonic, sleep

    from adjudicator.cli.match import take_emails
    from adjudicator.core.message import say
    from adjudicator.service.base.context import Refusal
    from adjudicator.service.inbound import bounces

    end = monotonic() + seconds
    while True:
        take_emails(run, store)
        is_home = bounces.is_home(store)
        if is_home or (is_home is None and monotonic() > end):
            break
        if is_home is False:
            raise Refusal(say("the test email came back; `adjud doctor` shows why"))
        sleep(1)
        run.read_clock()
    if not is_home:
        raise Refusal(
            say(
                "the test email has not arrived within {n} seconds; does the mail server accept "
                "sub-addresses, and pass their email on to `adjud mail receive`?",
                n=seconds,
            )
        )
    click.echo("the test email arrived")


@mail.command()
@click.argument("source", metavar="SOURCE")
@click.option("--watch", is_flag=True, help="Stay and fetch each email when it arrives.")
@click.pass_obj
def fetch(run: Run, source: str, watch: bool) -> None:
    """Fetch email from a Maildir, an mbox file or an IMAP server.

    It goes into the spool. Fetched email is moved to the folder Processed; an mbox is emptied. A
    tick reads it. The password of an IMAP server is in the file that mail.fetch_password_file
    names.

    \b
        adjud mail fetch maildir:/var/mail/adjud
        adjud mail fetch imaps://adjud@imap.example.org/INBOX --watch
    """
    import time

    from adjudicator.core.message import say
    from adjudicator.service.base.context import Refusal, claim_spool
    from adjudicator.service.inbound import collecting

    if not run.settings.mail.domain:  # nobody would ever look for them in the spool
        raise Refusal(say("there is no address for incoming email; set mail.domain"))
    with run.club() as store:
        claim_spool(store, run.spool)
    given = (source, run.spool, run.fetch_password)
    if not watch:
        taken = collecting.fetch_mailbox(
            *given, lambda _, told: shell.write_log("warning", str(told))
        )
        click.echo(collecting.fetched_message(taken))
        return
    with _until_stopped():
        for told in collecting.watch_mailbox(*given, sleep=time.sleep):
            shell.write_result("info", str(told), run.settings.log.level)


@mail.command()
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS")
@click.option("--port", default=8024, show_default=True, type=click.IntRange(0, 65535))
@click.pass_obj
def serve(run: Run, host: str, port: int) -> None:
    """Receive email from the mail server by LMTP, until stopped.

    It goes into the spool. An email to an unknown address is refused before it is sent. Anyone who
    can connect can deliver email, so leave it on the loopback.

    \b
        adjud mail serve --port 8024
    """
    import signal

    from adjudicator.service.inbound import collecting

    def tell(told: object) -> None:
        shell.write_log("error", str(told))

    with (
        _until_stopped(),
        run.club() as store,
        collecting.serve_by_lmtp(store, run.context, host, port, tell),
    ):
        shell.write_result("info", f"taking emails on {host}:{port}", run.settings.log.level)
        while True:
            signal.pause()


class _StopRequest(BaseException):
    """Somebody asked the program to end. Nothing is lost by it, wherever it is."""


@contextlib.contextmanager
def _until_stopped() -> Iterator[None]:
    """Let SIGTERM and Ctrl-C end the block without a fault."""
    import signal

    def stop(number: int, frame: object) -> None:
        raise _StopRequest

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    with contextlib.suppress(_StopRequest):
        yield


@mail.group(cls=Commands)
def queue() -> None:
    """Look at emails that came in, wait to be sent, or are stuck.

    \b
        adjud mail queue list
    """


@queue.command("list")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    metavar="STATUS",
    help="Only these: kept, unconfirmed, waiting, sent, bounced of those that go out; received, "
    "duplicate, junk, parked, refused, accepted of those that came; stuck, dropped of both.",
)
@click.option(
    "--page", default=1, type=click.IntRange(1, 10**9), help="Show the hundred before those."
)
@click.option(
    "--gm",
    is_flag=True,
    help="All emails; if the club sends email, the next reports show that you looked.",
)
@FORMAT
@click.pass_obj
def list_(run: Run, statuses: tuple[str, ...], page: int, gm: bool, form: str) -> None:
    """List emails that came in and that go out, not what they say.

    The ids of the first begin with `in-`, the others with `out-`. A text has the newest hundred,
    JSON has all. Emails for the current turn, and replies to them, are not listed: they would show
    which players have sent orders.

    \b
        adjud mail queue list --status stuck
    """
    from adjudicator.service.base import looks
    from adjudicator.service.outbound import operators_queue

    with run.store() as store:
        if gm and run.is_noted(store):
            looks.at_email_of_all(store, run.now)
        if form == "json":
            for email in operators_queue.entries(store, statuses, gm=gm):
                click.echo(as_json(operators_queue.plain(email)))
            return
        emails, older = operators_queue.newest(store, statuses, page, gm=gm)
    if older:
        click.echo(f"there are older emails: --page {page + 1}")
    for line in rows([_row(run, email) for email in emails]):
        click.echo(line)


def _row(run: Run, email: "Entry") -> tuple[str, ...]:
    from adjudicator.service.base import keys
    from adjudicator.service.outbound import operators_queue
    from adjudicator.store.listings import Arrived

    if isinstance(email, Arrived):
        what = f"{email.match}/{email.seat}" if email.match else email.channel
        whom = email.reason or "-"
    else:
        what = operators_queue.what_of(email)
        nobody = "a stranger" if what.startswith("public/") else "the operator"
        whom = email.to or ("name hidden" if operators_queue.hides_reader(email) else nobody)
    when = run.time_text(operators_queue.moment_of(email))
    return (keys.shown_id(email), email.status, what, whom, when)


@queue.command()
@click.argument("email", type=ID)
@click.option(
    "--gm",
    is_flag=True,
    help="Show any email and what it says; where the club sends email, all players are informed.",
)
@FORMAT
@click.pass_obj
def show(run: Run, email: "Which", gm: bool, form: str) -> None:
    """Show EMAIL of the queue.

    \b
        adjud mail queue show in-k3f5qw2m
    """
    from adjudicator.service.outbound import operators_queue

    with run.store() as store:
        noted_at = run.now if gm and run.is_noted(store) else None
        found, text = operators_queue.one(store, email, gm=gm, noted_at=noted_at)
    told = operators_queue.plain(found)
    if form == "json":
        click.echo(as_json({**told, "says": text} if gm else told))
        return
    for name in sorted(told, key=lambda name: name.endswith("_at")):  # the times at the end
        value = run.time_text(told[name]) if name.endswith("_at") else told[name]
        click.echo(f"{name}: {'-' if value is None else value}")
    if gm:
        click.echo(text)


@queue.command()
@click.argument("email", type=ID, required=False)
@click.option("--all", "every", is_flag=True, help="All that are stuck or wait to be sent.")
@click.pass_obj
def retry(run: Run, email: "Which | None", every: bool) -> None:
    """Send EMAIL again at once, or read it again if it came in.

    \b
        adjud mail queue retry in-k3f5qw2m
        adjud mail queue retry --all
    """
    from adjudicator.service.outbound import operators_queue

    if (email is None) is not every:
        raise click.UsageError("Name one email, or write --all.")
    with run.store() as store:
        if email is None:
            click.echo(operators_queue.retry_all(store, now=run.now))
        else:
            click.echo(operators_queue.retry(store, email, now=run.now))


@queue.command()
@click.argument("email", type=ID)
@click.pass_obj
def drop(run: Run, email: "Which") -> None:
    """Never send EMAIL, or never read it.

    It stays in the list as dropped.

    \b
        adjud mail queue drop out-7c6d2mzt
    """
    from adjudicator.service.outbound import operators_queue

    with run.store() as store:
        click.echo(operators_queue.drop(store, email))
