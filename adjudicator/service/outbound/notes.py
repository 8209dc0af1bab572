"""The HTML part of an email that is no report, with the button for what it asks.

A code is found in the email's own text: the one line that its reader would send. So every email
with a code has its button, and none opens anything else than what the text says.
"""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.message import Message, Words, language_of, say
from adjudicator.mail.write.compose import mailto
from adjudicator.reports.button import Action, Way
from adjudicator.reports.notes import as_html
from adjudicator.service.base.loaded_match import Seated
from adjudicator.service.emails.value import Ask, Opens
from adjudicator.service.inbound.codes import NO
from adjudicator.service.inbound.parsed_email import content_of
from adjudicator.service.outbound.writing import Writing
from adjudicator.store import pending
from adjudicator.store.database import Tx
from adjudicator.store.outgoing import DueEmail

_CODE = r"([0-9A-Z]{4,12})"
_CONFIRM, _ACCEPT, _DECLINE = "CONFIRM", "ACCEPT", "DECLINE"


class Asking(Struct, frozen=True, kw_only=True):
    """What an email says: its subject, its text, and where a reply to it goes. `asked` is what its
    button does, if the text has no code for that; `boards` are titles and Content-IDs of small
    boards, by the paragraphs beside which they stand."""

    subject: str
    text: str
    reply_to: str
    asked: Action | None = None
    is_invitation: bool = False
    boards: Mapping[str, tuple[str, str]] = {}


def html_of(
    tx: Tx,
    email: DueEmail,
    loaded: Seated | None,
    note: Asking,
    tell: Words,
    footer: Sequence[str],
) -> str | None:
    """Return the HTML of an email that asks for something; None for any other."""
    parts = note.text.strip("\n").split("\n\n")
    headline = re.sub(r"^\[[^\]]*\] ", "", note.subject)
    about = loaded.match.name if loaded else ""
    if note.asked is not None:
        above, below, what = parts[:1], parts[1:], replace(note.asked, headline=headline)
    else:
        found = _code_in(parts, tell)
        if found is None:
            return None
        at, word, code = found
        what = _of_code(tx, email, loaded, note, tell, word, code, headline)
        first = 2 if note.is_invitation or word == _ACCEPT else max(at - 1, 1)
        above, below = parts[:first], _without_links(parts[first:])
    return as_html(
        language=language_of(tell),
        about=about,
        what=what,
        above=above,
        below=below,
        footer=footer,
        boards=note.boards,
    )


def ask_of(email: Writing, text: str) -> Ask | None:
    """Return the button of an answer to a seat: for the one code in it, if there is one."""
    found = _code_in(text.strip("\n").split("\n\n"), email.tell)
    if found is None:
        return None
    at, word, code = found
    line = f"{word} {code}"
    is_offer = word == _ACCEPT
    label = say("Yes, I accept") if is_offer else _act(email.tx, email.due, email.loaded, code)
    return Ask(
        above=2 if is_offer else max(at - 1, 1),
        button=Opens(label=label, lines=(line,)),
        told=(say("It opens an email. Just send it."),),
        ways=(Opens(label=NO, lines=(f"{_DECLINE} {code}",)),) if is_offer else (),
    )


def _without_links(parts: Sequence[str]) -> list[str]:
    """Leave out the links that a text has in place of buttons, and the paragraph above them."""
    links = next((at for at, part in enumerate(parts) if part.startswith("mailto:")), None)
    return [*parts] if links is None else [*parts[: max(links - 1, 0)], *parts[links + 1 :]]


def _code_in(parts: Sequence[str], tell: Words) -> tuple[int, str, str] | None:
    """Return where the one line stands that the reader would send for a yes, its command and its
    code; None if there is no such line, or more than one."""
    found = []
    for word in (_CONFIRM, _ACCEPT):
        form = re.compile(rf"(?:{word}|{re.escape(_word_for(word, tell))}) {_CODE}")
        found += [
            (at, word, told[1])
            for at, part in enumerate(parts)
            for line in part.split("\n")
            if (told := form.fullmatch(line.strip()))
        ]
    return found[0] if len(found) == 1 else None


def _word_for(word: str, tell: Words) -> str:
    return tell({_CONFIRM: say("CONFIRM"), _ACCEPT: say("ACCEPT")}[word])


def _of_code(
    tx: Tx,
    email: DueEmail,
    loaded: Seated | None,
    note: Asking,
    tell: Words,
    word: str,
    code: str,
    headline: str,
) -> Action:
    line = f"{word} {code}"
    label = say("Yes, I accept")
    ways = []
    if note.is_invitation:
        label = say("Yes, I'll play")
    elif word == _CONFIRM:
        label = _act(tx, email, loaded, code)
    if word == _ACCEPT or note.is_invitation:
        no = f"{_DECLINE} {code}"
        ways = [Way(tell(NO), mailto(note.reply_to, no, [no]))]
    return Action(
        headline=headline,
        preview="",
        button=Way(tell(label), mailto(note.reply_to, line, [line])),
        told=[tell(say("It opens an email. Just send it."))],
        ways=ways,
    )


def _act(tx: Tx, email: DueEmail, loaded: Seated | None, code: str) -> Message:
    """Say what a code does, as the button's words."""
    if loaded is not None and email.seat:
        tenure = loaded.holders[email.seat].tenure
        for one in pending.waiting(tx, loaded.match.id, email.seat, tenure):
            if one.code == code and "RESIGN" in content_of(one.text).words:
                return say("Resign {match}", match=loaded.match.name)
    return say("Confirm")
