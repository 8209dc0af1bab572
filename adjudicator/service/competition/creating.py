"""Make a tournament: what can be asked for, and what is refused (club, 7.1)."""

import re
import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta

from msgspec import Struct

from adjudicator.core.clock import SEARCH
from adjudicator.core.game import AnyGame
from adjudicator.core.message import Message, count, say
from adjudicator.core.orders import shown
from adjudicator.core.pairing import history
from adjudicator.resources import zone_of
from adjudicator.service.base.calendar import Never, parse_duration, parse_moment, period
from adjudicator.service.base.context import Context, OpenClub, Refusal, unknown
from adjudicator.service.base.loaded_match import find_player, game_of
from adjudicator.service.base.options import agree, check_together, parse_chance, terms
from adjudicator.service.competition import entering, log
from adjudicator.service.competition.kinds import KINDS
from adjudicator.service.competition.kinds.kind import Kind
from adjudicator.service.competition.tournament import find, seats_of
from adjudicator.service.matches import creation
from adjudicator.store import clubs, matches, rows, tournaments
from adjudicator.store.database import Store, Twice, Tx
from adjudicator.store.tournaments import Format, TournamentRow

NAME = re.compile(r"[a-z][a-z0-9-]{0,15}")
_MOST_ROUNDS = 99
A_DAY = timedelta(days=1)


class NewTournament(Struct, frozen=True, kw_only=True):
    """A tournament as the game master asks for it; texts and numbers as they were typed."""

    name: str
    game: str
    kind: str
    variant: str | None = None
    seats: str | None = None
    rounds: int | None = None
    twice: bool = False
    at_once: int | None = None
    size: int | None = None
    starts: str | None = None
    round_limit: str | None = None
    options: Sequence[str] = ()
    entrants: Sequence[str] = ()
    is_public: bool = False
    chance: str | None = None


def create(club: OpenClub, wanted: NewTournament, *, zone: str) -> Message:
    """Make a tournament with its first entrants. `zone` is that of `starts`. Raises Refusal."""
    kind = _kind(wanted.kind)
    game = game_of(wanted.game)
    variant = creation.variant_of(game, wanted.variant)
    form = _format(kind, game, variant, wanted)
    options = _options(game, wanted.options, form)
    chance = parse_chance(wanted.chance or _usual_chance(wanted.options, club.context))
    starts_at = None
    if wanted.starts is not None:
        starts_at = parse_moment(wanted.starts, zone_of(zone), club.now, None)
        if starts_at <= club.now:
            raise Refusal(say("{seen} is in the past; write a later time", seen=wanted.starts))
    try:
        with club.session() as s:
            name = _name(s.tx, wanted.name)
            made = rows.add(
                s.tx,
                TournamentRow,
                name=name,
                kind=kind.slug,
                game=game.slug,
                variant=variant,
                options=options,
                format=form,
                seed=secrets.token_bytes(history.LENGTH),
                chance=chance,
                status="open",
                is_public=wanted.is_public,
                starts_at=starts_at,
                created_at=club.now,
                wake_at=starts_at,
            )
            log.note(s.tx, made, log.opening(made), club.now)
            if starts_at is not None:
                clubs.begin_clock(s.tx, club.now)
            for player in dict.fromkeys(find_player(s.tx, text).id for text in wanted.entrants):
                entering.enter_player(s.tx, find(s.tx, name), player, now=club.now)
            entering.tell_entrants(s, find(s.tx, name))
    except Twice:
        raise Refusal(say("there is already a tournament {name}", name=wanted.name)) from None
    return say("{name} is open", name=name)


def _usual_chance(options: Sequence[str], context: Context) -> str:
    """Return what decides the lots of a tournament if its game master does not say it: what its
    matches use, unless that is a draw, which comes once; else what the club does."""
    for text in options:
        key, _, value = text.partition("=")
        if key.strip() == "chance" and value.strip().lower() in ("seed", "drand"):
            return value.strip()
    return context.chance


def longest_silence(store: Store, name: str, *, context: Context) -> Message:
    """Say how long a player who is silent may hold up a round of a tournament."""
    with store.reading() as tx:
        agreed = terms(find(tx, name).row.options)
    if isinstance(agreed.deadline, Never) or agreed.absence != "forfeit":
        return say("A silent player holds up a round until you decide, because nobody forfeits.")
    waits = period(agreed.deadline)
    if agreed.bank is not None:
        waits += agreed.bank.start
    if agreed.leave == "auto":
        given = context.absence_days if agreed.leave_days is None else agreed.leave_days
        waits += min(given, context.absence_days) * A_DAY
    if agreed.substitutes:
        waits += SEARCH
    return count(
        "A silent player can hold up a round for {n} day.",
        "A silent player can hold up a round for {n} days: the time of a turn, the reserve, and "
        "days of absence.",
        -(-waits // A_DAY),
    )


def _kind(text: str) -> Kind:
    words = {word: one for one in KINDS.values() for word in (one.slug, *one.spellings)}
    if text.lower() not in words:
        what = say("'{seen}' is not a kind of tournament", seen=shown(text))
        raise unknown(what, text.lower(), KINDS)
    return words[text.lower()]


def _format(kind: Kind, game: AnyGame, variant: str, wanted: NewTournament) -> Format:
    _refuse_what_does_not_fit(kind, wanted)
    possible = [n for n in game.players if seats_of(game, variant, n)]
    least, most = kind.seats(game, possible, wanted.seats)
    limit = parse_duration(wanted.round_limit) if wanted.round_limit else None
    form = Format(
        least=least,
        most=most,
        rounds=wanted.rounds or 0,
        twice=wanted.twice,
        at_once=wanted.at_once or 0,
        size=wanted.size or 0,
        round_limit=int(limit.total_seconds()) if limit else 0,
    )
    allowed = kind.limits(form)
    if wanted.size is not None and not allowed.least <= wanted.size <= allowed.most:
        raise Refusal(
            say(
                "a {kind} is for {least} to {most} entrants, not {seen}",
                kind=kind.title,
                least=allowed.least,
                most=allowed.most,
                seen=wanted.size,
            )
        )
    entrants = wanted.size or (0 if wanted.is_public else len(wanted.entrants))
    if entrants >= allowed.least:
        kind.check(form, entrants)
    return form


def _refuse_what_does_not_fit(kind: Kind, wanted: NewTournament) -> None:
    given = {
        "--twice": wanted.twice,
        "--at-once": wanted.at_once is not None,
        "--rounds": wanted.rounds is not None,
        "--seats": wanted.seats is not None,
    }
    for option, is_given in given.items():
        if is_given and option not in kind.takes:
            raise Refusal(say("a {kind} has no option {option}", kind=kind.title, option=option))
    for option, number in (("--rounds", wanted.rounds), ("--at-once", wanted.at_once)):
        if number is not None and not 1 <= number <= _MOST_ROUNDS:
            raise Refusal(
                say(
                    "{option} must be from 1 to {most}, not {seen}",
                    option=option,
                    most=_MOST_ROUNDS,
                    seen=number,
                )
            )


def _options(game: AnyGame, given: Sequence[str], form: Format) -> dict[str, str]:
    """Return the options that differ from a match's own, as they are agreed for every size."""
    keys = {text.partition("=")[0].strip().replace("-", "_") for text in given}
    usual = dict(text.split("=", 1) for text in creation.OPTIONS)
    template = {key: value for key, value in usual.items() if key not in keys}
    replaced = agree(game, given, form.most)
    if replaced["deadline"] == "none" and "deadline" in keys:
        template = {}
    elif replaced["grace"] != "0" or replaced["excused"] != "0":
        template = {k: v for k, v in template.items() if k not in ("bank", "leave")}
    if "onlookers" not in keys and _may_be_watched(replaced):
        template["onlookers"] = "2"
    texts = [*(f"{key}={value}" for key, value in template.items()), *given]
    agreed = agree(game, texts, form.most)
    for players in range(form.least, form.most):
        agree(game, texts, players)
    chosen = {*template, *keys, "leave_days"}
    return {key: agreed[key] for key in agreed if key in chosen}


def _may_be_watched(options: Mapping[str, str]) -> bool:
    """Return whether matches with these options may be shown to everybody (club, 9.2)."""
    try:
        check_together({**options, "onlookers": "2"})
    except Refusal:
        return False
    return True


def _name(tx: Tx, wanted: str) -> str:
    name = wanted.lower()
    if not NAME.fullmatch(name):
        raise Refusal(
            say(
                "'{seen}' cannot name a tournament; write a letter, then up to 15 letters, digits "
                "or -",
                seen=shown(wanted),
            )
        )
    if name in tournaments.names(tx):
        raise Refusal(say("there is already a tournament {name}", name=name))
    for match in matches.names(tx):
        if creation.is_of_tournament(match, [name]):
            raise Refusal(
                say(
                    "there is a match {match}; the matches of a tournament {name} would be called "
                    "like it",
                    match=match,
                    name=name,
                )
            )
    creation.refuse_name(tx, name)
    return name
