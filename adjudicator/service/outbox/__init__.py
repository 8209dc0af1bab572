"""Queue letters, each key once. Nothing is sent here."""
