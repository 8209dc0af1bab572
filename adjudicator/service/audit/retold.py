"""Tell anew from a match that was played again what emails told of it, and compare the words.

A report is made again as a whole (`service/audit/remade.py`); these are the confirmations.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from difflib import SequenceMatcher
from functools import cache
from typing import Any

from msgspec.structs import replace

from adjudicator import __version__
from adjudicator.core import chain
from adjudicator.core.chain import AdjudicatedSheet
from adjudicator.core.game import AnyGame, spelling_of
from adjudicator.core.match import Seat
from adjudicator.core.message import LANGUAGES, Message, say
from adjudicator.core.message import Words as Tell
from adjudicator.core.report import AnyReport, Report
from adjudicator.reports.render import news
from adjudicator.reports.words import words
from adjudicator.service.audit.facts import News, in_words
from adjudicator.service.audit.papers import Document, ReceiptLines, differ
from adjudicator.service.audit.receipts import ParsedLog
from adjudicator.service.audit.replayed import ReplayedMatch
from adjudicator.service.audit.verdicts import AuditFinding, contradicts, remark

# Compare what emails tell of what happened, and of orders that were taken, with an opened log.
#
# A report tells what its seat has seen since some ply, and a receipt what came of its orders. So
# the same is told anew here from the log, from each ply on from which it can have been told, until
# the words are those of the email. Another version of adjud may word things otherwise: where all
# names and numbers are the log's and stand in its order, an email is called so and not
# contradicted.


Words = tuple[str, ...]

_STOPS = ".,;:!?()'\""
_LONGEST_NAME = 3  # words; what is longer is a sentence
_SPARE = 60  # words by which news may be longer in another version
_AROUND, _MOST = 3, 12  # words of a difference that are shown, and around it


def compare_told(
    played: ReplayedMatch, papers: Sequence[Document], log: ParsedLog
) -> Iterator[AuditFinding]:
    """Yield what emails tell of what happened otherwise than the log."""
    tellers = {seat: _Teller(played, seat) for seat in played.setting.seats}
    mine = {seat for paper in papers for seat in paper.seats}
    for paper in papers:
        # A printed report that awaits no orders does not say whose it is.
        seats = paper.seats or sorted(tellers, key=lambda seat: seat not in mine)
        for told in paper.news:
            found = [
                _news(tellers[Seat(seat)], paper, told, log) for seat in seats if seat in tellers
            ]
            if found and None not in found:
                yield next(one for one in found if one is not None)


def is_made_by_this_version(log: ParsedLog) -> bool:
    """Return whether no other version of adjud made the match; another may word things
    otherwise."""
    versions = {log.opening.version, *(one.version for one in log.entries)}
    return versions <= {__version__, ""}


def sheets_told(
    game: AnyGame, match: str, papers: Sequence[Document], log: ParsedLog
) -> Iterator[Message]:
    """Yield the receipts whose digest is that of other orders than they show."""
    given = {
        (
            one.seat,
            entry.turn,
            one.revision,
            _digest(match, entry.turn, one),
        ): one.lines
        for entry in log.entries
        for one in entry.orders
        if not one.by
    }
    for paper in papers:
        for shown in paper.shown:
            told = shown.receipt
            lines = given.get((told.seat, told.turn, told.revision, told.digest))
            if lines and shown.lines and not _shows(game, shown, lines):
                what = say(
                    "the orders shown for {seat}, turn {turn}, version {revision}",
                    seat=told.seat,
                    turn=told.turn,
                    revision=told.revision,
                )
                yield differ(what, paper, log.paper)


def _digest(match: str, turn: int, order: AdjudicatedSheet) -> str:
    head = chain.receipt_head(match, order.seat, turn, order.revision)
    return chain.sheet_digest(head, order.lines)


def _shows(game: AnyGame, shown: ReceiptLines, lines: Sequence[str]) -> bool:
    told = in_words(" ".join(shown.lines))
    for language in LANGUAGES:
        taken = in_words(" ".join(spelling_of(game, words(language, game.slug)).all(lines)))
        if told[: len(taken)] == taken:
            return True
    return False


def _news(teller: "_Teller", paper: Document, told: News, log: ParsedLog) -> AuditFinding | None:
    """Return how news differ from what a seat saw; None if they do not, or if it is not known of
    which plies they tell."""
    others: list[tuple[str, Words]] = []
    for language, retold in _anew(teller, paper, told, log):
        if retold == told.words:
            return None
        others.append((language, retold))
    if not others:
        return None
    if teller.tells_once and not paper.is_email:
        what = say(
            "{paper}: what happened cannot be compared, because parts of it were shown only once",
            paper=paper.name,
        )
        return remark(what)
    same = [one for language, one in others if teller.has_facts(told.words, one, language)]
    closest = max(same or [one for _, one in others], key=lambda one: _likeness(one, told.words))
    seen, known = _first_difference(told.words, closest)
    if same and not is_made_by_this_version(log):
        what = say(
            "{paper}: what happened is worded differently from this adjud: '{seen}' for '{known}'",
            paper=paper.name,
            seen=seen,
            known=known,
        )
        return remark(what)
    what = say("what happened, '{seen}' and '{known}'", seen=seen, known=known)
    return contradicts(differ(what, paper, log.paper))


def _anew(
    teller: "_Teller", paper: Document, told: News, log: ParsedLog
) -> Iterator[tuple[str, Words]]:
    """Yield, with its language, in what words the news of a paper can be told anew."""
    for spans in _spans(paper, told, log):
        for start, end in spans:
            anew = [
                (language, retold)
                for language in told.languages
                for retold in teller.retold(start, end, language)
            ]
            yield from anew
            if any(len(retold) > 2 * len(told.words) + _SPARE for _, retold in anew):
                break


def _likeness(one: Words, other: Words) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _first_difference(one: Words, other: Words) -> tuple[str, str]:
    """Return the first words that differ, with those around them."""
    changes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    _, a, b, c, d = next(change for change in changes if change[0] != "equal")
    return _around(one, a, b), _around(other, c, d)


def _around(told: Words, first: int, last: int) -> str:
    return " ".join(told[max(0, first - _AROUND) : min(last, first + _MOST) + _AROUND])


def _spans(paper: Document, told: News, log: ParsedLog) -> Iterator[Sequence[tuple[int, int]]]:
    """Yield the first and the last plies of which a paper's news may tell, the shortest news first.

    Those of a report end with its ply, and those of a receipt begin with that of its orders.
    """
    ply = paper.head[0] if told.ply is None and paper.head else told.ply
    if ply is not None and not told.of_orders:
        yield [(start, ply) for start in range(ply, -1, -1)]
        if told.ply is not None:
            return
    last = log.entries[-1].ply
    for given in paper.receipts:
        for entry in log.entries:
            if entry.turn == given.turn and any(one.seat == given.seat for one in entry.orders):
                yield [(entry.ply, ply) for ply in range(entry.ply, last + 1)]


class _Teller:
    """Tell a seat anew what it saw happen."""

    def __init__(self, played: ReplayedMatch, seat: Seat) -> None:
        self._played, self._seat, self._states = played, seat, played.states()
        seen = ((one, played.game.sight.witness(one.event, seat)) for one in played.happened())
        self._seen = [(one, sight) for one, sight in seen if sight is not None]

    @property
    def tells_once(self) -> bool:
        """Return whether the game has news that are told once only; printed reports join them with
        others as they were told."""
        return self._played.game.sight.tells_once is not None

    def retold(self, start: int, end: int, language: str) -> Iterator[Words]:
        """Yield how the news from one ply to another can be told: with none, some or all of what
        came between the last and the next, in full and as news that are told again."""
        for number, state in enumerate(self._states.get(end, ())):
            seen = [
                (one, sight)
                for one, sight in self._seen
                if one.ply < end or (one.ply == end and one.number <= number)
            ]
            told = tuple(sight for one, sight in seen if one.ply >= start)
            if not told:
                continue
            report = self._report(state, end, [sight for _, sight in seen])
            whole = replace(report, news=told)
            again = self._played.game.sight.lasting(whole)
            for one in (whole, *([again] if again.news != told else [])):
                tell, _ = _noting_names(self._played.game.slug, language)
                for text in news(self._played.game, one, language, tell):
                    yield in_words(_below(text))

    def has_facts(self, told: Words, retold: Words, language: str) -> bool:
        """Return whether news have the names and numbers of others, in their order."""
        _, names = _noting_names(self._played.game.slug, language)
        return _facts(told, names) == _facts(retold, names)

    def _report(self, state: Any, ply: int, seen: Sequence[Any]) -> AnyReport:
        played, sight, rules = self._played, self._played.game.sight, self._played.game.rules
        view = sight.observe(state, self._seat)
        if sight.remember is not None:
            view = sight.remember(view, seen, played.setting.options)
        return Report(
            view=view,
            match=played.match,
            game=played.game.slug,
            variant=played.setting.variant,
            options=played.setting.options,
            players=dict.fromkeys(played.setting.seats, ""),
            phase=rules.phase(state),
            seat=self._seat,
            ply=ply,
            turn=rules.turn(state),
            result=rules.outcome(state),
        )


@cache
def _noting_names(slug: str, language: str) -> tuple[Tell, set[str]]:
    """Return what tells a game's messages, and the set in which it notes the names and numbers that
    it has put into them."""
    tell, names = words(language, slug), set[str]()

    def noting(message: Message) -> str:
        for value in message.values.values():
            if not isinstance(value, Message):
                names.update(_bare(str(value)))
            elif value.values:
                noting(value)
            elif len(name := _bare(tell(value))) <= _LONGEST_NAME:
                names.update(name)
        return tell(message)

    return noting, names


def _facts(told: Iterable[str], names: Set[str]) -> list[str]:
    """Return the names and numbers in news, in their order."""
    bare = _bare(" ".join(told))
    return [word for word in bare if word in names or any(map(str.isdigit, word))]


def _bare(text: str) -> list[str]:
    """Return the words that can be names or numbers; what is in small letters (`nothing to
    discover`) is a phrase of ours, which another version may word otherwise."""
    bare = (word.strip(_STOPS) for word in text.split())
    return [word.casefold() for word in bare if not word.islower()]


def _below(section: str) -> str:
    """Return a section of a text without its heading and the line below it."""
    return section.strip().partition("\n")[2].partition("\n")[2]
