"""Plays case files of the email dialog: emails, what is answered to them, what is then in force.

Every email that goes out must be named by an ANSWER, or the case fails. It also fails if at its
end a sheet is in force of which no IN FORCE told, if an offer or a resignation stands that no
DECLARED named, or if a match is held or over and no MATCH said so.

Before the first email a case tells who plays. Where it says nothing, Anna (White) and Bob (Black)
play Espionage's small board as the match m, with three days for a turn. It is Monday 23 November
2026, 12:00 UTC. The first reports have gone out.

    PLAYER Carl                   one more player, carl@example.org, or how Anna and Bob are noted
      zone: Europe/Oslo           address, language, zone, confirmed (no)
    MATCH n                       one more match, or m with other options
      black: nobody               a seat: a player, `nobody`, `computer`
      deadline: every 3 days      an option

Then emails come, and other things happen; what stands below a head may also stand behind it, as
in `LETTER white: SETUP RANDOM` and `LETTER white: ORDERS m / SETUP RANDOM / END`.

    LETTER white                  from the player who sat there first, to the address of that seat
      Date: Mon, 23 Nov 2026 12:00:00 +0000
      SETUP RANDOM                lines; `.` is an empty one, `(40 times) REPORT <n>` are forty
    LETTER n.white from eve@evil.example to adjud, 3 times
                                  `to adjud` is the public address, `to white, black` two seats
    LETTER white at 26 Nov 12:01  whatever comes later is not before that
      In-Reply-To: report 2       the second report to the player of that seat
    ATTACHED orders.txt           to the email above; `ATTACHED x.odt application/zip`
    AGAIN                         the last email comes once more; `AGAIN by another way`
    FILE black                    orders that came without an email, and are in force
    TURN 2                        built-in players order until it is turn 2; reports are not told of
    PLAY white d3-d4, e3-e4       orders by file, a line for each seat, and then a tick, of whose
                                  reports nothing is told
    GM hold m                     cancel, undo; `GM replace m white Carl`
    TICK at 26 Nov 12:01          what cron does; it comes by itself before what is expected

and something must come of them:

    ANSWER receipt to Anna        the next email of that kind to anna@example.org, or to an address
      Subject: [m] Turn 0         heads must be just so; `Envelope: <>` says who sends it
      In force: revision 1.       lines must stand in it in this order, however it is broken
      not Bob                     stands nowhere in it, not even in the HTML
      once In force               `10 times x`, `begins x`, `shorter than 600 signs`
      ends and nothing below.     with all lines below it
    ANSWER refusal to Anna, in full    with nothing else than these lines
    ANSWER report to Anna and Bob, 2 times    so many for each, each with these lines
    ANSWER nobody
    IN FORCE white revision 1     and its lines, if any are told; `IN FORCE white nothing`,
                                  `IN FORCE white revision 1 since 23 Nov 12:05`
    MARKS white                   what the seat's report shows of its own marks, one in a line
      e5 5?
    NOTES white                   its notebook, one note in a line
    LOST white                    its marks on removed pieces, in the last report
      d5 2 5? spy                 square, turn, mark and rank
    DECLARED white DRAW           an offer of a draw or a resignation
    LETTERS accepted 1, junk 2    what became of all that came (emails, section 5)
    MATCH m is over               playing, open, held
    SEAT black Carl Cox           who sits there; `SEAT black nobody`
    PLAYER Anna                   how a player is noted now
      language: nb                zone, reminders, confirmed (yes, no)
      away: 2026-12-24 to 2026-12-31

Codes are ADJ001, ADJ002... in the order in which they are sent. A case may begin with EACH (see
casefiles).
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from email.message import EmailMessage
from itertools import count
from pathlib import Path
from typing import Any

from msgspec import structs

from adjudicator.core.match import Seat
from adjudicator.core.message import Message
from adjudicator.core.report import flat
from tests.club import MONDAY, Club, Loaded, Store, computer_orders, load
from tests.database import absences_of, player_named
from tests.games.casefiles import Case, CaseFault, Section
from tests.printed import present_report
from tests.rows import letters_in
from tests.service.answers import Sent, says, sent
from tests.service.beginnings import Beginning, address_of, fields
from tests.service.mailclub import MailClub

PUBLIC = "adjud@play.example.org"

_EMAIL = re.compile(
    r"(?P<seat>[a-z.]+)?(?: ?\bfrom (?P<sender>.+?))?(?: to (?P<to>.+?))?(?: at (?P<at>.+?))?"
    r"(?:, (?P<times>\d+) times)?"
)
_ANSWER = re.compile(
    r"(?P<kind>[a-z]+) to (?P<to>\S+?(?: and \S+?)*)(?P<in_full>, in full)?"
    r"(?:, (?P<times>\d+) times)?"
)
_HEAD = re.compile(
    r"(Subject|Date|Message-ID|In-Reply-To|References|Auto-Submitted|Precedence|List-Id|"
    r"Content-Type|X-Autoreply|X-Adjud|From|Envelope): (.+)"
)


def play(case: Case, store: Store, folder: Path) -> None:
    """Play a case from its first line to its last. Raises AssertionError if it does not hold."""
    table = Table(case, store, folder)
    for section in case.sections:
        table.take(section)
    table.finish()


class Table:
    """A club that plays a case, and the emails that went out and were not told of yet."""

    def __init__(self, case: Case, store: Store, folder: Path) -> None:
        self.case = case
        self.club = MailClub(store, folder)
        codes = (f"ADJ{number:03}" for number in count(1))
        self.club.context = structs.replace(self.club.context, coder=lambda: next(codes))
        self.now = MONDAY
        self.beginning = Beginning()
        self.first: dict[str, str] = {}  # the address of who sat in a seat first
        self.begun = self.busy = False
        self.checks = 0
        self.draft: list[EmailMessage] = []  # the last LETTER, which may get an attachment
        self.written_to = ""
        self.posted = 0
        self.out: list[Sent] = []  # all that went out
        self.untold: list[Sent] = []
        self.in_force: dict[str, int] = {}
        self.declared: set[tuple[str, str]] = set()
        self.status: dict[str, str] = {}

    def take(self, section: Section) -> None:
        """Play one section."""
        try:
            self._take(_spread(section))
        except (KeyError, ValueError) as trouble:
            raise CaseFault(f"{self.case}: line {section.number}: {trouble!r}") from trouble

    def _take(self, section: Section) -> None:
        word = section.word
        if not self.begun and self.beginning.takes(section):
            return
        self._begin()
        if word in _DONE:
            if not self.busy:
                self._all_told()
            if word != "ATTACHED":
                self._post()
            _DONE[word](self, section)
        elif word in _EXPECTED:
            self._work()
            self.checks += 1
            _EXPECTED[word](self, section)
        else:
            raise ValueError(f"what is {word}?")

    def finish(self) -> None:
        self._begin()
        self._work()
        self._all_told()
        if not self.checks:
            raise CaseFault(f"{self.case}: this case expects nothing")
        for name in self.beginning.matches:
            self._as_told(name, self.club.loaded(name))

    def _as_told(self, name: str, loaded: Loaded) -> None:
        """Look whether anything has come of the emails that the case did not tell."""
        usual = "playing" if all(one.shown_name for one in loaded.holders.values()) else "open"
        _same(self.status.get(name, usual), loaded.match.status)
        for seat, sheet in loaded.sheets.items():
            place = f"{name}.{seat}"
            if self.first[place]:  # a computer's sheets come of no email
                _same(f"{place} {self.in_force.get(place, 0)}", f"{place} {sheet.revision}")
        stand = {(f"{name}.{one.seat}", one.kind) for one in loaded.declarations}
        assert stand <= self.declared, stand - self.declared

    def _begin(self) -> None:
        """Open the matches, and let the first reports go out: one to each who holds a seat."""
        if self.begun:
            return
        self.begun = True
        self.first = self.club.brought(str(self.beginning), self._enter)
        self._take_in(0)
        reported = sorted(one.to for one in self.untold if one.kind == "report")
        assert reported == sorted(filter(None, self.first.values())), reported
        self._pass_over_reports()

    def _enter(self) -> dict[str, str]:
        first = self.beginning.enter(self.club)
        self.club.run_tick(self.now)
        return first

    def _pass_over_reports(self) -> None:
        self.untold = [one for one in self.untold if one.kind != "report"]

    def _work(self) -> None:
        """Run what cron runs, if anything has happened since."""
        self._post()
        if not self.busy:
            return
        self.busy = False
        before = len(self.club.way.letters)
        self.club.run_tick(self.now)
        self._take_in(before)

    def _take_in(self, before: int) -> None:
        """Look at the emails that went out since there were so many."""
        new = [sent(*email) for email in self.club.way.letters[before:]]
        self.out += new
        self.untold += new

    def _all_told(self) -> None:
        emails = "\n".join(map(str, self.untold))
        assert not self.untold, f"no ANSWER tells of\n{emails}"

    def _later(self, moment: str | None) -> None:
        if moment:
            self.now = datetime.strptime(f"2026 {moment} +0000", "%Y %d %b %H:%M %z")

    def _place(self, word: str) -> str:
        """Return `m.white` for `white`."""
        return word if "." in word else f"m.{word}"

    def _seat(self, word: str) -> tuple[Loaded, str]:
        match, _, seat = self._place(word).partition(".")
        return self.club.loaded(match), seat

    # Sections in which something happens.

    def email(self, section: Section) -> None:
        said = _EMAIL.fullmatch(section.said)
        if said is None:
            raise ValueError(section.said)
        self._later(said["at"])
        seat = self._place(said["seat"] or "white")
        to = self._recipients(said["to"] or seat)
        lines = [line for text in section.texts for line in _lines(text)]
        heads = {"Subject": "orders"}
        while lines and (head := _HEAD.fullmatch(lines[0])):
            heads[head[1]] = self._named(head[2], seat)
            del lines[0]
        for _ in range(int(said["times"] or 1)):
            self.posted += 1
            one = EmailMessage()
            one["From"] = said["sender"] or self.first[seat]
            one["To"] = to
            one["Message-ID"] = f"<{self.posted}@example.org>"
            one.set_content("\n".join(lines) + "\n")
            for name, value in heads.items():
                del one[name]
                one[name] = value
            self.draft.append(one)

    def _recipients(self, said: str) -> str:
        """Return addresses for `adjud`, `white, n.black` or an address as it is written."""
        if said == "adjud" or "@" in said:
            return PUBLIC if said == "adjud" else said
        places = (self._place(word).split(".") for word in said.split(", "))
        return ", ".join(self.club.address(seat, match) for match, seat in places)

    def _named(self, value: str, place: str) -> str:
        """Put the Message-ID of a report for `report 2`."""
        reports = [one for one in self.out if one.kind == "report" and one.to == self.first[place]]
        return re.sub(
            r"report (\d+)", lambda found: reports[int(found[1]) - 1].head("Message-ID"), value
        )

    def attached(self, section: Section) -> None:
        name, _, kind = section.said.partition(" ")
        (one,) = self.draft
        if kind:
            main, _, sub = kind.partition("/")
            one.add_attachment(b"PK", main, sub, filename=name)
        else:
            one.add_attachment("\n".join(section.texts), filename=name)

    def _post(self) -> None:
        for one in self.draft:
            envelope = str(one["Envelope"] or one["From"])
            del one["Envelope"]
            self.written_to = str(one["To"])
            self.club.post(one.as_bytes(), self.written_to, envelope, self.now)
            self.busy = True
        self.draft = []

    def again(self, section: Section) -> None:
        by = b"Received: by another way\r\n" if section.said else b""
        self.club.post(by + self.club.raws[-1], self.written_to, at=self.now)
        self.busy = True

    def file(self, section: Section) -> None:
        match, _, seat = self._place(section.said).partition(".")
        receipt = self.club.send(seat, *section.texts, now=self.now, match=match)
        assert receipt.accepted
        self.in_force[f"{match}.{seat}"] = receipt.revision or 0
        self.busy = True

    def turn(self, section: Section) -> None:
        self._work()
        self._all_told()
        while self.club.loaded().match.turn < int(section.said):
            for seat in self.club.loaded().awaited:
                lines = computer_orders(self.club.loaded(), seat, "computer:random")
                assert self.club.send(seat, *lines, now=self.now).accepted
            self.busy = True
            self._work()
        self._pass_over_reports()

    def play(self, section: Section) -> None:
        self._work()
        self._all_told()
        for text in (section.said, *section.texts):
            seat, _, lines = text.partition(" ")
            if seat:
                receipt = self.club.send(seat, *lines.split(", "), now=self.now)
                assert receipt.accepted, receipt
                self.in_force[f"m.{seat}"] = receipt.revision or 0
        self.busy = True
        self._work()
        self._pass_over_reports()

    def gm(self, section: Section) -> None:
        what, match, *more = section.said.split()
        club = self.club
        RULINGS[what](club, match, *more, now=self.now)
        self.busy = True

    def run_tick(self, section: Section) -> None:
        self._later(section.said.removeprefix("at ") or None)
        self.busy = True
        self._work()

    # Sections that tell the outcome.

    def answer(self, section: Section) -> None:
        if section.said == "nobody":
            self._all_told()
            return
        said = _ANSWER.fullmatch(section.said)
        if said is None:
            raise ValueError(section.said)
        times = int(said["times"] or 1)
        for wanted in [(said["kind"], address_of(to)) for to in said["to"].split(" and ")] * times:
            emails = [one for one in self.untold if (one.kind, one.to) == wanted]
            others = [f"{one.kind} to {one.to}" for one in self.untold]
            assert emails, f"line {section.number}: no {section.said}, but {others}"
            self.untold.remove(emails[0])
            says(emails[0], section.texts, in_full=bool(said["in_full"]))

    def sheet(self, section: Section) -> None:
        word, _, what = section.said.removeprefix("FORCE ").partition(" ")
        loaded, seat = self._seat(word)
        sheet = loaded.sheets.get(seat)
        seen = f"revision {sheet.revision}" if sheet else "nothing"
        if sheet and " since " in what:
            seen += f" since {sheet.received_at:%d %b %H:%M}"
        _same(what, seen)
        self.in_force[self._place(word)] = sheet.revision if sheet else 0
        if section.texts and sheet:
            _same("\n".join(section.texts), "\n".join(sheet.lines))

    def _view(self, seat: str) -> dict[str, Any]:
        """Return the seat's present report, which then does not count as printed."""
        with self.club.store.reading() as tx:
            loaded = load(tx, "m")
            report = present_report(tx, loaded, Seat(seat))
            return flat(report, loaded.game.record.key)

    def marks(self, section: Section) -> None:
        pieces = self._view(section.said)["pieces"]
        seen = [f"{one['square']} {one['mark']}" for one in pieces if one.get("mark")]
        assert [*section.texts] == seen, seen

    def notes(self, section: Section) -> None:
        seen = self._view(section.said)["notes"]
        assert [*section.texts] == seen, seen

    def lost(self, section: Section) -> None:
        seen = [
            f"{one['square']} {one['turn']} {one['mark']} {one['rank']}"
            for one in self._view(section.said)["marks_lost"]
        ]
        assert [*section.texts] == seen, seen

    def declaration(self, section: Section) -> None:
        place, what = section.said.split()
        loaded, seat = self._seat(place)
        self.declared.add((self._place(place), what))
        assert (seat, what) in [(one.seat, one.kind) for one in loaded.declarations]

    def letters(self, section: Section) -> None:
        with self.club.store.reading() as tx:
            counts = letters_in(tx)
        _same(section.said, ", ".join(f"{key} {counts[key]}" for key in sorted(counts)))

    def state(self, section: Section) -> None:
        match, _, status = section.said.partition(" is ")
        _same(status, self.club.loaded(match).match.status)
        self.status[match] = status

    def holder(self, section: Section) -> None:
        place, _, who = section.said.partition(" ")
        loaded, seat = self._seat(place)
        _same(who, loaded.holders[seat].shown_name or "nobody")

    def noted(self, section: Section) -> None:
        with self.club.store.reading() as tx:
            one = player_named(tx, section.said)
            assert one is not None, f"there is no player {section.said}"
            away = absences_of(tx, [one.id])
        known = {
            "address": one.address,
            "language": one.language,
            "zone": one.zone,
            "reminders": one.reminders,
            "confirmed": "yes" if one.confirmed_at else "no",
            "away": ", ".join(f"{entry.first} to {entry.last}" for entry in away) or "never",
        }
        for key, value in fields(section).items():
            _same(value, known[key])


RULINGS: Mapping[str, Callable[..., Message]] = {
    "hold": Club.hold,
    "cancel": Club.cancel,
    "replace": Club.replace,
    "undo": Club.undo,
}
_DONE: Mapping[str, Callable[[Table, Section], None]] = {
    "LETTER": Table.email,
    "ATTACHED": Table.attached,
    "AGAIN": Table.again,
    "FILE": Table.file,
    "TURN": Table.turn,
    "PLAY": Table.play,
    "GM": Table.gm,
    "TICK": Table.run_tick,
}
_EXPECTED: Mapping[str, Callable[[Table, Section], None]] = {
    "ANSWER": Table.answer,
    "IN": Table.sheet,
    "MARKS": Table.marks,
    "NOTES": Table.notes,
    "LOST": Table.lost,
    "DECLARED": Table.declaration,
    "LETTERS": Table.letters,
    "MATCH": Table.state,
    "SEAT": Table.holder,
    "PLAYER": Table.noted,
}


def _spread(section: Section) -> Section:
    """Put what stands behind the head's colon below it, a line for each part."""
    said, colon, rest = section.said.partition(": ")
    beside = tuple((section.number, text) for text in rest.split(" / ")) if colon else ()
    return structs.replace(section, said=said, lines=(*beside, *section.lines))


def _lines(text: str) -> list[str]:
    """Return the lines for one line of a LETTER."""
    if many := re.fullmatch(r"\((\d+) times\) (.+)", text):
        numbered = (many[2].replace("<n>", str(n)) for n in range(1, int(many[1]) + 1))
        return [line for lines in numbered for line in lines.split(" / ")]
    return ["" if text == "." else text]


def _same(expected: str, seen: str) -> None:
    assert expected == seen, f"expected {expected!r}, but it is {seen!r}"
