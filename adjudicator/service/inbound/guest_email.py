"""An email to an address that a player handed on to a friend (club, 6.2).

No answer here tells whether anybody is a member. What is answered is counted with the answers of
the public address.
"""

from adjudicator.core.consent import consent
from adjudicator.core.message import Message, say
from adjudicator.core.text import folded_address
from adjudicator.mail.address import is_mailbox, marks_of
from adjudicator.mail.read.email import passes
from adjudicator.mail.write import subjects
from adjudicator.service.base.context import Context, Refusal, Session
from adjudicator.service.club.offers import guests as invitations
from adjudicator.service.club.offers import wishes
from adjudicator.service.emails.paragraphs import paragraph
from adjudicator.service.inbound import codes, public_email
from adjudicator.service.inbound.parsed_email import ParsedEmail
from adjudicator.service.outbox.queue import post_to_address
from adjudicator.store import guests, inbox, players, rows
from adjudicator.store.database import Tx
from adjudicator.store.guests import Guest
from adjudicator.store.players import Player

_ENDED = say("This invitation has ended. Ask the player who sent it to you for a new one.")
_DECIDED = say("That wish is not open any more.")
_OTHER = say(
    "This invitation went to another address than the one from which you write, so it was not "
    "accepted. Please send your answer from the address to which it went."
)
_NOTHING = say(
    "Nothing is confirmed yet. To play, reply Yes above the quoted email, or reply with the line "
    "CONFIRM and the code that was sent to you. If you do not want to play, reply No."
)


def read(s: Session, opened: ParsedEmail, found: Guest) -> tuple[str, str]:
    """Do what a guest wants; return the email's status and why, in the operator's words."""
    email = opened.email
    inbox.update(s.tx, opened.id, message_id=email.message_id or None, dated_at=email.date)
    if email.sender is None or not is_mailbox(email.sender):
        return "junk", email.sender_defect or "from no mailbox that we could write to"
    if not opened.received.sender and opened.received.channel in ("lmtp", "pipe"):
        return "junk", "no envelope sender"
    earlier = inbox.to_nobody(s.tx, email.message_id or "")
    if any(opened.twins(one for one in earlier if one.id != opened.id)):
        return "duplicate", "came before"
    if found.status == "wished":
        return _decide(s, opened, found)
    if found.mark is not None and _says_no(opened, found, s.context):
        wishes.refuse(s.tx, found, s.now)  # also when it has ended
        return "accepted", "says no"
    if _is_of_asker(s.tx, found, email.sender):
        return "refused", "from the player who invites"
    # Its time is up when a tick has ended it, which none does while the clock is in doubt.
    if found.status not in guests.OPEN:
        is_decided = found.mark is not None and _is_game_masters(email.sender, s.context)
        ended = _DECIDED if is_decided else _ENDED
        _tell(s, opened, email.sender, found, ended)
        return "refused", "for an invitation that has ended"
    if found.status == "open":
        return _knock(s, opened, found)
    if folded_address(email.sender) != folded_address(found.address or ""):
        if found.mark is not None and _says_yes(opened, found):
            _tell(s, opened, email.sender, found, _OTHER)
        return "refused", "for an invitation of somebody else"
    return _answered(s, opened, found)


def _is_of_asker(tx: Tx, found: Guest, sender: str) -> bool:
    asker = rows.first(tx, Player, id=found.asker_id)
    return asker is not None and folded_address(asker.address) == folded_address(sender)


def _knock(s: Session, opened: ParsedEmail, found: Guest) -> tuple[str, str]:
    """Let somebody in for whom a server vouches; ask anybody else whether it was he."""
    email = opened.email
    assert email.sender is not None
    if consent(opened.content.prose) == "no":
        return "accepted", "says no"
    known = players.at(s.tx, email.sender)
    who = codes.newcomer(email.sender, email.name, found.language)
    language = known.language if known else found.language
    if passes(email, s.context.authserv_id, s.context.authserv_hosts):
        return _let_in(s, found, who.address, who.name)
    if s.context.post and guests.has_refused(s.tx, marks_of(s.context.post, email.sender)):
        return "refused", "from an address that said no for good"
    invitations.ask(s, found, who.address, who.name, language)
    return "accepted", "is asked to confirm it"


def _answered(s: Session, opened: ParsedEmail, found: Guest) -> tuple[str, str]:
    """Take the yes or the no of somebody who was sent a code."""
    address, code = found.address or "", found.code
    if code in _refusing(opened) or codes.decline_command(opened, {code}, "DECLINE"):
        invitations.end_untold(s.tx, found, "declined", s.now)
        return "accepted", "says no"
    if _says_yes(opened, found):
        name = found.name or codes.newcomer(address, opened.email.name, "").name
        done = _let_in(s, found, address, name)
        if done[0] == "refused":
            _tell(s, opened, address, found, _ENDED)
        return done
    if _agreeing(opened) or _refusing(opened):
        invitations.count_wrong_code(s.tx, found, s.now)
        return "refused", "a wrong code"
    _tell(s, opened, address, found, _NOTHING)
    return "refused", "holds nothing but words"


def _agreeing(opened: ParsedEmail) -> set[str]:
    """Return the codes to which an email says yes by a line."""
    yes = {one.argument.upper() for one in opened.commands if one.word in ("CONFIRM", "ACCEPT")}
    return yes | {one.argument.upper() for one in opened.content.codes_alone[:1]}


def _refusing(opened: ParsedEmail) -> set[str]:
    return {one.argument.upper() for one in opened.commands if one.word == "DECLINE"}


def _says_yes(opened: ParsedEmail, found: Guest) -> bool:
    return found.code in _agreeing(opened) or bool(
        codes.accept_command(opened, {found.code}, "CONFIRM")
    )


def _says_no(opened: ParsedEmail, found: Guest, context: Context) -> bool:
    """Return whether the reader of an email that the club sent by itself says no: with its code, as
    programs for mail do that unsubscribe, from any address, or in words from his own."""
    assert context.post is not None
    email, code = opened.email, found.code
    if code in _refusing(opened) or f"DECLINE {code}" in email.subject.upper():
        return True
    if codes.decline_command(opened, {code}, "DECLINE"):
        return True
    is_his = found.mark in marks_of(context.post, email.sender or "")
    return is_his and consent(opened.content.prose) == "no"


def _decide(s: Session, opened: ParsedEmail, found: Guest) -> tuple[str, str]:
    """Take the game master's answer, if a server vouches that it is his."""
    email = opened.email
    if not _is_game_masters(email.sender or "", s.context):
        return "refused", "not from the game master"
    if not passes(email, s.context.authserv_id, s.context.authserv_hosts):
        return "refused", "not surely from the game master"
    yes, no = found.code in _agreeing(opened), found.code in _refusing(opened)
    if yes == no:
        if _agreeing(opened) or _refusing(opened):
            invitations.count_wrong_code(s.tx, found, s.now)
        told = say("Nothing was done: the line ACCEPT or DECLINE with its code is missing.")
    else:
        try:
            told = wishes.decide(s, found, is_allowed=yes)
        except Refusal as refusal:
            told = say("Nothing was done: {why}.", why=refusal.messages[0])
    post_to_address(
        s,
        f"operator/guest/{opened.id}",
        "receipt",
        email.sender,
        "en",
        subjects.wish_decision(),
        paragraph(told),
        answers=email.message_id or None,
    )
    return "accepted", "from the game master"


def _is_game_masters(sender: str, context: Context) -> bool:
    theirs = {folded_address(one) for one in (context.operator, context.contact) if one}
    return folded_address(sender) in theirs


def _let_in(s: Session, found: Guest, address: str, name: str) -> tuple[str, str]:
    tried = s.tx.begin_nested()  # what is refused leaves nothing
    try:
        invitations.accept(s, found, address, name)
    except Refusal:
        tried.rollback()
        invitations.end_untold(s.tx, found, "void", s.now)
        return "refused", "the match cannot begin"
    tried.commit()
    return "accepted", "plays"


def _tell(s: Session, opened: ParsedEmail, address: str, found: Guest, told: Message) -> None:
    """Answer somebody once a day, as the public address does."""
    key = public_email.key_of_answer(s, address, opened.id)
    if key is None:
        return
    subject, language = subjects.nothing_confirmed(), found.language
    post_to_address(s, key, "receipt", address, language, subject, paragraph(told))
