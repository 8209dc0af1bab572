"""What the rule book says of board, pieces, fights and turns."""
