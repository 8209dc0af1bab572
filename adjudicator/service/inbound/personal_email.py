"""An email to a player's personal address: whether it may speak for him, and its answer
(club, 2). What it says of his matches is carried out by `several_matches`."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from msgspec import Struct, structs
from msgspec.json import decode, encode

from adjudicator.core.command_table import TABLE, WORDS
from adjudicator.core.commands import Command
from adjudicator.core.consent import is_thanks
from adjudicator.core.email_kinds import ANSWERS
from adjudicator.core.match_parts import MOST_PARTS, MOST_SLIPS, MatchPart, SplitText, split
from adjudicator.core.message import Message, count, listed, say
from adjudicator.core.orders import Problem
from adjudicator.core.text import folded_address
from adjudicator.games import GAMES
from adjudicator.mail.read.email import Email
from adjudicator.mail.write import subjects
from adjudicator.service.base.context import Session, reach_game_master
from adjudicator.service.emails.paragraphs import Paragraphs, each, paragraph, sentence
from adjudicator.service.inbound import (
    codes,
    commands,
    parsed_email,
    questions,
    several_matches,
)
from adjudicator.service.inbound.conversation import Person
from adjudicator.service.inbound.parsed_email import (
    MOST_ASKED,
    EmailContent,
    ParsedEmail,
    content_of,
)
from adjudicator.service.inbound.replies import Done, notes, of_no_match, paragraphs_of
from adjudicator.service.inbound.seat_email import A_DAY, GATHERING, MANY_A_DAY
from adjudicator.service.matches.sheet_parsing import would_read_as_orders
from adjudicator.service.outbox import queue
from adjudicator.service.outbox.queue import post_again
from adjudicator.store import (
    inbox,
    offers,
    outbox,
    pending,
    players,
    rows,
)
from adjudicator.store.inbox import EmailPart
from adjudicator.store.pending import ParkedEmail, WaitingText
from adjudicator.store.players import Player

MOST_WAITING = 5  # emails of one player that wait for a code
TRIES = 5  # wrong codes, then what waits is void
_OTHER_SENDER = "from an address that is not on file"


def read_for_person(s: Session, opened: ParsedEmail, player: Player, *, match: str = "") -> bool:
    """Do what an email to a personal address asks, queue its answer, and note its status; return
    False while parts of it wait, each for a transaction of its own. One to the address of a seat in
    a `match` is read so, too, if it names other matches.

    It counts in the limits of a day as an email of one more seat, and one that came twice is
    answered once more (emails, 4 and 5.1).
    """
    person = Person(s.tx, s.now, s.context, player_id=player.id, letter_id=opened.id)
    parts = rows.find(s.tx, EmailPart, letter_id=opened.id)
    if any(one.status == "waiting" for one in parts):
        _carry_out_next(person, opened, parts)
        return False
    players.hold(s.tx, [player.id])
    email, a_day_ago = opened.email, s.now - timedelta(days=1)
    earlier = inbox.earlier_of_player(
        s.tx, opened.id, player.id, email.message_id or "", moment=a_day_ago
    )
    reason = _fails(player, email)
    message_id = email.message_id or None
    noted = {"player_id": player.id, "message_id": message_id, "dated_at": email.date}
    today = earlier.heard if reason is None else earlier.unheard
    today += opened.received.received_at > a_day_ago
    if parts:
        status = several_matches.answer(person, email, shared=today > A_DAY)
        if today > A_DAY:
            _queue_shared(person, today)
        inbox.update(s.tx, opened.id, status=status, reason=reason)
        return True
    twins = opened.twins(earlier.same_id)
    if twin := next((one for one in twins if reason is not None or one.reason is None), None):
        inbox.update(s.tx, opened.id, status="duplicate", reason="came twice", **noted)
        _answer_again(s, player, twin.id)
        return True
    if _is_thanks_alone(opened):
        status = "accepted" if reason is None else "refused"
        inbox.update(s.tx, opened.id, status=status, reason=reason, **noted)
        return True
    done = _carry_out(person, opened, match, on_file=reason is None)
    kind, subject = of_no_match(done)
    says = paragraphs_of(done)
    if of_matches := [part for one in done for part in one.of_matches]:
        several_matches.begin(s.tx, opened.id, of_matches, kind, says)
        inbox.update(s.tx, opened.id, **noted)
        inbox.note_progress(s.tx, opened.id)
        return False
    status = several_matches.STATUSES[kind]
    inbox.update(s.tx, opened.id, status=status, reason=reason, **noted)
    if today > A_DAY:
        _queue_shared(person, today)
    else:
        several_matches.queue_answer(person, email, kind, subject, says)
    for asked in filter(None, (one.question for one in done)):
        questions.pass_on_question(s, asked)
    return True


def _carry_out_next(person: Person, opened: ParsedEmail, parts: Sequence[EmailPart]) -> None:
    """Carry out the first part that waits."""
    part = next(one for one in parts if one.status == "waiting")
    of_matches = [one for one in parts if one.number != several_matches.OWN]
    several_matches.carry_out(person, opened, part, alone=len(of_matches) == 1)
    inbox.note_progress(person.tx, opened.id)


def _is_thanks_alone(opened: ParsedEmail) -> bool:
    content, texts = opened.content, opened.email.texts
    asks = (content.commands, content.presses, content.jottings, content.reading.sheets)
    has_file = texts.attached or texts.unread or any(not one.is_small for one in opened.email.files)
    return not any(asks) and not has_file and is_thanks(content.prose)


def _fails(player: Player, email: Email) -> str | None:
    """Return why an email may not speak for the player; None if it may (the level
    `token+from`)."""
    if email.sender is None:
        return email.sender_defect or _OTHER_SENDER
    same = folded_address(player.address) == folded_address(email.sender)
    return None if same else _OTHER_SENDER


def _carry_out(person: Person, opened: ParsedEmail, match: str, *, on_file: bool) -> list[Done]:
    if told := parsed_email.over_limits(opened):
        return notes([told])
    whole = split(opened.content.text, match)
    if match:
        parts = [one for one in whole.parts if one.match != match or _says_something(one)]
        whole = structs.replace(whole, parts=tuple(parts))
    content = content_of(whole.own) if whole.parts or whole.slips else opened.content
    content = content.confirming({*map(len, _codes(person))})
    if not on_file:
        return _park(person, opened, content, whole.parts)
    unclear = [*map(_unclear, whole.slips), *([_MORE_SLIPS] if whole.has_more_slips else [])]
    return [*notes(unclear), *_obey_known(person, opened, content, whole)]


_MORE_SLIPS = say("Your email has more lines like these.")


def _unclear(slip: Problem) -> Message:
    """Say that nobody knows of which match the lines below a misspelt MATCH are."""
    return say(
        "Line {number} was not understood ({why}). Nothing between it and the next MATCH was "
        "read, but for order sheets that name their match.",
        number=slip.line,
        why=slip.message,
    )


def _says_something(part: MatchPart) -> bool:
    """Return whether there is more in a part than a greeting."""
    content = content_of(part.text)
    asks = (content.commands, content.presses, content.jottings, content.reading.sheets)
    return any(asks) or any(True for _ in _orders_in(content))


def _obey_known(
    person: Person, opened: ParsedEmail, content: EmailContent, whole: SplitText
) -> list[Done]:
    """Do what a known email asks of its writer's own, a code first and then from top to bottom;
    what it says of matches waits."""
    if content.dry:
        person = structs.replace(person, dry=True)
    is_of_words = not (whole.parts or content.commands or content.reading.sheets or content.presses)
    if is_of_words and (answers := _answer_to_offer(person, opened)):
        return [commands.obey_person(person, answers)]
    done = [*_confirm_all(person, content.codes), *_obey(person, content)]
    if _is_of_no_match(opened, content, whole.parts):
        done += notes([_name_the_match()])
    done.append(Done((), of_matches=several_matches.waiting(whole.parts)))
    if whole.has_more or sum(len(one.of_matches) for one in done) > MOST_PARTS:
        more = say("Only the first {most} matches in your email were read.", most=MOST_PARTS)
        done += notes([more])
    if any(one.told or one.of_matches for one in done):
        return done
    passed, asked = questions.question_of_person(
        person, person.wishes, content.prose, _codes(person), opened.email.references
    )
    told = _nothing_understood(person, passed)
    return [*notes([parsed_email.calendars(opened)]), Done(told, question=asked)]


def _answer_to_offer(person: Person, opened: ParsedEmail) -> Command | None:
    """Return the ACCEPT or DECLINE that somebody means who says a clear yes or no above a quoted
    offer."""
    told = {one.code for one in offers.open_to(person.tx, person.player_id)}
    return codes.accept_command(opened, told, "ACCEPT") or codes.decline_command(
        opened, told, "DECLINE"
    )


def _is_of_no_match(opened: ParsedEmail, content: EmailContent, parts: Sequence[MatchPart]) -> bool:
    """Return whether there are orders or messages to others of which nobody knows the match."""
    if content.presses or content.jottings or content.reading.sheets:
        return True
    return opened.holds_orders if not parts else bool([*_orders_in(content)])


def _orders_in(content: EmailContent) -> Iterator[Problem]:
    return would_read_as_orders(content.reading.ignored, GAMES.values())


def _name_the_match() -> Message:
    return say(
        "Orders and messages that name no match were NOT read. Write MATCH and the name of the "
        "match on a line above them, or reply to the latest report of the match."
    )


def _obey(person: Person, content: EmailContent) -> list[Done]:
    done: list[Done] = []
    for one in content.commands:
        if TABLE[one.word].where == "seat" and one.word != "CHECK":
            told = say(
                "{word} is about one match. Write MATCH and the name of the match on a line above "
                "it, or reply to the latest report of that match.",
                word=WORDS[one.word],
            )
            done += notes([told])
        elif one.word not in ("CONFIRM", "CHECK"):
            done.append(commands.obey_person(person, one))
    slips = [*{str(slip.message): slip.message for slip in content.slips}.values()]
    done += notes(slips[:MOST_SLIPS])
    if slips[MOST_SLIPS:]:
        done += notes([_MORE_SLIPS])
    if content.has_more:
        told = say("Only the first {most} commands in your email were read.", most=MOST_ASKED)
        done += notes([told])
    return done


def _nothing_understood(person: Person, passed: Message | None = None) -> Paragraphs:
    """Say so to somebody who wrote words; `passed` says whether they go on to the game master."""
    told = say(
        "Your email has no line that this address understands. HELP sends a list of them. To send "
        "orders, write MATCH and the name of the match on a line above them, or reply to the "
        "latest report of the match."
    )
    told_of = sentence(passed, reach_game_master(person.context))
    return (*each([told, told_of]), *_waiting(person))


def _waiting(person: Person) -> Paragraphs:
    """List the codes of what waits for the player, and say what each of them does."""
    own = [
        WaitingText(match="", seat="", code=one.code, text=one.text, ply=None)
        for one in rows.find(person.tx, ParkedEmail, player_id=person.player_id, status="waiting")
    ]
    of_seats = codes.waiting_of_player(person.tx, person.player_id)
    return codes.listed_codes([*own, *of_seats])


# What came from another address than the one on file waits for a code, which goes to that one.


def _park(
    person: Person, opened: ParsedEmail, content: EmailContent, parts: Sequence[MatchPart]
) -> list[Done]:
    """Keep an email until it is confirmed. A code alone is tried: it proves itself."""
    changes = any(
        TABLE[one.word].where != "seat" and one.word != "CONFIRM" for one in content.commands
    )
    if content.code and not (changes or parts):
        return _confirm_all(person, content.codes)
    asked = codes.requests_in(opened.content.text)
    if not (changes or parts) or not asked:
        return [Done(_nothing_understood(person))]
    code = person.context.coder()
    pending.park_email(
        person.tx,
        person.player_id,
        letter_id=person.letter_id,
        code=code,
        text=opened.content.text,
        now=person.now,
    )
    fell = pending.drop_older_emails(person.tx, person.player_id, MOST_WAITING)
    told = [
        say(
            "An email to your address for all your matches came from an address that is not on "
            "file for you."
        ),
        say("This is what it asks for: {words}.", words=listed(asked)),
        say(
            "If you sent this, reply to this email with the line\n\nCONFIRM {code}\n\nUntil then "
            "it has no effect.",
            code=code,
        ),
    ]
    if fell:
        told.append(
            say(
                "At most {most} of your emails can wait for confirmation, so the oldest was "
                "dropped.",
                most=MOST_WAITING,
            )
        )
    first, *others = told
    return [Done(paragraph(first), "waits"), *notes(others)]


def _codes(person: Person) -> list[str]:
    """Return the codes of all that waits for a player, for a seat of theirs or for none."""
    tx, player_id = person.tx, person.player_id
    return [*pending.codes_of_emails(tx, player_id), *pending.codes_of_player(tx, player_id)]


def _confirm_all(person: Person, given: Sequence[str]) -> list[Done]:
    """Do what was parked under these codes, up to the first wrong one: one answer may have told
    several, and yet nobody finds one by trying."""
    if person.dry and given:
        understood = say("understood: {words}", words=WORDS["CONFIRM"])
        return [Done(paragraph(understood), "shown")]
    done: list[Done] = []
    for number, code in enumerate(given, start=1):
        one = _confirm(person, code)
        if one is None:
            done += _wrong(person, code)
            if given[number:]:
                done += notes([say("The codes below it were not tried.")])
            break
        done += one
    return done


def _confirm(person: Person, code: str) -> Sequence[Done] | None:
    """Do what was parked under a code, or let it be done if that waits for a seat; return None if
    nothing waits under it."""
    parked = pending.claim_email(person.tx, person.player_id, code)
    if parked is not None:
        whole = split(parked.text)
        content = content_of(whole.own) if whole.parts else content_of(parked.text)
        without = [one for one in content.commands if one.word != "CONFIRM"]
        person = structs.replace(person, confirmed=True)
        obeyed = _obey(person, structs.replace(content, commands=tuple(without), slips=()))
        of_matches = several_matches.confirmed_parts(
            person.tx, whole.parts, parked.letter_id, parked.created_at
        )
        return [*obeyed, Done((), of_matches=of_matches)]
    if match := pending.codes_of_player(person.tx, person.player_id).get(code):
        confirms = MatchPart(match, f"CONFIRM {code}")
        return [Done((), of_matches=several_matches.waiting([confirms]))]
    return None


def _wrong(person: Person, code: str) -> list[Done]:
    """Count a wrong code for all that waits, for the seats, too; return what is answered."""
    tx, player_id = person.tx, person.player_id
    nothing = paragraph(codes.nothing_under(tx, player_id, code))
    done = [Done(nothing, "nothing", subject=subjects.nothing_confirmed())]
    used = rows.has(tx, ParkedEmail, player_id=player_id, code=code) or pending.was_used_by(
        tx, player_id, code
    )
    if not used and any(
        (
            pending.count_wrong_code_of_email(tx, player_id, TRIES),
            pending.count_wrong_code_of(tx, player_id, TRIES),
        )
    ):
        told = say(
            "Too many wrong codes came, so nothing is waiting for confirmation any more. If you "
            "still had something to confirm, send it again."
        )
        done += notes([told])
    return done


# The one answer to an email; those beyond the limit of a day share one.


class LateEmails(Struct, frozen=True):
    """The emails of a day over the limit, which share an answer."""

    letters: int = 1


def _queue_shared(person: Person, today: int) -> None:
    """Queue the one answer to all emails over the limit of a day, or add this email to it."""
    tx, now = person.tx, person.now
    player = person.wishes
    prefix = f"{outbox.OF_PERSONS}{player.id}/all/"
    unsent = outbox.first_to_render(tx, prefix)
    before = decode(unsent[1], type=LateEmails).letters if unsent else 0
    told = count(
        "{n} more of your emails was read. You have sent so many today that this one reply covers "
        "them all.",
        "{n} more of your emails were read. You have sent so many today that this one reply "
        "covers them all.",
        before + 1,
    )
    if unsent:
        kept = {key: value for key, value in decode(unsent[1]).items() if key != "text"}
        body = {**kept, "says": paragraph(told), "letters": before + 1}
        outbox.update(tx, unsent[0], body=encode(body).decode())
        return
    queue.queue_from_personal_address(
        person,
        player,
        f"all/{person.letter_id}",
        subjects.public_words(),
        paragraph(told),
        kind="receipt",
        not_before=now + GATHERING if today > MANY_A_DAY else now,
    )


def _answer_again(s: Session, player: Player, letter_id: int) -> None:
    """Queue the answer to an email that came again, but never a third one."""
    for kind in ANSWERS:
        key = f"{outbox.OF_PERSONS}{player.id}/answer/{kind}/{letter_id}"
        if (there := outbox.standing(s.tx, key)) and there[1] not in ("waiting", "unconfirmed"):
            body = decode(outbox.body(s.tx, there[0]))
            post_again(s, there[0], f"{key}/again", body)
