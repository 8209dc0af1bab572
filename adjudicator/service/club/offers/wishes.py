"""Let the club write to somebody who is not a member, if the game master allows it (club, 6.2).

Theory of operation. A player asks for an address, the game master is asked about it, and if he
allows it, one email goes there, in the club's own words. What is asked and what was written is a
guest's row; limits count these rows and the digests of addresses (`written_to`), never addresses.
To the player everything about an address looks alike: whether the club may write there at all,
what the game master said, what came back and what the reader said, unless it is yes. So he is told
the same words at the same times, and an address to which the club never writes makes a row that
has ended from the beginning.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from adjudicator.core.commands import Command
from adjudicator.core.message import Message, say
from adjudicator.core.text import mailbox_of
from adjudicator.games import GAMES
from adjudicator.mail.address import (
    MailDomain,
    fresh_tag,
    guest_address,
    in_ascii,
    is_mailbox,
    marks_of,
    public_address,
    read_address,
)
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import mailto
from adjudicator.service.base.calendar import when
from adjudicator.service.base.context import Context, OpenClub, Refusal, Session
from adjudicator.service.base.jobs import DueItem, Tick, Told
from adjudicator.service.club.offers import begun
from adjudicator.service.club.offers import guests as invitations
from adjudicator.service.club.offers.seats import describe_game, title_in
from adjudicator.service.emails.paragraphs import Paragraphs, each, paragraph, to_send
from adjudicator.service.matches import doubt
from adjudicator.service.outbox.queue import post_to_address
from adjudicator.store import clubs, guests, players, press, rows
from adjudicator.store.database import Store, Tx
from adjudicator.store.guests import Guest
from adjudicator.store.players import Player

ASKED = timedelta(days=7)  # for which the game master's answer counts
A_DAY, A_MONTH, A_YEAR = timedelta(days=1), timedelta(days=30), timedelta(days=365)
MOST_A_DAY, MOST_A_MONTH = 5, 30  # emails of the club, and wishes of its players
MOST_OF_PLAYER = 3  # wishes in 30 days


def invite(s: Session, asker: Player, command: Command) -> tuple[Message, Paragraphs]:
    """Ask the game master whether the club may write to the address in a line, or give the player
    what to hand on; return the subject and the paragraphs of his answer. Raises Refusal."""
    who, what = invitations.read(command.argument)
    address, post = in_ascii(who), s.context.post
    if post is None or not _can_write(s.context) or not is_mailbox(address):
        told = invitations.invite(s, asker, command)
        return subjects.to_forward(), told
    if mailbox_of(address) == mailbox_of(asker.address):
        raise Refusal(say("You cannot invite yourself."))
    players.hold(s.tx, [asker.id])
    guests.lock(s.tx)
    marks = marks_of(post, address)
    if why := _why_handed_on(s, asker, marks):
        told = invitations.invite(s, asker, command)
        return subjects.to_forward(), (*paragraph(why), *told)
    planned = begun.plan_for_two(s, asker, what)
    is_open = not _is_closed(s, asker.id, address, post)
    rest: dict[str, Any] = (
        {"status": "wished", "address": address, "expires_at": s.now + ASKED}
        if is_open
        else {"status": "void", "ended_at": s.now, "expires_at": s.now + guests.VALID}
    )
    made = rows.add(
        s.tx,
        Guest,
        planned=planned,
        asker_id=asker.id,
        door=fresh_tag(),
        name="",
        language=asker.language,
        code=s.context.coder(),
        created_at=s.now,
        mark=marks[0],
        **rest,
    )
    clubs.begin_clock(s.tx, s.now)
    if is_open:
        _ask_game_master(s, asker, made)
    asked = say(
        "The game master is asked whether the club may write to this address. If so, the "
        "club writes there once, in its own words. You hear of it when your friend says "
        "yes, or after 14 days that there was no answer."
    )
    otherwise = say("To ask your friend yourself, send INVITE FRIEND instead.")
    return subjects.wish_to_game_master(), each((asked, otherwise))


def _can_write(context: Context) -> bool:
    return context.writes_outside and context.sends_mail and bool(context.operator)


def _why_handed_on(s: Session, asker: Player, marks: Sequence[str]) -> Message | None:
    """Say why the club does not write for a player; nothing of it depends on who reads the
    address."""
    own = [one for one in rows.find(s.tx, Guest, asker_id=asker.id) if one.mark is not None]
    if not guests.has_finished(s.tx, asker.id):
        return say("The club writes to a friend once you have played a match to its end.")
    if any(one.mark in marks for one in own):
        return say("The club writes to an address only once for you.")
    lately = [one for one in own if one.created_at > s.now - A_MONTH]
    if len(lately) >= MOST_OF_PLAYER or any(one.expires_at is not None for one in own):
        return say("The club writes for you to one friend at a time, and to three in 30 days.")
    wished = (
        guests.count_wishes_since(s.tx, s.now - A_DAY),
        guests.count_wishes_since(s.tx, s.now - A_MONTH),
    )
    if wished[0] >= MOST_A_DAY or wished[1] >= MOST_A_MONTH:
        return say("The club cannot write to more friends of players for now.")
    return None


def _is_closed(s: Session, asker_id: int, address: str, post: MailDomain) -> bool:
    """Return whether the club does not write to an address for a player: one of its own, one that
    said no, came back or had an email within a year, or a member's who has not confirmed it or
    does not want to be invited."""
    mailbox = mailbox_of(address)
    if read_address(post, address) is not None or mailbox == mailbox_of(public_address(post)):
        return True
    if guests.is_closed(s.tx, marks_of(post, address), s.now - A_YEAR):
        return True
    of_it = [one for one in players.all_players(s.tx) if mailbox_of(one.address) == mailbox]
    return any(
        one.confirmed_at is None or press.wants_no_invitation(s.tx, one.id, asker_id)
        for one in of_it
    )


# What the game master is asked, and his answer.


def _ask_game_master(s: Session, asker: Player, made: Guest) -> None:
    assert s.context.post is not None
    door = guest_address(s.context.post, made.door) if _can_judge(s.context) else None
    post_to_address(
        s,
        f"{made.prefix}wish",
        "alert",
        s.context.operator,
        "en",
        subjects.wish(invitations.shown_name(asker.name)),
        _wish(s.tx, asker, made, door),
        reply_to=door,
    )


def _can_judge(context: Context) -> bool:
    """Return whether an email from the game master can be told from a forged one."""
    return bool(context.authserv_id)


def _wish(tx: Tx, asker: Player, made: Guest, door: str | None) -> Paragraphs:
    asked = say(
        "{player} would like to play {game} with the person who reads this address, and asks the "
        "club to write there:",
        player=asker.name,
        game=say(GAMES[invitations.plan_of(made).game].title),
    )
    follows = say(
        "If you allow it, the club writes there once, in its own words, and never again after a "
        "No. The player learns nothing but a yes. You can answer until {when}; without an answer "
        "nothing is sent.",
        when=when(made.created_at + ASKED),
    )
    parts = each((asked, made.address, follows))
    restored = clubs.last_restore(tx)
    if restored and restored[1] > made.created_at - A_YEAR:
        parts += paragraph(
            say(
                "The club was restored from a backup of {when}. It does not know to whom it wrote "
                "between then and the restore, nor who said no.",
                when=when(restored[0]),
            )
        )
    if door is not None:
        parts += (
            *paragraph(say("To allow it, reply to this email with the line")),
            *to_send(say("ACCEPT"), made.code),
            *paragraph(say("To refuse it, reply with the line")),
            *to_send(say("DECLINE"), made.code),
        )
    command = say(
        "On the club's machine `adjud player guest {id} --allow` allows it, and `adjud player "
        "guest {id} --decline` refuses it.",
        id=made.id,
    )
    return (*parts, *paragraph(command))


def decide(s: Session, found: Guest, *, is_allowed: bool) -> Message:
    """Let the club write to an address, or not; return what the game master reads. Raises Refusal
    if that is decided already, or cannot be done now."""
    if found.status != "wished" or found.address is None or found.mark is None:
        raise Refusal(say("That wish is not open any more."))
    if not is_allowed:
        invitations.end_untold(s.tx, found, "declined", s.now)
        return say("The club does not write to {address}.", address=found.address)
    post = s.context.post
    if post is None or not s.context.sends_mail:
        raise Refusal(say("the club sends no emails"))
    # Emails are read before the tick has judged the clock.
    if doubt.is_long(doubt.judge(clubs.clock_of(s.tx), s.now), s.context):
        raise Refusal(say("the club's clock is in doubt; see `adjud doctor`"))
    guests.lock(s.tx)
    asker = players.one(s.tx, found.asker_id)
    is_gone = asker.erased_at is not None or invitations.plan_of(found).game not in GAMES
    if is_gone or _is_closed(s, asker.id, found.address, post):
        invitations.end_untold(s.tx, found, "void", s.now)
        return say(
            "The club does not write to {address}: it has done so within a year, or must not.",
            address=found.address,
        )
    written = (
        guests.count_emails_since(s.tx, s.now - A_DAY),
        guests.count_emails_since(s.tx, s.now - A_MONTH),
    )
    if written[0] >= MOST_A_DAY or written[1] >= MOST_A_MONTH:
        raise Refusal(
            say(
                "the club has written to as many new addresses as it may, {day} in a day and "
                "{month} in 30 days; nothing was sent, and you can allow it later",
                day=MOST_A_DAY,
                month=MOST_A_MONTH,
            )
        )
    _write(s, asker, found)
    return say("The club writes to {address}.", address=found.address)


class OpenWish(Struct, frozen=True, kw_only=True):
    """A wish that waits for the game master's answer, as he may read it."""

    id: int
    player: str
    game: str
    variant: str
    address: str
    asked: datetime
    until: datetime


def open_wishes(store: Store) -> list[OpenWish]:
    """Return the wishes that wait for an answer, the oldest first."""
    with store.reading() as tx:
        return [
            OpenWish(
                id=one.id,
                player=players.one(tx, one.asker_id).name,
                game=str(one.planned.get("game", "")),
                variant=str(one.planned.get("variant", "")),
                address=one.address or "",
                asked=one.created_at,
                until=one.created_at + ASKED,
            )
            for one in rows.find(tx, Guest, status="wished")
        ]


def answer(club: OpenClub, number: int, *, is_allowed: bool) -> Message:
    """Let the club write to somebody, or not; return what the game master reads. Raises Refusal."""
    with club.session() as s:
        found = rows.first(s.tx, Guest, id=number, lock=True)
        if found is None or found.mark is None:
            raise Refusal(say("there is no wish {number}", number=number))
        return decide(s, found, is_allowed=is_allowed)


def _write(s: Session, asker: Player, found: Guest) -> None:
    """Queue the one email, with a door and a code that nobody has had."""
    assert s.context.post is not None
    assert found.mark is not None
    assert found.address is not None
    guests.forget_emails(s.tx, found)
    door, code = fresh_tag(), s.context.coder()
    ends = found.created_at + guests.VALID
    rows.change(s.tx, Guest, found.id, status="asked", door=door, code=code, expires_at=ends)
    guests.note_written(s.tx, found.mark, s.now)
    to = guest_address(s.context.post, door)
    no = f"DECLINE {code}"
    planned = invitations.plan_of(found)
    who, game = invitations.shown_name(asker.name), GAMES[planned.game]
    title = title_in(planned.game, found.language)
    asked = (
        say("{who} plays by email at {club} and invites you to a match of {game}.",
            who=who, club=s.context.club, game=title)
        if s.context.club
        else say("{who} invites you to a match of {game} by email.",
                 who=who, game=title)
    )  # fmt: skip
    yes = say("If you would like to play, reply Yes to this email, or reply with the line")
    then = say("You then get the first email of the match, with the board and what to write.")
    free = say(
        "It costs nothing and there is nothing to install: you play by replying to emails. "
        "Nobody asks you for a password."
    )
    rather_not = say("If you would rather not, do nothing, or reply No, or reply with the line")
    learns = say(
        "{who} gave this address and learns nothing but a yes. After a No the club never "
        "writes to this address again. If you do nothing, you get no other email about "
        "this, and the club deletes the address on {when}.",
        who=who,
        when=when(ends),
    )
    told = (
        *each((say("Hello,"), asked)),
        *describe_game(game, planned.variant, begun.options_of(planned)),
        *paragraph(yes),
        *to_send(say("ACCEPT"), code),
        *each((then, free, rather_not)),
        *to_send(say("DECLINE"), code),
        *paragraph(learns),
    )
    post_to_address(
        s,
        f"{found.prefix}letter",
        "notice",
        found.address,
        found.language,
        subjects.invites(who, title),
        told,
        reply_to=to,
        is_invitation=True,
        unsubscribe=mailto(to, no, [no]),
    )


# What came of the email.


def refuse(tx: Tx, found: Guest, now: datetime) -> None:
    """Note that a reader does not want to be written to, and end the invitation."""
    if found.mark is not None:
        guests.refuse(tx, found.mark, now)
    if found.status in guests.OPEN:
        invitations.end_untold(tx, found, "declined", now)


def came_back(tx: Tx, key: str, now: datetime) -> bool:
    """Note that an email with that key came back or was refused, if it is one to somebody to whom
    the club wrote by itself; return whether it is."""
    number = guests.of_letter(key)
    found = rows.first(tx, Guest, id=number, lock=True) if number is not None else None
    if found is None or found.mark is None:
        return False
    if found.status == "asked":
        guests.refuse(tx, found.mark, now)
        invitations.end_untold(tx, found, "void", now)
    return found.status == "asked"


def old_digests(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return one key: there may be digests of addresses to which the club may write again."""
    return [DueItem("digests")]


def forget_digests(s: Session, _key: str) -> Told:
    guests.forget_written(s.tx, s.now - A_YEAR)
    return ()
