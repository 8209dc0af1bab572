"""Test what is a problem and what a warning, by what the sender sees (rules 5.2)."""

import pytest
from msgspec.structs import replace

from adjudicator.core.orders import split_lines
from adjudicator.games.spion.orders.check import check
from adjudicator.games.spion.orders.parse import parse
from adjudicator.games.spion.orders.values import ANY, Answer, Fifth, Refuse
from adjudicator.games.spion.orders.warn import warn
from adjudicator.games.spion.rules.state import Pending, Roll, Settings
from adjudicator.games.spion.rules.turns import set_up
from adjudicator.games.spion.sight.observe import observe
from tests.games.spion.matches import chance_of, setting

BLUE, GREEN, YELLOW, RED = "blue", "green", "yellow", "red"
GOES_BY_DEFAULT = (
    "0: without a destination in reach your spy goes to an embassy with a card, else to any "
    "embassy, else towards a card; ties are decided at random"
)


def table(players=4, seat=BLUE, dice=(1, 3), **changes):
    """Return the opening position as `seat` sees it, with dice to use and whatever else is
    changed."""
    state = set_up(setting(players=players, mode="rounds"), chance_of(bytes(32)))
    state = replace(
        state,
        turn=1,
        round=1,
        first=BLUE,
        embassies={"NOR": "ATOM"},
        rolls={seat: Roll(2, dice, "00" * 32)},
    )
    return observe(replace(state, **changes), seat)


def problems(view, *lines):
    sheet = parse(split_lines("\n".join(lines)))
    assert sheet.problems == ()
    return [f"{p.line}: {p.message}" for p in check(view, sheet)]


def warnings(view, *lines):
    sheet = parse(split_lines("\n".join(lines)))
    return [f"{p.line}: {p.message}" for p in warn(view, sheet)]


def holding(*cards):
    return tuple([*cards, None, None, None, None][:4])


def test_an_empty_sheet_leaves_all_to_standing_orders_and_defaults():
    assert problems(table()) == []


def test_before_the_deal_only_a_phrase_can_be_sent():
    view = observe(set_up(setting(), chance_of(bytes(32))), BLUE)
    assert problems(view, "PHRASE a", "MOVE NOR") == [
        "2: nobody moves yet; write PHRASE and some words for the dice, or nothing"
    ]
    assert problems(view, "PHRASE a", "PHRASE b") == ["2: one PHRASE is enough"]
    assert problems(table(), "PHRASE a") == [
        "1: no phrases are used any more: the cards are dealt when the match is made"
    ]


def test_a_goal_must_be_where_a_move_can_end():
    assert problems(table(), "MOVE a1, c3") == [
        "1: a move cannot end on a1; a spy ends on streets, wells and in embassies",
        "1: a move cannot end on c3; a spy ends on streets, wells and in embassies",
    ]
    found = problems(table(), "MOVE b3, NEAR d4, e2 IF CARD, ATLANTIS")
    assert found == [
        "1: IF CARD is for embassies; e2 is not one",
        "1: ATLANTIS is not on this board; its embassies are BRI, SVE, GRE, SPA, NOR, POL, ITA, "
        "POR, DAN, UNG, SCH, FRA, HOL, FIN, OST, TYS",
    ]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("SWE", "SVE"), ("NORW", "NOR"), ("NRO", "NOR"), ("Englnad", None), ("Fnland", "FIN")],
)
def test_an_embassy_that_is_nearly_named_is_told(typed, meant):
    (told,) = problems(table(), f"MOVE {typed}")
    there = told.partition("not on this board; ")[2]
    assert there.startswith(f"did you mean {meant}?" if meant else "its embassies are BRI")


@pytest.mark.parametrize("place", ["c3", "b2", "a1", "c1"])
def test_nobody_goes_near_a_place_to_which_no_way_leads(place):
    """Near wire, a start, a home or nothing at all the spy would go anywhere."""
    assert problems(table(), f"MOVE NEAR {place}, b4") == [
        f"1: there is no way to {place}; NEAR needs a street, a well, forbidden area or an embassy"
    ]
    assert problems(table(), "MOVE NEAR d4, NEAR NOR, NEAR g2, NEAR b5") == []


def test_a_way_is_for_a_goal_and_not_for_its_neighbourhood():
    assert problems(table(), "MOVE NEAR NOR PATH b3 b4") == [
        "1: PATH is for a named destination, not for NEAR"
    ]


def test_a_goal_that_can_never_be_reached_does_no_harm_beside_one_that_can():
    assert problems(table(), "MOVE a1, b4") == []
    assert warnings(table(dice=(1, 1)), "MOVE a1, b4") == [
        "1: a move cannot end on a1; a spy ends on streets, wells and in embassies"
    ]


def test_an_embassys_square_is_answered_with_its_code():
    assert problems(table(), "MOVE g4, e2 PATH l3") == [
        "1: write NOR for g4",
        "1: write SVE for l3",
    ]


def test_a_card_goes_to_an_embassy():
    assert problems(table(), "FIFTH *: REFUSE TO e5", "KEEP *: REFUSE TO g4, ATLANTIS, c3")[:3] == [
        "1: e5 is not an embassy",
        "2: write NOR for g4",
        "2: ATLANTIS is not on this board; its embassies are BRI, SVE, GRE, SPA, NOR, POL, ITA, "
        "POR, DAN, UNG, SCH, FRA, HOL, FIN, OST, TYS",
    ]


def test_seats_places_and_types_must_be_in_play():
    assert problems(table(players=3), "CHALLENGE red 1 ATOM", "CHALLENGE green 5 FYSIK") == [
        "1: there is no Red here; the others are Green, Yellow",
        "2: a holder has places 1 to 4, not 5",
        "2: FYSIK is not in play; the types are ATOM, CHEMISTRY, SPACE",
    ]
    assert problems(table(), "SWAP blue", "ANSWER blue: TAKE 1") == [
        "1: Blue is your own colour",
        "2: Blue is your own colour",
    ]


def test_two_players_never_ambush():
    assert problems(table(players=2), "AMBUSH yellow 1 ATOM VIA c4") == [
        "1: with so few players some embassy always has a card, so you cannot ambush",
        "1: c4 is not a street or a well",
    ]


def test_who_is_asked_for_an_answer_answers():
    view = table(pending=Pending(challenger=RED, defender=BLUE, place=1))
    assert problems(view, "ANSWER red: TAKE 1", "KEEP *: REFUSE", "FIFTH *: REFUSE") == []
    assert problems(view, "MOVE NOR") == [
        "1: you are asked for an answer now; write ANSWER, and KEEP if you like"
    ]
    assert warnings(view) == ["0: without ANSWER the place is drawn at random"]


def test_tables_alone_are_no_answer():
    """9.4; an empty sheet leaves it to them."""
    view = table(pending=Pending(challenger=RED, defender=BLUE, place=1))
    for lines in (["KEEP *: REFUSE"], ["FIFTH *: REFUSE", "KEEP ATOM: PLACE 2"]):
        (told,) = problems(view, *lines)
        assert told.startswith("0: you are asked for an answer: add an ANSWER line")
    assert problems(view) == []
    assert problems(table(), "KEEP *: REFUSE") == []


def test_an_answer_that_names_no_card_is_a_warning():
    holders = {**dict.fromkeys((GREEN, YELLOW, RED), holding("ATOM", "KEMI")), BLUE: holding()}
    view = table(holders=holders)
    assert warnings(view, "MOVE NEAR NOR", "ANSWER red: TAKE 3,2", "ANSWER *: TAKE 4") == []
    assert warnings(view, "MOVE NEAR NOR", "ANSWER red: TAKE 3,4") == [
        "2: Red has no card on 3, 4 now"
    ]
    (told,) = warnings(view, "MOVE NEAR NOR", "ANSWER red FINAL: TAKE 3")
    assert told.startswith("2: Red has no card on 3 now; because of FINAL you are still not asked")
    asked = table(holders=holders, pending=Pending(challenger=RED, defender=BLUE, place=1))
    assert warnings(asked, "ANSWER *: TAKE 3") == ["1: Red has no card on 3 now"]


def test_a_list_without_a_vacant_embassy_is_a_warning():
    view = table(embassies={"NOR": "ATOM", "DAN": "KEMI"})
    assert warnings(view, "MOVE NEAR NOR", "FIFTH *: REFUSE TO NOR, POR") == [
        "2: there is a card in NOR now"
    ]
    assert warnings(view, "MOVE NEAR NOR", "FIFTH *: REFUSE TO NOR, DAN") == [
        "2: there is a card in NOR, DAN now; the next line would be used, else the default rules"
    ]


def test_to_give_up_a_card_is_for_a_full_holder():
    holders = {**dict.fromkeys((GREEN, YELLOW, RED), holding()), BLUE: holding("KEMI")}
    assert warnings(table(holders=holders), "MOVE NEAR NOR", "KEEP *: OUT 1") == [
        "2: your holder has room now; OUT is only for a full holder"
    ]


def test_what_cannot_work_now_is_a_warning():
    view = table(holders={**dict.fromkeys((GREEN, YELLOW, RED), holding()), BLUE: holding("KEMI")})
    assert problems(view, "MOVE NOR, HOL IF CARD") == []
    assert warnings(view, "MOVE NOR, HOL IF CARD, b4") == [
        "1: NOR is out of reach now",
        "1: HOL is out of reach now",
        "1: b4 is out of reach now",
        "1: there is no card in HOL now",
        GOES_BY_DEFAULT,
    ]
    told = warnings(
        view,
        "MOVE e5",
        "CHALLENGE red 1 ATOM",
        "AMBUSH red 1 ATOM",
        "SWAP red",
        "PLACE 1",
        "FIFTH *: OUT RYMD TO NOR",
        "KEEP ATOM: PLACE 1",
        "KEEP KEMI: OUT 2",
    )
    assert told[1:] == [
        "2: you did not roll a double",
        "3: you cannot ambush while an embassy has a card",
        "4: no bodyguard of Red blocks you now",
        "5: your place 1 is filled now",
        "6: you have no SPACE now",
        "6: there is a card in NOR now; the next line would be used, else the default rules",
        "7: your place 1 is filled now",
        "8: your holder has room now; OUT is only for a full holder",
        "8: your place 2 is empty now",
        GOES_BY_DEFAULT,
    ]


def test_where_the_bodyguard_goes_that_challenges_into_an_embassy_is_told():
    """9.10"""
    holders = dict.fromkeys((BLUE, GREEN, YELLOW, RED), holding("ATOM", "KEMI", "FYSIK", "RYMD"))
    spies = {BLUE: "c2", GREEN: "NOR", YELLOW: "n11", RED: "b14"}
    settings = Settings(mode="rounds", open_doors=True)
    open_to_all = {"settings": settings, "embassies": {}, "holders": holders, "spies": spies}
    standing = {BLUE: (Fifth(ANY, Refuse()),)}
    view = table(dice=(2, 2), standing=standing, **open_to_all)
    assert warnings(view, "CHALLENGE green 1 ATOM") == [
        "1: the spy of Green is in an embassy, so your bodyguard goes home"
    ]
    assert warnings(view, "CHALLENGE yellow 1 ATOM") == []


def test_a_way_that_cannot_be_gone_now_is_a_warning():
    view = table(dice=(1, 2))
    assert warnings(view, "MOVE b5 PATH b3 b4") == []
    assert warnings(view, "MOVE b5 PATH b2 b3 b4 b5") == []
    assert warnings(view, "MOVE b5 PATH b3 c4") == [
        "1: your spy cannot follow that path to b5 now",
        GOES_BY_DEFAULT,
    ]
    assert warnings(view, "MOVE b5 PATH b3 c4, b5") == [
        "1: your spy cannot follow that path to b5 now"
    ]


def test_a_challenge_that_cannot_be_made_now_is_a_warning():
    holders = {**dict.fromkeys((YELLOW, RED), holding()), BLUE: holding("KEMI"), GREEN: holding()}
    spies = {BLUE: "b4", GREEN: "e2", YELLOW: "n14", RED: "b14"}
    alone = table(dice=(2, 2), holders=holders, spies=spies)
    assert warnings(alone, "MOVE NEAR NOR", "CHALLENGE green 1 ATOM") == [
        "2: Green cannot be challenged now"
    ]
    ready = table(dice=(1, 3), holders={**holders, GREEN: holding("ATOM")}, spies=spies)
    assert warnings(ready, "MOVE NEAR NOR", "CHALLENGE green 1 ATOM") == [
        "2: you did not roll a double"
    ]


def test_where_an_ambush_stops_that_names_no_square_is_told():
    view = crowded((3, 6), green="b5")
    assert warnings(view, "AMBUSH green 2 KEMI") == [
        "1: your spy stops on b6, the first square by column and row; use VIA to name another"
    ]
    assert warnings(view, "AMBUSH green 2 KEMI VIA c5") == []


def crowded(dice, green="f2"):
    """Return a position in which no card lies out, and Green's spy stands three steps from Blue's,
    on the same street."""
    holders = dict.fromkeys((BLUE, GREEN, YELLOW, RED), holding("ATOM", "KEMI", "FYSIK", "RYMD"))
    spies = {BLUE: "c2", GREEN: green, YELLOW: "n14", RED: "l11"}
    standing = {BLUE: (Fifth(ANY, Refuse()),)}
    return table(dice=dice, embassies={}, holders=holders, spies=spies, standing=standing)


def test_an_ambush_that_cannot_be_laid_now_is_a_warning():
    view = crowded((1, 3))
    assert warnings(view, "AMBUSH green 2 KEMI") == []
    assert warnings(view, "AMBUSH green 2 KEMI VIA e2") == []
    assert warnings(view, "AMBUSH green 2 KEMI VIA e4") == [
        "1: you cannot ambush Green from e4 now",
        GOES_BY_DEFAULT,
    ]
    assert warnings(view, "AMBUSH red 2 KEMI", "MOVE NEAR NOR") == [
        "1: your spy cannot stop next to the spy of Red now"
    ]


def test_a_double_leaves_no_choice_of_an_ambush():
    """R2: who could be waylaid could be challenged, and on a double he must be."""
    assert warnings(crowded((2, 2)), "CHALLENGE green 1 ATOM", "AMBUSH green 1 ATOM") == [
        "2: you cannot ambush on a double; you must challenge if you can"
    ]


def test_defaults_are_told_by_their_rule():
    assert warnings(table()) == [GOES_BY_DEFAULT]
    assert warnings(table(), "MOVE NEAR NOR") == []
    ready = table(
        dice=(2, 2),
        holders={
            **dict.fromkeys((YELLOW, RED), holding()),
            BLUE: holding("KEMI"),
            GREEN: holding("ATOM"),
        },
        spies={BLUE: "b2", GREEN: "e5", YELLOW: "n14", RED: "b14"},
    )
    (told,) = warnings(ready)
    assert told.startswith("0: you rolled a double and must challenge")
    assert warnings(ready, "CHALLENGE green 1 ATOM") == []
    assert warnings(ready, "CHALLENGE red 1 ATOM")[-1].startswith("0: you rolled a double")


def test_a_full_holder_without_a_table_is_told_what_becomes_of_a_fifth_card():
    full = {
        **dict.fromkeys((GREEN, YELLOW, RED), holding()),
        BLUE: holding("KEMI", "RYMD", "ATOM", "ATOM"),
    }
    view = table(holders=full)
    assert warnings(view, "MOVE NEAR NOR")[-1].startswith("0: your holder is full: without FIFTH")
    assert warnings(view, "MOVE NEAR NOR", "FIFTH *: REFUSE") == []
    standing = table(holders=full, standing={BLUE: (Fifth(ANY, Refuse()),)})
    assert warnings(standing, "MOVE NEAR NOR") == []


def test_a_standing_answer_is_an_answer():
    asked = Pending(challenger=RED, defender=BLUE, place=1)
    view = table(pending=asked, standing={BLUE: (Answer(ANY, (1,)),)})
    assert warnings(view) == [
        "0: your orders are empty, so your standing orders and the default rules decide"
    ]


def test_a_spy_that_does_not_roll_may_swap_who_stands_in_its_way():
    stuck = table(
        players=2,
        rolls={},
        to_move=BLUE,
        settings=Settings(mode="turns", roll_when_blocked=False),
        spies={BLUE: "b2", YELLOW: "b3"},
        bodyguards={BLUE: "a1", YELLOW: "c2"},
    )
    assert warnings(stuck, "SWAP yellow") == []
    assert warnings(stuck)[-1].startswith("0: without SWAP or PASS")


@pytest.mark.parametrize(("players", "found"), [(2, 1), (3, 0), (4, 0)])
def test_an_ambush_is_for_three_players_or_four(players: int, found: int):
    """I3."""
    assert len(problems(table(players), "AMBUSH yellow 1 ATOM")) == found


def test_an_ambush_is_laid_from_a_street_or_a_well():
    for via, found in (("b5", 0), ("g2", 0), ("d4", 1), ("NOR", 1), ("b2", 1)):
        told = problems(table(), f"AMBUSH red 1 ATOM VIA {via}")
        assert told == [f"1: {via} is not a street or a well"] * found


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Storb", "BRI"),
        ("Ne", "HOL"),  # Nederland
        ("De", "DAN"),  # Denmark
        ("St", "BRI"),
        ("T", None),
        ("U", None),
        ("S", None),
    ],
)
def test_an_embassy_that_is_begun_with_two_letters_is_told(typed: str, meant: str | None):
    (told,) = problems(table(), f"MOVE {typed}")
    assert told.partition("did you mean ")[2] == (f"{meant}?" if meant else "")


def test_if_card_is_warned_of_where_no_card_lies_and_only_there():
    view = table(dice=(1, 4), embassies={"BRI": "ATOM"})
    assert warnings(view, "MOVE BRI IF CARD") == []
    assert warnings(view, "MOVE NOR IF CARD") == [
        "1: NOR is out of reach now",
        "1: there is no card in NOR now",
        GOES_BY_DEFAULT,
    ]
    elsewhere = table(dice=(1, 4), embassies={"NOR": "ATOM"})
    assert warnings(elsewhere, "MOVE BRI IF CARD") == [
        "1: there is no card in BRI now",
        GOES_BY_DEFAULT,
    ]


def test_out_is_for_a_full_holder():
    four = {seat: holding("ATOM", "KEMI", "ATOM", "KEMI") for seat in (BLUE, GREEN, YELLOW, RED)}
    full, room = table(holders=four), table(holders={**four, BLUE: holding("ATOM", "KEMI", "ATOM")})
    told = "1: your holder has room now; OUT is only for a full holder"
    assert told not in warnings(full, "KEEP *: OUT ATOM")
    assert told in warnings(room, "KEEP *: OUT ATOM")
