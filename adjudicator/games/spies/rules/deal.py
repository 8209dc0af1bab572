"""The deal: everything that is drawn before the first sheet (rules 2.1 to 2.3).

All of it comes from one stream, `deal`, in the order of 2.3; whoever opens the seed at the end
draws the same again. Dormant powers are placed from streams of their own (2.7), since a power's
random set-up must not depend on who else asked for one.
"""

from collections.abc import Iterator, Mapping

from adjudicator.core.dice import Chance, Stream
from adjudicator.core.match import Seat
from adjudicator.games.spies.rules.atlas import (
    LETTERS,
    NEUTRAL,
    POWERS,
    Code,
    Power,
    atlas,
    police_codes,
    secret_codes,
    spy_codes,
)
from adjudicator.games.spies.rules.state import Hand, Police, Secret, Settings, Spy, State


def deal_match(
    settings: Settings, seats: Mapping[Seat, tuple[Power, ...]], chance: Chance
) -> State:
    """Deal the match as it lies before the set-up, dormant powers not yet placed."""
    led = {power for powers in seats.values() for power in powers}
    playing = [power for power in POWERS if power in led]
    stream = chance.deal()
    secrets = _secrets(stream)
    spies = _spies(stream, playing)
    tiles = _common_tiles(stream)
    pool = _pool(stream, settings.assassination)
    hands = {}
    for power in playing:
        country = atlas().powers[power]
        drawn = tuple(next(tiles) for _ in range(country.common_tiles))
        hands[power] = Hand(country.money, {}, (*_own_tiles(power), *drawn))
    for power, hand in hands.items():
        number = atlas().powers[power].chits
        hands[power] = Hand(hand.money, count_chits(pool[:number]), hand.tiles)
        pool = pool[number:]
    return State(
        settings=settings,
        seats=seats,
        hands=hands,
        spies=spies,
        secrets=secrets,
        police=_police(),
        pool=pool,
        record=dict.fromkeys(POWERS, ()),
        known={seat: _originals(powers) for seat, powers in seats.items()},
    )


def count_chits(kinds: tuple[str, ...]) -> dict[str, int]:
    """Count how many chits there are of each kind, in the order of 2.4."""
    return {kind: kinds.count(kind) for kind in atlas().costs if kind in kinds}


def _secrets(stream: Stream) -> dict[Code, Secret]:
    """Shuffle the faces in map order and give them out by code (2.3 (a))."""
    given = iter(stream.shuffled(atlas().faces))
    originals = {
        code: Secret(next(given)) for power in POWERS for code in secret_codes(LETTERS[power])
    }
    neutral = zip(secret_codes(NEUTRAL), atlas().neutral_cities, strict=True)
    return originals | {code: Secret(next(given), city) for code, city in neutral}


def _spies(stream: Stream, playing: list[Power]) -> dict[Code, Spy]:
    """Give each power's spies their strengths (2.3 (b))."""
    spies: dict[Code, Spy] = {}
    for power in playing:
        strengths = stream.shuffled(atlas().powers[power].spies)
        spies |= {
            code: Spy(strength) for code, strength in zip(spy_codes(power), strengths, strict=True)
        }
    return spies


def _common_tiles(stream: Stream) -> Iterator[str]:
    """Shuffle the tiles that are no power's own (2.3 (c))."""
    common = (tile.id for tile in atlas().tiles.values() if tile.owner is None)
    return iter(stream.shuffled(common))


def _own_tiles(power: Power) -> tuple[str, ...]:
    tiles = atlas().tiles.values()
    return tuple(tile.id for tile in tiles if tile.owner == LETTERS[power])


def _pool(stream: Stream, assassination: bool) -> tuple[str, ...]:
    """Shuffle the chits (2.3 (d))."""
    numbers = dict(atlas().chits)
    if assassination:
        numbers["dagger"] = atlas().daggers
    chits = (kind for kind, number in numbers.items() for _ in range(number))
    return tuple(stream.shuffled(chits))


def _police() -> dict[Code, Police]:
    return {
        code: Police(strength)
        for power in POWERS
        for code, strength in zip(police_codes(power), atlas().powers[power].police, strict=True)
    }


def _originals(powers: tuple[Power, ...]) -> tuple[Code, ...]:
    """Return the secrets at which a seat has looked (2.5); its spies it knows anyway."""
    return tuple(code for power in powers for code in secret_codes(LETTERS[power]))
