"""The club's own matters, which belong to no single match: players and their offers."""
