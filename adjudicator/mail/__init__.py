"""Letters: raw bytes to values, values to raw bytes, and the sockets between."""
