"""Check what the DNS says of the club's domain."""

from collections.abc import Iterator
from functools import partial

from adjudicator.core.message import say
from adjudicator.mail import domain_records as dns
from adjudicator.mail.domain_records import NotAsked
from adjudicator.service.base.premises import Premises
from adjudicator.service.machine.doctor.checking import Finding, Patient, bad, unknown, well
from adjudicator.service.machine.doctor.patience import in_time

PATIENCE = 8.0  # seconds for one of the three


def records(patient: Patient) -> Iterator[Finding]:
    """Ask the DNS, if letters leave the machine at all."""
    at = patient.at
    if not at.domain or at.out == "none" or at.out.startswith("folder:"):
        return
    if not dns.is_public(at.domain):
        yield well(say("DNS: {domain} is no public name", domain=at.domain))
        return
    for look in (_mail_hosts, _policy, _key):
        try:
            yield in_time(partial(look, at), PATIENCE)
        except (NotAsked, TimeoutError) as trouble:
            text = say(
                "DNS: {domain} could not be asked for: {why}", domain=at.domain, why=str(trouble)
            )
            yield unknown(text)
            return


def _mail_hosts(at: Premises) -> Finding:
    hosts = dns.mail_hosts(at.domain)
    if any(hosts):
        named = ", ".join(hosts)
        return well(say("DNS: letters to {domain} go to {hosts}", domain=at.domain, hosts=named))
    if hosts:
        return bad(
            say("DNS: the MX record of {domain} says that it takes no letters", domain=at.domain)
        )
    if dns.has_address(at.domain):
        return well(
            say("DNS: {domain} has no MX record; letters go to its own address", domain=at.domain)
        )
    return bad(say("DNS: {domain} has no MX record, so letters to it go nowhere", domain=at.domain))


def _policy(at: Premises) -> Finding:
    found = dns.sender_policies(at.domain)
    if not found:
        return bad(
            say(
                "DNS: {domain} has no SPF record, which names the servers that its letters leave "
                "by; add a TXT record such as v=spf1 mx -all",
                domain=at.domain,
            )
        )
    if len(found) > 1:
        return bad(
            say(
                "DNS: {domain} has {n} SPF records, and so none counts",
                domain=at.domain,
                n=len(found),
            )
        )
    if found[0].lower().split() == ["v=spf1", "-all"]:
        return bad(
            say("DNS: the SPF record of {domain} lets no server send its letters", domain=at.domain)
        )
    return well(say("DNS: SPF of {domain}: {policy}", domain=at.domain, policy=found[0]))


def _key(at: Premises) -> Finding:
    name = dns.key_name(at.domain, at.dkim_selector)
    if dns.has_key(at.domain, at.dkim_selector):
        return well(say("DNS: there is a DKIM key at {name}", name=name))
    return bad(
        say(
            "DNS: there is no DKIM key at {name}: receipts have no envelope sender, so nothing "
            "but a signature speaks for them; mail.dkim_selector names your server's key",
            name=name,
        )
    )
