"""The places where an installation keeps its files unless the configuration says otherwise.

It imports little, because a mail server's pipe loads it anew for every letter.
"""

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

NAME = "adjud.toml"
MACHINE = Path(os.environ.get("ADJUD_ETC") or "/etc") / NAME


@contextlib.contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Let a fault inside name the file. One of a full disk, which comes while a file is written,
    names none."""
    try:
        yield
    except OSError as trouble:
        if trouble.errno is not None and trouble.filename is None:
            trouble.filename = str(path)
        raise


def user_config() -> Path:
    from platformdirs import user_config_path

    return user_config_path("adjud") / NAME


def user_data() -> Path:
    from platformdirs import user_data_path

    return user_data_path("adjud")


def user_cache() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("adjud")


def user_spool() -> Path:
    return spool_in(user_data())


def database_in(folder: Path) -> str:
    path = str(folder / "adjud.db").replace("%", "%25").replace("?", "%3F")
    return f"sqlite:///{path}"


def key_in(folder: Path) -> Path:
    return folder / "adjud.key"


def spool_in(folder: Path) -> Path:
    return folder / "spool"


def beside(config: Path, folder: str) -> Path:
    """Return a folder that a configuration names, seen from the configuration's own."""
    return Path(os.path.abspath(config.parent / folder))


def config_file(given: str | None) -> Path | None:
    """Return the configuration file that is read, None if there is none. A file that was named must
    exist. Raises NotOurs for one that was found and is not to be trusted."""
    named = given or os.environ.get("ADJUD_CONFIG")
    if named:
        return Path(named)
    return next(_upwards(), None) or next(filter(_is_file, (user_config(), MACHINE)), None)


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # Path.is_file raises in a folder that this user may not enter


def _upwards() -> Iterator[Path]:
    """Yield the configuration of the nearest club whose folder this one is, or lies below."""
    try:
        here = Path.cwd()
    except FileNotFoundError:  # it was deleted
        return
    for folder in (here, *here.parents):
        path = folder / NAME
        if path != MACHINE and _is_file(path):
            check_owner(path)
            yield path


class NotOurs(Exception):
    """A configuration that was found in a folder, not named, and that another user may have put
    there."""

    def __init__(self, config: Path, what: Path, owner: int) -> None:
        super().__init__(f"{what} belongs to another user")
        self.config, self.what, self.owner = config, what, owner


def check_owner(config: Path) -> None:
    """Raise NotOurs unless the folder, the file, and what the file leads to if it is a link belong
    to this user.

    A configuration can name a program to be run. Otherwise anybody could put one into /tmp for all
    who work below it. Root is no exception: it would leave files in a user's club that the user
    cannot write.
    """
    me = os.geteuid()
    for path, follow in ((config.parent, True), (config, False), (config, True)):
        with contextlib.suppress(FileNotFoundError):  # `adjud init` has still to make it
            if (owner := os.stat(path, follow_symlinks=follow).st_uid) != me:
                raise NotOurs(config, path, owner)


# The settings at the top of a configuration and in its section [mail]: with one that is misspelt
# nobody can know where letters should lie. tests/test_settings.py compares them with config/.
AT_TOP = {"folder", "database", "timezone", "operator", "absence_days", "clock", "mail", "site"} | {
    *("club", "chance", "hooks", "keep", "log", "doctor", "match"),
}
OF_MAIL = {"domain", "user", "delimiter", "key", "spool", "out", "password_file", "fetch"} | {
    *("fetch_password_file", "pictures", "dkim_selector", "authserv_id", "authserv_hosts"),
}


class Broken(Exception):
    """A configuration that does not say clearly where the spool is. The message says why."""


def spool(config: str | None, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the spool that the settings name, without checking the rest of them.

    Raises Broken where they leave a doubt: a letter in a folder that the mended configuration does
    not name would never be read.
    """
    if named := environment.get("ADJUD__MAIL__SPOOL"):
        return Path(named)
    path = config_file(config)
    text = "" if path is None else _read(path)
    settings = _table(path, text)
    mail = settings.get("mail", {})
    if not isinstance(mail, dict):
        raise Broken(f"{_place(path, text, 'mail')}: mail must be a section of its own: [mail]")
    unknown = {*settings} - AT_TOP | {f"mail.{name}" for name in {*mail} - OF_MAIL}
    named, folder = mail.get("spool", ""), settings.get("folder", "")
    for key, value in (("mail.spool", named), ("folder", folder)):
        if not isinstance(value, str):
            place = _place(path, text, key)
            raise Broken(f'{place}: {key} must be text in quotes, as in {key} = "..."')
    if named:
        return Path(named)
    if unknown:
        key = sorted(unknown)[0]
        raise Broken(f"{_place(path, text, key)}: there is no setting {key!r}")
    if above := environment.get("ADJUD__FOLDER"):
        return spool_in(Path(os.path.abspath(above)))
    return spool_in(beside(path, folder)) if path and folder else user_spool()


def _place(path: Path | None, text: str, key: str) -> str:
    """Return the file, and the line if it begins with the key as people write it."""
    name = key.rpartition(".")[2]
    for number, line in enumerate(text.splitlines(), 1):
        if line.partition("=")[0].strip(" \t[]\"'") == name:
            return f"{path}, line {number}"
    return str(path)


def _table(path: Path | None, text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as trouble:  # it names the line and no value
        raise Broken(f"{path}: {trouble}") from None


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise Broken(f"{path}: this is not text in UTF-8") from None
    except FileNotFoundError:
        raise Broken(f"there is no configuration file {path}") from None
