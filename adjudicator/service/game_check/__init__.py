"""Check a game against its contract: `table.py` has one row for each demand."""
