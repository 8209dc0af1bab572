"""Names of `tests/club.py`."""

from tests.club import MONDAY, SEED, Club, receipt_digest, use_tool

__all__ = ["MONDAY", "SEED", "Club", "receipt_digest", "use_tool"]
