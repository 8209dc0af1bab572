"""Standings and tournaments: what several matches give together."""
