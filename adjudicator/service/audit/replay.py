"""Play an opened log again by the rules, and compare all that follows with the papers."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from difflib import SequenceMatcher
from functools import cache
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from adjudicator.core import chain
from adjudicator.core.chain import AdjudicatedSheet
from adjudicator.core.dice import CHAIN_LENGTH, Chance
from adjudicator.core.game import AnyGame, fold, spelling_of
from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import LANGUAGES, Message, say
from adjudicator.core.message import Words as Tell
from adjudicator.core.orders import numbered
from adjudicator.core.report import AnyReport, Committed, Report
from adjudicator.core.visible import plain
from adjudicator.games import GAMES
from adjudicator.reports.frame import committed
from adjudicator.reports.render import news
from adjudicator.reports.words import words
from adjudicator.service.audit.documents import SEED, Document, ReceiptLines, differ
from adjudicator.service.audit.facts import News, in_words
from adjudicator.service.audit.receipts import ParsedLog

# Compare what letters tell of what happened, and of orders that were taken, with an opened log.
#
# A report tells what its seat has seen since some ply, and a receipt what came of its orders. So
# the same is told anew here from the log, from each ply on from which it can have been told, until
# the words are those of the letter. Another version of adjud may word things otherwise: where all
# names and numbers are the log's and stand in its order, a letter is called so and not
# contradicted.


Words = tuple[str, ...]

_STOPS = ".,;:!?()'\""
_LONGEST_NAME = 3  # words; what is longer is a sentence
_SPARE = 60  # words by which news may be longer in another version
_AROUND, _MOST = 3, 12  # words of a difference that are shown, and around it


class Differing(Struct, frozen=True):
    """Tell what a paper says otherwise than the log, in its facts or in its words alone."""

    told: Message
    contradicts: bool


class Happened(Struct, frozen=True):
    """An event of a match and its ply. `number` counts from 1 those that came between that ply and
    the next."""

    ply: int
    event: Any
    number: int = 0


class ReplayedMatch(Struct, frozen=True, kw_only=True):
    """A match that was played again: its events, and its states after each ply and after each event
    that came between that and the next."""

    game: AnyGame
    match: str
    setting: Setting
    events: Sequence[Happened]
    states: Mapping[int, Sequence[Any]]


def compare_told(
    played: ReplayedMatch, papers: Sequence[Document], log: ParsedLog
) -> Iterator[Differing]:
    """Yield what letters tell of what happened otherwise than the log."""
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


def sheets_told(
    game: AnyGame, match: str, papers: Sequence[Document], log: ParsedLog
) -> Iterator[Message]:
    """Yield the receipts whose digest is that of other orders than they show."""
    given = {
        (one.seat, entry.turn, one.revision, _digest(match, entry.turn, one)): one.lines
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
    return chain.sheet_digest(match, order.seat, turn, order.revision, order.lines)


def _shows(game: AnyGame, shown: ReceiptLines, lines: Sequence[str]) -> bool:
    told = in_words(" ".join(shown.lines))
    for language in LANGUAGES:
        taken = in_words(" ".join(spelling_of(game, words(language, game.slug)).all(lines)))
        if told[: len(taken)] == taken:
            return True
    return False


def _news(teller: "_Teller", paper: Document, told: News, log: ParsedLog) -> Differing | None:
    """Return how news differ from what a seat saw; None if they do not, or if it is not known of
    which plies they tell."""
    others: list[tuple[str, Words]] = []
    for language, retold in _anew(teller, paper, told, log):
        if retold == told.words:
            return None
        others.append((language, retold))
    if not others:
        return None
    if teller.tells_once and not paper.is_letter:
        what = say(
            "{paper}: what happened cannot be compared, because parts of it were shown only once",
            paper=paper.name,
        )
        return Differing(what, contradicts=False)
    same = [one for language, one in others if teller.has_facts(told.words, one, language)]
    closest = max(same or [one for _, one in others], key=lambda one: _likeness(one, told.words))
    seen, known = _first_difference(told.words, closest)
    if same:
        what = say(
            "{paper}: what happened is worded differently from this adjud: '{seen}' for '{known}'",
            paper=paper.name,
            seen=seen,
            known=known,
        )
        return Differing(what, contradicts=False)
    what = say("what happened, '{seen}' and '{known}'", seen=seen, known=known)
    return Differing(differ(what, paper, log.paper), contradicts=True)


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
        self._played, self._seat = played, seat
        seen = ((one, played.game.sight.witness(one.event, seat)) for one in played.events)
        self._seen = [(one, sight) for one, sight in seen if sight is not None]

    @property
    def tells_once(self) -> bool:
        """Return whether the game has news that are told once only; printed reports join them with
        others as they were told."""
        return self._played.game.sight.tells_once is not None

    def retold(self, start: int, end: int, language: str) -> Iterator[Words]:
        """Yield how the news from one ply to another can be told: with none, some or all of what
        came between the last and the next, in full and as news that are told again."""
        for number, state in enumerate(self._played.states.get(end, ())):
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
    return [word.strip(_STOPS).casefold() for word in text.split()]


def _below(section: str) -> str:
    """Return a section of a text without its heading and the line below it."""
    return section.strip().partition("\n")[2].partition("\n")[2]


class ReplayResult(Struct, frozen=True):
    """Hold what was found when a log was played again: what does not agree, and what is only worded
    otherwise. `played` is False where it could not be tried."""

    played: bool
    wrong: Sequence[Message] = ()
    notes: Sequence[Message] = ()


def replay(match: str, papers: Sequence[Document], log: ParsedLog) -> ReplayResult:
    """Play the log again by the rules, with the seed that was opened; compare all that follows."""
    agreed = next((paper.setting for paper in papers if paper.setting), None)
    seed = _seed(match, papers)
    if agreed is None or seed is None or agreed.get("game") not in GAMES:
        return ReplayResult(played=False)
    game = GAMES[str(agreed["game"])]
    wrong: list[Message] = []
    notes: list[Message] = []
    try:
        for found in _played(game, match, seed, agreed, papers, log):
            if isinstance(found, Message):
                wrong.append(found)  # what was found before it cannot go on stays found
            else:
                (wrong if found.contradicts else notes).append(found.told)
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError) as trouble:
        why = say("the log cannot be replayed ({kind})", kind=type(trouble).__name__)
        wrong.append(differ(why, log.paper, log.paper))
    return ReplayResult(True, wrong, notes)


def _seed(match: str, papers: Sequence[Document]) -> bytes | None:
    for paper in papers:
        for promise in paper.promises:
            if promise.title == SEED and promise.opened:
                return promise.opened[-32:]
    return None


def _played(
    game: AnyGame,
    match: str,
    seed: bytes,
    agreed: Mapping[str, Any],
    papers: Sequence[Document],
    log: ParsedLog,
) -> Iterator[Message | Differing]:
    rules = game.rules
    seats = tuple(seat for seat in game.seats if seat in agreed["seats"])
    board = str(agreed.get("board") or "")
    setting = Setting.of(game.options, str(agreed["variant"]), agreed["options"], seats, board)
    label = game.proof.label
    state = rules.set_up(setting, Chance(seed, match, label=label))
    happened: list[Happened] = []
    states: dict[int, list[Any]] = {}
    for entry in log.entries:
        lines = {one.seat: one.lines for one in entry.orders}
        between = [chain.unpacked(rules.event, one, {}) for one in entry.between]
        events = told = [chain.unpacked(rules.event, one, lines) for one in entry.events]
        since = states.setdefault(entry.ply - 1, [state])
        for number, event in enumerate(between, start=1):
            state = fold(game, state, [event])
            since.append(state)
            happened.append(Happened(entry.ply - 1, event, number))
        if entry.cause == "orders":
            chance = Chance(seed, match, game.proof.phrases(state), label)
            orders = {
                Seat(one.seat): game.orders.parse(numbered(one.lines)).orders
                for one in entry.orders
            }
            events = list(rules.adjudicate(state, orders, chance))
            if told not in (chain.lean(events, game.proof.repeated), events):
                yield say(
                    "{paper}: ply {ply} comes out differently when it is replayed",
                    paper=log.paper.name,
                    ply=entry.ply,
                )
        state = fold(game, state, events)
        states[entry.ply] = [state]
        happened += [Happened(entry.ply, event) for event in events]
    chance = Chance(seed, match, game.proof.phrases(state), label)
    for fault in game.proof.audit(state, [one.event for one in happened], chance):
        yield say("{paper}: {fault}", paper=log.paper.name, fault=fault)
    yield from _links(game, state, chance, papers, log)
    yield from _secrets(game, state, papers, log)
    yield from _news_of(game, papers, log, happened)
    yield from sheets_told(game, match, papers, log)
    played = ReplayedMatch(game=game, match=match, setting=setting, events=happened, states=states)
    yield from compare_told(played, papers, log)


def _links(
    game: AnyGame, state: Any, chance: Chance, papers: Sequence[Document], log: ParsedLog
) -> Iterator[Message]:
    """Compare each link of a public chain that was told with the chain that follows from the
    seed."""
    chains = {link.chain: link.seat for link in game.proof.links(state, Seat(""))}
    for paper in papers:
        for promise in paper.promises:
            found = _NUMBER.search(promise.title)
            number = int(found[0]) if found else 1
            for chain_of, seat in chains.items():
                if (
                    promise.title in _titles_of_link(game.slug, seat, number)
                    and promise.digest != chance.key(chain_of, number - 1).hex()
                ):
                    yield differ(promise.title, paper, log.paper)


_NUMBER = re.compile(r"[0-9]{1,4}")


@cache
def _titles_of_link(slug: str, seat: Seat | None, number: int) -> frozenset[str]:
    """Return what reports in any language call the commitment to a link of a chain."""
    game, kinds = GAMES[slug], ("key", "anchor") if number == 1 else ("key",)
    if not 1 <= number <= CHAIN_LENGTH:
        return frozenset()
    titles = set()
    for language in LANGUAGES:
        said = words(language, slug)
        seats = {str(one): said(game.seat_titles[one]) for one in game.seats}
        for what in kinds:
            link = Committed(what=what, seat=seat, number=number, digest="", opened=None)
            titles.add(said(committed(link, seats, game.proof)))
    return frozenset(titles)


def _secrets(
    game: AnyGame, state: Any, papers: Sequence[Document], log: ParsedLog
) -> Iterator[Message]:
    """Compare the secrets that were committed to with those that were played."""
    played = {
        f"ADJUD1|{papers[0].match}|{game.proof.what}|{seat}|{text}|"
        for seat, text in game.proof.secrets(state).items()
    }
    for paper in papers:
        for promise in paper.promises:
            text = (promise.opened or b"").decode("utf-8", "replace")
            if f"|{game.proof.what}|" in text and not any(map(text.startswith, played)):
                yield differ(promise.title, paper, log.paper)


def _news_of(
    game: AnyGame, papers: Sequence[Document], log: ParsedLog, happened: Sequence[Happened]
) -> Iterator[Message]:
    """Compare what each report told with what its seat saw by the log.

    What happened between two plies may have come before a report of the first or after it.
    """
    times = {entry.ply: entry.at for entry in log.entries}
    for paper in papers:
        report = paper.report
        if report is None:
            continue
        ply = int(report["ply"])
        if ply in times and report.get("adjudicated") not in (None, times[ply]):
            yield differ(say("the time of ply {ply}", ply=ply), paper, log.paper)
        seat = Seat(report["seat"])
        seen = _seen(game, seat, (one.event for one in happened if one.ply <= ply))
        between = (one.event for one in happened if one.number and one.ply == ply)
        later = _seen(game, seat, between)
        told = list(report["news"])
        ends = range(len(seen) - len(later), len(seen) + 1)
        if game.sight.tells_once is not None:  # what was told once is joined with the rest
            is_seen = all(any(_covers(one, sight) for one in seen) for sight in told)
        else:
            is_seen = any(_ends_with(seen[:end], told) for end in ends)
        if told and not is_seen:
            yield differ(say("the news of ply {ply}", ply=ply), paper, log.paper)


def _seen(game: AnyGame, seat: Seat, events: Iterable[Any]) -> list[Any]:
    sights = (game.sight.witness(event, seat) for event in events)
    return [to_builtins(plain(sight)) for sight in sights if sight is not None]


def _ends_with(seen: Sequence[Any], told: Sequence[Any]) -> bool:
    """Return whether the last of what was seen is what was told; keys that were not told yet by an
    older program do not count."""
    last = seen[len(seen) - len(told) :] if len(seen) >= len(told) else ()
    return len(last) == len(told) and all(map(_covers, last, told))


def _covers(seen: Any, told: Any) -> bool:
    if isinstance(seen, dict) and isinstance(told, dict):
        return all(key in seen and seen[key] == value for key, value in told.items())
    return bool(seen == told)
