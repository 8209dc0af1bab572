"""Receipts: what became of a sheet, and how its sender is told."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from msgspec import structs, to_builtins

from adjudicator.core.message import Message, Value, Words, count, listed, say
from adjudicator.core.orders import Line, Problem, shown
from adjudicator.core.sheets import RawSheet
from adjudicator.core.visible import Visible

MOST_IGNORED, MOST_LISTED = 5, 10  # lines that a receipt quotes in a sentence, and one by one
MOST_PROBLEMS = 50  # at most so many are listed in a receipt

Spelled: TypeAlias = Callable[[str], str]


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


def as_json(receipt: Receipt, words: Words) -> dict[str, Any]:
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


def as_text(receipt: Receipt, words: Words) -> str:
    """Return the receipt for a player who reads nothing else: with what is in force. The lines of
    his file that are ignored are listed with their numbers."""
    listed_ = (f"  {line}" for line in _lines_of_ignored(receipt, words))
    proofs = (f"  {line}" for line in proof(receipt, words).splitlines())
    lines = _lines(receipt, words, str, proofs)
    return "\n".join((*lines, *listed_, *_in_force(receipt, words)))


def in_answer(receipt: Receipt) -> Receipt:
    """Return a receipt as an answer keeps it, which names the lines that were ignored in one
    sentence."""
    rest = _ignored_without_warning(receipt.warnings, receipt.ignored)
    return structs.replace(
        receipt, ignored=(), left_out=_message_of_ignored(rest) if rest else None
    )


def within(receipt: Receipt, words: Words, spelled: Spelled) -> str:
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


def proof(receipt: Receipt, words: Words) -> str:
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


def headline(receipt: Receipt, words: Words, spelled: Spelled = str) -> str:
    """Return whose sheet it was and whether it counts."""
    return f"{_heading(receipt, words, spelled)}: {words(_verdict(receipt))}"


def _lines(
    receipt: Receipt, words: Words, spelled: Spelled, proofs: Iterable[str]
) -> Iterator[str]:
    yield headline(receipt, words, spelled)
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
