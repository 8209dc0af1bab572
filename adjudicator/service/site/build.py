"""The pages of a club.

Everybody may read the public ones. Each seat's own pages have a name that only somebody to whom it
was given can know. Nothing public depends on what a seat may not show: who has sent, what he sent,
how long it is.

The pages of a match are made anew when something changes that they say, or the program. That is a
ply, a ruling or another holder, and never what a seat sends: whoever sees the folder, or the site's
record, could see by it who has sent. So a seat's page is its report after the last ply, with what
all were told since. The store counts such changes (`store/matches.count_change`). The site's record
has a line for each match, with a stamp that follows from that count; while the stamp is the same,
nothing of the match is looked at.

A head of the log is listed only once a report with it was handed over, for a listed ply cannot be
taken back. Where a person holds a seat, the build itself shows the report of the last ply, so the
heads follow from the number of plies alone. Where only built-in players do, a report may be printed
at any time, and the stamp says how far they were.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from hashlib import sha256

from msgspec import Struct, structs
from msgspec.json import decode, encode
from msgspec.structs import replace

from adjudicator.games import GAMES
from adjudicator.mail.address import Key, MailDomain, fingerprint, public_address
from adjudicator.reports import club
from adjudicator.reports.words import words
from adjudicator.resources import edition
from adjudicator.service.base.loaded_match import Loaded, Unreadable, find, gather, readable
from adjudicator.service.competition.standings import counting, games_of, histories
from adjudicator.service.reports import printing
from adjudicator.service.reports.printing import Printable
from adjudicator.service.site import club_pages, club_view, match_pages
from adjudicator.service.site.club_view import ClubView, PublicPage
from adjudicator.service.site.match_pages import (
    SEATS,
    ShownMatch,
    board_of,
    going_row,
    held_row,
    log_of,
    log_row,
    over_row,
    pages_of,
    players,
    public_report,
    row_of,
    seat_folder_of,
    unopened_match,
    unread_row,
)
from adjudicator.service.site.publish import (
    Draft,
    EarlierVersion,
    MatchLine,
    NotedLine,
    OtherLine,
    RulesLine,
    SitePage,
    SiteRow,
    line_of_match,
    noted_lines,
    sizes,
)
from adjudicator.store import clubs, ladders, matches, results, tournaments, turns
from adjudicator.store.database import Store, Tx

_CLUB = "/club"  # stands in the record for what is no match's
_UNREAD = ""  # the stamp of a match that cannot be read: its pages are made as soon as it can
_ROBOTS = "User-agent: *\nDisallow: /\n"


class ClubSite(Struct, frozen=True, kw_only=True, dict=True):
    """The pages of a club; the public ones are in this language and time zone.

    `post` says where emails come home; with it a seat's own pages lead to an email with its
    orders, and open seats to one that asks for them. `own` is what the club says of itself.
    `url` is where the pages are served from, empty if nobody knows. `progress` is called after each
    match with the number of all matches.
    """

    store: Store
    key: Key
    post: MailDomain | None = None
    own: club.Introduction = club.Introduction()
    language: str
    zone: str
    now: datetime
    url: str = ""
    progress: Callable[[int], None] = lambda _: None
    rows: list[SiteRow] = []

    @property
    def going(self) -> int:
        """Return how many of the matches whose pages are made are still being played."""
        return sum(row.going is not None for row in self.rows)

    @property
    def over(self) -> int:
        return len(self.rows) - self.going

    def fill(self, draft: Draft) -> None:
        """Write the files, or take them from an earlier version. Only those of one match are held
        at once.

        Every seat's newest report counts as delivered from now on.
        """
        program = _digest(edition(), self.language)
        with self.store.reading() as tx:
            stamps, common = self._stamps(tx, program), self._common(tx)
        noted = noted_lines(draft.earlier)
        rows = self._rows_taken(draft, stamps, noted)
        for match, stamp in stamps.items():
            if match not in rows:
                line = self._line(draft, match, stamp, noted.get(match, ()))
                draft.note([encode(line)])
                rows[match] = line.row
                self.progress(len(stamps))
        self.rows[:] = (rows[match] for match in stamps)
        links = self._links(draft, program, noted.get("", ()))
        view = self._view(links)
        for pages in club_pages.PAGES:
            for page in pages(view):
                self._keep_or_make(draft, page, program, noted)
        draft.note([encode(OtherLine(match=_CLUB, stamp=common))])

    def is_current(self, served: EarlierVersion | None) -> bool:
        """Return whether nothing has changed that the pages show since a version of them was made.

        A match that could not be read then has no stamp. It does not count: else pages would be
        made in each tick, and their time would tell when emails came.
        """
        program, lines = _digest(edition(), self.language), noted_lines([served] if served else [])
        noted = {match: found[0].stamp for match, found in lines.items()}
        with self.store.reading() as tx:
            stamps, common = self._stamps(tx, program), self._common(tx)
        if (noted.pop("", None), noted.pop(_CLUB, None)) != (program, common):
            return False
        noted = {match: stamp for match, stamp in noted.items() if not match.startswith("/")}
        if noted.keys() != stamps.keys():
            return False
        return all(noted[match] in (stamp, _UNREAD) for match, stamp in stamps.items())

    def _view(self, rules: Sequence[tuple[str, str]]) -> ClubView:
        with self.store.reading() as tx:
            counted = counting(tx)
            people = club_pages.paged_players(tx, counted)
            reliable = club_pages.reliable_players(tx, self.language, self.now)
            cups, climbed = club_pages.all_tournaments(tx), club_pages.ladder_tables(tx)
        return ClubView(
            id=self.post.domain if self.post else seat_folder_of(self.key, "feed", "", 0),
            own=replace(self.own, address=public_address(self.post) if self.post else ""),
            url=self.url,
            language=self.language,
            zone=self.zone,
            now=self.now,
            rules=rules,
            rows=self.rows,
            people=people,
            rated={slug: histories(counted, slug) for slug in games_of(counted)},
            reliable=reliable,
            tournaments=cups,
            ladders=climbed,
        )

    def _keep_or_make(
        self, draft: Draft, page: PublicPage, program: str, noted: Mapping[str, Sequence[NotedLine]]
    ) -> None:
        """Take a page that says the same from an earlier version, or make it."""
        key, stamp = f"/{page.path}", _digest(program, page.says)
        for one in noted.get(key, ()):
            if one.stamp == stamp:
                before = decode(one.line, type=OtherLine)
                draft.note([one.line])
                if draft.take(one.earlier, sizes(before.pages)):
                    return
        pages = _write(draft, page.path, page.printed())
        draft.note([encode(OtherLine(match=key, stamp=stamp, pages=pages))])

    def _common(self, tx: Tx) -> str:
        """Return the stamp of what the pages of the whole club say beside their matches."""
        former = results.changes_of_former_holders(tx)
        changes = former, tournaments.changes(tx), ladders.changes(tx)
        return _digest(changes, self.url, structs.astuple(self.own))

    def _stamps(self, tx: Tx, program: str) -> Mapping[str, str]:
        """Return the stamp of each match by its name, the oldest match first."""
        post = [f"{self.post.user}{self.post.delimiter}@{self.post.domain}"] if self.post else []
        common = _digest(program, clubs.epoch(tx), self.zone, fingerprint(self.key), *post)
        return {
            version.name: f"{common} {version.changes} {version.changes_of_players} {version.told}"
            for version in matches.versions(tx)
        }

    def _rows_taken(
        self, draft: Draft, stamps: Mapping[str, str], noted: Mapping[str, Sequence[NotedLine]]
    ) -> dict[str, SiteRow]:
        """Take the pages of the matches of which nothing has changed; return their rows."""
        same = {
            match: one
            for match, found in noted.items()
            for one in found
            if one.stamp == stamps.get(match)
        }
        draft.note(one.line for one in same.values())
        rows = {}
        for match, one in same.items():
            line = line_of_match(one)
            if line is not None and draft.take(one.earlier, sizes(line.pages)):
                rows[match] = line.row
                self.progress(len(stamps))
        return rows

    def _line(self, draft: Draft, match: str, stamp: str, noted: Sequence[NotedLine]) -> MatchLine:
        """Make the pages of a match; if it cannot be read, take those of before, if there are any,
        and say that it is held."""
        try:
            return self._make_match(draft, match, stamp, noted)
        except Unreadable as unread:
            row = unread_row(unread.match, self.language)
        for one in noted:
            before = line_of_match(one)
            if before is not None:
                line = MatchLine(match, _UNREAD, held_row(before.row, row), before.pages)
                draft.note([encode(line)])
                if draft.take(one.earlier, sizes(line.pages)):
                    return line
        return MatchLine(match, _UNREAD, row, [])

    def _make_match(
        self, draft: Draft, match: str, stamp: str, noted: Sequence[NotedLine]
    ) -> MatchLine:
        common, _, _ = stamp.partition(" ")
        earlier = {
            line.watched: (one.earlier, line.pages)
            for one in noted
            if (line := line_of_match(one)) is not None and line.watched
        }
        found = self._look(match, common, earlier)
        if isinstance(found, Loaded):
            going = unopened_match(found, self.language, self.zone, self.post)
            return MatchLine(match, stamp, row_of(found.match, going=going), [])
        pages: list[SitePage] = []
        if found.watched:
            pages += self._write_watched(draft, match, found, earlier.get(found.watched))
        shown = {path: _digest_of_page(common, one) for path, one in pages_of(found, self.key)}
        others = [one for one in noted if one.stamp != stamp]  # else a page was lost
        for path, printable in pages_of(found, self.key):
            taken = self._take_earlier(draft, path, shown[path], others)
            pages += taken or _write(draft, path, printing.render(printable, "html"))
        if listed := log_of(found):
            heads = [log_row(one, self.language, self.zone) for one in found.heads]
            page = club.log(match, found.loaded.match.epoch, heads, self.language)
            pages += _write(draft, listed.page, page)
        if found.is_over and (board := board_of(found)):
            pages.append(_write_picture(draft, board, found.whole))
        return MatchLine(match, stamp, self._row(found), pages, found.watched, shown)

    def _take_earlier(
        self, draft: Draft, path: str, shown: str, noted: Sequence[NotedLine]
    ) -> Sequence[SitePage]:
        """Take a seat's page that shows the same from an earlier version, so that nothing of it
        tells what another player has changed; return its files, none if there is no such page."""
        for one in noted:
            before = line_of_match(one)
            if before is None or before.shown.get(path) != shown:
                continue
            same = [page for page in before.pages if page.path.startswith(("shared/", path))]
            draft.note([encode(page.path) for page in same])
            if draft.take(one.earlier, sizes(same)):
                return same
        return ()

    def _row(self, match: ShownMatch) -> SiteRow:
        since = match.loaded.since.timestamp()
        if match.is_over:
            over = over_row(match, self.language, self.zone)
            return row_of(match.loaded.match, over=over, ended_at=since)
        going = going_row(match, self.language, self.zone, self.post)
        return row_of(match.loaded.match, going=going, ended_at=since)

    def _write_watched(
        self,
        draft: Draft,
        match: str,
        found: ShownMatch,
        earlier: tuple[EarlierVersion, Sequence[SitePage]] | None,
    ) -> Sequence[SitePage]:
        """Write the page for onlookers, or take it from an earlier version: it is printed anew only
        when something has changed that it shows."""
        path, board = f"matches/{match}.html", club_view.board_of_match(match)
        if earlier is not None:
            version, before = earlier
            same = [page for page in before if page.path.startswith(("shared/", path, board))]
            draft.note([encode(page.path) for page in same])
            if draft.take(version, sizes(same)):
                return same
        page = found.watching
        if page is None and isinstance(again := self._look(match, "", {}), ShownMatch):
            page = again.watching
        if page is None:
            return []
        return [
            *_write(draft, path, printing.render(page, "html")),
            _write_picture(draft, board, page),
        ]

    def _look(self, name: str, common: str, earlier: Collection[str]) -> ShownMatch | Loaded:
        """Return what the pages of a match show; the match itself if it has no position."""
        with self.store.transaction() as tx:
            match = find(tx, name)
            with readable(match):
                loaded = gather(tx, match)
                if not loaded.is_opened:
                    return loaded
                own = printing.for_site(tx, loaded, now=self.now, post=self.post)
                whole = Printable(public_report(tx, loaded), self.language, self.zone)
                heads = turns.told_heads(tx, match.id)
                shown = ShownMatch(loaded, own, whole, heads)
                seen = match_pages.onlookers_ply(tx, loaded)
                if seen is None:
                    return shown
                tell = words(self.language, match.game, self.zone)
                lines = match_pages.watched_lines(loaded, seen, tell)
                mark = _digest(common, seen, lines, players(loaded, tell))
                page = None
                if mark not in earlier:
                    page = match_pages.watched_page(
                        tx, loaded, seen, lines, self.language, self.zone
                    )
                return replace(shown, watched=mark, watching=page)

    def _links(
        self, draft: Draft, stamp: str, noted: Sequence[NotedLine]
    ) -> Sequence[tuple[str, str]]:
        """Make or take the pages that follow from the program and the language alone; return the
        links to the rules."""
        for one in noted:
            if one.stamp == stamp:
                before = decode(one.line, type=RulesLine)
                draft.note([one.line])
                if draft.take(one.earlier, sizes(before.pages)):
                    return before.links
        pages = [SitePage("robots.txt", draft.write("robots.txt", _ROBOTS.encode()))]
        pages += _write(draft, f"{SEATS}/index.html", club.seats_page(self.language))
        for place, drawn in club_view.pictures(self.language):
            pages.append(SitePage(place, draft.write(place, drawn.encode())))
        links = []
        for slug, game in GAMES.items():
            if game.page.rules:
                tell = words(self.language, slug)
                path = f"rules/{slug}.html"
                pages += _write(draft, path, club.rules(slug, game.page.rules(tell), self.language))
                links.append((slug, path))
        draft.note([encode(RulesLine(stamp=stamp, links=links, pages=pages))])
        return links


def _digest_of_page(common: str, page: Printable) -> str:
    """Return the digest of all that a page shows but the time at which it was made."""
    return _digest(common, replace(page, report=replace(page.report, as_of=None)))


def _write(draft: Draft, path: str, page: str) -> list[SitePage]:
    """Write a page and what it shares with others; return these files."""
    return [
        SitePage(name, draft.write(name, text.encode())) for name, text in club.apart(page, path)
    ]


def _write_picture(draft: Draft, place: str, shown: Printable) -> SitePage:
    """Write the picture of a report's board."""
    return SitePage(place, draft.write(place, printing.render(shown, "svg").encode()))


def _digest(*values: object) -> str:
    return sha256(encode(values, order="deterministic")).hexdigest()[:32]


def note_built(store: Store, *, now: datetime) -> None:
    """Note of when the pages are that a web server now serves; emails that lead there say it."""
    with store.transaction() as tx:
        clubs.build_site(tx, now)
