"""Know again what we wrote ourselves: reports, answers and cards that an email sends back, and the
report that it answers.

From that follows the turn for a sheet that names none (interface, section 2): so a late answer
never orders for a turn that its writer has not seen. An email to a player's own address may answer
one of ours that told of several matches: an answer to several parts, or a daily email (club, 4).
What that one told of the match is looked up.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import structs

from adjudicator.core.email_kinds import KINDS
from adjudicator.core.orders import Line
from adjudicator.core.own_words import (
    ROW,
    SURELY,
    OwnWords,
    is_form,
    is_short,
    ours,
    rows_of,
    words_of,
)
from adjudicator.core.sheets import RawSheet, read_sheets, sheet_head
from adjudicator.mail.address import (
    MailDomain,
    Public,
    is_plain_message_id,
    match_of_message_id,
    message_id,
    plain_message_id,
    read_address,
)
from adjudicator.mail.read.email import references_of
from adjudicator.mail.read.quoting import depth, is_rest
from adjudicator.service.emails.links import EmailReader
from adjudicator.service.emails.paragraphs import Card
from adjudicator.service.emails.value import Beside
from adjudicator.service.emails.wording import in_words, texts_of
from adjudicator.service.inbound.conversation import Conversation, WordsTold
from adjudicator.service.inbound.parsed_email import (
    EmailContent,
    ParsedEmail,
    known_words,
    without_sheets,
)
from adjudicator.service.reports import printing
from adjudicator.service.reports.standing import first_tenure
from adjudicator.store import clubs, inbox, outbox, press, turns
from adjudicator.store.outbox import AnswerableEmail, OwnEmail
from adjudicator.store.turns import StoredReport

_MOST_REPORTS = 12  # that are printed for one email: the newest, and those that it answers

# What our emails told a seat's holder.


_MOST_ANSWERS = 60  # the newest to the seat
_FEWEST_OF_CARD = 5  # lines: its examples are orders that anybody may write


def not_ours(
    conversation: Conversation, lines: Sequence[Line], beside: Sequence[Line]
) -> list[Line]:
    """Return the lines that stand in no email of ours to the seat's holder. `beside` are the other
    lines that are sent back: by these it is known whether they are those of a card."""
    left = list(lines)
    for told in _lines_of_ours(conversation, beside):
        left = [line for line in left if line.text.strip() not in told]
        if not left:
            break
    return left


def _lines_of_ours(conversation: Conversation, beside: Sequence[Line]) -> Iterator[frozenset[str]]:
    """Yield the lines of our emails, those first that cost least."""
    if not conversation.loaded.holders[conversation.seat].player_id:
        return
    yield _lines(_answers(conversation))
    card = _lines([_card(conversation)])
    if sum(line.text.strip() in card for line in beside) >= _FEWEST_OF_CARD:
        yield card
    for text in _reports(conversation):
        yield _lines([text])


def _answers(conversation: Conversation, *, with_own: bool = True) -> Iterator[str]:
    """Yield what the newest answers to the seat's holder say; not `with_own` leaves out a sheet of
    his own in them that he is to mend."""
    match, tenure = conversation.loaded.match, conversation.holder.tenure
    holder, game = conversation.holder, conversation.loaded.match.game
    reader = EmailReader(holder.language, holder.zone, game)
    for body in outbox.answers(conversation.tx, match.id, conversation.seat, tenure, _MOST_ANSWERS):
        yield from texts_of(body, reader, with_own=with_own)


def card_of(conversation: Conversation) -> Card:
    """Return what HELP brings: its examples name the seat's match and turn."""
    match = conversation.loaded.match
    return Card(
        tuple(sheet_head(match.name, conversation.seat, match.turn + n, None) for n in range(2))
    )


def _card(conversation: Conversation) -> str:
    holder, game = conversation.holder, conversation.loaded.match.game
    (text,) = in_words([card_of(conversation)], EmailReader(holder.language, holder.zone, game))
    return text


def _lines(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(line.strip() for text in texts for line in text.splitlines())


def _reports(conversation: Conversation) -> Iterator[str]:
    """Yield the texts of the seat's reports that its holder may read, without messages of others:
    the newest, the one that the email answers, and then those before."""
    match = conversation.loaded.match
    wanted = (match.ply, ply_answered(conversation), *range(match.ply - 1, -1, -1))
    plies = [ply for ply in dict.fromkeys(wanted) if ply is not None and 0 <= ply <= match.ply]
    since = first_tenure(conversation.loaded, conversation.seat)
    for ply in plies[:_MOST_REPORTS]:
        stored = turns.report_of(conversation.tx, match.id, ply, conversation.seat)
        if stored is not None and stored.tenure >= since:
            yield _words_of_report(conversation, stored)


def _words_of_report(conversation: Conversation, stored: StoredReport) -> str:
    """Return what the text of a report can say, as the first one to its reader and as a later one,
    with orders that it may suggest."""
    report = printing.old_report(conversation.loaded, stored)
    post, holder = conversation.context.post, conversation.holder
    forms = [Beside(first=first, tips=True, advised=True) for first in (True, False)]
    texts = (printing.as_pages(report, holder, "text", post=post, beside=one) for one in forms)
    return "\n".join(text for (text,) in texts)


def without_sheets_of_ours(conversation: Conversation, opened: ParsedEmail) -> ParsedEmail:
    """Return an email without those sheets that stood in a quote as we had written them: an example
    of HELP's card, a sheet to fill in that repeats standing orders. Nobody has ordered these."""
    sheets = opened.content.reading.sheets
    if not opened.email.texts.quoted or not sheets:
        return opened
    left = {_words_in(sheet) for sheet in sheets}
    for text in _sheets_told(conversation, opened.content):
        left.difference_update(map(_words_in, read_sheets(text).sheets))
        if not left:
            break
    return without_sheets(opened, [one for one in sheets if _words_in(one) not in left])


def _sheets_told(conversation: Conversation, content: EmailContent) -> Iterator[str]:
    """Yield texts of ours with sheets. Anybody may write the orders of a card's example, so it
    counts only beside the title of the card."""
    card = _card(conversation)
    title = words_of(card.partition("\n")[0])
    beside = (*content.left_out, *content.prose)
    is_card = any(words_of(line.text) == title for line in beside)
    if is_card:
        yield card
    for text in _answers(conversation, with_own=False):
        if is_card or words_of(text.partition("\n")[0]) != title:
            yield text
    yield from _reports(conversation)


def _words_in(sheet: RawSheet) -> tuple[str, ...]:
    """Return the words of a sheet, however its lines are broken."""
    lines = [sheet.line, *sheet.body, *(one.line for one in sheet.commands)]
    ordered = sorted(lines, key=lambda line: line.number)
    return tuple(word for line in ordered for word in words_of(line.text))


# What may not be passed on to others, because only its sender may see it.
#
# A quote with marks is left out of a message. So what is looked for is what has none: a program may
# have quoted without them, or broken a quoted line so that its rest stands below it without one.
# In doubt a line is one of ours. What stands there of a message that all readers have got is not.


_ALIKE = 6  # words in a row that people hardly have in common with us by chance
_GLUED = 6  # letters and digits in a row of a word with at least two digits
_LONG = 10  # letters and digits of a line that nobody writes by chance, if there is a digit


def doubtful(
    conversation: Conversation, lines: Sequence[str], readers: Sequence[str]
) -> Sequence[str]:
    """Return the lines of a message without marks that may be from an email of ours to its
    writer."""
    plain = [i for i, line in enumerate(lines) if line.strip() and not depth(line)]
    known = known_words()
    found = {*_with_our_address(conversation, lines)}
    found |= {i for i in plain if _is_ours(lines[i], known)}
    found |= ours(lines, known.rows(), _ALIKE, least_twice=ROW)
    found |= {*_rests(lines, _messages(conversation, readers))}
    if not found.intersection(plain):
        found = {*_in_emails(conversation, lines)}
    return [lines[i] for i in plain if i in found]


_DIGEST = re.compile(r"[0-9a-f]{32}")


def _is_ours(line: str, known: OwnWords) -> bool:
    """Return whether a line by itself is one that only adjud writes."""
    if is_form(line, known) or _DIGEST.search(line):
        return True
    return is_short(line, known)


def above_ours(
    conversations: Sequence[Conversation], lines: Sequence[Line]
) -> tuple[Sequence[Line], Line | None]:
    """Return the lines of somebody's own words up to the first that is from an email of ours, and
    that one. He holds the seats of these conversations."""
    texts = [line.text for line in lines]
    found = {*ours(texts, known_words().rows(), SURELY)}
    for conversation in conversations:
        found |= _in_emails(conversation, texts)
    first = min(found, default=len(lines))
    return lines[:first], next(iter(lines[first:]), None)


_MAILBOX = re.compile(r"[^\s<>()\[\]:,;\"']{1,100}@[^\s<>()\[\]:,;\"']{1,100}")


def _with_our_address(conversation: Conversation, lines: Sequence[str]) -> Iterator[int]:
    """Yield the indexes of lines with an address of a seat or a person: whoever knows one can write
    for them."""
    post = conversation.context.post
    assert post is not None
    for i, line in enumerate(lines):
        for found in _MAILBOX.findall(line) if "@" in line else ():
            meant = read_address(post, found.rstrip("."))
            if meant is not None and not isinstance(meant, Public):
                yield i


def _rests(lines: Sequence[str], messages: str) -> Iterator[int]:
    """Yield the indexes of lines that may be the rest of a quoted line above, which a program broke
    where the next word had no room."""
    broken = False  # whether the line above is quoted, or such a rest
    for i, line in enumerate(lines):
        above = lines[i - 1] if i else ""
        if not line.strip():
            broken = False
        elif depth(line):
            words = words_of(line)
            broken = not words or f" {' '.join(words)} " not in messages
        elif broken:
            broken = is_rest(above, line)
            if broken:
                yield i


def _messages(conversation: Conversation, readers: Sequence[str]) -> str:
    """Return the words of the messages that all these readers have got or written themselves; who
    wrote an unsigned one is nobody's to know."""
    tx, match, holder = conversation.tx, conversation.loaded.match, conversation.holder
    its = (match.id, conversation.seat, holder.tenure)
    sent = [*press.messages_of(tx, *its), *(one.sent for one in press.copies(tx, *its))]
    texts = [
        " ".join(one.lines)
        for one in sent
        if {*readers} <= {*one.readers, *(() if one.unsigned else (one.seat,))} and readers
    ]
    return f" {'  '.join(' '.join(words_of(text)) for text in texts)} "


def _in_emails(conversation: Conversation, lines: Sequence[str]) -> frozenset[int]:
    """Return the indexes of lines that stand in a report, by several words in a row or signs of
    them glued together, or there or in an answer of ours as whole lines with squares, codes and the
    like. An answer has words of the person, too, who may send those to others."""
    if not conversation.told:
        conversation.told.append(_words_told(conversation))
    (known,) = conversation.told
    said = [tuple(words_of(line)) for line in lines]
    same = [i for i, words in enumerate(said) if words in known.lines and _tells(words)]
    if len(same) < 2 and not any(sum(map(len, said[i])) >= _LONG for i in same):
        same = []
    glued = [i for i, words in enumerate(said) if any(_is_glued(one, known) for one in words)]
    return ours(lines, known.rows, _ALIKE).union(same, glued)


def _is_glued(word: str, known: WordsTold) -> bool:
    """Return whether a word with digits has signs in a row that stand so in a line of a report."""
    if len(word) < _GLUED or sum(map(str.isdigit, word)) < 2:
        return False
    return not known.glued.isdisjoint(_signs(word))


def _signs(text: str) -> Iterator[str]:
    return (text[at : at + _GLUED] for at in range(len(text) - _GLUED + 1))


def _words_told(conversation: Conversation) -> WordsTold:
    reports = [*_reports(conversation)]
    rows = frozenset(row for text in reports for row in rows_of([text]))
    told = (line for text in (*reports, *_answers(conversation)) for line in text.split("\n"))
    whole = (tuple(words_of(line)) for line in told if not line.lstrip().startswith("|"))
    lines = ("".join(words_of(line)) for text in reports for line in text.split("\n"))
    glued = frozenset(signs for line in lines for signs in _signs(line))
    return WordsTold(rows, frozenset(whole), glued)


def _tells(words: Sequence[str]) -> bool:
    return any(sign.isdigit() for word in words for sign in word)


def turn_answered(conversation: Conversation) -> int | None:
    """Return the turn that the email answers, or the one that waited to be confirmed.

    Return None if it answers nothing that tells of a turn.
    """
    return _turn_of_email(conversation, _ply_answered(conversation))


def ply_answered(conversation: Conversation) -> int | None:
    """Return the ply whose report the email answers, or the last one before it came, if it
    waited to be confirmed and answers none. Return None if it answers none and came just now."""
    ply = _ply_answered(conversation)
    if ply is None and conversation.parked_ply is not None:
        return conversation.parked_ply - 1
    return ply


def is_id_of(conversation: Conversation, message_id: str, told: AnswerableEmail) -> bool:
    """Return whether a Message-ID is that of an email of ours to the talk's seat."""
    post = conversation.context.post
    assert post is not None
    return message_id.strip().lower() in _ids(post, conversation, told)


def _ply_answered(conversation: Conversation) -> int | None:
    if conversation.parked is None:
        return _answered_ply(conversation, conversation.references)
    raw = inbox.one(conversation.tx, conversation.parked).raw
    return _answered_ply(conversation, references_of(raw))


def _turn_of_email(conversation: Conversation, ply: int | None) -> int | None:
    """Return the turn that was to be ordered after that ply; the ply may have been taken back."""
    match = conversation.loaded.match
    if ply is None or ply > match.ply:
        return None
    return match.turn if ply == match.ply else turns.one(conversation.tx, match.id, ply).turn


def _answered_ply(conversation: Conversation, references: Sequence[str]) -> int | None:
    """Return the ply of the newest email of ours to which an email refers."""
    post, match = conversation.context.post, conversation.loaded.match
    assert post is not None
    ours = next((one for one in references if match_of_message_id(post, one) == match.name), None)
    if ours is None:
        own = _own_email(conversation, references)
        return _told_in(conversation, own) if own else None
    for told in outbox.emails_to(conversation.tx, match.id, conversation.seat):
        if ours.lower() in _ids(post, conversation, told):
            return _ply_of_email(told)
    return None


def _ids(post: MailDomain, conversation: Conversation, told: AnswerableEmail) -> set[str]:
    """Return the Message-IDs of an email under each of our keys."""
    match, seat, tenure = (
        conversation.loaded.match.name,
        conversation.seat,
        conversation.holder.tenure,
    )
    posts = (structs.replace(post, keys=(one,)) for one in post.keys)
    ids = (message_id(one, told.key, match, seat, tenure, told.epoch) for one in posts)
    return {one.lower() for one in ids}


def _ply_of_email(told: AnswerableEmail) -> int | None:
    """Return the ply whose report an email answers.

    Reminders, receipts and refusals tell of a turn; notices and press tell of none.
    """
    if not KINDS[told.kind].names_turn:
        return None
    return told.ply - 1 if told.kind == "reminder" else told.ply


def _own_email(conversation: Conversation, references: Sequence[str]) -> OwnEmail | None:
    """Return the newest email from the player's own address to which an email refers."""
    post = conversation.context.post
    assert post is not None
    ids = [one.strip().lower() for one in references if is_plain_message_id(post, one)]
    posts = [structs.replace(post, keys=(one,)) for one in post.keys] if ids else ()
    for own in outbox.own_emails(conversation.tx, conversation.player_id) if ids else ():
        if any(plain_message_id(one, own.key, own.epoch).lower() in ids for one in posts):
            return own
    return None


def _told_in(conversation: Conversation, own: OwnEmail) -> int | None:
    """Return the ply of which an email from a player's own address told in this match."""
    tx, match_id = conversation.tx, conversation.loaded.match.id
    carried = (
        _ply_of_email(told)
        for told in outbox.emails_in_daily(tx, own.id, match_id, conversation.seat)
    )
    plies = [ply for ply in carried if ply is not None]
    if own.answers is not None:
        plies += inbox.plies_of_parts(tx, own.answers, match_id)
    return max(plies, default=None)


def answers_unknown(conversation: Conversation, references: Sequence[str]) -> bool:
    """Return whether an email refers to one from the player's own address that this club never
    sent: a restore has undone it."""
    post = conversation.context.post
    assert post is not None
    if clubs.last_restore(conversation.tx) is None or not references:
        return False
    newest = next((one for one in references if _is_our_id(post, one)), None)
    if newest is None or not is_plain_message_id(post, newest):
        return False
    return _own_email(conversation, [newest]) is None


def _is_our_id(post: MailDomain, reference: str) -> bool:
    return is_plain_message_id(post, reference) or match_of_message_id(post, reference) is not None
