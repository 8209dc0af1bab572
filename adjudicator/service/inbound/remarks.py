"""Warn of orders in a place where none are looked for, and quote them."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from adjudicator.core.asking import is_aside
from adjudicator.core.commands import code_of, is_command, is_press, jotting_of
from adjudicator.core.game import AnyGame
from adjudicator.core.message import Message, say
from adjudicator.core.orders import (
    MOST_ORDERS,
    Line,
    Problem,
    clean,
    cleaned,
    lookup_form,
    number_lines,
    problem,
    shown,
)
from adjudicator.core.sheets import MOST_SHEETS, RawSheet, Reading, bare_sheet
from adjudicator.mail.read.text_parts import File
from adjudicator.service.emails.paragraphs import MarkedRow, MarkedSheet, Paragraphs
from adjudicator.service.inbound import own_words, parsed_email
from adjudicator.service.inbound.conversation import Conversation, may_order, template_lines
from adjudicator.service.inbound.dialog import bare_of
from adjudicator.service.inbound.parsed_email import EmailContent, ParsedEmail, parses
from adjudicator.service.inbound.replies import Done, holds_orders, receipts, refusals
from adjudicator.service.matches import sheet_parsing

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


# Emails of which nothing is read, or of which nobody could say what is meant.


def over_limits(opened: ParsedEmail) -> Message | None:
    """Return why nothing of an email is read, whatever it says."""
    email = opened.email
    if opened.received.length > len(opened.received.raw):  # a part was not kept
        return _OVER_LIMITS["truncated"]
    why = next((_OVER_LIMITS[defect] for defect in email.defects if defect in _OVER_LIMITS), None)
    if why is None and email.unsound is not None:
        return say("The orders are JSON and cannot be used: {why}", why=email.unsound)
    return why


def ambiguous(conversation: Conversation, opened: ParsedEmail) -> Message | None:
    """Return why neither of two sheets of an email is taken, or none of far too many.

    One of the two is in an attachment, or in a quoted email while there are orders in the sender's
    own lines.
    """
    texts = opened.email.texts
    if texts.ambiguous:
        return say(
            "Your email has orders in its text and also in an attachment. Send only one of them."
        )
    sheets = len(opened.content.reading.sheets)
    if sheets > MOST_SHEETS:
        most = MOST_SHEETS
        return say(
            "Your email contains {n} order sheets. Send at most {most}.", n=sheets, most=most
        )
    if texts.quoted and _has_orders(conversation.loaded.game, opened.content.reading.ignored):
        return say(
            "Your email has orders in your own lines and also in the quoted email. Send only one "
            "of them."
        )
    return None


def _has_orders(game: AnyGame, own: Sequence[Line]) -> bool:
    """Return whether one of the lines reads as an order; True if there are more lines than a sheet
    has."""
    return len(own) > MOST_ORDERS or any(parses(game, [line]) for line in own)


def unreadable(conversation: Conversation, opened: ParsedEmail) -> Message | None:
    """Return why the orders seem to be in a part that cannot be read, as there are none
    elsewhere."""
    content, defects = opened.content, opened.email.defects
    found = next((_UNREADABLE[defect] for defect in defects if defect in _UNREADABLE), None)
    found = found or _in_a_file(opened)
    says = content.reading.sheets or content.presses or content.commands
    if found is None or says:
        return None
    bare = parsed_email.find_bare_orders(conversation.loaded.game, content.reading.ignored)
    return None if bare.orders else found


def _in_a_file(opened: ParsedEmail) -> Message | None:
    """Return which file cannot be read. A small picture beside words of the sender is a drawing in
    his signature."""
    texts = opened.email.texts
    silent = not any(map(lookup_form, (texts.sheet or "", *texts.bare.split("\n"))))
    files = [one for one in opened.email.files if silent or not one.is_small]
    if not files:
        return None
    names = _names(files)
    kinds = {one.kind for one in files}
    return _FILES["other" if len(kinds) > 1 else kinds.pop()](names)


def calendars(opened: ParsedEmail) -> Message | None:
    """Name the calendar files of an email, and say how to tell of days away."""
    files = [one for one in opened.email.files if one.kind == "calendar"]
    return _FILES["calendar"](_names(files)) if files else None


def beside(opened: ParsedEmail) -> Message | None:
    """Name the files of which nothing is read, beside an email that is."""
    files = [one for one in opened.email.files if not (one.is_small or one.is_programs)]
    if not files:
        return None
    return say("Note: adjud reads text alone, so it did not read {files}.", files=_names(files))


def _names(files: Sequence[File]) -> str:
    return ", ".join(f"'{shown(one.name, _MOST_NAME)}'" for one in files[:_MOST_FILES])


# Defects for which nothing of an email is read (section 5), and what its sender is told.
_TOO_LARGE = say("Your email is too large to be read as orders. Send a few lines of plain text.")
_OVER_LIMITS: Mapping[str, Message] = {
    "truncated": _TOO_LARGE,
    "body too long": _TOO_LARGE,
    "too much formatting": say(
        "Your email has too much formatting to be read: send plain text, or copy only your orders "
        "into a new email."
    ),
    "too many parts": say(
        "Your email has too many parts and attachments to be read. Send a few lines of plain text."
    ),
    "too deep": say(
        "Your email contains too many emails nested inside each other to be read. Send a few "
        "lines of plain text."
    ),
}
# Defects that explain why no orders were found.
_UNREADABLE: Mapping[str, Message] = {
    "signed": say(
        "The text of your email is inside its S/MIME signature, and adjud cannot open it. Send "
        "plain text, or let your email program sign in clear text."
    ),
    "encrypted": say(
        "Your email is encrypted, and this program has no key to open it. Send plain text. You "
        "may sign it, as long as the text itself can be read."
    ),
}
_MOST_FILES, _MOST_NAME = 5, 60  # that are named, and the characters of a name
_FILES: Mapping[str, Callable[[str], Message]] = {
    "Word": lambda files: say(
        "Your email contains no orders, and the attached Word file cannot be read: {files}. "
        "Write the orders in the email itself, or save the file as plain text and attach that.",
        files=files,
    ),
    "picture": lambda files: say(
        "Your email contains no orders, and pictures cannot be read: {files}. Write the orders "
        "in the email itself.",
        files=files,
    ),
    "sound": lambda files: say(
        "Your email contains no orders, and recordings cannot be read: {files}. Write the orders "
        "in the email itself.",
        files=files,
    ),
    "Outlook": lambda files: say(
        "Your email contains no orders, and its attachment cannot be read: {files}, which only "
        "Outlook can open. Write the orders in the email itself, and have Outlook send it as "
        "plain text.",
        files=files,
    ),
    "calendar": lambda files: say(
        "Your email contains no orders, and appointments are not read: {files}. To say when you "
        "are away, write a line such as ABSENCE 2026-12-24 TO 2026-12-31.",
        files=files,
    ),
    "other": lambda files: say(
        "Your email contains no orders, and its attachment cannot be read: {files}. Write the "
        "orders in the email itself, or attach them as a plain text file.",
        files=files,
    ),
}


def asked_beside(conversation: Conversation, lines: Sequence[Line]) -> Sequence[Line]:
    """Return the lines of an email beside its orders, if they ask something."""
    likeness = conversation.loaded.game.orders.likeness
    if likeness is None:
        return ()
    return lines if any(is_aside(likeness(), line.text) for line in lines) else ()
