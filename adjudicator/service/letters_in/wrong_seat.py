"""Letters from people who no longer hold a seat, or who named two, or an old address: they are told
so, and nothing else.

Letters that name a seat by an address that never was one are only counted.
"""

from datetime import datetime

from adjudicator.core.message import Message, count, say
from adjudicator.mail.read.letter import Letter
from adjudicator.mail.write import subjects
from adjudicator.reports.words import words
from adjudicator.service.base.environment import Means
from adjudicator.service.letters_in.replies import paragraphs
from adjudicator.service.letters_in.whose import Former, Torn
from adjudicator.service.outbox import to_queue
from adjudicator.store import clubs, outbox, players, tenures
from adjudicator.store.database import Store, Tx
from adjudicator.store.players import Player

A_DAY = 3  # letters to one player about letters that were for two seats, another's or none
_OLD = say(
    "Your letter came to an old address of your seat, so nothing of it was read. Answer the newest "
    "letter to your seat."
)


def tell_former(tx: Tx, whose: Former, letter: Letter, *, now: datetime, means: Means) -> None:
    """Tell him the first time that he writes; nothing of the match is told to him.

    If he holds the seat again, he may still have to order, so he is told that as often as others
    who write to a wrong address.
    """
    match, seat = whose.loaded.match, whose.seat
    holder = whose.loaded.holders[seat].player_id
    if holder is not None and holder == tenures.player_of(tx, match.id, seat, whose.tenure):
        _tell(tx, players.one(tx, holder), letter, subjects.old_address(), _OLD, now, means)
        return
    player_id = tenures.untold(tx, match.id, seat, whose.tenure)
    if player_id is None:
        return
    title = whose.loaded.game.seat_titles[seat]
    told = say(
        "You no longer hold this seat: {seat} in {match}. Your letter was not read, and no other "
        "letter to this address will be answered.",
        seat=title,
        match=match.name,
    )
    player = players.one(tx, player_id)
    tell = words(player.language, match.game)
    key = f"{match.name}/former/{seat}/{whose.tenure}"
    subject = subjects.notice(match.name, tell(title))
    _queue(tx, key, player, letter, subject, tell(told), now, means)
    tenures.mark_told(tx, match.id, seat, whose.tenure, now)


def tell_torn(tx: Tx, whose: Torn, letter: Letter, *, now: datetime, means: Means) -> None:
    """Tell the sender, or, if he is not known, the player who holds all of the seats."""
    player = players.at(tx, letter.sender) if letter.sender else None
    if player is None and whose.player_id is not None:
        player = players.one(tx, whose.player_id)
    told = say(
        "Your letter named two seats, so nothing of it was read. "
        "Write a letter of its own for each seat, to the address that its reports come with."
    )
    if player is not None:
        _tell(tx, player, letter, subjects.two_seats(), told, now, means)


def tell_astray(tx: Tx, letter: Letter, *, now: datetime, means: Means) -> None:
    """Tell somebody who plays in the match that he wrote to another player's seat."""
    told = say(
        "Your letter came to the address of a seat that is not yours, so nothing of it was read. "
        "Answer the newest letter to your own seat."
    )
    if player := players.at(tx, letter.sender) if letter.sender else None:
        _tell(tx, player, letter, subjects.not_your_seat(), told, now, means)


def _tell(
    tx: Tx,
    player: Player,
    letter: Letter,
    subject: Message,
    told: Message,
    now: datetime,
    means: Means,
) -> None:
    """Tell a player at his address on file, a few times a day at most."""
    prefix = f"player/{player.id}/two-seats/{now:%Y-%m-%d}/"
    number = outbox.count(tx, prefix) + 1
    if number > A_DAY:
        return
    tell = words(player.language, "")
    _queue(tx, f"{prefix}{number}", player, letter, subject, tell(told), now, means)


def _queue(
    tx: Tx,
    key: str,
    player: Player,
    letter: Letter,
    subject: Message,
    text: str,
    now: datetime,
    means: Means,
) -> None:
    """Queue a letter to a person and not to a seat: no seat's address is in it."""
    made = outbox.Letter(
        key=key,
        kind="notice",
        player_id=player.id,
        confirmed=player.confirmed_at is not None,
        body={
            "to": player.address,
            "subject": subject,
            "text": paragraphs([text]),
            "answers": letter.message_id,
        },
    )
    outbox.put(tx, [made], now, way_out=means.way_out)


def tell_of_unsigned(store: Store, *, now: datetime, means: Means) -> None:
    """Tell the operator, once a day, how many letters named a seat by an address that no key of
    ours signed.

    He is not told which seats: he may play, and it would say who has sent.
    """
    with store.reading() as tx:
        if not clubs.unsigned(tx):
            return
    with store.transaction() as tx:
        told = _came_to_dead_addresses(clubs.unsigned(tx))
        if to_queue.queue_warning_of_day(tx, "unsigned", told, now=now, means=means):
            clubs.forget_unsigned(tx)


def _came_to_dead_addresses(n: int) -> Message:
    return count(
        "{n} letter came for a seat to an address that is not the seat's, nor was it ever. It was "
        "not read and not answered: `adjud mail queue list --status junk`. That may be a slip or "
        "a guess. If players say that their letters are not answered, the key is not the one "
        "that signed their addresses: restore it from a backup.",
        "{n} letters came for seats to addresses that are not those seats', nor ever were. They "
        "were not read and not answered: `adjud mail queue list --status junk`. That may be a slip "
        "or a guess. If players say that their letters are not answered, the key is not the one "
        "that signed their addresses: restore it from a backup.",
        n,
    )
