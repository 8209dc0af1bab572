"""What the holder of a seat asks in a letter, and what he is answered."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta

from msgspec import Struct, structs
from msgspec.json import decode, encode

from adjudicator.core.commands import Command, Press, absence_of, read_commands, read_press
from adjudicator.core.message import Message, say
from adjudicator.core.orders import Line, folded, shown, split_lines
from adjudicator.core.sheets import Reading, read_sheets
from adjudicator.mail import subjects
from adjudicator.mail.letter import Letter
from adjudicator.reports.times import moment
from adjudicator.reports.words import LANGUAGES, spoken, words
from adjudicator.service import absences, intake, reporting
from adjudicator.service.calendar import parse_zone
from adjudicator.service.dialog import joining, pressing
from adjudicator.service.dialog.replies import Reply, paragraphs
from adjudicator.service.dialog.talk import Talk
from adjudicator.service.loading import load
from adjudicator.service.pages import as_pages
from adjudicator.service.receipts import Receipt, as_text
from adjudicator.service.refusal import Refusal
from adjudicator.store import inbox, players, turns

DELAYED = timedelta(minutes=10)  # by the senders' clocks, which differ


class Content(Struct, frozen=True):
    """What a letter says, taken apart. `text` has neither the press nor the commands in it, and
    its lines keep their numbers."""

    presses: tuple[Press, ...]
    commands: tuple[Command, ...]
    text: str
    reading: Reading

    @property
    def words(self) -> frozenset[str]:
        inside = [command.word for sheet in self.reading.sheets for command in sheet.commands]
        return frozenset({*inside, *(command.word for command in self.commands)})

    @property
    def dry(self) -> bool:
        return "CHECK" in self.words


def answer(talk: Talk, letter: Letter) -> Reply:
    """Do what the letter says and say what was done, all of it in one transaction."""
    content = _content(_text(letter))
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


def too_large(talk: Talk) -> Reply:
    """Nothing of a letter over the limits is read; it is kept."""
    told = say("Your letter is too large to be read as orders: send a few lines of plain text.")
    text = paragraphs([talk.words(told), _standing(talk)])
    return Reply("refusal", _refusal(talk), text)


def ambiguous(talk: Talk) -> Reply:
    """A frame in the body and another in an attachment: neither is taken."""
    told = say("There is a sheet in your letter and another in its attachment: send one of them.")
    return Reply("refusal", _refusal(talk), paragraphs([talk.words(told), _standing(talk)]))


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
    if texts.sheet is not None:
        return texts.sheet
    if not texts.html_only:
        return texts.bare
    _, rest = read_press(texts.bare)
    commands, _ = read_commands(split_lines(rest))
    return "\n".join(command.line.text for command in commands)


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
    return take(talk.tx, content.text, talk.given, now=when)


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
            talk = structs.replace(talk, confirmed=True)
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
        return as_pages(decode(stored.body), holder, "text")[0]
    body = reporting.body(reporting.standing(talk.tx, talk.loaded), talk.seat)
    return as_pages(decode(encode(body)), holder, "text")[0]


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
