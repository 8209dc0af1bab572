"""Check what is printed: pages in every form and language, the card, templates, catalogues; what a
simple game draws, and the orders that are chosen on it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from msgspec.structs import replace

from adjudicator.core.game import spelling_of
from adjudicator.core.match import Seat
from adjudicator.core.message import LANGUAGES, tell
from adjudicator.core.orders import split_lines
from adjudicator.core.record import Chronicle
from adjudicator.core.report import AnyReport
from adjudicator.core.simple.board_faults import BoardFault, text_fault, unknown_looks
from adjudicator.core.simple.page import SimpleRows
from adjudicator.reports import whole
from adjudicator.reports.render import card
from adjudicator.reports.words import words
from adjudicator.resources import template
from adjudicator.service.game_check.play import REASONS, end_match
from adjudicator.service.game_check.sample import (
    ONLOOKER,
    ContractFault,
    Place,
    Sample,
    describe_fault,
    standing,
)
from adjudicator.service.reports import building, printing

_FORMS = ("text", "html", "letter", "svg", "json")


def templates(sample: Sample) -> Iterator[ContractFault]:
    for fault in whole.templates([sample.game]):
        yield sample.fault(str(fault))


def on_the_way(sample: Sample) -> Iterator[ContractFault]:
    """Print pages of matches that go on, and one for each kind of news that a seat has."""
    game, met = sample.game, set[object]()
    for ply in sample.plies(3):
        over = game.rules.outcome(ply.after) is not None
        state = ply.before if over else ply.after
        for seat in sample.seats(ply):
            at = standing(game, state, ply.setting.options)
            yield from _printed(sample, building.public(at.loaded, seat), LANGUAGES[:1])
    for ply in sample.plies(200):
        for seat, event in product(ply.setting.seats, ply.events):
            sight = game.sight.witness(event, seat)
            if sight is None or (kind := (type(event), type(sight))) in met:
                continue
            met.add(kind)
            sample.place = replace(sample.place, seat=seat)
            over = game.rules.outcome(ply.after) is not None  # `last` prints that
            at = standing(game, ply.before if over else ply.after, ply.setting.options)
            report = replace(building.public(at.loaded, seat), news=(sight,))
            yield from _printed(sample, report, LANGUAGES, ("text", "letter"))


def last(sample: Sample) -> Iterator[ContractFault]:
    """Print the pages of matches that ended by their rules, and for each reason of the program."""
    game, first = sample.game, sample.game.variants[0]
    for match in sample.played[:: sample.matches]:
        final = match.plies[-1]
        begun = match.plies[min(1, len(match.plies) - 1)]
        ways = [(begun, reason, *end_match(game, begun, reason)) for reason in REASONS]
        if match.variant != first:
            ways.clear()  # the sentences for these are the same
        if outcome := game.rules.outcome(final.after):
            ways.append((final, outcome.reason, final.after, final.events))
        for ply, reason, state, events in ways:
            at = standing(game, state, ply.setting.options)
            outcome = game.rules.outcome(state)
            before = match.plies[: match.plies.index(ply)]
            happened = [event for one in before for event in one.events]
            chronicle = Chronicle({}, "2026.11.21", outcome)
            record = game.record.write(chronicle, state, [*happened, *events])
            for seat in (*ply.setting.seats[:2], ONLOOKER):
                sample.place = Place(match=match.name, ply=len(before), seat=seat)
                seen = (game.sight.witness(event, Seat(seat)) for event in events) if seat else ()
                news = tuple(sight for sight in seen if sight is not None)
                report = building.public(at.loaded, Seat(seat))
                report = replace(report, record=record, news=news)
                if not game.page.rows(report, tell).result:
                    yield sample.fault(f"a page has no sentence for the end by {reason!r}")
                yield from _printed(sample, report, LANGUAGES)


def _printed(
    sample: Sample, report: AnyReport, languages: Sequence[str], forms: Sequence[str] = _FORMS
) -> Iterator[ContractFault]:
    for language in languages:
        printable = printing.Printable(report, language, "UTC")
        for form in forms:
            try:
                text = printing.render(printable, form)
            except Exception as fault:
                yield sample.fault(f"no page as {form} in {language}: {describe_fault(fault)}")
                return
            if not text:
                yield sample.fault(f"the page as {form} in {language} is empty")


def card_words(sample: Sample) -> Iterator[ContractFault]:
    """What HELP sends is all that a player has at hand who writes by email."""
    game, lexicon = sample.game, sample.game.orders.lexicon
    passed = {*(seat.upper() for seat in game.seats), *lexicon.former}
    for language in LANGUAGES:
        speak = words(language, game.slug)
        shown = set(re.findall(r"[^\W\d_]+", card(game, language, spelling_of(game, speak))))
        wanted = {speak(one) for word, one in lexicon.words.items() if word not in passed}
        if missing := wanted - shown:
            yield sample.fault(f"the card in {language} does not name {sorted(missing)}")


def languages(sample: Sample) -> Iterator[ContractFault]:
    game = sample.game
    for fault in whole.catalogues([game]):
        yield sample.fault(str(fault))
    for language in LANGUAGES:
        speak = words(language, game.slug)
        same = [
            name
            for name in ("gist", "about", "lasts")
            if speak(getattr(game, name)) == tell(getattr(game, name))
        ]
        if language != "en" and same:
            yield sample.fault(f"in {language}, {', '.join(same)} are in English; see `locale`")


_DRAWN_BY = ("report.html.j2", "email.html.j2")


def drawings(sample: Sample) -> Iterator[ContractFault]:
    """Draw the board of every seat of a game whose page has one of `core/simple`, when the seat is
    to order and when it is not; each fault is told once."""
    met = set[str]()
    for ply, state in sample.states(12):
        for seat in sample.seats(ply):
            told = building.public(standing(sample.game, state, ply.setting.options).loaded, seat)
            if seat in sample.game.rules.awaiting(state):
                lines = sample.game.orders.template(told.view)
                told = replace(told, template=(told.sheet_head(), *lines, "END"))
            try:
                rows = sample.game.page.rows(told, tell)
            except BoardFault as fault:
                faults = [str(fault)]
            else:
                if not isinstance(rows, SimpleRows):
                    return
                faults = [*_faults(sample.game.slug, rows)]
            for one in faults:
                if one not in met:
                    met.add(one)
                    yield sample.fault(one)


def _faults(slug: str, rows: SimpleRows) -> Iterator[str]:
    if rows.squares and any(_is_default(slug, name) for name in _DRAWN_BY):
        yield from unknown_looks(rows.squares)
    composing = rows.data.get("composer-data", {})
    known = {name for row in composing.get("rows", ()) for name in row.split()}
    yield from _of_choices(composing.get("choices", ()), known | {*composing.get("places", ())})


def _is_default(slug: str, name: str) -> bool:
    return template(f"{slug}/{name}").parent.name == "default"


def _of_choices(choices: Iterable[tuple[str, str, str]], known: set[str]) -> Iterator[str]:
    found = [*choices]
    for line, text, square in found:
        yield from text_fault(text, f"`look.label` of {line}")
        if isinstance(text, str) and not text.strip():
            yield f"`look.label` of {line} is empty"
        if not isinstance(square, str):
            yield f"`look.square` of {line} is {square!r}; return a text, empty for a button"
        elif square and square not in known:
            yield f"{line} is tapped on {square!r}, which is not on the board"
    for line, times in Counter(line for line, _, _ in found).items():
        if times > 1:
            yield f"{line} is {times} times among the legal orders"
    by_square: dict[str, list[str]] = {}
    for line, _, square in found:
        if isinstance(square, str) and square:
            by_square.setdefault(square, []).append(line)
    for square, lines in by_square.items():
        if len({*lines}) > 1:
            yield f"{', '.join(lines)} are tapped on the same square, {square}: one of them is lost"


def examples(sample: Sample) -> Iterator[ContractFault]:
    """Read the examples that the card and refusals show."""
    card = sample.game.page.card(tell)
    for line in (*getattr(card, "examples", ()), *getattr(card, "others", ())):
        if sample.game.orders.parse(split_lines(line)).problems:
            yield sample.fault(f"the example {line!r} is not read as an order")
