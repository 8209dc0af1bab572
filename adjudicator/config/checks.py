"""Check the values of settings. Whether a server answers is the doctor's question."""

import re
import shlex
from urllib.parse import urlsplit

from adjudicator.config.settings import DOMAIN, KEYS, About, Settings, value_of
from adjudicator.config.sources import ConfigTrouble, Sources
from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.resources import is_time_zone

_URLS = ("database", "mail.out", "mail.fetch")  # which may hold a password


def check(sources: Sources, settings: Settings) -> None:
    """Raise ConfigTrouble for the first value that cannot be right."""
    if not is_time_zone(settings.timezone):
        raise ConfigTrouble(
            say(
                "{path}: '{seen}' is not a time zone; write it like Europe/Oslo",
                path=sources.place("timezone"),
                seen=shown(settings.timezone),
            )
        )
    for key, known in KEYS.items():
        value = value_of(settings, key)
        if isinstance(value, int):
            if value < 0:
                raise ConfigTrouble(
                    say("{path}: {key} must be 0 or more", path=sources.place(key), key=key)
                )
        elif not _has_form(known.about, value):
            assert known.about.right is not None
            raise _not_right(sources, key, value, known.about.right)
    for key in _URLS:
        _check_server(sources, key, str(value_of(settings, key)))
    _check_hosts(sources, settings.mail.authserv_hosts)
    _check_domain(sources, settings)
    _check_command(sources, "chance.command", settings.chance.command)
    _check_command(sources, "hooks.command", settings.hooks.command)


def _has_form(about: About, value: str) -> bool:
    if about.form is None or (about.may_be_empty and not value):
        return True
    return about.form.fullmatch(value) is not None


def _check_server(sources: Sources, key: str, url: str) -> None:
    """Check host and port of a server. The URL is not shown, for a password may stand in it."""
    if not re.match("(?:smtps?|imaps?|postgresql[+a-z0-9]*)://", url):
        return
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # of the port, or of brackets
        raise ConfigTrouble(
            say(
                "{path}: {key} has a host or a port that cannot be; a port is a number from 1 to "
                "65535, behind the host and a colon",
                path=sources.place(key),
                key=key,
            )
        ) from None
    if port == 0 or (not parts.hostname and key != "database"):  # PostgreSQL has a socket, too
        raise ConfigTrouble(
            say(
                "{path}: {key} names no host, or port 0; write {right}",
                path=sources.place(key),
                key=key,
                right=KEYS[key].about.right or url,
            )
        )


def _check_hosts(sources: Sources, hosts: str) -> None:
    if not hosts:
        return
    from adjudicator.mail.read.email import network_of, own_hosts

    for host in own_hosts(hosts):
        if not (DOMAIN.fullmatch(host) or network_of(host)):
            right = say("domains or networks, such as outlook.com or 2002:a00::/24")
            raise _not_right(sources, "mail.authserv_hosts", host, right)


def _check_domain(sources: Sources, settings: Settings) -> None:
    mail = settings.mail
    if mail.out != "none" and not mail.domain:
        raise ConfigTrouble(
            say(
                "{path}: email can only be sent from a domain; set mail.domain",
                path=sources.place("mail.out"),
            )
        )
    if mail.fetch and not mail.domain:
        raise ConfigTrouble(
            say(
                "{path}: email can only come to a domain; set mail.domain",
                path=sources.place("mail.fetch"),
            )
        )


def _check_command(sources: Sources, key: str, command: str) -> None:
    try:
        shlex.split(command)
    except ValueError as trouble:
        raise ConfigTrouble(
            say(
                "{path}: {key}: {why}",
                path=sources.place(key),
                key=key,
                why=str(trouble),
            )
        ) from None


def _not_right(sources: Sources, key: str, value: str, right: Message) -> ConfigTrouble:
    seen = _without_secret(value) if key in _URLS else value
    return ConfigTrouble(
        say(
            "{path}: {key} = '{seen}' is not valid; write {right}",
            path=sources.place(key),
            key=key,
            seen=shown(seen),
            right=right,
        )
    )


def _without_secret(url: str) -> str:
    """Hide what follows the scheme of a URL, for a password may stand there."""
    scheme, colon, _ = url.partition(":")
    return f"{scheme}{colon}{'…' if colon else ''}"
