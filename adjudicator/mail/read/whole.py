"""Read an email of ours whole, as somebody has kept it: its Subject, text, HTML and page, and the
JSON that is attached; and those that were forwarded in it as attachments."""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from adjudicator.mail.read import mime
from adjudicator.mail.read.mime import UNTYPED, Headers, Part, below, is_closed, octets, part, walk
from adjudicator.mail.read.signed_body import domains_with_hash
from adjudicator.mail.read.text_parts import is_encrypted, text_of, unflow

_PARTS, _DEPTH = 50, 10  # of one email
_FORWARDED = 20  # emails in one another
_EMAIL = "message/rfc822"
# How what is attached begins, or names itself, for servers that take off names and types.
_VALUE, _PAGE = (
    re.compile(r'\s*\{"(?:acts|adjud)":'),
    # The last page of a long match has no value in it, and no HTML of an email has a policy.
    re.compile(r'<script\b[^>]*\bid="?adjud-value\b|<meta\b[^>]*\bContent-Security-Policy\b', re.I),
)


class WholeEmail(Struct, frozen=True):
    """An email, decoded; None stands for what it does not have. `values` are its attachments of
    JSON, `pictures` its PNGs by their Content-IDs, `others` what else its reader may see: each
    picture and each part of another kind. `signed` are the domains whose signatures have the hash
    of its body."""

    headers: Headers
    subject: str
    text: str | None
    html: str | None
    page: str | None
    values: tuple[bytes, ...]
    pictures: Mapping[str, bytes]
    others: tuple[str, ...]
    signed: tuple[str, ...]
    is_cut: bool
    is_encrypted: bool


def read_whole(raw: bytes) -> Iterator[WholeEmail]:
    """Yield an email and those that are attached to it, to a certain depth."""
    waiting = [(raw, 0)]
    while waiting:
        one, depth = waiting.pop()
        top = part(one.lstrip(b"\r\n"))
        leaves, defects = walk(top, _PARTS, _DEPTH)
        yield _whole(
            top, leaves, defects, domains_with_hash(top.headers, below(one.lstrip(b"\r\n")))
        )
        if depth < _FORWARDED:
            waiting += [(octets(leaf), depth + 1) for leaf in leaves if _is_email(leaf)]


def _whole(
    top: Part, leaves: tuple[Part, ...], defects: tuple[str, ...], signed: tuple[str, ...]
) -> WholeEmail:
    parts = [leaf for leaf in leaves if not _is_email(leaf)]
    drawings = [leaf for leaf in parts if leaf.type == "image/png"]
    inline = [leaf for leaf in parts if not (leaf.attached or leaf.filename)]
    plain = [_unwrapped(leaf) for leaf in inline if leaf.type == "text/plain"]
    texts = [text for text in plain if not _VALUE.match(text)]
    drawn = [text_of(leaf) for leaf in inline if leaf.type == "text/html"]
    html = [text for text in drawn if not _PAGE.search(text)]
    pages = [text_of(leaf) for leaf in parts if _is_named(leaf, (".html", ".htm"))]
    pages += [text for text in drawn if _PAGE.search(text)]
    values = [octets(leaf) for leaf in parts if _is_json(leaf)]
    values += [text.encode("utf-8", "replace") for text in plain if _VALUE.match(text)]
    return WholeEmail(
        headers=top.headers,
        subject=mime.words(" ".join(top.headers.all("subject")), mime.MOST_VALUE),
        text="\n".join(texts) if texts else None,
        html="\n".join(html) if html else None,
        page="\n".join(pages) if pages else None,
        values=tuple(values),
        pictures={_content_id(leaf): octets(leaf) for leaf in drawings},
        others=(
            *(f"cid:{_content_id(leaf)}" for leaf in drawings),
            *(f"{leaf.type} {leaf.filename}".strip() for leaf in leaves if _is_other(leaf)),
            *(one for one in defects if one.startswith("too ")),
        ),
        signed=signed,
        is_cut=not is_closed(top),
        is_encrypted=is_encrypted(leaves),
    )


def _is_other(leaf: Part) -> bool:
    """Return whether a part is none of those that an email of ours has, nor a signature."""
    if _is_email(leaf):
        return True
    is_shown = leaf.type in ("text/plain", "text/html") and not (leaf.attached or leaf.filename)
    is_ours = is_shown or _is_json(leaf) or _is_named(leaf, (".html", ".htm"))
    return not (is_ours or leaf.type == "image/png" or leaf.type.endswith("-signature"))


def _content_id(leaf: Part) -> str:
    return leaf.headers.first("content-id").strip("<> ")


def _unwrapped(leaf: Part) -> str:
    text, params = text_of(leaf), leaf.params
    is_flowed = params.get("format", "").lower() == "flowed"
    return unflow(text, params.get("delsp", "").lower() == "yes") if is_flowed else text


def _is_email(leaf: Part) -> bool:
    return leaf.type == _EMAIL or (leaf.type in UNTYPED and _is_named(leaf, (".eml",)))


def _is_json(leaf: Part) -> bool:
    return leaf.type == "application/json" or _is_named(leaf, (".json",))


def _is_named(leaf: Part, endings: tuple[str, ...]) -> bool:
    return leaf.filename.lower().endswith(endings)


# What somebody has kept, of whoever it is: all that is said in it.


_NO_TEXTS = ("image/", "audio/", "video/", "message/rfc822")


def read_all(raw: bytes) -> tuple[Headers, list[str]]:
    """Return the head of an email and all its texts in their order, pages among them, whatever
    servers on its way have made of their encodings."""
    top = part(raw)
    leaves, _ = walk(top, _PARTS, _DEPTH)
    texts = [text_of(leaf) for leaf in leaves if not leaf.type.startswith(_NO_TEXTS)]
    return top.headers, texts


def split_mbox(raw: bytes) -> Iterator[bytes]:
    """Yield the emails of an mbox."""
    for email in re.split(rb"(?:\A|\r?\n\r?\n)From [^\n]*\n", raw):
        if email.strip():
            yield re.sub(rb"(?m)^>(>*From )", rb"\1", email)


def is_email(raw: bytes) -> bool:
    """Return whether a file begins as an email that was sent."""
    head = raw[:20_000].replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    return re.search(rb"(?mi)^(x-adjud|message-id|received):", head) is not None
