"""Write a letter of ours, from its row in the outbox to bytes."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct, convert
from msgspec.json import decode
from msgspec.structs import replace

from adjudicator.core.game import spelling_of
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words, say
from adjudicator.core.report import AnyReport
from adjudicator.mail.address import (
    Post,
    bounce_tag,
    message_id,
    plain_message_id,
    public_address,
    seat_address,
)
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import Outgoing, Thread, compose, envelope_from, picture_id
from adjudicator.reports.times import moment
from adjudicator.reports.words import words
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Seated, Unreadable, load, seated
from adjudicator.service.club import site
from adjudicator.service.letters_in import questions
from adjudicator.service.letters_in.replies import paragraphs
from adjudicator.service.letters_out import answers, attached_page
from adjudicator.service.outbox import digests, silence
from adjudicator.service.report import printed_report, report_body
from adjudicator.store import clubs, handing_over, players, turns
from adjudicator.store.database import Tx
from adjudicator.store.handing_over import Waiting
from adjudicator.store.matches import Holder


class Finished(Struct, frozen=True, kw_only=True):
    """A letter ready to be delivered. `fresh` bytes were made for this time; `since` is the first
    ply of which they tell."""

    id: int
    sender: str  # of the envelope
    to: str
    raw: bytes
    since: int | None
    once: bool  # what it says is deleted when it has been delivered
    fresh: bool


class Said(Struct, frozen=True, kw_only=True):
    """Tell what a letter says, before it has an envelope."""

    subject: Message | Sequence[Message]  # of several the first that is short enough
    text: str
    html: str | None = None
    page: str | None = None
    page_name: str = ""  # as a file
    png: bytes | None = None
    answers: str | None = None
    reply_to: str | None = None  # of a letter that is to no seat
    since: int | None = None  # the first ply of which it tells, if its row does not say so


class Written(Struct, frozen=True):
    """The bytes of a letter, and the first ply of which they tell."""

    raw: bytes
    since: int | None


def address_of(letter: Waiting, means: Means) -> str:
    """Return the address to which a letter goes: the player's on file, a stranger's, or the
    operator's."""
    if letter.player_id is None:
        body = decode(letter.body)
        return str(body["to"]) if _is_to_stranger(body) else means.operator
    return letter.to or ""


def write(
    tx: Tx,
    letter: Waiting,
    to: str,
    means: Means,
    known: Mapping[str, Seated] | None = None,
    *,
    now: datetime | None = None,
) -> Written:
    """Write a letter; its bytes are the same each time they are made from the same row, in the same
    match and at the same time.

    `known` are the matches that this transaction has looked up already, by their names. Without
    `now` the letter is written as if it went out at once.
    """
    post = means.post
    assert post is not None
    loaded = None
    if letter.match:
        loaded = (known or {}).get(letter.match) or _seated(tx, letter)
    holder = loaded.holders[letter.seat] if loaded and letter.seat else None
    if _is_digest(letter):
        return Written(_write_digest(tx, letter, to, post), None)
    tell = _words(tx, letter, loaded)
    said = _say(tx, letter, loaded, tell, now or letter.created_at, means)
    out = Outgoing(
        kind=letter.kind,  # type: ignore[arg-type]  # the table's kinds are the letter's
        sender=public_address(post),
        to=to,
        to_name=holder.player_name or "" if holder else "",
        subject=_subject(said, tell),
        text=said.text,
        html=said.html,
        png=said.png,
        page=said.page,
        page_name=said.page_name,
        date=letter.created_at,
        **_ids(post, letter, loaded, said),
    )
    return Written(compose(out), letter.since if said.since is None else said.since)


def _seated(tx: Tx, letter: Waiting) -> Seated | None:
    """Return the match of a letter. One that goes to no seat needs nothing of a match that cannot
    be read."""
    assert letter.match is not None
    try:
        return seated(tx, letter.match)
    except Unreadable:
        if letter.seat is not None:
            raise
        return None


def _subject(said: Said, tell: Words) -> str:
    told = said.subject
    return subjects.fit(tell, *([told] if isinstance(told, Message) else told))


def _words(tx: Tx, letter: Waiting, loaded: Seated | None) -> Words:
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


def _is_digest(letter: Waiting) -> bool:
    return letter.kind == "reminder" and letter.match is None


def _write_digest(tx: Tx, letter: Waiting, to: str, post: Post) -> bytes:
    assert letter.player_id is not None
    player = players.one(tx, letter.player_id)
    found = digests.awaited(tx, player.id)
    return compose(
        Outgoing(
            kind="reminder",
            sender=public_address(post),
            to=to,
            to_name=player.name,
            subject=words(player.language, "")(digests.subject(found)),
            text=digests.text(found, player.language, player.zone, post),
            reply_to=digests.address(found[0], post) if len(found) == 1 else None,
            date=letter.created_at,
            message_id=plain_message_id(post, letter.key, letter.epoch),
        )
    )


def _message_id(post: Post | None, letter: Waiting, loaded: Seated) -> str:
    """Return the Message-ID of a letter to a seat."""
    assert post is not None
    seat = str(letter.seat)
    tenure = loaded.holders[seat].tenure
    return message_id(post, letter.key, loaded.match.name, seat, tenure, letter.epoch)


def _ids(post: Post, letter: Waiting, loaded: Seated | None, said: Said) -> dict[str, Any]:
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


def sender_of(letter: Waiting, means: Means) -> str:
    """Return the envelope sender; empty for a letter that nobody may answer."""
    assert means.post is not None
    return envelope_from(means.post, letter.kind, letter.key, letter.epoch)  # type: ignore[arg-type]


def bounce_tag_of(letter: Waiting, means: Means) -> str | None:
    """Return the tag that names the letter in a bounce; None if it cannot come back."""
    assert means.post is not None
    if not sender_of(letter, means):
        return None
    return bounce_tag(means.post.keys[0], letter.key, letter.epoch)


def _say(
    tx: Tx, letter: Waiting, loaded: Seated | None, tell: Words, now: datetime, means: Means
) -> Said:
    body = decode(letter.body)
    if loaded is None or letter.seat is None:
        return _to_nobodys_seat(tx, letter, body, tell, now, means)
    match letter.kind:
        case "report":
            return _report(tx, letter, loaded, tell, means)
        case "aside":
            return _aside(letter, loaded, body, tell)
        case "reminder":
            return _reminder(tx, letter, loaded, tell)
        case "notice":
            return _notice(letter, loaded, body, tell)
        case _:
            made = answers.write(tx, letter, loaded, body, tell, now, means)
            return Said(
                subject=made.subject, text=made.text, answers=body["answers"], since=made.since
            )


def _is_to_stranger(body: Any) -> bool:
    """Return whether the letter answers one to the public address."""
    return isinstance(body, dict) and "to" in body


def _to_nobodys_seat(
    tx: Tx, letter: Waiting, body: Mapping[str, Any], tell: Words, now: datetime, means: Means
) -> Said:
    """Write a letter to the operator, or to a person and not to his seat.

    Such a person is a stranger, a newcomer, or somebody who held a seat.
    """
    if _is_of_questions(body):
        text, reply_to = questions.digest(tx, body, means, tell)
        return Said(subject=subjects.questions(), text=text, reply_to=reply_to)
    if _is_to_stranger(body):
        subject = convert(body["subject"], Message)
        late = [tell(answers.late(letter))] if now - letter.created_at > answers.LATE else []
        return Said(
            subject=subject, text=paragraphs([*late, body["text"]]), answers=body["answers"]
        )
    if letter.kind == "alert":
        alert = tell(convert(body["told"], Message))
        return Said(subject=subjects.alert(letter.match), text=paragraphs([alert]))
    if letter.kind == "notice":
        own = body.get("subject")
        return Said(
            subject=convert(own, Message) if own else subjects.farewell(str(letter.match)),
            text=_told(body, tell),
            answers=body.get("answers"),
        )
    told = say(
        "Somebody entered this address at a club that plays by mail. If it is yours, answer this "
        "letter with the line\n\nCONFIRM {code}\n\nor give the code to the game master. Until "
        "then nothing else is sent here.",
        code=body["code"],
    )
    return Said(subject=subjects.confirm(), text=paragraphs([tell(told)]))


def _is_of_questions(body: Any) -> bool:
    return isinstance(body, dict) and "questions" in body


def _report(tx: Tx, letter: Waiting, loaded: Seated, tell: Words, means: Means) -> Said:
    assert letter.ply is not None
    assert letter.seat is not None
    holder = loaded.holders[letter.seat]
    report = _stored(loaded, letter)
    png = _picture(report, holder, means) if holder.board == "picture" else None
    picture = picture_id(_message_id(means.post, letter, loaded)) if png else None
    link, built = _own_page(tx, loaded, report, holder, means)
    mailed = printed_report.Mailed(picture, letter.is_first_report, link, built)
    attached = holder.page == "attached" or (holder.page == "link" and link is None)
    if attached or report.record is not None:
        made = attached_page.forms(tx, loaded, report, post=means.post, letter=mailed)
        text, html, page = made.text, made.html, made.page
    else:
        text, html = printed_report.as_pages(
            report, holder, "text", "letter", post=means.post, letter=mailed
        )
        page = None
    return Said(
        subject=printed_report.subject_of(report, holder),
        text=text,
        html=html,
        page=page,
        page_name=f"{printed_report.file_name(loaded.match.name, letter.seat, report.turn)}.html",
        png=png,
    )


def _own_page(
    tx: Tx, loaded: Seated, report: AnyReport, holder: Holder, means: Means
) -> tuple[str | None, str | None]:
    """Return where the reader's page is on the club's site, if he wishes to be led there, and of
    when it is, if it was not built since what the report tells."""
    if holder.page != "link" or not means.site_url or means.post is None:
        return None, None
    built = clubs.site_built(tx)
    since = handing_over.first_report_at(tx, loaded.match.id, report.seat, holder.tenure)
    if built is None or (since is not None and built < since):  # his page is not there yet
        return None, None
    path = site.place(means.post.keys[0], loaded.match.name, report.seat, holder.tenure)
    told = turns.one(tx, loaded.match.id, report.ply).adjudicated_at
    return f"{means.site_url.rstrip('/')}/{path}", rfc3339(built) if built < told else None


def _picture(report: AnyReport, holder: Holder, means: Means) -> bytes | None:
    """Return the board as a picture; None if nothing draws it here."""
    if not means.pictures:
        return None
    from adjudicator.mail.write.picture import png

    return png(printed_report.as_pages(report, holder, "svg")[0])


def _stored(loaded: Seated, letter: Waiting) -> AnyReport:
    """Return the report that the letter carries.

    What it told once only was told to the holder of that time, so another one does not get it.
    """
    stored = letter.told
    assert stored is not None
    report = report_body.read(loaded.game, stored.body)
    same_holder = stored.tenure == loaded.holders[stored.seat].tenure
    return report if same_holder else report_body.forgetful(loaded.game, report)


def _aside(letter: Waiting, loaded: Seated, told: Mapping[str, Any], tell: Words) -> Said:
    """Write the short letter with what is told once only."""
    holder = loaded.holders[str(letter.seat)]
    news = report_body.read_news(loaded.game, told["news"])
    report = replace(_stored(loaded, letter), news=news)
    return Said(
        subject=subjects.aside(loaded.match.name, report.turn, _title(loaded, letter, tell)),
        text=printed_report.aside(report, holder),
    )


def _reminder(tx: Tx, letter: Waiting, seated_at: Seated, tell: Words) -> Said:
    assert letter.seat is not None
    loaded = load(tx, seated_at.match.name)
    holder = loaded.holders[letter.seat]
    deadline = loaded.match.deadline_at
    until = moment(deadline.isoformat(), holder.language, holder.zone) if deadline else "-"
    seat = Seat(letter.seat)
    told = say(
        "Your orders for turn {turn} are awaited until {when}.", turn=loaded.match.turn, when=until
    )
    lost = silence.cost(loaded, seat)
    parts = [tell(told), tell(lost)] if lost else [tell(told)]
    view = loaded.game.sight.observe(loaded.state, seat)
    sheet = spelling_of(loaded.game, tell).all(report_body.order_template(loaded, seat, view))
    report = replace(
        report_body.public(loaded, seat),
        awaited=loaded.awaited,
        deadline=rfc3339(deadline),
    )
    return Said(
        subject=printed_report.subject_of(report, holder, again=True),
        text="\n".join([paragraphs([" ".join(parts)]), *sheet, ""]),
    )


def _notice(letter: Waiting, loaded: Seated, body: Mapping[str, Any], tell: Words) -> Said:
    title = _title(loaded, letter, tell)
    return Said(subject=subjects.notice(loaded.match.name, title), text=_told(body, tell))


def _told(body: Mapping[str, Any], tell: Words) -> str:
    """Return what was ruled or done, and the game master's reason."""
    text = tell(convert(body["told"], Message))
    return paragraphs([f"{text} {body.get('reason') or ''}".rstrip()])


def _title(loaded: Seated, letter: Waiting, tell: Words) -> str:
    """Return the seat's name as its holder calls it."""
    return tell(loaded.game.seat_titles[Seat(str(letter.seat))])
