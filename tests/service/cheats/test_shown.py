"""A club shows one player something else than what follows from its own log: in the text of an
email, in its HTML, in its page or in a report as JSON."""

import json
import re
from base64 import encodebytes
from collections.abc import Callable, Sequence
from email import message_from_bytes
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from adjudicator.core.message import LANGUAGES, tell
from adjudicator.service.audit import checks, documents
from adjudicator.service.matches import game_master
from adjudicator.service.reports import printing, standing
from adjudicator.store.database import Store, open_store
from adjudicator.store.schema import create
from tests.games.samples import of_games
from tests.nightly import NIGHT, each_once, mostly_nightly
from tests.service.cheats.scene import GAMES_PLAYED, Scene, Seen, seen_by, seen_in

pytestmark = pytest.mark.slow

Change = Callable[[str], str]

TEXT, EMAIL, PAGE = "text/plain", "text/html", "application/octet-stream"
JSON = "application/json"  # the value


@cache
def played(game: str, language: str = "en") -> tuple[tuple[bytes, ...], tuple[str, ...]]:
    """Return Anna's emails of a match, and her reports as JSON that were printed meanwhile."""
    with TemporaryDirectory() as folder:
        create(url := f"sqlite:///{folder}/adjud.db")
        scene = Scene(
            open_store(url), Path(folder), game, "deadline=every 7 days", language=language
        )
        printed = []
        for _ in range(3):
            scene.play(2)
            game_master.announce(scene.club.opened_at(scene.now), "m", "It snows.")
            scene.tick()
            live = printing.live(scene.club.store, "m", scene.mine, now=scene.now)
            printed.append(printing.render(live, "json"))
        scene.play(2)
        scene.end()
        scene.club.store.close()
        return tuple(scene.letters()), tuple(printed)


def part_of(raw: bytes, kind: str) -> Any:
    email = message_from_bytes(raw)
    parts = (one for one in email.walk() if one.get_content_type() == kind)
    return email, next(parts, None)


def content(raw: bytes, kind: str) -> str:
    _, part = part_of(raw, kind)
    return "" if part is None else part.get_payload(decode=True).decode().replace("\r\n", "\n")


def changed(raw: bytes, kind: str, change: Change) -> bytes:
    email, part = part_of(raw, kind)
    del part["Content-Transfer-Encoding"]
    part["Content-Transfer-Encoding"] = "base64"
    part.set_payload(encodebytes(change(content(raw, kind)).encode()).decode())
    return email.as_bytes()


def reports(emails: Sequence[bytes]) -> list[int]:
    return [number for number, raw in enumerate(emails) if b"X-Adjud: report" in raw]


def cheated(game: str, kind: str, change: Change, folder: Path) -> tuple[Seen, str]:
    """Return what an audit of one report that was changed so and of the last one finds, and the
    name of the first."""
    emails = played(game)[0]
    number = next(
        n
        for n in reports(emails)[1:-1]
        if change(content(emails[n], kind)) != content(emails[n], kind)
    )
    cheat, last = changed(emails[number], kind, change), emails[reports(emails)[-1]]
    return seen_in([cheat, last], folder / "letters"), "000.eml"


def replaced(old: str, new: str) -> Change:
    return lambda text: re.sub(old, new, text, count=1, flags=re.M)


def in_values(name: str, old: str, new: str) -> Change:
    """Change what a page's scripts are given."""

    def change(html: str) -> str:
        before, begun, rest = html.partition(f'id="{name}">')
        value, end, after = rest.partition("</script>")
        return before + begun + re.sub(old, new, value, count=1) + end + after

    return change


NOTICE = replaced(r"It snows\.", "It rains.")
LEFT_OUT = replaced(r"^[^\n]+\n\| [^\n]*It snows\.\n", "")
DEADLINE = replaced(r"(Deadline: \w+ )(\d+)( Nov| Dec)", r"\g<1>2\3")
FORMS = (TEXT, EMAIL, PAGE)
CHEATS: Sequence[tuple[str, str, str, Change]] = [
    ("espionage", "a step", TEXT, replaced(r"^  ([a-h]\d-)[a-h]\d$", r"  \1a1")),
    ("espionage", "the board", TEXT, replaced(r"^(  [45] .*?) \. ", r"\1(?)")),
    ("espionage", "a list of pieces", TEXT, replaced(r"(Corporal: )\w\d", r"\1h8")),
    ("espionage", "a known rank", TEXT, replaced(r"(Unknown, has not moved: )\w\d", r"\1e4")),
    ("espionage", "a list of pieces", EMAIL, replaced(r"(Corporal</b> [^:<]+: )\w\d", r"\1h8")),
    ("espionage", "whose piece it is", EMAIL, replaced(r"Black&#39;s piece", "your piece")),
    ("espionage", "a square's colour", EMAIL, replaced(r"background:#dca", "background:#fff")),
    ("espionage", "a step", EMAIL, replaced(r"([a-h]\d-)[a-h]\d</b>", r"\1a1</b>")),
    ("espionage", "a step", PAGE, replaced(r"([a-h]\d-)[a-h]\d</code>", r"\1a1</code>")),
    ("espionage", "the drawn board", PAGE, in_values("composer-data", r"a1P", "a1M")),
    ("espionage", "a possible rank", PAGE, in_values("composer-data", "12345SPMH", "12345SPM")),
    ("spion", "a place", TEXT, replaced(r"(The spy goes from \w+).*", r"\1 to p9.")),
    ("spion", "a roll", TEXT, replaced(r"^\d\+\d = \d+", "6+6 = 12")),
    ("spion", "a card of mine", TEXT, replaced(r"^1 \S+ ", "1 ATOM ")),
    ("spion", "the board", TEXT, replaced(r"^( 7  .*?) \. ", r"\1 @ ")),
    ("spion", "a goal", EMAIL, replaced(r"b4 b6", "b4 b5 b6")),
    ("spion", "where a spy is", PAGE, in_values("composer-data", r'\["UNG"', '["POL"')),
    ("spies", "a tile", TEXT, replaced(r"^(  Tile \w+: )\w{3}", r"\1OSL")),
    ("spies", "money", TEXT, replaced(r"^(Italy: )\d+", r"\g<1>99")),
    ("spies", "a secret of mine", TEXT, replaced(r"(Your secrets: G-1=)\d", r"\g<1>9")),
    ("spies", "the map", TEXT, replaced(r"R-A, 2 police", "R-A, 1 police")),
    ("spies", "a secret of mine", EMAIL, replaced(r"<b>G-1=\d", "<b>G-1=9")),
    ("spies", "a secret's place", PAGE, in_values("composer-data", '"G-1":"BSL"', '"G-1":"MUN"')),
    ("spies", "a spy's strength", PAGE, in_values("composer-data", '"worth": ?"2"', '"worth":"5"')),
    *((game, "a notice that is left out", TEXT, LEFT_OUT) for game in GAMES_PLAYED),
]  # fmt: skip


# The same signs with other blanks between them: a program on the way may have done that, too, so
# the player is asked to look at the HTML (docs/checking.md; `same/respaced`).
SHIFTED = [
    ("espionage", replaced(r"^(  [45] )(.)(.)(.)", r"\1\2\4\3")),
    pytest.param("spion", replaced(r"^( 7 ) ( +)(\S)", r"\1\2\3 "), marks=NIGHT),
]


# Changes of a kind that another row tries every day.
LIKE_OTHERS = {
    ("espionage", "a list of pieces", TEXT),
    ("espionage", "a step", EMAIL),
    ("espionage", "a step", PAGE),
    ("espionage", "a possible rank", PAGE),
    ("espionage", "the board", TEXT),
    ("spion", "the board", TEXT),
    ("spion", "a place", TEXT),
    ("spies", "a secret of mine", EMAIL),
    ("spies", "a spy's strength", PAGE),
    ("spies", "money", TEXT),
}


def shown(game: str, what: str, kind: str, change: Change, marks: Any = ()) -> Any:
    """Return a cheat for `parametrize`."""
    name = f"{game}: {what} in {kind.split('/')[1]}"
    return pytest.param(game, kind, change, id=name, marks=marks)


@pytest.mark.parametrize(
    ("game", "kind", "change"),
    [
        *(shown(*one, marks=NIGHT if one[:3] in LIKE_OTHERS else ()) for one in CHEATS),
        *(
            shown(one.values[0], what, one.values[1], change, one.marks)
            for what, change in (("a notice", NOTICE), ("a date", DEADLINE))
            for one in each_once(GAMES_PLAYED, FORMS)
        ),
    ],
)
def test_what_one_form_of_a_report_shows_otherwise_is_found(
    game: str, kind: str, change: Change, tmp_path: Path
) -> None:
    found, name = cheated(game, kind, change, tmp_path)
    assert found.code == 1
    assert any(name in one for one in found.wrong)


@pytest.mark.parametrize(("game", "change"), SHIFTED)
def test_a_board_that_is_shifted_in_the_text_is_asked_about(
    game: str, change: Change, tmp_path: Path
) -> None:
    found, name = cheated(game, TEXT, change, tmp_path)
    assert found.wrong == []
    assert any(one.startswith("same/respaced: ") and name in one for one in found.asks)


IN_JSON = of_games("cheating", "IN_JSON")


@pytest.mark.parametrize(
    ("game", "what"),
    [
        *((game, "view") for game in GAMES_PLAYED),
        *each_once(GAMES_PLAYED, ["deadline", "notices", "turn", "made"]),
    ],
)
def test_what_a_report_as_json_shows_otherwise_is_found(
    game: str, what: str, tmp_path: Path
) -> None:
    emails, printed = played(game)
    told = json.loads(printed[1])
    if what == "view":
        key, change = IN_JSON[game]
        told[key] = change(told[key])
    elif what == "notices":
        told["notices"] = []
    elif what == "made":
        told["made"]["news"] = [told["ply"], told["ply"]]
        told["news"] = told["news"][:1]
    else:
        told[what] = {"deadline": "2026-12-24T12:00:00Z", "turn": 77}[what]
    (tmp_path / "report.json").write_text(json.dumps(told))
    (tmp_path / "last.eml").write_bytes(emails[reports(emails)[-1]])  # it opens the record
    (found,) = checks.audit(documents.read([tmp_path])[0])
    assert any("report.json" in tell(one) for one in found.wrong)


@pytest.mark.parametrize(("game", "language"), each_once(GAMES_PLAYED, LANGUAGES))
def test_an_honest_match_agrees_in_every_form_and_language(
    game: str, language: str, tmp_path: Path
) -> None:
    emails, printed = played(game, language)
    for number, told in enumerate(printed):
        (tmp_path / f"{number}.json").write_text(told)
    for number, raw in enumerate(emails):
        (tmp_path / f"{number:03}.eml").write_bytes(raw)
    papers = documents.read([tmp_path])[0]
    (found,) = checks.audit(papers)
    assert [tell(one) for one in found.wrong] == []
    # A report is read from its email's value, with which its text, HTML and page are compared.
    whole = [paper for paper in papers if paper.value]
    assert len(whole) == sum(1 for raw in emails if b".adjud.json" in raw)
    assert len([paper for paper in whole if paper.head]) >= 3
    assert len([paper for paper in papers if paper.report and not paper.value]) == 3


def test_offers_marks_orders_in_advance_and_wishes_are_made_again(
    store: Store, tmp_path: Path
) -> None:
    scene = Scene(store, tmp_path, "espionage", "deadline=every 7 days", language="nb")
    scene.write("white", "PREFS ZONE Europe/Oslo", "PREFS PAGE NONE")
    scene.play(2)
    unknown = next(one.square for one in scene.pieces("white") if not one.rank)
    scene.write("white", f"MARK {unknown} 5? or S", "NOTE open sesame")
    scene.tick()
    turn = scene.loaded().match.turn
    scene.order("white")
    scene.write("white", f"ORDERS m white turn {turn + 1}", "IF FIGHT: a1-a2", "ELSE: b1-b2", "END")
    scene.write("white", "REPORT", f"REPORT {turn - 1}")
    scene.tick()
    scene.declare("black", "DRAW")
    scene.write("white", "REPORT")
    scene.play(3)
    scene.declare("white", "DRAW")
    scene.write("black", "REPORT")
    scene.tick()
    scene.write("white", "CLEAR")
    scene.tick()
    scene.write("black", "REPORT")
    scene.play(1)
    scene.declare("black", "RESIGN")
    scene.end()
    for name in ("Anna", "Bob"):
        found = seen_by(scene, tmp_path, name)
        assert found.wrong == []
        assert found.asks == []


@pytest.mark.parametrize("memory", mostly_nightly(["once", "honour", "open"], every_day=["once"]))
def test_types_that_were_told_once_are_made_again(
    store: Store, tmp_path: Path, memory: str
) -> None:
    scene = Scene(store, tmp_path, "spion", f"memory={memory}")
    for _ in range(4):
        scene.play(2)
        scene.write(scene.mine, "REPORT", "REPORT 1")
    scene.end()
    for name in ("Anna", "Bob", "Carl"):
        found = seen_by(scene, tmp_path, name)
        assert found.wrong == []
        assert found.asks == []


def test_news_that_begin_after_the_last_orders_are_found(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(store, tmp_path, "espionage")
    monkeypatch.setattr(standing, "first_news", lambda tx, loaded, seat: loaded.match.ply)
    monkeypatch.setattr(standing, "first_plies_to_tell", lambda tx, loaded, since: {})
    scene.play(4)
    monkeypatch.undo()
    scene.end()
    found = seen_by(scene, tmp_path)
    assert found.code == 1
    assert any("its news begin with ply" in one for one in found.wrong)


@pytest.mark.parametrize("game", mostly_nightly(["spion", "spies"], every_day=["spies"]))
def test_a_report_that_is_not_there_is_asked_for(game: str, tmp_path: Path) -> None:
    """Nobody but the player knows whether he threw it away."""
    emails = list(played(game)[0])
    left_out = reports(emails)[3]
    found = seen_in(emails[:left_out] + emails[left_out + 1 :], tmp_path / "letters")
    assert found.wrong == []


def test_a_report_that_calls_itself_one_of_another_version_is_asked_about(tmp_path: Path) -> None:
    change = replaced(r'^(\{"adjud":")[^"]+', r"\g<1>0.2.99")
    found, _ = cheated("espionage", JSON, change, tmp_path)
    assert found.code == 3
    assert any("0.2.99" in one for one in found.asks)


def test_a_report_that_does_not_name_its_file_is_found(tmp_path: Path) -> None:
    change = replaced(r"^Keep the attached .*\n", "")
    found, name = cheated("espionage", TEXT, change, tmp_path)
    assert any(one.startswith("same/differs: ") and name in one for one in found.wrong)


def with_own_orders(store: Store, folder: Path) -> Scene:
    """Play a match in which White replaces orders, sends some in advance, and writes down a
    note."""
    scene = Scene(store, folder, "espionage", played=2)
    scene.until("white")
    turn = scene.loaded().match.turn
    legal = scene.legal("white")
    for ahead in (f"ELSE: {legal[0]}", "IF FIGHT: a1-a2"):
        scene.write("white", f"ORDERS m white turn {turn + 1}", ahead, "END")
        scene.tick()
    scene.write("white", "NOTE open sesame")
    scene.order("black")
    scene.order("white", *legal)
    scene.play(3)
    scene.end()
    return scene


def opened(scene: Scene, name: str) -> Any:
    return json.loads(content(scene.letters(name)[-1], JSON))["report"]["own"]


def test_the_last_report_opens_to_a_player_what_he_alone_has_sent(
    store: Store, tmp_path: Path
) -> None:
    scene = with_own_orders(store, tmp_path)
    own = opened(scene, "Anna")
    assert own["notes"] == ["open sesame"]
    assert next(one["lines"] for one in own["sheets"] if one["kept"])[0].startswith("ELSE: ")
    assert "sesame" not in json.dumps(opened(scene, "Bob"))
    assert [one for one in opened(scene, "Bob")["sheets"] if one["kept"]] == []
    found = seen_by(scene, tmp_path)
    assert found.wrong == []


def test_other_orders_than_a_confirmation_told_are_found_when_they_are_opened(
    store: Store, tmp_path: Path
) -> None:
    scene = with_own_orders(store, tmp_path)
    emails = scene.letters()
    change = replaced(r'("ELSE: )\w\d', r"\1h8")
    assert change(content(emails[-1], JSON)) != content(emails[-1], JSON)
    emails[-1] = changed(emails[-1], JSON, change)
    found = seen_in(emails, tmp_path / "letters")
    assert found.code == 1


def test_a_successor_is_opened_nothing_of_a_former_holder(store: Store, tmp_path: Path) -> None:
    scene = with_own_orders_of_two(store, tmp_path)
    assert opened(scene, "Emil") == {"sheets": [], "marks": [], "notes": []}


def with_own_orders_of_two(store: Store, folder: Path) -> Scene:
    scene = Scene(store, folder, "espionage", played=2)
    scene.until("white")
    turn = scene.loaded().match.turn
    scene.write("white", f"ORDERS m white turn {turn + 1}", "IF FIGHT: a1-a2", "END")
    scene.write("white", "NOTE open sesame")
    scene.tick()
    scene.tick()
    game_master.replace(scene.club.opened_at(scene.now), "m", "white", "Emil", reason="x")
    scene.people["white"] = "Emil"
    scene.tick()
    scene.play(2)
    scene.end()
    return scene


def test_another_type_in_an_email_of_what_is_told_once_is_found(
    store: Store, tmp_path: Path
) -> None:
    scene = Scene(store, tmp_path, "spion", "memory=once", played=5)
    scene.end()
    emails = scene.letters()
    number = next(n for n, raw in enumerate(emails) if b"X-Adjud: aside" in raw)
    change = replaced(r"It is (ATOM|CHEMISTRY|SPACE|PHYSICS)", "It is SUGAR")
    assert change(content(emails[number], TEXT)) != content(emails[number], TEXT)
    emails[number] = changed(emails[number], TEXT, change)
    found = seen_in(emails, tmp_path / "letters")
    assert found.code == 1
    assert any(f"{number:03}.eml" in one for one in found.wrong)
