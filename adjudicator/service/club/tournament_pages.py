"""A page for each tournament on the club's site (club, 7.7)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from adjudicator.core.message import Words, say
from adjudicator.games import GAMES
from adjudicator.reports.club import BoardLine, ListedTournament, Over, TournamentPage, tournament
from adjudicator.reports.words import words
from adjudicator.service.club.club_view import ClubView, PublicPage
from adjudicator.service.competition import showing
from adjudicator.service.competition.entering import facts_of_start
from adjudicator.service.competition.kinds.kind import Tournament
from adjudicator.service.competition.tournament import all_readable
from adjudicator.store.database import Tx

FOLDER = "tournaments"


def place(name: str) -> str:
    """Return the place of a tournament's page; the name is one of `creating.NAME`."""
    return f"{FOLDER}/{name}.html"


def everything(tx: Tx) -> list[Tournament]:
    """Return the tournaments of the club, the newest first."""
    found, _ = all_readable(tx)
    return found[::-1]


def links(cups: Sequence[Tournament], language: str) -> list[ListedTournament]:
    """Return what the first page says of each tournament."""
    found = []
    for cup in cups:
        tell = words(language, cup.row.game)
        told = f"{_heading(cup, tell)} \N{MIDDLE DOT} {tell(showing.STATES[cup.row.status])}"
        found.append(ListedTournament(cup.row.name, told, place(cup.row.name)))
    return found


def pages(view: ClubView) -> Iterator[PublicPage]:
    """Yield the page of each tournament."""
    over, places = view.over, view.places
    for one in view.tournaments:
        made = _page(one, over, places, words(view.language, one.row.game, view.zone))
        yield PublicPage(place(one.row.name), made, partial(tournament, made, view.language))


def _page(
    cup: Tournament, over: Mapping[str, Over], people: Mapping[str, str], tell: Words
) -> TournamentPage:
    entrants = [cup.players_of(one)[-1] for one in cup.entries]
    lines = showing.lines_of(cup)
    links = {showing.player_name(cup, one, tell): cup.shown_name(one) for one in cup.entries}
    return TournamentPage(
        name=cup.row.name,
        told=_heading(cup, tell),
        state=tell(showing.STATES[cup.row.status]),
        starts=" ".join(map(tell, facts_of_start(cup))) if cup.row.status == "open" else "",
        heads=[tell(head) for head in showing.columns(cup)],
        lines=[showing.cells(cup, line, tell) for line in lines],
        notes=[tell(one) for one in showing.notes(cup)],
        entrants=entrants,
        rounds=[
            (tell(say("Round {n}", n=n)), list(_boards(cup, n, over, tell)))
            for n in range(cup.row.round, 0, -1)
        ],
        seed=[tell(one) for one in showing.seed_of(cup)],
        people={told: people[name] for told, name in links.items() if name in people},
    )


def _heading(cup: Tournament, tell: Words) -> str:
    return f"{tell(GAMES.title(cup.row.game))}, {tell(cup.kind.title)}"


def _boards(
    cup: Tournament, round_: int, over: Mapping[str, Over], tell: Words
) -> Iterator[BoardLine]:
    for told, match in showing.boards(cup, round_):
        page = over[match].page if match and match in over else None
        yield BoardLine(tell(told), match, page)
