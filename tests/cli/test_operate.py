"""`adjud init`, `player`, `gm`, `mail queue`, `backup`, `doctor`, `db`: the operator."""

import json
import re
import sqlite3
import stat
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from tests.program import Adjud, rows_in


@pytest.mark.slow
def test_init_makes_what_is_missing_and_leaves_the_rest_alone(adjud: Adjud) -> None:
    url = f"sqlite:///{adjud.file}"
    config = adjud.folder / "adjud.toml"
    key = adjud.folder / "data/adjud/adjud.key"
    signs = f"{key}: made; it signs the addresses of seats, keep a copy of it\n"
    kept = f"{key}: there already, left alone\n"
    made = f"{config}: made; every setting is in it as a comment\n{signs}{url}: made\n"
    assert adjud.does("init") == made
    assert stat.S_IMODE(adjud.file.stat().st_mode) == 0o600
    settings = config.read_text("utf-8").splitlines()
    assert all(line.startswith(("#", "[")) or not line for line in settings)
    config.write_text('timezone = "Europe/Oslo"\n')
    before = adjud.dump()
    there = f"{config}: there already, left alone\n{kept}{url}: there already, left alone\n"
    assert adjud.does("init") == there
    assert adjud.dump() == before
    assert config.read_text() == 'timezone = "Europe/Oslo"\n'
    adjud.file.unlink()
    assert adjud.does("init") == f"{config}: there already, left alone\n{kept}{url}: made\n"


def test_init_without_any_choice_uses_the_folders_of_the_user(adjud: Adjud) -> None:
    adjud.env |= {"ADJUD_DATABASE": None, "ADJUD_CONFIG": None}
    out = adjud.does("init")
    assert (adjud.folder / "data/adjud/adjud.db").is_file()
    assert (adjud.folder / "config/adjud/adjud.toml").is_file()
    assert str(adjud.folder / "data/adjud/adjud.db") in out
    assert adjud.does("status") == "no match is being played\n"


def test_where_the_database_is(adjud: Adjud) -> None:
    """It is `--database`, else ADJUD_DATABASE, else the configuration file's."""
    adjud.write("adjud.toml", f'database = "sqlite:///{adjud.folder}/config.db"\n')
    for name, words, environment in (
        ("option.db", ("--database", f"sqlite:///{adjud.folder}/option.db"), "env.db"),
        ("env.db", (), "env.db"),
        ("config.db", (), None),
    ):
        adjud.env["ADJUD_DATABASE"] = (
            f"sqlite:///{adjud.folder}/{environment}" if environment else None
        )
        adjud.does(*words, "init")
        assert (adjud.folder / name).is_file(), name


def test_where_the_configuration_is(adjud: Adjud) -> None:
    """It is `--config`, else ADJUD_CONFIG, else ./adjud.toml."""
    for name in ("given.toml", "env.toml", "adjud.toml"):
        adjud.write(name, f"{name.partition('.')[0]} = 1\n")
    adjud.env["ADJUD_CONFIG"] = "env.toml"
    assert (
        "given.toml, line 1: there is no setting 'given'"
        in adjud("--config", "given.toml", "tick").err
    )
    assert "env.toml, line 1: there is no setting 'env'" in adjud("tick").err
    adjud.env["ADJUD_CONFIG"] = None
    assert "adjud.toml, line 1: there is no setting 'adjud'" in adjud("tick").err


@pytest.mark.parametrize(
    "words",
    [
        "status", "tick", "submit x", "check x", "report m white", "verify", "board m --gm",
        "record export m", "player list", "new espionage", "mail queue list", "backup b.tar.gz",
        "gm forfeit m white", "db upgrade", "db copy sqlite:///copy.db",
    ],
)  # fmt: skip
def test_a_missing_database_is_never_made_by_the_way(adjud: Adjud, words: str) -> None:
    adjud.write("adjud.toml", "")
    assert adjud(*words.split()) == (
        1,
        "",
        f"adjud: there is no database at {adjud.file}; `adjud init` makes an empty one, "
        "`adjud backup --restore FILE` restores a club's\n",
    )
    assert not adjud.file.exists()


def test_players_are_added_listed_changed_and_removed(adjud: Adjud) -> None:
    adjud.write("adjud.toml", "")
    adjud.does("init")
    out = adjud.does("player", "add", "Anna", "anna@example.org", "--confirmed")
    assert out == "Anna <anna@example.org>: confirmed\n"
    out = adjud.does("player", "add", "Per Åsen", "per@example.no", "--language", "nb")
    assert out == "Per Åsen <per@example.no>: not confirmed yet: no content goes there\n"
    assert adjud.does("player", "list") == (
        "Anna      <anna@example.org>  en  UTC\n"
        "Per Åsen  <per@example.no>    nb  UTC  not confirmed\n"
    )
    zone = ("--timezone", "Europe/Oslo")
    assert adjud.does("player", "set", "per åsen", "--confirmed", *zone) == "Per Åsen: changed\n"
    listed = [
        json.loads(line) for line in adjud.does("player", "list", "--format", "json").splitlines()
    ]
    assert listed[0]["name"] == "Anna"
    assert adjud.does("player", "remove", "ANNA") == "Anna: removed\n"
    assert "Anna" not in adjud.does("player", "list")


def test_a_mistyped_player_is_removed_with_the_email_that_asked_for_the_address(
    adjud: Adjud,
) -> None:
    adjud.write("adjud.toml", "")
    adjud.does("init")
    adjud.does("player", "add", "Typo", "tpyo@example.org")
    assert adjud.does("player", "remove", "Typo") == "Typo: removed\n"
    assert adjud.does("mail", "queue", "list") == ""


def test_an_unconfirmed_address_gets_a_code_and_no_content(adjud: Adjud) -> None:
    adjud.write("adjud.toml", "")
    adjud.does("init")
    adjud.does("player", "add", "Anna", "anna@example.org")
    email, rest = adjud.does("mail", "queue", "list").split(maxsplit=1)
    assert rest == "kept  player/1/confirm/1  Anna  Sat 21 Nov 2026 12:00 UTC\n"
    assert "code" not in adjud.does("mail", "queue", "show", email)
    shown = adjud.does("mail", "queue", "show", email, "--gm")
    code = json.loads(shown.splitlines()[-1])["code"]
    assert re.fullmatch("[2-9A-HJKMNP-TV-Z]{6}", code)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("add", "anna", "a@example.org"),
            "there is already a player Anna; change them with `adjud player set`",
        ),
        (
            ("add", "a@b", "a@example.org"),
            "'a@b' cannot be a player's name; it must not contain @ < > or be computer or open",
        ),
        (
            ("add", "Open", "a@example.org"),
            "'Open' cannot be a player's name; it must not contain @ < > or be computer or open",
        ),
        (
            ("add", "computer", "a@example.org"),
            "'computer' cannot be a player's name; it must not contain @ < > or be computer or "
            "open",
        ),
        (
            ("add", "Computer", "a@example.org"),
            "'Computer' cannot be a player's name; it must not contain @ < > or be computer or "
            "open",
        ),
        (("add", "x" * 41, "a@example.org"), "a player's name must have 1 to 40 characters"),
        (("add", " ", "a@example.org"), "a player's name must have 1 to 40 characters"),
        (
            ("add", "Eve", "eve"),
            "'eve' is not an email address; write one like anna@example.org",
        ),
        (
            ("add", "Eve", "eve@example.org\nBcc: x@y.org"),
            "'eve@example.org�Bcc: x@y.org' is not an email address; write one like "
            "anna@example.org",
        ),
        (
            ("add", "Eve", "e@example.org", "--timezone", "Europe/Olso"),
            "'Europe/Olso' is not a time zone; did you mean Europe/Oslo?",
        ),
        (("set", "Ann"), "there is no player 'Ann'; did you mean Anna?"),
        (("set", "Anna"), "nothing to change: give --address, --language or another option"),
        (("set", "Anna", "--name", "BOB"), "there is already a player Bob"),
        (
            ("remove", "Anna"),
            "Anna plays in espionage-1; `adjud gm replace` gives a seat to another player",
        ),
    ],
)
def test_what_cannot_be_a_player(setting_up: Adjud, words: tuple[str, ...], sentence: str) -> None:
    before = setting_up.dump()
    assert setting_up("player", *words) == (1, "", f"adjud: {sentence}\n")
    assert setting_up.dump() == before


@pytest.mark.parametrize(
    "words",
    [
        "add Anna Berg anna@example.org", "set Anna Berg --language nb", "remove Anna Berg",
        "absence Anna Berg 2026-12-24 2027-01-02",
    ],
)  # fmt: skip
def test_a_name_with_blanks_needs_quotes_and_the_answer_says_so(club: Adjud, words: str) -> None:
    answer = club("player", *words.split())
    assert answer.code == 2
    assert 'a name with blanks needs quotes: "Anna Berg"' in answer.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("extend m 2 days --reason Easter", 'a duration with blanks needs quotes: "2 days"'),
        ("say m I am away", 'a text with blanks needs quotes: "I am away"'),
    ],
)
def test_what_else_has_blanks_needs_quotes_too(club: Adjud, words: str, told: str) -> None:
    answer = club("gm", *words.split())
    assert answer.code == 2
    assert answer.err.endswith(f"; {told}\n")


def test_a_bidi_character_cannot_stand_in_a_name(club: Adjud) -> None:
    answer = club("player", "add", "Eve\u202egro.elpmaxe", "eve@example.org")
    assert answer.code == 1
    assert "\u202e" not in answer.err


# --- the game master -------------------------------------------------------------------------


def notices(adjud: Adjud, seat: str, at: str) -> list[str]:
    told = json.loads(adjud.does("report", "espionage-1", seat, "--format", "json", at=at))
    return [notice["text"] for notice in told["notices"] if "seed" not in notice["text"]]


def test_hold_and_resume_give_the_time_back(playing: Adjud) -> None:
    held, resumed = "2026-11-22 12:00:00", "2026-11-23 18:00:00"
    reason = ("--reason", "Mail trouble.")
    assert playing.does("gm", "hold", "espionage-1", *reason, at=held) == "espionage-1 is on hold\n"
    assert "black Bob; held" in playing.does("status")
    steps = "ORDERS espionage-1 white\nd3-d4\nf3-f4\nEND\n"
    assert playing("submit", "-", stdin=steps, at=held).code == 0
    told = playing.does("tick", at="2026-11-23 12:00:00")
    assert told == "espionage-1: the match still waits for you\n"
    again = playing("gm", "hold", "espionage-1", *reason)
    assert again == (1, "", "adjud: espionage-1 is already held\n")
    answer = playing("gm", "adjudicate", "espionage-1", "--expect", "1")
    assert answer == (1, "", "adjud: espionage-1 is held; nothing was done\n")
    out = playing.does(
        "gm", "resume", "espionage-1", "--reason", "It works.", "--extend", "1 day", at=resumed
    )
    assert out == "espionage-1 continues\n"
    # Three days from the 21st, 30 hours of hold and a day on top.
    assert "until Thu 26 Nov 2026 18:00 UTC" in playing.does("status", at=resumed)
    thursday = "Thu 26 Nov 2026, "
    for seat, when in (("white", "19:00 Europe/Oslo (18:00 UTC)"), ("black", "18:00 UTC")):
        assert notices(playing, seat, resumed) == [
            "The game master has put the match on hold. Mail trouble.",
            f"The match continues. The deadline is now {thursday}{when}. It works.",
        ]
    assert (
        playing.does("tick", at=resumed)
        == "espionage-1: adjudicated; turn 1 is waiting for black\n"
    )
    # Both were awaiting White's order of turn 1 then, and both are told of it afterwards, too.
    for seat in ("white", "black"):
        assert len(notices(playing, seat, resumed)) == 2


@pytest.mark.parametrize("words", ["hold", "resume", "cancel"])
def test_a_reason_that_says_nothing_is_none(playing: Adjud, words: str) -> None:
    before = playing.dump()
    answer = playing("gm", words, "espionage-1", "--reason", "  ")
    assert answer.code == 2
    assert "say why, in a few words" in answer.err
    assert playing.dump() == before


def test_extend_moves_the_deadline_and_says_so_in_each_zone(playing: Adjud) -> None:
    playing.write("adjud.toml", 'timezone = "America/New_York"\n')
    out = playing.does("gm", "extend", "espionage-1", "2 days", "--reason", "Easter.")
    assert out == (
        "espionage-1: the deadline is now "
        "2026-11-26 07:00 America/New_York (2026-11-26 12:00 UTC)\n"
    )
    assert notices(playing, "black", "2026-11-21") == [
        "The deadline is now Thu 26 Nov 2026, 12:00 UTC. Easter."
    ]
    assert "Thu 26 Nov 2026, 13:00 Europe/Oslo (12:00 UTC)" in playing.does(
        "report", "espionage-1", "white"
    )
    for wrong, sentence in (
        ("0", "by how much? write a duration like 2 days"),
        ("soon", "'soon' is not a duration; write one like 2 days, 12 hours or 0"),
    ):
        answer = playing("gm", "extend", "espionage-1", wrong)
        assert answer == (1, "", f"adjud: {sentence}\n")


@pytest.mark.parametrize("left", [1, 0], ids=["an hour before the deadline", "on the deadline"])
def test_extend_in_a_held_match_adds_to_the_time_that_was_left(playing: Adjud, left: int) -> None:
    held, later = f"2026-11-24 {12 - left}:00:00", "2026-12-24 12:00:00"
    playing.does("gm", "hold", "espionage-1", "--reason", "x", at=held)
    out = playing.does("gm", "extend", "espionage-1", "1 day", at=later)
    assert out == f"espionage-1: the deadline is now 2026-12-25 {12 + left}:00 UTC\n"
    resumed = "2026-12-26 12:00:00"
    playing.does("gm", "resume", "espionage-1", "--reason", "x", at=resumed)
    assert f"until Sun 27 Dec 2026 {12 + left}:00 UTC" in playing.does("status", at=resumed)


def test_a_ply_that_is_taken_back_in_a_held_match_gets_its_time_when_that_goes_on(
    playing: Adjud,
) -> None:
    sheet = "ORDERS espionage-1 white\nd3-d4\nf3-f4\nEND\n"
    playing.does("submit", "-", stdin=sheet)
    playing.does("tick")
    playing.does("gm", "hold", "espionage-1", "--reason", "x")
    later = "2026-12-24 12:00:00"
    playing.does("gm", "undo", "espionage-1", at=later)
    playing.does("gm", "resume", "espionage-1", "--reason", "x", at=later)
    assert "until Sun 27 Dec 2026 12:00 UTC" in playing.does("status", at=later)


def test_a_held_match_says_what_held_it_until_it_goes_on(playing: Adjud) -> None:
    playing.does("tick", at="2026-11-22 12:00:00")
    late = "2026-12-24 12:00:00"
    assert "the match is on hold" in playing.does("tick", at=late)
    playing.does("gm", "extend", "espionage-1", "1 day", at=late)
    assert "TROUBLE: the deadline has passed, but" in playing.does("status", at=late)
    playing.does("gm", "resume", "espionage-1", "--reason", "x", at=late)
    assert "TROUBLE" not in playing.does("status", at=late)


def test_adjudicate_names_the_turn_it_means(playing: Adjud) -> None:
    answer = playing("gm", "adjudicate", "espionage-1", "--expect", "2")
    assert answer == (1, "", "adjud: espionage-1 is at turn 1, not 2; nothing was done\n")
    sheet = "ORDERS espionage-1 white\nd3-d4\nf3-f4\nNOTREADY\nEND\n"
    playing.does("submit", "-", stdin=sheet)
    assert playing.does("tick") == ""
    reason = ("--reason", "White is ready, he told me.")
    out = playing.does("gm", "adjudicate", "espionage-1", "--expect", "1", *reason)
    assert out == "espionage-1: the tick adjudicates turn 1 as soon as all orders are in\n"
    assert playing.does("tick") == "espionage-1: adjudicated; turn 1 is waiting for black\n"
    for seat in ("white", "black"):
        assert notices(playing, seat, "2026-11-21") == [
            "The game master has ended the wait: turn 1 is played as soon as all orders are in. "
            "White is ready, he told me."
        ]
    assert playing("gm", "adjudicate", "espionage-1").code == 2


def test_replace_gives_a_seat_to_another(playing: Adjud) -> None:
    playing.does("player", "add", "Cecilie", "cecilie@example.org", "--confirmed")
    reason = ("--reason", "Their house has burnt down.")
    out = playing.does("gm", "replace", "espionage-1", "svart", "cecilie", *reason)
    assert out == "espionage-1: Cecilie plays black\n"
    assert "white Anna, black Cecilie" in playing.does("status")
    assert notices(playing, "white", "2026-11-21") == [
        "Another player now plays Black. Their house has burnt down."
    ]
    assert "espionage-1/1/black/report/2" in playing.does("mail", "queue", "list")
    answer = playing("gm", "replace", "espionage-1", "black", "Cecilie")
    assert answer == (1, "", "adjud: Cecilie already has that seat\n")
    answer = playing("gm", "replace", "espionage-1", "black", "Nobody")
    assert answer.code == 1
    assert playing.does("gm", "replace", "espionage-1", "black", "computer:random")


TWICE = "Anna cannot play two seats in one match"
SHARED = "Anna and {} share one address: in a match each would get the other's reports"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("gm replace espionage-1 black Anna", TWICE),
        ("new espionage --seat white=anna --seat black=Anna", TWICE),
        ("new espionage --seat white=Anna --seat black=Cecilie", SHARED.format("Cecilie")),
        ("gm replace espionage-1 black Cecilie", SHARED.format("Cecilie")),
        ("player set Bob --address ANNA@Example.org --confirmed", SHARED.format("Bob")),
    ],
)
def test_nobody_gets_the_reports_of_his_opponent(playing: Adjud, words: str, sentence: str) -> None:
    assert playing("player", "add", "Cecilie", "anna@example.org", "--confirmed").code == 0
    before = playing.dump()
    answer = playing(*words.split())
    assert answer == (1, "", f"adjud: {sentence}\n")
    assert playing.dump() == before


def test_built_in_players_may_hold_several_seats(club: Adjud) -> None:
    seats = ("--seat", "white=computer:random", "--seat", "black=computer:random")
    assert club.does("new", "espionage", *seats) == "espionage-1\n"


@pytest.mark.parametrize(
    ("game", "seats"),
    [("spion", ("blue", "green", "yellow")), ("spies", ("germany", "italy", "russia"))],
)
def test_who_is_forfeited_is_not_said_to_have_been_silent(
    club: Adjud, game: str, seats: tuple[str, ...]
) -> None:
    """The game master may forfeit a seat that has sent its orders."""
    first, *others = seats
    held = [f"{first}=Anna", *(f"{other}=computer:random" for other in others)]
    club.does("new", game, *(word for seat in held for word in ("--seat", seat)), "--match", "m")
    club.does("tick")
    said = (
        f"{others[0].capitalize()} has lost by forfeit; the default rules ",
        f"{first.capitalize()} wins: the others forfeited.",
    )
    for other, sentence in zip(others, said, strict=True):
        club.does("gm", "forfeit", "m", other, "--reason", "No answer.")
        told = " ".join(club.does("report", "m", first).split())
        assert sentence in told
        assert "no orders" not in told


def test_forfeit_and_cancel_end_a_match_for_good(playing: Adjud) -> None:
    playing.match("other")
    out = playing.does("gm", "forfeit", "espionage-1", "white", "--reason", "No answer.")
    assert out == "espionage-1: white has lost by forfeit\n"
    assert notices(playing, "black", "2026-11-21") == [
        "The game master decided that White loses by forfeit. No answer."
    ]
    assert "Black wins" in playing.does("report", "espionage-1", "black")
    assert playing("gm", "cancel", "other").code == 2  # why?
    assert playing.does("gm", "cancel", "other", "--reason", "x") == "other is cancelled\n"
    assert '[Result "none cancelled"]' in playing.does("record", "export", "other")
    assert "WhiteSetup" not in playing.does("record", "export", "other")
    for words in (
        "hold other --reason x", "resume other --reason x", "cancel other --reason x",
        "extend other 1d", "replace other white Bob", "forfeit other white",
        "adjudicate other --expect 0",
    ):  # fmt: skip
        answer = playing("gm", *words.split())
        assert answer == (1, "", "adjud: other is over and stays over\n")


@pytest.mark.parametrize(
    "words",
    [
        "hold nope --reason x", "resume nope --reason x", "cancel nope --reason x",
        "extend nope 1d", "replace nope white Bob", "forfeit nope white",
        "adjudicate nope --expect 0",
    ],
)  # fmt: skip
def test_a_match_that_the_game_master_does_not_have(playing: Adjud, words: str) -> None:
    before = playing.dump()
    answer = playing("gm", *words.split())
    assert answer == (1, "", "adjud: there is no match 'nope'; choose from espionage-1\n")
    assert playing.dump() == before


# --- emails ---------------------------------------------------------------------------------


def test_the_queue_lists_emails_and_never_what_they_say(playing: Adjud) -> None:
    lines = playing.does("mail", "queue", "list").splitlines()
    assert all(re.match("out-[a-z2-7]{8}  ", line) for line in lines)
    assert [line[14:] for line in lines] == [
        "kept  espionage-1/0/white/report  Anna  Sat 21 Nov 2026 12:00 UTC",
        "kept  espionage-1/0/black/report  Bob   Sat 21 Nov 2026 12:00 UTC",
        "kept  espionage-1/1/white/report  Anna  Sat 21 Nov 2026 12:00 UTC",
        "kept  espionage-1/1/black/report  Bob   Sat 21 Nov 2026 12:00 UTC",
    ]
    assert playing.does("mail", "queue", "list", "--status", "stuck") == ""
    first = playing.does("mail", "queue", "list", "--format", "json").splitlines()[0]
    assert json.loads(first)["key"] == "espionage-1/0/white/report"
    answer = playing("mail", "queue", "list", "--status", "stucl")
    assert answer == (1, "", "adjud: there is no status 'stucl'; did you mean stuck?\n")


def nth(adjud: Adjud, number: int, *words: str) -> str:
    """Return the id of an email of the list."""
    return adjud.does("mail", "queue", "list", *words).splitlines()[number].split()[0]


def test_emails_that_were_kept_are_never_sent_later(playing: Adjud) -> None:
    email = nth(playing, 0)
    assert playing.does("mail", "queue", "show", email.removeprefix("out-")) == (
        f"id: {email}\n"
        "key: espionage-1/0/white/report\n"
        "kind: report\n"
        "match: espionage-1\n"
        "seat: white\n"
        "to: Anna\n"
        "status: kept\n"
        "tries: 0\n"
        "created_at: Sat 21 Nov 2026 12:00 UTC\n"
        "next_at: -\n"
        "sent_at: -\n"
    )
    for word, why in (("retry", "it is not sent again"), ("drop", "nothing to drop")):
        answer = playing("mail", "queue", word, email)
        assert answer == (1, "", f"adjud: email {email} is kept; {why}\n")
        answer = playing("mail", "queue", word, "out-aaaaaaaa")
        assert answer == (1, "", "adjud: there is no email out-aaaaaaaa\n")


def test_a_stuck_email_can_be_dropped_and_tried_again(playing: Adjud) -> None:
    import sqlite3

    with sqlite3.connect(playing.file) as connection:
        connection.execute("UPDATE outbox SET status = 'stuck' WHERE id = 3")
    connection.close()
    assert playing("doctor").code == 1
    email = nth(playing, 2)
    assert playing.does("mail", "queue", "drop", email) == f"email {email} is dropped\n"
    out = playing.does("mail", "queue", "retry", email)
    assert out == f"email {email} will be tried at the next tick\n"
    assert nth(playing, 0, "--status", "waiting") == email


# --- backups and the doctor ------------------------------------------------------------------


def test_a_backup_is_private_and_can_be_restored(playing: Adjud) -> None:
    playing.write("adjud.toml", 'timezone = "Europe/Oslo"\n')
    before = playing.dump()
    file = str(playing.folder / "b.tar.gz")
    out = playing.does("backup", file)
    holds = "the database, the configuration, the key and 0 emails in the spool"
    assert out == f"{file} contains {holds}\n"
    assert stat.S_IMODE(Path(file).stat().st_mode) == 0o600
    with tarfile.open(file) as tar:
        assert set(tar.getnames()) == {"adjud.db", "adjud.toml", "adjud.key"}
        assert {(entry.mode, entry.uid, entry.uname) for entry in tar} == {(0o600, 0, "")}
    answer = playing("backup", file)
    assert answer == (1, "", f"adjud: {file} already exists; nothing was written\n")
    answer = playing("backup", "--restore", file)
    assert answer.code == 1
    assert "move it away first" in answer.err
    for path in playing.folder.glob("adjud.db*"):
        path.unlink()
    key = playing.folder / "data/adjud/adjud.key"
    content = key.read_bytes()
    key.write_text("k1 " + "00" * 32)
    answer = playing("backup", "--restore", file)
    assert answer == (1, "", f"adjud: there is a different key at {key}; move it away first\n")
    assert not playing.file.exists()
    key.unlink()
    assert playing.does("backup", "--restore", file) == (
        f"{playing.file}: the database is restored\n"
        f"{playing.folder}/adjud.toml: this configuration is used\n"
        f"{key}: the key is restored\n"
    )
    playing.settle()
    assert playing.dump() == before
    assert stat.S_IMODE(playing.file.stat().st_mode) == 0o600
    assert key.read_bytes() == content
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is not an adjud backup"),
        (b"nonsense", "is not an adjud backup"),
        (b"\x1f\x8b\x08\x00nonsense", "is damaged; nothing was restored"),
    ],
)
def test_what_is_no_backup_is_not_restored(adjud: Adjud, content: bytes, told: str) -> None:
    adjud.write("adjud.toml", "")
    file = adjud.write("b.tar.gz", content)
    assert adjud("backup", "--restore", file) == (1, "", f"adjud: {file} {told}\n")
    assert not adjud.file.exists()


def test_a_backup_into_a_folder_that_is_not_there(playing: Adjud) -> None:
    answer = playing("backup", str(playing.folder / "no/where/b.tar.gz"))
    assert answer.code == 1
    assert answer.err == f"adjud: there is no folder {playing.folder / 'no/where'}\n"


def test_the_doctor_finds_a_well_club_well(playing: Adjud) -> None:
    out = playing.does("doctor")
    assert all(line.startswith("ok  ") for line in out.splitlines())
    assert f"ok  {playing.file}: mode 0600\n" in out


def test_the_doctor_finds_what_is_wrong(playing: Adjud) -> None:
    playing.file.chmod(0o644)
    sheet = "ORDERS espionage-1 white\nd3-d4\nf3-f4\nEND\n"
    playing.does("submit", "-", stdin=sheet)
    answer = playing("doctor", at="2026-11-21 18:00:00")
    assert answer.code == 1
    bad = [line for line in answer.out.splitlines() if line.startswith("BAD ")]
    assert bad == [
        f"BAD {playing.file}: mode 0644, others can read every secret; chmod 600",
        "BAD tick: a match has been due for more than an hour; does cron call `adjud tick`?",
    ]
    answer = playing("doctor", at="2020-01-01")
    assert "BAD clock: it is behind the last adjudication" in answer.out


def test_the_doctor_of_a_missing_database(adjud: Adjud) -> None:
    adjud.write("adjud.toml", "")
    answer = adjud("doctor")
    assert answer.code == 1
    missing = (
        f"BAD there is no database at {adjud.file}; `adjud init` makes an empty one, "
        "`adjud backup --restore FILE` restores a club's\n"
    )
    assert answer.out.endswith(missing)


def test_an_upgrade_of_what_is_up_to_date(playing: Adjud) -> None:
    before = playing.dump()
    assert playing.does("db", "upgrade").startswith("the database is up to date (")
    assert playing.dump() == before


def test_a_club_is_copied_and_goes_on_at_the_new_place(playing: Adjud) -> None:
    before, url = playing.dump(), f"sqlite:///{playing.folder}/new/adjud.db"
    refused = playing("db", "copy", url)
    assert refused == (1, "", f"adjud: there is no folder {playing.folder}/new\n")
    assert playing.dump() == before
    (playing.folder / "new").mkdir()
    answer = playing("db", "copy", url)
    assert answer.code == 0
    rows, closed, replayed = answer.out.splitlines()
    assert closed.startswith(f"sqlite:///{playing.file}: closed; everything waits")
    assert re.fullmatch(rf"{re.escape(url)}: \d+ rows were copied and read back", rows)
    assert replayed == "the newest match was replayed there and agrees"
    assert answer.err.splitlines() == [
        f'next: write `database = "{url}"` in {playing.folder}/adjud.toml',
        f"next: stop giving sqlite:///{playing.file} with --database or ADJUD_DATABASE",
    ]
    for command in ("tick", "status", "db upgrade", f"db copy {url}", "backup later.tar.gz"):
        answer = playing(*command.split())
        assert answer.code == 1, command
        assert answer.err.startswith("adjud: the club was moved out of sqlite:////"), command
    assert playing("doctor").out.count("BAD the club was moved out of ") == 1
    reopened = playing.does("db", "reopen")
    assert reopened == f"sqlite:///{playing.file}: open again; delete the copy\n"
    assert playing.does("db", "reopen") == f"sqlite:///{playing.file}: was not closed\n"
    assert rows_in(playing.dump()) == rows_in(before)
    answer = playing("db", "copy", url)
    refused = f"adjud: there is already a club in {url}; name an empty database\n"
    assert answer == (1, "", refused)
    playing.env["ADJUD_DATABASE"] = url
    assert playing.does("status").startswith("espionage-1: ")
    playing.file = playing.folder / "new" / "adjud.db"
    assert rows_in(playing.dump()) == rows_in(before)
    assert stat.S_IMODE(playing.file.stat().st_mode) == 0o600


def test_a_copy_to_where_no_database_can_be(playing: Adjud) -> None:
    answer = playing("db", "copy", "nonsense")
    told = "adjud: that is not a database URL; write it like sqlite:////path/adjud.db\n"
    assert answer == (1, "", told)
    text = playing.write("notes.txt", "not a database, but something that is worth keeping\n")
    answer = playing("db", "copy", f"sqlite:///{text}")
    assert answer == (1, "", f"adjud: {text} is not an adjud database, or it is damaged\n")


# --- say and undo ----------------------------------------------------------------------------


def test_the_game_master_says_something_to_all_seats(playing: Adjud) -> None:
    out = playing.does("gm", "say", "espionage-1", "Happy  new year")
    assert out == "espionage-1: the message goes to all seats\n"
    for seat in ("white", "black"):
        assert notices(playing, seat, "2026-11-21") == ["The game master says: Happy new year"]
    answer = playing("gm", "say", "espionage-1", " ")
    assert answer == (1, "", "adjud: there is nothing to say: write some text\n")


def test_undo_takes_back_the_last_ply_until_somebody_has_read_of_it(playing: Adjud) -> None:
    out = playing.does("gm", "undo", "espionage-1", "--reason", "A slip.")
    assert out == (
        "espionage-1: the last ply is undone; turn 0 is open for orders again until 2026-11-24 "
        "12:00 UTC. If all orders for it are in, the next tick adjudicates it; `adjud gm hold` "
        "prevents that\n"
    )
    assert playing.does("verify").endswith("agree\n")
    playing.does("tick")
    assert notices(playing, "white", "2026-11-21")[-1].endswith(" A slip.")
    answer = playing("gm", "undo", "espionage-1")
    told = "espionage-1: a report of the last ply was already printed, or is on the club's site"
    assert answer == (1, "", f"adjud: {told}\n")
    playing.does("gm", "cancel", "espionage-1", "--reason", "x")
    answer = playing("gm", "undo", "espionage-1")
    assert answer == (1, "", "adjud: espionage-1 is over and stays over\n")


# --- emails that came -----------------------------------------------------------------------


def test_emails_that_were_read_stand_in_the_queue_when_the_match_is_over(by_mail: Adjud) -> None:
    before = by_mail.does("mail", "queue", "list"), by_mail.does("status")
    by_mail.came("white", "ORDERS espionage-1 white", "SETUP RANDOM", "END")
    by_mail.does("tick")
    assert (by_mail.does("mail", "queue", "list"), by_mail.does("status")) == before
    email = nth(by_mail, 0, "--gm", "--status", "accepted")
    answer = by_mail("mail", "queue", "show", email)
    assert answer == (1, "", f"adjud: there is no email {email}\n")
    assert "SETUP RANDOM" in by_mail.does("mail", "queue", "show", email, "--gm")
    by_mail.came("black", "ORDERS espionage-1 black", "SETUP RANDOM", "END")
    by_mail.does("tick")
    assert by_mail("mail", "queue", "show", email) == answer
    by_mail.does("gm", "cancel", "espionage-1", "--reason", "x")
    told = by_mail.does("mail", "queue", "show", email)
    assert told.startswith(f"id: {email}\nmatch: espionage-1\nseat: white\nchannel: pipe\n")
    assert "SETUP" not in told
    first, *_ = by_mail.does(
        "mail", "queue", "list", "--status", "accepted", "--format", "json"
    ).splitlines()
    assert json.loads(first)["id"] == email


def test_an_email_that_came_can_be_dropped_and_read_again(by_mail: Adjud) -> None:
    import sqlite3

    by_mail.came("white", "Hello", Auto_Submitted="auto-replied")
    by_mail.does("tick")
    email = nth(by_mail, 0, "--status", "junk")
    answer = by_mail("mail", "queue", "retry", email)
    assert answer == (1, "", f"adjud: email {email} is junk; it is not read again\n")
    with sqlite3.connect(by_mail.file) as connection:
        connection.execute("UPDATE letter SET status = 'stuck'")
    connection.close()
    assert "incoming emails: 1 stuck" in by_mail.does("status")
    assert "BAD emails: 1 stuck" in by_mail("doctor").out
    assert by_mail.does("mail", "queue", "drop", email) == f"email {email} is dropped\n"
    out = by_mail.does("mail", "queue", "retry", email)
    assert out == f"email {email} will be read at the next tick\n"
    for word in ("x", "in-", "1"):
        answer = by_mail("mail", "queue", "show", word)
        assert answer.code == 2
        assert "write one like in-k3f5qw2m" in " ".join(answer.err.split())


def test_the_doctor_looks_at_key_and_spool(by_mail: Adjud) -> None:
    answer = by_mail("doctor")
    assert "BAD key: it was never backed up" in answer.out
    by_mail.does("backup", str(by_mail.folder / "b.tar.gz"))
    answer = by_mail("doctor")
    for line in (
        f"!!  key: backed up in {by_mail.folder}/b.tar.gz, on its own disk only, as far as",
        "ok  mail: email arrives at play.example.org",
        f"ok  {by_mail.folder}/data/adjud/adjud.key: mode 0600",
    ):
        assert line in answer.out


def test_all_emails_are_tried_again_at_once(playing: Adjud) -> None:
    import sqlite3

    with sqlite3.connect(playing.file) as connection:
        connection.execute("UPDATE outbox SET status = 'stuck' WHERE id IN (1, 3)")
    connection.close()
    out = playing.does("mail", "queue", "retry", "--all")
    assert out == "2 emails in the queue will be tried at the next tick\n"
    assert "stuck" not in playing.does("mail", "queue", "list")
    assert playing("mail", "queue", "retry").code == 2
    assert playing("mail", "queue", "retry", "--all", nth(playing, 0)).code == 2


def test_a_quiet_tick_tells_only_what_waits_for_a_human(by_mail: Adjud) -> None:
    by_mail.came("white", "Hello", Auto_Submitted="auto-replied")
    assert by_mail.does("tick", "--quiet") == ""
    assert "junk" in by_mail.does("mail", "queue", "list")
    (by_mail.folder / "data" / "adjud" / "spool" / "new" / "no-letter").mkdir(parents=True)
    assert "could not be read as an email" in by_mail.does("tick", "--quiet")


def test_a_player_in_a_tournament_is_not_removed_before_they_have_left_it(club: Adjud) -> None:
    new = ("tournament", "new", "cup", "espionage", "--kind", "swiss", "--entrant", "Anna")
    club.does("player", "add", "Cleo", "cleo@example.org", "--confirmed")
    club.does(*new, "--entrant", "Cleo")
    refused = club("player", "remove", "Cleo")
    assert (refused.code, refused.err) == (
        1,
        "adjud: Cleo takes part in cup; end that first: `adjud tournament withdraw TOURNAMENT "
        "PLAYER` takes a player out\n",
    )
    club.does("tournament", "withdraw", "cup", "Cleo", "--reason", "x")
    assert club.does("player", "remove", "Cleo") == "Cleo: removed\n"


def test_the_log_of_a_tournament_is_printed_and_what_was_changed_in_it_is_named(
    club: Adjud,
) -> None:
    new = ("tournament", "new", "cup", "espionage", "--kind", "swiss", "--entrant", "Anna")
    club.does("player", "add", "Cleo", "cleo@example.org", "--confirmed")
    club.does(*new, "--entrant", "Bob", "--entrant", "Cleo")
    *lines, fingerprint = club.does("tournament", "log", "cup").splitlines()
    assert [json.loads(line)["line"] for line in lines] == ["opened", *["entered"] * 3]
    found = json.loads(club.does("tournament", "log", "cup", "--format", "json"))
    assert [one["line"] for one in found["log"]] == lines
    assert fingerprint == f"Log fingerprint TOURNAMENT|cup|4: {found['log'][-1]['head']}"
    assert json.loads(club.does("tournament", "show", "cup", "--format", "json"))["log"] == {
        "line": 4,
        "head": found["log"][-1]["head"],
    }

    with closing(sqlite3.connect(club.file)) as database, database:
        database.execute("UPDATE tournament_log SET line = replace(line, 'entry\":3', 'entry\":4')")
    answer = club("tournament", "log", "cup")
    assert answer.code == 1
    assert answer.err == (
        "adjud: line 4 of the log has another fingerprint than is stored\n"
        "adjud: line 4 of the log makes no sense\n"
    )
