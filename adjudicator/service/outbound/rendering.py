"""An email of ours, from its row in the outbox to bytes: what it says and, when it is delivered,
whether it still goes."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import convert
from msgspec.json import decode
from msgspec.structs import replace

from adjudicator.core.email_kinds import KINDS
from adjudicator.core.game import spelling_of
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, both, say, shortly
from adjudicator.core.sheets import sheet_head
from adjudicator.mail.address import (
    bounce_tag,
    message_id,
    plain_message_id,
    public_address,
    seat_address,
)
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import (
    Outgoing,
    compose,
    envelope_from,
    thread_index,
)
from adjudicator.reports.button import Links, Way, action_of
from adjudicator.reports.words import words
from adjudicator.service.base.calendar import rfc3339, when
from adjudicator.service.base.context import Context, Session
from adjudicator.service.base.deadlines import has_reserve_until, message_for_reserve
from adjudicator.service.base.loaded_match import Loaded, Seated, Unreadable, load, load_seats
from adjudicator.service.emails import links
from adjudicator.service.emails.paragraphs import (
    EmailContents,
    OrderLines,
    Paragraphs,
    paragraph,
    proofs,
)
from adjudicator.service.emails.value import (
    Ask,
    EmailText,
    EmailValue,
    Opens,
    file_name,
    to_json,
)
from adjudicator.service.emails.write import write as write_value
from adjudicator.service.inbound import questions
from adjudicator.service.matches.passing_on import paragraphs_of
from adjudicator.service.outbound import answers, invitation, report_email
from adjudicator.service.outbound.writing import (
    EmailBody,
    Writing,
    begin,
    give_number,
    give_personal_number,
    is_to_address,
    note_number,
    said_to_person,
    said_to_seat,
)
from adjudicator.service.outbox import queue
from adjudicator.service.reports import building
from adjudicator.store import outgoing, players, turns
from adjudicator.store.database import Tx
from adjudicator.store.outbox import OF_PERSONS
from adjudicator.store.outgoing import DueEmail


def address_of(due: DueEmail, context: Context) -> str:
    """Return the address to which an email goes: the player's on file, a stranger's, or the
    operator's."""
    if due.player_id is None:
        body = decode(due.body)
        return str(body["to"]) if is_to_address(body) else context.operator
    return due.to or ""


def write(
    s: Session, due: DueEmail, to: str, known: Mapping[str, Seated] | None = None
) -> DueEmail:
    """Return an email with its bytes for that address. These are the same each time they are made
    from the same row, in the same match and at the same time. Their number is noted, and the
    receipts that stand in them go with it.

    `known` are the matches that this transaction has looked up already, by their names.
    """
    post = s.context.post
    assert post is not None
    loaded = None
    if due.match:
        loaded = (known or {}).get(due.match) or _match_of(s.tx, due)
    holder = loaded.holders[due.seat] if loaded and due.seat else None
    email = begin(s, due, loaded)
    said = say_what(email)
    if _is_player(said.value):
        said = replace(said, value=give_personal_number(s.tx, due, said.value))
    forms = write_value(said.value, said.past)
    attached = said.value if _is_player(said.value) else None
    out = Outgoing(
        kind=due.kind,
        sender=public_address(post),
        sender_name=s.context.club or "adjud",
        to=to,
        to_name=holder.player_name or "" if holder else said.to_name,
        subject=forms.subject,
        text=forms.text,
        html=forms.html,
        png=said.png,
        boards=said.boards,
        page=forms.page,
        page_name=_page_name(said.value) if forms.page else "",
        value=to_json(attached) if attached else None,
        value_name=file_name(attached) if attached else "",
        unsubscribe=said.unsubscribe,
        date=due.created_at,
        **_ids(email, said),
    )
    if said.value.n is not None:
        note_number(s.tx, due, said.value)
    outgoing.carry(s.tx, said.carries, due.key)
    since = due.since if said.since is None else said.since
    return replace(due, raw=compose(out), address=to, is_fresh=True, since=since)


def _page_name(value: EmailValue) -> str:
    """Return the name of an attached page as a file."""
    told = value.told
    return f"{building.file_name(told.match, told.seat, told.turn)}.html"


def _is_player(value: EmailValue) -> bool:
    """Return whether an email goes to somebody who plays here, so that what it says is attached.
    Somebody who may never have heard of adjud gets no file, and the operator needs none."""
    is_invited = value.kind == "confirm" and not value.to.match
    return bool(value.to.match) or (value.to.player is not None and not is_invited)


def _match_of(tx: Tx, due: DueEmail) -> Seated | None:
    """Return the match of an email. One that goes to no seat needs nothing of a match that cannot
    be read."""
    assert due.match is not None
    try:
        return load_seats(tx, due.match)
    except Unreadable:
        if due.seat is not None:
            raise
        return None


def _ids(email: Writing, said: EmailBody) -> dict[str, Any]:
    due, post = email.due, email.context.post
    assert post is not None
    if email.loaded is None or due.seat is None:
        return {
            "message_id": plain_message_id(post, due.key, due.epoch),
            "reply_to": said.reply_to,
            "in_reply_to": said.answers,
            "references": [said.answers] if said.answers else [],
        }
    match, seat, tenure = email.match.match, email.seat, email.holder.tenure
    own = first = email.message_id
    if due.first_report:
        first = message_id(post, due.first_report, match.name, seat, tenure, due.first_epoch)
    thread = first if first != own else None
    return {
        "message_id": own,
        "thread_topic": f"[{match.name}] {seat}",
        "thread_index": thread_index(first, match.created_at),
        "reply_to": seat_address(post, match.name, seat, tenure),
        "in_reply_to": said.answers or thread,
        "references": [one for one in (thread, said.answers) if one],
        "list_id": f"{match.name}.{post.domain}",
    }


def sender_of(due: DueEmail, context: Context) -> str:
    """Return the envelope sender; empty for an email that nobody may answer."""
    assert context.post is not None
    return envelope_from(context.post, due.kind, due.key, due.epoch)


def bounce_tag_of(due: DueEmail, context: Context) -> str | None:
    """Return the tag that names the email in a bounce; None if it cannot come back."""
    assert context.post is not None
    if not sender_of(due, context):
        return None
    return bounce_tag(context.post.keys[0], due.key, due.epoch)


# What the emails say, by their kinds.

Writer: TypeAlias = Callable[[Writing], EmailBody]


def say_what(email: Writing) -> EmailBody:
    """Return what an email says."""
    if email.loaded is not None and email.due.seat is not None:
        return TO_SEATS[email.due.kind](email)
    if is_to_address(email.body) and "questions" not in email.body:
        return answers.to_address(email)
    return TO_OTHERS[email.due.kind](email)


def _reminder(email: Writing) -> EmailBody:
    link = report_email.place_of_page(email.tx, email.match, email.seat, email.context)
    value = said_to_seat(email, "reminder", _text_of_reminder(email, link))
    return EmailBody(value=give_number(email, value))


def _text_of_reminder(email: Writing, page: str | None) -> EmailText:
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


def _notice(email: Writing) -> EmailBody:
    if queue.is_last_page(email.body):
        return report_email.last_page(email)
    value = said_to_seat(email, "notice", _text_of_notice(email))
    told = email.body.get("number")
    value = replace(value, acts=(told,) if told else ())
    return EmailBody(value=give_number(email, value))


def _text_of_notice(email: Writing) -> EmailText:
    """Say what was ruled or done in a match."""
    body, match = email.body, email.match.match
    own, title = body.get("subject"), email.match.game.seat_titles[email.seat]
    subject = convert(own, Message) if own else subjects.notice(match.name, title)
    return EmailText(
        game=match.game,
        subject=(subject,),
        contents=_ruling_and_proofs(email),
        asked=_draw_offered(email) if "offers" in body else None,
    )


def _ruling_and_proofs(email: Writing) -> EmailContents:
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


def _press(email: Writing) -> EmailBody:
    if "copies" not in email.body:
        return answers.to_seat(email)
    value = said_to_seat(email, "press", _text_of_press(email))
    return EmailBody(value=give_number(email, value))


def _text_of_press(email: Writing) -> EmailText:
    """Pass on what other seats wrote."""
    subject, numbers = convert(email.body["subject"], Message), email.body["copies"]
    told = paragraphs_of(email.tx, email.match, email.seat, numbers, email.tell)
    return EmailText(
        game=email.match.match.game, subject=(subject,), contents=EmailContents(above=tuple(told))
    )


def _alert(email: Writing) -> EmailBody:
    """Write to the operator: something needs a human, or players have questions."""
    body = email.body
    if "questions" in body:
        told, reply_to = questions.digest_of_questions(email.tx, body, email.context)
        return _to_operator(email, subjects.questions(), told, reply_to)
    told = paragraph(convert(body["told"], Message))
    return _to_operator(email, subjects.alert(email.due.match), told)


def _to_operator(
    email: Writing, subject: Message, told: Paragraphs, reply_to: str | None = None
) -> EmailBody:
    said = EmailText(game=email.reader.game, subject=(subject,), contents=EmailContents(above=told))
    value = said_to_person(email, said, reply_to, is_signed=False)
    return EmailBody(value=value, reply_to=reply_to)


def _to_person(email: Writing) -> EmailBody:
    """Write to a player and not to a seat, such as somebody who held one."""
    own, match = email.body.get("subject"), str(email.due.match)
    said = EmailText(
        game=email.reader.game,
        subject=(convert(own, Message) if own else subjects.farewell(match),),
        contents=_ruling_and_proofs(email),
    )
    return EmailBody(value=said_to_person(email, said), answers=email.body.get("answers"))


def _invitation(email: Writing) -> EmailBody:
    """Ask a player to confirm an address."""
    assert email.due.player_id is not None
    player = players.one(email.tx, email.due.player_id)
    if email.body.get("changed"):
        return invitation.email_to_new_address(email, player)
    return invitation.invitation(email, player)


def _digest(email: Writing) -> EmailBody:
    """Remind a player of all his matches that await him."""
    assert email.due.player_id is not None
    assert email.context.post is not None
    player = players.one(email.tx, email.due.player_id)
    found = queue.awaited_seats(email.tx, player.id)
    said = EmailText(
        game="",
        subject=(queue.digest_subject(found),),
        contents=EmailContents(above=queue.digest_of(found, email.context.post)),
    )
    only = queue.digest_address(found[0], email.context.post) if len(found) == 1 else None
    value = said_to_person(email, said, only)
    return EmailBody(value=value, reply_to=only, to_name=player.name)


TO_SEATS: Mapping[str, Writer] = {
    "report": report_email.report,
    "aside": report_email.aside,
    "reminder": _reminder,
    "notice": _notice,
    "press": _press,
    "receipt": answers.to_seat,
    "refusal": answers.to_seat,
    "confirm": answers.to_seat,
}
TO_OTHERS: Mapping[str, Writer] = {
    "alert": _alert,
    "notice": _to_person,
    "leave": _to_person,
    "confirm": _invitation,
    "reminder": _digest,
}


# Whether it still goes: it must be true, and not told by another.


def may_go(email: DueEmail) -> bool:
    """Return whether the email's player has confirmed his present address.

    It may be another than when the email was queued. An email that asks him to confirm goes there
    before.
    """
    if email.player_id is None or _asks_to_confirm(email):
        return True
    return email.confirmed


def _asks_to_confirm(email: DueEmail) -> bool:
    """Return whether it has the code with which a player confirms his address; other codes are a
    seat's, or confirm an email to his personal address."""
    to_person = email.match_id is None and email.player_id is not None
    return email.kind == "confirm" and to_person and not email.key.startswith(OF_PERSONS)


def _asks_in_vain(tx: Tx, email: DueEmail) -> bool:
    """Return whether the address has been confirmed or changed meanwhile."""
    assert email.player_id is not None
    player = players.one(tx, email.player_id)
    return player.confirmed_at is not None or player.address != decode(email.body)["address"]


def is_superseded(tx: Tx, email: DueEmail) -> bool:
    """Return whether an email is no longer true or needed.

    It may be for somebody who no longer holds its seat, have a code that confirms nothing any more,
    or be a reminder for a player who has ordered or wants none, or of a ply that is past. Or it is
    a report or a notice, and a newer report tells it, too.
    """
    if email.is_to_former:
        return True
    if _asks_to_confirm(email):
        return _asks_in_vain(tx, email)
    if KINDS[email.kind].is_told_in_reports:
        return _is_told_by_newer(tx, email)
    if email.kind != "reminder":
        return False
    if email.match is None:
        assert email.player_id is not None
        return not queue.awaited_seats(tx, email.player_id)
    try:
        loaded = load(tx, email.match)
    except Unreadable:
        return True  # the match is held
    return (
        email.ply != loaded.match.ply + 1
        or email.seat in loaded.sheets
        or email.seat not in loaded.awaited
        or loaded.holders[str(email.seat)].reminders == "off"
        or _is_of_other_deadline(loaded, decode(email.body))
    )


def _is_of_other_deadline(loaded: Loaded, body: Any) -> bool:
    """Return whether a reminder of a reserve is of a deadline that was moved meanwhile."""
    return bool(body) and body["overdue"] != rfc3339(loaded.match.deadline_at)


def _is_told_by_newer(tx: Tx, email: DueEmail) -> bool:
    """Return whether a newer report that still stands tells all that this email tells."""
    if email.ply is None or email.player_id is None:
        return False
    if email.kind == "notice":
        return _is_in_report(tx, email)
    # It was made before this one was delivered, so it reaches back behind it.
    return email.is_told_by_newer and email.reports != "all"


def _is_in_report(tx: Tx, email: DueEmail) -> bool:
    """Return whether a report that was made after a notice tells what was ruled, that the offer
    stands, or that the match has ended."""
    assert email.ply is not None
    body = decode(email.body)
    if "at" in body:  # a ruling; what can count against its reader waits for no daily email
        waits = "at_once" in body and email.letters == "daily"
        return email.is_told_by_newer and not waits
    newest = outgoing.newest_standing_report(tx, email.id)
    if email.match is None or newest is None or newest <= email.ply or "offers" not in body:
        return False
    loaded = load(tx, email.match)
    stored = turns.report_of(tx, loaded.match.id, newest, Seat(str(email.seat)))
    if stored is None:
        return False
    report = building.read(loaded.game, stored.body)
    return report.result is not None or body["offers"] in (report.draw_offers or ())
