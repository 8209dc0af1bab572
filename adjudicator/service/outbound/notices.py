"""What emails say that carry no report: notices, messages of other players, reminders, and the
buttons of all that ask for something.

A code is found in the email's own text: the one line that its reader would send. So every email
with a code has its button, and none opens anything else than what the text says.
"""

import re
from collections.abc import Sequence

from msgspec import convert
from msgspec.structs import replace

from adjudicator.core.game import spelling_of
from adjudicator.core.message import Message, Words, both, say, shortly
from adjudicator.core.sheets import sheet_head
from adjudicator.mail.write import subjects
from adjudicator.reports.button import Links, Way, action_of
from adjudicator.reports.words import words
from adjudicator.service.base.calendar import rfc3339, when
from adjudicator.service.base.deadlines import has_reserve_until, message_for_reserve
from adjudicator.service.base.loaded_match import Loaded, load
from adjudicator.service.emails import links
from adjudicator.service.emails.paragraphs import (
    EmailContents,
    OrderLines,
    Paragraphs,
    paragraph,
    proofs,
)
from adjudicator.service.emails.value import Ask, EmailText, Opens, SmallBoard
from adjudicator.service.emails.wording import text_of
from adjudicator.service.inbound.codes import NO
from adjudicator.service.inbound.parsed_email import content_of
from adjudicator.service.matches.passing_on import paragraphs_of
from adjudicator.service.outbound.writing import Writing
from adjudicator.service.outbox import queue
from adjudicator.service.reports import building
from adjudicator.store import pending

_CODE = r"([0-9A-Z]{4,12})"
_CONFIRM, _ACCEPT, _DECLINE = "CONFIRM", "ACCEPT", "DECLINE"


def notice(email: Writing) -> EmailText:
    """Say what was ruled or done in a match."""
    body, match = email.body, email.match.match
    own, title = body.get("subject"), email.match.game.seat_titles[email.seat]
    subject = convert(own, Message) if own else subjects.notice(match.name, title)
    return EmailText(
        game=match.game,
        subject=(subject,),
        contents=ruling_and_proofs(email),
        asked=_draw_offered(email) if "offers" in body else None,
    )


def ruling_and_proofs(email: Writing) -> EmailContents:
    """Say what was ruled or done, the game master's reason, and what somebody may check later."""
    return EmailContents(above=(*_ruling(email), *proofs(email.body.get("proofs", ()))))


def _ruling(email: Writing) -> Paragraphs:
    told = convert(email.body["told"], Message)
    reason = (email.body.get("reason") or "").rstrip()
    return paragraph(both(told, reason) if reason else told)


def _draw_offered(email: Writing) -> Ask:
    """Return the button of an email that tells of an offer of a draw."""
    match = email.match.match
    head = sheet_head(match.name, email.seat, match.turn, None)
    begun = links.draw_email(head, match.name, match.turn)
    opens = Opens(label=say("Accept the draw"), subject=begun.subject, lines=tuple(begun.lines))
    return Ask(above=1, button=opens, told=(say("Or just play on."),))


def press(email: Writing) -> EmailText:
    """Pass on what other seats wrote."""
    subject, numbers = convert(email.body["subject"], Message), email.body["copies"]
    told = paragraphs_of(email.tx, email.match, email.seat, numbers, email.tell)
    return EmailText(
        game=email.match.match.game, subject=(subject,), contents=EmailContents(above=tuple(told))
    )


def reminder(email: Writing, page: str | None) -> EmailText:
    """Remind of orders that are due, with the button that the report of the turn has; `page` is
    where its reader's is."""
    loaded, seat = load(email.tx, email.match.match.name), email.seat
    deadline = loaded.match.deadline_at
    due = when(deadline) if deadline else "-"
    told = say("Your orders for turn {turn} are due {when}.", turn=loaded.match.turn, when=due)
    if email.body:
        told = say(
            "Your orders for turn {turn} were due {when}, and half of your reserve is used.",
            turn=loaded.match.turn,
            when=due,
        )
    if ends := has_reserve_until(loaded, seat):
        told = both(told, message_for_reserve(ends))
    if lost := queue.cost_of_silence(loaded, seat):
        told = both(told, lost)
    view = loaded.game.sight.observe(loaded.state, seat)
    sheet = building.order_template(loaded, seat, view)
    report = replace(
        building.public(loaded, seat),
        awaited=loaded.awaited,
        deadline=rfc3339(deadline),
    )
    return EmailText(
        game=loaded.match.game,
        subject=tuple(links.subject_of(report, again=True)),
        contents=EmailContents(above=(*paragraph(told), OrderLines(tuple(sheet)))),
        asked=_ask_for_orders(email, loaded, page),
    )


def _ask_for_orders(email: Writing, loaded: Loaded, page: str | None) -> Ask:
    report = building.present(email.tx, loaded, email.seat)
    tell = words(email.holder.language, loaded.match.game)
    orders = links.suggestion(report, tell)
    advised = building.wants_tips(email.tx, loaded, report) and loaded.is_for_practice
    begun = links.prefilled_emails(report, orders, advised=advised)
    wish = email.holder.page
    asks = action_of(
        report,
        Links(**{name: name for name in begun}),
        orders,
        spelled=spelling_of(loaded.game, tell),
        page=page,
        attached=wish == "attached" or (wish == "link" and not page),
        due=shortly(report.deadline) if report.deadline else "",
    )

    def opens(one: Way[Message]) -> Opens:
        if one.href not in begun:
            return Opens(label=one.label, page=one.href)
        made = begun[one.href]
        return Opens(label=one.label, subject=made.subject, lines=tuple(made.lines))

    return Ask(
        above=1,
        preview=asks.preview,
        button=opens(asks.button) if asks.button else None,
        told=tuple(asks.told),
        ways=tuple(map(opens, asks.ways)),
    )


# The button of an email with a code.


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
