"""Write a letter of ours, from its row in the outbox to bytes."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from textwrap import wrap
from typing import Any

from msgspec import UNSET, Struct, convert, structs
from msgspec.json import decode
from msgspec.structs import replace

from adjudicator.core.email_kinds import KINDS
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words, say
from adjudicator.core.report import AnyReport
from adjudicator.mail.address import (
    MailDomain,
    bounce_tag,
    message_id,
    plain_message_id,
    public_address,
    seat_address,
)
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import (
    Outgoing,
    Thread,
    compose,
    envelope_from,
    picture_id,
)
from adjudicator.reports.words import words
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import Context
from adjudicator.service.base.loaded_match import Seated, Unreadable, load, seated
from adjudicator.service.base.own_address import own_address
from adjudicator.service.club import seat_folders
from adjudicator.service.competition import first_letter
from adjudicator.service.inbound import questions
from adjudicator.service.matches.passing_on import text_of
from adjudicator.service.outbound import answers, invitation, notes, reminders, several_answers
from adjudicator.service.outbound.beside import beside
from adjudicator.service.outbound.footer import footer, signed
from adjudicator.service.outbound.letter_body import LetterBody
from adjudicator.service.outbound.notes import Asking
from adjudicator.service.outbound.report_page import report_forms
from adjudicator.service.outbox import queue
from adjudicator.service.outbox.layout import WIDTH, paragraphs
from adjudicator.service.reports import building, printing
from adjudicator.store import clubs, outbox, outgoing, players, turns
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder
from adjudicator.store.outgoing import DueLetter


class ReadyLetter(Struct, frozen=True, kw_only=True):
    """A letter ready to be delivered. `fresh` bytes were made for this time; `since` is the first
    ply of which they tell."""

    id: int
    sender: str  # of the envelope
    to: str
    raw: bytes
    since: int | None
    once: bool  # what it says is deleted when it has been delivered
    fresh: bool
    carries: Sequence[int] = ()  # receipts that stand in it
    is_daily: bool = False  # what it carries goes with it


class RenderedLetter(Struct, frozen=True):
    """The bytes of a letter, the first ply of which they tell, and the ids of receipts in them."""

    raw: bytes
    since: int | None
    carries: Sequence[int] = ()


_MOST_ANSWER = 64 * 1024  # bytes of an email that answers


def address_of(letter: DueLetter, context: Context) -> str:
    """Return the address to which a letter goes: the player's on file, a stranger's, or the
    operator's."""
    if letter.player_id is None:
        body = decode(letter.body)
        return str(body["to"]) if _is_to_stranger(body) else context.operator
    return letter.to or ""


def write(
    tx: Tx,
    letter: DueLetter,
    to: str,
    context: Context,
    known: Mapping[str, Seated] | None = None,
    *,
    now: datetime | None = None,
) -> RenderedLetter:
    """Write a letter; its bytes are the same each time they are made from the same row, in the same
    match and at the same time.

    `known` are the matches that this transaction has looked up already, by their names. Without
    `now` the letter is written as if it went out at once.
    """
    post = context.post
    assert post is not None
    loaded = None
    if letter.match:
        loaded = (known or {}).get(letter.match) or _seated(tx, letter)
    holder = loaded.holders[letter.seat] if loaded and letter.seat else None
    if _is_digest(letter):
        return RenderedLetter(_write_digest(tx, letter, to, post, context), None)
    tell = words_of(tx, letter, loaded)
    said = say_what(tx, letter, loaded, tell, now or letter.created_at, context)
    below = [] if letter.kind == "alert" else footer(context, tell)  # that is the operator's
    noted = None if said.html else note_of(tx, letter, loaded, said, tell, below, context)
    out = Outgoing(
        kind=letter.kind,
        sender=public_address(post),
        sender_name=context.club or "adjud",
        to=to,
        to_name=holder.player_name or "" if holder else "",
        subject=_subject(said, tell),
        text=signed(said.text, below),
        html=said.html or noted,
        png=said.png,
        page=said.page,
        page_name=said.page_name,
        unsubscribe=said.unsubscribe,
        date=letter.created_at,
        **_ids(post, letter, loaded, said),
    )
    since = letter.since if said.since is None else said.since
    raw = compose(out)
    if noted is not None and len(raw) >= _MOST_ANSWER:
        raw = compose(replace(out, html=None))  # its text, which says the same, was made to fit
    return RenderedLetter(raw, since, said.carries)


def note_of(
    tx: Tx,
    letter: DueLetter,
    loaded: Seated | None,
    said: LetterBody,
    tell: Words,
    below: Sequence[str],
    context: Context,
) -> str | None:
    """Return the HTML of an email that is no report but asks its reader for something."""
    if (letter.kind == "alert" and not said.reply_to) or context.post is None:
        return None
    at_seat = loaded and letter.seat
    to = _ids(context.post, letter, loaded, said)["reply_to"] if at_seat else said.reply_to
    note = Asking(
        subject=_subject(said, tell),
        text=said.text,
        reply_to=to or public_address(context.post),
        asked=said.asked,
        is_invitation=said.is_invitation,
    )
    return notes.html_of(tx, letter, loaded, note, tell, below)


def _seated(tx: Tx, letter: DueLetter) -> Seated | None:
    """Return the match of a letter. One that goes to no seat needs nothing of a match that cannot
    be read."""
    assert letter.match is not None
    try:
        return seated(tx, letter.match)
    except Unreadable:
        if letter.seat is not None:
            raise
        return None


def _subject(said: LetterBody, tell: Words) -> str:
    told = said.subject
    return subjects.fit(tell, *([told] if isinstance(told, Message) else told))


def words_of(tx: Tx, letter: DueLetter, loaded: Seated | None) -> Words:
    """Return the language of a letter's reader: a seat's holder, another player, a stranger, or the
    operator."""
    game = loaded.match.game if loaded else ""
    if loaded and letter.seat:
        holder = loaded.holders[letter.seat]
        return words(holder.language, game, holder.zone)
    if letter.player_id is not None:
        player = players.one(tx, letter.player_id)
        return words(player.language, game, player.zone)
    body = decode(letter.body)
    return words(body.get("language", "en") if _is_to_stranger(body) else "en", game)


def _is_digest(letter: DueLetter) -> bool:
    return letter.kind == "reminder" and letter.match is None


def _write_digest(tx: Tx, letter: DueLetter, to: str, post: MailDomain, context: Context) -> bytes:
    assert letter.player_id is not None
    player = players.one(tx, letter.player_id)
    tell = words(player.language, "", player.zone)
    found = queue.awaited(tx, player.id)
    text = queue.digest_text(found, player.language, player.zone, post)
    return compose(
        Outgoing(
            kind="reminder",
            sender=public_address(post),
            to=to,
            sender_name=context.club or "adjud",
            to_name=player.name,
            subject=tell(queue.digest_subject(found)),
            text=signed(text, footer(context, tell)),
            reply_to=queue.digest_address(found[0], post) if len(found) == 1 else None,
            date=letter.created_at,
            message_id=plain_message_id(post, letter.key, letter.epoch),
        )
    )


def _message_id(post: MailDomain | None, letter: DueLetter, loaded: Seated) -> str:
    """Return the Message-ID of a letter to a seat."""
    assert post is not None
    seat = str(letter.seat)
    tenure = loaded.holders[seat].tenure
    return message_id(post, letter.key, loaded.match.name, seat, tenure, letter.epoch)


def _ids(
    post: MailDomain, letter: DueLetter, loaded: Seated | None, said: LetterBody
) -> dict[str, Any]:
    if loaded is None or letter.seat is None:
        return {
            "message_id": plain_message_id(post, letter.key, letter.epoch),
            "reply_to": said.reply_to,
            "in_reply_to": said.answers,
            "references": [said.answers] if said.answers else [],
        }
    match, seat = loaded.match.name, letter.seat
    tenure = loaded.holders[seat].tenure
    own = _message_id(post, letter, loaded)
    first = own
    if letter.first_report:
        first = message_id(post, letter.first_report, match, seat, tenure, letter.first_epoch)
    thread = first if first != own else None
    return {
        "message_id": own,
        "thread": Thread(first, f"[{match}] {seat}", loaded.match.created_at),
        "reply_to": seat_address(post, match, seat, tenure),
        "in_reply_to": said.answers or thread,
        "references": [one for one in (thread, said.answers) if one],
        "list_id": f"{match}.{post.domain}",
    }


def sender_of(letter: DueLetter, context: Context) -> str:
    """Return the envelope sender; empty for a letter that nobody may answer."""
    assert context.post is not None
    return envelope_from(context.post, letter.kind, letter.key, letter.epoch)


def bounce_tag_of(letter: DueLetter, context: Context) -> str | None:
    """Return the tag that names the letter in a bounce; None if it cannot come back."""
    assert context.post is not None
    if not sender_of(letter, context):
        return None
    return bounce_tag(context.post.keys[0], letter.key, letter.epoch)


def say_what(
    tx: Tx, letter: DueLetter, loaded: Seated | None, tell: Words, now: datetime, context: Context
) -> LetterBody:
    body = decode(letter.body)
    if loaded is None or letter.seat is None:
        return _to_nobodys_seat(tx, letter, body, tell, now, context)
    match letter.kind:
        case "report":
            return _report(tx, letter, loaded, tell, context)
        case "aside":
            return _aside(letter, loaded, body, tell)
        case "reminder":
            link = _page_of(tx, loaded, Seat(letter.seat), context)
            return reminders.reminder(tx, letter, loaded, body, tell, link, context)
        case "notice" if queue.is_last_page(body):
            return _last_page(tx, letter, loaded, tell, context)
        case "notice":
            return _notice(letter, loaded, body, tell, context)
        case "press" if "copies" in body:
            text = text_of(tx, loaded, Seat(letter.seat), body["copies"], tell)
            return LetterBody(subject=convert(body["subject"], Message), text=text)
        case _:
            made = answers.write_answer(tx, letter, loaded, body, tell, now, context)
            return LetterBody(
                subject=made.subject, text=made.text, answers=body["answers"], since=made.since
            )


def _is_to_stranger(body: Any) -> bool:
    """Return whether the letter answers one to the public address."""
    return isinstance(body, dict) and "to" in body


def _to_nobodys_seat(
    tx: Tx, letter: DueLetter, body: Mapping[str, Any], tell: Words, now: datetime, context: Context
) -> LetterBody:
    """Write a letter to the operator, or to a person and not to his seat.

    Such a person is a stranger, a newcomer, or somebody who held a seat.
    """
    if _is_of_questions(body):
        text, reply_to = questions.digest_of_questions(tx, body, context, tell)
        return LetterBody(subject=subjects.questions(), text=text, reply_to=reply_to)
    if _is_to_stranger(body):
        subject = convert(body["subject"], Message)
        is_late = KINDS[letter.kind].answers and now - letter.created_at > answers.LATE
        late = [tell(answers.late(letter))] if is_late else []
        parts, of_only = several_answers.write_parts(
            tx, letter, body.get("parts", ()), tell, now, context
        )
        return LetterBody(
            subject=of_only or subject,
            text=paragraphs([*late, body["text"], *parts]),
            answers=body["answers"],
            reply_to=body.get("reply_to") or _own_address(tx, letter, context),
            is_invitation=bool(body.get("is_invitation")),
            unsubscribe=body.get("unsubscribe"),
        )
    if letter.kind == "alert":
        alert = tell(convert(body["told"], Message))
        return LetterBody(subject=subjects.alert(letter.match), text=paragraphs([alert]))
    if letter.kind in ("notice", "leave"):
        own = body.get("subject")
        return LetterBody(
            subject=convert(own, Message) if own else subjects.farewell(str(letter.match)),
            text=_told(body, tell),
            answers=body.get("answers"),
        )
    assert letter.player_id is not None
    player = players.one(tx, letter.player_id)
    if body.get("changed"):
        said = invitation.changed(player, body["code"], context)
    else:
        said = invitation.invitation(tx, player, body["code"], context)
    is_new = not body.get("changed")
    return LetterBody(subject=said[0], text=paragraphs(said[1]), is_invitation=is_new)


def _own_address(tx: Tx, letter: DueLetter, context: Context) -> str | None:
    """Return the personal address of a letter's reader if it goes out from there."""
    if context.post is None or not letter.key.startswith(outbox.OF_PERSONS):
        return None
    assert letter.player_id is not None
    return own_address(context.post, players.one(tx, letter.player_id))


def _is_of_questions(body: Any) -> bool:
    return isinstance(body, dict) and "questions" in body


def _report(tx: Tx, letter: DueLetter, loaded: Seated, tell: Words, context: Context) -> LetterBody:
    assert letter.ply is not None
    assert letter.seat is not None
    holder = loaded.holders[letter.seat]
    report = _as_it_counts(tx, loaded, letter)
    png = _picture(report, holder, context) if holder.board == "picture" else None
    picture = picture_id(_message_id(context.post, letter, loaded)) if png else None
    link, built = _own_page(tx, loaded, report, holder, context)
    own = _lines_of_first_letter(tx, letter, loaded, tell, context)
    carried = answers.carried_by(tx, letter, tell)
    mailed = structs.replace(
        beside(tx, letter, loaded, report, carried, context),
        picture=picture,
        page=link,
        built=built,
        footer=[*footer(context, tell), *own],
    )
    attached = holder.page == "attached" or (holder.page == "link" and link is None)
    if attached or report.record is not None:
        made = report_forms(tx, loaded, report, post=context.post, letter=mailed)
        text, html, page = made.text, made.html, made.page
    else:
        text, html = printing.as_pages(
            report, holder, "text", "letter", post=context.post, letter=mailed
        )
        page = None
    return LetterBody(
        subject=printing.subject_of(report, holder),
        text="\n".join([text.rstrip("\n"), "", *own, ""]) if own else text,
        html=html,
        page=page,
        page_name=f"{printing.file_name(loaded.match.name, letter.seat, report.turn)}.html",
        png=png,
        answers=carried[-1].answers if carried else None,
        carries=tuple(one.id for one in carried),
    )


def report_among_others(
    tx: Tx, letter: DueLetter, loaded: Seated, tell: Words, context: Context
) -> LetterBody:
    """Write a report for a letter that has several (club, 4.3): as text and as HTML, without its
    page and without a picture, which no letter has twice; with a link to the page, if the club's
    site has it and its reader wishes for a page."""
    holder = loaded.holders[str(letter.seat)]
    report = _as_it_counts(tx, loaded, letter)
    wish = holder if holder.page == "none" else replace(holder, page="link")
    link, built = _own_page(tx, loaded, report, wish, context)
    carried = answers.carried_by(tx, letter, tell)
    mailed = structs.replace(
        beside(tx, letter, loaded, report, carried, context), page=link, built=built
    )
    text, html = printing.as_pages(
        report,
        replace(holder, page="link" if link else "none"),
        "text",
        "letter",
        post=context.post,
        letter=mailed,
    )
    first = first_letter.of_match(tx, loaded, str(letter.seat)) if letter.is_first_report else ()
    own = [line for one in first for line in _wrapped(tell(one))]
    return LetterBody(
        subject=printing.subject_of(report, holder),
        text="\n".join([text.rstrip("\n"), "", *own, ""]) if own else text,
        html=html,
        carries=tuple(one.id for one in carried),
        is_last=report.record is not None,
    )


def _lines_of_first_letter(
    tx: Tx, letter: DueLetter, loaded: Seated, tell: Words, context: Context
) -> Sequence[str]:
    """Return the lines of a first letter about the tournament of its match (club, 7.7), and its
    reader's personal address (club, 2)."""
    if not letter.is_first_report or context.post is None or letter.player_id is None:
        return []
    address = own_address(context.post, players.one(tx, letter.player_id))
    told = [
        *first_letter.of_match(tx, loaded, str(letter.seat)),
        say("For all your matches at once: {address}", address=address),
    ]
    return [line for one in told for line in _wrapped(tell(one))]


def _wrapped(text: str) -> list[str]:
    return wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def _own_page(
    tx: Tx, loaded: Seated, report: AnyReport, holder: Holder, context: Context
) -> tuple[str | None, str | None]:
    """Return where the reader's page is on the club's site, if he wishes to be led there, and of
    when it is, if it was not built since what the report tells. A tick that builds the pages does
    so as soon as the letters are gone."""
    if holder.page != "link" or not context.site_url or context.post is None:
        return None, None
    built = clubs.site_built(tx)
    is_fresh = context.pages is not None and built is not None
    since = outgoing.first_report_at(tx, loaded.match.id, report.seat, holder.tenure)
    if built is None or (since is not None and built < since and not is_fresh):
        return None, None  # his page is not there yet
    path = seat_folders.place(context.post.keys[0], loaded.match.name, report.seat, holder.tenure)
    told = turns.one(tx, loaded.match.id, report.ply).adjudicated_at
    is_old = built < told and not is_fresh
    return f"{context.site_url.rstrip('/')}/{path}", rfc3339(built) if is_old else None


def _page_of(tx: Tx, loaded: Seated, seat: Seat, context: Context) -> str | None:
    """Return where the page of a seat's holder is, who wishes for one at all."""
    holder = loaded.holders[seat]
    stored = turns.report_of(tx, loaded.match.id, loaded.match.ply, seat)
    if stored is None or holder.page == "none":
        return None
    report = building.read(loaded.game, stored.body)
    return _own_page(tx, loaded, report, replace(holder, page="link"), context)[0]


def _picture(report: AnyReport, holder: Holder, context: Context) -> bytes | None:
    """Return the board as a picture; None if nothing draws it here."""
    if not context.pictures:
        return None
    from adjudicator.mail.write.compose import png

    return png(printing.as_pages(report, holder, "svg")[0])


def _as_it_counts(tx: Tx, loaded: Seated, letter: DueLetter) -> AnyReport:
    """Return the report that the letter carries, with the deadline that counts when it goes; of a
    match on hold with the ruling that says so."""
    report, match = _stored(loaded, letter), loaded.match
    is_last = letter.ply == match.ply and match.status != "over"
    if not is_last or (report.deadline == rfc3339(match.deadline_at) and match.status != "held"):
        return report
    return building.with_rulings(tx, load(tx, match.name), report)


def _stored(loaded: Seated, letter: DueLetter) -> AnyReport:
    """Return the report that the letter carries.

    What it told once only was told to the holder of that time, so another one does not get it.
    """
    stored = letter.told
    assert stored is not None
    report = building.read(loaded.game, stored.body)
    same_holder = stored.tenure == loaded.holders[stored.seat].tenure
    return report if same_holder else building.forgetful(loaded.game, report)


def _aside(letter: DueLetter, loaded: Seated, told: Mapping[str, Any], tell: Words) -> LetterBody:
    """Write the short letter with what is told once only."""
    holder = loaded.holders[str(letter.seat)]
    news = building.read_news(loaded.game, told["news"])
    report = _stored(loaded, letter)
    made = report.made
    if made is not UNSET:
        span = (told.get("since", report.ply), report.ply)
        made = replace(made, news=None, once=(span,), lasting=UNSET)
    report = replace(report, news=news, made=made)
    return LetterBody(
        subject=subjects.aside(loaded.match.name, report.turn, _title(loaded, letter, tell)),
        text=printing.aside(report, holder),
    )


def _last_page(
    tx: Tx, letter: DueLetter, loaded: Seated, tell: Words, context: Context
) -> LetterBody:
    """Write the letter with the last page of a match, whose last report stood in a daily letter."""
    seat = Seat(str(letter.seat))
    stored = turns.report_of(tx, loaded.match.id, letter.ply or 0, seat)
    report = _stored(loaded, structs.replace(letter, told=stored))
    told = say(
        "This is the last page of {match}, for a browser. It has all that happened, and what is "
        "needed to check it.",
        match=loaded.match.name,
    )
    made = report_forms(tx, loaded, report, post=context.post, letter=printing.NOT_MAILED)
    return LetterBody(
        subject=subjects.report(loaded.match.name, report.turn, over=True),
        text=paragraphs([tell(told)]),
        page=made.page,
        page_name=f"{printing.file_name(loaded.match.name, seat, report.turn)}.html",
    )


def _notice(
    letter: DueLetter, loaded: Seated, body: Mapping[str, Any], tell: Words, context: Context
) -> LetterBody:
    own = body.get("subject")
    subject = (
        convert(own, Message)
        if own
        else subjects.notice(loaded.match.name, _title(loaded, letter, tell))
    )
    asked = None
    if "offers" in body and context.post is not None:
        seat = Seat(str(letter.seat))
        asked = notes.draw_offered(loaded, seat, context.post, tell)
    return LetterBody(subject=subject, text=_told(body, tell), asked=asked)


def _told(body: Mapping[str, Any], tell: Words) -> str:
    """Return what was ruled or done, and the game master's reason."""
    text = tell(convert(body["told"], Message))
    proofs = answers.under_proofs(body.get("proofs", ()), tell)
    return paragraphs([f"{text} {body.get('reason') or ''}".rstrip(), proofs])


def _title(loaded: Seated, letter: DueLetter, tell: Words) -> str:
    """Return the seat's name as its holder calls it."""
    return tell(loaded.game.seat_titles[Seat(str(letter.seat))])
