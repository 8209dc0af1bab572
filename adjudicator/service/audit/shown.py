"""Make again what a player was shown, from the log, and compare it as a whole with his papers; say
what reports leave out, and which of them another version of adjud has to make again.

Theory of operation. Each report says what it was made with and what no log has
(`core/report.MadeWith`). The club makes a report with `core/seat_report.report_of`, from values
alone. Here the same values come from the log that was opened and replayed: state, news, proofs,
rulings. So the same report is made again, and must be the same value: what it tells of the board,
of the seat's own cards and secrets, of what happened, of notices and deadlines.

What no log has is taken from the paper itself: the names of the players, the seat's own sheets for
later turns, its marks and notes.

Between two plies seats may have got new holders and rulings may have been made. Whether a report
tells of these depends on when it was made; so it is made with none of them, with the first, and so
on, and must be one of these.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from itertools import product
from operator import itemgetter
from typing import Any

from msgspec import UNSET, Struct, UnsetType, convert
from msgspec.json import encode
from msgspec.structs import replace

from adjudicator import __version__
from adjudicator.core import chain, seat_report
from adjudicator.core.chain import DeclaredWord, HolderChange, PlyText, Ruled
from adjudicator.core.dice import digest
from adjudicator.core.game import unflatten
from adjudicator.core.match import Seat
from adjudicator.core.orders import shown
from adjudicator.core.report import (
    AnyReport,
    Committed,
    InForce,
    Log,
    MadeWith,
    Notice,
    Ordered,
    flat_in_words,
)
from adjudicator.core.seat_report import SEED_GIVEN, MarkMade, MatchFacts
from adjudicator.releases import is_later
from adjudicator.reports.words import words
from adjudicator.service.audit.log import (
    LOOK,
    UNREPLAYABLE,
    ParsedLog,
    ReplayedMatch,
    deadline_after,
    offers_after,
)
from adjudicator.service.audit.papers import Document, ToldReport, by_key
from adjudicator.service.audit.same import first_difference
from adjudicator.service.audit.sequence import changes_of_clock, is_of_wrong_clock
from adjudicator.service.audit.verdicts import AuditFinding, asks, by_rule, contradicts
from adjudicator.service.emails.value import EmailValue, report_value

_OWN = ("advance", "used", "dropped", "notes", "own")  # what is the reader's own and in no log
_LONGEST = 200  # characters of a value that are shown


class Difference(Struct, frozen=True):
    """Where a report differs, what it says there, and what it must say by the log."""

    place: str
    shown: str
    known: str


class Moment(Struct, frozen=True):
    """What a report tells of that came after its ply: how many events, and which rulings, words of
    seats and new holders."""

    events: int = 0
    rulings: Sequence[Ruled] = ()
    said: Sequence[DeclaredWord] = ()
    holders: Sequence[HolderChange] = ()


class RemadeReports:
    """A match that was replayed, from which reports are made again."""

    def __init__(self, played: ReplayedMatch, papers: Sequence[Document]) -> None:
        self.played, self.log, self.game, self.papers = played, played.log, played.game, papers
        self.states, self.happened = played.states(), list(played.events())
        self.opening = played.log.opening
        self._then: dict[tuple[Any, ...], Mapping[str, Any]] = {}

    @cached_property
    def secrets(self) -> Sequence[tuple[int, Committed]]:
        """Return the secrets to which the match committed, with the ply in which they were named,
        as they were opened at the end."""
        proof, found = self.game.proof, list[tuple[int, Committed]]()
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
                    secret = Committed(
                        what=proof.what,
                        seat=seat,
                        number=None,
                        digest=digest(sealed),
                        opened=sealed,
                    )
                    found.append((ply, secret))
        return found

    def difference(self, told: ToldReport) -> Difference | None:
        """Return the first difference of a report from what it must be; None if it is that."""
        try:
            return self._news_differ(told) if told.alone else self._report_differs(told)
        except UNREPLAYABLE:  # with what it says that it was made with, nobody can have made it
            return Difference("made", encode(told.made).decode(), "")

    def _report_differs(self, told: ToldReport) -> Difference | None:
        assert told.made is not None
        if told.seat not in self.played.setting.seats:
            return Difference("seat", told.seat, "")
        later = [one.seat for entry in self.log.entries[told.ply :] for one in entry.holders]
        if told.made.former is True and told.seat not in later:  # nobody has given it up
            return Difference("made.former", "true", "")
        moments = [*self._moments(told, told.made)]
        if not moments:
            due = self._deadline(told.ply, Moment())
            return Difference("deadline", told.made.deadline or "", due)
        nearest: tuple[int, Difference] | None = None
        begins = self._begins(told, told.made)
        for moment, begun in product(moments, begins):
            found = self._compared(told, self._report(told, told.made, moment, begun))
            if found is None:
                return None
            if nearest is None or found[0] < nearest[0]:
                nearest = found
        return nearest[1] if nearest else None

    def _news_differ(self, told: ToldReport) -> Difference | None:
        """Compare the news of a ply that are told alone with what their seat saw of it, and of none
        or some of what came between that ply and the next."""
        seat, sight, known = Seat(told.seat), self.game.sight, list[Any]()
        report = unflatten(self.game, told.body)
        for number in range(len(self.states[told.ply])):
            again = replace(report, news=self._news(seat, told.ply, number))
            if not sight.retells:  # what is told once only stays for the report
                again = sight.lasting(again)
            known = report_value(again)["news"]
            if known == told.body["news"]:
                return None
        return _difference("news", told.body["news"], known)

    def _news(self, seat: Seat, ply: int, last: int) -> tuple[Any, ...]:
        """Return what a seat saw of a ply, and of so many events after it."""
        its = (one.event for one in self.happened if one.ply == ply and one.number <= last)
        return tuple(self.played.sights(seat, its))

    def reports_before(
        self, told: EmailValue, earlier: Iterable[EmailValue]
    ) -> Iterator[EmailValue]:
        """Yield the reports on which the page of an email looks back, newest first: those of
        `earlier` emails, and those that no email has because a newer one was sent in place of each,
        with the news with which that began."""
        opened = int(self.game.rules.opens_at_once)  # then no report tells how it began
        first = opened if self.game.sight.retold else self._first_held(told, opened)
        sent: dict[int, EmailValue] = {}
        for one in (*sorted(earlier, key=lambda one: one.at), told):
            is_its = replace(one.to, epoch="") == replace(told.to, epoch="")
            if is_its and one.report is not None and one.kind != "aside":
                sent[one.report["ply"]] = one
        newer: Mapping[str, Any] | None = None
        for ply in sorted({*self.states, *sent}, reverse=True):
            newer = sent[ply].report if ply in sent else newer
            if newer is not None and ply >= first:
                yield sent.get(ply) or replace(told, at="", report=self._as_then(newer, ply))

    def _first_held(self, told: EmailValue, opened: int) -> int:
        """Return the first ply of which the holder of a seat has a report of his own."""
        entries = self.log.entries[: told.told.ply]
        changed = (
            one.ply for one in entries if any(each.seat == told.to.seat for each in one.holders)
        )
        return max(changed, default=opened)

    def _as_then(self, newer: Mapping[str, Any], ply: int) -> Mapping[str, Any]:
        """Return the report of a ply as it was made then, before a `newer` one that was sent."""
        made = convert(newer["made"], MadeWith)
        since = min(ply, made.news[0]) if made.news else ply
        placed = tuple(one for one in made.marks or () if one[0] <= ply)
        if (key := (newer["seat"], ply, since, placed)) not in self._then:
            told = ToldReport(body={**newer, "ply": ply}, made=None)
            marks = [MarkMade(ply=at, place=place, text=text) for at, place, text in placed]
            report = seat_report.report_of(
                self._facts(told, Moment()),
                Seat(told.seat),
                since,
                marks if self.game.marks else None,
            )
            self._then[key] = report_value(report)
        return self._then[key]

    def retells(self, seat: Seat, ply: int) -> bool:
        """Return whether reports of that ply tell again all since the seat's last orders."""
        gone = self.game.rules.gone(self.states[ply][0])
        return self.game.sight.retells and seat not in gone

    def is_forgotten(self, told: ToldReport, ply: int) -> bool:
        """Return whether what the seat of a report saw in a ply was in an email of its own, and
        then never again."""
        seat, sight, state = Seat(told.seat), self.game.sight, self.states[ply][0]
        report = replace(
            unflatten(self.game, told.body),
            view=sight.observe(state, seat),
            phase=self.game.rules.phase(state),
            news=self._news(seat, ply, 0),
        )
        return sight.tells_once is not None and sight.tells_once(report)

    def _moments(self, told: ToldReport, made: MadeWith) -> Iterator[Moment]:
        """Yield what came after the ply and may be told by a report of it."""
        after = self._after(told.ply)
        since = self.log.at(told.ply)
        as_of = made.as_of
        if as_of and is_of_wrong_clock(datetime.fromisoformat(as_of), changes_of_clock([after])):
            as_of = None
        for events, rulings, said, holders in product(
            range(len(self.states.get(told.ply, ()))),
            _until(as_of, since, [one.at for one in after.rulings]),
            range(len(after.said) + 1),
            _until(as_of, since, [one.at for one in after.holders]),
        ):
            moment = Moment(
                events, after.rulings[:rulings], after.said[:said], after.holders[:holders]
            )
            if made.deadline == (self._deadline(told.ply, moment) or UNSET):
                yield moment

    def _after(self, ply: int) -> PlyText:
        """Return the line of the ply that follows, which has what came between the two."""
        entries = self.log.entries
        nothing = PlyText(ply=ply + 1, turn=0, at="", cause="")
        return entries[ply] if ply < len(entries) else nothing

    def _deadline(self, ply: int, moment: Moment) -> str:
        """Return the deadline in force after a ply and what came since."""
        return deadline_after(self.log.due(ply), moment.rulings, moment.holders)

    def _begins(self, told: ToldReport, made: MadeWith) -> Sequence[int]:
        """Return from which plies on a report can tell the seat's own orders and notices: from the
        first of its news on. What is told once goes out in parts; the last of them begins where its
        report does, or later if that tells again what an email that was never delivered told."""
        parts = made.once or ()
        begun = parts[-1][0] if parts and not made.news else _first(told, made)
        return range(begun, -1, -1) if told.once else [begun]

    def _report(self, told: ToldReport, made: MadeWith, moment: Moment, begun: int) -> AnyReport:
        """Make the report again, which tells orders and notices from the ply `begun` on."""
        seat, match = Seat(told.seat), self._facts(told, moment)
        first = _first(told, made)
        marks = [MarkMade(ply=ply, place=place, text=text) for ply, place, text in made.marks or ()]
        is_agreed = self.played.setting.options.get("advance", "on") == "on"
        nothing = () if self.game.advance is not None and is_agreed else UNSET
        report = replace(
            seat_report.report_of(match, seat, first, marks if self.game.marks else None),
            tenure=made.tenure,
            orders=_orders(told, made),
            notices=tuple(self._notices(told, moment, begun)),
            ordered=() if made.former is True else tuple(self._ordered(told, seat, begun, moment)),
            advance=nothing,
            used=nothing,
            dropped=nothing,
            notes=() if self.game.marks else UNSET,
            made=made,
            reserve_until=made.until,
            as_of=made.as_of,
        )
        sight = self.game.sight
        if sight.tells_once is not None:
            once = list[Any]()
            for since, until in made.once or ():
                until_then = replace(match, log=[one for one in match.log if one[0] <= until])
                once += seat_report.news_of(until_then, seat, since)
            lasting = sight.lasting(report) if made.lasting is True else report
            report = replace(report, news=(*once, *lasting.news))
        if made.again is True:
            report = sight.lasting(report)
        return report

    def _ordered(
        self, told: ToldReport, seat: Seat, first: int, moment: Moment
    ) -> Iterator[Ordered]:
        """Yield the orders of the seat's holder that were adjudicated from a ply on."""
        ply, match = told.ply, self.played.match
        changes = [one for entry in self.log.entries[:ply] for one in entry.holders]
        changes += moment.holders
        taken_over = max((one.at for one in changes if one.seat == seat), default="")
        for entry in self.log.entries[:ply]:
            for sheet in entry.orders:
                mine = sheet.seat == seat and not sheet.by and sheet.at >= taken_over
                if mine and entry.ply >= first:
                    place = (self.opening.label, match, seat, entry.turn, sheet.revision)
                    head = chain.receipt_head(*place)
                    yield Ordered(
                        turn=entry.turn,
                        revision=sheet.revision,
                        at=sheet.at,
                        hashed=head,
                        digest=chain.sheet_digest(head, sheet.lines),
                    )

    def _notices(self, told: ToldReport, moment: Moment, first: int) -> Iterator[Notice]:
        made = list[Ruled]()
        for ply in range(max(first, 1), told.ply + 2):
            is_last = ply == told.ply + 1
            for ruled in moment.rulings if is_last else self._after(ply - 1).rulings:
                if not (is_last and ruled.action == LOOK):
                    made.append(ruled)
        if self.log.has_undo:  # what was ruled in that ply stands in a later line
            last, numbered = 0, list[tuple[int, Ruled]]()
            for one in made:
                last = last if one.action == LOOK else one.number
                numbered.append((last, one))
            made = [one for _, one in sorted(numbered, key=itemgetter(0))]
        yield from (Notice(at=one.at, told=one.message, reason=one.reason) for one in made)
        if self.opening.seed_given:
            yield Notice(at=self.opening.at, told=SEED_GIVEN)

    def _facts(self, told: ToldReport, moment: Moment) -> MatchFacts:
        played, ply = self.played, told.ply
        state = self.states[ply][moment.events]
        over = self.game.rules.outcome(state) is not None
        entries, seats = self.log.entries[:ply], self.played.setting.seats
        rulings, holders = moment.rulings, moment.holders
        return MatchFacts(
            game=self.game,
            match=played.match,
            variant=played.setting.variant,
            options=self.log.options_at(ply, rulings),
            players={seat: str(told.body["players"].get(seat, "")) for seat in seats},
            epoch=str(told.body.get("epoch") or ""),
            chance=played.chance(state),
            state=state,
            ply=ply,
            adjudicated=self.log.at(ply),
            opened=self.opening.at[:10].replace("-", "."),
            deadline=self._deadline(ply, moment) or None,
            bank=self.log.reserves_at(seats, ply, rulings, holders),
            draw_offers=() if over else offers_after(entries, moment.said, holders),
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
        told = Log(head=head, label=self.opening.label)
        if not over or opened is None:
            return told
        board = self.played.setting.board or UNSET
        return replace(told, key=opened.key, lines=tuple(self.log.lines), board=board)

    def _compared(self, told: ToldReport, report: AnyReport) -> tuple[int, Difference] | None:
        """Return in how many parts a report is not what was made again, and the first difference;
        None if there is none."""
        shown, known = dict(told.body), {**self._flat(told, report)}
        is_formers = told.in_words and told.made is not None and told.made.former is True
        # In a report as JSON the notices of a former holder may have his language.
        for key in (*_OWN, "press", *(["notices"] if is_formers else [])):
            known.pop(key, None)
            shown.pop(key, None)
        if self._tells_what_came_later(told) and _has_all(shown["notices"], known["notices"]):
            shown["notices"] = known["notices"]
        wrong = [
            key for key in {**known, **shown} if shown.get(key, UNSET) != known.get(key, UNSET)
        ]
        if not wrong:
            return None
        return len(wrong), _difference(wrong[0], shown.get(wrong[0]), known.get(wrong[0]))

    def _flat(self, told: ToldReport, report: AnyReport) -> Mapping[str, Any]:
        """Return a report as a paper has it."""
        if not told.in_words or told.made is None:
            return report_value(report)
        language, zone = str(told.made.language or "en"), str(told.made.zone or "UTC")
        tell = words(language, self.game.slug, zone)
        return flat_in_words(report, tell, self.game.record.key)

    def _tells_what_came_later(self, told: ToldReport) -> bool:
        """Return whether a report was printed when the match was over: what the game master said
        since then is in no log."""
        over = self.game.rules.outcome(self.states[told.ply][-1]) is not None
        as_of = told.made.as_of if told.made else None
        return over and bool(as_of) and str(as_of) >= self.log.at(told.ply)


def _first(told: ToldReport, made: MadeWith) -> int:
    """Return the first ply of a report's news; that after its own if it tells none."""
    return made.news[0] if made.news else told.ply + 1


def _orders(told: ToldReport, made: MadeWith) -> InForce | None:
    """Return the orders in force that a report shows to the one who sent them."""
    said = told.body.get("orders")
    if not said:
        return None
    revision = said["revision"] if made.orders is UNSET else made.orders
    return InForce(revision=revision, lines=tuple(said.get("lines", ())))


def _has_all(told: Iterable[Any], known: Iterable[Any]) -> bool:
    """Return whether all that is known was told, in that order."""
    rest = iter(told)
    return all(one in rest for one in known)


def _difference(place: str, shown: Any, known: Any) -> Difference:
    at, seen, right = first_difference(place, shown, known)
    return Difference(at, _short(seen), _short(right))


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _until(as_of: str | UnsetType | None, since: str, times: Sequence[str]) -> range:
    """Return how many things that happened at these times a report can tell of: all of those before
    the time for which it was printed, if that is known. Of one that is earlier than
    the ply, which came at `since`, nobody knows it: the clock was set back in between."""
    if not as_of:
        return range(len(times) + 1)
    return range(sum(since <= at < as_of for at in times), sum(at <= as_of for at in times) + 1)


def findings(played: ReplayedMatch, papers: Sequence[Document]) -> Iterator[AuditFinding]:
    """Yield what the reports show otherwise than the log, what of them cannot be made again here,
    and what they leave out."""
    yield from _versions(papers, played.log)
    match, reports = RemadeReports(played, papers), [*comparable(papers, played.log)]
    alone = [(paper, told) for paper in papers for told in paper.answered if told.alone]
    yield from _differing(match, [*reports, *alone])
    yield from _skipped(match, reports)
    yield from _never_told(match, reports)


@by_rule("O4")
def _differing(
    match: RemadeReports, reports: Sequence[tuple[Document, ToldReport]]
) -> Iterator[AuditFinding]:
    """Compare reports, and the news that are told alone, with what follows from the log."""
    for paper, told in reports:
        if (found := match.difference(told)) is not None:
            yield contradicts(
                "{paper}: under '{section}' it says '{shown}'; by the log ({log}) it must say "
                "'{known}'",
                paper=paper.name,
                section=found.place,
                shown=found.shown,
                log=match.log.paper.name,
                known=found.known,
            )


def comparable(papers: Sequence[Document], log: ParsedLog) -> Iterator[tuple[Document, ToldReport]]:
    """Yield the reports among the papers that can be made again here: those that this version of
    adjud has made, of the plies that the log has. Of another the fingerprint says so."""
    for paper in papers:
        for told in (*([paper.report] if paper.report else ()), *paper.answered):
            is_mine = told.made and _versions_of(told.made) == {__version__}
            if is_mine and 0 <= told.ply < len(log.heads):
                yield paper, told


def _versions_of(made: MadeWith) -> set[str]:
    return {made.adjud} if made.stored is UNSET else {made.adjud, made.stored}


@by_rule("version")
def _versions(papers: Sequence[Document], log: ParsedLog) -> Iterator[AuditFinding]:
    """Say which reports another version of adjud has made: only that can make them again. It must
    be one that the log names, or any lie could call itself one of another version. No line
    names a later one to which the club has changed since the last ply."""
    lines = [log.opening.version, *(one.version for one in log.entries)]
    known, named = [version for version in lines if version], set[str]()
    for paper in papers:
        if paper.report is None:
            continue
        made = paper.report.made
        if made is None and paper.head is not None:
            yield contradicts("{paper}: it does not say what it was made with", paper=paper.name)
        for version in sorted(_versions_of(made) if made else ()):
            if version not in known and not is_later(version, known[-1] if known else ""):
                yield contradicts(
                    "{paper} says that adjud {version} made it, but the log names {known}",
                    paper=paper.name,
                    version=shown(version),
                    known=", ".join(sorted({*known})),
                )
            elif version != __version__ and version not in named:
                named.add(version)
                yield asks(
                    "{paper} was made by adjud {version}, and others may have been, too. This is "
                    "adjud {own}: run `adjud audit` of that version on them",
                    paper=paper.name,
                    version=version,
                    own=__version__,
                )


@by_rule("O5")
def _skipped(
    match: RemadeReports, reports: Sequence[tuple[Document, ToldReport]]
) -> Iterator[AuditFinding]:
    """Yield the plies of whose news no report tells, though the reports before and after them are
    here; and the reports whose news begin after the last orders of their seat."""
    # An email of what is told once tells of no plies but those in which there was some.
    tenures = by_key(
        ((told.seat, told.made.tenure), (paper, told))
        for paper, told in reports
        if told.made and not told.once and told.made.again is not True
    )
    for (seat, _), those in tenures.items():
        until: int | None = None
        for paper, told in sorted(those, key=lambda one: one[1].ply):
            first = min((since for since, _ in told.spans), default=told.ply + 1)
            if match.retells(Seat(seat), told.ply):
                ordered = match.log.last_ordered_ply(seat, told.ply)
                if first > ordered:
                    yield contradicts(
                        "{paper}: its news begin with ply {first}, and they must begin with that "
                        "of the last orders, ply {ordered}",
                        paper=paper.name,
                        first=first,
                        ordered=ordered,
                    )
            elif until is not None and first > until + 1:
                yield asks(
                    "{paper}: no report here tells what happened in the plies from {first} to "
                    "{last}. Did you get one?",
                    paper=paper.name,
                    first=until + 1,
                    last=first - 1,
                )
            until = max(until or 0, *(end for _, end in told.spans), 0)


@by_rule("O5")
def _never_told(
    match: RemadeReports, reports: Sequence[tuple[Document, ToldReport]]
) -> Iterator[AuditFinding]:
    """Ask for the emails that tell once only what their reader saw in a ply: reports of before and
    after it show that he held the seat, and none tells it."""
    tenures = by_key(
        ((told.seat, told.made.tenure), (told, told.made.once or ()))
        for _, told in reports
        if told.made
    )
    for (seat, _), those in tenures.items():
        spans = [span for _, once in those for span in once]
        forms = [told for told, _ in those if not told.in_words]
        plies = [told.ply for told, _ in those]
        for ply in range(min(plies) + 1, max(plies) + 1) if forms else ():
            is_told = any(since <= ply <= until for since, until in spans)
            if not is_told and match.is_forgotten(forms[0], ply):
                yield asks(
                    "what {seat} saw in ply {ply} comes once only, in an email of its own, and "
                    "that is not among your files. Did you get it?",
                    seat=match.played.title(seat),
                    ply=ply,
                )
