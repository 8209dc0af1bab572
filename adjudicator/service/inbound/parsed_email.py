"""Take an email apart: press, commands, sheets, and lines from which nothing is read; and say why
nothing of it is read, or not all."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import islice

from msgspec import Struct, structs

from adjudicator.core.asking import is_aside, is_question
from adjudicator.core.commands import (
    Command,
    Jotting,
    Press,
    codes_alone,
    echoes,
    is_command,
    is_press,
    jotting_of,
    read_commands,
    read_press,
    split_jottings,
)
from adjudicator.core.conditions import reads_as_orders
from adjudicator.core.game import AnyGame
from adjudicator.core.likeness import alike, closes
from adjudicator.core.message import LANGUAGES, Message, say
from adjudicator.core.orders import (
    MOST_ORDERS,
    Line,
    Problem,
    clean,
    lookup_form,
    shown,
    split_lines,
)
from adjudicator.core.own_words import OwnWords
from adjudicator.core.sheets import MOST_SHEETS, RawSheet, Reading, read_sheets
from adjudicator.core.slips import is_meant, slip_of
from adjudicator.games import GAMES
from adjudicator.mail.address import MailDomain, public_address
from adjudicator.mail.read.email import Email, body_of
from adjudicator.mail.read.email import read as read_email
from adjudicator.mail.read.own_text import Texts
from adjudicator.mail.read.quoting import depth
from adjudicator.mail.read.text_parts import File
from adjudicator.reports.words import catalogue, rows_of_sentences
from adjudicator.service.emails.paragraphs import (
    DAILY_HEADS,
    DAILY_TITLE,
    STATUS_HEADS,
    VERDICTS,
)
from adjudicator.service.matches.sheet_parsing import (
    terse,
    would_read_as_orders,
)
from adjudicator.store.inbox import IncomingEmail, SeenEmail

MOST_ASKED = 20  # different commands of one email, and pieces of press
MOST_SLIPS = MOST_ORDERS + 1  # of an email with more slips in commands, no orders are read


class EmailContent(Struct, frozen=True):
    """The parts of what an email says.

    `text` is all of it, as it is kept until it is confirmed. `reading` has neither the press nor
    the commands in it, nor the `jottings`, the marks and notes outside of any sheet, and its lines
    keep their numbers. `footers` would be some, but stand below a stop line; `unread` are the lines
    of attachments from which nothing is read. `slips` are the first
    of its lines that begin like commands. `codes_alone` are codes without CONFIRM, which count for
    somebody who was sent one. `prose` are the sender's own lines outside of sheets that are neither
    press nor commands, in HTML, too. From the lines in `left_out` nothing is read. `has_more`
    says that there are commands or press beyond the limit.
    """

    text: str
    presses: tuple[Press, ...]
    commands: tuple[Command, ...]
    reading: Reading
    slips: tuple[Problem, ...] = ()
    left_out: Sequence[Line] = ()
    jottings: tuple[Jotting, ...] = ()
    codes_alone: tuple[Command, ...] = ()
    prose: Sequence[Line] = ()
    footers: tuple[Line, ...] = ()
    unread: Sequence[Line] = ()
    has_more: bool = False

    @property
    def words(self) -> frozenset[str]:
        inside = [command.word for sheet in self.reading.sheets for command in sheet.commands]
        return frozenset({*inside, *(command.word for command in self.commands)})

    @property
    def has_jottings(self) -> bool:
        """Return whether there are marks or notes, in a sheet or outside."""
        inside = (line for sheet in self.reading.sheets for line in sheet.body)
        return bool(self.jottings) or any(map(jotting_of, inside))

    @property
    def code(self) -> str:
        """Return the code that is tried: the first, so that nobody finds one by trying."""
        return next(iter(self.codes), "")

    @property
    def codes(self) -> Sequence[str]:
        said = (one.argument.upper() for one in self.commands if one.word == "CONFIRM")
        return [*dict.fromkeys(said)]

    def confirming(self, lengths: Collection[int]) -> "EmailContent":
        """Return the email with its first code without CONFIRM as a command, if it has no other
        and somebody was sent a code of such a length."""
        if self.code:
            return self
        told = next((one for one in self.codes_alone if len(one.argument) in lengths), None)
        if told is None:
            return self
        left = tuple(line for line in self.reading.ignored if line.number != told.line.number)
        reading = Reading(self.reading.sheets, left)
        return structs.replace(self, commands=(*self.commands, told), reading=reading)

    def order_like_lines(self, game: AnyGame) -> Sequence[Problem]:
        """Return the lines outside of any sheet that read as orders of the game."""
        return tuple(would_read_as_orders(self.reading.ignored, [game]))

    @property
    def dry(self) -> bool:
        return "CHECK" in self.words

    @property
    def is_bare(self) -> bool:
        """Return whether there is no frame, and yet something that is neither command nor press."""
        slips = {slip.line for slip in self.slips}
        said = any(line.number not in slips for line in self.reading.ignored)
        return said and not self.reading.sheets

    @property
    def misspelt(self) -> frozenset[int]:
        """Return the numbers of the lines that are meant as commands and cannot be read."""
        return frozenset(slip.line for slip in self.slips if is_meant(Line(slip.line, slip.text)))

    @property
    def above(self) -> Sequence[Press | Command]:
        """Return the press and commands above the orders, in the order of the email."""
        return [one for one in self._beside() if self._is_above(one)]

    @property
    def below(self) -> Sequence[Press | Command]:
        """Return the press and commands below the orders; all of them if there are no orders."""
        return [one for one in self._beside() if not self._is_above(one)]

    def _beside(self) -> Sequence[Press | Command]:
        return sorted((*self.presses, *self.commands), key=lambda one: one.line.number)

    def _is_above(self, one: Press | Command) -> bool:
        orders = [sheet.line for sheet in self.reading.sheets] or self.reading.ignored
        return any(one.line.number < line.number for line in orders[:1])


def content_of(text: str, reading: Reading | None = None) -> EmailContent:
    """Take a text apart; `reading` is what was read in it already, if anybody has.

    Press is taken out before sheets are read: what it says is passed on, whatever it looks like.
    """
    presses, rest = read_press(text)
    if reading is None or presses:
        reading = read_sheets(rest)
    commands, others = read_commands(reading.ignored)
    jottings, others = split_jottings(others, outside=True)
    reading = Reading(reading.sheets, others)
    commands = _each_once(commands)
    return EmailContent(
        text,
        presses[:MOST_ASKED],
        commands[:MOST_ASKED],
        reading,
        tuple(islice(filter(None, map(slip_of, others)), MOST_SLIPS)),
        jottings=jottings,
        codes_alone=codes_alone(others),
        prose=others,
        has_more=max(len(presses), len(commands)) > MOST_ASKED,
    )


def _each_once(commands: Sequence[Command]) -> tuple[Command, ...]:
    """Keep the last of commands that are the same."""
    last = {(one.word, one.argument): one for one in commands}
    return tuple(one for one in commands if one is last[one.word, one.argument])


class ParsedEmail(Struct, frozen=True):
    """An email as it came, and as far as it is understood by itself."""

    received: IncomingEmail
    email: Email
    content: EmailContent  # all that the sender says
    commands: Sequence[Command]  # among his lines outside of sheets, press or not

    @property
    def id(self) -> int:
        return self.received.id

    def twins(self, earlier: Iterable[SeenEmail]) -> Iterator[SeenEmail]:
        """Yield the earlier emails that say the same, whatever servers added to their heads."""
        if some := list(earlier):
            body = body_of(self.received.raw)
            yield from (one for one in some if body_of(one.raw) == body)

    @property
    def holds_orders(self) -> bool:
        """Return whether there is a sheet, or a line that reads as an order in one of our games."""
        texts = self.email.texts
        bare = split_lines(texts.bare)
        return texts.sheet is not None or any(would_read_as_orders(bare, GAMES.values()))


_HOLE = re.compile(r"\\\{\w+\\\}")
_DAY = r"\D{1,20}\d{1,2}\D{1,20}\d{4}"
_WHOSE = r"\W*[a-z][a-z0-9-]{0,23}(?:, [^,:]{1,40}){0,2}: "  # a match, a seat and its turn


@cache
def known_words() -> OwnWords:
    """Return what adjud writes, in all languages."""
    forms = (re.compile(form) for code in LANGUAGES for form in _forms(code))
    rows = partial(rows_of_sentences, tuple(GAMES))
    return OwnWords(rows=rows, lines=tuple(forms), asks=_asks_for_something)


def _forms(language: str) -> Iterator[str]:
    """Yield the forms of lines that are too short to be known by their words: of the verdict on a
    sheet, and above a table of matches, whose cells a program may set apart as it likes."""
    for verdict in VERDICTS:
        yield _WHOSE + _form(verdict, language)
    for heads in (STATUS_HEADS, DAILY_HEADS):
        yield r"\W*" + r"\W*".join(_form(head, language) for head in heads)
    yield r"\W*" + _form(DAILY_TITLE, language, _DAY)


def _asks_for_something(text: str) -> bool:
    """Return whether a line by itself is a command, an order in one of our games, or a mark or
    note."""
    line = Line(1, text)
    if is_command(line) or is_press(line) or jotting_of(line, outside=True):
        return True
    return any(reads_as_orders(game, [line]) for game in GAMES.values())


def _form(told: Message, language: str, hole: str = r"\d+") -> str:
    return _HOLE.sub(lambda _: hole, re.escape(catalogue(language, "").gettext(told.text)))


def parse_email(received: IncomingEmail, post: MailDomain | None) -> ParsedEmail:
    ours = public_address(post) if post else ""
    return _parsed(received, read_email(received.raw, ours=ours, known=known_words()))


def without_sheets(opened: ParsedEmail, sheets: Sequence[RawSheet]) -> ParsedEmail:
    """Return an email in which these of its sheets are no sheets."""
    if not sheets:
        return opened
    whole = opened.content
    lines = whole.text.split("\n")
    for inside in (one.indexes for one in sheets):
        lines[inside.start : inside.stop] = [""] * len(lines[inside.start : inside.stop])
    left = [one for one in whole.reading.sheets if one not in sheets]
    text = "\n".join(lines)
    if not left and opened.email.texts.html_only:
        text = _commands_alone(text)
    content = content_of(text, Reading(tuple(left), whole.reading.ignored) if left else None)
    content = structs.replace(
        content, left_out=whole.left_out, footers=whole.footers, unread=whole.unread
    )
    texts = structs.replace(opened.email.texts, quoted=bool(left))
    return structs.replace(
        opened, content=content, email=structs.replace(opened.email, texts=texts)
    )


def _parsed(received: IncomingEmail, email: Email) -> ParsedEmail:
    # In a message for others quoted lines are kept, and nothing else is read in them.
    bare = [line for line in split_lines(email.texts.bare) if not depth(line.text)]
    content = content_of(*_text_of(email.texts))
    return ParsedEmail(
        received,
        email,
        structs.replace(
            content,
            # Of lines in HTML nothing but commands is in the content.
            codes_alone=codes_alone(bare) if email.texts.html_only else content.codes_alone,
            prose=_prose(bare) if email.texts.html_only else content.prose,
            left_out=_left_out(email),
            footers=email.texts.footers,
            unread=terse(split_lines(email.texts.unread)),
        ),
        read_commands(bare)[0],
    )


def _text_of(texts: Texts) -> tuple[str, Reading]:
    """Return the sender's words, and what is read in them.

    HTML without plain text holds orders only within a clean frame; outside of one it may still hold
    commands.
    """
    if texts.sheet is not None and not texts.attached:
        return texts.sheet, texts.reading
    own = _commands_alone(texts.bare) if texts.html_only else texts.bare
    # Above an attached sheet the body may hold commands, such as CHECK.
    both = [text for text in (own, texts.sheet) if text]
    ignored = (*_that_say_something(own), *texts.reading.ignored)
    return "\n".join(both), Reading(texts.reading.sheets, ignored)


def _commands_alone(text: str) -> str:
    """Blank out all lines that are neither press nor commands nor jottings."""
    _, rest = read_press(text)
    lines = _that_say_something(rest)
    _, others = read_commands(lines)
    _, others = split_jottings(others, outside=True)
    numbers = {line.number for line in others if slip_of(line) is None}
    # By these a code is known as quoted.
    numbers -= {one.number for above, _ in echoes(lines) for one in above}
    return "\n".join("" if line.number in numbers else line.text for line in split_lines(text))


def _left_out(email: Email) -> Sequence[Line]:
    """Return the lines in which no sheet was looked for: signatures, quotes, and bare lines in
    HTML."""
    texts = email.texts
    bare = split_lines(read_press(texts.bare)[1]) if _needs_frame(texts) else ()
    return terse((*bare, *split_lines(texts.left_out)))


def _needs_frame(texts: Texts) -> bool:
    return texts.html_only and texts.sheet is None


def parses(game: AnyGame, lines: Sequence[Line]) -> bool:
    """Return whether all lines that say something read as orders; False if there are far too
    many."""
    said = [line for line in lines if clean(line.text)]
    if len(said) > MOST_ORDERS:
        return False
    return reads_as_orders(game, said)


def _prose(bare: Sequence[Line]) -> Sequence[Line]:
    """Return the lines of an email of HTML that are neither press nor commands nor jottings."""
    _, rest = read_press("\n".join(line.text for line in bare))
    _, others = read_commands(_that_say_something(rest))
    return split_jottings(others, outside=True)[1]


def _that_say_something(text: str) -> Sequence[Line]:
    return [line for line in split_lines(text) if clean(line.text)]


# Find the orders among the lines of an email without a frame (emails, section 4).
#
# People write a greeting above them and their name below, and companies put a banner around both.
# The lines from the first to the last that is meant as an order are handed in together, so that one
# of them that cannot be read refuses them all and is named; the others are no orders.


class BareOrders(Struct, frozen=True):
    """The lines of an email without a frame: those that are meant as `orders`, and the `others`.
    `read` says that all of the orders can be read, `certain` that at least one of them can."""

    orders: Sequence[Line] = ()
    others: Sequence[Line] = ()
    read: bool = False
    certain: bool = False


def find_bare_orders(
    game: AnyGame, lines: Sequence[Line], slips: Collection[int] = ()
) -> BareOrders:
    """Find the orders among the lines. `slips` are the numbers of lines that are meant as commands
    and cannot be read: those count as orders that cannot."""
    said_something = (line for line in lines if clean(line.text))
    spoken = list(islice(said_something, MOST_ORDERS + 1))  # no more, for there may be thousands
    if not spoken:
        return BareOrders()
    if len(spoken) > MOST_ORDERS:
        return BareOrders(lines)
    if reads_as_orders(game, spoken):
        return BareOrders(spoken, read=True, certain=True)
    meant = _order_lines(game, spoken, slips)
    if all(spoken[i].number in slips for i in meant):
        return BareOrders(others=spoken)
    first, last = meant[0], meant[-1] + 1
    block = spoken[first:last]
    certain = any(reads_as_orders(game, [line]) for line in block)
    if not certain and _asks(game, spoken, slips):
        return BareOrders(others=spoken)
    return BareOrders(
        block,
        others=(*spoken[:first], *spoken[last:]),
        read=reads_as_orders(game, block),
        certain=certain,
    )


def _asks(game: AnyGame, lines: Sequence[Line], slips: Collection[int]) -> bool:
    """Return whether lines, none of which reads as an order, are a question."""
    if game.orders.likeness is None or any(line.number in slips for line in lines):
        return False
    return is_question(game.orders.likeness(), lines)


def _order_lines(game: AnyGame, lines: Sequence[Line], slips: Collection[int]) -> Sequence[int]:
    """Return the indexes of the lines that read as orders or may be meant as such."""
    if game.orders.likeness is None:
        return range(len(lines))
    likeness = game.orders.likeness()
    found: list[int] = []
    opened = closed = False
    for i, line in enumerate(lines):
        is_order = line.number in slips or reads_as_orders(game, [line])
        is_like = alike(likeness, line.text, opened=opened, closed=closed)
        if is_order or (is_like and not is_aside(likeness, line.text)):
            found.append(i)
        closed = closed or closes(line.text)
        opened = opened or lookup_form(line.text).partition(" ")[0].rstrip(":") in likeness.opens
    return found


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


def ambiguous(opened: ParsedEmail, game: AnyGame) -> Message | None:
    """Return why neither of two sheets of an email is taken, or none of far too many.

    One of the two is in an attachment, or in a quoted email while there are orders in the sender's
    own lines. Of an email about several matches that is asked of each part.
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
    if texts.quoted and sheets and _has_orders(game, opened.content.reading.ignored):
        return say(
            "Your email has orders in your own lines and also in the quoted email. Send only one "
            "of them."
        )
    return None


def _has_orders(game: AnyGame, own: Sequence[Line]) -> bool:
    """Return whether one of the lines reads as an order; True if there are more lines than a sheet
    has."""
    return len(own) > MOST_ORDERS or any(parses(game, [line]) for line in own)


def unreadable(opened: ParsedEmail, game: AnyGame) -> Message | None:
    """Return why the orders seem to be in a part that cannot be read, as there are none
    elsewhere."""
    content, defects = opened.content, opened.email.defects
    found = next((_UNREADABLE[defect] for defect in defects if defect in _UNREADABLE), None)
    found = found or _in_a_file(opened)
    says = content.reading.sheets or content.presses or content.commands
    if found is None or says:
        return None
    bare = find_bare_orders(game, content.reading.ignored)
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


def unread_files(opened: ParsedEmail) -> Message | None:
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
