"""The commands `adjud demo`, `init`, `backup`, `config`, `doctor`, `metrics`, `db`: install and
look after the program."""

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adjudicator.cli import shell
from adjudicator.cli.arguments import GAME_NAME
from adjudicator.cli.shell import FILE, FOLDER, FORMAT, Commands, Run, as_json, hint
from adjudicator.resources import is_time_zone

if TYPE_CHECKING:
    from adjudicator.core.message import Message


@click.command()
@click.argument("game", type=GAME_NAME, default="espionage")
@click.option(
    "--folder",
    type=FOLDER,
    default=Path("demo"),
    show_default=True,
    metavar="DIR",
    help="A new folder for database and reports.",
)
@click.option("--variant", metavar="V", help="A variant of the game.")
@click.option("--seed", metavar="HEX", help="64 hex digits, to see another match.")
@click.pass_obj
def demo(run: Run, game: str, folder: Path, variant: str | None, seed: str | None) -> None:
    """Play a match of GAME between built-in players, to look at.

    Its reports are left in a folder, to open.

    \b
        adjud demo
        adjud demo espionage --variant small --folder /tmp/demo
    """
    from adjudicator.service.matches.creation import parse_seed
    from adjudicator.service.ops import demo as service

    with click.progressbar(
        length=300,
        label="playing",
        show_eta=False,
        file=sys.stderr,
        hidden=not sys.stderr.isatty(),
    ) as bar:
        played = service.play(
            game,
            folder,
            variant=variant,
            seed=parse_seed(seed) if seed is not None else None,
            now=run.now,
            progress=lambda _: bar.update(1),
            zone=_own_zone(),
        )
    click.echo(f"{played.turns} turns; {played.result}")
    click.echo(f"open {played.folder / 'index.html'}")
    click.echo(f"adjud audit {shlex.quote(str(played.folder / 'reports'))}")


def _own_zone() -> str:
    """Return the machine's time zone, UTC if it does not say. A demo reads no configuration."""
    _, is_known, name = os.path.realpath("/etc/localtime").partition("/zoneinfo/")
    return name if is_known and is_time_zone(name) else "UTC"


@click.command()
@click.argument("folder", required=False, type=FOLDER)
@click.option(
    "--new-key",
    is_flag=True,
    help="Make another key if the club's own is lost for good; its players are informed.",
)
@click.pass_obj
def init(run: Run, folder: Path | None, new_key: bool) -> None:
    """Make the database, the key and a commented configuration file.

    What is there stays as it is. With FOLDER the whole club is in that folder. Commands that you
    run there or below use it.

    \b
        adjud init club
        adjud init
        adjud --database sqlite:////var/lib/adjud/adjud.db init
    """
    from adjudicator.config.page import sample
    from adjudicator.core.message import say

    if folder is None:
        _make_club(run, sample(), new_key)
        return
    inside = _in_folder(run, folder)
    _make_club(inside, sample(Path(str(inside.config)).parent), new_key)
    hint(say("`cd {folder}`; commands there and below use this club", folder=str(folder)))


def _make_club(run: Run, settings: str, new_key: bool) -> None:
    from adjudicator import config
    from adjudicator.places import naming
    from adjudicator.service.base import keys
    from adjudicator.service.club import people
    from adjudicator.store.database import parse_url
    from adjudicator.store.schema import create

    found, path = config.find(run.config), config.wanted_file(run.config)
    if found not in (None, path):
        click.echo(f"{found}: the settings of another user's club, left alone")
    fresh = not path.exists()
    if fresh:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Not through a link that leads nowhere.
        with naming(path), path.open("x", encoding="utf-8") as file:
            file.write(settings)
        click.echo(f"{path}: made; every setting is in it as a comment")
    else:
        click.echo(f"{path}: there already, left alone")
    key = run.key
    made = create(run.url)  # before the key: it knows whether the club has one
    key_made = keys.make(run.url, key, another=new_key)
    if key_made:
        click.echo(f"{key}: made; it signs the addresses of seats, keep a copy of it")
    else:
        click.echo(f"{key}: there already, left alone")
    shown = parse_url(run.url).render_as_string(hide_password=True)
    if made:
        click.echo(f"{shown}: made")
        with run.club() as store:  # this notes the club's domain
            keys.keep(store, key)
        if not key_made:
            click.echo(
                f"next: {key} is older than that empty database: if a club was here, move {shown} "
                "away before a tick reads its emails, and `adjud backup --restore FILE` brings "
                "its own back",
                err=True,
            )
        return
    click.echo(f"{shown}: there already, left alone")
    if new_key:
        with run.store() as store:
            n = people.readdress(run.open_club(store), keys.read(key))
        click.echo(f"{n} matches: all seats get a notice of their new addresses")
    if fresh:
        click.echo(
            f"adjud: {path} is new and that database is not. If you want another club, set "
            "database, mail.key and mail.spool in it, and run `adjud init` again",
            err=True,
        )


def _in_folder(run: Run, folder: Path) -> Run:
    """Return a run for the club in a folder, which is made if need be."""
    from adjudicator import config
    from adjudicator.config.sources import variable
    from adjudicator.core.message import say
    from adjudicator.service.base.context import Refusal

    if run.config or run.database:
        raise click.UsageError("FOLDER cannot go with --config or --database")
    for name in (
        *("ADJUD_CONFIG", "ADJUD_DATABASE", "ADJUD_SPOOL"),
        *map(variable, ("folder", "database", "mail.key", "mail.spool")),
    ):
        if os.environ.get(name):  # it would go before the folder in every later command
            raise Refusal(say("{name} is set and names another club; unset it first", name=name))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Run(str(config.in_folder(folder)), None)


@click.command()
@click.argument("file", type=FILE)
@click.option(
    "--restore", is_flag=True, help="Put database, key and spool of FILE where there are none."
)
@click.option(
    "--key-only", is_flag=True, help="With --restore: the key alone, beside the database there is."
)
@click.pass_obj
def backup(run: Run, file: Path, restore: bool, key_only: bool) -> None:
    """Write database, key, spool and configuration into one archive.

    Only you can read it. On a new computer restore first, without `adjud init`; the configuration
    of the archive says where everything goes, unless there is one already.

    \b
        adjud backup adjud-2026-11-21.tar.gz
        adjud --config /etc/adjud.toml backup --restore adjud-2026-11-21.tar.gz
    """
    from adjudicator.service.ops import backup as service

    if key_only and not restore:
        raise click.UsageError("--key-only goes with --restore")
    if key_only:
        with run.store() as store:
            told = [service.restore_key(store, file, run.paths)]
    elif restore:
        told = _restore(run, file)
    else:
        _back_up(run, file)
        return
    for line in told:
        click.echo(line)


def _back_up(run: Run, file: Path) -> None:
    from adjudicator.core.message import say
    from adjudicator.service.base.context import Refusal
    from adjudicator.service.ops import backup as service
    from adjudicator.service.ops import rescue

    paths = run.paths
    with rescue.open_for_backup(run.url, file) as store:
        told, *more = service.backup(store, file, paths)
        click.echo(told)
        for line in more:
            hint(line)
        if why := service.why_without_key(store, paths.key):
            raise Refusal(
                say("{path} lacks the key that the club needs: {why}", path=str(file), why=why)
            )


def _restore(run: Run, file: Path) -> "list[Message]":
    from msgspec.structs import replace

    from adjudicator import config
    from adjudicator.service.ops import backup as service

    path = config.wanted_file(run.config)
    if not path.exists() and (archived := service.configuration_in(file)) is not None:
        run.adopt(archived, file / path.name, path)
    return service.restore(file, run.url, replace(run.paths, config=path), now=run.now)


@click.command()
@click.argument("archive", type=FILE)
@click.option(
    "--folder",
    type=FOLDER,
    metavar="DIR",
    help="Where there is room for it; the usual place of temporary files if not given.",
)
@FORMAT
@click.pass_obj
def drill(run: Run, archive: Path, folder: Path | None, form: str) -> None:
    """Try whether the backup ARCHIVE would bring the club back.

    It is restored into a folder of its own, every match in it is verified, and the folder is
    removed. No email can leave it, and nothing of the club is touched or read, wherever the
    configuration in the archive would put it. The exit code is 1 if anything is wrong.

    \b
        adjud drill club.tar.gz
        23 5 1 * *  adjud drill /backups/newest.tar.gz >/dev/null
    """
    from adjudicator.service.base.calendar import in_zone
    from adjudicator.service.ops import drill as service

    with click.progressbar(
        length=1, label="verifying", file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as bar:

        def progress(matches: int) -> None:
            bar.length = matches
            bar.update(1)

        found = service.drill(archive, now=run.now, beside=folder, progress=progress)
    faults = [str(fault) for fault in found.faults]
    if form == "json":
        click.echo(as_json({"archive": str(archive), **service.plain(found), "faults": faults}))
    else:
        ticked = in_zone(found.last_tick, "UTC") if found.last_tick else "-"
        click.echo(f"{archive}: {'something is wrong' if faults else 'it can be restored'}")
        click.echo(f"  saved: {in_zone(found.saved, 'UTC')}, {service.shown_age(found)} ago")
        older = found.matches - found.verified
        verified = f"all but {older} that began before adjud 0.2.22" if older else "all"
        click.echo(f"  matches: {found.matches}, not over {found.going}; {verified} were verified")
        click.echo(f"  players: {found.players}")
        click.echo(f"  last tick: {ticked}")
        click.echo(f"  schema: {found.schema}; epoch: {found.epoch or '-'}")
        for fault in faults:
            click.echo(f"BAD {fault}")
    if faults:
        raise click.exceptions.Exit(1)


@click.command()
@click.option("--quiet", is_flag=True, help="Print only what is wrong.")
@click.option(
    "--ignore",
    multiple=True,
    metavar="NAME",
    help="Take a fault of this check for a warning, as doctor.skip in the settings does.",
)
@FORMAT
@click.pass_obj
def doctor(run: Run, quiet: bool, ignore: tuple[str, ...], form: str) -> None:
    """Check settings, database, clock, ticks, email, key and names.

    The exit code is 1 on a fault (BAD). A line with `!!` is a warning, one with `??` is something
    that could not be checked; these are not faults.

    \b
        adjud doctor
        adjud doctor --ignore dns
        17 6 * * *  adjud doctor --quiet
    """
    from adjudicator.core.message import Message
    from adjudicator.service.ops.doctor import table

    debug, well = bool(os.environ.get("ADJUD_DEBUG")), True
    known = run.acknowledged | table.names(ignore, Message("--ignore"))
    for told in table.examine(run.url, run.paths, now=run.now, debug=debug, acknowledged=known):
        well = well and told.state != "bad"
        if quiet and told.state != "bad":
            continue
        text = str(told.text)
        if form == "json":
            click.echo(
                as_json(
                    {
                        "check": told.check,
                        "name": told.name,
                        "state": told.state,
                        "text": text,
                        "acknowledged": told.acknowledged,
                    }
                )
            )
        elif shell.in_journal():
            shell.write_log(_LEVELS.get(told.state, "info"), text)
        else:
            mark = " (acknowledged)" if told.acknowledged else ""
            click.echo(f"{_STATES[told.state]} {text}{mark}")
    if not well:
        raise click.exceptions.Exit(1)


_LEVELS: "dict[str, shell.Level]" = {"bad": "error", "warn": "warning"}
_STATES = {"ok": "ok ", "warn": "!! ", "bad": "BAD", "unknown": "?? "}


@click.group("config", cls=Commands)
def config_() -> None:
    """Look at the settings.

    \b
        adjud config show --origin
    """


@config_.command()
@click.option("--origin", is_flag=True, help="Say where each setting comes from, too.")
@FORMAT
@click.pass_obj
def show(run: Run, origin: bool, form: str) -> None:
    """Show the settings that are used, as lines of a configuration.

    They come from the file, the environment (ADJUD__SECTION__KEY) or the command line. A password
    inside a URL is not shown. docs/reference/settings.md says what each setting means.

    \b
        adjud config show
        adjud config show --origin
    """
    from adjudicator import config
    from adjudicator.config.page import as_toml
    from adjudicator.config.shown import in_force

    shown = [*in_force(run.loaded, run.database)]
    if form == "text":
        found = config.find(run.config)
        click.echo(f"# configuration: {found or 'none, defaults are used'}")
    for one in shown:
        if form == "json":
            value = {"key": one.key, "value": one.value, "origin": one.origin}
            click.echo(as_json(value))
        else:
            comment = f"  # {one.origin}" if origin else ""
            click.echo(f"{one.key} = {as_toml(one.value)}{comment}")


@click.group(cls=Commands)
def db() -> None:
    """Look after the database: its schema, and where it is.

    \b
        adjud db upgrade
        adjud db copy postgresql:///adjud
    """


@db.command()
@FORMAT
@click.pass_obj
def upgrade(run: Run, form: str) -> None:
    """Bring the database of an older adjud up to date.

    This is done in one piece or not at all.

    \b
        adjud db upgrade
    """
    from adjudicator.service.matches import results
    from adjudicator.service.ops.backup import note_restored_before
    from adjudicator.store import schema

    before, after = schema.bring_up_to_date(run.url, results.fill)
    if form == "json":
        click.echo(as_json({"before": before, "after": after}))
    else:
        is_new = before == after
        click.echo(f"the database is up to date ({after})" if is_new else f"{before} -> {after}")
    note_restored_before(run.url, run.paths.key)


@db.command()
@click.argument("url")
@click.pass_obj
def copy(run: Run, url: str) -> None:
    """Move the club into the empty database at URL.

    That may be from SQLite to PostgreSQL or back. All rows are read back in the same transaction:
    if the copy is killed, the database stays empty and you can start again. Meanwhile ticks wait.
    The database in use keeps its rows, but is closed: every later tick refuses it until the
    configuration names the new one. Email waits in the spool; key and spool stay where they are.

    \b
        adjud db copy postgresql:///adjud
        adjud --config /etc/adjud.toml db copy sqlite:////var/lib/adjud/adjud.db
    """
    from adjudicator import config
    from adjudicator.core.message import say
    from adjudicator.service.base.context import Refusal
    from adjudicator.service.ops import backup
    from adjudicator.store import schema
    from adjudicator.store.database import parse_url, sqlite_path

    file = sqlite_path(parse_url(url))
    if file is not None and not file.parent.is_dir():  # a slip: nobody looks for the club there
        raise Refusal(say("there is no folder {path}", path=str(file.parent)))
    with run.store() as store:
        rows = schema.number_of_rows(store)
        with click.progressbar(
            length=2 * rows,
            label="copying",
            file=sys.stderr,
            hidden=not sys.stderr.isatty(),
        ) as bar:
            found = list(backup.copy_club(store, url, progress=bar.update))
    for _, told in found:
        click.echo(told)
    if not all(agrees for agrees, _ in found):
        raise click.exceptions.Exit(1)
    shown = parse_url(url).render_as_string(hide_password=True)
    path = run.paths.config or config.wanted_file(run.config)
    hint(say('write `database = "{url}"` in {path}', url=shown, path=str(path)))
    if named := run.database or os.environ.get("ADJUD_DATABASE"):
        old = parse_url(named).render_as_string(hide_password=True)
        hint(say("stop giving {url} with --database or ADJUD_DATABASE", url=old))


@db.command()
@click.pass_obj
def reopen(run: Run) -> None:
    """Reopen the database that `adjud db copy` has closed.

    Do this only if nothing was done in the copy yet: no tick, no match, no command. Anything done
    there is missing here, and would be done twice.

    \b
        adjud db reopen
        adjud --database sqlite:////var/lib/adjud/adjud.db db reopen
    """
    from adjudicator.store import schema
    from adjudicator.store.database import parse_url

    opened = schema.reopen(run.url)
    shown = parse_url(run.url).render_as_string(hide_password=True)
    click.echo(f"{shown}: {'open again; delete the copy' if opened else 'was not closed'}")


@db.command()
@click.pass_obj
def prune(run: Run) -> None:
    """Delete what [keep] says, and give free space back to the disk.

    An SQLite file is rewritten without its free pages. That needs as much free space as the
    file has, and ticks wait for a moment. PostgreSQL uses its free space itself.

    \b
        adjud db prune
    """
    from adjudicator.service.ops import archiving

    with run.store() as store:
        for told in archiving.prune(store, run.keep, now=run.now):
            click.echo(told)


@click.command()
@click.option(
    "--folder",
    type=FOLDER,
    metavar="DIR",
    help="Write them into DIR/adjud.prom instead, for node_exporter.",
)
@click.pass_obj
def metrics(run: Run, folder: Path | None) -> None:
    """Print numbers for a monitoring system, as OpenMetrics.

    None of them depends on an open turn. The exit code is 0 also where something is wrong: the
    numbers tell it, adjud_up and adjud_faults first.

    \b
        adjud metrics
        adjud metrics --folder /var/lib/prometheus/node-exporter
    """
    from adjudicator.service.ops import metrics as service

    known = run.acknowledged
    found = [*service.measure(run.url, run.paths, acknowledged=known, now=run.now)]
    if folder is None:
        click.echo(service.text(found), nl=False)
    else:
        service.write(folder, found)
