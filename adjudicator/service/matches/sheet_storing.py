"""Put a sheet that was judged in force and obey its commands; or tell what would be done."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TypeAlias

from msgspec import structs

from adjudicator.core import chain, conditions
from adjudicator.core.command_table import WORDS
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Value, listed, say
from adjudicator.core.orders import Problem, problem, shown
from adjudicator.core.sheets import MOST_SHEETS, Reading, without_prefixes
from adjudicator.service.base import deadlines, looks
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.deadlines import has_ordered
from adjudicator.service.base.loaded_match import Loaded, MatchSession, Unreadable, titles
from adjudicator.service.emails.paragraphs import (
    MOST_PROBLEMS,
    Receipt,
    ReceiptProof,
    first_few,
    receipt_of_no_seat,
)
from adjudicator.service.matches.marks import MarksResult, jot
from adjudicator.service.matches.sheet_judging import judge
from adjudicator.service.matches.sheet_parsing import (
    Ahead,
    JudgedSheet,
    Source,
    asks_to_resign,
    from_json,
    parse_sheets,
)
from adjudicator.store import pending, rulings, submissions
from adjudicator.store.database import Store, Tx
from adjudicator.store.rulings import Declaration, StoredWord

MOST_OF_NONSENSE = 10  # problems in a receipt, if nothing of the sheet is understood

Obey: TypeAlias = Callable[[MatchSession, Seat], Message]


def store_sheet(session: MatchSession, understood: JudgedSheet, given: Source) -> Receipt:
    """Put the sheet in force or keep it for its turn, and do what its commands say."""
    seat = understood.seat
    holder = session.loaded.holders[seat]
    if holder.computer:
        return _receipt_of_refusal(_of_a_computer(understood), session.loaded)
    if holder.player_id is None and session.loaded.match.ply > 0:
        return _receipt_of_refusal(_of_nobody(understood), session.loaded)
    note_presence(session, seat)
    jotted = _jot(session, understood, dry=False)
    if understood.problems:
        return _with_jotted(_receipt_of_refusal(understood, session.loaded), jotted)
    words = dict.fromkeys(command.word for command in understood.commands)
    before, known = session.loaded.sheets.get(seat), session.loaded.declarations
    # A resignation by mail waits for its confirmation, for which the mail dialog asks.
    done = [
        _obey(session, understood, word) for word in words if word != "RESIGN" or given.may_resign
    ]
    revision = _store(session, understood, given) if understood.says_orders else None
    if understood.says_orders and _end_resignation(session, seat):
        done.append(say("these orders end your request to resign; you play on"))
    deadlines.reschedule(session)
    loaded = session.loaded
    withdrawn = before.revision if before and seat not in loaded.sheets else None
    receipt = _receipt(
        understood,
        loaded,
        accepted=True,
        stored=True,
        revision=revision,
        withdrawn=withdrawn,
        done=done,
    )
    declared = _declared_now(loaded, seat, known, session.now)
    receipt = structs.replace(receipt, declared=declared, at=rfc3339(session.now))
    return _with_jotted(receipt, jotted)


def _end_resignation(session: MatchSession, seat: Seat) -> bool:
    """Let no resignation wait for its code any longer: its player plays on (emails, section 3).
    Return whether one did."""
    return pending.end(session.tx, session.loaded.match.id, seat, asks_to_resign)


def _of_a_computer(understood: JudgedSheet) -> JudgedSheet:
    """Refuse a person's sheet for a built-in player: its orders follow from the chance of the
    match, and an audit computes them again."""
    loaded = understood.loaded
    told = say(
        "a computer plays {seat} in {match}, and its orders are its own; `adjud gm replace` gives "
        "the seat to a person",
        seat=loaded.game.seat_titles[understood.seat],
        match=loaded.match.name,
    )
    return structs.replace(understood, problems=[Problem(0, "", told)])


def _of_nobody(understood: JudgedSheet) -> JudgedSheet:
    """Refuse a sheet for a seat that a player has left: it would be that of the next one."""
    loaded = understood.loaded
    title = loaded.game.seat_titles[understood.seat]
    told = say("nobody plays {seat} in {match}", seat=title, match=loaded.match.name)
    return structs.replace(understood, problems=[Problem(0, "", told)])


def _jot(session: MatchSession, understood: JudgedSheet, *, dry: bool) -> MarksResult | None:
    """Write down the marks and notes of a sheet, also of one that is refused; after the end none
    are taken."""
    loaded, jottings = session.loaded, understood.jottings
    if not jottings or loaded.match.status == "over" or understood.seat in loaded.gone:
        return None
    return jot(session.tx, loaded, understood.seat, jottings, understood.seen, dry=dry)


def _with_jotted(receipt: Receipt, jotted: MarksResult | None, *, dry: bool = False) -> Receipt:
    """Tell in a receipt what came of the marks and notes, or what would come of them."""
    if jotted is None:
        return structs.replace(receipt, dry=dry)
    warnings = (*receipt.warnings, *first_few(jotted.warnings, MOST_PROBLEMS))
    done = jotted.done
    if dry:
        done = [say("understood: {words}", words=told) for told in done]
    return structs.replace(receipt, warnings=warnings, jotted=done, dry=dry)


def _store(session: MatchSession, understood: JudgedSheet, given: Source) -> int:
    """Put a sheet in force, or keep it for its turn; return its version."""
    match, ahead = session.loaded.match, understood.ahead
    revision = submissions.store(
        session.tx,
        match.id,
        ply=ahead.ply if ahead else match.ply + 1,
        seat=understood.seat,
        received_at=session.now,
        channel=given.channel,
        lines=understood.lines,
        text=understood.text,
        letter_id=given.letter_id,
        turn=ahead.turn if ahead else None,
    )
    session.mark_changed()
    return revision


def note_presence(session: MatchSession, seat: Seat) -> None:
    """Note that somebody is there again, because he sent something, even if it was refused."""
    if session.loaded.holders[seat].silent:
        session.change_seat(seat, silent=0)


def would_store_sheet(session: MatchSession, understood: JudgedSheet, given: Source) -> Receipt:
    """Say what `store` would do, and do nothing."""
    if understood.words_alone:
        return _of_words(understood)
    loaded = session.loaded
    jotted = _jot(session, understood, dry=True)
    if understood.problems:
        return _with_jotted(_receipt_of_refusal(understood, loaded), jotted, dry=True)
    tx, match, seat, ahead = session.tx, loaded.match, understood.seat, understood.ahead
    last = (
        submissions.last_revision(tx, match.id, ahead.ply, seat)
        if ahead
        else submissions.last_revision_of_turn(tx, match.id, match.ply + 1, seat)
    )
    words = dict.fromkeys(command.word for command in understood.commands)
    receipt = _receipt(
        understood,
        loaded,
        accepted=True,
        revision=last + 1 if understood.says_orders else None,
        done=[say("understood: {words}", words=listed(WORDS[w] for w in words))] if words else (),
    )
    return _with_jotted(receipt, jotted, dry=True)


def _of_words(understood: JudgedSheet) -> Receipt:
    """Return the answer to a sheet of which the words alone were judged."""
    if understood.problems:
        receipt = _receipt_of_refusal(understood, understood.loaded)
    else:
        words: list[Value] = [
            WORDS[word] for word in dict.fromkeys(one.word for one in understood.commands)
        ]
        words += [shown(one.line.text) for one in understood.jottings]
        done = [say("understood: {words}", words=one) for one in words]
        receipt = _receipt(understood, understood.loaded, accepted=True, done=done)
    # Whatever is in force for the seat, nobody has looked.
    return structs.replace(
        receipt, warnings=(), in_force=None, present=None, dry=True, words_alone=True
    )


def _obey(session: MatchSession, understood: JudgedSheet, word: str) -> Message:
    """Do what a command says; CLEAR in a sheet for a later turn means that turn alone."""
    if word == "CLEAR" and understood.ahead:
        return _clear_turn(session, understood.seat, understood.ahead)
    return HANDLERS[word](session, understood.seat)


def _resign(session: MatchSession, seat: Seat) -> Message:
    _declare(session, seat, "RESIGN")
    return say("your resignation takes effect when adjud next runs")


def _offer_draw(session: MatchSession, seat: Seat) -> Message:
    loaded = session.loaded
    _declare(session, seat, "DRAW")
    if set(loaded.seats) - loaded.gone - {seat} <= set(loaded.draw_offers):
        return say(
            "you accept the draw; the match ends when adjud next runs, unless the offer is "
            "withdrawn first"
        )
    return say(
        "your draw offer is open until the others' next orders are played, or until you send CLEAR"
    )


def _clear(session: MatchSession, seat: Seat) -> Message:
    """Withdraw the sheet in force and an offer of a draw.

    A seat that had orders when it was to be forfeited is not forfeited afterwards.
    """
    loaded = session.loaded
    match, forfeit_at = loaded.match, loaded.holders[seat].forfeit_at
    if forfeit_at and session.now >= forfeit_at and has_ordered(loaded, seat):
        session.change_seat(seat, forfeit_at=None, forfeit_ply=None)
    submissions.close(session.tx, match.id, match.ply + 1, [seat], "withdrawn")
    rulings.settle(session.tx, _declarations_of(loaded, seat, "DRAW"), "withdrawn")
    if seat in loaded.draw_offers:
        told = StoredWord(ply=match.ply, seat=seat, word="CLEAR", at=session.now)
        rulings.insert_word(session.tx, match.id, told)
    session.mark_changed()
    done = say("everything you sent for this turn is withdrawn")
    if turns := [sheet.turn for sheet in loaded.kept.get(seat, ())]:
        left = say("still saved for later turns: {turns}", turns=_turns_in_words(turns))
        done = say("{told}; {left}", told=done, left=left)
    return done


def _clear_turn(session: MatchSession, seat: Seat, ahead: Ahead) -> Message:
    """Withdraw what is kept for one later turn."""
    loaded = session.loaded
    if all(sheet.ply != ahead.ply for sheet in loaded.kept.get(seat, ())):
        return say("nothing is saved for turn {turn}", turn=ahead.turn)
    submissions.end_kept(session.tx, loaded.match.id, [seat], "withdrawn", ply=ahead.ply)
    session.mark_changed()
    return conditions.message_for_withdrawn_turn(ahead.turn)


def _clear_advance(session: MatchSession, seat: Seat) -> Message:
    """Withdraw all that is kept for later turns."""
    loaded = session.loaded
    turns = [sheet.turn for sheet in loaded.kept.get(seat, ())]
    if not turns:
        return say("nothing is saved for later turns")
    submissions.end_kept(session.tx, loaded.match.id, [seat], "withdrawn")
    session.mark_changed()
    return conditions.message_for_withdrawn_turns(_turns_in_words(turns))


def _turns_in_words(turns: Sequence[int]) -> str:
    return ", ".join(map(str, turns))


def _ready(session: MatchSession, seat: Seat) -> Message:
    session.change_seat(seat, not_ready_ply=None)
    return say("you are ready; the turn can be played as soon as all orders are in")


def _not_ready(session: MatchSession, seat: Seat) -> Message:
    coming = session.loaded.match.ply + 1
    if session.loaded.match.hurried_ply == coming:
        return say(
            "the game master has ended the wait; the turn is played as soon as all orders are in"
        )
    session.change_seat(seat, not_ready_ply=coming)
    return say("the turn waits for you until the deadline, or until you send READY")


# What carries out each command that acts; it returns what its sender is told.
HANDLERS: Mapping[str, Obey] = {
    "RESIGN": _resign,
    "DRAW": _offer_draw,
    "CLEAR": _clear,
    "CLEAR ADVANCE": _clear_advance,
    "READY": _ready,
    "NOTREADY": _not_ready,
}


def _declare(session: MatchSession, seat: Seat, kind: str) -> None:
    """Keep what a seat declares, once."""
    if not _declarations_of(session.loaded, seat, kind):
        rulings.declare(session.tx, session.loaded.match.id, seat, kind, session.now)
        session.mark_changed()


def _declarations_of(loaded: Loaded, seat: Seat, kind: str) -> list[int]:
    return [d.id for d in loaded.declarations if (d.seat, d.kind) == (seat, kind)]


def _receipt_of_refusal(understood: JudgedSheet, loaded: Loaded) -> Receipt:
    most = MOST_PROBLEMS if understood.lines else MOST_OF_NONSENSE
    problems = first_few(understood.problems, most)
    return _receipt(understood, loaded, accepted=False, problems=problems)


def _receipt(
    understood: JudgedSheet,
    loaded: Loaded,
    *,
    accepted: bool,
    stored: bool = False,
    revision: int | None = None,
    withdrawn: int | None = None,
    problems: Sequence[Problem] = (),
    done: Sequence[Message] = (),
) -> Receipt:
    ahead = understood.ahead
    sheet = loaded.sheets.get(understood.seat)
    made = None
    if withdrawn is not None:
        made = _proof(loaded, understood, withdrawn, chain.WITHDRAWN)
    elif stored and revision is not None:
        made = _proof(loaded, understood, revision, understood.lines)
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
        proof=made,
        withdrawn=withdrawn,
    )


def _proof(
    loaded: Loaded, understood: JudgedSheet, revision: int, lines: Sequence[str]
) -> ReceiptProof:
    match, ahead, seat = loaded.match, understood.ahead, understood.seat
    turn, kept = ahead.turn if ahead else match.turn, ahead is not None
    head = chain.receipt_head(match.label, match.name, seat, turn, revision, kept=kept)
    return ReceiptProof(head, chain.sheet_digest(head, lines))


def _declared_now(
    loaded: Loaded, seat: Seat, before: Sequence[Declaration], now: datetime
) -> list[ReceiptProof]:
    """Return the proofs of what the seat has just declared, and of a CLEAR of its open DRAW."""
    match = loaded.match
    known, left = {one.id for one in before}, {one.id for one in loaded.declarations}
    made = [one.kind for one in loaded.declarations if one.seat == seat and one.id not in known]
    taken_back = [one for one in before if one.seat == seat and one.id not in left]
    words = [*made, *(["CLEAR"] if taken_back else [])]
    said = [chain.DeclaredWord(seat, word, rfc3339(now)) for word in words]
    return [
        ReceiptProof(
            chain.said_text(match.label, match.name, match.turn, one),
            chain.said_digest(match.label, match.name, match.turn, one),
        )
        for one in said
    ]


def _present(loaded: Loaded, seat: Seat) -> Message | None:
    """Say what holds for the present turn, in the receipt of a sheet for a later one."""
    if not loaded.awaited:
        return None
    turn, sheet = loaded.match.turn, loaded.sheets.get(seat)
    if sheet is not None:
        return say(
            "turn {turn}: current orders, version {revision}", turn=turn, revision=sheet.revision
        )
    if seat in loaded.awaited:
        return say("turn {turn} is still waiting for your orders", turn=turn)
    return say("waiting for {seats}", seats=titles(loaded, loaded.awaited))


# Turn a text into orders in force: understand it, check it against the sender's own view, store
# it.


Accept: TypeAlias = Callable[[MatchSession, JudgedSheet, Source], Receipt]


def submit(
    store: Store,
    text: str,
    given: Source,
    *,
    now: datetime,
    then: Callable[[MatchSession, JudgedSheet, Receipt], None] | None = None,
) -> list[Receipt]:
    """Hand in every sheet of a text, each in a transaction of its own: as a whole or not at all.

    `then` is called in that transaction for each sheet of a seat, also for one that is refused.
    """

    def accept(session: MatchSession, understood: JudgedSheet, given: Source) -> Receipt:
        receipt = store_sheet(session, understood, given)
        if then is not None:
            then(session, understood, receipt)
        return receipt

    taken = _read_texts(text)
    return _each(taken, given, now, lambda: store.transaction(), accept)


def check(
    store: Store,
    text: str,
    given: Source,
    *,
    now: datetime,
    is_hidden: Callable[[Loaded, Seat], bool] = lambda loaded, seat: False,
) -> list[Receipt]:
    """Return the answers that `submit` would give; nothing is stored.

    For a seat that `is_hidden` they follow from the words and from what everybody may know.
    """
    taken, accept = _read_texts(text), would_store_sheet
    return _each(taken, given, now, lambda: store.reading(), accept, is_hidden)


def check_noting(store: Store, text: str, given: Source, *, now: datetime) -> list[Receipt]:
    """Check a text, and note for all players that the game master looked."""

    def accept(session: MatchSession, understood: JudgedSheet, given: Source) -> Receipt:
        looks.at_seats(session.tx, session.loaded, [understood.seat], now)
        return would_store_sheet(session, understood, given)

    return _each(_read_texts(text), given, now, lambda: store.transaction(), accept)


def _read_texts(text: str) -> Reading:
    return parse_sheets(without_prefixes(from_json(text)))


def submit_in(session: MatchSession, taken: Reading, given: Source) -> list[Receipt]:
    """Submit sheets for one match, all of them in a transaction that is open already."""
    return _on(session, taken, given, store_sheet)


def check_in(session: MatchSession, taken: Reading, given: Source) -> list[Receipt]:
    """Check sheets for one match, in a transaction that is open already."""
    return _on(session, taken, given, would_store_sheet)


def _each(
    taken: Reading,
    given: Source,
    now: datetime,
    opened: Callable[[], AbstractContextManager[Tx]],
    accept: Accept,
    is_hidden: Callable[[Loaded, Seat], bool] = lambda loaded, seat: False,
) -> list[Receipt]:
    """Answer each sheet in a transaction of its own, which loads its match."""
    _check_number(taken)
    receipts = []
    for raw in taken.sheets:
        try:
            with opened() as tx:
                judged = judge(tx, raw, given, taken.sheets, None, now, is_hidden)
                if isinstance(judged, Receipt):
                    receipts.append(judged)
                else:
                    session = MatchSession(tx, judged.loaded, now)
                    receipts.append(accept(session, judged, given))
        except Unreadable as unread:
            found = [*raw.problems, problem(raw.line, unread.message)]
            receipts.append(receipt_of_no_seat(raw, found))
    return _with_surroundings(receipts, taken)


def _on(session: MatchSession, taken: Reading, given: Source, accept: Accept) -> list[Receipt]:
    """Answer each sheet on the match as the one before left it."""
    assert given.match == session.name  # so no other is looked for
    _check_number(taken)
    receipts = []
    for raw in taken.sheets:
        judged = judge(session.tx, raw, given, taken.sheets, session.loaded, session.now)
        if isinstance(judged, Receipt):
            receipts.append(judged)
        else:
            receipts.append(accept(session, judged, given))
    return _with_surroundings(receipts, taken)


def _check_number(taken: Reading) -> None:
    """Raise Refusal if there are too many sheets in a text."""
    if len(taken.sheets) > MOST_SHEETS:
        raise Refusal(
            say(
                "{n} order sheets in one text are too many; send at most {most} at once",
                n=len(taken.sheets),
                most=MOST_SHEETS,
            )
        )


def _with_surroundings(receipts: Sequence[Receipt], taken: Reading) -> list[Receipt]:
    """Tell what stood around the frames once, with the first sheet."""
    first, *rest = receipts
    warnings = (*first.warnings, *taken.warnings)
    return [structs.replace(first, warnings=warnings, ignored=taken.ignored), *rest]
