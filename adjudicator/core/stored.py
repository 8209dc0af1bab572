"""The base of the values that are stored in a match's log and must be read back unchanged."""

from msgspec import Struct


class Stored(Struct, frozen=True, forbid_unknown_fields=True):
    """The base of every event, every state, and the values in them.

    Reading a row fails if a field was renamed while old matches are stored. Otherwise the old field
    would be forgotten and its default taken, unnoticed.
    """
