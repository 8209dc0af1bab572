"""The rules proper of Spion: board, cards, dice, missions and turns."""
