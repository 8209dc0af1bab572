"""What belongs to the club and to no single match: players, standings, pages."""
