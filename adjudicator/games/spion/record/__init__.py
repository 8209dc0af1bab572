"""Game records: written and replayed."""
