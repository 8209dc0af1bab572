"""Collect what notices to a seat say, and what passes on messages of other players."""

from msgspec import convert

from adjudicator.core.message import Message, both, say
from adjudicator.core.sheets import sheet_head
from adjudicator.mail.write import subjects
from adjudicator.service.emails import links
from adjudicator.service.emails.paragraphs import EmailContents, Paragraphs, paragraph, proofs
from adjudicator.service.emails.value import Ask, EmailText, Opens
from adjudicator.service.matches.passing_on import paragraphs_of
from adjudicator.service.outbound.writing import Writing


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
