"""Change options of a match that is played, and tell all players of it."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.json import encode

from adjudicator.core.acts import (
    Act,
    DeadlineEnded,
    DeadlineKept,
    DeadlineMoved,
    OptionChanged,
    PressEnded,
    message_for_acts,
)
from adjudicator.core.message import Message, listed, say
from adjudicator.mail.write import subjects
from adjudicator.service.base import deadlines
from adjudicator.service.base.bank import A_SECOND
from adjudicator.service.base.calendar import Never, in_zone, parse_deadline
from adjudicator.service.base.context import OpenClub, Refusal, Session
from adjudicator.service.base.loaded_match import Loaded, Seated, load_going
from adjudicator.service.base.options import (
    DEFAULTS,
    UNCHOSEN,
    changes_of,
    check_together,
    is_harsher,
    refuse_unsigned,
    terms,
)
from adjudicator.service.matches import unopened
from adjudicator.service.matches.append_ply import tell_all
from adjudicator.store import daily, matches
from adjudicator.store.database import Tx
from adjudicator.store.rulings import OPTION


class _Changes(Struct, frozen=True):
    """The new values that differ from those in force, and those in force."""

    new: Mapping[str, str]
    before: Mapping[str, str]

    @property
    def acts(self) -> list[Act]:
        return [OptionChanged(key, value, self.before[key]) for key, value in self.new.items()]

    @property
    def answer(self) -> Message:
        return listed(
            say("{key} is now {value}", key=key, value=value) for key, value in self.new.items()
        )


def change_options(
    club: OpenClub, name: str, texts: Sequence[str], *, zone: str = "UTC", reason: str
) -> Message:
    """Change options, given as `KEY=VALUE`, that do not alter the rules of the match.

    The deadline of the present turn stays, unless there was none, or there are to be none. `zone`
    is that of the game master, who reads the answer.
    """
    with club.session() as s:
        loaded = load_going(s.tx, name)
        if not loaded.is_opened:
            return _change_unopened(s, loaded, texts, reason)
        match = loaded.match
        changes = _changes(match.options, changes_of(loaded.game, texts))
        if not changes.new:
            return _nothing(match.name)
        _refuse_if_overdue(loaded, changes, club.now)
        refuse_unsigned(changes.new, sum(not one.computer for one in loaded.holders.values()))
        options = {**match.options, **changes.new}
        check_together(options)
        matches.update(s.tx, match.id, options=encode(options).decode())
        _change_banks(s.tx, loaded, options)
        if terms(options).has_reserve and not terms(match.options).has_reserve:
            # Whoever the match waited for has more time now.
            trouble = match.trouble if match.held_at else None
            matches.update(s.tx, match.id, alerted_ply=None, trouble=trouble)
        told, answer = changes.acts, changes.answer
        if "deadline" in changes.new:
            deadline = _present_deadline(s.tx, loaded, options, club.now)
            if match.status != "open":
                told.append(_of_present(deadline, match.deadline_at))
            if deadline != match.deadline_at:
                matches.update(
                    s.tx,
                    match.id,
                    deadline_at=deadline,
                    held_at=match.held_at and club.now,
                    reminded_ply=None,
                    alerted_ply=None,
                    trouble=match.trouble if match.held_at else None,
                )
            if deadline is not None:
                due = in_zone(deadline, zone)
                answer = say("{told}; this turn is due {when}", told=answer, when=due)
        daily.look_again(s.tx, match.id)
        if changes.new.get("press") == "off":
            told.append(PressEnded())
        tell_all(s, loaded, OPTION, told, reason)
        return say("{match}: {told}", match=match.name, told=answer)


def _change_unopened(s: Session, found: Loaded, texts: Sequence[str], reason: str) -> Message:
    """Change options of a match without a position. The first line of its log will have them."""
    match = found.match
    changes = _changes(match.options, changes_of(found.game, texts))
    if not changes.new:
        return _nothing(match.name)
    refuse_unsigned(changes.new, sum(not one.computer for one in found.holders.values()))
    options = {**match.options, **changes.new}
    check_together(options)
    matches.update(s.tx, match.id, options=encode(options).decode())
    _change_banks(s.tx, found, options)
    subject = subjects.ruling(match.name, OPTION)
    told = message_for_acts(changes.acts)
    unopened.tell(s, found, told, reason, subject=subject)
    return say("{match}: {told}", match=match.name, told=changes.answer)


def _change_banks(tx: Tx, found: Seated, options: Mapping[str, str]) -> None:
    """Give seats a bank as the options have it now, or take it. A seat keeps what it has, unless
    the match has not opened (club, 5.1)."""
    before, bank = terms(found.match.options).bank, terms(options).bank
    if before == bank:
        return
    change: dict[str, int | None] = {"bank": None}
    if bank is not None:
        if before is not None and found.match.is_opened:
            return
        change = {"bank": bank.start // A_SECOND, "turns": 0}
    matches.update_seats(tx, found.match.id, found.seats, **change)


def _changes(options: Mapping[str, str], wanted: Mapping[str, str]) -> _Changes:
    before = {**DEFAULTS, **UNCHOSEN, **options}
    new = {key: value for key, value in wanted.items() if value != before[key]}
    return _Changes(new, {key: before[key] for key in new})


def _nothing(match: str) -> Message:
    return say("{match}: nothing to change, its options are like that", match=match)


def _refuse_if_overdue(loaded: Loaded, changes: _Changes, now: datetime) -> None:
    """Raise Refusal if the present turn is overdue and silence would cost more from now on than
    its players were told."""
    match = loaded.match
    harsher = [
        key for key, value in changes.new.items() if is_harsher(key, value, changes.before[key])
    ]
    if harsher and match.deadline_at and match.deadline_at <= deadlines.start_of_hold(loaded, now):
        raise Refusal(
            say(
                "the deadline of {match} has passed, and {key} would cost its players more than "
                "they know; first give them time with `adjud gm extend`",
                match=match.name,
                key=harsher[0],
            )
        )


def _present_deadline(
    tx: Tx, loaded: Loaded, options: Mapping[str, str], now: datetime
) -> datetime | None:
    """Return the deadline of the present turn once the match has these options."""
    match = loaded.match
    if isinstance(parse_deadline(options["deadline"]), Never) or match.status == "open":
        return None
    if match.deadline_at is not None:
        return match.deadline_at
    people = deadlines.people_of(loaded, loaded.awaited)
    return deadlines.fresh(tx, options, people, now, loaded.game.rules.pace(loaded.state))


def _of_present(deadline: datetime | None, before: datetime | None) -> Act:
    if deadline is None:
        return DeadlineEnded()
    return DeadlineKept(deadline) if deadline == before else DeadlineMoved(deadline)
