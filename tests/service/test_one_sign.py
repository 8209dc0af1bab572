"""One sign that is changed anywhere in an email is named: in its text, the words of its HTML and
page, their data, its Subject, or its value. Addresses of the web are left out, because servers
write them anew.

The emails are of every kind, of tournaments and ladders, and of three games and one in a package.
By night, more signs are changed (tests/scale.py).
"""

import random
import re
from collections.abc import Iterator, Sequence
from datetime import timedelta

import pytest
from msgspec import Struct
from msgspec.structs import replace

from adjudicator.mail.read.whole import read_whole
from adjudicator.service.audit import emailed
from adjudicator.service.audit import papers as papers_of_audit
from adjudicator.service.audit.same import Came, Result, compare
from tests import values
from tests.audits import Document, ValuePaper, read_papers
from tests.club import MONDAY
from tests.scale import scaled
from tests.service.every_email import CLUBS, MADE
from tests.service.mailclub import MailClub, value_in
from tests.service.test_daily_email_audit import play as play_daily
from tests.service.test_email_values import played
from tests.values import EmailValue, Forms, UnreadableValue, looking_back, write

pytestmark = [pytest.mark.usefixtures("skeleton"), pytest.mark.slow]
GAMES_SENT = ("espionage", "spion told once", "spies", "goofspiel")
DATA = re.compile(r"<script[^>]*application/json[^>]*>([^<]+)<")
WEB = re.compile(r"https?://[^\s<>\"']*")
HIDDEN = "\u200b\u00ad"  # signs that have no width


def spoiled(text: str, at: int) -> str:
    """Return a text with another sign of the same sort in a place."""
    sign = text[at]
    other = str((int(sign) + 1) % 10) if sign in "0123456789" else "y" if sign == "x" else "x"
    return text[:at] + other + text[at + 1 :]


def shown_places(text: str, spoiled: str = "") -> list[int]:
    """Return the places of the signs that are no blanks and stand in no address of the web."""
    addresses = [found.span() for found in WEB.finditer(text)]
    return [
        at
        for at, sign in enumerate(text)
        if not sign.isspace()
        and sign not in spoiled
        and not any(start <= at <= end for start, end in addresses)
    ]


def words_places(html: str) -> list[int]:
    """Return the places of the signs of the words that HTML shows."""
    places: list[int] = []
    body = html.index("<body")
    for piece in re.finditer(r">([^<]+)<", html[body:]):
        inside = html[body + piece.start(1) : body + piece.end(1)]
        entities = [found.span() for found in re.finditer(r"&[^;]*;", inside)]
        places += [
            body + piece.start(1) + at
            for at in shown_places(inside)
            if inside[at] != "\u200b" and not any(start <= at < end for start, end in entities)
        ]
    code = re.compile(r"<(script|style|title)\b.*?</\1>", re.DOTALL)
    unseen = [found.span() for found in code.finditer(html)]
    return [at for at in places if not any(start <= at < end for start, end in unseen)]


def tried_places(places: Sequence[int], chance: random.Random, number: int) -> list[int]:
    return chance.sample(places, min(number, len(places)))


class SentEmail(Struct, frozen=True):
    """An email that somebody got, and what he got before and later."""

    value: EmailValue
    came: Came
    others: Sequence[EmailValue]

    def written(self, value: EmailValue) -> Forms:
        """Return the email as another value in its place gives it."""
        return write(value, looking_back(value, self.others) if value.report is not None else ())

    def is_named(self, came: Came, ours: Forms, form: str) -> bool:
        found = compare(came, ours)
        return any(one.form == form and one.result is not Result.SAME for one in found)


_SENT: dict[str, list[tuple[str, bytes]]] = {}


@pytest.fixture(params=(*CLUBS, *GAMES_SENT))
def letters(request, store, tmp_path, monkeypatch) -> list[tuple[str, bytes]]:
    """Return the emails that a club has sent and that have a value, with their readers."""
    if request.param not in _SENT:
        club = MailClub(store, tmp_path / "spool")
        if request.param in CLUBS:
            CLUBS[request.param](club, "nb")
        else:
            played(request.param, club, monkeypatch)
        _SENT[request.param] = [(to, raw) for _, to, raw in club.way.letters if value_in(raw)]
    return _SENT[request.param]


def of_each_kind(letters: Sequence[tuple[str, bytes]]) -> Iterator[SentEmail]:
    """Yield one email of each kind, with each form that it may have."""
    told = [(to, raw, values.read(value_in(raw))) for to, raw in letters]
    kinds = {}
    for to, raw, value in told:
        has_html = value.said is not None and value.said.asked is not None
        page = value.report is not None and value.beside.page.shown
        kinds[value.kind, has_html, page, value.report is not None] = to, raw, value
    for to, raw, value in kinds.values():
        *_, whole = read_whole(raw)
        yield SentEmail(
            value=value,
            came=Came(whole.subject, whole.text, whole.html, whole.page),
            others=[part for who, _, one in told if who == to for part in values.each_of(one)],
        )


def test_each_kind_of_email_is_tried(letters, request) -> None:
    kinds = {one.value.kind for one in of_each_kind(letters)}
    if "matches" in request.node.name:
        assert kinds == MADE - {"alert"}  # which goes to the operator, without a value
    else:
        assert {"report", "receipt"} <= kinds


def test_one_sign_that_is_changed_in_what_an_email_shows_is_named(letters) -> None:
    chance = random.Random(40)
    tried = dict.fromkeys(("Subject", "text", "HTML", "page"), 0)
    for one in of_each_kind(letters):
        came, ours = one.came, one.written(one.value)
        assert {each.result for each in compare(came, ours)} == {Result.SAME}
        html, page = came.html or "", came.page or ""
        data = [at for part in DATA.finditer(page) for at in range(part.start(1), part.end(1))]
        for form, text, places, number in (
            ("Subject", came.subject or "", shown_places(came.subject or ""), 60),
            ("text", came.text or "", shown_places(came.text or "", HIDDEN), 60),
            ("HTML", html, words_places(html) if html else [], 20),
            ("page", page, words_places(page) if page else [], 6),
            ("page", page, data, 6),
        ):
            for at in tried_places(places, chance, scaled(number)):
                other = replace(came, **{form.lower(): spoiled(text, at)})
                assert one.is_named(other, ours, form), (
                    one.value.kind,
                    form,
                    text[at - 40 : at + 9],
                )
                tried[form] += 1
    assert min(tried.values()) > 10


def test_one_sign_that_is_changed_in_a_value_is_named(letters, tmp_path) -> None:
    """It cannot be read, or gives another email, or the next one to the seat, or to the player, has
    the fingerprint of another. So the last one to each reader has nothing behind it for what it
    does not show."""
    chance = random.Random(41)
    for number, (to, raw) in enumerate(letters):
        (tmp_path / f"{to}-{number:03}.eml").write_bytes(raw)
    for reader in {to for to, _ in letters}:
        papers, unread, _ = read_papers(*sorted(tmp_path.glob(f"{reader}-*.eml")))
        assert unread == []
        assert_each_sign_is_named(papers, chance, scaled(15))


def assert_each_sign_is_named(
    papers: Sequence[Document], chance: random.Random, number: int
) -> set[str]:
    """Change so many signs in each value that has a later one; return the kinds of these."""
    tried = set()
    for paper in papers:
        if paper.value is not None and has_one_behind(paper, papers):
            text = values.to_json(paper.value.told)
            tried.add(str(paper.value.told.kind))
            for at in tried_places(range(len(text) - 1), chance, number):
                name = text[max(0, at - 40) : at + 9]
                assert value_is_named(spoiled(text, at), paper, papers), name
    return tried


def test_one_sign_that_is_changed_in_a_daily_or_personal_email_is_named(store, tmp_path) -> None:
    """Also in what it does not show, such as when it was made."""
    club = MailClub(store, tmp_path / "spool")
    play_daily(club)
    for number, words in enumerate(("PREFS TIPS OFF", "STATUS", "PREFS TIPS ON")):
        club.say("Anna", words, at=(now := MONDAY + timedelta(days=10, hours=number)))
        club.run_tick(now)
    mine = [raw for _, to, raw in club.way.letters if to == "anna@example.org" and value_in(raw)]
    for number, raw in enumerate(mine):
        (tmp_path / f"{number:03}.eml").write_bytes(raw)
    papers, unread, _ = read_papers(*sorted(tmp_path.glob("*.eml")))
    assert unread == []
    tried = assert_each_sign_is_named(papers, random.Random(42), scaled(150))
    assert {"daily", "receipt"} <= tried
    assert [*emailed.personal([one for one in papers if one.is_personal])] == []


def has_one_behind(paper: Document, papers: Sequence[Document]) -> bool:
    """Return whether the value of an email has a later one to the same holder or player. A daily
    email is tried as a whole, whose parts have numbers of their own."""
    assert paper.value is not None
    own = paper.value.told
    if paper.is_personal == bool(own.to.match) or own.n is None:
        return False
    others = [one.value.told for one in papers if one.value]
    every = [one for other in others for one in (other, *values.each_of(other))]
    return any(place(one)[:-1] == place(own)[:-1] and (one.n or 0) > own.n for one in every)


def value_is_named(text: str, paper: Document, papers: Sequence[Document]) -> bool:
    """Return whether an audit names a value; one that says that it has another number, is of
    another match or to another reader, leaves a gap where it was."""
    assert paper.value is not None
    own = paper.value.told
    others = [
        one
        for one in papers
        if one is not paper and (one.match, one.is_personal) == (paper.match, paper.is_personal)
    ]
    try:
        said = values.read(text.encode())
    except UnreadableValue:
        return True
    if said.to.match == own.to.match:
        others.append(replace(paper, value=ValuePaper(said, None)))
    if paper.is_personal:
        found = [*emailed.personal([replace(one, value=bare(one)) for one in others])]
    else:
        valued = papers_of_audit.read_values(others)
        found = [*emailed.numbers(valued), *emailed.unknown_epochs(others, valued)]
    named = {one.judged_by or one.told.text.partition(":")[0] for one in found}
    gap = set() if place(said) == place(own) else {"n/missing"}
    return bool(named & {"n/before", "n/twice", "n/epoch", *gap})


def bare(paper: Document) -> ValuePaper:
    """Return the value of an email without how it came."""
    assert paper.value is not None
    return ValuePaper(paper.value.told, None)


def place(value: EmailValue) -> tuple[str, str, int, int | None, int | None]:
    """Return where a value stands among those to its reader."""
    to = value.to
    return to.match, to.seat, to.tenure, to.player, value.n
