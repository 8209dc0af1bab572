"""The refusal of something that cannot be done: one sentence for the person who asked."""

from collections.abc import Iterable

from adjudicator.core.message import Message, say
from adjudicator.core.orders import nearest, shown


class Refusal(Exception):
    """Refuse what cannot be done. The command line prints the sentences and exits with 1."""

    def __init__(self, *messages: Message) -> None:
        super().__init__("\n".join(str(message) for message in messages))
        self.messages = messages


class Doubtful(Refusal):
    """Refuse what is perhaps a slip; whoever asks again and is sure gets it done."""

    def __init__(self, doubt: Message) -> None:
        super().__init__(say("{doubt}; give --yes if you mean it", doubt=doubt))
        self.doubt = doubt


def unknown(
    text: Message, word: str, known: Iterable[str], among: Message | None = None
) -> Refusal:
    """Make the refusal of an unknown word; `text` says so.

    It offers the nearest known word, or else the list of words (`among`, if another list is to be
    shown).
    """
    known = list(known)
    meant = nearest(word, known)
    if meant:
        return Refusal(say("{sentence}; did you mean {meant}?", sentence=text, meant=meant))
    if among:
        return Refusal(say("{sentence}; there is {among}", sentence=text, among=among))
    if known:
        names = ", ".join(shown(name) for name in known[:8]) + (", …" if len(known) > 8 else "")
        return Refusal(say("{sentence}; there is {among}", sentence=text, among=names))
    return Refusal(text)
