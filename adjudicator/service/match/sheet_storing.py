"""Put a sheet that was judged in force and obey its commands; or tell what would be done."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from msgspec import Struct, structs

from adjudicator.core import chain
from adjudicator.core.command_table import WORDS
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Value, listed, say
from adjudicator.core.orders import Problem, shown
from adjudicator.service.base.loaded_match import Loaded, titles
from adjudicator.service.base.next_step import has_ordered
from adjudicator.service.match import append_ply
from adjudicator.service.match.jotting import Jotted, jot
from adjudicator.service.match.receipts import MOST_PROBLEMS, Receipt, first_few
from adjudicator.service.match.understood import Ahead, Given, Understood
from adjudicator.store import declarations, matches, sheets_ahead, submissions
from adjudicator.store.database import Tx
from adjudicator.store.submissions import NewSheet

MOST_OF_NONSENSE = 10  # problems in a receipt, if nothing of the sheet is understood

Obeyed: TypeAlias = tuple[Message, Loaded]


class Stored(Struct, frozen=True):
    """The receipt of a sheet, and its match as the sheet left it."""

    receipt: Receipt
    loaded: Loaded


def store(tx: Tx, understood: Understood, given: Given, now: datetime) -> Stored:
    """Put the sheet in force or keep it for its turn, and do what its commands say."""
    seat = understood.seat
    loaded = awake(tx, understood.loaded, seat)
    jotted = _jot(tx, loaded, understood, dry=False)
    if understood.problems:
        return Stored(_with_jotted(_refused(understood), jotted), loaded)
    words = dict.fromkeys(command.word for command in understood.commands)
    before = loaded.sheets.get(seat)
    done = []
    for word in words:
        # A resignation by mail waits for its confirmation, for which the mail dialog asks.
        if word != "RESIGN" or given.may_resign:
            told, loaded = _obey(tx, loaded, understood, word, now)
            done.append(told)
    revision = None
    if understood.says_orders and understood.ahead:
        revision, loaded = _keep(tx, loaded, understood, understood.ahead, given, now)
    elif understood.says_orders:
        revision, loaded = _put_in_force(tx, loaded, understood, given, now)
    loaded = append_ply.rest(tx, loaded, now)
    withdrawn = before.revision if before and seat not in loaded.sheets else None
    receipt = _receipt(
        structs.replace(understood, loaded=loaded),
        accepted=True,
        stored=True,
        revision=revision,
        withdrawn=withdrawn,
        done=done,
    )
    return Stored(_with_jotted(receipt, jotted), loaded)


def _jot(tx: Tx, loaded: Loaded, understood: Understood, *, dry: bool) -> Jotted:
    """Write down the marks and notes of a sheet, also of one that is refused; after the end none
    are taken."""
    if loaded.match.status == "over" or understood.seat in loaded.gone:
        return Jotted()
    return jot(tx, loaded, understood.seat, understood.jottings, understood.seen, dry=dry)


def _with_jotted(receipt: Receipt, jotted: Jotted, *, dry: bool = False) -> Receipt:
    """Tell in a receipt what came of the marks and notes, or what would come of them."""
    warnings = (*receipt.warnings, *first_few(jotted.warnings, MOST_PROBLEMS))
    done = jotted.done
    if dry:
        done = [say("understood: {words}", words=told) for told in done]
    return structs.replace(receipt, warnings=warnings, jotted=done, dry=dry)


def _put_in_force(
    tx: Tx, loaded: Loaded, understood: Understood, given: Given, now: datetime
) -> tuple[int, Loaded]:
    sheet = submissions.store(tx, _new(loaded, loaded.match.ply + 1, understood, given, now))
    sheets = {**loaded.sheets, understood.seat: sheet}
    return sheet.revision, structs.replace(loaded, sheets=sheets)


def _keep(
    tx: Tx, loaded: Loaded, understood: Understood, ahead: Ahead, given: Given, now: datetime
) -> tuple[int, Loaded]:
    seat = understood.seat
    sheet = sheets_ahead.keep(tx, _new(loaded, ahead.ply, understood, given, now), ahead.turn)
    others = (one for one in loaded.kept.get(seat, ()) if one.ply != ahead.ply)
    kept = tuple(sorted((*others, sheet), key=lambda one: one.ply))
    return sheet.revision, structs.replace(loaded, kept={**loaded.kept, seat: kept})


def _new(loaded: Loaded, ply: int, understood: Understood, given: Given, now: datetime) -> NewSheet:
    return NewSheet(
        match_id=loaded.match.id,
        ply=ply,
        seat=understood.seat,
        received_at=now,
        channel=given.channel,
        lines=understood.lines,
        text=understood.text,
        letter_id=given.letter_id,
    )


def awake(tx: Tx, loaded: Loaded, seat: Seat) -> Loaded:
    """Note that somebody is there again, because he sent something, even if it was refused."""
    return _changed(tx, loaded, seat, silent=0) if loaded.holders[seat].silent else loaded


def would_store(tx: Tx, understood: Understood, given: Given, now: datetime) -> Stored:
    """Say what `store` would do, and do nothing."""
    if understood.words_alone:
        return Stored(_of_words(understood), understood.loaded)
    loaded = understood.loaded
    jotted = _jot(tx, loaded, understood, dry=True)
    if understood.problems:
        return Stored(_with_jotted(_refused(understood), jotted, dry=True), loaded)
    match, seat, ahead = loaded.match, understood.seat, understood.ahead
    last = (
        submissions.last_revision(tx, match.id, ahead.ply, seat)
        if ahead
        else submissions.last_revision_of_turn(tx, match.id, match.ply + 1, seat)
    )
    words = dict.fromkeys(command.word for command in understood.commands)
    receipt = _receipt(
        understood,
        accepted=True,
        revision=last + 1 if understood.says_orders else None,
        done=[say("understood: {words}", words=listed(WORDS[w] for w in words))] if words else (),
    )
    return Stored(_with_jotted(receipt, jotted, dry=True), loaded)


def _of_words(understood: Understood) -> Receipt:
    """Return the answer to a sheet of which the words alone were judged."""
    if understood.problems:
        receipt = _refused(understood)
    else:
        words: list[Value] = [
            WORDS[word] for word in dict.fromkeys(one.word for one in understood.commands)
        ]
        words += [shown(one.line.text) for one in understood.jottings]
        done = [say("understood: {words}", words=one) for one in words]
        receipt = _receipt(understood, accepted=True, done=done)
    # Whatever is in force for the seat, nobody has looked.
    return structs.replace(
        receipt, warnings=(), in_force=None, present=None, dry=True, words_alone=True
    )


def _obey(tx: Tx, loaded: Loaded, understood: Understood, word: str, now: datetime) -> Obeyed:
    """Do what a command says; CLEAR in a sheet for a later turn means that turn alone."""
    if word == "CLEAR" and understood.ahead:
        return _clear_turn(tx, loaded, understood.seat, understood.ahead)
    return HANDLERS[word](tx, loaded, understood.seat, now)


def _resign(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Obeyed:
    told = say("your resignation takes effect at the next tick")
    return told, _declare(tx, loaded, seat, "RESIGN", now)


def _offer_draw(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Obeyed:
    after = _declare(tx, loaded, seat, "DRAW", now)
    if set(loaded.seats) - loaded.gone - {seat} <= set(loaded.draw_offers):
        told = say(
            "you accept the draw; the match ends at the next tick, unless the offer is withdrawn "
            "before"
        )
        return told, after
    told = say(
        "your offer of a draw stands until the next orders of the others are adjudicated, or "
        "until you send CLEAR"
    )
    return told, after


def _clear(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Obeyed:
    """Withdraw the sheet in force and an offer of a draw.

    A seat that had orders when it was to be forfeited is not forfeited afterwards.
    """
    match, forfeit_at = loaded.match, loaded.holders[seat].forfeit_at
    if forfeit_at and now >= forfeit_at and has_ordered(loaded, seat):
        loaded = _changed(tx, loaded, seat, forfeit_at=None, forfeit_ply=None)
    submissions.close(tx, match.id, match.ply + 1, [seat], "withdrawn")
    offers = _declared(loaded, seat, "DRAW")
    declarations.settle(tx, offers, "withdrawn")
    after = structs.replace(
        loaded,
        sheets={whose: sheet for whose, sheet in loaded.sheets.items() if whose != seat},
        declarations=[one for one in loaded.declarations if one.id not in offers],
    )
    told = say("what you had sent for this turn is withdrawn")
    if turns := [sheet.turn for sheet in after.kept.get(seat, ())]:
        left = say("still kept: your sheets for the turns {turns}", turns=_listed(turns))
        told = say("{told}; {left}", told=told, left=left)
    return told, after


def _clear_turn(tx: Tx, loaded: Loaded, seat: Seat, ahead: Ahead) -> Obeyed:
    """Withdraw what is kept for one later turn."""
    kept = loaded.kept.get(seat, ())
    rest = tuple(sheet for sheet in kept if sheet.ply != ahead.ply)
    if rest == kept:
        return say("nothing is kept for turn {turn}", turn=ahead.turn), loaded
    sheets_ahead.end_kept(tx, loaded.match.id, [seat], "withdrawn", ply=ahead.ply)
    after = structs.replace(loaded, kept={**loaded.kept, seat: rest})
    return say("what was kept for turn {turn} is withdrawn", turn=ahead.turn), after


def _clear_advance(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Obeyed:
    """Withdraw all that is kept for later turns."""
    turns = [sheet.turn for sheet in loaded.kept.get(seat, ())]
    if not turns:
        return say("nothing is kept for later turns"), loaded
    sheets_ahead.end_kept(tx, loaded.match.id, [seat], "withdrawn")
    kept = {whose: sheets for whose, sheets in loaded.kept.items() if whose != seat}
    told = say("withdrawn: your sheets for the turns {turns}", turns=_listed(turns))
    return told, structs.replace(loaded, kept=kept)


def _listed(turns: Sequence[int]) -> str:
    return ", ".join(map(str, turns))


def _ready(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Obeyed:
    told = say("you are ready; the turn may be adjudicated as soon as all orders are in")
    return told, _changed(tx, loaded, seat, not_ready_ply=None)


def _not_ready(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Obeyed:
    coming = loaded.match.ply + 1
    if loaded.match.hurried_ply == coming:
        told = say(
            "the game master has ended the waiting; the turn is adjudicated as soon as all orders "
            "are in"
        )
        return told, loaded
    told = say("the turn waits for you until the deadline, or until you say READY")
    return told, _changed(tx, loaded, seat, not_ready_ply=coming)


# What carries out each command that acts: it returns what its sender is told, and the match as it
# left it.
HANDLERS: Mapping[str, Callable[[Tx, Loaded, Seat, datetime], Obeyed]] = {
    "RESIGN": _resign,
    "DRAW": _offer_draw,
    "CLEAR": _clear,
    "CLEAR ADVANCE": _clear_advance,
    "READY": _ready,
    "NOTREADY": _not_ready,
}


def _changed(tx: Tx, loaded: Loaded, seat: Seat, **changes: Any) -> Loaded:
    """Change the row of a seat."""
    matches.update_seats(tx, loaded.match.id, [seat], **changes)
    holder = structs.replace(loaded.holders[seat], **changes)
    return structs.replace(loaded, holders={**loaded.holders, seat: holder})


def _declare(tx: Tx, loaded: Loaded, seat: Seat, kind: str, now: datetime) -> Loaded:
    """Keep what a seat declares, once."""
    if _declared(loaded, seat, kind):
        return loaded
    made = declarations.declare(tx, loaded.match.id, seat, kind, now)
    every = sorted([*loaded.declarations, made], key=lambda one: (one.received_at, one.id))
    return structs.replace(loaded, declarations=every)


def _declared(loaded: Loaded, seat: Seat, kind: str) -> list[int]:
    return [d.id for d in loaded.declarations if (d.seat, d.kind) == (seat, kind)]


def _refused(understood: Understood) -> Receipt:
    most = MOST_PROBLEMS if understood.lines else MOST_OF_NONSENSE
    return _receipt(understood, accepted=False, problems=first_few(understood.problems, most))


def _receipt(
    understood: Understood,
    *,
    accepted: bool,
    stored: bool = False,
    revision: int | None = None,
    withdrawn: int | None = None,
    problems: Sequence[Problem] = (),
    done: Sequence[Message] = (),
) -> Receipt:
    loaded, ahead = understood.loaded, understood.ahead
    sheet = loaded.sheets.get(understood.seat)
    digest = None
    if withdrawn is not None:
        digest = _digest(loaded, understood.seat, withdrawn, chain.WITHDRAWN)
    elif stored and revision is not None and not ahead:
        digest = _digest(loaded, understood.seat, revision, understood.lines)
    return Receipt(
        match=loaded.match.name,
        seat=understood.seat,
        turn=ahead.turn if ahead else loaded.match.turn,
        accepted=accepted,
        stored=stored,
        revision=revision,
        orders=understood.lines if accepted else [],
        problems=problems,
        warnings=understood.warnings if accepted else (),
        ignored=[],
        in_force=sheet.revision if sheet else None,
        done=(*understood.explained, *done) if accepted else done,
        awaited=understood.seat in loaded.awaited and understood.seat not in loaded.resigned,
        kept=ahead is not None and understood.says_orders,
        present=_present(loaded, understood.seat) if ahead else None,
        digest=digest,
        withdrawn=withdrawn,
    )


def _digest(loaded: Loaded, seat: str, revision: int, lines: Sequence[str]) -> str:
    match = loaded.match
    return chain.sheet_digest(match.name, seat, match.turn, revision, lines)


def _present(loaded: Loaded, seat: Seat) -> Message | None:
    """Say what holds for the present turn, in the receipt of a sheet for a later one."""
    if not loaded.awaited:
        return None
    turn, sheet = loaded.match.turn, loaded.sheets.get(seat)
    if sheet is not None:
        return say("turn {turn}: revision {revision} in force", turn=turn, revision=sheet.revision)
    if seat in loaded.awaited:
        return say("turn {turn} still awaits your orders", turn=turn)
    return say("{seats} is to move", seats=titles(loaded, loaded.awaited))
