"""What an email that is no report says, before anybody reads it: paragraphs of sentences with their
values, orders, tables and reports, and lines that stand as they are.

An answer is kept so from the email that it answers until it goes out, and no sentence of ours is
finished in it. What stands as it is are somebody's own words, order lines, codes and addresses. One
kind of paragraph is the receipt of a sheet, which `adjud submit` prints, too.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import convert, structs, to_builtins

from adjudicator.core.message import Message, Value, Words, count, listed, say
from adjudicator.core.orders import Line, Problem, shown
from adjudicator.core.report import PressThread
from adjudicator.core.sheets import RawSheet
from adjudicator.core.visible import Visible

MOST_IGNORED, MOST_LISTED = 5, 10  # lines that a receipt quotes in a sentence, and one by one
MOST_PROBLEMS = 50  # at most so many are listed in a receipt

Spelled: TypeAlias = Callable[[str], str]


# Receipts: what became of a sheet, and how its sender is told.


class ReceiptProof(Visible, frozen=True, kw_only=False):
    """The digest of what was taken, and what is hashed: for a sheet the words before its orders,
    for a RESIGN, a DRAW or the CLEAR of a DRAW the whole text."""

    hashed: str
    digest: str


class Receipt(Visible, frozen=True, kw_only=True, tag="receipt"):
    """Tell what became of one sheet.

    `orders` are as understood, in canonical form. `in_force` is the revision of the sheet that now
    counts, None if there is none. `done` tells what else was done, `jotted` which marks and notes
    were taken, or would be if it is `dry`. `awaited` says that the seat is to order now. A sheet
    for a later turn, which is `turn`, is `kept`; `present` then says what holds for the present
    one. `proof` is of the stored orders, to be compared with the log; with `withdrawn` it is of a
    CLEAR, which took back the sheet of that revision. `declared` are those of a RESIGN, a DRAW and
    a CLEAR that took back a DRAW. With `words_alone` the sheet was
    checked by its words and by what everybody may know. In an answer `left_out` names the `ignored`
    lines, of which there may be thousands. `at` is when stored orders came, as the log tells it.
    """

    match: str | None
    seat: str | None
    turn: int | None
    accepted: bool
    stored: bool
    revision: int | None
    orders: Sequence[str]
    problems: Sequence[Problem]
    warnings: Sequence[Problem]
    ignored: Sequence[Line]
    in_force: int | None
    done: Sequence[Message] = ()
    awaited: bool = False
    kept: bool = False
    present: Message | None = None
    jotted: Sequence[Message] = ()
    dry: bool = False
    proof: ReceiptProof | None = None
    declared: Sequence[ReceiptProof] = ()
    withdrawn: int | None = None
    words_alone: bool = False
    left_out: Message | None = None
    at: str | None = None


def first_few(problems: Sequence[Problem], most: int) -> Sequence[Problem]:
    """Return the first few, and how many more there are."""
    more = len(problems) - most
    if more <= 0:
        return problems
    left = count("and {n} more line like these", "and {n} more lines like these", more)
    return [*problems[:most], Problem(0, "", left)]


def receipt_of_no_seat(raw: RawSheet, problems: Sequence[Problem]) -> Receipt:
    """Make the receipt of a sheet whose match or seat is not known: nothing was looked up for
    it."""
    head = raw.head
    return Receipt(
        match=head.match if head else None,
        seat=head.seat if head else None,
        turn=None,
        accepted=False,
        stored=False,
        revision=None,
        orders=[],
        problems=first_few(problems, MOST_PROBLEMS),
        warnings=[],
        ignored=[],
        in_force=None,
    )


def receipt_as_json(receipt: Receipt, words: Words) -> dict[str, Any]:
    """Return the receipt as `submit --format json` prints it (interface, section 2)."""
    return {
        "match": receipt.match,
        "seat": receipt.seat,
        "turn": receipt.turn,
        "accepted": receipt.accepted,
        **({"kept": True} if receipt.kept and receipt.accepted else {}),
        "revision": receipt.revision,
        "orders": list(receipt.orders),
        "problems": [_problem(problem, words) for problem in receipt.problems],
        "warnings": [_problem(problem, words) for problem in receipt.warnings],
        "ignored": [line.number for line in receipt.ignored],
        "in_force": receipt.in_force,
        **({"jotted": [words(told) for told in receipt.jotted]} if receipt.jotted else {}),
        **_proof_as_json(receipt),
        **({"withdrawn": receipt.withdrawn} if receipt.withdrawn else {}),
        **({"words_alone": True} if receipt.words_alone else {}),
    }


def _proof_as_json(receipt: Receipt) -> dict[str, Any]:
    made, declared = receipt.proof, [to_builtins(one) for one in receipt.declared]
    return {
        **({"digest": made.digest, "hashed": made.hashed} if made else {}),
        **({"declared": declared} if declared else {}),
    }


def _problem(problem: Problem, words: Words) -> dict[str, Any]:
    return {"line": problem.line, "text": problem.text, "message": words(problem.message)}


def receipt_as_text(receipt: Receipt, words: Words) -> str:
    """Return the receipt for a player who reads nothing else: with what is in force. The lines of
    his file that are ignored are listed with their numbers."""
    listed_ = (f"  {line}" for line in _lines_of_ignored(receipt, words))
    proofs = (f"  {line}" for line in proof_of_receipt(receipt, words).splitlines())
    lines = _lines(receipt, words, str, proofs)
    return "\n".join((*lines, *listed_, *_in_force(receipt, words)))


def in_answer(receipt: Receipt) -> Receipt:
    """Return a receipt as an answer keeps it, which names the lines that were ignored in one
    sentence."""
    rest = _ignored_without_warning(receipt.warnings, receipt.ignored)
    return structs.replace(
        receipt, ignored=(), left_out=_message_of_ignored(rest) if rest else None
    )


def receipt_within(receipt: Receipt, words: Words, spelled: Spelled) -> str:
    """Return the receipt within an answer that tells what is in force, and its proofs, at its end.

    `spelled` writes an order line as the reader does.
    """
    named = [f"  {words(receipt.left_out)}"] if receipt.left_out else []
    return "\n".join((*_lines(receipt, words, spelled, ()), *named))


def proof_lines(receipt: Receipt) -> tuple[Message | str, ...]:
    """Return what makes a receipt: the digests that the log must confirm (`core/chain.py`). Return
    nothing if nothing was stored."""
    told = [(say("SHA-256 of {head}:", head=one.hashed), one.digest) for one in receipt.declared]
    if made := receipt.proof:
        orders = say("SHA-256 of {head} with the orders:", head=made.hashed)
        told.insert(0, (orders, made.digest))
    return tuple(line for title, digest in told for line in (title, f"  {digest}"))


def proof_of_receipt(receipt: Receipt, words: Words) -> str:
    """Return the digests of a receipt as its reader reads them."""
    lines = proof_lines(receipt)
    return "\n".join(line if isinstance(line, str) else words(line) for line in lines)


def tell_played(revision: int) -> Message:
    return say("Version {revision} of your orders was carried out.", revision=revision)


def tell_played_and_reported_next(revision: int) -> Message:
    return say(
        "Version {revision} of your orders was carried out. Your next report shows the result.",
        revision=revision,
    )


def receipt_headline(receipt: Receipt, words: Words, spelled: Spelled = str) -> str:
    """Return whose sheet it was and whether it counts."""
    return f"{_heading(receipt, words, spelled)}: {words(_verdict(receipt))}"


def _lines(
    receipt: Receipt, words: Words, spelled: Spelled, proofs: Iterable[str]
) -> Iterator[str]:
    yield receipt_headline(receipt, words, spelled)
    yield from (f"  {spelled(line)}" for line in receipt.orders if receipt.accepted)
    for problem in receipt.problems:
        yield "  " + words(_with_place(problem))
    for message in (*receipt.done, *receipt.jotted):
        yield "  " + words(message)
    yield from proofs
    if receipt.present:
        yield "  " + words(receipt.present)
    yield from (f"  {words(_warning(problem))}" for problem in receipt.warnings)


def surroundings(warnings: Sequence[Problem], ignored: Sequence[Line]) -> list[Message]:
    """Return what stood outside of any sheet: each line that seems meant as an order, and all the
    others in one sentence."""
    rest = _ignored_without_warning(warnings, ignored)
    return [*map(_warning, warnings), *([_message_of_ignored(rest)] if rest else [])]


def _warning(problem: Problem) -> Message:
    return say("note: {text}", text=_with_place(problem))


def _ignored_without_warning(
    warnings: Sequence[Problem], ignored: Sequence[Line]
) -> Sequence[Line]:
    """Return the ignored lines of which no warning tells."""
    quoted = {problem.line for problem in warnings}
    return [line for line in ignored if line.number not in quoted]


def _lines_of_ignored(receipt: Receipt, words: Words) -> Iterator[str]:
    rest = _ignored_without_warning(receipt.warnings, receipt.ignored)
    for line in rest[:MOST_LISTED]:
        yield words(say("ignored line {line}: {text}", line=line.number, text=shown(line.text)))
    if more := len(rest[MOST_LISTED:]):
        yield words(count("and {n} more ignored line", "and {n} more ignored lines", more))


def _message_of_ignored(lines: Sequence[Line]) -> Message:
    """Name the lines of which nothing is read, in one sentence."""
    named = [say("'{seen}'", seen=shown(line.text)) for line in lines[:MOST_IGNORED]]
    if more := len(lines[MOST_IGNORED:]):
        named.append(count("and {n} more", "and {n} more", more))
    return count(
        "{n} line is not an order and was ignored: {lines}.",
        "{n} lines are not orders and were ignored: {lines}.",
        len(lines),
        lines=listed(named),
    )


def _heading(receipt: Receipt, words: Words, spelled: Spelled) -> str:
    """Return `espionage-1, white, turn 0`, as far as it is known whose sheet it is."""
    if not receipt.match:
        return words(say("orders without a match"))
    parts = [shown(receipt.match), spelled(shown(receipt.seat)) if receipt.seat else None]
    turn = None if receipt.turn is None else words(say("turn {turn}", turn=receipt.turn))
    return ", ".join(part for part in (*parts, turn) if part)


def _with_place(problem: Problem) -> Message:
    if not problem.line:
        return problem.message
    where, text = say("line {line}", line=problem.line), shown(problem.text)
    if not text:
        return Message("{where}: {message}", {"where": where, "message": problem.message})
    values: dict[str, Value] = {"where": where, "text": text, "message": problem.message}
    return Message("{where}: {text}: {message}", values)


_NOTES_ALONE = say("NOT accepted; only the marks and notes were saved")
_NOT_ACCEPTED = say("NOT accepted; nothing from these orders was saved")
_UNDERSTOOD = say("the words are understood; nothing was stored")
_WOULD_BE_KEPT = say("would be saved for turn {turn}; nothing was saved")
_WOULD_BE_ACCEPTED = say("would be accepted; nothing was saved")
_KEPT = say("saved for turn {turn}, version {revision}")
_IN_FORCE = say("accepted, version {revision}")
_ACCEPTED = say("accepted")
# All that may stand behind whose sheet it was.
VERDICTS = (
    *(_NOTES_ALONE, _NOT_ACCEPTED, _UNDERSTOOD, _WOULD_BE_KEPT),
    *(_WOULD_BE_ACCEPTED, _KEPT, _IN_FORCE, _ACCEPTED),
)

# What stands above the table of a player's matches, in an answer to STATUS and in a daily email.
STATUS_HEADS = (say("Match"), say("Game"), say("Turn"), say("Waiting for"), say("Until"))
DAILY_HEADS = (say("Match"), say("Game"), say("Waiting for"), say("Until"))
DAILY_TITLE = say("Your matches on {day}")


def _verdict(receipt: Receipt) -> Message:
    told = _form_of_verdict(receipt)
    values = {"turn": receipt.turn or 0, "revision": receipt.revision or 0}
    return structs.replace(told, values=values)


def _form_of_verdict(receipt: Receipt) -> Message:
    if not receipt.accepted:
        return _NOTES_ALONE if receipt.jotted and not receipt.dry else _NOT_ACCEPTED
    if receipt.words_alone:
        return _UNDERSTOOD
    if not receipt.stored:
        return _WOULD_BE_KEPT if receipt.kept else _WOULD_BE_ACCEPTED
    if receipt.kept:
        return _KEPT
    return _ACCEPTED if receipt.revision is None else _IN_FORCE


def _in_force(receipt: Receipt, words: Words) -> Iterator[str]:
    """Say what is in force; nothing for a seat that is not to order, or a sheet that is
    nobody's."""
    if receipt.words_alone:
        told = say(
            "Only the words were checked, not the position. `adjud check --gm` checks the "
            "position, too; the next reports then show all players that you looked."
        )
        yield "  " + words(told)
        return
    if not receipt.awaited or receipt.present:
        return
    if receipt.in_force is None:
        yield "  " + words(say("you have no current orders"))
    else:
        yield "  " + words(say("current orders: version {revision}", revision=receipt.in_force))


# All paragraphs.


Told: TypeAlias = Message | str  # a line: a sentence of ours, or one that stands as it is


class Lines(Visible, frozen=True, kw_only=False, tag="lines"):
    """Lines one below the other. `game` is named if its words are used and not those of the
    email's match."""

    lines: tuple[Told, ...]
    game: str = ""


class AlignedRows(Visible, frozen=True, kw_only=False, tag="table"):
    """Rows of which the columns are aligned, and lines right below them."""

    rows: tuple[tuple[Told, ...], ...]
    below: tuple[Told, ...] = ()


class OrderLines(Visible, frozen=True, kw_only=False, tag="orders"):
    """Order lines in canonical words, none of which is broken."""

    lines: tuple[str, ...]


class SeatReminder(Visible, frozen=True, kw_only=True):
    """What a daily reminder says of one seat, in the words of its game; `due` is the deadline."""

    game: str
    match: str
    turn: int
    seat: Message
    due: str | None
    told: tuple[Message, ...]
    address: str


class SeatReminders(Visible, frozen=True, kw_only=False, tag="reminders"):
    """The seats of a player that wait for his orders, and where these go."""

    seats: tuple[SeatReminder, ...]


class Card(Visible, frozen=True, kw_only=False, tag="card"):
    """The rules and commands of the match's game; `heads` are those of its two examples."""

    heads: tuple[str, ...]


class CommandList(Visible, frozen=True, kw_only=False, tag="commands"):
    """The commands that a personal or the public address takes."""

    of: Literal["person", "anyone"]


class WholeReport(Visible, frozen=True, kw_only=True, tag="report"):
    """A report as a text, with tips or without, for a reader who may have chosen another language
    and zone since; `report` is as `core/report.flat` writes it."""

    report: Mapping[str, Any]
    language: str
    zone: str
    tips: bool = False
    press: tuple[PressThread, ...] = ()


class NewsAlone(Visible, frozen=True, kw_only=True, tag="news"):
    """What a report tells of what has happened, and nothing else of it."""

    report: Mapping[str, Any]


class Proofs(Visible, frozen=True, kw_only=False, tag="proofs"):
    """Lines that somebody may check later, under their heading."""

    lines: tuple[Told, ...]


class MarkedRow(Visible, frozen=True, kw_only=False):
    """A row of a sheet, and what is wrong with it."""

    text: str
    faults: tuple[Message, ...] = ()


class MarkedSheet(Visible, frozen=True, kw_only=True, tag="marked"):
    """A player's own set-up with its faults marked, to be mended and sent back: its first and last
    line as the club writes them, faults of all of it, and its rows."""

    head: str
    first: str
    faults: tuple[Message, ...]
    rows: tuple[MarkedRow, ...]
    end: str


Paragraph: TypeAlias = (
    Lines
    | Receipt
    | AlignedRows
    | OrderLines
    | SeatReminders
    | Card
    | CommandList
    | WholeReport
    | NewsAlone
    | MarkedSheet
    | Proofs
)
Paragraphs: TypeAlias = tuple[Paragraph, ...]

# All that an email says as it goes out.

PartStatus: TypeAlias = Literal["accepted", "parked", "refused", "stuck"]


class AnswerPart(Visible, frozen=True, kw_only=True):
    """What an answer says of one match: what became of that part of the email, and the `game` in
    whose words it is told. Of a match that cannot be read the game is empty."""

    match: str
    status: PartStatus
    game: str
    says: "EmailContents"


class EmailContents(Visible, frozen=True, kw_only=True):
    """What stands in an email that is no report. An answer `says` what was put down when the email
    was read; what stands `above` and `below` that is as things are when it goes out, and it has
    `parts` about matches. What it says is cut if it is too long, and never the rest. Any other
    email has paragraphs `above` alone."""

    above: Paragraphs = ()
    says: Paragraphs = ()
    below: Paragraphs = ()
    parts: tuple[AnswerPart, ...] = ()

    @property
    def receipts(self) -> list[Receipt]:
        """Return what became of each sheet, of the parts, too."""
        own = [one for one in self.says if isinstance(one, Receipt)]
        return [*own, *(receipt for part in self.parts for receipt in part.says.receipts)]


ORDER, SET_IN = "{order}", "  {order}"


def paragraph(*lines: Told | None, game: str = "") -> Paragraphs:
    """Make a paragraph of lines; none of none."""
    told = tuple(line for line in lines if line is not None)
    return (Lines(told, game),) if told else ()


def each(told: Iterable[Told | None]) -> Paragraphs:
    """Make a paragraph of each line."""
    return tuple(Lines((one,)) for one in told if one)


def order_line(line: str, *, set_in: bool = True) -> Message:
    """Put an order line, in canonical words, into a paragraph: its reader reads it as he writes
    it."""
    return Message(SET_IN if set_in else ORDER, {"order": line})


def to_send(word: Message, code: str) -> Paragraphs:
    """Return the one line that a reader sends back: a command in his language, and its code."""
    return paragraph(Message("{word} {code}", {"word": word, "code": code}))


def proofs(lines: Iterable[Told]) -> Paragraphs:
    """Put lines that somebody may check later under their heading; nothing without any."""
    told = tuple(lines)
    return (Proofs(told),) if told else ()


def sentence(*told: Message | None) -> Message | None:
    """Put sentences into one line; None if there are none."""
    found = [one for one in told if one is not None]
    if not found:
        return None
    names = [f"part{n}" for n in range(len(found))]
    return Message(" ".join(f"{{{name}}}" for name in names), dict(zip(names, found, strict=True)))


def paragraphs_in(body: Mapping[str, Any], key: str = "says") -> Paragraphs:
    """Return the paragraphs in a row of the outbox. Rows of before 0.3.0 have a finished text."""
    if key in body and not isinstance(body[key], str):
        return convert(body[key], tuple[Paragraph, ...])
    return finished_text(body.get("text" if key == "says" else key) or "")


def finished_text(text: str) -> Paragraphs:
    """Return a finished text of before, which stands as it is."""
    return (Lines(tuple(text.strip("\n").split("\n"))),) if text else ()
