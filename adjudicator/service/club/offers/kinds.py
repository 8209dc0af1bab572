"""The kinds of offers (club, 3): a row for each says what it is and what its answers do.

Whoever adds a kind makes its offers with `making.make` and adds its row here.
"""

from collections.abc import Mapping

from adjudicator.service.club.offers import seats
from adjudicator.service.club.offers.making import OfferKind

KINDS: Mapping[str, OfferKind] = {
    "invite": seats.KIND,
    "muster": seats.KIND,
}
