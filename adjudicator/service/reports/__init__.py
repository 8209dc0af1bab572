"""What a seat is told: its values, and the same as printed."""
