"""The sight of a seat of Spies: what it sees (7.1, 7.2) and is told (7.3), built from nothing and
never stripped."""
