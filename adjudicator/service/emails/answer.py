"""What the answer to an email says as it goes out, as a value, and its text."""

from typing import Literal, TypeAlias

from adjudicator.core.message import Message, say
from adjudicator.core.visible import Visible
from adjudicator.reports.daily import RULE
from adjudicator.service.emails.layout import fitted, paragraphs, share_out
from adjudicator.service.emails.paragraphs import Paragraphs
from adjudicator.service.emails.receipts import Receipt
from adjudicator.service.emails.wording import AnswerReader, in_words

PartStatus: TypeAlias = Literal["accepted", "parked", "refused", "stuck"]


class AnswerPart(Visible, frozen=True, kw_only=True):
    """What an answer says of one match: what became of that part of the email, and the `game` in
    whose words it is told. Of a match that cannot be read the game is empty."""

    match: str
    status: PartStatus
    game: str
    says: "Answer"


class Answer(Visible, frozen=True, kw_only=True):
    """What an answer `says` of an email, which was put down when that was read; what stands `above`
    and `below` it as things are when it goes out, and the `parts` about matches. What it says is
    cut if it is too long, and never the rest."""

    above: Paragraphs = ()
    says: Paragraphs = ()
    below: Paragraphs = ()
    parts: tuple[AnswerPart, ...] = ()

    @property
    def receipts(self) -> list[Receipt]:
        """Return what became of each sheet, of the parts, too."""
        own = [one for one in self.says if isinstance(one, Receipt)]
        return [*own, *(receipt for part in self.parts for receipt in part.says.receipts)]


_HEADINGS: dict[PartStatus, Message] = {
    "accepted": say("{match}: accepted"),
    "parked": say("{match}: to be confirmed"),
    "refused": say("{match}: NOT accepted"),
    "stuck": say("{match}: not read yet"),
}


def text_of(answer: Answer, reader: AnswerReader) -> str:
    """Return the text of an answer, with its lines broken."""
    tell = reader.words
    return paragraphs(
        [
            *in_words(answer.above, reader),
            *fitted(in_words(answer.says, reader), tell),
            *in_words(answer.below, reader),
            *share_out([_text_of_part(part, reader) for part in answer.parts], tell),
        ]
    )


def _text_of_part(part: AnswerPart, reader: AnswerReader) -> str:
    heading = say(_HEADINGS[part.status].text, match=part.match)
    text = text_of(part.says, reader.of_game(part.game))
    return f"{RULE}\n{reader.words(heading)}\n\n{text}"
