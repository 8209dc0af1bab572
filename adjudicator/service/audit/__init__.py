"""Check a match as a player can, without the club: his letters and pages against each other."""
