"""A page for each tournament on the club's site (club, 7.7)."""

from collections.abc import Iterator, Mapping, Sequence

from adjudicator.core.message import Words, say
from adjudicator.core.text import one_line
from adjudicator.reports.club import ListedTournament, Over
from adjudicator.reports.tournaments import BoardLine, TournamentPage
from adjudicator.reports.words import words
from adjudicator.service.club.player_pages import PagedPlayer
from adjudicator.service.competition import showing
from adjudicator.service.competition.entering import starts
from adjudicator.service.competition.tournament import KINDS, Tournament, all_readable, is_played
from adjudicator.store.database import Tx

FOLDER = "tournaments"


def place(name: str) -> str:
    """Return the place of a tournament's page; the name is one of `creating.NAME`."""
    return f"{FOLDER}/{name}.html"


def everything(tx: Tx) -> list[Tournament]:
    """Return the tournaments of the club, the newest first."""
    found, _ = all_readable(tx)
    return [one for one in reversed(found) if is_played(one.row)]


def links(cups: Sequence[Tournament], language: str) -> list[ListedTournament]:
    """Return what the first page says of each tournament."""
    found = []
    for tournament in cups:
        tell = words(language, tournament.row.game)
        state = tell(showing.STATES[tournament.row.status])
        told = f"{_told(tournament, tell)} \N{MIDDLE DOT} {state}"
        found.append(ListedTournament(tournament.row.name, told, place(tournament.row.name)))
    return found


def pages(
    cups: Sequence[Tournament],
    over: Sequence[Over],
    people: Sequence[PagedPlayer],
    language: str,
    zone: str,
) -> Iterator[tuple[str, TournamentPage]]:
    """Yield the page of each tournament and its place. `over` are the rows of ended matches on the
    first page."""
    ended = {one.name: one for one in over}
    places = {one_line(one.name): one.path for one in people}
    for tournament in cups:
        yield (
            place(tournament.row.name),
            _page(tournament, ended, places, words(language, tournament.row.game, zone)),
        )


def _page(
    tournament: Tournament, over: Mapping[str, Over], people: Mapping[str, str], tell: Words
) -> TournamentPage:
    entrants = [tournament.players_of(one)[-1] for one in tournament.entries]
    lines = showing.lines_of(tournament)
    links = {
        showing.player_told(tournament, one, tell): tournament.shown_name(one)
        for one in tournament.entries
    }
    return TournamentPage(
        name=tournament.row.name,
        told=_told(tournament, tell),
        state=tell(showing.STATES[tournament.row.status]),
        starts=tell(starts(tournament)) if tournament.row.status == "open" else "",
        heads=[tell(head) for head in showing.columns(tournament)],
        lines=[showing.cells(tournament, line, tell) for line in lines],
        notes=[tell(one) for one in showing.notes(tournament)],
        entrants=entrants,
        rounds=[
            (tell(say("Round {n}", n=n)), list(_boards(tournament, n, over, tell)))
            for n in range(tournament.row.round, 0, -1)
        ],
        seed=[tell(one) for one in showing.seed_of(tournament)],
        people={told: people[name] for told, name in links.items() if name in people},
    )


def _told(tournament: Tournament, tell: Words) -> str:
    return f"{tell(say(tournament.game.title))}, {tell(KINDS[tournament.row.kind])}"


def _boards(
    tournament: Tournament, round_: int, over: Mapping[str, Over], tell: Words
) -> Iterator[BoardLine]:
    for told, match in showing.boards(tournament, round_):
        page = over[match].page if match and match in over else None
        yield BoardLine(tell(told), match, page)
