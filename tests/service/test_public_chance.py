"""Matches whose chance takes a public number: they wait, are told of it, and open with it."""

import re
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from adjudicator.core import beacon, chain
from adjudicator.core.dice import Chance, mixed_seed
from adjudicator.core.message import tell
from adjudicator.core.record import Refused as BadRecord
from adjudicator.games import GAMES
from tests.club import SEED, Club, NewMatch, Paths, Refusal, replay_lines
from tests.core.test_beacon import PUBLISHED
from tests.database import begin_epoch, match_named, open_store, plies
from tests.games.samples import seats_of
from tests.inside import checking, matches, records, unopened
from tests.inside import matches_entering as entering
from tests.rows import rows_of
from tests.service.mailclub import MailClub
from tests.service.test_kill import clean_run, contents, disks, use

ROUND = datetime.fromtimestamp(beacon.time_of(1000), UTC)
FULL = ROUND - timedelta(days=1)
LATER = ROUND + timedelta(minutes=1)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
LOTTO = "chance=numbers: 6 of Lotto 6aus49 at 2023-08-26T19:00Z"
DRAWN = datetime(2023, 8, 26, 19, tzinfo=UTC)
NUMBERS = "3 11 17 29 41 48"
SEATS = {game: dict(zip(seats_of(game), ("Anna", "Bob"), strict=True)) for game in GAMES}


class Waiting(MailClub):
    def open(
        self,
        option: str = "chance=drand",
        game: str = "espionage",
        now: datetime = FULL,
        add: bool = True,
        seed: str = SEED,
        after: str = "1 day",
        **seats: str,
    ) -> None:
        if add:
            self.add("Anna", "Bob", "Carl", now=now)
        held, is_drand = seats or SEATS[game], option == "chance=drand"
        wanted = NewMatch(
            game=game,
            variant=None,
            name="m",
            seats=[f"{seat}={name}" for seat, name in held.items()],
            options=[option, *([f"drand_after={after}"] if is_drand and after else [])],
            seed=None,
            fresh_seed=bytes.fromhex(seed),
            leave_open=bool(seats),
        )
        self.create(wanted, now=now)

    def value(self, value: str = PUBLISHED[1000], now: datetime = LATER) -> str:
        return tell(self.enter_value("m", value, now=now))

    def draw(self, text: str, now: datetime) -> str:
        return tell(unopened.name_draw(self.opened_at(now), "m", text, zone="UTC"))

    def row(self) -> matches.Match:
        with self.store.reading() as tx:
            found = match_named(tx, "m")
        assert found is not None
        return found

    def verified(self) -> list[str]:
        return [str(one) for one in self.verify("m")]


@pytest.fixture
def club(store, tmp_path: Path) -> Waiting:
    return Waiting(store, tmp_path / "spool")


def text_of(email) -> str:
    body = email.get_body(("plain",))
    assert body is not None
    return " ".join(str(body.get_content()).split())


# The life of such a match.


def test_a_new_match_waits_for_the_round_after_an_hour(club: Waiting):
    club.open(now=ROUND - HOUR, after="")
    assert club.row().options["drand_after"] == "1 hour"
    told = text_of(club.run_tick(ROUND - HOUR)[0])
    assert "Public number: drand quicknet 1000" in told
    assert "published Wed 23 Aug" in told
    club.value()
    assert (club.row().status, club.row().ply) == ("playing", 0)
    assert club.verified() == []


def test_a_match_from_before_that_option_waits_for_a_day(club: Waiting):
    club.open(now=FULL)
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE match SET options = json_remove(options, '$.drand_after')")
    assert "drand_after" not in club.row().options
    club.value()
    assert club.row().status == "playing"
    assert club.verified() == []


def test_when_the_round_comes_is_an_option_of_drand_alone(club: Waiting):
    club.add("Anna", "Bob")
    with pytest.raises(Refusal, match="drand_after needs chance=drand"):
        club.new("drand_after=1 hour")
    with pytest.raises(Refusal, match="drand_after cannot be '2 hours'"):
        club.new("chance=drand", "drand_after=2 hours")
    assert "drand_after" not in club.loaded(club.new(name="n")).match.options


@pytest.mark.parametrize("game", GAMES)
def test_a_match_waits_for_its_number_and_opens_with_it(club: Waiting, game: str):
    club.open(game=game)
    assert (club.row().status, club.row().ply, club.row().full_at) == ("waiting", -1, FULL)
    with club.store.reading() as tx:
        assert plies(tx, club.row().id) == []
    assert club.verified() == []
    first = club.run_tick(FULL)
    assert [email["To"].split()[-1] for email in first] == [
        "<anna@example.org>",
        "<bob@example.org>",
    ]
    commitment = Chance(bytes.fromhex(SEED), "m", label=GAMES[game].proof.label).commitment
    for email in first:
        told = text_of(email)
        assert "Nobody knows this number yet." in told
        assert "round number 1000, published Wed 23 Aug 2023, 15:59 UTC" in told
        assert f"Commitment: {commitment} Last seat taken: 2023-08-22T15:59:24Z" in told
        assert "Public number: drand quicknet 1000" in told
    assert club.run_tick(FULL + HOUR) == []
    assert club.value() == f"m has opened with {PUBLISHED[1000]}"
    loaded = club.loaded()
    seed = mixed_seed(bytes.fromhex(SEED), "m", "drand quicknet 1000", PUBLISHED[1000])
    assert loaded.chance.seed == seed
    assert loaded.chance.commitment == commitment
    turn = loaded.game.rules.turn(loaded.state)
    assert (loaded.match.status, loaded.match.turn) == ("playing", turn)
    reports = club.run_tick(LATER)
    assert len(reports) == 2
    for email in reports:
        assert "The public number is known" in text_of(email)
        assert PUBLISHED[1000] in re.sub("[| ]", "", text_of(email))
    assert club.verified() == []


def test_a_match_that_waits_is_not_refused_but_answered(club: Waiting):
    club.open()
    club.run_tick(FULL)
    club.write("white", "ORDERS m", "SETUP AUTO", "END", at=FULL + HOUR)
    (answer,) = club.run_tick(FULL + HOUR)
    assert answer["To"] == "anna@example.org"
    assert "was not used: the match has not opened" in text_of(answer)
    assert "round number 1000, published Wed 23 Aug 2023, 15:59 UTC" in text_of(answer)
    club.value()
    assert club.loaded().sheets == {}


def test_an_email_that_only_answers_one_of_ours_is_answered_too(club: Waiting):
    club.open()
    (first, _) = club.run_tick(FULL)
    club.write(
        "white",
        "HELP",
        to="adjud@play.example.org",
        at=FULL + HOUR,
        In_Reply_To=first["Message-ID"],
    )
    (answer,) = club.run_tick(FULL + HOUR)
    assert "the match has not opened" in text_of(answer)


def test_players_who_join_begin_the_wait(club: Waiting):
    club.open(now=FULL - DAY, white="Anna")
    assert (club.row().status, club.row().full_at) == ("open", None)
    assert club.run_tick(FULL - DAY) == []
    club.write("black", "JOIN m black", to="adjud@play.example.org", at=FULL)
    (asked,) = club.run_tick(FULL)
    code = text_of(asked).split("CONFIRM ")[1].split()[0]
    club.write("black", f"CONFIRM {code}", to="adjud@play.example.org", at=FULL)
    told = [text_of(email) for email in club.run_tick(FULL)]
    assert sum("Public number: drand quicknet 1000" in one for one in told) == 2
    assert sum("You play Black in m." in one for one in told) == 1
    assert club.row().full_at == FULL


def test_the_game_master_fills_a_seat_and_gives_it_to_another(club: Waiting):
    club.open(now=FULL - DAY, white="Anna")
    club.run_tick(FULL - DAY)
    replace = {"reason": "", "now": FULL}
    club.replace("m", "black", "Bob", **replace)
    assert len(club.run_tick(FULL)) == 4
    again = club.replace("m", "black", "Carl", **{**replace, "now": FULL + HOUR})
    assert tell(again) == "m: Carl plays black"
    assert club.row().full_at == FULL
    told = {email["To"]: text_of(email) for email in club.run_tick(FULL + HOUR)}
    assert "Public number: drand quicknet 1000" in told["Carl <carl@example.org>"]
    assert "You no longer play it" in told["bob@example.org"]
    assert "Carl now plays Black." in told["Anna <anna@example.org>"]
    club.value()
    assert club.loaded().holders["black"].player_name == "Carl"


def test_a_draw_of_numbers_opens_the_match(club: Waiting):
    club.open(LOTTO)
    told = text_of(club.run_tick(FULL)[0])
    assert "the 6 numbers of Lotto 6aus49, published Sat 26 Aug 2023, 19:00 UTC" in told
    assert club.value(NUMBERS, now=DRAWN) == f"m has opened with {NUMBERS}"
    which = "numbers: 6 of Lotto 6aus49 at 2023-08-26T19:00Z"
    assert club.loaded().chance.seed == mixed_seed(bytes.fromhex(SEED), "m", which, NUMBERS)
    assert club.verified() == []


# What is refused.


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (PUBLISHED[1001], "this is not the signature of round number 1000"),
        (PUBLISHED[1000].upper(), "96 hex digits in lower case"),
        (PUBLISHED[1000][2:], "96 hex digits in lower case"),
        ("c0" + "00" * 47, "this is not the signature of round number 1000"),
    ],
)
def test_a_wrong_signature_is_refused(club: Waiting, value: str, told: str):
    club.open()
    before = rows_of(club.store)
    with pytest.raises(Refusal, match=told):
        club.value(value)
    assert rows_of(club.store) == before


@pytest.mark.parametrize(
    ("value", "now", "told"),
    [
        (NUMBERS, DRAWN - timedelta(seconds=1), "these numbers are drawn 2023-08-26 19:00 UTC"),
        ("3 11 17 29 41", DRAWN, "6 numbers decide, not 5"),
        ("03 11 17 29 41 48", DRAWN, "without leading zeros"),
        ("11 3 17 29 41 48", DRAWN, "in ascending order"),
    ],
)
def test_wrong_numbers_are_refused(club: Waiting, value: str, now: datetime, told: str):
    club.open(LOTTO)
    with pytest.raises(Refusal, match=told):
        club.value(value, now)
    assert not club.row().is_opened


def test_a_signature_is_true_whatever_the_clubs_clock_says(club: Waiting):
    club.open()
    assert club.value(now=FULL).startswith("m has opened")


def test_a_number_is_entered_once(club: Waiting):
    club.open()
    club.value()
    with pytest.raises(Refusal, match="was entered and stays as it is: b44679"):
        club.value(PUBLISHED[1000])


def test_a_match_with_open_seats_takes_no_number(club: Waiting):
    club.open(white="Anna")
    with pytest.raises(Refusal, match="m still waits for players"):
        club.value()


def test_a_match_of_its_own_seed_takes_no_number(club: Waiting):
    club.open("chance=seed")
    with pytest.raises(Refusal, match="the chance of m comes from its seed alone"):
        club.value()


def test_a_draw_that_comes_too_soon_is_refused_when_all_seats_are_taken(club: Waiting):
    with pytest.raises(Refusal, match="that draw comes too soon: name one that is not before"):
        club.open("chance=numbers: 6 of Lotto at 2023-08-23T15:59Z")


def test_a_draw_that_comes_too_soon_waits_for_a_later_one(club: Waiting):
    club.open(LOTTO, now=FULL, white="Anna")
    late = DRAWN - DAY + HOUR
    fill = {"reason": "", "now": late}
    club.replace("m", "black", "Bob", **fill)
    told = [text_of(email) for email in club.run_tick(late)]
    assert sum("The draw that was named comes too soon" in one for one in told) == 2
    assert any("`adjud gm chance m" in one for one in told)  # to the operator
    with pytest.raises(Refusal, match="comes too soon; name a later one"):
        club.value(NUMBERS, DRAWN)
    with pytest.raises(Refusal, match="that draw comes too soon"):
        club.draw("6 of Lotto at 2023-08-27T18:59Z", DRAWN)
    named = club.draw("6 of Lotto at 2023-08-30T19:00Z", DRAWN)
    assert named == "m uses the 6 numbers of Lotto, published 2023-08-30 19:00 UTC"
    told = [text_of(email) for email in club.run_tick(DRAWN)]
    assert len([one for one in told if "named another draw" in one]) == 2
    with pytest.raises(Refusal, match="all players know the draw of m; it cannot be changed"):
        club.draw("6 of Lotto at 2023-09-30T19:00Z", DRAWN)
    club.value(NUMBERS, datetime(2023, 8, 30, 19, tzinfo=UTC))
    assert club.verified() == []


def test_drand_names_its_round_itself(club: Waiting):
    club.open()
    with pytest.raises(Refusal, match="m has chance=drand, which is not a draw"):
        club.draw("6 of Lotto at 2023-09-30T19:00Z", FULL)


def test_there_are_no_phrases(club: Waiting):
    club.open(game="spion")
    club.value()
    assert club.loaded().chance.phrases == ("", "")
    with pytest.raises(Refusal, match="nothing has been adjudicated yet"):
        club.undo("m", now=LATER)


def test_nothing_that_needs_a_position_is_done(club: Waiting):
    club.open()
    assert not club.loaded().is_opened
    with pytest.raises(Refusal, match="m has not opened: it waits for"):
        _ = club.loaded().state
    with pytest.raises(Refusal, match="m has not opened"):
        club.hold("m", reason="x", now=FULL)


# Reminders, the command, and the end.


def test_the_operator_is_reminded_when_the_number_is_due(club: Waiting):
    club.open()
    club.run_tick(FULL)
    assert club.run_tick(ROUND - timedelta(seconds=1)) == []
    (reminder,) = club.run_tick(ROUND)
    assert reminder["To"] == "gm@example.org"
    assert "`adjud gm value m VALUE` enters it" in text_of(reminder)
    assert club.run_tick(ROUND + HOUR) == []
    assert len(club.run_tick(ROUND + DAY)) == 1
    assert len(club.run_tick(ROUND + 3 * DAY)) == 1


def with_command(club: Waiting, tmp_path: Path, script: str) -> None:
    command = tmp_path / "fetch"
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(0o755)
    fetcher = (str(command), "{round}", "a b")
    club.context = type(club.context)(
        **{
            **{name: getattr(club.context, name) for name in club.context.__struct_fields__},
            "fetcher": fetcher,
        }
    )


@pytest.mark.parametrize(
    "said", [PUBLISHED[1000], f'{{"round":1000,"signature":"{PUBLISHED[1000]}"}}']
)
def test_a_command_fetches_the_number(club: Waiting, tmp_path: Path, said: str):
    with_command(club, tmp_path, f"[ \"$1|$2\" = '1000|a b' ] && echo '{said}'")
    club.open()
    club.run_tick(ROUND - timedelta(seconds=1))
    assert not club.row().is_opened
    assert len(club.run_tick(ROUND)) == 2
    assert club.told == ["m: its public number was fetched, and it has opened"]
    assert club.verified() == []


@pytest.mark.parametrize(
    "script", [f"echo {PUBLISHED[1001]}", "exit 1", "head -c 5000 /dev/zero", "sleep 60"]
)
def test_a_command_that_fails_is_tried_again(
    club: Waiting, tmp_path: Path, script: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(entering, "SECONDS", 0.2)
    with_command(club, tmp_path, script)
    club.open()
    club.run_tick(FULL)
    assert club.run_tick(ROUND) == []
    (reminder,) = club.run_tick(ROUND + HOUR)
    assert reminder["To"] == "gm@example.org"
    with_command(club, tmp_path, f"echo {PUBLISHED[1000]}")
    assert len(club.run_tick(ROUND + 2 * HOUR)) == 2


def test_a_match_that_is_cancelled_after_its_last_seat_opens_its_seed(club: Waiting):
    club.open()
    club.run_tick(FULL)
    cancel = {"reason": "Anna is ill.", "now": FULL + HOUR}
    assert tell(club.cancel("m", **cancel)) == "m is cancelled"
    told = text_of(club.run_tick(FULL + HOUR)[0])
    assert "The game master cancelled the match." in told
    assert f"Seed: {SEED}" in told
    assert "Public number: drand quicknet 1000" in told
    assert club.verified() == []
    with pytest.raises(Refusal, match="m is over and stays over"):
        club.value()
    club.write("white", "ORDERS m", "END", at=LATER)
    assert "the match is over" in text_of(club.run_tick(LATER)[0])


def test_a_match_that_is_cancelled_before_tells_nothing_of_its_seed(club: Waiting):
    club.open(white="Anna")
    cancel = {"reason": "x", "now": FULL + HOUR}
    club.cancel("m", **cancel)
    (told,) = club.run_tick(FULL + HOUR)
    assert SEED not in text_of(told)
    assert "Commitment" not in text_of(told)


def test_all_lists_show_a_match_that_waits(club: Waiting):
    club.open()
    (entry,) = club.status(None)["matches"]
    assert (entry["status"], entry["awaited"]) == ("waiting", [])
    assert entry["chance"]["which"] == "drand quicknet 1000"
    assert entry["chance"]["due"] == "2023-08-23T15:59:24Z"
    assert tell(club.after_new("m", sends_mail=True)).startswith("m waits for")
    club.announce("m", "Hello", now=FULL)
    assert "The game master says: Hello" in text_of(club.run_tick(FULL)[-1])


def test_the_proof_of_the_seed_waits_for_no_daily_email(club: Waiting):
    club.open()
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE player SET letters = 'daily'")
    told = club.run_tick(FULL)
    assert sorted(one["To"].addresses[0].addr_spec for one in told) == [
        "anna@example.org",
        "bob@example.org",
    ]
    assert all("Commitment: " in text_of(one) for one in told)


def test_it_still_goes_before_the_first_report_of_a_match_that_opened_meanwhile(club: Waiting):
    club.open()  # and no tick comes, for the club's machine is off
    club.value()
    told = [text_of(one) for one in club.run_tick(LATER) if "anna@" in one["To"]]
    assert len(told) == 2
    assert "Public number: drand quicknet 1000" in told[0]
    assert PUBLISHED[1000][:40] in told[1]


def test_a_restored_club_tells_again_what_decides(club: Waiting):
    club.open()
    club.run_tick(FULL)
    with club.store.transaction() as tx:
        begin_epoch(tx, "zzzzz", FULL, FULL + HOUR)
    told = text_of(club.run_tick(FULL + HOUR)[0])
    assert "The club was restored from its backup" in told
    assert "Public number: drand quicknet 1000" in told
    club.value()
    assert club.verified() == []


# Secrecy, and kills.


@pytest.mark.parametrize("game", GAMES)
def test_two_seeds_look_the_same_until_the_number_is_known(
    sqlite_url: str, new_sqlite, tmp_path: Path, game: str
):
    """Nothing but the commitment differs in what players, onlookers and the operator get."""
    told = []
    for seed in ("11" * 32, "22" * 32):
        store = open_store(new_sqlite(f"twin{seed[0]}"))
        club = Waiting(store, tmp_path / f"spool{seed[0]}")
        club.open(game=game, seed=seed)
        emails = [text_of(email) for email in club.run_tick(FULL)]
        (seat, _) = SEATS[game]
        sender = f"{SEATS[game][seat].lower()}@example.org"
        club.write(seat, f"ORDERS m {seat}", "END", sender=sender, at=FULL + HOUR)
        emails += [text_of(email) for email in club.run_tick(FULL + HOUR)]
        emails += [text_of(email) for email in club.run_tick(ROUND)]
        found = [*emails, str(Club(store).status("m", gm=True)), *club.told]
        commitment = Chance(bytes.fromhex(seed), "m", label=GAMES[game].proof.label).commitment
        assert not any(seed in one for one in found)
        assert sum(commitment in one for one in found) == 2
        told.append([one.replace(commitment, "") for one in found])
        store.close()
    assert told[0] == told[1]


def test_a_kill_leaves_the_number_and_the_opening_or_neither(
    sqlite_url: str, tmp_path: Path, club: Waiting
):
    club.open(game="spion")
    club.store.close()
    path = tmp_path / "adjud.db"

    def enter(store) -> None:
        again = Waiting(store, tmp_path / "spool")
        if not again.row().is_opened:
            again.value()

    whole = clean_run(path, enter)
    _, killed = disks(path, enter)
    states = set()
    for disk in killed:
        use(
            disk,
            lambda store: states.add(
                (
                    Waiting(store, tmp_path).row().public_value != "",
                    Waiting(store, tmp_path).row().ply,
                )
            ),
        )
        use(disk, enter)
        assert contents(disk) == whole
    assert states == {(False, -1), (True, 1)}


# What the end tells.


@pytest.mark.parametrize("game", ["spion", "spies"])
def test_a_record_can_be_played_again(club: Waiting, game: str):
    club.open(game=game)
    club.run_tick(FULL)
    club.value()
    ended = {"reason": "x", "now": LATER}
    club.cancel("m", **ended)
    record = club.export("m")
    seed = mixed_seed(bytes.fromhex(SEED), "m", "drand quicknet 1000", PUBLISHED[1000]).hex()
    for tag in (
        f'[Seed "{seed}"]',
        f'[SeedCommitted "{SEED}"]',
        '[PublicNumber "drand quicknet 1000"]',
        f'[PublicValue "{PUBLISHED[1000]}"]',
    ):
        assert tag in record
    (played,) = replay_lines(record.splitlines())
    assert not isinstance(played, BadRecord), played
    emails = [text_of(email) for email in club.run_tick(LATER)]
    assert all(SEED in one.replace("| ", "") for one in emails)


def test_the_first_line_of_the_log_names_the_number(club: Waiting):
    club.open()
    club.value()
    with club.store.reading() as tx:
        line = plies(tx, club.row().id)[0].line
    assert chain.read_opening(str(line)).chance == chain.PublicChance(
        full="2023-08-22T15:59:24Z", value=PUBLISHED[1000], which="drand quicknet 1000"
    )


def test_the_doctor_names_a_match_that_waits_for_its_number(
    club: Waiting, monkeypatch: pytest.MonkeyPatch
):
    club.open()

    def findings(now: datetime) -> list[str]:
        at = Paths(config=None, key=Path("k"), spool=Path("s"))
        installation = checking.Installation(str(club.store.engine.url), at, now)
        monkeypatch.setattr(checking.Installation, "store", club.store, raising=False)
        return [str(one.text) for one in records.public_numbers(installation)]

    assert findings(ROUND + HOUR) == []
    (told,) = findings(ROUND + 2 * HOUR)
    assert told == (
        "chance: m has waited for its public number since 2023-08-23 15:59 UTC; `adjud gm value` "
        "enters it"
    )
    monkeypatch.setattr(records, "find_spec", lambda name: None)
    (told,) = findings(FULL)
    assert "needs an extra: pip install '.[beacon]'" in told


# What players read.


@pytest.mark.parametrize(
    ("language", "option", "told"),
    [
        ("en", "chance=drand", "A public round of drand decides everything random"),
        ("nb", "chance=drand", "En offentlig runde fra drand avgjør alt som er tilfeldig"),
        ("sv", LOTTO, "De 6 talen i Lotto 6aus49 (2023-08-26T19:00Z) avgör slumpen"),
    ],
)
def test_reports_say_what_was_agreed(club: Waiting, language: str, option: str, told: str):
    club.add("Anna", "Bob", "Carl", language=language, now=FULL)
    club.open(option, add=False)
    club.run_tick(FULL)
    value = (PUBLISHED[1000], LATER) if option == "chance=drand" else (NUMBERS, DRAWN)
    club.value(*value)
    for email in club.run_tick(value[1]):
        assert told in text_of(email)


DRAWN_AGAIN = "The club drew it, and could have drawn it again. With chance=drand nobody can."


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("chance=seed", DRAWN_AGAIN),
        ("chance=drand", "You were sent the proof of the seed before anyone could know the number"),
    ],
)
def test_the_first_email_says_who_could_choose_and_foresee(club: Waiting, option: str, told: str):
    club.open(option, game="spion")
    club.run_tick(FULL)
    if option == "chance=drand":
        club.value()
        emails = club.run_tick(LATER)
    else:
        emails = [message_from_bytes(one[2], policy=policy.default) for one in club.way.letters]
    for email in emails:
        assert told in text_of(email)
        assert "Anyone who can read the club's database can predict everything random" in text_of(
            email
        )


@pytest.mark.parametrize("option", ["chance=seed", "chance=drand"])
def test_the_last_email_says_so_again_and_each_page_does(club: Waiting, option: str):
    """Texts in between do not, for they are short."""
    club.open(option, game="espionage")
    club.run_tick(FULL)
    if option == "chance=drand":
        club.value()
    club.run_tick(LATER)
    for name, seat in (("anna", "white"), ("bob", "black")):
        sender = f"{name}@example.org"
        club.write(seat, f"ORDERS m {seat}", "SETUP AUTO", "END", sender=sender, at=LATER)
    between = club.run_tick(LATER + HOUR)
    club.cancel("m", reason="x", now=LATER + 2 * HOUR)
    ends = club.run_tick(LATER + 2 * HOUR)
    assert len(ends) == 2
    of_seed = option == "chance=seed"
    assert not any(DRAWN_AGAIN in text_of(email) for email in between)
    (page,) = filter(None, map(page_of, between))
    assert (DRAWN_AGAIN in page) == of_seed
    for email in ends:
        body = email.get_body(("html",))
        assert (DRAWN_AGAIN in text_of(email)) == of_seed
        assert (DRAWN_AGAIN in " ".join(body.get_content().split())) == of_seed
        assert (DRAWN_AGAIN in page_of(email)) == of_seed
        assert "can predict everything random" not in text_of(email)


def page_of(email: EmailMessage) -> str:
    """Return the page that is attached to an email."""
    pages = [part for part in email.walk() if str(part.get_filename()).endswith(".html")]
    return " ".join(" ".join(one.get_content().decode() for one in pages).split())


@pytest.mark.parametrize("option", ["chance=seed", "chance=drand"])
def test_a_phrase_is_answered(club: Waiting, option: str):
    club.open(option, game="spion")
    club.run_tick(FULL)
    if option == "chance=drand":
        club.value()
    club.run_tick(LATER)
    seat = club.loaded().awaited[0]
    sender = f"{SEATS['spion'][seat].lower()}@example.org"
    club.write(seat, f"ORDERS m {seat}", "PHRASE a fair wind", "END", sender=sender, at=LATER)
    (answer,) = club.run_tick(LATER)
    assert "no phrases are used any more" in text_of(answer)


def test_a_match_that_cannot_be_read_waits_and_goes_on(club: Waiting):
    club.open()
    club.run_tick(FULL)
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE match SET variant = 'x'")
    club.write("white", "HELP", at=FULL + HOUR)
    told = [text_of(one) for one in club.run_tick(FULL + HOUR)]
    assert any("Your email for m has arrived and is saved" in one for one in told)
    club.run_tick(ROUND + DAY)
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE match SET variant = 'standard'")
    now = ROUND + 3 * DAY
    emails = club.run_tick(now)
    assert "m: can be read again" in club.told
    assert any("`adjud gm value m VALUE`" in text_of(one) for one in emails)
    club.value(now=now)
    assert club.verified() == []
