"""A letter that came: raw bytes to values, and nothing can raise."""
