"""Where an installation keeps its files when nobody says otherwise. Imports little: a mail
server's pipe starts a program that imports this for every letter."""

import os
from pathlib import Path

MACHINE = Path("/etc/adjud.toml")


def user_config() -> Path:
    from platformdirs import user_config_path

    return user_config_path("adjud") / "adjud.toml"


def user_data() -> Path:
    from platformdirs import user_data_path

    return user_data_path("adjud")


def config_file(given: str | None) -> Path | None:
    """The configuration that is read, None where there is none. One that was named must exist."""
    named = given or os.environ.get("ADJUD_CONFIG")
    if named:
        return Path(named)
    known = (Path("adjud.toml"), user_config(), MACHINE)
    # Not Path.is_file, which raises in a folder that this user may not enter.
    return next((path for path in known if os.path.isfile(path)), None)


def spool(config: str | None) -> Path:
    """The spool that the configuration names, without checking the rest of it."""
    import tomllib

    path = config_file(config)
    if path is not None:
        named = tomllib.loads(path.read_text("utf-8-sig")).get("mail", {}).get("spool")
        if named:
            return Path(named)
    return user_data() / "spool"
