"""What tests ask of the program, in verbs of theirs: only this file says where it is done.

A test of one module imports that module. Any other asks here, so that a move changes one file.
Beside this one, `tests/printed.py` has reports, `tests/database.py` rows, `tests/audits.py` what
players check, `tests/values.py` what an email says, `tests/service/mailclub.py` a club by mail.

Times are arguments, as everywhere; where a test says none, it is Monday.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from adjudicator.core import chain
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import (
    Context,
    Keep,
    Mailbox,
    MatchTemplate,
    OpenClub,
    Pages,
    Paths,
    Progress,
    Refusal,
    Session,
    password_in,
    saved_mark,
)
from adjudicator.service.base.keys import Which, shown_id, which_email
from adjudicator.service.base.keys import create as create_keys
from adjudicator.service.base.keys import make as make_keys
from adjudicator.service.base.keys import read as read_keys
from adjudicator.service.base.loaded_match import (
    Loaded,
    MatchSession,
    Unreadable,
    find_player,
    gather,
    gather_some,
    load,
    load_seats,
)
from adjudicator.service.base.options import DEFAULTS, UNCHOSEN
from adjudicator.service.club import people, personal, preferences
from adjudicator.service.club.offers import seats
from adjudicator.service.club.people import Changes, first_page, name_of
from adjudicator.service.club.preferences import announce_absence
from adjudicator.service.competition import ladder_tables, ladders, standings
from adjudicator.service.competition.creating import NewTournament
from adjudicator.service.competition.creating import create as create_tournament
from adjudicator.service.competition.ending import cancel as cancel_tournament
from adjudicator.service.competition.ending import decide
from adjudicator.service.competition.entering import enter, start, withdraw
from adjudicator.service.competition.entering import replace as replace_entrant
from adjudicator.service.competition.ladders import NewLadder
from adjudicator.service.emails.paragraphs import (
    Lines,
    Receipt,
    paragraph,
    receipt_as_json,
    receipt_as_text,
)
from adjudicator.service.inbound import collecting, reading
from adjudicator.service.inbound.parsed_email import content_of, known_words
from adjudicator.service.matches import (
    creation,
    full_board,
    game_master,
    option_changes,
    outage,
    overview,
    seating,
    sheet_storing,
    undoing,
    verification,
)
from adjudicator.service.matches.creation import NewMatch
from adjudicator.service.matches.entering import enter_value
from adjudicator.service.matches.overview import Selection, replay_files, replay_lines
from adjudicator.service.matches.sheet_parsing import Source, would_read_as_orders
from adjudicator.service.ops import archiving, backup, erasing, hooks, tick
from adjudicator.service.ops.backup import restore
from adjudicator.service.ops.doctor.table import examine
from adjudicator.service.outbound import delivery, operators_queue
from adjudicator.service.outbound.operators_queue import plain
from adjudicator.service.outbox.queue import own_address
from adjudicator.service.reports import printing
from adjudicator.service.reports.printing import Printable, forms
from adjudicator.store import happenings
from adjudicator.store.database import Store
from adjudicator.store.listings import EMAILS_IN, EMAILS_OUT
from tests.printed import computer_orders, public_report, report_of, show

# Types, and functions that know no club, by the names that they have in the program.
__all__ = [
    "DEFAULTS",
    "MONDAY",
    "SEED",
    "UNCHOSEN",
    "Changes",
    "Club",
    "Context",
    "Keep",
    "Lines",
    "Loaded",
    "Mailbox",
    "MatchSession",
    "MatchTemplate",
    "NewLadder",
    "NewMatch",
    "NewTournament",
    "OpenClub",
    "Pages",
    "Paths",
    "Printable",
    "Progress",
    "Receipt",
    "Refusal",
    "Selection",
    "Session",
    "Source",
    "Store",
    "Unreadable",
    "Which",
    "announce_absence",
    "computer_orders",
    "content_of",
    "create_keys",
    "examine",
    "find_player",
    "first_page",
    "forms",
    "gather",
    "gather_some",
    "known_words",
    "load",
    "load_seats",
    "make_keys",
    "name_of",
    "own_address",
    "paragraph",
    "password_in",
    "plain",
    "public_report",
    "read_keys",
    "receipt_as_json",
    "receipt_as_text",
    "receipt_digest",
    "replay_files",
    "replay_lines",
    "report_of",
    "restore",
    "rfc3339",
    "saved_mark",
    "show",
    "shown_id",
    "which_email",
    "would_read_as_orders",
]

MONDAY = datetime(2026, 11, 23, 12, tzinfo=UTC)
SEED = "00" * 32


def receipt_digest(
    match: str, seat: str, turn: int, revision: int, lines: Sequence[str], *, kept: bool = False
) -> str:
    """Return the digest in the receipt of these orders."""
    head = chain.receipt_head(chain.LABEL, match, seat, turn, revision, kept=kept)
    return chain.sheet_digest(head, lines)


def use_tool(
    tool: Callable[..., Any],
    store: Store,
    *words: Any,
    now: datetime,
    context: Context,
    **more: Any,
) -> Any:
    """Use a tool of the club's at a time."""
    return tool(OpenClub(store, now, context), *words, **more)


def _at_a_time(tool: Callable[..., Any], **usual: Any) -> Callable[..., Any]:
    """Return a verb of a club for a tool that takes an opened one; `usual` is what it is given
    where a test says nothing else."""

    def use(self: "Club", *words: Any, now: datetime = MONDAY, **more: Any) -> Any:
        return tool(self.opened_at(now), *words, **{**usual, **more})

    return use


def _of_store(tool: Callable[..., Any], **usual: Any) -> Callable[..., Any]:
    """Return a verb of a club for a tool that takes its store."""

    def use(self: "Club", *words: Any, **more: Any) -> Any:
        return tool(self.store, *words, **{**usual, **more})

    return use


def _of_each(tool: Callable[..., Any]) -> Callable[..., Any]:
    """Return a verb of a club for a tool that does one thing after the other."""

    def use(self: "Club", *words: Any, now: datetime = MONDAY, **more: Any) -> Any:
        return list(tool(self.opened_at(now), *words, **more))

    return use


class Club:
    """A store with short ways to say things."""

    def __init__(self, store: Store, context: Context | None = None) -> None:
        self.store = store
        self.context = context or Context(committer=lambda: "5a" * 32)

    def opened_at(self, now: datetime) -> OpenClub:
        return OpenClub(self.store, now, self.context)

    # What the game master does to a match, which comes first.
    create = _at_a_time(creation.create)
    ask_for_seats = _at_a_time(seats.create)
    hold = _at_a_time(game_master.hold, reason="")
    resume = _at_a_time(game_master.resume, reason="")
    extend = _at_a_time(game_master.extend, reason="")
    set_deadline = _at_a_time(game_master.set_deadline, reason="")
    announce = _at_a_time(game_master.announce)
    forfeit = _at_a_time(game_master.forfeit, reason="")
    announce_forfeit = _at_a_time(game_master.announce_forfeit, reason="")
    adjudicate = _at_a_time(game_master.adjudicate, reason="")
    replace = _at_a_time(game_master.replace, reason="")
    open_seat = _at_a_time(seating.open_seat, reason="")
    cancel = _at_a_time(game_master.cancel, reason="")
    cancel_unreadable = _at_a_time(outage.cancel_unreadable, reason="")
    undo = _at_a_time(undoing.undo, reason="")
    change_options = _at_a_time(option_changes.change_options, reason="")
    enter_value = _at_a_time(enter_value, zone="UTC")

    # What is read and checked of a match.
    verify = _of_store(verification.verify)
    match_names = _of_store(verification.names)
    whole_state = _of_store(full_board.whole_state)
    status = _of_store(overview.status)
    page_of_status = _of_store(overview.page)
    queues = _of_store(overview.queues)
    select = _of_store(overview.select)
    seats_of_player = _of_store(seating.seats_of_player)
    late = _of_store(overview.late, now=MONDAY)
    waiting_for = _of_store(overview.waiting_for)
    after_new = _of_store(overview.after_new)
    export = _of_store(overview.export)
    live_report = _of_store(printing.live, now=MONDAY)
    sent_report = _of_store(printing.sent_report, now=MONDAY)
    newest_reports = _of_store(printing.newest, now=MONDAY)
    note_delivery = _of_store(printing.note_delivery, now=MONDAY)

    # Players, and what becomes of what is known of them.
    add_player = _of_store(people.add, now=MONDAY)
    change = _of_store(people.change, now=MONDAY)
    remove = _of_store(people.remove)
    erase = _of_each(erasing.erase)
    export_player = _of_store(personal.export, now=MONDAY)
    unconfirmed_addresses = _of_store(people.unconfirmed_addresses)
    readdress = _at_a_time(people.readdress)
    mute = _at_a_time(preferences.mute, reason="")
    profile = _of_store(preferences.profile, now=MONDAY)

    # Tournaments and ladders.
    create_tournament = _at_a_time(create_tournament, zone="UTC")
    enter_tournament = _at_a_time(enter)
    start_tournament = _at_a_time(start)
    withdraw = _at_a_time(withdraw, reason="")
    replace_entrant = _at_a_time(replace_entrant, reason="")
    cancel_tournament = _at_a_time(cancel_tournament, reason="")
    decide = _at_a_time(decide, reason="")
    standings = _of_store(standings.of_club)
    ladder = _of_store(ladder_tables.one_of_club)
    create_ladder = _at_a_time(ladders.create)
    enter_ladder = _at_a_time(ladders.enter)
    close_ladder = _at_a_time(ladders.close)

    # The parts of a tick, and what the operator does with emails.
    whole_tick = _of_each(tick.run_tick)
    run_due = _of_each(tick.run_due)
    take_emails = _of_each(tick.take_emails)
    read_emails = _of_each(tick.read_emails)
    collect = _of_each(collecting.collect)
    read_all = _of_each(reading.read_all)
    deliver = _of_each(delivery.deliver)
    queue = _of_store(operators_queue.entries)
    newest_in_queue = _of_store(operators_queue.newest)
    one_in_queue = _of_store(operators_queue.one)
    retry = _of_store(operators_queue.retry, now=MONDAY)
    drop = _of_store(operators_queue.drop)
    archive = _of_store(archiving.archive, now=MONDAY)
    prune = _of_store(archiving.prune, now=MONDAY)
    listen = _of_store(happenings.listen)
    hand_over = _of_each(hooks.hand_over)
    back_up = _of_store(backup.backup)

    def emails_out(self, *statuses: Any, **how: Any) -> list[Any]:
        """Return the emails to go out and those that went, the oldest first."""
        with self.store.reading() as tx:
            return EMAILS_OUT.emails(tx, *statuses, **how)

    def emails_in(self, *statuses: Any, **how: Any) -> list[Any]:
        """Return the emails that came in, the oldest first."""
        with self.store.reading() as tx:
            return EMAILS_IN.emails(tx, *statuses, **how)

    def submit(
        self, text: str, source: Source | None = None, *, now: datetime = MONDAY, **more: Any
    ) -> list[Receipt]:
        """Hand in the sheets in a text, as a file of orders is handed in."""
        return sheet_storing.submit(self.store, text, source or Source(), now=now, **more)

    def check(
        self, text: str, source: Source | None = None, *, now: datetime = MONDAY, **more: Any
    ) -> list[Receipt]:
        """Return what `submit` would, and keep nothing."""
        return sheet_storing.check(self.store, text, source or Source(), now=now, **more)

    def add(
        self, *names: str, address: str = "", language: str = "en", now: datetime = MONDAY
    ) -> None:
        for name in names:
            people.add(
                self.store,
                name,
                address or f"{name.lower()}@example.org",
                language=language,
                zone="UTC",
                confirmed=True,
                now=now,
                sends_mail=False,
            )

    def new(
        self,
        *options: str,
        white: str = "Anna",
        black: str = "Bob",
        variant: str = "small",
        now: datetime = MONDAY,
        name: str = "m",
    ) -> str:
        wanted = NewMatch(
            game="espionage",
            variant=variant,
            name=name,
            seats=[f"white={white}", f"black={black}"],
            options=options,
            seed=None,
            fresh_seed=bytes.fromhex(SEED),
        )
        return creation.create(self.opened_at(now), wanted)

    def send(self, seat: str, *lines: str, now: datetime = MONDAY, match: str = "m") -> Receipt:
        (receipt,) = self.submit("\n".join((f"ORDERS {match} {seat}", *lines, "END")), now=now)
        return receipt

    def tick(self, now: datetime = MONDAY, *, sure: bool = False) -> list[str]:
        """Run a tick; return what it told, one line each."""
        return [str(one) for one in self.run_due(now=now, sure=sure)]

    def begin(self, *options: str, now: datetime = MONDAY) -> None:
        """Play a small match up to White's first turn."""
        self.add("Anna", "Bob")
        self.new(*options, now=now)
        self.send("white", "SETUP RANDOM", now=now)
        self.send("black", "SETUP RANDOM", now=now)
        self.tick(now)

    def order(self, seat: str, now: datetime = MONDAY) -> Receipt:
        """Send some legal order."""
        loaded = self.loaded()
        return self.send(seat, *computer_orders(loaded, loaded.awaited[0]), now=now)

    def loaded(self, match: str = "m") -> Loaded:
        with self.store.reading() as tx:
            return load(tx, match)

    def report(self, seat: str, now: datetime = MONDAY, match: str = "m") -> dict[str, object]:
        """Return what is printed for the seat, which then counts as delivered."""
        printed = printing.live(self.store, match, seat, now=now)
        printing.note_delivery(self.store, printed, now=now)
        return printed.body

    def letters(self, kind: str = "") -> Sequence[str]:
        """Return the keys of the emails queued so far, of one kind or of all."""
        return [email.key for email in self.emails_out() if kind in ("", email.kind)]
