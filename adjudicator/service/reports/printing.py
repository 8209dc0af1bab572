"""Reports as players get them: the live one, an old one as it was sent, all of a match."""

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct
from msgspec.json import decode, encode, format
from msgspec.structs import replace

from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.report import AnyReport, Span, flat_in_words
from adjudicator.core.visible import plain
from adjudicator.service.base import looks
from adjudicator.service.base.calendar import in_zone, rfc3339
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.loaded_match import Loaded, load, load_with_position, seat_of
from adjudicator.service.reports import building
from adjudicator.service.reports.building import file_name, threads_of, wants_tips
from adjudicator.service.reports.standing import first_tenure, looking_back
from adjudicator.store import matches, turns
from adjudicator.store.database import Store, Tx
from adjudicator.store.matches import Holder, Match
from adjudicator.store.turns import StoredReport

if TYPE_CHECKING:
    from adjudicator.mail.address import MailDomain
    from adjudicator.reports.frame import ReplyForm
    from adjudicator.service.emails.value import Beside, ClubLines


SUFFIXES = {"text": "txt", "html": "html", "json": "json"}
WHOLE = (*SUFFIXES, "value")  # forms that have all of a report
_RENDERED = {**SUFFIXES, "svg": "svg", "letter": "letter"}


News = tuple[Any, ...]


class Printable(Struct, frozen=True):
    """One seat's report with all that it is printed with. `letters` are the ids of emails that
    will never go out and whose words stand in it. An email with it would have the `acts` that it
    tells, and be answered at `address`."""

    report: AnyReport
    language: str
    zone: str
    past: Sequence[Any] = ()
    reply: "ReplyForm | None" = None
    letters: Sequence[int] = ()
    acts: tuple[int, ...] = ()
    address: str | None = None

    @property
    def file_name(self) -> str:
        """Match, seat and turn: nothing that a list of files could tell beyond that."""
        return file_name(self.report.match, self.report.seat, self.report.turn)

    @property
    def body(self) -> dict[str, Any]:
        """As the interface has it."""
        from adjudicator.games import GAMES
        from adjudicator.reports.frame import print_inputs
        from adjudicator.reports.words import words

        report = self.report
        made = print_inputs(report, self.language, self.zone, self.reply)
        tell = words(self.language, report.game, self.zone)
        key = GAMES[report.game].record.key
        told = flat_in_words(replace(report, made=made), tell, key)
        if self.reply is None or not self.reply.press:
            return told
        return {**told, "press": [plain(one) for one in self.reply.press]}


def live(
    store: Store,
    name: str,
    word: str,
    *,
    now: datetime,
    post: "MailDomain | None" = None,
    noting: bool = False,
) -> Printable:
    """Return what the seat may see now, with what is told once only.

    Call `note_delivery` when it was printed. With `post` a page links to an email with its orders.
    With `noting` the look is noted for all players; so it is below.
    """
    with store.transaction() as tx:
        loaded = load_with_position(tx, name)
        seat = _seat(loaded, word)
        if noting:
            looks.at_seats(tx, loaded, [seat], now)
        return _live(tx, loaded, seat, now, post)


def sent_report(
    store: Store, name: str, word: str, turn: int, *, now: datetime, noting: bool = False
) -> Printable:
    """Return the seat's last report of a turn as it was sent, without what is told once only."""
    with store.transaction() as tx:
        loaded = load_with_position(tx, name)
        seat = _seat(loaded, word)
        if noting:
            looks.at_seats(tx, loaded, [seat], now)
        stored = of_turn(tx, loaded, seat, turn)
        if stored is None and loaded.match.archived_at is not None:
            raise Refusal(message_for_archived(loaded.match))
        if stored is None and turn <= loaded.match.turn:
            raise Refusal(say("There is no report for turn {turn}.", turn=turn))
        if stored is None:
            raise Refusal(
                say(
                    "{match} has no turn {turn} yet; the last is {last}",
                    match=loaded.match.name,
                    turn=turn,
                    last=loaded.match.turn,
                )
            )
        turns.mark_shown(tx, loaded.match.id, stored.ply, seat, now)
        return _report(tx, loaded, seat, old_report(loaded, stored), as_of=stored.ply)


def message_for_archived(match: Match) -> Message:
    """Say that a match was archived."""
    assert match.archived_at is not None
    return say(
        "{match} was archived on {when}; its old reports are no longer in the database",
        match=match.name,
        when=in_zone(match.archived_at, "UTC"),
    )


def of_turn(tx: Tx, loaded: Loaded, seat: Seat, turn: int) -> StoredReport | None:
    """Return the seat's last report of a turn that its holder may read again.

    If a game tells a new holder nothing of before, those are his own reports and the present one.
    """
    stored = turns.last_report_of_turn(tx, loaded.match.id, seat, turn)
    if stored is None or stored.ply == loaded.match.ply or loaded.game.rules.outcome(loaded.state):
        return stored
    return stored if stored.tenure >= first_tenure(loaded, seat) else None


def old_report(loaded: Loaded, stored: StoredReport) -> AnyReport:
    """Return an old report as its seat may read it again."""
    report = building.read(loaded.game, stored.body)
    same_holder = stored.tenure == loaded.holders[stored.seat].tenure
    if not same_holder:
        report = building.for_successor(loaded.game, report)
    if loaded.game.rules.outcome(loaded.state):
        return report
    if stored.ply < loaded.match.ply:
        return again(loaded.game, report)
    return report if same_holder else building.forgetful(loaded.game, report)


def again(game: AnyGame, report: AnyReport) -> AnyReport:
    """Return an old report as it may be read again."""
    made = report.made
    if made is not UNSET:
        made = replace(made, again=True)
    return replace(game.sight.lasting(report), made=made)


def stored_report(loaded: Loaded, stored: StoredReport) -> Printable:
    """Return an old report of a match that is over, for its values and not for a page."""
    from adjudicator.reports.frame import ReplyForm

    holder, report = loaded.holders[stored.seat], old_report(loaded, stored)
    return Printable(report, holder.language, holder.zone, reply=ReplyForm())


def newest(
    store: Store,
    name: str,
    *,
    now: datetime,
    post: "MailDomain | None" = None,
    noting: bool = False,
) -> list[Printable]:
    """Return every seat's report, as `live` does; none of a match that has no position yet."""
    with store.transaction() as tx:
        loaded = load(tx, name)
        if not loaded.is_opened:
            return []
        if noting:
            looks.at_seats(tx, loaded, loaded.seats, now)
        return [_live(tx, loaded, seat, now, post) for seat in loaded.seats]


def reports_of_all_seats(store: Store, name: str, *, now: datetime) -> list[Printable]:
    """Return every seat's report of a match that is over without the record: its page looks back on
    what the seat saw then, and not on what the end has opened."""
    with store.transaction() as tx:
        loaded = load_with_position(tx, name)
        return [
            _report(tx, loaded, seat, replace(present(tx, loaded, seat, now), record=None))
            for seat in loaded.seats
        ]


def for_site(
    tx: Tx, loaded: Loaded, *, now: datetime, post: "MailDomain | None" = None
) -> list[Printable]:
    """Return the report of every seat that a person holds, for the club's site: as it was after the
    last ply, whatever has been sent since. With `post` a page links to an email with its orders.

    Nothing in them is told once only.
    """
    held = [seat for seat in loaded.seats if loaded.holders[seat].player_id is not None]
    for seat in held:
        turns.mark_shown(tx, loaded.match.id, loaded.match.ply, seat, now)
    return [_for_site(tx, loaded, seat, now, post) for seat in held]


def _for_site(
    tx: Tx, loaded: Loaded, seat: Seat, now: datetime, post: "MailDomain | None"
) -> Printable:
    from adjudicator.reports.frame import ReplyForm
    from adjudicator.service.reports import building

    report = replace(building.after_last_ply(tx, loaded, seat), as_of=rfc3339(now))
    made = _report(tx, loaded, seat, report, post, as_of=report.ply)
    reply = replace(
        made.reply or ReplyForm(),
        on_site=True,
        tips=wants_tips(tx, loaded, report),
        rematch=building.rematch_link(post, loaded, seat, report),
    )
    return replace(made, reply=reply)


def note_delivery(store: Store, report: Printable, *, now: datetime) -> None:
    """Note that a live report has reached its reader, or his folder, with its words.

    What it told once is forgotten now and not before: if the program is killed in between, it is
    told again. A picture alone does not count.
    """
    with store.transaction() as tx:
        matches.find(tx, report.report.match)  # held before its emails, as everywhere
        turns.mark_printed(tx, report.letters, now)


def _live(
    tx: Tx, loaded: Loaded, seat: Seat, now: datetime, post: "MailDomain | None"
) -> Printable:
    match = loaded.match
    turns.mark_shown(tx, match.id, match.ply, seat, now)
    report = present(tx, loaded, seat, now)
    report, asides = _with_what_is_told_once(tx, loaded, report)
    made = _report(tx, loaded, seat, report, post)
    kept = turns.kept_report(tx, match.id, match.ply, seat)
    return replace(made, letters=(*kept, *asides))


def present(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> AnyReport:
    """Return what is the case now, without what is told once only, and the time."""
    return replace(building.present(tx, loaded, seat), as_of=rfc3339(now))


class _Part(Struct, frozen=True):
    """News, and the plies of which they tell; `once` where they are told whole, and then not
    again."""

    news: News
    span: Span | None
    once: bool


def _with_what_is_told_once(
    tx: Tx, loaded: Loaded, report: AnyReport
) -> tuple[AnyReport, list[int]]:
    """Return a report with all that waits to be told once only, if no emails go out.

    Return also the ids of the emails that will not tell it.
    """
    seat, ply, made = report.seat, loaded.match.ply, report.made
    holder = loaded.holders[seat]
    kept = turns.kept_asides(tx, loaded.match.id, seat, holder.tenure)
    parts = [_part(loaded.game, told_at, decode(body)) for _, told_at, body in kept]
    if not kept or kept[-1][1] != ply:
        span = None if made is UNSET else made.news
        parts.append(_Part(report.news, span, once=False))
    joined: list[_Part] = []
    for part in parts:
        before = tuple(sight for one in joined for sight in one.news)
        # The later ones begin with the former as long as the seat was told nothing and has ordered
        # nothing in between.
        joined = [part] if part.news[: len(before)] == before else [*joined, part]
    if made is not UNSET and kept:
        once = tuple(one.span for one in joined if one.once and one.span)
        rest = next((one.span for one in joined if not one.once), None)
        made = replace(made, once=once, news=rest)
    news = tuple(sight for one in joined for sight in one.news)
    return replace(report, news=news, made=made), [letter_id for letter_id, _, _ in kept]


def _part(game: AnyGame, ply: int, told: Mapping[str, Any]) -> _Part:
    news = building.read_news(game, told["news"])
    return _Part(news, (told["since"], ply) if "since" in told else None, once=True)


def _report(
    tx: Tx,
    loaded: Loaded,
    seat: Seat,
    report: AnyReport,
    post: "MailDomain | None" = None,
    *,
    as_of: int | None = None,
) -> Printable:
    """Return a report as it is printed. With `as_of` it has the messages of the report of that ply,
    else all that are known now."""
    from adjudicator.reports.button import Links
    from adjudicator.reports.frame import ReplyForm
    from adjudicator.service.emails import links
    from adjudicator.service.reports import building

    holder = loaded.holders[seat]
    reader = building.seat_reader(post, report, holder)
    reply = links.reply_form(report, reader) or ReplyForm()
    tips = wants_tips(tx, loaded, report)
    shows_example = tips or report.phase == "setup"
    rematch = building.rematch_link(post, loaded, seat, report)
    return Printable(
        report,
        holder.language,
        holder.zone,
        looking_back(tx, loaded, report),
        replace(
            reply,
            tips=tips,
            example=links.example(report, reader) if shows_example else None,
            press=threads_of(tx, loaded, seat, as_of),
            links=Links(rematch=rematch),
            rematch=rematch,
        ),
        acts=building.acts_in(tx, loaded, report),
        address=reader.address,
    )


def _seat(loaded: Loaded, word: str) -> Seat:
    seat = seat_of(loaded.game, word)
    if seat not in loaded.holders:
        raise Refusal(say("nobody plays {seat} in {match}", seat=seat, match=loaded.match.name))
    return seat


def render(report: Printable, form: str) -> str:
    """Return the report as `text`, `html` or `json`, or its board as `svg`, in its player's
    language and zone."""
    if form == "json":
        return format(encode(report.body), indent=2).decode()
    from adjudicator.games import GAMES
    from adjudicator.reports.render import render

    told = report.report
    suffix, language, zone = _RENDERED[form], report.language, report.zone
    return render(GAMES[told.game], told, suffix, language, zone, report.past, report.reply)


def as_value(printed: Printable, club: "ClubLines", now: datetime) -> str:
    """Return as JSON what an email would say that had the report with its page. No email has gone
    out, so it has no number."""
    from adjudicator import __version__
    from adjudicator.reports.frame import ReplyForm
    from adjudicator.service.emails import value as values

    report, reply = printed.report, printed.reply or ReplyForm()
    value = values.EmailValue(
        adjud=__version__,
        label=values.LABEL,
        kind="report",
        part=False,
        to=values.Addressee(
            match=report.match,
            seat=report.seat,
            tenure=report.tenure or 0,
            epoch=report.epoch or "",
        ),
        at=report.as_of or report.adjudicated or rfc3339(now),
        language=printed.language,
        zone=printed.zone,
        club=club,
        report=values.report_value(report),
        press=reply.press,
        acts=printed.acts,
        beside=values.Beside(
            tips=reply.tips,
            rematch=reply.rematch is not None,
            page=values.ReadersPage(shown="attached"),
            reply_to=printed.address,
        ),
    )
    return values.to_json(value)


def picture(report: Printable) -> bytes:
    """Return the report's board as PNG. Raises Refusal if nothing can draw it."""
    from adjudicator.mail.write.compose import WIDTH, png

    drawn = png(render(report, "svg"), WIDTH)
    if drawn is None:
        raise Refusal(say("a picture needs an extra: pip install '.[png]' in adjud's checkout"))
    return drawn


def as_pages(
    report: AnyReport,
    holder: Holder,
    *forms: str,
    post: "MailDomain | None" = None,
    beside: "Beside | None" = None,
) -> tuple[str, ...]:
    """Return a report's value as `text`, `svg` or `email`, in the language and zone of the
    seat's holder.

    With `post` it says what an email says, to which the page is attached if its reader wishes so;
    `beside` is what else that has.
    """
    from adjudicator.service.emails import links
    from adjudicator.service.emails.value import Beside
    from adjudicator.service.reports import building

    beside = beside or Beside()
    attached = holder.page == "attached" or (holder.page == "link" and not beside.page.link)
    reader = building.seat_reader(post, report, holder)
    prints = links.prints_of(report, reader, beside, attached=attached)
    return tuple(prints.form(_RENDERED[form]) for form in forms)


def refuse_another(path: Path, match: str) -> None:
    """Refuse to write a match's report over anything but a report of that match, or an empty
    file."""
    if not os.path.lexists(path):
        return
    if path.is_symlink() or not path.is_file() or not _is_of(match, path):
        raise Refusal(
            say(
                "{path} is not a report of {match} and is left alone; move it away first",
                path=str(path),
                match=match,
            )
        )


def _is_of(match: str, path: Path) -> bool:
    content = path.read_bytes()
    if not content:
        return True
    if path.suffix == ".json":
        return f'"match": "{match}"'.encode() in content
    if path.suffix == ".html":
        return f"<title>{match}, ".encode() in content
    heading, _, rest = content.decode("utf-8", "replace").partition("\n")
    return f" {match}, " in heading and rest.startswith("=" * len(heading))


def forms(report: Printable) -> Iterator[tuple[str, str]]:
    """Yield (file name, content) of a report in every form."""
    for form, suffix in SUFFIXES.items():
        yield f"{report.file_name}.{suffix}", render(report, form)
