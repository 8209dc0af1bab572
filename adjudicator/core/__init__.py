"""Values and pure functions that every game shares."""
