"""Problems of a sheet, judged on the seat's view alone (rules 9.1, 9.3, 9.6)."""

import pytest
from msgspec.structs import replace

from adjudicator.core.orders import split_lines
from adjudicator.games.spies.orders.check import check
from adjudicator.games.spies.orders.parse import parse
from adjudicator.games.spies.orders.template import template
from adjudicator.games.spies.orders.warn import warn
from adjudicator.games.spies.rules import match
from adjudicator.games.spies.rules.atlas import POWERS, atlas
from adjudicator.games.spies.rules.state import State
from adjudicator.games.spies.sight.observe import observe
from tests.games.spies.matches import CHANCE, begun, fold, setting
from tests.games.spies.playing import quiet

SETUP = """\
SETUP
G-1 BER
G-2 BER
G-3 HAM
G-4 HAM
G-5 MUN
G-6 MUN
G-7 COL
P1 BER ON G-1
P2 BER ON G-2
P3 HAM ON G-3
P4 HAM
P5 MUN
P6 COL
P7 BSL
A LIS
B LIS
C PAR
D BER
E ZUR
"""


def problems(state: State, seat: str, text: str) -> list[str]:
    sheet = parse(split_lines(text))
    assert sheet.problems == ()
    return [str(found.message) for found in check(observe(state, seat), sheet)]


@pytest.fixture(scope="module")
def play() -> State:
    return begun(setting())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("PLAY TC8", None),
        ("PLAY TI1", "you do not have TI1"),
        ("DISCARD TC1", "you do not have TC1"),
        ("PLAY TG5", "TG5 can be played from 1938 to 1939, but this is 1933"),
        ("DISCARD TG5", None),
        ("PLAY TC8\nDISCARD TG5", "you play or discard one tile in a turn, not two"),
        ("SPY I-A: GO BER", "I-A is not yours"),
        ("SPY A: GO BER\nSPY G-A: GO HAM", "G-A is ordered twice"),
        ("POLICE P1 BER\nPOLICE P1 HAM", "G-P1 is ordered twice"),
        ("POLICE P8 BER", "there is no G-P8"),
        ("POLICE I-P1 ROM", "I-P1 is not yours"),
        ("POLICE P1 PAR", "PAR is not a home city"),
        ("POLICE P1 BER", "BER has room for 2 police pieces, not for 3"),
        ("POLICE P1 COL", None),
        ("POLICE P1 COL\nPOLICE P2 COL", "COL has room for 1 police piece, not for 2"),
        ("POLICE P1 BER ON G-1\nPOLICE P4 HAM ON G-1", "only one piece can guard G-1"),
        ("POLICE P4 HAM ON I-1", "G-P4 guards only secrets of its own power, not I-1"),
        ("SPY A: TAKE I-1", "TAKE is for secrets of the spy's own power; I-1 needs DISCOVER"),
        ("SPY A: GO BER; ESCAPE", "ESCAPE can only be the first step of a plan"),
        ("SPY A: ESCAPE; GO BER", None),
        ("SPY A: KILL G-B", "G-B is not an enemy"),
        ("GIVE germany 10", "Germany is your own power"),
        ("SPY A: GO BER IF VALUE>=2", "VALUE is for COVER"),
        ("SPY A: DISCOVER N-1 IF VALUE>=2", "VALUE is for COVER"),
        ("ANSWER PAPERS IF VALUE>=2", "VALUE is for COVER"),
        ("COVER ALL IF CARRYING", "COVER takes only the conditions VALUE and MONEY"),
        ("COVER ALL IF VALUE>=2 AND MONEY>=5", None),
        ("ANSWER PAPERS I-A", "I-A is not yours"),
        ("FLEE I-A: BER", "I-A is not yours"),
        ("SPARE PAR", "PAR is not a home city"),
        ("SPARE germany", "Germany is your own power"),
        ("SPARE G-A", "G-A is not an enemy"),
        ("SPARE france, I-A, BER", None),
        ("SETUP RANDOM", "your pieces are already placed"),
        ("G-1 BER", "your pieces are already placed"),
    ],
)
def test_a_line_in_play(play: State, text: str, told: str | None):
    """Rule 9.6."""
    found = problems(play, "germany", text)
    assert found == [] if told is None else any(told in message for message in found), found


def test_a_secret_out_of_play_is_not_discovered(play: State):
    gone = replace(play.secrets["N-4"], city=None, gone="removed")
    state = replace(play, secrets={**play.secrets, "N-4": gone})
    assert problems(state, "germany", "SPY A: DISCOVER N-3, N-4") == ["N-4 is no longer in play"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("PLAY TI1\nPLAY TI2", [(1, "you do not have TI1"), (2, "you do not have TI2")]),
        ("POLICE P1 PRA\nSPY A: GO HAM", [(1, "PRA is not a home city")]),
        (
            "POLICE P1 BER\nPOLICE P7 MUN\nSPY A: GO HAM",
            [(2, "BER has room for 2 police pieces, not for 3")],
        ),
        ("SPY A: KILL B", [(1, "B is not an enemy")]),
        ("SPARE B", [(1, "B is not an enemy")]),
    ],
)
def test_a_problem_is_told_once_and_at_its_line(
    play: State, text: str, told: list[tuple[int, str]]
):
    """Rule 9.6."""
    found = check(observe(play, "germany"), parse(split_lines(text)))
    assert [problem.line for problem in found] == [line for line, _ in told]
    for problem, (_, words) in zip(found, told, strict=True):
        assert words in str(problem.message)


def test_a_gift_needs_a_player_who_is_another():
    """Rule 5.10."""
    three, two = begun(setting(3)), begun(setting(2))
    assert problems(three, "germany", "GIVE france 10") == [
        "nobody plays France, so it cannot receive gifts"
    ]
    assert problems(three, "germany", "GIVE italy 10") == []
    assert problems(two, "germany", "GIVE russia 10") == ["with two players there are no gifts"]


def test_with_two_powers_the_letter_is_needed_and_only_the_power_to_move_moves():
    """Rules 1.3, 9.1."""
    state = begun(setting(2))
    assert state.to_move == "germany"
    assert problems(state, "germany", "SPY A: GO BER") == ["which power's A? write G-A, B-A"]
    assert problems(state, "germany", "SPY B-A: GO BER") == [
        "B-A does not move now; it is the turn of Germany"
    ]
    assert problems(state, "germany", "POLICE B-P1 LON") == [
        "B-P1 does not move now; it is the turn of Germany"
    ]
    assert problems(state, "germany", "PLAY TB1") == [
        "it is Germany's turn, and TB1 is not its tile"
    ]
    assert problems(state, "germany", "SPY G-A: GO BER\nANSWER PAPERS B-A\nFLEE B-B: LIV") == []
    assert problems(state, "germany", "SPARE britain") == ["Britain is your own power"]


@pytest.fixture(scope="module")
def opening() -> State:
    return match.set_up(setting(), CHANCE)


def test_a_whole_set_up_is_accepted_and_played(opening: State):
    """Rules 2.5, 9.3."""
    assert problems(opening, "germany", SETUP + "ANSWER PAPERS\nFLEE A: MAD") == []
    sheet = parse(split_lines(SETUP + "ANSWER PAPERS\nFLEE A: MAD"))
    after = fold(opening, match.adjudicate(opening, {"germany": sheet.orders}, CHANCE))
    assert after.secrets["G-7"].city == "COL"
    assert (after.police["G-P2"].city, after.police["G-P2"].on) == ("BER", "G-2")
    assert after.spies["G-E"].city == "ZUR"
    assert after.standing["germany"].flee == {"G-A": ("MAD",)}
    silent = begun(setting())
    assert after.spies["F-A"] == silent.spies["F-A"]


def test_a_seat_is_committed_to_the_lines_of_its_set_up(opening: State):
    """Rule 2.6."""
    sheet = parse(split_lines(SETUP))
    after = fold(opening, match.adjudicate(opening, {"germany": sheet.orders}, CHANCE))
    rows = after.setups["germany"].split("/")
    wanted = [line for line in SETUP.split("\n")[1:] if line]
    assert rows == [line if line.startswith("G-") else f"G-{line}" for line in wanted]
    assert set(after.setups) == set(POWERS)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SETUP RANDOM", None),
        ("SETUP RANDOM\nANSWER PAPERS", None),
        ("SETUP AUTO\nANSWER PAPERS", None),
        ("SETUP AUTO\nA LIS", "SETUP AUTO places every piece"),
        ("", None),
        ("SETUP", "G-1, G-2, G-3, G-4, G-5, G-6, G-7, G-P1"),
        (SETUP.replace("G-7 COL\n", ""), "G-7 has no place yet"),
        (SETUP + "G-7 BER", "G-7 is placed 2 times"),
        (SETUP.replace("G-7 COL", "G-7 BER"), "BER has 3 secrets; at most 2 are allowed"),
        (SETUP.replace("G-7 COL", "G-7 PAR"), "PAR is not a home city"),
        (SETUP.replace("P7 BSL", "P7 BER"), "BER has room for 2 police pieces, not for 3"),
        (SETUP.replace("P7 BSL", "P7 PAR"), "PAR is not a home city"),
        (SETUP.replace("P2 BER ON G-2", "P2 BER ON G-1"), "only one piece can guard G-1"),
        (SETUP.replace("P2 BER ON G-2", "P2 BER ON G-3"), "G-P2 cannot be ON G-3"),
        (SETUP.replace("G-7 COL", "I-7 COL"), "I-7 is not yours"),
        (SETUP.replace("A LIS", "A LIS ON G-1"), "only police can be ON a secret"),
        (SETUP.replace("G-1 BER", "G-1 BER ON G-2"), "only police can be ON a secret"),
        (SETUP.replace("SETUP\n", ""), "a set-up begins with SETUP"),
        ("SETUP RANDOM\nA LIS", "SETUP RANDOM places every piece"),
        ("SETUP\n" + SETUP, "one SETUP is enough"),
        ("ANSWER PAPERS", "a set-up begins with SETUP"),
        ("SPY A: GO BER", "nobody moves yet"),
    ],
)
def test_a_set_up(opening: State, text: str, told: str | None):
    """Rule 9.3."""
    found = problems(opening, "germany", text)
    assert found == [] if told is None else any(told in message for message in found), found


def test_a_seat_of_two_powers_places_both():
    """Rules 1.3, 9.3."""
    state = match.set_up(setting(2), CHANCE)
    assert any("B-1" in message for message in problems(state, "germany", "SETUP\nG-1 BER"))
    sheet = parse(split_lines("SETUP RANDOM"))
    after = fold(state, match.adjudicate(state, {"germany": sheet.orders}, CHANCE))
    assert after.setups["germany"].count("/") == 2 * 7 + 7 + 6 + 2 * 5 - 1
    assert all(city in atlas().cities for city in (spy.city for spy in after.spies.values()))


def test_a_check_tells_nothing_that_the_view_does_not_show(play: State):
    """The same sheet is answered alike whatever lies hidden (rule 7.4)."""
    text = "SPY A: DISCOVER I-1; KILL R-A\nPOLICE P1 COL ON G-1\nSPARE france"
    other = replace(play, pool=play.pool[::-1])
    faces = {code: secret.face for code, secret in play.secrets.items()}
    faces["I-1"], faces["I-2"] = faces["I-2"], faces["I-1"]
    swapped = {code: replace(s, face=faces[code]) for code, s in play.secrets.items()}
    other = replace(other, secrets=swapped)
    assert problems(play, "germany", text) == problems(other, "germany", text)


FULL = "G-A already carries G-1, so it cannot discover anything; a step DROP before it would help"


def warnings(state: State, seat: str, text: str) -> list[str]:
    sheet = parse(split_lines(text))
    view = observe(state, seat)
    assert list(check(view, sheet)) == []
    return [str(found.message) for found in warn(view, sheet)]


@pytest.fixture
def quiet_table(play: State) -> State:
    """Put all spies into their capitals and four secrets beside those of Germany; nobody holds a
    chit."""
    state = quiet(play)
    near = {code: replace(state.secrets[code], city="BER") for code in ("N-1", "N-2", "N-3", "N-4")}
    return replace(state, secrets={**state.secrets, **near})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SPY A: GO PRA", []),
        ("SPY A: GO LIS, ALX", []),
        ("SPY A: GO PRA; GO LIS, HOME", ["LIS is out of reach of G-A now"]),
        ("SPY A: GO PRA IF N-4; GO LIS", []),
        ("SPY A: GO PRA IF N-1, KON; GO LEN", []),
        ("SPY A: GO NEAR ALX; GO IST", ["IST is out of reach of G-A now"]),
        ("SPY A: GO NEAR LIS; GO MAD", []),
        ("SPY A: GO PRA; GO NEAR LIS", []),
        ("SPY A: GO PRA; GO LIS; GO HAM", ["LIS is out of reach of G-A now"]),
        ("SPY D: GO BER", []),
        ("SPY D: GO KON", ["KON is out of reach of G-D now"]),
        ("SPY A: ESCAPE; GO HAM", ["G-A is not captured, so it cannot return"]),
        ("SPY B: GO HAM", ["G-B is captured; a plan for it must begin with ESCAPE"]),
        ("SPY B: ESCAPE; GO HAM", ["you have no ESCAPE now"]),
        ("SPY C: GO HAM", ["G-C is dead"]),
        ("SPY A: DISCOVER N-1", ["you have no DISCOVERY now"]),
        ("SPY A: KILL I-A", ["you have no DAGGER now"]),
        ("ANSWER PAPERS A", ["PAPERS costs 5 £, which you do not have now"]),
        ("ANSWER ESCAPE", ["you have no ESCAPE now"]),
        ("ANSWER NONE\nANSWER DEFAULT\nCOVER NONE\nCOVER DEFAULT", []),
        ("COVER ALL", ["you have no COVER now"]),
        ("GIVE italy 10", ["you do not have 10 £ now"]),
        ("GIVE italy 4\nGIVE italy PAPERS", []),
        ("GIVE italy COVER", ["you have no COVER now"]),
        ("SPARE BER, HAM", ["HAM has no police now, so nobody is searched there"]),
    ],
)
def test_what_cannot_work_now_is_a_warning(quiet_table: State, text: str, told: list[str]):
    """Rule 9.6."""
    spies = dict(quiet_table.spies)
    spies["G-B"] = replace(spies["G-B"], city=None, captor="italy")
    spies["G-C"] = replace(spies["G-C"], city=None, captor="dead")
    spies["G-D"] = replace(spies["G-D"], city="PAL")
    police = {**quiet_table.police, "G-P1": replace(quiet_table.police["G-P1"], city="BER")}
    hand = replace(quiet_table.hands["germany"], money=4, chits={"papers": 1})
    hands = {**quiet_table.hands, "germany": hand}
    state = replace(quiet_table, spies=spies, police=police, hands=hands)
    assert warnings(state, "germany", text) == told


@pytest.mark.parametrize(
    ("load", "plan", "told"),
    [
        (None, "DISCOVER N-1", []),
        (None, "DISCOVER N-8, N-1", []),
        (None, "GO PRA IF POLICE=0; DISCOVER N-1", []),
        (None, "DISCOVER N-8", ["G-A finds nothing there: N-8 is not in BER now"]),
        (None, "GO PRA; DISCOVER N-1", ["G-A finds nothing there: N-1 is not in PRA now"]),
        (
            None,
            "GO PRA, HAM; DISCOVER N-8, N-1",
            ["G-A finds nothing there: N-8, N-1 are not in PRA now"],
        ),
        (
            None,
            "GO PRA IF N-1; DISCOVER N-8",
            ["G-A finds nothing there: N-8 is not in BER, PRA now"],
        ),
        ("N-5", "GO PRA; GO HOME; DISCOVER N-1", []),
        ("N-5", "DROP; DISCOVER N-1", []),
        ("G-1", "DISCOVER N-1", [FULL]),
        ("G-1", "GO PRA; DISCOVER N-1", [FULL]),
        ("G-1", "DROP; DISCOVER N-1", []),
    ],
)
def test_a_discovery_that_finds_nothing_or_has_full_hands_is_a_warning(
    quiet_table: State, load: str | None, plan: str, told: list[str]
):
    """Rule 9.6."""
    hand = replace(quiet_table.hands["germany"], money=40, chits={"discovery": 4})
    spies = {**quiet_table.spies, "G-A": replace(quiet_table.spies["G-A"], carries=load)}
    secrets = dict(quiet_table.secrets)
    if load:
        secrets[load] = replace(secrets[load], city="BER", spy="G-A")
    hands = {**quiet_table.hands, "germany": hand}
    state = replace(quiet_table, hands=hands, spies=spies, secrets=secrets)
    assert warnings(state, "germany", f"SPY A: {plan}") == told


def test_discoveries_beyond_the_chits_and_the_money_are_a_warning(quiet_table: State):
    """Rule 9.6: each line could be paid by itself."""
    text = "SPY A: DISCOVER N-1\nSPY B: DISCOVER N-2; GO HOME; DISCOVER N-3\nSPY C: DISCOVER N-4"
    told = "you have 3 DISCOVERY and 25 £ now, enough for 2 discoveries in these orders"
    hand = replace(quiet_table.hands["germany"], money=25, chits={"discovery": 3})
    state = replace(quiet_table, hands={**quiet_table.hands, "germany": hand})
    assert warnings(state, "germany", text) == [told]
    richer = replace(hand, money=40, chits={"discovery": 4})
    state = replace(quiet_table, hands={**quiet_table.hands, "germany": richer})
    assert warnings(state, "germany", text) == []


@pytest.mark.parametrize(
    ("line", "chit", "cost"),
    [
        ("ANSWER PAPERS", "papers", 5),
        ("ANSWER ESCAPE", "escape", 10),
        ("COVER ALL", "cover", 5),
        ("SPY A: DISCOVER N-1", "discovery", 10),
        ("SPY A: KILL I-A", "dagger", 10),
        ("GIVE italy 7", "papers", 7),
    ],
)
def test_money_is_missing_below_the_cost_and_not_at_it(
    quiet_table: State, line: str, chit: str, cost: int
):
    """Rules 6.1, 9.6."""
    for money, missing in ((cost - 1, True), (cost, False)):
        hand = replace(quiet_table.hands["germany"], money=money, chits={chit: 1})
        state = replace(quiet_table, hands={**quiet_table.hands, "germany": hand})
        assert bool(warnings(state, "germany", line)) is missing


@pytest.mark.parametrize(
    ("chits", "money", "text", "pays"),
    [
        (2, 20, "SPY A: DISCOVER N-1; DISCOVER N-2\nSPY B: DISCOVER N-3", (2, 2)),
        (2, 29, "SPY A: DISCOVER N-1\nSPY B: DISCOVER N-2; DISCOVER N-3", (2, 2)),
        (1, 40, "SPY A: DISCOVER N-1\nSPY B: DISCOVER N-2\nSPY C: DISCOVER N-3", (2, 1)),
        (3, 19, "SPY A: DISCOVER N-1\nSPY B: DISCOVER N-2", (2, 1)),
        (3, 20, "SPY A: DISCOVER N-1\nSPY B: DISCOVER N-2", None),
        (2, 40, "SPY A: DISCOVER N-1; DISCOVER N-2", None),
        (2, 40, "SPY A: DISCOVER N-1; DISCOVER N-2; DISCOVER N-3\nGIVE italy 99", (1, 2)),
    ],
)
def test_the_first_line_that_chits_or_money_do_not_pay_for_is_warned_of(
    quiet_table: State, chits: int, money: int, text: str, pays: tuple[int, int] | None
):
    """Rule 9.6."""
    hand = replace(quiet_table.hands["germany"], money=money, chits={"discovery": chits})
    state = replace(quiet_table, hands={**quiet_table.hands, "germany": hand})
    sheet = parse(split_lines(text))
    found = [
        (problem.line, str(problem.message)) for problem in warn(observe(state, "germany"), sheet)
    ]
    assert [line for line, _ in found] == sorted(line for line, _ in found)
    told = [(line, message) for line, message in found if "enough for" in message]
    assert told == ([] if pays is None else [(pays[0], told[0][1])])
    if pays:
        assert f"enough for {pays[1]} discover" in told[0][1]


def test_with_two_powers_a_chit_is_missing_if_no_power_that_is_named_can_play_it():
    """Rules 1.3, 9.6."""
    state = quiet(begun(setting(2)))
    for german, british, line, missing in (
        ((4, 1), (5, 1), "ANSWER PAPERS", False),
        ((4, 1), (4, 1), "ANSWER PAPERS", True),
        ((5, 1), (5, 0), "ANSWER PAPERS G-A", False),
        ((5, 0), (5, 1), "ANSWER PAPERS G-A", True),
        ((5, 0), (5, 1), "ANSWER PAPERS G-A, B-A", False),
    ):
        hands = {
            **state.hands,
            "germany": replace(
                state.hands["germany"], money=german[0], chits={"papers": german[1]}
            ),
            "britain": replace(
                state.hands["britain"], money=british[0], chits={"papers": british[1]}
            ),
        }
        told = warnings(replace(state, hands=hands), "germany", line)
        assert bool(told) is missing, (german, british, line, told)


def test_nothing_is_warned_of_in_a_set_up(opening: State):
    assert warnings(opening, "germany", SETUP + "COVER ALL") == []


@pytest.mark.parametrize("players", [2, 5])
def test_a_template_names_every_piece_and_is_refused_as_it_is(players: int):
    opening = match.set_up(setting(players), CHANCE)
    for state in (opening, begun(setting(players))):
        for seat in match.awaiting(state):
            view = observe(state, seat)
            body = template(view)
            spies = [s.spy for s in view.spies if s.power in (view.to_move or view.powers)]
            assert all(any(spy in line for line in body) for spy in spies)
            assert parse(split_lines("\n".join(body))).problems
