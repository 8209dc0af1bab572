"""A tournament as its table and its rounds: what everybody may see (club, 7.7).

Of a match that goes on nothing is shown but that it is played. Whether an entry is silent is shown
to nobody.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from adjudicator.core.message import Message, Words, say
from adjudicator.core.pairing import history
from adjudicator.core.pairing.points import shown_points
from adjudicator.core.pairing.table import TableLine
from adjudicator.games import GAMES
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.competition.entering import facts_of_start
from adjudicator.service.competition.kinds.kind import Tournament
from adjudicator.service.competition.numbers import waits_for
from adjudicator.service.competition.tournament import (
    head_of_log,
    is_played,
    seats_of,
    table_of,
)
from adjudicator.service.emails.paragraphs import AlignedRows, Paragraphs, Told, paragraph
from adjudicator.service.emails.wording import plain_text
from adjudicator.store.tournaments import EntryRow, PairingRow

STATES: Mapping[str, Message] = {
    "open": say("open"),
    "waiting": say("waiting for a public number"),
    "playing": say("playing"),
    "held": say("on hold"),
    "over": say("over"),
    "cancelled": say("cancelled"),
}


def lines_of(tournament: Tournament) -> list[TableLine]:
    """Return the lines of the table. Equal ones stand by number, or by name while the numbers are
    a secret; there are none before the start."""
    if not tournament.numbers:
        return []
    lines = table_of(tournament)
    if tournament.hides_numbers:
        who = tournament.by_number
        lines.sort(key=lambda one: (one.place, tournament.shown_name(who[one.number]).casefold()))
    return lines


def as_text(tournament: Tournament, tell: Words) -> str:
    return plain_text(as_paragraphs(tournament), tell)


def as_paragraphs(tournament: Tournament, most: int | None = None) -> Paragraphs:
    """Return the table and the rounds; with `most` the newest rounds that have so many boards
    together."""
    row = tournament.row
    head = say(
        "{name}: {game}, {kind}, {state}",
        name=row.name,
        game=GAMES.title(row.game),
        kind=tournament.kind.title,
        state=STATES[row.status],
    )
    told: Paragraphs
    if row.status in ("open", "waiting"):
        # Numbered, so that no name is alone in a line, which would be obeyed if it came back.
        names = (f"  {n}  {one.player}" for n, one in enumerate(tournament.entries, 1))
        told = (
            *paragraph(head, *facts_of_beginning(tournament)),
            *paragraph(say("Entrants:"), *names),
        )
    else:
        told = paragraph(head)
    if row.status != "open" and tournament.numbers:
        told += (shown_table(tournament, lines_of(tournament)),)
        first = _first_shown(tournament, most)
        if first > 1:
            told += paragraph(say("Earlier rounds are not shown."))
        for n in range(first, row.round + 1):
            told += paragraph(*_round(tournament, n))
    return (*told, *paragraph(*seed_of(tournament), head_of_log(tournament)))


def facts_of_beginning(tournament: Tournament) -> list[Message]:
    """Say what a tournament waits for that is not played yet."""
    if tournament.row.status == "waiting":
        return [waits_for(tournament)]
    return facts_of_start(tournament)


def _first_shown(tournament: Tournament, most: int | None) -> int:
    """Return the first of the newest rounds that have so many boards together."""
    if most is None:
        return 1
    last = tournament.row.round
    boards_from = {n: sum(one.round >= n for one in tournament.pairings) for n in range(1, last)}
    return min((n for n, count in boards_from.items() if count <= most), default=max(last, 1))


def seed_of(tournament: Tournament) -> list[Message]:
    """Say what the secret number's SHA-256 is and, when all is over, the number."""
    told = [
        say(
            "SHA-256 of the secret number: {digest}", digest=history.commitment(tournament.row.seed)
        )
    ]
    if tournament.row.public_value:
        told.append(
            say(
                "The public number ({which}): {value}",
                which=tournament.row.which,
                value=tournament.row.public_value,
            )
        )
    if _is_seed_open(tournament):
        told.append(say("The secret number: {seed}", seed=tournament.row.seed.hex()))
    return told


def _is_seed_open(tournament: Tournament) -> bool:
    return tournament.row.status in ("over", "cancelled") and not tournament.hides_numbers


def columns(tournament: Tournament) -> tuple[Message, ...]:
    """Return the heads of the table's columns; those of numbers come last."""
    first = (say("Place"), say("Player"))
    if tournament.kind.knocks_out:
        return (*first, say("Rounds won"), say("Played"))
    return (*first, say("Points"), tournament.kind.compared, say("Won"), say("Played"))


def cells(tournament: Tournament, line: TableLine) -> tuple[Told, ...]:
    """Return the cells of a line of the table, as `columns` names them."""
    first = (str(line.place), player_name(tournament, tournament.by_number[line.number]))
    if tournament.kind.knocks_out:
        return (*first, str(line.round), str(line.played))
    return (
        *first,
        shown_points(line.points),
        shown_points(line.compared),
        str(line.won),
        str(line.played),
    )


def player_name(tournament: Tournament, entry: EntryRow) -> Told:
    """Return who plays for an entry, as the table says it."""
    name = tournament.shown_name(entry)
    if tournament.has_withdrawn(entry):
        return say("{player} (withdrawn)", player=name)
    return name


def notes(tournament: Tournament) -> list[Message]:
    """Return what stands below the table: the teams, and what it does not count."""
    told = _teams_told(tournament)
    told += [
        say("{player}: withdrawn; not counted", player=tournament.shown_name(one))
        for one in tournament.by_number.values()
        if one.id in tournament.uncounted
    ]
    if not tournament.kind.counts_at_once and tournament.whole_rounds < tournament.row.round:
        told.append(say("The table includes a round when all its matches are over."))
    return told


def _teams_told(tournament: Tournament) -> list[Message]:
    """Say who is in each team, in the order in which they came, and how many points it has."""
    if tournament.kind.teams == 1:
        return []
    points = {
        tournament.team_of[line.number]: line.compared
        for line in table_of(tournament)
        if tournament.by_number[line.number].id not in tournament.uncounted
    }
    return [
        say(
            "Team {n} ({players}): {points}",
            n=n,
            points=shown_points(points.get(n, 0)),
            players=", ".join(tournament.shown_name(one) for one in team),
        )
        for n, team in enumerate(tournament.teams, 1)
    ]


def shown_table(tournament: Tournament, lines: Sequence[TableLine]) -> AlignedRows:
    """Return the table, and the notes to it."""
    rows = (columns(tournament), *(cells(tournament, line) for line in lines))
    return AlignedRows(rows, tuple(notes(tournament)))


def _round(tournament: Tournament, round_: int) -> Iterator[Message]:
    yield say("Round {n}", n=round_)
    for told, match in boards(tournament, round_):
        if match:
            yield Message("  {told} ({match})", {"told": told, "match": match})
        else:
            yield Message("  {told}", {"told": told})


def boards(tournament: Tournament, round_: int) -> Iterator[tuple[Message, str | None]]:
    """Yield what is told of each board of a round, and the name of its match."""
    for pairing in tournament.of_round(round_):
        if told := _pairing_told(tournament, pairing):
            yield told, pairing.match


def _pairing_told(tournament: Tournament, pairing: PairingRow) -> Message | None:
    names = names_of(tournament, pairing)
    if pairing.kind == "left_out":
        return say("{player}: not paired", player=names[0])
    if pairing.kind == "bye":
        return say("{player}: bye", player=names[0]) if names else None
    board = say("Board {n}", n=pairing.board)
    who = " - ".join(names) if not tournament.hides(pairing) else ""
    place = say("{board}: {players}", board=board, players=who) if who else board
    state = state_of(tournament, pairing)
    return say("{board}, {state}", board=place, state=state)


def names_of(tournament: Tournament, pairing: PairingRow) -> list[str]:
    """Return who meets in a pairing, in the order of seats."""
    who = {one.id: one for one in tournament.entries}
    return [tournament.shown_name(who[id_]) for id_ in pairing.entries]


def state_of(tournament: Tournament, pairing: PairingRow) -> Message:
    """Say what is known of a match: its points, or that it is played."""
    counted = tournament.as_in_table(pairing)
    points = counted.points if pairing.done_at else None
    if not tournament.counts(pairing):
        if points is None or pairing.ending != "played":
            return say("withdrawn; not counted")
        return say("{points} (withdrawn; not counted)", points=_points_of_seats(points))
    if pairing.done_at is None:
        return say("playing")
    if points is None:
        return say("not played")
    given = _points_of_seats(points)
    match pairing.ending:
        case "forfeit":
            return say("{points}, by forfeit", points=given)
        case "withdrawn":
            return say("{points}, by withdrawal", points=given)
        case "ruled" | "void":
            return say("{points}, by the game master's decision", points=given)
        case _:
            return given


def _points_of_seats(points: Sequence[int]) -> Message:
    return Message("{points}", {"points": " - ".join(map(shown_points, points))})


def as_json(tournament: Tournament) -> dict[str, Any]:
    """Return a tournament as one object, as `adjud tournament show --format json` prints it."""
    row = tournament.row
    return {
        "name": row.name,
        "kind": row.kind,
        "game": row.game,
        "variant": row.variant,
        "options": dict(row.options),
        "status": row.status,
        "round": row.round,
        "rounds": tournament.rounds if tournament.numbers else None,
        "starts": rfc3339(row.starts_at),
        "started": rfc3339(row.started_at),
        "ended": rfc3339(row.ended_at),
        "chance": row.chance,
        "public_number": row.which or None,
        "public_value": row.public_value or None,
        "seed_sha256": history.commitment(row.seed),
        "seed": row.seed.hex() if _is_seed_open(tournament) else None,
        "log": _log_json(tournament),
        "trouble": str(row.trouble) if row.trouble else None,
        "entries": [_entry_json(tournament, one) for one in _in_order(tournament)],
        "table": [_line_json(tournament, line) for line in lines_of(tournament)],
        "pairings": [_pairing_json(tournament, one) for one in tournament.pairings],
    }


def _log_json(tournament: Tournament) -> dict[str, Any] | None:
    last = tournament.shown_log
    return None if last is None else {"line": last.n, "head": last.head}


def _in_order(tournament: Tournament) -> Sequence[EntryRow]:
    """Return the entries by number, or as they came while they have none that may be known."""
    if tournament.hides_numbers or not tournament.numbers:
        return tournament.entries
    return [*tournament.by_number.values()]


def _entry_json(tournament: Tournament, one: EntryRow) -> dict[str, Any]:
    *before, player = tournament.players_of(one)
    return {
        "entry": None if tournament.hides_numbers else one.serial,
        "number": None if tournament.hides_numbers else one.number,
        "player": player,
        "before": before,
        "withdrawn": tournament.has_withdrawn(one),
        "team": _team_json(tournament, one),
        "counted": one.id not in tournament.uncounted,
    }


def _team_json(tournament: Tournament, one: EntryRow) -> int | None:
    if tournament.kind.teams == 1 or one.number is None:
        return None
    return tournament.team_of[one.number]


def _line_json(tournament: Tournament, line: TableLine) -> dict[str, Any]:
    return {
        "place": line.place,
        "number": None if tournament.hides_numbers else line.number,
        "player": tournament.players_of(tournament.by_number[line.number])[-1],
        "points": line.points,
        "compared": str(line.compared),
        "won": line.won,
        "played": line.played,
        "rounds_won": line.round if tournament.kind.knocks_out else None,
    }


def _pairing_json(tournament: Tournament, pairing: PairingRow) -> dict[str, Any]:
    seats: Sequence[str] = ()
    if is_played(tournament.row):
        seats = seats_of(tournament.game, tournament.row.variant, len(pairing.entries))
    is_hidden = tournament.hides(pairing)
    numbers = [tournament.numbers[id_] for id_ in pairing.entries]
    points = tournament.as_in_table(pairing).points if pairing.done_at else None
    return {
        "round": pairing.round,
        "board": pairing.board,
        "again": pairing.again,
        "kind": pairing.kind,
        "match": pairing.match,
        "seats": list(seats) if pairing.kind == "match" else [],
        "entries": None if is_hidden or tournament.hides_numbers else numbers,
        "players": None if is_hidden else names_of(tournament, pairing),
        "points": None if points is None else list(points),
        "counted": tournament.counts(pairing),
        "done": pairing.done_at is not None,
        "ending": (pairing.ending or None) if pairing.done_at else None,
    }
