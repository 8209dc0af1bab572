"""Check a match as a player can, without the club: his emails and pages against each other."""
