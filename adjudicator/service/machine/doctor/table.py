"""The table of all checks, in the order in which they are told."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.service.base.breakdown import BREAKDOWNS, why
from adjudicator.service.base.premises import Premises
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.machine.doctor import files, names, program, records, trials, ways
from adjudicator.service.machine.doctor.checking import Finding, Look, Patient, State, bad
from adjudicator.store.database import StoreTrouble

# `--format json` prints these names.
CHECKS: Sequence[tuple[str, Look]] = (
    ("configuration", files.configuration),
    ("program", program.files),
    ("pictures", program.pictures),
    ("database", records.database),
    ("database", records.writing),
    ("database", records.soundness),
    ("database", files.database),
    ("disk", files.disk),
    ("clock", records.clock),
    ("tick", records.ticks),
    ("letters", records.due_letters),
    ("letters", records.refused_letters),
    ("letters", records.stuck_letters),
    ("letters", records.unanswered_letters),
    ("matches", records.unread_matches),
    ("addresses", records.unconfirmed_addresses),
    ("restore", records.restore),
    ("operator", records.operator),
    ("contact", records.contact),
    ("mail", records.domain),
    ("spool", files.spool),
    ("spool", files.whose_spool),
    ("key", files.key),
    ("passwords", files.passwords),
    ("mail", ways.answers),
    ("delimiter", ways.delimiter),
    ("out", ways.out),
    ("fetch", ways.fetch),
    ("dns", names.records),
    ("test", trials.letters),
    ("token+auth", trials.verdicts),
)


class Told(Struct, frozen=True):
    """A finding and the name of its check."""

    check: str
    state: State
    text: Message


def examine(url: str, at: Premises, *, now: datetime, raise_faults: bool = False) -> Iterator[Told]:
    """Return all that can be found from here.

    If one trouble stops several checks, it is told once. With `raise_faults` a fault of ours in a
    check is raised, not told.
    """
    patient = Patient(url, at, now)
    told: set[str] = set()
    try:
        for name, look in CHECKS:
            for finding in _looked(name, look, patient, raise_faults):
                if str(finding.text) not in told:
                    told.add(str(finding.text))
                    yield Told(name, finding.state, finding.text)
    finally:
        patient.close()


def _looked(name: str, look: Look, patient: Patient, raise_faults: bool) -> Iterator[Finding]:
    """Yield what a check finds.

    Whatever keeps it from looking is a finding, too, and the other checks go on.
    """
    try:
        yield from look(patient)
    except StoreTrouble as trouble:
        yield bad(trouble.message)
    except Refusal as refusal:
        yield from map(bad, refusal.messages)
    except BREAKDOWNS as trouble:
        yield bad(why(trouble))
    except Exception as fault:
        if raise_faults:
            raise
        kind = type(fault).__name__
        yield bad(
            say(
                "{check}: a fault inside adjud ({kind}) ended this check. ADJUD_DEBUG=1 shows "
                "where",
                check=name,
                kind=kind,
            )
        )
