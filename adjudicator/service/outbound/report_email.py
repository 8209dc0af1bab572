"""Write the emails that carry a report, or a part of one."""

from typing import Literal

from msgspec import UNSET, structs
from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.report import AnyReport
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import picture_id
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import Context
from adjudicator.service.base.loaded_match import Seated, load
from adjudicator.service.base.options import shows_names
from adjudicator.service.competition import by_email, standings
from adjudicator.service.emails.paragraphs import EmailContents, paragraph
from adjudicator.service.emails.value import (
    Beside,
    ConfirmedOrders,
    EmailText,
    EmailValue,
    ReadersPage,
    report_value,
)
from adjudicator.service.emails.write import TURNS_BACK
from adjudicator.service.outbound import answers
from adjudicator.service.outbound.writing import (
    EmailBody,
    Writing,
    give_number,
    said_to_seat,
    value_to_seat,
)
from adjudicator.service.outbox.queue import own_address
from adjudicator.service.reports import building, printing
from adjudicator.service.reports.building import seat_reader, threads_of
from adjudicator.service.reports.standing import looking_back
from adjudicator.service.site import match_pages
from adjudicator.store import clubs, outgoing, players, turns
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder
from adjudicator.store.outgoing import DueEmail


def report(email: Writing) -> EmailBody:
    """Write a report as text and HTML, with its page and a picture as its reader wishes."""
    return _report(email, email.holder, part=False)


def aside(email: Writing) -> EmailBody:
    """Write the short email with what is told once only."""
    return _told_once(email, part=False)


def among_others(email: Writing) -> EmailBody:
    """Write a report, or what is told once only, for an email that has several."""
    return _told_once(email, part=True) if email.due.kind == "aside" else _report_among(email)


def _report_among(email: Writing) -> EmailBody:
    """Write a report for an email that has several (club, 4.3): as text and as HTML, without its
    page and without a picture, which no email has twice; with a link to the page, if the club's
    site has it and its reader wishes for a page."""
    holder = email.holder
    wish = replace(holder, board="table", page="none" if holder.page == "none" else "link")
    return _report(email, wish, part=True)


def _report(email: Writing, wish: Holder, *, part: bool) -> EmailBody:
    """Write a report for an email of its own, or for one that has several. `wish` is the reader as
    he wishes his emails."""
    tx, due, loaded, context = email.tx, email.due, email.match, email.context
    report = _as_it_counts(tx, loaded, due)
    png = _picture(report, wish, context) if wish.board == "picture" else None
    link, built = _own_page(tx, loaded, report, wish, context)
    carried = answers.receipts_in_report(tx, due)
    is_attached = not part and (wish.page == "attached" or (wish.page == "link" and link is None))
    shown: Literal["attached", "none"] = "attached" if is_attached else "none"
    value = replace(
        value_to_seat(email, "report", part=part),
        report=report_value(report),
        receipts=tuple(
            ConfirmedOrders(says=one.says, told=one.told, proofs=one.proofs) for one in carried
        ),
        press=threads_of(tx, loaded, email.seat, report.ply),
        acts=building.acts_in(tx, loaded, report),
        beside=_beside(
            email,
            report,
            page=ReadersPage(shown="linked" if link else shown, link=link, built=built),
            picture=picture_id(email.message_id) if png else None,
            reply_to=seat_reader(context.post, report, wish).address,
            told=_told_first(email, with_address=not part),
        ),
    )
    is_paged = is_attached or (report.record is not None and not part)
    past = looking_back(tx, loaded, report, turns_back=TURNS_BACK) if is_paged else ()
    value = value if part else give_number(email, value)
    return EmailBody(
        value=value,
        past=past,
        png=png,
        answers=carried[-1].answers if carried else None,
        carries=tuple(one.id for one in carried),
    )


def collect_aside(email: Writing, *, part: bool) -> EmailValue:
    """Read all that an email says which has what is told once only."""
    body = email.body
    stored = _stored_report(email.match, email.due)
    news, made = building.read_news(email.match.game, body["news"]), stored.made
    if made is not UNSET:
        span = (body.get("since", stored.ply), stored.ply)
        made = replace(made, news=None, once=(span,), lasting=UNSET)
    told = report_value(replace(stored, news=news, made=made))
    value = replace(value_to_seat(email, "aside", part=part), report=told)
    return value if part else give_number(email, value)


def _told_once(email: Writing, *, part: bool) -> EmailBody:
    return EmailBody(value=collect_aside(email, part=part))


def last_page(email: Writing) -> EmailBody:
    """Write the email with the last page of a match, whose last report stood in a daily email."""
    value = collect_last_page(email)
    past = looking_back(email.tx, email.match, value.told, turns_back=TURNS_BACK)
    return EmailBody(value=value, past=past)


def collect_last_page(email: Writing) -> EmailValue:
    """Read all that an email with the last page of a match says."""
    loaded, due = email.match, email.due
    stored = turns.report_of(email.tx, loaded.match.id, due.ply or 0, email.seat)
    shown = _stored_report(loaded, structs.replace(due, told=stored))
    told = say(
        "This is the last page of {match}, for a browser. It has all that happened, and what is "
        "needed to check it.",
        match=loaded.match.name,
    )
    said = EmailText(
        game=loaded.match.game,
        subject=(subjects.report(loaded.match.name, shown.turn, over=True),),
        contents=EmailContents(above=paragraph(told)),
    )
    value = said_to_seat(email, "notice", said)
    page = ReadersPage(shown="none" if email.holder.page == "none" else "attached")
    beside = replace(value.beside, page=page)
    acts = building.acts_in(email.tx, loaded, shown)
    return give_number(email, replace(value, report=report_value(shown), acts=acts, beside=beside))


def place_of_page(tx: Tx, loaded: Seated, seat: Seat, context: Context) -> str | None:
    """Return where the page of a seat's holder is, who wishes for one at all."""
    holder = loaded.holders[seat]
    stored = turns.report_of(tx, loaded.match.id, loaded.match.ply, seat)
    if stored is None or holder.page == "none":
        return None
    told = building.read(loaded.game, stored.body)
    return _own_page(tx, loaded, told, replace(holder, page="link"), context)[0]


def _told_first(email: Writing, *, with_address: bool) -> tuple[Message, ...]:
    """Return what a first email says of the tournament of its match (club, 7.7), and its reader's
    personal address (club, 2)."""
    due, context = email.due, email.context
    if not due.is_first_report:
        return ()
    told = by_email.first_email_of_match(email.tx, email.match, email.seat)
    if not with_address or context.post is None or due.player_id is None:
        return tuple(told)
    address = own_address(context.post, players.one(email.tx, due.player_id))
    return (*told, say("For all your matches at once: {address}", address=address))


def _own_page(
    tx: Tx, loaded: Seated, report: AnyReport, holder: Holder, context: Context
) -> tuple[str | None, str | None]:
    """Return where the reader's page is on the club's site, if he wishes to be led there, and of
    when it is, if it was not built since what the report tells. A tick that builds the pages does
    so as soon as the emails are gone."""
    if holder.page != "link" or not context.site_url or context.post is None:
        return None, None
    built = clubs.site_built(tx)
    is_fresh = context.pages is not None and built is not None
    since = outgoing.first_report_at(tx, loaded.match.id, report.seat, holder.tenure)
    if built is None or (since is not None and built < since and not is_fresh):
        return None, None  # his page is not there yet
    path = match_pages.seat_place(
        context.post.keys[0], loaded.match.name, report.seat, holder.tenure
    )
    told = turns.one(tx, loaded.match.id, report.ply).adjudicated_at
    is_old = built < told and not is_fresh
    return f"{context.site_url.rstrip('/')}/{path}", rfc3339(built) if is_old else None


def _picture(report: AnyReport, holder: Holder, context: Context) -> bytes | None:
    """Return the board as a picture; None if nothing draws it here."""
    if not context.pictures:
        return None
    from adjudicator.mail.write.compose import png

    return png(printing.as_pages(report, holder, "svg")[0])


def _as_it_counts(tx: Tx, loaded: Seated, due: DueEmail) -> AnyReport:
    """Return the report that the email carries, with the deadline that counts when it goes; of a
    match on hold with the ruling that says so."""
    report, match = _stored_report(loaded, due), loaded.match
    is_last = due.ply == match.ply and match.status != "over"
    if not is_last or (report.deadline == rfc3339(match.deadline_at) and match.status != "held"):
        return report
    return building.with_rulings(tx, load(tx, match.name), report)


def _stored_report(loaded: Seated, due: DueEmail) -> AnyReport:
    """Return the report that the email carries.

    What it told once only was told to the holder of that time, so another one does not get it.
    """
    stored = due.told
    assert stored is not None
    report = building.read(loaded.game, stored.body)
    same_holder = stored.tenure == loaded.holders[stored.seat].tenure
    return report if same_holder else building.forgetful(loaded.game, report)


def _beside(
    email: Writing,
    report: AnyReport,
    *,
    page: ReadersPage,
    picture: str | None,
    reply_to: str | None,
    told: tuple[Message, ...],
) -> Beside:
    """Return what an email has beside its report, as its club knows it: what changes its
    sentences."""
    tx, loaded = email.tx, email.match
    tips = building.wants_tips(tx, loaded, report)
    over = report.result is not None
    return Beside(
        first=email.due.is_first_report,
        tips=tips,
        advised=tips and loaded.is_for_practice,
        rematch=over and building.can_rematch(loaded),
        thanks=_only_other(loaded, report) if over else "",
        page=page,
        picture=picture,
        reply_to=reply_to,
        told=told,
        rating=_rating_after(tx, loaded, report) if over else None,
    )


def _rating_after(tx: Tx, loaded: Seated, report: AnyReport) -> tuple[int, int] | None:
    """Return the reader's rating before and after a match that has ended, if it counts."""
    reader, match = loaded.holders[report.seat].player_name, loaded.match
    if reader is None:
        return None
    hidden = not shows_names("playing", match.options)
    named = [name for name in report.players.values() if name] if hidden else None
    return standings.change(tx, match.game, match.name, reader, named)


def _people(loaded: Seated) -> set[int]:
    return {one.player_id for one in loaded.holders.values() if one.player_id is not None}


def _only_other(loaded: Seated, report: AnyReport) -> str:
    """Return the seat of the only other player, if that is a person who may be written to."""
    others = [holder for seat, holder in loaded.holders.items() if seat != report.seat]
    if len(others) != 1 or others[0].player_id is None or len(_people(loaded)) < 2:
        return ""
    return others[0].seat if loaded.match.options.get("press") != "off" else ""
