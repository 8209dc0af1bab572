"""What a player has chosen and the game master keeps of him: how his emails are, in the words of
three languages (emails, section 6), absences, muting, and his profile for the game master."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import Any

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, both, say
from adjudicator.core.orders import folded, shown
from adjudicator.mail.write import subjects
from adjudicator.resources import zone_of
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import OpenClub, Refusal, Session
from adjudicator.service.base.deadlines import announced_forfeits, days_between, days_of, days_spent
from adjudicator.service.base.loaded_match import Unreadable, find, find_player, load
from adjudicator.service.club.people import HIDDEN
from adjudicator.service.outbox import queue
from adjudicator.store import matches, outbox, personal, players
from adjudicator.store.database import Store, Tx
from adjudicator.store.matches import Holder
from adjudicator.store.personal import HeldSeat
from adjudicator.store.players import Player


class Preference(Struct, frozen=True):
    """A thing that a player chooses: its folded words, what is told of each choice, and how the
    choices are written, in folded words too."""

    words: Sequence[str]
    told: Mapping[str, Message]
    spelled: Mapping[str, str]
    form: Message


def _choices_by_word(**words: str) -> dict[str, str]:
    """Return the choice that each word means, from the words of each choice."""
    return {word: choice for choice, said in words.items() for word in said.split()}


# By the column of the player's row.
WISHES: Mapping[str, Preference] = {
    "reminders": Preference(
        ("reminders", "reminder", "paminnelser", "paminnelse"),
        {
            "on": say("You get a reminder before each deadline."),
            "off": say("You get no reminders."),
            "daily": say("You get all reminders in one email a day."),
        },
        _choices_by_word(on="on pa", off="off av", daily="daily daglig dagligen"),
        say("PREFS REMINDERS ON, OFF or DAILY"),
    ),
    "letters": Preference(
        ("letters", "letter", "emails", "brev", "breven"),
        {
            "each": say("Each email comes at once."),
            "daily": say("What can wait comes in one email a day, at 07:00."),
        },
        _choices_by_word(each="each hvert hver enkeltvis varje var", daily="daily daglig dagligen"),
        say("PREFS LETTERS DAILY or EACH"),
    ),
    "board": Preference(
        ("board", "brett", "brettet", "brade", "bradet"),
        {
            "table": say("Emails show the board as a table."),
            "picture": say("Emails show the board as a picture, if the club can draw one."),
        },
        _choices_by_word(table="table tabell", picture="picture bilde bild"),
        say("PREFS BOARD TABLE or PICTURE"),
    ),
    "page": Preference(
        ("page", "side", "siden", "sida", "sidan"),
        {
            "attached": say("The page is attached to reports."),
            "link": say("Reports link to your page on the club's site, if it has one."),
            "none": say("No page is attached to reports."),
        },
        _choices_by_word(
            attached="attached vedlagt bifogad", link="link lenke lank lanken", none="none ingen"
        ),
        say("PREFS PAGE ATTACHED, LINK or NONE"),
    ),
    "receipts": Preference(
        ("receipts", "receipt", "kvitteringer", "kvittering", "kvitton", "kvitto"),
        {
            "full": say(
                "Confirmations are full: they include orders to fill in when you need them."
            ),
            "short": say("Confirmations are short: your current orders and any mistakes."),
        },
        _choices_by_word(full="full fulle fulla hel hele hela", short="short kort korte korta"),
        say("PREFS RECEIPTS FULL or SHORT"),
    ),
    "reports": Preference(
        ("reports", "report", "rapporter", "rapport", "rapporten"),
        {
            "few": say("You get a report when it's your turn, and at the end."),
            "all": say("You get a report each time a turn is played."),
        },
        _choices_by_word(
            few="awaited ventet ventede avventet vantad vantade invantad invantade",
            all="all alle alla",
        ),
        say("PREFS REPORTS ALL or AWAITED"),
    ),
    "tips": Preference(
        ("tips", "tip"),
        {
            "first": say("Reports have a tip in your first two matches of each game."),
            "on": say("Reports have a tip."),
            "off": say("Reports have no tips."),
        },
        _choices_by_word(on="on pa", off="off av"),
        say("PREFS TIPS ON or OFF"),
    ),
    "substitute": Preference(
        ("substitute", "substitutes", "vikar", "vikarer", "vikarie", "vikarier"),
        {
            "on": say("You are asked when a match needs a substitute for one of its players."),
            "off": say("You are not asked to be a substitute."),
        },
        _choices_by_word(on="on pa", off="off av"),
        say("PREFS SUBSTITUTE ON or OFF"),
    ),
}


def column_of(word: str) -> str | None:
    """Return the column of which a player speaks; None if there is none of that name."""
    return next((name for name, wish in WISHES.items() if folded(word) in wish.words), None)


def choice_of(column: str, word: str) -> str | None:
    """Return the choice that a word means; None if it means none."""
    return WISHES[column].spelled.get(folded(word))


def in_force(holder: Holder | Player, column: str) -> Message:
    """Tell what a player has chosen, and how to change it."""
    wish = WISHES[column]
    told = wish.told[getattr(holder, column)]
    return say("{told} To change this, write {form}", told=told, form=wish.form)


# Planned absences: no deadline that is set later falls on these days (emails, section 7).


ONE_DAY = timedelta(days=1)
FURTHEST_AHEAD = timedelta(days=366)  # how long before its last day an absence may be announced


def announce_absence(
    s: Session, player_id: int, first: date, last: date, *, own: bool = False
) -> Message:
    """Note that the player is away on these days, both included, as dates where he lives.

    Each calendar year has its budget of days; days announced twice count once. Only to the player
    himself, on his `own` email, days count that he was given because he was silent: the operator
    may not know of them. Raises Refusal.
    """
    players.hold(s.tx, [player_id])
    zone = players.one(s.tx, player_id).zone
    today = s.now.astimezone(zone_of(zone)).date()
    _refuse_strange(first, last, today)
    away = players.days_away(s.tx, [player_id]) if own else players.absences_of(s.tx, [player_id])
    known = days_of(away)
    added = set(days_between(first, last)) - known
    if not added:
        raise Refusal(say("these days are already marked as an absence"))
    left = _days_left(known, added, s.context.absence_days)
    players.insert_absence(s.tx, player_id, first, last, s.now)
    return say(
        "Noted: you are away from {first} to {last}. Deadlines already set stay; later ones do "
        "not fall on these days. Days of absence left: {left}.",
        first=str(first),
        last=str(last),
        left=", ".join(f"{days} ({year})" for year, days in left.items()),
    )


def _refuse_strange(first: date, last: date, today: date) -> None:
    if last < first:
        raise Refusal(
            say("this absence ends on {last}, before it begins", first=str(first), last=str(last))
        )
    if first < today:
        raise Refusal(
            say(
                "an absence can start today, {today}, or later, but not on {first}",
                **_texts(today, first),
            )
        )
    if last > today + FURTHEST_AHEAD:
        raise Refusal(say("you can announce an absence for the coming year only"))


def _texts(today: date, first: date) -> Mapping[str, str]:
    return {"today": str(today), "first": str(first)}


def _days_left(known: set[date], added: set[date], budget: int) -> Mapping[int, int]:
    """Return how many days are left of each year with new days. Raises Refusal if they are too
    few."""
    left = {}
    for year in sorted({day.year for day in added}):
        before = budget - days_spent(year, known)
        left[year] = before - days_spent(year, added)
        if left[year] < 0:
            raise Refusal(
                say(
                    "{wanted} days of absence in {year} are too many: {left} of {budget} are left",
                    wanted=days_spent(year, added),
                    year=str(year),
                    left=max(before, 0),
                    budget=budget,
                )
            )
    return left


def profile(store: Store, name: str, *, now: datetime) -> Mapping[str, Any]:
    """Return a player with seats, holds, misses and absences that are not over, for JSON."""
    with store.reading() as tx:
        player = find_player(tx, name)
        held, hidden = personal.holdings(tx, player.id), matches.hiding_names(tx)
        today = now.astimezone(zone_of(player.zone)).date()
        return {
            **plain(player),
            "absences": [
                [str(one.first), str(one.last)]
                for one in players.absences_of(tx, [player.id])
                if one.last >= today
            ],
            "seats": [
                _seat(tx, one, hidden) for one in held if one.until is None and not one.is_over
            ],
            "ended": [one.match for one in held if one.until is None and one.is_over],
            "left": [_seat_left(one, hidden) for one in held if one.until is not None],
        }


def plain(player: Player) -> Mapping[str, Any]:
    """Return what is kept of a player alone, as `player list` has it in JSON."""
    return {
        "name": player.name,
        "address": player.address,
        "language": player.language,
        "timezone": player.zone,
        "confirmed": player.confirmed_at is not None,
        "muted": player.muted_at is not None,
        "reminders": player.reminders,
        "substitute": player.substitute,
        "letters": player.letters,
    }


def _seat_left(held: HeldSeat, hidden: Collection[str]) -> Mapping[str, Any]:
    if held.match in hidden:
        return {"match": HIDDEN, "seat": None, "until": None}
    return {"match": held.match, "seat": held.seat, "until": rfc3339(held.until)}


def _seat(tx: Tx, held: HeldSeat, hidden: Collection[str]) -> Mapping[str, Any]:
    """Return a seat of his; of a match that hides names nothing by which it could be told."""
    match = find(tx, held.match)
    is_hidden = held.match in hidden
    told: dict[str, Any] = {
        "match": HIDDEN if is_hidden else held.match,
        "game": held.game,
        "seat": None if is_hidden else held.seat,
        "status": None if is_hidden else held.status,
        "turn": None if is_hidden else match.turn,
        "deadline": None if is_hidden else rfc3339(match.deadline_at),
        "held": None if is_hidden else rfc3339(match.held_at),
    }
    return told if is_hidden else told | dict(_of_position(tx, held))


def _of_position(tx: Tx, held: HeldSeat) -> Iterator[tuple[str, Any]]:
    """Yield what needs the position of the match; nothing if there is none, or it cannot be
    read."""
    with suppress(Unreadable):
        loaded = load(tx, held.match)
        if not loaded.is_opened:
            return
        yield "to_move", held.seat in loaded.awaited
        yield "missed", loaded.holders[Seat(held.seat)].missed
        yield "forfeits", rfc3339(announced_forfeits(loaded).get(held.seat))


MOST_SAID = 500  # characters of a reason


def mute(club: OpenClub, name: str, *, off: bool, reason: str) -> Message:
    """Pass on no messages of a player, or with `off` pass them on again; tell that player."""
    why = shown(" ".join(reason.split()), MOST_SAID)
    with club.session() as s:
        player = find_player(s.tx, name)
        if off and player.muted_at is None:
            raise Refusal(say("{name} is not muted", name=player.name))
        if not off and player.muted_at is not None:
            raise Refusal(say("{name} is muted already", name=player.name))
        players.update(s.tx, player.id, muted_at=None if off else club.now)
        told = say(
            "The game master does not pass on your messages to other players any more. Your orders "
            "and everything else are read as before."
        )
        if off:
            told = say("The game master passes on your messages to other players again.")
        if why:
            told = both(told, say("The game master says: {text}", text=why))
        key = f"player/{player.id}/muted/"
        queue.queue_to_person(
            s, player, f"{key}{outbox.count(s.tx, key) + 1}", subjects.muting(), told
        )
        if off:
            return say("{name}: messages to other players are passed on again", name=player.name)
        return say("{name}: messages to other players are not passed on", name=player.name)
