"""Play an opened log again by the rules, and compare all that follows with the papers."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.dice import CHAIN_LENGTH, Chance
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import LANGUAGES, Message, say
from adjudicator.core.report import Committed
from adjudicator.games import GAMES
from adjudicator.reports.rows import message_for_commitment
from adjudicator.reports.words import words
from adjudicator.service.audit import acts, consequences, receipts, shown, told_times, versions
from adjudicator.service.audit.inputs import THINKING, Thinking, recompute
from adjudicator.service.audit.log import UNREPLAYABLE, ParsedLog, ReplayedMatch, setting_of
from adjudicator.service.audit.papers import SEED, Document, differ, of_paper
from adjudicator.service.audit.timing import compare_times
from adjudicator.service.audit.verdicts import AuditFinding, by_rule, contradicting, contradicts


class ReplayResult(Struct, frozen=True):
    """Hold what was found when a log was played again, and the match; `played` is None where that
    could not be tried. `computed` counts the orders of computers that were found again."""

    played: ReplayedMatch | None
    findings: Sequence[AuditFinding] = ()
    computed: int = 0


def replay(
    match: str, papers: Sequence[Document], log: ParsedLog, thinking: Thinking = THINKING
) -> ReplayResult:
    """Play the log again by the rules, with the seed that was opened; compare all that follows."""
    seed = _seed(papers)
    if seed is None:
        return ReplayResult(None)
    if log.opening.game not in GAMES:
        return ReplayResult(None, [versions.missing_game(log)])
    game = GAMES[log.opening.game]
    findings: list[AuditFinding] = []
    played, computed = None, 0
    try:
        findings += _agreed(game, papers, log)
        agreed = [paper.setting for paper in papers if paper.setting]
        board = next((str(one["board"]) for one in agreed if one.get("board")), "")
        agreed_on = setting_of(log.opening, game, board)
        played, wrong, computed = recompute(game, match, seed, agreed_on, log, thinking)
        findings += [replace(one, rule="O1") for one in wrong]
        for found in _compared(played, papers):
            findings.append(found)  # what was found before it cannot go on stays found
    except UNREPLAYABLE as trouble:
        why = say("the log cannot be replayed ({kind})", kind=type(trouble).__name__)
        findings += contradicting("O1", [differ(why, log.paper, log.paper)])
    return ReplayResult(played, versions.judge_by_package(log, findings), computed)


def _setting(game: AnyGame, agreed: Mapping[str, Any]) -> Setting:
    """Return what was agreed, as a last page says it."""
    seats = tuple(seat for seat in game.seats if seat in agreed["seats"])
    board = str(agreed.get("board") or "")
    return Setting.of(game.options, str(agreed["variant"]), agreed["options"], seats, board)


@by_rule("O6")
def _agreed(game: AnyGame, papers: Sequence[Document], log: ParsedLog) -> Iterator[AuditFinding]:
    """Compare what papers say was agreed with the first line of the log, and so with what every
    player was told of it by its fingerprint."""
    opening = log.opening
    last = replace(opening, options=log.options_at(len(log.entries)))
    right = {
        "game": opening.game,
        "variant": opening.variant,
        "options": setting_of(last, game).options,
        "seats": [*setting_of(opening, game).seats],
        "board": opening.board,
    }
    for paper in papers:
        if paper.setting is None:
            continue
        board = str(paper.setting.get("board") or "")
        seen = {
            **paper.setting,
            "options": _setting(game, paper.setting).options,
            "board": sha256(board.encode()).hexdigest() if board else "",
        }
        for key, value in right.items():
            if seen.get(key) != value:
                yield contradicts(differ(key, paper, log.paper))


def _seed(papers: Sequence[Document]) -> bytes | None:
    for paper in papers:
        for promise in paper.promises:
            if promise.title == SEED and promise.opened:
                return promise.opened[-32:]
    return None


def _compared(played: ReplayedMatch, papers: Sequence[Document]) -> Iterator[AuditFinding]:
    """Compare a match that was played again with all that the papers say."""
    game, state = played.game, played.last
    happened = [*played.events()]
    chance = played.chance(state)
    for fault in game.proof.audit(state, [one.event for one in happened], chance):
        yield from contradicting("O1", [of_paper(played.log.paper, fault)])
    yield from contradicting("O6", _links(game, state, chance, papers, played.log))
    yield from contradicting("O6", _secrets(game, state, papers, played.log))
    yield from acts.compare_acts(played)
    yield from consequences.findings(played, papers)
    yield from acts.findings(played, papers)
    yield from acts.compare_holders(played, shown.comparable(papers, played.log))
    yield from compare_times(played)
    yield from told_times.findings(played, papers)
    yield from told_times.compare_reserves(played)
    yield from shown.findings(played, papers)
    yield from receipts.compare_saved_sheets(played, papers)
    yield from receipts.explain(played, papers)


def _links(
    game: AnyGame, state: Any, chance: Chance, papers: Sequence[Document], log: ParsedLog
) -> Iterator[Message]:
    """Compare each link of a public chain that was told with the chain that follows from the
    seed."""
    chains = {link.chain: link.seat for link in game.proof.links(state, Seat(""))}
    for paper in papers:
        for promise in paper.promises:
            number = _number_in(promise.title)
            for chain_of, seat in chains.items():
                if (
                    promise.title in _titles_of_link(game.slug, seat, number)
                    and promise.digest != chance.key(chain_of, number - 1).hex()
                ):
                    yield differ(promise.title, paper, log.paper)


def _number_in(title: str) -> int:
    """Return which link of a chain a title names: the first, if it has no number."""
    numbers = "".join(sign if sign in "0123456789" else " " for sign in title).split()
    return int(numbers[0][:4]) if numbers else 1


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
            titles.add(said(message_for_commitment(link, seats, game.proof)))
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
