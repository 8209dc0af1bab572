"""The page that goes with a report: it looks back on as many turns as the letter has room for.

A page must be made to be weighed, and that is most of the work of a letter. What fitted in the last
letter of the same kind mostly fits in the next one, so the search begins there. More turns never
weigh less; therefore it ends at the same page wherever it begins.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from adjudicator.core.game import AnyReport
from adjudicator.mail.address import Post
from adjudicator.mail.write.compose import weight
from adjudicator.reports import minified
from adjudicator.service.base.loaded_match import Seated
from adjudicator.service.report import printed_report
from adjudicator.service.report.history import IN_LETTERS, looking_back
from adjudicator.service.report.printed_report import Mailed
from adjudicator.store.database import Tx

_HEADS = 2_000  # bytes of a report that are neither text, HTML nor page

# Where the last search ended, by game and by whether there is a sheet to fill in.
_ended: dict[tuple[str, bool], int] = {}


class Forms(Struct, frozen=True):
    text: str
    html: str
    page: str


def forms(tx: Tx, loaded: Seated, report: AnyReport, *, post: Post | None, letter: Mailed) -> Forms:
    """Return a report as the text and the HTML of a letter, and as its page.

    On the last page of a match there is room for all turns.
    """
    kind = (report.game, bool(report.template))
    number = 0 if report.record else _ended.get(kind, 0)
    past = _past(tx, loaded, report, number)
    text, html, page = printed_report.as_pages(
        report,
        loaded.holders[report.seat],
        *("text", "letter", "html"),
        past=past,
        post=post,
        letter=letter,
    )
    page = minified.page(page)
    if not report.record:
        room = loaded.game.page.letter(report.view) - _HEADS - weight(text) - weight(html)
        search = _Search(tx, loaded, report, post, room)
        _ended[kind], page = search.from_here(number, past, page)
    return Forms(text, html, page)


def _past(tx: Tx, loaded: Seated, report: AnyReport, number: int) -> Sequence[Any]:
    return looking_back(tx, loaded, report, turns_back=IN_LETTERS[number])


class _Search(Struct, frozen=True):
    """The pages of one letter, the one that looks back furthest first."""

    tx: Tx
    loaded: Seated
    report: AnyReport
    post: Post | None
    room: int

    def from_here(self, number: int, past: Sequence[Any], page: str) -> tuple[int, str]:
        """Return the first page that fits, or the last one, and its number."""
        if weight(page) <= self.room:
            return self._up(number, past, page)
        return self._down(number, past, page)

    def _up(self, number: int, past: Sequence[Any], page: str) -> tuple[int, str]:
        """Go on to pages that look further back, while they fit and there is more to tell."""
        while number > 0:
            more = _past(self.tx, self.loaded, self.report, number - 1)
            if len(more) == len(past):
                break
            larger = self._rendered(more)
            if weight(larger) > self.room:
                break
            number, past, page = number - 1, more, larger
        return number, page

    def _down(self, number: int, past: Sequence[Any], page: str) -> tuple[int, str]:
        """Go on to pages that tell less, until one fits; the last one looks back on nothing."""
        while past and number < len(IN_LETTERS) - 1:
            number += 1
            fewer = _past(self.tx, self.loaded, self.report, number)
            if len(fewer) == len(past):
                continue
            past, page = fewer, self._rendered(fewer)
            if weight(page) <= self.room:
                return number, page
        return number, self._rendered(()) if past and weight(page) > self.room else page

    def _rendered(self, past: Sequence[Any]) -> str:
        holder = self.loaded.holders[self.report.seat]
        (page,) = printed_report.as_pages(self.report, holder, "html", past=past, post=self.post)
        return minified.page(page)
