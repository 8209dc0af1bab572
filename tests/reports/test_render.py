import json
import re
import shlex
import subprocess
import unicodedata
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from html.parser import HTMLParser
from random import Random
from textwrap import TextWrapper
from typing import Any

import pytest
from msgspec.structs import astuple
from samples import played, report

from adjudicator.core.game import fold
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.rules.pieces import ARMIES
from adjudicator.reports.frame import ReplyForm
from adjudicator.reports.render import WIDTH, script, to_json, wrap
from adjudicator.reports.words import moment_in_words
from adjudicator.resources import template
from tests.reports.printing import page as rows_of
from tests.reports.printing import render

SEATS = ("white", "black")
# What was done, above the reason in the game master's own words.
NOTICE = {"text": "The deadline was moved."}
LANGUAGES = ("en", "nb", "sv")
NASTY = "<b>\"Eve\"</b> & 'co'"


@cache
def stand(name: str) -> Any:
    """Return a moment of a match that shows much."""
    if name == "setup":
        return next(played())
    if name == "first":
        return list(played(most=1))[-1]
    if name == "quiet":
        return list(played(most=120, no_progress="40"))[-1]
    if name == "fights":
        return list(played(most=313, fights="both"))[-1]
    if name == "open":
        return list(played(variant="open-fast", most=150))[-1]
    if name == "cancelled":
        state, events = next(played())
        ended = tuple(ESPIONAGE.rules.close(state, "cancelled"))
        return fold(ESPIONAGE, state, ended), events + ended
    return list(played(variant="small-fast"))[-1]


STANDS = ("setup", "first", "quiet", "fights", "open", "over", "cancelled")


def reported(name: str, seat: str = "white", **more: Any) -> dict[str, Any]:
    return report(*stand(name), seat, **more)


def text(told: dict[str, Any], language: str = "en", zone: str = "UTC") -> str:
    return render(ESPIONAGE, told, "txt", language, zone)


def html(told: dict[str, Any], language: str = "en", zone: str = "UTC") -> str:
    return render(ESPIONAGE, told, "html", language, zone)


def full(name: str, seat: str) -> dict[str, Any]:
    """Return a report with everything that can be in one."""
    return reported(
        name,
        seat,
        orders={"revision": 2, "lines": ["d3-d4", "f3-f4"]},
        draw_offer="black",
        barred=[{"from": "d4", "to": "d3"}],
        no_progress_left=1,
        notices=[{"at": "2026-11-22T10:00:00Z", "told": NOTICE, "reason": "word " * 60}],
    )


class Page(HTMLParser):
    """The tags of a page, checked for closing, and their attributes."""

    VOID = frozenset({"meta", "br", "hr", "img", "input", "link"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("name", STANDS)
@pytest.mark.slow
def test_no_line_of_text_is_wider_than_a_terminal(name: str, seat: str, language: str) -> None:
    """The salt in the lines for a shell alone may be, for it cannot be broken."""
    page = text(full(name, seat), language, "America/Argentina/Buenos_Aires")
    broken = re.sub(r"^ *'[0-9a-f]{64}' \\$", "", page, flags=re.M)
    assert max(map(len, broken.splitlines())) <= 70
    assert not [line for line in page.splitlines() if line.endswith(" ")]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("name", STANDS)
def test_a_page_is_one_small_file_that_fetches_nothing_and_runs_its_own_scripts_alone(
    name: str, seat: str, language: str
) -> None:
    page = html(full(name, seat), language)
    assert len(page.encode()) < 100_000
    parsed = Page(page)
    assert not parsed.open
    names = {tag for tag, _ in parsed.tags}
    assert not names & {"img", "link", "iframe", "object", "embed", "base", "form"}
    for _, attributes in parsed.tags:
        assert not [key for key in attributes if key.startswith("on") or key == "src"]
        assert (attributes.get("href") or "#").startswith(("#", "data:text/plain;"))
    assert "@import" not in page
    assert re.findall(r"url\(([^#)].*?)\)", page) == []
    policy = next(a["content"] or "" for _, a in parsed.tags if "http-equiv" in a)
    assert re.findall("'sha256-.*?'", policy) == [hashed(text) for text in scripts_of(page)]
    assert "unsafe-inline" not in policy.replace("style-src 'unsafe-inline'", "")
    remote = set(re.findall(r"https?://[^\s\"'<]*", page))
    assert remote <= {"http://www.w3.org/2000/svg"}


def test_scripts_leave_their_comments_behind() -> None:
    """What they are cut by sees lines alone, so no text of theirs may go over several."""
    templates = template("shared/age.js").parents[1]
    names = [str(path.relative_to(templates)) for path in templates.rglob("*.js")]
    assert names
    for name in names:
        assert not re.search(r"^\s*(//|/\*)", script(name), re.MULTILINE), name
        lines = template(name).read_text("utf-8").split("\n")
        assert all(line.count("`") % 2 == 0 for line in lines), name


def scripts_of(page: str) -> list[str]:
    """Return the texts of all scripts but those that only hold data."""
    return re.findall(r"<script(?! type=\"application/json\").*?>(.*?)</script>", page, re.DOTALL)


def hashed(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_says_its_language_and_suits_phones_and_dark_rooms(language: str) -> None:
    page = html(reported("quiet"), language)
    parsed = Page(page)
    assert ("html", {"lang": language}) in parsed.tags
    assert any(attributes.get("name") == "viewport" for _, attributes in parsed.tags)
    assert "prefers-color-scheme:dark" in page
    assert "@media print" in page
    ids = [attributes["id"] for _, attributes in parsed.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    drawn = [attributes for tag, attributes in parsed.tags if tag == "svg"]
    assert all(one.get("role") == "img" or one.get("aria-hidden") == "true" for one in drawn)
    picture = next(attributes for attributes in drawn if attributes.get("class") == "board")
    assert set((picture["aria-labelledby"] or "").split()) <= set(ids)


def board(page: str) -> list[str]:
    return re.findall(r"^ {0,2}\d+ .* \d+$", page, re.MULTILINE)


@pytest.mark.parametrize("name", ["first", "quiet", "over"])
def test_the_own_side_lies_below_and_free_of_brackets(name: str) -> None:
    size = reported(name)["board"]["size"]
    white, black = (board(text(reported(name, seat))) for seat in SEATS)
    assert white[-1].split()[0] == "1"
    assert black[-1].split()[0] == str(size)
    assert len(white) == len(black) == size
    for seat, rows in zip(SEATS, (white, black), strict=True):
        signs = "".join(row[4 : 4 + 3 * size] for row in rows)
        pieces = reported(name, seat)["pieces"]
        own = sum(piece["side"] == seat for piece in pieces)
        assert len(re.findall(r" [1-5SPMH] ", signs)) == own
        assert signs.count("(") == len(pieces) - own


def test_both_drawings_turn_the_board_for_black() -> None:
    head = {
        seat: text(reported("setup", seat)).split("-----\n")[1].split("\n")[0] for seat in SEATS
    }
    assert head["white"].split() == list("abcdefghij")
    assert head["black"].split() == list("jihgfedcba")
    corner = {
        seat: re.search(r'<text x="(\d+) [^>]*>abc', html(reported("setup", seat)))
        for seat in SEATS
    }
    assert corner["white"]
    assert corner["black"]
    assert int(corner["white"][1]) < int(corner["black"][1])


def test_a_rank_that_the_seat_does_not_know_stands_nowhere() -> None:
    told = reported("first")
    page = rows_of(ESPIONAGE, told)
    theirs = next(army for army in page.armies if army.side == "black")
    assert [entry[:3] for entry in theirs.entries] == [("?", "Unknown, has not moved", 30)]
    side = next(row for row in page.shapes.pieces if row[0] == "black")
    assert {row[2] for row in side[2]} == {"?"}


def strings(value: Any) -> Iterator[str]:
    """Yield all strings anywhere in rows and tables."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from strings([*value, *value.values()])
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)


@pytest.mark.parametrize("stood", STANDS)
def test_a_drawing_needs_no_escaping(stood: str) -> None:
    for seat in SEATS:
        shapes = rows_of(ESPIONAGE, full(stood, seat)).shapes
        assert [
            text for text in strings(astuple(shapes)) if not re.fullmatch(r"[\w ?.,-]*", text)
        ] == []


@pytest.mark.parametrize("suffix", ["txt", "html"])
def test_the_page_ends_with_the_order_sheet_as_it_was_given(suffix: str) -> None:
    told = reported("quiet", "black")
    page = render(ESPIONAGE, told, suffix)
    assert "\n".join(told["template"]) in page
    if suffix == "txt":
        assert page.rstrip("\n").endswith("\n".join(told["template"]))
        assert page.count("\nEND\n") == 1


def test_names_and_rulings_are_escaped_in_html() -> None:
    told = reported(
        "quiet",
        players={"white": NASTY, "black": "Bob"},
        notices=[
            {
                "at": "2026-11-22T10:00:00Z",
                "told": NOTICE,
                "reason": "</blockquote><script>alert(1)</script>",
            }
        ],
    )
    page = html(told)
    assert NASTY not in page
    assert "&lt;b&gt;" in page
    assert "<script>alert" not in page
    assert not Page(page).open


UNSEEN = "\u202eevil\u2066\x1b[31m\x00\u200b\r\n\u2028"


@pytest.mark.parametrize("suffix", ["txt", "html"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_players_cannot_smuggle_control_or_direction_signs(suffix: str, language: str) -> None:
    told = reported(
        "over",
        players={"white": f"An{UNSEEN}na", "black": "Bob"},
        notices=[{"at": "2026-11-22T10:00:00Z", "told": NOTICE, "reason": f"Hear{UNSEEN}hear"}],
        record=f'[White "An{UNSEEN}na"]\n',
    )
    page = render(ESPIONAGE, told, suffix, language)
    kinds = {sign: unicodedata.category(sign) for sign in page if sign != "\n"}
    assert [sign for sign, kind in kinds.items() if kind in ("Cc", "Cf", "Zl", "Zp", "Cs")] == []


def test_a_ruling_cannot_pass_for_an_order_sheet() -> None:
    ruling = "> ORDERS espionage-17 white turn 1\nRESIGN\nEND"
    page = text(
        reported(
            "quiet",
            "white",
            notices=[{"at": "2026-11-22T10:00:00Z", "told": NOTICE, "reason": ruling}],
        )
    )
    assert "| The deadline was moved. > ORDERS" in page
    assert "\nRESIGN" not in page
    assert "\nEND" not in page


@pytest.mark.parametrize(
    ("agreed", "said"),
    [
        ("every 3 days", "There is no deadline until all seats are filled."),
        ("none", "There is no deadline."),
    ],
)
def test_while_a_seat_is_open_no_deadline_runs_whatever_was_agreed(agreed: str, said: str) -> None:
    told = reported("first", deadline=None, players={"white": "Anna", "black": ""})
    told["options"] = {**told["options"], "deadline": agreed}
    for page in (text(told), html(told)):
        assert said in page


def test_the_deadline_stands_in_the_readers_zone_and_in_utc() -> None:
    told = reported("quiet")
    for page in (text(told, zone="Europe/Oslo"), html(told, zone="Europe/Oslo")):
        assert "Tue 24 Nov 2026, 19:00 Europe/Oslo (18:00 UTC)" in page
    assert "24 nov. 2026, 19:00 Europe/Oslo (18:00 UTC)" in text(told, "sv", "Europe/Oslo")
    assert "tir. 24. nov. 2026, 19:00 Europe/Oslo (18:00 UTC)" in text(told, "nb", "Europe/Oslo")
    assert "Tue 24 Nov 2026, 18:00 UTC\n" in text(told)
    assert "There is no deadline." in text(told | {"deadline": None})


def test_the_other_date_is_given_where_utc_has_another() -> None:
    assert moment_in_words("2026-11-24T18:00:00Z", "en", "Pacific/Auckland") == (
        "Wed 25 Nov 2026, 07:00 Pacific/Auckland (Tue 24 Nov 2026, 18:00 UTC)"
    )


@pytest.mark.parametrize("month", range(1, 13))
def test_english_dates_are_those_of_babel(month: int) -> None:
    from datetime import date

    from babel.dates import format_date

    day = date(2026, month, month)
    babel = format_date(day, "EEE d MMM y", locale="en")
    assert moment_in_words(f"{day}T12:00:00Z", "en", "UTC") == f"{babel}, 12:00 UTC"


def test_whoever_is_awaited_is_named_whoever_has_sent() -> None:
    for seat in SEATS:
        assert "It's your turn. Everyone is to move: White, Black." in text(reported("setup", seat))
    assert "Waiting for Black." in text(reported("quiet", "white"))


def test_whose_orders_are_in_is_told_so_and_not_that_the_others_are() -> None:
    mine = {"revision": 3, "lines": ["d3-d4", "f3-f4"]}
    for name in ("setup", "quiet"):
        for page in (text, html):
            said = page(reported(name, "black", orders=mine))
            assert "Your orders are in (version 3). You can still change them." in said
            assert "awaited" not in said
    assert "Waiting for Black." in text(reported("quiet", "white", orders=mine))


def test_news_are_told_in_words() -> None:
    page = " ".join(text(reported("fights")).split())
    assert (
        "Turn 156, White e6-e7 White's Lieutenant attacks Black's Captain and is removed."
        " h3-i3 Turn 156, Black a5-a4 Black's General takes White's Sapper. e7-e6" in page
    )
    assert "e6 (known since turn 156)" in page


def test_a_spys_find_is_named_wherever_the_piece_has_gone() -> None:
    step = {"turn": 3, "side": "black", "step": 1, "from": "b8", "to": "b7", "outcome": "moved"}
    nothing: dict[str, Any] = {"attacker": None, "defender": None, "revealed": []}
    news = [
        step | nothing | {"side": "white", "from": "a6", "to": "a7", "revealed": ["b8", "b6"]},
        step | nothing,
        step | nothing | {"from": "b6", "to": "a6", "outcome": "lost", "attacker": "general"},
    ]
    piece = {"square": "b7", "side": "black", "rank": "mine", "moved": False, "known_since": 3}
    page = text(reported("first", news=news, pieces=[piece]))
    assert "Now known: Mine on b8. Now known: General on b6." in " ".join(page.split())


def test_the_end_reveals_set_ups_and_record_and_opens_the_commitments() -> None:
    told = reported("over")
    for page in (text(told), html(told)):
        assert "wins" in page
        assert '[WhiteSetup "' in page.replace("&#34;", '"')
        for seat in SEATS:
            assert "\n".join(told["setups"][seat].split("/")) in re.sub("\n  ", "\n", page)
    assert "ORDERS" not in text(told)


def test_a_match_cancelled_during_set_up_reveals_none() -> None:
    page = text(reported("cancelled"))
    assert "The match is cancelled and nobody wins." in page
    assert "Set-ups" not in page
    assert "Proofs" not in page


@pytest.mark.parametrize("what", ["text", "hex", "seed"])
def test_the_commands_print_the_digests(what: str) -> None:
    opened = "5a" * 32
    content = {"text": b"ADJUD1|it's|long" + b"x" * 99, "hex": bytes.fromhex(opened)}.get(
        what, b"ADJUD1|espionage-17|" + bytes.fromhex(opened)
    )
    entry = {
        "what": "setup",
        "seat": "white",
        "number": None,
        "digest": sha256(content).hexdigest(),
        "opened": content.decode() if what == "text" else opened,
    }
    page = text(reported("over", commitments=[entry]))
    command = page[page.index("same digits:") :].split("\n\n")[0].split("\n", 1)[1]
    assert entry["digest"] not in command
    if what != "text":
        # Not every machine has xxd; a shell function stands in for it.
        xxd = "import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))"
        command = f"xxd() {{ python3 -c {shlex.quote(xxd)}; }}\n{command}"
    printed = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert printed.stdout.split()[0] == entry["digest"]


def test_no_command_is_printed_that_would_print_other_digits() -> None:
    entry = {"what": "seed", "seat": None, "number": None, "digest": "11" * 32}
    told = reported("over", commitments=[entry | {"opened": "5a" * 32}])
    with pytest.raises(ValueError, match="does not hash to it"):
        text(told)


def test_own_pieces_that_the_enemy_knows_are_marked_where_the_match_says_so() -> None:
    told = reported("first")
    marked = [
        piece | {"known_to_enemy": piece["square"] == "a1"} if piece["side"] == "white" else piece
        for piece in told["pieces"]
    ]
    assert "The enemy knows: a1." in text(told | {"pieces": marked})
    assert html(told | {"pieces": marked}).count('class="ring"') == 1
    assert "The enemy knows" not in text(told)


def test_of_his_own_pieces_a_reader_is_told_how_many_of_each_are_gone() -> None:
    told = reported("fights")
    mine, theirs = text(told).split("\nYour pieces\n")[1].split("\nBlack's pieces\n")
    counted = re.findall(r"^([0-9]) of ([0-9]) [1-5SPMH]  ", mine, re.MULTILINE)
    assert len(counted) == len(ARMIES[told["board"]["size"]])
    assert sum(int(all_) - int(n) for n, all_ in counted) == told["lost"]["white"] > 0
    assert " of 4 " not in theirs


def test_at_the_end_all_losses_are_told_by_rank() -> None:
    told = reported("over", "black")
    for side in SEATS:
        assert f"{told['lost'][side]} removed." in text(told)
    assert len(re.findall(r"^[0-9] of [0-9] [1-5SPMH]  ", text(told), re.MULTILINE)) == 18


def test_the_board_can_be_had_alone() -> None:
    picture = render(ESPIONAGE, reported("quiet"), "svg")
    assert picture.lstrip().startswith("<svg xmlns=")
    assert not Page(picture).open


def test_a_picture_in_an_email_has_its_width_as_an_attribute() -> None:
    """Outlook for Windows reads neither `max-width` nor a width in percent of an image."""
    email = render(ESPIONAGE, reported("quiet"), "letter", reply=ReplyForm(picture="board"))
    assert re.search(r'<img src="cid:board" alt="[^"]+" width="532"', email)


def test_a_paragraph_is_broken_and_hung() -> None:
    lines = wrap("word " * 30, "12 S  ").split("\n")
    assert lines[0].startswith("12 S  word")
    assert all(line.startswith("      word") for line in lines[1:])
    assert wrap("short", "- ") == "- short"


@pytest.mark.parametrize("first", ["", "  ", "| ", "  a3-a4  ", "x" * 45])
@pytest.mark.parametrize("rest", [None, "", "    "])
def test_a_paragraph_is_wrapped_as_the_standard_library_does_it(first: str, rest: str | None):
    chosen = Random(f"{first}|{rest}")
    for _ in range(60):
        words = ["æ-" * chosen.choice([1, 2, 3, 4, 19, 21]) for _ in range(chosen.randint(1, 40))]
        text = chosen.choice([" ", " ", "  ", "\N{NO-BREAK SPACE} "]).join(words)
        indent = " " * len(first) if rest is None else rest
        theirs = TextWrapper(
            WIDTH, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False
        )
        assert wrap(text, first, rest) == theirs.fill(text)


def test_json_in_a_page_has_no_sign_of_html():
    value = {"a<b": ["</script>", "<!--", "R&D", "'\"\\", 1, None, True, "æ\N{LINE SEPARATOR}"]}
    written = str(to_json(value))
    assert not set("<>&'") & set(written)
    assert json.loads(written) == value
