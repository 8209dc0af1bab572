"""What happened, in words: steps and fights as far as this report's seat knows them (rule 5.1)."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from adjudicator.core.message import Message, Words, say
from adjudicator.games.espionage.lexicon import SIDE_TITLES
from adjudicator.games.espionage.orders.parse import TITLES
from adjudicator.games.espionage.rules.pieces import Rank

_UNKNOWN: Mapping[str, Message] = {
    "white": say("White's piece"),
    "black": say("Black's piece"),
}
_ENEMY = {"white": "black", "black": "white"}

Row = tuple[str, str, str]


def orders_made(report: Mapping[str, Any], words: Words) -> list[tuple[str, list[Row]]]:
    """Each order since the reader's last one: its heading and a row a step."""
    news = report["news"]
    rows = list(zip(news, _rows(report, words), strict=True))
    made = []
    for (turn, side), group in groupby(rows, lambda pair: (pair[0]["turn"], pair[0]["side"])):
        made.append((words(order_label(turn, side)), [row for _, row in group]))
    return made


def order_label(turn: int, side: str) -> Message:
    return say("Turn {turn}, {side}", turn=turn, side=SIDE_TITLES[side])


def _rows(report: Mapping[str, Any], words: Words) -> Iterator[Row]:
    """Of each step: how it is written, the outcome as a class, what is to be told."""
    news = report["news"]
    for i, step in enumerate(news):
        told = [words(message) for message in fight(step)]
        told += [words(message) for message in _unmasked(report, step, news[i + 1 :])]
        yield f"{step['from']}-{step['to']}", step["outcome"], " ".join(told)


def fight(step: Mapping[str, Any]) -> Iterator[Message]:
    """The sentence of a step that was a fight."""
    attacker = whose(step["side"], step["attacker"])
    defender = whose(_ENEMY[step["side"]], step["defender"])
    if step["outcome"] == "won":
        yield say("{attacker} takes {defender}.", attacker=attacker, defender=defender)
    elif step["outcome"] == "lost":
        yield say(
            "{attacker} attacks {defender} and is removed.", attacker=attacker, defender=defender
        )


def whose(side: str, rank: str | None) -> Message:
    """A piece as a sentence names it."""
    if rank is None:
        return _UNKNOWN[side]
    if side == "white":
        return say("White's {rank}", rank=TITLES[Rank(rank)])
    return say("Black's {rank}", rank=TITLES[Rank(rank)])


def _unmasked(
    report: Mapping[str, Any], step: Mapping[str, Any], later: Sequence[Mapping[str, Any]]
) -> Iterator[Message]:
    met = step["defender" if step["side"] == report["seat"] else "attacker"]
    for square in step["revealed"]:
        if square == step["to"] and met:
            continue  # the fight has told it
        rank = _rank_shown(report, square, later)
        if rank:
            yield say("Now known: {rank} on {square}.", rank=TITLES[Rank(rank)], square=square)
        else:
            yield say("Now known: the piece on {square}.", square=square)


def _rank_shown(
    report: Mapping[str, Any], square: str, later: Sequence[Mapping[str, Any]]
) -> str | None:
    """The rank of the piece that stood on `square`, wherever this report shows it: still on the
    board, or in the fight that removed it."""
    for step in later:
        if step["from"] == square:
            if step["outcome"] == "lost":
                return _rank(step["attacker"])
            square = step["to"]
        elif step["to"] == square and step["outcome"] == "won":
            return _rank(step["defender"])
    return next((_rank(p["rank"]) for p in report["pieces"] if p["square"] == square), None)


def _rank(value: Any) -> str | None:
    return None if value is None else str(value)
