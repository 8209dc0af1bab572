"""What stands in a letter's Subject: for people only, never parsed, and nothing secret in it.

Names of matches and seats and the turn's number may be seen by whoever sees the mailbox; what
happened, and to whom, may not (letters, sections 1 and 6).
"""

from adjudicator.core.message import Message, count, say


def report(
    match: str, turn: int, seat: str, *, deadline: str | None = None, over: bool = False
) -> Message:
    """`seat` as a reader calls it, `deadline` as he reads it; None where nothing is awaited."""
    if over:
        return say(
            "[{match}] Turn {turn}, {seat}: the last report", match=match, turn=turn, seat=seat
        )
    if deadline is None:
        return say("[{match}] Turn {turn}, {seat}", match=match, turn=turn, seat=seat)
    return say(
        "[{match}] Turn {turn}, {seat}: orders due {deadline}",
        match=match,
        turn=turn,
        seat=seat,
        deadline=deadline,
    )


def receipt(match: str, turn: int, in_force: int | None) -> Message:
    """`in_force` is the revision that now stands, None when there is none."""
    if in_force is None:
        return say("[{match}] Turn {turn}: no orders in force", match=match, turn=turn)
    return say(
        "[{match}] Turn {turn}: orders in force, revision {revision}",
        match=match,
        turn=turn,
        revision=in_force,
    )


def refusal(match: str, turn: int, in_force: int | None) -> Message:
    if in_force is None:
        return say(
            "[{match}] Turn {turn}: orders NOT accepted, no orders in force", match=match, turn=turn
        )
    return say(
        "[{match}] Turn {turn}: orders NOT accepted, revision {revision} stays in force",
        match=match,
        turn=turn,
        revision=in_force,
    )


def unwanted(match: str, turn: int) -> Message:
    """To who sent orders that are not awaited."""
    return say("[{match}] Turn {turn}: orders NOT accepted", match=match, turn=turn)


def partly(match: str, turn: int, in_force: int) -> Message:
    """To a letter of which some was accepted and some refused."""
    return say(
        "[{match}] Turn {turn}: orders in force, revision {revision}, but NOT all was accepted",
        match=match,
        turn=turn,
        revision=in_force,
    )


def reminder(match: str, turn: int, seat: str, deadline: str) -> Message:
    return say(
        "[{match}] Turn {turn}, {seat}: your orders are awaited, due {deadline}",
        match=match,
        turn=turn,
        seat=seat,
        deadline=deadline,
    )


def digest(matches: int) -> Message:
    """Of the day, to who wants no reminder of each match."""
    return count(
        "[adjud] {n} match awaits your orders", "[adjud] {n} matches await your orders", matches
    )


def aside(match: str, turn: int, seat: str) -> Message:
    """What a report tells once only."""
    return say("[{match}] Turn {turn}, {seat}: told once", match=match, turn=turn, seat=seat)


def notice(match: str, seat: str) -> Message:
    return say("[{match}] A notice to {seat}", match=match, seat=seat)


def farewell(match: str) -> Message:
    """To somebody whose seat was given to another player."""
    return say("[{match}] You no longer play", match=match)


def answer(match: str) -> Message:
    """To a letter of commands only: HELP, STATUS, REPORT and so on."""
    return say("[{match}] What you asked for", match=match)


def later(match: str) -> Message:
    """To who wrote a letter at which the program was killed."""
    return say("[{match}] Your letter will be read later", match=match)


def not_understood(match: str) -> Message:
    """To a letter of nothing but commands that are written wrongly."""
    return say("[{match}] Your letter was NOT understood", match=match)


def public() -> Message:
    """To whoever wrote to the public address."""
    return say("[adjud] What you asked for")


def press(match: str, turn: int, seat: str) -> Message:
    """`seat` is who gets it; who wrote it is told inside."""
    return say("[{match}] Turn {turn}: press for {seat}", match=match, turn=turn, seat=seat)


def confirm(match: str | None = None) -> Message:
    """Without a match an address is to be confirmed."""
    if match is None:
        return say("[adjud] Please confirm your address")
    return say("[{match}] Please confirm", match=match)


def misdirected() -> Message:
    """To a player who wrote orders to the public address."""
    return say("[adjud] Your orders were NOT read")


def two_seats() -> Message:
    """To who wrote a letter that names two seats; which, is nobody's business."""
    return say("[adjud] Your letter named two seats")


def trial() -> Message:
    return say("[adjud] A test letter")


def alert(match: str | None = None) -> Message:
    """To the operator."""
    if match is None:
        return say("[adjud] Something needs you")
    return say("[{match}] This match needs you", match=match)


def not_your_seat() -> Message:
    """To who wrote to a seat that another player holds; which, is nobody's business."""
    return say("[adjud] Your letter was for another player's seat")
