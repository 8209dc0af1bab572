"""For each rule there is a cheat that an audit finds by it alone: with the rule switched off it
passes. Its honest twin agrees."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from adjudicator.core.message import tell
from adjudicator.service.audit import checks, documents
from adjudicator.service.audit.verdicts import RULES
from adjudicator.service.emails import value as values
from adjudicator.service.reports import standing
from adjudicator.store.database import Store
from tests.service.cheats.scene import Scene
from tests.service.cheats.test_shown import with_own_orders
from tests.service.mailclub import value_in, without_value
from tests.service.test_audit import _PLAYED, forged, kind, other_digit, play, replaced, spoiled

pytestmark = pytest.mark.slow

Emails = list[bytes]


def wrong(folder: Path, name: str, emails: Sequence[bytes], off: str = "") -> list[str]:
    """Return what an audit without a rule contradicts."""
    place = folder / name
    place.mkdir(exist_ok=True)
    for number, raw in enumerate(emails):
        ending = "eml" if raw[:1] != b"{" else "adjud.json"
        (place / f"{number:02}.{ending}").write_bytes(raw)
    (found,) = checks.audit(documents.read([place])[0], off={off})
    return [tell(one) for one in found.wrong]


@pytest.fixture
def emails(store: Store, tmp_path: Path) -> Emails:
    if not _PLAYED:
        _PLAYED["one"] = play(store, tmp_path, "one")
    return list(_PLAYED["one"])


def numbers(emails: Emails, of: str) -> list[int]:
    return [n for n, raw in enumerate(emails) if kind(raw) == of]


def other_head(emails: Emails) -> Emails:
    change = replaced(r"(Log of m, ply \d+:?\s+)(\w)", other_digit)
    return spoiled([*map(without_value, emails)], {numbers(emails, "report")[2]}, change)


def other_confirmation(emails: Emails) -> Emails:
    change = replaced(r"(with the orders:\s+)(\w)", other_digit)
    return spoiled([*map(without_value, emails)], {numbers(emails, "receipt")[1]}, change)


def other_step(emails: Emails) -> Emails:
    stepped = r'\["Stepped",("\w+",\d,\d,"\w\d","\w\d"),"\w+"'
    return forged(emails, lambda line: re.sub(stepped, r'["Stepped",\1,"general"', line))


def other_form(emails: Emails) -> Emails:
    change = replaced(r"(by phone: ply \d+, )(\w)", other_digit)
    return spoiled(emails, {numbers(emails, "report")[2]}, change)


def other_turn(emails: Emails) -> Emails:
    """The last report has another turn, in its JSON and so in all of it."""
    last = emails[numbers(emails, "report")[-1]]
    said = json.loads(value_in(last))
    said["report"]["turn"] += 1
    return [*emails[: emails.index(last)], as_value(said), *emails[emails.index(last) + 1 :]]


def as_value(said: object) -> bytes:
    return values.to_json(values.read(_spelled(said))).encode()


def _spelled(said: object) -> bytes:
    text = json.dumps(said, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f"{text}\n".encode()


CHEATS: dict[str, Callable[[Emails], Emails]] = {
    "O1": other_step,
    "O2": other_confirmation,
    "O4": other_turn,
    "O6": other_head,
    "same/differs": other_form,
}


@pytest.mark.parametrize("rule", CHEATS)
def test_a_cheat_passes_without_the_rule_that_finds_it(
    rule: str, emails: Emails, tmp_path: Path
) -> None:
    assert wrong(tmp_path, "honest", emails) == []
    cheat = CHEATS[rule](emails)
    found = wrong(tmp_path, "cheat", cheat)
    assert found
    assert all(one.startswith(f"{rule}: ") for one in found), found
    assert wrong(tmp_path, "cheat", cheat, off=rule) == []


def test_news_that_begin_late_pass_without_their_rule(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(store, tmp_path, "espionage")
    monkeypatch.setattr(standing, "first_news", lambda tx, loaded, seat: loaded.match.ply)
    monkeypatch.setattr(standing, "first_plies_to_tell", lambda tx, loaded, since: {})
    scene.play(4)
    monkeypatch.undo()
    scene.end()
    found = wrong(tmp_path, "cheat", scene.letters())
    assert found
    assert all(one.startswith("O5: ") for one in found), found
    assert wrong(tmp_path, "cheat", scene.letters(), off="O5") == []


def test_other_orders_that_are_opened_pass_without_their_rule(store: Store, tmp_path: Path) -> None:
    emails = with_own_orders(store, tmp_path).letters()
    said = json.loads(value_in(emails[-1]))
    sheets = [one for one in said["report"]["own"]["sheets"] if one["kept"]]
    sheets[0]["lines"] = ["ELSE: a1-a2"]
    cheat = [*emails[:-1], as_value(said)]
    found = wrong(tmp_path, "cheat", cheat)
    assert found
    assert all(one.startswith("O3: ") for one in found), found
    assert wrong(tmp_path, "cheat", cheat, off="O3") == []


def test_the_documentation_has_all_rules() -> None:
    told = (Path(__file__).parents[3] / "docs/checking.md").read_text("utf-8")
    assert [rule for rule in RULES if f"| `{rule}` |" not in told] == []
