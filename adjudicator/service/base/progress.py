"""Tell what a tick did, as the operator reads it: one line for each thing."""

from msgspec import Struct

from adjudicator.core.message import Message


class Progress(Struct, frozen=True):
    """One thing done: it tells of matches, seats and times, never of outcomes.

    `match` is the match that went on, empty for a letter. `urgent` says that a human must look,
    `failed` that a part of the work could not be done at all. `sleeps` says that nothing else is
    due in the match now, and `computer_orders` how many orders the built-in players gave.
    """

    text: Message
    match: str = ""
    computer_orders: int = 0
    sleeps: bool = False
    urgent: bool = False
    failed: bool = False

    def __str__(self) -> str:
        return f"{self.match}: {self.text}" if self.match else str(self.text)
