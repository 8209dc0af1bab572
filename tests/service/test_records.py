"""Files of records: which rules replay a game, and the sentence that names file and line."""

from pathlib import Path

import msgspec

from adjudicator.core.record import Refused, Replayed
from tests.club import replay_files, replay_lines

EXAMPLES = Path(__file__).parents[2] / "examples" / "espionage" / "games.esp"

CANCELLED = (
    '[Game "ESPIONAGE"]\n',
    '[Variant "fast"]\n',
    '[Volcanoes "a5 b5 i6 j6"]\n',
    '[Result "none cancelled"]\n',
)


def test_every_game_of_every_file_is_ready_for_json() -> None:
    with EXAMPLES.open(encoding="utf-8") as lines:
        found = list(replay_files([("games.esp", lines), ("none.esp", CANCELLED)]))
    assert len(found) == 7
    for game in found:
        assert isinstance(game, Replayed)
        assert msgspec.json.decode(msgspec.json.encode(game.data)) == game.data
        assert "\n" not in str(game.summary)


def test_a_refusal_names_file_line_and_reason_and_the_other_games_follow() -> None:
    broken = [line.replace("a5", "a6 c5") for line in CANCELLED]
    first, second, third = replay_files([("a.esp", [*broken, *CANCELLED]), ("b.esp", broken)])
    reason = "the board has 4 volcanoes on different squares, not 'a6 c5 b5 i6 j6'"
    assert first == f"a.esp, line 3: {reason}"
    assert isinstance(second, Replayed)
    assert third == f"b.esp, line 3: {reason}"


def test_the_game_is_found_by_its_title_whatever_the_case() -> None:
    (game,) = replay_lines(CANCELLED)
    assert isinstance(game, Replayed)


def test_an_unknown_game_is_refused_by_its_line() -> None:
    assert list(replay_files([("a.esp", ['[Date "?"]\n', '[Game "Espionge"]\n'])])) == [
        "a.esp, line 2: there is no game 'Espionge'; did you mean Espionage?"
    ]
    (told,) = replay_files([("a.esp", ['[Game "Chess"]\n'])])
    assert isinstance(told, str)
    assert told.startswith("a.esp, line 1: there is no game 'Chess'; the games are Espionage")


def test_a_game_without_the_tag_game_is_refused() -> None:
    (told,) = replay_files([("a.esp", ["\n", *CANCELLED[1:]])])
    assert told == "a.esp, line 2: the tag Game is missing"


def test_a_file_without_games_says_so() -> None:
    assert list(replay_files([("a.esp", ["\n"])])) == [
        "a.esp, line 1: there is no game in the file"
    ]
    (refused,) = replay_lines(["hello\n", "1. a3-a4\n"])
    assert isinstance(refused, Refused)
    assert str(refused.message) == "'hello' comes before the first tag of a game"
