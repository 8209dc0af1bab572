"""Settings of an installation: a TOML file, the environment, the command line."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from adjudicator import places
from adjudicator.config.checks import check
from adjudicator.config.settings import Clock, Settings
from adjudicator.config.sources import ConfigTrouble, Sources, from_file, merge, with_environment
from adjudicator.core.message import Message, say
from adjudicator.mail.address import in_ascii

__all__ = ["Clock", "ConfigTrouble", "Settings", "load"]


class LoadedSettings(msgspec.Struct, frozen=True):
    """Settings, and where they come from."""

    settings: Settings
    sources: Sources


def load(given: str | None) -> LoadedSettings:
    """Read the settings from the file that was given, and the environment.

    Without a file the order is ADJUD_CONFIG, the nearest adjud.toml in this folder or above it, the
    user's configuration folder, the machine's.
    """
    path = find(given)
    if path is None:
        return _load_settings(Sources(), Path("adjud.toml"))
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ConfigTrouble(say("there is no configuration file {path}", path=str(path))) from None
    except OSError as trouble:
        why = trouble.strerror or str(trouble)
        raise ConfigTrouble(say("{path} cannot be read: {why}", path=str(path), why=why)) from None
    return read(content, path)


def read(content: bytes, path: Path, at: Path | None = None) -> LoadedSettings:
    """Return the settings that a file holds; `path` is its name in error messages. `at` is where it
    will be, if it is not there yet."""
    return _load_settings(from_file(content, path), at or path)


def _load_settings(file: Sources, at: Path) -> LoadedSettings:
    sources = with_environment(file, os.environ)
    settings: Settings = msgspec.convert(merge(sources), Settings)
    replace = msgspec.structs.replace
    settings = replace(
        settings,
        operator=_mailbox(settings.operator),
        club=replace(settings.club, contact=_mailbox(settings.club.contact)),
        folder=_beside(sources, at, "folder", settings.folder),
        site=replace(
            settings.site, folder=_beside(sources, at, "site.folder", settings.site.folder)
        ),
        hooks=replace(settings.hooks, file=_beside(sources, at, "hooks.file", settings.hooks.file)),
    )
    check(sources, settings)
    return LoadedSettings(settings, sources)


def _beside(sources: Sources, at: Path, key: str, folder: str) -> str:
    if not folder or key in sources.environment:
        return folder and os.path.abspath(folder)
    return str(places.beside(at, folder))


def find(given: str | None) -> Path | None:
    """Return the configuration file that is read, None if there is none."""
    try:
        return places.config_file(given)
    except places.NotOurs as trouble:
        raise ConfigTrouble(_not_ours(trouble)) from None


def in_folder(folder: Path) -> Path:
    """Return the configuration file of a club's folder, which may not be made yet."""
    path = Path(os.path.abspath(folder)) / places.NAME
    try:
        places.check_owner(path)
    except places.NotOurs as trouble:
        raise ConfigTrouble(_not_ours(trouble)) from None
    return path


def _not_ours(trouble: places.NotOurs) -> Message:
    import pwd

    try:
        owner = pwd.getpwuid(trouble.owner).pw_name
    except KeyError:
        owner = str(trouble.owner)
    return say(
        "{path} is not used, because {what} belongs to {owner}, not to you; if you trust it, write "
        "`adjud --config {path} …`",
        path=str(trouble.config),
        what=str(trouble.what),
        owner=owner,
    )


def wanted_file(given: str | None) -> Path:
    """Return where `init` writes the file if there is none.

    The machine's own is not meant, unless it is named, if its club is another user's: who makes a
    club then makes one of his own.
    """
    found, is_named = find(given), given or os.environ.get("ADJUD_CONFIG")
    if found is None or (not is_named and found == places.MACHINE and _is_of_another(found)):
        return places.user_config()
    return found


def _is_of_another(machine: Path) -> bool:
    """Return whether the machine's configuration names places that are not this user's, or names a
    club on a server alone; if it cannot be read, whether it is itself another's."""
    from adjudicator.store.database import StoreTrouble, parse_url, sqlite_path

    try:
        settings = read(machine.read_bytes(), machine).settings
        file = sqlite_path(parse_url(settings.database)) if settings.database else None
    except (ConfigTrouble, StoreTrouble, OSError):
        return not _is_mine(machine)
    folders = [path.parent for path in (file, Path(settings.mail.key)) if path and path.name]
    folders += [Path(settings.folder)] if settings.folder else []
    is_elsewhere = bool(settings.database) and not folders
    return is_elsewhere or not all(_is_mine(one) and one.is_dir() for one in folders)


def _is_mine(path: Path) -> bool:
    try:
        return path.stat().st_uid == os.geteuid()
    except OSError:
        return False


def database_url(settings: Settings) -> str:
    return settings.database or places.database_in(club_folder(settings))


def key_file(settings: Settings) -> Path:
    return Path(settings.mail.key) if settings.mail.key else places.key_in(club_folder(settings))


def spool_folder(settings: Settings, environment: Mapping[str, str] = os.environ) -> Path:
    named = environment.get("ADJUD_SPOOL") or settings.mail.spool
    return Path(named) if named else places.spool_in(club_folder(settings))


def club_folder(settings: Settings) -> Path:
    """Return the folder of what is not named."""
    return Path(settings.folder) if settings.folder else places.user_data()


def _mailbox(text: str) -> str:
    """Return the operator's address, which may stand after his name: `Game Master
    <gm@example.org>`."""
    named = re.fullmatch("[^<>]*<([^<>]+)>", text.strip())
    return in_ascii((named[1] if named else text).strip())
