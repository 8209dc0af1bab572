"""An email in its forms, what it has beside its report, and who reads it."""

from collections.abc import Sequence

from msgspec import Struct

from adjudicator.core.press import PressThread


class Forms(Struct, frozen=True):
    """An email as its reader sees it. One that asks for nothing has no `html` but if it is a
    report; `page` is None if none is attached."""

    subject: str
    text: str
    html: str | None
    page: str | None


class SeatReader(Struct, frozen=True):
    """Who reads what is written to a seat: in which language and time zone, and the address to
    which he writes for his seat, None if nobody can."""

    language: str
    zone: str
    address: str | None = None


class Mailed(Struct, frozen=True):
    """Hold what an email has beside its report: the Content-ID of a picture of the board, the words
    of the first email to a reader, where his page is and, if it is older, of when, the lines below
    the email, whether he gets tips, and the receipts of the orders of which it tells, with their
    proofs, and what he wrote to others and got from them. `advised` says that orders are suggested
    to him, `rematch` that he can ask for one, `thanks` is the seat of the one player whom he can
    thank, `site` is where the club's pages are, and `rating` is his before and after the match."""

    picture: str | None = None
    first: bool = False
    page: str | None = None
    built: str | None = None
    footer: Sequence[str] = ()
    tips: bool = False
    receipts: tuple[str, ...] = ()
    proofs: tuple[str, ...] = ()
    press: tuple[PressThread, ...] = ()
    advised: bool = False
    rematch: bool = False
    thanks: str = ""
    site: str = ""
    rating: tuple[int, int] | None = None


NOT_MAILED = Mailed()
