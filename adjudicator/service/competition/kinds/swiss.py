"""A Swiss: who have equal points meet, also in matches of three or more (club, 7.5.2 and 7.6)."""

import re
from collections.abc import Sequence

from msgspec import structs

from adjudicator.core.game import AnyGame
from adjudicator.core.message import say
from adjudicator.core.orders import shown
from adjudicator.core.pairing import fixed, pods, swiss, table
from adjudicator.core.pairing.history import entries_before
from adjudicator.core.pairing.points import WHOLE
from adjudicator.core.pairing.table import TableLine
from adjudicator.core.text import folded_address
from adjudicator.service.base.context import Refusal
from adjudicator.service.competition.kinds.kind import EntryLimits, Kind, NewPairing, Tournament
from adjudicator.store.tournaments import Format

_BYE_OF_PODS = WHOLE // 2  # the mean of a match, for there may be several byes (club, 7.6.2)
_PODS = 3
_SEATS = re.compile(r"(\d)(?:-(\d))?")


def _seats(game: AnyGame, possible: Sequence[int], text: str | None) -> tuple[int, int]:
    if text is None:
        return (2, 2) if max(possible) == 2 else (_PODS, max(possible))
    form = _SEATS.fullmatch(text.replace(" ", ""))
    least = int(form[1]) if form else 0
    most = int(form[2] or form[1]) if form else 0
    is_right = (least, most) == (2, 2) or _PODS <= least <= most
    if not is_right or not {least, most} <= set(possible):
        numbers = ", ".join(map(str, possible))
        raise Refusal(
            say(
                "--seats is 2, or from 3 on like 3-4; {game} is for {numbers} players, not "
                "'{seen}'",
                game=game.title,
                numbers=numbers,
                seen=shown(text),
            )
        )
    return least, most


def _check(form: Format, entrants: int) -> None:
    """Refuse more rounds of pairs than nobody need meet anybody twice in (club, 7.1)."""
    most = swiss.most_rounds(entrants)
    if form.most == 2 and form.rounds > most:
        raise Refusal(
            say(
                "{n} entrants: at most {most} rounds, or --kind round-robin",
                n=entrants,
                most=most,
            )
        )


def _at_start(form: Format, entrants: int) -> Format:
    if form.most > 2:
        return structs.replace(form, rounds=form.rounds or 3)
    most = swiss.most_rounds(entrants)
    usual = min(most, fixed.rounds_of_bracket(entrants))
    return structs.replace(form, rounds=min(form.rounds or usual, most))


def _pairs(tournament: Tournament, round_: int) -> Sequence[NewPairing] | None:
    form = tournament.row.format
    there = {n: one for n, one in tournament.by_number.items() if one.status in ("in", "silent")}
    awake = {n: one for n, one in there.items() if one.status == "in"}
    paired = awake if len(awake) >= form.least else there
    addresses = {number: folded_address(one.address) for number, one in paired.items()}
    before = entries_before(addresses, tournament.history)
    if form.most > 2:
        made = pods.pods_of_round(tournament.row.lot_seed, round_, before, form.least, form.most)
        bye = _BYE_OF_PODS
    else:
        made = swiss.pairs_of_round(tournament.row.lot_seed, round_, before)
        bye = WHOLE
    if made is None:
        return None
    pairs = [
        NewPairing("match", numbers) if len(numbers) > 1 else NewPairing("bye", numbers, [bye])
        for numbers in made
    ]
    left_out = sorted(set(there) - set(paired))
    return pairs + [NewPairing("left_out", (number,), [0]) for number in left_out]


def _table(tournament: Tournament, before: int | None) -> list[TableLine]:
    last = tournament.whole_rounds if before is None else before - 1
    counted = [one for one in tournament.history if one.round <= last]
    return table.swiss(sorted(tournament.by_number), counted)


KIND = Kind(
    slug="swiss",
    title=say("Swiss"),
    takes=frozenset({"--rounds", "--seats"}),
    limits=lambda form: EntryLimits(max(4, form.least), 128),
    seats=_seats,
    check=_check,
    at_start=_at_start,
    rounds=lambda tournament: tournament.row.format.rounds,
    is_due=lambda tournament, round_: tournament.is_done(round_ - 1),
    pairs=_pairs,
    least_left=lambda form: max(2, form.least),
    table=_table,
    compared=say("Opponents"),
    surely_meet=False,
)
