"""A match that waits for its public number is loaded like any other: whatever takes a match refuses
it or does nothing, and never adjudicates, notes or tells anything."""

import importlib
import inspect
import pkgutil
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, NewType, TypeVar

import msgspec
import pytest

import adjudicator.service
from adjudicator.core.match import Seat
from adjudicator.core.sheets import RawSheet, Reading, read_sheets
from adjudicator.service.inbound import answer, replies
from adjudicator.service.matches import (
    entering,
    game_master,
    option_changes,
    results,
    seating,
)
from adjudicator.service.matches.results import PlyMade
from adjudicator.service.outbox import faults
from adjudicator.service.site import match_pages
from adjudicator.store.turns import Ply, StoredReport
from tests.club import Context, Loaded, MatchSession, Refusal, Session, Source, Store, load
from tests.database import Tx
from tests.rows import rows_of
from tests.service.mailclub import POST, said, text_of
from tests.service.test_public_chance import FULL, LATER, Waiting

# What is for a match that waits, too.
FOR_WAITING = {
    entering.enter_value,
    game_master.announce,
    game_master.cancel,
    game_master.replace,
    seating.take_seat,
    seating.open_seat,
    option_changes.change_options,
}
# What answers somebody, or tells the operator of a fault, whatever the match.
ANSWERS = {answer.tell_holder, replies.queue, faults.tell}
# What only a match that has opened has, and what takes the state that follows on one: with these
# nobody can ask about another.
OF_A_PLY = {Ply, PlyMade, StoredReport, match_pages.WatchedPly, results.of_ply}


def modules() -> Iterator[types.ModuleType]:
    for found in pkgutil.walk_packages(adjudicator.service.__path__, "adjudicator.service."):
        if not found.name.startswith("adjudicator.service.audit"):
            yield importlib.import_module(found.name)


def takers() -> Iterator[tuple[str, Callable[..., Any], Mapping[str, Any]]]:
    """Yield every public function of the use cases that takes a match, or its name, with the types
    of what it must be given."""
    known: dict[str, Any] = {"Callable": Callable}
    for module in modules():  # classes that others import for their types alone
        known |= {name: one for name, one in vars(module).items() if inspect.isclass(one)}
    for module in modules():
        for name, found in vars(module).items():
            if not inspect.isfunction(found) or found.__module__ != module.__name__:
                continue
            if name.startswith("_") or found in FOR_WAITING | ANSWERS:
                continue
            types_of = typing.get_type_hints(found, localns=known)
            needed = {
                one.name: types_of[one.name]
                for one in inspect.signature(found).parameters.values()
                if one.default is inspect.Parameter.empty and one.name in types_of
            }
            takes = {*needed.values(), *sum((_within(one) for one in needed.values()), ())}
            by_name = Store in takes and needed.get("name") is str
            if (by_name or {Loaded, MatchSession} & takes) and not OF_A_PLY & {found, *takes}:
                yield (
                    f"{module.__name__.removeprefix('adjudicator.service.')}.{name}",
                    found,
                    needed,
                )


def _within(kind: Any) -> tuple[Any, ...]:
    """Return what a type is made of: of `Sequence[Ply] | None` the sequence, and `Ply`."""
    inner = () if typing.get_origin(kind) in (Literal, Callable) else typing.get_args(kind)
    return (*inner, *sum((_within(one) for one in inner), ()))


SIMPLE: Mapping[Any, Any] = {
    Any: (),
    Exception: ValueError(),
    Path: Path("nowhere"),
    Seat: Seat("white"),
    bool: False,
    bytes: b"",
    date: LATER.date(),
    datetime: LATER,
    int: 1,
    object: "white",
    str: "white",
    timedelta: timedelta(hours=1),
}


def made(kind: Any, given: Mapping[Any, Any]) -> Any:
    """Return some value of a type: of a Struct one with the least in it."""
    if kind in given:
        return given[kind]
    if isinstance(kind, NewType):
        return made(kind.__supertype__, given)
    if isinstance(kind, TypeVar):
        return ()
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return None if type(None) in inner else made(inner[0], given)
    if origin is Literal:
        return inner[0]
    if origin is Callable:
        return lambda *values: values[0] if values else None
    if origin is tuple:
        return () if inner[-1] is ... else tuple(made(one, given) for one in inner)
    if inspect.isclass(origin) and issubclass(origin, Mapping):
        return {"white": made(inner[1], given), "black": made(inner[1], given)}
    if inspect.isclass(origin) and issubclass(origin, AbstractSet):
        return frozenset({made(inner[0], given)})
    if inspect.isclass(origin) and issubclass(origin, Iterable):
        return [made(inner[0], given)]
    kinds = typing.get_type_hints(origin or kind, localns={"Callable": Callable})
    required = [one.name for one in msgspec.structs.fields(origin or kind) if one.required]
    return (origin or kind)(**{name: made(kinds[name], given) for name in required})


SHEET = read_sheets("ORDERS m white\nSETUP AUTO\nEND")


@pytest.fixture
def club(store, tmp_path: Path) -> Waiting:
    return Waiting(store, tmp_path / "spool")


def call(club: Waiting, function: Callable[..., Any], needed: Mapping[str, Any]) -> str:
    """Call a function with the match that waits; return what is wrong, if anything is."""
    given: dict[Any, Any] = {
        **SIMPLE,
        Context: club.context,
        type(POST): POST,
        Store: club.store,
        Reading: SHEET,
        RawSheet: SHEET.sheets[0],
        Source: Source(match="m", seat="white"),
    }
    if Store in needed.values():
        before = rows_of(club.store)
        _ask(function, {**{k: made(v, given) for k, v in needed.items()}, "name": "m"})
        return "" if rows_of(club.store) == before else "it has changed rows"
    with club.store.transaction() as tx, tx.begin_nested() as undone:
        loaded = load(tx, "m")
        assert not loaded.is_opened
        s = Session(tx, LATER, club.context)
        given |= {Tx: tx, Session: s, Loaded: loaded, MatchSession: MatchSession(tx, loaded, LATER)}
        database: Any = tx.connection.driver_connection
        before = database.total_changes
        refused = _ask(function, {k: made(v, given) for k, v in needed.items()})
        is_changed = database.total_changes != before
        undone.rollback()
    return "it has changed rows" if is_changed and not refused else ""


def _ask(function: Callable[..., Any], values: Mapping[str, Any]) -> bool:
    """Return whether a function refuses these values; that takes back what it has done."""
    try:
        answer = function(**values)
        if inspect.isgenerator(answer):
            list(answer)
    except Refusal:
        return True
    return False


@pytest.mark.slow
def test_whatever_takes_a_match_does_nothing_with_one_that_waits(club: Waiting):
    club.open()
    club.run_tick(FULL)
    found = list(takers())
    assert len(found) > 140
    wrong = {}
    for name, function, needed in found:
        try:
            if told := call(club, function, needed):
                wrong[name] = told
        except Exception as fault:
            wrong[name] = repr(fault)
    assert list(wrong.items()) == []
    assert club.run_tick(LATER - timedelta(minutes=2)) == []


# What players and the operator read of a match that waits, wherever matches are listed.


def test_a_match_that_waits_is_named_among_others_and_asks_for_nothing(club: Waiting):
    club.open()
    club.new(name="n", now=FULL)
    club.run_tick(FULL)
    club.say("Anna", "STATUS", at=FULL)
    (answer,) = club.run_tick(FULL)
    rows = [line.split()[:5] for line in text_of(answer).splitlines() if line[:2] in ("m ", "n ")]
    assert rows == [
        ["m", "Espionage", "0", "players", "-"],
        ["n", "Espionage", "0", "your", "orders"],
    ]
    seats = club.profile("Anna", now=FULL)["seats"]
    of = {one["match"]: one for one in seats}
    assert ("to_move" in of["m"], of["n"]["to_move"]) == (False, True)
    waits = club.waiting_for("Anna", "")
    assert [one["match"] for one in waits] == ["n"]
    assert club.seats_of_player("Anna") == [("m", "white"), ("n", "white")]
    leave = {"reason": "", "now": FULL}
    with pytest.raises(Refusal, match="all players of m know which number decides"):
        club.open_seat("m", Seat("white"), **leave)
    assert club.newest_reports("m", now=FULL, noting=True) == []


def test_of_several_matches_in_one_email_the_others_are_carried_out(club: Waiting):
    club.open()
    club.new(name="n", now=FULL)
    club.run_tick(FULL)
    sheets = ("ORDERS m white", "SETUP AUTO", "END", "ORDERS n white", "SETUP AUTO", "END")
    club.say("Anna", *sheets, at=FULL)
    (answer,) = club.run_tick(FULL)
    told = said(answer)
    assert "Your email for m was not used: the match has not opened" in told
    assert "n: accepted" in told
    assert "white" in club.loaded("n").sheets


def test_a_daily_email_has_nothing_of_a_match_that_waits_but_its_line(club: Waiting):
    club.open()
    club.new("deadline=every 7 days", name="n", now=FULL)
    club.say("Anna", "PREFS LETTERS DAILY", at=FULL)
    club.run_tick(FULL)
    club.announce("m", "Hello", now=FULL)
    club.announce("n", "Hello", now=FULL)
    assert [one["To"] for one in club.run_tick(FULL) if "anna" in one["To"]] == []
    morning = (FULL + timedelta(days=1)).replace(hour=7, minute=0)
    (daily,) = [one for one in club.run_tick(morning) if "anna" in one["To"]]
    (line,) = [one for one in text_of(daily).splitlines() if one.startswith("m ")]
    assert line.split() == ["m", "Espionage", "players", "-"]


def test_an_email_to_a_seat_that_waits_may_name_other_matches(club: Waiting):
    club.open()
    club.new(name="n", now=FULL)
    club.run_tick(FULL)
    club.write("white", "READY", "MATCH n", "ORDERS n white", "SETUP AUTO", "END", at=FULL)
    (answer,) = club.run_tick(FULL)
    assert "Your email for m was not used: the match has not opened" in said(answer)
    assert "n: accepted" in said(answer)
    assert "white" in club.loaded("n").sheets


def test_who_writes_to_anothers_seat_that_waits_is_told_so(club: Waiting):
    club.open()
    club.run_tick(FULL)
    club.write("white", "READY", sender="bob@example.org", at=FULL)
    (told,) = club.run_tick(FULL)
    assert told["To"] == "bob@example.org"
    assert "the address of a seat that is not yours" in said(told)
