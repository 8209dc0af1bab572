"""Compare all that the papers of a match promise each other.

Each check yields what does not agree, with the two papers that disagree. What is not among the
papers is missing, and that is no disagreement; what is not opened yet cannot be checked.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any

from msgspec import Struct, to_builtins

from adjudicator.core import chain
from adjudicator.core.chain import Entry
from adjudicator.core.dice import Chance
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import Message, count, say, tell
from adjudicator.core.orders import Line
from adjudicator.core.turn import fold
from adjudicator.core.visible import plain
from adjudicator.games import GAMES
from adjudicator.service.audit.papers import KEY, SEED, Paper, Promise, Told


class Audit(Struct, frozen=True):
    """Hold what was found in the papers of one match."""

    match: str
    checked: Sequence[Message]
    wrong: Sequence[Message]
    missing: Sequence[Message]
    notes: Sequence[Message]


class Log(Struct, frozen=True):
    """An opened log: the paper that opened it, its heads, and its entries from ply 1 on."""

    paper: Paper
    key: str
    lines: Sequence[str]
    heads: Sequence[str]
    entries: Sequence[Entry]


def audit(papers: Iterable[Paper]) -> list[Audit]:
    """Return what was found, match by match."""
    found: dict[str, list[Paper]] = {}
    for paper in papers:
        found.setdefault(paper.match, []).append(paper)
    return [_audit(match, found[match]) for match in sorted(found)]


def _audit(match: str, papers: Sequence[Paper]) -> Audit:
    wrong: list[Message] = []
    log, spoiled = _log(match, papers)
    wrong += spoiled
    wrong += _promises(papers)
    wrong += _heads(papers, log)
    wrong += _first_head(match, papers)
    wrong += _times(papers)
    notes, missing = list(_notes(papers, log)), list[Message]()
    told = {paper.head for paper in papers if paper.head}
    checked = [
        count("{n} paper was read", "{n} papers were read", len(papers)),
        count("{n} commitment", "{n} commitments", len(_all_promises(papers))),
        count("{n} head of the log", "{n} heads of the log", len(told)),
        count("{n} receipt", "{n} receipts", len({one for p in papers for one in p.receipts})),
    ]
    wrong += _same_receipts(papers)
    if log is not None:
        wrong += _promised(papers, log)
        wrong += _receipts(match, papers, log)
        missing += _missing(papers, log)
        replayed, faults = _replay(match, papers, log)
        wrong += faults
        checked.append(
            say("the log of {n} plies, played again by the rules", n=len(log.entries))
            if replayed
            else say("the log of {n} plies", n=len(log.entries))
        )
    once = {tell(message): message for message in wrong}
    return Audit(match, checked, list(once.values()), missing, notes)


def _differ(what: Message | str, one: Paper, other: Paper) -> Message:
    return say("{what}: {one} and {other} do not agree", what=what, one=one.name, other=other.name)


def _all_promises(papers: Sequence[Paper]) -> Mapping[str, tuple[Paper, Promise]]:
    first: dict[str, tuple[Paper, Promise]] = {}
    for paper in papers:
        for promise in paper.promises:
            first.setdefault(promise.title, (paper, promise))
    return first


def _promises(papers: Sequence[Paper]) -> Iterator[Message]:
    """Compare each commitment with the same of other papers, and with what was opened for it."""
    first = _all_promises(papers)
    for paper in papers:
        for promise in paper.promises:
            told_by, told = first[promise.title]
            if told.digest != promise.digest:
                yield _differ(promise.title, told_by, paper)
            opened = promise.opened
            if opened is not None and sha256(opened).hexdigest() != told.digest:
                what = say("{title}: what was opened has another digest", title=promise.title)
                yield _differ(what, told_by, paper)


def _log(match: str, papers: Sequence[Paper]) -> tuple[Log | None, list[Message]]:
    """Return the opened log, if there is one that can be read."""
    opened = [(paper, paper.log) for paper in papers if paper.log is not None]
    if not opened:
        return None, []
    paper, first = opened[0]
    wrong = [_differ(say("the opened log"), paper, other) for other, log in opened if log != first]
    try:
        entries = [chain.read(line) for line in first.lines[1:]]
    except ValueError:
        return None, [*wrong, say("{paper}: the opened log cannot be read", paper=paper.name)]
    if [one.ply for one in entries] != list(range(1, len(entries) + 1)):
        wrong.append(say("{paper}: a ply is missing in the opened log", paper=paper.name))
    heads = list(chain.heads(match, bytes.fromhex(first.key), first.lines))
    return Log(paper, first.key, first.lines, heads, entries), wrong


def _heads(papers: Sequence[Paper], log: Log | None) -> Iterator[Message]:
    """Compare the heads of the same ply, and all of them with the opened log."""
    first: dict[int, tuple[Paper, str]] = {}
    for paper in papers:
        if paper.head is None:
            continue
        ply, head = paper.head
        told_by, told = first.setdefault(ply, (paper, head))
        if told != head:
            yield _differ(say("the head of the log, ply {ply}", ply=ply), told_by, paper)
    if log is None:
        return
    for ply in sorted(first):
        paper, head = first[ply]
        if ply >= len(log.heads) or log.heads[ply] != head:
            what = say("the log up to ply {ply} is not the one whose head was told", ply=ply)
            yield _differ(what, paper, log.paper)
            return


def _first_head(match: str, papers: Sequence[Paper]) -> Iterator[Message]:
    """Compare the first head with the commitments beside it."""
    for paper in papers:
        if paper.report is not None and paper.head is not None and paper.head[0] == 0:
            made = [
                (one["what"], one["seat"], one["digest"]) for one in paper.report["commitments"]
            ]
            if chain.first_head(match, chain.promises(made)) != paper.head[1]:
                yield say("{paper}: the first head is not over its commitments", paper=paper.name)


def _promised(papers: Sequence[Paper], log: Log) -> Iterator[Message]:
    """Compare the commitments with the log's first line, which repeats the first of them."""
    told = {one.digest: paper for paper in papers for one in paper.promises}
    for part in log.lines[0].split(","):
        what, _, digest = part.partition("=")
        if what == "seed" and digest not in told:
            for title, (paper, _) in _all_promises(papers).items():
                if title == SEED:
                    yield _differ(say("the commitment to the seed"), paper, log.paper)


def _times(papers: Sequence[Paper]) -> Iterator[Message]:
    """Compare one report with the next: the ply and the turn must not go back, nor may two reports
    of a ply tell two times."""
    reports = [(paper, paper.report) for paper in papers if paper.report is not None]
    reports.sort(key=lambda one: one[1]["ply"])
    for (paper, told), (other, later) in pairwise(reports):
        same = told["ply"] == later["ply"]
        first, second = (one.get("adjudicated") or "" for one in (told, later))
        if told["turn"] > later["turn"] or (same and first != second):
            yield _differ(say("the turn or the time of ply {ply}", ply=later["ply"]), paper, other)
        for key in ("game", "variant"):
            if told[key] != later[key]:
                yield _differ(key, paper, other)


def _notes(papers: Sequence[Paper], log: Log | None) -> Iterator[Message]:
    if not any(paper.head for paper in papers):
        yield say(
            "no head of the log: the match began before logs were chained, or no report is here"
        )
    elif log is None:
        yield say("not opened here: the log. The last report opens it")
    else:
        for before, entry in pairwise(log.entries):
            if entry.at < before.at:
                yield say("the club's clock was set back before ply {ply}", ply=entry.ply)
    opened = {one.title for paper in papers for one in paper.promises if one.opened is not None}
    opened.add(KEY)
    if closed := [title for title in _all_promises(papers) if title not in opened]:
        yield count(
            "not opened here: {n} commitment", "not opened here: {n} commitments", len(closed)
        )


def _same_receipts(papers: Sequence[Paper]) -> Iterator[Message]:
    first: dict[tuple[str, int, int, bool], tuple[Paper, str]] = {}
    for paper in papers:
        for told in paper.receipts:
            digest = chain.sheet_digest(
                told.match, told.seat, told.turn, told.revision, chain.WITHDRAWN
            )
            key = (told.seat, told.turn, told.revision, told.digest == digest)
            told_by, before = first.setdefault(key, (paper, told.digest))
            if before != told.digest:
                yield _differ(_receipt(told), told_by, paper)


def _receipt(told: Told) -> Message:
    return say(
        "the receipt of {seat}, turn {turn}, revision {revision}",
        seat=told.seat,
        turn=told.turn,
        revision=told.revision,
    )


def _receipts(match: str, papers: Sequence[Paper], log: Log) -> Iterator[Message]:
    """Compare the last receipt of each turn with the orders in the log."""
    last: dict[tuple[str, int], tuple[Paper, Told]] = {}
    for paper in papers:
        for told in paper.receipts:
            before = last.get((told.seat, told.turn))
            if before is None or told.revision > before[1].revision or _withdrew(told):
                last[told.seat, told.turn] = (paper, told)
    adjudicated = {(one.seat, entry.turn): one for entry in log.entries for one in entry.orders}
    for (seat, turn), (paper, told) in last.items():
        order = adjudicated.get((seat, turn))
        if _withdrew(told):
            if order is not None and not order.by and order.revision <= told.revision:
                yield _differ(_receipt(told), paper, log.paper)
        elif order is None:
            if _played_on(log, seat, turn):
                yield _differ(_receipt(told), paper, log.paper)
        elif order.by or order.revision <= told.revision:
            mine = chain.sheet_digest(match, seat, turn, told.revision, order.lines)
            if mine != told.digest or order.by:
                yield _differ(_receipt(told), paper, log.paper)


def _withdrew(told: Told) -> bool:
    cleared = chain.sheet_digest(told.match, told.seat, told.turn, told.revision, chain.WITHDRAWN)
    return told.digest == cleared


def _played_on(log: Log, seat: str, turn: int) -> bool:
    """Return whether the seat gave orders for a later turn, so it had some for this one, too."""
    return any(
        one.seat == seat and entry.turn > turn for entry in log.entries for one in entry.orders
    )


def _missing(papers: Sequence[Paper], log: Log) -> Iterator[Message]:
    """Name the reports and receipts that must exist and are not among the papers."""
    mine = {seat for paper in papers for seat in paper.seats}
    plies = {paper.head[0] for paper in papers if paper.head}
    receipts = {(one.seat, one.turn, one.revision) for paper in papers for one in paper.receipts}
    if len(mine) != 1:
        return
    for entry in log.entries:
        for one in entry.orders:
            if one.seat not in mine or one.by:
                continue
            if entry.ply - 1 not in plies:
                yield say(
                    "missing: the report of ply {ply}, unless a newer one was sent in its place",
                    ply=entry.ply - 1,
                )
            if (one.seat, entry.turn, one.revision) not in receipts:
                told = Told("", one.seat, entry.turn, one.revision, "")
                yield say("missing: {receipt}", receipt=_receipt(told))


def _replay(match: str, papers: Sequence[Paper], log: Log) -> tuple[bool, list[Message]]:
    """Play the log again by the rules, with the seed that was opened; compare all that follows.

    Return whether it could be played.
    """
    agreed = next((paper.setting for paper in papers if paper.setting), None)
    seed = _seed(match, papers)
    if agreed is None or seed is None or agreed.get("game") not in GAMES:
        return False, []
    game = GAMES[str(agreed["game"])]
    wrong: list[Message] = []
    try:
        for fault in _played(game, match, seed, agreed, papers, log):
            wrong.append(fault)  # what was found before it cannot go on stays found
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError) as trouble:
        why = say("the log cannot be played again ({kind})", kind=type(trouble).__name__)
        wrong.append(_differ(why, log.paper, log.paper))
    return True, wrong


def _seed(match: str, papers: Sequence[Paper]) -> bytes | None:
    for paper in papers:
        for promise in paper.promises:
            if promise.title == SEED and promise.opened:
                return promise.opened[-32:]
    return None


def _played(
    game: AnyGame,
    match: str,
    seed: bytes,
    agreed: Mapping[str, Any],
    papers: Sequence[Paper],
    log: Log,
) -> Iterator[Message]:
    rules = game.rules
    seats = tuple(seat for seat in game.seats if seat in agreed["seats"])
    board = str(agreed.get("board") or "")
    setting = Setting(str(agreed["variant"]), agreed["options"], seats, board)
    label = game.proof.label
    state = rules.set_up(setting, Chance(seed, match, label=label))
    happened: list[tuple[int, Any]] = []
    for entry in log.entries:
        lines = {one.seat: one.lines for one in entry.orders}
        between = [chain.unpacked(rules.event, one, {}) for one in entry.between]
        events = told = [chain.unpacked(rules.event, one, lines) for one in entry.events]
        state = fold(game, state, between)
        happened += [(entry.ply - 1, event) for event in between]
        if entry.cause == "orders":
            chance = Chance(seed, match, game.proof.phrases(state), label)
            orders = {Seat(one.seat): _orders(game, one.lines) for one in entry.orders}
            events = list(rules.adjudicate(state, orders, chance))
            if told not in (chain.lean(events, game.proof.repeated), events):
                yield say(
                    "{paper}: ply {ply} comes out otherwise when it is played again",
                    paper=log.paper.name,
                    ply=entry.ply,
                )
        state = fold(game, state, events)
        happened += [(entry.ply, event) for event in events]
    chance = Chance(seed, match, game.proof.phrases(state), label)
    for fault in game.proof.audit(state, [event for _, event in happened], chance):
        yield say("{paper}: {fault}", paper=log.paper.name, fault=fault)
    yield from _secrets(game, state, papers, log)
    yield from _news(game, papers, log, happened)


def _orders(game: AnyGame, lines: Sequence[str]) -> Sequence[Any]:
    numbered = [Line(number, text) for number, text in enumerate(lines, start=1)]
    return game.orders.parse(numbered).orders


def _secrets(game: AnyGame, state: Any, papers: Sequence[Paper], log: Log) -> Iterator[Message]:
    """Compare the secrets that were committed to with those that were played."""
    played = {
        f"ADJUD1|{papers[0].match}|{game.proof.what}|{seat}|{text}|"
        for seat, text in game.proof.secrets(state).items()
    }
    for paper in papers:
        for promise in paper.promises:
            text = (promise.opened or b"").decode("utf-8", "replace")
            if f"|{game.proof.what}|" in text and not any(map(text.startswith, played)):
                yield _differ(promise.title, paper, log.paper)


def _news(
    game: AnyGame, papers: Sequence[Paper], log: Log, happened: Sequence[tuple[int, Any]]
) -> Iterator[Message]:
    """Compare what each report told with what its seat saw by the log."""
    times = {entry.ply: entry.at for entry in log.entries}
    for paper in papers:
        report = paper.report
        if report is None:
            continue
        ply = int(report["ply"])
        if ply in times and report.get("adjudicated") not in (None, times[ply]):
            yield _differ(say("the time of ply {ply}", ply=ply), paper, log.paper)
        seen = [
            to_builtins(plain(sight))
            for at, event in happened
            if at <= ply and (sight := game.sight.witness(event, Seat(report["seat"]))) is not None
        ]
        told = list(report["news"])
        if told and not _ends_with(seen, told):
            yield _differ(say("the news of ply {ply}", ply=ply), paper, log.paper)


def _ends_with(seen: Sequence[Any], told: Sequence[Any]) -> bool:
    """Return whether the last of what was seen is what was told; keys that were not told yet by an
    older program do not count."""
    last = seen[len(seen) - len(told) :] if len(seen) >= len(told) else ()
    return len(last) == len(told) and all(map(_covers, last, told))


def _covers(seen: Any, told: Any) -> bool:
    if isinstance(seen, dict) and isinstance(told, dict):
        return all(key in seen and seen[key] == value for key, value in told.items())
    return bool(seen == told)


def summary(found: Audit) -> Iterator[str]:
    """Yield the lines that are printed of a match."""
    if found.wrong:
        yield tell(
            count(
                "{match}: {n} disagreement",
                "{match}: {n} disagreements",
                len(found.wrong),
                match=found.match,
            )
        )
    else:
        yield tell(say("{match}: everything that can be compared agrees", match=found.match))
    yield "  " + tell(say("checked: {what}", what=", ".join(map(tell, found.checked))))
    for message in (*found.wrong, *found.missing, *found.notes):
        yield f"  {tell(message)}"
