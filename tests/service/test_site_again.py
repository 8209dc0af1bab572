"""A later build of the club's pages makes anew what changed, and nothing else."""

import os
import re
import stat
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from msgspec import structs

from adjudicator.mail.address import Key
from tests.club import MONDAY, Changes, Club, Printable
from tests.database import tables
from tests.inside import printing, publish
from tests.service.mailclub import MailClub
from tests.service.test_site import KEY, Shelf, begin, own, read, resign
from tests.site_pages import SEATS, ClubSite

HOUR = timedelta(hours=1)
TIMES = re.compile(rb'(?:Updated|Uppdaterat): [^<]*|data-made="[^"]*"|&#34;as_of&#34;:&#34;[^&]*')
KILLED = 9


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")

    def begun() -> None:
        club.add("Anna", "Bob", "Cecilia")
        begin(club, "deadline=every 3 days")

    club.brought("Cecilia watches the first turn", begun)
    return club


@pytest.fixture
def www(tmp_path):
    return tmp_path / "www" / "club"


@pytest.fixture
def printed(monkeypatch):
    """Return a list to which every page is added that is printed."""
    made = []
    really = printing.render

    def counted(printable: Printable, form: str) -> str:
        made.append(f"{printable.report.match} {printable.report.seat}".strip())
        return really(printable, form)

    monkeypatch.setattr(printing, "render", counted)
    return made


def pages(club: MailClub, now: datetime, key: Key = KEY, language: str = "en") -> ClubSite:
    return ClubSite(store=club.store, key=key, language=language, zone="UTC", now=now)


def build(club: MailClub, www: Path, now: datetime = MONDAY, **other: object) -> None:
    made = pages(club, now, **other)
    publish.publish(www, made.fill, unlisted=[SEATS], at=now)


def end_another(club: MailClub) -> None:
    """Play a second match that ends as soon as it has begun."""
    club.new(name="n")
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", match="n")
    club.tick()
    club.send("black", "RESIGN", match="n")
    club.tick()


def change(club: MailClub, **changes: str) -> None:
    club.change("Anna", Changes(**changes), sends_mail=True)


def rule(club: MailClub, tool: Callable[..., object], *words: object, **more: object) -> None:
    tool(club, "m", *words, reason="Easter.", **more)


def jot(club: MailClub) -> None:
    club.write("white", "MARK a8 5", "NOTE he is brave")
    club.run_tick()


def offer_a_draw(club: MailClub) -> None:
    club.order("white")
    club.send("white", "DRAW")
    club.run_tick()


def come_back(club: MailClub) -> None:
    """Let Anna's newest report come back, so that a later one tells its news."""
    with club.store.transaction() as tx:
        tx.execute(sa.update(tables.outbox).values(status="bounced", bounces=2))


# Each is done after those above it.
HAPPENINGS: Mapping[str, Callable[[MailClub], object]] = {
    "email is sent": lambda club: club.run_tick(),
    "White orders": lambda club: club.order("white"),
    "and marks and notes": jot,
    "a report is printed": lambda club: club.report("white"),
    "Black orders": lambda club: club.order("black") and club.run_tick(),
    "Anna (White) offers a draw": offer_a_draw,
    "a letter comes back": come_back,
    "another turn": lambda club: club.order("black") and club.run_tick(),
    "more time": lambda club: rule(club, Club.extend, timedelta(days=4)),
    "a hold": lambda club: rule(club, Club.hold),
    "it continues": lambda club: rule(club, Club.resume, extend=HOUR),
    "Anna speaks Swedish": lambda club: change(club, language="sv"),
    "somebody else plays": lambda club: rule(club, Club.replace, "black", "Cecilia"),
    "a second match ends": end_another,
    "the first ends": lambda club: resign(club, "white"),
    "its last letters go out": lambda club: club.run_tick(),
    "Anna has another name": lambda club: change(club, name="Annika"),
}


def test_pages_are_what_a_first_build_would_make(club, www):
    """The time of what stays is older; nothing else differs."""
    build(club, www)
    for hours, (happening, let_it_happen) in enumerate(HAPPENINGS.items(), 1):
        let_it_happen(club)
        build(club, www, MONDAY + hours * HOUR)
        pages(club, MONDAY).fill(shelf := Shelf())
        assert _timeless(read(www)) == _timeless(shelf.files), happening


def _timeless(found: Mapping[str, bytes]) -> Mapping[str, bytes]:
    return {path: TIMES.sub(b"", page) for path, page in found.items()}


@pytest.fixture
def forced(monkeypatch):
    """Return a list to which every file's number is added that is forced to disk while the link
    does not lead to its version yet."""
    numbers = []
    really, swap = os.fsync, publish._swap

    def noted(handle: int) -> None:
        really(handle)
        numbers.append(os.fstat(handle).st_ino)

    def swapped(folder: Path, version: Path) -> None:
        monkeypatch.setattr(os, "fsync", really)
        swap(folder, version)

    def begin() -> list[int]:
        numbers.clear()
        monkeypatch.setattr(os, "fsync", noted)
        return numbers

    monkeypatch.setattr(publish, "_swap", swapped)
    return begin


def _numbers(www: Path) -> set[int]:
    return {path.stat().st_ino for path in www.rglob("*") if path.is_file()}


def test_what_is_new_survives_a_power_cut_before_the_record_calls_it_up_to_date(
    club, www, forced, monkeypatch
):
    numbers = forced()
    build(club, www)
    (record,) = www.parent.glob("*.record")
    assert {*numbers} == {*_numbers(www), record.stat().st_ino}
    assert numbers[-1] == record.stat().st_ino

    before, numbers = _numbers(www), forced()
    club.order("white")
    build(club, www, MONDAY + HOUR)
    (record,) = www.parent.glob("*.record")
    assert {*numbers} == {*_numbers(www) - before, record.stat().st_ino}

    numbers = forced()
    monkeypatch.setattr(os, "link", _no_links)
    build(club, www, MONDAY + 2 * HOUR)
    assert {*numbers} >= _numbers(www)


def _no_links(*_: object) -> None:
    raise PermissionError


def test_nothing_is_made_twice(club, www, printed):
    end_another(club)
    build(club, www)
    assert sorted(printed) == ["m black", "m white", "n", "n", "n black", "n white"]
    before = _inodes(www)
    printed.clear()
    build(club, www, MONDAY + HOUR)
    assert printed == []
    found = [path for path in www.rglob("*") if path.is_file()]
    assert {path.stat().st_mtime for path in found} == {(MONDAY + HOUR).timestamp()}
    assert _inodes(www) == before
    assert b"13:00 UTC" in (www / "index.html").read_bytes()


def _inodes(www: Path) -> Mapping[Path, int]:
    """Return the numbers of all files but the first page, which says of when the site is."""
    files = [path for path in www.rglob("*") if path.is_file() and path != www / "index.html"]
    return {path: path.stat().st_ino for path in files}


@pytest.mark.parametrize("said", ["NOTREADY", "orders", "DRAW", "RESIGN"])
def test_what_a_seat_may_not_know_does_not_even_change_the_age_of_its_page(club, www, said):
    build(club, www)
    before = read(www)
    if said == "orders":
        club.order("white")
    else:
        club.send("white", said)
    build(club, www, MONDAY + HOUR)
    after = read(www)
    changed = {path for path in after if after[path] != before[path]}
    assert changed - {own("white")} == {"index.html"}


def test_a_match_in_which_something_happened_is_made_anew_alone(club, www, printed):
    end_another(club)
    build(club, www)
    printed.clear()
    rule(club, Club.extend, timedelta(days=4))
    build(club, www)
    assert sorted(printed) == ["m black", "m white"]
    printed.clear()
    club.order("white")
    build(club, www)
    assert printed == []
    club.tick()
    build(club, www)
    assert sorted(printed) == ["m black", "m white"]


def test_another_program_makes_all_anew(club, www, printed, monkeypatch):
    build(club, www)
    printed.clear()
    monkeypatch.setattr("adjudicator.service.site.build.edition", lambda: "another")
    build(club, www)
    assert sorted(printed) == ["m black", "m white"]


def test_another_language_makes_all_anew(club, www, printed):
    end_another(club)
    build(club, www)
    printed.clear()
    build(club, www, language="nb")
    assert sorted(printed) == ["m black", "m white", "n", "n", "n black", "n white"]
    assert b'lang="nb"' in (www / "matches" / "n.html").read_bytes()


def test_another_key_moves_the_seats(club, www):
    build(club, www)
    other = Key(id="k2", secret=bytes(32))
    build(club, www, key=other)
    pages(club, MONDAY, key=other).fill(shelf := Shelf())
    assert read(www) == shelf.files


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_page_that_was_lost_is_made_again(club, www, printed, spoil):
    build(club, www)
    whole = read(www)
    printed.clear()
    spoil(www / own("white"))
    build(club, www)
    assert sorted(printed) == ["m black", "m white"]
    assert read(www) == whole


def test_where_nothing_can_be_linked_it_is_copied(club, www, printed, monkeypatch):
    build(club, www)
    whole = read(www)
    printed.clear()
    monkeypatch.setattr(os, "link", _refuse)
    build(club, www)
    assert printed == []
    assert read(www) == whole


def _refuse(*_: object) -> None:
    raise OSError


def test_what_a_kill_left_is_used(club, www, printed):
    end_another(club)
    child = os.fork()
    if child == 0:
        made = structs.replace(pages(club, MONDAY), progress=lambda _: os._exit(KILLED))
        publish.publish(www, made.fill, unlisted=[SEATS], at=MONDAY)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED
    (record,) = www.parent.glob("*.record")
    record.write_bytes(record.read_bytes() + b'{"match":"n","sta')  # cut short
    assert not www.exists()
    build(club, www)
    assert sorted(printed) == ["n", "n", "n black", "n white"]
    pages(club, MONDAY).fill(shelf := Shelf())
    assert read(www) == shelf.files


def test_the_record_names_seats_and_so_only_its_owner_reads_it(club, www):
    build(club, www)
    (record,) = www.parent.glob("*.record")
    assert own("white") in record.read_text("utf-8")
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert not [path for path in www.rglob("*") if "record" in path.name]


@pytest.mark.parametrize("said", ["PREFS TIPS OFF", "LANGUAGE sv", "ZONE Asia/Tokyo"])
def test_what_a_player_wishes_changes_no_page_of_another_player(club, www, printed, said):
    build(club, www)
    before = read(www)
    printed.clear()
    club.say("Bob", said)
    club.run_tick()
    build(club, www, MONDAY + HOUR)
    after = read(www)
    changed = {path for path in after if after[path] != before[path]}
    assert own("black") in changed
    assert own("white") not in changed
    assert "m white" not in printed
