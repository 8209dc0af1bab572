"""Check the letters that the club has sent to itself (`adjud mail test`).

Did they come home, and what became of a forged verdict on its way?
"""

from collections.abc import Iterator
from datetime import timedelta

from adjudicator.core.message import say
from adjudicator.mail.address import Post, public_address
from adjudicator.service.base import options
from adjudicator.service.base.calendar import in_zone
from adjudicator.service.machine.doctor.checking import Finding, Patient, bad, unknown, well
from adjudicator.store import matches, trials
from adjudicator.store.trials import Trial

_PATIENCE = timedelta(minutes=20)  # several ticks
_LEVEL = "token+auth"


def letters(patient: Patient) -> Iterator[Finding]:
    at = patient.at
    if not at.domain or at.out == "none" or at.out.startswith("folder:"):
        return
    tried = _tried(patient, "")
    if tried is None:
        yield unknown(
            say("test: whether letters come home was never tried; `adjud mail test` tries it")
        )
    else:
        yield _is_home(patient, tried) or _not_home(patient, tried)


def verdicts(patient: Patient) -> Iterator[Finding]:
    """Check whether a server's verdict can be believed, if a match demands one for its senders."""
    with patient.store.reading() as tx:
        levels = {options.level(agreed) for agreed in matches.options_of_playing(tx)}
    if _LEVEL not in levels:
        return
    name = patient.at.authserv_id
    if not name:
        yield bad(
            say(
                "token+auth: no server's word is believed, so every sheet waits to be confirmed; "
                "set mail.authserv_id"
            )
        )
        return
    tried = _tried(patient, name)
    if tried is None:
        yield unknown(
            say(
                "token+auth: whether a forged Authentication-Results comes through was never "
                "tried; `adjud mail test` tries it"
            )
        )
    else:
        yield _became_of_verdict(tried, name)


def _became_of_verdict(tried: Trial, name: str) -> Finding:
    if tried.home_at is None and tried.found:
        return well(
            say("token+auth: the server refuses a letter with a forged Authentication-Results")
        )
    if tried.home_at is None:
        return unknown(
            say(
                "token+auth: the letter of {when} with a forged Authentication-Results has not "
                "come home",
                when=_when(tried),
            )
        )
    if not tried.found:
        return well(
            say("token+auth: the server takes a forged Authentication-Results out of a letter")
        )
    return bad(
        say(
            "token+auth: a forged Authentication-Results of {name} comes through, so that whoever "
            "writes one orders for others; let the server take it out, as docs/server.md says",
            name=name,
        )
    )


def _tried(patient: Patient, claims: str) -> Trial | None:
    with patient.store.reading() as tx:
        return next((one for one in trials.listed(tx) if one.claims == claims), None)


def _is_home(patient: Patient, tried: Trial) -> Finding | None:
    if tried.home_at is None:
        return None
    return well(say("test: the letter of {when} came home", when=_when(tried)))


def _not_home(patient: Patient, tried: Trial) -> Finding:
    when = _when(tried)
    if tried.found:
        return bad(say("test: the letter of {when} came back: {why}", when=when, why=tried.found))
    if patient.now - tried.sent_at < _PATIENCE:
        return unknown(say("test: the letter of {when} is on its way", when=when))
    at = patient.at
    address = public_address(Post(domain=at.domain, user=at.user, keys=()))
    return bad(
        say(
            "test: the letter of {when} has not come home; does the server of {address} keep "
            "sub-addresses, and hand what comes to them to `adjud mail receive`?",
            when=when,
            address=address,
        )
    )


def _when(tried: Trial) -> str:
    return in_zone(tried.sent_at, "UTC")
