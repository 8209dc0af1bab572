"""Answer what the holder of a seat asks in a letter."""

from collections.abc import Callable, Collection, Sequence
from datetime import timedelta
from itertools import islice
from typing import TypeAlias

from msgspec import structs

from adjudicator.core.alphabet import first_strange
from adjudicator.core.command_table import ACTING, ANSWERED, WORDS
from adjudicator.core.commands import Command
from adjudicator.core.message import Message, both, count, say
from adjudicator.core.orders import shown
from adjudicator.core.sheets import Head
from adjudicator.mail.read.letter import Letter
from adjudicator.mail.write import subjects
from adjudicator.service.base.turns_ahead import is_ahead
from adjudicator.service.letters_in import (
    bare_orders,
    confirmations,
    in_force,
    joining,
    mended,
    questions,
)
from adjudicator.service.letters_in.carry_out import (
    Done,
    ask,
    bare_of,
    carry_out,
    jot_alone,
    order,
    preview,
)
from adjudicator.service.letters_in.commands import present_page
from adjudicator.service.letters_in.conversation import Talk
from adjudicator.service.letters_in.misplaced import misplaced
from adjudicator.service.letters_in.replies import WIDTH, Reply, Tally, paragraphs
from adjudicator.service.letters_in.said import MOST_ASKED, Content, Opened, content_of, parses
from adjudicator.service.letters_in.unreadable import beside, unreadable
from adjudicator.service.match import sheet_storing
from adjudicator.service.match.receipts import Receipt, surroundings, within
from adjudicator.service.match.sheet_judging import orders_nothing
from adjudicator.store import inbox
from adjudicator.store.submissions import KeptSheet, Submission

Subject: TypeAlias = Callable[[Talk], Message]  # made for the match as the letter left it

_MOST_QUOTED = 40  # lines of a sheet that the game master entered
DELAYED = timedelta(minutes=10)  # by the senders' clocks, which differ


def answer(talk: Talk, opened: Opened) -> Reply:
    """Do what the letter says and say what was done, all of it in one transaction."""
    sheet_storing.awake(talk.session, talk.seat)
    opened = structs.replace(opened, content=confirming(talk, opened.content))
    content = opened.content
    if told := unreadable(talk, opened):
        return refuse(talk, told, content)
    if told := beside(opened):
        talk = structs.replace(talk, notes=(*talk.notes, told))
    if not content.dry and _is_delayed(talk, opened.letter, content):
        return _hold_back(talk, opened)
    return _answer(talk, content)


def park(talk: Talk, opened: Opened) -> Reply:
    """Keep a letter until it is confirmed, because it came from elsewhere or the match wants every
    sheet confirmed.

    A code in it is tried at once: it went to the address on file and so proves itself.
    """
    content = confirming(talk, opened.content)
    codes: tuple[Command, ...] = ()
    if talk.may_confirm:
        codes = tuple(command for command in content.commands if command.word == "CONFIRM")
    if codes and not _acts(talk, content):
        return _answer(talk, structs.replace(content_of(""), commands=codes))
    confirmed = carry_out(talk, structs.replace(content_of(""), commands=codes))
    shown = preview(talk, content)
    left_out = _left_out(talk, content, shown)
    if shown.is_futile:
        return _decline(talk, [*confirmed.parts, *shown.parts, *left_out])
    parts = [*confirmed.parts, _whence(talk), *ask(talk, content).parts, *left_out]
    return _asking(talk, parts)


def _left_out(talk: Talk, content: Content, done: Done) -> list[str]:
    """Name the lines that will count for nothing, in a letter that is not carried out yet."""
    told = surroundings(misplaced(talk, content, done), (), talk.words)
    return [told] if told else []


def confirming(talk: Talk, content: Content) -> Content:
    """Return the letter with a code that stands alone as a command, if one was sent to its seat's
    holder; what reads as an order is none."""
    if not content.codes_alone:
        return content
    joins = joining.asked(talk.tx, talk.address, talk.now)
    lengths = {*map(len, (*confirmations.codes(talk), *([joins.code] if joins else [])))}
    # To read a line as orders takes long, and thousands of lines may look like codes.
    alike = islice((one for one in content.codes_alone if len(one.argument) in lengths), MOST_ASKED)
    told = tuple(one for one in alike if not parses(talk.loaded.game, [one.line]))
    return structs.replace(content, codes_alone=told).confirming(lengths)


def tell_undone(talk: Talk, content: Content, *, heard: bool) -> Reply:
    """Answer a letter to a report that a restore has undone: with the present page, and with what
    it asks for beside, if it may speak for the seat. Nothing else of it is carried out."""
    asked = [
        one
        for one in content.commands
        if (one.word == "CONFIRM" and talk.may_confirm)
        or (heard and one.word in ANSWERED and (one.word != "REPORT" or one.argument))
    ]
    if heard:
        sheet_storing.awake(talk.session, talk.seat)
    obeyed = structs.replace(talk, dry=content.dry)
    done = carry_out(obeyed, structs.replace(content_of(""), commands=tuple(asked)))
    told = say(
        "Your email answers a report from before the club was restored from a backup, of a part of "
        "the match that no longer counts, so its orders were not carried out. This is how the "
        "match stands now."
    )
    parts = [talk.words(told), *done.parts, present_page(talk)]
    return _reply(talk, "refusal", _refusal, parts)


def acts(talk: Talk, opened: Opened) -> bool:
    """Return whether the letter would change anything in the match, a code aside."""
    return _acts(talk, opened.content)


def refuse(talk: Talk, told: Message, content: Content | None = None) -> Reply:
    """Say that nothing of the letter is read as orders; it is kept. Marks and notes in what can be
    read of it are taken all the same."""
    jotted = jot_alone(talk, content).parts if content else ()
    return _reply(talk, "refusal", _refusal, [talk.words(told), *jotted], again=True)


def entered(talk: Talk, receipt: Receipt, said: Sequence[str]) -> Reply:
    """Make the receipt of a sheet that the game master handed in for the seat. If it is refused, it
    quotes the lines, of which a receipt shows no more than the faulty ones."""
    note = say("The game master entered this sheet for you; it did not come by a letter of yours.")
    parts = [talk.words(note), within(receipt, talk.words, talk.spelled)]
    told = () if receipt.revision is None else (receipt.revision,)
    if receipt.accepted:
        return _reply(talk, "receipt", _receipt, parts, told=told)
    # The bar keeps a line that looks like an order from being one when the letter is quoted.
    lines = [f"| {shown(line, WIDTH - 2)}" for line in said[:_MOST_QUOTED]]
    if lines:
        parts += [talk.words(say("The game master wrote:")), "\n".join(lines)]
    return _reply(talk, "refusal", _refusal, parts)


def for_all(talk: Talk, tally: Tally) -> Reply:
    """Make the one receipt for all letters over the limit of a day."""
    talk.session.changed()
    told = [
        count(
            "{n} more of your letters was read. You have sent so many today that this one answer "
            "is for all of them.",
            "{n} more of your letters were read. You have sent so many today that this one answer "
            "is for all of them.",
            tally.letters,
        )
    ]
    if tally.accepted or tally.refused:
        told.append(
            say(
                "Accepted: {accepted}. Refused: {refused}.",
                accepted=tally.accepted,
                refused=tally.refused,
            )
        )
    if tally.refused:
        told.append(say("The last that was refused:"))
    subject = _receipt
    if tally.refused:
        subject = _partly if tally.accepted else _refusal
    parts = [*map(talk.words, told), tally.refusal, *codes(talk, tally.letters)]
    return _reply(talk, "receipt", subject, parts)


def codes(talk: Talk, most: int) -> list[str]:
    """List the newest codes of what waits to be confirmed, and that of a seat asked for."""
    word = talk.words(WORDS["CONFIRM"])
    codes = [f"{word} {code}" for code in confirmations.codes(talk)][-most:]
    told = [talk.words(say("These wait to be confirmed:")), "\n".join(codes)] if codes else []
    if joins := joining.asked(talk.tx, talk.address, talk.now):
        told.append(talk.words(joining.told(joins.code)))
    return told


def _answer(talk: Talk, content: Content) -> Reply:
    done = carry_out(talk, content)
    parts = list(done.parts)
    understood = bool(parts) or any(one.word in ANSWERED for one in content.commands)
    warned = misplaced(talk, content, done)
    if not understood and not warned and is_of_words(talk, content):
        return _to_a_person(talk, content)
    if not understood and not content.slips:
        parts.append(talk.words(both(_nothing_understood(), _room())))
        strange = first_strange(content.reading.ignored)
        parts += [talk.words(strange)] if strange else []
    parts += _ways_out(talk, content, done, understood=understood)
    ignored = () if done.read else content.reading.ignored
    parts.append(surroundings(warned, ignored, talk.words))
    kind, subject = _kind(talk, done) if understood else _nothing(content)
    wrong = any(not receipt.accepted for receipt in done.receipts) or subject is _refusal
    again = wrong and not done.in_vain and "TEMPLATE" not in content.words
    return _reply(
        talk,
        kind,
        subject,
        [*map(talk.words, talk.notes), *parts],
        told=done.revisions,
        again=again,
        own=mended.sheet(talk, content, done) if again else "",
    )


def is_of_words(talk: Talk, content: Content) -> bool:
    """Return whether a letter holds a person's words, and nothing that is meant as an order or a
    command."""
    if content.reading.sheets or content.misspelt or not content.prose:
        return False
    return not bare_orders.find(talk.loaded.game, content.prose).orders


def _to_a_person(talk: Talk, content: Content) -> Reply:
    """Answer somebody who wrote words. If something waits for a CONFIRM, that may be meant."""
    passed, asked = questions.question(talk, content.prose)
    told = questions.answer(talk, content.prose, passed)
    waits = codes(talk, confirmations.MOST_WAITING)
    parts = [*map(talk.words, talk.notes), *told, *waits]
    reply = _reply(talk, "refusal", _please if waits else _words, parts, again=True)
    return structs.replace(reply, asked=asked)


def _ways_out(talk: Talk, content: Content, done: Done, *, understood: bool) -> list[str]:
    """Tell somebody who wrote in words of his own where these have room, and the codes of what
    waits, which he may have meant."""
    if not understood:
        return codes(talk, confirmations.MOST_WAITING)
    refused = done.read and any(not receipt.accepted for receipt in done.receipts)
    if not refused or not content.is_bare or bare_of(talk, content).read:
        return []
    told = say(
        "Your letter has no line ORDERS. The lines from your first order to your last were read as "
        "orders."
    )
    return [talk.words(both(told, _room())), *codes(talk, confirmations.MOST_WAITING)]


def _room() -> Message:
    return say(
        "Before ORDERS and after END you may write what you like; HELP brings all order words."
    )


def _nothing(content: Content) -> tuple[str, Subject]:
    """Choose kind and subject of the answer to a letter in which nothing was understood.

    A slip in a command is no slip in orders.
    """
    slips_alone = bool(content.slips) and not content.is_bare
    return "refusal", _not_understood if slips_alone else _refusal


def _kind(talk: Talk, done: Done) -> tuple[str, Subject]:
    """Choose kind and subject of an answer.

    If the letter was about orders, the subject says what is in force now.
    """
    if done.in_vain or any(not receipt.accepted for receipt in done.receipts):
        stored = [one for one in done.receipts if one.stored and one.revision is not None]
        if stored and all(one.kept for one in stored):
            return "refusal", _kept_in_part(stored[0])
        return "refusal", _partly if stored else _refusal
    if done.waits:
        return "confirm", _please
    ordered = [receipt for receipt in done.receipts if receipt.revision is not None]
    if ordered and all(receipt.kept for receipt in ordered):
        return "receipt", _kept(ordered[0])
    return "receipt", _receipt if ordered else _changed(talk)


def _acts(talk: Talk, content: Content) -> bool:
    if content.dry:
        return False
    says = content.reading.sheets or content.presses or content.jottings
    if says or ACTING & content.words:
        return True
    return bare_of(talk, content).read


def _is_delayed(talk: Talk, letter: Letter, content: Content) -> bool:
    """Return whether the letter was probably on its way for long (section 4).

    It was written well before the sheet in force, by somebody who did not know of that. A sheet
    that would be refused does not count: it is refused at once.
    """
    kept = talk.loaded.kept.get(talk.seat, ()) if "CLEAR ADVANCE" in content.words else ()
    if any(_is_before(talk, letter, sheet) for sheet in kept):
        return True
    sheets = [one for one in content.reading.sheets if not orders_nothing(talk.loaded, one)]
    heads = [raw.head for raw in sheets]
    # Orders without a frame are for the present turn, and so is CLEAR outside of any sheet.
    alone = bool(content.reading.sheets) and not sheets
    if (not heads and not alone) or any(command.word == "CLEAR" for command in content.commands):
        heads.append(None)
    if not any(_is_older(talk, letter, head) for head in heads):
        return False
    if "CLEAR" in content.words:
        return True
    checked = order(structs.replace(talk, dry=True), content)
    return any(receipt.accepted for receipt in checked)


def _is_older(talk: Talk, letter: Letter, head: Head | None) -> bool:
    """Return whether a sheet is older than the one that counts for the same turn, and names no
    revision as new as that."""
    sheet = _counting(talk, head)
    if sheet is None or not _is_before(talk, letter, sheet):
        return False
    return head is None or head.rev is None or head.rev < sheet.revision


def _is_before(talk: Talk, letter: Letter, sheet: Submission | KeptSheet) -> bool:
    """Return whether the letter was written well before the one with that sheet, or came before it
    and could not be read for long."""
    has_lain = talk.now - talk.session.now > DELAYED
    if sheet.letter_id is None or not (letter.date or has_lain):
        return False
    dated, came = inbox.moments(talk.tx, sheet.letter_id)
    if has_lain and talk.session.now < came:
        return True
    return letter.date is not None and dated is not None and letter.date < dated - DELAYED


def _counting(talk: Talk, head: Head | None) -> Submission | KeptSheet | None:
    """Return the sheet that counts now for the turn of another one."""
    loaded, turn = talk.loaded, head.turn if head else None
    if is_ahead(loaded, talk.seat, turn):
        kept = loaded.kept.get(talk.seat, ())
        return next((sheet for sheet in kept if sheet.turn == turn), None)
    return loaded.sheets.get(talk.seat)


def _hold_back(talk: Talk, opened: Opened) -> Reply:
    told = say("This letter was written before the one with your orders in force, and came late.")
    noted = [talk.words(note) for note in (*talk.notes, told)]
    asked = ask(talk, opened.content)
    return _asking(talk, [*noted, *asked.parts, *_left_out(talk, opened.content, asked)])


def _asking(talk: Talk, parts: list[str]) -> Reply:
    return _reply(talk, "confirm", _please, parts)


def _decline(talk: Talk, parts: list[str]) -> Reply:
    """Say that there is nothing in the letter to be confirmed; it may have meant what waits."""
    nothing = say("There is nothing in the letter that could be read as orders.")
    whence = [] if talk.on_file else [_whence(talk)]
    waits = [] if parts else codes(talk, confirmations.MOST_WAITING)
    told = [*whence, *(parts or [talk.words(nothing)]), *waits]
    return _reply(talk, "refusal", _refusal, told, again=True)


def _whence(talk: Talk) -> str:
    match = talk.loaded.match.name
    if talk.on_file:
        return talk.words(say("A letter for your seat in {match} must be confirmed.", match=match))
    told = say(
        "A letter for your seat in {match} has come from elsewhere, not from your address on "
        "file. This is what it says.",
        match=match,
    )
    return talk.words(told)


def _nothing_understood() -> Message:
    return say(
        "There are no orders in your letter. Write them between ORDERS and END, or send HELP."
    )


def _reply(
    talk: Talk,
    kind: str,
    subject: Subject,
    parts: Sequence[str],
    *,
    told: Collection[int] = (),
    again: bool = False,
    own: str = "",
) -> Reply:
    """Put an answer together; `talk` has the match as the letter left it.

    `told` are the revisions whose orders are in the parts already; with `again` the sheet is to be
    sent again, and a sheet to fill in is added, for a player who does not wish short receipts: his
    `own`, if it is to be mended.
    """
    own = own if talk.holder.receipts == "full" else ""
    sheet = in_force.sheet(talk) if again and talk.holder.receipts == "full" else ""
    standing = in_force.standing(talk, told)
    return Reply(
        kind,
        subject(talk),
        paragraphs(parts),
        own or sheet,
        standing,
        is_own_sheet=bool(own),
        revision=_revision(talk),
        told=tuple(told),
    )


def _revision(talk: Talk) -> int | None:
    sheet = talk.loaded.sheets.get(talk.seat)
    return sheet.revision if sheet else None


def _receipt(talk: Talk) -> Message:
    return subjects.receipt(talk.loaded.match.name, talk.loaded.match.turn, _revision(talk))


def _kept(receipt: Receipt) -> Subject:
    return lambda talk: subjects.kept(talk.loaded.match.name, receipt.turn or 0)


def _kept_in_part(receipt: Receipt) -> Subject:
    """Choose the subject for a letter of which only sheets for later turns were kept. If the seat
    is awaited, it says how the present turn stands."""

    def subject(talk: Talk) -> Message:
        if in_force.is_awaited(talk):
            return _partly(talk)
        return subjects.kept_in_part(talk.loaded.match.name, receipt.turn or 0)

    return subject


def _refusal(talk: Talk) -> Message:
    match = talk.loaded.match
    if not in_force.is_awaited(talk):
        return subjects.unwanted(match.name, match.turn)
    return subjects.refusal(match.name, match.turn, _revision(talk))


def _not_understood(talk: Talk) -> Message:
    return subjects.not_understood(talk.loaded.match.name)


def _partly(talk: Talk) -> Message:
    """Choose the subject for a letter of which a part was accepted; it may have withdrawn the
    orders again."""
    revision = _revision(talk)
    if revision is None:
        return _refusal(talk)
    return subjects.partly(talk.loaded.match.name, talk.loaded.match.turn, revision)


def _words(talk: Talk) -> Message:
    return subjects.words(talk.loaded.match.name)


def _please(talk: Talk) -> Message:
    return subjects.confirm(talk.loaded.match.name)


def _changed(before: Talk) -> Subject:
    """Choose the subject for a letter without a sheet; the letter may have withdrawn one."""

    def subject(after: Talk) -> Message:
        same = _revision(before) == _revision(after)
        return subjects.answer(after.loaded.match.name) if same else _receipt(after)

    return subject
