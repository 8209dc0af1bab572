"""Write the emails that carry a report, or a part of one."""

from collections.abc import Sequence
from textwrap import wrap

from msgspec import UNSET, structs
from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.core.message import say
from adjudicator.core.report import AnyReport
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import picture_id
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import Context
from adjudicator.service.base.loaded_match import Seated, load
from adjudicator.service.club import seat_folders
from adjudicator.service.competition import first_email
from adjudicator.service.outbound import answers
from adjudicator.service.outbound.beside import beside
from adjudicator.service.outbound.email_body import EmailBody
from adjudicator.service.outbound.footer import footer
from adjudicator.service.outbound.report_page import report_forms
from adjudicator.service.outbound.writing import Writing
from adjudicator.service.outbox.layout import WIDTH, paragraphs
from adjudicator.service.outbox.post import own_address
from adjudicator.service.reports import building, printing
from adjudicator.store import clubs, outgoing, players, turns
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder
from adjudicator.store.outgoing import DueEmail


def report(email: Writing) -> EmailBody:
    """Write a report as text and HTML, with its page and a picture as its reader wishes."""
    tx, due, loaded, context = email.tx, email.due, email.match, email.context
    holder, told = email.holder, _as_it_counts(tx, loaded, due)
    png = _picture(told, holder, context) if holder.board == "picture" else None
    link, built = _own_page(tx, loaded, told, holder, context)
    own = _lines_of_first_email(email)
    carried = answers.carried_by(tx, due, email.tell)
    mailed = structs.replace(
        beside(tx, due, loaded, told, carried, context),
        picture=picture_id(email.message_id) if png else None,
        page=link,
        built=built,
        footer=[*footer(context, email.tell), *own],
    )
    attached = holder.page == "attached" or (holder.page == "link" and link is None)
    if attached or told.record is not None:
        made = report_forms(tx, loaded, told, post=context.post, email=mailed)
        text, html, page = made.text, made.html, made.page
    else:
        text, html = printing.as_pages(
            told, holder, "text", "letter", post=context.post, email=mailed
        )
        page = None
    return EmailBody(
        subject=printing.subject_of(told, holder),
        text="\n".join([text.rstrip("\n"), "", *own, ""]) if own else text,
        html=html,
        page=page,
        page_name=f"{printing.file_name(loaded.match.name, email.seat, told.turn)}.html",
        png=png,
        answers=carried[-1].answers if carried else None,
        carries=tuple(one.id for one in carried),
    )


def among_others(email: Writing) -> EmailBody:
    """Write a report for an email that has several (club, 4.3): as text and as HTML, without its
    page and without a picture, which no email has twice; with a link to the page, if the club's
    site has it and its reader wishes for a page."""
    tx, due, loaded, context = email.tx, email.due, email.match, email.context
    holder, told = email.holder, _as_it_counts(tx, loaded, due)
    wish = holder if holder.page == "none" else replace(holder, page="link")
    link, built = _own_page(tx, loaded, told, wish, context)
    carried = answers.carried_by(tx, due, email.tell)
    mailed = structs.replace(
        beside(tx, due, loaded, told, carried, context), page=link, built=built
    )
    text, html = printing.as_pages(
        told,
        replace(holder, page="link" if link else "none"),
        "text",
        "letter",
        post=context.post,
        email=mailed,
    )
    first = first_email.of_match(tx, loaded, email.seat) if due.is_first_report else ()
    own = [line for one in first for line in _wrap(email.tell(one))]
    return EmailBody(
        subject=printing.subject_of(told, holder),
        text="\n".join([text.rstrip("\n"), "", *own, ""]) if own else text,
        html=html,
        carries=tuple(one.id for one in carried),
        is_last=told.record is not None,
    )


def aside(email: Writing) -> EmailBody:
    """Write the short email with what is told once only."""
    loaded, told = email.match, email.body
    news = building.read_news(loaded.game, told["news"])
    stored = _stored_report(loaded, email.due)
    made = stored.made
    if made is not UNSET:
        span = (told.get("since", stored.ply), stored.ply)
        made = replace(made, news=None, once=(span,), lasting=UNSET)
    return EmailBody(
        subject=subjects.aside(loaded.match.name, stored.turn, email.title),
        text=printing.aside(replace(stored, news=news, made=made), email.holder),
    )


def last_page(email: Writing) -> EmailBody:
    """Write the email with the last page of a match, whose last report stood in a daily email."""
    tx, due, loaded = email.tx, email.due, email.match
    stored = turns.report_of(tx, loaded.match.id, due.ply or 0, email.seat)
    shown = _stored_report(loaded, structs.replace(due, told=stored))
    told = say(
        "This is the last page of {match}, for a browser. It has all that happened, and what is "
        "needed to check it.",
        match=loaded.match.name,
    )
    made = report_forms(tx, loaded, shown, post=email.context.post, email=printing.NOT_MAILED)
    return EmailBody(
        subject=subjects.report(loaded.match.name, shown.turn, over=True),
        text=paragraphs([email.tell(told)]),
        page=made.page,
        page_name=f"{printing.file_name(loaded.match.name, email.seat, shown.turn)}.html",
    )


def place_of_page(tx: Tx, loaded: Seated, seat: Seat, context: Context) -> str | None:
    """Return where the page of a seat's holder is, who wishes for one at all."""
    holder = loaded.holders[seat]
    stored = turns.report_of(tx, loaded.match.id, loaded.match.ply, seat)
    if stored is None or holder.page == "none":
        return None
    told = building.read(loaded.game, stored.body)
    return _own_page(tx, loaded, told, replace(holder, page="link"), context)[0]


def _lines_of_first_email(email: Writing) -> Sequence[str]:
    """Return the lines of a first email about the tournament of its match (club, 7.7), and its
    reader's personal address (club, 2)."""
    due, context = email.due, email.context
    if not due.is_first_report or context.post is None or due.player_id is None:
        return []
    address = own_address(context.post, players.one(email.tx, due.player_id))
    told = [
        *first_email.of_match(email.tx, email.match, email.seat),
        say("For all your matches at once: {address}", address=address),
    ]
    return [line for one in told for line in _wrap(email.tell(one))]


def _wrap(text: str) -> list[str]:
    return wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)


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
    path = seat_folders.place(context.post.keys[0], loaded.match.name, report.seat, holder.tenure)
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
