"""Emails that lead to a seat's own page on the club's site (emails, section 6)."""

from datetime import timedelta

import pytest
from msgspec import structs

from tests.club import MONDAY, Pages, first_page
from tests.database import player_at
from tests.inside import publish
from tests.service.mailclub import POST, MailClub, files_of, text_of
from tests.service.test_public import ask, code, open_match
from tests.site_pages import note_built, seat_link

HOUR = timedelta(hours=1)
URL = "https://club.example.org/"


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.context = structs.replace(club.context, site_url=URL)
    club.add("Anna", "Bob")
    club.new()
    club.write("white", "PREFS PAGE LINK")
    club.run_tick()
    return club


def report(club, now):
    """Play the set-up and return the report to Anna, as one text, and whether a page came."""
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", now=now)
    (email,) = club.run_tick(now)
    return email, [part.get_filename() for part in files_of(email)]


def test_a_report_leads_to_the_page_and_has_none(club):
    note_built(club.store, now=MONDAY + 2 * HOUR)
    email, attached = report(club, MONDAY + HOUR)
    where = URL + seat_link(club.store, POST.keys[0], "m", "white")
    assert where in text_of(email)
    assert where in email.get_body(("html",)).get_content()
    assert "last updated before" not in text_of(email)
    assert "attached page" not in text_of(email)
    assert attached == []
    assert len(email.as_bytes()) < 34_000


def test_it_says_of_when_the_page_is_if_it_was_not_built_since(club):
    note_built(club.store, now=MONDAY + HOUR)
    email, attached = report(club, MONDAY + 2 * HOUR)
    told = " ".join(text_of(email).split())
    assert "Mon 23 Nov 2026, 13:00 UTC" in told.partition(URL)[2].partition("White")[0]
    assert attached == []


@pytest.mark.parametrize("built", [None, MONDAY - HOUR])
def test_while_there_is_no_page_of_his_it_is_attached(club, built):
    """The site was never built, or before he held the seat."""
    if built:
        note_built(club.store, now=built)
    email, attached = report(club, MONDAY + HOUR)
    assert URL not in text_of(email)
    assert "attached page" in text_of(email)
    assert len(attached) == 1


def test_without_a_site_it_is_attached(club):
    club.context = structs.replace(club.context, site_url="")
    note_built(club.store, now=MONDAY + HOUR)
    _, attached = report(club, MONDAY + HOUR)
    assert len(attached) == 1


def test_new_players_are_led_to_their_pages_where_there_is_a_site(club):
    assert first_page(URL) == "link"
    assert first_page("") == "attached"
    for url, match in ((URL, "with"), ("", "without")):
        club.context = structs.replace(club.context, site_url=url)
        open_match(club, "black=computer", name=match)
        who = f"{match}@example.org"
        (asked,) = ask(club, f"JOIN {match}", sender=who)
        ask(club, f"CONFIRM {code(asked)}", sender=who)
        with club.store.reading() as tx:
            joined = player_at(tx, who)
        assert joined.page == first_page(url)


def test_prefs_changes_it(club):
    note_built(club.store, now=MONDAY + HOUR)
    club.write("white", "PREFS PAGE ATTACHED")
    club.run_tick()
    email, attached = report(club, MONDAY + HOUR)
    assert len(attached) == 1
    assert URL not in text_of(email)


# Pages that a tick builds.


@pytest.fixture
def building(club, tmp_path):
    """Return the club where a tick builds the pages."""
    club.context = structs.replace(club.context, pages=Pages(tmp_path / "www"))
    return club


def page_of(club, seat):
    return club.context.pages.folder / seat_link(club.store, POST.keys[0], "m", seat)


def test_the_page_that_an_email_leads_to_is_there_and_is_of_the_same_turn(building):
    email, attached = report(building, MONDAY + HOUR)
    assert attached == []
    assert URL + seat_link(building.store, POST.keys[0], "m", "white") in text_of(email)
    assert "12:00 UTC" not in text_of(email).partition(URL)[2].partition("White")[0]
    page = (page_of(building, "white") / "index.html").read_text("utf-8")
    assert "<title>m, Turn 1, White</title>" in page


def test_the_first_email_to_a_new_player_has_the_link_and_no_attachment(building):
    building.context = structs.replace(building.context, site_url=URL)
    open_match(building, "black=computer", name="n")
    (asked,) = ask(building, "JOIN n", sender="carl@example.org")
    emails = ask(building, f"CONFIRM {code(asked)}", sender="carl@example.org")
    (first,) = [one for one in emails if one["X-Adjud"] == "report"]
    assert URL + "seats/" in text_of(first)
    assert files_of(first) == []


def test_nothing_that_a_seat_sends_makes_a_page_anew(building):
    """Their time would tell who has sent."""
    report(building, MONDAY + HOUR)
    www = building.context.pages.folder
    before = www.readlink()
    for lines in (("c3-c4", "f3-f4", "NOTREADY"), ("STATUS",), ("NOTE he is brave",)):
        building.write("white", *lines)
        assert len(building.run_tick(MONDAY + 2 * HOUR)) == 1
    assert www.readlink() == before


def test_what_changes_on_them_makes_them_anew_with_the_emails_that_tell_it(building):
    report(building, MONDAY + HOUR)
    before = building.context.pages.folder.readlink()
    building.announce("m", "Easter.")
    assert len(building.run_tick(MONDAY + 2 * HOUR)) == 2
    assert building.context.pages.folder.readlink() != before
    assert "Easter." in (page_of(building, "black") / "index.html").read_text("utf-8")


def test_without_emails_to_go_nothing_is_built(building):
    building.run_tick(MONDAY + HOUR)
    assert not building.context.pages.folder.exists()


def test_pages_that_cannot_be_built_stop_no_email(building):
    www = building.context.pages.folder
    www.mkdir()
    (www / "mine.txt").write_text("mine")
    _, attached = report(building, MONDAY + HOUR)
    assert len(attached) == 1
    assert [told for told in building.told if "the club's pages are not built: " in told]
    assert (www / "mine.txt").read_text() == "mine"


def test_a_fault_in_a_page_stops_no_email(building, monkeypatch):
    def fault(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("adjudicator.reports.club.index", fault)
    building.context = structs.replace(building.context, raise_faults=False)
    report(building, MONDAY + HOUR)
    told = "the club's pages are not built: an error inside adjud (ZeroDivisionError)"
    assert told in building.told


def test_nobody_is_led_to_another_seats_page(club):
    note_built(club.store, now=MONDAY + HOUR)
    email, _ = report(club, MONDAY + HOUR)
    other = seat_link(club.store, POST.keys[0], "m", "black")
    assert other not in email.as_string()


def test_emails_go_before_the_pages_are_built(building, monkeypatch):
    report(building, MONDAY + HOUR)
    building.write("white", "NOTE he is brave")
    sent, really = [], publish.publish

    def noted(*words, **more):
        sent.append(len(building.way.letters))
        really(*words, **more)

    monkeypatch.setattr(publish, "publish", noted)
    before = len(building.way.letters)
    building.announce("m", "Easter.")
    building.run_tick(MONDAY + 2 * HOUR)
    assert sent == [before + 3]


def test_after_a_kill_between_emails_and_pages_the_first_tick_of_a_day_builds_them(
    building, monkeypatch
):
    report(building, MONDAY + HOUR)
    before = building.context.pages.folder.readlink()
    building.announce("m", "Easter.")
    with monkeypatch.context() as killed:
        killed.setattr(publish, "publish", stopping)
        with pytest.raises(KeyboardInterrupt):
            building.run_tick(MONDAY + 2 * HOUR)
    building.run_tick(MONDAY + 3 * HOUR)  # finds nothing to do
    assert building.context.pages.folder.readlink() == before
    building.run_tick(MONDAY + 13 * HOUR)
    assert building.context.pages.folder.readlink() != before
    assert "Easter." in (page_of(building, "black") / "index.html").read_text("utf-8")


def stopping(*_, **__):
    raise KeyboardInterrupt


def test_after_pages_that_cannot_be_built_no_email_leads_there(building, monkeypatch):
    report(building, MONDAY + HOUR)
    with monkeypatch.context() as broken:
        broken.setattr(publish, "publish", failing)
        building.announce("m", "Easter.")
        building.run_tick(MONDAY + 2 * HOUR)
        assert "the club's pages are not built: No space left on device" in building.told
        building.new(name="n", now=MONDAY + 3 * HOUR)
        without, _ = building.run_tick(MONDAY + 3 * HOUR)
    building.new(name="o", now=MONDAY + 4 * HOUR)
    with_link, _ = building.run_tick(MONDAY + 4 * HOUR)
    for email, match, is_led in ((without, "n", False), (with_link, "o", True)):
        where = URL + seat_link(building.store, POST.keys[0], match, "white")
        assert email["To"] == "Anna <anna@example.org>"
        assert (where in text_of(email)) is is_led


def failing(*_, **__):
    raise OSError(28, "No space left on device")
