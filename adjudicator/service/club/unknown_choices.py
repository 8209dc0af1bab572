"""Tell the operator what is not known or cannot be read and stops nothing: ladders, and the time
zones and languages that were chosen, such as a zone whose name an upgrade took away. UTC and
English stand in for them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from adjudicator.core.message import LANGUAGES, Message, say
from adjudicator.core.orders import shown
from adjudicator.games import GAMES
from adjudicator.resources import is_time_zone
from adjudicator.service.base.context import Context, Progress
from adjudicator.service.base.options import is_known
from adjudicator.service.competition import ladders as of_ladders
from adjudicator.service.competition import tournament as of_tournaments
from adjudicator.service.outbox import queue
from adjudicator.store import choices
from adjudicator.store.database import Store, Tx

_FEW = 10  # names that are told
_ZONE = "timezone"


def found(tx: Tx) -> Sequence[tuple[str, Message]]:
    """Return what is not known, each with a key of its own."""
    of_matches = choices.strange_of_matches(tx, _strange)
    of_players = choices.strange_of_players(tx, "zone", is_time_zone)
    languages = choices.strange_of_players(tx, "language", LANGUAGES.__contains__)
    _, ladders = of_ladders.all_readable(tx)
    return [
        *((f"ladder/{name}/unread", _unread(name)) for name in ladders),
        *((f"option/{one}", _of_matches(one, who)) for one, who in of_matches.items()),
        *((f"zone/players/{zone}", _of_players(zone, who)) for zone, who in of_players.items()),
        *((f"language/{code}", _of_language(code, who)) for code, who in languages.items()),
    ]


def unread_tournaments(tx: Tx) -> Sequence[Message]:
    """Return what the doctor says of tournaments; of one that is played a tick tells, too."""
    return [_unread(name) for name in of_tournaments.all_readable(tx)[1]]


def _unread(name: str) -> Message:
    return say(
        "{name} cannot be read: a fault in its rows. It is not shown and does not go on until "
        "they are mended",
        name=name,
    )


def _strange(game: str, options: Mapping[str, str]) -> list[str]:
    """Return the options that this version cannot follow, as KEY=VALUE."""
    return [
        f"{key}={value}"
        for key, value in options.items()
        if game in GAMES
        and not (is_time_zone(value) if key == _ZONE else is_known(GAMES[game], key, value))
    ]


def _of_matches(option: str, who: Sequence[str]) -> Message:
    key, _, zone = option.partition("=")
    if key != _ZONE:
        return say(
            "{names}: the option '{option}' is not known, so it is not followed. `adjud gm option "
            "MATCH KEY=VALUE` sets another value",
            names=_listed(who),
            option=shown(option),
        )
    return say(
        "{names}: the time zone '{zone}' is not known any more, so deadlines are in UTC. `adjud gm "
        "option MATCH timezone=ZONE` changes it",
        names=_listed(who),
        zone=shown(zone),
    )


def _of_players(zone: str, who: Sequence[str]) -> Message:
    return say(
        "{names}: the time zone '{zone}' is not known any more, so times are shown in UTC. `adjud "
        "player set NAME --timezone ZONE` changes it",
        names=_listed(who),
        zone=shown(zone),
    )


def _of_language(code: str, who: Sequence[str]) -> Message:
    return say(
        "{names}: the language '{language}' is not known, so emails are in English. `adjud player "
        "set NAME --language LANGUAGE` changes it",
        names=_listed(who),
        language=shown(code),
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_FEW]) + (", …" if len(names) > _FEW else "")


def tell(store: Store, *, now: datetime, context: Context) -> Iterator[Progress]:
    """Tell the operator of each, once."""
    with store.reading() as tx:
        strange = found(tx)
    for key, told in strange:
        with store.transaction() as tx:
            is_new = queue.queue_warning_once(tx, key, told, now=now, context=context)
        if is_new:
            yield Progress(told, urgent=True)
