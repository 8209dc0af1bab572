"""Build the club's pages in a tick, when emails went out that lead to them."""

from collections.abc import Iterator, Sequence

from adjudicator.core.message import Message, say
from adjudicator.reports.club import Introduction
from adjudicator.service.base.context import (
    BREAKDOWNS,
    Context,
    OpenClub,
    Progress,
    Refusal,
    why_of_breakdown,
)
from adjudicator.service.base.jobs import raise_what_stops_all
from adjudicator.service.site import build, match_pages, publish
from adjudicator.store import clubs
from adjudicator.store.database import Store, StoreTrouble


def refresh(club: OpenClub) -> Iterator[Progress]:
    """Build the pages if something has changed that they show; a tick asks for it only when emails
    were to go out, and once a day.

    What a seat sends is nothing of that kind, so their time tells nobody who has sent. A fault here
    stops nothing else.
    """
    return _build(club)


def rebuild(club: OpenClub) -> Iterator[Message]:
    """Build the pages if something has changed that they show; say so if nobody but the operator
    can. Raises Refusal if they cannot be built."""
    if club.context.pages is None or club.context.post is None:
        with club.store.reading() as tx:
            built = clubs.site_built(tx)
        if built is not None:
            yield say("the club's pages are built by hand: run `adjud site build` again")
        return
    for done in _build(club):
        if done.urgent:
            raise Refusal(done.text)
        yield done.text


def _build(club: OpenClub) -> Iterator[Progress]:
    pages, post = club.context.pages, club.context.post
    if pages is None or post is None:
        return
    made = build.ClubSite(
        store=club.store,
        key=post.keys[0],
        post=post,
        own=introduction(club.context),
        language=pages.language,
        zone=pages.zone,
        now=club.now,
        url=club.context.site_url,
    )
    why: Sequence[Message]
    try:
        is_current = made.is_current(publish.served_version(pages.folder))
        if not is_current:
            publish.publish(pages.folder, made.fill, unlisted=[match_pages.SEATS], at=club.now)
        if not is_current or not is_there(club.store):
            build.note_built(club.store, now=club.now)
    except Refusal as refusal:
        why = refusal.messages
    except BREAKDOWNS as trouble:
        why = [why_of_breakdown(trouble)]
    except StoreTrouble as trouble:
        why = [trouble.message]
    except Exception as fault:
        raise_what_stops_all(fault, club.context)
        why = [say("an error inside adjud ({kind})", kind=type(fault).__name__)]
    else:
        if not is_current:
            yield Progress(say("the club's pages are built"))
        return
    with club.store.transaction() as tx:  # so that no email leads there before they are
        clubs.build_site(tx, None)
    for one in why:
        yield Progress(say("the club's pages are not built: {why}", why=one), urgent=True)


def is_there(store: Store) -> bool:
    """Return whether the pages were built when that was last tried."""
    with store.reading() as tx:
        return clubs.site_built(tx) is not None


def introduction(context: Context) -> Introduction:
    return Introduction(
        name=context.club,
        welcome=context.welcome,
        game_master=context.game_master,
        contact=context.contact,
    )
