"""The club's own matters, which belong to no single match: players, standings, pages."""
