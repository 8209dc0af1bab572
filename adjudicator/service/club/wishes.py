"""A player wishes how his letters are, in the words of three languages (letters, section 6)."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.core.orders import folded
from adjudicator.store.matches import Holder


class Wish(Struct, frozen=True):
    """A thing that a player chooses: its folded words, what is told of each choice, and how the
    choices are written, in folded words too."""

    words: Sequence[str]
    told: Mapping[str, Message]
    spelled: Mapping[str, str]
    form: Message


def _spelled(**words: str) -> dict[str, str]:
    """Return the choice that each word means, from the words of each choice."""
    return {word: choice for choice, said in words.items() for word in said.split()}


# By the column of the player's row.
WISHES: Mapping[str, Wish] = {
    "reminders": Wish(
        ("reminders", "reminder", "paminnelser", "paminnelse"),
        {
            "on": say("You are reminded before each deadline."),
            "off": say("You are reminded of nothing."),
            "daily": say("You are reminded of everything in one letter a day."),
        },
        _spelled(on="on pa", off="off av", daily="daily daglig dagligen"),
        say("PREFS REMINDERS ON, OFF or DAILY"),
    ),
    "board": Wish(
        ("board", "brett", "brettet", "brade", "bradet"),
        {
            "table": say("Letters show the board as a table."),
            "picture": say("Letters show the board as a picture, if the adjudicator can draw one."),
        },
        _spelled(table="table tabell", picture="picture bilde bild"),
        say("PREFS BOARD TABLE or PICTURE"),
    ),
    "page": Wish(
        ("page", "side", "siden", "sida", "sidan"),
        {
            "attached": say("The page is attached to reports."),
            "link": say("Reports lead to your page on the club's site, if it has one."),
            "none": say("No page is attached to reports."),
        },
        _spelled(
            attached="attached vedlagt bifogad", link="link lenke lank lanken", none="none ingen"
        ),
        say("PREFS PAGE ATTACHED, LINK or NONE"),
    ),
    "receipts": Wish(
        ("receipts", "receipt", "kvitteringer", "kvittering", "kvitton", "kvitto"),
        {
            "full": say("Receipts help: with a sheet to fill in where one is needed."),
            "short": say("Receipts are short: what is in force, and what is wrong."),
        },
        _spelled(full="full fulle fulla hel hele hela", short="short kort korte korta"),
        say("PREFS RECEIPTS FULL or SHORT"),
    ),
    "reports": Wish(
        ("reports", "report", "rapporter", "rapport", "rapporten"),
        {
            "few": say("A report comes when your orders are awaited, and at the end."),
            "all": say("A report comes after each adjudication."),
        },
        _spelled(
            few="awaited ventet ventede avventet vantad vantade invantad invantade",
            all="all alle alla",
        ),
        say("PREFS REPORTS ALL or AWAITED"),
    ),
}


def column_of(word: str) -> str | None:
    """Return the column of which a player speaks; None if there is none of that name."""
    return next((name for name, wish in WISHES.items() if folded(word) in wish.words), None)


def choice_of(column: str, word: str) -> str | None:
    """Return the choice that a word means; None if it means none."""
    return WISHES[column].spelled.get(folded(word))


def standing(holder: Holder) -> Iterator[Message]:
    """Tell what a player has chosen, and how each choice is changed."""
    for column, wish in WISHES.items():
        told = wish.told[getattr(holder, column)]
        yield say("{told} To change that: {form}", told=told, form=wish.form)
