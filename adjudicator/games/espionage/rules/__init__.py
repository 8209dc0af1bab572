"""The rules proper of Espionage: board, pieces, fights and turns."""
