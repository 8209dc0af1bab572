"""Take letters into the spool that our own mail server hands on by LMTP."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from io import BytesIO
from pathlib import Path

from adjudicator.core.message import Message, say
from adjudicator.mail.address import Post
from adjudicator.mail.transport import spool
from adjudicator.mail.transport.lmtp import serve_lmtp
from adjudicator.mail.transport.ways import BadWay
from adjudicator.service.base import spool_mark
from adjudicator.service.base.environment import Means
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.letters_in.whose import is_ours
from adjudicator.store.database import Store, StoreTrouble, open_store

Tell = Callable[[Message], object]


@contextmanager
def serve(store: Store, means: Means, host: str, port: int, tell: Tell) -> Iterator[None]:
    """Take letters while the block runs.

    Whoever writes to an address that is nobody's is refused before he has sent anything (RFC 2033).
    `tell` is told of letters that could not be stored.
    """
    post, folder = means.post, means.spool
    if post is None or folder is None:
        raise Refusal(say("letters have no address of ours to come to; set mail.domain"))
    spool_mark.claim(store, folder)
    try:
        with serve_lmtp(
            host,
            port,
            lambda sender, recipient, raw: _keep(folder, sender, recipient, raw),
            lambda recipient: _known(store, post, recipient),
            failed=lambda trouble: tell(say("not stored: {why}", why=_why(trouble))),
        ):
            yield
    except BadWay as trouble:
        raise Refusal(trouble.message) from None


def _keep(folder: Path, sender: str, recipient: str, raw: bytes) -> None:
    spool.put(folder, BytesIO(raw), sender=sender, recipient=recipient, channel="lmtp")


def _known(store: Store, post: Post, recipient: str) -> bool:
    """Return whether the club has that address.

    Nobody is refused for good until the database was opened anew: since we opened it, the club may
    have been moved away, or restored to another file, and has made addresses there. Raises
    StoreTrouble if it cannot be asked; then the mail server keeps the letter.
    """
    with store.reading() as tx:
        if is_ours(tx, post, recipient):
            return True
    with (
        closing(open_store(store.engine.url.render_as_string(hide_password=False))) as anew,
        anew.reading() as tx,
    ):
        return is_ours(tx, post, recipient)


def _why(trouble: Exception) -> Message | str:
    """Return the kind of trouble, and nothing that a letter could have put there."""
    if isinstance(trouble, StoreTrouble):
        return trouble.message
    return (trouble.strerror if isinstance(trouble, OSError) else None) or type(trouble).__name__
