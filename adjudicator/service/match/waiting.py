"""A match that waits for the game master: he is told, and reminded; its players are told once.

The reminders follow from since when it waits, so nothing but `wake_at` is noted of them. Their keys
have their number, so that two ticks, or one that was killed, queue each once. They name no seat:
who is silent may have changed since the deadline, and the game master may play.
"""

from datetime import datetime

from adjudicator.core.message import Message, say
from adjudicator.mail.write import subjects
from adjudicator.service.base.calendar import when
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Unreadable
from adjudicator.service.base.progress import Progress
from adjudicator.service.base.reminding import OF_MATCH
from adjudicator.service.outbox import to_queue
from adjudicator.store import matches, players
from adjudicator.store.database import Tx
from adjudicator.store.matches import Match


def remind(
    tx: Tx, match: Match, since: datetime, *, now: datetime, means: Means
) -> Progress | None:
    """Remind the game master of a match that waits for him since then, if that is due."""
    matches.update(tx, match.id, wake_at=OF_MATCH.after(since, now))
    number = OF_MATCH.due(since, now)
    if not number:
        return None
    told = say(
        "The match has waited for you since {when}: {trouble}",
        when=when(since),
        trouble=_why(match),
    )
    key = f"{since:%Y%m%dT%H%M%S}/{number}"
    if not to_queue.queue_reminder_of_match(tx, match, key, told, now=now, means=means):
        return None
    return Progress(say("the match still waits for you"), match.name, urgent=True)


def _why(match: Match) -> Message:
    """Say why a match waits, and what lets it go on."""
    if match.status == "playing":
        return say(
            "its deadline has passed and orders are missing. `adjud gm extend`, `adjud gm replace` "
            "or `adjud gm forfeit` lets it go on"
        )
    if match.trouble:
        return say(
            "{trouble}. When that is mended, `adjud gm resume {match} --reason TEXT` lets the "
            "match go on",
            trouble=match.trouble,
            match=match.name,
        )
    return say(
        "it is held. `adjud gm resume {match} --reason TEXT` lets it go on", match=match.name
    )


def lay_aside(tx: Tx, unread: Unreadable, *, now: datetime, means: Means) -> Progress | None:
    """Hold a match that cannot be read; tell the operator and its players, once."""
    match, trouble = unread.match, str(unread)
    if match.status == "over" or match.trouble == trouble:
        return None
    since = match.held_at or now
    matches.update(
        tx,
        match.id,
        status="held" if match.status == "playing" else match.status,
        held_at=since,
        wake_at=OF_MATCH.after(since, now),
        trouble=trouble,
    )
    told = say(
        "{trouble}. It is held, and letters that come for it are kept. The other matches go on.",
        trouble=unread.message,
    )
    to_queue.queue_alert(tx, match, {"told": told}, now=now, means=means)
    tell_people(
        tx,
        match,
        "held",
        say(
            "Your match {match} is held: adjud cannot read it at the moment. The game master has "
            "been told. You need not send anything again.",
            match=match.name,
        ),
        now=now,
        means=means,
    )
    return Progress(
        say("cannot be read; it is held: {why}", why=unread.why), match.name, urgent=True
    )


def hold_for_fault(tx: Tx, match: Match, trouble: Message, *, now: datetime, means: Means) -> None:
    """Hold a match that the program cannot adjudicate."""
    matches.update(
        tx,
        match.id,
        status="held",
        held_at=now,
        wake_at=OF_MATCH.after(now, now),
        trouble=str(trouble),
    )
    to_queue.queue_alert(tx, match, {"told": trouble}, now=now, means=means)
    news = say(
        "Your match {match} is held: adjud cannot play its turn at the moment. The game master has "
        "been told. Orders are still taken.",
        match=match.name,
    )
    tell_people(tx, match, "held", news, now=now, means=means)


def tell_people(
    tx: Tx, match: Match, about: str, told: Message, *, now: datetime, means: Means
) -> None:
    """Tell the players of a match something as persons, for nothing of it can be read but who they
    are."""
    for player_id in dict.fromkeys(matches.people_of(tx, match.id)):
        key = f"{match.name}/{about}/{player_id}/{now:%Y%m%dT%H%M%S}"
        subject = subjects.held(match.name) if about == "held" else subjects.cancelled(match.name)
        player = players.one(tx, player_id)
        to_queue.queue_to_person(tx, player, key, subject, told, now=now, means=means)
