"""No email within the limits costs much more work than an ordinary one.

Work is counted, in lines looked at and lines parsed.
"""

from collections.abc import Iterator, Mapping

import pytest

from adjudicator.core import orders as lines_of_orders
from adjudicator.core.orders import MOST_ORDERS
from adjudicator.games.espionage.orders import parse as espionage
from adjudicator.games.spion.orders import parse as spion
from adjudicator.mail.address import bounce_address, public_address
from adjudicator.mail.read import bounces, mime
from adjudicator.mail.read.email import body_of
from adjudicator.mail.read.mime import read_head
from tests.club import gather
from tests.inside import inbox, parsed_email, routing
from tests.nightly import each_once, mostly_nightly
from tests.service.mailclub import POST, MailClub
from tests.service.spionclub import SpionClub, text_of
from tests.worst_emails import PLACES, TEXT, filled, plain

LOOKS = 16  # at each line
PARSES = 3 * MOST_ORDERS  # of lines: those of the sheet, and some beside it, by each game


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool").opened("deadline=every 3 days")


class Work:
    """The work that was done: `looks` at lines, `parses` of lines, each line counted once a
    game."""

    def __init__(self) -> None:
        self.looked = (lines_of_orders._kept_clean, lines_of_orders._kept_said)
        self.parsed = (espionage._steps, spion._orders)
        for cached in (*self.looked, *self.parsed):
            cached.cache_clear()

    @property
    def looks(self) -> int:
        return sum(cached.cache_info().hits + cached.cache_info().misses for cached in self.looked)

    @property
    def parses(self) -> int:
        return sum(cached.cache_info().misses for cached in self.parsed)


SHAPES = {
    "press without its end": "press to b",
    "press that swallows all": "PRESS TO b",
    "letters": "a",
    "squares": "d3",
    "orders": "d3-d4",
    "many orders a line": "d3-d4," * 30,
    "different words": None,
    "heads": "ORDERS m white",
    "set-ups": "General a2, " * 60,
    "goals": "MOVE " + "a1, " * 95,
    "commands written wrongly": "HELP ME NOW",
}


@pytest.mark.parametrize(("shape", "place"), each_once([*SHAPES], [*PLACES]))
def test_each_line_is_looked_at_a_few_times_and_few_are_parsed(club, shape, place):
    line = SHAPES[shape]
    text = filled(line, TEXT) if line else "\n".join(f"{n:x}" for n in range(9_990))
    raw = plain(PLACES[place](text))
    club.post(raw, club.address("white"), "anna@example.org")
    work = Work()
    (answer,) = [email for email in club.run_tick() if email["To"].startswith("Anna")]
    assert work.looks < LOOKS * raw.count(b"\n") + 10_000
    assert work.parses <= PARSES
    assert len(answer.get_body(("plain",)).get_content()) < 20_000


def test_spion_reads_no_more_lines_than_a_sheet_may_have(store, tmp_path):
    club = SpionClub(store, tmp_path / "spool")
    club.begin(players=4)
    seat = club.loaded().awaited[0]
    text = "\n".join(f"MOVE {'a1, ' * 20}b{n}" for n in range(700))
    club.write(seat, f"ORDERS m {seat}", text, "END", sender=club.mailbox(seat))
    work = Work()
    (answer,) = club.run_tick()
    assert work.parses == 0
    told = " ".join(text_of(answer).split())
    assert "700 lines of orders are too many; at most 200 are allowed" in told


# The same for other games and addresses.

ASKED = {
    "commands": "HELP",
    "seats asked for": "JOIN m",
    "nonsense asked for": "JOIN x y",
    "codes": "CONFIRM AAAA",
    "a command each": "HELP\nGAMES\nPING\nLANGUAGE nb\nZONE UTC",
}


def bodies(shapes: Mapping[str, str | None], place: str) -> Iterator[bytes]:
    """Yield an email of each form, with a Message-ID of its own."""
    for n, line in enumerate(shapes.values()):
        text = filled(line, TEXT) if line else "\n".join(f"{n:x}" for n in range(9_990))
        yield plain(PLACES[place](text)).replace(b"<worst@", b"<worst%d@" % n)


def work_of(club: MailClub, raw: bytes, to: str, sender: str) -> Work:
    club.post(raw, to, sender)
    work = Work()
    club.run_tick()
    return work


@pytest.mark.slow
@pytest.mark.parametrize("place", mostly_nightly(PLACES, every_day=["quoted"]))
def test_so_is_an_email_to_a_seat_of_spion(store, tmp_path, place):
    club = SpionClub(store, tmp_path / "spool")
    club.begin(players=4)
    seat = club.loaded().awaited[0]
    sender = club.mailbox(seat)
    for raw in bodies({**SHAPES, **ASKED}, place):
        raw = raw.replace(b"anna@example.org", sender.encode(), 1)
        work = work_of(club, raw, club.address(seat), sender)
        assert work.looks < LOOKS * raw.count(b"\n") + 10_000
        assert work.parses <= PARSES


@pytest.mark.slow
@pytest.mark.parametrize("place", mostly_nightly(PLACES, every_day=["below a sheet"]))
def test_so_is_one_to_the_public_address_or_to_nobodys(club, place):
    addresses = (
        public_address(POST),
        club.address("white").replace("white", "black"),
        "nobody@example.net",
        bounce_address(POST, "m/0/white/report"),
    )
    for n, raw in enumerate(bodies({**SHAPES, **ASKED}, place)):
        work = work_of(club, raw, addresses[n % 4 if n >= 4 else 0], "anna@example.org")
        assert work.looks < LOOKS * raw.count(b"\n") + 10_000
        assert work.parses <= PARSES


BOUNCES = {
    "blocks": "Action: failed\n\n" * 12_000,
    "fields": "Action: failed\n" * 12_000,
    "blank lines": "\n" * 200_000,
    "parts": "x\n--b\nContent-Type: message/delivery-status\n\nAction: failed\n" * 3_000,
    "originals": "x\n--b\nContent-Type: message/rfc822\n\nA: b\n" * 4_000,
}


@pytest.mark.parametrize("shape", BOUNCES)
def test_few_heads_are_read_of_a_bounce(club, monkeypatch, shape):
    """A few blocks are read of a report on an email, fifty parts of an email."""
    report = 'multipart/report; report-type=delivery-status; boundary="b"'
    body = f"--b\nContent-Type: message/delivery-status\n\n{BOUNCES[shape]}\n--b--\n"
    raw = f"From: x@y.example\nContent-Type: {report}\n\n{body}".encode()[:250_000]
    heads = []
    for module in (mime, bounces):
        monkeypatch.setattr(module, "read_head", lambda head: heads.append(1) or read_head(head))
    club.post(raw, bounce_address(POST, "m/0/white/report"), "<>")
    club.run_tick()
    assert 0 < len(heads) < 300


@pytest.mark.slow
def test_few_matches_are_looked_up_for_an_email_that_names_many(club, monkeypatch):
    names = [f"n{number}" for number in range(15)]
    for name in names:
        club.new(name=name)
    ours = [f"<{'a' * 16}.{name}.{'b' * 16}@{POST.domain}>" for name in names for _ in range(3)]
    tags = [POST.user + f"+{name}.white.{'a' * 16}@{POST.domain}" for name in (*names, "m")]
    seen = []
    monkeypatch.setattr(routing, "gather", lambda tx, one: seen.append(one.name) or gather(tx, one))
    head = f"References: {' '.join(ours)}", f"To: {', '.join(tags * 3)}"
    club.post(plain("SETUP RANDOM", *head), "", "anna@example.org")
    club.run_tick()
    assert len(seen) == len(set(seen))
    assert len(seen) <= 2 * routing.MOST_MATCHES
    club.post(plain("SETUP RANDOM", *head), club.address("white"), "anna@example.org")
    club.run_tick()
    assert "white" in club.loaded().sheets  # whom our own server names is among the first


def test_an_email_that_comes_very_often_is_compared_with_one(club, monkeypatch):
    compared = []
    monkeypatch.setattr(parsed_email, "body_of", lambda raw: compared.append(raw) or body_of(raw))
    for _ in range(30):
        club.post(plain("SETUP RANDOM"), club.address("white"), "anna@example.org")
    club.run_tick()
    assert club.loaded().sheets["white"].revision == 1
    assert len(compared) == 2 * 29  # itself, too


def test_and_with_a_few_of_those_that_have_one_message_id(club, monkeypatch):
    texts = [plain(f"SETUP RANDOM\n# {number}") for number in range(30)]
    for raw in texts:
        club.post(raw, club.address("white"), "anna@example.org")
    club.run_tick()
    compared = []
    monkeypatch.setattr(parsed_email, "body_of", lambda raw: compared.append(raw) or body_of(raw))
    club.post(texts[-1], club.address("white"), "anna@example.org")
    club.run_tick()
    assert club.loaded().sheets["white"].revision == 30
    assert len(compared) == 1 + inbox.MOST_SEEN


@pytest.mark.parametrize("line", ["ﷺ" * 3_999, "a ﷺ" * 1_300])
def test_a_very_long_line_does_not_grow_when_it_is_made_plain(line):
    """One such sign is a phrase of eighteen letters."""
    assert len(lines_of_orders.lookup_form(line)) <= len(line)
    assert len(lines_of_orders.lookup_form(line[:400])) > 400


# Limits are told.


def test_a_sheet_of_more_lines_than_two_hundred_is_refused_in_a_sentence(club):
    club.send("white", "SETUP RANDOM")
    sheet = ("ORDERS m white", *["d3-d4"] * (MOST_ORDERS + 1), "END")
    (receipt,) = club.submit("\n".join(sheet))
    (problem,) = receipt.problems
    assert str(problem.message) == ("201 lines of orders are too many; at most 200 are allowed")
    assert (problem.line, receipt.in_force) == (1, 1)


def test_so_is_one_of_more_orders_on_fewer_lines(club):
    sheet = ("ORDERS m white", *["d3-d4, e3-e4, f3-f4, g3-g4"] * 60, "END")
    (receipt,) = club.submit("\n".join(sheet))
    (problem,) = receipt.problems
    assert "at most 200 are allowed" in str(problem.message)


def test_a_command_beside_far_too_many_lines_is_not_obeyed(club):
    sheet = ("ORDERS m white", "NOTREADY", *["d3-d4"] * 1_000, "END")
    (receipt,) = club.submit("\n".join(sheet))
    assert not receipt.accepted
    assert not receipt.done


def test_comments_and_blank_lines_are_no_lines_of_orders(club):
    sheet = ("ORDERS m white", "SETUP RANDOM", *["# a note", ""] * 1_000, "END")
    (receipt,) = club.submit("\n".join(sheet))
    assert receipt.accepted


def test_an_email_of_very_many_lines_is_too_large(club):
    club.write("white", "ORDERS m white", "SETUP RANDOM", "END", *["hello"] * 10_000)
    (answer,) = club.run_tick()
    told = answer.get_body(("plain",)).get_content()
    assert "Your email is too large to be read as orders" in told
    assert club.loaded().sheets == {}
