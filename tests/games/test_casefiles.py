"""The reader of case files, itself."""

from pathlib import Path

import pytest

from tests.games.casefiles import CaseFault, Section, each, read, read_folder

CASE = """\
# what stands here is a comment
CASE 3.3 a sapper removes a mine   # so is this
VARIANT fast
BEFORE
  white d3 sapper

  black d4 mine
ORDERS white
  d3-d4
END

CASE 4.1, 4.2 4.3 two cases; a file holds many
AGREE
END
"""


def test_a_case_has_its_rules_its_title_and_where_it_stands():
    first, second = read(CASE, "fights.txt")
    assert (first.rules, first.title) == (("3.3",), "a sapper removes a mine")
    assert (second.rules, second.title) == (
        ("4.1", "4.2", "4.3"),
        "two cases; a file holds many",
    )
    assert str(first) == "fights.txt:2 3.3 a sapper removes a mine"


def test_a_section_has_its_word_what_it_says_and_its_lines_by_number():
    first, second = read(CASE)
    assert first.sections == (
        Section(3, "VARIANT", "fast"),
        Section(4, "BEFORE", "", ((5, "white d3 sapper"), (7, "black d4 mine"))),
        Section(8, "ORDERS", "white", ((9, "d3-d4"),)),
    )
    assert second.sections == (Section(13, "AGREE", ""),)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("CASE 3.3 a\n", "text:1: this case has no END"),
        ("CASE 3.3 a\nCASE 3.4 b\nEND", "text:1: this case has no END"),
        ("END", "text:1: END without CASE"),
        ("\nCASE without a rule\nEND", "text:2: a case begins 'CASE 3.3 title'"),
        ("CASE 3.3 a\n  b3 spy\nEND", "text:2: 'b3 spy' belongs to no section"),
        ("CASE 3.3 a\nBEFORE\nwhite d3 spy\nEND", "text:3: 'white d3 spy' is no section"),
    ],
)
def test_a_file_that_cannot_be_read_says_where_and_why(text, fault):
    with pytest.raises(CaseFault) as caught:
        read(text)
    assert str(caught.value).startswith(fault)


def test_a_folder_is_read_by_the_names_of_its_files(tmp_path: Path):
    (tmp_path / "b.txt").write_text("CASE 1.2 second\nEND\n")
    (tmp_path / "a.txt").write_text("CASE 1.1 first\nEND\n")
    (tmp_path / "notes.md").write_text("no cases")
    assert [case.title for case in read_folder(tmp_path)] == ["first", "second"]


def test_each_line_makes_a_case() -> None:
    (case,) = read("CASE 1.3 x\nEACH\n  a / b => c\n  d => e\nLETTER white\n  <1>\nANSWER <2>\nEND")
    first, second = each(case)
    assert [section.texts for section in first.sections] == [("a", "b"), ()]
    assert [section.said for section in second.sections] == ["white", "e"]
    assert [one.title for one in (first, second)] == ["x: a / b => c", "x: d => e"]
