"""What a club could do otherwise than it told all, or than a player's confirmations say."""

from collections.abc import Sequence

from tests.service.cheats import what_came as came
from tests.service.cheats.cheat import Cheat, Done
from tests.service.cheats.in_the_log import OF_THREE, SPION_FIRST
from tests.service.cheats.scene import GAMES_PLAYED

OF_ONE = ["espionage"]
EXCUSING = ["espionage", "spion"]  # the rules of Spies answer silence themselves

CAME: Sequence[Done] = [
    Done(
        "something else was done than all were told: a match on hold was played, another side lost "
        "or got a new holder, another turn was open",
        "each act is compared with what came of it",
        [
            Cheat(
                play=came.played_while_on_hold,
                where=SPION_FIRST,
                rule="A1",
                alone=True,
                told="it was played while the match was on hold",
            ),
            Cheat(
                play=came.silence_of_another,
                where=GAMES_PLAYED,
                rule="A1",
                told="By the log it was not so|lost by forfeit, and all were informed of: ",
            ),
            Cheat(
                play=came.another_turn_that_is_open,
                where=OF_ONE,
                rule="A1",
                told="an act names turn 5, and it is turn 2",
            ),
            Cheat(
                play=came.decided_on_another,
                where=EXCUSING,
                rule="A1",
                alone=True,
                told="lost by forfeit, and all were informed of: ",
            ),
            Cheat(
                play=came.decided_on_one_more,
                where=OF_THREE,
                rule="A1",
                alone=True,
                told="lost by forfeit, and all were informed of: ",
            ),
            Cheat(
                play=came.holder_that_did_not_change,
                where=OF_ONE,
                rule="A1",
                alone=True,
                told="did not change hands on ",
            ),
            Cheat(
                play=came.holder_in_the_same_second,
                where=["spies"],
                rule="C5",
                alone=True,
                told="changed hands on ",
            ),
            Cheat(
                play=came.cancelled_and_played_on,
                where=OF_ONE,
                rule="A1",
                alone=True,
                told="its cause is 'forfeit', and all were informed otherwise",
            ),
            Cheat(
                play=came.warning_that_ended,
                where=["spies"],
                rule="C3",
                alone=True,
                told="was treated as silent at ",
            ),
            Cheat(
                play=came.nearer_deadline_that_is_kept,
                where=OF_ONE,
                rule="A1",
                alone=True,
                told="all must be informed at once",
            ),
            Cheat(
                play=came.left_out_before_an_undo_of_the_last_ply,
                where=OF_ONE,
                rule="A2",
                told="tells ruling 1, and the log has none",
            ),
        ],
    ),
    Done(
        "a miss was excused that was not to be, or for longer; substitutes were looked for, and "
        "somebody had more time; a match began, or went on, with another deadline; who was not to "
        "lose lost with another",
        "each step of the club's clock is decided again from the log",
        [
            Cheat(
                play=came.excused_though_none_was_agreed,
                where=EXCUSING,
                rule="C3",
                alone=True,
                told="was excused at .*, and by the options it was not to be",
            ),
            Cheat(
                play=came.excused_for_longer,
                where=OF_ONE,
                rule="C1",
                alone=True,
                told="it sets the deadline 2026-12-1.*, and by the current options it is 2026-11-2",
            ),
            Cheat(
                play=came.excused_who_had_sent_orders,
                where=["spion"],
                rule="C3",
                alone=True,
                told="was excused at ",
            ),
            *(
                Cheat(
                    play=came.search(how),
                    case=f"a search for substitutes: {how}",
                    where=OF_ONE,
                    rule="C3",
                    told="substitutes were looked for at ",
                )
                for how in ("off", "twice", "late")
            ),
            Cheat(
                play=came.first_turn_that_is_shorter,
                where=OF_ONE,
                rule="C1",
                alone=True,
                told="it sets the deadline 2026-11-24T",
            ),
            Cheat(
                play=came.taken_with_a_near_deadline,
                where=EXCUSING,
                rule="C1",
                alone=True,
                told="it sets the deadline 2026-11-2",
            ),
            Cheat(
                play=came.taken_and_told_with_another_deadline,
                where=OF_ONE,
                rule="C3",
                alone=True,
                told="tells the time 2026-12-0.*, and by the log it was .*2026-11-30T",
            ),
            Cheat(
                play=came.forfeited_with_another,
                where=["spies"],
                rule="C3",
                alone=True,
                told="was treated as silent at ",
            ),
            Cheat(
                play=came.default_orders_that_are_dated_back,
                where=["spies"],
                rule="C3",
                told="was treated as silent at ",
            ),
        ],
    ),
    Done(
        "all were told that orders came late that were in time, or less late than they were",
        "when the time of each side was up follows from the log; where days of absence give a "
        "player more time, nothing is found",
        [
            Cheat(
                play=came.lateness_that_is_told_smaller,
                where=OF_ONE,
                rule="C4",
                alone=True,
                told="by the log it was not so",
            ),
            Cheat(
                play=came.lateness_of_who_was_in_time,
                where=EXCUSING,
                rule="C4",
                alone=True,
                told="by the log it was not so",
            ),
        ],
    ),
    Done(
        "the log tells a later time than that at which an email told the same, or another than "
        "your confirmation does",
        "each email says when it was made, and each confirmation when your orders came",
        [
            Cheat(
                play=came.ruling_of_a_later_time,
                where=OF_ONE,
                rule="C6",
                alone=True,
                told=" was made on .*, and tells what came on ",
            ),
            Cheat(
                play=came.forfeit_of_a_later_time,
                where=OF_ONE,
                rule="C6",
                told=" was made on .*, and tells what came on ",
            ),
            Cheat(
                play=came.orders_of_a_later_time,
                where=OF_ONE,
                rule="O2",
                code=3,
                alone=True,
                told="when orders came that are version 1",
            ),
        ],
    ),
    Done(
        "you resigned, withdrew the offer of a draw or saved orders for a later turn, and the club "
        "forgot it",
        "your confirmation of it",
        [
            Cheat(
                play=came.resignation_that_is_forgotten,
                where=EXCUSING,
                rule="O2",
                alone=True,
                told="RESIGN of ",
            ),
            Cheat(
                play=came.draw_whose_offer_was_withdrawn,
                where=OF_ONE,
                rule="O2",
                alone=True,
                told="White had withdrawn its offer",
            ),
            Cheat(
                play=came.saved_orders_that_were_taken_back,
                where=OF_ONE,
                rule="O3",
                told="were used, and you had withdrawn them",
            ),
            Cheat(
                play=came.saved_orders_of_before,
                where=OF_ONE,
                rule="O3",
                alone=True,
                told="were withdrawn, says .*; older ones were used",
            ),
        ],
    ),
    Done(
        "you wrote NOTREADY, or offered a draw, and the club forgot it",
        "your confirmation of it, which nothing compares: look whether it was obeyed",
    ),
]
