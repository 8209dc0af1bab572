"""One match: how it is opened, ordered in, adjudicated, ruled over and checked."""
