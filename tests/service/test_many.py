"""A club may have very many matches and emails, so an operator is shown a page of them."""

import gc
import json
import tracemalloc
from collections.abc import Iterable

import pytest

from tests.bench.many_matches import many
from tests.bench.matches import OPENED, POST
from tests.club import Club
from tests.database import open_store
from tests.program import Adjud
from tests.service.test_site import Shelf
from tests.site_pages import ClubSite


@pytest.fixture
def crowded(tmp_path):
    store = open_store(many(tmp_path, 250))
    yield store
    store.close()


@pytest.mark.slow
def test_all_matches_are_on_one_page_each(crowded):
    pages = [Club(crowded).page_of_status(number) for number in (1, 2, 3, 4)]
    assert [(len(found), more) for found, more in pages] == [
        (100, True),
        (100, True),
        (50, False),
        (0, False),
    ]
    names = [entry["match"] for found, _ in pages for entry in found]
    assert len(set(names)) == 250
    assert names == [entry["match"] for entry in Club(crowded).status(None)["matches"]]


def test_the_newest_emails_are_on_the_first_page(crowded):
    everything = [*Club(crowded).queue(())]
    assert len(everything) == 1000
    first, older = Club(crowded).newest_in_queue((), 1)
    assert older
    assert [email.id for email in first] == [email.id for email in everything[-100:]]
    last, older = Club(crowded).newest_in_queue((), 10)
    assert not older
    assert [email.id for email in last] == [email.id for email in everything[:100]]
    assert Club(crowded).newest_in_queue((), 11) == ([], False)


@pytest.mark.slow
def test_a_page_of_many_needs_no_more_memory_than_one_of_few(crowded, tmp_path):
    (tmp_path / "few").mkdir()
    few = open_store(many(tmp_path / "few", 100))
    taken = []
    for store in (few, crowded):
        Club(store).page_of_status(1)  # fills caches
        tracemalloc.start()
        Club(store).page_of_status(1)
        Club(store).queues()
        Club(store).newest_in_queue((), 1)
        taken.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    few.close()
    assert taken[1] < 2 * taken[0]  # all at once would need some times more


def test_json_holds_some_emails_at_a_time(tmp_path):
    taken = []
    for number in (500, 2000):
        (folder := tmp_path / str(number)).mkdir()
        store = open_store(many(folder, number))
        next(Club(store).queue(()))  # fills caches
        tracemalloc.start()
        assert sum(1 for _ in Club(store).queue(())) == 4 * number
        taken.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        store.close()
    assert taken[1] < 2 * taken[0]  # all at once would need some times more


@pytest.mark.slow
def test_a_text_has_a_page_and_json_has_all(crowded, tmp_path):
    (tmp_path / "adjud.toml").touch()
    adjud = Adjud(tmp_path)
    shown = adjud("status").out.splitlines()
    assert "there are more matches: `adjud status --page 2`" in shown
    assert sum(line.startswith("m") for line in shown) == 99  # and the one that was copied
    assert json.loads(adjud("status", "--format", "json").out) == Club(crowded).status(None)
    queue = adjud("mail", "queue", "list").out.splitlines()
    assert queue[0] == "there are older emails: --page 2"
    assert len(queue) == 101
    assert len(adjud("mail", "queue", "list", "--format", "json").out.splitlines()) == 1000


class Weighed:
    """A site of which nothing is kept."""

    earlier = ()

    def __init__(self) -> None:
        self.bytes = 0

    def write(self, path: str, page: bytes) -> int:
        self.bytes += len(page)
        gc.collect()  # templates leave cycles behind them
        return len(page)

    def note(self, lines: Iterable[bytes]) -> None:
        pass


@pytest.mark.slow
def test_the_pages_of_many_matches_are_never_held_at_once(tmp_path):
    taken, written = [], []
    for number in (8, 40):
        folder = tmp_path / str(number)
        folder.mkdir()
        store = open_store(many(folder, number))
        made = ClubSite(store=store, key=POST.keys[0], language="en", zone="UTC", now=OPENED)
        made.fill(Shelf())  # fills caches
        gc.freeze()  # what other tests left need not be looked through after each page
        tracemalloc.start()
        made.fill(weighed := Weighed())
        written.append(weighed.bytes)
        taken.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        gc.unfreeze()
        store.close()
        assert made.going == number
    assert taken[1] - taken[0] < (written[1] - written[0]) / 10
