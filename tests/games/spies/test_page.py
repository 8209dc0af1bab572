"""Test what is printed of a report: the tables, the map, the look back, all in three languages."""

import re
from collections import Counter
from random import Random

import pytest
from msgspec import UNSET, convert
from msgspec.structs import replace

from adjudicator.core.match import Outcome, Seat
from adjudicator.core.orders import split_lines
from adjudicator.core.report import Report, flat
from adjudicator.games.spies import SPIES
from adjudicator.games.spies.computers import COMPUTERS
from adjudicator.games.spies.orders.check import check
from adjudicator.games.spies.orders.parse import parse
from adjudicator.games.spies.orders.template import template
from adjudicator.games.spies.page.composer_data import links
from adjudicator.games.spies.page.history import History, OldReport, history
from adjudicator.games.spies.page.layout import CITIES, HEIGHT, WIDTH, ZONES
from adjudicator.games.spies.page.news import explain_discoveries
from adjudicator.games.spies.page.rows import Page, page
from adjudicator.games.spies.page.sentences import ending, facts, how
from adjudicator.games.spies.page.titles import secret_title, tile_title
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.apply import apply
from adjudicator.games.spies.rules.atlas import atlas
from adjudicator.games.spies.rules.events import Skipped
from adjudicator.games.spies.sight.observe import observe
from adjudicator.games.spies.sight.sightings import News, SawSkipped
from adjudicator.games.spies.sight.view import SeenEntry, SeenStanding, View
from adjudicator.reports.render import render
from adjudicator.reports.words import words
from tests import printed
from tests.games.spies.matches import Ply, random_match, setting
from tests.games.standing import standing

PLIES = tuple(random_match(Random(5), setting(5), COMPUTERS["computer"], leaving=0))


def told(ply: Ply, seat: str = "germany") -> Report[View, News]:
    """Return the report behind a ply; at the end with the record of the whole match."""
    log = [event for each in PLIES for event in each.events] if ply.after.outcome else ply.events
    at = replace(standing(SPIES, ply.after), log=[(7, event) for event in log])
    match = replace(at.loaded.match, name=ply.chance.match, seed=ply.chance.seed)
    at = replace(at, loaded=replace(at.loaded, match=match))
    return printed.report_of(at, Seat(seat))


def old(ply: Ply) -> OldReport:
    """Return the report behind a ply as a later page reads it."""
    return convert(flat(told(ply), SPIES.record.key), OldReport)


def rows(ply: Ply) -> Page:
    return page(told(ply), words("en", "spies"))


def looked_back(ply: Ply, past: list[OldReport]) -> History:
    back = history(told(ply), past, words("en", "spies"))
    assert back
    return back


def test_every_city_and_ship_has_a_place_of_its_own_on_the_map():
    assert CITIES.keys() == atlas().cities.keys()
    assert ZONES.keys() == {zone.id for zone in atlas().zones}
    spots = [*CITIES.values(), *ZONES.values()]
    assert len(set(spots)) == len(spots)
    assert all(0 < x < WIDTH and 0 < y < HEIGHT for x, y in spots)
    for city, (x, y) in CITIES.items():
        for other, (u, v) in CITIES.items():
            assert city == other or abs(x - u) >= 50 or abs(y - v) >= 26, (city, other)


def test_all_that_stands_in_a_city_is_drawn_and_listed():
    """The list says to a screen reader what the drawing shows."""
    printed = rows(PLIES[3])
    spies = [spy for spy in PLIES[3].after.spies.values() if spy.city]
    drawn = [chip for kind in printed.shapes.texts for chip in kind[0]]
    assert len(drawn) == len(spies)
    listed = " ".join(
        thing for _, cities in printed.countries for city in cities for thing in city.things
    )
    for code, spy in PLIES[3].after.spies.items():
        assert (code in listed) == (spy.city is not None)


@pytest.mark.parametrize("language", ["en", "nb", "sv"])
@pytest.mark.parametrize("number", [0, 3, 7])
@pytest.mark.parametrize("suffix", ["txt", "html"])
def test_a_report_is_printed_in_every_language(language: str, number: int, suffix: str):
    text = render(SPIES, told(PLIES[number]), suffix, language)
    words_of_scripts = r' data-\w+="[^"]*"'
    shown = re.sub(words_of_scripts, "", re.split("<(?:script|template)", text)[0])
    assert not re.search(r"\{\w+\}|%\(\w+\)", shown)
    if language != "en" and suffix == "txt":
        assert "The powers" not in text
        assert "What happened" not in text


def test_the_points_of_all_years_are_the_points():
    printed = rows(PLIES[-1])
    assert printed.points
    for seat in printed.points:
        (row,) = [row for row in printed.powers if row.title == seat.title]
        assert row.points == seat.sum


def test_a_page_looks_back_year_by_year():
    back = looked_back(PLIES[4], [old(ply) for ply in PLIES[:4]])
    labels = [moment.label for moment in back.moments]
    assert labels[-1] == "1936"
    assert labels == sorted(labels)


def test_a_look_back_holds_nothing_that_the_seat_was_not_told():
    back = str(looked_back(PLIES[4], [old(ply) for ply in PLIES[:4]]))
    known = {secret.title for secret in told(PLIES[4]).view.secrets if secret.title}
    for face in atlas().faces.values():
        if face.title not in known:
            assert face.title not in back


def test_the_last_page_tells_every_turn_with_everything_open():
    back = looked_back(PLIES[-1], [])
    assert back.complete
    turns = sum(type(event).__name__ == "Turned" for ply in PLIES for event in ply.events)
    assert len(back.moments) == turns
    words_told = " ".join(step[2] for moment in back.moments for step in moment.steps)
    found = [
        event
        for ply in PLIES
        for event in ply.events
        if type(event).__name__ == "Discover" and event.result == "found"
    ]
    assert found
    assert words_told.count("(worth ") == len(found)


@pytest.mark.parametrize("language", ["nb", "sv"])
def test_secrets_and_tiles_have_titles_in_every_language(language: str):
    tell = words(language, "spies")
    for face in atlas().faces.values():
        assert secret_title(face.title, tell) != face.title
    for tile in atlas().tiles:
        assert tile_title(tile, tell) != atlas().tiles[tile].title


def test_the_composer_counts_spaces_as_the_rules_do():
    near: dict[str, list[str]] = {}
    for one, other in re.findall("(...)(...)", links()):
        near.setdefault(one, []).append(other)
        near.setdefault(other, []).append(one)
    for city, far in atlas().distances.items():
        steps = {city: 0}
        for place in (queue := [city]):
            for following in near[place]:
                if following not in steps:
                    steps[following] = steps[place] + 1
                    queue.append(following)
        assert {place: steps[place] for place in far} == dict(far)


@pytest.mark.parametrize("players", [5, 2])
def test_the_plan_that_a_letter_gives_as_an_example_would_be_accepted(players: int):
    """It names a piece with its whole code and, as long as there is one, a secret that is there."""
    for ply in random_match(Random(8), setting(players), COMPUTERS["computer"], leaving=0):
        for seat in match.awaiting(ply.after) if ply.after.placed else ():
            told_how = " ".join(page(told(ply, seat), words("en", "spies")).how)
            (plan,) = re.findall(r"SPY .*; GO HOME", told_how)
            view = observe(ply.after, Seat(seat))
            assert list(check(view, parse(split_lines(plan)))) == []


def ended(**changes: object) -> View:
    """Return what is seen of an ended match in which all have four points and 20 £, and more."""
    view = observe(PLIES[-1].after, Seat("germany"))
    empty = dict.fromkeys(view.record, ())
    level = {"points": dict.fromkeys(view.points, 4), "money": dict.fromkeys(view.money, 20)}
    return replace(view, **level, record={**empty, **changes.pop("record", {})}, **changes)


FRANCE = Outcome(winner=Seat("france"), winners=(Seat("france"),), reason="points")
OTHERS = "Germany, Italy, Russia, Britain"


@pytest.mark.parametrize(
    ("record", "money", "said"),
    [
        ([("secret", "G-1")], 20, f"France wins with 4 points, tied with {OTHERS} but with more"
         " foreign secrets cashed."),
        ([("secret", "F-1"), ("spy", "G-A")], 20, f"France wins with 4 points, tied with {OTHERS}"
         " but with more captured spies."),
        ([], 21, f"France wins with 4 points, tied with {OTHERS} but with more money."),
    ],
)  # fmt: skip
def test_the_end_says_what_decided_between_equal_points(record, money, said):
    """Rule 8.3."""
    entries = tuple(SeenEntry(kind=kind, code=code, year=1939) for kind, code in record)
    view = ended(record={"france": entries})
    view = replace(view, money={**view.money, "france": money})
    assert str(ending(view, FRANCE)) == said


def test_equal_points_of_who_left_decide_nothing():
    """Rule 6.7: who left cannot win, and the last letter says so."""
    gone = {Seat(seat): "resignation" for seat in ("germany", "italy", "russia")}
    view = ended(left={**gone, Seat("britain"): "forfeit"})
    assert str(ending(view, FRANCE)) == "France wins with 4 points."
    assert [str(fact) for fact in facts(view)] == [
        "Germany resigned, so it could not win.",
        "Italy resigned, so it could not win.",
        "Russia resigned, so it could not win.",
        "Britain had lost by forfeit, so it could not win.",
    ]


def test_a_letters_example_is_a_plan_for_a_spy_that_is_on_the_map():
    """A captured one could not follow it (7.3, `off-map`)."""
    at = PLIES[2].after
    captured = {code: replace(at.spies[code], city=None, captor="italy") for code in ("G-A", "G-B")}
    state = replace(at, spies={**at.spies, **captured}, record={**at.record, "italy": ()})
    report = told(PLIES[2])
    report = replace(report, view=observe(state, Seat("germany")))
    assert "SPY G-C: GO " in " ".join(map(str, how(report)))


def test_the_sheet_repeats_standing_orders_as_the_report_writes_them():
    """There is one way in which we write a line (9.4)."""
    said = SeenStanding(
        answer=("ANSWER NONE",),
        cover=None,
        flee={"G-A": ("HAM", "BER")},
        spare=("france", "I-A"),
        informer=("N-4",),
    )
    report = told(PLIES[3])
    report = replace(report, view=replace(report.view, standing=said))
    lines = ["ANSWER NONE", "FLEE G-A: HAM, BER", "SPARE FRANCE, I-A", "INFORMER N-4"]
    assert page(report, words("en", "spies")).standing == lines
    assert template(report.view)[-4:] == tuple(f"# {line}" for line in lines)


def test_of_a_discovery_left_out_a_report_says_rightly_what_was_missing():
    """Rule 7.3: nothing there, or full hands. Where what is told does not show it, both are
    named."""
    said: Counter[str] = Counter()
    for seed in range(12):
        for ply in random_match(Random(seed), setting(5), COMPUTERS["computer:random"], 0):
            state, true = ply.before, []
            for event in ply.events:
                if isinstance(event, Skipped) and event.seat == "russia":
                    true.append(state.spies[event.spy].carries is not None)
                state = apply(state, event)
            if ply.after.outcome:
                break  # its report has the log of another match
            report = told(ply, "russia")
            loads = {spy.spy: spy.carries for spy in report.view.spies}
            skipped = [
                one
                for one in explain_discoveries(report.news, loads)
                if isinstance(one, SawSkipped)
            ]
            for one, full in zip(skipped, true, strict=True):
                assert one.known is not UNSET
                said[one.known.why] += 1
                assert one.known.why != ("none-there" if full else "hands-full")
    assert said["none-there"] > 20
    assert said["hands-full"] > 5
    assert said["nothing-here"] < said["hands-full"]
