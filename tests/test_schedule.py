"""Several processes take the tests file by file, the dearest first."""

from types import SimpleNamespace

from tests.schedule import BROWSER, MAIL, share_of, sort


def test_files_that_share_something_dear_run_in_one_process() -> None:
    assert share_of("tests/browser/test_spion.py") == BROWSER
    assert share_of("tests/mail/test_real_mail.py") == share_of("tests/mail/test_tls.py") == MAIL
    assert share_of("tests/mail/test_compose.py") == "tests/mail/test_compose.py"


def test_what_takes_longest_together_begins() -> None:
    ids = ("tests/new.py::a", "tests/dear.py::a", "tests/browser/b.py::a", "tests/browser/c.py::a")
    items = [SimpleNamespace(nodeid=one) for one in ids]
    sort(items, {"tests/dear.py": 3, "tests/browser/b.py": 2, "tests/browser/c.py": 2})
    assert [item.nodeid for item in items] == [*ids[2:], ids[1], ids[0]]
