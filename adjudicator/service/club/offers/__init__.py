"""One way to be asked (club, 3): offers, their kinds, and what the answers do."""
