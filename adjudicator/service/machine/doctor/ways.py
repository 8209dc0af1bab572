"""Check the ways that letters take: whether anybody answers at their ends, and what he says."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from adjudicator.core.message import Message, say
from adjudicator.mail.address import (
    DELIMITERS,
    Post,
    SeatAddress,
    public_address,
    read_address,
    tagged_address,
)
from adjudicator.mail.read.headers import addressed, split
from adjudicator.mail.transport import fetch as ways_in
from adjudicator.mail.transport import send
from adjudicator.mail.transport.send import Answer
from adjudicator.mail.transport.ways import BadWay, Temporary
from adjudicator.service.base import keys
from adjudicator.service.base.premises import Premises, password_in
from adjudicator.service.letters_in.whose import is_ours
from adjudicator.service.machine.doctor.checking import Finding, Patient, bad, unknown, well
from adjudicator.service.machine.doctor.patience import in_time
from adjudicator.store import inbox
from adjudicator.store.database import Tx

_LATELY, _FEW = timedelta(days=7), 50  # letters that came to nobody and are looked into
PATIENCE = 20.0  # seconds for all that is asked of one server
SILENCE = 10.0  # seconds without a word after which it is down


def answers(patient: Patient) -> Iterator[Finding]:
    """Check whether people who write to us can be answered."""
    domain = patient.at.domain
    if domain and patient.at.out == "none" and patient.people:
        yield bad(say("mail: players can write to us and get no answer; set mail.out"))
    elif domain:
        yield well(say("mail: letters come home to {domain}", domain=domain))
    elif patient.people:
        yield well(say("mail: no domain is set, so nobody can order by mail"))


def out(patient: Patient) -> Iterator[Finding]:
    at = patient.at
    if at.out == "none":
        return
    try:
        send.look_for(at.out)
        if not send.is_server(at.out):
            yield well(say("mail.out: letters go out by {way}", way=at.out))
            return
        post = Post(domain=at.domain, user=at.user, delimiter=at.delimiter, keys=())
        plain, tagged = public_address(post), tagged_address(post)
        answers = in_time(lambda: _asked(at, tagged, (plain, tagged)), PATIENCE)
    except (BadWay, Temporary, TimeoutError) as trouble:
        yield bad(say("mail.out: {why}", why=_why(trouble)))
        return
    yield _judged(at, plain, tagged, *answers)


def _asked(at: Premises, sender: str, recipients: Sequence[str]) -> Sequence[Answer]:
    return send.ask(at.out, password_in(at.password_file), sender, recipients, SILENCE)


def _judged(at: Premises, plain: str, tagged: str, to_plain: Answer, to_tagged: Answer) -> Finding:
    """Judge, by the server's answers, what becomes of letters that players send to us."""
    if to_plain.code >= 500:
        return bad(
            say("mail: the server refuses letters to {to}: {why}", to=plain, why=str(to_plain))
        )
    if to_tagged.code >= 500:
        return bad(
            say(
                "mail.delimiter: the server takes letters to {plain} and refuses those to "
                "{tagged}: {why}; it must keep sub-addresses that begin with '{delimiter}', or "
                "mail.delimiter be its own",
                plain=plain,
                tagged=tagged,
                why=str(to_tagged),
                delimiter=at.delimiter,
            )
        )
    if to_plain.code >= 400 or to_tagged.code >= 400:
        why = str(to_plain if to_plain.code >= 400 else to_tagged)
        return unknown(say("mail.out: the server answers, but not now: {why}", why=why))
    return well(say("mail.out: the server answers, and takes letters to {to}", to=tagged))


def delimiter(patient: Patient) -> Iterator[Finding]:
    """Check whether players write to sub-addresses with another delimiter than ours have now."""
    at = patient.at
    with patient.store.reading() as tx:
        letters = inbox.astray(tx, patient.now - _LATELY, _FEW)
        for sign in DELIMITERS if at.domain and letters else "":
            post = Post(domain=at.domain, user=at.user, delimiter=sign, keys=keys.read(at.key))
            if sign != at.delimiter and any(_is_for(tx, post, *letter) for letter in letters):
                yield bad(
                    say(
                        "mail.delimiter: letters of players come to {user}{other}… and are read "
                        "by nobody, for it is '{delimiter}'",
                        user=at.user,
                        other=sign,
                        delimiter=at.delimiter,
                    )
                )


def _is_for(tx: Tx, post: Post, recipient: str, head: bytes) -> bool:
    """Return whether a letter came to a seat's own address: its tag is right."""
    addresses = (recipient, *addressed(split(head)[0]))
    return any(
        isinstance(read_address(post, address), SeatAddress) and is_ours(tx, post, address)
        for address in addresses
    )


def fetch(patient: Patient) -> Iterator[Finding]:
    at = patient.at
    if not at.fetch:
        return
    try:
        ways_in.look_at(at.fetch)
        if ways_in.is_server(at.fetch):
            in_time(lambda: _opened(at), PATIENCE)
    except (BadWay, Temporary, TimeoutError) as trouble:
        yield bad(say("mail.fetch: {why}", why=_why(trouble)))
    else:
        yield well(say("mail.fetch: the mailbox can be opened"))


def _opened(at: Premises) -> None:
    ways_in.log_in(at.fetch, password_in(at.fetch_password_file), SILENCE)


def _why(trouble: Exception) -> Message | str:
    return trouble.message if isinstance(trouble, BadWay) else str(trouble)
