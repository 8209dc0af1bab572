"""Use `adjud site` and boards as pictures, as a user does."""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from freezegun import freeze_time

from adjudicator.cli import main
from tests.program import NOON, WHITE_ARMY, Adjud

SVG = "{http://www.w3.org/2000/svg}"


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_site_is_built_and_told_in_one_line(playing: Adjud) -> None:
    playing.match("espionage-2")
    playing.does("gm", "forfeit", "espionage-1", "white", "--reason", "x")
    assert playing.does("site", "build", "www") == "www: matches being played 1, ended 1\n"
    assert "espionage-2" in (playing.folder / "www" / "index.html").read_text("utf-8")
    assert (playing.folder / "www" / "matches" / "espionage-1.html").is_file()


def test_two_builds_differ_in_the_time_that_they_tell_alone(playing: Adjud) -> None:
    playing.does("site", "build", "one")
    playing.does("site", "build", "two")
    assert tree(playing.folder / "one") == tree(playing.folder / "two")
    playing.does("site", "build", "two", at="2026-11-21 19:00:00")
    assert _without_times(playing.folder / "one") == _without_times(playing.folder / "two")


def _without_times(folder: Path) -> dict[str, bytes]:
    times = rb'(?:As of|Updated): [^<]*|data-made="[^"]*"'
    return {path: re.sub(times, b"", page) for path, page in tree(folder).items()}


def test_the_settings_say_where_it_is_and_a_tick_builds_it(by_mail: Adjud) -> None:
    """The folder is seen from the settings, wherever the command runs."""
    settings = (by_mail.folder / "adjud.toml").read_text()
    site = '[site]\nfolder = "www"\nlanguage = "nb"\n[club]\nname = "The Friday Club"\n'
    by_mail.write("adjud.toml", settings + site)
    by_mail.does("gm", "say", "espionage-1", "Hello.")
    assert "the club's pages are built\n" in by_mail.does("tick")
    page = (by_mail.folder / "www" / "index.html").read_text("utf-8")
    assert '<html lang="nb">' in page
    assert "<h1>The Friday Club</h1>" in page
    told = f"{by_mail.folder}/www: matches being played 1, ended 0\n"
    assert by_mail.does("site", "build") == told
    assert page == (by_mail.folder / "www" / "index.html").read_text("utf-8")


def test_a_site_without_a_folder_is_a_slip(playing: Adjud) -> None:
    answer = playing("site", "build")
    assert (answer.code, answer.out) == (2, "")
    assert "name DIR, or set folder in [site] of the settings" in answer.err


def test_an_army_handed_in_changes_nothing(setting_up: Adjud) -> None:
    setting_up.does("site", "build", "www")
    before = tree(setting_up.folder / "www")
    sheet = f"ORDERS espionage-1 white\nSETUP\n{WHITE_ARMY}\nEND\n"
    setting_up.does("submit", "-", stdin=sheet)
    told = setting_up.does("site", "build", "www")
    after = tree(setting_up.folder / "www")
    assert told == "www: matches being played 1, ended 0\n"
    assert after == before


def test_a_page_of_a_seat_is_its_report(playing: Adjud) -> None:
    playing.does("site", "build", "www")
    for seat in ("white", "black"):
        link = playing.does("site", "link", "espionage-1", seat, "--gm").strip()
        page = (playing.folder / "www" / link / "index.html").read_text("utf-8")
        report = playing.does("report", "espionage-1", seat, "--format", "html")
        assert _told(page) ^ _told(report) <= ABOUT_ORDERS


# A page of the site does not say whether orders are in.
ABOUT_ORDERS = {
    "It is your turn.",
    "It&#39;s your turn.",
    "This page shows the position after the last turn. What you have sent since then is in the "
    "replies to your emails.",
}


def _told(page: str) -> set[str]:
    """Return the sentences of a page, without its scripts and the line for `adjud audit`, which
    says what kind of page it is."""
    page = re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.DOTALL)
    texts = {text.strip() for text in re.split(r"<[^>]*>|\n", page)}
    return {text for text in texts if not text.startswith("{&#34;made&#34;:")}


def test_a_link_can_be_whole(playing: Adjud) -> None:
    words = ("site", "link", "espionage-1", "black", "--gm")
    link = playing.does(*words)
    assert re.fullmatch("seats/[a-z2-7]{26}/\n", link)
    for url in ("https://club.example.org", "https://club.example.org/"):
        assert playing.does(*words, "--url", url) == f"https://club.example.org/{link}"


def test_a_link_opens_what_a_seat_may_know_and_so_needs_gm(playing: Adjud) -> None:
    answer = playing("site", "link", "espionage-1", "white")
    assert (answer.code, answer.out) == (2, "")
    assert "--gm" in answer.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("link espionage-2 white --gm", "there is no match 'espionage-2'"),
        ("link espionage-1 whit --gm", "there is no seat 'whit'; did you mean white?"),
        ("build adjud.toml", "adjud.toml is a file; name a folder"),
        ("build .", "has files that adjud did not make"),
    ],
)
def test_what_is_refused_is_told_in_a_sentence(playing: Adjud, words: str, sentence: str) -> None:
    answer = playing("site", *words.split())
    assert (answer.code, answer.out) == (1, "")
    assert sentence in answer.err


def test_without_a_key_nothing_is_built(playing: Adjud) -> None:
    (playing.folder / "data/adjud/adjud.key").unlink()
    answer = playing("site", "build", "www")
    assert (answer.code, answer.out) == (1, "")
    assert "restore it from a backup" in answer.err
    assert not (playing.folder / "www").exists()


def test_a_club_without_matches_has_a_page(club: Adjud) -> None:
    assert club.does("site", "build", "www") == "www: matches being played 0, ended 0\n"
    assert "No match is in progress." in (club.folder / "www/index.html").read_text("utf-8")


# Boards as pictures.


def picture(adjud: Adjud, *words: str) -> Result:
    with freeze_time(NOON):
        return CliRunner().invoke(
            main, ["report", "espionage-1", "white", *words, "--format", "png"], env=adjud.env
        )


def test_a_board_as_png_goes_to_standard_output(playing: Adjud) -> None:
    done = picture(playing)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout_bytes.startswith(b"\x89PNG\r\n\x1a\n")
    assert done.stdout_bytes.endswith(b"IEND\xaeB`\x82")
    assert picture(playing, "--turn", "0").stdout_bytes != done.stdout_bytes


def test_a_terminal_is_not_filled_with_a_picture(
    playing: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    from click.testing import _NamedTextIOWrapper

    monkeypatch.setattr(_NamedTextIOWrapper, "isatty", lambda _: True, raising=False)
    done = picture(playing)
    assert (done.exit_code, done.stdout_bytes) == (1, b"")
    assert "adjud: a terminal cannot show a picture" in done.stderr


def test_without_the_extra_a_picture_is_refused(
    playing: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    done = picture(playing)
    assert (done.exit_code, done.stdout_bytes) == (1, b"")
    where = "pip install '.[png]' in adjud's checkout"
    assert done.stderr == f"adjud: a picture needs an extra: {where}\n"


@pytest.mark.parametrize(("seat", "own"), [("white", "white"), ("black", "black")])
def test_a_board_as_svg_stands_by_itself(playing: Adjud, seat: str, own: str) -> None:
    text = playing.does("report", "espionage-1", seat, "--format", "svg")
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert {"width", "height", "viewBox"} <= set(root.attrib)
    assert not [node for node in root.iter() if node.tag in (f"{SVG}style", f"{SVG}image")]
    drawn = [node for node in root.iter() if node.tag in (f"{SVG}rect", f"{SVG}text")]
    assert all(_has(root, node, "fill") for node in drawn)
    emails = {
        node.get("class", ""): "".join(text.text or "" for text in node)
        for node in root.iter(f"{SVG}g")
        if node.get("class", "").startswith("letter")
    }
    other = {"white": "black", "black": "white"}[own]
    assert set(emails[f"letter {other}"]) == {"?"}
    assert sorted(emails[f"letter {own}"]) == sorted(WHITE_ARMY.replace("\n", ""))


def _has(root: ElementTree.Element, node: ElementTree.Element, name: str) -> bool:
    """Return whether the node or anything around it has the attribute."""
    around = [other for other in root.iter() if node in list(other.iter())]
    return any(name in other.attrib for other in around)


def test_the_feed_and_players_pages_are_where_the_settings_say(playing: Adjud) -> None:
    url = "https://club.example.org/adjud"
    playing.write("adjud.toml", f'[site]\nfolder = "www"\nurl = "{url}/"\n[club]\nname = "Ours"\n')
    playing.does("submit", "-", stdin="ORDERS espionage-1 black\nRESIGN\nEND\n")
    playing.does("tick")
    playing.does("site", "build")
    folder = playing.folder / "www"
    feed = (folder / "feed.xml").read_text("utf-8")
    assert f'<link rel="self" type="application/atom+xml" href="{url}/feed.xml" />' in feed
    assert f'href="{url}/matches/espionage-1.html"' in feed
    assert "<title>Ours</title>" in feed
    page = (folder / "players/anna-1.html").read_text("utf-8")
    assert '<a class="row" href="../matches/espionage-1.html">' in page
    assert "<h1>Anna</h1>" in page
