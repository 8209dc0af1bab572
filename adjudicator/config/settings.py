"""The settings as values: what each one means, its default, and the form that it must have.

The commented configuration of `adjud init`, `docs/reference/settings.md` and `adjud config show`
are made from what stands here.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, get_args, get_origin

import msgspec
from msgspec import Struct, field

from adjudicator.core.message import LANGUAGES, Message, say
from adjudicator.mail.address import DELIMITERS, LABEL, MAILBOX


class About(Struct, frozen=True):
    """What is said of a setting, and the form of its value.

    `unset` says what holds where the default is empty, `example` is a likely value. A value that
    has not the `form` is refused, unless it is empty and may be; `right` says what would be right.
    """

    text: str
    example: str = ""
    unset: str = ""
    form: re.Pattern[str] | None = None
    right: Message | None = None
    may_be_empty: bool = False


# Beside the user an address holds a match of 24 signs, a seat and a tag; 64 are allowed in all
# (RFC 5321, section 4.5.3.1.1).
DOMAIN = re.compile(rf"(?=.{{1,253}}\Z){LABEL}(?:\.{LABEL})*")
_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029<>@]{0,60}")
_NAME_RIGHT = say("a name of at most 60 characters, in one line")
_ADDRESS_RIGHT = say("one address, such as games@example.org")
_SERVER_OUT = say("smtp://user@host:587, smtps://user@host, sendmail, folder:/path or none")
_SERVER_IN = say("imaps://user@host/INBOX, maildir:/path or mbox:/path")


class Clock(Struct, frozen=True):
    """The limits beyond which silence is taken for a fault of ours."""

    max_gap: Annotated[
        str,
        About(
            "After so long without `adjud tick`, or if the clock leapt so far, a missed deadline "
            "adjudicates nothing: the matches are on hold until `adjud gm resume`. In a match "
            "with shorter turns it is the length of a turn, but at least 90 minutes. A match keeps "
            "what is set when it begins, and tells its players. See "
            '[when the clock leaps](../server.md#when-the-clock-leaps). "0" never puts matches on '
            "hold."
        ),
    ] = "2 days"
    max_silent: Annotated[
        int,
        About(
            "The same happens when more seats than this, and more than half of all whose deadline "
            "has come, sent nothing at once: perhaps their emails do not reach the club."
        ),
    ] = 5


class Mail(Struct, frozen=True):
    """The settings for emails. Without a `domain` nobody can write to us."""

    domain: Annotated[
        str,
        About(
            "The domain of the club's addresses; without it nobody can play by email.",
            example="play.example.org",
            form=DOMAIN,
            right=say(
                "the part after the @, such as play.example.org or, with other letters, "
                "xn--rsta-fra.example"
            ),
            may_be_empty=True,
        ),
    ] = ""
    user: Annotated[
        str,
        About(
            "The part of the club's addresses before the @.",
            form=re.compile("[A-Za-z0-9](?:[A-Za-z0-9._-]{0,13}[A-Za-z0-9])?"),
            right=say(
                "up to 15 letters and digits, with dots and dashes only between them, such as adjud"
            ),
        ),
    ] = "adjud"
    delimiter: Annotated[
        str,
        About(
            "The sign between that part and a seat's tag, as your mail server has it.",
            form=re.compile(f"[{DELIMITERS}]"),
            right=say("one of + - . _ ="),
        ),
    ] = "+"
    key: Annotated[
        str,
        About(
            "The file of the key that signs the seats' addresses.",
            unset="`adjud.key` in the club's folder",
        ),
    ] = ""
    spool: Annotated[
        str,
        About("The folder that receives emails.", unset="`spool` in the club's folder"),
    ] = ""
    out: Annotated[
        str,
        About(
            'How email is sent: "smtp://user@host:587" (STARTTLS), "smtps://user@host", '
            '"sendmail", "folder:/path", or "none": then no email is ever sent, not even later; '
            "`adjud mail queue show` shows each of them.",
            form=re.compile("none|sendmail|sendmail:.+|folder:.+|smtps?://.+"),
            right=_SERVER_OUT,
        ),
    ] = "none"
    password_file: Annotated[
        str,
        About(
            "The file with the password for that server, which only adjud's user can read.",
            example="/etc/adjud/smtp-password",
        ),
    ] = ""
    fetch: Annotated[
        str,
        About(
            'A mailbox that every tick empties first: "imaps://user@host/INBOX", '
            '"maildir:/path", "mbox:/path". Not needed if the mail server delivers emails to '
            "adjud.",
            example="imaps://adjud@imap.example.org/INBOX",
            form=re.compile("imaps?://.+|maildir:.+|mbox:.+"),
            right=_SERVER_IN,
            may_be_empty=True,
        ),
    ] = ""
    fetch_password_file: Annotated[
        str,
        About(
            "The file with the password for that mailbox.",
            example="/etc/adjud/imap-password",
            unset="`mail.password_file`",
        ),
    ] = ""
    pictures: Annotated[
        str,
        About(
            "The board as a picture in emails, for players who want it (PREFS BOARD PICTURE). The "
            'extra png draws it: "auto" (if it is installed), "always" (the doctor reports a '
            'missing extra) or "never".',
            form=re.compile("auto|always|never"),
            right=say("auto, always or never"),
        ),
    ] = "auto"
    dkim_selector: Annotated[
        str,
        About(
            "The selector of the key by which the mail server signs the club's email (DKIM); only "
            "the doctor uses it.",
            example="mail",
            form=re.compile(rf"{LABEL}(?:\.{LABEL})*"),
            right=say("the part before ._domainkey, such as mail"),
            may_be_empty=True,
        ),
    ] = ""
    authserv_id: Annotated[
        str,
        About(
            "The name by which your mail server signs Authentication-Results, for level "
            "token+auth. adjud believes the topmost one of an email if only Received lines of "
            'your own servers are above it: those that have that name after "by", or a name below '
            "it, or one of authserv_hosts. The server must remove any that came with the email "
            "under that name, or senders can vouch for themselves: see docs/server.md. `adjud mail "
            'test` tests it. Gmail is "mx.google.com" with the hosts "2002:a00::/24". Microsoft '
            '365 writes no name: there it is "none" with the hosts "outlook.com", and is only for '
            "servers that write one into every email.",
            example="mx.example.org",
        ),
    ] = ""
    authserv_hosts: Annotated[
        str,
        About(
            "Your own other servers: domains, or networks where a server writes its number.",
            example="imap.example.org",
        ),
    ] = ""


class Site(Struct, frozen=True):
    """The settings for the club's pages. `folder` is absolute when it was read."""

    folder: Annotated[
        str,
        About(
            "The folder of the club's pages, seen from this file: `adjud tick` builds them when "
            "they change, before it sends emails that lead there.",
            example="/srv/www/club",
        ),
    ] = ""
    language: Annotated[
        str,
        About(
            "The language of the public pages: en, nb or sv.",
            form=re.compile("|".join(LANGUAGES)),
            right=say("en, nb or sv"),
        ),
    ] = LANGUAGES[0]
    url: Annotated[
        str,
        About(
            "Where that folder is served from. Emails to new players then have a link to their own "
            "page there, and no page attached (PREFS PAGE changes that).",
            example="https://club.example.org/",
            form=re.compile("https?://[!-;=?-~]{1,200}"),
            right=say("an address such as {url}", url="https://club.example.org/"),
            may_be_empty=True,
        ),
    ] = ""


class Club(Struct, frozen=True):
    """How a club introduces itself: in invitations, below each email, and on its pages."""

    name: Annotated[
        str,
        About(
            "What your club is called: in invitations, below each email, and on the club's pages.",
            example="The Friday Club",
            form=_NAME,
            right=_NAME_RIGHT,
        ),
    ] = ""
    game_master: Annotated[
        str,
        About(
            "What you are called there.",
            example="Gerda",
            form=_NAME,
            right=_NAME_RIGHT,
        ),
    ] = ""
    welcome: Annotated[
        str,
        About(
            "A line of your own for invitations and the first of these pages.",
            example="Games by email since 1987. Beginners are welcome.",
            form=re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]{0,200}"),
            right=say("at most 200 characters, in one line"),
        ),
    ] = ""
    contact: Annotated[
        str,
        About(
            "The address to which players may write. Their questions are passed on there once a "
            "day, but not if a player of the match has that address. Without it they go to the "
            "operator, whose address is not shown.",
            example="gerda@example.org",
            form=MAILBOX,
            right=_ADDRESS_RIGHT,
            may_be_empty=True,
        ),
    ] = ""
    invitations: Annotated[
        int,
        About(
            "How many invitations of a player may be open at once, and how many a player can send "
            "in a day (`INVITE Bob`). 0: players cannot invite each other."
        ),
    ] = 3
    outside: Annotated[
        str,
        About(
            'What happens when a player invites an address (`INVITE tom@example.org`). "off": the '
            'player gets a text to forward. "ask": the operator gets an email about each such '
            "wish, and if they allow it, the club writes to that address, once.",
            form=re.compile("off|ask"),
            right=say("off or ask"),
        ),
    ] = "off"
    chance: Annotated[
        str,
        About(
            "The option `chance` of new matches that do not name it. With drand nobody can choose "
            "what is random in them, and they begin an hour after their last seat is taken; "
            "`[chance] command` below fetches the number that decides. A match keeps its options.",
            form=re.compile("seed|drand"),
            right=say("seed or drand"),
        ),
    ] = "seed"


# The section of the templates of matches; each is a table of its own in it.
TEMPLATES = "match"
TEMPLATE_NAME = re.compile("[a-z][a-z0-9-]{0,23}")
ABOUT_TEMPLATES = (
    "A table `[match.NAME]` is a template of a match: its `game`, its `variant` if it is not the "
    "first, and options as in `adjud new --option`. `adjud new --like NAME` uses it, and players "
    "write `INVITE Bob TO NAME`. The name of each game is one, too: its first variant, with "
    'deadline = "every 3 days", bank = "5 days", absence = "forfeit" and leave = "auto". A table '
    "with the name of a game replaces that."
)
TEMPLATE_EXAMPLE = (
    "[match.slow]",
    'game = "espionage"',
    'variant = "small"',
    'deadline = "every 7 days"',
    'bank = "30 days"',
)


class PublicNumbers(Struct, frozen=True):
    """How public numbers are fetched for matches whose chance takes one."""

    command: Annotated[
        str,
        About(
            "A command that prints the signature of a round of drand quicknet, for matches with "
            "chance=drand: {round} in it becomes the round's number. It is split into words as a "
            "shell would, and run without one, for at most ten seconds, by each tick until it "
            "prints the right 96 hex digits.",
            example="/usr/local/bin/drand-round {round}",
        ),
    ] = ""


class Hooks(Struct, frozen=True):
    """Who is told of the club's events. `file` is absolute when it was read."""

    file: Annotated[
        str,
        About(
            "A file to which each event of a match, tournament or ladder is appended, one JSON "
            "object a line. `docs/club.md`, section 12, names them.",
            example="/var/lib/adjud/events.jsonl",
        ),
    ] = ""
    command: Annotated[
        str,
        About(
            "A command that gets each event as one JSON object on standard input. It is split into "
            "words as a shell would, and run without one, for at most ten seconds. If it fails, it "
            "is tried again, 100 times.",
            example="/usr/local/bin/on-event",
        ),
    ] = ""


_TIME = re.compile(r"[1-9]\d{0,3} (?:days?|weeks?)")
_TIME_RIGHT = say("a number of days or weeks, such as 365 days")


class KeepTimes(Struct, frozen=True):
    """How long a club keeps what nobody needs to play. Each is applied once a day, by a tick."""

    letters: Annotated[
        str,
        About(
            "For how long the words of emails, and the addresses from which they came, are kept "
            "when they are done with and their match is over. What came in is deleted after sixty "
            "days in any case, but for the address.",
            example="180 days",
            unset="for ever",
            form=_TIME,
            right=_TIME_RIGHT,
            may_be_empty=True,
        ),
    ] = ""
    reports: Annotated[
        str,
        About(
            "For how long after its end the reports of a match are kept. Each seat's last report, "
            "with the whole log in it, stays.",
            example="365 days",
            unset="for ever",
            form=_TIME,
            right=_TIME_RIGHT,
            may_be_empty=True,
        ),
    ] = ""
    ended: Annotated[
        str,
        About(
            "For how long after its end the emails of a match are kept at all, and its reports but "
            "the last. Seats, results, orders and logs stay. `adjud match archive` saves what is "
            "deleted.",
            example="730 days",
            unset="for ever",
            form=_TIME,
            right=_TIME_RIGHT,
            may_be_empty=True,
        ),
    ] = ""


class LogLines(Struct, frozen=True):
    """What is said of a run."""

    level: Annotated[
        str,
        About(
            'How much a tick and the commands that stay tell: "error" (what could not be done), '
            '"warning" (also what waits for you, as `--quiet` does), "info" or "debug". Where the '
            "journal of systemd reads standard error, each line has its priority.",
            form=re.compile("error|warning|info|debug"),
            right=say("error, warning, info or debug"),
        ),
    ] = "info"


class Acknowledged(Struct, frozen=True):
    """What the doctor finds and the administrator knows already."""

    skip: Annotated[
        str,
        About(
            "Checks of `adjud doctor` whose faults you know and leave as they are, with commas "
            "between them. They are shown as warnings, and do not make it end with 1. `adjud "
            "doctor --format json` shows the names; a part before the dot is all of its checks.",
            example="dns, key.backup",
        ),
    ] = ""


class Settings(Struct, frozen=True):
    """All settings of an installation. `folder` is absolute when it was read."""

    folder: Annotated[
        str,
        About(
            'The folder of database, key and spool, unless they are named below; "." is this '
            "file's folder.",
            example=".",
            unset="your own data folder",
        ),
    ] = ""
    database: Annotated[
        str,
        About(
            "Where matches are kept: an SQLite file, or postgresql://user@host/name.",
            example="sqlite:////var/lib/adjud/adjud.db",
            unset="the SQLite file `adjud.db` in the club's folder",
            form=re.compile(r"(?:sqlite|postgresql)(?:\+\w+)?:.*"),
            right=say("a URL such as sqlite:////var/lib/adjud/adjud.db or postgresql://host/name"),
            may_be_empty=True,
        ),
    ] = ""
    timezone: Annotated[str, About("The zone in which times are shown to you.")] = "UTC"
    operator: Annotated[
        str,
        About(
            "Your address: alerts about matches that need you go there.",
            example="games@example.org",
            form=MAILBOX,
            right=_ADDRESS_RIGHT,
            may_be_empty=True,
        ),
    ] = ""
    absence_days: Annotated[
        int, About("For how many days of a year a player may announce an absence.")
    ] = 30
    clock: Clock = field(default_factory=Clock)
    mail: Mail = field(default_factory=Mail)
    site: Site = field(default_factory=Site)
    club: Club = field(default_factory=Club)
    chance: PublicNumbers = field(default_factory=PublicNumbers)
    hooks: Hooks = field(default_factory=Hooks)
    keep: KeepTimes = field(default_factory=KeepTimes)
    log: LogLines = field(default_factory=LogLines)
    doctor: Acknowledged = field(default_factory=Acknowledged)
    match: Mapping[str, Mapping[str, str]] = {}  # templates, by their names


class KnownSetting(Struct, frozen=True):
    """A setting that there is: its type, its default, and what is said of it."""

    kind: type
    default: str | int
    about: About


def _known_settings() -> Iterator[tuple[str, KnownSetting]]:
    def below(section: type[Struct], where: str) -> Iterator[tuple[str, KnownSetting]]:
        for entry in msgspec.structs.fields(section):
            if isinstance(entry.type, type) and issubclass(entry.type, Struct):
                yield from below(entry.type, f"{where}{entry.name}.")
            elif get_origin(entry.type) is Annotated:
                kind, about = get_args(entry.type)
                yield f"{where}{entry.name}", KnownSetting(kind, entry.default, about)

    return below(Settings, "")


# All settings by their names, such as `timezone` and `mail.domain`.
KEYS: Mapping[str, KnownSetting] = dict(_known_settings())


def value_of(settings: Settings, key: str) -> str | int:
    section, dot, name = key.rpartition(".")
    found: str | int = getattr(getattr(settings, section) if dot else settings, name)
    return found
