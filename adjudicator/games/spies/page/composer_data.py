"""What the order composer in a page works with (rules section 9): pieces, cities, what may be
chosen. The script writes lines in English words, and the sheet shows the reader's own."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import to_builtins

from adjudicator.core.composing import SHARED, told
from adjudicator.core.message import Message, Words, count, say
from adjudicator.games.spies.lexicon import spelled
from adjudicator.games.spies.orders.words import OWN_WORDS, TITLES
from adjudicator.games.spies.page.layout import CITIES
from adjudicator.games.spies.page.names import CHITS, city_name
from adjudicator.games.spies.page.tables import face
from adjudicator.games.spies.page.titles import tile_title
from adjudicator.games.spies.rules.atlas import POWERS, Power, atlas, owner_of
from adjudicator.games.spies.rules.tiles import in_time

Report = Mapping[str, Any]
Choice = tuple[str, str]  # what is written, and what is read

_ANSWERS = ("PAPERS", "ESCAPE", "NONE", "DEFAULT")
SCRIPTS = ("shared/composing.js", "spies/composer.js")

_SAID: Mapping[str, Message] = {
    "place": say("Choose a piece, then a city on the map."),
    "plan": say("Choose a spy, then the cities where it goes, in the order of your wish."),
    "goal": say("{piece}: {city} is choice {n} of step {step}."),
    "far": say("{piece}: {city} is out of reach; as choice {n} of step {step} it goes near it."),
    "put": say("{piece}: {city}."),
    "nothome": say("{piece} stays at home; {city} is not."),
    "full": say("There is no room for {piece} in {city}."),
    "nobody": say("Choose a piece first."),
    "all": say("Choose another piece, or send the sheet."),
    "missing": say("without a place: {pieces}"),
    "left": say("left to the rules: {what}"),
    "tile": say("the tile"),
    "stays": say("{pieces} without a plan"),
    "city": say("{city} {name}"),
    "reach": say("within reach"),
    "step": say("step {n}"),
    "near": say("near"),
    "up": say("Move up: {what}"),
    "remove": say("Remove: {what}"),
    "on": say("guards"),
    "free": say("nothing"),
    "lies": say("if {secret} still lies there"),
}


def scripts(report: Report) -> list[str]:
    """The scripts of the page, none where no orders are awaited."""
    return list(SCRIPTS) if report["template"] else []


def data(report: Report, words: Words) -> Mapping[str, Any]:
    """By the id of its element; nothing where no orders are awaited."""
    if not report["template"]:
        return {}
    return {
        "composer-data": {
            "sheet": report["template"],
            "spelling": to_builtins(spelled(words)),
            "words": told({**SHARED, **_SAID}, words),
            "setup": report["phase"] == "setup",
            "spaces": atlas().most_spaces,
            "cities": {
                city: [city_name(city, words), *CITIES[city], _most(report, city), _letter(city)]
                for city in atlas().cities
            },
            "lying": {
                secret["secret"]: secret["city"]
                for secret in report["secrets"]
                if secret["origin"] in report["powers"] and secret["city"] and not secret["spy"]
            },
            "codes": list(atlas().cities),
            "far": _distances(),
            "pieces": [piece for power in moving(report) for piece in _pieces(report, power)],
            "options": _options(report, words),
        }
    }


def moving(report: Report) -> list[Power]:
    """The reader's powers for which orders may be given now."""
    return [power for power in report["powers"] if report["to_move"] in (None, power)]


def _most(report: Report, city: str) -> int:
    """How many own police a city has room for."""
    return atlas().cities[city].max_police if atlas().owner(city) in moving(report) else 0


def _letter(city: str) -> str:
    """The letter of the power in whose home territory a city lies; empty for a neutral one."""
    return atlas().cities[city].power or ""


def _distances() -> list[str]:
    """From each city, in map order, to each; more than nine are nine."""
    return ["".join(str(min(far, 9)) for far in row.values()) for row in atlas().distances.values()]


def _pieces(report: Report, power: Power) -> list[dict[str, Any]]:
    """In the set-up secrets, police and spies, afterwards spies and police: code, worth, place."""
    police = list(_police(report, power))
    spies = list(_spies(report, power))
    if report["phase"] == "setup":
        return [*_originals(report, power), *police, *spies]
    return [*spies, *police]


def _originals(report: Report, power: Power) -> Iterator[dict[str, Any]]:
    for secret in report["secrets"]:
        if secret["origin"] == power:
            yield {"code": secret["secret"], "kind": "secret", "worth": face(secret), "city": ""}


def _police(report: Report, power: Power) -> Iterator[dict[str, Any]]:
    for piece in report["own_police"]:
        if owner_of(piece["police"]) == power:
            yield {
                "code": piece["police"],
                "kind": "police",
                "worth": str(piece["strength"]),
                "city": piece["city"] or "",
                "on": piece["on"] or "",
            }


def _spies(report: Report, power: Power) -> Iterator[dict[str, Any]]:
    """Those that may get a plan; a captured one begins at its capital."""
    for spy in report["spies"]:
        if spy["power"] == power and spy["captor"] != "dead":
            yield {
                "code": spy["spy"],
                "kind": "spy",
                "worth": str(spy["strength"]),
                "city": spy["city"] or "",
                "capital": atlas().powers[power].capital,
                "captured": spy["captor"] is not None,
            }


def offers(report: Report, words: Words) -> Mapping[str, Any] | None:
    """Which forms there are, with the choices of short ones; None where no orders are awaited."""
    if not report["template"]:
        return None
    return {
        "setup": report["phase"] == "setup",
        "tiles": bool(list(_tiles(report, words))),
        "enemies": _enemies(report, words),
        "receivers": len(report["seats"]) > 2,
        "originals": [s for s in _secrets(report) if owner_of(s[0]) in report["powers"]],
        "victims": [
            (spy["spy"], spy["spy"])
            for spy in report["spies"]
            if report["assassination"] and spy["power"] not in report["powers"] and spy["city"]
        ],
        "chits": [
            (kind.upper(), words(told_as))
            for kind, told_as in CHITS.items()
            if kind != "dagger" or report["assassination"]
        ],
    }


def _enemies(report: Report, words: Words) -> list[Choice]:
    return [(power, words(TITLES[power])) for power in POWERS if power not in report["powers"]]


def _options(report: Report, words: Words) -> Mapping[str, list[Choice]]:
    """What may be chosen in the forms, by the name that a form gives it. The script makes from
    these the lists of cities, of foreign secrets, and of secrets as conditions."""
    enemies = _enemies(report, words)
    return {
        "tiles": list(_tiles(report, words)),
        "secrets": _secrets(report),
        "conditions": list(_conditions(words)),
        "enemies": enemies,
        "receivers": [choice for choice in enemies if choice[0] in report["money"]],
        "spies": [(s["spy"], s["spy"]) for s in report["spies"] if s["power"] in report["powers"]],
        "answers": [(act, words(OWN_WORDS[act])) for act in _ANSWERS],
        "carrying": list(_carrying(words)),
        "worth": [
            (f"VALUE>={n}", words(say("if it is worth {n} or more", n=n))) for n in range(2, 6)
        ],
    }


def _carrying(words: Words) -> Iterator[Choice]:
    yield "CARRYING", words(say("if it carries something"))
    for n in range(2, 6):
        worth = say("if it carries something worth {n} or more", n=n)
        yield f"CARRYING>={n}", words(worth)
    for n in range(2, 6):
        yield f"STRENGTH>={n}", words(say("if its strength is {n} or more", n=n))


def _tiles(report: Report, words: Words) -> Iterator[Choice]:
    """PLAY for tiles of this year, DISCARD for all, by power where there are two."""
    for power in moving(report):
        held = report["own_tiles"][power]
        for tile in held:
            if in_time(tile, report["year"]):
                yield (
                    f"PLAY {tile}",
                    words(say("play {tile}: {title}", tile=tile, title=tile_title(tile, words))),
                )
        for tile in held:
            yield f"DISCARD {tile}", words(say("discard {tile}", tile=tile))


def _secrets(report: Report) -> list[Choice]:
    """Secrets in play, with the city where each lies."""
    return [
        (secret["secret"], " ".join(filter(None, (secret["secret"], secret["city"]))))
        for secret in report["secrets"]
        if not secret["gone"]
    ]


def _conditions(words: Words) -> Iterator[Choice]:
    """What a step may hang on, besides a secret."""
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
