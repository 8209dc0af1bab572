"""Ladders: who stands where, and what a challenge changes (club, 8).

Each change is one transaction that locks the ladder's row. A challenge is a row from its offer to
the end of its match; a tick settles it once the match is over, and the row then says so.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from adjudicator.core import ladder as rules
from adjudicator.core.contest_log import EnteredLine
from adjudicator.core.ladder import Ladder
from adjudicator.core.ladder_log import (
    ACCEPTED,
    VOID,
    AnsweredLine,
    ChallengedLine,
    ChallengeResultLine,
    LadderClosedLine,
    LadderLine,
    LeftLine,
)
from adjudicator.core.message import Message, both, say
from adjudicator.core.orders import shown
from adjudicator.core.result import SILENCE, MatchResult
from adjudicator.core.result import read as read_result
from adjudicator.games import GAMES
from adjudicator.mail.write import subjects
from adjudicator.service.base.context import Context, OpenClub, Progress, Refusal, Session, unknown
from adjudicator.service.base.jobs import DueItem, Tick, Told
from adjudicator.service.base.loaded_match import find_player, game_of
from adjudicator.service.base.options import agree, options_for_new_match
from adjudicator.service.base.reliability import refuse_unreliable
from adjudicator.service.competition import ladder_log
from adjudicator.service.emails.paragraphs import Paragraphs, paragraph
from adjudicator.service.matches import creation
from adjudicator.service.outbox import queue
from adjudicator.store import ladders, offers, players, rows, tournaments
from adjudicator.store.database import Tx
from adjudicator.store.happenings import note_event
from adjudicator.store.ladders import ChallengeRow, LadderPlace, LadderRow
from adjudicator.store.matches import Match
from adjudicator.store.players import Player

NAME = re.compile(r"[a-z][a-z0-9-]{0,15}")


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
        made = rows.add(
            tx,
            LadderRow,
            name=name,
            game=game.slug,
            variant=variant,
            options=options,
            status="open",
            created_at=club.now,
        )
        ladder_log.open_log(tx, made, club.now)
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
        leave(s, find(s.tx, name), known, why="decided")
        return say("{player} has left {name}", player=known.name, name=name.lower())


def close(club: OpenClub, name: str) -> Message:
    """Close a ladder: its places stay, and nobody can be challenged any more. Challenges that were
    not answered end, and matches go on."""
    with club.session() as s:
        row = _take(s.tx, find(s.tx, name).id)
        if row.status == "closed":
            raise Refusal(say("{name} is closed already", name=row.name))
        order = ladder_log.ladder_of(s.tx, row, club.now).order
        ladders.close(s.tx, row.id)
        _record(s, row, LadderClosedLine(order=order))
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
    entry = ladder_log.entry_for(tx, row, player.id, now)
    place = ladders.join(tx, row.id, player.id, now, entry=entry)
    ladder_log.record(tx, row, EnteredLine(entry=entry), now)
    return place


def message_for_entry(tx: Tx, row: LadderRow, player_id: int) -> Message:
    """Say which number a player has in the log of a ladder, and its newest head."""
    head = ladder_log.head_of_log(tx, row)
    own = ladder_log.entry_of(tx, row.id, player_id)
    own_entry = say("You are entry {n} in it.", n=own)
    return own_entry if head is None else both(head, own_entry)


def refuse_unreliable_on(tx: Tx, row: LadderRow, player: Player, now: datetime) -> None:
    """Refuse who has fewer turns on time than the matches of a ladder ask for (club, 6.1)."""
    if row.game in GAMES:
        refuse_unreliable(
            tx, agree(GAMES[row.game], options_for_new_match(row.options), 2), player.id, now=now
        )


def leave(s: Session, row: LadderRow, player: Player, *, why: str = "player") -> None:
    """Take a player from a ladder; those below move up. Raises Refusal."""
    row = _take(s.tx, row.id, player.id)
    if _rung_of(ladders.rungs(s.tx, row.id), player.id) is None:
        raise Refusal(say("{player} is not on {name}", player=player.name, name=row.name))
    _leave(s, row, player, why)


def leave_all(s: Session, player: Player) -> None:
    """Take a player from all ladders, because their data is erased."""
    for ladder_id in ladders.of_player(s.tx, player.id):
        _leave(s, _take(s.tx, ladder_id, player.id), player, "decided")


def _leave(s: Session, row: LadderRow, player: Player, why: str) -> None:
    ladder_log.ladder_of(s.tx, row, s.now)
    entry = ladder_log.entry_of(s.tx, row.id, player.id)
    note_event(s.tx, "ladder.changed", at=s.now, ladder=row.name)
    _record(s, row, LeftLine(entry=entry, why=why))


def _record(s: Session, row: LadderRow, line: LadderLine) -> Sequence[LadderLine]:
    """Record what changes a ladder; end the challenges that end with it, and tell whoever leaves
    it for silence. Return the line and what follows from it."""
    found = ladder_log.record(s.tx, row, line, s.now)
    left: int | None = None
    for one in found:
        if isinstance(one, LeftLine):
            left = one.entry
            if one.why == SILENCE:
                _tell_expelled(s, row, one, found)
        elif isinstance(one, AnsweredLine) and one is not found[0]:
            _call_off(s, row, one, left, found)
    return found


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


def _call_off(
    s: Session,
    row: LadderRow,
    line: AnsweredLine,
    left: int | None,
    lines: Sequence[LadderLine],
) -> None:
    """End a challenge that cannot be played any more, because the entry that `left` is gone or the
    ladder is closed, and tell those who are still there."""
    one = next(each for each in ladders.going(s.tx, row.id) if each.number == line.challenge)
    held = offers.hold(s.tx, about_challenge(one.id))
    offers.end(s.tx, [offer.id for offer in held], "withdrawn", s.now)
    ladders.end(s.tx, one, "void", s.now)
    names = {one.challenger_id: one.asked, one.asked_id: one.challenger}
    for player_id, other in names.items():
        if left == ladder_log.entry_of(s.tx, row.id, player_id):
            continue
        ended = say("The challenge between {other} and you has ended.", other=other)
        why = (
            say("The ladder {name} is closed.", name=row.name)
            if left is None
            else say("{player} has left the ladder {name}.", player=other, name=row.name)
        )
        about = f"ladder/{row.id}/{one.id}/off/{player_id}"
        _write(s, row, players.one(s.tx, player_id), about, lines, both(why, ended))


def _write(
    s: Session,
    row: LadderRow,
    player: Player,
    about: str,
    lines: Sequence[LadderLine],
    *told: Message,
) -> None:
    """Queue an email about a ladder, with the lines of its log that it tells."""
    if player.erased_at is not None:
        return
    says = (*paragraph(*told), *ladder_log.paragraphs_of(s.tx, row, lines))
    queue.queue_from_personal_address(s, player, about, subjects.ladder(row.name), says)


def _rung_of(rungs: Sequence[LadderPlace], player_id: int) -> LadderPlace | None:
    return next((one for one in rungs if one.player_id == player_id), None)


def record_challenge(
    s: Session, row: LadderRow, challenger: Player, asked: Player
) -> tuple[int, Paragraphs]:
    """Record a challenge unless it cannot be; return its row and what its email tells of the log.
    Raises Refusal with why (club, 8.2)."""
    ladder = ladder_log.ladder_of(s.tx, row, s.now)
    _refuse_challenge(s, row, ladder, challenger, asked)
    number = ladder.challenges + 1
    by, other = (ladder_log.entry_of(s.tx, row.id, one.id) for one in (challenger, asked))
    made = ladders.insert_challenge(s.tx, row.id, number, challenger.id, asked.id, s.now)
    lines = _record(s, row, ChallengedLine(challenge=number, by=by, asked=other))
    note_event(s.tx, "ladder.changed", at=s.now, ladder=row.name)
    return made, ladder_log.paragraphs_of(s.tx, row, lines)


def _refuse_challenge(
    s: Session, row: LadderRow, ladder: Ladder, challenger: Player, asked: Player
) -> None:
    """Refuse a challenge that cannot be, and say why (club, 8.2). Raises Refusal."""
    on_it = {one.player_id: one.entry or 0 for one in ladders.rungs(s.tx, row.id)}
    own, other = on_it.get(challenger.id, 0), on_it.get(asked.id, 0)
    why = rules.refusal(ladder, own, other, s.now)
    if why == "closed":
        raise Refusal(say("{name} is closed", name=row.name))
    if why == "absent" and not own:
        raise Refusal(say("You are not on {name}; JOIN {name} puts you there.", name=row.name))
    if why == "absent":
        raise Refusal(say("{player} is not on {name}", player=asked.name, name=row.name))
    if why == "far":
        raise Refusal(
            say(
                "You are in place {own} and {player} is in place {other}. You can challenge "
                "players one to {most} places above you.",
                own=ladder.place(own),
                player=asked.name,
                other=ladder.place(other),
                most=rules.HIGHEST,
            )
        )
    if why == "made":
        going = ladders.going(s.tx, row.id)
        named = next(one.asked for one in going if one.challenger_id == challenger.id)
        raise Refusal(say("Your challenge of {player} has not ended yet.", player=named))
    if why == "received":
        raise Refusal(say("{player} has been challenged by another player.", player=asked.name))
    if why == "soon":
        again = rules.last_meeting(ladder, own, other)
        assert again is not None
        raise Refusal(
            say(
                "You and {player} played less than 14 days ago. You can challenge {player} from "
                "{day} on.",
                player=asked.name,
                day=f"{again + rules.PAUSE:%Y-%m-%d %H:%M} UTC",
            )
        )


# What the end of a challenge changes.


def begin_match(s: Session, row: LadderRow, one: ChallengeRow, match: Match, seat: str) -> None:
    """Record that a challenge was accepted."""
    ladder_log.ladder_of(s.tx, row, s.now)
    number = ladders.challenge_of(s.tx, one.id).number or 0
    ladders.begin(s.tx, one, match.id, seat)
    line = AnsweredLine(challenge=number, answer=ACCEPTED, match=match.name, seat=seat)
    _record(s, row, line)


def end_challenge(s: Session, row: LadderRow, one: ChallengeRow, answer: str) -> None:
    """Record that a challenge was declined, has expired or became void, and who moves."""
    ladder_log.ladder_of(s.tx, row, s.now)
    number = ladders.challenge_of(s.tx, one.id).number or 0
    ladders.end(s.tx, one, answer, s.now)
    note_event(s.tx, "ladder.changed", at=s.now, ladder=row.name)
    lines = _record(s, row, AnsweredLine(challenge=number, answer=answer))
    if answer != VOID:
        _tell_both(s, row, one, lines)


def _tell_both(s: Session, row: LadderRow, one: ChallengeRow, lines: Sequence[LadderLine]) -> None:
    """Tell the two of a challenge how it ended, and their places."""
    ended = ladders.challenge_of(s.tx, one.id)
    for player_id in (one.challenger_id, one.asked_id):
        rung = _rung_of(ladders.rungs(s.tx, row.id), player_id)
        if rung is None:
            continue  # whoever has left it is told that
        place = say("You are in place {place} on {name}.", place=rung.place, name=row.name)
        about = f"ladder/{row.id}/{one.id}/ended/{player_id}"
        _write(s, row, players.one(s.tx, player_id), about, lines, message_for_result(ended), place)


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
    ladder_log.ladder_of(s.tx, row, s.now)
    one = ladders.challenge_of(s.tx, one.id)
    result = _result(one)
    ending = rules.ending_of(result, one.seat or "")
    silent = _silent(s.tx, one, result)
    ladders.end(s.tx, one, ending, s.now, silent)
    note_event(s.tx, "ladder.changed", at=s.now, ladder=row.name)
    lines = _record(s, row, _line_of_result(s.tx, one, ending, silent))
    _tell_both(s, row, one, lines)


def _line_of_result(tx: Tx, one: ChallengeRow, ending: str, silent: str) -> ChallengeResultLine:
    assert one.match_id is not None
    ply, head = tournaments.last_head(tx, one.match_id)
    players_ = {"challenger": one.challenger_id, "asked": one.asked_id}
    entries = (
        ladder_log.entry_of(tx, one.ladder_id, players_[part])
        for part in ladder_log.SILENT.get(silent, ())
    )
    return ChallengeResultLine(
        challenge=one.number or 0,
        match=one.match or "",
        ply=ply,
        head=head,
        ending=ending,
        silent=tuple(entries),
    )


def _result(one: ChallengeRow) -> MatchResult | None:
    try:
        return read_result(one.result) if one.result else None
    except ValueError:
        return None


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


def _tell_expelled(s: Session, row: LadderRow, line: LeftLine, lines: Sequence[LadderLine]) -> None:
    """Tell a player who left a ladder, because he was forfeited by silence twice."""
    entries = ladders.entries(s.tx, row.id).items()
    player_id = next(player_id for player_id, entry in entries if entry == line.entry)
    told = say(
        "You are no longer on the ladder {name}, because you lost twice in 90 days by not moving "
        "in time. JOIN {name} puts you on its last place.",
        name=row.name,
    )
    _write(s, row, players.one(s.tx, player_id), f"ladder/{row.id}/{lines[0].n}/left", lines, told)


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
