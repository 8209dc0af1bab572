"""A page that is printed twice from the same rows is the same: nothing in them is used up.

Values are looked through as well, for whatever gives its parts only once: a generator, a `map`, a
`zip`.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

import pytest
from msgspec import Struct

from adjudicator.core.game import AnyGame
from adjudicator.core.message import LANGUAGES
from adjudicator.reports import club as public
from adjudicator.reports import render
from adjudicator.reports.frame import ReplyForm
from adjudicator.reports.words import words
from tests.club import Club, NewMatch, Printable, computer_orders
from tests.games.under_contract import ALL
from tests.service.test_site import files

pytestmark = pytest.mark.usefixtures("skeleton")
VARIANTS = [(game, variant) for game in ALL.values() for variant in game.variants]
FORMS = ("txt", "letter", "news")
PLIES = 8


def used_up(value: object, at: str) -> Iterator[str]:
    """Yield where in a value something can be gone through once only."""
    if isinstance(value, str | bytes | int | float | None):
        return
    if isinstance(value, Iterator):
        yield at
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from used_up(getattr(value, name), f"{at}.{name}")
    elif isinstance(value, Mapping):
        for key, below in value.items():
            yield from used_up(below, f"{at}[{key!r}]")
    elif isinstance(value, Sequence | Set):
        for number, below in enumerate(value):
            yield from used_up(below, f"{at}[{number}]")
    elif hasattr(value, "__dict__"):
        yield from used_up(vars(value), at)


def open_match(store: Any, game: AnyGame, variant: str) -> Club:
    club = Club(store)
    seating_ = game.seating(variant, "")
    seats = seating_[min(seating_)] if seating_ else game.seats
    club.add(*(f"P{number}" for number in range(len(seats))))
    wanted = NewMatch(
        game=game.slug,
        variant=variant,
        name="m",
        seats=[f"{seat}=P{number}" for number, seat in enumerate(seats)],
        options=(),
        seed=None,
        fresh_seed=bytes(32),
    )
    club.create(wanted)
    return club


def played(club: Club) -> Iterator[list[Printable]]:
    """Yield every seat's report at the beginning, after each of some plies, and at the end."""
    for _ in range(PLIES):
        yield club.newest_reports("m")
        loaded = club.loaded()
        for seat in loaded.awaited:
            club.send(seat, *computer_orders(loaded, seat, "computer:random"))
        club.tick()
    for seat in club.loaded().seats[1:]:
        club.send(seat, "RESIGN")
    club.tick()
    yield club.newest_reports("m")


def forms(prints: render.Prints, printable: Printable) -> dict[str, str]:
    found = {form: prints.form(form) for form in FORMS}
    found |= {"page": prints.page(printable.past), "alone": prints.page_without_history}
    for room in (None, 0):
        if history := prints.history(printable.past, room):
            found |= {f"around {room}": prints.page_around(history)}
            found |= {f"around {room} again": prints.page_around(history)}
            assert found[f"around {room}"] == found[f"around {room} again"]
    return found


@pytest.mark.parametrize(
    ("game", "variant"), VARIANTS, ids=lambda one: str(getattr(one, "slug", one))
)
def test_rendered_twice_is_the_same(store, game, variant):
    club, phases = open_match(store, game, variant), set()
    for number, printables in enumerate(played(club)):
        for printable in printables:
            report, language = printable.report, LANGUAGES[number % len(LANGUAGES)]
            phases.add(report.phase)
            reply = ReplyForm(
                link="mailto:x@example.org", attached=number % 2 == 1, first=not number
            )
            prints = render.Prints(game, report, language, "UTC", reply)
            first = forms(prints, printable)
            assert forms(prints, printable) == first
            assert forms(render.Prints(game, report, language, "UTC", reply), printable) == first
            tell = words(language, game.slug)
            rows = render.rows_with_tales(game, report, tell)
            back = game.page.back(report, tell, printable.past, None)
            values = {"report": report, "rows": rows, "back": back, "past": printable.past}
            assert [*used_up(values, "")] == []
            pictures = [render.render(game, report, "svg", language) for _ in range(2)]
            assert pictures[0] == pictures[1]
    assert phases >= {"play", "over"}


def test_the_pages_of_a_club_rendered_twice_are_the_same(store, monkeypatch):
    game = ALL["espionage"]
    club, index = open_match(store, game, "small"), public.index
    assert len([*played(club)]) == PLIES + 1
    club.new(white="P0", black="P1", name="n")

    def twice(shown: public.ClubPage, language: str) -> str:
        assert [*used_up(shown, "club")] == []
        page = index(shown, language)
        assert index(shown, language) == page
        return page

    monkeypatch.setattr(public, "index", twice)
    first, second = (files(club) for _ in range(2))
    assert b"P0" in first["index.html"]
    assert first == second


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "game", [game for game in ALL.values() if game.page.rules], ids=lambda game: game.slug
)
def test_the_rules_rendered_twice_are_the_same(game, language):
    rows = game.page.rules(words(language, game.slug))
    assert [*used_up(rows, "rules")] == []
    assert public.rules(game.slug, rows, language) == public.rules(game.slug, rows, language)
