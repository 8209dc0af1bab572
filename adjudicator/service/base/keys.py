"""The key that signs seat addresses: a file outside the database, readable by its owner only.

Each line is a key, `id hex`. The first signs; the others are still accepted for what they signed.
The database knows the keys' fingerprints, so that no other key is ever taken for the club's: it
would make junk of each email to an older address. To change the key, put a new line above the old
one, and take the old one out when its emails have been answered.
"""

import os
import re
import secrets
from base64 import b32encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.mail.address import Key, bounce_tag, fingerprint
from adjudicator.service.base import files
from adjudicator.service.base.context import Refusal
from adjudicator.store import clubs, outbox
from adjudicator.store.database import Store, Tx, open_store
from adjudicator.store.listings import EMAILS_IN, Arrived, Queued


class KnownKeys(Struct, frozen=True):
    """A club's database knows this of its keys.

    It knows their fingerprints. If an older program kept none, it has the tag of an email, with the
    email's key in the outbox.
    """

    fingerprints: tuple[str, ...] = ()
    tagged: tuple[str, str | None, str] | None = None

    @property
    def nothing(self) -> bool:
        return not self.fingerprints and self.tagged is None

    def has(self, keys: Sequence[Key]) -> bool:
        """Return whether one of these keys is the club's; true, too, if the database knows none."""
        if self.fingerprints:
            return not set(self.fingerprints).isdisjoint(map(fingerprint, keys))
        if self.tagged is None:
            return True
        email, epoch, tag = self.tagged
        return any(bounce_tag(key, email, epoch) == tag for key in keys)


NOTHING = KnownKeys()


def load_known_keys(tx: Tx) -> KnownKeys:
    fingerprints = clubs.fingerprints(tx)
    return KnownKeys(fingerprints, None if fingerprints else outbox.newest_bounce_tag(tx))


def keep(store: Store, path: Path) -> tuple[Key, ...]:
    """Return the club's keys, and note them in its database.

    Raises Refusal if the file is gone or another club's.
    """
    with store.reading() as tx:
        seen = load_known_keys(tx)
    found = own_keys(seen, path)
    remember(store, seen, found)
    return found


def own_keys(seen: KnownKeys, path: Path) -> tuple[Key, ...]:
    """Return the keys of a file, if it is the club's. Raises Refusal for any other, and for
    none."""
    if not (seen.nothing or path.exists()):
        raise Refusal(message_for_lost_keys(path))
    found = read(path)
    if not seen.has(found):
        raise Refusal(_anothers(path))
    return found


def remember(store: Store, seen: KnownKeys, keys: Sequence[Key]) -> None:
    fingerprints = tuple(map(fingerprint, keys))
    if fingerprints != seen.fingerprints:
        with store.transaction() as tx:
            clubs.know_keys(tx, fingerprints)


def message_for_lost_keys(path: Path) -> Message:
    return say(
        "there is no key at {path}, and without the club's own key no seat's address works: "
        "restore it from a backup, with `adjud backup --restore FILE --key-only`",
        path=str(path),
    )


def _anothers(path: Path) -> Message:
    return say(
        "the key at {path} is not this club's, and with it no seat's address works: move it away "
        "and restore the club's own key from a backup, with `adjud backup --restore FILE "
        "--key-only`",
        path=str(path),
    )


def make(url: str, path: Path, *, another: bool = False) -> bool:
    """Make a key if there is no file; return False if there was one.

    Raises Refusal if the database knows another key, unless that is lost for good and `another` is
    to follow it.
    """
    seen = _known_at(url) if another or not path.exists() else NOTHING
    if another and path.exists() and seen.has(read(path)):
        raise Refusal(say("the key at {path} is this club's; no key is lost", path=str(path)))
    if not (another or seen.nothing):
        raise Refusal(message_for_lost_keys(path))
    return create(path)


def _known_at(url: str) -> KnownKeys:
    store = open_store(url)
    try:
        with store.reading() as tx:
            return load_known_keys(tx)
    finally:
        store.close()


def create(path: Path) -> bool:
    """Make a key if there is no file; return False if there was one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with files.aside(path) as unfinished:
        with files.durable(unfinished) as file:
            file.write(f"k1 {secrets.token_hex(32)}\n".encode())
        try:
            os.link(unfinished, path)  # puts a whole file there, and never over another
        except FileExistsError:
            return False
    return True


def read(path: Path) -> tuple[Key, ...]:
    """Read the keys of a file. Raises Refusal if there is no usable key."""
    try:
        lines = path.read_text("ascii").split("\n")
    except FileNotFoundError:
        raise Refusal(
            say("there is no key at {path}; `adjud init` makes one", path=str(path))
        ) from None
    except (OSError, UnicodeDecodeError):
        raise Refusal(say("the key at {path} cannot be read", path=str(path))) from None
    keys = []
    for number, line in enumerate((line.split() for line in lines), start=1):
        if not line:
            continue
        try:
            name, secret = line
            keys.append(Key(id=name, secret=bytes.fromhex(secret)))
        except ValueError:
            raise Refusal(
                say(
                    "{path}, line {line}: a key must be a name and hex digits",
                    path=str(path),
                    line=number,
                )
            ) from None
    if not keys or any(len(key.secret) < 16 for key in keys):
        raise Refusal(say("{path} has no key of 16 bytes or more", path=str(path)))
    return tuple(keys)


# The ids by which an operator names emails, those that came in and those that go out.


Entry = Queued | Arrived
_CODE = re.compile(r"(?:(in|out)-)?([a-z2-7]{8})")


class Which(Struct, frozen=True):
    """The id of an email: `in-k3f5qw2m`, `out-7c6d2mzt`; without either word, one that goes out.

    It is not a number, nor does it follow from one, because that would tell of emails that are not
    listed.
    """

    code: str
    came_in: bool = False

    def __str__(self) -> str:
        return f"{'in' if self.came_in else 'out'}-{self.code}"


def which_email(word: str) -> Which | None:
    """Return the email that a word means; None if it is no id."""
    found = _CODE.fullmatch(word.strip().lower())
    return Which(found[2], found[1] == "in") if found else None


def shown_id(email: Entry) -> str:
    if isinstance(email, Queued):
        return str(Which(email.name))
    digest = sha256(email.spool_name.encode()).digest()  # the name is drawn by lot
    return str(Which(b32encode(digest[:5]).decode().lower(), came_in=True))


def shown_id_of_arrived(tx: Tx, letter_id: int) -> str:
    (email,) = EMAILS_IN.emails(tx, letter_id=letter_id)
    return shown_id(email)
