"""A match's life: creation, sheets, adjudication, the game master's tools, undo, verification."""
