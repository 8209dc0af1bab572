"""The answer to GAMES: the games, and each open seat with what one needs to know of it."""

from collections.abc import Iterator
from contextlib import suppress

from adjudicator.core.holders import holder_read
from adjudicator.core.message import Message, Words, count, say
from adjudicator.games import GAMES
from adjudicator.reports.words import words
from adjudicator.service.base.calendar import Never, pace
from adjudicator.service.base.loaded_match import Unreadable, readable
from adjudicator.service.base.options import terms
from adjudicator.store import matches
from adjudicator.store.database import Tx
from adjudicator.store.matches import Match

MOST = 20  # matches that are listed, the oldest first


def games(tx: Tx, language: str) -> str:
    """List the games, and the matches with open seats."""
    tell = words(language, "")
    names = ", ".join(words(language, slug)(say(game.title)) for slug, game in GAMES.items())
    return "\n".join([tell(say("Games: {names}.", names=names)), to_be_had(tx, language)])


def to_be_had(tx: Tx, language: str) -> str:
    """List the matches with open seats, in one reader's words."""
    tell = words(language, "")
    free = matches.free_seats(tx)
    names = list(dict.fromkeys(match for match, game, _ in free if game in GAMES))
    if not names:
        return tell(say("No seat is to be had now."))
    lines = [tell(say("Seats to be had:"))]
    for name in names[:MOST]:
        match = matches.find(tx, name)
        assert match is not None
        with suppress(Unreadable), readable(match):
            lines += ["", *_match(tx, match, words(language, match.game))]
    if more := len(names[MOST:]):
        lines += ["", tell(count("and {n} more match", "and {n} more matches", more))]
    return "\n".join(lines)


def _match(tx: Tx, match: Match, tell: Words) -> Iterator[str]:
    """Yield game, variant and pace in one line, then who has which seat, and how to take one."""
    game, holders = GAMES[match.game], matches.holders(tx, match.id)
    played = f"{tell(say(game.title))} {tell(game.variant_titles[match.variant])}"
    yield f"{match.name}: {played}, {_pace(match, tell)}"
    for seat in game.seats:
        if seat not in holders:
            continue
        title = tell(game.seat_titles[seat])
        name = holder_read(holders[seat].shown_name, tell)
        yield f"  {title}: {name or tell(_open(match.name, title.lower()))}"


def _pace(match: Match, tell: Words) -> str:
    agreed = terms(match.options)
    told = tell(pace(agreed.deadline))
    return told if isinstance(agreed.deadline, Never) else f"{told} {agreed.zone.key}"


def _open(match: str, seat: str) -> Message:
    return say("open seat, JOIN {match} {seat}", match=match, seat=seat)
