"""Know emails that no person wrote.

Read what became of an email of ours, from whatever came to its return address.

A report of a mail system is read by RFC 3464, 6522 and 6533. Others say it in their own words:
qmail's are a form of their own (QSBMF), and the rest is known by its sender and a few words. Only
the words above a returned email count, for that is ours and may say anything.

And know what a program writes in a person's name without the marks of RFC 3834: a reaction, the
answer to an appointment, a recall, a note that he is away. Such an email asks nothing, and no
answer is read. Whoever asks for that `note` must look whether its sender has orders or commands in
it: those count.
"""

import re
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from adjudicator.mail.read.charset import decode
from adjudicator.mail.read.mime import Headers, Part, octets, read_head
from adjudicator.mail.read.mime import subject as subject_of
from adjudicator.mail.read.text_parts import is_calendar

Fate: TypeAlias = Literal["failed", "delayed", "arrived", "unclear"]

_STATUS_TYPES = frozenset({"message/delivery-status", "message/global-delivery-status"})
# Who reads an email, or calls it spam, has got it (RFC 8098, 6533, 5965).
_RECEIPT_TYPES = frozenset(
    {
        "message/disposition-notification",
        "message/global-disposition-notification",
        "message/feedback-report",
    }
)
_BLANK_LINE = re.compile(rb"\n[ \t\r]*\n")
_STATUS = re.compile(r"(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.]*\d)")  # RFC 3463
_ACTION = re.compile(r"(?:\([^()]*\)\s*)*([a-z]{1,20})")
_ARRIVED = frozenset({"delivered", "relayed", "expanded"})
_MOST_BLOCKS = 20
_MOST_WORDS = 4_000  # characters of what a mail system says by itself


class Bounce(Struct, frozen=True):
    """A mail system's report on one of our emails.

    A stranger may have written it: it is believed only if it came to that email's own envelope
    address, which is in `Email.addressed`.
    """

    action: str | None  # failed, delayed, delivered, relayed, expanded
    status: str | None  # such as 5.1.1

    @property
    def fate(self) -> Fate:
        """Return what became of the email. The action decides; `failed` is final whatever the
        class of the status (RFC 3464, section 2.3.3). Without one, the class of the status does."""
        status = (self.status or "")[:1]
        if self.action == "failed":
            return "failed"
        if self.action == "delayed":
            return "delayed"
        if self.action in _ARRIVED:
            return "arrived"
        return _BY_CLASS.get(status, "unclear")

    @property
    def is_hard(self) -> bool:
        """Return whether the mail system has given up."""
        return self.fate == "failed"


_BY_CLASS: dict[str, Fate] = {"5": "failed", "4": "delayed", "2": "arrived"}


class Signs(Struct, frozen=True):
    """Other signs in an email that it is the bounce of another one."""

    is_qmail: bool = False  # the form of qmail's bounces, which it sends of failures alone
    is_read_receipt: bool = False
    is_auto_reply: bool = False  # as of somebody who is away
    is_of_system: bool = False  # by its sender or its form
    has_no_sender: bool = False  # as its Return-Path says
    gave_up: bool = False  # its words say that nothing is tried any more
    failed: bool = False  # its words say that the email did not arrive
    waits: bool = False  # its words say that it is tried again
    arrived: bool = False  # its words say that the email was delivered


class _Evidence(Struct, frozen=True):
    told: Fate
    signs: Signs
    from_reader: bool
    has_sender: bool

    @property
    def is_of_system(self) -> bool:
        """Return whether a mail system wrote the email."""
        return self.signs.is_of_system or not (self.has_sender or self.is_of_reader)

    @property
    def is_of_reader(self) -> bool:
        """Return whether this is from the reader of the email, or from a program in his name."""
        return self.from_reader or self.signs.is_auto_reply

    @property
    def says_failed(self) -> bool:
        return self.signs.failed or self.signs.gave_up


# What became of an email of ours, by the first line that holds of what came to its return address.
_TABLE: Sequence[tuple[Fate, Callable[[_Evidence], bool]]] = (
    ("failed", lambda seen: seen.told == "failed"),
    ("delayed", lambda seen: seen.told == "delayed"),
    ("arrived", lambda seen: seen.told == "arrived"),
    ("failed", lambda seen: seen.signs.is_qmail),
    ("arrived", lambda seen: seen.signs.is_read_receipt),
    ("unclear", lambda seen: seen.signs.waits and seen.signs.gave_up),
    ("delayed", lambda seen: seen.signs.waits),
    ("failed", lambda seen: seen.is_of_system and seen.signs.gave_up),
    ("unclear", lambda seen: seen.signs.arrived and seen.signs.failed),
    ("arrived", lambda seen: seen.signs.arrived),
    ("failed", lambda seen: seen.is_of_system),
    ("failed", lambda seen: seen.says_failed and not seen.is_of_reader),
    ("unclear", lambda seen: seen.says_failed),
    ("arrived", lambda seen: seen.is_of_reader),
)


def fate(told: Bounce | None, signs: Signs, *, from_reader: bool, has_sender: bool) -> Fate:
    """Return what became of an email of ours, by what came to its return address.

    `from_reader` says that this is from the address to which ours went, `has_sender` that its
    envelope names a sender.
    """
    said = told.fate if told else "unclear"
    seen = _Evidence(said, signs, from_reader, has_sender)
    return next((fate for fate, holds in _TABLE if holds(seen)), "unclear")


def bounce(headers: Headers, type_: str, leaves: Sequence[Part]) -> Bounce | None:
    """Return what a mail system reports, wherever its report stands among the parts."""
    for leaf in leaves:
        if leaf.type in _STATUS_TYPES:
            return _worst_recipient(octets(leaf))
    if headers.first("x-failed-recipients"):  # Exim without a report
        return Bounce("failed", None)
    return None


def _worst_recipient(body: bytes) -> Bounce:
    """Return what is said of the first recipient that failed, else of one that waits, else of the
    first recipient.

    Our emails have only one, but his address may be forwarded to several.
    """
    blocks = [read_head(block) for block in _BLANK_LINE.split(body.strip(), _MOST_BLOCKS)]
    told = [
        Bounce(_action(block), status_in(block.first("status")))
        for block in blocks
        if any(block.all(name) for name in ("action", "final-recipient", "status"))
    ]
    by_fate = (one for fate in ("failed", "delayed") for one in told if one.fate == fate)
    return next(iter([*by_fate, *told]), Bounce(None, None))


def _action(block: Headers) -> str | None:
    word = _ACTION.match(block.first("action").lower())
    return word[1] if word else None


def status_in(text: str) -> str | None:
    """Return the first code of RFC 3463 in a text."""
    found = _STATUS.search(text)
    return found[0] if found else None


# Where a mail system shows the email that it returns, or a person the one that he answers.
_RETURNED = re.compile(
    r"(?m)^[ \t]*(?:>|\|"
    r"|--[^\n]{0,200}?\b(?:copy|original|message|headers?|nachricht|meddelande|melding|bericht)\b"
    r"|(?:return-path|received|message-id|mime-version|reply-to|list-id|x-adjud|content-type)\s*:"
    r"|ORDERS\b)",
    re.IGNORECASE,
)
_QSBMF = re.compile(r"\s*Hi\. This is the\b", re.IGNORECASE)
_SYSTEM = re.compile(
    r"mailer[- ]?daemon|postmaster|mail delivery|mail[- ]?system|mdaemon|mail administrator"
    r"|microsoftexchange[0-9a-f]{8}|mail router|mailserver|bounce",
    re.IGNORECASE,
)


def _any(*words: str) -> re.Pattern[str]:
    return re.compile("|".join(words), re.IGNORECASE)


_GAVE_UP = _any(
    r"\bpermanent(?:er|es|a)?(?: fatal)? (?:error|failure|fehler|fel|feil)",
    r"\bg[ai]v(?:en|e|ing) up\b",
    r"\bnot going to try\b",
    r"\bin the queue too long\b",
    r"\b(?:will not|won't|cannot|can't|no longer) (?:be )?re-?tr(?:y|ied)",
    r"\b(?:delivery|message|timeout|time) (?:has |was )?(?:expired|exceeded)\b",
    r"(?<![\d.])5\.\d{1,3}\.\d{1,3}(?![\d.]*\d)",
    r"(?m:^|[\s:(])55\d[ -](?=\D)",
)
_FAILED = _any(
    r"\bundeliver(?:ed|able)\b",
    r"\breturned to sender\b",
    r"\b(?:unable|not able|n't able) to deliver\b",
    r"\bdid(?: not|n't) reach\b",
    r"\b(?:delivery|mail)(?: status notification)? \(?fail",
    r"\bfailure notice\b",
    r"\b(?:could|can|was|were|has|have)(?: ?no|n')t (?:be |been )?(?:delivered|deliver|sent)\b",
    r"\b(?:unknown|no such|invalid) (?:user|recipient|mailbox|address)\b",
    r"\b(?:user|recipient|mailbox|address|account) (?:is )?(?:unknown|not found|disabled|full)\b",
    r"\bdoes(?: not|n't) exist\b",
    r"\bover quota\b",
    r"\bunzustellbar|\bnicht (?:zugestellt|zustellbar)",
    r"\bolevererba|\b(?:kunde inte|gick inte att|har inte) (?:levereras|leverera|levererats)",
    r"\b(?:kunne ikke|kan ikke|ble ikke|blev ikke) (?:leveres|levert|leveret)|\bikke leverbar",
    r"\bonbestelbaar|\bniet (?:worden )?(?:bezorgd|afgeleverd)",
    r"\bnon (?:remis|distribu)|\bpas (?:pu )?être (?:remis|distribu|livré)",
    r"\bno (?:se )?(?:pudo|ha podido|entregado)",
    r"\bnon (?:recapita|consegna)|\bnão (?:foi |pôde ser )?entregue",
)
_WAITS = _any(
    r"\bwarning(?: message)? only\b",
    r"\bdo(?: not|n't) need to resend\b",
    r"\bno action is (?:required|needed)\b",
    r"\bnot yet (?:been )?(?:delivered|sent)\b",
    r"\b(?:will|shall|is|are)(?: still)?(?: be| being| keep| continue to)? re-?tr(?:y|ied|ying)\b",
    r"\b(?:will|still) (?:keep |be )?trying\b",
    r"\bdelivery attempts will continue\b",
    r"\b(?:delivery|message|mail|has been|was|is) delayed\b|\(delay(?:ed)?\)|^delayed\b",
    r"\b(?:wird|werden) (?:erneut|weiter)|\bverzögert",
    r"\bförsena|\bfördröj|\bforsink",
    r"\bvertraag|\bretardé|\bdifféré|\bretrasad|\bdemorad|\britardat|\batrasad|\bopóźnion",
)
_DELIVERED = _any(
    r"\bsuccessful(?:ly)? (?:mail )?deliver",
    r"\b(?:was|been) successfully (?:delivered|relayed)",
    r"\(success\)|\(relay(?:ed)?\)",
    r"^(?:read|delivered|relayed|gelesen|zugestellt|läst|levererat|lest|levert|lu|gelezen): ",
)
AWAY = _any(
    r"^(?:re: )?auto(?:matic)?[- ]?(?:reply|response)\b",
    r"^auto: ",  # RFC 3834, section 3.1.5
    r"^(?:re: )?(?:out of (?:the )?office|(?:on )?vacation)\b",
    r"^(?:automatische antwort|abwesenheit|autosvar|automatiskt svar|automatisk svar|frånvaro"
    r"|fravær|réponse automatique|respuesta automática|risposta automatica|automatisch antwoord)",
)
_REPLIES = ("x-autoreply", "x-auto-reply", "x-autorespond")


def signs(headers: Headers, type_: str, leaves: Sequence[Part], body: str) -> Signs:
    """Return what tells whether the email is a bounce; `body` is its whole text."""
    plain = (_decoded(leaf) for leaf in leaves if leaf.type == "text/plain")
    own = next((words for words in plain if words.strip()), body)[:_MOST_WORDS]
    subject = subject_of(headers)
    returned = _RETURNED.search(own)
    words = f"{subject}\n{own[: returned.start()] if returned else own}"
    submitted = headers.first("auto-submitted").strip().lower()
    is_of_system = type_ == "multipart/report" or bool(
        _SYSTEM.search(headers.first("from")[:400]) or headers.first("x-failed-recipients")
    )
    replies = (
        submitted.startswith("auto-replied")
        or headers.first("precedence").strip().lower() == "auto_reply"
        or any(headers.all(name) for name in _REPLIES)
        or AWAY.search(subject) is not None
    )
    return Signs(
        is_qmail=_QSBMF.match(own) is not None,
        is_read_receipt=any(leaf.type in _RECEIPT_TYPES for leaf in leaves),
        is_auto_reply=replies and not is_of_system,
        is_of_system=is_of_system,
        has_no_sender=headers.first("return-path") == "<>",
        gave_up=_GAVE_UP.search(words) is not None,
        failed=_FAILED.search(words) is not None,
        waits=_WAITS.search(words) is not None,
        arrived=_DELIVERED.search(words) is not None,
    )


def _decoded(leaf: Part) -> str:
    return decode(octets(leaf)[: 4 * _MOST_WORDS], leaf.params.get("charset"))


_REACTION = "email-reaction+json"  # Gmail's
# What a person's program answers to an appointment (RFC 5546, section 1.4).
_ANSWERS = frozenset({"reply", "counter", "refresh"})
_METHOD = re.compile(rb"(?mi)^METHOD:[ \t]*([a-z-]{1,20})")
_MOST_OCTETS = 20_000
_MOST_LINES, _MOST_IN_SHORT = 12, 400  # lines of such a note, and characters of one of few
_FEW = 4

# Headers with which programs mark what they answer by themselves.
_MARKS = (
    *("x-autogenerated", "x-mail-autoreply", "x-autoreply-from", "x-vacation"),
    "x-fc-machinegenerated",
)
_RECALLED = re.compile(
    r"(?:message )?recall(?:ed)?\s*:|tilbakekall\w*\s*:|återkall\w*\s*:|rückruf\s*:", re.IGNORECASE
)
_RECALLS = re.compile(
    r"\bwould like to recall (?:the|this) (?:message|email)\b"
    r"|\b(?:vil|ønsker å) (?:gjerne )?(?:tilbakekalle|trekke tilbake) (?:denne )?"
    r"(?:meldingen|e-posten)\b"
    r"|\bvill (?:gärna )?återkalla (?:det här )?(?:meddelandet|mejlet)\b"
    r"|\bmöchte (?:die|diese) nachricht\b.*\bzurückrufen\b",
    re.IGNORECASE,
)
_REACTED = re.compile(
    r"\breacted (?:to your (?:message|email|mail)|via gmail)\b"
    r"|\breagerte (?:på (?:meldingen|e-posten) din|via gmail)\b"
    r"|\breagerade (?:på (?:ditt|din) (?:meddelande|mejl|e-post)|via gmail)\b"
    r"|\b(?:liked|loved|disliked|laughed at|emphasi[sz]ed|questioned|hearted) your "
    r"(?:message|email)\b"
    r"|\b(?:likte|elsket|liker|lo av) (?:meldingen|e-posten) din\b"
    r"|\b(?:gillade|gillar|älskade|älskar|skrattade åt) (?:ditt (?:meddelande|mejl)|din e-post)\b",
    re.IGNORECASE,
)
_QUOTED = r"[\"“”„«»‘’']"  # noqa: RUF001
# As Apple's programs write them: `Liked “See you on turn 3”`.
_TAPPED = re.compile(
    rf"\s*(?:liked|loved|disliked|laughed at|emphasi[sz]ed|questioned|reacted \S+ to"
    rf"|likte|elsket|mislikte|lo av|understreket|reagerte \S+ på"
    rf"|gillade|älskade|ogillade|skrattade åt|betonade|ifrågasatte|reagerade \S+ på)"
    rf"\s+{_QUOTED}[^\"“”„«»]*{_QUOTED}?\s*",
    re.IGNORECASE,
)
_SAYS_AWAY = re.compile(
    r"\b(?:this is an )?auto(?:matic(?:ally)?|mated)[ -](?:reply|response|answer|generated (?:reply"
    r"|message|response))\b"
    r"|\bout of (?:the )?office\b"
    r"|\bautomatisk svar\b|\bautosvar\b|\bautomatiskt svar\b|\bautomatische (?:antwort|abwesenheit)"
    r"|\bi am currently away from (?:my )?(?:desk|email|e-mail|the office)\b",
    re.IGNORECASE,
)


def note(headers: Headers, leaves: Sequence[Part], body: str, own: str) -> str | None:
    """Return why a program wrote an email with this body, in which these are its sender's `own`
    words; None if a person may have."""
    if any(leaf.type.endswith(_REACTION) for leaf in leaves):
        return "a reaction"
    if any(map(_answers_appointment, leaves)):
        return "an answer to an appointment"
    if AWAY.search(subject_of(headers)) or any(headers.all(name) for name in _MARKS):
        return "a note of absence"
    if _TAPPED.fullmatch(" ".join(body[:_MOST_IN_SHORT].split())):
        return "a reaction"
    lines = [line.strip() for line in own.split("\n") if line.strip()]
    text = " ".join(lines)
    if not lines or len(lines) > _MOST_LINES or "?" in text:
        return None
    is_short = len(lines) <= _FEW and len(text) <= _MOST_IN_SHORT
    if is_short and _REACTED.search(text):
        return "a reaction"
    if _RECALLS.search(text) or (is_short and _RECALLED.match(subject_of(headers))):
        return "a recall"
    return "a note of absence" if _SAYS_AWAY.search(text) else None


def _answers_appointment(leaf: Part) -> bool:
    if not is_calendar(leaf):
        return False
    method = _METHOD.search(octets(leaf)[:_MOST_OCTETS])
    told = leaf.params.get("method", "") or (method[1].decode() if method else "")
    return told.lower() in _ANSWERS


# Recognise emails that a program wrote; they are set aside and never answered (emails, section
# 5.2).


OWN = "our own email"

_BULK = frozenset({"bulk", "junk", "list", "auto_reply"})
_DAEMON = re.compile(r"(?:.*<)?\s*mailer-daemon\s*(?:@.*|>.*|\(.*)?", re.IGNORECASE | re.DOTALL)


def automatic(headers: Headers, type_: str) -> str | None:
    """Return why a program must have written the email; None if a person may have.

    The caller must find out by himself whether it came from an address of ours, and who the
    envelope's sender is if no Return-Path was written.
    """
    if headers.all("x-adjud"):
        return OWN
    if type_ == "multipart/report":
        return "report of a mail system"
    if any(_word(value) not in {"", "no"} for value in headers.all("auto-submitted")):
        return "auto-submitted"  # RFC 3834, section 5
    if any(_word(value) in _BULK for value in headers.all("precedence")):
        return "bulk mail"
    if headers.all("list-id"):
        return "mailing list"
    if any(_word(headers.first(name)) not in {"", "no"} for name in _REPLIES):
        return "auto-reply"
    if headers.first("return-path") == "<>":
        return "no envelope sender"
    if headers.all("x-failed-recipients") or _DAEMON.fullmatch(headers.first("from")[:400]):
        return "mailer-daemon"
    return None


def _word(value: str) -> str:
    """Return the keyword of a value, without parameters and comments."""
    found = re.match(r"[\s\"]*([^\s;(\"]*)", value[:200])
    return found[1].lower() if found else ""
