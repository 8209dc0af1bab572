"""Write reminders that orders are due."""

from typing import Any

from msgspec.structs import replace

from adjudicator.core.game import spelling_of
from adjudicator.core.match import Seat
from adjudicator.core.message import Words, both, say
from adjudicator.reports.button import Action
from adjudicator.reports.words import moment_in_words
from adjudicator.service.base.calendar import rfc3339, when
from adjudicator.service.base.context import Context
from adjudicator.service.base.deadlines import has_reserve_until
from adjudicator.service.base.loaded_match import Loaded, Seated, load
from adjudicator.service.emails.layout import paragraphs
from adjudicator.service.emails.mailed import Mailed
from adjudicator.service.outbound.beside import is_for_practice
from adjudicator.service.outbound.email_body import EmailBody
from adjudicator.service.outbox import queue
from adjudicator.service.reports import building, printing
from adjudicator.store.database import Tx
from adjudicator.store.outgoing import DueEmail


def reminder(
    tx: Tx,
    email: DueEmail,
    seated_at: Seated,
    body: Any,
    tell: Words,
    link: str | None,
    context: Context,
) -> EmailBody:
    """Write a reminder, with the button that the report of the turn has; `link` is where its
    reader's page is."""
    assert email.seat is not None
    loaded = load(tx, seated_at.match.name)
    holder = loaded.holders[email.seat]
    deadline = loaded.match.deadline_at
    until = moment_in_words(deadline.isoformat(), holder.language, holder.zone) if deadline else "-"
    seat = Seat(email.seat)
    told = say("Your orders for turn {turn} are due {when}.", turn=loaded.match.turn, when=until)
    if body:
        told = say(
            "Your orders for turn {turn} were due {when}, and half of your reserve is used.",
            turn=loaded.match.turn,
            when=until,
        )
    if ends := has_reserve_until(loaded, seat):
        told = both(told, say("With your reserve, you have until {when}.", when=when(ends)))
    lost = queue.cost_of_silence(loaded, seat)
    parts = [tell(told), tell(lost)] if lost else [tell(told)]
    view = loaded.game.sight.observe(loaded.state, seat)
    sheet = spelling_of(loaded.game, tell).all(building.order_template(loaded, seat, view))
    report = replace(
        building.public(loaded, seat),
        awaited=loaded.awaited,
        deadline=rfc3339(deadline),
    )
    return EmailBody(
        subject=printing.subject_of(report, holder, again=True),
        text="\n".join([paragraphs([" ".join(parts)]), *sheet, ""]),
        asked=_action(tx, loaded, seat, link, context),
    )


def _action(tx: Tx, loaded: Loaded, seat: Seat, link: str | None, context: Context) -> Action:
    report = building.present(tx, loaded, seat)
    advised = building.wants_tips(tx, loaded, report) and is_for_practice(loaded)
    mailed = Mailed(advised=advised, page=link)
    holder = loaded.holders[seat]
    return printing.prints_of(report, holder, post=context.post, email=mailed).action
