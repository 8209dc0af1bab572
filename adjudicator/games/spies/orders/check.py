"""Check what a seat may order, judged on its own view alone (rules 9.1, 9.3, 9.6).

Only what could never be carried out, or says two things at once, is a problem; what merely cannot
work as things stand now is left to `warn`, since things change before a line's time comes.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from adjudicator.core.message import Message, count, say
from adjudicator.core.orders import Problem, Sheet, WrittenOrder, problem
from adjudicator.games.spies.orders.missing_letters import complete_codes, is_bare
from adjudicator.games.spies.orders.values import (
    ALL,
    MONEY,
    NONE,
    VALUE,
    Answer,
    Conds,
    Cover,
    Discard,
    Discover,
    Escape,
    Flee,
    Give,
    Go,
    Kill,
    Order,
    Place,
    Plan,
    Play,
    Post,
    SetUp,
    Spare,
    StandingOrder,
    Step,
    Take,
)
from adjudicator.games.spies.orders.words import TITLES
from adjudicator.games.spies.rules.atlas import (
    LETTERS,
    POWERS,
    City,
    Code,
    Power,
    atlas,
    owner_of,
    police_codes,
    secret_codes,
    spy_codes,
)
from adjudicator.games.spies.rules.tiles import in_time
from adjudicator.games.spies.sight.view import View

Entries = Sequence[WrittenOrder[Order]]


def check(view: View, sheet: Sheet[Order]) -> Sequence[Problem]:
    """Return every problem of the sheet, by line."""
    written = tuple(
        WrittenOrder(complete_codes(e.order, view.powers), e.line) for e in sheet.written
    )
    found = [
        problem(entry.line, message) for entry in written for message in _alone(view, entry.order)
    ]
    together = _set_up(view, written) if view.phase == "setup" else _turn(view, written)
    return (*found, *together)


def _alone(view: View, order: Order) -> Iterator[Message]:
    """Say what is wrong with a line whatever else stands on the sheet."""
    if not isinstance(order, StandingOrder) and _untimely(view, order):
        if view.phase == "setup":
            yield say("nobody moves yet; write SETUP and a place for every piece, or SETUP AUTO")
        else:
            yield say("your pieces are already placed; a set-up is made only once")
        return
    match order:
        case Play(tile) | Discard(tile):
            yield from _tile(view, order, tile)
        case Post(piece, city, on):
            yield from _mine(view, piece, moves=True)
            yield from _post(view, piece, city, on)
        case Plan(spy, steps):
            yield from _mine(view, spy, moves=True)
            for number, step in enumerate(steps, start=1):
                yield from _step(view, spy, number, step)
        case Place(piece, city, on):
            yield from _mine(view, piece)
            yield from _post(view, piece, city, on)
        case Give(power):
            yield from _gift(view, power)
        case Answer(spies=spies, conds=conds):
            for spy in spies:
                yield from _mine(view, spy)
            yield from _for_spies(conds)
        case Cover(conds=conds):
            yield from _for_secrets(conds)
        case Flee(spies):
            for spy in spies:
                if spy != ALL:
                    yield from _mine(view, spy)
        case Spare(things):
            for thing in things:
                yield from _spared(view, thing)
        case _:
            return


def _untimely(view: View, order: Order) -> bool:
    return isinstance(order, SetUp | Place) != (view.phase == "setup")


def _mine(view: View, piece: Code, moves: bool = False) -> Iterator[Message]:
    """Complain of a piece that is not the seat's or, if it `moves`, not of the power whose turn it
    is."""
    owner = owner_of(piece)
    if is_bare(piece):
        codes = ", ".join(f"{LETTERS[power]}-{piece}" for power in view.powers)
        yield say("which power's {piece}? write {codes}", piece=piece, codes=codes)
    elif owner not in view.powers:
        yield say("{piece} is not yours", piece=piece)
    elif piece not in _pieces(owner):
        yield say("there is no {piece}", piece=piece)
    elif moves and view.to_move and owner != view.to_move:
        yield say(
            "{piece} does not move now; it is the turn of {power}",
            piece=piece,
            power=TITLES[view.to_move],
        )


def _pieces(power: Power) -> tuple[Code, ...]:
    return (*secret_codes(LETTERS[power]), *police_codes(power), *spy_codes(power))


def _holder(view: View, tile: str) -> Power | None:
    return next((power for power, tiles in view.own_tiles.items() if tile in tiles), None)


def _tile(view: View, order: Play | Discard, tile: str) -> Iterator[Message]:
    holder = _holder(view, tile)
    entry = atlas().tiles[tile]
    if holder is None:
        yield say("you do not have {tile}", tile=tile)
    elif view.to_move and holder != view.to_move:
        yield say(
            "it is {power}'s turn, and {tile} is not its tile",
            tile=tile,
            power=TITLES[view.to_move],
        )
    elif isinstance(order, Play) and not in_time(tile, view.year):
        yield say(
            "{tile} can be played from {first} to {last}, but this is {year}",
            tile=tile,
            first=entry.first_year,
            last=entry.last_year,
            year=view.year,
        )


def _post(view: View, piece: Code, city: City, on: Code | None) -> Iterator[Message]:
    """Check a place for a piece, on the map of its power."""
    owner = owner_of(piece)
    if owner not in view.powers:
        return
    if piece not in spy_codes(owner) and atlas().owner(city) != owner:
        homes = ", ".join(atlas().powers[owner].homes)
        yield say("{city} is not a home city; choose from {homes}", city=city, homes=homes)
    if on and piece not in police_codes(owner):
        yield say("only police can be ON a secret")
    elif on and owner_of(on) != owner:
        yield say(
            "{piece} guards only secrets of its own power, not {secret}", piece=piece, secret=on
        )


def _step(view: View, spy: Code, number: int, step: Step) -> Iterator[Message]:
    match step:
        case Go(goals):
            for goal in goals:
                yield from _for_spies(goal.conds)
            return
        case Escape():
            if number > 1:
                yield say("ESCAPE can only be the first step of a plan")
            return
        case Discover(secrets):
            for code in secrets:
                yield from _in_play(view, code)
        case Take(secret):
            if owner_of(secret) != owner_of(spy):
                yield say(
                    "TAKE is for secrets of the spy's own power; {secret} needs DISCOVER",
                    secret=secret,
                )
        case Kill(victim):
            if owner_of(victim) in view.powers or is_bare(victim):
                yield say("{piece} is not an enemy", piece=victim)
        case _:
            pass
    yield from _for_spies(step.conds)


def _in_play(view: View, code: Code) -> Iterator[Message]:
    for secret in view.secrets:
        if secret.secret == code and secret.gone:
            yield say("{secret} is no longer in play", secret=code)


def _for_spies(conds: Conds) -> Iterator[Message]:
    if any(cond.what == VALUE for cond in conds):
        yield say("VALUE is for COVER; write CARRYING>=3 for what a spy carries")


def _for_secrets(conds: Conds) -> Iterator[Message]:
    if any(cond.what not in (VALUE, MONEY) for cond in conds):
        yield say("COVER takes only the conditions VALUE and MONEY")


def _gift(view: View, power: Power) -> Iterator[Message]:
    if len(view.seats) == 2:
        yield say("with two players there are no gifts")
    elif power in view.powers:
        yield say("{power} is your own power", power=TITLES[power])
    elif power in view.dormant:
        yield say("nobody plays {power}, so it cannot receive gifts", power=TITLES[power])


def _spared(view: View, thing: str) -> Iterator[Message]:
    if thing in (ALL, NONE):
        return
    if thing in POWERS:
        if thing in view.powers:
            yield say("{power} is your own power", power=TITLES[thing])
    elif thing in atlas().cities:
        if atlas().owner(thing) not in view.powers:
            yield say("{city} is not a home city, so you search nobody there", city=thing)
    elif owner_of(thing) in view.powers or is_bare(thing):
        yield say("{piece} is not an enemy", piece=thing)


# What lines say together.


def _turn(view: View, written: Entries) -> Iterator[Problem]:
    yield from _twice(written, Plan)
    yield from _twice(written, Post)
    yield from _two_tiles(view, written)
    spots = {o.piece: (o.city, o.on) for o in _orders(written) if isinstance(o, Post)}
    before = {piece.police: piece.city for piece in view.own_police}
    after = {**before, **{piece: city for piece, (city, _) in spots.items()}}
    last = next((e.line for e in reversed(written) if isinstance(e.order, Post)), None)
    if last:
        yield from (problem(last, message) for message in _crowded(after))
        guards = [on for _, on in spots.values() if on]
        yield from (problem(last, message) for message in _guarded_twice(guards))


def _orders(written: Entries) -> Iterator[Order]:
    return (entry.order for entry in written)


def _twice(written: Entries, kind: type[Plan] | type[Post]) -> Iterator[Problem]:
    met: set[Code] = set()
    for entry in written:
        if isinstance(entry.order, kind):
            piece = entry.order.spy if isinstance(entry.order, Plan) else entry.order.piece
            if piece in met:
                yield problem(entry.line, say("{piece} is ordered twice", piece=piece))
            met.add(piece)


def _two_tiles(view: View, written: Entries) -> Iterator[Problem]:
    met: set[Power | None] = set()
    for entry in written:
        if isinstance(entry.order, Play | Discard):
            holder = _holder(view, entry.order.tile)
            if holder and holder in met:
                yield problem(entry.line, say("you play or discard one tile in a turn, not two"))
            met.add(holder)


def _crowded(places: Mapping[Code, City | None]) -> Iterator[Message]:
    """Complain of more police than a city has places for (5.9)."""
    for city, number in Counter(places.values()).items():
        most = atlas().cities[city].max_police if city else number
        if city and atlas().owner(city) and number > most:
            yield count(
                "{city} has room for {n} police piece, not for {number}",
                "{city} has room for {n} police pieces, not for {number}",
                most,
                city=city,
                number=number,
            )


def _guarded_twice(guards: Sequence[Code]) -> Iterator[Message]:
    for secret, number in Counter(guards).items():
        if number > 1:
            yield say("only one piece can guard {secret}", secret=secret)


_DRAWN = {
    "AUTO": say("SETUP AUTO places every piece; do not name places too"),
    "RANDOM": say("SETUP RANDOM places every piece; do not name places too"),
}


def _set_up(view: View, written: Entries) -> Iterator[Problem]:
    """Check the lines of a set-up (9.3)."""
    heads = [entry for entry in written if isinstance(entry.order, SetUp)]
    orders = [entry.order for entry in written if isinstance(entry.order, SetUp)]
    places = [entry.order for entry in written if isinstance(entry.order, Place)]
    if not heads:
        if written:
            line = written[0].line
            yield problem(line, say("a set-up begins with SETUP, or is only SETUP AUTO"))
        return
    at = heads[0].line
    if len(heads) > 1:
        yield problem(heads[1].line, say("one SETUP is enough"))
    if drawn := next((order.drawn for order in orders if order.drawn), None):
        if places:
            yield problem(at, _DRAWN[drawn])
        return
    yield from (problem(at, message) for message in _army(view, places))


def _army(view: View, places: Sequence[Place]) -> Iterator[Message]:
    """Check that every piece has one place, within the limits."""
    times = Counter(place.piece for place in places)
    wanted = [code for power in view.powers for code in _pieces(power)]
    missing = [code for code in wanted if not times[code]]
    if missing:
        yield count(
            "{pieces} has no place yet",
            "{pieces} have no place yet",
            len(missing),
            pieces=", ".join(missing),
        )
    for piece, number in times.items():
        if number > 1:
            yield count(
                "{piece} is placed {n} time", "{piece} is placed {n} times", number, piece=piece
            )
    spots = {place.piece: place.city for place in places}
    police = {code for power in view.powers for code in police_codes(power)}
    yield from _crowded({code: city for code, city in spots.items() if code in police})
    yield from _heaped(view, spots)
    yield from _guarded_twice([place.on for place in places if place.on])
    for place in places:
        if place.on and spots.get(place.on) != place.city:
            yield say(
                "{piece} cannot be ON {secret}, which is not placed in {city}",
                piece=place.piece,
                secret=place.on,
                city=place.city,
            )


def _heaped(view: View, spots: Mapping[Code, City]) -> Iterator[Message]:
    secrets = {code for power in view.powers for code in secret_codes(LETTERS[power])}
    for city, number in Counter(c for code, c in spots.items() if code in secrets).items():
        most = atlas().most_secrets
        if number > most:
            yield count(
                "{city} has {n} secret; at most {most} are allowed",
                "{city} has {n} secrets; at most {most} are allowed",
                number,
                city=city,
                most=most,
            )
