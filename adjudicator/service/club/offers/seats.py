"""Offers of a seat in a match that waits for it: `adjud new --invite` and `--muster` (club,
6.2)."""

from collections.abc import Mapping, Sequence

from msgspec import Struct, structs

from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat, holder
from adjudicator.core.message import Message, Value, say
from adjudicator.core.orders import shown
from adjudicator.core.text import folded_address
from adjudicator.games import GAMES
from adjudicator.reports.words import words
from adjudicator.service.base.context import Context, OpenClub, Refusal, Session
from adjudicator.service.base.loaded_match import (
    Seated,
    Unreadable,
    find_player,
    game_of,
    gather,
    load_seats,
    seat_of,
)
from adjudicator.service.base.options import deadlines, shows_names, terms
from adjudicator.service.base.reliability import Reliability, refuse_unreliable, reliability
from adjudicator.service.club.offers import making
from adjudicator.service.club.offers.making import NewOffer, OfferKind, OfferStep, OfferVoid
from adjudicator.service.emails.paragraphs import Paragraphs, paragraph, sentence
from adjudicator.service.matches import creation, seating
from adjudicator.service.matches.creation import NewMatch
from adjudicator.service.outbox.queue import alert
from adjudicator.store import matches, players
from adjudicator.store.database import Tx
from adjudicator.store.offers import Offer
from adjudicator.store.players import Player


class Asked(Struct, frozen=True):
    """A player who is asked for a seat, by name; `kind` is invite or muster."""

    kind: str
    player: str


def create(club: OpenClub, wanted: NewMatch, invited: Sequence[str], *, muster: bool) -> str:
    """Open a match whose `invited` seats (`SEAT=PLAYER`) are kept until their players have said
    yes; with `muster` those of all people. Return its name; raises Refusal."""
    game = game_of(wanted.game)
    asked: dict[Seat, Asked] = {}
    others = []
    for text in invited:
        _ask(game, asked, text, "invite")
    for text in wanted.seats:
        player = text.partition("=")[2].strip().lower()
        is_person = bool(player) and player != seating.OPEN and not player.startswith("computer")
        if muster and is_person:
            _ask(game, asked, text, "muster")
        else:
            others.append(text)
    kept = [f"{seat}={seating.OPEN}" for seat in asked]
    wanted = structs.replace(wanted, seats=[*others, *kept])

    def ask(tx: Tx, name: str) -> None:
        invite(Session(tx, club.now, club.context), name, asked, closed=not wanted.leave_open)

    return creation.create(club, wanted, then=ask)


def _ask(game: AnyGame, asked: dict[Seat, Asked], text: str, kind: str) -> None:
    word, equals, player = text.partition("=")
    if not equals or not player.strip():
        raise Refusal(say("'{seen}': write a seat as SEAT=PLAYER", seen=shown(text)))
    seat = seat_of(game, word.strip())
    if seat in asked:
        raise Refusal(say("the seat {seat} is named twice", seat=seat))
    asked[seat] = Asked(kind, player.strip())


def invite(s: Session, match: str, asked: Mapping[Seat, "Asked"], *, closed: bool) -> None:
    """Offer seats of a match that has just been made.

    Nobody else can join such a seat; with `closed` not even when its offer has ended without a
    yes. Raises Refusal.
    """
    found = load_seats(s.tx, match)
    people = {seat: find_player(s.tx, one.player) for seat, one in asked.items()}
    both = (*matches.people_of(s.tx, found.match.id), *(one.id for one in people.values()))
    seating.keep_apart(s.tx, both)
    matches.update_seats(s.tx, found.match.id, people, kept=1)
    for seat, player in people.items():
        making.make(
            s,
            NewOffer(
                kind=asked[seat].kind,
                what=_what(found, seat),
                player=player,
                told=_match_in_words(
                    found, seat, player, people, reliability(s.tx, s.now, both), s.context
                ),
                match_id=found.match.id,
                seat=seat,
                is_secret=False,
                about=f"seat/{found.match.id}/{seat}",
                details={"match": match, "closed": closed},
            ),
        )


def _may_name(found: Seated) -> bool:
    return shows_names(found.match.status, found.match.options)


def _match_in_words(
    found: Seated,
    seat: Seat,
    player: Player,
    asked: Mapping[Seat, Player],
    figures: Mapping[int, Reliability],
    context: Context,
) -> Paragraphs:
    """Return what an invitation says of its match: as much as the club's first page does."""
    invited = say(
        "{who} invites you to play {seat} in {match}.",
        who=who_invites(context),
        seat=found.game.seat_titles[seat],
        match=found.match.name,
    )
    others = []
    for one in found.seats:
        name: Value = asked[one].name if one in asked and _may_name(found) else ""
        name = name or holder(found.holders[one].shown_name)
        player_id = asked[one].id if one in asked else found.holders[one].player_id
        his = figures.get(player_id or 0) if one != seat and _may_name(found) else None
        others.append(seat_line(found.game.seat_titles[one], name, his))
    slug = found.match.game
    return (
        *paragraph(say("Hello {name},", name=player.name)),
        *paragraph(invited, game=slug),
        *describe_game(found.game, found.match.variant, found.match.options),
        *paragraph(*others, game=slug),
    )


def seat_line(seat: Message, name: Value, his: Reliability | None) -> Message:
    """Return a line with who has a seat, and how reliable he is, if that is known."""
    values: dict[str, Value] = {"seat": seat, "name": name or say("open seat")}
    if his is None:
        return Message("  {seat}: {name}", values)
    return Message("  {seat}: {name} ({reliable})", {**values, "reliable": his.told})


def describe_game(game: AnyGame, variant: str, options: Mapping[str, str]) -> Paragraphs:
    """Return what is played, how long it takes and when orders are due, in one paragraph."""
    title = say(game.title)
    kind = say("{game}, {variant}.", game=title, variant=game.variant_titles[variant])
    told = sentence(kind, game.about, game.lasts, deadlines(terms(options)))
    return paragraph(told, game=game.slug)


def title_in(slug: str, language: str) -> str:
    """Return what a game is called in a language, for a text that is not of the game's own."""
    return words(language, slug)(GAMES.title(slug))


def who_invites(context: Context) -> Message | str:
    """Name the game master in an invitation, as far as the settings do."""
    name, club = context.game_master, context.club
    if name and club:
        return say("{game_master} of {club}", game_master=name, club=club)
    return name or say("The game master")


def _what(found: Seated, seat: str) -> Message:
    title = found.game.seat_titles[Seat(seat)]
    return say("the invitation to {match} as {seat}", match=found.match.name, seat=title)


def _what_of(tx: Tx, offer: Offer) -> Message:
    match = matches.find(tx, offer.details["match"])
    assert match is not None
    seat = offer.seat or ""
    title = GAMES[match.game].seat_titles[Seat(seat)] if match.game in GAMES else seat
    return say("the invitation to {match} as {seat}", match=match.name, seat=title)


def _accept(step: OfferStep) -> Message:
    """Take the seat as JOIN does, if it is still free."""
    tx, player = step.tx, step.asked
    match = matches.find(tx, step.offer.details["match"])
    assert match is not None
    seat = Seat(step.offer.seat or "")
    try:
        found = gather(tx, match)
    except Unreadable:
        raise Refusal(
            say("{match} is on hold, so nobody can join it now.", match=match.name)
        ) from None
    _refuse(step, found, seat, player)
    matches.update_seats(tx, match.id, [seat], kept=0)
    seating.take_seat(step, found, seat, player.id)
    return say("You now have a seat in {match}.", match=match.name)


def _refuse(step: OfferStep, found: Seated, seat: Seat, player: Player) -> None:
    """Refuse what cannot be, or can never be any more. Raises Refusal."""
    name = found.match.name
    if found.match.status == "over":
        raise OfferVoid(say("{match} is over.", match=name))
    if found.holders[seat].shown_name or found.match.status != "open":
        raise OfferVoid(say("Another player has that seat in {match} now.", match=name))
    if player.confirmed_at is None:
        raise Refusal(say("Your address is not confirmed yet."))
    ids = [one.player_id for one in found.holders.values()]
    taken = {folded_address(players.one(step.tx, one).address) for one in ids if one is not None}
    if folded_address(player.address) in taken:
        raise Refusal(say("You already have a seat in {match}.", match=name))
    refuse_unreliable(step.tx, found.match.options, player.id, now=step.now)
    if seating.has_seen_another(step.tx, found, seat, player.id):
        raise OfferVoid(
            say(
                "You had another seat in {match} and have seen its reports, so you cannot take "
                "this one.",
                match=name,
            )
        )


def _after_end(step: OfferStep) -> None:
    """Open the seat to everybody if it was agreed so, else tell the operator, unless another player
    has it by now."""
    match = matches.find(step.tx, step.offer.details["match"])
    assert match is not None
    if match.status == "over" or step.offer.seat is None:
        return
    if matches.holders(step.tx, match.id)[step.offer.seat].shown_name:
        return
    if not step.offer.details["closed"]:
        matches.update_seats(step.tx, match.id, [step.offer.seat], kept=0)
        return
    told = say(
        "{player} did not take {seat}. `adjud gm replace {match} {seat} PLAYER` gives it to "
        "another player.",
        player=step.asked.name,
        seat=step.offer.seat,
        match=match.name,
    )
    about = f"offer/{step.offer.id}"
    alert(step, told, about, once="turn", match=match)


KIND = OfferKind(what=_what_of, accept=_accept, ended=_after_end)
