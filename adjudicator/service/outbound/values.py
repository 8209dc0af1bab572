"""Collect what every email's value has, whatever it says."""

from msgspec import structs

from adjudicator import __version__
from adjudicator.core.email_kinds import ValuedKind
from adjudicator.mail.address import seat_address
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.emails.value import LABEL, Addressee, Beside, EmailText, EmailValue
from adjudicator.service.outbound.footer import club_lines
from adjudicator.service.outbound.writing import Writing
from adjudicator.store.email_numbers import next_number


def value_to_seat(email: Writing, kind: ValuedKind, *, part: bool = False) -> EmailValue:
    """Return the value of an email to a seat that says nothing yet. A part of one has no number."""
    match, holder = email.match.match, email.holder
    value = EmailValue(
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
    if part:
        return value
    number = next_number(email.tx, match.id, email.seat, holder.tenure, email.due.id)
    return structs.replace(value, n=number.n, before=number.before, skipped=number.skipped)


def said_to_seat(email: Writing, kind: ValuedKind, said: EmailText) -> EmailValue:
    """Return the value of an email to a seat that is no report."""
    post, match = email.context.post, email.match.match.name
    address = seat_address(post, match, email.seat, email.holder.tenure) if post else None
    beside = Beside(reply_to=address)
    return structs.replace(value_to_seat(email, kind), said=said, beside=beside)
