"""Every check, in the order in which they are told."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from adjudicator.service.doctor import files, names, records, ways
from adjudicator.service.doctor.checking import Finding, Look, Patient, bad
from adjudicator.service.premises import Premises
from adjudicator.store.database import StoreTrouble

CHECKS: Sequence[Look] = (
    files.configuration,
    records.database,
    records.writing,
    records.soundness,
    files.database,
    files.disk,
    records.clock,
    records.ticks,
    records.due_letters,
    records.stuck_letters,
    records.domain,
    files.spool,
    files.key,
    files.passwords,
    ways.answers,
    ways.leading_somewhere,
    names.addresses,
)


def examine(url: str, at: Premises, *, now: datetime) -> Iterator[Finding]:
    """Everything that can be looked at from here."""
    patient = Patient(url, at, now)
    try:
        for look in CHECKS:
            yield from look(patient)
    except StoreTrouble as trouble:
        yield bad(trouble.message)
    finally:
        patient.close()
