"""The command `adjud config`: what is set, and where."""

import click

from adjudicator.cli.shell import FORMAT, Commands, Session, as_json


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
def show(session: Session, origin: bool, form: str) -> None:
    """Show the settings that are used, as lines of a configuration.

    They come from the file, the environment (ADJUD__SECTION__KEY) or the command line. A password
    inside a URL is not shown. docs/settings.md says what each setting means.

    \b
        adjud config show
        adjud config show --origin
    """
    from adjudicator import config
    from adjudicator.config.page import as_toml
    from adjudicator.config.shown import in_force

    shown = [*in_force(session.loaded, session.database)]
    if form == "text":
        found = config.find(session.config)
        click.echo(f"# configuration: {found or 'none, defaults are used'}")
    for one in shown:
        if form == "json":
            value = {"key": one.key, "value": one.value, "origin": one.origin}
            click.echo(as_json(value))
        else:
            comment = f"  # {one.origin}" if origin else ""
            click.echo(f"{one.key} = {as_toml(one.value)}{comment}")
