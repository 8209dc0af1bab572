"""What one seat is told: as a value, as stored, as printed."""
