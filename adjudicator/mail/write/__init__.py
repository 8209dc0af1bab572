"""A letter of ours: values to raw bytes."""
