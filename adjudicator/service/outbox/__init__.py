"""Letters to queue, each key once. Nothing is sent here."""
