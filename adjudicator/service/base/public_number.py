"""The public number that decides in a match with its seed (`core/public_chance.py`): which one it
is, and when it is published. All of it follows from the match's row."""

from datetime import datetime

from adjudicator.core import public_chance
from adjudicator.core.message import Message, say
from adjudicator.service.base.calendar import when
from adjudicator.store.matches import Match


def which_number(match: Match) -> str:
    """Return which public number decides in a match; empty if none does, or nobody can know yet
    because seats are open."""
    option = chance_option(match)
    if match.full_at is None and option == public_chance.DRAND:
        return ""
    full = int(match.full_at.timestamp()) if match.full_at else 0
    return public_chance.which(match.options, full)


def chance_option(match: Match) -> str:
    """Return the option `chance`, which a match of an older program lacks."""
    return match.options.get("chance", public_chance.SEED)


def number_due(match: Match) -> datetime | None:
    """Return when the number that decides is published; None if that is not known yet."""
    return public_chance.publication_time(which_number(match))


def number_named(name: str) -> Message:
    """Name the number that WHICH names, for people."""
    if number := public_chance.round_of(name):
        return say("the signature of drand quicknet, round number {number}", number=number)
    draw = public_chance.draw_of(name)
    assert draw is not None
    return say("the {n} numbers of {what}", n=draw.n, what=draw.what)


def is_too_early(match: Match) -> bool:
    """Return whether another draw has to be named, because it comes too soon."""
    name = which_number(match)
    if not name or match.full_at is None:
        return False
    return public_chance.is_too_early(name, match.full_at)


def why_unopened(match: Match) -> Message:
    """Say why a match has no position."""
    due = number_due(match)
    if match.status == "over":
        return say("it was cancelled before that")
    if match.full_at is None or due is None:
        return say("it waits for players, and then for a public number")
    if is_too_early(match):
        return say("it waits for the game master to name a later draw")
    if match.lots is not None:
        return say(
            "it waits for {number}, published {when}, which decides everything random in it and "
            "who has which seat",
            number=number_named(which_number(match)),
            when=when(due),
        )
    return say(
        "it waits for {number}, published {when}, which decides everything random in it",
        number=number_named(which_number(match)),
        when=when(due),
    )
