"""Make from a state, without a database, the match from which reports are made."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from adjudicator.core.chain import LABEL
from adjudicator.core.game import AnyGame
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.options import agree
from adjudicator.service.reports.standing import ReportContext
from adjudicator.store.matches import Holder, Match

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)

# Twins have one head: it hangs on what is hidden through a salt of 256 bits that nobody is told
# before the end, and all heads have one length (`core/chain.py` says why that leaks nothing).
HEAD = "4ead" * 16


def make_loaded(game: AnyGame, state: Any, options: Mapping[str, str] | None = None) -> Loaded:
    """Return the match with these options of its game, or with what holds if nothing is agreed."""
    seats = tuple(getattr(state, "seats", game.seats))  # those in play, where not all are
    match = Match(
        id=1,
        name="m",
        game=game.slug,
        variant=game.sight.observe(state, seats[0]).variant,
        options={**agree(game, [], len(seats)), **(options or {})},
        seed=bytes(32),
        seed_given=False,
        status="over" if game.rules.outcome(state) else "playing",
        ply=7,
        turn=game.rules.turn(state),
        created_at=NOW,
        log_key=bytes(range(32)),
        epoch="bcdfg",
        label=LABEL,
    )
    holders = {
        seat: Holder(
            seat=seat,
            player_id=number,
            computer=None,
            tenure=1,
            ordered_ply=0,
            not_ready_ply=None,
            player_name=f"Player {number}",
            language="en",
            zone="UTC",
            confirmed=True,
        )
        for number, seat in enumerate(seats, start=1)
    }
    return Loaded(
        match=match,
        game=game,
        position=state,
        since=NOW,
        holders=holders,
        sheets={},
        declarations=[],
        head=HEAD,
    )


def standing(game: AnyGame, state: Any, options: Mapping[str, str] | None = None) -> ReportContext:
    """Return the standing without the log and without commitments, which are salted and always
    differ."""
    match = make_loaded(game, state, options)
    return ReportContext(
        match,
        ply=7,
        since=dict.fromkeys(match.seats, 7),
        fresh=dict.fromkeys(match.seats, 7),
        log=[],
        commitments=[],
        rulings=[],
    )
