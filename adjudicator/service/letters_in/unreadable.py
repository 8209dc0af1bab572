"""Letters of which nothing is read, or of which nobody could say what is meant."""

from collections.abc import Callable, Mapping, Sequence

from adjudicator.core.game import AnyGame
from adjudicator.core.message import Message, say
from adjudicator.core.orders import MOST_ORDERS, Line, said, shown
from adjudicator.core.sheets import MOST_SHEETS
from adjudicator.mail.read.letter import Letter
from adjudicator.mail.read.text_parts import File
from adjudicator.service.letters_in import bare_orders
from adjudicator.service.letters_in.conversation import Talk
from adjudicator.service.letters_in.said import Opened, parses


def over_limits(letter: Letter, *, cut: bool) -> Message | None:
    """Return why nothing of a letter is read, whatever it says; `cut` says that a part was not
    kept."""
    if cut:
        return _OVER_LIMITS["truncated"]
    return next((_OVER_LIMITS[defect] for defect in letter.defects if defect in _OVER_LIMITS), None)


def ambiguous(talk: Talk, opened: Opened) -> Message | None:
    """Return why neither of two sheets of a letter is taken, or none of far too many.

    One of the two is in an attachment, or in a quoted letter while there are orders in the sender's
    own lines.
    """
    texts = opened.letter.texts
    if texts.ambiguous:
        return say(
            "There is a sheet in your letter and another in its attachment: send one of them."
        )
    sheets = len(opened.content.reading.sheets)
    if sheets > MOST_SHEETS:
        most = MOST_SHEETS
        return say("There are {n} sheets in your letter: send {most} at most.", n=sheets, most=most)
    if texts.quoted and _has_orders(talk.loaded.game, opened.content.reading.ignored):
        return say(
            "There are orders in your own lines and a sheet in the letter that you quote: send "
            "one of them."
        )
    return None


def _has_orders(game: AnyGame, own: Sequence[Line]) -> bool:
    """Return whether one of the lines reads as an order; True if there are more lines than a sheet
    has."""
    return len(own) > MOST_ORDERS or any(parses(game, [line]) for line in own)


def unreadable(talk: Talk, opened: Opened) -> Message | None:
    """Return why the orders seem to be in a part that cannot be read, as there are none
    elsewhere."""
    content, defects = opened.content, opened.letter.defects
    found = next((_UNREADABLE[defect] for defect in defects if defect in _UNREADABLE), None)
    found = found or _in_a_file(opened)
    says = content.reading.sheets or content.presses or content.commands
    if found is None or says:
        return None
    bare = bare_orders.find(talk.loaded.game, content.reading.ignored)
    return None if bare.orders else found


def _in_a_file(opened: Opened) -> Message | None:
    """Return which file cannot be read. A small picture beside words of the sender is a drawing in
    his signature."""
    texts = opened.letter.texts
    silent = not any(map(said, (texts.sheet or "", *texts.bare.split("\n"))))
    files = [one for one in opened.letter.files if silent or not one.is_small]
    if not files:
        return None
    names = _names(files)
    kinds = {one.kind for one in files}
    return _FILES["other" if len(kinds) > 1 else kinds.pop()](names)


def beside(opened: Opened) -> Message | None:
    """Name the files of which nothing is read, beside a letter that is."""
    files = [one for one in opened.letter.files if not (one.is_small or one.is_programs)]
    if not files:
        return None
    return say("Note: adjud reads text alone, so it did not read {files}.", files=_names(files))


def _names(files: Sequence[File]) -> str:
    return ", ".join(f"'{shown(one.name, _MOST_NAME)}'" for one in files[:_MOST_FILES])


# Defects for which nothing of a letter is read (section 5), and what its sender is told.
_TOO_LARGE = say("Your letter is too large to be read as orders: send a few lines of plain text.")
_OVER_LIMITS: Mapping[str, Message] = {
    "truncated": _TOO_LARGE,
    "body too long": _TOO_LARGE,
    "too much formatting": say(
        "Your email has too much formatting to be read: send plain text, or copy only your orders "
        "into a new email."
    ),
    "too many parts": say(
        "Your letter has too many parts and attachments to be read: send a few lines of plain text."
    ),
    "too deep": say(
        "Your letter is a letter within a letter within a letter, too deep to be read: send a "
        "few lines of plain text."
    ),
}
# Defects that explain why no orders were found.
_UNREADABLE: Mapping[str, Message] = {
    "signed": say(
        "The text of your email is inside its S/MIME signature, and adjud cannot open it. Send "
        "plain text, or let your email program sign in clear text."
    ),
    "encrypted": say(
        "Your letter is encrypted, and this program has no key to open it: send plain text. It "
        "may be signed, as long as the text itself can be read."
    ),
}
_MOST_FILES, _MOST_NAME = 5, 60  # that are named, and the characters of a name
_FILES: Mapping[str, Callable[[str], Message]] = {
    "Word": lambda files: say(
        "There are no orders in your email, and the Word file attached to it cannot be read: "
        "{files}. Write the orders into the email itself, or save the file as plain text and "
        "attach that.",
        files=files,
    ),
    "picture": lambda files: say(
        "There are no orders in your email, and pictures cannot be read: {files}. Write the "
        "orders into the email itself.",
        files=files,
    ),
    "sound": lambda files: say(
        "There are no orders in your email, and recordings cannot be read: {files}. Write the "
        "orders into the email itself.",
        files=files,
    ),
    "Outlook": lambda files: say(
        "There are no orders in your email, and its attachment cannot be read: {files}, in which "
        "Outlook packs an email. Write the orders into the email itself, and let Outlook send it "
        "as plain text.",
        files=files,
    ),
    "other": lambda files: say(
        "There are no orders in your email, and its attachment cannot be read: {files}. Write the "
        "orders into the email itself, or attach a file of plain text.",
        files=files,
    ),
}
