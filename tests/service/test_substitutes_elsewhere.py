"""Substitutes (club, 6.3) in tournaments and on ladders, with a reserve, where a game orders for
the silent, after a restore, in a log, and in what is kept of a person."""

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec import structs

from adjudicator.core.message import tell
from tests.audits import audits_of
from tests.club import MONDAY, Club, NewLadder, OpenClub, Refusal, Store, computer_orders, restore
from tests.database import open_store
from tests.inside import bounces
from tests.service.cups import Cup
from tests.service.installed import installed
from tests.service.mailclub import MailClub
from tests.service.spionclub import SpionClub
from tests.service.test_substitutes import (
    DAY,
    DUE,
    HELPERS,
    HOUR,
    OPTIONS,
    made,
    offers_in,
    rows,
    to,
)

SILENT = ("deadline=every 1 day", "bank=none", "leave=announced", "absence=forfeit")


def with_codes(club: MailClub) -> None:
    codes = (f"CDE{n}" for n in range(200, 999))
    club.context = structs.replace(club.context, coder=lambda: next(codes), max_silent=None)


def lists(club: MailClub, *names: str) -> None:
    club.add(*names)
    for name in names:
        club.say(name, "PREFS SUBSTITUTE ON")
    club.run_tick()


# Tournaments and ladders.


@pytest.fixture
def cup(store: Store, tmp_path: Path) -> Cup:
    """A knock-out of four, whose second board has more time."""
    club = MailClub(store, tmp_path / "spool")
    with_codes(club)
    made_cup = Cup(club, 4, "knockout", options=(*SILENT, "substitutes=on"))
    for name in (*made_cup.names, "Vic", "Uma"):
        if name not in made_cup.names:
            club.add(name)
        club.say(name, "PREFS SUBSTITUTE ON")
    club.run_tick()
    made_cup.start()
    second = list(made_cup.boards(1))[1]
    club.extend(second, 8 * DAY, reason="x")
    return made_cup


def silenced(cup: Cup) -> tuple[str, str, str, dict[str, str]]:
    """Let Black be silent on the first board; return it, its players, and who is asked."""
    (match, (first, silent)), *_ = cup.boards(1).items()
    cup.club.send("white", "SETUP RANDOM", match=match)
    codes = offers_in(cup.club.run_tick(DUE))
    return match, first, silent, codes


def entry(cup: Cup, name: str) -> tuple[object, ...]:
    statement = f"""SELECT entry.status, silent_forfeits FROM entry
        JOIN player ON player.id = player_id WHERE player.name = '{name}'"""
    (found,) = rows(cup.club, statement)
    return found


def test_a_substitute_plays_for_the_entry_and_silence_counts_for_it_once(cup: Cup) -> None:
    club = cup.club
    match, first, silent, codes = silenced(cup)
    other = list(cup.boards(1))[1]
    assert {*codes} == {"Vic", "Uma"}  # no entrant, though all of them would
    club.say("Vic", f"ACCEPT {codes['Vic']}", at=DUE)
    emails = club.run_tick(DUE)
    assert "You now play Black in" in to(emails, "Vic")[0]
    assert entry(cup, silent) == ("silent", 1)
    assert entry(cup, first) == ("in", 0)
    cup.resign(match, first, DUE)
    cup.tick(DUE)
    assert entry(cup, silent) == ("silent", 1)
    assert {name: points for _, name, points in cup.table()}[silent] == 24
    # The entry plays the next round itself.
    resigns = cup.boards(1)[other][0]
    cup.resign(other, resigns, DUE)
    cup.tick(DUE)
    (final,) = cup.boards(2).values()
    assert silent in final


def test_a_silent_substitute_is_not_the_silence_of_the_entry(cup: Cup) -> None:
    club = cup.club
    match, _, silent, codes = silenced(cup)
    club.say("Vic", f"ACCEPT {codes['Vic']}", at=DUE)
    club.run_tick(DUE)
    for days in range(1, 6):
        club.run_tick(DUE + days * DAY)
    assert club.loaded(match).match.status == "over"
    assert entry(cup, silent) == ("silent", 1)


def test_after_a_second_silence_the_entry_is_withdrawn_and_the_substitute_plays_on(
    cup: Cup,
) -> None:
    club = cup.club
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE entry SET silent_forfeits = 1")
    match, _, silent, codes = silenced(cup)
    club.say("Uma", f"ACCEPT {codes['Uma']}", at=DUE)
    club.run_tick(DUE)
    assert entry(cup, silent)[0] == "withdrawn"
    loaded = club.loaded(match)
    assert (loaded.match.status, loaded.holders["black"].player_name) == ("playing", "Uma")


def test_the_entry_is_handed_over_without_the_match_of_the_substitute(cup: Cup) -> None:
    club = cup.club
    match, _, silent, codes = silenced(cup)
    club.say("Vic", f"ACCEPT {codes['Vic']}", at=DUE)
    club.run_tick(DUE)
    club.add("Xena")
    club.replace_entrant("cup", silent, "Xena", reason="x", now=DUE)
    assert club.loaded(match).holders["black"].player_name == "Vic"
    assert entry(cup, "Xena")[0] == "silent"


def test_who_asks_for_a_substitute_is_not_silent(cup: Cup) -> None:
    club = cup.club
    match, (first, _) = next(iter(cup.boards(1).items()))
    home = club.address("white", match)
    club.write("white", "SUBSTITUTE", sender=f"{first.lower()}@example.org", to=home)
    codes = offers_in(club.run_tick())
    club.say("Vic", f"ACCEPT {codes['Vic']}")
    club.run_tick()
    assert club.loaded(match).holders["white"].player_name == "Vic"
    assert entry(cup, first) == ("in", 0)


def refuses_computer(club: MailClub, match: str) -> None:
    with pytest.raises(Refusal, match=f"`adjud gm forfeit {match} white --reason TEXT`"):
        club.replace(match, "white", "computer", reason="x")


def test_no_computer_takes_a_seat_of_a_tournament_or_a_ladder(cup: Cup) -> None:
    refuses_computer(cup.club, next(iter(cup.boards(1))))
    club = cup.club
    wanted = NewLadder(name="spring", game="espionage", variant="small")
    club.create_ladder(wanted)
    for name in ("Anna", "Bob"):
        club.enter_ladder("spring", name)
    club.say("Bob", "INVITE Anna TO spring")
    codes = offers_in(club.run_tick())
    club.say("Anna", f"ACCEPT {codes['Anna']}")
    club.run_tick()
    refuses_computer(club, "spring-1")


def test_the_silence_of_a_substitute_is_not_that_of_a_challenger(
    store: Store, tmp_path: Path
) -> None:
    club = MailClub(store, tmp_path / "spool")
    with_codes(club)
    club.add("Anna", "Bob")
    wanted = NewLadder(name="spring", game="espionage", variant="small", options=SILENT)
    club.create_ladder(wanted)
    for name in ("Anna", "Bob"):
        club.enter_ladder("spring", name)
    lists(club, "Vic")
    club.say("Bob", "INVITE Anna TO spring")
    codes = offers_in(club.run_tick())
    club.say("Anna", f"ACCEPT {codes['Anna']}")
    club.run_tick()
    holders = club.loaded("spring-1").holders
    (seat,) = (seat for seat, one in holders.items() if one.player_name == "Bob")
    (other,) = {"white", "black"} - {seat}
    home = {"sender": "bob@example.org", "to": club.address(seat, "spring-1")}
    club.write(seat, "SUBSTITUTE", **home)
    codes = offers_in(club.run_tick())
    club.say("Vic", f"ACCEPT {codes['Vic']}")
    club.run_tick()
    club.send(other, "SETUP RANDOM", match="spring-1")
    club.run_tick(MONDAY + 9 * DAY)
    assert club.loaded("spring-1").match.status == "over"
    assert rows(club, "SELECT ending, silent FROM challenge") == [("lost", "")]


# Time.


def test_with_a_reserve_the_search_begins_when_the_last_silent_seats_time_is_over(
    store: Store, tmp_path: Path
) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS, "bank=10 hours")
    club.write("white", "SETUP RANDOM")
    club.run_tick(DUE)
    assert not offers_in(club.run_tick(DUE + 9 * HOUR))
    ends = DUE + 10 * HOUR + timedelta(seconds=1)
    codes = offers_in(club.run_tick(ends))
    assert len(codes) == 3
    name = next(iter(codes))
    club.say(name, f"ACCEPT {codes[name]}", at=ends)
    club.run_tick(ends)
    loaded = club.loaded()
    assert loaded.holders["black"].player_name == name
    assert loaded.match.deadline_at == ends + DAY
    assert loaded.holders["black"].bank == 36000


def test_orders_in_the_search_cost_what_the_reserve_held(store: Store, tmp_path: Path) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS, "bank=10 hours")
    club.write("white", "SETUP RANDOM")
    club.run_tick(DUE)
    club.run_tick(DUE + 11 * HOUR)
    club.write("black", "SETUP RANDOM", at=DUE + 2 * DAY)
    club.run_tick(DUE + 2 * DAY)
    assert club.loaded().match.ply == 1
    assert club.loaded().holders["black"].bank == 0
    assert rows(club, "SELECT DISTINCT status FROM substitute_search") == [("ended",)]


def test_days_of_absence_come_before_a_substitute(store: Store, tmp_path: Path) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS, "leave=auto")
    club.context = structs.replace(club.context, absence_days=2)
    club.write("white", "SETUP RANDOM")
    club.run_tick(DUE)
    assert rows(club, "SELECT count(*) FROM absence") == [(1,)]
    for days in (0.5, 1.0):
        assert not offers_in(club.run_tick(DUE + days * DAY))
    assert rows(club, "SELECT count(*) FROM absence") == [(2,)]
    wake = club.loaded().match.wake_at
    assert wake is not None
    assert len(offers_in(club.run_tick(wake))) == 3
    for n in (1, 2):
        club.run_tick(wake + n * DAY)
    assert club.loaded().match.status == "playing"
    club.run_tick(wake + 3 * DAY)
    assert club.loaded().match.status == "over"


def test_time_from_the_game_master_ends_the_search(store: Store, tmp_path: Path) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS)
    club.write("white", "SETUP RANDOM")
    codes = offers_in(club.run_tick(DUE))
    club.extend("m", 5 * DAY, reason="x", now=DUE + HOUR)
    name = next(iter(codes))
    club.say(name, f"ACCEPT {codes[name]}", at=DUE + 2 * HOUR)
    assert "no longer needed" in to(club.run_tick(DUE + 2 * HOUR), name)[0]
    club.run_tick(DUE + DAY)
    assert rows(club, "SELECT status FROM substitute_search") == [("ended",)]
    assert len(offers_in(club.run_tick(DUE + HOUR + 5 * DAY))) == 3


def test_an_announced_forfeit_is_not_put_off(store: Store, tmp_path: Path) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS)
    club.write("white", "SETUP RANDOM")
    club.run_tick()
    club.announce_forfeit("m", "black", 20 * HOUR, reason="x")
    club.run_tick(MONDAY + 20 * HOUR)
    assert club.loaded().match.status == "over"
    assert rows(club, "SELECT count(*) FROM substitute_search") == [(0,)]


def test_the_option_is_not_taken_away_once_the_turn_is_overdue(
    store: Store, tmp_path: Path
) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS)
    club.write("white", "SETUP RANDOM")
    club.run_tick(DUE)

    with pytest.raises(Refusal, match="substitutes"):
        club.change_options("m", ["substitutes=off"], reason="x", now=DUE)


def test_where_a_game_orders_for_the_silent_the_search_is_before_nobody_waits(
    store: Store, tmp_path: Path
) -> None:
    club = SpionClub(store, tmp_path / "spool")
    with_codes(club)
    club.begin("deadline=every 2 days", "absence=forfeit", "substitutes=on", players=3)
    lists(club, *HELPERS)

    def missed(days: float) -> dict[str, str]:
        at = club.loaded().since
        club.all_send(at, but=["yellow"])
        assert not offers_in(club.run_tick(at))
        return offers_in(club.run_tick(at + days * DAY))

    assert not missed(2)
    assert not missed(2)
    turn, since = club.turn, club.loaded().since
    assert len(missed(2)) == 3
    assert club.turn == turn
    asked = offers_in(club.run_tick(since + 3 * DAY))
    assert len(asked) == 2
    club.run_tick(since + 5 * DAY)
    assert club.turn == turn + 1
    assert club.loaded().holders["yellow"].silent == 3
    # Nobody waits for a seat that sleeps, and nobody is looked for.
    at = club.loaded().since
    club.all_send(at, but=["yellow"])
    assert not offers_in(club.run_tick(at))
    assert club.turn == turn + 2


def test_a_seat_that_leaves_meanwhile_makes_the_search_no_longer(
    store: Store, tmp_path: Path
) -> None:
    club = SpionClub(store, tmp_path / "spool")
    with_codes(club)
    club.begin("deadline=every 2 days", "absence=forfeit", "substitutes=on", players=3)
    lists(club, *HELPERS)
    with store.transaction() as tx:
        tx.exec_driver_sql("UPDATE seat SET silent = 2 WHERE name = 'yellow'")
    at = club.loaded().since
    club.all_send(at, but=["yellow"])
    club.run_tick(at)
    due = at + 2 * DAY
    codes = offers_in(club.run_tick(due))
    assert len(codes) == 3
    turn = club.turn
    club.forfeit("m", "blue", reason="x", now=due + DAY)
    club.run_tick(due + DAY)
    name = next(iter(codes))
    club.run_tick(due + 3 * DAY - HOUR)
    assert club.turn == turn
    told = rows(club, "SELECT count(*) FROM ruling WHERE action = 'substitute'")
    assert told == [(1,)]
    club.say(name, f"ACCEPT {codes[name]}", at=due + 3 * DAY - HOUR)
    assert "You now play Yellow in m" in to(club.run_tick(due + 3 * DAY - HOUR), name)[0]


# Failures.


@pytest.mark.parametrize("hold", ["true", "false"])
def test_a_report_that_came_back_holds_the_match_or_is_as_always(
    store: Store, tmp_path: Path, hold: str
) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS, f"hold_on_bounce={hold}")
    club.write("white", "SETUP RANDOM")
    club.run_tick()
    with OpenClub(store, MONDAY, club.context).session() as s:
        bounces._alert(s, "m", "black")  # type: ignore[arg-type]
    codes = offers_in(club.run_tick(DUE))
    assert bool(codes) == (hold == "false")


def test_after_a_restore_the_search_goes_its_way(tmp_path: Path, store: Store) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS)
    at = installed(tmp_path / "at") if (tmp_path / "at").mkdir() is None else None
    assert at
    club.write("white", "SETUP RANDOM")
    codes = offers_in(club.run_tick(DUE))
    Club(store).back_up(tmp_path / "saved.tar.gz", at)
    first, second, _ = codes
    club.say(first, f"ACCEPT {codes[first]}", at=DUE + HOUR)
    club.run_tick(DUE + HOUR)
    club.store.close()
    url = f"sqlite:///{tmp_path / 'restored.db'}"
    restore(tmp_path / "saved.tar.gz", url, at, now=DUE + 2 * HOUR, drawn=lambda: "hjkmn")
    club.store = open_store(url)
    assert club.loaded().holders["black"].player_name == "Bob"
    club.say(second, f"ACCEPT {codes[second]}", at=DUE + 2 * HOUR)
    club.run_tick(DUE + 2 * HOUR)
    assert club.loaded().holders["black"].player_name == second
    club.store.close()


def test_an_undo_gives_the_turn_a_new_deadline_and_a_new_search(
    store: Store, tmp_path: Path
) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS)
    club.write("white", "SETUP RANDOM")
    club.run_tick(DUE)
    assert club.loaded().searches
    club.hold("m", reason="x", now=DUE)
    club.resume("m", reason="x", extend=DAY, now=DUE)
    assert len(offers_in(club.run_tick(DUE + DAY))) == 3


# Logs, and what is kept of a person.


def audited(club: MailClub, name: str, folder: Path) -> str:
    folder.mkdir()
    emails = [raw for _, to_, raw in club.way.letters if to_ == f"{name}@example.org"]
    for number, raw in enumerate(emails):
        (folder / f"{number:02}.eml").write_bytes(raw)
    (found,) = audits_of(folder)
    return " / ".join(map(tell, found.wrong))


def forfeited(club: MailClub, days: int) -> None:
    """Play the set-up, and let White be silent then."""
    for seat in ("white", "black"):
        club.write(seat, "SETUP RANDOM")
    club.run_tick()
    assert club.loaded().awaited == ("white",)
    for n in range(days + 1):
        club.run_tick(DUE + n * DAY)
    assert club.loaded().match.status == "over"


def test_players_and_the_club_can_check_a_forfeit_after_a_search(
    store: Store, tmp_path: Path
) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS)
    forfeited(club, 3)
    assert club.verify("m") == []
    for name in ("anna", "bob"):
        assert audited(club, name, tmp_path / name) == ""


def test_a_forfeit_without_the_search_is_found(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from adjudicator.core import clock

    club = made(store, tmp_path / "spool", *OPTIONS)
    monkeypatch.setattr(clock, "_to_seek", lambda *_: ())
    forfeited(club, 0)
    monkeypatch.undo()
    assert "was treated as silent" in audited(club, "anna", tmp_path / "anna")


def test_a_match_with_a_substitute_can_be_checked(store: Store, tmp_path: Path) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS, "bank=10 hours")
    club.write("white", "SETUP RANDOM")
    club.run_tick(DUE)
    at = DUE + 11 * HOUR
    codes = offers_in(club.run_tick(at))
    name = next(iter(codes))
    club.say(name, f"ACCEPT {codes[name]}", at=at)
    club.run_tick(at)
    home = {"sender": f"{name.lower()}@example.org", "to": club.address("black", tenure=2)}
    club.write("black", "SETUP RANDOM", at=at + HOUR, **home)
    club.run_tick(at + HOUR)
    loaded = club.loaded()
    assert loaded.match.ply == 1
    club.write(
        "white", *computer_orders(loaded, loaded.awaited[0], "computer:random"), at=at + HOUR
    )
    club.run_tick(at + HOUR)
    club.write("white", "RESIGN", at=at + 2 * HOUR)
    (told,) = to(club.run_tick(at + 2 * HOUR), "Anna")
    club.write("white", f"CONFIRM {told.partition('CONFIRM ')[2].split()[0]}", at=at + 2 * HOUR)
    club.run_tick(at + 2 * HOUR)
    assert club.loaded().match.status == "over"
    assert club.verify("m") == []
    for who in ("anna", name.lower()):
        assert audited(club, who, tmp_path / who) == ""


def exported(club: MailClub, name: str) -> dict[str, object]:
    return dict(club.export_player(name, now=DUE, noting=False))


def test_what_is_kept_of_who_was_asked_is_shown_once_the_match_is_over(
    store: Store, tmp_path: Path
) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS)
    club.write("white", "SETUP RANDOM")
    club.run_tick()
    (name, *_) = offers_in(club.run_tick(DUE))
    emails = exported(club, name)["emails_to"]
    assert exported(club, name)["offers"] == []
    assert not [one for one in emails if one["kind"] == "substitute"]  # type: ignore[attr-defined]
    club.run_tick(DUE + 3 * DAY)
    assert exported(club, name)["offers"]
    emails = exported(club, name)["emails_to"]
    assert [one for one in emails if one["kind"] == "substitute"]  # type: ignore[attr-defined]
    (seat,) = exported(club, "Bob")["seats"]  # type: ignore[misc]
    assert seat["searches"][0]["cause"] == "silent"
