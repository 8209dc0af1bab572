"""Build the club's pages in a tick, before letters go out that lead to them."""

from collections.abc import Iterator
from datetime import datetime

from adjudicator.core.message import Message, say
from adjudicator.reports.club import Introduction
from adjudicator.service.base.context import (
    BREAKDOWNS,
    Context,
    Progress,
    Refusal,
    why_of_breakdown,
)
from adjudicator.service.club import publishing, seat_folders, site
from adjudicator.store import clubs, outgoing
from adjudicator.store.database import Store


def refresh(store: Store, *, now: datetime, context: Context) -> Iterator[Progress]:
    """Build the pages if letters are to go out and something has changed that pages show.

    What a seat sends is nothing of that kind, so their time tells nobody who has sent. A fault here
    stops no letter.
    """
    with store.reading() as tx:
        if not outgoing.due(tx, now):
            return
    yield from _built(store, now, context)


def rebuild(store: Store, *, now: datetime, context: Context) -> Iterator[Message]:
    """Build the pages if something has changed that they show; say so if nobody but the operator
    can. Raises Refusal if they cannot be built."""
    if context.pages is None or context.post is None:
        with store.reading() as tx:
            built = clubs.site_built(tx)
        if built is not None:
            yield say("the club's pages are built by hand: run `adjud site build` again")
        return
    for done in _built(store, now, context):
        if done.urgent:
            raise Refusal(done.text)
        yield done.text


def _built(store: Store, now: datetime, context: Context) -> Iterator[Progress]:
    pages, post = context.pages, context.post
    if pages is None or post is None:
        return
    made = site.ClubSite(
        store=store,
        key=post.keys[0],
        post=post,
        own=introduction(context),
        language=pages.language,
        zone=pages.zone,
        now=now,
        url=context.site_url,
    )
    try:
        if made.is_current(publishing.served(pages.folder)):
            return
        publishing.publish(pages.folder, made.fill, unlisted=[seat_folders.SEATS], at=now)
        site.note_built(store, now=now)
    except Refusal as refusal:
        yield from (Progress(_not_built(why), urgent=True) for why in refusal.messages)
    except BREAKDOWNS as trouble:
        yield Progress(_not_built(why_of_breakdown(trouble)), urgent=True)
    except Exception as fault:
        if context.raise_faults:
            raise
        kind = say("an error inside adjud ({kind})", kind=type(fault).__name__)
        yield Progress(_not_built(kind), urgent=True)
    else:
        yield Progress(say("the club's pages are built"))


def introduction(context: Context) -> Introduction:
    return Introduction(
        name=context.club,
        welcome=context.welcome,
        game_master=context.game_master,
        contact=context.contact,
    )


def _not_built(why: Message) -> Message:
    return say("the club's pages are not built: {why}", why=why)
