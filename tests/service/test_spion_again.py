"""Hold Spion's chance to its chains, and make every byte of a match anew from what was sent."""

import shutil
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.json import decode, encode
from msgspec.structs import replace

from adjudicator.core.game import fold
from adjudicator.games import GAMES
from adjudicator.games.spion.rules.state import (
    Dealt,
    Drew,
    Event,
    OpeningRolled,
    Roll,
    Rolled,
    State,
    TurnOpened,
)
from tests.club import MONDAY
from tests.database import open_store, tables
from tests.service.spionclub import SpionClub

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SPION = GAMES["spion"]


@pytest.fixture
def club(store, tmp_path):
    return SpionClub(store, tmp_path / "spool")


def play_on(club, absent="", rounds=100, by_mail=True):
    """Let the others order at once and the absent seat miss every deadline."""
    go_on = club.run_tick if by_mail else club.tick
    for _ in range(rounds):
        loaded = club.loaded()
        if loaded.match.status == "over":
            return
        at = loaded.since + HOUR
        club.all_send(at, but=[absent])
        go_on(at)
        if absent in club.loaded().awaited and club.loaded().match.ply == loaded.match.ply:
            go_on(loaded.match.deadline_at)


# Every report and email of a finished match follows from seed, phrases and orders alone.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "absent", "options"),
    [
        (4, "", ("max_rounds=2",)),
        (3, "green", ("max_rounds=2", "memory=once")),
        (2, "", ("mode=turns", "max_rounds=3", "memory=open")),
    ],
)
def test_every_report_and_email_is_made_again_to_the_byte(
    club, migrated_file, tmp_path, players, absent, options
):
    variant = "quick" if players == 2 else "original"
    agreed = ("deadline=every 2 days", "absence=forfeit", *options)
    older = players == 3
    club.open(*agreed, players=players, variant=variant, older=older)
    club.run_tick()
    if older:
        club.send("blue", "PHRASE blå: hej", now=MONDAY + HOUR)
    play_on(club, absent)
    assert club.loaded().match.status == "over"

    shutil.copyfile(migrated_file, tmp_path / "again.db")
    again = SpionClub(open_store(f"sqlite:///{tmp_path / 'again.db'}"), tmp_path / "spool-2")
    again.open(*agreed, players=players, variant=variant, older=older)
    happened = sheets_of(club)
    for now in times_of(club):
        for seat, text in happened.get(now, ()):
            again.send(seat, *text.split("\n")[1:], now=now)
        again.run_tick(now)
    assert reports_of(again) == reports_of(club)
    assert again.way.letters == club.way.letters
    assert len(reports_of(club)) == players * (club.loaded().match.ply + older)
    again.store.close()


def sheets_of(club) -> dict[Any, list[tuple[str, str]]]:
    """Return what players sent, by time; nobody else's orders."""
    with club.store.reading() as tx:
        s = tables.submission.c
        wanted = sa.select(s.received_at, s.seat, s.text).where(s.channel == "file").order_by(s.id)
        found: dict[Any, list[tuple[str, str]]] = {}
        for at, seat, text in tx.execute(wanted):
            found.setdefault(at, []).append((seat, text))
        return found


def times_of(club):
    """Return every moment at which something was sent, adjudicated or written."""
    columns = (
        tables.submission.c.received_at,
        tables.turn.c.adjudicated_at,
        tables.outbox.c.created_at,
        tables.ruling.c.at,
    )
    with club.store.reading() as tx:
        return sorted({at for column in columns for at in tx.execute(sa.select(column)).scalars()})


def reports_of(club):
    r = tables.report.c
    with club.store.reading() as tx:
        return tx.execute(sa.select(r.ply, r.seat, r.body).order_by(r.ply, r.seat)).fetchall()


# `adjud verify`.


@pytest.fixture
def played(club):
    """Play a match in which X was drawn, too; all is in order."""
    club.open("deadline=every 2 days", "absence=forfeit", "max_rounds=5", players=3)
    play_on(club, "green", by_mail=False)
    assert club.verify("m") == []
    return club


Forge = Callable[[Event], Event | None]


def forge(club, change: Forge) -> bool:
    """Change the first event that `change` wants changed, and all snapshots in the same way.

    Return False if there is none.
    """
    number = club.loaded().match.id
    with club.store.transaction() as tx:
        e, t = tables.event.c, tables.turn.c
        rows = tx.execute(sa.select(e.ply, e.seq, e.body).order_by(e.ply, e.seq)).fetchall()
        events = [(ply, seq, decode(body, type=Event)) for ply, seq, body in rows]
        for place, (ply, seq, event) in enumerate(events):
            if (forged := change(event)) and forged != event:
                events[place] = (ply, seq, forged)
                this = sa.and_(e.match_id == number, e.ply == ply, e.seq == seq)
                body = encode(forged).decode()
                tx.execute(sa.update(tables.event).where(this).values(body=body))
                break
        else:
            return False
        first = tx.execute(sa.select(t.snapshot).where(t.ply == 0)).scalar_one()
        state = decode(first, type=State)
        for ply in range(1, club.loaded().match.ply + 1):
            state = fold(SPION, state, [event for at, _, event in events if at == ply])
            values = {"snapshot": encode(state).decode()}
            tx.execute(sa.update(tables.turn).where(t.ply == ply).values(values))
    return True


def _other_roll(event):
    if isinstance(event, Rolled):
        return replace(event, dice=(event.dice[0] % 6 + 1, event.dice[1]))
    return None


def _other_opening(event):
    return replace(event, dice=(6, 6)) if isinstance(event, OpeningRolled) else None


def _other_key(event):
    return replace(event, key="00" * 32) if isinstance(event, Rolled) else None


def _skipped_link(event):
    """Use a roll that is right for its link, while it is another link's turn."""
    if not isinstance(event, Rolled):
        return None
    return replace(event, number=event.number + 1)


def _told_otherwise(event):
    if isinstance(event, TurnOpened) and event.roll:
        return replace(event, roll=Roll(event.roll.number, (1, 1), event.roll.key))
    return None


def _other_deal(event):
    if not isinstance(event, Dealt):
        return None
    codes, cards = list(event.cards), list(event.cards.values())
    return Dealt(dict(zip(codes, cards[1:] + cards[:1], strict=True)))


def _other_draw(event):
    return replace(event, key="00" * 32) if isinstance(event, Drew) else None


def _draw_left_out(event):
    return replace(event, number=event.number + 1) if isinstance(event, Drew) else None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_other_roll, "is not what its chain says"),
        (_other_opening, "is not what its chain says"),
        (_other_key, "is not what its chain says"),
        (_skipped_link, "is not what its chain says"),
        (_told_otherwise, "is not what its chain says"),
        (_other_deal, "the deal does not follow from the seed and the phrases"),
        (_other_draw, "of the adjudicator is not what was shown"),
        (_draw_left_out, "of the adjudicator is not what was shown"),
    ],
)
def test_verify_finds_forged_chance(played, change, sentence):
    assert forge(played, change)
    found = [str(message) for message in played.verify("m")]
    assert any(sentence in text for text in found), found
