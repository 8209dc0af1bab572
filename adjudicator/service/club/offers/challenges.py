"""Challenges on a ladder are offers: INVITE Bob TO NAME (club, 8.2)."""

from adjudicator.core.message import Message, say
from adjudicator.games import GAMES
from adjudicator.service.base import lots_of_match
from adjudicator.service.base.context import Refusal, Session
from adjudicator.service.base.loaded_match import game_of_club
from adjudicator.service.base.options import agree, options_for_new_match
from adjudicator.service.base.reliability import refuse_unreliable
from adjudicator.service.club.offers import begun, making
from adjudicator.service.club.offers.begun import Planned
from adjudicator.service.club.offers.making import NewOffer, OfferKind, OfferStep, OfferVoid
from adjudicator.service.club.offers.seats import describe_game
from adjudicator.service.competition import ladders as of_club
from adjudicator.service.emails.paragraphs import paragraph
from adjudicator.service.matches import seating
from adjudicator.store import ladders, matches, rows
from adjudicator.store.database import Tx
from adjudicator.store.happenings import note_event
from adjudicator.store.ladders import LadderRow
from adjudicator.store.offers import Offer
from adjudicator.store.players import Player

KIND_NAME = "ladder"


def challenge(s: Session, row: LadderRow, challenger: Player, asked: Player) -> Message:
    """Challenge a player who stands one to three places above; return what the challenger reads.
    Raises Refusal."""
    row = rows.one(s.tx, LadderRow, row.id, lock=True)
    # MUTE stops no challenge: whoever is on a ladder can be challenged, and would else be told.
    of_club.refuse_unreliable_on(s.tx, row, challenger, s.now)
    seating.keep_apart(s.tx, [challenger.id, asked.id])
    game = game_of_club(row.game)
    agreed = agree(game, options_for_new_match(row.options), 2)
    made, logged = of_club.record_challenge(s, row, challenger, asked)  # all refusals come before
    told = say(
        "{who} challenges you on the ladder {name}. If {who} wins, or you do not play, {who} "
        "takes your place.",
        who=challenger.name,
        name=row.name,
    )
    making.make(
        s,
        NewOffer(
            kind=KIND_NAME,
            what=_what(row.name),
            player=asked,
            asker=challenger,
            told=(
                *paragraph(say("Hello {name},", name=asked.name)),
                *paragraph(told),
                *describe_game(game, row.variant, agreed),
                *logged,
            ),
            is_secret=False,
            about=of_club.about_challenge(made),
            details={"ladder": row.id, "name": row.name, "challenge": made},
        ),
    )
    return say("{player} is challenged on {name}.", player=asked.name, name=row.name)


def _what(name: str) -> Message:
    return say("the challenge on {name}", name=name)


def _what_of(tx: Tx, offer: Offer) -> Message:
    return _what(offer.details["name"])


def _accept(step: OfferStep) -> Message:
    """Begin the match, with seats by lot."""
    tx, details = step.tx, step.offer.details
    row = rows.one(tx, LadderRow, details["ladder"], lock=True)
    one = ladders.challenge_of(tx, details["challenge"])
    on_it = {rung.player_id for rung in ladders.rungs(tx, row.id)}
    both = (one.challenger_id, one.asked_id)
    if row.status != "open" or row.game not in GAMES or not {*both} <= on_it:
        raise OfferVoid(_needless(tx, step.offer))
    if step.asked.confirmed_at is None:
        raise Refusal(say("Your address is not confirmed yet."))
    options = options_for_new_match(row.options)
    refuse_unreliable(tx, agree(GAMES[row.game], options, 2), step.asked.id, now=step.now)
    planned = Planned(game=row.game, variant=row.variant, options=options, people=both)
    wanted = f"{row.name}-{ladders.matches_of(tx, row.id) + 1}"
    name = begun.begin(step, planned, wanted)
    match = matches.find(tx, name)
    assert match is not None
    holders = matches.holders(tx, match.id)
    seat = next(key for key, held in holders.items() if held.player_id == one.challenger_id)
    seat = "" if match.lots == lots_of_match.PENDING else seat
    of_club.begin_match(step, row, one, match, seat)
    note_event(tx, "ladder.changed", at=step.now, ladder=row.name)
    return say("You now have a seat in {match}.", match=name)


def _take_place(step: OfferStep) -> None:
    """Let the challenger take the place of a player who did not play (club, 8.3). One who made his
    offers void with wrong codes did not answer: else nobody could ever take his place."""
    tx, details = step.tx, step.offer.details
    row = rows.one(tx, LadderRow, details["ladder"], lock=True)
    one = ladders.challenge_of(tx, details["challenge"])
    if one.done_at is not None:
        return
    ending = step.offer.status
    if ending == "void" and step.offer.tries >= making.TRIES:
        ending = "expired"
    of_club.end_challenge(step, row, one, ending)


def _needless(tx: Tx, offer: Offer) -> Message:
    return say("This match cannot begin any more.")


KIND = OfferKind(what=_what_of, accept=_accept, ended=_take_place, needless=_needless)
