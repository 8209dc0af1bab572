"""Orders of Spies: as values, as text in three languages, and judged on a seat's own view."""
