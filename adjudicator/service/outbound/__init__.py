"""Emails to go out: rendered from their rows and delivered; the operator's queue."""
