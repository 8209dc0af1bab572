"""The kinds of offers (club, 3): a row for each says what it is and what its answers do.

Whoever adds a kind makes its offers with `making.make` and adds its row here.
"""

from collections.abc import Mapping

from adjudicator.service.club.offers import begun, challenges, seats, substitutes
from adjudicator.service.club.offers.making import OfferKind
from adjudicator.store.offers import Offer

KINDS: Mapping[str, OfferKind] = {
    "invite": begun.KIND,
    "muster": seats.KIND,
    "rematch": begun.KIND,
    challenges.KIND_NAME: challenges.KIND,
    substitutes.KIND_NAME: substitutes.KIND,
}

# Those of which the operator is told nothing.
SECRET = frozenset(name for name, kind in KINDS.items() if kind.is_secret)


def kind_of(offer: Offer) -> OfferKind:
    """Return the kind of an offer; an `invite` may be to a seat of a match that waits for it."""
    is_of_seat = offer.kind == "invite" and offer.match_id is not None
    return seats.KIND if is_of_seat else KINDS[offer.kind]
