"""A match of Spion by mail in rounds: four players, each in his language; one of them never writes.

Every sheet is a reply to the email with the report. The emails of the first two rounds
are kept as files; `--bless` writes them anew.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.club import MONDAY, Store, computer_orders
from tests.service.spionclub import PLAYERS, SpionClub, text_of

GOLDEN = Path(__file__).parent / "dialogs" / "spion_in_rounds"
KEPT = 2  # rounds
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
LANGUAGES = {"Anna": "en", "Bob": "nb", "Carl": "sv", "Dora": "en"}
SILENT = "red"  # Dora
WORDS = {  # how each writes the head and the end of a sheet
    "blue": ("ORDERS m blue", "END"),
    "green": ("ORDRE m grønn", "SLUTT"),
    "yellow": ("ORDER m gul", "SLUT"),
}


def reply(club: SpionClub, seat: str, email: EmailMessage, at: datetime) -> None:
    """Write the built-in player's sheet above the quoted report, to where the email wants it."""
    head, end = WORDS[seat]
    lines = computer_orders(club.loaded(), seat, "computer")
    quoted = [f"> {line}" for line in text_of(email).splitlines()]
    club.write(
        seat,
        *(head, *lines, end, "", "On Monday, the adjudicator wrote:", *quoted),
        sender=club.mailbox(seat),
        to=str(email["Reply-To"]),
        at=at,
        Subject=f"Re: {email['Subject']}",
        In_Reply_To=str(email["Message-ID"]),
    )


def last_report(club: SpionClub, seat: str) -> EmailMessage:
    found = (
        message_from_bytes(raw, policy=policy.default)
        for _, to, raw in reversed(club.way.letters)
        if to == club.mailbox(seat)
    )
    return next(email for email in found if email["X-Adjud"] == "report")


@pytest.fixture
def club(store: Store, tmp_path: Path) -> SpionClub:
    club = SpionClub(store, tmp_path / "spool")
    agreed = ("deadline=every 2 days", "absence=forfeit", "max_rounds=5")
    club.open(*agreed, players=4, languages=LANGUAGES)
    club.run_tick()
    return club


def play(club: SpionClub) -> Iterator[datetime]:
    """Let everybody but one reply within an hour; yield after each adjudication."""
    while club.loaded().match.status != "over":
        loaded = club.loaded()
        at = loaded.since + HOUR
        for seat in WORDS:
            reply(club, seat, last_report(club, seat), at)
        club.run_tick(at)
        if club.loaded().match.ply == loaded.match.ply:
            assert loaded.match.deadline_at
            club.run_tick(loaded.match.deadline_at)
        yield club.loaded().since


@pytest.mark.slow
def test_a_match_of_four_in_rounds_by_mail_with_one_who_never_writes(
    club: SpionClub, pytestconfig: pytest.Config
) -> None:
    waited, kept = [], {}
    for ply, since in enumerate(play(club), start=1):
        waited.append(since)
        if ply == KEPT:
            kept = dict(_emails(club))
    assert club.report("blue")["result"]
    assert club.verify("m") == []
    # Three deadlines were waited for.
    gaps = [later - earlier for earlier, later in zip([MONDAY, *waited], waited, strict=False)]
    assert gaps == [2 * DAY] * 3 + [HOUR] * (len(waited) - 3)
    told = [" ".join(text.replace("|", " ").split()) for text in club.to(SILENT, "report")]
    warned = ["Dora" in text and "missed two deadlines in a row" in text for text in told]
    assert any(warned[:-1])
    assert club.to(SILENT, "notice") == []  # each of them is told by the report that follows it
    assert all("NOT accepted" not in text for text in club.to("blue", "receipt"))
    _compare(kept, bool(pytestconfig.getoption("--bless")))


def _emails(club: SpionClub) -> Iterator[tuple[str, str]]:
    """Return what went out so far, by number and player: what the mail program shows of it."""
    for number, (_, to, raw) in enumerate(club.way.letters, start=1):
        email = message_from_bytes(raw, policy=policy.default)
        name = f"{number:02}-{to.partition('@')[0]}-{email['X-Adjud']}.txt"
        heads = [f"{head}: {email[head]}" for head in ("To", "Subject", "Reply-To")]
        text = text_of(email).replace("\r\n", "\n")
        yield name, "\n".join([*heads, "", text]).rstrip("\n") + "\n"


def _compare(made: dict[str, str], bless: bool) -> None:
    assert made
    if bless:
        GOLDEN.mkdir(parents=True, exist_ok=True)
        for old in GOLDEN.glob("*.txt"):
            old.unlink()
        for name, text in made.items():
            (GOLDEN / name).write_bytes(text.encode())
    kept = {path.name: path.read_bytes().decode() for path in sorted(GOLDEN.glob("*.txt"))}
    assert sorted(made) == sorted(kept)
    for name, text in made.items():
        assert text == kept[name], f"{name} changed; read it, then run again with --bless"


@pytest.mark.slow
def test_an_email_after_silence_is_waited_for_again(club: SpionClub) -> None:
    for _ in zip(range(4), play(club), strict=False):
        pass
    assert club.loaded().holders[SILENT].silent == 3
    at = club.loaded().since
    assert PLAYERS[SILENT] in club.answered(SILENT, "REPORT", now=at)[0]
    assert club.loaded().holders[SILENT].silent == 0
    ply = club.loaded().match.ply
    for seat in WORDS:
        reply(club, seat, last_report(club, seat), at)
    club.run_tick(at)
    assert club.loaded().match.ply == ply
