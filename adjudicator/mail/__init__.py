"""Emails: from raw bytes to values, from values to raw bytes, and the transports in and out."""
