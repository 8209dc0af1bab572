"""Find what an email that is no report asks its reader for: the button in its HTML.

A code is found in the email's own text: the one line that its reader would send. So every email
with a code has its button, and none opens anything else than what the text says.
"""

import re
from collections.abc import Sequence

from adjudicator.core.message import Message, Words, say
from adjudicator.service.emails.paragraphs import EmailContents
from adjudicator.service.emails.value import Ask, Opens, SmallBoard
from adjudicator.service.emails.wording import text_of
from adjudicator.service.inbound.codes import NO
from adjudicator.service.inbound.parsed_email import content_of
from adjudicator.service.outbound.writing import Writing
from adjudicator.store import pending

_CODE = r"([0-9A-Z]{4,12})"
_CONFIRM, _ACCEPT, _DECLINE = "CONFIRM", "ACCEPT", "DECLINE"


def ask_of(
    email: Writing,
    contents: EmailContents,
    *,
    is_invitation: bool = False,
    boards: Sequence[tuple[str, SmallBoard]] = (),
) -> Ask | None:
    """Return the button of an email: for the one code in its text, if there is one. An invitation
    has small `boards`, beside the paragraphs that these texts are."""
    parts = text_of(contents, email.reader).strip("\n").split("\n\n")
    found = _code_in(parts, email.tell)
    if found is None:
        return None
    at, word, code = found
    says_no = is_invitation or word == _ACCEPT
    label = say("Yes, I accept") if word == _ACCEPT else _act(email, code)
    if is_invitation:
        label = say("Yes, I'll play")
    above = 2 if says_no else max(at - 1, 1)
    plain = [" ".join(part.split()) for part in parts]
    return Ask(
        above=above,
        button=Opens(label=label, lines=(f"{word} {code}",)),
        told=(say("It opens an email. Just send it."),),
        ways=(Opens(label=NO, lines=(f"{_DECLINE} {code}",)),) if says_no else (),
        only_text=_links_in(parts, above),
        boards=tuple(
            SmallBoard(at=plain.index(" ".join(told.split())), game=one.game, picture=one.picture)
            for told, one in boards
        ),
    )


def _links_in(parts: Sequence[str], above: int) -> tuple[int, ...]:
    """Return where a text has links in place of buttons, and the paragraph above them."""
    links = (at for at, part in enumerate(parts) if at >= above and part.startswith("mailto:"))
    at = next(links, None)
    return () if at is None else (*([at - 1] if at > above else []), at)


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


def _act(email: Writing, code: str) -> Message:
    """Say what a code does, as the button's words."""
    tx, due, loaded = email.tx, email.due, email.loaded
    if loaded is not None and due.seat:
        tenure = loaded.holders[due.seat].tenure
        for one in pending.waiting(tx, loaded.match.id, due.seat, tenure):
            if one.code == code and "RESIGN" in content_of(one.text).words:
                return say("Resign {match}", match=loaded.match.name)
    return say("Confirm")
