"""Verify that a match is what its log says: fold the events, compare, check the commitments and the
log's chain.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.json import decode, encode
from msgspec.structs import replace

from adjudicator.core import chain, public_chance
from adjudicator.core.beacon import NoLibrary
from adjudicator.core.chain import OLDER, Departure, PlyText
from adjudicator.core.dice import digest, seal
from adjudicator.core.game import fold
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.result import MatchResult, read
from adjudicator.games import GAMES
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.deadlines import balances, reserves_after
from adjudicator.service.base.loaded_match import Loaded, Unreadable, load, rulings_since
from adjudicator.service.base.options import options_after
from adjudicator.service.base.public_number import chance_option, which_number
from adjudicator.service.matches import append_ply, results
from adjudicator.service.reports.standing import read_log
from adjudicator.store import matches, rulings, submissions, turns
from adjudicator.store.database import Store, StoreTrouble, Tx
from adjudicator.store.matches import Match
from adjudicator.store.turns import Ply


def verify(store: Store, name: str) -> list[Message]:
    """Return everything that is wrong with a match; empty if all is well. Raises Refusal if it is
    too old to be checked."""
    wrong: list[Message] = []
    with store.reading() as tx:
        try:
            loaded = load(tx, name)
            if not loaded.is_opened:
                return list(_check_unopened(tx, loaded.match))
            if loaded.match.label not in chain.LABELS:
                raise Refusal(OLDER)
            for check in (
                _opening,
                _number,
                _plies,
                _ending,
                _gaps,
                _commitments,
                _digests,
                _chance,
                _heads,
                _options,
                _lines,
                _reserves,
            ):
                wrong += check(tx, loaded)
            wrong += _other_packages(tx, loaded) if wrong else ()
        except Unreadable as unread:
            wrong.append(_message_of_unread(unread))
        except (Refusal, StoreTrouble):
            raise
        except Exception as fault:  # rows in a state that no code of ours leaves them in
            wrong.append(say("it can no longer be read ({kind})", kind=type(fault).__name__))
    return wrong


def _other_packages(tx: Tx, loaded: Loaded) -> Iterator[Message]:
    """Say with which other versions of its game a match was played, for that may be the reason."""
    here = GAMES.package(loaded.match.game)
    named = append_ply.packages_in(turns.lines(tx, loaded.match.id))
    if others := [package for package in named if package != here]:
        yield say(
            "it was played with {others}, and {here} is installed, which may be the reason: verify "
            "it with {others}, too",
            others=", ".join(others),
            here=here or say("this version"),
        )


def _check_unopened(tx: Tx, match: Match) -> Iterator[Message]:
    """Check that a match without a position has nothing of one, nor the number that opens it."""
    if turns.plies(tx, match.id) or any(True for _ in turns.reports(tx, match.id)):
        yield say("it has not opened, and has plies")
    is_full = match.full_at is not None
    if match.public_value or (
        match.status in ("open", "waiting") and is_full != (match.status == "waiting")
    ):
        yield say("it has not opened, and its rows do not agree with that")


def _number(tx: Tx, loaded: Loaded) -> Iterator[Message]:
    """Check that the public number is one that the match could take."""
    match = loaded.match
    if not match.public_value:
        if chance_option(match) != public_chance.SEED:
            yield say("it has opened without its public number")
        return
    try:
        wrong = public_chance.fault(which_number(match), match.public_value)
    except NoLibrary:
        return  # the doctor says so; nothing else is less checked without it
    if wrong is not None:
        yield wrong


def _message_of_unread(unread: Unreadable) -> Message:
    if unread.match.game not in GAMES:
        return say("it cannot be read: {why}", why=unread.why)
    return say("it can no longer be read ({kind})", kind=type(unread.__cause__).__name__)


def names(store: Store) -> list[str]:
    """Return the matches that can be checked."""
    with store.reading() as tx:
        older = matches.older(tx)
        return [name for name in matches.names(tx) if name not in older]


def older(store: Store) -> list[str]:
    """Return the matches that began before 0.2.22, and cannot be checked any more."""
    with store.reading() as tx:
        return matches.older(tx)


def _opening(tx: Tx, loaded: Loaded) -> Iterator[Message]:
    """Check that the opening position follows from the seed."""
    stored = decode(turns.one(tx, loaded.match.id, 0).snapshot, type=loaded.game.rules.state)
    if loaded.game.rules.set_up(loaded.setting, loaded.chance) != stored:
        yield say("the opening position does not follow from the seed")


def _plies(tx: Tx, loaded: Loaded) -> Iterator[Message]:
    """Check that the fold of the events is every snapshot, and the last one the match's present
    state."""
    game = loaded.game
    events: dict[int, list[Any]] = {}
    for ply, event in read_log(tx, loaded.match, game):
        events.setdefault(ply, []).append(event)
    plies = turns.plies(tx, loaded.match.id)
    state = decode(plies[0].snapshot, type=game.rules.state)
    for expected, entry in enumerate(plies):
        if entry.ply != expected:
            yield say("ply {ply} is missing", ply=expected)
            return
        state = fold(game, state, events.pop(entry.ply, []))
        if encode(state) != encode(decode(entry.snapshot, type=game.rules.state)):
            yield say("the snapshot of ply {ply} does not match its events", ply=entry.ply)
            return
    if events:
        yield say("there are events of plies that do not exist")
    if plies[-1].ply != loaded.match.ply or game.rules.turn(state) != loaded.match.turn:
        yield say("the match is not where its log ends")
    if (game.rules.outcome(state) is not None) != (loaded.match.status == "over"):
        yield say("the match's status is not what its log says")


def _ending(tx: Tx, loaded: Loaded) -> Iterator[Message]:
    """Check that the row of an ended match says how it ended.

    Whether emails came back, and who slept, is in rows that change afterwards.
    """
    kept = loaded.match.result
    if kept is None or loaded.game.rules.outcome(loaded.state) is None:
        return
    try:
        same = _lasting(read(kept)) == _lasting(results.result_of_loaded_match(tx, loaded))
    except ValueError:
        same = False
    if not same or loaded.match.ended_at != loaded.since:
        yield say("what is stored of the match's end is not what its log says")


def _lasting(result: MatchResult) -> MatchResult:
    left = tuple(replace(one, bounced=False) for one in result.departures)
    return replace(result, departures=left, dormant=())


def _gaps(tx: Tx, loaded: Loaded) -> Iterator[Message]:
    """Check that no event was taken out of the log; not every event leaves a trace in the
    position."""
    for ply in turns.plies_with_gaps(tx, loaded.match.id):
        yield say("an event of ply {ply} is missing", ply=ply)


def _digests(tx: Tx, loaded: Loaded) -> Iterator[Message]:
    """Check that every report has the right digests of what was committed to.

    So what is opened at the end hashes to what the players have read.
    """
    true: dict[tuple[str, str | None], str] = {("seed", None): loaded.chance.commitment}
    for entry in turns.commitments(tx, loaded.match.id):
        sealed = seal(loaded.match.name, entry.what, entry.seat, entry.text, entry.salt)
        true[entry.what, entry.seat] = digest(sealed)
    for stored in turns.reports(tx, loaded.match.id):
        told = {(one["what"], one["seat"]): one for one in decode(stored.body)["commitments"]}
        if any(told[key]["digest"] != true[key] for key in told.keys() & true.keys()):
            yield say(
                "the report of ply {ply} to {seat} shows another proof",
                ply=stored.ply,
                seat=stored.seat,
            )


def _commitments(tx: Tx, loaded: Loaded) -> Iterator[Message]:
    """Check that what was committed to is what was played."""
    secrets = loaded.game.proof.secrets(loaded.state)
    stored = {entry.seat: entry.text for entry in turns.commitments(tx, loaded.match.id)}
    if dict(secrets) != stored:
        yield say("the proofs do not match what was played")


def _heads(tx: Tx, loaded: Loaded) -> Iterator[Message]:
    """Check that each head follows from the lines, and that the reports have told it."""
    match, plies = loaded.match, turns.plies(tx, loaded.match.id)
    told = {one.ply: one.head for one in plies}
    if match.log_key is None:
        yield say("the log has fingerprints, but no key")
        return
    texts = [one.line or "" for one in plies]
    for entry, head in zip(plies, chain.heads(match.name, match.log_key, texts), strict=True):
        if entry.head != head:
            yield say("the log fingerprint of ply {ply} does not match the log", ply=entry.ply)
            return
    state = decode(plies[0].snapshot, type=loaded.game.rules.state)
    opening, _ = append_ply.opening_line(replace(loaded, position=state), None)
    if _agreed(texts[0]) != _agreed(opening):
        yield say("the first line of the log does not match the proofs")
    for stored in turns.reports(tx, match.id):
        log = decode(stored.body).get("log")
        if log is None or log["head"] != told.get(stored.ply):
            yield say(
                "the report of ply {ply} to {seat} shows another log fingerprint",
                ply=stored.ply,
                seat=stored.seat,
            )


def _agreed(first: str) -> object:
    """Return what the first line of a log says, without what only that day could tell: the
    versions, settings of the club, the first deadline, the options before any was changed, and who
    held a seat before somebody took it over."""
    opened = chain.read_opening(first)
    seats = [one.seat for one in opened.holders]
    of_that_day = {"version": "", "package": "", "due": "", "max_gap": None}
    return replace(opened, **of_that_day, options={}, holders=()), seats


def _options(tx: Tx, loaded: Loaded) -> Iterator[Message]:
    """Check that the options in force are those of the first line, as rulings have changed them."""
    first, *_ = turns.lines(tx, loaded.match.id)
    made = rulings_since(tx, loaded.match, 0)
    told = (act for one in made for act in one.all_acts)
    if options_after(chain.read_opening(first or "").options, told) != loaded.match.options:
        yield say("the options are not those that all players know")


def _lines(tx: Tx, loaded: Loaded) -> Iterator[Message]:
    """Check that each line of the chain says what was ordered, what happened and what was ruled.

    Nothing else keeps what a deadline or a version was, so these are taken from the line.
    """
    match, plies = loaded.match, turns.plies(tx, loaded.match.id)
    sheets = submissions.all_used(tx, match.id)
    made = rulings_since(tx, match, 0)
    events: dict[int, list[Any]] = {}
    for ply, event in read_log(tx, match, loaded.game):
        events.setdefault(ply, []).append(event)
    said, changes = (
        rulings.words_since(tx, match.id, 0),
        rulings.holder_changes_since(tx, match.id, 0),
    )
    added: list[Any] = events.get(0, [])
    for entry in plies[1:]:
        happened = events.get(entry.ply, [])
        known = happened[: len(happened) - entry.added]
        mine = sheets.get(entry.ply, {})
        told = chain.read(entry.line or "", match.label)
        listed = append_ply.ruling_in_log(loaded.game, known, entry.cause, told.events)
        line = PlyText(
            ply=entry.ply,
            turn=plies[entry.ply - 1].turn,
            at=rfc3339(entry.adjudicated_at),
            cause=entry.cause,
            orders=tuple(
                append_ply.sheets_in_log(mine[seat]) for seat in loaded.seats if seat in mine
            ),
            events=append_ply.pack_events(listed, mine),
            between=append_ply.pack_events(added, {}),
            rulings=append_ply.rulings_during(made, entry.ply - 1),
            leave=_departure(loaded, plies[entry.ply - 1], told, known),
            said=append_ply.said_in_log(one for one in said if one.ply == entry.ply - 1),
            holders=append_ply.holders_in_log(one for one in changes if one.ply == entry.ply - 1),
            due=told.due,
            version=told.version,
            package=told.package,
            bank=told.bank,
        )
        added = happened[len(known) :]
        strange = len(chain.lean(added, loaded.game.proof.repeated)) < len(added)
        if strange or entry.line != chain.write(line, match.label):
            yield say("line {ply} of the log does not match what happened", ply=entry.ply)


def _reserves(tx: Tx, loaded: Loaded) -> Iterator[Message]:
    """Check that the reserves are those of the log, as new holders have raised them since."""
    match, texts = loaded.match, turns.lines(tx, loaded.match.id)
    held = balances(loaded)
    if held is None:
        return
    opening, *entries = texts
    made = rulings_since(tx, match, 0)
    changes = rulings.holder_changes_since(tx, match.id, match.ply)
    coming = PlyText(
        ply=match.ply + 1,
        turn=0,
        at="",
        cause="",
        holders=append_ply.holders_in_log(changes),
        rulings=append_ply.rulings_during(made, match.ply),
    )
    told = [*(chain.read(text or "", match.label) for text in entries), coming]
    if held != reserves_after(chain.read_opening(opening or ""), told, list(held)):
        yield say("the reserves of time are not those of the log")


def _departure(
    loaded: Loaded, before: Ply, told: PlyText, events: Sequence[Any]
) -> Departure | None:
    """Return the seats that a line says a ply ended, if the rules then give its events."""
    if told.leave is None:
        return None
    rules = loaded.game.rules
    state = decode(before.snapshot, type=rules.state)
    given = rules.leave(state, [Seat(seat) for seat in told.leave.seats], told.leave.reason)
    return told.leave if list(given) == list(events) else None


def _chance(tx: Tx, loaded: Loaded) -> Iterable[Message]:
    """Check that all chance follows from the seed and the players' phrases."""
    events = [event for _, event in read_log(tx, loaded.match, loaded.game)]
    return loaded.game.proof.audit(loaded.state, events, loaded.chance)
