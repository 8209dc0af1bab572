"""Check what the DNS says of the club's domain."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import partial

from adjudicator.core.message import Message, say
from adjudicator.mail import domain_records as dns
from adjudicator.mail.address import (
    DELIMITERS,
    MailDomain,
    SeatAddress,
    public_address,
    read_address,
    tagged_address,
)
from adjudicator.mail.domain_records import NotAsked
from adjudicator.mail.read.mime import recipients, split
from adjudicator.mail.transport import fetch as ways_in
from adjudicator.mail.transport import send
from adjudicator.mail.transport.errors import BadTransport, Temporary
from adjudicator.mail.transport.send import ServerAnswer
from adjudicator.service.base import keys, options
from adjudicator.service.base.calendar import in_zone
from adjudicator.service.base.context import Paths, password_in
from adjudicator.service.inbound.routing import is_ours
from adjudicator.service.ops.doctor.checking import (
    Finding,
    Installation,
    bad,
    in_time,
    unknown,
    well,
)
from adjudicator.store import inbox, matches, upkeep
from adjudicator.store.database import Tx
from adjudicator.store.upkeep import SelfTest

TIMEOUT_OF_DNS = 8.0  # seconds for one of the three


def dns_records(installation: Installation) -> Iterator[Finding]:
    """Ask the DNS for MX, SPF, DKIM and DMARC, if emails leave the machine at all."""
    at = installation.at
    if not at.domain or at.out == "none" or at.out.startswith("folder:"):
        return
    if not dns.is_public(at.domain):
        yield well(say("DNS: {domain} is not a public name", domain=at.domain))
        return
    for look in (_mail_hosts, _policy, _key):
        try:
            yield in_time(partial(look, at), TIMEOUT_OF_DNS)
        except (NotAsked, TimeoutError) as trouble:
            text = say(
                "DNS: {domain} could not be looked up: {why}", domain=at.domain, why=str(trouble)
            )
            yield unknown(text)
            return


def _mail_hosts(at: Paths) -> Finding:
    hosts = dns.mail_hosts(at.domain)
    if any(hosts):
        named = ", ".join(hosts)
        return well(say("DNS: email to {domain} goes to {hosts}", domain=at.domain, hosts=named))
    if hosts:
        return bad(
            say("DNS: the MX record of {domain} says that it accepts no email", domain=at.domain)
        )
    if dns.has_address(at.domain):
        return well(
            say("DNS: {domain} has no MX record; email goes to its own address", domain=at.domain)
        )
    return bad(say("DNS: {domain} has no MX record, so email to it goes nowhere", domain=at.domain))


def _policy(at: Paths) -> Finding:
    found = dns.sender_policies(at.domain)
    if not found:
        return bad(
            say(
                "DNS: {domain} has no SPF record to name the servers that send its email; add a "
                "TXT record such as v=spf1 mx -all",
                domain=at.domain,
            )
        )
    if len(found) > 1:
        return bad(
            say(
                "DNS: {domain} has {n} SPF records, so none of them is used",
                domain=at.domain,
                n=len(found),
            )
        )
    if found[0].lower().split() == ["v=spf1", "-all"]:
        return bad(
            say("DNS: the SPF record of {domain} lets no server send its email", domain=at.domain)
        )
    return well(say("DNS: SPF of {domain}: {policy}", domain=at.domain, policy=found[0]))


def _key(at: Paths) -> Finding:
    if not at.dkim_selector:  # of the names below `_domainkey` none can be asked for
        return unknown(
            say(
                "DNS: whether there is a DKIM key cannot be asked: set mail.dkim_selector to the "
                "selector of your server's key"
            )
        )
    name = dns.key_name(at.domain, at.dkim_selector)
    if dns.has_key(at.domain, at.dkim_selector):
        return well(say("DNS: there is a DKIM key at {name}", name=name))
    return bad(
        say(
            "DNS: there is no DKIM key at {name}: replies to players have no envelope sender, so "
            "only a signature can vouch for them; set mail.dkim_selector to the selector of your "
            "server's key",
            name=name,
        )
    )


# Check the ways that emails take: whether anybody answers at their ends, and what he says.


_LATELY, _FEW = timedelta(days=7), 50  # emails that came to nobody and are looked into
TIMEOUT_OF_SERVER = 20.0  # seconds for all that is asked of one server
SILENCE = 10.0  # seconds without a word after which it is down


def answers(installation: Installation) -> Iterator[Finding]:
    """Check whether people who write to us can be answered."""
    domain = installation.at.domain
    if domain and installation.at.out == "none" and installation.people:
        yield bad(say("mail: players can write to the club but get no reply; set mail.out"))
    elif domain:
        yield well(say("mail: email arrives at {domain}", domain=domain))
    elif installation.people:
        yield well(say("mail: no domain is set, so nobody can play by email"))


def out(installation: Installation) -> Iterator[Finding]:
    """Log in at the server of `mail.out`, and ask whether it takes emails to sub-addresses."""
    at = installation.at
    if at.out == "none":
        return
    try:
        send.look_for(at.out)
        if not send.is_server(at.out):
            yield well(say("mail.out: email is sent by {way}", way=at.out))
            return
        post = MailDomain(domain=at.domain, user=at.user, delimiter=at.delimiter, keys=())
        plain, tagged = public_address(post), tagged_address(post)
        answers = in_time(lambda: _ask_server(at, tagged, (plain, tagged)), TIMEOUT_OF_SERVER)
    except (BadTransport, Temporary, TimeoutError) as trouble:
        yield bad(say("mail.out: {why}", why=_why(trouble)))
        return
    yield _judge_answers(at, plain, tagged, *answers)


def _ask_server(at: Paths, sender: str, recipients: Sequence[str]) -> Sequence[ServerAnswer]:
    return send.ask(
        at.out, password_in(at.password_file, "mail.password_file"), sender, recipients, SILENCE
    )


def _judge_answers(
    at: Paths, plain: str, tagged: str, to_plain: ServerAnswer, to_tagged: ServerAnswer
) -> Finding:
    """Judge, by the server's answers, what becomes of emails that players send to us."""
    if to_plain.code >= 500:
        return bad(
            say("mail: the server refuses email to {to}: {why}", to=plain, why=str(to_plain))
        )
    if to_tagged.code >= 500:
        return bad(
            say(
                "mail.delimiter: the server accepts email to {plain} but refuses it to {tagged}: "
                "{why}. Let it accept sub-addresses that begin with '{delimiter}', or set "
                "mail.delimiter to the one it uses",
                plain=plain,
                tagged=tagged,
                why=str(to_tagged),
                delimiter=at.delimiter,
            )
        )
    if to_plain.code >= 400 or to_tagged.code >= 400:
        why = str(to_plain if to_plain.code >= 400 else to_tagged)
        return unknown(say("mail.out: the server answers, but says not now: {why}", why=why))
    return well(say("mail.out: the server answers and accepts email to {to}", to=tagged))


def delimiter(installation: Installation) -> Iterator[Finding]:
    """Check whether players write to sub-addresses with another delimiter than ours have now."""
    at = installation.at
    with installation.store.reading() as tx:
        emails = inbox.astray(tx, installation.now - _LATELY, _FEW)
        for sign in DELIMITERS if at.domain and emails else "":
            post = MailDomain(
                domain=at.domain, user=at.user, delimiter=sign, keys=keys.read(at.key)
            )
            if sign != at.delimiter and any(_is_for(tx, post, *email) for email in emails):
                yield bad(
                    say(
                        "mail.delimiter: players' emails to {user}{other}… are not read, because "
                        "the delimiter is '{delimiter}'",
                        user=at.user,
                        other=sign,
                        delimiter=at.delimiter,
                    )
                )


def _is_for(tx: Tx, post: MailDomain, recipient: str, head: bytes) -> bool:
    """Return whether an email came to a seat's own address: its tag is right."""
    addresses = (recipient, *recipients(split(head)[0]))
    return any(
        isinstance(read_address(post, address), SeatAddress) and is_ours(tx, post, address)
        for address in addresses
    )


def fetch(installation: Installation) -> Iterator[Finding]:
    """Open the mailbox of `mail.fetch`; nothing is taken out of it."""
    at = installation.at
    if not at.fetch:
        return
    try:
        ways_in.look_at(at.fetch)
        if ways_in.is_server(at.fetch):
            in_time(lambda: _log_in(at), TIMEOUT_OF_SERVER)
    except (BadTransport, Temporary, TimeoutError) as trouble:
        yield bad(say("mail.fetch: {why}", why=_why(trouble)))
    else:
        yield well(say("mail.fetch: the mailbox can be opened"))


def _log_in(at: Paths) -> None:
    ways_in.log_in(
        at.fetch, password_in(at.fetch_password_file, "mail.fetch_password_file"), SILENCE
    )


def _why(trouble: Exception) -> Message | str:
    return trouble.message if isinstance(trouble, BadTransport) else str(trouble)


# Check the emails that the club has sent to itself (`adjud mail test`).
#
# Did they come home, and what became of a forged verdict on its way?


_PATIENCE = timedelta(minutes=20)  # several ticks
_LEVEL = "token+auth"


def test_emails(installation: Installation) -> Iterator[Finding]:
    """Say whether the last email of `adjud mail test` arrived."""
    at = installation.at
    if not at.domain or at.out == "none" or at.out.startswith("folder:"):
        return
    tried = _find_self_test(installation, "")
    if tried is None:
        yield unknown(say("test: incoming email has never been tested; `adjud mail test` tests it"))
    else:
        yield _is_home(installation, tried) or _not_home(installation, tried)


def test_verdicts(installation: Installation) -> Iterator[Finding]:
    """Check whether a server's verdict can be believed, if a match demands one for its senders."""
    with installation.store.reading() as tx:
        levels = {options.level(agreed) for agreed in matches.options_of_playing(tx)}
    if _LEVEL not in levels:
        return
    name = installation.at.authserv_id
    if not name:
        yield bad(
            say(
                "token+auth: no server is trusted, so all orders wait for confirmation; set "
                "mail.authserv_id"
            )
        )
        return
    tried = _find_self_test(installation, name)
    if tried is None:
        yield unknown(
            say(
                "token+auth: a forged Authentication-Results has never been tested; `adjud mail "
                "test` tests it"
            )
        )
    else:
        yield _became_of_verdict(tried, name)


def _became_of_verdict(tried: SelfTest, name: str) -> Finding:
    if tried.home_at is None and tried.found:
        return well(
            say("token+auth: the server refuses an email with a forged Authentication-Results")
        )
    if tried.home_at is None:
        return unknown(
            say(
                "token+auth: the email of {when} with a forged Authentication-Results has not "
                "arrived",
                when=_when(tried),
            )
        )
    if not tried.found:
        return well(
            say("token+auth: the server removes a forged Authentication-Results from an email")
        )
    return bad(
        say(
            "token+auth: a forged Authentication-Results of {name} gets through, so anyone can "
            "send orders for others; let the server remove it, as docs/server.md says",
            name=name,
        )
    )


def _find_self_test(installation: Installation, claims: str) -> SelfTest | None:
    with installation.store.reading() as tx:
        return next((one for one in upkeep.self_tests(tx) if one.claims == claims), None)


def _is_home(installation: Installation, tried: SelfTest) -> Finding | None:
    if tried.home_at is None:
        return None
    return well(say("test: the email of {when} arrived", when=_when(tried)))


def _not_home(installation: Installation, tried: SelfTest) -> Finding:
    when = _when(tried)
    if tried.found:
        return bad(say("test: the email of {when} bounced: {why}", when=when, why=tried.found))
    if installation.now - tried.sent_at < _PATIENCE:
        return unknown(say("test: the email of {when} is on its way", when=when))
    at = installation.at
    address = public_address(MailDomain(domain=at.domain, user=at.user, keys=()))
    return bad(
        say(
            "test: the email of {when} has not arrived; does the server of {address} accept "
            "sub-addresses, and pass their email on to `adjud mail receive`?",
            when=when,
            address=address,
        )
    )


def _when(tried: SelfTest) -> str:
    return in_zone(tried.sent_at, "UTC")
