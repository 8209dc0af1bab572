"""What a club could do to what is played and logged: orders, times, chance, options and rulings."""

from collections.abc import Iterator, Sequence
from typing import Any

from tests.service.cheats import acts, events, forms, in_advance, orders, papers, times
from tests.service.cheats.cheat import Cheat, Done
from tests.service.cheats.scene import GAMES_PLAYED

OF_THREE = ("spion", "spies")  # games that go on when a seat has left
OF_SETUPS = ("espionage", "spies")
OF_EXCUSES = ("espionage", "spion")  # the rules of Spies answer silence themselves
SPIES_FIRST = ("spies", "spion", "espionage")
SPION_FIRST = ("spion", "espionage", "spies")


def _forged(how: Any, told: str) -> Iterator[Cheat]:
    """Yield the cheats with forged events that come into the log in some way."""
    every = [(game, name) for game, forged in events.FORGED.items() for name in forged]
    for game, name in every:
        yield Cheat(
            play=how(events.FORGED[game][name]),
            case=f"{how.__name__}: {name}",
            where=[game],
            rule="O1",
            told=told,
        )


LOG: Sequence[Done] = [
    Done(
        "pieces, cards, money or police changed between two turns, or in the turn in which "
        "somebody left",
        "the match is played again from its orders",
        [
            *_forged(events.between_two_plies, "that no change of players explains"),
            *_forged(events.in_a_resignation, "it comes out differently when it is replayed"),
            *_forged(events.in_a_ply_of_orders, "it comes out differently when it is replayed"),
        ],
    ),
    Done(
        "a side made a move that no rule allows, or moved out of turn; orders were left out",
        "all orders are judged by the rules, on what their side could see",
        [
            *(
                Cheat(
                    play=orders.not_allowed(lines),
                    case=name,
                    where=[game],
                    rule="O1",
                    told="which was not allowed: ",
                )
                for game, every in orders.ILLEGAL.items()
                for name, lines in every.items()
            ),
            Cheat(
                play=orders.left_out,
                where=OF_THREE,
                rule="O1",
                told="are missing, and it was their turn",
            ),
            Cheat(play=orders.after_their_ply, where=SPIES_FIRST, rule="O1", told="came after it"),
        ],
    ),
    Done(
        "your orders were changed, or others were used than you confirmed last",
        "the fingerprint of your confirmation. Orders in advance are judged again, on what you saw",
        [
            Cheat(
                play=papers.confirmation_of_other_orders,
                where=SPIES_FIRST,
                rule="O2",
                told="the confirmation to ",
            ),
            *(
                Cheat(
                    play=acts.notice_that_is_called(name),
                    case=f"a notice that is called {name}",
                    where=GAMES_PLAYED,
                    rule="O2",
                )
                for name in ("undo", "replace")
            ),
            *(
                Cheat(
                    play=acts.older_orders_after_an_undo(sent_again=again),
                    case=f"older orders after an undo: {'sent again' if again else 'once'}",
                    where=where,
                    rule="O2",
                    alone=True,
                )
                for again, where in ((True, GAMES_PLAYED), (False, OF_EXCUSES))
            ),
            Cheat(
                play=in_advance.other_orders_that_are_opened,
                where=["espionage"],
                rule="O3",
                alone=True,
            ),
            Cheat(
                play=in_advance.condition_that_is_turned_round,
                where=["espionage"],
                rule="O3",
                alone=True,
                told="saved as version 1, must give: .*; the log has: ",
            ),
        ],
    ),
    Done(
        "orders that you had saved for a later turn were not used, though they gave some",
        "they are judged again. If they were withdrawn, says the last report, and your side was "
        "treated as silent, you are asked whether you did that",
        [
            Cheat(
                play=in_advance.called_not_true,
                where=["espionage"],
                rule="O3",
                alone=True,
                told="were not used, says .*; by the log they give: ",
            ),
            Cheat(
                play=in_advance.called("replaced"),
                case="saved orders that are called replaced",
                where=["espionage"],
                rule="O3",
                alone=True,
                told="were replaced, says .*, and by none",
            ),
            Cheat(
                play=in_advance.called("withdrawn"),
                case="saved orders that are called withdrawn",
                where=["espionage"],
                code=3,
                rule="O3",
                alone=True,
                told="did you withdraw them",
            ),
        ],
    ),
    Done(
        "an email confirms other orders than were used, or says that something else came of them",
        "the digest in the confirmation, and what its JSON tells",
        [
            *(
                Cheat(
                    play=forms.in_form(forms.TEXT, change, of="receipt"),
                    case=name,
                    where=["espionage"] if name in forms.OF_TURNS else GAMES_PLAYED,
                    rule="same/differs",
                )
                for name, change in forms.CONFIRMATIONS.items()
            ),
            *(
                Cheat(
                    play=forms.chained(case),
                    case=case,
                    where=where,
                    rule="O2",
                    alone=True,
                    told=f"the orders shown for .*, version {n}",
                )
                for case, n, where in (
                    ("a confirmation that names another version", 7, GAMES_PLAYED),
                    ("a confirmation without a digest", 2, SPION_FIRST),
                )
            ),
            Cheat(
                play=forms.news_of_other_orders, where=["espionage"], rule="O4", told="under 'news"
            ),
        ],
    ),
    Done(
        "orders, a resignation or a draw in your name that you never sent",
        "there is no confirmation of it",
        [
            Cheat(
                play=papers.version_that_no_confirmation_tells,
                where=OF_THREE,
                code=3,
                rule="O2",
                told="and you have no confirmation of it: did you send it",
            ),
            Cheat(play=papers.set_up_that_was_not_confirmed, where=OF_SETUPS, code=3, rule="O2"),
            Cheat(
                play=papers.resignation_that_nobody_wrote,
                where=SPIES_FIRST,
                code=3,
                rule="O2",
                alone=True,
                told="you have no confirmation of it: did you send it on 2026-11-23T",
            ),
            Cheat(
                play=papers.draw_that_nobody_offered,
                where=["espionage"],
                code=3,
                rule="O2",
                told="DRAW of White took effect in turn ",
            ),
        ],
    ),
    Done(
        "you or another player lost by forfeit, or got default orders, before the time of that "
        "side was up; you lost although your orders were confirmed",
        "each line is decided again as the club must decide it: deadline, grace, reserve, search "
        "for a substitute; your confirmations; and whether an email told you before of what you "
        "lost by",
        [
            Cheat(
                play=times.forfeit_before_the_deadline,
                where=SPIES_FIRST,
                rule="C3",
                told="was treated as silent at 2026-11-23T.*before the deadline, 2026-11-30T",
            ),
            Cheat(
                play=times.another_who_loses_too_early,
                where=OF_THREE,
                rule="C3",
                alone=True,
                told="was treated as silent at 2026-11-23T",
            ),
            Cheat(
                play=times.announced_forfeit_of_who_has_sent_orders,
                where=["spies"],
                rule="C3",
                told="was treated as silent at 2026-11-2",
            ),
            Cheat(
                play=times.nearer_than_a_ruling_tells,
                where=GAMES_PLAYED,
                rule="C3",
                told="was treated as silent at 2026-11-2",
            ),
            Cheat(
                play=times.forfeit_before_a_reserve_is_used_up,
                where=GAMES_PLAYED,
                rule="C3",
                told="was treated as silent at ",
            ),
            Cheat(
                play=acts.announced_with_a_look,
                where=["spies"],
                rule="A1",
                alone=True,
                told="a look of the game master has another act beside it",
            ),
            Cheat(
                play=papers.forfeit_though_orders_were_confirmed,
                where=["spies", "spion"],
                rule="O2",
                told="as if it had sent nothing, and version 1 of its orders was confirmed",
            ),
        ],
    ),
    Done(
        "the orders of a built-in player or of a silent side were chosen",
        "they are computed again; and the reports must name the same kind of holder as the log",
        [
            Cheat(
                play=orders.chosen_for_who_is_silent,
                where=["spies", "spion"],
                rule="O1",
                told="are not those of the rules",
            ),
            Cheat(
                play=orders.chosen_for_a_computer,
                where=GAMES_PLAYED,
                rule="O1",
                told="gives other orders on its view",
            ),
            Cheat(
                play=orders.given_by_a_person_for_a_computer,
                where=GAMES_PLAYED,
                rule="O1",
                alone=True,
                told="is a computer, and a person gave its orders",
            ),
        ],
    ),
    Done(
        "other dice, cards or seed than were fixed in the beginning",
        "the proofs",
        [
            Cheat(
                play=papers.changed_match(seed=bytes.fromhex("11" * 32)),
                case="another seed",
                where=SPION_FIRST,
                rule="O6",
                told="Seed of the match: ",
            ),
            Cheat(
                play=papers.other_seed_in_the_first_line,
                where=SPIES_FIRST,
                rule="O1",
                told="the proofs in the first line of the log do not follow from the seed",
            ),
            Cheat(
                play=events.card_that_is_swapped,
                where=["spion"],
                rule="O1",
                told="ply 1: it comes out differently when it is replayed",
            ),
        ],
    ),
    Done(
        "other options or another board than was agreed",
        "the first line of the log, whose fingerprint the first report shows; a change of options "
        "that all were told is a ruling in the log",
        [
            Cheat(play=papers.other_options, where=SPIES_FIRST, rule="O6", told="options: "),
            Cheat(play=papers.another_board, where=["spion"], rule="O6", told="board: "),
            Cheat(
                play=papers.deadline_in_secret("every 1 day"),
                case="a shorter deadline in secret",
                where=GAMES_PLAYED,
                rule="C1",
                told="it sets the deadline 2026-11-",
            ),
            Cheat(
                play=papers.deadline_in_secret("none"),
                case="no deadline in secret",
                where=SPION_FIRST,
                rule="C1",
                told="it sets the deadline -, and by the current options it is 2026-11-",
            ),
            Cheat(
                play=papers.deadline_in_secret("every 9 days"),
                case="a longer deadline in secret",
                where=SPIES_FIRST,
                rule="O4",
                told="under 'options.deadline'",
            ),
            Cheat(
                play=papers.deadline_in_secret("every 9 days", to_the_end=True),
                case="a longer deadline in secret, to the end",
                where=GAMES_PLAYED,
                rule="O6",
                told="options: ",
            ),
        ],
    ),
    Done(
        "a turn got less time than the options say, or a deadline that they do not have; it was "
        "played before its deadline and before `settle` was over; each turn of another got more",
        "the times in the log. With `leave=none` a deadline must be exactly that of the options; "
        "else one that is later is only counted, because a player may have been away",
        [
            Cheat(
                play=times.less_after_a_resignation,
                where=OF_THREE,
                rule="C1",
                alone=True,
                told="it sets the deadline 2026-11-23T.*and the deadline then was 2026-11-30T",
            ),
            Cheat(
                play=times.less_to_settle,
                where=GAMES_PLAYED,
                rule="C2",
                alone=True,
                told="it was played at 2026-11-23T.*and the options not before 2026-11-23T",
            ),
            Cheat(
                play=times.more_for_each_turn_of_a_friend,
                where=GAMES_PLAYED,
                rule="C1",
                told=", and by the current options it is 2026-11-30T",
            ),
        ],
    ),
    Done(
        "the log was changed or cut after a report, or the club was restored from a backup that it "
        "dates back, so that your emails do not count",
        "the log fingerprints; a backup is not older than the last ply in it",
        [
            Cheat(
                play=papers.time_that_is_moved_after_its_report,
                where=GAMES_PLAYED,
                rule="O6",
                told="the log up to ply [23] does not match the fingerprint",
            ),
            Cheat(
                play=acts.backup_that_is_dated_back,
                where=SPION_FIRST,
                rule="O6",
                alone=True,
                told="was restored from its backup of ",
            ),
            Cheat(
                play=papers.log_whose_last_lines_are_cut_off,
                where=SPION_FIRST,
                rule="O6",
                told="does not match the fingerprint shown",
            ),
            Cheat(play=forms.other_head_in_a_text, where=SPIES_FIRST, rule="O6", alone=True),
        ],
    ),
    Done("two players got two logs", "compare a log fingerprint by telephone"),
    Done(
        "another deadline or another holder of a side stands in the log, and no ruling tells it; a "
        "reserve that nobody had",
        "the rulings of the log, which all players are told; reserves are computed again",
        [
            Cheat(
                play=times.nearer_with_a_new_holder,
                where=GAMES_PLAYED,
                rule="C1",
            ),
            Cheat(
                play=acts.person_who_is_called_a_computer,
                where=GAMES_PLAYED,
                rule="A4",
                alone=True,
                told="names 'computer' for .*, and by the log it was: person",
            ),
            Cheat(
                play=times.holder_of_whom_nobody_is_told,
                where=GAMES_PLAYED,
                rule="C5",
                told="changed hands on 2026-11-2",
            ),
            Cheat(
                play=times.half_a_reserve_again,
                where=GAMES_PLAYED,
                rule="C5",
                alone=True,
                told="has a reserve of ",
            ),
            Cheat(
                play=times.reserve_that_is_charged_too_much,
                where=GAMES_PLAYED,
                rule="C5",
                alone=True,
                told="has a reserve of ",
            ),
        ],
    ),
    Done(
        "an act is another in the log than it was, or was left out; a ruling that you were told is "
        "not in it",
        "acts are numbered, and compared with what was so when they were done; your emails are "
        "written again from the log",
        [
            *(
                Cheat(
                    play=acts.other_in_the_log(change),
                    case=change.__name__,
                    where=where,
                    rule=rule,
                )
                for change, where, rule in (
                    (acts.others_excused, OF_EXCUSES, "A1"),
                    (acts.changed_from_another, GAMES_PLAYED, "A1"),
                    (acts.of_no_seat, OF_EXCUSES, "A1"),
                    (acts.a_day_nearer, GAMES_PLAYED, "O4"),
                )
            ),
            Cheat(
                play=acts.announced_for_no_seat,
                where=["espionage"],
                rule="A1",
                told="but the match has no such seat",
            ),
            Cheat(
                play=forms.chained("a ruling without a number"),
                case="a ruling without a number",
                where=SPIES_FIRST,
                rule="A2",
                alone=True,
                told="tells a ruling that has no number: ",
            ),
            Cheat(
                play=acts.option_from_another_value,
                where=SPION_FIRST,
                rule="A1",
                alone=True,
                told="before it was changed",
            ),
            Cheat(
                play=acts.left_out_of_the_log_after_an_undo,
                where=GAMES_PLAYED,
                rule="A1",
                told="is not where it must be",
            ),
            Cheat(
                play=acts.undo_that_nobody_was_told,
                where=GAMES_PLAYED,
                rule="A2",
                told="tells ruling 2 otherwise than the log",
            ),
            Cheat(
                play=acts.left_out_of_the_log,
                where=GAMES_PLAYED,
                rule="A1",
                told="act 2 is not where it must be",
            ),
            *(
                Cheat(
                    play=papers.ruling_that_is_left_out(action),
                    case=f"a ruling that is left out: {action}",
                    where=SPIES_FIRST,
                    rule="O4",
                )
                for action in ("extend", "say")
            ),
        ],
    ),
    Done(
        "a ruling stands in the log, and no email told you; or an email told it otherwise",
        "the numbers of the rulings that each email tells, in its JSON; you are asked where emails "
        "are missing",
        [
            Cheat(
                play=acts.told_a_day_later,
                where=["espionage"],
                rule="A2",
                alone=True,
                told=" tells ruling 1 otherwise than the log",
            ),
            Cheat(
                play=acts.nearer_and_untold,
                where=SPION_FIRST,
                code=3,
                rule="A3",
                alone=True,
                told="none of your emails said so before: The deadline is now 2026-11-2",
            ),
            Cheat(
                play=acts.nearer_and_perhaps_lost,
                where=["espionage"],
                code=3,
                rule="A3",
                alone=True,
                told="Did you get it",
            ),
        ],
    ),
]
