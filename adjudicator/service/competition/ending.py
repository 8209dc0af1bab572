"""End a tournament, and what the game master decides of it: a result, its cancelling (club, 7.6.3,
7.7 and 7.8)."""

from collections.abc import Sequence

from adjudicator.core.contest_log import DecidedLine
from adjudicator.core.message import Message, both, say
from adjudicator.core.orders import shown
from adjudicator.core.pairing.points import WHOLE, points_of
from adjudicator.mail.write import subjects
from adjudicator.service.base.context import OpenClub, Refusal, Session, unknown
from adjudicator.service.competition import entering, log, showing
from adjudicator.service.competition.kinds.kind import Tournament
from adjudicator.service.competition.tournament import (
    head_of_log,
    load,
    seats_of,
    table_of,
    take,
)
from adjudicator.service.emails.paragraphs import Paragraphs, each, paragraph
from adjudicator.service.matches import game_master
from adjudicator.service.outbox import queue
from adjudicator.store import players, tournaments
from adjudicator.store.database import Tx
from adjudicator.store.happenings import note_event
from adjudicator.store.tournaments import PairingRow


def end(s: Session, tournament: Tournament) -> None:
    """End a tournament, and send everybody who entered the last table."""
    row = tournament.row
    tournaments.update(s.tx, row.id, status="over", ended_at=s.now, wake_at=None, trouble=None)
    note_event(s.tx, "tournament.over", at=s.now, tournament=row.name)
    stored = tournaments.find(s.tx, row.name)
    assert stored is not None
    log.note(s.tx, stored, log.closing(load(s.tx, stored), "over"), s.now)
    ended = load(s.tx, stored)
    for one in ended.entries:
        player = players.one(s.tx, one.player_id)
        if s.context.post is None or player.erased_at is not None:
            continue
        queue.queue_from_personal_address(
            s,
            player,
            f"tournament/{row.id}/table",
            subjects.table(row.name),
            _last_email(s.tx, ended),
        )


def _last_email(tx: Tx, tournament: Tournament) -> Paragraphs:
    """Return the last table, with what the game master decided since the last emails."""
    told = say("The tournament {name} has ended. This is the table.", name=tournament.row.name)
    return (
        *paragraph(told),
        showing.shown_table(tournament, table_of(tournament)),
        *each(messages_for_rulings(tx, tournament, tournament.row.round)),
        *paragraph(*showing.seed_of(tournament), head_of_log(tournament)),
        *paragraph(*(one.line for one in tournaments.log(tx, tournament.row.id))),
    )


def messages_for_rulings(tx: Tx, tournament: Tournament, round_: int) -> Sequence[Message]:
    """Return the decisions that were made while a round was the last that was made."""
    return [
        _with_reason(one.told, one.reason)
        for one in tournaments.rulings(tx, tournament.row.id)
        if one.round == round_
    ]


def _with_reason(told: Message, reason: str) -> Message:
    decided = say("The game master's decision: {told}", told=told)
    return both(decided, say("Reason: {reason}", reason=reason)) if reason else decided


def cancel(club: OpenClub, name: str, *, reason: str) -> Message:
    """Cancel a tournament; its matches that go on count for themselves. Raises Refusal."""
    with club.session() as s:
        tournament = take(s.tx, name)
        row = tournament.row
        if row.status not in ("open", "waiting", "playing", "held"):
            raise Refusal(say("{name} has ended", name=row.name))
        tournaments.update(
            s.tx, row.id, status="cancelled", ended_at=club.now, wake_at=None, trouble=None
        )
        log.note(s.tx, row, log.closing(tournament, "cancelled"), club.now)
        note_event(s.tx, "tournament.over", at=club.now, tournament=row.name)
        told = say("The tournament {name} is cancelled.", name=row.name)
        tournaments.rule(s.tx, row.id, row.round, told, reason, club.now)
        goes_on = say("Matches that have already begun continue, but count only for the ratings.")
        news = both(told, goes_on) if row.round else told
        entering.tell_all_entrants(s, tournament, "cancelled", [_with_reason(news, reason)])
        return say("{name} is cancelled", name=row.name)


# Decide the result of a match.


def decide(club: OpenClub, name: str, match: str, word: str, *, reason: str) -> Message:
    """Decide what a match gives: a seat, `draw` or `void`. One that goes on is cancelled."""
    with club.session() as s:
        tournament = take(s.tx, name)
        row = tournament.row
        if row.status not in ("playing", "held"):
            raise Refusal(
                say("{name} is {status}", name=row.name, status=showing.STATES[row.status])
            )
        pairing = _pairing(tournament, match)
        seats = seats_of(tournament.game, row.variant, len(pairing.entries))
        given, ruling, told = _places_of_decision(tournament, pairing, seats, word)
        if pairing.match_status != "over":
            assert pairing.match is not None
            game_master.cancel_in(s, pairing.match, reason=reason)
        tournaments.set_points(s.tx, row.id, pairing.key, given)
        ending = "void" if ruling == "void" else "ruled"
        tournaments.update_pairing(
            s.tx, row.id, pairing.key, done_at=club.now, ending=ending, ruling=ruling
        )
        log.note(s.tx, row, _line_of_decision(tournament, pairing, given, ruling), club.now)
        tournaments.rule(s.tx, row.id, row.round, told, reason, club.now)
        tournaments.update(s.tx, row.id, wake_at=club.now)
        return message_about(row.name, told)


def _line_of_decision(
    tournament: Tournament, pairing: PairingRow, given: Sequence[int], ruling: str
) -> DecidedLine:
    numbers = [tournament.numbers[id_] for id_ in pairing.entries]
    is_won = ruling not in ("draw", "void")
    return DecidedLine(
        act="result",
        round=pairing.round,
        board=pairing.board,
        again=pairing.again,
        ruling=numbers[list(given).index(WHOLE)] if is_won else ruling,
        points=tuple(given),
    )


def message_about(name: str, told: Message) -> Message:
    return say("{name}: {told}", name=name, told=told)


def _pairing(tournament: Tournament, match: str) -> PairingRow:
    for pairing in tournament.pairings:
        if pairing.match == match.lower():
            later = [one for one in tournament.pairings if one.round > pairing.round]
            if later and tournament.kind.knocks_out:
                raise Refusal(
                    say(
                        "round {n} was paired by the result of {match} already",
                        n=pairing.round + 1,
                        match=pairing.match,
                    )
                )
            return pairing
    known = [one.match for one in tournament.pairings if one.match]
    text = say("{name} has no match {match}", name=tournament.row.name, match=shown(match))
    raise unknown(text, match.lower(), known)


def _places_of_decision(
    tournament: Tournament, pairing: PairingRow, seats: Sequence[str], word: str
) -> tuple[list[int], str, Message]:
    plain = word.lower()
    match = pairing.match or ""
    if plain == "void":
        told = say("{match} gives points to nobody, and its players have not met.", match=match)
        return [0] * len(seats), plain, told
    if plain == "draw":
        given = points_of([list(seats)])
        return [given[one] for one in seats], plain, say("{match} is a draw.", match=match)
    seat = tournament.game.seat_words.get(plain, plain)
    if seat not in seats:
        text = say("a result is a seat, draw or void, not '{seen}'", seen=shown(word))
        raise unknown(text, plain, [*seats, "draw", "void"])
    given = points_of([[seat], [one for one in seats if one != seat]])
    assert given[seat] == WHOLE
    title = tournament.game.seat_titles[seat]  # type: ignore[index]  # it is one of the game's seats
    told = say("{seat} wins {match}.", seat=title, match=match)
    return [given[one] for one in seats], seat, told
