import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from random import Random
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from adjudicator import resources
from adjudicator.core.game import unflatten
from adjudicator.core.match import Seat, Setting
from adjudicator.core.record import Chronicle
from adjudicator.core.report import flat as flattened
from adjudicator.core.text import one_line
from adjudicator.core.visible import plain
from adjudicator.games.spion import SPION
from adjudicator.games.spion.lexicon import LEXICON, card_read, spelled
from adjudicator.games.spion.orders.own_board import write_board
from adjudicator.games.spion.orders.template import template
from adjudicator.games.spion.page.plan import Plan
from adjudicator.games.spion.page.rows import Page
from adjudicator.games.spion.page.rules_page import rules as rules_rows
from adjudicator.games.spion.record import write
from adjudicator.games.spion.rules import turns
from adjudicator.games.spion.rules.state import State, Took, Unfollowed, Why
from adjudicator.games.spion.rules.variants import standard
from adjudicator.games.spion.sight import observe
from adjudicator.games.spion.sight.witness import lasting, witness
from adjudicator.reports.render import card
from adjudicator.reports.words import words
from tests.games.spion.matches import Ply, chance_of, random_match, setting
from tests.reports.printing import page as rows_of
from tests.reports.printing import render, renders

LANGUAGES = ("en", "nb", "sv")
NAMES = {"blue": "Anna", "green": "Bob", "yellow": "Anna", "red": "Bob"}
UNSEEN = "\u202eevil\u2066\x1b[31m\x00\u200b\r\n\u2028"


def page(body: dict[str, Any], words: Any) -> Page:
    """Return the rows that the templates print."""
    made: Page = rows_of(SPION, body, words)
    return made


def forgotten(body: dict[str, Any]) -> dict[str, Any]:
    """Return a report as it is shown again."""
    return flattened(lasting(unflatten(SPION, body)))


def told(ply: Ply, seat: str, **more: Any) -> dict[str, Any]:
    """Return what the shell puts together for one seat after an adjudication."""
    state = ply.states[-1]
    return reported(state, ply.events, seat, ply.chance, **more)


def reported(state: State, events: Any, seat: str, chance: Any, **more: Any) -> dict[str, Any]:
    who = Seat(seat)
    view = observe.observe(state, who)
    waiting = turns.awaiting(state)
    over = state.outcome is not None
    seen = [plain(s) for s in (witness(event, who) for event in events) if s]
    body = template(view) if who in waiting else ()
    head = f"ORDERS spion-1 {seat} turn {state.turn}"
    chronicle = Chronicle({}, "2026.11.21", state.outcome, "spion-1", chance.seed.hex())
    return {
        **plain(view),
        "match": "spion-1",
        "game": "spion",
        "ply": state.ply,
        "options": {"max_rounds": str(state.settings.max_rounds)},
        "players": {name: NAMES[name] for name in state.seats},
        "awaited": [name for name in state.seats if name in waiting],
        "deadline": None if over else "2026-11-24T18:00:00Z",
        "orders": None,
        "news": seen,
        "draw_offer": None,
        "commitments": commitments(state, who, chance),
        "notices": [],
        "template": [head, *body, "END"] if body else [],
        "record": write(chronicle, state, events) if over else None,
        **more,
    }


def commitments(state: State, seat: Seat, chance: Any) -> list[dict[str, Any]]:
    return [
        {
            "what": "key" if link.opened else "anchor",
            "seat": link.seat,
            "number": link.number,
            "digest": chance.key(link.chain, link.number - 1).hex(),
            "opened": chance.key(link.chain, link.number).hex() if link.opened else None,
        }
        for link in observe.links(state, seat)
    ]


@cache
def plies(variant: str, players: int, mode: str, memory: str, seed: int) -> tuple[Ply, ...]:
    agreed = setting(variant, players, mode=mode, memory=memory, max_rounds="60")
    return tuple(random_match(Random(seed), agreed, leaving=seed % 2 == 1))


def _has(*kinds: str) -> Callable[[Ply], bool]:
    """Return whether all these events are in the ply."""
    return lambda ply: {type(event).__name__ for event in ply.events} >= set(kinds)


# What a match must have come to, and the kind of match in which it comes.
STANDS: Mapping[str, tuple[tuple[str, int, str, str], Callable[[Ply], bool]]] = {
    "begun": (("original", 3, "rounds", "honour"), _has("Dealt")),
    "taken": (("original", 2, "turns", "honour"), _has("Took")),
    "asked": (("original", 2, "turns", "honour"), _has("AnswerAwaited")),
    "answered": (
        ("original", 2, "turns", "honour"),
        lambda ply: _has("TakenInAnswer")(ply) and ply.states[0].pending is not None,
    ),
    "quick": (("quick", 2, "turns", "once"), _has("Moved")),
    "round": (("original", 4, "rounds", "open"), _has("Shown", "TakenInAnswer", "Took")),
    "right": (("original", 4, "rounds", "open"), _has("GuessedRight")),
    "fifth": (("original", 4, "rounds", "once"), _has("Swapped", "Shown")),
    "blocked": (("original", 4, "turns", "honour"), _has("Blocked", "GuardSwapped")),
    "ambush": (("original", 4, "rounds", "honour"), lambda ply: any(
        getattr(event, "ambush", False) for event in ply.events
    )),
    "waylaying": (("original", 4, "rounds", "honour"), lambda ply: bool(
        not ply.states[-1].outcome and observe.observe(ply.states[-1], Seat("blue")).ambushes
    )),
    "left": (("original", 4, "turns", "honour"), lambda ply: bool(
        ply.states[0].left and not ply.states[-1].outcome
    )),
    "over": (("original", 3, "turns", "honour"), _has("Ended")),
}  # fmt: skip


@cache
def stand(name: str) -> Ply:
    """Return the first adjudication that shows what the name says."""
    kind, shows = STANDS[name]
    return next(ply for seed in range(1, 400) for ply in plies(*kind, seed) if shows(ply))


@cache
def at_setup() -> tuple[State, Any]:
    chance = chance_of(bytes(32))
    return turns.set_up(setting("original", 4, mode="rounds"), chance), chance


def report(name: str, seat: str = "blue", **more: Any) -> dict[str, Any]:
    if name == "setup":
        state, chance = at_setup()
        return reported(state, (), seat, chance, **more)
    return told(stand(name), seat, **more)


ALL = ("setup", *STANDS)


def text(body: Mapping[str, Any], language: str = "en") -> str:
    return render(SPION, body, "txt", language)


def flat(body: Mapping[str, Any], language: str = "en") -> str:
    """Return the text without its line breaks."""
    return " ".join(text(body, language).split())


def aside(body: Mapping[str, Any]) -> str:
    (letter,) = renders(SPION, body, ["aside"])
    return letter


class Tags(HTMLParser):
    """The tags of a page, checked for closing, and their attributes."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ALL)
@pytest.mark.slow
def test_no_line_of_text_is_wider_than_a_terminal(name: str, language: str) -> None:
    """The tags of a record and lines with a digest alone may be, for they cannot be broken."""
    lines = text(report(name), language).splitlines()
    kept = re.compile(r"\[|.*\b[0-9a-f]{64}$")
    assert max(len(line) for line in lines if not kept.match(line)) <= 70
    assert not [line for line in lines if line.endswith(" ")]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ALL)
def test_a_page_is_one_small_file_that_fetches_nothing(name: str, language: str) -> None:
    markup = render(SPION, report(name), "html", language)
    assert len(markup.encode()) < 100_000
    tags = Tags(markup)
    assert not tags.open
    names = {tag for tag, _ in tags.tags}
    assert not names & {"img", "link", "iframe", "object", "embed", "base", "form"}
    for _, attributes in tags.tags:
        assert not [key for key in attributes if key.startswith("on") or key == "src"]
        assert attributes.get("href", "#")[:1] == "#"
    assert set(re.findall(r"https?://[^\s\"'<]*", markup)) <= {"http://www.w3.org/2000/svg"}
    ids = [attributes["id"] for _, attributes in tags.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("variant", ["original", "quick"])
def test_every_place_where_a_spy_can_be_is_drawn(variant: str) -> None:
    body = report("quick" if variant == "quick" else "begun")
    drawing = render(SPION, body, "svg")
    board = standard(variant)
    plan = Plan(board)
    named = [tag["data-place"] for _, tag in Tags(drawing).tags if "data-place" in tag]
    assert sorted(named) == sorted(board.embassies)
    for kind in {*board.kinds.values()} & {"street", "forbidden", "wire"}:
        (marked,) = re.findall(rf'url\(#{kind}\)" d="M([\d ]+)"', drawing)
        numbers = map(int, marked.split())
        drawn = set(zip(numbers, numbers, strict=True))
        assert drawn == {plan.at(place) for place, found in board.kinds.items() if found == kind}
    for place in board.wells:
        x, y = plan.at(place)
        assert f"M{x - 20} {y - 20}h40v40h-40z" in drawing, place


@pytest.mark.parametrize("name", ALL)
def test_the_drawing_needs_no_letter_that_the_fonts_of_letters_lack(name: str) -> None:
    """A picture in mail is drawn with one bundled font."""
    drawn = re.sub(
        r"<(title|desc)\b.*?</\1>", "", render(SPION, report(name), "svg"), flags=re.DOTALL
    )
    assert re.sub(r"<[^>]*>", "", drawn).isascii()


def board_of_text(body: Mapping[str, Any]) -> dict[str, str]:
    """Return the signs of the board in a text report, by square."""
    rows = re.findall(r"^ ?(\d+) (.*) \1$", text(body), re.MULTILINE)
    cells = {}
    for number, row in rows:
        for col in range(len(body["board"]["grid"][0])):
            cells[f"{chr(97 + col)}{number}"] = row[4 * col : 4 * col + 3].strip()
    return cells


@pytest.mark.parametrize("name", [name for name in ALL if name not in ("setup", "over")])
def test_the_board_in_signs_shows_pieces_cards_doors_and_goals(name: str) -> None:
    body = report(name)
    cells, board = board_of_text(body), standard(body["variant"])
    for seat in body["seats"]:
        letter = {"blue": "B", "green": "G", "yellow": "Y", "red": "R"}[seat["seat"]]
        assert cells[seat["bodyguard"]] == f"[{letter}]"
        if seat["spy"] not in board.embassies:
            assert cells[seat["spy"]] == f"<{letter}>"
    for embassy in body["board"]["embassies"]:
        assert cells[embassy["cell"]] == (
            embassy["code"] if embassy["card"] else embassy["code"].lower()
        )
        assert cells[embassy["door"]] == {"N": "v", "E": "<", "S": "^", "W": ">"}[embassy["arrow"]]
    marked = {place for place, sign in cells.items() if sign.startswith("+")}
    assert marked == {place for place in body["reach"] if place in cells}


@pytest.mark.parametrize("name", ALL)
def test_the_legend_tells_the_signs_that_stand_in_the_drawing_and_no_others(name: str) -> None:
    body = report(name)
    told = {words for _, _, words in page(body, str).legend}
    happened = {entry["event"] for entry in body["news"]}
    cards = {embassy["card"] for embassy in body["board"]["embassies"]}
    assert ("where a spy went" in told) == ("moved" in happened)
    assert ("sent home, or put there" in told) == bool(happened & {"challenged", "guard-swapped"})
    assert ("through a tunnel" in told) == ("through the tunnel" in flat(body))
    assert ("you can reach it" in told) == ("You can reach" in text(body))
    assert ("dark: an embassy with a card" in told, "an embassy without a card" in told) == (
        True in cards,
        False in cards,
    )


@pytest.mark.slow
def test_without_a_double_nothing_is_said_of_challenges() -> None:
    for ply in plies("original", 4, "rounds", "honour", 1):
        for seat in ply.states[-1].seats:
            body = told(ply, seat)
            own = [roll["dice"] for roll in body["dice"] if roll["seat"] == seat]
            doubled = any(first == second for first, second in own)
            assert any("ouble" in fact for fact in page(body, str).facts) == doubled


def test_embassies_stand_in_the_order_of_their_codes() -> None:
    """Their order in the board's file says nothing to a reader."""
    made = page(report("round"), str)
    codes = [code for code, _ in made.names]
    assert codes == sorted(codes)
    out = re.findall(r"[A-Z]{3}", made.out)
    assert len(out) > 1
    assert out == sorted(out)


def test_who_must_challenge_is_offered_no_goals() -> None:
    for ply in plies("original", 2, "turns", "honour", 2):
        mover = ply.states[-1].to_move
        body = told(ply, mover or "blue")
        own = [roll for roll in body["dice"] if roll["seat"] == mover]
        if (
            own
            and own[0]["dice"][0] == own[0]["dice"][1]
            and body["targets"]
            and not body["pending"]
        ):
            assert "A double: you must challenge. Possible:" in flat(body)
            assert "You can reach" not in text(body)
            return
    pytest.fail("nobody had to challenge")


@pytest.mark.parametrize(
    ("number", "agreed", "told"), [(899, 0, False), (900, 0, True), (900, 900, False)]
)
def test_the_end_of_the_chains_is_announced_from_round_900_on(
    number: int, agreed: int, told: bool
) -> None:
    ply = next(random_match(Random("long"), setting(players=2, max_rounds=str(agreed))))
    state = replace(ply.states[-1], round=number, turn=2 * number)
    body = reported(state, ply.events, str(state.to_move), ply.chance)
    for made in (flat(body), " ".join(render(SPION, body, "html").split())):
        assert ("The match ends after round 990 at the latest" in made) == told
        assert (f"This is round {number}." in made) == told


def test_a_player_reads_why_his_card_went_elsewhere_and_nobody_else_does() -> None:
    """9.1, 5.5"""
    ply = next(random_match(Random("long"), setting(players=2)))
    state = ply.states[-1]
    seat = state.to_move
    events = [Unfollowed(seat, "PLACE 1", "filled"), Took(seat, "NOR", "ATOM", 2)]
    mine = page(reported(state, events, seat, ply.chance), str).news
    told = f"{seat.capitalize()}: PLACE 1 could not be used: that place was filled."
    assert told in str(mine)
    (other,) = (one for one in state.seats if one != seat)
    assert "PLACE" not in str(page(reported(state, events, other, ply.chance), str).news)


@pytest.mark.parametrize("why", get_args(Why))
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_has_a_sentence(why: Why, language: str) -> None:
    ply = next(random_match(Random("long"), setting(players=2)))
    seat = ply.states[-1].seats[0]
    body = reported(ply.states[-1], [Unfollowed(seat, "PLACE 1", why)], seat, ply.chance)
    ((_, told),) = page(body, words(language, "spion")).news[-1][1]
    assert told.endswith(".")
    assert "1" in told


def test_news_of_a_turn_stand_together_in_words() -> None:
    body = report("ambush")
    steps = page(body, str).news
    assert len(steps) == len(body["seats"])
    assert all(
        re.fullmatch(r"Turn \d+, \w+ \(\d\+\d(, a double)?\)", heading) for heading, _ in steps
    )
    assert "ambushes" in flat(body)


def types_in(rows: Any, types: Any) -> set[str]:
    return {kind for kind in types for row in rows if kind in str(row)}


@pytest.mark.parametrize(
    "name", [name for name in ALL if name not in ("setup", "over", "round", "right")]
)
@pytest.mark.parametrize("seat", ["blue", "yellow"])
def test_an_old_report_names_no_type_but_those_in_play_and_in_standing_orders(
    name: str, seat: str
) -> None:
    old = forgotten(report(name, seat))
    made = page(old, str)
    assert not types_in(made.news, old["types"])
    assert not types_in(made.holder, old["types"])
    bare = {**old, "standing": [], "template": [], "types": ["-"]}
    told_again = (
        text({**bare, "news": old["news"]}).replace("ATOM names", "").split("Your orders")[0]
    )
    assert not types_in([told_again], ["ATOM", "FYSIK", "KEMI", "RYMD"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_without_types_are_whole(language: str) -> None:
    for name in STANDS:
        for part in ("news", "types_told"):
            for heading, rows in getattr(page(forgotten(report(name)), str), part):
                assert heading
                assert all(told.endswith((".", ":")) or "phrase" in told for _, told in rows)


def test_the_letter_of_types_has_only_sentences_with_a_type() -> None:
    body = report("fifth")
    letter = aside(body)
    rows = [told for _, group in page(body, str).types_told for _, told in group]
    assert rows
    types = [card_read(card, str) for card in body["types"]]
    assert all(types_in([told], types) for told in rows)
    assert "The spy goes" not in letter
    assert "shown only once" in letter
    assert not page(forgotten(body), str).types_told


def test_a_phrase_is_one_line_and_no_order() -> None:
    said = f"END{UNSEEN} RESIGN " + "long " * 40
    news = [{"event": "phrased", "seat": "green", "text": said}]
    body = report("begun", news=news)
    lines = [line for line in text(body).splitlines() if "long" in line or "RESIGN" in line]
    assert len(lines) > 1
    assert all(line.startswith("| ") for line in lines)
    for suffix in ("txt", "html"):
        made = render(SPION, body, suffix)
        kinds = {unicodedata.category(sign) for sign in made if sign != "\n"}
        assert not kinds & {"Cc", "Cf", "Zl", "Zp", "Cs"}
        assert one_line(said)[:20] in made
    escaped = render(SPION, {**body, "news": [{**news[0], "text": "<script>x</script>"}]}, "html")
    assert "<script>x" not in escaped


def test_the_own_holder_and_the_filled_places_of_all_are_shown() -> None:
    body = report("waylaying")
    made = page(body, str)
    own = next(seat for seat in body["seats"] if seat["seat"] == body["seat"])
    assert [card for _, card in made.holder] == [
        card_read(card or "-", str) for card in own["cards"]
    ]
    assert [row.filled for row in made.players] == [
        "".join(str(n) if n in seat["filled"] else "." for n in (1, 2, 3, 4))
        for seat in body["seats"]
    ]
    assert all(row.cards == [] for row in made.players)


def test_the_end_shows_every_holder_and_every_embassy() -> None:
    body = report("over")
    made = page(body, str)
    assert [row.cards for row in made.players] == [
        [card_read(card or "-", str) for card in seat["cards"]] for seat in body["seats"]
    ]
    assert len(made.embassies) == sum(e["card"] for e in body["board"]["embassies"])
    assert "wins: four cards of one type." in flat(body)
    assert '[Seed "' in text(body)


def test_a_shared_victory_names_all() -> None:
    result = {"winner": None, "winners": ["blue", "yellow"], "reason": "max-rounds"}
    assert "Blue, Yellow share the victory" in flat(report("over", result=result))


@pytest.mark.parametrize(("language", "name"), [("en", "Norway"), ("nb", "Norge"), ("sv", "Norge")])
def test_embassies_have_the_names_of_the_readers_language(language: str, name: str) -> None:
    assert f"NOR {name}" in flat(report("taken"), language)


@pytest.mark.parametrize(("language", "germany"), [("en", "Germany"), ("nb", "Tyskland")])
def test_a_board_without_a_language_is_told_in_english(language: str, germany: str) -> None:
    body = report("taken")
    bare = [{**e, "name": {"en": e["name"]["en"]}} for e in body["board"]["embassies"]]
    assert f"TYS {germany}" in flat(body, language)
    assert "TYS Germany" in flat({**body, "board": {**body["board"], "embassies": bare}}, language)


def test_keys_of_used_dice_stand_whole() -> None:
    body = report("round")
    news = {entry["key"] for entry in body["news"] if "key" in entry}
    assert news
    for suffix in ("txt", "html"):
        made = render(SPION, body, suffix)
        assert all(made.count(key) for key in news)


def test_standing_orders_and_the_dossier_are_shown() -> None:
    body = report("round")
    assert body["standing"]
    assert body["dossier"]
    for suffix in ("txt", "html"):
        made = render(SPION, body, suffix)
        lines = spelled(str).all(body["standing"])
        assert all(" ".join(line.split()) in " ".join(made.split()) for line in lines)
        assert card_read(body["dossier"][0]["card"], str) in made
    moved = [{**body["dossier"][0], "moved": True}]
    assert "(moved since)" in text({**body, "dossier": moved})


def test_a_pending_answer_is_told_to_both() -> None:
    ply = stand("asked")
    waits = ply.states[-1].pending
    assert waits
    assert "name the place" in flat(told(ply, waits.defender))
    assert "Waiting for the answer" in flat(told(ply, waits.challenger))


def test_who_left_is_named() -> None:
    assert "the default rules now play its pieces." in flat(report("left"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_card_of_orders_fits_a_terminal(language: str) -> None:
    own_words = spelled(words(language, "spion"))
    made = card(SPION, language, own_words)
    assert max(map(len, made.splitlines())) <= 70
    wanted = LEXICON.words.keys() - LEXICON.former
    assert all(own_words(word) in made for word in wanted)


def test_codes_too_long_for_the_board_in_signs_stand_there_by_their_letters() -> None:
    file = (
        files("adjudicator.games.spion.rules")
        .joinpath("boards", "original.json")
        .read_text("utf-8")
    )
    own = write_board(file.replace('"NOR"', '"NORWE"'))
    assert isinstance(own, str)
    agreed = Setting("original", setting(players=2).options, standard("original").seating[2], own)
    chance = chance_of(bytes(32))
    body = reported(turns.set_up(agreed, chance), (), "blue", chance)
    signs = board_of_text(body)
    assert signs["g4"] == "e"
    assert "E = NORWE" in flat(body)
    assert max(map(len, text(body).splitlines())) <= 70


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_page_has_rows_for_its_board_and_names(language: str) -> None:
    rows = rules_rows(words(language, "spion"))
    assert len(rows.names) == len(rows.shapes.embassies) == 16
    assert dict(rows.names)["TYS"] == ("Germany" if language == "en" else "Tyskland")
    assert len(rows.shapes.spies) == 4


@pytest.mark.parametrize("variant", ["original", "quick"])
def test_the_types_of_our_boards_have_a_drawing(variant: str) -> None:
    drawings = resources.template("spion/card_drawing.html.j2").read_text("utf-8")
    for kind in standard(variant).types:
        assert f'"{kind}": ' in drawings


def test_held_cards_and_dice_are_drawn_beside_their_names() -> None:
    body = report("fifth")
    own = next(seat for seat in body["seats"] if seat["seat"] == "blue")
    held = [card for card in own["cards"] if card]
    html = render(SPION, body, "html")
    assert held
    assert html.count('<svg class="kind"') == len(held)
    eyes = sum(sum(roll["dice"]) for roll in body["dice"])
    assert html.count('r="3"/>') == eyes


def test_each_move_in_the_news_has_a_small_board() -> None:
    body = report("fifth")
    moves = [entry for entry in body["news"] if entry["event"] == "moved"]
    html = render(SPION, body, "html")
    assert moves
    assert [html.count(f'href="#way-{n}"') for n in (1, len(moves), len(moves) + 1)] == [1, 1, 0]
