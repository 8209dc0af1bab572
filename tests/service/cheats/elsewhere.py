"""Cheats with public numbers, versions, daily emails and tournaments: matches of clubs that other
tests have made for them."""

import re
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from msgspec import structs

from adjudicator.core.seat_lots import SeatLot, draw
from tests.audits import Document
from tests.core.test_beacon import PUBLISHED
from tests.database import create, open_store, update_seats
from tests.inside import append_ply, begun, by_email, creation, writing
from tests.inside import matches_entering as entering
from tests.service import test_daily_email_audit as daily
from tests.service import test_ladder_audit as ladders
from tests.service import test_seat_lots as lots
from tests.service import test_tournament_audit as tournaments
from tests.service import test_tournament_numbers as numbered
from tests.service.cheats.cheat import Papers, Play, Stage
from tests.service.cheats.forms import TEXT, changed, content, replaced
from tests.service.cheats.times import ended
from tests.service.mailclub import MailClub, text_of
from tests.service.test_public_chance import FULL, LATER, Waiting
from tests.service.test_public_chance_audit import _without_verifying, played, restored


def another_number_after_a_restore(stage: Stage) -> Papers:
    club = Waiting(stage.store, stage.folder / "spool")
    return restored(club, timedelta() if stage.honest else timedelta(seconds=3))


def number_of_another_round(stage: Stage) -> Papers:
    """The club takes a signature of another round that pleases it better."""
    club = Waiting(stage.store, stage.folder / "spool")
    if stage.honest:
        return played(club, stage.where)
    club.open(game=stage.where)
    club.run_tick(FULL)
    with patch.object(entering.public_chance, "fault", lambda name, value: None):
        club.value(PUBLISHED[1001])
        return _without_verifying(club)


def seed_that_is_exchanged(stage: Stage) -> Papers:
    """The club looks for a seed that pleases it, once the number is known."""
    club = Waiting(stage.store, stage.folder / "spool")
    if stage.honest:
        return played(club, stage.where)
    club.open(game=stage.where)
    club.run_tick(FULL)
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE match SET seed = ?", (b"7" * 32,))
    club.value()
    return _without_verifying(club)


def logged_by(version: str) -> Play:
    """Return a play of a club of another version, which may have had another clock."""

    def play(stage: Stage) -> Papers:
        with ExitStack() as patched:
            for module in () if stage.honest else (append_ply, creation, writing):
                patched.enter_context(patch.object(module, "__version__", version))
            return ended(stage.scene(), 2)

    return play


@cache
def _of_days() -> tuple[bytes, ...]:
    with TemporaryDirectory() as folder:
        create(url := f"sqlite:///{folder}/adjud.db")
        club = MailClub(open_store(url), Path(folder) / "spool")
        emails = daily.play(club)
        club.store.close()
        return tuple(emails)


def table_of_a_daily_email(stage: Stage) -> Papers:
    """The row of a match has another deadline."""
    emails = [*_of_days()]
    change = replaced(r"( \d{1,2})( Nov| Dec)", r" 1\2")
    number = next(
        n
        for n, raw in enumerate(emails)
        if b"X-Adjud: daily" in raw and change(content(raw, TEXT)) != content(raw, TEXT)
    )
    if not stage.honest:
        emails[number] = changed(emails[number], TEXT, change)
    return emails


@cache
def _of_tournament(kind: str) -> tuple[Document, ...]:
    with TemporaryDirectory() as folder:
        create(url := f"sqlite:///{folder}/adjud.db")
        store = open_store(url)
        found = tournaments.played(kind, store, Path(folder))
        store.close()
        return tuple(found)


def in_the_log_of_a_tournament(lie: tournaments.Lie) -> Play:
    """Return a play in which a tournament has another log, and tells its heads from the start."""

    def play(stage: Stage) -> Papers:
        papers = [*_of_tournament(stage.where)]
        if stage.honest:
            return papers
        of_cup = [one for one in papers if one.contests]
        return tournaments.told_otherwise(of_cup, lie(tournaments.lines_of(of_cup)))

    return play


@cache
def _of_tournament_with_a_number() -> tuple[Document, ...]:
    with TemporaryDirectory() as folder:
        create(url := f"sqlite:///{folder}/adjud.db")
        store = open_store(url)
        found = numbered.papers_of_anna("swiss", store, Path(folder))
        store.close()
        return tuple(found)


def about_the_number_of_a_tournament(lie: tournaments.Lie) -> Play:
    """Return a play in which the lots of a tournament come from another public number."""

    def play(stage: Stage) -> Papers:
        papers = [*_of_tournament_with_a_number()]
        if stage.honest:
            return papers
        of_cup = [one for one in papers if one.contests]
        return tournaments.told_otherwise(of_cup, lie(tournaments.lines_of(of_cup)))

    return play


def number_that_was_told_too_late(stage: Stage) -> Papers:
    papers = [*_of_tournament_with_a_number()]
    return papers if stage.honest else numbered.without_the_email(papers)


def result_of_my_match(stage: Stage) -> Papers:
    papers = [*_of_tournament(stage.where)]
    return papers if stage.honest else tournaments.with_other_result(papers)


def somebody_asleep_in_my_match(stage: Stage) -> Papers:
    papers = [*_of_tournament(stage.where)]
    return papers if stage.honest else tournaments.with_somebody_asleep(papers)


def other_end_of_my_match(stage: Stage) -> Papers:
    papers = [*_of_tournament(stage.where)]
    return papers if stage.honest else tournaments.with_other_end(papers)


def head_that_i_was_told(stage: Stage) -> Papers:
    papers = [*_of_tournament(stage.where)]
    return papers if stage.honest else tournaments.with_other_head(papers)


@cache
def _of_ladder() -> tuple[Document, ...]:
    with TemporaryDirectory() as folder:
        create(url := f"sqlite:///{folder}/adjud.db")
        store = open_store(url)
        found = ladders.played(store, Path(folder))
        store.close()
        return tuple(found)


def in_the_log_of_a_ladder(lie: ladders.Lie) -> Play:
    """Return a play in which a ladder has another log, and tells its heads from the start."""

    def play(stage: Stage) -> Papers:
        papers = [*_of_ladder()]
        if stage.honest:
            return papers
        return ladders.told_otherwise(papers, lie(ladders.lines_of(papers)))

    return play


def line_that_i_was_told(stage: Stage) -> Papers:
    papers = [*_of_ladder()]
    return papers if stage.honest else ladders.with_other_line(papers)


def seats_that_were_drawn_otherwise(option: str) -> Play:
    """Return a play in which the club gives each of the two the seat of the other."""

    def turned(seed: bytes, seats: Sequence[str]) -> tuple[SeatLot, ...]:
        one, other = draw(seed, seats)
        return structs.replace(one, seat=other.seat), structs.replace(other, seat=one.seat)

    def play(stage: Stage) -> Papers:
        club = MailClub(stage.store, stage.folder / "spool")
        club.add("Anna", "Bob")
        made = draw if stage.honest else turned
        with patch.object(creation.seat_lots, "draw", made):
            lots.opened(club, *([option, "drand_after=1 day"] if option else []))
            club.run_tick(FULL)
            if option:
                club.enter_value("m", PUBLISHED[1000], now=LATER)
        lots.played(club)
        return lots.emails_to(club, "anna")

    return play


def number_in_the_draw(stage: Stage) -> Papers:
    """The first email tells another number than the log has."""
    club = MailClub(stage.store, stage.folder / "spool")
    club.add("Anna", "Bob")
    lots.opened(club)
    told = by_email.number_of if stage.honest else lambda match, seat, seats: 7
    with patch.object(by_email, "number_of", told):
        club.run_tick(FULL)
    lots.played(club)
    return lots.emails_to(club, "anna")


def numbers_that_change_before_the_draw(stage: Stage) -> Papers:
    """Once the public number is known the club numbers the players as it pleases it."""
    club = MailClub(stage.store, stage.folder / "spool")
    club.add("Anna", "Bob")
    lots.opened(club, "chance=drand", "drand_after=1 day")
    club.run_tick(FULL)
    if not stage.honest:
        match = club.loaded().match.id
        anna, bob = (club.loaded().holders[seat].player_id for seat in ("white", "black"))
        with club.store.transaction() as tx:
            update_seats(tx, match, ["white"], player_id=bob)
            update_seats(tx, match, ["black"], player_id=anna)
    club.enter_value("m", PUBLISHED[1000], now=LATER)
    lots.played(club)
    return lots.emails_to(club, "anna")


def number_of_who_accepted(stage: Stage) -> Papers:
    """Who accepts an invitation gets the number of who has sent it."""
    club = MailClub(stage.store, stage.folder / "spool")
    club.add("Anna", "Bob")
    codes = (f"CDE{n}" for n in range(200, 999))
    club.context = structs.replace(club.context, invitations=3, coder=lambda: next(codes))
    club.say("Anna", "INVITE Bob TO espionage", at=FULL)
    sent = {one["To"].addresses[0].username: text_of(one) for one in club.run_tick(FULL)}
    code = re.search(r"^ACCEPT (\w+)$", sent["bob"], re.MULTILINE)
    assert code is not None
    right = begun.begin

    def turned(step: Any, planned: Any, name: Any = None) -> Any:
        return right(step, structs.replace(planned, people=planned.people[::-1]), name)

    with patch.object(begun, "begin", right if stage.honest else turned):
        club.say("Bob", f"ACCEPT {code[1]}", at=FULL)
        club.run_tick(FULL)
    lots.played(club, match="espionage-1")
    return lots.emails_to(club, "bob")
