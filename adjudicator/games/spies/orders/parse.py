"""Text to orders (rules section 9). Sees no match, so it only says "not understood".

A line is one order, with two exceptions for the sake of mail programs (9.5): a line that begins
with a step goes on with the plan above it, and so does one that cannot stand by itself where the
line above was broken off.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal, cast

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.message import Message, say
from adjudicator.core.orders import (
    Line,
    Problem,
    Sheet,
    WrittenOrder,
    cleaned,
    nearest,
    problem,
    shown,
    unstopped,
)
from adjudicator.games.spies.orders.line_reader import STEPS, Amiss, Reader, amiss
from adjudicator.games.spies.orders.values import (
    ALL,
    CARRYING,
    COUNTED,
    DEFAULT,
    EMPTY,
    HOME,
    NONE,
    Answer,
    Cond,
    Conds,
    Cover,
    Discard,
    Discover,
    Drop,
    Escape,
    Flee,
    Give,
    Go,
    Goal,
    Hold,
    Informer,
    Kill,
    Order,
    Place,
    Plan,
    Play,
    Post,
    SetUp,
    Spare,
    Step,
    Take,
)
from adjudicator.games.spies.orders.words import CHITS, OWN_WORDS, WORDS

LONGEST_LINE = 2000  # characters; a plan may be written on one line
# Characters of lines put together, in one sheet. Each line that is put to those above it is read
# with all of them again; ten plans broken into twenty short lines each need less than half of this.
MOST_JOINED = 40_000
MOST_TRIES = 44  # as many Discoveries as there are

# How each kind of line is written.
USAGE: Mapping[str, Message] = {
    "PLAY": say("PLAY TG1"),
    "DISCARD": say("DISCARD TG1"),
    "POLICE": say("POLICE P1 BER ON G-1"),
    "SPY": say("SPY A: GO PRA, ZUR; DISCOVER N-4, N-3 TRIES 2; GO HOME IF CARRYING"),
    "HOLD": say("HOLD N-4"),
    "GIVE": say("GIVE italy 10"),
    "ANSWER": say("ANSWER PAPERS A, B AGAINST france IF CARRYING>=3"),
    "COVER": say("COVER ALL AGAINST italy IF VALUE>=2"),
    "FLEE": say("FLEE A: HAM, WAR"),
    "SPARE": say("SPARE france, I-A, BER"),
    "INFORMER": say("INFORMER N-4, I-1"),
    "SETUP": say("SETUP AUTO"),
    "GO": say("GO PRA IF N-4, NEAR HOME"),
    "DISCOVER": say("DISCOVER N-4, N-3 TRIES 2"),
    "TAKE": say("TAKE G-1"),
    "DROP": say("DROP IF POLICE>=1"),
    "KILL": say("KILL R-B"),
    "ESCAPE": say("ESCAPE"),
}


def parse(lines: Sequence[Line]) -> Sheet[Order]:
    """Read the orders of a sheet's body. It never raises, whatever the text."""
    written: list[WrittenOrder[Order]] = []
    problems: list[Problem] = []
    for piece in _whole(lines):
        order = _tried(piece.text)
        above = written[-1] if written else None
        if isinstance(order, Amiss):
            problems.append(problem(piece.line, order.message))
        elif not isinstance(order, tuple):
            written.append(WrittenOrder(order, piece.line))
        elif above and isinstance(above.order, Plan):
            plan = replace(above.order, steps=(*above.order.steps, *order))
            written[-1] = WrittenOrder(plan, above.line)
        else:
            problems.append(problem(piece.line, say("there is no SPY line above this step")))
    return Sheet(tuple(written), tuple(problems))


class Piece(Struct, frozen=True):
    """Lines that belong together, by the first of them."""

    line: Line
    text: str


def _whole(lines: Sequence[Line]) -> Iterator[Piece]:
    """Yield the lines as they were before a mail program broke the long ones."""
    held: Piece | None = None
    room = MOST_JOINED
    for line, stopped in cleaned(lines):
        text = unstopped(stopped)
        if held is None:
            held = Piece(line, text)
            continue
        whole = f"{held.text} {text}"
        if len(whole) <= min(room, LONGEST_LINE) and not (_stands(held.text) and _stands(text)):
            room -= len(whole)
            if _is_broken_off(held.text, text, whole):
                held = Piece(held.line, whole)
                continue
        yield held
        held = Piece(line, text)
    if held:
        yield held


def _is_broken_off(above: str, below: str, whole: str) -> bool:
    """Return whether a line goes on in the one below it, though not both stand by themselves:
    together they say something that they do not say apart, or the upper one ends in the middle and
    the lower one means nothing."""
    is_open = above[-1] in ",;:=<>" or Reader(above.split()[-1]).sees(*_OPEN)
    return _stands(whole) or (is_open and not _stands(below))


def _stands(text: str) -> bool:
    return not isinstance(_tried(text), Amiss)


@lru_cache(maxsize=1024)
def _tried(text: str) -> Order | tuple[Step, ...] | Amiss:
    try:
        return _order(text)
    except Amiss as trouble:
        return trouble.with_traceback(None)


def _order(text: str) -> Order | tuple[Step, ...]:
    """Return the order of a line, or the steps of one that goes on with a plan."""
    if len(text) > LONGEST_LINE:
        raise amiss(say("this line has {n} characters; write one order per line", n=len(text)))
    words = Reader(text)
    if word := words.takes(*_LINES):
        words.takes_sign(":")
        order = _LINES[word](words)
    elif words.sees(*_STEPS):
        return _steps(words)
    elif _is_placing(words):
        order = _place(words)
    else:
        raise Amiss(lambda: _unknown(words))
    words.finish()
    return order


def _unknown(words: Reader) -> Message:
    meant = nearest(words.next, _spelt(*USAGE))
    if meant:
        return say(
            "I do not understand '{seen}'; did you mean {usage}?",
            seen=words.seen,
            usage=USAGE[WORDS[meant]],
        )
    return say(
        "I do not understand '{seen}'; a line begins with PLAY, DISCARD, POLICE, SPY, HOLD, GIVE, "
        "ANSWER, COVER, FLEE, SPARE or INFORMER",
        seen=shown(" ".join(words.words)),
    )


def _is_placing(words: Reader) -> bool:
    return words.sees_secret() or words.sees_spy() or words.sees_police()


def _place(words: Reader) -> Place:
    if words.sees_secret():
        piece = words.secret()
    elif words.sees_spy():
        piece = words.spy()
    else:
        piece = words.police()
    words.takes_sign(":")
    if words.sees(*STEPS):
        raise amiss(say("a plan begins with SPY: {usage}", usage=USAGE["SPY"]))
    return Place(piece, words.city(), _on(words))


def _on(words: Reader) -> str | None:
    return words.secret() if words.takes("ON") else None


def _post(words: Reader) -> Post:
    piece = words.police()
    words.takes_sign(":")
    return Post(piece, words.city(), _on(words))


def _plan(words: Reader) -> Plan:
    spy = words.spy()
    words.takes_sign(":")
    return Plan(spy, _steps(words))


def _hold(words: Reader) -> Hold:
    return Hold((ALL,) if words.takes(ALL) else words.read_list(words.secret))


def _give(words: Reader) -> Give:
    power = words.power()
    if chit := words.takes(*CHITS):
        return Give(power, chit=CHITS[chit])
    money = words.number()
    if not money:
        raise amiss(say("a gift must be more than 0"))
    return Give(power, money)


def _answer(words: Reader) -> Answer:
    act = words.takes("PAPERS", "ESCAPE", NONE, DEFAULT)
    if act is None:
        raise words.amiss_in(
            say("an answer is PAPERS, ESCAPE, NONE or DEFAULT"), _spelt("PAPERS", "ESCAPE", NONE)
        )
    spies = words.read_list(words.spy) if words.sees_spy() else ()
    known = cast(Literal["PAPERS", "ESCAPE", "NONE", "DEFAULT"], act)
    return Answer(known, spies, _against(words), _conds(words))


def _cover(words: Reader) -> Cover:
    word = words.takes(ALL, NONE, DEFAULT)
    secrets = (word,) if word else words.read_list(words.secret)
    return Cover(secrets, _against(words), _conds(words))


def _against(words: Reader) -> tuple[str, ...]:
    return words.read_list(words.power) if words.takes("AGAINST") else ()


def _flee(words: Reader) -> Flee:
    spies = (ALL,) if words.takes(ALL) else words.read_list(words.spy)
    words.takes_sign(":")
    return Flee(spies, words.read_list(words.city))


def _spare(words: Reader) -> Spare:
    if word := words.takes(NONE, ALL):
        return Spare((word,))
    return Spare(words.read_list(lambda: _thing(words)))


def _thing(words: Reader) -> str:
    if words.sees_power():
        return words.power()
    if words.sees_spy():
        return words.spy()
    return words.city()


def _informer(words: Reader) -> Informer:
    word = words.takes(ALL, NONE)
    return Informer((word,) if word else words.read_list(words.secret))


def _set_up(words: Reader) -> SetUp:
    word = words.takes("AUTO", "RANDOM")
    if not word and not words.over:
        raise words.amiss_in(say("write SETUP alone or SETUP AUTO"), _spelt("AUTO", "RANDOM"))
    return SetUp("AUTO" if word == "AUTO" else "RANDOM" if word else None)


def _steps(words: Reader) -> tuple[Step, ...]:
    found = [_step(words)]
    while words.takes_sign(";"):
        if words.over:
            break
        found.append(_step(words))
    words.finish()
    return tuple(found)


def _step(words: Reader) -> Step:
    word = words.takes(*_STEPS)
    if word is None:
        raise words.amiss_in(
            say("a step is GO, DISCOVER, TAKE, DROP, KILL or ESCAPE"), _spelt(*_STEPS)
        )
    return _STEPS[word](words)


def _go(words: Reader) -> Go:
    return Go(words.read_list(lambda: _goal(words)))


def _goal(words: Reader) -> Goal:
    near = words.takes("NEAR") is not None
    place = HOME if words.takes(HOME) else words.city()
    return Goal(place, near, _conds(words))


def _discover(words: Reader) -> Discover:
    secrets = words.read_list(words.secret)
    tries = words.number() if words.takes("TRIES") else 1
    if not 1 <= tries <= MOST_TRIES:
        raise amiss(say("TRIES must be a number from 1 to {most}", most=MOST_TRIES))
    return Discover(secrets, tries, _conds(words))


def _conds(words: Reader) -> Conds:
    if not words.takes("IF"):
        return ()
    found = [_cond(words)]
    while words.takes("AND"):
        found.append(_cond(words))
    return tuple(found)


def _cond(words: Reader) -> Cond:
    if words.sees_secret():
        return Cond(words.secret())
    word = words.takes(CARRYING, EMPTY, *COUNTED)
    if word is None:
        raise words.amiss_in(
            say(
                "a condition is CARRYING, EMPTY, POLICE, MONEY, STRENGTH, VALUE or a secret's code"
            ),
            _spelt(CARRYING, EMPTY, *COUNTED),
        )
    op = None if word == EMPTY else words.op()
    if op:
        return Cond(word, op, words.number())
    if word in COUNTED:
        raise words.amiss_in(
            say("{word} needs a number, as in {word}>=2", word=OWN_WORDS[word]), ()
        )
    return Cond(word)


def _spelt(*own: str) -> tuple[str, ...]:
    """Return all spellings of some of our words."""
    return tuple(word for word, meant in WORDS.items() if meant in own)


_LINES: Mapping[str, Callable[[Reader], Order]] = {
    "PLAY": lambda words: Play(words.tile()),
    "DISCARD": lambda words: Discard(words.tile()),
    "POLICE": _post,
    "SPY": _plan,
    "HOLD": _hold,
    "GIVE": _give,
    "ANSWER": _answer,
    "COVER": _cover,
    "FLEE": _flee,
    "SPARE": _spare,
    "INFORMER": _informer,
    "SETUP": _set_up,
}
_STEPS: Mapping[str, Callable[[Reader], Step]] = {
    "GO": _go,
    "DISCOVER": _discover,
    "TAKE": lambda words: Take(words.secret(), _conds(words)),
    "DROP": lambda words: Drop(_conds(words)),
    "KILL": lambda words: Kill(words.spy(), _conds(words)),
    "ESCAPE": lambda words: Escape(),
}
_OPEN = (  # words behind which something must follow
    *("AND", "IF", "ON", "AGAINST", "NEAR", "TRIES", "GO", "DISCOVER", "TAKE", "KILL"),
    *("FLEE", "SPY", "GIVE", "HOLD", "PLAY", "ANSWER"),
)
