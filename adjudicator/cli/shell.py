"""Commands share this: settings, the clock, faults that are printed as one sentence, and log lines
on standard error, with journald's priorities where the journal reads them."""

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import click

if TYPE_CHECKING:
    from adjudicator.config import LoadedSettings, Settings
    from adjudicator.core.message import Message
    from adjudicator.mail.address import MailDomain
    from adjudicator.mail.transport.send import Transport
    from adjudicator.service.base.context import Context, Keep, OpenClub, Pages, Paths
    from adjudicator.store.database import Store


class Run:
    """One run of the program: its configuration, its database, and the time at which it began."""

    def __init__(self, config: str | None, database: str | None) -> None:
        self.config = config
        self.database = database
        self.read_clock()

    def read_clock(self) -> None:
        """Take the time: once a run, and again in one that waits for something."""
        self.now = datetime.now(UTC)

    @cached_property
    def loaded(self) -> "LoadedSettings":
        """Return the settings, and where they come from."""
        from adjudicator import config

        loaded = config.load(self.config)
        _check_clock(loaded)
        return loaded

    @property
    def settings(self) -> "Settings":
        return self.loaded.settings

    @property
    def url(self) -> str:
        """Return `--database`, else ADJUD_DATABASE, else the configuration's, else an SQLite file
        of the user."""
        from adjudicator import config

        if named := self.database or os.environ.get("ADJUD_DATABASE"):
            return named
        return config.database_url(self.settings)

    @property
    def context(self) -> "Context":
        from adjudicator import config
        from adjudicator.service.base.calendar import parse_duration
        from adjudicator.service.base.context import Context, Mailbox, template_in

        mail, clock = self.settings.mail, self.settings.clock
        return Context(
            sends_mail=self.has_way_out,
            raise_faults=bool(os.environ.get("ADJUD_DEBUG")),
            post=self._post() if mail.domain else None,
            spool=config.spool_folder(self.settings),
            mailbox=Mailbox(mail.fetch, lambda: self.fetch_password) if mail.fetch else None,
            authserv_id=mail.authserv_id,
            authserv_hosts=mail.authserv_hosts,
            open_transport=self._open_way,
            operator=self.settings.operator,
            pictures=mail.pictures != "never",
            max_gap=parse_duration(clock.max_gap) or None,
            max_silent=clock.max_silent,
            absence_days=self.settings.absence_days,
            chance=self.settings.club.chance,
            fetcher=self._fetcher,
            hooks_file=self._hooks_file,
            hooks_command=self._hooks_command,
            keep=self.keep,
            site_url=self.settings.site.url,
            pages=self._pages,
            club=self.settings.club.name,
            game_master=self.settings.club.game_master,
            welcome=self.settings.club.welcome,
            contact=self.settings.club.contact,
            templates={name: template_in(one) for name, one in self.settings.match.items()},
            invitations=self.settings.club.invitations,
            writes_outside=self.settings.club.outside == "ask",
        )

    @property
    def keep(self) -> "Keep":
        """Return how long things are kept."""
        from adjudicator.service.base.calendar import parse_duration
        from adjudicator.service.base.context import Keep

        keep = self.settings.keep
        told = (keep.letters, keep.reports, keep.ended)
        return Keep(*(parse_duration(one) if one else None for one in told))

    @property
    def acknowledged(self) -> frozenset[str]:
        """Return the checks of the doctor whose faults the administrator knows."""
        from adjudicator.service.ops.doctor import table

        words = self.settings.doctor.skip.replace(",", " ").split()
        return table.names(words, self.loaded.sources.place("doctor.skip"))

    @property
    def _fetcher(self) -> tuple[str, ...]:
        """Return the words of the command that fetches public numbers."""
        import shlex

        return tuple(shlex.split(self.settings.chance.command))

    @property
    def _hooks_file(self) -> Path | None:
        return Path(self.settings.hooks.file) if self.settings.hooks.file else None

    @property
    def _hooks_command(self) -> tuple[str, ...]:
        import shlex

        return tuple(shlex.split(self.settings.hooks.command))

    @property
    def _pages(self) -> "Pages | None":
        from adjudicator.service.base.context import Pages

        site = self.settings.site
        if not site.folder:
            return None
        return Pages(Path(site.folder), site.language, self.settings.timezone)

    @property
    def has_way_out(self) -> bool:
        """Return whether emails go out by this configuration."""
        return self.settings.mail.out != "none"

    def post_of(self, store: "Store") -> "MailDomain | None":
        """Return where the club's orders come home; None if there is no domain or the key is not
        the club's."""
        from adjudicator.service.base import keys

        if not self.settings.mail.domain or not self.key.exists():
            return None
        with store.reading() as tx:
            known = keys.load_known_keys(tx)
        post = self._post()
        return post if known.has(post.keys) else None

    def _post(self) -> "MailDomain":
        from adjudicator.mail.address import MailDomain
        from adjudicator.service.base import keys

        mail = self.settings.mail
        return MailDomain(
            domain=mail.domain,
            user=mail.user,
            delimiter=mail.delimiter,
            keys=keys.read(self.key),
        )

    def _open_way(self) -> "Transport":
        from adjudicator.mail.transport.send import open_transport

        return open_transport(self.settings.mail.out, self.password)

    @property
    def password(self) -> str | None:
        """Return the password of the server for outgoing emails, from its file."""
        from adjudicator.service.base.context import password_in

        return password_in(self.paths.password_file, self._place_of_setting("mail.password_file"))

    @property
    def fetch_password(self) -> str | None:
        """Return the password of the mailbox from which emails are fetched, from its file."""
        from adjudicator.service.base.context import password_in

        own = self.settings.mail.fetch_password_file
        key = "mail.fetch_password_file" if own else "mail.password_file"

        return password_in(self.paths.fetch_password_file, self._place_of_setting(key))

    def _place_of_setting(self, key: str) -> str:
        """Return where a setting was set, and its name."""
        return f"{self.loaded.sources.place(key)}: {key}"

    @property
    def paths(self) -> "Paths":
        from adjudicator import config
        from adjudicator.service.base.context import Paths, template_in

        mail = self.settings.mail
        fetch_password = mail.fetch_password_file or mail.password_file
        return Paths(
            config=config.find(self.config),
            key=self.key,
            spool=self.spool,
            operator=self.settings.operator,
            contact=self.settings.club.contact,
            domain=mail.domain,
            user=mail.user,
            delimiter=mail.delimiter,
            out=mail.out,
            password_file=Path(mail.password_file) if mail.password_file else None,
            fetch=mail.fetch,
            fetch_password_file=Path(fetch_password) if fetch_password else None,
            pictures=mail.pictures,
            dkim_selector=mail.dkim_selector,
            authserv_id=mail.authserv_id,
            writes_outside=self.settings.club.outside == "ask",
            chance=self.settings.club.chance,
            fetcher=self._fetcher,
            hooks_file=self._hooks_file,
            hooks_command=self._hooks_command,
            templates={name: template_in(one) for name, one in self.settings.match.items()},
        )

    @property
    def key(self) -> Path:
        from adjudicator import config

        return config.key_file(self.settings)

    @property
    def spool(self) -> Path:
        from adjudicator import config

        return config.spool_folder(self.settings)

    def adopt(self, content: bytes, name: Path, at: Path) -> None:
        """Take the settings of a configuration that will be a file at `at`; `name` is for
        faults."""
        from adjudicator import config

        self.loaded = config.read(content, name, at)

    @contextlib.contextmanager
    def store(self, *, any_age: bool = False) -> Iterator["Store"]:
        """Open the database; with `any_age` also one that an older adjud has left."""
        from adjudicator.store.database import open_any, open_store

        self.settings  # noqa: B018  # a fault in the configuration is told before anything is done
        store = (open_any if any_age else open_store)(self.url)
        if self.settings.hooks.file or self.settings.hooks.command:
            from adjudicator.store import happenings

            to_file = happenings.FILE if self._hooks_file else 0
            happenings.listen(store, to_file + (happenings.COMMAND if self._hooks_command else 0))
        try:
            yield store
        finally:
            store.close()

    @contextlib.contextmanager
    def club(self) -> Iterator["Store"]:
        """Open the database for commands that make emails.

        Refuses if the configuration or the key is another club's.
        """
        from adjudicator.service.base import context, keys

        with self.store() as store:
            if moved := context.keep_domain(store, self.settings.mail.domain):
                write_log("warning", str(moved))
            if self.settings.mail.domain:
                keys.keep(store, self.key)
            yield store

    def open_club(self, store: "Store") -> "OpenClub":
        """Return the club as the use cases take it."""
        from adjudicator.service.base.context import OpenClub

        return OpenClub(store, self.now, self.context)

    def do(self, use: Callable[..., "Message"], *words: object, **more: object) -> None:
        """Do something in the club, and print what is said of it."""
        with self.club() as store:
            click.echo(use(self.open_club(store), *words, **more))

    def is_noted(self, store: "Store") -> bool:
        """Return whether all players are told if the operator looks at what only a seat may know.

        They are where emails go out, for there he may play himself; a configuration that does not
        know the club's domain is another's, and cannot say that none go out.
        """
        from adjudicator.service.base import context
        from adjudicator.store import clubs

        if self.has_way_out:
            return True
        with store.reading() as tx:
            known = clubs.domain(tx)
        return context.domain_fault(known, self.settings.mail.domain) is not None

    def time_text(self, moment: datetime | str | None) -> str:
        """Write a time in the operator's zone, beside UTC."""
        from adjudicator.service.base.calendar import shown_time

        if moment is None:
            return "-"
        if isinstance(moment, str):
            moment = datetime.fromisoformat(moment)
        return shown_time(moment, self.settings.timezone)


def _check_clock(loaded: "LoadedSettings") -> None:
    from adjudicator.config import Clock, ConfigTrouble

    settings = loaded.settings
    if settings.clock == Clock():
        return
    from adjudicator.core.message import say
    from adjudicator.service.base.calendar import parse_duration
    from adjudicator.service.base.context import Refusal

    try:
        parse_duration(settings.clock.max_gap)
    except Refusal as refusal:
        raise ConfigTrouble(
            say(
                "{path}: clock.max_gap: {why}",
                path=loaded.sources.place("clock.max_gap"),
                why=refusal.messages[0],
            )
        ) from None


class Commands(click.Group):
    """A group of commands. Its list of them is wrapped where it is too wide, and never cut."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        named = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        listed = [
            (name, command.get_short_help_str(limit=UNCUT))
            for name, command in named
            if command is not None and not command.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(listed)


UNCUT = 1000


class Program(Commands):
    """The `adjud` group: whatever goes wrong, a user reads a sentence and never a traceback."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        try:
            try:
                return super().main(*args, **kwargs)
            finally:
                _write_out()
        except OSError as trouble:  # outside of a command: what it said cannot be printed
            _complain(trouble)
            sys.exit(1)

    def invoke(self, ctx: click.Context) -> Any:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may lack an email
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:
            sys.stderr.close()  # the reader of our output has seen enough
            ctx.exit(0)
        except Exception as trouble:
            if os.environ.get("ADJUD_DEBUG"):
                raise
            _complain(trouble)
            ctx.exit(1)


def _write_out() -> None:
    """Write what was printed and still waits. Python does it as well, but too late for a sentence:
    where it fails Python ends with 120."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = None  # the reader of our output has seen enough
    except OSError:
        sys.stdout = None
        raise


def _complain(trouble: Exception) -> None:
    try:
        for line in _sentences(trouble):
            write_log("error", line)
    except OSError:
        sys.stderr = None  # nobody can be told; Python would try again, and end with 120


def _sentences(trouble: Exception) -> list[str]:
    from adjudicator.config import ConfigTrouble
    from adjudicator.service.base.context import BREAKDOWNS, Refusal, why_of_breakdown
    from adjudicator.service.base.loaded_match import Unreadable
    from adjudicator.store.database import StoreTrouble

    if isinstance(trouble, Refusal):
        return [str(message) for message in trouble.messages]
    if isinstance(trouble, ConfigTrouble | StoreTrouble | Unreadable):
        return [str(trouble.message)]
    if isinstance(trouble, BREAKDOWNS):
        return [str(why_of_breakdown(trouble))]
    # Only the kind of the fault is shown: its text might hold what nobody here may know.
    from adjudicator.service.base.game_faults import whose

    return [
        f"a fault inside {whose(trouble)}; nothing of the step it was at was stored. "
        "ADJUD_DEBUG=1 shows where"
    ]


def hint(message: "Message") -> None:
    """Say what may be done next, unless that would disturb a script."""
    click.echo(f"next: {message}", err=True)


def rows(table: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield the lines of a table, with its columns padded."""
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))] if table else []
    for row in table:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def as_json(value: object) -> bytes:
    """Encode a value for `click.echo`: JSON is UTF-8 (RFC 8259, section 8.1), whatever the terminal
    uses."""
    from msgspec.json import encode

    return encode(value)


def in_utc(message: "Message") -> str:
    """Return a sentence in English with its times, which may be of somebody's making; in seconds
    where one has some."""
    from adjudicator.core.message import tell

    return tell(message, clock=_in_utc)


def _in_utc(moment: str) -> str:
    try:
        at = datetime.fromisoformat(moment).astimezone(UTC)
    except (ValueError, OverflowError):
        return moment
    return f"{at:%Y-%m-%d %H:%M:%S} UTC" if at.second else f"{at:%Y-%m-%d %H:%M} UTC"


class OnDisk(click.Path):
    """A file or a folder that a command is given, and of which the other kind is refused.

    What is on the disk is not a mistake in the command: it ends with 1, as everywhere.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        try:
            return Path(str(super().convert(value, param, ctx)))
        except click.BadParameter:
            from adjudicator.core.message import say
            from adjudicator.service.base.context import Refusal

            wrong = (
                say("{path} is a folder, not a file", path=str(value))
                if self.file_okay
                else say("{path} is not a folder", path=str(value))
            )
            raise Refusal(wrong) from None


FILE = OnDisk(dir_okay=False)
FOLDER = OnDisk(file_okay=False)


class WithBlanks(click.Command):
    """A command with an argument that often has blanks, such as a player's name.

    Without quotes it comes in as several words; then the command says so.
    """

    allow_extra_args = True

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest = super().parse_args(ctx, args)
        if ctx.args and not ctx.resilient_parsing:
            given = [str(one.name) for one in self.params if isinstance(one, click.Argument)]
            at = next(i for i, one in enumerate(given) if one in BLANKS)
            words = [*(str(ctx.params[one]) for one in given), *ctx.args][at:]
            kind, most = BLANKS[given[at]]
            quoted = f'"{" ".join(words[:most])}"'
            ctx.fail(f"too many words; {kind} with blanks needs quotes: {quoted}")
        return rest


# Arguments that may have blanks: what each is, and how many words of it are shown.
BLANKS = {
    "name": ("a name", 2),
    "player": ("a name", 2),
    "duration": ("a duration", 2),
    "time": ("a time", 2),
    "text": ("a text", None),
}


FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)


Level: TypeAlias = Literal["error", "warning", "info", "debug"]

# The priorities of syslog, as sd-daemon(3) writes them.
PRIORITIES: dict[Level, int] = {"error": 3, "warning": 4, "info": 6, "debug": 7}


def in_journal() -> bool:
    """Return whether the journal reads standard error (JOURNAL_STREAM in systemd.exec(5))."""
    named = os.environ.get("JOURNAL_STREAM")
    if not named or sys.stderr is None:
        return False
    try:
        found = os.fstat(sys.stderr.fileno())
    except (OSError, ValueError):  # it is closed, or no file
        return False
    return named == f"{found.st_dev}:{found.st_ino}"


def write_log(level: Level, text: str) -> None:
    """Write what a person or the journal reads: each line of it with its priority, or behind the
    program's name."""
    prefix = f"<{PRIORITIES[level]}>" if in_journal() else "adjud: "
    for line in text.splitlines():
        click.echo(f"{prefix}{line}", err=True)


def write_result(level: Level, text: str, least: str) -> None:
    """Write what was done: to standard output, or to the journal if that reads standard error."""
    if not is_level_wanted(level, least):
        return
    if in_journal():
        write_log(level, text)
    else:
        click.echo(text)


def is_level_wanted(level: Level, least: str) -> bool:
    """Return whether lines of a level are wanted by the setting `log.level`."""
    return next((n for one, n in PRIORITIES.items() if one == least), 7) >= PRIORITIES[level]
