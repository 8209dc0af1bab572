"""All that a use case needs from the world, except the clock; and the unit of work, a transaction
with what is the same for all that is done in it."""

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.core.orders import nearest, shown
from adjudicator.mail.read.charset import decode
from adjudicator.mail.transport import spool
from adjudicator.resources import PACKAGE, Incomplete
from adjudicator.store import clubs
from adjudicator.store.database import Store, Tx

if TYPE_CHECKING:
    from adjudicator.mail.address import MailDomain
    from adjudicator.mail.transport.send import Transport


def fresh_salt() -> str:
    """Return 64 hex digits that nobody can foresee."""
    return secrets.token_hex(32)


def fresh_code() -> str:
    """Return a code that a reader types to confirm something; no two of its signs look alike.

    It has a letter and a digit, so that it is no word and no number.
    """
    while True:
        code = "".join(secrets.choice("23456789ABCDEFGHJKMNPQRSTVWXYZ") for _ in range(6))
        if not code.isalpha() and not code.isdigit():
            return code


def fresh_epoch() -> str:
    """Return the name of an epoch. Without vowels it is no word that a sheet's head may hold."""
    return "".join(secrets.choice("bcdfghjkmnpqrstvwxz") for _ in range(5))


class Mailbox(Struct, frozen=True):
    """A mailbox that a tick empties: `maildir:PATH`, `mbox:PATH` or an IMAP URL.

    `password` reads its password from a file.
    """

    source: str
    password: Callable[[], str | None]


class Pages(Struct, frozen=True):
    """The club's pages that a tick builds: their folder, and the language and the time zone of the
    public ones."""

    folder: Path
    language: str = "en"
    zone: str = "UTC"


class Keep(Struct, frozen=True):
    """How long the words of emails are kept, the reports of ended matches, and the rest of these;
    None for ever."""

    letters: timedelta | None = None
    reports: timedelta | None = None
    ended: timedelta | None = None


class MatchTemplate(Struct, frozen=True):
    """What a match is made like: its game, a variant (empty: the first), and `KEY=VALUE` texts."""

    game: str
    variant: str = ""
    options: tuple[str, ...] = ()


def template_in(table: Mapping[str, str]) -> MatchTemplate:
    """Return a template from its table in the configuration."""
    options = {key: value for key, value in table.items() if key not in ("game", "variant")}
    texts = tuple(f"{key}={value}" for key, value in options.items())
    return MatchTemplate(table.get("game", ""), table.get("variant", ""), texts)


class Context(Struct, frozen=True):
    """The environment of a use case.

    `committer` makes the salt of each commitment and the key of a log, and `coder` makes the codes
    that confirm; they are arguments so that tests can compare bytes. With `raise_faults` a fault of
    ours in one match is raised, and the match is not held.

    `post` says where emails come home; it is None if nobody can write to us. `spool` is where
    emails lie, and `mailbox` is emptied into it. `authserv_id` names the server whose word on a
    sender is believed, and `authserv_hosts` are other servers of ours. `sends_mail` says whether
    emails are sent at all, and `open_transport` opens the way. `operator` gets the alerts;
    `pictures` says whether emails may carry the board as a picture. `max_gap` and `max_silent` say
    when an outage is assumed, with None never. `absence_days` is how many days of absence each
    player may announce in a year. `chance` is that option of new matches that do not name it.
    `fetcher` is the command that fetches a public number; without words there is none. Events are
    appended to `hooks_file` and given to `hooks_command`, if there are any. `keep` says what a tick
    deletes. `site_url` is where the club's pages are served from, empty if they are not, and
    `pages` are those that a tick builds. `club` and `game_master` are the names by which players
    know them, `welcome` is a line of the club's own for newcomers, and `contact` is where questions
    go; each may be empty. `templates` are those of the configuration, by their names. `invitations`
    is how many of a player's may be open, and sent in a day. With `writes_outside` the club writes
    to people who are no members, if the operator allows each.
    """

    committer: Callable[[], str] = fresh_salt
    sends_mail: bool = False
    raise_faults: bool = False
    post: "MailDomain | None" = None
    spool: Path | None = None
    mailbox: Mailbox | None = None
    authserv_id: str = ""
    authserv_hosts: str = ""
    open_transport: "Callable[[], Transport] | None" = None
    operator: str = ""
    pictures: bool = True
    max_gap: timedelta | None = None
    max_silent: int | None = None
    absence_days: int = 30
    chance: str = "seed"
    fetcher: tuple[str, ...] = ()
    hooks_file: Path | None = None
    hooks_command: tuple[str, ...] = ()
    keep: Keep = Keep()
    site_url: str = ""
    pages: Pages | None = None
    club: str = ""
    game_master: str = ""
    welcome: str = ""
    contact: str = ""
    coder: Callable[[], str] = fresh_code
    templates: Mapping[str, MatchTemplate] = {}
    invitations: int = 3
    writes_outside: bool = False


# The refusal of something that cannot be done: one sentence for the person who asked.


class Refusal(Exception):
    """Refuse what cannot be done. The command line prints the sentences and exits with 1."""

    def __init__(self, *messages: Message) -> None:
        super().__init__("\n".join(str(message) for message in messages))
        self.messages = messages


class Doubtful(Refusal):
    """Refuse what is perhaps a slip; whoever asks again and is sure gets it done."""

    def __init__(self, doubt: Message) -> None:
        super().__init__(say("{doubt}; give --yes if you mean it", doubt=doubt))
        self.doubt = doubt


def unknown(
    text: Message, word: str, known: Iterable[str], among: Message | None = None
) -> Refusal:
    """Make the refusal of an unknown word; `text` says so.

    It offers the nearest known word, or else the list of words (`among`, if another list is to be
    shown).
    """
    known = list(known)
    meant = nearest(word, known)
    if meant:
        return Refusal(say("{sentence}; did you mean {meant}?", sentence=text, meant=meant))
    if among:
        return Refusal(say("{sentence}; choose from {among}", sentence=text, among=among))
    if known:
        names = ", ".join(shown(name) for name in known[:8]) + (", …" if len(known) > 8 else "")
        return Refusal(say("{sentence}; choose from {among}", sentence=text, among=names))
    return Refusal(text)


# Breakdowns of the machine under the program: they are never the fault of an email or a match.


BREAKDOWNS = (Incomplete, OSError)


def why_of_breakdown(trouble: Incomplete | OSError) -> Message:
    """Return what broke down, in one sentence."""
    if isinstance(trouble, Incomplete):
        return trouble.message
    what = trouble.strerror or str(trouble)
    if trouble.filename:
        return say("{path}: {why}", path=str(trouble.filename), why=what)
    return Message(what)


def fault_of_program(fault: Exception) -> Incomplete | None:
    """Return the file of the program that is missing, if that is the fault; else None.

    No email can cause this fault, while an email may perhaps cause another OSError.
    """
    if isinstance(fault, Incomplete):
        return fault
    if isinstance(fault, OSError) and fault.filename:
        path = Path(str(fault.filename))
        return Incomplete(path) if path.is_relative_to(PACKAGE) else None
    return None


# The parts of an installation beside its database.


class Paths(Struct, frozen=True, kw_only=True):
    """Paths and names from the settings. Without a `domain` nobody orders by mail."""

    config: Path | None
    key: Path
    spool: Path
    operator: str = ""
    contact: str = ""
    domain: str = ""
    user: str = "adjud"
    delimiter: str = "+"
    out: str = "none"
    password_file: Path | None = None
    fetch: str = ""
    fetch_password_file: Path | None = None
    pictures: str = "auto"
    dkim_selector: str = ""
    authserv_id: str = ""
    writes_outside: bool = False
    templates: Mapping[str, MatchTemplate] = {}
    chance: str = "seed"
    fetcher: tuple[str, ...] = ()
    hooks_file: Path | None = None
    hooks_command: tuple[str, ...] = ()


def password_in(path: Path | None, setting: str) -> str | None:
    """Return the password that is in a file, which a setting names. Raises Refusal."""
    if path is None:
        return None
    try:
        password = decode(path.read_bytes()).strip()
    except OSError as trouble:
        raise Refusal(
            say(
                "{setting}: {path} cannot be read: {why}; write the password into that file, and "
                "let nobody else read it",
                setting=setting,
                path=str(path),
                why=trouble.strerror or str(trouble),
            )
        ) from None
    if not password:
        raise Refusal(
            say("{setting}: there is no password in {path}", setting=setting, path=str(path))
        )
    return password


def saved_mark(key: Path) -> Path:
    """Return the file beside the key whose time is that of the last backup."""
    return key.with_name(f"{key.name}.saved")


def restored_mark(key: Path) -> Path:
    """Return the file beside the key that keeps when an older database was saved and
    restored, and where that is, until its upgrade."""
    return key.with_name(f"{key.name}.restored")


def erased_list(key: Path) -> Path:
    """Return the file beside the key that lists the players whose data was erased; a restored
    backup may have them again."""
    return key.with_name(f"{key.name}.erased")


# Tell what a tick did, as the operator reads it: one line for each thing.


class Progress(Struct, frozen=True):
    """One thing done: it tells of matches, seats and times, never of outcomes.

    `match` is the match that went on, empty for an email. `urgent` says that a human must look,
    `failed` that a part of the work could not be done at all. `sleeps` says that nothing else is
    due in the match now, and `computer_orders` how many orders the built-in players gave.
    """

    text: Message
    match: str = ""
    computer_orders: int = 0
    sleeps: bool = False
    urgent: bool = False
    failed: bool = False

    def __str__(self) -> str:
        return f"{self.match}: {self.text}" if self.match else str(self.text)


def keep_domain(store: Store, domain: str) -> Message | None:
    """Remember the domain of the configuration; return a sentence if it was another one.

    Raises Refusal if the configuration has none but the club has one.
    """
    with store.reading() as tx:
        known = clubs.domain(tx)
    if domain == known:
        return None
    if stranger := domain_fault(known, domain):
        raise Refusal(stranger)
    with store.transaction() as tx:
        clubs.move(tx, domain)
    if not known:
        return None
    return say(
        "this club's email is now sent from {domain}, no longer from {known}",
        domain=domain,
        known=known,
    )


def domain_fault(known: str, domain: str) -> Message | None:
    """Return the fault of a configuration without a domain for a club that has one: it is not this
    club's.

    All emails that it made would be kept for ever, and all that came would lie unread.
    """
    if domain or not known:
        return None
    return say(
        "this club's email is sent from {domain}, which this configuration does not know; use "
        "the club's own configuration, with --config",
        domain=known,
    )


# The mark by which a club knows its own spool.
#
# If two clubs took emails from one spool, each would throw away the other's.


def claim_spool(store: Store, folder: Path) -> None:
    """Make the spool this club's if it is nobody's. Raises Refusal if it is another club's."""
    with store.reading() as tx:
        own = clubs.mark(tx)
    if not spool.club(folder):
        spool.make(folder)
        spool.give_to(folder, own)
    if spool.club(folder) != own:
        raise Refusal(message_for_anothers_spool(folder))


def is_spool_empty(tx: Tx, folder: Path) -> bool:
    """Return whether the spool is this club's, and nothing lies in it, nor is left in `tmp` from a
    kill."""
    try:
        if spool.no_folder(folder) is not None or spool.club(folder) != clubs.mark(tx):
            return False
        return not (spool.names(folder) or os.listdir(folder / "tmp"))
    except OSError:
        return False  # whoever takes the emails says what it is


def is_spool_anothers(tx: Tx, folder: Path) -> bool:
    return spool.club(folder) not in ("", clubs.mark(tx))


def message_for_anothers_spool(folder: Path) -> Message:
    return say(
        "the spool {path} belongs to another club: nothing in it is touched, and no deadline is "
        "treated as missed. Set mail.spool to a folder of this club's own; if there is no other "
        "club any more, delete {mark}",
        path=str(folder),
        mark=str(folder / spool.CLUB),
    )


# The unit of work.


class Session(Struct, frozen=True):
    """A transaction, the time at which what is done in it counts, and the environment.

    What is done for somebody, or about one thing, has a value that adds these to a session: an
    offer's step, an email that is read. It lives as long as its transaction.
    """

    tx: Tx
    now: datetime
    context: Context


class OpenClub(Struct, frozen=True):
    """A club whose database is open, the time of what is done there, and the environment."""

    store: Store
    now: datetime
    context: Context

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Begin a transaction that may write; it is taken back if what is done in it fails."""
        with self.store.transaction() as tx:
            yield Session(tx, self.now, self.context)


def reach_game_master(context: Context) -> Message | None:
    """Say who the game master is and how he is reached, as far as the settings tell."""
    name, address = context.game_master, context.contact
    if name and address:
        return say("The game master is {name}; write to {address}.", name=name, address=address)
    if address:
        return say("To reach the game master, write to {address}.", address=address)
    return say("The game master is {name}.", name=name) if name else None
