"""What the DNS says."""

import socket
import threading
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from adjudicator.core.message import say
from adjudicator.service.doctor.checking import Finding, Patient, bad, well

PATIENCE = 3.0  # seconds for all names to be looked up in


def addresses(patient: Patient) -> Iterator[Finding]:
    at = patient.at
    servers = (_server(at.out), _server(at.fetch))
    names = list(dict.fromkeys(name for name in (at.domain, *servers) if name))
    found = _resolved(names)
    for name in names:
        if name in found:
            yield well(say("DNS: {name} is known", name=name))
        elif name == at.domain:  # only its MX record, which we cannot ask for, need be there
            text = say("DNS: {name} has no address of its own; has it an MX record?", name=name)
            yield well(text)
        else:
            yield bad(say("DNS: {name} has no address (or the look-up took too long)", name=name))


def _server(way: str) -> str:
    """The server of `smtp://user@host:587`; empty for a way without one."""
    try:
        return urlsplit(way).hostname or "" if way.startswith(("smtp", "imap")) else ""
    except ValueError:
        return ""


def _resolved(names: Sequence[str]) -> set[str]:
    """Those that have an address, as far as is known within our patience. The resolver has none
    of its own, so it works aside and is left behind if it hangs."""
    found: set[str] = set()

    def look_up(name: str) -> None:
        try:
            socket.getaddrinfo(name, 25, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return
        found.add(name)

    threads = [threading.Thread(target=look_up, args=(name,), daemon=True) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE / len(names))
    return set(found)
