"""The rows that are in the report of every game, made from the report alone."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import unquote

from msgspec import UNSET, Struct, UnsetType, structs
from msgspec.json import encode

from adjudicator import __version__
from adjudicator.core.game import Proof, Rows, Suggestion
from adjudicator.core.message import Clock, Message, Value, Words, listed, say
from adjudicator.core.report import AnyReport, MadeWith, PressThread
from adjudicator.core.text import Spelling, printable_lines
from adjudicator.core.visible import plain
from adjudicator.reports import rows
from adjudicator.reports import words as vocabulary
from adjudicator.reports.button import Action, Links, action_of, headline
from adjudicator.reports.words import (
    brief,
    hides_names,
    holder_name,
    moment_in_words,
    supported_language,
)

PROOFS = say("Proofs")  # the heading of digests in emails
RULE = "=" * 78  # above each part of a text, as in emails of all versions

# The sentences about draw offers, for each seat that reads them.


def message_for_offer(title: Value, players: int) -> Message:
    """Tell the other seats of an offer: how it is accepted, and how long it stands."""
    if players == 2:
        return say(
            "{seat} offers a draw. Send DRAW to accept. The offer is open until your next orders "
            "are played, or until it is withdrawn.",
            seat=title,
        )
    return say(
        "{seat} offers a draw. Send DRAW to accept; the match is drawn when everyone has "
        "accepted. The offer is open until another player's next orders are played, or until it "
        "is withdrawn.",
        seat=title,
    )


def standing(
    offering: Sequence[str], reader: str, titles: Mapping[str, Value]
) -> Iterator[Message]:
    """Yield what a seat reads of the offers that stand; `titles` are those of all seats in play."""
    if reader in offering:
        yield say(
            "Your draw offer stays open until the others' next orders are played, or until you "
            "send CLEAR."
        )
    for seat in offering:
        if seat != reader and reader in offering:
            yield say("{seat} also offers a draw.", seat=titles[seat])
        elif seat != reader:
            yield message_for_offer(titles[seat], len(titles))


Seats = Mapping[str, str]

_NO_HTML = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}


class ReplyForm(Struct, frozen=True):
    """The way in which orders come back: `link` begins an email with the sheet of the page, and
    `sheet` one with the orders in force or, without them, with room to write some.

    `attached` says that the report is itself an email, to which its page is attached; `picture` is
    the Content-ID of its board. `first` says that it is the first email to its reader. `page` is
    where his own page is, and `built` of when that is, if this report is newer. `on_site` says that
    it is a page of the club's site, which shows nothing that its seat has sent for the open turn.
    `footer` are lines about the club, for the end of an email.
    `tips` says that its reader gets some. `example` begins an email with orders that are legal
    now, `links` are those of an email's button and beside it. `receipts` confirm orders of which
    the report tells, and `proofs` are their digests. `press` is what its reader wrote to others
    and got from them. `value_file` is the attachment that proves what its email says.
    `watched` are the lines of a page for people who have no seat. `rematch` begins an email that
    asks for one. `rating` is the reader's before and after a match that has ended, and `version`
    that of the adjud that writes it.
    """

    link: str | None = None
    attached: bool = False
    sheet: str | None = None
    picture: str | None = None
    first: bool = False
    page: str | None = None
    built: str | None = None
    on_site: bool = False
    footer: Sequence[str] = ()
    tips: bool = False
    example: str | None = None
    links: Links = Links()
    receipts: tuple[str, ...] = ()
    proofs: tuple[str, ...] = ()
    press: tuple[PressThread, ...] = ()
    value_file: str = ""
    watched: tuple[str, ...] = ()
    rematch: str | None = None
    rating: tuple[int, int] | None = None
    version: str = __version__


class FirstPart(Struct, frozen=True):
    """A part of what the first email to a reader says. Each of `lines` is a paragraph, as
    ("", text), or the row of a table."""

    heading: str
    lines: Sequence[tuple[str, str]]


class Frame(Struct, frozen=True, kw_only=True):
    """The rows that every game's report has, as `frame` makes them and templates print them. `due`
    and `waits` are what the line of head says of the deadline or, to a seat that is not to move, of
    the others; a page counts its age from `counts_from`, and the time that is left to `counts_to`;
    `offer` names a player whose draw offer waits for an answer; `example_lines` is what `example`
    sends."""

    language: str
    match: str
    turn: str
    seat: str
    players: Sequence[tuple[str, str, bool]]
    over: bool
    yours: bool
    awaited: str | None
    deadline: str | None
    no_deadline: str
    reserve: Sequence[str]
    counts_from: str | None
    counts_to: str | None
    offers: Sequence[str]
    times: Sequence[str]
    orders: tuple[str, Sequence[str]] | None
    advance: Sequence[tuple[str, Sequence[str]]]
    judged: Sequence[str]
    commitments: Sequence[tuple[str, str, Sequence[str]]]
    keys: Mapping[str, str]
    by_telephone: tuple[int, str] | None
    value_file: str
    epoch: str
    notices: Sequence[tuple[str, Sequence[str]]]
    log: Sequence[str]
    setting: str
    record: Sequence[str]
    template: Sequence[str]
    mailto: str | None
    sheet: str | None
    attached: bool
    picture: str | None
    first: Sequence[FirstPart]
    example: str | None
    headline: str
    action: Action[str]
    chance: Sequence[str]
    page: str | None
    built: str | None
    footer: Sequence[str]
    tip: str | None
    receipts: Sequence[Sequence[tuple[str, str]]]
    proofs: Sequence[str]
    press: Sequence[rows.ThreadRows]
    press_hint: str | None
    watched: Sequence[str]
    own: str
    made: str
    due: str
    waits: str
    rematch: str | None
    rating: str | None
    example_lines: str
    offer: str


def frame(
    report: AnyReport,
    page: Rows,
    words: Words,
    language: str,
    zone: str,
    proof: Proof[Any, Any],
    reply: ReplyForm | None = None,
    first: Sequence[FirstPart] = (),
    tip: Message | None = None,
    suggestion: Suggestion | None = None,
) -> Frame:
    """Return the rows that every game's report has.

    `page` has the titles of the seats as the reader says them, and writes order lines in his words;
    `proof` says what the game commits to; `first` is what a first email says,
    `tip` is one for a player who is new to the game, `suggestion` are orders for him.
    """
    seats = {seat: page.seats[seat] for seat in report.players if seat in page.seats}
    spelled = page.spelling
    deadline = report.deadline
    on_site = reply is not None and reply.on_site
    clock = partial(moment_in_words, language=language, zone=zone)
    tell = vocabulary.words(language, report.game, zone)  # for moments inside of messages
    awaited = words(_awaited_seats(report, seats, on_site=on_site)) if report.awaited else None
    page_at, attached = (reply.page, reply.attached) if reply else (None, False)
    due = vocabulary.short(deadline, language, zone) if deadline else ""
    links = (reply or ReplyForm()).links
    counts_from = None if reply and reply.watched else _made_at(report)
    return Frame(
        language=language,
        match=report.match,
        turn=words(_turn(report)),
        seat=seats.get(report.seat, ""),
        players=[
            (
                title,
                holder_name(report, seat, words),
                seat == report.seat,
            )
            for seat, title in seats.items()
        ],
        over=report.phase == "over",
        yours=report.seat in report.awaited and not report.orders,
        awaited=awaited,
        deadline=moment_in_words(deadline, language, zone) if deadline else None,
        no_deadline=words(_no_deadline(report, seats)),
        reserve=[words(told) for told in _reserve(report, seats, clock)],
        counts_from=counts_from,
        counts_to=deadline if counts_from else None,
        offers=[words(message) for message in _offers(report, seats)],
        times=[words(told) for told in (*_times(report, clock), *_left_out(report, on_site))],
        orders=_orders(report, spelled, words),
        advance=_advance(report, spelled, words),
        judged=[tell(message) for message in _advance_results(report)],
        commitments=list(rows.commitments(report, page, words, proof)),
        keys={} if report.phase == "over" else rows.keys_of(report),
        by_telephone=rows.by_telephone(report),
        value_file=reply.value_file if reply else "",
        epoch=report.epoch or "",
        notices=[
            (moment_in_words(notice.at, language, zone), printable_lines(notice.in_words(tell)))
            for notice in report.notices
        ],
        log=list(_log(report)),
        setting=encode(_setting(report)).decode(),
        record=printable_lines(report.record) if report.record else [],
        template=spelled.all(report.template),
        mailto=reply.link if reply else None,
        sheet=reply.sheet if reply else None,
        attached=attached,
        picture=reply.picture if reply else None,
        first=first,
        example=reply.example if reply else None,
        headline=headline(report, due, awaited, words),
        action=action_of(
            report, links, suggestion, spelled=spelled, page=page_at, attached=attached, due=due
        ).in_words(words),
        chance=list(map(words, rows.of_chance(report, first=bool(first)))),
        page=page_at,
        built=moment_in_words(reply.built, language, zone) if reply and reply.built else None,
        receipts=[[*map(_indented, text.splitlines())] for text in reply.receipts] if reply else [],
        proofs=[
            *(line for one in (reply.proofs if reply else ()) for line in one.splitlines()),
            *(
                line
                for told, digest in rows.used_in_advance(report)
                for line in (words(told), f"  {digest}")
            ),
            *rows.orders_played(report, reply.proofs if reply else (), words, clock),
        ],
        press=rows.press_rows(reply.press if reply else (), report.seat, seats, words, clock),
        watched=reply.watched if reply else (),
        press_hint=rows.press_hint(reply.press if reply else (), words),
        own=_line({"own": plain(report.own)}) if report.own is not UNSET else "",
        made=_proof_line(report, language, zone, reply),
        footer=reply.footer if reply else (),
        tip=words(tip) if tip else None,
        due=_due(report, language, zone),
        waits=reply.watched[0] if reply and reply.watched else _waits(report, seats, words),
        rematch=reply.rematch if reply else None,
        rating=words(_rating(page.title, *reply.rating)) if reply and reply.rating else None,
        offer=next(_offered_to(report, seats, words), ""),
        example_lines=_lines_sent(reply.example) if reply and reply.example else "",
    )


def print_inputs(
    report: AnyReport, language: str, zone: str, reply: ReplyForm | None
) -> MadeWith | UnsetType:
    """Return what a report is printed with, so that its reader can print it again."""
    made = report.made
    if made is UNSET:
        return UNSET
    reply = reply or ReplyForm()
    told, now = (made.language, made.zone), (supported_language(language), zone)
    return structs.replace(
        made,
        worded=told if UNSET not in told and told != now else UNSET,
        adjud=reply.version,
        stored=made.adjud if made.adjud != reply.version else UNSET,
        tenure=report.tenure,
        orders=report.orders.revision if report.orders else UNSET,
        deadline=report.deadline or UNSET,
        until=report.reserve_until,
        language=supported_language(language),
        zone=zone,
        as_of=report.as_of,
        first=reply.first or UNSET,
        tips=reply.tips or UNSET,
        attached=reply.attached or UNSET,
        linked=bool(reply.page) or UNSET,
        built=reply.built or UNSET,
        picture=bool(reply.picture) or UNSET,
        site=reply.on_site or UNSET,
        link=bool(reply.link) or UNSET,
        example=bool(reply.example) or UNSET,
        ways=reply.links.named or UNSET,
        rating=reply.rating or UNSET,
    )


def _proof_line(report: AnyReport, language: str, zone: str, reply: ReplyForm | None) -> str:
    """Write the same as one line without blanks, so that no mail program breaks it there."""
    made = print_inputs(report, language, zone, reply)
    if made is UNSET:
        return ""
    return _line({"made": dict(sorted(plain(made).items()))})


def _line(value: Mapping[str, Any]) -> str:
    return encode(value).decode().replace(" ", "\\u0020")


def _indented(line: str) -> tuple[str, str]:
    """Return how far a line is set in, and the line."""
    bare = line.strip()
    return line[: len(line) - len(line.lstrip())] if bare else "", bare


def _rating(game: str, before: int, after: int) -> Message:
    change = f"{after - before:+d}" if after != before else "±0"
    return say("Your rating in {game}: {rating} ({change})", game=game, rating=after, change=change)


def _no_deadline(report: AnyReport, seats: Seats) -> Message:
    """Say why a report has no deadline: where a seat is open that which was agreed does not run."""
    agreed = report.options.get("deadline", "none") != "none" and not hides_names(report)
    if agreed and not all(report.players.get(seat) for seat in seats):
        return say("There is no deadline until all seats are filled.")
    return say("There is no deadline.")


def _made_at(report: AnyReport) -> str | None:
    """Return the moment from which a page counts.

    A page of a match that has ended does not grow old, and reports of version 0.1 do not know their
    age.
    """
    made = report.as_of or report.adjudicated
    return None if report.phase == "over" else made or None


def _times(report: AnyReport, clock: Clock) -> Iterator[Message]:
    """Yield when the ply was adjudicated and, on a live page, what time it is now.

    Reports of version 0.1 do not know when.
    """
    if adjudicated := report.adjudicated:
        told = clock(adjudicated)
        yield (
            say("Played: {moment}", moment=told)
            if report.ply
            else say("Match opened: {moment}", moment=told)
        )
    if now := report.as_of:
        yield say("Updated: {moment}", moment=clock(now))


def _left_out(report: AnyReport, on_site: bool) -> Iterator[Message]:
    if on_site and report.phase != "over":
        yield say(
            "This page shows the position after the last turn. What you have sent since then is "
            "in the replies to your emails."
        )


def _turn(report: AnyReport) -> Message:
    if report.phase == "setup":
        return say("Set-up, turn {turn}", turn=report.turn)
    if report.phase == "over":
        return say("The end, turn {turn}", turn=report.turn)
    return say("Turn {turn}", turn=report.turn)


def _awaited_seats(report: AnyReport, seats: Seats, *, on_site: bool) -> Message:
    """Name all awaited seats, whether or not the others have sent: nobody may learn that. On the
    site it is not said whether this one has."""
    awaited = report.awaited
    names = ", ".join(title for seat, title in seats.items() if seat in awaited)
    if report.seat not in awaited:
        return say("Waiting for {seats}.", seats=names)
    if on_site and len(awaited) == 1:
        return say("It is your turn.")
    if on_site:
        return say("It's your turn. Everyone is to move: {seats}.", seats=names)
    if orders := report.orders:
        return say(
            "Your orders are in (version {revision}). You can still change them.",
            revision=orders.revision,
        )
    if len(awaited) == 1:
        return say("It's your turn.")
    return say("It's your turn. Everyone is to move: {seats}.", seats=names)


def _offers(report: AnyReport, seats: Seats) -> Iterator[Message]:
    """Yield the offers of a draw that stand.

    A report of an older program has one at most, and may have it even after the match has ended.
    """
    if report.phase == "over":
        return iter(())
    named = {seat: _person(report, seat, title) for seat, title in seats.items()}
    return standing(_offering(report), report.seat, named)


def _offering(report: AnyReport) -> Sequence[str]:
    first = report.draw_offer
    return ([first] if first else []) if report.draw_offers is UNSET else report.draw_offers


def _offered_to(report: AnyReport, seats: Seats, words: Words) -> Iterator[str]:
    """Yield who offers a draw that the reader has not offered, too."""
    offering = () if report.phase == "over" else _offering(report)
    for seat in () if report.seat in offering else offering:
        yield words(say("{seat} offers a draw.", seat=_person(report, seat, seats[seat])))


def _person(report: AnyReport, seat: str, title: str) -> Value:
    """Name who plays a seat, as in "Anna (White)"."""
    name = "" if hides_names(report) else report.players.get(seat)
    return say("{name} ({seat})", name=name, seat=title) if name else title


def _orders(report: AnyReport, spelled: Spelling, words: Words) -> tuple[str, list[str]] | None:
    """Return a heading and the lines in force; None if there are none."""
    orders = report.orders
    if orders is None:
        return None
    title = words(say("Your current orders, version {revision}", revision=orders.revision))
    return title, [spelled(line) for order in orders.lines for line in order.split("\n")]


def _advance(report: AnyReport, spelled: Spelling, words: Words) -> list[tuple[str, list[str]]]:
    """Return a heading and the lines of each sheet that is kept for a later turn."""
    if report.advance is UNSET:
        return []
    return [
        (words(say("Turn {turn}", turn=one.turn)), [spelled(line) for line in one.lines])
        for one in report.advance
    ]


def _advance_results(report: AnyReport) -> Iterator[Message]:
    """Say which lines of sheets in advance were used, and why others were not."""
    for used in () if report.used is UNSET else report.used:
        yield say(
            "Turn {turn}, line {line}, was used: {text}",
            turn=used.turn,
            line=used.line,
            text=used.text,
        )
    for one in () if report.dropped is UNSET else report.dropped:
        if one.line:
            yield say(
                "Turn {turn}, line {line}, was not used: {text}: {why}",
                turn=one.turn,
                line=one.line,
                text=one.text.strip(),
                why=one.why,
            )
        else:
            yield say("Turn {turn}: {why}", turn=one.turn, why=one.why)


def _setting(report: AnyReport) -> Mapping[str, Any]:
    """Return what was agreed, with which the log can be played again."""
    return {
        "game": report.game,
        "variant": report.variant,
        "options": report.options,
        "seats": list(report.players),
        "board": (report.log.board or "") if report.log else "",
    }


def _log(report: AnyReport) -> Iterator[str]:
    """Yield the opened lines of the log. They have no signs of HTML, unless somebody spoiled
    them."""
    if report.log and report.log.lines is not None:
        for line in report.log.lines:
            yield line.translate(_NO_HTML)


def _due(report: AnyReport, language: str, zone: str) -> str:
    """Write the deadline of a seat that is to move; empty if there is none."""
    since = report.as_of or report.adjudicated
    if report.deadline is None or report.seat not in report.awaited or not since:
        return ""
    return brief(report.deadline, since, language, zone)


def _waits(report: AnyReport, seats: Mapping[str, str], words: Words) -> str:
    """Name the seats that are to move, to one that is not; empty to one that is."""
    names = ", ".join(title for seat, title in seats.items() if seat in report.awaited)
    if not names or report.seat in report.awaited:
        return ""
    return words(say("waiting for {seats}", seats=names))


def _lines_sent(link: str) -> str:
    """Return what a link sends of a sheet of orders, without its first and its last line."""
    lines = [line for line in unquote(link.partition("&body=")[2]).splitlines() if line]
    return ", ".join(lines[1:-1])


def _reserve(report: AnyReport, seats: Mapping[str, str], clock: Clock) -> Iterator[Message]:
    """Yield until when the reader has time with his reserve, and what all reserves hold."""
    if report.reserve_until is not UNSET:
        yield say("With your reserve, you have until {when}.", when=clock(report.reserve_until))
    if report.bank is not UNSET:
        held = (
            say("{seat} {time}", seat=title, time=_span(report.bank[seat]))
            for seat, title in seats.items()
            if seat in report.bank
        )
        yield say("Reserve: {seats}", seats=listed(held))


def _span(seconds: int) -> Message:
    """Write a time in its two longest units, rounded down: `9 d 21 h`.

    >>> str(_span(853200)), str(_span(1860)), str(_span(86400))
    ('9 d 21 h', '31 min', '1 d')
    """
    minutes = seconds // 60
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    if days:
        return say("{d} d {h} h", d=days, h=hours) if hours else say("{d} d", d=days)
    if hours:
        return say("{h} h {m} min", h=hours, m=minutes) if minutes else say("{h} h", h=hours)
    return say("{m} min", m=minutes)
