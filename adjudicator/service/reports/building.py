"""Make what a seat is told, as one value (interface, section 3); store and read it, with what its
holder gets beside it.

The messages that he wrote to others and got from them (club, section 10) are read from their own
rows, so what is stored of a report does not hold them, and a former holder's are in none of his
successor's.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import UNSET, Struct, UnsetType, convert
from msgspec.json import decode, encode
from msgspec.structs import replace

from adjudicator import __version__
from adjudicator.core import chain, conditions, seat_report
from adjudicator.core.dice import digest, seal
from adjudicator.core.game import AnyGame, unflatten
from adjudicator.core.match import Seat
from adjudicator.core.message import Words
from adjudicator.core.orders import Line, split_lines
from adjudicator.core.report import (
    AnyReport,
    Committed,
    Dropped,
    InForce,
    LineInAdvance,
    Log,
    MadeWith,
    Notice,
    Ordered,
    OwnPapers,
    OwnSheet,
    PressThread,
    SheetInAdvance,
    ShownPress,
    flat,
    sentences_of_old,
    threads,
)
from adjudicator.core.seat_report import MarkMade, MatchFacts
from adjudicator.mail.address import MailDomain, seat_address
from adjudicator.reports.words import words
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.deadlines import balances, has_reserve_until, takes_advance
from adjudicator.service.base.loaded_match import (
    Loaded,
    Seated,
    refuse_unopened,
    rulings_since,
)
from adjudicator.service.emails import links
from adjudicator.service.emails.links import EmailReader
from adjudicator.service.reports import standing
from adjudicator.service.reports.standing import ReportContext, is_over, report_context_of
from adjudicator.store import matches, press, rulings, turns
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder
from adjudicator.store.results import UnusedSheet
from adjudicator.store.rulings import Ruling
from adjudicator.store.submissions import AdvanceVerdict

# Tell what a report has beside its seat's view: log, orders in advance, commitments, notices.


def log_head(at: ReportContext) -> Log | None:
    """Return the head of the log, which is opened when the match is over; None if this program
    cannot check it."""
    head, key, label = at.loaded.head, at.loaded.match.log_key, at.loaded.match.label
    if head is None or key is None or not is_told_again(at.loaded):
        return None
    if not is_over(at.loaded):
        return Log(head=head, label=label)
    return Log(
        head=head,
        label=label,
        key=key.hex(),
        lines=tuple(line for line in at.lines if line is not None),
        board=at.loaded.match.board or UNSET,
    )


def sheets_in_advance(loaded: Loaded, seat: Seat) -> tuple[SheetInAdvance, ...]:
    """Return a seat's own sheets for later turns (Espionage rule 8.4)."""
    kept = loaded.kept.get(seat, ())
    return tuple(SheetInAdvance(turn=sheet.turn, lines=sheet.lines) for sheet in kept)


def lines_used(judged: Iterable[AdvanceVerdict]) -> Iterator[LineInAdvance]:
    for one in judged:
        if one.used:
            yield LineInAdvance(
                turn=one.turn,
                line=one.used[0],
                text=one.used[1],
                revision=one.revision or UNSET,
                digest=one.digest or UNSET,
                hashed=one.hashed or UNSET,
            )


def lines_dropped(judged: Iterable[AdvanceVerdict]) -> Iterator[Dropped]:
    for one in judged:
        for why in one.fallen:
            yield Dropped(turn=one.turn, line=why.line, text=why.text, why=why.message)


def orders_of(at: ReportContext, seat: Seat, since: int) -> Iterator[Ordered]:
    """Yield the orders of the seat's holder that were adjudicated from a ply on."""
    match, taken_over = at.loaded.match, at.taken_over.get(seat)
    for turn, sheet in at.used if is_told_again(at.loaded) else ():
        is_his = taken_over is None or sheet.received_at >= taken_over
        if sheet.ply >= since and sheet.seat == seat and is_his:
            head = chain.receipt_head(match.label, match.name, seat, turn, sheet.revision)
            yield Ordered(
                turn=turn,
                revision=sheet.revision,
                at=rfc3339(sheet.received_at),
                hashed=head,
                digest=chain.sheet_digest(head, sheet.lines),
            )


def secrets(at: ReportContext) -> Iterator[Committed]:
    """Yield the secrets to which the match has committed, as reports tell them at its end."""
    loaded = at.loaded
    for entry in sorted(at.commitments, key=lambda one: (one.ply, loaded.seats.index(one.seat))):
        sealed = seal(loaded.match.name, entry.what, entry.seat, entry.text, entry.salt)
        yield Committed(
            what=entry.what, seat=entry.seat, number=None, digest=digest(sealed), opened=sealed
        )


def notices(at: ReportContext, since: int) -> Iterator[Notice]:
    match = at.loaded.match
    for entry in at.rulings:
        # Made while the ply of this seat's last orders was awaited.
        if entry.ply + 1 >= since and entry.is_told_at(at.ply):
            yield notice_of(entry)
    if match.seed_given:
        yield Notice(at=rfc3339(match.created_at), told=seat_report.SEED_GIVEN)


def notices_since(tx: Tx, loaded: Loaded) -> Iterator[Notice]:
    """Yield what was ruled since the last ply."""
    match = loaded.match
    for entry in rulings.since(tx, match.id, match.ply):
        if entry.is_told_at(match.ply):
            yield notice_of(entry)


def notice_of(entry: Ruling) -> Notice:
    """Return what players are told of a ruling: what was done, and the game master's reason."""
    return Notice(at=rfc3339(entry.at), told=entry.message, reason=entry.reason)


def notice_text(entry: Ruling, tell: Words) -> str:
    """Return what players read of a ruling."""
    return notice_of(entry).in_words(tell)


class OnceTold(Struct, frozen=True):
    """News that are told once only, and the first ply of which they tell."""

    news: Sequence[Any]
    since: int


def news_to_forget(at: ReportContext, whole: AnyReport) -> OnceTold | None:
    """Return what a report tells once only, which is then forgotten."""
    seat, tells_once = whole.seat, at.loaded.game.sight.tells_once
    if tells_once is None:
        return None
    since = at.fresh.get(seat, at.since[seat])
    fresh = replace(whole, news=seat_report.news_of(facts_of_ply(at), seat, since))
    return OnceTold(fresh.news, since) if tells_once(fresh) else None


def part_to_keep(at: ReportContext, whole: AnyReport) -> AnyReport:
    """Return what is stored of a report."""
    game, tells_once = at.loaded.game, at.loaded.game.sight.tells_once
    if tells_once is None or not (tells_once(whole) or news_to_forget(at, whole)):
        return whole
    return forgetful(game, whole)


def write(game: AnyGame, report: AnyReport) -> str:
    """Return a report as it is stored."""
    return encode(flat(report, game.record.key)).decode()


def read(game: AnyGame, body: str | bytes) -> AnyReport:
    """Read a report that was stored, also by an older program."""
    return unflatten(game, sentences_of_old(decode(body)))


def read_news(game: AnyGame, news: Sequence[Any]) -> tuple[Any, ...]:
    """Read news that were stored by themselves."""
    # mypy takes `sighting` for the name of a type; it is one that is known when this runs.
    return convert(news, tuple[game.sight.sighting, ...])  # type: ignore[name-defined]


def present(tx: Tx, loaded: Loaded, seat: Seat, at: ReportContext | None = None) -> AnyReport:
    """Return the report of how the match stands now, without what is told once only.

    `at` is its standing, if that is known.
    """
    at = at or report_context_of(tx, loaded)
    kept = part_to_keep(at, report(at, seat))
    stored = turns.report_of(tx, loaded.match.id, loaded.match.ply, seat)
    assert stored is not None
    if stored.tenure != loaded.holders[seat].tenure:  # its news were told to another
        return forgetful(loaded.game, kept)
    return kept


def after_last_ply(tx: Tx, loaded: Loaded, seat: Seat) -> AnyReport:
    """Return the report as it was after the last ply, with what all have been told since.

    Nothing in it depends on what anybody has sent since, this seat itself neither, nor on what
    emails have been delivered.
    """
    refuse_unopened(loaded)
    match = loaded.match
    stored = turns.report_of(tx, match.id, match.ply, seat)
    assert stored is not None
    told = read(loaded.game, stored.body)
    if stored.tenure != loaded.holders[seat].tenure:
        told = forgetful(loaded.game, told)
    if is_over(loaded):
        # Where news begin that are told anew depends on the emails that were delivered.
        news = {
            name: getattr(told, name) for name in ("news", "notices", "used", "dropped", "made")
        }
        return replace(present(tx, loaded, seat), **news)
    return replace(
        with_rulings(tx, loaded, told),
        tenure=loaded.holders[seat].tenure,
        awaited=loaded.awaited,
        orders=None,
        template=order_template(loaded, seat, told.view),
    )


def with_rulings(tx: Tx, loaded: Loaded, told: AnyReport) -> AnyReport:
    """Return the report of the last ply with what all have been told since, and what follows from
    that: the deadline, options, reserves and holders."""
    holder = loaded.holders[told.seat]
    tell = words(holder.language, loaded.match.game, holder.zone)
    since = tuple(notices_since(tx, loaded))
    return replace(
        told,
        deadline=rfc3339(loaded.match.deadline_at),
        options=dict(sorted(loaded.match.options.items())),
        bank=_bank(loaded),
        players={name: loaded.holders[name].told_name for name in loaded.seats},
        reserve_until=_until(has_reserve_until(loaded, told.seat, known=loaded.since)),
        notices=(
            *(one for one in told.notices if not _is_among(one, since, told.adjudicated, tell)),
            *since,
        ),
    )


def _is_among(
    notice: Notice, since: Sequence[Notice], adjudicated: str | UnsetType | None, tell: Words
) -> bool:
    """Return whether a notice is one of those since the ply. What came with the ply may have the
    same second as what was ruled right after it, and then says something else."""
    same = [one for one in since if one.at == notice.at]
    if notice.at != adjudicated:
        return bool(same)
    return notice.in_words(tell) in [one.in_words(tell) for one in same]


def forgetful(game: AnyGame, report: AnyReport) -> AnyReport:
    """Return a present report in which only those news are left that may be told again."""
    made = report.made
    if made is not UNSET and game.sight.tells_once is not None:
        made = replace(made, lasting=True)
    return replace(report, news=game.sight.lasting(report).news, made=made)


def for_successor(game: AnyGame, report: AnyReport) -> AnyReport:
    """Return a report of a former holder as his successor may read it: without his sheets in
    advance and the times of others, his marks and his notes (Espionage rules 8.7, 9.3)."""
    made = report.made
    if made is not UNSET:
        # The language and zone of somebody before are nobody's business; versions up to 0.2.31
        # have stored them, and notices in these words.
        made = replace(made, former=True, language=UNSET, zone=UNSET)
    told = replace(
        report, advance=UNSET, used=UNSET, dropped=UNSET, ordered=(), own=UNSET, made=made
    )
    return standing.without_jottings(game, told)


def report(at: ReportContext, seat: Seat) -> AnyReport:
    """Return the report of `seat`: what is the case now, and what happened since its own last
    orders."""
    loaded, since, in_force = at.loaded, at.since[seat], at.loaded.sheets.get(seat)
    takes = takes_advance(loaded)
    judged = [one for one in at.verdicts.get(seat, ()) if one.ply >= since]
    marks, notes = _marks_and_notes(at, seat)
    return replace(
        seat_report.report_of(facts_of_ply(at), seat, since, marks),
        tenure=loaded.holders[seat].tenure,
        orders=InForce(revision=in_force.revision, lines=tuple(in_force.lines))
        if in_force
        else None,
        notices=tuple(notices(at, since)),
        ordered=tuple(orders_of(at, seat, since)),
        advance=sheets_in_advance(loaded, seat) if takes else UNSET,
        used=tuple(lines_used(judged)) if takes else UNSET,
        dropped=tuple(lines_dropped(judged)) if takes else UNSET,
        notes=UNSET if notes is None else notes,
        own=own_papers(at, seat, marks or (), notes or ()),
        made=inputs_of(at, seat, since, marks),
        reserve_until=_until(has_reserve_until(loaded, seat)),
    )


def _marks_and_notes(
    at: ReportContext, seat: Seat
) -> tuple[Sequence[MarkMade] | None, tuple[str, ...] | None]:
    """Return the seat's own; none at all where the game takes none."""
    if at.jottings is None:
        return None, None
    marks, notes = standing.own_jottings(at.loaded, seat, at.jottings)
    return [MarkMade(ply=one.ply, place=one.place, text=one.text) for one in marks], tuple(notes)


def facts_of_ply(at: ReportContext) -> MatchFacts:
    """Return what the reports to all seats are made from."""
    return replace(
        facts_of(at.loaded), ply=at.ply, log=at.log, secrets=tuple(secrets(at)), head=log_head(at)
    )


def facts_of(loaded: Loaded) -> MatchFacts:
    """Return how a match stands, without its log."""
    match = loaded.match
    return MatchFacts(
        game=loaded.game,
        match=match.name,
        variant=match.variant,
        options=match.options,
        players={seat: loaded.holders[seat].told_name for seat in loaded.seats},
        epoch=match.epoch,
        chance=loaded.chance,
        state=loaded.state,
        ply=match.ply,
        adjudicated=rfc3339(loaded.since),
        opened=match.created_at.strftime("%Y.%m.%d"),
        deadline=rfc3339(match.deadline_at),
        bank=balances(loaded),
        draw_offers=loaded.draw_offers,
        log=(),
        secrets=(),
        head=None,
    )


def _bank(loaded: Loaded) -> Mapping[str, int] | UnsetType:
    held = balances(loaded)
    return UNSET if held is None else held


def _until(moment: datetime | None) -> str | UnsetType:
    return UNSET if moment is None else rfc3339(moment)


def own_papers(
    at: ReportContext, seat: Seat, marks: Sequence[MarkMade], notes: tuple[str, ...]
) -> OwnPapers | UnsetType:
    """Return what the last report opens to a seat's holder of what he sent for himself alone: all
    that came after he got the seat."""
    if not is_told_again(at.loaded) or not is_over(at.loaded):
        return UNSET
    taken_over = at.taken_over.get(seat)
    return OwnPapers(
        sheets=tuple(
            _own_sheet(at.loaded.game, one)
            for one in at.unused
            if one.seat == seat and (taken_over is None or one.received_at > taken_over)
        ),
        marks=tuple((one.ply, one.place, one.text) for one in marks),
        notes=notes,
    )


def _own_sheet(game: AnyGame, one: UnusedSheet) -> OwnSheet:
    """Return a sheet with the lines that its receipt told: one in advance that was put in force has
    the orders that it gave in their place by now."""
    lines = one.lines
    if one.put_in_force:
        lines = tuple(conditions.canonical(game, conditions.read_plan(game, body_of(one.text))))
    return OwnSheet(
        turn=one.turn,
        revision=one.revision,
        at=None if one.put_in_force else rfc3339(one.received_at),
        kept=one.in_advance,
        became=one.became,
        lines=lines,
    )


def body_of(text: str) -> Sequence[Line]:
    """Return the lines of a sheet below its head, numbered from it."""
    return split_lines(text)[1:]


def inputs_of(
    at: ReportContext, seat: Seat, since: int, marks: Sequence[MarkMade] | None
) -> MadeWith | UnsetType:
    """Return what a report is made with; nothing if nobody can make it again from the log."""
    if not is_told_again(at.loaded):
        return UNSET
    return MadeWith(
        adjud=__version__,
        news=(since, at.ply),
        marks=tuple((one.ply, one.place, one.text) for one in marks) if marks else UNSET,
    )


def is_told_again(loaded: Seated) -> bool:
    """Return whether the log of a match has what its readers need to make their reports again: not
    if it began before 0.2.22."""
    return loaded.match.label in chain.LABELS


def view_of(loaded: Loaded, seat: Seat, events: Sequence[Any]) -> Any:
    """Return what a seat that is played sees now, with what it remembers of the match's events."""
    return seat_report.view_of(loaded.game, loaded.state, seat, events, loaded.match.options)


def public(loaded: Loaded, seat: Seat) -> AnyReport:
    """Return how a match stands, as `seat` sees it: nothing that was sent, said or done."""
    view = loaded.game.sight.observe(loaded.state, seat)
    return seat_report.public_report(facts_of(loaded), seat, view)


def order_template(loaded: Loaded, seat: Seat, view: Any) -> tuple[str, ...]:
    """Return a sheet ready to edit; empty for a seat that is not awaited."""
    return seat_report.template_of(facts_of(loaded), seat, view)


def record(loaded: Loaded, events: Sequence[Any]) -> str:
    """Return the game record of a match, from its whole log."""
    return seat_report.record_of(facts_of(loaded), events)


def threads_of(
    tx: Tx, loaded: Seated, seat: Seat, ply: int | None = None
) -> tuple[PressThread, ...]:
    """Return the threads of a seat's present holder: those of the report of a ply, or all that is
    known now."""
    holder = loaded.holders[seat]
    if holder.player_id is None:
        return ()
    its = (loaded.match.id, seat, holder.tenure)
    found = [
        (
            one.at,
            one.sent.id,
            ShownPress(
                number=one.number,
                at=rfc3339(one.at),
                by=None if one.sent.unsigned else one.sent.seat,
                to=_readers(loaded, one.sent),
                unsigned=one.sent.unsigned,
                lines=one.sent.lines,
            ),
        )
        for one in press.copies(tx, *its)
        if (ply is None or one.ply <= ply) and one.sent.lines
    ]
    found += [
        (
            one.sent_at,
            one.id,
            ShownPress(
                at=rfc3339(one.sent_at),
                by=seat,
                to=_readers(loaded, one),
                unsigned=one.unsigned,
                lines=one.lines,
            ),
        )
        for one in press.messages_of(tx, *its)
        if (ply is None or one.ply < ply) and one.lines
    ]
    # What is told at one moment keeps the order of its numbers, which says nothing of who wrote.
    found.sort(key=lambda one: (one[0], one[2].number is None, one[2].number or one[1]))
    return threads([one for _, _, one in found], seat, loaded.seats)


def _readers(loaded: Seated, sent: press.SentPress) -> tuple[Seat, ...]:
    return tuple(seat for seat in loaded.seats if seat in sent.readers)


def seat_reader(post: MailDomain | None, report: AnyReport, holder: Holder) -> EmailReader:
    """Return who reads a seat's report. Nobody writes for a seat that no person holds, nor to a
    club that has no address."""
    if post is None or holder.player_id is None:
        return EmailReader(holder.language, holder.zone)
    address = seat_address(post, report.match, report.seat, holder.tenure)
    return EmailReader(holder.language, holder.zone, address=address)


def acts_in(tx: Tx, loaded: Seated, report: AnyReport) -> tuple[int, ...]:
    """Return the numbers of the rulings that a report tells, as the log has them."""
    if not report.notices or loaded.match.label == chain.SENTENCES:  # whose log has no numbers
        return ()
    told = {(one.at, one.told.text) for one in report.notices}
    return tuple(
        one.number
        for one in rulings_since(tx, loaded.match, 0)
        if one.action != rulings.LOOK and (rfc3339(one.at), one.message.text) in told
    )


def can_rematch(loaded: Seated) -> bool:
    """Return whether two or more people play, and no seat is open."""
    holders = loaded.holders.values()
    people = {one.player_id for one in holders if one.player_id is not None}
    return len(people) > 1 and all(one.shown_name for one in holders)


def rematch_link(
    post: MailDomain | None, loaded: Seated, seat: Seat, report: AnyReport
) -> str | None:
    """Return what begins an email from the seat that asks for a rematch; None if there is nobody to
    be asked, or the match goes on."""
    reader = seat_reader(post, report, loaded.holders[seat])
    if reader.address is None or report.result is None or not can_rematch(loaded):
        return None
    return links.rematch(report, reader)


_FIRST_MATCHES = 2  # of a game, in which a player gets tips


def file_name(match: str, seat: str, turn: int) -> str:
    """Return the name of a report as a file, without its ending; people know turns, not plies."""
    return f"{match}-{seat}-{turn}"


def wants_tips(tx: Tx, loaded: Seated, report: AnyReport) -> bool:
    """Return whether a report's reader gets a tip: as he has chosen, or else in his first matches
    of the game."""
    holder = loaded.holders[report.seat]
    if holder.player_id is None or report.result is not None:
        return False
    if holder.tips != "first":
        return holder.tips == "on"
    match = loaded.match
    return matches.earlier_of_game(tx, holder.player_id, match.game, match.id) < _FIRST_MATCHES


def what_came(report: AnyReport, holder: Holder) -> str:
    """Return the news of a report by themselves, as a receipt tells them; empty if there are
    none."""
    from adjudicator.games import GAMES
    from adjudicator.reports.render import renders

    game = GAMES[report.game]
    (text,) = renders(game, report, ["news"], holder.language, holder.zone)
    return text
