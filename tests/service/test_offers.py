"""Offers (club, 3): codes, wrong codes, the end, and several of one thing."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from msgspec import structs

from adjudicator.core.message import say
from adjudicator.service.club.offers import answering, making
from adjudicator.service.club.offers.making import NewOffer, OfferKind, OfferVoid
from tests.club import MONDAY, SEED, Lines, NewMatch, Refusal, Store
from tests.database import player_named, update_player
from tests.service.mailclub import MailClub, text_of

DAY = timedelta(days=1)


@pytest.fixture
def club(store: Store, tmp_path: Path) -> MailClub:
    made = MailClub(store, tmp_path / "spool")
    made.add("Anna", "Bob", "Cleo")
    codes = (f"CDE{n}" for n in range(200, 999))
    made.context = structs.replace(made.context, coder=lambda: next(codes))
    return made


def invited(
    club: MailClub, *asked: str, seated: Sequence[str] = (), muster: bool = False, **more: bool
) -> None:
    wanted = NewMatch(
        game="espionage",
        variant="small",
        name="m",
        seats=seated,
        options=["deadline=every 2 days"],
        seed=None,
        fresh_seed=bytes.fromhex(SEED),
        **more,  # type: ignore[arg-type]
    )
    club.ask_for_seats(wanted, asked, muster=muster)


def sent(club: MailClub, name: str, now: datetime = MONDAY) -> list[EmailMessage]:
    """Run a tick; return the emails that went to a player."""
    return [one for one in club.run_tick(now) if f"{name.lower()}@" in one["To"]]


def asked(club: MailClub, name: str, *lines: str, now: datetime = MONDAY) -> str:
    """Say something to a personal address; return the text of the answer."""
    club.say(name, *lines, at=now)
    found = [one for one in sent(club, name, now) if one["X-Adjud"] in ("receipt", "refusal")]
    return text_of(found[0])


def code_in(email: EmailMessage) -> str:
    found = re.search(r"^ACCEPT (\w+)$", text_of(email), re.MULTILINE)
    assert found
    return found[1]


def status(club: MailClub) -> list[str]:
    with club.store.reading() as tx:
        found = tx.exec_driver_sql("SELECT status FROM offer ORDER BY id").scalars()
        return [str(one) for one in found]


# Seats of a match that waits for them.


def test_an_invited_player_is_asked_and_begins_the_match(club: MailClub) -> None:
    invited(club, "black=Bob", seated=["white=Anna"])
    (email,) = sent(club, "Bob")
    told = text_of(email)
    assert email["Reply-To"] == club.own("Bob")
    assert "Anna" in told
    assert "anna@example.org" not in told
    code = code_in(email)
    assert f"\nDECLINE {code}\n" in told
    links = re.findall(r"^mailto:\S+$", told, re.MULTILINE)
    assert [f"ACCEPT%20{code}" in links[0], f"DECLINE%20{code}" in links[1]] == [True, True]
    assert club.loaded().match.status == "open"
    assert "You now have a seat in m." in asked(club, "Bob", f"ACCEPT {code}")
    assert club.loaded().match.status == "playing"
    assert status(club) == ["accepted"]
    assert "already accepted" in asked(club, "Bob", f"ACCEPT {code}")


def test_a_kept_seat_can_be_joined_by_nobody_else(club: MailClub) -> None:
    invited(club, "black=Bob", seated=["white=Anna"])
    told = asked(club, "Cleo", "GAMES", "JOIN m")
    assert "There is no open seat now." in told
    assert "There is no open seat in 'm'" in told


@pytest.mark.parametrize("is_open", [False, True])
def test_after_a_no_the_operator_is_told_or_the_seat_is_open(club: MailClub, is_open: bool) -> None:
    invited(club, "black=Bob", seated=["white=Anna"], leave_open=is_open)
    code = code_in(sent(club, "Bob")[0])
    club.say("Bob", f"DECLINE {code}")
    emails = club.run_tick()
    alerts = [text_of(one) for one in emails if "gm@example.org" in one["To"]]
    assert len(alerts) == (not is_open)
    told = asked(club, "Cleo", "GAMES")
    assert ("JOIN m black" in told) == is_open
    if not is_open:
        assert "adjud gm replace m black PLAYER" in " ".join(alerts[0].split())


def test_with_muster_each_person_is_asked_first(club: MailClub) -> None:
    invited(club, seated=["white=Anna", "black=Bob"], muster=True)
    emails = {str(one["To"]).split()[0]: one for one in club.run_tick()}
    codes = [code_in(emails[key]) for key in emails]
    assert len(codes) == 2
    assert "seat in m" in asked(club, "Anna", f"ACCEPT {codes[0]}")
    assert club.loaded().match.status == "open"
    assert "seat in m" in asked(club, "Bob", f"ACCEPT {codes[1]}")
    assert club.loaded().match.status == "playing"


def test_nobody_is_invited_to_play_himself(club: MailClub) -> None:
    with pytest.raises(Refusal, match="cannot play two seats"):
        invited(club, "black=Anna", seated=["white=Anna"])
    club.add("Ann", address="anna@example.org")
    with pytest.raises(Refusal, match="share one address"):
        invited(club, "black=Ann", seated=["white=Anna"])
    assert status(club) == []
    with pytest.raises(Refusal, match="there is no player 'Bub'; did you mean Bob"):
        invited(club, "black=Bub", seated=["white=Anna"])
    with pytest.raises(Refusal, match="write a seat as SEAT=PLAYER"):
        invited(club, "black", seated=["white=Anna"])


def test_a_seat_that_is_filled_meanwhile_is_anothers(club: MailClub) -> None:

    invited(club, "black=Bob", seated=["white=Anna"])
    code = code_in(sent(club, "Bob")[0])
    club.replace("m", "black", "Cleo", reason="late")
    assert "Another player has that seat" in asked(club, "Bob", f"ACCEPT {code}")
    assert status(club) == ["void"]


# Codes.


def test_an_unknown_code_brings_the_list_of_open_offers(club: MailClub) -> None:
    invited(club, "black=Bob", seated=["white=Anna"])
    code = code_in(sent(club, "Bob")[0])
    told = asked(club, "Bob", "ACCEPT 7K3QXY")
    assert "You have no offer with the code 7K3QXY." in told
    assert f"  {code}: the invitation to m as Black" in told
    assert "You have no open offers." in asked(club, "Cleo", f"ACCEPT {code}")
    assert status(club) == ["open"]


def test_five_wrong_codes_make_all_offers_void(club: MailClub) -> None:
    invited(club, "black=Bob", seated=["white=Anna"])
    code = code_in(sent(club, "Bob")[0])
    for n in range(5):
        told = asked(club, "Bob", f"ACCEPT WRNG{n}2")
    assert "your open offers have ended" in told
    assert status(club) == ["void"]
    assert "You have no offer with the code" in asked(club, "Bob", f"ACCEPT {code}")


def test_our_own_words_sent_back_accept_nothing(club: MailClub) -> None:
    """A program that answers by itself marks no quotes."""
    invited(club, "black=Bob", seated=["white=Anna"])
    (email,) = sent(club, "Bob")
    club.say("Bob", *text_of(email).splitlines())
    club.run_tick()
    assert status(club) == ["open"]
    assert "seat in m" in asked(club, "Bob", f"ACCEPT {code_in(email)}", "> ACCEPT X")


@pytest.mark.parametrize(
    ("language", "yes", "no"), [("nb", "GODTA", "NEI TAKK"), ("sv", "ACCEPTERA", "NEJ TACK")]
)
def test_an_offer_is_answered_in_the_readers_words(
    club: MailClub, language: str, yes: str, no: str
) -> None:
    club.add("Dag", language=language)
    invited(club, "black=Dag", seated=["white=Anna"])
    (email,) = sent(club, "Dag")
    found = re.search(rf"^{yes} (\w+)$", text_of(email), re.MULTILINE)
    assert found
    club.say("Dag", f"{no.lower()} {found[1]}")
    club.run_tick()
    assert status(club) == ["declined"]


def test_from_another_address_an_answer_waits_for_a_code(club: MailClub) -> None:
    invited(club, "black=Bob", seated=["white=Anna"])
    code = code_in(sent(club, "Bob")[0])
    club.say("Bob", f"ACCEPT {code}", sender="mallory@example.net")
    (email,) = sent(club, "Bob")
    assert status(club) == ["open"]
    found = re.search(r"^CONFIRM (\w+)$", text_of(email), re.MULTILINE)
    assert found
    assert "seat in m" in asked(club, "Bob", f"CONFIRM {found[1]}")


def test_it_is_obeyed_at_a_seats_address_too(club: MailClub) -> None:
    invited(club, "black=Bob", seated=["white=Anna"])
    code = code_in(sent(club, "Bob")[0])
    club.new(name="other", white="Bob", black="Cleo")
    club.run_tick()
    to = club.address("white", "other")
    club.write("black", f"ACCEPT {code}", to=to, at=MONDAY)
    told = "".join(map(text_of, sent(club, "Bob")))
    assert "You now have a seat in m." in told


def test_to_the_public_address_it_is_told_where_to_send_it(club: MailClub) -> None:
    invited(club, "black=Bob", seated=["white=Anna"])
    code = code_in(sent(club, "Bob")[0])
    for _ in range(2):
        club.say("Bob", f"ACCEPT {code}", to="adjud@play.example.org")
    (email,) = sent(club, "Bob")
    assert club.own("Bob") in " ".join(text_of(email).split())
    club.say("Bob", f"ACCEPT {code}", to="adjud@play.example.org", sender="x@example.net")
    assert list(club.run_tick()) == []
    assert status(club) == ["open"]


# The end.


def test_an_offer_expires_after_seven_days_that_run(club: MailClub) -> None:
    invited(club, "black=Bob", seated=["white=Anna"], leave_open=True)
    sent(club, "Bob")
    asked(club, "Bob", "ABSENCE 2026-11-25 TO 2026-11-26")
    for day in range(1, 9):
        club.run_tick(MONDAY + day * DAY)
        assert status(club) == ["open"]
    club.run_tick(MONDAY + 9 * DAY)
    assert status(club) == ["expired"]
    assert "JOIN m black" in asked(club, "Cleo", "GAMES", now=MONDAY + 9 * DAY)


def test_nothing_expires_while_the_clock_is_doubted(club: MailClub) -> None:
    club.context = structs.replace(club.context, max_gap=2 * DAY)
    invited(club, "black=Bob", seated=["white=Anna"])
    club.run_tick(MONDAY)
    club.run_tick(MONDAY + 8 * DAY)
    assert status(club) == ["open"]
    club.run_tick(MONDAY + 9 * DAY)
    assert status(club) == ["expired"]


# Kinds of others: the interface by which they are made.


def offered_to_all(
    club: MailClub, monkeypatch: pytest.MonkeyPatch, kind: OfferKind
) -> dict[str, str]:
    """Offer one thing of Anna's to Bob and Cleo; return their codes."""
    monkeypatch.setitem(answering.KINDS, "thing", kind)  # type: ignore[arg-type]
    with club.opened_at(MONDAY).session() as s:
        anna = player_named(s.tx, "Anna")
        for name in ("Bob", "Cleo"):
            player = player_named(s.tx, name)
            assert player
            made = NewOffer(
                kind="thing",
                what=say("a thing"),
                player=player,
                asker=anna,
                told=(Lines(("Anna has a thing.",)),),
                about="thing/1",
                is_secret=False,
            )
            making.make(s, made)
    emails = club.run_tick()
    return {name: code_in(one) for name, one in zip(("Bob", "Cleo"), emails, strict=True)}


def kind_of(accept: object = None, ended: object = None) -> OfferKind:
    return OfferKind(
        what=lambda tx, offer: say("a thing"),
        accept=accept or (lambda step: say("It is yours.")),  # type: ignore[arg-type]
        ended=ended or (lambda step: None),  # type: ignore[arg-type]
    )


def test_the_first_yes_wins(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = offered_to_all(club, monkeypatch, kind_of())
    club.say("Bob", f"ACCEPT {codes['Bob']}")
    emails = club.run_tick()
    told = [text_of(one) for one in emails if "anna@" in one["To"]]
    assert told == ["Bob has accepted a thing.\n"]
    assert "Another player accepted" in asked(club, "Cleo", f"ACCEPT {codes['Cleo']}")
    assert status(club) == ["accepted", "withdrawn"]


def test_what_cannot_be_now_stays_open(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(step: making.OfferStep) -> None:
        update_player(step.tx, step.offer.player_id, language="sv")  # it is taken back
        raise Refusal(say("Not today."))

    codes = offered_to_all(club, monkeypatch, kind_of(refuse))
    told = asked(club, "Bob", f"ACCEPT {codes['Bob']}")
    assert told == "Not today.\nThe offer is still open.\n"
    assert status(club) == ["open", "open"]


def test_what_can_never_be_is_void(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []

    def refuse(step: making.OfferStep) -> None:
        raise OfferVoid(say("Too late."))

    kind = kind_of(refuse, lambda step: ended.append(step.offer.status))
    codes = offered_to_all(club, monkeypatch, kind)
    assert asked(club, "Bob", f"ACCEPT {codes['Bob']}") == "Too late.\n"
    assert status(club) == ["void", "open"]
    assert ended == ["void"]


def test_the_asker_is_told_of_a_no_and_of_the_end(
    club: MailClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = offered_to_all(club, monkeypatch, kind_of())
    club.say("Bob", f"DECLINE {codes['Bob']}")
    told = {str(one["To"]).split("@")[0]: text_of(one) for one in club.run_tick()}
    assert any("Bob has declined a thing." in one for one in told.values())
    (email,) = sent(club, "Anna", MONDAY + 7 * DAY)
    assert "Cleo has not answered a thing, and it has expired." in " ".join(text_of(email).split())
