"""An offer of which the operator may not know, of whatever kind, is in nothing that they see while
its match goes on; the same offer in the open is (club, 3)."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec import structs

from adjudicator.core.message import say
from tests.club import MONDAY, Lines, Paths, Store
from tests.database import match_named, player_named
from tests.inside import answering, clubs, making, metrics
from tests.service.mailclub import MailClub, text_of
from tests.service.test_offers import code_in, kind_of

DAY = timedelta(days=1)
ENDED = MONDAY + 8 * DAY
THING = "a whispered thing"


@pytest.fixture
def club(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MailClub:
    monkeypatch.setitem(answering.KINDS, "thing", kind_of())  # type: ignore[arg-type]
    made = MailClub(store, tmp_path / "spool").opened("deadline=none")
    made.context = structs.replace(made.context, max_gap=None)
    made.add("Cleo", "Dag")
    made.run_tick()
    return made


def offer(club: MailClub, *, is_secret: bool) -> dict[str, str]:
    """Let Anna offer a thing of the match m to Cleo and Dag; return their codes."""
    with club.opened_at(MONDAY).session() as s:
        match = match_named(s.tx, "m")
        assert match is not None
        for name in ("Cleo", "Dag"):
            player = player_named(s.tx, name)
            assert player is not None
            made = making.NewOffer(
                kind="thing",
                what=say(THING),
                player=player,
                asker=player_named(s.tx, "Anna"),
                told=(Lines((THING,)),),
                match_id=match.id,
                about="thing/1",
                is_secret=is_secret,
            )
            making.make(s, made)
    assert club.told == []
    shown = [str(one) for one in club.queue([])]
    assert any("offer/" in one for one in shown) != is_secret  # they wait
    emails = [one for one in club.run_tick() if THING in text_of(one)]
    return {str(one["To"]).split()[0].split("@")[0].title(): code_in(one) for one in emails}


def seen(club: MailClub) -> Mapping[str, object]:
    """Return all that the operator sees of offers."""
    paths = Paths(config=None, key=Path("none"), spool=Path("none"))
    with club.store.reading() as tx:
        ahead = clubs.WrongTime(MONDAY, ENDED + DAY, MONDAY)
        done = clubs.work_done_then(tx, ahead).offers
    url = club.store.engine.url.render_as_string(hide_password=False)
    gauges = metrics.text([*metrics.measure(url, paths, now=ENDED + DAY)])
    exports = [
        club.export_player(name, now=ENDED + DAY, noting=False) for name in ("Anna", "Cleo", "Dag")
    ]
    keys = ("offers", "emails_to", "emails_from", "to_confirm")
    return {
        "metrics": [line for line in gauges.splitlines() if "offer" in line],
        "wrong clock": done,
        "queue": [str(one.key) for one in club.queue([])],
        "exports": [export.get(key) for export in exports for key in keys],
    }


@pytest.mark.parametrize("is_secret", [True, False], ids=["secret", "open"])
def test_a_secret_offer_is_in_nothing_that_the_operator_sees(
    club: MailClub, is_secret: bool
) -> None:
    at_first = seen(club)
    codes = offer(club, is_secret=is_secret)
    assert {*codes} == {"Cleo", "Dag"}
    assert (seen(club) == at_first) == is_secret
    club.say("Cleo", f"DECLINE {codes['Cleo']}")
    club.run_tick()
    emails = club.run_tick(ENDED)
    assert [one["To"].split("@")[0] for one in emails if "expired" in text_of(one)]
    assert bool(club.told) != is_secret
    assert (seen(club) == at_first) == is_secret
    club.cancel("m", now=ENDED)
    offers = [club.export_player("Cleo", now=ENDED, noting=False)["offers"]]
    assert [one["status"] for (one,) in offers] == ["declined"]
