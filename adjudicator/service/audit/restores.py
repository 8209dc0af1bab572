"""Compare the heads that papers tell, and part the papers that a restore has undone from those that
count.

Theory of operation. After a restore a match is played on anew from an earlier ply; what was told of
later ones before is contradicted by an honest club, too. The log has the restore among its rulings,
and all players are told at once by email and in their next reports: which epoch ended with which
ply, and which began. So a paper of an ended epoch that tells of a later ply, or of an epoch that
the log does not know, is undone. It is compared with others of its epoch and not with those that
count. So is one that was made after the backup and tells of no later ply: what had been ruled since
the backup is undone, too. Its head is still that of the log.

A confirmation that a command printed names no epoch, and is known by the version of its orders:
these go on above all that can have been told before. Where the log is opened, a restore counts only
if it stands there. Nobody but the players can say whether there was a reason for one; so it is
always told.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec import Struct

from adjudicator.core import chain
from adjudicator.core.acts import Restored, clock_changes
from adjudicator.core.message import Message, count, say
from adjudicator.service.audit.claims import restores_in
from adjudicator.service.audit.log import ParsedLog
from adjudicator.service.audit.papers import (
    SEED,
    Document,
    ReceiptPaper,
    Restore,
    all_promises,
    differ,
    values_to_seats,
)
from adjudicator.service.audit.sequence import changes_of_clock
from adjudicator.service.base.calendar import when
from adjudicator.service.base.outages import LEAST
from adjudicator.service.emails.value import Addressee, EmailValue
from adjudicator.store.clubs import AT_LEAST


class Divided(Struct, frozen=True):
    """The papers that count, and those that were undone, by epoch; and the last ply of each epoch
    that counts, None for one that has not ended."""

    counting: Sequence[Document]
    undone: Mapping[str, Sequence[Document]]
    restores: Sequence[Restore]
    limits: Mapping[str, int | None]

    @property
    def all_undone(self) -> list[Document]:
        return [paper for papers in self.undone.values() for paper in papers]

    @property
    def of_plies_that_count(self) -> list[Document]:
        """Return the papers that were undone, though the ply of which they tell was not."""
        limits = ((paper, self.limits.get(paper.epoch or "")) for paper in self.all_undone)
        return [paper for paper, limit in limits if limit and paper.head and paper.head[0] <= limit]


def divide(papers: Sequence[Document]) -> Divided:
    """Part papers by the restores in the log that counts, or where none is opened by those that
    they tell of themselves."""
    logs = [[*_entries(paper.log.lines)] for paper in papers if paper.log is not None]
    told = [one for paper in papers for one in paper.restores]
    found = _parted(papers, [*told, *(one for log in logs for one in _logged(log))], logs)
    counting = [[*_entries(paper.log.lines)] for paper in found.counting if paper.log is not None]
    if not counting:
        return found
    log = max(counting, key=lambda entries: len([*_logged(entries)]))
    return _parted(papers, [*_logged(log)], [log])


def _parted(
    papers: Sequence[Document], restores: Sequence[Restore], logs: Sequence[Sequence[chain.PlyText]]
) -> Divided:
    limits = _limits([*dict.fromkeys(restores)])
    backups = _backups(logs)
    first = _first_after(papers, backups)
    turns = {entry.ply: entry.turn for log in logs if [*_logged(log)] for entry in log}
    numbered = [one for log in logs for one in _renumbered(log)]
    used = {
        (one.seat, entry.turn, one.revision)
        for log in logs
        for entry in log
        for one in entry.orders
        if not one.by
    }
    counting: list[Document] = []
    undone: dict[str, list[Document]] = {}
    for paper in papers:
        unused = [one for one in paper.receipts if one.named not in used]
        if (
            _is_later(paper, backups, first)
            or _is_undone(paper, limits, turns, unused)
            # A confirmation that names no epoch, as `adjud submit` prints it.
            or (paper.epoch is None and any(one.is_before(*unused) for one in numbered))
        ):
            undone.setdefault(paper.epoch or "", []).append(paper)
        else:
            counting.append(paper)
    counting = _without_strays(counting, undone, limits)
    return Divided(counting, undone, [*dict.fromkeys(restores)], limits)


class _Backup(NamedTuple):
    """Of when the backup was from which a club was restored, and the number of the ruling that says
    so: in the epoch that ended, rulings from that number on were made after the backup. `set_back`
    says whether the clock was set back before it."""

    saved: str
    number: int
    set_back: bool


def _backups(logs: Iterable[Sequence[chain.PlyText]]) -> Mapping[str, _Backup]:
    """Return the backup from which each epoch that has ended was played anew."""
    found: dict[str, _Backup] = {}
    for log in logs:
        set_back = False
        for ruled in (ruled for entry in log for ruled in entry.rulings):
            set_back = set_back or bool([*clock_changes(ruled.acts)])
            for act in ruled.acts:
                if isinstance(act, Restored):
                    one = _Backup(chain.in_log(act.saved), ruled.number, set_back)
                    found[act.ended] = min(one, found.get(act.ended, one))
    return found


def _first_after(
    papers: Iterable[Document], backups: Mapping[str, _Backup]
) -> Mapping[Addressee, int]:
    """Return the number of the first email to each reader that was made after the backup, as its
    time or its rulings show. Those with higher numbers were, too, whatever the clock said."""
    found: dict[Addressee, int] = {}
    every = [one for paper in papers for one in _numbered(paper)]
    for one in every:
        backup, n = backups.get(one.to.epoch), one.n or 0
        if backup is None:
            continue
        is_after = one.at > backup.saved and not (
            # Then a clock that ran ahead made it.
            backup.set_back
            and any(two.to == one.to and (two.n or 0) > n and two.at < one.at for two in every)
        )
        if is_after or any(number >= backup.number for number in one.acts):
            found[one.to] = min(n, found.get(one.to, n))
    return found


def _numbered(paper: Document) -> list[EmailValue]:
    return [one for _, one in values_to_seats([paper]) if one.n]


def _is_later(
    paper: Document, backups: Mapping[str, _Backup], first: Mapping[Addressee, int]
) -> bool:
    """Return whether a paper was made in an epoch that has ended, after its backup."""
    if numbered := _numbered(paper):
        return any(one.to in first and (one.n or 0) >= first[one.to] for one in numbered)
    epoch, at = paper.made or ("", "")
    return epoch in backups and backups[epoch].saved < at


def _entries(lines: Iterable[str]) -> Iterator[chain.PlyText]:
    first, *others = lines
    for line in others:
        try:
            yield chain.read(line, chain.label_of(first))
        except ValueError:
            return  # it is told elsewhere that the log cannot be read


def _logged(entries: Iterable[chain.PlyText]) -> Iterator[Restore]:
    for ruled in (ruled for entry in entries for ruled in entry.rulings):
        told = [act for act in ruled.acts if isinstance(act, Restored)]
        yield from (Restore(int(act.ply), act.ended, act.epoch) for act in told)
        if ruled.action == "restore" and not told:
            yield from restores_in(ruled.text)


class _Renumbered(Struct, frozen=True):
    """The first turn that was ordered anew after a restore, and the number up to which the versions
    of orders are of before: for each seat that ordered again, and for the others."""

    turn: int
    highest: Mapping[str, int]
    others: int

    def is_before(self, *receipts: ReceiptPaper) -> bool:
        """Return whether one of these has the version of orders that the restore has undone."""
        highest = self.highest
        return any(
            self.turn <= one.turn and one.revision <= highest.get(one.seat, self.others)
            for one in receipts
        )


def _renumbered(entries: Sequence[chain.PlyText]) -> Iterator[_Renumbered]:
    """Yield how each restore has numbered orders. They go on higher by a thousand at least, and by
    the seconds since the backup (`store/clubs`), and nobody sends as many in a turn. All seats are
    numbered on alike, so one that ordered no more had about the numbers of the others."""
    for number, entry in enumerate(entries):
        if any(isinstance(act, Restored) for ruled in entry.rulings for act in ruled.acts):
            anew = [one for later in entries[number:] for one in later.orders]
            before = [one.revision for earlier in entries[:number] for one in earlier.orders]
            highest = {
                seat: min(one.revision for one in anew if one.seat == seat) - AT_LEAST
                for seat in {one.seat for one in anew}
            }
            yield _Renumbered(entry.turn, highest, max(before, default=0) + AT_LEAST // 2)


def _limits(restores: Sequence[Restore]) -> Mapping[str, int | None]:
    """Return the last ply of each epoch that counts, None for one that has not ended. The first
    epoch is also the empty one, as which letters know it.

    Where an epoch has ended twice, a backup of it was restored twice, and what began the first time
    is undone.
    """
    limits: dict[str, int | None] = {}
    for one in restores:
        for other in restores[: restores.index(one)]:
            if other.ended == one.ended:
                limits[other.begun] = -1
        before = limits.get(one.ended)
        limits[one.ended] = one.ply if before is None else min(before, one.ply)
        limits.setdefault(one.begun, None)  # papers tell restores in any order
    begun = {one.begun for one in restores}
    first = [one.ply for one in restores if one.ended not in begun]
    return limits | ({"": min(first)} if first else {})


def _is_undone(
    paper: Document,
    limits: Mapping[str, int | None],
    turns: Mapping[int, int],
    unused: Sequence[ReceiptPaper],
) -> bool:
    if not limits or paper.epoch is None:
        return False
    limit = limits.get(paper.epoch, -1)
    if limit is None:
        return False
    if paper.listed:
        return paper.listed[-1][0] > limit
    if paper.ply is not None or limit < 0:  # of an epoch that was undone whole
        return paper.ply is None or paper.ply > limit
    if any(one.ply > limit for one in paper.answered):
        return True
    awaited = turns.get(limit + 1)  # the turn that was ordered anew
    return awaited is not None and any(one.turn >= awaited for one in unused)


def _without_strays(
    counting: Sequence[Document],
    undone: dict[str, list[Document]],
    limits: Mapping[str, int | None],
) -> list[Document]:
    """Take papers that name no epoch for undone ones if they tell another head than those of a
    ply that was played anew."""
    last = min((ply for ply in limits.values() if ply is not None), default=None)
    heads = dict(paper.head for paper in counting if paper.head and paper.epoch is not None)
    kept = []
    for paper in counting:
        ply, head = paper.head or (0, "")
        if last is not None and paper.epoch is None and ply > last and heads.get(ply, head) != head:
            undone.setdefault("", []).append(paper)
        else:
            kept.append(paper)
    return kept


def unlogged_restores(found: Divided, logged: bool) -> Iterator[Message]:
    """Yield the restores of which papers tell that count and that are not in the opened log."""
    if not logged:
        return
    for paper in found.counting:
        for one in paper.restores:
            if one not in found.restores:
                yield say(
                    "{paper} says that the club was restored after ply {ply}, but the full log "
                    "does not",
                    paper=paper.name,
                    ply=one.ply,
                )


def wrong_backups(log: ParsedLog) -> Iterator[Message]:
    """Yield the restores whose backup would be from before a ply that it had: then papers would not
    count that were made in between. A backup is dated by the clock of the club, to the second. It
    may have been set back since by as much as no tick notices, for these are noted to the hour; of
    more than that an act tells. A match that began before 1.0.0 has none."""
    if not log.is_whole or changes_of_clock(log.entries):
        return
    for entry, ruled in log.rulings:
        for act in (act for act in ruled.acts if isinstance(act, Restored)):
            if not 0 <= int(act.ply) < entry.ply:
                continue
            made = datetime.fromisoformat(log.at(int(act.ply)))
            if act.saved < made - LEAST:
                yield say(
                    "{paper} says that the club was restored from its backup of {saved}, with ply "
                    "{ply} of {at}",
                    paper=log.paper.name,
                    saved=when(act.saved),
                    ply=act.ply,
                    at=when(made),
                )


def summary_of_restores(found: Divided) -> Iterator[Message]:
    """Yield what is told of the restores of a club."""
    for one in found.restores:
        yield say(
            "the club was restored from a backup: after ply {ply} of epoch {ended} the match was "
            "played again, in epoch {begun}. All players were sent a notice; ask the others "
            "whether they got it",
            ply=one.ply,
            ended=one.ended,
            begun=one.begun,
        )
    if n := len(found.all_undone):
        yield count(
            "{n} document is from before the restore, from a part that it undid, and was not "
            "compared with the rest",
            "{n} documents are from before the restore, from a part that it undid, and were not "
            "compared with the rest",
            n,
        )


def heads_of(papers: Sequence[Document], log: ParsedLog | None) -> Iterator[Message]:
    """Compare the heads of the same ply, and all of them with the opened log. A text may have the
    first digits of one."""
    first: dict[int, tuple[Document, str]] = {}
    for paper in papers:
        for ply, head in (paper.head, *paper.listed) if paper.head else paper.listed:
            told_by, told = first.setdefault(ply, (paper, head))
            if not (told.startswith(head) or head.startswith(told)):
                yield differ(say("the log fingerprint of ply {ply}", ply=ply), told_by, paper)
    if log is None:
        return
    for ply in sorted(first):
        paper, head = first[ply]
        if ply >= len(log.heads) or not log.heads[ply].startswith(head):
            what = say("the log up to ply {ply} does not match the fingerprint shown", ply=ply)
            yield differ(what, paper, log.paper)
            return


def promised_heads(papers: Sequence[Document], log: ParsedLog) -> Iterator[Message]:
    """Compare the commitments with the log's first line, which repeats the first of them."""
    told = {one.digest: paper for paper in papers for one in paper.promises}
    for what, _, digest in log.opening.commitments:
        if what == "seed" and digest not in told:
            for title, (paper, _) in all_promises(papers).items():
                if title == SEED:
                    yield differ(say("the proof of the seed"), paper, log.paper)
