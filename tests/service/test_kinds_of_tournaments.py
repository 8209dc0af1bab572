"""What holds for every kind of tournament, whatever its rounds and its table are (club, 7)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import click
import pytest
from msgspec.structs import replace

import adjudicator
from adjudicator.cli.tournament import new
from adjudicator.core.message import Message
from adjudicator.core.pairing.points import points_of
from adjudicator.service.competition import creating
from adjudicator.store.tournaments import EntryRow, Format, PairingRow, TournamentRow
from tests.club import Refusal, Store
from tests.service.cups import KINDS, MONDAY, Cup, Kind, NewPairing, Tournament, as_text, lines_of
from tests.service.mailclub import MailClub


@pytest.fixture
def mailclub(store: Store, tmp_path: Path) -> MailClub:
    return MailClub(store, tmp_path / "spool")


MOST = 9
SIZES = [
    (slug, n)
    for slug, kind in KINDS.items()
    for n in range(kind.limits(Format()).least, min(MOST, kind.limits(Format()).most) + 1)
]


@pytest.mark.parametrize("slug", KINDS)
def test_only_its_own_file_names_a_kind(slug: str) -> None:
    quoted = (f'"{slug}"', f"'{slug}'")
    files = Path(adjudicator.__file__).parent.rglob("*.py")
    found = [one.stem for one in files if any(word in one.read_text("utf-8") for word in quoted)]
    assert found == [slug.replace("-", "_")]


@pytest.mark.parametrize("slug", KINDS)
def test_the_help_and_the_book_name_each_kind(slug: str) -> None:
    assert slug in new.get_help(click.Context(new))
    book = (Path(__file__).parents[2] / "docs/club.md").read_text("utf-8")
    assert f"\n| {slug} | " in book


# Play one in memory, each match with a result by lot.


def begun(kind: Kind, entrants: int) -> Tournament:
    entries = [
        EntryRow(
            id=100 + n,
            player_id=n,
            player=f"Player {n}",
            address=f"p{n}@example.org",
            number=n,
            status="in",
            silent_forfeits=0,
            entered_at=MONDAY,
        )
        for n in range(1, entrants + 1)
    ]
    row = TournamentRow(
        id=1,
        name="cup",
        kind=kind.slug,
        game="espionage",
        variant="small",
        options={},
        format=kind.at_start(Format(), entrants),
        seed=bytes(range(32)),
        status="playing",
        round=0,
        is_public=False,
        starts_at=None,
        created_at=MONDAY,
        started_at=MONDAY,
        ended_at=None,
        wake_at=None,
        trouble=None,
        changes=0,
    )
    return Tournament(row, entries, [], kind)


def played(one: Tournament, new: NewPairing, board: int, draw: Random) -> PairingRow:
    """Return a pairing of the next round as it is when it is over."""
    points = new.points
    if points is None:
        winner = draw.choice(new.numbers)
        losers = [str(number) for number in new.numbers if number != winner]
        given = points_of([[str(winner)], losers])
        points = [given[str(number)] for number in new.numbers]
    return PairingRow(
        round=one.row.round + 1,
        board=board,
        again=0,
        kind=new.kind,
        match_id=None,
        ending="played",
        made_at=MONDAY,
        done_at=MONDAY,
        ruling=None,
        entries=tuple(one.by_number[number].id for number in new.numbers),
        points=tuple(points),
    )


def rounds_of(
    kind: Kind, entrants: int, draw: Random
) -> Iterator[tuple[Tournament, Sequence[NewPairing]]]:
    """Yield each round as it is made, with the tournament before it, and the end with no pairing;
    one entry withdraws after the first round."""
    one = begun(kind, entrants)
    for number in range(1, one.rounds + 1):
        assert kind.is_due(one, number)
        made = kind.pairs(one, number)
        assert made is not None
        yield one, made
        rows = [played(one, new, board, draw) for board, new in enumerate(made, 1)]
        row = replace(one.row, round=number)
        entries = [
            replace(entry, status="withdrawn") if number == 1 and entry.number == 2 else entry
            for entry in one.entries
        ]
        one = Tournament(row, entries, [*one.pairings, *rows], kind)
    yield one, []


@pytest.mark.parametrize(("slug", "entrants"), SIZES)
def test_rounds_pair_who_is_there_once_and_the_table_has_everybody(
    slug: str, entrants: int
) -> None:
    for one, made in rounds_of(KINDS[slug], entrants, Random(entrants)):
        numbers = [number for new in made for number in new.numbers]
        assert max(Counter(numbers).values(), default=1) == 1
        assert {*numbers} <= {*one.by_number}
        assert all((new.kind == "match") == (new.points is None) for new in made)
        lines = lines_of(one)
        assert sorted(line.number for line in lines) == [*range(1, entrants + 1)]
        assert [line.place for line in lines] == sorted(line.place for line in lines)
        assert lines[0].place == 1
        assert str(one.by_number[2].player) in as_text(one, str)
    assert one.is_done(one.rounds)
    assert one.whole_rounds == one.rounds


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_kind_says_what_it_takes_and_refuses_the_rest(kind: Kind, mailclub: MailClub) -> None:
    given = {"--twice": True, "--at-once": 2, "--rounds": 2, "--seats": "2"}
    assert kind.takes <= {*given}
    for option, value in given.items():
        wanted = {option.removeprefix("--").replace("-", "_"): value}
        if option in kind.takes:
            continue
        with pytest.raises(Refusal, match=f"a {kind.title} has no option {option}"):
            Cup(mailclub, 4, kind.slug, **wanted)
    for word in (kind.slug, kind.slug.upper(), *kind.spellings):
        assert creating._kind(word) is kind
    assert isinstance(kind.title, Message)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_one_of_each_is_played_to_its_end_though_somebody_leaves(
    kind: Kind, mailclub: MailClub
) -> None:
    entrants = kind.limits(Format()).least + 1
    cup = Cup(mailclub, entrants, kind.slug, options=["names=hidden"])
    cup.start()
    assert cup.shown()["kind"] == kind.slug
    cup.withdraw(cup.names[-1])
    cup.tick()
    for _ in range(cup.now.rounds):
        for pairing in cup.now.pairings:
            if pairing.match and pairing.done_at is None:
                cup.decide(pairing.match, cup.club.loaded(pairing.match).seats[0])
                cup.tick()
        cup.tick()
    assert cup.shown()["status"] == "over"
    assert len(cup.table()) == entrants
    assert cup.names[-1] in cup.text()
