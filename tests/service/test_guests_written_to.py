"""The club writes to somebody who is no member, if the game master allows it (club, 6.2)."""

import re
from contextlib import closing
from datetime import timedelta
from html import unescape
from itertools import count
from unittest.mock import patch
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
import sqlalchemy as sa
from msgspec import structs

from adjudicator.mail.address import bounce_address
from adjudicator.mail.transport.errors import Permanent
from tests.club import MONDAY, Paths, Refusal, use_tool
from tests.database import Clash, open_store
from tests.inside import wishes
from tests.processes import at_once
from tests.service.mailclub import POST, MailClub, said
from tests.service.programs import gmail
from tests.service.test_bounces import report_of_mail_system
from tests.service.test_guests import TOM, rows, statuses, text
from tests.service.test_restored import Lost

DAY = timedelta(days=1)
LINE = f"INVITE {TOM} TO espionage"
PASSED = "mx.play.example.org; dmarc=pass header.from=example.org"
GERDA = "gm@example.org"
ANSWERS = ("receipt", "refusal")


def prepared(club):
    """Let Anna and Bob play a match to its end in a club whose game master is asked."""
    ask_game_master(club)
    play(club)
    return club


def ask_game_master(club):
    codes = (f"CDE{n}" for n in count(200))
    club.context = structs.replace(
        club.context,
        club="The Friday Club",
        game_master="Gerda",
        authserv_id="mx.play.example.org",
        writes_outside=True,
        coder=lambda: next(codes),
    )


def play(club):
    club.add("Anna", "Bob")
    club.new("deadline=none")
    club.run_tick()
    club.send("black", "RESIGN")
    club.run_tick()


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    ask_game_master(club)
    club.brought("Black has resigned", lambda: play(club))
    return club


def to(emails, address):
    return [one for one in emails if address in str(one["To"])]


def wish(club, line=LINE, name="Anna", now=MONDAY):
    """Let a player invite; return the answer, and what the game master is asked, if he is."""
    club.say(name, line, at=now)
    emails = club.run_tick(now)
    (answer,) = [one for one in to(emails, name.lower()) if one["X-Adjud"] in ANSWERS]
    asked = to(emails, GERDA)
    return answer, asked[0] if asked else None


def code_in(email):
    return re.search(r"(?:ACCEPT|DECLINE) (\w+)", text(email))[1]


def write(club, email, *lines, sender, now=MONDAY, **headers):
    """Reply to an email; return what is sent then."""
    club.write("white", *lines, sender=sender, to=str(email["Reply-To"]), at=now, **headers)
    return club.run_tick(now)


def allow(club, asked, now=MONDAY, word="ACCEPT", **headers):
    headers = {"Authentication_Results": PASSED, "sender": GERDA, **headers}
    return write(club, asked, f"{word} {code_in(asked)}", now=now, **headers)


def sent(club, line=LINE, name="Anna", address=TOM, now=MONDAY):
    """Let the club write to a friend; return the email."""
    _, asked = wish(club, line, name, now)
    (email,) = to(allow(club, asked, now), address)
    return email


def kept(club):
    """Return all that is kept of guests and of emails to them or about them."""
    emails = "SELECT body, address, raw FROM outbox WHERE key LIKE 'guest/%'"
    return str([rows(club, one) for one in ("SELECT * FROM guest", emails)])


def test_a_friend_is_written_to_once_and_plays(club):
    answer, asked = wish(club)
    assert answer["Subject"] == "[adjud] The game master is asked about your invitation"
    assert TOM not in answer.as_string()
    assert asked["Subject"] == "[adjud] May the club write to a friend of Anna?"
    assert f"asks the club to write there: {TOM} If you allow it" in said(asked)
    emails = allow(club, asked)
    (told,) = to(emails, GERDA)
    assert (told["X-Adjud"], f"The club writes to {TOM}." in said(told)) == ("receipt", True)
    (email,) = to(emails, TOM)
    assert email["Subject"] == "Anna invites you to play Espionage"
    assert email["Auto-Submitted"] == "auto-generated"
    assert email["Reply-To"] != asked["Reply-To"]
    code = code_in(email)
    assert code != code_in(asked)
    assert email["List-Unsubscribe"] == (
        f"<mailto:{email['Reply-To']}?subject=DECLINE%20{code}&body=DECLINE%20{code}%0D%0A>"
    )
    raws = b"".join(raw for _, _, raw in club.way.letters)
    assert b"\r\nList-Unsubscribe: <mailto:adjud+f." in raws
    page = email.get_body(("html",)).get_content()
    assert "Yes, I&#39;ll play" in page or "Yes, I'll play" in page
    assert "http" not in page.replace("http-equiv", "")
    assert "Anna plays by email at The Friday Club and invites you" in said(email)
    emails = write(club, email, *gmail(["Yes!"], text(email)), sender=TOM)
    assert sum(one["X-Adjud"] == "report" for one in emails) == 2
    assert any("tom has accepted your invitation" in said(one) for one in emails)
    assert statuses(club) == ["accepted"]
    assert TOM not in kept(club)


def press(club, email, number, sender, **headers):
    """Send what a button of an email sends: the first is its yes, the second its no."""
    page = email.get_body(("html",)).get_content()
    link = urlsplit(unescape(re.findall(r'href="(mailto:[^"]*)"', page)[number]))
    asked = parse_qs(link.query)
    club.write("white", *asked["body"][0].splitlines(), sender=sender, to=unquote(link.path),
               Subject=asked["subject"][0], **headers)  # fmt: skip
    return club.run_tick()


@pytest.mark.parametrize("number", [0, 1])
def test_each_button_sends_what_is_taken_as_it_is(club, number):
    _, asked = wish(club)
    emails = press(club, asked, number, GERDA, Authentication_Results=PASSED)
    assert bool(to(emails, TOM)) == (number == 0)
    email = sent(club, name="Bob") if number else to(emails, TOM)[0]
    press(club, email, number, TOM)
    assert statuses(club)[-1] == ("declined" if number else "accepted")


@pytest.mark.parametrize(
    ("language", "yes", "told"),
    [
        ("nb", "Ja takk!", "inviterer deg til et parti Spionasje"),
        ("sv", "Ja gärna!", "bjuder in dig till ett parti Spionage"),
    ],
)
def test_the_email_speaks_the_players_language(club, language, yes, told):
    with club.store.transaction() as tx:
        tx.execute(sa.text("UPDATE player SET language = :l"), {"l": language})
    _, asked = wish(club)
    assert asked["Subject"] == "[adjud] May the club write to a friend of Anna?"
    (email,) = to(allow(club, asked), TOM)
    assert told in said(email)
    assert told.split()[-1] in email["Subject"]
    emails = write(club, email, *gmail([yes], text(email)), sender=TOM)
    assert sum(one["X-Adjud"] == "report" for one in emails) == 2


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({"Authentication_Results": "mx.evil.example; dmarc=pass header.from=example.org"}, "name"),
        ({"Authentication_Results": "mx.play.example.org; dmarc=fail"}, "failed"),
        ({"sender": "anna@example.org"}, "the player"),
        ({"sender": "eve@evil.example"}, "a stranger"),
        ({"Auto_Submitted": "auto-replied"}, "a program"),
    ],
)
def test_only_the_game_master_himself_allows_it(club, headers, why):
    _, asked = wish(club)
    assert allow(club, asked, **headers) == [], why
    assert write(club, asked, *gmail(["Yes, do"], text(asked)), sender=GERDA) == []
    assert statuses(club) == ["wished"]
    assert to(allow(club, asked), TOM)


def test_what_is_allowed_twice_is_sent_once(club):
    _, asked = wish(club)
    ((number,),) = rows(club, "SELECT id FROM guest")
    club.write("white", f"ACCEPT {code_in(asked)}", sender=GERDA, to=str(asked["Reply-To"]),
               Authentication_Results=PASSED)  # fmt: skip
    assert to(allow(club, asked), TOM)
    assert allow(club, asked) == []
    with pytest.raises(Refusal, match="not open any more"):
        wishes.answer(club.opened_at(MONDAY), number, is_allowed=True)
    assert len(to(club.run_tick(MONDAY + DAY), TOM)) == 0
    assert rows(club, "SELECT count(*) FROM outbox WHERE key LIKE 'guest/%'") == [(1,)]


def test_the_player_cannot_tell_a_no_from_silence_a_bounce_or_what_is_never_asked(club):
    """No, the game master's no or silence, a bounce, a member, one who said no: all look alike."""
    answers, ends = [], []
    start = MONDAY

    def tried(line, after=lambda asked, at: None, is_asked=True):
        nonlocal start
        answer, asked = wish(club, line, now=start)
        assert (asked is not None) == is_asked
        answers.append(said(answer))
        after(asked, start)
        for day in range(1, 14):
            assert to(club.run_tick(start + day * DAY), "anna") == []
        ends.append([said(one) for one in to(club.run_tick(start + 14 * DAY), "anna")])
        start += 45 * DAY

    def says_no(asked, at):
        (email,) = to(allow(club, asked, at), TOM)
        assert write(club, email, "No thanks", sender=TOM, now=at) == []

    def bounces(asked, at):
        allow(club, asked, at)
        number = rows(club, "SELECT max(id) FROM guest")[0][0]
        club.post(report_of_mail_system(), bounce_address(POST, f"guest/{number}/letter"), at=at)
        club.run_tick(at)

    tried(LINE, says_no)
    tried("INVITE ida@home.example TO espionage", lambda asked, at: allow(
        club, asked, at, word="DECLINE"))  # fmt: skip
    tried("INVITE per@home.example TO espionage")
    tried("INVITE lost@home.example TO espionage", bounces)
    assert rows(club, "SELECT count(*) FROM written_to WHERE refused_at IS NOT NULL") == [(2,)]
    # The same addresses for Bob, also in another spelling: the game master is not even asked.
    for line in ("tom+games@HOME.example", "lost@home.example", "adjud@play.example.org"):
        answer, asked = wish(club, f"INVITE {line} TO espionage", "Bob", now=start)
        assert (asked, said(answer)) == (None, answers[0])
        for day in (13, 14):
            ended = to(club.run_tick(start + day * DAY), "bob")
            assert bool(ended) == (day == 14)
        start += 45 * DAY
    assert len({*answers}) == 1
    assert {len(one) for one in ends} == {1}
    assert len({one[0] for one in ends}) == 1
    assert not re.search(r"\w@home\.example", kept(club))


def test_a_member_is_asked_like_anybody_and_nobody_learns_that_he_is_one(club):
    club.add("Cleo")
    answer, asked = wish(club, "INVITE CLEO@example.org TO espionage")
    other, _ = wish(club, "INVITE ida@home.example TO espionage", "Bob")
    assert said(answer) == said(other)
    assert "Cleo" not in said(asked)
    with club.store.transaction() as tx:
        tx.execute(sa.text("UPDATE player SET confirmed_at = NULL WHERE name = 'Cleo'"))
    # He was promised that nothing else comes until he confirms.
    assert to(allow(club, asked), "cleo") == []


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("INVITE FRIEND TO espionage", "please forward the lines"),
        ("INVITE tom@localhost TO espionage", "please forward the lines"),
        ("INVITE an.na+x@example.org TO spion", "please forward"),
        ("INVITE Anna+new@example.org TO espionage", "You cannot invite yourself"),
    ],
)
def test_what_is_no_address_of_somebody_else_is_not_asked(club, line, told):
    if "an.na" in line:  # dots mean nothing only at Gmail
        assert wish(club, line)[1] is not None
        return
    answer, asked = wish(club, line)
    assert asked is None
    assert told in said(answer)


def test_what_is_kept_of_an_address_is_deleted_after_a_year_unless_it_said_no(club):
    email = sent(club)
    sent(club, "INVITE ida@home.example TO espionage", "Bob", "ida@home.example")
    write(club, email, "No thanks", sender=TOM)
    for day in (1, 300, *range(362, 366)):
        club.run_tick(MONDAY + day * DAY)
    assert rows(club, "SELECT count(*) FROM written_to") == [(2,)]
    club.run_tick(MONDAY + 366 * DAY)
    assert rows(club, "SELECT refused_at IS NOT NULL FROM written_to") == [(1,)]


def test_nobody_can_have_many_emails_sent(club):
    """One open and three in 30 days for a player, five a day for the club, one for an address."""
    club.add("Cleo")
    answer, asked = wish(club, name="Cleo")
    assert asked is None
    assert "once you have played a match to its end" in said(answer)
    assert "please forward" in said(answer)
    _, asked = wish(club)
    answer, again = wish(club, "INVITE ida@home.example TO espionage")
    assert again is None
    assert "one friend at a time" in said(answer)
    (email,) = to(allow(club, asked), TOM)
    write(club, email, "Yes", sender=TOM)
    answer, again = wish(club)
    assert again is None
    assert "an address only once for you" in said(answer)
    # Another player for the same person, in Gmail's many spellings: one email in a year.
    made = [sent(club, "INVITE j.doe@gmail.com TO espionage", "Bob", "j.doe@gmail.com")]
    later = MONDAY + 40 * DAY
    for spelling in ("jdoe@gmail.com", "J.D.O.E+chess@googlemail.com"):
        assert wish(club, f"INVITE {spelling} TO espionage", now=later)[1] is None
        club.run_tick(later + 14 * DAY)
        later += 45 * DAY
    assert made


def test_the_club_writes_to_five_new_addresses_a_day(club):
    people = [f"P{n}" for n in range(7)]
    club.add(*people)
    asked = []
    with patch.object(wishes.guests, "has_finished", return_value=True):
        for number, name in enumerate(people):
            asked.append(wish(club, f"INVITE x{number}@home.example TO espionage", name)[1])
    assert [one is not None for one in asked] == [True] * 5 + [False] * 2
    with club.store.transaction() as tx:
        for number in range(5):
            wishes.guests.note_written(tx, f"mark{number}", MONDAY)
    (told,) = allow(club, asked[0])
    assert "as many new addresses as it may" in said(told)
    assert statuses(club)[0] == "wished"
    assert to(allow(club, asked[0], MONDAY + 2 * DAY), "x0@home.example")


def test_no_for_good_holds_also_when_the_invitation_has_ended_and_from_another_address(club):
    email = sent(club)
    late = MONDAY + 20 * DAY
    club.run_tick(MONDAY + 14 * DAY)
    assert TOM not in kept(club)
    headers = {"Subject": f"DECLINE {code_in(email)}"}
    assert write(club, email, "Sent by a program", sender="t@other.example", now=late,
                 **headers) == []  # fmt: skip
    assert rows(club, "SELECT refused_at IS NOT NULL FROM written_to") == [(1,)]
    # Nor is he asked "Was it you?" for an email that anybody may have written in his name.
    far = late + 500 * DAY
    club.say("Bob", "INVITE FRIEND TO espionage", at=far)
    (answer,) = to(club.run_tick(far), "bob")
    door = re.search(r"adjud\+f\.[a-z2-7]{16}@play\.example\.org", text(answer))[0]
    club.write("white", "I'd like to play!", sender=TOM, to=door, at=far)
    assert to(club.run_tick(far), TOM) == []
    assert wish(club, name="Bob", now=far)[1] is None


def test_a_yes_counts_from_the_address_to_which_the_email_went(club):
    email = sent(club)
    code = code_in(email)
    (told,) = write(club, email, f"ACCEPT {code}", sender="tom@work.example")
    assert "went to another address" in said(told)
    assert TOM not in told.as_string()
    assert write(club, email, f"ACCEPT {code}", sender="tom@work.example") == []
    assert write(club, email, "I saw this", sender="eve@evil.example") == []
    emails = write(club, email, f"ACCEPT {code}", sender=TOM)
    assert sum(one["X-Adjud"] == "report" for one in emails) == 2


def test_nothing_of_the_players_own_gets_into_the_email(club):
    club.add("Eve")
    with club.store.transaction() as tx:
        name = "Win at https://evil.example/ x@evil.example 1234567890 1234567890"
        tx.execute(sa.text("UPDATE player SET name = :n WHERE name = 'Eve'"), {"n": name})
    club.context = structs.replace(club.context, authserv_id="")
    with patch.object(wishes.guests, "has_finished", return_value=True):
        club.say("Eve", LINE)  # from the address on file
        emails = club.run_tick()
    (asked,) = to(emails, GERDA)
    assert asked["Reply-To"] is None  # nobody could tell his reply from a forged one
    assert "`adjud player guest 1 --allow`" in said(asked)
    told = wishes.answer(club.opened_at(MONDAY), 1, is_allowed=True)
    assert str(told) == f"The club writes to {TOM}."
    (email,) = to(club.run_tick(), TOM)
    assert "evil.example" not in email.as_string()
    assert "https" not in text(email)
    assert len(str(email["Subject"])) < 80


def test_an_email_that_a_server_refuses_is_the_last_one(club):
    _, asked = wish(club)
    club.way.trouble = Permanent("550 no such user")
    allow(club, asked)
    assert statuses(club) == ["void"]
    assert rows(club, "SELECT refused_at IS NOT NULL FROM written_to") == [(1,)]
    assert TOM not in kept(club)


def test_an_email_of_the_club_that_comes_home_begins_nothing(club):
    """An alias of the club: its own email comes in and is passed over."""
    email = sent(club)
    club.post(email.as_bytes(), str(email["Reply-To"]), "adjud@play.example.org")
    club.post(email.as_bytes(), "adjud@play.example.org", "adjud@play.example.org")
    assert club.run_tick() == []
    assert statuses(club) == ["asked"]


@pytest.mark.parametrize("is_allowed", [False, True])
def test_an_inviter_who_is_erased_takes_wish_and_email_along(club, tmp_path, is_allowed):
    _, asked = wish(club)
    if is_allowed:
        wishes.answer(club.opened_at(MONDAY), 1, is_allowed=True)
    at = Paths(key=tmp_path / "key", spool=club.folder, config=None)
    assert [*club.erase("Anna", at=at)]
    assert TOM not in kept(club)
    assert to(allow(club, asked), TOM) == []
    assert statuses(club) == ["void"]


def test_by_a_clock_in_doubt_nothing_is_sent_and_no_wish_ends(club):
    club.context = structs.replace(club.context, max_gap=2 * DAY)
    _, asked = wish(club)
    wrong = MONDAY + 10 * DAY
    (told,) = to(allow(club, asked, wrong), GERDA)[-1:]
    assert "clock is in doubt" in said(told)
    assert statuses(club) == ["wished"]
    back = MONDAY + timedelta(hours=2)
    club.run_tick(back)
    assert to(allow(club, asked, back), TOM)


def test_a_restored_club_sends_nothing_again(store, tmp_path):
    club = prepared(Lost(store, tmp_path))
    _, asked = wish(club)
    archive = club.saved()
    assert to(allow(club, asked), TOM)
    club.restored(archive)
    emails = allow(club, asked, club.now)
    assert to(emails, TOM) == []
    assert "That wish is not open any more" in said(to(emails, GERDA)[0])
    assert statuses(club) == ["void"]
    assert TOM not in kept(club)
    wishes_of_bob = wish(club, "INVITE ida@home.example TO espionage", "Bob", club.now)[1]
    assert "was restored from a backup" in said(wishes_of_bob)
    # One that was allowed and waited in the backup may have gone out since.
    wishes.answer(club.opened_at(club.now), 2, is_allowed=True)
    archive = club.saved()
    club.restored(archive)
    assert to(club.run_tick(club.now), "ida") == []
    assert statuses(club)[1] == "asked"  # whoever got it may answer
    club.store.close()


def test_a_tick_that_is_killed_after_the_wish_was_allowed_sends_the_same_email(club):
    _, asked = wish(club)
    club.way.trouble = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        allow(club, asked)
    club.way.trouble = None
    later = MONDAY + timedelta(minutes=20)
    (email,) = to([*club.run_tick(), *club.run_tick(later)], TOM)
    assert email["Subject"] == "Anna invites you to play Espionage"


@pytest.fixture(params=["sqlite_url", pytest.param("postgres_url", marks=pytest.mark.real)])
def url(request):
    return str(request.getfixturevalue(request.param))


def until_done(work):
    """Do it again while other workers are in the way."""
    for _ in range(20):
        try:
            return work()
        except Clash:
            continue
    raise AssertionError("it never came to an end")


@pytest.mark.slow
def test_two_workers_write_once_and_begin_one_match(url, tmp_path):
    """Two wishes for one person are allowed at once, and his yes comes in two emails at once."""
    club = prepared(MailClub(open_store(url), tmp_path / "spool"))
    wish(club)
    wish(club, "INVITE TOM+x@home.example TO espionage", "Bob")
    club.store.close()

    def both_allow(number):
        with closing(open_store(url)) as own:
            means = {"is_allowed": True, "now": MONDAY, "context": club.context}
            try:
                until_done(lambda: use_tool(wishes.answer, own, number % 2 + 1, **means))
            except Refusal as refusal:
                if "not open any more" not in str(refusal):  # else the other one was quicker
                    raise

    at_once(4, both_allow)
    club.store = open_store(url)
    assert sorted(statuses(club)) == ["asked", "void"]
    (email,) = to(club.run_tick(), "home.example")
    door, sender = str(email["Reply-To"]), str(email["To"])
    for words in ("Yes", "Yes, gladly"):
        club.write("white", words, f"ACCEPT {code_in(email)}", sender=sender, to=door)
    club.store.close()

    def ticks(_):
        with closing(open_store(url)) as own:
            mine = MailClub(own, club.folder)
            mine.context = structs.replace(club.context, open_transport=lambda: mine.way)
            until_done(mine.run_tick)

    at_once(2, ticks)
    with closing(open_store(url)) as club.store:
        assert rows(club, "SELECT count(*) FROM match") == [(2,)]
        assert sorted(statuses(club)) == ["accepted", "void"]
        assert rows(club, "SELECT count(*) FROM player") == [(3,)]


def test_a_program_for_mail_that_unsubscribes_says_no_for_good(club):
    email = sent(club)
    words = "This message was automatically generated by Gmail."
    code = code_in(email)
    assert write(club, email, words, sender=TOM, Subject=f"DECLINE {code}") == []
    assert statuses(club) == ["declined"]
    assert rows(club, "SELECT refused_at IS NOT NULL FROM written_to") == [(1,)]
