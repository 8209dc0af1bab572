"""Looking back: what a page of Spion tells of the turns before, and of a match that has ended."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import unescape
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from msgspec.json import decode, encode
from msgspec.structs import replace

from adjudicator.core.dice import Chance
from adjudicator.core.game import unflatten
from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import LANGUAGES, tell
from adjudicator.core.orders import Line, Sheet, WrittenOrder
from adjudicator.core.report import Report
from adjudicator.games.spion import SPION
from adjudicator.games.spion.lexicon import card_read
from adjudicator.games.spion.page import drawing
from adjudicator.games.spion.page.history import (
    History,
    OldBoard,
    OldEmbassy,
    OldNote,
    OldReport,
    OldSeat,
    OldStep,
    history,
)
from adjudicator.games.spion.page.plan import Plan
from adjudicator.games.spion.rules.state import (
    Challenged,
    GuessedRight,
    Moved,
    Shown,
    State,
    TakenInAnswer,
    TurnOpened,
)
from adjudicator.games.spion.sight.sightings import LASTING
from adjudicator.games.spion.sight.view import SeenBoard, SeenEmbassy, SeenNote, SeenSeat, View
from tests.games.one_turn import play_turn
from tests.games.spion.matches import TOLD_ONCE, Ply, adjudicated, any_sheet, chance_of, setting
from tests.games.spion.twins import Twins, pairs, same_orders, twin_of
from tests.games.spion.twins import told as told_to
from tests.games.standing import make_loaded
from tests.inside import building
from tests.printed import ReportContext, report_of, write_report
from tests.reports.printing import render, renders
from tests.scale import examples

Body = dict[str, Any]
LETTERS = {"blue": "B", "green": "G", "yellow": "Y", "red": "R"}
TYPES = ("ATOM", "FYSIK", "KEMI", "RYMD")
KINDS = [
    ("original", 2, "turns", "honour"),
    ("original", 4, "rounds", "once"),
    ("original", 4, "turns", "open"),
    ("quick", 2, "rounds", "open"),
]

each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind)))


class Reports:
    """The reports of one seat that the shell keeps, ply by ply."""

    def __init__(self, seat: Seat, chance: Chance) -> None:
        self.seat = seat
        self.chance = chance
        self.log: list[tuple[int, Any]] = []
        self.bodies: list[Body] = []

    def add(self, state: State, events: Sequence[Any]) -> None:
        ply = len(self.bodies)
        self.log += [(ply, event) for event in events]
        stands = make_loaded(SPION, state)
        settings = state.settings
        match = replace(
            stands.match,
            name="spion-1",
            variant=settings.variant,
            ply=ply,
            seed=self.chance.seed,
        )
        stands = replace(stands, match=match)
        since = dict.fromkeys(stands.seats, ply)
        at = ReportContext(stands, ply=ply, since=since, log=self.log, commitments=[], rulings=[])
        kept = building.part_to_keep(at, report_of(at, self.seat))
        self.bodies.append(decode(write_report(SPION, kept)))

    def past(self, until: int = -1) -> list[OldReport]:
        """Return old reports as they come out of the store."""
        return [decode(encode(body), type=OldReport) for body in self.bodies[:until]]

    def looked_back(self, at: int = -1, room: int | None = None) -> History | None:
        body = self.bodies[at]
        report = unflatten(SPION, body)
        return history(report, self.past(self.bodies.index(body)), tell, "The end.", room)


@cache
def match(kind: tuple[str, int, str, str], seed: int = 4, rounds: int = 30) -> tuple[Ply, ...]:
    variant, players, mode, memory = kind
    agreed = setting(variant, players, mode=mode, memory=memory, max_rounds=str(rounds))
    return tuple(_played(Random(seed), agreed))


def _played(rng: Random, agreed: Setting) -> Iterator[Ply]:
    """Play a match as the shell has it: every awaited seat sends a sheet, some of them empty."""
    chance = chance_of(rng.randbytes(32))
    state = SPION.rules.set_up(agreed, chance)
    while waiting := SPION.rules.awaiting(state):
        orders = {
            seat: _allowed(state, seat, any_sheet(state, seat, rng)) if rng.random() < 0.9 else ()
            for seat in state.seats
            if seat in waiting
        }
        ply = adjudicated(state, orders, chance)
        yield ply
        state = ply.states[-1]


def _allowed(state: State, seat: Seat, sheet: Sequence[Any]) -> tuple[Any, ...]:
    """Return the orders that the shell would take."""
    view = SPION.sight.observe(state, seat)
    return tuple(
        order
        for order in sheet
        if not SPION.orders.check(view, Sheet((WrittenOrder(order, Line(1, "")),), ()))
    )


def reported(plies: Sequence[Ply], seat: str = "blue") -> Reports:
    made = Reports(Seat(seat), plies[0].chance)
    made.add(plies[0].states[0], ())
    for ply in plies:
        made.add(ply.states[-1], ply.events)
    return made


@cache
def whole(kind: tuple[str, int, str, str], seat: str = "blue") -> Reports:
    return reported(match(kind), seat)


@cache
def running(kind: tuple[str, int, str, str]) -> Reports:
    return reported([ply for ply in match(kind) if not ply.states[-1].outcome])


def positions(moments: Sequence[Any]) -> Iterator[dict[str, str]]:
    """Yield what stood at each moment, read as the script reads it."""
    stands: dict[str, str] = {}
    for moment in moments:
        for change in filter(None, moment.changes.split(";")):
            what, where = change.split("=")
            if what[0] not in "+~:":
                stands[what] = where
        yield {what: where for what, where in stands.items() if where or what[0] != "@"}


def shown_in(body: Body) -> dict[str, str]:
    """Return the position of a report, in the same terms: cards face down."""
    view = unflatten(SPION, body).view
    board = drawing.board_in(view)
    spots = {letter: place for _, letter, place, _, _ in drawing.spies(view, board, Plan(board))}
    guards = drawing.guards(view, Plan(board))
    spots |= {letter.lower(): place for _, letter, place, _, _ in guards}
    filled = {
        f"#{LETTERS[entry['seat']]}": "".join(
            str(n) if n in entry["filled"] else "." for n in (1, 2, 3, 4)
        )
        for entry in body["seats"]
    }
    lying = {f"@{entry['code']}": "?" for entry in body["board"]["embassies"] if entry["card"]}
    return {**{what: f"{x:g},{y:g}" for what, (x, y) in spots.items()}, **filled, **lying}


def unscaled(stands: dict[str, str]) -> dict[str, str]:
    """Return positions without how small a piece is drawn."""
    return {
        what: where if what[0] in "#@" else ",".join(where.split(",")[:2])
        for what, where in stands.items()
    }


@each_kind
def test_a_moment_shows_what_the_report_of_its_turn_showed(kind: tuple[str, int, str, str]):
    reports = running(kind)
    back = reports.looked_back()
    assert back
    bodies = reports.bodies[1:]
    shown = list(positions(back.moments))[-20:]
    assert len(shown) > 10
    for stands, body in zip(shown, bodies[-len(shown) :], strict=True):
        assert unscaled(stands) == shown_in(body)


@each_kind
def test_every_executed_turn_is_told_in_its_moment(kind: tuple[str, int, str, str]):
    reports = running(kind)
    back = reports.looked_back(20)
    assert back
    assert back.complete
    told = [row.label + " ".join(step + text for step, _, text in row.steps)
            for row in back.moments]  # fmt: skip
    for text, body in zip(told, reports.bodies[1:], strict=False):
        for step in body["news"]:
            if step["event"] == "moved":
                assert re.search(rf"to {step['goal']}\b", text)
            if step["event"] == "turn-opened":
                assert f"Turn {step['turn']}, {step['seat'].capitalize()}" in text


@each_kind
def test_no_moment_names_a_type_but_in_the_open_dossier(kind: tuple[str, int, str, str]):
    back = running(kind).looked_back()
    assert back
    said = [text for row in back.moments for step, _, text in row.steps
            if step != "Cards everyone has seen"]  # fmt: skip
    said += [row.label + row.changes for row in back.moments]
    assert not [text for text in said for card in TYPES if card_read(card, str) in text]
    dossiers = [
        text
        for row in back.moments
        for step, _, text in row.steps
        if step.startswith("Cards everyone")
    ]
    assert bool(dossiers) == (kind[3] == "open")
    named = [text for text in dossiers for card in TYPES if card_read(card, str) in text]
    assert bool(named) == (kind[3] == "open")


def test_of_an_old_report_all_that_lasts_is_read_under_its_present_name():
    assert names(OldStep) == {"event", *LASTING} - {"text"}
    assert names(OldReport) <= names(View) | names(Report)
    assert names(OldBoard) <= names(SeenBoard)
    assert names(OldEmbassy) <= names(SeenEmbassy)
    assert names(OldSeat) <= names(SeenSeat)
    assert names(OldNote) <= names(SeenNote)


def names(kind: Any) -> set[str]:
    return {field.name for field in structs.fields(kind)}


def test_of_an_old_report_nothing_that_is_told_once_is_read():
    assert not (names(OldStep) | names(OldReport)) & {
        *TOLD_ONCE,
        "cards",
        "standing",
        "orders",
        "text",
        "notices",
    }
    assert "cards" not in names(OldSeat)
    for body in running(KINDS[0]).bodies:
        marked = {
            **body,
            "news": [{**step, **dict.fromkeys(TOLD_ONCE, "canary")} for step in body["news"]],
            "seats": [{**seat, "cards": ["canary"] * 4} for seat in body["seats"]],
        }
        assert "canary" not in str(decode(encode(marked), type=OldReport))


@each_kind
def test_a_page_of_an_earlier_turn_looks_back_on_the_beginning_of_the_same(
    kind: tuple[str, int, str, str],
):
    """Nothing that came later is told in an earlier moment."""
    reports = running(kind)
    later = reports.looked_back(20)
    assert later
    for ply in range(3, 20, 5):
        back = reports.looked_back(ply)
        assert back
        assert back.moments == later.moments[:ply]


def twins_at_play(twins: Twins, rng: Random) -> tuple[Reports, Reports]:
    """Return what the seat was told in both, as long as it was the same."""
    chance = Chance(bytes(32), "twins", label="SPION1")
    left, right = Reports(twins.seat, chance), Reports(twins.seat, chance)
    left.add(twins.left, ())
    right.add(twins.right, ())
    for _ in range(12):
        orders = same_orders(twins, rng)
        if orders is None:
            break
        (one, here), (other, there) = (
            play_turn(SPION, state, orders, replace(chance, phrases=SPION.proof.phrases(state)))
            for state in (twins.left, twins.right)
        )
        if here.outcome or there.outcome or told_to(one, twins.seat) != told_to(other, twins.seat):
            break
        if SPION.sight.observe(here, twins.seat) != SPION.sight.observe(there, twins.seat):
            break
        left.add(here, one)
        right.add(there, other)
        twins = Twins(twins.seat, here, there)
    return left, right


@pytest.mark.slow
@given(twins=pairs(), seed=st.integers(0, 2**32), language=st.sampled_from(LANGUAGES))
@examples(25)
def test_twins_look_back_on_the_same_bytes(twins: Twins, seed: int, language: str):
    made = [
        render(SPION, reports.bodies[-1], "html", language, "Europe/Oslo", reports.past())
        for reports in twins_at_play(twins, Random(seed))
    ]
    assert made[0] == made[1]


def test_twins_have_something_to_look_back_upon():
    """The test above says nothing without it."""
    lengths = []
    for seed in range(6):
        rng = Random(seed)
        state = match(KINDS[0], 5)[12].states[-1]
        seat = state.seats[seed % 2]
        twins = Twins(seat, state, twin_of(state, seat, rng))
        assert twins.left != twins.right
        lengths.append(len(twins_at_play(twins, rng)[0].bodies))
    assert max(lengths) > 4


def section(html: str) -> str:
    found = re.search('<section class="history".*?</section>', html, re.DOTALL)
    return found[0] if found else ""


def test_only_the_page_looks_back():
    reports = whole(KINDS[0])
    for body in (reports.bodies[-4], reports.bodies[-1]):
        past = reports.past(reports.bodies.index(body))
        forms = ("txt", "html", "svg", "letter")
        text, html, svg, letter = renders(SPION, body, forms, past=past)
        assert section(html)
        assert text == render(SPION, body, "txt")
        assert svg == render(SPION, body, "svg")
        assert letter == render(SPION, body, "letter")
        assert "<script" not in letter
        assert "history" not in letter


@pytest.mark.slow
@each_kind
@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_of_long_matches_stay_light(kind: tuple[str, int, str, str], language: str):
    reports = whole(kind)
    for body, most in ((reports.bodies[-2], 150_000), (reports.bodies[-1], 250_000)):
        past = reports.past(reports.bodies.index(body))
        assert len(render(SPION, body, "html", language, "UTC", past).encode()) < most


@pytest.mark.slow
def test_a_long_match_loses_its_oldest_turns_and_says_so():
    plies = match(KINDS[2], rounds=80)
    reports = reported([ply for ply in plies if not ply.states[-1].outcome])
    back = reports.looked_back(room=36_000)
    assert back
    assert not back.complete
    assert unscaled(list(positions(back.moments))[-1]) == shown_in(reports.bodies[-1])
    html = section(render(SPION, reports.bodies[-1], "html", past=reports.past()))
    assert "The oldest turns are not shown." in html.partition('<div class="past-board"')[0]


@pytest.mark.slow
def test_who_has_no_seat_sees_the_longest_match_from_its_beginning():
    plies = match(KINDS[2], rounds=80)
    mine = reported(plies).bodies[-1]
    everybodys = section(render(SPION, mine | {"seat": ""}, "html", past=[]))
    assert "Replay of the whole match" in everybodys
    assert ">The beginning</b>" in everybodys


@pytest.mark.slow
def test_the_last_page_of_a_long_match_is_whole_and_leads_to_ten_points():
    plies = match(KINDS[1], rounds=60)
    last = reported(plies).bodies[-1]
    html = render(SPION, last, "html", past=[])
    assert ">The beginning</b>" in section(html)
    assert "The oldest turns are not shown." not in html
    points = re.findall(
        "<li>(.*?)</li>", section(html).partition("Turning points")[2].partition("</ul>")[0]
    )
    assert len(points) == 10
    assert all(point.startswith('<a href="#turn-') for point in points[:-1])
    assert ">The end</a>: " in points[-1]
    assert len(html.encode()) < 250_000


def test_there_is_nothing_to_look_back_upon_before_the_second_turn():
    reports = reported(match(KINDS[0])[:1])
    assert reports.looked_back(0) is None
    alone = reports.looked_back(1)
    assert alone
    assert len(alone.moments) == 1
    assert 'class="history"' not in render(SPION, reports.bodies[-1], "html", past=reports.past())


# The replay of a match that has ended.


@cache
def ended(kind: tuple[str, int, str, str]) -> tuple[tuple[Ply, ...], dict[str, Any]]:
    back = whole(kind).looked_back()
    assert back
    return match(kind), back


def every_event(plies: Sequence[Ply]) -> Iterator[tuple[Any, State]]:
    for ply in plies:
        yield from zip(ply.events, ply.states[1:], strict=True)


@each_kind
def test_the_replay_ends_where_the_match_did_with_all_cards_open(kind: tuple[str, int, str, str]):
    plies, back = ended(kind)
    state = plies[-1].states[-1]
    last = list(positions(back.moments))[-1]
    for seat, holder in state.holders.items():
        assert last[f"#{LETTERS[seat]}"] == ",".join(card or "" for card in holder)
    assert {what[1:]: card for what, card in last.items() if what[0] == "@"} == state.embassies
    assert back.moments[-1].steps == [("", "moved", "The end.")]


@each_kind
def test_the_replay_has_a_moment_for_every_turn(kind: tuple[str, int, str, str]):
    plies, back = ended(kind)
    turns = sum(isinstance(event, TurnOpened) for event, _ in every_event(plies))
    answers = sum(
        isinstance(event, TakenInAnswer) and ply.states[0].pending is not None
        for ply in plies
        for event in ply.events
    )
    assert len(back.moments) == 2 + turns + answers  # the deal before them, the end after them


@each_kind
def test_each_moment_has_a_name_that_tells_its_turn(kind: tuple[str, int, str, str]):
    _, back = ended(kind)
    places = [moment.place for moment in back.moments]
    assert (places[0], places[-1]) == ("turn-0", "end")
    assert len({*places}) == len(places)
    for moment in back.moments[1:-1]:
        assert moment.label == "The answer" or f"Turn {moment.place.split('-')[1]}," in moment.label


@each_kind
def test_every_challenge_is_told_with_what_came_of_it(kind: tuple[str, int, str, str]):
    plies, back = ended(kind)
    told = " ".join(text for row in back.moments for _, _, text in row.steps)
    shown = 0
    for event, _ in [*every_event(plies)][-60:]:
        match event:
            case Challenged():
                target, guess = event.target.capitalize(), card_read(event.guess, str)
                assert f"Guess: place {event.place} of {target} holds {guess}." in told
                shown += 1
            case Shown(_, _, card):
                assert f"Wrong: the card is {card_read(card, str)}." in told
            case TakenInAnswer(seat, challenger, place, card):
                taker, loser, seen = (
                    seat.capitalize(),
                    challenger.capitalize(),
                    card_read(card, str),
                )
                assert f"{taker} takes the card on place {place} of {loser}. It is {seen}." in told
            case Moved(goal=goal):
                assert f"to {goal}" in told


@each_kind
def test_the_turning_points_lead_to_where_they_happened(kind: tuple[str, int, str, str]):
    plies, back = ended(kind)
    places = {row.place for row in back.moments}
    assert {place for place, _, _ in back.points} <= {"", *places}
    said = [point for _, _, point in back.points]
    events = [event for event, _ in every_event(plies)]
    wrong = sum(isinstance(event, Shown) for event in events)
    right = sum(isinstance(event, GuessedRight) for event in events)
    told = [len([p for p in said if words in p]) for words in ("A wrong guess", "guesses right")]
    assert told == [wrong, right] or len(said) == 10
    assert told[1] == right or not told[0]  # what is worth less is left out first
    assert said[-1] == "The end."
    for row in back.moments:
        for point in row.points:
            if point.startswith("A wrong guess"):
                assert "Wrong: the card is" in row.steps[0][2]


@pytest.mark.slow
def test_three_and_four_of_a_type_are_turning_points():
    points = [
        point
        for seed in (1, 2, 3, 18, 38)
        if (back := reported(match(KINDS[0], seed)).looked_back())
        for _, _, point in back.points
    ]
    assert [point for point in points if " holds three " in point]
    assert [point for point in points if " holds four " in point]


def test_all_seats_replay_the_same_match():
    one, other = (whole(KINDS[1], seat).looked_back() for seat in ("blue", "red"))
    assert one == other


def test_a_match_that_ended_in_its_set_up_is_not_replayed():
    """Nothing was dealt."""
    ply = match(KINDS[0])[0]
    before = ply.states[0]
    reports = Reports(Seat("blue"), ply.chance)
    reports.add(before, ())
    (event,) = SPION.rules.close(before, "cancelled")
    reports.add(SPION.rules.apply(before, event), [event])
    assert reports.bodies[-1]["record"]
    assert reports.looked_back() is None


def test_the_record_in_an_ended_page_is_the_games():
    """A script can make a file of it."""
    reports = whole(KINDS[0])
    html = render(SPION, reports.bodies[-1], "html", past=reports.past())
    (pre,) = re.findall(r'<pre class="record"[^>]*>(.*?)</pre>', html, re.DOTALL)
    assert unescape(pre) + "\n" == reports.bodies[-1]["record"]
