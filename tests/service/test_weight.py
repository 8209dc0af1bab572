"""Emails stay light, however long the match (emails, section 6)."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from tests.club import MONDAY, SEED, Club, Store, computer_orders
from tests.inside import write
from tests.service import spiesclub
from tests.service.cheats.scene import seen_in
from tests.service.mailclub import MailClub, files_of, value_in
from tests.service.spiesclub import SpiesClub
from tests.service.spionclub import SpionClub

MOST, LAST = 200_000, 400_000
# Of what an email says, as JSON. That of a last email grows with the log: 120 kB after 40 plies.
MOST_VALUE, LAST_VALUE_A_PLY = 25_000, 3_000
LAST_OF_PLIES, FURTHER_PLY = 90, 4_000  # what the last email of a longer match has beyond LAST
HOUR = timedelta(hours=1)


def espionage(variant: str, language: str) -> Callable[[Store, Path], MailClub]:
    def opened(store: Store, folder: Path) -> MailClub:
        club = MailClub(store, folder)
        club.add("Anna", "Bob", language=language)
        club.new("fights=both", variant=variant)
        return club

    return opened


def spion(players: int, *options: str) -> Callable[[Store, Path], MailClub]:
    def opened(store: Store, folder: Path) -> MailClub:
        club = SpionClub(store, folder)
        # With the seed of other tests two players have a winner too soon.
        club.open(*options, players=players, seed="01" * 32 if players == 2 else SEED)
        return club

    return opened


def spies(players: int, *options: str, language: str = "en") -> Callable[[Store, Path], MailClub]:
    def opened(store: Store, folder: Path) -> MailClub:
        club = SpiesClub(store, folder)
        names = dict.fromkeys(spiesclub.PLAYERS.values(), language)
        club.open(*options, players=players, languages=names)
        return club

    return opened


def play(club: MailClub, plies: int, player: str, *, emails: int) -> None:
    """Play so many plies and write the emails of the last ones only."""
    context = club.context
    now = MONDAY
    for n in range(plies):
        club.context = replace(context, sends_mail=n >= plies - emails)
        awaited = club.loaded().awaited
        for seat in awaited:
            lines = computer_orders(club.loaded(), seat, player)
            assert club.send(seat, *lines, now=now).accepted
        now += HOUR
        club.run_tick(now)
        if not awaited:
            return


def pages(reports: Sequence[bytes]) -> Iterator[str]:
    """Return the page that is attached to each report."""
    for raw in reports:
        (page,) = files_of(message_from_bytes(raw, policy=policy.default))
        yield page.get_content().decode()


def looks_back_on_thirty_turns_and_marks(reports: Sequence[bytes]) -> None:
    for text in pages(reports[-2:]):
        assert len(set(re.findall(r"<li id=\"turn-(\d+)-", text))) >= 30
        assert "marks-data" in text


def looks_back_on_steps(least: int) -> Callable[[Sequence[bytes]], None]:
    def looks_back(reports: Sequence[bytes]) -> None:
        for text in pages(reports[-2:]):
            assert len(re.findall(r"<li id=\"turn-", text)) >= least

    return looks_back


def looks_back_on_the_last_years_that_it_has_room_for(reports: Sequence[bytes]) -> None:
    told = []
    for text in pages(reports[-5:]):
        moments = re.findall(r" data-changes=\"[^\"]*\"><b>(\d+)</b>", text)
        years = [str(year) for year in range(1933, 1939)]
        assert moments == years[len(years) - len(moments) :]
        told.append(len(moments))
    assert max(told) >= 2


def any_page(reports: Sequence[bytes]) -> None:
    assert all(pages(reports))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("opened", "plies", "player", "looks_back"),
    [
        *(  # lighter than the next one, so by night
            pytest.param(
                espionage("small", language),
                91,
                "computer:random",
                looks_back_on_thirty_turns_and_marks,
                marks=pytest.mark.nightly,
            )
            for language in ("nb", "sv")
        ),
        (espionage("standard", "sv"), 91, "computer:random", looks_back_on_thirty_turns_and_marks),
        (spion(2), 26, "computer", looks_back_on_steps(20)),
        (spion(4, "mode=rounds", "memory=open"), 18, "computer:easy", looks_back_on_steps(3)),
        (spies(5), 7, "computer", looks_back_on_the_last_years_that_it_has_room_for),
        (spies(5, language="sv"), 6, "computer:random", any_page),
        (spies(2, "assassination=on", language="sv"), 5, "computer", any_page),
    ],
    ids=[
        *("espionage-8-nb", "espionage-8-sv", "espionage-10", "spion-2", "spion-4"),
        *("spies-5", "spies-random", "spies-2"),
    ],
)
def test_a_report_has_a_limit_however_long_the_match_and_a_page_that_looks_back(
    opened: Callable[[Store, Path], MailClub],
    plies: int,
    player: str,
    looks_back: Callable[[Sequence[bytes]], None],
    store: Store,
    tmp_path: Path,
) -> None:
    club = opened(store, tmp_path / "spool")
    play(club, plies, player, emails=4)
    assert club.loaded().awaited, "the match has ended"
    reports = [raw for _, _, raw in club.way.letters if b"X-Adjud: report" in raw]
    assert len(reports) >= 6
    for raw in reports:
        assert len(raw) <= MOST
        email = message_from_bytes(raw, policy=policy.default)
        html = email.get_body(("html",))
        text = email.get_body(("plain",))
        assert html is not None
        assert text is not None
        is_first = email["References"] is None
        assert len(text.get_content().encode()) <= (10_000 if is_first else 7_500)
        assert len(html.get_content().encode()) <= 40_000
        assert len(value_in(raw)) <= MOST_VALUE
    print(f"the largest value has {max(len(value_in(raw)) for raw in reports)} bytes")
    looks_back(reports)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [25, pytest.param(100, marks=pytest.mark.nightly)])
def test_the_last_email_of_a_long_match_has_a_limit_of_its_own(
    rounds: int, store: Store, tmp_path: Path
) -> None:
    club = spion(4, "mode=rounds", "memory=open", f"max_rounds={rounds}")(store, tmp_path / "spool")
    play(club, 3 * rounds, "computer:random", emails=3 * rounds)
    last = [raw for _, _, raw in club.way.letters if b"X-Adjud: report" in raw][-4:]
    assert club.loaded().match.status == "over"
    plies = club.loaded().match.ply
    most = LAST + max(0, plies - LAST_OF_PLIES) * FURTHER_PLY
    assert all(len(raw) <= most for raw in last)
    assert all((b"replay" in raw) == (plies <= LAST_OF_PLIES) for raw in last)
    largest = max(len(value_in(raw)) for raw in last)
    print(f"the largest last value has {largest} bytes, of {plies} plies")
    assert 0 < largest <= LAST_VALUE_A_PLY * plies


@pytest.mark.slow
@pytest.mark.nightly
def test_the_last_email_of_a_match_of_400_plies_has_this_limit_too(
    store: Store, tmp_path: Path
) -> None:
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob", language="sv")
    club.new("fights=both", variant="standard", black="computer:random")
    context, club.context = club.context, replace(club.context, sends_mail=False)
    while club.loaded().match.ply < 400:
        lines = computer_orders(club.loaded(), "white", "computer:random")
        assert club.send("white", *lines).accepted
        club.tick()
    club.context = context
    Club(store, context).cancel("m", reason="x")
    club.run_tick()
    last = [raw for _, _, raw in club.way.letters if b"X-Adjud: report" in raw][-1]
    assert last.count(b'\n{"ply":') == club.loaded().match.ply > 400
    assert len(last) <= LAST


def test_the_last_page_of_a_very_long_match_leaves_record_and_log_to_its_email(
    store: Store, tmp_path: Path
) -> None:
    club = spion(4, "mode=rounds", "max_rounds=2")(store, tmp_path / "spool")
    with patch.object(write, "_LAST", 90_000):
        play(club, 6, "computer", emails=6)
        mine = [raw for _, to, raw in club.way.letters if to == "anna@example.org"]
        seen = seen_in(mine, tmp_path / "emails")
    assert club.loaded().match.status == "over"
    assert (seen.wrong, seen.asks) == ([], [])
    email = message_from_bytes(mine[-1], policy=policy.default)
    (page,) = pages([mine[-1]])
    log = json.loads(value_in(mine[-1]))["report"]["log"]["lines"]
    assert not any(line in page for line in log)
    assert '[Game "Spion"]' not in page
    assert "Check this match" not in page
    assert "Keep the attached m-blue-" in page
    text = email.get_body(("plain",))
    assert text is not None
    assert '[Game "Spion"]' in text.get_content()
    assert len(mine[-1]) <= 90_000
