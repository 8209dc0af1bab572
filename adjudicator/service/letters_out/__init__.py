"""Outbound letters: they are written and delivered, and the operator works on their
queue."""
