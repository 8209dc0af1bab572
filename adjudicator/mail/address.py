"""Addresses that name a seat, and Message-IDs from which a seat can be found (emails, section 2).

Every secret here is a keyed digest, so none is in the database. A stranger who sees an address sees
a match, a seat and sixteen letters; in a Message-ID he does not even see the seat.
"""

import re
from base64 import b32encode
from collections.abc import Iterable, Sequence
from functools import cache
from hmac import compare_digest, digest
from secrets import token_bytes
from typing import TypeAlias

from msgspec import Struct

from adjudicator.core.text import folded_domain, mailbox_of

DELIMITERS = "-+._="  # the usual ones of mail servers
LOCAL_PART = 64  # octets at most (RFC 5321, section 4.5.3.1.1)
_TAG = "[a-z2-7]{16}"  # 80 bits in base32 (RFC 4648, section 6), without padding
_NAME = "[a-z0-9][a-z0-9-]*"
_EPOCH = "[a-z]{3,5}"
_PERSON = "[a-z2-7]{10}"
GUESTS = "f"  # stands before the secret of a friend's address
PERSONS = "me"  # stands before a player's token; no match is called so

Tenancy: TypeAlias = tuple[str, str, int]  # match, seat, tenure


class Key(Struct, frozen=True, kw_only=True):
    """A key and its name. The name may be shown, the secret never is."""

    id: str
    secret: bytes

    def __repr__(self) -> str:
        return f"Key(id={self.id!r})"


class MailDomain(Struct, frozen=True, kw_only=True):
    """The mail domain and the keys that sign its addresses.

    The first key signs; the others are older ones that are still accepted. `delimiter` divides the
    user from the detail (RFC 5233, section 1): "+" at most servers.
    """

    domain: str
    keys: Sequence[Key]
    user: str = "adjud"
    delimiter: str = "+"


class SeatAddress(Struct, frozen=True, tag=True):
    """An address that names a seat. `authorises` says whether it may speak for it."""

    match: str
    seat: str
    tag: str


class PersonalAddress(Struct, frozen=True, tag=True):
    """An address that names a player and none of his seats (club, 2). `is_personal` says whether
    it is the present one."""

    token: str
    tag: str


class GuestAddress(Struct, frozen=True, tag=True):
    """An address that a player hands on to somebody who is not a member (club, 6.2). Whoever knows
    its secret may ask to play."""

    door: str


class BounceAddress(Struct, frozen=True, tag=True):
    """The envelope sender of one of our emails; what comes to it is a bounce of that email."""

    tag: str


class TrialAddress(Struct, frozen=True, tag=True):
    """An address to which the club sends an email to see whether its emails come home."""

    tag: str


class Public(Struct, frozen=True, tag=True):
    """The address that anybody may write to."""


OurAddress: TypeAlias = (
    SeatAddress | PersonalAddress | GuestAddress | BounceAddress | TrialAddress | Public
)


def tag(key: bytes, match: str, seat: str, tenure: int) -> str:
    """Return the tag that only we can write beside a seat's name. A new tenure has another one."""
    return tag_of(key, f"seat|v1|{match}|{seat}|{tenure}")


def seat_address(post: MailDomain, match: str, seat: str, tenure: int) -> str:
    """Return the Reply-To of everything that is sent to a seat."""
    _check_names(match, seat)
    signed = tag(post.keys[0].secret, match, seat, tenure)
    return _address(post, f"{match}.{seat}.{signed}")


def personal_tag(key: bytes, token: str, number: int) -> str:
    return tag_of(key, f"player|v1|{token}|{number}")


def personal_address(post: MailDomain, token: str, number: int) -> str:
    """Return the address of a player for all that is not about one seat (club, 2)."""
    if not re.fullmatch(_PERSON, token):
        raise ValueError(f"{token!r} is no player's token")
    return _address(post, f"{PERSONS}.{token}.{personal_tag(post.keys[0].secret, token, number)}")


def is_personal(post: MailDomain, address: PersonalAddress, number: int) -> bool:
    """Return whether the address is the player's with that number, under any of our keys."""
    tags = (personal_tag(key.secret, address.token, number) for key in post.keys)
    return _any_equal(tags, address.tag)


def bounce_address(post: MailDomain, outbox_key: str, epoch: str | None = None) -> str:
    """Return the envelope sender of one email (a variable envelope return path)."""
    return _address(post, f"bounce.{bounce_tag(post.keys[0], outbox_key, epoch)}")


def public_address(post: MailDomain) -> str:
    return f"{post.user}@{post.domain}"


def trial_address(post: MailDomain, tag: str) -> str:
    return _address(post, f"test.{tag}")


def guest_address(post: MailDomain, door: str) -> str:
    return _address(post, f"{GUESTS}.{door}")


def marks_of(post: MailDomain, address: str) -> tuple[str, ...]:
    """Return the digests of an address, in whatever spelling, by which a club knows it again
    without keeping it: that of today's key, and those of older ones."""
    text = f"stranger|v1|{mailbox_of(address)}"
    return tuple(tag_of(key.secret, text) for key in post.keys)


def fresh_tag() -> str:
    """Return sixteen letters and digits that nobody can guess."""
    return b32encode(token_bytes(10)).decode().lower()


def tagged_address(post: MailDomain) -> str:
    """Return a sub-address that belongs to nobody, to ask a server whether it takes such
    addresses."""
    return _address(post, f"bounce.{'a' * 16}")


def fingerprint(key: Key) -> str:
    """Return a text by which a key is recognised; it gives nothing of the key away."""
    return tag_of(key.secret, "fingerprint|v1")


def bounce_tag(key: Key, outbox_key: str, epoch: str | None = None) -> str:
    return tag_of(key.secret, f"bounce|{_unique(outbox_key, epoch)}")


def read_address(post: MailDomain, address: str) -> OurAddress | None:
    """Return what an address of ours means; None if it is not ours or was mangled on its way.

    Upper case is accepted everywhere: local parts may differ by case (RFC 5321, section 2.4), but
    ours do not, and some programs change it. Nothing else is repaired: a program that quotes,
    escapes or cuts an address could have done so to any part of it.
    """
    form = _form(post.user, post.delimiter, post.domain)
    if not address.isascii() or not (found := form.fullmatch(address.lower())):
        return None
    match, seat, signed, bounce, trial = found.group("match", "seat", "tag", "bounce", "trial")
    if token := found["token"]:
        return PersonalAddress(token, found["own"])
    if door := found["door"]:
        return GuestAddress(door)
    if bounce:
        return BounceAddress(bounce)
    if trial:
        return TrialAddress(trial)
    return SeatAddress(match, seat, signed) if signed else Public()


def keyed_address(match: str, seat: str, key: str) -> SeatAddress | None:
    """Return the address that the `key` in a sheet's head means; None if the words cannot be in an
    address."""
    said = ((_NAME, match), (_NAME, seat), (_TAG, key))
    meant = all(re.fullmatch(form, word) for form, word in said)
    return SeatAddress(match, seat, key) if meant else None


def authorises(post: MailDomain, address: SeatAddress, tenure: int) -> bool:
    """Return whether the address is that of the seat's holder in `tenure`, under any of our
    keys."""
    return _any_equal(
        (tag(key.secret, address.match, address.seat, tenure) for key in post.keys), address.tag
    )


def is_bounce_of(
    post: MailDomain, bounce: BounceAddress, outbox_key: str, epoch: str | None = None
) -> bool:
    """Return whether a bounce address belongs to this email, under any of our keys."""
    return _any_equal((bounce_tag(key, outbox_key, epoch) for key in post.keys), bounce.tag)


def message_id(
    post: MailDomain, outbox_key: str, match: str, seat: str, tenure: int, epoch: str | None = None
) -> str:
    """Return the Message-ID of an email to a seat, the same each time it is sent.

    Its first part tells emails apart. It is a digest, because an outbox key may hold a number that
    grows with other seats' emails. Its last part is a tag with a label of its own: it finds the
    seat and authorises nothing. `epoch` is that of an email which was queued after a restore: the
    key alone may have been another email's before.
    """
    _check_names(match, seat)
    key = post.keys[0].secret
    told = f"{match}.{epoch}" if epoch else match
    finder = _finder(key, match, seat, tenure)
    return f"<{_email(key, _unique(outbox_key, epoch))}.{told}.{finder}@{post.domain}>"


def plain_message_id(post: MailDomain, outbox_key: str, epoch: str | None = None) -> str:
    """Return the Message-ID of an email to no seat: to the operator, or to confirm an address."""
    return f"<{_email(post.keys[0].secret, _unique(outbox_key, epoch))}@{post.domain}>"


def _unique(outbox_key: str, epoch: str | None) -> str:
    return f"{epoch}|{outbox_key}" if epoch else outbox_key


def match_of_message_id(post: MailDomain, message_id: str) -> str | None:
    """Return the match that a Message-ID claims, so that only its seats need be tried."""
    found = _ids(post.domain).fullmatch(message_id.strip().lower())
    return found["match"] if found else None


def is_plain_message_id(post: MailDomain, message_id: str) -> bool:
    """Return whether a Message-ID has the form of those of our emails to no seat."""
    return bool(_plain_ids(post.domain).fullmatch(message_id.strip().lower()))


def seat_of_message_id(
    post: MailDomain, message_id: str, candidates: Iterable[Tenancy]
) -> Tenancy | None:
    """Return the seat to which the email with this Message-ID was sent; None if there is none.

    This finds a seat; it does not authorise anybody.
    """
    found = _ids(post.domain).fullmatch(message_id.strip().lower())
    if not found:
        return None
    ours = (tenancy for tenancy in candidates if tenancy[0] == found["match"])
    return next((who for who in ours if _found_by(post, who, found["finder"])), None)


def _found_by(post: MailDomain, tenancy: Tenancy, finder: str) -> bool:
    return _any_equal((_finder(key.secret, *tenancy) for key in post.keys), finder)


def _email(key: bytes, outbox_key: str) -> str:
    return tag_of(key, f"letter|{outbox_key}")


def _finder(key: bytes, match: str, seat: str, tenure: int) -> str:
    return tag_of(key, f"id|v1|{match}|{seat}|{tenure}")


def _any_equal(wanted: Iterable[str], seen: str) -> bool:
    """Compare with all of them, each in constant time, so that the time taken tells nothing."""
    verdicts = [compare_digest(one.encode(), seen.encode()) for one in wanted]
    return any(verdicts)


def _address(post: MailDomain, detail: str) -> str:
    local = f"{post.user}{post.delimiter}{detail}"
    if len(local.encode()) > LOCAL_PART:
        raise ValueError(f"{local}@ has more than {LOCAL_PART} octets before the @")
    return f"{local}@{post.domain}"


def _check_names(match: str, seat: str) -> None:
    # A dot or a bar in a name would give two seats the same signed text.
    for name in (match, seat):
        if not re.fullmatch(_NAME, name):
            raise ValueError(f"{name!r} cannot stand in an address")


@cache
def _form(user: str, delimiter: str, domain: str) -> re.Pattern[str]:
    mine, divided, at = (re.escape(part.lower()) for part in (user, delimiter, domain))
    seat = rf"(?P<match>{_NAME})\.(?P<seat>{_NAME})\.(?P<tag>{_TAG})"
    person = rf"{PERSONS}\.(?P<token>{_PERSON})\.(?P<own>{_TAG})"
    guest = rf"{GUESTS}\.(?P<door>{_TAG})"
    others = rf"bounce\.(?P<bounce>{_TAG})|test\.(?P<trial>{_TAG})"
    return re.compile(rf"{mine}(?:{divided}(?:{person}|{guest}|{seat}|{others}))?@{at}")


@cache
def _plain_ids(domain: str) -> re.Pattern[str]:
    return re.compile(rf"<{_TAG}@{re.escape(domain.lower())}>")


@cache
def _ids(domain: str) -> re.Pattern[str]:
    """Return the pattern of our Message-IDs.

    They are dot-atoms (RFC 5322, section 3.6.4), which mail programs hand back unchanged.
    """
    return re.compile(
        rf"<{_TAG}\.(?P<match>{_NAME})\.(?:{_EPOCH}\.)?(?P<finder>{_TAG})"
        rf"@{re.escape(domain.lower())}>"
    )


# Decide to which addresses an email can go.


# One plain mailbox. RFC 5322 also allows a comma or a quoted blank, but some server on the way will
# drop such an email; so a player who is entered with such an address is asked for another. The name
# of a machine alone, as in gerda@vm, is a slip, or leads to this machine's own users: who writes
# from there, as strangers may pretend, gets no answer.
LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"  # of a domain (RFC 1123, section 2.1)
MAILBOX = re.compile(
    rf"(?=.{{3,254}}\Z)[\w.!#$%&'*+/=?^`{{|}}~-]{{1,64}}@(?:{LABEL}\.)+{LABEL}", re.ASCII
)


def is_mailbox(address: str) -> bool:
    return MAILBOX.fullmatch(address) is not None


def in_ascii(address: str) -> str:
    """Return the address with its domain as servers write it: blåbær.no is xn--blbr-roah.no."""
    local, at, domain = address.rpartition("@")
    return address if domain.isascii() else f"{local}{at}{folded_domain(domain)}"


def tag_of(key: bytes, text: str) -> str:
    """Return sixteen letters and digits that only the key can make of this text."""
    return b32encode(digest(key, text.encode(), "sha256")[:10]).decode().lower()
