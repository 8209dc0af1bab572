"""Looking back: what a page tells of the turns before, and of a match that has ended."""

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert
from msgspec.json import decode, encode
from msgspec.structs import replace

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.game import fold, unflatten
from adjudicator.core.lookback import PastMoment
from adjudicator.core.match import Seat
from adjudicator.core.message import LANGUAGES, tell
from adjudicator.core.record import transcripts
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.page.history import History, OldReport, because, history
from adjudicator.games.espionage.page.news import Row, order_groups
from adjudicator.games.espionage.rules.pieces import BY_LETTER, IMMOBILE, SIDES, Rank, wins
from adjudicator.games.espionage.rules.state import State, Stepped
from adjudicator.reports import render as rendering
from tests.games.espionage.twins import Twins, pairs, same_orders, told, twin_of
from tests.games.one_turn import play_turn
from tests.games.playouts import Ply, playout
from tests.games.standing import make_loaded
from tests.printed import ReportContext, report_of, write_report
from tests.reports.printing import render, renders
from tests.scale import examples

Body = dict[str, Any]

# As the script in the page reads it.
CHANGE = re.compile(r"([a-j]\d+)(?:([wb])(.)(m?)(k?)(\d*))?")


class Reports:
    """The reports that the shell gives one seat, ply by ply."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.log: list[tuple[int, Any]] = []
        self.ordered = 0
        self.bodies: list[Body] = []

    def add(self, state: State, events: Sequence[Any], ordered: bool) -> None:
        ply = len(self.bodies)
        self.log += [(ply, event) for event in events]
        if ordered:
            self.ordered = ply
        stands = make_loaded(ESPIONAGE, state)
        holders = {
            seat: replace(holder, ordered_ply=self.ordered)
            for seat, holder in stands.holders.items()
        }
        settings = state.settings
        match = replace(stands.match, variant=settings.variant, ply=ply)
        stands = replace(stands, match=match, holders=holders)
        since = dict.fromkeys(stands.seats, self.ordered)
        at = ReportContext(stands, ply=ply, since=since, log=self.log, commitments=[], rulings=[])
        self.bodies.append(decode(write_report(ESPIONAGE, report_of(at, self.seat))))

    def past(self, until: int = -1) -> list[OldReport]:
        """Return old reports as they come out of the store."""
        return [decode(encode(body), type=OldReport) for body in self.bodies[:until]]

    def looked_back(self, at: int = -1, room: int | None = None) -> History | None:
        body = self.bodies[at]
        report = unflatten(ESPIONAGE, body)
        return history(report, self.past(self.bodies.index(body)), tell, "The end.", room)


def reported(plies: Sequence[Ply], seat: Seat) -> Reports:
    made = Reports(seat)
    made.add(plies[0].before, (), False)
    for ply in plies:
        made.add(ply.after, ply.events, seat in ply.orders)
    return made


@cache
def match(seed: int, variant: str = "small", most: int = 2000) -> list[Ply]:
    agreed = {"no_progress": "0", "aids": "on"}
    return list(playout(ESPIONAGE, Random(seed), most, variant, agreed=agreed))


def positions(moments: Sequence[Any]) -> Iterator[dict[str, tuple[str, str, bool, bool, str]]]:
    """Yield the board at each moment, read as the script reads it."""
    board: dict[str, tuple[str, str, bool, bool, str]] = {}
    for moment in moments:
        board = brought(board, moment)
        for change in moment.changes.split():
            found = CHANGE.fullmatch(change)
            assert found, change
            square, side, *rest = found.groups()
            if side is None:
                del board[square]
            else:
                letter, moved, known, since = rest
                name = {"w": "white", "b": "black"}[side]
                board[square] = name, letter, bool(moved), bool(known), since
        yield dict(board)


def brought(board: dict[str, Any], moment: PastMoment[Any]) -> dict[str, Any]:
    """Return the board to which the steps of a moment lead."""
    made = dict(board)
    for step, outcome, _ in one_by_one(moment.steps):
        start, _, target = step.partition("-")
        if (piece := made.pop(start, None)) and outcome != "lost":
            side, letter, _, *known = piece
            made[target] = (side, letter, True, *known)
    return made


def one_by_one(steps: Sequence[Row]) -> Iterator[Row]:
    """Part steps that are printed as one; what is told is told of the last."""
    for printed, outcome, sentence in steps:
        *before, last = printed.split(" ")
        yield from ((step, outcome, "") for step in before)
        yield last, outcome, sentence


def shown_in(body: Body) -> dict[str, tuple[str, str, bool, bool, str]]:
    """Return the board of a report, in the same terms."""
    letters = {rank: letter for letter, rank in BY_LETTER.items()}
    hidden = body["variant"] != "open-fast"
    return {
        piece["square"]: (
            piece["side"],
            letters[piece["rank"]] if piece["rank"] else "?",
            piece["moved"],
            hidden and bool(piece.get("known_to_enemy")),
            str(piece["known_since"]) if hidden and piece["known_since"] is not None else "",
        )
        for piece in body["pieces"]
    }


@pytest.mark.slow
@given(
    seed=st.integers(0, 2**32),
    variant=st.sampled_from(ESPIONAGE.variants),
    seat=st.sampled_from(SIDES),
)
@examples(8)
def test_a_moment_shows_what_the_report_of_its_turn_showed(seed: int, variant: str, seat: Seat):
    plies = list(playout(ESPIONAGE, Random(seed), 60, variant))
    reports = reported([ply for ply in plies if not ply.after.outcome], seat)
    back = reports.looked_back()
    assert back
    bodies = reports.bodies[1:]  # the first shows an empty board
    assert len(back.moments) == len(bodies)
    for moment, board, body in zip(back.moments, positions(back.moments), bodies, strict=True):
        assert board == shown_in(body)
        told = unflatten(ESPIONAGE, body)
        if told.news:
            made = order_groups(told.news, told.view.pieces, seat, tell)[-1]
            assert (moment.label, [*one_by_one(moment.steps)]) == made
        else:
            assert moment.label == "Set-up"
            assert not moment.steps


@pytest.mark.parametrize("seat", SIDES)
def test_a_page_of_an_earlier_turn_looks_back_on_the_beginning_of_the_same(seat: Seat):
    """Nothing that came later is told in an earlier moment."""
    reports = reported(match(7)[:60], seat)
    later = reports.looked_back()
    assert later
    for turn in range(3, 60, 7):
        back = reports.looked_back(turn)
        assert back
        assert back.moments == later.moments[:turn]


def twins_at_play(twins: Twins, rng: Random) -> tuple[Reports, Reports]:
    """Return what the seat was told in both, as long as it was the same."""
    left, right = Reports(twins.seat), Reports(twins.seat)
    left.add(twins.left, (), False)
    right.add(twins.right, (), False)
    for _ in range(30):
        orders = same_orders(twins, rng)
        if orders is None:
            break
        (one, here), (other, there) = (
            play_turn(ESPIONAGE, state, orders, Chance(bytes(32), "twins", label=LABEL))
            for state in (twins.left, twins.right)
        )
        if here.outcome or there.outcome or told(one, twins.seat) != told(other, twins.seat):
            break
        if here.settings.unmask_notice:
            break  # marks on own pieces are told too, and they may differ (4.4)
        left.add(here, one, twins.seat in orders)
        right.add(there, other, twins.seat in orders)
        twins = Twins(twins.seat, here, there)
    return left, right


@pytest.mark.slow
@given(twins=pairs(), seed=st.integers(0, 2**32), language=st.sampled_from(LANGUAGES))
@examples(25)
def test_twins_look_back_on_the_same_bytes(twins: Twins, seed: int, language: str):
    pages = [
        render(ESPIONAGE, reports.bodies[-1], "html", language, "Europe/Oslo", reports.past())
        for reports in twins_at_play(twins, Random(seed))
    ]
    assert pages[0] == pages[1]


@pytest.mark.slow
def test_twins_have_something_to_look_back_upon():
    """The test above says nothing without it."""
    lengths = []
    for seed in range(10):
        rng = Random(seed)
        start = match(seed, "standard", 2)[0].after
        twins = Twins(SIDES[0], start, twin_of(start, SIDES[0], rng))
        assert twins.left != twins.right
        lengths.append(len(twins_at_play(twins, rng)[0].bodies))
    assert max(lengths) > 10


def section(html: str) -> str:
    found = re.search('<section class="history".*?</section>', html, re.DOTALL)
    return found[0] if found else ""


def long_match(plies: int) -> Reports:
    """Let two Spies walk to and fro among others, each order with a fight to tell."""
    reports = reported(match(7, "standard", 3), SIDES[0])
    body = reports.bodies[-1]
    for n in range(2, plies):
        steps = [
            {
                "turn": n,
                "side": "white",
                "step": step,
                "from": f"{file}3",
                "to": f"{file}4",
                "outcome": "lost",
                "attacker": "lieutenant",
                "defender": "headquarters",
                "revealed": [],
            }
            for step, file in enumerate("ab", start=1)
        ]
        pieces = [{**piece, "moved": n % 2 == 0} for piece in body["pieces"]]
        reports.bodies.append({**body, "ply": n + 2, "news": steps, "pieces": pieces})
    return reports


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.slow
def test_a_long_match_loses_its_oldest_turns_and_says_so(language: str):
    reports = long_match(400)
    html = render(ESPIONAGE, reports.bodies[-1], "html", language, "UTC", reports.past())
    assert 30_000 < len(section(html).encode()) < 40_000
    back = reports.looked_back(room=36_000)
    assert back
    assert not back.complete
    assert list(positions(back.moments))[-1] == shown_in(reports.bodies[-1])
    assert back.moments[-1].label == "Turn 399, White"
    short = reports.looked_back(20)
    assert short
    assert short.complete


def test_there_is_nothing_to_look_back_upon_before_the_first_order():
    reports = reported(match(1)[:1], SIDES[0])
    assert reports.looked_back(0) is None
    alone = reports.looked_back(1)
    assert alone
    assert [row.label for row in alone.moments] == ["Set-up"]
    html = render(ESPIONAGE, reports.bodies[-1], "html", past=reports.past())
    assert 'class="history"' not in html


def test_only_the_page_looks_back():
    reports = whole(1)
    for body in (reports.bodies[-4], reports.bodies[-1]):
        past = reports.past(reports.bodies.index(body))
        forms = ("txt", "html", "svg", "letter")
        text, html, svg, letter = renders(ESPIONAGE, body, forms, past=past)
        assert section(html)
        assert text == render(ESPIONAGE, body, "txt")
        assert svg == render(ESPIONAGE, body, "svg")
        assert letter == render(ESPIONAGE, body, "letter")
        for trace in ("<script", "history", "data:"):
            assert trace not in letter


# The replay of a match that has ended.


@cache
def whole(seed: int, variant: str = "small", seat: Seat = SIDES[0]) -> Reports:
    return reported(match(seed, variant), seat)


@cache
def ended(seed: int, variant: str) -> tuple[list[Ply], History]:
    back = whole(seed, variant).looked_back()
    assert back
    return match(seed, variant), back


def steps_of(plies: Sequence[Ply]) -> Iterator[tuple[Stepped, int]]:
    """Yield each step and the number of its moment."""
    for number, ply in enumerate(plies):
        for event in ply.events:
            if isinstance(event, Stepped):
                yield event, number


each_end = pytest.mark.parametrize(
    ("seed", "variant"),
    [(2, "small"), (8, "small"), (11, "small"), (2, "small-fast"), (2, "standard")],
)


@each_end
@pytest.mark.slow
def test_the_replay_ends_where_the_record_does(seed: int, variant: str):
    plies, back = ended(seed, variant)
    record = whole(seed, variant).bodies[-1]["record"]
    (transcript,) = transcripts(record.splitlines())
    replayed = ESPIONAGE.record.replay(transcript)
    last = list(positions(back.moments))[-1]
    assert {
        (square, side, BY_LETTER[letter], bool(since))
        for square, (side, letter, _, _, since) in last.items()
    } == {(p["square"], p["side"], p["rank"], p["revealed"]) for p in replayed.data["pieces"]}
    assert len(back.moments) == len(plies) + 1  # and the end
    assert back.moments[-1].steps == [("", "moved", "The end.")]


@pytest.mark.slow
@each_end
def test_the_replay_shows_every_rank_from_the_first_moment_on(seed: int, variant: str):
    plies, back = ended(seed, variant)
    for board, ply in zip(positions(back.moments), plies, strict=False):
        assert {(sq, side, BY_LETTER[letter]) for sq, (side, letter, *_) in board.items()} == {
            (square, piece.side, piece.rank) for square, piece in ply.after.pieces.items()
        }


@each_end
@pytest.mark.slow
def test_every_fight_is_explained_and_every_unmasking_told(seed: int, variant: str):
    plies, back = ended(seed, variant)
    told = {
        step: " ".join(row[2] for row in back.moments[step].steps) for _, step in steps_of(plies)
    }
    fights = reveals = 0
    for event, number in steps_of(plies):
        if event.met:
            fights += 1
            assert tell(because(event.rank, event.met)) in told[number]
        for reveal in event.revealed:
            reveals += 1
            by_spy = re.search(rf"'s Spy on \w+ sees \w+'s \w+ on {reveal.square}\.", told[number])
            assert by_spy or (event.met and plies[0].setting.options["fights"] == "both")
    assert fights
    assert reveals


def test_a_fight_that_is_won_is_never_explained_as_one_that_is_lost():
    """The rule's sentence, where it says who wins, says what the table says (3.2)."""
    said: dict[str, set[bool]] = {}
    for attacker, defender in product(set(Rank) - IMMOBILE, Rank):
        sentence = tell(because(attacker, defender))
        said.setdefault(sentence, set()).add(wins(attacker, defender))
    both = {sentence for sentence, outcomes in said.items() if len(outcomes) == 2}
    assert both == {"The higher rank wins."}
    assert tell(because(Rank.SAPPER, Rank.GENERAL)) == "A Sapper takes a General."
    assert tell(because(Rank.SPY, Rank.GENERAL)) == "A Spy cannot take a soldier."
    assert tell(because(Rank.GENERAL, Rank.MINE)) == "Only a Sapper survives a Mine."


@each_end
@pytest.mark.slow
def test_the_turning_points_lead_to_where_they_happened(seed: int, variant: str):
    plies, back = ended(seed, variant)
    found = {(place, point) for place, _, point in back.points}
    assert {place for place, _ in found} <= {row.place for row in back.moments}
    for event, number in steps_of(plies):
        fallen = event.met if event.outcome == "won" else event.rank
        if event.outcome != "moved" and fallen == Rank.GENERAL:
            place = back.moments[number].place
            assert place == f"turn-{event.turn}-{event.side}"
            assert any(at == place and "General" in text for at, text in found)
        for reveal in event.revealed:
            if reveal.rank == Rank.HEADQUARTERS:
                assert any(
                    at == back.moments[number].place and f"Headquarters on {reveal.square}" in text
                    for at, text in found
                )
    assert ("end", "The end.") in found


@pytest.mark.slow
def test_the_last_page_of_a_long_match_is_whole():
    plies, back = ended(13, "standard")
    assert len(plies) > 700
    assert back.complete
    html = render(ESPIONAGE, whole(13, "standard").bodies[-1], "html")
    assert len(html.encode()) < 250_000
    assert "Replay of the whole match" in section(html)


@pytest.mark.slow
def test_a_turning_point_is_told_where_there_is_no_room_for_its_moment(
    monkeypatch: pytest.MonkeyPatch,
):
    assert len(match(13, "standard")) > 700
    reports = whole(13, "standard")
    back = reports.looked_back(room=30_000)
    assert back
    places = {row.place for row in back.moments}
    assert {place for place, *_ in back.points} <= {"", *places}
    assert back.points[0][0] == ""
    assert not back.complete
    monkeypatch.setattr(rendering, "_ENDED", 30_000)
    html = render(ESPIONAGE, reports.bodies[-1], "html")
    assert len(html.encode()) < 150_000
    assert len(section(html).encode()) < 60_000
    before = section(html).partition('<div class="past-board"')[0]
    assert "The oldest turns are not shown." in before
    assert "Replay of the whole match" not in section(html)


def test_a_match_of_eighty_turns_is_shown_from_its_beginning_when_it_has_ended():
    plies = match(13, "standard")[:161]
    end = tuple(ESPIONAGE.rules.close(plies[-1].after, "cancelled"))
    reports = reported(plies, SIDES[0])
    reports.add(fold(ESPIONAGE, plies[-1].after, end), end, False)
    html = render(ESPIONAGE, reports.bodies[-1], "html")
    assert len(html.encode()) < 150_000
    assert "Replay of the whole match" in section(html)
    assert "Turn 1, White" in section(html)


@pytest.mark.slow
def test_who_has_no_seat_sees_the_longest_match_from_its_beginning():
    body = whole(13, "standard").bodies[-1] | {"seat": ""}
    html = render(ESPIONAGE, body, "html")
    assert "Replay of the whole match" in section(html)
    assert "Turn 1, White" in section(html)


@pytest.mark.slow
def test_the_loss_of_the_last_sapper_is_a_turning_point():
    plies, back = ended(13, "standard")  # in the end a side has nothing left that may move
    assert plies[-1].after.outcome.reason == "no-legal-move"
    assert {"White has lost its last Sapper.", "Black has lost its last Sapper."} & {
        point for *_, point in back.points
    }


def test_both_seats_replay_the_same_match():
    white, black = (whole(1, seat=seat).looked_back() for seat in SIDES)
    assert white == black


def test_a_match_that_ended_in_its_set_up_is_not_replayed():
    """The set-ups stay secret (5.4)."""
    ply = match(1)[0]
    (event,) = ESPIONAGE.rules.close(ply.before, "cancelled")
    reports = Reports(SIDES[0])
    reports.add(ply.before, (), False)
    reports.add(ESPIONAGE.rules.apply(ply.before, event), [event], False)
    assert reports.bodies[-1]["record"]
    assert reports.looked_back() is None


def test_the_page_holds_no_more_of_an_old_report_than_board_and_news():
    body = {**reported(match(1)[:9], SIDES[0]).bodies[-1], "notices": "canary", "orders": "canary"}
    assert "canary" not in json.dumps(str(convert(body, OldReport)))


@pytest.mark.slow
def test_a_moment_tells_no_square_anew_on_which_only_the_fights_are_others():
    fights = 0
    for seed in (2, 9, 11):
        reports = reported(match(seed, "small", 90), SIDES[0])
        fights += any(piece.get("fights") for piece in reports.bodies[-1]["pieces"])
        back = reports.looked_back()
        assert back
        before: dict[str, Any] = {}
        for moment, after in zip(back.moments, positions(back.moments), strict=True):
            told = {CHANGE.match(change)[1] for change in moment.changes.split()}
            there = brought(before, moment)
            squares = there.keys() | after.keys()
            assert told == {sq for sq in squares if there.get(sq) != after.get(sq)}
            before = after
    assert fights
