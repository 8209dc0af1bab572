"""A match whose game comes in another version of its package says so: in its log, to the operator,
and in the verdict of an audit."""

import dataclasses
from unittest.mock import patch

import pytest

from adjudicator.core import chain
from adjudicator.core.message import tell
from adjudicator.games import GAMES
from adjudicator.games.packaged import NamedGame
from tests.audits import audits_of
from tests.club import Club
from tests.database import log_lines, update_match
from tests.games.examples import GOOFSPIEL
from tests.inside import tick
from tests.service.mailclub import said
from tests.service.test_packaged_game import ROUNDS, bid, opened

pytestmark = [pytest.mark.usefixtures("skeleton"), pytest.mark.slow]
OLD, NEW = "adjud-prizes 0.1", "adjud-prizes 0.2"


def adjudicate(state, orders, chance):
    """Let the lower card win."""
    blue, red = (orders[seat] for seat in GOOFSPIEL.seats)
    return GOOFSPIEL.rules.adjudicate(
        state, dict(zip(GOOFSPIEL.seats, (red, blue), strict=True)), chance
    )


OTHER_RULES = dataclasses.replace(
    GOOFSPIEL, rules=dataclasses.replace(GOOFSPIEL.rules, adjudicate=adjudicate)
)


@pytest.fixture
def install(monkeypatch):
    """Return what puts a version of the package in place of the one before."""

    def put(package, game=GOOFSPIEL):
        named = NamedGame("goofspiel", *package.split(), "prizes:GOOFSPIEL")
        monkeypatch.setitem(GAMES, "goofspiel", game)
        monkeypatch.setattr(GAMES, "origin", lambda slug: named if slug == "goofspiel" else None)

    return put


def play(club, *cards):
    for card in cards:
        bid(club, "blue", card)
        bid(club, "red", card % ROUNDS + 1)
        club.run_tick()


def play_unread(club, card):
    """Play a ply of which no email is even tried."""
    with patch.object(tick, "_deliver", lambda club: iter(())):
        play(club, card)


def lines(club):
    with club.store.reading() as tx:
        return log_lines(tx, club.loaded().match.id)


def named_in_log(club):
    opening, *others = lines(club)
    return [chain.read_opening(opening).package, *(chain.read(line).package for line in others)]


def to_operator(emails):
    return [said(email) for email in emails if email["To"] == "gm@example.org"]


def audited(club, folder):
    folder.mkdir(exist_ok=True)
    for number, (_, receiver, raw) in enumerate(club.way.letters):
        if receiver == "anna@example.org":
            (folder / f"{number:03}.eml").write_bytes(raw)
    (found,) = audits_of(folder)
    return found


def test_the_log_names_the_package_and_each_change_once(store, tmp_path, install):
    install(OLD)
    club = opened(store, tmp_path)
    play(club, 1, 2)
    install(NEW)
    play(club, 3, 4)
    assert named_in_log(club) == [OLD, "", "", NEW, ""]
    assert club.loaded().match.package == NEW
    assert Club(store).verify("m") == []


def test_the_log_of_the_programs_own_games_is_as_it_was(store, tmp_path):
    club = opened(store, tmp_path)  # a game that no package names
    play(club, 1)
    assert all("package" not in line for line in lines(club))


def test_the_operator_is_told_once_that_the_version_has_changed(store, tmp_path, install):
    install(OLD)
    club = opened(store, tmp_path)
    play(club, 1)
    install(NEW)
    bid(club, "blue", 2)
    bid(club, "red", 3)
    (told,) = to_operator(club.run_tick())
    assert f"It continues with {NEW}; up to now it was played with {OLD}." in told
    bid(club, "blue", 3)
    bid(club, "red", 4)
    assert to_operator(club.run_tick()) == []


def test_an_undo_puts_the_package_back(store, tmp_path, install):
    install(OLD)
    club = opened(store, tmp_path)
    play(club, 1)
    install(NEW)
    play_unread(club, 2)
    assert club.loaded().match.package == NEW
    club.undo("m", reason="x", now=club.loaded().match.created_at)
    assert club.loaded().match.package == OLD
    club.run_tick()
    assert named_in_log(club) == [OLD, "", NEW]
    assert Club(store).verify("m") == []


def test_a_match_from_before_the_log_named_packages_keeps_its_own(store, tmp_path, install):
    """Its first line names none, and so does an undo leave what the row says."""
    club = opened(store, tmp_path)
    with store.transaction() as tx:
        update_match(tx, club.loaded().match.id, package=OLD)
    install(OLD)
    play(club, 1)
    assert named_in_log(club) == ["", ""]
    play_unread(club, 2)
    club.undo("m", reason="x", now=club.loaded().match.created_at)
    assert club.loaded().match.package == OLD


@pytest.fixture
def played(store, tmp_path, install):
    """Play a match to its end with the old version."""
    install(OLD)
    club = opened(store, tmp_path)
    play(club, *range(1, ROUNDS + 1))
    assert club.loaded().match.status == "over"
    return club


def test_an_audit_with_a_version_of_other_rules_names_both_and_accuses_nobody(
    played, tmp_path, install
):
    install(NEW, OTHER_RULES)
    found = audited(played, tmp_path / "emails")
    assert [*map(tell, found.wrong)] == []
    (asked,) = map(tell, found.asks)
    assert asked == (
        f"version: the match was played with {OLD}, and {NEW} is installed here, which does not "
        f"give the same: audit the match with {OLD}, too"
    )
    assert found.exit_code == 3


def test_an_audit_with_a_version_of_the_same_rules_finds_nothing(played, tmp_path, install):
    install(NEW)
    found = audited(played, tmp_path / "emails")
    assert found.exit_code == 0
    assert (
        f"the match was played with {OLD}, and {NEW}, which is installed here, gives the same"
        in [*map(tell, found.notes)]
    )


def test_an_audit_with_the_same_version_accuses_a_club_that_cheats(played, tmp_path, install):
    install(OLD, OTHER_RULES)
    assert audited(played, tmp_path / "emails").exit_code == 1


def test_a_forged_fingerprint_is_found_whatever_is_installed(played, tmp_path, install):
    install(NEW, OTHER_RULES)
    folder = tmp_path / "emails"
    audited(played, folder)
    forged = [
        (path, text.replace(OLD, NEW))
        for path in folder.iterdir()
        if OLD in (text := path.read_text("utf-8"))
    ]
    assert forged
    for path, text in forged:
        path.write_text(text, "utf-8")
    (found,) = audits_of(folder)
    assert found.exit_code == 1


def test_an_audit_without_the_game_names_what_to_install(played, tmp_path, monkeypatch):
    monkeypatch.delitem(GAMES, "goofspiel")
    found = audited(played, tmp_path / "emails")
    assert found.exit_code == 3  # what its emails say cannot be read (same/no value)
    assert not found.wrong
    assert (
        "what follows from the rules: it was played with the game 'goofspiel' of the package "
        f"{OLD}, which is not installed here; install it and audit the match again"
        in [*map(tell, found.uncompared)]
    )


def test_verify_names_the_other_version_beside_what_it_finds(played, store, install):
    install(NEW)
    assert Club(store).verify("m") == []
    rules = dataclasses.replace(GOOFSPIEL.rules, set_up=lambda setting, chance: None)
    install(NEW, dataclasses.replace(GOOFSPIEL, rules=rules))
    told = [*map(str, Club(store).verify("m"))]
    assert told[0] == "the opening position does not follow from the seed"
    assert told[-1] == (
        f"it was played with {OLD}, and {NEW} is installed, which may be the reason: verify it "
        f"with {OLD}, too"
    )


def test_a_version_that_cannot_read_what_the_older_one_stored_names_both(played, install):
    from adjudicator.core.simple import Position
    from tests.club import Unreadable

    class Other(Position, frozen=True, kw_only=True):
        dice: int

    rules = dataclasses.replace(GOOFSPIEL.rules, state=Other)
    install(NEW, dataclasses.replace(GOOFSPIEL, rules=rules))
    with pytest.raises(Unreadable, match=f"played with {OLD}, and {NEW} cannot read it"):
        played.loaded()
