"""Make what a seat is told, as one value (interface, section 3); store and read it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, convert
from msgspec.json import decode, encode
from msgspec.structs import replace

from adjudicator.core.dice import digest, seal
from adjudicator.core.game import AnyGame, Chronicle, unflattened
from adjudicator.core.match import Seat
from adjudicator.core.message import Words, say
from adjudicator.core.report import (
    AnyReport,
    Committed,
    Dropped,
    InForce,
    Kept,
    Log,
    Notice,
    Report,
    Used,
    flat,
)
from adjudicator.reports.words import words
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.decoders import decoder
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.turns_ahead import takes_advance
from adjudicator.service.report import own_marks
from adjudicator.store import jottings, reports_told, rulings, sheets_ahead, turns, used_sheets
from adjudicator.store.database import Tx
from adjudicator.store.jottings import Jottings
from adjudicator.store.rulings import Ruling
from adjudicator.store.sheets_ahead import Verdict
from adjudicator.store.turns import Commitment


class Standing(Struct, frozen=True):
    """All from which reports of one ply are made.

    `since` is the first ply of each seat's news, and `fresh`, if it is another, that of the news
    that a letter of their own tells once only. `log` holds (ply, event) from the earliest of them
    on, or the whole match once it is over or if its views remember what was seen. `lines` are those
    of the log's chain, once it is opened; `jottings` are given where the game takes marks and
    notes.
    """

    loaded: Loaded
    ply: int
    since: Mapping[Seat, int]
    log: Sequence[tuple[int, Any]]
    commitments: Sequence[Commitment]
    rulings: Sequence[Ruling]
    verdicts: Mapping[str, Sequence[Verdict]] = {}
    lines: Sequence[str | None] = ()
    fresh: Mapping[Seat, int] = {}
    jottings: Jottings | None = None


class Past(Struct, frozen=True, kw_only=True):
    """Tell all to which the match has committed, and all rulings in it."""

    commitments: Sequence[Commitment]
    rulings: Sequence[Ruling]


def past_of(tx: Tx, loaded: Loaded) -> Past:
    match_id = loaded.match.id
    return Past(commitments=turns.commitments(tx, match_id), rulings=rulings.since(tx, match_id, 0))


def standing(tx: Tx, loaded: Loaded, past: Past | None = None) -> Standing:
    """Return what reports of the match are made from now; `past` is what lies behind, if that is
    known."""
    past = past or past_of(tx, loaded)
    fresh = {seat: _since(tx, loaded, seat) for seat in loaded.seats}
    since = {**fresh, **_untold(tx, loaded, fresh)}
    verdicts: Mapping[str, Sequence[Verdict]] = {}
    if takes_advance(loaded):
        verdicts = sheets_ahead.verdicts(tx, loaded.match.id, min(since.values()))
    earliest = min(since.values())
    game = loaded.game
    whole = _over(loaded) or game.sight.remember is not None or game.marks is not None
    return Standing(
        loaded=loaded,
        ply=loaded.match.ply,
        since=since,
        fresh=fresh,
        log=read_log(tx, loaded.match.id, game, 0 if whole else earliest),
        commitments=past.commitments,
        rulings=past.rulings,
        verdicts=verdicts,
        lines=turns.lines(tx, loaded.match.id) if _over(loaded) else (),
        jottings=jottings.of_match(tx, loaded.match.id) if game.marks else None,
    )


def read_log(
    tx: Tx, match_id: int, game: AnyGame, since: int = 0, until: int | None = None
) -> list[tuple[int, Any]]:
    """Return (ply, event) of the match's log from that ply on."""
    rows = turns.events_since(tx, match_id, since)
    read_event = decoder(game.rules.event).decode
    return [(ply, read_event(body)) for ply, body in rows if until is None or ply <= until]


class Told(Struct, frozen=True):
    """A report in two parts: what is kept of it, and what is told once only and then forgotten."""

    kept: AnyReport
    once: Sequence[Any] | None


def told(at: Standing, seat: Seat) -> Told:
    """Return the report of `seat`, in the parts in which it is stored."""
    whole = report(at, seat)
    tells_once = at.loaded.game.sight.tells_once
    if tells_once is None:
        return Told(whole, None)
    fresh = replace(whole, news=_news(at, seat, at.fresh.get(seat, at.since[seat])))
    once = fresh.news if tells_once(fresh) else None
    if once is None and not tells_once(whole):
        return Told(whole, None)
    return Told(forgetful(at.loaded.game, whole), once)


def written(game: AnyGame, report: AnyReport) -> str:
    """Return a report as it is stored."""
    return encode(flat(report, game.record.key)).decode()


def read(game: AnyGame, body: str | bytes) -> AnyReport:
    """Read a report that was stored, also by an older program."""
    return unflattened(game, decode(body))


def read_news(game: AnyGame, news: Sequence[Any]) -> tuple[Any, ...]:
    """Read news that were stored by themselves."""
    # mypy takes `sighting` for the name of a type; it is one that is known when this runs.
    return convert(news, tuple[game.sight.sighting, ...])  # type: ignore[name-defined]


def present(tx: Tx, loaded: Loaded, seat: Seat, at: Standing | None = None) -> AnyReport:
    """Return the report of how the match stands now, without what is told once only.

    `at` is its standing, if that is known.
    """
    kept = told(at or standing(tx, loaded), seat).kept
    stored = turns.report_of(tx, loaded.match.id, loaded.match.ply, seat)
    assert stored is not None
    if stored.tenure != loaded.holders[seat].tenure:  # its news were told to another
        return forgetful(loaded.game, kept)
    return kept


def forgetful(game: AnyGame, report: AnyReport) -> AnyReport:
    """Return a present report in which only those news are left that may be told again."""
    return replace(report, news=game.sight.lasting(report).news)


def for_successor(game: AnyGame, report: AnyReport) -> AnyReport:
    """Return a report of a former holder as his successor may read it: without his sheets in
    advance, his marks and his notes (Espionage rules 8.7, 9.3)."""
    told = replace(report, advance=UNSET, used=UNSET, dropped=UNSET)
    return own_marks.without_jottings(game, told)


def report(at: Standing, seat: Seat) -> AnyReport:
    """Return the report of `seat`: what is the case now, and what happened since its own last
    orders."""
    loaded, since = at.loaded, at.since[seat]
    own = loaded.sheets.get(seat)
    view = view_of(loaded, seat, [event for _, event in at.log])
    noted: Mapping[str, Any] = {}
    if at.jottings is not None:
        view = own_marks.view_with_marks(loaded, seat, view, at.jottings, at.log)
        noted = {"notes": own_marks.notebook(loaded, seat, at.jottings)}
    return replace(
        _bare(loaded, seat, view),
        tenure=loaded.holders[seat].tenure,
        ply=at.ply,
        awaited=loaded.awaited,
        deadline=rfc3339(loaded.match.deadline_at),
        orders=InForce(revision=own.revision, lines=tuple(own.lines)) if own else None,
        news=_news(at, seat, since),
        draw_offer=loaded.draw_offer,
        draw_offers=loaded.draw_offers,
        commitments=tuple(_commitments(at, seat)),
        notices=tuple(_notices(at, seat, since)),
        template=order_template(loaded, seat, view),
        **(_in_advance(at, seat, since) if takes_advance(loaded) else {}),
        log=_log(at),
        **noted,
        record=record(loaded, [event for _, event in at.log]) if _over(loaded) else None,
    )


def _log(at: Standing) -> Log | None:
    """Return the head of the log, which is opened when the match is over; None if the match has no
    chain."""
    head, key = at.loaded.head, at.loaded.match.log_key
    if head is None or key is None:
        return None
    if not _over(at.loaded):
        return Log(head=head)
    return Log(
        head=head,
        key=key.hex(),
        lines=tuple(line for line in at.lines if line is not None),
        board=at.loaded.match.board or UNSET,
    )


def _in_advance(at: Standing, seat: Seat, since: int) -> Mapping[str, Any]:
    """Return what the seat's report tells of its own sheets in advance (Espionage rule 8.4)."""
    loaded = at.loaded
    holder = loaded.holders[seat]
    tell = words(holder.language, loaded.match.game, holder.zone)
    judged = [one for one in at.verdicts.get(seat, ()) if one.ply >= since]
    kept = loaded.kept.get(seat, ())
    return {
        "advance": tuple(Kept(turn=sheet.turn, lines=sheet.lines) for sheet in kept),
        "used": tuple(
            Used(
                turn=one.turn,
                line=one.used[0],
                text=one.used[1],
                revision=one.revision or UNSET,
                digest=one.digest or UNSET,
            )
            for one in judged
            if one.used
        ),
        "dropped": tuple(
            Dropped(turn=one.turn, line=why.line, text=why.text, message=tell(why.message))
            for one in judged
            for why in one.fallen
        ),
    }


def view_of(loaded: Loaded, seat: Seat, events: Sequence[Any]) -> Any:
    """Return what a seat that is played sees now, with what it remembers of the match's events."""
    sight = loaded.game.sight
    view = sight.observe(loaded.state, seat)
    if sight.remember is None:
        return view
    seen = (sight.witness(event, seat) for event in events)
    remembered = [sighting for sighting in seen if sighting is not None]
    return sight.remember(view, remembered, loaded.match.options)


def public(loaded: Loaded, seat: Seat) -> AnyReport:
    """Return how a match stands, as `seat` sees it: nothing that was sent, said or done."""
    return _bare(loaded, seat, loaded.game.sight.observe(loaded.state, seat))


def _bare(loaded: Loaded, seat: Seat, view: Any) -> AnyReport:
    match, game = loaded.match, loaded.game
    return Report(
        view=view,
        match=match.name,
        game=match.game,
        variant=match.variant,
        options=dict(sorted(match.options.items())),
        players={name: loaded.holders[name].shown_name for name in loaded.seats},
        phase=game.rules.phase(loaded.state),
        seat=seat,
        ply=match.ply,
        turn=game.rules.turn(loaded.state),
        adjudicated=rfc3339(loaded.since),
        as_of=None,
        result=game.rules.outcome(loaded.state),
        draw_offers=(),
    )


def _since(tx: Tx, loaded: Loaded, seat: Seat) -> int:
    """Return the first ply of which the seat's report tells, if it was told of all before.

    It is that of its own last orders, or the one after the last that it has been told of. A seat
    that has left orders no more.
    """
    holder, since = loaded.holders[seat], loaded.match.ply
    if loaded.game.sight.retells and seat not in loaded.gone:
        return holder.ordered_ply
    untold = turns.untold(tx, loaded.match.id, seat, holder.tenure)
    while since - 1 in untold and since > holder.ordered_ply:
        since -= 1
    return since


def _untold(tx: Tx, loaded: Loaded, since: Mapping[Seat, int]) -> Mapping[Seat, int]:
    """Go back, for each seat to which letters go, to the first ply that none has told its
    holder."""
    match_id, reaches = loaded.match.id, reports_told.told_by_reports(tx, loaded.match.id)
    found = {}
    for seat in loaded.seats:
        tenure = loaded.holders[seat].tenure
        reach = reaches.get((seat, tenure))
        if reach is None:
            continue
        if reach.unsent:
            found[seat] = _since_orders(tx, loaded, seat, since[seat])
            continue
        first = since[seat] if reach.first is None else reach.first
        if reach.returned:
            first = _first_gap(reports_told.spans_told(tx, match_id, seat, tenure), first)
        elif reach.until is not None:
            first = reach.until + 1
        found[seat] = min(since[seat], first)
    return found


def _first_gap(spans: Sequence[tuple[int, int]], first: int) -> int:
    """Return the first ply, counted from `first`, that is in no span; these are sorted.

    A report that came back leaves such a gap, though newer ones were handed over.
    """
    for since, until in spans:
        if since > first:
            break
        first = max(first, until + 1)
    return first


def _since_orders(tx: Tx, loaded: Loaded, seat: Seat, since: int) -> int:
    """Go back over orders that were sent in advance to the last ply of which a report was printed.

    No letters go out, and who prints his report after several turns finds all of them in it.
    """
    match_id = loaded.match.id
    while since and sheets_ahead.ordered_in_advance(tx, match_id, since, seat):
        before = since - 1
        if turns.was_shown_to(tx, match_id, before, seat):
            break
        if reports_told.was_tried(tx, match_id, before, seat):
            break
        since = used_sheets.last_used_ply(tx, match_id, seat, since)
    return since


def _over(loaded: Loaded) -> bool:
    return loaded.game.rules.outcome(loaded.state) is not None


def _news(at: Standing, seat: Seat, since: int) -> tuple[Any, ...]:
    seen = (at.loaded.game.sight.witness(event, seat) for ply, event in at.log if ply >= since)
    return tuple(sight for sight in seen if sight is not None)


def order_template(loaded: Loaded, seat: Seat, view: Any) -> tuple[str, ...]:
    """Return a sheet ready to edit; empty for a seat that is not awaited."""
    if seat not in loaded.awaited:
        return ()
    turn = loaded.game.rules.turn(loaded.state)
    head = f"ORDERS {loaded.match.name} {seat} turn {turn}"
    return (head, *loaded.game.orders.template(view), "END")


def _commitments(at: Standing, seat: Seat) -> Iterator[Committed]:
    loaded = at.loaded
    chance, over = loaded.chance, _over(loaded)
    yield Committed(
        what="seed",
        seat=None,
        number=None,
        digest=chance.commitment,
        opened=chance.seed.hex() if over else None,
    )
    for link in loaded.game.proof.links(loaded.state, seat):
        yield Committed(
            what="key" if link.opened else "anchor",
            seat=link.seat,
            number=link.number,
            digest=chance.key(link.chain, link.number - 1).hex(),
            opened=chance.key(link.chain, link.number).hex() if link.opened else None,
        )
    for entry in sorted(at.commitments, key=lambda one: (one.ply, loaded.seats.index(one.seat))):
        sealed = seal(loaded.match.name, entry.what, entry.seat, entry.text, entry.salt)
        yield Committed(
            what=entry.what,
            seat=entry.seat,
            number=None,
            digest=digest(sealed),
            opened=sealed if over else None,
        )


def _notices(at: Standing, seat: Seat, since: int) -> Iterator[Notice]:
    holder, match = at.loaded.holders[seat], at.loaded.match
    tell = words(holder.language, match.game, holder.zone)
    for entry in at.rulings:
        if entry.ply + 1 >= since:  # made while the ply of this seat's last orders was awaited
            yield Notice(at=rfc3339(entry.at), text=notice_text(entry, tell))
    if match.seed_given:
        given = say("The seed of this match was given by hand; its chance is no secret.")
        yield Notice(at=rfc3339(match.created_at), text=tell(given))


def notice_text(entry: Ruling, tell: Words) -> str:
    """Return what players read of a ruling: what was done, and the game master's reason."""
    return tell(entry.told) + (f" {entry.reason}" if entry.reason else "")


def record(loaded: Loaded, events: Sequence[Any]) -> str:
    """Return the game record of a match, from its whole log."""
    names: Mapping[Seat, str] = {s: loaded.holders[s].shown_name for s in loaded.seats}
    chronicle = Chronicle(
        names=names,
        date=loaded.match.created_at.strftime("%Y.%m.%d"),
        outcome=loaded.game.rules.outcome(loaded.state),
        match=loaded.match.name,
        seed=loaded.match.seed.hex(),
    )
    return loaded.game.record.write(chronicle, loaded.state, events)
