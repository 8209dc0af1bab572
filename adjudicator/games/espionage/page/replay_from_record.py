"""A match that has ended, told from its record with everything revealed (rule 5.4)."""

from collections.abc import Iterator, Sequence

from adjudicator.core.message import Message, Words, say
from adjudicator.core.record import Transcript, transcripts
from adjudicator.games.espionage.page.news import Row, fight, order_label, order_place
from adjudicator.games.espionage.page.replay_steps import Moment
from adjudicator.games.espionage.page.turning_points import turning_points, unmasking
from adjudicator.games.espionage.record.replay import retell
from adjudicator.games.espionage.record.tags import ended_in_set_up
from adjudicator.games.espionage.rules.combat import SOLDIERS
from adjudicator.games.espionage.rules.pieces import Rank
from adjudicator.games.espionage.rules.state import Event, State, Stepped


def retold(record: str, words: Words, ending: str) -> Iterator[Moment]:
    """Yield both set-ups, every order and the end; nothing of a match that ended in its set-up."""
    found = next(transcripts(record.splitlines()), None)
    if not isinstance(found, Transcript) or ended_in_set_up(found):
        return
    begin, *orders = retell(found)
    yield Moment("turn-0", words(say("Set-up")), begin[-1][1].pieces)
    for facts in orders:
        yield _moment(facts, words)
    yield Moment(
        "end",
        words(say("The end")),
        (orders[-1] if orders else begin)[-1][1].pieces,
        steps=[("", "moved", ending)],
        points=[ending],
    )


def _moment(facts: Sequence[tuple[Event, State]], words: Words) -> Moment:
    steps = [(event, state) for event, state in facts if isinstance(event, Stepped)]
    first = steps[0][0]
    return Moment(
        order_place(first.turn, first.side),
        words(order_label(first.turn, first.side)),
        facts[-1][1].pieces,
        [_row(event, state, words) for event, state in steps],
        [words(point) for event, state in steps for point in turning_points(event, state)],
    )


def _row(event: Stepped, after: State, words: Words) -> Row:
    told = [*fight(event.side, event.outcome, event.rank, event.met)]
    if event.met:
        told.append(because(event.rank, event.met))
    for reveal in event.revealed:
        told += unmasking(reveal, after)
    return f"{event.start}-{event.target}", event.outcome, " ".join(map(words, told))


def because(attacker: Rank, defender: Rank) -> Message:
    """Say by which rule a fight ends as it does (3.1-3.3)."""
    match attacker, defender:
        case _, Rank.HEADQUARTERS:
            return say("Any piece that reaches the Headquarters takes it.")
        case Rank.SAPPER, Rank.MINE:
            return say("A Sapper removes a Mine.")
        case _, Rank.MINE:
            return say("Only a Sapper survives a Mine.")
        case Rank.SAPPER, Rank.GENERAL:
            return say("A Sapper takes a General.")
    return _among_soldiers(attacker, defender)


def _among_soldiers(attacker: Rank, defender: Rank) -> Message:
    if attacker == defender:
        return say("Between equal ranks the attacker wins.")
    if attacker in SOLDIERS and defender in SOLDIERS:
        return say("The higher rank wins.")
    if attacker in SOLDIERS:
        return say("Every soldier takes Spies and Sappers.")
    if attacker == Rank.SPY and defender in SOLDIERS:
        return say("A Spy cannot take a soldier.")
    if defender in SOLDIERS:
        return say("A Sapper takes no soldier except a General.")
    return say("Between Spies and Sappers the attacker wins.")
