"""A club shows one player something else than what follows from its own log: in an email's text,
HTML, page or Subject, in its JSON and so in all of it, or in a report as JSON."""

import json
import re
from base64 import encodebytes
from collections.abc import Callable, Mapping, Sequence
from email import message_from_bytes, policy
from email.message import Message
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import sqlalchemy as sa
from msgspec.structs import replace

from tests import values
from tests.club import show
from tests.database import create, open_store, tables
from tests.games.samples import of_games
from tests.inside import answers, queue, standing
from tests.service.cheats.cheat import Papers, Play, Stage
from tests.service.cheats.scene import Scene
from tests.service.cheats.times import EVERY_WEEK, ended, later
from tests.service.mailclub import value_in, without_value

Change = Callable[[str], str]

TEXT, EMAIL, PAGE = "text/plain", "text/html", "application/octet-stream"
JSON = "application/json"  # the value


@cache
def played(game: str, language: str = "en") -> tuple[tuple[bytes, ...], tuple[str, ...]]:
    """Return Anna's emails of a match, and her reports as JSON that were printed meanwhile. She is
    the first to order, so that her confirmations tell what came of it."""
    with TemporaryDirectory() as folder:
        create(url := f"sqlite:///{folder}/adjud.db")
        scene = Scene(
            open_store(url), Path(folder), game, "deadline=every 7 days", language=language
        )
        printed = []
        for _ in range(3):
            play_mine_first(scene)
            scene.play()
            scene.club.announce("m", "It snows.", now=scene.now)
            scene.tick()
            live = scene.club.live_report("m", scene.mine, now=scene.now)
            printed.append(show(live, "json"))
        scene.play(2)
        scene.end()
        scene.club.store.close()
        return tuple(scene.letters()), tuple(printed)


def play_mine_first(scene: Scene) -> None:
    scene.until(scene.mine)
    scene.order(scene.mine)
    scene.tick()
    scene.order_all(but=[scene.mine])
    scene.tick()


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


def numbers(emails: Sequence[bytes], kind: str) -> list[int]:
    return [n for n, raw in enumerate(emails) if b"X-Adjud: " + kind.encode() in raw]


def reports(emails: Sequence[bytes]) -> list[int]:
    return numbers(emails, "report")


def replaced(old: str, new: str) -> Change:
    return lambda text: re.sub(old, new, text, count=1, flags=re.M)


def in_values(name: str, old: str, new: str) -> Change:
    """Change what a page's scripts are given."""

    def change(html: str) -> str:
        before, begun, rest = html.partition(f'id="{name}">')
        value, end, after = rest.partition("</script>")
        return before + begun + re.sub(old, new, value, count=1) + end + after

    return change


def in_form(kind: str, change: Change, of: str = "report") -> Play:
    """Return a play in which one email of a kind is another in one of its forms."""

    def play(stage: Stage) -> Papers:
        emails = [*played(stage.where)[0]]
        number = next(
            n
            for n in numbers(emails, of)[0 if of != "report" else 1 :]
            if change(content(emails[n], kind)) != content(emails[n], kind)
        )
        if not stage.honest:
            emails[number] = changed(emails[number], kind, change)
        return emails

    return play


def picture_of_another_position(stage: Stage) -> Papers:
    """An email shows the board of the report before it, as a picture."""
    scene = stage.scene()
    scene.club.context = replace(scene.club.context, pictures=True)
    with stage.store.transaction() as tx:
        tx.execute(sa.update(tables.player).values(board="picture"))
    scene.play(3)
    scene.end()
    emails = scene.letters()
    shown = [n for n in reports(emails) if part_of(emails[n], "image/png")[1] is not None]
    first, second = (part_of(emails[n], "image/png")[1].get_payload() for n in shown[:2])
    assert first != second
    if not stage.honest:
        honest = emails[shown[1]]
        emails[shown[1]] = honest.replace(second.encode(), first.encode())
        assert emails[shown[1]] != honest
    return emails


def with_a_part(kind: str, name: str) -> Play:
    """Return a play in which a report has a part beside its forms that many programs show."""

    def play(stage: Stage) -> Papers:
        emails = [*played(stage.where)[0]]
        at = reports(emails)[1]
        if not stage.honest:
            email, part = message_from_bytes(emails[at]), Message()
            part["Content-Type"] = kind
            part.add_header("Content-Disposition", "inline", **({"filename": name} if name else {}))
            part.set_payload("The deadline was moved to 24 December.")
            email.attach(part)
            emails[at] = email.as_bytes()
        return emails

    return play


def second_subject(stage: Stage) -> Papers:
    emails = [*played(stage.where)[0]]
    at = reports(emails)[1]
    if not stage.honest:
        emails[at] = emails[at].replace(b"\nSubject:", b"\nSubject: You lost\nSubject:", 1)
    return emails


def usual_words_that_go_on_otherwise(stage: Stage) -> Papers:
    """All emails have the same long words before ours, and in one of them there is more."""
    usual = f"This email came from outside. {'Be careful with it. ' * 20}\n\n"
    emails = [changed(raw, TEXT, lambda text: usual + text) for raw in played(stage.where)[0]]
    if not stage.honest:
        more = "The deadline was moved.\n\n"
        at = reports(emails)[1]
        emails[at] = changed(emails[at], TEXT, lambda text: text.replace("\n\n", f"\n{more}", 1))
    return emails


def with_subject(change: Change) -> Play:
    """Return a play in which one report has another Subject."""

    def play(stage: Stage) -> Papers:
        emails = [*played(stage.where)[0]]
        for number in reports(emails)[1:-1]:
            email = message_from_bytes(emails[number], policy=policy.SMTP)
            subject = str(email["Subject"])
            if (other := change(subject)) == subject:
                continue
            if not stage.honest:
                email.replace_header("Subject", other)
                emails[number] = email.as_bytes()
            return emails
        raise AssertionError("no Subject has it")

    return play


# What is changed in one form.

NOTICE = replaced(r"It snows\.", "It rains.")
LEFT_OUT = replaced(r"^[^\n]+\n\| [^\n]*It snows\.\n", "")
DEADLINE = replaced(r"(Deadline: \w+ )(\d+)( Nov| Dec)", r"\g<1>2\3")
SECTION = replaced(r"\n\n(\S[^\n]*\n-+\n)", r"\n\nNews\n----\nBob has left.\n\n\1")
FORMS: Sequence[tuple[str, str, str, Change]] = [
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
]  # fmt: skip
# The same signs with other blanks between them.
SHIFTED: Mapping[str, Change] = {
    "espionage": replaced(r"^(  [45] )(.)(.)(.)", r"\1\2\4\3"),
    "spion": replaced(r"^( 7 ) ( +)(\S)", r"\1\2\3 "),
}
CONFIRMATIONS: Mapping[str, Change] = {
    "another version": replaced(r"^Version 1 of your", "Version 2 of your"),
    "another turn": replaced(r"(turn |, )\d+(: accepted)", r"\g<1>77\2"),
    "not accepted": replaced(r": accepted, version 1", ": NOT accepted"),
    "another order": replaced(r"^  \S+(.*)", r"  PASS\1"),
    "nothing was played": replaced(r"^Version 1 of your orders was carried out\.", ""),
    "other proofs": replaced(r"^SHA-256 of", "MD5 of"),
}
# In a game in which all order together a confirmation tells of nothing that was played.
OF_TURNS = ("another version", "nothing was played")
BEFORE = replaced(r"\A", "CAUTION: the deadline of this email is too late.\n\n")
BEHIND = replaced(r"\Z", "\nThe deadline is tomorrow.\n")
SECOND = replaced(r"\Z", "\nWhat happened\n-------------\nBob has left.\n")
NAME_OF_FILE = replaced(r"^Keep the attached .*\n", "")
SHEET = replaced("</head>", "<style>p { color: white }</style></head>")
SHEET_IN_BODY = replaced(r"(<body[^>]*>)", r"\1<style>p { color: white }</style>")
NESTED = replaced("</head>", "<style>body { & td, & p { color: white } }</style></head>")
QUOTED = replaced(
    "</head>",
    """<style>i { font-family: "/*" } p { color: white } i { font: "*/" }</style></head>""",
)
WITHIN = replaced("</head>", "<style>p:not(:hover) { color: white }</style></head>")
TINY = replaced("</head>", "<style>p { font-size: 1q }</style></head>")
DRAWN = replaced(
    r"(<body[^>]*>)", r'\1<div style="height:9em;background:url(https://x.y/z)"></div>'
)
FIELD = replaced("</body>", '<input value="You may order until 24 December"></body>')
RUNS = replaced(
    "</body>", "<div onmouseover=\"document.body.innerText = 'You lost'\"></div></body>"
)
LEADS_AWAY = replaced("</head>", '<meta http-equiv="refresh" content="0;url=https://x.y"></head>')
TITLE = replaced(r"<title>.*?</title>", "<title>You lost</title>")
HIDDEN = replaced(r"<p\b", '<p hidden="x"')
STRUCK_OUT = replaced(r"<p([^>]*)>(.*?)</p>", r"<p\1><s>\2</s></p>")


# A report as JSON.

IN_JSON = of_games("cheating", "IN_JSON")


def _other_view(told: dict[str, Any], game: str) -> None:
    key, change = IN_JSON[game]
    told[key] = change(told[key])


def _begins_late(told: dict[str, Any], _: str) -> None:
    told["made"]["news"] = [told["ply"], told["ply"]]
    told["news"] = told["news"][:1]


REPORT: Mapping[str, Callable[[dict[str, Any], str], object]] = {
    "the board": _other_view,
    "the deadline": lambda told, _: told.update(deadline="2026-12-24T12:00:00Z"),
    "notices": lambda told, _: told.update(notices=[]),
    "the turn": lambda told, _: told.update(turn=77),
    "the first news": _begins_late,
    "the version": lambda told, _: told["made"].update(adjud="0.2.99"),
}


def in_a_report(change: Callable[[dict[str, Any], str], object]) -> Play:
    """Return a play in which a report that was printed as JSON has something else in it."""

    def play(stage: Stage) -> Papers:
        emails, printed = played(stage.where)
        told = json.loads(printed[1])
        if not stage.honest:
            change(told, stage.where)
        return [*emails, json.dumps(told).encode()]

    return play


# The JSON of an email, and so all of it.


def as_value(said: object) -> bytes:
    return values.to_json(values.read(spelled(said).encode())).encode()


def spelled(said: object) -> str:
    """Return the JSON of an email's value in its one spelling."""
    text = json.dumps(said, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f"{text}\n"


def in_a_value(
    change: Callable[[dict[str, Any]], object], of: str = "report", *, twice: bool = False
) -> Play:
    """Return a play in which the last email of a kind is another in its JSON, which came alone;
    `twice` if it came as it was, too."""

    def play(stage: Stage) -> Papers:
        emails = [*played(stage.where)[0]]
        at = numbers(emails, of)[-1]
        said = json.loads(value_in(emails[at]))
        if not stage.honest:
            change(said)
        return [*emails[: at + twice], as_value(said), *emails[at + 1 :]]

    return play


def _next_turn(said: dict[str, Any]) -> None:
    said["report"]["turn"] += 1


def _for_a_former_holder(said: dict[str, Any]) -> None:
    """Less would be compared in a report that was made for him, and no email is."""
    said["report"]["made"].update(former=True)


IN_VALUE: Mapping[str, Callable[[dict[str, Any]], object]] = {
    "another turn": _next_turn,
    "another email before": lambda said: said.update(before="0" * 64),
    "another zone": lambda said: said.update(zone="Asia/Tokyo"),
    "another epoch": lambda said: said["to"].update(epoch="zzzzz"),
    "a former holder": _for_a_former_holder,
}


def in_a_chained_value(change: Callable[[dict[str, Any]], object], of: str) -> Play:
    """Return a play in which all emails came as JSON, and the first one of a kind says something
    else; the fingerprints of those after it fit."""

    def play(stage: Stage) -> Papers:
        emails = [*played(stage.where)[0]]
        every = [json.loads(value_in(raw)) for raw in emails]
        if not stage.honest:
            change(every[numbers(emails, of)[0]])
        found, before = list[bytes](), None
        for said in every:
            found.append(spelled({**said, "before": before}).encode())
            before = sha256(found[-1]).hexdigest()
        return found

    return play


def _version_without_a_digest(said: dict[str, Any]) -> None:
    receipts = said["said"]["contents"]["says"]
    receipts.append({**receipts[0], "revision": 2, "in_force": 2, "proof": None})


def _later_deadline(said: dict[str, Any]) -> None:
    lines = [one for part in said["said"]["contents"]["below"] for one in part.get("lines", ())]
    values = [one["values"] for one in lines if isinstance(one, dict)]
    times = [one["when"] for one in values if "when" in one]
    times[0]["values"].update(moment="2026-12-24T12:00:00+00:00")


def _ruling_beside_another(said: dict[str, Any]) -> None:
    told = {"text": "The game master says: {text}", "values": {"text": "You lost."}, "plural": None}
    lines = {"type": "lines", "game": "", "lines": [told]}
    said["said"]["contents"]["below"].append(lines)


IN_CHAINED_VALUE: Mapping[str, tuple[str, Callable[[dict[str, Any]], object]]] = {
    "a confirmation that names another version": (
        "receipt",
        lambda said: said["said"]["contents"]["says"][0].update(revision=7),
    ),
    "a confirmation without a digest": ("receipt", _version_without_a_digest),
    "another deadline in a confirmation": ("receipt", _later_deadline),
    "a ruling without a number": ("notice", _ruling_beside_another),
}


def chained(name: str) -> Play:
    of, change = IN_CHAINED_VALUE[name]
    return in_a_chained_value(change, of)


def without_number(stage: Stage) -> Papers:
    """An answer has no number, so that it could be left out; its text does not name its file."""

    def change(text: str) -> str:
        return spelled(json.loads(text) | {"n": None, "before": None, "skipped": []})

    emails = [*played(stage.where)[0]]
    at = numbers(emails, "receipt")[0]
    if not stage.honest:
        emails[at] = changed(emails[at], JSON, change)
    return emails


def lost_values(stage: Stage) -> Papers:
    """One report has come without its JSON, and its text says something else."""
    emails = [*played(stage.where)[0]]
    at = reports(emails)[2]
    if not stage.honest:
        emails[at] = changed(without_value(emails[at]), TEXT, DEADLINE)
    return emails


def of_another_version(stage: Stage) -> Papers:
    """The JSON says that another version wrote it, so that no email can be made of it here."""
    emails = [*played(stage.where)[0]]
    at = reports(emails)[2]
    if not stage.honest:
        other = replaced(r'("adjud":")[^"]+', r"\g<1>9.9.9")
        emails[at] = changed(changed(emails[at], JSON, other), TEXT, DEADLINE)
    return emails


def other_head_in_a_text(stage: Stage) -> Papers:
    """Anna has copied a text of hers, which tells another fingerprint than the log has."""
    emails = played(stage.where)[0]
    text = content(without_value(emails[reports(emails)[2]]), TEXT)
    (found,) = re.findall(r"^Log of m, ply \d+:?\s+[0-9a-f]{64}$", text, re.M)[:1]
    digest = found[-64:]
    other = digest if stage.honest else digest[::-1]
    return [*emails, f"{found[:-64]}{other}\n".encode()]


# What is told once, or belatedly.


def news_that_begin_late(stage: Stage) -> Papers:
    scene = stage.scene()
    late = patch.multiple(
        standing,
        first_news=lambda tx, loaded, seat: loaded.match.ply,
        first_plies_to_tell=lambda tx, loaded, since: {},
    )
    if stage.honest:
        scene.play(4)
    else:
        with late:
            scene.play(4)
    return ended(scene, 0)


def news_of_other_orders(stage: Stage) -> Papers:
    """A confirmation tells what came of the orders of another turn. The email is what its JSON
    gives, and the log is right."""
    right = answers.read_log

    def other(tx: Any, match: Any, game: Any, *_: Any) -> Any:
        return right(tx, match, game, 2, 2)

    scene = stage.scene()
    with patch.object(answers, "read_log", right if stage.honest else other):
        for _ in range(4):
            play_mine_first(scene)
    return ended(scene, 0)


def type_that_is_told_once(stage: Stage) -> Papers:
    scene = stage.scene("memory=once", played=5)
    emails = [*ended(scene, 0)]
    number = numbers(emails, "aside")[0]
    change = replaced(r"It is (ATOM|CHEMISTRY|SPACE|PHYSICS)", "It is SUGAR")
    assert change(content(emails[number], TEXT)) != content(emails[number], TEXT)
    if not stage.honest:
        emails[number] = changed(emails[number], TEXT, change)
    return emails


def type_that_is_never_told(stage: Stage) -> Papers:
    """No email tells the types that were seen, and the numbers of the others have no gap."""
    scene = stage.scene("memory=once")
    right = queue.queue_asides
    with patch.object(queue, "queue_asides", right if stage.honest else lambda *_: None):
        scene.play(5)
    return ended(scene, 0)


def daily_email_of_another_time(stage: Stage) -> Papers:
    """The JSON of a daily email, which came alone, says that it was made on another day."""
    scene = stage.scene(*EVERY_WEEK, played_to=2)
    with scene.club.store.transaction() as tx:
        tx.execute(sa.update(tables.player).values(letters="daily"))
    for _ in range(2):
        scene.play(1)
        later(scene, 30)
    ended(scene)
    later(scene, 24)
    emails = scene.letters()
    at = next(n for n, raw in enumerate(emails) if b"\nX-Adjud: daily" in raw)
    said = json.loads(value_in(emails[at]))
    if not stage.honest:
        said["at"] = "2026-11-23T00:00:00Z"
    return [*emails[:at], spelled(said).encode(), *emails[at + 1 :]]
