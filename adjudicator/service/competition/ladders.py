"""Ladders: who stands where, and what a challenge changes (club, 8).

Each change is one transaction that locks the ladder's row. A challenge is a row from its offer to
the end of its match; a tick settles it once the match is over, and the row then says so.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from adjudicator.core.message import Message, Words, both, say
from adjudicator.core.orders import shown
from adjudicator.core.result import SILENCE, MatchResult
from adjudicator.core.result import read as read_result
from adjudicator.games import GAMES
from adjudicator.mail.write import subjects
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import Context, OpenClub, Progress, Refusal, Session, unknown
from adjudicator.service.base.jobs import DueItem, Tick, Told
from adjudicator.service.base.loaded_match import find_player, game_of
from adjudicator.service.base.options import agree, options_for_new_match
from adjudicator.service.base.reliability import refuse_unreliable
from adjudicator.service.emails.paragraphs import Paragraphs, paragraph
from adjudicator.service.emails.wording import plain_text
from adjudicator.service.matches import creation
from adjudicator.service.outbox import queue
from adjudicator.store import ladders, offers, players, rows, tournaments
from adjudicator.store.database import Store, Tx
from adjudicator.store.happenings import note_event
from adjudicator.store.ladders import ChallengeRow, LadderPlace, LadderRow
from adjudicator.store.players import Player

NAME = re.compile(r"[a-z][a-z0-9-]{0,15}")
HIGHEST = 3  # places above the challenger that may be challenged
PAUSE = timedelta(days=14)  # before the same two meet again
WATCHED = timedelta(days=90)  # in which a player may be silent once
MOST_RESULTS = 50


# The operator's commands.


class NewLadder(Struct, frozen=True, kw_only=True):
    """A ladder as the game master asks for it."""

    name: str
    game: str | None = None
    variant: str | None = None
    like: str | None = None
    options: Sequence[str] = ()


def create(club: OpenClub, wanted: NewLadder) -> Message:
    """Make a ladder without players. Raises Refusal."""
    if wanted.game is None and wanted.like is None:
        raise Refusal(say("name the game, or a template with --like"))
    slug = game_of(wanted.game).slug if wanted.game else ""
    name = wanted.like or slug
    template = creation.find_template(club.context, name, slug or None)
    game = GAMES[template.game]
    variant = wanted.variant or template.variant or game.variants[0]
    if variant not in game.variants:
        text = say("{game} has no variant '{seen}'", game=game.title, seen=shown(variant))
        raise unknown(text, variant, game.variants)
    creation.seats_for(game, variant, 2)
    options = (*template.options, *wanted.options)
    if agree(game, options, 2).get("names") == "hidden":
        raise Refusal(say("players of a ladder know who plays; names cannot be hidden"))
    with club.store.transaction() as tx:
        name = _name(tx, wanted.name, club.context)
        rows.add(
            tx,
            LadderRow,
            name=name,
            game=game.slug,
            variant=variant,
            options=options,
            status="open",
            created_at=club.now,
        )
    return say("{name} is open; `adjud ladder enter {name} PLAYER` adds a player", name=name)


def _name(tx: Tx, wanted: str, context: Context) -> str:
    name = wanted.lower()
    if not NAME.fullmatch(name):
        raise Refusal(
            say(
                "'{seen}' cannot name a ladder; write one of a-z, then up to 15 of a-z, 0-9 or -",
                seen=shown(wanted),
            )
        )
    creation.refuse_name(tx, name)
    if name in tournaments.names(tx):
        raise Refusal(say("there is already a tournament {name}", name=name))
    if name in creation.GAME_NAMES:
        raise Refusal(say("'{seen}' is a game; choose another name", seen=name))
    if name in map(str.lower, context.templates):  # INVITE names both
        raise Refusal(say("'{seen}' is a template; choose another name", seen=name))
    return name


def find(tx: Tx, name: str) -> LadderRow:
    """Return the ladder of that name. Raises Refusal with the nearest one."""
    found = rows.first(tx, LadderRow, name=name.lower())
    if found is None:
        raise no_ladder(tx, name)
    return found


def no_ladder(tx: Tx, name: str) -> Refusal:
    """Return the refusal of a name that no ladder has."""
    return unknown(
        say("there is no ladder '{name}'", name=shown(name)), name.lower(), ladders.names(tx)
    )


def enter(club: OpenClub, name: str, player: str) -> Message:
    with club.store.transaction() as tx:
        known = find_player(tx, player)
        place = join(tx, find(tx, name), known, now=club.now)
        return say("{player} is on place {place}", player=known.name, place=place)


def remove(club: OpenClub, name: str, player: str) -> Message:
    with club.session() as s:
        known = find_player(s.tx, player)
        leave(s, find(s.tx, name), known)
        return say("{player} has left {name}", player=known.name, name=name.lower())


def close(club: OpenClub, name: str) -> Message:
    """Close a ladder: its places stay, and nobody can be challenged any more. Challenges that were
    not answered end, and matches go on."""
    with club.session() as s:
        row = _take(s.tx, find(s.tx, name).id)
        if row.status == "closed":
            raise Refusal(say("{name} is closed already", name=row.name))
        ladders.close(s.tx, row.id)
        for one in _open_challenges(s.tx, row.id):
            _call_off(s, row, one, None)
        note_event(s.tx, "ladder.changed", at=club.now, ladder=row.name)
        return say("{name} is closed", name=row.name)


# What players do by email.


def join(tx: Tx, row: LadderRow, player: Player, *, now: datetime) -> int:
    """Put a player on the last place; return that. Raises Refusal."""
    row = rows.one(tx, LadderRow, row.id, lock=True)
    if row.status != "open":
        raise Refusal(say("{name} is closed", name=row.name))
    if _rung_of(ladders.rungs(tx, row.id), player.id):
        raise Refusal(say("{player} is on {name} already", player=player.name, name=row.name))
    refuse_unreliable_on(tx, row, player, now)
    note_event(tx, "ladder.changed", at=now, ladder=row.name)
    return ladders.join(tx, row.id, player.id, now)


def refuse_unreliable_on(tx: Tx, row: LadderRow, player: Player, now: datetime) -> None:
    """Refuse who has fewer turns on time than the matches of a ladder ask for (club, 6.1)."""
    if row.game in GAMES:
        refuse_unreliable(
            tx, agree(GAMES[row.game], options_for_new_match(row.options), 2), player.id, now=now
        )


def leave(s: Session, row: LadderRow, player: Player) -> None:
    """Take a player from a ladder; those below move up. Raises Refusal."""
    row = _take(s.tx, row.id, player.id)
    if _rung_of(ladders.rungs(s.tx, row.id), player.id) is None:
        raise Refusal(say("{player} is not on {name}", player=player.name, name=row.name))
    _leave(s, row, player)


def leave_all(s: Session, player: Player) -> None:
    """Take a player from all ladders, because their data is erased."""
    for ladder_id in ladders.of_player(s.tx, player.id):
        _leave(s, _take(s.tx, ladder_id, player.id), player)


def _leave(s: Session, row: LadderRow, player: Player) -> None:
    ladders.leave(s.tx, row.id, player.id, s.now)
    note_event(s.tx, "ladder.changed", at=s.now, ladder=row.name)
    for one in _open_challenges(s.tx, row.id, player.id):
        _call_off(s, row, one, player)


# Challenges that were not answered when a player leaves, or the ladder is closed.


def about_challenge(challenge_id: int) -> str:
    """Return what the offer of a challenge is about."""
    return f"challenge/{challenge_id}"


def _open_challenges(tx: Tx, ladder_id: int, player_id: int | None = None) -> list[ChallengeRow]:
    """Return the challenges that wait for an answer, of one player or of all."""
    return [
        one
        for one in ladders.going(tx, ladder_id)
        if one.match is None and player_id in (None, one.challenger_id, one.asked_id)
    ]


def _take(tx: Tx, ladder_id: int, player_id: int | None = None) -> LadderRow:
    """Lock the offers of the challenges that may end, and then the ladder."""
    for one in _open_challenges(tx, ladder_id, player_id):
        offers.hold(tx, about_challenge(one.id))
    return rows.one(tx, LadderRow, ladder_id, lock=True)


def _call_off(s: Session, row: LadderRow, one: ChallengeRow, left: Player | None) -> None:
    """End a challenge that cannot be played any more, and tell those who are still there."""
    held = offers.hold(s.tx, about_challenge(one.id))
    offers.end(s.tx, [offer.id for offer in held], "withdrawn", s.now)
    ladders.end(s.tx, one, "void", s.now)
    names = {one.challenger_id: one.asked, one.asked_id: one.challenger}
    for player_id, other in names.items():
        if left is not None and player_id == left.id:
            continue
        ended = say("The challenge between {other} and you has ended.", other=other)
        why = (
            say("The ladder {name} is closed.", name=row.name)
            if left is None
            else say("{player} has left the ladder {name}.", player=left.name, name=row.name)
        )
        about = f"ladder/{row.id}/{one.id}/off/{player_id}"
        _write(s, row, players.one(s.tx, player_id), about, both(why, ended))


def _write(s: Session, row: LadderRow, player: Player, about: str, told: Message) -> None:
    queue.queue_from_personal_address(s, player, about, subjects.ladder(row.name), paragraph(told))


def _rung_of(rungs: Sequence[LadderPlace], player_id: int) -> LadderPlace | None:
    return next((one for one in rungs if one.player_id == player_id), None)


def may_challenge(tx: Tx, row: LadderRow, challenger: Player, asked: Player, now: datetime) -> None:
    """Refuse a challenge that cannot be, and say why (club, 8.2). Raises Refusal."""
    if row.status != "open":
        raise Refusal(say("{name} is closed", name=row.name))
    rungs = ladders.rungs(tx, row.id)
    own, other = _rung_of(rungs, challenger.id), _rung_of(rungs, asked.id)
    if own is None:
        raise Refusal(say("You are not on {name}; JOIN {name} puts you there.", name=row.name))
    if other is None:
        raise Refusal(say("{player} is not on {name}", player=asked.name, name=row.name))
    if not 1 <= own.place - other.place <= HIGHEST:
        raise Refusal(
            say(
                "You are in place {own} and {player} is in place {other}. You can challenge "
                "players one to {most} places above you.",
                own=own.place,
                player=asked.name,
                other=other.place,
                most=HIGHEST,
            )
        )
    for one in ladders.going(tx, row.id):
        if one.challenger_id == challenger.id:
            raise Refusal(say("Your challenge of {player} has not ended yet.", player=one.asked))
        if one.asked_id == asked.id:
            raise Refusal(say("{player} has been challenged by another player.", player=asked.name))
    again = _met_last(tx, row, challenger, asked)
    if again is not None and now < again + PAUSE:
        raise Refusal(
            say(
                "You and {player} played less than 14 days ago. You can challenge {player} from "
                "{day} on.",
                player=asked.name,
                day=f"{again + PAUSE:%Y-%m-%d %H:%M} UTC",
            )
        )


def _met_last(tx: Tx, row: LadderRow, one: Player, other: Player) -> datetime | None:
    """Return when the last match of two players on a ladder ended, or an offer between them was
    declined."""
    both = {one.id, other.id}
    for past in ladders.past_challenges(tx, row.id):
        if {past.challenger_id, past.asked_id} == both and (
            past.match is not None or past.ending == "declined"
        ):
            return past.done_at
    return None


# What the end of a challenge changes.


def overtake(tx: Tx, ladder_id: int, challenger_id: int, asked_id: int) -> None:
    """Let the challenger take the place that the other has now; all from there down to his old one
    move down. Nothing moves if he is above by now, or one of them has left."""
    ids = [one.player_id for one in ladders.rungs(tx, ladder_id)]
    if challenger_id not in ids or asked_id not in ids:
        return
    if ids.index(challenger_id) < ids.index(asked_id):
        return
    ids.remove(challenger_id)
    ids.insert(ids.index(asked_id), challenger_id)
    ladders.put_in_order(tx, ladder_id, ids)


def _to_last_place(tx: Tx, ladder_id: int, player_id: int) -> None:
    ids = [one.player_id for one in ladders.rungs(tx, ladder_id)]
    if player_id in ids:
        ids.remove(player_id)
        ladders.put_in_order(tx, ladder_id, [*ids, player_id])


def due(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return the challenges whose matches have ended."""
    return [DueItem((ladder, one), name) for ladder, one, name in ladders.to_settle(tx)]


def settle(s: Session, key: tuple[int, int]) -> Told:
    """Settle a challenge whose match has ended."""
    ladder_id, challenge_id = key
    row = _take(s.tx, ladder_id)  # whoever was silent again leaves it
    one = ladders.challenge_of(s.tx, challenge_id)
    if one.done_at is not None or one.status != "over":
        return None  # another worker was quicker
    _settle(s, row, one)
    return Progress(say("{name}: a match has ended", name=row.name))


def _settle(s: Session, row: LadderRow, one: ChallengeRow) -> None:
    result = _result(one)
    ending = _ending(one, result)
    silent = _silent(s.tx, one, result)
    ladders.end(s.tx, one, ending, s.now, silent)
    note_event(s.tx, "ladder.changed", at=s.now, ladder=row.name)
    if row.status != "open":
        return
    if ending == "won":
        overtake(s.tx, row.id, one.challenger_id, one.asked_id)
    if silent in ("challenger", "both"):
        _to_last_place(s.tx, row.id, one.challenger_id)
    for player_id in (one.challenger_id, one.asked_id):
        if silent and _is_silent_again(s.tx, row, player_id, s.now):
            _expel(s, row, players.one(s.tx, player_id), one)


def _result(one: ChallengeRow) -> MatchResult | None:
    try:
        return read_result(one.result) if one.result else None
    except ValueError:
        return None


def _ending(one: ChallengeRow, result: MatchResult | None) -> str:
    if result is None or (result.is_void and result.reason != SILENCE):
        return "void"
    if not result.winners or len(result.winners) > 1:
        return "drawn"
    return "won" if result.winners[0] == one.seat else "lost"


def _silent(tx: Tx, one: ChallengeRow, result: MatchResult | None) -> str:
    """Return who was forfeited by silence; a report that came back is no silence, and that of a
    substitute is none of theirs (club, 6.3)."""
    if result is None:
        return ""
    seats = {seat.seat for seat in result.departures if seat.how == "silence" and not seat.bounced}
    seats |= {*result.dormant}
    held = ladders.holders(tx, one.id)
    seats = {seat for seat in seats if held.get(seat) in (one.challenger_id, one.asked_id)}
    own, other = one.seat in seats, bool(seats - {one.seat})
    if own and other:
        return "both"
    return "challenger" if own else "asked" if other else ""


def _is_silent_again(tx: Tx, row: LadderRow, player_id: int, now: datetime) -> bool:
    """Return whether a player was forfeited by silence twice in ninety days."""
    found = 0
    for past in ladders.past_challenges(tx, row.id):
        assert past.done_at is not None
        if past.done_at <= now - WATCHED:
            break
        parts = {"challenger": past.challenger_id, "asked": past.asked_id}
        found += any(
            past.silent in (part, "both") and who == player_id for part, who in parts.items()
        )
    return found >= 2


def _expel(s: Session, row: LadderRow, player: Player, one: ChallengeRow) -> None:
    if _rung_of(ladders.rungs(s.tx, row.id), player.id) is None:
        return
    _leave(s, row, player)
    told = say(
        "You are no longer on the ladder {name}, because you lost twice in 90 days by not moving "
        "in time. JOIN {name} puts you on its last place.",
        name=row.name,
    )
    _write(s, row, player, f"ladder/{row.id}/{one.id}/left", told)


# The table, as everybody may see it.


class LadderTable(Struct, frozen=True):
    """A ladder with its places, the challenges that go on, and the last results."""

    row: LadderRow
    rungs: Sequence[LadderPlace]
    going: Sequence[ChallengeRow]
    results: Sequence[ChallengeRow]


def table(tx: Tx, row: LadderRow) -> LadderTable:
    return LadderTable(
        row,
        ladders.rungs(tx, row.id),
        [one for one in ladders.going(tx, row.id) if one.match and one.status != "over"],
        [
            one
            for one in ladders.past_challenges(tx, row.id, MOST_RESULTS)
            if one.match or one.ending
        ],
    )


def all_of_club(store: Store) -> list[LadderTable]:
    with store.reading() as tx:
        return all_readable(tx)[0]


def all_readable(tx: Tx) -> tuple[list[LadderTable], list[str]]:
    """Return the ladders, the oldest first, and the names of those that cannot be read, which keep
    no other from being shown."""
    found, spoilt = list[LadderTable](), list[str]()
    for name in ladders.names(tx):
        try:
            row = find(tx, name)
            if row.game in GAMES and row.variant not in GAMES[row.game].variants:
                raise ValueError(name)
            found.append(table(tx, row))
        except (ValueError, LookupError):
            spoilt.append(name)
    return found, spoilt


def one_of_club(store: Store, name: str) -> LadderTable:
    """Return a ladder to show it. Raises Refusal."""
    with store.reading() as tx:
        return table(tx, find(tx, name))


def as_paragraphs(shown_: LadderTable) -> Paragraphs:
    """Return the places, the matches that go on and the last results."""
    row = shown_.row
    head = say("Ladder {name}: {game}", name=row.name, game=GAMES.title(row.game))
    head = say("{head}, closed", head=head) if row.status == "closed" else head
    places = [f"  {one.place}  {one.player}" for one in shown_.rungs]
    none = None if places else say("Nobody is on it yet.")
    told = paragraph(head, *places, none)
    if shown_.going:
        going = (Message("  {told}", {"told": message_for_going(one)}) for one in shown_.going)
        told += paragraph(say("Matches in progress:"), *going)
    if shown_.results:
        results = (
            Message("  {day}  {told}", {"day": day_of(one), "told": message_for_result(one)})
            for one in shown_.results
        )
        told += paragraph(say("Last results:"), *results)
    return told


def as_text(shown_: LadderTable, tell: Words) -> str:
    return plain_text(as_paragraphs(shown_), tell)


def message_for_going(one: ChallengeRow) -> Message:
    return say(
        "{challenger} against {other} ({match})",
        challenger=one.challenger,
        other=one.asked,
        match=one.match or "",
    )


def day_of(one: ChallengeRow) -> str:
    return f"{one.done_at:%Y-%m-%d}" if one.done_at else ""


def message_for_result(one: ChallengeRow) -> Message:
    """Say how a challenge ended."""
    names = {"challenger": one.challenger, "other": one.asked}
    told: Mapping[str, Message] = {
        "won": say("{challenger} beat {other} ({match})", **names, match=one.match or ""),
        "lost": say("{other} beat {challenger} ({match})", **names, match=one.match or ""),
        "drawn": say("{challenger} and {other} drew ({match})", **names, match=one.match or ""),
        "declined": say("{other} declined to play {challenger}", **names),
        "expired": say("{other} did not answer {challenger}", **names),
    }
    return told.get(one.ending or "", say("{challenger} against {other}: no result", **names))


def as_json(shown_: LadderTable) -> Mapping[str, Any]:
    row = shown_.row
    return {
        "ladder": row.name,
        "game": row.game,
        "variant": row.variant,
        "status": row.status,
        "places": [{"place": one.place, "player": one.player} for one in shown_.rungs],
        "playing": [
            {"challenger": one.challenger, "asked": one.asked, "match": one.match}
            for one in shown_.going
        ],
        "results": [
            {
                "at": rfc3339(one.done_at),
                "challenger": one.challenger,
                "asked": one.asked,
                "match": one.match,
                "ending": one.ending,
            }
            for one in shown_.results
        ],
    }
