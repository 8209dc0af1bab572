"""Read an incoming letter: raw bytes to values. Nothing here can raise."""
