"""Every email of the corpus from the wrong address, with a wrong tag, or with an old one.

It never becomes an order in force, and never a byte of a match goes to anybody but the addresses on
file.
"""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.service.mailclub import MailClub

EMAILS = sorted((Path(__file__).parents[1] / "mail" / "emails").glob("*.eml"))
# Words that only a report or a receipt of a match holds.
CONTENT = ("The board", "SETUP RANDOM", "Turn 0, White", "Proofs")


@pytest.fixture
def club(store, tmp_path):
    """Make a match of people who never wrote any email of the corpus."""
    club = MailClub(store, tmp_path / "spool")
    for name in ("Anna", "Bob", "Carl"):
        club.add(name, address=f"{name.lower()}@example.net")
    club.new("deadline=every 3 days")
    club.run_tick()
    return club


def post_all(club, recipient):
    """Send the corpus to one address; return what was sent for it as (to, text of the email).

    Left out is the word to a player that his orders do not go to the public address.
    """
    before = len(club.way.letters)
    for path in EMAILS:
        club.post(path.read_bytes(), recipient, "mallory@evil.example")
    club.run_tick()
    sent = [(to, raw.decode("ascii")) for _, to, raw in club.way.letters[before:]]
    astray = [one for one in sent if "Subject: [adjud] Your orders were NOT read" in one[1]]
    assert all(to == "bob@example.net" and "[m]" not in email for to, email in astray)
    assert len(astray) <= 3
    return [one for one in sent if one not in astray]


def nothing_was_lost_or_ordered(club):
    assert club.loaded().sheets == {}
    assert club.loaded().declarations == []
    assert club.loaded().match.ply == 0
    with club.store.reading() as tx:
        unread = tx.exec_driver_sql(
            "SELECT count(*) FROM letter WHERE status IN ('received', 'stuck')"
        ).scalar_one()
        kept = tx.exec_driver_sql("SELECT count(*) FROM letter").scalar_one()
    assert (unread, kept) == (0, len(EMAILS))


@pytest.mark.slow
def test_the_corpus_to_a_seat_from_the_other_player_and_from_strangers(club):
    """Most emails are from Bob, who plays Black: Anna is not shown what he wrote to her seat."""
    sent = post_all(club, club.address("white"))
    assert {to for to, _ in sent} == {"anna@example.net", "bob@example.net"}
    for to, email in sent:
        assert ("was for another" in email) == (to == "bob@example.net")
        assert not any(words in email for words in CONTENT), email
    nothing_was_lost_or_ordered(club)


@pytest.mark.parametrize(
    "recipient",
    [
        "adjud+m.white.aaaaaaaaaaaaaaaa@play.example.org",
        "adjud+m.nobody.aaaaaaaaaaaaaaaa@play.example.org",
        "adjud+other.white.aaaaaaaaaaaaaaaa@play.example.org",
        "somebody@else.example",
        "",
    ],
)
@pytest.mark.slow
def test_the_corpus_with_a_tag_that_is_not_ours(club, recipient):
    sent = post_all(club, recipient)
    assert [to for to, _ in sent] == (["gm@example.org"] if "m.white" in recipient else [])
    assert not any(words in email for _, email in sent for words in CONTENT)
    nothing_was_lost_or_ordered(club)


@pytest.mark.slow
def test_the_corpus_with_the_tag_of_another_seat(club):
    crossed = club.address("white").replace(".white.", ".black.")
    assert [to for to, _ in post_all(club, crossed)] == ["gm@example.org"]
    nothing_was_lost_or_ordered(club)


@pytest.mark.slow
def test_the_corpus_with_the_tag_of_an_old_tenure(club):
    old = club.address("white")
    club.replace("m", "white", "Carl")
    club.run_tick()
    sent = post_all(club, old)
    # The former holder is told once that he holds the seat no longer, at his address on file.
    assert [to for to, _ in sent] == ["anna@example.net"]
    assert not any(words in email for _, email in sent for words in CONTENT)
    nothing_was_lost_or_ordered(club)


BY_US = "from x (x [192.0.2.1]) by mx.play.example.org (Postfix) with ESMTPS id 1; x"
BY_OTHERS = "from laptop by mx.evil.example with ESMTPSA id 3; x"
PASS = "mx.play.example.org; dmarc=pass header.from=example.net"


def authenticated(*head):
    """Return Anna's email, below what servers wrote above it."""
    lines = (*(f"{name}: {value}" for name, value in head), "From: anna@example.net", "")
    return "\n".join((*lines, "ORDERS m white", "SETUP RANDOM", "END", "")).encode()


@pytest.mark.parametrize(
    ("head", "ordered"),
    [
        ((("Authentication-Results", PASS), ("Received", BY_US)), True),
        ((("Received", BY_US), ("Authentication-Results", PASS), ("Received", BY_OTHERS)), True),
        ((("Received", BY_US), ("Received", BY_OTHERS), ("Authentication-Results", PASS)), False),
        (
            (
                ("Authentication-Results", "mx.evil.example; dmarc=pass header.from=example.net"),
                ("Received", BY_US),
                ("Authentication-Results", PASS),
            ),
            False,
        ),
        ((("Received", BY_US),), False),
    ],
)
def test_who_writes_our_servers_verdict_himself_does_not_order(store, tmp_path, head, ordered):
    """The server wrote none, because its milter was down; or another server wrote one."""
    club = MailClub(store, tmp_path / "spool")
    club.context = replace(club.context, authserv_id="mx.play.example.org")
    club.add("Anna", address="anna@example.net")
    club.add("Bob")
    club.new("level=token+auth")
    club.run_tick()
    club.post(authenticated(*head), club.address("white"), "anna@example.net")
    (answer,) = club.run_tick()
    assert answer["X-Adjud"] == ("receipt" if ordered else "confirm")
    assert ("white" in club.loaded().sheets) == ordered
