"""Write reminders that orders are due."""

from msgspec.structs import replace

from adjudicator.core.game import spelling_of
from adjudicator.core.message import both, say, shortly
from adjudicator.reports.button import Labelled, Links, asks_of
from adjudicator.reports.words import words
from adjudicator.service.base.calendar import rfc3339, when
from adjudicator.service.base.deadlines import has_reserve_until
from adjudicator.service.base.loaded_match import Loaded, load
from adjudicator.service.emails import links
from adjudicator.service.emails.paragraphs import EmailContents, OrderLines, paragraph
from adjudicator.service.emails.value import Ask, EmailText, EmailValue, Opens
from adjudicator.service.outbound.beside import is_for_practice
from adjudicator.service.outbound.values import said_to_seat
from adjudicator.service.outbound.writing import Writing
from adjudicator.service.outbox import queue
from adjudicator.service.reports import building


def collect(email: Writing, page: str | None) -> EmailValue:
    """Read all that a reminder says, with the button that the report of the turn has; `page` is
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
        told = both(told, say("With your reserve, you have until {when}.", when=when(ends)))
    if lost := queue.cost_of_silence(loaded, seat):
        told = both(told, lost)
    view = loaded.game.sight.observe(loaded.state, seat)
    sheet = building.order_template(loaded, seat, view)
    report = replace(
        building.public(loaded, seat),
        awaited=loaded.awaited,
        deadline=rfc3339(deadline),
    )
    said = EmailText(
        game=loaded.match.game,
        subject=tuple(links.subject_of(report, again=True)),
        contents=EmailContents(above=(*paragraph(told), OrderLines(tuple(sheet)))),
        asked=_ask_for_orders(email, loaded, page),
    )
    return said_to_seat(email, "reminder", said)


def _ask_for_orders(email: Writing, loaded: Loaded, page: str | None) -> Ask:
    report = building.present(email.tx, loaded, email.seat)
    tell = words(email.holder.language, loaded.match.game)
    orders = links.suggestion(report, tell)
    advised = building.wants_tips(email.tx, loaded, report) and is_for_practice(loaded)
    begun = links.prefilled_emails(report, orders, advised=advised)
    wish = email.holder.page
    asks = asks_of(
        report,
        Links(**{name: name for name in begun}),
        orders,
        spelled=spelling_of(loaded.game, tell),
        page=page,
        attached=wish == "attached" or (wish == "link" and not page),
        due=shortly(report.deadline) if report.deadline else "",
    )

    def opens(one: Labelled) -> Opens:
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
