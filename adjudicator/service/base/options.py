"""The options of a match: those of every game, and those that the game adds (interface, section 1).

Those that do not alter its rules the game master may change while it is played (`CHANGEABLE`). A
change is a ruling of the action `option`. Its message names the option and its new value, so who
has the first line of a log and its rulings knows what was agreed at any time: the club itself
(`adjud verify`) and a player (`adjud audit`).
"""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from msgspec import Struct

from adjudicator.core import public_chance
from adjudicator.core.acts import Act, effect_of
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Option, defaults
from adjudicator.core.message import Message, both, say
from adjudicator.core.orders import shown
from adjudicator.resources import zone_of
from adjudicator.service.base.bank import NONE, Bank, parse_bank, spell_bank
from adjudicator.service.base.calendar import (
    Deadline,
    Never,
    Skip,
    Weekly,
    pace,
    parse_deadline,
    parse_duration,
    parse_skip,
    parse_zone,
)
from adjudicator.service.base.context import Refusal, unknown

ABSENCE = ("gm", "forfeit")
PRESS = ("on", "off", "all", "unsigned")
NAMES = ("open", "hidden")
PRESS_WHEN = ("now", "report")
OFF = "off"
MOST_TURNS_LATE = 99  # of the page for onlookers
UNSIGNED_PEOPLE = 3  # fewer would know who wrote
REMINDERS = ("on", "off")
LEAVE = ("announced", "auto", "none")
LEAVE_DAYS = "5"  # that silence may hold up a new match with leave=auto
SUBSTITUTES = ("off", "on")
LEVELS = ("token+from", "token", "token+auth", "confirm")

MOST_EXCUSED = 99
MOST_RELIABLE = 100
MOST_LEAVE_DAYS = 366
_WHOLE = re.compile(r"[0-9]{1,9}")

DEFAULTS: Mapping[str, str] = {
    "deadline": "none",
    "timezone": "UTC",
    "skip": "none",
    "absence": "gm",
    "excused": "0",
    "grace": "0",
    "settle": "0",
    "level": LEVELS[0],
    "press": PRESS[0],
    "hold_on_bounce": "false",
    "chance": public_chance.SEED,
}
# Options that a match has only if they were chosen, with what holds in all others.
UNCHOSEN: Mapping[str, str] = {
    "drand_after": public_chance.A_DAY,
    "reminders": "on",
    "press_when": "now",
    "names": NAMES[0],
    "onlookers": OFF,
    "bank": NONE,
    "double": NONE,
    "leave": LEAVE[0],
    "leave_days": NONE,
    "reliable": "0",
    "substitutes": OFF,
}


# What the page of options says of each: its values, or examples of them, and what it decides.
ABOUT: Mapping[str, tuple[str, str]] = {
    "deadline": (
        "`none`, `every 3 days`, `Tue,Fri 18:00`",
        "when orders are due; `adjud gm deadline` sets another time for one turn",
    ),
    "timezone": (
        "`Europe/Oslo` …",
        "the zone of the deadline; UTC stands in for one that is not known any more. The "
        "operator is told of it, as of any option that this version does not know",
    ),
    "absence": (
        "`gm`, `forfeit`",
        "at the deadline: wait for the game master, who is reminded, or lose by forfeit (in "
        "Spion: be played by the default rules)",
    ),
    "grace": ("`0`, `6 hours` …", "time after the deadline before a silent seat loses by forfeit"),
    "settle": ("`0`, `2 hours` …", "how long complete orders may still be changed"),
    "skip": ("`none`, `Sat,Sun,2026-12-24..2027-01-02`", "days on which no deadline falls"),
    "excused": ("`0` … `99`", "missed deadlines a seat is excused before `absence` applies"),
    "level": (
        "`token+from`, `token`, `token+auth`, `confirm`",
        "what an email needs to order at once",
    ),
    "press": (
        "`on`, `off`, `all`, `unsigned`",
        "messages between seats: named, none, only to all, or unsigned if the writer wishes "
        "([club.md](../club.md#10-press))",
    ),
    "names": (
        "`open`, `hidden`",
        "whether players are called by their seats alone until the end "
        "([club.md](../club.md#64-hidden-names))",
    ),
    "onlookers": (
        "`off`, `0` … `99`",
        "a page of the running match for everybody, so many turns late "
        "([club.md](../club.md#9-onlookers))",
    ),
    "press_when": ("`now`, `report`", "whether a message is sent at once or with the next report"),
    "bank": (
        "`none`, `10 days + 1 day max 10 days` …",
        "a reserve of time for each seat after the deadline, see "
        "[options](../options.md#a-reserve-of-time)",
    ),
    "double": (
        "`none`, `3 days` …",
        "how long a reserve runs in one turn before it runs twice as fast",
    ),
    "leave": (
        "`announced`, `auto`, `none`",
        "whether days of absence move deadlines, and whether a silent player is given one, "
        "see [options](../options.md#a-reserve-of-time)",
    ),
    "leave_days": (
        "`0` … `366`, `none`",
        "how many days `leave=auto` gives a silent player in one match at most; 5 in a new "
        "match with `leave=auto`",
    ),
    "reliable": (
        "`0` … `100`",
        "how many of a hundred turns a player must have sent on time to JOIN, see [the "
        "club](../club.md#61-reliability)",
    ),
    "substitutes": (
        "`off`, `on`",
        "whether other players are asked to take over before a silent player forfeits, see "
        "[the club](../club.md#63-substitutes)",
    ),
    "reminders": (
        "`on`, `off`",
        "whether players are reminded before a deadline; each player may also turn reminders "
        "off, or have one a day",
    ),
    "chance": (
        "`seed`, `drand`, `numbers: N of WHAT at TIME`",
        "where dice, deals and volcanoes come from, see "
        "[options](../options.md#chance-that-nobody-can-choose)",
    ),
    "drand_after": (
        "`1 hour`, `1 day`",
        "with `chance=drand`: how long after the last seat was taken its round comes; `1 "
        "hour` in a new match, a day in one from before 0.2.32",
    ),
    "hold_on_bounce": (
        "`false`, `true`",
        "put the match on hold when a report cannot be delivered",
    ),
}

_OWN: Mapping[str, Option] = {
    "absence": Option(ABSENCE),
    "level": Option(LEVELS),
    "press": Option(PRESS),
    "press_when": Option(PRESS_WHEN),
    "drand_after": Option(tuple(public_chance.AFTER)),
    "names": Option(NAMES),
    "reminders": Option(REMINDERS),
    "leave": Option(LEAVE),
    "reliable": Option(most=MOST_RELIABLE),
    "substitutes": Option(SUBSTITUTES),
    "hold_on_bounce": Option(("false", "true")),
    "excused": Option(most=MOST_EXCUSED),
}


class Terms(Struct, frozen=True):
    """The options that every match has, as values."""

    deadline: Deadline
    zone: ZoneInfo
    skip: Skip
    absence: str
    excused: int
    grace: timedelta
    settle: timedelta
    reminders: bool
    bank: Bank | None
    double: timedelta | None
    leave: str
    leave_days: int | None  # that a silent player is given at most; a match from before has no end
    reliable: int
    substitutes: bool

    @property
    def has_reserve(self) -> bool:
        """Return whether silence has consequences only at each seat's own time (club, 5.2)."""
        return self.bank is not None or self.leave == "auto"

    @property
    def has_private_time(self) -> bool:
        """Return whether a seat's own time depends on the days on which its player is away, of
        which nobody else is told."""
        return self.has_reserve and self.leave != "none"


def terms(options: Mapping[str, str]) -> Terms:
    """Return a match's options as values.

    A match that an older program opened lacks the newer ones; they get their defaults.
    """
    return _terms(frozenset(options.items()))


@lru_cache(1024)
def _terms(chosen: frozenset[tuple[str, str]]) -> Terms:
    options = {**DEFAULTS, **UNCHOSEN, **dict(chosen)}
    return Terms(
        deadline=parse_deadline(options["deadline"]),
        zone=zone_of(options["timezone"]),
        skip=parse_skip(options["skip"]),
        absence=options["absence"],
        excused=int(options["excused"]),
        grace=parse_duration(options["grace"]),
        settle=parse_duration(options["settle"]),
        reminders=options["reminders"] == "on",
        bank=parse_bank(options["bank"]),
        double=_parse_double(options["double"]),
        leave=options["leave"],
        leave_days=None if options["leave_days"] == NONE else int(options["leave_days"]),
        reliable=int(options["reliable"]),
        substitutes=options["substitutes"] == "on",
    )


def deadlines(agreed: Terms) -> Message:
    """Say how often orders are due, in a sentence for somebody who has not played yet."""
    told = pace(agreed.deadline)
    if isinstance(agreed.deadline, Never):
        return say("There are no deadlines.")
    each = say("Orders are due {pace}.", pace=told)
    if isinstance(agreed.deadline, Weekly):
        each = say("Orders are due {pace} ({zone}).", pace=told, zone=agreed.zone.key)
    if agreed.bank is None:
        return each
    return both(each, say("After it, each player has a reserve of time."))


def level(options: Mapping[str, str]) -> str:
    """Return how surely a match wants to know who sent an email (emails, section 3)."""
    return options.get("level", DEFAULTS["level"])


def agree(game: AnyGame, given: Iterable[str], players: int) -> dict[str, str]:
    """Return all options of a match for so many players, from `KEY=VALUE` texts.

    Raises Refusal for the first that is unknown or has no such value, or that cannot be beside
    another.
    """
    agreed = parse_each(game, given, players)
    if agreed.get("leave") == "auto":
        agreed.setdefault("leave_days", LEAVE_DAYS)
    if agreed["chance"] == public_chance.DRAND:
        agreed.setdefault("drand_after", public_chance.AN_HOUR)
    check_together(agreed)
    return agreed


def options_for_new_match(options: Mapping[str, str] | Iterable[str]) -> tuple[str, ...]:
    """Return options that were agreed some time ago as `KEY=VALUE` texts, for a new match: with UTC
    in place of a time zone that is not known any more."""
    pairs = (
        options.items()
        if isinstance(options, Mapping)
        else (text.split("=", 1) for text in options if "=" in text)
    )
    return tuple(
        f"{key}={zone_of(value).key if key == 'timezone' else value}" for key, value in pairs
    )


def is_known(game: AnyGame, key: str, value: str) -> bool:
    """Return whether an option is one of a game's, and a value of it is one of its words; of other
    values nothing is said."""
    if key not in DEFAULTS and key not in UNCHOSEN:
        return key in game.options and _is_word(game.options[key], value)
    return key not in _OWN or _is_word(_OWN[key], value)


def _is_word(option: Option, value: str) -> bool:
    return not option.values or value in option.values


def parse_each(game: AnyGame, given: Iterable[str], players: int) -> dict[str, str]:
    """Return the same, each option read by itself."""
    agreed = {**DEFAULTS, **defaults(game.options, players)}
    for text in given:
        key, equals, value = text.partition("=")
        key, value = key.strip().replace("-", "_"), value.strip()
        if not equals:
            raise Refusal(say("'{seen}': write an option as KEY=VALUE", seen=shown(text)))
        if key not in (known := {**agreed, **UNCHOSEN}):
            raise unknown(say("there is no option '{key}'", key=shown(key)), key, known)
        agreed[key] = _spelled(game, key, value)
    return agreed


def check_together(options: Mapping[str, str]) -> None:
    """Raise Refusal if a match cannot have these options beside one another (club, 5.1)."""
    agreed = terms(options)
    if options.get("onlookers", OFF) != OFF and options.get("memory", "open") != "open":
        raise Refusal(
            say(
                "{key} needs memory=open: with memory={memory} the page would remember what the "
                "players may not",
                key="onlookers",
                memory=options["memory"],
            )
        )
    if "drand_after" in options and options["chance"] != public_chance.DRAND:
        raise Refusal(say("drand_after needs chance=drand; give chance, too"))
    if agreed.double is not None and agreed.bank is None:
        raise Refusal(say("double needs a bank; give bank, too"))
    if not agreed.has_reserve:
        return
    if isinstance(agreed.deadline, Never):
        raise Refusal(
            say("leave=auto begins after a deadline; give deadline, too")
            if agreed.bank is None
            else say("a bank is drawn on after a deadline; give deadline, too")
        )
    for key, given in (("grace", agreed.grace), ("excused", agreed.excused)):
        if given:
            raise Refusal(
                say(
                    "{key} cannot be given with {other}, which takes its place; use {key}=0",
                    key=key,
                    other="leave=auto" if agreed.bank is None else "bank",
                )
            )


def _spelled(game: AnyGame, key: str, value: str) -> str:
    """Return the value of an option as it is kept. Raises Refusal."""
    own = {
        "chance": parse_chance,
        "bank": spell_bank,
        "double": _spell_double,
        "leave_days": _spell_leave_days,
        "onlookers": _spell_onlookers,
    }
    return own[key](value) if key in own else _value(game, key, value)


def _spell_onlookers(text: str) -> str:
    plain = text.lower()
    if plain in (OFF, "none", "false", "no"):
        return OFF
    if _WHOLE.fullmatch(plain) and int(plain) <= MOST_TURNS_LATE:
        return str(int(plain))
    raise Refusal(
        say(
            "{key} must be {off}, or how many turns late the board is shown, from 0 to {most}, "
            "not '{seen}'",
            key="onlookers",
            off=OFF,
            most=MOST_TURNS_LATE,
            seen=shown(text),
        )
    )


def onlookers(options: Mapping[str, str]) -> int | None:
    """Return how many turns late a running match is shown to everybody; None if it is not (club,
    9.1)."""
    value = options.get("onlookers", OFF)
    return None if value == OFF else int(value)


def _spell_leave_days(text: str) -> str:
    if text.lower() == NONE:
        return NONE
    if _WHOLE.fullmatch(text) and int(text) <= MOST_LEAVE_DAYS:
        return str(int(text))
    raise Refusal(
        say(
            "{key} must be a whole number from 0 to {most}, not '{seen}'",
            key="leave_days",
            most=MOST_LEAVE_DAYS,
            seen=shown(text),
        )
    )


def _spell_double(text: str) -> str:
    return NONE if _parse_double(text) is None else text


def _parse_double(text: str) -> timedelta | None:
    return None if text.lower() == NONE else parse_duration(text)


def _value(game: AnyGame, key: str, value: str) -> str:
    checks: Mapping[str, Callable[[str], object]] = {
        "deadline": parse_deadline,
        "timezone": parse_zone,
        "skip": parse_skip,
        "grace": parse_duration,
        "settle": parse_duration,
    }
    if key in checks:
        checks[key](value)
        return value
    option = _OWN[key] if key in _OWN else game.options[key]
    if option.values:
        return _choice(key, value, option.values)
    if _WHOLE.fullmatch(value) and int(value) <= option.most:
        return str(int(value))
    raise Refusal(
        say(
            "{key} must be a whole number from 0 to {most}, not '{seen}'",
            key=key,
            most=option.most,
            seen=shown(value),
        )
    )


def _choice(key: str, value: str, values: tuple[str, ...]) -> str:
    plain = value.lower()
    if plain in values:
        return plain
    plain = {"yes": "true", "on": "true", "no": "false", "off": "false"}.get(plain, plain)
    if plain in values:
        return plain
    raise unknown(say("{key} cannot be '{seen}'", key=key, seen=shown(value)), value, values)


def shows_names(status: str, options: Mapping[str, str]) -> bool:
    """Return whether everybody may know who plays a match (club, 6.4)."""
    return status == "over" or options.get("names", NAMES[0]) == NAMES[0]


def refuse_unsigned(options: Mapping[str, str], people: int) -> None:
    """Raise Refusal if messages may be unsigned among too few people (club, 10.1)."""
    if options.get("press") == "unsigned" and people < UNSIGNED_PEOPLE:
        raise Refusal(
            say(
                "{option} needs at least {n} human players; with fewer the reader would know who "
                "wrote",
                option="press=unsigned",
                n=UNSIGNED_PEOPLE,
            )
        )


# The option `chance`: the seed alone, or a public number beside it (core/public_chance.py).


def parse_chance(text: str) -> str:
    """Return the option in its one spelling. Raises Refusal."""
    kinds = (public_chance.SEED, public_chance.DRAND)
    if text.lower() in kinds:
        return text.lower()
    if text.lower().startswith(public_chance.NUMBERS):
        return parse_draw(text)
    raise unknown(
        say("{key} cannot be '{seen}'", key="chance", seen=shown(text)),
        text,
        [*kinds, public_chance.NUMBERS],
    )


def parse_draw(text: str) -> str:
    """Return what names the numbers of a draw, with its time in UTC. Raises Refusal."""
    draw = public_chance.read_draw(text)
    if isinstance(draw, Message):
        raise Refusal(draw)
    try:
        at = datetime.fromisoformat(draw.time.upper())
    except ValueError:
        at = None
    if at is None or at.tzinfo is None or at.second or at.microsecond:
        raise Refusal(
            say(
                "'{seen}' is not a time with its zone; write one as 2026-12-05T19:00Z or "
                "2026-12-05T20:00+01:00",
                seen=shown(draw.time),
            )
        )
    try:
        told = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%MZ").zfill(17)
    except OverflowError:
        raise Refusal(say("a time after the year {year} cannot be set", year="9998")) from None
    return str(public_chance.Draw(draw.n, draw.what, told))


FIXED = ("chance", "drand_after", "names")
CHANGEABLE = tuple(key for key in (*DEFAULTS, *UNCHOSEN) if key not in FIXED)


def options_after(options: Mapping[str, str], acts: Iterable[Act]) -> dict[str, str]:
    """Return a match's options after these acts."""
    return {**options, **effect_of(acts).options}


def changes_of(game: AnyGame, texts: Iterable[str]) -> dict[str, str]:
    """Return the new values of `KEY=VALUE` texts.

    Raises Refusal for the first that is unknown, has no such value or cannot be changed.
    """
    changes: dict[str, str] = {}
    for text in texts:
        key = text.partition("=")[0].strip().replace("-", "_")
        if key in changes:
            raise Refusal(say("{key} is given twice", key=key))
        agreed = parse_each(game, [text], 2)
        if key not in CHANGEABLE:
            raise _unchangeable(game, key)
        changes[key] = agreed[key]
    return changes


def _unchangeable(game: AnyGame, key: str) -> Refusal:
    if key == "names":
        return Refusal(say("names stays as it was agreed: what is hidden stays so until the end"))
    if key in ("chance", "drand_after"):
        return Refusal(
            say("chance stays as it was agreed; `adjud gm chance` names a later draw for a match")
        )
    return Refusal(
        say(
            "{key} is a rule of {game} and stays as it was agreed; these can be changed: {keys}",
            key=key,
            game=game.title,
            keys=", ".join(CHANGEABLE),
        )
    )


def is_harsher(key: str, value: str, before: str) -> bool:
    """Return whether a new value costs a seat that is silent more than the one before."""
    match key:
        case "absence":
            return value == "forfeit"
        case "excused":
            return int(value) < int(before)
        case "grace":
            return parse_duration(value) < parse_duration(before)
        case "bank":
            return before != NONE
        case "double":
            return value != NONE
        case "leave":
            return before == "auto" or value == "none"
        case "leave_days":
            return value != NONE and (before == NONE or int(value) < int(before))
        case "substitutes":
            return value == "off"
        case _:
            return False
