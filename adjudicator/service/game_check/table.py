"""The checks of a game, in the order in which they are made, and what each of them demands. The
first of them, what a game says of itself as a whole, is here, too."""

from collections.abc import Callable, Collection, Iterator
from itertools import islice

from msgspec import Struct

from adjudicator.core.game import CONTRACT
from adjudicator.core.match import Option
from adjudicator.core.orders import folded
from adjudicator.games.packaged import is_slug
from adjudicator.service.base.options import DEFAULTS, UNCHOSEN
from adjudicator.service.game_check import orders, pages, play, secrecy
from adjudicator.service.game_check.sample import (
    LONGEST,
    ContractFault,
    Place,
    Sample,
    describe_fault,
    find,
)


def names(sample: Sample) -> Iterator[ContractFault]:
    game = sample.game
    if game.contract != CONTRACT:
        yield sample.fault(
            f"it is written for the contract {game.contract}, and this adjud has {CONTRACT}"
        )
    if not is_slug(game.slug):
        yield sample.fault(f"slug {game.slug!r} is not one word of 2 to 20 letters from a to z")
    if set(game.seat_titles) != set(game.seats):
        yield sample.fault("`seat_titles` are not those of `seats`")
    if set(game.variant_titles) != set(game.variants) or not game.variants:
        yield sample.fault("`variants` are at least one, and each has its title")
    if strangers := set(game.seat_words.values()) - set(game.seats):
        yield sample.fault(f"`seat_words` are for no seat: {sorted(strangers)}")
    if not game.players or max(game.players) > len(game.seats):
        yield sample.fault("`players` are more than there are seats")
    for name, option in game.options.items():
        if option.default not in (option.values or ("0",)):
            yield sample.fault(f"option {name} has no default")
        if name in DEFAULTS or name in UNCHOSEN:
            yield sample.fault(f"option {name} is one of every match; give it another name")
        yield from _defaults(sample, name, option)
    for word, seat in game.seat_words.items():
        plain = folded(word)
        if word != word.casefold():
            yield sample.fault(f"seat word {word!r} is never found: small letters are looked for")
        elif game.seat_words.get(plain, plain) != seat:
            yield sample.fault(
                f"seat word {plain!r}, which is {word!r} without accents, is missing"
            )


def _defaults(sample: Sample, name: str, option: Option) -> Iterator[ContractFault]:
    for players, value in option.by_seats.items():
        if players not in sample.game.players or value not in (option.values or (value,)):
            yield sample.fault(f"option {name} has no value {value!r} for {players} players")


MOST = 3  # findings told of one check


class Check(Struct, frozen=True, kw_only=True):
    """`demands` is what the game owes, `member` the part that is to be mended. `needs` are checks
    without which this one would only find the same fault again. A check that `warns` finds what a
    club can live with."""

    name: str
    demands: str
    member: str
    find: Callable[[Sample], Iterator[ContractFault]]
    needs: Collection[str] = ()
    warns: bool = False


class CheckedDemand(Struct, frozen=True):
    """`state` is `ok`, `wrong`, `warning`, or `skipped` because of the check named `because`."""

    check: str
    state: str
    demands: str
    member: str
    found: tuple[ContractFault, ...] = ()
    because: str = ""
    note: str = ""


_SOUND = ("played", "unchanged", "chance", "awaited")  # what all that follows stands on

CHECKS = (
    Check(
        name="named",
        demands="seats, variants and options have titles, and one default each",
        member="Game",
        find=names,
    ),
    Check(
        name="played",
        demands="computer:random plays every match from its set-up on, and nothing is raised",
        member="rules, computers",
        find=play.playing,
    ),
    Check(
        name="unchanged",
        demands="no function changes a state, a view, orders or events that it is given",
        member="rules, sight, orders, computers",
        find=play.changes,
        needs=["played"],
    ),
    Check(
        name="chance",
        demands="all chance comes from the streams that are given: no `random`, `secrets`, `time`, "
        "and nothing kept between two calls",
        member="rules, sight, orders, computers",
        find=play.chance,
        needs=["played", "unchanged"],
    ),
    Check(
        name="awaited",
        demands="somebody is to move exactly until there is an outcome; phase, turn and winners "
        "follow the match",
        member="rules.awaiting, rules.outcome, rules.phase, rules.turn",
        find=play.waiting,
        needs=["played"],
    ),
    Check(
        name="ends",
        demands=f"a match that is played at random ends within {LONGEST} plies",
        member="rules.adjudicate",
        find=play.ends,
        needs=["played", "awaited"],
    ),
    Check(
        name="processes",
        demands="the same seed and orders give the same in another process: no order of a set, "
        "and nothing kept of another match",
        member="rules, sight, page, computers",
        find=play.processes,
        needs=_SOUND,
    ),
    Check(
        name="stored",
        demands="states, events and reports are read from JSON as they were",
        member="rules.state, rules.event, sight.view, sight.sighting",
        find=play.storage,
        needs=_SOUND,
    ),
    Check(
        name="replayed",
        demands="the events folded are the state, and a stored state is adjudicated to the same",
        member="rules.apply, rules.adjudicate",
        find=play.replay,
        needs=(*_SOUND, "stored"),
    ),
    Check(
        name="left",
        demands="seats may leave and a match may be closed in every state, for the reasons that "
        "the program gives; without them a match goes on",
        member="rules.leave, rules.close, rules.awaiting, rules.adjudicate",
        find=play.departures,
        needs=_SOUND,
    ),
    Check(
        name="visible",
        demands="views and sightings are declared Visible, and states and events are not",
        member="sight.observe, sight.witness",
        find=secrecy.visible,
    ),
    Check(
        name="seen",
        demands='each seat and the seat "" have a view of every state, and see that time goes on',
        member="sight.observe, sight.witness, sight.truth",
        find=secrecy.views,
        needs=(*_SOUND, "visible"),
    ),
    Check(
        name="news",
        demands="a seat's news say nothing of others' orders that its view does not show, too",
        member="sight.witness",
        find=secrecy.news,
        needs=(*_SOUND, "visible"),
    ),
    Check(
        name="refusals",
        demands="a refusal says the same in two matches that the seat cannot tell apart",
        member="orders.check, orders.parse, orders.evident, orders.warn",
        find=secrecy.refusals,
        needs=(*_SOUND, "visible", "news"),
    ),
    Check(
        name="orders",
        demands="an order is read again from its canonical text, in each language, and is not a "
        "command of emails; `evident` refuses none that `check` allows",
        member="orders.parse, orders.canonical, orders.lexicon, orders.evident",
        find=orders.read_again,
        needs=(*_SOUND, "refusals"),
    ),
    Check(
        name="template",
        demands="a template that is sent back as it is is refused",
        member="orders.template",
        find=orders.template_refused,
        needs=(*_SOUND, "refusals"),
    ),
    Check(
        name="any text",
        demands="any text at all is read or answered, with the number of its line",
        member="orders.parse, orders.check",
        find=orders.any_text,
        needs=(*_SOUND, "refusals"),
    ),
    Check(
        name="computers",
        demands="`computer` and `computer:random` are there, and every computer sends orders that "
        "are allowed",
        member="computers",
        find=orders.computers,
        needs=(*_SOUND, "refusals"),
    ),
    Check(
        name="in advance",
        demands="each adjudication brings a later turn one ply nearer, and no allowed order of a "
        "turn is impossible in advance",
        member="advance.ply, advance.impossible",
        find=orders.in_advance,
        needs=_SOUND,
    ),
    Check(
        name="examples",
        demands="the orders that the card and refusals show as examples are orders",
        member="orders.examples",
        find=pages.examples,
        needs=_SOUND,
    ),
    Check(
        name="boards",
        demands="each board can be drawn, and what is tapped or pressed is on it once",
        member="look.board, look.square, look.label, orders.legal",
        find=pages.drawings,
        needs=(*_SOUND, "visible"),
    ),
    Check(
        name="templates",
        demands="all templates that the program asks for are there and can be used",
        member="templates",
        find=pages.templates,
    ),
    Check(
        name="pages",
        demands="the first page and pages of the middle are made in every form and language",
        member="page, templates",
        find=pages.on_the_way,
        needs=(*_SOUND, "visible", "templates", "boards"),
    ),
    Check(
        name="last pages",
        demands="the last page is made in every form and language, whatever ended the match",
        member="page, templates",
        find=pages.last,
        needs=(*_SOUND, "visible", "left", "templates", "pages"),
    ),
    Check(
        name="twins",
        demands="reports, pages, templates and computers are the same in two matches that the seat "
        "cannot tell apart",
        member="page, orders.template, rules.awaiting, computers",
        find=secrecy.twins,
        needs=(*_SOUND, "visible", "news", "refusals", "pages"),
    ),
    Check(
        name="card",
        demands="what HELP sends names every word of the orders",
        member="orders.lexicon, the card",
        find=pages.card_words,
        needs=["templates"],
    ),
    Check(
        name="records",
        demands="a match that has ended is written down, and is played again from its record",
        member="record.write, record.replay",
        find=play.records,
        needs=(*_SOUND, "left", "replayed"),
    ),
    Check(
        name="languages",
        demands="the game's sentences are translated",
        member="locale",
        find=pages.languages,
        warns=True,
    ),
)


def run(sample: Sample) -> Iterator[CheckedDemand]:
    """Make all checks, and yield what each of them found as soon as it is known."""
    failed: dict[str, str] = {}
    for check in CHECKS:
        because = next((failed[need] for need in check.needs if need in failed), "")
        if because:
            failed[check.name] = because
            yield CheckedDemand(check.name, "skipped", check.demands, check.member, because=because)
            continue
        sample.place, sample.note = Place(), ""
        found = tuple(islice(findings(check, sample), MOST))
        state = "ok" if not found else "warning" if check.warns else "wrong"
        if state == "wrong":
            failed[check.name] = check.name
        note = sample.note if state == "ok" else ""
        yield CheckedDemand(check.name, state, check.demands, check.member, found, note=note)


def findings(check: Check, sample: Sample) -> Iterator[ContractFault]:
    """Yield what a check finds; what the game raises is found, too."""
    try:
        yield from check.find(sample)
    except Exception as fault:
        yield sample.fault(f"raises {describe_fault(fault)}")


def faults(word: str, seed: str = "1", matches: int = 3) -> list[str]:
    """Return a sentence for each fault of a game that `sample.find` finds, for a test of its
    author; what is only a warning is none."""
    results = run(Sample(find(word), seed, matches, word))
    return [
        f"{result.check}: {found.told} ({found.place})"
        for result in results
        if result.state == "wrong"
        for found in result.found
    ]
