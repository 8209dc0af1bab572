"""Offers of a match that begins when all who are asked have accepted: INVITE and REMATCH of players
(club, 6.2)."""

import re
import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from msgspec import Struct, structs

from adjudicator.core.game import AnyGame
from adjudicator.core.message import Message, both, listed, say
from adjudicator.core.orders import shown
from adjudicator.games import GAMES
from adjudicator.mail.write import subjects
from adjudicator.service.base.context import MatchTemplate, Refusal, Session, unknown
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.lots_of_match import message_for_number, message_for_taking
from adjudicator.service.base.options import agree, options_for_new_match
from adjudicator.service.base.reliability import Reliability, refuse_unreliable, reliability
from adjudicator.service.club.offers import making
from adjudicator.service.club.offers.making import NewOffer, OfferKind, OfferStep, OfferVoid
from adjudicator.service.club.offers.seats import describe_game, title_in
from adjudicator.service.emails.paragraphs import paragraph
from adjudicator.service.matches import creation, seating
from adjudicator.service.matches.creation import NewMatch
from adjudicator.store import matches, offers, players, press, rows, tournaments
from adjudicator.store.database import Tx
from adjudicator.store.guests import Guest
from adjudicator.store.offers import Offer
from adjudicator.store.players import Player

A_DAY = timedelta(days=1)
LATEST = timedelta(days=30)  # after the end of a match, for a rematch
INVITE, REMATCH = "invite", "rematch"


class Planned(Struct, frozen=True, kw_only=True):
    """A match that is to begin. `people` are all players; `seats` say who takes which, by the id of
    a player or the name of a built-in one; none if the seats are drawn by lot."""

    game: str
    variant: str
    options: tuple[str, ...]
    people: tuple[int, ...]
    board: str = ""
    seats: Mapping[str, int | str] = {}


# INVITE Bob, Cleo TO spion


_TO = re.compile(r"\s+(?:to|til|till)\s+(?P<what>\S+)\s*$", re.IGNORECASE)
_BEHIND = re.compile(r"\s*(?:,\s*|(?=\s(?:to|til|till)\s+\S+\s*$)|$)", re.IGNORECASE)


class Invitation(Struct, frozen=True):
    """What a line says: who is invited, and to what; empty if it does not say."""

    people: Sequence[Player]
    what: str


def read(tx: Tx, argument: str) -> Invitation:
    """Read the names of players, which may hold commas and the word TO, the longest first, and
    what they are invited to. Raises Refusal for a name that no confirmed player has."""
    known = {one.name: one for one in players.all_players(tx) if one.confirmed_at is not None}
    longest = sorted(known, key=len, reverse=True)
    text, at = " ".join(argument.split()), 0
    found: dict[int, Player] = {}
    while at < len(text):
        name, at_next = _name_at(text, at, longest)
        if name is None:
            break
        found[known[name].id] = known[name]
        at = at_next
    rest = text[at:]
    if not rest and found:
        return Invitation([*found.values()], "")
    to = _TO.fullmatch(f" {rest}") if found else None
    if to:
        return Invitation([*found.values()], to["what"])
    seen = re.split(r"\s*,\s*|\s+(?:to|til|till)\s+", rest, maxsplit=1, flags=re.IGNORECASE)[0]
    raise unknown(say("there is no player '{name}'", name=shown(seen or text)), seen, known)


def _name_at(text: str, at: int, longest: Sequence[str]) -> tuple[str | None, int]:
    """Return the longest name that stands there, and where the next one would."""
    for name in longest:
        if text[at : at + len(name)].casefold() != name.casefold():
            continue
        if behind := _BEHIND.match(text, at + len(name)):
            rest = text[behind.end() :]
            return name, len(text) - len(rest.lstrip())
    return None, at


def invite(s: Session, asker: Player, said: Invitation) -> Message:
    """Ask players for a match that begins when all have accepted; return what the asker reads.
    Raises Refusal."""
    name = said.what or _usual(s, asker)
    template = creation.find_template(s.context, name)
    others = [one for one in said.people if one.id != asker.id]
    if len(others) < len(said.people):
        raise Refusal(say("You cannot invite yourself."))
    game = GAMES[template.game]
    planned = _plan_match(game, template, [asker.id, *(one.id for one in others)])
    _refuse_asker(s, asker)
    refuse_unreliable(s.tx, options_of(planned), asker.id, now=s.now)
    for one in others:
        if _takes_none(s, one, asker):
            raise Refusal(say("{player} does not accept invitations now", player=one.name))
    seating.keep_apart(s.tx, planned.people)
    _offer(s, INVITE, asker, others, planned, f"begin/{secrets.token_hex(8)}")  # fmt: skip
    told = say(
        "Invited to {game}: {players}. The match begins when all have accepted.",
        game=title_in(game.slug, asker.language),
        players=", ".join(one.name for one in others),
    )
    return both(told, message_for_number(1))


def plan_for_two(s: Session, asker: Player, what: str) -> Planned:
    """Return the match for a player and somebody who is not known yet. Raises Refusal."""
    template = creation.find_template(s.context, what or _usual(s, asker))
    planned = _plan_match(GAMES[template.game], template, [asker.id, 0])
    _refuse_asker(s, asker)
    refuse_unreliable(s.tx, options_of(planned), asker.id, now=s.now)
    return structs.replace(planned, people=(asker.id,))


def _usual(s: Session, asker: Player) -> str:
    """Return the only template of the configuration. Raises Refusal if there is another number."""
    if len(s.context.templates) == 1:
        return next(iter(s.context.templates))
    names = ", ".join(creation.all_templates(s.context))
    raise Refusal(
        say("say what to play, such as INVITE Bob TO {first}; there are: {names}",
            first=next(iter(creation.all_templates(s.context))), names=names)
    )  # fmt: skip


def _plan_match(game: AnyGame, template: MatchTemplate, people: Sequence[int]) -> Planned:
    """Return a match of these people, whose options are known to be right. Raises Refusal."""
    variant = template.variant or game.variants[0]
    if variant not in game.variants:
        text = say("{game} has no variant '{seen}'", game=game.title, seen=shown(variant))
        raise unknown(text, variant, game.variants)
    seats = creation.seats_for(game, variant, len(people))
    agreed = agree(game, template.options, len(seats))
    if agreed.get("names") == "hidden":
        raise Refusal(say("players who invite each other know who plays; names cannot be hidden"))
    return Planned(game=game.slug, variant=variant, options=template.options, people=tuple(people))


def _refuse_asker(s: Session, asker: Player) -> None:
    if not s.context.invitations:
        raise Refusal(say("players of this club cannot invite each other by email"))
    made = [
        one
        for one in offers.of_asker(s.tx, asker.id, INVITE, s.now - A_DAY)
        if one.match_id is None
    ]
    still = {one.about for one in made if one.status == "open"}
    today = {one.about for one in made if one.created_at > s.now - A_DAY}
    others = rows.find(s.tx, Guest, asker_id=asker.id)
    still |= {one.door for one in others if one.expires_at is not None}
    today |= {one.door for one in others if one.created_at > s.now - A_DAY}
    if len(still) >= s.context.invitations:
        raise Refusal(
            say(
                "you have as many open invitations as you may have ({n}); wait for an answer",
                n=len(still),
            )
        )
    if len(today) >= s.context.invitations:
        raise Refusal(
            say(
                "you have sent as many invitations as you may today ({n}); try again tomorrow",
                n=len(today),
            )
        )


def _takes_none(s: Session, player: Player, asker: Player) -> bool:
    """Return whether a player is not to be invited: he wants none of the asker's, or has as many as
    he may. Nobody is told which."""
    if press.wants_no_invitation(s.tx, player.id, asker.id):
        return True
    waiting = {one.about for one in offers.open_to(s.tx, player.id) if one.kind == INVITE}
    return len(waiting) >= s.context.invitations


# REMATCH


def rematch(s: Session, loaded: Loaded, seat: str, asker: Player) -> Message:
    """Ask all others of an ended match for another one, with the seats moved on by one; return what
    the asker reads. Raises Refusal."""
    match = loaded.match
    if match.status != "over":
        raise Refusal(say("{match} is not over yet.", match=match.name))
    ended = match.ended_at or loaded.since
    if s.now - ended > LATEST:
        raise Refusal(say("You can ask for a rematch within 30 days after a match ends."))
    about = f"rematch/{match.id}/{seat}"
    if offers.hold(s.tx, about):
        raise Refusal(say("You have already asked for a rematch of {match}.", match=match.name))
    taken = [loaded.holders[name] for name in loaded.seats]
    ids = [holder.player_id for holder in taken if holder.player_id is not None]
    if any(not holder.shown_name for holder in taken) or len({*ids}) < 2:
        raise Refusal(say("There is nobody to ask for a rematch of {match}.", match=match.name))
    moved = [*loaded.seats[1:], loaded.seats[0]]
    seats: dict[str, int | str] = {}
    for to, holder in zip(moved, taken, strict=True):
        seats[to] = holder.computer or holder.player_id or ""
    planned = Planned(
        game=match.game,
        variant=match.variant,
        # They know each other by now.
        options=options_for_new_match(
            {k: value for k, value in match.options.items() if k != "names"}
        ),
        people=tuple(ids),
        board=match.board,
        seats=seats,
    )
    agree(loaded.game, planned.options, len(seats))
    others = [players.one(s.tx, number) for number in ids if number != asker.id]
    for one in others:
        if one.erased_at:
            raise Refusal(say("{player} does not accept invitations now", player=one.name))
    _offer(s, REMATCH, asker, others, planned, about, of=match.name)
    return say(
        "Asked for a rematch: {players}. The match begins when all have accepted.",
        players=", ".join(one.name for one in others),
    )


# What is offered, and what the answers do.


def _offer(
    s: Session,
    kind: str,
    asker: Player,
    others: Sequence[Player],
    planned: Planned,
    about: str,
    *,
    of: str = "",
) -> None:
    game = GAMES[planned.game]
    figures = reliability(s.tx, s.now, planned.people)
    details: dict[str, Any] = {"planned": planned, **({"of": of} if of else {})}
    for one in others:
        asked = (
            say("{who} asks you for a rematch of {match}.", who=asker.name, match=of)
            if of
            else say(
                "{who} invites you to a match of {game} by email.",
                who=asker.name,
                game=say(game.title),
            )
        )
        agreed = options_of(planned)
        names = listed([_with_figures(s.tx, each, figures) for each in planned.people])
        lot = say("The seats are drawn at random. The match begins when all have accepted.")
        moved = say("Everyone moves on by one seat. The match begins when all have accepted.")
        told = (
            *paragraph(say("Hello {name},", name=one.name)),
            *paragraph(asked, game=game.slug),
            *describe_game(game, planned.variant, agreed),
            *paragraph(say("Players: {names}.", names=names)),
            *paragraph(moved if of else lot),
        )
        making.make(
            s,
            NewOffer(
                kind=kind,
                what=_what(planned.game, of),
                subject=(
                    subjects.asks_for_rematch(asker.name)
                    if of
                    else subjects.invites(asker.name, title_in(game.slug, one.language))
                ),
                player=one,
                asker=asker,
                told=told,
                is_secret=False,
                about=about,
                details=details,
                is_sent=not press.wants_no_invitation(s.tx, one.id, asker.id),
            ),
        )


def _with_figures(tx: Tx, player_id: int, figures: Mapping[int, Reliability]) -> Message:
    """Return a player's name with how reliable he is, if anything is known of that (club, 6.1)."""
    name = players.one(tx, player_id).name
    if player_id not in figures:
        return Message("{name}", {"name": name})
    return Message("{name} ({reliable})", {"name": name, "reliable": figures[player_id].told})


def _what(game: str, of: str) -> Message:
    if of:
        return say("the rematch of {match}", match=of)
    return say("the invitation to {game}", game=GAMES.title(game))


def _what_of(tx: Tx, offer: Offer) -> Message:
    return _what(offer.details["planned"]["game"], offer.details.get("of", ""))


def _accept(step: OfferStep) -> Message:
    """Note the yes; the last one begins the match."""
    tx, offer = step.tx, step.offer
    planned = _plan_of(offer)
    if step.asked.confirmed_at is None:
        raise Refusal(say("Your address is not confirmed yet."))
    people = [rows.first(tx, Player, id=one) for one in planned.people]
    if planned.game not in GAMES or any(one is None or one.erased_at for one in people):
        raise OfferVoid(say("This match cannot begin any more."))
    seating.keep_apart(tx, planned.people)
    refuse_unreliable(tx, options_of(planned), step.asked.id, now=step.now)
    together = offers.hold(tx, offer.about)
    accepted = sorted(
        (one for one in together if one.status == "accepted"),
        key=lambda one: (one.details.get(_NUMBER, 0), one.ended_at, one.id),
    )
    number = len(accepted) + 2  # 1 is the asker
    rows.change(tx, Offer, offer.id, details={**offer.details, _NUMBER: number})
    waits = [one.player_id for one in together if one.status == "open" and one.id != offer.id]
    if waits:
        told = say(
            "You have accepted. The match begins when these players have, too: {players}.",
            players=", ".join(players.one(tx, one).name for one in waits),
        )
        return told if planned.seats else both(told, message_for_number(number))
    asked = [one.player_id for one in (*accepted, offer)]
    asker = [one for one in planned.people if one not in asked]
    name = begin(step, structs.replace(planned, people=(*asker, *asked)))
    told = message_for_taking(name)
    return told if planned.seats else both(told, message_for_number(number))


_NUMBER = "number"  # in the details of an offer that was accepted


def welcome(tx: Tx, offer: Offer) -> Message | None:
    """Return the subject of the answer to the yes with which a match has begun; None if others
    have not accepted yet."""
    together = offers.hold(tx, offer.about)
    planned = _plan_of(offer)
    if any(one.status != "accepted" for one in together) or planned.game not in GAMES:
        return None
    others = [players.one(tx, one).name for one in planned.people if one != offer.player_id]
    language = players.one(tx, offer.player_id).language
    return subjects.begins(title_in(planned.game, language), ", ".join(others))


def options_of(planned: Planned) -> Mapping[str, str]:
    return agree(GAMES[planned.game], planned.options, len(planned.seats or planned.people))


def begin(s: Session, planned: Planned, name: str | None = None) -> str:
    """Open the match, under that name unless it is taken; return its name. Raises Refusal."""
    if name is not None and (
        matches.find(s.tx, name) or creation.is_of_tournament(name, tournaments.names(s.tx))
    ):
        name = None
    game = GAMES[planned.game]
    seats = planned.seats or _by_number(game, planned)
    held = {
        seat: players.one(s.tx, who).name if isinstance(who, int) else who
        for seat, who in seats.items()
    }
    wanted = NewMatch(
        game=planned.game,
        variant=planned.variant,
        name=name,
        seats=[f"{seat}={who}" for seat, who in held.items()],
        options=planned.options,
        seed=None,
        fresh_seed=secrets.token_bytes(32),
        board=planned.board or None,
        by_lot=not planned.seats,
    )
    return creation.create_in(s, wanted)


def _by_number(game: AnyGame, planned: Planned) -> Mapping[str, int]:
    """Return the people of a match at its seats in the order of their numbers: by these the seats
    are drawn."""
    seats = creation.seats_for(game, planned.variant, len(planned.people))
    return dict(zip(seats, planned.people, strict=True))


def _end_others(step: OfferStep) -> None:
    """End the other offers of the same match, and tell those who have accepted."""
    tx, offer = step.tx, step.offer
    said_yes = [one for one in offers.hold(tx, offer.about) if one.status == "accepted"]
    making.withdraw(tx, offer.about, step.now)
    told = say(
        "Not all players accepted {what}, so the match does not begin.", what=_what_of(tx, offer)
    )
    making.tell_people(step, [one.player_id for one in said_yes], told)


def _plan_of(offer: Offer) -> Planned:
    return plan_in(offer.details["planned"])


def plan_in(plan: Mapping[str, Any]) -> Planned:
    """Return a match that is to begin, as a row has it."""
    options = options_for_new_match(plan["options"])
    return Planned(**{**plan, "options": options, "people": tuple(plan["people"])})


KIND = OfferKind(what=_what_of, accept=_accept, ended=_end_others, exclusive=False)
