"""The club's site lists the heads of each match's log, and no ply with a listed head is taken
back."""

import re
from datetime import timedelta
from pathlib import Path
from shutil import copytree

import pytest

from adjudicator.core.message import tell
from adjudicator.games import GAMES
from adjudicator.reports.rows import short_head
from tests.audits import Audit, Document, Restore, audits_of
from tests.club import MONDAY, Club, Refusal
from tests.database import create, mark_shown, open_store, plies, told_heads
from tests.inside import publish, restores
from tests.service.mailclub import MailClub
from tests.service.test_audit import other_digit
from tests.service.test_site import KEY, POST, begin, end_early, files, resign, text_of
from tests.site_pages import SEATS, ClubSite, served_version

PAGE = "logs/m.html"
HOUR = timedelta(hours=1)


@pytest.fixture
def club(store):
    club = Club(store)
    club.add("Anna", "Bob")
    return club


def heads(club: Club, match: str = "m") -> list[str]:
    """Return the heads of all plies, as the store has them."""
    with club.store.reading() as tx:
        found = [one.head for one in plies(tx, club.loaded(match).match.id)]
    assert all(found)
    return found


def listed(page: bytes) -> list[tuple[int, str, str]]:
    """Return (ply, first digits, head) of each row, the oldest first."""
    rows = re.findall(
        r'<tr><th [^>]*>(\d+)</th><td>[^<]+</td><td><code>([^<]+)</code><br><code class="digest">'
        r"([0-9a-f]{64})</code></td></tr>",
        page.decode(),
    )
    return [(int(ply), short, head) for ply, short, head in rows][::-1]


def told(club: Club) -> int:
    """Return how many heads the site may list."""
    with club.store.reading() as tx:
        return len(told_heads(tx, club.loaded().match.id))


def undo(club: Club) -> str:
    return tell(club.undo("m"))


def test_the_heads_of_all_plies_are_listed_and_the_newest_stands_on_one_page(club):
    begin(club)
    club.order("white")
    club.tick()
    found = files(club)
    wanted = heads(club)
    assert listed(found[PAGE]) == [(ply, short_head(head), head) for ply, head in enumerate(wanted)]
    assert len(wanted) == 3
    line = f"m Log fingerprint of ply 2: {short_head(wanted[2])}"
    assert line in text_of(found["logs.html"])
    assert f'href="{PAGE}"' in found["logs.html"].decode()
    assert 'href="logs.html"' in found["index.html"].decode()


def test_they_are_those_that_the_players_reports_have(club):
    begin(club)
    (_, short, head) = listed(files(club)[PAGE])[-1]
    for seat in ("white", "black"):
        report = club.report(seat)
        assert report["log"]["head"] == head
    assert short == "-".join(re.findall("....", head[:20]))


@pytest.mark.parametrize("slug", GAMES)
def test_those_of_an_ended_match_of_every_game_are_listed_to_the_last(slug, club):
    end_early(club, slug)
    found = files(club)
    assert [head for _, _, head in listed(found[PAGE])] == heads(club)
    assert f'href="{PAGE}"' in found["logs.html"].decode()


def test_a_match_that_was_cancelled_before_its_first_turn_has_its_heads_too(club):
    club.new()
    resign(club, "white")
    assert [head for _, _, head in listed(files(club)[PAGE])] == heads(club)


# A player can save the page and give it to an audit.


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Path:
    """Return a folder with Anna's emails of a match that has ended, and the saved page."""
    folder = tmp_path_factory.mktemp("papers")
    create(url := f"sqlite:///{tmp_path_factory.mktemp('club') / 'adjud.db'}")
    club = MailClub(open_store(url), folder.with_name("spool"))
    club.add("Anna", "Bob")
    begin(club)
    club.run_tick()
    resign(club, "black")
    club.run_tick()
    for number, (_, to, raw) in enumerate(club.way.letters):
        if to == "anna@example.org":
            (folder / f"{number}.eml").write_bytes(raw)
    (folder / "m.html").write_bytes(files(club, "sv")[PAGE])
    club.store.close()
    return folder


def audited(folder: Path) -> Audit:
    (found,) = audits_of(folder)
    return found


def test_an_audit_compares_a_saved_page_with_the_emails(kept):
    found = audited(kept)
    assert found.exit_code != 1
    assert "3 log fingerprints" in [tell(one) for one in found.checked]


@pytest.mark.parametrize("ply", [0, 1, 2])
def test_an_audit_finds_a_club_that_shows_another_page(kept, tmp_path, ply):
    folder = copytree(kept, tmp_path / "papers")
    page = folder / "m.html"
    spoiled = re.sub(
        rf'(>{ply}</th>.*<code class="digest">)(\w)', other_digit, page.read_text("utf-8")
    )
    assert spoiled != page.read_text("utf-8")
    page.write_text(spoiled, "utf-8")
    found = audited(folder)
    assert found.exit_code == 1
    assert any("m.html" in tell(one) and f"ply {ply}" in tell(one) for one in found.wrong)


@pytest.mark.parametrize(("newest", "is_undone"), [(1, False), (2, True)])
def test_a_page_that_was_saved_before_a_restore_accuses_nobody(newest, is_undone):
    """The club was restored after ply 1, and has another ply 2 now."""
    before = tuple((ply, "a" * 64) for ply in range(newest + 1))
    after = (*((ply, "a" * 64) for ply in range(2)), (2, "b" * 64))
    restore = Restore(ended="aaa", ply=1, begun="bbb")
    old = Document(name="old", match="m", epoch="aaa", listed=before)
    new = Document(name="new", match="m", epoch="bbb", listed=after, restores=(restore,))
    found = restores.divide([old, new])
    assert found.counting == ([new] if is_undone else [old, new])
    assert [*restores.heads_of(found.counting, None)] == []


# A head is listed once it was told, and what was told stays.


def test_between_built_in_players_a_head_is_listed_once_a_report_was_printed(club, tmp_path):
    club.new(white="computer", black="computer")
    club.tick()
    last = club.loaded().match.ply
    assert PAGE not in files(club)
    made = ClubSite(store=club.store, key=KEY, language="en", zone="UTC", now=MONDAY)
    publish.publish(tmp_path / "www", made.fill, unlisted=[SEATS], at=MONDAY)
    assert made.is_current(served_version(tmp_path / "www"))
    club.report("white")
    assert not made.is_current(served_version(tmp_path / "www"))
    publish.publish(tmp_path / "www", made.fill, unlisted=[SEATS], at=MONDAY + HOUR)
    page = (tmp_path / "www" / PAGE).read_bytes()
    assert [ply for ply, _, _ in listed(page)] == list(range(last + 1))


def test_what_is_printed_of_an_earlier_ply_lists_no_later_head(club):
    club.new(white="computer", black="computer")
    club.tick()
    with club.store.transaction() as tx:
        mark_shown(tx, club.loaded().match.id, 0, "white", MONDAY)
    assert club.loaded().match.ply > 0
    assert told(club) == 1


@pytest.mark.parametrize("ply", [0, 1])
def test_a_build_of_the_site_hands_over_and_the_ply_stays(club, ply):
    begin(club)
    if ply == 0:
        undo(club)
        assert told(club) == 0
        return
    assert told(club) == 0
    assert len(listed(files(club)[PAGE])) == 2
    with pytest.raises(Refusal, match="a report of the last ply was already printed"):
        undo(club)


def test_a_printed_report_lists_the_head_and_the_ply_stays(club):
    begin(club)
    club.report("black")
    assert told(club) == 2
    with pytest.raises(Refusal, match="a report of the last ply was already printed"):
        undo(club)


def test_a_delivered_report_lists_the_head_and_the_ply_stays(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    begin(club)
    assert told(club) == 0
    club.run_tick()
    assert told(club) == 2
    with pytest.raises(Refusal, match="an email about the last ply was already sent"):
        undo(club)


def test_a_ply_that_was_taken_back_is_not_listed(club):
    begin(club)
    files(club)
    club.order("white")
    club.tick()
    assert told(club) == 2
    gone = heads(club)[2]
    undo(club)
    page = files(club)[PAGE]
    assert len(listed(page)) == 2
    assert gone.encode() not in page


# It tells nothing of who has sent.


@pytest.mark.parametrize("seat", ["white", "black"])
def test_what_was_sent_changes_no_list_and_leaves_the_site_current(club, tmp_path, seat):
    begin(club)
    made = ClubSite(store=club.store, key=KEY, language="en", zone="UTC", now=MONDAY, post=POST)
    publish.publish(tmp_path / "www", made.fill, unlisted=[SEATS], at=MONDAY)
    before = files(club)[PAGE]
    club.send(seat, "DRAW")
    club.send(seat, "NOTE he is brave")
    club.report(seat)
    assert made.is_current(served_version(tmp_path / "www"))
    assert files(club)[PAGE] == before
