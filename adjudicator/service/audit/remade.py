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

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.json import encode
from msgspec.structs import replace

from adjudicator.core import chain, seat_report
from adjudicator.core.chain import DeclaredWord, HolderChange, Opening, PlyText
from adjudicator.core.match import Seat, holder_read
from adjudicator.core.message import Message, Words, say
from adjudicator.core.report import AnyReport, InForce, Log, Notice, Ordered, flat_in_words
from adjudicator.core.seat_report import (
    SEED_GIVEN,
    InAdvance,
    MarkMade,
    MatchFacts,
    SealedSecret,
    SeatFacts,
)
from adjudicator.reports.button import placeholders
from adjudicator.reports.daily import body_of
from adjudicator.reports.frame import ReplyForm
from adjudicator.reports.press_rows import PRESS
from adjudicator.reports.render import Prints
from adjudicator.reports.words import words
from adjudicator.service.audit import prints
from adjudicator.service.audit.agreed import LOOK, deadline_after, options_at
from adjudicator.service.audit.differences import (
    Compared,
    Difference,
    html_difference,
    json_difference,
    text_difference,
    values_difference,
)
from adjudicator.service.audit.papers import Document
from adjudicator.service.audit.prints import Piece, PrintedReport, Section
from adjudicator.service.audit.receipts import ParsedLog
from adjudicator.service.audit.replayed import BY_DEFAULT, UNREPLAYABLE, ReplayedMatch
from adjudicator.service.base.deadlines import reserves_after, reserves_decided
from adjudicator.service.emails.value import as_emailed

_RECEIPT, _JOTTED = say("Your last orders"), say("Your marks and notes")
_ROWS = ((_RECEIPT, "<div"), (_JOTTED, '<p style="margin:0 0 8px"'))  # of an email's HTML
_NOT_MADE = (*(title for title, _ in _ROWS), PRESS)  # of a text
_NOTICES = say("From the game master")
_OWN = (say("Your orders in advance"), say("Saved for later turns"))


class Moment(Struct, frozen=True):
    """How many of the events, rulings, words of seats and new holders that came after a ply a
    report tells of."""

    events: int
    rulings: int
    said: int
    holders: int


class RemadeReports:
    """A match that was replayed, from which reports are made again."""

    def __init__(self, played: ReplayedMatch, papers: Sequence[Document], log: ParsedLog) -> None:
        self.played, self.log, self.game, self.papers = played, log, played.game, papers
        self.states, self.happened = played.states(), list(played.happened())
        self._last: tuple[tuple[AnyReport, str, str, ReplyForm], Prints] | None = None

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
        try:
            return self._difference(paper, printed)
        except UNREPLAYABLE:  # with what it says that it was made with, nobody can have made it
            made = encode({"made": printed.made}).decode()
            return Difference(self._words(printed)(say("For adjud audit:")), made, "")

    def _difference(self, paper: Document, printed: PrintedReport) -> Difference | None:
        seats, moments = self._seats(paper, printed), list(self._moments(printed))
        if not seats:
            return Difference("", "", f"({self._words(printed)(say('you'))})")
        if not moments:
            due = self._deadline(printed.ply, Moment(0, 0, 0, 0))
            return Difference("", printed.made.deadline or "", due)
        nearest: tuple[float, Difference] | None = None
        for seat, moment in product(seats, moments):
            report = self._report(paper, printed, seat, moment)
            found = self._compared(printed, report)
            if found is not None and printed.form != "json":  # an email has its keys in order
                self._last = None  # which is equal, and yet told otherwise
                found = self._compared(printed, as_emailed(report)) and found
            if found is None:
                return None
            if nearest is None or found[0] > nearest[0]:
                nearest = found
        return nearest[1] if nearest else None

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
        """Return whose report it is; None if that is not known."""
        found = self._seats(paper, printed)
        return found[0] if len(found) == 1 else None

    def _seats(self, paper: Document, printed: PrintedReport) -> Sequence[Seat]:
        """Return whose report it may be. What is told once only does not say it by itself, so in a
        daily email it is of one of its reader's seats."""
        seats = self.played.setting.seats
        if printed.form == "json":
            return [seat for seat in seats if seat == printed.body["seat"]]
        mine = [seat for seat in seats if seat in paper.seats]
        if len(mine) == 1:
            return mine
        if (named := self._named_as_you(printed)) is not None:
            return [named]
        return self._of_reader if printed.form == "aside" else ()

    @cached_property
    def _of_reader(self) -> Sequence[Seat]:
        """Return the seats of which all these papers are."""
        told = {seat for paper in self.papers for seat in paper.seats}
        prints_of = [one for paper in self.papers for one in paper.prints if one.form != "json"]
        told |= {named for one in prints_of if (named := self._named_as_you(one))}
        return [seat for seat in self.played.setting.seats if seat in told]

    def _named_as_you(self, printed: PrintedReport) -> Seat | None:
        you = f" ({self._words(printed)(say('you'))})"
        told = zip(self.played.setting.seats, self._names(printed), strict=False)
        return next((seat for seat, name in told if name.endswith(you)), None)

    def _words(self, printed: PrintedReport) -> Words:
        made = printed.made
        return words(str(made.language or "en"), self.game.slug, str(made.zone or "UTC"))

    def _moments(self, printed: PrintedReport) -> Iterator[Moment]:
        """Yield what came after the ply and may be told by a report of it."""
        after, made = self._after(printed.ply), printed.made
        since = self.log.entries[printed.ply - 1].at if printed.ply else self.opening.at
        for events, rulings, said, holders in product(
            range(len(self.states.get(printed.ply, ()))),
            _until(made.as_of, since, [one.at for one in after.rulings]),
            range(len(after.said) + 1),
            _until(made.as_of, since, [one.at for one in after.holders]),
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
        return deadline_after(due, after.rulings[: moment.rulings], after.holders[: moment.holders])

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
        # What is told once goes out in parts; the last of them begins where its report does.
        parts = made.once or ()
        begun = parts[-1][0] if parts and not made.news else first
        mine = SeatFacts(
            seat=seat,
            tenure=made.tenure,
            since=first,
            orders=self._orders(printed),
            notices=tuple(self._notices(printed, moment, begun)),
            ordered=()
            if made.former is True
            else tuple(self._ordered(printed, seat, begun, moment)),
            in_advance=InAdvance() if self.takes_advance else None,
            marks=[
                MarkMade(ply=ply, place=place, text=text) for ply, place, text in made.marks or ()
            ]
            if self.game.marks
            else None,
            notes=() if self.game.marks else None,
            made=made,
            reserve_until=made.until,
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
                    head = chain.receipt_head(match, seat, entry.turn, sheet.revision)
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
        return self.log.opening

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
                if not (is_last and ruled.action == LOOK):
                    told = Notice(at=ruled.at, told=ruled.message, reason=ruled.reason)
                    yield self._as_worded(printed, told)
        if self.opening.seed_given:
            yield self._as_worded(printed, Notice(at=self.opening.at, told=SEED_GIVEN))

    def _as_worded(self, printed: PrintedReport, notice: Notice) -> Notice:
        """Return a notice as a club up to 0.2.31 has worded it, if its reader has changed his
        language since: there it stays as it was."""
        if not printed.made.worded:
            return notice
        language, zone = printed.made.worded
        return Notice(
            at=notice.at, told=Message(notice.in_words(words(language, self.game.slug, zone)))
        )

    def _facts(self, printed: PrintedReport, moment: Moment) -> MatchFacts:
        played, ply = self.played, printed.ply
        state = self.states[ply][moment.events]
        over = self.game.rules.outcome(state) is not None
        entry = self.log.entries[ply - 1] if ply else None
        return MatchFacts(
            game=self.game,
            match=played.match,
            variant=played.setting.variant,
            options=self._options(ply, moment),
            players=self._players(printed),
            epoch=printed.epoch,
            chance=played.chance(state),
            state=state,
            ply=ply,
            adjudicated=entry.at if entry else self.opening.at,
            opened=self.opening.at[:10].replace("-", "."),
            deadline=self._deadline(ply, moment) or None,
            bank=self._reserves(ply, moment),
            draw_offers=() if over else self._offers(ply, moment),
            log=[
                (one.ply, one.event)
                for one in self.happened
                if one.ply < ply or (one.ply == ply and one.number <= moment.events)
            ],
            secrets=[secret for named, secret in self.secrets if named <= ply],
            head=self._head(ply, over=over),
        )

    def _reserves(self, ply: int, moment: Moment) -> Mapping[str, int] | None:
        """Return what the reserves hold after a ply and what came since."""
        seats, after = [str(seat) for seat in self.played.setting.seats], self._after(ply)
        return reserves_decided(
            reserves_after(self.opening, self.log.entries[:ply], seats),
            self._options(ply, Moment(0, 0, 0, 0)),
            after.rulings[: moment.rulings],
            after.holders[: moment.holders],
            seats,
        )

    def _options(self, ply: int, moment: Moment) -> Mapping[str, str]:
        """Return the options in force after a ply and what came since."""
        since = self._after(ply).rulings[: moment.rulings]
        return options_at(self.opening, self.log.entries[:ply], since)

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
        bare = (name.removesuffix(you) for name in self._names(printed))
        told = zip(seats, bare, strict=False)
        return {
            seat: "" if name == nobody else self._computer(seat, name, tell) or name
            for seat, name in told
        }

    def _names(self, printed: PrintedReport) -> Sequence[str]:
        """Return what a report says at its head of each seat's holder, and of the reader that it is
        `you`: the text of an email says it also for its HTML and the page that is attached."""
        tell, seats = self._words(printed), self.played.setting.seats
        if printed.text:
            titles = [tell(self.game.seat_titles[seat]) for seat in seats]
            return prints.names_in_text(printed.text, titles)
        return prints.names_in_page(printed.content) or [""] * len(seats)

    def _computer(self, seat: Seat, name: str, tell: Words) -> str:
        """Return the built-in player that is called so in the reader's language, if the seat had
        it; the record names it as the log does. Empty for a person."""
        changes = (one for entry in self.log.entries for one in entry.holders)
        kinds = {one.kind for one in self.opening.holders if one.seat == seat}
        kinds |= {one.kind for one in changes if one.seat == seat}
        computers = kinds - {chain.PERSON, chain.OPEN}
        return next((kind for kind in computers if holder_read(kind, tell) == name), "")

    def _compared(self, printed: PrintedReport, report: AnyReport) -> Compared:
        """Return how alike a report is to what was made again, and the first difference; None if
        there is none."""
        later = self._tells_what_came_later(printed)
        if printed.form == "json":
            known = self._flat(report, printed)
            body = prints.json_without_later(printed.body, known) if later else printed.body
            return json_difference(body, known)
        again = self._printed(printed, report)
        if printed.form in ("text", "aside"):
            told, right = (self._sections(printed, text) for text in (printed.content, again))
            if later:
                told = prints.sections_without_later(told, right, self._words(printed)(_NOTICES))
            return text_difference(told, right)
        content = printed.content
        if printed.form == "letter" and "<body" not in content:  # a part of a daily email
            again = body_of(again)
        back = prints.looks_back(content)
        one, other = (prints.parsed(html, back=back) for html in (content, again))
        shown, again_shown = (self._pieces(printed, found.pieces) for found in (one, other))
        if later:
            shown = prints.pieces_without_later(shown, again_shown, self._words(printed)(_NOTICES))
        return html_difference(shown, again_shown) or values_difference(
            _without_own_orders(one.values), _without_own_orders(other.values)
        )

    def _tells_what_came_later(self, printed: PrintedReport) -> bool:
        """Return whether a report was printed when the match was over: what the game master said
        since then is in no log."""
        over = self.game.rules.outcome(self.states[printed.ply][-1]) is not None
        ended = self.log.entries[printed.ply - 1].at if printed.ply else self.opening.at
        return over and bool(printed.made.as_of) and str(printed.made.as_of) >= ended

    def _sections(self, printed: PrintedReport, text: str) -> Sequence[Section]:
        """Return the sections of a text, without what is the reader's own."""
        tell = self._words(printed)
        text = prints.without_digests(text)
        for title in _NOT_MADE:
            text = prints.without_lines(text, tell(title))
        own = self._own_titles(printed)
        return [one for one in prints.sections(text) if one.title not in own]

    def _pieces(self, printed: PrintedReport, found: Sequence[Piece]) -> Sequence[Piece]:
        """Return the pieces of the HTML of an email or of a page, without what is the reader's
        own."""
        tell, own = self._words(printed), self._own_titles(printed)
        found = prints.without_sheet(prints.without_orders(found), self._title_of_orders(printed))
        if printed.form == "page":
            own |= {tell(_JOTTED)}
        for title, tag in _ROWS if printed.form == "letter" else ():
            found = prints.without_rows(found, tell(title), tag)
        return [piece for piece in found if piece.title not in own]

    def _own_titles(self, printed: PrintedReport) -> frozenset[str]:
        """Return the headings of what is the reader's own and in no log."""
        tell, orders = self._words(printed), printed.made.orders
        own = {tell(title) for title in _OWN}
        if printed.made.former is True:  # in the language of somebody else
            own.add(tell(_NOTICES))
        if orders is not UNSET:
            own.add(self._title_of_orders(printed))
        return frozenset(own)

    def _title_of_orders(self, printed: PrintedReport) -> str:
        """Return the heading of the seat's current orders."""
        revision = 0 if printed.made.orders is UNSET else printed.made.orders
        told = say("Your current orders, version {revision}", revision=revision)
        return self._words(printed)(told)

    def _flat(self, report: AnyReport, printed: PrintedReport) -> Mapping[str, Any]:
        """Return a report as JSON has it, with what is taken from the paper."""
        kept = ["advance", "used", "dropped", "notes", "own", "press"]
        if printed.made.former is True:  # in the language of somebody else
            kept.append("notices")
        body = printed.body
        known = flat_in_words(report, self._words(printed), self.game.record.key)
        own = {key: body[key] for key in kept if key in body}
        return {**{key: value for key, value in known.items() if key not in kept}, **own}

    def _printed(self, printed: PrintedReport, report: AnyReport) -> str:
        made = printed.made
        links = placeholders(made.ways or ())
        reply = ReplyForm(
            link="mailto:" if made.link is True else None,
            attached=made.attached is True,
            sheet="mailto:" if made.link is True else None,
            picture="board" if made.picture is True else None,
            first=made.first is True,
            page="page" if made.linked is True else None,
            built=made.built or None,
            on_site=made.site is True,
            tips=made.tips is True,
            example="mailto:" if made.example is True else None,
            links=links,
            rematch=links.rematch,
            rating=made.rating or None,
        )
        if made.worded:
            told = replace(made, language=made.worded[0], zone=made.worded[1])
            report = replace(report, made=told)
        again = self._rows(report, str(made.language or "en"), str(made.zone or "UTC"), reply)
        if printed.form == "page":
            return again.page_without_history
        return again.form({"text": "txt"}.get(printed.form, printed.form))

    def _rows(self, report: AnyReport, language: str, zone: str, reply: ReplyForm) -> Prints:
        """Return a report with its rows made, the same one for the text, the HTML and the page of
        an email, which come one after the other."""
        wanted = (report, language, zone, reply)
        if self._last is None or self._last[0] != wanted:
            self._last = (wanted, Prints(self.game, report, language, zone, reply))
        return self._last[1]


def _until(as_of: str | UnsetType | None, since: str, times: Sequence[str]) -> range:
    """Return how many things that happened at these times a report can tell of: all of those before
    the time for which it was printed, if that is known. Of one that is earlier than
    the ply, which came at `since`, nobody knows it: the clock was set back in between."""
    if not as_of:
        return range(len(times) + 1)
    return range(sum(since <= at < as_of for at in times), sum(at <= as_of for at in times) + 1)


def _said(
    standing: Sequence[DeclaredWord], words: Sequence[DeclaredWord], holders: Sequence[HolderChange]
) -> list[DeclaredWord]:
    """Return the offers that stand once these words were said and these seats changed hands.

    The offer of a seat that resigns is shown until another seat's orders are adjudicated.
    """
    offers = list(standing)
    for one in words:
        if one.word == "RESIGN":
            continue
        offers = [other for other in offers if other.seat != one.seat]
        if one.word == "DRAW":
            offers.append(one)
    left = {(change.seat, change.at) for change in holders}
    return [
        one for one in offers if not any(seat == one.seat and at >= one.at for seat, at in left)
    ]


def _without_own_orders(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a page's values without the seat's own orders in force, which no log has."""
    return {
        name: {key: part for key, part in value.items() if key != "sent"}
        if isinstance(value, dict)
        else value
        for name, value in values.items()
    }
