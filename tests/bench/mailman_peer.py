"""GNU Mailman, in a process of its own: `python mailman_peer.py fill|run CONFIG LETTERS`.

`fill` makes a list with two members and puts emails to it into Mailman's queue; `run` lets its
runners, one after the other, do all that lies in the queues, and tells how many emails they left.
Each member gets an email of his own, as each seat does.
"""

import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from mailman.app.inject import inject_text
from mailman.app.lifecycle import create_list
from mailman.config import config
from mailman.core.initialize import initialize
from mailman.interfaces.domain import IDomainManager
from mailman.interfaces.mailinglist import Personalization
from mailman.interfaces.usermanager import IUserManager
from mailman.utilities.modules import find_name
from zope.component import getUtility

DOMAIN = "play.example.org"
RUNNERS = ("in", "pipeline", "out")
BODY = "Some words of a letter of 4 kB, which tell nothing.\n" * 70


def fill(emails: int) -> None:
    getUtility(IDomainManager).add(DOMAIN)
    members = create_list(f"match@{DOMAIN}")
    members.personalize = Personalization.individual
    members.digests_enabled = False
    members.send_welcome_message = False
    for name in ("anna", "bob"):
        user = getUtility(IUserManager).create_user(f"{name}@example.org", name)
        (address,) = user.addresses
        address.verified_on = datetime.now(UTC).replace(tzinfo=None)
        members.subscribe(address)
    for number in range(emails):
        head = f"From: anna@example.org\nTo: match@{DOMAIN}\nSubject: my orders\n"
        inject_text(members, f"{head}Message-ID: <{number}@example.org>\n\n{BODY}")
    config.db.commit()


def run(emails: int) -> None:
    for name in RUNNERS:
        ending(find_name(getattr(config, f"runner.{name}")["class"]))(name).run()
    left = [name for name in (*RUNNERS, "shunt", "retry") if config.switchboards[name].files]
    if left:
        raise SystemExit(f"of {emails} letters some are left in {', '.join(left)}")


def ending(runner: Any) -> Any:
    """Return a runner that stops when its queue is empty, where others wait for more."""

    class Ending(runner):  # type: ignore[misc]
        def _snooze(self, files: int) -> None:
            if not files:
                self.stop()

    return Ending


if __name__ == "__main__":
    what, path, number = sys.argv[1:]
    initialize(path)
    doings: Mapping[str, Callable[[int], None]] = {"fill": fill, "run": run}
    doings[what](int(number))
