"""Game records: written, read, replayed."""
