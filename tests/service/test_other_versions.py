"""Emails and logs of another version of adjud: what that version must say itself, and which of them
are no excuse."""

import sys
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from adjudicator import __version__, releases
from adjudicator.cli import main
from adjudicator.core.message import tell
from adjudicator.releases import CLOCK, Release
from adjudicator.service.audit import checks, versions
from adjudicator.service.audit.versions import OtherVersions
from adjudicator.service.base import deadlines
from adjudicator.service.matches import append_ply, creation
from adjudicator.service.outbound import writing
from tests.audits import Audit, audit, read_papers
from tests.club import computer_orders, show
from tests.service.mailclub import MailClub, value_in
from tests.service.test_public_chance import FULL, HOUR, SEATS, Waiting

pytestmark = pytest.mark.slow
OTHER = "9.9.9"
RELEASE = Release("2020-01-01", "p", {"espionage": "e", CLOCK: "c"})


@pytest.fixture
def club(store, tmp_path: Path) -> Waiting:
    return Waiting(store, tmp_path / "spool")


def played(club: Waiting, *, option: str = "chance=seed", ends: bool = False) -> list[bytes]:
    """Play two turns; return what Anna got."""
    people = {seat: f"{name.lower()}@example.org" for seat, name in SEATS["espionage"].items()}
    club.open(option)
    club.run_tick(FULL)
    for turn in range(2):
        at = FULL + (turn + 1) * HOUR
        for seat in club.loaded().awaited:
            lines = computer_orders(club.loaded(), seat, "computer")
            club.write(seat, f"ORDERS m {seat}", *lines, "END", sender=people[seat], at=at)
        club.run_tick(at)
    if ends:
        club.cancel("m", reason="x", now=FULL + 9 * HOUR)
        club.run_tick(FULL + 9 * HOUR)
    return [raw for _, to, raw in club.way.letters if to == "anna@example.org"]


_PLAYED: dict[tuple[str, ...], list[bytes]] = {}  # the emails of a match, for all tests below


def written_by_other(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    if ("written",) not in _PLAYED:
        with monkeypatch.context() as patched:
            patched.setattr(writing, "__version__", OTHER)
            _PLAYED["written",] = played(club)
    return _PLAYED["written",]


def audited(emails: list[bytes], folder: Path, *others: OtherVersions) -> Audit:
    folder.mkdir()
    paths = []
    for number, raw in enumerate(emails):
        paths.append(folder / f"{number}.eml")
        paths[-1].write_bytes(raw)
    papers, unread, _ = read_papers(*paths)
    assert unread == []
    (found,) = audit(papers, checks.THINKING, *others)
    return found


def other_program(folder: Path, version: str = OTHER) -> Path:
    """Return an installed adjud of another version, which words all as this one does."""
    path = folder / "adjud-of-then"
    path.write_text(
        f"#!{sys.executable}\nimport adjudicator\nadjudicator.__version__ = {version!r}\n"
        "from adjudicator.cli import main\nmain()\n"
    )
    path.chmod(0o755)
    return path


def with_another_word(raw: bytes) -> bytes:
    """Return an email whose text says another deadline, or other orders."""
    email = message_from_bytes(raw, policy=policy.SMTP)
    (part,) = (one for one in email.walk() if one.get_content_type() == "text/plain")
    part.set_content(part.get_content().replace("White", "Violet", 1))
    return email.as_bytes()


def test_emails_of_another_version_are_asked_about_once(club, tmp_path, monkeypatch):
    emails = written_by_other(club, monkeypatch)
    assert len(emails) > 2
    found = audited(emails, tmp_path / "mine")
    (asked,) = map(tell, found.asks)
    assert f"{len(emails)} emails were written by adjud {OTHER}, and this is adjud" in asked
    assert "`adjud audit --with PROGRAM` compares them" in asked
    assert found.exit_code == 3
    left = audited(emails, tmp_path / "left", OtherVersions(values_only=True))
    assert (left.exit_code, [*left.asks]) == (0, [])
    assert any(f"written by adjud {OTHER}" in tell(one) for one in left.uncompared)


def test_that_version_writes_them_again(club, tmp_path, monkeypatch):
    emails = written_by_other(club, monkeypatch)
    program = OtherVersions(other_program(tmp_path))
    found = audited(emails, tmp_path / "honest", program)
    assert (found.exit_code, [*map(tell, found.wrong)], [*map(tell, found.asks)]) == (0, [], [])
    changed = with_another_word(emails[-1])
    assert changed != emails[-1]
    found = audited([*emails[:-1], changed], tmp_path / "cheat", program)
    (wrong,) = map(tell, found.wrong)
    assert wrong.startswith("same/differs: ")
    assert "Violet" in wrong


def test_a_program_that_is_not_that_version_is_named_with_what_it_says(club, tmp_path, monkeypatch):
    emails = written_by_other(club, monkeypatch)[:1]
    wrong_one = OtherVersions(other_program(tmp_path, "9.9.8"))
    (asked,) = map(tell, audited(emails, tmp_path / "mine", wrong_one).asks)
    assert "adjud-of-then does not write it again: adjud: " in asked
    assert f"adjud {OTHER} wrote it, and this is adjud 9.9.8" in asked
    none = OtherVersions(Path("/bin/true"))
    (asked,) = map(tell, audited(emails, tmp_path / "none", none).asks)
    assert "/bin/true does not write it again: " in asked


def test_a_version_that_prints_alike_is_written_again_here(club, tmp_path, monkeypatch):
    emails = written_by_other(club, monkeypatch)
    monkeypatch.setattr(releases, "release_list", lambda: {__version__: RELEASE, OTHER: RELEASE})
    found = audited(emails, tmp_path / "honest")
    assert (found.exit_code, [*map(tell, found.wrong)]) == (0, [])
    found = audited([*emails[:-1], with_another_word(emails[-1])], tmp_path / "cheat")
    assert any("Violet" in tell(one) for one in found.wrong)


def test_a_report_that_was_printed_after_an_upgrade_agrees_though_no_line_names_it(
    club, tmp_path, monkeypatch
):
    with monkeypatch.context() as patched:
        patched.setattr(append_ply, "__version__", "0.3.0")
        emails = played(club, ends=True)
    monkeypatch.setattr(versions, "release_list", lambda: {"0.3.0": RELEASE})
    printed = club.live_report("m", "white", now=FULL + 10 * HOUR)
    emails.append(show(printed, "json").encode())
    found = audited(emails, tmp_path / "printed")
    assert (found.exit_code, [*map(tell, found.wrong)]) == (0, [])
    lying = emails[-1].replace(f'"{__version__}"'.encode(), b'"0.2.30"')
    found = audited([*emails[:-1], lying], tmp_path / "lying")
    assert any("says that adjud 0.2.30 made it" in tell(one) for one in found.wrong)


def test_a_version_that_never_was_contradicts(club, tmp_path, monkeypatch):
    emails = written_by_other(club, monkeypatch)
    earlier = {"0.0.1": RELEASE, __version__: RELEASE, "10.0.0": RELEASE}
    monkeypatch.setattr(releases, "__version__", "10.0.0")
    monkeypatch.setattr(releases, "release_list", lambda: earlier)
    assert releases.state_of(OTHER) is releases.ReleaseState.NONE
    found = audited(emails[:1], tmp_path / "mine")
    (wrong,) = map(tell, found.wrong)
    assert f"no email follows from its JSON: adjud {OTHER} was never released" in wrong


def test_the_json_alone_of_another_version_is_asked_about(club, tmp_path, monkeypatch):
    emails = written_by_other(club, monkeypatch)
    path = tmp_path / "m-white-1.adjud.json"
    path.write_bytes(value_in(emails[0]))
    papers, unread, _ = read_papers(path)
    assert unread == []
    (found,) = audit(papers)
    assert (found.match, found.exit_code) == ("m", 3)
    assert f"1 email was written by adjud {OTHER}" in tell(found.asks[0])
    path.write_bytes(b"{" + value_in(emails[0])[1:].replace(b'"match":"m"', b'"match":7'))
    papers, unread, _ = read_papers(path)
    assert (papers, len(unread)) == ([], 1)


# The log.


def logged_by(
    club, monkeypatch: pytest.MonkeyPatch, version: str, option: str = "chance=seed"
) -> list[bytes]:
    """Return the emails of a match whose log names a version from its beginning."""
    if (version, option) not in _PLAYED:
        with monkeypatch.context() as patched:
            for module in (append_ply, creation):
                patched.setattr(module, "__version__", version)
            _PLAYED[version, option] = played(club, option=option, ends=True)
    return _PLAYED[version, option]


def test_a_log_of_a_newer_version_is_asked_about(club, tmp_path, monkeypatch):
    emails = logged_by(club, monkeypatch, OTHER)
    found = audited(emails, tmp_path / "mine")
    assert any(f"names adjud {OTHER}, which is newer than this" in tell(one) for one in found.asks)


@pytest.mark.parametrize(
    ("listed", "told"),
    [
        ({"0.0.1": RELEASE, "0.0.9": RELEASE, __version__: RELEASE}, "which was never released"),
        (
            {"0.0.1": RELEASE, "0.0.5": Release("2026-01-01", "q", {}), __version__: RELEASE},
            f"names adjud 0.0.5 on {FULL:%Y-%m-%d}, before it was released",
        ),
        ({"0.0.5": RELEASE, __version__: RELEASE}, ""),
        ({"0.0.6": RELEASE, __version__: RELEASE}, ""),  # from before the list
    ],
    ids=["never", "later", "known", "older"],
)
def test_a_log_names_versions_that_were_there(club, tmp_path, monkeypatch, listed, told):
    emails = logged_by(club, monkeypatch, "0.0.5")
    monkeypatch.setattr(releases, "release_list", lambda: listed)
    monkeypatch.setattr("adjudicator.service.audit.versions.release_list", lambda: listed)
    found = [tell(one) for one in audited(emails, tmp_path / "mine").wrong]
    about = [one for one in found if "0.0.5" in one and "says that" not in one]
    assert [one for one in about if told not in one] == []
    assert bool(about) == bool(told)


@pytest.mark.parametrize("alike", [True, False])
def test_rules_that_are_alike_are_no_excuse(club, tmp_path, monkeypatch, alike: bool):
    """A turn is a day too short: perhaps the other version's clock counts so, unless it is ours."""
    fresh = deadlines.fresh

    def nearer(*given: Any) -> datetime | None:
        due = fresh(*given)
        return due and due - timedelta(days=1)

    with monkeypatch.context() as patched:
        patched.setattr(deadlines, "fresh", nearer)
        emails = logged_by(club, monkeypatch, "0.0.5", option="deadline=every 3 days")
    other = Release("2020-01-01", "p", {CLOCK: "c" if alike else "d"})
    listed = {"0.0.5": other, __version__: RELEASE}
    monkeypatch.setattr(releases, "release_list", lambda: listed)
    monkeypatch.setattr("adjudicator.service.audit.versions.release_list", lambda: listed)
    found = [tell(one) for one in audited(emails, tmp_path / "mine").wrong]
    assert any("it sets the deadline" in one for one in found) is alike


def test_the_command_asks_compares_or_leaves_out(club, tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    for number, raw in enumerate(written_by_other(club, monkeypatch)):
        (tmp_path / "mine" / f"{number}.eml").write_bytes(raw)
    program, folder = str(other_program(tmp_path)), str(tmp_path / "mine")

    def ends(*words: str) -> int:
        return CliRunner().invoke(main, ["audit", folder, *words]).exit_code

    assert (ends(), ends("--values-only"), ends("--with", program)) == (3, 0, 0)
