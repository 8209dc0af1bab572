"""What the rule book says of board, cards, dice, missions and turns."""
