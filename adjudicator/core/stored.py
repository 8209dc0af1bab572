"""Values that are stored in a match's log and must be read back as they were written."""

from msgspec import Struct


class Stored(Struct, frozen=True, forbid_unknown_fields=True):
    """The base of every event, every state, and what stands in them.

    A field that is renamed while old matches are stored must not be forgotten in silence: the old
    name is an error when the row is read, and not a default.
    """
