"""Do all that an email asks; or show it, and let it wait for confirmation. Name what counts for
nothing beside that."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from msgspec import structs

from adjudicator.core.asking import is_aside
from adjudicator.core.command_table import ACTING, ANSWERED, OWN, TABLE, WORDS
from adjudicator.core.commands import (
    Command,
    Press,
    code_of,
    is_command,
    is_press,
    jotting_of,
    split_jottings,
)
from adjudicator.core.game import AnyGame
from adjudicator.core.message import Message, both, listed, say
from adjudicator.core.orders import Line, Problem, clean, cleaned, number_lines, problem
from adjudicator.core.sheets import Head, RawSheet, Reading, SheetCommand, bare_sheet
from adjudicator.core.slips import is_meant, slip_of
from adjudicator.mail.write import subjects
from adjudicator.service.base.context import Refusal
from adjudicator.service.emails.paragraphs import (
    MarkedRow,
    MarkedSheet,
    Paragraphs,
    Receipt,
    in_answer,
    paragraph,
    proof_lines,
)
from adjudicator.service.inbound import codes, commands, own_words, parsed_email, press
from adjudicator.service.inbound.conversation import (
    Conversation,
    may_order,
    refusal_text,
    template_lines,
)
from adjudicator.service.inbound.own_words import ply_answered, turn_answered
from adjudicator.service.inbound.parsed_email import (
    MOST_ASKED,
    BareOrders,
    EmailContent,
    content_of,
)
from adjudicator.service.inbound.replies import (
    SHEET,
    Done,
    Status,
    holds_orders,
    notes,
    receipts,
    refusals,
    with_words,
)
from adjudicator.service.matches import sheet_parsing
from adjudicator.service.matches.sheet_judging import CAPITALS
from adjudicator.service.matches.sheet_parsing import parsed_sheets
from adjudicator.store.pending import Parked

Step: TypeAlias = Callable[[Conversation], Sequence[Done]]


def carry_out(conversation: Conversation, content: EmailContent) -> Sequence[Done]:
    """Do what an email asks, from top to bottom.

    What a code in it confirms comes first, because it was written before all of this email.
    """
    if content.dry:
        conversation = structs.replace(conversation, dry=True)
    steps: list[Step] = [lambda conversation: _too_many(conversation, content)]
    steps.append(lambda conversation: _confirm_one(conversation, content))
    steps += _obeying(content.above)
    steps.append(lambda conversation: _order(conversation, content))
    steps.append(lambda conversation: _jot(conversation, content))
    steps += _obeying(content.below)
    if "RESIGN" in content.words:
        steps.append(lambda conversation: _resign(conversation, content))
    return _in_turn(conversation, steps)


def _in_turn(conversation: Conversation, steps: Iterable[Step]) -> Sequence[Done]:
    """Do one thing after the other, each on the match as the one before left it."""
    return [done for step in steps for done in step(conversation)]


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
        meant = content.order_like_lines(conversation.loaded.game)
        name = conversation.loaded.match.name
        sheets = tuple(one.of_match(name) for one in content.reading.sheets)
        taken = structs.replace(content.reading, sheets=sheets)
        handed_in = conversation.submit(parsed_sheets(taken, meant), given)
        return [_with_forms(one, _misspelt_in(one)) for one in handed_in]
    bare = bare_of(conversation, content)
    beside = bool(content.commands or content.presses or content.jottings)
    if not bare.orders or (beside and not bare.certain):
        return []
    sheet = bare_sheet(Reading((), tuple(bare.orders)))
    nearly_marks = [
        problem(line, CAPITALS) for line in bare.others if _is_nearly_mark(conversation, line)
    ]
    handed_in = conversation.submit(
        Reading((sheet,), tuple(bare.others), tuple(nearly_marks)), given
    )
    return [_with_forms(receipt, content.slips) for receipt in handed_in]


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


def _order(conversation: Conversation, content: EmailContent) -> Sequence[Done]:
    return [*map(done_of_sheet, order(conversation, content))]


def done_of_sheet(receipt: Receipt) -> Done:
    return Done(
        (in_answer(receipt),),
        "done" if receipt.accepted else "refused",
        SHEET,
        receipt=receipt,
        proof=paragraph(*proof_lines(receipt)),
    )


def _jot(conversation: Conversation, content: EmailContent) -> Sequence[Done]:
    """Take the marks and notes that stand outside of any sheet."""
    return _submit_jottings(conversation, content, [one.line for one in content.jottings])


def jot_alone(conversation: Conversation, content: EmailContent) -> Sequence[Done]:
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
) -> Sequence[Done]:
    """Hand in marks and notes as a sheet of their own."""
    if not lines:
        return []
    if conversation.loaded.game.marks is None:
        title = say(conversation.loaded.game.title)
        told = say("{game} does not use marks or notes.", game=title)
        return [Done(paragraph(told), "refused")]
    sheet = RawSheet(lines[0], Head(conversation.loaded.match.name), tuple(lines), (), ())
    given = structs.replace(conversation.given, ply=_ply(conversation, content))
    return _done_as_sheets(conversation, "", conversation.submit(Reading((sheet,), ()), given))


def ask(conversation: Conversation, content: EmailContent) -> Sequence[Done]:
    """Park what is to be confirmed, show what it is, and say how to confirm it."""
    done = list(preview(conversation, content))
    code, fell = codes.park(conversation, content.text)
    told = say(
        "If you sent this, reply to this email with the line\n\nCONFIRM {code}\n\nUntil then it "
        "has no effect.",
        code=code,
    )
    ordered = any(one.revision is not None and not one.kept for one in receipts(done))
    done.append(Done(paragraph(told), "waits"))
    if ordered and conversation.loaded.match.deadline_at:
        by_when = say("Orders must be confirmed before the deadline.")
        done.append(Done(paragraph(by_when)))
    if fell:
        done.append(Done(paragraph(_fell())))
    return done


def preview(conversation: Conversation, content: EmailContent) -> Sequence[Done]:
    """Show what is asked, as it was understood, and do nothing of it."""
    return _in_turn(
        structs.replace(conversation, dry=True),
        [
            lambda conversation: notes(_dry_run_notes(conversation, content)),
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


def _obey(conversation: Conversation, asked: Press | Command) -> Sequence[Done]:
    if isinstance(asked, Press):
        return [press.send(conversation, asked)]
    if asked.word in ANSWERED:
        done = commands.obey_holder(conversation, asked)
        if TABLE[asked.word].does == "changes" or asked.word in OWN:  # perhaps the seat's holder
            conversation.session.mark_changed()
        return [done]
    if TABLE[asked.word].does == "letter" or asked.word == "RESIGN":
        return []  # `carry_out` does these, before and after all others; MATCH names this one
    return _act(conversation, asked.word, asked.line)


def _act(conversation: Conversation, word: str, line: Line) -> Sequence[Done]:
    """Treat a command that a sheet may hold as well as if it stood in a sheet."""
    sheet = RawSheet(line, None, (), (SheetCommand(word, line),), ())
    return _done_as_sheets(conversation, word, conversation.submit(Reading((sheet,), ())))


def _done_as_sheets(
    conversation: Conversation, asked: str, handed_in: Sequence[Receipt]
) -> Sequence[Done]:
    """Return what came of a command outside of any sheet, or of marks and notes, by its receipts:
    one that was accepted is no answer to a sheet."""
    return [
        Done(
            (in_answer(one),),
            "refused" if not one.accepted else "shown" if conversation.dry else "done",
            asked,
            receipt=None if one.accepted else one,
            proof=paragraph(*proof_lines(one)),
        )
        for one in handed_in
    ]


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


def _resign(conversation: Conversation, content: EmailContent) -> Sequence[Done]:
    """Ask to confirm a resignation by mail (section 3); take one that is inside a confirmed
    sheet."""
    outside = [one.line for one in content.commands if one.word == "RESIGN"]
    if conversation.confirmed or conversation.dry:
        return _act(conversation, "RESIGN", outside[0]) if outside else []
    line = outside[0] if outside else Line(0, "")
    tried = _act(structs.replace(conversation, dry=True), "RESIGN", line)
    return tried if refusals(tried) else ask(conversation, content_of("RESIGN"))


def _fell() -> Message:
    return say(
        "At most {most} of your emails can wait for confirmation, so the oldest was dropped.",
        most=codes.MOST_WAITING,
    )


def _too_many(conversation: Conversation, content: EmailContent) -> Sequence[Done]:
    if not content.has_more:
        return []
    told = say("Only the first {most} commands in your email were read.", most=MOST_ASKED)
    return notes([told])


def _confirm_one(conversation: Conversation, content: EmailContent) -> Sequence[Done]:
    """Do what was parked under the code of an email, or take the seat that was asked for.

    Only one code is tried, so that nobody finds one by trying.
    """
    first, others = content.code, content.codes[1:]
    if not first or conversation.confirmed:
        return []  # a code inside of what is confirmed by another one
    if conversation.dry:
        return notes([say("understood: {words}", words=WORDS["CONFIRM"])])
    done = _confirm(conversation, first)
    if not others:
        return done
    told = say(
        "Your email contains several codes, and only {code} was tried. Send each code in a "
        "separate email.",
        code=first,
    )
    return [*done, *notes([told])]


def _confirm(conversation: Conversation, code: str) -> Sequence[Done]:
    parked = codes.claim(conversation, code)
    if parked is None:
        return _take_seat(conversation, code)
    what = say("The email waiting under the code {code} was for an earlier turn.", code=code)
    return carry_out_parked(conversation, parked, what)


def carry_out_parked(
    conversation: Conversation, parked: Parked, if_past: Message
) -> Sequence[Done]:
    """Carry out what a code has confirmed; if it was for an earlier turn, say `if_past`."""
    content = content_of(parked.text)
    conversation = structs.replace(
        conversation, confirmed=True, parked=parked.letter_id, parked_ply=parked.ply
    )
    if not codes.is_current(conversation.loaded, conversation.seat, parked):
        jotted = jot_alone(conversation, content)  # these are of no turn
        told = both(if_past, _plays_on(conversation)) if "RESIGN" in content.words else if_past
        status: Status = "beside" if with_words(jotted) else "nothing"
        return [Done(paragraph(told), status), *jotted]
    return [structs.replace(one, by_code=True) for one in carry_out(conversation, content)]


def _plays_on(conversation: Conversation) -> Message:
    """Say that a resignation of an earlier turn does nothing."""
    match = conversation.loaded.match.name
    return say(
        "You have not resigned from {match}. To resign now, send the line RESIGN again.",
        match=match,
    )


def _take_seat(conversation: Conversation, code: str) -> Sequence[Done]:
    address = conversation.address
    if joining := codes.seat_asked_for(conversation.tx, address, conversation.now):
        try:
            seated = codes.confirm_seat(conversation, address, code)
        except Refusal as refusal:
            told_of = commands.open_seats(conversation)
            return [Done(refusal_text(refusal), "refused"), Done(told_of)]
        if seated:
            conversation.session.mark_changed()
            subject = subjects.tournament_entry(joining.match)
            return [Done(paragraph(seated), "done", subject=subject)]
    codes.count_wrong_code(conversation, code)
    told = codes.nothing_under(conversation.tx, conversation.player_id, code)
    return [Done(paragraph(told), "nothing")]


# Warn of what counts for nothing beside that: orders where none are looked for, slips, questions.


_MISPLACED = say(
    "this looks like an order, but it is in a signature, quoted text or HTML and was ignored"
)
_IN_FILE = say(
    "this is in an attachment, which was not read because the email itself has orders or commands"
)
_IN_FOOTER = say(
    "this looks like a mark or a note, but it is below the end of your email and was ignored"
)


def misplaced_lines(
    conversation: Conversation, content: EmailContent, done: Sequence[Done]
) -> Sequence[Problem]:
    """Return warnings of lines that read as orders where none are looked for, or that begin like
    standing.

    A quoted email of ours holds orders of the seat, steps that were made, examples; there is no
    warning of those.
    """
    game, own = conversation.loaded.game, conversation.loaded.sheets.get(conversation.seat)
    known = {*(own.lines if own else ()), *(line for one in receipts(done) for line in one.orders)}
    left: list[Line] = []
    for line in content.left_out:
        said = _orders_in(game, line)
        if said and not known.issuperset(said):
            left.append(line)
    meant = {} if holds_orders(done) else {one.line: one for one in content.order_like_lines(game)}
    beside = [Line(one.line, one.text) for one in meant.values()]
    seen = [*beside, *left]
    ours = own_words.not_ours(conversation, seen, content.left_out) if seen else []
    found = [meant[line.number] for line in ours if line in beside]
    found += (problem(line, _MISPLACED) for line in ours if line in left)
    found += (problem(line, _IN_FOOTER) for line in content.footers)
    found += (problem(line, _IN_FILE) for line in _meant_in(game, content.unread))
    if not (content.is_bare and holds_orders(done)):
        found += _slips(content)
    return found[: sheet_parsing.MOST_MISPLACED]


def _slips(content: EmailContent) -> Iterator[Problem]:
    """Yield the slips in commands; one that quotes a code which the email confirms is none."""
    for slip in content.slips:
        if code_of(Line(slip.line, slip.text)) not in content.codes:
            yield slip


def _orders_in(game: AnyGame, line: Line) -> list[str]:
    """Return the orders that a line reads as, in canonical lines."""
    sheet = game.orders.parse([line])
    return [] if sheet.problems else game.orders.lines(sheet.orders)


def _meant_in(game: AnyGame, lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines that read as orders, commands, marks, notes, or the head of press."""
    for line in lines:
        is_said = is_command(line) or is_press(line) or jotting_of(line, outside=True)
        if is_said or _orders_in(game, line):
            yield line


# Send a set-up that was refused back with its faults marked, so that its writer only mends them.


_MOST_LINES = 60
_MOST_MARKS = 12  # about the whole set-up


def marked_set_up(
    conversation: Conversation, content: EmailContent, done: Sequence[Done]
) -> Paragraphs:
    """Return the sheet of an email with its faults marked; empty if it is no set-up, or another
    sheet would be read."""
    view = conversation.loaded.game.sight.observe(conversation.loaded.state, conversation.seat)
    raw = _raw(conversation, content)
    if raw is None or view.phase != "setup" or not may_order(conversation):
        return ()
    refused = [one for one in refusals(done) if one.turn is not None]
    if len(refused) != 1 or refused[0].turn != conversation.loaded.match.turn:
        return ()
    problems = [one for one in refused[0].problems if one.line != raw.line.number or not raw.head]
    rows = list(cleaned(raw.body))
    canonical = template_lines(conversation)
    template = conversation.spelled.all(canonical)
    if not problems or not template or len(rows) > _MOST_LINES or _is_unfilled(rows, template):
        return ()
    if not _is_set_up(conversation, raw.body, template):
        return ()
    (first, text), *others = rows  # what is told of the first is about all
    whole = [one.message for one in problems if one.line in (0, first.number)]
    marked = MarkedSheet(
        head=canonical[0],
        first=text,
        faults=tuple(whole[:_MOST_MARKS]),
        rows=tuple(MarkedRow(text, _faults_of(line, problems)) for line, text in others),
        end=canonical[-1],
    )
    return (marked,)


def _faults_of(line: Line, problems: Sequence[Problem]) -> tuple[Message, ...]:
    return tuple(one.message for one in problems if one.line == line.number)


def _raw(conversation: Conversation, content: EmailContent) -> RawSheet | None:
    if content.reading.sheets:
        return content.reading.sheets[0] if len(content.reading.sheets) == 1 else None
    orders = bare_of(conversation, content).orders
    return bare_sheet(Reading((), tuple(orders))) if orders else None


def _is_set_up(conversation: Conversation, body: Sequence[Line], template: Sequence[str]) -> bool:
    """Return whether there is an order in a sheet of the kind that the template asks for."""
    parse = conversation.loaded.game.orders.parse
    asked = parse(number_lines(template[1:-1])).orders
    return not {*map(type, asked)}.isdisjoint(map(type, parse(body).orders))


def _is_unfilled(rows: Sequence[tuple[Line, str]], template: Sequence[str]) -> bool:
    """Return whether the rows are those of the template, in which nothing was filled in."""
    return {text for _, text in rows} <= {clean(line) for line in template[1:-1]}


def asked_beside(conversation: Conversation, lines: Sequence[Line]) -> Sequence[Line]:
    """Return the lines of an email beside its orders, if they ask something."""
    likeness = conversation.loaded.game.orders.likeness
    if likeness is None:
        return ()
    return lines if any(is_aside(likeness(), line.text) for line in lines) else ()
