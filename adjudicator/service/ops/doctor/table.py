"""The table of all checks, in the order in which they are told."""

from base64 import urlsafe_b64encode
from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from importlib import import_module
from importlib.metadata import PackageNotFoundError, PackagePath, distribution
from itertools import islice
from pathlib import Path

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.games import GAMES
from adjudicator.mail.transport.errors import needs_extra
from adjudicator.reports import whole
from adjudicator.resources import PACKAGE, Incomplete
from adjudicator.service.base.context import BREAKDOWNS, Paths, Refusal, why_of_breakdown
from adjudicator.service.ops.doctor import files, mail_setup, records
from adjudicator.service.ops.doctor.checking import Finding, Look, Patient, State, bad, well
from adjudicator.store.database import StoreTrouble

# Check the program itself: all that was installed is there, unchanged, and the wanted extras,
# too.


_FEW = 5  # files that are named


def missing_files(_: Patient) -> Iterator[Finding]:
    faults = [*islice(_changed(), _FEW), *islice(whole.faults([*GAMES.values()]), _FEW)]
    for fault in faults:
        yield bad(fault.message)
    if not faults:
        yield well(say("program: nothing is missing"))


def pictures(patient: Patient) -> Iterator[Finding]:
    """Check whether letters can carry the board as a picture, if that is wanted."""
    at = patient.at
    if not at.domain or at.out == "none" or at.pictures == "never":
        return
    if _can_import("resvg_py"):
        yield well(say("pictures: players who want it get the board as a picture"))
    elif at.pictures == "always":
        needed = needs_extra("png").message
        yield bad(say("pictures: emails should have them; {why}", why=needed))
    else:
        yield well(say("pictures: emails have none; the extra png would draw the board"))


def _can_import(name: str) -> bool:
    try:
        import_module(name)
    except ImportError:
        return False
    return True


def _changed() -> Iterator[Incomplete]:
    """Return the files of an installed program that have changed since.

    Of a checkout, which people edit, nothing is known. The script that starts the program is not
    among them: pipx writes it anew.
    """
    try:
        installed = distribution("adjud")
    except PackageNotFoundError:
        return
    if Path(str(installed.locate_file("adjudicator"))).resolve() != PACKAGE.resolve():
        return
    for file in installed.files or ():
        if file.parts[0] != PACKAGE.name or file.hash is None:
            continue
        if file.hash.mode == "sha256" and not _is_whole(file):
            yield Incomplete(Path(str(file.locate())))


def _is_whole(file: PackagePath) -> bool:
    assert file.hash is not None
    try:
        digest = sha256(file.read_binary()).digest()
    except OSError:
        return False
    return urlsafe_b64encode(digest).rstrip(b"=").decode() == file.hash.value


# `--format json` prints these names.
CHECKS: Sequence[tuple[str, Look]] = (
    ("configuration", files.configuration),
    ("program", missing_files),
    ("pictures", pictures),
    ("database", records.database),
    ("database", records.writing),
    ("database", records.soundness),
    ("database", files.database),
    ("database", files.network_disk),
    ("paths", files.relative_paths),
    ("disk", files.disk),
    ("clock", records.clock),
    ("tick", records.ticks),
    ("letters", records.due_letters),
    ("letters", records.refused_letters),
    ("letters", records.stuck_letters),
    ("letters", records.unanswered_letters),
    ("matches", records.unread_matches),
    ("matches", records.public_numbers),
    ("addresses", records.unconfirmed_addresses),
    ("restore", records.restore),
    ("erased", records.erased_players),
    ("operator", records.operator),
    ("contact", records.contact),
    ("mail", records.domain),
    ("spool", files.spool),
    ("spool", files.whose_spool),
    ("key", files.key),
    ("passwords", files.passwords),
    ("mail", mail_setup.answers),
    ("delimiter", mail_setup.delimiter),
    ("out", mail_setup.out),
    ("fetch", mail_setup.fetch),
    ("dns", mail_setup.dns_records),
    ("test", mail_setup.test_letters),
    ("token+auth", mail_setup.test_verdicts),
)


class CheckResult(Struct, frozen=True):
    """A finding and the name of its check."""

    check: str
    state: State
    text: Message


def examine(
    url: str, at: Paths, *, now: datetime, raise_faults: bool = False
) -> Iterator[CheckResult]:
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
                    yield CheckResult(name, finding.state, finding.text)
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
        yield bad(why_of_breakdown(trouble))
    except Exception as fault:
        if raise_faults:
            raise
        kind = type(fault).__name__
        yield bad(
            say(
                "{check}: an error inside adjud ({kind}) stopped this check; ADJUD_DEBUG=1 shows "
                "where",
                check=name,
                kind=kind,
            )
        )
