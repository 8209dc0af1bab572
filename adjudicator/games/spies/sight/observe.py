"""Show a seat what it may know of how things stand: `observe` builds its view (rules 7.1, 7.2,
7.4).

Nothing hidden decides an order in which things are listed: spies by power and code, secrets by
code, police by the map. While the set-up is made, others' pieces are nowhere, so that not even
their number of guarded secrets shows.
"""

from collections.abc import Iterator

from adjudicator.core.match import Seat
from adjudicator.games.spies.orders.values import canonical
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.atlas import (
    KINDS,
    POWERS,
    Code,
    Power,
    atlas,
    by_code,
    owner_of,
    power_of,
)
from adjudicator.games.spies.rules.control import controller, face, police_in
from adjudicator.games.spies.rules.outcome import points_of
from adjudicator.games.spies.rules.state import Standing, State
from adjudicator.games.spies.sight.view import (
    OwnChits,
    OwnPolice,
    SeenEntry,
    SeenPolice,
    SeenSecret,
    SeenSpy,
    SeenStanding,
    View,
)


def observe(state: State, seat: Seat) -> View:
    """Return what `seat` sees; whoever has no seat sees what all may see. At the end everything is
    shown (7.4)."""
    own = state.seats.get(seat, ())
    shown = tuple(state.hands) if state.outcome else own
    return View(
        variant="standard",
        phase=match.phase(state),
        seat=seat,
        turn=match.number(state),
        result=state.outcome,
        seats=state.seats,
        left=state.left,
        order=state.settings.order,
        assassination=state.settings.assassination,
        year=match.year_to_play(state),
        mode=state.settings.mode,
        to_move=state.to_move,
        first=match.first_of(state),
        powers=own,
        dormant=tuple(power for power in POWERS if power not in state.hands),
        placed=state.placed,
        spies=tuple(_spies(state, seat)),
        secrets=tuple(_secrets(state, seat)),
        police=tuple(_police(state)),
        own_police=tuple(_own_police(state, POWERS if state.outcome else own)),
        money={power: hand.money for power, hand in state.hands.items()},
        chits={power: sum(hand.chits.values()) for power, hand in state.hands.items()},
        tiles={power: len(hand.tiles) for power, hand in state.hands.items()},
        played=state.played,
        own_chits={power: _chits(state, power) for power in shown},
        own_tiles={power: state.hands[power].tiles for power in shown},
        record={power: tuple(_record(state, power)) for power in POWERS},
        points={power: points_of(state, power) for power in shown},
        standing=_standing(state.standing.get(seat, Standing())),
    )


def _spies(state: State, seat: Seat) -> Iterator[SeenSpy]:
    for code in sorted(state.spies, key=by_code):
        spy, known = state.spies[code], _knows(state, seat, code)
        if not state.placed and not known:
            continue
        yield SeenSpy(
            spy=code,
            power=power_of(code),
            city=spy.city,
            captor=spy.captor,
            carries=spy.carries,
            strength=spy.strength if known else None,
        )


def _secrets(state: State, seat: Seat) -> Iterator[SeenSecret]:
    for code in sorted(state.secrets):
        secret, shown = state.secrets[code], face(state, code)
        known = _knows(state, seat, code)
        if secret.city is None and not state.placed and not known:
            continue
        yield SeenSecret(
            secret=code,
            origin=owner_of(code),
            city=secret.city,
            spy=secret.spy,
            controller=controller(state, code),
            gone=secret.gone,
            value=shown.value if known else None,
            counterspy=shown.strength if known else None,
            title=shown.title if known else None,
        )


def _knows(state: State, seat: Seat, code: Code) -> bool:
    """Return whether a seat was told the strength of a spy or the face of a secret."""
    own = code in state.spies and owner_of(code) in state.seats.get(seat, ())
    return own or state.outcome is not None or code in state.known.get(seat, ())


def _police(state: State) -> Iterator[SeenPolice]:
    for city in atlas().cities:
        host = atlas().owner(city)
        there = police_in(state, host, city) if host else ()
        if host and there:
            on = {state.police[code].on for code in there}
            guards = tuple(sorted(code for code in on if code))
            yield SeenPolice(city=city, power=host, pieces=len(there), guards=guards)


def _own_police(state: State, powers: tuple[Power, ...]) -> Iterator[OwnPolice]:
    for code in sorted(state.police, key=by_code):
        if owner_of(code) in powers:
            piece = state.police[code]
            yield OwnPolice(police=code, strength=piece.strength, city=piece.city, on=piece.on)


def _chits(state: State, power: Power) -> OwnChits:
    held = state.hands[power].chits
    return OwnChits(**{kind: held.get(kind, 0) for kind in KINDS})


def _record(state: State, power: Power) -> Iterator[SeenEntry]:
    for entry in state.record[power]:
        yield SeenEntry(kind=entry.kind, code=entry.code, year=entry.year)


def _standing(standing: Standing) -> SeenStanding:
    answer, cover = standing.answer, standing.cover
    return SeenStanding(
        answer=None if answer is None else tuple(map(canonical, answer)),
        cover=None if cover is None else tuple(map(canonical, cover)),
        flee=standing.flee,
        spare=standing.spare,
        informer=standing.informer,
    )
