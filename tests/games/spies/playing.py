"""Give the sections of a case file their meaning for Spies.

CASE 4.3 a secret is found and carried       rules of the book, and a sentence
PLAYERS 2                                    what stands at the beginning: PLAYERS, MODE, ORDER,
MODE turns                                   DAGGERS, YEAR, MOVES (whose turn it is), LEFT, BEFORE,
YEAR 1938                                    STANDING (lines of a seat in force)
BEFORE
  G-A 4 at PRA carries N-4                   a spy's strength; also `G-A 4 with italy`
  N-4 value 3 at PRA                         `N-4 counterspy 4`, `N-4 gone`; known to nobody else
  G-P1 3 at BER on G-1
  germany 40 £ discovery 2 papers 1
  pool papers cover                          the next chits; nothing else is in the pool then
ORDERS germany                               ORDERS, RESIGN, FORFEIT, AGREE; who has none is silent
  SPY A: DISCOVER N-4
EVENTS                                       what came of it, without turns and discarded tiles
AFTER                                        some lines, as in BEFORE; `played` are all tiles
SEES italy                                   as in BEFORE, `?` for what the seat was not told
NEWS italy                                   its news, told with what it alone was told
STANDING germany                             what its view says of its standing orders
POINTS germany 4
NEXT germany                                 to order, or `all`
REFUSED germany                              a sheet that is checked and not used, and
  PLAY TG2
BECAUSE                                      every problem of it
  TG2 can be played from 1934to 1936, but this is 1933
RESULT germany points
END

PLACING, after what was agreed, begins with the set-up instead: the pieces are still to be placed.
At the start every spy has strength 3 and stands in its capital, originals lie in their owner's
capital and neutral secrets where the map has them; no police stand anywhere; no chits are held or
in the pool, all money is 40 £; all secrets are known to those who looked at them only.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.core.orders import Line, Problem, Sheet
from adjudicator.core.visible import plain
from adjudicator.games.spies import SPIES
from adjudicator.games.spies.orders.check import check
from adjudicator.games.spies.orders.missing_letters import complete_codes
from adjudicator.games.spies.orders.parse import parse
from adjudicator.games.spies.orders.values import Order
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.atlas import KINDS, POWERS, atlas, owner_of
from adjudicator.games.spies.rules.control import face, seat_of
from adjudicator.games.spies.rules.outcome import points
from adjudicator.games.spies.rules.standing_orders import merge
from adjudicator.games.spies.rules.state import Hand, Police, Spy, Standing, State
from adjudicator.games.spies.sight.observe import observe
from adjudicator.games.spies.sight.witness import public, witness
from tests.games.case_table import CaseTable, same
from tests.games.casefiles import Case, CaseFault, Section
from tests.games.spies.matches import CHANCE, begun, setting


class Table(CaseTable):
    game, chance = SPIES, CHANCE

    def __init__(self, case: Case) -> None:
        super().__init__(case)
        self.agreed: dict[str, Any] = {}
        self.named: set[str] = set()
        self.problems: tuple[str, ...] = ()

    def opened(self) -> State:
        return quiet(begun(setting(**self.agreed)))

    def take(self, section: Section) -> None:
        if section.word == "STANDING" and section.lines and not self.checks and not self.acted:
            self.standing(section)
        else:
            super().take(section)

    # What stands at the beginning.

    def option(self, section: Section) -> None:
        if self._state is not None:
            raise CaseFault(f"{self.case}: {section.word} stands too low in the case")
        key = section.word.lower()
        said: Any = section.said
        self.agreed[key] = int(said) if key == "players" else True if key == "daggers" else said

    def placing(self, section: Section) -> None:
        self._state = match.set_up(setting(**self.agreed), CHANCE)

    def year(self, section: Section) -> None:
        self._state = replace(self.state, year=int(section.said))

    def moves(self, section: Section) -> None:
        self._state = replace(self.state, to_move=section.said)

    def missing(self, section: Section) -> None:
        gone = {Seat(word): "resignation" for word in section.said.split()}
        self._state = replace(self.state, left=gone)

    def before(self, section: Section) -> None:
        self.named |= {text.split()[0] for text in section.texts}
        for text in section.texts:
            self._state = _laid(self.state, text.split(), self.named)

    def standing(self, section: Section) -> None:
        seat = Seat(section.said)
        after = merge(Standing(), self._read(section, seat))
        self._state = replace(self.state, standing={**self.state.standing, seat: after})

    def _read(self, section: Section, seat: Seat) -> Sequence[Order]:
        sheet, problems = self._judged(section, seat)
        if problems:
            raise CaseFault(f"{self.case}: {problems[0].message}")
        return [complete_codes(order, self.state.seats[seat]) for order in sheet.orders]

    def _judged(self, section: Section, seat: Seat) -> tuple[Sheet[Order], Sequence[Problem]]:
        sheet = parse([Line(n, text) for n, text in section.lines])
        return sheet, sheet.problems or check(observe(self.state, seat), sheet)

    # What happens.

    def order(self, section: Section) -> None:
        seat = Seat(section.said)
        self.sheets[seat] = tuple(self._read(section, seat))
        self.acted = True

    def refused(self, section: Section) -> None:
        self.go_on()
        _, problems = self._judged(section, Seat(section.said))
        self.problems = tuple(str(found.message) for found in problems)

    def silence(self, section: Section) -> None:
        self.acted = True

    # What must come of it.

    def happened(self, section: Section) -> None:
        lines = (event_line(plain(seen)) for seen in map(public, self.events) if seen)
        same(section.texts, [line for line in lines if line])

    def news(self, section: Section) -> None:
        seen = (witness(event, Seat(section.said)) for event in self.events)
        lines = [(event_line(told := plain(news)), told) for news in seen if news]
        same(section.texts, [line + _besides(told) for line, told in lines if line])

    def after(self, section: Section) -> None:
        for text in section.texts:
            same([" ".join(text.split())], [_line(self.state, text.split(), None)])

    def sees(self, section: Section) -> None:
        for text in section.texts:
            seen = _line(self.state, text.split(), Seat(section.said))
            same([" ".join(text.split())], [seen])

    def stands(self, section: Section) -> None:
        told = plain(observe(self.state, Seat(section.said)).standing)
        lines = [f"{key} {value}" for key, value in told.items() if value not in (None, [], {})]
        same(section.texts, lines)

    def points(self, section: Section) -> None:
        seat = section.said.split()[0]
        same([section.said], [f"{seat} {points(self.state)[Seat(seat)]}"])

    def next(self, section: Section) -> None:
        waiting = sorted(match.awaiting(self.state))
        staying = sorted(seat for seat in self.state.seats if seat not in self.state.left)
        same([section.said], ["all" if waiting == staying else ", ".join(waiting)])

    def because(self, section: Section) -> None:
        same(section.texts, self.problems)


Table.told = {
    **dict.fromkeys(("PLAYERS", "MODE", "ORDER", "DAGGERS"), Table.option),
    "PLACING": Table.placing,
    "YEAR": Table.year,
    "MOVES": Table.moves,
    "LEFT": Table.missing,
    "BEFORE": Table.before,
}
Table.actions = {
    "ORDERS": Table.order,
    "REFUSED": Table.refused,
    "SILENCE": Table.silence,
    "RESIGN": Table.leave,
    "FORFEIT": Table.leave,
    "AGREE": Table.agree,
}
Table.expected = {
    "EVENTS": Table.happened,
    "NEWS": Table.news,
    "AFTER": Table.after,
    "SEES": Table.sees,
    "STANDING": Table.stands,
    "POINTS": Table.points,
    "NEXT": Table.next,
    "BECAUSE": Table.because,
    "RESULT": Table.result,
}


def quiet(state: State) -> State:
    """Return a table on which nothing happens by itself."""
    capitals = {power: atlas().powers[power].capital for power in POWERS}
    spies = {code: Spy(3, capitals[owner_of(code) or ""]) for code in state.spies}
    secrets = {
        code: replace(secret, city=capitals.get(owner_of(code) or "", secret.city))
        for code, secret in state.secrets.items()
    }
    police = {code: Police(piece.strength) for code, piece in state.police.items()}
    hands = {power: Hand(40, {}, hand.tiles) for power, hand in state.hands.items()}
    return replace(state, spies=spies, secrets=secrets, police=police, hands=hands, pool=())


def _laid(state: State, words: Sequence[str], named: set[str]) -> State:
    name, rest = words[0], list(words[1:])
    if name == "pool":
        return replace(state, pool=tuple(rest))
    if name in state.hands:
        return replace(state, hands={**state.hands, name: _hand(state.hands[name], rest)})
    if name in state.spies:
        return _with_spy(state, name, rest)
    if name in state.secrets:
        return _with_secret(state, name, rest, named)
    if name in state.police:
        said = _pairs(rest[1:])
        piece = Police(int(rest[0]), said.get("at"), said.get("on"))
        return replace(state, police={**state.police, name: piece})
    raise CaseFault(f"what is {name}?")


def _pairs(words: Sequence[str]) -> dict[str, str]:
    return dict(zip(words[::2], words[1::2], strict=True))


def _hand(hand: Hand, words: list[str]) -> Hand:
    if "tiles" in words:
        at = words.index("tiles")
        hand, words = replace(hand, tiles=tuple(words[at + 1 :])), words[:at]
    if "£" in words:
        at = words.index("£")
        hand = replace(hand, money=int(words[at - 1]))
        words = words[: at - 1] + words[at + 1 :]
    return replace(hand, chits={kind: int(n) for kind, n in _pairs(words).items()})


def _with_spy(state: State, code: str, words: Sequence[str]) -> State:
    said = _pairs(words[1:])
    captor, carried = said.get("with"), said.get("carries")
    city = None if captor else said.get("at", state.spies[code].city)
    state = replace(state, spies={**state.spies, code: Spy(int(words[0]), city, captor, carried)})
    if carried:
        lying = replace(state.secrets[carried], city=city, spy=code)
        state = replace(state, secrets={**state.secrets, carried: lying})
        seat = seat_of(state, owner_of(code) or "")
        known = {**state.known, seat: (*state.known[seat], carried)} if seat else state.known
        state = replace(state, known=known)  # who carries it has looked at it
    return state


def _with_secret(state: State, code: str, words: Sequence[str], named: set[str]) -> State:
    if words[0] == "gone":
        gone = replace(state.secrets[code], city=None, spy=None, gone=words[1])
        return replace(state, secrets={**state.secrets, code: gone})
    said = _pairs(words)
    secrets = dict(state.secrets)
    if {"value", "counterspy"} & said.keys():
        kind, n = ("value", said["value"]) if "value" in said else ("strength", said["counterspy"])
        wanted = [f.id for f in atlas().faces.values() if getattr(f, kind) == int(n)]
        holder = next(c for c, s in secrets.items() if s.face in wanted and c not in named - {code})
        own, other = secrets[code].face, secrets[holder].face
        secrets[holder] = replace(secrets[holder], face=own)
        secrets[code] = replace(secrets[code], face=other)
    if "at" in said:
        secrets[code] = replace(secrets[code], city=said["at"])
    return replace(state, secrets=secrets)


def _line(state: State, words: Sequence[str], seat: Seat | None) -> str:
    """Return the same line as it is now, or as a seat sees it."""
    name, rest = words[0], words[1:]
    if name in ("pool", "played"):
        return " ".join([name, *getattr(state, name)])
    if name in state.hands:
        return f"{name} {_hand_line(state, name, rest)}"
    if name in state.police:
        piece = state.police[name]
        told = {"at": piece.city, "on": piece.on}
        return " ".join([name, str(piece.strength), *_said(told, rest[1:])])
    if name in state.spies:
        spy = state.spies[name]
        strength: Any = spy.strength
        if seat is not None:
            strength = next(s.strength for s in observe(state, seat).spies if s.spy == name)
        told = {"at": spy.city, "with": spy.captor, "carries": spy.carries}
        return " ".join([name, _told(strength), *_said(told, rest[1:])])
    return " ".join([name, *_secret_line(state, name, rest, seat)])


def _secret_line(state: State, code: str, words: Sequence[str], seat: Seat | None) -> list[str]:
    secret, shown = state.secrets[code], face(state, code)
    value, counterspy = shown.value, shown.strength
    if seat is not None:
        seen = next(s for s in observe(state, seat).secrets if s.secret == code)
        value, counterspy = seen.value, seen.counterspy
    told: dict[str, Any] = {
        "value": _told(value),
        "counterspy": _told(counterspy),
        "at": secret.city,
        "gone": secret.gone,
        "by": secret.spy,
    }
    return _said(told, words)


def _told(number: int | None) -> str:
    return "?" if number is None else str(number)


def _said(told: Mapping[str, Any], words: Sequence[str]) -> list[str]:
    return [part for key in words[::2] for part in (key, str(told[key] or "-"))]


def _hand_line(state: State, power: str, words: Sequence[str]) -> str:
    hand = state.hands[power]
    parts: list[str] = []
    for at, word in enumerate(words):
        if word == "£":
            parts += [str(hand.money), "£"]
        elif word in KINDS:
            parts += [word, str(hand.chits.get(word, 0))]
        elif word == "tiles":
            parts += ["tiles", *hand.tiles]
        elif word == "holds":
            parts += ["holds", str(sum(hand.chits.values()))]
        assert at >= 0
    return " ".join(parts)


def event_line(told: Mapping[str, Any]) -> str | None:
    """Write a plain event as a sentence; None for turns and for tiles that nobody sees."""
    maker = _LINES.get(told["type"])
    return maker(told) if maker else None


def _tile_line(e: Mapping[str, Any]) -> str | None:
    return f"{e['power']} plays {e['tile']}" if e["tile"] else None


def _gain_line(e: Mapping[str, Any]) -> str:
    what = f"{e['money']} £" if e["money"] else f"{e['chits']} chits"
    return f"{e['power']} gains {what} in {e['city']}"


def _search_line(e: Mapping[str, Any]) -> str:
    done = e["answer"] or ("captured" if e["captured"] else "nothing")
    done += f" to {e['to']}" if e["to"] else ""
    return f"{e['power']} searches {e['spy']} in {e['city']}{' on arrival' * e['arrival']}: {done}"


def _discover_line(e: Mapping[str, Any]) -> str:
    by = f", captured by {e['by']}" if e["captured"] else ""
    return (
        f"{e['spy']} discovers {e['secret']} in {e['city']}{' free' * e['free']}: {e['result']}{by}"
    )


def _give_line(e: Mapping[str, Any]) -> str:
    return f"{e['power']} gives {e['to']} " + (f"{e['money']} £" if e["money"] else "a chit")


_LINES: Mapping[str, Callable[[Mapping[str, Any]], str | None]] = {
    "tile": _tile_line,
    "gain": _gain_line,
    "search": _search_line,
    "discover": _discover_line,
    "give": _give_line,
    "go": lambda e: f"{e['spy']} {e['from']}-{e['to']}",
    "return": lambda e: f"{e['spy']} returns to {e['city']}",
    "take": lambda e: f"{e['spy']} takes {e['secret']} in {e['city']}",
    "drop": lambda e: f"{e['spy']} drops {e['secret']} in {e['city']}",
    "guard": lambda e: f"{e['power']} guards {e['secret']} in {e['city']}",
    "cash": lambda e: f"{e['spy']} cashes {e['secret']}",
    "kill": lambda e: f"{e['spy']} meets {e['victim']} in {e['city']}: {e['result']}",
    "skipped": lambda e: f"{e['spy']} leaves out step {e['step']}",
}


def _besides(told: Mapping[str, Any]) -> str:
    """Write what the seat alone was told of an event; titles follow from the face."""
    known = {k: v for k, v in told.get("known", {}).items() if k != "title"}
    parts = [f"{k} {' '.join(v) if isinstance(v, list) else v}" for k, v in known.items()]
    return f" ({', '.join(parts)})" if parts else ""
