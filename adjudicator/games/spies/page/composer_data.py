"""Give the order composer in a page what it works with (rules section 9): pieces, cities, what may
be chosen. The script writes lines in English words, and the sheet shows the reader's own."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins

from adjudicator.core.composing import SHARED, draft, told
from adjudicator.core.message import Message, Words, count, say
from adjudicator.core.report import Report
from adjudicator.games.spies.lexicon import spelled
from adjudicator.games.spies.orders.words import OWN_WORDS, TITLES
from adjudicator.games.spies.page.layout import ZONES
from adjudicator.games.spies.page.names import CHITS, tile_text
from adjudicator.games.spies.page.pieces import face
from adjudicator.games.spies.page.titles import tile_title
from adjudicator.games.spies.rules.atlas import LETTERS, POWERS, Power, atlas, owner_of
from adjudicator.games.spies.rules.tiles import in_time
from adjudicator.games.spies.sight.sightings import News
from adjudicator.games.spies.sight.view import SeenSecret, View

R = Report[View, News]
Piece = dict[str, str | bool]  # one that may be placed or ordered, as the script knows it
Choice = tuple[str, str]  # what is written, and what is read

_ANSWERS = ("PAPERS", "ESCAPE", "NONE", "DEFAULT")
MAP = "spies/map.js"
SCRIPTS = ("shared/bar.js", MAP, "spies/bar.js")
_UNKNOWN = 2  # about what a secret is worth of which the reader knows nothing

_SAID: Mapping[str, Message] = {
    "tap": say("Spy {piece} ({worth}), {city}: tap where it goes."),
    "plan": say("Spy {piece}: {plan}."),
    "stays": say("Spy {piece} stays"),
    "staysIn": say("Spy {piece} stays in {city}."),
    "oneStays": say("{spies} stays. Send?"),
    "allStay": say("{spies} stay. Send?"),
    "caught": say(
        "Spy {piece} is captured. It can escape for an {chit} and {n} £.",
        piece="{piece}",
        chit=OWN_WORDS["ESCAPE"],
        n=atlas().costs["escape"],
    ),
    "held": say("caught"),
    "escape": say("Escape, {n} £", n=atlas().costs["escape"]),
    "escapes": say("escape"),
    "inCity": say("in {city}"),
    "nearCity": say("near {city}"),
    "discovers": say("discover {secret}"),
    "home": say("home"),
    "toward": say("toward home"),
    "back": say("there and home"),
    "away": say("there only"),
    "homeChip": say("Home"),
    "clear": say("Clear"),
    "next": say("Next: {what}"),
    "theSpy": say("spy {piece}"),
    "theTile": say("the tile"),
    "tileChip": say("Tile"),
    "choose": say("choose"),
    "tile": say(
        "Play one tile: it pays those with a spy in its cities. Otherwise you discard {tile}."
    ),
    "noTile": say("No tile this year"),
    "place": say("{piece} ({worth}): tap a home city for it."),
    "placeSpy": say("Spy {piece} ({worth}): tap a city for it."),
    "put": say("{piece}: {city}."),
    "guards": say("{piece}: {city}, guards {secret}."),
    "on": say("Guard {secret}"),
    "all": say("Place all for me"),
    "rest": say("Place the rest for me"),
    "sentIn": say("Your orders are in: {lines}."),
    "auto": say("adjud places all your pieces. Send?"),
    "nothome": say("{piece} must be in a home city; {city} is not one."),
    "full": say("There is no room for {piece} in {city}."),
    "nobody": say("Choose a spy first."),
    "missing": say("no place yet for {pieces}"),
    "planOf": say("Plan of spy {piece}"),
    "laden": say("{piece} already carries {secret}."),
    "nochit": say("You have no more {chit}.", chit=OWN_WORDS["DISCOVERY"]),
    "lies": say("if {secret} is still there"),
}


def scripts(report: R) -> list[str]:
    """Name the scripts of the page: those of the map alone if no orders are awaited."""
    return list(SCRIPTS) if report.template else [MAP]


def data(report: R, words: Words) -> Mapping[str, Any]:
    """Return what the script reads, by the id of its element; nothing if no orders are awaited."""
    if not report.template:
        return {}
    view = report.view
    return {
        "composer-data": {
            "sheet": report.template,
            "draft": draft(report),
            "sent": report.orders.lines if report.orders else (),
            "spelling": to_builtins(spelled(words)),
            "words": told({**SHARED, **_SAID}, words),
            "setup": view.phase == "setup",
            "spaces": atlas().most_spaces,
            "cities": {city: [_most(view, city), _letter(city)] for city in atlas().cities},
            "lying": {
                secret.secret: secret.city
                for secret in view.secrets
                if secret.origin in view.powers and secret.city and not secret.spy
            },
            "finds": [(secret.secret, secret.city) for secret in _finds(view)],
            "traps": [secret.secret for secret in view.secrets if secret.counterspy],
            "pays": {LETTERS[power]: _pays(view, power, "discovery") for power in view.moving},
            "zones": ZONES,
            "tiles": [tile for power in view.moving for tile in _tiles(view, power, words)],
            "discards": {LETTERS[power]: _discarded(view, power) for power in view.moving},
            "links": links(),
            "pieces": [piece for power in view.moving for piece in _pieces(view, power)],
            "options": _options(view, words),
        }
    }


def _finds(view: View) -> list[SeenSecret]:
    """Return the secrets that the seat's spies may discover where they lie now (4.3.1), best first:
    before those that a spy carries those that lie there, before guarded ones free ones, and the
    dearest of them, as far as the reader knows."""
    return sorted(
        (one for one in view.secrets if one.city and not _mine(view, one)),
        key=lambda one: (
            one.counterspy is not None,
            one.spy is not None,
            one.controller is not None,
            -(_UNKNOWN if one.value is None else one.value),
        ),
    )


def _mine(view: View, secret: SeenSecret) -> bool:
    carrier = owner_of(secret.spy) if secret.spy else None
    return (carrier or secret.origin) in view.powers


def _pays(view: View, power: Power, kind: str) -> int:
    """Return for how many chits of a kind a power has the chit and the money."""
    chits: int = getattr(view.own_chits[power], kind)
    return min(chits, view.money[power] // atlas().costs[kind])


def _most(view: View, city: str) -> int:
    """Return how many own police a city has room for."""
    return atlas().cities[city].max_police if atlas().owner(city) in view.moving else 0


def _letter(city: str) -> str:
    """Return the letter of the power in whose home territory a city lies; empty for a neutral
    city."""
    return atlas().cities[city].power or ""


def links() -> str:
    """Return all pairs of places between which a spy may step, without a gap: each is six
    letters."""
    zones = atlas().zones
    between = [link.a + link.b for link in atlas().ways]
    ports = [zone.id + port for zone in zones for port in zone.ports]
    ships = [zone.id + near for zone in zones for near in zone.adjacent if near > zone.id]
    return "".join((*between, *ports, *ships))


def _pieces(view: View, power: Power) -> list[Piece]:
    """Return the pieces to be placed or ordered: in the set-up secrets, police and spies,
    afterwards spies and police."""
    police = list(_police(view, power))
    spies = list(_spies(view, power))
    if view.phase == "setup":
        return [*_originals(view, power), *police, *spies]
    return [*spies, *police]


def _originals(view: View, power: Power) -> Iterator[Piece]:
    for secret in view.secrets:
        if secret.origin == power:
            yield {"code": secret.secret, "kind": "secret", "worth": face(secret), "city": ""}


def _police(view: View, power: Power) -> Iterator[Piece]:
    for piece in view.own_police:
        if owner_of(piece.police) == power:
            yield {
                "code": piece.police,
                "kind": "police",
                "worth": str(piece.strength),
                "city": piece.city or "",
                "on": piece.on or "",
            }


def _spies(view: View, power: Power) -> Iterator[Piece]:
    """Yield the spies that may get a plan; a captured one begins at its capital."""
    for spy in view.spies:
        if spy.power == power and not spy.dead:
            yield {
                "code": spy.spy,
                "kind": "spy",
                "worth": str(spy.strength),
                "city": spy.city or "",
                "capital": atlas().powers[power].capital,
                **({"captured": True} if spy.captor is not None else {}),
                **({"pays": True} if spy.captor and _pays(view, power, "escape") else {}),
                **({"load": spy.carries} if spy.carries else {}),
            }


class Offers(Struct, frozen=True, kw_only=True):
    """Which forms the composer has, and the choices of those that are short. `setup` says that
    pieces are placed, `receivers` that there is somebody to give to."""

    setup: bool
    enemies: Sequence[Choice]
    receivers: bool
    originals: Sequence[Choice]
    victims: Sequence[Choice]
    chits: Sequence[Choice]


def offers(report: R, words: Words) -> Offers | None:
    """Return the forms; None if no orders are awaited."""
    view = report.view
    if not report.template:
        return None
    return Offers(
        setup=view.phase == "setup",
        enemies=_enemies(view, words),
        receivers=len(view.seats) > 2,
        originals=[choice for choice in _secrets(view) if owner_of(choice[0]) in view.powers],
        victims=[
            (spy.spy, spy.spy)
            for spy in view.spies
            if view.assassination and spy.power not in view.powers and spy.city
        ],
        chits=[
            (kind.upper(), words(told_as))
            for kind, told_as in CHITS.items()
            if kind != "dagger" or view.assassination
        ],
    )


def _enemies(view: View, words: Words) -> list[Choice]:
    return [(power, words(TITLES[power])) for power in POWERS if power not in view.powers]


def _options(view: View, words: Words) -> Mapping[str, list[Choice]]:
    """Return what may be chosen in the forms, by the name that a form gives it. The script makes
    from these the lists of cities, of foreign secrets, and of secrets as conditions; and of each
    choice with `{n}` four, from 2 to 5."""
    enemies = _enemies(view, words)
    return {
        "secrets": [(code, told.removeprefix(code)) for code, told in _secrets(view)],
        "conditions": list(_conditions(words)),
        "enemies": enemies,
        "receivers": [choice for choice in enemies if choice[0] in view.money],
        "spies": [(spy.spy, spy.spy) for spy in view.spies if spy.power in view.powers],
        "answers": [(act, words(OWN_WORDS[act])) for act in _ANSWERS],
        "carrying": list(_carrying(words)),
        "worth": [("VALUE>={n}", words(say("if it is worth {n} or more", n="{n}")))],
    }


def _carrying(words: Words) -> Iterator[Choice]:
    yield "CARRYING", words(say("if it carries something"))
    worth = say("if it carries something worth {n} or more", n="{n}")
    yield "CARRYING>={n}", words(worth)
    yield "STRENGTH>={n}", words(say("if its strength is {n} or more", n="{n}"))


def _tiles(view: View, power: Power, words: Words) -> Iterator[tuple[str, ...]]:
    """Yield PLAY for tiles of this year and DISCARD for all: the power's letter, the line, the
    tile, what it comes to, and a sentence."""
    held = view.own_tiles[power]
    for tile in held:
        if in_time(tile, view.year):
            title, told = tile_title(tile, words), tile_text(tile, words)
            sentence = words(say("{tile} {title}: {told}.", tile=tile, title=title, told=told))
            yield LETTERS[power], f"PLAY {tile}", tile, _gives(view, tile, words), sentence
    for tile in held:
        sentence = words(
            say("You discard {tile} {title}.", tile=tile, title=tile_title(tile, words))
        )
        yield LETTERS[power], f"DISCARD {tile}", tile, words(say("discard")), sentence


def _gives(view: View, tile: str, words: Words) -> str:
    """Say what a tile gives the reader as spies are now (5.8)."""
    mine = {(spy.power, spy.city) for spy in view.spies if spy.power in view.powers}
    given = {"chits": 0, "money": 0}
    for effect in atlas().effects(tile):
        if effect.type in given:
            given[effect.type] += effect.amount * sum(city in effect.cities for _, city in mine)
    told = [count("{n} chit", "{n} chits", given["chits"])] if given["chits"] else []
    told += [say("{n} £", n=given["money"])] if given["money"] else []
    return ", ".join(map(words, told)) or words(say("nothing for you"))


def _discarded(view: View, power: Power) -> str:
    """Return the tile that leaves the hand if the orders name none (5.8)."""
    in_map = list(atlas().tiles)
    held = view.own_tiles[power]
    return min(held, key=lambda one: (atlas().tiles[one].last_year, in_map.index(one)), default="")


def _secrets(view: View) -> list[Choice]:
    """Return the secrets in play, with the city in which each lies."""
    return [
        (secret.secret, " ".join(filter(None, (secret.secret, secret.city))))
        for secret in view.secrets
        if not secret.gone
    ]


def _conditions(words: Words) -> Iterator[Choice]:
    """Yield the conditions on which a step may depend, besides a secret that lies there."""
    yield "CARRYING", words(say("if it carries something"))
    yield "EMPTY", words(say("if it carries nothing"))
    yield "POLICE=0", words(say("if no enemy police are there"))
    for n in (1, 2):
        yield (
            f"POLICE<={n}",
            words(
                count(
                    "if at most {n} enemy police piece is there",
                    "if at most {n} enemy police pieces are there",
                    n,
                )
            ),
        )
