"""The email that asks a player to confirm an address, which most people read as the first one from
a club.

Whoever gets it may never have heard of adjud. So it says who asks for what, what is played and how
long that takes, what to answer, and what happens otherwise. It tells nothing that an onlooker may
not know, because the address may be a stranger's: its boards are those of no match.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from adjudicator.core.match import holder_read
from adjudicator.core.message import Message, Value, Words, say
from adjudicator.games import GAMES
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import png
from adjudicator.reports.words import words
from adjudicator.service.base.context import Context
from adjudicator.service.base.loaded_match import Seated, Unreadable, load_seats
from adjudicator.service.base.options import deadlines, terms
from adjudicator.service.emails.layout import paragraphs
from adjudicator.service.outbound.email_body import BoardBeside, EmailBody
from adjudicator.service.site import club_view
from adjudicator.store import matches
from adjudicator.store.database import Tx
from adjudicator.store.players import Player

_MOST = 3  # matches that are told of
_BOARD = 180  # pixels of a board that is shown 120 wide


def invitation(tx: Tx, player: Player, code: str, context: Context) -> EmailBody:
    """Return the email to a new player."""
    tell = words(player.language, "")
    found = list(_matches(tx, player))
    if not found:
        asked = [tell(_to_the_club(player, context))]
        then = say("When a match begins for you, you get its first email, with the board.")
    else:
        asked = [part for match in found for part in _to_a_match(match, player, context)]
        then = say("You then get the first email of the match, with the board and what to write.")
    parts = [
        tell(say("Hello {name},", name=player.name)),
        context.welcome,
        *asked,
        tell(say("If you would like to play, reply to this email with the line")),
        tell(say("CONFIRM {code}", code=code)),
        tell(then),
        tell(
            say(
                "It costs nothing and there is nothing to install: you play by replying to emails. "
                "Nobody asks you for a password."
            )
        ),
        tell(
            say(
                "If you would rather not play, or do not know what this is about, do nothing. No "
                "other email is sent to you then, and the game master can ask someone else."
            )
        ),
    ]
    return EmailBody(
        subject=[*_subjects(found, player, context)],
        text=paragraphs(parts),
        boards=[*_boards(found, player)] if context.pictures else (),
        is_invitation=True,
    )


def email_to_new_address(player: Player, code: str, context: Context) -> EmailBody:
    """Return the email to a player's new address."""
    tell = words(player.language, "")
    told = (
        say("This is now your email address at {club}.", club=context.club)
        if context.club
        else say("This is now your email address at the club where you play by email.")
    )
    parts = [
        tell(say("Hello {name},", name=player.name)),
        tell(told),
        tell(say("To confirm it, reply to this email with the line")),
        tell(say("CONFIRM {code}", code=code)),
        tell(
            say(
                "Until then nothing else is sent here, and what is sent to you waits. If you do "
                "not know what this is about, do nothing."
            )
        ),
    ]
    return EmailBody(subject=subjects.confirm(), text=paragraphs(parts))


def _matches(tx: Tx, player: Player) -> Iterator[Seated]:
    for name in [*matches.seats_of_player(tx, player.id).values()][:_MOST]:
        with suppress(Unreadable):
            yield load_seats(tx, name)


def _who(context: Context) -> Value:
    name, club = context.game_master, context.club
    if name and club:
        return say("{game_master} of {club}", game_master=name, club=club)
    return name or club or say("The game master of a club that plays by email")


def _to_the_club(player: Player, context: Context) -> Message:
    *others, last = (_title(slug, player) for slug in GAMES)
    games = say("{first} and {last}", first=", ".join(others), last=last) if others else last
    return say(
        "{who} invites you to play board games by email: {games}.", who=_who(context), games=games
    )


def _title(slug: str, player: Player) -> str:
    return words(player.language, slug)(say(GAMES[slug].title))


def _to_a_match(match: Seated, player: Player, context: Context) -> Iterator[str]:
    """Yield who asks for which match, and what the game is and how long it takes."""
    game = match.game
    tell = words(player.language, game.slug)
    asked = say(
        "{who} invites you to a match of {game} by email.",
        who=_who(context),
        game=_title(game.slug, player),
    )
    others = [
        holder_read(holder.shown_name, tell)
        for holder in match.holders.values()
        if holder.told_name and holder.player_id != player.id
    ]
    against = [_against(others)] if others else []
    yield " ".join(map(tell, [asked, *against]))
    yield _about(match, tell)


def _about(match: Seated, tell: Words) -> str:
    game = match.game
    return " ".join(map(tell, [game.about, game.lasts, deadlines(terms(match.match.options))]))


def _boards(found: Sequence[Seated], player: Player) -> Iterator[BoardBeside]:
    """Yield the empty board of each game, beside what is told of it first; none where nothing draws
    pictures."""
    known: set[str] = set()
    for match in found:
        game, tell = match.game, words(player.language, match.game.slug)
        drawn = club_view.board_of_variant(game, match.match.variant, player.language)
        if game.slug not in known and (picture := png(drawn, _BOARD)):
            yield BoardBeside(_about(match, tell), _title(game.slug, player), picture)
        known.add(game.slug)


def _against(others: Sequence[str]) -> Message:
    return say("You play against {names}.", names=", ".join(others))


def _subjects(found: Sequence[Seated], player: Player, context: Context) -> Iterator[Message]:
    games = dict.fromkeys(_title(match.game.slug, player) for match in found)
    what: Value = ", ".join(games) if games else say("board games")
    if who := context.game_master or context.club:
        yield subjects.invitation(who, what)
    yield subjects.invitation_without_name(what)
