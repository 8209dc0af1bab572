"""The rows that the templates of Spies print, made from a report alone (rules 9.7)."""

from collections.abc import Sequence

from adjudicator.core.composing import out_of_turn
from adjudicator.core.game import Rows
from adjudicator.core.lookback import History
from adjudicator.core.message import Words, say
from adjudicator.core.report import Report
from adjudicator.games.spies.lexicon import spelled
from adjudicator.games.spies.orders.words import TITLES
from adjudicator.games.spies.page import cities, composer_data, drawing, sentences
from adjudicator.games.spies.page.hand import Hand, hands
from adjudicator.games.spies.page.history import OldReport, history
from adjudicator.games.spies.page.names import city_name
from adjudicator.games.spies.page.news import Group, Loads, lines_by_turn
from adjudicator.games.spies.page.powers import YEARS, PointsRow, PowerRow, points, powers
from adjudicator.games.spies.page.tales import Tale, tales
from adjudicator.games.spies.rules.atlas import FIRST_YEAR, City, atlas
from adjudicator.games.spies.sight.sightings import News
from adjudicator.games.spies.sight.view import View


class Page(Rows, frozen=True, kw_only=True):
    """Sentences, tables and the map, each in the order in which the reader meets it.

    `news` are what happened in short; `led` are the reader's powers. `picture` tells the drawing to
    those who do not see it; `standing` are the seat's standing orders; `named` are cities that only
    the news name; `aside` is a sheet without lines of a seat whose orders are not
    awaited.
    """

    news: Sequence[Group]
    led: Sequence[str]
    facts: Sequence[str]
    own: Sequence[Hand]
    standing: Sequence[str]
    shapes: drawing.Shapes
    city_names: str
    picture: str
    powers: Sequence[PowerRow]
    played: str
    points: Sequence[PointsRow] | None
    years: Sequence[int]
    countries: Sequence[tuple[str, Sequence[cities.CityRow]]]
    named: Sequence[tuple[City, str]]
    off_map: Sequence[tuple[str, str]]
    starting: bool
    ways: Sequence[tuple[City, str, str]]
    seas: Sequence[tuple[str, str, str]]
    composer: composer_data.Offers | None
    aside: Sequence[str]


def looking_back(
    report: Report[View, News], words: Words, past: Sequence[OldReport], room: int | None, /
) -> History | None:
    return history(report, past, words, room)


def retold(report: Report[View, News], words: Words, /) -> list[Tale]:
    return tales(report.news, _loads(report.view), words)


def _loads(view: View) -> Loads:
    return {spy.spy: spy.carries for spy in view.spies}


def page(report: Report[View, News], words: Words, /) -> Page:
    view = report.view
    own_words = spelled(words)
    plays = view.seat in view.seats and view.seat not in view.left
    waiting = out_of_turn(report, plays, own_words, words)
    turns = lines_by_turn(report.news, _loads(view), words)
    news = [(words(heading), told) for heading, told in turns]
    own = [TITLES[power] for power in view.powers]
    data = composer_data.data(report, words)
    listed = cities.cities(view, words)
    return Page(
        title=words(say("Spies")),
        seats={seat: words(TITLES[seat]) for seat in view.seats},
        spelling=own_words,
        rules="; ".join(map(words, sentences.option_messages(view))) + ".",
        result=words(sentences.ending(view, view.result)) if view.result else None,
        news=news,
        mine=[n for n, (heading, _) in enumerate(turns) if heading.values["power"] in own],
        led=view.powers,
        facts=[words(message) for message in sentences.facts(view)],
        own=hands(view, words),
        standing=own_words.all(view.standing.lines) if view.phase == "play" else [],
        shapes=drawing.shapes(view, report.news),
        city_names=";".join(f"{city} {city_name(city, words)}" for city in atlas().cities),
        picture=words(say("The map of Europe. Everything in its cities is listed by country.")),
        powers=powers(view, words),
        played=", ".join(view.played),
        points=points(view, words),
        years=YEARS,
        countries=cities.countries(listed, words),
        named=cities.named_cities(listed, news),
        early=view.year == FIRST_YEAR,
        off_map=cities.off_map(view, words),
        starting=view.phase == "setup",
        ways=cities.ways(words) if view.phase == "setup" else (),
        seas=cities.seas(words) if view.phase == "setup" else (),
        how=[words(message) for message in sentences.how(report)],
        composer=composer_data.offers(report, words),
        scripts=composer_data.scripts(report),
        data=data,
        live_scripts=[*waiting.scripts, composer_data.MAP] if waiting.scripts else (),
        live_data=waiting.data,
        aside=waiting.sheet,
    )
