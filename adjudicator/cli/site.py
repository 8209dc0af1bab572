"""The commands `adjud site`: the pages of a club as a folder."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adjudicator.cli.arguments import MATCH_NAME, SEAT_NAME
from adjudicator.cli.shell import FORMAT, Commands, Run, as_json
from adjudicator.core.message import LANGUAGES

if TYPE_CHECKING:
    from adjudicator.mail.address import Key
    from adjudicator.store.database import Store


@click.group(cls=Commands)
def site() -> None:
    """Write the pages of a club, for any web server.

    \b
        adjud site build /srv/www/club
    """


@site.command()
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    help="Of the public pages; a seat's own are in its player's.",
)
@FORMAT
@click.pass_obj
def build(run: Run, folder: Path | None, language: str | None, form: str) -> None:
    """Write the club's pages where DIR is, all at once or not at all.

    DIR must be missing, empty, or made by this command; it becomes a link to one of its
    neighbours. Everyone may read its first page: running matches, but not which players have
    sent orders; finished ones; standings; rules. `site link` shows where a seat's pages are.

    \b
        adjud site build /srv/www/club
        adjud site build /srv/www/club --language nb
    """
    from adjudicator.service.ops.pages import introduction
    from adjudicator.service.site import match_pages, publish
    from adjudicator.service.site.build import ClubSite, note_built

    settings = run.settings
    if folder is None and not settings.site.folder:
        raise click.UsageError("name DIR, or set folder in [site] of the settings")
    folder = folder or Path(settings.site.folder)
    with (
        run.store() as store,
        click.progressbar(
            length=1, label="writing", file=sys.stderr, hidden=not sys.stderr.isatty()
        ) as bar,
    ):

        def progress(matches: int) -> None:
            bar.length = matches
            bar.update(1)

        made = ClubSite(
            store=store,
            key=_key(run, store),
            post=run.post_of(store),
            own=introduction(run.context),
            language=language or settings.site.language,
            zone=settings.timezone,
            now=run.now,
            url=settings.site.url,
            progress=progress,
        )
        publish.publish(folder, made.fill, unlisted=[match_pages.SEATS], at=run.now)
        note_built(store, now=run.now)
    if form == "json":
        click.echo(as_json({"folder": str(folder), "playing": made.going, "ended": made.over}))
        return
    click.echo(f"{folder}: matches being played {made.going}, ended {made.over}")


@site.command()
@click.argument("match", type=MATCH_NAME)
@click.argument("seat", type=SEAT_NAME)
@click.option("--gm", is_flag=True, required=True, help="Yes, show me the way there.")
@click.option("--url", default="", metavar="URL", help="Where the site is served from.")
@FORMAT
@click.pass_obj
def link(run: Run, match: str, seat: str, gm: bool, url: str, form: str) -> None:
    """Print where the pages of SEAT in MATCH are. Anyone who has the link sees what the seat may
    know, until another player takes the seat. Where the club sends email, the next reports show
    all players that you looked it up.

    \b
        adjud site link espionage-1 white --gm --url https://club.example.org/
    """
    from adjudicator.service.site import match_pages

    with run.store() as store:
        path = match_pages.seat_link(
            store,
            _key(run, store),
            match,
            seat,
            noted_at=run.now if run.is_noted(store) else None,
        )
    whole = f"{url.rstrip('/')}/{path}" if url else path
    click.echo(as_json({"link": whole}) if form == "json" else whole)


def _key(run: Run, store: "Store") -> "Key":
    from adjudicator.service.base import keys

    return keys.keep(store, run.key)[0]
