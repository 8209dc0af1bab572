"""What a club could do to what it tells, to public numbers, versions and tournaments."""

from collections.abc import Sequence

from adjudicator.games import GAMES
from tests.service import test_ladder_audit as ladders
from tests.service import test_tournament_audit as tournaments
from tests.service import test_tournament_numbers as numbered
from tests.service.cheats import acts, elsewhere, forms, times
from tests.service.cheats.cheat import Cheat, Done
from tests.service.cheats.in_the_log import SPIES_FIRST, SPION_FIRST
from tests.service.cheats.scene import GAMES_PLAYED
from tests.service.cups import KINDS


def _shown(what: str, change: forms.Change) -> list[Cheat]:
    """Return cheats that change a report of each game in each of its forms."""
    return [
        Cheat(
            play=forms.in_form(kind, change),
            case=f"{what} in {kind.split('/')[1]}",
            where=[*GAMES_PLAYED[number:], *GAMES_PLAYED[:number]],
            rule="same/differs",
        )
        for number, kind in enumerate((forms.TEXT, forms.EMAIL, forms.PAGE))
    ]


EMAILS: Sequence[Done] = [
    Done(
        "an email looks otherwise than it reads: a style hides a part, words stand before or "
        "behind what adjud wrote, or something is attached that adjud does not attach",
        "an email that has its JSON is written again from it (below). Of others read the text, as "
        "your mail program shows it without HTML",
        [
            *(
                Cheat(
                    play=forms.in_form(kind, change),
                    case=name,
                    where=where,
                    code=3,
                    rule=rule,
                    alone=True,
                )
                for name, where, kind, change, rule in (
                    ("words before", GAMES_PLAYED, forms.TEXT, forms.BEFORE, "same/framed"),
                    ("words behind", SPION_FIRST, forms.TEXT, forms.BEHIND, "same/framed"),
                    ("a second text", SPIES_FIRST, forms.TEXT, forms.SECOND, "same/framed"),
                    ("a style in the head", SPION_FIRST, forms.EMAIL, forms.SHEET, "same/restyled"),
                    ("a style", SPIES_FIRST, forms.EMAIL, forms.SHEET_IN_BODY, "same/restyled"),
                    ("a style in the page", GAMES_PLAYED, forms.PAGE, forms.SHEET, "same/restyled"),
                    ("hidden words", GAMES_PLAYED, forms.EMAIL, forms.HIDDEN, "same/restyled"),
                    ("a nested style", GAMES_PLAYED, forms.EMAIL, forms.NESTED, "same/restyled"),
                    ("a quoted comment", SPIES_FIRST, forms.PAGE, forms.QUOTED, "same/restyled"),
                    ("a style of no link", SPION_FIRST, forms.EMAIL, forms.WITHIN, "same/restyled"),
                    ("tiny words", GAMES_PLAYED, forms.EMAIL, forms.TINY, "same/restyled"),
                    ("a drawn background", SPIES_FIRST, forms.EMAIL, forms.DRAWN, "same/restyled"),
                    ("a field with words", SPION_FIRST, forms.EMAIL, forms.FIELD, "same/restyled"),
                    ("what a page runs", GAMES_PLAYED, forms.PAGE, forms.RUNS, "same/restyled"),
                    (
                        "a page that leads away",
                        SPION_FIRST,
                        forms.PAGE,
                        forms.LEADS_AWAY,
                        "same/restyled",
                    ),
                    (
                        "words struck out",
                        SPIES_FIRST,
                        forms.EMAIL,
                        forms.STRUCK_OUT,
                        "same/restyled",
                    ),
                )
            ),
            *(
                Cheat(
                    play=forms.in_form(forms.TEXT, change),
                    case="a board that is shifted in the text",
                    where=[game],
                    code=3,
                    rule="same/respaced",
                    alone=True,
                )
                for game, change in forms.SHIFTED.items()
            ),
            *(
                Cheat(
                    play=play,
                    case=case,
                    where=where,
                    code=3,
                    rule="same/framed",
                    alone=True,
                    told=told,
                )
                for case, where, play, told in (
                    (
                        "a text that is attached",
                        GAMES_PLAYED,
                        forms.with_a_part("text/plain", "note.txt"),
                        "its list of parts has 'text/plain note.txt'",
                    ),
                    (
                        "another form of the email",
                        SPION_FIRST,
                        forms.with_a_part("text/x-amp-html", ""),
                        "its list of parts has 'text/x-amp-html'",
                    ),
                    ("a second Subject", SPIES_FIRST, forms.second_subject, "'You lost'"),
                    (
                        "usual words that go on otherwise",
                        GAMES_PLAYED,
                        forms.usual_words_that_go_on_otherwise,
                        "",
                    ),
                )
            ),
            Cheat(
                play=forms.with_subject(lambda subject: f"[EXTERNAL] {subject}"),
                case="words before the Subject",
                where=SPION_FIRST,
                code=3,
                rule="same/framed",
                alone=True,
            ),
        ],
    ),
    Done(
        "the picture of the board in an email shows another position",
        "the extra `png` draws it again; without it a note says that it was not compared",
        [
            Cheat(
                play=forms.picture_of_another_position,
                where=GAMES_PLAYED,
                code=3,
                rule="same/picture",
                alone=True,
            )
        ],
    ),
    Done(
        "a part of an email says something else than the others: its text, HTML, page or Subject "
        "has another board, list, notice, deadline or section",
        "an email that has its JSON is written again from it (below). What its page tells of "
        "earlier turns is compared with the log, and named where it differs",
        [
            *(
                Cheat(
                    play=forms.in_form(kind, change),
                    case=f"{what} in {kind.split('/')[1]}",
                    where=[game],
                    rule="same/differs",
                )
                for game, what, kind, change in forms.FORMS
            ),
            *_shown("a notice", forms.NOTICE),
            *_shown("a date", forms.DEADLINE),
            *(
                Cheat(
                    play=forms.in_form(forms.TEXT, change),
                    case=name,
                    where=where,
                    rule="same/differs",
                    alone=True,
                )
                for name, where, change in (
                    ("a notice that is left out", GAMES_PLAYED, forms.LEFT_OUT),
                    ("a section that is added", SPIES_FIRST, forms.SECTION),
                    ("no name of its file", SPION_FIRST, forms.NAME_OF_FILE),
                )
            ),
            Cheat(
                play=forms.in_form(forms.PAGE, forms.TITLE),
                case="another title of a page",
                where=GAMES_PLAYED,
                rule="same/differs",
                alone=True,
                told="says 'You lost'",
            ),
            Cheat(
                play=forms.with_subject(forms.replaced(r"\d(?=\D*$)", "7")),
                case="a Subject with another deadline",
                where=SPIES_FIRST,
                rule="same/differs",
            ),
            Cheat(play=forms.type_that_is_told_once, where=["spion"], rule="same/differs"),
        ],
    ),
    Done(
        "an email or a report says in all its parts what does not follow from the log: another "
        "board, turn, deadline or notices, or news that begin late",
        "each report is made again from the log",
        [
            *(
                Cheat(
                    play=forms.in_a_report(change),
                    case=f"{what} in a report as JSON",
                    where=where,
                    rule="O4",
                )
                for where, (what, change) in zip(
                    (GAMES_PLAYED, SPION_FIRST, SPIES_FIRST, GAMES_PLAYED, SPION_FIRST),
                    forms.REPORT.items(),
                    strict=False,
                )
            ),
            Cheat(
                play=forms.in_a_value(forms.IN_VALUE["a former holder"]),
                case="a report for a former holder",
                where=SPIES_FIRST,
                rule="O4",
                alone=True,
                told="under 'made.former'",
            ),
            Cheat(
                play=forms.in_a_value(forms.IN_VALUE["another turn"]),
                case="another turn in the last email",
                where=GAMES_PLAYED,
                rule="O4",
                alone=True,
            ),
            Cheat(
                play=forms.news_that_begin_late,
                where=["espionage"],
                rule="O5",
                alone=True,
                told="its news begin with ply",
            ),
        ],
    ),
    Done(
        "an email tells another deadline than the log has, or another end of your reserve: a "
        "reminder, a report, a notice, a confirmation, a Subject, the table of a daily email",
        "the times in the log, and the reserves that follow from them",
        [
            Cheat(
                play=forms.chained("another deadline in a confirmation"),
                case="another deadline in a confirmation",
                where=SPIES_FIRST,
                rule="C3",
                alone=True,
                told="tells the time 2026-12-24T.*, and by the log it was 2026-1",
            ),
            Cheat(
                play=times.reminder_of_another_day,
                where=GAMES_PLAYED,
                rule="C3",
                alone=True,
                told="tells the time 2026-1.*, and by the log it was 2026-1",
            ),
            Cheat(
                play=acts.reminder_of_another_day_after_an_undo,
                where=SPION_FIRST,
                rule="C3",
                alone=True,
                told="tells the time 2026-1.*, and by the log it was 2026-1",
            ),
            Cheat(
                play=times.reminder_of_no_day,
                where=["espionage"],
                rule="C3",
                alone=True,
                told="tells the time some day, and by the log it was 2026-1",
            ),
            Cheat(
                play=times.reserve_that_is_told_longer,
                where=GAMES_PLAYED,
                rule="C3",
                alone=True,
                told="tells the time 2026-1.*, and by the log it was 2026-1",
            ),
            Cheat(
                play=times.table_of_another_day,
                where=["espionage"],
                rule="C3",
                alone=True,
                told="tells the time 2026-1.*, and by the log it was 2026-1",
            ),
        ],
    ),
    Done(
        "an email came twice with one number, or names another one before it or another epoch; it "
        "came without its JSON",
        "emails to a side, and those to you alone, are numbered, and each has a fingerprint of the "
        "one before",
        [
            Cheat(
                play=forms.in_a_value(forms.IN_VALUE["another email before"]),
                case="another email before",
                where=GAMES_PLAYED,
                rule="n/before",
                alone=True,
            ),
            Cheat(
                play=forms.daily_email_of_another_time,
                where=["espionage"],
                rule="n/before",
                alone=True,
                told="has another fingerprint of email 1 than that has",
            ),
            Cheat(
                play=forms.without_number,
                where=GAMES_PLAYED,
                rule="n/before",
                alone=True,
                told="has no number",
            ),
            Cheat(
                play=forms.in_a_value(forms.IN_VALUE["another zone"], twice=True),
                case="two with one number",
                where=SPION_FIRST,
                rule="n/twice",
                alone=True,
            ),
            Cheat(
                play=forms.in_a_value(forms.IN_VALUE["another epoch"], of="notice"),
                case="another epoch",
                where=SPIES_FIRST,
                code=3,
                rule="n/epoch",
                alone=True,
            ),
            Cheat(
                play=forms.lost_values,
                where=[
                    "spies",
                    "espionage",
                ],  # Spion's news that are told once are asked about, too
                code=3,
                rule="same/no value",
                alone=True,
            ),
        ],
    ),
    Done(
        "another player was late, and the orders were used nevertheless",
        "all players are told of orders that came after their side's time was up. Where silence "
        "has consequences by itself they cannot be much later than a turn, nor than the `max_gap` "
        "in the first line of the log, but for an outage that all are told. With `max_gap` 0 "
        "there is no limit. You are asked if the clock was set back then, or if it was more than "
        "two days in a match that began before 1.0.0; where days of absence give a player more "
        "time, nothing is found",
        [
            *(
                Cheat(
                    play=times.late_and_untold(absence),
                    case=f"late and untold, absence={absence}",
                    where=where,
                    rule="C4",
                    alone=True,
                    told="no email to the players says that they came late",
                )
                for absence, where in (("forfeit", GAMES_PLAYED), ("gm", SPION_FIRST))
            ),
            Cheat(
                play=times.reserve_of_a_friend_that_lasts_longer,
                where=GAMES_PLAYED,
                rule="C4",
                told="no email to the players says that they came late",
            ),
            Cheat(
                play=times.search_for_a_friend_that_lasts_longer,
                where=["espionage"],  # in others a seat has orders by default for some turns
                rule="A1",
                alone=True,
                told="the search for substitutes lasts until",
            ),
            Cheat(
                play=times.clock_that_was_never_set_back,
                where=["espionage"],
                rule="C4",
                alone=True,
                told="no email to the players says that they came late",
            ),
            Cheat(
                play=times.clock_set_back_before_it_was_told,
                where=["espionage"],
                rule="A1",
                told="the clock was set back from .* says an act of 2026-11-24T",
            ),
            Cheat(
                play=times.clock_that_is_set_back_after_late_orders,
                where=["espionage"],
                code=3,
                rule="C4",
                alone=True,
                told="no email to the players says that they came late",
            ),
            Cheat(
                play=times.lateness_that_was_none,
                where=SPIES_FIRST,
                rule="C4",
                alone=True,
                told="by the log it was not so",
            ),
            Cheat(
                play=times.late_friend,
                where=GAMES_PLAYED,
                rule="C4",
                alone=True,
                told="later than orders may be used, and no outage explains it",
            ),
            Cheat(
                play=times.outage_that_is_told_twice,
                where=["espionage"],
                rule="C4",
                alone=True,
                told="later than orders may be used, and no outage explains it",
            ),
        ],
    ),
    Done(
        "the club told of an outage that was none, so that another player could be late",
        "none of your emails of the club, from any match, may have been made in an outage that the "
        "log tells; you are asked if the clock was set back afterwards",
        [
            Cheat(
                play=times.outage_that_was_none,
                where=GAMES_PLAYED,
                rule="C6",
                alone=True,
                told="says that the club was out of order from 2026-11-2",
            ),
            Cheat(
                play=times.outage_before_a_clock_that_is_set_back,
                where=["espionage"],
                code=3,
                rule="C4",
                alone=True,
                told="later than orders may be used, and no outage explains it",
            ),
            Cheat(
                play=times.no_max_gap,
                where=["espionage"],
                rule="C6",
                alone=True,
                told="the first line has no `max_gap`, and adjud ",
            ),
        ],
    ),
    Done(
        "the times of the log go back, so that orders that came late came in time",
        "the order of the times in the log. Where the clock was set back all are told",
        [
            Cheat(
                play=times.clock_that_is_set_back,
                where=SPION_FIRST,
                rule="C6",
                alone=True,
                told="no act says that the clock was set back",
            ),
        ],
    ),
    Done("another player was away again and again", "the times in the log, which you can read"),
    Done(
        "the table of a daily email is wrong",
        "the daily email is written again from its JSON",
        [
            Cheat(
                play=elsewhere.table_of_a_daily_email,
                where=["espionage"],
                rule="same/differs",
            )
        ],
    ),
    Done(
        "a daily email leaves a match out that waited for your orders",
        "the log, where your first orders of that turn came later. Else look at the emails of each "
        "match, and STATUS",
        [
            Cheat(
                play=times.daily_email_without_a_match,
                where=["espionage"],
                rule="C3",
                alone=True,
                told="has no line for m, which waited for the orders of White then",
            ),
        ],
    ),
    Done(
        "something that is told only once (`memory=once`) was never sent to you",
        "by the log you saw it, so you must have an email with it: you are asked for it",
        [
            Cheat(
                play=forms.type_that_is_never_told,
                where=["spion"],
                code=3,
                rule="O5",
                alone=True,
                told="comes once only, in an email of its own",
            ),
        ],
    ),
    Done(
        "after a restore another public number decided",
        "you are asked, in the first line: both numbers are in your emails",
        [
            Cheat(
                play=elsewhere.another_number_after_a_restore,
                where=["espionage"],
                code=3,
                rule="chance",
                alone=True,
                told="and after a restore",
            ),
        ],
    ),
    Done(
        "another public number decided than was named, or the seed was exchanged when it was known",
        "the email with the proof of the seed; the round follows from the time of the last seat",
        [
            Cheat(
                play=elsewhere.number_of_another_round,
                where=[*GAMES],
                rule="chance",
                told="this is not the signature of round number 1000",
            ),
            Cheat(
                play=elsewhere.seed_that_is_exchanged,
                where=["spion", *(game for game in GAMES if game != "spion")],
                rule="O6",
                told="Seed of the match",
            ),
        ],
    ),
    Done(
        "the club names another version of adjud, so that nothing is made again",
        "you are asked to use that version (`--with`), or it contradicts: your `adjud` has a list "
        "of the versions that were released, with what they play with. One that was never "
        "released, or not yet on the day of the log, contradicts. One that plays like yours does "
        "not excuse another result. Else an honest club may be older or newer",
        [
            Cheat(
                play=forms.of_another_version,
                where=[
                    "espionage"
                ],  # in others there is more that it hides, and that is asked about
                code=3,
                rule="versions",
                alone=True,
                told="9.9.9",
            ),
            Cheat(
                play=elsewhere.logged_by("9.9.9"),
                case="a newer version in the log",
                where=SPION_FIRST,
                code=3,
                rule="version",
                told="which is newer than this adjud",
            ),
            Cheat(
                play=elsewhere.logged_by("3.0"),
                case="a version that never was",
                where=SPIES_FIRST,
                rule="version",
                told="which was never released",
            ),
            Cheat(
                play=forms.in_a_report(forms.REPORT["the version"]),
                case="a report of a version that the log does not name",
                where=GAMES_PLAYED,
                rule="version",
                alone=True,
                told="says that adjud 0.2.99 made it",
            ),
        ],
    ),
    Done(
        "the club names another version of a game's package, so that nothing is played again by "
        "yours",
        "you are asked to use that version: an honest club may have played with it",
        elsewhere=(3, "version"),  # test_package_versions
    ),
    Done(
        "the seats were not drawn as the lots say, or you were told another number in the draw",
        "the first line of the log has the lots, and your emails have your number, before the "
        "draw, too. Answers to INVITE and ACCEPT name no match, but for the last one: compare them",
        [
            *(
                Cheat(
                    play=elsewhere.seats_that_were_drawn_otherwise(option),
                    case=f"seats that were drawn otherwise with {option or 'chance=seed'}",
                    where=["espionage"],
                    rule="chance",
                    alone=True,
                    told="the seats went to the numbers",
                )
                for option in ("", "chance=drand")
            ),
            Cheat(
                play=elsewhere.number_in_the_draw,
                where=["espionage"],
                rule="chance",
                alone=True,
                told="it tells another number in the draw than the log has",
            ),
            *(
                Cheat(
                    play=play,
                    where=["espionage"],
                    rule="chance",
                    alone=True,
                    told="your number in the draw is ., and your seat was drawn for number",
                )
                for play in (
                    elsewhere.numbers_that_change_before_the_draw,
                    elsewhere.number_of_who_accepted,
                )
            ),
        ],
    ),
    Done(
        "another seed, other numbers, pairings, seats, byes, points or places of a tournament",
        "its log, below",
        [
            *(
                Cheat(
                    play=elsewhere.in_the_log_of_a_tournament(lie),
                    case=lie.__name__,
                    where=[*KINDS],
                    rule="T1",
                    alone=lie is not tournaments.no_result,
                    told=told,
                )
                for lie, told in tournaments.LIES.items()
            ),
            Cheat(
                play=elsewhere.head_that_i_was_told,
                where=["swiss"],
                rule="T2",
                alone=True,
                told="of the log of cup",
            ),
            Cheat(
                play=elsewhere.result_of_my_match,
                where=["round-robin"],
                rule="T3",
                told="is another one by its own log",
            ),
            Cheat(
                play=elsewhere.somebody_asleep_in_my_match,
                where=["round-robin"],
                rule="T3",
                told="is another one by its own log",
            ),
            Cheat(
                play=elsewhere.other_end_of_my_match,
                where=["round-robin"],
                rule="T3",
                alone=True,
                told="the end of ",
            ),
        ],
    ),
    Done(
        "another public number decided in a tournament than its start gives, or it was told when "
        "it was known",
        "its log, whose fingerprint the email at the start has, which must have come before the "
        "number",
        [
            *(
                Cheat(
                    play=elsewhere.about_the_number_of_a_tournament(lie),
                    case=lie.__name__,
                    where=["swiss"],
                    rule="T1",
                    alone=True,
                    told=told,
                )
                for lie, told in numbered.LIES.items()
            ),
            Cheat(
                play=elsewhere.number_that_was_told_too_late,
                where=["swiss"],
                rule="T1",
                code=3,
                alone=True,
                told="no email here names the public number before it was known",
            ),
        ],
    ),
    Done(
        "a false result of a match of others in a tournament",
        "a player of that match finds it: the log of the tournament names the last log fingerprint "
        "of each match, and its result, and both are compared with the match's own log",
    ),
    Done(
        "a place of a ladder that nobody won, a challenge that its rules do not allow, another "
        "result of your match; a line of its log was changed or left out",
        "its log, below",
        [
            *(
                Cheat(
                    play=elsewhere.in_the_log_of_a_ladder(lie),
                    case=lie.__name__,
                    where=["espionage"],
                    rule="T4",
                    alone=True,
                    told=told,
                )
                for lie, told in ladders.LIES.items()
            ),
            Cheat(
                play=elsewhere.line_that_i_was_told,
                where=["espionage"],
                rule="T4",
                alone=True,
                told="of the log of spring",
            ),
            Cheat(
                play=elsewhere.in_the_log_of_a_ladder(ladders.result_left_out),
                case="a result that was left out",
                where=["espionage"],
                rule="T4",
                code=3,
                alone=True,
                told="the log has no result of spring-1",
            ),
        ],
    ),
    Done(
        "a false result of a match of others on a ladder; ratings",
        "a player of that match finds the result, as in a tournament; ratings are only shown",
    ),
    Done(
        "the operator saw what is hidden, foresaw dice, wrote their own orders last, or plays two "
        "sides",
        "nobody but the operator sees that",
    ),
    Done(
        "an email never arrived, or its time is wrong, and no confirmation came back",
        "keep what you sent; write again if no confirmation comes",
    ),
    Done(
        "another player's orders were made up",
        "only that player can see it, with their own confirmations",
    ),
    Done(
        "a match was never ended, or was cancelled because the dice displeased",
        "the log stays closed, or ends",
    ),
    Done(
        "the seed was chosen before the match (`chance=seed`), or numbers that nobody looked up",
        "play with `chance=drand` ([security.md](security.md))",
    ),
    Done(
        "an email without a report, or the lines beside one, say something false, but for rulings, "
        "deadlines, confirmations and news; a button has misleading words",
        "the next report, or STATUS; read what a button has written before you send it",
    ),
    Done(
        "unfair decisions of the game master; messages between players",
        "the decisions are shown to all",
    ),
]
