"""Invite somebody who is not a member (club, 6.2): a player hands an address on.

Theory of operation. The club never writes to an address because a player typed it. The address that
is handed on has a secret; whoever writes there has it from the player. What an email says of its
sender can be forged, so the club asks once "Was it you?", unless a server vouches for the sender.
The code in that email proves who reads the address. So nobody can be made a player, or be written
to twice, by somebody else. To a player every ending but a yes looks alike: none of them tells who
is a member, whose server takes no email, or who said no.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from adjudicator.core.commands import Command
from adjudicator.core.message import Message, say
from adjudicator.core.text import printable_lines
from adjudicator.games import GAMES
from adjudicator.mail.address import MailDomain, fresh_tag, guest_address
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import mailto
from adjudicator.reports.words import words
from adjudicator.service.base.context import Refusal, Session
from adjudicator.service.base.jobs import DueItem, Tick, Told
from adjudicator.service.club import people
from adjudicator.service.club.offers import begun
from adjudicator.service.club.offers.begun import Planned
from adjudicator.service.club.offers.seats import describe_game, title_in
from adjudicator.service.emails.paragraphs import Paragraphs, paragraph, to_send
from adjudicator.service.matches import seating
from adjudicator.service.outbox import queue
from adjudicator.service.outbox.queue import post_to_address
from adjudicator.store import guests, players, rows
from adjudicator.store.database import Tx
from adjudicator.store.guests import Guest
from adjudicator.store.players import Player

TRIES = 5  # wrong codes, then the invitation has ended
_LONGEST_NAME = 40

# INVITE FRIEND, INVITE tom@example.org TO espionage


_FRIEND = frozenset({"friend", "a friend", "venn", "en venn", "vän", "en vän", "van", "en van"})
_TO = re.compile(r"(?P<who>.*?)(?:\s+(?:to|til|till)\s+(?P<what>\S+))?\s*", re.IGNORECASE)


def is_of_guest(command: Command) -> bool:
    """Return whether a line invites somebody who may not be a member."""
    who, _ = read(command.argument)
    return "@" in who or who.casefold() in _FRIEND


def read(argument: str) -> tuple[str, str]:
    """Return who is invited, in the player's words, and to what; empty if that is not said."""
    found = _TO.fullmatch(" ".join(argument.split()))
    return (found["who"], found["what"] or "") if found else (argument, "")


def invite(s: Session, asker: Player, command: Command) -> Paragraphs:
    """Give a player what to hand on; return what he reads. Raises Refusal."""
    assert s.context.post is not None
    _, what = read(command.argument)
    planned = begun.plan_for_two(s, asker, what)
    made = rows.add(
        s.tx,
        Guest,
        planned=planned,
        asker_id=asker.id,
        door=fresh_tag(),
        status="open",
        name="",
        language=asker.language,
        code=s.context.coder(),
        created_at=s.now,
        expires_at=s.now + guests.VALID,
    )
    return _to_hand_on(asker, planned, made, s.context.post)


def _to_hand_on(asker: Player, planned: Planned, made: Guest, post: MailDomain) -> Paragraphs:
    tell = words(asker.language, planned.game, asker.zone)
    game = GAMES[planned.game]
    title = say(game.title)
    to = guest_address(post, made.door)
    subject = tell(say("I'd like to play {game} with {who}", game=title, who=asker.name))
    link = mailto(to, subject, [tell(say("I'd like to play!"))])
    text = say(
        "Would you like to play {game} with me by email? Open the link below and send the email "
        "that it opens, or write to {address}. You then get your first email, and it says all "
        "that you need.",
        game=title,
        address=to,
    )
    handed_on = say(
        "The club writes to nobody who has not written to it. So please forward the lines "
        "below to your friend. They are for one person and one match, for 14 days. The "
        "match begins when your friend has written."
    )
    return (
        *paragraph(handed_on),
        *paragraph(text, game=planned.game),
        *describe_game(game, planned.variant, begun.options_of(planned)),
        *paragraph(link),
    )


# An email to the address that was handed on, and the answers to "Was it you?".


def ask(s: Session, found: Guest, address: str, name: str, language: str) -> None:
    """Ask once whether an email to the address that was handed on is from its sender."""
    values = {"status": "asked", "address": address, "name": name, "language": language}
    rows.change(s.tx, Guest, found.id, **values)
    planned = plan_of(found)
    asker = players.one(s.tx, found.asker_id)
    told = say(
        "Someone wrote to this club from your address, to play {game} with {who}. Was it you? "
        "Then reply Yes, or reply with the line",
        game=title_in(planned.game, language),
        who=shown_name(asker.name),
    )
    rest = say("If not, do nothing. Nothing else is sent to this address.")
    parts = (*paragraph(told), *to_send(say("CONFIRM"), found.code), *paragraph(rest))
    _write(s, found, address, language, subjects.confirm(), parts)


def _write(
    s: Session, found: Guest, address: str, language: str, subject: Message, told: Paragraphs
) -> None:
    assert s.context.post is not None
    to = guest_address(s.context.post, found.door)
    key = f"{found.prefix}letter"
    post_to_address(s, key, "confirm", address, language, subject, told, reply_to=to)


def accept(s: Session, found: Guest, address: str, name: str) -> None:
    """Make the guest a player, if he is not one yet, and begin the match; tell the asker. Raises
    Refusal if it cannot begin any more."""
    planned = plan_of(found)
    asker = rows.first(s.tx, Player, id=found.asker_id)
    if planned.game not in GAMES or asker is None or asker.erased_at:
        raise Refusal(say("This match cannot begin any more."))
    known = players.at(s.tx, address)
    if known is not None and known.confirmed_at is None:
        people.let_in(s.tx, known.id, s.now)
    wanted = name or address.partition("@")[0]
    player_id = known.id if known else people.enter_newcomer(s, wanted, address, found.language)
    both = (asker.id, player_id)
    seating.keep_apart(s.tx, both)
    match = begun.begin(
        s, Planned(game=planned.game, variant=planned.variant, options=planned.options, people=both)
    )
    guests.end(s.tx, found, "accepted", s.now)
    told = say(
        "{player} has accepted your invitation. {match} begins, and your first email of it comes "
        "separately.",
        player=players.one(s.tx, player_id).name,
        match=match,
    )
    _tell_asker(s, found, told)


def end_untold(tx: Tx, found: Guest, status: str, now: datetime) -> None:
    """End an invitation with a no, or because it can lead to nothing. The asker must not learn why,
    so he hears of it when its time is up, as of silence."""
    guests.end(tx, found, status, now)
    rows.change(tx, Guest, found.id, expires_at=found.created_at + guests.VALID)


def count_wrong_code(tx: Tx, found: Guest, now: datetime) -> None:
    """Count a wrong code; the last one that is allowed ends the invitation."""
    if found.tries + 1 >= TRIES:
        end_untold(tx, found, "void", now)
    else:
        rows.change(tx, Guest, found.id, tries=found.tries + 1)


def _tell_asker(s: Session, found: Guest, told: Message) -> None:
    asker = rows.first(s.tx, Player, id=found.asker_id)
    if asker is None or asker.erased_at:
        return
    queue.queue_from_personal_address(
        s, asker, f"guest/{found.id}/told", subjects.offer_ended(), paragraph(told)
    )


def plan_of(found: Guest) -> Planned:
    return begun.plan_in(found.planned)


def shown_name(name: str) -> str:
    """Return a player's name as a stranger reads it: no links, no addresses, not long."""
    (line, *_) = printable_lines(name) or [""]
    kept = re.sub(r"https?:|www\.|[@/:<>.]+", " ", line)
    return " ".join(kept.split())[:_LONGEST_NAME].rstrip() or "?"


# Invitations whose time is up.


def due(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return the invitations that nobody answered in time. They have no name: who invites whom is
    theirs."""
    return [DueItem(one) for one in guests.due(tx, tick.now)]


def expire(s: Session, guest_id: int) -> Told:
    """End an invitation."""
    found = guests.take_due(s.tx, guest_id, s.now)
    if found is None:
        return None
    if found.status == "wished":  # the game master did not answer
        end_untold(s.tx, found, "expired", s.now)
        return ()
    if found.status in guests.OPEN:
        guests.end(s.tx, found, "expired", s.now)
    else:
        rows.change(s.tx, Guest, found.id, expires_at=None)
    told = say("There was no answer to your invitation of a friend, and it has expired.")
    _tell_asker(s, found, told)
    return ()


def put_off(tx: Tx, guest_id: int, until: datetime) -> None:
    """Look at an invitation again by then."""
    rows.change(tx, Guest, guest_id, expires_at=until)


def void_of_player(s: Session, player: Player) -> None:
    """End the invitations of a player who is erased."""
    for one in rows.find(s.tx, Guest, asker_id=player.id):
        guests.end(s.tx, one, "void" if one.status in guests.OPEN else one.status, s.now)
