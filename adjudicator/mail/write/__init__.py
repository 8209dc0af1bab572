"""Write an email of ours: values to raw bytes."""
