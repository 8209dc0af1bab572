"""Queue emails, each key once. Nothing is sent here."""
