"""Reports as they were stored by older versions: they are read, printed and looked back upon.

`tests/games/<game>/reports/<version>.json` holds reports word for word as the store holds them:
while a match is set up, in its middle with all that a report can have, and at its end. Such a file
is written once, by `python -m tests.games.test_reports VERSION GAME`, and never again: a change
that cannot read it would close the reports of every club, and one that would write it otherwise
changes what scripts rely on (interface, section 3).
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import convert
from msgspec.json import decode, encode
from msgspec.structs import replace

from adjudicator.core.game import AnyGame
from adjudicator.core.match import Outcome, Seat
from adjudicator.core.message import say
from adjudicator.core.orders import Problem
from adjudicator.core.report import (
    AnyReport,
    Committed,
    Dropped,
    InForce,
    LineInAdvance,
    Notice,
    Report,
    SheetInAdvance,
)
from adjudicator.core.visible import Visible, plain
from adjudicator.games import GAMES
from adjudicator.reports.render import renders
from tests.games.playouts import Ply, playout
from tests.games.standing import NOW, standing
from tests.inside import rulings, store_press, submissions, turns
from tests.printed import read_report, report_of, write_report

HERE = Path(__file__).parent
STORED = sorted(HERE.glob("*/reports/*.json"))
LONGEST = 400  # adjudications of a match from which reports are taken
CANDIDATES = 40

# The view's keys stand beside all others, and only a page that is printed now says when that is.
NOT_TOLD_SO = {"view", "as_of"}


def ended_match(game: AnyGame) -> list[Ply]:
    """Play at random until a match ends by the rules and has somebody who wins."""
    for seed in range(CANDIDATES):
        plies = list(playout(game, Random(f"reports {seed}"), LONGEST))
        outcome = game.rules.outcome(plies[-1].after)
        if outcome and outcome.winner:
            return plies
    raise AssertionError(f"no match of {game.slug} was won")


def reports(game: AnyGame) -> Iterator[AnyReport]:
    """Yield what is told in the set-up, where most is told in mid-match, and at the end of a
    match."""
    plies = ended_match(game)
    yield report(game, plies[0], plies[0].before, [])
    yield max(_within(game, plies), key=lambda told: len(_keys(plain(told))))
    events = [event for ply in plies for event in ply.events]
    yield report(game, plies[-1], plies[-1].after, events, began=plies[1].before)


def _within(game: AnyGame, plies: Sequence[Ply]) -> Iterator[AnyReport]:
    for number in range(1, len(plies)):
        ply, before = plies[number], plies[number - 1]
        yield report(game, ply, ply.before, before.events, plies[: number - 1], busy=True)


def _keys(told: Any) -> set[str]:
    """Return all keys in a report that have something to tell."""
    if isinstance(told, dict):
        own = {key for key, value in told.items() if value not in (None, [], {})}
        return own.union(*map(_keys, told.values()))
    return set().union(*map(_keys, told)) if isinstance(told, list) else set()


def report(
    game: AnyGame,
    ply: Ply,
    state: Any,
    events: Sequence[Any],
    earlier: Sequence[Ply] = (),
    *,
    busy: bool = False,
    began: Any = None,
) -> AnyReport:
    """Return the report of a seat that is awaited, if one is. `events` are its news, the plies
    `earlier` are news no more. With `busy` it has sent its sheet of the ply, it offers a draw, and
    the game master has said something. Its marks are those of the state in which it `began` to make
    some, or of this one."""
    at = standing(game, state)
    seat = next(iter(at.loaded.awaited), ply.setting.seats[0])
    loaded = replace(
        at.loaded,
        match=replace(
            at.loaded.match,
            name=ply.chance.match,
            variant=ply.setting.variant,
            options={
                **at.loaded.match.options,
                **ply.setting.options,
                **({"advance": "on"} if game.advance else {}),
                **({"deadline": "every 3 days", "bank": "10 days"} if busy else {}),
            },
            seed=ply.chance.seed,
            deadline_at=NOW if busy else None,
        ),
        sheets={seat: sheet(game, ply, seat)} if busy else {},
        declarations=[declaration(seat)] if busy else [],
        kept={seat: (kept(game, ply, seat),)} if busy and game.advance else {},
        holders={of: replace(one, bank=900_000) for of, one in at.loaded.holders.items()},
    )
    told = rulings.Ruling(
        ply=7, at=NOW, action="say", told=say("The game master:"), reason="Good luck."
    )
    at = replace(
        at,
        loaded=loaded,
        log=[
            *((1, event) for old in earlier for event in old.events),
            *((7, event) for event in events),
        ],
        lines=(f"seed={'5eed' * 16}", '{"ply":1,"turn":0}'),
        rulings=[told] if busy else [],
        jottings=jotted(game, seat, began or state, 6 if began else 7) if game.marks else None,
        verdicts={seat: verdicts()} if busy and game.advance else {},
        used=[(7, sheet(game, ply, seat))] if busy else [],
        commitments=[
            turns.Commitment(what="setup", seat=of, ply=1, text=text, salt="5a17")
            for of, text in game.proof.secrets(state).items()
        ],
    )
    return report_of(at, seat)


def jotted(
    game: AnyGame, seat: Seat, state: Any, ply: int
) -> list[store_press.Mark | store_press.Note]:
    """Return a mark on each piece that can have one, and a note."""
    assert game.marks is not None
    places = enumerate(sorted(game.marks.places(game.sight.observe(state, seat))), start=1)
    return [
        *(
            store_press.Mark(id=n, seat=seat, tenure=1, ply=ply, place=at, text=f"{n}?")
            for n, at in places
        ),
        store_press.Note(seat=seat, tenure=1, text="it waits"),
    ]


def sheet(game: AnyGame, ply: Ply, seat: Seat) -> submissions.Submission:
    lines = tuple(map(game.orders.canonical, ply.orders[seat]))
    return submissions.Submission(
        seat=seat, ply=8, revision=2, received_at=NOW, lines=lines, channel="file"
    )


def kept(game: AnyGame, ply: Ply, seat: Seat) -> submissions.KeptSheet:
    lines = tuple(map(game.orders.canonical, ply.orders[seat]))
    return submissions.KeptSheet(
        id=1, seat=seat, ply=10, turn=9, revision=1, lines=lines, text="", channel="file"
    )


def verdicts() -> list[submissions.AdvanceVerdict]:
    fallen = Problem(2, "IF FIGHT: d3-d4", say("not true: {condition}", condition="FIGHT"))
    return [
        submissions.AdvanceVerdict(
            ply=8,
            turn=7,
            used=(3, "ELSE: d3-d4"),
            revision=2,
            digest="d1" * 32,
            hashed="ADJUD2|m|white|7|2|",
        ),
        submissions.AdvanceVerdict(ply=8, turn=7, fallen=(fallen,)),
    ]


def declaration(seat: Seat) -> rulings.Declaration:
    return rulings.Declaration(id=1, seat=seat, kind="DRAW", received_at=NOW, status="standing")


def stored() -> Iterator[Any]:
    for path in STORED:
        game = GAMES[path.parent.parent.name]
        for number, body in enumerate(decode(path.read_bytes()), start=1):
            yield pytest.param(game, body, id=f"{game.slug}-{path.stem}-{number}")


@pytest.mark.parametrize(("game", "body"), list(stored()))
def test_a_report_that_was_stored_is_read_and_would_be_stored_as_it_was(
    game: AnyGame, body: Mapping[str, Any]
) -> None:
    read = read_report(game, encode(body))
    assert decode(write_report(game, read)) == with_messages(body)


def with_messages(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a stored report as one since 0.2.32 is: sentences of ours are messages in it."""

    def message(text: str) -> Mapping[str, Any]:
        return {"text": text, "values": {}, "plural": None}

    notices = [
        {"at": one["at"], "told": message(one["text"]), "reason": ""} if "text" in one else one
        for one in body["notices"]
    ]
    dropped = [
        {**{key: one[key] for key in ("turn", "line", "text")}, "why": message(one["message"])}
        if "message" in one
        else one
        for one in body.get("dropped", ())
    ]
    return {**body, "notices": notices, **({"dropped": dropped} if "dropped" in body else {})}


@pytest.mark.parametrize(("game", "body"), list(stored()))
def test_a_report_that_was_stored_is_printed_and_looked_back_upon(
    game: AnyGame, body: Mapping[str, Any]
) -> None:
    read = read_report(game, encode(body))
    past = [] if game.page.past is None else [convert(body, game.page.past)]
    for text in renders(game, read, ("txt", "html"), past=past):
        assert body["match"] in text


def test_every_game_has_reports_that_were_stored() -> None:
    there = {path.parent.parent.name for path in STORED}
    assert there == set(GAMES), "write them: python -m tests.games.test_reports VERSION GAME"


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        (Report, ""),
        (Outcome, "result"),
        (InForce, "orders"),
        (Committed, "commitments"),
        (Notice, "notices"),
        (SheetInAdvance, "advance"),
        (LineInAdvance, "used"),
        (Dropped, "dropped"),
    ],
)
def test_every_fact_of_a_report_is_told_by_a_stored_one(kind: type[Visible], key: str) -> None:
    """A field that is new, or has another name, is held from the next stored reports on."""
    bodies = [body for path in STORED for body in decode(path.read_bytes())]
    parts = [part for body in bodies for part in as_list(body.get(key))] if key else bodies
    told = {name for part in parts for name, value in part.items() if value not in (None, [], {})}
    untold = set(kind.__struct_encode_fields__) - NOT_TOLD_SO - told
    assert not untold, "write new ones: python -m tests.games.test_reports VERSION GAME"


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def main(version: str, slug: str) -> None:
    game = GAMES[slug]
    path = HERE / slug / "reports" / f"{version}.json"
    if path.exists():
        print(f"{path} is there and stays as it is")
        return
    path.parent.mkdir(exist_ok=True)
    bodies = [write_report(game, report) for report in reports(game)]
    path.write_text("[\n" + ",\n".join(bodies) + "\n]\n", "utf-8")
    print(f"{path}: {len(bodies)} reports")


if __name__ == "__main__":
    main(*sys.argv[1:])
