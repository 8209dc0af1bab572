"""Orders: text to values and back, what is allowed, a sheet to fill in."""
