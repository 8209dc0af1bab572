"""The sight of a seat: what it may know, and nothing else."""
