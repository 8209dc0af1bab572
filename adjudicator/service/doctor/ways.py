"""The ways that letters take, as far as it shows from here."""

from collections.abc import Iterator

from adjudicator.core.message import say
from adjudicator.mail.ways import BadWay
from adjudicator.mail.ways_in import look_at
from adjudicator.mail.ways_out import look_for
from adjudicator.service.doctor.checking import Finding, Patient, bad, well


def answers(patient: Patient) -> Iterator[Finding]:
    """Whether who writes to us can be answered."""
    domain = patient.at.domain
    if domain and patient.at.out == "none" and patient.people:
        yield bad(say("mail: players can write to us and get no answer; set mail.out"))
    elif domain:
        yield well(say("mail: letters come home to {domain}", domain=domain))
    elif patient.people:
        yield well(say("mail: no domain is set, so nobody can order by mail"))


def leading_somewhere(patient: Patient) -> Iterator[Finding]:
    at = patient.at
    for key, url, look in (("mail.out", at.out, look_for), ("mail.fetch", at.fetch, look_at)):
        if url in ("", "none"):
            continue
        try:
            look(url)
        except BadWay as trouble:
            yield bad(say("{key}: {why}", key=key, why=trouble.message))
