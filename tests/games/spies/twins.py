"""Pairs of Spies' states that one seat cannot tell apart (rules 7.2, 7.4, case 13).

Every game has such a module; `tests/test_secrecy.py` says what it is for. It has `pairs`, `sheet`,
`same_orders`, `told`, `disguised`, `untold` and `canaries`.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, TypeVar

from hypothesis import strategies as st
from msgspec.structs import replace

from adjudicator.core.dice import LABEL, Chance
from adjudicator.core.match import Seat
from adjudicator.core.orders import split_lines
from adjudicator.core.visible import plain
from adjudicator.games.spies.computers.drawn import random_sheet
from adjudicator.games.spies.orders.check import check
from adjudicator.games.spies.orders.parse import parse
from adjudicator.games.spies.orders.values import Answer, Cover, Order, canonical
from adjudicator.games.spies.rules import events as e
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.atlas import KINDS, POWERS, SEATS, atlas, owner_of
from adjudicator.games.spies.rules.control import face
from adjudicator.games.spies.rules.state import Hand, Secret, Spy, Standing, State
from adjudicator.games.spies.sight.observe import observe
from adjudicator.games.spies.sight.witness import witness
from tests.games.playouts import garble
from tests.games.spies.matches import any_setting, random_match
from tests.games.twin_states import Twins

T = TypeVar("T")

# A pool of a hundred chits is seldom empty, and chance seldom drops or kills; cases do all three.
RARE = frozenset({e.Reshuffled, e.Drop, e.Kill})


def hastened(state: State) -> State:
    """Return the match with all chits of the pool but three played, so that they are soon
    shuffled."""
    pool, rest = state.pool[:3], state.pool[3:]
    return replace(state, pool=pool, discard={kind: rest.count(kind) for kind in KINDS})


def pairs() -> st.SearchStrategy[Twins]:
    """Draw positions of random matches, the set-up among them."""
    return st.builds(_in_play, st.integers(0, 2**32), st.integers(0, 4), st.integers(0, 15))


def _in_play(seed: int, number: int, length: int) -> Twins:
    rng = Random(seed)
    agreed = any_setting(rng)
    for count, ply in enumerate(random_match(rng, agreed)):
        left = ply.before  # at the end everything is shown
        if count == length:
            break
    seat = list(left.seats)[number % len(left.seats)]
    return Twins(seat, left, twin_of(left, seat, rng), agreed.options)


def twin_of(state: State, seat: Seat, rng: Random) -> State:
    """Return another truth behind the same view: strengths that the seat was not told change places
    within a power, faces among all secrets, chits and tiles among the other hands and what nobody
    holds; others stand under other orders and know other things."""
    own = state.seats[seat]
    theirs = [power for power in state.hands if power not in own]
    state = _strengths(state, seat, rng)
    state = _faces(state, seat, rng)
    state = _chits(state, theirs, rng)
    state = _tiles(state, theirs, rng)
    state = _police(state, own, rng)
    others = [other for other in state.seats if other != seat]
    known = {other: () if rng.random() < 0.5 else state.known[other] for other in others}
    setups = {other: "" for other in others if other in state.setups}
    return replace(
        state,
        known={**state.known, **known},
        setups={**state.setups, **setups},
        standing={**state.standing, **{other: _standing(rng) for other in others}},
        spies=_mixed(state.spies, rng),
        secrets=_mixed(state.secrets, rng),
        police=_mixed(state.police, rng),
    )


def _standing(rng: Random) -> Standing:
    return Standing(
        answer=rng.choice([None, (), (Answer("NONE"),), (Answer("PAPERS"), Answer("ESCAPE"))]),
        cover=rng.choice([None, (Cover(("NONE",)),), (Cover(("ALL",)),)]),
        flee=rng.choice([{}, {"ALL": (rng.choice(list(atlas().cities)),)}]),
        spare=rng.choice([(), ("ALL",), (rng.choice(POWERS),)]),
        informer=rng.choice([None, ("ALL",), ("NONE",)]),
    )


def _mixed(things: Mapping[str, T], rng: Random) -> dict[str, T]:
    """Return the same, listed in another order: that in which a state has things tells nothing."""
    codes = list(things)
    rng.shuffle(codes)
    return {code: things[code] for code in codes}


def _strengths(state: State, seat: Seat, rng: Random) -> State:
    spies: dict[str, Spy] = dict(state.spies)
    for power in state.hands:
        hidden = [
            code
            for code in spies
            if owner_of(code) == power
            and power not in state.seats[seat]
            and code not in state.known[seat]
        ]
        strengths = [spies[code].strength for code in hidden]
        rng.shuffle(strengths)
        for code, strength in zip(hidden, strengths, strict=True):
            spies[code] = replace(spies[code], strength=strength)
    return replace(state, spies=spies)


def _faces(state: State, seat: Seat, rng: Random) -> State:
    """Mix the faces that the seat does not know. A face that was found and cashed is real, one that
    was removed a counterspy: so much all saw."""
    secrets: dict[str, Secret] = dict(state.secrets)
    hidden = [code for code in secrets if code not in state.known[seat]]
    carried = [
        c for c in hidden if secrets[c].spy and owner_of(c) != owner_of(secrets[c].spy or "")
    ]
    seen = {
        "real": [c for c in hidden if secrets[c].gone == "cashed" or c in carried],
        "counterspy": [c for c in hidden if secrets[c].gone == "removed"],
    }
    seen["open"] = [c for c in hidden if c not in seen["real"] and c not in seen["counterspy"]]
    for codes in seen.values():
        faces = [secrets[code].face for code in codes]
        rng.shuffle(faces)
        for code, other in zip(codes, faces, strict=True):
            secrets[code] = replace(secrets[code], face=other)
    return replace(state, secrets=secrets)


def _chits(state: State, theirs: Sequence[str], rng: Random) -> State:
    lying = list(state.pool)
    hands: dict[str, Hand] = dict(state.hands)
    for power in theirs:
        lying += [kind for kind, number in hands[power].chits.items() for _ in range(number)]
    rng.shuffle(lying)
    for power in theirs:
        number = sum(hands[power].chits.values())
        drawn, lying = lying[:number], lying[number:]
        chits = {kind: drawn.count(kind) for kind in atlas().costs if kind in drawn}
        hands[power] = replace(hands[power], chits=chits)
    return replace(state, hands=hands, pool=tuple(lying))


def _tiles(state: State, theirs: Sequence[str], rng: Random) -> State:
    hands: dict[str, Hand] = dict(state.hands)
    lying = [tile for power in theirs for tile in hands[power].tiles]
    rng.shuffle(lying)
    for power in theirs:
        number = len(hands[power].tiles)
        hands[power] = replace(hands[power], tiles=tuple(lying[:number]))
        lying = lying[number:]
    return replace(state, hands=hands)


def _police(state: State, own: Sequence[str], rng: Random) -> State:
    """Put other pieces of the same power in the same places."""
    police = dict(state.police)
    for power in POWERS:
        if power in own:
            continue
        codes = [code for code in police if owner_of(code) == power]
        spots = [(police[code].city, police[code].on) for code in codes]
        rng.shuffle(spots)
        for code, (city, on) in zip(codes, spots, strict=True):
            police[code] = replace(police[code], city=city, on=on)
    return replace(state, police=police)


def sheet(state: State, seat: Seat, rng: Random) -> str:
    """Return what the seat might send: a good sheet, a garbled one, or lines that feel for hidden
    things."""
    if seat not in match.awaiting(state) or rng.random() < 0.4:
        return "\n".join(_probe(state, rng) for _ in range(rng.randint(0, 4)))
    chance = Chance(rng.randbytes(32), "twins", label=LABEL).private(seat, "sheet")
    text = "\n".join(map(canonical, random_sheet(observe(state, seat), chance)))
    return text if rng.random() < 0.3 else garble(text, rng)


def _probe(state: State, rng: Random) -> str:
    spy, secret = rng.choice(list(state.spies)), rng.choice(list(state.secrets))
    tile, piece = rng.choice(list(atlas().tiles)), rng.choice(list(state.police))
    city, power = rng.choice(list(atlas().cities)), rng.choice(POWERS)
    return rng.choice(
        [
            f"PLAY {tile}",
            f"DISCARD {tile}",
            f"POLICE {piece} {city} ON {secret}",
            f"SPY {spy}: GO {city} IF CARRYING>={rng.randint(0, 5)}; DISCOVER {secret}",
            f"SPY {spy}: TAKE {secret}; KILL {rng.choice(list(state.spies))}",
            f"GIVE {power} {rng.choice(KINDS)}",
            f"COVER {secret} IF VALUE>={rng.randint(1, 5)}",
            f"SPARE {spy}, {city}",
        ]
    )


def same_orders(twins: Twins, rng: Random) -> Mapping[Seat, Sequence[Order]] | None:
    """Return sheets for the next ply that are allowed in both twins; None if the match is over."""
    awaited = match.awaiting(twins.left)
    if not awaited or awaited != match.awaiting(twins.right):
        return None
    orders: dict[Seat, Sequence[Order]] = {}
    for seat in awaited:
        chance = Chance(rng.randbytes(32), "twins", label=LABEL).private(seat, "sheet")
        wanted = random_sheet(observe(twins.left, seat), chance)
        read = parse(split_lines("\n".join(map(canonical, wanted))))
        allowed = not check(observe(twins.right, seat), read)
        orders[seat] = read.orders if allowed else ()
    return orders


def told(events: Sequence[e.AnyEvent], seat: Seat) -> Any:
    """Return the seat's news, and who left and why."""
    left = [[event.seat, event.reason] for event in events if isinstance(event, e.Left)]
    return plain([[seen for event in events if (seen := witness(event, seat))], left])


def disguised(event: e.AnyEvent, seat: Seat, rng: Random) -> e.AnyEvent:
    """Return the event as it might have been for all that `seat` may learn of it."""
    kind, strange = rng.choice(KINDS), rng.randint(1, 5)
    match event:
        case e.Ordered():
            return replace(event, lines=("HOLD ALL",))
        case e.Reshuffled():
            return replace(event, pool=(kind,))
        case e.Committed():
            return replace(event, text="another")
        case e.Guard():
            return replace(event, police="G-P7")
        case e.Tile(played=False) if event.seat != seat:
            return replace(event, tile=rng.choice(list(atlas().tiles)))
        case e.Gain() if event.seat != seat:
            return replace(event, kinds=tuple(kind for _ in event.kinds))
        case e.Cash() if event.seat != seat:
            return replace(event, chit=rng.choice([None, kind]))
        case e.Give(chit=str()) if seat not in event.told:
            return replace(event, chit=kind)
        case e.Search() if seat not in event.told:
            return replace(event, strength=strange, police=strange, told=event.told or ("x",))
        case e.Kill() if seat not in event.told:
            return replace(event, strength=strange, victims_strength=rng.randint(1, 5))
        case e.Discover():
            others = {who: e.Learned(value=strange, title="?") for who in SEATS if who != seat}
            mine = {seat: event.told[seat]} if seat in event.told else {}
            return replace(event, told=others | mine, coverer="italy", carrier="I-A")
        case e.Skipped() if event.seat != seat:
            return replace(event, step=strange, why="empty")
        case _:
            return event


def untold(view: dict[str, Any]) -> dict[str, Any]:
    """Return a plain view without what a seat learns from no event: where others' police stand and
    what they guard, the power to move and the year."""
    secrets = [
        {key: value for key, value in secret.items() if key != "controller" or secret["spy"]}
        for secret in view["secrets"]
    ]
    return {**view, "police": [], "secrets": secrets}


def canaries(state: State, seat: Seat) -> tuple[State, Sequence[str]]:
    """Return the state with every tile that `seat` may not see replaced by a word that stands
    nowhere else; what is hidden besides are small numbers and titles that all know."""
    marks: list[str] = []
    hands = dict(state.hands)
    for power in state.hands:
        if power not in state.seats[seat]:
            new = [f"canary-{len(marks) + n}-" for n in range(len(hands[power].tiles))]
            hands[power] = replace(hands[power], tiles=tuple(new))
            marks += new
    return replace(state, hands=hands), marks


def standing_alike(one: State, other: State, seat: Seat) -> bool:
    return plain(observe(one, seat)) == plain(observe(other, seat))


def told_alike(one: State, other: State, seat: Seat) -> bool:
    """Return whether two views are the same, but for where others' police stand and what they
    guard, which is told by no event."""
    first, second = (untold(plain(observe(state, seat))) for state in (one, other))
    return first == second


def titles(state: State) -> set[str]:
    """Return the titles of all secrets that are unlike each other."""
    shown = [face(state, code).title for code in state.secrets]
    return {title for title in shown if shown.count(title) == 1}
