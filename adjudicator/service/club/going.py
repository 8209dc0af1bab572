"""What the club's pages tell of a match that is not over, whether it has a position or not."""

from collections.abc import Iterator

from adjudicator.core.match import holder_read
from adjudicator.core.message import Words, say
from adjudicator.mail.address import MailDomain, public_address
from adjudicator.mail.write.compose import mailto
from adjudicator.reports import club
from adjudicator.reports.words import words
from adjudicator.service.base.loaded_match import Seated, Unopened
from adjudicator.service.base.options import deadlines, terms


def early_match(
    early: Unopened, language: str, zone: str, post: MailDomain | None
) -> club.Going | None:
    """Return what is told of a match that has no position yet; None if it was cancelled."""
    found = early.waiting
    if found.match.status == "over":
        return None
    tell = words(language, found.match.game, zone)
    return club.Going(
        name=found.match.name,
        kind=kind(found, tell),
        players=players(found, tell),
        turn=tell(say("Not opened")),
        told=tell(say("The match has not opened: {why}.", why=early.why)),
        deadline=None,
        pace=tell(deadlines(terms(found.match.options))),
        seats=list(open_seats(found, tell, post)) if post else (),
    )


def open_seats(loaded: Seated, tell: Words, post: MailDomain) -> Iterator[club.OpenSeat]:
    for seat in loaded.seats:
        if not loaded.holders[seat].shown_name and not loaded.holders[seat].kept:
            line = f"JOIN {loaded.match.name} {seat}"
            link = mailto(public_address(post), line, [line])
            yield club.OpenSeat(tell(loaded.game.seat_titles[seat]), line, link)


def kind(loaded: Seated, tell: Words) -> str:
    game, variant = loaded.game, loaded.match.variant
    return f"{tell(say(game.title))}, {tell(game.variant_titles[variant])}"


def players(loaded: Seated, tell: Words) -> list[tuple[str, str]]:
    return [
        (tell(loaded.game.seat_titles[seat]), holder_read(loaded.holders[seat].shown_name, tell))
        for seat in loaded.seats
    ]
