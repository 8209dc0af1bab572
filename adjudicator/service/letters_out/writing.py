"""Write a letter of ours, from its row in the outbox to bytes."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, convert
from msgspec.json import decode
from msgspec.structs import replace

from adjudicator.core.game import AnyReport, Seat, spelling_of
from adjudicator.core.message import Message, Words, say
from adjudicator.mail.address import (
    Post,
    bounce_tag,
    message_id,
    plain_message_id,
    public_address,
    seat_address,
)
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import Outgoing, compose, envelope_from, picture_id, weight
from adjudicator.reports.times import moment
from adjudicator.reports.words import words
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Loaded, load
from adjudicator.service.letters_in.replies import paragraphs
from adjudicator.service.outbox import digests
from adjudicator.service.report import printed_report, report_body
from adjudicator.service.report.history import IN_LETTERS, looking_back
from adjudicator.store import outbox, players, submissions, turns
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder
from adjudicator.store.outbox import Waiting

_HEADS = 1_500  # bytes of a report that are neither text, HTML nor page


class Finished(Struct, frozen=True):
    """A letter ready to be handed over."""

    sender: str  # of the envelope
    to: str
    raw: bytes
    once: bool = False  # its bytes are deleted when it has been handed over


class Said(Struct, frozen=True, kw_only=True):
    """Tell what a letter says, before it has an envelope."""

    subject: Message
    text: str
    html: str | None = None
    page: str | None = None
    page_name: str = ""  # as a file
    png: bytes | None = None
    answers: str | None = None


def address_of(tx: Tx, letter: Waiting, means: Means) -> str:
    """Return the address to which a letter goes: the player's on file, a stranger's, or the
    operator's."""
    if letter.player_id is None:
        body = decode(letter.body)
        return str(body["to"]) if _is_to_stranger(body) else means.operator
    return players.address(tx, letter.player_id)


def write(tx: Tx, letter: Waiting, to: str, means: Means) -> bytes:
    """Return the bytes of a letter; they are the same each time they are made from the same row."""
    post = means.post
    assert post is not None
    loaded = load(tx, letter.match) if letter.match else None
    holder = loaded.holders[letter.seat] if loaded and letter.seat else None
    if _is_digest(letter):
        return _write_digest(tx, letter, to, post)
    tell = _words(tx, letter, loaded)
    said = _say(tx, letter, loaded, tell, means)
    out = Outgoing(
        kind=letter.kind,  # type: ignore[arg-type]  # the table's kinds are the letter's
        sender=public_address(post),
        to=to,
        to_name=holder.player_name or "" if holder else "",
        subject=tell(said.subject),
        text=said.text,
        html=said.html,
        png=said.png,
        page=said.page,
        page_name=said.page_name,
        date=letter.created_at,
        **_ids(post, letter, loaded, said),
    )
    return compose(out)


def _words(tx: Tx, letter: Waiting, loaded: Loaded | None) -> Words:
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
            message_id=plain_message_id(post, letter.key),
        )
    )


def _message_id(post: Post | None, letter: Waiting, loaded: Loaded) -> str:
    """Return the Message-ID of a letter to a seat."""
    assert post is not None
    seat = str(letter.seat)
    tenure = loaded.holders[seat].tenure
    return message_id(post, letter.key, loaded.match.name, seat, tenure)


def _ids(post: Post, letter: Waiting, loaded: Loaded | None, said: Said) -> dict[str, Any]:
    if loaded is None or letter.seat is None:
        return {
            "message_id": plain_message_id(post, letter.key),
            "in_reply_to": said.answers,
            "references": [said.answers] if said.answers else [],
        }
    match, seat = loaded.match.name, letter.seat
    tenure = loaded.holders[seat].tenure
    first = message_id(post, f"{match}/0/{seat}/report", match, seat, tenure)
    own = _message_id(post, letter, loaded)
    thread = first if first != own else None
    return {
        "message_id": own,
        "reply_to": seat_address(post, match, seat, tenure),
        "in_reply_to": said.answers or thread,
        "references": [one for one in (thread, said.answers) if one],
        "list_id": f"{match}.{post.domain}",
    }


def sender_of(letter: Waiting, means: Means) -> str:
    """Return the envelope sender; empty for a letter that nobody may answer."""
    assert means.post is not None
    return envelope_from(means.post, letter.kind, letter.key)  # type: ignore[arg-type]


def bounce_tag_of(letter: Waiting, means: Means) -> str | None:
    """Return the tag that names the letter in a bounce; None if it cannot come back."""
    assert means.post is not None
    if not sender_of(letter, means):
        return None
    return bounce_tag(means.post.keys[0], letter.key)


def _say(tx: Tx, letter: Waiting, loaded: Loaded | None, tell: Words, means: Means) -> Said:
    body = decode(letter.body)
    if loaded is None or letter.seat is None:
        return _to_nobodys_seat(letter, body, tell)
    match letter.kind:
        case "report":
            return _report(tx, letter, loaded, tell, means)
        case "aside":
            return _aside(tx, letter, loaded, body, tell)
        case "reminder":
            return _reminder(letter, loaded, tell)
        case "notice":
            return _notice(letter, loaded, body, tell)
        case _:
            subject = convert(body["subject"], Message)
            return Said(subject=subject, text=body["text"], answers=body["answers"])


def _is_to_stranger(body: Any) -> bool:
    """Return whether the letter answers one to the public address."""
    return isinstance(body, dict) and "to" in body


def _to_nobodys_seat(letter: Waiting, body: Mapping[str, Any], tell: Words) -> Said:
    """Write a letter to the operator, or to a person and not to his seat.

    Such a person is a stranger, a newcomer, or somebody who held a seat.
    """
    if _is_to_stranger(body):
        subject = convert(body["subject"], Message)
        return Said(subject=subject, text=body["text"], answers=body["answers"])
    if letter.kind == "alert":
        alert = tell(convert(body["told"], Message))
        return Said(subject=subjects.alert(letter.match), text=paragraphs([alert]))
    if letter.kind == "notice":
        assert letter.match is not None
        return Said(subject=subjects.farewell(letter.match), text=_told(body, tell))
    told = say(
        "Somebody entered this address at a club that plays by mail. If it is yours, answer this "
        "letter with the line\n\nCONFIRM {code}\n\nor give the code to the game master. Until "
        "then nothing else is sent here.",
        code=body["code"],
    )
    return Said(subject=subjects.confirm(), text=paragraphs([tell(told)]))


def _report(tx: Tx, letter: Waiting, loaded: Loaded, tell: Words, means: Means) -> Said:
    assert letter.ply is not None
    assert letter.seat is not None
    holder = loaded.holders[letter.seat]
    report = _stored(tx, loaded, letter)
    over = report.result is not None
    deadline = None
    if report.deadline and letter.seat in report.awaited:
        deadline = moment(report.deadline, holder.language, holder.zone)
    title = _title(loaded, letter, tell)
    png = _picture(report, holder, means) if holder.board == "picture" else None
    picture = picture_id(_message_id(means.post, letter, loaded)) if png else None
    text, html = printed_report.as_pages(
        report, holder, "text", "letter", post=means.post, picture=picture
    )
    attached = holder.page == "attached" or report.record is not None
    room = loaded.game.page.letter(report.view) - _HEADS - weight(text) - weight(html)
    return Said(
        subject=subjects.report(
            loaded.match.name, report.turn, title, deadline=deadline, over=over
        ),
        text=text,
        html=html,
        page=_page(tx, loaded, report, room, means) if attached else None,
        page_name=f"{printed_report.file_name(loaded.match.name, letter.seat, report.turn)}.html",
        png=png,
    )


def _page(tx: Tx, loaded: Loaded, report: AnyReport, room: int, means: Means) -> str:
    """Return the page that goes with a report.

    It looks back on as many turns as there is room for; on the last page there is room for all.
    """
    holder, page = loaded.holders[report.seat], ""
    for turns_back in IN_LETTERS:
        past = looking_back(tx, loaded, report, turns_back=turns_back)
        (page,) = printed_report.as_pages(report, holder, "html", past=past, post=means.post)
        if report.record or not past or weight(page) <= room:
            break
    return page


def _picture(report: AnyReport, holder: Holder, means: Means) -> bytes | None:
    """Return the board as a picture; None if nothing draws it here."""
    if not means.pictures:
        return None
    from adjudicator.mail.write.picture import png

    return png(printed_report.as_pages(report, holder, "svg")[0])


def _stored(tx: Tx, loaded: Loaded, letter: Waiting) -> AnyReport:
    """Return the report that the letter carries.

    What it told once only was told to the holder of that time, so another one does not get it.
    """
    assert letter.ply is not None
    seat = Seat(str(letter.seat))
    stored = turns.report_of(tx, loaded.match.id, letter.ply, seat)
    assert stored is not None
    report = report_body.read(loaded.game, stored.body)
    same_holder = stored.tenure == loaded.holders[seat].tenure
    return report if same_holder else report_body.forgetful(loaded.game, report)


def _aside(tx: Tx, letter: Waiting, loaded: Loaded, told: Mapping[str, Any], tell: Words) -> Said:
    """Write the short letter with what is told once only."""
    holder = loaded.holders[str(letter.seat)]
    news = report_body.read_news(loaded.game, told["news"])
    report = replace(_stored(tx, loaded, letter), news=news)
    return Said(
        subject=subjects.aside(loaded.match.name, report.turn, _title(loaded, letter, tell)),
        text=printed_report.aside(report, holder),
    )


def _reminder(letter: Waiting, loaded: Loaded, tell: Words) -> Said:
    assert letter.seat is not None
    holder = loaded.holders[letter.seat]
    deadline = loaded.match.deadline_at
    when = moment(deadline.isoformat(), holder.language, holder.zone) if deadline else "-"
    seat = Seat(letter.seat)
    title = _title(loaded, letter, tell)
    told = say(
        "Your orders for turn {turn} are awaited until {when}.", turn=loaded.match.turn, when=when
    )
    view = loaded.game.sight.observe(loaded.state, seat)
    sheet = spelling_of(loaded.game, tell).all(report_body.order_template(loaded, seat, view))
    return Said(
        subject=subjects.reminder(loaded.match.name, loaded.match.turn, title, when),
        text="\n".join([paragraphs([tell(told)]), *sheet, ""]),
    )


def _notice(letter: Waiting, loaded: Loaded, body: Mapping[str, Any], tell: Words) -> Said:
    title = _title(loaded, letter, tell)
    return Said(subject=subjects.notice(loaded.match.name, title), text=_told(body, tell))


def _told(body: Mapping[str, Any], tell: Words) -> str:
    """Return what was ruled or done, and the game master's reason."""
    text = tell(convert(body["told"], Message))
    return paragraphs([f"{text} {body.get('reason') or ''}".rstrip()])


def _title(loaded: Loaded, letter: Waiting, tell: Words) -> str:
    """Return the seat's name as its holder calls it."""
    return tell(loaded.game.seat_titles[Seat(str(letter.seat))])


def may_go(tx: Tx, letter: Waiting) -> bool:
    """Return whether the letter's player has confirmed his present address.

    It may be another than when the letter was queued. A letter that asks him to confirm goes there
    before.
    """
    if letter.player_id is None or _asks_to_confirm(letter):
        return True
    return players.one(tx, letter.player_id).confirmed_at is not None


def _asks_to_confirm(letter: Waiting) -> bool:
    """Return whether it has the code with which a player confirms his address; other codes are a
    seat's."""
    return letter.kind == "confirm" and letter.match_id is None and letter.player_id is not None


def _asks_in_vain(tx: Tx, letter: Waiting) -> bool:
    """Return whether the address has been confirmed or changed meanwhile."""
    assert letter.player_id is not None
    player = players.one(tx, letter.player_id)
    return player.confirmed_at is not None or player.address != decode(letter.body)["address"]


def is_superseded(tx: Tx, letter: Waiting) -> bool:
    """Return whether a letter is no longer true or needed.

    It may be for somebody who no longer holds its seat, have a code that confirms nothing any more,
    or be a reminder for a player who has ordered or wants none, or of a ply that is past. Or it is
    a report, and the next one tells of it, too.
    """
    if outbox.is_to_former(tx, letter.id):
        return True
    if _asks_to_confirm(letter):
        return _asks_in_vain(tx, letter)
    if letter.kind == "report":
        return _is_told_by_newer(tx, letter)
    if letter.kind != "reminder":
        return False
    if letter.match is None:
        assert letter.player_id is not None
        return not digests.awaited(tx, letter.player_id)
    loaded = load(tx, letter.match)
    return (
        letter.ply != loaded.match.ply + 1
        or letter.seat in loaded.sheets
        or letter.seat not in loaded.awaited
        or loaded.holders[str(letter.seat)].reminders == "off"
    )


def _is_told_by_newer(tx: Tx, letter: Waiting) -> bool:
    """Return whether a report that was not tried yet is told by a newer one of the seat.

    That is so if somebody's order that was sent in advance was adjudicated between them: then
    several turns have passed at once, and each seat gets one letter of them. A report goes back to
    the last orders that its seat sent when they were due, or to the last report that was printed;
    so one from before those is told by no newer one.
    """
    newer = outbox.newest_report(tx, letter.id)
    if letter.address is not None or newer is None:
        return False
    if letter.match_id is None or letter.ply is None:
        return False
    match_id, ply, seat = letter.match_id, letter.ply, str(letter.seat)
    if turns.was_shown_to(tx, match_id, ply, seat):
        return False
    if submissions.ordered_when_due(tx, match_id, ply + 1, newer, seat=seat):
        return False
    return submissions.ordered_in_advance(tx, match_id, ply, newer)
