"""Answer what the holder of a seat asks in an email."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec import structs

from adjudicator.core.command_table import ACTING, ANSWERED
from adjudicator.core.commands import Command
from adjudicator.core.consent import is_thanks
from adjudicator.core.message import Message, both, count, say
from adjudicator.core.orders import Line, Problem, shown
from adjudicator.core.sheets import Head
from adjudicator.core.text import first_strange
from adjudicator.mail.read.email import Email
from adjudicator.mail.write import subjects
from adjudicator.service.base import looks
from adjudicator.service.base.context import Context
from adjudicator.service.base.deadlines import is_ahead
from adjudicator.service.base.loaded_match import MatchSession
from adjudicator.service.emails.paragraphs import Paragraphs, Receipt, each, paragraph, surroundings
from adjudicator.service.emails.wording import WIDTH
from adjudicator.service.inbound import (
    codes,
    commands,
    parsed_email,
    questions,
    replies,
)
from adjudicator.service.inbound.conversation import (
    Conversation,
    current_version,
    sheet_in_force,
    standing_line,
)
from adjudicator.service.inbound.dialog import (
    ask,
    asked_beside,
    bare_of,
    carry_out,
    carry_out_parked,
    done_of_sheet,
    jot_alone,
    marked_set_up,
    misplaced_lines,
    order,
    preview,
)
from adjudicator.service.inbound.parsed_email import (
    EmailContent,
    ParsedEmail,
    content_of,
    unread_files,
    unreadable,
)
from adjudicator.service.inbound.replies import (
    Done,
    Reply,
    ReplyCounts,
    holds_orders,
    is_futile,
    no_orders,
    notes,
    of_receipt,
    of_refusal,
    of_seat,
    of_words,
    paragraphs_of,
    partly,
    proofs,
    refusals,
    to_confirm,
    versions,
    with_words,
)
from adjudicator.service.matches import sheet_storing
from adjudicator.service.matches.sheet_judging import orders_nothing
from adjudicator.service.matches.sheet_parsing import JudgedSheet
from adjudicator.store import inbox
from adjudicator.store.pending import Parked
from adjudicator.store.submissions import KeptSheet, Submission

_MOST_QUOTED = 40  # lines of a sheet that the game master entered
DELAYED = timedelta(minutes=10)  # by the senders' clocks, which differ


def answer(conversation: Conversation, opened: ParsedEmail) -> Reply:
    """Do what the email says and say what was done, all of it in one transaction."""
    sheet_storing.note_presence(conversation.session, conversation.seat)
    content = opened.content
    if told := unreadable(opened, conversation.loaded.game):
        if not _asks(conversation, content):
            return refuse(conversation, told, content)
        conversation = structs.replace(conversation, notes=(*conversation.notes, told))
    elif told := unread_files(opened):
        conversation = structs.replace(conversation, notes=(*conversation.notes, told))
    if not content.dry and _is_delayed(conversation, opened.email, content):
        return _hold_back(conversation, opened)
    return _answer(conversation, content)


def answer_parked(conversation: Conversation, parked: Parked) -> Reply:
    """Do what waited at the player's own address until a code confirmed it."""
    match = conversation.loaded.match.name
    past = say("What your email said of {match} was for an earlier turn.", match=match)
    done = carry_out_parked(conversation, parked, past)
    kind, subject = of_seat(conversation, done)
    return _reply(conversation, kind, subject, done)


def park(conversation: Conversation, opened: ParsedEmail) -> Reply:
    """Keep an email until it is confirmed, because it came from elsewhere or the match wants every
    sheet confirmed.

    A code in it is tried at once: it went to the address on file and so proves itself.
    """
    content = opened.content
    given: tuple[Command, ...] = ()
    if conversation.may_confirm:
        given = tuple(command for command in content.commands if command.word == "CONFIRM")
    if given and not _acts(conversation, content):
        return _answer(conversation, structs.replace(content_of(""), commands=given))
    confirmed = carry_out(conversation, structs.replace(content_of(""), commands=given))
    shown = preview(conversation, content)
    left_out = _left_out(conversation, content, shown)
    if is_futile(shown):
        return _decline(conversation, content, [*confirmed, *shown, *left_out])
    asked = [_whence(conversation), *ask(conversation, content), *left_out]
    return _asking(conversation, content, [*confirmed, *asked])


def _left_out(
    conversation: Conversation, content: EmailContent, done: Sequence[Done]
) -> Sequence[Done]:
    """Name the lines that will count for nothing, in an email that is not carried out yet."""
    return _beside(misplaced_lines(conversation, content, done))


def _beside(warned: Sequence[Problem], ignored: Sequence[Line] = ()) -> list[Done]:
    """Tell what stands beside the orders of an email, if there is anything."""
    return with_words([Done(paragraph(*surroundings(warned, ignored)))])


def tell_undone(conversation: Conversation, content: EmailContent, *, heard: bool) -> Reply:
    """Answer an email to a report that a restore has undone: with the present page, and with what
    it asks for beside, if it may speak for the seat. Nothing else of it is carried out."""
    asked = [
        one
        for one in content.commands
        if (one.word == "CONFIRM" and conversation.may_confirm)
        or (heard and one.word in ANSWERED and (one.word != "REPORT" or one.argument))
    ]
    if heard:
        sheet_storing.note_presence(conversation.session, conversation.seat)
    obeyed = structs.replace(conversation, dry=content.dry)
    done = carry_out(obeyed, structs.replace(content_of(""), commands=tuple(asked)))
    told = say(
        "Your email replies to a report from before the club was restored from a backup. That "
        "part of the match is no longer valid, so your orders were not carried out. This is the "
        "current position."
    )
    page = Done(commands.present_page(conversation))
    done = [*notes([told]), *done, page]
    return _reply(conversation, "refusal", of_refusal(conversation), done)


def acts(conversation: Conversation, opened: ParsedEmail) -> bool:
    """Return whether the email would change anything in the match, a code aside."""
    return _acts(conversation, opened.content)


def refuse(conversation: Conversation, told: Message, content: EmailContent | None = None) -> Reply:
    """Say that nothing of the email is read as orders; it is kept. Marks and notes in what can be
    read of it are taken all the same."""
    jotted = jot_alone(conversation, content) if content else ()
    done = [*notes([told]), *jotted]
    return _reply(conversation, "refusal", of_refusal(conversation), done, again=True)


def answer_entered_sheet(
    conversation: Conversation, receipt: Receipt, said: Sequence[str]
) -> Reply:
    """Make the receipt of a sheet that the game master handed in for the seat. If it is refused, it
    quotes the lines, of which a receipt shows no more than the faulty ones."""
    note = say(
        "The game master entered these orders for you. They did not come in an email from you."
    )
    done = [*notes([note]), done_of_sheet(receipt)]
    if receipt.accepted:
        return _reply(conversation, "receipt", of_receipt(conversation), done)
    # The bar keeps a line that looks like an order from being one when the email is quoted.
    lines = [f"| {shown(line, WIDTH - 2)}" for line in said[:_MOST_QUOTED]]
    if lines:
        done += [*notes([say("The game master wrote:")]), Done(paragraph(*lines))]
    return _reply(conversation, "refusal", of_refusal(conversation), done)


def for_all(conversation: Conversation, counts: ReplyCounts) -> Reply:
    """Make the one receipt for all emails over the limit of a day."""
    conversation.session.mark_changed()
    told = [
        count(
            "{n} more of your emails was read. You have sent so many today that this one reply "
            "covers them all.",
            "{n} more of your emails were read. You have sent so many today that this one reply "
            "covers them all.",
            counts.letters,
        )
    ]
    if counts.accepted or counts.refused:
        told.append(
            say(
                "Accepted: {accepted}. Refused: {refused}.",
                accepted=counts.accepted,
                refused=counts.refused,
            )
        )
    if counts.refused:
        told.append(say("The last one that was refused:"))
    subject = of_receipt
    if counts.refused:
        subject = partly if counts.accepted else of_refusal
    waits = codes.tell_waiting(conversation, counts.letters)
    done = [*notes(told), Done(counts.refusal), Done(waits)]
    return _reply(conversation, "receipt", subject(conversation), done)


def _answer(conversation: Conversation, content: EmailContent) -> Reply:
    done = list(carry_out(conversation, content))
    understood = bool(with_words(done)) or any(one.word in ANSWERED for one in content.commands)
    warned = misplaced_lines(conversation, content, done)
    if not understood and is_of_words(conversation, content):
        if not warned:
            return _to_a_person(conversation, content)
        if _asks(conversation, content):
            return _to_a_person(conversation, content, _beside(warned))
    kind, subject = of_seat(conversation, done)
    told: Paragraphs = ()
    if not understood:
        kind, subject = "refusal", _of_nothing(conversation, content)
        told += () if content.slips else _tell_nothing(content)
    told += _ways_out(conversation, content, done, understood=understood)
    told += _answered_beside(conversation, content, done)
    told += _elsewhere(conversation, content)
    ignored = () if holds_orders(done) else content.reading.ignored
    told += paragraph(*surroundings(warned, ignored))
    again = _is_to_be_sent_again(done, content, understood=understood)
    return _reply(
        conversation,
        kind,
        subject,
        [*notes(conversation.notes), *done, Done(told)],
        again=again,
        own=marked_set_up(conversation, content, done) if again else (),
        in_report=kind == "receipt" and _confirms_alone(content, done),
    )


def _is_to_be_sent_again(done: Sequence[Done], content: EmailContent, *, understood: bool) -> bool:
    """Return whether a sheet to be filled in belongs to the answer: there were orders, or should
    have been, and they did not count."""
    if any(one.status == "nothing" for one in done) or "TEMPLATE" in content.words:
        return False
    return bool(refusals(done)) or not (understood or _has_slips_alone(content))


def _tell_nothing(content: EmailContent) -> Paragraphs:
    """Say that no orders were found, and where words have room."""
    return each([both(_nothing_understood(), _room()), first_strange(content.reading.ignored)])


def _confirms_alone(content: EmailContent, done: Sequence[Done]) -> bool:
    """Return whether the answer confirms orders, and brings nothing else that was asked for."""
    asks = any(one.word in ANSWERED for one in content.commands)
    return bool(versions(done)) and not asks


def is_of_words(conversation: Conversation, content: EmailContent) -> bool:
    """Return whether an email holds a person's words, and nothing that is meant as an order or a
    command."""
    if content.reading.sheets or content.misspelt or not content.prose:
        return False
    return not parsed_email.find_bare_orders(conversation.loaded.game, content.prose).orders


def is_thanks_alone(conversation: Conversation, opened: ParsedEmail) -> bool:
    """Return whether an email says thanks and nothing else, so that nobody wants an answer."""
    content = opened.content
    asks = content.reading.sheets or content.commands or content.presses or content.jottings
    if asks or not is_thanks(content.prose) or not is_of_words(conversation, content):
        return False
    if unreadable(opened, conversation.loaded.game) is not None:
        return False
    return not misplaced_lines(conversation, content, ())


def _asks(conversation: Conversation, content: EmailContent) -> bool:
    """Return whether an email holds a person's question and nothing else."""
    return any("?" in line.text for line in content.prose) and is_of_words(conversation, content)


def _to_a_person(
    conversation: Conversation, content: EmailContent, left_out: Sequence[Done] = ()
) -> Reply:
    """Answer somebody who wrote words; `left_out` names lines of the email that count for nothing.
    If something waits for a CONFIRM, that may be meant."""
    passed, asked = questions.question(conversation, content.prose)
    told = questions.answer_question(conversation, content.prose, passed)
    waits = codes.tell_waiting(conversation)
    done = [*notes(conversation.notes), Done(told), *left_out, Done(waits, question=asked)]
    asks = any("?" in line.text for line in content.prose)
    subject = of_words(conversation, asks=asks, passed=asked is not None)
    return _reply(conversation, "refusal", subject, done)


def _ways_out(
    conversation: Conversation, content: EmailContent, done: Sequence[Done], *, understood: bool
) -> Paragraphs:
    """Tell somebody who wrote in words of his own where these have room; if there is nothing else
    in his email, the codes of what waits, which he may have meant."""
    if not understood:
        return codes.tell_waiting(conversation)
    refused = holds_orders(done) and bool(refusals(done))
    if not refused or not content.is_bare or bare_of(conversation, content).read:
        return ()
    told = say(
        "Your email has no line ORDERS. The lines from your first order to your last were read "
        "as orders."
    )
    return paragraph(both(told, _room()))


def _answered_beside(
    conversation: Conversation, content: EmailContent, done: Sequence[Done]
) -> Paragraphs:
    """Answer a question beside orders as far as adjud can; it goes to nobody."""
    if not holds_orders(done):
        return ()
    has_sheets = bool(content.reading.sheets)
    beside = content.prose if has_sheets else bare_of(conversation, content).others
    asked = asked_beside(conversation, beside)
    if not asked:
        return ()
    told = say(
        "You also asked something. It was not passed on to the game master, because it came with "
        "orders. To ask the game master, send your question in an email of its own."
    )
    return questions.answers_to(conversation, asked) + paragraph(told)


def _elsewhere(conversation: Conversation, content: EmailContent) -> Paragraphs:
    """Say where sheets for other matches go, if there are any."""
    heads = (sheet.head.match.lower() for sheet in content.reading.sheets if sheet.head)
    if all(name in ("", conversation.loaded.match.name) for name in heads):
        return ()
    told = say(
        "Orders for several matches in one email go to your address for all your matches: "
        "{address}",
        address=conversation.own_address,
    )
    return paragraph(told)


def _room() -> Message:
    return say(
        "Before ORDERS and after END you may write what you like. Send HELP for all the commands."
    )


def _of_nothing(conversation: Conversation, content: EmailContent) -> Message:
    """Return the subject of the answer to an email in which nothing was understood."""
    if _has_slips_alone(content):
        return subjects.misspelt_commands(conversation.loaded.match.name)
    return no_orders(conversation)


def _has_slips_alone(content: EmailContent) -> bool:
    """Return whether an email holds slips in commands, and no orders: they are none in those."""
    return bool(content.slips) and not content.is_bare


def _acts(conversation: Conversation, content: EmailContent) -> bool:
    if content.dry:
        return False
    says = content.reading.sheets or content.presses or content.jottings
    if says or ACTING & content.words:
        return True
    return bare_of(conversation, content).read


def _is_delayed(conversation: Conversation, email: Email, content: EmailContent) -> bool:
    """Return whether the email was probably on its way for long (section 4).

    It was written well before the sheet in force, by somebody who did not know of that. A sheet
    that would be refused does not count: it is refused at once.
    """
    kept = (
        conversation.loaded.kept.get(conversation.seat, ())
        if "CLEAR ADVANCE" in content.words
        else ()
    )
    if any(_is_before(conversation, email, sheet) for sheet in kept):
        return True
    sheets = [one for one in content.reading.sheets if not orders_nothing(conversation.loaded, one)]
    heads = [raw.head for raw in sheets]
    # Orders without a frame are for the present turn, and so is CLEAR outside of any sheet.
    alone = bool(content.reading.sheets) and not sheets
    if (not heads and not alone) or any(command.word == "CLEAR" for command in content.commands):
        heads.append(None)
    if not any(_is_older(conversation, email, head) for head in heads):
        return False
    if "CLEAR" in content.words:
        return True
    checked = order(structs.replace(conversation, dry=True), content)
    return any(receipt.accepted for receipt in checked)


def _is_older(conversation: Conversation, email: Email, head: Head | None) -> bool:
    """Return whether a sheet is older than the one that counts for the same turn, and names no
    revision as new as that."""
    sheet = _counting(conversation, head)
    if sheet is None or not _is_before(conversation, email, sheet):
        return False
    return head is None or head.rev is None or head.rev < sheet.revision


def _is_before(conversation: Conversation, email: Email, sheet: Submission | KeptSheet) -> bool:
    """Return whether the email was written well before the one with that sheet, or came before it
    and could not be read for long."""
    has_lain = conversation.now - conversation.session.now > DELAYED
    if sheet.letter_id is None or not (email.date or has_lain):
        return False
    dated, came = inbox.moments(conversation.tx, sheet.letter_id)
    if has_lain and conversation.session.now < came:
        return True
    return email.date is not None and dated is not None and email.date < dated - DELAYED


def _counting(conversation: Conversation, head: Head | None) -> Submission | KeptSheet | None:
    """Return the sheet that counts now for the turn of another one."""
    loaded, turn = conversation.loaded, head.turn if head else None
    if is_ahead(loaded, conversation.seat, turn):
        kept = loaded.kept.get(conversation.seat, ())
        return next((sheet for sheet in kept if sheet.turn == turn), None)
    return loaded.sheets.get(conversation.seat)


def _hold_back(conversation: Conversation, opened: ParsedEmail) -> Reply:
    told = say("This email was written before the one with your current orders, and arrived late.")
    asked = ask(conversation, opened.content)
    noted = notes([*conversation.notes, told])
    left_out = _left_out(conversation, opened.content, asked)
    return _asking(conversation, opened.content, [*noted, *asked, *left_out])


def _asking(conversation: Conversation, content: EmailContent, done: Sequence[Done]) -> Reply:
    return _reply(conversation, "confirm", to_confirm(conversation, content), done)


def _decline(conversation: Conversation, content: EmailContent, done: Sequence[Done]) -> Reply:
    """Say that there is nothing in the email to be confirmed; it may have meant what waits."""
    whence = [] if conversation.on_file else [_whence(conversation)]
    if not with_words(done):
        nothing = say("Nothing in the email could be read as orders.")
        done = [*notes([nothing]), Done(codes.tell_waiting(conversation))]
    subject = no_orders(conversation)
    if is_of_words(conversation, content):
        subject = of_words(conversation, asks=_asks(conversation, content), passed=False)
    return _reply(conversation, "refusal", subject, [*whence, *done], again=True)


def _whence(conversation: Conversation) -> Done:
    match = conversation.loaded.match.name
    told = (
        say("An email for your seat in {match} needs your confirmation.", match=match)
        if conversation.on_file
        else say(
            "An email for your seat in {match} came from an address that is not on file for you. "
            "This is what it says.",
            match=match,
        )
    )
    return Done(paragraph(told))


def _nothing_understood() -> Message:
    return say("Your email contains no orders. Write them between ORDERS and END, or send HELP.")


def _reply(
    conversation: Conversation,
    kind: str,
    subject: Message,
    done: Sequence[Done],
    *,
    again: bool = False,
    own: Paragraphs = (),
    in_report: bool = False,
) -> Reply:
    """Make the answer of what was done; the conversation has the match as the email left it.

    With `again` the sheet is to be sent again, and a sheet to fill in is added, for a player who
    does not wish short receipts: his `own`, if it is to be mended.
    """
    told, is_full = versions(done), conversation.holder.receipts == "full"
    own = own if is_full else ()
    sheet = sheet_in_force(conversation) if again and is_full else ()
    return Reply(
        kind,
        subject,
        paragraphs_of(done),
        own or sheet,
        standing_line(conversation, told),
        is_own_sheet=bool(own),
        revision=current_version(conversation),
        told=tuple(told),
        proofs=proofs(done),
        asked=next((one.question for one in done if one.question), None),
        in_report=in_report,
    )


# Tell a player by email of a sheet that the game master handed in for him.


def tell_holder(
    session: MatchSession, understood: JudgedSheet, receipt: Receipt, *, context: Context
) -> None:
    """Queue the receipt for the seat's player, and note that the game master has seen it.

    Nothing is queued if no emails go out, or for a built-in player, who reads none.
    """
    if not context.sends_mail:
        return
    loaded, seat, now = session.loaded, understood.seat, session.now
    if loaded.holders[seat].player_id is None:
        return
    looks.at_seats(session.tx, loaded, [seat], now)
    conversation = Conversation(session.tx, now, context, session=session, seat=seat, letter_id=0)
    said = [
        *understood.text.split("\n")[1:],  # the head is told by the receipt
        *(command.line.text for command in understood.commands),
        *(jotting.line.text for jotting in understood.jottings),
    ]
    replies.queue_entered(conversation, answer_entered_sheet(conversation, receipt, said))
