"""Write a letter of ours: values to raw bytes."""
