"""A DNS server for tests, on the loopback and a high port."""

import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rrset
from dns.resolver import Resolver

Zone = Mapping[str, Sequence[str]]  # by "name TYPE" what stands there


@contextmanager
def nameserver(zone: Zone) -> Iterator[Resolver]:
    """Return a resolver that asks a server which knows these records and no other name."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))
        threading.Thread(target=_serve, args=(listening, zone), daemon=True).start()
        yield asking(listening.getsockname()[1])


def asking(port: int) -> Resolver:
    """Return a resolver that asks a server at that port."""
    resolver = Resolver(configure=False)
    resolver.nameservers, resolver.port = ["127.0.0.1"], port
    return resolver


def _serve(listening: socket.socket, zone: Zone) -> None:
    with suppress(OSError):  # closed
        while True:
            wire, client = listening.recvfrom(4096)
            listening.sendto(_answer(dns.message.from_wire(wire), zone).to_wire(), client)


def _answer(query: dns.message.Message, zone: Zone) -> dns.message.Message:
    (asked,) = query.question
    answer = dns.message.make_response(query)
    answer.flags |= dns.flags.RA
    kind = asked.rdtype.name
    found = zone.get(f"{asked.name.to_text(omit_final_dot=True)} {kind}")
    if found:
        answer.answer.append(dns.rrset.from_text(asked.name, 60, "IN", kind, *found))
    elif not any(_stands_at_or_below(name, asked.name) for name in zone):
        answer.set_rcode(dns.rcode.NXDOMAIN)
    return answer


def _stands_at_or_below(record: str, name: dns.name.Name) -> bool:
    return dns.name.from_text(record.split()[0]).is_subdomain(name)
