"""The end of every answer: the seat's orders in force and how long they may be replaced, or why
none are awaited.

Nothing in it shows who of the others has sent.
"""

from collections.abc import Collection, Iterator
from datetime import datetime

from adjudicator.core.holders import holder_read
from adjudicator.core.message import Message, say
from adjudicator.service.base.calendar import when
from adjudicator.service.base.next_step import complete_at
from adjudicator.service.letters_in.conversation import Talk
from adjudicator.service.match import overview
from adjudicator.service.report import report_body
from adjudicator.store.submissions import Submission


def standing(talk: Talk, told: Collection[int] = ()) -> str:
    """Say what is in force. `told` are the revisions whose orders are in the answer already."""
    if why := _nothing_awaited(talk):
        return "\n".join(map(talk.words, (why, *_kept(talk))))
    return "\n".join((*_in_force(talk, told), *map(talk.words, (*_time(talk), *_kept(talk)))))


def current(talk: Talk) -> str:
    """Say what the seat's orders are now, in an answer to a letter that says nothing new."""
    if is_awaited(talk) and (sheet := talk.loaded.sheets.get(talk.seat)):
        told = say("Your current orders are version {revision}:", revision=sheet.revision)
        lines = (f"  {talk.spelled(line)}" for line in sheet.lines)
        return "\n".join((talk.words(told), *lines, *map(talk.words, (*_time(talk), *_kept(talk)))))
    return standing(talk)


def still(talk: Talk, told: Collection[int] = ()) -> str:
    """Say in one sentence what is in force, of a letter that is not read yet."""
    return talk.words(_still(talk.loaded.sheets.get(talk.seat)))


def _still(sheet: Submission | None) -> Message:
    if sheet is None:
        return say("No orders of yours are in force.")
    return say("Revision {revision} is still in force.", revision=sheet.revision)


def sheet(talk: Talk) -> str:
    """Return a sheet to be filled in; nothing if none would count now."""
    if not may_order(talk):
        return ""
    told = talk.words(say("Your order sheet, to be filled in:"))
    return "\n".join((told, "", *template(talk), ""))


def status(talk: Talk) -> str:
    """Answer STATUS: the match, its turn and players, and what it waits for."""
    loaded, tell = talk.loaded, talk.words
    game, match = loaded.game, loaded.match
    lines = [f"{tell(say(game.title))} {match.name}, {tell(overview.turn(loaded))}"]
    for seat in loaded.seats:
        name = holder_read(loaded.holders[seat].shown_name, tell) or tell(say("open seat"))
        you = f" ({tell(say('you'))})" if seat == talk.seat else ""
        lines.append(f"{tell(game.seat_titles[seat])}: {name}{you}")
    if match.status != "over":
        lines.append(tell(overview.waits_for(loaded)))
        lines += map(tell, overview.draw_offers(loaded, talk.seat))
    if match.status == "playing" and match.deadline_at and talk.seat not in loaded.awaited:
        lines.append(tell(_deadline(match.deadline_at)))
    return "\n".join(lines)


def template(talk: Talk) -> list[str]:
    """Return a sheet ready to edit; empty for a seat that is not awaited."""
    view = talk.loaded.game.sight.observe(talk.loaded.state, talk.seat)
    return talk.spelled.all(report_body.order_template(talk.loaded, talk.seat, view))


def is_awaited(talk: Talk) -> bool:
    """Return whether the seat is to order now."""
    return _nothing_awaited(talk) is None


def may_order(talk: Talk) -> bool:
    """Return whether a sheet that came now would count, if nothing were wrong with it."""
    return is_awaited(talk) and (talk.seat not in talk.loaded.sheets or not _is_late(talk))


def _nothing_awaited(talk: Talk) -> Message | None:
    loaded = talk.loaded
    if loaded.match.status == "over":
        return say("{match} is over.", match=loaded.match.name)
    if talk.seat in loaded.gone:
        return say("You have left {match}; it goes on without you.", match=loaded.match.name)
    if talk.seat in loaded.resigned:
        return say("You have resigned; no orders of yours are awaited.")
    if talk.seat not in loaded.awaited:
        return say("No orders of yours are awaited now.")
    return None


def _in_force(talk: Talk, told: Collection[int]) -> Iterator[str]:
    sheet = talk.loaded.sheets.get(talk.seat)
    if sheet is None:
        yield talk.words(say("No orders of yours are in force."))
        turn = talk.loaded.match.turn
        yield talk.words(say("Your orders for turn {turn} are awaited.", turn=turn))
        return
    yield talk.words(say("In force: revision {revision}.", revision=sheet.revision))
    if sheet.revision not in told:
        yield from (f"  {talk.spelled(line)}" for line in sheet.lines)


def _kept(talk: Talk) -> Iterator[Message]:
    """Say for which later turns sheets are kept."""
    if turns := [str(sheet.turn) for sheet in talk.loaded.kept.get(talk.seat, ())]:
        yield say("Kept for later turns: {turns}.", turns=", ".join(turns))


def _time(talk: Talk) -> Iterator[Message]:
    """Say how long the seat has."""
    loaded = talk.loaded
    deadline = loaded.match.deadline_at
    if loaded.match.status == "held":
        yield say("The game master holds the match.")
    elif loaded.match.status == "open":
        yield say("The match begins when its last seat is taken.")
    elif talk.seat in loaded.sheets:
        yield _replaceable(talk)
    elif deadline and _is_late(talk):
        yield say(
            "The deadline, {when}, has passed; orders count until the turn is adjudicated.",
            when=when(deadline),
        )
    elif deadline:
        yield _deadline(deadline)


def _replaceable(talk: Talk) -> Message:
    """Say until when the orders in force may be replaced.

    When all orders will have settled is told only if this seat alone is awaited; otherwise it would
    say that the others have sent.
    """
    loaded = talk.loaded
    deadline = loaded.match.deadline_at
    complete = complete_at(loaded) if loaded.awaited == (talk.seat,) else None
    if deadline and _is_late(talk):
        return say("The deadline has passed; these orders stay in force.")
    if complete and complete <= talk.now:
        return say("The turn is adjudicated with these orders now.")
    if loaded.holders[talk.seat].not_ready_ply == loaded.match.ply + 1:
        return _until(deadline, say("until you say READY"))
    if complete:
        settled = min(complete, deadline) if deadline else complete
        return say("You may replace these orders until {when}.", when=when(settled))
    return _until(deadline, say("until everybody's orders are in"))


def _until(moment: datetime | None, event: Message) -> Message:
    if moment is None:
        return say("You may replace these orders {until}.", until=event)
    return say(
        "You may replace these orders until {when}, or {until}.", when=when(moment), until=event
    )


def _is_late(talk: Talk) -> bool:
    deadline = talk.loaded.match.deadline_at
    return deadline is not None and talk.now >= deadline


def _deadline(deadline: datetime) -> Message:
    return say("Deadline: {when}.", when=when(deadline))
