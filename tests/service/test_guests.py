"""A player invites somebody who is no member (club, 6.2)."""

import re
from datetime import timedelta
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
import sqlalchemy as sa
from msgspec import structs

from adjudicator.mail.address import GuestAddress, read_address
from tests.club import MONDAY, Paths
from tests.database import player_at
from tests.service.mailclub import POST, MailClub
from tests.service.programs import gmail, outlook

DAY = timedelta(days=1)
TOM = "tom@home.example"
INVITED = re.compile(r"adjud\+f\.[a-z2-7]{16}@play\.example\.org")


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.context = structs.replace(club.context, club="The Friday Club", game_master="Gerda")
    club.add("Anna", "Bob")
    return club


def text(email):
    return email.get_body(("plain",)).get_content().replace("\r\n", "\n")


def said(email):
    return " ".join(text(email).split())


def rows(club, statement):
    with club.store.reading() as tx:
        return [tuple(row) for row in tx.execute(sa.text(statement))]


def invite(club, line="INVITE FRIEND TO espionage", name="Anna", now=MONDAY):
    """Let a player invite a friend; return the answer, and the address to hand on."""
    club.say(name, line, at=now)
    (answer,) = [one for one in club.run_tick(now) if name.lower() in str(one["To"])]
    found = INVITED.search(text(answer))
    return answer, found and found[0]


def write(club, to, *lines, sender=TOM, now=MONDAY, **headers):
    club.write("white", *(lines or ("I'd like to play!",)), sender=sender, to=to, at=now, **headers)
    return club.run_tick(now)


def code_in(email):
    return said(email).partition("CONFIRM ")[2][:6]


def statuses(club):
    return [status for (status,) in rows(club, "SELECT status FROM guest ORDER BY id")]


@pytest.mark.parametrize("line", ["INVITE FRIEND TO espionage", f"INVITE {TOM} TO espionage"])
def test_a_friend_writes_first_is_asked_once_and_plays(club, line):
    answer, door = invite(club, line)
    assert answer["Subject"] == "[adjud] Please forward this to your friend"
    assert "The club writes to nobody who has not written to it" in said(answer)
    assert TOM not in answer.as_string()
    assert isinstance(read_address(POST, door), GuestAddress)
    link = next(line for line in text(answer).split("\n") if line.startswith("mailto:"))
    assert unquote(urlsplit(link).path) == door
    assert parse_qs(urlsplit(link).query)["subject"] == ["I'd like to play Espionage with Anna"]
    (asked,) = write(club, door)
    assert asked["Subject"] == "[adjud] Was it you? Please confirm your address"
    assert (asked["To"], asked["Reply-To"]) == (TOM, door)
    assert "to play Espionage with Anna. Was it you?" in said(asked)
    emails = write(club, door, *gmail(["Yes!"], text(asked)))
    told = {str(one["To"]): one for one in emails if one["X-Adjud"] == "notice"}
    assert "tom has accepted your invitation" in said(told["anna@example.org"])
    assert {str(one["To"]) for one in emails if one["X-Adjud"] == "report"} == {
        "Anna <anna@example.org>",
        f"tom <{TOM}>",
    }
    assert rows(club, "SELECT status, address, name, expires_at FROM guest") == [
        ("accepted", None, "", None)
    ]
    # Nothing but the match is left of it, and the address is used up.
    assert write(club, door, "Me too!", sender="eve@evil.example")[0]["X-Adjud"] == "receipt"
    assert rows(club, "SELECT count(*) FROM player") == [(3,)]


def test_only_who_reads_the_address_can_confirm_and_nobody_is_written_to_twice(club):
    _, door = invite(club)
    (asked,) = write(club, door)
    code = code_in(asked)
    assert write(club, door, f"CONFIRM {code}", sender="eve@evil.example") == []
    assert write(club, door) != []  # words: he is told once a day
    assert write(club, door, "Really, I would like to") == []
    for number in range(5):
        assert write(club, door, f"CONFIRM AAAAA{number}") == []
    assert statuses(club) == ["void"]
    (ended,) = write(club, door, f"CONFIRM {code}", now=MONDAY + DAY)
    assert "This invitation has ended" in said(ended)
    assert rows(club, "SELECT count(*) FROM player") == [(2,)]
    (told,) = club.run_tick(MONDAY + 14 * DAY)
    assert "There was no answer to your invitation" in said(told)
    assert TOM not in str(rows(club, "SELECT * FROM guest"))
    assert rows(club, "SELECT count(*) FROM outbox WHERE key LIKE 'guest/%'") == [(0,)]


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto-Submitted": "auto-replied"},
        {"Subject": "Automatic reply: I'd like to play"},
        {"Precedence": "bulk"},
        {"sender": "mailer-daemon@home.example"},
        {"sender": "adjud@play.example.org"},
    ],
)
def test_programs_open_no_door_and_no_automatic_yes_counts(club, headers):
    _, door = invite(club)
    headers = {key.replace("-", "_"): value for key, value in headers.items()}
    assert write(club, door, **headers) == []
    assert statuses(club) == ["open"]
    (asked,) = write(club, door)
    assert write(club, door, *gmail(["Yes"], text(asked)), **headers) == []
    assert rows(club, "SELECT count(*) FROM match") == [(0,)]


def test_a_member_is_asked_as_anybody_and_nobody_learns_that_he_is_one(club):
    first, door = invite(club, "INVITE bob@example.org TO espionage")
    (asked,) = write(club, door, sender="bob@example.org")
    other, another = invite(club, f"INVITE {TOM} TO espionage")
    (stranger,) = write(club, another)
    assert said(first).replace(door, "") == said(other).replace(another, "")
    assert said(asked).replace(code_in(asked), "") == said(stranger).replace(code_in(stranger), "")
    emails = write(club, door, f"CONFIRM {code_in(asked)}", sender="bob@example.org")
    assert sum(one["X-Adjud"] == "report" for one in emails) == 2
    assert rows(club, "SELECT count(*) FROM player") == [(2,)]


def test_a_no_is_silent_and_the_inviter_hears_of_it_like_of_silence(club):
    _, door = invite(club)
    (asked,) = write(club, door)
    assert write(club, door, *outlook(["No thanks"], text(asked))) == []
    assert statuses(club) == ["declined"]
    assert club.run_tick(MONDAY + 13 * DAY) == []
    (told,) = club.run_tick(MONDAY + 14 * DAY)
    _, silent = invite(club, now=MONDAY + 14 * DAY)
    (as_silent,) = club.run_tick(MONDAY + 28 * DAY)
    assert said(told) == said(as_silent)
    assert silent


def test_a_server_that_vouches_opens_the_door_at_once(club):
    club.context = structs.replace(club.context, authserv_id="mx.play.example.org")
    _, door = invite(club)
    passed = f"mx.play.example.org; dmarc=pass header.from={TOM.partition('@')[2]}"
    emails = write(club, door, Authentication_Results=passed)
    assert sum(one["X-Adjud"] == "report" for one in emails) == 2


def test_who_invites_is_limited_and_cannot_invite_himself(club):
    doors = [invite(club)[1] for _ in range(4)]
    assert [bool(door) for door in doors] == [True, True, True, False]
    assert write(club, doors[0], sender="anna@example.org") == []
    assert statuses(club) == ["open"] * 3


def test_an_unknown_door_is_passed_over(club):
    assert write(club, f"adjud+f.{'a' * 16}@play.example.org") == []


def test_a_player_who_is_erased_leaves_nothing_behind(club, tmp_path):
    _, door = invite(club)
    write(club, door)
    at = Paths(key=tmp_path / "key", spool=club.folder, config=None)
    assert [*club.erase("Anna", at=at)]
    assert TOM not in str(rows(club, "SELECT * FROM guest"))
    (ended,) = write(club, door, "CONFIRM AAAAAA", now=MONDAY + DAY)
    assert "has ended" in said(ended)
    with club.store.reading() as tx:
        assert player_at(tx, TOM) is None


def test_a_player_who_is_removed_takes_his_invitations_along(club):
    invite(club)
    club.remove("Anna")
    assert rows(club, "SELECT count(*) FROM guest") == [(0,)]


def test_by_a_clock_in_doubt_no_invitation_has_ended(club):
    club.context = structs.replace(club.context, max_gap=2 * DAY)
    _, door = invite(club)
    later = MONDAY + 20 * DAY
    (asked,) = [one for one in write(club, door, now=later) if one["To"] == TOM]
    assert statuses(club) == ["asked"]
    write(club, door, f"CONFIRM {code_in(asked)}", now=later)
    assert statuses(club) == ["accepted"]


def test_what_cannot_be_read_of_an_invitation_stops_nobody_else(club):
    club.context = structs.replace(club.context, raise_faults=False)
    _, broken = invite(club)
    _, door = invite(club, name="Bob")
    with club.store.transaction() as tx:
        tx.execute(sa.text("UPDATE guest SET planned = 'garbage' WHERE id = 1"))
    write(club, broken)
    (asked,) = [one for one in write(club, door, sender="ida@home.example") if "ida" in one["To"]]
    assert "Was it you?" in said(asked)
    kept = f"SELECT status, raw IS NOT NULL FROM letter WHERE recipient = '{broken}'"
    ((status, is_kept),) = rows(club, kept)
    assert status in ("received", "stuck")  # it is read again, at last when the operator says so
    assert is_kept
