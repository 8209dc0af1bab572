"""Enter the public number for which a tournament waits, typed or fetched as that of a match, and
draw the numbers of its entrants with it (club, 7.4).

From its start, T0, the tournament is `waiting`: its entries are what they are, all entrants know
which number decides, and nobody knows that number. It is entered once and never changed.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from adjudicator.core import public_chance
from adjudicator.core.beacon import NoLibrary
from adjudicator.core.contest_log import DecidedLine, NumberLine, StartedLine
from adjudicator.core.message import Message, say
from adjudicator.service.base.calendar import in_zone, when
from adjudicator.service.base.context import OpenClub, Progress, Refusal, Session
from adjudicator.service.base.jobs import DueItem, Tick, Told
from adjudicator.service.base.options import parse_draw
from adjudicator.service.base.public_number import number_named
from adjudicator.service.competition import entering, log
from adjudicator.service.competition.kinds.kind import Tournament
from adjudicator.service.competition.tournament import find, head_of_log, take
from adjudicator.service.matches.unopened import PATIENCE
from adjudicator.service.outbox.queue import alert
from adjudicator.store import tournaments
from adjudicator.store.database import Tx

A_DAY = timedelta(days=1)


def enter_value(club: OpenClub, name: str, value: str, *, zone: str) -> Message:
    """Enter the number that a tournament waits for; the next tick pairs. Raises Refusal."""
    with club.session() as s:
        _enter(s, name, value, zone)
        return say("{name} draws with {value}; the next tick makes its matches", name=name,
                   value=value)  # fmt: skip


def name_draw(club: OpenClub, name: str, text: str) -> Message:
    """Name another draw for a tournament that has not begun; its entrants are told. Raises
    Refusal."""
    option = parse_draw(text)
    with club.session() as s:
        row = take(s.tx, name).row
        if row.status != "open" or public_chance.draw_of(row.chance) is None:
            raise Refusal(say("{name} has no draw that can be changed", name=row.name))
        log.note(s.tx, row, DecidedLine(act="chance", ruling=option), s.now)
        tournaments.update(s.tx, row.id, chance=option)
        changed = find(s.tx, row.name)
        named = say(
            "The game master has named another draw for the tournament {name}: {draw}",
            name=row.name,
            draw=option,
        )
        about = f"draw/{changed.logged.n if changed.logged else 0}"
        entering.tell_all_entrants(s, changed, about, [named, head_of_log(changed)])
        return say("{name} uses {draw}", name=row.name, draw=option)


def _enter(s: Session, name: str, value: str, zone: str) -> None:
    row = take(s.tx, name).row
    if row.status != "waiting":
        raise Refusal(say("{name} does not wait for a public number", name=row.name))
    due = public_chance.publication_time(row.which)
    assert due is not None
    if public_chance.round_of(row.which) is None and s.now < due:
        told = say("{match}: these numbers are drawn {when}", match=row.name,
                   when=in_zone(due, zone))  # fmt: skip
        raise Refusal(told)
    try:
        fault = public_chance.fault(row.which, value)
    except NoLibrary as missing:
        raise Refusal(missing.message) from None
    if fault is not None:
        raise Refusal(fault)
    tournaments.update(s.tx, row.id, public_value=value)
    tournament = find(s.tx, row.name)
    ids = entering.number_entrants(s.tx, tournament, _ratings(s.tx, tournament))
    serials = {one.id: one.serial or 0 for one in tournament.entries}
    line = NumberLine(which=row.which, value=value, numbers=tuple(serials[one] for one in ids))
    log.note(s.tx, row, line, s.now)
    entering.let_play(s, tournament)
    known = say(
        "The public number of {name} is known: {value}. All draws come from it now.",
        name=row.name,
        value=value,
    )
    numbered = find(s.tx, row.name)
    entering.tell_all_entrants(s, numbered, "number", [known, head_of_log(numbered)])


def _ratings(tx: Tx, tournament: Tournament) -> dict[int, int]:
    """Return the ratings with which a tournament began, by the ids of its entries."""
    lines = log.lines_of(tx, tournament.row)
    (started,) = (one for one in lines if isinstance(one, StartedLine))
    rated = dict(started.ratings)
    found = ((one.id, rated.get(one.serial or 0)) for one in tournament.entries)
    return {id_: rating for id_, rating in found if rating is not None}


# Fetch the signature of a round with the command of the configuration, as for a match.


def due(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return the tournaments whose round is published, with its number."""
    found = []
    for row in tournaments.waiting_for_number(tx) if tick.context.fetcher else ():
        number, at = public_chance.round_of(row.which), public_chance.publication_time(row.which)
        if number is not None and at is not None and at <= tick.now:
            found.append(DueItem((row.name, number), row.name))
    return found


def enter(s: Session, key: tuple[str, str]) -> Told:
    """Draw with the number that was fetched."""
    name, value = key
    _enter(s, name, value, "UTC")
    return Progress(say("its public number was fetched"), name)


# Remind the operator of what a tournament waits for.


def remind(s: Session, tournament: Tournament) -> None:
    """Tell the operator once a day that the number is known and was not entered."""
    row = tournament.row
    since = reminds_at(s, row.which)
    if s.now < since:
        tournaments.update(s.tx, row.id, wake_at=since)
        return
    told = waits_for(tournament)
    entered = say(
        "{told} `adjud tournament value {name} VALUE` enters it", told=told, name=row.name
    )
    about = f"tournament/{row.id}/number/{(s.now - since) // A_DAY}"
    alert(s, entered, about, once="ever")
    tournaments.update(s.tx, row.id, wake_at=s.now + A_DAY)


def reminds_at(s: Session, which: str) -> datetime:
    """Return when the operator is first reminded of a number."""
    due = public_chance.publication_time(which)
    assert due is not None
    is_fetched = bool(s.context.fetcher) and public_chance.round_of(which) is not None
    return due + (PATIENCE if is_fetched else timedelta())


def waits_for(tournament: Tournament) -> Message:
    """Say which number a tournament waits for."""
    due = public_chance.publication_time(tournament.row.which)
    assert due is not None
    return say(
        "{name} waits for {number}, published {when}.",
        name=tournament.row.name,
        number=number_named(tournament.row.which),
        when=when(due),
    )
