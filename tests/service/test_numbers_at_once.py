"""Two workers on a PostgreSQL server never give two emails one number."""

import threading
from pathlib import Path

import pytest

from tests import values
from tests.club import MONDAY, Changes, Club, Store
from tests.database import Clash, open_store
from tests.inside import delivery, email_numbers, outgoing
from tests.service.mailclub import MailClub, value_in


def test_two_workers_number_two_emails_to_one_player_one_after_the_other(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one waits until the first has noted its number, even if an address was changed
    meanwhile."""
    store = open_store(postgres_url)
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    for name in ("Anna", "Anna", "Bob"):
        club.say(name, "STATUS")
    club.collect(club.folder)
    club.read_all()
    club.change("Anna", Changes(address="ann@example.org"), now=MONDAY, sends_mail=False)
    with store.transaction() as tx:
        tx.exec_driver_sql("UPDATE player SET confirmed_at = created_at")

    def work() -> None:
        mine = open_store(postgres_url)
        Club(mine, club.context).deliver()
        mine.close()

    second, lease = threading.Thread(target=work), outgoing.lease

    def meanwhile(*given: object) -> None:
        if not second.ident:  # the first email is numbered, which nobody else can see yet
            second.start()
            second.join(2)
            assert second.is_alive()
        lease(*given)

    monkeypatch.setattr(delivery, "SOME", 1)
    monkeypatch.setattr(outgoing, "lease", meanwhile)
    club.deliver()
    second.join(60)
    told = {
        name: [values.read(value_in(raw)) for _, to, raw in club.way.letters if to.startswith(name)]
        for name in ("ann@", "bob@")
    }
    (first, other), (only,) = (sorted(those, key=lambda one: one.n or 0) for those in told.values())
    assert [first.n, other.n, only.n] == [1, 2, 1]
    assert other.before == values.digest_of(first)
    store.close()


def test_no_number_is_noted_for_two_values(store: Store) -> None:
    Club(store).add("Anna")
    with store.transaction() as tx:
        for _ in range(2):  # the second time for an email that goes again
            email_numbers.note_of_player(tx, 1, 1, outbox_id=7, digest="a")
    of_another = "another email has the number 1"
    for other in ({"outbox_id": 8, "digest": "a"}, {"outbox_id": 7, "digest": "b"}):
        with store.transaction() as tx, pytest.raises(Clash, match=of_another):
            email_numbers.note_of_player(tx, 1, 1, **other)
