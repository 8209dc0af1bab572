"""Somebody who was sent a code to the public address and answers in words: a yes or a no to an
invitation, or a question about it.

A yes counts above our quoted email with its code, from the address to which that went: whoever
writes so has read it, and no program does.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from adjudicator.core.commands import Command, code_of
from adjudicator.core.consent import consent
from adjudicator.core.message import Message, Words, say
from adjudicator.core.orders import Line, split_lines
from adjudicator.service.base.context import Context
from adjudicator.service.club import people
from adjudicator.service.inbound import confirmations, questions
from adjudicator.service.inbound.parsed_email import ParsedEmail
from adjudicator.service.inbound.questions import reach_game_master
from adjudicator.service.inbound.replies import Question
from adjudicator.store.database import Tx

NO = say("No, thank you")  # a button's words
_THANKS = say("Thank you for your answer. Nothing else is sent to this address.")


def waiting_codes(tx: Tx, address: str, now: datetime) -> frozenset[str]:
    """Return the codes that were sent to an address and not confirmed yet."""
    joins = confirmations.seat_asked_for(tx, address, now)
    _, to_confirm = people.asked_to_confirm(tx, address)
    return frozenset(filter(None, (joins.code if joins else "", to_confirm)))


def agreed(opened: ParsedEmail, codes: Collection[str], word: str) -> Command | None:
    """Return the command with the one of these codes that is quoted below a clear yes."""
    return _answered(opened, codes, word) if consent(own_lines(opened, codes)) == "yes" else None


def refused(opened: ParsedEmail, codes: Collection[str], word: str) -> Command | None:
    """Return the command with the one of these codes that is quoted below a clear no."""
    return _answered(opened, codes, word) if consent(own_lines(opened, codes)) == "no" else None


def _answered(opened: ParsedEmail, codes: Collection[str], word: str) -> Command | None:
    quoted = quoted_codes(opened, codes)
    if len(quoted) != 1:
        return None
    return Command(word, quoted.pop(), opened.content.prose[0])


def quoted_codes(opened: ParsedEmail, codes: Collection[str]) -> set[str]:
    """Return those of the codes that an email sends back, above or below its stop lines."""
    texts = opened.email.texts
    sent = split_lines(f"{texts.bare}\n{texts.left_out}") if codes else []
    return {code for line in sent if (code := code_of(line)) and code in codes}


def own_lines(opened: ParsedEmail, codes: Collection[str]) -> Sequence[Line]:
    """Return the lines of the sender's own; where a program marks no quotes, those of the first
    paragraphs that are short."""
    prose = opened.content.prose
    if not any(code_of(line) in codes for line in prose):
        return prose
    ends = [at for at in range(1, len(prose)) if prose[at].number > prose[at - 1].number + 1]
    first = prose[: ends[0]] if ends else ()
    if len(ends) > 1 and consent(first) is None:
        first = prose[: ends[1]]
    return first


def told(
    tx: Tx, address: str, opened: ParsedEmail, *, context: Context
) -> tuple[list[Message], Question | None] | None:
    """Return what somebody is told who was asked to confirm an address and writes neither its code
    nor a clear yes, and which words of his go to the game master; None if he was not asked.

    His words go on if the code is quoted below them: others could write in his name.
    """
    player, code = people.asked_to_confirm(tx, address)
    own = opened.content.prose
    if player is None or not code or not own or any(code_of(line) == code for line in own):
        return None  # where nothing marks our own words they must not go on as his
    passed, asked = None, None
    if quoted_codes(opened, {code}):
        passed, asked = questions.question_of_person(tx, player, own, (), context=context)
    how = (
        _THANKS
        if consent(own) == "no"
        else say(
            "Your address is not confirmed yet. To confirm it, write YES above the quoted email "
            "that asked you to, or send the line CONFIRM with its code."
        )
    )
    return [one for one in (how, passed, reach_game_master(context)) if one], asked


def declined(
    tx: Tx, address: str, opened: ParsedEmail, tell: Words, *, context: Context
) -> tuple[list[Message], Question | None] | None:
    """Return what somebody is told who declines with the code that asks to confirm his address, and
    what the game master reads: the words of the button, and never the code. None if no code was
    sent there, or another one."""
    player, code = people.asked_to_confirm(tx, address)
    no = next((one for one in opened.commands if one.word == "DECLINE"), None)
    if player is None or no is None or no.argument.upper() != code:
        return None
    said = [Line(no.line.number, tell(NO)), *opened.content.prose]
    passed, asked = questions.question_of_person(tx, player, said, (), context=context)
    return [one for one in (_THANKS, passed, reach_game_master(context)) if one], asked
