"""A player checks his emails: what agrees, what was spoiled, what is missing.

Each spoiling is found, or what is missing is named, with the emails that disagree.
"""

import json
import mailbox
import re
from base64 import encodebytes
from email import message_from_bytes, policy
from functools import cache
from hashlib import sha256
from quopri import encodestring

import pytest

from adjudicator.core import chain
from adjudicator.core.message import tell
from adjudicator.mail.read.whole import read_whole
from adjudicator.service.audit import documents
from tests.audits import Document, audits_of, read_papers, summary
from tests.club import computer_orders
from tests.nightly import NIGHT, mostly_nightly
from tests.service import mailclub
from tests.service.mailclub import MailClub

PLIES = 16
_PLAYED: dict[str, list[bytes]] = {}


def play(store, folder, name, *, language="en"):
    """Play a match by emails; return those that Anna, who is White, got from the club."""
    club = MailClub(store, folder / name)
    club.add("Anna", "Bob", language=language)
    club.new("fights=both", "advance=on")
    club.run_tick()
    for _ in range(PLIES):
        for seat in club.loaded().awaited:
            lines = computer_orders(club.loaded(), seat, "computer")
            club.write(seat, f"ORDERS m {seat}", *lines, "END")
        club.run_tick()
    club.announce("m", "It snows.")
    club.cancel("m", reason="x")
    club.run_tick()
    return [raw for _, to, raw in club.way.letters if to == "anna@example.org"]


@pytest.fixture
def emails(store, tmp_path):
    if not _PLAYED:
        _PLAYED["one"] = play(store, tmp_path, "one")
    return list(_PLAYED["one"])


@cache
def kind(raw):
    return message_from_bytes(raw, policy=policy.default)["X-Adjud"]


without_value = cache(mailclub.without_value)


def changed(raw, change):
    """Return an email whose texts were changed."""
    email = message_from_bytes(raw)
    for part in email.walk():
        if part.is_multipart():
            continue
        text = part.get_payload(decode=True).decode().replace("\r\n", "\n")
        if (new := change(text)) != text:
            del part["Content-Transfer-Encoding"]
            part["Content-Transfer-Encoding"] = "base64"
            part.set_payload(encodebytes(new.encode()).decode())
    return email.as_bytes()


def spoiled(emails, numbers, change):
    done = []

    def noted(text):
        done.append(change(text) != text)
        return change(text)

    found = [changed(raw, noted) if n in numbers else raw for n, raw in enumerate(emails)]
    assert any(done), "nothing was spoiled"
    return found


def audited(emails, folder, only=None):
    """Return what is found in emails, or in one of them alone."""
    folder.mkdir(exist_ok=True)
    for number, raw in enumerate(emails):
        if only in (None, number):
            (folder / f"{number:02}.eml").write_bytes(raw)
    (found,) = audits_of(folder)
    return found


def said(messages):
    return " / ".join(map(tell, messages))


def opened(emails):
    (log,) = {paper.log for paper in read_all(emails) if paper.log}
    return log


def read_all(emails):
    found = (one for raw in emails for one in documents._of_email(raw, "x"))
    return [one for one in found if isinstance(one, Document)]


def test_the_emails_of_a_match_agree_and_all_of_them_are_compared(emails, tmp_path):
    found = audited(emails, tmp_path / "all")
    assert said(found.wrong) == ""
    assert said(found.missing) == ""
    assert re.search(r"\d+ confirmations?", said(found.checked))
    assert f"the log of {PLIES + 1} plies, replayed by the rules" in said(found.checked)
    assert said(found.notes) == ""


def summed_up(found, folder):
    """Return all that is said of an audit, without where the files are and what is always said."""
    *lines, _ = "\n".join(summary(found)).replace(f"{folder}/", "").split("\n")
    return lines


def counted(emails, heads, confirmations, forms=0, proofs=5):
    """Return what was checked of so many emails."""
    told = f"{proofs} proofs, {heads} log fingerprints, {confirmations} confirmations"
    whole = f"  checked: {emails} documents were read, {told}, {emails} emails, all that they say"
    by_rules = "the log of 17 plies, replayed by the rules, 17 order sheets, judged by the rules"
    return f"{whole}, {by_rules}, {forms} forms of reports, made again" if forms else whole


ASKED = (
    "  O2: version 1 of the orders of White for turn 0 was used, and you have no confirmation of "
    "it: did you send it?"
)

PAGES = "; ".join(f"{n:02}.eml ([m] Turn {n // 2 + 1}: your move)" for n in range(3, 13, 2))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("left_out", "first", "told"),
    [
        (
            (),
            "everything that can be compared agrees",
            [counted(18, 10, 9, 10)],
        ),
        (
            (17,),
            "everything that can be compared agrees",
            [
                counted(17, 9, 9, proofs=4),
                "  not revealed here: the full log. The last report has it",
                "  not revealed here: 3 secrets",
                # Of each ply that White was to move there was an email; a page has the others, too.
                "  not compared: what the page tells of earlier turns, which the emails that are "
                f"here and the log do not tell so: {PAGES}; and 2 more",
            ],
        ),
        (
            (1,),
            "nothing contradicts, and 1 question for you",
            [
                counted(17, 9, 8, 9),
                ASKED,
                "  missing: the report of ply 1, unless a newer one was sent in its place",
                "  n/missing: of the emails to white these are not among your files: 2",
            ],
        ),
        (
            (1, 3),
            "nothing contradicts, and 1 question for you",
            [
                counted(16, 8, 8, 8),
                ASKED,
                "  missing: the reports of plies 1, 3, unless newer ones were sent in their place",
                "  n/missing: of the emails to white these are not among your files: 2, 4",
            ],
        ),
    ],
    ids=["all", "before the end", "without a report", "without two"],
)
def test_all_that_is_said_of_emails(emails, tmp_path, left_out, first, told):
    for number, raw in enumerate(emails):
        if number not in left_out:
            (tmp_path / f"{number:02}.eml").write_bytes(raw)
    (found,) = audits_of(tmp_path)
    assert summed_up(found, tmp_path) == [f"m: {first}", *told]


@pytest.mark.slow
def test_of_json_alone_nothing_is_said_of_how_it_looked(emails, tmp_path):
    values = [value for raw in emails for one in read_whole(raw) for value in one.values]
    for number, value in enumerate(values):
        (tmp_path / f"{number:02}.adjud.json").write_bytes(value)
    (found,) = audits_of(tmp_path)
    assert summed_up(found, tmp_path) == [
        "m: everything that can be compared agrees",
        counted(18, 10, 9, 10).replace("18 emails, all that they say, ", ""),
        "  not compared: how 18 emails looked, because only their JSON is here: 00.adjud.json; "
        "01.adjud.json; 02.adjud.json; 03.adjud.json; 04.adjud.json; and 13 more",
    ]


def in_line(old, new):
    """Return a change of the first line of the opened log that has `old`."""

    def change(text):
        for line in re.findall(r'^\{"ply":\d+,.*\}$', text, re.M):
            if re.search(old, line):
                return text.replace(line, re.sub(old, new, line, count=1))
        return text

    return change


def replaced(old, new, count=0):
    return lambda text: re.sub(old, new, text, count=count)


def other_digit(found):
    return found.group(1) + ("0" if found.group(2) != "0" else "1")


FIRST, MIDDLE, LAST, RECEIPT = "first", "middle", "last", "receipt"
SPOILINGS = [
    (
        "an order of mine",
        LAST,
        in_line(r'(\["white",\d,"[^"]+",\[")\w\d', r"\1a1"),
        "the log up to",
    ),
    ("an order of his", LAST, in_line(r'(\["black",\d,"[^"]+",\[")\w\d', r"\1a1"), "the log up to"),
    ("a step", LAST, in_line(r'(\["Stepped","\w+",\d,\d,")\w\d', r"\1a1"), "the log up to"),
    ("a fight", LAST, in_line(r'"(won|lost)"', '"drawn"'), "the log up to"),
    ("a rank", LAST, in_line(r'"corporal"', '"general"'), "the log up to"),
    ("a set-up", LAST, in_line(r'(\["SetUp","white",")\w', r"\1X"), "the log up to"),
    ("the date of a ply", LAST, in_line(r'"at":"2026', '"at":"2025'), "the log up to"),
    ("the date of an order", LAST, in_line(r'(\["white",\d,")2026', r"\g<1>2025"), "the log up to"),
    ("a cause", LAST, in_line(r'"cause":"cancelled"', '"cause":"agreement"'), "the log up to"),
    ("a revision", LAST, in_line(r'(\["white",)1', r"\g<1>7"), "the log up to"),
    ("a ruling", LAST, in_line(r"snows", "rains"), "the log up to"),
    ("a turn", LAST, in_line(r'"turn":1', '"turn":2'), "the log up to"),
    ("a line is gone", LAST, replaced(r'\{"ply":5,[^\n]*\n', ""), "a ply is missing"),
    (
        "a line that is none",
        LAST,
        replaced(r'\{"ply":5,[^\n]*\n', '{"ply":5,}\n'),
        "cannot be read",
    ),
    ("the key", LAST, replaced(r"(Key of the log:?\s+)(\w)", other_digit), "Key of the log"),
    (
        "what was promised",
        LAST,
        replaced(r'(\n\{"adjud":[^\n]*?"seed",null,")(\w)', other_digit),
        "the log up to",
    ),
    (
        "a head",
        MIDDLE,
        replaced(r"(Log of m, ply \d+:?\s+)(\w)", other_digit),
        "does not match the fingerprint shown",
    ),
    ("a proof", FIRST, replaced(r"(Seed of the match:?\s+)(\w)", other_digit), "Seed of the"),
    (
        "a set-up, opened",
        LAST,
        replaced(r"(\|setup\|white\|)\w", r"\1X"),
        "has another fingerprint",
    ),
    (
        "a roll",
        LAST,
        replaced(r"(opened:?\s+\w{64}\s[^|]*?%s' \\\s+')(\w)", other_digit),
        "another",
    ),
    (
        "a receipt",
        RECEIPT,
        replaced(r"(with the orders:\s+)(\w)", other_digit),
        "the confirmation to",
    ),
]

# An email with its value attached has these in that alone.
IN_A_TEXT_ALONE = {"the key", "a head", "a proof", "a roll"}

# Each is found by the fingerprint of its line, as an order of mine, a rank, a set-up and a ruling
# are, which are tried every day.
IN_A_LINE_TOO = {
    *("an order of his", "a step", "a fight", "the date of a ply", "the date of an order"),
    *("a cause", "a revision", "a turn"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "where", "change", "expected"),
    [
        pytest.param(name, *told, id=name, marks=NIGHT if name in IN_A_LINE_TOO else ())
        for name, *told in SPOILINGS
    ],
)
def test_whatever_is_spoiled_in_an_email_is_found(emails, tmp_path, name, where, change, expected):
    reports = [n for n, raw in enumerate(emails) if kind(raw) == "report"]
    receipts = [n for n, raw in enumerate(emails) if kind(raw) == "receipt"]
    number = {FIRST: reports[0], LAST: reports[-1], MIDDLE: reports[2], RECEIPT: receipts[1]}[where]
    old = [*map(without_value, emails)]
    found = audited(spoiled(old, {number}, change), tmp_path / "spoiled")
    assert expected in said(found.wrong)
    assert f"{number:02}.eml" in said(found.wrong)
    if where == RECEIPT or name in IN_A_TEXT_ALONE:
        return
    found = audited(spoiled(emails, {number}, change), tmp_path / "valued", only=number)
    assert re.search(rf"same/differs: \S+/{number:02}\.eml", said(found.wrong))


def forged(emails, change):
    """Return emails in which the log was changed before any head was told: all heads fit."""
    emails = [*map(without_value, emails)]
    log = opened(emails)
    lines = [change(line) for line in log.lines]
    assert lines != list(log.lines)
    key = bytes.fromhex(log.key)
    pairs = zip(chain.heads("m", key, log.lines), chain.heads("m", key, lines), strict=True)
    new = {**dict(pairs), **dict(zip(log.lines, lines, strict=True))}

    def exchange(text):
        for before, after in new.items():
            text = text.replace(before, after)
        return text

    return spoiled(emails, set(range(len(emails))), exchange)


@pytest.mark.slow
def test_an_order_that_was_never_given_is_found_by_its_receipt(emails, tmp_path):
    def change(line):
        return re.sub(r'(\["white",\d,"[^"]+",\[")\w\d-', r"\1a1-", line)

    found = audited(forged(emails, change), tmp_path / "forged")
    assert "the confirmation to white, turn 1, version 1" in said(found.wrong)
    assert "the log up to" not in said(found.wrong)


@pytest.mark.slow
def test_orders_that_are_given_twice_are_found(emails, tmp_path):
    def change(line):
        return re.sub(r'(\["white",1,"[^"]+",\[[^\]]*\]\])', r"\1,\1", line)

    found = audited(forged(emails, change), tmp_path / "forged")
    assert "White gave orders twice" in said(found.wrong)


@pytest.mark.slow
def test_a_step_that_does_not_follow_from_the_orders_is_found_by_the_rules(emails, tmp_path):
    def change(line):
        return re.sub(
            r'\["Stepped",("\w+",\d,\d,"\w\d","\w\d"),"\w+"', r'["Stepped",\1,"general"', line
        )

    found = audited(forged(emails, change), tmp_path / "forged")
    assert "comes out differently when it is replayed" in said(found.wrong)
    assert "the log up to" not in said(found.wrong)


@pytest.mark.slow
def test_a_report_that_was_taken_away_is_missing_and_no_disagreement(emails, tmp_path):
    number = [n for n, raw in enumerate(emails) if kind(raw) == "report"][2]
    found = audited(emails[:number] + emails[number + 1 :], tmp_path / "fewer")
    assert (said(found.wrong), found.exit_code) == ("", 0)
    assert "missing: the report of" in said(found.missing)


@pytest.mark.slow
def test_orders_of_which_the_confirmation_was_taken_away_are_asked(emails, tmp_path):
    """A club that made them up looks the same: only the player knows."""
    number = [n for n, raw in enumerate(emails) if kind(raw) == "receipt"][2]
    found = audited(emails[:number] + emails[number + 1 :], tmp_path / "fewer")
    assert (said(found.wrong), found.exit_code) == ("", 3)
    assert "you have no confirmation of it: did you send it?" in said(found.asks)


def test_a_log_that_is_not_opened_is_said_to_be_so(emails, tmp_path):
    last = max(n for n, raw in enumerate(emails) if kind(raw) == "report")
    found = audited(emails[:last], tmp_path / "early")
    assert said(found.wrong) == ""
    assert "not revealed here: the full log" in said(found.notes)
    assert "not revealed here: 3 secrets" in said(found.notes)


@pytest.mark.slow
def test_emails_of_two_clubs_do_not_agree(emails, tmp_path):
    seed = re.compile(r"(Seed of the match:?\s+)(\w)")
    half = set(range(len(emails) // 2))
    old = [*map(without_value, emails)]
    found = audited(spoiled(old, half, lambda text: seed.sub(other_digit, text)), tmp_path / "x")
    assert "Seed of the match: " in said(found.wrong)


@pytest.mark.slow
def test_an_mbox_a_maildir_pages_and_json_are_read_alike(emails, tmp_path):
    box = mailbox.mbox(tmp_path / "letters.mbox")
    folder = mailbox.Maildir(tmp_path / "Maildir")
    for raw in emails:
        box.add(raw)
        folder.add(raw)
    box.close()
    for path in (tmp_path / "letters.mbox", tmp_path / "Maildir"):
        (found,) = audits_of(path)
        assert (said(found.wrong), said(found.missing)) == ("", ""), path
        assert len(found.checked) == 8


CARRIED = [
    ("en", "utf-8", "base64", "\n"),
    ("en", "utf-8", "8bit", "\r\n"),
    ("en", "utf-16", "base64", "\r\n"),
    ("nb", "utf-8", "quoted-printable", "\r\n"),
    ("nb", "iso-8859-1", "8bit", "\n"),
    ("nb", "iso-8859-1", "base64", "\r\n"),
    ("nb", "iso-8859-15", "quoted-printable", "\n"),
    ("nb", "windows-1252", "quoted-printable", "\r\n"),
    ("nb", "utf-16-le", "base64", "\n"),
    ("nb", "utf-16", "quoted-printable", "\n"),
    ("sv", "iso-8859-1", "quoted-printable", "\n"),
]
CARRIED_BY_DAY = [  # each language, each transfer encoding, and charsets of one and of two octets
    ("en", "utf-8", "8bit", "\r\n"),
    ("nb", "utf-8", "quoted-printable", "\r\n"),
    ("nb", "utf-16-le", "base64", "\n"),
    ("sv", "iso-8859-1", "quoted-printable", "\n"),
]


def carried(raw, charset, encoding, end):
    """Return an email as a server on its way may write it anew: in another charset, where that has
    all its signs, in another transfer encoding, with other line ends."""
    email = message_from_bytes(raw)
    done = 0
    for part in email.walk():
        if part.is_multipart() or part.get_content_maintype() == "image":
            continue
        text = part.get_payload(decode=True).decode().replace("\r\n", "\n")
        is_json = part.get_content_type() == "application/json"  # a file, of no charset
        try:
            octets = text.replace("\n", end).encode("utf-8" if is_json else charset)
        except UnicodeEncodeError:
            continue
        done += 1
        page = text.lstrip().startswith("<")
        del part["Content-Transfer-Encoding"]
        if not is_json:
            del part["Content-Type"], part["Content-Disposition"]
            part["Content-Type"] = f"text/{'html' if page else 'plain'}; charset={charset}"
        part["Content-Transfer-Encoding"] = encoding
        written = {"base64": encodebytes, "quoted-printable": encodestring}.get(encoding, bytes)
        part.set_payload(written(octets).decode("ascii", "surrogateescape"))
    assert done
    return email.as_bytes(policy=policy.compat32)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "charset", "encoding", "end"), mostly_nightly(CARRIED, every_day=CARRIED_BY_DAY)
)
def test_emails_that_were_written_anew_on_their_way_agree(
    store, tmp_path, language, charset, encoding, end
):
    name = "one" if language == "en" else language
    if name not in _PLAYED:
        _PLAYED[name] = play(store, tmp_path, name, language=language)
    sent = _PLAYED[name]
    found = audited([carried(raw, charset, encoding, end) for raw in sent], tmp_path / "carried")
    plain = audited(sent, tmp_path / "plain")
    assert (said(found.wrong), said(found.missing), plain.exit_code) == ("", "", 0)
    assert said(found.checked) == said(plain.checked)
    assert said(found.notes) == said(plain.notes)


def left_of(*paths):
    return [(one.name, tell(one.why)) for one in read_papers(*paths)[2]]


def test_an_email_to_the_club_without_an_answer_is_named(emails, tmp_path):
    """It may have been lost, or the club may have made as if it had not come."""
    answer = next(one for one in map(message_from_bytes, emails) if one["In-Reply-To"])
    lines = f"From: anna@example.org\nTo: The club <{answer['Reply-To']}>\nSubject: x\n"
    ids = {"answered": answer["In-Reply-To"], "lost": "<lost@example.org>"}
    folder = tmp_path / "all"
    folder.mkdir()
    for name, message_id in ids.items():
        (folder / f"{name}.eml").write_text(f"{lines}Message-ID: {message_id}\n\nRESIGN\n")
    for number, raw in enumerate(emails):
        (folder / f"{number}.eml").write_bytes(raw)
    assert left_of(folder) == [
        (f"{folder}/answered.eml (x)", "not from adjud"),
        (
            f"{folder}/lost.eml (x)",
            "you sent it to the club, and no answer to it is among these files",
        ),
    ]


def test_what_could_not_be_used_is_named_with_the_reason(emails, tmp_path):
    """It is no fault: a player's folder holds more than the emails of one match."""
    foreign = b"From: x@example.org\nSubject: Lunch\nMessage-ID: <1@x>\n\nLet us meet.\n"
    sealed = (
        b"From: x@example.org\nSubject: Hush\nX-Adjud: report\nMessage-ID: <2@x>\n"
        b'MIME-Version: 1.0\nContent-Type: multipart/encrypted; boundary="b"\n\n'
        b"--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n"
        b"--b\nContent-Type: application/octet-stream\n\n-----BEGIN PGP MESSAGE-----\n--b--\n"
    )
    last = emails[-1]
    cut = last[: last.rindex(b"--", 0, len(last) - 200) - 1000]
    silent = b"From: x@example.org\nSubject: Hi\nX-Adjud: notice\nMessage-ID: <3@x>\n\nHello.\n"
    folder = tmp_path / "all"
    folder.mkdir()
    contents = {
        "a.eml": foreign,
        "b.eml": sealed,
        "c.eml": cut,
        "d.eml": silent,
        "e.pdf": b"%PDF",
        "f.html": b"<!DOCTYPE html><html><p>Log of m, ply 1:<p>" + b"0" * 64,
        "g.eml": emails[0],
        "h.json": b"[]",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    title = message_from_bytes(last, policy=policy.default)["Subject"]
    assert left_of(folder) == [
        (f"{folder}/a.eml (Lunch)", "not from adjud"),
        (f"{folder}/b.eml (Hush)", "encrypted"),
        (f"{folder}/c.eml ({title})", "cut off"),
        (f"{folder}/d.eml (Hi)", "nothing to check in it"),
        (f"{folder}/e.pdf", "nothing to check in it"),
        (f"{folder}/f.html", "cut off"),
        (f"{folder}/h.json", "nothing to check in it"),
    ]
    box = mailbox.mbox(tmp_path / "letters.mbox")
    for raw in (emails[0], foreign, sealed):
        box.add(raw)
    box.close()
    assert left_of(tmp_path / "letters.mbox") == [
        (f"{tmp_path}/letters.mbox, email 2 (Lunch)", "not from adjud"),
        (f"{tmp_path}/letters.mbox, email 3 (Hush)", "encrypted"),
    ]


@pytest.mark.slow
def test_an_email_that_was_cut_off_blames_nobody(emails, tmp_path):
    """A provider may hand over no more than the beginning of a large email. If nothing is read from
    that, an audit is of the others alone."""
    last, file = emails[-1], tmp_path / "last.eml"
    sizes = range(len(last) // 20, len(last), len(last) // 20)
    for size in sizes:
        file.write_bytes(last[:size])
        if read_papers(file)[0] or size == sizes[-1]:
            found = audited([*emails[:-1], last[:size]], tmp_path / str(size))
            assert (said(found.wrong), said(found.missing)) == ("", ""), size


def test_what_is_nothing_of_adjud_says_nothing(tmp_path):
    for name, text in (("a.txt", "hello"), ("b.json", "{}"), ("c.html", "<p>x"), ("d.eml", "A: b")):
        (tmp_path / name).write_text(text)
    (tmp_path / "e.eml").write_bytes(b"Message-ID: <1@x>\n\nLog of m, ply 1:\n  " + b"0" * 64)
    (tmp_path / "f.json").write_bytes(b"\xff{[")
    assert audits_of(tmp_path) == []


def test_a_report_as_json_is_compared_with_the_log(store, tmp_path):
    club = MailClub(store, tmp_path / "json")
    club.begin()
    for seat in ("white", "black", "white"):
        club.order(seat)
        club.tick()
    before = club.report("white")
    club.cancel("m", reason="x")
    last = club.report("white")

    def found(*reports):
        for number, report in enumerate(reports):
            (tmp_path / f"{number}.json").write_text(json.dumps(report))
        (one,) = audits_of(*[tmp_path / f"{n}.json" for n in range(len(reports))])
        return said(one.wrong)

    assert found(before, last) == ""
    news = [{**before["news"][0], "to": "a1"}, *before["news"][1:]]
    assert "under 'news.0.to' it says 'a1'" in found({**before, "news": news}, last)
    assert "under 'adjudicated'" in found({**before, "adjudicated": "2026-11-24T12:00:00Z"}, last)
    assert "under 'turn' it says '99'" in found({**before, "turn": 99}, last)
    assert "under 'variant'" in found({**before, "variant": "standard"}, last)
    assert sha256(b"").hexdigest() not in found(before, last)


@pytest.mark.slow
def test_emails_that_have_lost_a_part_are_noted(emails, tmp_path):
    def without_html(raw):
        email = message_from_bytes(raw)
        for part in email.walk():
            if part.is_multipart():
                kept = [one for one in part.get_payload() if one.get_content_type() != "text/html"]
                part.set_payload(kept)
        return email.as_bytes()

    reports = [n for n, raw in enumerate(emails) if kind(raw) == "report"][:2]
    kept = [without_html(raw) if n in reports else raw for n, raw in enumerate(emails)]
    found = audited(kept, tmp_path / "bare")
    assert (said(found.wrong), said(found.asks)) == ("", "")
    assert "same/absent: 2 emails have lost their HTML" in said(found.notes)


@pytest.mark.slow
def test_a_text_beside_the_emails_is_no_email_that_has_lost_its_json(emails, tmp_path):
    told = without_value(emails[-1])
    text = message_from_bytes(told, policy=policy.default).get_body(("plain",)).get_content()
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "copied.txt").write_text(text, "utf-8")
    found = audited(emails, tmp_path / "all")
    assert (said(found.wrong), said(found.asks)) == ("", "")
    assert "the words of 1 document without JSON" in said(found.uncompared)
