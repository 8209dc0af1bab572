"""Do what the machine does by itself, and what an administrator asks of it."""
