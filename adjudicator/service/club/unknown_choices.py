"""Tell the operator what is not known or cannot be read and stops nothing: ladders, and the time
zones and languages that were chosen, such as a zone whose name an upgrade took away. UTC and
English stand in for them."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from adjudicator.core.message import LANGUAGES, Message, say
from adjudicator.core.orders import shown
from adjudicator.games import GAMES
from adjudicator.resources import is_time_zone
from adjudicator.service.base.context import Progress, Session
from adjudicator.service.base.jobs import DueItem, Tick, Told
from adjudicator.service.base.options import is_known
from adjudicator.service.competition import ladder_tables as of_ladders
from adjudicator.service.competition import tournament as of_tournaments
from adjudicator.service.outbox.queue import alert
from adjudicator.store import upkeep
from adjudicator.store.database import Tx
from adjudicator.store.upkeep import Choice

_FEW = 10  # names that are told
_ZONE = "timezone"


def find_unknown(tx: Tx) -> Sequence[tuple[str, Message]]:
    """Return what is not known or cannot be read, each with a key of its own."""
    strange: dict[tuple[str, str], list[Choice]] = {}
    for one in upkeep.choices_in_use(tx):
        for what in _strange(one):
            strange.setdefault(what, []).append(one)
    return [
        (f"{kind}/{what}", _TOLD[kind](what, upkeep.names_with_choices(tx, some)))
        for (kind, what), some in strange.items()
    ]


def _strange(one: Choice) -> Iterator[tuple[str, str]]:
    """Yield what this version cannot follow of a choice, as its kind and what it is."""
    if one.of == "zone":
        yield from () if is_time_zone(one.value) else [("zone", one.value)]
    elif one.of == "language":
        yield from () if one.value in LANGUAGES else [("language", one.value)]
    elif (options := one.options) is None:
        # What is told of a match, and of a tournament that is played, a tick tells by itself.
        yield from [("ladder", one.value)] if one.of == "ladder" else ()
    elif one.game in GAMES:
        for key, value in options.items():
            if key == _ZONE:
                yield from () if is_time_zone(value) else [("deadlines", value)]
            elif not is_known(GAMES[one.game], key, value):
                yield "option", f"{key}={value}"


def messages_for_doctor(tx: Tx) -> Sequence[Message]:
    """Return what the doctor says of tournaments and ladders that cannot be read."""
    names = [*of_tournaments.all_readable(tx)[1], *of_ladders.all_readable(tx)[1]]
    return [_message_of_unreadable(name) for name in names]


def _message_of_unreadable(name: str) -> Message:
    return say(
        "{name} cannot be read: a fault in its rows. It is not shown and does not go on until "
        "they are mended",
        name=name,
    )


def _of_options(option: str, who: Sequence[str]) -> Message:
    return say(
        "{names}: the option '{option}' is not known, so it is not followed. `adjud gm option "
        "MATCH KEY=VALUE` sets another value",
        names=_first_names(who),
        option=shown(option),
    )


def _of_matches(zone: str, who: Sequence[str]) -> Message:
    return say(
        "{names}: the time zone '{zone}' is not known any more, so deadlines are in UTC. `adjud gm "
        "option MATCH timezone=ZONE` changes it",
        names=_first_names(who),
        zone=shown(zone),
    )


def _of_players(zone: str, who: Sequence[str]) -> Message:
    return say(
        "{names}: the time zone '{zone}' is not known any more, so times are shown in UTC. `adjud "
        "player set NAME --timezone ZONE` changes it",
        names=_first_names(who),
        zone=shown(zone),
    )


def _of_language(code: str, who: Sequence[str]) -> Message:
    return say(
        "{names}: the language '{language}' is not known, so emails are in English. `adjud player "
        "set NAME --language LANGUAGE` changes it",
        names=_first_names(who),
        language=shown(code),
    )


def _first_names(names: Sequence[str]) -> str:
    return ", ".join(names[:_FEW]) + (", …" if len(names) > _FEW else "")


_TOLD: Mapping[str, Callable[[str, Sequence[str]], Message]] = {
    "zone": _of_players,
    "language": _of_language,
    "deadlines": _of_matches,
    "option": _of_options,
    "ladder": lambda _, who: _message_of_unreadable(_first_names(who)),
}


def due(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return what the operator is to hear of."""
    return [DueItem(one) for one in find_unknown(tx)]


def tell(s: Session, one: tuple[str, Message]) -> Told:
    """Tell the operator of something, once."""
    key, told = one
    is_new = alert(s, told, key, once="ever")
    return Progress(told, urgent=True) if is_new else None
