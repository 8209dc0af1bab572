"""A player wishes how his emails are, in the words of three languages (emails, section 6)."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.core.orders import folded
from adjudicator.resources import zone_of
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.deadlines import days_between, days_of, days_spent
from adjudicator.store import players
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder
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
    tx: Tx,
    player_id: int,
    first: date,
    last: date,
    *,
    now: datetime,
    budget: int,
    own: bool = False,
) -> Message:
    """Note that the player is away on these days, both included, as dates where he lives.

    Each calendar year has its `budget` of days; days announced twice count once. Only to the player
    himself, on his `own` email, days count that he was given because he was silent: the operator
    may not know of them. Raises Refusal.
    """
    players.hold(tx, [player_id])
    zone = players.one(tx, player_id).zone
    today = now.astimezone(zone_of(zone)).date()
    _refuse_strange(first, last, today)
    away = players.days_away(tx, [player_id]) if own else players.absences_of(tx, [player_id])
    known = days_of(away)
    added = set(days_between(first, last)) - known
    if not added:
        raise Refusal(say("these days are already marked as an absence"))
    left = _days_left(known, added, budget)
    players.insert_absence(tx, player_id, first, last, now)
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
