"""Check what the database knows: whether it is sound, the clock, ticks, emails, hooks."""

import os
import shutil
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from importlib.util import find_spec

from adjudicator.core import public_chance
from adjudicator.core.beacon import NoLibrary
from adjudicator.core.message import count, say
from adjudicator.games import GAMES
from adjudicator.mail.address import MailDomain, read_address
from adjudicator.service.base import context
from adjudicator.service.base.calendar import in_zone
from adjudicator.service.base.context import Paths, Refusal
from adjudicator.service.base.deadlines import end_of_search, own_end
from adjudicator.service.base.loaded_match import Unreadable, load
from adjudicator.service.base.options import terms
from adjudicator.service.base.public_number import chance_option, number_due
from adjudicator.service.club import people
from adjudicator.service.club import unknown_choices as club_choices
from adjudicator.service.inbound import codes, public_email
from adjudicator.service.matches import append_ply, doubt, outage
from adjudicator.service.ops import erased
from adjudicator.service.ops.doctor.checking import Finding, Installation, bad, unknown, warn, well
from adjudicator.store import (
    clubs,
    happenings,
    ladders,
    listings,
    matches,
    pending,
    players,
    rows,
    tournaments,
    upkeep,
)
from adjudicator.store.database import Tx
from adjudicator.store.guests import Guest
from adjudicator.store.upkeep import DueMatch

_SOON = timedelta(hours=1)  # a tick should have come by then
_HOURS = timedelta(hours=2)  # a server that greylists takes an email before they are over
_LONG = timedelta(days=1)  # for an email to wait
_UNCONFIRMED = timedelta(days=2)  # an address, or a JOIN
_LATELY = timedelta(days=7)
_FEW = 5  # names of matches


def database(installation: Installation) -> Iterator[Finding]:
    """Check that the database can be opened and that its schema is up to date."""
    assert installation.store
    with installation.store.reading() as tx:
        missing = upkeep.lacking_columns(tx)
    if missing:
        yield bad(
            say(
                "the database lacks {missing}, which its version should have; restore a backup "
                "from before `adjud db upgrade`, with the adjud of that time",
                missing=missing,
            )
        )
    else:
        yield well(say("database: opened, its schema is up to date"))


def writing(installation: Installation) -> Iterator[Finding]:
    """Check that this user may write to the database."""
    upkeep.try_to_write(installation.store)
    yield from ()


def soundness(installation: Installation) -> Iterator[Finding]:
    """Let the database check itself, which reads all of it."""
    found = upkeep.faults(installation.store)
    for fault in found:
        yield bad(say("database: {fault}", fault=fault))
    if not found:
        yield well(say("database: sound"))


def clock(installation: Installation) -> Iterator[Finding]:
    """Check that the clock is plausible, and warn while it is in doubt."""
    with installation.store.reading() as tx:
        latest, known = upkeep.latest_ply(tx), clubs.clock_of(tx)
    # If ticks have run since it was set back, nothing more can be done about it.
    ticked = known.last_tick is not None and known.last_tick <= installation.now
    if known.doubt is not None and doubt.is_worth_telling(known.doubt):
        yield warn(
            say(
                "clock: in doubt since a tick at {when}, so nothing is started, ended or deleted "
                "because its time has come; if the clock is right, run `adjud tick --sure`",
                when=in_zone(known.doubt.since, "UTC"),
            )
        )
    elif latest is not None and latest > installation.now + timedelta(minutes=1) and not ticked:
        yield bad(
            say("clock: it is behind the last adjudication; set it right before the next tick")
        )
    else:
        yield well(say("clock: plausible"))


def ticks(installation: Installation) -> Iterator[Finding]:
    """Check that no match has been due for more than an hour."""
    late = installation.now - _SOON
    with installation.store.reading() as tx:
        waiting = due_since(tx, installation.at, installation.now)
    if any(since < late for since in waiting):
        yield bad(
            say("tick: a match has been due for more than an hour; does cron call `adjud tick`?")
        )
    else:
        yield well(say("tick: nothing is overdue"))


def due_since(tx: Tx, at: Paths, now: datetime) -> list[datetime]:
    """Return since when matches have been due for a tick; in a club that sends emails only those
    of which everybody knows it."""
    found = upkeep.due_since(tx, now)
    if at.out == "none":
        return [one.wake_at for one in found]
    since = (_openly_due_since(tx, one) for one in found)
    return [one for one in since if one is not None and one < now]


def _openly_due_since(tx: Tx, match: DueMatch) -> datetime | None:
    """Return since when everybody knows that the match is due: a built-in player is awaited, or the
    time for orders is over. That all orders are in would tell an operator who plays who has
    sent."""
    if match.wake_at <= match.adjudicated_at:
        return match.wake_at
    if match.deadline_at is None:
        return None
    try:
        agreed = terms(match.options)
        if agreed.substitutes and (until := end_of_search(load(tx, match.name))):
            return until
        if agreed.has_reserve:
            return _end_of_reserves(tx, match.name) if agreed.leave != "auto" else None
        return match.deadline_at + agreed.grace
    except (Refusal, Unreadable):
        return None  # the match cannot be read


def _end_of_reserves(tx: Tx, name: str) -> datetime | None:
    """Return when the own time of all who are to move has ended, whoever has sent. Of days of
    absence that are spent for silence nobody else may know."""
    loaded = load(tx, name)
    ends = (own_end(loaded, seat, known=loaded.since) for seat in loaded.awaited)
    return max((one for one in ends if one is not None), default=None)


def due_emails(installation: Installation) -> Iterator[Finding]:
    """Check that no email waits for long to be sent."""
    with installation.store.reading() as tx:
        created = listings.oldest_waiting(tx, installation.now)
        due = listings.longest_due(tx)
    if due is not None and installation.now - due > _SOON:
        yield bad(
            say("emails: some have been due for more than an hour; does cron call `adjud tick`?")
        )
    elif created is not None and installation.now - created > _LONG:
        yield bad(say("emails: some have waited for more than a day; does outgoing mail work?"))


def refused_emails(installation: Installation) -> Iterator[Finding]:
    """Find emails that a server has refused for hours."""
    with installation.store.reading() as tx:
        found = listings.put_off(tx, installation.now - _HOURS)
    if found is not None:
        hours = (installation.now - found.since) // timedelta(hours=1)
        yield bad(
            count(
                "emails: {n} has been refused for {hours} hours: {reason}",
                "emails: {n} have been refused for {hours} hours: {reason}",
                found.n,
                hours=hours,
                reason=found.reason,
            )
        )


def unanswered_emails(installation: Installation) -> Iterator[Finding]:
    """Find whether the public address has given all replies that it may in a day."""
    with installation.store.reading() as tx:
        enough = public_email.has_answered_enough(tx, installation.now)
    if enough:
        yield bad(
            say(
                "emails: {n} replies have been sent from the club's public address within a day, "
                "and no more will be. Anyone who writes there for help or a seat now gets no "
                "reply. Look in the mail server's log for who writes so much, and let the server "
                "refuse them",
                n=public_email.A_DAY_IN_ALL,
            )
        )


def restore(installation: Installation) -> Iterator[Finding]:
    """Find the matches whose players may have been told of plies that a restored backup has not,
    until a tick has told them that it was restored; and the tournaments and ladders that may have
    gone further, until a tick pairs them again."""
    with installation.store.reading() as tx:
        found, untold, last_tick = (
            clubs.last_restore(tx),
            clubs.restores_to_tell(tx),
            clubs.last_tick(tx),
        )
        cups = [*tournaments.going(tx), *ladders.open_names(tx)]
    if found is None:
        return
    saved, restored = found
    state = unknown if restored - saved <= _SOON else bad
    when = in_zone(saved, "UTC")
    if untold:
        told = say(
            "restore: the backup of {saved} was restored, and the players do not know it yet; the "
            "next tick informs those of {matches}",
            saved=when,
            matches=_some([one.match for one in untold]),
        )
        yield state(told)
    if cups and (untold or last_tick is None or last_tick <= restored):
        told = say(
            "restore: what happened since {saved} in {names} is gone: entries, results, challenges "
            "and decisions. The next tick pairs rounds that are due again, from the same lots, "
            "with new matches",
            saved=when,
            names=_some(cups),
        )
        yield state(told)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_FEW]) + (", …" if len(names) > _FEW else "")


def erased_players(installation: Installation) -> Iterator[Finding]:
    """Find the players who were erased and are there again, and those of whom something is left."""
    try:
        listed = erased.read(installation.at.key)
    except Refusal as refusal:
        yield bad(refusal.messages[0])
        return
    with installation.store.reading() as tx:
        yield from map(bad, erased.faults(tx, listed))


def unread_matches(installation: Installation) -> Iterator[Finding]:
    """Read every match, and the logs of those that are not over."""
    with installation.store.reading() as tx:
        found = [*outage.unreadable(tx, every=True)]
    for fault in found:
        yield bad(fault.message)
    if not found:
        yield well(say("matches: all can be read"))


def unknown_choices(installation: Installation) -> Iterator[Finding]:
    """Name the time zones and languages of players and matches that are not known here, and the
    tournaments and ladders that cannot be read."""
    with installation.store.reading() as tx:
        found = [told for _, told in club_choices.find_unknown(tx)]
        found += [told for told in club_choices.messages_for_doctor(tx) if told not in found]
    for told in found:
        yield bad(told)
    if not found:
        yield well(say("choices: all time zones and languages are known"))


def unconfirmed_addresses(installation: Installation) -> Iterator[Finding]:
    """Name the players of running matches who have long not confirmed their addresses, and the
    seats from which nothing came but what was never confirmed."""
    if installation.at.out == "none":
        return
    before = installation.now - _UNCONFIRMED
    for one in people.unconfirmed_addresses(installation.store):
        since = datetime.fromisoformat(one["since"])
        if since <= before:
            yield bad(
                say(
                    "addresses: that of {player}, who plays in {matches}, has not been confirmed "
                    "since {when}; no report is sent there. Run `adjud player set NAME "
                    "--confirmed` if you know that it is right",
                    player=one["player"],
                    matches=", ".join(one["matches"]),
                    when=in_zone(since, "UTC"),
                )
            )
    with installation.store.reading() as tx:
        asked = players.unconfirmed_joinings(tx, installation.now - codes.VALID, before)
        unheard = [one for one in pending.unheard(tx) if one.plies >= append_ply.UNHEARD]
    for request in asked[:_FEW]:
        yield unknown(
            say(
                "addresses: {address} asked for a seat in {match} by JOIN and has not confirmed it",
                address=request.address,
                match=request.match,
            )
        )
    for seat in unheard:
        yield bad(
            say(
                "emails: those for {seat} in {match} needed confirmation in {n} turns since its "
                "last orders, and none was confirmed",
                seat=seat.seat,
                match=seat.match,
                n=seat.plies,
            )
        )


def public_numbers(installation: Installation) -> Iterator[Finding]:
    """Find the matches and tournaments whose public number should have been entered, and what is
    lacking for it."""
    with installation.store.reading() as tx:
        waiting = matches.waiting_for_number(tx)
        cups = tournaments.waiting_for_number(tx)
    for cup in cups:
        due = public_chance.publication_time(cup.which)
        if due is not None and due < installation.now - _SOON:
            yield bad(
                say(
                    "chance: {name} has waited for its public number since {when}; `adjud "
                    "tournament value` enters it",
                    name=cup.name,
                    when=in_zone(due, "UTC"),
                )
            )
    for match in waiting:
        due = number_due(match)
        if due is not None and due < installation.now - _SOON:
            yield bad(
                say(
                    "chance: {match} has waited for its public number since {when}; `adjud gm "
                    "value` enters it",
                    match=match.name,
                    when=in_zone(due, "UTC"),
                )
            )
    of_drand = [one.name for one in waiting if chance_option(one) == public_chance.DRAND]
    of_drand += [one.name for one in cups if one.chance == public_chance.DRAND]
    if of_drand and find_spec("py_ecc") is None:  # to import it would take long
        yield bad(say("chance: {match}: {why}", match=of_drand[0], why=NoLibrary.message))


def changed_packages(installation: Installation) -> Iterator[Finding]:
    """Name the matches that will go on with another version of their game than they were played
    with."""
    with installation.store.reading() as tx:
        going = listings.packages_of_going(tx)
    changed: dict[tuple[str, str], list[str]] = {}
    for name, game, before in going:
        if (now := GAMES.package(game)) not in ("", before):
            changed.setdefault((before, now), []).append(name)
    for (before, now), names in changed.items():
        told = count(
            "{n} match was last played with {before} and continues with {now}: {matches}",
            "{n} matches were last played with {before} and continue with {now}: {matches}",
            len(names),
            before=before,
            now=now,
            matches=", ".join([*names[:_FEW], *("…" for _ in names[_FEW : _FEW + 1])]),
        )
        yield warn(told)


def operator(installation: Installation) -> Iterator[Finding]:
    """Check that alerts have an address to go to."""
    at = installation.at
    if at.operator:
        yield well(say("operator: alerts go to {address}", address=at.operator))
    elif at.out != "none":
        yield bad(
            say(
                "operator: no address is set, so nobody hears about a match that needs you; set "
                "operator"
            )
        )


def contact(installation: Installation) -> Iterator[Finding]:
    """Say to whom questions of players are passed on; not to an address of the club's own, which
    would read them as emails to itself."""
    at = installation.at
    to = at.contact or at.operator
    if not to or not at.domain:
        return
    ours = MailDomain(domain=at.domain, user=at.user, delimiter=at.delimiter, keys=())
    if read_address(ours, to) is not None:
        told = say(
            "club: questions of players would go to {address}, which is an address of the club's "
            "own; set club.contact to the game master's",
            address=to,
        )
        yield bad(told)
    elif at.contact:
        yield well(say("club: questions of players go to {address}", address=to))


def wishes(installation: Installation) -> Iterator[Finding]:
    """Say how the operator is asked whether the club may write to people who are not members,
    and how many such wishes wait."""
    at = installation.at
    if not at.writes_outside:
        return
    if not at.operator:
        yield bad(
            say(
                "wishes: nobody is asked whether the club may write to friends of players, because "
                "the operator has no address; set operator"
            )
        )
        return
    with installation.store.reading() as tx:
        n = len(rows.find(tx, Guest, status="wished"))
    if n:
        told = count(
            "wishes: {n} player asks whether the club may write to a friend; see `adjud player "
            "guest`",
            "wishes: {n} players ask whether the club may write to a friend; see `adjud player "
            "guest`",
            n,
        )
        yield well(told)
    elif at.authserv_id:
        yield well(say("wishes: the operator is asked by email, and can reply"))
    else:
        yield well(
            say(
                "wishes: the operator is asked by email, and answers with `adjud player guest`; "
                "with mail.authserv_id a reply would do"
            )
        )


def stuck_emails(installation: Installation) -> Iterator[Finding]:
    """Find emails that are stuck, in or out."""
    with installation.store.reading() as tx:
        stuck = listings.outgoing_counts(tx).get("stuck", 0) + listings.failed_emails(tx).get(
            "stuck", 0
        )
    if stuck:
        yield bad(say("emails: {n} stuck; see `adjud mail queue list --status stuck`", n=stuck))
    else:
        yield well(say("emails: none are stuck"))


def faults(installation: Installation) -> Iterator[Finding]:
    """Count the kinds of faults inside adjud of late; what they stopped may be a match's secret."""
    with installation.store.reading() as tx:
        number = upkeep.number_of_job_faults(tx, installation.now - _LATELY)
    if number:
        yield warn(
            count(
                "faults: {n} kind of error inside adjud stopped a part of its work in the last "
                "{days} days; ADJUD_DEBUG=1 shows where, and may show what only players may know",
                "faults: {n} kinds of error inside adjud stopped a part of its work in the last "
                "{days} days; ADJUD_DEBUG=1 shows where, and may show what only players may know",
                number,
                days=_LATELY.days,
            )
        )
    else:
        yield well(
            say(
                "faults: none has stopped a part of the work in the last {days} days",
                days=_LATELY.days,
            )
        )


def domain(installation: Installation) -> Iterator[Finding]:
    """Check that the domain of emails is the one that the club has had."""
    with installation.store.reading() as tx:
        known = clubs.domain(tx)
    if stranger := context.domain_fault(known, installation.at.domain):
        yield bad(stranger)


def events(installation: Installation) -> Iterator[Finding]:
    """Check that the hooks can be called, and find events that they have not got."""
    at = installation.at
    with installation.store.reading() as tx:
        found = happenings.count_waiting(tx)
    if at.hooks_file is None and not at.hooks_command:
        return
    if at.hooks_file is not None:
        place = at.hooks_file if at.hooks_file.exists() else at.hooks_file.parent
        if not os.access(place, os.W_OK) or at.hooks_file.is_dir():
            yield bad(say("hooks: {path} cannot be written", path=str(at.hooks_file)))
    if at.hooks_command and shutil.which(at.hooks_command[0]) is None:
        yield bad(say("hooks: the command {name} cannot be run", name=at.hooks_command[0]))
    if found.given_up:
        yield bad(
            count(
                "hooks: {n} event was given up after {most} tries: {why}",
                "hooks: {n} events were given up after {most} tries each: {why}",
                found.given_up,
                most=happenings.MOST_TRIES,
                why=found.reason,
            )
        )
    elif found.waiting and found.reason:
        yield bad(
            count(
                "hooks: {n} event waits, because the command failed: {why}",
                "hooks: {n} events wait, because the command failed: {why}",
                found.waiting,
                why=found.reason,
            )
        )
    else:
        yield well(say("hooks: all events so far were handed over, or wait for the next tick"))
