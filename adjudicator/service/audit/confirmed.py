"""Compare the emails that confirm orders with the log, word by word.

What such an email says besides (notes on lines, what is in force, a footer that some server has
added) is in no log. So all that it must say has to stand in it, in that order, and more may.
"""

from collections.abc import Iterator, Sequence

from adjudicator.core import chain
from adjudicator.core.game import AnyGame, spelling_of
from adjudicator.core.message import LANGUAGES, Message, say
from adjudicator.core.message import Words as Tell
from adjudicator.mail.write import subjects
from adjudicator.reports.frame import PROOFS
from adjudicator.reports.render import WHAT_CAME
from adjudicator.reports.words import words
from adjudicator.service.audit.facts import in_words
from adjudicator.service.audit.papers import Document, ReceiptPaper
from adjudicator.service.audit.receipts import ParsedLog
from adjudicator.service.audit.replayed import ReplayedMatch
from adjudicator.service.audit.retold import Words, is_made_by_this_version
from adjudicator.service.emails.receipts import (
    Receipt,
    ReceiptProof,
    headline,
    is_played,
    is_played_and_reported_next,
    proof,
)

_MOST = 12  # words of what is missing that are shown


def confirmations_differ(
    played: ReplayedMatch, papers: Sequence[Document], log: ParsedLog
) -> Iterator[Message]:
    """Yield which emails do not confirm orders as they must."""
    if not is_made_by_this_version(log):
        return
    given = {
        (one.seat, entry.turn, one.revision): one.lines
        for entry in log.entries
        for one in entry.orders
        if not one.by
    }
    for paper in papers:
        for receipt in paper.receipts if paper.confirms else ():
            lines = given.get((receipt.seat, receipt.turn, receipt.revision))
            if lines is None or receipt.digest_of(lines) != receipt.digest:
                continue  # other checks tell of it
            for text in paper.confirms:
                said = in_words(text)
                wanted = _confirmations(played, paper.subject, text, receipt, lines)
                missing = [_missing(one, said) for one in wanted]
                if all(missing):
                    told = " ".join(min(missing, key=len)[:_MOST])
                    yield say(
                        "{paper}: its confirmation of the orders for {seat}, turn {turn}, version "
                        "{revision} does not say '{known}', as it must by the log ({log})",
                        paper=paper.name,
                        seat=receipt.seat,
                        turn=receipt.turn,
                        revision=receipt.revision,
                        known=told,
                        log=log.paper.name,
                    )


def _confirmations(
    played: ReplayedMatch,
    subject: str,
    text: str,
    receipt: ReceiptPaper,
    lines: Sequence[str],
) -> Iterator[Words]:
    """Yield in what words an email may confirm orders, in each language; the lines of the orders
    are compared by themselves (`retold.sheets_told`)."""
    game, match = played.game, played.match
    told = Receipt(
        match=match,
        seat=receipt.seat,
        turn=receipt.turn,
        accepted=True,
        stored=True,
        revision=receipt.revision,
        orders=lines,
        problems=(),
        warnings=(),
        ignored=(),
        in_force=receipt.revision,
        proof=ReceiptProof(
            chain.receipt_head(match, receipt.seat, receipt.turn, receipt.revision),
            receipt.digest,
        ),
    )
    rest = [*_came_of(played, subject, text, receipt)]
    for tell in _every_language(game):  # it may have changed before the email went out
        first = in_words(headline(told, tell, spelling_of(game, tell)))
        for last, came in rest:
            proofs = in_words(f"{last(PROOFS)} {proof(told, tell)}")[:-1]  # without the digest
            yield (*first, *came, *proofs)


def _came_of(
    played: ReplayedMatch, subject: str, text: str, receipt: ReceiptPaper
) -> Iterator[tuple[Tell, Words]]:
    """Yield with what words an email begins to tell what came of orders, if it does. What it tells
    then is compared with all other news (`retold`)."""
    revision = receipt.revision
    for tell in _every_language(played.game):
        if tell(subjects.adjudication(played.match, receipt.turn, revision)) not in subject:
            yield tell, ()
        elif f"\n{tell(WHAT_CAME)}\n" in text.replace("\r\n", "\n"):
            yield tell, in_words(f"{tell(is_played(revision))} {tell(WHAT_CAME)}")
        else:  # a report tells it
            yield tell, in_words(tell(is_played(revision)))
            yield tell, in_words(tell(is_played_and_reported_next(revision)))


def _every_language(game: AnyGame) -> Iterator[Tell]:
    return (words(language, game.slug) for language in LANGUAGES)


def _missing(wanted: Words, said: Words) -> Words:
    """Return what of some words is not said in their order, from the first that is not."""
    rest = iter(said)
    for number, word in enumerate(wanted):
        if word not in rest:
            return wanted[number:]
    return ()
