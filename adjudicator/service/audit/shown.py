"""Make again what a player was shown, from the log, and compare it as a whole with his papers.

Theory of operation. Each report says what it was made with and what no log has
(`core/report.MadeWith`). The club makes a report with `core/seat_report.report_of`, from values
alone. Here the same values come from the log that was opened and replayed: state, news, proofs,
rulings. So the same report is made and printed again, in the reader's language and zone, and must
be the same, sign by sign: what it tells of the board, of the seat's own cards and secrets, of what
happened, of notices and deadlines.

What no log has is taken from the paper itself: the names of the players, the seat's own sheets for
later turns, its marks and notes. Press, reminders and the lines about the club are no part of a
report.

Between two plies seats may have got new holders and rulings may have been made. Whether a report
tells of these depends on when it was made; so it is made with none of them, with the first, and so
on, and must be one of these.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import product, zip_longest
from operator import itemgetter
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.json import encode
from msgspec.structs import replace

from adjudicator import __version__
from adjudicator.core import chain, seat_report
from adjudicator.core.chain import DeclaredWord, HolderChange, Opening, PlyText, Ruled
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words, say
from adjudicator.core.orders import shown
from adjudicator.core.report import AnyReport, InForce, Log, Notice, Ordered, flat
from adjudicator.core.seat_report import (
    SEED_GIVEN,
    InAdvance,
    MarkMade,
    MatchFacts,
    SealedSecret,
    SeatFacts,
)
from adjudicator.reports.frame import ReplyForm
from adjudicator.reports.render import Prints
from adjudicator.reports.words import words
from adjudicator.service.audit import prints
from adjudicator.service.audit.documents import Document
from adjudicator.service.audit.inputs import BY_DEFAULT, ReplayedMatch
from adjudicator.service.audit.prints import Piece, PrintedReport, Section
from adjudicator.service.audit.receipts import ParsedLog
from adjudicator.service.audit.verdicts import AuditFinding, asks, contradicts

_LOOK = "look"  # a ruling that is told with the next ply and not before


_RECEIPT = say("Your last orders")
_OWN = (
    say("Your orders in advance"),
    say("Saved for later turns"),
    say("Your marks and notes"),
)


class Difference(Struct, frozen=True):
    """What a report shows, in which of its sections, and what it must be by the log."""

    section: str
    shown: str
    known: str


class Moment(Struct, frozen=True):
    """How many of the events, rulings, words of seats and new holders that came after a ply a
    report tells of."""

    events: int
    rulings: int
    said: int
    holders: int


class ShownAgain(Struct, frozen=True):
    """What was found in a report that was made again: nothing if it came out alike."""

    paper: Document
    printed: PrintedReport
    difference: Difference | None


def findings(
    played: ReplayedMatch, papers: Sequence[Document], log: ParsedLog
) -> Iterator[AuditFinding]:
    """Yield what the reports show otherwise than the log, what of them cannot be made again here,
    and what they leave out."""
    yield from _versions(papers, log)
    for found in compare_shown(played, papers, log):
        if found.difference is not None:
            yield contradicts(_differs(found, found.difference, log))
    yield from _skipped(played, papers, log)


def compare_shown(
    played: ReplayedMatch, papers: Sequence[Document], log: ParsedLog
) -> Iterator[ShownAgain]:
    """Make again each report among the papers that this version of adjud has made."""
    match = _Match(played, papers, log)
    for paper in papers:
        for printed in paper.prints:
            if _versions_of(printed) == {__version__} and 0 <= printed.ply < len(log.heads):
                yield ShownAgain(paper, printed, match.difference(paper, printed))


def _versions_of(printed: PrintedReport) -> set[str]:
    made = printed.made
    return {made.adjud} if made.stored is UNSET else {made.adjud, made.stored}


def _differs(found: ShownAgain, difference: Difference, log: ParsedLog) -> Message:
    return say(
        "{paper}: under '{section}' it says '{shown}'; by the log ({log}) it must say '{known}'",
        paper=found.paper.name,
        section=difference.section,
        shown=difference.shown,
        log=log.paper.name,
        known=difference.known,
    )


def _versions(papers: Sequence[Document], log: ParsedLog) -> Iterator[AuditFinding]:
    """Say which reports another version of adjud has made: only that can make them again. It must
    be one that the log names, or any lie could call itself one of another version."""
    lines = [chain.read_opening(log.lines[0]).version, *(one.version for one in log.entries)]
    known, named = {version for version in lines if version}, set[str]()
    for paper in papers:
        if paper.head is not None and not paper.prints:
            told = say(
                "{paper}: the line for adjud audit is missing below its log fingerprint",
                paper=paper.name,
            )
            yield contradicts(told)
        for version in sorted({one for each in paper.prints for one in _versions_of(each)}):
            if version not in known:
                told = say(
                    "{paper} says that adjud {version} made it, but the log names {known}",
                    paper=paper.name,
                    version=shown(version),
                    known=", ".join(sorted(known)),
                )
                yield contradicts(told)
            elif version != __version__ and version not in named:
                named.add(version)
                told = say(
                    "{paper} was made by adjud {version}, and others may have been, too. This is "
                    "adjud {own}: run `adjud audit` of that version on them",
                    paper=paper.name,
                    version=version,
                    own=__version__,
                )
                yield asks(told)


def _skipped(
    played: ReplayedMatch, papers: Sequence[Document], log: ParsedLog
) -> Iterator[AuditFinding]:
    """Yield the plies of whose news no report tells, though the reports before and after them are
    here; and the reports whose news begin after the last orders of their seat."""
    reports: dict[tuple[str, Any], list[tuple[Document, PrintedReport]]] = {}
    match = _Match(played, papers, log)
    for paper in papers:
        for printed in paper.prints:
            seat = match.seat(paper, printed)
            if seat is not None and printed.made.again is not True:
                key = (seat, printed.made.tenure)
                reports.setdefault(key, []).append((paper, printed))
    for (name, _), told in reports.items():
        seat = Seat(name)
        told.sort(key=lambda one: one[1].ply)
        until: int | None = None
        for paper, printed in told:
            spans = [
                *(printed.made.once or ()),
                *([printed.made.news] if printed.made.news else []),
            ]
            first = min((since for since, _ in spans), default=printed.ply + 1)
            if match.retells(seat, printed.ply):
                ordered = match.ordered(seat, printed.ply)
                if first > ordered:
                    yield contradicts(_begins_late(paper, first, ordered))
            elif until is not None and first > until + 1:
                yield asks(_gap(paper, until + 1, first - 1))
            until = max(until or 0, *(end for _, end in spans), 0)


def _begins_late(paper: Document, first: int, ordered: int) -> Message:
    return say(
        "{paper}: its news begin with ply {first}, and they must begin with that of the last "
        "orders, ply {ordered}",
        paper=paper.name,
        first=first,
        ordered=ordered,
    )


def _gap(paper: Document, first: int, last: int) -> Message:
    return say(
        "{paper}: no report here tells what happened in the plies from {first} to {last}. Did you "
        "get one?",
        paper=paper.name,
        first=first,
        last=last,
    )


class _Match:
    """A match that was replayed, from which reports are made again."""

    def __init__(self, played: ReplayedMatch, papers: Sequence[Document], log: ParsedLog) -> None:
        self.played, self.log, self.game, self.papers = played, log, played.game, papers
        self.states, self.happened = played.states(), list(played.happened())

    @cached_property
    def secrets(self) -> Sequence[tuple[int, SealedSecret]]:
        """Return the secrets to which the match committed, with the ply in which they were named,
        as they were opened at the end."""
        proof, found = self.game.proof, list[tuple[int, SealedSecret]]()
        opened = {
            promise.opened.decode("utf-8", "replace")
            for paper in self.papers
            for promise in paper.promises
            if promise.opened is not None and promise.opened.isascii()
        }
        known: set[str] = set()
        for ply in sorted(self.states):
            named = proof.secrets(self.states[ply][0])
            for seat in self.played.setting.seats:
                if seat in named and seat not in known:
                    known.add(seat)
                    head = f"ADJUD1|{self.played.match}|{proof.what}|{seat}|{named[seat]}|"
                    sealed = next((text for text in opened if text.startswith(head)), head)
                    secret = SealedSecret(what=proof.what, seat=seat, sealed=sealed)
                    found.append((ply, secret))
        return found

    def difference(self, paper: Document, printed: PrintedReport) -> Difference | None:
        """Return the first difference of a report from what it must be; None if it is that."""
        seat = self.seat(paper, printed)
        if seat is None:
            return Difference("", "", "")
        nearest: tuple[float, Difference] | None = None
        for moment in self._moments(printed):
            report = self._report(paper, printed, seat, moment)
            found = self._compared(printed, report)
            if found is None:
                return None
            if nearest is None or found[0] > nearest[0]:
                nearest = found
        return nearest[1] if nearest else Difference("", "", "")

    def retells(self, seat: Seat, ply: int) -> bool:
        """Return whether reports of that ply tell again all since the seat's last orders."""
        gone = self.game.rules.gone(self.states[ply][0])
        return self.game.sight.retells and seat not in gone

    def ordered(self, seat: Seat, ply: int) -> int:
        """Return the last ply, up to that one, in which orders of the seat were adjudicated that
        were not given for it because it was silent."""
        own = (
            entry.ply
            for entry in self.log.entries[:ply]
            if any(one.seat == seat and one.by != BY_DEFAULT for one in entry.orders)
        )
        return max(own, default=0)

    def seat(self, paper: Document, printed: PrintedReport) -> Seat | None:
        """Return whose report it is."""
        seats = self.played.setting.seats
        if printed.form == "json":
            return next((seat for seat in seats if seat == printed.body["seat"]), None)
        mine = [seat for seat in seats if seat in paper.seats]
        return mine[0] if len(mine) == 1 else self._named_as_you(printed)

    def _named_as_you(self, printed: PrintedReport) -> Seat | None:
        tell = self._words(printed)
        for seat in self.played.setting.seats:
            title = tell(self.game.seat_titles[seat])
            if printed.form == "text":
                (name,) = prints.names_in_text(
                    "\n\n"
                    + next(
                        (
                            line
                            for line in printed.content.split("\n")[2:]
                            if line.startswith(f"{title}: ")
                        ),
                        "",
                    ),
                    [title],
                )
                if name.endswith(f" ({tell(say('you'))})"):
                    return seat
            elif f"<li>{title} <b>" in printed.content:
                rest = printed.content.partition(f"<li>{title} <b>")[2].partition("</li>")[0]
                if rest.endswith(f"({tell(say('you'))})"):
                    return seat
        return None

    def _words(self, printed: PrintedReport) -> Words:
        made = printed.made
        return words(str(made.language or "en"), self.game.slug, str(made.zone or "UTC"))

    def _moments(self, printed: PrintedReport) -> Iterator[Moment]:
        """Yield what came after the ply and may be told by a report of it."""
        after, made = self._after(printed.ply), printed.made
        for events, rulings, said, holders in product(
            range(len(self.states.get(printed.ply, ()))),
            _until(made.as_of, [one.at for one in after.rulings]),
            range(len(after.said) + 1),
            _until(made.as_of, [one.at for one in after.holders]),
        ):
            moment = Moment(events, rulings, said, holders)
            if made.deadline == (self._deadline(printed.ply, moment) or UNSET):
                yield moment

    def _after(self, ply: int) -> PlyText:
        """Return the line of the ply that follows, which has what came between the two."""
        entries = self.log.entries
        nothing = PlyText(ply=ply + 1, turn=0, at="", cause="")
        return entries[ply] if ply < len(entries) else nothing

    def _deadline(self, ply: int, moment: Moment) -> str:
        """Return the deadline in force after a ply and what came since."""
        after = self._after(ply)
        due = self.log.entries[ply - 1].due if ply else self.opening.due
        told = [
            *((one.at, one.due) for one in after.rulings[: moment.rulings]),
            *((one.at, one.due) for one in after.holders[: moment.holders]),
        ]
        return max(told, key=itemgetter(0))[1] if told else due

    def _offers(self, ply: int, moment: Moment) -> tuple[str, ...]:
        """Return the seats whose offers of a draw stand after a ply and what came since: until
        another seat's orders are adjudicated, or until the seat withdraws it or changes hands."""
        standing: list[DeclaredWord] = []
        for entry in self.log.entries[:ply]:
            standing = _said(standing, entry.said, entry.holders)
            seats = {one.seat for one in entry.orders}
            standing = [one for one in standing if not seats - {one.seat}]
        after = self._after(ply)
        said, holders = after.said[: moment.said], after.holders[: moment.holders]
        return tuple(one.seat for one in _said(standing, said, holders))

    def _report(
        self, paper: Document, printed: PrintedReport, seat: Seat, moment: Moment
    ) -> AnyReport:
        """Make the report again."""
        made = printed.made
        match = self._facts(printed, moment)
        first = made.news[0] if made.news else printed.ply + 1
        mine = SeatFacts(
            seat=seat,
            tenure=made.tenure,
            since=first,
            orders=self._orders(printed),
            notices=tuple(self._notices(printed, moment, first)),
            ordered=()
            if made.former is True
            else tuple(self._ordered(printed, seat, first, moment)),
            in_advance=InAdvance() if self.takes_advance else None,
            marks=[
                MarkMade(ply=ply, place=place, text=text) for ply, place, text in made.marks or ()
            ]
            if self.game.marks
            else None,
            notes=() if self.game.marks else None,
            made=made,
        )
        report = replace(seat_report.report_of(match, mine), as_of=made.as_of)
        sight = self.game.sight
        if sight.tells_once is not None:
            once = [
                sighting
                for since, until in made.once or ()
                for sighting in seat_report.news_of(self._until(match, until), seat, since)
            ]
            lasting = sight.lasting(report) if made.lasting is True else report
            report = replace(report, news=(*once, *lasting.news))
        if made.again is True:
            report = sight.lasting(report)
        return report

    def _ordered(
        self, printed: PrintedReport, seat: Seat, first: int, moment: Moment
    ) -> Iterator[Ordered]:
        """Yield the orders of the seat's holder that were adjudicated from a ply on."""
        if printed.made.former is True:
            return
        ply, match = printed.ply, self.played.match
        changes = [one for entry in self.log.entries[:ply] for one in entry.holders]
        changes += self._after(ply).holders[: moment.holders]
        taken_over = max((one.at for one in changes if one.seat == seat), default="")
        for entry in self.log.entries[:ply]:
            for sheet in entry.orders:
                mine = sheet.seat == seat and not sheet.by and sheet.at >= taken_over
                if mine and entry.ply >= first:
                    head = chain.receipt_head(chain.LABEL, match, seat, entry.turn, sheet.revision)
                    yield Ordered(
                        turn=entry.turn,
                        revision=sheet.revision,
                        at=sheet.at,
                        hashed=head,
                        digest=chain.sheet_digest(head, sheet.lines),
                    )

    def _until(self, match: MatchFacts, ply: int) -> MatchFacts:
        return replace(match, log=[one for one in match.log if one[0] <= ply])

    @cached_property
    def opening(self) -> Opening:
        """Return what the log's first line says of the opening."""
        return chain.read_opening(self.log.lines[0])

    @cached_property
    def takes_advance(self) -> bool:
        agreed = self.played.setting.options.get("advance", "on")
        return self.game.advance is not None and agreed == "on"

    def _orders(self, printed: PrintedReport) -> InForce | None:
        revision = printed.made.orders
        if revision is UNSET:
            return None
        told = printed.body.get("orders") or {}
        return InForce(revision=revision, lines=tuple(told.get("lines", ())))

    def _notices(self, printed: PrintedReport, moment: Moment, first: int) -> Iterator[Notice]:
        for ply in range(max(first, 1), printed.ply + 2):
            is_last = ply == printed.ply + 1
            made = self._after(ply - 1).rulings
            for ruled in made[: moment.rulings] if is_last else made:
                if not (is_last and ruled.action == _LOOK):
                    yield Notice(at=ruled.at, text=self._notice(printed, ruled))
        if self.opening.seed_given:
            yield Notice(at=self.opening.at, text=self._words(printed)(SEED_GIVEN))

    def _notice(self, printed: PrintedReport, ruled: Ruled) -> str:
        if ruled.message is None:
            return ruled.text
        return self._words(printed)(ruled.message) + (f" {ruled.reason}" if ruled.reason else "")

    def _facts(self, printed: PrintedReport, moment: Moment) -> MatchFacts:
        played, ply = self.played, printed.ply
        state = self.states[ply][moment.events]
        over = self.game.rules.outcome(state) is not None
        entry = self.log.entries[ply - 1] if ply else None
        return MatchFacts(
            game=self.game,
            match=played.match,
            variant=played.setting.variant,
            options=played.setting.options,
            players=self._players(printed),
            epoch=printed.epoch,
            chance=played.chance(state),
            state=state,
            ply=ply,
            adjudicated=entry.at if entry else self.opening.at,
            opened=self.opening.at[:10].replace("-", "."),
            deadline=self._deadline(ply, moment) or None,
            draw_offers=() if over else self._offers(ply, moment),
            log=[
                (one.ply, one.event)
                for one in self.happened
                if one.ply < ply or (one.ply == ply and one.number <= moment.events)
            ],
            secrets=[secret for named, secret in self.secrets if named <= ply],
            head=self._head(ply, over=over),
        )

    def _head(self, ply: int, *, over: bool) -> Log:
        head, opened = self.log.heads[ply], self.log.paper.log
        if not over or opened is None:
            return Log(head=head, label=chain.LABEL)
        board = self.played.setting.board or UNSET
        return Log(
            head=head,
            label=chain.LABEL,
            key=opened.key,
            lines=tuple(self.log.lines),
            board=board,
        )

    def _players(self, printed: PrintedReport) -> Mapping[Seat, str]:
        """Return the names of the holders, as the paper itself tells them."""
        seats = self.played.setting.seats
        if printed.form == "json":
            return {seat: str(printed.body["players"].get(seat, "")) for seat in seats}
        tell = self._words(printed)
        you, nobody = f" ({tell(say('you'))})", tell(say("open seat"))
        titles = [tell(self.game.seat_titles[seat]) for seat in seats]
        if printed.text:
            names = prints.names_in_text(printed.text, titles)
        else:
            names = prints.names_in_page(printed.content) or [""] * len(seats)
        bare = (name.removesuffix(you) for name in names)
        return {
            seat: "" if name == nobody else name for seat, name in zip(seats, bare, strict=False)
        }

    def _compared(
        self, printed: PrintedReport, report: AnyReport
    ) -> tuple[float, Difference] | None:
        """Return how alike a report is to what was made again, and the first difference; None if
        there is none."""
        if printed.form == "json":
            return _json_difference(printed.body, self._flat(report, printed))
        again = self._printed(printed, report)
        own = self._own_titles(printed)
        if printed.form == "text":
            below = self._words(printed)(_RECEIPT)
            shown, known = (
                prints.sections(prints.without_lines(prints.without_digests(one), below))
                for one in (printed.content, again)
            )
            return _text_difference(_without(own, shown), _without(own, known))
        below, back = self._words(printed)(_RECEIPT), prints.looks_back(printed.content)
        shown_pieces, known_pieces = (
            [
                piece
                for piece in prints.without_receipts(
                    prints.without_orders(prints.pieces(html, back=back)), below
                )
                if piece.title not in own
            ]
            for html in (printed.content, again)
        )
        return _html_difference(shown_pieces, known_pieces) or _values_difference(
            prints.values(printed.content), prints.values(again)
        )

    def _own_titles(self, printed: PrintedReport) -> frozenset[str]:
        """Return the headings of what is the reader's own and in no log."""
        tell, orders = self._words(printed), printed.made.orders
        own = {tell(title) for title in _OWN}
        if orders is not UNSET:
            own.add(tell(say("Your current orders, version {revision}", revision=orders)))
        return frozenset(own)

    def _flat(self, report: AnyReport, printed: PrintedReport) -> Mapping[str, Any]:
        """Return a report as JSON has it, with what is taken from the paper."""
        kept = ("advance", "used", "dropped", "notes")
        body = printed.body
        known = flat(report, self.game.record.key)
        own = {key: body[key] for key in kept if key in body}
        return {**{key: value for key, value in known.items() if key not in kept}, **own}

    def _printed(self, printed: PrintedReport, report: AnyReport) -> str:
        made = printed.made
        reply = ReplyForm(
            link="mailto:" if made.link is True else None,
            attached=made.attached is True,
            picture="board" if made.picture is True else None,
            first=made.first is True,
            page="page" if made.linked is True else None,
            built=made.built or None,
            on_site=made.site is True,
            tips=made.tips is True,
            example="mailto:" if made.example is True else None,
        )
        language, zone = str(made.language or "en"), str(made.zone or "UTC")
        again = Prints(self.game, report, language, zone, reply)
        if printed.form == "page":
            return again.page_without_history
        return again.form("txt" if printed.form == "text" else "letter")


def _until(as_of: str | UnsetType | None, times: Sequence[str]) -> range:
    """Return how many things that happened at these times a report can tell of: all of those before
    the time for which it was printed, if that is known."""
    if not as_of:
        return range(len(times) + 1)
    return range(sum(at < as_of for at in times), sum(at <= as_of for at in times) + 1)


def _said(
    standing: Sequence[DeclaredWord], words: Sequence[DeclaredWord], holders: Sequence[HolderChange]
) -> list[DeclaredWord]:
    """Return the offers that stand once these words were said and these seats changed hands."""
    offers = list(standing)
    for one in words:
        offers = [other for other in offers if other.seat != one.seat]
        if one.word == "DRAW":
            offers.append(one)
    left = {(change.seat, change.at) for change in holders}
    return [
        one for one in offers if not any(seat == one.seat and at >= one.at for seat, at in left)
    ]


# Compare two forms of a report. Each comparison returns how alike they are and the first
# difference, or None if there is none.

Compared = tuple[float, Difference] | None

_AROUND, _MOST = 3, 12  # words of a difference that are shown, and around it


def _json_difference(shown: Mapping[str, Any], known: Mapping[str, Any]) -> Compared:
    keys = [*known, *(key for key in shown if key not in known)]
    wrong = [key for key in keys if shown.get(key, UNSET) != known.get(key, UNSET)]
    wrong = [key for key in wrong if key not in _CUT_KEYS]
    if not wrong:
        return None
    key = wrong[0]
    section, one, other = _within(key, shown.get(key), known.get(key))
    return 1 - len(wrong) / len(keys), Difference(section, _short(one), _short(other))


# The deadline is compared with the log by itself; the others are given to `adjud audit` alone.
_CUT_KEYS = frozenset({"made"})


def _within(where: str, shown: Any, known: Any) -> tuple[str, Any, Any]:
    """Return the innermost place at which two values differ, and what is there."""
    if isinstance(shown, dict) and isinstance(known, dict):
        for key in (*known, *shown):
            if shown.get(key, UNSET) != known.get(key, UNSET):
                return _within(f"{where}.{key}", shown.get(key), known.get(key))
    if isinstance(shown, list) and isinstance(known, list) and len(shown) == len(known):
        for number, (one, other) in enumerate(zip(shown, known, strict=True)):
            if one != other:
                return _within(f"{where}[{number}]", one, other)
    return where, shown, known


def _short(value: Any) -> str:
    text = encode(value).decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


_LONGEST = 200  # characters of a value that are shown


def _without(titles: frozenset[str], sections: Sequence[Section]) -> list[Section]:
    return [one for one in sections if one.title not in titles]


def _text_difference(shown: Sequence[Section], known: Sequence[Section]) -> Compared:
    pairs = list(zip_longest(shown, known, fillvalue=Section("", ())))
    wrong = [(one, other) for one, other in pairs if not _alike(one, other)]
    if not wrong:
        return None
    one, other = wrong[0]
    section = (other.title or one.title) or next(iter(other.lines), "")
    if one.title != other.title:
        found = Difference(section, one.title, other.title)
    else:
        found = Difference(section, *_first_difference(_words(one), _words(other)))
    return 1 - len(wrong) / len(pairs), found


def _alike(one: Section, other: Section) -> bool:
    """Return whether two sections say the same, however their lines are broken; lines in columns
    must stand as they do."""
    if one == other:
        return True
    columns = [line for line in other.lines if _IN_COLUMNS.search(line)]
    return (
        one.title == other.title
        and _words(one) == _words(other)
        and [line for line in one.lines if _IN_COLUMNS.search(line)] == columns
    )


_IN_COLUMNS = re.compile(r"\S  +\S")


def _words(section: Section) -> Sequence[str]:
    return " ".join(section.lines).split()


def _first_difference(shown: Sequence[str], known: Sequence[str]) -> tuple[str, str]:
    """Return the first words that differ, with those around them."""
    changes = SequenceMatcher(None, shown, known, autojunk=False).get_opcodes()
    differing = (change for change in changes if change[0] != "equal")
    _, a, b, c, d = next(differing, ("", 0, len(shown), 0, len(known)))
    return _around(shown, a, b), _around(known, c, d)


def _around(said: Sequence[str], first: int, last: int) -> str:
    return " ".join(said[max(0, first - _AROUND) : min(last, first + _MOST) + _AROUND])


def _values_difference(shown: Mapping[str, Any], known: Mapping[str, Any]) -> Compared:
    wrong = [key for key in {**known, **shown} if shown.get(key) != known.get(key)]
    if not wrong:
        return None
    key = wrong[0]
    return 0.9, Difference(*map(_as_text, _within(key, shown.get(key), known.get(key))))


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else _short(value)


def _html_difference(shown: Sequence[Piece], known: Sequence[Piece]) -> Compared:
    if shown == known:
        return None
    first = next(
        (n for n, (one, other) in enumerate(zip(shown, known, strict=False)) if one != other),
        min(len(shown), len(known)),
    )
    piece = (known[first:] or shown[first:])[0]
    one, other = (" ".join(p.said for p in found[first : first + 3]) for found in (shown, known))
    return first / max(len(shown), len(known)) / 2, Difference(piece.title, one, other)
