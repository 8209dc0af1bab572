"""Read an incoming email: raw bytes to values. Nothing here can raise."""
