"""No audit blames an honest club, whatever happened in it and whatever its players lost."""

import pytest

from tests.nightly import mostly_nightly
from tests.scale import scaled
from tests.service.cheats import rich
from tests.service.cheats.honest import HonestAudit, audits

pytestmark = pytest.mark.slow

# A computer's name in a record; Spion's news that are told once; a turn with two holders of a seat;
# default orders of one seat in a turn whose deadline was then moved for another.
SEEN_WRONG_ONCE = (0, 4, 22, 121, 338)


# Notices when the match was over; a last report in a daily email; languages changed while one
# waited, and looks of the game master; orders that a resignation ended; types that are shown once
# only, in a daily email; a dormant seat in a game whose seats order one after the other; a reserve
# that ends in the second in which a day begins that does not run; an option that was changed while
# a report waited for a daily email.
BUSY_SEEN_WRONG_ONCE = (3, 8, 20, 34, 76, 1007, 2025, 3131)


@pytest.mark.parametrize(
    "number",
    mostly_nightly(sorted({*range(scaled(6)), *SEEN_WRONG_ONCE}), every_day=(0, 1, 121)),
)
def test_an_honest_club_is_not_blamed(number: int) -> None:
    _agrees([*audits(number)])


@pytest.mark.parametrize("number", mostly_nightly(BUSY_SEEN_WRONG_ONCE, every_day=(3, 34)))
def test_a_busy_honest_club_is_not_blamed(number: int) -> None:
    _agrees([*audits(number, busy=True)])


# Confirmations that a command had printed, of turns that a restore undid; rulings of the epoch that
# it ended, in a daily email; the numbers of versions that began again a while after the restore;
# confirmations of orders in the very turn in which the club was restored; types that are shown once
# only and that a restore undid; reports that were printed between a backup and its restore; papers
# that tell of several restores in another order, without a log; types that are shown once only
# after an email that was never sent; a player who came back to a seat that he had given up, and
# lost it by forfeit then; orders that a restore undid, of seats that sent no others; a forfeit that
# reports alone tell, of a player who got notices of later rulings and no report; a clock that was
# set back after the end of a match, to within an outage; one set back to before a backup that was
# restored later; a deadline that was moved before the clock was set back; holders of a seat in a
# report that waited for a daily email; a clock set back while emails of the end were written; a
# last page without a value whose name a server took off; a forfeit that the game master decided
# before a notice of an undo came; confirmations of a RESIGN that a restore undid.
UNLUCKY_SEEN_WRONG_ONCE = (
    *(
        2,
        12,
        17,
        50,
        61,
        87,
        101,
        103,
        200,
        351,
        644,
        2009,
        2018,
        3211,
        3212,
        3218,
        3244,
        7008,
        9069,
        9092,
    ),
)


@pytest.mark.parametrize("number", mostly_nightly(UNLUCKY_SEEN_WRONG_ONCE, every_day=(17,)))
def test_an_honest_club_that_was_restored_is_not_blamed(number: int) -> None:
    _agrees([*audits(number, unlucky=True)])


# A seat that was taken by email; what was said in a ply that was taken back; options that were
# changed while a match waited for its number; a restore to when it waited, after it had opened; a
# report that was handed over after a hold, and tells of it.
RICH = (3, 6, 9, 113, 128, 132, 153, 9013)


@pytest.mark.parametrize("number", mostly_nightly(RICH, every_day=(9,)))
def test_a_rich_honest_club_is_not_blamed(number: int) -> None:
    _agrees([*rich.audits(number)])


def _agrees(found: list[HonestAudit]) -> None:
    assert found
    for one in found:
        assert one.code == 0 if one.complete else one.code in (0, 3), (one.name, one.told)
