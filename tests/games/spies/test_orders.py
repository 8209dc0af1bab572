"""Sheets are read in three languages, broken or not (rules 9.1 to 9.5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicator.core.orders import MOST_ORDERS, folded, split_lines
from adjudicator.games.spies.orders import parse as parsing
from adjudicator.games.spies.orders.missing_letters import complete_codes
from adjudicator.games.spies.orders.parse import parse
from adjudicator.games.spies.orders.values import canonical
from adjudicator.games.spies.orders.words import SPELLINGS, WORDS, city_words, power_words
from adjudicator.games.spies.rules.atlas import atlas
from tests.scale import examples

ENGLISH = """\
PLAY TG2
POLICE P1 BER ON G-1
SPY A: GO PRA IF N-4, ZUR
  DISCOVER N-4, N-3 TRIES 2
  GO HOME IF CARRYING, WAR
SPY C: ESCAPE; GO HAM
ANSWER PAPERS IF CARRYING>=3
ANSWER ESCAPE A, B AGAINST FRANCE
COVER ALL AGAINST ITALY IF VALUE>=2
"""
NORWEGIAN = """\
SPILL TG2
POLITI P1 Berlin på G-1
SPION A: gå Praha hvis N-4, Zürich
  avslør N-4, N-3 forsøk 2
  gå hjem hvis bærer, Warszawa
SPION C: flukt; gå Hamburg
SVAR papirer hvis bærer>=3
SVAR flukt A, B mot Frankrike
DEKK alle mot Italia hvis verdi>=2
"""
SWEDISH = """\
SPELA TG2
POLIS P1 Berlin på G-1
SPION A: gå Prag om N-4, Zürich
  avslöja N-4, N-3 försök 2
  gå hem om bär, Warszawa
SPION C: flykt; gå Hamburg
SVARA papper om bär>=3
SVARA flykt A, B mot Frankrike
TÄCK alla mot Italien om värde>=2
"""
CANONICAL = [
    "PLAY TG2",
    "POLICE G-P1 BER ON G-1",
    "SPY G-A: GO PRA IF N-4, ZUR; DISCOVER N-4, N-3 TRIES 2; GO HOME IF CARRYING, WAR",
    "SPY G-C: ESCAPE; GO HAM",
    "ANSWER PAPERS IF CARRYING>=3",
    "ANSWER ESCAPE G-A, G-B AGAINST FRANCE",
    "COVER ALL AGAINST ITALY IF VALUE>=2",
]


def lines(text: str) -> list[str]:
    """Return the canonical lines of a sheet that is understood."""
    sheet = parse(split_lines(text))
    assert [str(trouble.message) for trouble in sheet.problems] == []
    return [canonical(order) for order in sheet.orders]


def trouble(text: str) -> str:
    (found,) = parse(split_lines(text)).problems
    return str(found.message)


@pytest.mark.parametrize("text", [ENGLISH, NORWEGIAN, SWEDISH], ids=["en", "nb", "sv"])
def test_the_three_sheets_of_the_book_say_the_same(text: str):
    """Rule 9.5."""
    sheet = parse(split_lines(text))
    assert sheet.problems == ()
    assert [canonical(complete_codes(order, ("germany",))) for order in sheet.orders] == CANONICAL


@pytest.mark.parametrize("text", [ENGLISH, NORWEGIAN, SWEDISH], ids=["en", "nb", "sv"])
def test_the_sheets_are_read_as_mail_programs_break_them(text: str):
    """A line that is broken behind a word means the same, but where a new line could begin."""
    whole = lines(text)
    for number, line in enumerate(text.split("\n")):
        words = line.split(" ")
        for at in range(1, len(words)):
            if not words[at - 1]:
                continue
            broken = text.split("\n")
            broken[number : number + 1] = [" ".join(words[:at]), " ".join(words[at:])]
            sheet = parse(split_lines("\n".join(broken)))
            said = [canonical(order) for order in sheet.orders]
            assert said == whole, broken[number : number + 2]


def test_no_spelling_means_two_things():
    """Rule 9.4; power, city and word never share a spelling."""
    spellings = [folded(s) for own in SPELLINGS.values() for s in set(map(folded, own.split()))]
    assert len(spellings) == len(set(spellings)) == len(WORDS)
    names = {" ".join(words) for words in city_words()}
    assert names.isdisjoint(WORDS)
    assert names.isdisjoint(power_words())
    assert set(WORDS).isdisjoint(power_words())


@pytest.mark.parametrize("city", atlas().cities.values(), ids=lambda city: city.id)
def test_a_city_is_known_by_every_name_it_has(city):
    """Rule 9.1."""
    for name in (city.id, city.name, *city.names.values(), *city.also):
        for written in (name, name.upper(), name.lower()):
            assert lines(f"SPY A: GO {written}, BER") == [f"SPY A: GO {city.id}, BER"]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("spy a go ber", "SPY A: GO BER"),
        (
            "SPY G-A : GO NEAR HOME IF EMPTY AND POLICE<=1;",
            "SPY G-A: GO NEAR HOME IF EMPTY AND POLICE<=1",
        ),
        ("SPY A: GO København", "SPY A: GO COP"),
        ("SPY A: GO St Petersburg", "SPY A: GO LEN"),
        ("SPY A: TAKE g1; DROP IF CARRYING = 2", "SPY A: TAKE G-1; DROP IF CARRYING=2"),
        ("SPY A: KILL r-b IF STRENGTH ≥ 4", "SPY A: KILL R-B IF STRENGTH>=4"),
        ("SPY A: DISCOVER N4 TRIES 1", "SPY A: DISCOVER N-4"),
        ("POLITI G-P1 Köln", "POLICE G-P1 COL"),
        ("GIVE italy 10 £", "GIVE ITALY 10"),
        ("GI Italia avsløring", "GIVE ITALY DISCOVERY"),
        ("GE Ryssland dolk", "GIVE RUSSIA DAGGER"),
        ("BEHÅLL alla", "HOLD ALL"),
        ("HOLD N-4, i-2", "HOLD N-4, I-2"),
        ("FLYKTVÄG alla: Prag, Wien", "FLEE ALL: PRA, VIE"),
        ("FLEE A, B HAM", "FLEE A, B: HAM"),
        ("SPARE Frankrike, I-A, Berlin", "SPARE FRANCE, I-A, BER"),
        ("SPARE NONE", "SPARE NONE"),
        ("INFORMER all", "INFORMER ALL"),
        ("COVER DEFAULT AGAINST italy", "COVER DEFAULT AGAINST ITALY"),
        ("ANSWER NONE G-A", "ANSWER NONE G-A"),
        ("SVAR standard", "ANSWER DEFAULT"),
        ("SETUP RANDOM", "SETUP RANDOM"),
        ("OPPSTILLING tilfeldig", "SETUP RANDOM"),
        ("SETUP AUTO", "SETUP AUTO"),
        ("oppstilling automatisk", "SETUP AUTO"),
        ("UPPSTÄLLNING", "SETUP"),
        ("G-1 BER", "G-1 BER"),
        ("P1: Berlin PÅ G-1", "P1 BER ON G-1"),
        ("A Lissabon", "A LIS"),
        ("PLAY tc15   # next year", "PLAY TC15"),
    ],
)
def test_a_line_is_read(text: str, read: str):
    assert lines(text) == [read]
    assert lines(read) == [read]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SPY A: GO BERLN", "'BERLN': did you mean Berlin (BER)?"),
        ("SPY A: GO Prahaa", "'Prahaa': did you mean Praha (PRA)?"),
        ("SPY A: GO ZURR", "'ZURR': did you mean ZUR?"),
        ("SPY A: TAKE G-1 TRIES 2", "'TRIES' here; the line should end before it"),
        ("SPY A: GOO BER", "did you mean GO?"),
        ("SPYY A: GO BER", "did you mean SPY A: GO PRA"),
        ("PLAY TG9", "did you mean TG5?"),
        ("SPY A: GO PRA, DISCOVER N-4", "write ; before 'DISCOVER', between two steps"),
        ("SPY A: GO PRA IF N-4 GO HOME", "write ; before 'GO', between two steps"),
        ("A: GO PRA", "a plan begins with SPY: SPY A: GO PRA"),
        ("SPY A: DISCOVER N-9", "did you mean N-"),
        ("SPY A: DISCOVER I-8", "did you mean I-"),
        ("SPY F: GO BER", "write a spy like A or G-A"),
        ("POLICE G-P9 BER", "did you mean G-P"),
        ("GIVE itly 10", "did you mean italy?"),
        ("GIVE italy 0", "a gift must be more than 0"),
        ("GIVE italy much", "write a number in place of 'much'"),
        ("ANSWER PAPER", "did you mean PAPERS?"),
        ("ANSWER COVER", "an answer is PAPERS, ESCAPE, NONE or DEFAULT"),
        ("SPY A", "something is missing at the end"),
        ("SPY A: DISCOVER N-1 IF POLICE", "POLICE needs a number, as in POLICE>=2"),
        ("SPY A: DISCOVER N-1 IF LUCKY", "a condition is CARRYING"),
        ("SPY A: DISCOVER N-1 TRIES 0", "TRIES must be a number from 1"),
        ("SPY A: GO BER HAM", "the line should end before it"),
        ("GO BER", "there is no SPY line above this step"),
        ("hello there", "a line begins with PLAY"),
        ("SPY A: GO " + "BER, " * 500, "write one order per line"),
    ],
)
def test_what_is_not_understood_is_told_with_what_was_meant(text: str, told: str):
    assert told in trouble(text)


def test_a_step_goes_on_with_the_plan_above_it_only():
    assert trouble("HOLD ALL\nGO BER") == "there is no SPY line above this step"
    assert lines("SPY A: GO BER\nTAKE G-1\nESCAPE") == ["SPY A: GO BER; TAKE G-1; ESCAPE"]


@given(st.lists(st.sampled_from([*SPELLINGS, "BER", "N-4", "A", "P1", ":", ";", ",", ">=", "2"])))
@examples(300)
def test_any_row_of_words_is_read_or_answered(words: list[str]):
    sheet = parse(split_lines(" ".join(words)))
    for order in sheet.orders:
        assert lines(canonical(order)) == [canonical(order)]


@given(st.text())
@examples(200)
def test_any_text_is_read_or_answered(text: str):
    for found in parse(split_lines(text)).problems:
        assert str(found.message)


UNENDING = {
    "goals": "SPY A: GO " + "PRA, " * 60,
    "goals that are none": "SPY A: GO " + "PRA, " * 60 + "x1,",
    "a plan that goes on": "GO PRA,",
    "a plan begun": "SPY A: GO",
    "commas": ",",
    "words behind which something follows": "IF",
    "secrets": "HOLD " + "N-4, " * 60,
    "things": "SPARE " + "zurikh, " * 40,
}


@pytest.mark.parametrize("line", UNENDING.values(), ids=list(UNENDING))
def test_lines_are_put_together_only_so_often(monkeypatch, line):
    """Every character is read a few times, however the lines of a sheet could go on."""
    read = []

    class Counting(parsing.Reader):
        def __init__(self, text: str) -> None:
            read.append(len(text))
            super().__init__(text)

    monkeypatch.setattr(parsing, "Reader", Counting)
    parsing._tried.cache_clear()
    text = "\n".join(f"{line}  # {number}" for number in range(MOST_ORDERS))
    parse(split_lines(text))
    assert sum(read) < 3 * len(text) + 2 * parsing.MOST_JOINED
    assert max(read) <= parsing.LONGEST_LINE


def test_ten_long_plans_are_put_together_from_many_lines():
    goals = [f"{city}, " for city in ("PRA", "ZUR", "HAM", "WAR", "BER") * 4]
    plan = ["SPY A:", "GO", *goals[:-1], "PRA"]
    assert len(parse(split_lines("\n".join(plan * 10))).written) == 10


@pytest.mark.parametrize("text", [ENGLISH, NORWEGIAN, SWEDISH])
def test_a_full_stop_that_a_telephone_writes_at_the_end_of_a_line_does_no_harm(text):
    stopped = "\n".join(f"{line}." for line in text.splitlines())
    plain, dotted = parse(split_lines(text)), parse(split_lines(stopped))
    assert dotted.orders == plain.orders
    assert dotted.problems == ()
    assert parse(split_lines("PLAY ..")).problems
