"""Check the public number that decided in a match with its seed (`core/public_chance.py`), and the
seats that were drawn by lot.

All of it can be recomputed: the round from the time at which the last seat was taken, the signature
from the key of the network, the seed of the match from both. What no file can show is when a player
got the proof of the seed; his emails say it, and the newest `Received` line of each was written by
his own server.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import pairwise

from adjudicator.core import chain, public_chance
from adjudicator.core.beacon import NoLibrary
from adjudicator.core.message import Message, say, sentences
from adjudicator.core.seat_lots import draw
from adjudicator.games import GAMES
from adjudicator.service.audit.claims import of_letter
from adjudicator.service.audit.log import ParsedLog, ReplayedMatch, number_of
from adjudicator.service.audit.papers import (
    Document,
    NumberTold,
    by_key,
    disagreements,
    of_paper,
    values_to_seats,
    within,
)
from adjudicator.service.audit.verdicts import (
    AuditFinding,
    asks,
    by_rule,
    contradicts,
    leaves_open,
    remark,
)
from adjudicator.service.base.lots_of_match import (
    message_for_number,
    message_for_seat,
    message_for_taking,
)
from adjudicator.service.emails.value import EmailValue


@by_rule("chance")
def compare(
    match: str, papers: Sequence[Document], log: ParsedLog | None
) -> Iterator[AuditFinding]:
    """Say what the papers of a match show of its public number; nothing if it takes none."""
    told = [(paper, paper.number) for paper in papers if paper.number is not None]
    for paper, number in told:
        yield from _alone(match, paper, number)
    if log is None:
        yield from _values(papers, told)
        return
    opening = log.opening
    option = opening.options.get("chance", public_chance.SEED)
    found = opening.chance
    if isinstance(found, str):
        if option != public_chance.SEED or told:
            what = say("by the log only its seed decided, and not a public number")
            yield contradicts(of_paper(log.paper, what))
        return
    yield from _opened(log, opening, found)
    yield from _in_time(papers, told, log, found)


@by_rule("chance")
def several(papers: Sequence[Document], log: ParsedLog | None) -> Iterator[AuditFinding]:
    """Compare what papers name, those of before a restore included: when the last seat was taken,
    which number decides, and its value. After a restore they may be others, and only then."""
    told = [
        (paper, paper.number)
        for paper in papers
        if paper.number is not None and not _is_too_early(paper.number)
    ]
    full = [(paper, number.full) for paper, number in told]
    which = [(paper, number.which) for paper, number in told]
    values = [(paper, value) for paper in papers for value in paper.values]
    if log is not None and (found := number_of(log.opening)) is not None:
        full.append((log.paper, found.full))
        which.append((log.paper, found.which))
        values.append((log.paper, found.value))
    later = _later_epochs(papers)
    for title, named in (
        (say("when the last seat was taken"), full),
        (say("which public number decides"), which),
        (say("the public number"), values),
    ):
        epochs = by_key(
            (paper.epoch if paper.epoch in later else "", (paper, text)) for paper, text in named
        )
        for those in epochs.values():
            yield from map(contradicts, disagreements((title, one, paper) for paper, one in those))
        if named is not full:
            yield from _renumbered([those[0] for those in epochs.values()])


def _renumbered(firsts: Sequence[tuple[Document, str]]) -> Iterator[AuditFinding]:
    """Ask about the first two numbers of which each is that of another epoch."""
    for (first, before), (paper, text) in pairwise(firsts):
        if text != before:
            yield asks(
                "{paper} names the public number {before}, and after a restore {other} names "
                "{after}: ask the other players whether the club had to be restored",
                paper=first.name,
                before=before,
                other=paper.name,
                after=text,
            )
            return


def _later_epochs(papers: Sequence[Document]) -> set[str]:
    """Return the epochs that began with a restore: emails of the first one have none in their
    Message-IDs."""
    ids = (paper.heads.message_id for paper in papers if paper.heads is not None)
    named = {found[1] for one in ids if (found := of_letter(one)) is not None}
    told = {one.begun for paper in papers for one in paper.restores}
    return (named | told) - {""}


def _alone(match: str, paper: Document, told: NumberTold) -> Iterator[AuditFinding]:
    """Check what one email says by itself."""
    number = public_chance.round_of(told.which)
    possible = public_chance.possible_rounds(_seconds(told.full))
    if number is not None and number not in possible:
        what = say("another round follows from the time of the last seat")
        yield contradicts(of_paper(paper, what))
    if told.seed and not _commits(match, told):
        yield contradicts(of_paper(paper, say("the seed does not match its proof")))


def _commits(match: str, told: NumberTold) -> bool:
    labels = {game.proof.label for game in GAMES.values()}
    sealed = (f"{label}|{match}|".encode() + bytes.fromhex(told.seed) for label in labels)
    return any(sha256(one).hexdigest() == told.commitment for one in sealed)


def _seconds(at: str) -> int:
    return int(datetime.fromisoformat(at).timestamp())


# While the log is not opened: the values that reports tell.


def _values(
    papers: Sequence[Document], told: Sequence[tuple[Document, NumberTold]]
) -> Iterator[AuditFinding]:
    which = {number.which for _, number in told if not _is_too_early(number)}
    for paper in papers:
        for value in paper.values:
            if not which:
                yield leaves_open(_no_email())
                return
            for number in which:
                short = value.replace(" ", "") if public_chance.round_of(number) else value
                yield from _true(paper, number, short)


def _is_too_early(told: NumberTold | chain.PublicChance) -> bool:
    return public_chance.is_too_early(told.which, datetime.fromisoformat(told.full))


def _true(paper: Document, which: str, value: str) -> Iterator[AuditFinding]:
    try:
        fault = public_chance.fault(which, value)
    except NoLibrary:
        yield leaves_open(message_for_source(which, value))
        return
    if fault is not None:
        yield contradicts(of_paper(paper, fault))
    elif public_chance.round_of(which) is None:
        yield remark(message_for_source(which, value))


def message_for_source(which: str, value: str) -> Message:
    return say("compare this number with its source: {which}: {value}", which=which, value=value)


def _no_email() -> Message:
    return say(
        "the email that names the public number before it was known is not here, so when the "
        "proof of the seed reached you cannot be seen"
    )


def _missing_email(papers: Sequence[Document], log: ParsedLog) -> AuditFinding:
    """Ask for the email that names the number; but who took a seat over later never got it, and
    files have no emails."""
    if _took_over(papers, log) or not any(paper.is_email for paper in papers):
        return leaves_open(_no_email())
    return asks(
        "the email that names the public number before it was known is not here: did you get "
        "one, before your first report?"
    )


def _took_over(papers: Sequence[Document], log: ParsedLog) -> bool:
    """Return whether the reader took a seat over: while the match was played, as its log tells, or
    while it waited for its number, which only the reports to that holder tell."""
    mine = {seat for paper in papers for seat in paper.seats}
    taken_over = {change.seat for entry in log.entries for change in entry.holders}
    numbers = [paper.tenure or 1 for paper in papers if paper.report]
    # Whoever drew another seat than that of his number is a new holder of it.
    first = 2 if log.opening.lots else 1
    return bool(mine & taken_over) or min(numbers, default=first) > first


# Once the log is opened.


def _opened(
    log: ParsedLog, opening: chain.Opening, found: chain.PublicChance
) -> Iterator[AuditFinding]:
    """Check the number of the log by itself."""
    option = opening.options.get("chance", public_chance.SEED)
    if (
        option == public_chance.SEED
        or public_chance.which(opening.options, _seconds(found.full)) != found.which
    ):
        yield contradicts(of_paper(log.paper, say("another public number was agreed")))
        return
    due = public_chance.publication_time(found.which)
    if due is None or _is_too_early(found):
        told = say("the public number was known less than a day after the last seat was taken")
        yield contradicts(of_paper(log.paper, told))
    elif option != public_chance.DRAND and datetime.fromisoformat(opening.at) < due:
        yield contradicts(
            of_paper(log.paper, say("the numbers were entered before they were drawn"))
        )
    yield from _true(log.paper, found.which, found.value)


def _in_time(
    papers: Sequence[Document],
    told: Sequence[tuple[Document, NumberTold]],
    log: ParsedLog,
    found: chain.PublicChance,
) -> Iterator[AuditFinding]:
    """Say whether the proof of the seed reached the player before the number was known."""
    due = public_chance.publication_time(found.which)
    emails = [paper for paper, one in told if one.which == found.which]
    if not emails or due is None:
        yield _missing_email(papers, log)
        return
    # The reader's own server is believed before the club, and the earliest email counts.
    heads = [(paper.name, paper.heads) for paper in emails if paper.heads is not None]
    by_server = sorted((one.came, name, one.dated) for name, one in heads if one.came)
    by_club = sorted((one.dated, name, one.dated) for name, one in heads if one.dated)
    if not by_server and not by_club:
        yield leaves_open(
            "when the proof of the seed reached you: only an email as your mail program has "
            "it shows that"
        )
        return
    waited = any(one.kind == "daily" for _, one in heads)  # as until 0.2.28
    at, name, dated = (by_server or by_club)[0]
    times = _times(name, dated, at if by_server else "", due)
    if datetime.fromisoformat(at) < due:
        yield remark("the proof of the seed came before its number was known: {times}", times=times)
    elif not by_server and (waited or _took_over(papers, log)):
        yield leaves_open(_no_email())  # until 0.2.28 it waited for the daily email
    else:
        yield asks(
            "the proof of the seed came when its number was known: {times}. Was a server out "
            "of order until then?",
            times=times,
        )


def _times(name: str, dated: str, came: str, due: datetime) -> Message:
    """Say when an email was written and came, and when the number was known."""
    times = {"paper": name, "dated": dated or "-", "due": due.isoformat()}
    if came:
        return say(
            "{paper} was written at {dated} (its Date, by the club) and came at {came} (its newest "
            "Received line, by your own server); the number was known at {due}",
            **times,
            came=came,
        )
    return say(
        "{paper} was written at {dated} (its Date, by the club; no Received line is there); the "
        "number was known at {due}",
        **times,
    )


# Seats that were drawn by lot (`core/seat_lots.py`): what the first line of the log has of them
# follows from the seed, and the numbers that emails told are there.
#
# Before a draw a player is told his number, and after it that of his seat: they must be the same.
# The answer to the last ACCEPT names its match; those before it do not, so nobody can compare them.

_NUMBER, _OF_PLAYER = message_for_seat(0).text, message_for_number(0).text
_TAKES = message_for_taking("").text
_NEVER = "~"  # it is later than any time


def of_seat_drawn(papers: Sequence[Document], log: ParsedLog) -> Sequence[Document]:
    """Return the papers of the seat that a player has drawn. Where a public number decided, what
    came before went to the seat of his number, which may be another's now."""
    if not log.opening.lots or number_of(log.opening) is None:
        return papers
    drawn_at, found = datetime.fromisoformat(log.opening.at), []
    for paper in papers:
        made = paper.made[1] if paper.made else paper.heads.dated if paper.heads else ""
        is_before = bool(made) and datetime.fromisoformat(made) < drawn_at
        if paper.head or paper.report or not is_before:
            found.append(paper)
    return found


@by_rule("chance")
def compare_lots(papers: Sequence[Document], played: ReplayedMatch) -> Iterator[AuditFinding]:
    """Yield what the seats contradict."""
    lots, seats = played.log.opening.lots, [one.seat for one in played.log.opening.holders]
    right = draw(played.chance(played.last).seed, seats)
    if lots and lots != right:
        told = say(
            "the seats went to the numbers {seen}, and by the draw they must go to {right}",
            seen=" ".join(f"{one.seat}={one.number}" for one in lots),
            right=" ".join(f"{one.seat}={one.number}" for one in right),
        )
        yield contradicts(of_paper(played.log.paper, told))
    number = {one.seat: one.number for one in lots}
    for paper, told_by in values_to_seats(papers):
        every = (one for message in told_by.beside.told for one in sentences(message))
        said = (one.values["n"] for one in every if one.text == _NUMBER)
        is_its = told_by.to.match == paper.match
        if is_its and any(n != number.get(str(told_by.to.seat)) for n in said):
            other = say("it tells another number in the draw than the log has")
            yield contradicts(of_paper(paper, other))


@by_rule("chance")
def compare_numbers(
    match: str, papers: Sequence[Document], of_club: Sequence[Document], log: ParsedLog
) -> Iterator[AuditFinding]:
    """Yield that a player was told other numbers before the draw than his seats were drawn for.
    Who had left and takes a seat over has none of its number; and in another epoch of the club
    players may have accepted in another order."""
    number = {one.seat: one.number for one in log.opening.lots}
    changes = [one for entry in log.entries for one in entry.holders]
    changed = {one.seat: one.at for one in reversed(changes)}
    told: dict[str, dict[int, Document]] = {}
    drawn: dict[str, set[int]] = {}
    personal = [one for one in of_club if one.is_personal]
    for paper, value in values_to_seats([*papers, *personal]):
        to = value.to
        for n in _told_before(value, match, is_personal=paper.is_personal):
            told.setdefault(to.epoch, {}).setdefault(n, paper)
        is_first = value.at < changed.get(to.seat, _NEVER)
        if value.report is not None and to.match == match and is_first and to.seat in number:
            drawn.setdefault(to.epoch, set()).add(number[to.seat])
    for epoch, seen in drawn.items():
        before = told.get(epoch, {})
        if before and seen.isdisjoint(before):
            n, paper = next(iter(before.items()))
            other = say(
                "it says that your number in the draw is {seen}, and your seat was drawn for "
                "number {right}",
                seen=n,
                right=min(seen),
            )
            yield contradicts(of_paper(paper, other))


def _told_before(value: EmailValue, match: str, *, is_personal: bool) -> Iterator[int]:
    """Yield the numbers that an email tells a player before the draw of a match."""
    for message in within(value, Message):
        said = {one.text: one.values for one in sentences(message)}
        names = said.get(_TAKES, {}).get("match") if is_personal else value.to.match
        n = said.get(_OF_PLAYER, {}).get("n")
        if names == match and isinstance(n, int):
            yield n
