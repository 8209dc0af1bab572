"""Collect what every email's value has, whatever it says."""

from msgspec import structs

from adjudicator import __version__
from adjudicator.core.email_kinds import ValuedKind
from adjudicator.mail.address import seat_address
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.emails.value import (
    LABEL,
    Addressee,
    Beside,
    EmailText,
    EmailValue,
    digest_of,
)
from adjudicator.service.outbound.footer import club_lines
from adjudicator.service.outbound.writing import Writing
from adjudicator.store.email_numbers import EmailNumber, numbers


def value_to_seat(email: Writing, kind: ValuedKind, *, part: bool = False) -> EmailValue:
    """Return the value of an email to a seat that says nothing yet and has no number."""
    match, holder = email.match.match, email.holder
    return EmailValue(
        adjud=__version__,
        label=LABEL,
        kind=kind,
        part=part,
        to=Addressee(match=match.name, seat=email.seat, tenure=holder.tenure, epoch=match.epoch),
        at=rfc3339(email.due.created_at),
        language=holder.language,
        zone=holder.zone,
        club=club_lines(email.context),
    )


def give_number(email: Writing, value: EmailValue) -> EmailValue:
    """Give a value its number: that which the email has, if it says the same as then, or else the
    next. A part of an email has none."""
    if value.part:
        return value
    match, tenure = email.match.match.id, email.holder.tenure
    own, coming = numbers(email.tx, match, email.seat, tenure, email.due.id)
    if own is not None and digest_of(_with_number(value, own)) == own.digest:
        return _with_number(value, own)
    return _with_number(value, coming)


def _with_number(value: EmailValue, number: EmailNumber) -> EmailValue:
    return structs.replace(value, n=number.n, before=number.before, skipped=number.skipped)


def said_to_seat(email: Writing, kind: ValuedKind, said: EmailText) -> EmailValue:
    """Return the value of an email to a seat that is no report."""
    post, match = email.context.post, email.match.match.name
    address = seat_address(post, match, email.seat, email.holder.tenure) if post else None
    beside = Beside(reply_to=address)
    return structs.replace(value_to_seat(email, kind), said=said, beside=beside)
