"""Each email to a seat has what it says attached as JSON, numbered from 1. Nothing that comes back
with such a value is read as orders."""

import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from hashlib import sha256

import pytest
import sqlalchemy as sa

from adjudicator.mail.transport.errors import Temporary, Unreachable
from tests import values
from tests.club import MONDAY, Changes
from tests.database import tables
from tests.service.mailclub import MailClub
from tests.values import EmailValue, write

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def club(store, tmp_path):
    """Return a club of which no email has gone out."""
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new("deadline=every 5 days")
    return club


def read(raw: bytes) -> EmailMessage:
    return message_from_bytes(raw, policy=policy.default)  # type: ignore[return-value]


def attached(email: EmailMessage) -> tuple[str, bytes] | None:
    """Return the name and the content of the value that an email has."""
    for part in email.iter_attachments():
        if part.get_content_type() == "application/json":
            assert part["Content-Transfer-Encoding"] == "quoted-printable"
            content = part.get_payload(decode=True)
            assert isinstance(content, bytes)
            return str(part.get_filename()), content.replace(b"\r\n", b"\n")
    return None


def got(club: MailClub, person: str) -> list[tuple[str, EmailValue]]:
    """Return the names of the values that a person got, and the values."""
    to = f"{person.lower()}@example.org"
    emails = [read(raw) for _, reader, raw in club.way.letters if reader == to]
    found = [one for email in emails if (one := attached(email))]
    return [(name, values.read(content)) for name, content in found]


def play(club: MailClub, at) -> None:
    for seat in ("white", "black"):
        club.write(seat, f"ORDERS m {seat}", "SETUP RANDOM", "END", at=at)
    club.run_tick(at)


def test_the_values_of_a_holder_are_numbered_and_each_names_the_one_before(club):
    club.run_tick()
    club.run_tick(MONDAY + 4 * DAY)  # time for a reminder
    play(club, MONDAY + 4 * DAY + HOUR)
    later = MONDAY + 4 * DAY + 2 * HOUR
    club.announce("m", "The hall is cold.", now=later)
    club.run_tick(later)
    for person, seat in (("Anna", "white"), ("Bob", "black")):
        told = got(club, person)
        assert [name for name, _ in told] == [
            f"m-{seat}-{n}.adjud.json" for n in range(1, len(told) + 1)
        ]
        assert [one.n for _, one in told] == [*range(1, len(told) + 1)]
        texts = [values.to_json(one) for _, one in told]
        digests = [sha256(text.encode()).hexdigest() for text in texts]
        assert [one.before for _, one in told] == [None, *digests[:-1]]
        assert {one.skipped for _, one in told} == {()}
        assert {(one.to.match, one.to.seat, one.to.tenure) for _, one in told} == {("m", seat, 1)}
        assert {"report", "notice", "reminder"} <= {one.kind for _, one in told}
        assert all(text.isascii() for text in texts)


def test_two_emails_of_one_round_have_one_number_each(club):
    club.announce("m", "The hall is cold.")
    club.run_tick()
    for person in ("Anna", "Bob"):
        (_, one), (_, two) = got(club, person)
        assert (one.n, one.skipped, two.n, two.skipped) == (1, (), 2, ())
        assert two.before == values.digest_of(one)


def test_an_email_is_written_again_from_the_value_that_it_has(club):
    club.run_tick()
    club.run_tick(MONDAY + 4 * DAY)  # time for a reminder
    play(club, MONDAY + 4 * DAY + HOUR)
    seen = set()
    for _, _, raw in club.way.letters:
        email = read(raw)
        if (found := attached(email)) is None:
            continue
        value = values.read(found[1])
        forms = write(value)
        body = email.get_body(("plain",))
        assert body is not None
        text = body.get_payload(decode=True).decode().replace("\r\n", "\n")  # type: ignore[union-attr]
        assert (forms.subject, forms.text.rstrip("\n")) == (email["Subject"], text.rstrip("\n"))
        for part in email.iter_attachments():
            if str(part.get_filename()).endswith(".html"):
                page = part.get_payload(decode=True).decode().replace("\r\n", "\n")  # type: ignore[union-attr]
                element = f'<script type="application/json" id="{values.VALUE_ID}">'
                assert page.count(element) == 1
                told = page.partition(element)[2].partition("</script>")[0]
                assert told.encode() == found[1]
                seen.add("page")
        seen.add(value.kind)
    assert seen == {"report", "reminder", "receipt", "page"}


def test_an_answer_is_numbered_and_its_receipt_tells_when_the_orders_came(club):
    club.run_tick()
    club.write("white", "ORDERS m white", "SETUP RANDOM", "END", at=MONDAY + HOUR)
    club.write("white", "ORDERS m white", "SETUP NONSENSE", "END", at=MONDAY + HOUR)
    club.run_tick(MONDAY + 2 * HOUR)
    told = [one for _, one in got(club, "Anna")]
    assert [(one.n, one.kind) for one in told] == [(1, "report"), (2, "receipt"), (3, "refusal")]
    (taken,), (refused,) = [one.said.contents.receipts for one in told[1:] if one.said]
    assert (taken.accepted, taken.at) == (True, "2026-11-23T13:00:00Z")
    assert (refused.accepted, refused.at) == (False, None)


def test_what_is_sent_again_keeps_its_number(club):
    club.way.trouble = Temporary("not now")
    club.run_tick()
    club.way.trouble = None
    club.run_tick(MONDAY + HOUR)
    (told,) = [one for _, one in got(club, "Anna")]
    assert (told.n, told.before, told.skipped) == (1, None, ())
    play(club, MONDAY + 2 * HOUR)
    assert [one.n for _, one in got(club, "Anna")] == [1, 2]


def test_bytes_that_are_made_anew_and_say_the_same_keep_their_number(club):
    """Where the server cannot be reached, the bytes of what was not tried are made anew."""
    club.way.trouble = Unreachable("no way")
    club.run_tick()
    club.way.trouble = None
    club.run_tick(MONDAY + HOUR)
    for person in ("Anna", "Bob"):
        assert [(one.n, one.skipped) for _, one in got(club, person)] == [(1, ())]


def test_bytes_that_are_thrown_away_leave_their_number_to_later_values(club):
    club.way.trouble = Unreachable("no way")
    club.run_tick()
    club.way.trouble = None
    for person in ("Anna", "Bob"):
        changes = Changes(language="nb")
        club.change(person, changes, sends_mail=False)
    club.run_tick(MONDAY + HOUR)
    club.announce("m", "The hall is cold.", now=MONDAY + 2 * HOUR)
    club.run_tick(MONDAY + 2 * HOUR)
    first, second = sorted(("Anna", "Bob"), key=lambda one: got(club, one)[0][1].n or 0)
    assert [(one.n, one.skipped) for _, one in got(club, first)] == [(1, ()), (2, ())]
    assert [(one.n, one.skipped) for _, one in got(club, second)] == [(2, (1,)), (3, (1,))]
    (_, two), (_, three) = got(club, second)
    assert two.before is None
    assert three.before == values.digest_of(two)


def test_a_number_that_a_later_value_calls_skipped_is_not_given_again(club):
    club.way.trouble = Unreachable("no way")
    club.run_tick()
    (waits,) = [one for one in ("white", "black") if not has_bytes(club, f"m/0/{one}/report")]
    club.announce("m", "The hall is cold.")
    club.way.trouble = None
    with club.store.transaction() as tx:  # the notice goes first
        late = tables.outbox.c.key == f"m/0/{waits}/report"
        tx.execute(sa.update(tables.outbox).where(late).values(next_at=MONDAY + 2 * HOUR))
    club.run_tick(MONDAY + HOUR)
    club.run_tick(MONDAY + 2 * HOUR)
    told = [one for _, one in got(club, "Anna" if waits == "white" else "Bob")]
    assert [(one.kind, one.n, one.skipped) for one in told] == [
        ("notice", 2, (1,)),
        ("report", 3, (1,)),
    ]


def has_bytes(club: MailClub, key: str) -> bool:
    with club.store.reading() as tx:
        raw = tx.execute(sa.select(tables.outbox.c.raw).where(tables.outbox.c.key == key))
        return raw.scalar_one() is not None


def test_a_changed_address_gives_a_first_report_the_next_number(club):
    """It tells the reader's own address for all matches, which changes with it."""
    club.way.trouble = Temporary("not now")
    club.run_tick()
    club.way.trouble = None
    club.change("Anna", Changes(address="anna@example.net", confirmed=True), sends_mail=False)
    club.run_tick(MONDAY + HOUR)
    sent = [read(raw) for _, to, raw in club.way.letters if to == "anna@example.net"]
    (found,) = [one for email in sent if (one := attached(email))]
    told = values.read(found[1])
    assert (told.n, told.before, told.skipped) == (2, None, (1,))


def test_a_report_that_came_back_has_the_next_number_if_it_says_something_else(club):
    """Later values may name the digest of the one that came back."""
    club.run_tick()
    club.announce("m", "The hall is cold.")
    club.run_tick(MONDAY + HOUR)
    with club.store.transaction() as tx:  # as `mail queue retry` does
        sent = tables.outbox.c.key == "m/0/white/report"
        again = {"status": "waiting", "next_at": MONDAY, "raw": None}
        tx.execute(sa.update(tables.outbox).where(sent).values(**again))
    club.extend("m", 2 * DAY, now=MONDAY + HOUR)
    club.run_tick(MONDAY + 2 * HOUR)
    told = sorted((one for _, one in got(club, "Anna")), key=lambda one: one.n or 0)
    assert [one.n for one in told] == [1, 2, 3, 4]
    assert [one.before for one in told[1:]] == [values.digest_of(one) for one in told[:-1]]


def test_numbers_begin_anew_with_a_new_holder(club):
    club.add("Carl")
    club.run_tick()
    club.replace("m", "white", "Carl", sure=True)
    club.run_tick(MONDAY + HOUR)
    assert [(one.n, one.to.tenure) for _, one in got(club, "Carl")] == [(1, 2)]
    emails = [(one.n, one.to.match, one.to.player) for _, one in got(club, "Anna")]
    assert emails == [(1, "m", None), (1, "", 1)]  # the last is to no seat


# A value that comes back, as programs and people send it.


def _attached_again(raw: bytes) -> EmailMessage:
    """Return an answer with the files of the email that it answers."""
    email = EmailMessage()
    email.set_content("Here it is again.\n")
    for part in read(raw).iter_attachments():
        email.add_attachment(
            part.get_payload(decode=True),
            maintype=part.get_content_maintype(),
            subtype=part.get_content_subtype(),
            filename=part.get_filename(),
        )
    return email


def _renamed(raw: bytes) -> EmailMessage:
    """Return one whose program calls the file something else, and a text."""
    found = attached(read(raw))
    assert found is not None
    email = EmailMessage()
    email.set_content("Here it is again.\n")
    email.add_attachment(found[1].decode(), filename="orders.txt")
    return email


def _forwarded(raw: bytes) -> EmailMessage:
    email = EmailMessage()
    email.set_content("What is this?\n")
    email.add_attachment(read(raw))
    return email


def _quoted(raw: bytes) -> EmailMessage:
    found = attached(read(raw))
    assert found is not None
    email = EmailMessage()
    quoted = "".join(f"> {line}\n" for line in found[1].decode().splitlines())
    email.set_content(f"What is this?\n\n{quoted}")
    return email


def _pasted(raw: bytes) -> EmailMessage:
    found = attached(read(raw))
    assert found is not None
    email = EmailMessage()
    email.set_content(found[1].decode())
    return email


def _pasted_pretty(raw: bytes) -> EmailMessage:
    found = attached(read(raw))
    assert found is not None
    email = EmailMessage()
    email.set_content(json.dumps(json.loads(found[1]), indent=2))
    return email


def _whole(raw: bytes) -> EmailMessage:
    """Return the email of ours itself, as a rule of a program redirects it."""
    email = read(raw)
    for name in ("From", "To", "Message-ID", "X-Adjud"):
        del email[name]
    return email


BACK: Sequence[Callable[[bytes], EmailMessage]] = (
    _attached_again,
    _renamed,
    _forwarded,
    _quoted,
    _pasted,
    _pasted_pretty,
    _whole,
)


@pytest.mark.parametrize("back", BACK, ids=lambda one: one.__name__.strip("_"))
def test_a_value_that_comes_back_is_no_order(club, back):
    club.run_tick(MONDAY)
    club.write("white", "ORDERS m white", "SETUP RANDOM", "END", at=MONDAY)
    club.run_tick(MONDAY)
    before = sheets(club)
    assert before
    for number, (_, to, raw) in enumerate([*club.way.letters]):
        if to != "anna@example.org" or attached(read(raw)) is None:
            continue
        email = back(raw)
        email["From"], email["To"] = "anna@example.org", club.address("white")
        email["Message-ID"] = f"<back{number}@example.org>"
        raw = email.as_bytes(policy=policy.SMTP)
        club.post(raw, club.address("white"), "anna@example.org", MONDAY + HOUR)
    club.run_tick(MONDAY + HOUR)
    assert sheets(club) == before


def sheets(club: MailClub) -> list[object]:
    with club.store.reading() as tx:
        return [tuple(row) for row in tx.execute(sa.select(tables.submission))]
