"""One match: opened, ordered in, adjudicated, ruled over, checked."""
