"""Keep what waits to be confirmed by a code (emails, section 3).

A code cannot be found by trying: only one in each email counts, and after a few wrong ones nothing
waits any more.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice

from msgspec import Struct, structs

from adjudicator.core.command_table import WORDS
from adjudicator.core.commands import Command, code_of
from adjudicator.core.consent import consent
from adjudicator.core.match import Seat
from adjudicator.core.match_parts import split
from adjudicator.core.message import Message, both, listed, say
from adjudicator.core.orders import Line, shown, split_lines
from adjudicator.core.text import folded_address
from adjudicator.games import GAMES
from adjudicator.service.base.calendar import OF_ADDRESS
from adjudicator.service.base.context import Refusal, Session
from adjudicator.service.base.deadlines import ply_of, takes_advance
from adjudicator.service.base.loaded_match import (
    Loaded,
    Seated,
    Unreadable,
    gather,
    load_going,
    seat_of,
)
from adjudicator.service.base.reliability import refuse_unreliable
from adjudicator.service.club import names, people
from adjudicator.service.competition import by_email
from adjudicator.service.emails.paragraphs import Paragraphs, paragraph
from adjudicator.service.inbound.conversation import Conversation
from adjudicator.service.inbound.parsed_email import (
    MOST_ASKED,
    EmailContent,
    ParsedEmail,
    content_of,
    parses,
)
from adjudicator.service.matches import seating
from adjudicator.service.outbox import queue
from adjudicator.store import listings, matches, pending, players, rows
from adjudicator.store.database import Tx
from adjudicator.store.pending import Parked, WaitingText
from adjudicator.store.players import Joining

MOST_WAITING = 5  # of a seat's emails from its address on file; as many from elsewhere
TRIES = 5  # wrong codes, then what waits is void
_UNTOLD = frozenset({"RESIGN", "CONFIRM", "MATCH"})  # are told in other words


def park(conversation: Conversation, text: str) -> tuple[str, bool]:
    """Park a text; return the code that confirms it, and whether something older was dropped for
    it."""
    code, match_id = conversation.context.coder(), conversation.loaded.match.id
    rows.add(
        conversation.tx,
        Parked,
        match_id=match_id,
        seat=conversation.seat,
        tenure=conversation.holder.tenure,
        letter_id=conversation.letter_id,
        code=code,
        text=text,
        created_at=conversation.now,
        on_file=int(conversation.on_file),
        ply=conversation.loaded.match.ply + 1,
        status="waiting",
    )
    fell = pending.drop_older(
        conversation.tx,
        match_id,
        conversation.seat,
        on_file=conversation.on_file,
        most=MOST_WAITING,
    )
    return code, fell


def claim(conversation: Conversation, code: str) -> Parked | None:
    """Return what waited under a code; from now on it waits no longer."""
    parked = pending.find(
        conversation.tx,
        conversation.loaded.match.id,
        conversation.seat,
        conversation.holder.tenure,
        code,
    )
    if parked is not None:
        rows.change(conversation.tx, Parked, parked.id, status="confirmed")
    return parked


def is_current(loaded: Loaded, seat: Seat, parked: Parked | WaitingText) -> bool:
    """Return whether what waits can still be confirmed: no turn was adjudicated since it came, or
    it is for one that is still to be."""
    if parked.ply in (None, loaded.match.ply + 1):
        return True
    return _is_still_to_come(loaded, seat, content_of(parked.text))


def _is_still_to_come(loaded: Loaded, seat: Seat, content: EmailContent) -> bool:
    """Return whether there are sheets alone that name their turns, and one of these is to be
    ordered yet. Those that name an earlier one are refused each by itself."""
    heads = [raw.head for raw in content.reading.sheets]
    if not heads or content.commands or content.presses or not takes_advance(loaded):
        return False
    turns = [head.turn if head else None for head in heads]
    named = [turn for turn in turns if turn is not None]
    if len(named) < len(turns):
        return False
    return any(ply_of(loaded, seat, turn) >= loaded.match.ply + 1 for turn in named)


def with_code_alone(conversation: Conversation, content: EmailContent) -> EmailContent:
    """Return the email with a code that stands alone as a command, if one was sent to its seat's
    holder; what reads as an order is none."""
    joins = seat_asked_for(conversation.tx, conversation.address, conversation.now)
    lengths = {*map(len, (*current(conversation), *([joins.code] if joins else [])))}
    # To read a line as orders takes long, and thousands of lines may look like codes.
    alike = islice((one for one in content.codes_alone if len(one.argument) in lengths), MOST_ASKED)
    told = tuple(one for one in alike if not parses(conversation.loaded.game, [one.line]))
    return structs.replace(content, codes_alone=told).confirming(lengths)


def count_wrong_code(conversation: Conversation, code: str) -> None:
    """Count a wrong code; the last one that is allowed makes void what waits, and the holder is
    told."""
    match, seat = conversation.loaded.match, conversation.seat
    if rows.has(conversation.tx, Parked, match_id=match.id, seat=seat, code=code):
        return
    if pending.count_wrong_code(conversation.tx, match.id, seat, TRIES):
        told = say(
            "Too many wrong codes came for your seat in {match}, so nothing is waiting for "
            "confirmation any more. If you still had something to confirm, send it again.",
            match=match.name,
        )
        body = {"told": told}
        queue.queue_notices(conversation, conversation.loaded, [conversation.seat], body)


def nothing_under(tx: Tx, player_id: int, code: str) -> Message:
    """Say that a code confirms nothing, and why if a resignation waited under it."""
    match = pending.match_of_code(tx, player_id, code.upper())
    if match is None:
        return say("There is nothing to confirm with the code {code}.", code=code)
    return say(
        "There is nothing to confirm with the code {code}: you have sent orders since you asked to "
        "resign. You have not resigned from {match}.",
        code=code,
        match=match,
    )


def current(conversation: Conversation) -> list[str]:
    """Return the codes of all that waits and can still be confirmed, the oldest first."""
    return [one.code for one in waiting(conversation)]


def waiting(conversation: Conversation) -> list[WaitingText]:
    """Return all that waits and can still be confirmed, the oldest first."""
    loaded, holder = conversation.loaded, conversation.holder
    found = pending.waiting(conversation.tx, loaded.match.id, conversation.seat, holder.tenure)
    return [one for one in found if is_current(loaded, conversation.seat, one)]


def waiting_of_player(tx: Tx, player_id: int) -> list[WaitingText]:
    """Return all that waits for the seats of a player and can still be confirmed."""
    found = pending.waiting_of_player(tx, player_id)
    loaded = {name: _readable(tx, name) for name in {one.match for one in found}}
    return [
        one
        for one in found
        if (match := loaded[one.match]) and is_current(match, Seat(one.seat), one)
    ]


def _readable(tx: Tx, name: str) -> Loaded | None:
    match = matches.find(tx, name)
    assert match is not None
    try:
        return gather(tx, match)
    except Unreadable:
        return None


def tell_waiting(conversation: Conversation, most: int = MOST_WAITING) -> Paragraphs:
    """List the newest codes of what waits to be confirmed, and say what each of them does; tell
    that of a seat asked for, too."""
    told = listed_codes(waiting(conversation)[-most:])
    if joins := seat_asked_for(conversation.tx, conversation.address, conversation.now):
        told += paragraph(code_to_join(joins))
    return told


def listed_codes(waiting: Sequence[WaitingText]) -> Paragraphs:
    """Return the paragraphs that list codes, each with what it confirms; none if there are none."""
    if not waiting:
        return ()
    return (
        *paragraph(say("Waiting for you to confirm:")),
        *paragraph(*(_confirming(one.code) for one in waiting)),
        *paragraph(*map(_message_of_code, waiting)),
    )


def _confirming(code: str) -> Message:
    """Return the line that confirms what waits under a code."""
    return Message("{word} {code}", {"word": WORDS["CONFIRM"], "code": code})


def _message_of_code(one: WaitingText) -> Message:
    """Say what a code confirms, and how to play on without it."""
    if not one.match:
        return say("{code}: {what}.", code=one.code, what=_parts_in_words(requests_in(one.text)))
    content = content_of(one.text)
    parts = [*_parts(content)]
    if "RESIGN" not in content.words:
        what = _parts_in_words(parts)
        return say("{code}: {what} in {match}.", code=one.code, what=what, match=one.match)
    told = say(
        "{code}: you resign from {match}. To play on, send orders: once they are accepted, or the "
        "turn is played, this code does nothing.",
        code=one.code,
        match=one.match,
    )
    return both(told, say("It also brings: {what}.", what=listed(parts))) if parts else told


def _parts_in_words(parts: Sequence[Message]) -> Message:
    return listed(parts) if parts else say("your email")


def requests_in(text: str) -> list[Message]:
    """Return what a text to a personal address asks for: of its writer's own, and match by
    match."""
    said = split(text)
    told = [*_parts(content_of(said.own if said.parts else text))]
    for part in said.parts:
        match, content = shown(part.match), content_of(part.text)
        if "RESIGN" in content.words:
            told.append(say("you resign from {match}", match=match))
        if parts := [*_parts(content)]:
            told.append(say("{what} in {match}", what=listed(parts), match=match))
    return told


def _parts(content: EmailContent) -> Iterator[Message]:
    """Yield what is in a text beside a resignation, in a few words each."""
    heads = [sheet.head for sheet in content.reading.sheets]
    turns = {head.turn for head in heads if head and head.turn is not None}
    yield from (say("orders for turn {turn}", turn=turn) for turn in sorted(turns))
    if len(turns) < len(heads) or (content.is_bare and not content.words):
        yield say("orders")
    if content.presses:
        yield say("a message")
    if content.jottings:
        yield say("marks and notes")
    named = [(one.word, one.argument) for one in content.commands if one.word not in _UNTOLD]
    inside = [(one.word, "") for sheet in content.reading.sheets for one in sheet.commands]
    for word, argument in dict.fromkeys((*named, *inside)):
        if argument:
            yield say("{word} {argument}", word=WORDS[word], argument=argument)
        elif word not in _UNTOLD:
            yield WORDS[word]


# JOIN: somebody asks for an open seat, confirms his address by a code, and takes the seat.


VALID = timedelta(days=7)  # a code
_NAME = re.compile("[a-z][a-z0-9-]{0,23}")
TRIES_TO_JOIN = 5  # wrong codes, then it must be asked for again


class Newcomer(Struct, frozen=True):
    """Somebody who asks for a seat, as his email has it: nothing else is known of a stranger."""

    address: str
    name: str
    language: str


def ask_for_seat(s: Session, who: Newcomer, argument: str) -> Joining:
    """Note what is asked for, and return it with the code that confirms it. Raises Refusal if no
    such seat is open."""
    match, seat = _seat_wanted(s.tx, argument)
    for earlier in players.joinings_waiting(s.tx, who.address, s.now - VALID):
        rows.change(s.tx, Joining, earlier.id, status="replaced")
    rows.add(
        s.tx,
        Joining,
        address=who.address,
        name=who.name,
        language=who.language,
        match=match,
        seat=seat,
        code=s.context.coder(),
        created_at=s.now,
        status="waiting",
        tries=0,
        remind_at=OF_ADDRESS.after(s.now, s.now),
    )
    joining = seat_asked_for(s.tx, who.address, s.now)
    assert joining is not None
    return joining


def code_to_join(joining: Joining) -> Message:
    """Say to whoever reads the emails to an address what its code confirms, and how."""
    return say(
        "Someone asked to join {name} with this address. If it was you, reply to this email with "
        "the line\n\nCONFIRM {code}\n\nIf not, do nothing.",
        name=joining.match,
        code=joining.code,
    )


def seat_asked_for(tx: Tx, address: str, now: datetime) -> Joining | None:
    """Return what that address asked for last and a code of ours may confirm."""
    return next(reversed(players.joinings_waiting(tx, address, now - VALID)), None)


def confirm_seat(s: Session, address: str, code: str) -> Message | None:
    """Take the seat, or enter the tournament, and say so; return None if the code is not that of
    this address.

    Raises Refusal if the seat is no longer open; the address is confirmed all the same.
    """
    for joining in players.joinings_waiting(s.tx, address, s.now - VALID):
        if joining.code == code.upper():
            return _seat(s, joining)
        tries = joining.tries + 1
        status = "refused" if tries >= TRIES_TO_JOIN else "waiting"
        rows.change(s.tx, Joining, joining.id, tries=tries, status=status)
    return None


def is_open(tx: Tx, name: str) -> bool:
    """Return whether a match of that name has an open seat, or a tournament or a ladder can be
    entered."""
    if not _NAME.fullmatch(name):
        return False
    try:
        return _seat_wanted(tx, name)[0] == name
    except Refusal:
        return False


def _seat_wanted(tx: Tx, argument: str) -> tuple[str, Seat | None]:
    """Return the match, and the seat if one is named. Raises Refusal."""
    word, _, seat_word = argument.lower().partition(" ")
    if not seat_word and by_email.is_open(tx, word):
        return word, None
    free = listings.first_free_match(tx, GAMES, word)
    if free is None:
        raise Refusal(
            say("There is no open seat in '{name}'; GAMES lists the open seats.", name=shown(word))
        )
    match, game = free
    if not seat_word:
        return match, None
    seat = seat_of(GAMES[game], seat_word.strip())
    found = listings.first_free_match(tx, GAMES, word, seat)
    if found is None:
        title = GAMES[game].seat_titles[seat]
        raise Refusal(say("{seat} is taken; GAMES lists the open seats", seat=title))
    return found[0], seat


def _seat(s: Session, joining: Joining) -> Message:
    rows.change(s.tx, Joining, joining.id, status="confirmed")
    known = players.at(s.tx, joining.address)
    if known is not None and known.confirmed_at is None:
        people.let_in(s.tx, known.id, s.now)
    player_id = (
        known.id
        if known
        else people.enter_newcomer(s, joining.name, joining.address, joining.language)
    )
    if by_email.is_open(s.tx, joining.match):
        return by_email.join(s, joining.match, player_id)
    try:
        loaded = load_going(s.tx, joining.match)
    except Unreadable:
        told = say("{match} is on hold, so nobody can join it now.", match=joining.match)
        raise Refusal(told) from None
    seat = _free_seat(s.tx, loaded, joining)
    refuse_unreliable(s.tx, loaded.match.options, player_id, now=s.now)
    by_email.refuse_rival(s.tx, loaded, seat, player_id)
    if loaded.is_opened:
        _keep_from_other_side(s.tx, loaded, seat, player_id)
    seating.take_seat(s, loaded, seat, player_id)
    return say("You now have a seat in {match}.", match=loaded.match.name)


def _free_seat(tx: Tx, loaded: Seated, joining: Joining) -> Seat:
    ids = [holder.player_id for holder in loaded.holders.values()]
    taken = {folded_address(players.one(tx, one).address) for one in ids if one is not None}
    if folded_address(joining.address) in taken:
        raise Refusal(say("You already have a seat in {match}.", match=loaded.match.name))
    free = (seat for seat in loaded.seats if not loaded.holders[seat].shown_name)
    empty = [seat for seat in free if not loaded.holders[seat].kept]
    found = [seat for seat in empty if joining.seat in (None, seat)]
    if loaded.match.status != "open" or not found:
        raise Refusal(
            say("Someone else took that seat first. Your address is confirmed and on file.")
        )
    return found[0]


def _keep_from_other_side(tx: Tx, loaded: Seated, seat: Seat, player_id: int) -> None:
    """Refuse a seat to a player who knows what another seat has seen. Raises Refusal."""
    if seating.has_seen_another(tx, loaded, seat, player_id):
        raise Refusal(
            say(
                "You had another seat in {match} and have seen its reports, so you cannot take "
                "this one.",
                match=loaded.match.name,
            )
        )


def newcomer(address: str, display_name: str, language: str) -> Newcomer:
    """Return a stranger with his name: what he calls himself, else the first part of his
    address."""
    local = re.split(r"[+@]", address)[0]
    without_remark = re.sub(r"\(.*?\)", " ", display_name)  # "Anna (Oslo)"
    for text in (display_name[:40], without_remark[:40], local[:40]):
        try:
            return Newcomer(address, names.name_of(text), language)
        except Refusal:
            continue
    return Newcomer(address, "Player", language)


# Somebody who was sent a code to the public address and answers in words: a yes or a no to an
# invitation, or a question about it. A yes counts above our quoted email with its code, from the
# address to which that went: whoever writes so has read it, and no program does.


NO = say("No, thank you")  # a button's words


def waiting_codes(tx: Tx, address: str, now: datetime) -> frozenset[str]:
    """Return the codes that were sent to an address and not confirmed yet."""
    joins = seat_asked_for(tx, address, now)
    _, to_confirm = people.asked_to_confirm(tx, address)
    return frozenset(filter(None, (joins.code if joins else "", to_confirm)))


def accept_command(opened: ParsedEmail, sent: Collection[str], word: str) -> Command | None:
    """Return the command with the one of these codes that is quoted below a clear yes."""
    return _answered(opened, sent, word) if consent(own_lines(opened, sent)) == "yes" else None


def decline_command(opened: ParsedEmail, sent: Collection[str], word: str) -> Command | None:
    """Return the command with the one of these codes that is quoted below a clear no."""
    return _answered(opened, sent, word) if consent(own_lines(opened, sent)) == "no" else None


def _answered(opened: ParsedEmail, sent: Collection[str], word: str) -> Command | None:
    quoted = quoted_codes(opened, sent)
    if len(quoted) != 1:
        return None
    return Command(word, quoted.pop(), opened.content.prose[0])


def quoted_codes(opened: ParsedEmail, sent: Collection[str]) -> set[str]:
    """Return those of the codes that an email sends back, above or below its stop lines."""
    texts = opened.email.texts
    lines = split_lines(f"{texts.bare}\n{texts.left_out}") if sent else []
    return {code for line in lines if (code := code_of(line)) and code in sent}


def own_lines(opened: ParsedEmail, sent: Collection[str]) -> Sequence[Line]:
    """Return the lines of the sender's own; where a program marks no quotes, those of the first
    paragraphs that are short."""
    prose = opened.content.prose
    if not any(code_of(line) in sent for line in prose):
        return prose
    ends = [at for at in range(1, len(prose)) if prose[at].number > prose[at - 1].number + 1]
    first = prose[: ends[0]] if ends else ()
    if len(ends) > 1 and consent(first) is None:
        first = prose[: ends[1]]
    return first
