"""The feed of a club's site: its results and its new matches, as Atom (RFC 4287)."""

from collections.abc import Sequence
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

from msgspec import Struct

_ATOM = "http://www.w3.org/2005/Atom"


class Entry(Struct, frozen=True, kw_only=True):
    """Something that has happened, at a time in seconds. `page` is the place in the site where more
    of it stands; `id` is a URI that no other entry has."""

    id: str
    at: float
    title: str
    text: str
    page: str


class Feed(Struct, frozen=True, kw_only=True):
    """A feed with its entries, the newest first. `url` is where the site is served from; without
    it links are relative, and lead on from wherever the feed is."""

    id: str
    title: str
    author: str
    language: str
    updated: float
    entries: Sequence[Entry]
    url: str = ""


def write(feed: Feed) -> str:
    """Return the feed as XML, in UTF-8."""
    ET.register_namespace("", _ATOM)
    root = ET.Element(_name("feed"), {"xml:lang": feed.language})
    _add(root, "id", feed.id)
    _add(root, "title", feed.title)
    _add(root, "updated", _time(feed.updated))
    _add(_add(root, "author"), "name", feed.author)
    _add(root, "link", rel="alternate", type="text/html", href=_place(feed, "index.html"))
    if feed.url:
        own = _place(feed, "feed.xml")
        _add(root, "link", rel="self", type="application/atom+xml", href=own)
    for entry in feed.entries:
        element = _add(root, "entry")
        _add(element, "id", entry.id)
        _add(element, "title", entry.title)
        _add(element, "updated", _time(entry.at))
        _add(element, "published", _time(entry.at))
        page = _place(feed, entry.page)
        _add(element, "link", rel="alternate", type="text/html", href=page)
        _add(element, "content", entry.text, type="text")
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, "unicode")}\n'


def _name(element: str) -> str:
    return f"{{{_ATOM}}}{element}"


def _add(parent: ET.Element, element: str, content: str = "", **attributes: str) -> ET.Element:
    made = ET.SubElement(parent, _name(element), attributes)
    made.text = content or None
    return made


def _place(feed: Feed, page: str) -> str:
    return f"{feed.url.rstrip('/')}/{page}" if feed.url else page


def _time(at: float) -> str:
    """Return a time as RFC 3339 has it, to the second."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"
