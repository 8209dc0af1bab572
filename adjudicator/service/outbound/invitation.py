"""The email that asks a player to confirm an address, which most people read as the first one from
a club.

Whoever gets it may never have heard of adjud. So it says who asks for what, what is played and how
long that takes, what to answer, and what happens otherwise. It tells nothing that an onlooker may
not know, because the address may be a stranger's: its boards are those of no match.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from adjudicator.core.match import holder
from adjudicator.core.message import Message, Value, listed, say
from adjudicator.games import GAMES
from adjudicator.mail.address import plain_message_id
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import picture_id, png
from adjudicator.reports.words import words
from adjudicator.service.base.context import Context
from adjudicator.service.base.loaded_match import Seated, Unreadable, load_seats
from adjudicator.service.base.options import deadlines, terms
from adjudicator.service.emails.paragraphs import (
    EmailContents,
    Lines,
    Paragraph,
    Paragraphs,
    each,
    finished_text,
    paragraph,
    sentence,
)
from adjudicator.service.emails.value import EmailText, SmallBoard
from adjudicator.service.emails.wording import in_words
from adjudicator.service.outbound.writing import EmailBody, Writing, ask_of, said_to_person
from adjudicator.service.site import club_view
from adjudicator.store import matches
from adjudicator.store.database import Tx
from adjudicator.store.players import Player

_MOST = 3  # matches that are told of
_BOARD = 180  # pixels of a board that is shown 120 wide


def invitation(email: Writing, player: Player) -> EmailBody:
    """Return the email to a new player."""
    context, code = email.context, email.body["code"]
    found = list(_matches(email.tx, player))
    if not found:
        asked = _to_the_club(player, context)
        then = say("When a match begins for you, you get its first email, with the board.")
    else:
        asked = tuple(part for match in found for part in _to_a_match(match, player, context))
        then = say("You then get the first email of the match, with the board and what to write.")
    contents = EmailContents(
        above=(
            *paragraph(say("Hello {name},", name=player.name)),
            *finished_text(context.welcome),
            *asked,
            *each(
                (
                    say("If you would like to play, reply to this email with the line"),
                    say("CONFIRM {code}", code=code),
                    then,
                    say(
                        "It costs nothing and there is nothing to install: you play by replying to "
                        "emails. Nobody asks you for a password."
                    ),
                    say(
                        "If you would rather not play, or do not know what this is about, do "
                        "nothing. No other email is sent to you then, and the game master can ask "
                        "someone else."
                    ),
                )
            ),
        )
    )
    drawn = list(_boards(email, found)) if context.pictures else []
    said = EmailText(
        game="",
        subject=tuple(_subjects(found, player, context)),
        contents=contents,
        asked=ask_of(
            email, contents, is_invitation=True, boards=[(told, one) for told, one, _ in drawn]
        ),
    )
    value = said_to_person(email, said)
    return EmailBody(value=value, boards=[png for _, _, png in drawn])


def email_to_new_address(email: Writing, player: Player) -> EmailBody:
    """Return the email to a player's new address."""
    code, club = email.body["code"], email.context.club
    told = (
        say("This is now your email address at {club}.", club=club)
        if club
        else say("This is now your email address at the club where you play by email.")
    )
    contents = EmailContents(
        above=each(
            (
                say("Hello {name},", name=player.name),
                told,
                say("To confirm it, reply to this email with the line"),
                say("CONFIRM {code}", code=code),
                say(
                    "Until then nothing else is sent here, and what is sent to you waits. If you "
                    "do not know what this is about, do nothing."
                ),
            )
        )
    )
    said = EmailText(
        game="",
        subject=(subjects.confirm(),),
        contents=contents,
        asked=ask_of(email, contents),
    )
    return EmailBody(value=said_to_person(email, said))


def _matches(tx: Tx, player: Player) -> Iterator[Seated]:
    for name in [*matches.seats_of_player(tx, player.id).values()][:_MOST]:
        with suppress(Unreadable):
            yield load_seats(tx, name)


def _who(context: Context) -> Value:
    name, club = context.game_master, context.club
    if name and club:
        return say("{game_master} of {club}", game_master=name, club=club)
    return name or club or say("The game master of a club that plays by email")


def _to_the_club(player: Player, context: Context) -> Paragraphs:
    *others, last = (_title(slug, player) for slug in GAMES)
    games = say("{first} and {last}", first=", ".join(others), last=last) if others else last
    told = say(
        "{who} invites you to play board games by email: {games}.", who=_who(context), games=games
    )
    return paragraph(told)


def _title(slug: str, player: Player) -> str:
    return words(player.language, slug)(say(GAMES[slug].title))


def _to_a_match(match: Seated, player: Player, context: Context) -> Iterator[Paragraph]:
    """Yield who asks for which match, and what the game is and how long it takes."""
    asked = say(
        "{who} invites you to a match of {game} by email.",
        who=_who(context),
        game=say(match.game.title),
    )
    others = [
        holder(one.shown_name)
        for one in match.holders.values()
        if one.told_name and one.player_id != player.id
    ]
    against = _against(others) if others else None
    yield from paragraph(sentence(asked, against), game=match.game.slug)
    yield _about(match)


def _about(match: Seated) -> Lines:
    game = match.game
    told = sentence(game.about, game.lasts, deadlines(terms(match.match.options)))
    assert told is not None
    return Lines((told,), game.slug)


def _boards(email: Writing, found: Sequence[Seated]) -> Iterator[tuple[str, SmallBoard, bytes]]:
    """Yield the empty board of each game, beside what is told of it first; none where nothing draws
    pictures."""
    assert email.context.post is not None
    mine = plain_message_id(email.context.post, email.due.key, email.due.epoch)
    known: dict[str, None] = {}
    for match in found:
        slug = match.game.slug
        if slug in known:
            continue
        drawn = club_view.board_of_variant(match.game, match.match.variant, email.reader.language)
        if picture := png(drawn, _BOARD):
            known[slug] = None
            (told,) = in_words([_about(match)], email.reader)
            board = SmallBoard(at=0, game=slug, picture=picture_id(mine, len(known)))
            yield told, board, picture


def _against(others: Sequence[Value]) -> Message:
    named = (Message("{name}", {"name": one}) for one in others)
    return say("You play against {names}.", names=listed(named))


def _subjects(found: Sequence[Seated], player: Player, context: Context) -> Iterator[Message]:
    games = dict.fromkeys(_title(match.game.slug, player) for match in found)
    what: Value = ", ".join(games) if games else say("board games")
    if who := context.game_master or context.club:
        yield subjects.invitation(who, what)
    yield subjects.invitation_without_name(what)
