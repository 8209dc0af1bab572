"""Append a ply to a match: events, snapshot, reports, emails and deadline in one piece."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from msgspec import UnsetType
from msgspec.json import decode, encode

from adjudicator import __version__
from adjudicator.core import chain
from adjudicator.core.acts import (
    Act,
    ClockSetBack,
    SaidToAll,
    clock_changes,
    effect_of,
    message_for_acts,
)
from adjudicator.core.chain import AdjudicatedSheet, Departure, Holding, Opening, PlyText, Ruled
from adjudicator.core.game import AnyGame, fold
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say, tell
from adjudicator.core.orders import number_lines
from adjudicator.games import GAMES
from adjudicator.mail.write import subjects
from adjudicator.service.base import deadlines
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import Context, Session
from adjudicator.service.base.deadlines import Balance, reload_and_reschedule, reschedule
from adjudicator.service.base.loaded_match import (
    Loaded,
    MatchSession,
    load,
    refuse_unopened,
    rulings_since,
)
from adjudicator.service.base.looks import refuse_names
from adjudicator.service.base.lots_of_match import lots_of
from adjudicator.service.base.public_number import chance_option, which_number
from adjudicator.service.matches import passing_on, results, sheet_judging
from adjudicator.service.matches.results import PlyMade, count_ply
from adjudicator.service.outbox import queue
from adjudicator.service.outbox.queue import alert
from adjudicator.service.reports import building
from adjudicator.service.reports.building import notice_text
from adjudicator.service.reports.standing import ReportContext, report_context_of
from adjudicator.store import matches, offers, pending, rows, rulings, submissions, turns
from adjudicator.store.clubs import SLACK
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder, Match
from adjudicator.store.rulings import Ruling
from adjudicator.store.submissions import Submission
from adjudicator.store.turns import BalanceBefore, Commitment, Ply, StoredReport

# Write the line and the head of each ply in the chain of a match's log (`core/chain.py`).


NOT_BY_PEOPLE = frozenset({"computer", submissions.DEFAULT})  # channels that the log names


def opening_line(loaded: Loaded, max_gap: timedelta | None) -> tuple[str, str]:
    """Return the first line, with its head, of a match that has just been opened: what was agreed,
    and the commitments of all reports that tell of the opening."""
    match, chance = loaded.match, loaded.chance
    links = (
        ("key" if one.opened else "anchor", one.seat, chance.key(one.chain, one.number - 1).hex())
        for one in loaded.game.proof.links(loaded.state, Seat(""))
    )
    commitments = (("seed", None, chance.commitment), *links)
    agreed = Opening(
        game=match.game,
        variant=match.variant,
        options=match.options,
        board=sha256(match.board.encode()).hexdigest() if match.board else "",
        holders=tuple(Holding(seat, _kind(loaded.holders[seat])) for seat in loaded.seats),
        version=__version__,
        at=rfc3339(match.created_at),
        seed_given=match.seed_given,
        chance=_public_chance_of(match),
        commitments=commitments,
        due=rfc3339(match.deadline_at) or "",
        package=GAMES.package(match.game),
        label=match.label,
        max_gap=(max_gap or timedelta()) // timedelta(seconds=1),
        lots=lots_of(match),
    )
    line = chain.opening(agreed)
    return line, chain.first_head(match.name, line)


def _public_chance_of(match: Match) -> str | chain.PublicChance:
    if match.full_at is None:
        return chance_option(match)
    which = which_number(match)
    return chain.PublicChance(full=rfc3339(match.full_at), value=match.public_value, which=which)


def _kind(holder: Holder) -> str:
    if holder.computer:
        return holder.computer
    return chain.PERSON if holder.shown_name else chain.OPEN


def following_line(
    tx: Tx, loaded: Loaded, made: PlyMade, due: datetime | None, bank: Mapping[str, int]
) -> tuple[str, str]:
    """Return the line of the ply that follows on a match as it is `loaded`, with its head. `due` is
    the deadline of the turn that it opens, and `bank` are the balances that it changes."""
    match, coming = loaded.match, loaded.coming
    assert match.log_key is not None  # of every match that is played: `db upgrade` sees to it
    assert loaded.head is not None
    adjudicated = {str(seat): loaded.sheets[seat] for seat in loaded.seats if seat in made.ordering}
    entry = PlyText(
        ply=coming,
        turn=match.turn,
        at=rfc3339(made.at),
        cause=made.cause,
        orders=tuple(map(sheets_in_log, adjudicated.values())),
        events=pack_events(ruling_in_log(loaded.game, made.events, made.cause), adjudicated),
        between=pack_events(_events_since_line(tx, loaded), {}) if loaded.added else (),
        rulings=rulings_during(made.rulings, match.ply),
        leave=Departure(made.cause, tuple(made.leaving)) if made.leaving else None,
        said=said_in_log(rulings.words_since(tx, match.id, match.ply)),
        holders=holders_in_log(rulings.holder_changes_since(tx, match.id, match.ply)),
        due=rfc3339(due) or "",
        version=__version__ if match.logged_by != __version__ else "",
        package=package if (package := GAMES.package(match.game)) != match.package else "",
        bank=bank,
    )
    line = chain.write(entry, match.label)
    salt = chain.salt(match.log_key, entry.ply)
    head = chain.next_head(match.label, match.name, entry.ply, loaded.head, line, salt)
    return line, head


def version_of(lines: Sequence[str | None]) -> str:
    """Return the version of the program that the lines of a log name last."""
    first, *others = (line or "" for line in lines)
    opened = chain.read_opening(first)
    named = [opened.version, *(chain.read(line, opened.label).version for line in others)]
    return [version for version in named if version][-1]


def packages_in(lines: Sequence[str | None]) -> list[str]:
    """Return the packages of the game that the lines of a log name, in their order."""
    first, *others = (line or "" for line in lines)
    opened = chain.read_opening(first)
    named = [opened.package, *(chain.read(line, opened.label).package for line in others)]
    return [package for package in named if package]


def said_in_log(said: Iterable[rulings.StoredWord]) -> tuple[chain.DeclaredWord, ...]:
    return tuple(chain.DeclaredWord(one.seat, one.word, rfc3339(one.at)) for one in said)


def holders_in_log(
    changes: Iterable[rulings.StoredHolderChange],
) -> tuple[chain.HolderChange, ...]:
    return tuple(
        chain.HolderChange(rfc3339(one.at), one.seat, one.kind, rfc3339(one.due_at) or "")
        for one in changes
    )


def sheets_in_log(sheet: Submission) -> AdjudicatedSheet:
    return AdjudicatedSheet(
        seat=sheet.seat,
        revision=sheet.revision,
        at=rfc3339(sheet.received_at),
        lines=sheet.lines,
        by=sheet.channel if sheet.channel in NOT_BY_PEOPLE else "",
    )


def ruling_in_log(
    game: AnyGame, events: Iterable[Any], cause: str, line: Iterable[list[Any]] = ()
) -> list[Any]:
    """Return the events that the line of a ply tells, or told when it was written."""
    return chain.lean(events, game.proof.repeated if cause == "orders" else (), line)


def pack_events(events: Iterable[Any], sheets: Mapping[str, Submission]) -> tuple[list[Any], ...]:
    lines = {seat: sheet.lines for seat, sheet in sheets.items()}
    return tuple(chain.pack(event, lines) for event in events)


def rulings_during(made: Iterable[Ruling], ply: int) -> tuple[Ruled, ...]:
    """Return those of all rulings of a match that were made while that ply was the last.

    Those of a ply that was taken back stay with its number, and go into the line after it.
    """
    return tuple(_ruling_for_log(one) for one in made if one.ply == ply)


def _ruling_for_log(one: Ruling) -> Ruled:
    return Ruled(
        number=one.number,
        acts=one.all_acts or (SaidToAll(tell(one.told)),),  # what is no act has no effect
        at=rfc3339(one.at),
        action=one.action,
        text=notice_text(one, tell),
        message=one.told,  # as it was worded then, for it is hashed
        reason=one.reason,
        due=rfc3339(one.due_at) or "",
    )


def _events_since_line(tx: Tx, loaded: Loaded) -> list[Any]:
    """Return the events that were added to the last ply since its line was written."""
    match = loaded.match
    bodies = [body for _, body in turns.events_since(tx, match.id, match.ply)]
    return [decode(body, type=loaded.game.rules.event) for body in bodies[-loaded.added :]]


UNHEARD = 3  # plies in which only emails came that were never confirmed


def append(
    s: Session,
    loaded: Loaded,
    events: Iterable[Any],
    *,
    cause: str,
    ordering: Collection[str] = (),
    leaving: Sequence[str] = (),
    everyone: bool = False,
) -> Loaded:
    """Make the events the match's next ply, and return the match after it.

    `ordering` are the seats whose orders it adjudicated. If there are none, as when a seat leaves a
    match that goes on, the others' orders and the time for them stay. `leaving` are the seats that
    it ends. With `everyone` no seat is left out when the reports are sent.
    """
    happened = tuple(events)
    state = fold(loaded.game, loaded.state, happened)  # a match that waits is refused
    ruled = rulings_since(s.tx, loaded.match, 0)
    if set_back := clock_set_back(loaded, ruled, s.now):
        log_for_all(s.tx, loaded, "clock", set_back, "", s.now)
        ruled = rulings_since(s.tx, loaded.match, 0)
    made = PlyMade(
        state=state,
        events=happened,
        cause=cause,
        ordering=ordering,
        leaving=leaving,
        rulings=ruled,
        at=s.now,
    )
    times = _times(s.tx, loaded, made)
    balances = deadlines.after_ply(loaded, ordering, s.now)
    due = times.get("deadline_at", loaded.match.deadline_at)
    bank = {seat: one.bank for seat, one in balances.items()}
    linked = following_line(s.tx, loaded, made, due, bank)
    if not ordering:
        _carry_on(s.tx, loaded, made.state)
    _close_sheets(s.tx, loaded, ordering)
    _end_announced_forfeits(s.tx, loaded, made.state, ordering)
    ending = results.of_ply(s.tx, loaded, made)
    _write(s.tx, loaded, made, linked, {**times, **ending})
    over = made.ends(loaded.game)
    _charge(s.tx, loaded, balances, over=over)
    count_ply(s.tx, loaded, made)
    _end_or_carry_searches(s, loaded, end=bool(ordering) or over)
    session = MatchSession(s.tx, load(s.tx, loaded.match.name), s.now)
    sheet_judging.use_sheets_in_advance(session)
    reschedule(session)
    after = session.loaded
    committed = _commit_to_secrets(s.tx, after, s.context)
    results.note_after_ply(s.tx, after, ending.get("result"), s.now)
    passing_on.pass_on_waiting(s, after)
    at = report_context_of(s.tx, after, committed, made.rulings)
    ahead = [seat for seat in ordering if loaded.sheets[seat].in_advance]
    publish(s, at, ahead, everyone=everyone)
    if set(ordering) - set(_own_orders(loaded, ordering)):
        _tell_of_unheard(s, after)
    _tell_of_package(s, loaded.match, after.match)
    return after


def _end_or_carry_searches(s: Session, loaded: Loaded, *, end: bool) -> None:
    """End the searches for substitutes; or carry them on where the time for the others' orders
    stays, and so what is done about their silence."""
    silent = [one for one in loaded.searches if one.status == "open"]
    if end:
        offers.end_searches(s.tx, silent, "ended", s.now)
    else:
        offers.carry_searches(s.tx, silent, awaited=loaded.match.ply + 2)


def _tell_of_package(s: Session, before: Match, after: Match) -> None:
    """Tell the operator, once for each, that a match goes on with another version of its game."""
    if before.package and after.package and before.package != after.package:
        told = say(
            "It continues with {now}; up to now it was played with {before}. The log says so, and "
            "an audit of the match may need both versions.",
            now=after.package,
            before=before.package,
        )
        alert(s, told, f"{after.name}/package/{after.package}", once="ever", match=after)


def _charge(tx: Tx, loaded: Loaded, balances: Mapping[str, Balance], *, over: bool) -> None:
    """Write the balances after the coming ply, and keep what they were before for an undo."""
    match = loaded.match
    if balances and not over:
        before = {seat: loaded.holders[seat] for seat in balances}
        turns.keep_balances(tx, match.id, match.ply + 1, before)
    for seat, one in balances.items():
        matches.update_seats(tx, match.id, [seat], bank=one.bank, turns=one.turns)
    if over and deadlines.balances(loaded) is not None:
        rows.drop(tx, BalanceBefore, match_id=match.id)


def _tell_of_unheard(s: Session, after: Loaded) -> None:
    """Tell the operator, with the ply, of seats of which only emails came that wait for a code."""
    match = after.match
    for found in pending.unheard(s.tx, match.id) if match.status != "over" else ():
        if found.plies and found.plies % UNHEARD == 0:
            told = say(
                "Emails for {seat} have come in {n} turns since it last ordered, and none of them "
                "counted: each had to be confirmed, and was not. Its player may write from another "
                "address, or not see our replies. With level=token+auth the mail server may vouch "
                "for nobody; `adjud mail test` and `adjud doctor` try that.",
                seat=after.game.seat_titles[Seat(found.seat)],
                n=found.plies,
            )
            about = f"unheard/{found.seat}/{found.tenure}"
            alert(s, told, about, once="turn", match=match)


def extend(tx: Tx, loaded: Loaded, events: Iterable[Any]) -> None:
    """Add events since the last ply that are no ply of their own; no reports are made of them."""
    happened = tuple(events)
    if happened:
        state = fold(loaded.game, loaded.state, happened)
        bodies = [encode(event).decode() for event in happened]
        turns.extend(tx, loaded.match.id, loaded.match.ply, bodies, encode(state).decode())


def _carry_on(tx: Tx, loaded: Loaded, state: Any) -> None:
    """Move what was sent for this ply to the next one, if it can still be followed."""
    match, ply = loaded.match, loaded.match.ply + 1
    awaited = loaded.game.rules.awaiting(state) - set(loaded.game.rules.gone(state))
    stand = [seat for seat in loaded.sheets if seat in awaited and _stands(loaded, state, seat)]
    submissions.carry(tx, match.id, ply, stand)
    submissions.carry_kept(tx, match.id)
    thinking = [seat for seat in awaited if loaded.holders[seat].not_ready_ply == ply]
    matches.update_seats(tx, match.id, thinking, not_ready_ply=ply + 1)


def _stands(loaded: Loaded, state: Any, seat: str) -> bool:
    game = loaded.game
    sheet = game.orders.parse(number_lines(loaded.sheets[seat].lines))
    view = game.sight.observe(state, Seat(seat))
    return not sheet.problems and not game.orders.check(view, sheet)


def _close_sheets(tx: Tx, loaded: Loaded, ordering: Collection[str]) -> None:
    match, ply = loaded.match, loaded.match.ply + 1
    if ordering:
        submissions.close(tx, match.id, ply, ordering, "used")
        matches.update_seats(tx, match.id, _own_orders(loaded, ordering), ordered_ply=ply)
    if unused := loaded.sheets.keys() - set(ordering):
        submissions.close(tx, match.id, ply, unused, "unused")
    # An offer stands until the other seat's next order is adjudicated.
    standing = [d for d in loaded.declarations if d.status == "standing"]
    lapsed = [d.id for d in standing if any(seat != d.seat for seat in ordering)]
    rulings.settle(tx, lapsed, "lapsed", ply=ply)


def _end_announced_forfeits(tx: Tx, loaded: Loaded, state: Any, ordering: Collection[str]) -> None:
    """End those of all seats if the match is over, else those of seats that left or ordered."""
    ended = {*loaded.game.rules.gone(state), *_own_orders(loaded, ordering)}
    if loaded.game.rules.outcome(state) is not None:
        ended = {*loaded.seats}
    seats = [seat for seat, holder in loaded.holders.items() if seat in ended and holder.forfeit_at]
    if seats:
        matches.update_seats(tx, loaded.match.id, seats, forfeit_at=None, forfeit_ply=None)


def _own_orders(loaded: Loaded, ordering: Collection[str]) -> list[str]:
    """Return the seats that ordered themselves.

    A silent seat is told of all that it has missed (interface, section 3).
    """
    return [seat for seat in ordering if loaded.sheets[seat].channel != submissions.DEFAULT]


def _write(
    tx: Tx, loaded: Loaded, made: PlyMade, linked: tuple[str, str], times: Mapping[str, Any]
) -> None:
    """Write the ply, and the match as it is after it, but for when it is due next. `times` are
    columns of the match that change with it."""
    game, match, over = loaded.game, loaded.match, made.ends(loaded.game)
    line, head = linked
    ply = Ply(
        ply=match.ply + 1,
        turn=game.rules.turn(made.state),
        cause=made.cause,
        adjudicated_at=made.at,
        snapshot=encode(made.state).decode(),
        line=line,
        head=head,
    )
    turns.append(tx, match.id, ply, [encode(event).decode() for event in made.events])
    matches.update(
        tx,
        match.id,
        ply=ply.ply,
        turn=ply.turn,
        status="over" if over else match.status,
        trouble=match.trouble if match.held_at and not over else None,
        logged_by=__version__,
        package=GAMES.package(match.game),
        **times,
    )


def _times(tx: Tx, loaded: Loaded, made: PlyMade) -> Mapping[str, Any]:
    """Return the columns of the match that a ply changes, with its deadline and what was told."""
    if made.ordering:
        times = _fresh_time(tx, loaded, made.state, made.at)
    else:
        times = _time_that_stays(loaded, made.state)
    return {**times, "deadline_at": None} if made.ends(loaded.game) else times


def _fresh_time(tx: Tx, loaded: Loaded, state: Any, now: datetime) -> Mapping[str, Any]:
    """Return the columns of the match with a new deadline; none while a seat is open."""
    if loaded.match.status == "open":
        return {"deadline_at": None}
    awaited = deadlines.people_of(loaded, loaded.game.rules.awaiting(state))
    pace = loaded.game.rules.pace(state)
    return {"deadline_at": deadlines.fresh(tx, loaded.match.options, awaited, now, pace)}


def _time_that_stays(loaded: Loaded, state: Any) -> Mapping[str, Any]:
    """Return the columns of the match with its old deadline; what was told of it counts for the
    next ply."""
    match, ply = loaded.match, loaded.match.ply + 1
    reminded, hurried = match.reminded_ply, match.hurried_ply
    if reminded == ply and set(loaded.awaited).issuperset(loaded.game.rules.awaiting(state)):
        reminded = ply + 1  # one reminder is enough: orders and deadline are the same
    if hurried == ply:
        hurried = ply + 1
    return {"reminded_ply": reminded, "hurried_ply": hurried}


def _commit_to_secrets(tx: Tx, after: Loaded, context: Context) -> Sequence[Commitment]:
    """Commit to what the ply has made a secret; return all to which the match has committed."""
    match, proof = after.match, after.game.proof
    before = turns.commitments(tx, match.id)
    known = {entry.seat for entry in before}
    made = [
        Commitment(what=proof.what, seat=seat, ply=match.ply, text=text, salt=context.committer())
        for seat, text in proof.secrets(after.state).items()
        if seat not in known
    ]
    turns.commit_to(tx, match.id, made)
    return [*before, *made]


def publish(
    s: Session, at: ReportContext, ahead: Collection[str] = (), *, everyone: bool = False
) -> None:
    """Write the reports of the match's last ply and queue the emails that carry them.

    `ahead` are the seats of which it adjudicated orders that they had sent in advance. With
    `everyone` each seat is sent its report.
    """
    loaded, match = at.loaded, at.loaded.match
    reports, asides = [], {}
    for seat in loaded.seats:
        told = building.report(at, seat)
        reports.append(
            StoredReport(
                ply=match.ply,
                seat=seat,
                turn=match.turn,
                tenure=loaded.holders[seat].tenure,
                body=building.write(loaded.game, building.part_to_keep(at, told)),
            )
        )
        if once := building.news_to_forget(at, told):
            asides[seat] = once
    turns.put_reports(s.tx, match.id, reports)
    queue.queue_reports(s, loaded, at.since, ahead, everyone=everyone)
    queue.queue_asides(s, loaded, asides)


# Note what befell a match, by the game master or by its calendar, and tell all who play.


def log_for_all(
    tx: Tx, loaded: Loaded, action: str, made_of: Sequence[Act], reason: str, now: datetime
) -> Sequence[Act]:
    """Note a ruling that ends a ply: its reports tell of it. The deadline that it tells is the one
    in force from then on. Return what it tells first: that the clock was set back, if it was."""
    refuse_unopened(loaded)
    refuse_names(tx, loaded, reason)
    made = rulings_since(tx, loaded.match, loaded.match.ply)
    set_back = () if clock_changes(made_of) else clock_set_back(loaded, made, now)
    made_of = [*set_back, *made_of]
    due_at = effect_of(made_of).due
    if isinstance(due_at, UnsetType):
        due_at = matches.deadline(tx, loaded.match.id)  # the match may have been loaded before it
    else:
        matches.update(tx, loaded.match.id, deadline_at=due_at)
    ruling = rulings.of_acts(
        made_of, ply=loaded.match.ply, at=now, action=action, reason=reason, due_at=due_at
    )
    rulings.insert(tx, loaded.match.id, ruling)
    return set_back


def clock_set_back(loaded: Loaded, made: Iterable[Ruling], now: datetime) -> Sequence[ClockSetBack]:
    """Return that the clock was set back, if the last of what was logged of a match, the rulings
    `made` included, is later than now and this was not told yet. The clocks of programs that run at
    once may differ a little."""
    last = loaded.since
    for one in made:
        if one.ply == loaded.match.ply and one.action != rulings.LOOK:
            last = one.at if clock_changes(one.all_acts) else max(last, one.at)
    if last - now <= SLACK:
        return ()
    return [ClockSetBack(last.replace(microsecond=0), now.replace(microsecond=0))]


def tell_all(
    s: Session,
    loaded: Loaded,
    action: str,
    made_of: Sequence[Act],
    reason: str = "",
    *,
    logged: Sequence[Act] = (),
    besides: Collection[str] = (),
    subject: Message | None = None,
) -> None:
    """Note a ruling and tell every player by email, but the seats that are told otherwise; the
    next reports tell of it, too. The email has that subject, or the one of its kind of ruling.
    What is `logged` is said without the names that are told."""
    set_back = log_for_all(s.tx, loaded, action, logged or made_of, reason, s.now)
    made_of = [*set_back, *made_of]
    subject = subject or subjects.ruling(loaded.match.name, action)
    body: dict[str, Any] = {
        "told": message_for_acts(made_of),
        "reason": reason,
        "at": rfc3339(s.now),
        "subject": subject,
    }
    if loaded.match.label != chain.SENTENCES:  # whose log has no numbers
        body["number"] = rulings.newest_number(s.tx, loaded.match.id)
    if any(act.at_once for act in made_of):
        body["at_once"] = True
    seats = [seat for seat in loaded.seats if seat not in besides]
    queue.queue_notices(s, loaded, seats, body)
    reload_and_reschedule(s.tx, loaded, s.now)
