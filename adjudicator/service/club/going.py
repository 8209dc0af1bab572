"""What the club's pages tell of a match that is not over, whether it has a position or not."""

from collections.abc import Iterator, Sequence

from adjudicator.core.match import holder_read
from adjudicator.core.message import Words, say
from adjudicator.mail.address import MailDomain, public_address
from adjudicator.mail.write.compose import mailto
from adjudicator.reports import club
from adjudicator.reports.words import words
from adjudicator.service.base.loaded_match import Loaded, Seated
from adjudicator.service.base.options import deadlines, terms
from adjudicator.service.base.public_number import why_unopened
from adjudicator.service.club import boards


def unopened_match(
    found: Loaded, language: str, zone: str, post: MailDomain | None
) -> club.Going | None:
    """Return what is told of a match that has no position yet; None if it was cancelled."""
    if found.match.status == "over":
        return None
    tell = words(language, found.match.game, zone)
    seats = list(open_seats(found, tell, post)) if post else []
    return club.Going(
        name=found.match.name,
        kind=kind(found, tell),
        players=players(found, tell),
        turn=tell(say("Not opened")),
        told=tell(say("The match has not opened: {why}.", why=why_unopened(found.match))),
        deadline=None,
        pace=tell(deadlines(terms(found.match.options))),
        board=boards.place(found.match.game, found.match.variant),
        seats=seats,
        join=any_seat(found, seats, post),
    )


def open_seats(loaded: Seated, tell: Words, post: MailDomain) -> Iterator[club.OpenSeat]:
    for seat in loaded.seats:
        if not loaded.holders[seat].shown_name and not loaded.holders[seat].kept:
            line = f"JOIN {loaded.match.name} {seat}"
            yield _asking(tell(loaded.game.seat_titles[seat]), line, post)


def any_seat(
    loaded: Seated, seats: Sequence[club.OpenSeat], post: MailDomain | None
) -> club.OpenSeat | None:
    """Return what asks for whichever of several open seats is still open; None if only one is."""
    if post is None or len(seats) < 2:
        return None
    return _asking("", f"JOIN {loaded.match.name}", post)


def _asking(title: str, line: str, post: MailDomain) -> club.OpenSeat:
    return club.OpenSeat(title, line, mailto(public_address(post), line, [line]))


def kind(loaded: Seated, tell: Words) -> str:
    game, variant = loaded.game, loaded.match.variant
    return f"{tell(say(game.title))}, {tell(game.variant_titles[variant])}"


def players(loaded: Seated, tell: Words) -> list[tuple[str, str]]:
    return [
        (tell(loaded.game.seat_titles[seat]), holder_read(loaded.holders[seat].shown_name, tell))
        for seat in loaded.seats
    ]
