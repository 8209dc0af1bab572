"""What players may be called: nothing that the program says itself, and nothing that could be taken
for another player (interface, Names).

Players who have such a name from before keep it.
"""

from collections.abc import Iterator
from functools import cache

from adjudicator.core import sheets
from adjudicator.core.commands import is_press, read_commands
from adjudicator.core.lookalikes import has_unseen, looks_of
from adjudicator.core.message import LANGUAGES, say
from adjudicator.core.orders import Line, shown
from adjudicator.games import GAMES
from adjudicator.reports.words import words
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.loaded_match import spelt_name
from adjudicator.service.matches.seating import OPEN
from adjudicator.store import players
from adjudicator.store.database import Tx
from adjudicator.store.players import Player

_LONGEST = 40
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
# They stand around what we say of a player: "Anna (you)", "Bob (withdrawn)".
_BRACKETS = frozenset("()[]{}\uff08\uff09\uff3b\uff3d\uff5b\uff5d")

# Words by which we call somebody who is no player, or all of them.
_ROLES = """
you, the game master, game master, gamemaster, gm, the operator, operator, owner, admin,
administrator, moderator, the host, host, referee, umpire, root, postmaster, hostmaster, webmaster,
mailer-daemon, mailer daemon, system, the club, club, open, open seat, name hidden, hidden,
anonymous, unsigned, nobody, no one, none, somebody, someone, everybody, everyone, all, others,
another player, a stranger, stranger, players, opponent, your opponent, substitute, onlooker,
onlookers, draw, void, withdrawn,

du, spilleder, spillederen, operatør, operatøren, dommer, klubben, ingen, noen, alle, en annen
spiller, motstander, motstanderen, vikar, ledig plass, åpen, navnet er skjult, skjult, usignert,
remis,

spelledare, spelledaren, operatör, operatören, domare, någon, alla, en annan spelare, motståndare,
motståndaren, vikarie, ledig plats, öppen, namnet är dolt, dold, osignerat, oavgjort
"""
# No name begins with one of these.
_BEGINNINGS = (
    *("computer", "datamaskin", "datorn", "adjud"),
    *("former player", "tidligere spiller", "tidigare spelare"),
)


def name_of(text: str) -> str:
    """Return a player's name, checked. Raises Refusal."""
    name = spelt_name(text)
    if not 1 <= len(name) <= _LONGEST:
        raise Refusal(say("a player's name must have 1 to 40 characters"))
    plain = name.isprintable() and not set(name) & {*"@<>", *_BIDI}
    if name.casefold().startswith("computer") or name.casefold() == OPEN or not plain:
        raise Refusal(
            say(
                "'{name}' cannot be a player's name; it must not contain @ < > or be computer or "
                "open",
                name=shown(name),
            )
        )
    if has_unseen(name) or set(name) & _BRACKETS:
        raise Refusal(
            say(
                "'{name}' cannot be a player's name; it must not contain brackets or invisible "
                "characters",
                name=shown(name),
            )
        )
    if _reads_as_command(name):
        raise Refusal(
            say(
                "'{name}' has a meaning as a line of an email; a player who quotes it would send "
                "it",
                name=shown(name),
            )
        )
    if _has_a_meaning(name):
        raise Refusal(
            say(
                "'{name}' cannot be a player's name, because it means something else here",
                name=shown(name),
            )
        )
    return name


def _has_a_meaning(name: str) -> bool:
    looks = looks_of(name)
    if not looks.isdisjoint(_reserved_looks()):
        return True
    return any(
        one.startswith(look) for one in looks for begin in _BEGINNINGS for look in looks_of(begin)
    )


@cache
def _reserved_looks() -> frozenset[str]:
    """Return how the words look that are nobody's name."""
    roles = (" ".join(role.split()) for role in _ROLES.split(","))
    return frozenset().union(*map(looks_of, (*roles, *_seats())))


def _seats() -> Iterator[str]:
    """Yield the words for the seats of all games, in all languages."""
    for slug, game in GAMES.items():
        yield from game.seats
        yield from game.seat_words
        for language in LANGUAGES:
            yield from map(words(language, slug), game.seat_titles.values())


def _reads_as_command(name: str) -> bool:
    """Return whether a name, alone in a line of an email that somebody sends back, would be obeyed:
    players may choose their names, and lists of them stand in emails."""
    line = Line(1, name)
    commands, _ = read_commands([line])
    return bool(commands) or is_press(line) or sheets.begins(name) or sheets.ends(name)


def like(tx: Tx, name: str, *, but: Player | None = None) -> str | None:
    """Return the name of another player that could be taken for this one; None if there is none."""
    own, looks = but.name if but else None, looks_of(name)
    others = (one for one in players.names(tx) if one != own)
    return next((one for one in others if not looks.isdisjoint(looks_of(one))), None)


def refuse_look_alike(tx: Tx, name: str, *, but: Player | None = None) -> None:
    """Refuse a name that could be taken for another player's. Raises Refusal."""
    if other := like(tx, name, but=but):
        raise Refusal(
            say(
                "'{name}' looks like {other}, who is a player here; choose another name",
                name=shown(name),
                other=other,
            )
        )
