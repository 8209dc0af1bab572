"""The Subject lines of emails: for people only, never parsed, and with nothing secret in them.

Names of matches and seats and the turn's number may be seen by whoever sees the mailbox; what
happened, and to whom, may not (emails, sections 1 and 6).
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import date
from typing import Literal, TypeAlias

from msgspec import structs

from adjudicator.core.message import Message, Value, Words, count, listed, say
from adjudicator.resources import rewordings

MOST = 78  # characters of a subject (RFC 5322, section 2.1.1)


def fit(tell: Words, *subjects: Message) -> str:
    """Return the first of these subjects that is short enough, or the last one, cut."""
    said = [tell(subject) for subject in subjects]
    short = next((one for one in said if len(one) <= MOST), said[-1])
    return short if len(short) <= MOST else f"{short[: MOST - 1].rstrip()}…"


def orders_due(
    match: str, turn: int, *, set_up: bool = False, due: Value = ""
) -> Sequence[Message]:
    """Make the subject of a report to a seat that is to order, or to set up, the longest first;
    `due` is the deadline as he reads it, if there is one."""
    return _due(match, turn, say("your set-up") if set_up else say("your move"), due)


def reminder(match: str, turn: int, *, set_up: bool = False, due: Value = "") -> Sequence[Message]:
    """Make the subject of a reminder, the longest first."""
    what = say("reminder, your set-up") if set_up else say("reminder, your move")
    return _due(match, turn, what, due)


def _due(match: str, turn: int, what: Message, due: Value) -> Sequence[Message]:
    short = say("[{match}] Turn {turn}: {what}", match=match, turn=turn, what=what)
    if not due:
        return [short]
    whole = say(
        "[{match}] Turn {turn}: {what}, due {when}", match=match, turn=turn, what=what, when=due
    )
    return [whole, short]


def day_of_absence(day: date) -> Message:
    """Make the subject of the email that a day of absence was spent for a silent player."""
    return say("A day of absence was used: {day}", day=str(day))


def report(match: str, turn: int, *, over: bool = False) -> Message:
    """Make the subject of a report that wants nothing of its reader."""
    if over:
        return say("[{match}] Turn {turn}: final report", match=match, turn=turn)
    return say("[{match}] Turn {turn}: report", match=match, turn=turn)


def match_end(match: str, turns: int, *, wins: bool) -> Message:
    """Make the subject of the last report to a seat."""
    if wins:
        return count(
            "[{match}] You win, in {n} turn", "[{match}] You win, in {n} turns", turns, match=match
        )
    return count(
        "[{match}] The match is over, after {n} turn",
        "[{match}] The match is over, after {n} turns",
        turns,
        match=match,
    )


def receipt(match: str, turn: int, in_force: int | None) -> Message:
    """Make the subject of a receipt. `in_force` is the revision that now counts, None if there is
    none."""
    if in_force is None:
        return say("[{match}] Turn {turn}: no current orders", match=match, turn=turn)
    if in_force > 1:
        return say("[{match}] Turn {turn}: your orders are in, changed", match=match, turn=turn)
    return say("[{match}] Turn {turn}: your orders are in", match=match, turn=turn)


def adjudication(match: str, turn: int, revision: int) -> Message:
    """Make the subject of a receipt that tells what came of its orders."""
    return say(
        "[{match}] Turn {turn}: your orders were carried out, version {revision}",
        match=match,
        turn=turn,
        revision=revision,
    )


def orders_saved(match: str, turn: int) -> Message:
    """Make the subject of the receipt of a sheet for a later turn."""
    return say("[{match}] Turn {turn}: orders saved", match=match, turn=turn)


def orders_saved_in_part(match: str, turn: int) -> Message:
    """Make the subject of an answer to an email of which only a sheet for a later turn was kept."""
    return say(
        "[{match}] Turn {turn}: orders saved, but NOT everything was accepted",
        match=match,
        turn=turn,
    )


def correct(match: str, turn: int, line: int) -> Message:
    """Make the subject of an answer to orders that have a fault in that line, the first of them."""
    return say("[{match}] Turn {turn}: please correct line {line}", match=match, turn=turn,
               line=line)  # fmt: skip


def no_orders(match: str, turn: int) -> Message:
    """Make the subject of an answer to an email in which nothing could be read as orders."""
    return say("[{match}] Turn {turn}: no orders understood", match=match, turn=turn)


def no_orders_needed(match: str, turn: int) -> Message:
    """Make the subject of an answer to orders of which no line is at fault: perhaps none are
    awaited."""
    return say("[{match}] Turn {turn}: orders NOT accepted", match=match, turn=turn)


def partly(match: str, turn: int, in_force: int) -> Message:
    """Make the subject of an answer to an email of which only a part was accepted."""
    return say(
        "[{match}] Turn {turn}: NOT everything accepted, version {revision} now in force",
        match=match,
        turn=turn,
        revision=in_force,
    )


def answer_of_before(match: str, turn: int) -> Message:
    """Make the subject of an answer that says nothing of the orders in its email."""
    return say("[{match}] Turn {turn}: answer to your email", match=match, turn=turn)


def afterwards(subject: Message, *, entered: bool = False) -> Message:
    """Return what the subject of an answer says once other orders are in force than when the email
    was read or the game master entered the sheet, or its match has gone on: nothing of orders in
    force."""
    match, turn = (str(subject.values.get(name, "")) for name in ("match", "turn"))
    text = rewordings().get(subject.text, subject.text)  # its row may be of an older version
    in_force = {receipt("", 0, revision).text for revision in (None, 1, 2)}
    refused = {correct("", 0, 1).text, no_orders("", 0).text}
    if text in in_force and entered:
        return say("[{match}] Turn {turn}: entered by the game master", match=match, turn=turn)
    if text in in_force:
        return answer_of_before(match, int(turn))
    if text in refused:
        return no_orders_needed(match, int(turn))
    if text == partly("", 0, 1).text:
        return say("[{match}] Turn {turn}: NOT everything was accepted", match=match, turn=turn)
    return subject


def digest(matches: int) -> Message:
    """Make the subject of a daily reminder, for a player who wants none for each match."""
    return count(
        "[adjud] It's your turn in {n} match", "[adjud] It's your turn in {n} matches", matches
    )


def daily(awaiting: int, matches: int, due: Value) -> Sequence[Message]:
    """Make the subject of the one email a day, the longest first. `awaiting` is in how many
    matches it is the reader's turn, `due` until when in the first of them."""
    if not awaiting:
        told = count("[adjud] News of {n} match", "[adjud] News of {n} matches", matches)
        return [told if matches else say("[adjud] Your daily email")]
    if not due:
        return [digest(awaiting)]
    whole = count(
        "[adjud] It's your turn in {n} match, due {when}",
        "[adjud] It's your turn in {n} matches, the first due {when}",
        awaiting,
        when=due,
    )
    return [whole, digest(awaiting)]


def aside(match: str, turn: int, seat: str) -> Message:
    """Make the subject of the email with news that a report tells once only."""
    return say("[{match}] Turn {turn}, {seat}: shown only once", match=match, turn=turn, seat=seat)


def notice(match: str, seat: Value) -> Message:
    return say("[{match}] Notice for {seat}", match=match, seat=seat)


_RULINGS = {
    "announce": say("A player may lose by forfeit"),
    "deadline": say("New deadline"),
    "default": say("Default orders are used"),
    "excuse": say("The deadline was extended"),
    "extend": say("The deadline was extended"),
    "hold": say("The match is on hold"),
    "leave": say("A player has left"),
    "option": say("A match option was changed"),
    "restore": say("The club was restored from a backup"),
    "resume": say("The match continues"),
    "say": say("Message from the game master"),
    "substitute": say("Looking for substitutes"),
    "undo": say("The last turn was taken back"),
    "wait": say("The match waits for the game master"),
}


def ruling(match: str, action: str) -> Message | None:
    """Make the subject of the email that tells of a ruling; None if it has none of its own."""
    what = _RULINGS.get(action)
    return say("[{match}] {what}", match=match, what=what) if what else None


def muting() -> Message:
    """Make the subject of the email that tells a player what becomes of his press."""
    return say("[adjud] Your messages to other players")


def draw_offer(match: str, who: Message) -> Message:
    return say("[{match}] {who} offers a draw", match=match, who=who)


def plays_now(match: str, who: Message) -> Message:
    """Make the subject of the email that tells the others who plays a seat from now on."""
    return say("[{match}] New player: {who}", match=match, who=who)


def waits_for_number(match: str) -> Message:
    """Make the subject of an email about a match that has no position yet."""
    return say("[{match}] The match has not opened yet", match=match)


def on_hold(match: str) -> Message:
    return say("[{match}] The match is on hold", match=match)


def cancellation(match: str) -> Message:
    return say("[{match}] The match is cancelled", match=match)


def email_saved(match: str) -> Message:
    """Make the subject of an answer to somebody whose match cannot be read now."""
    return say("[{match}] Your email is saved", match=match)


def email_not_read(match: str) -> Message:
    return say("[{match}] Your email was NOT read", match=match)


def farewell(match: str) -> Message:
    """Make the subject of an email to somebody whose seat was given to another player."""
    return say("[{match}] You no longer play", match=match)


def words(match: str) -> Message:
    """Make the subject of an answer to somebody who wrote neither orders nor commands."""
    return say("[{match}] An answer to your email", match=match)


def question(match: str) -> Message:
    return say("[{match}] Your question", match=match)


def to_game_master(match: str, to: str, *, asks: bool) -> Message:
    """Make the subject of an answer to a person whose words, or whose question, went to the game
    master, who may have a name."""
    who: Value = to or say("the game master")
    if asks:
        return say("[{match}] Your question went to {who}", match=match, who=who)
    return say("[{match}] Your email went to {who}", match=match, who=who)


def questions() -> Message:
    """Make the subject of the email with what players asked."""
    return say("[adjud] Questions from players")


def later(match: str) -> Message:
    """Make the subject of an email to somebody whose email killed the program and waits."""
    return say("[{match}] Your email will be read later", match=match)


def misspelt_commands(match: str) -> Message:
    """Make the subject of an answer to an email of nothing but misspelt commands."""
    return say("[{match}] Your email was NOT understood", match=match)


def public_words() -> Message:
    """Make the subject of an answer to a person's words that are of no match."""
    return say("[adjud] An answer to your email")


def nothing_confirmed(match: str | None = None) -> Message:
    """Make the subject of an answer to an email that should have confirmed something."""
    if match is None:
        return say("[adjud] Nothing was confirmed")
    return say("[{match}] Nothing was confirmed", match=match)


def address_confirmed() -> Message:
    return say("[adjud] Your address is confirmed")


def no_open_seat() -> Message:
    """Make the subject of an answer to a JOIN where nothing is open."""
    return say("[adjud] There is no such open seat")


def join_failure() -> Message:
    """Make the subject of an answer to the code of a JOIN that could not be carried out."""
    return say("[adjud] You did NOT get the seat")


def to_confirm() -> Message:
    """Make the subject of an email with a code that confirms an email to a personal address."""
    return say("[adjud] Please confirm your email")


def delay() -> Message:
    """Make the subject of an answer to an email to a personal address that is not read yet."""
    return say("[adjud] Your email has arrived and is not read yet")


def several_matches(*, accepted: int, to_confirm: int, refused: int) -> Message:
    """Make the subject of the answer to an email about several matches."""
    told = [
        *([say("{n} accepted", n=accepted)] if accepted else []),
        *([say("{n} to confirm", n=to_confirm)] if to_confirm else []),
        *([say("{n} NOT accepted", n=refused)] if refused else []),
    ]
    n = accepted + to_confirm + refused
    return count("[adjud] {n} match: {told}", "[adjud] {n} matches: {told}", n, told=listed(told))


def nothing_done() -> Message:
    """Make the subject of an answer to an email to a personal address of which nothing was done."""
    return say("[adjud] Nothing in your email was carried out")


def offer(what: Value) -> Message:
    """Make the subject of an email that asks a player for a yes."""
    return say("[adjud] Please answer: {what}", what=what)


def ladder(name: str) -> Message:
    """Make the subject of an email about a player's place on a ladder."""
    return say("[adjud] The ladder {name}", name=name)


def invites(who: str, game: Value) -> Message:
    return say("{who} invites you to play {game}", who=who, game=game)


def asks_for_rematch(who: str) -> Message:
    return say("{who} asks for a rematch", who=who)


def wish(who: str) -> Message:
    """Make the subject of the email that asks the game master whether the club may write to
    somebody for a player."""
    return say("[adjud] May the club write to a friend of {who}?", who=who)


def wish_to_game_master() -> Message:
    """Make the subject of the answer to a player for whom the game master is asked."""
    return say("[adjud] The game master is asked about your invitation")


def wish_decision() -> Message:
    """Make the subject of the answer to the game master's."""
    return say("[adjud] Your answer about a friend of a player")


def to_forward() -> Message:
    return say("[adjud] Please forward this to your friend")


def begins(game: Value, who: str) -> Message:
    """Make the subject of the answer to the yes with which a match of two or more begins."""
    return say("Welcome: {game} with {who} begins", game=game, who=who)


def offer_accepted() -> Message:
    return say("[adjud] You said yes")


def offer_declined() -> Message:
    return say("[adjud] You said no")


def offer_ended() -> Message:
    """Make the subject of an email that tells what became of an offer."""
    return say("[adjud] An answer to your offer")


def no_substitute(match: str) -> Message:
    """Make the subject of an email to a holder for whom no substitute was found."""
    return say("[{match}] No substitute was found", match=match)


def press(match: str, who: Message) -> Message:
    """Make the subject of press; `who` wrote it."""
    return say("[{match}] Message from {who}", match=match, who=who)


def unsigned_press(match: str) -> Message:
    """Make the subject of press that does not say who wrote it."""
    return say("[{match}] Unsigned message", match=match)


def press_of_turn(match: str) -> Message:
    """Make the subject of all press that is told with a report."""
    return say("[{match}] Messages from other players", match=match)


def confirm(match: str | None = None) -> Message:
    """Make the subject of an email that asks for confirmation; without a match, that of an
    address."""
    if match is None:
        return say("[adjud] Was it you? Please confirm your address")
    return say("[{match}] Please confirm", match=match)


def resign(match: str) -> Message:
    return say("[{match}] Really resign? Please confirm", match=match)


def confirm_orders(match: str) -> Message:
    return say("[{match}] Please confirm your orders", match=match)


def message_sent(match: str, seats: Value) -> Message:
    return say("[{match}] Your message to {seats} was sent", match=match, seats=seats)


def away(until: Value) -> Message:
    return say("[adjud] Away until {day}", day=until)


def settings() -> Message:
    return say("[adjud] Your settings")


def invitation(who: str, what: Value) -> Message:
    """Make the subject of the first email to a new player; `what` is what is played."""
    return say("{who} invites you to play {what} by email", who=who, what=what)


def invitation_without_name(what: Value) -> Message:
    return say("An invitation to play {what} by email", what=what)


def wrong_recipient() -> Message:
    """Make the subject of an answer to a player who wrote orders to the public address."""
    return say("[adjud] Your orders were NOT read")


def old_address() -> Message:
    """Make the subject of an answer to who wrote to an old address of his seat; it does not say
    which."""
    return say("[adjud] Your email went to an old address")


def two_seats() -> Message:
    """Make the subject of an answer to an email that names two seats; it does not say which."""
    return say("[adjud] Your email named two seats")


def trial() -> Message:
    return say("[adjud] A test email")


def alert(match: str | None = None) -> Message:
    """Make the subject of an email to the operator."""
    if match is None:
        return say("[adjud] Something needs your attention")
    return say("[{match}] This match needs your attention", match=match)


def not_your_seat() -> Message:
    """Make the subject of an answer to somebody who wrote to another player's seat; it does not say
    whose."""
    return say("[adjud] Your email was for another player's seat")


def tournament_entry(tournament: str) -> Message:
    """Make the subject of the email that tells an entrant of a tournament."""
    return say("[{tournament}] You take part", tournament=tournament)


def of_tournament(tournament: str) -> Message:
    """Make the subject of an email to all entrants: what is in it is not told."""
    return say("[{tournament}] News of the tournament", tournament=tournament)


def table(tournament: str) -> Message:
    """Make the subject of the email with the last table."""
    return say("[{tournament}] The final table", tournament=tournament)


# What came of a command or a message to others: something was shown or done, or refused; or a code
# is to confirm it.
Outcome: TypeAlias = Literal["shown", "done", "refused", "code", "sent", "unsent"]


_SHOWN: Mapping[str, tuple[Message, Message]] = {
    "HELP": (
        say("[adjud] What you can write to this address"),
        say("[{match}] How to write orders", match=""),
    ),
    "STATUS": (say("[adjud] Your matches"), say("[{match}] The match now", match="")),
    "REPORT": (say("[adjud] Your report"), say("[{match}] Your report", match="")),
    "TEMPLATE": (say("[adjud] Orders to fill in"), say("[{match}] Orders to fill in", match="")),
    "GAMES": (say("[adjud] Open seats"), say("[{match}] Open seats", match="")),
    "TABLE": (say("[adjud] The table"), say("[{match}] The table", match="")),
    "PREFS": (settings(), say("[{match}] Your settings", match="")),
    "PING": (
        say("[adjud] Your email has arrived"),
        say("[{match}] Your email has arrived", match=""),
    ),
}


def of_command(word: str, match: str | None = None) -> Message | None:
    """Make the subject of an answer that brings what a command shows; None if that has none of its
    own. Without a match it is that of one from a personal or the public address."""
    if word not in _SHOWN:
        return None
    own, of_match = _SHOWN[word]
    return own if match is None else structs.replace(of_match, values={"match": match})


def of_commands(outcomes: Iterable[Outcome], match: str | None = None) -> Message:
    """Make the subject of an answer to commands, by what came of them; without a match that of one
    from a personal address."""
    own, of_match = _OF_COMMANDS[_sum({*outcomes} - {"shown"})]
    return own if match is None else structs.replace(of_match, values={"match": match})


def _sum(came: Set[str]) -> str:
    """Return the one outcome of several."""
    if "code" in came:
        return "code"
    if len(came) < 2:
        return next(iter(came), "shown")
    if came <= {"done", "sent"}:
        return "done"
    return "refused" if came <= {"refused", "unsent"} else "both"


# From a personal address, and of a match.
_OF_COMMANDS: Mapping[str, tuple[Message, Message]] = {
    "shown": (public_words(), words("")),
    "done": (
        say("[adjud] Your request was carried out"),
        say("[{match}] Your request was carried out", match=""),
    ),
    "refused": (
        say("[adjud] Your request was NOT carried out"),
        say("[{match}] Your request was NOT carried out", match=""),
    ),
    "both": (
        say("[adjud] NOT everything was carried out"),
        say("[{match}] NOT everything was carried out", match=""),
    ),
    "code": (to_confirm(), confirm("")),
    "sent": (
        say("[adjud] Your message was sent"),
        say("[{match}] Your message was sent", match=""),
    ),
    "unsent": (
        say("[adjud] Your message was NOT sent"),
        say("[{match}] Your message was NOT sent", match=""),
    ),
}
