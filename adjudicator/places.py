"""The places where an installation keeps its files unless the configuration says otherwise.

It imports little, because a mail server's pipe loads it anew for every letter.
"""

import os
from pathlib import Path

MACHINE = Path("/etc/adjud.toml")


def user_config() -> Path:
    from platformdirs import user_config_path

    return user_config_path("adjud") / "adjud.toml"


def user_data() -> Path:
    from platformdirs import user_data_path

    return user_data_path("adjud")


def user_cache() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("adjud")


def user_database() -> str:
    return f"sqlite:///{user_data() / 'adjud.db'}"


def user_key() -> Path:
    return user_data() / "adjud.key"


def user_spool() -> Path:
    return user_data() / "spool"


def config_file(given: str | None) -> Path | None:
    """Return the configuration file that is read, None if there is none. A file that was named must
    exist."""
    named = given or os.environ.get("ADJUD_CONFIG")
    if named:
        return Path(named)
    known = (Path("adjud.toml"), user_config(), MACHINE)
    # Not Path.is_file, which raises in a folder that this user may not enter.
    return next((path for path in known if os.path.isfile(path)), None)


def spool(config: str | None) -> Path:
    """Return the spool that the configuration names, without checking the rest of it."""
    import tomllib

    path = config_file(config)
    if path is not None:
        named = tomllib.loads(path.read_text("utf-8-sig")).get("mail", {}).get("spool")
        if named:
            return Path(named)
    return user_spool()
