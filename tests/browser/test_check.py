"""The last page checks its match in the browser, and the emails that are dropped on it."""

import mailbox
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from email import message_from_bytes, policy
from functools import cache
from hashlib import sha256
from itertools import cycle
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from msgspec import Struct, structs
from playwright.sync_api import Locator, Page, expect

from adjudicator.core.message import LANGUAGES
from adjudicator.games import GAMES
from adjudicator.reports.words import words
from tests.browser.browsing import GAME_KINDS, Shown, played
from tests.browser.conftest import MATCH, OpenPage
from tests.club import MONDAY, Club, computer_orders, receipt_as_text, show
from tests.database import create, open_store
from tests.games.samples import of_games
from tests.nightly import NIGHTLY, mostly_nightly
from tests.program import Adjud
from tests.service import ruled_match
from tests.service import test_audit as audited
from tests.service import test_public_chance_audit as chance
from tests.service.mailclub import files_of
from tests.service.test_site import files

BUTTON = {"en": "Check this match", "nb": "Kontroller partiet", "sv": "Kontrollera partiet"}
AGREES = {
    "en": "Everything that this page compares agrees.",
    "nb": "Alt som denne siden sammenligner, stemmer overens.",
    "sv": "Allt som den här sidan jämför stämmer överens.",
}


def last(kind: str, language: str = "en") -> str:
    seat = next(iter(played(kind)["over"]))
    return Shown(kind, "over", seat, language).html


@cache
def emails(language: str) -> tuple[bytes, ...]:
    """Return all emails of a match to one player."""
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'adjud.db'}"
        create(url)
        store = open_store(url)
        try:
            return tuple(audited.play(store, Path(folder), "m", language=language))
        finally:
            store.close()


def attached(raw: bytes) -> str:
    (page,) = files_of(message_from_bytes(raw, policy=policy.default))
    return page.get_content().decode()


def last_report(found: Sequence[bytes]) -> int:
    return max(n for n, raw in enumerate(found) if audited.kind(raw) == "report")


def box(folder: Path, found: Sequence[bytes]) -> Path:
    made = mailbox.mbox(folder / "letters.mbox")
    for raw in found:
        made.add(raw)
    made.close()
    return folder / "letters.mbox"


def said(page: Page) -> Locator:
    return page.locator(".check .found")


def check(page: Page, language: str = "en") -> None:
    page.get_by_role("button", name=BUTTON[language]).click()


# The shortest matches of each game.
SHORT = {
    slug: of_games("samples", "SHORTEST").get(slug, next(iter(kinds)))
    for slug, kinds in GAME_KINDS.items()
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "language"), [*zip(SHORT.values(), cycle(LANGUAGES), strict=False)], ids=[*SHORT]
)
def test_the_last_page_of_a_match_agrees_with_itself(
    kind: str, language: str, open_page: OpenPage
) -> None:
    page = open_page(last(kind, language))
    check(page, language)
    expect(said(page).locator(".agrees")).to_have_text(AGREES[language])
    assert " 1," in said(page).locator(".note").inner_text()  # its own head


SPOILINGS = [
    (r"(To compare by phone: ply \d+, )(\w)", "flip", "17, "),
    (r"(ADJUD3\|garden\|white\|8\|1\|[^~]*?digest.>\s*)(\w)", "flip", "ADJUD3|garden|white|8|1|"),
    (r'("Stepped","\w+",\d,\d,")\w\d', r"\1a1", "Log of garden"),
    (r'"at":"2026', '"at":"2025', "Log of garden"),
    (r'\{"ply":3,', '{"ply":3,,', "Log of garden"),
    (r'("commitments":\[\["seed",null,")\w', r"\1x", "Log of garden"),
    (r"(\|setup\|white\|)\w", r"\1X", "Set-up of White"),
    (r"(Set-up of Black</h3>\s*<p><code class=.digest.>)(\w)", "flip", "Set-up of Black"),
    (r"(Key of the log</h3>\s*<p><code class=.digest.>)(\w)", "flip", "Log of garden"),
]


def flip(found: re.Match[str]) -> str:
    return found[1] + ("0" if found[2] != "0" else "1")


@pytest.mark.parametrize(("old", "new", "told"), SPOILINGS, ids=[one[2] for one in SPOILINGS])
def test_a_page_that_was_spoiled_says_what_does_not_agree(
    old: str, new: str, told: str, open_page: OpenPage
) -> None:
    html = last(SHORT["espionage"])
    spoiled = re.sub(old, flip if new == "flip" else new, html, count=1)
    assert spoiled != html
    page = open_page(spoiled)
    check(page)
    expect(said(page).locator(".differs")).to_be_visible()
    wrong = said(page).locator("li").all_inner_texts()
    assert any(one.startswith(told) and "with itself" in one for one in wrong), wrong


@pytest.mark.slow
def test_a_key_of_used_dice_that_was_spoiled_on_the_page_is_named(open_page: OpenPage) -> None:
    html = last(SHORT["spion"])
    spoiled = re.sub(r"(Roll 16 of Red</h3>\s*<p><code class=.digest.>)(\w)", flip, html)
    assert spoiled != html
    page = open_page(spoiled)
    check(page)
    expect(said(page).locator(".differs")).to_be_visible()
    (wrong,) = said(page).locator("li").all_inner_texts()
    assert wrong == "Roll 16 of Red: this page does not agree with itself"


def found_in(page: Page, folder: Path, language: str, given: Sequence[bytes]) -> list[str]:
    page.locator(".check input").set_input_files(box(folder, given))
    expect(said(page).locator(".note")).to_be_visible()
    return said(page).locator("li").all_inner_texts()


@pytest.mark.slow
@pytest.mark.parametrize("language", mostly_nightly(LANGUAGES, every_day=["sv"]))
def test_emails_in_an_mbox_are_compared_with_the_page_that_came_with_the_last(
    language: str, open_page: OpenPage, tmp_path: Path
) -> None:
    given = emails(language)
    page = open_page(attached(given[last_report(given)]))
    assert found_in(page, tmp_path, language, given) == []
    expect(said(page).locator(".agrees")).to_have_text(AGREES[language])
    papers = audited.read_all(given)
    heads = len({one.head for one in papers if one.head})
    taken = len(
        {
            structs.replace(one, claimed=False)
            for paper in papers
            for one in (*paper.receipts, *paper.kept)
        }
    )
    counts = re.findall(r"\d+", said(page).locator(".note").inner_text())
    assert (int(counts[1]), int(counts[2])) == (heads, taken)
    assert int(counts[4]) >= heads
    assert taken > 8


CARRIED = [
    ("nb", "iso-8859-1", "8bit", "\n"),
    ("sv", "iso-8859-1", "quoted-printable", "\r\n"),
    ("nb", "windows-1252", "base64", "\r\n"),
    ("nb", "utf-8", "base64", "\r\n"),
    ("sv", "utf-8", "8bit", "\n"),
    ("sv", "utf-16", "base64", "\n"),
]


@pytest.mark.parametrize(
    ("language", "charset", "encoding", "end"),
    # By day each way to write 8 bits as 7, and a set of letters of one byte and of two.
    mostly_nightly(CARRIED, every_day=[CARRIED[1], CARRIED[-1]]),
)
def test_emails_that_were_written_anew_on_their_way_are_read_alike(
    language: str, charset: str, encoding: str, end: str, open_page: OpenPage, tmp_path: Path
) -> None:
    given = emails(language)
    written = [audited.carried(raw, charset, encoding, end) for raw in given]
    counts = []
    for number, sent in enumerate((given, written)):
        (tmp_path / str(number)).mkdir()
        page = open_page(attached(given[last_report(given)]))
        assert found_in(page, tmp_path / str(number), language, sent) == []
        counts.append(said(page).locator(".note").inner_text())
    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    "encoding",
    mostly_nightly(
        ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"], every_day=["utf-16-be", "utf-8-sig"]
    ),
)
def test_a_report_that_windows_wrote_is_read(encoding: str, open_page: OpenPage) -> None:
    given = emails("en")
    reports = [raw for raw in given if audited.kind(raw) == "report"]
    page = open_page(attached(reports[-1]))
    text = message_from_bytes(reports[3], policy=policy.default).get_body(("plain",)).get_content()
    for number, raw in enumerate((text.encode(encoding), reports[3].decode().encode(encoding))):
        told = {"name": f"{number}.txt", "mimeType": "text/plain", "buffer": raw}
        page.locator(".check input").set_input_files([told])
        expect(said(page).locator(".note")).to_contain_text(f" {number + 1}")
    assert said(page).locator("li").all_inner_texts() == []


_DIGEST = r'("digest":")(\w)(?=\w+",'
IN_LETTERS = [
    ("report", r'("number":1,"opened":")(\w)', "Draw 1 of the adj"),
    ("report", r"(by phone: ply\s+\d+,\s+)(\w)", "1, "),
    ("report", _DIGEST + r'"hashed":"ADJUD\d\|m\|white\|0\|1)', "|m|white|0|1|: "),
    ("report", r'("log":\{"head":")(\w)', "Log of m, ply"),
    ("report", _DIGEST + '"what":"seed")', "Seed of"),
    ("report", _DIGEST + '"seat":"black")', "Set-up of Black: "),
    ("receipt", r"(with the orders:\s+)(\w)", "|m|white|2|1|: "),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "old", "told"), IN_LETTERS, ids=[one[2] for one in IN_LETTERS])
def test_an_email_that_was_spoiled_is_named(
    kind: str, old: str, told: str, open_page: OpenPage, tmp_path: Path
) -> None:
    given = emails("en")
    number = [n for n, raw in enumerate(given) if audited.kind(raw) == kind][1]
    spoiled = audited.spoiled(given, {number}, lambda text: re.sub(old, audited.other_digit, text))
    page = open_page(attached(given[last_report(given)]))
    (wrong,) = found_in(page, tmp_path, "en", spoiled)
    subject = message_from_bytes(given[number], policy=policy.default)["Subject"]
    assert told in wrong
    assert f"letters.mbox ({subject})" in wrong
    assert "this page" in wrong


# What a match has in which a player offered a draw, sent orders in advance, and resigned.


class Declared(Struct, frozen=True):
    """The last page of a match, and White's confirmations as text."""

    page: str
    receipts: tuple[str, ...]


@cache
def declared() -> Declared:
    with TemporaryDirectory() as folder:
        create(url := f"sqlite:///{Path(folder) / 'adjud.db'}")
        store = open_store(url)
        club = Club(store)
        club.begin("advance=on")
        lines = computer_orders(club.loaded(), "white", "computer:random")
        sheet = "\n".join(("ORDERS m white turn 2", *lines, "END"))
        (ahead,) = club.submit(sheet)
        sent = [
            club.send("white", "DRAW"),
            club.send("white", "CLEAR"),
            ahead,
            club.send("white", "RESIGN", now=MONDAY + timedelta(hours=2)),
        ]
        club.tick(MONDAY + timedelta(hours=3))
        assert club.loaded().match.status == "over"
        page = show(club.live_report("m", "white"), "html")
        store.close()
    return Declared(page, tuple(receipt_as_text(one, words("en", "espionage")) for one in sent))


def dropped(page: Page, texts: Sequence[str]) -> list[str]:
    """Return what is wrong when these texts are dropped on the page."""
    page.locator(".check input").set_input_files(
        [
            {"name": f"{n}.txt", "mimeType": "text/plain", "buffer": told.encode()}
            for n, told in enumerate(texts)
        ]
    )
    expect(said(page).locator(".note")).to_be_visible()
    return said(page).locator("li").all_inner_texts()


def test_the_confirmations_of_a_draw_a_resignation_and_orders_in_advance_agree(
    open_page: OpenPage,
) -> None:
    found = declared()
    page = open_page(found.page)
    assert dropped(page, found.receipts) == []
    kinds = re.findall(r"ADJUD3\|m\|white\|\d+\|(\w+\|\w*)", "".join(found.receipts))
    assert [one.partition("|")[0] for one in kinds] == ["DRAW", "CLEAR", "1", "RESIGN"]
    assert "kept" in kinds[2]
    own = set(re.findall(r"ADJUD3\|m\|white\|[^<]*", found.page))
    note = said(page).locator(".note").inner_text()
    assert f"confirmations {len(own) + len(kinds)}," in note


def with_digest(found: re.Match[str]) -> str:
    """Return a resignation's confirmation with another time, and the digest of that."""
    text = found[1].replace("T14:", "T13:")
    assert text != found[1]
    return f"{text}:{found[2]}{sha256(text.encode()).hexdigest()}"


SPOILED_RECEIPTS = [
    (0, r"(DRAW\|\S+:\s+)(\w)", flip, "|DRAW|"),
    (1, r"(CLEAR\|\S+:\s+)(\w)", flip, "|CLEAR|"),
    (3, r"(RESIGN\|\S+:\s+)(\w)", flip, "|RESIGN|"),
    (3, r"(ADJUD3\|m\|white\|1\|RESIGN\|\S+):(\s+)\w{64}", with_digest, "|RESIGN|2026-11-23T13:"),
]


@pytest.mark.parametrize(("number", "old", "new", "told"), SPOILED_RECEIPTS)
def test_a_confirmation_of_a_word_that_is_another_than_the_log_has_is_named(
    number: int, old: str, new: Callable[[re.Match[str]], str], told: str, open_page: OpenPage
) -> None:
    found = declared()
    spoiled = re.sub(old, new, found.receipts[number])
    assert spoiled != found.receipts[number]
    (wrong,) = dropped(open_page(found.page), [spoiled])
    assert told in wrong
    assert "0.txt and this page do not agree" in wrong


def test_two_confirmations_of_the_same_orders_in_advance_must_agree(open_page: OpenPage) -> None:
    found = declared()
    spoiled = re.sub(r"(kept\|[^:]*:\s+)(\w)", flip, found.receipts[2])
    (wrong,) = dropped(open_page(found.page), [found.receipts[2], spoiled])
    assert re.match(r"ADJUD3\|m\|white\|2\|1\|kept\|: 0\.txt and 1\.txt do not agree", wrong)


def test_a_resignation_that_the_log_passes_over_is_named(open_page: OpenPage) -> None:
    """The player has the confirmation, and the log has later orders of that player."""
    text = "ADJUD3|garden|white|1|RESIGN|2026-11-21T19:30:00Z"
    told = f"garden\n  SHA-256 of {text}:\n    {sha256(text.encode()).hexdigest()}\n"
    (wrong,) = dropped(open_page(last(SHORT["espionage"])), [told])
    assert wrong.startswith(text)


def test_the_page_says_what_it_does_not_check(open_page: OpenPage) -> None:
    page = open_page(last(SHORT["espionage"]))
    told = page.locator(".check > p").nth(1)
    expect(told).to_contain_text("It does not replay the match by the rules")
    expect(told.locator("code")).to_have_text("adjud audit")


@pytest.mark.slow
@pytest.mark.parametrize("spoiled", [False, True])
def test_an_older_page_of_the_site_is_compared(spoiled: bool, open_page: OpenPage) -> None:
    kind = SHORT["espionage"]
    seat = next(iter(played(kind)["over"]))
    older = Shown(kind, "late", seat, "en").html
    if spoiled:
        older = re.sub(r'(Log of \w+, ply \d+</h3>\s*<p><code class="digest">)(\w)', flip, older)
    page = open_page(last(kind))
    wrong = dropped(page, [older])
    assert len(wrong) == spoiled
    assert all("0.txt and this page do not agree" in one for one in wrong)
    assert said(page).locator(".note").inner_text().endswith(": 1.")


def test_emails_and_saved_pages_are_dropped_on_the_page(open_page: OpenPage) -> None:
    given = emails("en")
    reports = [raw for raw in given if audited.kind(raw) == "report"]
    page = open_page(attached(reports[-1]))
    files = [
        ["first.html", attached(reports[0])],
        ["saved.html", attached(reports[-1])],
        ["a letter", reports[3].decode().replace("\r\n", "\n")],
        ["spoiled.eml", re.sub(r"(by phone: ply \d+, )(\w)", flip, reports[4].decode())],
        ["shopping.txt", "Bread\nLog of another, ply 3:\n  " + "0" * 64],
    ]
    data = page.evaluate_handle(
        """files => {
          const data = new DataTransfer();
          for (const [name, text] of files) data.items.add(new File([text], name));
          return data;
        }""",
        files,
    )
    place = page.locator("section.check")
    place.dispatch_event("dragover", {"dataTransfer": data})
    expect(place).to_have_class("check over")
    place.dispatch_event("drop", {"dataTransfer": data})
    expect(place).to_have_class("check")
    expect(said(page).locator(".note")).to_be_visible()
    (wrong,) = said(page).locator("li").all_inner_texts()
    assert re.match(r"\d+, [0-9a-f-]+: spoiled\.eml \(.*\) and this page do not agree", wrong)
    assert said(page).locator(".note").inner_text().endswith(": 4.")


@pytest.mark.parametrize("spoiled", [False, True])
def test_the_page_blames_no_club_for_orders_that_ended_with_a_replaced_player(
    spoiled: bool, adjud: Adjud, open_page: OpenPage
) -> None:
    lines = {seat: f"ORDERS {MATCH} {seat}\nSETUP RANDOM\nEND\n" for seat in ("white", "black")}
    receipts = [adjud.does("submit", "-", stdin=sheet) for sheet in lines.values()]
    adjud.does("gm", "replace", MATCH, "white", "computer")
    adjud.does("tick")
    adjud.does("gm", "cancel", MATCH, "--reason", "enough")
    if spoiled:
        receipts[1] = re.sub(r"(\b[0-9a-f]{60})[0-9a-f]{4}\b", r"\1beef", receipts[1])
    page = open_page(adjud.does("report", MATCH, "black", "--format", "html"))
    page.locator(".check input").set_input_files(
        [
            {"name": f"{n}.txt", "mimeType": "text/plain", "buffer": told.encode()}
            for n, told in enumerate(receipts)
        ]
    )
    expect(said(page).locator(".note")).to_contain_text("confirmations 2,")
    wrong = said(page).locator("li").all_inner_texts()
    assert [told.split(": ")[1] for told in wrong] == ["1.txt and this page do not agree"][:spoiled]


@cache
def ended(moves: str) -> Mapping[str, str]:
    """Play a match that ends in its first turn; return the last page of each seat, and the page of
    the club's site that lists its log fingerprints."""
    with TemporaryDirectory() as folder:
        create(url := f"sqlite:///{Path(folder) / 'adjud.db'}")
        store = open_store(url)
        club = Club(store)
        club.begin()
        club.send("white", *computer_orders(club.loaded(), "white", moves))
        club.tick()
        club.send("black", "RESIGN")
        club.tick()
        seats = ("white", "black")
        reports = {seat: club.live_report("m", seat) for seat in seats}
        listed = files(club, "nb")["logs/m.html"].decode()
        store.close()
        pages = {seat: show(report, "html") for seat, report in reports.items()}
        return {**pages, "site": listed}


def test_two_players_who_were_shown_different_logs_find_it_with_their_last_pages(
    open_page: OpenPage,
) -> None:
    """A club has played one match with White and another with Black."""
    one, other = ended("computer:random"), ended("computer")
    honest = {"name": "black.html", "mimeType": "text/html", "buffer": one["black"].encode()}
    page = open_page(one["white"])
    page.locator(".check input").set_input_files([honest])
    expect(said(page).locator(".agrees")).to_be_visible()
    page = open_page(one["white"])
    page.locator(".check input").set_input_files([{**honest, "buffer": other["black"].encode()}])
    expect(said(page).locator(".differs")).to_be_visible()
    wrong = said(page).locator("li").all_inner_texts()
    assert "Log of m, ply 3: black.html and this page do not agree" in wrong


@pytest.mark.parametrize("is_spoiled", [False, True])
def test_the_saved_page_of_the_site_is_compared_with_the_log(
    is_spoiled: bool, open_page: OpenPage
) -> None:
    pages = ended("computer:random")
    listed = pages["site"]
    if is_spoiled:
        listed = re.sub(r'(>2</th>.*<code class="digest">)(\w)', flip, listed)
        assert listed != pages["site"]
    page = open_page(pages["white"])
    told = {"name": "m.html", "mimeType": "text/html", "buffer": listed.encode()}
    page.locator(".check input").set_input_files([told])
    expect(said(page).locator(".note")).to_contain_text("log fingerprints 4,")
    wrong = said(page).locator("li").all_inner_texts()
    assert wrong == ["Log of m, ply 2: m.html and this page do not agree"][: int(is_spoiled)]


def test_a_page_with_the_same_fingerprint_and_another_log_is_found(open_page: OpenPage) -> None:
    pages = ended("computer:random")
    spoiled = re.sub(r'"ply":2,"turn":1,"at":"2026', '"ply":2,"turn":1,"at":"2025', pages["black"])
    assert spoiled != pages["black"]
    page = open_page(pages["white"])
    told = {"name": "black.html", "mimeType": "text/html", "buffer": spoiled.encode()}
    page.locator(".check input").set_input_files([told])
    expect(said(page).locator(".differs")).to_be_visible()
    (wrong,) = said(page).locator("li").all_inner_texts()
    assert wrong == "Log of m, ply 3: black.html and this page do not agree"


@pytest.mark.slow
@pytest.mark.parametrize("language", mostly_nightly(LANGUAGES, every_day=["nb"]))
def test_emails_with_keys_of_dice_agree_in_every_language(
    language: str, open_page: OpenPage, tmp_path: Path
) -> None:
    given = ruled_match.emails("spion", language)
    page = open_page(attached(given[last_report(given)]))
    assert found_in(page, tmp_path, language, given) == []
    counts = re.findall(r"\d+", said(page).locator(".note").inner_text())
    assert int(counts[3]) > 5


@pytest.mark.slow
@pytest.mark.parametrize("game", mostly_nightly(GAMES, every_day=["espionage"]))
def test_the_page_blames_no_club_for_hand_overs_and_what_was_printed(
    game: str, open_page: OpenPage, tmp_path: Path
) -> None:
    match = ruled_match.Match(tmp_path, GAMES[game], Random(f"{game} on the last page"))
    match.play(is_ruled=True)
    people = [*match.people.values()]
    for name in people if NIGHTLY else people[:1]:
        papers = sorted(match.papers_of(name).iterdir())
        given = [one.read_bytes() for one in papers if one.suffix == ".eml"]
        page = open_page(attached(given[last_report(given)]))
        page.locator(".check input").set_input_files(papers)
        expect(said(page).locator(".note")).to_be_visible()
        assert said(page).locator("li").all_inner_texts() == []


@pytest.mark.slow
@pytest.mark.parametrize("game", mostly_nightly(GAMES, every_day=["spion"]))
def test_the_page_blames_no_club_whose_chance_a_public_number_decided(
    game: str, open_page: OpenPage, tmp_path: Path
) -> None:
    create(url := f"sqlite:///{tmp_path / 'adjud.db'}")
    store = open_store(url)
    given = chance.played(chance.Waiting(store, tmp_path / "spool"), game)
    store.close()
    page = open_page(attached(given[last_report(given)]))
    assert found_in(page, tmp_path, "en", given) == []
    counts = re.findall(r"\d+", said(page).locator(".note").inner_text())
    assert (int(counts[3]) > 0) is (game != "spies")  # Spies rule 2.1: nothing is drawn in public


def test_a_page_of_a_match_without_a_chain_is_checked_as_far_as_can_be(open_page: OpenPage) -> None:
    html = last(SHORT["espionage"])
    bare = re.sub(
        r"(?s)<h3>Log of .*?</details>\s*<details class=.proof.>.*?</details>", "</details>", html
    )
    assert bare != html
    page = open_page(bare)
    check(page)
    expect(said(page).locator(".agrees")).to_be_visible()


def test_without_webcrypto_the_page_names_the_lines_for_a_shell(open_page: OpenPage) -> None:
    page = open_page(last(SHORT["espionage"]))
    page.add_init_script("Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })")
    page.reload()
    expect(said(page)).to_have_text(
        "Your browser cannot compute SHA-256 on this page. Use the shell commands below instead."
    )
    expect(page.get_by_role("button", name=BUTTON["en"])).to_be_hidden()
    expect(page.locator(".check pre")).to_be_visible()


def test_without_script_the_lines_for_a_shell_stand_there(open_page: OpenPage) -> None:
    page = open_page(last(SHORT["espionage"]), script=False)
    expect(page.locator(".check")).to_contain_text("In a shell")
    expect(page.locator(".check .asked")).to_be_hidden()


@pytest.mark.parametrize("game", mostly_nightly(GAMES, every_day=["espionage"]))
def test_the_lines_for_a_shell_print_the_heads(
    game: str, open_page: OpenPage, tmp_path: Path
) -> None:
    kind = SHORT[game]
    html = last(kind)
    (tmp_path / "page.html").write_text(html.replace("\n", "\r\n"), "utf-8", newline="")
    lines = open_page(html, script=False).locator(".check pre").text_content()
    assert lines
    done = subprocess.run(
        ["bash", "-c", lines], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    log = next(iter(played(kind)["over"].values())).report.log
    assert done.stderr == ""
    *_, final = done.stdout.splitlines()
    assert final == f"{len(log.lines) - 1} {log.head}"


@pytest.mark.parametrize("game", GAMES)
def test_pages_of_matches_that_go_on_have_nothing_of_it(game: str) -> None:
    report = next(iter(played(SHORT[game])["late"].values()))
    html = show(report, "html")
    assert 'class="check"' not in html
    assert ".check " not in html
