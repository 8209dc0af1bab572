"""No road tells a seat what it may not know.

Twins are two states that a seat cannot tell apart; whatever it gets must be the same bytes in
both. A game provides them in `tests/games/<game>/twins.py`:

    pairs()                   a Hypothesis strategy of Twins(seat, left, right, options)
    sheet(state, seat, rng)   the text of a sheet that the seat might send
    same_orders(twins, rng)   orders for the next turn, legal in both, or None
    told(events, seat)        what the events tell the seat, as plain data
    disguised(event, seat, rng)   the event with everything changed that the seat may not know
    untold(view)              a plain view without what a seat learns from no event
    canaries(state, seat)     the state with marks for secrets, and the marks
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import LANGUAGES, tell
from adjudicator.core.orders import split_lines
from adjudicator.core.report import AnyReport
from adjudicator.core.visible import Visible, plain
from adjudicator.reports.button import Links
from adjudicator.reports.frame import ReplyForm
from tests import values as email_values
from tests.club import Printable, forms, show
from tests.games.one_turn import play_turn
from tests.games.playouts import playout
from tests.games.standing import standing
from tests.games.twin_states import Twins
from tests.games.under_contract import each_game_of_ours
from tests.nightly import NIGHTLY
from tests.printed import public_report, report_of
from tests.scale import examples
from tests.values import EmailValue, write

# By night twenty times as many (tests/scale.py takes ten times of it).
SOME_TWINS, MORE_TWINS = (examples(n if NIGHTLY else n // 2) for n in (20, 40))

CHANCE = Chance(bytes(32), "secrecy", label=LABEL)
Options = Mapping[str, str]
pytestmark = pytest.mark.usefixtures("skeleton")


def seen(game: AnyGame, state: Any, seat: Seat, options: Options) -> bytes:
    return msgspec.json.encode(plain(game.sight.observe(state, seat)))


def order_template(game: AnyGame, state: Any, seat: Seat, options: Options) -> bytes:
    return "\n".join(game.orders.template(game.sight.observe(state, seat))).encode()


def who_is_awaited(game: AnyGame, state: Any, seat: Seat, options: Options) -> bytes:
    waiting = sorted(game.rules.awaiting(state))
    rules = game.rules
    return f"{waiting} {rules.turn(state)} {rules.phase(state)} {rules.outcome(state)}".encode()


def links_of_chains(game: AnyGame, state: Any, seat: Seat, options: Options) -> bytes:
    """Return which links of the public chains are shown."""
    return msgspec.json.encode(game.proof.links(state, seat))


def computers_orders(game: AnyGame, state: Any, seat: Seat, options: Options) -> bytes:
    """Return what a computer in this seat would do: it shows all that it was let know."""
    if seat not in game.rules.awaiting(state):
        return b""
    view = game.sight.observe(state, seat)
    orders = (
        game.computers[name](view, CHANCE.private(seat, name)) for name in sorted(game.computers)
    )
    return "\n".join(game.orders.canonical(part) for order in orders for part in order).encode()


def pages_in_every_form(game: AnyGame, state: Any, seat: Seat, options: Options) -> bytes:
    """Return text, HTML and JSON, in every language, with the names of the files, and the HTML of
    the email."""
    if game.rules.outcome(state):
        return b""  # the log that a last report needs is not here; nothing is secret any more
    report = report_of(standing(game, state, options), seat)
    made = []
    for language in LANGUAGES:
        reply = ReplyForm(tips=True, links=Links(orders="mailto:", draw="mailto:"))
        printable = Printable(report, language, "Europe/Oslo", reply=reply)
        made += [f"{name}\n{text}" for name, text in forms(printable)]
        made.append(show(printable, "letter"))
    return "\n".join(made).encode()


def email_as_value(game: AnyGame, state: Any, seat: Seat, options: Options) -> bytes:
    """Return all that an email with a report says, as it is written as JSON."""
    if game.rules.outcome(state):
        return b""
    report = report_of(standing(game, state, options), seat)
    return email_values.to_json(email_value(report)).encode()


def email_value(report: AnyReport) -> EmailValue:
    """Return the value of an email with that report, with what no state decides made up."""
    to = email_values.Addressee(match=report.match, seat=report.seat, tenure=1, epoch="")
    return EmailValue(
        adjud="",
        label=email_values.LABEL,
        kind="report",
        part=False,
        to=to,
        at="2026-11-24T18:00:00Z",
        language="nb",
        zone="Europe/Oslo",
        club=email_values.ClubLines(name="", reach=None, site=""),
        report=email_values.report_value(report),
        receipts=(),
        press=(),
        beside=email_values.Beside(
            first=True,
            tips=True,
            advised=True,
            page=email_values.ReadersPage(shown="attached"),
            reply_to="m.white@play.example.org",
        ),
    )


def email_written(game: AnyGame, state: Any, seat: Seat, options: Options) -> bytes:
    """Return Subject, text, HTML and page of that email."""
    if game.rules.outcome(state):
        return b""
    report = report_of(standing(game, state, options), seat)
    return repr(write(email_value(report))).encode()


def suggested_orders(game: AnyGame, state: Any, seat: Seat, options: Options) -> bytes:
    """Return the orders that the button of an email would send, and what it says of them."""
    if game.rules.outcome(state):
        return b""
    report = report_of(standing(game, state, options), seat)
    found = game.page.suggest(report.view, tell)
    return repr(found).encode()


def board_as_picture(game: AnyGame, state: Any, seat: Seat, options: Options) -> bytes:
    """Return the board as SVG; the PNG is made from this and from nothing else."""
    if game.rules.outcome(state):
        return b""
    report = report_of(standing(game, state, options), seat)
    return show(report, "svg", "nb").encode()


def board_for_onlookers(game: AnyGame, state: Any, seat: Seat, options: Options) -> bytes:
    """Return the picture on the club's first page: it shows no seat what that does not know."""
    if game.rules.outcome(state):
        return b""
    report = public_report(standing(game, state, options).loaded, Seat(""))
    return show(report, "svg").encode()


# THE HOOK: everything that a seat can get from a state. If anything else is made for a seat (pages
# as text, HTML and JSON, pictures, emails with their headers), add it here, and it is then under
# all tests below: twins, twins at play, canaries.
EVERYTHING_A_SEAT_GETS: list[Callable[[AnyGame, Any, Seat, Options], bytes]] = [
    seen,
    order_template,
    who_is_awaited,
    links_of_chains,
    computers_orders,
    pages_in_every_form,
    email_as_value,
    email_written,
    suggested_orders,
    board_as_picture,
    board_for_onlookers,
]


def answer(game: AnyGame, state: Any, seat: Seat, text: str) -> bytes:
    """Return what a seat is told about a sheet."""
    sheet = game.orders.parse(split_lines(text))
    problems = (*sheet.problems, *game.orders.check(game.sight.observe(state, seat), sheet))
    return "\n".join(f"{p.line} {p.text} {tell(p.message)}" for p in problems).encode()


def twins_of(game: AnyGame) -> Any:
    return import_module(f"tests.games.{game.slug}.twins")


@pytest.mark.slow
@each_game_of_ours
@given(data=st.data())
@SOME_TWINS
def test_twins_get_the_same_bytes(game: AnyGame, data: st.DataObject):
    twins = data.draw(twins_of(game).pairs())
    for made in EVERYTHING_A_SEAT_GETS:
        left, right = (
            made(game, state, twins.seat, twins.options) for state in (twins.left, twins.right)
        )
        assert left == right, made.__name__


@pytest.mark.slow
@each_game_of_ours
@given(data=st.data(), seed=st.integers(0, 2**32))
@SOME_TWINS
def test_twins_are_answered_the_same_at_the_counter(game: AnyGame, data: st.DataObject, seed: int):
    twins = data.draw(twins_of(game).pairs())
    rng = Random(seed)
    for _ in range(10):
        text = twins_of(game).sheet(twins.left, twins.seat, rng)
        left, right = (answer(game, state, twins.seat, text) for state in (twins.left, twins.right))
        assert left == right, text


@pytest.mark.slow
@each_game_of_ours
@given(data=st.data(), seed=st.integers(0, 2**32))
@SOME_TWINS
def test_twins_at_play_look_alike_as_long_as_the_news_do(
    game: AnyGame, data: st.DataObject, seed: int
):
    module, rng = twins_of(game), Random(seed)
    twins = data.draw(module.pairs())
    for _ in range(30):
        orders = module.same_orders(twins, rng)
        if orders is None:
            return
        (events, left), (others, right) = (
            play_turn(game, state, orders, CHANCE) for state in (twins.left, twins.right)
        )
        if game.rules.outcome(left) or game.rules.outcome(right):  # the result is told
            return
        if module.told(events, twins.seat) != module.told(others, twins.seat):
            return
        twins = replace(twins, left=left, right=right)
        views = (plain(game.sight.observe(state, twins.seat)) for state in (left, right))
        first, second = (msgspec.json.encode(module.untold(view)) for view in views)
        assert first == second


@pytest.mark.slow
@each_game_of_ours
@given(seed=st.integers(0, 2**32))
@MORE_TWINS
def test_the_news_of_an_event_hang_on_nothing_hidden(game: AnyGame, seed: int):
    rng = Random(seed)
    for ply in playout(game, rng, rng.choice([20, 200])):
        for event in ply.events:
            for seat in ply.setting.seats:
                disguised = twins_of(game).disguised(event, seat, rng)
                left, right = (game.sight.witness(e, seat) for e in (event, disguised))
                assert plain(left) == plain(right)


@pytest.mark.slow
@each_game_of_ours
def test_most_twins_are_not_the_same_state(game: AnyGame):
    """Otherwise the tests above would say nothing; variants without secrets are few."""
    differ = list[bool]()

    @given(twins=twins_of(game).pairs())
    @MORE_TWINS
    def look(twins: Any) -> None:
        differ.append(twins.left != twins.right)

    look()
    assert sum(differ) > len(differ) / 2


@each_game_of_ours
def test_each_value_of_each_option_is_among_the_twins(game: AnyGame):
    """Otherwise the tests above would say nothing of what an option lets out."""
    met = dict[str, set[str]]()

    @given(twins=twins_of(game).pairs())
    @examples(40)  # fewer do not meet all values
    def look(twins: Twins[Any]) -> None:
        for key, value in twins.options.items():
            met.setdefault(key, set()).add(value if game.options[key].values else min(value, "1"))

    look()
    wanted = {key: {*option.values} or {"0", "1"} for key, option in game.options.items()}
    assert met == wanted, "`pairs` of its twins.py says no `options`, or draws too few"


@pytest.mark.slow
@each_game_of_ours
@given(data=st.data(), seed=st.integers(0, 2**32))
@SOME_TWINS
def test_no_mark_on_a_secret_is_found_in_what_a_seat_gets(
    game: AnyGame, data: st.DataObject, seed: int
):
    module, rng = twins_of(game), Random(seed)
    twins = data.draw(module.pairs())
    state, marks = module.canaries(twins.left, twins.seat)
    assert marks
    text = module.sheet(twins.left, twins.seat, rng)
    got = b"\n".join(
        (
            *(made(game, state, twins.seat, twins.options) for made in EVERYTHING_A_SEAT_GETS),
            answer(game, state, twins.seat, text),
        )
    ).decode()
    assert [mark for mark in marks if mark in got] == []


@each_game_of_ours
@given(data=st.data())
@SOME_TWINS
def test_the_marks_would_be_found_if_they_were_let_out(game: AnyGame, data: st.DataObject):
    """The game's end opens everything (and shows that the test above can fail)."""
    module = twins_of(game)
    twins = data.draw(module.pairs())
    state, marks = module.canaries(twins.left, twins.seat)
    (event,) = game.rules.close(state, "agreement")
    got = seen(game, game.rules.apply(state, event), twins.seat, twins.options).decode()
    assert [mark for mark in marks if mark not in got] == []


@each_game_of_ours
def test_secret_things_are_refused_at_the_gate(game: AnyGame):
    """A state and its events are never declared visible."""
    assert not issubclass(game.rules.state, Visible)
    for event in game.rules.event.__args__:
        assert not issubclass(event, Visible)
    start = game.rules.set_up(_plain_setting(game), CHANCE)
    with pytest.raises(TypeError, match="is not visible to players"):
        plain(start)
    with pytest.raises(TypeError, match="is not visible to players"):
        plain({"match": (start,)})


def _plain_setting(game: AnyGame) -> Any:
    options = {key: option.default for key, option in game.options.items()}
    return Setting(game.variants[0], options, tuple(game.seats[: max(game.players)]))
