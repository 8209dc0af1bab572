"""Clubs that cheat: the log that they build fits its fingerprints, and what it says is a lie."""
