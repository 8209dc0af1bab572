"""Pages and emails say at which moment they are true, and name the turns as people know them."""

import json
import re
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest

from tests.program import BLACK_ARMY, NOON, WHITE_ARMY, Adjud
from tests.service.mailclub import files_of

ADJUDICATED = "Sat 21 Nov 2026, 13:00 Europe/Oslo (12:00 UTC)"
MONDAY = "2026-11-23 17:05:00"
NOW = "Mon 23 Nov 2026, 18:05 Europe/Oslo (17:05 UTC)"


def test_a_live_page_says_when_it_was_adjudicated_and_what_time_it_is_now(playing: Adjud) -> None:
    for form in ("text", "html"):
        page = playing.does("report", "espionage-1", "white", "--format", form, at=MONDAY)
        assert f"Played: {ADJUDICATED}" in page
        assert f"Updated: {NOW}" in page
    told = playing.does("report", "espionage-1", "white", "--format", "json", at=MONDAY)
    body = json.loads(told)
    assert (body["adjudicated"], body["as_of"]) == ("2026-11-21T12:00:00Z", "2026-11-23T17:05:00Z")


def test_a_report_as_it_was_sent_says_when_it_was_adjudicated(playing: Adjud) -> None:
    page = playing.does("report", "espionage-1", "white", "--turn", "1", at=MONDAY)
    assert f"\nPlayed: {ADJUDICATED}\n" in page
    assert "Updated:" not in page
    first = playing.does("report", "espionage-1", "white", "--turn", "0", at=MONDAY)
    assert f"\nMatch opened: {ADJUDICATED}\n" in first


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("nb", ("Spilt: lør. 21. nov. 2026, 13:00", "Oppdatert: man. 23. nov. 2026, 18:05")),
        ("sv", ("Spelat: lör 21 nov. 2026, 13:00", "Uppdaterat: mån 23 nov. 2026, 18:05")),
    ],
)
def test_a_reader_is_told_the_time_in_his_language(
    playing: Adjud, language: str, said: tuple[str, str]
) -> None:
    playing.does("player", "set", "Anna", "--language", language)
    page = playing.does("report", "espionage-1", "white", at=MONDAY)
    assert all(f"\n{line}" in page for line in said)


def emails(adjud: Adjud) -> list[EmailMessage]:
    found = sorted((adjud.folder / "out").glob("**/*"), key=lambda path: path.stat().st_mtime)
    texts = [path.read_bytes() for path in found if path.is_file()]
    return [message_from_bytes(raw, policy=policy.default) for raw in texts]


def test_an_email_and_its_page_are_of_one_turn_and_say_when_it_was_adjudicated(
    by_mail: Adjud,
) -> None:
    for seat, army in (("white", WHITE_ARMY), ("black", BLACK_ARMY)):
        by_mail.does("submit", "-", stdin=f"ORDERS espionage-1 {seat}\nSETUP\n{army}\nEND\n")
    by_mail.does("tick")
    order = "ORDERS espionage-1 white turn 1\na3-a4\nc3-c4\nEND\n"
    by_mail.does("submit", "-", stdin=order, at=MONDAY)
    by_mail.does("tick", at=MONDAY)
    named = set()
    for email in emails(by_mail):
        if email["X-Adjud"] != "report":
            continue
        subject = re.search(r"Turn (\d+)|set-up", email["Subject"], re.IGNORECASE)
        (page,) = files_of(email)
        turn = subject[1] or "0"
        seat = "white" if "anna" in email["To"] else "black"
        assert page.get_filename() == f"espionage-1-{seat}-{turn}.html"
        text = email.get_body(("plain",)).get_content()
        at = r"(Played|Match opened): (Sat 21|Mon 23) Nov 2026, "
        assert re.search(rf"^{at}", text, re.MULTILINE)
        assert re.search(at, page.get_content().decode())
        assert "Updated:" not in text + page.get_content().decode()
        named.add(page.get_filename())
    assert {"espionage-1-white-1.html", "espionage-1-black-1.html"} <= named


def test_a_clubs_first_page_says_of_when_it_is(playing: Adjud) -> None:
    playing.does("site", "build", "www", at=NOON)
    page = (playing.folder / "www" / "index.html").read_text("utf-8")
    assert "Updated: Sat 21 Nov 2026, 12:00 UTC" in page
    playing.does("gm", "cancel", "espionage-1", "--reason", "x", at=NOON)
    playing.does("site", "build", "www", at=MONDAY)
    over = (playing.folder / "www" / "matches" / "espionage-1.html").read_text("utf-8")
    assert "Played: Sat 21 Nov 2026, 12:00 UTC" in over
    assert "Updated:" not in over
