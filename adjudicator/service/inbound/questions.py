"""An email of words alone: its writer is told how things stand, and the game master his question.

A question goes on only if it was surely written by the player and holds neither orders nor
commands, and never to somebody who plays in that match himself: he would learn what he may not
know. Questions gather into one email a day. Which of them are in it is decided again when it is
written, because its reader may have joined a match by then.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from msgspec.json import decode, encode

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, both, say
from adjudicator.core.orders import Line, clean, folded, shown
from adjudicator.core.text import first_strange, mailbox_of
from adjudicator.service.base.context import Context, Session, reach_game_master
from adjudicator.service.base.loaded_match import MatchSession, Unreadable, gather
from adjudicator.service.emails.paragraphs import Paragraphs, each, paragraph, sentence
from adjudicator.service.emails.wording import MOST_ANSWER
from adjudicator.service.inbound import codes, own_words
from adjudicator.service.inbound.conversation import (
    Conversation,
    Question,
    is_awaited,
    may_order,
    status_lines,
)
from adjudicator.service.outbox.queue import post
from adjudicator.store import matches, outbox, players
from adjudicator.store.database import Tx
from adjudicator.store.outbox import OF_QUESTIONS
from adjudicator.store.players import Player

_A_DAY = timedelta(days=1)
_MOST = 20  # questions of a player in an email
_MOST_LINES, _LONGEST_LINE = 40, 400  # of a question
_MOST_OF_EXAMPLE = 4  # lines


def answer_question(
    conversation: Conversation, lines: Sequence[Line], passed: Message | None
) -> Paragraphs:
    """Return the paragraphs of an answer for a person; `passed` says whether his words go on."""
    hello = say(
        "Hello! This is adjud, the program that runs your match. It found no orders and no "
        "command in your email, so nothing has changed."
    )
    unconfirmed = say(
        "Nothing is confirmed either. If you meant to confirm something, reply with its "
        "line from the list below."
    )
    waits = codes.current(conversation)
    return (
        *each([hello, first_strange(lines), unconfirmed if waits else None]),
        *answers_to(conversation, lines),
        *paragraph(*status_lines(conversation)),
        *how_to_order(conversation),
        *paragraph(sentence(passed, reach_game_master(conversation.context))),
    )


def answers_to(conversation: Conversation, lines: Sequence[Line]) -> Paragraphs:
    """Return what adjud can say of what a question names: where it can go, as its writer sees
    it."""
    loaded, seat = conversation.loaded, conversation.seat
    if not is_awaited(conversation) or not any("?" in line.text for line in lines):
        return ()
    view = loaded.game.sight.observe(loaded.state, seat)
    asked = "\n".join(folded(line.text) for line in lines[:_MOST_LINES])
    return paragraph(*loaded.game.orders.reach(view, asked))


def how_to_order(conversation: Conversation) -> Paragraphs:
    """Return how to move, with orders that are legal now as an example."""
    loaded = conversation.loaded
    if may_order(conversation):
        view = loaded.game.sight.observe(loaded.state, conversation.seat)
        lines = conversation.spelled.all(loaded.game.orders.example(view))
        if lines and len(lines) <= _MOST_OF_EXAMPLE:
            told = say(
                "To move, reply with your orders, each on a line of its own above the quoted text. "
                "These, for example, are allowed now: {orders}",
                orders="; ".join(lines),
            )
            return each([told, say("Send HELP for all the commands.")])
    return paragraph(
        say(
            "Before ORDERS and after END you may write what you like. Send HELP for all the "
            "commands."
        )
    )


def question(
    conversation: Conversation, lines: Sequence[Line]
) -> tuple[Message | None, Question | None]:
    """Return what is to be passed on, if anything is, and say so to its writer; say nothing if
    nobody would get it."""
    context, match = conversation.context, conversation.loaded.match
    if not (context.contact or context.operator) or not conversation.on_file:
        return None, None
    if not _asks(lines, codes.current(conversation)):
        return None, None
    plays = _plays(conversation.tx, match.name, (context.contact, context.operator))
    if plays and not conversation.holder.hidden:
        told = say(
            "Your email was NOT passed on, because the game master plays in this match. If you "
            "write to the game master, do not reveal what others may not know."
        )
        return told, None
    own, below = own_words.above_ours([conversation], lines)
    if not _says_something(own):
        return None, None
    asked = Question(
        match.name,
        str(conversation.loaded.game.seat_titles[conversation.seat]),
        conversation.holder.player_name or "",
        conversation.address,
        tuple(_words(context, own)),
    )
    if not conversation.holder.hidden:
        return _question_passed_on(conversation.tx, asked, below)
    # The same words whoever plays, and no limit but that of emails: either would tell of others.
    told = say(
        "Your email was passed on to the game master, unless the game master plays in this match. "
        "adjud does not say which, because names are hidden. If you write to the game master, do "
        "not reveal what others may not know."
    )
    return _with_the_end(told, below), None if plays else asked


def question_of_person(
    s: Session,
    player: Player,
    lines: Sequence[Line],
    codes: Sequence[str],
    references: Sequence[str] = (),
) -> tuple[Message | None, Question | None]:
    """Return what is to be passed on of a player's words that are of no match, as `question`
    does; nothing if one of their matches cannot be read, for then nobody knows its reports.
    `references` are the emails that theirs answers."""
    context = s.context
    if not (context.contact or context.operator) or not _asks(lines, codes):
        return None, None
    if _may_play_with(s.tx, player.id, (context.contact, context.operator)):
        told = say(
            "Your email was NOT passed on to the game master, who may play in one of your matches. "
            "If you write to the game master, do not reveal what others may not know."
        )
        return told, None
    try:
        own, below = own_words.above_ours([*_seats_of(s, player, references)], lines)
    except Unreadable:
        return None, None
    if not _says_something(own):
        return None, None
    asked = Question("", "", player.name, player.address, tuple(_words(context, own)))
    return _question_passed_on(s.tx, asked, below)


def _seats_of(s: Session, player: Player, references: Sequence[str]) -> Iterator[Conversation]:
    """Yield the conversation of each seat that a player holds; raises Unreadable."""
    for match_id, name in matches.seats_of_player(s.tx, player.id).items():
        match = matches.find(s.tx, name)
        if match is None or not match.is_opened:
            continue
        session = MatchSession(s.tx, gather(s.tx, match), s.now)
        for seat, holder in matches.holders(s.tx, match_id).items():
            if holder.player_id == player.id:
                yield Conversation(
                    s.tx,
                    s.now,
                    s.context,
                    session=session,
                    seat=Seat(seat),
                    letter_id=0,
                    references=tuple(references),
                )


def _question_passed_on(
    tx: Tx, asked: Question, below: Line | None
) -> tuple[Message, Question | None]:
    """Return the question that goes on and what its writer is told, unless he has asked too much.
    From the line `below` on, his email may be ours."""
    waiting = [one for _, some in _of_the_day(tx) for one in some]
    # Only his own are counted: no answer may tell how many emails of others came. Nor may one
    # tell whether those of a match with hidden names are among them.
    own = [one["match"] for one in waiting if one["address"] == asked.address]
    hidden = matches.hiding_names(tx) if len(own) >= _MOST else ()
    if sum(name not in hidden for name in own) >= _MOST:
        told = say(
            "Your email was NOT passed on to the game master, because you have asked so much "
            "today. Please ask again tomorrow."
        )
        return told, None
    return _with_the_end(say("Your email was passed on to the game master."), below), asked


def _with_the_end(told: Message, below: Line | None) -> Message:
    """Say from which line on nothing was passed on, if there is such a line."""
    if below is None:
        return told
    cut = say(
        "Nothing from '{line}' on was passed on, because that line may be part of an email from "
        "adjud to you.",
        line=shown(below.text),
    )
    return both(told, cut)


def _says_something(lines: Sequence[Line]) -> bool:
    return any(map(str.isalnum, "".join(line.text for line in lines)))


def _asks(lines: Sequence[Line], waits: Sequence[str]) -> bool:
    """Return whether there are words, more than an answer to a code of ours, and none such in
    them."""
    text = " ".join(line.text for line in lines).upper()
    if not waits:
        return _says_something(lines)
    return "?" in text and not any(code in text for code in waits)


def _words(context: Context, lines: Sequence[Line]) -> Sequence[str]:
    """Return the words of a question, without lines that hold an address of ours: who knows that of
    a seat can write for it."""
    post = context.post
    assert post is not None
    own = f"@{post.domain}".lower()
    said = [line for line in lines if clean(line.text) and own not in line.text.lower()]
    return [shown(line.text, _LONGEST_LINE) for line in said[:_MOST_LINES]]


def _of_the_day(tx: Tx) -> Sequence[tuple[int, Sequence[Any]]]:
    """Return the emails of the day that have not gone out yet, with the questions in them."""
    return [
        (id_, decode(body)["questions"]) for id_, body in outbox.all_to_render(tx, OF_QUESTIONS)
    ]


def pass_on_question(s: Session, asked: Question) -> None:
    """Add a question to the email of the day, or to a further one if that would be too long."""
    to = s.context.contact or s.context.operator
    for letter_id, waiting in _of_the_day(s.tx)[-1:]:
        body = encode({"to": to, "questions": [*waiting, asked]}).decode()
        if len(body) <= MOST_ANSWER:
            outbox.update(s.tx, letter_id, body=body)
            return
    last = outbox.last_time(s.tx, OF_QUESTIONS)
    email = outbox.OutgoingEmail(
        key=f"{OF_QUESTIONS}{outbox.count(s.tx, OF_QUESTIONS) + 1}",
        kind="alert",
        body={"to": to, "questions": [asked]},
        not_before=last + _A_DAY if last and last + _A_DAY > s.now else None,
    )
    post(s, email)


def _plays(tx: Tx, name: str, addresses: Sequence[str]) -> bool:
    """Return whether one of the addresses is on file for a player of the match."""
    match = matches.find(tx, name)
    if match is None:
        return True
    theirs = {mailbox_of(address) for address in addresses if address}
    holders = matches.holders(tx, match.id).values()
    return any(mailbox_of(one.address) in theirs for one in holders if one.player_id is not None)


def _may_play_with(tx: Tx, player_id: int, addresses: Sequence[str]) -> bool:
    """Return whether one of the addresses is on file for a player of a match in which that player
    has a seat, or may be: the names of some matches are hidden."""
    names = matches.seats_of_player(tx, player_id).values()
    hidden = matches.hiding_names(tx)
    return any(name in hidden or _plays(tx, name, addresses) for name in names)


def _is_kept_from(tx: Tx, asked: Question, addresses: Sequence[str]) -> bool:
    """Return whether a question may not be read at these addresses any more."""
    if asked.match:
        return _plays(tx, asked.match, addresses)
    player = players.at(tx, asked.address)
    return player is None or _may_play_with(tx, player.id, addresses)


def digest_of_questions(
    tx: Tx, body: Mapping[str, Any], context: Context
) -> tuple[Paragraphs, str | None]:
    """Return what the email of the day says, and to whom an answer goes, if to one player."""
    asked = [Question(**one) for one in body["questions"]]
    people = (str(body["to"]), context.contact, context.operator)
    asked = [one for one in asked if not _is_kept_from(tx, one, people)]
    told = say(
        "Players of your club wrote this in their own words. adjud replied with the current "
        "position and what to write."
    )
    parts = paragraph(told)
    for one in asked:
        who = (
            say(
                "{name} <{address}>, {seat} in {match}:",
                name=one.name,
                address=one.address,
                seat=one.seat,
                match=one.match,
            )
            if one.match
            else say("{name} <{address}>:", name=one.name, address=one.address)
        )
        parts += (*paragraph(who), *paragraph(*(f"  | {line}" for line in one.lines)))
    if len(asked) < len(body["questions"]):
        parts += paragraph(say("Questions in matches that you play yourself are not shown."))
    only = {one.address for one in asked}
    reply_to = next(iter(only)) if len(only) == 1 else None
    if len(only) > 1:
        parts += paragraph(say("Write to each of them; a reply to this email reaches nobody."))
    return parts, reply_to
