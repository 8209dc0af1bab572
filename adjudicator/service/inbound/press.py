"""Press: pass on what one seat writes to others; it is never obeyed (club, section 10).

What comes for `MASTER` goes to the operator, and so does a message about which its reader
complains.
"""

from collections.abc import Sequence
from datetime import timedelta

from msgspec import structs

from adjudicator.core.commands import Command, Press
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Value, listed, say
from adjudicator.core.orders import shown
from adjudicator.core.text import folded_address, printable_lines
from adjudicator.mail.read.quoting import depth
from adjudicator.mail.write import subjects
from adjudicator.service.base.context import Refusal, Session
from adjudicator.service.base.loaded_match import person, seat_of
from adjudicator.service.base.options import UNSIGNED_PEOPLE
from adjudicator.service.emails.paragraphs import Paragraphs, Told, paragraph
from adjudicator.service.emails.wording import cut
from adjudicator.service.inbound import own_words
from adjudicator.service.inbound.conversation import Conversation
from adjudicator.service.inbound.replies import Done
from adjudicator.service.matches.passing_on import pass_on, quote_with_bars
from adjudicator.service.outbox.queue import alert
from adjudicator.store import players
from adjudicator.store import press as rows
from adjudicator.store.press import PressCopy

MOST_LINES = 64
MOST_CHARACTERS = 4000
MOST_SEEN = 1000  # lines of a message, with those that are left out
MOST_BACK = 16_000  # bytes of a message that is given back: four times what one may have
A_DAY = 10  # of one seat
_ALL = frozenset({"all", "alle", "alla"})
_MASTER = frozenset({"master", "spilleder", "spelledare"})
_UNSIGNED = frozenset({"unsigned", "usignert", "osignerat"})
_OFF = frozenset({"off", "av"})


def send(conversation: Conversation, asked: Press) -> Done:
    """Pass the press on, as a whole or not at all; return what its writer is told.

    That shows what is passed on, for quoted lines in it are left out, or else all that was written,
    so that nothing is lost. In a dry run nothing is passed on.
    """
    lines = _own_lines(asked)
    unsigned = asked.to[-1] in _UNSIGNED
    to = asked.to[:-1] if unsigned else asked.to
    master = bool({*to} & _MASTER)
    try:
        if master:
            _check_to_master(conversation, to, unsigned=unsigned)
        readers = [] if master else _readers(conversation, to, unsigned=unsigned)
        _check(conversation, asked, lines, readers, master=master)
    except Refusal as refusal:
        return Done(_given_back(refusal, asked), "unsent")
    match = conversation.loaded.match.name
    titles: Value = say("the game master") if master else _titles(conversation, readers)
    if conversation.dry:
        told = say("Your message to {seats} would be sent.", seats=titles)
        return Done((*paragraph(told), *paragraph(*quote_with_bars(lines).split("\n"))), "shown")
    told = _send(conversation, lines, readers, titles, master=master, unsigned=unsigned)
    shows = (*paragraph(told), *paragraph(*quote_with_bars(lines).split("\n")))
    return Done(shows, "sent", subject=subjects.message_sent(match, titles))


def _own_lines(asked: Press) -> Sequence[str]:
    """Return what a message says, without the lines that its writer has quoted."""
    own: list[str] = []
    is_below = False  # a line that was left out
    for line in asked.lines:
        if depth(line):
            is_below = True
        elif line.strip() or not (is_below and own and not own[-1].strip()):
            own += [""] if is_below and own and own[-1].strip() and line.strip() else []
            own.append(line)
            is_below = is_below and not line.strip()
    return printable_lines("\n".join(own).strip("\r\n"))


def _given_back(refusal: Refusal, asked: Press) -> Paragraphs:
    """Say why a message was not sent, and give its words back."""
    told: list[Told] = [
        say("Your message was NOT sent: {why}", why=why) for why in refusal.messages
    ]
    lines = printable_lines("\n".join(asked.lines).strip("\r\n"))
    if any(lines):
        back, left_out = cut(quote_with_bars(lines), MOST_BACK)
        told += ["", say("This is what you wrote:"), "", *back, *([left_out] if left_out else [])]
    return paragraph(*told)


def _send(
    conversation: Conversation,
    lines: Sequence[str],
    readers: Sequence[Seat],
    titles: Value,
    *,
    master: bool,
    unsigned: bool,
) -> Message:
    loaded, tx, now = conversation.loaded, conversation.tx, conversation.now
    match = loaded.match
    waits = match.options.get("press_when") == "report" and match.status != "over" and not master
    sent = rows.insert(
        tx,
        match.id,
        seat=conversation.seat,
        tenure=conversation.holder.tenure,
        ply=match.ply,
        readers={seat: loaded.holders[seat].tenure for seat in readers},
        lines=lines,
        unsigned=unsigned,
        letter_id=conversation.letter_id,
        sent_at=now,
        told_at=None if waits else now,
    )
    if master:
        _tell_operator(
            conversation,
            f"press/{sent.id}",
            say(
                "{seat} in {match} writes to you:\n\n{text}",
                seat=loaded.game.seat_titles[conversation.seat],
                match=match.name,
                text=quote_with_bars(lines),
            ),
        )
        if conversation.holder.hidden:
            return say(
                "Your message was sent to the game master, unless the game master plays in this "
                "match. adjud does not say which, because names are hidden."
            )
    elif waits:
        return say("Your message to {seats} will be sent with the next report.", seats=titles)
    else:
        pass_on(Session(tx, now, conversation.context), loaded, sent)
    return say("Your message to {seats} was sent.", seats=titles)


def _readers(conversation: Conversation, to: Sequence[str], *, unsigned: bool) -> list[Seat]:
    """Return the seats that it is for, in the rule book's order. Raises Refusal."""
    loaded = conversation.loaded
    others = [seat for seat in loaded.seats if seat != conversation.seat]
    to_all = set(to) <= _ALL and bool(to)
    agreed = loaded.match.options.get("press", "on")
    if agreed == "off":
        raise Refusal(say("messages are turned off in this match"))
    if unsigned and agreed != "unsigned":
        raise Refusal(say("in this match every message names its writer; leave out UNSIGNED"))
    if agreed == "all" and not to_all:
        raise Refusal(say("in this match messages go to everyone; write PRESS TO ALL"))
    if unsigned and not to:
        raise Refusal(say("it is for nobody; write PRESS TO a seat UNSIGNED"))
    people = [seat for seat in loaded.seats if loaded.holders[seat].player_id is not None]
    if unsigned and len(people) < UNSIGNED_PEOPLE:
        raise Refusal(
            say("the reader would know who wrote; too few human players are in this match")
        )
    if to_all:
        readers = [seat for seat in others if seat in people]
        if not readers:
            raise Refusal(say("{match} has no other human player", match=loaded.match.name))
        return people if unsigned else readers  # else the one without a copy would be its writer
    named = {seat_of(loaded.game, word) for word in to}
    for seat in sorted(named):
        if seat == conversation.seat:
            raise Refusal(say("you cannot send it to yourself"))
        if seat not in people:
            title = loaded.game.seat_titles[seat]
            raise Refusal(say("{seat} has no human player", seat=title))
    if unsigned and len(people) - len(named) < UNSIGNED_PEOPLE - 1:
        raise Refusal(
            say("its readers would know who wrote; write to fewer seats, or PRESS TO ALL UNSIGNED")
        )
    return [seat for seat in others if seat in named]


def _check(
    conversation: Conversation,
    asked: Press,
    lines: Sequence[str],
    readers: Sequence[Seat],
    *,
    master: bool,
) -> None:
    """Raise Refusal if the press may not be passed on."""
    match = conversation.loaded.match
    if not master and _is_muted(conversation):
        raise Refusal(say("the game master does not pass on your messages"))
    if not asked.ended:
        raise Refusal(
            say(
                "ENDPRESS is missing; add a line that says ENDPRESS right below your message, "
                "above anything that you quote"
            )
        )
    if not any(lines):
        raise Refusal(say("it has no text"))
    # What is far too long is not looked through.
    seen = asked.lines if len(asked.lines) <= MOST_SEEN else ()
    if ours := own_words.doubtful(conversation, seen, readers):
        raise Refusal(
            say(
                "'{seen}' may be part of an email from adjud to you, and others could learn from "
                "it what only you may know. Remove everything that you quoted, and send your "
                "message again.",
                seen=shown(ours[0]),
            )
        )
    if len(lines) > MOST_LINES or sum(map(len, lines)) > MOST_CHARACTERS:
        raise Refusal(
            say(
                "it is too long; write at most {lines} lines and {characters} characters",
                lines=MOST_LINES,
                characters=MOST_CHARACTERS,
            )
        )
    a_day_ago = conversation.now - timedelta(days=1)
    if rows.since(conversation.tx, match.id, conversation.seat, a_day_ago) >= A_DAY:
        raise Refusal(say("you have sent {n} in the last day; try again tomorrow", n=A_DAY))


def _is_muted(conversation: Conversation) -> bool:
    player_id = conversation.holder.player_id
    return player_id is not None and players.one(conversation.tx, player_id).muted_at is not None


def _titles(conversation: Conversation, seats: Sequence[Seat]) -> Value:
    titles = conversation.loaded.game.seat_titles
    others = [titles[seat] for seat in seats if seat != conversation.seat]
    return listed(others) if others else ""


# What goes to the game master.


def _check_to_master(conversation: Conversation, to: Sequence[str], *, unsigned: bool) -> None:
    if not {*to} <= _MASTER:
        raise Refusal(say("a message to the game master goes to nobody else"))
    if unsigned:
        raise Refusal(say("a message to the game master names its writer"))
    _refuse_playing_master(conversation)


def _refuse_playing_master(conversation: Conversation) -> None:
    """Raise Refusal if nobody reads what is for the game master, or a player of the match does and
    that may be told: where names are hidden it would say who one of the others is."""
    if not conversation.context.operator:
        raise Refusal(say("this club has no address of a game master"))
    if _master_plays(conversation) and not conversation.holder.hidden:
        raise Refusal(say("the game master plays in this match"))


def _master_plays(conversation: Conversation) -> bool:
    operator = folded_address(conversation.context.operator)
    holders = conversation.loaded.holders.values()
    return any(folded_address(one.address or "") == operator for one in holders)


def _tell_operator(conversation: Conversation, about: str, told: Message) -> None:
    """Tell the operator what is for the game master, unless it would be told to a player."""
    if _master_plays(conversation):
        return
    alert(conversation, told, about, once="ever", match=conversation.loaded.match)


def complain(conversation: Conversation, command: Command) -> Message:
    """Send a message that the seat's holder got to the operator, with its writer's name; the answer
    does not tell that."""
    _refuse_playing_master(conversation)
    copy = _copy(conversation, int(command.argument))
    told = _complaint(conversation, copy)
    about = f"complaint/{conversation.loaded.match.id}/{conversation.seat}/"
    about += f"{conversation.holder.tenure}/{copy.number}"
    _tell_operator(conversation, about, told)
    if conversation.holder.hidden:
        return say(
            "Message {n} was sent to the game master, unless the game master plays in this match. "
            "adjud does not say which, because names are hidden.",
            n=copy.number,
        )
    return say("Message {n} was sent to the game master.", n=copy.number)


def _copy(conversation: Conversation, number: int) -> PressCopy:
    match, holder = conversation.loaded.match, conversation.holder
    found = rows.copies(conversation.tx, match.id, conversation.seat, holder.tenure)
    for one in found:
        if one.number == number:
            return one
    if not found:
        raise Refusal(say("You have received no messages in {match}.", match=match.name))
    raise Refusal(
        say("You have no message {n}; the last one is {last}.", n=number, last=found[-1].number)
    )


def _complaint(conversation: Conversation, copy: PressCopy) -> Message:
    loaded, sent = conversation.loaded, copy.sent
    holder = structs.replace(loaded.holders[sent.seat], hidden=False)
    named = structs.replace(loaded, holders={**loaded.holders, sent.seat: holder})
    writer: Value = person(named, sent.seat)
    if loaded.holders[sent.seat].tenure != sent.tenure:
        writer = say("{seat} (a former player)", seat=loaded.game.seat_titles[sent.seat])
    return say(
        "{reader} in {match} complains about message {n}, which {writer} wrote:\n\n{text}",
        reader=loaded.game.seat_titles[conversation.seat],
        match=loaded.match.name,
        n=copy.number,
        writer=writer,
        text=quote_with_bars(sent.lines),
    )


def mute(conversation: Conversation, command: Command) -> Message:
    """Stop the messages and invitations of a seat's holder, or unsigned messages, or let them come
    again; nobody else is told."""
    words = command.argument.split()
    off = len(words) > 1 and words[-1].casefold() in _OFF
    loaded = conversation.loaded
    what, other_id = _sender_to_mute(conversation, words[0].casefold())
    player_id, match_id = conversation.player_id, loaded.match.id
    changed = rows.mute(conversation.tx, player_id, match_id, other_id, off=off)
    if off and changed:
        return say("Messages from {seat} come again.", seat=what)
    if off:
        return say("You had not muted {seat}.", seat=what)
    return say("Messages from {seat} no longer come to you.", seat=what)


def _sender_to_mute(conversation: Conversation, word: str) -> tuple[Value, int | None]:
    """Return who is meant, and his player; None for unsigned messages. Raises Refusal."""
    loaded = conversation.loaded
    if word in _UNSIGNED:
        return say("unsigned writers"), None
    seat = seat_of(loaded.game, word)
    if seat == conversation.seat:
        raise Refusal(say("You cannot mute yourself."))
    title = loaded.game.seat_titles[seat]
    if seat not in loaded.holders or loaded.holders[seat].player_id is None:
        raise Refusal(say("{seat} has no human player", seat=title))
    return title, loaded.holders[seat].player_id
