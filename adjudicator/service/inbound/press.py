"""Press: pass on what one seat writes to others, under the seat's name; it is never obeyed."""

from collections.abc import Sequence
from datetime import timedelta

from adjudicator.core.commands import Press
from adjudicator.core.game import spelling_of
from adjudicator.core.match import Seat
from adjudicator.core.message import say
from adjudicator.core.text import printable_lines
from adjudicator.mail.write import subjects
from adjudicator.reports.words import words
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.loaded_match import person, seat_of
from adjudicator.service.inbound.replies import Conversation
from adjudicator.service.outbox import queue
from adjudicator.store import inbox as sent
from adjudicator.store import players

MOST_LINES = 64
MOST_CHARACTERS = 4000
A_DAY = 10  # of one seat
_ALL = frozenset({"all", "alle", "alla"})


def send(conversation: Conversation, press: Press) -> str:
    """Pass the press on, as a whole or not at all; return what its writer is told.

    That shows what is passed on, for quoted lines in it are left out. In a dry run nothing is.
    """
    lines = printable_lines("\n".join(press.lines).strip("\r\n"))
    try:
        readers = _readers(conversation, press)
        _check(conversation, press, lines)
    except Refusal as refusal:
        return "\n".join(
            conversation.words(say("Your message was NOT sent: {why}", why=why))
            for why in refusal.messages
        )
    titles = _titles(conversation, readers)
    if conversation.dry:
        told = say("Your message to {seats} would be sent.", seats=titles)
        return f"{conversation.words(told)}\n\n{_barred(lines)}"
    match = conversation.loaded.match
    sent.insert_press(
        conversation.tx,
        match.id,
        ply=match.ply,
        seat=conversation.seat,
        letter_id=conversation.letter_id,
        sent_at=conversation.now,
    )
    for reader in readers:
        _pass_on(conversation, reader, readers, lines)
    told = say("Your message to {seats} was sent.", seats=titles)
    return f"{conversation.words(told)}\n\n{_barred(lines)}"


def _readers(conversation: Conversation, press: Press) -> list[Seat]:
    """Return the seats that it is for, in the rule book's order. Raises Refusal."""
    loaded = conversation.loaded
    others = [seat for seat in loaded.seats if seat != conversation.seat]
    if set(press.to) <= _ALL:
        readers = [seat for seat in others if loaded.holders[seat].player_id is not None]
        if not readers:
            raise Refusal(say("{match} has no other human player", match=loaded.match.name))
        return readers
    named = {seat_of(loaded.game, word) for word in press.to}
    for seat in sorted(named):
        if seat == conversation.seat:
            raise Refusal(say("you cannot send it to yourself"))
        if seat not in loaded.holders or loaded.holders[seat].player_id is None:
            title = loaded.game.seat_titles[seat]
            raise Refusal(say("{seat} has no human player", seat=title))
    return [seat for seat in others if seat in named]


def _check(conversation: Conversation, press: Press, lines: Sequence[str]) -> None:
    """Raise Refusal if the press may not be passed on."""
    match = conversation.loaded.match
    if match.options.get("press", "on") == "off":
        raise Refusal(say("messages are turned off in this match"))
    if _is_muted(conversation):
        raise Refusal(say("the game master does not pass on your messages"))
    if not press.ended:
        raise Refusal(say("ENDPRESS is missing; add a line that says ENDPRESS"))
    if not any(lines):
        raise Refusal(say("it has no text"))
    if len(lines) > MOST_LINES or sum(map(len, lines)) > MOST_CHARACTERS:
        raise Refusal(
            say(
                "it is too long; write at most {lines} lines and {characters} characters",
                lines=MOST_LINES,
                characters=MOST_CHARACTERS,
            )
        )
    if (
        sent.press_since(
            conversation.tx, match.id, conversation.seat, conversation.now - timedelta(days=1)
        )
        >= A_DAY
    ):
        raise Refusal(say("you have sent {n} in the last day; try again tomorrow", n=A_DAY))


def _is_muted(conversation: Conversation) -> bool:
    player_id = conversation.holder.player_id
    return player_id is not None and players.one(conversation.tx, player_id).muted_at is not None


def _pass_on(
    conversation: Conversation, reader: Seat, readers: Sequence[Seat], lines: Sequence[str]
) -> None:
    loaded = conversation.loaded
    tell = words(loaded.holders[reader].language, loaded.match.game)
    titles = loaded.game.seat_titles
    subject = subjects.press(loaded.match.name, person(loaded, conversation.seat))
    head = say(
        "{seat} writes to {seats}:",
        seat=person(loaded, conversation.seat),
        seats=", ".join(tell(titles[seat]) for seat in readers),
    )
    hint = say(
        "To reply: PRESS TO {seat}, your lines, ENDPRESS, each on its own line.",
        seat=spelling_of(loaded.game, tell)(conversation.seat),
    )
    body = {"subject": subject, "text": f"{tell(head)}\n\n{_barred(lines)}\n\n{tell(hint)}\n"}
    queue.queue_press(
        conversation.tx,
        loaded,
        reader,
        {**body, "answers": None},
        now=conversation.now,
        context=conversation.context,
    )


def _barred(lines: Sequence[str]) -> str:
    """Put a bar before each line, so that nothing in it is taken for our words, or for orders."""
    return "\n".join(f"| {line}".rstrip() for line in lines)


def _titles(conversation: Conversation, seats: Sequence[Seat]) -> str:
    return ", ".join(
        conversation.words(conversation.loaded.game.seat_titles[seat]) for seat in seats
    )
