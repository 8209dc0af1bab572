"""An audit takes what an email says from its value, and compares the email with what that gives.

The matches are played by email and to their end, so that their logs are opened.
"""

import json
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from email import message_from_bytes, policy
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.core.message import tell
from adjudicator.service.audit import emailed
from adjudicator.service.audit.verdicts import AuditVerdict
from tests import values
from tests.audits import Audit, Document, Restore, ValuePaper, audit, read_papers
from tests.nightly import each_once, mostly_nightly
from tests.scale import scaled
from tests.service.cheats.forms import spelled
from tests.service.mailclub import MailClub, without_value
from tests.service.test_email_values import Sent, played
from tests.values import EmailValue, looking_back, write

pytestmark = [pytest.mark.usefixtures("skeleton"), pytest.mark.slow]

_SENT: dict[str, list[Sent]] = {}
_ANSWERS: dict[str, list[bytes]] = {}  # the emails without a report, which have none yet


GAMES_SENT = ("espionage", "spion told once", "spies", "goofspiel")
# An audit knows no game: an honest match of each agrees every day, and one is spoiled.
ONE_GAME = pytest.mark.parametrize(
    "emails", mostly_nightly(GAMES_SENT, every_day=("espionage",)), indirect=True
)


@pytest.fixture(params=GAMES_SENT)
def emails(request, store, tmp_path, monkeypatch) -> list[Sent]:
    """Return the emails with a report to the first seat."""
    if request.param not in _SENT:
        club = MailClub(store, tmp_path / "spool")
        every = played(request.param, club, monkeypatch)
        seat = next(iter(every[0].value.told.players))  # the others resign at the end
        mine = [one for one in every if one.value.to.seat == seat]
        reports = {one.raw for one in every}
        reader = message_from_bytes(mine[0].raw)["To"]
        others = [raw for _, _, raw in club.way.letters if raw not in reports]
        _SENT[request.param] = mine
        _ANSWERS[request.param] = [raw for raw in others if message_from_bytes(raw)["To"] == reader]
    for number, raw in enumerate(_ANSWERS[request.param]):
        (tmp_path / f"answer-{number:02}.eml").write_bytes(raw)
    return _SENT[request.param]


def with_value(raw: bytes, told: EmailValue) -> bytes:
    return attached(raw, values.to_json(told))


def attached(raw: bytes, text: str) -> bytes:
    """Return an email with this in the place of its JSON."""
    email = message_from_bytes(raw, policy=policy.SMTP)
    if not email.is_multipart():
        email.make_mixed()
    kept = [part for part in email.iter_parts() if part.get_content_type() != "application/json"]
    email.set_payload(kept)
    email.add_attachment(
        text.encode(),
        maintype="application",
        subtype="json",
        filename="m-1.adjud.json",
        cte="quoted-printable",
    )
    return email.as_bytes()


def kept(folder: Path, emails: Sequence[Sent]) -> list[Path]:
    """Keep emails with their values."""
    files = []
    for number, one in enumerate(emails):
        files.append(folder / f"{number:02}.eml")
        files[-1].write_bytes(with_value(one.raw, one.value))
    return files


def audited(files: Sequence[Path]) -> Audit:
    answers = sorted(files[0].parent.glob("answer-*.eml"))
    papers, unread, _ = read_papers(*files, *answers)
    assert unread == []
    [found] = audit(papers)
    return found


def answers(folder: Path) -> int:
    """Return how many answers from seats were kept there, which have their values, too."""
    kept = (path.read_bytes() for path in folder.glob("answer-*.eml"))
    return sum(b'filename="m-' in raw for raw in kept)


def told(messages: Sequence[object]) -> list[str]:
    return [tell(one) for one in messages]


def test_an_honest_match_of_emails_with_values_agrees(emails, tmp_path):
    found = audited(kept(tmp_path, emails))
    assert (told(found.wrong), told(found.asks), found.exit_code) == ([], [], 0)
    assert f"{len(emails) + answers(tmp_path)} emails, all that they say" in told(found.checked)
    assert any("replayed by the rules" in one for one in told(found.checked))
    assert not any("absent" in one for one in told(found.notes))


def changed(raw: bytes, change: Callable[[str], str]) -> bytes:
    """Change the plain text of an email."""
    email = message_from_bytes(raw, policy=policy.SMTP)
    [part] = [one for one in email.walk() if one.get_content_type() == "text/plain"]
    text = part.get_content().replace("\r\n", "\n")
    assert change(text) != text
    part.set_content(change(text), cte="quoted-printable")
    return email.as_bytes()


@ONE_GAME
def test_a_text_that_is_not_what_its_value_gives_contradicts(emails, tmp_path):
    files = kept(tmp_path, emails)
    raw = files[1].read_bytes()
    files[1].write_bytes(changed(raw, lambda text: text.replace("\n\n", "\n\nAnna left.\n\n", 1)))
    found = audited(files)
    assert found.exit_code == 1
    [one] = told(found.wrong)
    assert one.startswith("same/differs: ")
    assert "Anna left." in one
    assert str(files[1]) in one


@ONE_GAME
def test_words_around_an_email_are_asked_about_unless_all_have_them(emails, tmp_path):
    files = kept(tmp_path, emails)
    banner = "Sent by a stranger. Incident 4711."
    files[1].write_bytes(changed(files[1].read_bytes(), lambda text: f"{banner}\n\n{text}"))
    found = audited(files)
    assert found.exit_code == 3
    assert [f"'{banner}'" in one for one in told(found.asks)] == [True]
    assert told(found.asks)[0].startswith("same/framed: ")
    if len(files) < 5:
        return
    for number, (one, file) in enumerate(zip(emails, files, strict=True)):
        raw = with_value(one.raw, one.value)
        framed = f"Sent by a stranger. Incident {number}.\n\n"
        file.write_bytes(changed(raw, lambda text, framed=framed: f"{framed}{text}"))
    found = audited(files)
    assert found.exit_code == 0
    framed = [one for one in told(found.notes) if "same/framed" in one]
    assert len(framed) == 1
    assert f"and {len(files) - 5} more" in framed[0] or len(files) == 5


@ONE_GAME
@pytest.mark.parametrize(("domain", "is_signed"), [("clubs.example", True), ("x.example", False)])
def test_it_is_told_that_the_club_signed_an_email_with_these_words(
    emails, tmp_path, domain, is_signed
):
    files = kept(tmp_path, emails)
    raw = changed(files[1].read_bytes(), lambda text: f"Vote for me.\n\n{text}")
    email = message_from_bytes(raw, policy=policy.SMTP)
    email.replace_header("From", "adjud <club@mail.clubs.example>")
    whole = email.as_bytes()
    body = whole.partition(b"\r\n\r\n")[2].rstrip(b"\r\n") + b"\r\n"
    digest = b64encode(sha256(body).digest()).decode()
    signature = f"DKIM-Signature: v=1; a=rsa-sha256; d={domain}; bh={digest}; b=x\r\n"
    files[1].write_bytes(signature.encode() + whole)
    [asked] = told(audited(files).asks)
    assert asked.startswith("same/framed: ")
    assert ("It left the club's server like this" in asked) == is_signed


@ONE_GAME
@pytest.mark.parametrize("draws", [True, False])
def test_all_pictures_are_asked_about_at_once_or_not_compared(emails, tmp_path, monkeypatch, draws):
    papers = read_papers(*kept(tmp_path, emails[:2]))[0]
    drawn = [replace(paper, picture=b"a lie") for paper in papers]
    if not draws:
        monkeypatch.setitem(sys.modules, "resvg_py", None)
    [found] = emailed.compare_pictures(drawn)
    assert found.verdict is (AuditVerdict.ASKS if draws else AuditVerdict.UNCOMPARED)
    assert tell(found.told).startswith("same/picture: 2 pictures" if draws else "2 pictures")
    assert not [*emailed.compare_pictures(papers)]


@ONE_GAME
def test_a_style_of_somebody_is_asked_about(emails, tmp_path):
    files = kept(tmp_path, emails)
    number = next(n for n, one in enumerate(emails) if one.value.kind == "report")
    email = message_from_bytes(files[number].read_bytes(), policy=policy.SMTP)
    [part] = [one for one in email.walk() if one.get_content_type() == "text/html"]
    styled = part.get_content().replace("</head>", "<style>p{color:white}</style></head>")
    related = part.get_content_type()
    part.set_content(styled, subtype="html", cte="quoted-printable")
    files[number].write_bytes(email.as_bytes())
    assert related == "text/html"
    found = audited(files)
    assert found.exit_code == 3
    assert [one.startswith("same/restyled: ") for one in told(found.asks)] == [True]


@ONE_GAME
def test_of_lines_that_a_server_breaks_in_all_emails_one_question_is_asked(emails, tmp_path):
    files = kept(tmp_path, emails)
    for file in files:
        raw = changed(file.read_bytes(), lambda text: text if text[:1] in "<{" else broken(text))
        file.write_bytes(raw)
    found = audited(files)
    assert found.exit_code == 3
    [asked] = told(found.asks)
    assert asked.startswith(f"same/respaced: {files[0]}")
    assert "blanks or lines of their text" in asked


def broken(text):
    """Return a text of which a line that is not too long is broken."""
    words = next(line for line in text.split("\n") if len(line.split()) > 2 and len(line) < 40)
    return text.replace(words, words.replace(" ", "\n", 1), 1)


@ONE_GAME
def test_a_value_that_the_log_contradicts_is_named(emails, tmp_path):
    """The email is written from the value that lies, so both agree."""
    number = next(
        n
        for n, one in enumerate(emails)
        if one.value.kind == "report" and one.value.report["phase"] == "play"
    )
    one = emails[number]
    lie = {**one.value.report, "turn": one.value.report["turn"] + 1}
    lying = replace(one.value, report=lie)
    forms = write(lying, looking_back(lying, [each.value for each in emails[:number]]))
    email = message_from_bytes(one.raw, policy=policy.SMTP)
    del email["Subject"]
    email["Subject"] = forms.subject
    for part in [*email.walk()]:
        if part.get_content_type() == "text/plain":
            part.set_content(forms.text, cte="quoted-printable")
        elif part.get_content_type() == "text/html":
            part.set_content(forms.html, subtype="html", cte="quoted-printable")
        elif (name := part.get_filename()) and forms.page:
            part.set_content(
                forms.page.encode(),
                maintype="application",
                subtype="octet-stream",
                filename=name,
                cte="base64",
            )
    files = kept(tmp_path, emails)
    files[number].write_bytes(with_value(email.as_bytes(), lying))
    found = audited(files)
    assert found.exit_code == 1
    assert not any("same/" in one for one in told(found.wrong))
    assert any("by the log" in one or "do not agree" in one for one in told(found.wrong))


@ONE_GAME
def test_a_value_alone_and_a_forwarded_email_are_read(emails, tmp_path):
    files = kept(tmp_path, emails)
    alone = tmp_path / "alone.adjud.json"
    alone.write_text(values.to_json(emails[1].value))
    forwarded = message_from_bytes(
        b"Subject: Fwd\r\nMessage-ID: <x@example.org>\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: text/plain\r\n\r\nLook.\r\n",
        policy=policy.SMTP,
    )
    forwarded.add_attachment(message_from_bytes(files[2].read_bytes(), policy=policy.SMTP))
    files[2].write_bytes(forwarded.as_bytes())
    found = audited([files[0], alone, *files[2:]])
    assert (told(found.wrong), told(found.asks)) == ([], [])
    assert [str(alone) in one for one in told(found.uncompared) if "only its JSON" in one] == [True]
    compared = len(emails) - 1 + answers(tmp_path)
    assert f"{compared} emails, all that they say" in told(found.checked)


@ONE_GAME
def test_an_email_that_has_lost_its_value_is_asked_about(emails, tmp_path):
    files = kept(tmp_path, emails)
    number = [n for n, one in enumerate(emails) if one.value.kind == "report"][-2]
    files[number].write_bytes(without_value(emails[number].raw))
    found = audited(files)
    asked = [one for one in told(found.asks) if one.startswith("same/no value: ")]
    assert len(asked) == 1
    assert found.exit_code == 3


@ONE_GAME
def test_a_value_that_somebody_has_changed_is_asked_about(emails, tmp_path):
    files = kept(tmp_path, emails)
    number = next(n for n, one in enumerate(emails) if one.value.kind == "report")
    text = values.to_json(emails[number].value).replace('"ply":', '"ply": ', 1)
    files[number].write_bytes(attached(emails[number].raw, text))
    found = audited(files)
    assert any("it is not as adjud wrote it" in one for one in told(found.asks))
    assert told(found.wrong) == []
    assert found.exit_code == 3


def with_json(folder: Path, raw: bytes, said: object) -> Path:
    """Keep an email whose JSON is this, as adjud would spell it."""
    file = folder / "made-up.eml"
    file.write_bytes(attached(raw, spelled(said)))
    return file


def nested(times: int) -> object:
    found: object = "x"
    for _ in range(times):
        found = [found]
    return found


def opened_otherwise(said: dict[str, Any]) -> None:
    opened = [one for one in said["report"]["commitments"] if one.get("opened")]
    opened[0]["opened"] = "11" * 32


MADE_UP: dict[str, Callable[[dict[str, Any]], object]] = {
    "an unknown key": lambda said: said.update(actions=[]),
    "an unknown key in the report": lambda said: said["report"].update(actions=[]),
    "another type": lambda said: said.update(n="one"),
    "another type in the report": lambda said: said["report"].update(turn="one"),
    "no report": lambda said: said.update(report=None),
    "a report without its ply": lambda said: said["report"].pop("ply"),
    "a number that nobody has": lambda said: said.update(n=10**12),
    "depth": lambda said: said["report"].update(view=nested(300)),
    "a seat that is none": lambda said: said["report"].update(seat="nobody"),
    "a zone that is none": lambda said: said.update(zone="Mars/Olympus"),
    "a language that is none": lambda said: said.update(language="xx"),
    "a sentence with a hole": lambda said: said["with"].update(
        told=[{"text": "{a.b} {x}", "values": {}, "plural": None}]
    ),
    "another number than was promised": opened_otherwise,
}


@pytest.mark.parametrize(("emails", "how"), each_once(GAMES_SENT, [*MADE_UP]), indirect=["emails"])
def test_a_value_from_which_no_email_follows_contradicts(emails, tmp_path, how):
    """Whatever a club makes up is a finding, and no fault of the program."""
    one = [each for each in emails if each.value.report is not None][-1]
    said = json.loads(values.to_json(one.value))
    if how == "another number than was promised" and not any(
        each.get("opened") for each in said["report"]["commitments"]
    ):
        pytest.skip("this game opens nothing else")
    MADE_UP[how](said)
    papers, unread, unused = read_papers(with_json(tmp_path, one.raw, said))
    assert (unread, unused) == ([], [])
    [found] = audit(papers)
    assert found.exit_code == 1
    assert any("made-up.eml" in wrong for wrong in told(found.wrong))


def leaves(said: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    keys = said if isinstance(said, dict) else range(len(said)) if isinstance(said, list) else ()
    for key in keys:
        yield (*at, key)
        yield from leaves(said[key], (*at, key))


def test_nothing_that_stands_in_a_value_ends_an_audit(emails, tmp_path):
    one = [each for each in emails if each.value.report is not None][-1]
    said = json.loads(values.to_json(one.value))
    rng = Random("made up")
    for place in rng.sample([*leaves(said)], scaled(12)):
        spoiled = json.loads(json.dumps(said))
        inside = spoiled
        for key in place[:-1]:
            inside = inside[key]
        before = inside[place[-1]]
        inside[place[-1]] = rng.choice([None, -1, 10**30, "{x}", [], {}, [[]], True])
        if before == inside[place[-1]] or place[:1] == ("to",):
            continue
        papers, _, _ = read_papers(with_json(tmp_path, one.raw, spoiled))
        [found] = audit(papers)
        assert found.exit_code in (1, 3) or place[0] in ("n", "before", "skipped"), place


@ONE_GAME
def test_a_page_whose_earlier_emails_are_lost_is_compared_in_what_it_tells_of_now(emails, tmp_path):
    """When the log is opened, the earlier turns are compared with that."""
    number = max(n for n, one in enumerate(emails[:-1]) if len(one.past) > 1)
    files = kept(tmp_path, emails)
    found = audited([files[0], *files[number:-1]])
    assert found.wrong == []
    assert any("earlier turns" in one for one in told(found.uncompared))
    found = audited([files[0], *files[number:]])
    assert found.wrong == []
    assert not any("earlier turns" in one for one in told([*found.uncompared, *found.asks]))
    email = message_from_bytes(files[number].read_bytes(), policy=policy.SMTP)
    [page] = [one for one in email.walk() if (one.get_filename() or "").endswith(".html")]
    octets = page.get_content()
    text = octets if isinstance(octets, bytes) else octets.encode()
    spoiled = text.replace(b"</h1>", b" lost</h1>", 1)
    assert spoiled != text
    page.set_content(
        spoiled, maintype="application", subtype="octet-stream", filename="x.html", cte="base64"
    )
    files[number].write_bytes(email.as_bytes())
    found = audited([files[0], *files[number:]])
    [wrong] = told(found.wrong)
    assert wrong.startswith("same/differs: ")
    assert "its page says" in wrong


def numbered(
    n: int, before: str | None, *, skipped: Sequence[int] = (), epoch: str = "a"
) -> EmailValue:
    return EmailValue(
        adjud="0.3.0",
        label=values.LABEL,
        n=n,
        before=before,
        skipped=tuple(skipped),
        kind="notice",
        part=False,
        to=values.Addressee(match="m", seat=Seat("red"), epoch=epoch),
        at="2026-11-21T18:00:00Z",
        language="en",
        zone="UTC",
        club=values.ClubLines(name="", reach=None, site=""),
    )


digest = values.digest_of


def chained(*changes: Callable[[list[EmailValue]], list[EmailValue]]) -> list[str]:
    """Return what is found in four emails, of which the third was never sent."""
    first = numbered(1, None)
    second = numbered(2, digest(first))
    fourth = numbered(4, digest(second), skipped=(3,))
    emails = [first, second, fourth]
    for change in changes:
        emails = change(emails)
    valued = [(Document(name=f"email {n}", match="m"), one) for n, one in enumerate(emails)]
    return [f"{one.verdict.value}: {tell(one.told)}" for one in emailed.numbers(valued)]


def test_the_numbers_of_emails_to_a_seat_are_a_chain():
    assert chained() == []
    assert chained(lambda texts: [texts[0], texts[2]]) == [
        "remark: n/missing: of the emails to red these are not among your files: 2"
    ]
    other = numbered(2, digest(numbered(1, "x")))
    [wrong, also] = chained(lambda texts: [texts[0], other, texts[2]])
    assert wrong.startswith("contradicts: n/before: email 1 has another fingerprint of email 1")
    assert also.startswith("contradicts: n/before: email 2 has another fingerprint of email 2")
    assert any("n/twice" in one for one in chained(lambda texts: [*texts, other]))
    restored = numbered(3, digest(numbered(2, digest(numbered(1, None)))), epoch="b")
    assert chained(lambda texts: [*texts[:2], restored]) == []
    assert chained(lambda texts: [*texts, restored]) == []


def test_an_epoch_of_which_no_restore_tells_is_asked_about():
    emails = [numbered(1, None), numbered(2, "x"), numbered(2, "y", epoch="b")]
    papers = [Document(name=f"email {n}", match="m") for n in range(3)]
    valued = [*zip(papers, emails, strict=True)]
    (asked,) = emailed.unknown_epochs(papers, valued)
    assert asked.judged_by == "n/epoch"
    assert tell(asked.told).startswith("n/epoch: email 2 is of epoch b, and none of your emails")
    restored = Restore(3, "a", "b")
    assert [*emailed.unknown_epochs(papers, valued, [restored])] == []
    told = replace(papers[2], restores=(restored,))
    assert [*emailed.unknown_epochs([*papers[:2], told], valued)] == []
    (other,) = emailed.unknown_epochs(papers, valued, [Restore(3, "a", "c")])
    assert "email 2" in tell(other.told)


HOLDER_AFTER = {
    epoch: values.Addressee(match="m", seat=Seat("red"), tenure=2, epoch=epoch) for epoch in "be"
}


def test_a_restore_before_a_player_got_the_seat_is_nothing_that_he_was_told():
    """His emails are all of one epoch; those to the one before him are of another."""
    later = [replace(numbered(n, None, epoch="b"), to=HOLDER_AFTER["b"]) for n in (1, 2)]
    valued = [(Document(name=f"email {n}", match="m"), one) for n, one in enumerate(later)]
    earlier = [(Document(name="first", match="m"), numbered(1, None))]
    for restores in ([], [Restore(3, "b", "c")], [Restore(3, "c", "d")]):
        assert [*emailed.unknown_epochs([], [*earlier, *valued], restores)] == []
    stray = (Document(name="stray", match="m"), replace(numbered(3, None), to=HOLDER_AFTER["e"]))
    (asked,) = emailed.unknown_epochs([], [*earlier, *valued, stray])
    assert "stray is of epoch e" in tell(asked.told)


def test_another_epoch_of_emails_to_a_player_alone_is_asked_about():
    def to_player(n: int, before: str | None, epoch: str) -> EmailValue:
        to = values.Addressee(player=7, epoch=epoch)
        return replace(numbered(n, before), to=to)

    def asked(*emails: EmailValue) -> list[str]:
        papers = [
            Document(name=f"email {n}", match="", is_personal=True, value=ValuePaper(one, None))
            for n, one in enumerate(emails, 1)
        ]
        return [tell(one.told) for one in emailed.personal(papers)]

    first = to_player(1, None, "a")
    assert asked(first, to_player(2, digest(first), "b")) == []
    [told] = asked(first, to_player(2, digest(to_player(1, None, "b")), "b"))
    assert told.startswith("n/epoch: email 2 is of epoch b and has another fingerprint of email 1")
