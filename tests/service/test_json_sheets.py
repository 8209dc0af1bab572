"""Order sheets as JSON, in files and in emails (docs/club.md, 12.3)."""

import json
from email.message import EmailMessage

import pytest

from adjudicator.core.message import Message, tell
from adjudicator.core.sheets import sheets_in
from tests.club import Refusal, receipt_as_json, receipt_as_text
from tests.database import open_store
from tests.service.mailclub import MailClub

SETUP = {"match": "m", "seat": "white", "turn": 0, "orders": ["SETUP RANDOM"]}
SHEET = "ORDERS m white turn 0\nSETUP RANDOM\nEND\n"


@pytest.fixture
def clubs(new_sqlite, tmp_path):
    """Return two clubs with the same match."""
    stores = [open_store(new_sqlite(name)) for name in ("one", "two")]
    made = [MailClub(store, tmp_path / f"{n}") for n, store in enumerate(stores)]
    for club in made:
        club.opened()
    yield made
    for store in stores:
        store.close()


SAME = [
    (SETUP, SHEET),
    ({"match": "m", "seat": "white", "orders": []}, "ORDERS m white\nEND\n"),
    ({"match": "m", "seat": "white", "orders": ["SETUP", "xx"]}, "ORDERS m white\nSETUP\nxx\nEND"),
    ({**SETUP, "turn": 7}, "ORDERS m white turn 7\nSETUP RANDOM\nEND\n"),
    ({"match": "nobody", "orders": ["a"]}, "ORDERS nobody\na\nEND\n"),
    ({**SETUP, "orders": ["READY"]}, "ORDERS m white turn 0\nREADY\nEND\n"),
    ([SETUP, {**SETUP, "seat": "black"}], SHEET + SHEET.replace("white", "black")),
]


@pytest.mark.parametrize(("given", "sheet"), SAME)
def test_a_file_of_json_has_the_receipts_of_the_sheets(clubs, given, sheet):
    told = []
    for club, text in zip(clubs, (json.dumps(given, indent=1), sheet), strict=True):
        receipts = club.submit(text)
        told.append([(receipt_as_text(one, tell), receipt_as_json(one, tell)) for one in receipts])
    assert told[0] == told[1]


def mail(club, body, attached=None, kind="application/json"):
    email = EmailMessage()
    email["From"], email["To"] = "anna@example.org", club.address("white")
    email["Subject"], email["Message-ID"] = "orders", "<1@example.org>"
    email.set_content(body)
    if attached is not None:
        main, _, sub = kind.partition("/")
        email.add_attachment(attached.encode(), maintype=main, subtype=sub, filename="o.json")
    club.post(email.as_bytes(), club.address("white"), "anna@example.org")
    club.run_tick()
    return [raw for _, to, raw in club.way.letters if to == "anna@example.org"][-1]


@pytest.mark.parametrize(
    ("body", "attached", "kind"),
    [
        ("{}\n", None, ""),
        ("{}\n-- \nAnna\n", None, ""),
        ("Hello\n", "{}", "application/json"),
        ("Hello\n", "{}", "application/octet-stream"),
    ],
)
def test_an_email_of_json_has_the_receipt_of_the_sheet(clubs, body, attached, kind):
    answers = []
    for club, sheet in zip(clubs, (json.dumps(SETUP, indent=1), SHEET.strip()), strict=True):
        file = attached and attached.replace("{}", sheet)
        answers.append(mail(club, body.replace("{}", sheet), file, kind))
    assert b"your orders are in" in answers[0]
    assert answers[0] == answers[1]


WRONG = [
    ('{"match": "m", "orders": ["a"], "boss": 1}', "boss: this key is unknown"),
    ('{"match": "m", "orders": ["a", "b", "c", 4]}', "orders[3]: a line must be a text"),
    ('[{"match": "m", "orders": []}, {"match": "m", "orders": [null]}]', "[1].orders[0]: a line"),
    ('{"match": "m"}', "orders: this must be a list of lines"),
    ('{"match": "m", "orders": "a"}', "orders: this must be a list of lines"),
    ('{"match": "m", "orders": [[[["a"]]]]}', "orders[0][0][0]: the JSON is nested too deeply"),
    ("[" * 20_000 + '"orders"', "the JSON is nested too deeply"),
    (json.dumps({**SETUP, "orders": ["x"] * 201}), "orders: there may be at most 200 lines"),
    ('{"match": 7, "orders": []}', "match: this must be the name of a match"),
    ('{"match": "m", "seat": "white\\nEND", "orders": []}', "seat: this must be a seat"),
    ('{"match": "m", "seat": "turn", "orders": []}', "seat: this must be a seat"),
    ('{"match": "m", "turn": true, "orders": []}', "turn: this must be the number of a turn"),
    ('{"match": "m", "turn": -1, "orders": []}', "turn: this must be the number of a turn"),
    ('{"match": "m", "turn": "3", "orders": []}', "turn: this must be the number of a turn"),
    ('{"match": "m", "orders": ["a\\nEND\\nORDERS m"]}', "orders[0]: a line may not break"),
    ('{"match": "m", "orders": ["END"]}', "orders[0]: a line may not break"),
    ('{"match": "m", "orders": ["ORDERS m black"]}', "orders[0]: a line may not break"),
    ('{"match": "m", "orders": [}', "this is not JSON: line 1, column 27"),
    ('{"match": "m", "turn": ' + "9" * 5000 + ', "orders": []}', "a number is too long"),
    ("[]", "the list of order sheets is empty"),
    ('["orders"]', "[0]: an order sheet must be an object"),
]


@pytest.mark.parametrize(("text", "why"), WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_named_with_its_path(clubs, text, why):
    club = clubs[0]
    found = sheets_in(text)
    assert isinstance(found, Message)
    assert why in str(found)
    with pytest.raises(Refusal) as refusal:
        club.submit(text)
    assert why in str(refusal.value)
    assert "white" not in club.loaded().sheets


def test_more_behind_the_json_of_a_file_is_refused(clubs):
    with pytest.raises(Refusal, match="put several order sheets into a list"):
        clubs[0].submit(json.dumps(SETUP) * 2)


def test_an_email_is_told_the_path_too(clubs):
    answer = mail(clubs[0], '{"match": "m", "orders": [3]}\n')
    told = " ".join(answer.decode().split())
    assert "The orders are JSON and cannot be used: orders[0]: a line must be a text" in told
    assert "white" not in clubs[0].loaded().sheets


@pytest.mark.parametrize("text", ["[see you on Monday]", "{hello}", "SETUP", "", "[1] a note\nx"])
def test_other_words_are_no_json(text):
    assert sheets_in(text) is None
