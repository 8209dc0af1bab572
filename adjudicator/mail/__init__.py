"""Letters: from raw bytes to values, from values to raw bytes, and the ways in and out."""
