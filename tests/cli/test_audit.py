"""`adjud audit` checks a player's own papers: what it prints and its exit codes, without a club."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from tests.cli.conftest import EVERY_THREE_DAYS
from tests.games.samples import of_games, seats_of
from tests.program import SEED, Adjud

FINAL = "examples/{game}/match/reports/{seat}-final.{form}"
ROOT = Path(__file__).parents[2]


def open_spies(club: Adjud) -> None:
    """Open the match `s` of Spies, and place what Germany and Russia have."""
    players = ("--seat", "germany=Anna", "--seat", "russia=Bob")
    club.does("new", "spies", "--match", "s", *players, "--seed", SEED)
    for seat in ("germany", "russia"):
        club.does("submit", "-", stdin=f"ORDERS s {seat}\nSETUP RANDOM\nEND\n")
    club.does("tick")


def final(game: str, seat: str, form: str) -> str:
    return str(ROOT / FINAL.format(game=game, seat=seat, form=form))


def test_a_match_is_checked_without_a_database(adjud: Adjud) -> None:
    for game, seat in (("espionage", "white"), ("spion", "blue"), ("spies", "russia")):
        for form in ("json", "html"):
            out = adjud.does("audit", final(game, seat, form))
            assert "everything that can be compared agrees" in out
            assert "replayed by the rules" in out


def test_what_does_not_agree_is_named_and_ends_with_exit_code_1(
    adjud: Adjud, tmp_path: Path
) -> None:
    told = json.loads(Path(final("espionage", "white", "json")).read_text("utf-8"))
    told["log"]["lines"][3] = told["log"]["lines"][3].replace("orders", "forfeit", 1)
    spoiled = tmp_path / "spoiled.json"
    spoiled.write_text(json.dumps(told), "utf-8")
    answer = adjud("audit", final("espionage", "black", "html"), str(spoiled))
    assert answer.code == 1
    assert "the full log: " in answer.out
    assert "black-final.html" in answer.out
    assert "spoiled.json do not agree" in answer.out
    found = adjud("audit", str(spoiled), "--format", "json")
    assert found.code == 1
    assert len(json.loads(found.out)["wrong"]) >= 1


def test_files_with_nothing_of_adjud_are_refused(adjud: Adjud, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("hello")
    answer = adjud("audit", str(tmp_path / "x.txt"))
    assert answer.code == 1
    assert "no email, page or report from adjud" in answer.err
    assert adjud("audit", str(tmp_path / "none.txt")).code == 1


def test_how_to_use_what_outlook_has_saved_is_told(adjud: Adjud, tmp_path: Path) -> None:
    saved = tmp_path / "Report.msg"
    saved.write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + b"ADJUD3|" * 100)
    answer = adjud("audit", str(saved))
    assert answer.code == 1
    assert "forward the email as an attachment to yourself, or save its attachments" in answer.err
    assert str(saved) in answer.err


FOREIGN = "From: x@example.org\nMessage-ID: <{n}@x>\nSubject: Lunch {n}\n\nLet us meet.\n"


def test_what_could_not_be_used_is_counted_and_named(adjud: Adjud) -> None:
    folder = adjud.folder / "papers"
    folder.mkdir()
    for n in range(1, 8):
        adjud.write(f"papers/{n}.eml", FOREIGN.format(n=n))
    page = Path(final("espionage", "white", "html")).read_bytes()
    adjud.write("papers/cut.html", page[: len(page) // 2])
    adjud.write("papers/white.html", page)
    lines = adjud.does("audit", str(folder)).splitlines()
    names = "; ".join(f"{folder}/{n}.eml (Lunch {n})" for n in range(1, 6))
    assert lines[0] == "garden: everything that can be compared agrees"
    assert lines[-2:] == [
        f"7 emails or files were not used (not from adjud): {names}; and 2 more",
        f"1 email or file was not used (cut off): {folder}/cut.html",
    ]
    told = json.loads(adjud.does("audit", str(folder), "--format", "json"))
    assert len(told["unused"]) == 8
    assert {"name": f"{folder}/cut.html", "why": "cut off"} in told["unused"]
    (folder / "white.html").unlink()
    for form in ("text", "json"):
        answer = adjud("audit", str(folder), "--format", form)
        assert (answer.code, answer.out) == (1, "")
        assert "1 email or file was not used (cut off): " in answer.err


def test_a_file_that_cannot_be_opened_does_not_stop_the_others(
    adjud: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = adjud.write("locked.eml", FOREIGN)
    read = Path.read_bytes

    def refused(path: Path) -> bytes:
        if str(path) == locked:
            raise PermissionError(13, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refused)
    out = adjud.does("audit", locked, final("espionage", "white", "html"))
    assert "everything that can be compared agrees" in out
    told = f"1 email or file was not used (cannot be opened: Permission denied): {locked}"
    assert out.endswith(f"{told}\n")


def test_a_page_of_an_adjud_without_audit_is_not_called_anothers(adjud: Adjud) -> None:
    page = "<html><head><title>ec, white</title></head><body>Turn 2</body></html>"
    told = adjud("audit", adjud.write("old.html", page))
    assert told.code == 1
    assert "emails and pages from an adjud before 0.2.16 cannot" in told.err


def kept(club: Adjud, folder: str, name: str, *words: str, stdin: str = "") -> None:
    """Run a command and keep what it prints, as its reader would."""
    (club.folder / folder).mkdir(exist_ok=True)
    club.write(f"{folder}/{name}", club.does(*words, "--format", "json", stdin=stdin))


def test_a_seat_that_orders_twice_in_a_turn_has_no_two_receipts_with_one_number(
    club: Adjud,
) -> None:
    open_spies(club)
    revisions: dict[str, list[int]] = {"germany": [], "russia": []}
    for number in range(4):
        awaited = json.loads(club.does("status", "s", "--format", "json"))["matches"][0]
        assert awaited["turn"] == 1
        (seat,) = awaited["awaited"]
        for order in ("HOLD ALL", "SPARE ALL"):
            sheet = f"ORDERS s {seat} turn 1\n{order}\nEND\n"
            would = json.loads(club.does("check", "-", "--format", "json", stdin=sheet))
            name = f"{number}-{order}.json"
            kept(club, "papers", name, "submit", "-", stdin=sheet)
            told = json.loads((club.folder / "papers" / name).read_text())
            assert told["revision"] == told["in_force"] == would["revision"]
            revisions[seat].append(told["revision"])
        club.does("tick")
    assert revisions == {"germany": [1, 2, 3, 4], "russia": [1, 2, 3, 4]}
    club.does("gm", "cancel", "s", "--reason", "enough")
    kept(club, "papers", "last.json", "report", "s", "russia")
    out = club.does("audit", str(club.folder / "papers"))
    assert "everything that can be compared agrees" in out
    assert "8 confirmations" in out


def test_a_changed_order_of_a_seat_that_orders_twice_in_a_turn_is_found(club: Adjud) -> None:
    test_a_seat_that_orders_twice_in_a_turn_has_no_two_receipts_with_one_number(club)
    for number in range(4):
        paper = club.folder / "papers" / f"{number}-SPARE ALL.json"
        right = paper.read_text()
        told = json.loads(right)
        paper.write_text(json.dumps(told | {"digest": "0" * 64}))
        answer = club("audit", str(club.folder / "papers"))
        assert answer.code == 1
        assert f"turn 1, version {told['revision']}: " in answer.out
        paper.write_text(right)


def test_revisions_of_a_turn_go_on_when_another_seat_leaves_it(club: Adjud) -> None:
    club.does("player", "add", "Cecil", "cecil@example.org", "--confirmed")
    players = ("--seat", "germany=Anna", "--seat", "italy=Cecil", "--seat", "russia=Bob")
    club.does("new", "spies", "--match", "s", *players)
    for seat in ("germany", "italy", "russia"):
        club.does("submit", "-", stdin=f"ORDERS s {seat}\nSETUP RANDOM\nEND\n")
    club.does("tick")
    for revision, line in enumerate(("HOLD ALL", "CLEAR", "SPARE ALL"), start=1):
        sheet = f"ORDERS s russia turn 1\n{line}\nEND\n"
        told = json.loads(club.does("submit", "-", "--format", "json", stdin=sheet))
        assert told["revision"] == {1: 1, 2: None, 3: 2}[revision]
        if line == "CLEAR":
            club.does("submit", "-", stdin="ORDERS s germany\nRESIGN\nEND\n")
            assert club.does("tick") == "s: adjudicated; turn 1 is waiting for italy and russia\n"


def test_a_report_from_before_a_seat_changed_hands_agrees_with_the_log(club: Adjud) -> None:
    players = ("--seat", "blue=Anna", "--seat", "yellow=Bob")
    club.does("player", "add", "Cecil", "cecil@example.org", "--confirmed")
    club.does("new", "spion", "--match", "s", *players, "--seed", SEED)
    club.does("tick")
    kept(club, "papers", "before.json", "report", "s", "blue")
    club.does("gm", "replace", "s", "blue", "Cecil")
    kept(club, "papers", "between.json", "report", "s", "blue")
    club.does("gm", "replace", "s", "blue", "Anna")
    kept(club, "papers", "after.json", "report", "s", "blue")
    club.does("gm", "cancel", "s", "--reason", "enough")
    kept(club, "papers", "last.json", "report", "s", "blue")
    out = club.does("audit", f"{club.folder}/papers")
    assert "everything that can be compared agrees" in out
    told = json.loads((club.folder / "papers/between.json").read_text())
    assert len([one for one in told["news"] if one["event"] == "replaced"]) == 1
    told["news"][0]["text"] = "y"
    club.write("papers/between.json", json.dumps(told))
    assert "under 'news" in club("audit", f"{club.folder}/papers").out


AT_ONCE = {"spion": ("--option", "mode=rounds")}  # both players order the first turn
SHEETS = {game: (*seats_of(game), line) for game, line in of_games("samples", "FIRST_LINE").items()}


@pytest.mark.parametrize("game", SHEETS)
@pytest.mark.parametrize("successor", ["computer", "Cecil"])
def test_orders_that_ended_with_their_sender_are_no_disagreement(
    club: Adjud, game: str, successor: str
) -> None:
    mine, other, line = SHEETS[game]
    club.does("player", "add", "Cecil", "cecil@example.org", "--confirmed")
    seats = ("--seat", f"{mine}=Anna", "--seat", f"{other}=Bob")
    more = ("--option", EVERY_THREE_DAYS, *AT_ONCE.get(game, ()))
    club.does("new", game, "--match", "s", *seats, *more)
    for seat in (mine, other):
        sheet = f"ORDERS s {seat}\n{line}\nEND\n"
        kept(club, "papers", f"{seat}.json", "submit", "-", stdin=sheet)
    club.does("gm", "replace", "s", mine, successor)
    if successor != "computer" and game == "espionage":
        club.does("submit", "-", stdin=f"ORDERS s {mine}\nSETUP RANDOM\nEND\n")
    club.does("tick")
    for day in ("22", "23", "24"):  # for who is silent the rules give orders
        club.does("tick", at=f"2026-11-{day} 12:00:00")
    kept(club, "papers", "first.json", "report", "s", other)
    club.does("gm", "cancel", "s", "--reason", "enough")
    kept(club, "papers", "last.json", "report", "s", other)
    told = json.loads((club.folder / "papers/last.json").read_text())
    assert '"cause":"orders"' in told["log"]["lines"][1]
    out = club.does("audit", f"{club.folder}/papers")
    assert "everything that can be compared agrees" in out


@pytest.mark.parametrize("game", SHEETS)
def test_each_form_of_a_printed_report_tells_the_head_of_the_log(club: Adjud, game: str) -> None:
    mine, other, line = SHEETS[game]
    turn = "2" if game in AT_ONCE else "1"
    seats = ("--seat", f"{mine}=Anna", "--seat", f"{other}=Bob")
    club.does("new", game, "--match", "s", *seats, *AT_ONCE.get(game, ()))
    for seat in (mine, other):
        club.does("submit", "-", stdin=f"ORDERS s {seat}\n{line}\nEND\n")
    club.does("tick", "--folder", str(club.folder / "pages"))
    for seat in (mine, other):
        sent = json.loads(club.does("report", "s", seat, "--turn", turn, "--format", "json"))
        for form in ("html", "text"):
            paper = club.does("report", "s", seat, "--turn", turn, "--format", form)
            assert sent["log"]["head"] in paper
            alone = club.write(f"{seat}.{form}", paper)
            assert "1 log fingerprint" in club.does("audit", alone)
        for suffix in ("html", "json", "txt"):
            page = club.folder / "pages" / f"s-{seat}-{turn}.{suffix}"
            assert sent["log"]["head"] in page.read_text("utf-8")


LONG = "9" * 5000  # digits that no number of ours has, and more than Python reads


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("ply", LONG),
        ("ply", None),
        ("turn", [1]),
        ("match", []),
        ("game", []),
        ("commitments", 5),
        ("commitments", [5]),
        ("news", None),
        ("players", 5),
        ("options", []),
        ("log", [1]),
        ("log", {"head": 5}),
        ("log", {"head": "0" * 64, "key": "no digits", "lines": ["seed="]}),
        ("used", [{"digest": 5}]),
    ],
)
def test_a_spoiled_report_is_named_and_the_others_are_checked(
    adjud: Adjud, key: str, value: object
) -> None:
    whole = json.loads(Path(final("espionage", "white", "json")).read_text("utf-8"))
    spoiled = adjud.write("spoiled.json", json.dumps(whole | {key: value}))
    answer = adjud("audit", spoiled, final("espionage", "black", "json"))
    assert answer.code == 1
    assert answer.err == (
        f"adjud: {spoiled} cannot be read: not a complete report or confirmation from adjud\n"
    )
    assert "everything that can be compared agrees" in answer.out


def test_a_receipt_with_endless_digits_is_no_receipt(adjud: Adjud) -> None:
    digest = "a" * 64
    text = f"SHA-256 of ADJUD2|m|white|{LONG}|{LONG}| with the orders:\n  {digest}\n"
    log = f"Log of m, ply {LONG}:\n  {digest}\n"
    told = json.dumps({"match": "m", "seat": "white", "digest": digest, "turn": "x"})
    for name, paper in (("a.txt", text), ("b.txt", log), ("c.json", told)):
        answer = adjud("audit", adjud.write(name, paper))
        assert answer.code == 1
        assert "fault" not in answer.err


def test_orders_that_an_undo_withdrew_are_no_disagreement(club: Adjud) -> None:
    players = ("--seat", "germany=Anna", "--seat", "italy=Bob", "--seat", "russia=computer")
    club.does("new", "spies", "--match", "s", *players, "--option", EVERY_THREE_DAYS)
    for seat in ("germany", "italy"):
        club.does("submit", "-", stdin=f"ORDERS s {seat}\nSETUP RANDOM\nEND\n")
    club.does("tick")
    for seat in ("germany", "italy"):
        sheet = f"ORDERS s {seat} turn 1\nHOLD ALL\nEND\n"
        kept(club, "papers", f"{seat}.json", "submit", "-", stdin=sheet)
    club.does("gm", "undo", "s")
    for day in ("21", "22", "23", "24"):  # then the rules give orders for both
        club.does("tick", at=f"2026-11-{day} 12:00:00")
    club.does("gm", "cancel", "s", "--reason", "enough")
    kept(club, "papers", "last.json", "report", "s", "italy")
    told = json.loads((club.folder / "papers/last.json").read_text())
    assert '"default"' in told["log"]["lines"][2]
    out = club.does("audit", f"{club.folder}/papers")
    assert "everything that can be compared agrees" in out


def test_a_roll_from_another_chain_is_found(adjud: Adjud) -> None:
    email = (ROOT / "examples/spion/match/reports/02-turn-2-blue.txt").read_text("utf-8")
    last = final("spion", "blue", "json")
    asked = adjud("audit", adjud.write("letter.txt", email), last)
    assert asked.code == 0
    key, mine = "70e9fe2b2392268e4746641b4e7e7b9fe854fe74562bf24df2e40c45986fc9bb", "11" * 32
    digests = [sha256(bytes.fromhex(one)).hexdigest() for one in (key, mine)]
    assert key in email
    assert digests[0] in email
    spoiled = email.replace(key, mine).replace(*digests)
    answer = adjud("audit", adjud.write("letter.txt", spoiled), last)
    assert answer.code == 1
    assert f"Roll 2 of Blue, opened: {adjud.folder}/letter.txt and " in answer.out


def test_a_changed_order_is_found_although_its_turn_was_taken_back_before(club: Adjud) -> None:
    players = ("--seat", "germany=Anna", "--seat", "italy=Bob", "--seat", "russia=computer")
    club.does("new", "spies", "--match", "s", *players, "--option", EVERY_THREE_DAYS)
    for seat in ("germany", "italy"):
        club.does("submit", "-", stdin=f"ORDERS s {seat}\nSETUP RANDOM\nEND\n")
    club.does("tick")
    for number, line in enumerate(("HOLD ALL", "SPARE ALL"), start=1):
        if number == 2:
            club.does("gm", "undo", "s")
            club.does("tick", at="2026-11-21 12:00:00")
        for seat in ("germany", "italy"):
            turn = json.loads(club.does("status", "s", "--format", "json"))["matches"][0]["turn"]
            sheet = f"ORDERS s {seat} turn {turn}\n{line}\nEND\n"
            kept(club, "papers", f"{seat}-{number}.json", "submit", "-", stdin=sheet)
    club.does("tick")
    club.does("gm", "cancel", "s", "--reason", "enough")
    kept(club, "papers", "last.json", "report", "s", "italy")
    assert "everything that can be compared agrees" in club.does("audit", f"{club.folder}/papers")
    paper = club.folder / "papers/italy-2.json"
    told = json.loads(paper.read_text())
    paper.write_text(json.dumps(told | {"digest": "0" * 64}))
    assert f"version {told['revision']}: " in club("audit", f"{club.folder}/papers").out


def test_orders_for_a_power_whose_part_of_the_turn_never_came_are_no_disagreement(
    club: Adjud,
) -> None:
    open_spies(club)
    for number in range(4):
        (seat,) = json.loads(club.does("status", "s", "--format", "json"))["matches"][0]["awaited"]
        order = "HOLD ALL" if number < 3 else "SPARE ALL"
        sheet = f"ORDERS s {seat} turn 1\n{order}\nEND\n"
        kept(club, "papers", f"{number}.json", "submit", "-", stdin=sheet)
        if number < 3:
            club.does("tick")
    club.does("gm", "cancel", "s", "--reason", "enough")
    kept(club, "papers", "last.json", "report", "s", "russia")
    assert "everything that can be compared agrees" in club.does("audit", f"{club.folder}/papers")
