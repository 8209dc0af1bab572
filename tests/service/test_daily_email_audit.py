"""A player who has one email a day checks his emails as others do (club, 4.4)."""

from collections.abc import Callable
from datetime import timedelta
from email import message_from_bytes, policy

import pytest

from adjudicator.core.message import tell
from tests.audits import audit, read_papers
from tests.club import MONDAY, Changes, computer_orders
from tests.service.mailclub import MailClub

DAY = timedelta(days=1)
_PLAYED: list[bytes] = []


def play(club):
    """Play two matches, a turn a day; return what Anna got from the club."""
    club.add("Anna", "Bob")
    club.change("Anna", Changes(letters="daily"), sends_mail=True)
    for name in ("one", "two"):
        club.new("deadline=every 9 days", "fights=both", name=name)
    club.run_tick()
    now = MONDAY
    for _ in range(7):
        now += DAY
        club.run_tick(now)
        for name in ("one", "two"):
            for seat in club.loaded(name).awaited:
                lines = computer_orders(club.loaded(name), seat, "computer")
                to = club.address(seat, name)
                club.write(seat, f"ORDERS {name} {seat}", *lines, "END", to=to, at=now)
        club.run_tick(now)
    for name in ("one", "two"):
        club.announce(name, "It snows.", now=now)
        club.cancel(name, reason="x", now=now)
    club.run_tick(now)
    club.run_tick(now + DAY)
    club.run_tick(now + DAY)
    return [raw for _, to, raw in club.way.letters if to == "anna@example.org"]


@pytest.fixture
def emails(store, tmp_path):
    if not _PLAYED:
        _PLAYED[:] = play(MailClub(store, tmp_path / "spool"))
    return list(_PLAYED)


def audited(emails, folder):
    folder.mkdir(exist_ok=True)
    for number, raw in enumerate(emails):
        (folder / f"{number:02}.eml").write_bytes(raw)
    papers, unread, unused = read_papers(folder)
    assert unread == []
    return {found.match: found for found in audit(papers)}, unused


def said(messages):
    return " / ".join(map(tell, messages))


def test_the_reports_of_all_matches_agree_and_are_compared(emails, tmp_path):
    assert sum(b"X-Adjud: daily" in raw for raw in emails) >= 4
    assert not any(b"X-Adjud: report" in raw for raw in emails)
    found, unused = audited(emails, tmp_path / "all")
    assert sorted(found) == ["one", "two"]
    assert unused == []
    for one in found.values():
        assert said(one.wrong) == ""
        assert said(one.missing) == ""


def with_part(raw: bytes, kind: str, mark: str, change: Callable[[str], str]) -> bytes:
    """Return a daily email of which a form is changed from a mark on."""
    email = message_from_bytes(raw, policy=policy.SMTP)
    (form,) = (one for one in email.walk() if one.get_content_type() == kind)
    text = form.get_content().replace("\r\n", "\n")
    at = text.rindex(mark)
    spoiled = text[:at] + change(text[at:])
    assert spoiled != text
    form.set_content(spoiled, subtype=kind.partition("/")[2], cte="quoted-printable")
    return email.as_bytes()


@pytest.mark.parametrize(
    ("kind", "mark", "change"),
    [
        ("text/plain", "Espionage two, ", lambda text: text.replace("\n  8 ", "\n  9 ", 1)),
        ("text/html", '<hr class="part-2"', lambda text: text.replace(">7<", ">9<", 1)),
    ],
    ids=("text", "HTML"),
)
def test_what_is_changed_in_one_part_is_found(emails, tmp_path, kind, mark, change):
    """The email is compared as a whole, by whoever reads it for either match."""
    (*_, at, _) = (number for number, raw in enumerate(emails) if b"X-Adjud: daily" in raw)
    form = "text" if kind == "text/plain" else "HTML"
    spoiled = [*emails]
    spoiled[at] = with_part(emails[at], kind, mark, change)
    found, _ = audited(spoiled, tmp_path / "spoiled")
    assert {one.exit_code for one in found.values()} == {1}
    for one in found.values():
        (wrong,) = map(tell, one.wrong)
        assert wrong.startswith(f"same/differs: {tmp_path / 'spoiled' / f'{at:02}.eml'}")
        assert f"its {form} says" in wrong


@pytest.mark.parametrize("given", [timedelta(days=2), timedelta(days=-7, hours=-6)])
@pytest.mark.parametrize("way", ["extend", "hold", "overnight"])
def test_a_report_with_a_moved_deadline_is_remade(store, tmp_path, given, way):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.change("Anna", Changes(letters="daily"), sends_mail=True)
    club.new("deadline=every 9 days")
    club.run_tick()
    now = MONDAY
    for _ in range(3):
        now += DAY
        for seat in club.loaded("m").awaited:
            lines = computer_orders(club.loaded("m"), seat, "computer")
            club.write(seat, f"ORDERS m {seat}", *lines, "END", to=club.address(seat, "m"), at=now)
        club.run_tick(now)  # the report waits for the morning
        told = {"reason": "x", "now": now}
        if way != "extend":
            club.hold("m", **told)
        if way == "overnight":
            now += DAY
            told["now"] = now
            club.run_tick(now)  # the report goes while the match is on hold
        if club.loaded("m").match.deadline_at + given > now + DAY:
            club.extend("m", given, sure=True, **told)
        if way != "extend":
            club.resume("m", extend=timedelta(), **told)
        club.run_tick(now)
    club.cancel("m", reason="x", now=now)
    for _ in range(3):
        now += DAY
        club.run_tick(now)
    mine = [raw for _, to, raw in club.way.letters if to == "anna@example.org"]
    found, _ = audited(mine, tmp_path / "all")
    assert said(found["m"].wrong) == ""
