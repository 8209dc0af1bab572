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
from adjudicator.games.spies.page.names import CHITS, city_name
from adjudicator.games.spies.page.pieces import face
from adjudicator.games.spies.page.titles import tile_title
from adjudicator.games.spies.rules.atlas import LETTERS, POWERS, Power, atlas, owner_of
from adjudicator.games.spies.rules.tiles import in_time
from adjudicator.games.spies.sight.sightings import News
from adjudicator.games.spies.sight.view import View

R = Report[View, News]
Piece = dict[str, str | bool]  # one that may be placed or ordered, as the script knows it
Choice = tuple[str, str]  # what is written, and what is read

_ANSWERS = ("PAPERS", "ESCAPE", "NONE", "DEFAULT")
SCRIPTS = ("shared/composing.js", "spies/composer.js")

_SAID: Mapping[str, Message] = {
    "place": say("Choose a piece, then a city on the map."),
    "plan": say("Choose a spy, then its destinations, best first."),
    "goal": say("{piece}: step {step}, choice {n}: {city}."),
    "far": say(
        "{piece}: {city} is out of reach; as choice {n} of step {step}, it goes as near as it can."
    ),
    "put": say("{piece}: {city}."),
    "nothome": say("{piece} must be in a home city; {city} is not one."),
    "full": say("There is no room for {piece} in {city}."),
    "nobody": say("Choose a piece first."),
    "all": say("Choose another piece, or send your orders."),
    "missing": say("no place yet for {pieces}"),
    "left": say("the default rules decide: {what}"),
    "tile": say("the tile"),
    "stays": say("the plans of {pieces}"),
    "city": say("{city} {name}"),
    "reach": say("within reach"),
    "step": say("step {n}"),
    "near": say("near"),
    "up": say("Move up: {what}"),
    "remove": say("Remove: {what}"),
    "on": say("guards"),
    "free": say("nothing"),
    "elsewhere": say("elsewhere"),
    "none": say("There is nothing to discover in {where} now."),
    "laden": say("{piece} already carries {secret}."),
    "nochit": say("You have no {chit}.", chit=OWN_WORDS["DISCOVERY"]),
    "poor": say(
        "{chit} costs {n} £, which you do not have.",
        chit=OWN_WORDS["DISCOVERY"],
        n=atlas().costs["discovery"],
    ),
    "lies": say("if {secret} is still there"),
}


def scripts(report: R) -> list[str]:
    """Name the scripts of the page; none if no orders are awaited."""
    return list(SCRIPTS) if report.template else []


def live_scripts(report: R) -> list[str]:
    """Name the scripts of a page that is not sent by letter: there is room for dragging."""
    if not report.template:
        return []
    return [*SCRIPTS, "spies/map.js", "shared/dragging.js", "spies/police.js"]


def data(report: R, words: Words) -> Mapping[str, Any]:
    """Return what the script reads, by the id of its element; nothing if no orders are awaited."""
    if not report.template:
        return {}
    view = report.view
    return {
        "composer-data": {
            "sheet": report.template,
            "draft": draft(report),
            "spelling": to_builtins(spelled(words)),
            "words": told({**SHARED, **_SAID}, words),
            "setup": view.phase == "setup",
            "spaces": atlas().most_spaces,
            "cities": {
                city: [city_name(city, words), _most(view, city), _letter(city)]
                for city in atlas().cities
            },
            "lying": {
                secret.secret: secret.city
                for secret in view.secrets
                if secret.origin in view.powers and secret.city and not secret.spy
            },
            "finds": " ".join(_finds(view)),
            "pays": {LETTERS[power]: _pays(view, power) for power in view.moving},
            "links": links(),
            "pieces": [piece for power in view.moving for piece in _pieces(view, power)],
            "options": _options(view, words),
        }
    }


def _finds(view: View) -> Iterator[str]:
    """Yield the secrets that the seat's spies may discover where they lie now (4.3.1)."""
    for secret in view.secrets:
        carrier = owner_of(secret.spy) if secret.spy else None
        mine = carrier in view.powers if carrier else secret.origin in view.powers
        if secret.city and not mine:
            yield secret.secret


def _pays(view: View, power: Power) -> tuple[bool, bool]:
    """Return whether a power has a chit for a discovery, and the money for it."""
    cost = atlas().costs["discovery"]
    return view.own_chits[power].discovery > 0, view.money[power] >= cost


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
                **({"load": spy.carries} if spy.carries else {}),
            }


class Offers(Struct, frozen=True, kw_only=True):
    """Which forms the composer has, and the choices of those that are short. `setup` says that
    pieces are placed, `tiles` that a tile may leave the hand, `receivers` that there is somebody
    to give to."""

    setup: bool
    tiles: bool
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
        tiles=any(_tiles(view, words)),
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
        "tiles": list(_tiles(view, words)),
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


def _tiles(view: View, words: Words) -> Iterator[Choice]:
    """Yield PLAY for tiles of this year and DISCARD for all, by power if the reader leads two."""
    for power in view.moving:
        held = view.own_tiles[power]
        for tile in held:
            if in_time(tile, view.year):
                yield (
                    f"PLAY {tile}",
                    words(say("play {tile}: {title}", tile=tile, title=tile_title(tile, words))),
                )
        for tile in held:
            yield f"DISCARD {tile}", words(say("discard {tile}", tile=tile))


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
