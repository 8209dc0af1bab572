"""The page that goes with a report: it looks back on as many turns as the letter has room for.

A page must be made to be weighed, though all but what looks back is made once. What fitted in the
last letter of the same kind mostly fits in the next one, so the search begins there; and what one
page weighs tells nearly what others do, so those that are surely too heavy are not made. Where even
the page that looks back on nothing is too heavy, it leaves out what the letter itself tells.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from adjudicator.core.report import AnyReport
from adjudicator.mail.address import Post
from adjudicator.mail.write.compose import weight
from adjudicator.reports import minified
from adjudicator.reports.render import Prints
from adjudicator.service.base.loaded_match import Seated
from adjudicator.service.report import printed_report
from adjudicator.service.report.history import IN_LETTERS, looking_back
from adjudicator.service.report.printed_report import Mailed
from adjudicator.store.database import Tx

_HEADS = 2_000  # bytes of a report that are neither text, HTML nor page

_ROUGHLY = 100  # bytes by which parts of a page, weighed one by one, may be heavier than in it

_NOTHING = len(IN_LETTERS)  # the number of the page that looks back on nothing

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
    holder = loaded.holders[report.seat]
    prints = printed_report.prints_of(report, holder, post=post, letter=letter)
    text, html = prints.form("txt"), prints.form("letter")
    room = loaded.game.page.letter(report.view) - _HEADS - weight(text) - weight(html)
    search = _Search(tx, loaded, report, prints, room)
    if report.record:
        page = search.page(search.past(0))
    else:
        _ended[kind], page = search.page_that_fits(_ended.get(kind, 0))
        if weight(page) > room:
            page = minified.page(prints.brief_page)
    return Forms(text, html, page)


class _Search(Struct, frozen=True):
    """The pages of one letter, the one that looks back furthest first, and last the one that looks
    back on nothing."""

    tx: Tx
    loaded: Seated
    report: AnyReport
    prints: Prints
    room: int

    def page_that_fits(self, number: int) -> tuple[int, str]:
        """Return the first page that fits, or the last one, and its number."""
        past = self.past(number)
        page = self.page(past)
        if weight(page) <= self.room:
            return self._up(number, past, page)
        return self._down(number, past, page)

    def past(self, number: int) -> Sequence[Any]:
        if number == _NOTHING:
            return ()
        return looking_back(self.tx, self.loaded, self.report, turns_back=IN_LETTERS[number])

    def page(self, past: Sequence[Any]) -> str:
        return minified.page(self.prints.page(past))

    def _up(self, number: int, past: Sequence[Any], page: str) -> tuple[int, str]:
        """Return the page that looks back furthest of those that fit, this one or another."""
        least = 0 if past else weight(self.prints.scripts_to_look_back)
        if weight(page) + least > self.room:
            return number, page
        around = self._around(past, page) if past else None
        furthest, longest = number, past
        while furthest > 0:
            more = self.past(furthest - 1)
            if len(more) == len(longest):
                break
            if around is None:
                around = self._around(more, minified.page(self.prints.sketch(more)))
            if self._is_too_heavy(around, more):
                break
            furthest, longest = furthest - 1, more
        for other in range(furthest, number):
            larger = self.page(self.past(other))
            if weight(larger) <= self.room:
                return other, larger
        return number, page

    def _down(self, number: int, past: Sequence[Any], page: str) -> tuple[int, str]:
        """Go on to pages that tell less, until one fits."""
        while past and weight(page) > self.room:
            around = self._around(past, page)
            fewer = past
            while len(fewer) == len(past) or (fewer and self._is_too_heavy(around, fewer)):
                number += 1
                fewer = self.past(number)
            past, page = fewer, self.page(fewer)
        return number, page

    def _around(self, past: Sequence[Any], page: str) -> int:
        """Return what a page weighs without the part that looks back on these reports."""
        return weight(page) - weight(self.prints.what_looks_back(past))

    def _is_too_heavy(self, around: int, past: Sequence[Any]) -> bool:
        """Return whether a page is surely too heavy; most show it before they are made."""
        return around + weight(self.prints.what_looks_back(past)) - _ROUGHLY > self.room
