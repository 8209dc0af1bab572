"""Do all that a letter asks; or show it, and let it wait for confirmation."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from msgspec import Struct, structs

from adjudicator.core.command_table import ACTING, ANSWERED, TABLE, WORDS
from adjudicator.core.commands import Command, Press
from adjudicator.core.jottings import jotting_of, split_jottings
from adjudicator.core.message import Message, listed, say
from adjudicator.core.orders import Line, Problem, problem
from adjudicator.core.sheets import Head, RawSheet, Reading, bare_sheet
from adjudicator.core.slips import is_meant, slip_of
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.base.turns_ahead import ply_of, takes_advance
from adjudicator.service.letters_in import (
    bare_orders,
    confirmations,
    joining,
    press,
    turn_answered,
)
from adjudicator.service.letters_in.bare_orders import Bare
from adjudicator.service.letters_in.commands import in_sheet, obey
from adjudicator.service.letters_in.conversation import Talk
from adjudicator.service.letters_in.open_seats import to_be_had
from adjudicator.service.letters_in.said import MOST_ASKED, Content, content_of
from adjudicator.service.match.receipts import Receipt, within
from adjudicator.service.match.sheet_judging import CAPITALS
from adjudicator.service.match.sheet_reading import TakenApart

Step: TypeAlias = Callable[[Talk], "Done"]


class Done(Struct, frozen=True):
    """Tell what was done, as the sender reads it.

    `receipts` are those of sheets, and of commands that were refused. `in_vain` says that a code
    confirmed nothing, `waits` that something was parked and must be confirmed, `read` that the
    letter itself holds orders and what stands around them was told with them.
    """

    parts: tuple[str, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    in_vain: bool = False
    waits: bool = False
    read: bool = False

    @property
    def revisions(self) -> frozenset[int]:
        """Return the revisions of the sheets that were put in force."""
        stored = (one.revision for one in self.receipts if one.stored and not one.kept)
        return frozenset(revision for revision in stored if revision is not None)

    @property
    def is_futile(self) -> bool:
        """Return whether there is nothing in it, or nothing that was not refused."""
        refused = sum(not one.accepted and not one.jotted for one in self.receipts)
        return refused == len(self.parts)


def carry_out(talk: Talk, content: Content) -> Done:
    """Do what a letter asks, from top to bottom.

    What a code in it confirms comes first, because it was written before all of this letter.
    """
    if content.dry:
        talk = structs.replace(talk, dry=True)
    steps: list[Step] = [lambda talk: Done(_too_many(talk, content))]
    steps.append(lambda talk: _confirm_one(talk, content))
    steps += _obeying(content.above)
    steps.append(lambda talk: _order(talk, content))
    steps.append(lambda talk: _jot(talk, content))
    steps += _obeying(content.below)
    if "RESIGN" in content.words:
        steps.append(lambda talk: _resign(talk, content))
    return _in_turn(talk, steps)


def _in_turn(talk: Talk, steps: Iterable[Step]) -> Done:
    """Do one thing after the other, each on the match as the one before left it."""
    return _together([step(talk) for step in steps])


def _obeying(asked: Iterable[Press | Command]) -> list[Step]:
    return [partial(_obey, asked=one) for one in asked]


def order(talk: Talk, content: Content) -> list[Receipt]:
    """Hand in the sheets of the letter.

    Without a frame the bare lines that are meant as orders count as one sheet; if commands or press
    stand beside them, only if one of them at least can be read.
    """
    given = structs.replace(talk.given, turn=_turn(talk, content), ply=_ply(talk, content))
    if content.reading.sheets:
        receipts = talk.submit(content.taken_apart, given)
        return [_with_forms(one, _misspelt_in(one)) for one in receipts]
    bare = bare_of(talk, content)
    beside = bool(content.commands or content.presses or content.jottings)
    if not bare.orders or (beside and not bare.certain):
        return []
    sheet = bare_sheet(Reading((), tuple(bare.orders)))
    nearly_marks = [problem(line, CAPITALS) for line in bare.others if _is_nearly_mark(talk, line)]
    receipts = talk.submit(TakenApart((sheet,), bare.others, nearly_marks), given)
    return [_with_forms(receipt, content.slips) for receipt in receipts]


def _is_nearly_mark(talk: Talk, line: Line) -> bool:
    """Return whether a line would be a mark or a note in capitals and without a colon."""
    return talk.loaded.game.marks is not None and jotting_of(line) is not None


def bare_of(talk: Talk, content: Content) -> Bare:
    """Return the lines of a letter without a frame that are meant as orders, and the others."""
    if content.reading.sheets:
        return Bare()
    return bare_orders.find(talk.loaded.game, content.reading.ignored, content.misspelt)


def _order(talk: Talk, content: Content) -> Done:
    receipts = order(talk, content)
    return structs.replace(_told(talk, receipts), read=bool(receipts))


def _jot(talk: Talk, content: Content) -> Done:
    """Take the marks and notes that stand outside of any sheet."""
    return _jotted(talk, content, [one.line for one in content.jottings])


def jot_alone(talk: Talk, content: Content) -> Done:
    """Take all marks and notes of a letter of which nothing else is taken."""
    if content.dry:
        talk = structs.replace(talk, dry=True)
    name = talk.loaded.match.name
    sheets = [one for one in content.reading.sheets if one.head and one.head.match.lower() == name]
    inside = [one.line for sheet in sheets for one in split_jottings(sheet.body)[0]]
    return _jotted(talk, content, [*inside, *(one.line for one in content.jottings)])


def _jotted(talk: Talk, content: Content, lines: Sequence[Line]) -> Done:
    """Hand in marks and notes as a sheet of their own."""
    if not lines:
        return Done()
    if talk.loaded.game.marks is None:
        title = say(talk.loaded.game.title)
        told = say("{game} takes no marks and no notes.", game=title)
        return Done((talk.words(told),))
    sheet = RawSheet(lines[0], Head(talk.loaded.match.name), tuple(lines), (), ())
    given = structs.replace(talk.given, ply=_ply(talk, content))
    done = _told(talk, talk.submit(TakenApart((sheet,), (), ()), given))
    # One that was accepted is no answer to a sheet.
    refused = tuple(receipt for receipt in done.receipts if not receipt.accepted)
    return structs.replace(done, receipts=refused)


def ask(talk: Talk, content: Content) -> Done:
    """Park what is to be confirmed, show what it is, and say how to confirm it."""
    shown = preview(talk, content)
    code, fell = confirmations.park(talk, content.text)
    told = say(
        "If this is yours, answer this letter with the line\n\nCONFIRM {code}\n\n"
        "Until then it is not in force.",
        code=code,
    )
    parts = [*shown.parts, talk.words(told)]
    ordered = any(one.revision is not None and not one.kept for one in shown.receipts)
    if ordered and talk.loaded.match.deadline_at:
        parts.append(talk.words(say("Orders must be confirmed before the deadline.")))
    if fell:
        parts.append(talk.words(_fell()))
    return Done(tuple(parts), shown.receipts, waits=True, read=shown.read)


def preview(talk: Talk, content: Content) -> Done:
    """Show what is asked, as it was understood, and do nothing of it."""
    return _in_turn(
        structs.replace(talk, dry=True),
        [
            lambda talk: Done(tuple(map(talk.words, _named(talk, content)))),
            *_obeying(filter(_is_acting, content.above)),
            lambda talk: _order(talk, content),
            lambda talk: _jot(talk, content),
            *_obeying(filter(_is_acting, content.below)),
        ],
    )


def _named(talk: Talk, content: Content) -> Iterator[Message]:
    """Say what a dry run would not show."""
    if "RESIGN" in content.words:
        match = talk.loaded.match.name
        yield say(
            "This is a resignation. Who confirms it gives up his seat in {match}.", match=match
        )
    words = dict.fromkeys(one.word for one in content.commands if one.word in ANSWERED)
    if words:
        yield say("understood: {words}", words=listed(WORDS[word] for word in words))


def _is_acting(asked: Press | Command) -> bool:
    return isinstance(asked, Press) or asked.word in ACTING


def _together(done: Sequence[Done]) -> Done:
    return Done(
        parts=tuple(part for one in done for part in one.parts if part),
        receipts=tuple(receipt for one in done for receipt in one.receipts),
        in_vain=any(one.in_vain for one in done),
        waits=any(one.waits for one in done),
        read=any(one.read for one in done),
    )


def _told(talk: Talk, receipts: Sequence[Receipt]) -> Done:
    told = tuple(within(receipt, talk.words, talk.spelled) for receipt in receipts)
    return Done(told, tuple(receipts))


def _obey(talk: Talk, asked: Press | Command) -> Done:
    if isinstance(asked, Press):
        return Done((press.send(talk, asked),))
    does = TABLE[asked.word].does
    if asked.word in ANSWERED:
        done = Done((obey(talk, asked),))
        if does == "changes":  # perhaps the seat's holder
            talk.session.changed()
        return done
    if does == "letter" or asked.word == "RESIGN":
        return Done()  # `carry_out` does these, before and after all others
    done = _told(talk, in_sheet(talk, asked.word, asked.line))
    # One that was accepted is no answer to a sheet.
    refused = tuple(receipt for receipt in done.receipts if not receipt.accepted)
    return structs.replace(done, receipts=refused)


def _with_forms(receipt: Receipt, slips: Iterable[Problem]) -> Receipt:
    """Explain how a command is written, for each refused line that starts like one."""
    forms = {slip.line: slip for slip in slips}
    problems = [forms.get(problem.line, problem) for problem in receipt.problems]
    return structs.replace(receipt, problems=problems)


def _misspelt_in(receipt: Receipt) -> Iterator[Problem]:
    """Yield the slips in commands among the lines of a sheet that was refused."""
    for one in receipt.problems:
        line = Line(one.line, one.text)
        if one.line and is_meant(line) and (slip := slip_of(line)):
            yield slip


def _turn(talk: Talk, content: Content) -> int | None:
    """Return the turn for sheets that name none."""
    heads = [raw.head for raw in content.reading.sheets]
    if heads and all(head and head.turn is not None for head in heads):
        return None
    return turn_answered.turn_of(talk)


def _ply(talk: Talk, content: Content) -> int | None:
    """Return the ply as after which marks are meant, if the letter has any."""
    return turn_answered.ply_of(talk) if content.has_jottings else None


def _resign(talk: Talk, content: Content) -> Done:
    """Ask to confirm a resignation by mail (section 3); take one that is inside a confirmed
    sheet."""
    outside = [one.line for one in content.commands if one.word == "RESIGN"]
    if talk.confirmed or talk.dry:
        return _told(talk, in_sheet(talk, "RESIGN", outside[0])) if outside else Done()
    line = outside[0] if outside else Line(0, "")
    tried = in_sheet(structs.replace(talk, dry=True), "RESIGN", line)
    if not all(receipt.accepted for receipt in tried):
        return _told(talk, tried)
    return ask(talk, content_of("RESIGN"))


def _fell() -> Message:
    return say(
        "At most {most} of your letters wait to be confirmed; the oldest waits no longer.",
        most=confirmations.MOST_WAITING,
    )


def _too_many(talk: Talk, content: Content) -> tuple[str, ...]:
    if not content.has_more:
        return ()
    told = say("Only the first {most} commands in your letter were read.", most=MOST_ASKED)
    return (talk.words(told),)


def _confirm_one(talk: Talk, content: Content) -> Done:
    """Do what was parked under the code of a letter, or take the seat that was asked for.

    Only one code is tried, so that nobody finds one by trying.
    """
    first, others = content.code, content.codes[1:]
    if not first or talk.confirmed:
        return Done()  # a code inside of what is confirmed by another one
    if talk.dry:
        return Done((talk.words(say("understood: {words}", words=WORDS["CONFIRM"])),))
    done = _confirm(talk, first)
    if not others:
        return done
    told = say(
        "There are several codes in your letter, and only {code} was tried: send each in a "
        "letter of its own.",
        code=first,
    )
    return _together([done, Done((talk.words(told),))])


def _confirm(talk: Talk, code: str) -> Done:
    parked = confirmations.claim(talk, code)
    if parked is None:
        return _take_seat(talk, code)
    content = content_of(parked.text)
    talk = structs.replace(talk, confirmed=True, parked=parked.letter_id, parked_ply=parked.ply)
    current = confirmations.is_current(talk, parked) or _is_still_to_come(talk, content)
    if not current and content.words != {"RESIGN"}:
        told = say("What waited under the code {code} was for an earlier turn.", code=code)
        jotted = jot_alone(talk, content)  # these are of no turn
        return _together([Done((talk.words(told),), in_vain=not jotted.parts), jotted])
    done = carry_out(talk, content)
    return structs.replace(done, read=False)  # those are not the orders of this letter


def _is_still_to_come(talk: Talk, content: Content) -> bool:
    """Return whether there are sheets alone that name their turns, and one of these is to be
    ordered yet. Those that name an earlier one are refused each by itself."""
    heads = [raw.head for raw in content.reading.sheets]
    if not heads or content.commands or content.presses or not takes_advance(talk.loaded):
        return False
    turns = [head.turn if head else None for head in heads]
    coming = talk.loaded.match.ply + 1
    named = [turn for turn in turns if turn is not None]
    if len(named) < len(turns):
        return False
    return any(ply_of(talk.loaded, talk.seat, turn) >= coming for turn in named)


def _take_seat(talk: Talk, code: str) -> Done:
    address, means = talk.address, talk.means
    if joining.asked(talk.tx, address, talk.now):
        try:
            seated = joining.confirm(talk.tx, address, code, now=talk.now, means=means)
        except Refusal as refusal:
            return Done((talk.refused(refusal), to_be_had(talk.tx, talk.holder.language)))
        if seated:
            told = say("You have a seat in {match}.", match=seated.match.name)
            talk.session.changed()
            return Done((talk.words(told),))
    confirmations.count_wrong_code(talk, code)
    told = say("There is nothing to confirm with the code {code}.", code=code)
    return Done((talk.words(told),), in_vain=True)
