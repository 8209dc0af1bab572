"""Settings of an installation: a TOML file, the environment, the command line."""

import os
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from adjudicator import places
from adjudicator.core.message import LANGUAGES, Message, say
from adjudicator.core.orders import nearest, shown
from adjudicator.mail.address import DELIMITERS, MAILBOX, in_ascii
from adjudicator.resources import is_time_zone


class ConfigTrouble(Exception):
    """The configuration cannot be used. The message says which key or line is wrong and what would
    be right."""

    def __init__(self, message: Message) -> None:
        super().__init__(str(message))
        self.message = message


class Mail(Struct, frozen=True):
    """The settings for letters.

    Without a `domain` nobody can write to us. `out` is the way out; `none` keeps every letter in
    the queue and sends nothing. Paths may be left out.
    """

    domain: str = ""
    user: str = "adjud"
    delimiter: str = "+"
    key: str = ""
    spool: str = ""
    out: str = "none"
    password_file: str = ""
    fetch: str = ""
    fetch_password_file: str = ""
    pictures: str = "auto"
    dkim_selector: str = ""
    authserv_id: str = ""
    authserv_hosts: str = ""


class Clock(Struct, frozen=True):
    """The limits beyond which silence is taken for a fault of ours.

    `max_gap` is the longest time without a tick (`0` means no limit); `max_silent` is the most
    seats that may be silent at once, if they are more than half of all.
    """

    max_gap: str = "2 days"
    max_silent: int = 5


class Club(Struct, frozen=True):
    """How a club introduces itself, in letters and on its pages.

    `name` is its name, `welcome` a line in its own words, and `game_master` the name of its game
    master, who answers questions at `contact`. Without a contact questions are passed on to the
    operator, whose address no player is told.
    """

    name: str = ""
    welcome: str = ""
    game_master: str = ""
    contact: str = ""


class Site(Struct, frozen=True):
    """The settings for the club's pages.

    `url` is where they are served from, empty if they are not; `folder` is where each tick builds
    them, empty if none does, and absolute when it was read; `language` is that of the public ones.
    """

    url: str = ""
    folder: str = ""
    language: str = LANGUAGES[0]


class PublicNumbers(Struct, frozen=True):
    """How public numbers are fetched for matches whose chance takes one.

    `command` is split into words as a shell would, and run without one.
    """

    command: str = ""


class Settings(Struct, frozen=True):
    """All settings of an installation.

    `operator` is the address to which alerts go, `timezone` is the operator's; `absence_days` is
    how many days of absence each player may announce in a year. `folder` is where database, key and
    spool are that are not named; when it was read it is absolute.
    """

    folder: str = ""
    database: str = ""
    timezone: str = "UTC"
    operator: str = ""
    absence_days: int = 30
    clock: Clock = field(default_factory=Clock)
    mail: Mail = field(default_factory=Mail)
    site: Site = field(default_factory=Site)
    club: Club = field(default_factory=Club)
    chance: PublicNumbers = field(default_factory=PublicNumbers)


SAMPLE = """\
# Settings of adjud. A line that begins with # is a comment and shows the default.

# The folder of database, key and spool, unless they are named below; "." is this file's folder.
# Without it they are in your own data folder.
{folder}

# Where matches are kept: an SQLite file, or postgresql://user@host/name.
# database = "{database}"

# The zone in which times are shown to you.
# timezone = "UTC"

# Your address: alerts about matches that need you go there.
# operator = "games@example.org"

# For how many days of a year a player may announce an absence.
# absence_days = 30

[clock]
# After so long without `adjud tick`, a missed deadline adjudicates nothing: the matches are on
# hold until `adjud gm resume`. "0" never puts them on hold.
# max_gap = "2 days"

# The same happens when more seats than this, and more than half of all whose deadline has come,
# sent nothing at once: perhaps their emails do not reach the club.
# max_silent = 5

[mail]
# The domain of the club's addresses; without it nobody can play by email.
# domain = "play.example.org"

# The part before the @, and the sign between it and a seat's tag.
# user = "adjud"
# delimiter = "+"

# The key that signs the seats' addresses, and the folder that receives emails.
# key = "{key}"
# spool = "{spool}"

# How email is sent: "smtp://user@host:587" (STARTTLS), "smtps://user@host", "sendmail",
# "folder:/path", or "none": then no email is ever sent, not even later; `adjud mail queue show`
# shows each of them.
# out = "none"
# password_file = "/etc/adjud/smtp-password"

# A mailbox that every tick empties first: "imaps://user@host/INBOX", "maildir:/path",
# "mbox:/path". Not needed if the mail server delivers emails to adjud.
# fetch = ""
# fetch_password_file = "/etc/adjud/imap-password"

# The board as a picture in emails, for players who want it (PREFS BOARD PICTURE). The extra png
# draws it: "auto" (if it is installed), "always" (the doctor reports a missing extra) or "never".
# pictures = "auto"

# The selector of the key by which the mail server signs the club's email (DKIM); only the doctor
# uses it.
# dkim_selector = "mail"

# The name by which your mail server signs Authentication-Results, for level token+auth. adjud
# believes the topmost one of an email if only Received lines of your own servers are above it:
# those that have that name after "by", or a name below it, or one of authserv_hosts (domains, or
# networks where a server writes its number). The server must remove any that came with the email
# under that name, or senders can vouch for themselves: see docs/server.md. `adjud mail test`
# tests it. Gmail is "mx.google.com" with the hosts "2002:a00::/24". Microsoft 365 writes no name:
# there it is "none" with the hosts "outlook.com", and is only for servers that write one into
# every email.
# authserv_id = "mx.example.org"
# authserv_hosts = "imap.example.org"

[site]
# The folder of the club's pages, seen from this file: `adjud tick` builds them when they change,
# before it sends emails that lead there. The public ones are in this language: en, nb or sv.
# folder = "/srv/www/club"
# language = "en"

# Where that folder is served from. Emails to new players then have a link to their own page
# there, and no page attached (PREFS PAGE changes that).
# url = "https://club.example.org/"

[club]
# What your club and you are called: in invitations, below each email, and on the club's pages.
# name = "The Friday Club"
# game_master = "Gerda"

# A line of your own for invitations and the first of these pages.
# welcome = "Games by email since 1987. Beginners are welcome."

# The address to which players may write. Their questions are passed on there once a day, but not
# if a player of the match has that address. Without it they go to the operator, whose address is
# not shown.
# contact = "gerda@example.org"

[chance]
# A command that prints the signature of a round of drand quicknet, for matches with
# chance=drand: {{round}} in it becomes the round's number. It is run without a shell, for at most
# ten seconds, by each tick until it prints the right 96 hex digits.
# command = "/usr/local/bin/drand-round {{round}}"
"""


def load(given: str | None) -> Settings:
    """Read the settings from the file that was given.

    Without one the order is ADJUD_CONFIG, the nearest adjud.toml in this folder or above it, the
    user's configuration folder, the machine's.
    """
    path = find(given)
    if path is None:
        return Settings()
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise ConfigTrouble(say("there is no configuration file {path}", path=str(path))) from None
    except OSError as trouble:
        why = trouble.strerror or str(trouble)
        raise ConfigTrouble(say("{path} cannot be read: {why}", path=str(path), why=why)) from None
    return read(content, path)


def _beside(path: Path, folder: str) -> str:
    return str(places.beside(path, folder)) if folder else ""


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


def read(content: bytes, path: Path, at: Path | None = None) -> Settings:
    """Return the settings that a file holds; `path` is its name in error messages. `at` is where it
    will be, if it is not there yet."""
    try:
        table = tomllib.loads(content.decode("utf-8-sig"))
    except tomllib.TOMLDecodeError as trouble:
        raise ConfigTrouble(say("{path}: {why}", path=str(path), why=str(trouble))) from None
    except UnicodeDecodeError:
        raise ConfigTrouble(say("{path} is not text in UTF-8", path=str(path))) from None
    _check_keys(path, table, Settings, "")
    settings = msgspec.convert(table, Settings)
    club = msgspec.structs.replace(settings.club, contact=_mailbox(settings.club.contact))
    settings = msgspec.structs.replace(
        settings,
        operator=_mailbox(settings.operator),
        club=club,
        folder=_beside(at or path, settings.folder),
        site=msgspec.structs.replace(
            settings.site, folder=_beside(at or path, settings.site.folder)
        ),
    )
    _check_zone(path, settings.timezone)
    _check_numbers(path, settings)
    _check_forms(path, settings)
    _check_ways(path, settings.mail)
    _check_command(path, settings.chance.command)
    if settings.site.url and not re.fullmatch("https?://[!-;=?-~]{1,200}", settings.site.url):
        example = say("an address such as {url}", url="https://club.example.org/")
        raise _not_right(path, "site.url", settings.site.url, example)
    return settings


def wanted_file(given: str | None) -> Path:
    """Return where `init` writes the file if there is none."""
    return find(given) or places.user_config()


def sample(folder: Path | None = None) -> str:
    """Return a configuration in which every setting is a comment, but for the folder if that is the
    club's own."""
    at = folder or places.user_data()
    return SAMPLE.format(
        folder='folder = "."' if folder else '# folder = "."',
        database=places.database_in(at),
        key=places.key_in(at),
        spool=places.spool_in(at),
    )


def database_url(settings: Settings) -> str:
    return settings.database or places.database_in(_folder(settings))


def key_file(settings: Settings) -> Path:
    return Path(settings.mail.key) if settings.mail.key else places.key_in(_folder(settings))


def spool_folder(settings: Settings) -> Path:
    named = os.environ.get("ADJUD_SPOOL") or settings.mail.spool
    return Path(named) if named else places.spool_in(_folder(settings))


def _folder(settings: Settings) -> Path:
    return Path(settings.folder) if settings.folder else places.user_data()


def _check_keys(path: Path, table: Mapping[str, Any], kind: type[Struct], where: str) -> None:
    known = {entry.name: entry.type for entry in msgspec.structs.fields(kind)}
    for key, value in table.items():
        if key not in known:
            raise ConfigTrouble(_unknown(path, where, key, known))
        inner = known[key]
        if isinstance(inner, type) and issubclass(inner, Struct):
            if not isinstance(value, Mapping):
                raise ConfigTrouble(
                    say(
                        "{path}: {key} must be a section of its own: [{key}]",
                        path=str(path),
                        key=key,
                    )
                )
            _check_keys(path, value, inner, f"{where}{key}.")
        elif type(value) is not inner:
            raise ConfigTrouble(_wrong_kind(path, f"{where}{key}", inner))


def _wrong_kind(path: Path, key: str, wanted: type) -> Message:
    if wanted is int:
        return say("{path}: {key} must be a whole number, as in {key} = 5", path=str(path), key=key)
    return say('{path}: {key} must be text in quotes, as in {key} = "..."', path=str(path), key=key)


def _mailbox(text: str) -> str:
    """Return the operator's address, which may stand after his name: `Game Master
    <gm@example.org>`."""
    named = re.fullmatch("[^<>]*<([^<>]+)>", text.strip())
    return in_ascii((named[1] if named else text).strip())


def _check_zone(path: Path, name: str) -> None:
    if not is_time_zone(name):
        raise ConfigTrouble(
            say(
                "{path}: '{seen}' is not a time zone; write it like Europe/Oslo",
                path=str(path),
                seen=shown(name),
            )
        )


def _check_numbers(path: Path, settings: Settings) -> None:
    for key, number in (
        ("absence_days", settings.absence_days),
        ("clock.max_silent", settings.clock.max_silent),
    ):
        if number < 0:
            raise ConfigTrouble(say("{path}: {key} must be 0 or more", path=str(path), key=key))


# Beside the user an address holds a match of 24 signs, a seat and a tag; 64 are allowed in all
# (RFC 5321, section 4.5.3.1.1). Labels of a domain: RFC 1123, section 2.1.
_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029<>@]{0,60}")
_WELCOME = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]{0,200}")
_FORMS: Mapping[str, re.Pattern[str]] = {
    "mail.domain": re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*"),
    "mail.user": re.compile("[A-Za-z0-9](?:[A-Za-z0-9._-]{0,13}[A-Za-z0-9])?"),
    "mail.delimiter": re.compile(f"[{DELIMITERS}]"),
    "mail.pictures": re.compile("auto|always|never"),
    "site.language": re.compile("|".join(LANGUAGES)),
    "mail.dkim_selector": re.compile(rf"{_LABEL}(?:\.{_LABEL})*"),
    "operator": MAILBOX,
    "club.name": _NAME,
    "club.game_master": _NAME,
    "club.welcome": _WELCOME,
    "club.contact": MAILBOX,
}
_RIGHT: Mapping[str, Message] = {
    "mail.domain": say(
        "the part after the @, such as play.example.org or, with other letters, "
        "xn--rsta-fra.example"
    ),
    "mail.user": say(
        "up to 15 letters and digits, with dots and dashes only between them, such as adjud"
    ),
    "mail.delimiter": say("one of + - . _ ="),
    "mail.pictures": say("auto, always or never"),
    "site.language": say("en, nb or sv"),
    "mail.dkim_selector": say("the part before ._domainkey, such as mail"),
    "operator": say("one address, such as games@example.org"),
    "club.name": say("a name of at most 60 characters, in one line"),
    "club.game_master": say("a name of at most 60 characters, in one line"),
    "club.welcome": say("at most 200 characters, in one line"),
    "club.contact": say("one address, such as games@example.org"),
}
_EMPTY = {
    "mail.domain",
    "mail.dkim_selector",
    "operator",
    "club.contact",
}  # settings that may be left empty


def _check_forms(path: Path, settings: Settings) -> None:
    mail = settings.mail
    for key, value in (
        ("operator", settings.operator),
        ("club.name", settings.club.name),
        ("club.game_master", settings.club.game_master),
        ("club.welcome", settings.club.welcome),
        ("club.contact", settings.club.contact),
        ("mail.domain", mail.domain),
        ("mail.user", mail.user),
        ("mail.delimiter", mail.delimiter),
        ("mail.pictures", mail.pictures),
        ("site.language", settings.site.language),
        ("mail.dkim_selector", mail.dkim_selector),
    ):
        if not (_FORMS[key].fullmatch(value) or (key in _EMPTY and not value)):
            raise _not_right(path, key, value, _RIGHT[key])
    if mail.authserv_hosts:
        _check_hosts(path, mail.authserv_hosts)


def _check_hosts(path: Path, hosts: str) -> None:
    from adjudicator.mail.read.authentication import network_of, own_hosts

    for host in own_hosts(hosts):
        if not (_FORMS["mail.domain"].fullmatch(host) or network_of(host)):
            right = say("domains or networks, such as outlook.com or 2002:a00::/24")
            raise _not_right(path, "mail.authserv_hosts", host, right)


def _check_ways(path: Path, mail: Mail) -> None:
    """Check the form of `mail.out` and `mail.fetch`; whether they work is the doctor's question."""
    if not re.match("none$|sendmail$|sendmail:.|folder:.|smtps?://.", mail.out):
        right = say("smtp://user@host:587, smtps://user@host, sendmail, folder:/path or none")
        raise _not_right(path, "mail.out", _without_secret(mail.out), right)
    if mail.fetch and not re.match("imaps?://.|maildir:.|mbox:.", mail.fetch):
        right = say("imaps://user@host/INBOX, maildir:/path or mbox:/path")
        raise _not_right(path, "mail.fetch", _without_secret(mail.fetch), right)
    if mail.out != "none" and not mail.domain:
        raise ConfigTrouble(
            say("{path}: email can only be sent from a domain; set mail.domain", path=str(path))
        )
    if mail.fetch and not mail.domain:
        raise ConfigTrouble(
            say("{path}: email can only come to a domain; set mail.domain", path=str(path))
        )


def _check_command(path: Path, command: str) -> None:
    try:
        shlex.split(command)
    except ValueError as trouble:
        raise ConfigTrouble(
            say("{path}: {key}: {why}", path=str(path), key="chance.command", why=str(trouble))
        ) from None


def _without_secret(url: str) -> str:
    """Hide what follows the scheme of a URL, for a password may stand there."""
    scheme, colon, _ = url.partition(":")
    return f"{scheme}{colon}{'…' if colon else ''}"


def _not_right(path: Path, key: str, value: str, right: Message) -> ConfigTrouble:
    return ConfigTrouble(
        say(
            "{path}: {key} = '{seen}' is not valid; write {right}",
            path=str(path),
            key=key,
            seen=shown(value),
            right=right,
        )
    )


def _unknown(path: Path, where: str, key: str, known: Iterable[str]) -> Message:
    meant = nearest(key, list(known))
    if meant:
        return say(
            "{path}: there is no setting '{key}'; did you mean {meant}?",
            path=str(path),
            key=f"{where}{shown(key)}",
            meant=f"{where}{meant}",
        )
    return say(
        "{path}: there is no setting '{key}'; the settings are {known}",
        path=str(path),
        key=f"{where}{shown(key)}",
        known=", ".join(f"{where}{name}" for name in known),
    )
