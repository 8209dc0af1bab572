"""What the holder of a seat asks in a letter, and what he is answered."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from itertools import islice

from msgspec import Struct, structs

from adjudicator.core.commands import Command, Press, absence_of, read_commands, read_press
from adjudicator.core.message import Message, say
from adjudicator.core.orders import Line, Problem, folded, problem, shown, split_lines
from adjudicator.core.sheets import Reading, read_sheets
from adjudicator.mail import subjects
from adjudicator.mail.letter import Letter
from adjudicator.reports.times import moment
from adjudicator.reports.words import LANGUAGES, spoken, words
from adjudicator.service import absences, intake, pages, reporting
from adjudicator.service.calendar import parse_zone
from adjudicator.service.dialog import answered, joining, pressing
from adjudicator.service.dialog.replies import Reply, paragraphs
from adjudicator.service.dialog.talk import Talk
from adjudicator.service.loading import load
from adjudicator.service.receipts import Receipt, as_text, surroundings
from adjudicator.service.refusal import Refusal
from adjudicator.store import inbox, players, turns

DELAYED = timedelta(minutes=10)  # by the senders' clocks, which differ
MOST_LEFT_OUT = 60  # lines of one letter that are looked at for orders in a wrong place
MOST_MISPLACED = 10  # warnings of one letter


class Content(Struct, frozen=True):
    """What a letter says, taken apart. `text` has neither the press nor the commands in it, and
    its lines keep their numbers. `left_out` are lines that nothing is read from."""

    presses: tuple[Press, ...]
    commands: tuple[Command, ...]
    text: str
    reading: Reading
    left_out: tuple[Line, ...] = ()

    @property
    def words(self) -> frozenset[str]:
        inside = [command.word for sheet in self.reading.sheets for command in sheet.commands]
        return frozenset({*inside, *(command.word for command in self.commands)})

    @property
    def dry(self) -> bool:
        return "CHECK" in self.words


def answer(talk: Talk, letter: Letter) -> Reply:
    """Do what the letter says and say what was done, all of it in one transaction."""
    intake.awake(talk.tx, talk.loaded, talk.seat)
    content = structs.replace(_content(_text(letter)), left_out=_left_out(letter))
    if _is_unreadable(talk, letter, content):
        return refuse(talk, _UNREADABLE[next(d for d in letter.defects if d in _UNREADABLE)])
    if not content.dry and _is_delayed(talk, letter, content):
        return _hold_back(talk, letter)
    return _answer(talk, content)


def park(talk: Talk, letter: Letter) -> Reply:
    """Orders that came from elsewhere, or whose match wants every sheet confirmed: they wait.
    A code in the letter went to the address on file and proves itself."""
    content = _content(_text(letter))
    codes = [command for command in content.commands if command.word == "CONFIRM"]
    if codes and not _acts(talk, content):
        return _answer(talk, structs.replace(_content(""), commands=tuple(codes)))
    match = talk.loaded.match.name
    parts = [_confirm(talk, code) for code in codes]
    parts.append(talk.words(say("Orders for your seat in {match} have arrived.", match=match)))
    parts += [_ask(talk, _text(letter)), _standing(talk)]
    return Reply("confirm", subjects.confirm(match), paragraphs(parts))


def acts(talk: Talk, letter: Letter) -> bool:
    """Whether the letter would change anything in the match, a code aside."""
    return _acts(talk, _content(_text(letter)))


def refuse(talk: Talk, told: Message) -> Reply:
    """Nothing of the letter is read as orders; it is kept."""
    return Reply("refusal", _refusal(talk), paragraphs([talk.words(told), _standing(talk)]))


def over_limits(letter: Letter, *, cut: bool) -> Message | None:
    """Why nothing of a letter is read, whatever it says; `cut`: not all of it was kept."""
    if cut:
        return _OVER_LIMITS["truncated"]
    return next((_OVER_LIMITS[defect] for defect in letter.defects if defect in _OVER_LIMITS), None)


def ambiguous(talk: Talk, letter: Letter) -> Message | None:
    """Why neither of two sheets of a letter is taken: one stands in an attachment, or one in a
    quoted letter and orders in the sender's own lines."""
    if letter.texts.ambiguous:
        return say(
            "There is a sheet in your letter and another in its attachment: send one of them."
        )
    own = split_lines(read_press(letter.texts.bare)[1])
    if letter.texts.quoted and any(_parses(talk, line.text) for line in own):
        return say(
            "There are orders in your own lines and a sheet in the letter that you quote: send "
            "one of them."
        )
    return None


def for_all(talk: Talk, number: int) -> Reply:
    """The one receipt for all letters over the limit of a day."""
    told = say(
        "{n} more of your letters were read. You have sent so many today that this one answer "
        "is for all of them.",
        n=number,
    )
    tenure = talk.holder.tenure
    parked = inbox.waiting(talk.tx, talk.loaded.match.id, talk.seat)
    codes = [f"CONFIRM {one.code}" for one in parked if one.tenure == tenure][-number:]
    wait = [talk.words(say("These wait to be confirmed:")), "\n".join(codes)] if codes else []
    match, turn = talk.loaded.match.name, talk.loaded.match.turn
    sheet = talk.loaded.sheets.get(talk.seat)
    subject = subjects.receipt(match, turn, sheet.revision if sheet else None)
    return Reply("receipt", subject, paragraphs([talk.words(told), *wait, _standing(talk)]))


def _text(letter: Letter) -> str:
    """The sender's words. HTML alone is orders only within a clean frame; outside of one it may
    still hold commands."""
    texts = letter.texts
    own = _commands_alone(texts.bare) if texts.html_only else texts.bare
    if texts.sheet is None:
        return own
    # Beside an attached sheet the body may hold commands, such as CHECK.
    return f"{texts.sheet}\n{own}" if texts.attached else texts.sheet


def _commands_alone(text: str) -> str:
    """The text with its other lines empty."""
    _, rest = read_press(text)
    _, others = read_commands(split_lines(rest))
    numbers = {line.number for line in others}
    return "\n".join("" if line.number in numbers else line.text for line in split_lines(rest))


def _left_out(letter: Letter) -> tuple[Line, ...]:
    """What a sheet was not looked for in: signatures, quotes, and bare lines in HTML."""
    texts = letter.texts
    bare = split_lines(texts.bare) if texts.html_only and texts.sheet is None else ()
    lines = (*bare, *split_lines(texts.left_out))
    return tuple(islice((line for line in lines if _is_terse(line)), MOST_LEFT_OUT))


def _is_terse(line: Line) -> bool:
    """As orders are. To read a line as orders in vain takes a thousand times as long as to see
    that it is none, and most letters quote a whole report."""
    return len(line.text) <= 80 and 0 < len(line.text.split()) <= 6


def _is_unreadable(talk: Talk, letter: Letter, content: Content) -> bool:
    """Whether the orders seem to be in a part that cannot be read: there are none elsewhere."""
    if not _UNREADABLE.keys() & set(letter.defects):
        return False
    says = content.reading.sheets or content.presses or content.commands
    return not says and not _parses(talk, content.text)


def _content(text: str) -> Content:
    presses, text = read_press(text)
    commands, _ = read_commands(read_sheets(text).ignored)
    obeyed = {command.line.number for command in commands}
    lines = ["" if line.number in obeyed else line.text for line in split_lines(text)]
    text = "\n".join(lines)
    return Content(presses, commands, text, read_sheets(text))


def _answer(talk: Talk, content: Content) -> Reply:
    receipts, parts = _carry_out(talk, content)
    if not parts:
        parts.append(talk.words(_nothing_understood()))
    ignored = () if receipts else content.reading.ignored
    parts.append(surroundings(_misplaced(talk, content, receipts), ignored, talk.words))
    noted = [talk.words(note) for note in talk.notes]
    return _reply(talk, receipts, paragraphs([*noted, *parts, _standing(talk)]))


def _carry_out(talk: Talk, content: Content) -> tuple[list[Receipt], list[str]]:
    """What became of the sheets, and all that was done, as its sender reads it."""
    receipts = _orders(talk, content)
    parts = [as_text(receipt, talk.words) for receipt in receipts]
    parts += [pressing.send(talk, press, dry=content.dry) for press in content.presses]
    for command in content.commands:
        if command.word in _COMMANDS and not (content.dry and command.word in _ACTING):
            parts.append(_COMMANDS[command.word](talk, command))
    if "RESIGN" in content.words and not content.dry:
        parts += _resign(talk, content)
    return receipts, [part for part in parts if part]


def _orders(talk: Talk, content: Content) -> list[Receipt]:
    """The sheets of the letter; bare lines count as one if there is no frame, and beside
    commands or press only if all parse."""
    take = intake.check_in if content.dry else intake.submit_in
    if not content.reading.sheets:
        says = bool(content.text.strip())
        if not says or ((content.commands or content.presses) and not _parses(talk, content.text)):
            return []
    when = talk.now if content.dry else talk.at
    given = structs.replace(talk.given, turn=_turn(talk, content))
    return take(talk.tx, content.text, given, now=when)


def _turn(talk: Talk, content: Content) -> int | None:
    """For sheets that name none."""
    heads = [raw.head for raw in content.reading.sheets]
    if heads and all(head and head.turn is not None for head in heads):
        return None
    return answered.turn_of(talk)


def _misplaced(talk: Talk, content: Content, receipts: Sequence[Receipt]) -> Sequence[Problem]:
    """Warnings of lines that read as orders where none are looked for. A quoted letter of ours
    tells the seat's own orders in force and the steps that were made; those are not warned of."""
    game, own = talk.loaded.game, talk.loaded.sheets.get(talk.seat)
    known = {*(own.lines if own else ()), *(line for one in receipts for line in one.orders)}
    found = list(intake.would_read_as_orders(() if receipts else content.reading.ignored))
    left: list[Line] = []
    for line in content.left_out:
        sheet = game.parse([line])
        said = [text for order in sheet.orders for text in game.canonical(order).split("\n")]
        if said and not sheet.problems and not known.issuperset(said):
            left.append(line)
    told = _told(talk) if left else frozenset()
    found += (problem(line, _MISPLACED) for line in left if line.text.strip() not in told)
    return found[:MOST_MISPLACED]


def _told(talk: Talk) -> frozenset[str]:
    """The lines of the last report that the seat was sent."""
    match = talk.loaded.match
    stored = turns.report_of(talk.tx, match.id, match.ply, talk.seat)
    assert stored is not None
    body = pages.remembered(talk.loaded, stored)
    (text,) = pages.as_pages(body, talk.holder, "text")
    return frozenset(line.strip() for line in text.splitlines())


def _parses(talk: Talk, text: str) -> bool:
    sheet = talk.loaded.game.parse(split_lines(text))
    return bool(sheet.written) and not sheet.problems


def _acts(talk: Talk, content: Content) -> bool:
    if content.dry:
        return False
    if content.reading.sheets or content.presses or _ACTING & content.words:
        return True
    return _parses(talk, content.text)


def _resign(talk: Talk, content: Content) -> list[str]:
    """A resignation by mail is confirmed (section 3); one inside a confirmed sheet is taken."""
    text = f"ORDERS {talk.loaded.match.name} {talk.seat}\nRESIGN\nEND"
    if not talk.confirmed:
        return [_ask(talk, text)]
    if any(command.word == "RESIGN" for command in content.commands):
        receipts = intake.submit_in(talk.tx, text, talk.given, now=talk.at)
        return [as_text(receipt, talk.words) for receipt in receipts]
    return []


def _is_delayed(talk: Talk, letter: Letter, content: Content) -> bool:
    """Written well before the sheet in force, and not in the knowledge of it: it was probably
    on its way for long (section 4). A sheet that would be refused is refused at once."""
    sheet = talk.loaded.sheets.get(talk.seat)
    if sheet is None or sheet.letter_id is None or letter.date is None:
        return False
    dated = inbox.dated_at(talk.tx, sheet.letter_id)
    if dated is None or letter.date >= dated - DELAYED:
        return False
    heads = [raw.head for raw in content.reading.sheets]
    known = [head.rev for head in heads if head and head.rev is not None]
    if heads and len(known) == len(heads) and min(known) >= sheet.revision:
        return False
    if "CLEAR" in content.words:
        return True
    checked = _orders(talk, structs.replace(content, commands=(*content.commands, *_DRY)))
    return any(receipt.accepted for receipt in checked)


def _hold_back(talk: Talk, letter: Letter) -> Reply:
    match = talk.loaded.match.name
    told = say("This letter was written before the one with your orders in force, and came late.")
    noted = [talk.words(note) for note in talk.notes]
    parts = [*noted, talk.words(told), _ask(talk, _text(letter)), _standing(talk)]
    return Reply("confirm", subjects.confirm(match), paragraphs(parts))


def _ask(talk: Talk, text: str) -> str:
    """Park what is to be confirmed, and say how."""
    code = talk.means.coder()
    inbox.park(
        talk.tx,
        talk.loaded.match.id,
        seat=talk.seat,
        tenure=talk.holder.tenure,
        letter_id=talk.letter_id,
        code=code,
        text=text,
        created_at=talk.now,
    )
    told = say(
        "If this is yours, answer this letter with the line\n\nCONFIRM {code}\n\n"
        "Until then it is not in force.",
        code=code,
    )
    return talk.words(told)


def _in_sheet(talk: Talk, command: Command) -> str:
    """A command that a sheet may hold as well: as if it stood in one."""
    match = talk.loaded.match.name
    text = f"ORDERS {match} {talk.seat}\n{command.word}\nEND"
    (receipt,) = intake.submit_in(talk.tx, text, talk.given, now=talk.at)
    return as_text(receipt, talk.words)


def _confirm(talk: Talk, command: Command) -> str:
    """What was parked under the code, as if it came now; or a seat that was asked for."""
    wanted = command.argument.upper()
    if talk.confirmed:
        return ""  # a code inside of what is confirmed by another one
    for parked in inbox.waiting(talk.tx, talk.loaded.match.id, talk.seat):
        if parked.code == wanted and parked.tenure == talk.holder.tenure:
            inbox.settle_parked(talk.tx, parked.id, "confirmed")
            talk = structs.replace(talk, confirmed=True, parked=parked.letter_id)
            _, parts = _carry_out(talk, _content(parked.text))
            return paragraphs(parts or [talk.words(_nothing_understood())])
    return _take_seat(talk, wanted)


def _take_seat(talk: Talk, code: str) -> str:
    address, means = talk.address, talk.means
    if joining.is_asked(talk.tx, address, talk.now):
        try:
            seated = joining.confirm(talk.tx, address, code, now=talk.now, means=means)
        except Refusal as refusal:
            return "\n".join(talk.words(message) for message in refusal.messages)
        if seated:
            return talk.words(say("You have a seat in {match}.", match=seated.match.name))
    return talk.words(say("There is nothing to confirm with the code {code}.", code=code))


def _join(talk: Talk, command: Command) -> str:
    """From the address of a seat, too, by a code: who holds it is who reads the answer."""
    who = joining.newcomer(talk.address, "", talk.holder.language)
    try:
        code = joining.ask(talk.tx, who, command.argument, now=talk.now, means=talk.means)
    except Refusal as refusal:
        return "\n".join(talk.words(message) for message in refusal.messages)
    told = say("To take that seat, answer this letter with the line\n\nCONFIRM {code}", code=code)
    return talk.words(told)


def _games(talk: Talk, command: Command) -> str:
    return joining.games(talk.tx, talk.words)


def _status(talk: Talk, command: Command) -> str:
    return ""  # what stands is told at the end of every answer


def _template(talk: Talk, command: Command) -> str:
    view = talk.loaded.game.observe(talk.loaded.state, talk.seat)
    lines = reporting.order_template(talk.loaded, talk.seat, view)
    return "\n".join(lines) or talk.words(say("Your orders are not awaited now."))


def _report(talk: Talk, command: Command) -> str:
    holder = talk.loaded.holders[talk.seat]
    if command.argument:
        stored = turns.last_report_of_turn(
            talk.tx, talk.loaded.match.id, talk.seat, int(command.argument)
        )
        if stored is None:
            return talk.words(say("There is no report of turn {turn}.", turn=command.argument))
        return pages.as_pages(pages.remembered(talk.loaded, stored), holder, "text")[0]
    return pages.as_pages(pages.present(talk.tx, talk.loaded, talk.seat), holder, "text")[0]


def _help(talk: Talk, command: Command) -> str:
    from adjudicator.reports.cards import card

    return card(talk.loaded.match.game, talk.holder.language)


def _language(talk: Talk, command: Command) -> str:
    language = spoken(command.argument)
    if language == "en" and not command.argument.lower().startswith("en"):
        return talk.words(say("The languages are {known}.", known=", ".join(LANGUAGES)))
    _change_player(talk, language=language)
    return words(language, talk.loaded.match.game)(say("Your language is now {it}.", it=language))


def _zone(talk: Talk, command: Command) -> str:
    try:
        zone = parse_zone(command.argument)
    except Refusal as refusal:
        return talk.words(refusal.messages[0])
    _change_player(talk, zone=zone.key)
    return talk.words(say("Your time zone is now {zone}.", zone=zone.key))


def _prefs(talk: Talk, command: Command) -> str:
    wish = _WISHES.get(folded(command.argument.split()[-1]))
    if wish is None:
        return talk.words(say("Reminders are {known}.", known="on, off, daily"))
    _change_player(talk, reminders=wish)
    return talk.words(_REMINDERS[wish])


def _absence(talk: Talk, command: Command) -> str:
    try:
        first, last = (_day(text) for text in absence_of(command))
        told = absences.announce(
            talk.tx,
            talk.player_id,
            first,
            last,
            now=talk.now,
            budget=talk.means.absence_days,
        )
    except Refusal as refusal:
        return "\n".join(talk.words(message) for message in refusal.messages)
    return talk.words(told)


def _day(text: str) -> date:
    """`2026-12-24` or `24.12.2026`. Raises Refusal."""
    try:
        day, dot, rest = text.partition(".")
        month, _, year = rest.partition(".")
        return date(int(year), int(month), int(day)) if dot else date.fromisoformat(text)
    except ValueError:
        told = say("'{seen}' is no day; write one as 2026-12-24", seen=shown(text))
        raise Refusal(told) from None


def _change_player(talk: Talk, **changes: str) -> None:
    players.update(talk.tx, talk.player_id, **changes)


def _ping(talk: Talk, command: Command) -> str:
    return talk.words(say("Your letter has arrived."))


_COMMANDS: Mapping[str, Callable[[Talk, Command], str]] = {
    **dict.fromkeys(("CLEAR", "READY", "NOTREADY", "DRAW"), _in_sheet),
    "CONFIRM": _confirm,
    "STATUS": _status,
    "TEMPLATE": _template,
    "REPORT": _report,
    "HELP": _help,
    "LANGUAGE": _language,
    "ZONE": _zone,
    "PREFS": _prefs,
    "ABSENCE": _absence,
    "PING": _ping,
    "GAMES": _games,
    "JOIN": _join,
}
_WISHES: Mapping[str, str] = {
    **dict.fromkeys(("on", "pa"), "on"),
    **dict.fromkeys(("off", "av"), "off"),
    **dict.fromkeys(("daily", "daglig", "dagligen"), "daily"),
}
_REMINDERS: Mapping[str, Message] = {
    "on": say("You are reminded before each deadline."),
    "off": say("You are reminded of nothing."),
    "daily": say("You are reminded of everything in one letter a day."),
}
# What changes the match.
_ACTING = frozenset({"CLEAR", "READY", "NOTREADY", "DRAW", "RESIGN"})
_DRY = (Command("CHECK", "", Line(0, "")),)


_MISPLACED = say(
    "this reads as an order but stands in a signature, a quoted letter or HTML, and was left out"
)
# Defects of a letter of which nothing is read (section 5), and what its sender is told.
_TOO_LARGE = say("Your letter is too large to be read as orders: send a few lines of plain text.")
_OVER_LIMITS: Mapping[str, Message] = {
    "truncated": _TOO_LARGE,
    "body too long": _TOO_LARGE,
    "too many parts": say(
        "Your letter has too many parts and attachments to be read: send a few lines of plain text."
    ),
    "too deep": say(
        "Your letter is a letter within a letter within a letter, too deep to be read: send a "
        "few lines of plain text."
    ),
}
# Defects of a letter in which no orders were found elsewhere.
_UNREADABLE: Mapping[str, Message] = {
    "encrypted": say(
        "Your letter is encrypted, and this program has no key to open it: send plain text. It "
        "may be signed, as long as the text itself can be read."
    ),
    "attachment is no text": say(
        "There are no orders in your letter, and its attachment cannot be read: write the orders "
        "into the letter itself, or attach a file of plain text."
    ),
}


def _nothing_understood() -> Message:
    return say(
        "There are no orders in your letter. Write them between ORDERS and END, or send HELP."
    )


def _standing(talk: Talk) -> str:
    """What is in force now, and what is awaited until when."""
    loaded = load(talk.tx, talk.loaded.match.name)
    sheet = loaded.sheets.get(talk.seat)
    holder = loaded.holders[talk.seat]
    lines = [
        say("In force: revision {revision}.", revision=sheet.revision)
        if sheet
        else say("No orders of yours are in force.")
    ]
    if talk.seat in loaded.awaited:
        lines.append(say("Your orders for turn {turn} are awaited.", turn=loaded.match.turn))
    if loaded.match.deadline_at:
        when = moment(loaded.match.deadline_at.isoformat(), holder.language, holder.zone)
        lines.append(say("Deadline: {when}.", when=when))
    orders = [f"  {line}" for line in sheet.lines] if sheet else []
    return "\n".join(
        [
            *(talk.words(line) for line in lines[:1]),
            *orders,
            *(talk.words(line) for line in lines[1:]),
        ]
    )


def _reply(talk: Talk, receipts: Sequence[Receipt], text: str) -> Reply:
    match, turn = talk.loaded.match.name, talk.loaded.match.turn
    if any(not receipt.accepted for receipt in receipts):
        return Reply("refusal", _refusal(talk), text)
    if not receipts:
        return Reply("receipt", subjects.answer(match), text)
    return Reply("receipt", subjects.receipt(match, turn, receipts[-1].in_force), text)


def _refusal(talk: Talk) -> Message:
    sheet = load(talk.tx, talk.loaded.match.name).sheets.get(talk.seat)
    return subjects.refusal(
        talk.loaded.match.name, talk.loaded.match.turn, sheet.revision if sheet else None
    )
