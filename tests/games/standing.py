"""A match made from a state without a database, as `adjud game check` makes it."""

from adjudicator.service.game_check.sample import HEAD, NOW, make_loaded, standing

__all__ = ["HEAD", "NOW", "make_loaded", "standing"]
