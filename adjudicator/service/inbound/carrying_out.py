"""Do all that an email asks; or show it, and let it wait for confirmation. Kind and subject of the
answer follow from what was done, and from the match as the email left it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from msgspec import Struct, structs

from adjudicator.core.command_table import ACTING, ANSWERED, OWN, TABLE, WORDS
from adjudicator.core.commands import Command, Press
from adjudicator.core.jottings import jotting_of, split_jottings
from adjudicator.core.message import Message, both, listed, say
from adjudicator.core.orders import Line, Problem, problem
from adjudicator.core.sheets import Head, RawSheet, Reading, bare_sheet
from adjudicator.core.slips import is_meant, slip_of
from adjudicator.mail.write import subjects
from adjudicator.mail.write.subjects import Outcome
from adjudicator.service.base.context import Refusal
from adjudicator.service.inbound import commands, confirmations, own_commands, parsed_email, press
from adjudicator.service.inbound.commands import in_sheet, obey, open_seats
from adjudicator.service.inbound.own_words import ply_answered, turn_answered
from adjudicator.service.inbound.parsed_email import (
    MOST_ASKED,
    BareOrders,
    EmailContent,
    content_of,
)
from adjudicator.service.inbound.replies import CommandAnswer, Conversation, subject_of
from adjudicator.service.matches.receipts import Receipt, proof, within
from adjudicator.service.matches.sheet_judging import CAPITALS
from adjudicator.service.matches.sheet_parsing import parsed_sheets
from adjudicator.store.pending import Parked

Step: TypeAlias = Callable[[Conversation], "Result"]


class Result(Struct, frozen=True):
    """Tell what was done, as the sender reads it.

    `receipts` are those of sheets, and of commands that were refused; `proofs` are the digests of
    what was stored. `in_vain` says that a code
    confirmed nothing, `waits` that something was parked and must be confirmed, `read` that the
    email itself holds orders and what stands around them was told with them. `told` says what came
    of commands and messages; what it says stands in the parts.
    """

    parts: tuple[str, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    proofs: tuple[str, ...] = ()
    in_vain: bool = False
    waits: bool = False
    read: bool = False
    told: tuple[CommandAnswer, ...] = ()

    @property
    def revisions(self) -> frozenset[int]:
        """Return the revisions of the sheets that were put in force."""
        stored = (one.revision for one in self.receipts if one.stored and not one.kept)
        return frozenset(revision for revision in stored if revision is not None)

    @property
    def is_futile(self) -> bool:
        """Return whether there is nothing in it, or nothing that was not refused."""
        refused = sum(not one.accepted and not one.jotted for one in self.receipts)
        return refused == len(self.parts)


def carry_out(conversation: Conversation, content: EmailContent) -> Result:
    """Do what an email asks, from top to bottom.

    What a code in it confirms comes first, because it was written before all of this email.
    """
    if content.dry:
        conversation = structs.replace(conversation, dry=True)
    steps: list[Step] = [lambda conversation: Result(_too_many(conversation, content))]
    steps.append(lambda conversation: _confirm_one(conversation, content))
    steps += _obeying(content.above)
    steps.append(lambda conversation: _order(conversation, content))
    steps.append(lambda conversation: _jot(conversation, content))
    steps += _obeying(content.below)
    if "RESIGN" in content.words:
        steps.append(lambda conversation: _resign(conversation, content))
    return _in_turn(conversation, steps)


def _in_turn(conversation: Conversation, steps: Iterable[Step]) -> Result:
    """Do one thing after the other, each on the match as the one before left it."""
    return _together([step(conversation) for step in steps])


def _obeying(asked: Iterable[Press | Command]) -> list[Step]:
    return [partial(_obey, asked=one) for one in asked]


def order(conversation: Conversation, content: EmailContent) -> list[Receipt]:
    """Hand in the sheets of the email.

    Without a frame the bare lines that are meant as orders count as one sheet; if commands or press
    stand beside them, only if one of them at least can be read.
    """
    given = structs.replace(
        conversation.given, turn=_turn(conversation, content), ply=_ply(conversation, content)
    )
    if content.reading.sheets:
        meant = content.meant_in(conversation.loaded.game)
        name = conversation.loaded.match.name
        sheets = tuple(one.of_match(name) for one in content.reading.sheets)
        taken = structs.replace(content.reading, sheets=sheets)
        receipts = conversation.submit(parsed_sheets(taken, meant), given)
        return [_with_forms(one, _misspelt_in(one)) for one in receipts]
    bare = bare_of(conversation, content)
    beside = bool(content.commands or content.presses or content.jottings)
    if not bare.orders or (beside and not bare.certain):
        return []
    sheet = bare_sheet(Reading((), tuple(bare.orders)))
    nearly_marks = [
        problem(line, CAPITALS) for line in bare.others if _is_nearly_mark(conversation, line)
    ]
    receipts = conversation.submit(
        Reading((sheet,), tuple(bare.others), tuple(nearly_marks)), given
    )
    return [_with_forms(receipt, content.slips) for receipt in receipts]


def _is_nearly_mark(conversation: Conversation, line: Line) -> bool:
    """Return whether a line would be a mark or a note in capitals and without a colon."""
    return conversation.loaded.game.marks is not None and jotting_of(line) is not None


def bare_of(conversation: Conversation, content: EmailContent) -> BareOrders:
    """Return the lines of an email without a frame that are meant as orders, and the others."""
    if content.reading.sheets:
        return BareOrders()
    return parsed_email.find_bare_orders(
        conversation.loaded.game, content.reading.ignored, content.misspelt
    )


def _order(conversation: Conversation, content: EmailContent) -> Result:
    receipts = order(conversation, content)
    return structs.replace(_result_of_receipts(conversation, receipts), read=bool(receipts))


def _jot(conversation: Conversation, content: EmailContent) -> Result:
    """Take the marks and notes that stand outside of any sheet."""
    return _submit_jottings(conversation, content, [one.line for one in content.jottings])


def jot_alone(conversation: Conversation, content: EmailContent) -> Result:
    """Take all marks and notes of an email of which nothing else is taken."""
    if content.dry:
        conversation = structs.replace(conversation, dry=True)
    name = conversation.loaded.match.name
    named = (one.of_match(name) for one in content.reading.sheets)
    sheets = [one for one in named if one.head and one.head.match.lower() == name]
    inside = [one.line for sheet in sheets for one in split_jottings(sheet.body)[0]]
    return _submit_jottings(
        conversation, content, [*inside, *(one.line for one in content.jottings)]
    )


def _submit_jottings(
    conversation: Conversation, content: EmailContent, lines: Sequence[Line]
) -> Result:
    """Hand in marks and notes as a sheet of their own."""
    if not lines:
        return Result()
    if conversation.loaded.game.marks is None:
        title = say(conversation.loaded.game.title)
        told = say("{game} does not use marks or notes.", game=title)
        return _came(CommandAnswer(conversation.words(told), "refused"))
    sheet = RawSheet(lines[0], Head(conversation.loaded.match.name), tuple(lines), (), ())
    given = structs.replace(conversation.given, ply=_ply(conversation, content))
    return _result_of_commands(
        conversation,
        _result_of_receipts(conversation, conversation.submit(Reading((sheet,), ()), given)),
    )


def ask(conversation: Conversation, content: EmailContent) -> Result:
    """Park what is to be confirmed, show what it is, and say how to confirm it."""
    shown = preview(conversation, content)
    code, fell = confirmations.park(conversation, content.text)
    told = say(
        "If you sent this, reply to this email with the line\n\nCONFIRM {code}\n\nUntil then it "
        "has no effect.",
        code=code,
    )
    parts = [*shown.parts, conversation.words(told)]
    ordered = any(one.revision is not None and not one.kept for one in shown.receipts)
    if ordered and conversation.loaded.match.deadline_at:
        parts.append(conversation.words(say("Orders must be confirmed before the deadline.")))
    if fell:
        parts.append(conversation.words(_fell()))
    return Result(tuple(parts), shown.receipts, waits=True, read=shown.read)


def preview(conversation: Conversation, content: EmailContent) -> Result:
    """Show what is asked, as it was understood, and do nothing of it."""
    return _in_turn(
        structs.replace(conversation, dry=True),
        [
            lambda conversation: Result(
                tuple(map(conversation.words, _dry_run_notes(conversation, content)))
            ),
            *_obeying(filter(_is_acting, content.above)),
            lambda conversation: _order(conversation, content),
            lambda conversation: _jot(conversation, content),
            *_obeying(filter(_is_acting, content.below)),
        ],
    )


def _dry_run_notes(conversation: Conversation, content: EmailContent) -> Iterator[Message]:
    """Say what a dry run would not show."""
    if "RESIGN" in content.words:
        match = conversation.loaded.match.name
        yield say(
            "This is a resignation. By confirming you resign your seat in {match}. To play on, "
            "send orders: once they are accepted, or the turn is played, the code does nothing.",
            match=match,
        )
    words = dict.fromkeys(one.word for one in content.commands if one.word in ANSWERED)
    if words:
        yield say("understood: {words}", words=listed(WORDS[word] for word in words))


def _is_acting(asked: Press | Command) -> bool:
    return isinstance(asked, Press) or asked.word in ACTING


def _together(done: Sequence[Result]) -> Result:
    return Result(
        parts=tuple(part for one in done for part in one.parts if part),
        receipts=tuple(receipt for one in done for receipt in one.receipts),
        proofs=tuple(proof for one in done for proof in one.proofs),
        in_vain=any(one.in_vain for one in done),
        waits=any(one.waits for one in done),
        read=any(one.read for one in done),
        told=tuple(told for one in done for told in one.told),
    )


def _came(told: CommandAnswer) -> Result:
    return Result((told.text,), told=(told,))


def _result_of_receipts(conversation: Conversation, receipts: Sequence[Receipt]) -> Result:
    told = tuple(within(receipt, conversation.words, conversation.spelled) for receipt in receipts)
    proofs = (proof(receipt, conversation.words) for receipt in receipts)
    return Result(told, tuple(receipts), tuple(filter(None, proofs)))


def _obey(conversation: Conversation, asked: Press | Command) -> Result:
    if isinstance(asked, Press):
        return _came(press.send(conversation, asked))
    does = TABLE[asked.word].does
    if asked.word in OWN:
        person = own_commands.of_seat(conversation)
        done = _came(own_commands.obey(person, asked))
        conversation.session.changed()
        return done
    if asked.word in ANSWERED:
        done = _came(obey(conversation, asked))
        if does == "changes":  # perhaps the seat's holder
            conversation.session.changed()
        return done
    if does == "letter" or asked.word == "RESIGN":
        return Result()  # `carry_out` does these, before and after all others; MATCH names this one
    return _result_of_commands(
        conversation,
        _result_of_receipts(conversation, in_sheet(conversation, asked.word, asked.line)),
    )


def _result_of_commands(conversation: Conversation, done: Result) -> Result:
    """Return what came of commands outside of any sheet, or of marks and notes: one that was
    accepted is no answer to a sheet."""
    refused = tuple(receipt for receipt in done.receipts if not receipt.accepted)
    came: Outcome = "refused" if refused else "shown" if conversation.dry else "done"
    return structs.replace(done, receipts=refused, told=(CommandAnswer("", came),))


def _with_forms(receipt: Receipt, slips: Iterable[Problem]) -> Receipt:
    """Explain how a command is written, for each refused line that starts like one."""
    forms = {slip.line: slip for slip in slips}
    problems = [forms.get(problem.line, problem) for problem in receipt.problems]
    return structs.replace(receipt, problems=problems)


def _misspelt_in(receipt: Receipt) -> Iterator[Problem]:
    """Yield the slips in commands among the lines of a sheet that was refused."""
    for one in receipt.problems:
        line = Line(one.line, one.text)
        if one.line and is_meant(line) and (slip := slip_of(line)):
            yield slip


def _turn(conversation: Conversation, content: EmailContent) -> int | None:
    """Return the turn for sheets that name none."""
    heads = [raw.head for raw in content.reading.sheets]
    if heads and all(head and head.turn is not None for head in heads):
        return None
    return turn_answered(conversation)


def _ply(conversation: Conversation, content: EmailContent) -> int | None:
    """Return the ply as after which marks are meant, if the email has any."""
    return ply_answered(conversation) if content.has_jottings else None


def _resign(conversation: Conversation, content: EmailContent) -> Result:
    """Ask to confirm a resignation by mail (section 3); take one that is inside a confirmed
    sheet."""
    outside = [one.line for one in content.commands if one.word == "RESIGN"]
    if conversation.confirmed or conversation.dry:
        if not outside:
            return Result()
        resigned = in_sheet(conversation, "RESIGN", outside[0])
        return _result_of_commands(conversation, _result_of_receipts(conversation, resigned))
    line = outside[0] if outside else Line(0, "")
    tried = in_sheet(structs.replace(conversation, dry=True), "RESIGN", line)
    if not all(receipt.accepted for receipt in tried):
        return _result_of_commands(conversation, _result_of_receipts(conversation, tried))
    return ask(conversation, content_of("RESIGN"))


def _fell() -> Message:
    return say(
        "At most {most} of your emails can wait for confirmation, so the oldest was dropped.",
        most=confirmations.MOST_WAITING,
    )


def _too_many(conversation: Conversation, content: EmailContent) -> tuple[str, ...]:
    if not content.has_more:
        return ()
    told = say("Only the first {most} commands in your email were read.", most=MOST_ASKED)
    return (conversation.words(told),)


def _confirm_one(conversation: Conversation, content: EmailContent) -> Result:
    """Do what was parked under the code of an email, or take the seat that was asked for.

    Only one code is tried, so that nobody finds one by trying.
    """
    first, others = content.code, content.codes[1:]
    if not first or conversation.confirmed:
        return Result()  # a code inside of what is confirmed by another one
    if conversation.dry:
        return Result((conversation.words(say("understood: {words}", words=WORDS["CONFIRM"])),))
    done = _confirm(conversation, first)
    if not others:
        return done
    told = say(
        "Your email contains several codes, and only {code} was tried. Send each code in a "
        "separate email.",
        code=first,
    )
    return _together([done, Result((conversation.words(told),))])


def _confirm(conversation: Conversation, code: str) -> Result:
    parked = confirmations.claim(conversation, code)
    if parked is None:
        return _take_seat(conversation, code)
    what = say("The email waiting under the code {code} was for an earlier turn.", code=code)
    return carry_out_parked(conversation, parked, what)


def carry_out_parked(conversation: Conversation, parked: Parked, if_past: Message) -> Result:
    """Carry out what a code has confirmed; if it was for an earlier turn, say `if_past`."""
    content = content_of(parked.text)
    conversation = structs.replace(
        conversation, confirmed=True, parked=parked.letter_id, parked_ply=parked.ply
    )
    if not confirmations.is_current(conversation.loaded, conversation.seat, parked):
        jotted = jot_alone(conversation, content)  # these are of no turn
        told = both(if_past, _plays_on(conversation)) if "RESIGN" in content.words else if_past
        past = Result((conversation.words(told),), in_vain=not jotted.parts)
        return _together([past, jotted])
    done = carry_out(conversation, content)
    return structs.replace(done, read=False)  # those are not the orders of this email


def _plays_on(conversation: Conversation) -> Message:
    """Say that a resignation of an earlier turn does nothing."""
    match = conversation.loaded.match.name
    return say(
        "You have not resigned from {match}. To resign now, send the line RESIGN again.",
        match=match,
    )


def _take_seat(conversation: Conversation, code: str) -> Result:
    address = conversation.address
    if joining := confirmations.seat_asked_for(conversation.tx, address, conversation.now):
        try:
            seated = confirmations.confirm_seat(conversation, address, code)
        except Refusal as refusal:
            told_of = open_seats(conversation.tx, conversation.holder.language, conversation.now)
            return _together(
                [_came(CommandAnswer(conversation.refused(refusal), "refused")), Result((told_of,))]
            )
        if seated:
            conversation.session.changed()
            took = CommandAnswer(
                conversation.words(seated), "done", subjects.entered(joining.match)
            )
            return _came(took)
    confirmations.count_wrong_code(conversation, code)
    told = confirmations.nothing_under(conversation.tx, conversation.player_id, code)
    return Result((conversation.words(told),), in_vain=True)


Subject: TypeAlias = Callable[[Conversation], Message]


def kind_of_answer(conversation: Conversation, done: Result) -> tuple[str, Subject]:
    """Choose kind and subject of an answer.

    If the email was about orders, the subject says whether they are in, or what to correct.
    """
    refused = [receipt for receipt in done.receipts if not receipt.accepted]
    if done.in_vain or refused:
        stored = [one for one in done.receipts if one.stored and one.revision is not None]
        if stored and all(one.kept for one in stored):
            return "refusal", subject_of_kept_in_part(stored[0])
        if stored:
            return "refusal", subject_if_partly
        if done.read:
            return "refusal", subject_of_faults(refused)
        if not refused:
            return "refusal", subject_if_nothing_confirmed
        return "refusal", subject_of_changed(
            conversation, done
        ) if done.told else subject_of_faults(refused)
    if done.waits:  # nothing else is asked for here that a code must confirm
        return "confirm", subject_to_resign
    ordered = [receipt for receipt in done.receipts if receipt.revision is not None]
    if ordered and all(receipt.kept for receipt in ordered):
        return "receipt", subject_of_kept(ordered[0])
    return "receipt", subject_of_receipt if ordered else subject_of_changed(conversation, done)


def revision_of(conversation: Conversation) -> int | None:
    sheet = conversation.loaded.sheets.get(conversation.seat)
    return sheet.revision if sheet else None


def subject_of_receipt(conversation: Conversation) -> Message:
    return subjects.receipt(
        conversation.loaded.match.name, conversation.loaded.match.turn, revision_of(conversation)
    )


def subject_of_kept(receipt: Receipt) -> Subject:
    return lambda conversation: subjects.kept(conversation.loaded.match.name, receipt.turn or 0)


def subject_of_kept_in_part(receipt: Receipt) -> Subject:
    """Choose the subject for an email of which only sheets for later turns were kept. If the seat
    is awaited, it says how the present turn stands."""

    def subject(conversation: Conversation) -> Message:
        if commands.is_awaited(conversation):
            return subject_if_partly(conversation)
        return subjects.kept_in_part(conversation.loaded.match.name, receipt.turn or 0)

    return subject


def subject_of_refusal(conversation: Conversation) -> Message:
    match = conversation.loaded.match
    return subjects.unwanted(match.name, match.turn)


def subject_of_faults(refused: Sequence[Receipt]) -> Subject:
    """Choose the subject for orders that were refused: it names the first line with a fault, if
    orders are awaited at all."""
    lines = (found.line for receipt in refused for found in receipt.problems)
    first = next((line for line in lines if line), 0)

    def subject(conversation: Conversation) -> Message:
        match = conversation.loaded.match
        if not first or not commands.is_awaited(conversation):
            return subject_of_refusal(conversation)
        return subjects.correct(match.name, match.turn, first)

    return subject


def subject_without_orders(conversation: Conversation) -> Message:
    match = conversation.loaded.match
    return subjects.no_orders(match.name, match.turn)


def subject_if_not_understood(conversation: Conversation) -> Message:
    return subjects.not_understood(conversation.loaded.match.name)


def subject_if_partly(conversation: Conversation) -> Message:
    """Choose the subject for an email of which a part was accepted; it may have withdrawn the
    orders again."""
    revision = revision_of(conversation)
    if revision is None:
        return subject_of_refusal(conversation)
    return subjects.partly(conversation.loaded.match.name, conversation.loaded.match.turn, revision)


def subject_of_words(*, asks: bool, passed: bool) -> Subject:
    """Choose the subject for a person's words: whether they ask something, and went to the game
    master. Where names are hidden it never says that they did."""

    def subject(conversation: Conversation) -> Message:
        match = conversation.loaded.match.name
        if passed and not conversation.holder.hidden:
            return subjects.passed_on(match, conversation.context.game_master, asks=asks)
        return subjects.question(match) if asks else subjects.words(match)

    return subject


def subject_to_confirm(conversation: Conversation) -> Message:
    return subjects.confirm(conversation.loaded.match.name)


def subject_to_resign(conversation: Conversation) -> Message:
    return subjects.resign(conversation.loaded.match.name)


def subject_to_confirm_what(content: EmailContent) -> Subject:
    """Choose the subject for an email of which all must be confirmed."""
    if "RESIGN" in content.words:
        return subject_to_resign
    if not content.reading.sheets:
        return subject_to_confirm
    return lambda conversation: subjects.confirm_orders(conversation.loaded.match.name)


def subject_if_nothing_confirmed(conversation: Conversation) -> Message:
    return subjects.nothing_confirmed(conversation.loaded.match.name)


def subject_of_changed(before: Conversation, done: Result) -> Subject:
    """Choose the subject for an email without a sheet; the email may have withdrawn one."""

    def subject(after: Conversation) -> Message:
        if revision_of(before) != revision_of(after):
            return subject_of_receipt(after)
        return subject_of(done.told, after.loaded.match.name)

    return subject
