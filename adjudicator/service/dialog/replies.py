"""The one answer to a letter. It goes to the address on file, whoever wrote."""

from collections.abc import Sequence
from datetime import datetime
from textwrap import fill

from msgspec import Struct

from adjudicator.core.message import Message
from adjudicator.mail.letter import Letter
from adjudicator.service.loading import Loaded
from adjudicator.service.means import Means
from adjudicator.store import outbox
from adjudicator.store.database import Tx

WIDTH = 78


class Reply(Struct, frozen=True):
    """`kind` is receipt, refusal or confirm; `text` is complete by itself."""

    kind: str
    subject: Message
    text: str
    page: bool = False  # whether the seat's report goes with it


def queue(
    tx: Tx,
    loaded: Loaded,
    seat: str,
    reply: Reply,
    letter_id: int,
    letter: Letter | None,
    *,
    now: datetime,
    means: Means,
    mark: str = "",
) -> None:
    """Queue the answer to that letter; the key keeps it to one. `mark` ends the key of one that
    another answer may follow."""
    holder = loaded.holders[seat]
    if holder.player_id is None:
        return
    key = f"{loaded.match.name}/{loaded.match.ply}/{seat}/{reply.kind}/{letter_id}"
    made = outbox.Letter(
        key=f"{key}{mark}",
        kind=reply.kind,
        match_id=loaded.match.id,
        ply=loaded.match.ply,
        seat=seat,
        player_id=holder.player_id,
        confirmed=holder.confirmed,
        body={
            "subject": reply.subject,
            "text": reply.text,
            "page": reply.page,
            "answers": letter.message_id if letter else None,
            "references": list(letter.references[:10]) if letter else [],
        },
    )
    outbox.put(tx, [made], now, way_out=means.way_out)


def paragraphs(parts: Sequence[str]) -> str:
    """One text, its long lines broken between words."""
    said = "\n\n".join(part.strip("\n") for part in parts if part.strip())
    return "\n".join(_broken(line) for line in said.split("\n")) + "\n"


def _broken(line: str) -> str:
    if len(line) <= WIDTH:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    return fill(
        line,
        WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
