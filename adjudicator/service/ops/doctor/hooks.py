"""Check the hooks: whether the file can be written and the command run, and what they have not
got."""

import os
import shutil
from collections.abc import Iterator

from adjudicator.core.message import count, say
from adjudicator.service.ops.doctor.checking import Finding, Patient, bad, well
from adjudicator.store import happenings


def events(patient: Patient) -> Iterator[Finding]:
    at = patient.at
    with patient.store.reading() as tx:
        found = happenings.counted(tx)
    if at.hooks_file is None and not at.hooks_command:
        return
    if at.hooks_file is not None:
        place = at.hooks_file if at.hooks_file.exists() else at.hooks_file.parent
        if not os.access(place, os.W_OK) or at.hooks_file.is_dir():
            yield bad(say("hooks: {path} cannot be written", path=str(at.hooks_file)))
    if at.hooks_command and shutil.which(at.hooks_command[0]) is None:
        yield bad(say("hooks: the command {name} cannot be run", name=at.hooks_command[0]))
    if found.given_up:
        yield bad(
            count(
                "hooks: {n} event was given up after {most} tries: {why}",
                "hooks: {n} events were given up after {most} tries each: {why}",
                found.given_up,
                most=happenings.MOST_TRIES,
                why=found.reason,
            )
        )
    elif found.waiting and found.reason:
        yield bad(
            count(
                "hooks: {n} event waits, because the command failed: {why}",
                "hooks: {n} events wait, because the command failed: {why}",
                found.waiting,
                why=found.reason,
            )
        )
    else:
        yield well(say("hooks: all events so far were handed over, or wait for the next tick"))
