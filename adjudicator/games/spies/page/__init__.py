"""The rows that the templates of Spies print, made from a report alone: what happened in words, the
tables, the map. No module here sees a state, but for the game master's `full_board`, for the start
in `rules_page`, and for what a finished match's record tells in `history`."""
