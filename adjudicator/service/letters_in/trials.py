"""Letters by which a club tries its mail.

Some go to itself, to see whether they come home, and some to a person who looks at what his server
says of them.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.mail.address import (
    Post,
    bounce_address,
    fresh_tag,
    plain_message_id,
    public_address,
    trial_address,
)
from adjudicator.mail.read.authentication import NAMELESS
from adjudicator.mail.read.automatic import OWN
from adjudicator.mail.read.bounces import fate
from adjudicator.mail.read.letter import Letter
from adjudicator.mail.transport.ways import BadWay, Permanent, Temporary
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import Outgoing, compose
from adjudicator.reports.words import words
from adjudicator.service.base.environment import Means
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.club.people import address_of
from adjudicator.service.letters_in.replies import paragraphs
from adjudicator.store import players, trials
from adjudicator.store.database import Store, Tx


class _Ready(Struct, frozen=True):
    sender: str  # of the envelope
    to: str
    raw: bytes


def to_ourselves(store: Store, *, now: datetime, means: Means) -> Sequence[Message]:
    """Send a letter to an address of our own; return what was sent. Raises Refusal.

    If a server's verdict is believed, another letter brings a forged verdict with it.
    """
    post = _post(means)
    claims = ["", *([means.authserv_id] if means.authserv_id else [])]
    letters = [(fresh_tag(), claim) for claim in claims]
    with store.transaction() as tx:
        trials.begin(tx, letters, now)
    try:
        _hand_over([_home(post, tag, claim, now) for tag, claim in letters], means)
    except Refusal:
        with store.transaction() as tx:
            trials.forget(tx)
        raise
    return list(_sent(post, letters))


def to_somebody(store: Store, address: str, *, now: datetime, means: Means) -> Message:
    """Send a letter that tells its reader where to look. Raises Refusal."""
    post = _post(means)
    to = address_of(address)
    with store.reading() as tx:
        known = players.at(tx, to)
    tell = words(known.language if known else "en", "")
    key = f"test/{fresh_tag()}"
    text = paragraphs([tell(message) for message in _to_be_looked_at(post.domain)])
    raw = _composed(post, to, tell(subjects.trial()), text, key, now)
    _hand_over([_Ready(bounce_address(post, key), to, raw)], means)
    return say("a test letter to {address} went out; it says what to look for", address=to)


def came_home(tx: Tx, letter: Letter, tag: str, now: datetime) -> str:
    """Note that a letter came to an address of a trial; return why it is set aside."""
    if letter.automatic != OWN:
        told = letter.bounce
        if fate(told, letter.signs, from_reader=False, has_sender=True) == "failed":
            trials.came_back(tx, tag, (told and told.status) or "no word why")
            return "a test letter that came back"
        return "a test letter that came back" if told else "for a test, and no test letter"
    forged = (value for value in letter.verdicts if _mark(tag) in value)
    trials.came_home(tx, tag, now, next(forged, ""))
    return "a test letter that came home"


def _post(means: Means) -> Post:
    if means.post is None:
        raise Refusal(say("letters have no address of ours to come to; set mail.domain"))
    if not means.way_out or means.open_way is None:
        raise Refusal(say("no letter goes out from here; set mail.out"))
    return means.post


def _home(post: Post, tag: str, claim: str, now: datetime) -> _Ready:
    """Make a letter to ourselves. A bounce of it comes to the same address."""
    to = trial_address(post, tag)
    told = say("`adjud mail test` has sent this letter, to see whether it comes home.")
    raw = _composed(post, to, str(subjects.trial()), f"{told}\n", f"test/{tag}", now)
    return _Ready(to, to, _forged(claim, tag) + raw)


def _forged(claim: str, tag: str) -> bytes:
    """Return verdicts as a sender could forge them, in the usual form and in rarer ones (RFC 8601,
    section 2.2).

    A server that only searches for its name at the beginning would miss the rarer ones.
    """
    passed = f"dmarc=pass header.from={_mark(tag)}"
    servers = {"": (), NAMELESS: ("",)}.get(claim, (f"{claim}; ", f"(x) {claim.upper()} 1; "))
    return "".join(f"Authentication-Results: {one}{passed}\r\n" for one in servers).encode()


def _mark(tag: str) -> str:
    """Return a domain that stands in a forged verdict and in no other."""
    return f"{tag}.invalid"


def _composed(post: Post, to: str, subject: str, text: str, key: str, now: datetime) -> bytes:
    return compose(
        Outgoing(
            kind="test",
            sender=public_address(post),
            to=to,
            subject=subject,
            text=text,
            date=now,
            message_id=plain_message_id(post, key),
        )
    )


def _hand_over(letters: Sequence[_Ready], means: Means) -> None:
    assert means.open_way is not None
    try:
        with means.open_way() as way:
            for one in letters:
                way.hand_over(one.sender, one.to, one.raw)
    except BadWay as trouble:
        raise Refusal(trouble.message) from None
    except (Temporary, Permanent) as trouble:
        raise Refusal(say("the test letter was not taken: {why}", why=str(trouble))) from None


def _sent(post: Post, letters: Sequence[tuple[str, str]]) -> Iterator[Message]:
    for tag, claim in letters:
        to = trial_address(post, tag)
        if claim:
            yield say(
                "a letter to {address} went out with a forged Authentication-Results", address=to
            )
        else:
            yield say("a letter to {address} went out", address=to)
    yield say("when a tick has read what came home of it, `adjud doctor` says so")


def _to_be_looked_at(domain: str) -> Sequence[Message]:
    return (
        say(
            "This is a test letter of a club that plays by mail. Its game master asks you to look "
            "at what your mail server thinks of it."
        ),
        say(
            "Let your mail program show the source of this letter. At its top stands a line "
            "Authentication-Results, which your server has written. Good is:\n\n"
            "  spf=pass    with smtp.mailfrom of {domain}\n"
            "  dkim=pass   with header.d={domain}\n"
            "  dmarc=pass  with header.from={domain}",
            domain=domain,
        ),
        say(
            "The club answers letters of players without an envelope sender; for those only "
            "DKIM counts. Tell the game master what stands there instead, and whether the letter "
            "lay among the spam. An answer to it is not read."
        ),
    )
