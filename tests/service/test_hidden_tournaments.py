"""Tournaments whose matches hide who plays them (club, 6.4.2): whoever else sits at a board, a
third and the operator are shown the same bytes until that match is over."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.club import Club, Refusal, Store, plain
from tests.database import FILE, open_store
from tests.inside import rounds, swiss
from tests.nightly import NIGHT
from tests.service.cups import KINDS, Cup, NewPairing, Tournament, all_of_club, as_json
from tests.service.mailclub import MailClub
from tests.service.test_hidden_names import text
from tests.service.test_site import everybodys, files

PODS = {
    "one": (("Anna", "Bob", "Cleo"), ("Dag", "Eva", "Finn")),
    "two": (("Anna", "Eva", "Finn"), ("Dag", "Bob", "Cleo")),
}
OPTIONS = ("names=hidden", "deadline=every 3 days", "level=token", "press=on")


class Twin:
    """A tournament of two boards of three, whose players are told by name."""

    def __init__(self, store: Store, folder: Path, boards: Sequence[Sequence[str]]) -> None:
        self.club, self.boards = MailClub(store, folder / "spool"), boards
        codes = (f"CDE{n}" for n in range(200, 999))
        self.club.context = replace(
            self.club.context, hooks_file=folder / "events", coder=lambda: next(codes)
        )
        Club(store).listen(FILE)
        self.club.add("Gro")
        self.cup = Cup(self.club, 6, "swiss", game="spies", seats="3", rounds=2, options=OPTIONS)
        self.read: list[tuple[str, object]] = []

    def pairs(self, tournament: Tournament, round_: int) -> list[NewPairing]:
        numbers = {one.player: one.number or 0 for one in tournament.entries}
        return [
            NewPairing("match", tuple(numbers[name] for name in names)) for names in self.boards
        ]

    def tick(self, what: str) -> None:
        """Run a tick; note all that anybody but the two is shown."""
        self.club.run_tick()
        self.read += [(f"{what}: {name}", shown) for name, shown in self.shown()]

    def withdraws(self, seat: int) -> None:
        """Let a player of the first board leave the tournament by email."""
        who = self.boards[0][seat]
        self.club.say(who, "WITHDRAW cup")
        self.club.run_tick()
        asked = [raw for _, to, raw in self.club.way.letters if to == f"{who.lower()}@example.org"]
        found = re.findall(rb"CONFIRM (\w+)", asked[-1])
        self.club.say(who, f"CONFIRM {found[-1].decode()}")
        self.tick(f"seat {seat} withdrew")

    def hands_over(self, seat: int, new: str) -> None:
        self.club.replace_entrant("cup", self.boards[0][seat], new)
        self.tick(f"seat {seat} was handed over")

    def shown(self) -> Iterator[tuple[str, object]]:
        club = self.club
        yield "letters", [raw for _, to, raw in club.way.letters if to == "anna@example.org"]
        yield "show", self.cup.text()
        yield "show as JSON", self.cup.shown()
        yield "list", [as_json(one) for one in all_of_club(club.store)]
        yield "status", json.dumps(club.status(None), default=str)
        yield "late", club.late(timedelta(days=9))
        yield "tick", club.told
        newest, _ = club.newest_in_queue((), 1)
        for number, listed in enumerate((club.queue(()), newest)):
            told = (json.dumps(plain(one), default=str) for one in listed)
            yield f"queue {number}", [re.sub(r'"(?:in|out)-\w+"', "", one) for one in told]
        club.hand_over()
        assert club.context.hooks_file
        file = club.context.hooks_file
        events = file.read_text() if file.exists() else ""
        yield "events", re.sub(r'"id":"\w+"', "", events)
        yield "site", everybodys(files(club))
        for name in ("Anna", "Bob", "Dag", "Eva"):  # of the others a hand-over is told
            yield f"profile of {name}", club.profile(name)


@pytest.fixture
def twins(
    new_sqlite: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Mapping[str, Twin]]:
    made = {}
    for name, boards in PODS.items():
        (tmp_path / name).mkdir()
        made[name] = Twin(open_store(new_sqlite(name)), tmp_path / name, boards)
    yield made
    for twin in made.values():
        twin.club.store.close()


def lived(twins: Mapping[str, Twin], monkeypatch: pytest.MonkeyPatch, *steps: str) -> None:
    for twin in twins.values():
        monkeypatch.setitem(KINDS, "swiss", replace(swiss.KIND, pairs=twin.pairs))
        monkeypatch.setattr(rounds.secrets, "token_bytes", lambda length: bytes(range(length)))
        twin.tick("open")
        twin.club.start_tournament("cup")
        twin.tick("begun")
        for step in steps:
            word, _, rest = step.partition(" ")
            if word == "withdraws":
                twin.withdraws(int(rest))
            elif word == "hands":
                twin.hands_over(int(rest), "Gro")
            elif word == "cancel":
                twin.club.cancel_tournament("cup")
                twin.tick(step)


def same(one: Twin, two: Twin) -> None:
    assert [name for name, _ in one.read] == [name for name, _ in two.read]
    differ = [name for name, shown in one.read if shown != dict(two.read)[name]]
    assert not differ


@pytest.mark.parametrize(
    "steps",
    [
        (),
        pytest.param(("withdraws 1",), marks=NIGHT),
        pytest.param(("hands 2",), marks=NIGHT),
        ("withdraws 1", "hands 2"),
        ("cancel",),
    ],
)
def test_twins_whoever_else_sits_at_the_board(
    twins: Mapping[str, Twin], monkeypatch: pytest.MonkeyPatch, steps: Sequence[str]
) -> None:
    lived(twins, monkeypatch, *steps)
    same(twins["one"], twins["two"])


def test_what_happens_at_the_board_is_told_by_seat(
    twins: Mapping[str, Twin], monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(twins, monkeypatch, "withdraws 1", "hands 2")
    one = twins["one"]
    told = "\n".join(text(raw) for _, to, raw in one.club.way.letters if to == "anna@example.org")
    assert "loses this match by forfeit." in told
    assert "Another player now plays" in told
    assert not [name for name in ("Gro", "has left the tournament") if name in told]
    shown = one.cup.shown()
    assert {one["number"] for one in shown["entries"]} == {None}
    assert {one["number"] for one in shown["table"]} == {None}
    assert [one["players"] for one in shown["pairings"]] == [None, None]
    assert [one["player"] for one in shown["entries"]] == list(one.cup.names)


def test_all_is_shown_once_the_match_is_over(
    twins: Mapping[str, Twin], monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(twins, monkeypatch, "withdraws 1", "hands 2")
    one = twins["one"]
    one.club.forfeit("cup-1-1", next(iter(one.club.loaded("cup-1-1").seats)))
    one.tick("over")
    shown = one.cup.shown()
    first, second = shown["pairings"]
    assert (first["players"], second["players"]) == (["Anna", "Bob", "Cleo, then Gro"], None)
    entries = {one["player"]: one for one in shown["entries"]}
    assert entries["Bob"]["withdrawn"]
    assert entries["Gro"]["before"] == ["Cleo"]
    assert {one["number"] for one in shown["entries"]} == {None}  # the other board still hides
    one.club.cancel("cup-1-2")
    one.club.cancel_tournament("cup")
    one.tick("cancelled")
    shown = one.cup.shown()
    assert sorted(one["number"] for one in shown["entries"]) == [1, 2, 3, 4, 5, 6]
    assert shown["seed"]


def test_an_entry_whose_seat_has_left_its_match_is_handed_over(
    twins: Mapping[str, Twin], monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(twins, monkeypatch)
    one = twins["one"]
    seats = list(one.club.loaded("cup-1-1").seats)
    one.club.forfeit("cup-1-1", seats[1])
    one.hands_over(1, "Gro")
    assert one.club.loaded("cup-1-1").holders[seats[1]].player_name == "Bob"
    with one.club.store.reading() as tx:
        rows = tx.exec_driver_sql(
            "SELECT name FROM entry JOIN player ON player.id = player_id ORDER BY entry.id"
        )
        assert [str(row[0]) for row in rows] == ["Anna", "Gro", "Cleo", "Dag", "Eva", "Finn"]


def test_no_refusal_tells_in_which_match_a_player_is(
    twins: Mapping[str, Twin], monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(twins, monkeypatch)
    with pytest.raises(Refusal, match=r"Bob plays in \(hidden\);"):
        twins["one"].club.remove("Bob")
    for twin in twins.values():
        told = json.dumps(twin.club.profile("Bob"))
        assert "cup-1" not in told


def test_a_match_that_cannot_be_made_names_nobody(
    twins: Mapping[str, Twin], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = twins["one"]
    monkeypatch.setitem(KINDS, "swiss", replace(swiss.KIND, pairs=one.pairs))
    one.club.start_tournament("cup")
    with one.club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE player SET address = 'bob@example.org' WHERE name = 'Cleo'")
    emails = one.club.run_tick()
    told = "\n".join([*one.club.told, *(text(bytes(one)) for one in emails)])
    assert "cup-1-1 cannot be made: two of its players cannot meet now" in " ".join(told.split())
    alert = next(text(bytes(email)) for email in emails if "gm@" in str(email["To"]))
    assert not [name for name in ("Bob", "Cleo") if name in alert + "\n".join(one.club.told)]
